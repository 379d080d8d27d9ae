//! The five rates that a card is sold by, each by a shader that does little else.
//!
//! A shader runs twice, and the second time counts: the first, which is short, fills the caches. Bytes are those that lanes
//! asked for, less what a level above had by chance. What is read is made for its level: of L0, 8 KB in each compute unit, always the same; of L1, 80 KB that all
//! share, half of which each compute unit reads in turn and its L0 does not hold; of L2, more than half of it, each work-group
//! somewhere else; of memory, all but once.

use super::Peak;
use crate::failure::{Failure, Result};
use std::path::Path;
use std::sync::Arc;
use wavepipe::shader;
use wavepipe::work::config_on;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::simple::Session;
use wavepipe_runtime::timing::DispatchReport;
use wavepipe_runtime::timing::memory::Level;
use wavepipe_runtime::{Buffer, CommandBuffer, Config, DescriptorPool, SubmitInfo, WaveSize};

/// Loads of a work-item in a round of `stream.wgsl`, its work-items, and bytes of a load.
const LOADS: u64 = 5;
const ITEMS: u64 = 1024;
const VECTOR: u64 = 16;
/// Multiply-adds of a work-item in a round of `fma.wgsl`, its work-items, and rounds.
const FMAS: u64 = 128;
const FMA_ITEMS: u64 = 256;
const FMA_ROUNDS: u64 = 12;
/// Cycles beside which launch and ramp-up do not count; of L2 and memory, whose host time is less, more.
const CYCLES: f64 = 160_000.0;
const LONG: f64 = 400_000.0;

/// What `stream.wgsl` reads.
struct Stream {
    name: &'static str,
    level: Level,
    /// Bytes a second.
    documented: f64,
    /// Cycles that the dispatch takes at that rate.
    cycles: f64,
    /// Work-groups of a work-group processor, one after the other or, with two, beside each other.
    groups: u64,
    /// Bytes from one load of a work-item to the next.
    step: u64,
    /// Regions, of a round each, that the work-groups go round in.
    regions: u64,
    /// Regions from one work-group's first to the next's.
    first: u64,
    /// Rounds between two meetings, less one.
    meet: u32,
    /// Rounds that fill the caches.
    before: u64,
}

const ROUND: u64 = LOADS * ITEMS * VECTOR;
const NEVER: u32 = u32::MAX;

/// Measures the five.
pub fn measure(machine: &Arc<Machine>) -> Result<Vec<Peak>> {
    let step = ITEMS * VECTOR;
    let l0 = Stream {
        name: "L0 bandwidth",
        level: Level::L0,
        documented: machine.l0_bandwidth(),
        cycles: CYCLES,
        groups: 12,
        step: 0,
        regions: 1,
        first: 0,
        meet: NEVER,
        before: 1,
    };
    // Two work-groups would share an L0.
    let (name, documented) = ("L1 bandwidth", machine.l1_bandwidth().unwrap_or(0.0));
    let l1 = Stream { name, level: Level::L1, documented, groups: 1, step, meet: 15, ..l0 };
    let half = machine.l2.bytes.value * machine.l2.instances.value / ROUND;
    let regions = 1 << half.ilog2();
    let (name, documented) = ("L2 bandwidth", machine.l2_bandwidth());
    let l2 = Stream { name, level: Level::L2, documented, cycles: LONG, regions, first: 1, before: 2, ..l1 };
    let (name, documented) = ("memory bandwidth", machine.memory_bandwidth());
    let memory = Stream { name, level: Level::Memory, documented, cycles: LONG, groups: 2, before: 0, ..l1 };
    let first = memory.rounds(machine);
    let regions = (first * memory.groups * machine.wgps()).next_power_of_two();
    let memory = Stream { first, regions, ..memory };
    let mut peaks = vec![fma(machine)?];
    for stream in [l0, l1, l2, memory].into_iter().filter(|s| s.documented > 0.0) {
        peaks.push(stream.measure(machine)?);
    }
    Ok(peaks)
}

/// Emulated time from a dispatch's packet to the end of its last store.
pub fn seconds(report: &DispatchReport, machine: &Machine) -> f64 {
    (report.ended - report.launched) as f64 / machine.shader_hz()
}

/// Rates in units of 10^12 a second.
fn peak(name: &'static str, unit: &'static str, documented: f64, measured: f64) -> Peak {
    Peak { name, unit, documented: documented / 1e12, measured: measured / 1e12, ratio: measured / documented }
}

