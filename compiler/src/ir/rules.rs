//! Algebraic identities that hold for every operand value, applied while building. Each returns an equal value that is
//! cheaper; operands come with constants on the right.

use super::build::{Builder, Def};
use super::fold::{mask, signed};
use super::types::*;
use Alu::*;

/// An equal, simpler value for `alu(args)`, if a rule applies.
pub(super) fn simplify(b: &mut Builder, alu: Alu, width: Width, args: &[Value]) -> Option<Value> {
    let x = *args.first()?;
    let y = args.get(1).copied();
    let c = y.and_then(|y| b.known(y));
    let ones = mask(width);
    match (alu, c) {
        (IAdd | ISub | Or | Xor | Shl | UShr | SShr, Some(0)) => return Some(x),
        (And | IMul, Some(0)) => return y,
        (UDiv | SDiv | IMul, Some(1)) => return Some(x),
        // Nothing unsigned is below zero, or above all ones.
        (ULt, Some(0)) => return Some(b.bool(false)),
        (ULe, Some(k)) if k == mask(b.width(x)) => return Some(b.bool(true)),
        (And, Some(k)) if k == ones => return Some(x),
        (Or, Some(k)) if k == ones => return y,
        (UMod, Some(1)) => return Some(b.constant(width, 0)),
        (Xor, Some(k)) if k == ones => return Some(b.alu(Not, width, &[x])),
        (IMul, Some(k)) if k.is_power_of_two() => {
            let n = b.u32(k.trailing_zeros());
            return Some(b.alu(Shl, width, &[x, n]));
        }
        (UDiv, Some(k)) if k.is_power_of_two() => {
            let n = b.u32(k.trailing_zeros());
            return Some(b.alu(UShr, width, &[x, n]));
        }
        (UMod, Some(k)) if k.is_power_of_two() => {
            let m = b.constant(width, k - 1);
            return Some(b.alu(And, width, &[x, m]));
        }
        (UDiv, Some(k)) if width == Width::B32 && k > 1 => return Some(udiv_constant(b, x, k as u32)),
        (UMod, Some(k)) if width == Width::B32 && k > 1 => {
            let q = b.alu(UDiv, width, &[x, y?]);
            let p = b.imul(q, y?);
            return Some(b.alu(ISub, width, &[x, p]));
        }
        (SDiv | SRem | SMod, Some(k)) if width == Width::B32 && signed(k, width) > 1 => {
            return Some(signed_division(b, alu, x, k as u32));
        }
        (ISub, Some(k)) => {
            let n = b.constant(width, k.wrapping_neg());
            return Some(b.alu(IAdd, width, &[x, n]));
        }
        // Chains of an associative operation with constants fold from the right.
        (IAdd | IMul | And | Or | Xor, Some(k)) => {
            if let Def::Alu(inner, [p, q, ..], _) = b.def(x)
                && inner == alu
                && let Some(k2) = b.known(q)
            {
                let k = super::fold::fold(alu, &[k2, k], width, width)?;
                let k = b.constant(width, k);
                return Some(b.alu(alu, width, &[p, k]));
            }
        }
        (Shl | UShr, Some(k)) => {
            if let Def::Alu(inner, [p, q, ..], _) = b.def(x)
                && inner == alu
                && let Some(k2) = b.known(q)
                && k < u64::from(width.bits())
                && k2 < u64::from(width.bits())
            {
                if k + k2 >= u64::from(width.bits()) {
                    return Some(b.constant(width, 0));
                }
                let k = b.u32((k + k2) as u32);
                return Some(b.alu(alu, width, &[p, k]));
            }
            // (p + k2) << k is (p << k) + (k2 << k): keeps the constant of an address at its end.
            if alu == Shl
                && let Def::Alu(IAdd, [p, q, ..], _) = b.def(x)
                && let Some(k2) = b.known(q)
            {
                let left = b.alu(Shl, width, &[p, y?]);
                let k = b.constant(width, k2 << (k as u32 & (width.bits() - 1)));
                return Some(b.iadd(left, k));
            }
        }
        (IEq, Some(1)) | (INe, Some(0)) if b.width(x) == Width::B1 => return Some(x),
        (IEq, Some(0)) | (INe, Some(1)) if b.width(x) == Width::B1 => return Some(b.alu(Not, Width::B1, &[x])),
        (INe, Some(0)) => {
            if let Def::Alu(BoolToInt, [p, ..], _) = b.def(x) {
                return Some(p);
            }
        }
        (IEq, Some(0)) => {
            if let Def::Alu(BoolToInt, [p, ..], _) = b.def(x) {
                return Some(b.alu(Not, Width::B1, &[p]));
            }
        }
        // x·1 and x÷1 are x for every x, NaN and −0 included.
        (FMul | FDiv, Some(k)) if k == float(width, 1.0) => return Some(x),
        (FMul | FDiv, Some(k)) if k == float(width, -1.0) => return Some(b.alu(FNeg, width, &[x])),
        // x + (−0) and x − 0 are x.
        (FAdd, Some(k)) if k == float(width, -0.0) => return Some(x),
        (FSub, Some(0)) => return Some(x),
        // Division by a power of two is a multiplication by its inverse, which is exact.
        (FDiv, Some(k)) if width == Width::B32 => {
            let f = f32::from_bits(k as u32);
            if f.is_normal() && f.to_bits() & 0x7f_ffff == 0 && (1.0 / f).is_normal() {
                let inverse = b.f32(1.0 / f);
                return Some(b.alu(FMul, width, &[x, inverse]));
            }
        }
        _ => {}
    }
    if matches!(alu, SDiv | UDiv | UMod) && b.known(x) == Some(0) {
        return Some(x);
    }
    if alu == ULe && b.known(x) == Some(0) {
        return Some(b.bool(true));
    }
    if let Some(y) = y
        && x == y
    {
        match alu {
            And | Or | SMin | SMax | UMin | UMax => return Some(x),
            ISub | Xor => return Some(b.constant(width, 0)),
            IEq | ULe | SLe => return Some(b.bool(true)),
            INe | ULt | SLt => return Some(b.bool(false)),
            _ => {}
        }
    }
    match (alu, b.def(x)) {
        (Not, Def::Alu(Not, [p, ..], _)) | (FNeg, Def::Alu(FNeg, [p, ..], _)) | (INeg, Def::Alu(INeg, [p, ..], _)) => {
            Some(p)
        }
        (Not, Def::Alu(inner, [p, q, ..], _)) => {
            let flipped = match inner {
                // !(p < q) is q <= p.
                ULt | ULe | SLt | SLe => {
                    let swapped = match inner {
                        ULt => ULe,
                        ULe => ULt,
                        SLt => SLe,
                        _ => SLt,
                    };
                    return Some(b.alu(swapped, Width::B1, &[q, p]));
                }
                other => other.opposite()?,
            };
            Some(b.alu(flipped, Width::B1, &[p, q]))
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
        (Select, _) => {
            let (t, f) = (args[1], args[2]);
            match b.known(x) {
                Some(0) => return Some(f),
                Some(_) => return Some(t),
                None if t == f => return Some(t),
                None => {}
            }
            if width == Width::B1 {
                match (b.known(t), b.known(f)) {
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
            match (b.known(t), b.known(f)) {
                (Some(1), Some(0)) if width == Width::B32 => Some(b.alu(BoolToInt, width, &[x])),
                _ => None,
            }
        }
        _ => {
            // a + (−b), a − (−b), 0 − b.
            let y = y?;
            match (alu, b.def(y)) {
                (FAdd, Def::Alu(FNeg, [p, ..], _)) => Some(b.alu(FSub, width, &[x, p])),
                (FSub, Def::Alu(FNeg, [p, ..], _)) => Some(b.alu(FAdd, width, &[x, p])),
                (IAdd, Def::Alu(INeg, [p, ..], _)) => Some(b.alu(ISub, width, &[x, p])),
                // x + (p + k) is (x + p) + k: constants travel to the end of an address.
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

/// x ÷ d for a constant d that is no power of two, by a multiplication with the scaled inverse.
/// Granlund and Montgomery, "Division by Invariant Integers using Multiplication", figure 4.2.
fn udiv_constant(b: &mut Builder, x: Value, d: u32) -> Value {
    let w = Width::B32;
    let zeros = d.trailing_zeros();
    let log = 32 - (d - 1).leading_zeros();
    let inverse = |l: u32| ((1u64 << 32) * ((1u64 << l) - u64::from(d)) / u64::from(d) + 1) as u32;
    // With a 32-bit multiplier, if one exists: m = ceil(2^(32+l) / d) with error below 2^l.
    for l in 0..log {
        let m = (1u128 << (32 + l)).div_ceil(u128::from(d));
        if m < 1 << 32 && m * u128::from(d) - (1u128 << (32 + l)) <= 1u128 << l {
            let m = b.u32(m as u32);
            let hi = b.alu(UMulHi, w, &[x, m]);
            let l = b.u32(l);
            return b.alu(UShr, w, &[hi, l]);
        }
    }
    if zeros > 0 {
        let n = b.u32(zeros);
        let half = b.alu(UShr, w, &[x, n]);
        // The dividend now has leading zeros: a multiplier of 32 bits exists for the odd part.
        let odd = d >> zeros;
        for l in 0..32 {
            let m = (1u128 << (32 + l)).div_ceil(u128::from(odd));
            if m < 1 << 32 && m * u128::from(odd) - (1u128 << (32 + l)) <= 1u128 << (l + zeros) {
                let m = b.u32(m as u32);
                let hi = b.alu(UMulHi, w, &[half, m]);
                let l = b.u32(l);
                return b.alu(UShr, w, &[hi, l]);
            }
        }
    }
    let m = b.u32(inverse(log));
    let t = b.alu(UMulHi, w, &[x, m]);
    let rest = b.alu(ISub, w, &[x, t]);
    let one = b.u32(1);
    let half = b.alu(UShr, w, &[rest, one]);
    let sum = b.iadd(half, t);
    let n = b.u32(log - 1);
    b.alu(UShr, w, &[sum, n])
}

/// Signed division by a constant d ≥ 2 (same source, figure 5.2): quotient towards zero, then what is asked for.
fn signed_division(b: &mut Builder, alu: Alu, x: Value, d: u32) -> Value {
    let w = Width::B32;
    let s31 = b.u32(31);
    let sign = b.alu(SShr, w, &[x, s31]);
    if alu == SMod && d.is_power_of_two() {
        let m = b.u32(d - 1);
        return b.alu(And, w, &[x, m]);
    }
    let quotient = if d.is_power_of_two() {
        let m = b.u32(d - 1);
        let bias = b.alu(And, w, &[sign, m]);
        let t = b.iadd(x, bias);
        let n = b.u32(d.trailing_zeros());
        b.alu(SShr, w, &[t, n])
    } else {
        // m in (2^31, 2^32): the high product with the wrapped multiplier, plus x.
        let l = 31 - d.leading_zeros();
        let m = ((1u128 << (32 + l)) / u128::from(d) + 1) as u32;
        let m = b.u32(m);
        let hi = b.alu(SMulHi, w, &[x, m]);
        let t = b.iadd(hi, x);
        let n = b.u32(l);
        let q = b.alu(SShr, w, &[t, n]);
        b.alu(ISub, w, &[q, sign])
    };
    if alu == SDiv {
        return quotient;
    }
    let k = b.u32(d);
    let p = b.imul(quotient, k);
    let r = b.alu(ISub, w, &[x, p]);
    if alu == SRem {
        return r;
    }
    let negative = b.alu(SShr, w, &[r, s31]);
    let fix = b.alu(And, w, &[negative, k]);
    b.iadd(r, fix)
}

#[cfg(test)]
mod tests {
    use super::super::fold::fold;
    use super::*;

    /// Evaluates the arithmetic of a kernel with `x` for its only builtin.
    fn evaluate(k: &Kernel, v: Value, x: u64) -> u64 {
        let mut values = vec![0; k.values.len()];
        k.body.for_each_inst(&mut |i| {
            let r = i.results[0].0 as usize;
            values[r] = match &i.op {
                Op::Const(c) => *c,
                Op::Builtin(_) => x,
                Op::Alu(a) => {
                    let args: Vec<u64> = i.args.iter().map(|v| values[v.0 as usize]).collect();
                    fold(*a, &args, k.width(i.args[0]), k.width(i.results[0])).unwrap()
                }
                _ => unreachable!(),
            }
        });
        values[v.0 as usize]
    }

    #[test]
    fn division_by_constants_is_exact() {
        let samples = [
            0u32,
            1,
            2,
            3,
            5,
            6,
            7,
            9,
            10,
            99,
            100,
            101,
            12345,
            65535,
            65536,
            0x7fff_fffe,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0xffff_fffe,
            0xffff_ffff,
            0x5555_5555,
            0xaaaa_aaab,
            0xcccc_cccd,
        ];
        for d in (1..200).chain([
            255,
            256,
            257,
            641,
            1000,
            10_000,
            65_535,
            65_537,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0xffff_ffff,
        ]) {
            for alu in [UDiv, UMod, SDiv, SRem, SMod] {
                let mut b = Builder::new(Kernel::new("t", [1; 3]));
                let x = b.builtin(Builtin::SubgroupId);
                let k = b.u32(d);
                let v = b.alu(alu, Width::B32, &[x, k]);
                let kernel = b.finish(Exit::Yield(vec![]));
                for &s in samples.iter().chain(&[d, d.wrapping_sub(1), d.wrapping_mul(3), d.wrapping_neg()]) {
                    let wanted = fold(alu, &[u64::from(s), u64::from(d)], Width::B32, Width::B32);
                    assert_eq!(Some(evaluate(&kernel, v, u64::from(s))), wanted, "{alu:?} {s} {d}");
                }
            }
        }
    }

    #[test]
    fn identities() {
        let mut b = Builder::new(Kernel::new("t", [1; 3]));
        let x = b.builtin(Builtin::SubgroupId);
        let (zero, one, four) = (b.u32(0), b.u32(1), b.u32(4));
        assert_eq!(b.iadd(zero, x), x);
        assert_eq!(b.imul(x, one), x);
        let p = b.iadd(x, four);
        let q = b.iadd(p, four);
        let eight = b.u32(8);
        assert_eq!(b.iadd(x, eight), q);
        let lt = b.alu(ULt, Width::B1, &[x, four]);
        let not = b.alu(Not, Width::B1, &[lt]);
        assert_eq!(b.alu(ULe, Width::B1, &[four, x]), not);
    }
}
