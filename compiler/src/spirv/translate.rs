//! The translation's state: types, constants, values by id, and the calls in progress.
//!
//! Variables, OpPhi, return values and values that SPIR-V lets escape from a structured region all become cells of
//! scratch memory here; `opt::promote` turns cells back into SSA. So one algorithm builds SSA for everything.

use super::frame::Frame;
use super::instances::Outline;
use super::instrumentation::Instrumentation;
use super::module::{Instr, Module};
use super::naming::Naming;
use super::operand::{Operand, Pointer, Root, parts, rebuild};
use super::tags::Tags;
use super::types::{self, Ty, Types};
use crate::error::{CompileError, ErrorKind, Result};
use crate::ir::build::Builder;
use crate::ir::{self, Kernel, Space, Value, Width};
use spirv::{BuiltIn, Decoration, FPFastMathMode, Op, StorageClass};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use wavepipe_hw::launch::{BindingKind, PipelineLayout};

/// Which work-items are a quad.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DerivativeGroup {
    /// Two in x, two in y.
    Quads,
    /// Four in the order of LocalInvocationIndex.
    Linear,
}

pub struct Translator<'a> {
    pub m: &'a Module<'a>,
    pub b: Builder,
    pub types: Types,
    /// Type of each id that has one.
    pub type_of: HashMap<u32, u32>,
    pub constants: HashMap<u32, Operand>,
    pub pointers: HashMap<u32, Pointer>,
    /// Named constants: scalars with SpecId that the caller may set.
    pub spec: HashMap<u32, (u64, u32)>,
    /// FPFastMathDefault, by scalar type.
    pub fast_math: HashMap<u32, FPFastMathMode>,
    pub wave: u32,
    pub layout: Option<&'a PipelineLayout>,
    pub workgroup: [u32; 3],
    /// None: the shader has no derivatives.
    pub derivatives: Option<DerivativeGroup>,
    pub frames: Vec<Frame>,
    /// Regions by number: open or closed.
    pub scopes: Vec<bool>,
    pub open_scopes: Vec<usize>,
    /// Ids used outside of the region that defines them: found by one run, kept in cells by the next.
    pub escaping: HashSet<u32>,
    pub missed: HashSet<u32>,
    /// Written (set, binding)s; None = any.
    pub written: Option<HashSet<(u32, u32)>>,
    pub initial: Vec<(Pointer, u32)>,
    /// Global variables that the entry point uses; None = all.
    pub used: Option<HashSet<u32>>,
    pub tags: Tags,
    /// Place and size of the shared memory that all explicitly laid out variables share.
    pub shared_blocks: Option<(u32, u32)>,
    pub depth: usize,
    /// Instructions of the module, as often as they were inlined.
    pub translated: usize,
    /// Pieces of composites that were copied one by one.
    pub moved: u32,
    /// Roots that accesses through pointers that are values tried.
    pub tried: usize,
    /// Variables that are constant arrays, once looked for; and where their data lies.
    pub constant_tables: Option<HashMap<u32, u32>>,
    pub placed_tables: HashMap<u32, u32>,
    /// Functions that are called instead of inlined.
    pub outline: Outline,
    pub instrumentation: Instrumentation,
    pub naming: Naming,
}

/// Deepest nesting of constructs and calls. SPIR-V's universal limits promise 1,023 constructs; loops nested that deep take
/// the back end more than seconds.
pub const MAX_DEPTH: usize = 256;
/// Instructions of ir that a kernel may have; several times what a module of a megabyte has that is not made to explode.
pub const MAX_INSTRUCTIONS: usize = 1 << 19;

