//! The physical device: queue families, memory, layers and extensions (chapters "Devices and Queues", "Memory Allocation",
//! "Additional Capabilities"). Properties, features and formats have files of their own.

use crate::entry::{Call, config, entry, machine_info};
use crate::extensions::{Extension, Scope};
use crate::handle::Object;
use crate::memory::external_properties;
use crate::report::Instance;
use ash::vk;
use std::ffi::c_char;
use std::sync::Arc;
use wavepipe_runtime as runtime;
use wavepipe_runtime::machine;

pub struct PhysicalDevice {
    pub instance: Arc<Instance>,
}

impl Object for PhysicalDevice {
    type Handle = vk::PhysicalDevice;
}

impl Call {
    pub fn physical_device(&self, handle: vk::PhysicalDevice) -> &PhysicalDevice {
        let device = self.get::<PhysicalDevice>(handle);
        self.belongs_to(&device.instance);
        device
    }
}

/// The one memory type: video memory that the host reaches too, because it is the host's.
const MEMORY_TYPE: vk::MemoryPropertyFlags = vk::MemoryPropertyFlags::from_raw(
    vk::MemoryPropertyFlags::DEVICE_LOCAL.as_raw()
        | vk::MemoryPropertyFlags::HOST_VISIBLE.as_raw()
        | vk::MemoryPropertyFlags::HOST_COHERENT.as_raw()
        | vk::MemoryPropertyFlags::HOST_CACHED.as_raw(),
);
/// memoryTypeBits of every resource.
pub const MEMORY_TYPE_BITS: u32 = 1;

fn memory() -> vk::PhysicalDeviceMemoryProperties {
    let mut memory =
        vk::PhysicalDeviceMemoryProperties { memory_type_count: 1, memory_heap_count: 1, ..Default::default() };
    memory.memory_types[0] = vk::MemoryType { property_flags: MEMORY_TYPE, heap_index: 0 };
    memory.memory_heaps[0] =
        vk::MemoryHeap { size: machine_info().memory_bytes, flags: vk::MemoryHeapFlags::DEVICE_LOCAL };
    memory
}

/// What a family's queues do. The general family shows GRAPHICS too, because programs that only compute look for it: its
/// render passes clear, store and resolve, but there are no graphics pipelines. `WAVEPIPE_COMPUTE_ONLY=1` takes it away.
fn queue_flags(kind: machine::QueueKind) -> vk::QueueFlags {
    match kind {
        machine::QueueKind::General if compute_only() => vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER,
        machine::QueueKind::General => vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER,
        machine::QueueKind::Compute => vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER,
        machine::QueueKind::Transfer => vk::QueueFlags::TRANSFER,
    }
}

/// Whether `WAVEPIPE_COMPUTE_ONLY` is 1.
pub fn compute_only() -> bool {
    config().compute_only
}

fn queue_family(index: usize) -> vk::QueueFamilyProperties {
    let family = machine::queue_families(&config().machine)[index];
    vk::QueueFamilyProperties {
        queue_flags: queue_flags(family.kind),
        queue_count: family.queues,
        timestamp_valid_bits: family.timestamp_bits,
        min_image_transfer_granularity: vk::Extent3D { width: 1, height: 1, depth: 1 },
    }
}

/// What a queue can have; of VK_KHR_global_priority, lowest first. Everybody is permitted all of them.
const GLOBAL_PRIORITIES: [(vk::QueueGlobalPriorityKHR, runtime::GlobalPriority); 4] = [
    (vk::QueueGlobalPriorityKHR::LOW, runtime::GlobalPriority::Low),
    (vk::QueueGlobalPriorityKHR::MEDIUM, runtime::GlobalPriority::Medium),
    (vk::QueueGlobalPriorityKHR::HIGH, runtime::GlobalPriority::High),
    (vk::QueueGlobalPriorityKHR::REALTIME, runtime::GlobalPriority::Realtime),
];

