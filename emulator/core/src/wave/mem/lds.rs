//! LDS's moves of whole dwords by vector code; what is not all in range, and every other operation, goes lane by lane
//! ([`super::share`]).

use super::failed::Failed;
use super::share::{self, Share};
use super::transfer::RETURNS;
use super::{Access, Limit, Linear, Near, Spacing};
use crate::memory::rows::{Any, Host};
use crate::memory::{AtomicOp, Backing, atomic_result32};
use crate::wave::env::Env;
use crate::wave::op::{MicroOp, OpFn};
use crate::wave::regs::{LaneRow, set_bits};
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
wavepipe_lanes::variants!(variant);

/// Byte addresses of a single access.
#[inline(always)]
pub(super) fn access(w: &Wave, op: &MicroOp, half: usize) -> Access {
    let (v, offset) = (op.source(&w.v, 0, 0, half, w.halves), op.imm as u32 & 0xffff);
    let at = std::array::from_fn(|i| share::place(v.0[i], offset));
    Access { at, limit: Limit::All, live: w.exec(half), spacing: Spacing::NEXT }
}

/// `N` dwords of each live lane at its address plus `offset`, if all are in range.
#[inline(always)]
fn gather<const N: usize>(host: impl Host, env: &Env, off: &LaneRow, offset: u32, live: u32) -> Option<[[u32; 32]; N]> {
    let lds = env.lds.backing()?;
    match live {
        u32::MAX => lds.gather::<N>(host, offset.into(), &off.0),
        _ => lds.gather::<N>(host, offset.into(), &Linear::new(0, off.0, live).off),
    }
}

/// Addresses of the live lanes, the sums wrapped at 32 bits; `live` is not zero.
#[inline(always)]
fn wrapped(off: &LaneRow, offset: u32, live: u32) -> [u32; 32] {
    let mut at = off.0;
    at.iter_mut().for_each(|at| *at = at.wrapping_add(offset));
    Linear::new(0, at, live).off
}

/// What [`gather`] cannot: sums that wrap, and lane by lane what is not in range. A fault names the lanes of both halves.
#[cold]
#[inline(never)]
fn slow_load<const N: usize>(w: &mut Wave, op: &MicroOp, env: &Env, half: usize, offset: u32, dst: usize) -> bool {
    let share = Share::lds(env);
    let mut failed = Failed::default();
    for half in half..w.halves {
        let (off, live) = (op.source(&w.v, 0, 0, half, w.halves), w.exec(half));
        let mut out = [LaneRow::ZERO; N];
        let rows = match live {
            0 => Some([[0; 32]; N]),
            _ => env.lds.backing().and_then(|lds| lds.gather::<N>(Any, 0, &wrapped(off, offset, live))),
        };
        match rows {
            Some(rows) => out.iter_mut().zip(rows).for_each(|(out, row)| out.0 = row),
            None => {
                for lane in set_bits(live) {
                    for (j, row) in out.iter_mut().enumerate() {
                        let at = share::place(off.0[lane], offset) + 4 * j as u64;
                        row.0[lane] = share.load(at, 4, 32 * half + lane, &mut failed);
                    }
                }
            }
        }
        if failed.lanes == 0 {
            for (j, row) in out.iter().enumerate() {
                w.registers.v.put(dst + j * w.halves + half, row, live);
            }
            return false;
        }
    }
    failed.report(w, 4, false)
}

/// Writes `N` dwords of each live lane at its address plus `offset`, if all are in range.
#[inline(always)]
fn scatter<const N: usize>(
    host: impl Host,
    env: &Env,
    off: &LaneRow,
    offset: u32,
    live: u32,
    data: [&[u32; 32]; N],
) -> Option<()> {
    let lds = env.lds.backing()?;
    let base = u64::from(offset);
    if live != !0 {
        return lds.scatter::<N>(host, base, &Linear::new(0, off.0, live).off, data, live);
    }
    if N == 1
        && let Some(first) = (Near { base, off, room: u64::MAX }).row(live)
        && lds.store_row(base + first, data[0]).is_some()
    {
        return Some(());
    }
    lds.scatter::<N>(host, base, &off.0, data, live)
}

