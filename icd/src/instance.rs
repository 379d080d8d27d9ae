//! Instances, and how a program finds the commands (chapters "Initialization" and "Command Function Pointers").

use crate::entry::{Call, Fail, SUCCESS, accepted, config, entry, trace_line, tracing};
use crate::extensions::{Extension, Scope};
use crate::handle::{self, Object};
use crate::identity::API_VERSION;
use crate::physical_device::PhysicalDevice;
use crate::procs::{self, Level};
use crate::report::Instance;
use ash::vk::{self, Handle};
use std::ffi::{CStr, c_char};
use std::sync::Arc;
use wavepipe_runtime::engines::{Names, Shown};

/// What the VkInstance handle stands for: the shared part, and its one physical device.
pub struct InstanceObject {
    shared: Arc<Instance>,
    physical_device: vk::PhysicalDevice,
}

impl Object for InstanceObject {
    type Handle = vk::Instance;
}

impl Call {
    pub fn instance(&self, handle: vk::Instance) -> &Arc<Instance> {
        let object = self.get::<InstanceObject>(handle);
        self.belongs_to(&object.shared);
        &object.shared
    }

    /// The extensions of `scope` that a program asks for by name.
    pub fn requested_extensions(
        &self,
        scope: Scope,
        names: *const *const c_char,
        count: u32,
    ) -> Result<Vec<Extension>, Fail> {
        let names = self.slice(names, count).iter().map(|name| self.string(*name));
        let find = |name: &CStr| {
            Extension::find(scope, name).ok_or_else(|| {
                let message = format!("extension {} is not supported", name.to_string_lossy());
                Fail::new(vk::Result::ERROR_EXTENSION_NOT_PRESENT, message)
            })
        };
        names.map(find).collect()
    }
}

/// What the table of engines shows to a program that calls itself so.
fn shown(call: &Call, app: Option<&vk::ApplicationInfo<'_>>) -> Shown {
    let Some(app) = app else { return Shown::default() };
    let name = |name: *const c_char, version| (!name.is_null()).then(|| (call.string(name).to_bytes(), version));
    let names = Names {
        engine: name(app.p_engine_name, app.engine_version),
        application: name(app.p_application_name, app.application_version),
    };
    let engines = &config().engines;
    if tracing() {
        engines.of(&names).for_each(|p| trace_line(&format!("{p} is shown {}: {}", p.shown, p.why)));
    }
    engines.shown(&names)
}

/// What a program calls itself: its engine, or without one the program.
fn own_name<'a>(call: &'a Call, app: &vk::ApplicationInfo<'_>) -> &'a [u8] {
    let names = [app.p_engine_name, app.p_application_name].map(|name| call.string(name).to_bytes());
    names.into_iter().find(|name| !name.is_empty()).unwrap_or(&[])
}

/// vkGetInstanceProcAddr for the loader and for programs without one.
pub fn instance_proc(call: &Call, instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
    let proc = procs::find(call.string(name))?;
    let known = if instance.is_null() {
        proc.level == Level::Global || proc.name == c"vkGetInstanceProcAddr"
    } else {
        let instance = call.instance(instance);
        proc.level != Level::Global && proc.since.offered(instance)
    };
    if known { proc.function } else { None }
}

/// vk_icdGetPhysicalDeviceProcAddr: commands whose first argument is a physical device, and no others.
pub fn physical_device_proc(call: &Call, instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
    let proc = procs::find(call.string(name))?;
    let known =
        proc.level == Level::PhysicalDevice && (instance.is_null() || proc.since.offered(call.instance(instance)));
    if known { proc.function } else { None }
}

entry! { call;
    fn vkGetInstanceProcAddr(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
        instance_proc(call, instance, name)
    }

    fn vkEnumerateInstanceVersion(version: *mut u32) -> vk::Result {
        call.write(version, API_VERSION);
        SUCCESS
    }

    fn vkEnumerateInstanceExtensionProperties(
        layer: *const c_char,
        count: *mut u32,
        properties: *mut vk::ExtensionProperties,
    ) -> vk::Result {
        if !layer.is_null() {
            return Err(vk::Result::ERROR_LAYER_NOT_PRESENT.into());
        }
        call.enumerate(count, properties, &Extension::properties(Scope::Instance))
    }

    fn vkEnumerateInstanceLayerProperties(count: *mut u32, properties: *mut vk::LayerProperties) -> vk::Result {
        call.enumerate(count, properties, &[])
    }

    fn vkCreateInstance(
        info: *const vk::InstanceCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Instance,
    ) -> vk::Result {
        accepted()?;
        let info = call.read(info);
        if info.enabled_layer_count > 0 {
            return Err(Fail::new(vk::Result::ERROR_LAYER_NOT_PRESENT, "the driver has no layers"));
        }
        let extensions =
            call.requested_extensions(Scope::Instance, info.pp_enabled_extension_names, info.enabled_extension_count)?;
        let app = call.read_opt(info.p_application_info);
        let api_version = app.map(|app| app.api_version).filter(|v| *v != 0).unwrap_or(vk::API_VERSION_1_0);
        let shared = Instance::new(api_version, extensions, shown(call, app));
        crate::mark::instance(app.map_or(&[], |app| own_name(call, app)));
        let physical_device = handle::create(PhysicalDevice { instance: shared.clone() });
        call.write(out, handle::create(InstanceObject { shared, physical_device }));
        SUCCESS
    }

    fn vkDestroyInstance(instance: vk::Instance, _allocator: *const vk::AllocationCallbacks<'_>) {
        if let Some(object) = call.destroy::<InstanceObject>(instance) {
            call.destroy::<PhysicalDevice>(object.physical_device);
        }
    }

    fn vkEnumeratePhysicalDevices(
        instance: vk::Instance,
        count: *mut u32,
        devices: *mut vk::PhysicalDevice,
    ) -> vk::Result {
        call.enumerate(count, devices, &[call.get::<InstanceObject>(instance).physical_device])
    }

    fn vkEnumeratePhysicalDeviceGroups(
        instance: vk::Instance,
        count: *mut u32,
        groups: *mut vk::PhysicalDeviceGroupProperties<'_>,
    ) -> vk::Result {
        let device = call.get::<InstanceObject>(instance).physical_device;
        call.enumerate_with(count, groups, 1, |_, group| {
            group.physical_device_count = 1;
            group.physical_devices = Default::default();
            group.physical_devices[0] = device;
            group.subset_allocation = vk::FALSE;
        })
    }
}
