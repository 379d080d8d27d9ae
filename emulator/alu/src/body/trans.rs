//! Transcendental functions as polynomials over fma, branch-free. The hardware promises 1 ulp; the bounds below were
//! measured against f64 (tests/trans.rs) for round to nearest. Denormals follow MODE, where hardware flushes them.
//!
//! | body | reduction | polynomial | measured |
//! |---|---|---|---|
//! | exp2 | x = n + f, |f| ≤ ½; 2^n exact | Taylor of 2^f, degree 7 | 1 ulp |
//! | log2 | x = m · 2^e, √½ ≤ m < √2; s = (m−1)/(m+1) with its residual | atanh series, degree 11 | 1 ulp |
//! | sin, cos | in turns: f = x − round(x), exact; folded to a quarter turn | Taylor, degree 15 | 3 ulp up to a quarter turn, 2^-22 absolute |

use super::ext::Ext;
use crate::Alu;

lane! { @lanes
    exp_f32 |a, x, _, _| exp2(x);
    log_f32 |a, x, _, _| log2(x);
    log_clamp_f32 |a, x, _, _| {
        let value = a.log2(x);
        e!(a, sel(eq(value, {f32::NEG_INFINITY.to_bits()}), {f32::MIN.to_bits()}, value))
    };
    sin_f32 |a, x, _, _| sin_turns(x);
    cos_f32 |a, x, _, _| cos_turns(x);
}

/// ln(2)^k / k! for k = 1 … 7.
const EXP2: [f64; 7] = [
    std::f64::consts::LN_2,
    0.240_226_506_959_100_7,
    0.055_504_108_664_821_58,
    0.009_618_129_107_628_477,
    0.001_333_355_814_642_844_3,
    0.000_154_035_303_933_816_1,
    0.000_015_252_733_804_059_84,
];
/// (−1)^k (2π)^(2k+1) / (2k+1)! for k = 1 … 7; k = 0 is 2π.
const SIN: [f64; 7] = [
    -41.341_702_240_399_76,
    81.605_249_276_075_05,
    -76.705_859_753_061_39,
    42.058_693_944_897_65,
    -15.094_642_576_822_99,
    3.819_952_584_848_281_4,
    -0.718_122_301_778_500_5,
];

pub(super) trait Trans: Alu {
    /// c[0] + x · (c[1] + x · …)
    #[inline(always)]
    fn horner(&mut self, x: Self::B, c: &[f64]) -> Self::B {
        let mut sum = e!(self, { (c[c.len() - 1] as f32).to_bits() });
        for &k in c[..c.len() - 1].iter().rev() {
            sum = e!(self, ffma(sum, x, { (k as f32).to_bits() }));
        }
        sum
    }

    #[inline(always)]
    fn exp2(&mut self, x: Self::B) -> Self::B {
        let bounded = e!(self, fmin(fmax(x, { (-160.0f32).to_bits() }), { 130.0f32.to_bits() }));
        let n = self.frndne(bounded);
        let f = self.fsub(bounded, n);
        let p = self.horner(f, &EXP2);
        let mantissa = e!(self, ffma(p, f, { 1.0f32.to_bits() }));
        // Adding 1.5 · 2^23 puts the integer into the low bits.
        const SHIFT: u32 = 0x4b40_0000;
        let n = e!(self, sub(fadd(n, { SHIFT }), { SHIFT }));
        // Two exact powers of two, of which only the second product rounds.
        let half = e!(self, sar(n, 1));
        let rest = self.sub(n, half);
        let first = e!(self, shl(add(half, 127), 23));
        let second = e!(self, shl(add(rest, 127), 23));
        let value = e!(self, fmul(fmul(mantissa, first), second));
        e!(self, sel(fnan(x), or(x, 0x40_0000), value))
    }

