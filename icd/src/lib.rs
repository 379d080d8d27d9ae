//! The Vulkan driver: libvulkan_wavepipe.so
