//! Floats by exact arithmetic: a value is sign, whole number and power of two, and is rounded once, here.
//! No host float operation takes part, so that MODE's rounding and denormal rules are what is written below.

/// A float format: bits of its fraction and of its exponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    pub fraction: u32,
    pub exponent: u32,
}

pub const F16: Format = Format { fraction: 10, exponent: 5 };
pub const F32: Format = Format { fraction: 23, exponent: 8 };
pub const F64: Format = Format { fraction: 52, exponent: 11 };

impl Format {
    pub fn sign(self) -> u64 {
        1 << (self.fraction + self.exponent)
    }
    /// All bits of the format.
    pub fn bits(self) -> u64 {
        (self.sign() - 1) << 1 | 1
    }
    pub fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }
    pub fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }
    pub fn one(self) -> u64 {
        (self.bias() as u64) << self.fraction
    }
    /// The quiet NaN without payload.
    pub fn nan(self) -> u64 {
        self.infinity() | self.quiet()
    }
    pub fn quiet(self) -> u64 {
        1 << (self.fraction - 1)
    }
    pub fn magnitude(self, bits: u64) -> u64 {
        bits & (self.sign() - 1)
    }
    pub fn is_nan(self, bits: u64) -> bool {
        self.magnitude(bits) > self.infinity()
    }
    pub fn is_signalling(self, bits: u64) -> bool {
        self.is_nan(bits) && bits & self.quiet() == 0
    }
    pub fn is_infinite(self, bits: u64) -> bool {
        self.magnitude(bits) == self.infinity()
    }
    pub fn is_zero(self, bits: u64) -> bool {
        self.magnitude(bits) == 0
    }
    pub fn is_negative(self, bits: u64) -> bool {
        bits & self.sign() != 0
    }
    pub fn is_denormal(self, bits: u64) -> bool {
        let m = self.magnitude(bits);
        m != 0 && m >> self.fraction == 0
    }
    /// The exponent field.
    pub fn field(self, bits: u64) -> i32 {
        (self.magnitude(bits) >> self.fraction) as i32
    }
    pub fn flushed(self, bits: u64, keep: bool) -> u64 {
        if !keep && self.is_denormal(bits) { bits & self.sign() } else { bits }
    }
}

/// MODE.round: 0 nearest even, 1 up, 2 down, 3 toward zero.
pub type Round = u32;
pub const NEAREST: Round = 0;
pub const UP: Round = 1;
pub const DOWN: Round = 2;
pub const ZERO: Round = 3;

/// (−1)^neg · mant · 2^exp. After a step that cannot be exact the lowest bit of `mant` also stands for "and a little more".
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Num {
    Nan,
    Infinite(bool),
    Finite { neg: bool, mant: u128, exp: i32 },
}
use Num::{Finite, Infinite, Nan};

/// Index of the highest one.
fn top(mant: u128) -> i32 {
    127 - mant.leading_zeros() as i32
}

/// `m` · 2^−n, what falls off kept as the lowest bit.
fn sticky(m: u128, n: u32) -> u128 {
    if n == 0 {
        return m;
    }
    if n > 127 {
        return u128::from(m != 0);
    }
    m >> n | u128::from(m << (128 - n) != 0)
}

impl Num {
    pub fn of(bits: u64, f: Format) -> Num {
        let neg = f.is_negative(bits);
        if f.is_nan(bits) {
            return Nan;
        }
        if f.is_infinite(bits) {
            return Infinite(neg);
        }
        let (field, fraction) = (f.field(bits), u128::from(bits & ((1 << f.fraction) - 1)));
        let lead = if field > 0 { 1 << f.fraction } else { 0 };
        Finite { neg, mant: fraction | lead, exp: field.max(1) - f.bias() - f.fraction as i32 }
    }

    pub fn int(v: i128) -> Num {
        Finite { neg: v < 0, mant: v.unsigned_abs(), exp: 0 }
    }

    pub fn neg(self) -> Num {
        match self {
            Nan => Nan,
            Infinite(n) => Infinite(!n),
            Finite { neg, mant, exp } => Finite { neg: !neg, mant, exp },
        }
    }

    pub fn scaled(self, by: i32) -> Num {
        match self {
            Finite { neg, mant, exp } => Finite { neg, mant, exp: exp + by },
            other => other,
        }
    }

    pub fn mul(self, o: Num) -> Num {
        match (self, o) {
            (Nan, _) | (_, Nan) => Nan,
            (Finite { neg: a, mant: x, exp: p }, Finite { neg: b, mant: y, exp: q }) => {
                Finite { neg: a != b, mant: x * y, exp: p + q }
            }
            (Infinite(a), Infinite(b)) => Infinite(a != b),
            (Infinite(a), Finite { neg, mant, .. }) | (Finite { neg, mant, .. }, Infinite(a)) => {
                if mant == 0 {
                    Nan
                } else {
                    Infinite(a != neg)
                }
            }
        }
    }

