//! One call from SPIR-V and bytes to bytes, for tools, samples and tests: layouts come from reflection.

use crate::command::CommandBuffer;
use crate::config::Config;
use crate::descriptor::{Binding, DescriptorPool, DescriptorSet, DescriptorSetLayout, PipelineLayout};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::hsa::{Launch, Program};
use crate::image::{BufferView, ImageView};
use crate::memory::Buffer;
use crate::pipeline::{ComputePipeline, ShaderModule};
use crate::queue::{Queue, SubmitInfo};
use crate::sampler::Sampler;
use std::collections::BTreeMap;
use std::sync::Arc;
use wavepipe_compiler::Options;
use wavepipe_compiler::error::{CompileError, ErrorKind};
use wavepipe_compiler::spirv::{EntryInfo, SpecValue, reflect_specialized};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::hsa::Kernel;

/// One dispatch with everything that it needs.
#[derive(Clone, Debug, Default)]
pub struct Job {
    pub words: Vec<u32>,
    /// `None` = the only one.
    pub entry: Option<String>,
    /// `None` = the configured default.
    pub wave: Option<WaveSize>,
    pub spec: Vec<SpecValue>,
    pub push: Vec<u8>,
    pub groups: [u32; 3],
    /// Set, binding, contents.
    pub buffers: Vec<(u32, u32, Vec<u8>)>,
}

/// What a descriptor is given.
#[derive(Clone)]
pub enum Descriptor {
    /// And its bytes.
    Buffer(Arc<Buffer>, u64),
    /// From a byte on, and how many.
    Range(Arc<Buffer>, u64, u64),
    Texels(Arc<BufferView>),
    Image(Arc<ImageView>),
    Sampler(Arc<Sampler>),
    Combined(Arc<ImageView>, Arc<Sampler>),
}

/// A descriptor at its place: an element of a binding.
#[derive(Clone)]
pub struct Bound {
    pub set: u32,
    pub binding: u32,
    pub element: u32,
    pub descriptor: Descriptor,
}

impl Bound {
    fn write(&self, set: &DescriptorSet) -> Result<()> {
        let (binding, element) = (self.binding, self.element);
        match &self.descriptor {
            Descriptor::Buffer(buffer, bytes) => set.write_buffer(binding, element, buffer, 0, Some(*bytes)),
            Descriptor::Range(buffer, at, bytes) => set.write_buffer(binding, element, buffer, *at, Some(*bytes)),
            Descriptor::Texels(view) => set.write_words(binding, element, &view.descriptor()),
            Descriptor::Image(view) => set.write_words(binding, element, &view.descriptor()),
            Descriptor::Sampler(sampler) => set.write_words(binding, element, &sampler.descriptor()),
            Descriptor::Combined(view, sampler) => {
                set.write_words(binding, element, &[&view.descriptor()[..], &sampler.descriptor()].concat())
            }
        }
    }
}

/// One of several dispatches. What it names it keeps alive.
#[derive(Clone)]
pub struct Step {
    pub pipeline: Arc<ComputePipeline>,
    pub bound: Vec<Bound>,
    pub push: Vec<u8>,
    pub groups: [u32; 3],
    /// Instead of `groups` three words of a buffer, as they are when it is their turn.
    pub indirect: Option<(Arc<Buffer>, u64)>,
}

/// A device with a queue.
pub struct Session {
    device: Arc<Device>,
    queue: Arc<Queue>,
    inline_budget: Option<u32>,
}

impl Session {
    pub fn new(config: &Config) -> Result<Session> {
        Self::with_device(Device::new(config)?)
    }

    pub fn with_device(device: Arc<Device>) -> Result<Session> {
        let queue = device.queue(0, 0)?;
        Ok(Self::on_queue(device, queue))
    }

    /// On another queue than the first.
    pub fn on_queue(device: Arc<Device>, queue: Arc<Queue>) -> Session {
        Session { device, queue, inline_budget: None }
    }

