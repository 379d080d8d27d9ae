//! Descriptors of all kinds of buffers: written, copied, pushed, by template, inline, mutable, many, and after binding.

use crate::bed::{Bed, can_compile, everywhere};
use ash::vk;

const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;
const UNIFORM: vk::DescriptorType = vk::DescriptorType::UNIFORM_BUFFER;
const INLINE: vk::DescriptorType = vk::DescriptorType::INLINE_UNIFORM_BLOCK;
const WHOLE: u64 = vk::WHOLE_SIZE;

#[test]
fn inline_uniform_blocks() {
    if can_compile() {
        everywhere("descriptors::inline_uniform_blocks", inline_blocks);
    }
}

fn inline_blocks(bed: &Bed) {
    let layout = bed.set_layout(&[(0, INLINE, 48), (1, STORAGE, 1)]);
    let sizes = [(INLINE, 48), (STORAGE, 1)];
    let (first, second) = (bed.set(layout, &sizes, None), bed.set(layout, &sizes, None));
    let out = bed.buffer(16);
    for set in [first, second] {
        bed.point(set, (1, 0), STORAGE, (out.handle, 0, WHOLE));
    }
    let write = |offset: u32, words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let mut data = vk::WriteDescriptorSetInlineUniformBlock::default().data(&bytes);
        let mut write = vk::WriteDescriptorSet::default()
            .dst_set(first)
            .dst_array_element(offset)
            .descriptor_type(INLINE)
            .push_next(&mut data);
        write.descriptor_count = bytes.len() as u32;
        // SAFETY: valid usage.
        unsafe { bed.device.update_descriptor_sets(&[write], &[]) };
    };
    write(0, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    write(20, &[60, 70]);
    let copy = vk::CopyDescriptorSet::default().src_set(first).dst_set(second).descriptor_count(48);
    // SAFETY: valid usage.
    unsafe { bed.device.update_descriptor_sets(&[], &[copy]) };
    let pipeline_layout = bed.pipeline_layout(&[layout], 0);
    let pipeline = bed.pipeline(
        "#version 450
        layout(local_size_x = 12) in;
        layout(set = 0, binding = 0) uniform Block { uvec4 a; uint b; uint c; uvec2 d; uvec4 e; };
        layout(set = 0, binding = 1) buffer Out { uint words[]; };
        void main() {
            uint i = gl_LocalInvocationID.x;
            words[i] = i < 4 ? a[i] : i == 4 ? b : i == 5 ? c : i < 8 ? d[i - 6] : e[i - 8];
        }",
        pipeline_layout,
    );
    for set in [first, second] {
        out.set([0; 16]);
        bed.dispatch(pipeline, pipeline_layout, &[set], 1);
        assert_eq!(out.get()[..12], [1, 2, 3, 4, 5, 60, 70, 8, 9, 10, 11, 12]);
    }
}

#[test]
fn pushed_descriptors() {
    if can_compile() {
        everywhere("descriptors::pushed_descriptors", push);
    }
}

