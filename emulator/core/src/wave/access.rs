//! Memory instructions that an engine of host code can do by itself: dwords of buffers, of global memory, by FLAT too, of LDS, and of
//! private memory, atomics among them, and bytes and halves of dwords.
//!
//! ```text
//! place:  what an access counts from. LDS stands in the frame. Of buffers and global memory the wave's scalars say it: host code
//!         compares them with those in a slot, which has the host's address of offset 0 and the last offset in range
//! else:   other scalars, an offset out of range in any live lane: the interpreter's operation is called, which finds what
//!         is right or wrong with it; then the slot is filled for the next time, if there is one place for all offsets
//! ```
//!
//! Scalar loads go the same way, but that a slot has what their own address is held against: a whole region of memory for
//! S_LOAD, which may come back with another base each time, the V# for S_BUFFER_LOAD. So it is where each lane has an address
//! of its own: the slot has the region that the first one led to. And of SCRATCH that in which FLAT_SCRATCH was, another one in each
//! wave.
//!
//! A slot holds for as long as the memory map does that it was filled from, and for waves whose lanes have as much private memory.

use super::env::Env;
use super::hot::NULL;
use super::mem;
use super::op::{Known, MicroOp};
use super::state::{EXEC, FLAT_SCRATCH, LITERAL, Wave};
use crate::memory::Region;
use wavepipe_isa::Src;
use wavepipe_isa::instr::Flags;
use wavepipe_isa::row::{AtomicOp, Format, MemKind, Sem, Space, Ty};

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Motion {
    Load,
    Store,
    /// Of an aligned dword, lane by lane; `returns`: the register that what was there before goes to.
    Atomic {
        op: AtomicOp,
        returns: Option<u32>,
        /// The register of what a compare-and-swap compares with.
        compared: Option<u32>,
    },
}

/// An access to dwords, or to one element of less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub motion: Motion,
    /// Of each part.
    pub dwords: u32,
    /// `None`: whole dwords.
    pub element: Option<Element>,
    pub place: Origin,
    /// Register of the lanes' offsets, as in [`super::Operand::Vgpr`], of an [`Origin::Region`] that of their addresses' low words, in
    /// front of the high ones; `None`: they are zero.
    pub address: Option<u32>,
    /// One, or two that are done one after the other.
    pub parts: [Option<Part>; 2],
}

/// A byte or two of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Element {
    pub bytes: u32,
    /// A load extends it by its sign, or by zeros.
    pub signed: bool,
    pub of: Piece,
}

/// What of a register an element is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Stores are from its low end; loads extend to all of it.
    Whole,
    /// Loads keep the other half.
    Low,
    High,
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
    /// Lanes have addresses, whose offsets count from slot `slot`'s.
    Region {
        slot: u32,
    },
    /// Private memory at the address in two scalars from `first` on, in the region of slot `slot`: see [`Private`] for its rows. A scalar
    /// and so many bytes come to the lanes' offsets.
    Scratch {
        slot: u32,
        first: u8,
        saddr: Option<u8>,
        offset: i32,
    },
}

impl Origin {
    pub fn slot(self) -> Option<u32> {
        match self {
            Origin::Lds => None,
            Origin::Slot { slot, .. } | Origin::Region { slot } | Origin::Scratch { slot, .. } => Some(slot),
        }
    }
}

/// A load of scalars, from an address or an offset whose two low bits count for nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fetch {
    pub slot: u32,
    /// Of the base: two words of an address, or four of a V#.
    pub first: u8,
    pub buffer: bool,
    /// A scalar that comes to the offset; `None`: 0.
    pub soffset: Option<u8>,
    pub offset: i32,
    /// First of the scalars that are loaded.
    pub dst: u8,
    pub dwords: u8,
}

/// A place in memory, for the scalars that led there.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Slot {
    /// The base's scalars; of S_LOAD and SCRATCH the region's address and, in two words too, from which place in it on an access is out
    /// of range; of an [`Origin::Region`] the address of offset 0, less what the instruction adds.
    pub words: [u32; 4],
    pub soffset: u32,
    /// The last offset of an access that is in range; below 2^31.
    pub last: u32,
    /// Where offset 0 is; 0: nowhere.
    pub host: usize,
    pub private: Private,
}

