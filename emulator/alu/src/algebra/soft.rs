//! Float formats by bits: conversion and rounding where the host's own cannot be used.

/// MODE.round: to nearest even, toward +∞, toward −∞, toward zero.
pub type Round = u8;

/// A narrow format: bits of its fraction and of its exponent.
#[derive(Clone, Copy)]
pub struct Format {
    pub fraction: u32,
    pub exponent: u32,
}

pub const F16: Format = Format { fraction: 10, exponent: 5 };
pub const F32: Format = Format { fraction: 23, exponent: 8 };

/// Rounds `v` into a narrower format. Right also if `v` itself was rounded to odd (Boldo, Melquiond 2008).
pub fn narrow(v: f64, to: Format, round: Round) -> u32 {
    let bits = v.to_bits();
    let negative = bits >> 63 != 0;
    let sign = u32::from(negative) << (to.fraction + to.exponent);
    let max_exponent = (1u32 << to.exponent) - 1;
    let infinity = sign | max_exponent << to.fraction;
    if v.is_nan() {
        return infinity | 1 << (to.fraction - 1) | ((bits >> (52 - to.fraction)) as u32 & ((1 << to.fraction) - 1));
    }
    if v.is_infinite() {
        return infinity;
    }
    if v == 0.0 {
        return sign;
    }
    // v = mantissa · 2^(exponent − 52), the top bit of mantissa at 52.
    let (mut mantissa, mut exponent) = ((bits & ((1 << 52) - 1)), ((bits >> 52) & 0x7ff) as i32 - 1023);
    if exponent == -1023 {
        let shift = mantissa.leading_zeros() - 11;
        mantissa <<= shift;
        exponent = -1022 - shift as i32;
    } else {
        mantissa |= 1 << 52;
    }
    let bias = (1 << (to.exponent - 1)) - 1;
    let subnormal = (1 - bias - exponent).max(0) as u32;
    let drop = (52 - to.fraction + subnormal).min(63);
    let (kept, rest, half) = (mantissa >> drop, mantissa & ((1u64 << drop) - 1), 1u64 << (drop - 1));
    let up = match round {
        0 => rest > half || (rest == half && kept & 1 == 1),
        1 => rest != 0 && !negative,
        2 => rest != 0 && negative,
        _ => false,
    };
    // The implicit bit, where kept has it, adds one to the exponent; so does a carry out of the fraction.
    let field = if subnormal > 0 { 0 } else { (exponent + bias - 1) as u64 };
    let magnitude = (field << to.fraction) + kept + u64::from(up);
    if magnitude >> to.fraction >= u64::from(max_exponent) {
        let to_infinity = matches!((round, negative), (0, _) | (1, false) | (2, true));
        return infinity - u32::from(!to_infinity);
    }
    sign | magnitude as u32
}

