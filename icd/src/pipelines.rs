//! Pipelines and pipeline layouts (chapter "Pipelines").

use crate::descriptors::DescriptorSetLayout;
use crate::device_and_queue::Device;
use crate::entry::{Call, Fail, Outcome, SUCCESS, entry};
use crate::handle::{self, Object};
use crate::pipeline_caches::PipelineCache;
use crate::shaders::{self, ShaderModule};
use ash::vk::{self, Handle};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use wavepipe_runtime as runtime;
use wavepipe_runtime::{Origin, PipelineInfo, SpecValue, WaveSize};

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

/// Create flags; those of VK_KHR_maintenance5 have 64 bits, of which the low ones are the same.
fn flags(call: &Call, info: &vk::ComputePipelineCreateInfo<'_>) -> u64 {
    match call.find::<vk::PipelineCreateFlags2CreateInfoKHR<'_>>(info.p_next) {
        Some(wide) => wide.flags.as_raw(),
        None => info.flags.as_raw().into(),
    }
}

/// One VkComputePipelineCreateInfo, read: nothing of the call is in it, so that any thread can take it.
struct Request {
    module: Arc<runtime::ShaderModule>,
    /// Of the module, for messages.
    module_name: String,
    entry: String,
    spec: Vec<SpecValue>,
    layout: Arc<runtime::PipelineLayout>,
    wave: Option<WaveSize>,
    flags: vk::PipelineCreateFlags,
}

/// The module of a stage: an object, words in the stage itself (VK_KHR_maintenance5), or the name of words
/// (VK_EXT_shader_module_identifier).
fn module(
    call: &Call,
    stage: &vk::PipelineShaderStageCreateInfo<'_>,
) -> Result<(Arc<runtime::ShaderModule>, String), Fail> {
    if !stage.module.is_null() {
        return Ok((call.get::<ShaderModule>(stage.module).runtime.clone(), call.name::<ShaderModule>(stage.module)));
    }
    if let Some(info) = call.find::<vk::ShaderModuleCreateInfo<'_>>(stage.p_next) {
        return Ok((shaders::module(call, info)?, String::new()));
    }
    if let Some(info) = call.find::<vk::PipelineShaderStageModuleIdentifierCreateInfoEXT<'_>>(stage.p_next) {
        let name = call.slice(info.p_identifier, info.identifier_size);
        // One that is none of ours names nothing that a cache could have.
        let id = runtime::ModuleId(name.try_into().unwrap_or_default());
        return Ok((runtime::ShaderModule::known(id), String::new()));
    }
    Err(Fail::new(vk::Result::ERROR_UNKNOWN, "the stage has no shader module"))
}

fn request(call: &Call, info: &vk::ComputePipelineCreateInfo<'_>) -> Result<Request, Fail> {
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
    let (module, module_name) = module(call, stage)?;
    Ok(Request {
        module,
        module_name,
        entry: call.string(stage.p_name).to_string_lossy().into_owned(),
        spec: call.read_opt(stage.p_specialization_info).map_or(Ok(Vec::new()), |s| spec_values(call, s))?,
        layout: call.get::<PipelineLayout>(info.layout).runtime.clone(),
        wave,
        flags: vk::PipelineCreateFlags::from_raw(flags(call, info) as u32),
    })
}

/// A pipeline, or why there is none, and the time that it took.
type Made = (Result<Arc<runtime::ComputePipeline>, Fail>, Duration);

impl Request {
    fn make(&self, device: &Device, cache: Option<&runtime::PipelineCache>) -> Made {
        let start = Instant::now();
        let made = runtime::ComputePipeline::create(
            &device.runtime,
            &PipelineInfo {
                module: &self.module,
                entry: &self.entry,
                spec: &self.spec,
                layout: &self.layout,
                wave: self.wave,
                widen: true,
                cache,
                may_compile: !self.flags.contains(vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED),
                capture: self.flags.contains(vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR),
            },
        );
        let made = made.map_err(|error| match error {
            // Not an error, but an answer.
            runtime::Error::CompileRequired { .. } => vk::Result::PIPELINE_COMPILE_REQUIRED.into(),
            error => {
                let fail = Fail::from(error);
                let message = fail.message.unwrap_or_default();
                Fail::new(fail.result, format!("shader module{}: {message}", self.module_name))
            }
        });
        (made, start.elapsed())
    }

    /// Whether the batch ends where this one fails.
    fn ends_batch(&self) -> bool {
        self.flags.contains(vk::PipelineCreateFlags::EARLY_RETURN_ON_FAILURE)
    }
}

