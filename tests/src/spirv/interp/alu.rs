//! Arithmetic on scalars, as the SPIR-V specification's section on instructions says it.

use super::float::{nearest, value};
use rspirv::spirv::{GlslStd450Op as GLOp, Op};

/// A scalar's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    pub bits: u32,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
}

/// The low `bits` of `x`.
pub fn cut(bits: u32, x: u64) -> u64 {
    if bits >= 64 { x } else { x & ((1 << bits) - 1) }
}

/// The signed number that the low `bits` of `x` mean.
pub fn signed(bits: u32, x: u64) -> i64 {
    if bits >= 64 { x as i64 } else { (x << (64 - bits)) as i64 >> (64 - bits) }
}

/// An instruction on scalars; `from` is the type of its first operand that is no condition. None: no such instruction, or
/// a result that the specification leaves undefined.
pub fn scalar(op: Op, to: Scalar, from: Scalar, x: &[u64]) -> Option<u64> {
    let w = from.bits;
    let (a, b) = (x[0], x.get(1).copied().unwrap_or(0));
    let (sa, sb) = (signed(w, a), signed(w, b));
    let (fa, fb) = (value(w, a), value(w, b));
    let unordered = fa.is_nan() || fb.is_nan();
    let bit = |c: bool| Some(u64::from(c));
    let float = |v: f64| Some(nearest(to.bits, v));
    let shift = |by: u64| (by < u64::from(w)).then_some(by as u32);
    let out = match op {
        Op::SNegate => sa.wrapping_neg() as u64,
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b)?,
        Op::UMod => a.checked_rem(b)?,
        Op::SDiv => divides(w, sa, sb).then_some(sa.wrapping_div(sb) as u64)?,
        // The sign is the dividend's.
        Op::SRem => divides(w, sa, sb).then_some(sa.wrapping_rem(sb) as u64)?,
        // The sign is the divisor's.
        Op::SMod => {
            let r = divides(w, sa, sb).then_some(sa.wrapping_rem(sb))?;
            (if r != 0 && (r < 0) != (sb < 0) { r + sb } else { r }) as u64
        }
        Op::ShiftLeftLogical => a << shift(b)?,
        Op::ShiftRightLogical => a >> shift(b)?,
        Op::ShiftRightArithmetic => (sa >> shift(b)?) as u64,
        Op::BitwiseAnd => a & b,
        Op::BitwiseOr => a | b,
        Op::BitwiseXor => a ^ b,
        Op::Not => !a,
        Op::BitCount => u64::from(a.count_ones()),
        Op::BitReverse => a.reverse_bits() >> (64 - w),
        Op::BitFieldInsert => {
            let (offset, count) = field(w, x[2], x[3])?;
            let mask = if count == 0 { 0 } else { cut(count, u64::MAX) << offset };
            a & !mask | b << offset & mask
        }
        Op::BitFieldSExtract | Op::BitFieldUExtract => {
            let (offset, count) = field(w, b, x[2])?;
            match (count, op) {
                (0, _) => 0,
                (_, Op::BitFieldUExtract) => cut(count, a >> offset),
                _ => signed(count, a >> offset) as u64,
            }
        }
        Op::UConvert => a,
        Op::SConvert => sa as u64,
        Op::ConvertSToF if to.bits == 32 => u64::from((sa as f32).to_bits()),
        Op::ConvertUToF if to.bits == 32 => u64::from((a as f32).to_bits()),
        Op::ConvertSToF => return float(sa as f64),
        Op::ConvertUToF => return float(a as f64),
        Op::ConvertFToS => {
            let limit = 2f64.powi(to.bits as i32 - 1);
            let v = fa.trunc();
            (v >= -limit && v < limit).then_some(v as i64 as u64)?
        }
        Op::ConvertFToU => {
            let v = fa.trunc();
            (v >= 0.0 && v < 2f64.powi(to.bits as i32)).then_some(v as u64)?
        }
        Op::FConvert => return float(fa),
        Op::QuantizeToF16 => {
            // No denormals: what would be one is a zero of its sign.
            let half = nearest(16, fa);
            return float(value(16, if half & 0x7c00 == 0 { half & 0x8000 } else { half }));
        }
        Op::FNegate => a ^ 1 << (w - 1),
        Op::FAdd => return float(fa + fb),
        Op::FSub => return float(fa - fb),
        Op::FMul => return float(fa * fb),
        Op::FDiv => return float(fa / fb),
        Op::FRem => return float(fa % fb),
        Op::IEqual | Op::LogicalEqual => return bit(a == b),
        Op::INotEqual | Op::LogicalNotEqual => return bit(a != b),
        Op::ULessThan => return bit(a < b),
        Op::ULessThanEqual => return bit(a <= b),
        Op::UGreaterThan => return bit(a > b),
        Op::UGreaterThanEqual => return bit(a >= b),
        Op::SLessThan => return bit(sa < sb),
        Op::SLessThanEqual => return bit(sa <= sb),
        Op::SGreaterThan => return bit(sa > sb),
        Op::SGreaterThanEqual => return bit(sa >= sb),
        Op::LogicalAnd => a & b,
        Op::LogicalOr => a | b,
        Op::LogicalNot => a ^ 1,
        Op::FOrdEqual => return bit(fa == fb),
        Op::FUnordEqual => return bit(unordered || fa == fb),
        Op::FOrdNotEqual => return bit(!unordered && fa != fb),
        Op::FUnordNotEqual => return bit(fa != fb),
        Op::FOrdLessThan => return bit(fa < fb),
        Op::FUnordLessThan => return bit(unordered || fa < fb),
        Op::FOrdGreaterThan => return bit(fa > fb),
        Op::FUnordGreaterThan => return bit(unordered || fa > fb),
        Op::FOrdLessThanEqual => return bit(fa <= fb),
        Op::FUnordLessThanEqual => return bit(unordered || fa <= fb),
        Op::FOrdGreaterThanEqual => return bit(fa >= fb),
        Op::FUnordGreaterThanEqual => return bit(unordered || fa >= fb),
        Op::IsNan => return bit(fa.is_nan()),
        Op::IsInf => return bit(fa.is_infinite()),
        _ => return None,
    };
    Some(cut(to.bits, out))
}

