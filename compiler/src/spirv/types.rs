//! Types, and where the scalars of a type lie in memory: explicit layouts (Offset, ArrayStride, MatrixStride, RowMajor) for
//! blocks, a natural one for shared and private variables.

use super::image_type::{ImageTy, image_type};
use super::module::{Instr, Module};
use crate::error::Result;
use crate::ir::Width;
use spirv::{Decoration, Op, StorageClass};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct MatrixLayout {
    pub stride: u32,
    pub row_major: bool,
}

#[derive(Clone, Debug)]
pub struct Member {
    pub ty: u32,
    pub offset: Option<u32>,
    pub matrix: Option<MatrixLayout>,
    pub readonly: bool,
    pub coherent: bool,
    pub volatile: bool,
    /// Offset in the natural layout; None beyond 32 bits.
    natural: Option<u32>,
    /// Number of its first scalar in a value of the structure; saturates.
    first: u32,
}

#[derive(Clone, Debug)]
pub enum Ty {
    Void,
    Bool,
    Int {
        width: Width,
        signed: bool,
    },
    Float(Width),
    Vector {
        elem: u32,
        n: u32,
    },
    /// Columns of type `column`.
    Matrix {
        column: u32,
        n: u32,
    },
    Array {
        elem: u32,
        n: u32,
        stride: Option<u32>,
    },
    RuntimeArray {
        elem: u32,
        stride: Option<u32>,
    },
    Struct(Rc<[Member]>),
    Pointer {
        class: StorageClass,
        pointee: u32,
    },
    Function,
    Image(ImageTy),
    Sampler,
    /// An image of this type and a sampler.
    SampledImage(u32),
    /// Other handles: known to exist, refused where used.
    Opaque,
}

/// One scalar of a type in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    pub offset: u32,
    pub width: Width,
}

/// What decides the places of a type's scalars besides the type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Layout {
    /// By decorations; otherwise natural.
    pub explicit: bool,
    pub matrix: Option<MatrixLayout>,
    /// Bytes between a vector's components, if it is a column of a row-major matrix.
    pub component_stride: Option<u32>,
}

/// More scalars than one composite value may have.
pub const MAX_SCALARS: u32 = 1 << 14;
/// Deepest nesting of structures that SPIR-V's universal limits promise; here of arrays, too.
const MAX_NESTING: u32 = 255;

/// The type of a dword, and of four: what composites consist of where only their bytes matter. No module has these ids.
pub const WORD: u32 = u32::MAX;
pub const FOUR_WORDS: u32 = u32::MAX - 1;

/// What follows from a type alone: found once, when it is declared, since a type may occur in others any number of times.
#[derive(Clone, Copy)]
struct Facts {
    /// Scalars in a value of the type; saturates.
    count: u32,
    /// Size and alignment in the natural layout; the size saturates.
    natural: (u32, u32),
    /// Composites inside of each other.
    nesting: u32,
}

pub struct Types {
    types: HashMap<u32, Ty>,
    facts: HashMap<u32, Facts>,
    /// Answers of [`Types::extent`] and [`Types::dense`] for composites.
    extents: RefCell<HashMap<(u32, Layout), Option<u32>>>,
    dense: RefCell<HashMap<(u32, Layout), Option<u32>>>,
}

impl Default for Types {
    fn default() -> Types {
        let mut types = Types {
            types: HashMap::new(),
            facts: HashMap::new(),
            extents: RefCell::default(),
            dense: RefCell::default(),
        };
        types.insert(WORD, Ty::Int { width: Width::B32, signed: false }, 1);
        types.insert(FOUR_WORDS, Ty::Vector { elem: WORD, n: 4 }, 4);
        types
    }
}

fn bytes(w: Width) -> u32 {
    match w {
        Width::B1 => 4,
        w => w.bits() / 8,
    }
}

impl Types {
    pub fn get(&self, id: u32) -> &Ty {
        self.types.get(&id).unwrap_or(&Ty::Void)
    }

    pub fn known(&self, id: u32) -> bool {
        self.types.contains_key(&id)
    }

