//! One SIMD: which of its waves issue in a cycle, and what that does.
//!
//! Algorithm of [`Run::simd`]: look through the waves, those of higher S_SETPRIO first, then the oldest. A wave issues if its next
//! pass is ready, no other wave has used the pass's port in this cycle, its unit is free, the front end's width is not used
//! up, and no clause of another wave holds the port. Where the SIMDs of a compute unit have one front end, each acts in its turn
//! only. Then compute the earliest cycle at which any of them may issue.

use super::access::{self, From};
use super::spec::{self, Effect, Path, Port, TimedCode, UNITS, Unit};
use super::wave::{NEVER, Need, TimedWave};
use super::{Clock, FIRST_SIMD, Run};
use crate::memory::{Invalidate, add_each};
use crate::observe::{Event, WaveSlot};
use crate::reason::Reason;
use wavepipe_core::wave::{Flow, WaveFault};
use wavepipe_hw::machine::Machine;
use wavepipe_isa::row::Class;
use wavepipe_isa::wait::Counter;

pub struct Simd {
    /// Number in the machine, of its work-group processor, and in that.
    pub number: usize,
    pub wgp: usize,
    pub within: usize,
    pub cu: usize,
    in_cu: usize,
    per_cu: usize,
    per_wgp: usize,
    /// Cycles from one turn at the front end to the next.
    turns: u64,
    /// When it is on the agenda.
    pub due: u64,
    pub slots: Vec<Option<Box<TimedWave>>>,
    /// What choosing needs of each slot's wave, side by side.
    hot: Box<[Hot]>,
    /// Slots with waves, in the order in which they are served.
    pub order: Vec<u8>,
    unit_free: [u64; UNITS],
    /// At most one of each wave.
    clauses: Vec<Clause>,
    by_group: bool,
}

/// When a slot's wave may issue, and by which way; a copy of the wave's own.
#[derive(Clone, Copy)]
struct Hot {
    ready: u64,
    need: Need,
}

const NOBODY: Hot = Hot { ready: NEVER, need: Need { port: Port::Internal, unit: Unit::Control } };

/// A path to memory, and whose turn it is among the SIMDs that share it.
#[derive(Clone, Copy, Default)]
pub(crate) struct SharedPath {
    /// From which cycle it takes the next instruction.
    free: u64,
    /// The SIMD that issued last.
    last: usize,
}

impl SharedPath {
    /// From which cycle it takes one of SIMD `simd` of `all`. Those that wait for it go in turn: each SIMD after the one that
    /// issued last tries a cycle later, which the path's queue bridges.
    #[inline]
    fn free_for(&self, simd: usize, all: usize) -> u64 {
        let after = if simd > self.last { simd } else { simd + all };
        self.free + (after - self.last - 1) as u64
    }
}

/// Instructions that one wave issues in one piece.
struct Clause {
    slot: u8,
    left: u8,
    span: u8,
    since: u8,
    /// Known from its first instruction on.
    port: Option<Port>,
}

impl Simd {
    pub fn new(number: usize, machine: &Machine) -> Simd {
        let per_wgp = machine.simds_per_wgp() as usize;
        let (wgp, within) = (number / per_wgp, number % per_wgp);
        let per_cu = machine.shape.simds_per_cu.value as usize;
        Simd {
            number,
            wgp,
            within,
            cu: wgp * machine.shape.cus_per_wgp.value as usize + within / per_cu,
            in_cu: within % per_cu,
            per_cu,
            per_wgp,
            turns: machine.issue.turns.value,
            due: NEVER,
            slots: (0..machine.simd.wave_slots.value).map(|_| None).collect(),
            hot: vec![NOBODY; machine.simd.wave_slots.value as usize].into(),
            order: Vec::new(),
            unit_free: [0; UNITS],
            clauses: Vec::new(),
            by_group: machine.issue.oldest_group_first.value != 0,
        }
    }

    /// Puts a wave into a free slot.
    pub fn put(&mut self, wave: Box<TimedWave>) -> Option<u32> {
        let slot = self.slots.iter().position(Option::is_none)?;
        self.slots[slot] = Some(wave);
        self.order.push(slot as u8);
        self.sort();
        self.refresh(slot);
        Some(slot as u32)
    }

