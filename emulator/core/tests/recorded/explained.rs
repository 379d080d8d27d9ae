//! Where records say something else than RDNA 1 does, and why. A result that differs from its record must be explained by
//! one of these lines; a record confirms its row only if most of its results agree.

use wavepipe_isa::insts::{self as i, Op};
use wavepipe_isa::row::Ty;
use wavepipe_isa::saturate;

/// A result that differs.
pub struct Case {
    pub op: Op,
    /// "", "mods" or "clamp".
    pub variant: String,
    /// Type of the first source, and the sources.
    pub ty: Ty,
    pub s: [u64; 3],
    /// Type of the result; `None`: a condition.
    pub result: Option<Ty>,
    pub got: u64,
    pub want: u64,
}

impl Case {
    fn is(&self, ops: &[Op]) -> bool {
        ops.contains(&self.op)
    }

    /// Of the first source.
    fn exponent(&self) -> u64 {
        exponent(self.ty, self.s[0])
    }
}

fn exponent(ty: Ty, v: u64) -> u64 {
    match ty {
        Ty::F64 => v >> 52 & 0x7ff,
        Ty::F16 => v >> 10 & 0x1f,
        _ => v >> 23 & 0xff,
    }
}

fn nan16(v: u64) -> bool {
    v & 0x7fff > 0x7c00
}

/// The bits of −0 and of 1.
fn minus_zero(ty: Ty) -> u64 {
    match ty {
        Ty::F64 => 1 << 63,
        Ty::F16 => 1 << 15,
        _ => 1 << 31,
    }
}

fn one(ty: Ty) -> u64 {
    match ty {
        Ty::F64 => 0x3ff << 52,
        Ty::F16 => 0x3c00,
        _ => 0x3f80_0000,
    }
}

