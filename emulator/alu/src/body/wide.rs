//! Meanings with 64-bit sources or results: `[low, high]`.

use super::ext::{Ext, Pipe};
use super::int::Groups;
use crate::{Alu, Wide, WideCarry};

/// Names [`Wide`] bodies without a condition; the block gives `[low, high]`.
macro_rules! wide {
    ($(@$list:ident)? $($id:ident |$a:ident, $x:pat_param, $y:pat_param, $z:pat_param| $body:expr;)*) => {
        listed! { $(@$list)? wide $($id)* }
        $(
        #[allow(non_camel_case_types)]
        pub struct $id;
        impl Wide for $id {
            #[inline(always)]
            fn eval<A: Alu>($a: &mut A, [$x, $y, $z]: [[A::B; 2]; 3]) -> ([A::B; 2], A::C) {
                let value = $body;
                (value, $a.truth(false))
            }
        }
    )* };
}

/// One operation on both words.
macro_rules! words {
    ($($id:ident $lane:ident;)*) => { wide! { $(
        $id |a, [xl, xh], [yl, yh], _| [
            <super::$lane as crate::Lane>::eval(a, [xl, yl, xl]),
            <super::$lane as crate::Lane>::eval(a, [xh, yh, xh]),
        ];
    )* } };
}
words! {
    mov_b64 mov_b32;
    not_b64 not_b32;
    and_b64 and_b32;
    or_b64 or_b32;
    xor_b64 xor_b32;
    andn2_b64 andn2_b32;
    orn2_b64 orn2_b32;
    nand_b64 nand_b32;
    nor_b64 nor_b32;
    xnor_b64 xnor_b32;
    wqm_b64 wqm_b32;
}

/// Infinities held at the greatest finite values.
#[inline(always)]
fn dfinite<A: Alu>(a: &mut A, [l, h]: [A::B; 2]) -> [A::B; 2] {
    let infinite = e!(a, cand(eq(l, 0), eq(fabs(h), 0x7ff0_0000)));
    [e!(a, sel(infinite, 0xffff_ffff, l)), e!(a, sel(infinite, sub(h, 1), h))]
}

#[inline(always)]
fn word<A: Alu>(a: &mut A, x: A::B) -> [A::B; 2] {
    [x, a.lit(0)]
}

