//! Operations that move values between lanes, or between lanes and the scalar file.

use super::env::Env;
use super::op::{MicroOp, OpFn};
use super::regs::{LaneRow, Loc, set_bits, source};
use super::state::{M0, Wave};
use wavepipe_isa::alu::Nearest;
use wavepipe_isa::alu::body::mqsad_u32_u8;
use wavepipe_isa::instr::Extra;
use wavepipe_isa::row::WaveOp;
use wavepipe_isa::saturate::saturated;

pub(crate) fn function(op: WaveOp) -> OpFn {
    match op {
        WaveOp::ReadFirstLane => read_first_lane,
        WaveOp::ReadLane => read_lane,
        WaveOp::WriteLane => write_lane,
        WaveOp::Permlane16 => permlane::<false>,
        WaveOp::Permlanex16 => permlane::<true>,
        WaveOp::DsPermute => ds_permute,
        WaveOp::DsBpermute => ds_bpermute,
        WaveOp::DsSwizzle => ds_swizzle,
        WaveOp::MbcntLo => mbcnt::<0>,
        WaveOp::MbcntHi => mbcnt::<1>,
        WaveOp::SwapB32 => swap,
        WaveOp::MovrelD => movrel::<DESTINATION>,
        WaveOp::MovrelS => movrel::<SOURCE>,
        WaveOp::MovrelSD => movrel::<BOTH>,
        WaveOp::MovrelSD2 => movrel::<EACH>,
        WaveOp::SwapRel => swap_relative,
        WaveOp::QuadSad => quad_sad,
    }
}

/// Word of lane `lane` (taken modulo the wave size) of source `k`.
#[inline(always)]
fn lane_of(w: &Wave, op: &MicroOp, k: usize, lane: usize) -> u32 {
    let half = lane >> 5 & (w.halves - 1);
    op.source(&w.v, k, 0, half, w.halves).0[lane & 31]
}

/// The first live lane's value; lane 0's if none lives.
unsafe fn read_first_lane(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    op.broadcast(w);
    let exec = w.exec64();
    let lane = if exec == 0 { 0 } else { exec.trailing_zeros() as usize };
    w.s.0[op.dst as usize & 255] = lane_of(w, op, 0, lane);
    false
}

unsafe fn read_lane(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    op.broadcast(w);
    w.s.0[super::state::LITERAL] = op.literal;
    let lane = w.scalar(op.s[2]) as usize;
    w.s.0[op.dst as usize & 255] = lane_of(w, op, 0, lane);
    false
}

/// Writes one lane whatever EXEC says.
unsafe fn write_lane(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.s.0[super::state::LITERAL] = op.literal;
    let (value, lane) = (w.scalar(op.s[0]), w.scalar(op.s[2]) as usize);
    let half = lane >> 5 & (w.halves - 1);
    w.registers.v.get_mut(op.dst as usize + half).0[lane & 31] = value;
    false
}

/// The lane of 32 that a lane reads, by eight selects of 4 bits for each half of its row.
#[inline(always)]
pub(super) fn selected(selects: u64, lane: usize, crossed: bool) -> usize {
    let at = (lane & 16) + (selects >> (4 * (lane & 15)) & 15) as usize;
    if crossed { at ^ 16 } else { at }
}

/// Each row of 16 lanes reads from itself (or, X, from its neighbour) by eight 4-bit selects in two scalars a time.
/// `flags` bit 0: fetch inactive lanes; bit 1: bound control (an inactive source gives zero instead of keeping).
unsafe fn permlane<const X: bool>(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    op.broadcast(w);
    w.s.0[super::state::LITERAL] = op.literal;
    let selects = u64::from(w.scalar(op.s[2])) | u64::from(w.scalar(op.s[4])) << 32;
    for half in 0..w.halves {
        let exec = w.exec(half);
        let from = *op.source(&w.v, 0, 0, half, w.halves);
        let mut out = *w.v.get(op.dst as usize + half);
        for lane in 0..32usize {
            let at = selected(selects, lane, X);
            if op.cross.fetch_inactive || exec >> at & 1 != 0 {
                out.0[lane] = from.0[at];
            } else if op.cross.bound_control {
                out.0[lane] = 0;
            }
        }
        w.registers.v.put(op.dst as usize + half, &out, exec);
    }
    false
}

/// How many lanes DS_PERMUTE and DS_BPERMUTE choose among.
pub(super) fn permute_reach(w: &Wave) -> usize {
    if w.isa.caps().wave_permute { 32 * w.halves } else { 32 }
}

