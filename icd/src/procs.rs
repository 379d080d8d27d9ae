//! Every command that we have: its level, the version or extension that brings it, its function, and the type that it must
//! have. A row that does not fit its type does not compile; a row too many or too few fails the test of this table.

use crate::extensions::Extension;
use crate::report::Instance;
use crate::*;
use ash::vk;
use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::OnceLock;

/// What a command's first argument is; queues and command buffers belong to the device level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    Global,
    Instance,
    PhysicalDevice,
    Device,
}

/// What brings a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Since {
    V1_0,
    V1_1,
    V1_2,
    V1_3,
    With(Extension),
}

impl Since {
    /// Whether vkGetInstanceProcAddr of `instance` gives the command out: the version that the program asked for has it,
    /// its instance extension is enabled, or its device extension is available.
    pub fn offered(self, instance: &Instance) -> bool {
        match self {
            Since::V1_0 => true,
            Since::V1_1 => instance.api_version >= vk::API_VERSION_1_1,
            Since::V1_2 => instance.api_version >= vk::API_VERSION_1_2,
            Since::V1_3 => instance.api_version >= vk::API_VERSION_1_3,
            Since::With(e) => e.scope() == extensions::Scope::Device || instance.extensions.contains(&e),
        }
    }

    /// Whether vkGetDeviceProcAddr gives it out, for a device with `enabled` extensions.
    pub fn enabled(self, instance: &Instance, enabled: &[Extension]) -> bool {
        self.offered(instance)
            && match self {
                Since::With(e) => e.scope() == extensions::Scope::Instance || enabled.contains(&e),
                _ => true,
            }
    }
}

pub struct Proc {
    pub name: &'static CStr,
    pub level: Level,
    pub since: Since,
    pub function: vk::PFN_vkVoidFunction,
}

/// A function as the untyped pointer that the ProcAddr commands give out, checked against its type.
macro_rules! erase {
    ($function:path: $pfn:ty) => {{
        let typed: $pfn = $function;
        // SAFETY: from function pointer to function pointer of the same ABI; the program casts it back before the call.
        Some(unsafe { std::mem::transmute::<$pfn, unsafe extern "system" fn()>(typed) })
    }};
}
pub(crate) use erase;

const fn c_str(bytes: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(bytes.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a command's name has a NUL inside"),
    }
}

/// `level since module::command = its type;`, and after a comma each extension that has the command under another name.
macro_rules! procs {
    ($($level:ident $since:ident $(($extension:expr))? $module:ident::$function:ident = $pfn:ident
        $(, $alias_of:ident $alias:literal)*;)*) => {
        /// All rows.
        pub static PROCS: &[Proc] = &[$(
            Proc {
                name: c_str(concat!(stringify!($function), "\0")),
                level: Level::$level,
                since: Since::$since $(($extension))?,
                function: erase!($module::$function: vk::$pfn),
            },
            $(Proc {
                name: c_str(concat!($alias, "\0")),
                level: Level::$level,
                since: Since::With(Extension::$alias_of),
                function: erase!($module::$function: vk::$pfn),
            },)*
        )*];
    };
}

