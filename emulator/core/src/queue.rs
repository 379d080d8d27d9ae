//! A hardware queue as every thread knows it: who it is, how far its ring is written and executed, what of it runs.

use crate::policy::Rank;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};
use wavepipe_hw::port::{GlobalPriority, QueueDesc, QueueId};

/// A mapped queue. Its packets and registers are its [`Ring`](crate::cp)'s.
#[derive(Debug)]
pub struct HardwareQueue {
    /// Pipe × 8 + queue; also the [`QueueId`].
    pub index: usize,
    pub pipe: u32,
    pub queue: u32,
    pub priority: u32,
    pub global: GlobalPriority,
    /// Compute units of its own.
    pub reserved_cus: u32,
    /// The doorbell: dwords written to the ring, monotonic.
    pub wptr: AtomicU64,
    /// Dwords executed.
    pub rptr: AtomicU64,
    /// Dispatches that have not ended.
    pub in_flight: AtomicU32,
    /// Set by the first fault, for good.
    pub stopped: AtomicBool,
}

impl HardwareQueue {
    pub fn new(desc: &QueueDesc, index: usize) -> Self {
        HardwareQueue {
            index,
            pipe: desc.pipe,
            queue: desc.queue,
            priority: desc.priority,
            global: desc.global,
            reserved_cus: desc.reserved_cus,
            wptr: AtomicU64::new(0),
            rptr: AtomicU64::new(0),
            in_flight: AtomicU32::new(0),
            stopped: AtomicBool::new(false),
        }
    }

    pub fn rank(&self) -> Rank {
        Rank { global: self.global, priority: self.priority }
    }

    pub fn id(&self) -> QueueId {
        QueueId(self.index as u32)
    }

    /// Whether everything behind the doorbell is done, or will never be.
    pub fn drained(&self) -> bool {
        self.in_flight.load(SeqCst) == 0
            && (self.stopped.load(SeqCst) || self.rptr.load(SeqCst) >= self.wptr.load(SeqCst))
    }
}
