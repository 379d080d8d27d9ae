//! What a memory operation that is about to run will write in memory, for who keeps account of it. LDS and private memory are
//! left out; images note their texels while they run.

use super::{Addressing, buffer, flat, scalar, transfer, typed};
use crate::memory::MemoryMap;
use crate::wave::op::MicroOp;
use crate::wave::regs::set_bits;
use crate::wave::state::Wave;
use wavepipe_isa::row::{AtomicOp, Format, MemKind, Sem, Space};

/// Bytes that are about to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// `None`: the scalar unit writes them.
    pub lane: Option<u8>,
    pub at: u64,
    pub bytes: u32,
}

/// Adds what the operation will write, lanes in the order in which they do.
pub(crate) fn stores(w: &mut Wave, op: &MicroOp, map: &MemoryMap, out: &mut Vec<Stored>) {
    let Sem::Mem(space, kind) = op.row.sem else { return };
    if !kind.writes() {
        return;
    }
    if op.row.format == Format::Smem {
        let Some((at, room)) = scalar::reach(w, op, space, kind) else { return };
        let bytes = transfer::bytes(kind);
        let whole = matches!(kind, MemKind::Atomic { .. });
        let bytes = if u64::from(bytes) <= room { bytes } else { room as u32 & !3 };
        if bytes != 0 && !(whole && bytes < transfer::bytes(kind)) {
            out.push(Stored { lane: None, at, bytes });
        }
        return;
    }
    match space {
        Space::Buffer => by_lanes::<buffer::Buffer>(w, op, kind, map, out),
        Space::Flat => by_lanes::<flat::Flat>(w, op, kind, map, out),
        Space::Global => by_lanes::<flat::Global>(w, op, kind, map, out),
        Space::Scratch | Space::Lds | Space::Scalar | Space::Image => {}
    }
}

fn by_lanes<A: Addressing>(w: &Wave, op: &MicroOp, kind: MemKind, map: &MemoryMap, out: &mut Vec<Stored>) {
    // An element, a value that is exchanged, and one of less than a dword is written as a whole or not at all.
    let (bytes, whole) = match kind {
        MemKind::StoreFormat { .. } => (typed::element(w, op).unwrap_or(0), true),
        MemKind::Store { bits: 32, .. } => (transfer::bytes(kind), false),
        MemKind::Store { .. } | MemKind::StoreHi { .. } | MemKind::Atomic { .. } => (transfer::bytes(kind), true),
        _ => return,
    };
    let (piece, pieces) = if whole { (bytes, 1) } else { (4, bytes / 4) };
    let mut exchanged = Vec::new();
    for half in 0..w.halves {
        let a = A::access(w, op, half, bytes);
        for lane in set_bits(a.live) {
            let at = a.at[lane];
            if [w.apertures.shared, w.apertures.private].contains(&((at >> 32) as u32)) {
                continue;
            }
            if let MemKind::Atomic { op: how @ (AtomicOp::CmpSwap | AtomicOp::FCmpSwap), dwords } = kind {
                let dword = |n: usize| u64::from(op.source(&w.v, 1, n, half, w.halves).0[lane]);
                let operand = |n: usize| if dwords == 1 { dword(n) } else { dword(2 * n) | dword(2 * n + 1) << 32 };
                let earlier = exchanged.iter().rev().find(|(e, _)| *e == at).map(|(_, v)| *v);
                let in_memory = || if dwords == 1 { map.load32(at).map(u64::from) } else { map.load64(at) };
                if !earlier.or_else(in_memory).is_some_and(|old| equal(how, dwords, old, operand(1))) {
                    continue;
                }
                exchanged.push((at, operand(0)));
            }
            for n in (0..pieces).filter(|n| a.allows(lane, 4 * n, piece)) {
                let at = at.wrapping_add(a.spacing.step * u64::from(n));
                out.push(Stored { lane: Some((32 * half + lane) as u8), at, bytes: piece });
            }
        }
    }
}

/// Whether an exchange takes place where this is in memory.
fn equal(how: AtomicOp, dwords: u8, old: u64, compare: u64) -> bool {
    match (how, dwords) {
        (AtomicOp::FCmpSwap, 1) => f32::from_bits(old as u32) == f32::from_bits(compare as u32),
        (AtomicOp::FCmpSwap, _) => f64::from_bits(old) == f64::from_bits(compare),
        _ => old == compare,
    }
}
