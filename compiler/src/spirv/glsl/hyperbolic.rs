//! Hyperbolic functions and their inverses: by exponentials and logarithms, and by series near zero, where those cancel.

use super::super::translate::Translator;
use super::GLOp;
use crate::ir::{Alu, Value};

impl Translator<'_> {
    pub(super) fn hyperbolic(&mut self, op: GLOp, x: Value) -> Value {
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
}
