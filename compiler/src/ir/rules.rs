//! Algebraic identities that hold for every operand value, applied while building. Each returns an equal value that is
//! cheaper; operands come with constants on the right.

use super::build::{Builder, Def};
use super::division;
use super::fold::{mask, signed};
use super::types::*;
use Alu::*;

/// An equal, simpler value for `alu(args)`, if a rule applies.
pub(super) fn simplify(b: &mut Builder, alu: Alu, width: Width, args: &[Value]) -> Option<Value> {
    match *args {
        [x] => of_one(b, alu, width, x),
        [x, y] => of_two(b, alu, width, x, y),
        [x, t, f] if alu == Select => select(b, width, x, t, f),
        _ => None,
    }
}

/// Of one operand: by what defines it.
fn of_one(b: &mut Builder, alu: Alu, width: Width, x: Value) -> Option<Value> {
    match (alu, b.def(x)) {
        (Not, Def::Alu(Not, [p, ..], _)) | (FNeg, Def::Alu(FNeg, [p, ..], _)) | (INeg, Def::Alu(INeg, [p, ..], _)) => {
            Some(p)
        }
        // !(p < q) is q <= p.
        (Not, Def::Alu(ULt, [p, q, ..], _)) => Some(b.alu(ULe, Width::B1, &[q, p])),
        (Not, Def::Alu(ULe, [p, q, ..], _)) => Some(b.alu(ULt, Width::B1, &[q, p])),
        (Not, Def::Alu(SLt, [p, q, ..], _)) => Some(b.alu(SLe, Width::B1, &[q, p])),
        (Not, Def::Alu(SLe, [p, q, ..], _)) => Some(b.alu(SLt, Width::B1, &[q, p])),
        (Not, Def::Alu(inner, [p, q, ..], _)) => {
            let opposite = inner.opposite()?;
            Some(b.alu(opposite, Width::B1, &[p, q]))
        }
        (Lo32, Def::Alu(Pack64, [lo, ..], _)) => Some(lo),
        (Hi32, Def::Alu(Pack64, [_, hi, ..], _)) => Some(hi),
        (UConvert | SConvert | FConvert, _) if b.width(x) == width => Some(x),
        // A narrow value, widened and cut again.
        (UConvert, Def::Alu(UConvert | SConvert, [p, ..], _))
            if width.bits() <= b.width(x).bits() && b.width(p).bits() >= width.bits() =>
        {
            Some(b.alu(UConvert, width, &[p]))
        }
        (Copy, _) => Some(x),
        _ => None,
    }
}

/// Of two operands: by a constant among them, by their being the same, by what defines them.
fn of_two(b: &mut Builder, alu: Alu, width: Width, x: Value, y: Value) -> Option<Value> {
    if let Some(k) = b.known(y) {
        let simpler = neutral(b, alu, width, [x, y], k)
            .or_else(|| scaled(b, alu, width, [x, y], k))
            .or_else(|| regrouped(b, alu, width, [x, y], k))
            .or_else(|| boolean(b, alu, x, k))
            .or_else(|| of_float(b, alu, width, x, k));
        if simpler.is_some() {
            return simpler;
        }
    }
    match alu {
        SDiv | UDiv | UMod if b.known(x) == Some(0) => Some(x),
        ULe if b.known(x) == Some(0) => Some(b.bool(true)),
        And | Or | SMin | SMax | UMin | UMax if x == y => Some(x),
        ISub | Xor if x == y => Some(b.constant(width, 0)),
        IEq | ULe | SLe if x == y => Some(b.bool(true)),
        INe | ULt | SLt if x == y => Some(b.bool(false)),
        _ => of_sum(b, alu, width, x, y),
    }
}

