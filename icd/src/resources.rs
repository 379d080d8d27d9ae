//! Buffers and buffer views (chapter "Resource Creation").

use crate::entry::{Call, Fail, Outcome, SUCCESS, entry, machine_info};
use crate::handle::{self, Object};
use crate::physical_device::MEMORY_TYPE_BITS;
use ash::vk;
use std::ffi::c_void;
use std::sync::Arc;
use wavepipe_runtime as runtime;
use wavepipe_runtime::machine;

pub struct Buffer {
    pub runtime: Arc<runtime::Buffer>,
}

impl Object for Buffer {
    type Handle = vk::Buffer;
}

pub struct BufferView {
    pub runtime: Arc<runtime::BufferView>,
}

impl Object for BufferView {
    type Handle = vk::BufferView;
}

/// Memory that a buffer of `bytes` needs.
fn requirements(bytes: u64) -> vk::MemoryRequirements {
    let alignment = machine::LIMITS.buffer_alignment;
    let size = bytes.checked_next_multiple_of(alignment).unwrap_or(u64::MAX);
    vk::MemoryRequirements { size, alignment, memory_type_bits: MEMORY_TYPE_BITS }
}

impl Call {
    pub fn buffer(&self, handle: vk::Buffer) -> &Arc<runtime::Buffer> {
        &self.get::<Buffer>(handle).runtime
    }

    fn bind_buffer(&self, buffer: vk::Buffer, memory: vk::DeviceMemory, offset: u64) -> Result<(), Fail> {
        Ok(self.buffer(buffer).bind(self.memory(memory).clone(), offset)?)
    }

    /// Tries every binding of a batch and writes its VkBindMemoryStatus, if it has one; the first failure is the batch's.
    pub fn bind_each(&self, bound: impl Iterator<Item = (*const c_void, Result<(), Fail>)>) -> Outcome {
        let mut outcome = SUCCESS;
        for (next, bound) in bound {
            if let Some(status) = self.find::<vk::BindMemoryStatusKHR<'_>>(next) {
                let result = bound.as_ref().map_or_else(|fail| fail.result, |()| vk::Result::SUCCESS);
                self.write(status.p_result, result);
            }
            outcome = outcome.and_then(|all| bound.map(|()| all));
        }
        outcome
    }

    fn buffer_requirements(&self, buffer: vk::Buffer) -> vk::MemoryRequirements {
        requirements(self.buffer(buffer).size())
    }

    pub fn fill_dedicated(&self, requirements: &vk::MemoryRequirements2<'_>) {
        self.fill_chain(requirements.p_next, |link| {
            link.fill::<vk::MemoryDedicatedRequirements<'_>>(|d| {
                d.prefers_dedicated_allocation = vk::FALSE;
                d.requires_dedicated_allocation = vk::FALSE;
            });
        });
    }
}

entry! { call;
    fn vkCreateBuffer(
        device: vk::Device,
        info: *const vk::BufferCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Buffer,
    ) -> vk::Result {
        let (size, most) = (call.read(info).size, machine_info().memory_bytes);
        if size > most {
            let message = format!("a buffer of {size} bytes: maxBufferSize is {most}");
            return Err(Fail::new(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, message));
        }
        let runtime = runtime::Buffer::new(&call.device(device).runtime, size);
        call.write(out, handle::create(Buffer { runtime }));
        SUCCESS
    }

    fn vkDestroyBuffer(device: vk::Device, buffer: vk::Buffer, _allocator: *const vk::AllocationCallbacks<'_>) {
        if let Some(buffer) = call.destroy::<Buffer>(buffer) {
            buffer.runtime.give_up();
        }
    }

    fn vkGetBufferMemoryRequirements(
        device: vk::Device,
        buffer: vk::Buffer,
        requirements: *mut vk::MemoryRequirements,
    ) {
        call.write(requirements, call.buffer_requirements(buffer));
    }

    fn vkGetBufferMemoryRequirements2(
        device: vk::Device,
        info: *const vk::BufferMemoryRequirementsInfo2<'_>,
        requirements: *mut vk::MemoryRequirements2<'_>,
    ) {
        let requirements = call.out(requirements);
        requirements.memory_requirements = call.buffer_requirements(call.read(info).buffer);
        call.fill_dedicated(requirements);
    }

    fn vkGetDeviceBufferMemoryRequirements(
        device: vk::Device,
        info: *const vk::DeviceBufferMemoryRequirements<'_>,
        out: *mut vk::MemoryRequirements2<'_>,
    ) {
        let out = call.out(out);
        out.memory_requirements = requirements(call.read(call.read(info).p_create_info).size);
        call.fill_dedicated(out);
    }

    fn vkBindBufferMemory(
        device: vk::Device,
        buffer: vk::Buffer,
        memory: vk::DeviceMemory,
        offset: vk::DeviceSize,
    ) -> vk::Result {
        call.device(device);
        call.bind_buffer(buffer, memory, offset)?;
        SUCCESS
    }

    fn vkBindBufferMemory2(
        device: vk::Device,
        count: u32,
        infos: *const vk::BindBufferMemoryInfo<'_>,
    ) -> vk::Result {
        call.device(device);
        call.bind_each(call.slice(infos, count).iter().map(|info| {
            (info.p_next, call.bind_buffer(info.buffer, info.memory, info.memory_offset))
        }))
    }

    fn vkGetBufferDeviceAddress(device: vk::Device, info: *const vk::BufferDeviceAddressInfo<'_>) -> u64 {
        call.buffer(call.read(info).buffer).address()
    }

    /// Capture and replay of addresses is not supported; 0 says so.
    fn vkGetBufferOpaqueCaptureAddress(device: vk::Device, info: *const vk::BufferDeviceAddressInfo<'_>) -> u64 {
        0
    }

    fn vkCreateBufferView(
        device: vk::Device,
        info: *const vk::BufferViewCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::BufferView,
    ) -> vk::Result {
        call.device(device);
        let info = call.read(info);
        let range = (info.range != vk::WHOLE_SIZE).then_some(info.range);
        let format = crate::images::format(info.format);
        let runtime = runtime::BufferView::new(call.buffer(info.buffer), format, info.offset, range)?;
        call.write(out, handle::create(BufferView { runtime }));
        SUCCESS
    }

    fn vkDestroyBufferView(
        device: vk::Device,
        view: vk::BufferView,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<BufferView>(view);
    }
}
