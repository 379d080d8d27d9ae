//! Who runs what is hot in these tests: the interpreter, or the host code of a target, from the first execution on. The gate has core's
//! tests run by the target that `WAVEPIPE_TEST_HOST` names, too.

use std::sync::Arc;
use wavepipe_core::wave::{CodeCache, HostCode};
use wavepipe_core::{Config, Gpu};
use wavepipe_jit::{CODE_BYTES, Feature, HostIsa};

/// The engine for a target, without patience, as on a host that lacks these features. What a host of x86-64 lacks is executed by a
/// processor in software; a target that nobody executes is a skip, and under CI a failure, for then nothing holds it, but of a build
/// that does not have it.
pub fn engine_of(target: HostIsa, without: &[Feature], code_bytes: usize) -> Option<Arc<dyn HostCode>> {
    let engine = wavepipe_jit::engine_within(target, 1, without, code_bytes);
    #[cfg(target_arch = "x86_64")]
    let engine = engine.or_else(|| super::processor::engine(target, without, code_bytes));
    if engine.is_none() {
        assert!(!target.is_built() || std::env::var_os("CI").is_none(), "this host has no {}", target.name());
        println!("SKIP {}", target.name());
    }
    engine
}

fn chosen() -> Option<Arc<dyn HostCode>> {
    let name = std::env::var("WAVEPIPE_TEST_HOST").ok()?;
    let target = HostIsa::named(&name).unwrap_or_else(|| panic!("WAVEPIPE_TEST_HOST={name} is no target"));
    engine_of(target, &[], CODE_BYTES)
}

pub fn code_cache() -> CodeCache {
    chosen().map_or_else(CodeCache::new, CodeCache::with_host_code)
}

pub fn gpu(config: Config) -> Gpu {
    match chosen() {
        Some(engine) => Gpu::with_host_code(config, engine),
        None => Gpu::new(config),
    }
}
