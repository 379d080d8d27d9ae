//! Reflection for tools: what an entry point wants of its caller. Resources with the types of what they hold, down to each
//! member's name and offset; the push-constant block; specialization constants; the work-group.

use super::mentions::{used_globals, written};
use super::module::{Entry, Module};
use super::operand::Root;
use super::refused::refusal;
use super::translate::Translator;
use super::types::{Layout, Ty, Types};
use crate::error::Result;
use crate::ir::{Dim, Width};
use spirv::{Decoration, ImageFormat, Op, StorageClass};
use std::collections::HashMap;
use std::sync::Arc;
use wavepipe_hw::launch::BindingKind;

/// One resource that an entry point statically uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceInfo {
    pub set: u32,
    pub binding: u32,
    pub kind: BindingKind,
    pub count: u32,
    /// The variable's name, or the block's if the variable has none.
    pub name: String,
    /// The block's, if it is another.
    pub block: String,
    pub readonly: bool,
    /// No invocation reads it, as far as it says of itself.
    pub writeonly: bool,
    pub content: Content,
}

/// What a descriptor shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Block(Block),
    Image(ImageShape),
    Sampler,
    /// What kernels cannot use, and why.
    Refused(&'static str),
}

/// The memory of a block: a fixed part, and perhaps an array behind it whose length is the buffer's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub members: Arc<[Member]>,
    /// Bytes to the end of the last member with a size.
    pub bytes: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Empty if the module has no names.
    pub name: String,
    pub offset: u32,
    pub ty: Type,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    Unsigned,
    Signed,
    Float,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    pub kind: ScalarKind,
    pub bytes: u32,
}

/// A type with its layout. Shared where a module's types are, so that its size is the module's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Scalar(Scalar),
    /// Components `stride` bytes apart.
    Vector {
        scalar: Scalar,
        n: u32,
        stride: u32,
    },
    /// `n` columns (or rows' worth of them) `stride` bytes apart.
    Matrix {
        column: Arc<Type>,
        n: u32,
        stride: u32,
    },
    /// `n` = `None`: as many as there are. `bytes` are an element's.
    Array {
        element: Arc<Type>,
        n: Option<u32>,
        stride: u32,
        bytes: u32,
    },
    Struct {
        name: String,
        members: Arc<[Member]>,
    },
    /// An address.
    Pointer,
}

/// The texels of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageShape {
    pub dim: Dim,
    pub arrayed: bool,
    pub multisampled: bool,
    pub storage: bool,
    /// What a texel's components are for the shader.
    pub sampled: Scalar,
    pub format: ImageFormat,
}

/// A specialization constant that the module declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecInfo {
    pub id: u32,
    pub name: String,
    /// Bits of the default and its size in bytes.
    pub default: u64,
    pub size: u32,
    /// `None`: true or false.
    pub kind: Option<ScalarKind>,
}

/// A specialization constant's value: its bits, `size` bytes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpecValue {
    pub id: u32,
    pub bits: u64,
    pub size: u32,
}

/// What a tool wants to know of an entry point before compiling it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryInfo {
    pub name: String,
    pub workgroup: [u32; 3],
    pub resources: Vec<ResourceInfo>,
    pub push_constant_bytes: u32,
    /// The block of push constants that it uses.
    pub push: Option<Block>,
    pub spec: Vec<SpecInfo>,
}

/// The GLCompute entry points of a module.
pub fn reflect(words: &[u32]) -> Result<Vec<EntryInfo>> {
    reflect_specialized(words, &[])
}

/// The same, where specialization constants have these values: they may be lengths of arrays and sides of the work-group.
pub fn reflect_specialized(words: &[u32], spec: &[SpecValue]) -> Result<Vec<EntryInfo>> {
    let m = Module::parse(words)?;
    // What does not depend on the entry point is found once.
    let spec = spec.iter().map(|s| (s.id, (s.bits, s.size))).collect();
    let mut t = Translator::new(&m, "", spec, None, 32);
    t.written = written(&m);
    t.globals()?;
    let constant = t.workgroup;
    let declared = m.globals.clone().filter(|&n| {
        let op = m.instrs[n].op;
        matches!(op, Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse | Op::Variable)
    });
    let declared: Vec<usize> = declared.collect();
    let mut known = HashMap::new();
    let entry = |e| {
        t.workgroup = constant;
        reflect_entry(&mut t, &declared, e, &mut known)
    };
    m.entries.iter().map(entry).collect()
}

