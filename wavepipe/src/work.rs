//! A job on a device: its shaders compiled, its buffers and images made, its dispatches run, and what they left.

use crate::bind::{self, ImagePlan, Plan, Prepared};
use crate::contents::Contents;
use crate::failure::{Failure, Result};
use crate::job::{Address, Job, SamplerGiven};
use crate::shader::{Shader, Special};
use std::path::Path;
use std::sync::Arc;
use wavepipe_runtime::compiler::ir::Dim;
use wavepipe_runtime::compiler::spirv::EntryInfo;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::simple::{Bound, Descriptor, Session, Step};
use wavepipe_runtime::{
    AddressMode, Aspects, Buffer, BufferView, ComputePipeline, Config, Device, Filter, HostRegion, Image, ImageInfo,
    ImageKind, ImageLayers, ImageView, ImageViewInfo, ImageViewKind, Sampler, SamplerInfo, WaveSize,
};

/// The configuration of the environment, on the machine that `gpu` names ([`Machine::open`]) and with that wave size, which are
/// in place of the environment's. What makes no sense is an error here, where somebody looks at it.
pub fn config(gpu: Option<&str>, wave: Option<u32>) -> Result<Config> {
    config_on(gpu.map(Machine::open).transpose()?.map(Arc::new), wave)
}

/// The same on a machine.
pub fn config_on(machine: Option<Arc<Machine>>, wave: Option<u32>) -> Result<Config> {
    let instead = [("WAVEPIPE_MACHINE", machine.is_some()), ("WAVEPIPE_WAVE", wave.is_some())];
    let machine = machine.unwrap_or_else(Machine::standard);
    let environment = Config { machine, ..Config::default() }.under(|name| match instead.contains(&(name, true)) {
        true => None,
        false => std::env::var_os(name),
    });
    let wrong: Vec<_> = environment.wrong().map(String::as_str).collect();
    if !wrong.is_empty() {
        return Err(Failure::usage(wrong.join("\n")));
    }
    // Who runs a shader wants to see it compiled.
    let mut config = Config { cache: None, ..environment.config };
    if let Some(lanes) = wave {
        config.wave = Some(if lanes == 64 { WaveSize::W64 } else { WaveSize::W32 });
    }
    config.wave_size(None).map_err(|e| Failure::Unsupported(e.to_string()))?;
    Ok(config)
}

/// A job that fits its shaders.
pub struct Work {
    pub job: Job,
    /// One for each dispatch, as the next ones.
    pub specials: Vec<Special>,
    pub entries: Vec<EntryInfo>,
    pub plan: Plan,
}

impl Work {
    /// Opens the job's shaders, and holds it against them.
    pub fn open(job: Job) -> Result<Work> {
        let mut opened: Vec<Arc<Shader>> = Vec::new();
        let mut shaders = Vec::new();
        for d in &job.dispatches {
            let known = opened.iter().find(|s| s.path() == d.shader).cloned();
            let shader = match known {
                Some(shader) => shader,
                None => Arc::new(Shader::open(&d.shader)?),
            };
            opened.push(shader.clone());
            shaders.push(shader);
        }
        Work::new(job, &shaders)
    }

    /// Holds a job against shaders, one for each of its dispatches.
    pub fn new(job: Job, shaders: &[Arc<Shader>]) -> Result<Work> {
        let (mut specials, mut entries) = (Vec::new(), Vec::new());
        for (d, shader) in job.dispatches.iter().zip(shaders) {
            let special = shader.specialize(&d.spec, &d.spec_flags, job.spoken)?;
            entries.push(special.entry(d.entry.as_deref(), shader.path())?);
            specials.push(special);
        }
        let plan = bind::plan(&job, &entries);
        let plan = plan.map_err(|e| e.context(shaders.first().map_or(Path::new("no shader"), |s| s.path())))?;
        Ok(Work { job, specials, entries, plan })
    }

    /// Compiles it for a device, and puts there what it is given.
    pub fn load(&self, session: &Session) -> Result<Loaded<'_>> {
        let device = session.device();
        let mut pipelines = Vec::new();
        for ((d, special), entry) in self.job.dispatches.iter().zip(&self.specials).zip(&self.entries) {
            let pipeline = session.pipeline(&special.words, Some(&entry.name), &special.spec, None);
            let pipeline = pipeline.map_err(|e| Failure::from(e).context(&d.shader))?;
            pipelines.push(pipeline);
        }
        let made = self.plan.resources.iter().map(|r| Made::new(device, r)).collect::<Result<Vec<_>>>()?;
        name(&self.plan, &self.entries, &made);
        let steps = steps(device, &self.job, &self.plan, &made, &pipelines)?;
        Ok(Loaded { work: self, pipelines, made, steps })
    }
}

/// Work on a device.
pub struct Loaded<'a> {
    pub(crate) work: &'a Work,
    /// One for each dispatch of the job.
    pub pipelines: Vec<Arc<ComputePipeline>>,
    pub(crate) made: Vec<Made>,
    pub(crate) steps: Vec<Step>,
}

