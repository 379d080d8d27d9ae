//! SPIR-V → structured SSA [`ir`] → [`mir`] → gfx1010 code object.
//!
//! Contract: [`compile`] never panics on any input; what it cannot translate is a [`error::CompileError`] that names the
//! instruction, its word offset, its source line when there is one, and what is missing.

pub mod error;
pub mod ir;
pub mod opt;
pub mod spirv;
