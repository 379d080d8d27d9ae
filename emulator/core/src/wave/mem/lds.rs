//! LDS's moves of whole dwords by vector code; what is not all in range, and every other operation, goes lane by lane
//! ([`super::share`]).

use super::failed::Failed;
use super::share::{self, Share, offsets2};
use super::transfer::RETURNS;
use super::{Access, Limit, Linear, Near};
use crate::memory::rows::{Any, Host};
use crate::memory::{AtomicOp, Backing, atomic_result32};
use crate::wave::env::Env;
use crate::wave::op::{MicroOp, OpFn};
use crate::wave::regs::Row;
use crate::wave::state::Wave;
use crate::wave::table::{Level, by_host};
use wavepipe_isa::row::{MemKind, Sem};

pub(super) fn function(kind: MemKind, host: Level) -> Option<OpFn> {
    if let Some(f) = dwords(kind, host) {
        return Some(f);
    }
    match kind {
        MemKind::Atomic { dwords: 1, .. } => Some(atomic32),
        _ => share::function::<share::Local>(kind),
    }
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
                super::load::<N, _>(w, op, env, crate::wave::table::host_of!($name))
            }
            $(#[target_feature(enable = $features)])?
            pub unsafe fn store<const N: usize>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
                super::store::<N, _>(w, op, env, crate::wave::table::host_of!($name))
            }
            $(#[target_feature(enable = $features)])?
            pub unsafe fn load2<const N: usize>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
                super::load2::<N, _>(w, op, env, crate::wave::table::host_of!($name))
            }
            $(#[target_feature(enable = $features)])?
            pub unsafe fn store2<const N: usize>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
                super::store2::<N, _>(w, op, env, crate::wave::table::host_of!($name))
            }
        }
    };
}
crate::wave::table::variants!(variant);

/// Byte addresses of a single access.
pub(super) fn access(w: &Wave, op: &MicroOp, half: usize) -> Access {
    let (v, offset) = (op.source(&w.v, 0, 0, half, w.halves), op.imm as u32 & 0xffff);
    let at = std::array::from_fn(|i| share::place(v.0[i], offset));
    Access { at, limit: Limit::All, live: w.exec(half), step: 4 }
}

/// Reads `N` dwords of each live lane at its address plus `offset`.
#[inline(always)]
fn gather<const N: usize>(
    host: impl Host,
    env: &Env,
    off: &Row,
    offset: u32,
    live: u32,
    half: usize,
    failed: &mut Failed,
) -> [Row; N] {
    let Some(lds) = env.lds.backing() else { return slow_gather(env, off, offset, live, half, failed) };
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
        lds.gather::<N>(host, base, &off.0)
    } else {
        lds.gather::<N>(host, base, &Linear::new(0, off.0, live).off)
    };
    match rows {
        Some(rows) => rows.map(Row),
        None => slow_gather(env, off, offset, live, half, failed),
    }
}

/// Addresses of the live lanes, the sums wrapped at 32 bits; `live` is not zero.
fn wrapped(off: &Row, offset: u32, live: u32) -> [u32; 32] {
    Linear::new(0, off.0.map(|o| o.wrapping_add(offset)), live).off
}

#[inline(never)]
fn slow_gather<const N: usize>(
    env: &Env,
    off: &Row,
    offset: u32,
    live: u32,
    half: usize,
    failed: &mut Failed,
) -> [Row; N] {
    if let Some(rows) = env.lds.backing().and_then(|lds| lds.gather::<N>(Any, 0, &wrapped(off, offset, live))) {
        return rows.map(Row);
    }
    let share = Share::lds(env);
    let mut out = [Row::ZERO; N];
    for lane in (0..32).filter(|l| live >> l & 1 != 0) {
        for (j, row) in out.iter_mut().enumerate() {
            let at = share::place(off.0[lane], offset) + 4 * j as u64;
            row.0[lane] = share.load(at, 4, 32 * half + lane, failed);
        }
    }
    out
}

/// Writes `N` dwords of each live lane at its address plus `offset`.
#[inline(always)]
fn scatter<const N: usize>(
    host: impl Host,
    env: &Env,
    off: &Row,
    offset: u32,
    (half, live): (usize, u32),
    data: [&Row; N],
    failed: &mut Failed,
) {
    let Some(lds) = env.lds.backing() else { return slow_scatter(env, off, offset, (half, live), data, failed) };
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
        lds.scatter::<N>(host, base, &off.0, words, live)
    } else {
        lds.scatter::<N>(host, base, &Linear::new(0, off.0, live).off, words, live)
    };
    if done.is_none() {
        slow_scatter(env, off, offset, (half, live), data, failed);
    }
}

#[inline(never)]
fn slow_scatter<const N: usize>(
    env: &Env,
    off: &Row,
    offset: u32,
    (half, live): (usize, u32),
    data: [&Row; N],
    failed: &mut Failed,
) {
    let words = data.map(|r| &r.0);
    if let Some(lds) = env.lds.backing()
        && lds.scatter::<N>(Any, 0, &wrapped(off, offset, live), words, live).is_some()
    {
        return;
    }
    let share = Share::lds(env);
    for lane in (0..32).filter(|l| live >> l & 1 != 0) {
        for (j, row) in data.iter().enumerate() {
            let at = share::place(off.0[lane], offset) + 4 * j as u64;
            share.store(at, 4, row.0[lane], 32 * half + lane, failed);
        }
    }
}

