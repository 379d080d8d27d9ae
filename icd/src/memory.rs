//! Device memory (chapter "Memory Allocation"). Memory is the host's own: always mapped, always coherent.

use crate::entry::{Call, Fail, SUCCESS, entry};
use crate::handle::{self, Object};
use ash::vk;
use std::ffi::c_void;
use std::sync::Arc;
use wavepipe_runtime as runtime;

pub struct Memory {
    pub runtime: Arc<runtime::Memory>,
}

impl Object for Memory {
    type Handle = vk::DeviceMemory;
}

impl Call {
    pub fn memory(&self, handle: vk::DeviceMemory) -> &Arc<runtime::Memory> {
        &self.get::<Memory>(handle).runtime
    }
}

entry! { call;
    fn vkAllocateMemory(
        device: vk::Device,
        info: *const vk::MemoryAllocateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::DeviceMemory,
    ) -> vk::Result {
        let info = call.read(info);
        let runtime = runtime::Memory::allocate(&call.device(device).runtime, info.allocation_size)?;
        call.write(out, handle::create(Memory { runtime }));
        SUCCESS
    }

    fn vkFreeMemory(device: vk::Device, memory: vk::DeviceMemory, _allocator: *const vk::AllocationCallbacks<'_>) {
        call.destroy::<Memory>(memory);
    }

    fn vkMapMemory(
        device: vk::Device,
        memory: vk::DeviceMemory,
        offset: vk::DeviceSize,
        size: vk::DeviceSize,
        flags: vk::MemoryMapFlags,
        out: *mut *mut c_void,
    ) -> vk::Result {
        call.device(device);
        let memory = call.memory(memory);
        if offset >= memory.size() || size != vk::WHOLE_SIZE && size > memory.size() - offset {
            let message = format!("bytes {offset}..+{size} are outside of an allocation of {}", memory.size());
            return Err(Fail::new(vk::Result::ERROR_MEMORY_MAP_FAILED, message));
        }
        call.write(out, memory.host_ptr().wrapping_add(offset as usize).cast());
        SUCCESS
    }

    fn vkUnmapMemory(device: vk::Device, memory: vk::DeviceMemory) {}

    fn vkFlushMappedMemoryRanges(
        device: vk::Device,
        count: u32,
        ranges: *const vk::MappedMemoryRange<'_>,
    ) -> vk::Result {
        SUCCESS
    }

    fn vkInvalidateMappedMemoryRanges(
        device: vk::Device,
        count: u32,
        ranges: *const vk::MappedMemoryRange<'_>,
    ) -> vk::Result {
        SUCCESS
    }

    fn vkGetDeviceMemoryCommitment(device: vk::Device, memory: vk::DeviceMemory, committed: *mut vk::DeviceSize) {
        call.write(committed, call.memory(memory).size());
    }

    /// Capture and replay of addresses is not supported; 0 says so.
    fn vkGetDeviceMemoryOpaqueCaptureAddress(
        device: vk::Device,
        info: *const vk::DeviceMemoryOpaqueCaptureAddressInfo<'_>,
    ) -> u64 {
        0
    }
}
