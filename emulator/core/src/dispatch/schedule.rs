//! Which work-group runs next.
//!
//! Weighted fair queueing over hardware queues: a queue's `pass` grows by the wave-instructions that it ran, divided by
//! its weight ([`Rank::weight`]), and the queue with the smallest pass goes next. Within a queue, work-groups start in the
//! order of its dispatches, in batches sized by what the dispatch's work-groups took so far. A work-group that used up
//! its quantum is suspended and taken up again by whichever thread is free, in turn with new ones of its queue, as long
//! as the machine has room for more residents ([`super::placement`]): a group that spins on another never keeps it out.
//!
//! Among global priorities the policy decides first ([`policy::standing`]), beside the highest rank that has work for a thread
//! to take at this moment. Work that is on a thread already, that finds no room, or that only waits for other work-groups
//! holds nobody back; so a dispatch of high priority leaves to the others the threads that it cannot use. When such work
//! arrives, threads with suspended work are told one after the other, and give it up at the end of a block.
//!
//! Invariant: no work is passed over for ever. After [`PASSED_OVER`] instructions of higher work, the others get a quantum that
//! nothing interrupts; so a kernel of high priority that spins on one of low priority gets what it waits for, and a
//! work-group that is not yet started is, even if a resident one of higher priority spins on it.
//! Invariant: a pass never lags because its queue was passed over: suspended queues gain no credit.

use super::Dispatch;
use super::placement::WHOLE_MACHINE;
use super::scratch::ScratchSpace;
use crate::policy::{self, Policy, Rank, Standing};
use crate::wave::WorkGroup;
use crossbeam_utils::CachePadded;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use wavepipe_hw::port::GlobalPriority;

/// Wave-instructions that a work-group runs before another gets its turn.
pub(crate) const QUANTUM: u64 = 32_768;
/// Wave-instructions that a batch of new work-groups should take together.
const BATCH_INSTRUCTIONS: u64 = 16_384;
/// What a turn of a work-group costs its queue at least, in wave-instructions, if it did not end.
const WAITING_COST: u64 = 4096;
/// Most work-groups in a batch, for kernels that take almost nothing.
const BATCH_GROUPS: u64 = 1024;

/// Instructions of higher work after which work that was passed over has its quantum: about a sixtieth of the machine.
const PASSED_OVER: u64 = 64 * QUANTUM;

/// A started work-group between two turns.
pub(crate) struct Resident {
    pub group: Box<WorkGroup>,
    pub index: u64,
    pub scratch: Option<Range<u64>>,
}

impl Resident {
    /// Whether more than a look at what it waits for comes of a turn.
    fn could_run(&self) -> bool {
        !self.group.only_waits()
    }
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
    /// Shares of the suspended work-groups.
    resident: u64,
    /// Share of the machine that is this queue's alone.
    reserved: u64,
    rank: Option<Rank>,
    pass: u64,
    /// Whether the last grant was of new work-groups: then a suspended one goes first.
    turn: bool,
    /// Since when it is passed over.
    paused: Option<Instant>,
}

impl QueueRow {
    /// Counts the time that its dispatches stood still, which is none of theirs.
    fn resume(&mut self) {
        let Some(since) = self.paused.take() else { return };
        for a in self.actives.iter().filter(|a| a.dispatch.began.get().is_some()) {
            a.dispatch.paused.fetch_add(since.elapsed().as_nanos() as u64, Ordering::Relaxed);
        }
    }
}

/// What a queue has for a thread to take.
#[derive(Clone, Copy)]
struct Offer {
    queue: usize,
    rank: Rank,
    pass: u64,
    /// The dispatch that can start new work-groups.
    new: Option<usize>,
    /// Whether a suspended work-group can go on.
    resume: bool,
    /// Whether more than a look at what it waits for would come of it.
    could_run: bool,
}

