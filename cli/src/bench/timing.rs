//! `wavepipe bench timing`: how fast the machine on its clock runs the samples, beside the machine without one.
//!
//! Each sample runs through the runtime, in a process of its own, on one host thread either way; its answer is checked, and
//! the rate is of wave-instructions by the host's time from submission to the end.

use super::SAMPLES;
use super::measure::{Done, Programs, variable};
use crate::failure::{Failure, Result};
use crate::gpu::GpuArgs;
use serde::Serialize;

#[derive(clap::Args, Debug)]
#[command(
    after_help = "Build first: cargo build --release --workspace --examples\nExample:\n  wavepipe bench timing --only saxpy,fft --json"
)]
pub struct TimingArgs {
    /// Only these samples (all by default)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    #[command(flatten)]
    gpu: GpuArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    samples: Vec<RateRow>,
    /// Wave-instructions a second of one core, over the samples.
    geometric_mean: f64,
    least: f64,
}

#[derive(Serialize)]
struct RateRow {
    name: &'static str,
    wave_instructions: u64,
    seconds: f64,
    /// On the clock.
    per_second: f64,
    /// Without it.
    functional_per_second: f64,
    /// How many times as fast the machine without a clock is.
    ratio: f64,
    /// The most memory that the process had on the clock, and without it; 0 where the system does not say.
    memory_bytes: u64,
    functional_memory_bytes: u64,
}

/// Measures and prints; a wrong answer is a failed check.
pub fn run(args: &TimingArgs) -> Result<()> {
    super::known(&args.only)?;
    args.gpu.config(None)?;
    let programs = Programs::find()?;
    let wanted = |name: &&str| args.only.is_empty() || args.only.iter().any(|only| only == name);
    let samples =
        SAMPLES.into_iter().filter(wanted).map(|name| row(&programs, name, &args.gpu)).collect::<Result<Vec<_>>>()?;
    let rates = samples.iter().map(|s| s.per_second);
    let report = Report {
        geometric_mean: (rates.clone().map(f64::ln).sum::<f64>() / samples.len() as f64).exp(),
        least: rates.fold(f64::INFINITY, f64::min),
        samples,
    };
    match args.json {
        true => println!("{}", serde_json::to_string_pretty(&report).expect("plain data")),
        false => print!("{}", text(&report)),
    }
    Ok(())
}

fn row(programs: &Programs, name: &'static str, gpu: &GpuArgs) -> Result<RateRow> {
    let [timing, functional] = ["1", "0"].map(|on| {
        let environment = [("WAVEPIPE_TIMING", on), ("WAVEPIPE_THREADS", "1")].map(|(k, v)| (k, v.to_owned()));
        let environment: Vec<_> = environment.into_iter().chain(variable(gpu)).collect();
        let done = programs.on_runtime(name, &environment)?;
        match &done.wrong {
            Some(why) => Err(Failure::Check(format!("{name}, WAVEPIPE_TIMING={on}: {why}"))),
            None => Ok(done),
        }
    });
    let (timing, functional) = (timing?, functional?);
    let rate = |done: &Done| done.wave_instructions.unwrap_or(0) as f64 / (done.device_ms / 1e3);
    Ok(RateRow {
        name,
        wave_instructions: timing.wave_instructions.unwrap_or(0),
        seconds: timing.device_ms / 1e3,
        per_second: rate(&timing),
        functional_per_second: rate(&functional),
        ratio: rate(&functional) / rate(&timing),
        memory_bytes: timing.peak_memory_bytes,
        functional_memory_bytes: functional.peak_memory_bytes,
    })
}

fn text(report: &Report) -> String {
    let mut out = format!(
        "{:<16} {:>14} {:>9} {:>9} {:>14} {:>7} {:>9}\n",
        "sample", "instructions", "seconds", "M/s", "functional M/s", "ratio", "MB"
    );
    for s in &report.samples {
        let mega = |rate: f64| rate / 1e6;
        out += &format!(
            "{:<16} {:>14} {:>9.2} {:>9.2} {:>14.2} {:>7.1} {:>9}\n",
            s.name,
            s.wave_instructions,
            s.seconds,
            mega(s.per_second),
            mega(s.functional_per_second),
            s.ratio,
            s.memory_bytes >> 20
        );
    }
    let [mean, least] = [report.geometric_mean, report.least].map(|rate| rate / 1e6);
    out + &format!("wave-instructions a second of one core: geometric mean {mean:.2} M, least {least:.2} M\n")
}
