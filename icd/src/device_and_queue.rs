//! Logical devices and queues (chapter "Devices and Queues", section "Queue Submission").

use crate::command_buffers::CommandBuffer;
use crate::entry::{Call, Fail, First, SUCCESS, config, entry};
use crate::extensions::{Extension, Scope};
use crate::external_sync::Payload;
use crate::handle::{self, Object};
use crate::mark;
use crate::physical_device::global_priority;
use crate::procs::{self, Level};
use crate::report::{self, Instance};
use crate::synchronization::{Fence, Semaphore};
use ash::vk;
use std::ffi::c_char;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use wavepipe_runtime as runtime;
use wavepipe_runtime::{Error, SubmitInfo};

/// What all objects of a device share.
pub struct Device {
    pub instance: Arc<Instance>,
    pub runtime: Arc<runtime::Device>,
    extensions: Vec<Extension>,
    /// Live VkDeviceMemory objects.
    pub allocations: AtomicU32,
}

struct DeviceObject {
    shared: Arc<Device>,
    /// Family, index, flags and handle of each queue that was asked for.
    queues: Vec<(u32, u32, vk::DeviceQueueCreateFlags, vk::Queue)>,
}

impl Object for DeviceObject {
    type Handle = vk::Device;
}

struct Queue {
    device: Arc<Device>,
    runtime: Arc<runtime::Queue>,
}

impl Object for Queue {
    type Handle = vk::Queue;
}

impl First for vk::Device {
    fn is_here(&self, call: &Call) -> bool {
        call.get_opt::<DeviceObject>(*self).is_none_or(|device| call.serves(&device.shared))
    }
}

impl First for vk::Queue {
    fn is_here(&self, call: &Call) -> bool {
        call.get_opt::<Queue>(*self).is_none_or(|queue| call.serves(&queue.device))
    }
}

type GetPayload = fn(&Payload<runtime::Semaphore>) -> Arc<runtime::Semaphore>;

impl Call {
    /// Whether the device is in this process. What its GPU had to say is told.
    pub fn serves(&self, device: &Device) -> bool {
        self.belongs_to(&device.instance);
        let here = device.runtime.is_here();
        if here {
            self.tell(device);
        }
        here
    }

    /// Tells what the GPU had to say of the program, if there is something new.
    pub fn tell(&self, device: &Device) {
        let found = device.runtime.take_findings();
        for finding in &found.findings {
            mark::finding(finding);
            self.finding(finding);
        }
        mark::more_findings(found.more);
        found.rest().iter().for_each(|rest| self.warn(rest));
        device.runtime.take_printed().iter().for_each(|line| report::printed(&device.instance, line));
    }

    pub fn device(&self, handle: vk::Device) -> &Arc<Device> {
        let shared = &self.get::<DeviceObject>(handle).shared;
        self.belongs_to(&shared.instance);
        shared
    }

    fn queue(&self, handle: vk::Queue) -> &runtime::Queue {
        let queue = self.get::<Queue>(handle);
        self.belongs_to(&queue.device.instance);
        &queue.runtime
    }

    pub fn queue_and_device(&self, handle: vk::Queue) -> (&Arc<runtime::Device>, &runtime::Queue) {
        (&self.get::<Queue>(handle).device.runtime, self.queue(handle))
    }

    fn fence(&self, handle: vk::Fence) -> Option<Arc<runtime::Fence>> {
        self.get_opt::<Fence>(handle).map(|f| f.payload.get())
    }

    /// Semaphores with their values; binary semaphores take none. `payload`: a wait takes, a signal gets.
    fn semaphores(
        &self,
        handles: *const vk::Semaphore,
        count: u32,
        values: &[u64],
        payload: GetPayload,
    ) -> Vec<(Arc<runtime::Semaphore>, u64)> {
        let semaphores = self.slice(handles, count).iter().map(|s| payload(&self.get::<Semaphore>(*s).payload));
        semaphores.enumerate().map(|(i, s)| (s, values.get(i).copied().unwrap_or(0))).collect()
    }

    fn semaphores2(
        &self,
        infos: *const vk::SemaphoreSubmitInfo<'_>,
        count: u32,
        payload: GetPayload,
    ) -> Vec<(Arc<runtime::Semaphore>, u64)> {
        let infos = self.slice(infos, count).iter();
        infos.map(|s| (payload(&self.get::<Semaphore>(s.semaphore).payload), s.value)).collect()
    }

