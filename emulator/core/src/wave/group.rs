//! A work-group: launch state, and its waves in turn on one host thread.

use super::beginning::{Beginning, Launching, system_sgprs};
use super::block::{CodeCache, Front};
use super::check::{self, Checker};
use super::device::{Device, Passage};
use super::env::{Clock, Env, Lds, SLOTS};
use super::meeting;
use super::mem::Images;
use super::probe::{Probe, Silent, WaveView};
use super::report::{self, Stop};
use super::state::{Status, Wave};
use super::step::Cursor;
use super::thread_trace::ThreadTrace;
use super::together::{Round, Turns, stream, together};
use super::turn::{Bound, QUANTUM, turn};
use super::{Launch, Outcome, WaveFault};
use crate::memory::MemoryMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use wavepipe_hw::fault::WaveSite;
use wavepipe_hw::finding::Finding;
use wavepipe_hw::site::Messages;

/// Instructions that the waves in front of one with a fault run for a fault of their own: they may wait for the one that is gone.
const GRACE: u64 = 1 << 22;

/// The fault that is told if no wave in front of it has one.
struct FirstFault {
    wave: usize,
    fault: Box<WaveFault>,
    /// Instructions that the others may still run.
    left: u64,
}

impl FirstFault {
    fn of(
        wave: usize,
        w: &mut Wave,
        launch: Option<&Launch>,
        id: [u32; 3],
        stop: Stop,
        left: u64,
    ) -> Option<FirstFault> {
        match report::fault(w, launch, id, stop) {
            Outcome::Fault(fault) => Some(FirstFault { wave, fault, left }),
            _ => None,
        }
    }
}

/// A work-group: waves, registers, LDS, barrier state. Reusable: `start` keeps allocations.
pub struct WorkGroup {
    id: [u32; 3],
    /// The first `count` are this work-group's; the others are kept for their memory.
    waves: Vec<Wave>,
    count: usize,
    /// So many of them have been launched, and where their scratch begins.
    begun: usize,
    scratch: u32,
    /// As far as is known, its waves end with their first turn.
    streams: bool,
    /// Whose turn it is.
    turn: usize,
    lds: Lds,
    front: Front,
    /// Where the waves stand that go step by step.
    cursors: Vec<Cursor>,
    /// Somebody may have moved them.
    stepped: bool,
    device: Arc<Device>,
    /// Its dispatch's, which may be that of the work-group before it, and its own for when it runs alone.
    passage: Option<Passage>,
    in_dispatch: bool,
    alone: Passage,
    beginning: Beginning,
    /// Room for the addresses that a probe is shown.
    at: Box<[u64; 64]>,
    /// Its own number in its dispatch.
    number: u64,
    instructions: u64,
    /// The first fault so far, while waves in front of it go on.
    fault: Option<FirstFault>,
    /// What its instructions are checked for, if anything.
    checker: Option<Box<Checker>>,
    images: Images,
    /// What its waves send to the thread trace, if anybody reads it.
    trace: Option<Box<ThreadTrace>>,
}

impl Default for WorkGroup {
    fn default() -> Self {
        Self::new()
    }
}

impl WorkGroup {
    /// On a device of its own.
    pub fn new() -> Self {
        Self::on(Arc::default())
    }

    /// On a device that it shares.
    pub fn on(device: Arc<Device>) -> Self {
        WorkGroup {
            id: [0; 3],
            waves: Vec::new(),
            count: 0,
            begun: 0,
            scratch: 0,
            streams: true,
            turn: 0,
            lds: Lds::default(),
            front: Front::default(),
            cursors: Vec::new(),
            stepped: false,
            checker: Checker::new(&device),
            trace: device.thread_trace.then(Box::default),
            device,
            passage: None,
            in_dispatch: false,
            alone: Passage::default(),
            beginning: Beginning::default(),
            at: Box::new([0; 64]),
            number: 0,
            instructions: 0,
            fault: None,
            images: Images::default(),
        }
    }

    /// Resets to the launch state of work-group `id`. `scratch_wave_offset`: of wave 0, bytes.
    pub fn start(&mut self, launch: &Arc<Launch>, id: [u32; 3], scratch_wave_offset: u32) {
        self.start_unseen(launch, id, launch.workgroup, scratch_wave_offset);
        self.show();
    }

