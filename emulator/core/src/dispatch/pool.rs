//! The host threads. Each in turn runs the command processor where a ring has something new, then a grant of the
//! scheduler; with neither it spins for a moment and then sleeps.

use super::Dispatch;
use super::schedule::{Grant, Report, Resident, Work};
use crate::gpu::Machine;
use crate::memory::MemoryMap;
use crate::wave::{Outcome, WaveFault, WorkGroup};
use parking_lot::{Condvar, Mutex};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use wavepipe_hw::fault::FaultKind;

/// Wave-instructions that a work-group runs before another gets its turn.
pub(crate) const QUANTUM: u64 = 32_768;
/// How long an idle thread looks for work before it sleeps. One thread at a time does so.
const SPIN: Duration = Duration::from_micros(50);
/// How often memory that a WAIT_REG_MEM watches is looked at without a reason.
const POLL: Duration = Duration::from_millis(1);

/// Where threads sleep, and what wakes them.
#[derive(Default)]
pub(crate) struct Pool {
    epoch: AtomicU64,
    sleepers: AtomicUsize,
    spinning: AtomicBool,
    lock: Mutex<()>,
    cond: Condvar,
    stop: AtomicBool,
}

impl Pool {
    /// Something new to do for `threads` of them.
    pub fn wake(&self, threads: u64) {
        self.epoch.fetch_add(1, SeqCst);
        if threads > 0 && self.sleepers.load(SeqCst) > 0 {
            drop(self.lock.lock());
            for _ in 0..threads.min(self.sleepers.load(SeqCst) as u64) {
                self.cond.notify_one();
            }
        }
    }

    /// A doorbell: the spinning thread sees it, if there is one; else a sleeper is woken.
    pub fn ring(&self) {
        self.wake(if self.spinning.load(SeqCst) { 0 } else { 1 });
    }

    /// Makes every thread leave its loop.
    pub fn stop(&self) {
        self.stop.store(true, SeqCst);
        self.wake(u64::MAX);
    }

    /// Sleeps; `true` if the threads are to leave.
    pub fn sleep(&self, limit: Duration) -> bool {
        let mut guard = self.lock.lock();
        self.sleepers.fetch_add(1, SeqCst);
        if !self.stopping() {
            let _ = self.cond.wait_for(&mut guard, limit);
        }
        self.sleepers.fetch_sub(1, SeqCst);
        self.stopping()
    }

    fn stopping(&self) -> bool {
        self.stop.load(SeqCst)
    }

    /// Returns when the epoch is no longer `seen`, or after `limit`.
    fn idle(&self, seen: u64, spin: bool, limit: Option<Duration>) {
        if spin && !self.spinning.swap(true, SeqCst) {
            let begin = Instant::now();
            while self.epoch.load(SeqCst) == seen && begin.elapsed() < SPIN {
                for _ in 0..32 {
                    std::hint::spin_loop();
                }
                // On a busy host the thread that is to submit the next work may wait for this core.
                thread::yield_now();
            }
            self.spinning.store(false, SeqCst);
            // Checked after the flag fell: a doorbell that still saw it changed the epoch before.
            if self.epoch.load(SeqCst) != seen {
                return;
            }
        }
        let mut guard = self.lock.lock();
        self.sleepers.fetch_add(1, SeqCst);
        if self.epoch.load(SeqCst) == seen {
            match limit {
                Some(d) => drop(self.cond.wait_for(&mut guard, d)),
                None => self.cond.wait(&mut guard),
            }
        }
        self.sleepers.fetch_sub(1, SeqCst);
    }

    /// Starts the threads; as many as the host gives, an error only if that is none.
    pub fn start(machine: &Arc<Machine>) -> std::io::Result<Vec<JoinHandle<()>>> {
        let mut threads = Vec::new();
        for n in 0..machine.threads {
            let machine = machine.clone();
            match thread::Builder::new().name(format!("wavepipe-{n}")).spawn(move || work(&machine, n)) {
                Ok(t) => threads.push(t),
                Err(e) if threads.is_empty() => return Err(e),
                Err(_) => break,
            }
        }
        Ok(threads)
    }
}

/// A thread's own things, kept from grant to grant.
#[derive(Default)]
struct Worker {
    /// Its number.
    thread: usize,
    // Boxed as residents are: a work-group moves between the two lists without a copy.
    #[allow(clippy::vec_box)]
    spare: Vec<Box<WorkGroup>>,
    map: Option<(u64, Arc<MemoryMap>)>,
}

impl Worker {
    fn map(&mut self, machine: &Machine) -> Arc<MemoryMap> {
        let generation = machine.memory.generation();
        match &self.map {
            Some((g, map)) if *g == generation => map.clone(),
            _ => {
                let map = machine.memory.snapshot();
                self.map = Some((generation, map.clone()));
                map
            }
        }
    }
}

