//! What instructions compute: the algebra, and the bodies that are written in it, each once.
//!
//! A body is generic over [`Alu`], so one text serves the whole-wave interpreter, host code, the one-lane reference, the constant folder
//! and the documentation. A row of `wavepipe-isa` names its body; [`body::visit_vector_bodies`] lists those of vector instructions, so
//! that `wavepipe-lanes` can compile them without knowing a row.
//!
//! - [`Alu`], in `algebra.rs`: the operations. [`Nearest`] evaluates them as a Vulkan launch does, [`Host`] for any MODE,
//!   [`Partial`] on values of which some bits are undefined. [`soft`]: float formats by bits.
//! - [`Lane`], [`Compare`], [`Carry`], [`Wide`], [`WideCarry`]: the kinds of bodies, by sources and results.
//! - [`body`]: the bodies.
//! - [`Lanes`]: a value of each of 32 lanes.
//!
//! Invariant: this crate depends on nothing, so that what is compiled from it is compiled again only if a meaning changes.

// Bit fields read as in the hardware documents: shift, mask, or.
#![allow(clippy::precedence)]

mod algebra;
pub mod body;
mod lanes;

pub use algebra::{
    Alu, Bits, Carry, Compare, FpMode, Host, Lane, Nearest, Partial, Truth, Wide, WideCarry, f16_bits, soft,
};
pub use lanes::Lanes;
