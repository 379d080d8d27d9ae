//! LDS and GDS, lane by lane: what both do the same way. Only vector code for LDS's common moves is elsewhere ([`super::lds`]).
//!
//! LDS belongs to the host thread that runs its work-group, so its atomics are plain moves; those of GDS are the host's.
//!
//! ```text
//! LDS: at = address + offset                    in range: the work-group's allocation
//! GDS: at = M0[31:16] + address + offset        in range: address + bytes ≤ M0[15:0]
//! ```

use super::failed::{Cause, Failed};
use super::transfer::{RETURNS, extend, merge_d16};
use crate::config::OutOfLds;
use crate::memory::{AtomicOp, Backing, atomic_result32, atomic_result64};
use crate::wave::env::Env;
use crate::wave::op::{MicroOp, OpFn};
use crate::wave::regs::{LaneRow, set_bits};
use crate::wave::state::{M0, Status, Wave};
use wavepipe_isa::row::{MemKind, Sem, Ty};

/// Which of the two.
pub(crate) trait Space {
    fn open<'e>(w: &Wave, env: &Env<'e>) -> Share<'e>;
}

pub(crate) struct Local;
impl Space for Local {
    #[inline(always)]
    fn open<'e>(_: &Wave, env: &Env<'e>) -> Share<'e> {
        Share::lds(env)
    }
}

/// LDS up to M0. What is behind it reads zero and is not written, which is no fault.
pub(crate) struct BelowM0;
impl Space for BelowM0 {
    fn open<'e>(w: &Wave, env: &Env<'e>) -> Share<'e> {
        let lds = Share::lds(env);
        match u64::from(w.s.0[M0]) {
            end if end < lds.size => Share { size: end, policy: OutOfLds::Ignore, ..lds },
            _ => lds,
        }
    }
}

impl BelowM0 {
    /// Whether M0 cuts nothing off.
    #[inline(always)]
    pub fn holds_all(w: &Wave, env: &Env) -> bool {
        env.lds.backing().is_none_or(|lds| u64::from(w.s.0[M0]) >= lds.size())
    }
}

pub(crate) struct Global;
impl Space for Global {
    fn open<'e>(w: &Wave, env: &Env<'e>) -> Share<'e> {
        let (base, size) = (u64::from(w.s.0[M0] >> 16), u64::from(w.s.0[M0] & 0xffff));
        let memory = env.device.gds.memory();
        let size = memory.map_or(0, |m| size.min(m.size().saturating_sub(base)));
        Share { memory, base, size, outside: Cause::OutOfGds, policy: env.device.out_of_lds }
    }
}

/// A share, with what is out of range decided.
#[derive(Clone, Copy)]
pub(crate) struct Share<'e> {
    memory: Option<&'e Backing>,
    base: u64,
    size: u64,
    outside: Cause,
    policy: OutOfLds,
}

macro_rules! atomic {
    ($name:ident, $word:ty, $load:ident, $store:ident, $result:path) => {
        /// The value before.
        #[inline(always)]
        fn $name(&self, at: u64, op: AtomicOp, data: $word, second: $word, lane: usize, failed: &mut Failed) -> $word {
            let bytes = size_of::<$word>() as u64;
            if !at.is_multiple_of(bytes) {
                failed.add(Cause::Misaligned, lane, at, 0);
                return 0;
            }
            let done = self.place(at, bytes).and_then(|(m, at)| match self.outside {
                Cause::OutOfGds => m.$name(at, op, data, second),
                _ => {
                    let old = m.$load(at)?;
                    m.$store(at, $result(op, old, data, second))?;
                    Some(old)
                }
            });
            done.unwrap_or_else(|| self.refuse(at, lane, failed) as $word)
        }
    };
}

