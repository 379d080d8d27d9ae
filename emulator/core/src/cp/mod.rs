//! The command processor: a front end, four ACEs and a DMA engine, which are pipes of eight hardware queues each. A queue is
//! a ring of PM4 packets.
//!
//! Invariant: no queue ever holds up another. A packet that has to wait (for dispatches, for memory) leaves its queue
//! where it stands and is looked at again when something changed; a long copy goes on in pieces. There is no thread
//! per pipe: whichever host thread sees a pipe's attention flag runs it, one thread at a time per pipe.

mod execute;
mod queue;

pub use queue::Stepped;
pub(crate) use queue::{QueueShared, View};

use crate::dispatch::internal;
use crate::dispatch::policy::Rank;
use crate::gpu::Machine;
use parking_lot::{Mutex, RwLock};
use queue::{Queue, Slice};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};
use wavepipe_hw::port::{PortError, QueueDesc, QueueId, pipe};

const PIPES: usize = pipe::COUNT as usize;
const PIPE_QUEUES: usize = pipe::QUEUES as usize;
/// Hardware queues of the machine.
pub(crate) const QUEUES: usize = PIPES * PIPE_QUEUES;

/// Longest turn at one pipe's packets, and at all pipes' before the thread looks for work-groups again.
const TURN: Duration = Duration::from_millis(1);
const SERVICE: Duration = Duration::from_millis(4);

#[derive(Default)]
pub(crate) struct CommandProcessor {
    pipes: [Pipe; PIPES],
    /// Mapped queues by index. Beside the pipes' state, so that a doorbell never waits for a packet, and an interrupt
    /// handler may ring one.
    mapped: RwLock<[[Option<Arc<QueueShared>>; PIPE_QUEUES]; PIPES]>,
}

#[derive(Default)]
struct Pipe {
    state: Mutex<PipeState>,
    /// Something changed for one of its queues.
    attention: AtomicBool,
    /// Queues that stand at a WAIT_REG_MEM.
    watching: AtomicUsize,
    /// The highest rank among its queues.
    rank: RwLock<Option<Rank>>,
}

impl Pipe {
    /// After its queues changed.
    fn rerank(&self, state: &PipeState) {
        *self.rank.write() = state.queues.iter().flatten().map(|q| q.shared.rank()).max();
    }
}

#[derive(Default)]
struct PipeState {
    queues: [Option<Queue>; PIPE_QUEUES],
    /// Queue after the one that went first last time.
    next: usize,
}

impl CommandProcessor {
    /// Maps a ring; the ring and the read-pointer report must be in mapped memory.
    pub fn map(&self, machine: &Machine, desc: &QueueDesc) -> Result<Arc<QueueShared>, PortError> {
        let (pipe, queue) = (desc.pipe as usize, desc.queue as usize);
        if pipe >= PIPES || queue >= PIPE_QUEUES || !desc.ring_dwords.is_power_of_two() || desc.priority > 15 {
            return Err(PortError::BadQueue);
        }
        let map = machine.memory.snapshot();
        for (va, bytes) in [(desc.ring_base, 4 * u64::from(desc.ring_dwords)), (desc.rptr_report, 8)] {
            if va % 4 != 0 || map.span(va, bytes).is_none() {
                return Err(PortError::BadAddress(va, bytes));
            }
        }
        let mut state = self.pipes[pipe].state.lock();
        if state.queues[queue].is_some() {
            return Err(PortError::BadQueue);
        }
        let mut mapped = self.mapped.write();
        let reserved: u32 = mapped.iter().flatten().flatten().map(|q| q.reserved_cus).sum();
        // A work-group processor stays for all.
        let shape = &machine.config.machine.shape;
        let free = (shape.cus.value - shape.cus_per_wgp.value) as u32 - reserved;
        if desc.reserved_cus > free {
            return Err(PortError::NoComputeUnits { asked: desc.reserved_cus, free });
        }
        let shared = Arc::new(QueueShared::new(desc, pipe * PIPE_QUEUES + queue));
        machine.scheduler.reserve(shared.index, desc.reserved_cus, shape.cus.value);
        state.queues[queue] = Some(Queue::new(*desc, shared.clone()));
        self.pipes[pipe].rerank(&state);
        mapped.as_flattened_mut()[shared.index] = Some(shared.clone());
        Ok(shared)
    }

    /// Takes a queue off its slot, whatever it is doing.
    pub fn unmap(&self, machine: &Machine, queue: &QueueShared) {
        self.mapped.write().as_flattened_mut()[queue.index] = None;
        let pipe = &self.pipes[queue.index / PIPE_QUEUES];
        let mut state = pipe.state.lock();
        state.queues[queue.index % PIPE_QUEUES] = None;
        pipe.rerank(&state);
        machine.scheduler.reserve(queue.index, 0, machine.config.machine.shape.cus.value);
    }