/// Makes all pipelines, on as many threads as the host has. `None`: not tried, because an earlier one ended the batch.
fn make_all(device: &Device, cache: Option<&runtime::PipelineCache>, requests: &[Request]) -> Vec<Option<Made>> {
    let ended = AtomicBool::new(false);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        while !ended.load(Ordering::Relaxed)
            && let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some(request) = requests.get(at)
        {
            let one = request.make(device, cache);
            if one.0.is_err() && request.ends_batch() {
                ended.store(true, Ordering::Relaxed);
            }
            made.push((at, one));
        }
        made
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(requests.len());
    let made = std::thread::scope(|scope| {
        // A thread that does not start leaves its share to the others.
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads).filter_map(start).collect();
        let mut made = work();
        for thread in others {
            made.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        made
    });
    let mut out: Vec<Option<Made>> = requests.iter().map(|_| None).collect();
    for (at, one) in made {
        out[at] = Some(one);
    }
    // What other threads made behind the one that ended the batch counts as not tried.
    let failed = |(request, made): (&Request, &Option<Made>)| {
        request.ends_batch() && made.as_ref().is_some_and(|(made, _)| made.is_err())
    };
    if let Some(end) = requests.iter().zip(&out).position(failed) {
        out[end + 1..].fill_with(|| None);
    }
    out
}

/// Writes VkPipelineCreationFeedbackCreateInfo's output, if there is such a structure.
fn feed_back(call: &Call, info: &vk::ComputePipelineCreateInfo<'_>, made: Option<&Made>) {
    let Some(out) = call.find::<vk::PipelineCreationFeedbackCreateInfo<'_>>(info.p_next) else { return };
    let mut feedback = vk::PipelineCreationFeedback::default();
    if let Some((Ok(pipeline), time)) = made {
        feedback.flags = vk::PipelineCreationFeedbackFlags::VALID;
        if pipeline.origin() == Origin::PipelineCache {
            feedback.flags |= vk::PipelineCreationFeedbackFlags::APPLICATION_PIPELINE_CACHE_HIT;
        }
        feedback.duration = time.as_nanos() as u64;
    }
    call.write(out.p_pipeline_creation_feedback, feedback);
    for stage in 0..out.pipeline_stage_creation_feedback_count as usize {
        call.write_at(out.p_pipeline_stage_creation_feedbacks, stage, feedback);
    }
}

/// Stores each pipeline of a batch; those that failed become VK_NULL_HANDLE, and the batch's result is that of an error
/// before that of a pipeline which would have to be compiled.
fn batch(
    call: &Call,
    out: *mut vk::Pipeline,
    made: impl Iterator<Item = Option<Result<Arc<runtime::ComputePipeline>, Fail>>>,
) -> Outcome {
    let mut outcome = SUCCESS;
    for (i, made) in made.enumerate() {
        let pipeline = match made {
            Some(Ok(runtime)) => handle::create(Pipeline { runtime }),
            Some(Err(fail)) if fail.result == vk::Result::PIPELINE_COMPILE_REQUIRED => {
                outcome = outcome.and(Ok(fail.result));
                vk::Pipeline::null()
            }
            Some(Err(fail)) => {
                if outcome.is_ok() {
                    outcome = Err(fail);
                } else if let Some(message) = fail.message {
                    call.report(&message);
                }
                vk::Pipeline::null()
            }
            None => vk::Pipeline::null(),
        };
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
        let cache = call.get_opt::<PipelineCache>(cache).map(|c| &c.runtime);
        let mut refused = Vec::new();
        let mut requests = Vec::new();
        for info in infos {
            match request(call, info) {
                Ok(request) => {
                    requests.push(request);
                    refused.push(None);
                }
                Err(fail) => refused.push(Some(fail)),
            }
        }
        let mut made = make_all(device, cache, &requests).into_iter();
        let made: Vec<Option<Made>> = refused
            .into_iter()
            .map(|refused| match refused {
                Some(fail) => Some((Err(fail), Duration::ZERO)),
                None => made.next().flatten(),
            })
            .collect();
        infos.iter().zip(&made).for_each(|(info, made)| feed_back(call, info, made.as_ref()));
        batch(call, out, made.into_iter().map(|made| made.map(|(pipeline, _)| pipeline)))
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
        batch(call, out, (0..count).map(|_| Some(Err(Fail::new(vk::Result::ERROR_UNKNOWN, message)))))
    }

    fn vkDestroyPipeline(
        device: vk::Device,
        pipeline: vk::Pipeline,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<Pipeline>(pipeline);
    }
}
