//! Copies, blits and resolves (chapter "Copy Commands"). A command and its form with 2 differ in the structures of their
//! regions alone, whose fields have the same names.

use crate::entry::{Call, entry};
use crate::images::{aspects, count, extent};
use crate::samplers::filter;
use crate::scopes::layout;
use ash::vk;
use std::ffi::c_void;
use wavepipe_runtime as runtime;
use wavepipe_runtime::{Aspects, BufferCopy, BufferImageCopy, ImageBlit, ImageCopy, ImageLayers};

/// Texels are not before an image's start.
pub fn origin(o: vk::Offset3D) -> [u32; 3] {
    [o.x, o.y, o.z].map(|n| n.max(0) as u32)
}

fn corners(corners: [vk::Offset3D; 2]) -> [[i32; 3]; 2] {
    corners.map(|o| [o.x, o.y, o.z])
}

/// The subresource of one aspect.
pub fn layers(image: &runtime::Image, at: &vk::ImageSubresourceLayers, aspect: Aspects) -> ImageLayers {
    let all = image.info().layers;
    let layers = count(at.layer_count, at.base_array_layer, all);
    ImageLayers { aspect, level: at.mip_level, first: at.base_array_layer, count: layers }
}

/// Source and destination of each aspect that a region names; depth and stencil are planes.
pub fn pairs(
    source: &runtime::Image,
    from: &vk::ImageSubresourceLayers,
    dest: &runtime::Image,
    to: &vk::ImageSubresourceLayers,
) -> Vec<(ImageLayers, ImageLayers)> {
    let aspects = aspects(from.aspect_mask).iter().zip(aspects(to.aspect_mask).iter());
    aspects.map(|(a, b)| (layers(source, from, a), layers(dest, to, b))).collect()
}

macro_rules! buffer_copies {
    ($regions:expr) => {
        $regions
            .iter()
            .map(|r| BufferCopy { source_offset: r.src_offset, dest_offset: r.dst_offset, size: r.size })
            .collect::<Vec<_>>()
    };
}

macro_rules! buffer_image_copies {
    ($image:expr, $regions:expr) => {
        $regions
            .iter()
            .flat_map(|r| {
                let at = &r.image_subresource;
                aspects(at.aspect_mask).iter().map(|aspect| BufferImageCopy {
                    buffer_offset: r.buffer_offset,
                    row_length: r.buffer_row_length,
                    image_height: r.buffer_image_height,
                    layers: layers($image, at, aspect),
                    origin: origin(r.image_offset),
                    extent: extent(r.image_extent),
                })
            })
            .collect::<Vec<_>>()
    };
}

macro_rules! image_copies {
    ($source:expr, $dest:expr, $regions:expr) => {
        $regions
            .iter()
            .flat_map(|r| {
                let pairs = pairs($source, &r.src_subresource, $dest, &r.dst_subresource);
                pairs.into_iter().map(|(source, dest)| ImageCopy {
                    source,
                    source_origin: origin(r.src_offset),
                    dest,
                    dest_origin: origin(r.dst_offset),
                    extent: extent(r.extent),
                })
            })
            .collect::<Vec<_>>()
    };
}

macro_rules! image_blits {
    ($source:expr, $dest:expr, $regions:expr) => {
        $regions
            .iter()
            .flat_map(|r| {
                let pairs = pairs($source, &r.src_subresource, $dest, &r.dst_subresource);
                pairs.into_iter().map(|(source, dest)| ImageBlit {
                    source,
                    source_corners: corners(r.src_offsets),
                    dest,
                    dest_corners: corners(r.dst_offsets),
                })
            })
            .collect::<Vec<_>>()
    };
}

/// Records what a command says of the layouts of an image's parts.
fn say(
    commands: &mut runtime::CommandBuffer,
    command: &'static str,
    image: &runtime::Image,
    parts: impl Iterator<Item = ImageLayers>,
    said: vk::ImageLayout,
) {
    for part in parts {
        commands.layout(command, (image, &part.range()), Some(layout(said)), None);
    }
}

