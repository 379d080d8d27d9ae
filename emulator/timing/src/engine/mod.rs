//! The machine on a clock: who acts in which cycle, from a doorbell to the last byte of a store.
//!
//! Algorithm: execution-driven. An [`agenda`] of actors by cycle holds the front ([`front`], [`launch`], [`end`]: command
//! processor, dispatchers, policies) and every SIMD ([`simd`]). A SIMD that is due looks through its waves, the oldest first,
//! and issues for each port at most one pass; issuing executes the instruction functionally, then asks the memory hierarchy,
//! which answers at once with the cycle at which it is done ([`crate::memory`]). From that follows when the wave may issue
//! again ([`wave`]), and when the SIMD is due next. Idle parts are on no agenda and cost nothing.
//!
//! Invariant: a result never depends on the clock's figures, but where a program asks for the time or for the order of its
//! atomics. Invariant: all state is bounded by the machine, not by the length of programs (code apart, which is counted by
//! instruction). With a seed the order of execution is the seed's, and the clock follows ([`order`]). Invariant: one thread at a time runs the engine, in an order that only the program and the machine's figures
//! determine.

mod access;
pub(crate) mod agenda;
mod codes;
mod end;
mod front;
mod groups;
mod launch;
pub(crate) mod order;
mod place;
mod simd;
mod spec;
pub(crate) mod tally;
mod wave;

pub use spec::{Port, TimedCode, Unit, cost};
pub use tally::{CLASSES, Counters, DispatchReport, InstrCounters, KernelReport, Occupancy, SPANS};

use crate::memory::Hierarchy;
use crate::observe::{Event, Recorder};
use agenda::Agenda;
use codes::Codes;
use front::Front;
use groups::Groups;
use order::Order;
use place::Rooms;
use simd::{SharedPath, Simd};
use std::collections::BTreeMap;
use std::sync::Arc;
use wavepipe_core::timed::{Memory, Timed, Timekeeper};
use wavepipe_core::wave::Touch;
use wavepipe_hw::machine::Machine;

/// The front's place on the agenda; SIMDs follow.
const FRONT: usize = 0;
const FIRST_SIMD: usize = 1;
/// Events between two looks at what the program's other threads did, and at the host's clock.
const LOOK: u64 = 4096;

/// What may be chosen besides the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Instructions are always in the buffer.
    pub warm_fetch: bool,
    /// Waves and queues go in the order of this seed ([`order`]).
    pub seed: Option<u64>,
}

/// The clock of one machine.
pub struct Engine {
    machine: Arc<Machine>,
    options: Options,
    clock: Clock,
    front: Front,
    simds: Vec<Simd>,
    groups: Groups,
    events: u64,
    view: Option<Memory>,
}

/// The parts of an engine while the machine runs.
pub(crate) struct Run<'e, 'm> {
    pub clock: &'e mut Clock,
    pub machine: &'e Timed<'m>,
    pub view: &'e mut Memory,
    pub groups: &'e mut Groups,
    pub front: &'e mut Front,
    pub simds: &'e mut [Simd],
    pub figures: &'e Machine,
    pub options: Options,
}

impl Run<'_, '_> {
    /// Sees what the driver did since.
    fn look(&mut self) {
        self.front.look(self.clock, self.machine, self.figures);
    }
}

/// What every part of the engine works on besides itself.
pub(crate) struct Clock {
    pub now: u64,
    pub agenda: Agenda,
    pub memory: Hierarchy,
    pub rooms: Rooms,
    pub recorder: Option<Box<dyn Recorder>>,
    /// Paths that SIMDs share: vector memory and LDS of a compute unit, scalar memory of a work-group processor.
    pub vector: Vec<SharedPath>,
    pub lds: Vec<SharedPath>,
    pub scalar: Vec<SharedPath>,
    pub codes: Codes,
    /// Whose turn it is, if a seed says so.
    pub order: Option<Order>,
    touch: Touch,
    /// Wave-instructions executed that the machine has not counted yet, and those that it has.
    pub executed: u64,
    counted: u64,
    /// When the recorder wants sums next.
    sample: u64,
}

impl Clock {
    /// Puts an actor on the agenda.
    pub fn wake(&mut self, cycle: u64, actor: usize) {
        self.agenda.add(cycle, actor);
    }

