//! What vector instructions compute in one lane, after the RDNA 1 ISA document.

use super::exact::{F16, F32, F64, Format, Num};
use super::float::{self, Mode};
use super::integer::{self, quad_sad, sad, sext};
use super::transcendental::{Answer, transcendental, trig_preop};
use wavepipe_isa::insts::{self as i, Op};

/// 64-bit integers and conversions between integers and f64.
fn long(op: Op, s: [u128; 3], m: Mode) -> Option<u128> {
    let [a, b, c] = s.map(|v| v as u64);
    let f64_in = || m.read(F64, a);
    let int = |v: i128| u128::from(v as u32);
    Some(u128::from(match op {
        i::V_LSHL_B64 => a << (b & 63),
        i::V_LSHR_B64 => a >> (b & 63),
        i::V_ASHR_I64 => (a as i64 >> (b & 63)) as u64,
        i::V_LSHLREV_B64 => b << (a & 63),
        i::V_LSHRREV_B64 => b >> (a & 63),
        i::V_ASHRREV_I64 => (b as i64 >> (a & 63)) as u64,
        i::V_QSAD_PK_U16_U8 | i::V_MQSAD_PK_U16_U8 => quad_sad(op, a, b, c, false),
        i::V_CVT_F64_I32 => m.write(F64, Num::int(i128::from(a as i32))),
        i::V_CVT_F64_U32 => m.write(F64, Num::int(i128::from(a as u32))),
        i::V_CVT_I32_F64 => return Some(int(f64_in().to_int(i32::MIN.into(), i32::MAX.into()))),
        i::V_CVT_U32_F64 => return Some(int(f64_in().to_int(0, u32::MAX.into()))),
        i::V_CVT_F32_F64 => m.write(F32, f64_in()),
        i::V_CVT_F64_F32 => m.write(F64, m.read(F32, a)),
        i::V_TRIG_PREOP_F64 => trig_preop(a, b),
        i::V_FREXP_EXP_I32_F64 => return Some(int(float::frexp(F64, a).1.into())),
        i::V_MQSAD_U32_U8 => {
            return Some((0..4).fold(0, |d, k| {
                let sum = sad(a >> (8 * k), b, true) as u64 + (s[2] >> (32 * k)) as u32 as u64;
                d | u128::from(sum as u32) << (32 * k)
            }));
        }
        _ => return None,
    }))
}

/// The result of a vector instruction that is not a comparison, and the condition that it gives (carry, borrow, scale).
/// Sources in the row's order without masks, after all source modifiers; `None`: no meaning here.
pub fn result(op: Op, s: [u128; 3], carry: bool, m: Mode) -> Option<(Answer, bool)> {
    let w = s.map(|v| v as u64);
    let exact = |v: u64| Some((Answer::Exact(v.into()), false));
    if let Some(v) = integer::wide_integer(op, w, carry) {
        let out = match op {
            i::V_MAD_U64_U32 | i::V_MAD_I64_I32 => v >> 64 & 1 != 0,
            _ => !(0..=0xffff_ffff).contains(&v),
        };
        return Some((Answer::Exact(v as u128 & u128::from(u64::MAX)), out));
    }
    if integer::packed_integer(op, w).is_some() {
        let half = |n: u32| integer::packed_integer(op, w.map(|v| v >> (16 * n))).unwrap_or(0) as u64 & 0xffff;
        return exact(half(0) | half(1) << 16);
    }
    if let Some(v) = integer::bits(op, w) {
        return exact(v);
    }
    if let Some(v) = float::convert(op, w, m) {
        return exact(v);
    }
    if let Some(v) = long(op, s, m) {
        return Some((Answer::Exact(v), false));
    }
    if let Some(answer) = transcendental(op, w[0], m) {
        return Some((answer, false));
    }
    if let Some((f, body)) = float::float(op) {
        let packed = matches!(
            op,
            i::V_PK_ADD_F16 | i::V_PK_MUL_F16 | i::V_PK_FMA_F16 | i::V_PK_FMAC_F16 | i::V_PK_MIN_F16 | i::V_PK_MAX_F16
        );
        let mask = f.bits();
        let of = |shift: u32| body(m, f, w.map(|v| v >> shift & mask));
        return exact(if packed { of(0) | of(16) << 16 } else { of(0) });
    }
    match op {
        i::V_CNDMASK_B32 => exact(if carry { w[1] } else { w[0] }),
        i::V_MAD_MIX_F32 => exact(float::mad(m, F32, w, false)),
        i::V_MAD_MIXLO_F16 | i::V_MAD_MIXHI_F16 => exact(m.write(F16, m.read(F32, float::mad(m, F32, w, false)))),
        i::V_DOT2_F32_F16 | i::V_DOT2C_F32_F16 => {
            // Products of halves have room in f32; one sum after the other.
            let half = |v: u64, n: u32| m.write(F32, m.read(F16, v >> (16 * n) & 0xffff));
            let product = |n: u32| m.mul(F32, half(w[0], n), half(w[1], n));
            let one = u64::from(1.0f32.to_bits());
            exact(m.fma(F32, m.fma(F32, product(0), one, product(1)), one, w[2]))
        }
        i::V_FMA_MIX_F32 => exact(m.fma(F32, w[0], w[1], w[2])),
        i::V_FMA_MIXLO_F16 | i::V_FMA_MIXHI_F16 => {
            // Rounded to f32, and then to f16.
            exact(m.write(F16, m.read(F32, m.fma(F32, w[0], w[1], w[2]))))
        }
        i::V_DIV_SCALE_F32 => {
            let (v, c) = float::div_scale(m, F32, w, 96, 23, 64);
            Some((Answer::Exact(v.into()), c))
        }
        i::V_DIV_SCALE_F64 => {
            let (v, c) = float::div_scale(m, F64, w, 768, 53, 128);
            Some((Answer::Exact(v.into()), c))
        }
        i::V_DIV_FMAS_F32 => exact(float::div_fmas(m, F32, w, carry, 64)),
        i::V_DIV_FMAS_F64 => exact(float::div_fmas(m, F64, w, carry, 128)),
        _ => None,
    }
}

