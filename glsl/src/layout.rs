//! Where things are in buffers: the rules std140, std430 and scalar.

use super::syntax::Memory;
use super::types::{Len, Ty};
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    Std140,
    Std430,
    Scalar,
}

/// How a type lies in a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Lay {
    pub rule: Rule,
    /// Matrices by rows.
    pub rows: bool,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: Rc<str>,
    pub ty: Ty,
    pub rows: Option<bool>,
    pub offset: Option<u32>,
    pub align: Option<u32>,
    pub memory: Memory,
}

#[derive(Clone, Debug)]
pub struct Struct {
    pub name: Rc<str>,
    pub fields: Vec<Field>,
    /// Of a block that is pointed to.
    pub align: u32,
    /// How it lies, if it is a block.
    pub lay: Option<Lay>,
    pub memory: Memory,
}

fn up(value: u32, to: u32) -> u32 {
    value.div_ceil(to.max(1)).saturating_mul(to.max(1))
}

impl Lay {
    /// Bytes, and what their address is a multiple of.
    pub fn size(self, structs: &[Struct], ty: &Ty) -> (u32, u32) {
        let vector = |bytes: u32, lanes: u32| match (self.rule, lanes) {
            (Rule::Scalar, _) => (bytes * lanes, bytes),
            (_, 3) => (bytes * 3, bytes * 4),
            _ => (bytes * lanes, bytes * lanes),
        };
        match ty {
            Ty::Scalar(s) => (u32::from(s.bits()) / 8, u32::from(s.bits()) / 8),
            Ty::Vector(s, n) => vector(u32::from(s.bits()) / 8, u32::from(*n)),
            Ty::Matrix(_, c, r) => {
                let (lines, stride) = (if self.rows { *r } else { *c }, self.matrix_stride(ty));
                let align = match self.rule {
                    Rule::Scalar => u32::from(ty.scalar().map_or(32, |s| s.bits())) / 8,
                    _ => stride,
                };
                (stride * u32::from(lines), align)
            }
            Ty::Array(of, len) => {
                let (_, align) = self.size(structs, of);
                let align = if self.rule == Rule::Std140 { up(align, 16) } else { align };
                let length = match len {
                    Len::Fixed(n) | Len::Spec(_, n) => *n,
                    Len::Runtime => 0,
                };
                (self.array_stride(structs, of).saturating_mul(length), align)
            }
            Ty::Struct(n) => {
                let offsets = self.offsets(structs, *n);
                let mut align = if self.rule == Rule::Std140 { 16 } else { 1 };
                let mut end = 0;
                for (field, at) in structs[*n].fields.iter().zip(&offsets) {
                    let (size, own) = self.of(field).size(structs, &field.ty);
                    align = align.max(own);
                    end = end.max(at.saturating_add(size));
                }
                (up(end, align), align)
            }
            Ty::Reference(_) => (8, 8),
            _ => (0, 1),
        }
    }

    /// As `field` lies in what lies so.
    pub fn of(self, field: &Field) -> Lay {
        Lay { rows: field.rows.unwrap_or(self.rows), ..self }
    }

    pub fn array_stride(self, structs: &[Struct], of: &Ty) -> u32 {
        let (size, align) = self.size(structs, of);
        let align = if self.rule == Rule::Std140 { up(align, 16) } else { align };
        up(size, align)
    }

    pub fn matrix_stride(self, ty: &Ty) -> u32 {
        let Ty::Matrix(scalar, columns, rows) = ty else { return 0 };
        let lanes = if self.rows { *columns } else { *rows };
        let bytes = u32::from(scalar.bits()) / 8;
        match (self.rule, lanes) {
            (Rule::Scalar, n) => bytes * u32::from(n),
            (Rule::Std140, n) => up(bytes * if n == 3 { 4 } else { u32::from(n) }, 16),
            (Rule::Std430, 3) => bytes * 4,
            (Rule::Std430, n) => bytes * u32::from(n),
        }
    }

    /// Of the members of a structure.
    pub fn offsets(self, structs: &[Struct], n: usize) -> Vec<u32> {
        let mut at: u32 = 0;
        let mut out = Vec::new();
        for field in &structs[n].fields {
            let (size, align) = self.of(field).size(structs, &field.ty);
            let align = field.align.unwrap_or(1).max(align);
            at = up(field.offset.unwrap_or(at), align);
            out.push(at);
            at = at.saturating_add(size);
        }
        out
    }
}
