//! DS: the local data share. One host thread runs a work-group, so LDS atomics are plain moves. Out of range reads give
//! zero, out of range writes are dropped.

use super::transfer::{RETURNS, extend, merge_d16};
use super::{Access, Limit, Linear, Near};
use crate::memory::{AtomicOp, atomic_result32, atomic_result64};
use crate::wave::env::Env;
use crate::wave::op::{MicroOp, OpFn};
use crate::wave::regs::Row;
use crate::wave::state::Wave;
use crate::wave::table::{Level, by_host};
use wavepipe_isa::row::{self, MemKind, Sem};

pub(super) fn function(kind: MemKind, host: Level) -> Option<OpFn> {
    if let Some(f) = dwords(kind, host) {
        return Some(f);
    }
    Some(match kind {
        MemKind::Load { dwords: 1, .. } | MemKind::LoadD16 { .. } => load_small,
        MemKind::Store { dwords: 1, .. } | MemKind::StoreHi { .. } => store_small,
        MemKind::Atomic { dwords: 1, .. } => atomic32,
        MemKind::Atomic { dwords: 2, .. } => atomic64,
        _ => return None,
    })
}

/// Loads and stores of whole dwords, compiled for the host's instructions.
fn dwords(kind: MemKind, host: Level) -> Option<OpFn> {
    Some(match kind {
        MemKind::Load { bits: 32, dwords: 1, .. } => by_host!(host, load::<1>),
        MemKind::Load { bits: 32, dwords: 2, .. } => by_host!(host, load::<2>),
        MemKind::Load { bits: 32, dwords: 3, .. } => by_host!(host, load::<3>),
        MemKind::Load { bits: 32, dwords: 4, .. } => by_host!(host, load::<4>),
        MemKind::Store { bits: 32, dwords: 1 } => by_host!(host, store::<1>),
        MemKind::Store { bits: 32, dwords: 2 } => by_host!(host, store::<2>),
        MemKind::Store { bits: 32, dwords: 3 } => by_host!(host, store::<3>),
        MemKind::Store { bits: 32, dwords: 4 } => by_host!(host, store::<4>),
        MemKind::Load2 { dwords: 1, .. } => by_host!(host, load2::<1>),
        MemKind::Load2 { dwords: 2, .. } => by_host!(host, load2::<2>),
        MemKind::Store2 { dwords: 1, .. } => by_host!(host, store2::<1>),
        MemKind::Store2 { dwords: 2, .. } => by_host!(host, store2::<2>),
        _ => return None,
    })
}

macro_rules! variant {
    ($name:ident $(, $features:literal)?) => {
        mod $name {
            use super::{Env, MicroOp, Wave};
            $(#[target_feature(enable = $features)])?
            pub unsafe fn load<const N: usize>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
                super::load::<N>(w, op, env)
            }
            $(#[target_feature(enable = $features)])?
            pub unsafe fn store<const N: usize>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
                super::store::<N>(w, op, env)
            }
            $(#[target_feature(enable = $features)])?
            pub unsafe fn load2<const N: usize>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
                super::load2::<N>(w, op, env)
            }
            $(#[target_feature(enable = $features)])?
            pub unsafe fn store2<const N: usize>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
                super::store2::<N>(w, op, env)
            }
        }
    };
}
crate::wave::table::variants!(variant);

/// Byte addresses of a single access.
pub(super) fn access(w: &Wave, op: &MicroOp, half: usize) -> Access {
    let (v, offset) = (op.source(&w.v, 0, 0, half, w.halves), op.imm as u32 & 0xffff);
    let at = std::array::from_fn(|i| u64::from(v.0[i]) + u64::from(offset));
    Access { at, limit: Limit::All, live: w.exec(half), step: 4 }
}

/// 32-bit addresses with the offset added; a sum past 32 bits stays out of range.
#[inline(always)]
fn addresses(w: &Wave, op: &MicroOp, half: usize, offset: u32) -> [u32; 32] {
    let v = op.source(&w.v, 0, 0, half, w.halves);
    std::array::from_fn(|i| v.0[i].saturating_add(offset))
}

/// Byte offsets of the two accesses of a read2 or write2.
#[inline(always)]
fn offsets2(op: &MicroOp, dwords: usize, st64: bool) -> [u32; 2] {
    let unit = 4 * dwords as u32 * if st64 { 64 } else { 1 };
    [(op.imm as u32 & 0xff) * unit, (op.imm as u32 >> 8 & 0xff) * unit]
}

