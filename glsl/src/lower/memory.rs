//! Types and constants of the module; loads from places and stores to them.

use super::{Known, Lower, Lvalue, Val};
use crate::Result;
use crate::fold::{self, Konst};
use crate::layout::Lay;
use crate::syntax::Memory;
use crate::types::{Dim, INT, Image, Len, Scalar, Ty, UINT, vector};
use spirv::{Capability, Decoration, Op, StorageClass};
use std::rc::Rc;

/// Elements of an array that is moved as a whole between memories that lay it out in different ways.
const MOST_MOVED: u32 = 4096;

impl Lower<'_> {
    pub(super) fn ty(&mut self, ty: &Ty) -> Result<u32> {
        self.laid(ty, None)
    }

    fn scalar_ty(&mut self, scalar: Scalar) -> u32 {
        use Capability as C;
        match scalar {
            Scalar::Int(8) | Scalar::Uint(8) => self.b.capability(C::Int8),
            Scalar::Int(16) | Scalar::Uint(16) => self.b.capability(C::Int16),
            Scalar::Int(64) | Scalar::Uint(64) => self.b.capability(C::Int64),
            Scalar::Float(16) => self.b.capability(C::Float16),
            Scalar::Float(64) => self.b.capability(C::Float64),
            _ => {}
        }
        match scalar {
            Scalar::Bool => self.b.ty(Op::TypeBool, &[]),
            Scalar::Int(n) => self.b.ty(Op::TypeInt, &[u32::from(n), 1]),
            Scalar::Uint(n) => self.b.ty(Op::TypeInt, &[u32::from(n), 0]),
            Scalar::Float(n) => self.b.ty(Op::TypeFloat, &[u32::from(n)]),
        }
    }

    /// The type as it lies in a buffer, or as a value.
    pub(super) fn laid(&mut self, ty: &Ty, lay: Option<Lay>) -> Result<u32> {
        match ty {
            Ty::Void => return Ok(self.b.ty(Op::TypeVoid, &[])),
            Ty::Scalar(s) | Ty::Vector(s, _) => {
                let scalar = if lay.is_some() && *s == Scalar::Bool { UINT } else { *s };
                let id = self.scalar_ty(scalar);
                return Ok(match ty {
                    Ty::Vector(_, n) => self.b.ty(Op::TypeVector, &[id, u32::from(*n)]),
                    _ => id,
                });
            }
            Ty::Matrix(s, c, r) => {
                let scalar = self.scalar_ty(*s);
                let column = self.b.ty(Op::TypeVector, &[scalar, u32::from(*r)]);
                return Ok(self.b.ty(Op::TypeMatrix, &[column, u32::from(*c)]));
            }
            Ty::Image(image) => return Ok(self.image_ty(image)),
            Ty::Sampled(image) => {
                let image = self.image_ty(image);
                return Ok(self.b.ty(Op::TypeSampledImage, &[image]));
            }
            Ty::Sampler(_) => return Ok(self.b.ty(Op::TypeSampler, &[])),
            _ => {}
        }
        // A pointer lies as it is.
        let lay = if matches!(ty, Ty::Reference(_)) { None } else { lay };
        if let Some(id) = self.types.get(&(ty.clone(), lay)) {
            return Ok(*id);
        }
        let id = match ty {
            Ty::Array(of, len) => {
                let element = self.laid(of, lay)?;
                let id = match len {
                    Len::Runtime => self.b.new_ty(Op::TypeRuntimeArray, &[element]),
                    Len::Fixed(n) => {
                        let length = self.uint(*n);
                        self.b.new_ty(Op::TypeArray, &[element, length])
                    }
                    Len::Spec(length, _) => self.b.new_ty(Op::TypeArray, &[element, *length]),
                };
                let block = matches!(**of, Ty::Struct(n) if self.structs[n].lay.is_some());
                if let Some(lay) = lay.filter(|_| !block) {
                    let stride = lay.array_stride(&self.structs, of);
                    self.b.decorate(id, Decoration::ArrayStride, &[stride]);
                }
                id
            }
            Ty::Struct(n) => {
                let pointer = Ty::Reference(*n);
                if self.structs[*n].align != 0 && !self.types.contains_key(&(pointer.clone(), None)) {
                    // It may point to itself, and then its pointer is first.
                    self.laid(&pointer, None)?;
                    return self.laid(ty, lay);
                }
                self.structure(*n, lay)?
            }
            Ty::Reference(n) => {
                self.b.pointers();
                let class = StorageClass::PhysicalStorageBuffer as u32;
                let pointer = self.b.id();
                self.b.forward(pointer, class);
                self.types.insert((ty.clone(), None), pointer);
                let block = self.laid(&Ty::Struct(*n), self.structs[*n].lay)?;
                self.b.global_as(Op::TypePointer, &[pointer, class, block]);
                pointer
            }
            _ => return Err(self.refuse(format!("{} has no value", self.type_name(ty)))),
        };
        self.types.insert((ty.clone(), lay), id);
        Ok(id)
    }

    fn structure(&mut self, n: usize, lay: Option<Lay>) -> Result<u32> {
        let fields = self.structs[n].fields.clone();
        let mut members = Vec::new();
        for field in &fields {
            members.push(self.laid(&field.ty, lay.map(|l| l.of(field)))?);
        }
        let id = self.b.new_ty(Op::TypeStruct, &members);
        let name = self.structs[n].name.clone();
        self.b.name(id, &name);
        let offsets = lay.map(|lay| lay.offsets(&self.structs, n));
        for (m, field) in fields.iter().enumerate() {
            let member = m as u32;
            self.b.member_name(id, member, &field.name);
            let (Some(lay), Some(offsets)) = (lay, &offsets) else { continue };
            self.b.decorate_member(id, member, Decoration::Offset, &[offsets[m]]);
            self.narrow(&field.ty);
            let mut inner = &field.ty;
            while let Ty::Array(of, _) = inner {
                inner = of;
            }
            if matches!(inner, Ty::Matrix(..)) {
                let lay = lay.of(field);
                let order = if lay.rows { Decoration::RowMajor } else { Decoration::ColMajor };
                self.b.decorate_member(id, member, order, &[]);
                self.b.decorate_member(id, member, Decoration::MatrixStride, &[lay.matrix_stride(inner)]);
            }
            if self.structs[n].lay.is_none() {
                continue;
            }
            let memory = field.memory.and(self.structs[n].memory);
            for (holds, decoration) in [
                (memory.coherent, Decoration::Coherent),
                (memory.volatile, Decoration::Volatile),
                (memory.restrict, Decoration::Restrict),
                (memory.readonly, Decoration::NonWritable),
                (memory.writeonly, Decoration::NonReadable),
            ] {
                if holds {
                    self.b.decorate_member(id, member, decoration, &[]);
                }
            }
        }
        if lay.is_some() && lay == self.structs[n].lay {
            self.b.decorate(id, Decoration::Block, &[]);
        }
        Ok(id)
    }

    /// What narrow types in buffers want of the device.
    fn narrow(&mut self, ty: &Ty) {
        match ty {
            Ty::Array(of, _) => self.narrow(of),
            Ty::Struct(n) => {
                for field in self.structs[*n].fields.clone() {
                    self.narrow(&field.ty);
                }
            }
            _ => match ty.scalar().map(Scalar::bits) {
                Some(8) => {
                    self.b.extension("SPV_KHR_8bit_storage");
                    self.b.capability(Capability::StorageBuffer8BitAccess);
                    self.b.capability(Capability::UniformAndStorageBuffer8BitAccess);
                }
                Some(16) => {
                    self.b.capability(Capability::StorageBuffer16BitAccess);
                    self.b.capability(Capability::UniformAndStorageBuffer16BitAccess);
                }
                _ => {}
            },
        }
    }

    pub(super) fn image_ty(&mut self, image: &Image) -> u32 {
        use Capability as C;
        let dim = match image.dim {
            Dim::D1 => spirv::Dim::Dim1D,
            Dim::D2 => spirv::Dim::Dim2D,
            Dim::D3 => spirv::Dim::Dim3D,
            Dim::Cube => spirv::Dim::DimCube,
            Dim::Rect => spirv::Dim::DimRect,
            Dim::Buffer => spirv::Dim::DimBuffer,
        };
        let capability = match (image.dim, image.storage) {
            (Dim::D1, true) => Some(C::Image1D),
            (Dim::D1, false) => Some(C::Sampled1D),
            (Dim::Buffer, true) => Some(C::ImageBuffer),
            (Dim::Buffer, false) => Some(C::SampledBuffer),
            (Dim::Cube, true) if image.arrayed => Some(C::ImageCubeArray),
            (Dim::Cube, false) if image.arrayed => Some(C::SampledCubeArray),
            _ => None,
        };
        capability.into_iter().for_each(|c| self.b.capability(c));
        if image.samples && image.storage {
            self.b.capability(C::StorageImageMultisample);
            if image.arrayed {
                self.b.capability(C::ImageMSArray);
            }
        }
        if image.scalar.bits() == 64 {
            self.b.capability(C::Int64ImageEXT);
            self.b.extension("SPV_EXT_shader_image_int64");
        }
        // R32f, R32i, R32ui and the small ones every device has; the rest is asked for.
        if image.storage && !matches!(image.format, 0..=5 | 21..=25 | 30..=34 | 40..) {
            self.b.capability(C::StorageImageExtendedFormats);
        }
        let scalar = self.scalar_ty(image.scalar);
        let flags = [image.shadow, image.arrayed, image.samples].map(u32::from);
        let sampled = if image.storage { 2 } else { 1 };
        self.b.ty(Op::TypeImage, &[scalar, dim as u32, flags[0], flags[1], flags[2], sampled, image.format])
    }

    pub(super) fn pointer(&mut self, class: StorageClass, to: u32) -> u32 {
        self.b.ty(Op::TypePointer, &[class as u32, to])
    }

    // Constants.

    pub(super) fn uint(&mut self, value: u32) -> u32 {
        let ty = self.scalar_ty(UINT);
        self.b.constant(Op::Constant, ty, &[value])
    }

    pub(super) fn int(&mut self, value: i32) -> u32 {
        let ty = self.scalar_ty(INT);
        let id = self.b.constant(Op::Constant, ty, &[value as u32]);
        self.ints.insert(id, value as u32);
        id
    }

    pub(super) fn konst(&mut self, ty: &Ty, value: Konst) -> Result<Val> {
        let id = self.konst_id(ty, &value)?;
        Ok(Val { id, ty: ty.clone(), known: Known::Const(value) })
    }

    fn konst_id(&mut self, ty: &Ty, value: &Konst) -> Result<u32> {
        let id = self.ty(ty)?;
        let Konst::Parts(parts) = value else {
            let scalar = ty.scalar().unwrap_or(UINT);
            return Ok(match value {
                Konst::Bool(true) => self.b.constant(Op::ConstantTrue, id, &[]),
                Konst::Bool(false) => self.b.constant(Op::ConstantFalse, id, &[]),
                _ => self.b.constant(Op::Constant, id, &fold::words(value, scalar)),
            });
        };
        let mut ids = Vec::new();
        for (n, part) in parts.iter().enumerate() {
            let of = self.part(ty, n)?;
            ids.push(self.konst_id(&of, part)?);
        }
        Ok(self.b.constant(Op::ConstantComposite, id, &ids))
    }

    pub(super) fn null(&mut self, ty: &Ty) -> Result<Val> {
        let id = self.ty(ty)?;
        let id = self.b.constant(Op::ConstantNull, id, &[]);
        Ok(Val { id, ty: ty.clone(), known: Known::No })
    }

    /// The type of part `n` of a composite.
    pub(super) fn part(&self, ty: &Ty, n: usize) -> Result<Ty> {
        Ok(match ty {
            Ty::Vector(s, _) => Ty::Scalar(*s),
            Ty::Matrix(s, _, rows) => Ty::Vector(*s, *rows),
            Ty::Array(of, _) => (**of).clone(),
            Ty::Struct(s) => match self.structs[*s].fields.get(n) {
                Some(field) => field.ty.clone(),
                None => return Err(self.refuse(format!("{} has no member {n}", self.structs[*s].name))),
            },
            _ => return Err(self.refuse(format!("{} has no parts", self.type_name(ty)))),
        })
    }

    pub(super) fn parts(&self, ty: &Ty) -> Option<usize> {
        Some(match ty {
            Ty::Vector(_, n) | Ty::Matrix(_, n, _) => usize::from(*n),
            Ty::Array(_, Len::Fixed(n)) => *n as usize,
            Ty::Struct(s) => self.structs[*s].fields.len(),
            _ => return None,
        })
    }

    // Places.

    /// A variable of the function.
    pub(super) fn local(&mut self, ty: &Ty, name: &str, value: Option<u32>) -> Result<Lvalue> {
        if ty.opaque() {
            return Err(self.refuse(format!("{} cannot be a variable of a function", self.type_name(ty))));
        }
        let id = self.ty(ty)?;
        let pointer = self.pointer(StorageClass::Function, id);
        let id = self.b.variable(pointer, value);
        self.aliased(ty, id);
        if !name.is_empty() {
            self.b.name(id, name);
        }
        Ok(self.place(id, StorageClass::Function, ty.clone()))
    }

    /// Variables that hold pointers say of these that others may be the same.
    pub(super) fn aliased(&mut self, ty: &Ty, id: u32) {
        let mut inner = ty;
        while let Ty::Array(of, _) = inner {
            inner = of;
        }
        if matches!(inner, Ty::Reference(_)) {
            self.b.decorate(id, Decoration::AliasedPointer, &[]);
        }
    }

    pub(super) fn place(&self, base: u32, class: StorageClass, ty: Ty) -> Lvalue {
        let memory = Memory::default();
        Lvalue {
            base,
            class,
            chain: Vec::new(),
            ty,
            lay: None,
            pick: None,
            memory,
            align: 0,
            fixed: false,
            block: None,
        }
    }

    /// Memory that holds a value, so that it can be indexed.
    pub(super) fn spilled(&mut self, value: &Val) -> Result<Lvalue> {
        let constant = matches!(value.known, Known::Const(_)).then_some(value.id);
        let mut place = self.local(&value.ty, "indexable", constant)?;
        if constant.is_none() {
            self.store(&place, value)?;
        }
        place.fixed = true;
        Ok(place)
    }

    /// Its address.
    pub(super) fn address(&mut self, place: &Lvalue) -> Result<u32> {
        if place.chain.is_empty() {
            return Ok(place.base);
        }
        let ty = self.laid(&place.ty, place.lay)?;
        let pointer = self.pointer(place.class, ty);
        let words = [&[place.base], &place.chain[..]].concat();
        let id = self.b.value(Op::AccessChain, pointer, &words);
        if words.iter().any(|w| self.nonuniform.contains(w)) {
            self.b.decorate(id, Decoration::NonUniform, &[]);
            self.nonuniform.insert(id);
        }
        Ok(id)
    }

    /// What an access says besides its address.
    fn access(&self, place: &Lvalue) -> Vec<u32> {
        let volatile = u32::from(place.memory.volatile && place.lay.is_some());
        match place.class {
            StorageClass::PhysicalStorageBuffer => {
                let own = place.lay.map_or(4, |l| l.size(&self.structs, &place.ty).1);
                vec![volatile | 2, own.clamp(1, 16).min(place.align.max(1))]
            }
            _ if volatile != 0 => vec![volatile],
            _ => Vec::new(),
        }
    }

    /// One component of a vector.
    fn component(&mut self, place: &Lvalue, n: u8) -> Lvalue {
        let mut out = place.clone();
        out.chain.push(self.uint(u32::from(n)));
        out.ty = Ty::Scalar(place.ty.scalar().unwrap_or(UINT));
        out.pick = None;
        out
    }

    pub(super) fn load(&mut self, place: &Lvalue) -> Result<Val> {
        if let Some(pick) = place.pick.clone() {
            if let [one] = pick[..] {
                let part = self.component(place, one);
                return self.load(&part);
            }
            let whole = self.load(&Lvalue { pick: None, ..place.clone() })?;
            return self.picked(&whole, &pick);
        }
        if place.memory.writeonly && place.lay.is_some() {
            return Err(self.refuse("it is writeonly, and this reads it"));
        }
        let pointer = self.address(place)?;
        let ty = self.laid(&place.ty, place.lay)?;
        let words = [&[pointer], &self.access(place)[..]].concat();
        let id = self.b.value(Op::Load, ty, &words);
        if self.nonuniform.contains(&pointer) {
            self.nonuniform.insert(id);
            self.b.decorate(id, Decoration::NonUniform, &[]);
        }
        let id = self.moved(id, &place.ty, place.lay, None)?;
        Ok(Val { id, ty: place.ty.clone(), known: Known::No })
    }

    pub(super) fn store(&mut self, place: &Lvalue, value: &Val) -> Result<()> {
        if place.fixed || place.memory.readonly && place.lay.is_some() {
            return Err(self.refuse("this writes what cannot be written"));
        }
        if let Some(pick) = place.pick.clone() {
            for (n, component) in pick.iter().enumerate() {
                let part = self.component(place, *component);
                let value = if pick.len() == 1 { value.clone() } else { self.extract(value, n)? };
                self.store(&part, &value)?;
            }
            return Ok(());
        }
        let pointer = self.address(place)?;
        let id = self.moved(value.id, &place.ty, None, place.lay)?;
        let words = [&[pointer, id], &self.access(place)[..]].concat();
        self.b.effect(Op::Store, &words);
        Ok(())
    }

    /// A value as it lies in one memory, as it lies in another.
    fn moved(&mut self, id: u32, ty: &Ty, from: Option<Lay>, to: Option<Lay>) -> Result<u32> {
        let (before, after) = (self.laid(ty, from)?, self.laid(ty, to)?);
        if before == after {
            return Ok(id);
        }
        if let Some(lanes) = ty.lanes() {
            let number = vector(UINT, lanes);
            let zero = self.splat_int(&number, 0)?;
            return Ok(match to {
                None => self.b.value(Op::INotEqual, after, &[id, zero]),
                Some(_) => {
                    let one = self.splat_int(&number, 1)?;
                    self.b.value(Op::Select, after, &[id, one, zero])
                }
            });
        }
        let count = self.parts(ty).filter(|n| *n as u32 <= MOST_MOVED);
        let count =
            count.ok_or_else(|| self.refuse(format!("{} is too large to be moved as a whole", self.type_name(ty))))?;
        let mut ids = Vec::new();
        for n in 0..count {
            let part = self.part(ty, n)?;
            let field = match ty {
                Ty::Struct(s) => Some(self.structs[*s].fields[n].clone()),
                _ => None,
            };
            let lay = |lay: Option<Lay>| lay.map(|l| field.as_ref().map_or(l, |f| l.of(f)));
            let taken = self.laid(&part, lay(from))?;
            let taken = self.b.value(Op::CompositeExtract, taken, &[id, n as u32]);
            ids.push(self.moved(taken, &part, lay(from), lay(to))?);
        }
        Ok(self.b.value(Op::CompositeConstruct, after, &ids))
    }

    pub(super) fn splat_int(&mut self, ty: &Ty, value: i128) -> Result<u32> {
        let one = match ty.scalar() {
            Some(Scalar::Float(_)) => Konst::Float(value as f64),
            Some(Scalar::Bool) => Konst::Bool(value != 0),
            _ => Konst::Int(value),
        };
        let parts = match ty {
            Ty::Vector(_, n) => Konst::Parts(Rc::new(vec![one; usize::from(*n)])),
            _ => one,
        };
        self.konst_id(ty, &parts)
    }
}
