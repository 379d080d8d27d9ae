//! Division by constants, of 32 bits, without a division: by a multiplication with the scaled inverse. From Granlund and
//! Montgomery, "Division by Invariant Integers using Multiplication", figures 4.2 and 5.2.

use super::build::Builder;
use super::types::*;
use Alu::*;

/// x ÷ d for a constant d that is no power of two, by a multiplication with the scaled inverse.
/// Granlund and Montgomery, "Division by Invariant Integers using Multiplication", figure 4.2.
pub fn unsigned(b: &mut Builder, x: Value, d: u32) -> Value {
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
pub fn signed(b: &mut Builder, alu: Alu, x: Value, d: u32) -> Value {
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
