//! Who runs what is hot in these tests: the interpreter, or the host code of a target, from the first execution on. The gate has core's
//! tests run by the target that `WAVEPIPE_TEST_HOST` names, too.

use std::sync::Arc;
use wavepipe_core::wave::{CodeCache, HostCode};
use wavepipe_core::{Config, Gpu};
use wavepipe_jit::{CODE_BYTES, Feature, HostIsa};

/// The engine for a target, without patience, as on a host that lacks these features. What a host of x86-64 lacks is executed by a
/// processor in software, and with `WAVEPIPE_TEST_PROCESSOR` = `software` what it has, too: what hosts without it run is then held on
/// those that have it. A target that nobody executes is a skip, and under CI a failure, for then nothing holds it, but of a build that
/// does not have it.
pub fn engine_of(target: HostIsa, without: &[Feature], code_bytes: usize) -> Option<Arc<dyn HostCode>> {
    let in_software = std::env::var("WAVEPIPE_TEST_PROCESSOR").is_ok_and(|name| name == "software");
    let own = || wavepipe_jit::engine_within(target, 1, without, code_bytes);
    #[cfg(target_arch = "x86_64")]
    let software = || super::processor::engine(target, without, code_bytes);
    #[cfg(not(target_arch = "x86_64"))]
    let software = || None;
    let engine = if in_software { software().or_else(own) } else { own().or_else(software) };
    if engine.is_none() {
        assert!(!target.is_built() || std::env::var_os("CI").is_none(), "this host has no {}", target.name());
        println!("SKIP {}", target.name());
    }
    engine
}

/// Returns the engine that `WAVEPIPE_TEST_HOST` names: a target, or with `each` one of those that this host executes itself, chosen by the
/// test's name and the day, so that all tests run once and each of them on every target in turn.
fn chosen() -> Option<Arc<dyn HostCode>> {
    let name = std::env::var("WAVEPIPE_TEST_HOST").ok()?;
    if name == "each" {
        let own = |target: &HostIsa| wavepipe_jit::engine_within(*target, 1, &[], CODE_BYTES).is_some();
        let targets: Vec<HostIsa> = HostIsa::ALL.into_iter().filter(own).collect();
        let day: u64 = std::env::var("WAVEPIPE_TEST_DAY").ok().and_then(|day| day.parse().ok()).unwrap_or(0);
        let test = std::thread::current()
            .name()
            .map_or(0, |name| name.bytes().fold(0, |n: u64, b| n * 31 % 1009 + u64::from(b)));
        let target = targets.get((test.wrapping_add(day) % targets.len().max(1) as u64) as usize)?;
        return engine_of(*target, &[], CODE_BYTES);
    }
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
