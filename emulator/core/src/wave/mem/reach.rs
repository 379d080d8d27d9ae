//! Where the lanes of a memory operation go that is about to run, for who looks on.

use super::{Addressing, Limit, buffer, flat, lds, scalar, transfer};
use crate::wave::op::MicroOp;
use crate::wave::state::Wave;
use wavepipe_isa::row::{Format, MemKind, Sem, Space};

/// What an operation is about to access; the addresses of its lanes stand beside it.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    pub space: Space,
    /// Lanes that do; of a scalar access lane 0 only.
    pub mask: u64,
    /// The least and the greatest of their addresses, if there are any lanes.
    pub first: u64,
    pub last: u64,
    /// It is known that no descriptor cuts anything off.
    pub whole: bool,
}

/// Lanes of a memory operation that is about to run, and their addresses (of those that are not live it does not matter which). `None`: it
/// accesses no memory, or not by lanes (images note their texels while they run).
#[inline(always)]
fn any(w: &mut Wave, op: &MicroOp, at: &mut [u64; 64]) -> Option<Reach> {
    let Sem::Mem(space, kind) = op.row.sem else { return None };
    if op.row.format == Format::Smem {
        let address = scalar::address(w, op, space, kind)?;
        at[0] = address;
        return Some(Reach { space: Space::Scalar, mask: 1, first: address, last: address, whole: false });
    }
    if matches!(
        kind,
        MemKind::Invalidate
            | MemKind::Count { .. }
            | MemKind::LoadLane
            | MemKind::StoreLane
            | MemKind::Gws(_)
            | MemKind::OrderedCount
    ) {
        return None;
    }
    let bytes = transfer::bytes(kind);
    let mut reach = Reach { space, mask: 0, first: u64::MAX, last: 0, whole: true };
    match space {
        Space::Buffer => {
            by_lanes::<buffer::Buffer>(w, op, bytes, at, &mut reach);
            reach.whole &= !buffer::is_unchecked_record(w, op);
        }
        Space::Flat => by_lanes::<flat::Flat>(w, op, bytes, at, &mut reach),
        Space::Global => by_lanes::<flat::Global>(w, op, bytes, at, &mut reach),
        Space::Scratch => by_lanes::<flat::Private<flat::Operand>>(w, op, bytes, at, &mut reach),
        Space::Lds => {
            for half in 0..w.halves {
                put(&lds::access(w, op, half), bytes, half, &mut at[32 * half..][..32], &mut reach);
            }
        }
        Space::Scalar | Space::Image => return None,
    }
    // How many bytes an element has is said by its descriptor.
    reach.whole &= !matches!(kind, MemKind::LoadFormat { .. } | MemKind::StoreFormat { .. });
    Some(reach)
}

#[inline(always)]
fn by_lanes<A: Addressing>(w: &Wave, op: &MicroOp, bytes: u32, at: &mut [u64; 64], reach: &mut Reach) {
    for half in 0..w.halves {
        let live = w.exec(half);
        if live == 0 {
            continue;
        }
        let at = &mut at[32 * half..][..32];
        if let Some(l) = A::linear(w, op, half, bytes) {
            // Dead lanes repeat a live one.
            near(l.base, &l.off, live, half, at, reach);
        } else if let Some(n) = A::near(w, op, half).filter(|n| n.room == u64::MAX) {
            near(n.base, &n.off.0, live, half, at, reach);
        } else {
            put(&A::access(w, op, half, bytes), bytes, half, at, reach);
        }
    }
}

/// Lanes at offsets from a base, all in range.
#[inline(always)]
fn near(base: u64, off: &[u32; 32], live: u32, half: usize, at: &mut [u64], reach: &mut Reach) {
    let (mut least, mut most) = (u32::MAX, 0);
    for (i, (at, &off)) in at.iter_mut().zip(off).enumerate() {
        *at = base.wrapping_add(u64::from(off));
        let live = live >> i & 1 != 0;
        (least, most) = (least.min(if live { off } else { u32::MAX }), most.max(if live { off } else { 0 }));
    }
    reach.first = reach.first.min(base.wrapping_add(u64::from(least)));
    reach.last = reach.last.max(base.wrapping_add(u64::from(most)));
    reach.mask |= u64::from(live) << (32 * half);
}

#[inline(always)]
fn put(a: &super::Access, bytes: u32, half: usize, at: &mut [u64], reach: &mut Reach) {
    at.copy_from_slice(&a.at);
    let (mut reached, mut whole) = (!0, !0);
    if let Limit::Bytes(room) = &a.limit {
        (reached, whole) = (0, 0);
        for (i, room) in room.iter().enumerate() {
            reached |= u32::from(*room > 0) << i;
            whole |= u32::from(*room >= bytes) << i;
        }
    }
    let mask = a.live & reached;
    for (i, &at) in a.at.iter().enumerate() {
        let live = mask >> i & 1 != 0;
        reach.first = reach.first.min(if live { at } else { u64::MAX });
        reach.last = reach.last.max(if live { at } else { 0 });
    }
    reach.mask |= u64::from(mask) << (32 * half);
    reach.whole &= a.live & !whole == 0;
}

macro_rules! variant {
    ($name:ident $(, $features:literal)?) => {
        mod $name {
            use super::{MicroOp, Reach, Wave};
            $(#[target_feature(enable = $features)])?
            pub unsafe fn any(w: &mut Wave, op: &MicroOp, at: &mut [u64; 64]) -> Option<Reach> {
                super::any(w, op, at)
            }
        }
    };
}
wavepipe_lanes::variants!(variant);

/// As [`any`], by the host's instructions.
pub(crate) fn reach(w: &mut Wave, op: &MicroOp, at: &mut [u64; 64]) -> Option<Reach> {
    crate::wave::table::call_by_host!(any(w, op, at))
}
