//! Sound in real time beside heavy work: two REALTIME queues convolve a stereo sound with the responses of two rooms, block
//! by block of 512 samples at 48 kHz, while an n-body simulation fills the machine. It prints, for each policy, how long
//! the blocks took and how many missed their deadline, and writes what was heard: one room fades into the other.
//!
//! Time is the emulated card's. A block arrives somewhere in a step of the simulation, when a kernel that watches the
//! clock ends; what the machine would do between two blocks is left out, because nothing of it is left when the next one
//! arrives.

mod sound;

use clap::{Parser, ValueEnum};
use sound::{BLOCK, PARTS, RATE, Stereo};
use std::process::ExitCode;
use std::sync::Arc;
use wavepipe_runtime::{
    BindingKind, Buffer, CommandBuffer, ComputePipeline, Config, DescriptorPool, DescriptorSetLayout, Device, Error,
    Fence, GlobalPriority, PipelineLayout, Policy, QueryPool, QueryResultFlags, Queue, QueueOptions, ShaderModule,
    SubmitInfo,
};
use wavepipe_samples::{data, spirv};

/// Bodies of a cluster, and clusters: three waves for each of 40 compute units, where one has room.
const BODIES: usize = 640;
const CLUSTERS: usize = 6;
const STEP: f32 = 0.001;
const SOFTENING: f32 = 0.01;
/// Nanoseconds into a step of the simulation at which blocks arrive: at least, and fewer than this more.
const ARRIVAL: (u64, u32) = (20_000, 180_000);
/// Largest error of what is heard, beside a convolution in double precision: transforms of 1024 numbers in single
/// precision, of sums below 4.
const TOLERANCE: f64 = 1e-5;

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Time {
    /// The card's, by the timing model.
    Emulated,
    /// The host's, at the speed of the emulator.
    Host,
}

/// Two rooms in real time beside an n-body simulation, under every policy.
#[derive(Parser)]
#[command(after_help = "Exit code: 0 right, 1 wrong, 2 usage, 3 the driver failed.")]
struct Options {
    /// Blocks of 512 samples
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    blocks: u32,
    /// Sounds that are to be ready in a block's time: a block's deadline is this part of its 10.7 ms
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    sounds: u32,
    /// Whose time is measured
    #[arg(long, value_enum, default_value = "emulated")]
    time: Time,
    /// Write what is heard
    #[arg(long, value_name = "FILE.wav")]
    out: Option<String>,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

/// A way to share the machine.
struct Way {
    name: &'static str,
    policy: Policy,
    reserved_cus: u32,
    /// Whether there is a simulation at all.
    beside: bool,
}

const WAYS: [Way; 5] = [
    Way { name: "alone", policy: Policy::Share, reserved_cus: 0, beside: false },
    Way { name: "share", policy: Policy::Share, reserved_cus: 0, beside: true },
    Way { name: "limit", policy: Policy::Limit, reserved_cus: 0, beside: true },
    Way { name: "tunnel", policy: Policy::Tunnel, reserved_cus: 0, beside: true },
    Way { name: "share, 2 compute units reserved", policy: Policy::Share, reserved_cus: 2, beside: true },
];

/// What came of a way.
struct Run {
    /// Nanoseconds from a block's arrival until it was done, sorted: of both rooms.
    latencies: Vec<u64>,
    /// By room, channel and sample.
    heard: [Vec<f32>; 2],
    /// The bodies after the last step.
    bodies: Vec<u8>,
}

impl Run {
    fn percentile(&self, percent: usize) -> u64 {
        self.latencies[(self.latencies.len() - 1) * percent / 100]
    }

    fn missed(&self, deadline: u64) -> usize {
        self.latencies.iter().filter(|t| **t > deadline).count()
    }
}

/// A pipeline and the layout of its only set: storage buffers 0, 1, 2 …
struct Kernel {
    pipeline: Arc<ComputePipeline>,
    set: Arc<DescriptorSetLayout>,
}

impl Kernel {
    fn new(device: &Arc<Device>, spirv: &[u8], buffers: u32, push_bytes: u32) -> Result<Kernel, Error> {
        let words: Vec<u32> = spirv.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let binding = |binding| wavepipe_runtime::Binding { binding, kind: BindingKind::StorageBuffer, count: 1 };
        let set = DescriptorSetLayout::new((0..buffers).map(binding).collect())?;
        let layout = PipelineLayout::new(vec![set.clone()], push_bytes)?;
        let pipeline = ComputePipeline::new(device, &ShaderModule::new(&words), "main", &[], &layout, None)?;
        Ok(Kernel { pipeline, set })
    }
}

struct Machine {
    device: Arc<Device>,
    times: Arc<QueryPool>,
}

impl Machine {
    fn buffer<T: bytemuck::NoUninit>(&self, contents: &[T]) -> Result<Arc<Buffer>, Error> {
        let bytes: &[u8] = bytemuck::cast_slice(contents);
        let buffer = Buffer::with_memory(&self.device, bytes.len() as u64)?;
        buffer.write(0, bytes)?;
        Ok(buffer)
    }