impl Call {
    fn copy_buffer(&self, to: vk::CommandBuffer, source: vk::Buffer, dest: vk::Buffer, regions: &[BufferCopy]) {
        self.recorder(to).commands.copy_buffer(self.buffer(source), self.buffer(dest), regions);
    }
}

entry! { call;
    fn vkCmdCopyBuffer(
        commands: vk::CommandBuffer,
        source: vk::Buffer,
        dest: vk::Buffer,
        count: u32,
        regions: *const vk::BufferCopy,
    ) {
        call.copy_buffer(commands, source, dest, &buffer_copies!(call.slice(regions, count)));
    }

    fn vkCmdCopyBuffer2(commands: vk::CommandBuffer, info: *const vk::CopyBufferInfo2<'_>) {
        let info = call.read(info);
        let regions = buffer_copies!(call.slice(info.p_regions, info.region_count));
        call.copy_buffer(commands, info.src_buffer, info.dst_buffer, &regions);
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

    fn vkCmdCopyImage(
        commands: vk::CommandBuffer,
        source: vk::Image,
        source_layout: vk::ImageLayout,
        dest: vk::Image,
        dest_layout: vk::ImageLayout,
        count: u32,
        regions: *const vk::ImageCopy,
    ) {
        let (source, dest) = (call.image(source), call.image(dest));
        let regions = image_copies!(source, dest, call.slice(regions, count));
        let mut recorder = call.recorder(commands);
        say(&mut recorder.commands, "vkCmdCopyImage", source, regions.iter().map(|r| r.source), source_layout);
        say(&mut recorder.commands, "vkCmdCopyImage", dest, regions.iter().map(|r| r.dest), dest_layout);
        recorder.commands.copy_image(source, dest, &regions);
    }

    fn vkCmdCopyImage2(commands: vk::CommandBuffer, info: *const vk::CopyImageInfo2<'_>) {
        let info = call.read(info);
        let (source, dest) = (call.image(info.src_image), call.image(info.dst_image));
        let regions = image_copies!(source, dest, call.slice(info.p_regions, info.region_count));
        let mut recorder = call.recorder(commands);
        say(&mut recorder.commands, "vkCmdCopyImage2", source, regions.iter().map(|r| r.source), info.src_image_layout);
        say(&mut recorder.commands, "vkCmdCopyImage2", dest, regions.iter().map(|r| r.dest), info.dst_image_layout);
        recorder.commands.copy_image(source, dest, &regions);
    }

    fn vkCmdCopyBufferToImage(
        commands: vk::CommandBuffer,
        source: vk::Buffer,
        dest: vk::Image,
        dest_layout: vk::ImageLayout,
        count: u32,
        regions: *const vk::BufferImageCopy,
    ) {
        let dest = call.image(dest);
        let regions = buffer_image_copies!(dest, call.slice(regions, count));
        let mut recorder = call.recorder(commands);
        say(&mut recorder.commands, "vkCmdCopyBufferToImage", dest, regions.iter().map(|r| r.layers), dest_layout);
        recorder.commands.copy_buffer_to_image(call.buffer(source), dest, &regions);
    }

    fn vkCmdCopyBufferToImage2(commands: vk::CommandBuffer, info: *const vk::CopyBufferToImageInfo2<'_>) {
        let info = call.read(info);
        let dest = call.image(info.dst_image);
        let regions = buffer_image_copies!(dest, call.slice(info.p_regions, info.region_count));
        let mut recorder = call.recorder(commands);
        say(&mut recorder.commands, "vkCmdCopyBufferToImage2", dest, regions.iter().map(|r| r.layers), info.dst_image_layout);
        recorder.commands.copy_buffer_to_image(call.buffer(info.src_buffer), dest, &regions);
    }

    fn vkCmdCopyImageToBuffer(
        commands: vk::CommandBuffer,
        source: vk::Image,
        source_layout: vk::ImageLayout,
        dest: vk::Buffer,
        count: u32,
        regions: *const vk::BufferImageCopy,
    ) {
        let source = call.image(source);
        let regions = buffer_image_copies!(source, call.slice(regions, count));
        let mut recorder = call.recorder(commands);
        say(&mut recorder.commands, "vkCmdCopyImageToBuffer", source, regions.iter().map(|r| r.layers), source_layout);
        recorder.commands.copy_image_to_buffer(source, call.buffer(dest), &regions);
    }

    fn vkCmdCopyImageToBuffer2(commands: vk::CommandBuffer, info: *const vk::CopyImageToBufferInfo2<'_>) {
        let info = call.read(info);
        let source = call.image(info.src_image);
        let regions = buffer_image_copies!(source, call.slice(info.p_regions, info.region_count));
        let mut recorder = call.recorder(commands);
        say(&mut recorder.commands, "vkCmdCopyImageToBuffer2", source, regions.iter().map(|r| r.layers), info.src_image_layout);
        recorder.commands.copy_image_to_buffer(source, call.buffer(info.dst_buffer), &regions);
    }

    fn vkCmdBlitImage(
        commands: vk::CommandBuffer,
        source: vk::Image,
        source_layout: vk::ImageLayout,
        dest: vk::Image,
        dest_layout: vk::ImageLayout,
        count: u32,
        regions: *const vk::ImageBlit,
        with: vk::Filter,
    ) {
        let (source, dest) = (call.image(source), call.image(dest));
        let regions = image_blits!(source, dest, call.slice(regions, count));
        let mut recorder = call.recorder(commands);
        say(&mut recorder.commands, "vkCmdBlitImage", source, regions.iter().map(|r| r.source), source_layout);
        say(&mut recorder.commands, "vkCmdBlitImage", dest, regions.iter().map(|r| r.dest), dest_layout);
        recorder.commands.blit_image(source, dest, &regions, filter(with));
    }

    fn vkCmdBlitImage2(commands: vk::CommandBuffer, info: *const vk::BlitImageInfo2<'_>) {
        let info = call.read(info);
        let (source, dest) = (call.image(info.src_image), call.image(info.dst_image));
        let regions = image_blits!(source, dest, call.slice(info.p_regions, info.region_count));
        let mut recorder = call.recorder(commands);
        say(&mut recorder.commands, "vkCmdBlitImage2", source, regions.iter().map(|r| r.source), info.src_image_layout);
        say(&mut recorder.commands, "vkCmdBlitImage2", dest, regions.iter().map(|r| r.dest), info.dst_image_layout);
        recorder.commands.blit_image(source, dest, &regions, filter(info.filter));
    }

    fn vkCmdResolveImage(
        commands: vk::CommandBuffer,
        source: vk::Image,
        source_layout: vk::ImageLayout,
        dest: vk::Image,
        dest_layout: vk::ImageLayout,
        count: u32,
        regions: *const vk::ImageResolve,
    ) {
        let (source, dest) = (call.image(source), call.image(dest));
        let regions = image_copies!(source, dest, call.slice(regions, count));
        let mut recorder = call.recorder(commands);
        say(&mut recorder.commands, "vkCmdResolveImage", source, regions.iter().map(|r| r.source), source_layout);
        say(&mut recorder.commands, "vkCmdResolveImage", dest, regions.iter().map(|r| r.dest), dest_layout);
        recorder.commands.resolve_image(source, dest, &regions);
    }

    fn vkCmdResolveImage2(commands: vk::CommandBuffer, info: *const vk::ResolveImageInfo2<'_>) {
        let info = call.read(info);
        let (source, dest) = (call.image(info.src_image), call.image(info.dst_image));
        let regions = image_copies!(source, dest, call.slice(info.p_regions, info.region_count));
        let mut recorder = call.recorder(commands);
        say(&mut recorder.commands, "vkCmdResolveImage2", source, regions.iter().map(|r| r.source), info.src_image_layout);
        say(&mut recorder.commands, "vkCmdResolveImage2", dest, regions.iter().map(|r| r.dest), info.dst_image_layout);
        recorder.commands.resolve_image(source, dest, &regions);
    }
}
