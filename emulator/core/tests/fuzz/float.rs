//! Float operations of one lane by [`super::exact`] arithmetic, after the RDNA 1 ISA document.

use super::exact::{DOWN, F16, F32, F64, Format, NEAREST, Num, Round, UP, ZERO};
use super::integer::{byte, sext};
use wavepipe_isa::insts::{self as i, Op};

/// MODE bits 9:0, read once more.
#[derive(Clone, Copy, Debug)]
pub struct Mode(pub u32);

impl Mode {
    fn shift(f: Format) -> u32 {
        if f == F32 { 0 } else { 2 }
    }
    pub fn round(self, f: Format) -> Round {
        self.0 >> Self::shift(f) & 3
    }
    pub fn keeps_inputs(self, f: Format) -> bool {
        self.0 >> (4 + Self::shift(f)) & 1 != 0
    }
    pub fn keeps_results(self, f: Format) -> bool {
        self.0 >> (5 + Self::shift(f)) & 1 != 0
    }
    pub fn dx10_clamp(self) -> bool {
        self.0 >> 8 & 1 != 0
    }
    pub fn ieee(self) -> bool {
        self.0 >> 9 & 1 != 0
    }

    pub fn flush(self, f: Format, v: u64) -> u64 {
        f.flushed(v, self.keeps_inputs(f))
    }
    pub fn read(self, f: Format, v: u64) -> Num {
        Num::of(self.flush(f, v), f)
    }
    pub fn write(self, f: Format, v: Num) -> u64 {
        v.pack(f, self.round(f), self.keeps_results(f))
    }
    fn add(self, f: Format, a: u64, b: u64) -> u64 {
        self.write(f, self.read(f, a).add(self.read(f, b), self.round(f)))
    }
    pub fn mul(self, f: Format, a: u64, b: u64) -> u64 {
        self.write(f, self.read(f, a).mul(self.read(f, b)))
    }
    pub fn fma(self, f: Format, a: u64, b: u64, c: u64) -> u64 {
        let product = self.read(f, a).mul(self.read(f, b));
        self.write(f, product.add(self.read(f, c), self.round(f)))
    }
    /// V_MIN and V_MAX, word by word as the manual has them.
    pub fn extreme(self, f: Format, a: u64, b: u64, max: bool) -> u64 {
        for v in [a, b] {
            if self.ieee() && f.is_signalling(v) {
                return v | f.quiet();
            }
        }
        let (a, b) = (self.flush(f, a), self.flush(f, b));
        let v = if f.is_nan(a) {
            b
        } else if f.is_nan(b) {
            a
        } else if f.is_zero(a) && f.is_zero(b) {
            if max { a & b } else { a | b }
        } else {
            let less = Num::of(a, f).compare(Num::of(b, f)) == Some(std::cmp::Ordering::Less);
            if less != max { a } else { b }
        };
        f.flushed(v, self.keeps_results(f))
    }
    /// The manual's V_MED3: which of the three is the greatest is asked with =, so zeros of both signs are one value.
    fn median(self, f: Format, s: [u64; 3]) -> u64 {
        let [a, b, c] = s;
        if s.iter().any(|&v| f.is_nan(v)) {
            return self.extreme(f, self.extreme(f, a, b, false), c, false);
        }
        let [x, y, z] = s.map(|v| self.read(f, v));
        let most = |p: Num, q: Num, r: Num| [q, r].iter().all(|&o| p.compare(o) != Some(std::cmp::Ordering::Less));
        if most(x, y, z) {
            self.extreme(f, b, c, true)
        } else if most(y, x, z) {
            self.extreme(f, a, c, true)
        } else {
            self.extreme(f, a, b, true)
        }
    }
    fn whole(self, f: Format, a: u64, round: Round) -> u64 {
        self.read(f, a).whole(round).pack(f, NEAREST, true)
    }
    /// S0 − floor(S0), below one.
    fn fract(self, f: Format, a: u64) -> u64 {
        let a = self.flush(f, a);
        let floor = Num::of(a, f).whole(DOWN);
        let r = self.write(f, Num::of(a, f).add(floor.neg(), self.round(f)));
        if !f.is_nan(r) && !f.is_negative(r) && r >= f.one() { f.one() - 1 } else { r }
    }
    pub fn ldexp(self, f: Format, a: u64, n: i32) -> u64 {
        self.write(f, self.read(f, a).scaled(n.clamp(-5000, 5000)))
    }
}

