//! f32 arithmetic, conversions and the helpers of division.

use super::ext::Ext;
use super::int::carry;
use crate::{Alu, Carry};

const ONE: u32 = 0x3f80_0000;
const HALF: u32 = 0x3f00_0000;
const BELOW_ONE: u32 = 0x3f7f_ffff;
const INFINITY: u32 = 0x7f80_0000;
const NEG_MAX: u32 = 0xff7f_ffff;
const NAN: u32 = 0xffc0_0000;

lane! { @lanes
    add_f32 |a, x, y, _| fadd(x, y);
    sub_f32 |a, x, y, _| fsub(x, y);
    subrev_f32 |a, x, y, _| fsub(y, x);
    mul_f32 |a, x, y, _| fmul(x, y);
    fma_f32 |a, x, y, z| ffma(x, y, z);
    fma_legacy_f32 |a, x, y, z| sel(cor(feq(x, 0), feq(y, 0)), z, ffma(x, y, z));
    /// V_MAD_F32 and V_MAC_F32 flush denormals in and out whatever MODE says, and round twice.
    mad_f32 |a, x, y, z| fflush(fadd(fflush(fmul(fflush(x), fflush(y))), fflush(z)));
    // Zero as the multiplication reads it: a flushed denormal too.
    mul_legacy_f32 |a, x, y, _| sel(cor(feq(x, 0), feq(y, 0)), 0, fmul(x, y));
    mad_legacy_f32 |a, x, y, z| {
        let (x, y, z) = (a.fflush(x), a.fflush(y), a.fflush(z));
        e!(a, fflush(fadd(sel(cor(fzero(x), fzero(y)), 0, fflush(fmul(x, y))), z)))
    };
    mullit_f32 |a, x, y, z| {
        let product = e!(a, sel(cor(feq(x, 0), feq(y, 0)), 0, fmul(x, y)));
        let dark = e!(a, cor(fle(y, {NEG_MAX}), fnan(y)));
        let behind = e!(a, cor(fle(z, 0), fnan(z)));
        e!(a, sel(cor(dark, behind), {NEG_MAX}, product))
    };
    min_f32 |a, x, y, _| fmin(x, y);
    max_f32 |a, x, y, _| fmax(x, y);
    // The second source where they are not ordered.
    min_legacy_f32 |a, x, y, _| sel(flt(x, y), x, y);
    max_legacy_f32 |a, x, y, _| sel(fle(y, x), x, y);
    min3_f32 |a, x, y, z| fmin(fmin(x, y), z);
    max3_f32 |a, x, y, z| fmax(fmax(x, y), z);
    med3_f32 |a, x, y, z| {
        let nan = e!(a, cor(fnan(x), cor(fnan(y), fnan(z))));
        let least = e!(a, fmin(fmin(x, y), z));
        // The greater of those that are not the greatest; zeros of both signs are one value when that is looked for.
        let x_most = e!(a, cand(fle(y, x), fle(z, x)));
        let y_most = e!(a, cand(fle(x, y), fle(z, y)));
        let rest = e!(a, sel(y_most, fmax(x, z), fmax(x, y)));
        e!(a, sel(nan, least, sel(x_most, fmax(y, z), rest)))
    };

    trunc_f32 |a, x, _, _| ftrunc(x);
    ceil_f32 |a, x, _, _| fceil(x);
    floor_f32 |a, x, _, _| ffloor(x);
    rndne_f32 |a, x, _, _| frndne(x);
    fract_f32 |a, x, _, _| {
        let r = e!(a, fsub(x, ffloor(x)));
        e!(a, sel(fle({ONE}, r), {BELOW_ONE}, r))
    };
    ldexp_f32 |a, x, n, _| fldexp(x, n);
    frexp_exp_f32 |a, x, _, _| {
        let m = a.fabs(x);
        let field = a.fexponent(x);
        let denormal = e!(a, sub({-117i32 as u32}, clz(m)));
        let exponent = e!(a, sel(eq(field, 0), denormal, sub(field, 126)));
        e!(a, sel(cor(eq(m, 0), eq(field, 255)), 0, exponent))
    };
    frexp_mant_f32 |a, x, _, _| {
        let m = a.fabs(x);
        let field = a.fexponent(x);
        let moved = e!(a, shl(m, sub(clz(m), 8)));
        let fraction = e!(a, and(sel(eq(field, 0), moved, m), 0x7f_ffff));
        let mantissa = e!(a, or(or(fraction, {HALF}), and(x, 0x8000_0000)));
        e!(a, sel(cor(eq(m, 0), eq(field, 255)), x, mantissa))
    };

    cvt_f32_i32 |a, x, _, _| f32_from_i32(x);
    cvt_f32_u32 |a, x, _, _| f32_from_u32(x);
    cvt_i32_f32 |a, x, _, _| i32_from_f32(x);
    cvt_u32_f32 |a, x, _, _| u32_from_f32(x);
    cvt_flr_i32_f32 |a, x, _, _| {
        // Denormals count, whatever MODE says.
        let below_zero = e!(a, ult(sub(x, 0x8000_0001), 0x7f_ffff));
        e!(a, sel(below_zero, 0xffff_ffff, i32_from_f32(ffloor(x))))
    };
    cvt_rpi_i32_f32 |a, x, _, _| {
        // floor(x + ½) without the rounding of the sum: up by one if the fraction reaches a half.
        let whole = a.ffloor(x);
        let up = e!(a, fle({HALF}, fsub(x, whole)));
        e!(a, i32_from_f32(sel(up, fadd(whole, {ONE}), whole)))
    };
    cvt_off_f32_i4 |a, x, _, _| fmul(f32_from_i32(sar(shl(x, 28), 28)), {0.0625f32.to_bits()});
    cvt_f32_ubyte0 |a, x, _, _| f32_from_u32(and(x, 0xff));
    cvt_f32_ubyte1 |a, x, _, _| f32_from_u32(and(shr(x, 8), 0xff));
    cvt_f32_ubyte2 |a, x, _, _| f32_from_u32(and(shr(x, 16), 0xff));
    cvt_f32_ubyte3 |a, x, _, _| f32_from_u32(shr(x, 24));
    cvt_pk_u8_f32 |a, x, n, z| {
        let at = e!(a, shl(and(n, 3), 3));
        let byte = e!(a, umin(u32_from_f32(x), 255));
        e!(a, or(and(z, not(shl(255, at))), shl(byte, at)))
    };
    cvt_pknorm_i16_f32 |a, x, y, _| pack16(snorm16(x), snorm16(y));
    cvt_pknorm_u16_f32 |a, x, y, _| pack16(unorm16(x), unorm16(y));

    rcp_f32 |a, x, _, _| frcp(x);
    rsq_f32 |a, x, _, _| frsq(x);
    sqrt_f32 |a, x, _, _| fsqrt(x);
    rcp_clamp_f32 |a, x, _, _| finite(frcp(x));
    rsq_clamp_f32 |a, x, _, _| finite(frsq(x));
    rcp_legacy_f32 |a, x, _, _| infinite_to_zero(frcp(x));
    rsq_legacy_f32 |a, x, _, _| infinite_to_zero(frsq(x));

    /// (quotient, denominator, numerator)
    div_fixup_f32 |a, q, d, n| {
        let sign = e!(a, and(xor(d, n), 0x8000_0000));
        let infinite_d = e!(a, eq(fabs(d), {INFINITY}));
        let infinite_n = e!(a, eq(fabs(n), {INFINITY}));
        // As MODE sees them: V_DIV_SCALE made NaN of denormals that are flushed.
        let (zero_d, zero_n) = (e!(a, feq(d, 0)), e!(a, feq(n, 0)));
        // A quotient that overflowed on the way arrives as NaN.
        let mut r = e!(a, or(sel(fnan(q), {INFINITY}, fabs(q)), sign));
        let gap = e!(a, sub(fexponent(n), fexponent(d)));
        r = e!(a, sel(slt(gap, {-150i32 as u32}), or(sign, 0), r));
        r = e!(a, sel(cor(infinite_d, zero_n), sign, r));
        r = e!(a, sel(cor(zero_d, infinite_n), or(sign, {INFINITY}), r));
        let undefined = e!(a, cor(cand(zero_d, zero_n), cand(infinite_d, infinite_n)));
        r = e!(a, sel(undefined, {NAN}, r));
        r = e!(a, sel(fnan(d), or(d, 0x40_0000), r));
        e!(a, sel(fnan(n), or(n, 0x40_0000), r))
    };

    cubeid_f32 |a, x, y, z| {
        let (z_major, y_major) = a.major(x, y, z);
        let (five, three, one) = (5.0f32.to_bits(), 3.0f32.to_bits(), 1.0f32.to_bits());
        let on_z = e!(a, sel(flt(z, 0), {five}, {4.0f32.to_bits()}));
        let on_y = e!(a, sel(flt(y, 0), {three}, {2.0f32.to_bits()}));
        let on_x = e!(a, sel(flt(x, 0), {one}, 0));
        e!(a, sel(z_major, on_z, sel(y_major, on_y, on_x)))
    };
    cubesc_f32 |a, x, y, z| {
        let (z_major, y_major) = a.major(x, y, z);
        let on_z = e!(a, sel(flt(z, 0), fneg(x), x));
        let on_x = e!(a, sel(flt(x, 0), z, fneg(z)));
        e!(a, sel(z_major, on_z, sel(y_major, x, on_x)))
    };
    cubetc_f32 |a, x, y, z| {
        let (z_major, y_major) = a.major(x, y, z);
        let on_y = e!(a, sel(flt(y, 0), fneg(z), z));
        let down = a.fneg(y);
        e!(a, sel(z_major, down, sel(y_major, on_y, down)))
    };
    cubema_f32 |a, x, y, z| {
        let (z_major, y_major) = a.major(x, y, z);
        e!(a, fmul({2.0f32.to_bits()}, sel(z_major, z, sel(y_major, y, x))))
    };
}

