//! The host threads. Each in turn runs the command processor where a ring has something new, then a grant of the
//! scheduler; with neither it spins for a moment and then sleeps.

use crate::cp::CommandProcessor;
use crate::dispatch::{Dispatch, Grant, QUANTUM, Report, Resident, Work};
use crate::machine::{Machine, internal};
use crate::memory::MemoryMap;
use crate::wave::{Outcome, WaveFault, WorkGroup};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use wavepipe_hw::fault::FaultKind;
use wavepipe_isa::fenv;

/// How often memory that a WAIT_REG_MEM watches is looked at without a reason.
const POLL: Duration = Duration::from_millis(1);

/// Starts the threads; as many as the host gives, an error only if that is none.
pub(crate) fn start(machine: &Arc<Machine>, cp: &Arc<CommandProcessor>) -> std::io::Result<Vec<JoinHandle<()>>> {
    let mut threads = Vec::new();
    for n in 0..machine.threads {
        let (machine, cp) = (machine.clone(), cp.clone());
        match thread::Builder::new().name(format!("wavepipe-{n}")).spawn(move || work(&machine, &cp, n)) {
            Ok(t) => threads.push(t),
            Err(e) if threads.is_empty() => return Err(e),
            Err(_) => break,
        }
    }
    Ok(threads)
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

fn work(machine: &Machine, cp: &CommandProcessor, thread: usize) {
    // The program's thread that started this one may have had any.
    fenv::set_default();
    let idle = &machine.idle;
    let mut worker = Worker { thread, ..Worker::default() };
    let mut polled = Instant::now();
    while !idle.stopping() {
        let seen = idle.epoch();
        let mut busy = cp.service(machine);
        if let Some((grant, more)) = machine.scheduler.pick(thread) {
            if more {
                idle.wake(1);
            }
            // A doorbell that rang between the two saw nobody to interrupt.
            if let Some(rank) = machine.doorbells.unattended() {
                machine.scheduler.make_way(rank);
            }
            run(machine, &mut worker, grant);
            busy = true;
        }
        let watching = machine.doorbells.watching();
        if watching && polled.elapsed() >= POLL {
            polled = Instant::now();
            machine.doorbells.recheck_watched();
        } else if !busy {
            worker.map = None;
            idle.wait(seen, machine.threads > 1, watching.then_some(POLL));
        }
    }
}

/// Runs a grant and reports to the scheduler; a fault stops the queue, once nobody can have an earlier one.
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
                if dispatch.cancelled.load(SeqCst) || !dispatch.may_run(index) {
                    // The rest counts as done: nobody will start it.
                    report.done += range.end - index;
                    break;
                }
                let fresh = || Box::new(WorkGroup::on(machine.device.clone()));
                let mut group = worker.spare.pop().unwrap_or_else(fresh);
                dispatch.start_unseen(&mut group, index, scratch.as_ref().map_or(0, |s| s.start as u32));
                started += 1;
                waves += group.waves() as u64;
                let resident = Resident { group, index, scratch: scratch.take() };
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
    machine.code.publish();
    machine.counters.instructions.fetch_add(report.instructions, SeqCst);
    machine.counters.workgroups.fetch_add(started, SeqCst);
    machine.counters.waves.fetch_add(waves, SeqCst);
    let overdue = !dispatch.cancelled.load(SeqCst) && machine.overdue(&dispatch);
    let site = report.suspended.as_ref().filter(|_| overdue).and_then(|r| r.group.site(&map));
    let ended = machine.scheduler.finish(worker.thread, &dispatch, report);
    let timeout = overdue.then_some(FaultKind::Timeout { limit_ms: machine.config.timeout.as_millis() as u64 });
    let fault = dispatch.take_fault(ended || overdue).or(timeout.map(|kind| WaveFault { kind, site }));
    if let Some(WaveFault { kind, site }) = fault {
        machine.tell(&dispatch);
        machine.stop_queue(&dispatch.queue, kind, site);
    }
    if ended {
        machine.dispatch_ended(&dispatch);
    }
}

/// One turn of one work-group. Gives back its scratch if it has no more use for it.
fn turn(
    machine: &Machine,
    worker: &mut Worker,
    dispatch: &Arc<Dispatch>,
    map: &MemoryMap,
    mut resident: Resident,
    report: &mut Report,
) -> Option<std::ops::Range<u64>> {
    if !dispatch.may_run(resident.index) {
        report.done += 1;
        worker.spare.push(resident.group);
        return resident.scratch;
    }
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
            machine.tell(dispatch);
            machine.stop_queue(&dispatch.queue, internal(panic), None);
            return resident.scratch;
        }
    };
    machine.deliver(&mut resident.group);
    report.instructions += instructions;
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
        }
        Outcome::Fault(fault) => {
            report.done += 1;
            let WaveFault { mut kind, site } = *fault;
            map.name_fault(&mut kind);
            dispatch.note_fault(resident.index, WaveFault { kind, site });
            machine.scheduler.curtail(dispatch);
        }
    }
    worker.spare.push(resident.group);
    resident.scratch
}
