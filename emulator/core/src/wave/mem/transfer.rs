//! Moving data between lanes and guest memory.
//!
//! ```text
//! addresses of 32 lanes -> all in range, all live, consecutive? one row copy
//!                       -> otherwise lane by lane, with the region of the lane before tried first
//! a lane outside of every allocation -> fault, naming the first such lane and the mask of all
//! ```

use super::failed::{Cause, Failed};
use super::share::Share;
use super::{Access, Addressing, Limit, Spacing};
use crate::memory::rows::Host;
use crate::memory::{AtomicOp, Region};
use crate::wave::env::Env;
use crate::wave::op::{MicroOp, OpFn};
use crate::wave::regs::{LaneRow, set_bits};
use crate::wave::state::Wave;
use crate::wave::table::{Level, by_host};
use wavepipe_isa::row::{MemKind, Sem};

pub(super) fn function<A: Addressing>(kind: MemKind, host: Level) -> Option<OpFn> {
    if let Some(f) = dwords::<A>(kind, host) {
        return Some(f);
    }
    Some(match kind {
        MemKind::Load { dwords: 1, .. } | MemKind::LoadD16 { .. } => load_small::<A>,
        MemKind::Store { dwords: 1, .. } | MemKind::StoreHi { .. } => store_small::<A>,
        MemKind::Atomic { dwords: 1, .. } => atomic::<A, 1>,
        MemKind::Atomic { dwords: 2, .. } => atomic::<A, 2>,
        _ => return None,
    })
}

/// Loads and stores of whole dwords, compiled for the host's instructions.
fn dwords<A: Addressing>(kind: MemKind, host: Level) -> Option<OpFn> {
    Some(match kind {
        MemKind::Load { bits: 32, dwords: 1, .. } => by_host!(host, load::<A, true>),
        MemKind::Load { bits: 32, .. } => by_host!(host, load::<A, false>),
        MemKind::Store { bits: 32, dwords: 1 } => by_host!(host, store::<A, true>),
        MemKind::Store { bits: 32, .. } => by_host!(host, store::<A, false>),
        _ => return None,
    })
}

/// Dwords of each lane.
#[inline(always)]
fn count(op: &MicroOp) -> usize {
    match op.row.sem {
        Sem::Mem(_, MemKind::Load { dwords, .. } | MemKind::Store { dwords, .. }) => usize::from(dwords & 7),
        _ => 0,
    }
}

/// Dwords to and from 32 places of a region, offsets from `base`; false if that is not in range. Each variant has them once.
type Gather = unsafe fn(&Region, u64, &[u32; 32], &mut [LaneRow]) -> bool;
type Scatter = unsafe fn(&Region, u64, &[u32; 32], &[&[u32; 32]], u32) -> bool;

#[inline(always)]
fn gather(host: impl Host, r: &Region, base: u64, off: &[u32; 32], out: &mut [LaneRow]) -> bool {
    #[inline(always)]
    fn rows<const N: usize>(host: impl Host, r: &Region, base: u64, off: &[u32; 32], out: &mut [LaneRow]) -> bool {
        let Some(rows) = r.backing.gather::<N>(host, base, off) else { return false };
        for (out, row) in out.iter_mut().zip(rows) {
            out.0 = row;
        }
        true
    }
    match out.len() {
        1 => rows::<1>(host, r, base, off, out),
        2 => rows::<2>(host, r, base, off, out),
        3 => rows::<3>(host, r, base, off, out),
        _ => rows::<4>(host, r, base, off, out),
    }
}

#[inline(always)]
fn scatter(host: impl Host, r: &Region, base: u64, off: &[u32; 32], data: &[&[u32; 32]], live: u32) -> bool {
    let done = match *data {
        [a] => r.backing.scatter::<1>(host, base, off, [a], live),
        [a, b] => r.backing.scatter::<2>(host, base, off, [a, b], live),
        [a, b, c] => r.backing.scatter::<3>(host, base, off, [a, b, c], live),
        [a, b, c, d] => r.backing.scatter::<4>(host, base, off, [a, b, c, d], live),
        _ => None,
    };
    done.is_some()
}

