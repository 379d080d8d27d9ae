//! Host code from hot blocks: the same meanings as the interpreter, faster.
//!
//! [`wavepipe_core`] decides what is hot and hands over regions of code; whatever an engine does not know is done by a call of
//! the interpreter. The bodies of the rows are recorded, not written again: `record` is one more algebra, `step` puts
//! modifiers around a recorded body, `legal` replaces what a target lacks; a target makes code of it.

#![allow(clippy::precedence)]
// Where there is no target, nobody asks for nodes.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

mod legal;
mod record;
mod step;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::Arc;
use wavepipe_core::wave::HostCode;

/// Executions of a block that take about as long as to compile the region that begins with it.
pub const PATIENCE: u32 = 160;

/// What host code is made for: vector instructions of a host, the best first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostIsa {
    /// F, BW, DQ, VL and CD, and VPOPCNTDQ where there is one.
    Avx512,
    /// x86-64-v3: AVX2, FMA, F16C and BMI.
    Avx2,
}

impl HostIsa {
    pub const ALL: [HostIsa; 2] = [HostIsa::Avx512, HostIsa::Avx2];

    pub const fn name(self) -> &'static str {
        match self {
            HostIsa::Avx512 => "avx512",
            HostIsa::Avx2 => "avx2",
        }
    }

    pub fn named(name: &str) -> Option<HostIsa> {
        HostIsa::ALL.into_iter().find(|t| t.name() == name)
    }

    /// Whether this host has every instruction that is emitted, but for what a [`Feature`] stands for.
    pub fn is_present(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return x86::is_present(self);
        #[cfg(not(target_arch = "x86_64"))]
        false
    }
}

/// What only some hosts of a target have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feature {
    /// Of AVX-512: the bits of a word counted by an instruction.
    Vpopcntdq,
}

/// The best engine for this host, which compiles a block in front of the execution that `patience` numbers from 1; `None`:
/// there is none, and the interpreter runs everything.
pub fn engine(patience: u32) -> Option<Arc<dyn HostCode>> {
    HostIsa::ALL.into_iter().find_map(|target| engine_for(target, patience, &[]))
}

/// The engine for a target, as on a host that lacks these features, so that any host can try what others run; `None`: this
/// host has not what it takes.
pub fn engine_for(target: HostIsa, patience: u32, without: &[Feature]) -> Option<Arc<dyn HostCode>> {
    #[cfg(target_arch = "x86_64")]
    if target.is_present() {
        return Some(Arc::new(x86::Engine::new(target, patience, without)));
    }
    let _ = (target, patience, without);
    None
}
