//! Images, samplers and texel buffers: texels read, written and fetched, atomics, queries.
//!
//! A handle stays symbolic ([`Opaque`]) until an instruction needs its descriptor: arrays of resources, function parameters,
//! OpSampledImage and OpImage cost nothing.

use super::handle::{Opaque, OpaqueVariable, Resource};
use super::image_type::ImageTy;
use super::module::Instr;
use super::operand::{Operand, Pointer, Root};
use super::translate::Translator;
use super::types::{Ty, Types};
use crate::error::{ErrorKind, Result};
use crate::ir::{self, Access, Alu, Atomic, Dim, Image, ImageOp, Level, Value, Width};
use spirv::{Decoration, ImageOperands, Op};
use std::rc::Rc;
use wavepipe_hw::launch::BindingKind;

impl Types {
    /// The kind of descriptor that a handle of type `id` is; None: no image or sampler.
    pub fn opaque_kind(&self, id: u32) -> Option<BindingKind> {
        Some(match *self.get(id) {
            Ty::Sampler => BindingKind::Sampler,
            Ty::Image(ImageTy { dim: Dim::Buffer, storage, .. }) => match storage {
                true => BindingKind::StorageTexelBuffer,
                false => BindingKind::UniformTexelBuffer,
            },
            Ty::Image(ImageTy { storage: true, .. }) => BindingKind::StorageImage,
            Ty::Image(_) => BindingKind::SampledImage,
            // Before SPIR-V 1.6 a texel buffer may come with a sampler, which nothing uses.
            Ty::SampledImage(image) => match self.opaque_kind(image)? {
                BindingKind::SampledImage => BindingKind::CombinedImageSampler,
                other => other,
            },
            _ => return None,
        })
    }
}

/// The kind by which a binding of `layout`'s kind is read where the shader declares `declared`.
fn fits(declared: BindingKind, layout: BindingKind) -> Option<BindingKind> {
    match (declared, layout) {
        (d, l) if d == l => Some(l),
        (d, BindingKind::Mutable) => Some(d),
        (BindingKind::SampledImage | BindingKind::Sampler, BindingKind::CombinedImageSampler) => Some(layout),
        _ => None,
    }
}

/// The optional operands of an image instruction: ids.
#[derive(Default)]
pub struct Operands {
    pub bias: Option<u32>,
    pub lod: Option<u32>,
    pub gradients: Option<(u32, u32)>,
    pub offset: Option<u32>,
    pub offsets: Option<u32>,
    pub sample: Option<u32>,
    pub min_lod: Option<u32>,
    coherent: bool,
    volatile: bool,
}