    /// What was [started unseen](WorkGroup::start_unseen) is to be looked at, or changed by others than its program.
    pub(crate) fn show(&mut self) {
        self.begin();
        self.make_zero();
        self.waves[..self.count].iter_mut().for_each(|w| w.beginning = 0);
    }

    /// Launches the waves that have not been launched yet.
    fn begin(&mut self) {
        let Some(launch) = self.beginning.launch() else { return };
        let launching = Launching { beginning: &self.beginning, launch, id: self.id, scratch: self.scratch };
        launching.put_others(&mut self.waves[..self.count], self.begun);
        self.begun = self.count;
    }

    /// Vector registers that are whatever they were.
    fn make_zero(&mut self) {
        self.waves[..self.count].iter_mut().filter(|w| w.stale).for_each(|w| w.make_zero(None));
    }

    /// As [`WorkGroup::start`], with `size` work-items instead of the launch's full size, if nobody but the program looks at its registers:
    /// what that cannot see of them may be anything, and waves are launched when they run. It is not stepped.
    ///
    /// Inlined, as what it calls, so that the size stays words: one that was just stored word by word, and is read as a whole
    /// again, waits until everything that the work-group before it stored has left the processor.
    #[inline(always)]
    pub fn start_unseen(&mut self, launch: &Arc<Launch>, id: [u32; 3], size: [u32; 3], scratch_wave_offset: u32) {
        if self.beginning.make(launch, size) {
            self.streams = true;
        }
        let count = self.beginning.waves();
        if self.waves.len() < count {
            self.waves.resize_with(count, Wave::new);
        }
        self.lds.reset(launch.lds_bytes);
        (self.id, self.count, self.turn) = (id, count, 0);
        (self.begun, self.scratch) = (0, scratch_wave_offset);
        if std::mem::take(&mut self.stepped) || self.cursors.len() != count {
            self.cursors.clear();
            self.cursors.resize_with(count, Cursor::default);
        }
        (self.number, self.fault) = (0, None);
        if !std::mem::take(&mut self.in_dispatch) {
            self.alone.reset();
        }
        if let Some(checker) = &mut self.checker {
            let system = system_sgprs(launch).into_iter().filter(|has| *has).count();
            let sgprs = launch.user_sgprs.min(16) + system as u32;
            let group = check::Group {
                id,
                waves: count,
                isa: launch.isa,
                code_va: launch.code_va,
                lds_bytes: launch.lds_bytes,
                sgprs,
                vgprs: launch.tidig_comp_cnt.min(2) + 1,
            };
            checker.start(group, &self.alone);
            checker.launched(launch, size);
        }
        if let Some(trace) = &mut self.trace {
            trace.start(id, count, launch.code_va);
        }
    }

    /// Makes the started work-group the `n`th of a dispatch.
    pub fn in_dispatch(&mut self, passage: &Passage, n: u64) {
        if !self.passage.as_ref().is_some_and(|p| p.is(passage)) {
            self.passage = Some(passage.clone());
        }
        (self.in_dispatch, self.number) = (true, n);
        if let Some(checker) = &mut self.checker {
            checker.note_at(passage);
        }
    }

    /// What was found wrong with it since last asked, and how many other findings there are, if it runs alone.
    pub fn take_findings(&self) -> (Vec<Finding>, u64) {
        self.alone.findings().take()
    }

    /// Runs until every wave ended, or `budget` wave-instructions were executed, or there are many messages to take, or nothing but waves that wait for other
    /// work-groups is left, or a fault.
    pub fn run(&mut self, map: &MemoryMap, code: &CodeCache, budget: u64) -> Outcome {
        self.run_until(map, code, budget, &AtomicBool::new(false))
    }

    /// As [`WorkGroup::run`], and comes back at the end of a block once `preempt` is set: with all of its state, as from
    /// a budget that is used up.
    pub fn run_until(&mut self, map: &MemoryMap, code: &CodeCache, budget: u64, preempt: &AtomicBool) -> Outcome {
        match self.checker.take() {
            None => self.run_while(map, code, budget, preempt, &mut Silent),
            Some(mut checker) => {
                let outcome = self.run_while(map, code, budget, preempt, &mut *checker);
                checker.pause();
                self.checker = Some(checker);
                outcome
            }
        }
    }