    /// Submits one dispatch, whose end goes into timestamp `time`.
    fn submit(
        &self,
        queue: &Queue,
        kernel: &Kernel,
        buffers: &[&Arc<Buffer>],
        push: &[u32],
        groups: [u32; 3],
        time: u32,
    ) -> Result<Arc<Fence>, Error> {
        let set = DescriptorPool::new(&self.device, 1, buffers.len() as u32).allocate(&kernel.set)?;
        for (binding, buffer) in (0..).zip(buffers) {
            set.write_buffer(binding, 0, buffer, 0, None)?;
        }
        let mut commands = CommandBuffer::new(&self.device);
        commands.begin();
        commands.bind_pipeline(&kernel.pipeline);
        commands.bind_descriptor_sets(kernel.pipeline.layout(), 0, &[set], &[]);
        commands.push_constants(0, bytemuck::cast_slice(push));
        commands.dispatch(groups);
        commands.write_timestamp(&self.times, time, true);
        commands.end()?;
        let fence = Fence::new(&self.device, false);
        let batch = SubmitInfo { command_buffers: vec![commands.recording()?], ..SubmitInfo::default() };
        queue.submit(&batch, Some(&fence))?;
        Ok(fence)
    }

    /// Timestamp `time`, in ticks.
    fn time(&self, time: u32) -> Result<u64, Error> {
        let mut bytes = [0; 8];
        let flags = QueryResultFlags { wide: true, wait: true, ..QueryResultFlags::default() };
        self.times.results(time, 1, &mut bytes, 8, flags)?;
        self.times.reset(time, 1)?;
        Ok(u64::from_le_bytes(bytes))
    }
}

/// Positions in [-1, 1)^3 with masses that sum to about 1.
fn bodies() -> Vec<[f64; 4]> {
    let row = data::signed_floats(4 * BODIES * CLUSTERS, 7);
    row.chunks_exact(4).map(|v| [v[0], v[1], v[2], (v[3] + 1.0) / BODIES as f32].map(f64::from)).collect()
}

fn run(options: &Options, way: &Way, sound: &Stereo, rooms: &[Stereo; 2]) -> Result<Run, Error> {
    let timing = options.time == Time::Emulated;
    let config = Config { timing, policy: Some(way.policy), timeout: None, ..Config::from_env().accepted()?.clone() };
    let device = Device::new(&config)?;
    let tick = 1_000_000_000 / device.info().timestamp_hz;
    let urgent = |index| {
        let options = QueueOptions { priority: 1.0, global: GlobalPriority::Realtime, reserved_cus: way.reserved_cus };
        device.queue_with(1, index, options)
    };
    let queues = [urgent(0)?, urgent(1)?];
    let (general, clock) = (device.queue(0, 0)?, device.queue(1, 2)?);
    let reverb = Kernel::new(&device, spirv!("reverb"), 4, 12)?;
    let orbits = Kernel::new(&device, spirv!("orbits"), 3, 12)?;
    let metronome = Kernel::new(&device, spirv!("metronome"), 1, 4)?;
    let machine = Machine { times: QueryPool::timestamps(&device, 4)?, device };

    let blocks = options.blocks as usize;
    let samples = blocks * BLOCK;
    let mut padded = vec![0.0f32; 2 * (samples + BLOCK)];
    for (to, from) in padded.chunks_mut(samples + BLOCK).zip(sound) {
        to[BLOCK..].copy_from_slice(from);
    }
    let played = machine.buffer(&padded)?;
    let mut places = Vec::new();
    for room in rooms {
        let response = machine.buffer(&sound::spectra(room))?;
        let past = machine.buffer(&vec![[0.0f32; 2]; 2 * PARTS * 2 * BLOCK])?;
        let heard = machine.buffer(&vec![0.0f32; 2 * samples])?;
        places.push((response, past, heard));
    }
    let mut now = machine.buffer(&bodies())?;
    let mut next = machine.buffer(&bodies())?;
    let velocities = machine.buffer(&vec![[0.0f64; 4]; BODIES * CLUSTERS])?;
    let ended = machine.buffer(&[0u32])?;

    let mut latencies = Vec::new();
    for block in 0..options.blocks {
        let mut step = None;
        if way.beside {
            let wait = ARRIVAL.0 + u64::from(data::noise(block) % ARRIVAL.1);
            let until = (machine.device.clock() + wait / tick) as u32;
            let arrival = machine.submit(&clock, &metronome, &[&ended], &[until], [1; 3], 3)?;
            let push = [BODIES as u32, STEP.to_bits(), SOFTENING.to_bits()];
            let groups = [BODIES.div_ceil(32) as u32, 1, CLUSTERS as u32];
            step = Some(machine.submit(&general, &orbits, &[&now, &next, &velocities], &push, groups, 2)?);
            std::mem::swap(&mut now, &mut next);
            arrival.wait(None)?;
            machine.time(3)?;
        }
        let arrived = machine.device.clock();
        let push = [block, options.blocks, PARTS as u32];
        let mut fences = Vec::new();
        for (time, (queue, (response, past, heard))) in (0..).zip(queues.iter().zip(&places)) {
            fences.push(machine.submit(queue, &reverb, &[&played, response, past, heard], &push, [2, 1, 1], time)?);
        }
        for (time, fence) in (0..).zip(fences) {
            fence.wait(None)?;
            latencies.push((machine.time(time)?.saturating_sub(arrived)) * tick);
        }
        if let Some(step) = step {
            step.wait(None)?;
            machine.time(2)?;
        }
    }
    latencies.sort_unstable();
    let mut heard = [vec![0.0f32; 2 * samples], vec![0.0f32; 2 * samples]];
    for (to, (_, _, from)) in heard.iter_mut().zip(&places) {
        from.read(0, bytemuck::cast_slice_mut(to))?;
    }
    let mut bodies = vec![0; now.size() as usize];
    now.read(0, &mut bodies)?;
    Ok(Run { latencies, heard, bodies })
}

/// The largest difference between what is heard and what should be.
fn worst(run: &Run, sound: &Stereo, rooms: &[Stereo; 2]) -> f64 {
    let mut worst = 0.0f64;
    for (heard, room) in run.heard.iter().zip(rooms) {
        for (heard, right) in heard.chunks(sound[0].len()).zip(sound::convolved(sound, room)) {
            let off = heard.iter().zip(right).map(|(a, b)| (f64::from(*a) - b).abs());
            // A NaN is as wrong as can be.
            worst = off.fold(worst, |w, d| {
                if d <= w {
                    w
                } else if d.is_nan() {
                    f64::INFINITY
                } else {
                    d
                }
            });
        }
    }
    worst
}

/// One room fades into the other.
fn write(path: &str, heard: &[Vec<f32>; 2], samples: usize) -> Result<(), hound::Error> {
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: RATE,
        bits_per_sample: 32,
        sample_format: hound::SampleFormat::Float,
    };
    let mut file = hound::WavWriter::create(path, spec)?;
    for i in 0..samples {
        let second = i as f32 / samples as f32;
        for channel in 0..2 {
            let [a, b] = [0, 1].map(|room| heard[room][channel * samples + i]);
            file.write_sample((1.0 - second) * a + second * b)?;
        }
    }
    file.finalize()
}

