//! The bodies of vector instructions over whole waves, compiled for each set of host instructions.
//!
//! This is most of the emulator's machine code, so it is a crate of its own: it is compiled again if a meaning changes, and not if a
//! row or the emulator does.
//!
//! ```text
//! sources as rows of 32 lanes -> the body, lane by lane, into a local row -> merged under EXEC into the destination
//! ```
//!
//! - [`registers`]: what of a wave's state a body reads and writes. [`operands`]: where it finds its sources and result.
//! - [`shapes`]: the loops over lanes, one for each kind of body. [`table`]: the compiled function of each body.
//! - [`host`]: the sets of host instructions, and which of them this host has.
//!
//! Invariant: nothing here knows a row, a block or memory. `wavepipe-core` puts [`Registers`] and [`Operands`] at the beginning of its
//! waves and operations, so that a [`BodyFn`] is called as any other operation is.

// Bit fields read as in the hardware documents: shift, mask, or. A lane loop's index names several rows and mask bits.
#![allow(clippy::precedence, clippy::needless_range_loop)]

pub mod host;
pub mod operands;
pub mod registers;
pub mod shapes;
pub mod table;

pub use host::Level;
pub use operands::{BodyFn, Operands};
pub use registers::Registers;
