//! Tests of compute shaders, on an emulated Radeon.

pub mod bind;
pub mod contents;
pub mod data;
pub mod element;
pub mod expect;
pub mod failure;
pub mod findings;
pub mod job;
pub mod npy;
pub mod picture;
pub mod shader;
pub mod texel;
pub mod view;
pub mod work;

pub use failure::{Failure, Result};
pub use shader::Shader;
