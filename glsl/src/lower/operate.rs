//! Operations on values: conversions, arithmetic, comparisons, parts.

use super::{Known, Lower, Val, is_bool};
use crate::Result;
use crate::fold::{self, Konst};
use crate::types::{INT, Scalar, Ty, UINT, vector};
use spirv::Op;
use std::rc::Rc;

impl Lower<'_> {
    // Parts.

    pub(super) fn extract(&mut self, value: &Val, n: usize) -> Result<Val> {
        let ty = self.part(&value.ty, n)?;
        match &value.known {
            Known::Const(Konst::Parts(parts)) if n < parts.len() => {
                let part = parts[n].clone();
                self.konst(&ty, part)
            }
            Known::Spec(of) if self.constant => {
                let of = match of {
                    Some(Konst::Parts(parts)) => parts.get(n).cloned(),
                    _ => None,
                };
                let id = self.ty(&ty)?;
                let id = self.b.constant(Op::SpecConstantOp, id, &[Op::CompositeExtract as u32, value.id, n as u32]);
                Ok(Val { id, ty, known: Known::Spec(of) })
            }
            _ => self.value(Op::CompositeExtract, &ty, &[value.id, n as u32]),
        }
    }

    /// `v.zyx`
    pub(super) fn picked(&mut self, value: &Val, pick: &[u8]) -> Result<Val> {
        let Some(scalar) = value.ty.scalar() else { return Err(self.refuse("only vectors have components")) };
        if value.ty.lanes() == Some(1) {
            return self.splat(value, pick.len() as u8);
        }
        if let ([one], true) = (pick, true) {
            return self.extract(value, usize::from(*one));
        }
        let ty = vector(scalar, pick.len() as u8);
        if let Known::Const(Konst::Parts(parts)) = &value.known {
            let parts = pick.iter().filter_map(|p| parts.get(usize::from(*p)).cloned()).collect();
            return self.konst(&ty, Konst::Parts(Rc::new(parts)));
        }
        let words: Vec<u32> = [value.id, value.id].into_iter().chain(pick.iter().map(|p| u32::from(*p))).collect();
        self.value(Op::VectorShuffle, &ty, &words)
    }

    /// A vector of equal components.
    pub(super) fn splat(&mut self, value: &Val, lanes: u8) -> Result<Val> {
        if lanes == 1 || value.ty.lanes() != Some(1) {
            return Ok(value.clone());
        }
        let ty = vector(value.ty.scalar().unwrap_or(UINT), lanes);
        self.composite(&ty, &vec![value.clone(); usize::from(lanes)])
    }

    /// A composite of its parts, a constant if they are.
    pub(super) fn composite(&mut self, ty: &Ty, parts: &[Val]) -> Result<Val> {
        let ids: Vec<u32> = parts.iter().map(|p| p.id).collect();
        let known = |p: &Val| match &p.known {
            Known::Const(k) | Known::Spec(Some(k)) => Some(k.clone()),
            _ => None,
        };
        let constants: Option<Vec<Konst>> = parts.iter().map(known).collect();
        let spec = parts.iter().any(|p| matches!(p.known, Known::Spec(_)));
        let all = parts.iter().all(|p| !matches!(p.known, Known::No));
        match constants {
            Some(parts) if !spec => self.konst(ty, Konst::Parts(Rc::new(parts))),
            constants if spec && all => {
                let id = self.ty(ty)?;
                let id = self.b.constant(Op::SpecConstantComposite, id, &ids);
                let known = Known::Spec(constants.map(|c| Konst::Parts(Rc::new(c))));
                Ok(Val { id, ty: ty.clone(), known })
            }
            _ => self.value(Op::CompositeConstruct, ty, &ids),
        }
    }

    // Conversions.

    /// The value as one of that scalar, of the same shape.
    pub(super) fn convert(&mut self, value: &Val, to: Scalar) -> Result<Val> {
        let Some(from) = value.ty.scalar() else {
            return Err(self.refuse(format!("{} is no number", self.type_name(&value.ty))));
        };
        if from == to {
            return Ok(value.clone());
        }
        let ty = value.ty.of(to);
        if let Known::Const(konst) = &value.known
            && let Some(made) = fold::convert(konst, to)
        {
            return self.konst(&ty, made);
        }
        if let Ty::Matrix(_, columns, _) = value.ty {
            let mut parts = Vec::new();
            for n in 0..usize::from(columns) {
                let part = self.extract(value, n)?;
                parts.push(self.convert(&part, to)?);
            }
            return self.composite(&ty, &parts);
        }
        let default = match &value.known {
            Known::Spec(Some(konst)) => fold::convert(konst, to),
            _ => None,
        };
        use Scalar::{Bool, Float, Int, Uint};
        Ok(match (from, to) {
            (Bool, _) => {
                let (one, zero) = (self.splat_int(&ty, 1)?, self.splat_int(&ty, 0)?);
                self.made(Op::Select, &ty, &[value], &[one, zero], default)?
            }
            (Int(_) | Uint(_), Bool) => {
                let zero = self.splat_int(&value.ty, 0)?;
                self.made(Op::INotEqual, &ty, &[value], &[zero], default)?
            }
            (Float(_), Bool) => {
                let zero = self.splat_int(&value.ty, 0)?;
                self.value(Op::FUnordNotEqual, &ty, &[value.id, zero])?
            }
            (Float(_), Float(_)) => self.made(Op::FConvert, &ty, &[value], &[], None)?,
            (Float(_), Int(_)) => self.value(Op::ConvertFToS, &ty, &[value.id])?,
            (Float(_), Uint(_)) => self.value(Op::ConvertFToU, &ty, &[value.id])?,
            (Int(_), Float(_)) => self.value(Op::ConvertSToF, &ty, &[value.id])?,
            (Uint(_), Float(_)) => self.value(Op::ConvertUToF, &ty, &[value.id])?,
            (Int(a) | Uint(a), Int(b) | Uint(b)) => {
                let signed = matches!(from, Int(_));
                let width = if signed { Int(b) } else { Uint(b) };
                let (op, middle) = (if signed { Op::SConvert } else { Op::UConvert }, value.ty.of(width));
                let wide = match a == b {
                    true => value.clone(),
                    false => {
                        let default = default.clone().and_then(|d| fold::convert(&d, width));
                        self.made(op, &middle, &[value], &[], default)?
                    }
                };
                match (width == to, self.constant && matches!(wide.known, Known::Spec(_))) {
                    (true, _) => wide,
                    // Specialization constants know no Bitcast.
                    (false, true) => {
                        let zero = self.splat_int(&wide.ty, 0)?;
                        self.made(Op::IAdd, &ty, &[&wide], &[zero], default)?
                    }
                    (false, false) => self.value(Op::Bitcast, &ty, &[wide.id])?,
                }
            }
        })
    }

    /// An operation on values, and on other constants: on specialization constants one of these, where constants are wanted.
    fn made(&mut self, op: Op, ty: &Ty, values: &[&Val], more: &[u32], default: Option<Konst>) -> Result<Val> {
        let ids: Vec<u32> = values.iter().map(|v| v.id).chain(more.iter().copied()).collect();
        let constant = self.constant
            && values.iter().all(|v| !matches!(v.known, Known::No))
            && values.iter().any(|v| matches!(v.known, Known::Spec(_)));
        if !constant {
            return self.value(op, ty, &ids);
        }
        let id = self.ty(ty)?;
        let id = self.b.constant(Op::SpecConstantOp, id, &[&[op as u32], &ids[..]].concat());
        Ok(Val { id, ty: ty.clone(), known: Known::Spec(default) })
    }

    /// The value as one of that type, if it becomes one by itself.
    pub(super) fn becoming(&mut self, value: &Val, ty: &Ty) -> Result<Val> {
        if value.ty == *ty {
            return Ok(value.clone());
        }
        if let (Some(from), Some(to)) = (value.ty.scalar(), ty.scalar())
            && value.ty.of(to) == *ty
            && from.becomes(to)
        {
            return self.convert(value, to);
        }
        Err(self.refuse(format!("a {} is wanted, and this is a {}", self.type_name(ty), self.type_name(&value.ty))))
    }

    /// Both of one scalar type.
    pub(super) fn alike(&mut self, a: &Val, b: &Val) -> Result<(Val, Val, Scalar)> {
        let common = match (a.ty.scalar(), b.ty.scalar()) {
            (Some(a), Some(b)) => a.common(b),
            _ => None,
        };
        let common = common.ok_or_else(|| {
            self.refuse(format!("a {} and a {} do not go together", self.type_name(&a.ty), self.type_name(&b.ty)))
        })?;
        Ok((self.convert(a, common)?, self.convert(b, common)?, common))
    }

    // Arithmetic.

    pub(super) fn unary(&mut self, op: &str, value: &Val) -> Result<Val> {
        let Some(scalar) = value.ty.scalar() else { return Err(self.refuse(format!("`{op}` wants a number"))) };
        let fits = match op {
            "!" => value.ty == Ty::Scalar(Scalar::Bool),
            "~" => scalar.is_int(),
            _ => scalar != Scalar::Bool,
        };
        if !fits {
            return Err(self.refuse(format!("there is no `{op}` of a {}", self.type_name(&value.ty))));
        }
        if op == "+" {
            return Ok(value.clone());
        }
        if let Known::Const(konst) = &value.known
            && let Some(made) = fold::unary(op, scalar, konst)
        {
            return self.konst(&value.ty.clone(), made);
        }
        let instr = match (op, scalar) {
            ("!", _) => Op::LogicalNot,
            ("~", _) => Op::Not,
            (_, Scalar::Float(_)) => Op::FNegate,
            _ => Op::SNegate,
        };
        if let Ty::Matrix(_, columns, _) = value.ty {
            let mut parts = Vec::new();
            for n in 0..usize::from(columns) {
                let part = self.extract(value, n)?;
                parts.push(self.unary(op, &part)?);
            }
            return self.composite(&value.ty, &parts);
        }
        let default = match &value.known {
            Known::Spec(Some(konst)) => fold::unary(op, scalar, konst),
            _ => None,
        };
        self.made(instr, &value.ty, &[value], &[], default)
    }

    pub(super) fn binary(&mut self, op: &str, a: &Val, b: &Val) -> Result<Val> {
        match op {
            "==" | "!=" => return self.equal(op, a, b),
            "&&" | "||" | "^^" => return self.logical(op, a, b),
            "+" | "-" if matches!(a.ty, Ty::Reference(_)) => return self.stepped(op, a, b),
            _ => {}
        }
        let (Some(left), Some(right)) = (a.ty.scalar(), b.ty.scalar()) else {
            return Err(self.unfit(op, a, b));
        };
        let shift = matches!(op, "<<" | ">>");
        let (a, b, scalar) = match shift {
            true => (a.clone(), b.clone(), left),
            false => self.alike(a, b).map_err(|_| self.unfit(op, a, b))?,
        };
        let whole = matches!(op, "%" | "&" | "|" | "^" | "<<" | ">>");
        if scalar == Scalar::Bool || whole && !(scalar.is_int() && (!shift || right.is_int())) {
            return Err(self.unfit(op, &a, &b));
        }
        if matches!(a.ty, Ty::Matrix(..)) || matches!(b.ty, Ty::Matrix(..)) {
            return self.matrices(op, &a, &b);
        }
        let lanes = a.ty.lanes().unwrap_or(1).max(b.ty.lanes().unwrap_or(1));
        let compares = matches!(op, "<" | ">" | "<=" | ">=");
        if compares && lanes > 1 || [&a, &b].iter().any(|v| ![1, lanes].contains(&v.ty.lanes().unwrap_or(0))) {
            return Err(self.unfit(op, &a, &b));
        }
        if shift && a.ty.lanes() < b.ty.lanes() {
            return Err(self.unfit(op, &a, &b));
        }
        if op == "*"
            && scalar.is_float()
            && a.ty.lanes() != b.ty.lanes()
            && !matches!((&a.known, &b.known), (Known::Const(_), Known::Const(_)))
        {
            let (vector, one) = if lanes == a.ty.lanes().unwrap_or(1) { (&a, &b) } else { (&b, &a) };
            return self.value(Op::VectorTimesScalar, &vector.ty.clone(), &[vector.id, one.id]);
        }
        let (a, b) = (self.splat(&a, lanes)?, self.splat(&b, lanes)?);
        let ty = if compares { Ty::Scalar(Scalar::Bool) } else { a.ty.clone() };
        self.on_known(op, scalar, &ty, &a, &b)
    }

    /// An operation on two of one type: folded, if both are known.
    fn on_known(&mut self, op: &str, scalar: Scalar, ty: &Ty, a: &Val, b: &Val) -> Result<Val> {
        if let (Known::Const(x), Known::Const(y)) = (&a.known, &b.known)
            && let Some(made) = fold::binary(op, scalar, x, y)
        {
            return self.konst(ty, made);
        }
        let default = |v: &Val| match &v.known {
            Known::Const(k) | Known::Spec(Some(k)) => Some(k.clone()),
            _ => None,
        };
        let default = default(a).zip(default(b)).and_then(|(x, y)| fold::binary(op, scalar, &x, &y));
        self.made(instruction(op, scalar), ty, &[a, b], &[], default)
    }

    fn unfit(&self, op: &str, a: &Val, b: &Val) -> super::Refusal {
        self.refuse(format!("there is no `{op}` of a {} and a {}", self.type_name(&a.ty), self.type_name(&b.ty)))
    }

    fn logical(&mut self, op: &str, a: &Val, b: &Val) -> Result<Val> {
        let flag = Ty::Scalar(Scalar::Bool);
        if a.ty != flag || b.ty != flag {
            return Err(self.unfit(op, a, b));
        }
        self.on_known(op, Scalar::Bool, &flag, a, b)
    }

    fn matrices(&mut self, op: &str, a: &Val, b: &Val) -> Result<Val> {
        let unfit = self.unfit(op, a, b);
        if op == "*" {
            let (instr, ty) = match (&a.ty, &b.ty) {
                (Ty::Matrix(s, k, r), Ty::Matrix(_, c, k2)) if k == k2 => {
                    (Op::MatrixTimesMatrix, Ty::Matrix(*s, *c, *r))
                }
                (Ty::Matrix(s, k, r), Ty::Vector(_, n)) if k == n => (Op::MatrixTimesVector, Ty::Vector(*s, *r)),
                (Ty::Vector(s, n), Ty::Matrix(_, c, r)) if n == r => (Op::VectorTimesMatrix, Ty::Vector(*s, *c)),
                (Ty::Matrix(..), Ty::Scalar(_)) => (Op::MatrixTimesScalar, a.ty.clone()),
                (Ty::Scalar(_), Ty::Matrix(..)) => {
                    return self.value(Op::MatrixTimesScalar, &b.ty.clone(), &[b.id, a.id]);
                }
                _ => return Err(unfit),
            };
            return self.value(instr, &ty, &[a.id, b.id]);
        }
        if !matches!(op, "+" | "-" | "/") {
            return Err(unfit);
        }
        let (ty, columns) = match (&a.ty, &b.ty) {
            (Ty::Matrix(_, c, _), other) if *other == a.ty || matches!(other, Ty::Scalar(_)) => (a.ty.clone(), *c),
            (Ty::Scalar(_), Ty::Matrix(_, c, _)) => (b.ty.clone(), *c),
            _ => return Err(unfit),
        };
        let mut parts = Vec::new();
        for n in 0..usize::from(columns) {
            let of = |l: &mut Self, v: &Val| if v.ty.lanes() == Some(1) { Ok(v.clone()) } else { l.extract(v, n) };
            let (x, y) = (of(self, a)?, of(self, b)?);
            parts.push(self.binary(op, &x, &y)?);
        }
        self.composite(&ty, &parts)
    }

    /// Whole values, of any type.
    fn equal(&mut self, op: &str, a: &Val, b: &Val) -> Result<Val> {
        let flag = Ty::Scalar(Scalar::Bool);
        let (a, b) = if a.ty == b.ty { (a.clone(), b.clone()) } else { self.alike(a, b).map(|(a, b, _)| (a, b))? };
        if a.ty != b.ty {
            return Err(self.unfit(op, &a, &b));
        }
        match &a.ty {
            Ty::Scalar(scalar) => self.on_known(op, *scalar, &flag, &a, &b),
            Ty::Vector(scalar, lanes) => {
                let each = self.value(instruction(op, *scalar), &vector(Scalar::Bool, *lanes), &[a.id, b.id])?;
                self.value(if op == "==" { Op::All } else { Op::Any }, &flag, &[each.id])
            }
            Ty::Reference(_) => {
                let (a, b) = (self.as_number(&a)?, self.as_number(&b)?);
                self.equal(op, &a, &b)
            }
            ty => {
                let count = self.parts(ty).ok_or_else(|| self.unfit(op, &a, &b))?;
                let mut all: Option<Val> = None;
                for n in 0..count {
                    let (x, y) = (self.extract(&a, n)?, self.extract(&b, n)?);
                    let one = self.equal(op, &x, &y)?;
                    all = Some(match all {
                        None => one,
                        Some(all) => self.logical(if op == "==" { "&&" } else { "||" }, &all, &one)?,
                    });
                }
                all.ok_or_else(|| self.unfit(op, &a, &b))
            }
        }
    }

    /// Each component by itself; both are of one type.
    pub(super) fn compare(&mut self, op: &str, a: &Val, b: &Val) -> Result<Val> {
        let (a, b, scalar) = self.alike(a, b)?;
        let ty = a.ty.of(Scalar::Bool);
        if a.ty != b.ty || a.ty.lanes().is_none() {
            return Err(self.unfit(op, &a, &b));
        }
        self.value(instruction(op, scalar), &ty, &[a.id, b.id])
    }

    // Pointers to buffers.

    /// A pointer as a number of 64 bits.
    pub(super) fn as_number(&mut self, value: &Val) -> Result<Val> {
        self.value(Op::ConvertPtrToU, &Ty::Scalar(Scalar::Uint(64)), &[value.id])
    }

    /// So many blocks further.
    pub(super) fn stepped(&mut self, op: &str, pointer: &Val, by: &Val) -> Result<Val> {
        let Ty::Reference(n) = pointer.ty else { return Err(self.unfit(op, pointer, by)) };
        let lay = self.structs[n].lay.ok_or_else(|| self.refuse("what it points to is not known yet"))?;
        let (size, _) = lay.size(&self.structs, &Ty::Struct(n));
        let stride = size.div_ceil(self.structs[n].align.max(1)) * self.structs[n].align.max(1);
        let wide = self.convert(by, Scalar::Int(64))?;
        let stride = self.konst(&Ty::Scalar(Scalar::Int(64)), Konst::Int(i128::from(stride)))?;
        let bytes = self.binary("*", &wide, &stride)?;
        let bytes = self.convert(&bytes, Scalar::Uint(64))?;
        let number = self.as_number(pointer)?;
        let sum = self.binary(op, &number, &bytes)?;
        self.value(Op::ConvertUToPtr, &pointer.ty.clone(), &[sum.id])
    }

    /// An index as a number of 32 bits, or the refusal of what is none.
    pub(super) fn index(&mut self, value: &Val) -> Result<Val> {
        match value.ty {
            Ty::Scalar(s) if s.is_int() && s.bits() == 32 => Ok(value.clone()),
            Ty::Scalar(s) if s.is_int() => Ok(value.clone()),
            Ty::Scalar(Scalar::Bool) | Ty::Scalar(_) => self.becoming(value, &Ty::Scalar(INT)),
            _ => Err(self.refuse(format!("a {} is no index", self.type_name(&value.ty)))),
        }
    }
}