/// Whether a signed division is defined.
fn divides(bits: u32, a: i64, b: i64) -> bool {
    b != 0 && !(b == -1 && a == signed(bits, 1 << (bits - 1)))
}

/// A bit field's offset and count, if it lies within the operand.
fn field(bits: u32, offset: u64, count: u64) -> Option<(u32, u32)> {
    (offset <= 64 && count <= 64 && offset + count <= u64::from(bits)).then_some((offset as u32 % 64, count as u32))
}

/// The instructions that give a structure of two: carry and wide products.
pub fn pair(op: Op, bits: u32, a: u64, b: u64) -> Option<(u64, u64)> {
    let (ua, ub) = (u128::from(a), u128::from(b));
    let high = |x: u128| cut(bits, (x >> bits) as u64);
    Some(match op {
        Op::IAddCarry => (cut(bits, a.wrapping_add(b)), high(ua + ub)),
        Op::ISubBorrow => (cut(bits, a.wrapping_sub(b)), u64::from(a < b)),
        Op::UMulExtended => (cut(bits, a.wrapping_mul(b)), high(ua * ub)),
        Op::SMulExtended => {
            let wide = i128::from(signed(bits, a)) * i128::from(signed(bits, b));
            (cut(bits, wide as u64), high(wide as u128))
        }
        _ => return None,
    })
}

/// Those instructions of GLSL.std.450 whose results are exact, and go component by component.
pub fn glsl(op: GLOp, to: Scalar, x: &[u64]) -> Option<u64> {
    let w = to.bits;
    let [a, b, c] = [0, 1, 2].map(|n| x.get(n).copied().unwrap_or(0));
    let [sa, sb, sc] = [a, b, c].map(|v| signed(w, v));
    let [fa, fb, fc] = [a, b, c].map(|v| value(w, v));
    let float = |v: f64| Some(nearest(w, v));
    // The other operand where one is no number.
    let least = |a: f64, b: f64| if b.is_nan() || a < b { a } else { b };
    let most = |a: f64, b: f64| if b.is_nan() || a > b { a } else { b };
    let ordered = |v: f64| (!v.is_nan()).then_some(v);
    let out = match op {
        GLOp::SAbs => sa.wrapping_abs() as u64,
        GLOp::SSign => sa.signum() as u64,
        GLOp::UMin => a.min(b),
        GLOp::UMax => a.max(b),
        GLOp::SMin => sa.min(sb) as u64,
        GLOp::SMax => sa.max(sb) as u64,
        GLOp::UClamp => (b <= c).then_some(a.max(b).min(c))?,
        GLOp::SClamp => (sb <= sc).then_some(sa.max(sb).min(sc) as u64)?,
        GLOp::FindILsb => {
            if a == 0 {
                u64::MAX
            } else {
                u64::from(a.trailing_zeros())
            }
        }
        GLOp::FindUMsb => 63u64.wrapping_sub(u64::from(a.leading_zeros())),
        GLOp::FindSMsb => 63u64.wrapping_sub(u64::from((if sa < 0 { !sa } else { sa }).leading_zeros())),
        GLOp::FAbs => a & !(1 << (w - 1)),
        GLOp::FSign => return float(if fa == 0.0 { 0.0 } else { ordered(fa)?.signum() }),
        GLOp::Round | GLOp::RoundEven => return float(fa.round_ties_even()),
        GLOp::Trunc => return float(fa.trunc()),
        GLOp::Floor => return float(fa.floor()),
        GLOp::Ceil => return float(fa.ceil()),
        GLOp::FMin => return float(least(ordered(fa)?, ordered(fb)?)),
        GLOp::FMax => return float(most(ordered(fa)?, ordered(fb)?)),
        GLOp::NMin => return float(least(fa, fb)),
        GLOp::NMax => return float(most(fa, fb)),
        GLOp::NClamp => return (fb <= fc).then_some(nearest(w, least(most(fa, fb), fc))),
        GLOp::FClamp => return (fb <= fc).then_some(nearest(w, least(most(ordered(fa)?, fb), fc))),
        GLOp::Step => return float(if ordered(fb)? < ordered(fa)? { 0.0 } else { 1.0 }),
        _ => return None,
    };
    Some(cut(w, out))
}
