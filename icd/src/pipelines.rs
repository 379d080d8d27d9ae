//! Pipelines, pipeline layouts and pipeline caches (chapter "Pipelines").

use crate::descriptors::DescriptorSetLayout;
use crate::device_and_queue::Device;
use crate::entry::{Call, Fail, Outcome, SUCCESS, entry};
use crate::handle::{self, Object};
use crate::identity::identity;
use crate::shaders::ShaderModule;
use ash::vk;
use std::ffi::c_void;
use std::sync::Arc;
use wavepipe_runtime as runtime;
use wavepipe_runtime::{SpecValue, WaveSize};

pub struct PipelineLayout {
    pub runtime: Arc<runtime::PipelineLayout>,
}

impl Object for PipelineLayout {
    type Handle = vk::PipelineLayout;
}

pub struct Pipeline {
    pub runtime: Arc<runtime::ComputePipeline>,
}

impl Object for Pipeline {
    type Handle = vk::Pipeline;
}

/// Compiled code is shared process-wide by content, so a cache object has nothing of its own to keep but the header that
/// identifies the driver.
struct PipelineCache;

impl Object for PipelineCache {
    type Handle = vk::PipelineCache;
}

/// Bytes of VkPipelineCacheHeaderVersionOne.
const CACHE_HEADER_BYTES: usize = 32;

/// Names this build of the driver: another one must not read its caches.
pub fn cache_uuid() -> [u8; 16] {
    let mut uuid = *b"wavepipe\0\0\0\0\0\0\0\0";
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    uuid[8..].iter_mut().zip(version).for_each(|(to, from)| *to = *from);
    uuid
}

fn cache_header() -> [u8; CACHE_HEADER_BYTES] {
    let mut header = [0; CACHE_HEADER_BYTES];
    let words = [
        CACHE_HEADER_BYTES as u32,
        vk::PipelineCacheHeaderVersion::ONE.as_raw() as u32,
        identity().vendor,
        identity().device,
    ];
    for (place, word) in header.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    header[16..].copy_from_slice(&cache_uuid());
    header
}

fn spec_values(call: &Call, info: &vk::SpecializationInfo<'_>) -> Result<Vec<SpecValue>, Fail> {
    let data = call.bytes(info.p_data, info.data_size);
    let value = |e: &vk::SpecializationMapEntry| {
        let bytes = data.get(e.offset as usize..).and_then(|d| d.get(..e.size)).filter(|b| b.len() <= 8);
        let bytes = bytes.ok_or_else(|| {
            let message = format!("specialization constant {} lies outside of its data or is too large", e.constant_id);
            Fail::new(vk::Result::ERROR_UNKNOWN, message)
        })?;
        let bits = bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        Ok(SpecValue { id: e.constant_id, bits, size: bytes.len() as u32 })
    };
    call.slice(info.p_map_entries, info.map_entry_count).iter().map(value).collect()
}

fn compute_pipeline(
    call: &Call,
    device: &Device,
    info: &vk::ComputePipelineCreateInfo<'_>,
) -> Result<vk::Pipeline, Fail> {
    let stage = &info.stage;
    let required = call.find::<vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo<'_>>(stage.p_next);
    let wave = match required.map(|r| r.required_subgroup_size) {
        None => None,
        Some(32) => Some(WaveSize::W32),
        Some(64) => Some(WaveSize::W64),
        Some(other) => {
            let message = format!("requiredSubgroupSize {other}: a wave has 32 or 64 lanes");
            return Err(Fail::new(vk::Result::ERROR_UNKNOWN, message));
        }
    };
    let spec = call.read_opt(stage.p_specialization_info).map_or(Ok(Vec::new()), |s| spec_values(call, s))?;
    let entry = call.string(stage.p_name).to_string_lossy();
    let module = &call.get::<ShaderModule>(stage.module).runtime;
    let layout = &call.get::<PipelineLayout>(info.layout).runtime;
    let made = runtime::ComputePipeline::new(&device.runtime, module, &entry, &spec, layout, wave);
    let runtime = made.map_err(|error| {
        let fail = Fail::from(error);
        let message = fail.message.unwrap_or_default();
        Fail::new(fail.result, format!("shader module{}: {message}", call.name::<ShaderModule>(stage.module)))
    })?;
    Ok(handle::create(Pipeline { runtime }))
}