    /// With functions called beyond `budget` instructions ([`wavepipe_compiler::Options::inline_budget`]): what is compiled
    /// here has no part in the caches.
    pub fn inlining(self, budget: u32) -> Session {
        Session { inline_budget: Some(budget), ..self }
    }

    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    pub fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    /// Compiles an entry point with a layout that holds just what it uses.
    pub fn pipeline(
        &self,
        words: &[u32],
        entry: Option<&str>,
        spec: &[SpecValue],
        wave: Option<WaveSize>,
    ) -> Result<Arc<ComputePipeline>> {
        let info = specialized_entry_point(words, entry, spec)?;
        let layout = layout_of(&info)?;
        if let Some(inline_budget) = self.inline_budget {
            let config = self.device.config();
            let (wave, checks, instrument) = (config.wave_size(wave)?, config.checks(), config.instrument());
            let plain = Options::new(&info.name, layout.layout());
            let isa = config.isa();
            let options = Options { isa, wave, spec, inline_budget, checks, instrument, ..plain };
            let code = wavepipe_compiler::compile(words, &options)?;
            return ComputePipeline::from_code_object(&self.device, code, &layout);
        }
        ComputePipeline::new(&self.device, &ShaderModule::new(words), &info.name, spec, &layout, wave)
    }

    /// Runs the job; the buffers' contents afterwards, in the order given.
    pub fn run(&self, job: &Job) -> Result<Vec<Vec<u8>>> {
        let pipeline = self.pipeline(&job.words, job.entry.as_deref(), &job.spec, job.wave)?;
        self.run_pipeline(&pipeline, job)
    }

    /// Runs the job's buffers, push constants and groups with a pipeline made before.
    pub fn run_pipeline(&self, pipeline: &Arc<ComputePipeline>, job: &Job) -> Result<Vec<Vec<u8>>> {
        let mut bound = Vec::new();
        for (set, binding, bytes) in &job.buffers {
            let buffer = Buffer::with_memory(&self.device, (bytes.len() as u64).max(1))?;
            buffer.write(0, bytes)?;
            let descriptor = Descriptor::Buffer(buffer, bytes.len() as u64);
            bound.push(Bound { set: *set, binding: *binding, element: 0, descriptor });
        }
        let step =
            Step { pipeline: pipeline.clone(), bound, push: job.push.clone(), groups: job.groups, indirect: None };
        self.run_steps(std::slice::from_ref(&step))?;
        let read = |b: &Bound| match &b.descriptor {
            Descriptor::Buffer(buffer, bytes) => {
                let mut out = vec![0; *bytes as usize];
                buffer.read(0, &mut out).map(|()| out)
            }
            _ => Ok(Vec::new()),
        };
        step.bound.iter().map(read).collect()
    }

    /// Runs dispatches in order, each after the one before it is done with memory.
    pub fn run_steps(&self, steps: &[Step]) -> Result<()> {
        self.begin_steps(steps)?.wait()
    }

    /// The same, without waiting for their end.
    pub fn begin_steps(&self, steps: &[Step]) -> Result<Submitted> {
        let mut alive = Vec::new();
        let mut commands = CommandBuffer::new(&self.device);
        commands.begin();
        for (n, step) in steps.iter().enumerate() {
            let layout = step.pipeline.layout();
            let pool = DescriptorPool::new(&self.device, layout.sets().len() as u32, u32::MAX);
            let sets = layout.sets().iter().map(|l| pool.allocate(l)).collect::<Result<Vec<_>>>()?;
            for b in &step.bound {
                let set = sets.get(b.set as usize).filter(|_| layout.layout().find(b.set, b.binding).is_some());
                let none = || format!("the kernel has no resource at set {}, binding {}", b.set, b.binding);
                b.write(set.ok_or_else(|| Error::Invalid(none()))?)?;
            }
            if n > 0 {
                commands.pipeline_barrier();
            }
            commands.bind_pipeline(&step.pipeline);
            commands.bind_descriptor_sets(layout, 0, &sets, &[]);
            commands.push_constants(0, &step.push);
            match &step.indirect {
                Some((buffer, offset)) => commands.dispatch_indirect(buffer, *offset),
                None => commands.dispatch(step.groups),
            }
            alive.push((pool, sets));
        }
        commands.end()?;
        self.submit(&commands, alive)
    }

