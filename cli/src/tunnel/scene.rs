//! Two dispatches on a machine with a clock, and who was on it when.

use crate::failure::{Failure, Result};
use std::path::Path;
use std::sync::{Arc, Mutex};
use wavepipe_runtime::simple::layout_of;
use wavepipe_runtime::timing::observe::{Event, Recorder};
use wavepipe_runtime::{
    Buffer, CommandBuffer, ComputePipeline, Config, DescriptorPool, Device, Fence, GlobalPriority, Policy, Queue,
    QueueOptions, ShaderModule, SubmitInfo, waves_per_simd,
};

/// Both run it; they differ in how many work-groups and rounds.
const SHADER: &str = include_str!("work.comp");
const LANES: u32 = 64;

/// How much a party does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Load {
    pub groups: u32,
    pub rounds: u32,
}

/// The parties, in the order of everything that is kept for each.
pub const LONG: usize = 0;
pub const URGENT: usize = 1;

/// What is tried.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// `None`: the urgent work has the machine for itself.
    pub long: Option<Load>,
    pub urgent: Load,
    /// When the urgent work comes, in ticks of the reference clock.
    pub tick: u64,
    pub policy: Policy,
}

/// Waves of a party that come (1) and go (-1) at a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    pub cycle: u64,
    pub party: usize,
    pub resident: i64,
    /// Of which state is kept, and which are on no SIMD.
    pub suspended: i64,
}

/// When a dispatch was launched and when its last store had arrived, in cycles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    pub first_wave: Option<u64>,
    pub ended: u64,
}

/// What came of a plan.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Cycle from which the urgent queue could go on.
    pub arrived: u64,
    pub spans: [Span; 2],
    /// In the order of their cycles.
    pub changes: Vec<Change>,
    /// Waves that were taken off the machine with their state.
    pub suspended: u64,
    /// From the arrival until all of those were off; 0 if none was.
    pub suspending: u64,
    /// Answers of both parties.
    pub answers: [Vec<u8>; 2],
}

/// Writes a scene down as it happens.
#[derive(Default)]
struct Notes {
    scene: Scene,
    /// The urgent one among the machine's queues.
    urgent: Option<usize>,
    /// Whose each dispatch is.
    dispatches: Vec<(u64, usize)>,
}

impl Notes {
    fn party(&self, dispatch: u64) -> Option<usize> {
        self.dispatches.iter().find(|(d, _)| *d == dispatch).map(|(_, party)| *party)
    }

    fn event(&mut self, cycle: u64, event: &Event<'_>) {
        match event {
            Event::Queue { queue, rank, .. } if rank.global == GlobalPriority::Realtime => self.urgent = Some(*queue),
            Event::Waits { queue, waits: None } if Some(*queue) == self.urgent && self.scene.arrived == 0 => {
                self.scene.arrived = cycle;
            }
            Event::DispatchStarted { dispatch, queue, .. } => {
                let party = if Some(*queue) == self.urgent { URGENT } else { LONG };
                self.dispatches.push((*dispatch, party));
            }
            Event::DispatchEnded { dispatch } => {
                if let Some(party) = self.party(*dispatch) {
                    self.scene.spans[party].ended = cycle;
                }
            }
            Event::WaveStarted { dispatch, resumed, .. } => {
                let Some(party) = self.party(*dispatch) else { return };
                self.scene.spans[party].first_wave.get_or_insert(cycle);
                self.scene.changes.push(Change { cycle, party, resident: 1, suspended: -i64::from(*resumed) });
            }
            Event::WaveEnded { dispatch, suspended, .. } => {
                let Some(party) = self.party(*dispatch) else { return };
                self.scene.changes.push(Change { cycle, party, resident: -1, suspended: i64::from(*suspended) });
                if *suspended {
                    self.scene.suspended += 1;
                    self.scene.suspending = self.scene.suspending.max(cycle.saturating_sub(self.scene.arrived));
                }
            }
            _ => {}
        }
    }
}

/// The device's recorder, whose notes are read when all is over.
struct Scribe(Arc<Mutex<Notes>>);

