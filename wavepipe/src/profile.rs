//! What the machine's clock counted of a run: in all, by source line, by instruction.

pub mod figures;
mod page;

use std::collections::BTreeMap;
use std::sync::Arc;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::timing::DispatchReport;
use wavepipe_runtime::timing::engine::InstrCounters;
use wavepipe_runtime::{CodeLine, ComputePipeline, Device, code_lines};

/// One instruction of a kernel, over all waves.
pub struct InstrRow {
    /// Address of its kernel.
    pub kernel: u64,
    pub line: CodeLine,
    pub counters: InstrCounters,
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

    /// In the order in which they were launched.
    pub fn dispatches(&self) -> &[DispatchReport] {
        &self.dispatches
    }

    /// Kernel by kernel, in the order of their code.
    pub fn rows(&self) -> &[InstrRow] {
        &self.rows
    }

    /// Sums by source line, in the order of the source; first, without one, what belongs to none.
    pub fn lines(&self) -> Vec<(Option<&str>, InstrCounters)> {
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
pub fn cycles(c: &InstrCounters) -> u64 {
    c.passes + c.stalls.iter().sum::<u64>()
}

/// Hits of all there were, if there were any.
pub fn rate(hits: u64, misses: u64) -> Option<f64> {
    (hits + misses > 0).then(|| hits as f64 / (hits + misses) as f64)
}

/// Of nothing it is 0.
pub fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