macro_rules! variant {
    ($name:ident $(, $features:literal)?) => {
        mod $name {
            use super::{Addressing, Env, LaneRow, MicroOp, Region, Wave};
            use crate::wave::table::host_of;
            $(#[target_feature(enable = $features)])?
            pub unsafe fn load<A: Addressing, const ONE: bool>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
                super::load::<A, ONE>(w, op, env, gather)
            }
            $(#[target_feature(enable = $features)])?
            pub unsafe fn store<A: Addressing, const ONE: bool>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
                super::store::<A, ONE>(w, op, env, scatter)
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn gather(r: &Region, base: u64, off: &[u32; 32], out: &mut [LaneRow]) -> bool {
                super::gather(host_of!($name), r, base, off, out)
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn scatter(r: &Region, base: u64, off: &[u32; 32], data: &[&[u32; 32]], live: u32) -> bool {
                super::scatter(host_of!($name), r, base, off, data, live)
            }
        }
    };
}
wavepipe_lanes::variants!(variant);

/// Bytes that one lane touches.
pub(crate) fn bytes(kind: MemKind) -> u32 {
    match kind {
        MemKind::Load { bits, dwords, .. } | MemKind::Store { bits, dwords } => u32::from(bits) / 8 * u32::from(dwords),
        MemKind::LoadD16 { bits, .. } | MemKind::StoreHi { bits } => u32::from(bits) / 8,
        // Of typed accesses, as many as the narrowest format has.
        MemKind::LoadFormat { .. } | MemKind::StoreFormat { .. } => 1,
        MemKind::Atomic { dwords, .. } => 4 * u32::from(dwords),
        MemKind::Load2 { dwords, .. } | MemKind::Store2 { dwords, .. } | MemKind::Exchange2 { dwords, .. } => {
            4 * u32::from(dwords)
        }
        MemKind::Src2 { dwords, .. } => 4 * u32::from(dwords),
        _ => 0,
    }
}

/// The region of the last lane; the next lane is most often in it too.
struct Cursor<'e>(Option<&'e Region>);

impl<'e> Cursor<'e> {
    #[inline(always)]
    fn find(&mut self, env: &mut Env<'e>, at: u64, bytes: u64) -> Option<(&'e Region, u64)> {
        if let Some(r) = self.0
            && let Some(off) = r.offset(at, bytes)
        {
            return Some((r, off));
        }
        let (r, off) = env.region(at, bytes)?;
        self.0 = Some(r);
        Some((r, off))
    }
}

/// Where lane 0's dword is, if the live lanes touch consecutive dwords of a region that holds all 32.
#[inline(always)]
fn row_of_dwords<'e, A: Addressing>(
    w: &Wave,
    op: &MicroOp,
    env: &mut Env<'e>,
    half: usize,
    live: u32,
) -> Option<(&'e Region, u64)> {
    let near = A::near(w, op, half)?;
    let first = near.row(live)?;
    env.region(near.base.wrapping_add(first), 128)
}

/// `ONE`: of one dword a lane.
#[inline(always)]
fn load<A: Addressing, const ONE: bool>(w: &mut Wave, op: &MicroOp, env: &mut Env, gather: Gather) -> bool {
    let halves = w.halves;
    let n = if ONE { 1 } else { count(op) };
    for half in 0..halves {
        let live = w.exec(half);
        if live == 0 {
            continue;
        }
        let dst = op.dst as usize + half;
        if ONE && let Some((r, at)) = row_of_dwords::<A>(w, op, env, half, live) {
            let mut row = LaneRow::ZERO;
            if r.backing.load_row(at, &mut row.0).is_some() {
                w.registers.v.put(dst, &row, live);
                continue;
            }
        }
        if let Some(l) = A::linear(w, op, half, 4 * n as u32)
            && let Some((r, at)) = env.region(l.first(), 4 * n as u64)
        {
            let mut out = [LaneRow::ZERO; 4];
            if ONE && live == !0 && l.consecutive() {
                if r.backing.load_row(at, &mut w.registers.v.get_mut(dst).0).is_some() {
                    continue;
                }
            } else if let Some(base) = at.checked_sub(u64::from(l.off[0]))
                // SAFETY: a function of this variant, which this host runs.
                && unsafe { gather(r, base, &l.off, &mut out[..n]) }
            {
                for (j, row) in out[..n].iter().enumerate() {
                    w.registers.v.put(dst + j * halves, row, live);
                }
                continue;
            }
        }
        if slow_load(w, op, env, half, Addresses::of::<A>()) {
            return true;
        }
    }
    false
}

