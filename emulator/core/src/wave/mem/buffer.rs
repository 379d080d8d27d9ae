//! MUBUF addresses: V#, range check, swizzle. RDNA 1 ISA document, "Buffer Addressing" and "Range Checking".
//!
//! ```text
//! offset = (OFFEN ? vaddr : 0) + inst_offset            index = (IDXEN ? vaddr : 0) + (ADD_TID ? lane : 0)
//! linear:   at = base + soffset + index * stride + offset
//! swizzled: at = base + soffset + (index / is * stride + offset / es * es) * is + index % is * es + offset % es
//! ADDR64:   at = base + soffset + vaddr (64 bits) + inst_offset, with no range check: LLVM gives it buffers of no records
//! ```
//! Range checks of raw buffers count SOFFSET in on all generations: the Vega document leaves it out, Mesa's ACO relies on it.

use super::{Access, Addressing, Limit, Linear, Near, Spacing};
use crate::wave::op::MicroOp;
use crate::wave::regs::LaneRow;
use crate::wave::state::Wave;
use wavepipe_hw::descriptor::{BY_USE, BufferDescriptor};
use wavepipe_isa::instr::Flags;

pub(crate) struct Buffer;

/// The V# in four SGPRs.
#[inline(always)]
pub(crate) fn descriptor(w: &Wave, first: u8) -> BufferDescriptor {
    BufferDescriptor::from_words(words(w, first), w.isa)
}

#[inline(always)]
fn words(w: &Wave, first: u8) -> [u32; 4] {
    let i = first as usize & 124;
    [w.s.0[i], w.s.0[i + 1], w.s.0[i + 2], w.s.0[i + 3]]
}

/// Address of offset 0 and bytes in range from there, if the buffer is raw: no index, no swizzle.
#[inline(always)]
pub(crate) fn raw(w: &Wave, op: &MicroOp) -> Option<(u64, u64)> {
    let words = words(w, op.s[0]);
    let (base, records) = BufferDescriptor::range(words);
    let otherwise = op.flags.intersects(Flags::IDXEN.union(Flags::ADDR64));
    if otherwise || !BufferDescriptor::is_plain(words, w.isa) {
        return None;
    }
    let soffset = w.scalar(op.s[2]);
    let records = u64::from(records.saturating_sub(soffset));
    let imm = u64::from(op.imm as u32 & 0xfff);
    let base = base.wrapping_add(u64::from(soffset)).wrapping_add(imm);
    Some((base, records.checked_sub(imm)?))
}

/// Offsets of neighbouring dwords.
static NEIGHBOURS: LaneRow = {
    let mut row = [0; 32];
    let mut i = 0;
    while i < 32 {
        row[i] = 4 * i as u32;
        i += 1;
    }
    LaneRow(row)
};

/// ELEMENT_SIZE of four bytes.
const DWORD: u8 = 1;

/// The V#, if it is one of private memory: swizzled by the wave's size and indexed by lane.
#[inline(always)]
fn by_lane(w: &Wave, op: &MicroOp) -> Option<BufferDescriptor> {
    let d = descriptor(w, op.s[0]);
    let otherwise = op.flags.intersects(Flags::IDXEN.union(Flags::ADDR64));
    let by_lane = d.swizzle_enable && d.add_tid_enable && d.element_size == DWORD && !otherwise;
    (by_lane && 8u64 << d.index_stride == 32 * w.halves as u64).then_some(d)
}

/// Where lane 0 finds the instruction's offset in private memory, SOFFSET apart, and what SOFFSET and a lane's offset may be
/// together at most.
pub(crate) fn private_rows(w: &Wave, op: &MicroOp) -> Option<(u64, u64)> {
    let d = by_lane(w, op)?;
    let offset = u64::from(op.imm as u32 & 0xfff);
    let most = match d.oob_select {
        BY_USE => u64::MAX,
        2 if d.num_records != 0 => u64::MAX,
        3 if d.stride == 0 => u64::from(d.num_records).checked_sub(offset + 4)?,
        _ => return None,
    };
    offset.is_multiple_of(4).then(|| (d.base.wrapping_add(offset * 32 * w.halves as u64), most))
}

