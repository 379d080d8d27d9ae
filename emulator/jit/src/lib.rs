//! Host code from hot blocks: the same meanings as the interpreter, faster.
//!
//! [`wavepipe_core`] decides what is hot and hands over regions of code; whatever an engine does not know is done by a call of
//! the interpreter.

#![allow(clippy::precedence)]

#[cfg(target_arch = "x86_64")]
mod record;
#[cfg(target_arch = "x86_64")]
mod step;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::Arc;
use wavepipe_core::wave::HostCode;

/// Executions of a block that take about as long as to compile it.
pub const PATIENCE: u32 = 48;

/// The engine for this host, which compiles a block in front of the execution that `patience` numbers from 1; `None`: there
/// is none, and the interpreter runs everything.
pub fn engine(patience: u32) -> Option<Arc<dyn HostCode>> {
    #[cfg(target_arch = "x86_64")]
    if let Some(engine) = x86::Avx512::new(patience) {
        return Some(Arc::new(engine));
    }
    let _ = patience;
    None
}