/// Source `k` of a wave's lanes; of wave32 the first half twice.
fn both_halves(w: &Wave, op: &MicroOp, k: usize) -> [LaneRow; 2] {
    [0, w.halves - 1].map(|half| *op.source(&w.v, k, 0, half, w.halves))
}

/// The lane that an address names, to a lane.
#[inline(always)]
fn permuted(op: &MicroOp, address: u32, lane: usize, reach: usize) -> usize {
    lane & !(reach - 1) | (address.wrapping_add(op.imm as u32) >> 2) as usize & (reach - 1)
}

/// Forward permute: lane i writes its data to lane address[i] / 4; the highest lane wins.
unsafe fn ds_permute(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    op.broadcast(w);
    let reach = permute_reach(w);
    let [address, data] = [0, 1].map(|k| both_halves(w, op, k));
    let mut out = [LaneRow::ZERO; 2];
    for lane in set_bits(w.exec64()) {
        let to = permuted(op, address[lane / 32].0[lane % 32], lane, reach);
        out[to / 32].0[to % 32] = data[lane / 32].0[lane % 32];
    }
    for (half, row) in out.iter().enumerate().take(w.halves) {
        w.registers.v.put(op.dst as usize + half, row, w.exec(half));
    }
    false
}

/// Backward permute: lane i reads lane address[i] / 4; inactive lanes read as zero.
unsafe fn ds_bpermute(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    op.broadcast(w);
    let (reach, exec) = (permute_reach(w), w.exec64());
    let [address, data] = [0, 1].map(|k| both_halves(w, op, k));
    let mut out = [LaneRow::ZERO; 2];
    for (half, (out, address)) in out.iter_mut().zip(&address).enumerate().take(w.halves) {
        for lane in 0..32 {
            let from = permuted(op, address.0[lane], 32 * half + lane, reach) & 63;
            out.0[lane] = if exec >> from & 1 != 0 { data[from / 32].0[from % 32] } else { 0 };
        }
    }
    for (half, row) in out.iter().enumerate().take(w.halves) {
        w.registers.v.put(op.dst as usize + half, row, w.exec(half));
    }
    false
}

/// The lane that a lane of 32 reads.
#[inline(always)]
pub(super) fn swizzled(offset: u32, lane: u32) -> u32 {
    let from = if offset >= 0xc000 {
        let (mask, by) = (offset & 31, offset >> 5 & 31);
        let turned = if offset >> 10 & 1 != 0 { lane.wrapping_sub(by) } else { lane + by };
        lane & mask | turned & !mask
    } else if offset & 0x8000 != 0 {
        lane & !3 | offset >> (2 * (lane & 3)) & 3
    } else {
        (lane & offset & 31 | offset >> 5 & 31) ^ offset >> 10 & 31
    };
    from & 31
}

/// Offset bit 15: quad permute; else and/or/xor masks over the lane number. Offsets from 0xc000 on: rotate within 32.
unsafe fn ds_swizzle(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    op.broadcast(w);
    let offset = op.imm as u32 & 0xffff;
    for half in 0..w.halves {
        let exec = w.exec(half);
        let data = *op.source(&w.v, 0, 0, half, w.halves);
        let mut out = LaneRow::ZERO;
        for lane in 0..32u32 {
            let from = swizzled(offset, lane);
            out.0[lane as usize] = if exec >> from & 1 != 0 { data.0[from as usize] } else { 0 };
        }
        w.registers.v.put(op.dst as usize + half, &out, exec);
    }
    false
}

/// Of a mask's low or high word the bits of the lanes below one.
pub fn below(high: bool, lane: u32) -> u32 {
    let below = (1u64 << lane) - 1;
    if high { (below >> 32) as u32 } else { below as u32 }
}

/// D = S1 + bits of the mask S0 below this lane, in lanes 0..=31 (LO) or 32..=63 (HI).
unsafe fn mbcnt<const HI: usize>(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    op.broadcast(w);
    for half in 0..w.halves {
        let exec = w.exec(half);
        let (mask, add) = (*op.source(&w.v, 0, 0, half, w.halves), *op.source(&w.v, 1, 0, half, w.halves));
        let mut out = LaneRow::ZERO;
        for lane in 0..32 {
            let below = below(HI != 0, (32 * half + lane) as u32);
            out.0[lane] = add.0[lane].wrapping_add((mask.0[lane] & below).count_ones());
        }
        w.registers.v.put(op.dst as usize + half, &out, exec);
    }
    false
}