    /// As [`WorkGroup::run`], showing every instruction to `probe`.
    pub fn run_with<P: Probe>(&mut self, map: &MemoryMap, code: &CodeCache, budget: u64, probe: &mut P) -> Outcome {
        self.run_while(map, code, budget, &AtomicBool::new(false), probe)
    }

    fn run_while<P: Probe>(
        &mut self,
        map: &MemoryMap,
        code: &CodeCache,
        budget: u64,
        preempt: &AtomicBool,
        probe: &mut P,
    ) -> Outcome {
        let hosts = !P::ACTIVE && code.host().is_some();
        if !hosts || self.begun > 0 || !self.streams {
            self.begin();
        }
        if P::ACTIVE {
            self.make_zero();
        }
        self.front.refresh(map, code);
        let mut texels = Vec::new();
        let mut env = Env {
            map,
            lds: &self.lds,
            device: &self.device,
            passage: if self.in_dispatch { self.passage.as_ref().unwrap_or(&self.alone) } else { &self.alone },
            number: self.number,
            waves: self.count as u32,
            border_colors: self.beginning.launch().map_or(0, |l| l.border_colors),
            clock: Clock::Host,
            texels: (P::ACTIVE && (probe.wants_stores(false) || probe.wants_texels())).then_some(&mut texels),
            trace: self.trace.as_deref_mut(),
            regions: [None; SLOTS],
            images: &self.images,
        };
        let waves = &mut self.waves[..self.count];
        let (mut spent, bound) = (0, Bound { budget, preempt });
        if self.begun < waves.len()
            && let Some(launch) = self.beginning.launch()
        {
            let launching = Launching { beginning: &self.beginning, launch, id: self.id, scratch: self.scratch };
            let streamed = stream(waves, launching, &mut env, &mut self.front, &mut spent, bound);
            if streamed.ended && streamed.begun == waves.len() {
                self.begun = streamed.begun;
                self.instructions += spent;
                return Outcome::Done;
            }
            self.streams &= !streamed.stays;
            launching.put_others(waves, streamed.begun);
            self.begun = waves.len();
            let last = streamed.begun - 1;
            if let Some(stop) = streamed.stop {
                self.fault = FirstFault::of(last, &mut waves[last], Some(launch), self.id, stop, spent + GRACE);
            }
            let next = if waves[last].status == Status::Ready { last } else { streamed.begun };
            self.turn = if next < waves.len() { next } else { 0 };
        }
        let outcome = loop {
            let (mut ran, mut moved, mut over) = (false, false, false);
            let mut round = Round::default();
            let mut left = waves.len();
            while left > 0 {
                let from = self.turn;
                let mut turns = Turns::default();
                if hosts && self.fault.is_none() {
                    let to = waves.len().min(from + left);
                    turns = together(&mut waves[from..to], &mut env, &mut self.front, &mut spent, bound);
                }
                if turns.count == 0 {
                    let w = &mut waves[from];
                    turns.count = 1;
                    // One behind a fault can have none that is told.
                    let stays = matches!(w.status, Status::Ended | Status::AtBarrier)
                        || self.fault.as_ref().is_some_and(|f| from > f.wave);
                    if !stays {
                        w.status = Status::Ready;
                        turns.ran = true;
                        let before = spent;
                        turns.stop = turn(w, &mut env, &mut self.front, code, &mut spent, bound, (probe, &mut self.at));
                        // To look in vain once more is no progress.
                        turns.moved = w.status != Status::Waiting || spent > before + 1;
                    }
                    turns.round.saw(w.status);
                }
                let next = from + turns.count;
                (ran, moved) = (ran | turns.ran, moved | turns.moved);
                // A wave that used up the budget keeps its turn's order: the next one starts the next call.
                self.turn = if next < waves.len() { next } else { 0 };
                left -= turns.count;
                if let Some(stop) = turns.stop {
                    let left = self.fault.as_ref().map_or(spent + GRACE, |f| f.left);
                    let launch = self.beginning.launch().map(|l| &**l);
                    self.fault = FirstFault::of(next - 1, &mut waves[next - 1], launch, self.id, stop, left);
                    turns.round.ended += 1;
                }
                round.add(&turns.round);
                over = env.trace.as_deref().is_some_and(ThreadTrace::is_full);
                if over || bound.is_over(spent) {
                    round = Round::default();
                    waves.iter().for_each(|w| round.saw(w.status));
                    break;
                }
            }
            if let Some(first) = &self.fault {
                let still = |w: &Wave| matches!(w.status, Status::Ended | Status::AtBarrier);
                if (waves[..first.wave].iter().all(still) || spent >= first.left)
                    && let Some(first) = self.fault.take()
                {
                    break Outcome::Fault(first.fault);
                }
            } else if round.ended == waves.len() {
                break Outcome::Done;
            }
            if over || bound.is_over(spent) || ran && !moved {
                break Outcome::Budget;
            }
            // Waves that ended do not count at a barrier.
            if !ran || round.ended + round.at_barrier == waves.len() {
                let (launch, passage) = (self.beginning.launch().map(|l| &**l), env.passage);
                let group = meeting::Group { launch, id: self.id, passage, device: env.device };
                if let Some(wave) = meeting::open(waves, &group, map) {
                    self.instructions += spent;
                    let stop = report::barrier(&waves[wave], map);
                    return report::fault(&mut waves[wave], launch, self.id, stop);
                }
            }
        };
        if let Some(first) = &mut self.fault {
            // A look in vain at what another work-group does costs something.
            first.left = first.left.saturating_sub(spent.max(QUANTUM));
        }
        self.instructions += spent;
        outcome
    }

