//! GLSL.std.450. What the machine has no instruction for is expanded here, within the precision that Vulkan's appendix
//! "Precision and Operation of SPIR-V Instructions" asks for.

use super::module::Instr;
use super::translate::Translator;
use crate::error::Result;
use crate::ir::fold::half;
use crate::ir::{Alu, Value, Width};
use spirv::GlslStd450Op as GLOp;
use std::f32::consts::{FRAC_PI_2, LN_2, LOG2_E, PI};
use std::rc::Rc;

impl Translator<'_> {
    /// A float constant of width `w`.
    fn fc(&mut self, w: Width, x: f64) -> Value {
        match w {
            Width::B64 => self.b.constant(w, x.to_bits()),
            Width::B16 => self.b.constant(w, half(x)),
            _ => self.b.f32(x as f32),
        }
    }

    fn f1(&mut self, a: Alu, x: Value) -> Value {
        self.b.alu(a, self.b.width(x), &[x])
    }

    fn f2(&mut self, a: Alu, x: Value, y: Value) -> Value {
        self.b.alu(a, self.b.width(x), &[x, y])
    }

    fn fma(&mut self, x: Value, y: Value, z: Value) -> Value {
        self.b.alu(Alu::FFma, self.b.width(x), &[x, y, z])
    }

    fn times(&mut self, x: Value, k: f64) -> Value {
        let k = self.fc(self.b.width(x), k);
        self.f2(Alu::FMul, x, k)
    }

    fn plus(&mut self, x: Value, k: f64) -> Value {
        let k = self.fc(self.b.width(x), k);
        self.f2(Alu::FAdd, x, k)
    }

    fn exp(&mut self, x: Value) -> Value {
        let y = self.times(x, f64::from(LOG2_E));
        self.f1(Alu::FExp2, y)
    }

    /// Σ cₙ xⁿ, highest coefficient first.
    fn polynomial(&mut self, x: Value, coefficients: &[f64]) -> Value {
        let w = self.b.width(x);
        let mut sum = self.fc(w, coefficients[0]);
        for &c in &coefficients[1..] {
            let c = self.fc(w, c);
            sum = self.fma(sum, x, c);
        }
        sum
    }

    /// arctan of x in [0, 1]: odd minimax polynomial, Abramowitz and Stegun 4.4.49 (error 2e-8).
    fn atan_unit(&mut self, x: Value) -> Value {
        let s = self.f2(Alu::FMul, x, x);
        let c = [
            0.002_866_225_7,
            -0.016_165_736_7,
            0.042_909_613_8,
            -0.075_289_640_0,
            0.106_562_639_3,
            -0.142_088_994_4,
            0.199_935_508_5,
            -0.333_331_452_8,
            1.0,
        ];
        let p = self.polynomial(s, &c);
        self.f2(Alu::FMul, p, x)
    }

    fn copy_sign(&mut self, magnitude: Value, sign: Value) -> Value {
        let w = self.b.width(magnitude);
        let top = 1u64 << (w.bits() - 1);
        let (top_c, rest) = (self.b.constant(w, top), self.b.constant(w, !top));
        let m = self.b.alu(Alu::And, w, &[magnitude, rest]);
        let s = self.b.alu(Alu::And, w, &[sign, top_c]);
        self.b.alu(Alu::Or, w, &[m, s])
    }

    fn atan(&mut self, x: Value) -> Value {
        let a = self.f1(Alu::FAbs, x);
        let one = self.fc(self.b.width(x), 1.0);
        let big = self.f2b(Alu::FOrdGt, a, one);
        let inverse = self.f1(Alu::FRcp, a);
        let t = self.b.select(big, inverse, a);
        let p = self.atan_unit(t);
        let n = self.f1(Alu::FNeg, p);
        let other = self.plus(n, f64::from(FRAC_PI_2));
        let r = self.b.select(big, other, p);
        self.copy_sign(r, x)
    }

    fn f2b(&mut self, a: Alu, x: Value, y: Value) -> Value {
        self.b.alu(a, Width::B1, &[x, y])
    }

    fn atan2(&mut self, y: Value, x: Value) -> Value {
        let w = self.b.width(x);
        let (ax, ay) = (self.f1(Alu::FAbs, x), self.f1(Alu::FAbs, y));
        let (lo, hi) = (self.f2(Alu::FMin, ax, ay), self.f2(Alu::FMax, ax, ay));
        // Equal magnitudes give 1, infinities and zeros included.
        let same = self.f2b(Alu::FOrdEq, ax, ay);
        let one = self.fc(w, 1.0);
        let q = self.f2(Alu::FDiv, lo, hi);
        let zero = self.fc(w, 0.0);
        let origin = self.f2b(Alu::FOrdEq, hi, zero);
        let q = self.b.select(same, one, q);
        let q = self.b.select(origin, zero, q);
        let p = self.atan_unit(q);
        let steep = self.f2b(Alu::FOrdGt, ay, ax);
        let n = self.f1(Alu::FNeg, p);
        let up = self.plus(n, f64::from(FRAC_PI_2));
        let r = self.b.select(steep, up, p);
        let top = self.b.constant(w, 1 << (w.bits() - 1));
        let bit = self.b.alu(Alu::And, w, &[x, top]);
        let none = self.b.constant(w, 0);
        let left = self.b.alu(Alu::INe, Width::B1, &[bit, none]);
        let n = self.f1(Alu::FNeg, r);
        let back = self.plus(n, f64::from(PI));
        let r = self.b.select(left, back, r);
        self.copy_sign(r, y)
    }

    /// arccos of x in [0, 1]: √(1−x) · polynomial, Abramowitz and Stegun 4.4.46 (error 2e-8).
    fn acos_unit(&mut self, x: Value) -> Value {
        let c = [
            -0.001_262_491_1,
            0.006_670_090_1,
            -0.017_088_125_6,
            0.030_891_881_0,
            -0.050_174_304_6,
            0.088_978_987_4,
            -0.214_598_801_6,
            1.570_796_305_0,
        ];
        let p = self.polynomial(x, &c);
        let n = self.f1(Alu::FNeg, x);
        let rest = self.plus(n, 1.0);
        let root = self.f1(Alu::FSqrt, rest);
        self.f2(Alu::FMul, root, p)
    }

    fn asin(&mut self, x: Value) -> Value {
        let a = self.f1(Alu::FAbs, x);
        // Below one half a series in x keeps the relative error small; above, π/2 − arccos.
        let s = self.f2(Alu::FMul, a, a);
        let series = self.polynomial(s, &[0.042_166_31, 0.024_181_31, 0.045_470_02, 0.074_953, 0.166_667_52, 1.0]);
        let small = self.f2(Alu::FMul, series, a);
        let acos = self.acos_unit(a);
        let n = self.f1(Alu::FNeg, acos);
        let large = self.plus(n, f64::from(FRAC_PI_2));
        let half = self.fc(self.b.width(x), 0.5);
        let is_small = self.f2b(Alu::FOrdLt, a, half);
        let r = self.b.select(is_small, small, large);
        self.copy_sign(r, x)
    }

    fn acos(&mut self, x: Value) -> Value {
        let a = self.f1(Alu::FAbs, x);
        let r = self.acos_unit(a);
        let n = self.f1(Alu::FNeg, r);
        let back = self.plus(n, f64::from(PI));
        let zero = self.fc(self.b.width(x), 0.0);
        let negative = self.f2b(Alu::FOrdLt, x, zero);
        self.b.select(negative, back, r)
    }

    fn hyperbolic(&mut self, op: GLOp, x: Value) -> Value {
        let w = self.b.width(x);
        match op {
            GLOp::Cosh | GLOp::Sinh => {
                let n = self.f1(Alu::FNeg, x);
                let (p, q) = (self.exp(x), self.exp(n));
                let r = self.f2(if op == GLOp::Cosh { Alu::FAdd } else { Alu::FSub }, p, q);
                let r = self.times(r, 0.5);
                if op == GLOp::Cosh {
                    return r;
                }
                // Near zero the difference cancels: x + x³/6.
                let s = self.f2(Alu::FMul, x, x);
                let p = self.polynomial(s, &[1.0 / 5040.0, 1.0 / 120.0, 1.0 / 6.0, 1.0]);
                let small = self.f2(Alu::FMul, p, x);
                let (a, k) = (self.f1(Alu::FAbs, x), self.fc(w, 0.5));
                let is_small = self.f2b(Alu::FOrdLt, a, k);
                self.b.select(is_small, small, r)
            }
            GLOp::Tanh => {
                // 1 − 2 / (e^2|x| + 1), and the series near zero.
                let a = self.f1(Alu::FAbs, x);
                let two = self.times(a, 2.0);
                let e = self.exp(two);
                let d = self.plus(e, 1.0);
                let r = self.f1(Alu::FRcp, d);
                let (m2, one) = (self.fc(w, -2.0), self.fc(w, 1.0));
                let large = self.fma(r, m2, one);
                let s = self.f2(Alu::FMul, x, x);
                let p = self.polynomial(s, &[62.0 / 2835.0, -17.0 / 315.0, 2.0 / 15.0, -1.0 / 3.0, 1.0]);
                let small = self.f2(Alu::FMul, p, a);
                let k = self.fc(w, 0.25);
                let is_small = self.f2b(Alu::FOrdLt, a, k);
                let r = self.b.select(is_small, small, large);
                self.copy_sign(r, x)
            }
            // ln(|x| + √(x² + 1)), with the sign of x.
            GLOp::Asinh => {
                let a = self.f1(Alu::FAbs, x);
                let one = self.fc(w, 1.0);
                let s = self.fma(x, x, one);
                let root = self.f1(Alu::FSqrt, s);
                let sum = self.f2(Alu::FAdd, a, root);
                let r = self.ln(sum);
                let q = self.f2(Alu::FMul, a, a);
                let p = self.polynomial(q, &[3.0 / 40.0, -1.0 / 6.0, 1.0]);
                let small = self.f2(Alu::FMul, p, a);
                let k = self.fc(w, 0.125);
                let is_small = self.f2b(Alu::FOrdLt, a, k);
                let r = self.b.select(is_small, small, r);
                self.copy_sign(r, x)
            }
            GLOp::Acosh => {
                let m1 = self.fc(w, -1.0);
                let s = self.fma(x, x, m1);
                let root = self.f1(Alu::FSqrt, s);
                let sum = self.f2(Alu::FAdd, x, root);
                self.ln(sum)
            }
            // ½ ln((1 + x) / (1 − x))
            _ => {
                let up = self.plus(x, 1.0);
                let n = self.f1(Alu::FNeg, x);
                let down = self.plus(n, 1.0);
                let q = self.f2(Alu::FDiv, up, down);
                let l = self.ln(q);
                let r = self.times(l, 0.5);
                let s = self.f2(Alu::FMul, x, x);
                let p = self.polynomial(s, &[1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0]);
                let small = self.f2(Alu::FMul, p, x);
                let (a, k) = (self.f1(Alu::FAbs, x), self.fc(w, 0.125));
                let is_small = self.f2b(Alu::FOrdLt, a, k);
                self.b.select(is_small, small, r)
            }
        }
    }

    fn ln(&mut self, x: Value) -> Value {
        let l = self.f1(Alu::FLog2, x);
        self.times(l, f64::from(LN_2))
    }

    /// Clamps, scales, rounds and packs `v` as integers of `bits` bits.
    fn pack_norm(&mut self, v: &[Value], bits: u32, signed: bool) -> Value {
        let top = if signed { (1u32 << (bits - 1)) - 1 } else { ((1u64 << bits) - 1) as u32 };
        let mut word = self.b.u32(0);
        for (n, &x) in v.iter().enumerate() {
            let (one, m1) = (self.b.f32(1.0), self.b.f32(-1.0));
            let x = if signed {
                let x = self.f2(Alu::FMax, x, m1);
                self.f2(Alu::FMin, x, one)
            } else {
                self.f1(Alu::FSat, x)
            };
            let x = self.times(x, f64::from(top));
            let x = self.f1(Alu::FRoundEven, x);
            let i = self.b.alu(if signed { Alu::FToS } else { Alu::FToU }, Width::B32, &[x]);
            let (m, s) = (self.b.u32(((1u64 << bits) - 1) as u32), self.b.u32(n as u32 * bits));
            let i = self.b.alu(Alu::And, Width::B32, &[i, m]);
            let i = self.b.alu(Alu::Shl, Width::B32, &[i, s]);
            word = self.b.alu(Alu::Or, Width::B32, &[word, i]);
        }
        word
    }

    fn unpack_norm(&mut self, word: Value, bits: u32, signed: bool) -> Vec<Value> {
        let top = if signed { (1u32 << (bits - 1)) - 1 } else { ((1u64 << bits) - 1) as u32 };
        (0..32 / bits)
            .map(|n| {
                let (at, len) = (self.b.u32(n * bits), self.b.u32(bits));
                let i = self.b.alu(if signed { Alu::SBfe } else { Alu::UBfe }, Width::B32, &[word, at, len]);
                let f = self.b.alu(if signed { Alu::SToF } else { Alu::UToF }, Width::B32, &[i]);
                let f = self.times(f, 1.0 / f64::from(top));
                if !signed {
                    return f;
                }
                let m1 = self.b.f32(-1.0);
                self.f2(Alu::FMax, f, m1)
            })
            .collect()
    }

    /// Determinant of the n × n matrix (column-major) without row `row` and column `column`, by expansion.
    fn determinant(&mut self, m: &[Value], n: usize, rows: &[usize], columns: &[usize]) -> Value {
        if rows.len() == 1 {
            return m[columns[0] * n + rows[0]];
        }
        let mut sum: Option<Value> = None;
        for (k, &c) in columns.iter().enumerate() {
            let rest: Vec<usize> = columns.iter().copied().filter(|&x| x != c).collect();
            let minor = self.determinant(m, n, &rows[1..], &rest);
            let term = self.f2(Alu::FMul, m[c * n + rows[0]], minor);
            sum = Some(match sum {
                None => term,
                Some(s) => self.f2(if k % 2 == 0 { Alu::FAdd } else { Alu::FSub }, s, term),
            });
        }
        sum.unwrap_or(m[0])
    }

    /// The result of OpExtInst `i`.
    pub fn glsl(&mut self, i: &Instr<'_>) -> Result<Rc<[Value]>> {
        let number = self.arg(i, 1)?;
        let Some(op) = GLOp::from_u32(number) else {
            return Err(self.malformed(i, format!("GLSL.std.450 has no instruction {number}")));
        };
        let instr = Instr { args: &i.args[2..], ..*i };
        let i = &instr;
        let wanted = match op {
            GLOp::Fma
            | GLOp::FMix
            | GLOp::FClamp
            | GLOp::UClamp
            | GLOp::SClamp
            | GLOp::NClamp
            | GLOp::SmoothStep
            | GLOp::FaceForward
            | GLOp::Refract
            | GLOp::IMix => 3,
            GLOp::Atan2
            | GLOp::Pow
            | GLOp::FMin
            | GLOp::FMax
            | GLOp::UMin
            | GLOp::UMax
            | GLOp::SMin
            | GLOp::SMax
            | GLOp::NMin
            | GLOp::NMax
            | GLOp::Step
            | GLOp::Ldexp
            | GLOp::Distance
            | GLOp::Cross
            | GLOp::Reflect
            | GLOp::Modf
            | GLOp::Frexp => 2,
            _ => 1,
        };
        let mut v = Vec::new();
        for n in 0..wanted {
            // Modf and Frexp: the second operand is a pointer.
            if n == 1 && matches!(op, GLOp::Modf | GLOp::Frexp) {
                break;
            }
            v.push(self.operand_flat(i, n)?);
        }
        let float = |w: Width| matches!(w, Width::B16 | Width::B32 | Width::B64);
        let integral = matches!(
            op,
            GLOp::SAbs
                | GLOp::SSign
                | GLOp::UMin
                | GLOp::SMin
                | GLOp::UMax
                | GLOp::SMax
                | GLOp::UClamp
                | GLOp::SClamp
                | GLOp::FindILsb
                | GLOp::FindSMsb
                | GLOp::FindUMsb
        );
        // Ldexp's exponent is an integer of any width.
        let floats = if op == GLOp::Ldexp { 1 } else { v.len() };
        if v[0].is_empty() || !integral && v[..floats].iter().flat_map(|v| v.iter()).any(|&x| !float(self.b.width(x))) {
            return Err(self.malformed(i, format!("{op:?}: operands of the wrong type")));
        }
        // Some operands are scalars by definition (Refract's eta); all else has the same shape.
        let shape_free = matches!(op, GLOp::Refract | GLOp::Ldexp);
        if v[1..].iter().any(|x| x.len() != v[0].len() || !shape_free && self.b.width(x[0]) != self.b.width(v[0][0]))
            && !shape_free
        {
            return Err(self.malformed(i, format!("{op:?}: operands of different types")));
        }
        let w = self.b.width(v[0][0]);
        let unary = |a: Alu| (a, 1);
        let simple = match op {
            GLOp::RoundEven | GLOp::Round => unary(Alu::FRoundEven),
            GLOp::Trunc => unary(Alu::FTrunc),
            GLOp::FAbs => unary(Alu::FAbs),
            GLOp::SAbs => unary(Alu::IAbs),
            GLOp::FSign => unary(Alu::FSign),
            GLOp::SSign => unary(Alu::ISign),
            GLOp::Floor => unary(Alu::FFloor),
            GLOp::Ceil => unary(Alu::FCeil),
            GLOp::Fract => unary(Alu::FFract),
            GLOp::Sin => unary(Alu::FSin),
            GLOp::Cos => unary(Alu::FCos),
            GLOp::Exp2 => unary(Alu::FExp2),
            GLOp::Log2 => unary(Alu::FLog2),
            GLOp::Sqrt => unary(Alu::FSqrt),
            GLOp::InverseSqrt => unary(Alu::FRsq),
            GLOp::FMin | GLOp::NMin => (Alu::FMin, 2),
            GLOp::FMax | GLOp::NMax => (Alu::FMax, 2),
            GLOp::UMin => (Alu::UMin, 2),
            GLOp::SMin => (Alu::SMin, 2),
            GLOp::UMax => (Alu::UMax, 2),
            GLOp::SMax => (Alu::SMax, 2),
            GLOp::Fma => (Alu::FFma, 3),
            _ => (Alu::Copy, 0),
        };
        if simple.1 != 0 {
            let mut out = Vec::new();
            for c in 0..v[0].len() {
                let args: Vec<Value> = v[..simple.1].iter().map(|x| x[c]).collect();
                out.push(self.apply(i, simple.0, w, &args)?);
            }
            return Ok(out.into());
        }
        let mut out = Vec::new();
        match op {
            GLOp::Length | GLOp::Distance | GLOp::Normalize => {
                let mut d = v[0].to_vec();
                if op == GLOp::Distance {
                    for (x, &y) in d.iter_mut().zip(v[1].iter()) {
                        *x = self.f2(Alu::FSub, *x, y);
                    }
                }
                if d.len() == 1 && op != GLOp::Normalize {
                    return Ok([self.f1(Alu::FAbs, d[0])].into());
                }
                let s = self.fdot(i, &d, &d)?;
                if op != GLOp::Normalize {
                    return Ok([self.f1(Alu::FSqrt, s)].into());
                }
                let r = self.f1(Alu::FRsq, s);
                out.extend(d.iter().map(|&x| self.f2(Alu::FMul, x, r)));
            }
            GLOp::Cross => {
                let (a, b) = (&v[0], &v[1]);
                if a.len() != 3 {
                    return Err(self.malformed(i, "Cross: vectors of three components"));
                }
                for (p, q) in [(1, 2), (2, 0), (0, 1)] {
                    let (x, y) = (self.f2(Alu::FMul, a[p], b[q]), self.f2(Alu::FMul, a[q], b[p]));
                    out.push(self.f2(Alu::FSub, x, y));
                }
            }
            GLOp::FaceForward => {
                let d = self.fdot(i, &v[1], &v[2])?;
                let zero = self.fc(w, 0.0);
                let keep = self.f2b(Alu::FOrdLt, d, zero);
                for &x in v[0].iter() {
                    let n = self.f1(Alu::FNeg, x);
                    out.push(self.b.select(keep, x, n));
                }
            }
            GLOp::Reflect => {
                // I − 2 (N·I) N
                let d = self.fdot(i, &v[0], &v[1])?;
                let k = self.times(d, -2.0);
                for (&x, &n) in v[0].iter().zip(v[1].iter()) {
                    out.push(self.fma(k, n, x));
                }
            }
            GLOp::Refract => {
                // k = 1 − η² (1 − (N·I)²); k < 0: 0, else η I − (η (N·I) + √k) N
                let eta = self.float_to(w, v[2][0]);
                let d = self.fdot(i, &v[0], &v[1])?;
                let (one, zero) = (self.fc(w, 1.0), self.fc(w, 0.0));
                let nd = self.f1(Alu::FNeg, d);
                let s = self.fma(nd, d, one);
                let e2 = self.f2(Alu::FMul, eta, eta);
                let ne2 = self.f1(Alu::FNeg, e2);
                let k = self.fma(ne2, s, one);
                let total = self.f2b(Alu::FOrdLt, k, zero);
                let safe = self.f2(Alu::FMax, k, zero);
                let root = self.f1(Alu::FSqrt, safe);
                let f = self.fma(eta, d, root);
                let nf = self.f1(Alu::FNeg, f);
                for (&x, &n) in v[0].iter().zip(v[1].iter()) {
                    let a = self.f2(Alu::FMul, eta, x);
                    let r = self.fma(nf, n, a);
                    out.push(self.b.select(total, zero, r));
                }
            }
            GLOp::Determinant | GLOp::MatrixInverse => {
                let n = match v[0].len() {
                    4 => 2,
                    9 => 3,
                    16 => 4,
                    _ => return Err(self.malformed(i, "not a square matrix")),
                };
                let all: Vec<usize> = (0..n).collect();
                // Sums of products in whose middle f16 would lose too much.
                let inner = if w == Width::B16 { Width::B32 } else { w };
                let m: Vec<Value> = v[0].iter().map(|&x| self.float_to(inner, x)).collect();
                let det = self.determinant(&m, n, &all, &all);
                if op == GLOp::Determinant {
                    return Ok([self.float_to(w, det)].into());
                }
                let one = self.fc(inner, 1.0);
                let inverse = self.f2(Alu::FDiv, one, det);
                for c in 0..n {
                    for r in 0..n {
                        // Cofactor of row c, column r.
                        let rows: Vec<usize> = all.iter().copied().filter(|&x| x != c).collect();
                        let columns: Vec<usize> = all.iter().copied().filter(|&x| x != r).collect();
                        let minor = self.determinant(&m, n, &rows, &columns);
                        let signed = if (r + c) % 2 == 0 { minor } else { self.f1(Alu::FNeg, minor) };
                        let entry = self.f2(Alu::FMul, signed, inverse);
                        out.push(self.float_to(w, entry));
                    }
                }
            }
            GLOp::Modf | GLOp::ModfStruct => {
                let whole: Vec<Value> = v[0].iter().map(|&x| self.f1(Alu::FTrunc, x)).collect();
                for (&x, &t) in v[0].iter().zip(&whole) {
                    let d = self.f2(Alu::FSub, x, t);
                    // Infinity has no fraction; the sign is that of x.
                    let (a, inf) = (self.f1(Alu::FAbs, x), self.fc(w, f64::INFINITY));
                    let is_inf = self.f2b(Alu::FOrdEq, a, inf);
                    let zero = self.fc(w, 0.0);
                    let d = self.b.select(is_inf, zero, d);
                    out.push(self.copy_sign(d, x));
                }
                self.second_result(i, op == GLOp::ModfStruct, &mut out, whole)?;
            }
            GLOp::Frexp | GLOp::FrexpStruct => {
                out.extend(v[0].iter().map(|&x| self.f1(Alu::FFrexpMant, x)));
                let exponents: Vec<Value> =
                    v[0].iter().map(|&x| self.b.alu(Alu::FFrexpExp, Width::B32, &[x])).collect();
                self.second_result(i, op == GLOp::FrexpStruct, &mut out, exponents)?;
            }
            GLOp::PackSnorm4x8 => out.push(self.pack_norm(&v[0], 8, true)),
            GLOp::PackUnorm4x8 => out.push(self.pack_norm(&v[0], 8, false)),
            GLOp::PackSnorm2x16 => out.push(self.pack_norm(&v[0], 16, true)),
            GLOp::PackUnorm2x16 => out.push(self.pack_norm(&v[0], 16, false)),
            GLOp::UnpackSnorm4x8 => out = self.unpack_norm(v[0][0], 8, true),
            GLOp::UnpackUnorm4x8 => out = self.unpack_norm(v[0][0], 8, false),
            GLOp::UnpackSnorm2x16 => out = self.unpack_norm(v[0][0], 16, true),
            GLOp::UnpackUnorm2x16 => out = self.unpack_norm(v[0][0], 16, false),
            GLOp::PackHalf2x16 if v[0].len() == 2 => out.push(self.apply(i, Alu::PackHalf2x16, Width::B32, &v[0])?),
            GLOp::UnpackHalf2x16 => {
                out.push(self.apply(i, Alu::UnpackHalfLo, Width::B32, &v[0])?);
                out.push(self.apply(i, Alu::UnpackHalfHi, Width::B32, &v[0])?);
            }
            GLOp::PackDouble2x32 if v[0].len() == 2 => out.push(self.apply(i, Alu::Pack64, Width::B64, &v[0])?),
            GLOp::UnpackDouble2x32 => {
                out.push(self.apply(i, Alu::Lo32, Width::B32, &v[0])?);
                out.push(self.apply(i, Alu::Hi32, Width::B32, &v[0])?);
            }
            GLOp::InterpolateAtCentroid | GLOp::InterpolateAtSample | GLOp::InterpolateAtOffset => {
                return Err(self.unsupported(i, format!("{op:?} belongs to fragment shaders")));
            }
            _ => {
                for c in 0..v[0].len() {
                    let args: Vec<Value> =
                        v.iter().map(|x| x[if x.len() == 1 { 0 } else { c.min(x.len() - 1) }]).collect();
                    out.push(self.glsl_component(i, op, w, &args)?);
                }
            }
        }
        Ok(out.into())
    }

    /// Modf and Frexp give two things: as a structure, or one through a pointer.
    fn second_result(
        &mut self,
        i: &Instr<'_>,
        structure: bool,
        out: &mut Vec<Value>,
        second: Vec<Value>,
    ) -> Result<()> {
        if structure {
            out.extend(second);
            return Ok(());
        }
        let p = self.arg(i, 1)?;
        let p = self.pointer(i, p)?;
        self.store(i, &p, &second, &[])
    }

    /// Undefined for negative `x`; but programs square by it, and drivers multiply.
    fn power(&mut self, x: Value, y: Value) -> Value {
        let w = self.b.width(x);
        let is = |l: &mut Self, n: f64| l.fc(w, n) == y;
        if is(self, 1.0) {
            return x;
        }
        if is(self, 2.0) || is(self, 4.0) {
            let square = self.f2(Alu::FMul, x, x);
            return if is(self, 2.0) { square } else { self.f2(Alu::FMul, square, square) };
        }
        let l = self.f1(Alu::FLog2, x);
        let p = self.f2(Alu::FMul, l, y);
        self.f1(Alu::FExp2, p)
    }

    /// Float `x` at width `w`.
    fn float_to(&mut self, w: Width, x: Value) -> Value {
        if self.b.width(x) == w { x } else { self.b.alu(Alu::FConvert, w, &[x]) }
    }

    /// Signed `x` of 64 bits, or the nearest number that 32 bits hold.
    fn saturate_to_i32(&mut self, x: Value) -> Value {
        let limits = [i32::MIN, i32::MAX].map(|limit| self.b.constant(Width::B64, i64::from(limit) as u64));
        let x = self.b.alu(Alu::SMax, Width::B64, &[x, limits[0]]);
        let x = self.b.alu(Alu::SMin, Width::B64, &[x, limits[1]]);
        self.b.to_u32(x)
    }

    /// One component of an instruction that works on each component alone.
    fn glsl_component(&mut self, i: &Instr<'_>, op: GLOp, w: Width, v: &[Value]) -> Result<Value> {
        let x = v[0];
        if w == Width::B16 && by_f32(op) {
            let wide: Vec<Value> = v.iter().map(|&x| self.b.alu(Alu::FConvert, Width::B32, &[x])).collect();
            let r = self.glsl_component(i, op, Width::B32, &wide)?;
            return Ok(self.b.alu(Alu::FConvert, w, &[r]));
        }
        Ok(match op {
            GLOp::Radians => self.times(x, std::f64::consts::PI / 180.0),
            GLOp::Degrees => self.times(x, 180.0 / std::f64::consts::PI),
            GLOp::Tan => {
                let (s, c) = (self.f1(Alu::FSin, x), self.f1(Alu::FCos, x));
                self.f2(Alu::FDiv, s, c)
            }
            GLOp::Asin => self.asin(x),
            GLOp::Acos => self.acos(x),
            GLOp::Atan => self.atan(x),
            GLOp::Atan2 => self.atan2(x, v[1]),
            GLOp::Sinh | GLOp::Cosh | GLOp::Tanh | GLOp::Asinh | GLOp::Acosh | GLOp::Atanh => self.hyperbolic(op, x),
            GLOp::Pow => self.power(x, v[1]),
            GLOp::Exp => self.exp(x),
            GLOp::Log => self.ln(x),
            GLOp::FClamp | GLOp::NClamp => {
                let (zero, one) = (self.fc(w, 0.0), self.fc(w, 1.0));
                if v[1] == zero && v[2] == one {
                    return Ok(self.f1(Alu::FSat, x));
                }
                let m = self.f2(Alu::FMax, x, v[1]);
                self.f2(Alu::FMin, m, v[2])
            }
            GLOp::UClamp => {
                let m = self.apply(i, Alu::UMax, w, &[x, v[1]])?;
                self.apply(i, Alu::UMin, w, &[m, v[2]])?
            }
            GLOp::SClamp => {
                let m = self.apply(i, Alu::SMax, w, &[x, v[1]])?;
                self.apply(i, Alu::SMin, w, &[m, v[2]])?
            }
            // x (1 − a) + y a, as x + (y − x) a loses y at a = 1.
            GLOp::FMix => {
                let n = self.f1(Alu::FNeg, v[2]);
                let p = self.fma(n, x, x);
                self.fma(v[1], v[2], p)
            }
            GLOp::Step => {
                let (zero, one) = (self.fc(w, 0.0), self.fc(w, 1.0));
                let below = self.f2b(Alu::FOrdLt, v[1], x);
                self.b.select(below, zero, one)
            }
            GLOp::SmoothStep => {
                let (d, range) = (self.f2(Alu::FSub, v[2], x), self.f2(Alu::FSub, v[1], x));
                let q = self.f2(Alu::FDiv, d, range);
                let t = self.f1(Alu::FSat, q);
                let (m2, three) = (self.fc(w, -2.0), self.fc(w, 3.0));
                let k = self.fma(t, m2, three);
                let s = self.f2(Alu::FMul, t, t);
                self.f2(Alu::FMul, s, k)
            }
            GLOp::Ldexp => {
                let n = match self.b.width(v[1]) {
                    Width::B32 => v[1],
                    Width::B64 => self.saturate_to_i32(v[1]),
                    _ => self.b.alu(Alu::SConvert, Width::B32, &[v[1]]),
                };
                self.apply(i, Alu::FLdexp, w, &[x, n])?
            }
            GLOp::FindILsb | GLOp::FindSMsb | GLOp::FindUMsb => {
                let alu = match op {
                    GLOp::FindILsb => Alu::FindLsb,
                    GLOp::FindSMsb => Alu::FindSMsb,
                    _ => Alu::FindUMsb,
                };
                let n = self.apply(i, alu, Width::B32, &[x])?;
                // Defined for 32 bits, compilers use it at every width; no bit at all is −1.
                match self.types.scalar_width(i.ty) {
                    Some(to) if to != Width::B32 => self.apply(i, Alu::SConvert, to, &[n])?,
                    _ => n,
                }
            }
            _ => return Err(self.unsupported(i, format!("GLSL.std.450 {op:?}"))),
        })
    }
}

/// Functions of several steps, in whose middle f16 would lose too much.
fn by_f32(op: GLOp) -> bool {
    use GLOp::*;
    matches!(
        op,
        Tan | Asin
            | Acos
            | Atan
            | Atan2
            | Sinh
            | Cosh
            | Tanh
            | Asinh
            | Acosh
            | Atanh
            | Pow
            | Exp
            | Log
            | Radians
            | Degrees
            | SmoothStep
    )
}