wide! { @wides
    shl_b64 |a, x, [n, _], _| a.shl64(x, n);
    shr_b64 |a, x, [n, _], _| a.shr64(x, n);
    sar_i64 |a, x, [n, _], _| a.sar64(x, n);
    lshlrev_b64 |a, [n, _], x, _| a.shl64(x, n);
    lshrrev_b64 |a, [n, _], x, _| a.shr64(x, n);
    ashrrev_i64 |a, [n, _], x, _| a.sar64(x, n);

    qsad_pk_u16_u8 |a, x, [y, _], z| { let all = e!(a, 0xffff_ffff); quad_sad(a, x, y, all, z) };
    mqsad_pk_u16_u8 |a, x, [y, _], z| quad_sad(a, x, y, y, z);

    add_f64 |a, x, y, _| a.dadd(x, y);
    mul_f64 |a, x, y, _| a.dmul(x, y);
    fma_f64 |a, x, y, z| a.dfma(x, y, z);
    min_f64 |a, x, y, _| a.dmin(x, y);
    max_f64 |a, x, y, _| a.dmax(x, y);
    trunc_f64 |a, x, _, _| a.dtrunc(x);
    ceil_f64 |a, x, _, _| a.dceil(x);
    floor_f64 |a, x, _, _| a.dfloor(x);
    rndne_f64 |a, x, _, _| a.drndne(x);
    rcp_f64 |a, x, _, _| a.drcp(x);
    rsq_f64 |a, x, _, _| a.drsq(x);
    rcp_clamp_f64 |a, x, _, _| { let r = a.drcp(x); dfinite(a, r) };
    rsq_clamp_f64 |a, x, _, _| { let r = a.drsq(x); dfinite(a, r) };
    sqrt_f64 |a, x, _, _| a.dsqrt(x);
    ldexp_f64 |a, x, [n, _], _| a.dldexp(x, n);
    fract_f64 |a, x, _, _| {
        let [fl, fh] = a.dfloor(x);
        let minus = [fl, a.fneg(fh)];
        let r = a.dadd(x, minus);
        let one = [e!(a, 0), e!(a, 0x3ff0_0000)];
        let below = [e!(a, 0xffff_ffff), e!(a, 0x3fef_ffff)];
        let reached = a.dle(one, r);
        a.sel64(reached, below, r)
    };
    frexp_exp_f64 |a, x, _, _| {
        let [l, h] = x;
        let field = a.dexponent(x);
        let magnitude = [l, a.fabs(h)];
        let denormal = { let n = leading(a, magnitude); e!(a, sub({-1010i32 as u32}, n)) };
        let zero = a.is_zero64(magnitude);
        let exponent = e!(a, sel(eq(field, 0), denormal, sub(field, 1022)));
        let none = e!(a, cor(zero, eq(field, 0x7ff)));
        let e = e!(a, sel(none, 0, exponent));
        word(a, e)
    };
    frexp_mant_f64 |a, x, _, _| {
        let [l, h] = x;
        let field = a.dexponent(x);
        let magnitude = [l, a.fabs(h)];
        let shift = { let n = leading(a, magnitude); e!(a, sub(n, 11)) };
        let moved = a.shl64(magnitude, shift);
        let denormal = e!(a, eq(field, 0));
        let [ml, mh] = a.sel64(denormal, moved, magnitude);
        let high = e!(a, or(or(and(mh, 0xf_ffff), 0x3fe0_0000), and(h, 0x8000_0000)));
        let zero = a.is_zero64(magnitude);
        let none = e!(a, cor(zero, eq(field, 0x7ff)));
        a.sel64(none, x, [ml, high])
    };
    cvt_i32_f64 |a, x, _, _| { let v = a.i32_from_f64(x); word(a, v) };
    cvt_u32_f64 |a, x, _, _| { let v = a.u32_from_f64(x); word(a, v) };
    cvt_f32_f64 |a, x, _, _| { let v = a.f32_from_f64(x); word(a, v) };
    cvt_f64_i32 |a, [x, _], _, _| a.f64_from_i32(x);
    cvt_f64_u32 |a, [x, _], _, _| a.f64_from_u32(x);
    cvt_f64_f32 |a, [x, _], _, _| a.f64_from_f32(x);
    trig_preop_f64 |a, x, [segment, _], _| {
        let field = a.dexponent(x);
        let beyond = e!(a, sel(ult(1077, field), sub(field, 1077), 0));
        let shift = e!(a, add(mul(and(segment, 31), 53), beyond));
        // 64 bits of 2/π from bit `shift` on, of which 53 count.
        let (word, bit) = (e!(a, shr(shift, 5)), e!(a, and(shift, 31)));
        let mut three = [e!(a, 0); 3];
        for (i, &bits) in TWO_OVER_PI.iter().enumerate() {
            for (ahead, t) in three.iter_mut().enumerate() {
                if let Some(first) = i.checked_sub(ahead) {
                    let old = *t;
                    *t = e!(a, sel(eq(word, { first as u32 }), { bits }, old));
                }
            }
        }
        let [t0, t1, t2] = three;
        let [_, high] = a.shl64([t1, t0], bit);
        let [_, low] = a.shl64([t2, t1], bit);
        let window = { let down = e!(a, 11); a.shr64([low, high], down) };
        // As a float: the leading one goes to bit 52.
        let up = { let n = leading(a, window); e!(a, sub(n, 11)) };
        let scale = e!(a, sel(ult(field, 1968), { -53i32 as u32 }, { 128 - 53 }));
        let exponent = e!(a, sub(sub(add(scale, { 1023 + 52 }), shift), up));
        let [l, h] = a.shl64(window, up);
        let normal = [l, e!(a, or(and(h, 0xf_ffff), shl(exponent, 20)))];
        // Denormal results lose their low bits toward zero.
        let short = e!(a, slt(exponent, 1));
        let lost = e!(a, umin(sub(1, exponent), 63));
        let denormal = a.shr64([l, h], lost);
        let value = a.sel64(short, denormal, normal);
        let none = a.is_zero64(window);
        let zero = a.zero64();
        a.sel64(none, zero, value)
    };
    // (quotient, denominator, numerator)
    div_fixup_f64 |a, q, d, n| {
        let ([ql, qh], [dl, dh], [nl, nh]) = (q, d, n);
        let sign = e!(a, and(xor(dh, nh), 0x8000_0000));
        let infinite = |a: &mut A, l: A::B, h: A::B| e!(a, cand(eq(l, 0), eq(fabs(h), 0x7ff0_0000)));
        let (inf_d, inf_n) = (infinite(a, dl, dh), infinite(a, nl, nh));
        // As MODE sees them: V_DIV_SCALE made NaN of denormals that are flushed.
        let zero = a.zero64();
        let (zero_d, zero_n) = (a.deq(d, zero), a.deq(n, zero));
        // A quotient that overflowed on the way arrives as NaN.
        let lost = a.dnan(q);
        let mut r = [e!(a, sel(lost, 0, ql)), e!(a, or(sel(lost, 0x7ff0_0000, fabs(qh)), sign))];
        let gap = { let (en, ed) = (a.dexponent(n), a.dexponent(d)); a.sub(en, ed) };
        let under = e!(a, slt(gap, {-1075i32 as u32}));
        let nothing = [e!(a, 0), sign];
        r = a.sel64(under, nothing, r);
        let c = a.cor(inf_d, zero_n);
        r = a.sel64(c, nothing, r);
        let all = [e!(a, 0), e!(a, or(sign, 0x7ff0_0000))];
        let c = a.cor(zero_d, inf_n);
        r = a.sel64(c, all, r);
        let undefined = [e!(a, 0), e!(a, 0xfff8_0000)];
        let c = e!(a, cor(cand(zero_d, zero_n), cand(inf_d, inf_n)));
        r = a.sel64(c, undefined, r);
        let nan = a.dnan(d);
        let quiet = [dl, e!(a, or(dh, 0x8_0000))];
        r = a.sel64(nan, quiet, r);
        let nan = a.dnan(n);
        let quiet = [nl, e!(a, or(nh, 0x8_0000))];
        a.sel64(nan, quiet, r)
    };
}

