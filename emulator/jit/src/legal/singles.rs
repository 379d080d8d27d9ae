//! Floats of 32 bits.

use super::{Literals, SIGN, held, or_else, whole, whole_signed};
use wavepipe_isa::alu::Alu;

/// 2^23: from here on every float is an integer.
const WHOLE: u32 = 0x4b00_0000;

/// A NaN loses and −0 < +0; x if both are NaN, or neither is less.
fn extreme<A: Alu>(a: &mut A, x: A::B, y: A::B, max: bool) -> A::B {
    let (less, same, lower) = (a.flt(x, y), a.feq(x, y), a.slt(x, y));
    let tie = a.cand(same, lower);
    let below = a.cor(less, tie);
    let pick = if max { a.sel(below, y, x) } else { a.sel(below, x, y) };
    let ordered = a.feq(y, y);
    let one = a.sel(ordered, pick, x);
    let ordered = a.feq(x, x);
    a.sel(ordered, one, y)
}

pub fn fmin<A: Alu>(a: &mut A, x: A::B, y: A::B) -> A::B {
    extreme(a, x, y, false)
}

pub fn fmax<A: Alu>(a: &mut A, x: A::B, y: A::B) -> A::B {
    extreme(a, x, y, true)
}

/// 2^23 added and taken away: what it rounds is then in the last place.
pub fn frndne<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let (magnitude, sign) = (a.and_lit(x, !SIGN), a.and_lit(x, SIGN));
    let up = a.fadd_lit(magnitude, WHOLE);
    let v = a.fadd_lit(up, WHOLE | SIGN);
    let v = a.or(v, sign);
    // Not of infinity and NaN.
    let small = a.slt_lit(magnitude, WHOLE);
    a.sel(small, v, x)
}

pub fn ffloor<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let near = a.frndne(x);
    let (above, less) = (a.flt(x, near), a.fadd_lit(near, (-1.0f32).to_bits()));
    a.sel(above, less, near)
}

pub fn fceil<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let x = a.xor_lit(x, SIGN);
    let v = a.ffloor(x);
    a.xor_lit(v, SIGN)
}

pub fn ftrunc<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let (magnitude, sign) = (a.and_lit(x, !SIGN), a.and_lit(x, SIGN));
    let v = a.ffloor(magnitude);
    a.or(v, sign)
}

/// Two roundings, as the algebra has it.
pub fn frsq<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let root = a.fsqrt(x);
    a.frcp(root)
}

/// The exponent field is moved as far as it goes; a product by a power of two does the rest with the only rounding, or
/// overflows.
pub fn fldexp<A: Alu>(a: &mut A, x: A::B, n: A::B) -> A::B {
    let magnitude = a.and_lit(x, !SIGN);
    // A denormal is made normal, exactly.
    let denormal = a.slt_lit(magnitude, 1 << 23);
    let scaled = a.fmul_lit(x, (16_777_216.0f32).to_bits());
    let v = a.sel(denormal, scaled, x);
    let n = held(a, n, -400, 400);
    let less = a.add_lit(n, -24i32 as u32);
    let n = a.sel(denormal, less, n);
    let field = a.shr_lit(v, 23);
    let field = a.and_lit(field, 0xff);
    let wanted = a.add(field, n);
    let field = held(a, wanted, 1, 254);
    let rest = a.sub(wanted, field);
    // 2^-100 is enough to leave nothing, 2 to overflow.
    let rest = held(a, rest, -100, 1);
    let power = a.add_lit(rest, 127);
    let (power, field) = (a.shl_lit(power, 23), a.shl_lit(field, 23));
    let v = a.and_lit(v, 0x807f_ffff);
    let v = a.or(v, field);
    let v = a.fmul(v, power);
    let (zero, finite) = (a.eq_lit(magnitude, 0), a.slt_lit(magnitude, 0x7f80_0000));
    let v = a.sel(zero, x, v);
    a.sel(finite, v, x)
}

/// Both halves exactly, and a sum with one rounding.
pub fn f32_from_u32<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let high = a.shr_lit(x, 16);
    joined(a, high, x, 8_388_608.0)
}

pub fn f32_from_i32<A: Alu>(a: &mut A, x: A::B) -> A::B {
    // Bit 31 counts −2^31: with 2^31 added it is unsigned.
    let moved = a.xor_lit(x, SIGN);
    let high = a.shr_lit(moved, 16);
    joined(a, high, x, 8_388_608.0 + 32_768.0)
}

/// (2^23 + `high` − `offset`) · 2^16 + the low half of `x`.
fn joined<A: Alu>(a: &mut A, high: A::B, x: A::B, offset: f32) -> A::B {
    let high = a.or_lit(high, WHOLE);
    let high = a.fadd_lit(high, (-offset).to_bits());
    let low = a.and_lit(x, 0xffff);
    let low = a.or_lit(low, WHOLE);
    let low = a.fadd_lit(low, WHOLE | SIGN);
    let scale = a.lit(65_536f32.to_bits());
    a.ffma(high, scale, low)
}

fn field<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let field = a.shr_lit(x, 23);
    a.and_lit(field, 0xff)
}

pub fn i32_from_f32<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let word = a.shl_lit(x, 7);
    let word = a.and_lit(word, !SIGN);
    let word = a.or_lit(word, 1 << 30);
    let field = field(a, x);
    let v = whole_signed(a, field, word, 127, x);
    let ordered = a.feq(x, x);
    or_else(a, ordered, v, 0)
}

pub fn u32_from_f32<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let word = a.shl_lit(x, 8);
    let word = a.or_lit(word, SIGN);
    let field = field(a, x);
    let (v, fits) = whole(a, field, word, 127, 31);
    let v = or_else(a, fits, v, !0);
    // Not NaN either.
    let zero = a.lit(0);
    let positive = a.flt(zero, x);
    a.sel(positive, v, zero)
}