/// Private memory at one offset in all live lanes: the lanes' dwords are neighbours.
#[inline(always)]
fn private<'w>(w: &'w Wave, op: &MicroOp, half: usize) -> Option<Near<'w>> {
    let d = by_lane(w, op)?;
    let lanes = 32 * w.halves as u64;
    let mut offset = op.imm as u32 & 0xfff;
    if op.flags.contains(Flags::OFFEN) {
        let (row, live) = (op.source(&w.v, 0, 0, half, w.halves), w.exec(half));
        let first = row.0[live.trailing_zeros() as usize & 31];
        let differ = (0..32).fold(0, |m, i| m | u32::from(row.0[i] != first) << i);
        if differ & live != 0 {
            return None;
        }
        // Wraps, as in any swizzled buffer.
        offset = offset.wrapping_add(first);
    }
    let (offset, soffset) = (u64::from(offset), w.scalar(op.s[2]));
    let fits = match d.oob_select {
        2 => d.num_records != 0,
        BY_USE => true,
        3 => d.stride == 0 && offset + 4 <= u64::from(d.num_records.saturating_sub(soffset)),
        _ => false,
    };
    let first = (offset * lanes).wrapping_add(u64::from(soffset)).wrapping_add(128 * half as u64);
    (fits && offset % 4 == 0).then(|| Near { base: d.base.wrapping_add(first), off: &NEIGHBOURS, room: u64::MAX })
}

/// How far accesses through a V# may go.
#[derive(Clone, Copy)]
enum Bounds {
    None,
    /// The record must exist and the access stay inside of it.
    Structured,
    /// As `Structured`, of as many records as are left behind SOFFSET.
    StructuredBytes,
    /// The record must exist.
    Records,
    /// There must be a record.
    Any,
    /// The offset must be within the bytes that are left behind SOFFSET.
    Bytes,
    /// As `Bytes`, with the index's bytes counted in.
    Linear,
}

impl Bounds {
    #[inline(always)]
    fn of(d: &BufferDescriptor, record: u32, idxen: bool) -> Bounds {
        match d.oob_select {
            BY_USE if d.add_tid_enable && !idxen => Bounds::None,
            BY_USE if record != 0 && (idxen || d.swizzle_enable) => Bounds::Records,
            BY_USE => Bounds::Bytes,
            0 => Bounds::Structured,
            1 => Bounds::Records,
            2 => Bounds::Any,
            _ if record == 0 => Bounds::Bytes,
            _ if d.swizzle_enable => Bounds::StructuredBytes,
            _ => Bounds::Linear,
        }
    }
}

/// Whether a work-item's private memory is a record, against whose end this access is not held.
pub(super) fn is_unchecked_record(w: &Wave, op: &MicroOp) -> bool {
    let d = descriptor(w, op.s[0]);
    !op.flags.contains(Flags::ADDR64) && d.add_tid_enable && d.stride != 0 && d.oob_select == BY_USE
}

/// Addresses of an access with ADDR64.
fn wide(w: &Wave, op: &MicroOp, half: usize, base: u64) -> [u64; 32] {
    let (low, high) = (op.source(&w.v, 0, 0, half, w.halves), op.source(&w.v, 0, 1, half, w.halves));
    let base = base.wrapping_add(u64::from(op.imm as u32 & 0xfff));
    std::array::from_fn(|i| base.wrapping_add(u64::from(low.0[i]) | u64::from(high.0[i]) << 32))
}

/// A lane's offset in a swizzled record.
pub(super) fn offset(w: &Wave, op: &MicroOp, half: usize, lane: usize) -> u32 {
    let second = op.source(&w.v, 0, usize::from(op.flags.contains(Flags::IDXEN)), half, w.halves);
    let v = if op.flags.contains(Flags::OFFEN) { second.0[lane] } else { 0 };
    v.wrapping_add(op.imm as u32 & 0xfff)
}

