//! Vulkan-like objects in safe Rust over the emulated GPU.
//!
//! ```text
//! Device ── Memory, Buffer ── DescriptorSetLayout, DescriptorPool, DescriptorSet ── PipelineLayout
//!   │                                                                                  │
//!   ├─ ShaderModule ───────────────────────────────────────────────────────► ComputePipeline
//!   ├─ CommandBuffer ── end() ──► Recording ──► Queue::submit ──► ring, doorbell ──► GPU
//!   └─ Fence, Semaphore, Event, QueryPool: values in GPU memory
//! ```
//!
//! # Contract
//! - The GPU is reached through [`hw::port::GpuPort`] alone: memory, packets in rings, doorbells, interrupts.
//! - Objects hold what they need: a submission keeps its command buffers, those their pipelines, sets and buffers. Memory
//!   that is dropped while the GPU has work is given back when that work is over. So no order of drops is unsafe.
//! - A fault of guest code loses the device ([`Error::DeviceLost`], with the report); the process, and other devices,
//!   go on. Waiters wake.
//! - Objects of one device only go together. Names and rules are Vulkan's where nothing else is said; the runtime checks
//!   what would hurt itself, not all that a validation layer checks.
//!
//! [`hsa`] loads and launches code objects that other compilers made for this machine.
//!
//! [`simple::Session`] is the short way from SPIR-V and bytes to bytes.

mod bus;
mod cache;
mod clock;
mod command;
mod config;
pub mod coverage;
pub mod covered;
mod descriptor;
mod device;
pub mod engines;
mod error;
mod estimate;
mod executable;
pub mod explain;
#[cfg_attr(target_family = "wasm", path = "external/absent.rs")]
mod external;
pub mod findings;
mod format;
mod gate;
mod heap;
mod host;
pub mod hsa;
mod image;
mod lock;
pub mod machine;
mod mappings;
mod memory;
mod messages;
mod meta;
mod ordering;
mod packets;
mod payload;
mod performance;
mod pipeline;
mod placed;
mod printf;
mod query;
mod queue;
mod sampler;
pub mod simple;
pub mod swapchain;
mod sync;
#[doc(hidden)]
pub mod tested;
mod trace;
mod writers;

pub use cache::{COMPILER, ModuleId, Origin, PipelineCache};
pub use clock::TimeDomain;
pub use command::{Area, BufferCopy, BufferImageCopy, CommandBuffer, ImageBlit, ImageCopy, Recording};
pub use config::{Config, DebugFlags, Environment, HostEngine, Jit, VARIABLES, Variable};
pub use descriptor::{
    Binding, DescriptorPool, DescriptorSet, DescriptorSetLayout, PipelineLayout, SamplerWords, SetLayoutInfo,
};
pub use device::{Device, QueueOptions, Statistics};
pub use error::{Error, Result};
pub use estimate::{Counts, Decoded, counts, decoded};
pub use executable::{Representation, Statistic, instructions};
pub use external::wait_sync_file;
pub use findings::Found;
pub use format::{Aspects, Format, FormatFeatures};
pub use image::{
    BufferView, HostRegion, Image, ImageInfo, ImageKind, ImageLayers, ImageRange, ImageView, ImageViewInfo,
    ImageViewKind, SubresourceLayout, Swizzle,
};
pub use memory::{Buffer, Memory, memory_in_use};
pub use meta::ResolveMode;
pub use ordering::{Dependency, ImageLayout, Scope, Stages, Ways};
pub use performance::{CounterUnit, PERFORMANCE_COUNTERS, PerformanceCounter};
pub use pipeline::{ComputePipeline, PipelineInfo, ShaderModule};
pub use query::{QueryPool, QueryResultFlags};
pub use queue::{Queue, SubmitInfo};
pub use sampler::{AddressMode, Border, CUSTOM_BORDER_COLORS, CompareOp, Filter, Reduction, Sampler, SamplerInfo};
pub use sync::{Event, Fence, Semaphore};
pub use trace::Trace;

pub use wavepipe_compiler as compiler;
pub use wavepipe_compiler::spirv::SpecValue;
/// What users of the runtime need of the rooms below.
pub use wavepipe_core::{GuestChecks, OutOfLds, Policy, bench as rates, waves_per_simd};
pub use wavepipe_flow::listing::{CodeLine, code_lines, disassembly, disassembly_with_registers};
pub use wavepipe_hw as hw;
pub use wavepipe_hw::code::WaveSize;
pub use wavepipe_hw::fault::{FaultKind, GpuFault};
pub use wavepipe_hw::launch::BindingKind;
pub use wavepipe_hw::observe::{Observe, Writer};
pub use wavepipe_hw::port::GlobalPriority;
pub use wavepipe_isa as isa;
pub use wavepipe_isa::fenv;
pub use wavepipe_jit::HostIsa;
pub use wavepipe_timing as timing;
