//! Fences, semaphores and events, all as values in GPU memory.
//!
//! - A semaphore is a 64-bit counter. The GPU waits with WAIT_REG_MEM64 (≥), or at a gate where it has none ([`crate::gate`]), and
//!   signals with RELEASE_MEM; so a wait may be submitted before its signal, on any queue. A binary semaphore is the same counter, whose values the runtime picks:
//!   a wait is for the last signal that was submitted.
//! - An event is a dword that is 0 or 1.
//! - A fence is a queue and the number of a submission on it; the queue counts finished submissions in memory.
//! - What others import lies in a file in memory: a semaphore's counter, or a word that a fence's submission writes.

use crate::bus::{Bus, QueueFence};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::heap::Suballocation;
use crate::lock::{Mutex, rank};
use crate::payload::{Kind, Payload};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The deadline that a Vulkan time-out in nanoseconds means; `None` = wait for ever.
pub(crate) fn deadline(timeout: Option<Duration>) -> Option<Instant> {
    timeout.and_then(|t| Instant::now().checked_add(t))
}

/// How often memory that others may write is looked at without an interrupt.
pub(crate) const POLL: Duration = Duration::from_millis(1);

/// Waits until `ready`, or the deadline (`Ok(false)`). Of `shared` memory nobody tells this device that it changed.
fn wait(bus: &Bus, deadline: Option<Instant>, shared: bool, ready: impl Fn() -> bool) -> Result<bool> {
    if !shared {
        return bus.interrupts.wait(deadline, ready);
    }
    loop {
        let next = Instant::now() + POLL;
        let last = deadline.filter(|d| *d <= next);
        if bus.interrupts.wait(Some(last.unwrap_or(next)), &ready)? {
            return Ok(true);
        }
        if last.is_some() {
            return Ok(false);
        }
    }
}

/// Tells the host that a submission finished.
pub struct Fence {
    bus: Arc<Bus>,
    state: Mutex<FenceState, { rank::FENCE }>,
    /// In place of the state, a word that is 0 or 1: for fences that others wait for too.
    shared: Option<Payload>,
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
        Self::with(device, signaled, None)
    }

    /// A fence that others may import.
    pub fn exportable(device: &Arc<Device>, signaled: bool) -> Result<Arc<Fence>> {
        let payload = Payload::new(device.bus(), Kind::Fence)?;
        payload.store(u64::from(signaled));
        Ok(Self::with(device, signaled, Some(payload)))
    }

    /// A fence that was exported, here or in another process.
    pub fn import(device: &Arc<Device>, file: BorrowedFd<'_>) -> Result<Arc<Fence>> {
        Ok(Self::with(device, false, Some(Payload::import(device.bus(), file, Kind::Fence)?)))
    }

    fn with(device: &Arc<Device>, signaled: bool, shared: Option<Payload>) -> Arc<Fence> {
        let state = if signaled { FenceState::Signaled } else { FenceState::Unsignaled };
        Arc::new(Fence { bus: device.bus().clone(), state: Mutex::new(state), shared })
    }

    /// A descriptor by which others import this fence.
    pub fn export(&self) -> Result<OwnedFd> {
        let payload = self.shared.as_ref();
        payload.ok_or_else(|| Error::Invalid("the fence was not made for export".into()))?.export()
    }

    pub fn reset(&self) {
        self.set(FenceState::Unsignaled);
        if let Some(payload) = &self.shared {
            payload.store(0);
        }
    }

    /// Signals it from the host, as what has happened already does.
    pub fn signal(&self) {
        self.set(FenceState::Signaled);
        if let Some(payload) = &self.shared {
            payload.store(1);
        }
        self.bus.interrupts.notify();
    }

    fn set(&self, state: FenceState) {
        // The old one may be the last that holds a queue.
        let old = std::mem::replace(&mut *self.state.lock(), state);
        drop(old);
    }

    pub(crate) fn attach(&self, queue: &Arc<QueueFence>, seq: u64) {
        self.set(FenceState::Pending(queue.clone(), seq));
        // Someone may wait already, in another thread.
        self.bus.interrupts.notify();
    }

    /// Where a submission writes 1 when it is done, besides its number to the queue's fence word.
    pub(crate) fn shared_address(&self) -> Option<u64> {
        self.shared.as_ref().map(Payload::address)
    }

    /// Whether it is signaled now; no time passes for the answer.
    pub(crate) fn done(&self) -> bool {
        self.shared.as_ref().map_or_else(|| self.state.lock().done(), |payload| payload.load() != 0)
    }

    /// The host has seen it signaled.
    fn seen(&self) {
        let FenceState::Pending(queue, seq) = self.state.lock().clone() else { return };
        self.bus.settle(|ordering| ordering.host_saw(queue.id, seq));
    }

    /// Whether it is signaled; an error if it is not and the device is lost.
    pub fn status(&self) -> Result<bool> {
        if self.bus.interrupts.poll(|| self.done()) {
            self.seen();
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
        let ready = || if all { fences.iter().all(|f| f.done()) } else { fences.iter().any(|f| f.done()) };
        let done = wait(&first.bus, deadline(timeout), fences.iter().any(|f| f.shared.is_some()), ready)?;
        fences.iter().filter(|f| done && f.done()).for_each(|f| f.seen());
        Ok(done)
    }
}