/// Set 1 is pushed: one binding stays while the other changes, and each dispatch sees what was pushed before it.
fn push(bed: &Bed) {
    if !bed.has(ash::khr::push_descriptor::NAME) {
        return;
    }
    let push = ash::khr::push_descriptor::Device::new(&bed.instance, &bed.device);
    let flags = vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR;
    let pushed = bed.set_layout_with(&[(0, UNIFORM, 1), (2, STORAGE, 1)], flags, &[]);
    let plain = bed.set_layout(&[(0, STORAGE, 1)]);
    let layout = bed.pipeline_layout(&[plain, pushed], 0);
    let pipeline = bed.pipeline(
        "#version 450
        layout(set = 0, binding = 0) buffer Count { uint count; };
        layout(set = 1, binding = 0) uniform In { uint value; };
        layout(set = 1, binding = 2) buffer Out { uint words[]; };
        void main() { words[count] = value; count++; }",
        layout,
    );
    let (count, outs) = (bed.buffer(1), [bed.buffer(8), bed.buffer(8)]);
    let ins = [bed.buffer(4), bed.buffer(4), bed.buffer(4)];
    for (i, buffer) in ins.iter().enumerate() {
        buffer.set([100 + i as u32; 4]);
    }
    count.set([0]);
    outs.iter().for_each(|o| o.set([0; 8]));
    let set = bed.set(plain, &[(STORAGE, 1)], None);
    bed.point(set, (0, 0), STORAGE, (count.handle, 0, WHOLE));
    let entry = vk::DescriptorUpdateTemplateEntry {
        dst_binding: 0,
        dst_array_element: 0,
        descriptor_count: 1,
        descriptor_type: UNIFORM,
        offset: 8,
        stride: 0,
    };
    let entries = [entry];
    let info = vk::DescriptorUpdateTemplateCreateInfo::default()
        .descriptor_update_entries(&entries)
        .template_type(vk::DescriptorUpdateTemplateType::PUSH_DESCRIPTORS_KHR)
        .pipeline_bind_point(vk::PipelineBindPoint::COMPUTE)
        .pipeline_layout(layout)
        .set(1);
    // SAFETY: valid usage throughout.
    unsafe {
        let template = bed.device.create_descriptor_update_template(&info, None).unwrap();
        let info = |buffer| [vk::DescriptorBufferInfo { buffer, offset: 0, range: WHOLE }];
        let (compute, all) = (vk::PipelineBindPoint::COMPUTE, vk::PipelineStageFlags::COMPUTE_SHADER);
        bed.run(|c| {
            let d = &bed.device;
            d.cmd_bind_pipeline(c, compute, pipeline);
            d.cmd_bind_descriptor_sets(c, compute, layout, 0, &[set], &[]);
            let write = |binding, ty, infos: &[vk::DescriptorBufferInfo]| {
                let write = vk::WriteDescriptorSet::default().dst_binding(binding).descriptor_type(ty);
                push.cmd_push_descriptor_set(c, compute, layout, 1, &[write.buffer_info(infos)]);
            };
            let run = || {
                d.cmd_dispatch(c, 1, 1, 1);
                let barrier = [vk::MemoryBarrier::default()
                    .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                    .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE)];
                d.cmd_pipeline_barrier(c, all, all, vk::DependencyFlags::empty(), &barrier, &[], &[]);
            };
            write(0, UNIFORM, &info(ins[0].handle));
            write(2, STORAGE, &info(outs[0].handle));
            run();
            write(0, UNIFORM, &info(ins[1].handle));
            run();
            write(2, STORAGE, &info(outs[1].handle));
            run();
            #[repr(C)]
            struct Data(u64, vk::DescriptorBufferInfo);
            let data = Data(0, info(ins[2].handle)[0]);
            push.cmd_push_descriptor_set_with_template(c, template, layout, 1, std::ptr::from_ref(&data).cast());
            run();
        });
        bed.device.destroy_descriptor_update_template(template, None);
    }
    assert_eq!(outs.map(|o| o.get()[..4].to_vec()), [vec![100, 101, 0, 0], vec![0, 0, 101, 102]]);
}

#[test]
fn eight_sets_and_the_second_forms_of_commands() {
    if can_compile() {
        everywhere("descriptors::eight_sets_and_the_second_forms_of_commands", eight_sets);
    }
}

