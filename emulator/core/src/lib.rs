//! The emulated GPU: memory, command processor and ACEs, work-group placement, waves, execution.
//!
//! Host threads: `dispatch::pool` owns them all. Whichever is free runs the command processor, and work-groups
//! otherwise; there is no thread per queue.

pub mod bench;
pub mod config;
pub mod cp;
pub mod dispatch;
mod gpu;
pub mod memory;
pub mod observe;
pub mod wave;

pub use config::Config;
pub use gpu::{Gpu, Statistics};