    /// Takes a wave out of its slot.
    pub fn take(&mut self, slot: u32) -> Option<Box<TimedWave>> {
        self.order.retain(|s| u32::from(*s) != slot);
        self.clauses.retain(|c| u32::from(c.slot) != slot);
        let wave = self.slots.get_mut(slot as usize)?.take();
        self.refresh(slot as usize);
        wave
    }

    /// Copies what choosing needs of a slot's wave, after that changed.
    pub fn refresh(&mut self, slot: usize) {
        self.hot[slot] = match &self.slots[slot] {
            Some(wave) if !wave.parked => Hot { ready: wave.ready, need: wave.need },
            _ => NOBODY,
        };
    }

    /// Orders the waves: priority, then age of the wave or of its work-group.
    fn sort(&mut self) {
        let Simd { slots, order, by_group, .. } = self;
        order.sort_by_key(|s| {
            slots[usize::from(*s)].as_ref().map(|w| {
                let first = if *by_group { w.group_age } else { 0 };
                (std::cmp::Reverse(w.priority), first, w.age)
            })
        });
    }

    /// Makes sure that it is on the agenda at `cycle` or earlier.
    pub fn wake(&mut self, cycle: u64, clock: &mut Clock) {
        let cycle = self.turn(cycle);
        if cycle < self.due {
            self.due = cycle;
            clock.wake(cycle, FIRST_SIMD + self.number);
        }
    }

    /// Its first turn from `cycle` on.
    #[inline]
    fn turn(&self, cycle: u64) -> u64 {
        match self.turns {
            1 => cycle,
            turns => cycle + (self.in_cu as u64 + turns - cycle % turns) % turns,
        }
    }

    /// Another instruction of `slot` issued.
    fn count_clause(&mut self, slot: u8, port: Port) {
        let Some(at) = self.clauses.iter().position(|c| c.slot == slot) else { return };
        let c = &mut self.clauses[at];
        c.port.get_or_insert(port);
        c.left = c.left.saturating_sub(1);
        c.since = if c.span > 0 && c.since >= c.span { 1 } else { c.since + 1 };
        if c.left == 0 {
            self.clauses.remove(at);
        }
    }

    /// From which cycle a unit takes a pass.
    #[inline]
    fn free(&self, unit: Unit, clock: &Clock) -> u64 {
        match unit {
            Unit::Vector => clock.vector[self.cu].free_for(self.in_cu, self.per_cu),
            Unit::Lds => clock.lds[self.cu].free_for(self.in_cu, self.per_cu).max(self.unit_free[unit as usize]),
            Unit::ScalarMemory => {
                let shared = clock.scalar[self.wgp].free_for(self.within, self.per_wgp);
                shared.max(self.unit_free[unit as usize])
            }
            local => self.unit_free[local as usize],
        }
    }

    /// Whether another wave's clause holds the port.
    #[inline]
    fn held(&self, slot: u8, port: Port) -> bool {
        let paused = |c: &Clause| c.span > 0 && c.since >= c.span;
        self.clauses.iter().any(|c| c.slot != slot && c.port == Some(port) && !paused(c))
    }
}

impl Run<'_, '_> {
    /// Lets SIMD `number` issue what it can.
    pub fn simd(&mut self, number: usize, now: u64) {
        self.simds[number].due = NEVER;
        let issue = &self.figures.issue;
        let mut width = issue.width.value;
        let mut room = [issue.vector.value, issue.scalar.value, issue.memory.value, issue.branch.value, u64::MAX];
        // Paths to memory that took an instruction in this cycle.
        let mut paths = 0u8;
        // Units that took no pass when a wave before asked: they do not become free within a cycle.
        let mut busy = [false; UNITS];
        let mut i = 0;
        while i < self.simds[number].order.len() {
            let simd = &self.simds[number];
            let slot = simd.order[i];
            i += 1;
            let Hot { ready, need: Need { port, unit } } = simd.hot[usize::from(slot)];
            if ready > now {
                continue;
            }
            let internal = port == Port::Internal;
            let path = if port == Port::Memory { 1 << unit as u8 } else { 0 };
            if room[port as usize] == 0 || !internal && width == 0 || paths & path != 0 || busy[unit as usize] {
                continue;
            }
            // Who has the turn of a seed waits for nobody's clause.
            let shut = match self.clock.order {
                Some(_) => !self.has_turn(number, slot),
                None => simd.held(slot, port),
            };
            if shut {
                continue;
            }
            if simd.free(unit, self.clock) > now {
                busy[unit as usize] = true;
                continue;
            }
            room[port as usize] -= 1;
            paths |= path;
            width -= u64::from(!internal);
            self.issue(number, slot, now);
            // A wave that ended, or was taken off with its queue, is no longer in the order.
            i = i.min(self.simds[number].order.iter().position(|s| *s == slot).map_or(i - 1, |at| at + 1));
        }
        let simd = &self.simds[number];
        let mut next = NEVER;
        // From when each unit is free, once a wave asks for it.
        let mut free = [NEVER; UNITS];
        for slot in &simd.order {
            let Hot { ready, need } = simd.hot[usize::from(*slot)];
            if ready < next && (self.clock.order.is_none() || self.has_turn(number, *slot)) {
                let free = &mut free[need.unit as usize];
                if *free == NEVER {
                    *free = simd.free(need.unit, self.clock);
                }
                next = next.min(ready.max(*free).max(now + 1));
                if next == now + 1 {
                    break;
                }
            }
        }
        if next != NEVER {
            self.simds[number].wake(next, self.clock);
        }
    }