// Of scalar instructions only.
wide! {
    cselect_b64 |a, x, y, [c, _]| { let c = a.nonzero(c); a.sel64(c, x, y) };
    // (value, condition as 0 or 1, old destination)
    cmov_b64 |a, x, [c, _], old| { let c = a.nonzero(c); a.sel64(c, x, old) };
    bfm_b64 |a, [n, _], [at, _], _| { let ones = a.ones64(n); a.shl64(ones, at) };
    s_bfe_u64 |a, x, [field, _], _| {
        let width = e!(a, and(shr(field, 16), 0x7f));
        let [l, h] = a.shr64(x, field);
        let [ml, mh] = a.ones64(width);
        let all = e!(a, ult(63, width));
        [e!(a, sel(all, l, and(l, ml))), e!(a, sel(all, h, and(h, mh)))]
    };
    s_bfe_i64 |a, x, [field, _], _| {
        let width = e!(a, umin(and(shr(field, 16), 0x7f), 64));
        let moved = a.sar64(x, field);
        let up = e!(a, sub(64, width));
        let top = a.shl64(moved, up);
        let value = a.sar64(top, up);
        let none = e!(a, eq(width, 0));
        let zero = a.zero64();
        a.sel64(none, zero, value)
    };
    brev_b64 |a, [l, h], _, _| [a.brev(h), a.brev(l)];
    bcnt1_b64 |a, [l, h], _, _| { let n = e!(a, add(popcnt(l), popcnt(h))); word(a, n) };
    bcnt0_b64 |a, [l, h], _, _| { let n = e!(a, add(popcnt(not(l)), popcnt(not(h)))); word(a, n) };
    ffbl_b64 |a, x, _, _| { let n = lowest(a, x); word(a, n) };
    ff0_b64 |a, [l, h], _, _| { let x = [a.not(l), a.not(h)]; let n = lowest(a, x); word(a, n) };
    ffbh_u64 |a, x, _, _| { let n = leading(a, x); word(a, n) };
    ffbh_i64 |a, [l, h], _, _| {
        let sign = e!(a, sar(h, 31));
        let folded = [a.xor(l, sign), a.xor(h, sign)];
        let n = leading(a, folded);
        word(a, n)
    };
    bitset0_b64 |a, [n, _], [ol, oh], _| {
        let one = e!(a, 1);
        let one = word(a, one);
        let [l, h] = a.shl64(one, n);
        [e!(a, and(ol, not(l))), e!(a, and(oh, not(h)))]
    };
    bitset1_b64 |a, [n, _], [ol, oh], _| {
        let one = e!(a, 1);
        let one = word(a, one);
        let [l, h] = a.shl64(one, n);
        [a.or(ol, l), a.or(oh, h)]
    };
    quadmask_b64 |a, [l, h], _, _| { let m = e!(a, or(gather_quads(l), shl(gather_quads(h), 8))); word(a, m) };
    bitreplicate |a, [x, _], _, _| [
        { let low = e!(a, and(x, 0xffff)); double_bits(a, low) },
        { let high = e!(a, shr(x, 16)); double_bits(a, high) },
    ];
}

