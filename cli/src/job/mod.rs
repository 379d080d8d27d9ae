//! What to run, from the job file beside the shader (`NAME.toml`, see [`wavepipe::job::file`]) and the command line, which wins.

pub(crate) mod flags;

pub use self::flags::buffer_flag;
use self::flags::{image_flag, sampler_flag};
use crate::failure::{Failure, Result};
use crate::findings::CheckArgs;
use crate::gpu::{GpuArgs, lanes};
use crate::profile::View;
use crate::seeds::SeedArgs;
use crate::watch::WatchArgs;
use std::path::{Path, PathBuf};
use wavepipe::job::{Given, Job, Output, size, triple};

/// The flags of `wavepipe run` and `wavepipe compile` that describe a job.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct JobArgs {
    /// The shader: .spv, .wgsl or .comp
    pub shader: PathBuf,
    /// Entry point; the only one by default
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// Wavefront size: 32 or 64 lanes; WAVEPIPE_WAVE, or the smallest that the card has, by default
    #[arg(long, value_parser = ["32", "64"])]
    pub wave: Option<String>,
    #[command(flatten)]
    pub gpu: GpuArgs,
    /// Specialization constant (in WGSL: override): KEY=VALUE, KEY being its id or name
    #[arg(long, value_name = "KEY=VALUE")]
    pub spec: Vec<String>,
    /// Job file; NAME.toml beside the shader by default
    #[arg(long, value_name = "FILE")]
    pub job: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  wavepipe run samples/mandelbrot/mandelbrot.wgsl -o mandelbrot.png
  wavepipe run samples/saxpy/saxpy.comp --wave 64 --json
  wavepipe run scale.wgsl --buffer x:1,2,3,4 --buffer y=[4] --push factor=2
  wavepipe run scale.comp --groups 16 --buffer 0=f32[1024]:iota --buffer 1=f32[1024] --push f32=2 --out 1=scaled.csv
  wavepipe run blur.wgsl --image photo:photo.png --image blurred=[256x256] --spec RADIUS=3 --out blurred=blurred.png
  wavepipe run sum.wgsl --buffer numbers:numbers.npy --buffer total=[1] --out total=-
  wavepipe run samples/reduction/reduction.wgsl --quiet --timing
  wavepipe run samples/reduction/reduction.wgsl --quiet --timing=isa
  wavepipe run samples/reduction/reduction.wgsl --quiet --html reduction.html
  wavepipe run samples/reduction/reduction.wgsl --gpu rx5500xt
  wavepipe run samples/reduction/reduction.wgsl --gpu all
  wavepipe run samples/reduction/reduction.wgsl --gpu rx5700xt,rx5500xt --json
  wavepipe run samples/reduction/reduction.wgsl --check all --findings reduction.sarif
  wavepipe run samples/reduction/reduction.wgsl --quiet --many-seeds 0..20
  wavepipe run samples/reduction/reduction.wgsl --quiet --seed 7
  wavepipe run samples/saxpy/saxpy.comp --quiet --watch '16:exec,v0 @lane 5 @group 1,0,0'
  wavepipe run samples/saxpy/saxpy.comp --trace saxpy.pftrace --trace-detail instructions
  wavepipe run samples/saxpy/saxpy.comp --trace saxpy/

KEY is BINDING, SET.BINDING or the name in the shader; KEY[I] is element I of an array of resources.
INIT is zero (default), iota, rand, none (zero, and not written to --check init), numbers (1,2,3), or a file: .bin or .raw
(bytes), .json, .csv, .npy, .png.
What is left out follows from the shader: the type of a buffer, the format of an image, a count or a size that the INIT
has, and the groups from the largest output. What does not agree with the shader is an error.

--gpu all (or a comma list) runs it on every machine, each on its clock, and prints one table: whether the answers are equal,
instructions, registers, occupancy, cycles. A machine that cannot run it says why in its row. The exit code is 1 if an answer is not
that of the first machine that ran it.

A file NAME.toml beside the shader may hold all of this, and several dispatches; flags win over it.";

/// The flags of `wavepipe run` alone.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(after_help = EXAMPLES)]
pub struct RunArgs {
    #[command(flatten)]
    pub job: JobArgs,
    /// Number of work-groups; enough for the largest output by default
    #[arg(long, value_name = "X,Y,Z")]
    pub groups: Option<String>,
    /// A buffer
    #[arg(long, value_name = "KEY[=TYPE[N]][:INIT]")]
    pub buffer: Vec<String>,
    /// An image: FORMAT is rgba8, r32f, rgba16float and the like; a texel buffer is one, too
    #[arg(long, value_name = "KEY[=FORMAT[WxHxD]][:INIT]")]
    pub image: Vec<String>,
    /// A sampler: nearest or linear (default), and repeat, mirror or clamp (default)
    #[arg(long, value_name = "KEY=HOW[,HOW]")]
    pub sampler: Vec<String>,
    /// Push constants: TYPE=VALUE for the next member of the block, or NAME=VALUE
    #[arg(long, value_name = "NAME=VALUE")]
    pub push: Vec<String>,
    /// Write a buffer or image after the run: .bin, .raw, .json, .csv, .npy or .png; - is standard output, as .csv
    #[arg(long, value_name = "KEY=FILE")]
    pub out: Vec<String>,
    /// Write the main output (the job file's [output], or the only one that the shader writes)
    #[arg(short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Size of pictures that are made of buffers
    #[arg(long, value_name = "WxH")]
    pub shape: Option<String>,
    /// Record what happens when, in emulated time: FILE.pftrace for Perfetto, FOLDER/ for ROCprof Compute Viewer
    #[arg(long, value_name = "FILE")]
    pub trace: Option<String>,
    /// What a Perfetto trace has: waves, or every instruction too
    #[arg(long, value_name = "DETAIL", value_parser = ["waves", "instructions"], requires = "trace")]
    pub trace_detail: Option<String>,
    /// Run on the card's clock, and say where the time went: summary, by source line, or by instruction
    #[arg(long, value_name = "VIEW", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "summary")]
    pub timing: Option<View>,
    /// Run on the card's clock, and write a page of the shader: source, ir, machine code, and what each line cost
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub checks: CheckArgs,
    #[command(flatten)]
    pub seeds: SeedArgs,
    #[command(flatten)]
    pub watch: WatchArgs,
    /// Print the result as JSON; with --timing, all that the clock counted too
    #[arg(long)]
    pub json: bool,
    /// Print no table
    #[arg(long, short)]
    pub quiet: bool,
}