/// Makes each pipeline of a batch; those that fail become VK_NULL_HANDLE and the first failure is the batch's.
fn batch(
    call: &Call,
    count: u32,
    out: *mut vk::Pipeline,
    mut make: impl FnMut(usize) -> Result<vk::Pipeline, Fail>,
) -> Outcome {
    let mut outcome = SUCCESS;
    for i in 0..count as usize {
        let pipeline = make(i).unwrap_or_else(|fail| {
            if outcome.is_ok() {
                outcome = Err(fail);
            } else if let Some(message) = fail.message {
                call.report(&message);
            }
            vk::Pipeline::null()
        });
        call.write_at(out, i, pipeline);
    }
    outcome
}

entry! { call;
    fn vkCreatePipelineLayout(
        device: vk::Device,
        info: *const vk::PipelineLayoutCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::PipelineLayout,
    ) -> vk::Result {
        call.device(device);
        let info = call.read(info);
        let sets = call.slice(info.p_set_layouts, info.set_layout_count).iter();
        let sets = sets.map(|l| match call.get_opt::<DescriptorSetLayout>(*l) {
            Some(layout) => Ok(layout.runtime.clone()),
            // A set number that nothing uses.
            None => runtime::DescriptorSetLayout::new(Vec::new()),
        });
        let sets = sets.collect::<Result<_, _>>()?;
        let ranges = call.slice(info.p_push_constant_ranges, info.push_constant_range_count).iter();
        let push_bytes = ranges.map(|r| r.offset.saturating_add(r.size)).max().unwrap_or(0);
        let runtime = runtime::PipelineLayout::new(sets, push_bytes)?;
        call.write(out, handle::create(PipelineLayout { runtime }));
        SUCCESS
    }

    fn vkDestroyPipelineLayout(
        device: vk::Device,
        layout: vk::PipelineLayout,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<PipelineLayout>(layout);
    }

    fn vkCreateComputePipelines(
        device: vk::Device,
        cache: vk::PipelineCache,
        count: u32,
        infos: *const vk::ComputePipelineCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Pipeline,
    ) -> vk::Result {
        let device = call.device(device);
        let infos = call.slice(infos, count);
        batch(call, count, out, |i| compute_pipeline(call, device, &infos[i]))
    }

    fn vkCreateGraphicsPipelines(
        device: vk::Device,
        cache: vk::PipelineCache,
        count: u32,
        infos: *const vk::GraphicsPipelineCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Pipeline,
    ) -> vk::Result {
        call.device(device);
        let message = "graphics pipelines are not supported: the device only computes";
        batch(call, count, out, |_| Err(Fail::new(vk::Result::ERROR_UNKNOWN, message)))
    }

    fn vkDestroyPipeline(
        device: vk::Device,
        pipeline: vk::Pipeline,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<Pipeline>(pipeline);
    }

    fn vkCreatePipelineCache(
        device: vk::Device,
        info: *const vk::PipelineCacheCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::PipelineCache,
    ) -> vk::Result {
        call.write(out, handle::create(PipelineCache));
        SUCCESS
    }

    fn vkDestroyPipelineCache(
        device: vk::Device,
        cache: vk::PipelineCache,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<PipelineCache>(cache);
    }

    fn vkGetPipelineCacheData(
        device: vk::Device,
        cache: vk::PipelineCache,
        size: *mut usize,
        data: *mut c_void,
    ) -> vk::Result {
        let size = call.out(size);
        let header = cache_header();
        if data.is_null() {
            *size = header.len();
            return SUCCESS;
        }
        // A header that does not fit is not written at all.
        if *size < header.len() {
            *size = 0;
            return Ok(vk::Result::INCOMPLETE);
        }
        *size = header.len();
        call.bytes_mut(data, header.len()).copy_from_slice(&header);
        SUCCESS
    }

    fn vkMergePipelineCaches(
        device: vk::Device,
        cache: vk::PipelineCache,
        count: u32,
        sources: *const vk::PipelineCache,
    ) -> vk::Result {
        SUCCESS
    }
}
