//! The tests of this folder as one program, a module for each file: what they link is linked once. Programs of their own have those
//! that share no process with others; Cargo.toml names them.

#[path = "../../../tests/src/split_mix.rs"]
mod split_mix;

mod hsa;
mod pm4;
mod pm4_generations;
mod registers;