fn instruction(op: &str, scalar: Scalar) -> Op {
    let by = |float: Op, signed: Op, unsigned: Op| match scalar {
        Scalar::Float(_) => float,
        Scalar::Int(_) => signed,
        _ => unsigned,
    };
    match op {
        "+" => by(Op::FAdd, Op::IAdd, Op::IAdd),
        "-" => by(Op::FSub, Op::ISub, Op::ISub),
        "*" => by(Op::FMul, Op::IMul, Op::IMul),
        "/" => by(Op::FDiv, Op::SDiv, Op::UDiv),
        "%" => by(Op::FMod, Op::SMod, Op::UMod),
        "<" => by(Op::FOrdLessThan, Op::SLessThan, Op::ULessThan),
        ">" => by(Op::FOrdGreaterThan, Op::SGreaterThan, Op::UGreaterThan),
        "<=" => by(Op::FOrdLessThanEqual, Op::SLessThanEqual, Op::ULessThanEqual),
        ">=" => by(Op::FOrdGreaterThanEqual, Op::SGreaterThanEqual, Op::UGreaterThanEqual),
        "==" if scalar == Scalar::Bool => Op::LogicalEqual,
        "==" => by(Op::FOrdEqual, Op::IEqual, Op::IEqual),
        "!=" | "^^" if scalar == Scalar::Bool => Op::LogicalNotEqual,
        "!=" => by(Op::FUnordNotEqual, Op::INotEqual, Op::INotEqual),
        "<<" => Op::ShiftLeftLogical,
        ">>" => by(Op::ShiftRightLogical, Op::ShiftRightArithmetic, Op::ShiftRightLogical),
        "&" => Op::BitwiseAnd,
        "|" => Op::BitwiseOr,
        "^" => Op::BitwiseXor,
        "&&" => Op::LogicalAnd,
        _ => Op::LogicalOr,
    }
}

/// Whether a value is the constant `true` or `false`.
pub(super) fn flag(value: &Val) -> Option<bool> {
    match value.known {
        Known::Const(Konst::Bool(b)) if is_bool(&value.ty) => Some(b),
        _ => None,
    }
}
