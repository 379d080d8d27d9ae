//! The rates that a card is sold by, each by a shader that does little else.
//!
//! A shader runs several times, one after the other; the first time, which is short, fills the caches. Of arithmetic and LDS two more
//! are compared, so that launch, ramp-up and the last work-groups' end do not count; of memory the last one counts. Bytes are those that lanes
//! asked for, less what a level above had by chance. What is read is made for its level: of L0, 8 KB in each compute unit, always the same; of L1, 80 KB that all
//! share, half of which each compute unit reads in turn and its L0 does not hold; of L2 and of an Infinity Cache, more than the levels above
//! hold, each work-group somewhere else; of memory, all but once.

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
/// Bytes that a work-group reads in a round.
const ROUND: u64 = LOADS * ITEMS * VECTOR;
/// Cycles beside which launch and ramp-up of what reads memory do not count; of L2 and memory, whose host time is less, more.
const CYCLES: f64 = 160_000.0;
const LONG: f64 = 400_000.0;

/// A peak by its name, and what measures it where the machine has such a thing.
pub struct Kind {
    pub name: &'static str,
    measure: fn(&Arc<Machine>) -> Result<Option<Peak>>,
}

/// In the order of the table.
pub const KINDS: [Kind; 8] = [
    Kind { name: "FP32", measure: |m| FMA.measure(m, m.peak_flops()).map(Some) },
    Kind { name: "FP64", measure: |m| FMA64.measure(m, m.peak_flops_double()).map(Some) },
    Kind { name: "LDS", measure: |m| LDS.measure(m, m.lds_bandwidth()).map(Some) },
    Kind { name: "L0", measure: |m| stream(m, l0(m)) },
    Kind { name: "L1", measure: |m| l1(m).map_or(Ok(None), |l1| stream(m, l1)) },
    Kind { name: "L2", measure: |m| stream(m, l2(m)) },
    Kind { name: "Infinity Cache", measure: |m| mall(m).map_or(Ok(None), |mall| stream(m, mall)) },
    Kind { name: "memory", measure: |m| stream(m, memory(m)) },
];

/// Measures those that are wanted, of those that the machine has.
pub fn measure(machine: &Arc<Machine>, wanted: impl Fn(&str) -> bool) -> Result<Vec<Peak>> {
    let kinds = KINDS.iter().filter(|kind| wanted(kind.name));
    kinds.filter_map(|kind| (kind.measure)(machine).transpose()).collect()
}

/// Emulated time from a dispatch's packet to the end of its last store.
pub fn seconds(report: &DispatchReport, machine: &Machine) -> f64 {
    (report.ended - report.launched) as f64 / machine.shader_hz()
}

/// Rates in units of 10^12 a second.
fn peak(name: &'static str, unit: &'static str, documented: f64, measured: f64) -> Peak {
    Peak { name, unit, documented: documented / 1e12, measured: measured / 1e12, ratio: measured / documented }
}

/// A shader that keeps one unit busy: its work-items of a work-group do so much in a round.
struct Unit {
    name: &'static str,
    file: &'static str,
    words: fn(&Path) -> Result<Vec<u32>>,
    unit: &'static str,
    /// Operations or bytes of a work-item in a round.
    work: u64,
    /// Work-items do so many rounds.
    rounds: u64,
    /// How many times the machine is full of work-groups, of the shorter and the longer dispatch.
    fills: [u64; 2],
    /// Bytes of a work-item's result.
    result: u64,
}

/// Work-items of a work-group of these.
const UNIT_ITEMS: u64 = 256;

const FMA: Unit = Unit {
    name: "FP32",
    file: "fma.wgsl",
    words: |path| shader::wgsl(include_str!("fma.wgsl"), path),
    unit: "TFLOP/s",
    work: 2 * 128,
    rounds: 4,
    fills: [1, 3],
    result: 4,
};

const FMA64: Unit = Unit {
    name: "FP64",
    file: "fma64.comp",
    words: |path| shader::glsl(include_str!("fma64.comp"), path),
    work: 2 * 16,
    rounds: 16,
    fills: [1, 2],
    result: 8,
    ..FMA
};

const LDS: Unit = Unit {
    name: "LDS",
    file: "lds.comp",
    words: |path| shader::glsl(include_str!("lds.comp"), path),
    unit: "TB/s",
    work: 4 * 8,
    rounds: 32,
    fills: [2, 4],
    result: 4,
};

impl Unit {
    /// What the longer of two dispatches does more than the shorter, in the time that it takes more.
    fn measure(&self, machine: &Arc<Machine>, documented: f64) -> Result<Peak> {
        let lanes = u64::from(WaveSize::least(machine.generation()).lanes());
        let full = machine.wgps() * machine.simds_per_wgp() * machine.simd.wave_slots.value * lanes / UNIT_ITEMS;
        let [fewer, more] = self.fills.map(|times| times * full);
        let dispatch = |groups: u64| (vec![self.rounds as u32], groups);
        let job = Job {
            name: self.file,
            words: (self.words)(Path::new(self.file))?,
            buffers: vec![more * UNIT_ITEMS * self.result],
            dispatches: [machine.wgps(), fewer, more].map(dispatch).to_vec(),
        };
        let reports = job.run(machine)?;
        let done = self.work * self.rounds * UNIT_ITEMS * (more - fewer);
        let longer = seconds(&reports[2], machine) - seconds(&reports[1], machine);
        Ok(peak(self.name, self.unit, documented, done as f64 / longer))
    }
}

