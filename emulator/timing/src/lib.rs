//! Cycles: consumes what the execution does and says when it happens. It never changes a result.
//!
//! - [`figures`]: the machine's numbers, each with its source.
//! - [`memory`]: caches, LDS, memory: when an access is served.
//! - [`issue`]: when each instruction of a straight sequence issues on an otherwise idle SIMD.

pub mod figures;
pub mod issue;
pub mod memory;
