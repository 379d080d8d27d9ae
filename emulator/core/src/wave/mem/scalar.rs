//! SMEM: loads, stores and atomics through the scalar cache, and the clocks.

use super::buffer::descriptor;
use crate::memory::AtomicOp;
use crate::wave::env::Env;
use crate::wave::op::{MicroOp, OpFn};
use crate::wave::state::{LITERAL, SINK, Wave};
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_hw::fault::FaultKind;
use wavepipe_isa::row::{MemKind, Sem, Space, Ty};

/// Bytes that an SGPR's offset counts in: S_SCRATCH_* count 64.
const BYTE: u64 = 1;
const BLOCK: u64 = 64;

pub(crate) fn function(space: Space, kind: MemKind) -> Option<OpFn> {
    Some(match kind {
        MemKind::Load { bits: 32, dwords: 1, .. } if space == Space::Scratch => load::<1, BLOCK>,
        MemKind::Load { bits: 32, dwords: 2, .. } if space == Space::Scratch => load::<2, BLOCK>,
        MemKind::Load { bits: 32, dwords: 4, .. } if space == Space::Scratch => load::<4, BLOCK>,
        MemKind::Store { bits: 32, dwords: 1 } if space == Space::Scratch => store::<1, BLOCK>,
        MemKind::Store { bits: 32, dwords: 2 } if space == Space::Scratch => store::<2, BLOCK>,
        MemKind::Store { bits: 32, dwords: 4 } if space == Space::Scratch => store::<4, BLOCK>,
        MemKind::Load { bits: 32, dwords: 1, .. } => load::<1, BYTE>,
        MemKind::Load { bits: 32, dwords: 2, .. } => load::<2, BYTE>,
        MemKind::Load { bits: 32, dwords: 4, .. } => load::<4, BYTE>,
        MemKind::Load { bits: 32, dwords: 8, .. } => load::<8, BYTE>,
        MemKind::Load { bits: 32, dwords: 16, .. } => load::<16, BYTE>,
        MemKind::Store { bits: 32, dwords: 1 } => store::<1, BYTE>,
        MemKind::Store { bits: 32, dwords: 2 } => store::<2, BYTE>,
        MemKind::Store { bits: 32, dwords: 4 } => store::<4, BYTE>,
        MemKind::Atomic { dwords: 1, .. } => atomic::<1>,
        MemKind::Atomic { dwords: 2, .. } => atomic::<2>,
        MemKind::Clock { realtime: false } => memtime,
        MemKind::Clock { realtime: true } => memrealtime,
        MemKind::WaveId => wave_id,
        // Nothing is cached here, so there is nothing to discard or to fetch ahead.
        MemKind::Invalidate | MemKind::Hint => crate::wave::table::nop,
        _ => return None,
    })
}

#[inline(always)]
fn write<const N: usize>(w: &mut Wave, dst: u32, v: [u32; N]) {
    let dst = dst as usize;
    if dst != SINK
        && let Some(d) = w.s.0.get_mut(dst..dst + N)
    {
        d.copy_from_slice(&v);
    }
}

/// Where an access goes, its two low bits ignored; and how many of its bytes are in range from there on.
#[inline(always)]
fn place<const UNIT: u64>(w: &mut Wave, op: &MicroOp) -> (u64, u64) {
    w.s.0[LITERAL] = op.literal;
    let offset = UNIT * u64::from(w.scalar(op.s[2]));
    let offset = offset.wrapping_add_signed(i64::from(op.imm)) & !3;
    if op.row.src.first() != Some(&Ty::Rsrc) {
        return ((w.scalar64(op.s[0]) & !3).wrapping_add(offset), u64::MAX);
    }
    let d = descriptor(w, op.s[0]);
    ((d.base & !3).wrapping_add(offset), size(d).saturating_sub(offset))
}

/// Bytes behind a V#'s base, as scalar loads take it.
fn size(d: BufferDescriptor) -> u64 {
    if d.stride == 0 { u64::from(d.num_records) } else { u64::from(d.stride) * u64::from(d.num_records) }
}

/// Where a load from an address goes.
pub(crate) fn scalar_place(w: &mut Wave, op: &MicroOp) -> u64 {
    place::<BYTE>(w, op).0
}

/// Where a V#'s offsets count from, and how many bytes are in range.
pub(crate) fn scalar_buffer(w: &mut Wave, op: &MicroOp) -> (u64, u64) {
    let d = descriptor(w, op.s[0]);
    (d.base & !3, size(d))
}

/// Where an operation through a descriptor goes, and how many bytes are in range from there on.
pub(super) fn range(w: &mut Wave, op: &MicroOp) -> (u64, u64) {
    place::<BYTE>(w, op)
}

