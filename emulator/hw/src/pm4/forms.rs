//! Packets whose opcode, length or counts are a generation's: copies by the command processor, indirect buffers and dispatches,
//! waits of 64 bits, fillers.
//!
//! Sources: Mesa's sid.h (CP_DMA "GFX6 only", DMA_DATA "new for CIK", INDIRECT_BUFFER_SI), radv_cp_dma.c (bytes of a packet) and
//! radv_cmd_buffer.c (SET_BASE before an indirect dispatch where no micro engine of compute reads the ring), ac_gpu_info.c (where an
//! indirect dispatch of GCN 2 has its arguments: has_async_compute_align32_bug); Linux's sid.h and gfx_v6_0.c (a filler is a packet of type 2, and an empty NOP is none),
//! its sid.h, cikd.h and vid.h (which have no WAIT_REG_MEM64) and PAL's packets of GFX6 to 8 and of GFX9 (the first that have it).

use super::{DmaSource, Packet, PacketError, address, emit, hi, lo, op};
use wavepipe_isa::Gen;
use wavepipe_isa::generation::inherited;

#[derive(Clone, Copy)]
pub(super) struct Forms {
    pub indirect_buffer: u32,
    /// CP_DMA, with 16 bits of an address' high part beside its controls; else DMA_DATA.
    cp_dma: bool,
    /// Bits of BYTE_COUNT.
    dma_bits: u32,
    /// Most bytes of one packet, a multiple of 64.
    dma_bytes: u32,
    /// An indirect dispatch names an offset from the address of SET_BASE.
    based: bool,
    /// What the address of an indirect dispatch's arguments is a multiple of.
    arguments: u32,
    /// WAIT_REG_MEM64.
    wide_waits: bool,
    /// A NOP whose count is all ones is a header alone.
    short_nop: bool,
}

const FORMS: &[(Gen, Forms)] = {
    const GFX6: Forms = Forms {
        indirect_buffer: 0x32,
        cp_dma: true,
        dma_bits: 21,
        dma_bytes: (1 << 21) - 64,
        based: true,
        arguments: 4,
        wide_waits: false,
        short_nop: false,
    };
    const GFX7: Forms =
        Forms { indirect_buffer: 0x3f, cp_dma: false, based: false, arguments: 32, short_nop: true, ..GFX6 };
    const GFX9: Forms = Forms { dma_bits: 26, dma_bytes: super::DMA_MAX_BYTES, arguments: 4, wide_waits: true, ..GFX7 };
    &[
        (Gen::Gfx600, GFX6),
        (Gen::Gfx701, GFX7),
        (Gen::Gfx900, GFX9),
        (Gen::Gfx1100, Forms { dma_bytes: 32767 / 64 * 64, ..GFX9 }),
    ]
};

pub(super) fn of(isa: Gen) -> Forms {
    inherited(FORMS, isa).expect("a column from the first generation on")
}

/// The high part of an address beside other bits.
const CP_DMA_HIGH: u32 = 0xffff;
/// Selects of DMA_DATA that go through L2, which CP_DMA has not.
const THROUGH_L2: u32 = 3;
const DATA: u32 = 2;

impl Forms {
    /// The empty packet.
    pub fn filler(self) -> u32 {
        if self.short_nop { 3 << 30 | 0x3fff << 16 | op::NOP << 8 | 1 << 1 } else { 2 << 30 }
    }

    /// Whether a packet of type 3 is its header alone.
    pub fn is_short(self, header: u32) -> bool {
        self.short_nop && header >> 16 & 0x3fff == 0x3fff && header >> 8 & 0xff == op::NOP
    }

    /// Copies or fills, in as many packets as it takes.
    pub fn transfer(self, source: DmaSource, dest: u64, bytes: u32, sync: bool, out: &mut Vec<u32>) {
        let mut done = 0;
        while done < bytes {
            let n = (bytes - done).min(self.dma_bytes);
            let memory = if self.cp_dma { 0 } else { THROUGH_L2 };
            let (select, src) = match source {
                DmaSource::Memory(a) => (memory, a.wrapping_add(u64::from(done))),
                DmaSource::Fill(v) => (DATA, u64::from(v)),
            };
            let dst = dest.wrapping_add(u64::from(done));
            let control = select << 29 | memory << 20 | u32::from(sync && done + n == bytes) << 31;
            match self.cp_dma {
                true => {
                    let high = hi(src) & CP_DMA_HIGH;
                    emit(out, op::CP_DMA, &[lo(src), control | high, lo(dst), hi(dst) & CP_DMA_HIGH, n]);
                }
                false => emit(out, op::DMA_DATA, &[control, lo(src), hi(src), lo(dst), hi(dst), n]),
            }
            done += n;
        }
    }