/// What `stream.wgsl` reads.
struct Stream {
    name: &'static str,
    /// Whose bytes count.
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

const NEVER: u32 = u32::MAX;

fn l0(machine: &Machine) -> Stream {
    Stream {
        name: "L0",
        level: Level::L0,
        documented: machine.l0_bandwidth(),
        cycles: CYCLES,
        groups: 12,
        step: 0,
        regions: 1,
        first: 0,
        meet: NEVER,
        before: 1,
    }
}

/// A work-group of each work-group processor: two would share an L0.
fn shared(machine: &Machine) -> Stream {
    Stream { groups: 1, step: ITEMS * VECTOR, meet: 15, ..l0(machine) }
}

fn l1(machine: &Machine) -> Option<Stream> {
    let documented = machine.l1_bandwidth()?;
    Some(Stream { name: "L1", level: Level::L1, documented, ..shared(machine) })
}

/// Work-groups go round in so many bytes, evenly spread, and have filled all of them before.
fn round(machine: &Machine, bytes: u64) -> Stream {
    let regions = bytes / ROUND;
    let first = (regions / machine.wgps()).max(1);
    Stream { cycles: LONG, regions, first, before: regions.div_ceil(machine.wgps()) + 1, ..shared(machine) }
}

fn l2(machine: &Machine) -> Stream {
    let documented = machine.l2_bandwidth();
    Stream { name: "L2", level: Level::L2, documented, ..round(machine, machine.l2_bytes() * 7 / 8) }
}

/// Ten times L2, and not half of it.
fn mall(machine: &Machine) -> Option<Stream> {
    let (bytes, documented) = (machine.mall.as_ref()?.bytes.value, machine.mall_bandwidth()?);
    let bytes = (10 * machine.l2_bytes()).min(bytes / 2);
    Some(Stream { name: "Infinity Cache", level: Level::Memory, documented, ..round(machine, bytes) })
}

fn memory(machine: &Machine) -> Stream {
    let documented = machine.memory_bandwidth();
    let stream =
        Stream { name: "memory", level: Level::Memory, documented, cycles: 1.5 * LONG, groups: 2, ..shared(machine) };
    let first = stream.rounds(machine);
    Stream { before: 0, first, regions: first * stream.groups * machine.wgps(), ..stream }
}

fn stream(machine: &Arc<Machine>, stream: Stream) -> Result<Option<Peak>> {
    stream.measure(machine).map(Some)
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
            let [first, regions] = [self.first, self.regions].map(|n| n as u32);
            vec![rounds as u32, vectors(self.step), vectors(ROUND), first, regions, self.meet]
        };
        let job = Job {
            name: "stream.wgsl",
            words: shader::wgsl(include_str!("stream.wgsl"), Path::new("stream.wgsl"))?,
            buffers: vec![self.regions * ROUND, groups * ITEMS * VECTOR],
            dispatches: [self.before, rounds].map(|rounds| (push(rounds), groups)).to_vec(),
        };
        let report = &job.run(machine)?[1];
        let bytes = (groups * rounds * ROUND).min(report.counters.vector.bytes[self.level as usize]);
        Ok(peak(self.name, "TB/s", self.documented, bytes as f64 / seconds(report, machine)))
    }
}

/// A shader with what it needs.
pub struct Job {
    pub name: &'static str,
    pub words: Vec<u32>,
    /// Bytes of the buffer at each binding.
    pub buffers: Vec<u64>,
    /// Push constants and work-groups of each dispatch, one after the other.
    pub dispatches: Vec<(Vec<u32>, u64)>,
}

impl Job {
    /// What each dispatch took and did.
    pub fn run(&self, machine: &Arc<Machine>) -> Result<Vec<DispatchReport>> {
        let least = WaveSize::least(machine.generation());
        let config = Config { timing: true, ..config_on(Some(machine.clone()), Some(least.lanes()))? };
        let session = Session::new(&config)?;
        let pipeline = session.pipeline(&self.words, None, &[], None)?;
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
        for (push, groups) in &self.dispatches {
            if !push.is_empty() {
                commands.push_constants(0, bytemuck::cast_slice(push));
            }
            commands.dispatch([*groups as u32, 1, 1]);
            commands.pipeline_barrier();
        }
        commands.end()?;
        let info = SubmitInfo { command_buffers: vec![commands.recording()?], ..Default::default() };
        session.queue().submit(&info, None)?;
        session.queue().wait_idle()?;
        let reports = session.device().timing().map(|mut engine| engine.reports()).unwrap_or_default();
        match reports.len() == self.dispatches.len() {
            true => Ok(reports),
            false => Err(Failure::Driver(format!("{}: {} dispatches left a report", self.name, reports.len()))),
        }
    }
}
