//! Host code from hot blocks: the same meanings as the interpreter, faster.
//!
//! [`wavepipe_core`] decides what is hot and hands over runs of steps; whatever an engine does not know stays the
//! interpreter's. The bodies of the rows are recorded, not written again: `record` is one more algebra, `step` puts
//! modifiers around a recorded body, `legal` replaces what a target lacks; a target makes code of it.

#![allow(clippy::precedence)]
// Where there is no target, nobody asks for nodes.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

#[cfg(target_arch = "x86_64")]
mod avx512;
mod legal;
mod record;
mod step;

use std::sync::Arc;
use wavepipe_core::wave::HostCode;

/// Executions of a block that take about as long as to compile it.
pub const PATIENCE: u32 = 48;

/// What only some hosts of a target have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feature {
    /// Of AVX-512: the bits of a word counted by an instruction.
    Vpopcntdq,
}

/// The engine for this host, which compiles a block in front of the execution that `patience` numbers from 1; `None`: there
/// is none, and the interpreter runs everything.
pub fn engine(patience: u32) -> Option<Arc<dyn HostCode>> {
    engine_without(patience, &[])
}

/// As [`engine`] on a host that lacks these, so that any host can try what others run.
pub fn engine_without(patience: u32, without: &[Feature]) -> Option<Arc<dyn HostCode>> {
    #[cfg(target_arch = "x86_64")]
    if let Some(engine) = avx512::Avx512::new(patience, without) {
        return Some(Arc::new(engine));
    }
    let _ = (patience, without);
    None
}
