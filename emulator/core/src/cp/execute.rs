//! What each packet does.

use super::ring::Ring;
use crate::config::GuestChecks;
use crate::machine::Machine;
use crate::memory::MemoryMap;
use crate::wave::Passage;
use std::sync::Arc;
use std::sync::atomic::{Ordering, Ordering::SeqCst, fence};
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::given::Given;
use wavepipe_hw::pm4::{CS_INVOCATIONS, CopyDest, CopySource, DmaSource, PIPELINE_STATS, Packet, ReleaseData, gcr};
use wavepipe_hw::port::Interrupt;

/// Bytes that a DMA moves before another queue gets a turn.
const DMA_PIECE: u64 = 1 << 20;
/// Dispatches of one queue that are in flight at once; the next one waits.
const MAX_IN_FLIGHT: u32 = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Done,
    /// Part of it; call again.
    Piece,
    /// Waits for dispatches of this queue.
    WaitIdle,
    /// Waits for memory.
    WaitMemory,
    /// Waits for the reference clock to reach this tick.
    WaitClock(u64),
}

/// The fault of an access by the command processor.
fn wild(map: &MemoryMap, address: u64, bytes: u64, write: bool) -> FaultKind {
    let bytes = bytes.min(u32::MAX.into()) as u32;
    FaultKind::WildAddress { address, bytes, write, nearest: map.nearest(address) }
}

fn load(map: &MemoryMap, va: u64, wide: bool) -> Result<u64, FaultKind> {
    let v = if wide { map.load64(va) } else { map.load32(va).map(u64::from) };
    let v = v.ok_or_else(|| wild(map, va, if wide { 8 } else { 4 }, false))?;
    fence(Ordering::Acquire);
    Ok(v)
}

fn store(map: &MemoryMap, va: u64, value: u64, wide: bool) -> Result<(), FaultKind> {
    // Whoever sees this value sees everything that was written before.
    fence(Ordering::Release);
    let done = if wide { map.store64(va, value) } else { map.store32(va, value as u32) };
    done.ok_or_else(|| wild(map, va, if wide { 8 } else { 4 }, true))
}

impl Ring {
    /// Executes one packet, or part of it, or says what it waits for. Faults of packets carry the place that
    /// [`Ring::bad`] fills in.
    pub(super) fn execute(&mut self, machine: &Machine, map: &MemoryMap, packet: &Packet) -> Result<Step, FaultKind> {
        let idle = self.shared.in_flight.load(SeqCst) == 0;
        match *packet {
            Packet::Nop { ref body } if machine.device.checks.contains(GuestChecks::MEM) => {
                self.given = Given::from_words(body).or(self.given.take());
            }
            Packet::Nop { .. } => {}
            Packet::SetShReg { reg, ref values } => self.regs.set(reg, values),
            Packet::SetUconfigReg { reg, ref values } => self.regs.set_uconfig(reg, values),
            Packet::DispatchDirect { groups, initiator } => return self.dispatch(machine, groups, initiator),
            Packet::DispatchIndirect { address, initiator } => {
                return self.dispatch_indirect(machine, map, address, initiator);
            }
            Packet::SetBase { address } => self.arguments = address,
            Packet::DispatchAtBase { offset, initiator } => {
                let address = self.arguments.wrapping_add(offset.into());
                return self.dispatch_indirect(machine, map, address, initiator);
            }
            Packet::AcquireMem { gcr_cntl, base, size } => {
                // Data caches are always coherent here; decoded instructions are the one cache there is.
                match gcr_cntl & gcr::GLI_INV_MASK {
                    0 => {}
                    gcr::GLI_INV_ALL => machine.code.invalidate(0..u64::MAX),
                    _ => machine.code.invalidate(base..base.saturating_add(size)),
                }
            }
            Packet::CsPartialFlush if idle => {}
            Packet::CsPartialFlush => return Ok(Step::WaitIdle),
            Packet::SamplePipelineStat { .. } if !idle => return Ok(Step::WaitIdle),
            Packet::SamplePipelineStat { address } => {
                for i in 0..PIPELINE_STATS {
                    let value = if i == CS_INVOCATIONS { self.invocations } else { 0 };
                    store(map, address.wrapping_add(8 * i as u64), value, true)?;
                    machine.device.command_wrote(address.wrapping_add(8 * i as u64), 8);
                }
            }
            Packet::ReleaseMem { .. } if !idle => return Ok(Step::WaitIdle),
            Packet::ReleaseMem { address, data, interrupt } => {
                match data {
                    ReleaseData::None => {}
                    ReleaseData::Value32(v) => store(map, address, v.into(), false)?,
                    ReleaseData::Value64(v) => store(map, address, v, true)?,
                    ReleaseData::Clock => store(map, address, machine.clock(), true)?,
                }
                let bytes = match data {
                    ReleaseData::None => 0,
                    ReleaseData::Value32(_) => 4,
                    ReleaseData::Value64(_) | ReleaseData::Clock => 8,
                };
                machine.device.command_wrote(address, bytes);
                machine.doorbells.recheck_watched();
                if interrupt {
                    machine.interrupt(Interrupt::EndOfPipe { queue: self.shared.id() });
                }
            }
            Packet::WaitRegMem { address, reference, mask, func, wide } => {
                let value = load(map, address, wide)? & mask;
                if !func.holds(value, reference) {
                    return Ok(Step::WaitMemory);
                }
            }
            Packet::WaitClock { tick } if machine.clock() < tick => return Ok(Step::WaitClock(tick)),
            Packet::WaitClock { .. } => {}
            Packet::WriteData { address, ref data } => {
                let bytes = 4 * data.len() as u64;
                let (region, off) = map.span(address, bytes).ok_or_else(|| wild(map, address, bytes, true))?;
                fence(Ordering::Release);
                for (i, v) in data.iter().enumerate() {
                    region.backing.store32(off + 4 * i as u64, *v);
                }
                machine.device.command_wrote(address, bytes);
                machine.doorbells.recheck_watched();
            }
            Packet::CopyData { source, dest, wide } => {
                let value = match source {
                    CopySource::Memory(a) => load(map, a, wide)?,
                    CopySource::Immediate(v) => v,
                    CopySource::Clock => machine.clock(),
                    CopySource::Counter(c) => self.regs.selected(c).map_or(0, |event| machine.count_of(event)),
                };
                match dest {
                    CopyDest::Memory(a) => {
                        store(map, a, value, wide)?;
                        machine.device.command_wrote(a, if wide { 8 } else { 4 });
                        machine.doorbells.recheck_watched();
                    }
                    CopyDest::ShReg(r) if wide => self.regs.set(r, &[value as u32, (value >> 32) as u32]),
                    CopyDest::ShReg(r) => self.regs.set(r, &[value as u32]),
                }
            }
            Packet::DmaData { source, dest, bytes, .. } => {
                return self.dma(machine, map, source, dest, bytes.into());
            }
            Packet::IndirectBuffer { address, dwords } => self.call(map, address, dwords)?,
        }
        Ok(Step::Done)
    }