    /// Whether the order of a seed lets a wave issue: it has the turn, or goes on with an instruction that it has executed.
    fn has_turn(&self, number: usize, slot: u8) -> bool {
        let wave = self.simds[number].slots[usize::from(slot)].as_ref();
        let order = self.clock.order.as_ref();
        wave.is_some_and(|w| w.begun || order.is_none_or(|o| o.is_wave(w.group, w.index)))
    }

    /// Finds where a wave stands, and when its next pass may issue.
    pub fn settle(&mut self, wave: &mut TimedWave, wgp: usize, within: usize) {
        let index = wave.index as usize;
        if !wave.begun {
            let Some(group) = self.groups.get(wave.group) else { return };
            let outside = self.machine.outside(self.view, wave.issued);
            match group.work.next(index, &outside) {
                Some((code, at)) => {
                    wave.at = at;
                    if !wave.code.as_ref().is_some_and(|c| c.code.same(code)) {
                        let generation = self.machine.code_generation();
                        wave.code = Some(self.clock.codes.find(code, generation, self.figures));
                    }
                }
                None => {
                    // It stands nowhere; the step that follows reports what is wrong.
                    wave.code = None;
                    (wave.ready, wave.reason) = (wave.issued + 1, Reason::Arbitration);
                    return;
                }
            }
        }
        let Some(group) = self.groups.get(wave.group) else { return };
        let exec = group.work.wave(index).map_or(0, |w| w.exec());
        let live = u8::from(exec as u32 != 0) | u8::from(exec >> 32 != 0) << 1;
        let line = self.figures.fetch.line.value;
        let fetch = (!self.options.warm_fetch).then_some((&mut self.clock.memory, line, wgp, within));
        wave.prepare(fetch, live);
    }

