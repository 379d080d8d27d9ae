//! A machine with a clock of its own: an engine says when each packet is read, each work-group placed and each instruction
//! issued, and the machine does it. No host thread runs by itself; time passes while the driver waits
//! ([`wavepipe_hw::port::GpuPort::advance`]), so what a program sees does not depend on how fast its host is.

use crate::cp::{CommandProcessor, Stepped};
use crate::dispatch::Dispatch;
use crate::gds::GdsState;
use crate::machine::{Machine, internal};
use crate::memory::{MemoryMap, View};
use crate::policy;
use crate::queue::HardwareQueue;
use crate::wave::{Device, Flow, Outside, Touch, WaveFault, WorkGroup};
use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use wavepipe_hw::fault::{FaultKind, WaveSite};
use wavepipe_hw::machine;
use wavepipe_hw::perf::Event;
use wavepipe_hw::port::Advance;
use wavepipe_isa::fenv;

/// What runs the machine by a clock of its own.
pub trait Timekeeper: Send {
    /// Lets time pass until an interrupt was raised, or until nothing can happen before the driver does something (`false`).
    fn advance(&mut self, machine: &Timed<'_>) -> bool;
}

/// A timekeeper, and the machine that it runs.
pub(crate) struct Timekeeping {
    machine: Arc<Machine>,
    cp: Arc<CommandProcessor>,
    timekeeper: Mutex<Box<dyn Timekeeper>>,
    /// Calls of `advance`, by the driver's waits or by the watch.
    advances: AtomicU64,
}

impl Timekeeping {
    pub fn new(machine: Arc<Machine>, cp: Arc<CommandProcessor>, timekeeper: Box<dyn Timekeeper>) -> Timekeeping {
        Timekeeping { machine, cp, timekeeper: Mutex::new(timekeeper), advances: AtomicU64::default() }
    }

    /// The machine, for who drives it in the timekeeper's place.
    pub fn timed(&self) -> Timed<'_> {
        Timed { machine: &self.machine, cp: &self.cp }
    }

    /// See [`wavepipe_hw::port::GpuPort::advance`].
    pub fn advance(&self) -> Advance {
        self.advances.fetch_add(1, SeqCst);
        let mut timekeeper = self.timekeeper.lock();
        let timed = self.timed();
        match catch_unwind(AssertUnwindSafe(|| fenv::in_default(|| timekeeper.advance(&timed)))) {
            Ok(true) => Advance::Passed,
            Ok(false) => Advance::Nothing,
            Err(panic) => {
                // Nothing is known of its state: every queue stops.
                let why = internal(panic);
                for queue in self.machine.doorbells.queues() {
                    self.machine.stop_queue(&queue, why.clone(), None);
                }
                Advance::Passed
            }
        }
    }
}

/// How long nobody waits for the GPU before it goes on by itself: a program may look at memory without a call.
const WATCH: Duration = Duration::from_secs(1);

/// Starts the thread that lets time pass where a program waits without a call.
pub(crate) fn start_watch(timekeeping: &Arc<Timekeeping>) -> std::io::Result<JoinHandle<()>> {
    let timed = timekeeping.clone();
    let name = thread::Builder::new().name("wavepipe-watch".into());
    name.spawn(move || {
        let (mut seen, mut since) = (0, Instant::now());
        while !timed.machine.idle.sleep(WATCH / 20) {
            let now = timed.advances.load(SeqCst);
            // A call that is under way counts as one that has just ended.
            if now != seen || timed.timekeeper.is_locked() {
                (seen, since) = (now, Instant::now());
            } else if since.elapsed() >= WATCH {
                // Until there is nothing to do, or somebody waits.
                while timed.advances.load(SeqCst) == seen {
                    seen += 1;
                    if timed.advance() != Advance::Passed {
                        since = Instant::now();
                        break;
                    }
                }
            }
        }
    })
}

/// The machine, as its timekeeper sees it.
pub struct Timed<'m> {
    machine: &'m Machine,
    cp: &'m CommandProcessor,
}

/// A mapped queue.
#[derive(Clone)]
pub struct QueueRef(pub(crate) Arc<HardwareQueue>);

impl QueueRef {
    /// Whether it is the same queue, and not another in its place.
    pub fn same(&self, other: &QueueRef) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Its number in the machine.
    pub fn index(&self) -> usize {
        self.0.index
    }

    /// The pipe that reads its ring, and its place there.
    pub fn place(&self) -> (u32, u32) {
        (self.0.pipe, self.0.queue)
    }

    pub fn rank(&self) -> policy::Rank {
        self.0.rank()
    }

    /// Compute units that only this queue may use.
    pub fn reserved_cus(&self) -> u32 {
        self.0.reserved_cus
    }

    /// The doorbell: dwords written to the ring.
    pub fn written(&self) -> u64 {
        self.0.wptr.load(SeqCst)
    }

    /// Dwords executed of them.
    pub fn read(&self) -> u64 {
        self.0.rptr.load(SeqCst)
    }

    pub fn stopped(&self) -> bool {
        self.0.stopped.load(SeqCst)
    }
}

/// Memory as of some time.
pub struct Memory(View);

impl Memory {
    pub fn map(&self) -> &MemoryMap {
        &self.0.map
    }
}