/// The constant `k`, which is `y`, leaves `x` as it is, or decides alone.
fn neutral(b: &mut Builder, alu: Alu, width: Width, [x, y]: [Value; 2], k: u64) -> Option<Value> {
    let ones = mask(width);
    match (alu, k) {
        (IAdd | ISub | Or | Xor | Shl | UShr | SShr, 0) => Some(x),
        (And | IMul, 0) => Some(y),
        (UDiv | SDiv | IMul, 1) => Some(x),
        (UMod, 1) => Some(b.constant(width, 0)),
        // Nothing unsigned is below zero, or above all ones.
        (ULt, 0) => Some(b.bool(false)),
        (ULe, k) if k == mask(b.width(x)) => Some(b.bool(true)),
        (And, k) if k == ones => Some(x),
        (Or, k) if k == ones => Some(y),
        (Xor, k) if k == ones => Some(b.alu(Not, width, &[x])),
        _ => None,
    }
}

/// A product, quotient or remainder by the constant `k`, which is `y`.
fn scaled(b: &mut Builder, alu: Alu, width: Width, [x, y]: [Value; 2], k: u64) -> Option<Value> {
    match alu {
        IMul if k.is_power_of_two() => {
            let n = b.u32(k.trailing_zeros());
            Some(b.alu(Shl, width, &[x, n]))
        }
        UDiv if k.is_power_of_two() => {
            let n = b.u32(k.trailing_zeros());
            Some(b.alu(UShr, width, &[x, n]))
        }
        UMod if k.is_power_of_two() => {
            let m = b.constant(width, k - 1);
            Some(b.alu(And, width, &[x, m]))
        }
        UDiv if width == Width::B32 && k > 1 => Some(division::unsigned(b, x, k as u32)),
        UMod if width == Width::B32 && k > 1 => {
            let q = b.alu(UDiv, width, &[x, y]);
            let p = b.imul(q, y);
            Some(b.alu(ISub, width, &[x, p]))
        }
        SDiv | SRem | SMod if width == Width::B32 && signed(k, width) > 1 => {
            Some(division::signed(b, alu, x, k as u32))
        }
        _ => None,
    }
}

/// Chains of an operation with constants, the last of which is `k`, fold from the right.
fn regrouped(b: &mut Builder, alu: Alu, width: Width, [x, y]: [Value; 2], k: u64) -> Option<Value> {
    if alu == ISub {
        let n = b.constant(width, k.wrapping_neg());
        return Some(b.alu(IAdd, width, &[x, n]));
    }
    let Def::Alu(inner, [p, q, ..], _) = b.def(x) else { return None };
    let k2 = b.known(q)?;
    match alu {
        IAdd | IMul | And | Or | Xor if inner == alu => {
            let k = super::fold::fold(alu, &[k2, k], width, width)?;
            let k = b.constant(width, k);
            Some(b.alu(alu, width, &[p, k]))
        }
        Shl | UShr if inner == alu && k < u64::from(width.bits()) && k2 < u64::from(width.bits()) => {
            if k + k2 >= u64::from(width.bits()) {
                return Some(b.constant(width, 0));
            }
            let k = b.u32((k + k2) as u32);
            Some(b.alu(alu, width, &[p, k]))
        }
        // (p + k2) << k is (p << k) + (k2 << k): keeps the constant of an address at its end.
        Shl if inner == IAdd => {
            let left = b.alu(Shl, width, &[p, y]);
            let k = b.constant(width, k2 << (k as u32 & (width.bits() - 1)));
            Some(b.iadd(left, k))
        }
        _ => None,
    }
}

/// A truth value compared with the constant `k`.
fn boolean(b: &mut Builder, alu: Alu, x: Value, k: u64) -> Option<Value> {
    let truth = match b.def(x) {
        _ if b.width(x) == Width::B1 => x,
        Def::Alu(BoolToInt, [p, ..], _) if k == 0 => p,
        _ => return None,
    };
    match (alu, k) {
        (IEq, 1) | (INe, 0) => Some(truth),
        (IEq, 0) | (INe, 1) => Some(b.alu(Not, Width::B1, &[truth])),
        _ => None,
    }
}