/// `a + b` rounded to odd: exact, or an odd neighbour of the exact sum.
pub fn add_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // Knuth's two-sum: the rounding error, exactly.
    let t = sum - a;
    let error = (a - (sum - t)) + (b - t);
    if !sum.is_finite() || error == 0.0 || error.is_nan() || sum.to_bits() & 1 == 1 {
        return sum;
    }
    f64::from_bits(if (error > 0.0) == (sum > 0.0) { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

/// An f64 as an f32 rounded to odd, so that one more rounding to f16 is right. Branch-free.
#[inline(always)]
pub fn odd32(v: f64) -> f32 {
    let near = v as f32;
    let error = v - f64::from(near);
    let away = (error > 0.0) == (near > 0.0);
    let bits = near.to_bits();
    let adjusted = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    let keep = !(error != 0.0) || bits & 1 == 1 || !near.is_finite() || bits << 1 == 0;
    f32::from_bits(if keep { bits } else { adjusted })
}

/// f16 bits of an f32, to nearest even. Branch-free.
#[inline(always)]
pub fn f16_from_f32(x: u32) -> u32 {
    let sign = x >> 16 & 0x8000;
    let a = x & 0x7fff_ffff;
    let normal = a.wrapping_add(0xfff + (a >> 13 & 1)).wrapping_sub(0x3800_0000) >> 13;
    // Adding 0.5 leaves the rounded multiple of 2^-24 in the low bits.
    let small = (f32::from_bits(a) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let finite = if a < 0x3880_0000 { small } else { normal };
    let bounded = if a >= 0x477f_f000 { 0x7c00 } else { finite };
    let magnitude = if a > 0x7f80_0000 { 0x7e00 | (a >> 13 & 0x3ff) } else { bounded };
    sign | magnitude
}

/// f16 bits of an f32, toward zero. Branch-free.
#[inline(always)]
pub fn f16_toward_zero(x: u32) -> u32 {
    let sign = x >> 16 & 0x8000;
    let a = x & 0x7fff_ffff;
    let normal = a.wrapping_sub(0x3800_0000) >> 13;
    // In units of 2^-24 the value is mantissa >> (126 − exponent).
    let shift = 126u32.wrapping_sub(a >> 23).min(31);
    let small = (a & 0x7f_ffff | 0x80_0000) >> shift;
    let finite = if a < 0x3880_0000 { small } else { normal };
    let bounded = if a >= 0x4780_0000 { 0x7bff } else { finite };
    let special = if a > 0x7f80_0000 { 0x7e00 | (a >> 13 & 0x3ff) } else { 0x7c00 };
    sign | if a >= 0x7f80_0000 { special } else { bounded }
}

/// f32 bits of an f16: exact. Branch-free.
#[inline(always)]
pub fn f32_from_f16(h: u32) -> u32 {
    let sign = (h & 0x8000) << 16;
    let a = (h & 0x7fff) << 13;
    let normal = a + 0x3800_0000;
    let special = a + 0x7000_0000;
    let small = (f32::from_bits(a + 0x3880_0000) - f32::from_bits(0x3880_0000)).to_bits();
    let magnitude = if a < 0x0080_0000 {
        small
    } else if a >= 0x0f80_0000 {
        special
    } else {
        normal
    };
    sign | magnitude
}

/// `a · 2^n`, one rounding. Branch-free.
#[inline(always)]
pub fn ldexp(a: f32, n: i32) -> f32 {
    let n = n.clamp(-300, 300);
    let power = |e: i32| f64::from_bits(((e + 1023) as u64) << 52);
    // In f64 the product is exact: |a| ≥ 2^-149 and n ≥ -300 stay normal.
    (f64::from(a) * power(n)) as f32
}

/// The sign, and |v| = mantissa · 2^exponent, of a finite value.
fn unpack(v: f64) -> (bool, u64, i32) {
    let bits = v.to_bits();
    let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let mantissa = if field == 0 { fraction } else { fraction | 1 << 52 };
    (bits >> 63 != 0, mantissa, field.max(1) - 1075)
}

/// ±mantissa · 2^exponent, one rounding. Bit 0 of the mantissa may stand for anything nonzero below it if the mantissa has
/// more than 54 bits or is not near the smallest normal number's scale.
fn round64(negative: bool, mantissa: u128, exponent: i32, round: Round) -> f64 {
    let sign = u64::from(negative) << 63;
    if mantissa == 0 {
        return f64::from_bits(sign);
    }
    // The result's unit in the last place.
    let top = 127 - mantissa.leading_zeros() as i32;
    let unit = (exponent + top - 52).max(-1074);
    let drop = unit - exponent;
    let (kept, rest, half) = match drop {
        i32::MIN..=0 => ((mantissa << -drop) as u64, 0, 1),
        1..=127 => ((mantissa >> drop) as u64, mantissa & ((1 << drop) - 1), 1u128 << (drop - 1)),
        _ => (0, 1, 2),
    };
    let up = match round {
        0 => rest > half || (rest == half && kept & 1 == 1),
        1 => rest != 0 && !negative,
        2 => rest != 0 && negative,
        _ => false,
    };
    // The implicit bit adds one to the exponent field; so does a carry out of the fraction.
    let field = (unit + 1074).min(0x7ff) as u64;
    let magnitude = (field << 52) + kept + u64::from(up);
    const INFINITY: u64 = 0x7ff << 52;
    let to_infinity = matches!((round, negative), (0, _) | (1, false) | (2, true));
    let magnitude = if magnitude < INFINITY { magnitude } else { INFINITY - u64::from(!to_infinity) };
    f64::from_bits(sign | magnitude)
}

/// `v` shifted down by `n`, what falls out kept in bit 0.
fn jam(v: u128, n: u32) -> u128 {
    match n {
        0 => v,
        1..=127 => v >> n | u128::from(v & ((1 << n) - 1) != 0),
        _ => u128::from(v != 0),
    }
}

/// `a · b + c`, one rounding.
pub fn fma64(a: f64, b: f64, c: f64, round: Round) -> f64 {
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return a.mul_add(b, c);
    }
    let ((sa, ma, ea), (sb, mb, eb), (sc, mc, ec)) = (unpack(a), unpack(b), unpack(c));
    let (sp, product, ep) = (sa != sb, u128::from(ma) * u128::from(mb), ea + eb);
    let zero = |x: bool, y: bool| if x == y { x } else { round == 2 };
    if product == 0 || mc == 0 {
        return match (product == 0, mc == 0) {
            (true, true) => f64::from_bits(u64::from(zero(sp, sc)) << 63),
            (true, false) => c,
            _ => round64(sp, product, ep, round),
        };
    }
    // Both with their top bit at 125, so that their sum fits; the smaller is moved to the larger's scale.
    let top = |m: u128, e: i32| {
        let up = m.leading_zeros() as i32 - 2;
        (m << up, e - up)
    };
    let ((product, ep), (addend, ec)) = (top(product, ep), top(u128::from(mc), ec));
    let exponent = ep.max(ec);
    let (x, y) = (jam(product, (exponent - ep) as u32), jam(addend, (exponent - ec) as u32));
    match (sp == sc, x.cmp(&y)) {
        (true, _) => round64(sp, x + y, exponent, round),
        (false, std::cmp::Ordering::Greater) => round64(sp, x - y, exponent, round),
        (false, std::cmp::Ordering::Less) => round64(sc, y - x, exponent, round),
        (false, std::cmp::Ordering::Equal) => f64::from_bits(u64::from(round == 2) << 63),
    }
}

pub fn add64(a: f64, b: f64, round: Round) -> f64 {
    if a.is_finite() && b.is_finite() { fma64(a, 1.0, b, round) } else { a + b }
}

pub fn mul64(a: f64, b: f64, round: Round) -> f64 {
    if !(a.is_finite() && b.is_finite()) {
        return a * b;
    }
    let ((sa, ma, ea), (sb, mb, eb)) = (unpack(a), unpack(b));
    round64(sa != sb, u128::from(ma) * u128::from(mb), ea + eb, round)
}

/// `a · 2^n`, one rounding.
pub fn ldexp64(a: f64, n: i32, round: Round) -> f64 {
    if !a.is_finite() {
        return a + a;
    }
    let (sign, mantissa, exponent) = unpack(a);
    round64(sign, mantissa.into(), exponent + n.clamp(-4400, 4400), round)
}
