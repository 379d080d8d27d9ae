//! Commands that draw, or touch images. No queue family has VK_QUEUE_GRAPHICS_BIT and no format supports images, so no valid
//! program records them; one that does is told by vkEndCommandBuffer. Commands that only set state set nothing.

use crate::entry::{Call, entry};
use ash::vk;

const NO_GRAPHICS: &str = "graphics commands are not supported: no queue family has VK_QUEUE_GRAPHICS_BIT";
const NO_IMAGES: &str = "image commands are not supported: no format has the features for it";

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

    fn vkCmdCopyImage(
        commands: vk::CommandBuffer,
        src_image: vk::Image,
        src_image_layout: vk::ImageLayout,
        dst_image: vk::Image,
        dst_image_layout: vk::ImageLayout,
        region_count: u32,
        regions: *const vk::ImageCopy,
    ) {
        refuse(call, commands, NO_IMAGES);
    }

    fn vkCmdBlitImage(
        commands: vk::CommandBuffer,
        src_image: vk::Image,
        src_image_layout: vk::ImageLayout,
        dst_image: vk::Image,
        dst_image_layout: vk::ImageLayout,
        region_count: u32,
        regions: *const vk::ImageBlit,
        filter: vk::Filter,
    ) {
        refuse(call, commands, NO_IMAGES);
    }

    fn vkCmdCopyBufferToImage(
        commands: vk::CommandBuffer,
        src_buffer: vk::Buffer,
        dst_image: vk::Image,
        dst_image_layout: vk::ImageLayout,
        region_count: u32,
        regions: *const vk::BufferImageCopy,
    ) {
        refuse(call, commands, NO_IMAGES);
    }

    fn vkCmdCopyImageToBuffer(
        commands: vk::CommandBuffer,
        src_image: vk::Image,
        src_image_layout: vk::ImageLayout,
        dst_buffer: vk::Buffer,
        region_count: u32,
        regions: *const vk::BufferImageCopy,
    ) {
        refuse(call, commands, NO_IMAGES);
    }

    fn vkCmdClearColorImage(
        commands: vk::CommandBuffer,
        image: vk::Image,
        image_layout: vk::ImageLayout,
        color: *const vk::ClearColorValue,
        range_count: u32,
        ranges: *const vk::ImageSubresourceRange,
    ) {
        refuse(call, commands, NO_IMAGES);
    }

    fn vkCmdClearDepthStencilImage(
        commands: vk::CommandBuffer,
        image: vk::Image,
        image_layout: vk::ImageLayout,
        depth_stencil: *const vk::ClearDepthStencilValue,
        range_count: u32,
        ranges: *const vk::ImageSubresourceRange,
    ) {
        refuse(call, commands, NO_IMAGES);
    }

    fn vkCmdClearAttachments(
        commands: vk::CommandBuffer,
        attachment_count: u32,
        attachments: *const vk::ClearAttachment,
        rect_count: u32,
        rects: *const vk::ClearRect,
    ) {
        refuse(call, commands, NO_GRAPHICS);
    }

    fn vkCmdResolveImage(
        commands: vk::CommandBuffer,
        src_image: vk::Image,
        src_image_layout: vk::ImageLayout,
        dst_image: vk::Image,
        dst_image_layout: vk::ImageLayout,
        region_count: u32,
        regions: *const vk::ImageResolve,
    ) {
        refuse(call, commands, NO_IMAGES);
    }

    fn vkCmdBeginRenderPass(
        commands: vk::CommandBuffer,
        render_pass_begin: *const vk::RenderPassBeginInfo<'_>,
        contents: vk::SubpassContents,
    ) {
        refuse(call, commands, NO_GRAPHICS);
    }

    fn vkCmdNextSubpass(commands: vk::CommandBuffer, contents: vk::SubpassContents) {}

    fn vkCmdEndRenderPass(commands: vk::CommandBuffer) {}
}
