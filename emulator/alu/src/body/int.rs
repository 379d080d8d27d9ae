//! Integers of 32 bits and fewer; packed pairs of 16 bits.

use super::ext::Ext;
use crate::{Alu, Carry};

/// Which of four shader engines a rectangle of tiles covers, eight rectangles a word (Vega ISA document,
/// V_SCREEN_PARTITION_4SE_B32).
#[rustfmt::skip]
const PARTITION_4SE: [u32; 32] = [
    0xfff5_f731, 0xffff_fff7, 0xffaf_e62f, 0xffff_ffbf, 0xf5ff_c4fd, 0xffff_fdff, 0xafff_8fb9, 0xffff_efff,
    0xfdc4_ffff, 0xfffe_fff6, 0xb98f_ffff, 0xffdf_f99f, 0x31f7_ffff, 0xfbff_f9ff, 0x2fe6_ffff, 0x7fff_6ff6,
    0xffff_fffb, 0xfffa_fb32, 0xffff_ff7f, 0xff5f_d91f, 0xffff_feff, 0xfaff_c8fe, 0xffff_dfff, 0x5fff_4f76,
    0xfffd_fff9, 0xfec8_ffff, 0xffef_f66f, 0x764f_ffff, 0xf7ff_f6ff, 0x32fb_ffff, 0xbfff_9ff9, 0x1fd9_ffff,
];