impl<'a> Translator<'a> {
    pub fn new(
        m: &'a Module<'a>,
        name: &str,
        spec: HashMap<u32, (u64, u32)>,
        layout: Option<&'a PipelineLayout>,
        wave: u32,
    ) -> Self {
        let mut kernel = Kernel::new(name, [1; 3]);
        kernel.files = m.files.clone();
        Translator {
            m,
            b: Builder::new(kernel),
            types: Types::default(),
            type_of: HashMap::new(),
            constants: HashMap::new(),
            pointers: HashMap::new(),
            spec,
            fast_math: HashMap::new(),
            wave,
            layout,
            workgroup: [1; 3],
            derivatives: None,
            frames: Vec::new(),
            scopes: vec![true],
            open_scopes: vec![0],
            escaping: HashSet::new(),
            missed: HashSet::new(),
            written: Some(HashSet::new()),
            initial: Vec::new(),
            used: None,
            tags: Tags::default(),
            shared_blocks: None,
            depth: 0,
            translated: 0,
            moved: 0,
            tried: 0,
            constant_tables: None,
            placed_tables: HashMap::new(),
            outline: Outline::default(),
            instrumentation: Instrumentation::default(),
            naming: Naming::default(),
        }
    }

    pub fn malformed(&self, i: &Instr<'_>, message: impl Into<String>) -> CompileError {
        self.m.malformed(i, message)
    }

    pub fn unsupported(&self, i: &Instr<'_>, message: impl Into<String>) -> CompileError {
        self.m.unsupported(i, message)
    }

    pub fn arg(&self, i: &Instr<'_>, n: usize) -> Result<u32> {
        i.arg(n).ok_or_else(|| self.malformed(i, "operands missing"))
    }

