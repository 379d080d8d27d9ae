//! Copies, fills and updates of buffers (chapters "Copy Commands" and "Clear Commands").

use crate::entry::entry;
use ash::vk;
use std::ffi::c_void;
use wavepipe_runtime::BufferCopy;

entry! { call;
    fn vkCmdCopyBuffer(
        commands: vk::CommandBuffer,
        source: vk::Buffer,
        dest: vk::Buffer,
        count: u32,
        regions: *const vk::BufferCopy,
    ) {
        let region =
            |r: &vk::BufferCopy| BufferCopy { source_offset: r.src_offset, dest_offset: r.dst_offset, size: r.size };
        let regions: Vec<_> = call.slice(regions, count).iter().map(region).collect();
        call.recorder(commands).commands.copy_buffer(call.buffer(source), call.buffer(dest), &regions);
    }

    fn vkCmdUpdateBuffer(
        commands: vk::CommandBuffer,
        dest: vk::Buffer,
        offset: vk::DeviceSize,
        size: vk::DeviceSize,
        data: *const c_void,
    ) {
        call.recorder(commands).commands.update_buffer(call.buffer(dest), offset, call.bytes(data, size as usize));
    }

    fn vkCmdFillBuffer(
        commands: vk::CommandBuffer,
        dest: vk::Buffer,
        offset: vk::DeviceSize,
        size: vk::DeviceSize,
        value: u32,
    ) {
        let size = (size != vk::WHOLE_SIZE).then_some(size);
        call.recorder(commands).commands.fill_buffer(call.buffer(dest), offset, size, value);
    }
}