    #[inline(always)]
    fn log2(&mut self, x: Self::B) -> Self::B {
        let denormal = e!(self, ult(fabs(x), 0x0080_0000));
        let scaled = e!(self, sel(denormal, fmul(x, { 8_388_608.0f32.to_bits() }), x));
        // Exponent such that the mantissa is in [√½, √2).
        let above = e!(self, sub(scaled, 0x3f35_04f3));
        let exponent = e!(self, sar(above, 23));
        let m = e!(self, sub(scaled, shl(exponent, 23)));
        let exponent = e!(self, sub(exponent, sel(denormal, 23, 0)));
        let r = e!(self, fsub(m, { 1.0f32.to_bits() }));
        let q = e!(self, fadd(r, { 2.0f32.to_bits() }));
        let q_low = e!(self, fadd(fsub({ 2.0f32.to_bits() }, q), r));
        let inverse = self.frcp(q);
        let s = self.fmul(r, inverse);
        // What the division lost: (r − s·q) / q.
        let lost = e!(self, fmul(ffma(fneg(s), q_low, ffma(fneg(s), q, r)), inverse));
        let s2 = self.fmul(s, s);
        // log2(m) = 2/ln 2 · (s + s³/3 + s⁵/5 + …)
        const C: f64 = 2.0 * std::f64::consts::LOG2_E;
        const HIGH: f32 = C as f32;
        const LOW: f64 = C - HIGH as f64;
        let p = self.horner(s2, &[C / 3.0, C / 5.0, C / 7.0, C / 9.0, C / 11.0]);
        let p = e!(self, ffma(p, s2, { (LOW as f32).to_bits() }));
        let tail = e!(self, ffma(lost, { HIGH.to_bits() }, fmul(s, p)));
        let whole = self.f32_from_i32(exponent);
        let high = e!(self, ffma(s, { HIGH.to_bits() }, whole));
        // What the sum with the exponent lost, small beside the tail.
        let low = e!(self, ffma(s, { HIGH.to_bits() }, fsub(whole, high)));
        let value = e!(self, fadd(high, fadd(low, tail)));
        let value = e!(self, sel(feq(x, 0), { f32::NEG_INFINITY.to_bits() }, value));
        let value = e!(self, sel(flt(x, 0), 0xffc0_0000, value));
        e!(self, sel(cnot(flt(fabs(x), 0x7f80_0000)), sel(eq(x, 0xff80_0000), 0xffc0_0000, x), value))
    }

    /// sin(2π · z) for |z| ≤ ¼, never beyond 1: programs take the arc cosine of it.
    #[inline(always)]
    fn sin_quarter(&mut self, z: Self::B) -> Self::B {
        const HIGH: f32 = std::f32::consts::TAU;
        const LOW: f64 = std::f64::consts::TAU - HIGH as f64;
        let z2 = self.fmul(z, z);
        let p = self.horner(z2, &SIN);
        let p = e!(self, ffma(p, z2, { (LOW as f32).to_bits() }));
        let value = e!(self, ffma(z, { HIGH.to_bits() }, fmul(z, p)));
        const ONE: u32 = 1.0f32.to_bits();
        e!(self, sel(flt({ ONE }, fabs(value)), fcopysign({ ONE }, value), value))
    }

    #[inline(always)]
    fn sin_turns(&mut self, x: Self::B) -> Self::B {
        let f = e!(self, fsub(x, frndne(x)));
        let fold = e!(self, fsub(fcopysign({ 0.5f32.to_bits() }, f), f));
        let z = e!(self, sel(flt({ 0.25f32.to_bits() }, fabs(f)), fold, f));
        let value = self.sin_quarter(z);
        e!(self, sel(fzero(x), x, value))
    }

    #[inline(always)]
    fn cos_turns(&mut self, x: Self::B) -> Self::B {
        let f = e!(self, fabs(fsub(x, frndne(x))));
        let z = e!(self, fsub({ 0.25f32.to_bits() }, f));
        self.sin_quarter(z)
    }
}
impl<A: Alu> Trans for A {}
