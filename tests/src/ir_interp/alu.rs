//! Arithmetic of the IR on one lane's bits, written from the operations' documentation.

use wavepipe_runtime::compiler::ir::{Alu, Atomic, ReduceOp};

fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn signed(bits: u64, width: u32) -> i64 {
    let shift = 64 - width;
    ((bits << shift) as i64) >> shift
}

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn bits(x: f32) -> u64 {
    u64::from(x.to_bits())
}

/// The result of an operation on operands `from` bits wide, `to` bits wide. Floats are 32 bits.
pub fn eval(alu: Alu, a: &[u64], from: u32, to: u32) -> u64 {
    use Alu::*;
    let x = a[0];
    let y = a.get(1).copied().unwrap_or(0);
    let z = a.get(2).copied().unwrap_or(0);
    let (sx, sy) = (signed(x, from), signed(y, from));
    let (fx, fy, fz) = (f(x), f(y), f(z));
    let truth = u64::from;
    let ordered = !fx.is_nan() && !fy.is_nan();
    let count = y as u32 & (from - 1);
    match alu {
        IAdd => x.wrapping_add(y),
        ISub => x.wrapping_sub(y),
        IMul => x.wrapping_mul(y),
        UMulHi => (u128::from(x) * u128::from(y) >> from) as u64,
        SMulHi => ((i128::from(sx) * i128::from(sy)) >> from) as u64,
        UDiv => x.checked_div(y).unwrap_or(0),
        UMod => x.checked_rem(y).unwrap_or(0),
        SDiv => sx.checked_div(sy).unwrap_or(0) as u64,
        SRem => sx.checked_rem(sy).unwrap_or(0) as u64,
        SMod => match sx.checked_rem(sy).unwrap_or(0) {
            r if r != 0 && (r < 0) != (sy < 0) => (r + sy) as u64,
            r => r as u64,
        },
        URcp => (1u64 << 32).checked_div(x).unwrap_or(0).min(mask(32)),
        INeg => x.wrapping_neg(),
        IAbs => sx.wrapping_abs() as u64,
        ISign => sx.signum() as u64,
        SMin => sx.min(sy) as u64,
        SMax => sx.max(sy) as u64,
        UMin => x.min(y),
        UMax => x.max(y),
        And => x & y,
        Or => x | y,
        Xor => x ^ y,
        Not => !x & mask(from),
        Shl => x << count,
        UShr => x >> count,
        SShr => (sx >> count) as u64,
        UBfe | SBfe => {
            let (offset, n) = (y as u32, z as u32);
            let field = if n == 0 { 0 } else { x >> offset & mask(n) };
            if alu == SBfe && n > 0 { signed(field, n) as u64 } else { field }
        }
        Bfi => {
            let (offset, n) = (z as u32, a[3] as u32);
            let field = if n == 0 { 0 } else { mask(n) << offset };
            x & !field | y << offset & field
        }
        BitReverse => x.reverse_bits() >> (64 - from),
        BitCount => u64::from(x.count_ones()),
        FindLsb => {
            if x == 0 {
                u64::MAX
            } else {
                u64::from(x.trailing_zeros())
            }
        }
        FindUMsb => {
            if x == 0 {
                u64::MAX
            } else {
                63 - u64::from(x.leading_zeros())
            }
        }
        FindSMsb => {
            let differs = if sx < 0 { !x & mask(from) } else { x };
            if differs == 0 { u64::MAX } else { 63 - u64::from(differs.leading_zeros()) }
        }
        UAddCarry => u64::from(u128::from(x) + u128::from(y) > u128::from(mask(from))),
        USubBorrow => truth(x < y),
        IEq => truth(x == y),
        INe => truth(x != y),
        ULt => truth(x < y),
        ULe => truth(x <= y),
        SLt => truth(sx < sy),
        SLe => truth(sx <= sy),
        FOrdEq => truth(ordered && fx == fy),
        FOrdNe => truth(ordered && fx != fy),
        FOrdLt => truth(fx < fy),
        FOrdLe => truth(fx <= fy),
        FOrdGt => truth(fx > fy),
        FOrdGe => truth(fx >= fy),
        FUnordEq => truth(!ordered || fx == fy),
        FUnordNe => truth(!ordered || fx != fy),
        FUnordLt => truth(!ordered || fx < fy),
        FUnordLe => truth(!ordered || fx <= fy),
        FUnordGt => truth(!ordered || fx > fy),
        FUnordGe => truth(!ordered || fx >= fy),
        FIsNan => truth(fx.is_nan()),
        FIsInf => truth(fx.is_infinite()),
        FAdd => bits(fx + fy),
        FSub => bits(fx - fy),
        FMul => bits(fx * fy),
        FDiv => bits(fx / fy),
        FRem => bits(fx % fy),
        FMod => bits(fx - fy * (fx / fy).floor()),
        FNeg => x ^ 1 << (from - 1),
        FAbs => x & mask(from - 1),
        FSign => bits(if fx > 0.0 || fx.is_nan() {
            1.0
        } else if fx < 0.0 {
            -1.0
        } else {
            fx
        }),
        FFloor => bits(fx.floor()),
        FCeil => bits(fx.ceil()),
        FTrunc => bits(fx.trunc()),
        FRoundEven => bits(fx.round_ties_even()),
        FFract => bits(fx - fx.floor()),
        FSqrt => bits(fx.sqrt()),
        FRsq => bits(1.0 / fx.sqrt()),
        FRcp => bits(1.0 / fx),
        FExp2 => bits(fx.exp2()),
        FLog2 => bits(fx.log2()),
        FSin => bits(fx.sin()),
        FCos => bits(fx.cos()),
        FFma => bits(fx.mul_add(fy, fz)),
        FMin => bits(fx.min(fy)),
        FMax => bits(fx.max(fy)),
        FSat => bits(if fx.is_nan() { 0.0 } else { fx.clamp(0.0, 1.0) }),
        FLdexp => bits((f64::from(fx) * f64::from(y as i32).exp2()) as f32),
        FFrexpMant => bits(frexp(fx).0),
        FFrexpExp => frexp(fx).1 as u64,
        UConvert => x,
        SConvert => sx as u64,
        FToU => u64::from(fx as u32),
        FToS => (fx as i32) as u64,
        UToF => bits(x as f32),
        SToF => bits(sx as f32),
        Pack64 => x | y << 32,
        Lo32 => x & mask(32),
        Hi32 => x >> 32,
        Select => {
            if x == 1 {
                y
            } else {
                z
            }
        }
        BoolToInt => x,
        Copy => x,
        CubeId | CubeSc | CubeTc | CubeMa => {
            // The last axis among equals is the major one.
            let size = [fx.abs(), fy.abs(), fz.abs()];
            let axis = if size[2] >= size[0].max(size[1]) { 2 } else { usize::from(size[1] >= size[0]) };
            let major = [fx, fy, fz][axis];
            let face = 2 * axis + usize::from(major < 0.0);
            bits(match alu {
                CubeId => face as f32,
                CubeSc => [-fz, fz, fx, fx, fx, -fx][face],
                CubeTc => [-fy, -fy, fz, -fz, -fy, -fy][face],
                _ => 2.0 * major,
            })
        }
        FConvert | FConvertRte | FConvertRtz | PackHalf2x16 | UnpackHalfLo | UnpackHalfHi => {
            panic!("{alu:?} is not generated here ({from} to {to} bits)")
        }
    }
}

