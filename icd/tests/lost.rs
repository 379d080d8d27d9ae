//! Guest code that never ends or goes astray loses the device, and nothing else. One test, because the time limit is the
//! process's.

mod common;

use ash::vk;
use common::{Gpu, Kernel, spirv};
use std::time::Instant;

const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;

fn dispatch(gpu: &Gpu, kernel: &Kernel) -> Result<(), vk::Result> {
    gpu.run(gpu.commands(|c| {
        gpu.bind(c, kernel, 1, &[]);
        // SAFETY: valid usage.
        unsafe { gpu.device.cmd_dispatch(c, 1, 1, 1) };
    }))
}

#[test]
fn a_lost_device_is_only_a_lost_device() {
    // SAFETY: before any other thread of this process reads the environment.
    unsafe { std::env::set_var("WAVEPIPE_TIMEOUT", "300ms") };

    // A kernel without an end.
    let gpu = Gpu::new();
    let data = gpu.buffer(64);
    let kernel = gpu.kernel(&spirv::endless(), STORAGE, None).unwrap();
    gpu.point(&kernel, &data);
    let start = Instant::now();
    assert_eq!(dispatch(&gpu, &kernel), Err(vk::Result::ERROR_DEVICE_LOST));
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    // Lost stays lost, and everything can still be given back.
    assert_eq!(dispatch(&gpu, &kernel), Err(vk::Result::ERROR_DEVICE_LOST));
    // SAFETY: valid usage.
    assert_eq!(unsafe { gpu.device.device_wait_idle() }, Err(vk::Result::ERROR_DEVICE_LOST));
    gpu.free_kernel(kernel);
    gpu.free(data);
    drop(gpu);

    // A descriptor of memory that is gone: an address in no allocation.
    let gpu = Gpu::new();
    let data = gpu.buffer(64);
    let kernel = gpu.kernel(&spirv::double_and_add(16), STORAGE, None).unwrap();
    gpu.point(&kernel, &data);
    gpu.free(data);
    assert_eq!(dispatch(&gpu, &kernel), Err(vk::Result::ERROR_DEVICE_LOST));
    gpu.free_kernel(kernel);
    drop(gpu);

    // Another device of the same process works.
    let gpu = Gpu::new();
    let data = gpu.buffer(64);
    let kernel = gpu.kernel(&spirv::double_and_add(16), STORAGE, None).unwrap();
    gpu.point(&kernel, &data);
    dispatch(&gpu, &kernel).unwrap();
    assert_eq!(data.get(), [1; 16]);
    gpu.free_kernel(kernel);
    gpu.free(data);
    drop(gpu);
    assert_eq!(vulkan_wavepipe::live_objects(), 0);
}