impl Translator<'_> {
    /// Reads the mask at operand `n` and what follows.
    pub fn image_operands(&self, i: &Instr<'_>, n: usize) -> Result<Operands> {
        let mut out = Operands::default();
        let Some(&mask) = i.args.get(n) else { return Ok(out) };
        let mask = ImageOperands::from_bits(mask).ok_or_else(|| self.unsupported(i, "unknown image operands"))?;
        let mut at = n;
        let mut next = |on: ImageOperands| -> Result<Option<u32>> {
            if !mask.contains(on) {
                return Ok(None);
            }
            at += 1;
            self.arg(i, at).map(Some)
        };
        out.bias = next(ImageOperands::BIAS)?;
        out.lod = next(ImageOperands::LOD)?;
        out.gradients = next(ImageOperands::GRAD)?.zip(next(ImageOperands::GRAD)?);
        let (constant, dynamic) = (next(ImageOperands::CONST_OFFSET)?, next(ImageOperands::OFFSET)?);
        out.offset = constant.or(dynamic);
        out.offsets = next(ImageOperands::CONST_OFFSETS)?;
        out.sample = next(ImageOperands::SAMPLE)?;
        out.min_lod = next(ImageOperands::MIN_LOD)?;
        next(ImageOperands::MAKE_TEXEL_AVAILABLE)?;
        next(ImageOperands::MAKE_TEXEL_VISIBLE)?;
        let shared = ImageOperands::MAKE_TEXEL_AVAILABLE | ImageOperands::MAKE_TEXEL_VISIBLE;
        out.coherent = mask.intersects(shared);
        out.volatile = mask.contains(ImageOperands::VOLATILE_TEXEL);
        let dynamic_offsets = next(ImageOperands::OFFSETS)?;
        out.offsets = out.offsets.or(dynamic_offsets);
        Ok(out)
    }

    /// Makes `p` a pointer to the variable `i` of images or samplers; false: it is of something else.
    pub fn opaque_variable(&self, i: &Instr<'_>, p: &mut Pointer) -> Result<bool> {
        let (mut element, mut array) = (p.pointee, false);
        while let Ty::Array { elem, .. } | Ty::RuntimeArray { elem, .. } = *self.types.get(element) {
            (element, array) = (elem, true);
        }
        if self.types.opaque_kind(element).is_none() {
            return Ok(false);
        }
        // Refused where used.
        let Some((set, binding)) = self.m.place(i.id) else { return Ok(false) };
        // Read-only is only what nobody else writes either.
        let aliased = [Decoration::Aliased, Decoration::AliasedPointer];
        p.readonly &= !aliased.into_iter().any(|d| self.m.decoration(i.id, d).is_some());
        p.resource_array = array;
        p.root = Root::Opaque(OpaqueVariable { set, binding, element: None });
        Ok(true)
    }

    /// The handle that a variable of images or samplers holds; None: the pointer is to something else.
    pub fn load_opaque(&mut self, i: &Instr<'_>, p: &Pointer) -> Result<Option<Opaque>> {
        let Root::Opaque(OpaqueVariable { set, binding, element }) = p.root else { return Ok(None) };
        if p.resource_array {
            return Err(self.unsupported(i, "a whole array of images or samplers"));
        }
        let Some(declared) = self.types.opaque_kind(p.pointee) else {
            return Err(self.malformed(i, "not an image or sampler"));
        };
        let ty = match *self.types.get(p.pointee) {
            Ty::Image(ty) => Some(ty),
            Ty::SampledImage(image) => match *self.types.get(image) {
                Ty::Image(ty) => Some(ty),
                _ => None,
            },
            _ => None,
        };
        let storage = ty.is_some_and(|t| t.storage);
        let resource = Resource {
            set,
            binding,
            element,
            declared,
            access: Access {
                coherent: p.coherent,
                volatile: p.volatile,
                readonly: !storage || p.readonly && !p.coherent,
                align: 0,
            },
        };
        let sampler = matches!(declared, BindingKind::Sampler | BindingKind::CombinedImageSampler);
        let image = ty.map(|ty| (resource, ty));
        Ok(Some(Opaque { image, sampler: sampler.then_some(resource), texel: Vec::new() }))
    }

    /// The descriptor, of a width that says which part of it.
    pub fn descriptor(&mut self, i: &Instr<'_>, r: &Resource, width: Width) -> Result<Value> {
        let Resource { set, binding, declared, .. } = *r;
        let mut kind = declared;
        if let Some(layout) = self.layout {
            let refuse = |message: String| Err(self.m.error(ErrorKind::Request, i, message));
            let Some(b) = layout.find(set, binding) else {
                return refuse(format!("set {set} binding {binding} is not in the pipeline layout"));
            };
            kind = match fits(declared, b.kind) {
                Some(kind) => kind,
                None => {
                    return refuse(format!(
                        "set {set} binding {binding} is {:?} in the pipeline layout, the shader declares {declared:?}",
                        b.kind
                    ));
                }
            };
        }
        let element = r.element.unwrap_or_else(|| self.b.u32(0));
        Ok(self.b.shared(ir::Op::Descriptor { set, binding, kind }, vec![element], width))
    }

    pub fn opaque(&mut self, i: &Instr<'_>, n: usize) -> Result<Opaque> {
        let id = self.arg(i, n)?;
        match self.operand(i, id)? {
            Operand::Opaque(o) => Ok(o),
            _ => Err(self.malformed(i, format!("%{id} is no image or sampler"))),
        }
    }

    fn image_of(&mut self, i: &Instr<'_>, n: usize) -> Result<(Resource, ImageTy)> {
        self.opaque(i, n)?.image.ok_or_else(|| self.malformed(i, "not an image"))
    }

    /// The T# or, for a texel buffer, V#.
    pub fn image_descriptor(&mut self, i: &Instr<'_>, image: &(Resource, ImageTy)) -> Result<Value> {
        let width = if image.1.dim == Dim::Buffer { Width::Desc } else { Width::Image };
        self.descriptor(i, &image.0, width)
    }

    /// True if `i` is an instruction about images.
    pub fn image(&mut self, i: &Instr<'_>) -> Result<bool> {
        match i.op {
            Op::SampledImage => {
                let (image, sampler) = (self.opaque(i, 0)?.image, self.opaque(i, 1)?.sampler);
                self.define(i, Operand::Opaque(Opaque { image, sampler, texel: Vec::new() }))?;
            }
            Op::Image => {
                let image = Some(self.image_of(i, 0)?);
                self.define(i, Operand::Opaque(Opaque { image, ..Opaque::default() }))?;
            }
            Op::CopyObject => {
                let id = self.arg(i, 0)?;
                let Operand::Opaque(o) = self.operand(i, id)? else { return Ok(false) };
                self.define(i, Operand::Opaque(o))?;
            }
            Op::ImageTexelPointer => {
                let (p, at, sample) = (self.arg(i, 0)?, self.arg(i, 1)?, self.arg(i, 2)?);
                let mut p = self.pointer(i, p)?;
                self.check_indexes(i, &mut p)?;
                let Some(mut texel) = self.load_opaque(i, &p)? else {
                    return Err(self.malformed(i, "not a pointer to an image"));
                };
                let Some((_, ty)) = texel.image else { return Err(self.malformed(i, "not an image")) };
                texel.texel = self.texel_coordinates(i, &ty, at, None, Some(sample))?;
                self.define(i, Operand::Opaque(texel))?;
            }
            Op::ImageRead | Op::ImageFetch => self.read_texel(i)?,
            Op::ImageWrite => self.write_texel(i)?,
            Op::ImageQuerySize | Op::ImageQuerySizeLod | Op::ImageQueryLevels | Op::ImageQuerySamples => {
                self.query(i)?;
            }
            Op::ImageQueryLod if self.derivatives.is_none() => {
                return Err(self.unsupported(i, "a level of detail by derivatives, which this compute shader has not"));
            }
            _ => return self.sampling(i),
        }
        Ok(true)
    }

    /// Integer coordinates, with an offset added, and the number of the sample of a multisampled image.
    fn texel_coordinates(
        &mut self,
        i: &Instr<'_>,
        ty: &ImageTy,
        at: u32,
        offset: Option<u32>,
        sample: Option<u32>,
    ) -> Result<Vec<Value>> {
        let n = Image::new(ImageOp::Load, ty.dim, ty.arrayed, ty.multisampled).coordinates();
        let flat = self.flat(i, at)?;
        let Some(given) = flat.get(..n) else {
            return Err(self.malformed(i, format!("{} coordinates where the image has {n}", flat.len())));
        };
        let mut out: Vec<Value> = Vec::with_capacity(n + 1);
        for &v in given {
            out.push(self.index_word(i, v)?);
        }
        if let Some(offset) = offset {
            let offset = self.flat(i, offset)?;
            for (c, &o) in out.iter_mut().zip(&*offset) {
                let o = self.index_word(i, o)?;
                *c = self.b.iadd(*c, o);
            }
        }
        if ty.multisampled {
            let Some(sample) = sample else { return Err(self.malformed(i, "a multisampled image without Sample")) };
            let sample = self.scalar(i, sample)?;
            out.push(self.index_word(i, sample)?);
        }
        Ok(out)
    }

    /// An integer as a word.
    fn index_word(&mut self, i: &Instr<'_>, v: Value) -> Result<Value> {
        match self.b.width(v) {
            Width::B1 => Err(self.malformed(i, "a boolean is no coordinate")),
            Width::B32 => Ok(v),
            _ => Ok(self.b.alu(Alu::SConvert, Width::B32, &[v])),
        }
    }

    fn texel_access(resource: &Resource, operands: &Operands) -> Access {
        let mut access = resource.access;
        access.coherent |= operands.coherent;
        access.volatile |= operands.volatile;
        access.readonly &= !(access.coherent || access.volatile);
        access
    }

    fn read_texel(&mut self, i: &Instr<'_>) -> Result<()> {
        let (image, at) = (self.image_of(i, 0)?, self.arg(i, 1)?);
        let operands = self.image_operands(i, 2)?;
        let ty = image.1;
        let mut op = Image::new(ImageOp::Load, ty.dim, ty.arrayed, ty.multisampled);
        op.access = Self::texel_access(&image.0, &operands);
        let mut args = vec![self.image_descriptor(i, &image)?];
        args.extend(self.texel_coordinates(i, &ty, at, operands.offset, operands.sample)?);
        if let Some(lod) = operands.lod.filter(|_| ty.dim != Dim::Buffer && !ty.multisampled) {
            let lod = self.scalar(i, lod)?;
            let lod = self.index_word(i, lod)?;
            if self.b.known(lod) != Some(0) {
                op.level = Level::Lod;
                args.push(lod);
            }
        }
        let words = self.b.inst(ir::Op::Image(op), args, &[Width::B32; 4]);
        let texel = self.from_words(i, &words)?;
        self.define(i, Operand::Flat(texel))
    }

    /// The components of the result's type, from words as the texture unit gives them.
    pub fn from_words(&mut self, i: &Instr<'_>, words: &[Value]) -> Result<Rc<[Value]>> {
        let count = self.types.count(i.ty) as usize;
        let float = self.types.is_float(i.ty);
        let Some(width) = self.types.scalar_width(i.ty).filter(|_| (1..=words.len()).contains(&count)) else {
            return Err(self.malformed(i, "the result is no texel"));
        };
        Ok(match (width, float) {
            (Width::B32, _) => words[..count].into(),
            (Width::B16, true) => words[..count].iter().map(|&w| self.b.alu(Alu::FConvert, width, &[w])).collect(),
            (Width::B16 | Width::B8, false) => {
                words[..count].iter().map(|&w| self.b.alu(Alu::UConvert, width, &[w])).collect()
            }
            // A texel of 64 bits is two words of one component. The fourth is the descriptor's: 1, and 0 of a null one.
            (Width::B64, false) => {
                let first = self.b.alu(Alu::Pack64, width, &[words[0], words[1]]);
                let zero = self.b.constant(width, 0);
                let mut texel = vec![first, zero, zero];
                texel.extend(words.get(3).map(|&w| self.b.alu(Alu::UConvert, width, &[w])));
                texel.truncate(count);
                texel.into()
            }
            _ => return Err(self.unsupported(i, "a texel of this type")),
        })
    }

    fn write_texel(&mut self, i: &Instr<'_>) -> Result<()> {
        let (image, at, texel) = (self.image_of(i, 0)?, self.arg(i, 1)?, self.arg(i, 2)?);
        let operands = self.image_operands(i, 3)?;
        let ty = image.1;
        let mut op = Image::new(ImageOp::Store, ty.dim, ty.arrayed, ty.multisampled);
        op.access = Access { readonly: false, ..Self::texel_access(&image.0, &operands) };
        let mut args = vec![self.image_descriptor(i, &image)?];
        args.extend(self.texel_coordinates(i, &ty, at, None, operands.sample)?);
        if let Some(lod) = operands.lod.filter(|_| ty.dim != Dim::Buffer && !ty.multisampled) {
            op.level = Level::Lod;
            let lod = self.scalar(i, lod)?;
            args.push(self.index_word(i, lod)?);
        }
        let texel_ty = self.type_of(i, texel)?;
        let float = self.types.is_float(texel_ty);
        let convert = match (float, self.types.is_signed(texel_ty)) {
            (true, _) => Alu::FConvert,
            (false, true) => Alu::SConvert,
            (false, false) => Alu::UConvert,
        };
        let given = self.flat(i, texel)?;
        let kept = ty.components.map_or(4, usize::from).min(given.len());
        if kept == 0 || kept > 4 {
            return Err(self.malformed(i, "the value is no texel"));
        }
        for &v in &given[..kept] {
            match self.b.width(v) {
                Width::B32 => args.push(v),
                Width::B1 => return Err(self.malformed(i, "a boolean is no texel")),
                Width::B64 if !float => {
                    args.push(self.b.alu(Alu::Lo32, Width::B32, &[v]));
                    args.push(self.b.alu(Alu::Hi32, Width::B32, &[v]));
                    break;
                }
                Width::B64 => return Err(self.unsupported(i, "a texel of 64-bit floats")),
                _ => args.push(self.b.alu(convert, Width::B32, &[v])),
            }
        }
        self.b.inst(ir::Op::Image(op), args, &[]);
        Ok(())
    }

    fn query(&mut self, i: &Instr<'_>) -> Result<()> {
        let image = self.image_of(i, 0)?;
        let ty = image.1;
        let descriptor = self.image_descriptor(i, &image)?;
        let op = match i.op {
            Op::ImageQueryLevels => ImageOp::Levels,
            Op::ImageQuerySamples => ImageOp::Samples,
            _ => ImageOp::Size,
        };
        let words = if ty.dim == Dim::Buffer {
            if op != ImageOp::Size {
                return Err(self.malformed(i, "a texel buffer has neither levels nor samples"));
            }
            vec![self.b.shared(ir::Op::DescriptorSize, vec![descriptor], Width::B32)]
        } else {
            let mut op = Image::new(op, ty.dim, ty.arrayed, ty.multisampled);
            let mut args = vec![descriptor];
            if i.op == Op::ImageQuerySizeLod && !ty.multisampled {
                let lod = self.arg(i, 1)?;
                let lod = self.scalar(i, lod)?;
                let lod = self.index_word(i, lod)?;
                if self.b.known(lod) != Some(0) {
                    op.level = Level::Lod;
                    args.push(lod);
                }
            }
            let mut words = self.b.inst(ir::Op::Image(op), args, &vec![Width::B32; op.words()]);
            if op.op == ImageOp::Size && ty.dim == Dim::Cube && ty.arrayed {
                let six = self.b.u32(6);
                words[2] = self.b.alu(Alu::UDiv, Width::B32, &[words[2], six]);
            }
            words
        };
        if words.len() != self.types.count(i.ty) as usize {
            return Err(self.malformed(i, format!("the image has {} numbers to give", words.len())));
        }
        let out: Rc<[Value]> = match self.types.scalar_width(i.ty) {
            Some(Width::B32) => words.into(),
            Some(w) if w != Width::B1 => words.iter().map(|&x| self.b.alu(Alu::UConvert, w, &[x])).collect(),
            _ => return Err(self.malformed(i, "the result is no integer")),
        };
        self.define(i, Operand::Flat(out))
    }

    /// An atomic on a texel of OpImageTexelPointer.
    pub fn texel_atomic(&mut self, i: &Instr<'_>, kind: Atomic, texel: &Opaque) -> Result<()> {
        let Some(image) = texel.image.filter(|_| !texel.texel.is_empty()) else {
            return Err(self.malformed(i, "an atomic on something that is no texel"));
        };
        let ty = image.1;
        let op = |op| {
            let mut image = Image::new(op, ty.dim, ty.arrayed, ty.multisampled);
            image.access.coherent = true;
            ir::Op::Image(image)
        };
        let mut args = vec![self.image_descriptor(i, &image)?];
        args.extend(&texel.texel);
        // Operands: pointer, scope, semantics, (unequal semantics,) value (, comparator).
        let data = match kind {
            Atomic::Load => {
                let words = self.b.inst(op(ImageOp::Load), args, &[Width::B32; 4]);
                let value = self.from_words(i, &words)?;
                self.define(i, Operand::Flat(value))?;
                return Ok(());
            }
            Atomic::CompareExchange => vec![self.arg(i, 4)?, self.arg(i, 5)?],
            _ if matches!(i.op, Op::AtomicIIncrement | Op::AtomicIDecrement) => vec![],
            _ => vec![self.arg(i, 3)?],
        };
        let mut values = Vec::new();
        for id in data {
            values.push(self.scalar(i, id)?);
        }
        let width = match values.first() {
            Some(&v) => self.b.width(v),
            None => self.types.scalar_width(i.ty).unwrap_or(Width::B32),
        };
        if !matches!(width, Width::B32 | Width::B64) || values.iter().any(|&v| self.b.width(v) != width) {
            return Err(self.malformed(i, "a texel of 32 or 64 bits, and values like it"));
        }
        if values.is_empty() {
            values.push(self.b.constant(width, 1));
        }
        if kind == Atomic::Store {
            match width {
                Width::B64 => {
                    let halves = [Alu::Lo32, Alu::Hi32].map(|half| self.b.alu(half, Width::B32, &values[..1]));
                    args.extend(halves);
                }
                _ => args.push(values[0]),
            }
            self.b.inst(op(ImageOp::Store), args, &[]);
            return Ok(());
        }
        if kind == Atomic::FAdd && width != Width::B32 {
            return Err(self.malformed(i, "a float of 64 bits, which no texel has"));
        }
        args.extend(values);
        let old = self.b.inst(op(ImageOp::Atomic(kind)), args, &[width]);
        if i.id != 0 {
            self.define(i, Operand::Flat(old.into()))?;
        }
        Ok(())
    }
}
