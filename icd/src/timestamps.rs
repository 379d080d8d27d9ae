//! Calibrated timestamps (chapter "Synchronization and Cache Control", section "Calibrated Timestamps").

use crate::entry::{Fail, SUCCESS, entry};
use ash::vk;
use wavepipe_runtime::TimeDomain;

const DOMAINS: [vk::TimeDomainKHR; 3] =
    [vk::TimeDomainKHR::DEVICE, vk::TimeDomainKHR::CLOCK_MONOTONIC, vk::TimeDomainKHR::CLOCK_MONOTONIC_RAW];

fn domain(of: vk::TimeDomainKHR) -> Result<TimeDomain, Fail> {
    match of {
        vk::TimeDomainKHR::DEVICE => Ok(TimeDomain::Device),
        vk::TimeDomainKHR::CLOCK_MONOTONIC => Ok(TimeDomain::Monotonic),
        vk::TimeDomainKHR::CLOCK_MONOTONIC_RAW => Ok(TimeDomain::MonotonicRaw),
        other => Err(Fail::new(vk::Result::ERROR_UNKNOWN, format!("{other:?} is no time domain of this device"))),
    }
}

entry! { call;
    fn vkGetPhysicalDeviceCalibrateableTimeDomainsKHR(
        device: vk::PhysicalDevice,
        count: *mut u32,
        domains: *mut vk::TimeDomainKHR,
    ) -> vk::Result {
        call.physical_device(device);
        call.enumerate(count, domains, &DOMAINS)
    }

    fn vkGetCalibratedTimestampsKHR(
        device: vk::Device,
        count: u32,
        infos: *const vk::CalibratedTimestampInfoKHR<'_>,
        times: *mut u64,
        deviation: *mut u64,
    ) -> vk::Result {
        let device = call.device(device);
        let domains = call.slice(infos, count).iter().map(|info| domain(info.time_domain));
        let (read, most) = device.runtime.calibrated_timestamps(&domains.collect::<Result<Vec<_>, _>>()?);
        read.into_iter().enumerate().for_each(|(i, time)| call.write_at(times, i, time));
        call.write(deviation, most);
        SUCCESS
    }
}
