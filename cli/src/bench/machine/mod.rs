//! `wavepipe bench machine`: what the emulated card reaches on its clock, beside what is documented of it.
//!
//! Every number is of emulated time. [`peaks`] are shaders that go through the whole driver, beside rates that follow from the
//! machine's figures; none can be passed. [`chase`] and [`rates`] repeat what others measured on cards, mostly in assembly
//! ([`program`]), for these loops are theirs, not a compiler's. A row of those says where its figure is published, and, where
//! the two cannot be compared as they are, why.

mod chase;
mod peaks;
mod program;
mod rates;

use crate::failure::{Failure, Result};
use crate::gpu::GpuArgs;
use serde::Serialize;
use std::sync::Arc;
use wavepipe_runtime::hw::machine::Machine;

/// The command's examples.
const EXAMPLES: &str = "\
Examples:
  wavepipe bench machine
  wavepipe bench machine --gpu rx5500xt --json

Without --gpu: the peaks of WAVEPIPE_MACHINE's card, and what is published of any card.";

#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct MachineArgs {
    #[command(flatten)]
    gpu: GpuArgs,
    /// Only the peaks
    #[arg(long)]
    peaks: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A rate, and the highest that there can be.
#[derive(Clone, Debug, Serialize)]
struct Peak {
    name: &'static str,
    unit: &'static str,
    /// From the machine's figures.
    documented: f64,
    /// Work of a dispatch by its emulated time, from its packet to the end of its last store.
    measured: f64,
    ratio: f64,
}

/// What others measured or say, and what the emulated card takes for the same.
#[derive(Clone, Debug, Serialize)]
struct PublishedRow {
    name: String,
    card: &'static str,
    unit: &'static str,
    published: f64,
    measured: f64,
    ratio: f64,
    source: &'static str,
    /// Why the two may differ; empty where they are of the same.
    explanation: &'static str,
}

struct Measured {
    card: &'static str,
    unit: &'static str,
    published: f64,
    measured: f64,
    source: &'static str,
}

impl Measured {
    fn row(self, name: String, explanation: &'static str) -> PublishedRow {
        let Measured { card, unit, published, measured, source } = self;
        PublishedRow { name, card, unit, published, measured, ratio: measured / published, source, explanation }
    }
}

#[derive(Serialize)]
struct Report {
    peaks: Vec<Peak>,
    machine: String,
    latencies: Vec<PublishedRow>,
    rates: Vec<PublishedRow>,
}

/// A card that ships with wavepipe.
fn card(name: &str) -> Result<Arc<Machine>> {
    Machine::builtin(name).map(Arc::new).map_err(|e| Failure::Driver(e.to_string()))
}

/// Measures and prints.
pub fn run(args: &MachineArgs) -> Result<()> {
    let machine = args.gpu.config(None)?.machine;
    let peaks = peaks::measure(&machine)?;
    let wanted = |card: &str| args.gpu.gpu.is_none() || machine.name == card;
    let (latencies, rates) = match args.peaks {
        true => (Vec::new(), Vec::new()),
        false => (chase::rows(&wanted)?, rates::rows(&wanted)?),
    };
    let report = Report { peaks, machine: machine.name.clone(), latencies, rates };
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report).expect("plain data"));
    } else {
        print!("{}", text(&report));
    }
    Ok(())
}

fn text(report: &Report) -> String {
    let header = |what: &str, beside: &str| format!("{what:<38} {beside:>10} {:>10} {:>7}\n", "measured", "ratio");
    let mut out = format!("{}\n{}", report.machine, header("peak", "documented"));
    for p in &report.peaks {
        out += &format!("{:<38} {:>10.2} {:>10.2} {:>7.3}  {}\n", p.name, p.documented, p.measured, p.ratio, p.unit);
    }
    for (what, rows) in [("latency", &report.latencies), ("rate", &report.rates)] {
        if !rows.is_empty() {
            out += &format!("\n{}", header(what, "published"));
        }
        for r in rows {
            let why = if r.explanation.is_empty() { String::new() } else { format!("; {}", r.explanation) };
            let figures = format!("{:>10.2} {:>10.2} {:>7.3}", r.published, r.measured, r.ratio);
            out += &format!("{:<38} {figures}  {}, {} [{}{why}]\n", r.name, r.unit, r.card, r.source);
        }
    }
    out
}
