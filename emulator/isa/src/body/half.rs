//! f16: single values in the low half of a word, and packed pairs.

use super::ext::Ext;
use super::float::Convert;
use super::trans::Trans;
use crate::alu::Alu;

lane! {
    add_f16 |a, x, y, _| hadd(x, y);
    sub_f16 |a, x, y, _| hadd(x, hneg(y));
    subrev_f16 |a, x, y, _| hadd(y, hneg(x));
    mul_f16 |a, x, y, _| hmul(x, y);
    fma_f16 |a, x, y, z| hfma(x, y, z);
    min_f16 |a, x, y, _| hmin(x, y);
    max_f16 |a, x, y, _| hmax(x, y);
    min3_f16 |a, x, y, z| hmin(hmin(x, y), z);
    max3_f16 |a, x, y, z| hmax(hmax(x, y), z);
    med3_f16 |a, x, y, z| {
        let nan = e!(a, cor(hnan(x), cor(hnan(y), hnan(z))));
        let least = e!(a, hmin(hmin(x, y), z));
        e!(a, sel(nan, least, hmax(hmin(x, y), hmin(hmax(x, y), z))))
    };
    trunc_f16 |a, x, _, _| f16_from_f32(ftrunc(f32_from_f16(x)));
    ceil_f16 |a, x, _, _| f16_from_f32(fceil(f32_from_f16(x)));
    floor_f16 |a, x, _, _| f16_from_f32(ffloor(f32_from_f16(x)));
    rndne_f16 |a, x, _, _| f16_from_f32(frndne(f32_from_f16(x)));
    fract_f16 |a, x, _, _| {
        let r = e!(a, hadd(x, hneg(f16_from_f32(ffloor(f32_from_f16(x))))));
        e!(a, sel(fle({0x3f80_0000}, f32_from_f16(r)), 0x3bff, r))
    };
    ldexp_f16 |a, x, n, _| f16_from_f32(fldexp(f32_from_f16(x), sext16(n)));
    frexp_exp_f16 |a, x, _, _| {
        let wide = a.f32_from_f16(x);
        <super::frexp_exp_f32 as crate::alu::Lane>::eval(a, [wide; 3])
    };
    frexp_mant_f16 |a, x, _, _| {
        let wide = a.f32_from_f16(x);
        let m = <super::frexp_mant_f32 as crate::alu::Lane>::eval(a, [wide; 3]);
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
    /// (quotient, denominator, numerator); the f32 rules hold, as every f16 is an f32.
    div_fixup_f16 |a, q, d, n| {
        let (q, d, n) = (a.f32_from_f16(q), a.f32_from_f16(d), a.f32_from_f16(n));
        let r = <super::div_fixup_f32 as crate::alu::Lane>::eval(a, [q, d, n]);
        a.f16_from_f32(r)
    };
    /// The sum is rounded once, to f16.
    fma_mix_f16 |a, x, y, z| f16_from_f32(ffma(x, y, z));

    pk_add_f16 |a, x, y, _| pack16(hadd(x, y), hadd(shr(x, 16), shr(y, 16)));
    pk_mul_f16 |a, x, y, _| pack16(hmul(x, y), hmul(shr(x, 16), shr(y, 16)));
    pk_fma_f16 |a, x, y, z| pack16(hfma(x, y, z), hfma(shr(x, 16), shr(y, 16), shr(z, 16)));
    pk_min_f16 |a, x, y, _| pack16(hmin(x, y), hmin(shr(x, 16), shr(y, 16)));
    pk_max_f16 |a, x, y, _| pack16(hmax(x, y), hmax(shr(x, 16), shr(y, 16)));
}

trait Half: Alu {
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
