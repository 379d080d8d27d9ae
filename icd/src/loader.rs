//! The symbols of the shared library: the loader/driver interface, and vkGetInstanceProcAddr for programs that open the
//! driver themselves.

use crate::entry::entry;
use crate::instance::{instance_proc, physical_device_proc};
use ash::vk;
use std::ffi::{CStr, c_char};

/// The newest loader/driver interface that we follow. 5: the driver accepts any instance apiVersion. 7: the vk_icd
/// functions can be asked for through vk_icdGetInstanceProcAddr.
pub const INTERFACE_VERSION: u32 = 7;

mod body {
    use super::*;
    use crate::entry::SUCCESS;
    use crate::procs::erase;

    entry! { call;
        fn vk_icdNegotiateLoaderICDInterfaceVersion(version: *mut u32) -> vk::Result {
            let version = call.out(version);
            if *version < 2 {
                return Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER.into());
            }
            crate::mark::opened();
            *version = (*version).min(INTERFACE_VERSION);
            SUCCESS
        }

        fn vk_icdGetInstanceProcAddr(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
            let wanted: &CStr = call.string(name);
            if wanted == c"vk_icdNegotiateLoaderICDInterfaceVersion" {
                return erase!(vk_icdNegotiateLoaderICDInterfaceVersion: unsafe extern "system" fn(*mut u32) -> vk::Result);
            }
            if wanted == c"vk_icdGetPhysicalDeviceProcAddr" {
                return erase!(vk_icdGetPhysicalDeviceProcAddr: vk::PFN_vkGetInstanceProcAddr);
            }
            instance_proc(call, instance, name)
        }

        fn vk_icdGetPhysicalDeviceProcAddr(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
            physical_device_proc(call, instance, name)
        }
    }
}

/// # Safety
/// `version` points to a writable u32.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdNegotiateLoaderICDInterfaceVersion(version: *mut u32) -> vk::Result {
    // SAFETY: as above.
    unsafe { body::vk_icdNegotiateLoaderICDInterfaceVersion(version) }
}

/// # Safety
/// `instance` is null or one of ours, `name` a NUL-terminated string.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetInstanceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: as above.
    unsafe { body::vk_icdGetInstanceProcAddr(instance, name) }
}

/// # Safety
/// As [`vk_icdGetInstanceProcAddr`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetPhysicalDeviceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: as above.
    unsafe { body::vk_icdGetPhysicalDeviceProcAddr(instance, name) }
}

/// # Safety
/// As [`vk_icdGetInstanceProcAddr`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkGetInstanceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: as above.
    unsafe { crate::instance::vkGetInstanceProcAddr(instance, name) }
}
