//! Whose instruction is next, and its execution.
//!
//! Algorithm: one wave goes on until it ends, waits, sleeps or has executed [`WAVE_TURN`] instructions; then the next of its
//! work-group that can, around. One work-group goes on until it ends, or has had [`GROUP_TURN`] instructions, or as many looks in
//! vain; only then one more starts beside it, or the next resident one has its turn: so a work-group may wait for another. With a
//! schedule the next is whoever that says, as long as it can execute and stands where the schedule has it.
//!
//! Invariant: the order is a function of the dispatch, its schedule and memory at its begin, never of time or host. Invariant: between two
//! steps whose turn it is can execute, or the dispatch is over.

use crate::calls::Calls;
use crate::program::{Line, Program};
use crate::schedule::{Schedule, Turn};
use std::ops::Range;
use std::sync::Arc;
use wavepipe_core::dispatch::{Dispatch, ScratchSpace};
use wavepipe_core::timed::{Memory, SharedState, Timed};
use wavepipe_core::wave::{Flow, GroupState, Touch, WaveFault, WaveStatus, WorkGroup};

/// Instructions of a wave in a row, if it never waits.
const WAVE_TURN: u32 = 1 << 10;
/// Of a work-group.
const GROUP_TURN: u32 = 1 << 15;
/// What an instruction that only waits takes of a work-group's turn.
const IN_VAIN: u32 = 1 << 10;
/// Work-groups that are on the machine at a time.
const RESIDENT: usize = 256;

/// What a wave executed last.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Last {
    /// 0 before its first instruction.
    pub pc: u64,
    /// The last line that was known.
    pub line: Option<Line>,
}

struct Resident {
    number: u64,
    work: Box<WorkGroup>,
    scratch: Option<Range<u64>>,
    /// Whose turn it is in it.
    wave: usize,
    /// By wave, as the next one.
    last: Vec<Last>,
    calls: Vec<Calls>,
}

/// What a step did.
pub(crate) struct Executed {
    pub turn: Turn,
    pub pc: u64,
    /// Its last instruction, or a fault's.
    pub ended: bool,
    /// A barrier opened.
    pub opened: bool,
    pub fault: Option<Box<WaveFault>>,
}

/// A dispatch while it runs.
pub(crate) struct Execution {
    pub dispatch: Arc<Dispatch>,
    residents: Vec<Resident>,
    at: usize,
    /// The work-group that starts next.
    next: u64,
    wave_left: u32,
    group_left: u32,
    scratch: ScratchSpace,
    spare: Vec<Box<WorkGroup>>,
    touch: Touch,
    pub executed: u64,
    /// The most that were executed: what is behind is executed again.
    pub furthest: u64,
    started: u64,
    /// The machine's cycle at its begin.
    begin: u64,
    schedule: Option<Schedule>,
    /// The position from which on the schedule is not followed: what it says cannot be.
    left: u64,
}

struct KeptResident {
    number: u64,
    state: GroupState,
    scratch: Option<Range<u64>>,
    wave: usize,
    last: Vec<Last>,
    calls: Vec<Calls>,
}

/// All of it but memory, between two steps.
pub(crate) struct Kept {
    residents: Vec<KeptResident>,
    at: usize,
    next: u64,
    wave_left: u32,
    group_left: u32,
    scratch: ScratchSpace,
    pub executed: u64,
    left: u64,
    shared: SharedState,
}

impl Execution {
    pub fn new(
        dispatch: Arc<Dispatch>,
        begin: u64,
        schedule: Option<Schedule>,
        timed: &Timed<'_>,
        memory: &Memory,
    ) -> Execution {
        let mut execution = Execution {
            dispatch,
            residents: Vec::new(),
            at: 0,
            next: 0,
            wave_left: WAVE_TURN,
            group_left: GROUP_TURN,
            scratch: ScratchSpace::default(),
            spare: Vec::new(),
            touch: Touch::default(),
            executed: 0,
            furthest: 0,
            started: 0,
            begin,
            schedule,
            left: u64::MAX,
        };
        execution.settle(timed, memory);
        execution
    }

    /// The machine's clock.
    pub fn cycle(&self) -> u64 {
        self.begin + self.cycle_at(self.executed)
    }

    /// The cycle of a position since the begin: the schedule's, or a cycle an instruction.
    pub fn cycle_at(&self, executed: u64) -> u64 {
        self.schedule.as_ref().map_or(executed, |schedule| schedule.cycle(executed))
    }

    /// The schedule that is followed here.
    pub fn schedule(&self) -> Option<&Schedule> {
        self.schedule.as_ref().filter(|s| self.executed < self.left && s.at(self.executed).is_some())
    }

    /// Who is next; `None`: all have ended.
    pub fn turn(&self) -> Option<Turn> {
        self.residents.get(self.at).map(|r| Turn { group: r.number, wave: r.wave as u32 })
    }

