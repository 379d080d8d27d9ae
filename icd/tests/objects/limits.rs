//! What VkPhysicalDeviceLimits promises, at its bound. Images have theirs in `format_uses`.

use super::bed::{Bed, can_compile, skip, spirv};
use super::child;
use ash::vk;

const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;
const GIB: u64 = 1 << 30;

fn limits(bed: &Bed) -> vk::PhysicalDeviceLimits {
    // SAFETY: valid usage.
    unsafe { bed.instance.get_physical_device_properties(bed.physical) }.limits
}

/// Whether a buffer of four GiB has room.
fn is_roomy(bed: &Bed) -> bool {
    // SAFETY: valid usage.
    let heap = unsafe { bed.instance.get_physical_device_memory_properties(bed.physical) }.memory_heaps[0].size;
    if heap < 5 * GIB {
        skip("a host with more than 7 GiB of memory");
    }
    heap >= 5 * GIB
}

/// The last vector of the longest uniform buffer.
#[test]
fn the_longest_uniform_buffer() {
    let bed = Bed::linked();
    if !can_compile() || !is_roomy(&bed) {
        return;
    }
    let range = u64::from(limits(&bed).max_uniform_buffer_range);
    let (big, out) = (bed.buffer_with(4 * GIB, vk::BufferUsageFlags::empty()), bed.buffer(2));
    let last = range / 16 - 1;
    for (vector, value) in [(0, 5), (last, 6)] {
        // SAFETY: mapped, and inside; the GPU is idle.
        unsafe { big.map.wrapping_byte_add(16 * vector as usize).write_volatile(value) };
    }
    let layout = bed.set_layout(&[(0, STORAGE, 1), (1, vk::DescriptorType::UNIFORM_BUFFER, 1)]);
    let set = bed.set(layout, &[(STORAGE, 1), (vk::DescriptorType::UNIFORM_BUFFER, 1)], None);
    bed.point(set, (0, 0), STORAGE, (out.handle, 0, vk::WHOLE_SIZE));
    bed.point(set, (1, 0), vk::DescriptorType::UNIFORM_BUFFER, (big.handle, 0, range));
    let pipeline_layout = bed.pipeline_layout(&[layout], 0);
    let text = format!(
        "#version 450
        layout(local_size_x = 1) in;
        layout(set = 0, binding = 0) buffer Out {{ uint outs[]; }};
        layout(set = 0, binding = 1, std140) uniform In {{ uvec4 vectors[{}]; }};
        void main() {{ outs[0] = vectors[outs[0]].x; outs[1] = vectors[outs[1]].x; }}",
        last + 1
    );
    out.set([0, last as u32]);
    bed.dispatch(bed.pipeline(&text, pipeline_layout), pipeline_layout, &[set], 1);
    assert_eq!(out.get(), [5, 6]);
}

/// The last texel of the longest texel buffer is stored and read; the one behind it is not there.
#[test]
fn the_longest_texel_buffer() {
    let bed = Bed::linked();
    if !can_compile() || !is_roomy(&bed) {
        return;
    }
    const TEXELS: vk::DescriptorType = vk::DescriptorType::STORAGE_TEXEL_BUFFER;
    let elements = limits(&bed).max_texel_buffer_elements;
    let (big, out) = (bed.buffer_with(4 * GIB, vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER), bed.buffer(4));
    let layout = bed.set_layout(&[(0, STORAGE, 1), (1, TEXELS, 1)]);
    let set = bed.set(layout, &[(STORAGE, 1), (TEXELS, 1)], None);
    bed.point(set, (0, 0), STORAGE, (out.handle, 0, vk::WHOLE_SIZE));
    let info =
        vk::BufferViewCreateInfo::default().buffer(big.handle).format(vk::Format::R8_UINT).range(elements.into());
    // SAFETY: valid usage; gone with the bed.
    unsafe {
        let view = bed.device.create_buffer_view(&info, None).unwrap();
        bed.later(move |d| d.destroy_buffer_view(view, None));
        let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(1).descriptor_type(TEXELS);
        bed.device.update_descriptor_sets(&[write.texel_buffer_view(&[view])], &[]);
    }
    let pipeline_layout = bed.pipeline_layout(&[layout], 0);
    let pipeline = bed.pipeline(
        "#version 450
        layout(local_size_x = 1) in;
        layout(set = 0, binding = 0) buffer Out { uint outs[4]; };
        layout(set = 0, binding = 1, r8ui) uniform uimageBuffer texels;
        void main() {
            int last = int(outs[0]);
            outs[1] = uint(imageSize(texels));
            outs[2] = imageLoad(texels, last).x;
            imageStore(texels, last, uvec4(9));
            imageStore(texels, last + 1, uvec4(10));
            outs[3] = imageLoad(texels, last).x;
        }",
        pipeline_layout,
    );
    let bytes = big.map.cast::<u8>();
    let last = elements as usize - 1;
    // SAFETY: mapped, and inside; the GPU is idle.
    let read = |at: usize| unsafe { bytes.wrapping_add(at).read_volatile() };
    // SAFETY: as above.
    unsafe { bytes.wrapping_add(last).write_volatile(8) };
    out.set([last as u32, 0, 0, 0]);
    bed.dispatch(pipeline, pipeline_layout, &[set], 1);
    assert_eq!(out.get(), [last as u32, elements, 8, 9]);
    assert_eq!((read(last - 1), read(last), read(last + 1)), (0, 9, 0));
}