/// More sets than user SGPRs hold; dynamic offsets in two of them.
fn eight_sets(bed: &Bed) {
    let dynamic = vk::DescriptorType::STORAGE_BUFFER_DYNAMIC;
    let (plain, moved) = (bed.set_layout(&[(0, STORAGE, 1)]), bed.set_layout(&[(0, STORAGE, 1), (1, dynamic, 2)]));
    let layouts: Vec<_> = (0..8).map(|i| if i == 2 || i == 5 { moved } else { plain }).collect();
    let layout = bed.pipeline_layout(&layouts, 8);
    let mut glsl = String::from("#version 450\nlayout(push_constant) uniform Push { uint base; uint factor; };\n");
    for n in 0..8 {
        glsl += &format!("layout(set = {n}, binding = 0) buffer B{n} {{ uint words[]; }} b{n};\n");
    }
    for n in [2, 5] {
        glsl += &format!("layout(set = {n}, binding = 1) buffer D{n} {{ uint words[]; }} d{n}[2];\n");
    }
    glsl += "void main() {\n";
    for n in 0..8 {
        glsl += &format!("b{n}.words[{n}] = base + factor * {n};\n");
    }
    for n in [2, 5] {
        glsl += &format!("d{n}[0].words[0] = {n}; d{n}[1].words[1] = 10 * {n};\n");
    }
    let pipeline = bed.pipeline(&(glsl + "}"), layout);
    let (out, far) = (bed.buffer(64), bed.buffer(1024));
    out.set([0; 64]);
    far.set([0; 1024]);
    let sets: Vec<_> = (0..8)
        .map(|i| {
            let set = bed.set(layouts[i], &[(STORAGE, 1), (dynamic, 2)], None);
            bed.point(set, (0, 0), STORAGE, (out.handle, 0, WHOLE));
            if layouts[i] == moved {
                bed.point(set, (1, 0), dynamic, (far.handle, 0, 8));
                bed.point(set, (1, 1), dynamic, (far.handle, 256, 8));
            }
            set
        })
        .collect();
    let offsets = [0, 256, 1024, 2048];
    let push: Vec<u8> = [1000u32, 3].iter().flat_map(|w| w.to_le_bytes()).collect();
    let (d, compute, stages) = (&bed.device, vk::PipelineBindPoint::COMPUTE, vk::ShaderStageFlags::COMPUTE);
    let six = bed.has(ash::khr::maintenance6::NAME);
    for second in if six { &[false, true][..] } else { &[false] } {
        out.set([0; 64]);
        far.set([0; 1024]);
        // SAFETY: valid usage throughout.
        bed.run(|c| unsafe {
            d.cmd_bind_pipeline(c, compute, pipeline);
            if *second {
                let forms = ash::khr::maintenance6::Device::new(&bed.instance, d);
                let info = vk::BindDescriptorSetsInfoKHR::default()
                    .stage_flags(stages)
                    .layout(layout)
                    .descriptor_sets(&sets)
                    .dynamic_offsets(&offsets);
                forms.cmd_bind_descriptor_sets2(c, &info);
                let mut info = vk::PushConstantsInfoKHR::default().layout(layout).stage_flags(stages).values(&push);
                info.size = 8;
                forms.cmd_push_constants2(c, &info);
            } else {
                d.cmd_bind_descriptor_sets(c, compute, layout, 0, &sets, &offsets);
                d.cmd_push_constants(c, layout, stages, 0, &push);
            }
            d.cmd_dispatch(c, 1, 1, 1);
        });
        let got = out.get();
        assert!((0..8).all(|n| got[n] == 1000 + 3 * n as u32), "{got:?}");
        let far = far.get();
        // Set 2 at 0 and 256 + 256, set 5 at 1024 and 256 + 2048 bytes.
        assert_eq!((far[0], far[128 + 1], far[256], far[576 + 1]), (2, 20, 5, 50));
        assert_eq!(far.iter().filter(|w| **w != 0).count(), 4);
    }
}

#[test]
fn many_buffers_of_which_few_are_there() {
    if can_compile() {
        everywhere("descriptors::many_buffers_of_which_few_are_there", many);
    }
}

