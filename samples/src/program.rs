//! The program around a sample: options, the check, what is printed, the exit code.

use crate::answer::{Answer, Comparison, Tolerance};
use crate::host::{Error, Host};
use crate::{direct, picture, vulkan};
use clap::{Parser, ValueEnum};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A sample: what to run, what is right, how near is near enough.
pub struct Sample {
    pub name: &'static str,
    /// What one run computes, for people.
    pub about: &'static str,
    pub run: fn(&mut dyn Host) -> Result<Answer, Error>,
    /// The same, computed plainly on the CPU.
    pub reference: fn() -> Answer,
    pub tolerance: Tolerance,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum HostName {
    /// The Vulkan loader's first device (choose a driver with VK_DRIVER_FILES).
    Vulkan,
    /// The wavepipe runtime in this process.
    Runtime,
}

/// A compute program that checks its answer.
#[derive(Debug, Parser)]
#[command(after_help = "Exit code: 0 right, 1 wrong, 2 usage, 3 the driver failed.")]
pub(crate) struct Options {
    /// Where the shader runs
    #[arg(long, value_enum, default_value = "vulkan")]
    host: HostName,
    /// Write the picture (samples that make one)
    #[arg(long, value_name = "FILE.png")]
    out: Option<String>,
    /// Write the answer's bytes
    #[arg(long, value_name = "FILE")]
    raw: Option<String>,
    /// Also compare with bytes that another device wrote with --raw
    #[arg(long, value_name = "FILE")]
    against: Option<String>,
    /// Compare with nothing (for timing)
    #[arg(long)]
    no_check: bool,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

/// What one run took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Instance, device and queue.
    pub open: Duration,
    /// Compiling pipelines.
    pub compile: Duration,
    /// From submission until the device was done, over all submissions.
    pub device: Duration,
}

/// A sample's `main`.
pub fn main(sample: &Sample) -> ExitCode {
    run_with(sample, &Options::parse())
}

pub(crate) fn run_with(sample: &Sample, options: &Options) -> ExitCode {
    match run(sample, options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{}: {error}", sample.name);
            ExitCode::from(3)
        }
    }
}

/// A host that measures what passes through it.
struct Timed {
    inner: Box<dyn Host>,
    times: Times,
}

fn run(sample: &Sample, options: &Options) -> Result<bool, Error> {
    let start = Instant::now();
    let inner: Box<dyn Host> = match options.host {
        HostName::Vulkan => Box::new(vulkan::Vulkan::open(sample.name)?),
        HostName::Runtime => Box::new(direct::Direct::open()?),
    };
    let mut host = Timed { inner, times: Times { open: start.elapsed(), ..Times::default() } };
    let answer = (sample.run)(&mut host)?;

    if let Some(path) = &options.raw {
        std::fs::write(path, &answer.bytes).map_err(|e| Error::File { path: path.clone(), why: e.to_string() })?;
    }
    if let Some(path) = &options.out {
        let size = answer.size.ok_or_else(|| Error::File {
            path: path.clone(),
            why: format!("{} makes no picture; use --raw for its bytes", sample.name),
        })?;
        picture::write(path, &answer.bytes, size)?;
    }
    let mut checks = Vec::new();
    if !options.no_check {
        checks.push(("the CPU", sample.tolerance.compare(&answer.bytes, &(sample.reference)().bytes)));
    }
    if let Some(path) = &options.against {
        let other = std::fs::read(path).map_err(|e| Error::File { path: path.clone(), why: e.to_string() })?;
        checks.push(("the other device", sample.tolerance.between_devices().compare(&answer.bytes, &other)));
    }
    let good = checks.iter().all(|(_, found)| found.good);
    if options.json {
        println!("{}", json(sample, &host, &checks, good));
    } else {
        print_lines(sample, &host, &checks);
    }
    Ok(good)
}

fn print_lines(sample: &Sample, host: &Timed, checks: &[(&str, Comparison)]) {
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    println!(
        "{}: {} on {} (subgroups of {}), {:.1} ms on the device",
        sample.name,
        sample.about,
        host.device(),
        host.subgroup_size(),
        ms(host.times.device)
    );
    for (who, found) in checks {
        if found.good {
            println!(
                "  {} values agree with {who}, {} (largest difference {})",
                found.compared, sample.tolerance, found.worst
            );
        } else {
            let first = found.first.as_deref().unwrap_or("");
            println!("  WRONG: {} of {} values differ from {who}, {first}", found.off, found.compared);
        }
    }
}

fn json(sample: &Sample, host: &Timed, checks: &[(&str, Comparison)], good: bool) -> serde_json::Value {
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    serde_json::json!({
        "sample": sample.name,
        "device": host.device(),
        "subgroup_size": host.subgroup_size(),
        "good": good,
        "checks": checks.iter().map(|(who, found)| serde_json::json!({
            "against": who,
            "compared": found.compared,
            "off": found.off,
            "worst": if found.worst.is_finite() { Some(found.worst) } else { None },
            "first": found.first,
        })).collect::<Vec<_>>(),
        "ms": {
            "open": ms(host.times.open),
            "compile": ms(host.times.compile),
            "device": ms(host.times.device),
        },
        "wave_instructions": host.wave_instructions(),
        "peak_memory_bytes": peak_memory(),
    })
}

/// The most memory that this process had, where Linux says it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

impl Host for Timed {
    fn device(&self) -> &str {
        self.inner.device()
    }

    fn subgroup_size(&self) -> u32 {
        self.inner.subgroup_size()
    }

    fn buffer(&mut self, bytes: &[u8]) -> Result<crate::host::BufferId, Error> {
        self.inner.buffer(bytes)
    }

    fn pipeline(&mut self, shader: &crate::host::Shader) -> Result<crate::host::PipelineId, Error> {
        let start = Instant::now();
        let made = self.inner.pipeline(shader);
        self.times.compile += start.elapsed();
        made
    }

    fn run(&mut self, steps: &[crate::host::Step]) -> Result<(), Error> {
        let start = Instant::now();
        let done = self.inner.run(steps);
        self.times.device += start.elapsed();
        done
    }

    fn read(&mut self, buffer: crate::host::BufferId) -> Result<Vec<u8>, Error> {
        self.inner.read(buffer)
    }

    fn wave_instructions(&self) -> Option<u64> {
        self.inner.wave_instructions()
    }
}
