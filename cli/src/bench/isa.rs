//! `wavepipe bench isa`: what the interpreter executes a second, by kind of instruction, and lane-FMA/s beside lavapipe.
//!
//! A kind's rate is of a wave32 loop on one host thread: sixteen (or sixteen pairs) of the instruction, and three of loop
//! control, all counted. The comparison runs the sample `bench_fma` through the Vulkan loader on each driver, in turns.

use super::measure::{self, Driver, Programs};
use crate::failure::{Failure, Result};
use serde::Serialize;
use wavepipe_runtime::rates;

/// Fused multiply-adds of one run of `bench_fma`: work-items times chain steps times chains.
const LANE_FMAS: f64 = (128 * 256) as f64 * (512 * 4 * 8) as f64;

#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  wavepipe bench isa --json")]
pub struct IsaArgs {
    /// Seconds for each kind
    #[arg(long, default_value_t = 0.2)]
    seconds: f64,
    /// Timed runs of the comparison; their median counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Leave the comparison out
    #[arg(long)]
    alone: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    /// One thread.
    rates: Vec<Kind>,
    /// Of the machine, all threads.
    lane_fma: Vec<LaneFma>,
}

#[derive(Serialize)]
struct Kind {
    name: &'static str,
    /// Millions of wave32 instructions a second.
    mega_per_second: f64,
    nanoseconds: f64,
}

#[derive(Serialize)]
struct LaneFma {
    driver: &'static str,
    device_ms: f64,
    giga_per_second: f64,
}

/// Measures and prints.
pub fn run(args: &IsaArgs) -> Result<()> {
    let seconds = args.seconds.clamp(0.0, 60.0);
    let mut failed = Vec::new();
    let mut kinds = Vec::new();
    for (rate, name) in rates::rates(seconds).into_iter().zip(rates::names()) {
        match rate {
            Some(rate) => kinds.push(Kind {
                name,
                mega_per_second: rate.per_second() / 1e6,
                nanoseconds: 1e9 / rate.per_second(),
            }),
            None => failed.push(name),
        }
    }
    let report = Report { rates: kinds, lane_fma: if args.alone { Vec::new() } else { lane_fma(args.runs)? } };
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report).expect("plain data"));
    } else {
        println!("{:<22} {:>8} {:>8}   wave32 instructions, one thread", "kind", "M/s", "ns");
        for k in &report.rates {
            println!("{:<22} {:>8.1} {:>8.2}", k.name, k.mega_per_second, k.nanoseconds);
        }
        for l in &report.lane_fma {
            println!("{:<22} {:>8.2} G lane-FMA/s on all threads ({:.1} ms)", l.driver, l.giga_per_second, l.device_ms);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure::Check(format!("did not run: {}", failed.join(", ")))) }
}

/// This driver and lavapipe (if it is there) in turns.
fn lane_fma(runs: u32) -> Result<Vec<LaneFma>> {
    let programs = Programs::find()?;
    let mut drivers = vec![Driver::wavepipe(None, None)?];
    match measure::lavapipe() {
        Some(manifest) => drivers.push(Driver::warm(&manifest)?),
        None => eprintln!("lavapipe is not installed (Debian: mesa-vulkan-drivers); measuring this driver alone"),
    }
    let mut times = vec![Vec::new(); drivers.len()];
    for run in 0..=runs {
        for (driver, times) in drivers.iter().zip(&mut times) {
            let done = programs.sample("bench_fma", driver, run == 0)?;
            if let Some(wrong) = done.wrong {
                return Err(Failure::Check(wrong));
            }
            // The first run fills caches.
            if run > 0 {
                times.push(done.device_ms);
            }
        }
    }
    Ok(drivers
        .iter()
        .zip(times)
        .map(|(driver, times)| {
            let device_ms = measure::median(times);
            LaneFma { driver: driver.label, device_ms, giga_per_second: LANE_FMAS / device_ms / 1e6 }
        })
        .collect())
}