/// An unbounded array, partially bound, of a count that the set chooses, indexed apart by each work-item, updated after
/// it was bound.
fn many(bed: &Bed) {
    let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut v12);
    // SAFETY: valid usage.
    unsafe { bed.instance.get_physical_device_features2(bed.physical, &mut features) };
    let all = [
        v12.descriptor_binding_variable_descriptor_count,
        v12.descriptor_binding_partially_bound,
        v12.descriptor_binding_storage_buffer_update_after_bind,
        v12.runtime_descriptor_array,
        v12.shader_storage_buffer_array_non_uniform_indexing,
    ];
    if all.contains(&vk::FALSE) {
        assert_eq!(bed.way, crate::bed::Way::Lavapipe, "{all:?}");
        return;
    }
    const COUNT: u32 = 50_000;
    let flags = vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT
        | vk::DescriptorBindingFlags::PARTIALLY_BOUND
        | vk::DescriptorBindingFlags::UPDATE_AFTER_BIND;
    let of_layout = vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL;
    let bindings = [(0, STORAGE, 1), (3, STORAGE, 2 * COUNT)];
    let layout = bed.set_layout_with(&bindings, of_layout, &[vk::DescriptorBindingFlags::empty(), flags]);
    let set = bed.set(layout, &[(STORAGE, 1 + COUNT)], Some(COUNT));
    let pipeline_layout = bed.pipeline_layout(&[layout], 0);
    let pipeline = bed.pipeline(
        "#version 450
        #extension GL_EXT_nonuniform_qualifier : require
        layout(local_size_x = 64) in;
        layout(set = 0, binding = 0) buffer Out { uint words[]; };
        layout(set = 0, binding = 3) buffer In { uint value; } ins[];
        void main() {
            uint i = gl_LocalInvocationID.x;
            words[i] = ins[nonuniformEXT(i * 769)].value;
        }",
        pipeline_layout,
    );
    let (out, values) = (bed.buffer(64), bed.buffer(64 * 64));
    values.set((0..64 * 64).map(|i| i * 3));
    let point = |i: u32, value: u64| bed.point(set, (3, i * 769), STORAGE, (values.handle, value * 256, 4));
    bed.point(set, (0, 0), STORAGE, (out.handle, 0, WHOLE));
    (0..64).for_each(|i| point(i, 63 - u64::from(i)));
    let compute = vk::PipelineBindPoint::COMPUTE;
    // SAFETY: valid usage.
    let commands = bed.record(|c| unsafe {
        bed.device.cmd_bind_pipeline(c, compute, pipeline);
        bed.device.cmd_bind_descriptor_sets(c, compute, pipeline_layout, 0, &[set], &[]);
        bed.device.cmd_dispatch(c, 1, 1, 1);
    });
    (0..32).for_each(|i| point(i, i.into()));
    bed.submit(commands);
    let want: Vec<u32> = (0..64).map(|i| 3 * 64 * if i < 32 { i } else { 63 - i }).collect();
    assert_eq!(out.get(), want);
}

#[test]
fn mutable_descriptors_are_what_was_written_last() {
    if can_compile() {
        everywhere("descriptors::mutable_descriptors_are_what_was_written_last", mutable);
    }
}

fn mutable(bed: &Bed) {
    if !bed.has(ash::ext::mutable_descriptor_type::NAME) {
        return;
    }
    let any = vk::DescriptorType::MUTABLE_EXT;
    let types = [STORAGE, UNIFORM, vk::DescriptorType::SAMPLED_IMAGE, vk::DescriptorType::STORAGE_TEXEL_BUFFER];
    let lists = [vk::MutableDescriptorTypeListEXT::default().descriptor_types(&types)];
    let mut lists_info = vk::MutableDescriptorTypeCreateInfoEXT::default().mutable_descriptor_type_lists(&lists);
    let bindings = [vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(any)
        .descriptor_count(3)
        .stage_flags(vk::ShaderStageFlags::COMPUTE)];
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings).push_next(&mut lists_info);
    // SAFETY: valid usage.
    let layout = unsafe { bed.device.create_descriptor_set_layout(&info, None) }.unwrap();
    // SAFETY: not used any more then.
    bed.later(move |d| unsafe { d.destroy_descriptor_set_layout(layout, None) });
    let set = {
        let sizes = [vk::DescriptorPoolSize { ty: any, descriptor_count: 3 }];
        let mut lists_info = vk::MutableDescriptorTypeCreateInfoEXT::default().mutable_descriptor_type_lists(&lists);
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes).push_next(&mut lists_info);
        // SAFETY: valid usage throughout.
        unsafe {
            let pool = bed.device.create_descriptor_pool(&info, None).unwrap();
            bed.later(move |d| d.destroy_descriptor_pool(pool, None));
            let layouts = [layout];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            bed.device.allocate_descriptor_sets(&info).unwrap()[0]
        }
    };
    let pipeline_layout = bed.pipeline_layout(&[layout], 0);
    // The same binding as two types, of which each element is one.
    let pipeline = bed.pipeline(
        "#version 450
        layout(set = 0, binding = 0) buffer Out { uint words[]; } outs[3];
        layout(set = 0, binding = 0) uniform In { uint value; } ins[3];
        void main() { outs[0].words[0] = ins[1].value; outs[2].words[1] = ins[1].value + 1; }",
        pipeline_layout,
    );
    let (out, value) = (bed.buffer(4), bed.buffer(4));
    out.set([0; 4]);
    value.set([77, 88]);
    bed.point(set, (0, 0), UNIFORM, (value.handle, 0, WHOLE));
    bed.point(set, (0, 0), STORAGE, (out.handle, 0, WHOLE));
    bed.point(set, (0, 1), UNIFORM, (value.handle, 0, WHOLE));
    let copy = vk::CopyDescriptorSet::default().src_set(set).dst_set(set).dst_array_element(2).descriptor_count(1);
    // SAFETY: valid usage.
    unsafe { bed.device.update_descriptor_sets(&[], &[copy]) };
    bed.dispatch(pipeline, pipeline_layout, &[set], 1);
    assert_eq!(out.get()[..2], [77, 78]);
}

