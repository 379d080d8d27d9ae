//! Memory instructions that an engine of host code can do by itself: dwords of buffers, of global memory and of LDS.
//!
//! ```text
//! place:  what an access counts from. LDS stands in the frame. Of buffers and global memory the wave's scalars say it: host code
//!         compares them with those in a slot, which has the host's address of offset 0 and the last offset in range
//! else:   other scalars, an offset out of range in any live lane: the interpreter's operation is called, which finds what
//!         is right or wrong with it; then the slot is filled for the next time, if there is one place for all offsets
//! ```
//!
//! A slot holds for as long as the memory map does that it was filled from.

use super::env::Env;
use super::mem;
use super::op::MicroOp;
use super::state::Wave;
use super::table;
use std::ptr::fn_addr_eq;
use wavepipe_isa::instr::Flags;
use wavepipe_isa::row::{MemKind, Sem, Space};

/// A load or a store of dwords.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub store: bool,
    /// Of each part.
    pub dwords: u32,
    pub place: Origin,
    /// Register of the lanes' offsets, as in [`super::Operand::Vgpr`]; `None`: they are zero.
    pub address: Option<u32>,
    /// One, or two that are done one after the other.
    pub parts: [Option<Part>; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Bytes that come to the lanes' offsets.
    pub offset: u32,
    /// First register of the data.
    pub data: u32,
}

/// What offsets count from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    Lds,
    /// The place of slot `slot`, if `words` scalars from `first` on and `soffset` are those that the slot has.
    Slot {
        slot: u32,
        first: u8,
        words: u8,
        soffset: Option<u8>,
    },
}

/// A place in memory, for the scalars that led there.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Slot {
    pub words: [u32; 4],
    pub soffset: u32,
    /// The last offset of an access that is in range; below 2^31.
    pub last: u32,
    /// Where offset 0 is; 0: nowhere.
    pub host: usize,
}

/// How host code does the operation, as the region's next slot; `None`: by a call.
pub(super) fn access(op: &MicroOp, halves: usize, slot: u32) -> Option<Access> {
    let Sem::Mem(space, kind) = op.row.sem else { return None };
    let plain = mem::function(space, kind, table::tables().level).is_some_and(|f| fn_addr_eq(f, op.f));
    if !plain || op.ext.is_some() {
        return None;
    }
    let (store, dwords) = match kind {
        MemKind::Load { bits: 32, dwords, .. } | MemKind::Load2 { dwords, .. } => (false, dwords),
        MemKind::Store { bits: 32, dwords } | MemKind::Store2 { dwords, .. } => (true, dwords),
        _ => return None,
    };
    let register = |k: usize| (op.src[k].index() / halves) as u32;
    let data = if store { register(1) } else { op.dst / halves as u32 };
    let one = |offset| [Some(Part { offset, data }), None];
    let usual = Flags::OFFEN;
    let (place, address, parts) = match space {
        Space::Lds => {
            let parts = match kind {
                MemKind::Load2 { .. } => {
                    let [first, second] = kind.pair_offsets(op.imm as u32)?;
                    [(first, data), (second, data + u32::from(dwords))]
                        .map(|(offset, data)| Some(Part { offset, data }))
                }
                MemKind::Store2 { .. } => {
                    let [first, second] = kind.pair_offsets(op.imm as u32)?;
                    // Two equal places are one, and the first data goes there.
                    let second = (first != second).then_some(Part { offset: second, data: register(2) });
                    [Some(Part { offset: first, data }), second]
                }
                _ => one(op.imm as u32 & 0xffff),
            };
            (Origin::Lds, Some(register(0)), parts)
        }
        Space::Buffer if !op.flags.intersects(Flags::IDXEN | Flags::ADDR64 | Flags::LDS | Flags::TFE) => {
            let address = op.flags.contains(usual).then(|| register(0));
            let place = Origin::Slot { slot, first: op.s[0] & 124, words: 4, soffset: Some(op.s[2]) };
            (place, address, one(0))
        }
        Space::Global if op.splat & 1 != 0 && op.constant & 1 == 0 && !op.flags.intersects(Flags::LDS | Flags::TFE) => {
            (Origin::Slot { slot, first: op.s[0], words: 2, soffset: None }, Some(register(0)), one(0))
        }
        _ => return None,
    };
    // A pair of scalars that is none.
    if matches!(place, Origin::Slot { words: 2, first, .. } if op.s[1] != first.wrapping_add(1)) {
        return None;
    }
    Some(Access { store, dwords: dwords.into(), place, address, parts })
}

/// The place that the wave's scalars say now, if all offsets have it in one region.
pub(super) fn resolve(w: &Wave, op: &MicroOp, env: &mut Env<'_>) -> Option<Slot> {
    let Sem::Mem(space, kind) = op.row.sem else { return None };
    let bytes = u64::from(mem::bytes(kind));
    let first = op.s[0];
    let mut slot = Slot::default();
    let (base, room) = match space {
        Space::Buffer => {
            let first = first & 124;
            slot.words = std::array::from_fn(|i| w.scalar(first + i as u8));
            slot.soffset = w.scalar(op.s[2]);
            mem::raw(w, op)?
        }
        Space::Global => {
            slot.words = [w.scalar(first), w.scalar(first.wrapping_add(1)), 0, 0];
            (w.scalar64(first).wrapping_add_signed(i64::from(op.imm)), u64::MAX)
        }
        _ => return None,
    };
    let (region, off) = if kind.writes() { env.writable(base, 1) } else { env.region(base, 1) }?;
    let last = room.min(region.size() - off).checked_sub(bytes)?;
    slot.last = last.min(i32::MAX as u64 - 64) as u32;
    slot.host = region.backing.host().expose_provenance() + off as usize;
    Some(slot)
}
