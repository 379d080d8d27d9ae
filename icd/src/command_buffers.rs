//! Command pools and command buffers (chapter "Command Buffers").

use crate::clears::AttachmentClear;
use crate::device_and_queue::Device;
use crate::entry::{Call, Fail, First, Outcome, SUCCESS, entry};
use crate::handle::{self, Object};
use crate::rendering::Rendering;
use ash::vk::{self, Handle};
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashSet;
use std::sync::Arc;
use wavepipe_runtime as runtime;
use wavepipe_runtime::Recording;

pub struct CommandPool {
    device: Arc<Device>,
    /// Raw handles of the command buffers in it, which go when it goes.
    buffers: Mutex<HashSet<u64>>,
}

impl Object for CommandPool {
    type Handle = vk::CommandPool;
}

pub struct CommandBuffer {
    device: Arc<Device>,
    state: Mutex<Recorder>,
}

impl Object for CommandBuffer {
    type Handle = vk::CommandBuffer;
}

pub struct Recorder {
    pub commands: runtime::CommandBuffer,
    /// The first command that we cannot do; vkEndCommandBuffer reports it.
    refused: Option<String>,
    /// The render pass instance that is being recorded.
    rendering: Option<Rendering>,
    /// Clears of a secondary command buffer inside of a render pass that it does not see; its primary records them.
    deferred: Vec<AttachmentClear>,
}

impl Recorder {
    /// A command that the device does not have. Recording goes on; the command buffer cannot be submitted.
    pub fn refuse(&mut self, why: &str) {
        self.refused.get_or_insert_with(|| why.into());
    }

    /// After the load operations.
    pub fn begin_rendering(&mut self, rendering: Rendering) {
        self.rendering = Some(rendering);
    }

    pub fn next_subpass(&mut self) {
        if let Some(rendering) = &mut self.rendering {
            rendering.next(&mut self.commands);
        }
    }

    pub fn end_rendering(&mut self) {
        self.next_subpass();
        self.rendering = None;
        self.commands.pipeline_barrier();
    }

    /// On the current attachments; a secondary command buffer that continues a render pass leaves them to its primary.
    pub fn clear_attachments(&mut self, clears: &[AttachmentClear]) {
        match &self.rendering {
            Some(rendering) => clears.iter().for_each(|clear| rendering.clear(&mut self.commands, clear)),
            None => self.deferred.extend_from_slice(clears),
        }
    }

    fn reset(&mut self) {
        self.refused = None;
        self.rendering = None;
        self.deferred.clear();
        self.commands.reset();
    }

    fn end(&mut self) -> Outcome {
        if let Some(why) = self.refused.take() {
            self.commands.reset();
            return Err(Fail::new(vk::Result::ERROR_UNKNOWN, why));
        }
        self.commands.end()?;
        SUCCESS
    }
}

impl CommandBuffer {
    /// What vkEndCommandBuffer made, to submit or execute.
    pub fn recording(&self) -> Result<Arc<Recording>, Fail> {
        Ok(self.state.lock().commands.recording()?)
    }
}

impl First for vk::CommandBuffer {
    fn is_here(&self, call: &Call) -> bool {
        call.get_opt::<CommandBuffer>(*self).is_none_or(|buffer| call.serves(&buffer.device))
    }
}

impl Call {
    /// A command buffer to record into.
    pub fn recorder(&self, handle: vk::CommandBuffer) -> MutexGuard<'_, Recorder> {
        let buffer = self.get::<CommandBuffer>(handle);
        self.belongs_to(&buffer.device.instance);
        buffer.state.lock()
    }

    fn command_pool(&self, handle: vk::CommandPool) -> &CommandPool {
        let pool = self.get::<CommandPool>(handle);
        self.belongs_to(&pool.device.instance);
        pool
    }
}

entry! { call;
    fn vkCreateCommandPool(
        device: vk::Device,
        info: *const vk::CommandPoolCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::CommandPool,
    ) -> vk::Result {
        let device = call.device(device).clone();
        call.write(out, handle::create(CommandPool { device, buffers: Default::default() }));
        SUCCESS
    }

    fn vkDestroyCommandPool(
        device: vk::Device,
        pool: vk::CommandPool,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        if let Some(pool) = call.destroy::<CommandPool>(pool) {
            for buffer in pool.buffers.into_inner() {
                call.destroy::<CommandBuffer>(vk::CommandBuffer::from_raw(buffer));
            }
        }
    }

    fn vkResetCommandPool(device: vk::Device, pool: vk::CommandPool, flags: vk::CommandPoolResetFlags) -> vk::Result {
        for buffer in call.command_pool(pool).buffers.lock().iter() {
            call.recorder(vk::CommandBuffer::from_raw(*buffer)).reset();
        }
        SUCCESS
    }

    /// Memory of command buffers returns to the device's heap at every reset already.
    fn vkTrimCommandPool(device: vk::Device, pool: vk::CommandPool, flags: vk::CommandPoolTrimFlags) {}

    fn vkAllocateCommandBuffers(
        device: vk::Device,
        info: *const vk::CommandBufferAllocateInfo<'_>,
        out: *mut vk::CommandBuffer,
    ) -> vk::Result {
        let info = call.read(info);
        let pool = call.command_pool(info.command_pool);
        let mut buffers = pool.buffers.lock();
        for i in 0..info.command_buffer_count as usize {
            let commands = runtime::CommandBuffer::new(&pool.device.runtime);
            let state = Mutex::new(Recorder { commands, refused: None, rendering: None, deferred: Vec::new() });
            let handle = handle::create(CommandBuffer { device: pool.device.clone(), state });
            buffers.insert(handle.as_raw());
            call.write_at(out, i, handle);
        }
        SUCCESS
    }

    fn vkFreeCommandBuffers(
        device: vk::Device,
        pool: vk::CommandPool,
        count: u32,
        buffers: *const vk::CommandBuffer,
    ) {
        let pool = call.command_pool(pool);
        for buffer in call.slice(buffers, count) {
            pool.buffers.lock().remove(&buffer.as_raw());
            call.destroy::<CommandBuffer>(*buffer);
        }
    }

    fn vkBeginCommandBuffer(commands: vk::CommandBuffer, info: *const vk::CommandBufferBeginInfo<'_>) -> vk::Result {
        let mut recorder = call.recorder(commands);
        recorder.reset();
        recorder.commands.begin();
        SUCCESS
    }

    fn vkEndCommandBuffer(commands: vk::CommandBuffer) -> vk::Result {
        call.recorder(commands).end()
    }

    fn vkResetCommandBuffer(commands: vk::CommandBuffer, flags: vk::CommandBufferResetFlags) -> vk::Result {
        call.recorder(commands).reset();
        SUCCESS
    }

    fn vkCmdExecuteCommands(commands: vk::CommandBuffer, count: u32, secondaries: *const vk::CommandBuffer) {
        let mut recorder = call.recorder(commands);
        for secondary in call.slice(secondaries, count) {
            let secondary = call.get::<CommandBuffer>(*secondary);
            let deferred = secondary.state.lock().deferred.clone();
            match secondary.recording() {
                Ok(recording) => recorder.commands.execute_commands(&[recording]),
                Err(_) => recorder.refuse("vkCmdExecuteCommands: a secondary command buffer has not been ended"),
            }
            recorder.clear_attachments(&deferred);
        }
    }

    /// One device in the group: the mask can only be 1.
    fn vkCmdSetDeviceMask(commands: vk::CommandBuffer, mask: u32) {}
}
