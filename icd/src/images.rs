//! Images and image views (chapter "Resource Creation").

use crate::entry::{Call, Fail, SUCCESS, entry};
use crate::handle::{self, Object};
use crate::physical_device::MEMORY_TYPE_BITS;
use crate::wsi::swapchains::bind_swapchain_image;
use ash::vk;
use std::sync::Arc;
use wavepipe_runtime as runtime;
use wavepipe_runtime::{Aspects, Format, ImageInfo, ImageKind, ImageViewInfo, ImageViewKind, Swizzle};

pub struct Image {
    pub runtime: Arc<runtime::Image>,
}

impl Object for Image {
    type Handle = vk::Image;
}

pub struct ImageView {
    pub runtime: Arc<runtime::ImageView>,
}

impl Object for ImageView {
    type Handle = vk::ImageView;
}

/// Numbers of formats are VkFormat's.
pub fn format(format: vk::Format) -> Format {
    Format(format.as_raw() as u32)
}

/// Bits of aspects are VkImageAspectFlagBits'; those of planes and metadata name nothing here.
pub fn aspects(aspects: vk::ImageAspectFlags) -> Aspects {
    Aspects::from_bits_truncate(aspects.as_raw())
}

pub fn image_kind(kind: vk::ImageType) -> ImageKind {
    match kind {
        vk::ImageType::TYPE_1D => ImageKind::D1,
        vk::ImageType::TYPE_3D => ImageKind::D3,
        _ => ImageKind::D2,
    }
}

fn view_kind(kind: vk::ImageViewType) -> ImageViewKind {
    match kind {
        vk::ImageViewType::TYPE_1D => ImageViewKind::D1,
        vk::ImageViewType::TYPE_3D => ImageViewKind::D3,
        vk::ImageViewType::CUBE => ImageViewKind::Cube,
        vk::ImageViewType::TYPE_1D_ARRAY => ImageViewKind::D1Array,
        vk::ImageViewType::TYPE_2D_ARRAY => ImageViewKind::D2Array,
        vk::ImageViewType::CUBE_ARRAY => ImageViewKind::CubeArray,
        _ => ImageViewKind::D2,
    }
}

fn swizzle(swizzle: vk::ComponentSwizzle) -> Swizzle {
    match swizzle {
        vk::ComponentSwizzle::ZERO => Swizzle::Zero,
        vk::ComponentSwizzle::ONE => Swizzle::One,
        vk::ComponentSwizzle::R => Swizzle::R,
        vk::ComponentSwizzle::G => Swizzle::G,
        vk::ComponentSwizzle::B => Swizzle::B,
        vk::ComponentSwizzle::A => Swizzle::A,
        _ => Swizzle::Identity,
    }
}

pub fn extent(e: vk::Extent3D) -> [u32; 3] {
    [e.width, e.height, e.depth]
}

/// A count that may stand for the rest.
pub fn count(count: u32, first: u32, all: u32) -> u32 {
    // VK_REMAINING_MIP_LEVELS is the same number.
    if count == vk::REMAINING_ARRAY_LAYERS { all.saturating_sub(first) } else { count }
}

pub fn image_info(info: &vk::ImageCreateInfo<'_>) -> ImageInfo {
    ImageInfo {
        kind: image_kind(info.image_type),
        format: format(info.format),
        extent: extent(info.extent),
        levels: info.mip_levels,
        layers: info.array_layers,
        samples: info.samples.as_raw(),
    }
}

pub fn subresource_layout(image: &runtime::Image, at: &vk::ImageSubresource) -> Option<vk::SubresourceLayout> {
    let l = image.subresource_layout(aspects(at.aspect_mask), at.mip_level, at.array_layer)?;
    Some(vk::SubresourceLayout {
        offset: l.offset,
        size: l.size,
        row_pitch: l.row_pitch,
        array_pitch: l.array_pitch,
        depth_pitch: l.depth_pitch,
    })
}

fn requirements(image: &runtime::Image) -> vk::MemoryRequirements {
    let (size, alignment) = image.requirements();
    vk::MemoryRequirements { size, alignment, memory_type_bits: MEMORY_TYPE_BITS }
}

impl Call {
    pub fn image(&self, handle: vk::Image) -> &Arc<runtime::Image> {
        &self.get::<Image>(handle).runtime
    }

    pub fn image_view(&self, handle: vk::ImageView) -> &Arc<runtime::ImageView> {
        &self.get::<ImageView>(handle).runtime
    }

    fn bind_image(&self, image: vk::Image, memory: vk::DeviceMemory, offset: u64) -> Result<(), Fail> {
        self.image(image).bind(self.memory(memory).clone(), offset)?;
        self.image(image).follow_layout();
        Ok(())
    }
}

