//! A wave on the clock: where it stands, when its next instruction may issue, and why not earlier.
//!
//! Algorithm of [`TimedWave::prepare`], once after each issue. The next pass may issue from the latest of
//! 1. the cycle after the one before it (a branch, S_SLEEP, S_NOP or a barrier may have set a later one);
//! 2. the arrival of its bytes in the wave's instruction buffer;
//! 3. the cycles from which the registers that it reads may be read, those of its own half for a VGPR;
//! 4. for S_WAITCNT, the cycle at which each counter has fallen far enough; for a memory instruction, at which its counter
//!    is not full.
//! Memory answers at once with the cycle at which it is done, so all of these are known.

use super::spec::{Cell, Effect, FIRST_VGPR, Port, TimedCode, Unit};
use crate::memory::{Hierarchy, Sum};
use crate::reason::Reason;
use std::sync::Arc;
use wavepipe_hw::machine::Machine;
use wavepipe_isa::wait::Counter;

/// Never: until something else wakes the wave.
pub const NEVER: u64 = u64::MAX;

/// As many as the widest counter holds: those that are done are forgotten then.
const MANY: usize = 63;

/// Completion times of what a counter counts, earliest first.
#[derive(Default, Clone)]
struct Outstanding {
    done: Vec<u64>,
}

impl Outstanding {
    fn add(&mut self, done: u64, now: u64) {
        if self.done.len() >= MANY {
            let over = self.done.partition_point(|d| *d <= now);
            self.done.drain(..over);
        }
        let at = self.done.partition_point(|d| *d <= done);
        self.done.insert(at, done);
    }

    /// From which cycle on at most `left` are outstanding.
    fn falls_to(&mut self, left: usize) -> u64 {
        match self.done.len().checked_sub(left + 1) {
            Some(i) => self.done[i],
            None => 0,
        }
    }

    fn forget(&mut self, now: u64) {
        if self.done.last().is_some_and(|d| *d <= now) {
            self.done.clear();
        }
    }
}

/// What the next pass needs of the SIMD.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    pub port: Port,
    pub unit: Unit,
}

/// The machine's figures of a front end.
#[derive(Clone, Copy, Debug)]
pub struct FrontFigures {
    turns: u64,
    branch_condition: u64,
    wide: u64,
}

impl FrontFigures {
    pub fn new(machine: &Machine) -> FrontFigures {
        FrontFigures {
            turns: machine.issue.turns.value,
            branch_condition: machine.latency.branch_condition.value,
            wide: machine.fetch.wide.value,
        }
    }

    /// Cycles by which an instruction is late because of where its dwords lie: two of them outside of the first three of
    /// eight.
    fn late(&self, pc: u64, bytes: u8) -> u64 {
        if self.wide > 0 && bytes > 4 && pc % 32 >= 12 { self.wide } else { 0 }
    }
}

pub struct TimedWave {
    /// The work-group's place among those of the engine, and the wave's in it.
    pub group: u32,
    pub index: u32,
    /// Launch order, among waves and among work-groups: the oldest goes first.
    pub age: u64,
    pub group_age: u64,
    /// S_SETPRIO.
    pub priority: u32,
    pub lanes: u32,
    pub code: Option<Arc<TimedCode>>,
    pub at: usize,
    /// Halves of the instruction that are still to issue, bit 0 the low one.
    pub todo: u8,
    /// The instruction before `at` was executed, but has not issued for all of its halves.
    pub begun: bool,
    pub issued: u64,
    /// When it came to its place, and when it left it for others.
    pub started: u64,
    pub left: u64,
    /// Cycles off the machine since the last issue.
    pub away: u64,
    /// What its instructions met on their way.
    pub fetched: Sum,
    /// From which cycle the next pass may issue, and what made it that late.
    pub ready: u64,
    pub reason: Reason,
    /// Set by branches, sleeps, barriers and the launch: nothing before this cycle, and why.
    pub hold: (u64, Reason),
    pub need: Need,
    /// In S_SLEEP until `hold`.
    pub asleep: bool,
    /// At a barrier, or waiting for another wave.
    pub parked: bool,
    /// Cycle from which a cell may be read, by half: scalars and SCC by scalar instructions, then by others.
    board: Box<[[u64; 2]]>,
    /// Whose result each scalar cell is: a vector unit's.
    by_vector: [bool; FIRST_VGPR as usize],
    counters: [Outstanding; Counter::COUNT],
    /// When the last load of each order came back: vector memory, LDS.
    pub returned: [u64; 2],
    pub figures: FrontFigures,
    /// Lines of the instruction buffer: first byte and arrival.
    lines: Box<[(u64, u64)]>,
    next_line: usize,
    /// The line beyond which the buffer was filled.
    ahead_of: u64,
}

impl TimedWave {
    /// `buffer`: lines of code that its instruction buffer holds.
    pub fn new(vgprs: u32, lanes: u32, buffer: usize, figures: FrontFigures) -> TimedWave {
        TimedWave {
            group: 0,
            index: 0,
            age: 0,
            group_age: 0,
            priority: 0,
            lanes,
            code: None,
            at: 0,
            todo: 1,
            begun: false,
            issued: 0,
            started: 0,
            left: 0,
            away: 0,
            fetched: Sum::default(),
            ready: 0,
            reason: Reason::Launch,
            hold: (0, Reason::Launch),
            need: Need { port: Port::Internal, unit: Unit::Control },
            asleep: false,
            parked: false,
            board: vec![[0; 2]; FIRST_VGPR as usize + vgprs.min(256) as usize + 1].into(),
            by_vector: [false; FIRST_VGPR as usize],
            counters: Default::default(),
            returned: [0; 2],
            figures,
            lines: vec![(u64::MAX, 0); buffer.max(2)].into(),
            next_line: 0,
            ahead_of: u64::MAX,
        }
    }