    pub fn find(&self, id: QueueId) -> Option<Arc<QueueShared>> {
        self.mapped.read().as_flattened().get(id.0 as usize)?.clone()
    }

    /// The queue has something new: packets behind its doorbell, or ended dispatches.
    pub fn attend(&self, queue: &QueueShared) {
        self.pipes[queue.index / PIPE_QUEUES].attention.store(true, SeqCst);
    }

    /// Dispatches of the queue ended.
    pub fn dispatch_ended(&self, queue: &QueueShared, count: u32) {
        queue.in_flight.fetch_sub(count, SeqCst);
        self.attend(queue);
        self.recheck_watched();
    }

    /// Whether any queue waits for memory to change.
    pub fn watching(&self) -> bool {
        self.pipes.iter().any(|a| a.watching.load(SeqCst) > 0)
    }

    /// Memory may have changed: every queue that waits for that looks again. The highest rank of these.
    pub fn recheck_watched(&self) -> Option<Rank> {
        let watching = self.pipes.iter().filter(|p| p.watching.load(SeqCst) > 0);
        watching
            .filter_map(|p| {
                p.attention.store(true, SeqCst);
                *p.rank.read()
            })
            .max()
    }

    /// The highest rank among the pipes that want attention.
    pub fn unattended(&self) -> Option<Rank> {
        self.pipes.iter().filter(|p| p.attention.load(SeqCst)).filter_map(|p| *p.rank.read()).max()
    }

    /// The mapped queues, by index.
    pub fn queues(&self) -> Vec<Arc<QueueShared>> {
        self.mapped.read().iter().flatten().flatten().cloned().collect()
    }

    /// Executes the packet at the front of a queue.
    pub fn step(&self, machine: &Machine, queue: usize, view: &mut View) -> Stepped {
        let Some(pipe) = self.pipes.get(queue / PIPE_QUEUES) else { return Stepped::Stopped };
        let mut state = pipe.state.lock();
        let Some(queue) = &mut state.queues[queue % PIPE_QUEUES] else { return Stepped::Stopped };
        match catch_unwind(AssertUnwindSafe(|| queue.step(machine, view))) {
            Ok(stepped) => stepped,
            Err(panic) => {
                machine.stop_queue(&queue.shared, internal(panic), None);
                Stepped::Stopped
            }
        }
    }

    /// Runs packets of every pipe that wants attention and that no other thread runs, those of the highest rank first; `true`
    /// if there were any.
    pub fn service(&self, machine: &Machine) -> bool {
        let mut busy = false;
        let mut passed = [false; PIPES];
        let begin = Instant::now();
        while begin.elapsed() < SERVICE {
            let wants = |i: &usize| !passed[*i] && self.pipes[*i].attention.load(SeqCst);
            let Some(i) = (0..PIPES).filter(wants).max_by_key(|&i| *self.pipes[i].rank.read()) else { break };
            let pipe = &self.pipes[i];
            // Attention that arrives while another thread holds the state is seen by that thread after it let go.
            let Some(mut state) = pipe.state.try_lock() else {
                passed[i] = true;
                continue;
            };
            pipe.attention.store(false, SeqCst);
            busy = true;
            let out_of_time = state.turn(machine, Instant::now());
            let watching = state.queues.iter().flatten().filter(|q| q.watching).count();
            pipe.watching.store(watching, SeqCst);
            drop(state);
            if out_of_time {
                pipe.attention.store(true, SeqCst);
                passed[i] = true;
            }
        }
        busy
    }
}

impl PipeState {
    /// Rounds over the queues, high rank first and round robin among equals, until none gets further or the time
    /// is over (`true`).
    fn turn(&mut self, machine: &Machine, begin: Instant) -> bool {
        loop {
            let mut order: [usize; PIPE_QUEUES] = std::array::from_fn(|i| (self.next + i) % PIPE_QUEUES);
            order.sort_by_key(|&i| std::cmp::Reverse(self.queues[i].as_ref().map(|q| q.shared.rank())));
            self.next = (self.next + 1) % PIPE_QUEUES;
            let mut more = false;
            for i in order {
                let Some(queue) = &mut self.queues[i] else { continue };
                let slice = catch_unwind(AssertUnwindSafe(|| queue.slice(machine)));
                match slice {
                    Ok(Slice::More) => more = true,
                    Ok(Slice::Stuck) => {}
                    Err(panic) => machine.stop_queue(&queue.shared, internal(panic), None),
                }
            }
            if !more {
                return false;
            }
            if begin.elapsed() >= TURN {
                return true;
            }
        }
    }
}