type Reason = (fn(&Case) -> bool, &'static str);

const REASONS: &[Reason] = &[
    (|c| c.is(&[i::V_CVT_PKRTZ_F16_F32]), "rounds to nearest, where the manual says toward zero"),
    (
        |c| {
            c.is(&[i::V_CVT_PKNORM_I16_F16, i::V_CVT_PKNORM_U16_F16, i::V_CVT_PKNORM_I16_F32, i::V_CVT_PKNORM_U16_F32])
                || c.is(&[i::V_CVT_NORM_I16_F16, i::V_CVT_NORM_U16_F16])
        },
        "scales without holding the source in [−1, 1] or [0, 1]",
    ),
    (
        |c| {
            let converts = [i::V_CVT_I32_F32, i::V_CVT_U32_F32, i::V_CVT_I32_F64, i::V_CVT_U32_F64];
            let others = [i::V_CVT_RPI_I32_F32, i::V_CVT_FLR_I32_F32, i::V_CVT_I16_F16, i::V_CVT_U16_F16];
            let ends = [0, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7fff, 0x8000, 0xffff];
            (c.is(&converts) || c.is(&others)) && ends.contains(&c.got)
        },
        "no saturation, or not 0 for NaN; the manual says both",
    ),
    (
        |c| c.is(&[i::V_FRACT_F16, i::V_FRACT_F32, i::V_FRACT_F64]) && c.result.is_some_and(|ty| c.want == one(ty)),
        "a fraction of 1.0 (ERRATA.md)",
    ),
    (
        |c| c.is(&[i::V_MAD_U64_U32, i::V_MAD_I64_I32]) && c.result.is_none(),
        "no carry out, where the manual has one",
    ),
    (|c| c.is(&[i::V_COS_F16]), "reduces the argument in f16: NaN or another turn"),
    (
        |c| c.is(&[i::V_CVT_PK_U8_F32]) && f32::from_bits(c.s[0] as u32).is_nan(),
        "255 for NaN, where every other conversion gives 0",
    ),
    (
        |c| {
            c.is(&[i::V_FREXP_EXP_I32_F32, i::V_FREXP_EXP_I32_F64, i::V_FREXP_EXP_I16_F16])
                || c.is(&[i::V_FREXP_MANT_F32, i::V_FREXP_MANT_F64])
        } && c.exponent() == 0,
        "takes a zero's or denormal's exponent field, where the manual refers to C's frexp (ERRATA.md)",
    ),
    (
        |c| c.is(&[i::V_MAX3_F16, i::V_MIN3_F16, i::V_MED3_F16]) && c.s.iter().any(|&v| nan16(v)),
        "a NaN wins; the manual builds these of V_MAX_F16 and V_MIN_F16, where it loses",
    ),
    (
        |c| c.is(&[i::V_DIV_SCALE_F32, i::V_DIV_SCALE_F64]) && c.s[0] != c.s[1] && c.s[0] != c.s[2],
        "S0 is neither S1 nor S2, which the manual demands",
    ),
    (
        |c| {
            let near_end = if c.ty == Ty::F64 { 2045 } else { 253 };
            c.is(&[i::V_DIV_SCALE_F32, i::V_DIV_SCALE_F64]) && exponent(c.ty, c.s[1]) >= near_end
        },
        "takes a denormal reciprocal for zero; isa/tests/division.rs divides with it",
    ),
    (
        |c| c.is(&[i::V_MULLIT_F32]) && c.got == 0 && c.want == 1 << 31,
        "−0 from a zero factor; the manual says 0.0 · x = 0.0",
    ),
    (
        |c| c.is(&[i::V_LDEXP_F16, i::V_LDEXP_F32, i::V_LDEXP_F64]) && c.variant == "mods",
        "the sign modifier reaches the integer exponent too",
    ),
    (|c| c.is(&[i::V_LDEXP_F16]) && [0, 31].contains(&c.exponent()), "0 · 2^n and ∞ · 2^n as products, which are NaN"),
    (
        |c| c.is(&[i::V_CVT_RPI_I32_F32, i::V_RNDNE_F32]) && c.exponent() >= 127 + 23,
        "rounds whole numbers: a sum with ½ is not exact there",
    ),
    (
        |c| {
            let zeros = |v, ty| v == 0 || v == minus_zero(ty);
            let orders = [i::V_MIN_F64, i::V_MAX_F64, i::V_MIN3_F16, i::V_MAX3_F16, i::V_MED3_F16];
            c.is(&orders) && c.result.is_some_and(|ty| zeros(c.got, ty) && zeros(c.want, ty))
        },
        "−0 and +0 are in no order; in the manual's V_MIN and V_MAX they are",
    ),
    (
        |c| {
            c.is(&[i::V_RNDNE_F16, i::V_RNDNE_F32, i::V_RNDNE_F64])
                && c.want == 0
                && c.result.is_some_and(|ty| c.got == minus_zero(ty))
        },
        "the sign of −0 is lost",
    ),
    (
        |c| c.is(&[i::V_SAT_PK_U8_I16]) && c.got == c.want & 0xffff,
        "keeps the upper half, as RDNA 3's D.b16 says; RDNA 1's D.u32 has zeros there",
    ),
    (
        |c| c.variant == "clamp" && c.got == 0 && c.result.is_some_and(|ty| c.want == minus_zero(ty)),
        "−0 stays under clamp (ERRATA.md)",
    ),
    (
        |c| c.variant == "clamp" && saturate::applies(c.op),
        "the recording emulator's integer clamp wraps, holds another type's range, or does not cut factors to 24 bits",
    ),
    (
        |c| {
            let packed = [i::V_PK_ADD_F16, i::V_PK_MUL_F16, i::V_PK_FMA_F16, i::V_PK_MIN_F16, i::V_PK_MAX_F16];
            let others = [i::V_FMA_MIX_F32, i::V_FMA_MIXLO_F16, i::V_FMA_MIXHI_F16, i::V_PACK_B32_F16];
            c.variant == "clamp" && (c.is(&packed) || c.is(&others))
        },
        "clamp has no effect on packed and mixed f16 in the recording emulator",
    ),
    (
        |c| c.variant == "clamp" && c.is(&[i::V_CVT_OFF_F32_I4]),
        "the recording emulator's clamp gives 0 for fractions",
    ),
];

/// Why a result may differ from its record.
pub fn reason(c: &Case) -> Option<&'static str> {
    REASONS.iter().find(|(holds, _)| holds(c)).map(|(_, why)| *why)
}