pub(super) trait Convert: Alu {
    /// Infinities held at the greatest finite values.
    #[inline(always)]
    fn finite(&mut self, x: Self::B) -> Self::B {
        e!(self, sel(eq(fabs(x), { INFINITY }), sub(x, 1), x))
    }
    /// Infinities made zero of the same sign.
    #[inline(always)]
    fn infinite_to_zero(&mut self, x: Self::B) -> Self::B {
        e!(self, sel(eq(fabs(x), { INFINITY }), and(x, 0x8000_0000), x))
    }
    /// Whether z, else y, is the axis of largest magnitude.
    #[inline(always)]
    fn major(&mut self, x: Self::B, y: Self::B, z: Self::B) -> (Self::C, Self::C) {
        let (x, y, z) = (self.fabs(x), self.fabs(y), self.fabs(z));
        (e!(self, cand(fle(x, z), fle(y, z))), self.fle(x, y))
    }
    /// [−1, 1] to ±32767, to nearest even; NaN gives 0.
    #[inline(always)]
    fn snorm16(&mut self, x: Self::B) -> Self::B {
        let scaled = e!(self, fmul(fmax(fmin(x, { ONE }), { ONE | 1 << 31 }), { 32767.0f32.to_bits() }));
        e!(self, sel(fnan(x), 0, i32_from_f32(frndne(scaled))))
    }
    /// [0, 1] to 65535, to nearest even; NaN gives 0.
    #[inline(always)]
    fn unorm16(&mut self, x: Self::B) -> Self::B {
        let scaled = e!(self, fmul(fmax(fmin(x, { ONE }), 0), { 65535.0f32.to_bits() }));
        e!(self, sel(fnan(x), 0, u32_from_f32(frndne(scaled))))
    }
}
impl<A: Alu> Convert for A {}