/// Where an operation goes; `None` if to no memory.
pub(super) fn address(w: &mut Wave, op: &MicroOp, space: Space, kind: MemKind) -> Option<u64> {
    match (kind, space) {
        (MemKind::Load { .. } | MemKind::Store { .. }, Space::Scratch) => Some(place::<BLOCK>(w, op).0),
        (MemKind::Load { .. } | MemKind::Store { .. } | MemKind::Atomic { .. }, _) => Some(place::<BYTE>(w, op).0),
        _ => None,
    }
}

/// The same, and how many of its bytes are in range.
pub(super) fn reach(w: &mut Wave, op: &MicroOp, space: Space, kind: MemKind) -> Option<(u64, u64)> {
    match (kind, space) {
        (MemKind::Store { .. }, Space::Scratch) => Some(place::<BLOCK>(w, op)),
        (MemKind::Store { .. } | MemKind::Atomic { .. }, _) => Some(place::<BYTE>(w, op)),
        _ => None,
    }
}

unsafe fn load<const N: usize, const UNIT: u64>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let (at, room) = place::<UNIT>(w, op);
    if room < 4 * N as u64 {
        return load_some::<N>(w, op, env, at, room);
    }
    match env.region(at, 4 * N as u64).and_then(|(r, off)| r.backing.load_dwords::<N>(off)) {
        Some(v) => {
            write(w, op.dst, v);
            false
        }
        None => wild(w, at, 4 * N as u32, false),
    }
}

/// A buffer load past the end gives zero, dword by dword.
#[cold]
#[inline(never)]
fn load_some<const N: usize>(w: &mut Wave, op: &MicroOp, env: &mut Env, at: u64, room: u64) -> bool {
    let mut v = [0; N];
    for (i, v) in v.iter_mut().enumerate().take(room as usize / 4) {
        let at = at.wrapping_add(4 * i as u64);
        match env.region(at, 4).and_then(|(r, off)| r.backing.load32(off)) {
            Some(x) => *v = x,
            None => return wild(w, at, 4, false),
        }
    }
    write(w, op.dst, v);
    false
}

/// Dword `i` of the data.
#[inline(always)]
fn data(w: &Wave, op: &MicroOp, i: usize) -> u32 {
    w.s.0[(op.s[4] as usize + i) & 127]
}

/// A buffer store past the end is dropped, dword by dword.
unsafe fn store<const N: usize, const UNIT: u64>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let (at, room) = place::<UNIT>(w, op);
    for i in 0..(room / 4).min(N as u64) {
        let (at, v) = (at.wrapping_add(4 * i), data(w, op, i as usize));
        if env.writable(at, 4).and_then(|(r, off)| r.backing.store32(off, v)).is_none() {
            return wild(w, at, 4, true);
        }
    }
    false
}

/// All in range or nothing. The value before comes back if the instruction asks for it.
unsafe fn atomic<const N: usize>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, MemKind::Atomic { op: kind, .. }) = op.row.sem else { return false };
    let (at, room) = place::<BYTE>(w, op);
    let bytes = 4 * N as u64;
    if room < bytes {
        write(w, op.dst, [0; N]);
        return false;
    }
    let operand = |n: usize| match N {
        1 => u64::from(data(w, op, n)),
        _ => u64::from(data(w, op, 2 * n)) | u64::from(data(w, op, 2 * n + 1)) << 32,
    };
    let second = usize::from(matches!(kind, AtomicOp::CmpSwap | AtomicOp::FCmpSwap));
    let (value, second) = (operand(0), operand(second));
    if !at.is_multiple_of(bytes) {
        let lanes = w.exec64();
        return w.fail(FaultKind::Misaligned { address: at, align: bytes as u32 }, lanes);
    }
    let old = env.writable(at, bytes).and_then(|(r, off)| match N {
        1 => r.backing.atomic32(off, kind, value as u32, second as u32).map(u64::from),
        _ => r.backing.atomic64(off, kind, value, second),
    });
    match old {
        Some(old) => {
            write(w, op.dst, std::array::from_fn::<u32, N, _>(|i| (old >> (32 * i)) as u32));
            false
        }
        None => wild(w, at, bytes as u32, true),
    }
}

#[cold]
fn wild(w: &mut Wave, address: u64, bytes: u32, write: bool) -> bool {
    let lanes = w.exec64();
    w.fail(FaultKind::WildAddress { address, bytes, write, nearest: None }, lanes)
}

/// The wave's number in its work-group.
unsafe fn wave_id(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    let index = w.index;
    write(w, op.dst, [index]);
    false
}

/// A counter of this wave's progress: deterministic, and growing with every block.
unsafe fn memtime(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    let t = w.clock;
    write(w, op.dst, [t as u32, (t >> 32) as u32]);
    false
}

unsafe fn memrealtime(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let t = env.realtime();
    write(w, op.dst, [t as u32, (t >> 32) as u32]);
    false
}