    /// The work-group whose turn it is.
    pub fn current(&self) -> Option<&WorkGroup> {
        self.residents.get(self.at).map(|r| &*r.work)
    }

    /// A work-group that has started and not ended.
    pub fn group(&self, number: u64) -> Option<&WorkGroup> {
        self.residents.iter().find(|r| r.number == number).map(|r| &*r.work)
    }

    /// Where a work-group's part of the scratch ring begins, if it has one.
    pub fn scratch_of(&self, number: u64) -> Option<u64> {
        let resident = self.residents.iter().find(|r| r.number == number)?;
        resident.scratch.as_ref().map(|range| range.start)
    }

    /// Those, by number.
    pub fn groups(&self) -> impl Iterator<Item = (u64, &WorkGroup)> {
        self.residents.iter().map(|r| (r.number, &*r.work))
    }

    /// What the wave whose turn it is executed last.
    pub fn last(&self) -> Last {
        self.residents.get(self.at).and_then(|r| r.last.get(r.wave)).copied().unwrap_or_default()
    }

    /// The calls that a wave is in.
    pub fn calls(&self, turn: Turn) -> Option<&Calls> {
        self.residents.iter().find(|r| r.number == turn.group)?.calls.get(turn.wave as usize)
    }

    /// Where the wave stands whose turn it is.
    pub fn pc(&self) -> u64 {
        self.residents.get(self.at).and_then(|r| r.work.wave(r.wave)).map_or(0, |w| w.pc())
    }

    /// Whether the next instruction accesses memory or LDS.
    pub fn accesses(&mut self, timed: &Timed<'_>, memory: &Memory) -> bool {
        let outside = timed.outside(memory, self.cycle());
        let Some(resident) = self.residents.get_mut(self.at) else { return false };
        resident.work.next(resident.wave, &outside);
        resident.work.touch(resident.wave, &mut self.touch);
        self.touch.space.is_some()
    }

    /// Executes the next instruction. `None`: there is none.
    pub fn step(&mut self, timed: &Timed<'_>, memory: &Memory, programs: &[Program]) -> Option<Executed> {
        let turn = self.turn()?;
        let (pc, again) = (self.pc(), self.executed < self.furthest);
        let outside = timed.outside(memory, self.cycle());
        let resident = &mut self.residents[self.at];
        let (wave, work) = (resident.wave, &mut resident.work);
        let flow = match again {
            true => timed.step_again(work, wave, &outside, &mut self.touch),
            false => timed.step(work, wave, &outside, &mut self.touch),
        };
        self.executed += 1;
        if !again {
            self.furthest = self.executed;
            timed.count(1, 0, 0);
        }
        let last = &mut resident.last[wave];
        last.pc = pc;
        last.line = programs.iter().find_map(|p| p.line(pc)).or(last.line);
        let mut done = Executed { turn, pc, ended: false, opened: false, fault: None };
        self.wave_left -= 1;
        self.group_left -= 1;
        match flow {
            Flow::Next => {}
            Flow::Jump => {
                if let Some(to) = work.wave(wave).map(|w| w.pc()) {
                    resident.calls[wave].jumped(pc, to, self.dispatch.launch.isa, memory.map());
                }
            }
            Flow::Barrier => (self.wave_left, done.opened) = (0, work.open_barrier(memory.map())),
            Flow::Sleep | Flow::Wait => {
                (self.wave_left, self.group_left) = (0, self.group_left.saturating_sub(IN_VAIN));
            }
            Flow::Ended => {
                done.ended = true;
                (self.wave_left, done.opened) = (0, work.open_barrier(memory.map()));
            }
            Flow::Fault(fault) => (done.ended, done.fault) = (true, Some(fault)),
        }
        timed.set_cycle(self.cycle());
        if done.fault.is_none() {
            self.settle(timed, memory);
        }
        Some(done)
    }

    /// Gives the turn to a wave that can execute; starts work-groups, and lets those go that have ended.
    fn settle(&mut self, timed: &Timed<'_>, memory: &Memory) {
        if self.follow(timed) {
            return;
        }
        loop {
            let Some(resident) = self.residents.get_mut(self.at) else {
                self.at = 0;
                if self.residents.is_empty() && !self.start(timed) {
                    return;
                }
                (self.wave_left, self.group_left) = (WAVE_TURN, GROUP_TURN);
                continue;
            };
            if resident.work.ended() {
                self.leave();
                (self.wave_left, self.group_left) = (WAVE_TURN, GROUP_TURN);
                continue;
            }
            if self.group_left == 0 {
                (self.wave_left, self.group_left) = (WAVE_TURN, GROUP_TURN);
                self.at = match self.residents.len() < RESIDENT && self.start(timed) {
                    true => self.residents.len() - 1,
                    false => (self.at + 1) % self.residents.len(),
                };
                continue;
            }
            let first = resident.wave + usize::from(self.wave_left == 0);
            let count = resident.work.waves();
            let can = |wave: &usize| {
                matches!(
                    resident.work.status(*wave),
                    Some(WaveStatus::Ready | WaveStatus::Sleeping | WaveStatus::Waiting)
                )
            };
            match (0..count).map(|n| (first + n) % count).find(can) {
                Some(wave) => {
                    if wave != resident.wave || self.wave_left == 0 {
                        (resident.wave, self.wave_left) = (wave, WAVE_TURN);
                    }
                    return;
                }
                // Whoever comes to a barrier last opens it; what is left here cannot be.
                None if resident.work.open_barrier(memory.map()) => {}
                None => return,
            }
        }
    }