    /// What a copying packet says; `None`: the generation has no such packet.
    pub fn read_transfer(self, opcode: u32, body: &[u32]) -> Option<Result<Packet, PacketError>> {
        if (opcode == op::CP_DMA) != self.cp_dma {
            return None;
        }
        let need = if self.cp_dma { 5 } else { 6 };
        if body.len() != need {
            return Some(Err(PacketError::BadLength { opcode, need, have: body.len() }));
        }
        let (at, src, dest) = match self.cp_dma {
            true => (1, address(body[0], body[1] & CP_DMA_HIGH), address(body[2], body[3] & CP_DMA_HIGH)),
            false => (0, address(body[1], body[2]), address(body[3], body[4])),
        };
        let (control, command) = (body[at], body[need - 1]);
        let bad = |what, dword: usize| Some(Err(PacketError::BadField { what, value: body[dword - 1], dword }));
        // Through L2 is new with DMA_DATA.
        let memory = |select: u32| select == 0 || select == THROUGH_L2 && !self.cp_dma;
        let source = match control >> 29 & 3 {
            DATA => DmaSource::Fill(lo(src)),
            select if memory(select) => DmaSource::Memory(src),
            _ => return bad("SRC_SEL of a copy", at + 1),
        };
        if !memory(control >> 20 & 3) {
            return bad("DST_SEL of a copy", at + 1);
        }
        // Byte swaps, SAS, DAS (register space), SAIC, DAIC (no increment): never for a compute driver. The bit behind a count of
        // 21 turns the confirmation of writes off.
        let commands = 0x3fff_ffff & !((1 << self.dma_bits) - 1) & !(1 << 21);
        if command & commands != 0 {
            return bad("COMMAND of a copy", need);
        }
        let bytes = command & ((1 << self.dma_bits) - 1);
        Some(Ok(Packet::DmaData { source, dest, bytes, sync: control >> 31 != 0 }))
    }

    /// Reads group counts when it executes.
    pub fn indirect(self, address: u64, initiator: u32, out: &mut Vec<u32>) {
        match self.based {
            true => {
                emit(out, op::SET_BASE, &[INDIRECT_BASE, lo(address), hi(address)]);
                emit(out, op::DISPATCH_INDIRECT, &[0, initiator]);
            }
            false => emit(out, op::DISPATCH_INDIRECT, &[lo(address), hi(address), initiator]),
        }
    }

    /// What SET_BASE and DISPATCH_INDIRECT say; `None`: the generation has no such packet.
    pub fn read_indirect(self, opcode: u32, body: &[u32]) -> Option<Result<Packet, PacketError>> {
        let (need, packet): (usize, fn(&[u32]) -> Packet) = match (opcode, self.based) {
            (op::SET_BASE, true) => (3, |b| Packet::SetBase { address: address(b[1], b[2]) }),
            (op::DISPATCH_INDIRECT, true) => (2, |b| Packet::DispatchAtBase { offset: b[0], initiator: b[1] }),
            (op::DISPATCH_INDIRECT, false) => {
                (3, |b| Packet::DispatchIndirect { address: address(b[0], b[1]), initiator: b[2] })
            }
            _ => return None,
        };
        if body.len() != need {
            return Some(Err(PacketError::BadLength { opcode, need, have: body.len() }));
        }
        let aligned = |low: u32| low.is_multiple_of(self.arguments);
        if !self.based && !aligned(body[0]) {
            let what =
                "address of DISPATCH_INDIRECT, which is not aligned as this generation's micro engine reads arguments";
            return Some(Err(PacketError::BadField { what, value: body[0], dword: 1 }));
        }
        if opcode == op::SET_BASE && body[0] != INDIRECT_BASE {
            let what = "BASE_INDEX of SET_BASE: compute has that of indirect arguments";
            return Some(Err(PacketError::BadField { what, value: body[0], dword: 1 }));
        }
        Some(Ok(packet(body)))
    }
}

/// What the address of an indirect dispatch's arguments has to be a multiple of.
pub fn arguments_alignment(isa: Gen) -> u64 {
    of(isa).arguments.into()
}

/// Whether the command processor waits for 64 bits at a time, and so for its clock.
pub fn has_wide_waits(isa: Gen) -> bool {
    of(isa).wide_waits
}

/// BASE_INDEX of indirect arguments.
const INDIRECT_BASE: u32 = 1;