impl<'e> Share<'e> {
    /// The work-group's LDS.
    #[inline(always)]
    pub fn lds(env: &Env<'e>) -> Share<'e> {
        let memory = env.lds.backing();
        let size = memory.map_or(0, Backing::size);
        Share { memory, base: 0, size, outside: Cause::OutOfLds, policy: env.device.out_of_lds }
    }

    #[inline(always)]
    fn place(&self, at: u64, bytes: u64) -> Option<(&'e Backing, u64)> {
        let inside = at <= self.size && bytes <= self.size - at;
        self.memory.filter(|_| inside).map(|m| (m, self.base + at))
    }

    /// Whether these bytes are in range.
    pub fn holds(&self, at: u64, bytes: u64) -> bool {
        self.place(at, bytes).is_some()
    }

    /// An access out of range, which reads zero if it is to be ignored.
    #[cold]
    fn refuse(&self, at: u64, lane: usize, failed: &mut Failed) -> u32 {
        if self.policy == OutOfLds::Fault {
            failed.add(self.outside, lane, at, self.size);
        }
        0
    }

    /// 1, 2 or 4 bytes, zero-extended. `lane` counts over both halves.
    #[inline(always)]
    pub fn load(&self, at: u64, bytes: u32, lane: usize, failed: &mut Failed) -> u32 {
        let value = self.place(at, bytes.into()).and_then(|(m, at)| match bytes {
            1 => m.load8(at).map(u32::from),
            2 => m.load16(at).map(u32::from),
            _ => m.load32(at),
        });
        value.unwrap_or_else(|| self.refuse(at, lane, failed))
    }

    #[inline(always)]
    pub fn store(&self, at: u64, bytes: u32, value: u32, lane: usize, failed: &mut Failed) {
        let done = self.place(at, bytes.into()).and_then(|(m, at)| match bytes {
            1 => m.store8(at, value as u8),
            2 => m.store16(at, value as u16),
            _ => m.store32(at, value),
        });
        if done.is_none() {
            self.refuse(at, lane, failed);
        }
    }

    atomic!(atomic32, u32, load32, store32, atomic_result32);
    atomic!(atomic64, u64, load64, store64, atomic_result64);

    /// Of `dwords` 1 or 2.
    #[inline(always)]
    pub fn atomic(&self, dwords: u8, at: u64, op: AtomicOp, data: [u64; 2], lane: usize, failed: &mut Failed) -> u64 {
        match dwords {
            1 => self.atomic32(at, op, data[0] as u32, data[1] as u32, lane, failed).into(),
            _ => self.atomic64(at, op, data[0], data[1], lane, failed),
        }
    }
}

pub(super) fn function<S: Space>(kind: MemKind) -> Option<OpFn> {
    Some(match kind {
        MemKind::Load { .. } | MemKind::LoadD16 { .. } | MemKind::Load2 { .. } => load::<S>,
        MemKind::Store { .. } | MemKind::StoreHi { .. } | MemKind::Store2 { .. } => store::<S>,
        MemKind::Exchange2 { .. } => exchange2::<S>,
        MemKind::Atomic { dwords: 1, .. } => atomic::<S, 1>,
        MemKind::Atomic { dwords: 2, .. } => atomic::<S, 2>,
        MemKind::Src2 { .. } => src2::<S>,
        MemKind::Count { .. } => count::<S>,
        MemKind::LoadLane => load_lane::<S>,
        MemKind::StoreLane => store_lane::<S>,
        MemKind::Gws(_) => gws,
        MemKind::OrderedCount => ordered_count,
        _ => return None,
    })
}

/// Offset of a single access.
fn offset(op: &MicroOp) -> u32 {
    op.imm as u32 & 0xffff
}

/// Address of an access: the sum wraps at 32 bits. Compilers count on it for a base below zero.
#[inline(always)]
pub(super) fn place(address: u32, offset: u32) -> u64 {
    u64::from(address.wrapping_add(offset))
}

/// Set bits of a mask, lowest first.
fn live(w: &Wave, half: usize) -> impl Iterator<Item = usize> + use<> {
    set_bits(w.exec(half))
}

/// What an access moves: places (offsets), and at each of them `count` elements of `bytes`.
struct Shape {
    places: [u32; 2],
    two: bool,
    bytes: u32,
    count: usize,
    signed: bool,
    d16: Option<bool>,
    /// Bit of the register that the data begins at.
    shift: u32,
}

impl Shape {
    fn of(op: &MicroOp) -> Option<Shape> {
        let Sem::Mem(_, kind) = op.row.sem else { return None };
        let one = Shape { places: [offset(op), 0], two: false, bytes: 4, count: 1, signed: false, d16: None, shift: 0 };
        Some(match kind {
            MemKind::Load { bits, signed, dwords } => {
                Shape { bytes: u32::from(bits / 8), count: dwords.into(), signed, ..one }
            }
            MemKind::LoadD16 { bits, signed, hi } => Shape { bytes: u32::from(bits / 8), signed, d16: Some(hi), ..one },
            MemKind::Store { bits, dwords } => Shape { bytes: u32::from(bits / 8), count: dwords.into(), ..one },
            MemKind::StoreHi { bits } => Shape { bytes: u32::from(bits / 8), shift: 16, ..one },
            MemKind::Load2 { dwords, .. } | MemKind::Store2 { dwords, .. } | MemKind::Exchange2 { dwords, .. } => {
                Shape { places: kind.pair_offsets(op.imm as u32)?, two: true, count: dwords.into(), ..one }
            }
            _ => return None,
        })
    }