    /// Issues the next pass of a wave.
    fn issue(&mut self, number: usize, slot: u8, now: u64) {
        let Some(mut wave) = self.simds[number].slots[usize::from(slot)].take() else { return };
        let Some(dispatch) = self.groups.get(wave.group).map(|g| g.dispatch) else { return };
        let stalled = now.saturating_sub(wave.issued + 1 + std::mem::take(&mut wave.away));
        let waited = wave.ready.saturating_sub(wave.issued + 1).min(stalled);
        let reason = wave.reason;
        let stalls = [(reason, waited), (wave.need.unit.contention(), stalled - waited)];
        let counters = self.front.counters(dispatch);
        stalls.iter().for_each(|(reason, cycles)| counters.stalls[*reason as usize] += cycles);
        counters.passes += 1;

        let code = wave.code.take();
        let at = wave.at - usize::from(wave.begun);
        let op = code.as_ref().and_then(|c| c.ops.get(at));
        let first = !wave.begun;
        wave.issued = now;
        wave.hold = (0, Reason::Arbitration);
        wave.asleep = false;
        if let (Some(code), Some(op)) = (&code, op) {
            if let Some(tally) = self.clock.codes.counters(code, at) {
                stalls.iter().for_each(|(reason, cycles)| tally.stalls[*reason as usize] += cycles);
                tally.issued += u64::from(first);
                tally.passes += 1;
            }
            let half = wave.half();
            let ready = [op.latency, op.scalar_latency, op.operand_latency].map(|latency| now + latency);
            wave.define(code.defs(op), half, ready, op.port == Port::Vector);
            if op.next > 1 {
                wave.hold = (now + op.next, Reason::Scalar);
            }
            wave.todo &= wave.todo.wrapping_sub(1);
            if !matches!(op.effect, Effect::Memory(_)) {
                counters.busy[op.unit as usize] += op.busy;
            }
            let simd = &mut self.simds[number];
            simd.unit_free[op.unit as usize] = now + op.busy;
            if first {
                simd.count_clause(slot, op.port);
            }
            if self.clock.recorder.as_ref().is_some_and(|r| r.instructions()) {
                let place = WaveSlot { simd: number as u32, slot: slot.into() };
                let (pc, instr) = (code.code.pc(at), code.code.instr(at));
                let (class, busy) = (op.class, op.busy);
                let event = Event::Issued { at: place, pc, instr, class, half, first, busy, stalled, reason };
                self.clock.event(now, &event);
            }
        }
        let priority = wave.priority;
        if first {
            let outcome = self.execute(&mut wave, number, slot, code.as_deref(), op, now);
            if let Some(outcome) = outcome {
                // The wave has ended, or its queue stops and takes it along.
                self.simds[number].slots[usize::from(slot)] = Some(wave);
                match outcome {
                    Last::Ended => self.wave_ended(number, slot.into(), now),
                    Last::Fault(fault) => self.fault(dispatch, *fault),
                }
                return self.went();
            }
            wave.begun = wave.todo != 0 && op.is_some_and(|op| op.by_halves);
            wave.at += usize::from(wave.begun);
        } else {
            wave.begun = wave.todo != 0;
        }
        let resort = wave.priority != priority;
        wave.code = code;
        let (wgp, within) = (self.simds[number].wgp, self.simds[number].within);
        self.settle(&mut wave, wgp, within);
        self.simds[number].slots[usize::from(slot)] = Some(wave);
        self.simds[number].refresh(slot.into());
        if resort {
            self.simds[number].sort();
        }
        if first {
            self.went();
        }
    }

    /// Behind an instruction: in the order of a seed somebody else may be next.
    fn went(&mut self) {
        if let Some(order) = &mut self.clock.order {
            order.went();
            self.draw();
        }
    }

