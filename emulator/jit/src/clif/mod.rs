//! The engine for hosts with vectors of 128 bits, by way of Cranelift: NEON, and on x86-64 AVX and FMA, for tests.
//!
//! [`lanes`] and [`scalar`] make values of a step's nodes, [`vector`] runs a group's steps over the chunks of a wave, [`access`]
//! loads and stores, [`private`] memory too, by [`single`] lanes where it must, [`fetch`] loads scalars, [`hoisted`]
//! compares those that loops leave alone, [`across`] and [`moving`] move
//! words between lanes, [`region`] makes one function of nodes and ways between them.

mod access;
mod across;
mod fetch;
mod hoisted;
mod lanes;
mod moving;
mod private;
pub(crate) mod region;
mod scalar;
mod single;
mod vector;

use crate::arena::Arena;
use cranelift_codegen::isa::{self, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use wavepipe_core::wave::{HostCode, HostRun, NoCode, Region};

#[cfg(target_arch = "aarch64")]
const HOST: &str = "aarch64";
#[cfg(target_arch = "x86_64")]
const HOST: &str = "x86_64";

/// Cranelift's names of what the host has. Of aarch64 nothing is taken that not every one has.
fn features() -> Vec<(&'static str, bool)> {
    #[cfg(target_arch = "x86_64")]
    return vec![
        ("has_sse3", is_x86_feature_detected!("sse3")),
        ("has_ssse3", is_x86_feature_detected!("ssse3")),
        ("has_sse41", is_x86_feature_detected!("sse4.1")),
        ("has_sse42", is_x86_feature_detected!("sse4.2")),
        ("has_avx", is_x86_feature_detected!("avx")),
        ("has_fma", is_x86_feature_detected!("fma")),
        ("has_popcnt", is_x86_feature_detected!("popcnt")),
        ("has_lzcnt", is_x86_feature_detected!("lzcnt")),
        ("has_bmi1", is_x86_feature_detected!("bmi1")),
        ("has_bmi2", is_x86_feature_detected!("bmi2")),
    ];
    #[cfg(target_arch = "aarch64")]
    return Vec::new();
}

/// Whether the host has all of it: without FMA, say, a fused product would be a call of the host's library.
pub fn is_present() -> bool {
    features().iter().all(|(_, there)| *there)
}

pub struct Engine {
    patience: u32,
    isa: OwnedTargetIsa,
    arena: Arena,
}

impl Engine {
    /// `None`: Cranelift takes no such host.
    pub fn new(patience: u32, arena: Arena) -> Option<Engine> {
        let mut flags = settings::builder();
        let checked = if cfg!(debug_assertions) { "true" } else { "false" };
        for (name, value) in [
            // Beside "none" it takes two fifths longer, for a twentieth of the code's time; the single-pass allocator takes half as
            // long, for more than twice the code.
            ("opt_level", "speed"),
            ("enable_verifier", checked),
            // A frame larger than a page looks for the guard page, as compiled Rust does.
            ("enable_probestack", "true"),
            ("probestack_strategy", "inline"),
            ("unwind_info", "false"),
        ] {
            flags.set(name, value).ok()?;
        }
        let mut host = isa::lookup_by_name(HOST).ok()?;
        for (name, there) in features() {
            host.set(name, if there { "true" } else { "false" }).ok()?;
        }
        Some(Engine { patience, isa: host.finish(settings::Flags::new(flags)).ok()?, arena })
    }
}

impl HostCode for Engine {
    fn patience(&self) -> u32 {
        self.patience
    }

    fn compile(&self, region: &Region) -> Result<Box<dyn HostRun>, NoCode> {
        Ok(Box::new(region::compile(region, &*self.isa, &self.arena)?))
    }

    /// All of its stores are ordinary ones.
    fn publish(&self) {}
}