unsafe fn swap(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    exchange(w, op.dst as usize, op.dst2 as usize);
    false
}

fn exchange(w: &mut Wave, i: usize, j: usize) {
    for half in 0..w.halves {
        let (i, j) = (i + half, j + half);
        let (a, b, exec) = (*w.v.get(i), *w.v.get(j), w.exec(half));
        w.registers.v.put(i, &b, exec);
        w.registers.v.put(j, &a, exec);
    }
}

/// First row of the register `by` after the one whose rows start at `row`; `None` past the wave's last.
fn moved(w: &Wave, row: usize, by: u32) -> Option<usize> {
    let register = (row / w.halves - super::regs::TEMPS as usize).checked_add(by as usize)?;
    (register < w.vgprs as usize).then_some((super::regs::TEMPS as usize + register) * w.halves)
}

const DESTINATION: u8 = 0;
const SOURCE: u8 = 1;
const BOTH: u8 = 2;
/// Both, with an index each: M0[9:0] of the source, M0[25:16] of the destination.
const EACH: u8 = 3;

/// V_MOVREL*: a move between registers that M0 moves. A source past the wave's registers is v0, and with a destination
/// there nothing happens (RDNA 1 ISA document, 3.6.1).
unsafe fn movrel<const WHAT: u8>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let m0 = w.s.0[M0];
    let (from, to) = match WHAT {
        DESTINATION => (0, m0),
        SOURCE => (m0, 0),
        BOTH => (m0, m0),
        _ => (m0 & 0x3ff, m0 >> 16 & 0x3ff),
    };
    let Some(dst) = moved(w, op.dst as usize, to) else { return false };
    let mut src = op.src;
    if WHAT != DESTINATION {
        let v0 = super::regs::TEMPS as usize * w.halves;
        src[0] = Loc::row(moved(w, src[0].index(), from).unwrap_or(v0));
    }
    if let Some(ext) = op.ext.as_deref().filter(|ext| !matches!(ext.instr.extra, Extra::None)) {
        // SAFETY: both registers are the wave's (`moved`).
        return unsafe { super::modify::modified_at(w, op, ext, src, dst as u32, env) };
    }
    op.broadcast(w);
    for half in 0..w.halves {
        let (v, exec) = (*source(&w.v, src[0], op.constant & 1 != 0, half), w.exec(half));
        w.registers.v.put(dst + half, &v, exec);
    }
    false
}

/// The plain move under a V_MOVREL* with modifiers.
pub(super) unsafe fn copy(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    for half in 0..w.halves {
        let (v, exec) = (*op.source(&w.v, 0, 0, half, w.halves), w.exec(half));
        w.registers.v.put(op.dst as usize + half, &v, exec);
    }
    false
}

/// V_SWAPREL_B32: both registers are destinations, so with either past the wave's last nothing happens.
unsafe fn swap_relative(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    let m0 = w.s.0[M0];
    let from = moved(w, op.dst2 as usize, m0 & 0x3ff);
    let to = moved(w, op.dst as usize, m0 >> 16 & 0x3ff);
    if let (Some(i), Some(j)) = (to, from) {
        exchange(w, i, j);
    }
    false
}

/// V_MQSAD_U32_U8. `flags` bit 4: each sum saturates.
unsafe fn quad_sad(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    op.broadcast(w);
    let halves = w.halves;
    for half in 0..halves {
        let exec = w.exec(half);
        let mut out = [LaneRow::ZERO; 4];
        for lane in 0..32 {
            let word = |k, word| op.source(&w.v, k, word, half, halves).0[lane];
            let (x, y, z) = ([word(0, 0), word(0, 1)], word(1, 0), [0, 1, 2, 3].map(|n| word(2, n)));
            let mut sums = mqsad_u32_u8(&mut Nearest, x, y, z);
            if op.cross.clamp {
                let bytes = u64::from(x[0]) | u64::from(x[1]) << 32;
                for (n, sum) in sums.iter_mut().enumerate() {
                    let held = saturated(op.op, [bytes >> (8 * n), y.into(), z[n].into()], false);
                    *sum = held.map_or(*sum, |v| v as u32);
                }
            }
            for (row, sum) in out.iter_mut().zip(sums) {
                row.0[lane] = sum;
            }
        }
        for (n, row) in out.iter().enumerate() {
            w.registers.v.put(op.dst as usize + n * halves + half, row, exec);
        }
    }
    false
}
