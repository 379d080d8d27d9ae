//! The algebra on one host value.

use super::Alu;
use super::soft::{self, F16, F32, Round};

/// What the MODE register says of floats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct FpMode {
    /// 0 nearest even, 1 toward +∞, 2 toward −∞, 3 toward zero.
    pub round32: Round,
    /// As `round32`, for f16 and f64.
    pub round16_64: Round,
    /// Bit 0: denormal inputs kept; bit 1: denormal results kept; else flushed to zero of the same sign.
    pub denorm32: u8,
    pub denorm16_64: u8,
    /// Clamping turns NaN into 0.
    pub dx10_clamp: bool,
    /// Minimum and maximum quiet signalling NaNs.
    pub ieee: bool,
    /// An f16 result that overflows becomes the largest finite number.
    pub fp16_ovfl: bool,
}

impl FpMode {
    /// From the MODE register: bits 9:0 and 23.
    pub const fn from_bits(mode: u32) -> FpMode {
        FpMode {
            round32: (mode & 3) as u8,
            round16_64: (mode >> 2 & 3) as u8,
            denorm32: (mode >> 4 & 3) as u8,
            denorm16_64: (mode >> 6 & 3) as u8,
            dx10_clamp: mode & 1 << 8 != 0,
            ieee: mode & 1 << 9 != 0,
            fp16_ovfl: mode & 1 << 23 != 0,
        }
    }

    /// As transcendental rows see it: their results are within a bound of the true value and do not follow MODE's rounding.
    pub const fn of_transcendentals(self) -> FpMode {
        FpMode { round32: 0, round16_64: 0, ..self }
    }
}

impl Default for FpMode {
    /// MODE at a Vulkan launch, 0x1f0.
    fn default() -> FpMode {
        FpMode::from_bits(0x1f0)
    }
}

/// Round to nearest even, denormals kept, IEEE = 0: the policy of a Vulkan launch (MODE = 0x1f0).
/// Branch-free, so that a loop over lanes vectorises.
#[derive(Clone, Copy, Default, Debug)]
pub struct Nearest;

/// Any MODE. Square roots and reciprocals round to nearest whatever the mode.
#[derive(Clone, Copy, Default, Debug)]
pub struct Host {
    pub mode: FpMode,
}

type D = [u32; 2];

#[inline(always)]
fn d(v: D) -> f64 {
    f64::from_bits(u64::from(v[0]) | u64::from(v[1]) << 32)
}

#[inline(always)]
fn split(v: f64) -> D {
    let bits = v.to_bits();
    [bits as u32, (bits >> 32) as u32]
}

#[inline(always)]
fn f(v: u32) -> f32 {
    f32::from_bits(v)
}

#[inline(always)]
fn min_by_bits(a: u32, b: u32, max: bool) -> u32 {
    let (x, y) = (f(a), f(b));
    let below = (x < y) | ((x == y) & ((a as i32) < (b as i32)));
    let pick = if below != max { a } else { b };
    let one = if y.is_nan() { a } else { pick };
    if x.is_nan() { b } else { one }
}

#[inline(always)]
fn dmin_by_bits(a: D, b: D, max: bool) -> D {
    let (x, y) = (d(a), d(b));
    let below = (x < y) | ((x == y) & ((a[1] as i32) < (b[1] as i32)));
    let pick = if below != max { x } else { y };
    let one = if y.is_nan() { x } else { pick };
    split(if x.is_nan() { y } else { one })
}

/// Every f16 is an f32.
#[inline(always)]
fn hmin_by_value(a: u32, b: u32, max: bool) -> u32 {
    soft::f16_from_f32(min_by_bits(soft::f32_from_f16(a), soft::f32_from_f16(b), max))
}

