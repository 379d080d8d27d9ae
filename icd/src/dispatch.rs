//! Binding of pipelines, sets and push constants, and dispatches (chapters "Pipelines", "Resource Descriptors",
//! "Dispatching Commands").

use crate::descriptors::DescriptorSet;
use crate::entry::{Call, entry};
use crate::pipelines::{Pipeline, PipelineLayout};
use ash::vk::{self, Handle};
use std::ffi::c_void;

/// A null set leaves its number as it is: no kernel of a valid program reads it.
fn bind_sets(
    call: &Call,
    commands: vk::CommandBuffer,
    layout: vk::PipelineLayout,
    first: u32,
    sets: &[vk::DescriptorSet],
    offsets: &[u32],
) {
    let layout = &call.get::<PipelineLayout>(layout).runtime;
    let mut recorder = call.recorder(commands);
    if !sets.iter().any(|s| s.is_null()) {
        let sets: Vec<_> = sets.iter().map(|s| call.get::<DescriptorSet>(*s).runtime.clone()).collect();
        recorder.commands.bind_descriptor_sets(layout, first, &sets, offsets);
        return;
    }
    let mut rest = offsets;
    for (number, set) in (first..).zip(sets) {
        let Some(set) = call.get_opt::<DescriptorSet>(*set) else { continue };
        let count = (set.runtime.layout().dynamic_count() as usize).min(rest.len());
        let (mine, after) = rest.split_at(count);
        rest = after;
        recorder.commands.bind_descriptor_sets(layout, number, std::slice::from_ref(&set.runtime), mine);
    }
}

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
        if point == vk::PipelineBindPoint::COMPUTE {
            let (sets, offsets) = (call.slice(sets, count), call.slice(offsets, offset_count));
            bind_sets(call, commands, layout, first, sets, offsets);
        }
    }

    fn vkCmdBindDescriptorSets2KHR(
        commands: vk::CommandBuffer,
        info: *const vk::BindDescriptorSetsInfoKHR<'_>,
    ) {
        let info = call.read(info);
        if info.stage_flags.contains(vk::ShaderStageFlags::COMPUTE) {
            let sets = call.slice(info.p_descriptor_sets, info.descriptor_set_count);
            let offsets = call.slice(info.p_dynamic_offsets, info.dynamic_offset_count);
            bind_sets(call, commands, info.layout, info.first_set, sets, offsets);
        }
    }

    fn vkCmdPushConstants2KHR(commands: vk::CommandBuffer, info: *const vk::PushConstantsInfoKHR<'_>) {
        let info = call.read(info);
        if info.stage_flags.contains(vk::ShaderStageFlags::COMPUTE) {
            let values = call.bytes(info.p_values, info.size as usize);
            call.recorder(commands).commands.push_constants(info.offset, values);
        }
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