impl Recorder for Scribe {
    fn instructions(&self) -> bool {
        false
    }

    fn event(&mut self, cycle: u64, event: &Event<'_>) {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).event(cycle, event);
    }
}

/// A dispatch that is on its way.
struct Sent {
    answer: Arc<Buffer>,
    fence: Arc<Fence>,
}

struct Stage {
    device: Arc<Device>,
    pipeline: Arc<ComputePipeline>,
}

impl Stage {
    fn new(device: Arc<Device>) -> Result<Stage> {
        let words = wavepipe::shader::glsl(SHADER, Path::new("work.comp"))?;
        let info = wavepipe_runtime::simple::entry_point(&words, None)?;
        let pipeline =
            ComputePipeline::new(&device, &ShaderModule::new(&words), &info.name, &[], &layout_of(&info)?, None)?;
        Ok(Stage { device, pipeline })
    }

    fn send(&self, queue: &Queue, load: Load, after: Option<u64>) -> Result<Sent> {
        let answer = Buffer::with_memory(&self.device, u64::from(load.groups) * u64::from(LANES) * 4)?;
        let layout = self.pipeline.layout();
        let [set] = layout.sets() else { return Err(Failure::Driver("the shader has one set".into())) };
        let set_of = DescriptorPool::new(&self.device, 1, 1).allocate(set)?;
        set_of.write_buffer(0, 0, &answer, 0, None)?;
        let mut commands = CommandBuffer::new(&self.device);
        commands.begin();
        if let Some(tick) = after {
            commands.wait_clock(tick);
        }
        commands.bind_pipeline(&self.pipeline);
        commands.bind_descriptor_sets(layout, 0, &[set_of], &[]);
        commands.push_constants(0, &load.rounds.to_le_bytes());
        commands.dispatch([load.groups, 1, 1]);
        commands.end()?;
        let fence = Fence::new(&self.device, false);
        let batch = SubmitInfo { command_buffers: vec![commands.recording()?], ..SubmitInfo::default() };
        queue.submit(&batch, Some(&fence))?;
        Ok(Sent { answer, fence })
    }
}

/// Runs a plan on a machine of its own.
pub fn play(config: &Config, plan: &Plan) -> Result<Scene> {
    let notes = Arc::new(Mutex::new(Notes::default()));
    let config = Config { policy: Some(plan.policy), ..config.clone() };
    let device = Device::recorded(&config, Box::new(Scribe(notes.clone())))?;
    let options = QueueOptions { priority: 1.0, global: GlobalPriority::Realtime, reserved_cus: 0 };
    let (general, urgent) = (device.queue(0, 0)?, device.queue_with(1, 0, options)?);
    let stage = Stage::new(device.clone())?;
    let at = device.clock() + plan.tick;
    let long = plan.long.map(|load| stage.send(&general, load, None)).transpose()?;
    let urgent = stage.send(&urgent, plan.urgent, Some(at))?;
    let mut answers = [Vec::new(), Vec::new()];
    for (party, sent) in [(URGENT, Some(urgent)), (LONG, long)] {
        let Some(sent) = sent else { continue };
        sent.fence.wait(None)?;
        answers[party] = vec![0; sent.answer.size() as usize];
        sent.answer.read(0, &mut answers[party])?;
    }
    let mut scene = std::mem::take(&mut notes.lock().unwrap_or_else(|e| e.into_inner()).scene);
    // Starts are told of before their cycle.
    scene.changes.sort_by_key(|change| change.cycle);
    Ok(Scene { answers, ..scene })
}

/// Work-groups of the shader that the machine holds at once.
pub fn fills(config: &Config) -> Result<u32> {
    let stage = Stage::new(Device::new(config)?)?;
    let (machine, code) = (&config.machine, stage.pipeline.code_object());
    let simds = machine.wgps() * machine.simds_per_wgp();
    let waves = u64::from(waves_per_simd(machine, code)) * simds;
    Ok((waves / u64::from(LANES.div_ceil(config.wave_size(None)?.lanes()))).max(1) as u32)
}