    fn dispatch_indirect(
        &mut self,
        machine: &Machine,
        map: &MemoryMap,
        address: u64,
        initiator: u32,
    ) -> Result<Step, FaultKind> {
        let mut groups = [0; 3];
        for (i, g) in groups.iter_mut().enumerate() {
            *g = load(map, address.wrapping_add(4 * i as u64), false)? as u32;
        }
        self.dispatch(machine, groups, initiator)
    }

    fn dispatch(&mut self, machine: &Machine, groups: [u32; 3], initiator: u32) -> Result<Step, FaultKind> {
        if self.shared.in_flight.load(SeqCst) >= MAX_IN_FLIGHT {
            return Ok(Step::WaitIdle);
        }
        let dispatch = self
            .regs
            .dispatch(&machine.config.machine, &self.shared, groups, initiator)
            .map_err(|why| FaultKind::BadDispatch { why })?;
        let number = self.dispatches;
        self.dispatches += 1;
        let given = self.given.take();
        if let Some(mut dispatch) = dispatch {
            if let Some(given) = given {
                dispatch.passage = Passage::given(given);
            }
            dispatch.number = number;
            machine.counters.dispatches.fetch_add(1, SeqCst);
            self.invocations = self.invocations.wrapping_add(dispatch.invocations());
            self.shared.in_flight.fetch_add(1, SeqCst);
            machine.launch(Arc::new(dispatch));
        }
        Ok(Step::Done)
    }

    fn dma(
        &mut self,
        machine: &Machine,
        map: &MemoryMap,
        source: DmaSource,
        dest: u64,
        bytes: u64,
    ) -> Result<Step, FaultKind> {
        if bytes == 0 {
            return Ok(Step::Done);
        }
        let (to, to_off) = map.span(dest, bytes).ok_or_else(|| wild(map, dest, bytes, true))?;
        let done = self.dma_done;
        let piece = match source {
            DmaSource::Fill(value) => {
                let n = DMA_PIECE.min(bytes - done);
                to.backing.fill(to_off + done, value, n);
                n
            }
            DmaSource::Memory(src) => {
                let (from, from_off) = map.span(src, bytes).ok_or_else(|| wild(map, src, bytes, false))?;
                // Overlapping ranges go in one piece, so that no piece reads what an earlier one wrote.
                let overlap = src < dest.saturating_add(bytes) && dest < src.saturating_add(bytes);
                let n = if overlap { bytes } else { DMA_PIECE.min(bytes - done) };
                to.backing.copy(to_off + done, &from.backing, from_off + done, n);
                n
            }
        };
        if done + piece < bytes {
            self.dma_done = done + piece;
            return Ok(Step::Piece);
        }
        self.dma_done = 0;
        match source {
            DmaSource::Fill(_) => machine.device.command_wrote(dest, bytes),
            DmaSource::Memory(from) => machine.device.command_copied(from, dest, bytes),
        }
        machine.doorbells.recheck_watched();
        Ok(Step::Done)
    }
}
