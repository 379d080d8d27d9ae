//! Host code from hot blocks: the same meanings as the interpreter, faster.
//!
//! [`wavepipe_core`] decides what is hot and hands over regions of code; whatever an engine does not know is done by a call of
//! the interpreter. The bodies of the rows are recorded, not written again: `record` is one more algebra, `step` puts
//! modifiers around a recorded body, `legal` replaces what a target lacks; a target makes code of it: `x86` its own, `clif`
//! by Cranelift.

#![allow(clippy::precedence)]
// Where there is no target, nobody asks for nodes.
#![cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod arena;
mod atomic;
#[cfg(target_arch = "x86_64")]
mod bits;
#[cfg(any(target_arch = "aarch64", all(target_arch = "x86_64", feature = "cranelift")))]
mod clif;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod code;
mod fold;
mod group;
mod hoist;
mod items;
mod legal;
mod live;
mod record;
mod step;
#[doc(hidden)]
pub mod tested;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::Arc;
use wavepipe_core::wave::{HostCode, HostRun};

/// Bytes of host code that an engine keeps at most: some thousand regions, of which programs with many large kernels have some
/// hundred at once. Addresses only, until code is written there.
pub const CODE_BYTES: usize = 64 << 20;

/// What host code is made for: vector instructions of a host, the best first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostIsa {
    /// F, BW, DQ, VL and CD, and VPOPCNTDQ where there is one.
    Avx512,
    /// x86-64-v3: AVX2, FMA, F16C and BMI.
    Avx2,
    /// Of aarch64. In builds for x86-64 with the feature `cranelift` the same code for AVX and FMA, so that they can try it.
    Neon,
}

impl HostIsa {
    pub const ALL: [HostIsa; 3] = [HostIsa::Avx512, HostIsa::Avx2, HostIsa::Neon];

    pub const fn name(self) -> &'static str {
        match self {
            HostIsa::Avx512 => "avx512",
            HostIsa::Avx2 => "avx2",
            HostIsa::Neon => "neon",
        }
    }

    /// Executions of a block that take about as long as to compile the region that begins with it: Cranelift takes seven times as
    /// long as our emitter.
    pub const fn patience(self) -> u32 {
        match self {
            HostIsa::Avx512 | HostIsa::Avx2 => 160,
            HostIsa::Neon => 7 * 160,
        }
    }

    pub fn named(name: &str) -> Option<HostIsa> {
        HostIsa::ALL.into_iter().find(|t| t.name() == name)
    }

    /// Whether this build can make code for it.
    pub const fn is_built(self) -> bool {
        match self {
            HostIsa::Avx512 | HostIsa::Avx2 => cfg!(target_arch = "x86_64"),
            HostIsa::Neon => {
                cfg!(any(target_arch = "aarch64", all(target_arch = "x86_64", feature = "cranelift")))
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn x86(self) -> Option<x86::X86Isa> {
        match self {
            HostIsa::Avx512 => Some(x86::X86Isa::Avx512),
            HostIsa::Avx2 => Some(x86::X86Isa::Avx2),
            HostIsa::Neon => None,
        }
    }

    /// Whether this host has every instruction that is emitted, but for what a [`Feature`] stands for.
    pub fn is_present(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            HostIsa::Avx512 | HostIsa::Avx2 => self.x86().is_some_and(x86::is_present),
            #[cfg(any(target_arch = "aarch64", all(target_arch = "x86_64", feature = "cranelift")))]
            HostIsa::Neon => clif::is_present(),
            #[allow(unreachable_patterns)]
            _ => false,
        }
    }
}

/// What only some hosts of a target have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feature {
    /// Of AVX-512: the bits of a word counted by an instruction.
    Vpopcntdq,
    /// Caches that hold something: rows of larger buffers are stored past them.
    Caches,
}

/// A processor in software, for tests on hosts that lack a target.
pub trait Processor: Send + Sync {
    /// What executes this function of a frame, in the System V convention: bytes that do not depend on where they lie.
    fn load(&self, code: &[u8]) -> Box<dyn HostRun>;
}

/// The best target that this host has and this build makes code for.
pub fn best() -> Option<HostIsa> {
    HostIsa::ALL.into_iter().find(|target| target.is_present())
}

/// The engine for a target, which compiles a block in front of the execution that `patience` numbers from 1, as on a host that
/// lacks these features, so that any host can try what others run; `None`: this host has not what it takes.
pub fn engine_for(target: HostIsa, patience: u32, without: &[Feature]) -> Option<Arc<dyn HostCode>> {
    engine_within(target, patience, without, CODE_BYTES)
}

/// As [`engine_for`], with room for so many bytes of code.
pub fn engine_within(
    target: HostIsa,
    patience: u32,
    without: &[Feature],
    code_bytes: usize,
) -> Option<Arc<dyn HostCode>> {
    if !target.is_present() {
        return None;
    }
    let _ = (patience, without, code_bytes);
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    let arena = arena::Arena::new(code_bytes);
    match target {
        #[cfg(target_arch = "x86_64")]
        HostIsa::Avx512 | HostIsa::Avx2 => {
            Some(Arc::new(x86::Engine::new(target.x86()?, patience, without, arena, None)))
        }
        #[cfg(any(target_arch = "aarch64", all(target_arch = "x86_64", feature = "cranelift")))]
        HostIsa::Neon => Some(Arc::new(clif::Engine::new(patience, arena)?)),
        #[allow(unreachable_patterns)]
        _ => None,
    }
}

/// As [`engine_within`], the code being executed by a processor that has all of the target's instructions, on any host of x86-64.
#[cfg(target_arch = "x86_64")]
pub fn engine_on(
    processor: Arc<dyn Processor>,
    target: HostIsa,
    patience: u32,
    without: &[Feature],
    code_bytes: usize,
) -> Option<Arc<dyn HostCode>> {
    let arena = arena::Arena::new(code_bytes);
    Some(Arc::new(x86::Engine::new(target.x86()?, patience, without, arena, Some(processor))))
}
