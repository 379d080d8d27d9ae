//! Commands that draw, and those that only set state for it. There are no graphics pipelines, so no valid program draws; one
//! that does is told by vkEndCommandBuffer. State is set for nothing.

use crate::entry::entry;
use ash::vk;

const NO_GRAPHICS: &str = "drawing is not supported: there are no graphics pipelines";

/// Commands that do nothing.
macro_rules! ignored {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?);)*) => {
        entry! { call; $(fn $name(commands: vk::CommandBuffer, $($arg: $ty),*) {})* }
    };
}

/// Commands that no command buffer can hold.
macro_rules! refused {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?);)*) => {
        entry! { call; $(fn $name(commands: vk::CommandBuffer, $($arg: $ty),*) {
            call.recorder(commands).refuse(NO_GRAPHICS);
        })* }
    };
}

ignored! {
    fn vkCmdSetViewport(first_viewport: u32, viewport_count: u32, viewports: *const vk::Viewport);
    fn vkCmdSetScissor(first_scissor: u32, scissor_count: u32, scissors: *const vk::Rect2D);
    fn vkCmdSetLineWidth(line_width: f32);
    fn vkCmdSetDepthBias(depth_bias_constant_factor: f32, depth_bias_clamp: f32, depth_bias_slope_factor: f32);
    fn vkCmdSetBlendConstants(blend_constants: *const [f32; 4]);
    fn vkCmdSetDepthBounds(min_depth_bounds: f32, max_depth_bounds: f32);
    fn vkCmdSetStencilCompareMask(face_mask: vk::StencilFaceFlags, compare_mask: u32);
    fn vkCmdSetStencilWriteMask(face_mask: vk::StencilFaceFlags, write_mask: u32);
    fn vkCmdSetStencilReference(face_mask: vk::StencilFaceFlags, reference: u32);
    fn vkCmdBindIndexBuffer(buffer: vk::Buffer, offset: vk::DeviceSize, index_type: vk::IndexType);
    fn vkCmdBindIndexBuffer2KHR(
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        size: vk::DeviceSize,
        index_type: vk::IndexType,
    );
    fn vkCmdBindVertexBuffers(
        first_binding: u32,
        binding_count: u32,
        buffers: *const vk::Buffer,
        offsets: *const vk::DeviceSize,
    );
}

refused! {
    fn vkCmdDraw(vertex_count: u32, instance_count: u32, first_vertex: u32, first_instance: u32);
    fn vkCmdDrawIndexed(
        index_count: u32,
        instance_count: u32,
        first_index: u32,
        vertex_offset: i32,
        first_instance: u32,
    );
    fn vkCmdDrawIndirect(buffer: vk::Buffer, offset: vk::DeviceSize, draw_count: u32, stride: u32);
    fn vkCmdDrawIndexedIndirect(buffer: vk::Buffer, offset: vk::DeviceSize, draw_count: u32, stride: u32);
    fn vkCmdDrawIndirectCount(
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        count_buffer: vk::Buffer,
        count_offset: vk::DeviceSize,
        max_draw_count: u32,
        stride: u32,
    );
    fn vkCmdDrawIndexedIndirectCount(
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        count_buffer: vk::Buffer,
        count_offset: vk::DeviceSize,
        max_draw_count: u32,
        stride: u32,
    );
}