/// Private memory behind a V#: each dword of an offset is a row of all lanes of the wave.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Private {
    /// Where offset 0 of lane 0 is, SOFFSET apart; 0: nowhere.
    pub host: usize,
    /// The last SOFFSET in range, with any offset that is.
    pub soffset: u32,
    /// The last offset in range.
    pub offset: u32,
}

/// Bytes of a lane's private memory that offsets are held against, where there are so many, and nobody says how many.
const PRIVATE: u64 = 1 << 16;
/// The same where somebody does: those of a wave are below 2^31.
const MOST_PRIVATE: u64 = 1 << 24;

impl Access {
    /// Whether it may be one to private memory, of single dwords through a V#: its slot and SOFFSET.
    pub fn may_be_private(&self) -> Option<(u32, u8)> {
        let dword = self.dwords == 1 && self.element.is_none() && !matches!(self.motion, Motion::Atomic { .. });
        match self.place {
            Origin::Slot { slot, words: 4, soffset: Some(soffset), .. } if dword => Some((slot, soffset)),
            _ => None,
        }
    }
}

/// How host code does the operation, as the region's next slot; `None`: by a call.
pub(super) fn access(op: &MicroOp, halves: usize, slot: u32) -> Option<Access> {
    let Sem::Mem(space, kind) = op.row.sem else { return None };
    // Lanes of FLAT that lead to LDS or to private memory are in no region of memory.
    if op.known != Known::Access || op.ext.is_some() && space != Space::Flat {
        return None;
    }
    let register = |k: usize| (op.src[k].index() / halves) as u32;
    let returns = (op.dst2 == mem::RETURNS).then_some(op.dst / halves as u32);
    let (motion, dwords) = match kind {
        MemKind::Load { dwords, .. } | MemKind::Load2 { dwords, .. } => (Motion::Load, dwords),
        MemKind::LoadD16 { .. } => (Motion::Load, 1),
        MemKind::Store { dwords, .. } | MemKind::Store2 { dwords, .. } => (Motion::Store, dwords),
        MemKind::StoreHi { .. } => (Motion::Store, 1),
        MemKind::Atomic { op: which, dwords: 1 } => {
            let compared =
                (which == AtomicOp::CmpSwap).then(|| if space == Space::Lds { register(1) } else { register(1) + 1 });
            (Motion::Atomic { op: which, returns, compared }, 1)
        }
        _ => return None,
    };
    let element = element(kind);
    let data = match motion {
        Motion::Load => op.dst / halves as u32,
        // DS has the comparand first.
        Motion::Atomic { compared: Some(_), .. } if space == Space::Lds => register(2),
        Motion::Store | Motion::Atomic { .. } => register(1),
    };
    let one = |offset| [Some(Part { offset, data }), None];
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
            let address = op.flags.contains(Flags::OFFEN).then(|| register(0));
            let place = Origin::Slot { slot, first: op.s[0] & 124, words: 4, soffset: Some(op.s[2]) };
            (place, address, one(0))
        }
        Space::Global if op.splat & 1 != 0 && op.constant & 1 == 0 && !op.flags.intersects(Flags::LDS | Flags::TFE) => {
            (Origin::Slot { slot, first: op.s[0], words: 2, soffset: None }, Some(register(0)), one(0))
        }
        Space::Global | Space::Flat
            if op.splat & 1 == 0 && op.constant & 1 == 0 && !op.flags.intersects(Flags::LDS | Flags::TFE) =>
        {
            (Origin::Region { slot }, Some(register(0)), one(0))
        }
        Space::Scratch if op.row.format != Format::Smem && !op.flags.intersects(Flags::LDS | Flags::TFE) => {
            let saddr = (op.splat & 1 != 0).then_some(op.s[0]);
            let address = (op.splat & 2 != 0).then(|| register(0));
            // SADDR is an SGPR, VCC or M0, if it is one that host code has.
            let other = saddr.is_some_and(|i| usize::from(i) >= EXEC);
            // Rows of dwords are found from what comes to all lanes' offsets, which is no row's then.
            let rowless = saddr.is_none() && element.is_none() && (op.imm < 0 || op.imm % 4 != 0);
            if rowless || other {
                return None;
            }
            (Origin::Scratch { slot, first: FLAT_SCRATCH as u8, saddr, offset: op.imm }, address, one(0))
        }
        _ => return None,
    };
    // A pair of scalars that is none.
    if matches!(place, Origin::Slot { words: 2, first, .. } if op.s[1] != first.wrapping_add(1)) {
        return None;
    }
    Some(Access { motion, dwords: dwords.into(), element, place, address, parts })
}