lane! { @lanes
    screen_partition_4se |a, x, _, _| {
        let word = e!(a, and(shr(x, 3), 31));
        let mut found = a.lit(0);
        for (n, engines) in PARTITION_4SE.into_iter().enumerate() {
            found = e!(a, sel(eq(word, {n as u32}), {engines}, found));
        }
        e!(a, and(shr(found, shl(and(x, 7), 2)), 15))
    };
    mov_b32 |_a, x, _, _| { x };

    add_u32 |a, x, y, _| add(x, y);
    sub_u32 |a, x, y, _| sub(x, y);
    subrev_u32 |a, x, y, _| sub(y, x);
    add3_u32 |a, x, y, z| add(add(x, y), z);
    mul_lo_u32 |a, x, y, _| mul(x, y);
    mul_hi_u32 |a, x, y, _| umulhi(x, y);
    mul_hi_i32 |a, x, y, _| smulhi(x, y);
    mad_u32 |a, x, y, z| add(mul(x, y), z);
    mul_u32_u24 |a, x, y, _| mul(and(x, 0xff_ffff), and(y, 0xff_ffff));
    mul_hi_u32_u24 |a, x, y, _| umulhi(and(x, 0xff_ffff), and(y, 0xff_ffff));
    mul_i32_i24 |a, x, y, _| mul(sar(shl(x, 8), 8), sar(shl(y, 8), 8));
    mul_hi_i32_i24 |a, x, y, _| smulhi(sar(shl(x, 8), 8), sar(shl(y, 8), 8));
    mad_u32_u24 |a, x, y, z| add(mul(and(x, 0xff_ffff), and(y, 0xff_ffff)), z);
    mad_i32_i24 |a, x, y, z| add(mul(sar(shl(x, 8), 8), sar(shl(y, 8), 8)), z);
    mad_u32_u16 |a, x, y, z| add(mul(low16(x), low16(y)), z);
    mad_i32_i16 |a, x, y, z| add(mul(sext16(x), sext16(y)), z);

    and_b32 |a, x, y, _| and(x, y);
    or_b32 |a, x, y, _| or(x, y);
    xor_b32 |a, x, y, _| xor(x, y);
    not_b32 |a, x, _, _| not(x);
    xnor_b32 |a, x, y, _| not(xor(x, y));
    or3_b32 |a, x, y, z| or(or(x, y), z);
    xor3_b32 |a, x, y, z| xor(xor(x, y), z);
    and_or_b32 |a, x, y, z| or(and(x, y), z);
    lshl_or_b32 |a, x, y, z| or(shl(x, y), z);
    lshl_add_u32 |a, x, y, z| add(shl(x, y), z);
    add_lshl_u32 |a, x, y, z| shl(add(x, y), z);
    xad_u32 |a, x, y, z| add(xor(x, y), z);
    bfi_b32 |a, x, y, z| or(and(x, y), and(not(x), z));

    shl_b32 |a, x, y, _| shl(x, y);
    shr_b32 |a, x, y, _| shr(x, y);
    sar_i32 |a, x, y, _| sar(x, y);
    lshlrev_b32 |a, x, y, _| shl(y, x);
    lshrrev_b32 |a, x, y, _| shr(y, x);
    ashrrev_i32 |a, x, y, _| sar(y, x);
    lshlrev_b16 |a, x, y, _| shl(low16(y), and(x, 15));
    lshrrev_b16 |a, x, y, _| shr(low16(y), and(x, 15));
    ashrrev_i16 |a, x, y, _| sar(sext16(y), and(x, 15));
    bfm_b32 |a, x, y, _| shl(sub(shl(1, x), 1), y);
    bfe_u32 |a, x, y, z| and(shr(x, y), sub(shl(1, z), 1));
    bfe_i32 |a, x, y, z| {
        // Width 0 gives 0; the field's top bit is moved up to bit 31 and back. Bits above x are its sign.
        let up = a.neg(z);
        e!(a, sel(eq(and(z, 31), 0), 0, sar(shl(sar(x, y), up), up)))
    };
    alignbit_b32 |a, x, y, z| or(shr(y, z), shl(shl(x, 1), xor(z, 31)));
    alignbyte_b32 |a, x, y, z| {
        let n = e!(a, shl(and(z, 3), 3));
        e!(a, or(shr(y, n), shl(shl(x, 1), xor(n, 31))))
    };

    brev_b32 |a, x, _, _| brev(x);
    bcnt_add_u32 |a, x, y, _| add(popcnt(x), y);
    ffbl_b32 |a, x, _, _| sel(eq(x, 0), 0xffff_ffff, ctz(x));
    ffbh_u32 |a, x, _, _| sel(eq(x, 0), 0xffff_ffff, clz(x));
    ffbh_i32 |a, x, _, _| {
        let folded = e!(a, xor(x, sar(x, 31)));
        e!(a, sel(eq(folded, 0), 0xffff_ffff, clz(folded)))
    };

    min_u32 |a, x, y, _| umin(x, y);
    max_u32 |a, x, y, _| umax(x, y);
    min_i32 |a, x, y, _| smin(x, y);
    max_i32 |a, x, y, _| smax(x, y);
    min3_u32 |a, x, y, z| umin(umin(x, y), z);
    max3_u32 |a, x, y, z| umax(umax(x, y), z);
    min3_i32 |a, x, y, z| smin(smin(x, y), z);
    max3_i32 |a, x, y, z| smax(smax(x, y), z);
    med3_u32 |a, x, y, z| umax(umin(x, y), umin(umax(x, y), z));
    med3_i32 |a, x, y, z| smax(smin(x, y), smin(smax(x, y), z));
    min_u16 |a, x, y, _| umin(low16(x), low16(y));
    max_u16 |a, x, y, _| umax(low16(x), low16(y));
    min_i16 |a, x, y, _| smin(sext16(x), sext16(y));
    max_i16 |a, x, y, _| smax(sext16(x), sext16(y));
    min3_u16 |a, x, y, z| umin(umin(low16(x), low16(y)), low16(z));
    max3_u16 |a, x, y, z| umax(umax(low16(x), low16(y)), low16(z));
    min3_i16 |a, x, y, z| smin(smin(sext16(x), sext16(y)), sext16(z));
    max3_i16 |a, x, y, z| smax(smax(sext16(x), sext16(y)), sext16(z));
    med3_u16 |a, x, y, z| {
        let (x, y, z) = (a.low16(x), a.low16(y), a.low16(z));
        e!(a, umax(umin(x, y), umin(umax(x, y), z)))
    };
    med3_i16 |a, x, y, z| {
        let (x, y, z) = (a.sext16(x), a.sext16(y), a.sext16(z));
        e!(a, smax(smin(x, y), smin(smax(x, y), z)))
    };

    pack_ll_b16 |a, x, y, _| pack16(x, y);
    cvt_pk_u16_u32 |a, x, y, _| pack16(umin(x, 0xffff), umin(y, 0xffff));
    cvt_pk_i16_i32 |a, x, y, _| pack16(smax(smin(x, 0x7fff), 0xffff_8000), smax(smin(y, 0x7fff), 0xffff_8000));
    sat_pk_u8_i16 |a, x, _, _| or(smax(smin(sext16(x), 255), 0), shl(smax(smin(sar(x, 16), 255), 0), 8));
    perm_b32 |a, x, y, z| {
        let mut d = a.lit(0);
        for i in [0u32, 8, 16, 24] {
            let s = e!(a, and(shr(z, {i}), 0xff));
            let word = e!(a, sel(nonzero(and(s, 4)), x, y));
            let byte = e!(a, and(shr(word, shl(s, 3)), 0xff));
            // 8 … 11: the sign of bytes 1, 3, 5, 7.
            let signed = e!(a, sel(nonzero(and(s, 2)), x, y));
            let sign = e!(a, shr(sar(signed, sel(nonzero(and(s, 1)), 31, 15)), 0));
            let ff = a.lit(0xff);
            let fill = e!(a, sel(nonzero(and(sign, 1)), ff, 0));
            let constant = e!(a, sel(eq(s, 12), 0, ff));
            let upper = e!(a, sel(ult(11, s), constant, fill));
            let out = e!(a, sel(ult(7, s), upper, byte));
            d = e!(a, or(d, shl(out, {i})));
        }
        d
    };
    lerp_u8 |a, x, y, z| {
        // Per byte (x + y + round) >> 1 without crossing: (x & y) + ((x ^ y) >> 1), plus the rounding carry.
        let m = a.lit(0x0101_0101);
        let odd = e!(a, xor(x, y));
        let half = e!(a, and(shr(odd, 1), 0x7f7f_7f7f));
        e!(a, add(add(and(x, y), half), and(and(odd, z), m)))
    };
    dot2_u32_u16 |a, x, y, z| add(add(mul(low16(x), low16(y)), mul(shr(x, 16), shr(y, 16))), z);
    dot2_i32_i16 |a, x, y, z| add(add(mul(sext16(x), sext16(y)), mul(sar(x, 16), sar(y, 16))), z);
    dot4_u32_u8 |a, x, y, z| { let d = a.dot(x, y, 8, false); a.add(d, z) };
    dot4_i32_i8 |a, x, y, z| { let d = a.dot(x, y, 8, true); a.add(d, z) };
    dot8_u32_u4 |a, x, y, z| { let d = a.dot(x, y, 4, false); a.add(d, z) };
    dot8_i32_i4 |a, x, y, z| { let d = a.dot(x, y, 4, true); a.add(d, z) };
    sad_u8 |a, x, y, z| add(sum_bytes(x, y, 0xffff_ffff), z);
    sad_hi_u8 |a, x, y, z| add(shl(sum_bytes(x, y, 0xffff_ffff), 16), z);
    msad_u8 |a, x, y, z| add(sum_bytes(x, y, y), z);
    sad_u16 |a, x, y, z| add(add(absdiff_u(low16(x), low16(y)), absdiff_u(shr(x, 16), shr(y, 16))), z);
    sad_u32 |a, x, y, z| add(absdiff_u(x, y), z);

    pk_add_u16 |a, x, y, _| pack16(add(x, y), add(shr(x, 16), shr(y, 16)));
    pk_sub_u16 |a, x, y, _| pack16(sub(x, y), sub(shr(x, 16), shr(y, 16)));
    pk_mul_lo_u16 |a, x, y, _| pack16(mul(x, y), mul(shr(x, 16), shr(y, 16)));
    pk_mad_u16 |a, x, y, z| pack16(add(mul(x, y), z), add(mul(shr(x, 16), shr(y, 16)), shr(z, 16)));
    pk_lshlrev_b16 |a, x, y, _| pack16(shl(y, and(x, 15)), shl(shr(y, 16), and(shr(x, 16), 15)));
    pk_lshrrev_b16 |a, x, y, _| pack16(shr(low16(y), and(x, 15)), shr(shr(y, 16), and(shr(x, 16), 15)));
    pk_ashrrev_i16 |a, x, y, _| pack16(sar(sext16(y), and(x, 15)), sar(sar(y, 16), and(shr(x, 16), 15)));
    pk_min_u16 |a, x, y, _| pack16(umin(low16(x), low16(y)), umin(shr(x, 16), shr(y, 16)));
    pk_max_u16 |a, x, y, _| pack16(umax(low16(x), low16(y)), umax(shr(x, 16), shr(y, 16)));
    pk_min_i16 |a, x, y, _| pack16(smin(sext16(x), sext16(y)), smin(sar(x, 16), sar(y, 16)));
    pk_max_i16 |a, x, y, _| pack16(smax(sext16(x), sext16(y)), smax(sar(x, 16), sar(y, 16)));
}

