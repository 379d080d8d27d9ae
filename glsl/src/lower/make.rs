//! What types are called, and what is made by calling them.

use super::{Lower, Symbol, Val};
use crate::Result;
use crate::layout::{Field, Struct};
use crate::syntax::{At, Dims, Expr, ExprKind, Named, Spec};
use crate::types::{Len, Scalar, Ty, UINT, vector};
use spirv::Op;
use std::rc::Rc;

/// Elements of an array of the text, and parts of one value.
const LONGEST: u32 = 1 << 28;
const MOST_PARTS: usize = 1 << 16;

impl Lower<'_> {
    pub(super) fn spec(&mut self, spec: &Spec) -> Result<Ty> {
        self.go(spec.at);
        let ty = match &spec.named {
            Named::Builtin(ty) => ty.clone(),
            Named::User(name) => match self.find(name) {
                Some(Symbol::Struct(n)) => Ty::Struct(*n),
                Some(Symbol::Reference(n)) => Ty::Reference(*n),
                _ if !self.pending.contains_key(name) => {
                    // A block that is announced and comes later.
                    let empty = Struct {
                        name: name.clone(),
                        fields: Vec::new(),
                        align: 16,
                        lay: None,
                        memory: Default::default(),
                    };
                    self.structs.push(empty);
                    self.pending.insert(name.clone(), self.structs.len() - 1);
                    Ty::Reference(self.structs.len() - 1)
                }
                _ => Ty::Reference(self.pending[name]),
            },
            Named::Struct(tree) => {
                let mut fields = Vec::new();
                for member in &tree.members {
                    let ty = self.spec(&member.spec)?;
                    let ty = self.dimensioned(&ty, &member.dims)?;
                    if ty.opaque() {
                        self.go(member.at);
                        return Err(self.refuse(format!("a {} cannot be in a structure", self.type_name(&ty))));
                    }
                    let (name, memory) = (member.name.clone(), member.quals.memory);
                    fields.push(Field { name, ty, rows: None, offset: None, align: None, memory });
                }
                let n = self.structs.len();
                self.structs.push(Struct {
                    name: tree.name.clone(),
                    fields,
                    align: 0,
                    lay: None,
                    memory: Default::default(),
                });
                if !tree.name.is_empty() {
                    self.name(tree.name.clone(), Symbol::Struct(n));
                }
                Ty::Struct(n)
            }
        };
        self.dimensioned(&ty, &spec.dims)
    }

    /// An array of it, with the outermost size first.
    pub(super) fn dimensioned(&mut self, of: &Ty, dims: &Dims) -> Result<Ty> {
        let mut ty = of.clone();
        for dim in dims.iter().rev() {
            let len = match dim {
                None => Len::Runtime,
                Some(e) => {
                    let (n, value) = self.known_int(e)?;
                    let n = u32::try_from(n).ok().filter(|n| (1..=LONGEST).contains(n));
                    let n = n.ok_or_else(|| self.refuse(format!("an array has 1 to {LONGEST} elements")))?;
                    match value.known {
                        super::Known::Spec(_) => Len::Spec(value.id, n),
                        _ => Len::Fixed(n),
                    }
                }
            };
            ty = Ty::Array(Rc::new(ty), len);
        }
        Ok(ty)
    }

    /// `float a[] = …` has as many as it is given.
    pub(super) fn counted(&mut self, ty: Ty, value: Option<&Expr>) -> Result<Ty> {
        let (Ty::Array(of, Len::Runtime), Some(value)) = (&ty, value) else { return Ok(ty) };
        let count = match &value.kind {
            ExprKind::List(list) => list.len(),
            ExprKind::Make(_, list) => list.len(),
            ExprKind::Name(name) => match self.find(name) {
                Some(Symbol::Lvalue(p)) => self.parts(&p.ty).unwrap_or(0),
                Some(Symbol::Val(v)) => self.parts(&v.ty).unwrap_or(0),
                _ => 0,
            },
            _ => 0,
        };
        match u32::try_from(count) {
            Ok(n) if n > 0 => Ok(Ty::Array(of.clone(), Len::Fixed(n))),
            _ => Err(self.refuse("the size of this array is not known")),
        }
    }

    /// `vec3(a, b)`
    pub(super) fn make(&mut self, spec: &Spec, arguments: &[Expr], at: At) -> Result<Val> {
        let ty = self.spec(spec)?;
        if let (Ty::Sampled(_), [image, sampler]) = (&ty, arguments) {
            return self.combined(&ty, image, sampler);
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.expr(argument)?);
        }
        self.go(at);
        let none = || format!("{} is made of something", crate::types::name(&ty));
        match &ty {
            Ty::Array(of, len) => {
                let count = u32::try_from(values.len()).unwrap_or(0);
                let of = of.clone();
                let full = match len {
                    Len::Fixed(n) => *n == count,
                    Len::Runtime => count > 0,
                    Len::Spec(..) => false,
                };
                if !full {
                    return Err(
                        self.refuse(format!("these are {count} elements, not those of a {}", self.type_name(&ty)))
                    );
                }
                let parts = values.iter().map(|v| self.becoming(v, &of)).collect::<Result<Vec<_>>>()?;
                self.composite(&Ty::Array(of, Len::Fixed(count)), &parts)
            }
            Ty::Struct(n) => {
                let fields: Vec<Ty> = self.structs[*n].fields.iter().map(|f| f.ty.clone()).collect();
                if fields.len() != values.len() {
                    return Err(self.refuse(format!(
                        "{} has {} members, not {}",
                        self.type_name(&ty),
                        fields.len(),
                        values.len()
                    )));
                }
                let parts = values.iter().zip(&fields).map(|(v, f)| self.becoming(v, f)).collect::<Result<Vec<_>>>()?;
                self.composite(&ty, &parts)
            }
            Ty::Reference(_) => match &values[..] {
                [value] => self.as_pointer(&ty, value),
                _ => Err(self.refuse("a buffer reference is made of one number of 64 bits")),
            },
            Ty::Scalar(scalar) => match &values[..] {
                [value] if matches!(value.ty, Ty::Reference(_)) => {
                    let number = self.as_number(value)?;
                    self.convert(&number, *scalar)
                }
                [value] => {
                    let mut first = value.clone();
                    while first.ty.scalar().is_some() && first.ty.lanes() != Some(1) {
                        first = self.extract(&first, 0)?;
                    }
                    self.convert(&first, *scalar)
                }
                _ => Err(self.refuse(none())),
            },
            Ty::Vector(scalar, lanes) => self.make_vector(*scalar, *lanes, &values),
            Ty::Matrix(scalar, columns, rows) => self.make_matrix(*scalar, *columns, *rows, &values),
            _ => Err(self.refuse(format!("a {} cannot be made", self.type_name(&ty)))),
        }
    }

    fn as_pointer(&mut self, ty: &Ty, value: &Val) -> Result<Val> {
        match value.ty {
            Ty::Reference(_) => {
                let number = self.as_number(value)?;
                self.value(Op::ConvertUToPtr, ty, &[number.id])
            }
            Ty::Vector(UINT, 2) => {
                let number = self.value(Op::Bitcast, &Ty::Scalar(Scalar::Uint(64)), &[value.id])?;
                self.value(Op::ConvertUToPtr, ty, &[number.id])
            }
            Ty::Scalar(s) if s.is_int() => {
                let number = self.convert(value, Scalar::Uint(64))?;
                self.value(Op::ConvertUToPtr, ty, &[number.id])
            }
            _ => Err(self.refuse("a buffer reference is made of one number of 64 bits")),
        }
    }

    /// All components of the values, at most so many, as that scalar.
    fn flat(&mut self, values: &[Val], scalar: Scalar, most: usize) -> Result<Vec<Val>> {
        let mut out = Vec::new();
        for value in values {
            if out.len() >= most {
                return Err(self.refuse("there are more values than parts"));
            }
            let mut parts = Vec::new();
            match &value.ty {
                Ty::Scalar(_) => parts.push(value.clone()),
                Ty::Vector(_, n) => {
                    for lane in 0..usize::from(*n) {
                        parts.push(self.extract(value, lane)?);
                    }
                }
                Ty::Matrix(_, columns, rows) => {
                    for column in 0..usize::from(*columns) {
                        let column = self.extract(value, column)?;
                        for row in 0..usize::from(*rows) {
                            parts.push(self.extract(&column, row)?);
                        }
                    }
                }
                ty => return Err(self.refuse(format!("no number is made of a {}", self.type_name(ty)))),
            }
            for part in parts {
                if out.len() < most {
                    out.push(self.convert(&part, scalar)?);
                }
            }
            if out.len() > MOST_PARTS {
                return Err(self.refuse("there are too many parts"));
            }
        }
        Ok(out)
    }

    fn make_vector(&mut self, scalar: Scalar, lanes: u8, values: &[Val]) -> Result<Val> {
        let ty = vector(scalar, lanes);
        match values {
            [one] if matches!(one.ty, Ty::Reference(_)) && (scalar, lanes) == (UINT, 2) => {
                let number = self.as_number(one)?;
                return self.value(Op::Bitcast, &ty, &[number.id]);
            }
            [one] if one.ty.lanes() == Some(1) => {
                let one = self.convert(one, scalar)?;
                return self.splat(&one, lanes);
            }
            [one] if one.ty.lanes() == Some(lanes) => return self.convert(one, scalar),
            [one] if one.ty.lanes().is_some_and(|n| n > lanes) => {
                let pick: Vec<u8> = (0..lanes).collect();
                let part = self.picked(one, &pick)?;
                return self.convert(&part, scalar);
            }
            _ => {}
        }
        let parts = self.flat(values, scalar, usize::from(lanes))?;
        if parts.len() != usize::from(lanes) {
            return Err(self.refuse(format!(
                "a {} has {lanes} components, and these are {}",
                self.type_name(&ty),
                parts.len()
            )));
        }
        self.composite(&ty, &parts)
    }

    fn make_matrix(&mut self, scalar: Scalar, columns: u8, rows: u8, values: &[Val]) -> Result<Val> {
        let ty = Ty::Matrix(scalar, columns, rows);
        let (zero, one) = (
            self.konst(&Ty::Scalar(scalar), crate::fold::Konst::Float(0.0))?,
            self.konst(&Ty::Scalar(scalar), crate::fold::Konst::Float(1.0))?,
        );
        let diagonal = match values {
            [v] if v.ty.lanes() == Some(1) => Some(self.convert(v, scalar)?),
            _ => None,
        };
        let from = match values {
            [v] => match v.ty {
                Ty::Matrix(_, c, r) => Some((self.convert(v, scalar)?, c, r)),
                _ => None,
            },
            _ => None,
        };
        let all = match (&diagonal, &from) {
            (None, None) => self.flat(values, scalar, usize::from(columns) * usize::from(rows))?,
            _ => Vec::new(),
        };
        let mut parts = Vec::new();
        for column in 0..columns {
            let mut of = Vec::new();
            for row in 0..rows {
                of.push(match (&diagonal, &from) {
                    (Some(value), _) => {
                        if row == column {
                            value.clone()
                        } else {
                            zero.clone()
                        }
                    }
                    (_, Some((matrix, c, r))) if column < *c && row < *r => {
                        let column = self.extract(matrix, usize::from(column))?;
                        self.extract(&column, usize::from(row))?
                    }
                    (_, Some(_)) => {
                        if row == column {
                            one.clone()
                        } else {
                            zero.clone()
                        }
                    }
                    _ => match all.get(usize::from(column) * usize::from(rows) + usize::from(row)) {
                        Some(value) => value.clone(),
                        None => return Err(self.refuse(format!("a {} has more parts than these", self.type_name(&ty)))),
                    },
                });
            }
            parts.push(self.composite(&Ty::Vector(scalar, rows), &of)?);
        }
        self.composite(&ty, &parts)
    }
}