    /// The timeline values of a batch: for its waits, for its signals.
    fn timeline_values(&self, next: *const std::ffi::c_void) -> (&[u64], &[u64]) {
        self.find::<vk::TimelineSemaphoreSubmitInfo<'_>>(next).map_or((&[], &[]), |t| {
            (
                self.slice(t.p_wait_semaphore_values, t.wait_semaphore_value_count),
                self.slice(t.p_signal_semaphore_values, t.signal_semaphore_value_count),
            )
        })
    }
}

fn queues(
    call: &Call,
    shared: &Arc<Device>,
    info: &vk::DeviceCreateInfo<'_>,
) -> Result<Vec<(u32, u32, vk::DeviceQueueCreateFlags, vk::Queue)>, Fail> {
    let mut queues = Vec::new();
    for family in call.slice(info.p_queue_create_infos, info.queue_create_info_count) {
        let asked = call.find::<vk::DeviceQueueGlobalPriorityCreateInfoKHR<'_>>(family.p_next);
        let asked = asked.map_or(vk::QueueGlobalPriorityKHR::MEDIUM, |info| info.global_priority);
        let Some(global) = global_priority(asked) else {
            let what = format!("global priority {} has no meaning", asked.as_raw());
            return Err(Fail::new(vk::Result::ERROR_INITIALIZATION_FAILED, what));
        };
        for (index, priority) in call.slice(family.p_queue_priorities, family.queue_count).iter().enumerate() {
            let index = index as u32;
            let options = runtime::QueueOptions { priority: *priority, global, reserved_cus: 0 };
            let runtime = shared.runtime.queue_with(family.queue_family_index, index, options)?;
            let handle = handle::create(Queue { device: shared.clone(), runtime });
            queues.push((family.queue_family_index, index, family.flags, handle));
        }
    }
    Ok(queues)
}

fn find_queue(device: &DeviceObject, family: u32, index: u32, flags: vk::DeviceQueueCreateFlags) -> vk::Queue {
    let queue = device.queues.iter().find(|q| (q.0, q.1, q.2) == (family, index, flags));
    queue.map_or(vk::Queue::null(), |q| q.3)
}

