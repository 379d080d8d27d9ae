//! Accesses outside of what a descriptor names: reads give zero, writes are dropped, and null descriptors name nothing.

use crate::bed::{Bed, can_compile, everywhere};
use ash::vk;

const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;
const UNIFORM: vk::DescriptorType = vk::DescriptorType::UNIFORM_BUFFER;

#[test]
fn outside_of_a_range_there_is_zero() {
    if can_compile() {
        everywhere("robustness::outside_of_a_range_there_is_zero", outside);
    }
}

/// A range of 20 bytes in the middle of a buffer of known content, accessed at and past its end in every width.
fn outside(bed: &Bed) {
    if !bed.has(ash::ext::robustness2::NAME) {
        return;
    }
    let layout = bed.set_layout(&[(0, STORAGE, 1), (1, STORAGE, 1), (2, UNIFORM, 1)]);
    let set = bed.set(layout, &[(STORAGE, 2), (UNIFORM, 1)], None);
    let pipeline_layout = bed.pipeline_layout(&[layout], 4);
    let pipeline = bed.pipeline(
        "#version 450
        layout(set = 0, binding = 0) buffer Out { uint outs[]; };
        layout(set = 0, binding = 1) buffer Data { uint words[]; };
        layout(set = 0, binding = 1) buffer Data4 { uvec4 quads[]; };
        layout(set = 0, binding = 2) uniform Fixed { uvec4 fixed_quads[1000]; };
        layout(push_constant) uniform Push { uint one; };
        void main() {
            outs[0] = words.length();
            outs[1] = words[4 * one];
            outs[2] = words[5 * one];
            outs[3] = words[6];
            outs[4] = words[0x3fffffffu * one];
            outs[5] = quads[0].w;
            outs[6] = quads[one].x;
            outs[7] = quads[one].y;
            outs[8] = quads[one].w;
            outs[9] = fixed_quads[one].x;
            outs[10] = fixed_quads[one].y;
            outs[11] = fixed_quads[999 * one].w;
            outs[12] = atomicAdd(words[5 * one], 7u);
            outs[13] = atomicMax(words[500 * one], 7u);
            words[6 * one] = 1234;
            words[100000 * one] = 1234;
            quads[one + 1] = uvec4(5, 6, 7, 8);
            outs[14] = words[5];
        }",
        pipeline_layout,
    );
    let (out, data) = (bed.buffer(16), bed.buffer(256));
    out.set([u32::MAX; 16]);
    data.set((0..256).map(|i| 1000 + i));
    bed.point(set, (0, 0), STORAGE, (out.handle, 0, vk::WHOLE_SIZE));
    bed.point(set, (1, 0), STORAGE, (data.handle, 256, 20));
    bed.point(set, (2, 0), UNIFORM, (data.handle, 256, 20));
    let (d, compute) = (&bed.device, vk::PipelineBindPoint::COMPUTE);
    // SAFETY: valid usage.
    bed.run(|c| unsafe {
        d.cmd_bind_pipeline(c, compute, pipeline);
        d.cmd_bind_descriptor_sets(c, compute, pipeline_layout, 0, &[set], &[]);
        d.cmd_push_constants(c, pipeline_layout, vk::ShaderStageFlags::COMPUTE, 0, &1u32.to_le_bytes());
        d.cmd_dispatch(c, 1, 1, 1);
    });
    let got = out.get();
    assert_eq!(got[..6], [5, 1068, 0, 0, 0, 1067], "{got:?}");
    assert_eq!((got[6], got[7], got[8]), (1068, 0, 0), "a quad that the range's end cuts");
    // lavapipe rounds a uniform buffer's range up.
    if bed.way != crate::bed::Way::Lavapipe {
        assert_eq!((got[9], got[10]), (1068, 0));
    }
    assert_eq!((got[11], got[12], got[13], got[14]), (0, 0, 0, 0), "{got:?}");
    assert!(data.get().iter().enumerate().all(|(i, w)| *w == 1000 + i as u32), "nothing was written");
}

#[test]
fn null_descriptors() {
    if can_compile() {
        everywhere("robustness::null_descriptors", null);
    }
}

fn null(bed: &Bed) {
    if !bed.has(ash::ext::robustness2::NAME) {
        return;
    }
    let layout = bed.set_layout(&[(0, STORAGE, 1), (1, STORAGE, 1), (2, UNIFORM, 1)]);
    let set = bed.set(layout, &[(STORAGE, 2), (UNIFORM, 1)], None);
    let pipeline_layout = bed.pipeline_layout(&[layout], 0);
    let pipeline = bed.pipeline(
        "#version 450
        layout(set = 0, binding = 0) buffer Out { uint outs[]; };
        layout(set = 0, binding = 1) buffer Nothing { uint words[]; };
        layout(set = 0, binding = 2) uniform Fixed { uvec4 quads[4]; };
        void main() {
            words[gl_WorkGroupID.x] = 5;
            outs[0] = words.length();
            outs[1] = words[gl_WorkGroupID.x];
            outs[2] = quads[gl_WorkGroupID.x].y;
            outs[3] = atomicAdd(words[3], 2);
        }",
        pipeline_layout,
    );
    let out = bed.buffer(4);
    out.set([9; 4]);
    bed.point(set, (0, 0), STORAGE, (out.handle, 0, vk::WHOLE_SIZE));
    bed.point(set, (1, 0), STORAGE, (vk::Buffer::null(), 0, vk::WHOLE_SIZE));
    bed.point(set, (2, 0), UNIFORM, (vk::Buffer::null(), 0, vk::WHOLE_SIZE));
    bed.dispatch(pipeline, pipeline_layout, &[set], 1);
    assert_eq!(out.get(), [0; 4]);
}
