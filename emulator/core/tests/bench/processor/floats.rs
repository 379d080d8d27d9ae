//! What a lane of floats becomes, NaNs as the manual says: the first operand that is one, made quiet, or the default one, which is
//! negative.

use iced_x86::Mnemonic;
use std::cmp::Ordering;

const DEFAULT: u32 = 0xffc0_0000;
const QUIET: u32 = 1 << 22;
const DEFAULT_64: u64 = 0xfff8 << 48;
const QUIET_64: u64 = 1 << 51;

fn nan(x: u32) -> bool {
    f32::from_bits(x).is_nan()
}

fn signaling(x: u32) -> bool {
    nan(x) && x & QUIET == 0
}

/// The first NaN among the operands, or the result.
fn first<const N: usize>(of: [u32; N], result: f32) -> u32 {
    match of.into_iter().find(|x| nan(*x)) {
        Some(x) => x | QUIET,
        None if result.is_nan() => DEFAULT,
        None => result.to_bits(),
    }
}

fn first_64<const N: usize>(of: [u64; N], result: f64) -> u64 {
    match of.into_iter().find(|x| f64::from_bits(*x).is_nan()) {
        Some(x) => x | QUIET_64,
        None if result.is_nan() => DEFAULT_64,
        None => result.to_bits(),
    }
}

/// Of two floats: what a lane of the instruction does; so below.
pub fn binary(m: Mnemonic) -> Option<fn(u32, u32) -> u32> {
    use Mnemonic::*;
    const fn value(x: u32) -> f32 {
        f32::from_bits(x)
    }
    Some(match m {
        Vaddps => |a, b| first([a, b], value(a) + value(b)),
        Vsubps => |a, b| first([a, b], value(a) - value(b)),
        Vmulps => |a, b| first([a, b], value(a) * value(b)),
        Vdivps => |a, b| first([a, b], value(a) / value(b)),
        // The second where neither is less: equal zeros, and NaNs as they are.
        Vminps => |a, b| if value(a) < value(b) { a } else { b },
        Vmaxps => |a, b| if value(a) > value(b) { a } else { b },
        Vscalefps => scaled,
        _ => return None,
    })
}

/// a · 2^⌊b⌋.
fn scaled(a: u32, b: u32) -> u32 {
    let [x, y] = [a, b].map(f32::from_bits);
    if nan(a) && !signaling(a) && y.is_infinite() {
        return if y > 0.0 { f32::INFINITY.to_bits() } else { 0 };
    }
    if nan(a) || nan(b) {
        return first([a, b], 0.0);
    }
    if x.is_infinite() && y == f32::NEG_INFINITY || x == 0.0 && y == f32::INFINITY {
        return DEFAULT;
    }
    // Far beyond what a float of 32 bits can be scaled to something by; exact as one of 64.
    let scale = 2f64.powi(y.floor().clamp(-400.0, 400.0) as i32);
    ((f64::from(x) * scale) as f32).to_bits()
}

/// VRANGEPS.
pub fn range(a: u32, b: u32, immediate: u64) -> u32 {
    if signaling(a) {
        return a | QUIET;
    }
    if signaling(b) {
        return b | QUIET;
    }
    let [x, y] = [a, b].map(f32::from_bits);
    let magnitudes = immediate & 2 != 0;
    let (u, v) = if magnitudes { (x.abs(), y.abs()) } else { (x, y) };
    let max = immediate & 1 != 0;
    let second = match u.partial_cmp(&v) {
        None => !nan(b),
        // Zeros of two signs, or magnitudes of two: the negative one is less.
        Some(Ordering::Equal) => (a >> 31 != 0) == max,
        Some(Ordering::Less) => max,
        Some(Ordering::Greater) => !max,
    };
    let chosen = if second { b } else { a };
    let sign = match immediate >> 2 & 3 {
        0 => a & 1 << 31,
        1 => chosen & 1 << 31,
        2 => 0,
        _ => 1 << 31,
    };
    chosen & !(1 << 31) | sign
}

/// Of a float, or an integer that becomes one, and the immediate.
pub fn unary(m: Mnemonic) -> Option<fn(u32, u64) -> u32> {
    use Mnemonic::*;
    Some(match m {
        Vsqrtps => |a, _| first([a], f32::from_bits(a).sqrt()),
        Vrndscaleps => |a, immediate| {
            let of = [f32::round_ties_even, f32::floor, f32::ceil, f32::trunc];
            first([a], of[rounding(immediate)](f32::from_bits(a)))
        },
        Vcvtdq2ps => |a, _| (a as i32 as f32).to_bits(),
        Vcvtudq2ps => |a, _| (a as f32).to_bits(),
        Vcvttps2dq => |a, _| match f32::from_bits(a).trunc() {
            t if (-2147483648.0..2147483648.0).contains(&t) => t as i32 as u32,
            _ => 1 << 31,
        },
        Vcvttps2udq => |a, _| match f32::from_bits(a).trunc() {
            t if (0.0..4294967296.0).contains(&t) => t as u32,
            _ => u32::MAX,
        },
        _ => return None,
    })
}

