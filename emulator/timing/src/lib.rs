//! Cycles: the machine on a clock. It says when everything happens, and never changes a result.
//!
//! - [`engine`]: waves, SIMDs, dispatchers and the command processor, by cycle.
//! - [`memory`]: caches, LDS, translation, memory and links: when an access is done.
//! - [`observe`]: events for traces and timelines; [`trace`]: traces as files.
//! - [`lab`]: one kernel on an idle machine; [`sequence`]: the issue cycles of a few instructions.
//! - [`published`]: what others measured.

// A lane loop's index names several arrays and mask bits.
#![allow(clippy::needless_range_loop)]

pub mod engine;
pub mod lab;
pub mod memory;
pub mod observe;
pub mod published;
pub mod reason;
pub mod sequence;
#[doc(hidden)]
pub mod tested;
pub mod trace;

pub use engine::{DispatchReport, Engine, Options};
