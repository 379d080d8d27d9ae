//! `wavepipe bench kernels`: what a dispatch takes a program that goes on, on this driver and on another in turns.
//!
//! The programs are the samples, and `bench_kernels` for kernels that each ask for one thing. Each run is a process of its own
//! through the Vulkan loader: it makes everything, looks at its answer, and then repeats the work for a while, each time from
//! the same buffers. Compiling, recording and the first dispatches are not counted.

pub(crate) mod report;

use super::SAMPLES;
use super::measure::{self, Driver, Programs};
use crate::failure::{Failure, Result};
use crate::gpu::{GpuArgs, lanes};
use report::{Column, KernelRow, Report, Timing};
use serde_json::Value;
use std::path::PathBuf;
use wavepipe_limits::Limits;

/// Those of `bench_kernels`.
const KERNELS: [&str; 10] = [
    "fma_chains",
    "hash",
    "collatz",
    "lds_loop",
    "gather",
    "scatter",
    "stream_copy",
    "lds_histogram",
    "tiled_matmul",
    "pointer_chase",
];

/// The host code that this driver restricts itself to.
const HOST: &str = "WAVEPIPE_HOST";

#[derive(clap::Args, Debug)]
#[command(after_help = "Build first: cargo build --release --workspace --lib --bins --examples
Examples:
  wavepipe bench kernels
  wavepipe bench kernels --only fma_chains,stream_copy --threads 1 --json
  wavepipe bench kernels --host avx512,avx2,interpreter
  wavepipe bench kernels --beside /usr/local/share/vulkan/icd.d/lvp_icd.x86_64.json
Exit code: 0 good, 1 a wrong answer or none, 2 usage, 3 nothing to measure with")]
pub struct KernelsArgs {
    /// Only these kernels and samples (all by default)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Seconds of dispatches of each kernel on each driver, all turns together
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Turns that the drivers take with each kernel
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    turns: u32,
    /// Besides, this driver restricted to such host code, a column each
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = ["avx512", "avx2", "neon", "interpreter"])]
    host: Vec<String>,
    /// Host threads of either driver (all by default)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
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
    /// Little work of each kernel, to try whether answers are right; samples are as large as ever
    #[arg(long)]
    small: bool,
    /// Spoil this driver's answers, to see that this is noticed
    #[arg(long, hide = true)]
    plant: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A driver with the settings of its column.
struct Runner {
    column: Column,
    driver: Driver,
}

/// Measures and prints; a wrong answer of any driver is a failed check.
pub fn run(args: &KernelsArgs) -> Result<()> {
    let all = || KERNELS.into_iter().chain(SAMPLES);
    if let Some(unknown) = args.only.iter().find(|only| !all().any(|name| name == *only)) {
        let there: Vec<_> = all().collect();
        return Err(Failure::usage(format!("no kernel `{unknown}`; there are: {}", there.join(", "))));
    }
    args.gpu.config(lanes(args.wave.as_deref()))?;
    let programs = Programs::find()?;
    let mut runners = runners(args)?;
    let threads = args.threads.map(|n| n as usize);
    let threads = threads.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
    let mut limits = Limits::new(threads);

    let names: Vec<_> =
        all().filter(|name| args.only.is_empty() || args.only.iter().any(|only| only == name)).collect();
    let progress = indicatif::ProgressBar::new(names.len() as u64)
        .with_style(indicatif::ProgressStyle::with_template("{bar:30} {msg}").expect("a fixed template"));
    let mut kernels = Vec::new();
    for name in names {
        progress.set_message(name);
        kernels.push(row(&programs, name, &mut runners, &mut limits, args));
        progress.inc(1);
    }
    progress.finish_and_clear();

    let columns = runners.into_iter().map(|runner| runner.column).collect();
    let report = Report::new(args.seconds, args.turns, columns, limits, kernels);
    match args.json {
        true => println!("{}", serde_json::to_string_pretty(&report).expect("plain data")),
        false => print!("{report}"),
    }
    let failures = report.failures();
    if failures.is_empty() { Ok(()) } else { Err(Failure::Check(failures.join("\n"))) }
}