impl Addressing for Buffer {
    #[inline(always)]
    fn access(w: &Wave, op: &MicroOp, half: usize, bytes: u32) -> Access {
        if op.flags.contains(Flags::ADDR64) {
            return Far::access(w, op, half, bytes);
        }
        let d = descriptor(w, op.s[0]);
        let offen = op.flags.contains(Flags::OFFEN);
        let idxen = op.flags.contains(Flags::IDXEN);
        let soffset = w.scalar(op.s[2]);
        let base = d.base.wrapping_add(u64::from(soffset));
        let live = w.exec(half);
        let typed = super::typed::is_typed(op);
        let (record, bound) = (d.record(typed), d.is_bound(typed));
        let vaddr = op.source(&w.v, 0, 0, half, w.halves);
        let second = op.source(&w.v, 0, usize::from(idxen), half, w.halves);
        // log2 of an element's bytes, and the offset's bits in it.
        let (element, inside) = (u32::from(d.element_size) + 1, (2u64 << d.element_size) - 1);
        let bounds = Bounds::of(&d, record, idxen);
        let mut at = [0; 32];
        let mut limit = [0; 32];
        for i in 0..32 {
            let (v, imm) = (if offen { second.0[i] } else { 0 }, op.imm as u32 & 0xfff);
            // Of linear buffers the sum of both offsets has more than 32 bits: it never wraps back into range.
            // Of swizzled ones, where compilers keep stacks, it wraps: they fold constants into negative offsets.
            let o = if d.swizzle_enable { v.wrapping_add(imm).into() } else { u64::from(v) + u64::from(imm) };
            let offset = o.min(u64::from(u32::MAX)) as u32;
            let mut index = if idxen { vaddr.0[i] } else { 0 };
            if d.add_tid_enable {
                index = index.wrapping_add((32 * half + i) as u32);
            }
            let (x, stride) = (u64::from(index), u64::from(record));
            let linear = if d.swizzle_enable {
                let is = 8u64 << d.index_stride;
                (x / is * stride + (o & !inside)) * is + (x % is << element) + (o & inside)
            } else {
                x * stride + o
            };
            at[i] = base.wrapping_add(linear);
            let left = |o: u64| {
                u64::from(d.num_records.saturating_sub(soffset)).saturating_sub(o).min(u64::from(u32::MAX)) as u32
            };
            let room = match bounds {
                _ if !bound => 0,
                Bounds::None => u32::MAX,
                // The record must exist and the access stay inside of it.
                Bounds::Structured if x < u64::from(d.num_records) => record.saturating_sub(offset),
                Bounds::Records if x < u64::from(d.num_records) => u32::MAX,
                Bounds::Any if d.num_records != 0 => u32::MAX,
                Bounds::StructuredBytes if x < u64::from(d.num_records.saturating_sub(soffset)) => {
                    record.saturating_sub(offset)
                }
                Bounds::Bytes => left(o),
                Bounds::Linear => left(linear),
                _ => 0,
            };
            limit[i] = room;
        }
        // Within an element of more than a dword its dwords are next to each other.
        let spacing = match d.swizzle_enable && d.element_size <= DWORD {
            true => Spacing::interleaved(4 * (8 << d.index_stride), base),
            false => Spacing::NEXT,
        };
        Access { at, limit: Limit::Bytes(limit), live, spacing }
    }

    #[inline(always)]
    fn linear(w: &Wave, op: &MicroOp, half: usize, bytes: u32) -> Option<Linear> {
        let (base, room) = raw(w, op)?;
        let offen = op.flags.contains(Flags::OFFEN);
        let off = if offen { op.source(&w.v, 0, 0, half, w.halves).0 } else { [0; 32] };
        let l = Linear::new(base, off, w.exec(half));
        let last = l.off.iter().fold(0, |m: u32, &o| m.max(o));
        (u64::from(last) + u64::from(bytes) <= room).then_some(l)
    }

    #[inline(always)]
    fn near<'w>(w: &'w Wave, op: &MicroOp, half: usize) -> Option<Near<'w>> {
        if op.flags.contains(Flags::OFFEN)
            && let Some((base, room)) = raw(w, op)
        {
            return Some(Near { base, off: op.source(&w.v, 0, 0, half, w.halves), room });
        }
        private(w, op, half)
    }
}

/// Accesses with ADDR64, which [`Buffer`] makes lane by lane.
pub(crate) struct Far;
impl Addressing for Far {
    #[inline(always)]
    fn access(w: &Wave, op: &MicroOp, half: usize, _: u32) -> Access {
        let base = BufferDescriptor::range(words(w, op.s[0])).0.wrapping_add(w.scalar(op.s[2]).into());
        Access { at: wide(w, op, half, base), limit: Limit::All, live: w.exec(half), spacing: Spacing::NEXT }
    }

    #[inline(always)]
    fn linear(w: &Wave, op: &MicroOp, half: usize, bytes: u32) -> Option<Linear> {
        let a = Self::access(w, op, half, bytes);
        Linear::from_wide(a.at, a.live)
    }
}
