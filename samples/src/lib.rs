//! Real compute programs for a Vulkan 1.1 device: what the samples share.
//!
//! A sample is a shader and a short host program, written once against [`Host`] and run through the Vulkan loader
//! ([`vulkan`]) or straight on the runtime ([`direct`]). It computes the same thing plainly on the CPU and compares.

pub mod answer;
pub mod data;
pub mod direct;
pub mod host;
pub mod kernel;
pub mod picture;
pub mod program;
pub mod scene;
pub mod steady;
pub mod vulkan;
pub mod window;

pub use answer::{Answer, Tolerance};
pub use host::{Binding, BufferId, Error, Host, PipelineId, Shader, Step};
pub use kernel::{Kernel, main_of_kernels};
pub use program::{Sample, main};
pub use scene::{Frames, Scene, main_with_window};
pub use steady::Work;

/// The SPIR-V bytes of `NAME.{wgsl,comp}` in a sample's folder, as built.
#[macro_export]
macro_rules! spirv {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".spv"))
    };
}
