//! The value of an [`Alu`] operation on constants. Results are bit-exact with what the machine gives in the kernel's float
//! mode (round to nearest even, denormals kept); an operation that the machine only approximates is not folded.

use super::types::{Alu, Width};

/// Bits of `width` set.
pub const fn mask(width: Width) -> u64 {
    match width.bits() {
        64.. => u64::MAX,
        n => (1 << n) - 1,
    }
}

/// Sign-extends the low bits.
pub const fn signed(bits: u64, width: Width) -> i64 {
    let unused = 64 - if width.bits() > 64 { 64 } else { width.bits() };
    (bits << unused) as i64 >> unused
}

/// `alu` on `args` (zero-extended bits), whose first operand is `from` wide and whose result is `to` wide.
/// None: not known here.
pub fn fold(alu: Alu, args: &[u64], from: Width, to: Width) -> Option<u64> {
    use Alu::*;
    if args.len() != alu.arity() {
        return None;
    }
    let a = args[0];
    let b = args.get(1).copied().unwrap_or(0);
    let c = args.get(2).copied().unwrap_or(0);
    let (sa, sb) = (signed(a, from), signed(b, from));
    let bits = from.bits();
    let shift = (b as u32) & (bits - 1);
    // A bit field outside of the word is undefined; no folding, so that the machine's choice stays the only one.
    let field =
        |offset: u64, count: u64| (offset + count <= u64::from(bits)).then(|| (offset as u32, low_mask(count as u32)));
    let result = match alu {
        IAdd => a.wrapping_add(b),
        ISub => a.wrapping_sub(b),
        IMul => a.wrapping_mul(b),
        UMulHi => (u128::from(a) * u128::from(b) >> bits) as u64,
        SMulHi => (i128::from(sa) * i128::from(sb) >> bits) as u64,
        UDiv => a.checked_div(b)?,
        UMod => a.checked_rem(b)?,
        SDiv if sb != 0 => sa.wrapping_div(sb) as u64,
        SRem if sb != 0 => sa.wrapping_rem(sb) as u64,
        SMod if sb != 0 => {
            let r = sa.wrapping_rem(sb);
            (if r != 0 && (r < 0) != (sb < 0) { r + sb } else { r }) as u64
        }
        INeg => a.wrapping_neg(),
        IAbs => sa.wrapping_abs() as u64,
        ISign => sa.signum() as u64,
        SMin => sa.min(sb) as u64,
        SMax => sa.max(sb) as u64,
        UMin => a.min(b),
        UMax => a.max(b),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Not => !a,
        Shl => a << shift,
        UShr => a >> shift,
        SShr => (sa >> shift) as u64,
        UBfe => field(b, c).map(|(o, m)| a >> o & m).or((c == 0).then_some(0))?,
        SBfe if c == 0 => 0,
        SBfe => field(b, c).map(|(o, m)| {
            let unused = 64 - m.count_ones();
            ((a >> o & m) << unused) as i64 >> unused
        })? as u64,
        Bfi => {
            let (o, m) = field(c, args[3])?;
            if m == 0 { a } else { a & !(m << o) | (b & m) << o }
        }
        BitReverse => a.reverse_bits() >> (64 - bits),
        BitCount => u64::from(a.count_ones()),
        FindLsb => {
            if a == 0 {
                u64::MAX
            } else {
                u64::from(a.trailing_zeros())
            }
        }
        FindUMsb => {
            if a == 0 {
                u64::MAX
            } else {
                u64::from(63 - a.leading_zeros())
            }
        }
        FindSMsb => {
            let v = (if sa < 0 { !sa } else { sa }) as u64;
            if v == 0 { u64::MAX } else { u64::from(63 - v.leading_zeros()) }
        }
        UAddCarry => u64::from((u128::from(a) + u128::from(b)) >> bits != 0),
        USubBorrow => u64::from(a < b),
        IEq => u64::from(a == b),
        INe => u64::from(a != b),
        ULt => u64::from(a < b),
        ULe => u64::from(a <= b),
        SLt => u64::from(sa < sb),
        SLe => u64::from(sa <= sb),
        Pack64 => a | b << 32,
        Lo32 => a,
        Hi32 => a >> 32,
        Select => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        BoolToInt | UConvert | Copy => a,
        SConvert => sa as u64,
        UToF => match to {
            Width::B32 => u64::from((a as f32).to_bits()),
            Width::B64 => (a as f64).to_bits(),
            // What f64 cannot hold is far beyond f16's range.
            _ => half(a as f64),
        },
        SToF => match to {
            Width::B32 => u64::from((sa as f32).to_bits()),
            Width::B64 => (sa as f64).to_bits(),
            _ => half(sa as f64),
        },
        FNeg | FAbs if !matches!(from, Width::B16 | Width::B32 | Width::B64) => return None,
        FNeg => a ^ 1 << (bits - 1),
        FAbs => a & !(1 << (bits - 1)),
        _ => match from {
            Width::B32 => {
                let f = |bits: u64| f32::from_bits(bits as u32);
                match (alu, to) {
                    (FConvert, Width::B64) => f64::from(f(a)).to_bits(),
                    (FConvert, Width::B32) => a,
                    (FConvert | FConvertRte, Width::B16) if !f(a).is_nan() => half(f64::from(f(a))),
                    (FSat, _) => u64::from(f(a).max(0.0).min(1.0).to_bits()),
                    (FLdexp, _) if f(a).is_normal() && (-126..=127).contains(&(b as i32)) => {
                        let scaled = (f64::from(f(a)) * f64::powi(2.0, b as i32)) as f32;
                        scaled.is_normal().then(|| u64::from(scaled.to_bits()))?
                    }
                    _ => float32(alu, f(a), f(b), f(c), to)?,
                }
            }
            Width::B64 => {
                let f = f64::from_bits;
                match (alu, to) {
                    (FConvert, Width::B32) if !f(a).is_nan() => u64::from((f(a) as f32).to_bits()),
                    (FConvert, Width::B64) => a,
                    (FConvertRte, Width::B32) if !f(a).is_nan() => u64::from((f(a) as f32).to_bits()),
                    (FConvert | FConvertRte, Width::B16) if !f(a).is_nan() => half(f(a)),
                    _ => float64(alu, f(a), f(b), f(c), to)?,
                }
            }
            Width::B16 => {
                let (x, y) = (from_half(a), from_half(b));
                match (alu, to) {
                    (FConvert, Width::B16) => a,
                    (FConvert, _) if x.is_nan() => return None,
                    (FConvert, Width::B32) => u64::from(x.to_bits()),
                    (FConvert, _) => f64::from(x).to_bits(),
                    // f32 has more than twice the bits: rounding twice is rounding once, for one operation but fma.
                    (FFma, _) => return None,
                    (_, Width::B16) => half(f64::from(f32::from_bits(float32(alu, x, y, 0.0, Width::B32)? as u32))),
                    _ => float32(alu, x, y, 0.0, to)?,
                }
            }
            _ => return None,
        },
    };
    Some(result & mask(to))
}

