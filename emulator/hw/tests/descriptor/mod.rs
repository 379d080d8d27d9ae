//! Resource descriptors as words, and back.

mod buffer;
mod bvh;
mod image;
mod sampler;
