//! The tests of this folder as one program, a module for each file: what they link is linked once. Programs of their own have those
//! that share no process with others; Cargo.toml names them.

mod common;

mod agenda;
mod cadence;
mod counters;
mod issue;
mod issues;
mod kernels;
mod machine;
mod memory;
mod memory_chase;
mod memory_lds;
mod memory_paths;
mod memory_peaks;
mod memory_plain;
mod order;
mod rdna2;
mod tally;
mod timeline;
mod trace;
mod trace_parts;