/// The mode that VRNDSCALE's immediate names; bit 3 keeps it from saying that the result is inexact.
fn rounding(immediate: u64) -> usize {
    assert_eq!(immediate & !11, 0, "VRNDSCALE with a scale, or by MXCSR");
    immediate as usize & 3
}

/// A product and a sum, rounded once; of destination, second and third operand, as the instruction's form has them.
pub fn fused(m: Mnemonic) -> Option<impl Fn(u32, u32, u32) -> u32> {
    use Mnemonic::*;
    let to_addend = match m {
        Vfmadd213ps | Vfmsub213ps | Vfnmadd213ps | Vfnmsub213ps => false,
        Vfmadd231ps | Vfmsub231ps | Vfnmadd231ps | Vfnmsub231ps => true,
        _ => return None,
    };
    let product = matches!(m, Vfnmadd213ps | Vfnmsub213ps | Vfnmadd231ps | Vfnmsub231ps);
    let addend = matches!(m, Vfmsub213ps | Vfnmsub213ps | Vfmsub231ps | Vfnmsub231ps);
    let minus = |v: u32, negative: bool| f32::from_bits(v ^ u32::from(negative) << 31);
    Some(move |d, a, b| {
        let [x, y, z] = if to_addend { [a, b, d] } else { [a, d, b] };
        first([x, y, z], minus(x, product).mul_add(minus(y, false), minus(z, addend)))
    })
}

/// Of destination, second and third operand.
pub fn binary_64(m: Mnemonic) -> Option<fn(u64, u64, u64) -> u64> {
    use Mnemonic::*;
    const fn value(x: u64) -> f64 {
        f64::from_bits(x)
    }
    Some(match m {
        Vaddpd => |_, a, b| first_64([a, b], value(a) + value(b)),
        Vmulpd => |_, a, b| first_64([a, b], value(a) * value(b)),
        Vfmadd213pd => |d, a, b| first_64([a, d, b], value(a).mul_add(value(d), value(b))),
        _ => return None,
    })
}

pub fn unary_64(m: Mnemonic) -> Option<fn(u64, u64) -> u64> {
    use Mnemonic::*;
    Some(match m {
        Vsqrtpd => |a, _| first_64([a], f64::from_bits(a).sqrt()),
        Vrndscalepd => |a, immediate| {
            let of = [f64::round_ties_even, f64::floor, f64::ceil, f64::trunc];
            first_64([a], of[rounding(immediate)](f64::from_bits(a)))
        },
        _ => return None,
    })
}

/// VCMPPS, VCMPPD: what the immediate asks for of two, by how they compare; signaling or not is no difference here.
pub fn compares(order: Option<Ordering>, immediate: u64) -> bool {
    use Ordering::{Equal, Greater, Less};
    let is = |of: Ordering| order == Some(of);
    let unordered = order.is_none();
    match immediate & 15 {
        // 16 and more: the other way as to signaling.
        0 => is(Equal),
        1 => is(Less),
        2 => is(Less) || is(Equal),
        3 => unordered,
        4 => !is(Equal),
        5 => !is(Less),
        6 => !(is(Less) || is(Equal)),
        7 => !unordered,
        8 => is(Equal) || unordered,
        9 => !(is(Greater) || is(Equal)),
        10 => !is(Greater),
        11 => false,
        12 => is(Less) || is(Greater),
        13 => is(Greater) || is(Equal),
        14 => is(Greater),
        _ => true,
    }
}

/// A half's value: exact.
pub fn widened(h: u32) -> u32 {
    let (sign, exponent, fraction) = ((h & 0x8000) << 16, h >> 10 & 31, h & 0x3ff);
    sign | match (exponent, fraction) {
        (0, f) => (f as f32 * 2f32.powi(-24)).to_bits(),
        (31, 0) => 0x7f80_0000,
        (31, f) => 0x7f80_0000 | QUIET | f << 13,
        (e, f) => (e + 112) << 23 | f << 13,
    }
}

/// To a half: to nearest even, or toward zero.
pub fn narrowed(x: u32, immediate: u64) -> u32 {
    let nearest = match immediate & 7 {
        // MXCSR says so.
        0 | 4..=7 => true,
        3 => false,
        other => panic!("VCVTPS2PH rounds by {other}"),
    };
    let (sign, magnitude) = (x >> 16 & 0x8000, x & !(1 << 31));
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00 | magnitude >> 13 & 0x3ff;
    }
    if magnitude == 0x7f80_0000 {
        return sign | 0x7c00;
    }
    // In units of the half's last place: 2^-24 at least, exactly, for these are powers of two.
    let value = f64::from(f32::from_bits(magnitude));
    let exponent = (magnitude >> 23).max(113) as i32 - 127;
    let units = value * 2f64.powi(10 - exponent);
    let rounded = if nearest { units.round_ties_even() } else { units.trunc() };
    // 1024 units of one exponent and more are the next's; of the least there may be less.
    let half = (((exponent + 14) as u32) << 10) + rounded as u32;
    let largest = if nearest { 0x7c00 } else { 0x7bff };
    sign | half.min(largest)
}
