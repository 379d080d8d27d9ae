//! A queue: a ring of packets in GPU memory that one pipe of the command processor reads, and the submissions on it.
//!
//! A submission is, in the ring: WAIT_REG_MEM for each wait (or what stands for it, see [`crate::gate`]), ACQUIRE_MEM, INDIRECT_BUFFER for each piece of each command
//! buffer, RELEASE_MEM for each signal, and a last RELEASE_MEM that writes the submission's number to the queue's fence
//! word and interrupts. Then the doorbell. Write and read pointers count dwords for ever; the ring index is their
//! remainder, so packets run over the ring's end.

use crate::bus::{Bus, QueueFence};
use crate::command::Recording;
use crate::config::DebugFlags;
use crate::error::Result;
use crate::gate::Waiting;
use crate::heap::{Heap, Suballocation};
use crate::host::GpuMemory;
use crate::lock::{Mutex, rank};
use crate::ordering::Batch;
use crate::packets;
use crate::sampler::BorderColors;
use crate::sync::{Fence, Semaphore, deadline};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use wavepipe_hw::pm4::{self, Packet, ReleaseData, WaitFunc};
use wavepipe_hw::port::{GlobalPriority, Protection, QueueDesc};

/// Dwords of a ring: room for well over a thousand submissions.
const RING_DWORDS: u32 = 64 << 10;

/// How long the end of a device waits for a queue by itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// One batch of work. Values count for timeline semaphores only.
#[derive(Clone, Default)]
pub struct SubmitInfo {
    pub waits: Vec<(Arc<Semaphore>, u64)>,
    pub command_buffers: Vec<Arc<Recording>>,
    pub signals: Vec<(Arc<Semaphore>, u64)>,
}

/// Where a queue sits in the hardware.
#[derive(Clone, Copy)]
pub(crate) struct HardwareSlot {
    pub pipe: u32,
    pub queue: u32,
    pub priority: u32,
    pub global: GlobalPriority,
    pub reserved_cus: u32,
}

pub struct Queue {
    bus: Arc<Bus>,
    heap: Arc<Heap>,
    ring: GpuMemory,
    /// The GPU's read pointer, as it reports it.
    rptr: Suballocation,
    fence: Arc<QueueFence>,
    /// Pipe and queue.
    slot: (u32, u32),
    border_colors: Arc<BorderColors>,
    state: Mutex<RingState, { rank::RING }>,
}

#[derive(Default)]
struct RingState {
    /// Dwords written, and dwords that the GPU was told of.
    wptr: u64,
    rung: u64,
    /// Code uploads that this queue has invalidated the instruction cache for.
    code_seen: u64,
    /// The border colour table that this queue's registers point to; 0 = none.
    border_colors: u64,
    scratch: Vec<u32>,
}

impl Queue {
    pub(crate) fn map(bus: &Arc<Bus>, heap: &Arc<Heap>, slot: HardwareSlot) -> Result<Arc<Queue>> {
        let ring = GpuMemory::allocate_protected(bus, u64::from(RING_DWORDS) * 4, "ring", Protection::Hidden)?;
        let rptr = heap.allocate(8, 8, "ring read pointer")?;
        let cell = heap.allocate(8, 8, "queue fence")?;
        let id = bus.port.map_queue(&QueueDesc {
            pipe: slot.pipe,
            queue: slot.queue,
            ring_base: ring.va(),
            ring_dwords: RING_DWORDS,
            rptr_report: rptr.va(),
            priority: slot.priority,
            global: slot.global,
            reserved_cus: slot.reserved_cus,
        })?;
        let fence = Arc::new(QueueFence {
            id,
            cell,
            submitted: AtomicU64::new(0),
            interrupts: bus.interrupts.clone(),
            keep: Mutex::default(),
        });
        bus.add_fence(&fence);
        let border_colors = heap.border_colors.clone();
        let place = (slot.pipe, slot.queue);
        let (bus, heap, state) = (bus.clone(), heap.clone(), Mutex::default());
        Ok(Arc::new(Queue { bus, heap, ring, rptr, fence, slot: place, border_colors, state }))
    }

