//! The table of commands against the function tables of the bindings, which are generated from the Vulkan registry.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_void};
use vulkan_wavepipe::tested::{Extension, Level, PROCS, Proc, Since};

/// Names that a function table of the bindings loads: the bindings are generated from the Vulkan registry.
type Names = BTreeSet<CString>;

macro_rules! names {
    ($($table:path),* $(,)?) => {{
        let mut names = Names::new();
        $({
            use $table as Table;
            Table::load(|name: &CStr| -> *const c_void {
                names.insert(name.to_owned());
                std::ptr::null()
            });
        })*
        names
    }};
}

fn ours(keep: impl Fn(&Proc) -> bool) -> Names {
    PROCS.iter().filter(|p| keep(p)).map(|p| p.name.to_owned()).collect()
}

fn set(names: &[&str]) -> Names {
    names.iter().map(|n| CString::new(*n).unwrap()).collect()
}

#[test]
fn every_command_of_the_reported_version_and_no_other() {
    let of = |since: Since| ours(|p| p.since == since);
    let mut v1_0 = names!(ash::EntryFnV1_0, ash::InstanceFnV1_0, ash::DeviceFnV1_0);
    // The bindings load these two apart from their levels.
    v1_0.extend(set(&["vkGetInstanceProcAddr", "vkGetDeviceProcAddr"]));
    assert_eq!(of(Since::V1_0), v1_0);
    assert_eq!(of(Since::V1_1), names!(ash::EntryFnV1_1, ash::InstanceFnV1_1, ash::DeviceFnV1_1));
    assert_eq!(of(Since::V1_2), names!(ash::DeviceFnV1_2));
    assert_eq!(of(Since::V1_3), names!(ash::InstanceFnV1_3, ash::DeviceFnV1_3));

    let level = |level: Level| ours(|p| p.level == level && !matches!(p.since, Since::With(_)));
    assert_eq!(level(Level::Global), names!(ash::EntryFnV1_0, ash::EntryFnV1_1));
    let device = names!(ash::DeviceFnV1_0, ash::DeviceFnV1_1, ash::DeviceFnV1_2, ash::DeviceFnV1_3);
    assert_eq!(level(Level::Device), &device | &set(&["vkGetDeviceProcAddr"]));
}

