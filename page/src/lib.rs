//! A shader as one page: what its machine code says of itself, what the machine makes of it, and what the clock counted.
//!
//! ```text
//! CodeObject, Machine, sources, ir ──► Sheet ──► text  (`wavepipe isa`)
//! what the clock counted (Run) ────────┘   └───► json  (versioned), html (one file)
//!                            two Sheets ──► Comparison ──► text, json, html
//! ```
//!
//! - [`sheet`]: the model. [`make`]: how it is made of a code object.
//! - [`occupancy`]: waves of a SIMD, what limits them, and what the next step would take.
//! - [`margin`]: places for the arrows beside code.
//! - [`compare`]: two sheets, line by line.
//! - [`text`], [`json`], [`html`]: what is made of them.
//!
//! Invariant: no file, no clock and no device is asked here; everything comes in as values, so it works in a browser too.

pub mod compare;
pub mod html;
pub mod json;
pub mod make;
pub mod margin;
pub mod occupancy;
pub mod sheet;
pub mod text;

pub use compare::Comparison;
pub use make::{Input, SourceText};
pub use sheet::{Run, Sheet};
