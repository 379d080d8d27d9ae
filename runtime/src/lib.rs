//! Vulkan-like objects in safe Rust over the emulated GPU
