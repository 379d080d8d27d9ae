//! VK_LAYER_CLIENTS_claims: claims two features that Dawn demands and Mesa 22.3's lavapipe lacks, and takes them out of
//! vkCreateDevice again. No shader of these clients indexes an array of images.
//!
//! The interface is the loader's, version 2: a chain of `Link`s hangs on each create info. Its arguments are those of a Vulkan
//! program, which are valid, or the loader's own.

use ash::vk::{self, Handle};
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;
use std::sync::{LazyLock, Mutex};

fn claim(features: &mut vk::PhysicalDeviceFeatures, claimed: vk::Bool32) {
    features.shader_sampled_image_array_dynamic_indexing = claimed;
    features.shader_storage_image_array_dynamic_indexing = claimed;
}

type Get = vk::PFN_vkGetInstanceProcAddr;
type GetOfDevice = vk::PFN_vkGetDeviceProcAddr;

/// VkLayerInstanceCreateInfo and VkLayerDeviceCreateInfo, of which only those with `function` 0 carry a `link`.
#[repr(C)]
struct Layered {
    s_type: vk::StructureType,
    p_next: *mut Layered,
    function: i32,
    link: *mut Link,
}

/// VkLayerInstanceLink and VkLayerDeviceLink; `device` is absent in the former.
#[repr(C)]
struct Link {
    next: *mut Link,
    instance: Get,
    device: GetOfDevice,
}

#[repr(C)]
pub struct Negotiate {
    s_type: i32,
    next: *mut c_void,
    version: u32,
    instance: Option<Get>,
    device: Option<GetOfDevice>,
    physical: Option<unsafe extern "system" fn()>,
}

/// Takes this layer's link off the chain that hangs on a create info.
unsafe fn link(chain: *const c_void, s_type: vk::StructureType) -> *mut Link {
    let mut at = chain.cast::<Layered>().cast_mut();
    // SAFETY: the loader's and the program's arguments are valid.
    unsafe {
        while (*at).s_type != s_type || (*at).function != 0 {
            at = (*at).p_next;
        }
        let own = (*at).link;
        (*at).link = (*own).next;
        own
    }
}

/// Commands of who comes next. They are asked for once: later the loader gives this layer's own back.
#[derive(Clone, Copy)]
struct Next {
    get: Get,
    features: vk::PFN_vkVoidFunction,
    features2: vk::PFN_vkVoidFunction,
    create_device: vk::PFN_vkVoidFunction,
}

/// By the loader's dispatch table that an instance and its physical devices share.
static NEXT: LazyLock<Mutex<HashMap<usize, Next>>> = LazyLock::new(Default::default);
/// vkGetDeviceProcAddr of who comes next, by the table of the device.
static NEXT_OF_DEVICE: LazyLock<Mutex<HashMap<usize, GetOfDevice>>> = LazyLock::new(Default::default);

/// The table that a dispatchable handle begins with.
unsafe fn table(handle: u64) -> usize {
    // SAFETY: dispatchable handles point to the loader's table.
    unsafe { *(handle as *const usize) }
}

fn next(handle: u64) -> Next {
    // SAFETY: the loader's and the program's arguments are valid.
    NEXT.lock().unwrap()[&unsafe { table(handle) }]
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the loader's and the program's arguments are valid.
    unsafe {
        let get = (*link((*info).p_next, vk::StructureType::LOADER_INSTANCE_CREATE_INFO)).instance;
        let create: vk::PFN_vkCreateInstance = transmute(get(vk::Instance::null(), c"vkCreateInstance".as_ptr()));
        let result = create(info, allocator, out);
        if result == vk::Result::SUCCESS {
            let command = |name: &CStr| get(*out, name.as_ptr());
            let next = Next {
                get,
                features: command(c"vkGetPhysicalDeviceFeatures"),
                features2: command(c"vkGetPhysicalDeviceFeatures2"),
                create_device: command(c"vkCreateDevice"),
            };
            NEXT.lock().unwrap().insert(table((*out).as_raw()), next);
        }
        result
    }
}

unsafe extern "system" fn features(device: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceFeatures) {
    // SAFETY: the loader's and the program's arguments are valid.
    unsafe {
        let get: vk::PFN_vkGetPhysicalDeviceFeatures = transmute(next(device.as_raw()).features);
        get(device, out);
        claim(&mut *out, vk::TRUE);
    }
}

unsafe extern "system" fn features2(device: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceFeatures2<'_>) {
    // SAFETY: the loader's and the program's arguments are valid.
    unsafe {
        let get: vk::PFN_vkGetPhysicalDeviceFeatures2 = transmute(next(device.as_raw()).features2);
        get(device, out);
        claim(&mut (*out).features, vk::TRUE);
    }
}

unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the loader's and the program's arguments are valid.
    unsafe {
        let own = link((*info).p_next, vk::StructureType::LOADER_DEVICE_CREATE_INFO);
        let create: vk::PFN_vkCreateDevice = transmute(next(physical.as_raw()).create_device);
        // The program's own structures are changed: a client makes its device once.
        if let Some(features) = (*info).p_enabled_features.cast_mut().as_mut() {
            claim(features, vk::FALSE);
        }
        let mut at = (*info).p_next.cast::<vk::BaseOutStructure<'_>>().cast_mut();
        while let Some(found) = at.as_mut() {
            if found.s_type == vk::StructureType::PHYSICAL_DEVICE_FEATURES_2 {
                claim(&mut (*at.cast::<vk::PhysicalDeviceFeatures2<'_>>()).features, vk::FALSE);
            }
            at = found.p_next;
        }
        let result = create(physical, info, allocator, out);
        if result == vk::Result::SUCCESS {
            NEXT_OF_DEVICE.lock().unwrap().insert(table((*out).as_raw()), (*own).device);
        }
        result
    }
}

unsafe extern "system" fn device_proc(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: the loader's and the program's arguments are valid.
    unsafe {
        if CStr::from_ptr(name) == c"vkGetDeviceProcAddr" {
            return transmute(device_proc as *const c_void);
        }
        let get = NEXT_OF_DEVICE.lock().unwrap()[&table(device.as_raw())];
        get(device, name)
    }
}

unsafe extern "system" fn instance_proc(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: the loader's and the program's arguments are valid.
    let own: *const c_void = match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"vkGetInstanceProcAddr" => instance_proc as _,
        b"vkCreateInstance" => create_instance as _,
        b"vkCreateDevice" => create_device as _,
        b"vkGetPhysicalDeviceFeatures" => features as _,
        b"vkGetPhysicalDeviceFeatures2" | b"vkGetPhysicalDeviceFeatures2KHR" => features2 as _,
        _ if instance.is_null() => return None,
        // SAFETY: the loader's and the program's arguments are valid.
        _ => return unsafe { (next(instance.as_raw()).get)(instance, name) },
    };
    // SAFETY: the loader's and the program's arguments are valid.
    unsafe { transmute(own) }
}

/// The loader's entry.
///
/// # Safety
/// The loader's.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(with: *mut Negotiate) -> vk::Result {
    // SAFETY: the loader's and the program's arguments are valid.
    let with = unsafe { &mut *with };
    (with.version, with.physical) = (2, None);
    (with.instance, with.device) = (Some(instance_proc as Get), Some(device_proc as GetOfDevice));
    vk::Result::SUCCESS
}
