//! VK_KHR_performance_query through the real Vulkan loader: counters of a dispatch whose waves and accesses are known.

use crate::common::child::{self, child_with, said, skip};
use crate::common::{Gpu, spirv};
use ash::{khr, vk};

const EXTENSION: [&std::ffi::CStr; 1] = [khr::performance_query::NAME];

/// Work-groups of 64, each one wave64.
const GROUPS: u32 = 16;

#[test]
fn the_child() {
    let Some((what, entry)) = child::entry() else { return };
    let timed = what == "timed";
    let mut performance = vk::PhysicalDevicePerformanceQueryFeaturesKHR::default();
    if timed {
        performance = performance.performance_counter_query_pools(true);
    }
    let mut reset = vk::PhysicalDeviceHostQueryResetFeatures::default().host_query_reset(true);
    let mut lanes = vk::PhysicalDeviceSubgroupSizeControlFeatures::default().subgroup_size_control(true);
    let mut address = vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
    let mut features =
        vk::PhysicalDeviceFeatures2::default().push_next(&mut reset).push_next(&mut lanes).push_next(&mut address);
    if timed {
        features = features.push_next(&mut performance);
    }
    let extensions = if timed { &EXTENSION[..] } else { &[] };
    let gpu = Gpu::with_features(entry, vk::API_VERSION_1_3, extensions, |_, _| &mut features);
    // SAFETY: valid usage.
    let offered = unsafe { gpu.instance.enumerate_device_extension_properties(gpu.physical) }.unwrap();
    let offered = offered.iter().any(|e| e.extension_name_as_c_str() == Ok(EXTENSION[0]));
    let mut has = vk::PhysicalDevicePerformanceQueryFeaturesKHR::default();
    let mut all = vk::PhysicalDeviceFeatures2::default();
    if offered {
        all = all.push_next(&mut has);
    }
    // SAFETY: valid usage.
    unsafe { gpu.instance.get_physical_device_features2(gpu.physical, &mut all) };
    assert_eq!((offered, has.performance_counter_query_pools == vk::TRUE), (timed, timed));
    if timed {
        counts(&gpu);
    }
    child::done();
}

