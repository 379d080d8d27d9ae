//! Descriptors of images, samplers and texel buffers, in all the ways that sets hold them.

use crate::bed::{Bed, Way, can_compile, everywhere};
use ash::vk;

const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;
const COMBINED: vk::DescriptorType = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
const SAMPLED: vk::DescriptorType = vk::DescriptorType::SAMPLED_IMAGE;
const IMAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_IMAGE;
const SAMPLER: vk::DescriptorType = vk::DescriptorType::SAMPLER;
const COLOR: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: 1,
    base_array_layer: 0,
    layer_count: 1,
};

/// A 4 × 4 image of R32_UINT in layout GENERAL, cleared to `value`, and a view of it.
fn image(bed: &Bed, value: u32) -> vk::ImageView {
    let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_DST;
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::R32_UINT)
        .extent(vk::Extent3D { width: 4, height: 4, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .tiling(vk::ImageTiling::OPTIMAL)
        .usage(usage);
    let d = &bed.device;
    // SAFETY: valid usage throughout.
    unsafe {
        let image = d.create_image(&info, None).unwrap();
        let needs = d.get_image_memory_requirements(image);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(bed.memory_type(needs.memory_type_bits));
        let memory = d.allocate_memory(&info, None).unwrap();
        d.bind_image_memory(image, memory, 0).unwrap();
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(vk::Format::R32_UINT)
            .subresource_range(COLOR);
        let view = d.create_image_view(&info, None).unwrap();
        bed.later(move |d| {
            d.destroy_image_view(view, None);
            d.destroy_image(image, None);
            d.free_memory(memory, None);
        });
        bed.run(|c| {
            let barrier = |from, to, layout| {
                vk::ImageMemoryBarrier::default()
                    .image(image)
                    .subresource_range(COLOR)
                    .src_access_mask(from)
                    .dst_access_mask(to)
                    .old_layout(layout)
                    .new_layout(vk::ImageLayout::GENERAL)
                    .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            };
            let all = vk::PipelineStageFlags::ALL_COMMANDS;
            let write = vk::AccessFlags::TRANSFER_WRITE;
            let first = [barrier(vk::AccessFlags::empty(), write, vk::ImageLayout::UNDEFINED)];
            d.cmd_pipeline_barrier(c, all, all, vk::DependencyFlags::empty(), &[], &[], &first);
            let color = vk::ClearColorValue { uint32: [value, 0, 0, 0] };
            d.cmd_clear_color_image(c, image, vk::ImageLayout::GENERAL, &color, &[COLOR]);
            let read = vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE;
            let second = [barrier(write, read, vk::ImageLayout::GENERAL)];
            d.cmd_pipeline_barrier(c, all, all, vk::DependencyFlags::empty(), &[], &[], &second);
        });
        view
    }
}

/// Nearest texels; outside of the image the border or the edge.
fn sampler(bed: &Bed, mode: vk::SamplerAddressMode, border: vk::BorderColor) -> vk::Sampler {
    let info = vk::SamplerCreateInfo::default()
        .address_mode_u(mode)
        .address_mode_v(mode)
        .address_mode_w(mode)
        .border_color(border);
    // SAFETY: valid usage.
    let sampler = unsafe { bed.device.create_sampler(&info, None) }.unwrap();
    // SAFETY: not used any more then.
    bed.later(move |d| unsafe { d.destroy_sampler(sampler, None) });
    sampler
}

fn write(
    bed: &Bed,
    set: vk::DescriptorSet,
    at: (u32, u32),
    ty: vk::DescriptorType,
    view: vk::ImageView,
    s: vk::Sampler,
) {
    let info = [vk::DescriptorImageInfo { sampler: s, image_view: view, image_layout: vk::ImageLayout::GENERAL }];
    let write = vk::WriteDescriptorSet::default()
        .dst_set(set)
        .dst_binding(at.0)
        .dst_array_element(at.1)
        .descriptor_type(ty)
        .image_info(&info);
    // SAFETY: valid usage.
    unsafe { bed.device.update_descriptor_sets(&[write], &[]) };
}

#[test]
fn images_and_samplers_of_every_kind() {
    if can_compile() {
        everywhere("images::images_and_samplers_of_every_kind", kinds);
    }
}

fn kinds(bed: &Bed) {
    let edge = sampler(bed, vk::SamplerAddressMode::CLAMP_TO_EDGE, vk::BorderColor::INT_OPAQUE_WHITE);
    let border = sampler(bed, vk::SamplerAddressMode::CLAMP_TO_BORDER, vk::BorderColor::INT_OPAQUE_WHITE);
    let views = [10, 20, 30, 40, 50].map(|value| image(bed, value));
    let immutable = [border, edge];
    let stages = vk::ShaderStageFlags::COMPUTE;
    let binding = |n: u32, ty, count| {
        vk::DescriptorSetLayoutBinding::default()
            .binding(n)
            .descriptor_type(ty)
            .descriptor_count(count)
            .stage_flags(stages)
    };
    let bindings = [
        binding(0, STORAGE, 1),
        binding(1, COMBINED, 2).immutable_samplers(&immutable),
        binding(2, COMBINED, 1),
        binding(3, SAMPLED, 2),
        binding(4, SAMPLER, 2),
        binding(5, IMAGE, 1),
        binding(6, SAMPLER, 2).immutable_samplers(&immutable),
    ];
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    // SAFETY: valid usage.
    let set_layout = unsafe { bed.device.create_descriptor_set_layout(&info, None) }.unwrap();
    // SAFETY: not used any more then.
    bed.later(move |d| unsafe { d.destroy_descriptor_set_layout(set_layout, None) });
    let sizes = [(STORAGE, 1), (COMBINED, 3), (SAMPLED, 2), (SAMPLER, 4), (IMAGE, 1)];
    let (first, second) = (bed.set(set_layout, &sizes, None), bed.set(set_layout, &sizes, None));
    let out = bed.buffer(16);
    let none = vk::Sampler::null();
    write(bed, first, (1, 0), COMBINED, views[0], none);
    write(bed, first, (1, 1), COMBINED, views[1], none);
    write(bed, first, (2, 0), COMBINED, views[2], border);
    write(bed, first, (3, 0), SAMPLED, views[3], none);
    write(bed, first, (3, 1), SAMPLED, views[4], none);
    write(bed, first, (4, 0), SAMPLER, vk::ImageView::null(), edge);
    write(bed, first, (4, 1), SAMPLER, vk::ImageView::null(), border);
    write(bed, first, (5, 0), IMAGE, views[0], none);
    bed.point(first, (0, 0), STORAGE, (out.handle, 0, vk::WHOLE_SIZE));
    bed.point(second, (0, 0), STORAGE, (out.handle, 0, vk::WHOLE_SIZE));
    let copy = |binding, element, count| {
        vk::CopyDescriptorSet::default()
            .src_set(first)
            .dst_set(second)
            .src_binding(binding)
            .dst_binding(binding)
            .src_array_element(element)
            .dst_array_element(element)
            .descriptor_count(count)
    };
    let copies = [copy(1, 0, 2), copy(2, 0, 1), copy(3, 0, 2), copy(4, 0, 2), copy(5, 0, 1)];
    // SAFETY: valid usage.
    unsafe { bed.device.update_descriptor_sets(&[], &copies) };
    let layout = bed.pipeline_layout(&[set_layout], 0);
    let pipeline = bed.pipeline(
        "#version 450
        layout(set = 0, binding = 0) buffer Out { uint outs[]; };
        layout(set = 0, binding = 1) uniform usampler2D fixed_two[2];
        layout(set = 0, binding = 2) uniform usampler2D one;
        layout(set = 0, binding = 3) uniform utexture2D textures[2];
        layout(set = 0, binding = 4) uniform sampler samplers[2];
        layout(set = 0, binding = 5, r32ui) uniform uimage2D target;
        layout(set = 0, binding = 6) uniform sampler fixed_samplers[2];
        void main() {
            vec2 inside = vec2(0.5), outside = vec2(1.5);
            outs[0] = textureLod(fixed_two[0], inside, 0).x;
            outs[1] = textureLod(fixed_two[0], outside, 0).x;
            outs[2] = textureLod(fixed_two[1], outside, 0).x;
            outs[3] = textureLod(one, outside, 0).x;
            outs[4] = textureLod(usampler2D(textures[0], samplers[0]), outside, 0).x;
            outs[5] = textureLod(usampler2D(textures[1], samplers[1]), outside, 0).x;
            outs[6] = texelFetch(usampler2D(textures[1], samplers[1]), ivec2(3), 0).x;
            outs[7] = textureLod(usampler2D(textures[1], fixed_samplers[1]), outside, 0).x;
            imageStore(target, ivec2(1, 2), uvec4(77));
            memoryBarrierImage();
            outs[8] = imageLoad(target, ivec2(1, 2)).x;
            outs[9] = imageLoad(target, ivec2(2, 1)).x;
        }",
        layout,
    );
    for set in [first, second] {
        out.set([0; 16]);
        bed.dispatch(pipeline, layout, &[set], 1);
        assert_eq!(out.get()[..10], [10, 1, 20, 1, 40, 1, 50, 50, 77, 10]);
    }
}

#[test]
fn texel_buffers_and_null_images() {
    if can_compile() {
        everywhere("images::texel_buffers_and_null_images", texels);
    }
}

fn texels(bed: &Bed) {
    if !bed.has(ash::ext::robustness2::NAME) {
        return;
    }
    let (uniform, storage) = (vk::DescriptorType::UNIFORM_TEXEL_BUFFER, vk::DescriptorType::STORAGE_TEXEL_BUFFER);
    let set_layout =
        bed.set_layout(&[(0, STORAGE, 1), (1, uniform, 2), (2, storage, 1), (3, SAMPLED, 1), (4, IMAGE, 1)]);
    let set = bed.set(set_layout, &[(STORAGE, 1), (uniform, 2), (storage, 1), (SAMPLED, 1), (IMAGE, 1)], None);
    let usage = vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER;
    let (out, data) = (bed.buffer(16), bed.buffer_with(1024, usage));
    data.set((0..256).map(|i| 0x0403_0200 + i));
    bed.point(set, (0, 0), STORAGE, (out.handle, 0, vk::WHOLE_SIZE));
    let view = |format, offset, range| {
        let info = vk::BufferViewCreateInfo::default().buffer(data.handle).format(format).offset(offset).range(range);
        // SAFETY: valid usage.
        let view = unsafe { bed.device.create_buffer_view(&info, None) }.unwrap();
        // SAFETY: not used any more then.
        bed.later(move |d| unsafe { d.destroy_buffer_view(view, None) });
        view
    };
    let point = |binding, element, ty, view| {
        let views = [view];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(binding)
            .dst_array_element(element)
            .descriptor_type(ty)
            .texel_buffer_view(&views);
        // SAFETY: valid usage.
        unsafe { bed.device.update_descriptor_sets(&[write], &[]) };
    };
    point(1, 0, uniform, view(vk::Format::R8G8B8A8_UINT, 256, 32));
    point(1, 1, uniform, vk::BufferView::null());
    point(2, 0, storage, view(vk::Format::R32_UINT, 512, vk::WHOLE_SIZE));
    write(bed, set, (3, 0), SAMPLED, vk::ImageView::null(), vk::Sampler::null());
    write(bed, set, (4, 0), IMAGE, vk::ImageView::null(), vk::Sampler::null());
    let layout = bed.pipeline_layout(&[set_layout], 0);
    let pipeline = bed.pipeline(
        "#version 450
        #extension GL_EXT_samplerless_texture_functions : require
        layout(set = 0, binding = 0) buffer Out { uint outs[]; };
        layout(set = 0, binding = 1) uniform utextureBuffer texels[2];
        layout(set = 0, binding = 2, r32ui) uniform uimageBuffer words;
        layout(set = 0, binding = 3) uniform utexture2D nothing;
        layout(set = 0, binding = 4, r32ui) uniform uimage2D nowhere;
        void main() {
            uvec4 t = texelFetch(texels[0], 3);
            outs[0] = t.x; outs[1] = t.y; outs[2] = t.z; outs[3] = t.w;
            outs[4] = texelFetch(texels[0], 8).z;
            outs[5] = textureSize(texels[0]);
            outs[6] = texelFetch(texels[1], 0).x;
            imageStore(words, 5, uvec4(99));
            imageStore(words, 128, uvec4(99));
            outs[7] = imageAtomicAdd(words, 6, 1);
            outs[8] = imageSize(words);
            outs[9] = texelFetch(nothing, ivec2(1), 0).x;
            imageStore(nowhere, ivec2(1), uvec4(3));
            outs[10] = imageLoad(nowhere, ivec2(1)).x;
        }",
        layout,
    );
    out.set([9; 16]);
    bed.dispatch(pipeline, layout, &[set], 1);
    let got = out.get();
    assert_eq!(got[..6], [67, 2, 3, 4, 0, 8], "word 64 + 3 by bytes");
    assert_eq!((got[6], got[7], got[8]), (0, 0x0403_0200 + 134, 128));
    if bed.way != Way::Lavapipe {
        assert_eq!((got[9], got[10]), (0, 0));
    }
    let data = data.get();
    assert_eq!((data[133], data[134]), (99, 0x0403_0200 + 135));
    let others = data.iter().enumerate().filter(|(i, w)| **w != 0x0403_0200 + *i as u32);
    assert_eq!(others.count(), 2, "nothing else was written");
}

#[test]
fn arrays_that_each_work_item_indexes_apart() {
    if can_compile() {
        everywhere("images::arrays_that_each_work_item_indexes_apart", arrays);
    }
}

/// Sixteen images and buffer views of each kind, each work-item with its own element.
fn arrays(bed: &Bed) {
    let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut v12);
    // SAFETY: valid usage.
    unsafe { bed.instance.get_physical_device_features2(bed.physical, &mut features) };
    if v12.descriptor_indexing == vk::FALSE {
        assert_eq!(bed.way, Way::Lavapipe);
        return;
    }
    const N: u32 = 16;
    let (uniform, storage) = (vk::DescriptorType::UNIFORM_TEXEL_BUFFER, vk::DescriptorType::STORAGE_TEXEL_BUFFER);
    let of_layout = vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL;
    let late = vk::DescriptorBindingFlags::UPDATE_AFTER_BIND | vk::DescriptorBindingFlags::PARTIALLY_BOUND;
    let last = late | vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT;
    let bindings = [(0, STORAGE, 1), (1, SAMPLED, N), (2, IMAGE, N), (3, uniform, N), (4, storage, 4 * N)];
    let none = vk::DescriptorBindingFlags::empty();
    let set_layout = bed.set_layout_with(&bindings, of_layout, &[none, late, late, late, last]);
    let sizes = [(STORAGE, 1), (SAMPLED, N), (IMAGE, N), (uniform, N), (storage, 2 * N)];
    let set = bed.set(set_layout, &sizes, Some(2 * N));
    let usage = vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER;
    let (out, data) = (bed.buffer(64 * 4), bed.buffer_with(4096 * 4, usage));
    data.set((0..4096).map(|i| 5 * i));
    bed.point(set, (0, 0), STORAGE, (out.handle, 0, vk::WHOLE_SIZE));
    let layout = bed.pipeline_layout(&[set_layout], 0);
    let pipeline = bed.pipeline(
        "#version 450
        #extension GL_EXT_samplerless_texture_functions : require
        #extension GL_EXT_nonuniform_qualifier : require
        layout(local_size_x = 64) in;
        layout(set = 0, binding = 0) buffer Out { uvec4 outs[]; };
        layout(set = 0, binding = 1) uniform utexture2D sampled[];
        layout(set = 0, binding = 2, r32ui) uniform uimage2D images[];
        layout(set = 0, binding = 3) uniform utextureBuffer texels[];
        layout(set = 0, binding = 4, r32ui) uniform uimageBuffer words[];
        void main() {
            uint i = gl_LocalInvocationID.x, n = i % 16;
            uint a = texelFetch(sampled[nonuniformEXT(n)], ivec2(1, 1), 0).x;
            uint b = imageAtomicAdd(images[nonuniformEXT(15 - n)], ivec2(i / 16, 2), 3);
            uint c = texelFetch(texels[nonuniformEXT(n)], int(i)).x;
            imageStore(words[nonuniformEXT(2 * n + 1)], int(i), uvec4(i + 1));
            outs[i] = uvec4(a, b, c, imageLoad(words[nonuniformEXT(2 * n + 1)], int(i)).x);
        }",
        layout,
    );
    let compute = vk::PipelineBindPoint::COMPUTE;
    // SAFETY: valid usage.
    let commands = bed.record(|c| unsafe {
        bed.device.cmd_bind_pipeline(c, compute, pipeline);
        bed.device.cmd_bind_descriptor_sets(c, compute, layout, 0, &[set], &[]);
        bed.device.cmd_dispatch(c, 1, 1, 1);
    });
    // All of it after the set was bound.
    for n in 0..N {
        write(bed, set, (1, n), SAMPLED, image(bed, 100 + n), vk::Sampler::null());
        write(bed, set, (2, n), IMAGE, image(bed, 200 + n), vk::Sampler::null());
        for (at, ty, element) in [(n, uniform, n), (N + n, storage, 2 * n + 1)] {
            let info = vk::BufferViewCreateInfo::default()
                .buffer(data.handle)
                .format(vk::Format::R32_UINT)
                .offset(512 * u64::from(at))
                .range(512);
            // SAFETY: valid usage throughout.
            unsafe {
                let view = bed.device.create_buffer_view(&info, None).unwrap();
                bed.later(move |d| d.destroy_buffer_view(view, None));
                let views = [view];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(if ty == uniform { 3 } else { 4 })
                    .dst_array_element(element)
                    .descriptor_type(ty)
                    .texel_buffer_view(&views);
                bed.device.update_descriptor_sets(&[write], &[]);
            }
        }
    }
    bed.submit(commands);
    let got = out.get();
    for i in 0..64u32 {
        let n = i % 16;
        let want = [100 + n, 200 + 15 - n, 5 * (128 * n + i), i + 1];
        assert_eq!(got[4 * i as usize..][..4], want, "work-item {i}");
        assert_eq!(data.get()[(128 * (16 + n) + i) as usize], i + 1);
    }
}
