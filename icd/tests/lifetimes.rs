//! Nothing leaks: after all kinds of objects, failed allocations and exhausted pools, no object lives. One test, because
//! the count is of the whole process.

mod common;

use ash::vk;
use common::{Gpu, spirv};

#[test]
fn all_objects_go() {
    assert_eq!(vulkan_wavepipe::live_objects(), 0);
    for _ in 0..3 {
        let gpu = Gpu::new();
        let d = &gpu.device;
        let buffer = gpu.buffer(1 << 16);
        let kernel = gpu.kernel(&spirv::double_and_add(1), vk::DescriptorType::STORAGE_BUFFER, None).unwrap();
        gpu.point(&kernel, &buffer);
        let commands = gpu.commands(|c| {
            gpu.bind(c, &kernel, 0, &[]);
            // SAFETY: valid usage.
            unsafe { d.cmd_dispatch(c, 1, 1, 1) };
        });
        gpu.run(commands).unwrap();
        // SAFETY: valid usage throughout.
        unsafe {
            memory_runs_out(&gpu);
            let image = d
                .create_image(
                    &vk::ImageCreateInfo::default()
                        .image_type(vk::ImageType::TYPE_3D)
                        .format(vk::Format::R32_SFLOAT)
                        .extent(vk::Extent3D { width: 3, height: 2, depth: 1 })
                        .mip_levels(1)
                        .array_layers(1)
                        .samples(vk::SampleCountFlags::TYPE_1),
                    None,
                )
                .unwrap();
            let needs = d.get_image_memory_requirements(image);
            // Two rows, each padded to 256 bytes.
            assert_eq!((needs.size, needs.alignment), (512, 256));
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size);
            let memory = d.allocate_memory(&info, None).unwrap();
            d.bind_image_memory(image, memory, 0).unwrap();
            let range = vk::ImageSubresourceRange::default()
                .aspect_mask(vk::ImageAspectFlags::COLOR)
                .level_count(vk::REMAINING_MIP_LEVELS)
                .layer_count(vk::REMAINING_ARRAY_LAYERS);
            let info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_3D)
                .format(vk::Format::R32_SFLOAT)
                .subresource_range(range);
            let view = d.create_image_view(&info, None).unwrap();
            let sampler = d.create_sampler(&vk::SamplerCreateInfo::default(), None).unwrap();
            let info = vk::BufferViewCreateInfo::default()
                .buffer(buffer.buffer)
                .format(vk::Format::R32_UINT)
                .range(vk::WHOLE_SIZE);
            let texels = d.create_buffer_view(&info, None).unwrap();
            let pass = d.create_render_pass(&vk::RenderPassCreateInfo::default(), None).unwrap();
            let frame = d.create_framebuffer(&vk::FramebufferCreateInfo::default().render_pass(pass), None).unwrap();
            let cache = d.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None).unwrap();
            assert_eq!(d.get_pipeline_cache_data(cache).unwrap()[..4], 32u32.to_le_bytes());
            d.destroy_pipeline_cache(cache, None);
            d.destroy_framebuffer(frame, None);
            d.destroy_render_pass(pass, None);
            d.destroy_buffer_view(texels, None);
            d.destroy_sampler(sampler, None);
            d.destroy_image_view(view, None);
            d.destroy_image(image, None);
            d.free_memory(memory, None);
            // Destroying nothing is allowed everywhere.
            d.destroy_buffer(vk::Buffer::null(), None);
            d.free_memory(vk::DeviceMemory::null(), None);
            d.destroy_pipeline(vk::Pipeline::null(), None);
        }
        gpu.free_kernel(kernel);
        gpu.free(buffer);
        drop(gpu);
        assert_eq!(vulkan_wavepipe::live_objects(), 0);
    }
}

/// Takes memory until there is none, which must be an error; gives it back; then there is memory again.
unsafe fn memory_runs_out(gpu: &Gpu) {
    let d = &gpu.device;
    // SAFETY: valid usage.
    let heap = unsafe { gpu.instance.get_physical_device_memory_properties(gpu.physical) }.memory_heaps[0].size;
    let whole = (heap >> 30) as usize;
    let info = vk::MemoryAllocateInfo::default().allocation_size(1 << 30);
    let mut taken = Vec::new();
    // SAFETY: valid usage throughout.
    unsafe {
        let refused = loop {
            match d.allocate_memory(&info, None) {
                Ok(memory) => taken.push(memory),
                Err(error) => break error,
            }
            assert!(taken.len() <= whole, "the heap has {heap} bytes");
        };
        assert_eq!(refused, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
        assert!(taken.len() + 1 >= whole, "{} GiB of {heap} bytes", taken.len());
        taken.drain(..).for_each(|memory| d.free_memory(memory, None));
        let huge = vk::MemoryAllocateInfo::default().allocation_size(1 << 40);
        assert_eq!(d.allocate_memory(&huge, None), Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
        let memory = d.allocate_memory(&info, None).unwrap();
        d.free_memory(memory, None);
    }
}
