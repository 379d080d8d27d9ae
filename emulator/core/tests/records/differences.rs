//! Where a record is not followed, and why. Every entry is needed: a test takes each away and expects a difference.

use super::Source::{self, Cdna, Rdna3, Rdna4};
use super::singles::Variant::{self, Clamp, Mods, Plain};
use wavepipe_isa::insts::{self as i, Op};

/// What of a record is passed over.
#[derive(Clone, Copy)]
pub enum Passed {
    /// All of it.
    Record,
    /// Lanes by their sources as the registers have them.
    Lanes(fn(&[u64; 4]) -> bool),
    /// The lane mask that it writes.
    Mask,
    /// The sign of a zero.
    ZeroSign,
    /// Bits 31:16 of the result.
    Upper,
}

pub struct Difference {
    pub rows: &'static [Op],
    pub sources: &'static [Source],
    pub variants: &'static [Variant],
    pub passed: Passed,
    pub why: &'static str,
}

impl Difference {
    pub fn concerns(&self, op: Op, source: Source, variant: Variant) -> bool {
        // The same records, of the rows as they are.
        let source = if source == Source::Gfx900 { Source::Cdna } else { source };
        self.rows.contains(&op) && self.sources.contains(&source) && self.variants.contains(&variant)
    }
}

/// Parts of a program's name and text that gfx1010 has a row for and no form, and what they need.
pub const LEFT_OUT: &[(&str, &str)] = &[
    ("offset:2048", "an offset of 13 bits"),
    ("Invalid register", "the upper half of a register as a VOP1, VOP2 or VOPC operand is RDNA 3's"),
    ("gfx1100 words", "fields that LLVM does not read: halves of registers in VOP3, literals and reserved bits"),
    (
        "v_cmpx_",
        "gfx9's records with a modifier have an empty EXEC whatever is compared (the records' notes: wrong on wave64)",
    ),
];

const SINGLES: &[Source] = &[Rdna3, Rdna4, Cdna];
const ALL: &[Variant] = &[Plain, Mods, Clamp];

fn f32_of(v: u64) -> f32 {
    f32::from_bits(v as u32)
}
fn f64_of(v: u64) -> f64 {
    f64::from_bits(v)
}
fn f16_of(v: u64) -> f32 {
    use wavepipe_isa::alu::{Alu, Nearest};
    f32::from_bits(Nearest.f32_from_f16(v as u32 & 0xffff))
}
/// NaN, or at least `limit` in magnitude.
fn beyond(v: f32, limit: f32) -> bool {
    v.is_nan() || v.abs() >= limit
}
/// Outside of [−1, 1], or where 32767 · v is a tie.
fn not_normal(v: f32) -> bool {
    v.is_nan() || v.abs() > 1.0 || v.abs() == 0.5
}

