//! The tests of this folder as one program, a module for each file: what they link is linked once. Programs of their own have those
//! that share no process with others; Cargo.toml names them.

mod common;

mod cadence;
mod counters;
mod issue;
mod kernels;
mod machine;
mod memory_chase;
mod memory_lds;
mod memory_paths;
mod memory_peaks;
mod memory_plain;
mod order;
mod rdna2;
mod trace;
