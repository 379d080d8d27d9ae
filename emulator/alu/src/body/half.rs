//! f16: single values in the low half of a word, and packed pairs.

use super::ext::Ext;
use super::float::Convert;
use super::trans::Trans;
use crate::Alu;

lane! { @lanes
    add_f16 |a, x, y, _| hadd(x, y);
    sub_f16 |a, x, y, _| hadd(x, hneg(y));
    subrev_f16 |a, x, y, _| hadd(y, hneg(x));
    mul_f16 |a, x, y, _| hmul(x, y);
    fma_f16 |a, x, y, z| hfma(x, y, z);
    /// V_MAD_F16 and V_MAC_F16 flush denormals in and out whatever MODE says, and round twice.
    mad_f16 |a, x, y, z| hflush(hadd(hflush(hmul(hflush(x), hflush(y))), hflush(z)));
    min_f16 |a, x, y, _| hmin(x, y);
    max_f16 |a, x, y, _| hmax(x, y);
    min3_f16 |a, x, y, z| hmin(hmin(x, y), z);
    max3_f16 |a, x, y, z| hmax(hmax(x, y), z);
    med3_f16 |a, x, y, z| {
        let nan = e!(a, cor(hnan(x), cor(hnan(y), hnan(z))));
        let least = e!(a, hmin(hmin(x, y), z));
        // As in f32: the greater of those that are not the greatest.
        let (u, v, w) = (a.f32_from_f16(x), a.f32_from_f16(y), a.f32_from_f16(z));
        let x_most = e!(a, cand(fle(v, u), fle(w, u)));
        let y_most = e!(a, cand(fle(u, v), fle(w, v)));
        let rest = e!(a, sel(y_most, hmax(x, z), hmax(x, y)));
        e!(a, sel(nan, least, sel(x_most, hmax(y, z), rest)))
    };
    trunc_f16 |a, x, _, _| f16_from_f32(ftrunc(f32_from_f16(x)));
    ceil_f16 |a, x, _, _| f16_from_f32(fceil(f32_from_f16(x)));
    floor_f16 |a, x, _, _| f16_from_f32(ffloor(f32_from_f16(x)));
    rndne_f16 |a, x, _, _| f16_from_f32(frndne(f32_from_f16(x)));
    fract_f16 |a, x, _, _| {
        let r = e!(a, hadd(x, hneg(f16_from_f32(ffloor(f32_from_f16(x))))));
        e!(a, sel(fle({0x3f80_0000}, f32_from_f16(r)), 0x3bff, r))
    };
    // Beyond ±64 nothing changes, and within f32 holds the product exactly.
    ldexp_f16 |a, x, n, _| f16_from_f32(fldexp(f32_from_f16(x), smin(smax(sext16(n), {-64i32 as u32}), 64)));
    frexp_exp_f16 |a, x, _, _| {
        let wide = a.f32_from_f16(x);
        <super::frexp_exp_f32 as crate::Lane>::eval(a, [wide; 3])
    };
    frexp_mant_f16 |a, x, _, _| {
        let wide = a.f32_from_f16(x);
        let m = <super::frexp_mant_f32 as crate::Lane>::eval(a, [wide; 3]);
        a.f16_from_f32(m)
    };
    rcp_f16 |a, x, _, _| f16_from_f32(frcp(f32_from_f16(x)));
    rsq_f16 |a, x, _, _| f16_from_f32(frsq(f32_from_f16(x)));
    sqrt_f16 |a, x, _, _| f16_from_f32(fsqrt(f32_from_f16(x)));
    exp_f16 |a, x, _, _| f16_from_f32(exp2(f32_from_f16(x)));
    log_f16 |a, x, _, _| f16_from_f32(log2(f32_from_f16(x)));
    sin_f16 |a, x, _, _| f16_from_f32(sin_turns(f32_from_f16(x)));
    cos_f16 |a, x, _, _| f16_from_f32(cos_turns(f32_from_f16(x)));

    cvt_f16_f32 |a, x, _, _| f16_from_f32(x);
    cvt_f32_f16 |a, x, _, _| f32_from_f16(x);
    cvt_pkrtz_f16_f32 |a, x, y, _| pack16(f16_from_f32_rtz(x), f16_from_f32_rtz(y));
    cvt_f16_u16 |a, x, _, _| f16_from_f32(f32_from_u32(low16(x)));
    cvt_f16_i16 |a, x, _, _| f16_from_f32(f32_from_i32(sext16(x)));
    cvt_u16_f16 |a, x, _, _| umin(u32_from_f32(f32_from_f16(x)), 0xffff);
    cvt_i16_f16 |a, x, _, _| smax(smin(i32_from_f32(f32_from_f16(x)), 0x7fff), 0xffff_8000);
    cvt_norm_i16_f16 |a, x, _, _| snorm16(f32_from_f16(x));
    cvt_norm_u16_f16 |a, x, _, _| unorm16(f32_from_f16(x));
    cvt_pknorm_i16_f16 |a, x, y, _| pack16(snorm16(f32_from_f16(x)), snorm16(f32_from_f16(y)));
    cvt_pknorm_u16_f16 |a, x, y, _| pack16(unorm16(f32_from_f16(x)), unorm16(f32_from_f16(y)));
    /// (quotient, denominator, numerator), by bits as in f32; no quotient of f16 is below the smallest by its exponents.
    div_fixup_f16 |a, q, d, n| {
        let sign = e!(a, and(xor(d, n), 0x8000));
        let (qm, dm, nm) = (e!(a, and(q, 0x7fff)), e!(a, and(d, 0x7fff)), e!(a, and(n, 0x7fff)));
        let (zero_d, zero_n) = (e!(a, eq(dm, 0)), e!(a, eq(nm, 0)));
        let (infinite_d, infinite_n) = (e!(a, eq(dm, 0x7c00)), e!(a, eq(nm, 0x7c00)));
        let r = e!(a, or(sel(ult(0x7c00, qm), 0x7c00, qm), sign));
        let r = e!(a, sel(cor(infinite_d, zero_n), sign, r));
        let r = e!(a, sel(cor(zero_d, infinite_n), or(sign, 0x7c00), r));
        let r = e!(a, sel(cor(cand(zero_d, zero_n), cand(infinite_d, infinite_n)), 0xfe00, r));
        let r = e!(a, sel(ult(0x7c00, dm), or(d, 0x200), r));
        e!(a, sel(ult(0x7c00, nm), or(n, 0x200), r))
    };
    /// The sum is rounded to f32, and then to f16.
    fma_mix_f16 |a, x, y, z| f16_from_f32(ffma(x, y, z));
    /// As V_MAD_F32, then rounded to f16.
    mad_mix_f16 |a, x, y, z| {
        let sum = <super::mad_f32 as crate::Lane>::eval(a, [x, y, z]);
        a.f16_from_f32(sum)
    };

    // Products of halves are exact in f32.
    dot2_f32_f16 |a, x, y, z| {
        let low = e!(a, fmul(f32_from_f16(x), f32_from_f16(y)));
        let high = e!(a, fmul(f32_from_f16(shr(x, 16)), f32_from_f16(shr(y, 16))));
        e!(a, fadd(fadd(low, high), z))
    };
    pk_add_f16 |a, x, y, _| pack16(hadd(x, y), hadd(shr(x, 16), shr(y, 16)));
    pk_mul_f16 |a, x, y, _| pack16(hmul(x, y), hmul(shr(x, 16), shr(y, 16)));
    pk_fma_f16 |a, x, y, z| pack16(hfma(x, y, z), hfma(shr(x, 16), shr(y, 16), shr(z, 16)));
    pk_min_f16 |a, x, y, _| pack16(hmin(x, y), hmin(shr(x, 16), shr(y, 16)));
    pk_max_f16 |a, x, y, _| pack16(hmax(x, y), hmax(shr(x, 16), shr(y, 16)));
}

trait Half: Alu {
    /// Denormals to zero of the same sign, whatever the mode; the bits above are cut off.
    #[inline(always)]
    fn hflush(&mut self, x: Self::B) -> Self::B {
        e!(self, sel(eq(and(x, 0x7c00), 0), and(x, 0x8000), and(x, 0xffff)))
    }
    #[inline(always)]
    fn hnan(&mut self, x: Self::B) -> Self::C {
        e!(self, ult(0x7c00, and(x, 0x7fff)))
    }
    #[inline(always)]
    fn hneg(&mut self, x: Self::B) -> Self::B {
        e!(self, xor(x, 0x8000))
    }
}
impl<A: Alu> Half for A {}
