//! Buffers, images and their views (chapters "Resource Creation" and "Samplers"). Images and samplers are objects without
//! use: no format supports them (see `formats`), yet some programs make them and never touch them.

use crate::entry::{Call, Fail, SUCCESS, entry};
use crate::formats::texel_bytes;
use crate::handle::{self, Object};
use crate::physical_device::MEMORY_TYPE_BITS;
use ash::vk;
use std::sync::Arc;
use wavepipe_runtime as runtime;
use wavepipe_runtime::machine;

pub struct Buffer {
    pub runtime: Arc<runtime::Buffer>,
}

impl Object for Buffer {
    type Handle = vk::Buffer;
}

struct BufferView;

impl Object for BufferView {
    type Handle = vk::BufferView;
}

struct Image {
    format: vk::Format,
    extent: vk::Extent3D,
    mips: u32,
    layers: u32,
    samples: u32,
}

impl Object for Image {
    type Handle = vk::Image;
}

struct ImageView;

impl Object for ImageView {
    type Handle = vk::ImageView;
}

struct Sampler;

impl Object for Sampler {
    type Handle = vk::Sampler;
}

struct SamplerYcbcrConversion;

impl Object for SamplerYcbcrConversion {
    type Handle = vk::SamplerYcbcrConversion;
}

/// Alignment of an image in its memory: the card's linear pitch.
const IMAGE_ALIGNMENT: u64 = 256;

impl Image {
    /// Row, slice and layer bytes of a mip level, laid out linearly.
    fn pitches(&self, mip: u32) -> (u64, u64, u64) {
        let side = |n: u32| u64::from((n >> mip.min(31)).max(1));
        let row = side(self.extent.width).saturating_mul(texel_bytes(self.format) * u64::from(self.samples));
        let slice = row.saturating_mul(side(self.extent.height));
        (row, slice, slice.saturating_mul(side(self.extent.depth)))
    }

    /// Where a mip level starts; one past the last gives the size of all.
    fn offset(&self, mip: u32) -> u64 {
        let level = |m| self.pitches(m).2.saturating_mul(u64::from(self.layers));
        (0..mip).fold(0, |sum: u64, m| sum.saturating_add(level(m)))
    }

    fn requirements(&self) -> vk::MemoryRequirements {
        let size = self.offset(self.mips).checked_next_multiple_of(IMAGE_ALIGNMENT).unwrap_or(u64::MAX);
        vk::MemoryRequirements { size, alignment: IMAGE_ALIGNMENT, memory_type_bits: MEMORY_TYPE_BITS }
    }
}

impl Call {
    pub fn buffer(&self, handle: vk::Buffer) -> &Arc<runtime::Buffer> {
        &self.get::<Buffer>(handle).runtime
    }

    fn bind_buffer(&self, buffer: vk::Buffer, memory: vk::DeviceMemory, offset: u64) -> Result<(), Fail> {
        Ok(self.buffer(buffer).bind(self.memory(memory).clone(), offset)?)
    }

    fn buffer_requirements(&self, buffer: vk::Buffer) -> vk::MemoryRequirements {
        let alignment = machine::info().limits.buffer_alignment;
        let size = self.buffer(buffer).size().checked_next_multiple_of(alignment).unwrap_or(u64::MAX);
        vk::MemoryRequirements { size, alignment, memory_type_bits: MEMORY_TYPE_BITS }
    }

    fn fill_dedicated(&self, requirements: &vk::MemoryRequirements2<'_>) {
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
        let runtime = runtime::Buffer::new(&call.device(device).runtime, call.read(info).size);
        call.write(out, handle::create(Buffer { runtime }));
        SUCCESS
    }

    fn vkDestroyBuffer(device: vk::Device, buffer: vk::Buffer, _allocator: *const vk::AllocationCallbacks<'_>) {
        call.destroy::<Buffer>(buffer);
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
        for info in call.slice(infos, count) {
            call.bind_buffer(info.buffer, info.memory, info.memory_offset)?;
        }
        SUCCESS
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
        call.write(out, handle::create(BufferView));
        SUCCESS
    }

    fn vkDestroyBufferView(
        device: vk::Device,
        view: vk::BufferView,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<BufferView>(view);
    }

    fn vkCreateImage(
        device: vk::Device,
        info: *const vk::ImageCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Image,
    ) -> vk::Result {
        let info = call.read(info);
        let (format, extent) = (info.format, info.extent);
        let samples = info.samples.as_raw().max(1);
        let image = Image { format, extent, mips: info.mip_levels, layers: info.array_layers, samples };
        call.write(out, handle::create(image));
        SUCCESS
    }

    fn vkDestroyImage(device: vk::Device, image: vk::Image, _allocator: *const vk::AllocationCallbacks<'_>) {
        call.destroy::<Image>(image);
    }

    fn vkGetImageMemoryRequirements(device: vk::Device, image: vk::Image, requirements: *mut vk::MemoryRequirements) {
        call.write(requirements, call.get::<Image>(image).requirements());
    }

    fn vkGetImageMemoryRequirements2(
        device: vk::Device,
        info: *const vk::ImageMemoryRequirementsInfo2<'_>,
        requirements: *mut vk::MemoryRequirements2<'_>,
    ) {
        let requirements = call.out(requirements);
        requirements.memory_requirements = call.get::<Image>(call.read(info).image).requirements();
        call.fill_dedicated(requirements);
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
        SUCCESS
    }

    fn vkBindImageMemory2(device: vk::Device, count: u32, infos: *const vk::BindImageMemoryInfo<'_>) -> vk::Result {
        SUCCESS
    }

    fn vkGetImageSubresourceLayout(
        device: vk::Device,
        image: vk::Image,
        subresource: *const vk::ImageSubresource,
        layout: *mut vk::SubresourceLayout,
    ) {
        let (image, at) = (call.get::<Image>(image), call.read(subresource));
        let (row_pitch, depth_pitch, array_pitch) = image.pitches(at.mip_level);
        let offset = image.offset(at.mip_level).saturating_add(array_pitch.saturating_mul(u64::from(at.array_layer)));
        call.write(layout, vk::SubresourceLayout { offset, size: array_pitch, row_pitch, array_pitch, depth_pitch });
    }

    fn vkCreateImageView(
        device: vk::Device,
        info: *const vk::ImageViewCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::ImageView,
    ) -> vk::Result {
        call.write(out, handle::create(ImageView));
        SUCCESS
    }

    fn vkDestroyImageView(device: vk::Device, view: vk::ImageView, _allocator: *const vk::AllocationCallbacks<'_>) {
        call.destroy::<ImageView>(view);
    }

    fn vkCreateSampler(
        device: vk::Device,
        info: *const vk::SamplerCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Sampler,
    ) -> vk::Result {
        call.write(out, handle::create(Sampler));
        SUCCESS
    }

    fn vkDestroySampler(device: vk::Device, sampler: vk::Sampler, _allocator: *const vk::AllocationCallbacks<'_>) {
        call.destroy::<Sampler>(sampler);
    }

    fn vkCreateSamplerYcbcrConversion(
        device: vk::Device,
        info: *const vk::SamplerYcbcrConversionCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::SamplerYcbcrConversion,
    ) -> vk::Result {
        call.write(out, handle::create(SamplerYcbcrConversion));
        SUCCESS
    }

    fn vkDestroySamplerYcbcrConversion(
        device: vk::Device,
        conversion: vk::SamplerYcbcrConversion,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<SamplerYcbcrConversion>(conversion);
    }
}