entry! { call;
    fn vkCreateImage(
        device: vk::Device,
        info: *const vk::ImageCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Image,
    ) -> vk::Result {
        let runtime = runtime::Image::new(&call.device(device).runtime, image_info(call.read(info)))?;
        call.write(out, handle::create(Image { runtime }));
        SUCCESS
    }

    fn vkDestroyImage(device: vk::Device, image: vk::Image, _allocator: *const vk::AllocationCallbacks<'_>) {
        if let Some(image) = call.destroy::<Image>(image) {
            image.runtime.give_up();
        }
    }

    fn vkGetImageMemoryRequirements(device: vk::Device, image: vk::Image, out: *mut vk::MemoryRequirements) {
        call.write(out, requirements(call.image(image)));
    }

    fn vkGetImageMemoryRequirements2(
        device: vk::Device,
        info: *const vk::ImageMemoryRequirementsInfo2<'_>,
        out: *mut vk::MemoryRequirements2<'_>,
    ) {
        let out = call.out(out);
        out.memory_requirements = requirements(call.image(call.read(info).image));
        call.fill_dedicated(out);
    }

    fn vkGetDeviceImageMemoryRequirements(
        device: vk::Device,
        info: *const vk::DeviceImageMemoryRequirements<'_>,
        out: *mut vk::MemoryRequirements2<'_>,
    ) {
        let info = image_info(call.read(call.read(info).p_create_info));
        let out = call.out(out);
        match runtime::Image::new(&call.device(device).runtime, info) {
            Ok(image) => out.memory_requirements = requirements(&image),
            Err(error) => call.report(&error.to_string()),
        }
        call.fill_dedicated(out);
    }

    fn vkGetDeviceImageSparseMemoryRequirements(
        device: vk::Device,
        info: *const vk::DeviceImageMemoryRequirements<'_>,
        count: *mut u32,
        requirements: *mut vk::SparseImageMemoryRequirements2<'_>,
    ) {
        let _ = call.enumerate(count, requirements, &[]);
    }

    fn vkGetImageSparseMemoryRequirements(
        device: vk::Device,
        image: vk::Image,
        count: *mut u32,
        requirements: *mut vk::SparseImageMemoryRequirements,
    ) {
        let _ = call.enumerate(count, requirements, &[]);
    }

    fn vkGetImageSparseMemoryRequirements2(
        device: vk::Device,
        info: *const vk::ImageSparseMemoryRequirementsInfo2<'_>,
        count: *mut u32,
        requirements: *mut vk::SparseImageMemoryRequirements2<'_>,
    ) {
        let _ = call.enumerate(count, requirements, &[]);
    }

    fn vkBindImageMemory(
        device: vk::Device,
        image: vk::Image,
        memory: vk::DeviceMemory,
        offset: vk::DeviceSize,
    ) -> vk::Result {
        call.device(device);
        call.bind_image(image, memory, offset)?;
        SUCCESS
    }

    fn vkBindImageMemory2(device: vk::Device, count: u32, infos: *const vk::BindImageMemoryInfo<'_>) -> vk::Result {
        call.device(device);
        call.bind_each(call.slice(infos, count).iter().map(|info| {
            let of_swapchain = bind_swapchain_image(call, info.image, info.p_next);
            let bound = of_swapchain.unwrap_or_else(|| call.bind_image(info.image, info.memory, info.memory_offset));
            (info.p_next, bound)
        }))
    }

    fn vkGetImageSubresourceLayout(
        device: vk::Device,
        image: vk::Image,
        subresource: *const vk::ImageSubresource,
        out: *mut vk::SubresourceLayout,
    ) {
        let at = call.read(subresource);
        match subresource_layout(call.image(image), at) {
            Some(layout) => call.write(out, layout),
            None => call.report(&format!("the image has no subresource {at:?}")),
        }
    }

    fn vkCreateImageView(
        device: vk::Device,
        info: *const vk::ImageViewCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::ImageView,
    ) -> vk::Result {
        call.device(device);
        let info = call.read(info);
        let image = call.image(info.image);
        let (range, c) = (&info.subresource_range, &info.components);
        let kind = view_kind(info.view_type);
        let layers = if kind == ImageViewKind::D3 { 1 } else { image.slices(range.base_mip_level) };
        let view = ImageViewInfo {
            kind,
            format: format(info.format),
            swizzle: [c.r, c.g, c.b, c.a].map(swizzle),
            aspects: aspects(range.aspect_mask),
            first_level: range.base_mip_level,
            levels: count(range.level_count, range.base_mip_level, image.info().levels),
            first_layer: range.base_array_layer,
            layers: count(range.layer_count, range.base_array_layer, layers),
            min_lod: call.find::<vk::ImageViewMinLodCreateInfoEXT<'_>>(info.p_next).map_or(0.0, |lod| lod.min_lod),
        };
        call.write(out, handle::create(ImageView { runtime: runtime::ImageView::new(image, view)? }));
        SUCCESS
    }

    fn vkDestroyImageView(device: vk::Device, view: vk::ImageView, _allocator: *const vk::AllocationCallbacks<'_>) {
        call.destroy::<ImageView>(view);
    }
}