    /// Two places that are one count as one: the first data goes there.
    fn stores(&self) -> usize {
        if self.two && self.places[0] != self.places[1] { 2 } else { 1 }
    }
}

unsafe fn load<S: Space>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    load_from::<S>(w, op, env, 0)
}

/// The same, from half `first` on.
#[inline(never)]
pub(super) fn load_from<S: Space>(w: &mut Wave, op: &MicroOp, env: &mut Env, first: usize) -> bool {
    let Some(shape) = Shape::of(op) else { return false };
    let (share, halves) = (S::open(w, env), w.halves);
    let mut failed = Failed::default();
    for half in first..halves {
        let address = *op.source(&w.v, 0, 0, half, halves);
        for k in 0..1 + usize::from(shape.two) {
            for j in 0..shape.count {
                let mut out = LaneRow::ZERO;
                for lane in live(w, half) {
                    let at = place(address.0[lane], shape.places[k]) + 4 * j as u64;
                    let v = share.load(at, shape.bytes, 32 * half + lane, &mut failed);
                    out.0[lane] = extend(v, 8 * shape.bytes as u8, shape.signed);
                }
                let dst = op.dst as usize + (k * shape.count + j) * halves + half;
                merge_d16(&mut out, w.v.get(dst), shape.d16);
                let mask = if failed.lanes == 0 { w.exec(half) } else { 0 };
                w.registers.v.put(dst, &out, mask);
            }
        }
    }
    failed.report(w, shape.bytes, false)
}

unsafe fn store<S: Space>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Some(shape) = Shape::of(op) else { return false };
    let share = S::open(w, env);
    let mut failed = Failed::default();
    for k in 0..shape.stores() {
        for half in 0..w.halves {
            let address = op.source(&w.v, 0, 0, half, w.halves);
            for lane in live(w, half) {
                for j in 0..shape.count {
                    let value = op.source(&w.v, 1 + k, j, half, w.halves).0[lane] >> shape.shift;
                    let at = place(address.0[lane], shape.places[k]) + 4 * j as u64;
                    share.store(at, shape.bytes, value, 32 * half + lane, &mut failed);
                }
            }
        }
    }
    failed.report(w, shape.bytes, true)
}

unsafe fn exchange2<S: Space>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Some(shape) = Shape::of(op) else { return false };
    let (share, halves) = (S::open(w, env), w.halves);
    let dwords = shape.count as u8;
    let mut failed = Failed::default();
    for half in 0..halves {
        let address = *op.source(&w.v, 0, 0, half, halves);
        let mut out = [LaneRow::ZERO; 4];
        for lane in live(w, half) {
            for k in 0..2 {
                let at = place(address.0[lane], shape.places[k]);
                let data = word(w, op, 1 + k, dwords, half, lane);
                let old = match k < shape.stores() {
                    true => share.atomic(dwords, at, AtomicOp::Swap, [data, 0], 32 * half + lane, &mut failed),
                    false => u64::from(out[0].0[lane]) | u64::from(out[1].0[lane]) << 32,
                };
                out[k * shape.count].0[lane] = old as u32;
                if dwords == 2 {
                    out[2 * k + 1].0[lane] = (old >> 32) as u32;
                }
            }
        }
        for (j, row) in out.iter().enumerate().take(2 * shape.count) {
            w.registers.v.put(op.dst as usize + j * halves + half, row, w.exec(half));
        }
    }
    failed.report(w, 4 * u32::from(dwords), true)
}

/// One or two dwords of a lane's source `k`.
#[inline(always)]
fn word(w: &Wave, op: &MicroOp, k: usize, dwords: u8, half: usize, lane: usize) -> u64 {
    let low = u64::from(op.source(&w.v, k, 0, half, w.halves).0[lane]);
    match dwords {
        1 => low,
        _ => low | u64::from(op.source(&w.v, k, 1, half, w.halves).0[lane]) << 32,
    }
}