fn fma(machine: &Arc<Machine>) -> Result<Peak> {
    // Short work-groups, many times as many as there is room for: none is left to run alone for long.
    let simds = machine.wgps() * machine.simds_per_wgp();
    let waves = simds as f64 * CYCLES / (FMA_ROUNDS * FMAS) as f64;
    let groups = (waves * machine.simd.lanes.value as f64 / FMA_ITEMS as f64).ceil() as u64;
    let job = Job {
        name: "fma.wgsl",
        source: include_str!("fma.wgsl"),
        buffers: vec![groups * FMA_ITEMS * 4],
        before: vec![0],
        push: vec![FMA_ROUNDS as u32],
        groups,
    };
    let operations = 2 * FMAS * FMA_ITEMS * FMA_ROUNDS * groups;
    Ok(peak("FP32", "TFLOP/s", machine.peak_flops(), operations as f64 / seconds(&job.run(machine)?, machine)))
}

impl Stream {
    /// Of each work-group.
    fn rounds(&self, machine: &Machine) -> u64 {
        let all = (machine.wgps() * self.groups * ROUND) as f64;
        (self.cycles * self.documented / machine.shader_hz() / all).ceil().max(1.0) as u64
    }

    fn measure(&self, machine: &Arc<Machine>) -> Result<Peak> {
        let (groups, rounds) = (machine.wgps() * self.groups, self.rounds(machine));
        let vectors = |bytes: u64| (bytes / VECTOR) as u32;
        let push = |rounds: u64| {
            let mask = self.regions as u32 - 1;
            vec![rounds as u32, vectors(self.step), vectors(ROUND), self.first as u32, mask, self.meet]
        };
        let job = Job {
            name: "stream.wgsl",
            source: include_str!("stream.wgsl"),
            buffers: vec![self.regions * ROUND, groups * ITEMS * VECTOR],
            before: push(self.before),
            push: push(rounds),
            groups,
        };
        let report = job.run(machine)?;
        let bytes = (groups * rounds * ROUND).min(report.counters.vector.bytes[self.level as usize]);
        Ok(peak(self.name, "TB/s", self.documented, bytes as f64 / seconds(&report, machine)))
    }
}

/// A shader with what it needs.
pub struct Job {
    pub name: &'static str,
    pub source: &'static str,
    /// Bytes of the buffer at each binding.
    pub buffers: Vec<u64>,
    /// Push constants of a dispatch that comes before, and of the one whose time counts.
    pub before: Vec<u32>,
    pub push: Vec<u32>,
    pub groups: u64,
}

impl Job {
    /// What the second dispatch took and did.
    pub fn run(&self, machine: &Arc<Machine>) -> Result<DispatchReport> {
        let least = WaveSize::least(machine.generation());
        let config = Config { timing: true, ..config_on(Some(machine.clone()), Some(least.lanes()))? };
        let session = Session::new(&config)?;
        let pipeline = session.pipeline(&shader::wgsl(self.source, Path::new(self.name))?, None, &[], None)?;
        let layout = pipeline.layout();
        let pool = DescriptorPool::new(session.device(), 1, u32::MAX);
        let set = pool.allocate(&layout.sets()[0])?;
        // Sets do not hold buffers.
        let mut buffers = Vec::new();
        for (binding, bytes) in (0..).zip(&self.buffers) {
            let buffer = Buffer::with_memory(session.device(), *bytes)?;
            set.write_buffer(binding, 0, &buffer, 0, Some(*bytes))?;
            buffers.push(buffer);
        }
        let mut commands = CommandBuffer::new(session.device());
        commands.begin();
        commands.bind_pipeline(&pipeline);
        commands.bind_descriptor_sets(layout, 0, &[set], &[]);
        for push in [&self.before, &self.push] {
            if !push.is_empty() {
                commands.push_constants(0, bytemuck::cast_slice(push));
            }
            commands.dispatch([self.groups as u32, 1, 1]);
            commands.pipeline_barrier();
        }
        commands.end()?;
        let info = SubmitInfo { command_buffers: vec![commands.recording()?], ..Default::default() };
        session.queue().submit(&info, None)?;
        session.queue().wait_idle()?;
        let report = session.device().timing().and_then(|mut engine| engine.reports().pop());
        let report = report.ok_or_else(|| Failure::Driver(format!("{}: the dispatch left no report", self.name)))?;
        Ok(report)
    }
}