/// m and e of v = m · 2^e, ½ ≤ |m| < 1.
pub fn frexp(f: Format, v: u64) -> (u64, i32) {
    if f.is_nan(v) || f.is_infinite(v) || f.is_zero(v) {
        return (v, 0);
    }
    let mut fraction = v & ((1 << f.fraction) - 1);
    let mut e = f.field(v).max(1) - f.bias() + 1;
    if f.is_denormal(v) {
        while fraction >> f.fraction == 0 {
            fraction <<= 1;
            e -= 1;
        }
    }
    let m = fraction & ((1 << f.fraction) - 1);
    (v & f.sign() | ((f.bias() - 1) as u64) << f.fraction | m, e)
}

/// (mode, format, sources) → result.
pub type Body = fn(Mode, Format, [u64; 3]) -> u64;

/// Which float operation, whatever the format.
pub fn float(op: Op) -> Option<(Format, Body)> {
    let trunc: Body = |m, f, s| m.whole(f, s[0], ZERO);
    let ceil: Body = |m, f, s| m.whole(f, s[0], UP);
    let floor: Body = |m, f, s| m.whole(f, s[0], DOWN);
    let even: Body = |m, f, s| m.whole(f, s[0], NEAREST);
    let min3: Body = |m, f, s| m.extreme(f, m.extreme(f, s[0], s[1], false), s[2], false);
    let max3: Body = |m, f, s| m.extreme(f, m.extreme(f, s[0], s[1], true), s[2], true);
    Some(match op {
        i::V_ADD_F32 => (F32, |m, f, s| m.add(f, s[0], s[1])),
        i::V_ADD_F16 | i::V_PK_ADD_F16 => (F16, |m, f, s| m.add(f, s[0], s[1])),
        i::V_ADD_F64 => (F64, |m, f, s| m.add(f, s[0], s[1])),
        i::V_SUB_F32 => (F32, |m, f, s| m.add(f, s[0], s[1] ^ f.sign())),
        i::V_SUB_F16 => (F16, |m, f, s| m.add(f, s[0], s[1] ^ f.sign())),
        i::V_SUBREV_F32 => (F32, |m, f, s| m.add(f, s[1], s[0] ^ f.sign())),
        i::V_SUBREV_F16 => (F16, |m, f, s| m.add(f, s[1], s[0] ^ f.sign())),
        i::V_MUL_F32 => (F32, |m, f, s| m.mul(f, s[0], s[1])),
        i::V_MUL_F16 | i::V_PK_MUL_F16 => (F16, |m, f, s| m.mul(f, s[0], s[1])),
        i::V_MUL_F64 => (F64, |m, f, s| m.mul(f, s[0], s[1])),
        i::V_FMA_F32 | i::V_FMAC_F32 => (F32, |m, f, s| m.fma(f, s[0], s[1], s[2])),
        i::V_FMA_F16 | i::V_FMA_LEGACY_F16 | i::V_FMAC_F16 | i::V_PK_FMA_F16 | i::V_PK_FMAC_F16 => {
            (F16, |m, f, s| m.fma(f, s[0], s[1], s[2]))
        }
        i::V_FMA_F64 => (F64, |m, f, s| m.fma(f, s[0], s[1], s[2])),
        // S0 · K + S1 and S0 · S1 + K: the row's order is the text's.
        i::V_FMAMK_F32 | i::V_FMAAK_F32 => (F32, |m, f, s| m.fma(f, s[0], s[1], s[2])),
        i::V_FMAMK_F16 | i::V_FMAAK_F16 => (F16, |m, f, s| m.fma(f, s[0], s[1], s[2])),
        i::V_MIN_F32 => (F32, |m, f, s| m.extreme(f, s[0], s[1], false)),
        i::V_MIN_F16 | i::V_PK_MIN_F16 => (F16, |m, f, s| m.extreme(f, s[0], s[1], false)),
        i::V_MIN_F64 => (F64, |m, f, s| m.extreme(f, s[0], s[1], false)),
        i::V_MAX_F32 => (F32, |m, f, s| m.extreme(f, s[0], s[1], true)),
        i::V_MAX_F16 | i::V_PK_MAX_F16 => (F16, |m, f, s| m.extreme(f, s[0], s[1], true)),
        i::V_MAX_F64 => (F64, |m, f, s| m.extreme(f, s[0], s[1], true)),
        i::V_MIN3_F32 => (F32, min3),
        i::V_MIN3_F16 => (F16, min3),
        i::V_MAX3_F32 => (F32, max3),
        i::V_MAX3_F16 => (F16, max3),
        i::V_MED3_F32 => (F32, |m, f, s| m.median(f, s)),
        i::V_MED3_F16 => (F16, |m, f, s| m.median(f, s)),
        i::V_TRUNC_F32 => (F32, trunc),
        i::V_TRUNC_F16 => (F16, trunc),
        i::V_TRUNC_F64 => (F64, trunc),
        i::V_CEIL_F32 => (F32, ceil),
        i::V_CEIL_F16 => (F16, ceil),
        i::V_CEIL_F64 => (F64, ceil),
        i::V_FLOOR_F32 => (F32, floor),
        i::V_FLOOR_F16 => (F16, floor),
        i::V_FLOOR_F64 => (F64, floor),
        i::V_RNDNE_F32 => (F32, even),
        i::V_RNDNE_F16 => (F16, even),
        i::V_RNDNE_F64 => (F64, even),
        i::V_FRACT_F32 => (F32, |m, f, s| m.fract(f, s[0])),
        i::V_FRACT_F16 => (F16, |m, f, s| m.fract(f, s[0])),
        i::V_FRACT_F64 => (F64, |m, f, s| m.fract(f, s[0])),
        i::V_LDEXP_F32 => (F32, |m, f, s| m.ldexp(f, s[0], s[1] as i32)),
        i::V_LDEXP_F64 => (F64, |m, f, s| m.ldexp(f, s[0], s[1] as i32)),
        i::V_LDEXP_F16 => (F16, |m, f, s| m.ldexp(f, s[0], i32::from(s[1] as i16))),
        i::V_FREXP_MANT_F32 => (F32, |_, f, s| frexp(f, s[0]).0),
        i::V_FREXP_MANT_F16 => (F16, |m, f, s| frexp(f, m.flush(f, s[0])).0),
        i::V_FREXP_MANT_F64 => (F64, |_, f, s| frexp(f, s[0]).0),
        i::V_MUL_LEGACY_F32 => (F32, |m, f, s| legacy(m, f, s[0], s[1])),
        i::V_MULLIT_F32 => (F32, |m, f, s| {
            let dark = |v: u64, most: u64| {
                let below = m.read(f, v).compare(Num::of(most, f));
                !matches!(below, Some(std::cmp::Ordering::Greater))
            };
            if dark(s[1], 0xff7f_ffff) || dark(s[2], 0) { 0xff7f_ffff } else { legacy(m, f, s[0], s[1]) }
        }),
        i::V_MAD_F32 | i::V_MAC_F32 | i::V_MADMK_F32 | i::V_MADAK_F32 => (F32, |m, f, s| mad(m, f, s, false)),
        i::V_MAD_F16 | i::V_MAC_F16 | i::V_MADMK_F16 | i::V_MADAK_F16 | i::V_MAD_LEGACY_F16 => {
            (F16, |m, f, s| mad(m, f, s, false))
        }
        i::V_FMA_LEGACY_F32 | i::V_FMAC_LEGACY_F32 => (F32, |m, f, s| {
            let zero = |v: u64| f.is_zero(m.flush(f, v));
            if zero(s[0]) || zero(s[1]) { s[2] } else { m.fma(f, s[0], s[1], s[2]) }
        }),
        // Not less, or not ordered: the second.
        i::V_MIN_LEGACY_F32 => (F32, |m, f, s| {
            let less = m.read(f, s[0]).compare(m.read(f, s[1])) == Some(std::cmp::Ordering::Less);
            if less { s[0] } else { s[1] }
        }),
        i::V_MAX_LEGACY_F32 => (F32, |m, f, s| {
            let order = m.read(f, s[0]).compare(m.read(f, s[1]));
            let not_less = matches!(order, Some(std::cmp::Ordering::Greater | std::cmp::Ordering::Equal));
            if not_less { s[0] } else { s[1] }
        }),
        i::V_MAD_LEGACY_F32 | i::V_MAC_LEGACY_F32 => (F32, |m, f, s| mad(m, f, s, true)),
        i::V_CUBEID_F32 => (F32, |m, f, s| {
            let (axis, minus) = cube(m, f, s);
            [0.0f32, 2.0, 4.0][axis].to_bits() as u64 + if minus { step(axis) } else { 0 }
        }),
        i::V_CUBESC_F32 => (F32, |m, f, s| match cube(m, f, s) {
            (2, minus) => s[0] ^ if minus { f.sign() } else { 0 },
            (1, _) => s[0],
            (_, minus) => s[2] ^ if minus { 0 } else { f.sign() },
        }),
        i::V_CUBETC_F32 => (F32, |m, f, s| match cube(m, f, s) {
            (1, minus) => s[2] ^ if minus { f.sign() } else { 0 },
            _ => s[1] ^ f.sign(),
        }),
        i::V_CUBEMA_F32 => (F32, |m, f, s| m.mul(f, u64::from(2.0f32.to_bits()), s[cube(m, f, s).0])),
        i::V_DIV_FIXUP_F32 => (F32, |m, f, s| div_fixup(f, s, 150, &|v| m.flush(f, v))),
        i::V_DIV_FIXUP_F64 => (F64, |m, f, s| div_fixup(f, s, 1075, &|v| m.flush(f, v))),
        _ => return None,
    })
}