fn counts(gpu: &Gpu) {
    let d = &gpu.device;
    let of_instance = khr::performance_query::Instance::new(&gpu.entry, &gpu.instance);
    let of_device = khr::performance_query::Device::new(&gpu.instance, d);
    // SAFETY: valid usage.
    let families = unsafe { gpu.instance.get_physical_device_queue_family_properties(gpu.physical) };
    let mut names = Vec::new();
    let mut counters = Vec::new();
    for family in 0..families.len() as u32 {
        // SAFETY: valid usage.
        unsafe {
            let n = of_instance
                .enumerate_physical_device_queue_family_performance_query_counters_len(gpu.physical, family)
                .unwrap();
            counters = vec![vk::PerformanceCounterKHR::default(); n];
            let mut descriptions = vec![vk::PerformanceCounterDescriptionKHR::default(); n];
            of_instance
                .enumerate_physical_device_queue_family_performance_query_counters(
                    gpu.physical,
                    family,
                    &mut counters,
                    &mut descriptions,
                )
                .unwrap();
            let text =
                |d: &vk::PerformanceCounterDescriptionKHR<'_>| d.name_as_c_str().unwrap().to_str().unwrap().to_owned();
            names = descriptions.iter().map(text).collect::<Vec<_>>();
            assert!(descriptions.iter().all(|d| !d.description_as_c_str().unwrap().is_empty()));
        }
    }
    assert!(names.len() == 16 && counters.iter().all(|c| c.scope == vk::PerformanceCounterScopeKHR::COMMAND));
    let uuids: std::collections::BTreeSet<_> = counters.iter().map(|c| c.uuid).collect();
    assert_eq!(uuids.len(), counters.len());

    let indices: Vec<u32> = (0..names.len() as u32).rev().collect();
    let mut choice = vk::QueryPoolPerformanceCreateInfoKHR::default().queue_family_index(0).counter_indices(&indices);
    // SAFETY: valid usage.
    let passes =
        unsafe { of_instance.get_physical_device_queue_family_performance_query_passes(gpu.physical, &choice) };
    assert_eq!(passes, 1);
    let info = vk::QueryPoolCreateInfo::default()
        .query_type(vk::QueryType::PERFORMANCE_QUERY_KHR)
        .query_count(1)
        .push_next(&mut choice);
    // SAFETY: valid usage.
    let pool = unsafe { d.create_query_pool(&info, None) }.unwrap();

    let data = gpu.buffer(4 * 64 * u64::from(GROUPS));
    data.set(0..64 * GROUPS);
    let kernel = gpu.kernel(&spirv::double_and_add(64), vk::DescriptorType::STORAGE_BUFFER, Some(64)).unwrap();
    gpu.point(&kernel, &data);
    // SAFETY: valid usage.
    unsafe {
        d.reset_query_pool(pool, 0, 1);
        of_device.acquire_profiling_lock(&vk::AcquireProfilingLockInfoKHR::default().timeout(u64::MAX)).unwrap();
    }
    let commands = gpu.commands(|c| {
        // SAFETY: valid usage.
        unsafe {
            d.cmd_begin_query(c, pool, 0, vk::QueryControlFlags::empty());
            gpu.bind(c, &kernel, 1, &[]);
            d.cmd_dispatch(c, GROUPS, 1, 1);
            d.cmd_pipeline_barrier(
                c,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &[],
            );
            d.cmd_end_query(c, pool, 0);
        }
    });
    gpu.run(commands).unwrap();
    assert!(data.get().iter().enumerate().all(|(i, v)| *v == 2 * i as u32 + 1));
    let mut results = vec![vk::PerformanceCounterResultKHR { uint64: 0 }; indices.len()];
    // SAFETY: valid usage: one result for each counter, of the type that the counter's storage names.
    let bits: Vec<u64> = unsafe {
        (d.fp_v1_0().get_query_pool_results)(
            d.handle(),
            pool,
            0,
            1,
            8 * results.len(),
            results.as_mut_ptr().cast(),
            8 * results.len() as u64,
            vk::QueryResultFlags::WAIT,
        )
        .result()
        .unwrap();
        of_device.release_profiling_lock();
        results.iter().map(|r| r.uint64).collect()
    };
    let place = |name: &str| names.iter().position(|n| n == name).unwrap_or_else(|| panic!("{name} of {names:?}"));
    let count = |name: &str| {
        assert_eq!(counters[place(name)].storage, vk::PerformanceCounterStorageKHR::UINT64);
        bits[indices.iter().position(|i| *i as usize == place(name)).unwrap()]
    };
    let real = |name: &str| {
        assert_eq!(counters[place(name)].storage, vk::PerformanceCounterStorageKHR::FLOAT64);
        f64::from_bits(bits[indices.iter().position(|i| *i as usize == place(name)).unwrap()])
    };
    let waves = u64::from(GROUPS);
    assert_eq!(count("Waves"), waves);
    // Each wave loads once and stores once; all waves run the same instructions.
    assert_eq!((count("VMEM Load Instructions"), count("VMEM Store Instructions")), (waves, waves));
    assert_eq!(count("LDS Instructions"), 0);
    let kinds = ["VALU Instructions", "SALU Instructions", "SMEM Load Instructions"].map(count);
    assert!(kinds.iter().all(|n| *n > 0 && n % waves == 0), "{kinds:?}");
    let instructions = count("Instructions");
    assert!(instructions % waves == 0 && instructions >= kinds.iter().sum::<u64>() + 2 * waves, "{instructions}");
    let cycles = count("GPU active cycles");
    assert!((500..100_000).contains(&cycles), "{cycles}");
    // A vector instruction of a wave64 keeps the unit for a cycle in each half.
    let busy = 100.0 * (2 * kinds[0]) as f64 / (cycles * 80) as f64;
    assert!((real("VALU Busy") - busy).abs() < 1e-9, "{} and {busy}", real("VALU Busy"));
    let ratios = ["L0 cache hit ratio", "L1 cache hit ratio", "L2 cache hit ratio"].map(real);
    assert!(ratios.iter().all(|r| (0.0..=100.0).contains(r)), "{ratios:?}");
    // Two lines of each wave, loaded once: none was there.
    assert_eq!(ratios[0], 0.0);
    assert!(count("VRAM read size") % 128 == 0 && count("VRAM write size") % 32 == 0);
    // SAFETY: not used any more.
    unsafe { d.destroy_query_pool(pool, None) };
    gpu.free_kernel(kernel);
    gpu.free(data);
}

#[test]
fn counters_are_offered_and_right_where_there_is_a_clock() {
    for (what, timing) in [("timed", "1"), ("untimed", "0")] {
        let output = child_with(module_path!(), what, &[("WAVEPIPE_TIMING", timing)]);
        let words = said(&output);
        if let Some(oracle) = child::missing(&words) {
            return skip(oracle);
        }
        child::passed_without_a_word(&output);
    }
}
