//! Which work-group runs next.
//!
//! Weighted fair queueing over hardware queues: a queue's `pass` grows by the wave-instructions that it ran, divided by
//! its weight ([`Rank::weight`]), and the queue with the smallest pass goes next. Within a queue, work-groups start in the
//! order of its dispatches, in batches sized by what the dispatch's work-groups took so far. A work-group that used up
//! its quantum is suspended and taken up again by whichever thread is free, in turn with new ones of its queue, as long
//! as the machine has room for more residents ([`super::placement`]): a group that spins on another never keeps it out.

use super::Dispatch;
use super::placement::WHOLE_MACHINE;
use super::policy::Rank;
use super::scratch::ScratchSpace;
use crate::wave::WorkGroup;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Wave-instructions that a batch of new work-groups should take together.
const BATCH_INSTRUCTIONS: u64 = 16_384;
/// What a turn of a work-group costs its queue at least, in wave-instructions, if it did not end.
const WAITING_COST: u64 = 4096;
/// Most work-groups in a batch, for kernels that take almost nothing.
const BATCH_GROUPS: u64 = 1024;

/// A started work-group between two turns.
pub(crate) struct Resident {
    pub group: Box<WorkGroup>,
    pub index: u64,
    pub scratch: Option<Range<u64>>,
    pub instructions: u64,
}

/// What a thread is to run.
pub(crate) struct Grant {
    pub dispatch: Arc<Dispatch>,
    pub work: Work,
}

pub(crate) enum Work {
    /// Start these, one after the other; they may use the scratch range.
    New(Range<u64>, Option<Range<u64>>),
    Resume(Resident),
}

/// What came of a grant.
#[derive(Default)]
pub(crate) struct Report {
    /// Work-groups that ended (or were given up with a cancelled dispatch).
    pub done: u64,
    pub instructions: u64,
    pub suspended: Option<Resident>,
    /// Granted, but not started.
    pub left: Range<u64>,
    /// Scratch that no work-group uses any more.
    pub scratch: Option<Range<u64>>,
}

struct Active {
    dispatch: Arc<Dispatch>,
    /// First work-group never granted, and granted ones that came back.
    next: u64,
    returned: Vec<Range<u64>>,
    /// Granted work-groups that have not ended, suspended ones included.
    open: u64,
    done: u64,
    instructions: u64,
}

impl Active {
    fn has_new(&self) -> bool {
        self.next < self.dispatch.total || !self.returned.is_empty()
    }

    /// The work-group that starts next.
    fn next_new(&self) -> u64 {
        self.returned.iter().map(|r| r.start).fold(self.next, u64::min)
    }

    fn finished(&self) -> bool {
        self.open == 0 && !self.has_new()
    }

    /// The next work-groups to grant: about [`BATCH_INSTRUCTIONS`], and not so many that other threads go without.
    fn batch(&mut self, threads: u64) -> Range<u64> {
        // Lowest first: no work-group may wait for an earlier one that is not started.
        let first = self.returned.iter().enumerate().min_by_key(|(_, r)| r.start).map(|(i, _)| i);
        if let Some(i) = first {
            return self.returned.swap_remove(i);
        }
        let mean = self.instructions.checked_div(self.done).unwrap_or(BATCH_INSTRUCTIONS).max(1);
        let left = self.dispatch.total - self.next;
        let n = (BATCH_INSTRUCTIONS / mean).clamp(1, BATCH_GROUPS).min((left / (2 * threads)).max(1));
        let first = self.next;
        self.next += n;
        first..first + n
    }
}

#[derive(Default)]
struct QueueRow {
    /// Dispatches that have not ended, oldest first.
    actives: Vec<Active>,
    suspended: VecDeque<(Arc<Dispatch>, Resident)>,
    pass: u64,
    /// Whether the last grant was of new work-groups: then a suspended one goes first.
    turn: bool,
}

impl QueueRow {
    /// Whether a new work-group of `a` may become resident: the machine has room, or this queue has none resident, or those
    /// that are may wait for this one, which is earlier in their order.
    fn may_start(&self, a: &Active, resident: u64, scratch: &ScratchSpace) -> bool {
        let later = |(d, r): &(Arc<Dispatch>, Resident)| Arc::ptr_eq(d, &a.dispatch) && r.index > a.next_new();
        let room = resident + a.dispatch.share <= WHOLE_MACHINE || self.suspended.iter().all(later);
        room && a.dispatch.scratch.is_none_or(|need| scratch.holds(need))
    }
}

#[derive(Default)]
struct State {
    /// By hardware queue index.
    queues: Vec<QueueRow>,
    /// Shares of suspended work-groups.
    resident: u64,
    scratch: ScratchSpace,
    /// Running sum of the pass of whoever ran last: where a queue that wakes up starts.
    now: u64,
}

pub(crate) struct Scheduler {
    state: Mutex<State>,
    threads: u64,
}