/// Lowest one, −1 if there is none.
#[inline(always)]
fn lowest<A: Alu>(a: &mut A, [l, h]: [A::B; 2]) -> A::B {
    let above = e!(a, sel(eq(h, 0), 0xffff_ffff, add(ctz(h), 32)));
    e!(a, sel(eq(l, 0), above, ctz(l)))
}

/// Zeros above the highest one, −1 if there is none.
#[inline(always)]
fn leading<A: Alu>(a: &mut A, [l, h]: [A::B; 2]) -> A::B {
    let below = e!(a, sel(eq(l, 0), 0xffff_ffff, add(clz(l), 32)));
    e!(a, sel(eq(h, 0), below, clz(h)))
}

/// Sixteen bits to thirty-two, each twice.
#[inline(always)]
fn double_bits<A: Alu>(a: &mut A, x: A::B) -> A::B {
    let x = e!(a, and(or(x, shl(x, 8)), 0x00ff_00ff));
    let x = e!(a, and(or(x, shl(x, 4)), 0x0f0f_0f0f));
    let x = e!(a, and(or(x, shl(x, 2)), 0x3333_3333));
    let x = e!(a, and(or(x, shl(x, 1)), 0x5555_5555));
    e!(a, or(x, shl(x, 1)))
}

#[inline(always)]
fn quad_sad<A: Alu>(a: &mut A, x: [A::B; 2], y: A::B, mask: A::B, z: [A::B; 2]) -> [A::B; 2] {
    let mut d = [z[0]; 2];
    for (word, out) in d.iter_mut().enumerate() {
        let mut part = [z[word]; 2];
        for (half, sum) in part.iter_mut().enumerate() {
            let step = e!(a, { 8 * (2 * word + half) as u32 });
            let [bytes, _] = a.shr64(x, step);
            let add = e!(a, { 16 * half as u32 });
            let zw = z[word];
            *sum = e!(a, add(sum_bytes(bytes, y, mask), shr(zw, add)));
        }
        let [low, high] = part;
        *out = e!(a, pack16(low, high));
    }
    d
}

/// The first 1,201 bits of 2/π's fraction (which is below one), from the top of the first word down, then zeros.
#[rustfmt::skip]
const TWO_OVER_PI: [u32; 38] = [
    0xa2f9_836e, 0x4e44_1529, 0xfc27_57d1, 0xf534_ddc0, 0xdb62_9599, 0x3c43_9041,
    0xfe51_63ab, 0xdebb_c561, 0xb724_6e3a, 0x424d_d2e0, 0x0649_2eea, 0x09d1_921c,
    0xfe1d_eb1c, 0xb129_a73e, 0xe882_35f5, 0x2ebb_4484, 0xe99c_7026, 0xb45f_7e41,
    0x3991_d639, 0x8353_39f4, 0x9c84_5f8b, 0xbdf9_283b, 0x1ff8_97ff, 0xde05_980f,
    0xef2f_118b, 0x5a0a_6d1f, 0x6d36_7ecf, 0x27cb_09b7, 0x4f46_3f66, 0x9e5f_ea2d,
    0x7527_bac7, 0xebe5_f17b, 0x3d07_39f7, 0x8a52_92ea, 0x6bfb_5fb1, 0x1f8d_5d08,
    0x5603_3046, 0xfc7b_0000,
];

/// V_MQSAD_U32_U8: four masked sums of differences at byte steps of S0, each added to a word of S2.
#[inline(always)]
pub fn mqsad_u32_u8<A: Alu>(a: &mut A, x: [A::B; 2], y: A::B, z: [A::B; 4]) -> [A::B; 4] {
    let mut d = z;
    for (step, sum) in d.iter_mut().enumerate() {
        let by = e!(a, { 8 * step as u32 });
        let [bytes, _] = a.shr64(x, by);
        let old = *sum;
        *sum = e!(a, add(sum_bytes(bytes, y, y), old));
    }
    d
}