    /// Scalars in a value of type `id`.
    pub fn count(&self, id: u32) -> u32 {
        self.facts.get(&id).map_or(0, |f| f.count)
    }

    /// Enters a type whose parts are known.
    fn insert(&mut self, id: u32, ty: Ty, count: u32) {
        let parts: Vec<u32> = match &ty {
            Ty::Struct(members) => members.iter().map(|m| m.ty).collect(),
            Ty::Array { elem, .. } | Ty::RuntimeArray { elem, .. } | Ty::Matrix { column: elem, .. } => vec![*elem],
            _ => Vec::new(),
        };
        let nesting = |part: &u32| self.facts.get(part).map_or(0, |f| f.nesting + 1);
        let nesting = parts.iter().map(nesting).max().unwrap_or(0);
        let natural = self.natural_of(&ty);
        self.facts.insert(id, Facts { count, natural, nesting });
        self.types.insert(id, ty);
    }

    /// Declares the type of `i`. `length` gives a constant's value, for array lengths.
    pub fn declare(&mut self, m: &Module<'_>, i: &Instr<'_>, length: &dyn Fn(u32) -> Option<u64>) -> Result<()> {
        let arg = |n: usize| i.arg(n).ok_or_else(|| m.malformed(i, "operands missing"));
        let known = |this: &Types, id: u32| {
            if this.known(id) { Ok(id) } else { Err(m.malformed(i, format!("%{id} is not a type declared before"))) }
        };
        let width = |bits: u32| match bits {
            8 => Ok(Width::B8),
            16 => Ok(Width::B16),
            32 => Ok(Width::B32),
            64 => Ok(Width::B64),
            _ => Err(m.unsupported(i, format!("a scalar of {bits} bits"))),
        };
        let stride = m.decoration(i.id, Decoration::ArrayStride).and_then(|a| a.first()).copied();
        let (ty, count) = match i.op {
            Op::TypeVoid => (Ty::Void, 0),
            Op::TypeBool => (Ty::Bool, 1),
            Op::TypeInt => (Ty::Int { width: width(arg(0)?)?, signed: arg(1)? != 0 }, 1),
            Op::TypeFloat => {
                let w = width(arg(0)?)?;
                if i.args.len() > 1 || w == Width::B8 {
                    return Err(m.unsupported(i, "a float encoding other than IEEE 754"));
                }
                (Ty::Float(w), 1)
            }
            Op::TypeVector => {
                let (elem, n) = (known(self, arg(0)?)?, arg(1)?);
                if !(1..=16).contains(&n) || !matches!(self.get(elem), Ty::Bool | Ty::Int { .. } | Ty::Float(_)) {
                    return Err(m.malformed(i, "not a vector of 2 to 16 scalars"));
                }
                (Ty::Vector { elem, n }, n)
            }
            Op::TypeMatrix => {
                let (column, n) = (known(self, arg(0)?)?, arg(1)?);
                if !(2..=4).contains(&n) || !matches!(self.get(column), Ty::Vector { .. }) {
                    return Err(m.malformed(i, "not a matrix of 2 to 4 column vectors"));
                }
                (Ty::Matrix { column, n }, self.count(column) * n)
            }
            Op::TypeArray => {
                let elem = known(self, arg(0)?)?;
                let n = length(arg(1)?).and_then(|n| u32::try_from(n).ok()).filter(|&n| n > 0);
                let Some(n) = n else { return Err(m.malformed(i, "the length is no positive constant")) };
                (Ty::Array { elem, n, stride }, self.count(elem).saturating_mul(n))
            }
            Op::TypeRuntimeArray => (Ty::RuntimeArray { elem: known(self, arg(0)?)?, stride }, 0),
            Op::TypeStruct => {
                let mut members = Vec::new();
                let (mut count, mut end) = (0u32, Some(0u32));
                for (n, &ty) in i.args.iter().enumerate() {
                    // A pointer may point forward; it is declared when its type is.
                    let ty = if self.known(ty) { ty } else { known(self, ty)? };
                    let n = n as u32;
                    let get = |d| m.member_decoration(i.id, n, d);
                    let first = |d| get(d).and_then(|a: &[u32]| a.first()).copied();
                    let (size, align) = self.natural(ty);
                    let natural = end.and_then(|end| end.checked_next_multiple_of(align));
                    members.push(Member {
                        ty,
                        offset: first(Decoration::Offset),
                        matrix: first(Decoration::MatrixStride)
                            .map(|stride| MatrixLayout { stride, row_major: get(Decoration::RowMajor).is_some() }),
                        readonly: get(Decoration::NonWritable).is_some(),
                        coherent: get(Decoration::Coherent).is_some(),
                        volatile: get(Decoration::Volatile).is_some(),
                        natural,
                        first: count,
                    });
                    end = natural.and_then(|at| at.checked_add(size));
                    count = count.saturating_add(self.count(ty));
                }
                (Ty::Struct(members.into()), count)
            }
            Op::TypePointer | Op::TypeForwardPointer => {
                let (class, pointee, id) = match i.op {
                    Op::TypePointer => (arg(0)?, arg(1)?, i.id),
                    _ => (arg(1)?, 0, arg(0)?),
                };
                let class = StorageClass::from_u32(class).ok_or_else(|| m.malformed(i, "no such storage class"))?;
                self.insert(id, Ty::Pointer { class, pointee }, 1);
                return Ok(());
            }
            Op::TypeFunction => (Ty::Function, 0),
            Op::TypeImage => (Ty::Image(image_type(m, i)?), 0),
            Op::TypeSampler => (Ty::Sampler, 0),
            Op::TypeSampledImage => (Ty::SampledImage(known(self, arg(0)?)?), 0),
            _ => (Ty::Opaque, 0),
        };
        if self.known(i.id) {
            return Err(m.malformed(i, format!("%{} is declared twice", i.id)));
        }
        self.insert(i.id, ty, count);
        if self.facts[&i.id].nesting > MAX_NESTING {
            return Err(m.unsupported(i, format!("structures and arrays nested deeper than {MAX_NESTING}")));
        }
        Ok(())
    }