/// An address calculation as values: what is slow is compiled once for all of them.
#[derive(Clone, Copy)]
struct Addresses {
    access: fn(&Wave, &MicroOp, usize, u32) -> Access,
    lds_lanes: fn(&Wave, &Access) -> u32,
}

impl Addresses {
    const fn of<A: Addressing>() -> Addresses {
        Addresses { access: A::access, lds_lanes: A::lds_lanes }
    }
}

/// What the fast path cannot load: one half, or a fault that names the lanes of both.
#[inline(never)]
fn slow_load(w: &mut Wave, op: &MicroOp, env: &mut Env, half: usize, by: Addresses) -> bool {
    let mut failed = Failed::default();
    for half in half..w.halves {
        load_half(w, op, env, half, by, &mut failed);
        if failed.lanes == 0 {
            return false;
        }
    }
    failed.report(w, 4 * count(op) as u32, false)
}

/// Up to four bytes; over the end of a dword of interleaved memory, one by one.
pub(super) fn load_bytes(env: &mut Env, at: u64, size: u32, spacing: Spacing) -> Option<u32> {
    if spacing.holds(at, size) {
        let (r, off) = env.region(at, u64::from(size))?;
        return match size {
            1 => r.backing.load8(off).map(u32::from),
            2 => r.backing.load16(off).map(u32::from),
            _ => r.backing.load32(off),
        };
    }
    (0..size).try_fold(0, |v, n| {
        let (r, off) = env.region(spacing.byte(at, n), 1)?;
        Some(v | u32::from(r.backing.load8(off)?) << (8 * n))
    })
}

pub(super) fn store_bytes(env: &mut Env, at: u64, size: u32, spacing: Spacing, v: u32) -> Option<()> {
    if spacing.holds(at, size) {
        let (r, off) = env.writable(at, u64::from(size))?;
        return match size {
            1 => r.backing.store8(off, v as u8),
            2 => r.backing.store16(off, v as u16),
            _ => r.backing.store32(off, v),
        };
    }
    (0..size).try_for_each(|n| {
        let (r, off) = env.writable(spacing.byte(at, n), 1)?;
        r.backing.store8(off, (v >> (8 * n)) as u8)
    })
}

/// Up to four bytes of a lane, from memory or from LDS.
#[inline(always)]
fn load_lane(
    env: &mut Env,
    (share, shared): (Share, bool),
    at: u64,
    size: u32,
    spacing: Spacing,
    lane: usize,
    failed: &mut Failed,
) -> u32 {
    if shared {
        return share.load(at & 0xffff_ffff, size, lane, failed);
    }
    load_bytes(env, at, size, spacing).unwrap_or_else(|| {
        failed.wild(lane, at);
        0
    })
}

#[inline(always)]
fn store_lane(
    env: &mut Env,
    (share, shared): (Share, bool),
    at: u64,
    (size, spacing): (u32, Spacing),
    v: u32,
    lane: usize,
    failed: &mut Failed,
) {
    if shared {
        share.store(at & 0xffff_ffff, size, v, lane, failed);
    } else if store_bytes(env, at, size, spacing, v).is_none() {
        failed.wild(lane, at);
    }
}