    pub fn event(&mut self, cycle: u64, event: &Event<'_>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.event(cycle, event);
        }
    }

    /// Tells the recorder the sums of now.
    fn record_sums(&mut self) {
        let Some(recorder) = &mut self.recorder else { return };
        self.sample = match recorder.sampling() {
            0 => return self.sample = u64::MAX,
            cycles => self.now + cycles,
        };
        let tally = self.memory.tally();
        let (memory_read, memory_written) = (tally.memory_read, tally.memory_written);
        let executed = self.counted + self.executed;
        recorder.event(self.now, &Event::Sample { executed, memory_read, memory_written });
    }
}

impl Engine {
    pub fn new(machine: Arc<Machine>) -> Engine {
        Self::with(machine, Options::default(), None)
    }

    pub fn with(machine: Arc<Machine>, options: Options, recorder: Option<Box<dyn Recorder>>) -> Engine {
        let wgps = machine.wgps() as usize;
        let cus = machine.shape.cus.value as usize;
        let simds = wgps * machine.simds_per_wgp() as usize;
        let recorded = recorder.is_some();
        let clock = Clock {
            now: 0,
            agenda: Agenda::default(),
            memory: Hierarchy::new(&machine),
            rooms: Rooms::new(&machine),
            recorder,
            vector: vec![SharedPath::default(); cus],
            lds: vec![SharedPath::default(); cus],
            scalar: vec![SharedPath::default(); wgps],
            codes: Codes::default(),
            order: options.seed.map(Order::new),
            touch: Touch::default(),
            executed: 0,
            counted: 0,
            sample: if recorded { 0 } else { u64::MAX },
        };
        Engine {
            simds: (0..simds).map(|n| Simd::new(n, &machine)).collect(),
            front: Front::new(&machine),
            groups: Groups::default(),
            machine,
            options,
            clock,
            events: 0,
            view: None,
        }
    }

    /// The cycle that the machine has come to.
    pub fn now(&self) -> u64 {
        self.clock.now
    }

    pub fn memory(&self) -> &Hierarchy {
        &self.clock.memory
    }

    /// Why the recorder records nothing any more.
    pub fn recording_failure(&self) -> Option<&str> {
        self.clock.recorder.as_ref()?.failure()
    }

    /// Dispatches that ended since last asked; of very many, the last ones.
    pub fn reports(&mut self) -> Vec<DispatchReport> {
        self.front.ledger.take_reports()
    }

    /// Ended dispatches since power-on, summed by the address of their code; last, without one, those of too many kernels.
    pub fn kernels(&self) -> impl Iterator<Item = (Option<u64>, &KernelReport)> {
        self.front.ledger.kernels()
    }

    /// What all waves did since power-on, those of dispatches that have not ended among them.
    pub fn totals(&self) -> Counters {
        self.front.totals()
    }

    /// Counters of every instruction that was executed, over all dispatches, by its address; of the last code there.
    pub fn profile(&self) -> BTreeMap<u64, InstrCounters> {
        self.clock.codes.by_address()
    }
}

impl Timekeeper for Engine {
    fn advance(&mut self, machine: &Timed<'_>) -> bool {
        let Engine { machine: figures, options, clock, front, simds, groups, events, view } = self;
        let view = view.get_or_insert_with(|| machine.memory());
        let before = machine.interrupts();
        let mut rung = machine.doorbells();
        let mut run = Run { clock, machine, view, groups, front, simds, figures, options: *options };
        run.look();
        let mut passed = false;
        while let Some((cycle, actor)) = run.clock.agenda.pop() {
            *events += 1;
            run.clock.now = cycle;
            machine.set_cycle(cycle);
            if cycle >= run.clock.sample {
                run.clock.record_sums();
            }
            match actor.checked_sub(FIRST_SIMD) {
                None => {
                    machine.refresh(run.view);
                    run.front();
                }
                Some(simd) if run.simds[simd].due == cycle => run.simd(simd, cycle),
                Some(_) => continue,
            }
            if machine.interrupts() != before {
                passed = true;
                break;
            }
            if (*events).is_multiple_of(LOOK) {
                if machine.doorbells() != rung {
                    rung = machine.doorbells();
                    run.look();
                }
                run.check_time();
            }
        }
        if run.clock.recorder.is_some() {
            run.clock.record_sums();
        }
        if let Some(recorder) = &mut run.clock.recorder {
            recorder.flush();
        }
        run.clock.counted += run.clock.executed;
        machine.count(std::mem::take(&mut run.clock.executed), 0, 0);
        passed
    }
}