fn frexp(x: f32) -> (f32, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let exponent = f64::from(x).abs().log2().floor() as i32 + 1;
    ((f64::from(x) / f64::from(exponent).exp2()) as f32, exponent)
}

/// What an atomic operation writes; `None` = nothing.
pub fn atomic(op: Atomic, old: u64, data: &[u64], width: u32) -> Option<u64> {
    let d = data.first().copied().unwrap_or(0);
    let combined = |r| Some(combine(r, old, d, width));
    match op {
        Atomic::Add => combined(ReduceOp::IAdd),
        Atomic::Sub => Some(old.wrapping_sub(d)),
        Atomic::SMin => combined(ReduceOp::SMin),
        Atomic::SMax => combined(ReduceOp::SMax),
        Atomic::UMin => combined(ReduceOp::UMin),
        Atomic::UMax => combined(ReduceOp::UMax),
        Atomic::And => combined(ReduceOp::And),
        Atomic::Or => combined(ReduceOp::Or),
        Atomic::Xor => combined(ReduceOp::Xor),
        Atomic::FAdd => combined(ReduceOp::FAdd),
        Atomic::FMin => combined(ReduceOp::FMin),
        Atomic::FMax => combined(ReduceOp::FMax),
        Atomic::Exchange | Atomic::Store => Some(d),
        Atomic::CompareExchange => (old == data[1]).then_some(d),
        Atomic::Load => None,
    }
}

pub fn combine(op: ReduceOp, x: u64, y: u64, width: u32) -> u64 {
    let alu = match op {
        ReduceOp::IAdd => Alu::IAdd,
        ReduceOp::FAdd => Alu::FAdd,
        ReduceOp::IMul => Alu::IMul,
        ReduceOp::FMul => Alu::FMul,
        ReduceOp::SMin => Alu::SMin,
        ReduceOp::UMin => Alu::UMin,
        ReduceOp::FMin => Alu::FMin,
        ReduceOp::SMax => Alu::SMax,
        ReduceOp::UMax => Alu::UMax,
        ReduceOp::FMax => Alu::FMax,
        ReduceOp::And => Alu::And,
        ReduceOp::Or => Alu::Or,
        ReduceOp::Xor => Alu::Xor,
    };
    eval(alu, &[x, y], width, width) & mask(width)
}

/// What changes no other operand.
pub fn identity(op: ReduceOp, width: u32) -> u64 {
    let top = 1u64 << (width - 1);
    match op {
        ReduceOp::IAdd | ReduceOp::UMax | ReduceOp::Or | ReduceOp::Xor => 0,
        ReduceOp::IMul => 1,
        ReduceOp::FAdd => bits(-0.0),
        ReduceOp::FMul => bits(1.0),
        ReduceOp::SMin => top - 1,
        ReduceOp::SMax => top,
        ReduceOp::UMin | ReduceOp::And => mask(width),
        ReduceOp::FMin => bits(f32::INFINITY),
        ReduceOp::FMax => bits(f32::NEG_INFINITY),
    }
}
