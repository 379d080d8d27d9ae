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
pub mod gds;
mod gpu;
mod idle;
mod machine;
pub mod memory;
pub mod policy;
mod process;
mod queue;
pub mod timed;
pub mod wave;
mod workers;

/// What idle threads look at and wait by. In its place `tests/idle.rs` puts what tries the threads' steps in every order.
mod sync {
    pub use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
    pub use std::sync::{Condvar, Mutex, MutexGuard};
    pub use std::thread;
    pub use std::time::Instant;
}

pub use config::{Config, GuestChecks, OutOfLds};
pub use dispatch::waves_per_simd;
pub use gpu::{Gpu, Statistics};
pub use policy::Policy;
