//! Queues of every global priority (VK_KHR_global_priority).

use crate::bed::{Bed, everywhere};
use ash::vk;

const PRIORITIES: [vk::QueueGlobalPriorityKHR; 4] = [
    vk::QueueGlobalPriorityKHR::LOW,
    vk::QueueGlobalPriorityKHR::MEDIUM,
    vk::QueueGlobalPriorityKHR::HIGH,
    vk::QueueGlobalPriorityKHR::REALTIME,
];

fn offered(bed: &Bed) -> Vec<Vec<vk::QueueGlobalPriorityKHR>> {
    // SAFETY: valid usage throughout.
    unsafe {
        let count = bed.instance.get_physical_device_queue_family_properties2_len(bed.physical);
        let mut priorities = vec![vk::QueueFamilyGlobalPriorityPropertiesKHR::default(); count];
        let chain = |p| vk::QueueFamilyProperties2::default().push_next(p);
        let mut families: Vec<_> = priorities.iter_mut().map(chain).collect();
        bed.instance.get_physical_device_queue_family_properties2(bed.physical, &mut families);
        drop(families);
        priorities.iter().map(|p| p.priorities[..p.priority_count as usize].to_vec()).collect()
    }
}

#[test]
fn a_queue_may_have_any_global_priority() {
    everywhere("queues::a_queue_may_have_any_global_priority", |bed| {
        if !bed.has(ash::khr::global_priority::NAME) {
            return;
        }
        let offered = offered(bed);
        assert_eq!(offered, vec![PRIORITIES.to_vec(); offered.len()]);
        for priority in PRIORITIES {
            // SAFETY: valid usage throughout.
            unsafe {
                let mut query = vk::PhysicalDeviceGlobalPriorityQueryFeaturesKHR::default();
                let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut query);
                bed.instance.get_physical_device_features2(bed.physical, &mut features);
                assert_eq!(query.global_priority_query, vk::TRUE);
                let mut asked = vk::DeviceQueueGlobalPriorityCreateInfoKHR::default().global_priority(priority);
                let queues = [
                    vk::DeviceQueueCreateInfo::default()
                        .queue_family_index(1)
                        .queue_priorities(&[0.0, 1.0])
                        .push_next(&mut asked),
                    vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[0.5]),
                ];
                let extensions = [ash::khr::global_priority::NAME.as_ptr()];
                let info = vk::DeviceCreateInfo::default()
                    .queue_create_infos(&queues)
                    .enabled_extension_names(&extensions)
                    .push_next(&mut query);
                let device = bed.instance.create_device(bed.physical, &info, None).unwrap();
                let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).unwrap();
                for (family, index) in [(1, 0), (1, 1), (0, 0)] {
                    let queue = device.get_device_queue(family, index);
                    device.queue_submit(queue, &[vk::SubmitInfo::default()], fence).unwrap();
                    device.wait_for_fences(&[fence], true, u64::MAX).unwrap();
                    device.reset_fences(&[fence]).unwrap();
                }
                device.destroy_fence(fence, None);
                device.destroy_device(None);
            }
        }
    });
}