/// Lane by lane: any limits, any mixture of regions, and faults.
fn load_half(w: &mut Wave, op: &MicroOp, env: &mut Env, half: usize, by: Addresses, failed: &mut Failed) {
    let (halves, n) = (w.halves, count(op));
    let a = (by.access)(w, op, half, 4 * n as u32);
    let (share, shared) = (Share::lds(env), (by.lds_lanes)(w, &a));
    let mut out = [LaneRow::ZERO; 4];
    if matches!(a.limit, Limit::All) && a.spacing.step == 4 && shared == 0 {
        let mut cursor = Cursor(None);
        for lane in set_bits(a.live) {
            match cursor.find(env, a.at[lane], 4 * n as u64) {
                Some((r, off)) => {
                    for (j, row) in out[..n].iter_mut().enumerate() {
                        row.0[lane] = r.backing.load32(off + 4 * j as u64).unwrap_or(0);
                    }
                }
                None => failed.wild(32 * half + lane, a.at[lane]),
            }
        }
    } else {
        for lane in set_bits(a.live) {
            let from = (share, shared >> lane & 1 != 0);
            for j in (0..n).filter(|&j| a.allows(lane, 4 * j as u32, 4)) {
                let at = a.at[lane].wrapping_add(a.spacing.step * j as u64);
                out[j].0[lane] = load_lane(env, from, at, 4, a.spacing, 32 * half + lane, failed);
            }
        }
    }
    if failed.lanes == 0 {
        for (j, row) in out[..n].iter().enumerate() {
            w.registers.v.put(op.dst as usize + half + j * halves, row, a.live);
        }
    }
}

#[inline(always)]
fn store<A: Addressing, const ONE: bool>(w: &mut Wave, op: &MicroOp, env: &mut Env, scatter: Scatter) -> bool {
    let halves = w.halves;
    let n = if ONE { 1 } else { count(op) };
    for half in 0..halves {
        let live = w.exec(half);
        if live == 0 {
            continue;
        }
        if ONE
            && live == !0
            && let Some((r, at)) = row_of_dwords::<A>(w, op, env, half, live)
            && r.is_writable()
            && r.backing.store_row(at, &op.source(&w.v, 1, 0, half, halves).0).is_some()
        {
            continue;
        }
        if let Some(l) = A::linear(w, op, half, 4 * n as u32)
            && let Some((r, at)) = env.writable(l.first(), 4 * n as u64)
        {
            let first = &op.source(&w.v, 1, 0, half, halves).0;
            let mut data = [first; 4];
            for (j, row) in data.iter_mut().enumerate().take(n).skip(1) {
                *row = &op.source(&w.v, 1, j, half, halves).0;
            }
            if ONE && live == !0 && l.consecutive() {
                if r.backing.store_row(at, first).is_some() {
                    continue;
                }
            } else if let Some(base) = at.checked_sub(u64::from(l.off[0]))
                // SAFETY: a function of this variant, which this host runs.
                && unsafe { scatter(r, base, &l.off, &data[..n], live) }
            {
                continue;
            }
        }
        if slow_store(w, op, env, half, Addresses::of::<A>()) {
            return true;
        }
    }
    false
}

/// What the fast path cannot store: one half, or a fault that names the lanes of both.
#[inline(never)]
fn slow_store(w: &mut Wave, op: &MicroOp, env: &mut Env, half: usize, by: Addresses) -> bool {
    let mut failed = Failed::default();
    for half in half..w.halves {
        store_half(w, op, env, half, by, &mut failed);
        if failed.lanes == 0 {
            return false;
        }
    }
    failed.report(w, 4 * count(op) as u32, true)
}

fn store_half(w: &mut Wave, op: &MicroOp, env: &mut Env, half: usize, by: Addresses, failed: &mut Failed) {
    let n = count(op);
    let a = (by.access)(w, op, half, 4 * n as u32);
    let data = |j: usize, lane: usize| op.source(&w.v, 1, j, half, w.halves).0[lane];
    let (share, shared) = (Share::lds(env), (by.lds_lanes)(w, &a));
    if matches!(a.limit, Limit::All) && a.spacing.step == 4 && shared == 0 {
        let mut cursor = Cursor(None);
        for lane in set_bits(a.live) {
            match cursor.find(env, a.at[lane], 4 * n as u64).filter(|(r, _)| r.is_writable()) {
                Some((r, off)) => {
                    for j in 0..n {
                        let _ = r.backing.store32(off + 4 * j as u64, data(j, lane));
                    }
                }
                None => failed.wild(32 * half + lane, a.at[lane]),
            }
        }
        return;
    }
    for lane in set_bits(a.live) {
        let to = (share, shared >> lane & 1 != 0);
        for j in (0..n).filter(|&j| a.allows(lane, 4 * j as u32, 4)) {
            let at = a.at[lane].wrapping_add(a.spacing.step * j as u64);
            store_lane(env, to, at, (4, a.spacing), data(j, lane), 32 * half + lane, failed);
        }
    }
}