/// Which sources are an atomic's two operands: DS has the comparand first, where global memory has it second.
#[inline(always)]
pub(super) fn operands(which: AtomicOp) -> (usize, usize) {
    match which {
        AtomicOp::CmpSwap | AtomicOp::FCmpSwap => (2, 1),
        AtomicOp::MaskOr | AtomicOp::Wrap => (1, 2),
        _ => (1, 1),
    }
}

pub(super) unsafe fn atomic<S: Space, const N: u8>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, MemKind::Atomic { op: which, .. }) = op.row.sem else { return false };
    let (share, halves) = (S::open(w, env), w.halves);
    let (data, second) = operands(which);
    // DS_CONDXCHG32 cuts its address to a qword.
    let cut = if which == AtomicOp::CondSwap { !7 } else { !0 };
    let mut failed = Failed::default();
    for half in 0..halves {
        let address = op.source(&w.v, 0, 0, half, halves);
        let (mut low, mut high) = (LaneRow::ZERO, LaneRow::ZERO);
        for lane in live(w, half) {
            let at = place(address.0[lane], offset(op)) & cut;
            let operands = [word(w, op, data, N, half, lane), word(w, op, second, N, half, lane)];
            let old = share.atomic(N, at, which, operands, 32 * half + lane, &mut failed);
            (low.0[lane], high.0[lane]) = (old as u32, (old >> 32) as u32);
        }
        if op.dst2 == RETURNS {
            w.registers.v.put(op.dst as usize + half, &low, w.exec(half));
            if N == 2 {
                w.registers.v.put(op.dst as usize + halves + half, &high, w.exec(half));
            }
        }
    }
    failed.report(w, 4 * u32::from(N), true)
}

/// m[A] = op(m[A], m[B]). B's distance from A in dwords stands in the instruction, or in the address itself.
unsafe fn src2<S: Space>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, MemKind::Src2 { op: which, dwords }) = op.row.sem else { return false };
    let share = S::open(w, env);
    let mut failed = Failed::default();
    for half in 0..w.halves {
        let address = op.source(&w.v, 0, 0, half, w.halves);
        for lane in live(w, half) {
            let (a, bit) = (address.0[lane], 32 * half + lane);
            let (a, distance) = match offset(op) & 0x8000 {
                // 15 bits, signed.
                0 => (u64::from(a), i64::from((offset(op) << 17) as i32 >> 17)),
                _ => (u64::from(a & 0x1_ffff), i64::from(a as i32 >> 17)),
            };
            // Below zero is as far out of range as it can be.
            let b = a.checked_add_signed(4 * distance).unwrap_or(u64::MAX - 8);
            let low = share.load(b, 4, bit, &mut failed);
            let high = if dwords == 2 { share.load(b + 4, 4, bit, &mut failed) } else { 0 };
            if failed.lanes == 0 {
                let data = u64::from(low) | u64::from(high) << 32;
                share.atomic(dwords, a, which, [data, 0], bit, &mut failed);
            }
        }
    }
    failed.report(w, 4 * u32::from(dwords), true)
}

/// DS_APPEND and DS_CONSUME: one atomic a wave.
unsafe fn count<S: Space>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, MemKind::Count { add }) = op.row.sem else { return false };
    let share = S::open(w, env);
    // Of LDS, M0 holds the address; of GDS, its base and size.
    let base = if share.outside == Cause::OutOfLds { w.s.0[M0] & 0xffff } else { 0 };
    let at = u64::from(base) + u64::from(offset(op));
    let lanes = w.exec64();
    if lanes == 0 {
        return false;
    }
    let which = if add { AtomicOp::Add } else { AtomicOp::Sub };
    let mut failed = Failed::default();
    let first = lanes.trailing_zeros() as usize;
    let old = share.atomic32(at, which, lanes.count_ones(), 0, first, &mut failed);
    give_back(w, op, old);
    failed.report(w, 4, true)
}

/// One value to all live lanes.
fn give_back(w: &mut Wave, op: &MicroOp, value: u32) {
    for half in 0..w.halves {
        w.registers.v.put(op.dst as usize + half, &LaneRow::splat(value), w.exec(half));
    }
}

