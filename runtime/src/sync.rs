//! Fences, semaphores and events, all as values in GPU memory.
//!
//! - A semaphore is a 64-bit counter. The GPU waits with WAIT_REG_MEM (≥) and signals with RELEASE_MEM; so a wait may be
//!   submitted before its signal, on any queue. A binary semaphore is the same counter, whose values the runtime picks.
//! - An event is a dword that is 0 or 1.
//! - A fence is a queue and the number of a submission on it; the queue counts finished submissions in memory.

use crate::bus::{Bus, QueueFence};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::heap::Suballocation;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The deadline that a Vulkan time-out in nanoseconds means; `None` = wait for ever.
pub(crate) fn deadline(timeout: Option<Duration>) -> Option<Instant> {
    timeout.and_then(|t| Instant::now().checked_add(t))
}

/// Tells the host that a submission finished.
pub struct Fence {
    bus: Arc<Bus>,
    state: Mutex<FenceState>,
}

#[derive(Clone)]
enum FenceState {
    Unsignaled,
    Pending(Arc<QueueFence>, u64),
    Signaled,
}

impl FenceState {
    fn done(&self) -> bool {
        match self {
            FenceState::Unsignaled => false,
            FenceState::Pending(queue, seq) => queue.completed(*seq),
            FenceState::Signaled => true,
        }
    }
}

impl Fence {
    pub fn new(device: &Arc<Device>, signaled: bool) -> Arc<Fence> {
        let state = if signaled { FenceState::Signaled } else { FenceState::Unsignaled };
        Arc::new(Fence { bus: device.bus().clone(), state: Mutex::new(state) })
    }

    pub fn reset(&self) {
        *self.state.lock() = FenceState::Unsignaled;
    }

    pub(crate) fn attach(&self, queue: &Arc<QueueFence>, seq: u64) {
        *self.state.lock() = FenceState::Pending(queue.clone(), seq);
        // Someone may wait already, in another thread.
        self.bus.interrupts.notify();
    }

    /// Whether it is signaled; an error if it is not and the device is lost.
    pub fn status(&self) -> Result<bool> {
        if self.state.lock().done() {
            return Ok(true);
        }
        self.bus.interrupts.check().map(|()| false)
    }

    /// `Ok(false)` = time-out. `None` = wait for ever.
    pub fn wait(&self, timeout: Option<Duration>) -> Result<bool> {
        Self::wait_many(&[self], true, timeout)
    }

    /// Waits for all fences or for any one; of one device.
    pub fn wait_many(fences: &[&Fence], all: bool, timeout: Option<Duration>) -> Result<bool> {
        let Some(first) = fences.first() else { return Ok(true) };
        let done = |f: &&Fence| f.state.lock().done();
        let ready = || if all { fences.iter().all(done) } else { fences.iter().any(done) };
        first.bus.interrupts.wait(deadline(timeout), ready)
    }
}

/// Orders submissions among each other, and with the host if it is a timeline.
pub struct Semaphore {
    bus: Arc<Bus>,
    cell: Suballocation,
    /// For a binary semaphore, the value of the last signal submitted.
    binary: Option<Mutex<u64>>,
}

impl Semaphore {
    /// Values given with a binary semaphore are ignored.
    pub fn binary(device: &Arc<Device>) -> Result<Arc<Semaphore>> {
        Self::new(device, 0, Some(Mutex::new(0)))
    }

    pub fn timeline(device: &Arc<Device>, initial: u64) -> Result<Arc<Semaphore>> {
        Self::new(device, initial, None)
    }

    fn new(device: &Arc<Device>, initial: u64, binary: Option<Mutex<u64>>) -> Result<Arc<Semaphore>> {
        let cell = device.heap().allocate(8, 8, "semaphore")?;
        cell.store_u64(0, initial);
        Ok(Arc::new(Semaphore { bus: device.bus().clone(), cell, binary }))
    }

    pub fn is_timeline(&self) -> bool {
        self.binary.is_none()
    }

    /// GPU address of the counter.
    pub fn address(&self) -> u64 {
        self.cell.va()
    }

    /// The counter now. A lost device is an error, as in Vulkan.
    pub fn value(&self) -> Result<u64> {
        self.bus.interrupts.check()?;
        Ok(self.cell.load_u64(0))
    }

    /// Sets a timeline from the host; waiting queues and threads go on.
    pub fn signal(&self, value: u64) -> Result<()> {
        if !self.is_timeline() {
            return Err(Error::Invalid("the host cannot signal a binary semaphore".into()));
        }
        self.cell.store_u64(0, value);
        self.bus.port.host_wrote();
        self.bus.interrupts.notify();
        Ok(())
    }

    /// Waits on the host for a timeline to reach `value`; `Ok(false)` = time-out.
    pub fn wait(&self, value: u64, timeout: Option<Duration>) -> Result<bool> {
        Self::wait_many(&[(self, value)], true, timeout)
    }

    /// Waits for all values or for any one; of one device.
    pub fn wait_many(waits: &[(&Semaphore, u64)], all: bool, timeout: Option<Duration>) -> Result<bool> {
        let Some((first, _)) = waits.first() else { return Ok(true) };
        let done = |(s, value): &(&Semaphore, u64)| s.cell.load_u64(0) >= *value;
        let ready = || if all { waits.iter().all(done) } else { waits.iter().any(done) };
        first.bus.interrupts.wait(deadline(timeout), ready)
    }

    /// The value that a submitted wait compares with.
    pub(crate) fn wait_value(&self, value: u64) -> u64 {
        self.binary.as_ref().map_or(value, |last| *last.lock())
    }

    /// The value that a submitted signal writes.
    pub(crate) fn signal_value(&self, value: u64) -> u64 {
        self.binary.as_ref().map_or(value, |last| {
            let mut last = last.lock();
            *last += 1;
            *last
        })
    }
}

/// A flag that commands and the host set, reset and wait for.
pub struct Event {
    bus: Arc<Bus>,
    cell: Suballocation,
}

impl Event {
    pub fn new(device: &Arc<Device>) -> Result<Arc<Event>> {
        Ok(Arc::new(Event { bus: device.bus().clone(), cell: device.heap().allocate(4, 4, "event")? }))
    }

    /// GPU address of the dword.
    pub fn address(&self) -> u64 {
        self.cell.va()
    }

    pub fn is_set(&self) -> Result<bool> {
        self.bus.interrupts.check()?;
        Ok(self.cell.load_u32(0) != 0)
    }

    pub fn set(&self) {
        self.store(1);
    }

    pub fn reset(&self) {
        self.store(0);
    }

    fn store(&self, value: u32) {
        self.cell.store_u32(0, value);
        self.bus.port.host_wrote();
    }
}