fn element(kind: MemKind) -> Option<Element> {
    let (bits, signed, of) = match kind {
        MemKind::Load { bits, signed, .. } => (bits, signed, Piece::Whole),
        MemKind::Store { bits, .. } => (bits, false, Piece::Whole),
        MemKind::LoadD16 { bits, signed, hi } => (bits, signed, if hi { Piece::High } else { Piece::Low }),
        MemKind::StoreHi { bits } => (bits, false, Piece::High),
        _ => return None,
    };
    (bits < 32).then_some(Element { bytes: u32::from(bits) / 8, signed, of })
}

/// How host code does a scalar load; `None`: by a call.
pub(super) fn fetch(op: &MicroOp, slot: u32) -> Option<Fetch> {
    let Sem::Mem(space, MemKind::Load { bits: 32, dwords, .. }) = op.row.sem else { return None };
    // SGPRs, VCC and trap temporaries are in front of NULL.
    if op.known != Known::Access || op.row.format != Format::Smem || space == Space::Scratch || op.dst >= NULL.into() {
        return None;
    }
    let constant = match op.s[2] {
        NULL => Some(0),
        n if usize::from(n) == LITERAL => Some(op.literal),
        n => Src(n.into()).inline_value(),
    };
    let (soffset, offset) = match constant {
        Some(v) => (None, u32::try_from(i64::from(v) + i64::from(op.imm)).ok()?.try_into().ok()?),
        None => (Some(op.s[2]), op.imm),
    };
    let buffer = op.row.src.first() == Some(&Ty::Rsrc);
    let first = if buffer { op.s[0] & 124 } else { op.s[0] };
    Some(Fetch { slot, first, buffer, soffset, offset, dst: op.dst as u8, dwords })
}

fn resolve_fetch(w: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> Option<Slot> {
    let Sem::Mem(_, kind) = op.row.sem else { return None };
    let bytes = u64::from(mem::bytes(kind));
    let mut slot = Slot::default();
    if op.row.src.first() == Some(&Ty::Rsrc) {
        let (base, size) = mem::scalar_buffer(w, op);
        let (region, off) = env.region(base, 1)?;
        slot.words = std::array::from_fn(|i| w.scalar((op.s[0] & 124) + i as u8));
        slot.last = size.min(region.size() - off).checked_sub(bytes)?.min(i32::MAX as u64) as u32;
        slot.host = region.backing.host().expose_provenance() + off as usize;
        return Some(slot);
    }
    let at = mem::scalar_place(w, op);
    let (region, off) = env.region(at, bytes)?;
    let (base, end) = (at - off, region.size() - bytes + 1);
    slot.words = [base as u32, (base >> 32) as u32, end as u32, (end >> 32) as u32];
    slot.host = region.backing.host().expose_provenance();
    Some(slot)
}

/// The region of an address that may be read, or written, as the operation does, and the offset in it.
fn region_of<'e>(env: &mut Env<'e>, kind: MemKind, at: u64) -> Option<(&'e Region, u64)> {
    if kind.writes() { env.writable(at, 1) } else { env.region(at, 1) }
}

