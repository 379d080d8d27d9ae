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
use crate::gpu::{self, GpuArgs};
use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use wavepipe_runtime::hw::machine::Machine;

/// The command's examples.
const EXAMPLES: &str = "\
Examples:
  wavepipe bench machine
  wavepipe bench machine --gpu rx5500xt --json
  wavepipe bench machine --all
  wavepipe bench machine --gpu vega64,rx5700xt --only FP32,FP64

Without --gpu: the peaks of WAVEPIPE_MACHINE's card, and what is published of any card. Of several cards: their peaks in one table.
Peaks are FP32, FP64, LDS, L0, L1, L2, Infinity Cache and memory, of which a card has those that it has.";

#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct MachineArgs {
    #[command(flatten)]
    gpu: GpuArgs,
    /// The peaks of every machine, in one table; as --gpu all
    #[arg(long, conflicts_with = "gpu")]
    all: bool,
    /// Only the peaks
    #[arg(long)]
    peaks: bool,
    /// Only these peaks
    #[arg(long, value_name = "PEAK", value_delimiter = ',')]
    only: Vec<String>,
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

/// The machine to measure as the card of a name, if that is wanted.
type Wanted<'w> = dyn Fn(&str) -> Result<Option<Arc<Machine>>> + 'w;

/// A card that ships with wavepipe.
fn card(name: &str) -> Result<Arc<Machine>> {
    Machine::builtin(name).map(Arc::new).map_err(|e| Failure::Driver(e.to_string()))
}

/// The peaks of one machine of several.
#[derive(Serialize)]
struct MachinePeaks {
    machine: String,
    generation: &'static str,
    peaks: Vec<Peak>,
}

/// Measures and prints.
pub fn run(args: &MachineArgs) -> Result<()> {
    let known = || peaks::KINDS.iter().map(|kind| kind.name);
    if let Some(unknown) = args.only.iter().find(|name| !known().any(|known| known == name.as_str())) {
        let all: Vec<&str> = known().collect();
        return Err(Failure::usage(format!("--only: no peak `{unknown}`; there are: {}", all.join(", "))));
    }
    let wanted = |name: &str| args.only.is_empty() || args.only.iter().any(|only| only == name);
    let list = if args.all { Some("all") } else { args.gpu.gpu.as_deref().filter(|gpu| gpu::is_list(gpu)) };
    if let Some(list) = list {
        let rows = several(gpu::listed(list)?.into_iter().map(|(_, machine)| machine).collect(), &wanted)?;
        match args.json {
            true => println!(
                "{}",
                serde_json::to_string_pretty(&serde_json::json!({ "machines": rows })).expect("plain data")
            ),
            false => print!("{}", table(&rows)),
        }
        return Ok(());
    }
    let machine = args.gpu.config(None)?.machine;
    let peaks = peaks::measure(&machine, wanted)?;
    // A description may stand for a card by its name.
    let wanted = |name: &str| match &args.gpu.gpu {
        Some(_) => Ok(Some(machine.clone()).filter(|m| m.name == name)),
        None => card(name).map(Some),
    };
    let (latencies, rates) = match args.peaks || !args.only.is_empty() {
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

/// The peaks of each machine, on as many host threads as there are: a machine on its clock takes one.
fn several(machines: Vec<Arc<Machine>>, wanted: &(impl Fn(&str) -> bool + Sync)) -> Result<Vec<MachinePeaks>> {
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<Result<Vec<Peak>>>>> = machines.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some(i) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|i| *i < machines.len()) {
            *done[i].lock().unwrap_or_else(|e| e.into_inner()) = Some(peaks::measure(&machines[i], wanted));
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        (0..threads.min(machines.len())).for_each(|_| drop(scope.spawn(work)));
    });
    let rows = machines.iter().zip(done).map(|(machine, done)| {
        let peaks = done.into_inner().unwrap_or_else(|e| e.into_inner()).expect("each machine is taken by a thread")?;
        Ok(MachinePeaks { machine: machine.name.clone(), generation: machine.generation().name(), peaks })
    });
    rows.collect()
}

/// The machines' rows of each peak stand together.
fn table(rows: &[MachinePeaks]) -> String {
    let mut out = format!(
        "{:<15} {:<9} {:<10} {:>10} {:>10} {:>7}\n",
        "peak", "machine", "generation", "documented", "measured", "ratio"
    );
    for kind in &peaks::KINDS {
        for row in rows {
            for p in row.peaks.iter().filter(|p| p.name == kind.name) {
                let figures = format!("{:>10.3} {:>10.3} {:>7.3}  {}", p.documented, p.measured, p.ratio, p.unit);
                out += &format!("{:<15} {:<9} {:<10} {figures}\n", p.name, row.machine, row.generation);
            }
        }
    }
    out
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
