//! Clears (chapter "Clear Commands").

use crate::entry::{Call, entry};
use crate::images::{aspects, count};
use crate::scopes::layout;
use ash::vk;
use wavepipe_runtime as runtime;
use wavepipe_runtime::{Aspects, ImageRange};

fn ranges(call: &Call, image: &runtime::Image, ranges: *const vk::ImageSubresourceRange, n: u32) -> Vec<ImageRange> {
    call.slice(ranges, n).iter().map(|r| image_range(image, r)).collect()
}

/// With no "rest".
pub fn image_range(image: &runtime::Image, r: &vk::ImageSubresourceRange) -> ImageRange {
    let info = image.info();
    ImageRange {
        aspects: aspects(r.aspect_mask),
        first_level: r.base_mip_level,
        levels: count(r.level_count, r.base_mip_level, info.levels),
        first_layer: r.base_array_layer,
        layers: count(r.layer_count, r.base_array_layer, info.layers),
    }
}

/// A clear of the current subpass's attachments.
#[derive(Clone, Copy)]
pub struct AttachmentClear {
    /// Which colour attachment; counts for colour alone.
    pub color: u32,
    /// One aspect.
    pub aspect: Aspects,
    /// A colour as registers have it, or depth or stencil in the first word.
    pub value: [u32; 4],
    pub rect: vk::Rect2D,
    pub first_layer: u32,
    pub layers: u32,
}

entry! { call;
    fn vkCmdClearColorImage(
        commands: vk::CommandBuffer,
        image: vk::Image,
        image_layout: vk::ImageLayout,
        color: *const vk::ClearColorValue,
        range_count: u32,
        image_ranges: *const vk::ImageSubresourceRange,
    ) {
        let (image, color) = (call.image(image), call.color_bits(call.read(color)));
        let ranges = ranges(call, image, image_ranges, range_count);
        let mut recorder = call.recorder(commands);
        ranges.iter().for_each(|r| recorder.commands.layout("vkCmdClearColorImage", (image, r), Some(layout(image_layout)), None));
        recorder.commands.clear_color_image(image, color, &ranges);
    }

    fn vkCmdClearDepthStencilImage(
        commands: vk::CommandBuffer,
        image: vk::Image,
        image_layout: vk::ImageLayout,
        value: *const vk::ClearDepthStencilValue,
        range_count: u32,
        image_ranges: *const vk::ImageSubresourceRange,
    ) {
        let (image, value) = (call.image(image), call.read(value));
        let ranges = ranges(call, image, image_ranges, range_count);
        let mut recorder = call.recorder(commands);
        ranges.iter().for_each(|r| recorder.commands.layout("vkCmdClearDepthStencilImage", (image, r), Some(layout(image_layout)), None));
        recorder.commands.clear_depth_stencil_image(image, value.depth, value.stencil, &ranges);
    }

    fn vkCmdClearAttachments(
        commands: vk::CommandBuffer,
        attachment_count: u32,
        attachments: *const vk::ClearAttachment,
        rect_count: u32,
        rects: *const vk::ClearRect,
    ) {
        let mut clears = Vec::new();
        for a in call.slice(attachments, attachment_count) {
            for aspect in aspects(a.aspect_mask).iter() {
                let value = call.clear_value(&a.clear_value, aspect);
                clears.extend(call.slice(rects, rect_count).iter().map(|r| AttachmentClear {
                    color: a.color_attachment,
                    aspect,
                    value,
                    rect: r.rect,
                    first_layer: r.base_array_layer,
                    layers: r.layer_count,
                }));
            }
        }
        call.recorder(commands).clear_attachments(&clears);
    }
}
