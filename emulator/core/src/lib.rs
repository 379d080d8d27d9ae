//! The emulated GPU: memory, command processor and ACEs, work-group placement, waves, execution.

pub mod config;
pub mod memory;
pub mod observe;
pub mod wave;

pub use config::Config;
