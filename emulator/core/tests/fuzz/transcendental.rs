//! Transcendentals: the true value by the host's f64, within the error that the hardware documents allow; 2/π by division.

use super::exact::{DOWN, F16, F32, F64, Format, NEAREST, Num, Round, UP, ZERO};
use super::float::Mode;
use std::sync::LazyLock;
use wavepipe_isa::insts::{self as i, Op};

/// 2/π after the binary point, 1201 bits.
static TWO_OVER_PI: LazyLock<Vec<bool>> = LazyLock::new(|| {
    // Fixed point, words from the highest; one word before the point. π = 16 atan(1/5) − 4 atan(1/239).
    const WORDS: usize = 46;
    type Big = [u32; WORDS];
    let divide = |v: &Big, by: u64| {
        let mut rest = 0;
        v.map(|w| {
            let part = rest << 32 | u64::from(w);
            rest = part % by;
            (part / by) as u32
        })
    };
    let add = |a: &mut Big, b: &Big, minus: bool| {
        let mut carry = i64::from(0);
        for n in (0..WORDS).rev() {
            let sum = i64::from(a[n]) + if minus { -i64::from(b[n]) } else { i64::from(b[n]) } + carry;
            a[n] = sum as u32;
            carry = sum >> 32;
        }
    };
    let mut pi = [0; WORDS];
    for (factor, n, minus) in [(16, 5, false), (4, 239, true)] {
        let mut power: Big = [0; WORDS];
        power[0] = factor;
        power = divide(&power, n);
        for k in 0.. {
            if power.iter().all(|&w| w == 0) {
                break;
            }
            add(&mut pi, &divide(&power, 2 * k + 1), minus != (k % 2 == 1));
            power = divide(&power, n * n);
        }
    }
    // Long division of 2 by π, a bit at a time.
    let mut rest: Big = [0; WORDS];
    rest[0] = 2;
    (0..1201)
        .map(|_| {
            let twice = rest;
            add(&mut rest, &twice, false);
            let bit = rest >= pi;
            if bit {
                add(&mut rest, &pi, true);
            }
            bit
        })
        .collect()
});

/// A segment of 53 bits of 2/π, as a double of its own weight.
pub fn trig_preop(x: u64, segment: u64) -> u64 {
    let exponent = F64.field(x);
    let shift = (segment & 31) as i32 * 53 + (exponent - 1077).max(0);
    let bit = |n: i32| u128::from(TWO_OVER_PI.get(n as usize).copied().unwrap_or(false));
    let mant = (0..53).fold(0, |m, n| m << 1 | bit(shift + n));
    let exp = -53 - shift + if exponent >= 1968 { 128 } else { 0 };
    Num::Finite { neg: false, mant, exp }.pack(F64, ZERO, true)
}

/// How exact a result is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Answer {
    Exact(u128),
    /// A float anywhere between two bit patterns, whole intervals of the format's order.
    Between(Format, u64, u64),
}

/// Transcendentals: the true value by the host's f64, give or take what the hardware documents promise.
pub fn transcendental(op: Op, a: u64, m: Mode) -> Option<Answer> {
    // GCN's clamped ones: infinities become the greatest finite values; and its legacy ones: they become zeros.
    let (base, clamps) = match op {
        i::V_LOG_CLAMP_F32 => (i::V_LOG_F32, true),
        i::V_RCP_CLAMP_F32 => (i::V_RCP_F32, true),
        i::V_RSQ_CLAMP_F32 => (i::V_RSQ_F32, true),
        i::V_RCP_CLAMP_F64 => (i::V_RCP_F64, true),
        i::V_RSQ_CLAMP_F64 => (i::V_RSQ_F64, true),
        i::V_RCP_LEGACY_F32 => (i::V_RCP_F32, false),
        i::V_RSQ_LEGACY_F32 => (i::V_RSQ_F32, false),
        i::V_LOG_LEGACY_F32 => return transcendental(i::V_LOG_F32, a, m),
        i::V_EXP_LEGACY_F32 => return transcendental(i::V_EXP_F32, a, m),
        _ => return plain(op, a, m),
    };
    let Some(Answer::Between(f, low, high)) = plain(base, a, m) else { return plain(base, a, m) };
    // Of a logarithm, the negative one.
    let held = |v: u64| f.is_infinite(v) && (op != i::V_LOG_CLAMP_F32 || f.is_negative(v));
    let finite = |v: u64| if held(v) { v - 1 } else { v };
    Some(match f.is_infinite(low) || f.is_infinite(high) {
        true if !clamps => Answer::Exact(u128::from(low & f.sign())),
        _ => Answer::Between(f, finite(low), finite(high)),
    })
}

