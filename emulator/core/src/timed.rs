//! A machine with a clock of its own: an engine says when each packet is read, each work-group placed and each instruction
//! issued, and the machine does it. No host thread runs by itself; time passes while the driver waits
//! ([`wavepipe_hw::port::GpuPort::advance`]), so what a program sees does not depend on how fast its host is.

use crate::cp::{QueueShared, Stepped, View};
use crate::dispatch::{Dispatch, internal, policy};
use crate::gpu::Machine;
use crate::memory::MemoryMap;
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
use wavepipe_hw::perf::{EVENTS, Event};
use wavepipe_hw::port::Advance;

/// What runs the machine by a clock of its own.
pub trait Timekeeper: Send {
    /// Lets time pass until an interrupt was raised, or until nothing can happen before the driver does something (`false`).
    fn advance(&mut self, machine: &Timed<'_>) -> bool;
}

/// What a machine with a clock of its own has besides.
pub(crate) struct Emulated {
    /// Shader cycles since power-on.
    pub cycle: AtomicU64,
    /// Rung so far.
    pub doorbells: AtomicU64,
    /// What performance counters read, by event.
    counts: [AtomicU64; EVENTS],
    /// Calls of `advance`, by the driver's waits or by the watch.
    advances: AtomicU64,
    timekeeper: Mutex<Box<dyn Timekeeper>>,
}

impl Emulated {
    pub fn new(timekeeper: Box<dyn Timekeeper>) -> Emulated {
        Emulated {
            cycle: AtomicU64::default(),
            doorbells: AtomicU64::default(),
            counts: Default::default(),
            advances: AtomicU64::default(),
            timekeeper: Mutex::new(timekeeper),
        }
    }
}

impl Machine {
    /// What a performance counter of an event reads; without a clock of its own, the machine counts nothing.
    pub(crate) fn count_of(&self, event: Event) -> u64 {
        self.emulated.as_ref().map_or(0, |e| e.counts[event as usize].load(Relaxed))
    }

    /// See [`wavepipe_hw::port::GpuPort::advance`].
    pub fn advance(&self) -> Advance {
        let Some(emulated) = &self.emulated else { return Advance::ByItself };
        emulated.advances.fetch_add(1, SeqCst);
        let mut timekeeper = emulated.timekeeper.lock();
        match catch_unwind(AssertUnwindSafe(|| timekeeper.advance(&Timed(self)))) {
            Ok(true) => Advance::Passed,
            Ok(false) => Advance::Nothing,
            Err(panic) => {
                // Nothing is known of its state: every queue stops.
                let why = internal(panic);
                for queue in self.cp.queues() {
                    self.stop_queue(&queue, why.clone(), None);
                }
                Advance::Passed
            }
        }
    }
}

/// How long nobody waits for the GPU before it goes on by itself: a program may look at memory without a call.
const WATCH: Duration = Duration::from_secs(1);

/// Starts the thread that lets time pass where a program waits without a call.
pub(crate) fn start_watch(machine: &Arc<Machine>) -> std::io::Result<JoinHandle<()>> {
    let machine = machine.clone();
    let name = thread::Builder::new().name("wavepipe-watch".into());
    name.spawn(move || {
        let Some(emulated) = &machine.emulated else { return };
        let (mut seen, mut since) = (0, Instant::now());
        while !machine.pool.sleep(WATCH / 20) {
            let now = emulated.advances.load(SeqCst);
            // A call that is under way counts as one that has just ended.
            if now != seen || emulated.timekeeper.is_locked() {
                (seen, since) = (now, Instant::now());
            } else if since.elapsed() >= WATCH {
                // Until there is nothing to do, or somebody waits.
                while emulated.advances.load(SeqCst) == seen {
                    seen += 1;
                    if machine.advance() != Advance::Passed {
                        since = Instant::now();
                        break;
                    }
                }
            }
        }
    })
}

/// The machine, as its timekeeper sees it.
pub struct Timed<'m>(pub(crate) &'m Machine);