    /// Executes the instruction that a wave stands at, and does what it does to the clock. `None`: the wave goes on.
    fn execute(
        &mut self,
        wave: &mut TimedWave,
        number: usize,
        slot: u8,
        code: Option<&TimedCode>,
        op: Option<&spec::Timed>,
        now: u64,
    ) -> Option<Last> {
        let (cu, wgp, within) = (self.simds[number].cu, self.simds[number].wgp, self.simds[number].within);
        let group = self.groups.get(wave.group)?;
        let index = wave.index as usize;
        let outside = self.machine.outside(self.view, now);
        let (exec, apertures) = group.work.wave(index).map_or_else(Default::default, |w| (w.exec(), w.apertures()));
        let memory = match op.map(|op| op.effect) {
            Some(Effect::Memory(spec)) => Some(spec),
            _ => None,
        };
        let touch = &mut self.clock.touch;
        if memory.is_some() {
            group.work.touch(index, touch);
        }
        let flow = self.machine.step(&mut group.work, index, &outside, touch);
        self.clock.executed += 1;
        let counters = self.front.counters(group.dispatch);
        counters.instructions += 1;
        if let (Some(op), Some(code)) = (op, code) {
            counters.by_class[op.class as usize] += 1;
            let lanes = u64::from(exec.count_ones());
            if (op.by_lanes || memory.is_some()) && op.class != Class::Smem {
                counters.lanes += lanes;
                counters.lane_instructions += 1;
                let ops = op.float_ops.map(|n| u64::from(n) * lanes);
                add_each(&mut counters.float_ops, &ops);
                if let Some(tally) = self.clock.codes.counters(code, wave.at) {
                    tally.lanes += lanes;
                    tally.lane_instructions += 1;
                    tally.float_ops += ops.iter().sum::<u64>();
                }
            }
        }
        if let Some(spec) = memory {
            let half = group.place.as_ref().map_or(0, |p| p.cu);
            let lds_base = group.place.as_ref().map_or(0, |p| p.lds_base());
            let from =
                From { cu, wgp, simd: within, half, wgp_mode: group.wgp_mode, lds_base, shared: apertures.shared };
            let out = access::access(&mut self.clock.memory, now, from, &spec, touch, wave.lanes);
            let ahead = self.figures.issue.memory_queue.value;
            let in_cu = self.simds[number].in_cu;
            let (sum, path, simd) = match spec.path {
                Path::Scalar => (&mut counters.scalar, &mut self.clock.scalar[wgp], within),
                Path::Lds => (&mut counters.lds, &mut self.clock.lds[cu], in_cu),
                _ => (&mut counters.vector, &mut self.clock.vector[cu], in_cu),
            };
            sum.add(&out.met);
            let vector = matches!(spec.path, Path::Vector | Path::Image | Path::Flat);
            counters.vector_stores += u64::from(vector && !spec.kind.returns());
            if let Some(op) = op {
                counters.busy[op.unit as usize] += u64::from(out.met.service);
            }
            *path = SharedPath { free: out.taken.saturating_sub(ahead), last: simd };
            if let Some(code) = code
                && let Some(tally) = self.clock.codes.counters(code, wave.at)
            {
                tally.met.add(&out.met);
            }
            if self.clock.recorder.as_ref().is_some_and(|r| r.instructions()) {
                let at = WaveSlot { simd: number as u32, slot: slot.into() };
                self.clock.event(now, &Event::Accessed { at, met: &out.met, done: out.done });
            }
            let mut done = out.done;
            if spec.counted.queue.is_some() && spec.counted.counter != Counter::Vs {
                let last = &mut wave.returned[usize::from(spec.path == Path::Lds)];
                done = done.max(*last);
                *last = done;
            }
            wave.count(spec.counted.counter, done, now);
            if spec.path == Path::Flat {
                wave.count(Counter::Lgkm, out.lds_done.unwrap_or(done), now);
            }
        }
        match op.map_or(Effect::None, |op| op.effect) {
            Effect::Invalidate(what) => {
                let done = self.clock.memory.invalidate(now, cu, what);
                let vector = matches!(what, Invalidate::L0 | Invalidate::L1);
                wave.count(if vector { Counter::Vm } else { Counter::Lgkm }, done, now);
            }
            Effect::Idle(cycles) => wave.hold = (now + 1 + cycles, Reason::Idle),
            Effect::Sleep(cycles) => (wave.hold, wave.asleep) = ((now + 1 + cycles, Reason::Idle), cycles > 0),
            Effect::Branch => {
                let latency = &self.figures.latency;
                let taken = matches!(flow, Flow::Jump);
                let cost = if taken { latency.branch_taken.value } else { latency.branch_not_taken.value };
                wave.hold = (now + cost, Reason::Branch);
            }
            Effect::Clause { length, span } => {
                let simd = &mut self.simds[number];
                simd.clauses.retain(|c| c.slot != slot);
                simd.clauses.push(Clause { slot, left: length, span, since: 0, port: None });
            }
            Effect::Priority => {
                wave.priority = group.work.wave(index).map_or(0, |w| w.user_priority());
            }
            Effect::Wakeup => {
                for (simd, slot) in group.slots.iter().flatten() {
                    if let Some(Some(w)) = self.simds[*simd as usize].slots.get_mut(*slot as usize)
                        && w.asleep
                    {
                        (w.ready, w.asleep) = (now + 1, false);
                        self.simds[*simd as usize].refresh(*slot as usize);
                        self.simds[*simd as usize].wake(now + 1, self.clock);
                    }
                }
            }
            _ => {}
        }
        match flow {
            Flow::Next | Flow::Jump | Flow::Sleep => None,
            Flow::Wait => {
                // What it waits for is another wave's doing: it tries again after a while.
                wave.hold = (now + self.figures.latency.sleep_unit.value, Reason::Barrier);
                None
            }
            Flow::Barrier => {
                wave.parked = true;
                self.barrier(wave, now);
                None
            }
            Flow::Ended => Some(Last::Ended),
            Flow::Fault(fault) => Some(Last::Fault(fault)),
        }
    }
}

/// How a wave's last step came out.
enum Last {
    Ended,
    Fault(Box<WaveFault>),
}
