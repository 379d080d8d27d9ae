//! The command processor: a front end, four ACEs and a DMA engine, which are pipes of eight hardware queues each. A queue is
//! a ring of PM4 packets.
//!
//! Invariant: no queue ever holds up another. A packet that has to wait (for dispatches, for memory) leaves its queue
//! where it stands and is looked at again when something changed; a long copy goes on in pieces. There is no thread
//! per pipe: whichever host thread sees a pipe's attention flag runs it, one thread at a time per pipe.

mod execute;
mod ring;
mod step;

pub use step::Stepped;

use crate::doorbells::{PIPE_QUEUES, PIPES};
use crate::machine::{Machine, internal};
use crate::memory::View;
use crate::queue::HardwareQueue;
use parking_lot::Mutex;
use ring::Ring;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use step::Slice;
use wavepipe_hw::pipe;
use wavepipe_hw::port::{PortError, QueueDesc};

/// Longest turn at one pipe's packets, and at all pipes' before the thread looks for work-groups again.
const TURN: Duration = Duration::from_millis(1);
const SERVICE: Duration = Duration::from_millis(4);

#[derive(Default)]
pub(crate) struct CommandProcessor {
    pipes: [Mutex<Pipe>; PIPES],
}

#[derive(Default)]
struct Pipe {
    queues: [Option<Ring>; PIPE_QUEUES],
    /// Queue after the one that went first last time.
    next: usize,
}

/// Whether the machine has this queue of this pipe: of ACEs as many as its description says.
fn has(machine: &Machine, desc: &QueueDesc) -> bool {
    let command = &machine.config.machine.command;
    let ace = desc.pipe.checked_sub(pipe::FIRST_ACE).filter(|ace| *ace < pipe::ACES);
    let queues = if ace.is_some() { command.queues_per_ace.value } else { pipe::QUEUES.into() };
    u64::from(desc.queue) < queues && ace.is_none_or(|ace| u64::from(ace) < command.aces.value)
}

impl CommandProcessor {
    /// Maps a ring; the ring and the read-pointer report must be in mapped memory.
    pub fn map(&self, machine: &Machine, desc: &QueueDesc) -> Result<Arc<HardwareQueue>, PortError> {
        let (pipe, queue) = (desc.pipe as usize, desc.queue as usize);
        if pipe >= PIPES || !has(machine, desc) || !desc.ring_dwords.is_power_of_two() || desc.priority > 15 {
            return Err(PortError::BadQueue);
        }
        let map = machine.memory.snapshot();
        for (va, bytes) in [(desc.ring_base, 4 * u64::from(desc.ring_dwords)), (desc.rptr_report, 8)] {
            if va % 4 != 0 || map.span(va, bytes).is_none() {
                return Err(PortError::BadAddress(va, bytes));
            }
        }
        let mut rings = self.pipes[pipe].lock();
        if rings.queues[queue].is_some() {
            return Err(PortError::BadQueue);
        }
        // A work-group processor stays for all.
        let shape = &machine.config.machine.shape;
        let for_all = (shape.cus.value - shape.cus_per_wgp.value) as u32;
        let shared = Arc::new(HardwareQueue::new(desc, pipe * PIPE_QUEUES + queue));
        let reserved = machine.doorbells.map(&shared, for_all);
        reserved.map_err(|free| PortError::NoComputeUnits { asked: desc.reserved_cus, free })?;
        machine.scheduler.reserve(shared.index, desc.reserved_cus, shape.cus.value);
        rings.queues[queue] = Some(Ring::new(*desc, shared.clone(), machine.config.machine.generation()));
        drop(rings);
        Self::let_go(machine);
        Ok(shared)
    }

    /// The program's thread held a pipe: a thread of the GPU that met it there has passed on, and may sleep.
    fn let_go(machine: &Machine) {
        if machine.doorbells.unattended().is_some() {
            machine.idle.ring();
        }
    }

    /// Takes a queue off its slot, whatever it is doing.
    pub fn unmap(&self, machine: &Machine, queue: &HardwareQueue) {
        machine.doorbells.unmap(queue);
        self.pipes[queue.index / PIPE_QUEUES].lock().queues[queue.index % PIPE_QUEUES] = None;
        Self::let_go(machine);
        machine.scheduler.reserve(queue.index, 0, machine.config.machine.shape.cus.value);
    }

    /// Executes the packet at the front of a queue.
    pub fn step(&self, machine: &Machine, queue: usize, view: &mut View) -> Stepped {
        let Some(pipe) = self.pipes.get(queue / PIPE_QUEUES) else { return Stepped::Stopped };
        let mut pipe = pipe.lock();
        let Some(queue) = &mut pipe.queues[queue % PIPE_QUEUES] else { return Stepped::Stopped };
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
        self.serve(machine, SERVICE)
    }

    /// The same, for about so long. However late it is, it looks: a thread that does not, because it was kept from its core
    /// between two lines, takes the doorbell for one that it has served, and sleeps.
    pub(crate) fn serve(&self, machine: &Machine, limit: Duration) -> bool {
        let mut busy = false;
        let mut passed = [false; PIPES];
        let begin = Instant::now();
        while let Some(i) = machine.doorbells.next(&passed) {
            // Attention that arrives while another thread holds the pipe is seen by that thread after it let go.
            let Some(mut pipe) = self.pipes[i].try_lock() else {
                passed[i] = true;
                continue;
            };
            machine.doorbells.attended(i);
            busy = true;
            let out_of_time = pipe.turn(machine, Instant::now());
            machine.doorbells.set_watching(i, pipe.queues.iter().flatten().filter(|q| q.watching).count());
            drop(pipe);
            if out_of_time {
                machine.doorbells.want_attention(i);
                passed[i] = true;
            }
            if begin.elapsed() >= limit {
                break;
            }
        }
        busy
    }
}

impl Pipe {
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