impl Loaded<'_> {
    /// Runs the dispatches in order, to the end of the last.
    pub fn run(&self, session: &Session) -> Result<()> {
        let shader = &self.work.job.dispatches[0].shader;
        session.run_steps(&self.steps).map_err(|e| Failure::from(e).context(shader))
    }

    /// The memory of each of the given that is a buffer.
    pub fn buffers(&self) -> Vec<Option<Arc<Buffer>>> {
        let buffer = |made: &Made| match made {
            Made::Buffer(buffer) => Some(buffer.clone()),
            _ => None,
        };
        self.made.iter().map(buffer).collect()
    }

    /// What each of the given holds now; of a sampler nothing.
    pub fn contents(&self) -> Result<Vec<Option<Contents>>> {
        self.work.plan.resources.iter().zip(&self.made).map(|(r, m)| m.contents(r)).collect()
    }
}

/// A resource on the device.
pub enum Made {
    Buffer(Arc<Buffer>),
    Texels(Arc<Buffer>, Arc<BufferView>),
    Image(Arc<Image>, Arc<ImageView>),
    /// Each descriptor has its own.
    Sampler,
}

fn whole(plan: &ImagePlan) -> HostRegion {
    let layers = ImageLayers { aspect: Aspects::COLOR, level: 0, first: 0, count: plan.layers };
    HostRegion { row_length: 0, image_height: 0, layers, origin: [0; 3], extent: plan.extent }
}

impl Made {
    /// Makes it, and puts there what it is given.
    pub fn new(device: &Arc<Device>, prepared: &Prepared) -> Result<Made> {
        Ok(match prepared {
            Prepared::Buffer { bytes, filled, .. } => Made::Buffer(buffer(device, bytes, *filled)?),
            Prepared::Image { plan, bytes, filled } if plan.dim == Dim::Buffer => {
                let buffer = buffer(device, bytes, *filled)?;
                let view = BufferView::new(&buffer, plan.texel.format(), 0, None)?;
                Made::Texels(buffer, view)
            }
            Prepared::Image { plan, bytes, filled } => {
                let kind = match plan.dim {
                    Dim::D1 => ImageKind::D1,
                    Dim::D3 => ImageKind::D3,
                    _ => ImageKind::D2,
                };
                let (format, extent) = (plan.texel.format(), plan.extent);
                let info = ImageInfo { kind, format, extent, levels: 1, layers: plan.layers, samples: 1 };
                let image = Image::new(device, info)?;
                image.bind(wavepipe_runtime::Memory::allocate(device, image.requirements().0)?, 0)?;
                if *filled {
                    image.write(&whole(plan), bytes)?;
                }
                let kind = match (plan.dim, plan.arrayed) {
                    (Dim::D1, false) => ImageViewKind::D1,
                    (Dim::D1, true) => ImageViewKind::D1Array,
                    (Dim::D3, _) => ImageViewKind::D3,
                    (Dim::Cube, false) => ImageViewKind::Cube,
                    (Dim::Cube, true) => ImageViewKind::CubeArray,
                    (_, false) => ImageViewKind::D2,
                    (_, true) => ImageViewKind::D2Array,
                };
                let view = ImageView::whole(&image)?;
                let view = ImageView::new(&image, ImageViewInfo { kind, ..*view.info() })?;
                Made::Image(image, view)
            }
            Prepared::Sampler => Made::Sampler,
        })
    }

    /// What it holds now; of a sampler nothing.
    pub fn contents(&self, prepared: &Prepared) -> Result<Option<Contents>> {
        let read = |buffer: &Buffer, size: usize| {
            let mut bytes = vec![0; size];
            buffer.read(0, &mut bytes).map(|()| bytes)
        };
        Ok(match (prepared, self) {
            (Prepared::Buffer { view, bytes, .. }, Made::Buffer(buffer)) => {
                Some(Contents::buffer(view.clone(), read(buffer, bytes.len())?))
            }
            (Prepared::Image { plan, bytes, .. }, Made::Texels(buffer, _)) => {
                Some(Contents::image(plan, read(buffer, bytes.len())?))
            }
            (Prepared::Image { plan, bytes, .. }, Made::Image(image, _)) => {
                let mut out = vec![0; bytes.len()];
                image.read(&whole(plan), &mut out)?;
                Some(Contents::image(plan, out))
            }
            _ => None,
        })
    }

    /// What reports call it.
    pub fn rename(&self, name: &str) {
        match self {
            Made::Buffer(buffer) | Made::Texels(buffer, _) => buffer.rename(name),
            Made::Image(image, _) => image.rename(name),
            Made::Sampler => {}
        }
    }

    /// The GPU memory that it has: where it begins, and how many bytes.
    pub fn memory(&self) -> Option<(u64, u64)> {
        match self {
            Made::Buffer(buffer) | Made::Texels(buffer, _) => Some((buffer.address(), buffer.size())),
            Made::Image(image, _) => Some((image.address(), image.requirements().0)),
            Made::Sampler => None,
        }
    }

