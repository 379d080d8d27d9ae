//! Copies of images by the host (VK_EXT_host_image_copy, chapter "Copy Commands"). Memory is the host's own and the layout
//! one of rows, so that a copy needs no queue; with VK_HOST_IMAGE_COPY_MEMCPY_EXT too, texels lie tightly in host memory.

use crate::copies::{layers, origin, pairs};
use crate::entry::{Call, Fail, SUCCESS, entry};
use crate::images::{aspects, extent, image_info};
use ash::vk;
use wavepipe_runtime as runtime;
use wavepipe_runtime::HostRegion;

/// Layouts that can be copied from and to: layouts change nothing here.
pub const LAYOUTS: &[vk::ImageLayout] = &[
    vk::ImageLayout::GENERAL,
    vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
    vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
    vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
    vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
    vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
    vk::ImageLayout::TRANSFER_DST_OPTIMAL,
    vk::ImageLayout::PREINITIALIZED,
    vk::ImageLayout::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL,
    vk::ImageLayout::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL,
    vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL,
    vk::ImageLayout::DEPTH_READ_ONLY_OPTIMAL,
    vk::ImageLayout::STENCIL_ATTACHMENT_OPTIMAL,
    vk::ImageLayout::STENCIL_READ_ONLY_OPTIMAL,
    vk::ImageLayout::READ_ONLY_OPTIMAL,
    vk::ImageLayout::ATTACHMENT_OPTIMAL,
    vk::ImageLayout::PRESENT_SRC_KHR,
];

/// The region of the one aspect that a copy with memory names.
macro_rules! region {
    ($image:expr, $r:expr) => {{
        let at = &$r.image_subresource;
        let aspect = aspects(at.aspect_mask)
            .iter()
            .next()
            .ok_or_else(|| Fail::new(vk::Result::ERROR_UNKNOWN, format!("a copy of aspects {:?}", at.aspect_mask)))?;
        HostRegion {
            row_length: $r.memory_row_length,
            image_height: $r.memory_image_height,
            layers: layers($image, at, aspect),
            origin: origin($r.image_offset),
            extent: extent($r.image_extent),
        }
    }};
}

impl Call {
    fn subresource_layout2(
        &self,
        image: &runtime::Image,
        subresource: *const vk::ImageSubresource2KHR<'_>,
        out: *mut vk::SubresourceLayout2KHR<'_>,
    ) {
        let (at, out) = (&self.read(subresource).image_subresource, self.out(out));
        let Some(layout) = crate::images::subresource_layout(image, at) else {
            return self.report(&format!("the image has no subresource {at:?}"));
        };
        out.subresource_layout = layout;
        let whole = vk::ImageSubresourceLayers {
            aspect_mask: at.aspect_mask,
            mip_level: at.mip_level,
            base_array_layer: at.array_layer,
            layer_count: 1,
        };
        let region = aspects(at.aspect_mask).iter().next().map(|aspect| HostRegion {
            row_length: 0,
            image_height: 0,
            layers: layers(image, &whole, aspect),
            origin: [0; 3],
            extent: image.extent(at.mip_level),
        });
        let bytes = region.and_then(|region| image.host_bytes(&region).ok()).unwrap_or(0);
        self.fill_chain(out.p_next, |link| {
            link.fill::<vk::SubresourceHostMemcpySizeEXT<'_>>(|size| size.size = bytes as u64);
        });
    }
}

entry! { call;
    fn vkCopyMemoryToImageEXT(device: vk::Device, info: *const vk::CopyMemoryToImageInfoEXT<'_>) -> vk::Result {
        call.device(device);
        let info = call.read(info);
        let image = call.image(info.dst_image);
        for r in call.slice(info.p_regions, info.region_count) {
            let region = region!(image, r);
            image.write(&region, call.bytes(r.p_host_pointer, image.host_bytes(&region)?))?;
        }
        SUCCESS
    }

    fn vkCopyImageToMemoryEXT(device: vk::Device, info: *const vk::CopyImageToMemoryInfoEXT<'_>) -> vk::Result {
        call.device(device);
        let info = call.read(info);
        let image = call.image(info.src_image);
        for r in call.slice(info.p_regions, info.region_count) {
            let region = region!(image, r);
            image.read(&region, call.bytes_mut(r.p_host_pointer, image.host_bytes(&region)?))?;
        }
        SUCCESS
    }

    fn vkCopyImageToImageEXT(device: vk::Device, info: *const vk::CopyImageToImageInfoEXT<'_>) -> vk::Result {
        call.device(device);
        let info = call.read(info);
        let (source, dest) = (call.image(info.src_image), call.image(info.dst_image));
        for r in call.slice(info.p_regions, info.region_count) {
            for (from, to) in pairs(source, &r.src_subresource, dest, &r.dst_subresource) {
                let size = extent(r.extent);
                let tight = |layers, origin, extent| HostRegion { row_length: 0, image_height: 0, layers, origin, extent };
                let from = tight(from, origin(r.src_offset), size);
                let mut texels = vec![0; source.host_bytes(&from)?];
                source.read(&from, &mut texels)?;
                dest.write(&tight(to, origin(r.dst_offset), size), &texels)?;
            }
        }
        SUCCESS
    }

    /// Layouts are all the same. The check of them follows commands only.
    fn vkTransitionImageLayoutEXT(
        device: vk::Device,
        count: u32,
        transitions: *const vk::HostImageLayoutTransitionInfoEXT<'_>,
    ) -> vk::Result {
        call.slice(transitions, count).iter().for_each(|t| call.image(t.image).free_layout());
        SUCCESS
    }

    fn vkGetImageSubresourceLayout2EXT(
        device: vk::Device,
        image: vk::Image,
        subresource: *const vk::ImageSubresource2KHR<'_>,
        out: *mut vk::SubresourceLayout2KHR<'_>,
    ) {
        call.subresource_layout2(call.image(image), subresource, out);
    }

    fn vkGetDeviceImageSubresourceLayoutKHR(
        device: vk::Device,
        info: *const vk::DeviceImageSubresourceInfoKHR<'_>,
        out: *mut vk::SubresourceLayout2KHR<'_>,
    ) {
        let info = call.read(info);
        let image = image_info(call.read(info.p_create_info));
        match runtime::Image::new(&call.device(device).runtime, image) {
            Ok(image) => call.subresource_layout2(&image, info.p_subresource, out),
            Err(error) => call.report(&error.to_string()),
        }
    }
}
