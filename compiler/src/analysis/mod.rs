//! Facts about a [`crate::ir::Kernel`], kept beside it.

pub mod defs;
pub mod divergence;
pub mod waves;
