//! Floats of 16 bits: by those of 32, and to and from them by integers.

use super::{Literals, SIGN, or_else};
use wavepipe_isa::alu::Alu;

/// 2^-14, the least normal half, and its exponent field: what the two biases differ by, and one.
const LEAST: u32 = 0x3880_0000;
const BIAS: u32 = 0x3800_0000;
const NAN: u32 = 0x7f80_0000;

/// The sign in place, and the magnitude.
fn parts<A: Alu>(a: &mut A, x: A::B) -> (A::B, A::B) {
    let sign = a.shr_lit(x, 16);
    (a.and_lit(sign, 0x8000), a.and_lit(x, !SIGN))
}

/// A NaN's bits that a half has, made quiet.
fn quiet<A: Alu>(a: &mut A, magnitude: A::B) -> A::B {
    let payload = a.shr_lit(magnitude, 13);
    let payload = a.and_lit(payload, 0x3ff);
    a.or_lit(payload, 0x7e00)
}

pub fn f16_from_f32<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let (sign, m) = parts(a, x);
    let even = a.shr_lit(m, 13);
    let even = a.and_lit(even, 1);
    let normal = a.add(m, even);
    let normal = a.add_lit(normal, 0xfffu32.wrapping_sub(BIAS));
    let normal = a.shr_lit(normal, 13);
    // Adding 0.5 leaves the rounded multiple of 2^-24 in the low bits.
    let half = 0.5f32.to_bits();
    let small = a.fadd_lit(m, half);
    let small = a.add_lit(small, half.wrapping_neg());
    let is_small = a.slt_lit(m, LEAST);
    let v = a.sel(is_small, small, normal);
    // 65520 and more.
    let fits = a.slt_lit(m, 0x477f_f000);
    let v = or_else(a, fits, v, 0x7c00);
    let (number, nan) = (a.slt_lit(m, NAN + 1), quiet(a, m));
    let v = a.sel(number, v, nan);
    a.or(v, sign)
}

pub fn f16_from_f32_rtz<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let (sign, m) = parts(a, x);
    let normal = a.add_lit(m, BIAS.wrapping_neg());
    let normal = a.shr_lit(normal, 13);
    // In units of 2^-24 the value is the significand >> (126 − exponent field), which is below 1 from a count of 24 on.
    let (field, most) = (a.shr_lit(m, 23), a.lit(126));
    let count = a.sub(most, field);
    let near = a.slt_lit(count, 31);
    let count = or_else(a, near, count, 31);
    let significand = a.and_lit(m, 0x7f_ffff);
    let significand = a.or_lit(significand, 0x80_0000);
    let small = a.shr(significand, count);
    let is_small = a.slt_lit(m, LEAST);
    let v = a.sel(is_small, small, normal);
    // 65536 and more.
    let fits = a.slt_lit(m, 0x4780_0000);
    let v = or_else(a, fits, v, 0x7bff);
    let finite = a.slt_lit(m, NAN);
    let v = or_else(a, finite, v, 0x7c00);
    let (number, nan) = (a.slt_lit(m, NAN + 1), quiet(a, m));
    let v = a.sel(number, v, nan);
    a.or(v, sign)
}

pub fn f32_from_f16<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let sign = a.and_lit(x, 0x8000);
    let sign = a.shl_lit(sign, 16);
    let m = a.and_lit(x, 0x7fff);
    let m = a.shl_lit(m, 13);
    // Zero and denormals: a normal number that has 2^-14 too much.
    let small = a.add_lit(m, LEAST);
    let small = a.fadd_lit(small, LEAST | SIGN);
    let (normal, special) = (a.add_lit(m, BIAS), a.add_lit(m, 2 * BIAS));
    let is_finite = a.slt_lit(m, 0x0f80_0000);
    let v = a.sel(is_finite, normal, special);
    let is_small = a.slt_lit(m, 1 << 23);
    let v = a.sel(is_small, small, v);
    a.or(v, sign)
}

/// By an operation on floats of 32 bits; its rounding in between is innocuous for sums and products (Figueroa 1995).
fn through<A: Alu>(a: &mut A, x: A::B, y: A::B, f: fn(&mut A, A::B, A::B) -> A::B) -> A::B {
    let (x, y) = (a.f32_from_f16(x), a.f32_from_f16(y));
    let v = f(a, x, y);
    a.f16_from_f32(v)
}

pub fn hadd<A: Alu>(a: &mut A, x: A::B, y: A::B) -> A::B {
    through(a, x, y, A::fadd)
}

pub fn hmul<A: Alu>(a: &mut A, x: A::B, y: A::B) -> A::B {
    through(a, x, y, A::fmul)
}

pub fn hmin<A: Alu>(a: &mut A, x: A::B, y: A::B) -> A::B {
    through(a, x, y, A::fmin)
}

pub fn hmax<A: Alu>(a: &mut A, x: A::B, y: A::B) -> A::B {
    through(a, x, y, A::fmax)
}

/// The product is exact in 32 bits; the sum is rounded to odd there, which decides the rounding to 16 bits as the exact sum
/// would (Boldo and Melquiond 2008).
pub fn hfma<A: Alu>(a: &mut A, x: A::B, y: A::B, z: A::B) -> A::B {
    let (x, y, z) = (a.f32_from_f16(x), a.f32_from_f16(y), a.f32_from_f16(z));
    let product = a.fmul(x, y);
    let sum = a.fadd(product, z);
    // What the sum lacks, exactly (Knuth): (p − (sum − z')) + (z − z'), z' = sum − p.
    let minus = |a: &mut A, x, y| {
        let y = a.xor_lit(y, SIGN);
        a.fadd(x, y)
    };
    let z1 = minus(a, sum, product);
    let p1 = minus(a, sum, z1);
    let (of_product, of_z) = (minus(a, product, p1), minus(a, z, z1));
    let error = a.fadd(of_product, of_z);
    // An inexact even sum goes one step towards the exact one: away from zero if the signs agree. Not one without an error,
    // which is NaN if the sum is not finite.
    let magnitude = a.and_lit(error, !SIGN);
    let zero = a.lit(0);
    let inexact = a.flt(zero, magnitude);
    let odd = a.and_lit(sum, 1);
    let even = a.eq_lit(odd, 0);
    let moves = a.cand(inexact, even);
    let differ = a.xor(error, sum);
    let step = a.sar_lit(differ, 31);
    let step = a.or_lit(step, 1);
    let moved = a.add(sum, step);
    let sum = a.sel(moves, moved, sum);
    a.f16_from_f32(sum)
}
