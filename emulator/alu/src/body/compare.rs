//! Comparisons and bit tests: sources `[low, high]` → condition.

use super::Visitor;
use super::ext::{Ext, Pipe};
use crate::{Alu, Compare};

macro_rules! compare {
    ($(@$list:ident)? $($id:ident |$a:ident, $x:pat_param, $y:pat_param| $f:tt $(($($args:tt)*))?;)*) => {
        listed! { $(@$list)? compare $($id)* }
        $(
        #[allow(non_camel_case_types)]
        pub struct $id;
        impl Compare for $id {
            #[inline(always)]
            fn eval<A: Alu>($a: &mut A, [$x, $y]: [[A::B; 2]; 2]) -> A::C {
                term!($a, $f $(($($args)*))?)
            }
        }
    )* };
}

/// The six orders of an integer type: how its sources are read, and which less-than.
macro_rules! orders {
    ($list:ident: $eq:ident $ne:ident $lt:ident $gt:ident $le:ident $ge:ident: |$a:ident, $s:ident| $read:expr, $less:ident, $equal:ident) => {
        compare! { @$list
            $eq |$a, x, y| { let (x, y) = ({ let $s = x; $read }, { let $s = y; $read }); $a.$equal(x, y) };
            $ne |$a, x, y| { let (x, y) = ({ let $s = x; $read }, { let $s = y; $read }); $a.$equal(x, y).pipe(|c| $a.cnot(c)) };
            $lt |$a, x, y| { let (x, y) = ({ let $s = x; $read }, { let $s = y; $read }); $a.$less(x, y) };
            $gt |$a, x, y| { let (x, y) = ({ let $s = x; $read }, { let $s = y; $read }); $a.$less(y, x) };
            $le |$a, x, y| { let (x, y) = ({ let $s = x; $read }, { let $s = y; $read }); $a.$less(y, x).pipe(|c| $a.cnot(c)) };
            $ge |$a, x, y| { let (x, y) = ({ let $s = x; $read }, { let $s = y; $read }); $a.$less(x, y).pipe(|c| $a.cnot(c)) };
        }
    };
}
orders!(orders_u32: eq_u32 ne_u32 lt_u32 gt_u32 le_u32 ge_u32: |a, s| s[0], ult, eq);
orders!(orders_i32: eq_i32 ne_i32 lt_i32 gt_i32 le_i32 ge_i32: |a, s| s[0], slt, eq);
orders!(orders_u16: eq_u16 ne_u16 lt_u16 gt_u16 le_u16 ge_u16: |a, s| a.low16(s[0]), ult, eq);
orders!(orders_i16: eq_i16 ne_i16 lt_i16 gt_i16 le_i16 ge_i16: |a, s| a.sext16(s[0]), slt, eq);
orders!(orders_u64: eq_u64 ne_u64 lt_u64 gt_u64 le_u64 ge_u64: |a, s| s, ult64, eq64);
orders!(orders_i64: eq_i64 ne_i64 lt_i64 gt_i64 le_i64 ge_i64: |a, s| s, slt64, eq64);

/// The fourteen relations of a float type by its ordered =, <, ≤.
macro_rules! relations {
    ($list:ident: $lt:ident $eq:ident $le:ident $gt:ident $lg:ident $ge:ident $o:ident $u:ident
     $nge:ident $nlg:ident $ngt:ident $nle:ident $neq:ident $nlt:ident: |$a:ident, $s:ident| $read:expr, $equal:ident $less:ident $most:ident) => {
        compare! { @$list
            $lt |$a, x, y| { let (x, y) = ({ let $s = x; $read }, { let $s = y; $read }); $a.$less(x, y) };
            $eq |$a, x, y| { let (x, y) = ({ let $s = x; $read }, { let $s = y; $read }); $a.$equal(x, y) };
            $le |$a, x, y| { let (x, y) = ({ let $s = x; $read }, { let $s = y; $read }); $a.$most(x, y) };
            $gt |$a, x, y| { let (x, y) = ({ let $s = x; $read }, { let $s = y; $read }); $a.$less(y, x) };
            $lg |$a, x, y| { let (x, y) = ({ let $s = x; $read }, { let $s = y; $read }); let p = $a.$less(x, y); let q = $a.$less(y, x); $a.cor(p, q) };
            $ge |$a, x, y| { let (x, y) = ({ let $s = x; $read }, { let $s = y; $read }); $a.$most(y, x) };
            $o |$a, x, y| { let (x, y) = ({ let $s = x; $read }, { let $s = y; $read }); let p = $a.$equal(x, x); let q = $a.$equal(y, y); $a.cand(p, q) };
            $u |$a, x, y| { let c = $o::eval($a, [x, y]); $a.cnot(c) };
            $nge |$a, x, y| { let c = $ge::eval($a, [x, y]); $a.cnot(c) };
            $nlg |$a, x, y| { let c = $lg::eval($a, [x, y]); $a.cnot(c) };
            $ngt |$a, x, y| { let c = $gt::eval($a, [x, y]); $a.cnot(c) };
            $nle |$a, x, y| { let c = $le::eval($a, [x, y]); $a.cnot(c) };
            $neq |$a, x, y| { let c = $eq::eval($a, [x, y]); $a.cnot(c) };
            $nlt |$a, x, y| { let c = $lt::eval($a, [x, y]); $a.cnot(c) };
        }
    };
}
relations!(relations_f32: lt_f32 eq_f32 le_f32 gt_f32 lg_f32 ge_f32 o_f32 u_f32 nge_f32 nlg_f32 ngt_f32 nle_f32 neq_f32 nlt_f32:
    |a, s| s[0], feq flt fle);
