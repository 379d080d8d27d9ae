//! The doorbells: which queues are mapped, and which pipes of the command processor have something new to look at.
//!
//! Apart from the pipes' own state, so that a doorbell never waits for a packet, and an interrupt handler may ring one.

use crate::policy::Rank;
use crate::queue::HardwareQueue;
use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use wavepipe_hw::pipe;
use wavepipe_hw::port::QueueId;

pub const PIPES: usize = pipe::COUNT as usize;
pub(crate) const PIPE_QUEUES: usize = pipe::QUEUES as usize;
/// Hardware queues of the machine.
pub(crate) const QUEUES: usize = PIPES * PIPE_QUEUES;

#[derive(Default)]
pub struct Doorbells {
    pipes: [PipeSignals; PIPES],
    /// Mapped queues by pipe and place there.
    mapped: RwLock<[[Option<Arc<HardwareQueue>>; PIPE_QUEUES]; PIPES]>,
}

#[derive(Default)]
struct PipeSignals {
    /// Something changed for one of its queues.
    attention: AtomicBool,
    /// Queues that stand at a WAIT_REG_MEM.
    watching: AtomicUsize,
    /// The highest rank among its queues.
    rank: RwLock<Option<Rank>>,
}

impl Doorbells {
    /// Enters a queue.
    ///
    /// # Errors
    /// The compute units that are left, if those that it reserves are not: of `for_all`, which queues may reserve in all.
    pub fn map(&self, queue: &Arc<HardwareQueue>, for_all: u32) -> Result<(), u32> {
        let mut mapped = self.mapped.write();
        let reserved: u32 = mapped.iter().flatten().flatten().map(|q| q.reserved_cus).sum();
        let free = for_all - reserved;
        if queue.reserved_cus > free {
            return Err(free);
        }
        mapped.as_flattened_mut()[queue.index] = Some(queue.clone());
        drop(mapped);
        self.rerank(queue.index / PIPE_QUEUES);
        Ok(())
    }

    pub fn unmap(&self, queue: &HardwareQueue) {
        self.mapped.write().as_flattened_mut()[queue.index] = None;
        self.rerank(queue.index / PIPE_QUEUES);
    }

    /// After the queues of a pipe changed.
    fn rerank(&self, pipe: usize) {
        let mapped = self.mapped.read();
        *self.pipes[pipe].rank.write() = mapped[pipe].iter().flatten().map(|q| q.rank()).max();
    }

    pub fn find(&self, id: QueueId) -> Option<Arc<HardwareQueue>> {
        self.mapped.read().as_flattened().get(id.0 as usize)?.clone()
    }

    /// The mapped queues, by index.
    pub fn queues(&self) -> Vec<Arc<HardwareQueue>> {
        self.mapped.read().iter().flatten().flatten().cloned().collect()
    }

    /// The queue has something new: packets behind its doorbell, or ended dispatches.
    pub fn attend(&self, queue: &HardwareQueue) {
        self.want_attention(queue.index / PIPE_QUEUES);
    }

    /// Dispatches of the queue ended.
    pub fn dispatch_ended(&self, queue: &HardwareQueue, count: u32) {
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

    /// Of the pipes that want attention and are not `passed`, the one of the highest rank.
    pub fn next(&self, passed: &[bool; PIPES]) -> Option<usize> {
        let wants = |i: &usize| !passed[*i] && self.pipes[*i].attention.load(SeqCst);
        (0..PIPES).filter(wants).max_by_key(|&i| *self.pipes[i].rank.read())
    }

    pub fn want_attention(&self, pipe: usize) {
        self.pipes[pipe].attention.store(true, SeqCst);
    }

    /// Somebody looks at the pipe now.
    pub fn attended(&self, pipe: usize) {
        self.pipes[pipe].attention.store(false, SeqCst);
    }

    /// So many queues of the pipe stand at a WAIT_REG_MEM.
    pub fn set_watching(&self, pipe: usize, queues: usize) {
        self.pipes[pipe].watching.store(queues, SeqCst);
    }
}
