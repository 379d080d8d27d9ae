//! What was accessed last, by bytes, and how it is ordered with what comes.

use super::scopes::{Dependency, Standing, Ways};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use wavepipe_hw::finding::{Command, Lack};
use wavepipe_hw::port::QueueId;
use wavepipe_hw::touched::Touched;

/// Reads of one place that are told apart.
const READS: usize = 4;

/// A command that was submitted.
pub(super) struct Submitted {
    pub queue: QueueId,
    /// In the hardware.
    pub slot: (u32, u32),
    pub submission: u64,
    /// Among all entries of its queue.
    pub position: u64,
    pub command: Command,
    /// Of a dispatch, what the GPU told.
    pub touched: Option<Arc<Touched>>,
}

/// An access by a command.
#[derive(Clone)]
pub(super) struct Act {
    pub by: Arc<Submitted>,
    /// Index into the sites of what it touched.
    pub site: u32,
    /// Two atomics need no order.
    pub atomic: bool,
    standing: Standing,
    /// Entries of its queue that are accounted for.
    passed: u64,
}

impl Act {
    pub fn new(by: &Arc<Submitted>, site: u32, way: Ways) -> Act {
        Act { by: by.clone(), site, atomic: false, standing: Standing::new(way), passed: by.position + 1 }
    }

    pub fn way(&self) -> Ways {
        self.standing.way()
    }
}

#[derive(Clone, Default)]
struct Cell {
    end: u64,
    write: Option<Act>,
    reads: Vec<Act>,
}

/// Dependencies of one queue, by position.
#[derive(Default)]
pub(super) struct Log(pub BTreeMap<u64, Dependency>);

/// What a submission knows to be done and visible, by queue: this one and all before.
pub(super) type Clock = BTreeMap<u32, u64>;

pub(super) fn join(clock: &mut Clock, other: &Clock) {
    for (queue, n) in other {
        let own = clock.entry(*queue).or_default();
        *own = (*own).max(*n);
    }
}

/// Two accesses that nothing orders.
pub(super) struct Conflict {
    pub first: Act,
    pub second: Act,
    pub bytes: Range<u64>,
    pub lacks: Lack,
}

/// By begin; apart from each other.
#[derive(Default)]
pub(super) struct Cells(BTreeMap<u64, Cell>);

impl Cells {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Makes cells begin and end at an address.
    fn split(&mut self, at: u64) {
        let Some((_, cell)) = self.0.range_mut(..at).next_back().filter(|(_, cell)| cell.end > at) else { return };
        let right = cell.clone();
        cell.end = at;
        self.0.insert(at, right);
    }

    /// An access to these bytes; `known`: what its submission knows.
    pub fn access(&mut self, bytes: &Range<u64>, act: &Act, known: &Clock, log: &Log, conflicts: &mut Vec<Conflict>) {
        self.split(bytes.start);
        self.split(bytes.end);
        let mut gaps = Vec::new();
        let mut at = bytes.start;
        for (&start, cell) in self.0.range_mut(bytes.clone()) {
            if start > at {
                gaps.push(at..start);
            }
            at = cell.end;
            cell.meet(start, act, known, log, conflicts);
        }
        if at < bytes.end {
            gaps.push(at..bytes.end);
        }
        for gap in gaps {
            let mut cell = Cell { end: gap.end, ..Cell::default() };
            cell.take(act);
            self.0.insert(gap.start, cell);
        }
    }

    /// Forgets what everybody knows to be done.
    pub fn sweep(&mut self, known: &Clock) {
        let done = |act: &Act| known.get(&act.by.queue.0).is_some_and(|n| *n >= act.by.submission);
        self.0.retain(|_, cell| {
            cell.write = cell.write.take().filter(|act| !done(act));
            cell.reads.retain(|act| !done(act));
            cell.write.is_some() || !cell.reads.is_empty()
        });
    }

    /// Memory that is no more.
    pub fn forget(&mut self, bytes: Range<u64>) {
        self.split(bytes.start);
        self.split(bytes.end);
        let gone: Vec<u64> = self.0.range(bytes).map(|(start, _)| *start).collect();
        gone.iter().for_each(|start| drop(self.0.remove(start)));
    }
}

impl Cell {
    fn meet(&mut self, start: u64, act: &Act, known: &Clock, log: &Log, conflicts: &mut Vec<Conflict>) {
        let bytes = start..self.end;
        let mut compare = |before: &mut Act| {
            if let Some(lacks) = lack(before, act, known, log, &bytes) {
                conflicts.push(Conflict { first: before.clone(), second: act.clone(), bytes: bytes.clone(), lacks });
            }
        };
        if let Some(write) = &mut self.write {
            compare(write);
        }
        if act.way().writes() {
            self.reads.iter_mut().for_each(compare);
        }
        self.take(act);
    }

    fn take(&mut self, act: &Act) {
        if act.way().writes() {
            self.write = Some(act.clone());
            self.reads.clear();
            return;
        }
        // A later read of the same kind stands for the earlier one.
        self.reads.retain(|r| r.by.queue != act.by.queue || r.way() != act.way());
        if self.reads.len() == READS {
            self.reads.remove(0);
        }
        self.reads.push(act.clone());
    }
}

/// What is missing between an earlier access and one now; `None`: nothing.
fn lack(before: &mut Act, now: &Act, known: &Clock, log: &Log, bytes: &Range<u64>) -> Option<Lack> {
    let (one, other) = (&before.by, &now.by);
    let atomics = before.atomic && now.atomic;
    if atomics || Arc::ptr_eq(one, other) || known.get(&one.queue.0).is_some_and(|n| *n >= one.submission) {
        return None;
    }
    if one.queue != other.queue {
        return Some(Lack::Semaphore);
    }
    for (_, d) in log.0.range(before.passed.min(other.position)..other.position) {
        let covers = d.only.as_ref().is_none_or(|r| r.start <= bytes.start && bytes.end <= r.end);
        before.standing.pass(d, covers);
    }
    before.passed = other.position;
    if before.standing.is_before(now.way()) {
        return None;
    }
    Some(if before.standing.is_loose() { Lack::Barrier } else { Lack::Scope })
}
