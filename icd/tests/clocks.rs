//! The clocks of the device and of the host.

use crate::common::{Gpu, entry};
use ash::vk;
use std::time::Duration;

#[test]
fn clocks_of_host_and_device_go_together() {
    for name in [ash::khr::calibrated_timestamps::NAME, ash::ext::calibrated_timestamps::NAME] {
        let mut none = vk::PhysicalDeviceFeatures2::default();
        let gpu = Gpu::with_features(entry(), vk::API_VERSION_1_3, &[name], |_, _| &mut none);
        let ext = name == ash::ext::calibrated_timestamps::NAME;
        let of_instance = ash::ext::calibrated_timestamps::Instance::new(&gpu.entry, &gpu.instance);
        // SAFETY: valid usage throughout.
        unsafe {
            let domains = of_instance.get_physical_device_calibrateable_time_domains(gpu.physical).unwrap();
            let read = || {
                let infos: Vec<_> = domains
                    .iter()
                    .map(|domain| vk::CalibratedTimestampInfoKHR::default().time_domain(*domain))
                    .collect();
                if ext {
                    let device = ash::ext::calibrated_timestamps::Device::new(&gpu.instance, &gpu.device);
                    device.get_calibrated_timestamps(&infos).unwrap()
                } else {
                    let device = ash::khr::calibrated_timestamps::Device::new(&gpu.instance, &gpu.device);
                    device.get_calibrated_timestamps(&infos).unwrap()
                }
            };
            use vk::TimeDomainKHR as Domain;
            assert_eq!(domains, [Domain::DEVICE, Domain::CLOCK_MONOTONIC, Domain::CLOCK_MONOTONIC_RAW]);
            let (before, deviation) = read();
            std::thread::sleep(Duration::from_millis(20));
            let (after, late) = read();
            let period = gpu.instance.get_physical_device_properties(gpu.physical).limits.timestamp_period;
            let device = (after[0] - before[0]) as f64 * f64::from(period);
            let most = (deviation + late) as f64 + 0.01 * device;
            for host in [after[1] - before[1], after[2] - before[2]] {
                assert!((device - host as f64).abs() <= most, "{device} ns, {host} ns, at most {most} apart");
            }
            assert!(device >= 20e6);
        }
    }
}
