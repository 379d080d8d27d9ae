//! Fences, semaphores, events and barriers (chapter "Synchronization and Cache Control").

use crate::entry::{Call, Outcome, SUCCESS, entry};
use crate::external_sync::{Payload, exports_fence, exports_semaphore};
use crate::handle::{self, Object};
use crate::scopes::transitions1;
use ash::vk;
use std::sync::Arc;
use std::time::Duration;
use wavepipe_runtime as runtime;

pub struct Fence {
    pub payload: Payload<runtime::Fence>,
}

impl Object for Fence {
    type Handle = vk::Fence;
}

pub struct Semaphore {
    pub payload: Payload<runtime::Semaphore>,
}

impl Object for Semaphore {
    type Handle = vk::Semaphore;
}

struct Event {
    runtime: Arc<runtime::Event>,
}

impl Object for Event {
    type Handle = vk::Event;
}

impl Call {
    fn event(&self, handle: vk::Event) -> &Arc<runtime::Event> {
        &self.get::<Event>(handle).runtime
    }
}

/// Nanoseconds; all ones is for ever.
pub fn timeout(ns: u64) -> Option<Duration> {
    (ns != u64::MAX).then(|| Duration::from_nanos(ns))
}

fn waited(signaled: bool) -> Outcome {
    Ok(if signaled { vk::Result::SUCCESS } else { vk::Result::TIMEOUT })
}

