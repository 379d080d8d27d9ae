//! Functions of whole vectors: lengths, products, reflection and refraction.

use super::super::module::Instr;
use super::super::translate::Translator;
use super::GLOp;
use crate::error::Result;
use crate::ir::{Alu, Value};
use std::rc::Rc;

impl Translator<'_> {
    /// The result of a function of whole vectors; None if `op` is none.
    pub(super) fn geometry(&mut self, i: &Instr<'_>, op: GLOp, v: &[Rc<[Value]>]) -> Result<Option<Vec<Value>>> {
        let w = self.b.width(v[0][0]);
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
                    return Ok(Some(vec![self.f1(Alu::FAbs, d[0])]));
                }
                let s = self.fdot(i, &d, &d)?;
                if op != GLOp::Normalize {
                    return Ok(Some(vec![self.f1(Alu::FSqrt, s)]));
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
            _ => return Ok(None),
        }
        Ok(Some(out))
    }
}
