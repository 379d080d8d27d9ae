//! Products of vectors and matrices: sums of products of their components.

use super::module::Instr;
use super::translate::Translator;
use super::types::Ty;
use crate::error::Result;
use crate::ir::{Alu, Value, Width};
use spirv::Op;
use std::rc::Rc;

impl Translator<'_> {
    /// The result of an instruction of linear algebra; None if `i` is none.
    pub fn product(&mut self, i: &Instr<'_>) -> Result<Option<Rc<[Value]>>> {
        Ok(Some(match i.op {
            Op::VectorTimesScalar | Op::MatrixTimesScalar => {
                let (v, s) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
                let mut out = Vec::new();
                for &x in &*v {
                    let w = self.b.width(x);
                    out.push(self.apply(i, Alu::FMul, w, &[x, s[0]])?);
                }
                out.into()
            }
            Op::Dot => {
                let (a, b) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
                match i.arg(2) {
                    Some(sum) => [self.mixed_dot(i, &a, &b, sum)?].into(),
                    None => [self.fdot(i, &a, &b)?].into(),
                }
            }
            Op::MatrixTimesVector => {
                let (m, v) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
                let (columns, rows) = self.columns(i, self.type_of(i, self.arg(i, 0)?)?)?;
                self.multiply(i, &m, &v, (rows, columns, 1))?
            }
            Op::VectorTimesMatrix => {
                let (v, m) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
                let (columns, rows) = self.columns(i, self.type_of(i, self.arg(i, 1)?)?)?;
                self.multiply(i, &v, &m, (1, rows, columns))?
            }
            Op::MatrixTimesMatrix => {
                let (a, b) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
                let (inner, rows) = self.columns(i, self.type_of(i, self.arg(i, 0)?)?)?;
                let (columns, _) = self.columns(i, self.type_of(i, self.arg(i, 1)?)?)?;
                self.multiply(i, &a, &b, (rows, inner, columns))?
            }
            Op::OuterProduct => {
                let (a, b) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
                self.multiply(i, &a, &b, (a.len(), 1, b.len()))?
            }
            Op::Transpose => {
                let m = self.operand_flat(i, 0)?;
                let (columns, rows) = self.columns(i, self.type_of(i, self.arg(i, 0)?)?)?;
                (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))).map(|(r, c)| m[c * rows + r]).collect()
            }
            Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
                self.integer_dot(i)?
            }
            _ => return Ok(None),
        }))
    }

    /// Numbers of columns and of rows.
    fn columns(&self, i: &Instr<'_>, ty: u32) -> Result<(usize, usize)> {
        match *self.types.get(ty) {
            Ty::Matrix { column, n } => Ok((n as usize, self.types.count(column) as usize)),
            _ => Err(self.malformed(i, "not a matrix")),
        }
    }

    pub fn fdot(&mut self, i: &Instr<'_>, a: &[Value], b: &[Value]) -> Result<Value> {
        let (Some(&x), true) = (a.first(), a.len() == b.len()) else {
            return Err(self.malformed(i, "vectors of different size"));
        };
        let w = self.b.width(x);
        let mut sum = self.apply(i, Alu::FMul, w, &[a[0], b[0]])?;
        for n in 1..a.len() {
            let p = self.apply(i, Alu::FMul, w, &[a[n], b[n]])?;
            sum = self.apply(i, Alu::FAdd, w, &[sum, p])?;
        }
        Ok(sum)
    }

    /// Column-major product of a (rows × inner) and an (inner × columns) matrix.
    fn multiply(
        &mut self,
        i: &Instr<'_>,
        a: &[Value],
        b: &[Value],
        (rows, inner, columns): (usize, usize, usize),
    ) -> Result<Rc<[Value]>> {
        if a.len() != rows * inner || b.len() != inner * columns {
            return Err(self.malformed(i, "matrix sizes do not fit"));
        }
        let mut out = Vec::new();
        for c in 0..columns {
            for r in 0..rows {
                let row: Vec<Value> = (0..inner).map(|k| a[k * rows + r]).collect();
                out.push(self.fdot(i, &row, &b[c * inner..(c + 1) * inner])?);
            }
        }
        Ok(out.into())
    }

    /// A dot product with accumulator, of vectors of f16: each product is exact in f32, where the sum is made.
    fn mixed_dot(&mut self, i: &Instr<'_>, a: &[Value], b: &[Value], accumulator: u32) -> Result<Value> {
        self.same_length(i, a, b)?;
        let start = self.scalar(i, accumulator)?;
        let to = self.b.width(start);
        let mut sum = self.apply(i, Alu::FConvert, Width::B32, &[start])?;
        for (&x, &y) in a.iter().zip(b) {
            let x = self.apply(i, Alu::FConvert, Width::B32, &[x])?;
            let y = self.apply(i, Alu::FConvert, Width::B32, &[y])?;
            sum = self.apply(i, Alu::FFma, Width::B32, &[x, y, sum])?;
        }
        self.apply(i, Alu::FConvert, to, &[sum])
    }

    /// OpSDot and its kin, of vectors or of 4×8 bits packed in a word.
    fn integer_dot(&mut self, i: &Instr<'_>) -> Result<Rc<[Value]>> {
        let (a, b) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
        let to = self.types.scalar_width(i.ty).ok_or_else(|| self.malformed(i, "the result is no integer"))?;
        let accumulate = matches!(i.op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
        let signed = [
            matches!(i.op, Op::SDot | Op::SUDot | Op::SDotAccSat | Op::SUDotAccSat),
            matches!(i.op, Op::SDot | Op::SDotAccSat),
        ];
        let packed = matches!(self.types.get(self.type_of(i, self.arg(i, 0)?)?), Ty::Int { .. });
        let mut lanes = [Vec::new(), Vec::new()];
        for (n, v) in [&a, &b].into_iter().enumerate() {
            let extend = if signed[n] { Alu::SConvert } else { Alu::UConvert };
            let field = if signed[n] { Alu::SBfe } else { Alu::UBfe };
            for &x in v.iter() {
                if packed {
                    for byte in 0..4 {
                        let (at, eight) = (self.b.u32(8 * byte), self.b.u32(8));
                        let y = self.apply(i, field, Width::B32, &[x, at, eight])?;
                        lanes[n].push(self.apply(i, extend, to, &[y])?);
                    }
                } else {
                    lanes[n].push(self.apply(i, extend, to, &[x])?);
                }
            }
        }
        let mut sum = self.b.constant(to, 0);
        for (&x, &y) in lanes[0].iter().zip(&lanes[1]) {
            let p = self.apply(i, Alu::IMul, to, &[x, y])?;
            sum = self.b.iadd(sum, p);
        }
        if accumulate {
            let acc = self.operand_flat(i, 2)?;
            self.same_length(i, &[sum], &acc)?;
            sum = self.saturating_add(i, signed[0], sum, acc[0])?;
        }
        Ok([sum].into())
    }

    /// x + y, held at the ends of the type.
    fn saturating_add(&mut self, i: &Instr<'_>, signed: bool, x: Value, y: Value) -> Result<Value> {
        let w = self.b.width(x);
        let sum = self.apply(i, Alu::IAdd, w, &[x, y])?;
        if !signed {
            let over = self.b.alu(Alu::ULt, Width::B1, &[sum, x]);
            let most = self.b.constant(w, u64::MAX);
            return Ok(self.b.select(over, most, sum));
        }
        // Operands of one sign and a sum of the other: the end on the operands' side.
        let (a, b) = (self.b.alu(Alu::Xor, w, &[x, sum]), self.b.alu(Alu::Xor, w, &[y, sum]));
        let both = self.b.alu(Alu::And, w, &[a, b]);
        let zero = self.b.constant(w, 0);
        let over = self.b.alu(Alu::SLt, Width::B1, &[both, zero]);
        let n = self.b.u32(w.bits() - 1);
        let sign = self.b.alu(Alu::SShr, w, &[x, n]);
        let most = self.b.constant(w, (1 << (w.bits() - 1)) - 1);
        let end = self.b.alu(Alu::Xor, w, &[sign, most]);
        Ok(self.b.select(over, end, sum))
    }
}
