//! Who runs what is hot in these tests: the interpreter, or the host code of the target that `WAVEPIPE_TEST_HOST` names, from the
//! first execution on. The gate has them run by each.

use std::sync::Arc;
use wavepipe_core::wave::{CodeCache, HostCode};
use wavepipe_core::{Config, Gpu};
use wavepipe_jit::HostIsa;

fn engine() -> Option<Arc<dyn HostCode>> {
    let name = std::env::var("WAVEPIPE_TEST_HOST").ok()?;
    let target = HostIsa::named(&name).unwrap_or_else(|| panic!("WAVEPIPE_TEST_HOST={name} is no target"));
    let engine = wavepipe_jit::engine_for(target, 1, &[]);
    if engine.is_none() {
        assert!(!target.is_built() || std::env::var_os("CI").is_none(), "this host has no {name}");
        println!("SKIP {name}");
    }
    engine
}

pub fn code_cache() -> CodeCache {
    engine().map_or_else(CodeCache::new, CodeCache::with_host_code)
}

pub fn gpu(config: Config) -> Gpu {
    match engine() {
        Some(engine) => Gpu::with_host_code(config, engine),
        None => Gpu::new(config),
    }
}