    pub fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Types, constants and global variables, in order.
    pub fn globals(&mut self) -> Result<()> {
        for i in &self.m.instrs {
            if i.ty != 0 {
                self.type_of.insert(i.id, i.ty);
            }
        }
        for n in self.m.globals.clone() {
            let i = self.m.instrs[n];
            match i.op {
                Op::Constant
                | Op::SpecConstant
                | Op::ConstantTrue
                | Op::ConstantFalse
                | Op::SpecConstantTrue
                | Op::SpecConstantFalse
                | Op::ConstantComposite
                | Op::SpecConstantComposite
                | Op::ConstantCompositeReplicateEXT
                | Op::SpecConstantCompositeReplicateEXT
                | Op::ConstantNull
                | Op::SpecConstantOp
                | Op::Undef => {
                    self.bounded(&i)?;
                    let value = self.constant(&i)?;
                    self.constants.insert(i.id, value);
                }
                Op::Variable => self.global_variable(&i)?,
                Op::TypeForwardPointer => self.declare(&i)?,
                _ if i.id != 0
                    && i.ty == 0
                    && i.op != Op::String
                    && i.op != Op::ExtInstImport
                    && i.op != Op::DecorationGroup =>
                {
                    self.declare(&i)?
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn declare(&mut self, i: &Instr<'_>) -> Result<()> {
        let (constants, b) = (&self.constants, &self.b);
        let length = |id: u32| match constants.get(&id)? {
            Operand::Flat(v) => b.known(*v.first()?),
            _ => None,
        };
        self.types.declare(self.m, i, &length)
    }

    fn constant(&mut self, i: &Instr<'_>) -> Result<Operand> {
        if !self.types.known(i.ty) {
            return Err(self.malformed(i, format!("%{} is not a type declared before", i.ty)));
        }
        let count = self.types.count(i.ty);
        let parts = match i.op {
            Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT => {
                vec![self.arg(i, 0)?; self.types.elements(i.ty) as usize]
            }
            _ => i.args.to_vec(),
        };
        if self.large(i.ty) {
            match i.op {
                Op::ConstantNull | Op::Undef => return Ok(Operand::Null),
                Op::SpecConstantOp => {}
                // Below that, constants are scalars: a table is made of those that are looked up.
                _ if count > types::MAX_SCALARS => return self.constant_data(i, &parts),
                _ => {}
            }
        }
        let width = self.types.scalar_width(i.ty);
        let spec_id = self.m.decoration(i.id, Decoration::SpecId).and_then(|a| a.first());
        let given = spec_id.and_then(|id| self.spec.get(id)).copied();
        let flat: Rc<[Value]> = match i.op {
            Op::Constant | Op::SpecConstant => {
                let Some(width) = width.filter(|w| *w != Width::B1 && count == 1) else {
                    return Err(self.malformed(i, "the type is no number"));
                };
                let low = u64::from(self.arg(i, 0)?);
                let bits = if width == Width::B64 { low | u64::from(self.arg(i, 1)?) << 32 } else { low };
                let bits = match given.filter(|_| i.op == Op::SpecConstant) {
                    Some((bits, size)) if size * 8 == width.bits() => bits,
                    Some((_, size)) => {
                        let message =
                            format!("specialization constant given with {size} bytes, it has {}", width.bits() / 8);
                        return Err(self.m.error(ErrorKind::Request, i, message));
                    }
                    None => bits,
                };
                [self.b.constant(width, bits)].into()
            }
            Op::ConstantTrue | Op::ConstantFalse => [self.b.bool(i.op == Op::ConstantTrue)].into(),
            Op::SpecConstantTrue | Op::SpecConstantFalse => {
                let default = i.op == Op::SpecConstantTrue;
                [self.b.bool(given.map_or(default, |(bits, _)| bits & 0xffff_ffff != 0))].into()
            }
            Op::ConstantNull => {
                let widths = self.types.widths(i.ty);
                widths.into_iter().map(|w| self.b.constant(w, 0)).collect()
            }
            Op::Undef => {
                let widths = self.types.widths(i.ty);
                widths.into_iter().map(|w| self.b.undef(w)).collect()
            }
            Op::ConstantComposite
            | Op::SpecConstantComposite
            | Op::ConstantCompositeReplicateEXT
            | Op::SpecConstantCompositeReplicateEXT => {
                let workgroup = self.m.decoration(i.id, Decoration::BuiltIn).and_then(|a| a.first())
                    == Some(&(BuiltIn::WorkgroupSize as u32));
                let mut out = Vec::new();
                for part in parts {
                    out.extend(self.flat(i, part)?.iter());
                }
                if workgroup && out.len() == 3 {
                    for n in 0..3 {
                        self.workgroup[n] = self.b.known(out[n]).unwrap_or(1) as u32;
                    }
                }
                out.into()
            }
            _ => {
                let op = Op::from_u32(self.arg(i, 0)?).ok_or_else(|| self.malformed(i, "no such operation"))?;
                let inner = Instr { op, args: &i.args[1..], ..*i };
                match self.value(&inner)? {
                    Some(Operand::Flat(v)) => v,
                    _ => return Err(self.unsupported(i, format!("Op{op:?} on specialization constants"))),
                }
            }
        };
        if flat.len() != count as usize {
            return Err(self.malformed(i, format!("{} scalars for a type of {count}", flat.len())));
        }
        Ok(Operand::Flat(flat))
    }

    fn global_variable(&mut self, i: &Instr<'_>) -> Result<()> {
        let Ty::Pointer { class, pointee } = *self.types.get(i.ty) else {
            return Err(self.malformed(i, "the type is no pointer"));
        };
        if self.used.as_ref().is_some_and(|used| !used.contains(&i.id)) {
            return Ok(());
        }
        let has = |d| self.m.decoration(i.id, d).is_some();
        let number = |d| self.m.decoration(i.id, d).and_then(|a: &[u32]| a.first()).copied();
        let mut p = Pointer {
            name: self.name_of(i.id),
            readonly: has(Decoration::NonWritable),
            coherent: has(Decoration::Coherent),
            volatile: has(Decoration::Volatile),
            ..Pointer::new(Root::Plain(Space::Scratch), pointee)
        };
        match class {
            StorageClass::Uniform | StorageClass::StorageBuffer => {
                // Refused where used.
                let Some((set, binding)) = self.m.place(i.id) else { return Ok(()) };
                let mut block = pointee;
                while let Ty::Array { elem, .. } | Ty::RuntimeArray { elem, .. } = self.types.get(block) {
                    p.resource_array = true;
                    block = *elem;
                }
                let storage =
                    class == StorageClass::StorageBuffer || self.m.decoration(block, Decoration::BufferBlock).is_some();
                let mut kind = if storage { BindingKind::StorageBuffer } else { BindingKind::UniformBuffer };
                if let Some(layout) = self.layout
                    && let Some(b) = layout.find(set, binding)
                {
                    kind = match (b.kind, storage) {
                        (BindingKind::StorageBuffer | BindingKind::StorageBufferDynamic, true)
                        | (
                            BindingKind::UniformBuffer
                            | BindingKind::UniformBufferDynamic
                            | BindingKind::InlineUniformBlock,
                            false,
                        ) => b.kind,
                        (BindingKind::Mutable, _) => kind,
                        (other, _) => {
                            let message = format!(
                                "set {set} binding {binding} is {other:?} in the pipeline layout, the shader declares {kind:?}"
                            );
                            return Err(self.m.error(ErrorKind::Request, i, message));
                        }
                    };
                }
                let aliased = has(Decoration::Aliased) || has(Decoration::AliasedPointer);
                let written = self.written.as_ref().is_none_or(|w| w.contains(&(set, binding)));
                let readonly = !storage || !aliased && !written;
                p.root = Root::Buffer { set, binding, kind, element: None, readonly };
                p.layout.explicit = true;
            }
            StorageClass::PushConstant => {
                p.root = Root::Plain(Space::Push);
                p.layout.explicit = true;
            }
            StorageClass::Workgroup if self.m.decoration(pointee, Decoration::Block).is_some() => {
                p.root = Root::Plain(Space::Lds);
                p.layout.explicit = true;
                p.offset = self.shared_block(i, pointee, p.layout)?;
            }
            StorageClass::Workgroup => {
                let (size, align) = self.types.natural(pointee);
                let at = self.b.kernel.lds_bytes.checked_next_multiple_of(align.max(4));
                let end = at.and_then(|a| a.checked_add(size)).filter(|&e| e <= 1 << 20);
                let (Some(at), Some(end)) = (at, end) else {
                    return Err(self.m.error(ErrorKind::Resource, i, format!("{size} bytes of shared memory")));
                };
                p.root = Root::Plain(Space::Lds);
                p.offset = at;
                self.name_shared(i.id, pointee, at);
                self.b.kernel.lds_bytes = end;
            }
            StorageClass::Private | StorageClass::Function => {
                p.offset = self.variable_place(i, pointee)?;
                self.name_variable(i.id, pointee, p.offset);
            }
            StorageClass::Input => {
                let Some(built_in) = number(Decoration::BuiltIn).and_then(BuiltIn::from_u32) else {
                    return Err(self.unsupported(i, "an input that is no builtin"));
                };
                p.root = Root::Input(built_in);
                self.name_input(i.id, built_in, pointee);
            }
            StorageClass::UniformConstant if self.opaque_variable(i, &mut p)? => {}
            // Declared for other entry points, or refused where used.
            _ => return Ok(()),
        }
        if let Some(init) = i.arg(1) {
            self.initial.push((p.clone(), init));
        }
        self.pointers.insert(i.id, p);
        Ok(())
    }

    /// Refuses a kernel that has become too large; asked for each instruction that is translated.
    pub fn bounded(&mut self, i: &Instr<'_>) -> Result<()> {
        self.translated += 1;
        if self.translated.max(self.b.made).max(self.b.kernel.values.len()) <= MAX_INSTRUCTIONS {
            return Ok(());
        }
        let message = format!(
            "the kernel has more than {MAX_INSTRUCTIONS} scalar operations, all calls inlined: split it, or put what repeats into loops"
        );
        Err(self.m.error(ErrorKind::Resource, i, message))
    }

    pub fn define(&mut self, i: &Instr<'_>, operand: Operand) -> Result<()> {
        if self.escaping.contains(&i.id) {
            let parts = parts(&operand);
            let widths: Vec<Width> = parts.iter().map(|&v| self.b.width(v)).collect();
            let cells = match self.frame().escaped.get(&i.id) {
                Some(c) => c.clone(),
                None => self.cells(i, &widths)?,
            };
            self.store_cells(&cells, &parts);
            self.frame().escaped.insert(i.id, cells);
        }
        if let Operand::Flat(values) = &operand {
            self.name_value(i, values);
        }
        let scope = self.open_scopes.last().copied().unwrap_or(0);
        self.frame().values.insert(i.id, (operand, scope));
        Ok(())
    }

    /// What `id` stands for here.
    pub fn operand(&mut self, i: &Instr<'_>, id: u32) -> Result<Operand> {
        if let Some(c) = self.constants.get(&id) {
            return Ok(c.clone());
        }
        if let Some(p) = self.pointers.get(&id) {
            return Ok(Operand::Pointer(p.clone()));
        }
        let Some((operand, scope)) = self.frame().values.get(&id).cloned() else {
            if let Some(Ty::Pointer { class, .. }) = self.type_of.get(&id).map(|t| self.types.get(*t)) {
                match class {
                    StorageClass::Function => {}
                    StorageClass::Uniform | StorageClass::StorageBuffer | StorageClass::UniformConstant
                        if self.m.place(id).is_none() =>
                    {
                        return Err(self.malformed(i, format!("%{id} is a resource without DescriptorSet and Binding")));
                    }
                    other => return Err(self.unsupported(i, format!("storage class {other:?}"))),
                }
            }
            return Err(self.malformed(i, format!("%{id} has no value here")));
        };
        if self.scopes[scope] {
            return Ok(operand);
        }
        let Some(cells) = self.frame().escaped.get(&id).cloned() else {
            // Learnt for the next run; any value of the same shape does for this one.
            self.missed.insert(id);
            let widths: Vec<Width> = parts(&operand).iter().map(|&v| self.b.width(v)).collect();
            let fake: Vec<Value> = widths.into_iter().map(|w| self.b.constant(w, 0)).collect();
            return Ok(rebuild(operand, &fake));
        };
        let values = self.load_cells(&cells);
        Ok(rebuild(operand, &values))
    }

    /// The scalars of value `id`.
    pub fn flat(&mut self, i: &Instr<'_>, id: u32) -> Result<Rc<[Value]>> {
        match self.operand(i, id)? {
            Operand::Flat(v) => Ok(v),
            other => self.flat_of(i, &other, id),
        }
    }

    /// The 64-bit address of a physical pointer.
    pub fn address(&mut self, p: &Pointer) -> Option<Value> {
        let Root::Global(base) = p.root else { return None };
        let mut a = base;
        if let Some(d) = p.dynamic {
            a = self.b.iadd(a, d);
        }
        let k = self.b.constant(Width::B64, u64::from(p.offset));
        Some(self.b.iadd(a, k))
    }

    /// The one scalar of value `id`.
    pub fn scalar(&mut self, i: &Instr<'_>, id: u32) -> Result<Value> {
        match *self.flat(i, id)? {
            [v] => Ok(v),
            _ => Err(self.malformed(i, format!("%{id} is no scalar"))),
        }
    }

    /// The constant value of `id`.
    pub fn literal(&mut self, i: &Instr<'_>, id: u32) -> Result<u64> {
        let v = self.scalar(i, id)?;
        self.b.known(v).ok_or_else(|| self.malformed(i, format!("%{id} is no constant")))
    }

    pub fn type_of(&self, i: &Instr<'_>, id: u32) -> Result<u32> {
        self.type_of.get(&id).copied().ok_or_else(|| self.malformed(i, format!("%{id} has no type")))
    }

    pub fn begin(&mut self) {
        self.b.begin();
        self.scopes.push(true);
        self.open_scopes.push(self.scopes.len() - 1);
    }

    pub fn end(&mut self, exit: ir::Exit) -> ir::Region {
        if let Some(s) = self.open_scopes.pop() {
            self.scopes[s] = false;
        }
        self.b.end(exit)
    }
}