fn dldexp(a: f64, n: i32) -> f64 {
    // Three steps: two exact, the last rounds.
    let n = n.clamp(-2200, 2200);
    let power = |e: i32| f64::from_bits(((e + 1023) as u64) << 52);
    let lead = f64::from_bits(a.to_bits() & 1 << 63 | 0x3ff0_0000_0000_0000 | (a.to_bits() & ((1 << 52) - 1)));
    let exponent = (a.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    if !a.is_finite() || a == 0.0 {
        return a;
    }
    if exponent == -1023 {
        return dldexp(a * power(64), n - 64);
    }
    match exponent + n {
        e @ -1022..=1023 => lead * power(e),
        e if e > 1023 => lead * f64::INFINITY,
        e => lead * power(-1022) * power((e + 1022).max(-1000)),
    }
}

/// Operations that no mode touches.
#[rustfmt::skip]
macro_rules! bits {
    () => {
        type B = u32;
        type C = bool;
        #[inline(always)]
        fn lit(&mut self, v: u32) -> u32 { v }
        #[inline(always)]
        fn truth(&mut self, v: bool) -> bool { v }
        #[inline(always)]
        fn sel(&mut self, c: bool, t: u32, f: u32) -> u32 { if c { t } else { f } }
        #[inline(always)]
        fn cand(&mut self, a: bool, b: bool) -> bool { a & b }
        #[inline(always)]
        fn cor(&mut self, a: bool, b: bool) -> bool { a | b }
        #[inline(always)]
        fn cnot(&mut self, a: bool) -> bool { !a }
        #[inline(always)]
        fn add(&mut self, a: u32, b: u32) -> u32 { a.wrapping_add(b) }
        #[inline(always)]
        fn sub(&mut self, a: u32, b: u32) -> u32 { a.wrapping_sub(b) }
        #[inline(always)]
        fn mul(&mut self, a: u32, b: u32) -> u32 { a.wrapping_mul(b) }
        #[inline(always)]
        fn umulhi(&mut self, a: u32, b: u32) -> u32 { (u64::from(a) * u64::from(b) >> 32) as u32 }
        #[inline(always)]
        fn smulhi(&mut self, a: u32, b: u32) -> u32 { (i64::from(a as i32) * i64::from(b as i32) >> 32) as u32 }
        #[inline(always)]
        fn and(&mut self, a: u32, b: u32) -> u32 { a & b }
        #[inline(always)]
        fn or(&mut self, a: u32, b: u32) -> u32 { a | b }
        #[inline(always)]
        fn xor(&mut self, a: u32, b: u32) -> u32 { a ^ b }
        #[inline(always)]
        fn not(&mut self, a: u32) -> u32 { !a }
        #[inline(always)]
        fn shl(&mut self, a: u32, n: u32) -> u32 { a << (n & 31) }
        #[inline(always)]
        fn shr(&mut self, a: u32, n: u32) -> u32 { a >> (n & 31) }
        #[inline(always)]
        fn sar(&mut self, a: u32, n: u32) -> u32 { (a as i32 >> (n & 31)) as u32 }
        #[inline(always)]
        fn brev(&mut self, a: u32) -> u32 { a.reverse_bits() }
        #[inline(always)]
        fn popcnt(&mut self, a: u32) -> u32 { a.count_ones() }
        #[inline(always)]
        fn clz(&mut self, a: u32) -> u32 { a.leading_zeros() }
        #[inline(always)]
        fn ctz(&mut self, a: u32) -> u32 { a.trailing_zeros() }
        #[inline(always)]
        fn eq(&mut self, a: u32, b: u32) -> bool { a == b }
        #[inline(always)]
        fn ult(&mut self, a: u32, b: u32) -> bool { a < b }
        #[inline(always)]
        fn slt(&mut self, a: u32, b: u32) -> bool { (a as i32) < b as i32 }
    };
}

// One operation a line.
#[rustfmt::skip]
impl Alu for Nearest {
    bits!();
    #[inline(always)]
    fn fadd(&mut self, a: u32, b: u32) -> u32 { (f(a) + f(b)).to_bits() }
    #[inline(always)]
    fn fmul(&mut self, a: u32, b: u32) -> u32 { (f(a) * f(b)).to_bits() }
    #[inline(always)]
    fn ffma(&mut self, a: u32, b: u32, c: u32) -> u32 { f(a).mul_add(f(b), f(c)).to_bits() }
    #[inline(always)]
    fn fmin(&mut self, a: u32, b: u32) -> u32 { min_by_bits(a, b, false) }
    #[inline(always)]
    fn fmax(&mut self, a: u32, b: u32) -> u32 { min_by_bits(a, b, true) }
    #[inline(always)]
    fn feq(&mut self, a: u32, b: u32) -> bool { f(a) == f(b) }
    #[inline(always)]
    fn flt(&mut self, a: u32, b: u32) -> bool { f(a) < f(b) }
    #[inline(always)]
    fn fle(&mut self, a: u32, b: u32) -> bool { f(a) <= f(b) }
    #[inline(always)]
    fn ftrunc(&mut self, a: u32) -> u32 { f(a).trunc().to_bits() }
    #[inline(always)]
    fn ffloor(&mut self, a: u32) -> u32 { f(a).floor().to_bits() }
    #[inline(always)]
    fn fceil(&mut self, a: u32) -> u32 { f(a).ceil().to_bits() }
    #[inline(always)]
    fn frndne(&mut self, a: u32) -> u32 { f(a).round_ties_even().to_bits() }
    #[inline(always)]
    fn fsqrt(&mut self, a: u32) -> u32 { f(a).sqrt().to_bits() }
    #[inline(always)]
    fn frcp(&mut self, a: u32) -> u32 { (1.0 / f(a)).to_bits() }
    #[inline(always)]
    fn frsq(&mut self, a: u32) -> u32 { (1.0 / f(a).sqrt()).to_bits() }
    #[inline(always)]
    fn fldexp(&mut self, a: u32, n: u32) -> u32 { soft::ldexp(f(a), n as i32).to_bits() }
    #[inline(always)]
    fn f32_from_i32(&mut self, a: u32) -> u32 { (a as i32 as f32).to_bits() }
    #[inline(always)]
    fn f32_from_u32(&mut self, a: u32) -> u32 { (a as f32).to_bits() }
    #[inline(always)]
    fn i32_from_f32(&mut self, a: u32) -> u32 { f(a) as i32 as u32 }
    #[inline(always)]
    fn u32_from_f32(&mut self, a: u32) -> u32 { f(a) as u32 }
    #[inline(always)]
    fn f16_from_f32(&mut self, a: u32) -> u32 { soft::f16_from_f32(a) }
    #[inline(always)]
    fn f16_from_f32_rtz(&mut self, a: u32) -> u32 { soft::f16_toward_zero(a) }
    #[inline(always)]
    fn f32_from_f16(&mut self, a: u32) -> u32 { soft::f32_from_f16(a) }
    // Double rounding through f32 is innocuous for + and ×: 24 ≥ 2 · 11 + 2 (Figueroa 1995).
    #[inline(always)]
    fn hadd(&mut self, a: u32, b: u32) -> u32 {
        soft::f16_from_f32((f(soft::f32_from_f16(a)) + f(soft::f32_from_f16(b))).to_bits())
    }
    #[inline(always)]
    fn hmul(&mut self, a: u32, b: u32) -> u32 {
        soft::f16_from_f32((f(soft::f32_from_f16(a)) * f(soft::f32_from_f16(b))).to_bits())
    }
    #[inline(always)]
    fn hfma(&mut self, a: u32, b: u32, c: u32) -> u32 {
        // f64 rounds only sums whose excess bits cannot decide an f16 tie.
        let [a, b, c] = [a, b, c].map(|v| f64::from(f(soft::f32_from_f16(v))));
        soft::f16_from_f32(soft::odd32(a * b + c).to_bits())
    }
    #[inline(always)]
    fn hmin(&mut self, a: u32, b: u32) -> u32 { hmin_by_value(a, b, false) }
    #[inline(always)]
    fn hmax(&mut self, a: u32, b: u32) -> u32 { hmin_by_value(a, b, true) }
    #[inline(always)]
    fn dadd(&mut self, a: D, b: D) -> D { split(d(a) + d(b)) }
    #[inline(always)]
    fn dmul(&mut self, a: D, b: D) -> D { split(d(a) * d(b)) }
    #[inline(always)]
    fn dfma(&mut self, a: D, b: D, c: D) -> D { split(d(a).mul_add(d(b), d(c))) }
    #[inline(always)]
    fn dmin(&mut self, a: D, b: D) -> D { dmin_by_bits(a, b, false) }
    #[inline(always)]
    fn dmax(&mut self, a: D, b: D) -> D { dmin_by_bits(a, b, true) }
    #[inline(always)]
    fn deq(&mut self, a: D, b: D) -> bool { d(a) == d(b) }
    #[inline(always)]
    fn dlt(&mut self, a: D, b: D) -> bool { d(a) < d(b) }
    #[inline(always)]
    fn dle(&mut self, a: D, b: D) -> bool { d(a) <= d(b) }
    #[inline(always)]
    fn dtrunc(&mut self, a: D) -> D { split(d(a).trunc()) }
    #[inline(always)]
    fn dfloor(&mut self, a: D) -> D { split(d(a).floor()) }
    #[inline(always)]
    fn dceil(&mut self, a: D) -> D { split(d(a).ceil()) }
    #[inline(always)]
    fn drndne(&mut self, a: D) -> D { split(d(a).round_ties_even()) }
    #[inline(always)]
    fn dsqrt(&mut self, a: D) -> D { split(d(a).sqrt()) }
    #[inline(always)]
    fn drcp(&mut self, a: D) -> D { split(1.0 / d(a)) }
    #[inline(always)]
    fn drsq(&mut self, a: D) -> D { split(1.0 / d(a).sqrt()) }
    #[inline(always)]
    fn dldexp(&mut self, a: D, n: u32) -> D { split(dldexp(d(a), n as i32)) }
    #[inline(always)]
    fn f64_from_i32(&mut self, a: u32) -> D { split(f64::from(a as i32)) }
    #[inline(always)]
    fn f64_from_u32(&mut self, a: u32) -> D { split(f64::from(a)) }
    #[inline(always)]
    fn f64_from_f32(&mut self, a: u32) -> D { split(f64::from(f(a))) }
    #[inline(always)]
    fn i32_from_f64(&mut self, a: D) -> u32 { d(a) as i32 as u32 }
    #[inline(always)]
    fn u32_from_f64(&mut self, a: D) -> u32 { d(a) as u32 }
    #[inline(always)]
    fn f32_from_f64(&mut self, a: D) -> u32 { (d(a) as f32).to_bits() }
}

impl Host {
    fn quiet_snan(self, a: u32, b: u32) -> Option<u32> {
        let signalling = |v: u32| f(v).is_nan() && v & 1 << 22 == 0;
        [a, b].into_iter().find(|&v| self.mode.ieee && signalling(v)).map(|v| v | 1 << 22)
    }
    fn quiet_snan64(self, a: D, b: D) -> Option<D> {
        let signalling = |v: D| d(v).is_nan() && v[1] & 1 << 19 == 0;
        [a, b].into_iter().find(|&v| self.mode.ieee && signalling(v)).map(|v| [v[0], v[1] | 1 << 19])
    }
    fn flush(v: u32, keep: u8) -> u32 {
        if keep == 0 && v & 0x7f80_0000 == 0 { v & 0x8000_0000 } else { v }
    }
    fn in32(self, v: u32) -> u32 {
        Self::flush(v, self.mode.denorm32 & 1)
    }
    fn out32(self, v: u32) -> u32 {
        Self::flush(v, self.mode.denorm32 & 2)
    }
    fn wide32(self, v: u32) -> f64 {
        f64::from(f(self.in32(v)))
    }
    fn narrow32(self, v: f64) -> u32 {
        self.out32(soft::narrow(v, F32, self.mode.round32))
    }
    fn in16(self, v: u32) -> f64 {
        let v = if self.mode.denorm16_64 & 1 == 0 && v & 0x7c00 == 0 { v & 0x8000 } else { v };
        f64::from(f(soft::f32_from_f16(v)))
    }
    fn out16(self, v: f64, round: Round) -> u32 {
        let bits = soft::narrow(v, F16, round);
        if self.mode.fp16_ovfl && v.is_finite() && bits & 0x7fff == 0x7c00 {
            return bits - 1;
        }
        if self.mode.denorm16_64 & 2 == 0 && bits & 0x7c00 == 0 { bits & 0x8000 } else { bits }
    }
    fn flush16(v: u32, keep: u8) -> u32 {
        if keep == 0 && v & 0x7c00 == 0 { v & 0x8000 } else { v & 0xffff }
    }
    fn minmax16(self, a: u32, b: u32, max: bool) -> u32 {
        let signalling = |v: u32| v & 0x7fff > 0x7c00 && v & 0x200 == 0;
        if self.mode.ieee
            && let Some(nan) = [a, b].into_iter().find(|&v| signalling(v))
        {
            return nan & 0xffff | 0x200;
        }
        let [a, b] = [a, b].map(|v| Self::flush16(v, self.mode.denorm16_64 & 1));
        Self::flush16(hmin_by_value(a, b, max), self.mode.denorm16_64 & 2)
    }
    fn flush64(v: D, keep: u8) -> D {
        if keep == 0 && v[1] & 0x7ff0_0000 == 0 { [0, v[1] & 0x8000_0000] } else { v }
    }
    fn in64(self, v: D) -> f64 {
        d(Self::flush64(v, self.mode.denorm16_64 & 1))
    }
    fn out64(self, v: f64) -> D {
        Self::flush64(split(v), self.mode.denorm16_64 & 2)
    }
    /// The sign of an exact zero sum of opposite signs depends on the rounding mode.
    fn add32(self, a: f64, b: f64) -> f64 {
        let sum = soft::add_odd(a, b);
        if sum == 0.0 && self.mode.round32 == 2 && a.is_sign_negative() != b.is_sign_negative() { -0.0 } else { sum }
    }
    fn add16(self, a: f64, b: f64) -> f64 {
        let sum = soft::add_odd(a, b);
        if sum == 0.0 && self.mode.round16_64 == 2 && a.is_sign_negative() != b.is_sign_negative() { -0.0 } else { sum }
    }
}

#[rustfmt::skip]
impl Alu for Host {
    bits!();
    fn fadd(&mut self, a: u32, b: u32) -> u32 { self.narrow32(self.add32(self.wide32(a), self.wide32(b))) }
    fn fmul(&mut self, a: u32, b: u32) -> u32 { self.narrow32(self.wide32(a) * self.wide32(b)) }
    fn ffma(&mut self, a: u32, b: u32, c: u32) -> u32 {
        self.narrow32(self.add32(self.wide32(a) * self.wide32(b), self.wide32(c)))
    }
    fn fmin(&mut self, a: u32, b: u32) -> u32 {
        self.quiet_snan(a, b).unwrap_or_else(|| self.out32(min_by_bits(self.in32(a), self.in32(b), false)))
    }
    fn fmax(&mut self, a: u32, b: u32) -> u32 {
        self.quiet_snan(a, b).unwrap_or_else(|| self.out32(min_by_bits(self.in32(a), self.in32(b), true)))
    }
    fn feq(&mut self, a: u32, b: u32) -> bool { f(self.in32(a)) == f(self.in32(b)) }
    fn flt(&mut self, a: u32, b: u32) -> bool { f(self.in32(a)) < f(self.in32(b)) }
    fn fle(&mut self, a: u32, b: u32) -> bool { f(self.in32(a)) <= f(self.in32(b)) }
    fn ftrunc(&mut self, a: u32) -> u32 { f(self.in32(a)).trunc().to_bits() }
    fn ffloor(&mut self, a: u32) -> u32 { f(self.in32(a)).floor().to_bits() }
    fn fceil(&mut self, a: u32) -> u32 { f(self.in32(a)).ceil().to_bits() }
    fn frndne(&mut self, a: u32) -> u32 { f(self.in32(a)).round_ties_even().to_bits() }
    fn fsqrt(&mut self, a: u32) -> u32 { self.out32(Nearest.fsqrt(self.in32(a))) }
    fn frcp(&mut self, a: u32) -> u32 { self.out32(Nearest.frcp(self.in32(a))) }
    fn frsq(&mut self, a: u32) -> u32 { self.out32(Nearest.frsq(self.in32(a))) }
    fn fldexp(&mut self, a: u32, n: u32) -> u32 { self.narrow32(dldexp(self.wide32(a), (n as i32).clamp(-400, 400))) }
    fn f32_from_i32(&mut self, a: u32) -> u32 { self.narrow32(f64::from(a as i32)) }
    fn f32_from_u32(&mut self, a: u32) -> u32 { self.narrow32(f64::from(a)) }
    fn i32_from_f32(&mut self, a: u32) -> u32 { f(a) as i32 as u32 }
    fn u32_from_f32(&mut self, a: u32) -> u32 { f(a) as u32 }
    fn f16_from_f32(&mut self, a: u32) -> u32 { self.out16(self.wide32(a), self.mode.round16_64) }
    fn f16_from_f32_rtz(&mut self, a: u32) -> u32 { self.out16(self.wide32(a), 3) }
    fn f32_from_f16(&mut self, a: u32) -> u32 { (self.in16(a) as f32).to_bits() }
    fn hadd(&mut self, a: u32, b: u32) -> u32 {
        self.out16(self.add16(self.in16(a), self.in16(b)), self.mode.round16_64)
    }
    fn hmul(&mut self, a: u32, b: u32) -> u32 { self.out16(self.in16(a) * self.in16(b), self.mode.round16_64) }
    fn hfma(&mut self, a: u32, b: u32, c: u32) -> u32 {
        self.out16(self.add16(self.in16(a) * self.in16(b), self.in16(c)), self.mode.round16_64)
    }
    fn hmin(&mut self, a: u32, b: u32) -> u32 { self.minmax16(a, b, false) }
    fn hmax(&mut self, a: u32, b: u32) -> u32 { self.minmax16(a, b, true) }
    fn dadd(&mut self, a: D, b: D) -> D {
        self.out64(soft::add64(self.in64(a), self.in64(b), self.mode.round16_64))
    }
    fn dmul(&mut self, a: D, b: D) -> D {
        self.out64(soft::mul64(self.in64(a), self.in64(b), self.mode.round16_64))
    }
    fn dfma(&mut self, a: D, b: D, c: D) -> D {
        self.out64(soft::fma64(self.in64(a), self.in64(b), self.in64(c), self.mode.round16_64))
    }
    fn dmin(&mut self, a: D, b: D) -> D {
        self.quiet_snan64(a, b)
            .unwrap_or_else(|| self.out64(d(dmin_by_bits(split(self.in64(a)), split(self.in64(b)), false))))
    }
    fn dmax(&mut self, a: D, b: D) -> D {
        self.quiet_snan64(a, b)
            .unwrap_or_else(|| self.out64(d(dmin_by_bits(split(self.in64(a)), split(self.in64(b)), true))))
    }
    fn deq(&mut self, a: D, b: D) -> bool { self.in64(a) == self.in64(b) }
    fn dlt(&mut self, a: D, b: D) -> bool { self.in64(a) < self.in64(b) }
    fn dle(&mut self, a: D, b: D) -> bool { self.in64(a) <= self.in64(b) }
    fn dtrunc(&mut self, a: D) -> D { split(self.in64(a).trunc()) }
    fn dfloor(&mut self, a: D) -> D { split(self.in64(a).floor()) }
    fn dceil(&mut self, a: D) -> D { split(self.in64(a).ceil()) }
    fn drndne(&mut self, a: D) -> D { split(self.in64(a).round_ties_even()) }
    fn dsqrt(&mut self, a: D) -> D { self.out64(self.in64(a).sqrt()) }
    fn drcp(&mut self, a: D) -> D { self.out64(1.0 / self.in64(a)) }
    fn drsq(&mut self, a: D) -> D { self.out64(1.0 / self.in64(a).sqrt()) }
    fn dldexp(&mut self, a: D, n: u32) -> D {
        self.out64(soft::ldexp64(self.in64(a), n as i32, self.mode.round16_64))
    }
    fn f64_from_i32(&mut self, a: u32) -> D { split(f64::from(a as i32)) }
    fn f64_from_u32(&mut self, a: u32) -> D { split(f64::from(a)) }
    fn f64_from_f32(&mut self, a: u32) -> D { split(self.wide32(a)) }
    fn i32_from_f64(&mut self, a: D) -> u32 { d(a) as i32 as u32 }
    fn u32_from_f64(&mut self, a: D) -> u32 { d(a) as u32 }
    fn f32_from_f64(&mut self, a: D) -> u32 { self.narrow32(self.in64(a)) }
}