#[inline(always)]
fn load<const N: usize, H: Host>(w: &mut Wave, op: &MicroOp, env: &mut Env, host: H) -> bool {
    let halves = w.halves;
    let mut failed = Failed::default();
    for half in 0..halves {
        let live = w.exec(half);
        let off = op.source(&w.v, 0, 0, half, halves);
        let out = gather::<N>(host, env, off, op.imm as u32 & 0xffff, live, half, &mut failed);
        for (j, row) in out.iter().enumerate() {
            w.v.put(op.dst as usize + j * halves + half, row, live);
        }
    }
    failed.report(w, 4, false)
}

#[inline(always)]
fn store<const N: usize, H: Host>(w: &mut Wave, op: &MicroOp, env: &mut Env, host: H) -> bool {
    let mut failed = Failed::default();
    for half in 0..w.halves {
        let data = std::array::from_fn(|j| op.source(&w.v, 1, j, half, w.halves));
        let off = op.source(&w.v, 0, 0, half, w.halves);
        scatter::<N>(host, env, off, op.imm as u32 & 0xffff, (half, w.exec(half)), data, &mut failed);
    }
    failed.report(w, 4, true)
}

#[inline(always)]
fn load2<const N: usize, H: Host>(w: &mut Wave, op: &MicroOp, env: &mut Env, host: H) -> bool {
    let Sem::Mem(_, MemKind::Load2 { st64, .. }) = op.row.sem else { return false };
    let halves = w.halves;
    let mut failed = Failed::default();
    for half in 0..halves {
        let live = w.exec(half);
        let off = op.source(&w.v, 0, 0, half, halves);
        let out = offsets2(op, N, st64).map(|o| gather::<N>(host, env, off, o, live, half, &mut failed));
        for (j, row) in out.iter().flatten().enumerate() {
            w.v.put(op.dst as usize + j * halves + half, row, live);
        }
    }
    failed.report(w, 4, false)
}

#[inline(always)]
fn store2<const N: usize, H: Host>(w: &mut Wave, op: &MicroOp, env: &mut Env, host: H) -> bool {
    let Sem::Mem(_, MemKind::Store2 { st64, .. }) = op.row.sem else { return false };
    let offsets = offsets2(op, N, st64);
    // Two equal places are one, and the first data goes there.
    let places = if offsets[0] == offsets[1] { 1 } else { 2 };
    let mut failed = Failed::default();
    for (k, &offset) in offsets.iter().enumerate().take(places) {
        for half in 0..w.halves {
            let data = std::array::from_fn(|j| op.source(&w.v, 1 + k, j, half, w.halves));
            let off = op.source(&w.v, 0, 0, half, w.halves);
            scatter::<N>(host, env, off, offset, (half, w.exec(half)), data, &mut failed);
        }
    }
    failed.report(w, 4, true)
}

/// Atomics of dwords that are all in range and aligned; others go lane by lane.
unsafe fn atomic32(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, MemKind::Atomic { op: which, .. }) = op.row.sem else { return false };
    let offset = op.imm as u32 & 0xffff;
    let fits = |half: usize| {
        let (off, live) = (op.source(&w.v, 0, 0, half, w.halves), w.exec(half));
        let at = wrapped(off, offset, live | u32::from(live == 0));
        let (last, bits) = at.iter().fold((0u32, 0), |(m, b), &o| (m.max(o), b | o));
        live == 0 || bits & 3 == 0 && env.lds.backing().is_some_and(|lds| lds.contains(last.into(), 4))
    };
    let Some(lds) = env.lds.backing().filter(|_| (0..w.halves).all(fits)) else {
        // SAFETY: as the caller's.
        return unsafe { share::atomic::<share::Local, 1>(w, op, env) };
    };
    match which {
        AtomicOp::Add => update(w, op, lds, |old, data, _| old.wrapping_add(data)),
        _ => update(w, op, lds, |old, data, second| atomic_result32(which, old, data, second)),
    }
    false
}

#[inline(always)]
fn update(w: &mut Wave, op: &MicroOp, lds: &Backing, new: impl Fn(u32, u32, u32) -> u32) {
    let Sem::Mem(_, MemKind::Atomic { op: which, .. }) = op.row.sem else { return };
    let (data, second) = share::operands(which);
    let offset = op.imm as u32 & 0xffff;
    for half in 0..w.halves {
        let source = |k: usize| op.source(&w.v, k, 0, half, w.halves);
        let (address, data, second) = (source(0), source(data), source(second));
        let mut out = Row::ZERO;
        let mut live = w.exec(half);
        while live != 0 {
            let lane = live.trailing_zeros() as usize;
            live &= live - 1;
            let at = share::place(address.0[lane], offset);
            let old = lds.load32(at).unwrap_or(0);
            let _ = lds.store32(at, new(old, data.0[lane], second.0[lane]));
            out.0[lane] = old;
        }
        if op.dst2 == RETURNS {
            w.v.put(op.dst as usize + half, &out, w.exec(half));
        }
    }
}