// Of scalar instructions only.
lane! {
    /// (value, condition as 0 or 1, old destination)
    cmov_b32 |a, x, c, old| sel(nonzero(c), x, old);
    cselect_b32 |a, x, y, c| sel(nonzero(c), x, y);
    abs_i32 |a, x, _, _| smax(x, neg(x));
    absdiff_i32 |a, x, y, _| { let d = a.sub(x, y); e!(a, smax(d, neg(d))) };
    andn1_b32 |a, x, y, _| and(not(x), y);
    andn2_b32 |a, x, y, _| and(x, not(y));
    orn1_b32 |a, x, y, _| or(not(x), y);
    orn2_b32 |a, x, y, _| or(x, not(y));
    nand_b32 |a, x, y, _| not(and(x, y));
    nor_b32 |a, x, y, _| not(or(x, y));
    s_bfe_u32 |a, x, y, _| {
        let w = e!(a, and(shr(y, 16), 0x7f));
        let field = a.shr(x, y);
        e!(a, sel(ult(31, w), field, and(field, sub(shl(1, w), 1))))
    };
    s_bfe_i32 |a, x, y, _| {
        let w = e!(a, umin(and(shr(y, 16), 0x7f), 32));
        let field = a.sar(x, y);
        let up = e!(a, sub(32, w));
        e!(a, sel(eq(w, 0), 0, sar(shl(field, up), up)))
    };
    bcnt1_b32 |a, x, _, _| popcnt(x);
    bcnt0_b32 |a, x, _, _| popcnt(not(x));
    ff0_b32 |a, x, _, _| sel(eq(x, 0xffff_ffff), 0xffff_ffff, ctz(not(x)));
    sext_i8 |a, x, _, _| sar(shl(x, 24), 24);
    sext_i16 |a, x, _, _| sext16(x);
    bitset0_b32 |a, x, old, _| and(old, not(shl(1, x)));
    bitset1_b32 |a, x, old, _| or(old, shl(1, x));
    wqm_b32 |a, x, _, _| mul(quads(x), 15);
    quadmask_b32 |a, x, _, _| gather_quads(x);
    pack_lh_b16 |a, x, y, _| or(low16(x), and(y, 0xffff_0000));
    pack_hh_b16 |a, x, y, _| or(shr(x, 16), and(y, 0xffff_0000));
}