/// A mapped queue.
#[derive(Clone)]
pub struct QueueRef(pub(crate) Arc<QueueShared>);

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
        &self.0.config.machine
    }

    pub fn policy(&self) -> Option<policy::Policy> {
        self.0.config.policy
    }

    pub fn queues(&self) -> Vec<QueueRef> {
        self.0.cp.queues().into_iter().map(QueueRef).collect()
    }

    /// Memory as it is allocated now.
    pub fn memory(&self) -> Memory {
        Memory(View::of(self.0))
    }

    /// Sees what was allocated and freed since.
    pub fn refresh(&self, memory: &mut Memory) {
        memory.0.refresh(self.0);
    }

    /// The clock of the machine from now on, in shader cycles since power-on.
    pub fn set_cycle(&self, cycle: u64) {
        if let Some(emulated) = &self.0.emulated {
            emulated.cycle.store(cycle, Relaxed);
        }
    }

    /// What performance counters read from now on.
    pub fn set_counts(&self, count: impl Fn(Event) -> u64) {
        if let Some(emulated) = &self.0.emulated {
            Event::ALL.iter().for_each(|e| emulated.counts[*e as usize].store(count(*e), Relaxed));
        }
    }

    /// Doorbells rung so far.
    pub fn doorbells(&self) -> u64 {
        self.0.emulated.as_ref().map_or(0, |e| e.doorbells.load(SeqCst))
    }

    /// Executes the packet at the front of a queue. Dispatches come out of [`Timed::dispatches`].
    pub fn packet(&self, queue: usize, memory: &mut Memory) -> Stepped {
        self.0.cp.step(self.0, queue, &mut memory.0)
    }

    /// The dispatches that were launched since last asked, oldest first.
    pub fn dispatches(&self) -> Vec<Arc<Dispatch>> {
        std::mem::take(&mut *self.0.launched.lock())
    }

    /// Interrupts raised so far.
    pub fn interrupts(&self) -> u64 {
        self.0.interrupts.load(SeqCst)
    }

    /// A new work-group, to be started.
    pub fn group(&self) -> Box<WorkGroup> {
        Box::new(WorkGroup::on(self.device().clone()))
    }

    fn device(&self) -> &Arc<Device> {
        &self.0.device
    }

    /// Counts how often decoded code was forgotten.
    pub fn code_generation(&self) -> u64 {
        self.0.code.generation()
    }

    /// What a step at `cycle` reaches.
    pub fn outside<'a>(&'a self, memory: &'a Memory, cycle: u64) -> Outside<'a> {
        Outside { map: memory.map(), code: &self.0.code, cycle, ticks: self.machine().ticks(cycle) }
    }

    /// Executes the instruction that a wave stands at; a panic is a fault.
    pub fn step(&self, group: &mut WorkGroup, wave: usize, outside: &Outside<'_>, touch: &mut Touch) -> Flow {
        match catch_unwind(AssertUnwindSafe(|| group.step(wave, outside, touch))) {
            Ok(flow) => flow,
            Err(panic) => Flow::Fault(Box::new(WaveFault { kind: internal(panic), site: None })),
        }
    }

    /// Stops the queue of a dispatch with a fault. The timekeeper forgets its work-groups.
    pub fn fault(&self, dispatch: &Dispatch, fault: WaveFault, memory: &Memory) {
        let WaveFault { mut kind, site } = fault;
        if let FaultKind::WildAddress { address, nearest, .. } = &mut kind {
            *nearest = memory.map().nearest(*address);
        }
        self.0.stop_queue(&dispatch.queue, kind, site);
    }

    /// Whether the dispatch has taken more of the host's time than allowed; the clock starts with the first question.
    pub fn overdue(&self, dispatch: &Dispatch) -> bool {
        dispatch.began.get_or_init(Instant::now);
        self.0.overdue(dispatch)
    }

    /// Stops the queue of an overdue dispatch.
    pub fn time_out(&self, dispatch: &Dispatch, site: Option<WaveSite>) {
        let limit_ms = self.0.config.timeout.as_millis() as u64;
        self.0.stop_queue(&dispatch.queue, FaultKind::Timeout { limit_ms }, site);
    }

    /// The dispatch has ended, or was given up.
    pub fn dispatch_ended(&self, dispatch: &Dispatch) {
        self.0.cp.dispatch_ended(&dispatch.queue, 1);
    }

    /// Counts what ran, for [`crate::Statistics`].
    pub fn count(&self, instructions: u64, workgroups: u64, waves: u64) {
        let counters = &self.0.counters;
        counters.instructions.fetch_add(instructions, Relaxed);
        counters.workgroups.fetch_add(workgroups, Relaxed);
        counters.waves.fetch_add(waves, Relaxed);
    }
}

impl Dispatch {
    pub fn queue(&self) -> QueueRef {
        QueueRef(self.queue.clone())
    }
}
