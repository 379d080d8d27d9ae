//! The model: a kernel on a machine, by rows.

use crate::occupancy::Occupancy;
use serde::Serialize;

/// A source line: number of the file in [`Sheet::files`], and line from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct SourceLine {
    pub file: u32,
    pub line: u32,
}

/// A kernel on a machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sheet {
    /// The file that it comes from, and the entry point.
    pub shader: String,
    pub entry: String,
    pub machine: String,
    pub product: String,
    pub isa: String,
    pub wave: u32,
    pub workgroup: [u32; 3],
    pub vgprs: u32,
    pub sgprs: u32,
    pub spilled_vgprs: u32,
    pub spilled_sgprs: u32,
    pub lds_bytes: u32,
    pub scratch_bytes: u32,
    pub code_bytes: u32,
    pub occupancy: Occupancy,
    /// The first instruction that takes the most registers: number in `code`.
    pub peak_vgprs: Option<Peak>,
    pub peak_sgprs: Option<Peak>,
    pub files: Vec<SourceFile>,
    pub ir: Vec<IrRow>,
    pub code: Vec<CodeRow>,
    pub branches: Vec<Branch>,
    pub waits: Vec<WaitRow>,
    /// What the clock counted, if it ran there.
    pub run: Option<Run>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Peak {
    pub row: u32,
    pub registers: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceFile {
    pub name: String,
    /// Its lines; empty where nobody has the text.
    pub lines: Vec<String>,
}

/// A line of the intermediate form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IrRow {
    pub text: String,
    pub source: Option<SourceLine>,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CodeRow {
    /// Bytes from the kernel's entry.
    pub offset: u32,
    pub words: Vec<u32>,
    pub text: String,
    /// Names in front of it: of a function, of the place that a branch goes to.
    pub function: Option<String>,
    pub label: Option<String>,
    pub source: Option<SourceLine>,
    /// Registers that it takes: live in front of it, or live or written behind it, whichever is more. Zero where it cannot be reached.
    pub vgprs: u32,
    pub sgprs: u32,
    /// What is live in front of it, as assembly names it.
    pub live: String,
    pub reached: bool,
}

/// A branch within the code, from row to row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Branch {
    pub from: u32,
    pub to: u32,
    /// It goes back: a loop.
    pub back: bool,
}

/// A wait, and the accesses that are done behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitRow {
    pub row: u32,
    pub counter: &'static str,
    pub at_most: u8,
    /// Rows, ascending.
    pub accesses: Vec<u32>,
}

/// What the clock counted, over all dispatches of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Run {
    pub dispatches: u64,
    pub groups: u64,
    pub waves: u64,
    pub cycles: u64,
    pub nanoseconds: f64,
    pub instructions: u64,
    /// Lanes that are on in a vector instruction, of those that a wave has; on average.
    pub lanes: Option<f64>,
    /// Of waves' cycles: issues first, then why they waited, the most first.
    pub spent: Vec<Spent>,
    /// What was reached of what the machine can.
    pub rates: Vec<Reached>,
    pub caches: Vec<Found>,
    /// By row of the code.
    pub rows: Vec<Cost>,
    pub timeline: Timeline,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spent {
    pub what: &'static str,
    pub cycles: u64,
}

/// A rate in its unit a second, beside the machine's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reached {
    pub name: &'static str,
    pub unit: &'static str,
    pub reached: f64,
    pub peak: f64,
}

/// Lookups of a cache.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    pub name: &'static str,
    pub hits: u64,
    pub misses: u64,
}

/// What one instruction cost, over all waves.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    pub issued: u64,
    /// Cycles that it issued in.
    pub issue_cycles: u64,
    /// Cycles that waves waited in front of it, by what for; the most first.
    pub stalls: Vec<Spent>,
    /// Lanes that were on, summed, and how often that was counted.
    pub lanes: u64,
    pub lane_instructions: u64,
    /// Accesses to memory or LDS, the cache lines that they touched, cycles of bank conflicts.
    pub requests: u64,
    pub lines: u64,
    pub conflicts: u64,
    /// Lookups of the nearest cache.
    pub hits: u64,
    pub misses: u64,
}

impl Cost {
    /// Cycles of waves: issues and waiting.
    pub fn cycles(&self) -> u64 {
        self.issue_cycles + self.stalls.iter().map(|s| s.cycles).sum::<u64>()
    }

    pub fn add(&mut self, other: &Cost) {
        for stall in &other.stalls {
            match self.stalls.iter_mut().find(|s| s.what == stall.what) {
                Some(mine) => mine.cycles += stall.cycles,
                None => self.stalls.push(stall.clone()),
            }
        }
        self.stalls.sort_by_key(|s| std::cmp::Reverse(s.cycles));
        self.issued += other.issued;
        self.issue_cycles += other.issue_cycles;
        self.lanes += other.lanes;
        self.lane_instructions += other.lane_instructions;
        self.requests += other.requests;
        self.lines += other.lines;
        self.conflicts += other.conflicts;
        self.hits += other.hits;
        self.misses += other.misses;
    }

    /// Lanes that are on, on average.
    pub fn lanes_on(&self) -> Option<f64> {
        (self.lane_instructions > 0).then(|| self.lanes as f64 / self.lane_instructions as f64)
    }

    /// Share of lookups that found their line.
    pub fn hit_rate(&self) -> Option<f64> {
        let all = self.hits + self.misses;
        (all > 0).then(|| self.hits as f64 / all as f64)
    }

    /// Cache lines of an access, on average.
    pub fn lines_each(&self) -> Option<f64> {
        (self.requests > 0 && self.lines > 0).then(|| self.lines as f64 / self.requests as f64)
    }
}

/// Which waves were where, and when.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Timeline {
    /// Cycles: from the first launch to the last end.
    pub begin: u64,
    pub end: u64,
    /// SIMDs of the machine, and waves that each has room for.
    pub simds: u32,
    pub slots: u32,
    pub spans: Vec<Span>,
    /// Waves that are not listed, for want of room.
    pub more: u64,
}

/// A wave in a slot of a SIMD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    pub simd: u32,
    pub slot: u32,
    pub group: u64,
    pub wave: u32,
    pub begin: u64,
    pub end: u64,
}

impl Sheet {
    /// Where an instruction comes from, as `FILE:LINE`.
    pub fn place(&self, source: SourceLine) -> String {
        let name = self.files.get(source.file as usize).map_or("", |f| f.name.as_str());
        format!("{name}:{}", source.line)
    }

    /// The text of a source line, without the space around it; nothing where it is not known.
    pub fn source_text(&self, source: SourceLine) -> &str {
        let file = self.files.get(source.file as usize);
        let line = file.and_then(|f| f.lines.get((source.line as usize).checked_sub(1)?));
        line.map_or("", |l| l.trim())
    }

    /// Sums over the rows of each source line, if it ran.
    pub fn line_costs(&self) -> std::collections::BTreeMap<SourceLine, Cost> {
        let mut out: std::collections::BTreeMap<SourceLine, Cost> = Default::default();
        for (row, cost) in self.code.iter().zip(self.run.iter().flat_map(|r| &r.rows)) {
            if let Some(source) = row.source {
                out.entry(source).or_default().add(cost);
            }
        }
        out
    }

    /// Waves' cycles over all instructions.
    pub fn all_cycles(&self) -> u64 {
        self.run.iter().flat_map(|r| &r.rows).map(Cost::cycles).sum()
    }
}