fn work(machine: &Arc<Machine>, thread: usize) {
    let pool = &machine.pool;
    let mut worker = Worker { thread, ..Worker::default() };
    let mut polled = Instant::now();
    while !pool.stopping() {
        let seen = pool.epoch.load(SeqCst);
        let mut busy = machine.cp.service(machine);
        if let Some((grant, more)) = machine.scheduler.pick(thread) {
            if more {
                pool.wake(1);
            }
            // A doorbell that rang between the two saw nobody to interrupt.
            if let Some(rank) = machine.cp.unattended() {
                machine.scheduler.make_way(rank);
            }
            run(machine, &mut worker, grant);
            busy = true;
        }
        let watching = machine.cp.watching();
        if watching && polled.elapsed() >= POLL {
            polled = Instant::now();
            machine.cp.recheck_watched();
        } else if !busy {
            worker.map = None;
            pool.idle(seen, machine.threads > 1, watching.then_some(POLL));
        }
    }
}

/// Runs a grant and reports to the scheduler; a fault stops the queue.
fn run(machine: &Machine, worker: &mut Worker, grant: Grant) {
    let dispatch = grant.dispatch;
    dispatch.began.get_or_init(Instant::now);
    let map = worker.map(machine);
    let mut report = Report::default();
    let (mut started, mut waves) = (0, 0);
    match grant.work {
        Work::Resume(resident) => report.scratch = turn(machine, worker, &dispatch, &map, resident, &mut report),
        Work::New(range, mut scratch) => {
            for index in range.clone() {
                if dispatch.cancelled.load(SeqCst) {
                    // The rest counts as done: nobody will start it.
                    report.done += range.end - index;
                    break;
                }
                let fresh = || Box::new(WorkGroup::on(machine.device.clone()));
                let mut group = worker.spare.pop().unwrap_or_else(fresh);
                dispatch.start(&mut group, index, scratch.as_ref().map_or(0, |s| s.start as u32));
                started += 1;
                waves += group.waves() as u64;
                let resident = Resident { group, index, scratch: scratch.take(), instructions: 0 };
                scratch = turn(machine, worker, &dispatch, &map, resident, &mut report);
                let over = report.instructions >= QUANTUM || machine.scheduler.preempt(worker.thread).load(SeqCst);
                if report.suspended.is_some() || over {
                    report.left = index + 1..range.end;
                    break;
                }
            }
            report.scratch = scratch;
        }
    }
    machine.counters.instructions.fetch_add(report.instructions, SeqCst);
    machine.counters.workgroups.fetch_add(started, SeqCst);
    machine.counters.waves.fetch_add(waves, SeqCst);
    if !dispatch.cancelled.load(SeqCst) && machine.overdue(&dispatch) {
        let site = report.suspended.as_ref().and_then(|r| r.group.site(&map));
        let limit_ms = machine.config.timeout.as_millis() as u64;
        machine.stop_queue(&dispatch.queue, FaultKind::Timeout { limit_ms }, site);
    }
    if machine.scheduler.finish(worker.thread, &dispatch, report) {
        machine.cp.dispatch_ended(&dispatch.queue, 1);
    }
}

/// One turn of one work-group. Gives back its scratch if it has no more use for it.
fn turn(
    machine: &Machine,
    worker: &mut Worker,
    dispatch: &Dispatch,
    map: &MemoryMap,
    mut resident: Resident,
    report: &mut Report,
) -> Option<std::ops::Range<u64>> {
    // A panic leaves the work-group in an unknown state: it is dropped, and the queue stops.
    let result = catch_unwind(AssertUnwindSafe(|| {
        let preempt = machine.scheduler.preempt(worker.thread);
        let outcome = resident.group.run_until(map, &machine.code, QUANTUM, preempt);
        (outcome, resident.group.instructions())
    }));
    let (outcome, instructions) = match result {
        Ok(r) => r,
        Err(panic) => {
            report.done += 1;
            machine.stop_queue(&dispatch.queue, internal(panic), None);
            return resident.scratch;
        }
    };
    report.instructions += instructions;
    resident.instructions += instructions;
    match outcome {
        Outcome::Budget => {
            if machine.scheduler.preempt(worker.thread).load(SeqCst) {
                machine.counters.preemptions.fetch_add(1, SeqCst);
            }
            report.suspended = Some(resident);
            return None;
        }
        Outcome::Done => {
            report.done += 1;
            dispatch.ended(resident.index, resident.instructions);
        }
        Outcome::Fault(fault) => {
            report.done += 1;
            let WaveFault { mut kind, site } = *fault;
            if let FaultKind::WildAddress { address, nearest, .. } = &mut kind {
                *nearest = map.nearest(*address);
            }
            machine.stop_queue(&dispatch.queue, kind, site);
        }
    }
    worker.spare.push(resident.group);
    resident.scratch
}

/// A caught panic as a fault.
pub(crate) fn internal(panic: Box<dyn std::any::Any + Send>) -> FaultKind {
    let text = panic.downcast_ref::<&str>().map(|s| s.to_string());
    let why = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".into());
    FaultKind::Internal { why }
}