/// Zero times anything is +0.
fn legacy(m: Mode, f: Format, a: u64, b: u64) -> u64 {
    if f.is_zero(m.flush(f, a)) || f.is_zero(m.flush(f, b)) { 0 } else { m.mul(f, a, b) }
}

/// Denormals flushed everywhere, two roundings.
pub fn mad(m: Mode, f: Format, s: [u64; 3], legacy: bool) -> u64 {
    let [a, b, c] = s.map(|v| f.flushed(v, false));
    let product = Num::of(a, f).mul(Num::of(b, f)).pack(f, m.round(f), false);
    let product = if legacy && (f.is_zero(a) || f.is_zero(b)) { 0 } else { product };
    Num::of(product, f).add(Num::of(c, f), m.round(f)).pack(f, m.round(f), false)
}

/// 0.0 → 1.0, 2.0 → 3.0, 4.0 → 5.0 as bits.
fn step(axis: usize) -> u64 {
    [0x3f80_0000, 0x0040_0000, 0x0020_0000][axis]
}

/// The major axis (0 x, 1 y, 2 z) and whether it points down.
fn cube(m: Mode, f: Format, s: [u64; 3]) -> (usize, bool) {
    let size = s.map(|v| m.read(f, f.magnitude(v)));
    let least = |a: usize, b: usize| {
        matches!(size[a].compare(size[b]), Some(std::cmp::Ordering::Greater | std::cmp::Ordering::Equal))
    };
    let axis = if least(2, 0) && least(2, 1) { 2 } else { usize::from(least(1, 0)) };
    let minus = m.read(f, s[axis]).compare(Num::int(0)) == Some(std::cmp::Ordering::Less);
    (axis, minus)
}

