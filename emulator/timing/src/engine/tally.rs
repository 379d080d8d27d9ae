//! Counters: of a dispatch, of a kernel over its dispatches, and of each instruction of code.

use super::spec::{UNITS, Unit};
use crate::memory::{Level, Sum, Tally, add_each};
use crate::reason::REASONS;
use std::collections::{BTreeMap, VecDeque};
use wavepipe_hw::perf::Event;
use wavepipe_isa::row::Class;

/// Kinds of instructions that are counted apart: as many as classes.
pub const CLASSES: usize = Class::ALL.len();

/// What waves of one dispatch did. In each cycle on the machine a wave issues one pass or does not, for one reason: `resident`
/// is `passes` and all `stalls`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    pub waves: u64,
    pub workgroups: u64,
    pub instructions: u64,
    /// Issues; an instruction of a wave64 that issues once for each half has two.
    pub passes: u64,
    /// By [`Class`].
    pub by_class: [u64; CLASSES],
    /// Lanes that were on, summed over vector and vector memory instructions, and how many those were.
    pub lanes: u64,
    pub lane_instructions: u64,
    /// Float operations of all lanes that were on: f16, f32, f64. A fused one is two.
    pub float_ops: [u64; 3],
    /// Cycles that units were kept busy, by `Unit`; summed over their number in the machine.
    pub busy: [u64; UNITS],
    /// Cycles that waves could not issue, by `Reason`.
    pub stalls: [u64; REASONS],
    /// Cycles that waves were resident, summed.
    pub resident: u64,
    /// Vector memory instructions that return nothing.
    pub vector_stores: u64,
    /// What vector memory, scalar memory, LDS and instruction fetch met.
    pub vector: Sum,
    pub scalar: Sum,
    pub lds: Sum,
    pub fetch: Sum,
}

impl Counters {
    pub fn add(&mut self, other: &Counters) {
        self.waves += other.waves;
        self.workgroups += other.workgroups;
        self.instructions += other.instructions;
        self.passes += other.passes;
        add_each(&mut self.by_class, &other.by_class);
        self.lanes += other.lanes;
        self.lane_instructions += other.lane_instructions;
        add_each(&mut self.float_ops, &other.float_ops);
        add_each(&mut self.busy, &other.busy);
        add_each(&mut self.stalls, &other.stalls);
        self.resident += other.resident;
        self.vector_stores += other.vector_stores;
        self.vector.merge(&other.vector);
        self.scalar.merge(&other.scalar);
        self.lds.merge(&other.lds);
        self.fetch.merge(&other.fetch);
    }
}

impl Counters {
    /// What a performance counter reads in a cycle, of all that waves have done by then and `memory`.
    pub fn event(&self, event: Event, now: u64, memory: &Tally) -> u64 {
        let class = |of: &[Class]| of.iter().map(|c| self.by_class[*c as usize]).sum();
        let shared = |level: Level, missed: bool| {
            let sums = [&self.vector, &self.scalar, &self.fetch];
            let hits: u64 = sums.iter().map(|s| s.hits[level as usize]).sum();
            let misses: u64 = sums.iter().map(|s| s.misses[level as usize]).sum();
            if missed { misses } else { hits + misses }
        };
        match event {
            Event::Active => now,
            Event::Waves => self.waves,
            Event::Instructions => self.instructions,
            Event::LdsInstructions => class(&[Class::Lds]),
            Event::ScalarInstructions => class(&[Class::Salu]),
            Event::ScalarMemoryInstructions => class(&[Class::Smem]),
            Event::VectorInstructions => class(&[Class::Valu, Class::Trans, Class::MulWide, Class::Double]),
            Event::VectorLoads => self.vector.requests - self.vector_stores,
            Event::VectorStores => self.vector_stores,
            Event::VectorCycles => self.busy[Unit::Main as usize],
            Event::L0Requests => self.vector.hits[0] + self.vector.misses[0],
            Event::L0Misses => self.vector.misses[0],
            Event::L1Requests => shared(Level::L1, false),
            Event::L1Misses => shared(Level::L1, true),
            Event::L2Requests => shared(Level::L2, false),
            Event::L2Misses => shared(Level::L2, true),
            Event::Writes32 => memory.memory_written / 32,
            Event::Reads128 => memory.memory_read / 128,
        }
    }
}