entry! { call;
    fn vkCreateFence(
        device: vk::Device,
        info: *const vk::FenceCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Fence,
    ) -> vk::Result {
        let device = &call.device(device).runtime;
        let info = call.read(info);
        let signaled = info.flags.contains(vk::FenceCreateFlags::SIGNALED);
        let runtime = match exports_fence(call, info.p_next) {
            true => runtime::Fence::exportable(device, signaled)?,
            false => runtime::Fence::new(device, signaled),
        };
        call.write(out, handle::create(Fence { payload: Payload::new(runtime) }));
        SUCCESS
    }

    fn vkDestroyFence(device: vk::Device, fence: vk::Fence, _allocator: *const vk::AllocationCallbacks<'_>) {
        call.destroy::<Fence>(fence);
    }

    fn vkResetFences(device: vk::Device, count: u32, fences: *const vk::Fence) -> vk::Result {
        call.slice(fences, count).iter().for_each(|f| call.get::<Fence>(*f).payload.restore().reset());
        SUCCESS
    }

    fn vkGetFenceStatus(device: vk::Device, fence: vk::Fence) -> vk::Result => ERROR_DEVICE_LOST {
        call.device(device);
        let signaled = call.get::<Fence>(fence).payload.get().status()?;
        Ok(if signaled { vk::Result::SUCCESS } else { vk::Result::NOT_READY })
    }

    fn vkWaitForFences(
        device: vk::Device,
        count: u32,
        fences: *const vk::Fence,
        all: vk::Bool32,
        ns: u64,
    ) -> vk::Result => ERROR_DEVICE_LOST {
        let device = call.device(device);
        let fences: Vec<_> = call.slice(fences, count).iter().map(|f| call.get::<Fence>(*f).payload.get()).collect();
        let fences: Vec<_> = fences.iter().map(|f| &**f).collect();
        let signaled = runtime::Fence::wait_many(&fences, all != vk::FALSE, timeout(ns));
        call.tell(device);
        waited(signaled?)
    }

    fn vkCreateSemaphore(
        device: vk::Device,
        info: *const vk::SemaphoreCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Semaphore,
    ) -> vk::Result {
        let device = &call.device(device).runtime;
        let next = call.read(info).p_next;
        let kind = call.find::<vk::SemaphoreTypeCreateInfo<'_>>(next);
        let timeline = kind.filter(|k| k.semaphore_type == vk::SemaphoreType::TIMELINE);
        let runtime = match timeline.map(|t| t.initial_value) {
            initial if exports_semaphore(call, next) => runtime::Semaphore::exportable(device, initial)?,
            Some(initial) => runtime::Semaphore::timeline(device, initial)?,
            None => runtime::Semaphore::binary(device)?,
        };
        call.write(out, handle::create(Semaphore { payload: Payload::new(runtime) }));
        SUCCESS
    }

    fn vkDestroySemaphore(
        device: vk::Device,
        semaphore: vk::Semaphore,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<Semaphore>(semaphore);
    }

    fn vkGetSemaphoreCounterValue(
        device: vk::Device,
        semaphore: vk::Semaphore,
        value: *mut u64,
    ) -> vk::Result => ERROR_DEVICE_LOST {
        call.device(device);
        call.write(value, call.get::<Semaphore>(semaphore).payload.get().value()?);
        SUCCESS
    }

    fn vkWaitSemaphores(
        device: vk::Device,
        info: *const vk::SemaphoreWaitInfo<'_>,
        ns: u64,
    ) -> vk::Result => ERROR_DEVICE_LOST {
        let device = call.device(device);
        let info = call.read(info);
        let values = call.slice(info.p_values, info.semaphore_count);
        let semaphores = call.slice(info.p_semaphores, info.semaphore_count).iter();
        let semaphores: Vec<_> = semaphores.map(|s| call.get::<Semaphore>(*s).payload.get()).collect();
        let waits: Vec<_> = semaphores.iter().map(|s| &**s).zip(values.iter().copied()).collect();
        let all = !info.flags.contains(vk::SemaphoreWaitFlags::ANY);
        let signaled = runtime::Semaphore::wait_many(&waits, all, timeout(ns));
        call.tell(device);
        waited(signaled?)
    }

    fn vkSignalSemaphore(device: vk::Device, info: *const vk::SemaphoreSignalInfo<'_>) -> vk::Result {
        call.device(device);
        let info = call.read(info);
        call.get::<Semaphore>(info.semaphore).payload.get().signal(info.value)?;
        SUCCESS
    }

    fn vkCreateEvent(
        device: vk::Device,
        info: *const vk::EventCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Event,
    ) -> vk::Result {
        let runtime = runtime::Event::new(&call.device(device).runtime)?;
        call.write(out, handle::create(Event { runtime }));
        SUCCESS
    }

    fn vkDestroyEvent(device: vk::Device, event: vk::Event, _allocator: *const vk::AllocationCallbacks<'_>) {
        call.destroy::<Event>(event);
    }

    fn vkGetEventStatus(device: vk::Device, event: vk::Event) -> vk::Result => ERROR_DEVICE_LOST {
        call.device(device);
        let set = call.event(event).is_set()?;
        Ok(if set { vk::Result::EVENT_SET } else { vk::Result::EVENT_RESET })
    }

    fn vkSetEvent(device: vk::Device, event: vk::Event) -> vk::Result {
        call.event(event).set();
        SUCCESS
    }

    fn vkResetEvent(device: vk::Device, event: vk::Event) -> vk::Result {
        call.event(event).reset();
        SUCCESS
    }

    fn vkCmdSetEvent(commands: vk::CommandBuffer, event: vk::Event, stages: vk::PipelineStageFlags) {
        call.recorder(commands).commands.set_event(call.event(event));
    }

    fn vkCmdSetEvent2(commands: vk::CommandBuffer, event: vk::Event, dependency: *const vk::DependencyInfo<'_>) {
        call.recorder(commands).commands.set_event(call.event(event));
    }

    fn vkCmdResetEvent(commands: vk::CommandBuffer, event: vk::Event, stages: vk::PipelineStageFlags) {
        call.recorder(commands).commands.reset_event(call.event(event));
    }

    fn vkCmdResetEvent2(commands: vk::CommandBuffer, event: vk::Event, stages: vk::PipelineStageFlags2) {
        call.recorder(commands).commands.reset_event(call.event(event));
    }

    fn vkCmdWaitEvents(
        commands: vk::CommandBuffer,
        count: u32,
        events: *const vk::Event,
        source: vk::PipelineStageFlags,
        dest: vk::PipelineStageFlags,
        memory_count: u32,
        memory: *const vk::MemoryBarrier<'_>,
        buffer_count: u32,
        buffers: *const vk::BufferMemoryBarrier<'_>,
        image_count: u32,
        images: *const vk::ImageMemoryBarrier<'_>,
    ) {
        let events: Vec<_> = call.slice(events, count).iter().map(|e| call.event(*e).clone()).collect();
        let ordered = call.dependencies1((source, dest), call.slice(memory, memory_count), call.slice(buffers, buffer_count), call.slice(images, image_count));
        let transitions = transitions1(call.slice(images, image_count));
        let mut recorder = call.recorder(commands);
        recorder.commands.wait_events(&events);
        recorder.commands.order(&ordered);
        call.lay_out(&mut recorder.commands, "vkCmdWaitEvents", transitions);
    }

    fn vkCmdWaitEvents2(
        commands: vk::CommandBuffer,
        count: u32,
        events: *const vk::Event,
        dependencies: *const vk::DependencyInfo<'_>,
    ) {
        let events: Vec<_> = call.slice(events, count).iter().map(|e| call.event(*e).clone()).collect();
        let ordered = call.slice(dependencies, count).iter().flat_map(|d| call.dependencies(d)).collect::<Vec<_>>();
        let transitions = call.slice(dependencies, count).iter().flat_map(|d| call.transitions(d));
        let mut recorder = call.recorder(commands);
        recorder.commands.wait_events(&events);
        recorder.commands.order(&ordered);
        call.lay_out(&mut recorder.commands, "vkCmdWaitEvents2", transitions);
    }

    /// Every barrier is the strongest one: all work before is done and visible. Layouts and queue families have no
    /// meaning for memory that all share. What the program asked for matters to the check of the order of commands, and of layouts.
    fn vkCmdPipelineBarrier(
        commands: vk::CommandBuffer,
        source: vk::PipelineStageFlags,
        dest: vk::PipelineStageFlags,
        flags: vk::DependencyFlags,
        memory_count: u32,
        memory: *const vk::MemoryBarrier<'_>,
        buffer_count: u32,
        buffers: *const vk::BufferMemoryBarrier<'_>,
        image_count: u32,
        images: *const vk::ImageMemoryBarrier<'_>,
    ) {
        let ordered = call.dependencies1((source, dest), call.slice(memory, memory_count), call.slice(buffers, buffer_count), call.slice(images, image_count));
        let transitions = transitions1(call.slice(images, image_count));
        let mut recorder = call.recorder(commands);
        recorder.commands.barrier(&ordered);
        call.lay_out(&mut recorder.commands, "vkCmdPipelineBarrier", transitions);
    }

    fn vkCmdPipelineBarrier2(commands: vk::CommandBuffer, dependency: *const vk::DependencyInfo<'_>) {
        let dependency = call.read(dependency);
        let (ordered, transitions) = (call.dependencies(dependency), call.transitions(dependency));
        let mut recorder = call.recorder(commands);
        recorder.commands.barrier(&ordered);
        call.lay_out(&mut recorder.commands, "vkCmdPipelineBarrier2", transitions);
    }
}
