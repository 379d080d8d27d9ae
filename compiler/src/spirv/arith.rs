//! Arithmetic, conversions, composites: everything that is a function of its operands.

use super::module::{ExtSet, Instr};
use super::translate::{Operand, Translator};
use super::types::Ty;
use crate::error::Result;
use crate::ir::{Alu, Value, Width};
use spirv::Op;
use std::rc::Rc;

/// The operation that works on each component alone, with operands in order.
fn componentwise(op: Op) -> Option<Alu> {
    Some(match op {
        Op::IAdd => Alu::IAdd,
        Op::ISub => Alu::ISub,
        Op::IMul => Alu::IMul,
        Op::UDiv => Alu::UDiv,
        Op::SDiv => Alu::SDiv,
        Op::UMod => Alu::UMod,
        Op::SRem => Alu::SRem,
        Op::SMod => Alu::SMod,
        Op::SNegate => Alu::INeg,
        Op::FAdd => Alu::FAdd,
        Op::FSub => Alu::FSub,
        Op::FMul => Alu::FMul,
        Op::FDiv => Alu::FDiv,
        Op::FRem => Alu::FRem,
        Op::FMod => Alu::FMod,
        Op::FNegate => Alu::FNeg,
        Op::BitwiseAnd | Op::LogicalAnd => Alu::And,
        Op::BitwiseOr | Op::LogicalOr => Alu::Or,
        Op::BitwiseXor => Alu::Xor,
        Op::Not | Op::LogicalNot => Alu::Not,
        Op::BitReverse => Alu::BitReverse,
        Op::IEqual | Op::LogicalEqual => Alu::IEq,
        Op::INotEqual | Op::LogicalNotEqual => Alu::INe,
        Op::ULessThan => Alu::ULt,
        Op::ULessThanEqual => Alu::ULe,
        Op::SLessThan => Alu::SLt,
        Op::SLessThanEqual => Alu::SLe,
        Op::FOrdEqual => Alu::FOrdEq,
        Op::FOrdNotEqual => Alu::FOrdNe,
        Op::FOrdLessThan => Alu::FOrdLt,
        Op::FOrdLessThanEqual => Alu::FOrdLe,
        Op::FOrdGreaterThan => Alu::FOrdGt,
        Op::FOrdGreaterThanEqual => Alu::FOrdGe,
        Op::FUnordEqual => Alu::FUnordEq,
        Op::FUnordNotEqual => Alu::FUnordNe,
        Op::FUnordLessThan => Alu::FUnordLt,
        Op::FUnordLessThanEqual => Alu::FUnordLe,
        Op::FUnordGreaterThan => Alu::FUnordGt,
        Op::FUnordGreaterThanEqual => Alu::FUnordGe,
        Op::IsNan => Alu::FIsNan,
        Op::IsInf => Alu::FIsInf,
        Op::ConvertFToU => Alu::FToU,
        Op::ConvertFToS => Alu::FToS,
        Op::ConvertSToF => Alu::SToF,
        Op::ConvertUToF => Alu::UToF,
        Op::UConvert => Alu::UConvert,
        Op::SConvert => Alu::SConvert,
        Op::FConvert => Alu::FConvert,
        _ => return None,
    })
}