impl RunArgs {
    /// What cannot go together with a machine that is held.
    pub fn alone(&self, to_stdout: usize) -> Result<()> {
        let flags = [
            ("--timing", self.timing.is_some()),
            ("--trace", self.trace.is_some()),
            ("--seed", self.seeds.seed.is_some()),
            ("--many-seeds", self.seeds.many_seeds.is_some()),
            ("-o - or --out KEY=-", to_stdout > 0),
        ];
        match flags.iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(Failure::usage(format!(
                "--watch runs an instruction at a time, in an order of its own and without the card's clock: leave out {flag}"
            ))),
            None => Ok(()),
        }
    }

    /// Merges the job file and the flags.
    pub fn resolve(&self) -> Result<Job> {
        let mut job = self.job.resolve()?;
        if let [first, _, ..] = &mut job.dispatches[..] {
            let flags = [("--groups", self.groups.is_some()), ("--push", !self.push.is_empty())];
            let all = flags.into_iter().chain([("--entry", self.job.entry.is_some())]);
            if let Some((flag, _)) = all.into_iter().find(|(_, given)| *given) {
                let shader = first.shader.display();
                let message = format!("{flag} is for one dispatch, the job of {shader} has several: write it there");
                return Err(Failure::usage(message));
            }
        }
        if let Some(groups) = &self.groups {
            let groups = triple(groups).map_err(|e| Failure::usage(format!("--groups {e}")))?;
            job.dispatches.iter_mut().for_each(|d| d.groups = Some(groups));
        }
        if !self.push.is_empty() {
            job.dispatches.iter_mut().for_each(|d| d.push = self.push.clone());
        }
        let mut flags: Vec<Given> = Vec::new();
        let buffers = self.buffer.iter().map(|text| buffer_flag(text));
        let images = self.image.iter().map(|text| image_flag(text));
        for given in buffers.chain(images).chain(self.sampler.iter().map(|text| sampler_flag(text))) {
            let given = given?;
            // The same key for an image and for its sampler is no contradiction.
            let same = |g: &Given| g.key == given.key && g.what.is_sampler() == given.what.is_sampler();
            if flags.iter().any(same) {
                return Err(Failure::usage(format!("{} is given twice", given.source)));
            }
            job.given.retain(|g| !same(g));
            flags.push(given);
        }
        // Behind what the file has, so that messages and tables are in the order of the shader's bindings or the user's.
        job.given.extend(flags);
        job.picture = self.shape.as_deref().map(size).transpose()?.or(job.picture);
        for text in &self.out {
            let (key, file) =
                text.split_once('=').ok_or_else(|| Failure::usage(format!("--out {text}: write KEY=FILE")))?;
            job.outputs.push(Output { key: Some(key.parse()?), file: target(Path::new(file)) });
        }
        if let Some(file) = &self.output {
            // The file that the job file names is what -o is instead of.
            job.outputs.retain(|o| o.key.is_some());
            job.outputs.push(Output { key: None, file: target(file) });
        }
        Ok(job)
    }
}

fn target(file: &Path) -> Option<PathBuf> {
    (file != Path::new("-")).then(|| file.to_owned())
}

impl JobArgs {
    /// The job without the flags of `run`.
    pub fn resolve(&self) -> Result<Job> {
        let beside = self.shader.with_extension("toml");
        let path = self.job.clone().or_else(|| beside.exists().then_some(beside));
        let mut job = match &path {
            Some(path) => Job::of_file(path, &self.shader)?,
            None => Job::of_shader(&self.shader),
        };
        job.wave = lanes(self.wave.as_deref()).or(job.wave);
        job.gpu = self.gpu.gpu.clone().or(job.gpu);
        for text in &self.spec {
            let (key, value) =
                text.split_once('=').ok_or_else(|| Failure::usage(format!("--spec {text}: write KEY=VALUE")))?;
            job.dispatches.iter_mut().for_each(|d| d.spec_flags.push((key.to_owned(), value.to_owned())));
        }
        if let (Some(entry), [only]) = (&self.entry, &mut job.dispatches[..]) {
            only.entry = Some(entry.clone());
        }
        Ok(job)
    }
}