procs! {
    // instance
    Global V1_0 instance::vkCreateInstance = PFN_vkCreateInstance;
    Instance V1_0 instance::vkDestroyInstance = PFN_vkDestroyInstance;
    Instance V1_0 instance::vkEnumeratePhysicalDevices = PFN_vkEnumeratePhysicalDevices;
    Instance V1_0 instance::vkGetInstanceProcAddr = PFN_vkGetInstanceProcAddr;
    Global V1_0 instance::vkEnumerateInstanceExtensionProperties = PFN_vkEnumerateInstanceExtensionProperties;
    Global V1_0 instance::vkEnumerateInstanceLayerProperties = PFN_vkEnumerateInstanceLayerProperties;
    Global V1_1 instance::vkEnumerateInstanceVersion = PFN_vkEnumerateInstanceVersion;
    Instance V1_1 instance::vkEnumeratePhysicalDeviceGroups = PFN_vkEnumeratePhysicalDeviceGroups, DeviceGroupCreation "vkEnumeratePhysicalDeviceGroupsKHR";
    // physical_device
    PhysicalDevice V1_0 physical_device::vkGetPhysicalDeviceQueueFamilyProperties = PFN_vkGetPhysicalDeviceQueueFamilyProperties;
    PhysicalDevice V1_0 physical_device::vkGetPhysicalDeviceMemoryProperties = PFN_vkGetPhysicalDeviceMemoryProperties;
    PhysicalDevice V1_0 physical_device::vkEnumerateDeviceExtensionProperties = PFN_vkEnumerateDeviceExtensionProperties;
    PhysicalDevice V1_0 physical_device::vkEnumerateDeviceLayerProperties = PFN_vkEnumerateDeviceLayerProperties;
    PhysicalDevice V1_1 physical_device::vkGetPhysicalDeviceQueueFamilyProperties2 = PFN_vkGetPhysicalDeviceQueueFamilyProperties2, GetPhysicalDeviceProperties2 "vkGetPhysicalDeviceQueueFamilyProperties2KHR";
    PhysicalDevice V1_1 physical_device::vkGetPhysicalDeviceMemoryProperties2 = PFN_vkGetPhysicalDeviceMemoryProperties2, GetPhysicalDeviceProperties2 "vkGetPhysicalDeviceMemoryProperties2KHR";
    PhysicalDevice V1_1 physical_device::vkGetPhysicalDeviceExternalBufferProperties = PFN_vkGetPhysicalDeviceExternalBufferProperties, ExternalMemoryCapabilities "vkGetPhysicalDeviceExternalBufferPropertiesKHR";
    PhysicalDevice V1_3 physical_device::vkGetPhysicalDeviceToolProperties = PFN_vkGetPhysicalDeviceToolProperties, ToolingInfo "vkGetPhysicalDeviceToolPropertiesEXT";
    // properties
    PhysicalDevice V1_0 properties::vkGetPhysicalDeviceProperties = PFN_vkGetPhysicalDeviceProperties;
    PhysicalDevice V1_1 properties::vkGetPhysicalDeviceProperties2 = PFN_vkGetPhysicalDeviceProperties2, GetPhysicalDeviceProperties2 "vkGetPhysicalDeviceProperties2KHR";
    // features
    PhysicalDevice V1_0 features::vkGetPhysicalDeviceFeatures = PFN_vkGetPhysicalDeviceFeatures;
    PhysicalDevice V1_1 features::vkGetPhysicalDeviceFeatures2 = PFN_vkGetPhysicalDeviceFeatures2, GetPhysicalDeviceProperties2 "vkGetPhysicalDeviceFeatures2KHR";
    // formats
    PhysicalDevice V1_0 formats::vkGetPhysicalDeviceFormatProperties = PFN_vkGetPhysicalDeviceFormatProperties;
    PhysicalDevice V1_0 formats::vkGetPhysicalDeviceImageFormatProperties = PFN_vkGetPhysicalDeviceImageFormatProperties;
    PhysicalDevice V1_0 formats::vkGetPhysicalDeviceSparseImageFormatProperties = PFN_vkGetPhysicalDeviceSparseImageFormatProperties;
    PhysicalDevice V1_1 formats::vkGetPhysicalDeviceFormatProperties2 = PFN_vkGetPhysicalDeviceFormatProperties2, GetPhysicalDeviceProperties2 "vkGetPhysicalDeviceFormatProperties2KHR";
    PhysicalDevice V1_1 formats::vkGetPhysicalDeviceImageFormatProperties2 = PFN_vkGetPhysicalDeviceImageFormatProperties2, GetPhysicalDeviceProperties2 "vkGetPhysicalDeviceImageFormatProperties2KHR";
    PhysicalDevice V1_1 formats::vkGetPhysicalDeviceSparseImageFormatProperties2 = PFN_vkGetPhysicalDeviceSparseImageFormatProperties2, GetPhysicalDeviceProperties2 "vkGetPhysicalDeviceSparseImageFormatProperties2KHR";
    // device_and_queue
    Device V1_0 device_and_queue::vkGetDeviceProcAddr = PFN_vkGetDeviceProcAddr;
    PhysicalDevice V1_0 device_and_queue::vkCreateDevice = PFN_vkCreateDevice;
    Device V1_0 device_and_queue::vkDestroyDevice = PFN_vkDestroyDevice;
    Device V1_0 device_and_queue::vkGetDeviceQueue = PFN_vkGetDeviceQueue;
    Device V1_0 device_and_queue::vkQueueSubmit = PFN_vkQueueSubmit;
    Device V1_0 device_and_queue::vkQueueWaitIdle = PFN_vkQueueWaitIdle;
    Device V1_0 device_and_queue::vkDeviceWaitIdle = PFN_vkDeviceWaitIdle;
    Device V1_0 device_and_queue::vkQueueBindSparse = PFN_vkQueueBindSparse;
    Device V1_1 device_and_queue::vkGetDeviceGroupPeerMemoryFeatures = PFN_vkGetDeviceGroupPeerMemoryFeatures, DeviceGroup "vkGetDeviceGroupPeerMemoryFeaturesKHR";
    Device V1_1 device_and_queue::vkGetDeviceQueue2 = PFN_vkGetDeviceQueue2;
    Device V1_3 device_and_queue::vkQueueSubmit2 = PFN_vkQueueSubmit2, Synchronization2 "vkQueueSubmit2KHR";
    // command_buffers
    Device V1_0 command_buffers::vkCreateCommandPool = PFN_vkCreateCommandPool;
    Device V1_0 command_buffers::vkDestroyCommandPool = PFN_vkDestroyCommandPool;
    Device V1_0 command_buffers::vkResetCommandPool = PFN_vkResetCommandPool;
    Device V1_0 command_buffers::vkAllocateCommandBuffers = PFN_vkAllocateCommandBuffers;
    Device V1_0 command_buffers::vkFreeCommandBuffers = PFN_vkFreeCommandBuffers;
    Device V1_0 command_buffers::vkBeginCommandBuffer = PFN_vkBeginCommandBuffer;
    Device V1_0 command_buffers::vkEndCommandBuffer = PFN_vkEndCommandBuffer;
    Device V1_0 command_buffers::vkResetCommandBuffer = PFN_vkResetCommandBuffer;
    Device V1_0 command_buffers::vkCmdExecuteCommands = PFN_vkCmdExecuteCommands;
    Device V1_1 command_buffers::vkCmdSetDeviceMask = PFN_vkCmdSetDeviceMask, DeviceGroup "vkCmdSetDeviceMaskKHR";
    Device V1_1 command_buffers::vkTrimCommandPool = PFN_vkTrimCommandPool, Maintenance1 "vkTrimCommandPoolKHR";
    // synchronization
    Device V1_0 synchronization::vkCreateFence = PFN_vkCreateFence;
    Device V1_0 synchronization::vkDestroyFence = PFN_vkDestroyFence;
    Device V1_0 synchronization::vkResetFences = PFN_vkResetFences;
    Device V1_0 synchronization::vkGetFenceStatus = PFN_vkGetFenceStatus;
    Device V1_0 synchronization::vkWaitForFences = PFN_vkWaitForFences;
    Device V1_0 synchronization::vkCreateSemaphore = PFN_vkCreateSemaphore;
    Device V1_0 synchronization::vkDestroySemaphore = PFN_vkDestroySemaphore;
    Device V1_0 synchronization::vkCreateEvent = PFN_vkCreateEvent;
    Device V1_0 synchronization::vkDestroyEvent = PFN_vkDestroyEvent;
    Device V1_0 synchronization::vkGetEventStatus = PFN_vkGetEventStatus;
    Device V1_0 synchronization::vkSetEvent = PFN_vkSetEvent;
    Device V1_0 synchronization::vkResetEvent = PFN_vkResetEvent;
    Device V1_0 synchronization::vkCmdSetEvent = PFN_vkCmdSetEvent;
    Device V1_0 synchronization::vkCmdResetEvent = PFN_vkCmdResetEvent;
    Device V1_0 synchronization::vkCmdWaitEvents = PFN_vkCmdWaitEvents;
    Device V1_0 synchronization::vkCmdPipelineBarrier = PFN_vkCmdPipelineBarrier;
    Device V1_3 synchronization::vkCmdSetEvent2 = PFN_vkCmdSetEvent2, Synchronization2 "vkCmdSetEvent2KHR";
    Device V1_3 synchronization::vkCmdResetEvent2 = PFN_vkCmdResetEvent2, Synchronization2 "vkCmdResetEvent2KHR";
    Device V1_3 synchronization::vkCmdWaitEvents2 = PFN_vkCmdWaitEvents2, Synchronization2 "vkCmdWaitEvents2KHR";
    Device V1_3 synchronization::vkCmdPipelineBarrier2 = PFN_vkCmdPipelineBarrier2, Synchronization2 "vkCmdPipelineBarrier2KHR";
    Device V1_2 synchronization::vkGetSemaphoreCounterValue = PFN_vkGetSemaphoreCounterValue, TimelineSemaphore "vkGetSemaphoreCounterValueKHR";
    Device V1_2 synchronization::vkWaitSemaphores = PFN_vkWaitSemaphores, TimelineSemaphore "vkWaitSemaphoresKHR";
    Device V1_2 synchronization::vkSignalSemaphore = PFN_vkSignalSemaphore, TimelineSemaphore "vkSignalSemaphoreKHR";
    // timestamps
    PhysicalDevice With(Extension::CalibratedTimestamps) timestamps::vkGetPhysicalDeviceCalibrateableTimeDomainsKHR = PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsKHR, CalibratedTimestampsExt "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT";
    Device With(Extension::CalibratedTimestamps) timestamps::vkGetCalibratedTimestampsKHR = PFN_vkGetCalibratedTimestampsKHR, CalibratedTimestampsExt "vkGetCalibratedTimestampsEXT";
    // performance
    PhysicalDevice With(Extension::PerformanceQuery) performance::vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR = PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR;
    PhysicalDevice With(Extension::PerformanceQuery) performance::vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR = PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR;
    Device With(Extension::PerformanceQuery) performance::vkAcquireProfilingLockKHR = PFN_vkAcquireProfilingLockKHR;
    Device With(Extension::PerformanceQuery) performance::vkReleaseProfilingLockKHR = PFN_vkReleaseProfilingLockKHR;
    // device_fault
    Device With(Extension::DeviceFault) device_fault::vkGetDeviceFaultInfoEXT = PFN_vkGetDeviceFaultInfoEXT;
    // external_sync
    PhysicalDevice V1_1 external_sync::vkGetPhysicalDeviceExternalFenceProperties = PFN_vkGetPhysicalDeviceExternalFenceProperties, ExternalFenceCapabilities "vkGetPhysicalDeviceExternalFencePropertiesKHR";
    PhysicalDevice V1_1 external_sync::vkGetPhysicalDeviceExternalSemaphoreProperties = PFN_vkGetPhysicalDeviceExternalSemaphoreProperties, ExternalSemaphoreCapabilities "vkGetPhysicalDeviceExternalSemaphorePropertiesKHR";
    Device With(Extension::ExternalFenceFd) external_sync::vkImportFenceFdKHR = PFN_vkImportFenceFdKHR;
    Device With(Extension::ExternalFenceFd) external_sync::vkGetFenceFdKHR = PFN_vkGetFenceFdKHR;
    Device With(Extension::ExternalSemaphoreFd) external_sync::vkImportSemaphoreFdKHR = PFN_vkImportSemaphoreFdKHR;
    Device With(Extension::ExternalSemaphoreFd) external_sync::vkGetSemaphoreFdKHR = PFN_vkGetSemaphoreFdKHR;
    // memory
    Device V1_0 memory::vkAllocateMemory = PFN_vkAllocateMemory;
    Device V1_0 memory::vkFreeMemory = PFN_vkFreeMemory;
    Device V1_0 memory::vkMapMemory = PFN_vkMapMemory;
    Device V1_0 memory::vkUnmapMemory = PFN_vkUnmapMemory;
    Device V1_0 memory::vkFlushMappedMemoryRanges = PFN_vkFlushMappedMemoryRanges;
    Device V1_0 memory::vkInvalidateMappedMemoryRanges = PFN_vkInvalidateMappedMemoryRanges;
    Device V1_0 memory::vkGetDeviceMemoryCommitment = PFN_vkGetDeviceMemoryCommitment;
    Device V1_2 memory::vkGetDeviceMemoryOpaqueCaptureAddress = PFN_vkGetDeviceMemoryOpaqueCaptureAddress, BufferDeviceAddress "vkGetDeviceMemoryOpaqueCaptureAddressKHR";
    Device With(Extension::MapMemory2) memory::vkMapMemory2KHR = PFN_vkMapMemory2KHR;
    Device With(Extension::MapMemory2) memory::vkUnmapMemory2KHR = PFN_vkUnmapMemory2KHR;
    Device With(Extension::ExternalMemoryFd) memory::vkGetMemoryFdKHR = PFN_vkGetMemoryFdKHR;
    Device With(Extension::ExternalMemoryFd) memory::vkGetMemoryFdPropertiesKHR = PFN_vkGetMemoryFdPropertiesKHR;
    Device With(Extension::ExternalMemoryHost) memory::vkGetMemoryHostPointerPropertiesEXT = PFN_vkGetMemoryHostPointerPropertiesEXT;
    // resources
    Device V1_0 resources::vkBindBufferMemory = PFN_vkBindBufferMemory;
    Device V1_0 images::vkBindImageMemory = PFN_vkBindImageMemory;
    Device V1_0 resources::vkGetBufferMemoryRequirements = PFN_vkGetBufferMemoryRequirements;
    Device V1_0 images::vkGetImageMemoryRequirements = PFN_vkGetImageMemoryRequirements;
    Device V1_0 images::vkGetImageSparseMemoryRequirements = PFN_vkGetImageSparseMemoryRequirements;
    Device V1_0 resources::vkCreateBuffer = PFN_vkCreateBuffer;
    Device V1_0 resources::vkDestroyBuffer = PFN_vkDestroyBuffer;
    Device V1_0 resources::vkCreateBufferView = PFN_vkCreateBufferView;
    Device V1_0 resources::vkDestroyBufferView = PFN_vkDestroyBufferView;
    Device V1_0 images::vkCreateImage = PFN_vkCreateImage;
    Device V1_0 images::vkDestroyImage = PFN_vkDestroyImage;
    Device V1_0 images::vkGetImageSubresourceLayout = PFN_vkGetImageSubresourceLayout;
    Device V1_0 images::vkCreateImageView = PFN_vkCreateImageView;
    Device V1_0 images::vkDestroyImageView = PFN_vkDestroyImageView;
    Device V1_0 samplers::vkCreateSampler = PFN_vkCreateSampler;
    Device V1_0 samplers::vkDestroySampler = PFN_vkDestroySampler;
    Device V1_1 resources::vkBindBufferMemory2 = PFN_vkBindBufferMemory2, BindMemory2 "vkBindBufferMemory2KHR";
    Device V1_1 images::vkBindImageMemory2 = PFN_vkBindImageMemory2, BindMemory2 "vkBindImageMemory2KHR";
    Device V1_1 images::vkGetImageMemoryRequirements2 = PFN_vkGetImageMemoryRequirements2, GetMemoryRequirements2 "vkGetImageMemoryRequirements2KHR";
    Device V1_1 resources::vkGetBufferMemoryRequirements2 = PFN_vkGetBufferMemoryRequirements2, GetMemoryRequirements2 "vkGetBufferMemoryRequirements2KHR";
    Device V1_1 images::vkGetImageSparseMemoryRequirements2 = PFN_vkGetImageSparseMemoryRequirements2, GetMemoryRequirements2 "vkGetImageSparseMemoryRequirements2KHR";
    Device V1_1 samplers::vkCreateSamplerYcbcrConversion = PFN_vkCreateSamplerYcbcrConversion;
    Device V1_1 samplers::vkDestroySamplerYcbcrConversion = PFN_vkDestroySamplerYcbcrConversion;
    Device V1_2 resources::vkGetBufferDeviceAddress = PFN_vkGetBufferDeviceAddress, BufferDeviceAddress "vkGetBufferDeviceAddressKHR";
    Device V1_2 resources::vkGetBufferOpaqueCaptureAddress = PFN_vkGetBufferOpaqueCaptureAddress, BufferDeviceAddress "vkGetBufferOpaqueCaptureAddressKHR";
    Device V1_3 resources::vkGetDeviceBufferMemoryRequirements = PFN_vkGetDeviceBufferMemoryRequirements, Maintenance4 "vkGetDeviceBufferMemoryRequirementsKHR";
    Device V1_3 images::vkGetDeviceImageMemoryRequirements = PFN_vkGetDeviceImageMemoryRequirements, Maintenance4 "vkGetDeviceImageMemoryRequirementsKHR";
    Device V1_3 images::vkGetDeviceImageSparseMemoryRequirements = PFN_vkGetDeviceImageSparseMemoryRequirements, Maintenance4 "vkGetDeviceImageSparseMemoryRequirementsKHR";
    // descriptors
    Device V1_0 descriptors::vkCreateDescriptorSetLayout = PFN_vkCreateDescriptorSetLayout;
    Device V1_0 descriptors::vkDestroyDescriptorSetLayout = PFN_vkDestroyDescriptorSetLayout;
    Device V1_0 descriptors::vkCreateDescriptorPool = PFN_vkCreateDescriptorPool;
    Device V1_0 descriptors::vkDestroyDescriptorPool = PFN_vkDestroyDescriptorPool;
    Device V1_0 descriptors::vkResetDescriptorPool = PFN_vkResetDescriptorPool;
    Device V1_0 descriptors::vkAllocateDescriptorSets = PFN_vkAllocateDescriptorSets;
    Device V1_0 descriptors::vkFreeDescriptorSets = PFN_vkFreeDescriptorSets;
    Device V1_0 descriptor_writes::vkUpdateDescriptorSets = PFN_vkUpdateDescriptorSets;
    Device V1_1 descriptor_writes::vkCreateDescriptorUpdateTemplate = PFN_vkCreateDescriptorUpdateTemplate, DescriptorUpdateTemplate "vkCreateDescriptorUpdateTemplateKHR";
    Device V1_1 descriptor_writes::vkDestroyDescriptorUpdateTemplate = PFN_vkDestroyDescriptorUpdateTemplate, DescriptorUpdateTemplate "vkDestroyDescriptorUpdateTemplateKHR";
    Device V1_1 descriptor_writes::vkUpdateDescriptorSetWithTemplate = PFN_vkUpdateDescriptorSetWithTemplate, DescriptorUpdateTemplate "vkUpdateDescriptorSetWithTemplateKHR";
    Device With(Extension::PushDescriptor) descriptor_writes::vkCmdPushDescriptorSetKHR = PFN_vkCmdPushDescriptorSetKHR;
    Device With(Extension::PushDescriptor) descriptor_writes::vkCmdPushDescriptorSetWithTemplateKHR = PFN_vkCmdPushDescriptorSetWithTemplateKHR;
    Device With(Extension::Maintenance6) descriptor_writes::vkCmdPushDescriptorSet2KHR = PFN_vkCmdPushDescriptorSet2KHR;
    Device With(Extension::Maintenance6) descriptor_writes::vkCmdPushDescriptorSetWithTemplate2KHR = PFN_vkCmdPushDescriptorSetWithTemplate2KHR;
    Device V1_1 descriptors::vkGetDescriptorSetLayoutSupport = PFN_vkGetDescriptorSetLayoutSupport, Maintenance3 "vkGetDescriptorSetLayoutSupportKHR";
    // shaders
    Device V1_0 shaders::vkCreateShaderModule = PFN_vkCreateShaderModule;
    Device V1_0 shaders::vkDestroyShaderModule = PFN_vkDestroyShaderModule;
    Device With(Extension::ShaderModuleIdentifier) shaders::vkGetShaderModuleIdentifierEXT = PFN_vkGetShaderModuleIdentifierEXT;
    Device With(Extension::ShaderModuleIdentifier) shaders::vkGetShaderModuleCreateInfoIdentifierEXT = PFN_vkGetShaderModuleCreateInfoIdentifierEXT;
    // pipelines
    Device V1_0 pipeline_caches::vkCreatePipelineCache = PFN_vkCreatePipelineCache;
    Device V1_0 pipeline_caches::vkDestroyPipelineCache = PFN_vkDestroyPipelineCache;
    Device V1_0 pipeline_caches::vkGetPipelineCacheData = PFN_vkGetPipelineCacheData;
    Device V1_0 pipeline_caches::vkMergePipelineCaches = PFN_vkMergePipelineCaches;
    Device V1_0 pipelines::vkCreateGraphicsPipelines = PFN_vkCreateGraphicsPipelines;
    Device V1_0 pipelines::vkCreateComputePipelines = PFN_vkCreateComputePipelines;
    Device V1_0 pipelines::vkDestroyPipeline = PFN_vkDestroyPipeline;
    Device V1_0 pipelines::vkCreatePipelineLayout = PFN_vkCreatePipelineLayout;
    Device V1_0 pipelines::vkDestroyPipelineLayout = PFN_vkDestroyPipelineLayout;
    Device With(Extension::PipelineExecutableProperties) pipeline_executables::vkGetPipelineExecutablePropertiesKHR = PFN_vkGetPipelineExecutablePropertiesKHR;
    Device With(Extension::PipelineExecutableProperties) pipeline_executables::vkGetPipelineExecutableStatisticsKHR = PFN_vkGetPipelineExecutableStatisticsKHR;
    Device With(Extension::PipelineExecutableProperties) pipeline_executables::vkGetPipelineExecutableInternalRepresentationsKHR = PFN_vkGetPipelineExecutableInternalRepresentationsKHR;
    Device With(Extension::ShaderInfo) pipeline_executables::vkGetShaderInfoAMD = PFN_vkGetShaderInfoAMD;
    // queries
    Device V1_0 queries::vkCreateQueryPool = PFN_vkCreateQueryPool;
    Device V1_0 queries::vkDestroyQueryPool = PFN_vkDestroyQueryPool;
    Device V1_0 queries::vkGetQueryPoolResults = PFN_vkGetQueryPoolResults;
    Device V1_0 queries::vkCmdBeginQuery = PFN_vkCmdBeginQuery;
    Device V1_0 queries::vkCmdEndQuery = PFN_vkCmdEndQuery;
    Device V1_0 queries::vkCmdResetQueryPool = PFN_vkCmdResetQueryPool;
    Device V1_0 queries::vkCmdWriteTimestamp = PFN_vkCmdWriteTimestamp;
    Device V1_0 queries::vkCmdCopyQueryPoolResults = PFN_vkCmdCopyQueryPoolResults;
    Device V1_2 queries::vkResetQueryPool = PFN_vkResetQueryPool, HostQueryReset "vkResetQueryPoolEXT";
    Device V1_3 queries::vkCmdWriteTimestamp2 = PFN_vkCmdWriteTimestamp2, Synchronization2 "vkCmdWriteTimestamp2KHR";
    // dispatch
    Device V1_0 dispatch::vkCmdBindPipeline = PFN_vkCmdBindPipeline;
    Device V1_0 dispatch::vkCmdBindDescriptorSets = PFN_vkCmdBindDescriptorSets;
    Device V1_0 dispatch::vkCmdDispatch = PFN_vkCmdDispatch;
    Device V1_0 dispatch::vkCmdDispatchIndirect = PFN_vkCmdDispatchIndirect;
    Device V1_0 dispatch::vkCmdPushConstants = PFN_vkCmdPushConstants;
    Device With(Extension::Maintenance6) dispatch::vkCmdBindDescriptorSets2KHR = PFN_vkCmdBindDescriptorSets2KHR;
    Device With(Extension::Maintenance6) dispatch::vkCmdPushConstants2KHR = PFN_vkCmdPushConstants2KHR;
    Device V1_1 dispatch::vkCmdDispatchBase = PFN_vkCmdDispatchBase, DeviceGroup "vkCmdDispatchBaseKHR";
    // copies
    Device V1_0 copies::vkCmdCopyBuffer = PFN_vkCmdCopyBuffer;
    Device V1_0 copies::vkCmdUpdateBuffer = PFN_vkCmdUpdateBuffer;
    Device V1_0 copies::vkCmdFillBuffer = PFN_vkCmdFillBuffer;
    Device V1_3 copies::vkCmdCopyBuffer2 = PFN_vkCmdCopyBuffer2, CopyCommands2 "vkCmdCopyBuffer2KHR";
    // host_image_copy
    Device With(Extension::HostImageCopy) host_image_copy::vkCopyMemoryToImageEXT = PFN_vkCopyMemoryToImageEXT;
    Device With(Extension::HostImageCopy) host_image_copy::vkCopyImageToMemoryEXT = PFN_vkCopyImageToMemoryEXT;
    Device With(Extension::HostImageCopy) host_image_copy::vkCopyImageToImageEXT = PFN_vkCopyImageToImageEXT;
    Device With(Extension::HostImageCopy) host_image_copy::vkTransitionImageLayoutEXT = PFN_vkTransitionImageLayoutEXT;
    Device With(Extension::HostImageCopy) host_image_copy::vkGetImageSubresourceLayout2EXT = PFN_vkGetImageSubresourceLayout2KHR, Maintenance5 "vkGetImageSubresourceLayout2KHR";
    Device With(Extension::Maintenance5) host_image_copy::vkGetDeviceImageSubresourceLayoutKHR = PFN_vkGetDeviceImageSubresourceLayoutKHR;
    // render_pass
    Device V1_0 render_pass::vkCreateFramebuffer = PFN_vkCreateFramebuffer;
    Device V1_0 render_pass::vkDestroyFramebuffer = PFN_vkDestroyFramebuffer;
    Device V1_0 render_pass::vkCreateRenderPass = PFN_vkCreateRenderPass;
    Device V1_0 render_pass::vkDestroyRenderPass = PFN_vkDestroyRenderPass;
    Device V1_0 render_pass::vkGetRenderAreaGranularity = PFN_vkGetRenderAreaGranularity;
    Device With(Extension::Maintenance5) render_pass::vkGetRenderingAreaGranularityKHR = PFN_vkGetRenderingAreaGranularityKHR;
    Device V1_2 render_pass::vkCreateRenderPass2 = PFN_vkCreateRenderPass2, CreateRenderpass2 "vkCreateRenderPass2KHR";
    // graphics
    Device V1_0 graphics::vkCmdSetViewport = PFN_vkCmdSetViewport;
    Device V1_0 graphics::vkCmdSetScissor = PFN_vkCmdSetScissor;
    Device V1_0 graphics::vkCmdSetLineWidth = PFN_vkCmdSetLineWidth;
    Device V1_0 graphics::vkCmdSetDepthBias = PFN_vkCmdSetDepthBias;
    Device V1_0 graphics::vkCmdSetBlendConstants = PFN_vkCmdSetBlendConstants;
    Device V1_0 graphics::vkCmdSetDepthBounds = PFN_vkCmdSetDepthBounds;
    Device V1_0 graphics::vkCmdSetStencilCompareMask = PFN_vkCmdSetStencilCompareMask;
    Device V1_0 graphics::vkCmdSetStencilWriteMask = PFN_vkCmdSetStencilWriteMask;
    Device V1_0 graphics::vkCmdSetStencilReference = PFN_vkCmdSetStencilReference;
    Device V1_0 graphics::vkCmdBindIndexBuffer = PFN_vkCmdBindIndexBuffer;
    Device With(Extension::Maintenance5) graphics::vkCmdBindIndexBuffer2KHR = PFN_vkCmdBindIndexBuffer2KHR;
    Device V1_0 graphics::vkCmdBindVertexBuffers = PFN_vkCmdBindVertexBuffers;
    Device V1_0 graphics::vkCmdDraw = PFN_vkCmdDraw;
    Device V1_0 graphics::vkCmdDrawIndexed = PFN_vkCmdDrawIndexed;
    Device V1_0 graphics::vkCmdDrawIndirect = PFN_vkCmdDrawIndirect;
    Device V1_0 graphics::vkCmdDrawIndexedIndirect = PFN_vkCmdDrawIndexedIndirect;
    Device V1_0 copies::vkCmdCopyImage = PFN_vkCmdCopyImage;
    Device V1_0 copies::vkCmdBlitImage = PFN_vkCmdBlitImage;
    Device V1_0 copies::vkCmdCopyBufferToImage = PFN_vkCmdCopyBufferToImage;
    Device V1_0 copies::vkCmdCopyImageToBuffer = PFN_vkCmdCopyImageToBuffer;
    Device V1_0 clears::vkCmdClearColorImage = PFN_vkCmdClearColorImage;
    Device V1_0 clears::vkCmdClearDepthStencilImage = PFN_vkCmdClearDepthStencilImage;
    Device V1_0 clears::vkCmdClearAttachments = PFN_vkCmdClearAttachments;
    Device V1_0 copies::vkCmdResolveImage = PFN_vkCmdResolveImage;
    Device V1_0 render_pass::vkCmdBeginRenderPass = PFN_vkCmdBeginRenderPass;
    Device V1_0 render_pass::vkCmdNextSubpass = PFN_vkCmdNextSubpass;
    Device V1_0 render_pass::vkCmdEndRenderPass = PFN_vkCmdEndRenderPass;
    Device V1_2 graphics::vkCmdDrawIndirectCount = PFN_vkCmdDrawIndirectCount;
    Device V1_2 graphics::vkCmdDrawIndexedIndirectCount = PFN_vkCmdDrawIndexedIndirectCount;
    Device V1_2 render_pass::vkCmdBeginRenderPass2 = PFN_vkCmdBeginRenderPass2, CreateRenderpass2 "vkCmdBeginRenderPass2KHR";
    Device V1_2 render_pass::vkCmdNextSubpass2 = PFN_vkCmdNextSubpass2, CreateRenderpass2 "vkCmdNextSubpass2KHR";
    Device V1_2 render_pass::vkCmdEndRenderPass2 = PFN_vkCmdEndRenderPass2, CreateRenderpass2 "vkCmdEndRenderPass2KHR";
    Device V1_3 copies::vkCmdCopyImage2 = PFN_vkCmdCopyImage2, CopyCommands2 "vkCmdCopyImage2KHR";
    Device V1_3 copies::vkCmdCopyBufferToImage2 = PFN_vkCmdCopyBufferToImage2, CopyCommands2 "vkCmdCopyBufferToImage2KHR";
    Device V1_3 copies::vkCmdCopyImageToBuffer2 = PFN_vkCmdCopyImageToBuffer2, CopyCommands2 "vkCmdCopyImageToBuffer2KHR";
    Device V1_3 copies::vkCmdBlitImage2 = PFN_vkCmdBlitImage2, CopyCommands2 "vkCmdBlitImage2KHR";
    Device V1_3 copies::vkCmdResolveImage2 = PFN_vkCmdResolveImage2, CopyCommands2 "vkCmdResolveImage2KHR";
    Device V1_3 render_pass::vkCmdBeginRendering = PFN_vkCmdBeginRendering, DynamicRendering "vkCmdBeginRenderingKHR";
    Device V1_3 render_pass::vkCmdEndRendering = PFN_vkCmdEndRendering, DynamicRendering "vkCmdEndRenderingKHR";
    // report
    Instance With(Extension::DebugUtils) report::vkCreateDebugUtilsMessengerEXT = PFN_vkCreateDebugUtilsMessengerEXT;
    Instance With(Extension::DebugUtils) report::vkDestroyDebugUtilsMessengerEXT = PFN_vkDestroyDebugUtilsMessengerEXT;
    Instance With(Extension::DebugUtils) report::vkSubmitDebugUtilsMessageEXT = PFN_vkSubmitDebugUtilsMessageEXT;
    Device With(Extension::DebugUtils) report::vkSetDebugUtilsObjectNameEXT = PFN_vkSetDebugUtilsObjectNameEXT;
    Device With(Extension::DebugUtils) report::vkSetDebugUtilsObjectTagEXT = PFN_vkSetDebugUtilsObjectTagEXT;
    Device With(Extension::DebugUtils) report::vkQueueBeginDebugUtilsLabelEXT = PFN_vkQueueBeginDebugUtilsLabelEXT;
    Device With(Extension::DebugUtils) report::vkQueueEndDebugUtilsLabelEXT = PFN_vkQueueEndDebugUtilsLabelEXT;
    Device With(Extension::DebugUtils) report::vkQueueInsertDebugUtilsLabelEXT = PFN_vkQueueInsertDebugUtilsLabelEXT;
    Device With(Extension::DebugUtils) report::vkCmdBeginDebugUtilsLabelEXT = PFN_vkCmdBeginDebugUtilsLabelEXT;
    Device With(Extension::DebugUtils) report::vkCmdEndDebugUtilsLabelEXT = PFN_vkCmdEndDebugUtilsLabelEXT;
    Device With(Extension::DebugUtils) report::vkCmdInsertDebugUtilsLabelEXT = PFN_vkCmdInsertDebugUtilsLabelEXT;
    // wsi
    Instance With(Extension::HeadlessSurface) surfaces::vkCreateHeadlessSurfaceEXT = PFN_vkCreateHeadlessSurfaceEXT;
    Instance With(Extension::WaylandSurface) surfaces::vkCreateWaylandSurfaceKHR = PFN_vkCreateWaylandSurfaceKHR;
    PhysicalDevice With(Extension::WaylandSurface) surfaces::vkGetPhysicalDeviceWaylandPresentationSupportKHR = PFN_vkGetPhysicalDeviceWaylandPresentationSupportKHR;
    Instance With(Extension::XcbSurface) surfaces::vkCreateXcbSurfaceKHR = PFN_vkCreateXcbSurfaceKHR;
    PhysicalDevice With(Extension::XcbSurface) surfaces::vkGetPhysicalDeviceXcbPresentationSupportKHR = PFN_vkGetPhysicalDeviceXcbPresentationSupportKHR;
    Instance With(Extension::XlibSurface) surfaces::vkCreateXlibSurfaceKHR = PFN_vkCreateXlibSurfaceKHR;
    PhysicalDevice With(Extension::XlibSurface) surfaces::vkGetPhysicalDeviceXlibPresentationSupportKHR = PFN_vkGetPhysicalDeviceXlibPresentationSupportKHR;
    Instance With(Extension::Surface) surfaces::vkDestroySurfaceKHR = PFN_vkDestroySurfaceKHR;
    PhysicalDevice With(Extension::Surface) surfaces::vkGetPhysicalDeviceSurfaceSupportKHR = PFN_vkGetPhysicalDeviceSurfaceSupportKHR;
    PhysicalDevice With(Extension::Surface) surfaces::vkGetPhysicalDeviceSurfaceCapabilitiesKHR = PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR;
    PhysicalDevice With(Extension::Surface) surfaces::vkGetPhysicalDeviceSurfaceFormatsKHR = PFN_vkGetPhysicalDeviceSurfaceFormatsKHR;
    PhysicalDevice With(Extension::Surface) surfaces::vkGetPhysicalDeviceSurfacePresentModesKHR = PFN_vkGetPhysicalDeviceSurfacePresentModesKHR;
    PhysicalDevice With(Extension::GetSurfaceCapabilities2) surfaces::vkGetPhysicalDeviceSurfaceCapabilities2KHR = PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR;
    PhysicalDevice With(Extension::GetSurfaceCapabilities2) surfaces::vkGetPhysicalDeviceSurfaceFormats2KHR = PFN_vkGetPhysicalDeviceSurfaceFormats2KHR;
    PhysicalDevice With(Extension::Swapchain) surfaces::vkGetPhysicalDevicePresentRectanglesKHR = PFN_vkGetPhysicalDevicePresentRectanglesKHR;
    Device With(Extension::Swapchain) swapchains::vkCreateSwapchainKHR = PFN_vkCreateSwapchainKHR;
    Device With(Extension::Swapchain) swapchains::vkDestroySwapchainKHR = PFN_vkDestroySwapchainKHR;
    Device With(Extension::Swapchain) swapchains::vkGetSwapchainImagesKHR = PFN_vkGetSwapchainImagesKHR;
    Device With(Extension::Swapchain) swapchains::vkAcquireNextImageKHR = PFN_vkAcquireNextImageKHR;
    Device With(Extension::Swapchain) swapchains::vkAcquireNextImage2KHR = PFN_vkAcquireNextImage2KHR;
    Device With(Extension::Swapchain) swapchains::vkQueuePresentKHR = PFN_vkQueuePresentKHR;
    Device With(Extension::Swapchain) swapchains::vkGetDeviceGroupPresentCapabilitiesKHR = PFN_vkGetDeviceGroupPresentCapabilitiesKHR;
    Device With(Extension::Swapchain) swapchains::vkGetDeviceGroupSurfacePresentModesKHR = PFN_vkGetDeviceGroupSurfacePresentModesKHR;
    Device With(Extension::SwapchainMaintenance1) swapchains::vkReleaseSwapchainImagesEXT = PFN_vkReleaseSwapchainImagesEXT;
    Device With(Extension::PresentWait) swapchains::vkWaitForPresentKHR = PFN_vkWaitForPresentKHR;
    // private_data
    Device V1_3 private_data::vkCreatePrivateDataSlot = PFN_vkCreatePrivateDataSlot, PrivateData "vkCreatePrivateDataSlotEXT";
    Device V1_3 private_data::vkDestroyPrivateDataSlot = PFN_vkDestroyPrivateDataSlot, PrivateData "vkDestroyPrivateDataSlotEXT";
    Device V1_3 private_data::vkSetPrivateData = PFN_vkSetPrivateData, PrivateData "vkSetPrivateDataEXT";
    Device V1_3 private_data::vkGetPrivateData = PFN_vkGetPrivateData, PrivateData "vkGetPrivateDataEXT";
    // dynamic_state
    Device V1_3 dynamic_state::vkCmdSetCullMode = PFN_vkCmdSetCullMode, ExtendedDynamicState "vkCmdSetCullModeEXT";
    Device V1_3 dynamic_state::vkCmdSetFrontFace = PFN_vkCmdSetFrontFace, ExtendedDynamicState "vkCmdSetFrontFaceEXT";
    Device V1_3 dynamic_state::vkCmdSetPrimitiveTopology = PFN_vkCmdSetPrimitiveTopology, ExtendedDynamicState "vkCmdSetPrimitiveTopologyEXT";
    Device V1_3 dynamic_state::vkCmdSetViewportWithCount = PFN_vkCmdSetViewportWithCount, ExtendedDynamicState "vkCmdSetViewportWithCountEXT";
    Device V1_3 dynamic_state::vkCmdSetScissorWithCount = PFN_vkCmdSetScissorWithCount, ExtendedDynamicState "vkCmdSetScissorWithCountEXT";
    Device V1_3 dynamic_state::vkCmdBindVertexBuffers2 = PFN_vkCmdBindVertexBuffers2, ExtendedDynamicState "vkCmdBindVertexBuffers2EXT";
    Device V1_3 dynamic_state::vkCmdSetDepthTestEnable = PFN_vkCmdSetDepthTestEnable, ExtendedDynamicState "vkCmdSetDepthTestEnableEXT";
    Device V1_3 dynamic_state::vkCmdSetDepthWriteEnable = PFN_vkCmdSetDepthWriteEnable, ExtendedDynamicState "vkCmdSetDepthWriteEnableEXT";
    Device V1_3 dynamic_state::vkCmdSetDepthCompareOp = PFN_vkCmdSetDepthCompareOp, ExtendedDynamicState "vkCmdSetDepthCompareOpEXT";
    Device V1_3 dynamic_state::vkCmdSetDepthBoundsTestEnable = PFN_vkCmdSetDepthBoundsTestEnable, ExtendedDynamicState "vkCmdSetDepthBoundsTestEnableEXT";
    Device V1_3 dynamic_state::vkCmdSetStencilTestEnable = PFN_vkCmdSetStencilTestEnable, ExtendedDynamicState "vkCmdSetStencilTestEnableEXT";
    Device V1_3 dynamic_state::vkCmdSetStencilOp = PFN_vkCmdSetStencilOp, ExtendedDynamicState "vkCmdSetStencilOpEXT";
    Device V1_3 dynamic_state::vkCmdSetRasterizerDiscardEnable = PFN_vkCmdSetRasterizerDiscardEnable, ExtendedDynamicState2 "vkCmdSetRasterizerDiscardEnableEXT";
    Device V1_3 dynamic_state::vkCmdSetDepthBiasEnable = PFN_vkCmdSetDepthBiasEnable, ExtendedDynamicState2 "vkCmdSetDepthBiasEnableEXT";
    Device V1_3 dynamic_state::vkCmdSetPrimitiveRestartEnable = PFN_vkCmdSetPrimitiveRestartEnable, ExtendedDynamicState2 "vkCmdSetPrimitiveRestartEnableEXT";
    Device With(Extension::ExtendedDynamicState2) dynamic_state::vkCmdSetLogicOpEXT = PFN_vkCmdSetLogicOpEXT;
    Device With(Extension::ExtendedDynamicState2) dynamic_state::vkCmdSetPatchControlPointsEXT = PFN_vkCmdSetPatchControlPointsEXT;
}

/// The row of a command.
pub fn find(name: &CStr) -> Option<&'static Proc> {
    static INDEX: OnceLock<HashMap<&'static CStr, &'static Proc>> = OnceLock::new();
    INDEX.get_or_init(|| PROCS.iter().map(|p| (p.name, p)).collect()).get(name).copied()
}
