//! The tests of this folder as one program, a module for each file: what they link is linked once. Programs of their own have those
//! that share no process with others; Cargo.toml names them.

mod course;
mod documents;
mod expect;
mod files;
mod held;
mod job;
mod lets;
mod members;
mod memory;
mod npy;
mod shaders;
mod texel;