    /// Submits one batch; `fence` is signaled when it and all earlier ones are done.
    pub fn submit(&self, info: &SubmitInfo, fence: Option<&Fence>) -> Result<()> {
        self.submit_many(std::slice::from_ref(info), fence)
    }

    /// Submits batches in order; none at all still signals `fence` after earlier work. Blocks while the ring is full.
    pub fn submit_many(&self, infos: &[SubmitInfo], fence: Option<&Fence>) -> Result<()> {
        self.bus.interrupts.check()?;
        self.fence.release_kept();
        let nothing = [SubmitInfo::default()];
        let infos = if infos.is_empty() { &nothing[..] } else { infos };
        let gates = infos.iter().map(|info| self.gates(info)).collect::<Result<Vec<_>>>()?;
        let mut state = self.state.lock();
        let mut seq = self.fence.submitted.load(Ordering::Relaxed);
        for ((n, info), gates) in infos.iter().enumerate().zip(gates) {
            seq += 1;
            let shared = fence.filter(|_| n + 1 == infos.len()).and_then(Fence::shared_address);
            // Before the doorbell, so that memory dropped from now on waits for this submission.
            let places: Vec<u64> = gates.iter().map(Waiting::address).collect();
            self.fence.keep.lock().push_back((seq, info.clone(), gates));
            self.fence.submitted.store(seq, Ordering::Release);
            if let Err(e) = self.emit(&mut state, info, &places, seq, shared) {
                // The device was lost meanwhile: this one will never count as submitted.
                self.fence.submitted.store(seq - 1, Ordering::Release);
                let unsubmitted = self.fence.keep.lock().pop_back();
                drop((state, unsubmitted));
                return Err(e);
            }
        }
        // Before the doorbell too: a fence that waits already must find the queue.
        if let Some(fence) = fence {
            fence.attach(&self.fence, seq);
        }
        self.ring_doorbell(&mut state);
        Ok(())
    }

    /// The gates that a batch waits at, in the order of its waits.
    fn gates(&self, info: &SubmitInfo) -> Result<Vec<Waiting>> {
        let gated = info.waits.iter().filter(|(s, _)| s.is_timeline() && !pm4::has_wide_waits(self.bus.isa));
        gated.map(|(s, value)| self.bus.interrupts.gates.shut(&self.heap, s, *value)).collect()
    }

    /// Until a semaphore's counter has reached `reference`.
    fn push_wait(
        &self,
        state: &mut RingState,
        semaphore: &Semaphore,
        reference: u64,
        gates: &mut std::slice::Iter<'_, u64>,
    ) -> Result<()> {
        let address = semaphore.address();
        let wait = |address, reference, func, wide| {
            let mask = if wide { !0 } else { 0xffff_ffff };
            Packet::WaitRegMem { address, reference, mask, func, wide }
        };
        let func = WaitFunc::GreaterEqual;
        if pm4::has_wide_waits(self.bus.isa) {
            self.push(state, &wait(address, reference, func, true))
        } else if semaphore.is_timeline() {
            let gate = gates.next().expect("a gate for each of the timelines");
            self.push(state, &wait(*gate, 1, WaitFunc::Equal, false))
        } else {
            self.push(state, &wait(address + 4, reference >> 32, func, false))?;
            self.push(state, &wait(address, reference & 0xffff_ffff, func, false))
        }
    }

