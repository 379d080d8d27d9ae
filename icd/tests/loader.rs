//! Through the real Vulkan loader, under the Khronos validation layer, which must find nothing to say.

use crate::common::child::{self, child, said, skip};
use crate::common::{Gpu, spirv};
use ash::vk;

#[test]
fn the_child() {
    let Some((what, entry)) = child::entry() else { return };
    let gpu = Gpu::with_entry(entry);
    // SAFETY: valid usage.
    let name = unsafe { gpu.instance.get_physical_device_properties(gpu.physical) }.device_name;
    assert!(name.starts_with(&b"wavepipe".map(|c| c as _)), "the loader offers our device first");
    if what == "wrong" {
        // A buffer of no bytes is against the rules: the layer must say so, or it is not there.
        let info = vk::BufferCreateInfo::default().usage(vk::BufferUsageFlags::STORAGE_BUFFER);
        // SAFETY: the driver accepts it.
        let buffer = unsafe { gpu.device.create_buffer(&info, None) }.unwrap();
        // SAFETY: not used.
        unsafe { gpu.device.destroy_buffer(buffer, None) };
    } else {
        program(&gpu);
    }
    child::done();
}

/// Two dispatches with a barrier between, a copy, timestamps.
fn program(gpu: &Gpu) {
    let (data, copy) = (gpu.buffer(1024), gpu.buffer(1024));
    data.set(0..256);
    let kernel = gpu.kernel(&spirv::double_and_add(64), vk::DescriptorType::STORAGE_BUFFER, Some(64)).unwrap();
    gpu.point(&kernel, &data);
    let d = &gpu.device;
    // SAFETY: valid usage throughout; the layer watches.
    unsafe {
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2);
        let pool = d.create_query_pool(&info, None).unwrap();
        let commands = gpu.commands(|c| {
            d.cmd_reset_query_pool(c, pool, 0, 2);
            d.cmd_write_timestamp(c, vk::PipelineStageFlags::TOP_OF_PIPE, pool, 0);
            let barrier = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::TRANSFER_READ)];
            let (compute, transfer) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::TRANSFER);
            for push in [1, 2] {
                gpu.bind(c, &kernel, push, &[]);
                d.cmd_dispatch(c, 4, 1, 1);
                let none = vk::DependencyFlags::empty();
                d.cmd_pipeline_barrier(c, compute, compute | transfer, none, &barrier, &[], &[]);
            }
            d.cmd_copy_buffer(c, data.buffer, copy.buffer, &[vk::BufferCopy { size: 1024, ..Default::default() }]);
            d.cmd_write_timestamp(c, vk::PipelineStageFlags::BOTTOM_OF_PIPE, pool, 1);
        });
        gpu.run(commands).unwrap();
        assert!(copy.get().iter().enumerate().all(|(i, v)| *v == 4 * i as u32 + 4));
        let mut times = [0u64; 2];
        d.get_query_pool_results(pool, 0, &mut times, vk::QueryResultFlags::TYPE_64).unwrap();
        assert!(times[1] > times[0]);
        d.destroy_query_pool(pool, None);
    }
    gpu.free_kernel(kernel);
    gpu.free(data);
    gpu.free(copy);
}

#[test]
fn a_valid_program_passes_without_a_word() {
    let wrong = said(&child(module_path!(), "wrong"));
    if let Some(oracle) = child::missing(&wrong) {
        return skip(oracle);
    }
    assert!(wrong.contains("VUID-VkBufferCreateInfo-size-00912"), "{wrong}");

    let output = child(module_path!(), "right");
    child::passed_without_a_word(&output);
}
