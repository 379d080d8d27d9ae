//! Instructions that access memory: what they do, to which memory, and what they write.

use super::super::super::mem;
use super::super::super::probe::WaveView;
use super::Memory;
use super::cells::{ALL, By};
use super::shadow::{Acts, Site};
use wavepipe_hw::finding::AccessKind;
use wavepipe_isa::instr::{Flags, Instr};
use wavepipe_isa::row::{ImageOp, MemKind, Space};

impl Site {
    pub(super) fn new(pc: u64, instr: &Instr, space: Space, kind: MemKind) -> Site {
        let coherent = instr.cache.passes_l0() && space != Space::Lds && space != Space::Scalar;
        let coherent = if coherent { Acts::ATOMIC } else { Acts::empty() };
        let acts = match kind {
            _ if instr.flags.intersects(Flags::GDS | Flags::LDS) || space == Space::Scratch => Acts::empty(),
            MemKind::Image(ImageOp::Load { .. }) => Acts::READ | coherent,
            MemKind::Image(ImageOp::Store { .. }) => Acts::WRITE | coherent,
            MemKind::Image(ImageOp::Atomic(_)) => Acts::READ | Acts::WRITE | Acts::ATOMIC,
            MemKind::Image(ImageOp::Resinfo | ImageOp::GetLod) => Acts::empty(),
            MemKind::Image(_) => Acts::READ,
            MemKind::Load { .. } | MemKind::LoadD16 { .. } | MemKind::Load2 { .. } => Acts::READ | coherent,
            MemKind::Store { .. } | MemKind::StoreHi { .. } | MemKind::Store2 { .. } => Acts::WRITE | coherent,
            _ if kind.is_atomic() => Acts::READ | Acts::WRITE | Acts::ATOMIC,
            _ => Acts::empty(),
        };
        // Two offsets count in elements; the addresses that come have both of them added as one of bytes.
        let field = instr.imm as u32 & 0xffff;
        let (count, pieces) = match kind.pair_offsets(field) {
            Some(offsets) => (2, offsets.map(|offset| i64::from(offset) - i64::from(field))),
            None => (1, [0; 2]),
        };
        let data = match space {
            Space::Lds => [instr.src[1], instr.src[2]],
            Space::Buffer => [instr.src[3]; 2],
            _ => [instr.src[2]; 2],
        };
        Site {
            pc,
            instr: *instr,
            acts,
            uniform: space == Space::Scalar,
            texels: space == Space::Image,
            bytes: if space == Space::Scalar { mem::bytes(kind) & !3 } else { mem::bytes(kind) },
            count,
            pieces,
            data: data.map(|src| src.is_vgpr().then(|| src.vgpr())),
            high: matches!(kind, MemKind::StoreHi { .. }),
        }
    }

    /// Who makes the access, for a lane of a wave.
    #[inline(always)]
    pub(super) fn by(&self, number: u16, wave: u32, lane: u32) -> By {
        let lane = if self.uniform { ALL } else { lane };
        By::new(number.into(), wave, lane, self.acts.contains(Acts::ATOMIC))
    }

    /// The memory that it accesses; flat addresses are of LDS, too.
    #[inline(always)]
    pub(super) fn memory(&self, lds: bool) -> Memory {
        match () {
            _ if lds => Memory::Lds,
            _ if self.texels => Memory::Images,
            _ => Memory::Buffers,
        }
    }

    pub(super) fn kind(&self) -> AccessKind {
        match () {
            _ if self.acts.contains(Acts::ATOMIC) => AccessKind::Atomic,
            _ if self.acts.contains(Acts::WRITE) => AccessKind::Write,
            _ => AccessKind::Read,
        }
    }

    /// Dword `n` of what a lane stores.
    #[inline(always)]
    pub(super) fn value(&self, wave: &WaveView<'_>, piece: usize, n: u32, lane: u32) -> u32 {
        let value = self.data[piece].map_or(0, |v| wave.vgpr(v + n, lane));
        if self.high { value >> 16 } else { value }
    }

    /// As [`Site::value`], of all lanes.
    #[inline(always)]
    pub(super) fn values(&self, wave: &WaveView<'_>, piece: usize, n: u32, out: &mut [u32; 64]) {
        if let Some(v) = self.data[piece] {
            wave.vgpr_lanes(v + n, out);
        }
        if self.high {
            out.iter_mut().for_each(|value| *value >>= 16);
        }
    }

    /// The end of what may be accessed; `None`: it is private memory, whose layout a descriptor knows.
    pub(super) fn end(&self, wave: &WaveView<'_>, space: Space, instr: &Instr) -> Option<u64> {
        if space != Space::Buffer || instr.flags.contains(Flags::ADDR64) || !instr.src[1].is_sgpr() {
            return Some(u64::MAX);
        }
        let [low, high, records] = [0, 1, 2].map(|n| wave.sgpr(u32::from(instr.src[1].0) + n));
        let (base, stride) = (u64::from(low) | u64::from(high & 0xffff) << 32, high >> 16 & 0x3fff);
        let swizzled = high >> 31 != 0;
        (!swizzled).then(|| if stride == 0 { base + u64::from(records) } else { u64::MAX })
    }
}
