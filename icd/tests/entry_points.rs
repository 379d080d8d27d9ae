//! What a program can learn before it makes a device, and how commands are found.

use crate::common::{self, entry, get, instance};
use ash::vk::{self, Handle};
use std::ffi::CStr;

#[test]
fn global_commands_without_an_instance() {
    let null = vk::Instance::null();
    for name in [
        c"vkCreateInstance",
        c"vkEnumerateInstanceVersion",
        c"vkEnumerateInstanceExtensionProperties",
        c"vkEnumerateInstanceLayerProperties",
        c"vkGetInstanceProcAddr",
    ] {
        assert!(get(null, name), "{name:?}");
    }
    for name in [c"vkDestroyInstance", c"vkCreateDevice", c"vkQueueSubmit", c"vkGetDeviceProcAddr", c"vkNonsense", c""]
    {
        assert!(!get(null, name), "{name:?}");
    }
}

#[test]
fn an_instance_offers_its_version_and_extensions_only() {
    let entry = entry();
    let plain = instance(&entry, vk::API_VERSION_1_0, &[]);
    let full = instance(&entry, vk::API_VERSION_1_1, &[ash::ext::debug_utils::NAME]);
    let newest = instance(&entry, vk::API_VERSION_1_3, &[]);
    let both = |name: &CStr| (get(plain.handle(), name), get(full.handle(), name));
    assert_eq!(both(c"vkQueueSubmit"), (true, true));
    assert_eq!(both(c"vkGetPhysicalDeviceProperties2"), (false, true));
    assert_eq!(both(c"vkGetPhysicalDeviceProperties2KHR"), (false, false));
    assert_eq!(both(c"vkCreateDebugUtilsMessengerEXT"), (false, true));
    assert_eq!(both(c"vkCmdBeginDebugUtilsLabelEXT"), (false, true));
    // A device extension that is available counts, enabled or not.
    assert_eq!(both(c"vkQueueSubmit2KHR"), (true, true));
    assert_eq!(both(c"vkCreateSwapchainKHR"), (true, true));
    assert_eq!(both(c"vkCreateInstance"), (false, false));
    for later in [c"vkQueueSubmit2", c"vkGetBufferDeviceAddress", c"vkCreateRenderPass2", c"vkCmdBeginRendering"] {
        assert_eq!(both(later), (false, false), "{later:?}");
        assert!(get(newest.handle(), later), "{later:?}");
    }
    for never in [
        c"vkCreateSharedSwapchainsKHR",
        c"vkDestroySurfaceKHR",
        c"vkCreateDebugReportCallbackEXT",
        c"vk_icdNegotiateLoaderICDInterfaceVersion2",
    ] {
        assert_eq!(both(never), (false, false), "{never:?}");
        assert!(!get(newest.handle(), never), "{never:?}");
    }
    // SAFETY: nothing was made of them.
    unsafe {
        plain.destroy_instance(None);
        full.destroy_instance(None);
        newest.destroy_instance(None);
    }
}

#[test]
fn the_loader_interface() {
    let negotiate = |mut version: u32| {
        // SAFETY: a writable u32.
        (unsafe { vulkan_wavepipe::vk_icdNegotiateLoaderICDInterfaceVersion(&mut version) }, version)
    };
    assert_eq!(negotiate(5), (vk::Result::SUCCESS, 5));
    assert_eq!(negotiate(1000), (vk::Result::SUCCESS, vulkan_wavepipe::INTERFACE_VERSION));
    assert_eq!(negotiate(1).0, vk::Result::ERROR_INCOMPATIBLE_DRIVER);

    let entry = entry();
    let instance = instance(&entry, vk::API_VERSION_1_1, &[]);
    let physical = |name: &CStr| {
        // SAFETY: a live instance and a C string.
        unsafe { vulkan_wavepipe::vk_icdGetPhysicalDeviceProcAddr(instance.handle(), name.as_ptr()) }.is_some()
    };
    assert!(physical(c"vkGetPhysicalDeviceFeatures2") && physical(c"vkCreateDevice"));
    assert!(!physical(c"vkDestroyInstance") && !physical(c"vkQueueSubmit") && !physical(c"vkCreateInstance"));
    // The loader keeps its dispatch table in the first word, and expects its number there.
    // SAFETY: dispatchable handles point to at least one word.
    let first_word = unsafe { *(instance.handle().as_raw() as *const usize) };
    assert_eq!(first_word, 0x01CD_C0DE);
    // SAFETY: nothing was made of it.
    unsafe { instance.destroy_instance(None) };
}