impl Translator<'_> {
    fn columns(&self, i: &Instr<'_>, ty: u32) -> Result<(usize, usize)> {
        match *self.types.get(ty) {
            Ty::Matrix { column, n } => Ok((n as usize, self.types.count(column) as usize)),
            _ => Err(self.malformed(i, "not a matrix")),
        }
    }

    /// The i-th operand's scalars.
    pub fn operand_flat(&mut self, i: &Instr<'_>, n: usize) -> Result<Rc<[Value]>> {
        let id = self.arg(i, n)?;
        self.flat(i, id)
    }

    /// The checked application of `alu`: widths that do not fit are the module's fault, not ours.
    pub fn apply(&mut self, i: &Instr<'_>, alu: Alu, width: Width, args: &[Value]) -> Result<Value> {
        let widths: Vec<Width> = args.iter().map(|&v| self.b.width(v)).collect();
        if crate::ir::validate::alu(alu, &widths, &[width]).is_err() {
            return Err(self.malformed(i, format!("operand types do not fit ({widths:?} to {width:?})")));
        }
        Ok(self.b.alu(alu, width, args))
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

    /// The value of a pure instruction; None if `i` is none of them.
    pub fn value(&mut self, i: &Instr<'_>) -> Result<Option<Operand>> {
        if matches!(self.types.get(i.ty), Ty::Opaque) {
            return Err(self.unsupported(i, "a value of an image, sampler, cooperative matrix or other opaque type"));
        }
        let width = self.types.scalar_width(i.ty);
        let need_width = |t: &Self| width.ok_or_else(|| t.malformed(i, "the result is no scalar or vector"));
        if let Some(alu) = componentwise(i.op) {
            let w = need_width(self)?;
            let mut operands = Vec::new();
            for n in 0..alu.arity() {
                operands.push(self.operand_flat(i, n)?);
            }
            let len = self.types.count(i.ty) as usize;
            if operands.iter().any(|o| o.len() != len) {
                return Err(self.malformed(i, "operands and result have different numbers of components"));
            }
            let alu = match operands.first().and_then(|o| o.first()) {
                Some(&v) if alu == Alu::FConvert => self.rounded_conversion(i, self.b.width(v), w)?,
                _ => alu,
            };
            let mut out = Vec::with_capacity(len);
            for c in 0..len {
                let args: Vec<Value> = operands.iter().map(|o| o[c]).collect();
                out.push(self.apply(i, alu, w, &args)?);
            }
            return Ok(Some(Operand::Flat(out.into())));
        }
        let flat: Rc<[Value]> = match i.op {
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
                let alu = match i.op {
                    Op::ShiftLeftLogical => Alu::Shl,
                    Op::ShiftRightLogical => Alu::UShr,
                    _ => Alu::SShr,
                };
                let (w, a, n) = (need_width(self)?, self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
                self.same_length(i, &a, &n)?;
                let mut out = Vec::new();
                for (&a, &n) in a.iter().zip(&*n) {
                    let n = self.b.to_u32(n);
                    out.push(self.apply(i, alu, w, &[a, n])?);
                }
                out.into()
            }
            Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract => {
                let w = need_width(self)?;
                let (alu, vectors) = match i.op {
                    Op::BitFieldInsert => (Alu::Bfi, 2),
                    Op::BitFieldSExtract => (Alu::SBfe, 1),
                    _ => (Alu::UBfe, 1),
                };
                let mut operands = Vec::new();
                for n in 0..vectors {
                    operands.push(self.operand_flat(i, n)?);
                }
                let (offset, count) = (self.arg(i, vectors)?, self.arg(i, vectors + 1)?);
                let (offset, count) = (self.scalar(i, offset)?, self.scalar(i, count)?);
                let (offset, count) = (self.b.to_u32(offset), self.b.to_u32(count));
                let mut out = Vec::new();
                for c in 0..operands[0].len() {
                    let mut args: Vec<Value> = operands.iter().filter_map(|o| o.get(c)).copied().collect();
                    args.extend([offset, count]);
                    out.push(self.apply(i, alu, w, &args)?);
                }
                out.into()
            }
            Op::BitCount => {
                let (w, a) = (need_width(self)?, self.operand_flat(i, 0)?);
                let mut out = Vec::new();
                for &a in &*a {
                    let n = self.apply(i, Alu::BitCount, Width::B32, &[a])?;
                    out.push(self.b.alu(Alu::UConvert, w, &[n]));
                }
                out.into()
            }
            // Ordered: neither is NaN; x == x says that of one.
            Op::Ordered | Op::Unordered | Op::LessOrGreater => {
                let (a, b) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
                self.same_length(i, &a, &b)?;
                let mut out = Vec::new();
                for (&a, &b) in a.iter().zip(&*b) {
                    if i.op == Op::LessOrGreater {
                        out.push(self.apply(i, Alu::FOrdNe, Width::B1, &[a, b])?);
                        continue;
                    }
                    let x = self.apply(i, Alu::FIsNan, Width::B1, &[a])?;
                    let y = self.apply(i, Alu::FIsNan, Width::B1, &[b])?;
                    let any = self.b.alu(Alu::Or, Width::B1, &[x, y]);
                    out.push(if i.op == Op::Ordered { self.b.alu(Alu::Not, Width::B1, &[any]) } else { any });
                }
                out.into()
            }
            // The operands are exchanged: IR has the less-than forms only.
            Op::UGreaterThan | Op::UGreaterThanEqual | Op::SGreaterThan | Op::SGreaterThanEqual => {
                let alu = match i.op {
                    Op::UGreaterThan => Alu::ULt,
                    Op::UGreaterThanEqual => Alu::ULe,
                    Op::SGreaterThan => Alu::SLt,
                    _ => Alu::SLe,
                };
                let (a, b) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
                self.same_length(i, &a, &b)?;
                let mut out = Vec::new();
                for (&a, &b) in a.iter().zip(&*b) {
                    out.push(self.apply(i, alu, Width::B1, &[b, a])?);
                }
                out.into()
            }
            Op::Select => {
                let (c, a, b) = (self.operand_flat(i, 0)?, self.arg(i, 1)?, self.arg(i, 2)?);
                let (x, y) = (self.operand(i, a)?, self.operand(i, b)?);
                if let (Operand::Pointer(p), Operand::Pointer(q)) = (&x, &y)
                    && let Some(p) = self.select_pointer(i, c[0], p, q)?
                {
                    return Ok(Some(Operand::Pointer(p)));
                }
                if self.large(i.ty) {
                    return self.select_large(i, c[0], &x, &y).map(Some);
                }
                let (a, b) = (self.flat(i, a)?, self.flat(i, b)?);
                self.same_length(i, &a, &b)?;
                if c.len() != 1 {
                    self.same_length(i, &a, &c)?;
                }
                let mut out = Vec::new();
                for n in 0..a.len() {
                    let w = self.b.width(a[n]);
                    out.push(self.apply(i, Alu::Select, w, &[c[if c.len() == 1 { 0 } else { n }], a[n], b[n]])?);
                }
                out.into()
            }
            Op::Any | Op::All => {
                let v = self.operand_flat(i, 0)?;
                let alu = if i.op == Op::Any { Alu::Or } else { Alu::And };
                let mut x = v[0];
                for &y in &v[1..] {
                    x = self.apply(i, alu, Width::B1, &[x, y])?;
                }
                [x].into()
            }
            Op::QuantizeToF16 => {
                let v = self.operand_flat(i, 0)?;
                let mut out = Vec::new();
                for &x in &*v {
                    let h = self.apply(i, Alu::FConvert, Width::B16, &[x])?;
                    out.push(self.b.alu(Alu::FConvert, Width::B32, &[h]));
                }
                out.into()
            }
            Op::Bitcast => self.bitcast(i)?,
            Op::ConvertPtrToU | Op::ConvertUToPtr => {
                let v = self.operand_flat(i, 0)?;
                let w = need_width(self)?;
                [self.apply(i, Alu::UConvert, w, &[v[0]])?].into()
            }
            Op::CopyObject | Op::CopyLogical | Op::ExpectKHR => {
                let id = self.arg(i, 0)?;
                return Ok(Some(match self.operand(i, id)? {
                    // Still where it was loaded from, in the layout that its own type says.
                    Operand::Stored(p) if p.layout.explicit => Operand::Stored(p),
                    // The same scalars in the same order and, in private memory, at the same places.
                    Operand::Stored(p) => Operand::Stored(super::translate::Pointer { pointee: i.ty, ..p }),
                    other => other,
                }));
            }
            Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => return self.compare_pointers(i).map(Some),
            Op::Undef if self.large(i.ty) => return Ok(Some(Operand::Null)),
            Op::Undef => {
                let widths = self.types.widths(i.ty);
                widths.into_iter().map(|w| self.b.undef(w)).collect()
            }
            Op::CompositeConstruct if self.large(i.ty) => return self.construct(i, i.args).map(Some),
            Op::CompositeConstructReplicateEXT => {
                let parts = vec![self.arg(i, 0)?; self.types.elements(i.ty) as usize];
                if self.large(i.ty) {
                    return self.construct(i, &parts).map(Some);
                }
                let v = self.operand_flat(i, 0)?;
                parts.iter().flat_map(|_| v.iter().copied()).collect()
            }
            Op::CompositeConstruct => {
                let mut out = Vec::new();
                for &part in i.args {
                    out.extend(self.flat(i, part)?.iter());
                }
                out.into()
            }
            Op::CompositeExtract => {
                let whole = self.arg(i, 0)?;
                let whole = self.operand(i, whole)?;
                if matches!(whole, Operand::Stored(_) | Operand::Null) {
                    return self.extract(i, &whole, &i.args[1..]).map(Some);
                }
                let (v, ty) = (self.operand_flat(i, 0)?, self.type_of(i, self.arg(i, 0)?)?);
                let (at, ty) = self.path(i, ty, &i.args[1..])?;
                let count = self.types.count(ty) as usize;
                v.get(at..at + count).ok_or_else(|| self.malformed(i, "no such component"))?.into()
            }
            Op::CompositeInsert if self.large(i.ty) => {
                let (part, whole) = (self.arg(i, 0)?, self.arg(i, 1)?);
                let (part, whole) = (self.operand(i, part)?, self.operand(i, whole)?);
                return self.insert(i, &part, &whole, i.args.get(2..).unwrap_or(&[])).map(Some);
            }
            Op::CompositeInsert => {
                let (part, whole, ty) =
                    (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?, self.type_of(i, self.arg(i, 1)?)?);
                let (at, _) = self.path(i, ty, &i.args[2..])?;
                let mut out = whole.to_vec();
                match out.get_mut(at..at + part.len()) {
                    Some(slot) => slot.copy_from_slice(&part),
                    None => return Err(self.malformed(i, "no such component")),
                }
                out.into()
            }
            Op::VectorExtractDynamic => {
                let (v, n) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
                [self.pick(&v, n[0])].into()
            }
            Op::VectorInsertDynamic => {
                let (v, x, n) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?, self.operand_flat(i, 2)?);
                let n = self.b.to_u32(n[0]);
                let mut out = Vec::new();
                for (k, &old) in v.iter().enumerate() {
                    let k = self.b.u32(k as u32);
                    let hit = self.b.alu(Alu::IEq, Width::B1, &[n, k]);
                    let w = self.b.width(old);
                    out.push(self.apply(i, Alu::Select, w, &[hit, x[0], old])?);
                }
                out.into()
            }
            Op::VectorShuffle => {
                let (a, b) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
                let mut out = Vec::new();
                for &n in &i.args[2..] {
                    let n = if n == u32::MAX { 0 } else { n as usize };
                    match a.iter().chain(b.iter()).nth(n) {
                        Some(&v) => out.push(v),
                        None => return Err(self.malformed(i, "no such component")),
                    }
                }
                out.into()
            }
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
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
                let (low, high) = match i.op {
                    Op::IAddCarry => (Alu::IAdd, Alu::UAddCarry),
                    Op::ISubBorrow => (Alu::ISub, Alu::USubBorrow),
                    Op::UMulExtended => (Alu::IMul, Alu::UMulHi),
                    _ => (Alu::IMul, Alu::SMulHi),
                };
                let (a, b) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
                self.same_length(i, &a, &b)?;
                let mut out = Vec::new();
                for alu in [low, high] {
                    for (&a, &b) in a.iter().zip(&*b) {
                        let w = self.b.width(a);
                        out.push(self.apply(i, alu, w, &[a, b])?);
                    }
                }
                out.into()
            }
            Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
                self.integer_dot(i)?
            }
            Op::ExtInst => match self.m.ext_sets.get(&self.arg(i, 0)?) {
                Some(ExtSet::Glsl) => self.glsl(i)?,
                _ => return Err(self.unsupported(i, "this extended instruction set")),
            },
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                return self.access_chain(i).map(|p| Some(Operand::Pointer(p)));
            }
            _ => return Ok(None),
        };
        if flat.len() != self.types.count(i.ty) as usize {
            return Err(self.malformed(i, format!("{} scalars for a result of {}", flat.len(), self.types.count(i.ty))));
        }
        Ok(Some(Operand::Flat(flat)))
    }

    fn same_length(&self, i: &Instr<'_>, a: &[Value], b: &[Value]) -> Result<()> {
        if a.len() == b.len() {
            Ok(())
        } else {
            Err(self.malformed(i, "operands have different numbers of components"))
        }
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

    /// Flat position and type of the component that literal indexes name.
    fn path(&self, i: &Instr<'_>, mut ty: u32, indexes: &[u32]) -> Result<(usize, u32)> {
        let mut at = 0;
        for &n in indexes {
            let Some(elem) = self.types.element(ty, n) else {
                return Err(self.malformed(i, format!("no component {n}")));
            };
            at += self.types.flat_index(ty, n) as usize;
            ty = elem;
        }
        Ok((at, ty))
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

    fn bitcast(&mut self, i: &Instr<'_>) -> Result<Rc<[Value]>> {
        let v = self.operand_flat(i, 0)?;
        let to = self.types.scalar_width(i.ty).ok_or_else(|| self.malformed(i, "the result is no scalar or vector"))?;
        let from = self.b.width(v[0]);
        if from == to {
            return Ok(v);
        }
        if from == Width::B1 || from.is_descriptor() || to == Width::B1 {
            return Err(self.malformed(i, "a boolean has no bits"));
        }
        let mut out = Vec::new();
        if from.bits() > to.bits() {
            for &x in &*v {
                for part in 0..from.bits() / to.bits() {
                    let n = self.b.u32(part * to.bits());
                    out.push(match (from, to, part) {
                        (Width::B64, Width::B32, 0) => self.b.alu(Alu::Lo32, to, &[x]),
                        (Width::B64, Width::B32, _) => self.b.alu(Alu::Hi32, to, &[x]),
                        _ => {
                            let y = self.b.alu(Alu::UShr, from, &[x, n]);
                            self.b.alu(Alu::UConvert, to, &[y])
                        }
                    });
                }
            }
        } else {
            for group in v.chunks((to.bits() / from.bits()) as usize) {
                let mut whole = self.b.constant(to, 0);
                if let (Width::B32, Width::B64, &[lo, hi]) = (from, to, group) {
                    out.push(self.b.alu(Alu::Pack64, to, &[lo, hi]));
                    continue;
                }
                for (part, &x) in group.iter().enumerate() {
                    let n = self.b.u32(part as u32 * from.bits());
                    let wide = self.b.alu(Alu::UConvert, to, &[x]);
                    let placed = self.b.alu(Alu::Shl, to, &[wide, n]);
                    whole = self.b.alu(Alu::Or, to, &[whole, placed]);
                }
                out.push(whole);
            }
        }
        Ok(out.into())
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
