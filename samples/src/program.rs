//! The program around a sample: options, the check, what is printed, the exit code.

use crate::answer::{Answer, Comparison, Tolerance};
use crate::host::{BufferId, Error, Host, PipelineId, RecordingId, Shader, Step};
use crate::steady::{Kept, Steady, Work};
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
    /// Then repeat the work, all being made and warm, for so many milliseconds, and tell what each time took
    #[arg(long, value_name = "MS")]
    steady: Option<u32>,
    /// Spoil the answer before it is looked at, to see that this is noticed
    #[arg(long, hide = true)]
    plant: bool,
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
    run_with(sample, None, &Options::parse())
}

pub(crate) fn run_with(sample: &Sample, work: Option<Work>, options: &Options) -> ExitCode {
    match run(sample, work, options) {
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
    /// What was asked, where it is to be asked again.
    kept: Option<Kept>,
}

fn run(sample: &Sample, work: Option<Work>, options: &Options) -> Result<bool, Error> {
    let start = Instant::now();
    let inner: Box<dyn Host> = match options.host {
        HostName::Vulkan => Box::new(vulkan::Vulkan::open(sample.name)?),
        HostName::Runtime => Box::new(direct::Direct::open()?),
    };
    let times = Times { open: start.elapsed(), ..Times::default() };
    let mut host = Timed { inner, times, kept: options.steady.map(|_| Kept::default()) };
    let mut answer = (sample.run)(&mut host)?;
    if options.plant {
        answer.bytes.iter_mut().for_each(|byte| *byte = !*byte);
    }
    let steady = match (host.kept.take(), options.steady) {
        (Some(kept), Some(ms)) => Some(kept.again(&mut *host.inner, Duration::from_millis(ms.into()))?),
        _ => None,
    };

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
    let good = checks.iter().all(|(_, found)| found.good) && steady.as_ref().is_none_or(|steady| steady.equal);
    if options.json {
        let mut told = json(sample, &host, &checks, good);
        told["digest"] = format!("{:016x}", answer.digest()).into();
        told["work"] = work.map_or(serde_json::Value::Null, |work| match work {
            Work::Fmas(count) => serde_json::json!({ "fmas": count }),
            Work::Bytes(count) => serde_json::json!({ "bytes": count }),
        });
        told["steady"] = steady.as_ref().map_or(serde_json::Value::Null, |steady| {
            serde_json::json!({
                "ms": steady.times.iter().map(|time| ms(*time)).collect::<Vec<_>>(),
                "equal": steady.equal,
            })
        });
        println!("{told}");
    } else {
        print_lines(sample, &host, &checks);
        steady.iter().for_each(print_steady);
    }
    Ok(good)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn print_steady(steady: &Steady) {
    let mut times = steady.times.clone();
    times.sort();
    println!("  then {:.3} ms in the median of {} times", ms(times[times.len() / 2]), times.len());
    if !steady.equal {
        println!("  WRONG: the last answer is not the first");
    }
}

fn print_lines(sample: &Sample, host: &Timed, checks: &[(&str, Comparison)]) {
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
    serde_json::json!({
        "sample": sample.name,
        "device": host.device(),
        "subgroup_size": host.subgroup_size(),
        "tolerance": sample.tolerance.to_string(),
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

    fn buffer(&mut self, bytes: &[u8]) -> Result<BufferId, Error> {
        let buffer = self.inner.buffer(bytes)?;
        if let Some(kept) = &mut self.kept {
            kept.buffers.push((buffer, bytes.to_vec()));
        }
        Ok(buffer)
    }

    fn pipeline(&mut self, shader: &Shader) -> Result<PipelineId, Error> {
        let start = Instant::now();
        let made = self.inner.pipeline(shader);
        self.times.compile += start.elapsed();
        made
    }

    fn run(&mut self, steps: &[Step]) -> Result<(), Error> {
        if let Some(kept) = &mut self.kept {
            kept.steps.extend_from_slice(steps);
        }
        let start = Instant::now();
        let done = self.inner.run(steps);
        self.times.device += start.elapsed();
        done
    }

    fn prepare(&mut self, steps: &[Step]) -> Result<RecordingId, Error> {
        self.inner.prepare(steps)
    }

    fn submit(&mut self, recording: RecordingId) -> Result<(), Error> {
        self.inner.submit(recording)
    }

    fn write(&mut self, buffer: BufferId, bytes: &[u8]) -> Result<(), Error> {
        self.inner.write(buffer, bytes)
    }

    fn read(&mut self, buffer: BufferId) -> Result<Vec<u8>, Error> {
        let bytes = self.inner.read(buffer)?;
        if let Some(kept) = &mut self.kept {
            kept.answer = Some((buffer, bytes.clone()));
        }
        Ok(bytes)
    }

    fn wave_instructions(&self) -> Option<u64> {
        self.inner.wave_instructions()
    }
}