#[test]
fn what_is_not_there_is_refused() {
    let entry = entry();
    let extensions = common::names(&[ash::khr::display::NAME]);
    let info = vk::InstanceCreateInfo::default().enabled_extension_names(&extensions);
    // SAFETY: valid usage but for the extension, which is what we ask about.
    let refused = unsafe { entry.create_instance(&info, None) }.err();
    assert_eq!(refused, Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));

    let instance = instance(&entry, vk::API_VERSION_1_1, &[]);
    // SAFETY: valid usage but for what we ask about.
    unsafe {
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
        let asked = vk::PhysicalDeviceFeatures::default().geometry_shader(true);
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_features(&asked);
        let refused = instance.create_device(physical, &info, None).err();
        assert_eq!(refused, Some(vk::Result::ERROR_FEATURE_NOT_PRESENT));

        let mut asked = vk::PhysicalDeviceProtectedMemoryFeatures::default().protected_memory(true);
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut asked);
        let refused = instance.create_device(physical, &info, None).err();
        assert_eq!(refused, Some(vk::Result::ERROR_FEATURE_NOT_PRESENT));

        let extensions = common::names(&[ash::khr::ray_query::NAME]);
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
        let refused = instance.create_device(physical, &info, None).err();
        assert_eq!(refused, Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));

        let nameless = vk::QueueGlobalPriorityKHR::from_raw(77);
        let mut asked = vk::DeviceQueueGlobalPriorityCreateInfoKHR::default().global_priority(nameless);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities).push_next(&mut asked)];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let refused = instance.create_device(physical, &info, None).err();
        assert_eq!(refused, Some(vk::Result::ERROR_INITIALIZATION_FAILED));

        let format = instance.get_physical_device_image_format_properties(
            physical,
            vk::Format::D24_UNORM_S8_UINT,
            vk::ImageType::TYPE_2D,
            vk::ImageTiling::OPTIMAL,
            vk::ImageUsageFlags::SAMPLED,
            vk::ImageCreateFlags::empty(),
        );
        assert_eq!(format.err(), Some(vk::Result::ERROR_FORMAT_NOT_SUPPORTED));
        instance.destroy_instance(None);
    }
}

#[test]
fn properties_and_their_chains() {
    let entry = entry();
    let instance = instance(&entry, vk::API_VERSION_1_1, &[]);
    // SAFETY: valid usage throughout.
    unsafe {
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        // A structure of an extension that we do not report must be skipped.
        let mut unknown = vk::PhysicalDeviceRayTracingPipelinePropertiesKHR::default();
        let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
        let mut sizes = vk::PhysicalDeviceSubgroupSizeControlProperties::default();
        let mut id = vk::PhysicalDeviceIDProperties::default();
        let mut two = vk::PhysicalDeviceProperties2::default()
            .push_next(&mut subgroup)
            .push_next(&mut unknown)
            .push_next(&mut sizes)
            .push_next(&mut id);
        instance.get_physical_device_properties2(physical, &mut two);
        let one = instance.get_physical_device_properties(physical);
        assert_eq!(two.properties.device_name, one.device_name);
        assert_eq!(vk::api_version_minor(one.api_version), 3);
        assert_eq!(one.limits.max_compute_work_group_invocations, 1024);
        assert_eq!(one.limits.timestamp_period, 10.0);
        assert_eq!((sizes.min_subgroup_size, sizes.max_subgroup_size), (32, 64));
        assert!(subgroup.subgroup_size == 32 || subgroup.subgroup_size == 64);
        assert_ne!(id.device_uuid, [0; 16]);
        assert_eq!(unknown.shader_group_handle_size, 0);

        let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default();
        let mut scalar = vk::PhysicalDeviceScalarBlockLayoutFeatures::default();
        let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut timeline).push_next(&mut scalar);
        instance.get_physical_device_features2(physical, &mut features);
        assert_eq!(features.features.robust_buffer_access, vk::TRUE);
        assert_eq!((timeline.timeline_semaphore, scalar.scalar_block_layout), (vk::TRUE, vk::TRUE));

        let families = instance.get_physical_device_queue_family_properties(physical);
        use vk::QueueFlags as Can;
        let flags: Vec<_> = families.iter().map(|f| f.queue_flags).collect();
        assert_eq!(flags, [Can::GRAPHICS | Can::COMPUTE | Can::TRANSFER, Can::COMPUTE | Can::TRANSFER, Can::TRANSFER]);
        // Asynchronous compute: four ACEs of eight queues.
        assert_eq!(families.iter().map(|f| f.queue_count).collect::<Vec<_>>(), [1, 32, 2]);
        assert!(families.iter().all(|f| f.timestamp_valid_bits == 64));
        instance.destroy_instance(None);
    }
}

#[test]
fn enumeration_says_when_it_is_incomplete() {
    let entry = entry();
    let enumerate = entry.fp_v1_0().enumerate_instance_extension_properties;
    let mut count = 0;
    let mut places = [vk::ExtensionProperties::default(); 16];
    // SAFETY: valid usage throughout.
    unsafe {
        let null = std::ptr::null();
        assert_eq!(enumerate(null, &mut count, std::ptr::null_mut()), vk::Result::SUCCESS);
        assert_eq!(count, 13);
        count = 1;
        assert_eq!(enumerate(null, &mut count, places.as_mut_ptr()), vk::Result::INCOMPLETE);
        assert_eq!(count, 1);
        count = 16;
        assert_eq!(enumerate(null, &mut count, places.as_mut_ptr()), vk::Result::SUCCESS);
        assert_eq!(count, 13);
        assert_eq!(places[0].extension_name_as_c_str().unwrap(), ash::ext::debug_utils::NAME);
    }
}

#[test]
fn a_wrong_handle_is_an_error_not_a_crash() {
    let entry = entry();
    let instance = instance(&entry, vk::API_VERSION_1_1, &[]);
    // SAFETY: deliberately wrong handles, of memory that is readable; the driver looks at the kind first.
    unsafe {
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let confused = vk::PhysicalDevice::from_raw(instance.handle().as_raw());
        let info = vk::DeviceCreateInfo::default();
        assert_eq!(instance.create_device(confused, &info, None).err(), Some(vk::Result::ERROR_UNKNOWN));
        let null = vk::PhysicalDevice::null();
        assert_eq!(instance.create_device(null, &info, None).err(), Some(vk::Result::ERROR_UNKNOWN));
        // And the driver goes on.
        assert!(!physical.is_null());
        instance.destroy_instance(None);
    }
}