    /// One submission, with the places of its gates; `fence` is the word of a fence that others see.
    fn emit(
        &self,
        state: &mut RingState,
        info: &SubmitInfo,
        gates: &[u64],
        seq: u64,
        fence: Option<u64>,
    ) -> Result<()> {
        let mut batch = Batch { number: seq, ..Batch::default() };
        let mut gates = gates.iter();
        for (semaphore, value) in &info.waits {
            let reference = semaphore.wait_value(*value);
            batch.waits.push((semaphore.address(), reference));
            self.push_wait(state, semaphore, reference, &mut gates)?;
        }
        if !info.command_buffers.is_empty() {
            let (fresh, seen) = self.bus.interrupts.codes.since(state.code_seen);
            state.code_seen = seen;
            for (base, size) in fresh {
                self.push(state, &packets::invalidate_code(base, size))?;
            }
            self.push(state, &packets::acquire_all())?;
            if let Some(table) = self.border_colors.address().filter(|table| *table != state.border_colors) {
                self.push(state, &packets::border_colors(table))?;
                state.border_colors = table;
            }
        }
        for (address, dwords) in info.command_buffers.iter().flat_map(|r| r.pieces()) {
            self.push(state, &Packet::IndirectBuffer { address, dwords })?;
        }
        for (semaphore, value) in &info.signals {
            let value = semaphore.signal_value(*value);
            batch.signals.push((semaphore.address(), value));
            let data = ReleaseData::Value64(value);
            self.push(state, &Packet::ReleaseMem { address: semaphore.address(), data, interrupt: false })?;
        }
        batch.scripts = info.command_buffers.iter().filter_map(|r| r.script()).collect();
        self.bus.submitted(&self.fence, self.slot, batch);
        if let Some(address) = fence {
            self.push(state, &Packet::ReleaseMem { address, data: ReleaseData::Value64(1), interrupt: false })?;
        }
        let (address, data) = (self.fence.cell.va(), ReleaseData::Value64(seq));
        self.push(state, &Packet::ReleaseMem { address, data, interrupt: true })?;
        if self.bus.config.debug.contains(DebugFlags::PACKETS) {
            info.command_buffers.iter().for_each(|r| packets::trace(&r.words(), self.bus.isa));
        }
        Ok(())
    }

    /// Writes one packet into the ring, waiting for room.
    fn push(&self, state: &mut RingState, packet: &Packet) -> Result<()> {
        let mut words = std::mem::take(&mut state.scratch);
        words.clear();
        packet.encode(self.bus.isa, &mut words);
        if self.bus.config.debug.contains(DebugFlags::PACKETS) {
            packets::trace(&words, self.bus.isa);
        }
        let room = |wptr: u64| self.rptr.load_u64(0) + u64::from(RING_DWORDS) >= wptr + words.len() as u64;
        if !room(state.wptr) {
            self.ring_doorbell(state);
            // The read pointer moves without an interrupt, so look often.
            while !self.bus.interrupts.wait(deadline(Some(Duration::from_micros(200))), || room(state.wptr))? {}
        }
        let index = state.wptr % u64::from(RING_DWORDS);
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let first = bytes.len().min((u64::from(RING_DWORDS) - index) as usize * 4);
        self.ring.write(index * 4, &bytes[..first])?;
        self.ring.write(0, &bytes[first..])?;
        state.wptr += words.len() as u64;
        state.scratch = words;
        Ok(())
    }

    fn ring_doorbell(&self, state: &mut RingState) {
        if state.rung != state.wptr {
            state.rung = state.wptr;
            self.bus.port.doorbell(self.fence.id, state.wptr);
        }
    }

    /// Waits until all submitted work is done.
    pub fn wait_idle(&self) -> Result<()> {
        self.idle_by(None).map(|_| ())
    }

    fn idle_by(&self, deadline: Option<Instant>) -> Result<bool> {
        let seq = self.fence.submitted.load(Ordering::Acquire);
        let idle = self.bus.interrupts.wait(deadline, || self.fence.completed(seq));
        if matches!(idle, Ok(true)) {
            self.bus.settle(|ordering| ordering.host_saw(self.fence.id, seq));
        }
        self.fence.release_kept();
        idle
    }

    /// Unmaps the queue. The user should have waited before; a queue that stands at a semaphore which nobody will signal
    /// is given up by the GPU after the time of a dispatch, if there is a limit.
    pub(crate) fn close(&self) {
        let _ = self.idle_by(deadline(Some(PATIENCE)));
        let over = self.fence.retired(self.fence.submitted.load(Ordering::Acquire));
        if over || self.bus.config.timeout.is_some() {
            self.bus.port.unmap_queue(self.fence.id);
            self.bus.interrupts.stop(self.fence.id);
            self.fence.release_kept();
        }
    }
}