/// This driver, as it is and restricted, and the other one.
fn runners(args: &KernelsArgs) -> Result<Vec<Runner>> {
    let mut out = Vec::new();
    for host in std::iter::once(None).chain(args.host.iter().map(Some)) {
        let mut driver = Driver::wavepipe(args.icd.as_deref(), args.wave.as_deref())?;
        driver.on(&args.gpu);
        if let Some(host) = host {
            driver.set(HOST, host);
        }
        if let Some(threads) = args.threads {
            driver.set("WAVEPIPE_THREADS", &threads.to_string());
        }
        let label = host.map_or_else(|| driver.label.to_owned(), |host| format!("{} {host}", driver.label));
        out.push(Runner { column: Column { label, host: host.cloned(), ours: true, device: None }, driver });
    }
    if args.alone {
        return Ok(out);
    }
    let Some(manifest) = args.beside.clone().or_else(measure::lavapipe) else {
        eprintln!("lavapipe is not installed (Debian: mesa-vulkan-drivers); measuring this driver alone");
        return Ok(out);
    };
    let mut driver = Driver::warm(&manifest)?;
    if let Some(threads) = args.threads {
        driver.set("LP_NUM_THREADS", &threads.to_string());
    }
    let other =
        args.beside.as_deref().and_then(|path| path.file_stem()).map(|stem| stem.to_string_lossy().into_owned());
    let label = other.unwrap_or_else(|| "lavapipe".to_owned());
    out.push(Runner { column: Column { label, host: None, ours: false, device: None }, driver });
    Ok(out)
}

/// What the runs of one kernel on one driver have told so far.
#[derive(Default)]
struct Told {
    times: Vec<f64>,
    digest: Option<String>,
    failed: Option<String>,
}

/// One kernel on every driver in turns, and the host's limit in the same turns. What fails has no times.
fn row(programs: &Programs, name: &str, runners: &mut [Runner], limits: &mut Limits, args: &KernelsArgs) -> KernelRow {
    let mut told: Vec<Told> = runners.iter().map(|_| Told::default()).collect();
    let mut kernel = KernelRow::new(name);
    for turn in 0..args.turns {
        for (runner, told) in runners.iter_mut().zip(&mut told).filter(|(_, told)| told.failed.is_none()) {
            match once(programs, name, runner, turn == 0, args) {
                Ok(json) => {
                    told.take(&json);
                    kernel.describe(&json);
                    runner.column.device = json["device"].as_str().map(str::to_owned);
                }
                Err(error) => told.failed = Some(error.to_string()),
            }
        }
        match (kernel.fmas, kernel.bytes) {
            (Some(_), _) => limits.fmas(),
            (_, Some(bytes)) => limits.copies(bytes as usize / 2),
            _ => {}
        }
    }
    let digests: Vec<_> = told.iter().map(|told| told.digest.clone()).collect();
    let rival = runners.iter().position(|runner| !runner.column.ours);
    let timings = told.into_iter().map(|told| Timing::new(told.times, told.failed));
    kernel.timings = timings.collect();
    kernel.compare(rival, &digests);
    kernel
}

/// A process's answer, looked at in the first turn, and its times; a wrong answer is an error.
fn once(programs: &Programs, name: &str, runner: &Runner, check: bool, args: &KernelsArgs) -> Result<Value> {
    let milliseconds = (args.seconds.clamp(0.0, 3600.0) * 1e3 / f64::from(args.turns)).ceil().to_string();
    let mut flags = vec!["--steady", &milliseconds];
    let program = if KERNELS.contains(&name) {
        flags.push(name);
        flags.extend(args.small.then_some("--small"));
        "bench_kernels"
    } else {
        name
    };
    flags.extend((!check).then_some("--no-check"));
    flags.extend((args.plant && runner.column.ours).then_some("--plant"));
    let json = programs.told(program, &runner.driver, &flags)?;
    match (&json["good"], &json["steady"]["equal"]) {
        (Value::Bool(true), _) => Ok(json),
        (_, Value::Bool(false)) => Err(Failure::Check(format!("wrong on {}, after many times", runner.column.label))),
        _ => Err(Failure::Check(measure::wrong(&json, &runner.column.label))),
    }
}

impl Told {
    fn take(&mut self, json: &Value) {
        self.times.extend(json["steady"]["ms"].as_array().into_iter().flatten().filter_map(Value::as_f64));
        let digest = json["digest"].as_str().map(str::to_owned);
        if self.digest.is_some() && self.digest != digest {
            self.failed = Some("another answer in another turn".to_owned());
        }
        self.digest = digest;
    }
}
