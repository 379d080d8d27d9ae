//! The extensions that we report. Names and revisions are those of the bindings.

use ash::vk;
use std::ffi::CStr;

/// Whom an extension belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    Instance,
    Device,
}

macro_rules! extensions {
    ($($scope:ident $variant:ident = $($module:ident)::+;)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
        pub enum Extension { $($variant),* }

        impl Extension {
            pub const ALL: &[Extension] = &[$(Extension::$variant),*];

            pub fn name(self) -> &'static CStr {
                match self { $(Extension::$variant => $($module)::+::NAME),* }
            }

            pub fn scope(self) -> Scope {
                match self { $(Extension::$variant => Scope::$scope),* }
            }

            pub fn revision(self) -> u32 {
                match self { $(Extension::$variant => $($module)::+::SPEC_VERSION),* }
            }
        }
    };
}

extensions! {
    Instance DebugUtils = ash::ext::debug_utils;
    Instance GetPhysicalDeviceProperties2 = ash::khr::get_physical_device_properties2;
    Device BufferDeviceAddress = ash::khr::buffer_device_address;
    Device DriverProperties = ash::khr::driver_properties;
    Device HostQueryReset = ash::ext::host_query_reset;
    Device ScalarBlockLayout = ash::ext::scalar_block_layout;
    Device ShaderNonSemanticInfo = ash::khr::shader_non_semantic_info;
    Device StorageBufferStorageClass = ash::khr::storage_buffer_storage_class;
    Device SubgroupSizeControl = ash::ext::subgroup_size_control;
    Device Synchronization2 = ash::khr::synchronization2;
    Device TimelineSemaphore = ash::khr::timeline_semaphore;
    Device UniformBufferStandardLayout = ash::khr::uniform_buffer_standard_layout;
}

impl Extension {
    pub fn find(scope: Scope, name: &CStr) -> Option<Extension> {
        Extension::ALL.iter().copied().find(|e| e.scope() == scope && e.name() == name)
    }

    /// All of one scope, as the enumeration commands list them.
    pub fn properties(scope: Scope) -> Vec<vk::ExtensionProperties> {
        let of_scope = Extension::ALL.iter().filter(|e| e.scope() == scope);
        of_scope
            .map(|e| {
                let mut properties = vk::ExtensionProperties::default().spec_version(e.revision());
                crate::identity::put_string(&mut properties.extension_name, e.name());
                properties
            })
            .collect()
    }
}