const fn low_mask(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// The bits of an f16 as a number.
fn from_half(bits: u64) -> f32 {
    let (exponent, fraction) = (bits as u32 >> 10 & 31, bits as u32 & 0x3ff);
    let magnitude = match exponent {
        0 => fraction as f32 / (1 << 24) as f32,
        31 if fraction != 0 => f32::NAN,
        31 => f32::INFINITY,
        _ => f32::from_bits(exponent + 112 << 23 | fraction << 13),
    };
    if bits & 0x8000 != 0 { -magnitude } else { magnitude }
}

/// A number that is no NaN as the bits of an f16, to nearest even.
pub fn half(x: f64) -> u64 {
    let a = x.abs();
    let magnitude = if a >= 65520.0 {
        0x7c00
    } else if a < f64::powi(2.0, -14) {
        // The units of denormals; rounded up to the least normal number, the bits are right too.
        (a * f64::powi(2.0, 24)).round_ties_even() as u64
    } else {
        let exponent = (a.to_bits() >> 52) as i32 - 1023;
        let units = (a * f64::powi(2.0, 10 - exponent)).round_ties_even() as u64;
        ((exponent + 14) as u64) * 1024 + units
    };
    u64::from(x.is_sign_negative()) << 15 | magnitude
}

macro_rules! float_fold {
    ($name:ident, $ty:ty) => {
        fn $name(alu: Alu, a: $ty, b: $ty, c: $ty, to: Width) -> Option<u64> {
            use Alu::*;
            let unordered = a.is_nan() || b.is_nan();
            #[allow(clippy::float_cmp)]
            let truth = match alu {
                FOrdEq => a == b,
                FOrdNe => !unordered && a != b,
                FOrdLt => a < b,
                FOrdLe => a <= b,
                FOrdGt => a > b,
                FOrdGe => a >= b,
                FUnordEq => unordered || a == b,
                FUnordNe => a != b,
                FUnordLt => unordered || a < b,
                FUnordLe => unordered || a <= b,
                FUnordGt => unordered || a > b,
                FUnordGe => unordered || a >= b,
                FIsNan => a.is_nan(),
                FIsInf => a.is_infinite(),
                _ => {
                    let x: $ty = match alu {
                        FAdd => a + b,
                        FSub => a - b,
                        FMul => a * b,
                        FDiv => a / b,
                        FFma => a.mul_add(b, c),
                        FFloor => a.floor(),
                        FCeil => a.ceil(),
                        FTrunc => a.trunc(),
                        FRoundEven => a.round_ties_even(),
                        FSqrt => a.sqrt(),
                        FMin if !unordered && (a != b || a.to_bits() == b.to_bits()) => a.min(b),
                        FMax if !unordered && (a != b || a.to_bits() == b.to_bits()) => a.max(b),
                        FSign if !a.is_nan() => {
                            if a > 0.0 {
                                1.0
                            } else if a < 0.0 {
                                -1.0
                            } else {
                                a
                            }
                        }
                        FToU => {
                            return Some(if to == Width::B64 { a as u64 } else { u64::from(a as u32).min(mask(to)) });
                        }
                        FToS if matches!(to, Width::B32 | Width::B64) => {
                            return Some(if to == Width::B64 { a as i64 as u64 } else { a as i32 as u64 });
                        }
                        _ => return None,
                    };
                    // The payload of a NaN is the machine's choice.
                    return (!x.is_nan()).then(|| u64::from(x.to_bits()));
                }
            };
            Some(u64::from(truth))
        }
    };
}

float_fold!(float32, f32);
float_fold!(float64, f64);