/// One lane's bit of a VOPC instruction, by its opcode: type and relation stand in the opcode's bits (manual, VOPC table).
pub fn compare(opcode: u16, a: u64, b: u64, m: Mode) -> Option<bool> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    // Bit 4 tells V_CMPX from V_CMP.
    let base = opcode & !0x10;
    let relation = |o: Option<std::cmp::Ordering>, r: u16| match r {
        0 => false,
        1 => o == Some(Less),
        2 => o == Some(Equal),
        3 => matches!(o, Some(Less | Equal)),
        4 => o == Some(Greater),
        5 => matches!(o, Some(Less | Greater)),
        6 => matches!(o, Some(Greater | Equal)),
        _ => o.is_some(),
    };
    let float = |f: Format, r: u16| {
        let mask = f.bits();
        let o = m.read(f, a & mask).compare(m.read(f, b & mask));
        // The upper eight are the negations of the lower, from the other end: U, NGE, NLG, NGT, NLE, NEQ, NLT, TRU.
        if r < 8 { relation(o, r) } else { !relation(o, 15 - r) }
    };
    // F, LT, EQ, LE, GT, NE, GE, T; the sixteen-bit ones lack the first and last.
    let integer = |x: i128, y: i128, r: u16| if r == 7 { true } else { relation(Some(x.cmp(&y)), r) };
    let class = |f: Format| {
        let v = a & f.bits();
        let kind = match f.is_negative(v) {
            _ if f.is_nan(v) => u16::from(!f.is_signalling(v)),
            true if f.is_infinite(v) => 2,
            true if f.is_zero(v) => 5,
            true if f.is_denormal(v) => 4,
            true => 3,
            false if f.is_infinite(v) => 9,
            false if f.is_zero(v) => 6,
            false if f.is_denormal(v) => 7,
            false => 8,
        };
        b >> kind & 1 != 0
    };
    let (i32s, u32s) = ((sext(a, 32), sext(b, 32)), (i128::from(a as u32), i128::from(b as u32)));
    Some(match base {
        // The signalling ones compare alike.
        0x40..=0x4f => float(F32, base & 15),
        0x60..=0x6f => float(F64, base & 15),
        0x00..=0x0f => float(F32, base & 15),
        0x20..=0x2f => float(F64, base & 15),
        0x80..=0x87 => integer(i32s.0, i32s.1, base & 7),
        0x88 => class(F32),
        0x89..=0x8e => integer(sext(a, 16), sext(b, 16), base & 7),
        0x8f => class(F16),
        0xa0..=0xa7 => integer(i128::from(a as i64), i128::from(b as i64), base & 7),
        0xa8 => class(F64),
        0xa9..=0xae => integer(i128::from(a as u16), i128::from(b as u16), base & 7),
        0xc0..=0xc7 => integer(u32s.0, u32s.1, base & 7),
        0xc8..=0xcf => float(F16, base & 7),
        0xe0..=0xe7 => integer(i128::from(a), i128::from(b), base & 7),
        0xe8..=0xef => float(F16, 8 + (base & 7)),
        // GCN 5's: V_CMPX differs in other bits.
        _ if opcode & 0x100 != 0 => match opcode & 0xff {
            0x14 | 0x15 => class(F16),
            n @ 0x20..=0x3f => float(F16, n & 15),
            n @ (0xa0..=0xa7 | 0xb0..=0xb7) => integer(sext(a, 16), sext(b, 16), n & 7),
            n @ (0xa8..=0xaf | 0xb8..=0xbf) => integer(i128::from(a as u16), i128::from(b as u16), n & 7),
            _ => return None,
        },
        _ => return None,
    })
}

/// The output modifier and the clamp of floats. `omod`: 0, ×2, ×4, ÷2.
pub fn finish(f: Format, v: u64, omod: u8, clamp: bool, m: Mode) -> u64 {
    let mut v = v;
    // Ignored where results keep denormals, and under IEEE; a zero loses its sign.
    if omod != 0 && !m.keeps_results(f) && !m.ieee() {
        let by = [0, 1, 2, -1][usize::from(omod & 3)];
        v = m.read(f, v).scaled(by).pack(f, m.round(f), false);
        if f.is_zero(v) {
            v = 0;
        }
    }
    if !clamp {
        return v;
    }
    if f.is_nan(v) {
        return if m.dx10_clamp() { 0 } else { v };
    }
    // −0 too.
    if f.is_negative(v) {
        0
    } else if v > f.one() {
        f.one()
    } else {
        v
    }
}