/// What a thread is at.
#[derive(Clone, Copy, Default)]
struct Running {
    /// Its rank, if it may be interrupted.
    rank: Option<Rank>,
    /// Whether other work was passed over for it.
    before_others: bool,
}

#[derive(Default)]
struct Schedule {
    /// By hardware queue index.
    queues: Vec<QueueRow>,
    /// By thread.
    running: Vec<Running>,
    scratch: ScratchSpace,
    /// Kept for its memory.
    offers: Vec<Offer>,
    /// Running sum of the pass of whoever ran last: where a queue that wakes up starts.
    now: u64,
    /// Instructions for which others were passed over since one of them had a turn.
    passed_over: u64,
}

impl Schedule {
    /// Whether the machine has room for another resident work-group of the queue: on compute units of its own, or on those
    /// for all. Work that the queue suspends by the policy makes room.
    fn has_room(&self, policy: Option<Policy>, q: usize, rank: Rank, share: u64) -> bool {
        let own = &self.queues[q];
        if own.resident + share <= own.reserved {
            return true;
        }
        let for_all = WHOLE_MACHINE - self.queues.iter().map(|r| r.reserved).sum::<u64>();
        let beside =
            |r: &QueueRow| r.rank.is_none_or(|r| policy::standing(policy, r, Some(rank)) != Standing::Suspended);
        let others = self.queues.iter().enumerate().filter(|(i, r)| *i != q && r.resident > 0 && beside(r));
        let used: u64 = others.map(|(_, r)| r.resident.saturating_sub(r.reserved)).sum();
        used + (own.resident + share - own.reserved) <= for_all
    }

    /// Whether a new work-group of `a` may become resident: the machine has room, or its queue has none resident, or those
    /// that are may wait for this one, which is earlier in their order.
    fn may_start(&self, policy: Option<Policy>, q: usize, rank: Rank, a: &Active) -> bool {
        let later = |(d, r): &(Arc<Dispatch>, Resident)| Arc::ptr_eq(d, &a.dispatch) && r.index > a.next_new();
        let room = self.has_room(policy, q, rank, a.dispatch.share) || self.queues[q].suspended.iter().all(later);
        room && a.dispatch.scratch.is_none_or(|need| self.scratch.holds(need))
    }

    fn offer(&self, policy: Option<Policy>, q: usize) -> Option<Offer> {
        let row = &self.queues[q];
        let rank = row.actives.first()?.dispatch.queue.rank();
        let new = row.actives.iter().position(|a| a.has_new() && self.may_start(policy, q, rank, a));
        let resume = !row.suspended.is_empty();
        let could_run = new.is_some() || row.suspended.iter().any(|(_, r)| r.could_run());
        (new.is_some() || resume).then_some(Offer { queue: q, rank, pass: row.pass, new, resume, could_run })
    }

    /// What is left of an offer beside work of the highest rank.
    fn allowed(&self, policy: Option<Policy>, offer: Offer, highest: Option<Rank>) -> Option<Offer> {
        let row = &self.queues[offer.queue];
        let standing = policy::standing(policy, offer.rank, highest);
        // On its own compute units a queue always runs.
        let fits = |i: &usize| row.resident + row.actives[*i].dispatch.share <= row.reserved;
        let (new, resume) = match standing {
            Standing::Runs => (offer.new, offer.resume),
            _ if row.reserved > 0 => (offer.new.filter(fits), offer.resume),
            Standing::Held => (None, offer.resume),
            Standing::Suspended => (None, false),
        };
        (new.is_some() || resume).then_some(Offer { new, resume, ..offer })
    }
}

pub(crate) struct Scheduler {
    state: Mutex<Schedule>,
    threads: u64,
    policy: Option<Policy>,
    /// By thread: that it give up its work-group at the end of a block.
    preempt: Vec<CachePadded<AtomicBool>>,
}

