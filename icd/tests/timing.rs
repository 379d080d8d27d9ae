//! `WAVEPIPE_TIMING=1` through the real Vulkan loader: time is the emulated machine's.

use crate::common::child::{self, child_with, said, skip};
use crate::common::{Gpu, spirv};
use ash::vk;
use std::time::Duration;

#[test]
fn the_child() {
    let Some((_, entry)) = child::entry() else { return };
    let mut reset = vk::PhysicalDeviceHostQueryResetFeatures::default().host_query_reset(true);
    let mut lanes = vk::PhysicalDeviceSubgroupSizeControlFeatures::default().subgroup_size_control(true);
    let mut address = vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
    let mut features =
        vk::PhysicalDeviceFeatures2::default().push_next(&mut reset).push_next(&mut lanes).push_next(&mut address);
    features.features.pipeline_statistics_query = vk::TRUE;
    let extensions = [ash::khr::calibrated_timestamps::NAME];
    let gpu = Gpu::with_features(entry, vk::API_VERSION_1_3, &extensions, |_, _| &mut features);
    let d = &gpu.device;
    let calibrated = ash::khr::calibrated_timestamps::Device::new(&gpu.instance, d);
    let clock = || {
        let info = vk::CalibratedTimestampInfoKHR::default().time_domain(vk::TimeDomainKHR::DEVICE);
        // SAFETY: valid usage.
        unsafe { calibrated.get_calibrated_timestamps(&[info]) }.unwrap().0[0]
    };
    let data = gpu.buffer(4096);
    data.set(0..1024);
    let kernel = gpu.kernel(&spirv::double_and_add(64), vk::DescriptorType::STORAGE_BUFFER, Some(64)).unwrap();
    gpu.point(&kernel, &data);
    let pool = |ty, count, statistics| {
        let info = vk::QueryPoolCreateInfo::default().query_type(ty).query_count(count).pipeline_statistics(statistics);
        // SAFETY: valid usage.
        unsafe { d.create_query_pool(&info, None) }.unwrap()
    };
    let invocations = vk::QueryPipelineStatisticFlags::COMPUTE_SHADER_INVOCATIONS;
    let times = pool(vk::QueryType::TIMESTAMP, 2, vk::QueryPipelineStatisticFlags::empty());
    let statistics = pool(vk::QueryType::PIPELINE_STATISTICS, 1, invocations);
    let commands = gpu.commands(|c| {
        // SAFETY: valid usage.
        unsafe {
            d.cmd_reset_query_pool(c, times, 0, 2);
            d.cmd_reset_query_pool(c, statistics, 0, 1);
            d.cmd_begin_query(c, statistics, 0, vk::QueryControlFlags::empty());
            d.cmd_write_timestamp(c, vk::PipelineStageFlags::TOP_OF_PIPE, times, 0);
            gpu.bind(c, &kernel, 1, &[]);
            d.cmd_dispatch(c, 16, 1, 1);
            d.cmd_write_timestamp(c, vk::PipelineStageFlags::BOTTOM_OF_PIPE, times, 1);
            d.cmd_end_query(c, statistics, 0);
        }
    });

    let start = clock();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(clock(), start, "nothing happens, and time stands still");
    gpu.run(commands).unwrap();
    let end = clock();
    let (mut time, mut count) = ([0u64; 2], [0u64; 1]);
    let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
    // SAFETY: valid usage.
    unsafe {
        d.get_query_pool_results(times, 0, &mut time, flags).unwrap();
        d.get_query_pool_results(statistics, 0, &mut count, flags).unwrap();
    }
    assert!(data.get().iter().enumerate().all(|(i, v)| *v == 2 * i as u32 + 1));
    assert_eq!(count[0], 16 * 64);
    assert!(start <= time[0] && time[0] < time[1] && time[1] <= end, "{start} {time:?} {end}");
    // SAFETY: valid usage.
    let period = unsafe { gpu.instance.get_physical_device_properties(gpu.physical) }.limits.timestamp_period;
    let nanoseconds = (time[1] - time[0]) as f64 * f64::from(period);
    // A load from memory and a store take longer than the first, and 16 work-groups shorter than the second.
    assert!((200.0..100_000.0).contains(&nanoseconds), "{nanoseconds} ns");
    println!("ticks {start} {} {} {end}", time[0], time[1]);
    // SAFETY: not used any more.
    unsafe {
        d.destroy_query_pool(times, None);
        d.destroy_query_pool(statistics, None);
    }
    gpu.free_kernel(kernel);
    gpu.free(data);
    child::done();
}

#[test]
fn timestamps_are_emulated_time_and_the_same_every_time() {
    let mut seen = Vec::new();
    for threads in ["1", "3"] {
        let output = child_with(module_path!(), "timing", &[("WAVEPIPE_TIMING", "1"), ("WAVEPIPE_THREADS", threads)]);
        let words = said(&output);
        if let Some(oracle) = child::missing(&words) {
            return skip(oracle);
        }
        child::passed_without_a_word(&output);
        seen.push(words.lines().find(|l| l.contains("ticks ")).map(str::to_owned).unwrap_or_else(|| panic!("{words}")));
    }
    assert_eq!(seen[0], seen[1]);
}
