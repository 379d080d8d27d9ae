//! `wavepipe bench`: the sample programs, as processes through the Vulkan loader, on this driver and on lavapipe in
//! turns; wave-instructions a second; compile times; what a program pays before its first dispatch.
//!
//! The programs are `samples/`, built as examples. Each prints one line of JSON about itself; the whole-program time is
//! taken from outside, from spawn to exit.

mod aco;
pub(crate) mod checks;
mod isa;
pub(crate) mod kernels;
mod machine;
pub(crate) mod measure;
pub(crate) mod report;
mod timing;

use crate::failure::{Failure, Result};
use crate::gpu::{GpuArgs, lanes};
use measure::{Driver, Programs};
use report::{Report, Rival, SampleRow};
use std::path::PathBuf;

/// Measure: samples beside lavapipe, instruction rates, compile times.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Build first: cargo build --release --workspace --examples",
    args_conflicts_with_subcommands = true
)]
pub struct BenchArgs {
    #[command(subcommand)]
    part: Option<Part>,
    /// Timed runs of each program on each driver; their median counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Only these samples (all by default)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Wavefront size of this driver's kernels
    #[arg(long, value_parser = ["32", "64"])]
    wave: Option<String>,
    #[command(flatten)]
    gpu: GpuArgs,
    /// Manifest of the driver to compare with; lavapipe's by default
    #[arg(long, value_name = "FILE")]
    beside: Option<PathBuf>,
    /// Measure this driver alone
    #[arg(long, conflicts_with = "beside")]
    alone: bool,
    /// This driver's manifest; found above this program by default
    #[arg(long, value_name = "FILE")]
    icd: Option<PathBuf>,
    /// Instead of times: our code beside Mesa ACO's. TOOL SHADER.spv FAMILY WAVE ENTRY prints `stat NAME VALUE` lines
    #[arg(long, value_name = "TOOL", requires = "shaders")]
    aco: Option<PathBuf>,
    /// Shaders for --aco
    #[arg(value_name = "SHADER")]
    shaders: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand, Debug)]
enum Part {
    /// What each check of guest code costs, on every sample, beside a plain run without host code
    Checks(checks::ChecksArgs),
    /// Wave-instructions a second of the interpreter by kind of instruction, on one thread; lane-FMA/s beside lavapipe
    Isa(isa::IsaArgs),
    /// Steady dispatches of kernels beside lavapipe, and beside what this host does at best
    Kernels(kernels::KernelsArgs),
    /// Peaks and latencies of the emulated card on its clock, beside what is documented and what others measured
    Machine(machine::MachineArgs),
    /// Wave-instructions a second of the machine on its clock, on every sample, beside the machine without one
    Timing(timing::TimingArgs),
}

const SAMPLES: [&str; 14] = [
    "mandelbrot",
    "saxpy",
    "matmul",
    "reduction",
    "subgroup_scan",
    "histogram",
    "bitonic_sort",
    "nbody",
    "life",
    "transpose",
    "sha256",
    "raymarch",
    "fft",
    "cas",
];