relations!(relations_f16: lt_f16 eq_f16 le_f16 gt_f16 lg_f16 ge_f16 o_f16 u_f16 nge_f16 nlg_f16 ngt_f16 nle_f16 neq_f16 nlt_f16:
    |a, s| a.f32_from_f16(s[0]), feq flt fle);
relations!(relations_f64: lt_f64 eq_f64 le_f64 gt_f64 lg_f64 ge_f64 o_f64 u_f64 nge_f64 nlg_f64 ngt_f64 nle_f64 neq_f64 nlt_f64:
    |a, s| s, deq dlt dle);

compare! { @tests
    cmp_false |a, _, _| { a.truth(false) };
    cmp_true |a, _, _| { a.truth(true) };
    class_f32 |a, [x, _], [mask, _]| {
        let (sign, exponent, rest) = (e!(a, shr(x, 31)), a.fexponent(x), e!(a, and(x, 0x7f_ffff)));
        let quiet = e!(a, nonzero(and(x, 0x40_0000)));
        class(a, Parts { sign, exponent, rest, quiet, top: 0xff }, mask)
    };
    class_f16 |a, [x, _], [mask, _]| {
        let (sign, exponent, rest) = (e!(a, and(shr(x, 15), 1)), e!(a, and(shr(x, 10), 0x1f)), e!(a, and(x, 0x3ff)));
        let quiet = e!(a, nonzero(and(x, 0x200)));
        class(a, Parts { sign, exponent, rest, quiet, top: 0x1f }, mask)
    };
    class_f64 |a, x, [mask, _]| {
        let [low, high] = x;
        let (sign, exponent) = (e!(a, shr(high, 31)), a.dexponent(x));
        let rest = e!(a, or(low, and(high, 0xf_ffff)));
        let quiet = e!(a, nonzero(and(high, 0x8_0000)));
        class(a, Parts { sign, exponent, rest, quiet, top: 0x7ff }, mask)
    };
}

// Of scalar instructions only.
compare! {
    // S_CMPK_*_U32: the constant is zero-extended from 16 bits.
    eq_u32_k16 |a, [x, _], [y, _]| eq(x, low16(y));
    ne_u32_k16 |a, [x, _], [y, _]| ne(x, low16(y));
    gt_u32_k16 |a, [x, _], [y, _]| ult(low16(y), x);
    ge_u32_k16 |a, [x, _], [y, _]| cnot(ult(x, low16(y)));
    lt_u32_k16 |a, [x, _], [y, _]| ult(x, low16(y));
    le_u32_k16 |a, [x, _], [y, _]| cnot(ult(low16(y), x));
    bitcmp0_b32 |a, [x, _], [y, _]| eq(and(shr(x, y), 1), 0);
    bitcmp1_b32 |a, [x, _], [y, _]| nonzero(and(shr(x, y), 1));
    bitcmp0_b64 |a, x, [y, _]| { let [low, _] = a.shr64(x, y); e!(a, eq(and(low, 1), 0)) };
    bitcmp1_b64 |a, x, [y, _]| { let [low, _] = a.shr64(x, y); e!(a, nonzero(and(low, 1))) };
}

/// Visits every comparison of a vector instruction.
pub(super) fn visit<V: Visitor>(visitor: &mut V) {
    orders_u32(visitor);
    orders_i32(visitor);
    orders_u16(visitor);
    orders_i16(visitor);
    orders_u64(visitor);
    orders_i64(visitor);
    relations_f32(visitor);
    relations_f16(visitor);
    relations_f64(visitor);
    tests(visitor);
}

struct Parts<A: Alu> {
    sign: A::B,
    exponent: A::B,
    rest: A::B,
    quiet: A::C,
    /// All ones of the exponent field.
    top: u32,
}

/// Mask bits: 0 sNaN, 1 qNaN, 2 −∞, 3 −normal, 4 −denormal, 5 −0, 6 +0, 7 +denormal, 8 +normal, 9 +∞.
#[inline(always)]
fn class<A: Alu>(a: &mut A, p: Parts<A>, mask: A::B) -> A::C {
    let Parts { sign, exponent, rest, quiet, top } = p;
    let whole = e!(a, eq(rest, 0));
    let large = e!(a, eq(exponent, { top }));
    let small = e!(a, eq(exponent, 0));
    // Distance from the middle of the list: 0 zero, 1 denormal, 2 normal, 3 ∞.
    let tiny = e!(a, sel(whole, 0, 1));
    let finite = e!(a, sel(small, tiny, 2));
    let rank = e!(a, sel(large, 3, finite));
    let ordered = e!(a, sel(nonzero(sign), sub(5, rank), add(6, rank)));
    let nan = e!(a, cand(large, cnot(whole)));
    let index = e!(a, sel(nan, bit(quiet), ordered));
    e!(a, nonzero(and(shr(mask, index), 1)))
}
