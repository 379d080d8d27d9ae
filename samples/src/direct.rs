//! [`Host`] on the wavepipe runtime in this process: no loader, no driver library.

use crate::host::{Binding, BufferId, Error, Host, PipelineId, RecordingId, Shader, Step, words};
use std::sync::Arc;
use wavepipe_runtime::{self as runtime, WaveSize};

pub struct Direct {
    device: Arc<runtime::Device>,
    queue: Arc<runtime::Queue>,
    name: String,
    wave: WaveSize,
    buffers: Vec<Arc<runtime::Buffer>>,
    pipelines: Vec<Arc<runtime::ComputePipeline>>,
    recordings: Vec<Arc<runtime::Recording>>,
}

impl Direct {
    /// A device as the environment configures it (`WAVEPIPE_WAVE`, …), and its first queue.
    pub fn open() -> Result<Direct, Error> {
        let environment = runtime::Config::from_env();
        let config = environment.accepted().map_err(failed("the environment"))?;
        let device = runtime::Device::new(config).map_err(failed("the device"))?;
        let queue = device.queue(0, 0).map_err(failed("the queue"))?;
        let name = device.info().name;
        let wave = config.wave_size(None).map_err(failed("the wave size"))?;
        let (buffers, pipelines, recordings) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Direct { device, queue, name, wave, buffers, pipelines, recordings })
    }

    fn finish(&self, recording: &Arc<runtime::Recording>) -> Result<(), Error> {
        let fence = runtime::Fence::new(&self.device, false);
        let batch = runtime::SubmitInfo { command_buffers: vec![recording.clone()], ..Default::default() };
        self.queue.submit(&batch, Some(&fence)).map_err(failed("the submission"))?;
        fence.wait(None).map_err(failed("the device"))?;
        Ok(())
    }

    fn record(&self, steps: &[Step]) -> Result<Arc<runtime::Recording>, runtime::Error> {
        let mut commands = runtime::CommandBuffer::new(&self.device);
        commands.begin();
        for (i, step) in steps.iter().enumerate() {
            if i > 0 {
                commands.pipeline_barrier();
            }
            match step {
                Step::Dispatch { pipeline, buffers, push, groups } => {
                    let pipeline = &self.pipelines[pipeline.0];
                    let layout = pipeline.layout();
                    let pool = runtime::DescriptorPool::new(&self.device, 1, buffers.len() as u32);
                    let set = pool.allocate(&layout.sets()[0])?;
                    for (binding, buffer) in (0..).zip(buffers) {
                        set.write_buffer(binding, 0, &self.buffers[buffer.0], 0, None)?;
                    }
                    commands.bind_pipeline(pipeline);
                    commands.bind_descriptor_sets(layout, 0, &[set], &[]);
                    if !push.is_empty() {
                        commands.push_constants(0, push);
                    }
                    commands.dispatch(*groups);
                }
                Step::Fill { buffer, word } => commands.fill_buffer(&self.buffers[buffer.0], 0, None, *word),
                Step::Copy { from, to } => {
                    let (from, to) = (&self.buffers[from.0], &self.buffers[to.0]);
                    let whole = runtime::BufferCopy { source_offset: 0, dest_offset: 0, size: from.size() };
                    commands.copy_buffer(from, to, &[whole]);
                }
            }
        }
        commands.end()?;
        commands.recording()
    }
}

impl Host for Direct {
    fn device(&self) -> &str {
        &self.name
    }

    fn subgroup_size(&self) -> u32 {
        match self.wave {
            WaveSize::W32 => 32,
            WaveSize::W64 => 64,
        }
    }

    fn buffer(&mut self, bytes: &[u8]) -> Result<BufferId, Error> {
        let buffer = runtime::Buffer::with_memory(&self.device, bytes.len() as u64).map_err(failed("a buffer"))?;
        buffer.write(0, bytes).map_err(failed("a buffer"))?;
        self.buffers.push(buffer);
        Ok(BufferId(self.buffers.len() - 1))
    }

    fn pipeline(&mut self, shader: &Shader) -> Result<PipelineId, Error> {
        let module = runtime::ShaderModule::new(&words(shader.spirv));
        let bindings = (0..).zip(shader.bindings).map(|(binding, kind)| {
            let kind = match kind {
                Binding::Storage => runtime::BindingKind::StorageBuffer,
                Binding::Uniform => runtime::BindingKind::UniformBuffer,
            };
            runtime::Binding { binding, kind, count: 1 }
        });
        let spec: Vec<_> = shader
            .spec
            .iter()
            .map(|(id, value)| runtime::SpecValue { id: *id, bits: u64::from(*value), size: 4 })
            .collect();
        let made = runtime::DescriptorSetLayout::new(bindings.collect())
            .and_then(|set| runtime::PipelineLayout::new(vec![set], shader.push_bytes))
            .and_then(|layout| {
                runtime::ComputePipeline::new(&self.device, &module, shader.entry, &spec, &layout, None)
            });
        self.pipelines.push(made.map_err(failed("the pipeline"))?);
        Ok(PipelineId(self.pipelines.len() - 1))
    }

    fn run(&mut self, steps: &[Step]) -> Result<(), Error> {
        self.finish(&self.record(steps).map_err(failed("recording"))?)
    }

    fn prepare(&mut self, steps: &[Step]) -> Result<RecordingId, Error> {
        self.recordings.push(self.record(steps).map_err(failed("recording"))?);
        Ok(RecordingId(self.recordings.len() - 1))
    }

    fn submit(&mut self, recording: RecordingId) -> Result<(), Error> {
        self.finish(&self.recordings[recording.0])
    }

    fn write(&mut self, buffer: BufferId, bytes: &[u8]) -> Result<(), Error> {
        self.buffers[buffer.0].write(0, bytes).map_err(failed("a buffer"))
    }

    fn read(&mut self, buffer: BufferId) -> Result<Vec<u8>, Error> {
        let buffer = &self.buffers[buffer.0];
        let mut bytes = vec![0; buffer.size() as usize];
        buffer.read(0, &mut bytes).map_err(failed("reading back"))?;
        Ok(bytes)
    }

    fn wave_instructions(&self) -> Option<u64> {
        Some(self.device.statistics().wave_instructions)
    }
}

fn failed(what: &'static str) -> impl Fn(runtime::Error) -> Error {
    move |error| Error::Driver { what, why: error.to_string() }
}