    /// The width of a scalar type, or of a vector's component.
    pub fn scalar_width(&self, id: u32) -> Option<Width> {
        match self.get(id) {
            Ty::Bool => Some(Width::B1),
            Ty::Int { width, .. } | Ty::Float(width) => Some(*width),
            Ty::Vector { elem, .. } => self.scalar_width(*elem),
            Ty::Pointer { .. } => Some(Width::B64),
            _ => None,
        }
    }

    pub fn is_float(&self, id: u32) -> bool {
        match self.get(id) {
            Ty::Float(_) => true,
            Ty::Vector { elem, .. } => self.is_float(*elem),
            _ => false,
        }
    }

    pub fn is_signed(&self, id: u32) -> bool {
        match self.get(id) {
            Ty::Int { signed, .. } => *signed,
            Ty::Vector { elem, .. } => self.is_signed(*elem),
            _ => false,
        }
    }

    /// As [`Types::widths`]; empty if there are more than `most`.
    pub fn widths_within(&self, id: u32, most: u32) -> Vec<Width> {
        if self.count(id) > most { Vec::new() } else { self.widths(id) }
    }

    /// Widths of the scalars of a value of type `id`, in order.
    pub fn widths(&self, id: u32) -> Vec<Width> {
        let mut out = Vec::new();
        self.collect_widths(id, &mut out);
        out
    }

    fn collect_widths(&self, id: u32, out: &mut Vec<Width>) {
        match self.get(id) {
            // However many there are of nothing.
            Ty::Array { .. } | Ty::Struct(_) if self.count(id) == 0 => {}
            Ty::Vector { elem, n } | Ty::Array { elem, n, .. } => (0..*n).for_each(|_| self.collect_widths(*elem, out)),
            Ty::Matrix { column, n } => (0..*n).for_each(|_| self.collect_widths(*column, out)),
            Ty::Struct(members) => members.iter().for_each(|m| self.collect_widths(m.ty, out)),
            _ => out.extend(self.scalar_width(id)),
        }
    }