impl Scheduler {
    pub fn new(queues: usize, threads: usize) -> Self {
        let rows = (0..queues).map(|_| QueueRow::default()).collect();
        Scheduler { state: Mutex::new(State { queues: rows, ..State::default() }), threads: threads as u64 }
    }

    /// Adds a dispatch behind the earlier ones of its queue.
    pub fn add(&self, dispatch: Arc<Dispatch>) {
        let mut state = self.state.lock();
        let now = state.now;
        let row = &mut state.queues[dispatch.queue.index];
        if row.actives.is_empty() {
            row.pass = row.pass.max(now);
        }
        row.actives.push(Active { dispatch, next: 0, returned: Vec::new(), open: 0, done: 0, instructions: 0 });
    }

    /// The next piece of work, and whether there is more for another thread.
    pub fn pick(&self) -> Option<(Grant, bool)> {
        let mut state = self.state.lock();
        let State { queues, resident, scratch, now } = &mut *state;
        // (pass, queue, the dispatch that can start new work-groups)
        let mut best: Option<(u64, usize, Option<usize>)> = None;
        let mut candidates = 0;
        for (q, row) in queues.iter().enumerate().filter(|(_, r)| !r.actives.is_empty()) {
            let new = row.actives.iter().position(|a| a.has_new() && row.may_start(a, *resident, scratch));
            if new.is_none() && row.suspended.is_empty() {
                continue;
            }
            candidates += 1;
            if best.is_none_or(|(pass, ..)| row.pass < pass) {
                best = Some((row.pass, q, new));
            }
        }
        let (pass, q, new) = best?;
        *now = pass.max(*now);
        let row = &mut queues[q];
        let new = new.filter(|_| row.suspended.is_empty() || !row.turn);
        row.turn = new.is_some();
        let grant = match new {
            Some(i) => {
                let a = &mut row.actives[i];
                let range = a.batch(self.threads);
                a.open += range.end - range.start;
                let ring = a.dispatch.scratch.and_then(|need| scratch.claim(need));
                Grant { dispatch: a.dispatch.clone(), work: Work::New(range, ring) }
            }
            None => {
                let (dispatch, r) = row.suspended.pop_front()?;
                *resident -= dispatch.share;
                Grant { dispatch, work: Work::Resume(r) }
            }
        };
        let more = candidates > 1 || !row.suspended.is_empty() || row.actives.iter().any(Active::has_new);
        Some((grant, more))
    }

    /// Takes back what came of a grant. `true` if this ended the dispatch: it is forgotten, and the caller tells the
    /// queue.
    pub fn finish(&self, dispatch: &Arc<Dispatch>, report: Report) -> bool {
        let mut state = self.state.lock();
        let State { queues, resident, scratch, .. } = &mut *state;
        let row = &mut queues[dispatch.queue.index];
        // A work-group costs something even if it executes little: what starting it takes.
        // One that only waited for another had its turn all the same.
        let waited = if report.suspended.is_some() { WAITING_COST } else { 0 };
        let cost = (report.instructions + 16 * report.done + 1).max(waited);
        row.pass += cost * Rank::MAX_WEIGHT / dispatch.queue.rank().weight();
        if let Some(r) = report.scratch {
            scratch.release(&r);
        }
        let Some(i) = row.actives.iter().position(|a| Arc::ptr_eq(&a.dispatch, dispatch)) else {
            return false;
        };
        let a = &mut row.actives[i];
        let left = report.left.end - report.left.start;
        a.done += report.done;
        a.instructions += report.instructions;
        a.open -= report.done + left;
        if dispatch.cancelled.load(Ordering::Acquire) {
            // The scheduler's own list was emptied when the queue was cancelled.
            if let Some(r) = report.suspended {
                a.open -= 1;
                if let Some(s) = r.scratch {
                    scratch.release(&s);
                }
            }
        } else {
            if left > 0 {
                a.returned.push(report.left);
            }
            if let Some(r) = report.suspended {
                *resident += dispatch.share;
                row.suspended.push_back((dispatch.clone(), r));
            }
        }
        if a.finished() {
            row.actives.remove(i);
            return true;
        }
        false
    }

    /// Gives up every dispatch of a queue; those that have no work-group on a thread end here and are counted.
    pub fn cancel(&self, queue: usize) -> u32 {
        let mut state = self.state.lock();
        let State { queues, resident, scratch, .. } = &mut *state;
        let row = &mut queues[queue];
        for a in &mut row.actives {
            a.dispatch.cancelled.store(true, Ordering::Release);
            a.next = a.dispatch.total;
            a.returned.clear();
        }
        for (dispatch, r) in row.suspended.drain(..) {
            *resident -= dispatch.share;
            if let Some(a) = row.actives.iter_mut().find(|a| Arc::ptr_eq(&a.dispatch, &dispatch)) {
                a.open -= 1;
            }
            if let Some(s) = r.scratch {
                scratch.release(&s);
            }
        }
        let before = row.actives.len();
        row.actives.retain(|a| !a.finished());
        (before - row.actives.len()) as u32
    }
}
