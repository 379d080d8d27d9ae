//! Commands that draw. There are no graphics pipelines, so no valid program records them; one that does is told by
//! vkEndCommandBuffer. Commands that only set state set nothing.

use crate::entry::{Call, entry};
use ash::vk;

const NO_GRAPHICS: &str = "drawing is not supported: there are no graphics pipelines";

fn refuse(call: &Call, commands: vk::CommandBuffer, why: &str) {
    call.recorder(commands).refuse(why);
}

entry! { call;
    fn vkCmdSetViewport(
        commands: vk::CommandBuffer,
        first_viewport: u32,
        viewport_count: u32,
        viewports: *const vk::Viewport,
    ) {}

    fn vkCmdSetScissor(
        commands: vk::CommandBuffer,
        first_scissor: u32,
        scissor_count: u32,
        scissors: *const vk::Rect2D,
    ) {}

    fn vkCmdSetLineWidth(commands: vk::CommandBuffer, line_width: f32) {}

    fn vkCmdSetDepthBias(
        commands: vk::CommandBuffer,
        depth_bias_constant_factor: f32,
        depth_bias_clamp: f32,
        depth_bias_slope_factor: f32,
    ) {}

    fn vkCmdSetBlendConstants(commands: vk::CommandBuffer, blend_constants: *const [f32; 4]) {}

    fn vkCmdSetDepthBounds(commands: vk::CommandBuffer, min_depth_bounds: f32, max_depth_bounds: f32) {}

    fn vkCmdSetStencilCompareMask(
        commands: vk::CommandBuffer,
        face_mask: vk::StencilFaceFlags,
        compare_mask: u32,
    ) {}

    fn vkCmdSetStencilWriteMask(
        commands: vk::CommandBuffer,
        face_mask: vk::StencilFaceFlags,
        write_mask: u32,
    ) {}

    fn vkCmdSetStencilReference(commands: vk::CommandBuffer, face_mask: vk::StencilFaceFlags, reference: u32) {}

    fn vkCmdBindIndexBuffer(
        commands: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        index_type: vk::IndexType,
    ) {}

    fn vkCmdBindIndexBuffer2KHR(
        commands: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        size: vk::DeviceSize,
        index_type: vk::IndexType,
    ) {}

    fn vkCmdBindVertexBuffers(
        commands: vk::CommandBuffer,
        first_binding: u32,
        binding_count: u32,
        buffers: *const vk::Buffer,
        offsets: *const vk::DeviceSize,
    ) {}

    fn vkCmdDraw(
        commands: vk::CommandBuffer,
        vertex_count: u32,
        instance_count: u32,
        first_vertex: u32,
        first_instance: u32,
    ) {
        refuse(call, commands, NO_GRAPHICS);
    }

    fn vkCmdDrawIndexed(
        commands: vk::CommandBuffer,
        index_count: u32,
        instance_count: u32,
        first_index: u32,
        vertex_offset: i32,
        first_instance: u32,
    ) {
        refuse(call, commands, NO_GRAPHICS);
    }

    fn vkCmdDrawIndirect(
        commands: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        draw_count: u32,
        stride: u32,
    ) {
        refuse(call, commands, NO_GRAPHICS);
    }

    fn vkCmdDrawIndexedIndirect(
        commands: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        draw_count: u32,
        stride: u32,
    ) {
        refuse(call, commands, NO_GRAPHICS);
    }

    fn vkCmdDrawIndirectCount(
        commands: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        count_buffer: vk::Buffer,
        count_offset: vk::DeviceSize,
        max_draw_count: u32,
        stride: u32,
    ) {
        refuse(call, commands, NO_GRAPHICS);
    }

    fn vkCmdDrawIndexedIndirectCount(
        commands: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        count_buffer: vk::Buffer,
        count_offset: vk::DeviceSize,
        max_draw_count: u32,
        stride: u32,
    ) {
        refuse(call, commands, NO_GRAPHICS);
    }
}