/// Pools count by type; what does not fit leaves the pool as it was.
#[test]
fn pools_count_by_type() {
    let bed = Bed::linked();
    let d = &bed.device;
    let layout = bed.set_layout(&[(0, STORAGE, 2), (1, UNIFORM, 1)]);
    let sizes =
        [(STORAGE, 4), (UNIFORM, 9)].map(|(ty, descriptor_count)| vk::DescriptorPoolSize { ty, descriptor_count });
    // SAFETY: valid usage throughout, but for asking for too much, which a pool may be asked for.
    unsafe {
        let flags = vk::DescriptorPoolCreateFlags::FREE_DESCRIPTOR_SET;
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(3).pool_sizes(&sizes).flags(flags);
        let pool = d.create_descriptor_pool(&info, None).unwrap();
        let allocate = |n: usize| {
            let layouts = vec![layout; n];
            d.allocate_descriptor_sets(
                &vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts),
            )
        };
        assert_eq!(allocate(3), Err(vk::Result::ERROR_OUT_OF_POOL_MEMORY), "six storage buffers of four");
        let sets = allocate(2).unwrap();
        assert_eq!(allocate(1), Err(vk::Result::ERROR_OUT_OF_POOL_MEMORY));
        d.free_descriptor_sets(pool, &sets[..1]).unwrap();
        allocate(1).unwrap();
        d.reset_descriptor_pool(pool, vk::DescriptorPoolResetFlags::empty()).unwrap();
        allocate(2).unwrap();
        d.destroy_descriptor_pool(pool, None);
    }
}

/// What vkGetDescriptorSetLayoutSupport says.
#[test]
fn layouts_that_are_too_large_are_not_supported() {
    let bed = Bed::linked();
    let supported = |count: u32| {
        let bindings = [vk::DescriptorSetLayoutBinding::default().descriptor_type(STORAGE).descriptor_count(count)];
        let flags = [vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT];
        let mut flags = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&flags);
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings).push_next(&mut flags);
        let mut variable = vk::DescriptorSetVariableDescriptorCountLayoutSupport::default();
        let mut support = vk::DescriptorSetLayoutSupport::default().push_next(&mut variable);
        // SAFETY: valid usage.
        unsafe { bed.device.get_descriptor_set_layout_support(&info, &mut support) };
        (support.supported, variable.max_variable_descriptor_count)
    };
    assert_eq!(supported(1000), (vk::TRUE, 1 << 20));
    assert_eq!(supported(1 << 20), (vk::TRUE, 1 << 20));
    assert_eq!(supported(u32::MAX), (vk::FALSE, 0));
}
