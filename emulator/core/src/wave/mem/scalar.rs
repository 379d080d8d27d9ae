//! S_LOAD, S_BUFFER_LOAD and the clocks.

use super::buffer::descriptor;
use crate::wave::env::Env;
use crate::wave::op::{MicroOp, OpFn};
use crate::wave::state::{LITERAL, SINK, Wave};
use wavepipe_hw::fault::FaultKind;
use wavepipe_isa::row::{MemKind, Ty};

pub(super) fn function(kind: MemKind) -> Option<OpFn> {
    Some(match kind {
        MemKind::Load { bits: 32, dwords: 1, .. } => load::<1>,
        MemKind::Load { bits: 32, dwords: 2, .. } => load::<2>,
        MemKind::Load { bits: 32, dwords: 4, .. } => load::<4>,
        MemKind::Load { bits: 32, dwords: 8, .. } => load::<8>,
        MemKind::Load { bits: 32, dwords: 16, .. } => load::<16>,
        MemKind::Clock { realtime: false } => memtime,
        MemKind::Clock { realtime: true } => memrealtime,
        MemKind::WaveId => wave_id,
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

/// Base and offset are dword-aligned by ignoring their low bits. A buffer load past NUM_RECORDS gives zero, dword by dword.
unsafe fn load<const N: usize>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    w.s.0[LITERAL] = op.literal;
    let offset = u64::from(w.scalar(op.s[2])).wrapping_add_signed(i64::from(op.imm));
    if op.row.src.first() == Some(&Ty::Rsrc) {
        let d = descriptor(w, op.s[0]);
        let size =
            if d.stride == 0 { u64::from(d.num_records) } else { u64::from(d.stride) * u64::from(d.num_records) };
        let offset = offset & !3;
        let at = (d.base & !3).wrapping_add(offset);
        let fits = offset.checked_add(4 * N as u64).is_some_and(|end| end <= size);
        if fits {
            return whole::<N>(w, op, env, at);
        }
        let mut v = [0; N];
        for (j, v) in v.iter_mut().enumerate() {
            let o = 4 * j as u64;
            if offset.checked_add(o + 4).is_none_or(|end| end > size) {
                continue;
            }
            match env.region(at + o, 4).and_then(|(r, off)| r.backing.load32(off)) {
                Some(x) => *v = x,
                None => return wild(w, at + o, 4),
            }
        }
        write(w, op.dst, v);
        return false;
    }
    let base = w.scalar64(op.s[0]) & !3;
    whole::<N>(w, op, env, base.wrapping_add(offset & !3))
}

#[inline(always)]
fn whole<const N: usize>(w: &mut Wave, op: &MicroOp, env: &mut Env, at: u64) -> bool {
    match env.region(at, 4 * N as u64).and_then(|(r, off)| r.backing.load_dwords::<N>(off)) {
        Some(v) => {
            write(w, op.dst, v);
            false
        }
        None => wild(w, at, 4 * N as u32),
    }
}

#[cold]
fn wild(w: &mut Wave, address: u64, bytes: u32) -> bool {
    let lanes = w.exec64();
    w.fail(FaultKind::WildAddress { address, bytes, write: false, nearest: None }, lanes)
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