/// The last work-group of each direction knows its place, and a whole row of the shorter directions runs.
#[test]
fn the_last_work_groups() {
    if !can_compile() {
        return;
    }
    let bed = Bed::linked();
    let counts = limits(&bed).max_compute_work_group_count;
    let out = bed.buffer(4);
    let layout = bed.set_layout(&[(0, STORAGE, 1)]);
    let set = bed.set(layout, &[(STORAGE, 1)], None);
    bed.point(set, (0, 0), STORAGE, (out.handle, 0, vk::WHOLE_SIZE));
    let pipeline_layout = bed.pipeline_layout(&[layout], 0);
    let module = bed.module(&spirv(
        "#version 450
        layout(local_size_x = 1) in;
        layout(set = 0, binding = 0) buffer Out { uint most[3]; uint groups; };
        void main() {
            for (int i = 0; i < 3; i++) atomicMax(most[i], gl_WorkGroupID[i]);
            atomicAdd(groups, 1);
        }",
    ));
    let stage =
        vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE).module(module).name(c"main");
    let infos = [vk::ComputePipelineCreateInfo::default()
        .stage(stage)
        .layout(pipeline_layout)
        .flags(vk::PipelineCreateFlags::DISPATCH_BASE)];
    let (d, compute) = (&bed.device, vk::PipelineBindPoint::COMPUTE);
    // SAFETY: valid usage; gone with the bed.
    let pipeline = unsafe {
        let pipeline = d.create_compute_pipelines(vk::PipelineCache::null(), &infos, None).unwrap()[0];
        bed.later(move |d| d.destroy_pipeline(pipeline, None));
        pipeline
    };
    let run = |base: [u32; 3], groups: [u32; 3]| {
        out.set([0; 4]);
        // SAFETY: valid usage.
        bed.run(|c| unsafe {
            d.cmd_bind_pipeline(c, compute, pipeline);
            d.cmd_bind_descriptor_sets(c, compute, pipeline_layout, 0, &[set], &[]);
            d.cmd_dispatch_base(c, base[0], base[1], base[2], groups[0], groups[1], groups[2]);
        });
        out.get()
    };
    for axis in 0..3 {
        let (mut base, mut most) = ([0; 3], [0; 4]);
        base[axis] = counts[axis] - 2;
        (most[axis], most[3]) = (counts[axis] - 1, 2);
        let mut groups = [1; 3];
        groups[axis] = 2;
        assert_eq!(run(base, groups), most, "the last two in direction {axis}");
    }
    for axis in 1..3 {
        let (mut groups, mut most) = ([1; 3], [0; 4]);
        groups[axis] = counts[axis];
        (most[axis], most[3]) = (counts[axis] - 1, counts[axis]);
        assert_eq!(run([0; 3], groups), most, "all in direction {axis}");
    }
}

/// As many sets as can be bound, and in the last of them as many descriptors as a stage can have, all but those of the others.
#[test]
fn as_many_sets_and_descriptors_as_there_may_be() {
    if !can_compile() {
        return;
    }
    let bed = Bed::linked();
    let limits = limits(&bed);
    let sets = limits.max_bound_descriptor_sets;
    let many = limits.max_per_stage_descriptor_storage_buffers - (sets - 1);
    let numbers = bed.buffer(64 * (sets as usize + 2));
    numbers.set((0..numbers.words).map(|i| if i % 64 == 0 { 1 << (i / 64 % 28) } else { 0 }));
    let out = bed.buffer(1);
    let (one, all) = (bed.set_layout(&[(0, STORAGE, 1)]), bed.set_layout(&[(0, STORAGE, many)]));
    let mut layouts = vec![one; sets as usize - 1];
    layouts.push(all);
    let bound: Vec<_> = (0..sets)
        .map(|i| {
            let set = bed.set(layouts[i as usize], &[(STORAGE, if i + 1 == sets { many } else { 1 })], None);
            let of = |n: u32| (numbers.handle, 256 * u64::from(n), 256);
            match i {
                0 => bed.point(set, (0, 0), STORAGE, (out.handle, 0, vk::WHOLE_SIZE)),
                _ if i + 1 == sets => {
                    // Those between are never read.
                    bed.point(set, (0, 0), STORAGE, of(sets));
                    bed.point(set, (0, many - 1), STORAGE, of(sets + 1));
                }
                _ => bed.point(set, (0, 0), STORAGE, of(i)),
            }
            set
        })
        .collect();
    let between: String =
        (1..sets - 1).map(|i| format!("layout(set = {i}, binding = 0) buffer B{i} {{ uint b{i}; }};\n")).collect();
    let sum: String = (1..sets - 1).map(|i| format!(" + b{i}")).collect();
    let text = format!(
        "#version 450
        layout(local_size_x = 1) in;
        layout(set = 0, binding = 0) buffer Out {{ uint sum; }};
        {between}
        layout(set = {}, binding = 0) buffer All {{ uint number; }} all[{many}];
        void main() {{ uint last = sum; sum = all[0].number + all[last].number{sum}; }}",
        sets - 1
    );
    out.set([many - 1]);
    let pipeline_layout = bed.pipeline_layout(&layouts, 0);
    bed.dispatch(bed.pipeline(&text, pipeline_layout), pipeline_layout, &bound, 1);
    let expected: u32 = (1..sets - 1).chain([sets, sets + 1]).map(|n| 1u32 << (n % 28)).sum();
    assert_eq!(out.get(), [expected]);
}

#[test]
fn limits_are_reached_on_every_generation() {
    child::on_every_generation(&[
        "limits::the_longest_uniform_buffer",
        "limits::the_longest_texel_buffer",
        "limits::the_last_work_groups",
        "limits::as_many_sets_and_descriptors_as_there_may_be",
        "memory::a_buffer_of_more_than_four_gib",
    ]);
}