    /// What the step functions work on: waves, where they stand, and the cache of blocks.
    pub(super) fn stepping(&mut self) -> (&mut [Wave], &mut [Cursor], &mut Front) {
        self.stepped = true;
        debug_assert!(!self.waves[..self.count].iter().any(|w| w.stale));
        (&mut self.waves[..self.count], &mut self.cursors, &mut self.front)
    }

    /// What its waves have sent to the thread trace since last asked: whole messages, if there are any.
    pub fn take_messages(&mut self) -> Option<Messages> {
        self.trace.as_mut()?.take()
    }

    pub(super) fn parts(&mut self) -> Parts<'_> {
        self.stepped = true;
        debug_assert!(!self.waves[..self.count].iter().any(|w| w.stale));
        Parts {
            waves: &mut self.waves[..self.count],
            cursors: &mut self.cursors,
            lds: &self.lds,
            checker: self.checker.as_deref_mut(),
            trace: self.trace.as_deref_mut(),
            device: &self.device,
            passage: if self.in_dispatch { self.passage.as_ref().unwrap_or(&self.alone) } else { &self.alone },
            number: self.number,
            count: self.count as u32,
            border_colors: self.beginning.launch().map_or(0, |l| l.border_colors),
            images: &self.images,
        }
    }

    pub(super) fn lds(&self) -> &Lds {
        &self.lds
    }

    pub(super) fn identity(&self) -> (Option<Arc<Launch>>, [u32; 3]) {
        (self.beginning.launch().cloned(), self.id)
    }

    /// Wave-instructions since last asked.
    pub fn instructions(&mut self) -> u64 {
        std::mem::take(&mut self.instructions)
    }

    /// Waves of the work-group that was started last.
    pub fn waves(&self) -> usize {
        self.count
    }

    /// Whether nothing but waves that wait for other work-groups is left.
    pub fn only_waits(&self) -> bool {
        self.waves[..self.count].iter().all(|w| matches!(w.status, Status::Waiting | Status::AtBarrier | Status::Ended))
    }

    /// A wave's registers, for tests and debuggers.
    pub fn wave(&self, i: usize) -> Option<WaveView<'_>> {
        self.waves[..self.count].get(i).map(WaveView)
    }

    /// Rows of 32 lanes that image instructions served at once so far.
    pub fn image_rows_at_once(&self) -> u64 {
        self.images.at_once.get()
    }

    /// Where the waves stand that have not ended; for timeout reports.
    pub fn site(&self, map: &MemoryMap) -> Option<WaveSite> {
        report::standing(&self.waves[..self.count], self.beginning.launch().map(|l| &**l), self.id, map)
    }
}

/// A work-group in pieces, for one step.
pub(super) struct Parts<'g> {
    pub waves: &'g mut [Wave],
    pub cursors: &'g mut [Cursor],
    pub checker: Option<&'g mut Checker>,
    pub trace: Option<&'g mut ThreadTrace>,
    pub lds: &'g Lds,
    pub device: &'g Device,
    pub passage: &'g Passage,
    pub number: u64,
    pub count: u32,
    pub border_colors: u64,
    pub images: &'g Images,
}
