//! libvulkan_wavepipe.so: the Vulkan driver over `wavepipe-runtime`.
//!
//! Files follow the chapters of the Vulkan specification. An entry point is traced and fenced by [`entry`], casts its
//! arguments, and delegates to the runtime; what a program reads about the device is in [`physical_device`],
//! [`properties`] and [`features`]. [`procs`] lists every command that we have, with the version or extension that
//! brings it: vkGetInstanceProcAddr and vkGetDeviceProcAddr know these and no others.
//!
//! What is reported: Vulkan 1.3 and the extensions of [`extensions`], with a general, a compute and a transfer queue family
//! (see [`physical_device`] for what GRAPHICS means). `WAVEPIPE_WAVE` sets the subgroup size of pipelines that require none,
//! which without it have waves of 64 lanes where they cannot tell,
//! `WAVEPIPE_DEBUG=api` prints every call, `WAVEPIPE_IDENTITY=radeon` shows the emulated card's name and numbers instead of
//! our own, `WAVEPIPE_COMPUTE_ONLY=1` hides GRAPHICS.
//!
//! Failures come with words: through VK_EXT_debug_utils messengers, or on stderr when a program has none.
//!
//! Invariant: nothing is computed here that a program without Vulkan would want too; that belongs to the runtime.
//! Invariant: raw memory of the program is touched in `slices`, `pnext` and `handle` only; functions of its libraries are
//! called in `wsi::foreign` only.

#![allow(clippy::missing_safety_doc)] // Entry points have Vulkan's valid usage as their contract.

mod clears;
mod command_buffers;
mod copies;
mod descriptor_writes;
mod descriptors;
mod device_and_queue;
mod device_fault;
mod dispatch;
mod dynamic_state;
mod entry;
mod extensions;
mod external_sync;
mod features;
mod formats;
mod graphics;
mod handle;
mod host_image_copy;
mod identity;
mod images;
mod instance;
mod limits;
mod loader;
mod mark;
mod memory;
mod newer;
mod performance;
mod physical_device;
mod pipeline_caches;
mod pipeline_executables;
mod pipelines;
mod pnext;
mod private_data;
mod procs;
mod properties;
mod queries;
mod render_pass;
mod rendering;
mod report;
mod resources;
mod samplers;
mod scopes;
mod shaders;
mod slices;
mod synchronization;
#[doc(hidden)]
pub mod tested;
mod timestamps;
mod wsi;

pub use handle::live_objects;
pub use loader::*;
use wsi::{surfaces, swapchains};
