//! Operations that move values between lanes, or between lanes and the scalar file.

use super::env::Env;
use super::op::{MicroOp, OpFn};
use super::regs::Row;
use super::state::{M0, Wave};
use wavepipe_isa::row::WaveOp;

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
        WaveOp::MovrelD => movrel_d,
        WaveOp::MovrelS => movrel_s,
        // Refused when the block is decoded.
        WaveOp::MovrelSD | WaveOp::MovrelSD2 | WaveOp::SwapRel => super::table::nop,
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
    w.v.get_mut(op.dst as usize + half).0[lane & 31] = value;
    false
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
            let mut at = (lane & 16) + (selects >> (4 * (lane & 15)) & 15) as usize;
            if X {
                at ^= 16;
            }
            if op.flags & 1 != 0 || exec >> at & 1 != 0 {
                out.0[lane] = from.0[at];
            } else if op.flags & 2 != 0 {
                out.0[lane] = 0;
            }
        }
        w.v.put(op.dst as usize + half, &out, exec);
    }
    false
}

/// Forward permute within 32 lanes: lane i writes its data to lane address[i] / 4; the highest lane wins.
unsafe fn ds_permute(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    op.broadcast(w);
    for half in 0..w.halves {
        let exec = w.exec(half);
        let (address, data) = (*op.source(&w.v, 0, 0, half, w.halves), *op.source(&w.v, 1, 0, half, w.halves));
        let mut out = Row::ZERO;
        for lane in (0..32).filter(|l| exec >> l & 1 != 0) {
            let to = (address.0[lane].wrapping_add(op.imm as u32) >> 2) as usize & 31;
            out.0[to] = data.0[lane];
        }
        w.v.put(op.dst as usize + half, &out, exec);
    }
    false
}

/// Backward permute within 32 lanes: lane i reads lane address[i] / 4; inactive lanes read as zero.
unsafe fn ds_bpermute(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    op.broadcast(w);
    for half in 0..w.halves {
        let exec = w.exec(half);
        let (address, data) = (*op.source(&w.v, 0, 0, half, w.halves), *op.source(&w.v, 1, 0, half, w.halves));
        let mut out = Row::ZERO;
        for lane in 0..32 {
            let from = (address.0[lane].wrapping_add(op.imm as u32) >> 2) as usize & 31;
            out.0[lane] = if exec >> from & 1 != 0 { data.0[from] } else { 0 };
        }
        w.v.put(op.dst as usize + half, &out, exec);
    }
    false
}

/// Offset bit 15: quad permute; else and/or/xor masks over the lane number. Offsets from 0xc000 on: rotate within 32.
unsafe fn ds_swizzle(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    op.broadcast(w);
    let offset = op.imm as u32 & 0xffff;
    for half in 0..w.halves {
        let exec = w.exec(half);
        let data = *op.source(&w.v, 0, 0, half, w.halves);
        let mut out = Row::ZERO;
        for lane in 0..32u32 {
            let from = if offset >= 0xc000 {
                let (mask, by) = (offset & 31, offset >> 5 & 31);
                let turned = if offset >> 10 & 1 != 0 { lane.wrapping_sub(by) } else { lane + by };
                lane & mask | turned & !mask
            } else if offset & 0x8000 != 0 {
                lane & !3 | offset >> (2 * (lane & 3)) & 3
            } else {
                (lane & offset & 31 | offset >> 5 & 31) ^ offset >> 10 & 31
            } & 31;
            out.0[lane as usize] = if exec >> from & 1 != 0 { data.0[from as usize] } else { 0 };
        }
        w.v.put(op.dst as usize + half, &out, exec);
    }
    false
}

/// D = S1 + bits of the mask S0 below this lane, in lanes 0..=31 (LO) or 32..=63 (HI).
unsafe fn mbcnt<const HI: usize>(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    op.broadcast(w);
    for half in 0..w.halves {
        let exec = w.exec(half);
        let (mask, add) = (*op.source(&w.v, 0, 0, half, w.halves), *op.source(&w.v, 1, 0, half, w.halves));
        let mut out = Row::ZERO;
        for lane in 0..32 {
            let below = if half == HI {
                (1u32 << lane) - 1
            } else if half > HI {
                !0
            } else {
                0
            };
            out.0[lane] = add.0[lane].wrapping_add((mask.0[lane] & below).count_ones());
        }
        w.v.put(op.dst as usize + half, &out, exec);
    }
    false
}

unsafe fn swap(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    for half in 0..w.halves {
        let (i, j) = (op.dst as usize + half, op.dst2 as usize + half);
        let (a, b, exec) = (*w.v.get(i), *w.v.get(j), w.exec(half));
        w.v.put(i, &b, exec);
        w.v.put(j, &a, exec);
    }
    false
}

/// A register number moved by M0, kept inside the wave's registers.
fn moved(w: &Wave, row: usize) -> usize {
    let first = super::regs::TEMPS as usize;
    let register = row / w.halves - first;
    let to = register.wrapping_add(w.s.0[M0] as usize);
    let to = if to < w.vgprs as usize { to } else { 0 };
    (first + to) * w.halves
}

/// VGPR[D + M0] = S0.
unsafe fn movrel_d(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    op.broadcast(w);
    let to = moved(w, op.dst as usize);
    for half in 0..w.halves {
        let (v, exec) = (*op.source(&w.v, 0, 0, half, w.halves), w.exec(half));
        w.v.put(to + half, &v, exec);
    }
    false
}

/// D = VGPR[S0 + M0].
unsafe fn movrel_s(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    let from = moved(w, op.src[0].index());
    for half in 0..w.halves {
        let (v, exec) = (*w.v.get(from + half), w.exec(half));
        w.v.put(op.dst as usize + half, &v, exec);
    }
    false
}