impl Scheduler {
    pub fn new(queues: usize, threads: usize, policy: Option<Policy>) -> Self {
        let rows = (0..queues).map(|_| QueueRow::default()).collect();
        let state = Schedule { queues: rows, running: vec![Running::default(); threads], ..Schedule::default() };
        let preempt = (0..threads).map(|_| CachePadded::default()).collect();
        Scheduler { state: Mutex::new(state), threads: threads as u64, policy, preempt }
    }

    /// Gives a queue this many of all compute units for its own; 0 takes them back.
    pub fn reserve(&self, queue: usize, cus: u32, all: u64) {
        self.state.lock().queues[queue].reserved = u64::from(cus) * WHOLE_MACHINE / all;
    }

    /// Adds a dispatch behind the earlier ones of its queue.
    pub fn add(&self, dispatch: Arc<Dispatch>) {
        let mut state = self.state.lock();
        let (now, rank) = (state.now, dispatch.queue.rank());
        let row = &mut state.queues[dispatch.queue.index];
        if row.actives.is_empty() {
            row.pass = row.pass.max(now);
        }
        row.rank = Some(rank);
        row.actives.push(Active { dispatch, next: 0, returned: Vec::new(), open: 0, done: 0, instructions: 0 });
        self.interrupt(&mut state, rank);
    }

    /// Whether a thread is to leave what it runs.
    pub fn preempt(&self, thread: usize) -> &AtomicBool {
        &self.preempt[thread]
    }

    /// Makes a thread free for work of this rank, if one runs what that suspends.
    pub fn make_way(&self, rank: Rank) {
        let least = Rank { global: GlobalPriority::Low, priority: 0 };
        if policy::standing(self.policy, least, Some(rank)) == Standing::Suspended {
            self.interrupt(&mut self.state.lock(), rank);
        }
    }

    /// Interrupts the thread with the lowest work of those whose work the rank suspends.
    fn interrupt(&self, state: &mut Schedule, rank: Rank) {
        let suspends = |r: Rank| policy::standing(self.policy, r, Some(rank)) == Standing::Suspended;
        let below = state.running.iter().enumerate().filter_map(|(t, r)| Some((r.rank.filter(|r| suspends(*r))?, t)));
        if let Some((_, thread)) = below.min() {
            state.running[thread].rank = None;
            self.preempt[thread].store(true, Ordering::SeqCst);
        }
    }

    /// The next piece of work for a thread, and whether there is more for another one.
    pub fn pick(&self, thread: usize) -> Option<(Grant, bool)> {
        let mut state = self.state.lock();
        let state = &mut *state;
        self.preempt[thread].store(false, Ordering::SeqCst);
        let mut offers = std::mem::take(&mut state.offers);
        offers.clear();
        offers.extend((0..state.queues.len()).filter_map(|q| state.offer(self.policy, q)));
        let picked = self.pick_of(state, &offers, thread);
        state.offers = offers;
        picked
    }