/// Orders submissions among each other, and with the host if it is a timeline.
pub struct Semaphore {
    bus: Arc<Bus>,
    payload: Payload,
    kind: Kind,
}

impl Semaphore {
    /// Values given with a binary semaphore are ignored.
    pub fn binary(device: &Arc<Device>) -> Result<Arc<Semaphore>> {
        Self::new(device, Payload::own(device)?, Kind::Binary)
    }

    pub fn timeline(device: &Arc<Device>, initial: u64) -> Result<Arc<Semaphore>> {
        let payload = Payload::own(device)?;
        payload.store(initial);
        Self::new(device, payload, Kind::Timeline)
    }

    /// A semaphore that others may import: a timeline if it has an initial value.
    pub fn exportable(device: &Arc<Device>, initial: Option<u64>) -> Result<Arc<Semaphore>> {
        let kind = if initial.is_some() { Kind::Timeline } else { Kind::Binary };
        let payload = Payload::new(device.bus(), kind)?;
        payload.store(initial.unwrap_or(0));
        Self::new(device, payload, kind)
    }

    /// A semaphore of this type that was exported, here or in another process.
    pub fn import(device: &Arc<Device>, file: BorrowedFd<'_>, timeline: bool) -> Result<Arc<Semaphore>> {
        let kind = if timeline { Kind::Timeline } else { Kind::Binary };
        Self::new(device, Payload::import(device.bus(), file, kind)?, kind)
    }

    fn new(device: &Arc<Device>, payload: Payload, kind: Kind) -> Result<Arc<Semaphore>> {
        Ok(Arc::new(Semaphore { bus: device.bus().clone(), payload, kind }))
    }

    /// A descriptor by which others import this semaphore.
    pub fn export(&self) -> Result<OwnedFd> {
        self.payload.export()
    }

    pub fn is_timeline(&self) -> bool {
        self.kind == Kind::Timeline
    }

    /// Whether others may write the counter.
    pub(crate) fn is_shared(&self) -> bool {
        self.payload.is_shared()
    }

    /// Whether the counter is so far by now; no time passes for the answer.
    pub(crate) fn reached(&self, value: u64) -> bool {
        self.payload.load() >= value
    }

    /// GPU address of the counter.
    pub fn address(&self) -> u64 {
        self.payload.address()
    }

    /// The counter now. A lost device is an error, as in Vulkan.
    pub fn value(&self) -> Result<u64> {
        let before = self.payload.load();
        self.bus.interrupts.poll(|| self.payload.load() != before);
        self.bus.interrupts.check()?;
        let value = self.payload.load();
        self.seen(value);
        Ok(value)
    }

    /// Sets a timeline from the host; waiting queues and threads go on.
    pub fn signal(&self, value: u64) -> Result<()> {
        if !self.is_timeline() {
            return Err(Error::Invalid("the host cannot signal a binary semaphore".into()));
        }
        self.store(value);
        Ok(())
    }

    /// Signals a binary semaphore by what has happened already.
    pub fn signal_binary(&self) {
        self.store(self.payload.next_signal());
    }

    fn store(&self, value: u64) {
        self.payload.store(value);
        self.bus.interrupts.gates.look();
        self.bus.port.host_wrote();
        self.bus.interrupts.notify();
    }

    /// Waits on the host for a timeline to reach `value`, or for a binary semaphore's last signal; `Ok(false)` = time-out.
    pub fn wait(&self, value: u64, timeout: Option<Duration>) -> Result<bool> {
        Self::wait_many(&[(self, value)], true, timeout)
    }

    /// Waits for all values or for any one; of one device.
    pub fn wait_many(waits: &[(&Semaphore, u64)], all: bool, timeout: Option<Duration>) -> Result<bool> {
        let Some((first, _)) = waits.first() else { return Ok(true) };
        let done = |(s, value): &(&Semaphore, u64)| s.reached(s.wait_value(*value));
        let ready = || if all { waits.iter().all(done) } else { waits.iter().any(done) };
        let all_done = wait(&first.bus, deadline(timeout), waits.iter().any(|(s, _)| s.is_shared()), ready)?;
        waits.iter().filter(|_| all_done).for_each(|(s, _)| s.seen(s.payload.load()));
        Ok(all_done)
    }

    /// The host has seen a value.
    fn seen(&self, value: u64) {
        self.bus.settle(|ordering| ordering.host_saw_value(self.address(), value));
    }

    /// The value that a submitted wait compares with.
    pub(crate) fn wait_value(&self, value: u64) -> u64 {
        if self.is_timeline() { value } else { self.payload.signals() }
    }

    /// The value that a submitted signal writes.
    pub(crate) fn signal_value(&self, value: u64) -> u64 {
        if self.is_timeline() { value } else { self.payload.next_signal() }
    }
}

impl Drop for Semaphore {
    fn drop(&mut self) {
        let address = self.address();
        self.bus.order_without(|ordering| ordering.forget_semaphore(address));
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
        let set = self.bus.interrupts.poll(|| self.cell.load_u32(0) != 0);
        self.bus.interrupts.check()?;
        Ok(set)
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
