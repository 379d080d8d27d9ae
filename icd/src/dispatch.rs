//! Binding of pipelines, sets and push constants, and dispatches (chapters "Pipelines", "Resource Descriptors",
//! "Dispatching Commands").

use crate::descriptors::DescriptorSet;
use crate::entry::entry;
use crate::pipelines::{Pipeline, PipelineLayout};
use ash::vk;
use std::ffi::c_void;

entry! { call;
    fn vkCmdBindPipeline(commands: vk::CommandBuffer, point: vk::PipelineBindPoint, pipeline: vk::Pipeline) {
        if point == vk::PipelineBindPoint::COMPUTE {
            call.recorder(commands).commands.bind_pipeline(&call.get::<Pipeline>(pipeline).runtime);
        }
    }

    fn vkCmdBindDescriptorSets(
        commands: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first: u32,
        count: u32,
        sets: *const vk::DescriptorSet,
        offset_count: u32,
        offsets: *const u32,
    ) {
        if point != vk::PipelineBindPoint::COMPUTE {
            return;
        }
        let sets: Vec<_> =
            call.slice(sets, count).iter().map(|s| call.get::<DescriptorSet>(*s).runtime.clone()).collect();
        let layout = &call.get::<PipelineLayout>(layout).runtime;
        let offsets = call.slice(offsets, offset_count);
        call.recorder(commands).commands.bind_descriptor_sets(layout, first, &sets, offsets);
    }

    fn vkCmdPushConstants(
        commands: vk::CommandBuffer,
        layout: vk::PipelineLayout,
        stages: vk::ShaderStageFlags,
        offset: u32,
        size: u32,
        values: *const c_void,
    ) {
        if stages.contains(vk::ShaderStageFlags::COMPUTE) {
            call.recorder(commands).commands.push_constants(offset, call.bytes(values, size as usize));
        }
    }

    fn vkCmdDispatch(commands: vk::CommandBuffer, x: u32, y: u32, z: u32) {
        call.recorder(commands).commands.dispatch([x, y, z]);
    }

    fn vkCmdDispatchBase(
        commands: vk::CommandBuffer,
        base_x: u32,
        base_y: u32,
        base_z: u32,
        x: u32,
        y: u32,
        z: u32,
    ) {
        call.recorder(commands).commands.dispatch_base([base_x, base_y, base_z], [x, y, z]);
    }

    fn vkCmdDispatchIndirect(commands: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize) {
        call.recorder(commands).commands.dispatch_indirect(call.buffer(buffer), offset);
    }
}