fn main() -> ExitCode {
    let options = Options::parse();
    let samples = options.blocks as usize * BLOCK;
    let sound = sound::strings(samples);
    let rooms = [sound::room(3.0, 0.25, 1), sound::room(11.0, 0.6, 1 << 20)];
    let deadline = 1_000_000_000 * BLOCK as u64 / u64::from(RATE) / u64::from(options.sounds);
    let mut runs = Vec::new();
    for way in &WAYS {
        match run(&options, way, &sound, &rooms) {
            Ok(run) => runs.push((way, run)),
            Err(e) => {
                eprintln!("reverb: {}: {e}", way.name);
                return ExitCode::from(3);
            }
        }
    }
    let off = worst(&runs[0].1, &sound, &rooms);
    let same = runs.iter().all(|(_, r)| r.heard == runs[0].1.heard);
    let same_bodies = runs[1..].iter().all(|(_, r)| r.bodies == runs[1].1.bodies);
    let good = off <= TOLERANCE && same && same_bodies;
    if let Some(path) = &options.out
        && let Err(e) = write(path, &runs[0].1.heard, samples)
    {
        eprintln!("reverb: {path}: {e}");
        return ExitCode::from(3);
    }
    if options.json {
        let ways = runs.iter().map(|(way, run)| {
            serde_json::json!({
                "policy": way.name,
                "met": run.latencies.len() - run.missed(deadline),
                "missed": run.missed(deadline),
                "latency_ns": { "p50": run.percentile(50), "p95": run.percentile(95), "max": run.percentile(100) },
            })
        });
        let ways: Vec<_> = ways.collect();
        let told = serde_json::json!({
            "sample": "reverb", "good": good, "worst": off, "deadline_ns": deadline, "blocks": options.blocks,
            "policies": ways,
        });
        println!("{told}");
    } else {
        println!(
            "reverb: {} blocks of {BLOCK} samples, two rooms, beside {CLUSTERS} clusters of {BODIES} bodies",
            options.blocks
        );
        println!("a block is to be ready in {:.1} µs\n", deadline as f64 / 1e3);
        println!(
            "{:32} {:>5} {:>7} {:>12} {:>10} {:>10}",
            "policy", "met", "missed", "median µs", "95 % µs", "most µs"
        );
        for (way, run) in &runs {
            let missed = run.missed(deadline);
            let [median, most95, most] = [50, 95, 100].map(|p| run.percentile(p) as f64 / 1e3);
            let met = run.latencies.len() - missed;
            println!("{:32} {met:>5} {missed:>7} {median:>12.1} {most95:>10.1} {most:>10.1}", way.name);
        }
        let verdict = if good { "as it should be" } else { "WRONG" };
        println!(
            "\nwhat is heard is {verdict}: at most {off:.1e} from a convolution in double precision, the same under every policy"
        );
    }
    if good { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
