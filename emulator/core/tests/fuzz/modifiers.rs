//! What stands between registers and operations: DPP lanes, SDWA and op_sel selects, signs, integer clamp.

use super::exact::{F16, F32, Num};
use super::float::Mode;
use super::integer::{packed_integer, quad_sad, wide_integer};
use super::transcendental::Answer;
use wavepipe_isa::Instr;
use wavepipe_isa::instr::{Dpp16, Extra, Sdwa};
use wavepipe_isa::insts as i;
use wavepipe_isa::row::{Format as Family, Ty};

pub fn dpp16_lane(d: &Dpp16, lane: u32) -> Option<u32> {
    let (row, at, n) = (lane / 16 * 16, lane % 16, u32::from(d.ctrl & 15));
    let inside = match d.ctrl >> 4 {
        0x00..=0x0f => return Some(lane / 4 * 4 + (u32::from(d.ctrl) >> (2 * (lane % 4)) & 3)),
        0x10 => (at + n < 16).then_some(at + n),
        0x11 => at.checked_sub(n),
        0x12 => Some((at + 16 - n) % 16),
        // GCN's: by one lane across the wave, left or right, around or not.
        0x13 => {
            let to = i64::from(lane) + if n & 8 == 0 { 1 } else { -1 };
            let around = n & 4 != 0;
            return if around { Some((to & 63) as u32) } else { u32::try_from(to).ok().filter(|&l| l < 64) };
        }
        // The last lane of the row before, or lane 31 to the second half.
        0x14 if n == 2 => return row.checked_sub(1),
        0x14 if n == 3 => return (lane > 31).then_some(31),
        0x14 if n == 0 => Some(15 - at),
        0x14 => Some(at / 8 * 8 + 7 - at % 8),
        0x15 => Some(n),
        _ => Some(at ^ n),
    };
    inside.map(|at| row + at)
}

/// Source `k` of the row, `n`th of the values, after selects and signs.
pub fn prepared(instr: &Instr, k: usize, n: usize, raw: u128, mode: Mode) -> u128 {
    let row = instr.op.row();
    let ty = row.src[k];
    let m = instr.mods;
    let on = |mask: u8| mask >> k & 1 != 0;
    let mut v = raw;
    if let Extra::Sdwa(s) = instr.extra
        && n < 2
    {
        v = selected(if n == 0 { s.src0_sel } else { s.src1_sel }, s.sext >> n & 1 != 0, v as u32).into();
    }
    if row.format == Family::Vop3p && matches!(ty, Ty::PkF16 | Ty::PkU16) {
        let half = |high: bool, negate: bool| {
            let h = if high { v >> 16 } else { v } & 0xffff;
            h ^ u128::from(negate && ty == Ty::PkF16) << 15
        };
        return half(on(m.op_sel), on(m.neg)) | half(on(m.op_sel_hi), on(m.neg_hi)) << 16;
    }
    if ty == Ty::Mix {
        let mut word = v as u64 & 0xffff_ffff;
        if on(m.op_sel_hi) {
            let half = if on(m.op_sel) { word >> 16 } else { word & 0xffff };
            let half = F16.flushed(half, mode.keeps_inputs(F16));
            word = Num::of(half, F16).pack(F32, 0, true);
        }
        if on(m.neg_hi) {
            word &= 0x7fff_ffff;
        }
        return u128::from(word ^ u64::from(on(m.neg)) << 31);
    }
    if on(m.op_sel) && matches!(ty, Ty::F16 | Ty::B16 | Ty::U16 | Ty::I16) {
        v = v >> 16 & 0xffff;
    }
    let sign = match ty {
        Ty::F16 => 1u128 << 15,
        Ty::F32 => 1 << 31,
        Ty::F64 => 1 << 63,
        _ => return v,
    };
    if on(m.abs) {
        v &= !sign;
    }
    if on(m.neg) { v ^ sign } else { v }
}

/// SDWA: bytes 0–3, words 0–1, the dword.
fn selected(select: u8, sext: bool, v: u32) -> u32 {
    match (select, sext) {
        (n @ 0..=3, false) => u32::from(v.to_le_bytes()[n as usize]),
        (n @ 0..=3, true) => v.to_le_bytes()[n as usize] as i8 as u32,
        (4, false) => v & 0xffff,
        (4, true) => v as i16 as u32,
        (5, false) => v >> 16,
        (5, true) => (v >> 16) as i16 as u32,
        _ => v,
    }
}

/// SDWA: the result's low bits put into the selected part; around it zeros, signs above and zeros below, or what was there.
pub fn placed(s: &Sdwa, v: u32, old: u32) -> u32 {
    let (at, width) = match s.dst_sel {
        n @ 0..=3 => (8 * u32::from(n), 8),
        4 => (0, 16),
        5 => (16, 16),
        _ => return v,
    };
    let mut out = 0;
    for bit in 0..32 {
        let inside = bit >= at && bit < at + width;
        let from = match s.dst_unused {
            _ if inside => v >> (bit - at),
            1 if bit >= at + width => v >> (width - 1),
            2 => old >> bit,
            _ => 0,
        };
        out |= (from & 1) << bit;
    }
    out
}

/// The clamp bit of integer instructions: the exact result, held in the destination's range.
pub fn saturated(instr: &Instr, s: [u128; 3], carry: bool, answer: Answer) -> Answer {
    if !instr.mods.clamp {
        return answer;
    }
    let row = instr.op.row();
    let w = s.map(|v| v as u64);
    if matches!(instr.op, i::V_QSAD_PK_U16_U8 | i::V_MQSAD_PK_U16_U8) {
        return Answer::Exact(quad_sad(instr.op, w[0], w[1], w[2], true).into());
    }
    let range = |ty: Ty| match ty {
        Ty::U16 => (0, 0xffff),
        Ty::I16 => (-0x8000, 0x7fff),
        Ty::U32 => (0, 0xffff_ffff),
        Ty::I32 => (-0x8000_0000, 0x7fff_ffff),
        Ty::U64 => (0, i128::from(u64::MAX)),
        _ => (i64::MIN.into(), i64::MAX.into()),
    };
    if let Some(v) = wide_integer(instr.op, w, carry) {
        let (low, high) = range(row.dst[0]);
        return Answer::Exact(v.clamp(low, high) as u64 as u128);
    }
    if packed_integer(instr.op, w).is_some() {
        let signed = matches!(instr.op, i::V_PK_MAD_I16 | i::V_PK_ADD_I16 | i::V_PK_SUB_I16);
        let (low, high) = range(if signed { Ty::I16 } else { Ty::U16 });
        let half =
            |n: u32| packed_integer(instr.op, w.map(|v| v >> (16 * n))).unwrap_or(0).clamp(low, high) as u64 & 0xffff;
        return Answer::Exact(u128::from(half(0) | half(1) << 16));
    }
    answer
}