/// Masks of groups of four bits, and sums over bytes.
pub(super) trait Groups: Alu {
    /// Bit 4i = any of bits 4i … 4i+3.
    #[inline(always)]
    fn quads(&mut self, x: Self::B) -> Self::B {
        let pair = e!(self, or(x, shr(x, 1)));
        e!(self, and(or(pair, shr(pair, 2)), 0x1111_1111))
    }
    /// Bit i = any of bits 4i … 4i+3.
    #[inline(always)]
    fn gather_quads(&mut self, x: Self::B) -> Self::B {
        let q = self.quads(x);
        let q = e!(self, and(or(q, shr(q, 3)), 0x0303_0303));
        let q = e!(self, and(or(q, shr(q, 6)), 0x000f_000f));
        e!(self, and(or(q, shr(q, 12)), 0xff))
    }
    /// Σ x · y over fields of so many bits.
    #[inline(always)]
    fn dot(&mut self, x: Self::B, y: Self::B, bits: u32, signed: bool) -> Self::B {
        let mut sum = self.lit(0);
        for i in (0..32).step_by(bits as usize) {
            let (up, down) = (32 - bits - i, 32 - bits);
            let (p, q) = (e!(self, shl(x, { up })), e!(self, shl(y, { up })));
            let product = match signed {
                true => e!(self, mul(sar(p, { down }), sar(q, { down }))),
                false => e!(self, mul(shr(p, { down }), shr(q, { down }))),
            };
            sum = self.add(sum, product);
        }
        sum
    }
    /// Σ |x − y| over the bytes where `mask` is not zero.
    #[inline(always)]
    fn sum_bytes(&mut self, x: Self::B, y: Self::B, mask: Self::B) -> Self::B {
        let mut sum = self.lit(0);
        for i in [0u32, 8, 16, 24] {
            let p = e!(self, and(shr(x, { i }), 0xff));
            let q = e!(self, and(shr(y, { i }), 0xff));
            let off = e!(self, eq(and(shr(mask, { i }), 0xff), 0));
            sum = e!(self, add(sum, sel(off, 0, absdiff_u(p, q))));
        }
        sum
    }
}
impl<A: Alu> Groups for A {}

