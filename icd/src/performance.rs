//! Performance queries (VK_KHR_performance_query; chapter "Queries"): offered where the machine runs on a clock, for nothing
//! counts without one. Every set of counters is sampled in one pass, and devices share no counters, so nobody has to wait for
//! the profiling lock.

use crate::entry::{SUCCESS, config, entry};
use crate::identity::put_bytes;
use ash::vk;
use wavepipe_runtime::{CounterUnit, PERFORMANCE_COUNTERS};

/// Whether the devices of this process count.
pub fn offered() -> bool {
    config().timing
}

fn unit(unit: CounterUnit) -> vk::PerformanceCounterUnitKHR {
    match unit {
        CounterUnit::Generic => vk::PerformanceCounterUnitKHR::GENERIC,
        CounterUnit::Percentage => vk::PerformanceCounterUnitKHR::PERCENTAGE,
        CounterUnit::Bytes => vk::PerformanceCounterUnitKHR::BYTES,
        CounterUnit::Cycles => vk::PerformanceCounterUnitKHR::CYCLES,
    }
}

/// Begins every counter's UUID; its number is the last byte.
const UUID: [u8; 15] = *b"wavepipe counte";

entry! { call;
    fn vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR(
        device: vk::PhysicalDevice,
        family: u32,
        count: *mut u32,
        counters: *mut vk::PerformanceCounterKHR<'_>,
        descriptions: *mut vk::PerformanceCounterDescriptionKHR<'_>,
    ) -> vk::Result {
        let total = if offered() { PERFORMANCE_COUNTERS.len() } else { 0 };
        let room = *call.out(count);
        if !descriptions.is_null() {
            let mut room = room;
            let _: vk::Result = call.enumerate_with(&raw mut room, descriptions, total, |i, description| {
                let counter = &PERFORMANCE_COUNTERS[i];
                // Whoever else runs on the GPU is counted too.
                description.flags = vk::PerformanceCounterDescriptionFlagsKHR::CONCURRENTLY_IMPACTED;
                put_bytes(&mut description.name, counter.name.as_bytes());
                put_bytes(&mut description.category, counter.category.as_bytes());
                put_bytes(&mut description.description, counter.description.as_bytes());
            })?;
        }
        if counters.is_null() && !descriptions.is_null() {
            call.write(count, room.min(total as u32));
            return Ok(if (room as usize) < total { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS });
        }
        call.enumerate_with(count, counters, total, |i, place| {
            let counter = &PERFORMANCE_COUNTERS[i];
            place.unit = unit(counter.unit);
            place.scope = vk::PerformanceCounterScopeKHR::COMMAND;
            place.storage = match counter.is_real() {
                true => vk::PerformanceCounterStorageKHR::FLOAT64,
                false => vk::PerformanceCounterStorageKHR::UINT64,
            };
            place.uuid[..UUID.len()].copy_from_slice(&UUID);
            place.uuid[UUID.len()] = i as u8;
        })
    }

    fn vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR(
        device: vk::PhysicalDevice,
        info: *const vk::QueryPoolPerformanceCreateInfoKHR<'_>,
        passes: *mut u32,
    ) {
        call.write(passes, 1);
    }

    fn vkAcquireProfilingLockKHR(
        device: vk::Device,
        info: *const vk::AcquireProfilingLockInfoKHR<'_>,
    ) -> vk::Result {
        call.device(device);
        SUCCESS
    }

    fn vkReleaseProfilingLockKHR(device: vk::Device) {
        call.device(device);
    }
}