/// The runtime's priority of this name; `None` if it has no name.
pub fn global_priority(priority: vk::QueueGlobalPriorityKHR) -> Option<runtime::GlobalPriority> {
    GLOBAL_PRIORITIES.iter().find(|(p, _)| *p == priority).map(|(_, runtime)| *runtime)
}

entry! { call;
    fn vkGetPhysicalDeviceQueueFamilyProperties(
        device: vk::PhysicalDevice,
        count: *mut u32,
        families: *mut vk::QueueFamilyProperties,
    ) {
        let total = machine::QUEUE_FAMILIES;
        let _ = call.enumerate_with(count, families, total, |i, family| *family = queue_family(i));
    }

    fn vkGetPhysicalDeviceQueueFamilyProperties2(
        device: vk::PhysicalDevice,
        count: *mut u32,
        families: *mut vk::QueueFamilyProperties2<'_>,
    ) {
        let total = machine::QUEUE_FAMILIES;
        let fill = |i, family: &mut vk::QueueFamilyProperties2<'_>| {
            family.queue_family_properties = queue_family(i);
            call.fill_chain(family.p_next, |link| {
                link.fill::<vk::QueueFamilyGlobalPriorityPropertiesKHR<'_>>(|p| {
                    p.priority_count = GLOBAL_PRIORITIES.len() as u32;
                    GLOBAL_PRIORITIES.iter().zip(&mut p.priorities).for_each(|((from, _), to)| *to = *from);
                });
            });
        };
        let _ = call.enumerate_with(count, families, total, fill);
    }

    fn vkGetPhysicalDeviceMemoryProperties(
        device: vk::PhysicalDevice,
        properties: *mut vk::PhysicalDeviceMemoryProperties,
    ) {
        call.write(properties, memory());
    }

    fn vkGetPhysicalDeviceMemoryProperties2(
        device: vk::PhysicalDevice,
        properties: *mut vk::PhysicalDeviceMemoryProperties2<'_>,
    ) {
        let properties = call.out(properties);
        properties.memory_properties = memory();
        call.fill_chain(properties.p_next, |link| {
            link.fill::<vk::PhysicalDeviceMemoryBudgetPropertiesEXT<'_>>(|b| {
                let (used, available) = (runtime::memory_in_use(), machine::memory_available());
                (b.heap_budget, b.heap_usage) = ([0; vk::MAX_MEMORY_HEAPS], [0; vk::MAX_MEMORY_HEAPS]);
                (b.heap_budget[0], b.heap_usage[0]) = (used + available, used);
            });
        });
    }

    fn vkEnumerateDeviceExtensionProperties(
        device: vk::PhysicalDevice,
        layer: *const c_char,
        count: *mut u32,
        properties: *mut vk::ExtensionProperties,
    ) -> vk::Result {
        if !layer.is_null() {
            return Err(vk::Result::ERROR_LAYER_NOT_PRESENT.into());
        }
        call.enumerate(count, properties, &Extension::properties(Scope::Device))
    }

    fn vkEnumerateDeviceLayerProperties(
        device: vk::PhysicalDevice,
        count: *mut u32,
        properties: *mut vk::LayerProperties,
    ) -> vk::Result {
        call.enumerate(count, properties, &[])
    }

    /// The driver is no tool; layers add themselves.
    fn vkGetPhysicalDeviceToolProperties(
        device: vk::PhysicalDevice,
        count: *mut u32,
        tools: *mut vk::PhysicalDeviceToolProperties<'_>,
    ) -> vk::Result {
        call.enumerate(count, tools, &[])
    }

    fn vkGetPhysicalDeviceExternalBufferProperties(
        device: vk::PhysicalDevice,
        info: *const vk::PhysicalDeviceExternalBufferInfo<'_>,
        properties: *mut vk::ExternalBufferProperties<'_>,
    ) {
        call.out(properties).external_memory_properties = external_properties(call.read(info).handle_type);
    }
}
