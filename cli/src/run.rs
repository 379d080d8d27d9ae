//! `wavepipe run`: a job's dispatches, its buffers and images shown and written.

use crate::bind::{self, ImagePlan, Plan, Prepared};
use crate::failure::{Failure, Result};
use crate::findings::Findings;
use crate::job::{Address, Job, RunArgs, SamplerGiven};
use crate::profile::{Profile, View};
use crate::shader::{Shader, Special};
use crate::show::{self, Contents, Texels};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wavepipe_runtime::compiler::ir::Dim;
use wavepipe_runtime::compiler::spirv::EntryInfo;
use wavepipe_runtime::simple::{Bound, Descriptor, Session, Step};
use wavepipe_runtime::timing::trace::Detail;
use wavepipe_runtime::{
    AddressMode, Aspects, Buffer, BufferView, ComputePipeline, Config, Device, Filter, HostRegion, Image, ImageInfo,
    ImageKind, ImageLayers, ImageView, ImageViewInfo, ImageViewKind, Sampler, SamplerInfo, Trace, WaveSize,
};

/// The configuration of the environment with the job's wave size. What makes no sense there is an error here, where
/// somebody looks at it.
pub fn config(wave: Option<u32>) -> Result<Config> {
    let (mut config, complaints) = Config::parse(|name| std::env::var_os(name));
    if !complaints.is_empty() {
        return Err(Failure::usage(complaints.join("\n")));
    }
    // Who runs a shader wants to see it compiled.
    config.cache = None;
    match wave {
        Some(64) => config.wave = WaveSize::W64,
        Some(_) => config.wave = WaveSize::W32,
        None => {}
    }
    Ok(config)
}