/// Reads `N` dwords of each live lane at its address plus `offset`.
#[inline(always)]
fn gather<const N: usize>(env: &Env, off: &Row, offset: u32, live: u32) -> [Row; N] {
    let Some(lds) = env.lds.backing() else { return [Row::ZERO; N] };
    if live == 0 {
        return [Row::ZERO; N];
    }
    let base = u64::from(offset);
    if N == 1
        && let Some(first) = (Near { base, off, room: u64::MAX }).row(live)
    {
        let mut out = Row::ZERO;
        if lds.load_row(base + first, &mut out.0).is_some() {
            return [out; N];
        }
    }
    let rows = if live == !0 {
        lds.gather::<N>(base, &off.0)
    } else {
        lds.gather::<N>(base, &Linear::new(0, off.0, live).off)
    };
    match rows {
        Some(rows) => rows.map(Row),
        None => slow_gather(env, off, offset, live),
    }
}

#[inline(never)]
fn slow_gather<const N: usize>(env: &Env, off: &Row, offset: u32, live: u32) -> [Row; N] {
    let mut out = [Row::ZERO; N];
    for lane in (0..32).filter(|l| live >> l & 1 != 0) {
        for (j, row) in out.iter_mut().enumerate() {
            row.0[lane] = env.lds.load32(u64::from(off.0[lane]) + u64::from(offset) + 4 * j as u64);
        }
    }
    out
}

#[inline(always)]
fn scatter<const N: usize>(env: &Env, off: &Row, offset: u32, live: u32, data: [&Row; N]) {
    let Some(lds) = env.lds.backing() else { return };
    if live == 0 {
        return;
    }
    let base = u64::from(offset);
    let words = data.map(|r| &r.0);
    let done = if live == !0 {
        if N == 1
            && let Some(first) = (Near { base, off, room: u64::MAX }).row(live)
            && lds.store_row(base + first, words[0]).is_some()
        {
            return;
        }
        lds.scatter::<N>(base, &off.0, words, live)
    } else {
        lds.scatter::<N>(base, &Linear::new(0, off.0, live).off, words, live)
    };
    if done.is_some() {
        return;
    }
    for lane in (0..32).filter(|l| live >> l & 1 != 0) {
        for (j, row) in data.iter().enumerate() {
            env.lds.store32(u64::from(off.0[lane]) + base + 4 * j as u64, row.0[lane]);
        }
    }
}

#[inline(always)]
fn load<const N: usize>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let halves = w.halves;
    for half in 0..halves {
        let live = w.exec(half);
        let out = gather::<N>(env, op.source(&w.v, 0, 0, half, halves), op.imm as u32 & 0xffff, live);
        for (j, row) in out.iter().enumerate() {
            w.v.put(op.dst as usize + j * halves + half, row, live);
        }
    }
    false
}

#[inline(always)]
fn store<const N: usize>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    for half in 0..w.halves {
        let data = std::array::from_fn(|j| op.source(&w.v, 1, j, half, w.halves));
        scatter::<N>(env, op.source(&w.v, 0, 0, half, w.halves), op.imm as u32 & 0xffff, w.exec(half), data);
    }
    false
}

#[inline(always)]
fn load2<const N: usize>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, MemKind::Load2 { st64, .. }) = op.row.sem else { return false };
    let halves = w.halves;
    for half in 0..halves {
        let live = w.exec(half);
        let out = offsets2(op, N, st64).map(|o| gather::<N>(env, op.source(&w.v, 0, 0, half, halves), o, live));
        for (j, row) in out.iter().flatten().enumerate() {
            w.v.put(op.dst as usize + j * halves + half, row, live);
        }
    }
    false
}

#[inline(always)]
fn store2<const N: usize>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, MemKind::Store2 { st64, .. }) = op.row.sem else { return false };
    for half in 0..w.halves {
        for (k, offset) in offsets2(op, N, st64).into_iter().enumerate() {
            let data = std::array::from_fn(|j| op.source(&w.v, 1 + k, j, half, w.halves));
            scatter::<N>(env, op.source(&w.v, 0, 0, half, w.halves), offset, w.exec(half), data);
        }
    }
    false
}