/// (quotient, denominator, numerator)
fn div_fixup(f: Format, s: [u64; 3], underflow: i32, flush: &dyn Fn(u64) -> u64) -> u64 {
    let [q, d, n] = s;
    let zero = |x: u64| f.is_zero(flush(x));
    let sign = (d ^ n) & f.sign();
    if f.is_nan(n) || f.is_nan(d) {
        return f.nan();
    }
    if zero(d) && zero(n) || f.is_infinite(d) && f.is_infinite(n) {
        return f.nan();
    }
    if zero(d) || f.is_infinite(n) {
        return f.infinity() | sign;
    }
    if f.is_infinite(d) || zero(n) || f.field(n) - f.field(d) < -underflow {
        return sign;
    }
    // A quotient that overflowed on the way arrives as NaN.
    sign | if f.is_nan(q) { f.infinity() } else { f.magnitude(q) }
}

/// V_DIV_SCALE: (value, denominator, numerator) → value, and whether V_DIV_FMAS must scale. `far`: the exponents' distance
/// that is too much; `tiny`: the numerator's field that is too small; `by`: the scale. ERRATA.md has the conditions.
pub fn div_scale(m: Mode, f: Format, s: [u64; 3], far: i32, tiny: i32, by: i32) -> (u64, bool) {
    let [v, d, n] = s;
    let scaled = |by: i32| m.ldexp(f, v, by);
    let gap = f.field(n) - f.field(d);
    let finite = f.field(d) < (1 << f.exponent) - 1;
    // 1/d is denormal: |d| is above the power of two whose reciprocal is the least normal number.
    let rcp = finite && f.magnitude(d) > ((2 * f.bias() - 1) as u64) << f.fraction;
    let quotient = finite && gap < 2 - f.bias();
    let (value, post) = if gap >= far {
        (if v == d { scaled(by) } else { v }, true)
    } else if f.field(d) == 0 {
        (scaled(by), false)
    } else {
        match (rcp, quotient) {
            (true, true) => (if v == d { scaled(-by) } else { v }, true),
            (true, false) => (scaled(-by), false),
            (false, true) => (if v == n { scaled(by) } else { v }, true),
            _ if f.field(n) <= tiny => (scaled(by), false),
            _ => (v, false),
        }
    };
    let zero = |x: u64| f.is_zero(m.flush(f, x));
    (if zero(d) || zero(n) { f.nan() } else { value }, post)
}