fn plain(op: Op, a: u64, m: Mode) -> Option<Answer> {
    type Real = fn(f64) -> f64;
    let (f, real, ulps, absolute): (Format, Real, i64, f64) = match op {
        i::V_EXP_F32 => (F32, f64::exp2, 1, 0.0),
        i::V_LOG_F32 => (F32, f64::log2, 1, 1e-9),
        i::V_RCP_F32 | i::V_RCP_IFLAG_F32 => (F32, f64::recip, 1, 0.0),
        i::V_RSQ_F32 => (F32, |x| 1.0 / x.sqrt(), 1, 0.0),
        i::V_SQRT_F32 => (F32, f64::sqrt, 1, 0.0),
        i::V_SIN_F32 => (F32, |x| (std::f64::consts::TAU * (x - x.round_ties_even())).sin(), 3, 2.4e-7),
        i::V_COS_F32 => (F32, |x| (std::f64::consts::TAU * (x - x.round_ties_even())).cos(), 3, 2.4e-7),
        i::V_EXP_F16 => (F16, f64::exp2, 1, 0.0),
        i::V_LOG_F16 => (F16, f64::log2, 1, 1e-9),
        i::V_RCP_F16 => (F16, f64::recip, 1, 0.0),
        i::V_RSQ_F16 => (F16, |x| 1.0 / x.sqrt(), 1, 0.0),
        i::V_SQRT_F16 => (F16, f64::sqrt, 1, 0.0),
        i::V_SIN_F16 => (F16, |x| (std::f64::consts::TAU * (x - x.round_ties_even())).sin(), 2, 2.4e-7),
        i::V_COS_F16 => (F16, |x| (std::f64::consts::TAU * (x - x.round_ties_even())).cos(), 2, 2.4e-7),
        i::V_RCP_F64 => (F64, f64::recip, 1, 0.0),
        i::V_RSQ_F64 => (F64, |x| 1.0 / x.sqrt(), 1, 0.0),
        i::V_SQRT_F64 => (F64, f64::sqrt, 1, 0.0),
        _ => return None,
    };
    let a = m.flush(f, a & f.bits());
    let x = f64::from_bits(Num::of(a, f).pack(F64, NEAREST, true));
    let v = real(if f.is_nan(a) { f64::NAN } else { x });
    if v.is_nan() {
        return Some(Answer::Exact(f.nan().into()));
    }
    let keep = m.keeps_results(f);
    let bits = |v: f64, round: Round| Num::of(v.to_bits(), F64).pack(f, round, true);
    let (low, high) = (bits(v - absolute, DOWN), bits(v + absolute, UP));
    let exact = absolute == 0.0 && v == 0.0 || v.is_infinite();
    let ulps = if exact { 0 } else { ulps };
    Some(Answer::Between(f, f.flushed(moved(f, low, -ulps), keep), f.flushed(moved(f, high, ulps), keep)))
}

/// A float's place in the order of its format: neighbours differ by one, both zeros are 0.
pub fn place(f: Format, bits: u64) -> i64 {
    let size = f.magnitude(bits) as i64;
    if f.is_negative(bits) { -size } else { size }
}

fn moved(f: Format, bits: u64, by: i64) -> u64 {
    let limit = f.infinity() as i64;
    let at = place(f, bits).saturating_add(by).clamp(-limit, limit);
    at.unsigned_abs() | if at < 0 || at == 0 && f.is_negative(bits) { f.sign() } else { 0 }
}