/// The low `bits` of `v`, extended to 32.
#[inline(always)]
pub(super) fn extend(v: u32, bits: u8, signed: bool) -> u32 {
    let up = v << (32 - u32::from(bits));
    if signed { (up as i32 >> (32 - u32::from(bits))) as u32 } else { up >> (32 - u32::from(bits)) }
}

unsafe fn load_small<A: Addressing>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    load_parts(w, op, env, Addresses::of::<A>())
}

fn load_parts(w: &mut Wave, op: &MicroOp, env: &mut Env, by: Addresses) -> bool {
    let Sem::Mem(_, kind) = op.row.sem else { return false };
    // (bits, signed, D16 half: none, low or high)
    let (bits, signed, d16) = match kind {
        MemKind::Load { bits, signed, .. } => (bits, signed, None),
        MemKind::LoadD16 { bits, signed, hi } => (bits, signed, Some(hi)),
        _ => return false,
    };
    let size = u32::from(bits / 8);
    let share = Share::lds(env);
    let mut failed = Failed::default();
    for half in 0..w.halves {
        let a = (by.access)(w, op, half, size);
        let shared = (by.lds_lanes)(w, &a);
        let mut out = LaneRow::ZERO;
        for lane in set_bits(a.live).filter(|&l| a.allows(l, 0, size)) {
            let from = (share, shared >> lane & 1 != 0);
            let v = load_lane(env, from, a.at[lane], size, a.spacing, 32 * half + lane, &mut failed);
            out.0[lane] = extend(v, bits, signed);
        }
        if failed.lanes == 0 {
            let dst = op.dst as usize + half;
            merge_d16(&mut out, w.v.get(dst), d16);
            w.registers.v.put(dst, &out, a.live);
        }
    }
    failed.report(w, size, false)
}

/// Places 16-bit results in one half of the old register.
#[inline(always)]
pub(super) fn merge_d16(out: &mut LaneRow, old: &LaneRow, d16: Option<bool>) {
    let Some(hi) = d16 else { return };
    for lane in 0..32 {
        let v = out.0[lane] & 0xffff;
        out.0[lane] = if hi { old.0[lane] & 0xffff | v << 16 } else { old.0[lane] & 0xffff_0000 | v };
    }
}

unsafe fn store_small<A: Addressing>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    store_parts(w, op, env, Addresses::of::<A>())
}

fn store_parts(w: &mut Wave, op: &MicroOp, env: &mut Env, by: Addresses) -> bool {
    let Sem::Mem(_, kind) = op.row.sem else { return false };
    let (bits, shift) = match kind {
        MemKind::Store { bits, .. } => (bits, 0),
        MemKind::StoreHi { bits } => (bits, 16),
        _ => return false,
    };
    let size = u32::from(bits / 8);
    let share = Share::lds(env);
    let mut failed = Failed::default();
    for half in 0..w.halves {
        let a = (by.access)(w, op, half, size);
        let shared = (by.lds_lanes)(w, &a);
        let data = op.source(&w.v, 1, 0, half, w.halves);
        for lane in set_bits(a.live).filter(|&l| a.allows(l, 0, size)) {
            let to = (share, shared >> lane & 1 != 0);
            let v = data.0[lane] >> shift;
            store_lane(env, to, a.at[lane], (size, a.spacing), v, 32 * half + lane, &mut failed);
        }
    }
    failed.report(w, size, true)
}