#[test]
fn every_command_of_each_extension() {
    use ash::{amd, ext, khr};
    let mut brought = Vec::new();
    let mut is = |extension, names: Names| {
        assert_eq!(ours(|p| p.since == Since::With(extension)), names, "{extension:?}");
        brought.push(extension);
    };
    macro_rules! is {
        ($($extension:ident: $($table:path),*;)*) => { $(is(Extension::$extension, names!($($table),*));)* };
    }
    is! {
        DebugUtils: ext::debug_utils::InstanceFn, ext::debug_utils::DeviceFn;
        DeviceGroupCreation: khr::device_group_creation::InstanceFn;
        ExternalFenceCapabilities: khr::external_fence_capabilities::InstanceFn;
        ExternalMemoryCapabilities: khr::external_memory_capabilities::InstanceFn;
        ExternalSemaphoreCapabilities: khr::external_semaphore_capabilities::InstanceFn;
        GetPhysicalDeviceProperties2: khr::get_physical_device_properties2::InstanceFn;
        BindMemory2: khr::bind_memory2::DeviceFn;
        BufferDeviceAddress: khr::buffer_device_address::DeviceFn;
        CopyCommands2: khr::copy_commands2::DeviceFn;
        CreateRenderpass2: khr::create_renderpass2::DeviceFn;
        DynamicRendering: khr::dynamic_rendering::DeviceFn;
        ExtendedDynamicState: ext::extended_dynamic_state::DeviceFn;
        ExtendedDynamicState2: ext::extended_dynamic_state2::DeviceFn;
        GetMemoryRequirements2: khr::get_memory_requirements2::DeviceFn;
        HostImageCopy: ext::host_image_copy::DeviceFn;
        HostQueryReset: ext::host_query_reset::DeviceFn;
        Maintenance1: khr::maintenance1::DeviceFn;
        Maintenance3: khr::maintenance3::DeviceFn;
        Maintenance4: khr::maintenance4::DeviceFn;
        PrivateData: ext::private_data::DeviceFn;
        TimelineSemaphore: khr::timeline_semaphore::DeviceFn;
        ToolingInfo: ext::tooling_info::InstanceFn;
        CalibratedTimestamps: khr::calibrated_timestamps::InstanceFn, khr::calibrated_timestamps::DeviceFn;
        CalibratedTimestampsExt: ext::calibrated_timestamps::InstanceFn, ext::calibrated_timestamps::DeviceFn;
        PerformanceQuery: khr::performance_query::InstanceFn, khr::performance_query::DeviceFn;
        DeviceFault: ext::device_fault::DeviceFn;
        ExternalFenceFd: khr::external_fence_fd::DeviceFn;
        ExternalSemaphoreFd: khr::external_semaphore_fd::DeviceFn;
        ExternalMemoryFd: khr::external_memory_fd::DeviceFn;
        ExternalMemoryHost: ext::external_memory_host::DeviceFn;
        Maintenance5: khr::maintenance5::DeviceFn;
        MapMemory2: khr::map_memory2::DeviceFn;
        PipelineExecutableProperties: khr::pipeline_executable_properties::DeviceFn;
        PushDescriptor: khr::push_descriptor::DeviceFn;
        ShaderModuleIdentifier: ext::shader_module_identifier::DeviceFn;
        ShaderInfo: amd::shader_info::DeviceFn;
        Surface: khr::surface::InstanceFn;
        GetSurfaceCapabilities2: khr::get_surface_capabilities2::InstanceFn;
        HeadlessSurface: ext::headless_surface::InstanceFn;
        WaylandSurface: khr::wayland_surface::InstanceFn;
        XcbSurface: khr::xcb_surface::InstanceFn;
        XlibSurface: khr::xlib_surface::InstanceFn;
        Swapchain: khr::swapchain::InstanceFn, khr::swapchain::DeviceFn;
        SwapchainMaintenance1: ext::swapchain_maintenance1::DeviceFn;
        PresentWait: khr::present_wait::DeviceFn;
    }
    // These commands exist only together with extensions or features that we do not report.
    let mut without = |extension, mut names: Names, gone: &[&str]| {
        names.retain(|name| !gone.iter().any(|g| name.to_bytes() == g.as_bytes()));
        is(extension, names);
    };
    without(
        Extension::Synchronization2,
        names!(khr::synchronization2::DeviceFn),
        &["vkCmdWriteBufferMarker2AMD", "vkGetQueueCheckpointData2NV"],
    );
    without(
        Extension::Maintenance6,
        names!(khr::maintenance6::DeviceFn),
        &["vkCmdSetDescriptorBufferOffsets2EXT", "vkCmdBindDescriptorBufferEmbeddedSamplers2EXT"],
    );
    // What windows and groups of devices have in common is in the swapchains' table.
    without(
        Extension::DeviceGroup,
        names!(khr::device_group::DeviceFn),
        &["vkAcquireNextImage2KHR", "vkGetDeviceGroupPresentCapabilitiesKHR", "vkGetDeviceGroupSurfacePresentModesKHR"],
    );
    // The bindings count the update of a pushed set among this extension's commands.
    without(
        Extension::DescriptorUpdateTemplate,
        names!(khr::descriptor_update_template::DeviceFn),
        &["vkCmdPushDescriptorSetWithTemplateKHR"],
    );
    for extension in Extension::ALL.iter().filter(|e| !brought.contains(e)) {
        assert_eq!(ours(|p| p.since == Since::With(*extension)), Names::new(), "{extension:?} brings no commands");
    }
}

#[test]
fn levels_follow_the_first_argument() {
    let physical = ours(|p| p.level == Level::PhysicalDevice);
    for name in &physical {
        let name = name.to_str().unwrap();
        let about_device = name.contains("PhysicalDevice") || name.starts_with("vkEnumerateDevice");
        assert!(about_device || name == "vkCreateDevice", "{name}");
    }
}

#[test]
fn names_are_unique() {
    assert_eq!(ours(|_| true).len(), PROCS.len());
}