/// (S0, S1, S2) → S0 · S1 + S2 and the carry out of bit 63.
#[allow(non_camel_case_types)]
pub struct mad_u64_u32;
impl Wide for mad_u64_u32 {
    #[inline(always)]
    fn eval<A: Alu>(a: &mut A, [[x, _], [y, _], z]: [[A::B; 2]; 3]) -> ([A::B; 2], A::C) {
        let product = [a.mul(x, y), a.umulhi(x, y)];
        a.add64(product, z)
    }
}

/// (S0, S1, S2) → S0 · S1 + S2 and bit 64 of the sign-extended sum.
#[allow(non_camel_case_types)]
pub struct mad_i64_i32;
impl Wide for mad_i64_i32 {
    #[inline(always)]
    fn eval<A: Alu>(a: &mut A, [[x, _], [y, _], z]: [[A::B; 2]; 3]) -> ([A::B; 2], A::C) {
        let product = [a.mul(x, y), a.smulhi(x, y)];
        let (sum, carry) = a.add64(product, z);
        let (ph, zh) = (product[1], z[1]);
        let signs = e!(a, shr(xor(ph, zh), 31));
        let top = e!(a, xor(bit(carry), signs));
        (sum, a.nonzero(top))
    }
}

/// (value, denominator, numerator), as [`super::div_scale_f32`] with f64's exponents.
#[allow(non_camel_case_types)]
pub struct div_scale_f64;
impl Wide for div_scale_f64 {
    #[inline(always)]
    fn eval<A: Alu>(a: &mut A, [v, d, n]: [[A::B; 2]; 3]) -> ([A::B; 2], A::C) {
        let (exp_d, exp_n) = (a.dexponent(d), a.dexponent(n));
        let gap = a.sub(exp_n, exp_d);
        let (is_d, is_n) = (a.eq64(v, d), a.eq64(v, n));
        let ([dl, dh], zero) = (d, a.zero64());
        let (zero_d, zero_n) = (a.deq(d, zero), a.deq(n, zero));
        let bad = a.cor(zero_d, zero_n);
        let huge = e!(a, cnot(slt(gap, 768)));
        let denormal_d = e!(a, eq(exp_d, 0));
        let magnitude = [dl, a.fabs(dh)];
        let limit = [e!(a, 0), e!(a, 0x7fd0_0000)];
        let finite = e!(a, ult(exp_d, 0x7ff));
        let tiny_rcp = a.ult64(limit, magnitude).pipe(|c| a.cand(c, finite));
        let tiny_quotient = e!(a, cand(finite, slt(gap, { -1021i32 as u32 })));
        let tiny_n = e!(a, cnot(ult(53, exp_n)));
        let both = a.cand(tiny_rcp, tiny_quotient);
        let by = e!(a, 128);
        let up = a.dldexp(v, by);
        let by = e!(a, { -128i32 as u32 });
        let down = a.dldexp(v, by);
        let up_d = a.sel64(is_d, up, v);
        let down_d = a.sel64(is_d, down, v);
        let up_n = a.sel64(is_n, up, v);
        let mut r = a.sel64(tiny_n, up, v);
        r = a.sel64(tiny_quotient, up_n, r);
        r = a.sel64(tiny_rcp, down, r);
        r = a.sel64(both, down_d, r);
        r = a.sel64(denormal_d, up, r);
        r = a.sel64(huge, up_d, r);
        let nan = [e!(a, 0), e!(a, 0x7ff8_0000)];
        r = a.sel64(bad, nan, r);
        let post = e!(a, cor(huge, cand(cnot(denormal_d), tiny_quotient)));
        (r, post)
    }
}

#[allow(non_camel_case_types)]
pub struct div_fmas_f64;
impl WideCarry for div_fmas_f64 {
    #[inline(always)]
    fn eval<A: Alu>(a: &mut A, [x, y, z]: [[A::B; 2]; 3], c: A::C) -> ([A::B; 2], A::C) {
        let sum = a.dfma(x, y, z);
        let exponent = a.dexponent(z);
        let by = e!(a, sel(ult(1023, exponent), 128, { -128i32 as u32 }));
        let scaled = a.dldexp(sum, by);
        (a.sel64(c, scaled, sum), c)
    }
}
