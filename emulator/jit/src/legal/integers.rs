//! Integers: bits counted and turned about, products, the unsigned order.

use super::{Literals, SIGN};
use wavepipe_isa::alu::Alu;

/// Sums of 2, 4, 8, 16 and 32 bits side by side.
pub fn popcnt<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let odd = a.shr_lit(x, 1);
    let odd = a.and_lit(odd, 0x5555_5555);
    let x = a.sub(x, odd);
    let high = a.shr_lit(x, 2);
    let (high, low) = (a.and_lit(high, 0x3333_3333), a.and_lit(x, 0x3333_3333));
    let x = a.add(high, low);
    let high = a.shr_lit(x, 4);
    let x = a.add(x, high);
    let x = a.and_lit(x, 0x0f0f_0f0f);
    let high = a.shr_lit(x, 8);
    let x = a.add(x, high);
    let high = a.shr_lit(x, 16);
    let x = a.add(x, high);
    a.and_lit(x, 63)
}

/// What is not at or below the highest bit.
pub fn clz<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let mut x = x;
    for by in [1, 2, 4, 8, 16] {
        let down = a.shr_lit(x, by);
        x = a.or(x, down);
    }
    let above = a.not(x);
    a.popcnt(above)
}

/// The bits below the lowest that is set: all for zero.
fn below<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let (less, not) = (a.add_lit(x, !0), a.not(x));
    a.and(less, not)
}

pub fn ctz<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let below = below(a, x);
    a.popcnt(below)
}

pub fn ctz_by_clz<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let below = below(a, x);
    let (zeros, all) = (a.clz(below), a.lit(32));
    a.sub(all, zeros)
}

pub fn brev<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let mut x = x;
    for (by, mask) in [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0f0f_0f0f), (8, 0x00ff_00ff)] {
        let high = a.shr_lit(x, by);
        let (high, low) = (a.and_lit(high, mask), a.and_lit(x, mask));
        let low = a.shl_lit(low, by);
        x = a.or(high, low);
    }
    let (high, low) = (a.shr_lit(x, 16), a.shl_lit(x, 16));
    a.or(high, low)
}

pub fn ult<A: Alu>(a: &mut A, x: A::B, y: A::B) -> A::C {
    let (x, y) = (a.xor_lit(x, SIGN), a.xor_lit(y, SIGN));
    a.slt(x, y)
}

/// By products of 16 bits; no sum exceeds 32 bits.
pub fn umulhi<A: Alu>(a: &mut A, x: A::B, y: A::B) -> A::B {
    let halves = |a: &mut A, v| (a.shr_lit(v, 16), a.and_lit(v, 0xffff));
    let ((xh, xl), (yh, yl)) = (halves(a, x), halves(a, y));
    let (low, left, right, high) = (a.mul(xl, yl), a.mul(xh, yl), a.mul(xl, yh), a.mul(xh, yh));
    let carry = a.shr_lit(low, 16);
    let left = a.add(left, carry);
    let (up, carry) = halves(a, left);
    let right = a.add(right, carry);
    let right = a.shr_lit(right, 16);
    let high = a.add(high, up);
    a.add(high, right)
}

/// What a signed high product lacks of the unsigned one: each factor whose other is negative.
fn signs<A: Alu>(a: &mut A, x: A::B, y: A::B) -> A::B {
    let (sx, sy) = (a.sar_lit(x, 31), a.sar_lit(y, 31));
    let (by_x, by_y) = (a.and(sx, y), a.and(sy, x));
    a.add(by_x, by_y)
}

pub fn umulhi_by_smulhi<A: Alu>(a: &mut A, x: A::B, y: A::B) -> A::B {
    let (high, signs) = (a.smulhi(x, y), signs(a, x, y));
    a.add(high, signs)
}

pub fn smulhi<A: Alu>(a: &mut A, x: A::B, y: A::B) -> A::B {
    let (high, signs) = (a.umulhi(x, y), signs(a, x, y));
    a.sub(high, signs)
}