impl Timed<'_> {
    pub fn machine(&self) -> &machine::Machine {
        &self.machine.config.machine
    }

    pub fn policy(&self) -> Option<policy::Policy> {
        self.machine.config.policy
    }

    pub fn queues(&self) -> Vec<QueueRef> {
        self.machine.doorbells.queues().into_iter().map(QueueRef).collect()
    }

    /// Memory as it is allocated now.
    pub fn memory(&self) -> Memory {
        Memory(View::of(&self.machine.memory))
    }

    /// Sees what was allocated and freed since.
    pub fn refresh(&self, memory: &mut Memory) {
        memory.0.refresh(&self.machine.memory);
    }

    /// The clock of the machine from now on, in shader cycles since power-on.
    pub fn set_cycle(&self, cycle: u64) {
        if let Some(emulated) = &self.machine.emulated {
            emulated.cycle.store(cycle, Relaxed);
        }
    }

    /// What performance counters read from now on.
    pub fn set_counts(&self, count: impl Fn(Event) -> u64) {
        if let Some(emulated) = &self.machine.emulated {
            Event::ALL.iter().for_each(|e| emulated.counts[*e as usize].store(count(*e), Relaxed));
        }
    }

    /// Doorbells rung so far.
    pub fn doorbells(&self) -> u64 {
        self.machine.emulated.as_ref().map_or(0, |e| e.doorbells.load(SeqCst))
    }

    /// Executes the packet at the front of a queue. Dispatches come out of [`Timed::dispatches`].
    pub fn packet(&self, queue: usize, memory: &mut Memory) -> Stepped {
        self.cp.step(self.machine, queue, &mut memory.0)
    }

    /// The dispatches that were launched since last asked, oldest first.
    pub fn dispatches(&self) -> Vec<Arc<Dispatch>> {
        std::mem::take(&mut *self.machine.launched.lock())
    }

    /// Interrupts raised so far.
    pub fn interrupts(&self) -> u64 {
        self.machine.interrupts.load(SeqCst)
    }

    /// A new work-group, to be started.
    pub fn group(&self) -> Box<WorkGroup> {
        Box::new(WorkGroup::on(self.device().clone()))
    }

    fn device(&self) -> &Arc<Device> {
        &self.machine.device
    }

    /// Counts how often decoded code was forgotten.
    pub fn code_generation(&self) -> u64 {
        self.machine.code.generation()
    }

    /// What a step at `cycle` reaches.
    pub fn outside<'a>(&'a self, memory: &'a Memory, cycle: u64) -> Outside<'a> {
        Outside { map: memory.map(), code: &self.machine.code, cycle, ticks: self.machine().ticks(cycle) }
    }

    /// Executes the instruction that a wave stands at; a panic is a fault.
    pub fn step(&self, group: &mut WorkGroup, wave: usize, outside: &Outside<'_>, touch: &mut Touch) -> Flow {
        let flow = caught(group, wave, outside, touch);
        self.machine.deliver(group);
        flow
    }

    /// As [`Timed::step`], of what was executed before: the driver, who has its messages, is told nothing.
    pub fn step_again(&self, group: &mut WorkGroup, wave: usize, outside: &Outside<'_>, touch: &mut Touch) -> Flow {
        let flow = caught(group, wave, outside, touch);
        let _ = group.take_messages();
        flow
    }

    /// What the waves of a dispatch share besides memory, between two steps.
    pub fn keep(&self, dispatch: &Dispatch) -> SharedState {
        SharedState { turn: dispatch.passage.turn(), gds: self.machine.device.gds.keep() }
    }

    /// Goes back to such a state.
    pub fn put_back(&self, dispatch: &Dispatch, state: &SharedState) {
        dispatch.passage.set_turn(state.turn);
        self.machine.device.gds.put_back(&state.gds);
    }

    /// Stops the queue of a dispatch with a fault. The timekeeper forgets its work-groups.
    pub fn fault(&self, dispatch: &Dispatch, fault: WaveFault, memory: &Memory) {
        let WaveFault { mut kind, site } = fault;
        memory.map().name_fault(&mut kind);
        self.machine.tell(dispatch);
        self.machine.stop_queue(&dispatch.queue, kind, site);
    }

    /// Whether the dispatch has taken more of the host's time than allowed; the clock starts with the first question.
    pub fn overdue(&self, dispatch: &Dispatch) -> bool {
        dispatch.began.get_or_init(Instant::now);
        self.machine.overdue(dispatch)
    }

    /// Stops the queue of an overdue dispatch.
    pub fn time_out(&self, dispatch: &Dispatch, site: Option<WaveSite>) {
        let limit_ms = self.machine.config.timeout.as_millis() as u64;
        self.machine.tell(dispatch);
        self.machine.stop_queue(&dispatch.queue, FaultKind::Timeout { limit_ms }, site);
    }

    /// The dispatch has ended, or was given up.
    pub fn dispatch_ended(&self, dispatch: &Dispatch) {
        self.machine.dispatch_ended(dispatch);
    }

    /// Counts what ran, for [`crate::Statistics`].
    pub fn count(&self, instructions: u64, workgroups: u64, waves: u64) {
        let counters = &self.machine.counters;
        counters.instructions.fetch_add(instructions, Relaxed);
        counters.workgroups.fetch_add(workgroups, Relaxed);
        counters.waves.fetch_add(waves, Relaxed);
    }
}

/// A step whose panic is a fault.
fn caught(group: &mut WorkGroup, wave: usize, outside: &Outside<'_>, touch: &mut Touch) -> Flow {
    match catch_unwind(AssertUnwindSafe(|| group.step(wave, outside, touch))) {
        Ok(flow) => flow,
        Err(panic) => Flow::Fault(Box::new(WaveFault { kind: internal(panic), site: None })),
    }
}

/// What [`Timed::keep`] keeps: the turn at DS_ORDERED_COUNT, GDS and GWS.
#[derive(Clone)]
pub struct SharedState {
    turn: u64,
    gds: GdsState,
}

impl Dispatch {
    pub fn queue(&self) -> QueueRef {
        QueueRef(self.queue.clone())
    }
}
