//! MUBUF addresses: V#, range check, swizzle. RDNA 1 ISA document, "Buffer Addressing" and "Range Checking".
//!
//! ```text
//! offset = (OFFEN ? vaddr : 0) + inst_offset            index = (IDXEN ? vaddr : 0) + (ADD_TID ? lane : 0)
//! linear:   at = base + soffset + index * stride + offset
//! swizzled: at = base + soffset + (index / is * stride + offset / 4 * 4) * is + index % is * 4 + offset % 4
//! ```

use super::{Access, Addressing, Limit};
use crate::wave::op::MicroOp;
use crate::wave::state::Wave;
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_isa::instr::Flags;

pub(crate) struct Buffer;

/// The V# in four SGPRs.
#[inline(always)]
pub(crate) fn descriptor(w: &Wave, first: u8) -> BufferDescriptor {
    let i = first as usize & 124;
    BufferDescriptor::from_words([w.s.0[i], w.s.0[i + 1], w.s.0[i + 2], w.s.0[i + 3]])
}

impl Addressing for Buffer {
    #[inline(always)]
    fn access(w: &Wave, op: &MicroOp, half: usize, bytes: u32) -> Access {
        let d = descriptor(w, op.s[0]);
        let flags = u32::from(op.flags);
        let offen = flags & Flags::OFFEN.bits() != 0;
        let idxen = flags & Flags::IDXEN.bits() != 0;
        let soffset = w.scalar(op.s[2]);
        let base = d.base.wrapping_add(u64::from(soffset));
        let live = w.exec(half);
        if !idxen && !d.add_tid_enable && !d.swizzle_enable && d.oob_select == 3 {
            return raw(w, op, half, bytes, base, d.num_records.saturating_sub(soffset), offen);
        }
        let vaddr = op.source(&w.v, 0, 0, half, w.halves);
        let second = op.source(&w.v, 0, usize::from(idxen), half, w.halves);
        let mut at = [0; 32];
        let mut limit = [0; 32];
        for i in 0..32 {
            let offset = if offen { second.0[i] } else { 0 }.wrapping_add(op.imm as u32);
            let mut index = if idxen { vaddr.0[i] } else { 0 };
            if d.add_tid_enable {
                index = index.wrapping_add((32 * half + i) as u32);
            }
            let (o, x, stride) = (u64::from(offset), u64::from(index), u64::from(d.stride));
            let linear = if d.swizzle_enable {
                let is = 8u64 << d.index_stride;
                (x / is * stride + (o & !3)) * is + x % is * 4 + (o & 3)
            } else {
                x * stride + o
            };
            at[i] = base.wrapping_add(linear);
            let room = match d.oob_select {
                // Structured: the record must exist and the access stay inside of it.
                0 if x < u64::from(d.num_records) => d.stride.saturating_sub(offset),
                1 if x < u64::from(d.num_records) => u32::MAX,
                2 if d.num_records != 0 => u32::MAX,
                3 if d.swizzle_enable && d.stride != 0 => {
                    let in_range = x < u64::from(d.num_records.saturating_sub(soffset));
                    if in_range { d.stride.saturating_sub(offset) } else { 0 }
                }
                3 => {
                    let o = if d.stride == 0 || d.swizzle_enable { o } else { linear };
                    u64::from(d.num_records.saturating_sub(soffset)).saturating_sub(o).min(u64::from(u32::MAX)) as u32
                }
                _ => 0,
            };
            limit[i] = room;
        }
        let step = if d.swizzle_enable { 4 * (8u64 << d.index_stride) } else { 4 };
        Access { at, limit: Limit::Bytes(limit), live, step }
    }
}

/// Raw buffer: byte offsets against NUM_RECORDS less the scalar offset, for all lanes at once if the largest fits.
#[inline(always)]
fn raw(w: &Wave, op: &MicroOp, half: usize, bytes: u32, base: u64, records: u32, offen: bool) -> Access {
    let live = w.exec(half);
    let imm = op.imm as u32;
    if !offen {
        let room = records.saturating_sub(imm);
        let limit = if room >= bytes { Limit::All } else { Limit::Bytes([room; 32]) };
        return Access { at: [base.wrapping_add(u64::from(imm)); 32], limit, live, step: 4 };
    }
    let vaddr = op.source(&w.v, 0, 0, half, w.halves);
    let offsets: [u64; 32] = std::array::from_fn(|i| u64::from(vaddr.0[i]) + u64::from(imm));
    let largest = (0..32).fold(0, |m: u64, i| m.max(if live >> i & 1 != 0 { offsets[i] } else { 0 }));
    let at = std::array::from_fn(|i| base.wrapping_add(offsets[i]));
    let limit = if largest + u64::from(bytes) <= u64::from(records) {
        Limit::All
    } else {
        Limit::Bytes(std::array::from_fn(|i| u64::from(records).saturating_sub(offsets[i]) as u32))
    };
    Access { at, limit, live, step: 4 }
}