/// `declared`: the variables and specialization constants among the instructions.
fn reflect_entry(
    t: &mut Translator<'_>,
    declared: &[usize],
    entry: &Entry,
    known: &mut HashMap<(u32, Layout), Option<Type>>,
) -> Result<EntryInfo> {
    let m = t.m;
    let workgroup = t.workgroup(entry)?;
    let used = used_globals(m, entry);
    let mut resources: Vec<ResourceInfo> = Vec::new();
    let (mut push_constant_bytes, mut push) = (0, None);
    let mut spec = Vec::new();
    for &n in declared {
        let i = m.instrs[n];
        let number = |d| m.decoration(i.id, d).and_then(|a: &[u32]| a.first()).copied();
        let name_of = |id: u32| m.names.get(&id).filter(|n| !n.is_empty()).cloned();
        match i.op {
            Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse => {
                let Some(id) = number(Decoration::SpecId) else { continue };
                let v = t.scalar(&i, i.id)?;
                let default = t.b.known(v).unwrap_or(0);
                let size = (t.b.width(v).bits() / 8).max(if i.op == Op::SpecConstant { 1 } else { 4 });
                let kind = scalar(&t.types, i.ty).map(|s| s.kind).filter(|_| i.op == Op::SpecConstant);
                spec.push(SpecInfo { id, name: name_of(i.id).unwrap_or_default(), default, size, kind });
            }
            Op::Variable if used.contains(&i.id) => {
                let Ty::Pointer { class, pointee } = *t.types.get(i.ty) else { continue };
                let mut types = Shapes { m, types: &t.types, known };
                if class == StorageClass::PushConstant {
                    let layout = Layout { explicit: true, ..Default::default() };
                    push_constant_bytes = push_constant_bytes.max(t.types.extent(pointee, layout).unwrap_or(0));
                    push = types.block(pointee);
                }
                let Some((set, binding)) = m.place(i.id) else { continue };
                let (mut element, mut count) = (pointee, 1u32);
                while let Ty::Array { elem, .. } | Ty::RuntimeArray { elem, .. } = *t.types.get(element) {
                    count = count.saturating_mul(t.types.elements(element));
                    element = elem;
                }
                let (kind, readonly) = match t.pointers.get(&i.id).map(|p| p.root) {
                    Some(Root::Buffer { kind, readonly, .. }) => (kind, readonly),
                    _ => (t.types.opaque_kind(element).unwrap_or(BindingKind::SampledImage), false),
                };
                let has = |d| m.decoration(i.id, d).is_some() || types.all_members(element, d);
                let readonly = readonly || m.decoration(i.id, Decoration::NonWritable).is_some();
                let writeonly = has(Decoration::NonReadable);
                let block = name_of(element).unwrap_or_default();
                let name = name_of(i.id).unwrap_or_else(|| block.clone());
                let content = types.content(element);
                // Two variables may share a binding, to look at it as two types.
                match resources.iter_mut().find(|r| (r.set, r.binding) == (set, binding)) {
                    Some(r) => r.readonly &= readonly,
                    None => {
                        let r = ResourceInfo { set, binding, kind, count, name, block, readonly, writeonly, content };
                        resources.push(r);
                    }
                }
            }
            _ => {}
        }
    }
    resources.sort_by_key(|r| (r.set, r.binding));
    Ok(EntryInfo { name: entry.name.clone(), workgroup, resources, push_constant_bytes, push, spec })
}

fn scalar(types: &Types, id: u32) -> Option<Scalar> {
    let width = |w: Width| w.bits() / 8;
    match *types.get(id) {
        Ty::Int { width: w, signed } => {
            let kind = if signed { ScalarKind::Signed } else { ScalarKind::Unsigned };
            Some(Scalar { kind, bytes: width(w) })
        }
        Ty::Float(w) => Some(Scalar { kind: ScalarKind::Float, bytes: width(w) }),
        _ => None,
    }
}

