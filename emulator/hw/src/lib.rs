//! The hardware/software interface: everything that the driver and the GPU must agree on and nothing that only
//! one of them knows.
//!
//! Invariant: no behaviour lives here. A type is a layout in memory, a packet, a register image, or the
//! [`port::GpuPort`] contract; `core` implements the far side, `runtime` and `compiler` write to the near side. ([`mod@file`]
//! and [`spelling`] serve the machine descriptions, and whoever else reads what a user names.)

// Bit fields read as in the hardware documents: shift, mask, or.
#![allow(clippy::precedence)]

pub mod code;
pub mod descriptor;
pub mod fault;
pub mod file;
pub mod finding;
pub mod given;
pub mod hsa;
pub mod launch;
pub mod machine;
pub mod observe;
pub mod order;
pub mod perf;
pub mod pipe;
pub mod placed;
pub mod pm4;
pub mod port;
pub mod register;
pub mod rsrc;
pub mod site;
pub mod spelling;
pub mod surface;
#[doc(hidden)]
pub mod tested;
pub mod touched;
pub mod undefined;
pub mod variable;
