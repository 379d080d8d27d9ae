//! Determinants and inverses of square matrices, by expansion.

use super::super::module::Instr;
use super::super::translate::Translator;
use super::GLOp;
use crate::error::Result;
use crate::ir::{Alu, Value, Width};
use std::rc::Rc;

impl Translator<'_> {
    /// Determinant, or inverse, of the matrix of columns `v`.
    pub(super) fn square_matrix(&mut self, i: &Instr<'_>, op: GLOp, v: &[Value]) -> Result<Rc<[Value]>> {
        let w = self.b.width(v[0]);
        let mut out = Vec::new();
        let n = match v.len() {
            4 => 2,
            9 => 3,
            16 => 4,
            _ => return Err(self.malformed(i, "not a square matrix")),
        };
        let all: Vec<usize> = (0..n).collect();
        // Sums of products in whose middle f16 would lose too much.
        let inner = if w == Width::B16 { Width::B32 } else { w };
        let m: Vec<Value> = v.iter().map(|&x| self.float_to(inner, x)).collect();
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
        Ok(out.into())
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
}
