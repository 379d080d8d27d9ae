//! Inverse trigonometric functions, by polynomials.

use super::super::translate::Translator;
use crate::ir::{Alu, Value, Width};
use std::f32::consts::{FRAC_PI_2, PI};

impl Translator<'_> {
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

    pub(super) fn atan(&mut self, x: Value) -> Value {
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

    pub(super) fn atan2(&mut self, y: Value, x: Value) -> Value {
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
        let r = self.copy_sign(r, y);
        // Minimum and maximum have lost a NaN; the sum has it.
        let sum = self.f2(Alu::FAdd, ax, ay);
        let lost = self.f2b(Alu::FUnordNe, sum, sum);
        self.b.select(lost, sum, r)
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

    pub(super) fn asin(&mut self, x: Value) -> Value {
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

    pub(super) fn acos(&mut self, x: Value) -> Value {
        let a = self.f1(Alu::FAbs, x);
        let r = self.acos_unit(a);
        let n = self.f1(Alu::FNeg, r);
        let back = self.plus(n, f64::from(PI));
        let zero = self.fc(self.b.width(x), 0.0);
        let negative = self.f2b(Alu::FOrdLt, x, zero);
        self.b.select(negative, back, r)
    }
}
