//! The order of a card's clock: which wave executes its next instruction in which cycle, and what an access met. Who made it ran the
//! same dispatch on a clock; a session that has it goes in that order.

use std::sync::Arc;
use wavepipe_core::policy::Rank;

/// A wave of a work-group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Turn {
    /// The work-group's number in its dispatch: x fastest.
    pub group: u64,
    pub wave: u32,
}

/// The first pass of an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Issue {
    pub turn: Turn,
    /// The wave's SIMD of the machine, and slot on it.
    pub simd: u32,
    pub slot: u32,
    /// Since the dispatch was launched.
    pub cycle: u64,
    /// Bytes from the begin of the kernel on.
    pub offset: u64,
    /// Cycles by which it could have issued earlier, but for the reason.
    pub waited: u64,
    pub reason: &'static str,
    pub access: Option<Access>,
}

/// What an access met on its way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// The cycle when it is back.
    pub done: u64,
    /// Cache lines that were found, and not found, by cache.
    pub caches: Vec<Cached>,
}

/// Lines that a cache, or all of its kind, had and had not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cached {
    pub cache: &'static str,
    pub hits: u64,
    pub misses: u64,
}

/// A dispatch's instructions in the order in which they issue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule(Arc<[Issue]>);

impl Schedule {
    /// `issues`: by cycle.
    pub fn new(issues: Vec<Issue>) -> Schedule {
        Schedule(issues.into())
    }

    /// The instruction at a position of the dispatch.
    pub fn at(&self, executed: u64) -> Option<&Issue> {
        self.0.get(usize::try_from(executed).ok()?)
    }

    /// The cycle at a position; behind the last instruction a cycle goes by for each.
    pub fn cycle(&self, executed: u64) -> u64 {
        let behind = |last: &Issue| last.cycle + 1 + (executed - self.0.len() as u64);
        self.at(executed).map(|issue| issue.cycle).or_else(|| self.0.last().map(behind)).unwrap_or(executed)
    }

    /// The next instruction of a wave, from a position on.
    pub fn next(&self, turn: Turn, executed: u64) -> Option<&Issue> {
        self.0.get(usize::try_from(executed).ok()?..)?.iter().find(|issue| issue.turn == turn)
    }

    fn before(&self, executed: u64) -> &[Issue] {
        &self.0[..usize::try_from(executed).unwrap_or(usize::MAX).min(self.0.len())]
    }

    /// What accesses found up to a position, by cache.
    pub fn caches(&self, executed: u64) -> Vec<Cached> {
        let mut all: Vec<Cached> = Vec::new();
        for one in self.before(executed).iter().filter_map(|issue| issue.access.as_ref()).flat_map(|a| &a.caches) {
            match all.iter_mut().find(|c| c.cache == one.cache) {
                Some(sum) => (sum.hits, sum.misses) = (sum.hits + one.hits, sum.misses + one.misses),
                None => all.push(*one),
            }
        }
        all
    }

    /// Accesses that are under way at a position, the ones that are back first in front.
    pub fn under_way(&self, executed: u64) -> Vec<&Issue> {
        let now = self.cycle(executed);
        let done = |issue: &Issue| issue.access.as_ref().map_or(0, |a| a.done);
        let mut all: Vec<&Issue> = self.before(executed).iter().filter(|issue| done(issue) > now).collect();
        all.sort_by_key(|issue| done(issue));
        all
    }
}

/// A queue of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueState {
    /// Its number in the machine.
    pub number: usize,
    /// The pipe that reads its ring, and its place there.
    pub pipe: u32,
    pub place: u32,
    /// Of its priority.
    pub rank: Rank,
    /// Dwords written to the ring, and read of it.
    pub written: u64,
    pub read: u64,
    /// By a fault.
    pub stopped: bool,
    /// It has launched the dispatch that the session is at.
    pub runs: bool,
}
