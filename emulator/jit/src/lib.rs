//! Host code from hot blocks: the same meanings as the interpreter, faster.
//!
//! [`wavepipe_core`] decides what is hot and hands over runs of steps; whatever an engine does not know stays the
//! interpreter's.

#![allow(clippy::precedence)]

#[cfg(target_arch = "x86_64")]
mod avx512;

use std::sync::Arc;
use wavepipe_core::wave::HostCode;

/// Executions of a block that take about as long as to compile it.
pub const PATIENCE: u32 = 48;

/// The engine for this host, which compiles a block in front of the execution that `patience` numbers from 1; `None`: there
/// is none, and the interpreter runs everything.
pub fn engine(patience: u32) -> Option<Arc<dyn HostCode>> {
    #[cfg(target_arch = "x86_64")]
    if let Some(engine) = avx512::Avx512::new(patience) {
        return Some(Arc::new(engine));
    }
    let _ = patience;
    None
}
