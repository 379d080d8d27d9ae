//! The tests of this folder as one program, a module for each file: what they link is linked once. Programs of their own have those
//! that share no process with others; Cargo.toml names them.

mod common;
#[path = "../../tests/src/host_time.rs"]
mod host_time;
#[path = "../../tests/src/split_mix.rs"]
mod split_mix;

mod caches;
mod config;
mod descriptors;
mod engines;
mod explain;
mod faults;
mod findings;
mod formats;
mod gathers;
mod gpu;
mod hsa;
mod images;
mod locks;
mod mappings;
mod meta;
mod ordering;
mod packets;
mod printf;
mod rings;
mod shaders;
mod swapchain;
mod timing;
mod traces;
mod transfers;
