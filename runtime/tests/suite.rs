//! The tests of this folder as one program, a module for each file: what they link is linked once. Programs of their own have those
//! that share no process with others; Cargo.toml names them.

mod common;
#[path = "../../tests/src/host_time.rs"]
mod host_time;
#[path = "../../tests/src/split_mix.rs"]
mod split_mix;

mod descriptors;
mod explain;
mod faults;
mod gathers;
mod gpu;
mod hsa;
mod images;
mod packets;
mod shaders;
mod swapchain;
mod timing;
