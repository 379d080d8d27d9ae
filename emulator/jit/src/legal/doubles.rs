//! Floats of 64 bits, as low and high words.

use super::{Literals, SIGN, held, or_else, whole, whole_signed};
use wavepipe_isa::alu::Alu;

type D<A> = [<A as Alu>::B; 2];

/// The high word of 2^52: from here on every double is an integer.
const WHOLE: u32 = 0x4330_0000;

/// A literal that has zeros in its low word.
fn lit<A: Alu>(a: &mut A, high: u32) -> D<A> {
    [a.lit(0), a.lit(high)]
}

fn sel<A: Alu>(a: &mut A, c: A::C, t: D<A>, f: D<A>) -> D<A> {
    [a.sel(c, t[0], f[0]), a.sel(c, t[1], f[1])]
}

/// A NaN loses and −0 < +0; x if both are NaN, or neither is less.
fn extreme<A: Alu>(a: &mut A, x: D<A>, y: D<A>, max: bool) -> D<A> {
    let (less, same, lower) = (a.dlt(x, y), a.deq(x, y), a.slt(x[1], y[1]));
    let tie = a.cand(same, lower);
    let below = a.cor(less, tie);
    let pick = if max { sel(a, below, y, x) } else { sel(a, below, x, y) };
    let ordered = a.deq(y, y);
    let one = sel(a, ordered, pick, x);
    let ordered = a.deq(x, x);
    sel(a, ordered, one, y)
}

pub fn dmin<A: Alu>(a: &mut A, x: D<A>, y: D<A>) -> D<A> {
    extreme(a, x, y, false)
}

pub fn dmax<A: Alu>(a: &mut A, x: D<A>, y: D<A>) -> D<A> {
    extreme(a, x, y, true)
}

/// 2^52 added and taken away: what it rounds is then in the last place.
pub fn drndne<A: Alu>(a: &mut A, x: D<A>) -> D<A> {
    let (magnitude, sign) = (a.and_lit(x[1], !SIGN), a.and_lit(x[1], SIGN));
    let (plus, minus) = (lit(a, WHOLE), lit(a, WHOLE | SIGN));
    let up = a.dadd([x[0], magnitude], plus);
    let v = a.dadd(up, minus);
    let v = [v[0], a.or(v[1], sign)];
    // Not of infinity and NaN.
    let small = a.slt_lit(magnitude, WHOLE);
    sel(a, small, v, x)
}

pub fn dfloor<A: Alu>(a: &mut A, x: D<A>) -> D<A> {
    let near = a.drndne(x);
    let one = lit(a, 0xbff0_0000);
    let (above, less) = (a.dlt(x, near), a.dadd(near, one));
    sel(a, above, less, near)
}

pub fn dceil<A: Alu>(a: &mut A, x: D<A>) -> D<A> {
    let x = [x[0], a.xor_lit(x[1], SIGN)];
    let v = a.dfloor(x);
    [v[0], a.xor_lit(v[1], SIGN)]
}

pub fn dtrunc<A: Alu>(a: &mut A, x: D<A>) -> D<A> {
    let (magnitude, sign) = (a.and_lit(x[1], !SIGN), a.and_lit(x[1], SIGN));
    let v = a.dfloor([x[0], magnitude]);
    [v[0], a.or(v[1], sign)]
}

/// Two roundings, as the algebra has it.
pub fn drsq<A: Alu>(a: &mut A, x: D<A>) -> D<A> {
    let root = a.dsqrt(x);
    a.drcp(root)
}

/// The exponent field is moved as far as it goes; a product by a power of two does the rest with the only rounding, or
/// overflows.
pub fn dldexp<A: Alu>(a: &mut A, x: D<A>, n: A::B) -> D<A> {
    let magnitude = a.and_lit(x[1], !SIGN);
    // A denormal is made normal, exactly: by 2^64.
    let denormal = a.slt_lit(magnitude, 1 << 20);
    let up = lit(a, 0x43f0_0000);
    let scaled = a.dmul(x, up);
    let v = sel(a, denormal, scaled, x);
    let n = held(a, n, -2400, 2400);
    let less = a.add_lit(n, -64i32 as u32);
    let n = a.sel(denormal, less, n);
    let field = field(a, v);
    let wanted = a.add(field, n);
    let field = held(a, wanted, 1, 2046);
    let rest = a.sub(wanted, field);
    // 2^-100 is enough to leave nothing, 2 to overflow.
    let rest = held(a, rest, -100, 1);
    let power = a.add_lit(rest, 1023);
    let (power, field) = (a.shl_lit(power, 20), a.shl_lit(field, 20));
    let high = a.and_lit(v[1], 0x800f_ffff);
    let (high, zero) = (a.or(high, field), a.lit(0));
    let v = a.dmul([v[0], high], [zero, power]);
    let any = a.or(x[0], magnitude);
    let (zero, finite) = (a.eq_lit(any, 0), a.slt_lit(magnitude, 0x7ff0_0000));
    let v = sel(a, zero, x, v);
    sel(a, finite, v, x)
}

/// In the low word of 2^52, which is then taken away.
pub fn f64_from_u32<A: Alu>(a: &mut A, x: A::B) -> D<A> {
    let v = [x, a.lit(WHOLE)];
    let minus = lit(a, WHOLE | SIGN);
    a.dadd(v, minus)
}

/// As without a sign, with 2^31 more.
pub fn f64_from_i32<A: Alu>(a: &mut A, x: A::B) -> D<A> {
    let v = [a.xor_lit(x, SIGN), a.lit(WHOLE)];
    let minus = [a.lit(SIGN), a.lit(WHOLE | SIGN)];
    a.dadd(v, minus)
}

fn field<A: Alu>(a: &mut A, x: D<A>) -> A::B {
    let field = a.shr_lit(x[1], 20);
    a.and_lit(field, 0x7ff)
}

/// The significand below its first bit, from bit `top` − 1 of a word down.
fn significand<A: Alu>(a: &mut A, x: D<A>, top: u32) -> A::B {
    let high = a.shl_lit(x[1], top - 20);
    let high = a.and_lit(high, (1 << top) - 1);
    let low = a.shr_lit(x[0], 52 - top);
    a.or(high, low)
}

pub fn i32_from_f64<A: Alu>(a: &mut A, x: D<A>) -> A::B {
    let word = significand(a, x, 30);
    let word = a.or_lit(word, 1 << 30);
    let field = field(a, x);
    let v = whole_signed(a, field, word, 1023, x[1]);
    let ordered = a.deq(x, x);
    or_else(a, ordered, v, 0)
}

pub fn u32_from_f64<A: Alu>(a: &mut A, x: D<A>) -> A::B {
    let word = significand(a, x, 31);
    let word = a.or_lit(word, SIGN);
    let field = field(a, x);
    let (v, fits) = whole(a, field, word, 1023, 31);
    let v = or_else(a, fits, v, !0);
    // Not NaN either.
    let zero = lit(a, 0);
    let positive = a.dlt(zero, x);
    a.sel(positive, v, zero[0])
}