/// All live lanes in one region, in range and aligned: the values before. Additions to one address become one.
fn near_atomic32<A: Addressing>(w: &Wave, op: &MicroOp, env: &mut Env, half: usize, kind: AtomicOp) -> Option<LaneRow> {
    let live = w.exec(half);
    let mut out = LaneRow::ZERO;
    if live == 0 {
        return Some(out);
    }
    let l = A::linear(w, op, half, 4)?;
    let (last, bits) = l.off.iter().fold((0u32, 0), |(m, b), &o| (m.max(o), b | o));
    let (r, base) = env.writable(l.base, u64::from(last) + 4)?;
    if (base | u64::from(bits)) & 3 != 0 {
        return None;
    }
    let (data, compare) = (op.source(&w.v, 1, 0, half, w.halves), op.source(&w.v, 1, op.compare(), half, w.halves));
    if kind == AtomicOp::Add && l.off == [l.off[0]; 32] {
        let mut sum = 0u32;
        for lane in set_bits(live) {
            out.0[lane] = sum;
            sum = sum.wrapping_add(data.0[lane]);
        }
        let old = r.backing.atomic32(base + u64::from(last), kind, sum, 0)?;
        out.0.iter_mut().for_each(|v| *v = v.wrapping_add(old));
        return Some(out);
    }
    if live == !0
        && l.consecutive()
        && let Some(old) = r.backing.atomic_row(base + u64::from(l.off[0]), kind, &data.0, &compare.0)
    {
        return Some(LaneRow(old));
    }
    for lane in set_bits(live) {
        let at = base + u64::from(l.off[lane]);
        out.0[lane] = r.backing.atomic32(at, kind, data.0[lane], compare.0[lane]).unwrap_or_default();
    }
    Some(out)
}

/// Atomics of `N` dwords.
unsafe fn atomic<A: Addressing, const N: u8>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    atomics::<N>(w, op, env, Addresses::of::<A>(), near_atomic32::<A>)
}

/// The values before, if all live lanes can be done at once.
type NearAtomic = fn(&Wave, &MicroOp, &mut Env, usize, AtomicOp) -> Option<LaneRow>;

fn atomics<const N: u8>(w: &mut Wave, op: &MicroOp, env: &mut Env, by: Addresses, near: NearAtomic) -> bool {
    let Sem::Mem(_, MemKind::Atomic { op: kind, .. }) = op.row.sem else { return false };
    let (halves, bytes) = (w.halves, 4 * u32::from(N));
    let share = Share::lds(env);
    let mut failed = Failed::default();
    for half in 0..halves {
        if N == 1
            && let Some(out) = near(w, op, env, half, kind)
        {
            if op.dst2 == RETURNS {
                w.registers.v.put(op.dst as usize + half, &out, w.exec(half));
            }
            continue;
        }
        let a = (by.access)(w, op, half, bytes);
        let shared = (by.lds_lanes)(w, &a);
        let mut out = [LaneRow::ZERO; 2];
        let dword = |at: usize, lane: usize| u64::from(op.source(&w.v, 1, at, half, halves).0[lane]);
        let operand = |n: usize, lane: usize| match N {
            1 => dword(n, lane),
            _ => dword(2 * n, lane) | dword(2 * n + 1, lane) << 32,
        };
        for lane in set_bits(a.live).filter(|&l| a.allows(l, 0, bytes)) {
            let (at, bit) = (a.at[lane], 32 * half + lane);
            let data = [operand(0, lane), operand(op.compare(), lane)];
            let old = if shared >> lane & 1 != 0 {
                share.atomic(N, at & 0xffff_ffff, kind, data, bit, &mut failed)
            } else if !at.is_multiple_of(bytes.into()) {
                failed.add(Cause::Misaligned, bit, at, 0);
                0
            } else {
                let done = env.writable(at, bytes.into()).and_then(|(r, off)| match N {
                    1 => r.backing.atomic32(off, kind, data[0] as u32, data[1] as u32).map(u64::from),
                    _ => r.backing.atomic64(off, kind, data[0], data[1]),
                });
                done.unwrap_or_else(|| {
                    failed.wild(bit, at);
                    0
                })
            };
            (out[0].0[lane], out[1].0[lane]) = (old as u32, (old >> 32) as u32);
        }
        if op.dst2 == RETURNS {
            for (j, row) in out.iter().enumerate().take(N.into()) {
                w.registers.v.put(op.dst as usize + j * halves + half, row, a.live);
            }
        }
    }
    failed.report(w, bytes, true)
}

/// `MicroOp::dst2` of an atomic that gives the value before back.
pub(crate) const RETURNS: u32 = 1;

impl MicroOp {
    /// 1 if the data of this atomic is followed by a comparand.
    fn compare(&self) -> usize {
        match self.row.sem {
            Sem::Mem(_, MemKind::Atomic { op: AtomicOp::CmpSwap | AtomicOp::FCmpSwap, .. }) => 1,
            _ => 0,
        }
    }
}
