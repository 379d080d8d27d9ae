//! Through the real Vulkan loader, under the Khronos validation layer, which must find nothing to say.
//!
//! The loader reads its environment once, so each program runs in a process of its own: this binary again, with
//! `WAVEPIPE_TEST_CHILD` naming what to do.

mod common;

use ash::vk;
use common::{Gpu, spirv};
use std::process::{Command, Output};

const CHILD: &str = "WAVEPIPE_TEST_CHILD";
const LAYER: &str = "VK_LAYER_KHRONOS_validation";

/// A missing oracle is said aloud; in CI it is a failure.
fn skip(oracle: &str) {
    println!("SKIP {oracle}");
    assert!(std::env::var_os("CI").is_none(), "{oracle} is missing");
}

fn child(what: &str) -> Output {
    let me = std::env::current_exe().unwrap();
    let library = me.with_file_name("libvulkan_wavepipe.so");
    let dir = std::env::temp_dir().join(format!("wavepipe-loader-{}-{what}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let manifest = dir.join("icd.json");
    let text = format!(
        "{{\"file_format_version\":\"1.0.0\",\"ICD\":{{\"library_path\":{library:?},\"api_version\":\"1.3.281\"}}}}"
    );
    std::fs::write(&manifest, text).unwrap();
    let output = Command::new(me)
        .args(["--exact", "the_child", "--nocapture"])
        .env(CHILD, what)
        .env("VK_DRIVER_FILES", &manifest)
        .env("VK_ICD_FILENAMES", &manifest)
        .env("VK_INSTANCE_LAYERS", LAYER)
        .output()
        .unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    output
}

/// What both streams of a child say.
fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn the_child() {
    let Ok(what) = std::env::var(CHILD) else { return };
    // SAFETY: the system's Vulkan loader.
    let entry = match unsafe { ash::Entry::load() } {
        Ok(entry) => entry,
        Err(_) => return println!("no loader"),
    };
    // SAFETY: valid usage.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }.unwrap();
    if !layers.iter().any(|l| l.layer_name_as_c_str().is_ok_and(|n| n.to_string_lossy() == LAYER)) {
        return println!("no layer");
    }
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
    println!("the child is done");
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
    let wrong = said(&child("wrong"));
    if wrong.contains("no loader") {
        return skip("the Vulkan loader (libvulkan1)");
    }
    if wrong.contains("no layer") {
        return skip("the Khronos validation layer (vulkan-validationlayers)");
    }
    assert!(wrong.contains("VUID-VkBufferCreateInfo-size-00912"), "{wrong}");

    let output = child("right");
    let text = said(&output);
    assert!(output.status.success() && text.contains("the child is done"), "{text}");
    assert!(!text.contains("VUID") && !text.contains("alidation Error"), "{text}");
}
