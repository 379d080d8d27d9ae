//! What the machine's clock counted of a run: in all, by source line, by instruction.

mod json;
mod listing;
mod page;
mod summary;

use std::collections::BTreeMap;
use std::sync::Arc;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::timing::DispatchReport;
use wavepipe_runtime::timing::engine::InstrCounters;
use wavepipe_runtime::{CodeLine, ComputePipeline, Device, code_lines};

/// How much of it is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum View {
    /// Where the time went
    Summary,
    /// That, and what each source line cost
    Lines,
    /// That, and the machine code with what each instruction cost
    Isa,
}

/// One instruction of the kernel, over all waves.
struct InstrRow {
    /// Address of its kernel.
    kernel: u64,
    line: CodeLine,
    counters: InstrCounters,
}

/// The dispatches of some kernels on the clock.
pub struct Profile {
    machine: Arc<Machine>,
    dispatches: Vec<DispatchReport>,
    rows: Vec<InstrRow>,
}

impl Profile {
    /// Of the dispatches since last asked; `None` if the device's machine has no clock of its own.
    pub fn of(device: &Device, pipelines: &[Arc<ComputePipeline>]) -> Option<Profile> {
        let mut engine = device.timing()?;
        let mut counted = engine.profile();
        let mut rows = Vec::new();
        for pipeline in pipelines {
            let place = |line: &CodeLine| pipeline.address() + u64::from(line.offset);
            let row = |line: CodeLine| InstrRow {
                kernel: pipeline.address(),
                counters: counted.remove(&place(&line)).unwrap_or_default(),
                line,
            };
            rows.extend(code_lines(pipeline.code_object()).into_iter().map(row));
        }
        let mut dispatches = engine.reports();
        dispatches.retain(|d| pipelines.iter().any(|p| p.address() == d.code_va));
        Some(Profile { machine: device.config().machine.clone(), dispatches, rows })
    }

    pub fn machine(&self) -> &Arc<Machine> {
        &self.machine
    }

    /// Cycles of the dispatches, each from its launch to its end.
    pub fn cycles(&self) -> u64 {
        self.dispatches.iter().map(|d| d.ended - d.launched).sum()
    }

    pub fn text(&self, view: View) -> String {
        let mut out: String = self.dispatches.iter().map(|d| summary::text(&self.machine, d)).collect();
        match view {
            View::Summary => {}
            View::Lines => out += &listing::lines(self),
            View::Isa => out += &listing::instructions(self),
        }
        out
    }

    pub fn json(&self) -> serde_json::Value {
        json::value(self)
    }

    /// Sums by source line, in the order of the source; first, without one, what belongs to none.
    fn lines(&self) -> Vec<(Option<&str>, InstrCounters)> {
        let mut all = BTreeMap::new();
        for row in &self.rows {
            let source = row.line.source.as_deref();
            let place = source.and_then(|s| s.rsplit_once(':'));
            let place = place.map(|(file, line)| (file, line.parse::<u32>().unwrap_or(0)));
            let (_, sum) = all.entry(place).or_insert((source, InstrCounters::default()));
            sum.add(&row.counters);
        }
        all.into_values().collect()
    }
}

/// Cycles of waves that an instruction had: issues and what it waited for.
fn cycles(c: &InstrCounters) -> u64 {
    c.passes + c.stalls.iter().sum::<u64>()
}

/// Hits of all there were, if there were any.
fn rate(hits: u64, misses: u64) -> Option<f64> {
    (hits + misses > 0).then(|| hits as f64 / (hits + misses) as f64)
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
