//! Query pools (chapter "Queries"): timestamps, pipeline statistics, performance counters, occlusion. Nothing draws, so that what counts drawing
//! counts nothing.

use crate::entry::{Call, Fail, SUCCESS, entry};
use crate::handle::{self, Object};
use ash::vk;
use std::ffi::c_void;
use std::sync::Arc;
use wavepipe_runtime as runtime;
use wavepipe_runtime::QueryResultFlags;

struct QueryPool {
    runtime: Arc<runtime::QueryPool>,
}

impl Object for QueryPool {
    type Handle = vk::QueryPool;
}

impl Call {
    fn query_pool(&self, handle: vk::QueryPool) -> &Arc<runtime::QueryPool> {
        &self.get::<QueryPool>(handle).runtime
    }
}

fn result_flags(flags: vk::QueryResultFlags) -> QueryResultFlags {
    QueryResultFlags {
        wide: flags.contains(vk::QueryResultFlags::TYPE_64),
        wait: flags.contains(vk::QueryResultFlags::WAIT),
        with_availability: flags.contains(vk::QueryResultFlags::WITH_AVAILABILITY),
        partial: flags.contains(vk::QueryResultFlags::PARTIAL),
    }
}

entry! { call;
    fn vkCreateQueryPool(
        device: vk::Device,
        info: *const vk::QueryPoolCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::QueryPool,
    ) -> vk::Result {
        let device = call.device(device);
        let info = call.read(info);
        let count = info.query_count;
        let runtime = match info.query_type {
            vk::QueryType::TIMESTAMP => runtime::QueryPool::timestamps(&device.runtime, count)?,
            vk::QueryType::OCCLUSION => runtime::QueryPool::counters(&device.runtime, count, 1, None)?,
            vk::QueryType::PIPELINE_STATISTICS => {
                // One value for each flag, from the lowest on.
                let flags = info.pipeline_statistics.as_raw();
                let own = vk::QueryPipelineStatisticFlags::COMPUTE_SHADER_INVOCATIONS.as_raw();
                let place = (flags & own != 0).then(|| (flags & (own - 1)).count_ones());
                runtime::QueryPool::counters(&device.runtime, count, flags.count_ones(), place)?
            }
            vk::QueryType::PERFORMANCE_QUERY_KHR => {
                let chosen = call.find::<vk::QueryPoolPerformanceCreateInfoKHR<'_>>(info.p_next);
                let indices = chosen.map_or(&[][..], |c| call.slice(c.p_counter_indices, c.counter_index_count));
                runtime::QueryPool::performance(&device.runtime, count, indices)?
            }
            other => {
                let message = format!("queries of type {other:?} are not supported");
                return Err(Fail::new(vk::Result::ERROR_UNKNOWN, message));
            }
        };
        call.write(out, handle::create(QueryPool { runtime }));
        SUCCESS
    }

    fn vkDestroyQueryPool(
        device: vk::Device,
        pool: vk::QueryPool,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<QueryPool>(pool);
    }

    fn vkGetQueryPoolResults(
        device: vk::Device,
        pool: vk::QueryPool,
        first: u32,
        count: u32,
        size: usize,
        data: *mut c_void,
        stride: vk::DeviceSize,
        flags: vk::QueryResultFlags,
    ) -> vk::Result => ERROR_DEVICE_LOST {
        call.device(device);
        let out = call.bytes_mut(data, size);
        let complete = call.query_pool(pool).results(first, count, out, stride, result_flags(flags))?;
        Ok(if complete { vk::Result::SUCCESS } else { vk::Result::NOT_READY })
    }

    fn vkResetQueryPool(device: vk::Device, pool: vk::QueryPool, first: u32, count: u32) {
        call.device(device);
        if let Err(error) = call.query_pool(pool).reset(first, count) {
            call.report(&error.to_string());
        }
    }

    fn vkCmdResetQueryPool(commands: vk::CommandBuffer, pool: vk::QueryPool, first: u32, count: u32) {
        call.recorder(commands).commands.reset_query_pool(call.query_pool(pool), first, count);
    }

    fn vkCmdWriteTimestamp(
        commands: vk::CommandBuffer,
        stage: vk::PipelineStageFlags,
        pool: vk::QueryPool,
        query: u32,
    ) {
        let after_work = stage != vk::PipelineStageFlags::TOP_OF_PIPE;
        call.recorder(commands).commands.write_timestamp(call.query_pool(pool), query, after_work);
    }

    fn vkCmdWriteTimestamp2(
        commands: vk::CommandBuffer,
        stage: vk::PipelineStageFlags2,
        pool: vk::QueryPool,
        query: u32,
    ) {
        let after_work = !matches!(stage, vk::PipelineStageFlags2::NONE | vk::PipelineStageFlags2::TOP_OF_PIPE);
        call.recorder(commands).commands.write_timestamp(call.query_pool(pool), query, after_work);
    }

    fn vkCmdBeginQuery(
        commands: vk::CommandBuffer,
        pool: vk::QueryPool,
        query: u32,
        flags: vk::QueryControlFlags,
    ) {
        call.recorder(commands).commands.begin_query(call.query_pool(pool), query);
    }

    fn vkCmdEndQuery(commands: vk::CommandBuffer, pool: vk::QueryPool, query: u32) {
        call.recorder(commands).commands.end_query(call.query_pool(pool), query);
    }

    fn vkCmdCopyQueryPoolResults(
        commands: vk::CommandBuffer,
        pool: vk::QueryPool,
        first: u32,
        count: u32,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        stride: vk::DeviceSize,
        flags: vk::QueryResultFlags,
    ) {
        let (pool, buffer) = (call.query_pool(pool), call.buffer(buffer));
        let mut recorder = call.recorder(commands);
        recorder.commands.copy_query_results(pool, first, count, buffer, offset, stride, result_flags(flags));
    }
}