unsafe fn load_small(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, kind) = op.row.sem else { return false };
    let (bits, signed, d16) = match kind {
        MemKind::Load { bits, signed, .. } => (bits, signed, None),
        MemKind::LoadD16 { bits, signed, hi } => (bits, signed, Some(hi)),
        _ => return false,
    };
    for half in 0..w.halves {
        let live = w.exec(half);
        let at = addresses(w, op, half, op.imm as u32 & 0xffff);
        let mut out = Row::ZERO;
        for lane in (0..32).filter(|l| live >> l & 1 != 0) {
            let at = u64::from(at[lane]);
            let v = match bits {
                8 => env.lds.load8(at),
                _ => env.lds.load16(at),
            };
            out.0[lane] = extend(v, bits, signed);
        }
        let dst = op.dst as usize + half;
        merge_d16(&mut out, w.v.get(dst), d16);
        w.v.put(dst, &out, live);
    }
    false
}

unsafe fn store_small(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, kind) = op.row.sem else { return false };
    let (bits, shift) = match kind {
        MemKind::Store { bits, .. } => (bits, 0),
        MemKind::StoreHi { bits } => (bits, 16),
        _ => return false,
    };
    for half in 0..w.halves {
        let live = w.exec(half);
        let at = addresses(w, op, half, op.imm as u32 & 0xffff);
        let data = op.source(&w.v, 1, 0, half, w.halves);
        for lane in (0..32).filter(|l| live >> l & 1 != 0) {
            let v = data.0[lane] >> shift;
            match bits {
                8 => env.lds.store8(u64::from(at[lane]), v),
                _ => env.lds.store16(u64::from(at[lane]), v),
            }
        }
    }
    false
}

/// The memory pipeline's atomics, and the two that only LDS has.
fn meaning(op: row::AtomicOp) -> Result<AtomicOp, row::AtomicOp> {
    super::transfer::atomic_op(op).ok_or(op)
}

/// Comparand first, data second where an operation has both.
fn is_compare(op: row::AtomicOp) -> bool {
    matches!(op, row::AtomicOp::CmpSwap | row::AtomicOp::FCmpSwap)
}

unsafe fn atomic32(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, MemKind::Atomic { op: which, .. }) = op.row.sem else { return false };
    let kind = meaning(which);
    for half in 0..w.halves {
        let live = w.exec(half);
        let at = addresses(w, op, half, op.imm as u32 & 0xffff);
        let mut out = Row::ZERO;
        let first = op.source(&w.v, 1, 0, half, w.halves);
        let second = op.source(&w.v, if is_compare(which) { 2 } else { 1 }, 0, half, w.halves);
        for lane in (0..32).filter(|l| live >> l & 1 != 0) {
            let at = u64::from(at[lane]);
            let (data, compare) = (second.0[lane], first.0[lane]);
            let old = env.lds.load32(at);
            let new = match kind {
                Ok(kind) => atomic_result32(kind, old, data, compare),
                Err(row::AtomicOp::FAdd) => (f32::from_bits(old) + f32::from_bits(data)).to_bits(),
                Err(_) => data.wrapping_sub(old),
            };
            env.lds.store32(at, new);
            out.0[lane] = old;
        }
        if op.dst2 == RETURNS {
            w.v.put(op.dst as usize + half, &out, live);
        }
    }
    false
}

unsafe fn atomic64(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, MemKind::Atomic { op: which, .. }) = op.row.sem else { return false };
    let kind = meaning(which);
    let halves = w.halves;
    for half in 0..halves {
        let live = w.exec(half);
        let at = addresses(w, op, half, op.imm as u32 & 0xffff);
        let (mut lo, mut hi) = (Row::ZERO, Row::ZERO);
        let second = if is_compare(which) { 2 } else { 1 };
        let s = |k, word| op.source(&w.v, k, word, half, halves);
        let rows = [s(1, 0), s(1, 1), s(second, 0), s(second, 1)];
        for lane in (0..32).filter(|l| live >> l & 1 != 0) {
            let at = u64::from(at[lane]);
            let pair = |i: usize| u64::from(rows[i].0[lane]) | u64::from(rows[i + 1].0[lane]) << 32;
            let (data, compare) = (pair(2), pair(0));
            let old = env.lds.load64(at);
            let new = match kind {
                Ok(kind) => atomic_result64(kind, old, data, compare),
                Err(row::AtomicOp::FAdd) => (f64::from_bits(old) + f64::from_bits(data)).to_bits(),
                Err(_) => data.wrapping_sub(old),
            };
            env.lds.store64(at, new);
            (lo.0[lane], hi.0[lane]) = (old as u32, (old >> 32) as u32);
        }
        if op.dst2 == RETURNS {
            w.v.put(op.dst as usize + half, &lo, live);
            w.v.put(op.dst as usize + halves + half, &hi, live);
        }
    }
    false
}
