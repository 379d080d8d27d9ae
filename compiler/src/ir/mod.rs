//! `ir`: structured, scalar SSA. What SPIR-V becomes and what the machine-independent passes work on.
//!
//! Shape:
//! - One [`Kernel`] is one entry point, with every specialization constant folded. Calls are inlined, but for functions
//!   that would make it too large: those are its [`Kernel::functions`], and [`Op::Call`] runs one.
//! - Values are scalars of 1, 8, 16, 32 or 64 untyped bits; the operation says how the bits are read (as in NIR).
//!   Vectors exist only as the several results of a load and the several operands of a store.
//! - Control flow is a tree of [`Region`]s. There are no phis and no basic blocks: an `If` has results, which each of its
//!   regions gives by `Yield`; a `Loop` has parameters, given at entry and at each `Continue`, and results, given at each
//!   `Break`. A `Block` is a loop that runs once: what `switch` and early `return` become.
//!
//! Invariant: a value is visible in the region that defines it, after its definition, and in regions nested in there,
//! and nowhere else. All flow out of a region is explicit, so what a divergent exit does to a value is explicit too.
//! Invariant: divergence is not in the IR; it is a side table of an analysis.
//! Invariant: an address is bytes. Type layout is gone.

pub mod build;
mod division;
pub mod fold;
mod functions;
mod image;
mod kernel;
pub mod named;
pub(crate) mod names;
pub mod parse;
pub mod print;
mod rules;
pub mod types;
pub mod validate;
pub mod walk;
pub use image::*;
pub use kernel::*;
pub use named::{Mark, Named};
pub use types::*;