fn private(w: &Wave, op: &MicroOp, env: &mut Env<'_>) -> Option<Private> {
    let Sem::Mem(_, kind) = op.row.sem else { return None };
    let (base, most) = mem::private_rows(w, op)?;
    let (region, off) = region_of(env, kind, base)?;
    let lanes = 32 * w.halves as u64;
    let room = (region.size() - off).checked_sub(4 * lanes)?.min(most).min(i32::MAX as u64);
    let offset = PRIVATE.min(room / (2 * lanes));
    Some(Private {
        host: region.backing.host().expose_provenance() + off as usize,
        soffset: (room - lanes * offset) as u32,
        offset: offset as u32,
    })
}

/// The region that the first live lane's address leads to.
fn resolve_region(w: &Wave, op: &MicroOp, env: &mut Env<'_>) -> Option<Slot> {
    let Sem::Mem(_, kind) = op.row.sem else { return None };
    let (half, live) = (0..w.halves).map(|half| (half, w.exec(half))).find(|(_, live)| *live != 0)?;
    let lane = live.trailing_zeros() as usize;
    let word = |n: usize| u64::from(op.source(&w.v, 0, n, half, w.halves).0[lane]);
    let at = (word(0) | word(1) << 32).wrapping_add_signed(i64::from(op.imm));
    let (region, off) = region_of(env, kind, at)?;
    let base = (at - off).wrapping_add_signed(-i64::from(op.imm));
    let last = region.size().checked_sub(u64::from(mem::bytes(kind)))?;
    Some(Slot {
        words: [base as u32, (base >> 32) as u32, 0, 0],
        last: last.min(i32::MAX as u64 - 64) as u32,
        host: region.backing.host().expose_provenance(),
        ..Slot::default()
    })
}

/// The region that FLAT_SCRATCH leads to now, and how far lanes may go if all of a wave's private memory is in it.
fn resolve_scratch(w: &Wave, op: &MicroOp, env: &mut Env<'_>) -> Option<Slot> {
    let Sem::Mem(_, kind) = op.row.sem else { return None };
    let at = w.flat_scratch();
    let (region, off) = region_of(env, kind, at)?;
    let (lanes, bytes) = (32 * w.halves as u64, u64::from(mem::bytes(kind)));
    let last = match u64::from(w.private_bytes) {
        0 => PRIVATE.min(region.size() / (2 * lanes)),
        size => size.checked_sub(bytes)?.min(MOST_PRIVATE),
    };
    // Dwords of a lane are rows.
    let rows = (last & !3) + bytes.next_multiple_of(4);
    let end = (region.size() + 1).checked_sub(rows * lanes)?;
    let base = at - off;
    Some(Slot {
        words: [base as u32, (base >> 32) as u32, end as u32, (end >> 32) as u32],
        last: last as u32,
        host: region.backing.host().expose_provenance(),
        ..Slot::default()
    })
}

/// The place that the wave's scalars say now, if all offsets have it in one region.
pub(super) fn resolve(w: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> Option<Slot> {
    let Sem::Mem(space, kind) = op.row.sem else { return None };
    if op.row.format == Format::Smem {
        return resolve_fetch(w, op, env);
    }
    let bytes = u64::from(mem::bytes(kind));
    let first = op.s[0];
    let mut slot = Slot::default();
    let (base, room) = match space {
        Space::Buffer => {
            let first = first & 124;
            slot.words = std::array::from_fn(|i| w.scalar(first + i as u8));
            slot.soffset = w.scalar(op.s[2]);
            let Some(raw) = mem::raw(w, op) else {
                slot.private = private(w, op, env)?;
                return Some(slot);
            };
            raw
        }
        Space::Global | Space::Flat if op.splat & 1 == 0 => return resolve_region(w, op, env),
        Space::Scratch => return resolve_scratch(w, op, env),
        Space::Global => {
            slot.words = [w.scalar(first), w.scalar(first.wrapping_add(1)), 0, 0];
            (w.scalar64(first).wrapping_add_signed(i64::from(op.imm)), u64::MAX)
        }
        _ => return None,
    };
    let (region, off) = region_of(env, kind, base)?;
    let last = room.min(region.size() - off).checked_sub(bytes)?;
    slot.last = last.min(i32::MAX as u64 - 64) as u32;
    slot.host = region.backing.host().expose_provenance() + off as usize;
    Some(slot)
}