    /// An exact zero from opposite signs is −0 when rounding down.
    pub fn add(self, o: Num, round: Round) -> Num {
        let (a, b) = match (self, o) {
            (Nan, _) | (_, Nan) => return Nan,
            (Infinite(a), Infinite(b)) => return if a == b { Infinite(a) } else { Nan },
            (Infinite(a), _) | (_, Infinite(a)) => return Infinite(a),
            (a, b) => (a, b),
        };
        let (Finite { neg: n1, mant: m1, exp: e1 }, Finite { neg: n2, mant: m2, exp: e2 }) = (a, b) else {
            return Nan;
        };
        if m1 == 0 && m2 == 0 {
            return Finite { neg: if n1 == n2 { n1 } else { round == DOWN }, mant: 0, exp: 0 };
        }
        if m1 == 0 {
            return b;
        }
        if m2 == 0 {
            return a;
        }
        // The one of the higher leading bit, moved to bit 124; the other beside it.
        let first = e1 + top(m1) >= e2 + top(m2);
        let ((nx, mx, ex), (ny, my, ey)) =
            if first { ((n1, m1, e1), (n2, m2, e2)) } else { ((n2, m2, e2), (n1, m1, e1)) };
        let up = 124 - top(mx);
        let (mx, ex) = (mx << up, ex - up);
        let my = if ey >= ex { my << (ey - ex) } else { sticky(my, (ex - ey) as u32) };
        if nx == ny {
            return Finite { neg: nx, mant: mx + my, exp: ex };
        }
        if mx == my {
            return Finite { neg: round == DOWN, mant: 0, exp: 0 };
        }
        Finite { neg: if mx > my { nx } else { ny }, mant: mx.abs_diff(my), exp: ex }
    }

    /// Rounded to a whole number.
    pub fn whole(self, round: Round) -> Num {
        match self {
            Finite { neg, mant, exp } if exp < 0 => {
                Finite { neg, mant: rounded(mant, exp.unsigned_abs(), neg, round), exp: 0 }
            }
            other => other,
        }
    }

    /// A whole number between `low` and `high`, rounded toward zero; NaN gives 0.
    pub fn to_int(self, low: i128, high: i128) -> i128 {
        match self.whole(ZERO) {
            Nan => 0,
            Infinite(neg) => {
                if neg {
                    low
                } else {
                    high
                }
            }
            Finite { neg, mant, exp } => {
                let huge = mant != 0 && exp + top(mant) > 120;
                let magnitude = if huge { i128::MAX } else { (mant << exp.max(0)) as i128 };
                (if neg { -magnitude } else { magnitude }).clamp(low, high)
            }
        }
    }

    /// Less than, equal, greater; `None` for NaN.
    pub fn compare(self, o: Num) -> Option<std::cmp::Ordering> {
        use std::cmp::Ordering::{Equal, Greater, Less};
        if self == Nan || o == Nan {
            return None;
        }
        if let (Infinite(a), Infinite(b)) = (self, o) {
            return Some(b.cmp(&a));
        }
        let side = |neg: bool| if neg { Less } else { Greater };
        Some(match self.add(o.neg(), NEAREST) {
            Nan => Equal,
            Infinite(neg) => side(neg),
            Finite { mant: 0, .. } => Equal,
            Finite { neg, .. } => side(neg),
        })
    }

    /// Bits in a format; results below the normal range become zero unless `denormals`. NaN: some NaN.
    pub fn pack(self, f: Format, round: Round, denormals: bool) -> u64 {
        let sign = |neg: bool| if neg { f.sign() } else { 0 };
        let (neg, mant, exp) = match self {
            Nan => return f.nan(),
            Infinite(neg) => return f.infinity() | sign(neg),
            Finite { neg, mant: 0, .. } => return sign(neg),
            Finite { neg, mant, exp } => (neg, mant, exp),
        };
        let least = 1 - f.bias();
        let e = (exp + top(mant)).max(least);
        let shift = e - f.fraction as i32 - exp;
        let kept = if shift <= 0 { mant << -shift } else { rounded(mant, shift.unsigned_abs(), neg, round) };
        if e > 2 * f.bias() + 2 {
            return overflow(f, neg, round);
        }
        let bits = (((e + f.bias() - 1) as u64) << f.fraction) + kept as u64;
        if bits >= f.infinity() {
            return overflow(f, neg, round);
        }
        f.flushed(bits | sign(neg), denormals)
    }
}

fn overflow(f: Format, neg: bool, round: Round) -> u64 {
    let to_infinity = matches!((round, neg), (NEAREST, _) | (UP, false) | (DOWN, true));
    (f.infinity() - u64::from(!to_infinity)) | if neg { f.sign() } else { 0 }
}

/// `mant` · 2^−n as a whole number.
fn rounded(mant: u128, n: u32, neg: bool, round: Round) -> u128 {
    let (kept, rest, half) = match n {
        0 => return mant,
        1..=127 => (mant >> n, mant & ((1 << n) - 1), 1u128 << (n - 1)),
        _ => (0, u128::from(mant != 0), 2),
    };
    let up = match round {
        NEAREST => rest > half || rest == half && kept & 1 == 1,
        UP => rest != 0 && !neg,
        DOWN => rest != 0 && neg,
        _ => false,
    };
    kept + u128::from(up)
}