/// Address of a lane of DS_READ_ADDTID and DS_WRITE_ADDTID.
fn lane_address(w: &Wave, op: &MicroOp, lane: usize) -> u64 {
    u64::from(w.s.0[M0] & 0xffff) + u64::from(offset(op)) + 4 * lane as u64
}

unsafe fn load_lane<S: Space>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let share = S::open(w, env);
    let mut failed = Failed::default();
    for half in 0..w.halves {
        let mut out = LaneRow::ZERO;
        for lane in live(w, half) {
            let bit = 32 * half + lane;
            out.0[lane] = share.load(lane_address(w, op, bit), 4, bit, &mut failed);
        }
        w.registers.v.put(op.dst as usize + half, &out, w.exec(half));
    }
    failed.report(w, 4, false)
}

unsafe fn store_lane<S: Space>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let share = S::open(w, env);
    let mut failed = Failed::default();
    for half in 0..w.halves {
        let data = op.source(&w.v, 1, 0, half, w.halves);
        for lane in live(w, half) {
            let bit = 32 * half + lane;
            share.store(lane_address(w, op, bit), 4, data.0[lane], bit, &mut failed);
        }
    }
    failed.report(w, 4, true)
}

/// Tries again at the wave's next turn. DS instructions have eight bytes.
fn wait(w: &mut Wave, op: &MicroOp) -> bool {
    w.pc = op.next.wrapping_sub(8);
    w.status = Status::Waiting;
    true
}

/// The one register that GWS and ordered count read, of the first live lane.
fn first_value(w: &Wave, op: &MicroOp) -> u32 {
    let from = if op.row.src.contains(&Ty::Addr32) { 0 } else { 1 };
    let lane = w.exec64().trailing_zeros() as usize;
    // Without a live lane, lane 0's.
    let lane = if lane < 32 * w.halves { lane } else { 0 };
    op.source(&w.v, from, 0, lane / 32, w.halves).0[lane % 32]
}

unsafe fn gws(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, MemKind::Gws(which)) = op.row.sem else { return false };
    let resource = (w.s.0[M0] >> 16 & 63) + (offset(op) & 63);
    let reads = op.row.src.iter().any(|t| matches!(t, Ty::B32 | Ty::Addr32));
    let value = if reads { first_value(w, op) } else { 0 };
    w.ticket = env.device.gds.step(which, resource, value, w.ticket);
    if w.ticket.is_some() { wait(w, op) } else { false }
}

/// Offset0 is the counter's distance from M0's base; offset1 says what the wave does: bit 0 lets the next wave pass, bit 4
/// exchanges instead of adding, bits 7:6 tell how many counters less one.
///
/// With one counter the first live lane's value counts and all lanes get what was there before; with more, lane i has the
/// i-th counter to itself.
unsafe fn ordered_count(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    if !env.passage.open(env.number, w.index) {
        return wait(w, op);
    }
    let control = op.imm as u32 >> 8;
    let which = if control >> 4 & 1 != 0 { AtomicOp::Swap } else { AtomicOp::Add };
    let counters = (control >> 6 & 3) as usize + 1;
    // M0[15:0] is the wave's number here, not a size.
    let share = Share { size: crate::gds::GDS_BYTES, base: 0, ..Global::open(w, env) };
    let at = u64::from(w.s.0[M0] >> 16 & 0xfffc) + u64::from(op.imm as u32 & 0xfc);
    let mut failed = Failed::default();
    if counters == 1 {
        let lanes = w.exec64();
        let value = if lanes == 0 { 0 } else { first_value(w, op) };
        let which = if lanes == 0 { AtomicOp::Add } else { which };
        let first = lanes.trailing_zeros() as usize & 63;
        let old = share.atomic32(at, which, value, 0, first, &mut failed);
        give_back(w, op, old);
    } else {
        let from = if op.row.src.contains(&Ty::Addr32) { 0 } else { 1 };
        let data = *op.source(&w.v, from, 0, 0, w.halves);
        let mut out = LaneRow::ZERO;
        for lane in live(w, 0).filter(|&l| l < counters) {
            out.0[lane] = share.atomic32(at + 4 * lane as u64, which, data.0[lane], 0, lane, &mut failed);
        }
        let mask = w.exec(0) & ((1 << counters) - 1);
        w.registers.v.put(op.dst as usize, &out, mask);
    }
    if control & 1 != 0 {
        env.passage.release(env.number, w.index, env.waves);
    }
    failed.report(w, 4, true)
}