carry! { @carries
    // (value, denominator, numerator): ERRATA.md has the reading of the manual's conditions.
    div_scale_f32 |a, v, d, n, _| {
        let (exp_d, exp_n) = (a.fexponent(d), a.fexponent(n));
        let gap = a.sub(exp_n, exp_d);
        let is_d = a.eq(v, d);
        let is_n = a.eq(v, n);
        let bad = e!(a, cor(feq(d, 0), feq(n, 0)));
        let huge = e!(a, cnot(slt(gap, 96)));
        let denormal_d = e!(a, eq(exp_d, 0));
        // 1 / d below 2^-126 is d above 2^126.
        let finite = e!(a, ult(exp_d, 255));
        let tiny_rcp = e!(a, cand(finite, ult(0x7e80_0000, fabs(d))));
        let tiny_quotient = e!(a, cand(finite, slt(gap, {-125i32 as u32})));
        let tiny_n = e!(a, cnot(ult(23, exp_n)));
        let both = a.cand(tiny_rcp, tiny_quotient);
        let (up, down) = (e!(a, fldexp(v, 64)), e!(a, fldexp(v, {-64i32 as u32})));
        let up_d = a.sel(is_d, up, v);
        let down_d = a.sel(is_d, down, v);
        let up_n = a.sel(is_n, up, v);
        let last = e!(a, sel(tiny_n, up, v));
        let r = e!(a, sel(tiny_quotient, up_n, last));
        let r = e!(a, sel(tiny_rcp, down, r));
        let r = e!(a, sel(both, down_d, r));
        let r = e!(a, sel(denormal_d, up, r));
        let r = e!(a, sel(huge, up_d, r));
        let r = e!(a, sel(bad, {0x7fc0_0000}, r));
        let post = e!(a, cor(huge, cand(cnot(denormal_d), tiny_quotient)));
        (r, post)
    };
    // The addend's exponent says which way v_div_scale went.
    div_fmas_f32 |a, x, y, z, c| {
        let sum = a.ffma(x, y, z);
        let n = e!(a, sel(ult(127, fexponent(z)), 64, {-64i32 as u32}));
        (e!(a, sel(c, fldexp(sum, n), sum)), c)
    };
}