    /// Element type and count of a type that can be indexed; None for a runtime array's count.
    pub fn element(&self, id: u32, n: u32) -> Option<u32> {
        match self.get(id) {
            Ty::Vector { elem, n: len } | Ty::Array { elem, n: len, .. } => (n < *len).then_some(*elem),
            Ty::Matrix { column, n: len } => (n < *len).then_some(*column),
            Ty::Struct(members) => members.get(n as usize).map(|m| m.ty),
            _ => None,
        }
    }

    /// How many elements a composite has.
    pub fn elements(&self, id: u32) -> u32 {
        match self.get(id) {
            Ty::Vector { n, .. } | Ty::Array { n, .. } | Ty::Matrix { n, .. } => *n,
            Ty::Struct(members) => members.len() as u32,
            _ => 0,
        }
    }

    /// Index of the first scalar of element `n` in the flat value.
    pub fn flat_index(&self, id: u32, n: u32) -> u32 {
        match self.get(id) {
            Ty::Struct(members) => members.get(n as usize).map_or(self.count(id), |m| m.first),
            _ => self.element(id, 0).map_or(0, |e| self.count(e).saturating_mul(n)),
        }
    }

    /// (size, alignment) of the natural layout.
    pub fn natural(&self, id: u32) -> (u32, u32) {
        self.facts.get(&id).map_or((0, 1), |f| f.natural)
    }

    fn natural_of(&self, ty: &Ty) -> (u32, u32) {
        let scalar = |w: Width| (bytes(w), bytes(w));
        match ty {
            Ty::Bool => scalar(Width::B1),
            Ty::Int { width, .. } | Ty::Float(width) => scalar(*width),
            Ty::Pointer { .. } => scalar(Width::B64),
            Ty::Vector { elem, n } => {
                let size = self.natural(*elem).0;
                (size * n, if *n == 3 { size } else { (size * n).min(16) })
            }
            Ty::Matrix { column: elem, n } | Ty::Array { elem, n, .. } => {
                let (size, align) = self.natural(*elem);
                (size.checked_next_multiple_of(align).and_then(|s| s.checked_mul(*n)).unwrap_or(u32::MAX), align)
            }
            Ty::Struct(members) => {
                let align = members.iter().map(|m| self.natural(m.ty).1).max().unwrap_or(1);
                let end = members.last().map_or(Some(0), |m| m.natural?.checked_add(self.natural(m.ty).0));
                (end.and_then(|end| end.checked_next_multiple_of(align)).unwrap_or(u32::MAX), align)
            }
            _ => (0, 1),
        }
    }

    /// Bytes from one element of `id` to the next.
    pub fn stride(&self, id: u32, layout: Layout) -> Option<u32> {
        let natural = |elem: u32| {
            let (size, align) = self.natural(elem);
            size.checked_next_multiple_of(align)
        };
        match self.get(id) {
            Ty::Array { stride, elem, .. } | Ty::RuntimeArray { stride, elem } => {
                if layout.explicit {
                    *stride
                } else {
                    natural(*elem)
                }
            }
            Ty::Matrix { column, .. } => match layout.matrix {
                Some(x) if x.row_major => self.scalar_width(*column).map(bytes),
                Some(x) => Some(x.stride),
                None => natural(*column),
            },
            Ty::Vector { elem, .. } => layout.component_stride.or_else(|| self.scalar_width(*elem).map(bytes)),
            _ => None,
        }
    }

    /// Byte offset of a struct's member, and the layout inside of it.
    pub fn member(&self, members: &[Member], n: usize, layout: Layout) -> Option<(u32, Layout)> {
        let m = members.get(n)?;
        if layout.explicit {
            return Some((m.offset?, Layout { explicit: true, matrix: m.matrix, component_stride: None }));
        }
        Some((m.natural?, Layout::default()))
    }

