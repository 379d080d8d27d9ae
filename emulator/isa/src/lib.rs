//! The vocabulary of RDNA: one row per instruction, and everything that reads rows.
//!
//! - [`row`]: what a row says. [`insts`]: the rows, one file a family, one line an instruction. [`alu::body`]: pure meanings, of `wavepipe-alu`.
//! - [`generation`]: the columns of the table, and what each generation can do.
//! - [`reg`] and [`instr`]: operands and one decoded instruction. [`image`]: registers of image operands. [`mod@format`]: typed memory.
//! - [`encode`], [`decode`], [`asm`], [`disasm`]: all four walk the same rows and the same field layouts,
//!   and one lens for each field of modifiers reads, writes and validates it.
//! - [`bits`]: how a row's instruction lies in its bits.
//! - [`cache`]: what an instruction tells the caches, and the bits that say it.
//! - [`coverage`]: what each row has been held against.
//! - [`legal`]: what operand slots and forms take, and which registers an instruction reads and writes.
//! - [`flow`]: where control goes behind an instruction.
//! - [`hazard`]: sequences that the silicon gets wrong: the table, and a checker over bytes.
//! - [`partial`]: which bits of a result depend on what never got a value.
//! - [`pseudo`]: bodies as text, and the text's own answers.
//! - [`reference`]: one lane at a time, any MODE: for constant folding and tests.
//! - [`sample`]: a plain instruction of every row and form.
//! - [`saturate`]: integer results under clamp.
//! - [`wait`]: wait counters, what counts on them, and what wait instructions wait for.
//! - [`alu`]: the small algebra that bodies are written in; an [`alu::Engine`] turns every row into what it needs
//!   (interpreter function, reference, folder, documentation) by [`insts::instantiate`].
//! - [`fenv`]: the host's floating-point environment, which no meaning may depend on.
//!
//! Invariant: this crate knows no wave, no memory and no engine. Invariant: no meaning depends on a mnemonic's spelling.

pub mod alu;
pub mod asm;
pub mod bits;
pub mod cache;
pub mod coverage;
pub mod decode;
pub mod disasm;
pub mod encode;
mod export;
pub mod fenv;
mod field;
pub mod find;
pub mod flow;
pub mod format;
pub mod generation;
pub mod hazard;
pub mod image;
pub mod instr;
pub mod insts;
mod layout;
pub mod legal;
mod op;
pub mod partial;
pub mod pseudo;
pub mod reference;
pub mod reg;
pub mod row;
pub mod sample;
pub mod saturate;
#[doc(hidden)]
pub mod tested;
pub mod wait;
pub mod watch;

pub use generation::{Caps, Dpp, Gen};
pub use instr::Instr;
pub use insts::Op;
pub use reg::Src;