/// As [`slow_load`]; `k` is the source with the data.
#[cold]
#[inline(never)]
fn slow_store<const N: usize>(w: &mut Wave, op: &MicroOp, env: &Env, half: usize, offset: u32, k: usize) -> bool {
    let share = Share::lds(env);
    let mut failed = Failed::default();
    for half in half..w.halves {
        let (off, live) = (op.source(&w.v, 0, 0, half, w.halves), w.exec(half));
        let data: [&[u32; 32]; N] = std::array::from_fn(|j| &op.source(&w.v, k, j, half, w.halves).0);
        let lds = env.lds.backing().filter(|_| live != 0);
        if lds.and_then(|lds| lds.scatter::<N>(Any, 0, &wrapped(off, offset, live), data, live)).is_none() {
            for lane in set_bits(live) {
                for (j, row) in data.iter().enumerate() {
                    let at = share::place(off.0[lane], offset) + 4 * j as u64;
                    share.store(at, 4, row[lane], 32 * half + lane, &mut failed);
                }
            }
        }
        if failed.lanes == 0 {
            return false;
        }
    }
    failed.report(w, 4, true)
}

#[inline(always)]
fn load<const N: usize, H: Host>(w: &mut Wave, op: &MicroOp, env: &mut Env, host: H) -> bool {
    load_at::<N, H>(w, op, env, host, op.imm as u32 & 0xffff, op.dst as usize)
}

#[inline(always)]
fn load_at<const N: usize, H: Host>(
    w: &mut Wave,
    op: &MicroOp,
    env: &mut Env,
    host: H,
    offset: u32,
    dst: usize,
) -> bool {
    let halves = w.halves;
    for half in 0..halves {
        let live = w.exec(half);
        if live == 0 {
            continue;
        }
        let off = op.source(&w.v, 0, 0, half, halves);
        if N == 1
            && let Some(lds) = env.lds.backing()
            && let Some(first) = (Near { base: offset.into(), off, room: u64::MAX }).row(live)
        {
            let mut row = LaneRow::ZERO;
            if lds.load_row(u64::from(offset) + first, &mut row.0).is_some() {
                w.registers.v.put(dst + half, &row, live);
                continue;
            }
        }
        match gather::<N>(host, env, off, offset, live) {
            Some(out) => {
                for (j, row) in out.into_iter().enumerate() {
                    w.registers.v.put(dst + j * halves + half, &LaneRow(row), live);
                }
            }
            None if slow_load::<N>(w, op, env, half, offset, dst) => return true,
            None => {}
        }
    }
    false
}

#[inline(always)]
fn store<const N: usize, H: Host>(w: &mut Wave, op: &MicroOp, env: &mut Env, host: H) -> bool {
    store_at::<N, H>(w, op, env, host, op.imm as u32 & 0xffff, 1)
}

#[inline(always)]
fn store_at<const N: usize, H: Host>(
    w: &mut Wave,
    op: &MicroOp,
    env: &mut Env,
    host: H,
    offset: u32,
    k: usize,
) -> bool {
    for half in 0..w.halves {
        let live = w.exec(half);
        if live == 0 {
            continue;
        }
        let data = std::array::from_fn(|j| &op.source(&w.v, k, j, half, w.halves).0);
        let done = scatter::<N>(host, env, op.source(&w.v, 0, 0, half, w.halves), offset, live, data);
        if done.is_none() && slow_store::<N>(w, op, env, half, offset, k) {
            return true;
        }
    }
    false
}

/// Both places of a half before its registers change: the first result may be the address.
#[inline(always)]
fn load2<const N: usize, H: Host>(w: &mut Wave, op: &MicroOp, env: &mut Env, host: H) -> bool {
    let Sem::Mem(_, kind) = op.row.sem else { return false };
    let halves = w.halves;
    let Some([first, second]) = kind.pair_offsets(op.imm as u32) else { return false };
    for half in 0..halves {
        let live = w.exec(half);
        if live == 0 {
            continue;
        }
        let off = op.source(&w.v, 0, 0, half, halves);
        let both = (gather::<N>(host, env, off, first, live), gather::<N>(host, env, off, second, live));
        let (Some(first), Some(second)) = both else {
            // Halves have registers of their own, so the ones before this are done.
            return share::load_from::<share::Local>(w, op, env, half);
        };
        for (j, row) in first.into_iter().chain(second).enumerate() {
            w.registers.v.put(op.dst as usize + j * halves + half, &LaneRow(row), live);
        }
    }
    false
}

#[inline(always)]
fn store2<const N: usize, H: Host>(w: &mut Wave, op: &MicroOp, env: &mut Env, host: H) -> bool {
    let Sem::Mem(_, kind) = op.row.sem else { return false };
    let Some([first, second]) = kind.pair_offsets(op.imm as u32) else { return false };
    // Two equal places are one, and the first data goes there.
    store_at::<N, H>(w, op, env, host, first, 1) || first != second && store_at::<N, H>(w, op, env, host, second, 2)
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
        let mut out = LaneRow::ZERO;
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
            w.registers.v.put(op.dst as usize + half, &out, w.exec(half));
        }
    }
}
