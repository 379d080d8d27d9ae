//! The tests of this folder as one program, a module for each file: what they link is linked once. Programs of their own have those
//! that share no process with others; Cargo.toml names them.

#[path = "../../../fuzz/body.rs"]
mod body;
mod common;
#[path = "../../../tests/src/split_mix.rs"]
mod split_mix;

mod cache;
mod columns;
mod constants;
mod corpus;
mod counters;
mod coverage;
mod division;
mod engines;
#[cfg(target_arch = "x86_64")]
mod fenv;
mod find;
mod format_codes;
mod formats;
mod fuzz;
mod gcn;
mod generations;
mod golden;
mod hazards;
mod labels;
mod laws;
mod modifiers;
mod partial;
mod pseudo;
mod samples;
mod trans;
mod waits;
mod watched;
