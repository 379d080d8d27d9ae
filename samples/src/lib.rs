//! Real compute programs, each run through the runtime and through the Vulkan loader