pub fn div_fmas(m: Mode, f: Format, s: [u64; 3], vcc: bool, by: i32) -> u64 {
    let sum = m.fma(f, s[0], s[1], s[2]);
    if vcc { m.ldexp(f, sum, if f.field(s[2]) > f.bias() { by } else { -by }) } else { sum }
}

/// [−1, 1] or [0, 1] to a whole number of `scale`, to nearest even; NaN gives 0.
fn norm(m: Mode, f: Format, v: u64, low: i128, scale: i128) -> u64 {
    let v = m.read(f, v);
    if v == Num::Nan {
        return 0;
    }
    let scaled = match v {
        Num::Finite { .. } => Num::of(v.mul(Num::int(scale)).pack(F32, m.round(F32), m.keeps_results(F32)), F32),
        other => other,
    };
    scaled.whole(NEAREST).to_int(low, scale) as u64 & 0xffff
}

/// Conversions between f32, f16 and integers of up to 32 bits.
pub fn convert(op: Op, s: [u64; 3], m: Mode) -> Option<u64> {
    let [a, b, c] = s;
    let (x, h) = (m.read(F32, a), m.read(F16, a));
    // These accept denormals whatever MODE says.
    let raw = Num::of(a & 0xffff_ffff, F32);
    let int32 = |v: Num| v.to_int(i32::MIN.into(), i32::MAX.into()) as u32 as u64;
    let floor = |v: Num| v.whole(DOWN);
    let rtz = |v: u64| m.read(F32, v).pack(F16, ZERO, m.keeps_results(F16));
    Some(match op {
        i::V_CVT_F32_I32 => m.write(F32, Num::int(sext(a, 32))),
        i::V_CVT_F32_U32 => m.write(F32, Num::int(i128::from(a as u32))),
        i::V_CVT_I32_F32 => int32(x),
        i::V_CVT_U32_F32 => x.to_int(0, u32::MAX.into()) as u64,
        i::V_CVT_FLR_I32_F32 => int32(floor(raw)),
        i::V_CVT_RPI_I32_F32 => int32(floor(raw.add(Num::Finite { neg: false, mant: 1, exp: -1 }, NEAREST))),
        i::V_CVT_OFF_F32_I4 => Num::int(sext(a, 4)).scaled(-4).pack(F32, NEAREST, true),
        i::V_CVT_F32_UBYTE0 => Num::int(byte(a, 0).into()).pack(F32, NEAREST, true),
        i::V_CVT_F32_UBYTE1 => Num::int(byte(a, 1).into()).pack(F32, NEAREST, true),
        i::V_CVT_F32_UBYTE2 => Num::int(byte(a, 2).into()).pack(F32, NEAREST, true),
        i::V_CVT_F32_UBYTE3 => Num::int(byte(a, 3).into()).pack(F32, NEAREST, true),
        i::V_CVT_F16_F32 => m.write(F16, x),
        i::V_CVT_F32_F16 => m.write(F32, h),
        i::V_CVT_PKRTZ_F16_F32 => rtz(a) | rtz(b) << 16,
        i::V_CVT_F16_U16 => m.write(F16, Num::int(i128::from(a as u16))),
        i::V_CVT_F16_I16 => m.write(F16, Num::int(i128::from(a as i16))),
        i::V_CVT_U16_F16 => h.to_int(0, 0xffff) as u64,
        i::V_CVT_I16_F16 => h.to_int(-0x8000, 0x7fff) as u16 as u64,
        i::V_CVT_NORM_I16_F16 => norm(m, F16, a, -0x7fff, 0x7fff),
        i::V_CVT_NORM_U16_F16 => norm(m, F16, a, 0, 0xffff),
        i::V_CVT_PKNORM_I16_F16 => norm(m, F16, a, -0x7fff, 0x7fff) | norm(m, F16, b, -0x7fff, 0x7fff) << 16,
        i::V_CVT_PKNORM_U16_F16 => norm(m, F16, a, 0, 0xffff) | norm(m, F16, b, 0, 0xffff) << 16,
        i::V_CVT_PKNORM_I16_F32 => norm(m, F32, a, -0x7fff, 0x7fff) | norm(m, F32, b, -0x7fff, 0x7fff) << 16,
        i::V_CVT_PKNORM_U16_F32 => norm(m, F32, a, 0, 0xffff) | norm(m, F32, b, 0, 0xffff) << 16,
        i::V_CVT_PK_U8_F32 | i::V_CVT_PKACCUM_U8_F32 => {
            let at = 8 * (b & 3);
            c & !(0xff << at) | (x.to_int(0, 255) as u64) << at
        }
        i::V_FREXP_EXP_I32_F32 => frexp(F32, a).1 as u32 as u64,
        i::V_FREXP_EXP_I16_F16 => frexp(F16, m.flush(F16, a & 0xffff)).1 as u32 as u64,
        i::V_DIV_FIXUP_F16 | i::V_DIV_FIXUP_LEGACY_F16 => div_fixup(F16, s.map(|v| v & 0xffff), 150, &|v| v),
        _ => return None,
    })
}