/// Names [`Carry`] bodies; each gives (result, condition).
macro_rules! carry {
    ($(@$list:ident)? $($id:ident |$a:ident, $x:pat_param, $y:pat_param, $z:pat_param, $c:pat_param| $body:block;)*) => {
        listed! { $(@$list)? carry $($id)* }
        $(
        #[allow(non_camel_case_types)]
        pub struct $id;
        impl Carry for $id {
            #[inline(always)]
            fn eval<A: Alu>($a: &mut A, [$x, $y, $z]: [A::B; 3], $c: A::C) -> (A::B, A::C) $body
        }
    )* };
}
pub(super) use carry;

carry! { @carries
    addc_u32 |a, x, y, _, c| {
        let part = a.add(x, y);
        let sum = e!(a, add(part, bit(c)));
        (sum, e!(a, cor(ult(part, x), ult(sum, part))))
    };
    subb_u32 |a, x, y, _, c| {
        let part = a.sub(x, y);
        let difference = e!(a, sub(part, bit(c)));
        (difference, e!(a, cor(ult(x, y), ult(part, difference))))
    };
    subbrev_u32 |a, x, y, z, c| { subb_u32::eval(a, [y, x, z], c) };
    cndmask_b32 |a, x, y, _, c| { (a.sel(c, y, x), c) };
}

// Of scalar instructions only.
carry! {
    add_i32 |a, x, y, _, _| {
        let sum = a.add(x, y);
        (sum, e!(a, slt(and(xor(x, sum), xor(y, sum)), 0)))
    };
    sub_i32 |a, x, y, _, _| {
        let d = a.sub(x, y);
        (d, e!(a, slt(and(xor(x, y), xor(x, d)), 0)))
    };
    s_min_i32 |a, x, y, _, _| { (a.smin(x, y), a.slt(x, y)) };
    s_min_u32 |a, x, y, _, _| { (a.umin(x, y), a.ult(x, y)) };
    s_max_i32 |a, x, y, _, _| { (a.smax(x, y), a.slt(y, x)) };
    s_max_u32 |a, x, y, _, _| { (a.umax(x, y), a.ult(y, x)) };
    lshl1_add_u32 |a, x, y, _, _| { shift_add(a, 1, x, y) };
    lshl2_add_u32 |a, x, y, _, _| { shift_add(a, 2, x, y) };
    lshl3_add_u32 |a, x, y, _, _| { shift_add(a, 3, x, y) };
    lshl4_add_u32 |a, x, y, _, _| { shift_add(a, 4, x, y) };
}

#[inline(always)]
fn shift_add<A: Alu>(a: &mut A, n: u32, x: A::B, y: A::B) -> (A::B, A::C) {
    let sum = e!(a, add(shl(x, { n }), y));
    (sum, e!(a, cor(nonzero(shr(x, { 32 - n })), ult(sum, y))))
}