/// Measures and prints; a wrong answer of this driver is a failed check.
pub fn run(args: &BenchArgs) -> Result<()> {
    match &args.part {
        Some(Part::Checks(args)) => return checks::run(args),
        Some(Part::Isa(args)) => return isa::run(args),
        Some(Part::Kernels(args)) => return kernels::run(args),
        Some(Part::Machine(args)) => return machine::run(args),
        Some(Part::Timing(args)) => return timing::run(args),
        None => {}
    }
    let config = args.gpu.config(lanes(args.wave.as_deref()))?;
    if let Some(tool) = &args.aco {
        return aco::run(tool, &args.shaders, &config, args.json);
    }
    let programs = Programs::find()?;
    let mut ours = Driver::wavepipe(args.icd.as_deref(), args.wave.as_deref())?;
    ours.on(&args.gpu);
    let rivals = rivals(args)?;
    known(&args.only)?;
    let wanted = |name: &&str| args.only.is_empty() || args.only.iter().any(|only| only == name);
    let samples: Vec<_> = SAMPLES.into_iter().filter(wanted).collect();
    let progress = indicatif::ProgressBar::new(samples.len() as u64 + 2)
        .with_style(indicatif::ProgressStyle::with_template("{bar:30} {msg}").expect("a fixed template"));

    let mut report = Report { runs: args.runs, ..Report::default() };
    for name in samples {
        progress.set_message(name.to_owned());
        report.samples.push(row(&programs, name, &ours, &rivals, args.runs)?);
        progress.inc(1);
    }
    progress.set_message("first dispatch");
    // What cannot be measured is said at the end, and does not take away what can.
    let mut failures = Vec::new();
    let mut keep = |error: Failure| failures.push(error.to_string());
    report.first_dispatch_ms = measure::first_dispatch(&programs, &ours, args.runs).map_err(&mut keep).ok();
    progress.inc(1);
    progress.set_message("instruction rate");
    report.rate = measure::rate(&programs, &ours, args.runs).map_err(&mut keep).ok();
    progress.finish_and_clear();

    if args.json {
        println!("{}", serde_json::to_string_pretty(&report).expect("plain data"));
    } else {
        print!("{report}");
    }
    failures.extend(report.samples.iter().filter_map(|row| Some(format!("{}: {}", row.name, row.failed.as_ref()?))));
    if failures.is_empty() { Ok(()) } else { Err(Failure::Check(failures.join("\n"))) }
}

/// Whether these are all samples.
fn known(names: &[String]) -> Result<()> {
    match names.iter().find(|name| !SAMPLES.contains(&name.as_str())) {
        Some(unknown) => Err(Failure::usage(format!("no sample `{unknown}`; there are: {}", SAMPLES.join(", ")))),
        None => Ok(()),
    }
}

/// The reference driver twice: compiling anew in each run, as this driver does, and with a disk cache that it has filled.
fn rivals(args: &BenchArgs) -> Result<Vec<Driver>> {
    if args.alone {
        return Ok(Vec::new());
    }
    let Some(manifest) = args.beside.clone().or_else(measure::lavapipe) else {
        eprintln!("lavapipe is not installed (Debian: mesa-vulkan-drivers); measuring this driver alone");
        return Ok(Vec::new());
    };
    Ok(vec![Driver::cold(&manifest), Driver::warm(&manifest)?])
}

fn row(programs: &Programs, name: &'static str, ours: &Driver, rivals: &[Driver], runs: u32) -> Result<SampleRow> {
    let failed = match programs.sample(name, ours, true) {
        Ok(checked) => checked.wrong,
        Err(error) => Some(error.to_string()),
    };
    if failed.is_some() {
        return Ok(SampleRow { name, failed, ..SampleRow::default() });
    }
    let mut times = vec![Vec::new(); 1 + rivals.len()];
    let mut details = Vec::new();
    // A first run, not counted, fills caches: the files' and the warm rival's.
    for rival in rivals {
        programs.sample(name, rival, false)?;
    }
    for _ in 0..runs {
        for (i, driver) in std::iter::once(ours).chain(rivals).enumerate() {
            let done = programs.sample(name, driver, false)?;
            times[i].push(done.whole_ms);
            if i == 0 {
                details.push(done);
            }
        }
    }
    let mut medians = times.into_iter().map(measure::median);
    let whole_ms = medians.next().unwrap_or_default();
    let rivals = rivals
        .iter()
        .zip(medians)
        .map(|(driver, ms)| Rival { driver: driver.label, whole_ms: ms, times_as_fast: ms / whole_ms })
        .collect();
    let of = |part: fn(&measure::Done) -> f64| measure::median(details.iter().map(part).collect());
    Ok(SampleRow {
        name,
        whole_ms,
        compile_ms: of(|d| d.compile_ms),
        device_ms: of(|d| d.device_ms),
        rivals,
        failed: None,
    })
}
