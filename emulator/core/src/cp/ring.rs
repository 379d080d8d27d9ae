//! The ring of one hardware queue: its place in it and in indirect buffers, its SH registers.

use crate::dispatch::ShRegs;
use crate::memory::MemoryMap;
use crate::queue::HardwareQueue;
use std::sync::Arc;
use std::sync::atomic::{Ordering, Ordering::SeqCst};
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::given::Given;
use wavepipe_hw::pm4::Packet;
use wavepipe_hw::port::QueueDesc;
use wavepipe_isa::Gen;

/// INDIRECT_BUFFER inside INDIRECT_BUFFER, and no deeper.
const MAX_DEPTH: usize = 2;

/// Packets of an indirect buffer that are still to execute.
struct Indirect {
    va: u64,
    dwords: u64,
    /// Where it began, for reports.
    base: u64,
}

pub(super) struct Ring {
    /// The generation of packets.
    isa: Gen,
    pub desc: QueueDesc,
    pub shared: Arc<HardwareQueue>,
    pub regs: ShRegs,
    /// Standing at a WAIT_REG_MEM.
    pub watching: bool,
    /// Work-items of all dispatches so far.
    pub invocations: u64,
    /// DISPATCH packets so far.
    pub dispatches: u64,
    /// What the next one is given, if that was said.
    pub given: Option<Given>,
    /// Bytes that the DMA_DATA packet at the front has moved.
    pub dma_done: u64,
    /// Where SET_BASE has put arguments of indirect dispatches.
    pub arguments: u64,
    rptr: u64,
    indirect: Vec<Indirect>,
    /// The packet being decoded.
    dwords: Vec<u32>,
}

impl Ring {
    pub fn new(desc: QueueDesc, shared: Arc<HardwareQueue>, isa: Gen) -> Self {
        Ring {
            isa,
            desc,
            shared,
            regs: ShRegs::default(),
            watching: false,
            invocations: 0,
            dispatches: 0,
            given: None,
            dma_done: 0,
            arguments: 0,
            rptr: 0,
            indirect: Vec::new(),
            dwords: Vec::new(),
        }
    }

    /// Whether nothing is left before `wptr`; indirect buffers that are done are left.
    pub fn done(&mut self, map: &MemoryMap, wptr: u64) -> bool {
        while self.indirect.last().is_some_and(|ib| ib.dwords == 0) {
            self.indirect.pop();
            self.report(map);
        }
        self.indirect.is_empty() && self.rptr >= wptr
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

    /// The packet at the front, and its dwords.
    pub fn fetch(&mut self, map: &MemoryMap, wptr: u64) -> Result<(Packet, usize), FaultKind> {
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
        let need = Packet::length(dwords[0], self.isa).map_err(|e| self.bad(e.to_string()))?;
        read(need.min(left as usize), dwords).ok_or_else(unmapped)?;
        Packet::decode(dwords, self.isa).map_err(|e| self.bad(e.to_string()))
    }

    /// Moves the place by so many dwords, of the indirect buffer if it is in one.
    pub fn advance(&mut self, dwords: i64) {
        match self.indirect.last_mut() {
            Some(ib) => {
                ib.va = ib.va.wrapping_add_signed(4 * dwords);
                ib.dwords = ib.dwords.wrapping_add_signed(-dwords);
            }
            None => self.rptr = self.rptr.wrapping_add_signed(dwords),
        }
    }

    /// Tells the driver how far the ring has been executed, unless the place is in an indirect buffer.
    pub fn report(&self, map: &MemoryMap) {
        if self.indirect.is_empty() && self.shared.rptr.swap(self.rptr, SeqCst) != self.rptr {
            std::sync::atomic::fence(Ordering::Release);
            map.store64(self.desc.rptr_report, self.rptr);
        }
    }
}