    /// The work-group whose turn it is has ended.
    fn leave(&mut self) {
        let gone = self.residents.remove(self.at);
        gone.scratch.iter().for_each(|range| self.scratch.release(range));
        self.spare.push(gone.work);
    }

    /// Gives the turn to the wave that the schedule has here. `false`: there is none, or it cannot be.
    fn follow(&mut self, timed: &Timed<'_>) -> bool {
        let Some(issue) = self.schedule().and_then(|s| s.at(self.executed)) else { return false };
        let (turn, pc) = (issue.turn, self.dispatch.launch.code_va.wrapping_add(issue.offset));
        if self.residents.get_mut(self.at).is_some_and(|r| r.work.ended()) {
            self.leave();
        }
        while self.next <= turn.group && self.start(timed) {}
        let there = |r: &Resident| {
            let able = matches!(
                r.work.status(turn.wave as usize),
                Some(WaveStatus::Ready | WaveStatus::Sleeping | WaveStatus::Waiting)
            );
            r.number == turn.group && able && r.work.wave(turn.wave as usize).is_some_and(|w| w.pc() == pc)
        };
        match self.residents.iter().position(there) {
            Some(at) => {
                (self.at, self.residents[at].wave) = (at, turn.wave as usize);
                (self.wave_left, self.group_left) = (WAVE_TURN, GROUP_TURN);
            }
            None => self.left = self.executed,
        }
        self.executed < self.left
    }

    /// Starts the next work-group, if there is one and room for it.
    fn start(&mut self, timed: &Timed<'_>) -> bool {
        if self.next >= self.dispatch.total {
            return false;
        }
        let scratch = match self.dispatch.scratch {
            Some(need) => match self.scratch.claim(need) {
                Some(range) => Some(range),
                None => return false,
            },
            None => None,
        };
        let mut work = self.spare.pop().unwrap_or_else(|| timed.group());
        let number = self.next;
        self.dispatch.start(&mut work, number, scratch.as_ref().map_or(0, |s| s.start as u32));
        let waves = work.waves();
        if number >= self.started {
            self.started = number + 1;
            timed.count(0, 1, waves as u64);
        }
        self.residents.push(Resident {
            number,
            work,
            scratch,
            wave: 0,
            last: vec![Last::default(); waves],
            calls: vec![Calls::default(); waves],
        });
        self.next += 1;
        true
    }

    pub fn keep(&mut self, timed: &Timed<'_>) -> Kept {
        let kept = |r: &mut Resident| KeptResident {
            number: r.number,
            state: r.work.keep(),
            scratch: r.scratch.clone(),
            wave: r.wave,
            last: r.last.clone(),
            calls: r.calls.clone(),
        };
        Kept {
            residents: self.residents.iter_mut().map(kept).collect(),
            at: self.at,
            next: self.next,
            wave_left: self.wave_left,
            group_left: self.group_left,
            scratch: self.scratch.clone(),
            executed: self.executed,
            left: self.left,
            shared: timed.keep(&self.dispatch),
        }
    }

    pub fn put_back(&mut self, kept: &Kept, timed: &Timed<'_>) {
        self.spare.extend(self.residents.drain(..).map(|r| r.work));
        for r in &kept.residents {
            let mut work = self.spare.pop().unwrap_or_else(|| timed.group());
            self.dispatch.start(&mut work, r.number, r.scratch.as_ref().map_or(0, |s| s.start as u32));
            work.put_back(&r.state);
            let (scratch, last, calls) = (r.scratch.clone(), r.last.clone(), r.calls.clone());
            self.residents.push(Resident { number: r.number, work, scratch, wave: r.wave, last, calls });
        }
        (self.at, self.next, self.executed) = (kept.at, kept.next, kept.executed);
        self.left = kept.left;
        (self.wave_left, self.group_left) = (kept.wave_left, kept.group_left);
        self.scratch = kept.scratch.clone();
        timed.put_back(&self.dispatch, &kept.shared);
        timed.set_cycle(self.cycle());
    }
}