    /// Counts an access that is done at `done`.
    pub fn count(&mut self, counter: Counter, done: u64, now: u64) {
        self.counters[counter as usize].add(done, now);
    }

    /// When everything outstanding is done.
    pub fn drained(&mut self) -> u64 {
        self.counters.iter_mut().map(|c| c.falls_to(0)).max().unwrap_or(0)
    }

    /// Notes when a pass's results may be read.
    #[inline]
    pub fn define(&mut self, cells: &[Cell], half: usize, [vector, scalar, operand]: [u64; 3], by_vector: bool) {
        for &cell in cells {
            if cell >= FIRST_VGPR {
                if let Some(c) = self.board.get_mut(usize::from(cell)) {
                    c[half] = vector;
                }
            } else {
                self.board[usize::from(cell)] = if by_vector { [scalar, operand] } else { [vector; 2] };
                self.by_vector[usize::from(cell)] = by_vector;
            }
        }
    }

    /// The half that issues next.
    pub fn half(&self) -> usize {
        self.todo.trailing_zeros() as usize & 1
    }

    /// Computes `ready`, `reason` and `need` of the next pass. `fetch`: the caches, bytes of an instruction cache line, and the
    /// work-group processor and SIMD that fetches; `None` if instructions are always there. `live`: halves with lanes in EXEC.
    pub fn prepare(&mut self, fetch: Option<(&mut Hierarchy, u64, usize, usize)>, live: u8) {
        let Some(code) = self.code.take() else { return };
        self.prepare_in(&code, fetch, live);
        self.code = Some(code);
    }

    fn prepare_in(&mut self, code: &TimedCode, fetch: Option<(&mut Hierarchy, u64, usize, usize)>, live: u8) {
        let (mut ready, mut reason) = (self.issued + 1, Reason::Arbitration);
        let mut later = |at: u64, why: Reason| {
            if at > ready {
                (ready, reason) = (at, why);
            }
        };
        later(self.hold.0, self.hold.1);
        let Some(op) = code.ops.get(self.at - usize::from(self.begun)) else { return };
        if !self.begun {
            self.todo = match op.by_halves && self.lanes == 64 {
                true if op.skips => live.max(1),
                true => 3,
                false => 1,
            };
        }
        let half = self.half();
        if !self.begun {
            let late = self.figures.late(code.code.pc(self.at), op.bytes);
            if late > 0 {
                later(self.issued + self.figures.turns + late, Reason::Fetch);
            }
        }
        if !self.begun
            && let Some((memory, line, wgp, simd)) = fetch
        {
            let pc = code.code.pc(self.at);
            let now = self.issued;
            let last = pc + u64::from(op.bytes.max(1)) - 1;
            let arrived = self.line(memory, pc & !(line - 1), now, wgp, simd);
            later(arrived, Reason::Fetch);
            if (pc ^ last) & !(line - 1) != 0 {
                let arrived = self.line(memory, last & !(line - 1), now, wgp, simd);
                later(arrived, Reason::Fetch);
            }
            // The buffer runs ahead as far as it has room.
            let last = last & !(line - 1);
            if self.ahead_of != last {
                self.ahead_of = last;
                for ahead in 1..self.lines.len() as u64 {
                    self.line(memory, last + ahead * line, now, wgp, simd);
                }
            }
        }
        for &cell in code.uses(op) {
            let half =
                if cell >= FIRST_VGPR { half } else { usize::from(matches!(op.port, Port::Vector | Port::Memory)) };
            let Some(at) = self.board.get(usize::from(cell)) else { continue };
            let why = match cell >= FIRST_VGPR || self.by_vector[usize::from(cell)] {
                true => Reason::Vector,
                false => Reason::Scalar,
            };
            let late = if matches!(op.effect, Effect::Branch) { self.figures.branch_condition } else { 0 };
            later(at[half] + late, why);
        }
        match op.effect {
            Effect::Wait(counts) => {
                for counter in Counter::ALL {
                    if let Some(left) = counts.asked(counter) {
                        let outstanding = &mut self.counters[counter as usize];
                        later(outstanding.falls_to(left.into()), Reason::of(counter));
                        outstanding.forget(self.issued);
                    }
                }
            }
            Effect::Memory(m) => {
                later(self.counters[m.counted.counter as usize].falls_to(m.counted.most.into()), Reason::Memory);
            }
            _ => {}
        }
        (self.ready, self.reason) = (ready, reason);
        self.need = Need { port: op.port, unit: op.unit };
    }

    /// When the line at `at` is in the buffer; asks for it if nobody has.
    #[inline]
    fn line(&mut self, memory: &mut Hierarchy, at: u64, now: u64, wgp: usize, simd: usize) -> u64 {
        if let Some((_, arrival)) = self.lines.iter().find(|(line, _)| *line == at) {
            return *arrival;
        }
        let reply = memory.fetch(now, wgp, simd, at);
        self.fetched.add(&reply.met);
        let arrival = reply.done;
        self.lines[self.next_line] = (at, arrival);
        self.next_line = (self.next_line + 1) % self.lines.len();
        arrival
    }
}
