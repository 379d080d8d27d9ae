//! The emulated GPU: memory, command processor, work-group placement, waves, execution.
//!
//! Host threads: `workers` has them all. Whichever is free runs the command processor, and work-groups
//! otherwise; there is no thread per queue.

// Bit fields read as in the hardware documents: shift, mask, or. A lane loop's index names several rows and mask bits.
#![allow(clippy::precedence, clippy::needless_range_loop)]

pub mod bench;
pub mod config;
pub mod cp;
pub mod dispatch;
mod doorbells;
pub mod example;
pub mod gds;
mod gpu;
mod idle;
mod machine;
pub mod memory;
pub mod policy;
mod process;
mod queue;
mod sync;
#[doc(hidden)]
pub mod tested;
pub mod timed;
pub mod wave;
mod workers;

pub use config::{Config, GuestChecks, OutOfLds};
pub use dispatch::waves_per_simd;
pub use gpu::{Gpu, Statistics};
pub use policy::Policy;