/// One instruction of code, over all waves that executed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstrCounters {
    pub issued: u64,
    pub passes: u64,
    /// Lanes that were on, summed, of a vector or vector memory instruction.
    pub lanes: u64,
    /// How often it was one of those.
    pub lane_instructions: u64,
    /// As those of [`Counters`].
    pub float_ops: u64,
    pub stalls: [u64; REASONS],
    pub met: Sum,
}

impl InstrCounters {
    pub fn add(&mut self, other: &InstrCounters) {
        self.issued += other.issued;
        self.passes += other.passes;
        self.lanes += other.lanes;
        self.lane_instructions += other.lane_instructions;
        self.float_ops += other.float_ops;
        add_each(&mut self.stalls, &other.stalls);
        self.met.merge(&other.met);
    }
}

/// Spans of a dispatch's time.
pub const SPANS: usize = 64;

/// How full the machine was over a dispatch's time: cycles that waves were there, in equal spans from its launch on. When time
/// outgrows them, two become one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Cycles of a span.
    pub span: u64,
    pub resident: [u64; SPANS],
}

impl Default for Occupancy {
    fn default() -> Self {
        Occupancy { span: 16, resident: [0; SPANS] }
    }
}

impl Occupancy {
    /// A wave was there from `from` until before `to`, in cycles since the launch.
    pub fn add(&mut self, from: u64, to: u64) {
        while to > self.span * SPANS as u64 {
            let (pairs, _) = self.resident.as_chunks::<2>();
            let halves: Vec<u64> = pairs.iter().map(|p| p[0] + p[1]).collect();
            self.resident.fill(0);
            self.resident[..SPANS / 2].copy_from_slice(&halves);
            self.span *= 2;
        }
        let mut at = from;
        while at < to {
            let (place, end) = ((at / self.span) as usize, (at / self.span + 1) * self.span);
            self.resident[place] += end.min(to) - at;
            at = end;
        }
    }
}

/// What a dispatch took, and did.
#[derive(Clone, Debug)]
pub struct DispatchReport {
    /// Counts up from 0.
    pub number: u64,
    /// The queue's number in the machine.
    pub queue: usize,
    pub code_va: u64,
    /// Cycles: when its packet was read, and when its last wave had ended and its last store arrived.
    pub launched: u64,
    pub ended: u64,
    pub counters: Counters,
    pub occupancy: Occupancy,
    /// Bytes that memory's channels read and wrote meanwhile, whoever asked.
    pub memory: [u64; 2],
}

/// All ended dispatches of one kernel.
#[derive(Clone, Debug, Default)]
pub struct KernelReport {
    pub dispatches: u64,
    /// From launch to end, summed.
    pub cycles: u64,
    pub counters: Counters,
}

/// Reports and kernels that are kept.
pub const REPORTS: usize = 1024;
pub const KERNELS: usize = 1024;

/// What is known of ended dispatches, within bounds.
#[derive(Default)]
pub struct Ledger {
    reports: VecDeque<DispatchReport>,
    kernels: BTreeMap<u64, KernelReport>,
    others: KernelReport,
    total: Counters,
}

impl Ledger {
    /// Notes a dispatch that ended.
    pub fn note(&mut self, report: DispatchReport) {
        self.total.add(&report.counters);
        let room = self.kernels.len() < KERNELS || self.kernels.contains_key(&report.code_va);
        let kernel = if room { self.kernels.entry(report.code_va).or_default() } else { &mut self.others };
        kernel.dispatches += 1;
        kernel.cycles += report.ended - report.launched;
        kernel.counters.add(&report.counters);
        if self.reports.len() == REPORTS {
            self.reports.pop_front();
        }
        self.reports.push_back(report);
    }

    /// Of all dispatches that ended.
    pub fn total(&self) -> &Counters {
        &self.total
    }

    pub fn take_reports(&mut self) -> Vec<DispatchReport> {
        std::mem::take(&mut self.reports).into()
    }

    /// By address of their code; last, with none, those for which there was no room.
    pub fn kernels(&self) -> impl Iterator<Item = (Option<u64>, &KernelReport)> {
        let others = (self.others.dispatches > 0).then_some((None, &self.others));
        self.kernels.iter().map(|(va, kernel)| (Some(*va), kernel)).chain(others)
    }
}