/// The module's types as tools see them, each with a layout found once.
struct Shapes<'a, 'm> {
    m: &'a Module<'m>,
    types: &'a Types,
    known: &'a mut HashMap<(u32, Layout), Option<Type>>,
}

impl Shapes<'_, '_> {
    fn content(&mut self, id: u32) -> Content {
        match *self.types.get(id) {
            Ty::Struct(_) => self.block(id).map_or(Content::Refused("a block without a layout"), Content::Block),
            Ty::Sampler => Content::Sampler,
            Ty::Image(_) => self.image(id),
            Ty::SampledImage(image) => self.image(image),
            _ => {
                let declared = self.m.instrs[self.m.globals.clone()].iter().find(|i| i.id == id);
                Content::Refused(declared.and_then(|i| refusal(i.op)).unwrap_or("a type that no resource has"))
            }
        }
    }

    fn image(&self, id: u32) -> Content {
        match *self.types.get(id) {
            Ty::Image(ty) => match scalar(self.types, ty.sampled) {
                Some(sampled) => Content::Image(ImageShape {
                    dim: ty.dim,
                    arrayed: ty.arrayed,
                    multisampled: ty.multisampled,
                    storage: ty.storage,
                    sampled,
                    format: ty.format,
                }),
                None => Content::Refused("an image of no scalars"),
            },
            _ => Content::Refused("a sampled image of no image"),
        }
    }

    /// Whether each member of a block is decorated so.
    fn all_members(&self, id: u32, d: Decoration) -> bool {
        let Ty::Struct(members) = self.types.get(id) else { return false };
        !members.is_empty() && (0..members.len() as u32).all(|n| self.m.member_decoration(id, n, d).is_some())
    }

    fn block(&mut self, id: u32) -> Option<Block> {
        let layout = Layout { explicit: true, ..Default::default() };
        let Type::Struct { members, .. } = self.of(id, layout)? else { return None };
        let bytes = self.types.extent(id, layout)?;
        Some(Block { members, bytes })
    }

    fn of(&mut self, id: u32, layout: Layout) -> Option<Type> {
        if let Some(known) = self.known.get(&(id, layout)) {
            return known.clone();
        }
        let ty = self.find(id, layout);
        self.known.insert((id, layout), ty.clone());
        ty
    }

    /// None: a type that memory cannot hold, or one without a layout.
    fn find(&mut self, id: u32, layout: Layout) -> Option<Type> {
        let types = self.types;
        let inner = types.element_layout(id, layout);
        Some(match types.get(id) {
            Ty::Int { .. } | Ty::Float(_) => Type::Scalar(scalar(types, id)?),
            Ty::Vector { elem, n } => {
                Type::Vector { scalar: scalar(types, *elem)?, n: *n, stride: types.stride(id, layout)? }
            }
            Ty::Matrix { column, n } => {
                Type::Matrix { column: Arc::new(self.of(*column, inner)?), n: *n, stride: types.stride(id, layout)? }
            }
            Ty::Array { elem, .. } | Ty::RuntimeArray { elem, .. } => Type::Array {
                element: Arc::new(self.of(*elem, inner)?),
                n: match types.get(id) {
                    Ty::Array { n, .. } => Some(*n),
                    _ => None,
                },
                stride: types.stride(id, layout)?,
                bytes: types.extent(*elem, inner)?,
            },
            Ty::Struct(members) => {
                let mut out = Vec::new();
                for (n, member) in members.iter().enumerate() {
                    let (offset, inner) = types.member(members, n, layout)?;
                    let name = self.m.member_names.get(&(id, n as u32)).cloned().unwrap_or_default();
                    out.push(Member { name, offset, ty: self.of(member.ty, inner)? });
                }
                let name = self.m.names.get(&id).cloned().unwrap_or_default();
                Type::Struct { name, members: out.into() }
            }
            Ty::Pointer { .. } => Type::Pointer,
            _ => return None,
        })
    }
}
