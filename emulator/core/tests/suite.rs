//! The tests of this folder as one program, a module for each file: what they link is linked once. Programs of their own have those
//! that share no process with others; Cargo.toml names them.

mod bench;
mod image;
mod memory;
mod records;
#[path = "../../../tests/src/split_mix.rs"]
mod split_mix;
mod wave;
mod witness;

mod command_processor;
mod dispatch;
mod executable;
mod fuzz;
mod gcn;
mod gcn_memory;
mod global_share;
mod hosted_across;
mod hosted_calls;
mod hosted_counters;
mod hosted_descriptors;
mod hosted_elements;
mod hosted_flags;
mod hosted_launches;
mod hosted_leaving;
mod hosted_loops;
mod hosted_registers;
mod hosted_room;
mod hosted_scratch;
mod hosted_stream;
mod hosted_unwritten;
mod image_access;
mod image_atomic;
mod image_border;
mod image_lanes;
mod image_lavapipe;
mod image_msaa;
mod image_ray;
mod image_sample;
mod image_special;
mod memory_buffer;
mod memory_scalar;
mod memory_share;
mod missing_hazards;
mod missing_waits;
mod never_written;
mod priorities;
mod private;
mod protected;
mod ranges;
mod rates;
mod recorded;
mod thread_trace;
mod urgent;
mod wave_basic;
mod wave_control;