    /// The layout of an element of `id` (not a struct).
    pub fn element_layout(&self, id: u32, layout: Layout) -> Layout {
        match (self.get(id), layout.matrix) {
            (Ty::Matrix { .. }, Some(x)) => {
                Layout { matrix: None, component_stride: x.row_major.then_some(x.stride), ..layout }
            }
            _ => layout,
        }
    }

    /// Bytes from the start of a value of type `id` to its end.
    pub fn extent(&self, id: u32, layout: Layout) -> Option<u32> {
        if let Some(&known) = self.extents.borrow().get(&(id, layout)) {
            return known;
        }
        let extent = self.find_extent(id, layout);
        self.extents.borrow_mut().insert((id, layout), extent);
        extent
    }

    fn find_extent(&self, id: u32, layout: Layout) -> Option<u32> {
        match self.get(id) {
            Ty::Struct(members) => {
                let mut end = 0;
                for n in 0..members.len() {
                    let (at, inner) = self.member(members, n, layout)?;
                    end = end.max(at.checked_add(self.extent(members[n].ty, inner)?)?);
                }
                Some(end)
            }
            Ty::Vector { elem: e, n } | Ty::Array { elem: e, n, .. } | Ty::Matrix { column: e, n } => {
                let stride = self.stride(id, layout)?;
                stride.checked_mul(n - 1)?.checked_add(self.extent(*e, self.element_layout(id, layout))?)
            }
            Ty::RuntimeArray { .. } => Some(0),
            _ => self.scalar_width(id).map(bytes),
        }
    }

    /// Bytes of a value of type `id` if its scalars follow each other in memory, in their order and without a gap, and are
    /// dwords or larger.
    pub fn dense(&self, id: u32, layout: Layout) -> Option<u32> {
        if let Some(&known) = self.dense.borrow().get(&(id, layout)) {
            return known;
        }
        let dense = self.find_dense(id, layout);
        self.dense.borrow_mut().insert((id, layout), dense);
        dense
    }

    fn find_dense(&self, id: u32, layout: Layout) -> Option<u32> {
        match self.get(id) {
            Ty::Struct(members) => {
                let mut end = 0u32;
                for (n, m) in members.iter().enumerate() {
                    let (at, inner) = self.member(members, n, layout)?;
                    end = end.checked_add(self.dense(m.ty, inner).filter(|_| at == end)?)?;
                }
                Some(end)
            }
            Ty::Vector { elem: e, n } | Ty::Array { elem: e, n, .. } | Ty::Matrix { column: e, n } => {
                let inner = self.dense(*e, self.element_layout(id, layout))?;
                inner.checked_mul(*n).filter(|_| *n == 1 || self.stride(id, layout) == Some(inner))
            }
            _ => self.scalar_width(id).map(bytes).filter(|&b| b >= 4),
        }
    }

    /// The scalars of a value of type `id` at `offset`, in flat order. None: no layout, or too large.
    pub fn leaves(&self, id: u32, offset: u32, layout: Layout) -> Option<Vec<Leaf>> {
        if self.count(id) > MAX_SCALARS {
            return None;
        }
        let mut out = Vec::with_capacity(self.count(id) as usize);
        self.collect(id, offset, layout, &mut out)?;
        Some(out)
    }

    fn collect(&self, id: u32, offset: u32, layout: Layout, out: &mut Vec<Leaf>) -> Option<()> {
        match self.get(id) {
            Ty::Array { .. } | Ty::Struct(_) if self.count(id) == 0 => {}
            Ty::Vector { elem: e, n } | Ty::Array { elem: e, n, .. } | Ty::Matrix { column: e, n } => {
                let stride = self.stride(id, layout)?;
                let inner = self.element_layout(id, layout);
                for k in 0..*n {
                    self.collect(*e, offset.checked_add(stride.checked_mul(k)?)?, inner, out)?;
                }
            }
            Ty::Struct(members) => {
                for n in 0..members.len() {
                    let (at, inner) = self.member(members, n, layout)?;
                    self.collect(members[n].ty, offset.checked_add(at)?, inner, out)?;
                }
            }
            _ => out.push(Leaf { offset, width: self.scalar_width(id)? }),
        }
        Some(())
    }
}