    fn pick_of(&self, state: &mut Schedule, offers: &[Offer], thread: usize) -> Option<(Grant, bool)> {
        let highest = offers.iter().filter(|o| o.could_run).map(|o| o.rank).max();
        let (mut best, mut passed_over): (Option<Offer>, Option<Offer>) = (None, None);
        let first = |a: Option<Offer>, b: Offer| Some(a.filter(|a| a.pass <= b.pass).unwrap_or(b));
        for offer in offers {
            let allowed = state.allowed(self.policy, *offer, highest);
            if allowed.is_none_or(|a| a.new != offer.new) {
                passed_over = first(passed_over, *offer);
            }
            let row = &mut state.queues[offer.queue];
            if let Some(allowed) = allowed {
                best = first(best, allowed);
                row.resume();
            } else {
                row.paused.get_or_insert_with(Instant::now);
            }
        }
        let overdue = passed_over.filter(|_| state.passed_over >= PASSED_OVER);
        let Offer { queue: q, rank, pass, new, .. } = overdue.or(best)?;
        if overdue.is_some() || passed_over.is_none() {
            state.passed_over = 0;
        }
        for offer in offers {
            let row = &mut state.queues[offer.queue];
            if row.paused.is_some() {
                row.pass = row.pass.max(pass);
            }
        }
        state.now = pass.max(state.now);
        let row = &mut state.queues[q];
        row.resume();
        state.running[thread] = Running {
            rank: (overdue.is_none() && row.reserved == 0).then_some(rank),
            before_others: overdue.is_none() && passed_over.is_some(),
        };
        let new = new.filter(|_| row.suspended.is_empty() || !row.turn);
        row.turn = new.is_some();
        let grant = match new {
            Some(i) => {
                let a = &mut row.actives[i];
                let range = a.batch(self.threads);
                a.open += range.end - range.start;
                let ring = a.dispatch.scratch.and_then(|need| state.scratch.claim(need));
                Grant { dispatch: a.dispatch.clone(), work: Work::New(range, ring) }
            }
            None => {
                let (dispatch, r) = row.suspended.pop_front()?;
                row.resident -= dispatch.share;
                Grant { dispatch, work: Work::Resume(r) }
            }
        };
        let same = !row.suspended.is_empty() || row.actives.iter().any(Active::has_new);
        let next = offers.iter().filter(|o| o.could_run && (o.queue != q || same)).map(|o| o.rank).max();
        if let Some(rank) = next {
            self.interrupt(state, rank);
        }
        Some((grant, same || offers.len() > 1))
    }

    /// Takes back what came of a grant. `true` if this ended the dispatch: it is forgotten, and the caller tells the
    /// queue.
    pub fn finish(&self, thread: usize, dispatch: &Arc<Dispatch>, report: Report) -> bool {
        let mut state = self.state.lock();
        if std::mem::take(&mut state.running[thread]).before_others {
            state.passed_over += report.instructions;
        }
        let Schedule { queues, scratch, .. } = &mut *state;
        let row = &mut queues[dispatch.queue.index];
        // A work-group costs something even if it executes little: what starting it takes.
        // One that only waited for another had its turn all the same; one that was interrupted had none.
        let interrupted = self.preempt[thread].load(Ordering::SeqCst);
        let waited = if report.suspended.is_some() && !interrupted { WAITING_COST } else { 0 };
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
                row.resident += dispatch.share;
                row.suspended.push_back((dispatch.clone(), r));
            }
        }
        if a.finished() {
            row.actives.remove(i);
            return true;
        }
        false
    }

    /// Starts no more work-groups of a dispatch than those that may run: one has a fault.
    pub fn curtail(&self, dispatch: &Arc<Dispatch>) {
        let mut state = self.state.lock();
        let row = &mut state.queues[dispatch.queue.index];
        if let Some(a) = row.actives.iter_mut().find(|a| Arc::ptr_eq(&a.dispatch, dispatch)) {
            // Granted in their order, the others are behind it.
            a.next = a.dispatch.total;
        }
    }

    /// Gives up every dispatch of a queue; those that have no work-group on a thread end here and are given back.
    pub fn cancel(&self, queue: usize) -> Vec<Arc<Dispatch>> {
        let mut state = self.state.lock();
        let Schedule { queues, scratch, .. } = &mut *state;
        let row = &mut queues[queue];
        for a in &mut row.actives {
            a.dispatch.cancelled.store(true, Ordering::Release);
            a.next = a.dispatch.total;
            a.returned.clear();
        }
        for (dispatch, r) in row.suspended.drain(..) {
            row.resident -= dispatch.share;
            if let Some(a) = row.actives.iter_mut().find(|a| Arc::ptr_eq(&a.dispatch, &dispatch)) {
                a.open -= 1;
            }
            if let Some(s) = r.scratch {
                scratch.release(&s);
            }
        }
        row.actives.extract_if(.., |a| a.finished()).map(|a| a.dispatch).collect()
    }
}