    /// Where on the GPU a byte of its contents is.
    pub fn address(&self, byte: usize) -> Option<u64> {
        let byte = byte as u64;
        let image = match self {
            Made::Image(image, _) => image,
            _ => return self.memory().map(|(at, _)| at + byte),
        };
        let texel = u64::from(image.info().format.bytes(Aspects::COLOR)).max(1);
        let [w, h, _] = image.info().extent.map(|n| u64::from(n).max(1));
        let (n, inside) = (byte / texel, byte % texel);
        let (x, y, z) = (n % w, n / w % h, n / w / h);
        let deep = image.info().kind == ImageKind::D3;
        let at = image.subresource_layout(Aspects::COLOR, 0, if deep { 0 } else { z as u32 })?;
        let slice = if deep { z * at.depth_pitch } else { 0 };
        Some(image.address() + at.offset + slice + y * at.row_pitch + x * texel + inside)
    }

    /// The memory of a buffer.
    pub fn buffer(&self) -> Result<&Arc<Buffer>> {
        match self {
            Made::Buffer(buffer) | Made::Texels(buffer, _) => Ok(buffer),
            _ => Err(Failure::usage("an image or a sampler where a buffer is wanted")),
        }
    }

    /// What a shader sees it by, with a sampler where it is seen through one.
    pub fn descriptor(&self, sampler: Option<Arc<Sampler>>) -> Result<Descriptor> {
        Ok(match (self, sampler) {
            (Made::Buffer(buffer), _) => Descriptor::Buffer(buffer.clone(), buffer.size()),
            (Made::Texels(_, view), _) => Descriptor::Texels(view.clone()),
            (Made::Image(_, view), Some(sampler)) => Descriptor::Combined(view.clone(), sampler),
            (Made::Image(_, view), None) => Descriptor::Image(view.clone()),
            (Made::Sampler, Some(sampler)) => Descriptor::Sampler(sampler),
            (Made::Sampler, None) => return Err(Failure::usage("a sampler that is none")),
        })
    }
}

fn buffer(device: &Arc<Device>, bytes: &[u8], filled: bool) -> Result<Arc<Buffer>> {
    let buffer = Buffer::with_memory(device, (bytes.len() as u64).max(1))?;
    if filled {
        buffer.write(0, bytes)?;
    }
    Ok(buffer)
}

/// A sampler as the runtime has it.
pub fn sampler_info(how: SamplerGiven) -> SamplerInfo {
    let filter = if how.nearest { Filter::Nearest } else { Filter::Linear };
    let address = match how.address {
        Address::Clamp => AddressMode::ClampToEdge,
        Address::Repeat => AddressMode::Repeat,
        Address::Mirror => AddressMode::MirroredRepeat,
    };
    SamplerInfo { mag: filter, min: filter, address: [address; 3], ..SamplerInfo::default() }
}

/// Reports call a resource as the first shader does that has it.
fn name(plan: &Plan, entries: &[EntryInfo], made: &[Made]) {
    let mut named = vec![false; made.len()];
    for (step, entry) in plan.steps.iter().zip(entries) {
        for p in &step.placed {
            let Some(n) = p.given.filter(|n| !std::mem::replace(&mut named[*n], true)) else { continue };
            let resource = entry.resources.iter().find(|r| (r.set, r.binding) == (p.set, p.binding));
            let name = match resource.map_or("", |r| r.name.as_str()) {
                "" => format!("set {}, binding {}", p.set, p.binding),
                name => name.to_string(),
            };
            made[n].rename(&name);
        }
    }
}

/// The dispatches with everything bound; a repeated one as often as it is.
fn steps(
    device: &Arc<Device>,
    job: &Job,
    plan: &Plan,
    made: &[Made],
    pipelines: &[Arc<ComputePipeline>],
) -> Result<Vec<Step>> {
    let mut out = Vec::new();
    for ((d, step), pipeline) in job.dispatches.iter().zip(&plan.steps).zip(pipelines) {
        let mut bound = Vec::new();
        for p in &step.placed {
            let sampler = p.sampler.map(|how| Sampler::new(device, &sampler_info(how))).transpose()?;
            let descriptor = match (p.given.map(|n| &made[n]), sampler) {
                (Some(made), sampler) => made.descriptor(sampler)?,
                (None, Some(sampler)) => Descriptor::Sampler(sampler),
                (None, None) => continue,
            };
            bound.push(Bound { set: p.set, binding: p.binding, element: p.element, descriptor });
        }
        let indirect = match step.indirect {
            Some((n, offset)) => Some((made[n].buffer()?.clone(), offset)),
            None => None,
        };
        let step = Step { pipeline: pipeline.clone(), bound, push: step.push.clone(), groups: step.groups, indirect };
        out.extend((0..d.repeat).map(|_| step.clone()));
    }
    Ok(out)
}
