//! The tests of this folder as one program, a module for each file: what they link is linked once. Programs of their own have those
//! that share no process with others; Cargo.toml names them.

mod common;
mod lab;
#[path = "../../tests/src/split_mix.rs"]
mod split_mix;

mod clocks;
mod commands;
mod compute;
mod debug_printf;
mod divergent_barrier;
mod engines;
mod entry_points;
mod float_environment;
mod format_uses;
mod formats;
mod host_memory;
mod image_blits;
mod image_copies;
mod library;
mod loader;
mod machines;
mod mark;
mod performance;
mod render_passes;
mod requirements;
mod sampling;
mod scopes;
mod shader_features;
mod storage_images;
mod timing;