    /// Launches a kernel of a code object, and waits for its end.
    pub fn launch(&self, program: &Arc<Program>, kernel: &Kernel, launch: &Launch) -> Result<()> {
        self.begin_launch(program, kernel, launch)?.wait()
    }

    /// The same, without waiting for its end.
    pub fn begin_launch(&self, program: &Arc<Program>, kernel: &Kernel, launch: &Launch) -> Result<Submitted> {
        let mut commands = CommandBuffer::new(&self.device);
        commands.begin();
        commands.launch_kernel(program, kernel, launch);
        commands.end()?;
        self.submit(&commands, Vec::new())
    }

    fn submit(&self, commands: &CommandBuffer, alive: Vec<Descriptors>) -> Result<Submitted> {
        let info = SubmitInfo { command_buffers: vec![commands.recording()?], ..Default::default() };
        self.queue.submit(&info, None)?;
        Ok(Submitted { queue: self.queue.clone(), _alive: alive })
    }
}

type Descriptors = (Arc<DescriptorPool>, Vec<Arc<DescriptorSet>>);

/// Work that the GPU has been told of.
#[must_use = "the descriptors that it reads live as long as this"]
pub struct Submitted {
    queue: Arc<Queue>,
    /// The GPU reads descriptors until all is done.
    _alive: Vec<Descriptors>,
}

impl Submitted {
    /// Waits for the end of all work of the queue.
    pub fn wait(self) -> Result<()> {
        self.queue.wait_idle()
    }
}

/// The entry point by name, or the only one.
pub fn entry_point(words: &[u32], name: Option<&str>) -> Result<EntryInfo> {
    specialized_entry_point(words, name, &[])
}

/// The same, where specialization constants have these values.
pub fn specialized_entry_point(words: &[u32], name: Option<&str>, spec: &[SpecValue]) -> Result<EntryInfo> {
    let entries = reflect_specialized(words, spec)?;
    let names = || entries.iter().map(|e| e.name.as_str()).collect::<Vec<_>>().join(", ");
    let problem = match name {
        Some(name) => match entries.iter().find(|e| e.name == name) {
            Some(entry) => return Ok(entry.clone()),
            None => format!("no compute entry point `{name}`; the module has: {}", names()),
        },
        None => match entries.as_slice() {
            [only] => return Ok(only.clone()),
            [] => "the module has no compute entry point".into(),
            _ => format!("the module has several compute entry points; name one of: {}", names()),
        },
    };
    Err(CompileError { kind: ErrorKind::Request, site: None, message: problem }.into())
}

/// A pipeline layout with exactly the resources and push constants of an entry point.
pub fn layout_of(info: &EntryInfo) -> Result<Arc<PipelineLayout>> {
    let mut sets: BTreeMap<u32, Vec<Binding>> = BTreeMap::new();
    for r in &info.resources {
        let bindings = sets.entry(r.set).or_default();
        // Two variables may share a binding.
        match bindings.iter_mut().find(|b| b.binding == r.binding) {
            Some(b) => b.count = b.count.max(r.count),
            None => bindings.push(Binding { binding: r.binding, kind: r.kind, count: r.count }),
        }
    }
    let count = sets.last_key_value().map_or(0, |(last, _)| last.saturating_add(1));
    if count > crate::machine::LIMITS.max_bound_sets {
        return Err(Error::Invalid(format!("the kernel uses descriptor set {}", count - 1)));
    }
    let layouts = (0..count).map(|n| DescriptorSetLayout::new(sets.remove(&n).unwrap_or_default()));
    PipelineLayout::new(layouts.collect::<Result<Vec<_>>>()?, info.push_constant_bytes)
}
