//! Intervals of real numbers, widened after each operation by what Vulkan's "Precision and Operation of SPIR-V
//! Instructions" allows that operation at a float width; so a function "inherited from" a formula is checked by evaluating
//! the formula. Bounds are f64 numbers; f64's own rounding is far below what 16 and 32 bits are allowed.

/// A float width: significant digits (with the hidden one), least normal exponent, largest number.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    pub bits: u32,
    pub digits: i32,
    pub least: i32,
    pub max: f64,
}

pub const F16: Format = Format { bits: 16, digits: 11, least: -14, max: 65504.0 };
pub const F32: Format = Format { bits: 32, digits: 24, least: -126, max: f32::MAX as f64 };
pub const F64: Format = Format { bits: 64, digits: 53, least: -1022, max: f64::MAX };

/// 2^n, denormals included.
pub fn power(n: i32) -> f64 {
    if n >= -1022 { f64::from_bits(((n + 1023) as u64) << 52) } else { f64::from_bits(1 << (n + 1074).max(0)) }
}

/// The floor of log2 |x| of a finite number that is not zero.
pub fn exponent(x: f64) -> i32 {
    let field = (x.to_bits() >> 52 & 0x7ff) as i32;
    if field == 0 { exponent(x * power(64)) - 64 } else { field - 1023 }
}

impl Format {
    /// The distance between neighbours at x.
    pub fn ulp(&self, x: f64) -> f64 {
        let e = if x == 0.0 || !x.is_finite() { self.least } else { exponent(x).max(self.least) };
        power(e - self.digits + 1)
    }

    /// The number that the bits stand for.
    pub fn number(&self, bits: u64) -> f64 {
        match self.bits {
            64 => f64::from_bits(bits),
            32 => f64::from(f32::from_bits(bits as u32)),
            _ => {
                let (e, m) = ((bits >> 10 & 31) as i32, (bits & 0x3ff) as f64);
                let magnitude = match e {
                    0 => m * power(-24),
                    31 if m > 0.0 => f64::NAN,
                    31 => f64::INFINITY,
                    _ => (1024.0 + m) * power(e - 25),
                };
                if bits & 0x8000 != 0 { -magnitude } else { magnitude }
            }
        }
    }

    /// A number's bits, to nearest even. NaN becomes one NaN.
    pub fn bits_of(&self, x: f64) -> u64 {
        match self.bits {
            64 => x.to_bits(),
            32 => u64::from((x as f32).to_bits()),
            _ => {
                let sign = u64::from(x.is_sign_negative()) << 15;
                let a = x.abs();
                if a.is_nan() {
                    return 0x7e00;
                }
                if a >= 65520.0 {
                    return sign | 0x7c00;
                }
                let units = (a / self.ulp(a)).round_ties_even();
                let e = if a == 0.0 { -14 } else { exponent(a).max(-14) };
                sign | (((e + 14) as u64) << 10) + units as u64
            }
        }
    }
}

/// What lies between two numbers, both included. Empty intervals do not occur; an interval that may be anything is
/// (−∞, ∞).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval(pub f64, pub f64);

impl Interval {
    /// The ends in order.
    pub fn ordered(self) -> Interval {
        Interval(self.0.min(self.1), self.0.max(self.1))
    }
}

pub const ANYTHING: Interval = Interval(f64::NEG_INFINITY, f64::INFINITY);

/// Operations of one width.
#[derive(Clone, Copy)]
pub struct Real(pub Format);