/// Float arithmetic with a constant of bits `k`.
fn of_float(b: &mut Builder, alu: Alu, width: Width, x: Value, k: u64) -> Option<Value> {
    match alu {
        // x·1 and x÷1 are x for every x, NaN and −0 included.
        FMul | FDiv if k == float(width, 1.0) => Some(x),
        FMul | FDiv if k == float(width, -1.0) => Some(b.alu(FNeg, width, &[x])),
        // x + (−0) and x − 0 are x.
        FAdd if k == float(width, -0.0) => Some(x),
        FSub if k == 0 => Some(x),
        // Division by a power of two is a multiplication by its inverse, which is exact.
        FDiv if width == Width::B32 => {
            let f = f32::from_bits(k as u32);
            if !f.is_normal() || f.to_bits() & 0x7f_ffff != 0 || !(1.0 / f).is_normal() {
                return None;
            }
            let inverse = b.f32(1.0 / f);
            Some(b.alu(FMul, width, &[x, inverse]))
        }
        _ => None,
    }
}

/// Sums and differences: of negated operands, and constants that travel to the end of an address.
fn of_sum(b: &mut Builder, alu: Alu, width: Width, x: Value, y: Value) -> Option<Value> {
    match (alu, b.def(y)) {
        (FAdd, Def::Alu(FNeg, [p, ..], _)) => Some(b.alu(FSub, width, &[x, p])),
        (FSub, Def::Alu(FNeg, [p, ..], _)) => Some(b.alu(FAdd, width, &[x, p])),
        (IAdd, Def::Alu(INeg, [p, ..], _)) => Some(b.alu(ISub, width, &[x, p])),
        // x + (p + k) is (x + p) + k, and (p + k) + y is (p + y) + k.
        (IAdd, Def::Alu(IAdd, [p, q, ..], _)) if b.known(q).is_some() => {
            let sum = b.iadd(x, p);
            Some(b.iadd(sum, q))
        }
        (IAdd, _) => match b.def(x) {
            Def::Alu(IAdd, [p, q, ..], _) if b.known(q).is_some() && b.known(y).is_none() => {
                let sum = b.iadd(p, y);
                Some(b.iadd(sum, q))
            }
            _ => None,
        },
        _ => None,
    }
}

/// `t` if `x`, else `f`.
fn select(b: &mut Builder, width: Width, x: Value, t: Value, f: Value) -> Option<Value> {
    match b.known(x) {
        Some(0) => return Some(f),
        Some(_) => return Some(t),
        None if t == f => return Some(t),
        None => {}
    }
    let sides = (b.known(t), b.known(f));
    if width == Width::B1 {
        match sides {
            (Some(1), Some(0)) => return Some(x),
            (Some(0), Some(1)) => return Some(b.alu(Not, width, &[x])),
            (Some(1), None) => return Some(b.alu(Or, width, &[x, f])),
            (None, Some(0)) => return Some(b.alu(And, width, &[x, t])),
            (None, Some(1)) => {
                let not = b.alu(Not, width, &[x]);
                return Some(b.alu(Or, width, &[not, t]));
            }
            (Some(0), None) => {
                let not = b.alu(Not, width, &[x]);
                return Some(b.alu(And, width, &[not, f]));
            }
            _ => {}
        }
    }
    if let Def::Alu(Not, [p, ..], _) = b.def(x) {
        return Some(b.alu(Select, width, &[p, f, t]));
    }
    match sides {
        (Some(1), Some(0)) if width == Width::B32 => Some(b.alu(BoolToInt, width, &[x])),
        _ => None,
    }
}

/// The bits of a float constant.
fn float(width: Width, x: f64) -> u64 {
    match width {
        Width::B64 => x.to_bits(),
        Width::B32 => u64::from((x as f32).to_bits()),
        // Only ±0 and ±1 are asked for.
        _ => (u64::from(x.is_sign_negative()) << 15) | if x == 0.0 { 0 } else { 0x3c00 },
    }
}
