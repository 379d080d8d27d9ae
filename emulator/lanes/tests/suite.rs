//! Compares every body, compiled for each set of instructions that this host has, with the same body evaluated one lane at a time.

mod bodies;
#[path = "../../../tests/src/split_mix.rs"]
mod split_mix;
