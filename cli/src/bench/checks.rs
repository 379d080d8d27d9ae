//! `wavepipe bench checks`: what each check of guest code costs, beside a plain run.
//!
//! Each sample runs through the runtime, in a process of its own: without checks, then with each of them, in turns, host code
//! off throughout, since checked code has none. Its answer is checked, and time is the device's, from submission to the
//! end, compiling left out. A sample that a check has something to say of is a failed check: they are all sound.

use super::measure::{self, Programs};
use super::{SAMPLES, known};
use crate::failure::{Failure, Result};
use crate::gpu::GpuArgs;
use serde::Serialize;
use wavepipe_runtime::GuestChecks;

/// How many times as long the samples may take with a check, in the geometric mean, on one host thread.
const LIMITS: &[(&str, f64)] = &[("mem", 2.0), ("init", 3.0), ("race", 8.0), ("all", 12.0)];

#[derive(clap::Args, Debug)]
#[command(
    after_help = "Build first: cargo build --release --workspace --examples\nExample:\n  wavepipe bench checks --only saxpy,fft --check race,all --json"
)]
pub struct ChecksArgs {
    /// Only these samples (all by default)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Only these checks (each by itself, and all together by default)
    #[arg(long, value_name = "CHECK", value_delimiter = ',')]
    check: Vec<String>,
    /// Timed runs of each sample with each check; their median counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Host threads; 0 = all. With races looked for, one runs the work-groups, however many there are
    #[arg(long, default_value_t = 1)]
    threads: u32,
    #[command(flatten)]
    gpu: GpuArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    runs: u32,
    samples: Vec<CostRow>,
    checks: Vec<Mean>,
}

#[derive(Serialize)]
pub struct CostRow {
    pub name: &'static str,
    /// Without checks and host code.
    pub plain_ms: f64,
    /// Times as long, a check each, as in `Report::checks`.
    pub ratios: Vec<f64>,
}

#[derive(Debug, PartialEq, Serialize)]
pub struct Mean {
    pub check: &'static str,
    pub geometric_mean: f64,
    pub most: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
}

/// Measures and prints; a wrong answer, a finding, or a mean over its limit is a failed check.
pub fn run(args: &ChecksArgs) -> Result<()> {
    known(&args.only)?;
    args.gpu.config(None)?;
    let checks = checks(&args.check)?;
    let programs = Programs::find()?;
    let wanted = |name: &&str| args.only.is_empty() || args.only.iter().any(|only| only == name);
    let samples = SAMPLES.into_iter().filter(wanted);
    let samples = samples.map(|name| row(&programs, name, &checks, args)).collect::<Result<Vec<_>>>()?;
    let report = Report { runs: args.runs, checks: means(&checks, &samples), samples };
    match args.json {
        true => println!("{}", serde_json::to_string_pretty(&report).expect("plain data")),
        false => print!("{}", text(&report)),
    }
    let over = |mean: &&Mean| mean.limit.is_some_and(|limit| mean.geometric_mean > limit);
    match report.checks.iter().find(over) {
        Some(mean) => Err(Failure::Check(format!(
            "{} takes {:.2} times as long as a plain run, and {} at most are wanted",
            mean.check,
            mean.geometric_mean,
            mean.limit.unwrap_or_default()
        ))),
        None => Ok(()),
    }
}

/// The checks' names, in the order of their table.
pub fn checks(only: &[String]) -> Result<Vec<&'static str>> {
    let names = GuestChecks::NAMES.iter().filter(|(_, check)| *check != GuestChecks::STOP).map(|(name, _)| *name);
    match only.iter().find(|only| !names.clone().any(|name| name == *only)) {
        Some(unknown) => {
            let there = names.collect::<Vec<_>>().join(", ");
            Err(Failure::usage(format!("no check `{unknown}`; there are: {there}")))
        }
        None => Ok(names.filter(|name| only.is_empty() || only.iter().any(|only| only == name)).collect()),
    }
}

fn row(programs: &Programs, name: &'static str, checks: &[&'static str], args: &ChecksArgs) -> Result<CostRow> {
    let once = |check: Option<&str>| {
        let mut environment = vec![("WAVEPIPE_JIT", "off".to_owned()), ("WAVEPIPE_THREADS", args.threads.to_string())];
        environment.extend(measure::variable(&args.gpu));
        environment.extend(check.map(|check| ("WAVEPIPE_CHECK", check.to_owned())));
        let done = programs.on_runtime(name, &environment)?;
        let label = check.map_or_else(|| name.to_owned(), |check| format!("{name} under {check}"));
        match (&done.wrong, done.said.trim()) {
            (Some(why), _) => Err(Failure::Check(format!("{label}: {why}"))),
            (None, "") => Ok(done.device_ms),
            (None, said) => Err(Failure::Check(format!("{label} says: {said}"))),
        }
    };
    let mut plain = Vec::new();
    let mut checked = vec![Vec::new(); checks.len()];
    for _ in 0..args.runs {
        plain.push(once(None)?);
        for (check, times) in checks.iter().zip(&mut checked) {
            times.push(once(Some(check))?);
        }
    }
    let plain_ms = measure::median(plain);
    Ok(CostRow { name, plain_ms, ratios: checked.into_iter().map(|times| measure::median(times) / plain_ms).collect() })
}

pub fn means(checks: &[&'static str], samples: &[CostRow]) -> Vec<Mean> {
    let mean = |(i, check): (usize, &&'static str)| {
        let ratios = samples.iter().map(|row| row.ratios[i]);
        Mean {
            check,
            geometric_mean: (ratios.clone().map(f64::ln).sum::<f64>() / samples.len() as f64).exp(),
            most: ratios.fold(0.0, f64::max),
            limit: LIMITS.iter().find(|(name, _)| name == check).map(|(_, limit)| *limit),
        }
    };
    checks.iter().enumerate().map(mean).collect()
}

fn text(report: &Report) -> String {
    let mut out = format!("{:<16} {:>10}", "sample", "plain ms");
    report.checks.iter().for_each(|mean| out += &format!(" {:>6}", mean.check));
    out += "   times as long\n";
    for row in &report.samples {
        out += &format!("{:<16} {:>10.1}", row.name, row.plain_ms);
        row.ratios.iter().for_each(|ratio| out += &format!(" {ratio:>6.2}"));
        out += "\n";
    }
    let mut last = |label: &str, of: &dyn Fn(&Mean) -> String| {
        out += &format!("{label:<27}");
        report.checks.iter().for_each(|mean| out += &format!(" {:>6}", of(mean)));
        out += "\n";
    };
    last("geometric mean", &|mean| format!("{:.2}", mean.geometric_mean));
    last("most", &|mean| format!("{:.2}", mean.most));
    last("wanted", &|mean| mean.limit.map_or(String::new(), |limit| limit.to_string()));
    out
}