fn hull(values: &[f64]) -> Interval {
    // Out of range on the way: fused or not, all may happen.
    if values.iter().any(|v| !v.is_finite()) {
        return ANYTHING;
    }
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    Interval(least, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

impl Real {
    pub fn exactly(x: f64) -> Interval {
        Interval(x, x)
    }

    /// `ulps` more on both sides; a denormal may become zero, and what is too large an infinity.
    pub fn widen(&self, i: Interval, ulps: f64) -> Interval {
        let f = &self.0;
        // What is computed here at 64 bits is itself rounded.
        let ulps = if f.bits == 64 { ulps + 1.0 } else { ulps };
        let (mut low, mut high) = (i.0 - ulps * f.ulp(i.0), i.1 + ulps * f.ulp(i.1));
        let least = power(f.least);
        if low.abs() < least || high.abs() < least || low < 0.0 && high > 0.0 {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        if low < -f.max {
            low = f64::NEG_INFINITY;
        }
        if high > f.max {
            high = f64::INFINITY;
        }
        Interval(low, high)
    }

    pub fn rounded(&self, i: Interval) -> Interval {
        self.widen(i, 0.5)
    }

    pub fn add(&self, x: Interval, y: Interval) -> Interval {
        self.rounded(hull(&[x.0 + y.0, x.1 + y.1]))
    }

    pub fn neg(&self, x: Interval) -> Interval {
        Interval(-x.1, -x.0)
    }

    pub fn sub(&self, x: Interval, y: Interval) -> Interval {
        self.add(x, self.neg(y))
    }

    pub fn mul(&self, x: Interval, y: Interval) -> Interval {
        self.rounded(hull(&[x.0 * y.0, x.0 * y.1, x.1 * y.0, x.1 * y.1]))
    }

    /// 2.5 ulp for divisors away from the ends of the range, no promise elsewhere.
    pub fn div(&self, x: Interval, y: Interval) -> Interval {
        let (f, least) = (&self.0, power(self.0.least));
        let (small, large) = (y.0.abs().min(y.1.abs()), y.0.abs().max(y.1.abs()));
        if y.0 <= 0.0 && y.1 >= 0.0 || small < least || large > power(-f.least) {
            return ANYTHING;
        }
        self.widen(hull(&[x.0 / y.0, x.0 / y.1, x.1 / y.0, x.1 / y.1]), 2.5)
    }

    pub fn inverse_sqrt(&self, x: Interval) -> Interval {
        if x.0 <= 0.0 {
            return ANYTHING;
        }
        self.widen(hull(&[1.0 / x.0.sqrt(), 1.0 / x.1.sqrt()]), 2.0)
    }

    pub fn sqrt(&self, x: Interval) -> Interval {
        if x.1 < 0.0 {
            return ANYTHING;
        }
        if x.0 <= 0.0 {
            // The inverse may be an infinity, whose inverse is zero.
            return Interval(0.0, self.widen(Self::exactly(x.1.max(0.0).sqrt()), 5.0).1);
        }
        self.div(Self::exactly(1.0), self.inverse_sqrt(x))
    }

    fn exponential(&self, x: Interval, f: fn(f64) -> f64) -> Interval {
        let most = |x: f64| (if self.0.bits == 16 { 1.0 } else { 3.0 }) + 2.0 * x.abs();
        let bound = |x: f64, ulps: f64| self.widen(Self::exactly(f(x)), ulps);
        Interval(bound(x.0, most(x.0).min(1e9)).0.max(0.0), bound(x.1, most(x.1).min(1e9)).1)
    }

    pub fn exp(&self, x: Interval) -> Interval {
        self.exponential(x, f64::exp)
    }

    pub fn exp2(&self, x: Interval) -> Interval {
        self.exponential(x, f64::exp2)
    }

    fn logarithm(&self, x: Interval, f: fn(f64) -> f64) -> Interval {
        if x.1 <= 0.0 {
            return ANYTHING;
        }
        let near = if self.0.bits == 16 { power(-7) } else { power(-21) };
        let bound = |x: f64| match x {
            _ if x <= 0.0 => Interval(f64::NEG_INFINITY, f64::NEG_INFINITY),
            _ if (0.5..=2.0).contains(&x) => Interval(f(x) - near, f(x) + near),
            _ => self.widen(Self::exactly(f(x)), 3.0),
        };
        Interval(bound(x.0).0, bound(x.1).1)
    }

    pub fn log(&self, x: Interval) -> Interval {
        self.logarithm(x, f64::ln)
    }

    pub fn log2(&self, x: Interval) -> Interval {
        self.logarithm(x, f64::log2)
    }

    /// Sine or cosine of x in [−π, π].
    pub fn wave(&self, x: f64, f: fn(f64) -> f64) -> Interval {
        let bound = if self.0.bits == 16 { power(-7) } else { power(-11) };
        Interval(f(x) - bound, f(x) + bound)
    }

    /// The arctangents.
    pub fn angle(&self, x: Interval) -> Interval {
        self.widen(x, if self.0.bits == 16 { 5.0 } else { 4096.0 })
    }

    /// Whether a result is one of those that are allowed.
    pub fn allows(&self, i: Interval, x: f64) -> bool {
        i == ANYTHING || x >= i.0 && x <= i.1
    }
}