pub const DIFFERENCES: &[Difference] = &[
    Difference {
        rows: &[i::V_CVT_PKACCUM_U8_F32],
        sources: &[Cdna],
        variants: ALL,
        passed: Passed::Record,
        why: "has zeros in the bytes beside; Vega's manual passes the destination in as a source, to keep them",
    },
    Difference {
        rows: &[i::V_FMA_LEGACY_F16, i::V_MAD_LEGACY_F16],
        sources: &[Cdna],
        variants: ALL,
        passed: Passed::Record,
        why: "treats \"legacy\" as of f32; Vega's manual: V_FMA_F16 and V_MAD_F16 but for the upper half",
    },
    Difference {
        rows: &[i::V_MAD_F16],
        sources: &[Cdna],
        variants: &[Plain, Mods],
        passed: Passed::Record,
        why: "rounds once; Vega's manual: 1 ULP, denormals flushed, beside a fused one of 0.5 ULP",
    },
    Difference {
        rows: &[i::V_MAD_LEGACY_I16, i::V_MAD_LEGACY_U16, i::V_SUBREV_U16],
        sources: &[Cdna],
        variants: &[Clamp],
        passed: Passed::Record,
        why: "wraps; Vega's manual: supports saturation",
    },
    Difference {
        rows: &[i::V_SAT_PK_U8_I16],
        sources: &[Rdna3, Rdna4],
        variants: &[Plain],
        passed: Passed::Upper,
        why: "keeps the upper half, as RDNA 3's D.b16 says; RDNA 1's D.u32 has zeros there",
    },
    Difference {
        rows: &[i::V_CVT_PKRTZ_F16_F32],
        sources: SINGLES,
        variants: ALL,
        passed: Passed::Record,
        why: "rounded to nearest; every manual says toward zero whatever MODE says",
    },
    Difference {
        rows: &[i::V_CVT_PKNORM_I16_F16, i::V_CVT_NORM_I16_F16],
        sources: SINGLES,
        variants: ALL,
        passed: Passed::Lanes(|s| [s[0], s[1]].into_iter().any(|v| not_normal(f16_of(v)))),
        why: "wraps, and rounds ties up; the manual of V_CVT_NORM_I16_F16 says saturation and MODE",
    },
    Difference {
        rows: &[i::V_CVT_PKNORM_I16_F32],
        sources: SINGLES,
        variants: ALL,
        passed: Passed::Lanes(|s| [s[0], s[1]].into_iter().any(|v| not_normal(f32_of(v)))),
        why: "wraps, and rounds ties up; the manual of V_CVT_NORM_I16_F16 says saturation and MODE",
    },
    Difference {
        rows: &[i::V_CVT_PKNORM_U16_F16, i::V_CVT_NORM_U16_F16],
        sources: SINGLES,
        variants: &[Plain, Clamp],
        passed: Passed::Lanes(|s| [s[0], s[1]].into_iter().any(|v| !(0.0..=1.0).contains(&f16_of(v)))),
        why: "wraps; the manual of V_CVT_NORM_U16_F16 says saturation",
    },
    Difference {
        rows: &[i::V_CVT_PKNORM_U16_F32],
        sources: SINGLES,
        variants: &[Plain, Clamp],
        passed: Passed::Lanes(|s| [s[0], s[1]].into_iter().any(|v| !(0.0..=1.0).contains(&f32_of(v)))),
        why: "wraps; the manual of V_CVT_NORM_U16_F16 says saturation",
    },
    Difference {
        rows: &[i::V_CVT_PKNORM_U16_F16, i::V_CVT_NORM_U16_F16, i::V_CVT_PKNORM_U16_F32],
        sources: SINGLES,
        variants: &[Mods],
        passed: Passed::Record,
        why: "wraps; the manual of V_CVT_NORM_U16_F16 says saturation",
    },
    Difference {
        rows: &[i::V_CVT_RPI_I32_F32],
        sources: SINGLES,
        variants: ALL,
        passed: Passed::Lanes(|s| beyond(f32_of(s[0]), 4_194_304.0)),
        why: "the sum with 0.5 is rounded to f32, and the result wraps; the manual says 0.5 ULP",
    },
    Difference {
        rows: &[i::V_CVT_FLR_I32_F32, i::V_CVT_I32_F32],
        sources: SINGLES,
        variants: &[Mods, Clamp],
        passed: Passed::Lanes(|s| beyond(f32_of(s[0]), 2_147_483_648.0)),
        why: "wraps; the corrected records of the plain instruction saturate",
    },
    Difference {
        rows: &[i::V_CVT_U32_F32],
        sources: SINGLES,
        variants: &[Mods, Clamp],
        passed: Passed::Lanes(|s| beyond(f32_of(s[0]), 4_294_967_296.0)),
        why: "NaN gives the largest; the corrected records of the plain instruction give 0",
    },
    Difference {
        rows: &[i::V_CVT_I32_F64, i::V_CVT_U32_F64],
        sources: SINGLES,
        variants: &[Mods, Clamp],
        passed: Passed::Lanes(|s| beyond(f64_of(s[0]) as f32, 2_147_483_648.0)),
        why: "wraps; the corrected records of the plain instruction saturate",
    },
    Difference {
        rows: &[i::V_CVT_I16_F16],
        sources: &[Cdna],
        variants: ALL,
        passed: Passed::Lanes(|s| beyond(f16_of(s[0]), 32768.0)),
        why: "wraps; the manual says saturation, and RDNA 3's records saturate",
    },
    Difference {
        rows: &[i::V_CVT_U16_F16],
        sources: &[Cdna],
        variants: &[Clamp],
        passed: Passed::Lanes(|s| !(0.0..65520.0).contains(&f16_of(s[0]))),
        why: "wraps; the manual says saturation",
    },
    Difference {
        rows: &[i::V_CVT_U16_F16],
        sources: &[Cdna],
        variants: &[Mods],
        passed: Passed::Lanes(|s| !(-65520.0..=0.0).contains(&f16_of(s[0]))),
        why: "wraps; the manual says saturation",
    },
    Difference {
        rows: &[i::V_FRACT_F16],
        sources: SINGLES,
        variants: ALL,
        passed: Passed::Lanes(|s| f16_of(s[0]).abs() < 0.0005),
        why: "reaches 1.0; RDNA 3's manual clamps V_FRACT_F32 below it",
    },
    Difference {
        rows: &[i::V_FRACT_F32],
        sources: SINGLES,
        variants: ALL,
        passed: Passed::Lanes(|s| f32_of(s[0]).abs() < 6e-8),
        why: "reaches 1.0; RDNA 3's manual says \"result clamped to 0x3f7fffff\"",
    },
    Difference {
        rows: &[i::V_FRACT_F64],
        sources: SINGLES,
        variants: ALL,
        passed: Passed::Lanes(|s| f64_of(s[0]).abs() < 2e-16),
        why: "reaches 1.0; RDNA 3's manual clamps V_FRACT_F32 below it",
    },
    Difference {
        rows: &[i::V_MAD_U64_U32, i::V_MAD_I64_I32],
        sources: SINGLES,
        variants: &[Plain],
        passed: Passed::Mask,
        why: "always zero; every manual has {vcc_out, D.u64}, RDNA 3's a sum of 65 bits",
    },
    Difference {
        rows: &[i::V_COS_F16],
        sources: SINGLES,
        variants: ALL,
        passed: Passed::Lanes(|s| beyond(f16_of(s[0]), 0.51)),
        why: "off by up to 0.03: the turns are reduced in f16",
    },
    Difference {
        rows: &[i::V_CVT_PK_U8_F32],
        sources: SINGLES,
        variants: ALL,
        passed: Passed::Lanes(|s| f32_of(s[0]).is_nan()),
        why: "255 for NaN; conversions to unsigned integers give 0",
    },
    Difference {
        rows: &[i::V_FREXP_EXP_I32_F64],
        sources: SINGLES,
        variants: &[Plain],
        passed: Passed::Lanes(|s| f64_of(s[0]).is_subnormal()),
        why: "the exponent field of a denormal; RDNA 3's manual: \"satisfies the invariant S0.f64 = significand * (2 ** exponent)\"",
    },
    Difference {
        rows: &[i::V_FREXP_EXP_I16_F16],
        sources: SINGLES,
        variants: ALL,
        passed: Passed::Lanes(|s| f16_of(s[0]) == 0.0),
        why: "the exponent field of zero; C's frexp, which the manual names, gives 0",
    },
    Difference {
        rows: &[i::V_FREXP_EXP_I32_F32, i::V_FREXP_MANT_F32],
        sources: SINGLES,
        variants: &[Mods, Clamp],
        passed: Passed::Lanes(|s| f32_of(s[0]) == 0.0),
        why: "the exponent field of zero; C's frexp, which the manual names, gives 0",
    },
    Difference {
        rows: &[i::V_FREXP_EXP_I32_F64, i::V_FREXP_MANT_F64],
        sources: SINGLES,
        variants: &[Mods, Clamp],
        passed: Passed::Lanes(|s| f64_of(s[0]) == 0.0),
        why: "the exponent field of zero; C's frexp, which the manual names, gives 0",
    },
    Difference {
        rows: &[i::V_MIN3_F16, i::V_MAX3_F16, i::V_MED3_F16],
        sources: SINGLES,
        variants: ALL,
        passed: Passed::Lanes(|s| s[..3].iter().any(|&v| f16_of(v).is_nan())),
        why: "NaN where one source is; V_MIN_F16 and V_MAX_F16, of which they are made, take the other",
    },
    Difference {
        rows: &[i::V_MULLIT_F32],
        sources: &[Rdna3, Rdna4],
        variants: ALL,
        passed: Passed::Lanes(|s| f32_of(s[0]) == 0.0 || f32_of(s[1]) == 0.0),
        why: "−0 from a zero factor; the manual says 0.0 * x = 0.0",
    },
    Difference {
        rows: &[i::V_DIV_SCALE_F32, i::V_DIV_SCALE_F64],
        sources: SINGLES,
        variants: &[Plain],
        passed: Passed::Lanes(|s| s[0] != s[1] && s[0] != s[2]),
        why: "not specified: \"S0 must be the same value as either S1 or S2\"",
    },
    Difference {
        rows: &[i::V_DIV_SCALE_F32, i::V_DIV_SCALE_F64],
        sources: SINGLES,
        variants: &[Mods],
        passed: Passed::Record,
        why: "not specified: \"S0 must be the same value as either S1 or S2\"",
    },
    Difference {
        rows: &[i::V_DIV_SCALE_F64],
        sources: &[Cdna],
        variants: &[Plain],
        passed: Passed::Lanes(|s| f64_of(s[1]).is_infinite()),
        why: "takes the reciprocal of ∞, zero, as a denormal; V_DIV_FIXUP gives the quotient whatever comes of it",
    },
    Difference {
        rows: &[i::V_TRIG_PREOP_F64],
        sources: SINGLES,
        variants: ALL,
        passed: Passed::Lanes(|s| 53 * (s[1] & 31) + (s[0] >> 52 & 0x7ff).saturating_sub(1077) > 900),
        why: "0: the power of two by which the bits are scaled underflows before they are",
    },
    Difference {
        rows: &[i::V_RNDNE_F16],
        sources: SINGLES,
        variants: &[Mods],
        passed: Passed::Lanes(|s| f16_of(s[0]).abs() <= 0.5),
        why: "+0 from negative numbers, large numbers rounded; the corrected records of the plain instruction have −0",
    },
    Difference {
        rows: &[i::V_RNDNE_F32],
        sources: SINGLES,
        variants: &[Mods],
        passed: Passed::Lanes(|s| !(0.5..4_194_304.0).contains(&f32_of(s[0]).abs()) || f32_of(s[0]).abs() == 0.5),
        why: "+0 from negative numbers, large numbers rounded; the corrected records of the plain instruction have −0",
    },
    Difference {
        rows: &[i::V_RNDNE_F64],
        sources: SINGLES,
        variants: &[Mods],
        passed: Passed::Lanes(|s| f64_of(s[0]).abs() <= 0.5),
        why: "+0 from negative numbers, large numbers rounded; the corrected records of the plain instruction have −0",
    },
    Difference {
        rows: &[i::V_LDEXP_F16],
        sources: &[Cdna],
        variants: &[Plain, Clamp],
        passed: Passed::Lanes(|s| f16_of(s[0]).is_infinite() || f16_of(s[0]) == 0.0),
        why: "NaN: the power of two underflows or overflows before it meets ∞ or 0",
    },
    Difference {
        rows: &[i::V_MIN3_F16],
        sources: &[Cdna],
        variants: &[Plain],
        passed: Passed::Lanes(|s| s[..3].iter().any(|&v| f16_of(v) == 0.0)),
        why: "+0 of −0 and +0; the manual of V_MIN_F16 takes −0",
    },
    Difference {
        rows: &[i::V_MIN_F64, i::V_MAX_F64],
        sources: &[Cdna],
        variants: &[Mods],
        passed: Passed::Lanes(|s| f64_of(s[0]) == 0.0 && f64_of(s[1]) == 0.0),
        why: "the first of −0 and +0; the manual tells them apart",
    },
    Difference {
        rows: &[i::V_ADD_NC_U16, i::V_SUB_NC_U16, i::V_SUBREV_NC_U32, i::V_ADD_NC_I32, i::V_SUB_NC_I32],
        sources: &[Cdna],
        variants: &[Clamp],
        passed: Passed::Record,
        why: "saturates what does not overflow, or not at all; RDNA 3's programs saturate as here",
    },
    Difference {
        rows: &[i::V_LDEXP_F16, i::V_LDEXP_F32, i::V_LDEXP_F64],
        sources: SINGLES,
        variants: &[Mods],
        passed: Passed::Record,
        why: "with a modifier the exponent has no sign; the records of the plain instruction have it",
    },
    Difference {
        rows: &[i::V_CVT_OFF_F32_I4],
        sources: SINGLES,
        variants: &[Clamp],
        passed: Passed::Record,
        why: "reads more than four bits; the corrected record of the plain instruction does not",
    },
    Difference {
        rows: &[
            i::V_CVT_F16_F32,
            i::V_CVT_F64_F32,
            i::V_CEIL_F16,
            i::V_CEIL_F32,
            i::V_CEIL_F64,
            i::V_FLOOR_F16,
            i::V_FLOOR_F32,
            i::V_FLOOR_F64,
            i::V_TRUNC_F16,
            i::V_TRUNC_F32,
            i::V_TRUNC_F64,
            i::V_MAX_F16,
            i::V_MAX_F32,
            i::V_MAX_F64,
            i::V_MIN_F16,
            i::V_MIN_F32,
            i::V_MIN_F64,
            i::V_MED3_F16,
            i::V_MED3_F32,
            i::V_MIN3_F16,
            i::V_MIN3_F32,
            i::V_MAX3_F16,
            i::V_CVT_F32_F64,
            i::V_MUL_F16,
            i::V_MUL_F32,
            i::V_MUL_F64,
            i::V_LDEXP_F16,
            i::V_LDEXP_F32,
            i::V_LDEXP_F64,
        ],
        sources: SINGLES,
        variants: &[Clamp],
        passed: Passed::ZeroSign,
        why: "clamping keeps −0; RDNA 3's manual says that it gives +0",
    },
    Difference {
        rows: &[
            i::V_PACK_B32_F16,
            i::V_PK_ADD_F16,
            i::V_PK_FMA_F16,
            i::V_PK_MAX_F16,
            i::V_PK_MIN_F16,
            i::V_PK_MUL_F16,
            i::V_FMA_MIX_F32,
            i::V_FMA_MIXLO_F16,
            i::V_FMA_MIXHI_F16,
        ],
        sources: SINGLES,
        variants: &[Clamp],
        passed: Passed::Record,
        why: "not clamped at all; VOP3P's CLAMP clamps",
    },
    Difference {
        rows: &[
            i::V_ADD_NC_I16,
            i::V_SUB_NC_I16,
            i::V_MAD_I16,
            i::V_MAD_I32_I16,
            i::V_MAD_U32_U16,
            i::V_MAD_I64_I32,
            i::V_MAD_U64_U32,
            i::V_MSAD_U8,
            i::V_SAD_U8,
            i::V_SAD_HI_U8,
            i::V_SAD_U16,
            i::V_SAD_U32,
            i::V_PK_ADD_I16,
            i::V_PK_ADD_U16,
            i::V_PK_SUB_I16,
            i::V_PK_SUB_U16,
            i::V_PK_MAD_I16,
            i::V_PK_MAD_U16,
            i::V_PK_MUL_LO_U16,
        ],
        sources: SINGLES,
        variants: &[Clamp],
        passed: Passed::Record,
        why: "saturates not at all, or not at the width of the result; the manual says the largest and smallest representable value",
    },
    Difference {
        rows: &[i::V_MUL_I32_I24, i::V_MUL_U32_U24, i::V_MAD_I32_I24, i::V_MAD_U32_U24],
        sources: SINGLES,
        variants: &[Clamp],
        passed: Passed::Record,
        why: "operands of more than 24 bits; the corrected records of the plain instruction have 24",
    },
];
