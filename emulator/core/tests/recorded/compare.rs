//! When two results count as equal.

use wavepipe_isa::row::Ty;

pub fn nan_as_one(ty: Ty, v: u64) -> u64 {
    match ty {
        Ty::F32 if f32::from_bits(v as u32).is_nan() => 0x7fc0_0000,
        Ty::F64 if f64::from_bits(v).is_nan() => 0x7ff8_0000_0000_0000,
        Ty::F16 | Ty::F16Hi if v & 0x7fff > 0x7c00 => 0x7e00,
        Ty::F16 | Ty::F16Hi | Ty::B16 | Ty::U16 | Ty::I16 => v & 0xffff,
        Ty::PkF16 => nan_as_one(Ty::F16, v & 0xffff) | nan_as_one(Ty::F16, v >> 16 & 0xffff) << 16,
        _ => v,
    }
}

pub fn f16(v: u64) -> f32 {
    use wavepipe_isa::alu::{Alu, Nearest};
    f32::from_bits(Nearest.f32_from_f16(v as u32))
}

/// Denormals and signalling NaNs, on which one witness is not enough.
pub fn delicate(ty: Ty, v: u64) -> bool {
    let (exponent, fraction) = match ty {
        Ty::F32 | Ty::Mix => (v >> 23 & 0xff, v & 0x7f_ffff),
        Ty::F16 => (v >> 10 & 0x1f, v & 0x3ff),
        Ty::F64 => (v >> 52 & 0x7ff, v & 0xf_ffff_ffff_ffff),
        Ty::PkF16 => return delicate(Ty::F16, v & 0xffff) || delicate(Ty::F16, v >> 16),
        _ => return false,
    };
    let (top, quiet) = match ty {
        Ty::F16 => (0x1f, 0x200),
        Ty::F64 => (0x7ff, 1 << 51),
        _ => (0xff, 1 << 22),
    };
    fraction != 0 && (exponent == 0 || exponent == top && fraction & quiet == 0)
}

/// Distance in units in the last place, or 0 if both are NaN.
pub fn ulps(ty: Ty, a: u64, b: u64) -> u64 {
    let (a, b) = (nan_as_one(ty, a), nan_as_one(ty, b));
    let line = |v: u64, bits: u32| {
        let magnitude = (v & ((1 << (bits - 1)) - 1)) as i64;
        if v >> (bits - 1) & 1 != 0 { -magnitude } else { magnitude }
    };
    let bits = match ty {
        Ty::F16 => 16,
        Ty::F64 => 64,
        _ => 32,
    };
    line(a, bits).abs_diff(line(b, bits))
}