/// A spinner on stderr that appears once work takes long, and only on a terminal.
pub fn progress(message: &'static str) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(message);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// The shaders of a job's dispatches, specialized, and their entry points.
fn shaders(job: &Job) -> Result<(Vec<Special>, Vec<EntryInfo>)> {
    let mut opened: Vec<Shader> = Vec::new();
    let (mut specials, mut entries) = (Vec::new(), Vec::new());
    for d in &job.dispatches {
        let n = match opened.iter().position(|s| s.path() == d.shader) {
            Some(n) => n,
            None => {
                opened.push(Shader::open(&d.shader)?);
                opened.len() - 1
            }
        };
        let special = opened[n].specialize(&d.spec, &d.spec_flags)?;
        entries.push(special.entry(d.entry.as_deref(), &d.shader)?);
        specials.push(special);
    }
    Ok((specials, entries))
}

/// A resource on the device.
enum Made {
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

fn make(device: &Arc<Device>, prepared: &Prepared) -> Result<Made> {
    Ok(match prepared {
        Prepared::Buffer { bytes, .. } => Made::Buffer(filled(device, bytes)?),
        Prepared::Image { plan, bytes } if plan.dim == Dim::Buffer => {
            let buffer = filled(device, bytes)?;
            let view = BufferView::new(&buffer, plan.texel.format(), 0, None)?;
            Made::Texels(buffer, view)
        }
        Prepared::Image { plan, bytes } => {
            let kind = match plan.dim {
                Dim::D1 => ImageKind::D1,
                Dim::D3 => ImageKind::D3,
                _ => ImageKind::D2,
            };
            let (format, extent) = (plan.texel.format(), plan.extent);
            let info = ImageInfo { kind, format, extent, levels: 1, layers: plan.layers, samples: 1 };
            let image = Image::new(device, info)?;
            image.bind(wavepipe_runtime::Memory::allocate(device, image.requirements().0)?, 0)?;
            image.write(&whole(plan), bytes)?;
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

fn filled(device: &Arc<Device>, bytes: &[u8]) -> Result<Arc<Buffer>> {
    let buffer = Buffer::with_memory(device, (bytes.len() as u64).max(1))?;
    buffer.write(0, bytes)?;
    Ok(buffer)
}

fn sampler(device: &Arc<Device>, how: SamplerGiven) -> Result<Arc<Sampler>> {
    let filter = if how.nearest { Filter::Nearest } else { Filter::Linear };
    let address = match how.address {
        Address::Clamp => AddressMode::ClampToEdge,
        Address::Repeat => AddressMode::Repeat,
        Address::Mirror => AddressMode::MirroredRepeat,
    };
    let info = SamplerInfo { mag: filter, min: filter, address: [address; 3], ..SamplerInfo::default() };
    Ok(Sampler::new(device, &info)?)
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
            let sampler = p.sampler.map(|how| sampler(device, how)).transpose()?;
            let descriptor = match (p.given.map(|n| &made[n]), sampler) {
                (Some(Made::Buffer(buffer)), _) => Descriptor::Buffer(buffer.clone(), buffer.size()),
                (Some(Made::Texels(_, view)), _) => Descriptor::Texels(view.clone()),
                (Some(Made::Image(_, view)), Some(sampler)) => Descriptor::Combined(view.clone(), sampler),
                (Some(Made::Image(_, view)), None) => Descriptor::Image(view.clone()),
                (_, Some(sampler)) => Descriptor::Sampler(sampler),
                (_, None) => continue,
            };
            bound.push(Bound { set: p.set, binding: p.binding, element: p.element, descriptor });
        }
        let step = Step { pipeline: pipeline.clone(), bound, push: step.push.clone(), groups: step.groups };
        out.extend((0..d.repeat).map(|_| step.clone()));
    }
    Ok(out)
}

/// What there is after the run; of a sampler nothing.
fn contents(prepared: &Prepared, made: &Made) -> Result<Option<Contents>> {
    let read = |buffer: &Buffer, size: usize| {
        let mut bytes = vec![0; size];
        buffer.read(0, &mut bytes).map(|()| bytes)
    };
    Ok(match (prepared, made) {
        (Prepared::Buffer { view, bytes }, Made::Buffer(buffer)) => {
            Some(Contents::buffer(view.clone(), read(buffer, bytes.len())?))
        }
        (Prepared::Image { plan, bytes }, Made::Texels(buffer, _)) => Some(texels(plan, read(buffer, bytes.len())?)),
        (Prepared::Image { plan, bytes }, Made::Image(image, _)) => {
            let mut out = vec![0; bytes.len()];
            image.read(&whole(plan), &mut out)?;
            Some(texels(plan, out))
        }
        _ => None,
    })
}

fn texels(plan: &ImagePlan, bytes: Vec<u8>) -> Contents {
    let (view, seen) = plan.seen(&bytes);
    let component = crate::element::Element { scalar: plan.texel.component(), lanes: plan.texel.lanes };
    Contents { view, bytes: seen, texels: Some(Texels { sides: plan.sides(), component, bytes }) }
}

pub fn run(args: &RunArgs) -> Result<()> {
    let job = args.resolve()?;
    let mut config = config(job.wave)?;
    let to_stdout = job.outputs.iter().filter(|o| o.file.is_none()).count();
    if to_stdout > 1 || to_stdout > 0 && (args.json || args.timing.is_some()) {
        return Err(Failure::usage("standard output is for one thing: one output -, or --json, or --timing"));
    }
    job.outputs.iter().filter_map(|o| o.file.as_deref()).try_for_each(show::check_ending)?;
    let (specials, entries) = shaders(&job)?;
    let shader = &job.dispatches[0].shader;
    let plan = bind::plan(&job, &entries).map_err(|e| e.context(shader))?;

    config.timing |= args.timing.is_some();
    args.checks.apply(&mut config)?;
    if let Some(path) = &args.trace {
        let mut trace = Trace::at(path).map_err(|e| Failure::usage(format!("--trace {e}")))?;
        if args.trace_detail.as_deref() == Some("instructions") {
            trace.detail = Detail::Instructions;
        }
        config.trace = Some(trace);
    }
    let session = Session::new(&config)?;
    let device = session.device();
    let mut pipelines = Vec::new();
    for ((d, special), entry) in job.dispatches.iter().zip(&specials).zip(&entries) {
        let pipeline = session.pipeline(&special.words, Some(&entry.name), &special.spec, None);
        pipelines.push(pipeline.map_err(|e| Failure::from(e).context(&d.shader))?);
    }
    let made = plan.resources.iter().map(|r| make(device, r)).collect::<Result<Vec<_>>>()?;
    let steps = steps(device, &job, &plan, &made, &pipelines)?;
    plan.steps.iter().filter_map(|s| s.derived.as_ref()).for_each(|why| eprintln!("wavepipe: {why}"));
    let bar = progress("running");
    let start = Instant::now();
    let result = session.run_steps(&steps);
    let seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    // A lost device has something to tell as well.
    let found = args.checks.tell(device)?;
    result.map_err(|e| Failure::from(e).context(shader))?;

    let after = plan.resources.iter().zip(&made).map(|(r, m)| contents(r, m)).collect::<Result<Vec<_>>>()?;
    for (output, n) in job.outputs.iter().zip(&plan.outputs) {
        if let Some(contents) = &after[*n] {
            contents.write(output.file.as_deref(), job.picture)?;
            output.file.iter().for_each(|file| eprintln!("wrote {}", file.display()));
        }
    }
    if let Some(why) = device.trace_failure() {
        return Err(Failure::Driver(why));
    }
    let profile = Profile::of(device, &pipelines);
    let ran = Ran { job: &job, plan: &plan, entries: &entries, pipelines: &pipelines, after: &after, seconds };
    if args.json {
        println!("{}", ran.json(device, &found, profile.as_ref()));
        return found.verdict();
    }
    let quiet = args.quiet || to_stdout > 0;
    if !quiet {
        ran.table(device);
    }
    if let Some(profile) = profile.filter(|_| to_stdout == 0) {
        let space = if quiet { "" } else { "\n" };
        print!("{space}{}", profile.text(args.timing.unwrap_or(View::Summary)));
    }
    found.verdict()
}

/// A run, to be shown.
struct Ran<'a> {
    job: &'a Job,
    plan: &'a Plan,
    entries: &'a [EntryInfo],
    pipelines: &'a [Arc<ComputePipeline>],
    after: &'a [Option<Contents>],
    seconds: f64,
}

impl Ran<'_> {
    fn compile_seconds(&self) -> f64 {
        self.pipelines.iter().map(|p| p.compile_time().as_secs_f64()).sum()
    }

    /// Resources in the order of the shader's bindings: number of the given, set, binding, element and name.
    fn in_order(&self) -> Vec<(usize, u32, u32, u32, &str)> {
        let mut out: Vec<(usize, u32, u32, u32, &str)> = Vec::new();
        for (info, step) in self.entries.iter().zip(&self.plan.steps) {
            for p in &step.placed {
                let r = info.resources.iter().find(|r| (r.set, r.binding) == (p.set, p.binding));
                let (Some(n), Some(r)) = (p.given, r) else { continue };
                if !out.iter().any(|known| known.0 == n) {
                    out.push((n, p.set, p.binding, p.element, bind::label(r)));
                }
            }
        }
        out
    }

    fn json(&self, device: &Device, found: &Findings, profile: Option<&Profile>) -> serde_json::Value {
        let mut shown = Vec::new();
        for (n, set, binding, element, name) in self.in_order() {
            let Some(contents) = &self.after[n] else { continue };
            let mut value = serde_json::json!({
                "set": set, "binding": binding, "name": name, "type": contents.type_name(),
                "lanes": contents.view.element.len(), "count": contents.view.count, "values": contents.json_values(),
            });
            if element > 0 {
                value["element"] = element.into();
            }
            if let Some(t) = &contents.texels {
                value["sides"] = t.sides.clone().into();
            }
            shown.push(value);
        }
        let step = |n: usize| {
            serde_json::json!({
                "shader": self.job.dispatches[n].shader, "entry": self.entries[n].name,
                "groups": self.plan.steps[n].groups, "workgroup": self.entries[n].workgroup,
                "repeat": self.job.dispatches[n].repeat,
            })
        };
        let mut value = step(0);
        value["wave"] = self.pipelines[0].code_object().wave.lanes().into();
        value["seconds"] = self.seconds.into();
        value["compile_seconds"] = self.compile_seconds().into();
        value["wave_instructions"] = device.statistics().wave_instructions.into();
        value["buffers"] = shown.into();
        value["findings"] = serde_json::json!(found.reports);
        value["more_findings"] = found.more.into();
        if self.entries.len() > 1 {
            value["dispatches"] = (0..self.entries.len()).map(step).collect();
        }
        if let Some(profile) = profile {
            value["timing"] = profile.json();
        }
        value
    }

    fn table(&self, device: &Device) {
        for (n, set, binding, element, name) in self.in_order() {
            let Some(contents) = &self.after[n] else { continue };
            let slot = crate::job::BindingSlot { set, binding };
            let element = if element > 0 { format!("[{element}]") } else { String::new() };
            let name = if name.is_empty() { String::new() } else { format!(" {name}") };
            println!("{}", contents.line(&format!("{slot}{element}{name}")));
        }
        let wave = self.pipelines[0].code_object().wave.lanes();
        for (n, info) in self.entries.iter().enumerate() {
            let ([x, y, z], [lx, ly, lz]) = (self.plan.steps[n].groups, info.workgroup);
            let repeat = match self.job.dispatches[n].repeat {
                1 => String::new(),
                times => format!(", {times} times"),
            };
            let entry = if self.entries.len() > 1 { format!("{}: ", info.name) } else { String::new() };
            let last = n + 1 == self.entries.len();
            print!("{entry}{x}x{y}x{z} groups of {lx}x{ly}x{lz}, wave{wave}{repeat}{}", if last { ": " } else { "\n" });
        }
        println!(
            "compiled in {:.1} ms, ran {} wave instructions in {:.1} ms",
            self.compile_seconds() * 1e3,
            device.statistics().wave_instructions,
            self.seconds * 1e3
        );
    }
}
