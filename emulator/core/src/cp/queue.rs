//! One hardware queue: its ring, its place in it, its SH registers.

use super::execute::Step;
use crate::dispatch::ShRegs;
use crate::dispatch::policy::Rank;
use crate::gpu::Machine;
use crate::memory::MemoryMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, Ordering::SeqCst};
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::pm4::Packet;
use wavepipe_hw::port::{GlobalPriority, QueueDesc, QueueId};

/// Packets that a queue executes before another of its pipe gets a turn.
const SLICE_PACKETS: u32 = 64;
/// INDIRECT_BUFFER inside INDIRECT_BUFFER, and no deeper.
const MAX_DEPTH: usize = 2;

/// What other threads know of a queue.
#[derive(Debug)]
pub(crate) struct QueueShared {
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

impl QueueShared {
    pub fn new(desc: &QueueDesc, index: usize) -> Self {
        QueueShared {
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

/// Packets of an indirect buffer that are still to execute.
pub(super) struct Indirect {
    va: u64,
    dwords: u64,
    /// Where it began, for reports.
    base: u64,
}

pub(super) struct Queue {
    pub desc: QueueDesc,
    pub shared: Arc<QueueShared>,
    pub regs: ShRegs,
    /// Standing at a WAIT_REG_MEM.
    pub watching: bool,
    /// Work-items of all dispatches so far.
    pub invocations: u64,
    /// Bytes that the DMA_DATA packet at the front has moved.
    pub dma_done: u64,
    rptr: u64,
    indirect: Vec<Indirect>,
    /// The packet being decoded.
    dwords: Vec<u32>,
}

/// How a queue came out of its slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slice {
    /// It can go on at once.
    More,
    /// Empty, waiting or stopped.
    Stuck,
}

/// What became of the packet at the front of a queue.
#[derive(Clone, Debug)]
pub enum Stepped {
    /// There is none.
    Empty,
    /// The queue stopped for good.
    Stopped,
    /// It waits for dispatches of this queue.
    WaitsIdle,
    /// It waits for memory.
    WaitsMemory,
    /// It waits for the reference clock to reach this tick.
    WaitsClock(u64),
    /// A part of it is done.
    Piece,
    /// It is done.
    Done(Packet),
}

/// Memory as the command processor sees it, renewed when something was allocated or freed.
pub(crate) struct View {
    generation: u64,
    pub map: Arc<MemoryMap>,
}

impl View {
    pub fn of(machine: &Machine) -> View {
        View { generation: machine.memory.generation(), map: machine.memory.snapshot() }
    }

    pub fn refresh(&mut self, machine: &Machine) {
        if machine.memory.generation() != self.generation {
            *self = Self::of(machine);
        }
    }
}

impl Queue {
    pub fn new(desc: QueueDesc, shared: Arc<QueueShared>) -> Self {
        Queue {
            desc,
            shared,
            regs: ShRegs::default(),
            watching: false,
            invocations: 0,
            dma_done: 0,
            rptr: 0,
            indirect: Vec::new(),
            dwords: Vec::new(),
        }
    }

    /// Executes packets until the queue waits, is empty, or has had its share.
    pub fn slice(&mut self, machine: &Machine) -> Slice {
        let mut map = View::of(machine);
        for _ in 0..SLICE_PACKETS {
            match self.step(machine, &mut map) {
                Stepped::Done(_) => {}
                Stepped::Piece => return Slice::More,
                _ => return Slice::Stuck,
            }
        }
        Slice::More
    }

    /// Executes the packet at the front, or a piece of it.
    pub fn step(&mut self, machine: &Machine, view: &mut View) -> Stepped {
        self.watching = false;
        if self.shared.stopped.load(SeqCst) {
            return Stepped::Stopped;
        }
        while self.indirect.last().is_some_and(|ib| ib.dwords == 0) {
            self.indirect.pop();
            if self.indirect.is_empty() {
                self.report(&view.map);
            }
        }
        let wptr = self.shared.wptr.load(SeqCst);
        if self.indirect.is_empty() && self.rptr >= wptr {
            return Stepped::Empty;
        }
        // What was allocated before the doorbell rang must be seen.
        view.refresh(machine);
        let map = &view.map;
        let (packet, taken) = match self.fetch(map, wptr) {
            Ok(p) => p,
            Err(kind) => {
                machine.stop_queue(&self.shared, kind, None);
                return Stepped::Stopped;
            }
        };
        // The place moves first, so that INDIRECT_BUFFER can put itself in front; a packet that waits goes back.
        self.advance(taken as i64);
        match self.execute(machine, map, &packet) {
            Ok(Step::Done) => {
                if self.indirect.is_empty() {
                    self.report(map);
                }
                Stepped::Done(packet)
            }
            Ok(step) => {
                self.advance(-(taken as i64));
                self.watching = matches!(step, Step::WaitMemory | Step::WaitClock(_));
                match step {
                    Step::WaitClock(tick) => Stepped::WaitsClock(tick),
                    Step::Piece => Stepped::Piece,
                    Step::WaitMemory => Stepped::WaitsMemory,
                    Step::Done | Step::WaitIdle => Stepped::WaitsIdle,
                }
            }
            Err(kind) => {
                self.advance(-(taken as i64));
                let kind = match kind {
                    FaultKind::BadPacket { why, .. } => self.bad(why),
                    other => other,
                };
                machine.stop_queue(&self.shared, kind, None);
                Stepped::Stopped
            }
        }
    }

    /// Enters an indirect buffer.
    pub fn call(&mut self, map: &MemoryMap, va: u64, dwords: u32) -> Result<(), FaultKind> {
        if self.indirect.len() >= MAX_DEPTH {
            return Err(self.bad(format!("INDIRECT_BUFFER nested deeper than {MAX_DEPTH}")));
        }
        if !va.is_multiple_of(4) || map.span(va, 4 * u64::from(dwords)).is_none() {
            return Err(self.bad(format!("INDIRECT_BUFFER of {dwords} dwords at {va:#x}, which is in no allocation")));
        }
        self.indirect.push(Indirect { va, dwords: dwords.into(), base: va });
        Ok(())
    }

    /// A packet fault at the current place.
    pub fn bad(&self, why: String) -> FaultKind {
        let dword = (self.rptr & u64::from(self.desc.ring_dwords - 1)) as u32;
        let why = match self.indirect.last() {
            Some(ib) => format!("{why} (in the indirect buffer at {:#x}, dword {})", ib.base, (ib.va - ib.base) / 4),
            None => why,
        };
        FaultKind::BadPacket { dword, why }
    }

    fn fetch(&mut self, map: &MemoryMap, wptr: u64) -> Result<(Packet, usize), FaultKind> {
        let mut dwords = std::mem::take(&mut self.dwords);
        let packet = self.fetch_into(map, wptr, &mut dwords);
        self.dwords = dwords;
        packet
    }

    fn fetch_into(&self, map: &MemoryMap, wptr: u64, dwords: &mut Vec<u32>) -> Result<(Packet, usize), FaultKind> {
        let left = match self.indirect.last() {
            Some(ib) => ib.dwords,
            None => wptr - self.rptr,
        };
        let read = |n: usize, out: &mut Vec<u32>| {
            out.clear();
            for i in 0..n as u64 {
                let va = match self.indirect.last() {
                    Some(ib) => ib.va + 4 * i,
                    None => self.desc.ring_base + 4 * ((self.rptr + i) & u64::from(self.desc.ring_dwords - 1)),
                };
                out.push(map.load32(va)?);
            }
            Some(())
        };
        let unmapped = || self.bad("its memory was freed".into());
        read(1, dwords).ok_or_else(unmapped)?;
        let need = Packet::length(dwords[0]).map_err(|e| self.bad(e.to_string()))?;
        read(need.min(left as usize), dwords).ok_or_else(unmapped)?;
        Packet::decode(dwords).map_err(|e| self.bad(e.to_string()))
    }

    fn advance(&mut self, dwords: i64) {
        match self.indirect.last_mut() {
            Some(ib) => {
                ib.va = ib.va.wrapping_add_signed(4 * dwords);
                ib.dwords = ib.dwords.wrapping_add_signed(-dwords);
            }
            None => self.rptr = self.rptr.wrapping_add_signed(dwords),
        }
    }

    /// Tells the driver how far the ring has been executed.
    fn report(&self, map: &MemoryMap) {
        if self.shared.rptr.swap(self.rptr, SeqCst) != self.rptr {
            std::sync::atomic::fence(Ordering::Release);
            map.store64(self.desc.rptr_report, self.rptr);
        }
    }
}