entry! { call;
    fn vkCreateDevice(
        physical_device: vk::PhysicalDevice,
        info: *const vk::DeviceCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Device,
    ) -> vk::Result {
        let instance = call.physical_device(physical_device).instance.clone();
        let info = call.read(info);
        let extensions =
            call.requested_extensions(Scope::Device, info.pp_enabled_extension_names, info.enabled_extension_count)?;
        crate::features::check(call, &instance, info)?;
        let runtime = runtime::Device::new(config()).map_err(|e| match e {
            Error::OutOfDeviceMemory { .. } | Error::OutOfHostMemory { .. } => Fail::from(e),
            other => Fail::new(vk::Result::ERROR_INITIALIZATION_FAILED, other.to_string()),
        })?;
        if instance.extensions.contains(&Extension::DebugUtils) {
            // A messenger may want what shaders print, in a call of the program's.
            runtime.collect_printed();
        }
        let shared = Arc::new(Device { instance, runtime, extensions, allocations: AtomicU32::new(0) });
        let queues = queues(call, &shared, info)?;
        call.write(out, handle::create(DeviceObject { shared, queues }));
        crate::mark::device();
        SUCCESS
    }

    fn vkDestroyDevice(device: vk::Device, _allocator: *const vk::AllocationCallbacks<'_>) {
        if let Some(object) = call.destroy::<DeviceObject>(device) {
            call.belongs_to(&object.shared.instance);
            call.tell(&object.shared);
            for (.., queue) in object.queues {
                call.destroy::<Queue>(queue);
            }
        }
    }

    fn vkGetDeviceProcAddr(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
        let device = call.device(device);
        let proc = procs::find(call.string(name))?;
        let known = proc.level == Level::Device && proc.since.enabled(&device.instance, &device.extensions);
        if known { proc.function } else { None }
    }

    fn vkGetDeviceQueue(device: vk::Device, family: u32, index: u32, out: *mut vk::Queue) {
        let flags = vk::DeviceQueueCreateFlags::empty();
        call.write(out, find_queue(call.get::<DeviceObject>(device), family, index, flags));
    }

    fn vkGetDeviceQueue2(device: vk::Device, info: *const vk::DeviceQueueInfo2<'_>, out: *mut vk::Queue) {
        let info = call.read(info);
        let device = call.get::<DeviceObject>(device);
        call.write(out, find_queue(device, info.queue_family_index, info.queue_index, info.flags));
    }

    fn vkDeviceWaitIdle(device: vk::Device) -> vk::Result => ERROR_DEVICE_LOST {
        let device = call.device(device);
        let done = device.runtime.wait_idle();
        call.tell(device);
        done?;
        SUCCESS
    }

    fn vkQueueWaitIdle(queue: vk::Queue) -> vk::Result => ERROR_DEVICE_LOST {
        let done = call.queue(queue).wait_idle();
        call.tell(&call.get::<Queue>(queue).device);
        done?;
        SUCCESS
    }

    fn vkQueueSubmit(
        queue: vk::Queue,
        count: u32,
        submits: *const vk::SubmitInfo<'_>,
        fence: vk::Fence,
    ) -> vk::Result => ERROR_DEVICE_LOST {
        let queue = call.queue(queue);
        let mut batches = Vec::with_capacity(count as usize);
        for submit in call.slice(submits, count) {
            let (wait_values, signal_values) = call.timeline_values(submit.p_next);
            let commands = call.slice(submit.p_command_buffers, submit.command_buffer_count).iter();
            batches.push(SubmitInfo {
                waits: call.semaphores(submit.p_wait_semaphores, submit.wait_semaphore_count, wait_values, Payload::take),
                command_buffers: commands.map(|c| call.get::<CommandBuffer>(*c).recording()).collect::<Result<_, _>>()?,
                signals: call.semaphores(submit.p_signal_semaphores, submit.signal_semaphore_count, signal_values, Payload::get),
            });
        }
        queue.submit_many(&batches, call.fence(fence).as_deref())?;
        SUCCESS
    }

    fn vkQueueSubmit2(
        queue: vk::Queue,
        count: u32,
        submits: *const vk::SubmitInfo2<'_>,
        fence: vk::Fence,
    ) -> vk::Result => ERROR_DEVICE_LOST {
        let queue = call.queue(queue);
        let mut batches = Vec::with_capacity(count as usize);
        for submit in call.slice(submits, count) {
            let commands = call.slice(submit.p_command_buffer_infos, submit.command_buffer_info_count).iter();
            let recording = |c: &vk::CommandBufferSubmitInfo<'_>| call.get::<CommandBuffer>(c.command_buffer).recording();
            batches.push(SubmitInfo {
                waits: call.semaphores2(submit.p_wait_semaphore_infos, submit.wait_semaphore_info_count, Payload::take),
                command_buffers: commands.map(recording).collect::<Result<_, _>>()?,
                signals: call.semaphores2(submit.p_signal_semaphore_infos, submit.signal_semaphore_info_count, Payload::get),
            });
        }
        queue.submit_many(&batches, call.fence(fence).as_deref())?;
        SUCCESS
    }

    /// No queue family has SPARSE_BINDING; the semaphores and the fence work all the same.
    fn vkQueueBindSparse(
        queue: vk::Queue,
        count: u32,
        infos: *const vk::BindSparseInfo<'_>,
        fence: vk::Fence,
    ) -> vk::Result => ERROR_DEVICE_LOST {
        let queue = call.queue(queue);
        let mut batches = Vec::with_capacity(count as usize);
        for info in call.slice(infos, count) {
            if info.buffer_bind_count + info.image_bind_count + info.image_opaque_bind_count > 0 {
                return Err(Fail::new(vk::Result::ERROR_UNKNOWN, "sparse resources are not supported"));
            }
            let (wait_values, signal_values) = call.timeline_values(info.p_next);
            batches.push(SubmitInfo {
                waits: call.semaphores(info.p_wait_semaphores, info.wait_semaphore_count, wait_values, Payload::take),
                command_buffers: Vec::new(),
                signals: call.semaphores(info.p_signal_semaphores, info.signal_semaphore_count, signal_values, Payload::get),
            });
        }
        queue.submit_many(&batches, call.fence(fence).as_deref())?;
        SUCCESS
    }

    /// One device in the group: there are no peers.
    fn vkGetDeviceGroupPeerMemoryFeatures(
        device: vk::Device,
        heap: u32,
        local: u32,
        remote: u32,
        features: *mut vk::PeerMemoryFeatureFlags,
    ) {
        call.write(features, vk::PeerMemoryFeatureFlags::empty());
    }
}
