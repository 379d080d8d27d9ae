//! Small compute modules written word by word: each work-item reads its element of every input buffer (binding n), and
//! writes one of the output buffer (the binding after them), and perhaps to one more that all share. Elements are integers or floats of any width.

use crate::spirv::string;
use spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, GlslStd450Op,
    MemoryModel, Op, SelectionControl, StorageClass,
};
use std::collections::HashMap;

/// A scalar of so many bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Scalar {
    Int(u32),
    Float(u32),
}

impl Scalar {
    pub const fn bits(self) -> u32 {
        match self {
            Scalar::Int(n) | Scalar::Float(n) => n,
        }
    }

    pub const fn bytes(self) -> usize {
        self.bits() as usize / 8
    }
}

/// Work-items of a work-group.
pub const GROUP: u32 = 64;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Section {
    Capabilities,
    Extensions,
    Modes,
    Decorations,
    Globals,
}

/// A module in the making. Ids of the inputs' elements come from [`Shader::input`].
pub struct Shader {
    next: u32,
    sections: HashMap<Section, Vec<u32>>,
    body: Vec<u32>,
    types: HashMap<Vec<u32>, u32>,
    inputs: Vec<u32>,
    output: (Scalar, u32),
    index: u32,
    lane: u32,
    interface: Vec<u32>,
    main: u32,
    ext: u32,
    guarded: Option<u32>,
    block: u32,
}

fn encode(op: Op, words: &[u32]) -> impl Iterator<Item = u32> + '_ {
    std::iter::once(((words.len() as u32 + 1) << 16) | op as u32).chain(words.iter().copied())
}

impl Shader {
    pub fn new(inputs: &[Scalar], output: Scalar) -> Shader {
        Self::indexed(inputs, output, false)
    }

    /// `uniform`: the inputs are read by work-group instead of by work-item, so that they are the same in all lanes.
    pub fn indexed(inputs: &[Scalar], output: Scalar, uniform: bool) -> Shader {
        let mut s = Shader {
            next: 1,
            sections: HashMap::new(),
            body: Vec::new(),
            types: HashMap::new(),
            inputs: Vec::new(),
            output: (output, 0),
            index: 0,
            lane: 0,
            interface: Vec::new(),
            main: 0,
            ext: 0,
            guarded: None,
            block: 0,
        };
        for c in [
            Capability::Shader,
            Capability::Int8,
            Capability::Int16,
            Capability::Int64,
            Capability::Float16,
            Capability::Float64,
            Capability::StorageBuffer16BitAccess,
            Capability::StorageBuffer8BitAccess,
        ] {
            s.capability(c);
        }
        s.main = s.id();
        s.ext = s.id();
        let void = s.ty(Op::TypeVoid, &[]);
        let function = s.ty(Op::TypeFunction, &[void]);
        let (label, word) = (s.id(), s.scalar(Scalar::Int(32)));
        s.body.extend(encode(Op::Function, &[void, s.main, FunctionControl::NONE.bits(), function]));
        s.begin(label);
        s.index = s.builtin(BuiltIn::GlobalInvocationId, true);
        s.lane = s.builtin(BuiltIn::SubgroupLocalInvocationId, false);
        let from = if uniform { s.builtin(BuiltIn::WorkgroupId, true) } else { s.index };
        let zero = s.constant(Scalar::Int(32), 0);
        for (n, &scalar) in inputs.iter().chain([&output]).enumerate() {
            let is_output = n == inputs.len();
            let variable = s.buffer(scalar, n as u32, !is_output);
            let element = s.scalar(scalar);
            let pointer = s.ty(Op::TypePointer, &[StorageClass::StorageBuffer as u32, element]);
            let index = if is_output { s.index } else { from };
            let place = s.id();
            s.body.extend(encode(Op::AccessChain, &[pointer, place, variable, zero, index]));
            if is_output {
                s.output.1 = place;
            } else {
                let value = s.id();
                s.body.extend(encode(Op::Load, &[element, value, place]));
                s.inputs.push(value);
            }
        }
        let _ = word;
        s
    }

    pub fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn put(&mut self, section: Section, op: Op, words: &[u32]) {
        self.sections.entry(section).or_default().extend(encode(op, words));
    }

    pub fn capability(&mut self, c: Capability) {
        self.put(Section::Capabilities, Op::Capability, &[c as u32]);
    }

    pub fn extension(&mut self, name: &str) {
        let words = string(name);
        self.put(Section::Extensions, Op::Extension, &words);
    }

    pub fn mode(&mut self, mode: ExecutionMode, args: &[u32]) {
        let words: Vec<u32> = [self.main, mode as u32].iter().chain(args).copied().collect();
        self.put(Section::Modes, Op::ExecutionMode, &words);
    }

    /// A mode whose operands are ids.
    pub fn mode_id(&mut self, mode: ExecutionMode, args: &[u32]) {
        let words: Vec<u32> = [self.main, mode as u32].iter().chain(args).copied().collect();
        self.put(Section::Modes, Op::ExecutionModeId, &words);
    }

    pub fn decorate(&mut self, id: u32, d: Decoration, args: &[u32]) {
        let words: Vec<u32> = [id, d as u32].iter().chain(args).copied().collect();
        self.put(Section::Decorations, Op::Decorate, &words);
    }

    /// A type, declared once.
    pub fn ty(&mut self, op: Op, words: &[u32]) -> u32 {
        let key: Vec<u32> = [op as u32].iter().chain(words).copied().collect();
        if let Some(&id) = self.types.get(&key) {
            return id;
        }
        let id = self.id();
        let words: Vec<u32> = [id].iter().chain(words).copied().collect();
        self.put(Section::Globals, op, &words);
        self.types.insert(key, id);
        id
    }

    pub fn scalar(&mut self, s: Scalar) -> u32 {
        match s {
            Scalar::Int(bits) => self.ty(Op::TypeInt, &[bits, 0]),
            Scalar::Float(bits) => self.ty(Op::TypeFloat, &[bits]),
        }
    }

    pub fn boolean(&mut self) -> u32 {
        self.ty(Op::TypeBool, &[])
    }

    pub fn vector(&mut self, element: u32, n: u32) -> u32 {
        self.ty(Op::TypeVector, &[element, n])
    }

    pub fn constant(&mut self, s: Scalar, bits: u64) -> u32 {
        let ty = self.scalar(s);
        let mut key = vec![Op::Constant as u32, ty, bits as u32];
        if s.bits() == 64 {
            key.push((bits >> 32) as u32);
        }
        if let Some(&id) = self.types.get(&key) {
            return id;
        }
        let id = self.id();
        let words: Vec<u32> = [ty, id].iter().chain(&key[2..]).copied().collect();
        self.put(Section::Globals, Op::Constant, &words);
        self.types.insert(key, id);
        id
    }

    fn buffer(&mut self, scalar: Scalar, binding: u32, readonly: bool) -> u32 {
        let element = self.scalar(scalar);
        // Each binding has a block of its own: the key tells them apart by the binding, which no type has.
        let (array, block, variable) = (self.id(), self.id(), self.id());
        self.put(Section::Globals, Op::TypeRuntimeArray, &[array, element]);
        self.put(Section::Globals, Op::TypeStruct, &[block, array]);
        let pointer = self.ty(Op::TypePointer, &[StorageClass::StorageBuffer as u32, block]);
        self.put(Section::Globals, Op::Variable, &[pointer, variable, StorageClass::StorageBuffer as u32]);
        self.decorate(array, Decoration::ArrayStride, &[scalar.bytes() as u32]);
        self.decorate(block, Decoration::Block, &[]);
        self.put(Section::Decorations, Op::MemberDecorate, &[block, 0, Decoration::Offset as u32, 0]);
        self.decorate(variable, Decoration::DescriptorSet, &[0]);
        self.decorate(variable, Decoration::Binding, &[binding]);
        if readonly {
            self.decorate(variable, Decoration::NonWritable, &[]);
        }
        self.interface.push(variable);
        variable
    }

    fn builtin(&mut self, b: BuiltIn, vector: bool) -> u32 {
        let word = self.scalar(Scalar::Int(32));
        let ty = if vector { self.vector(word, 3) } else { word };
        let pointer = self.ty(Op::TypePointer, &[StorageClass::Input as u32, ty]);
        let (variable, value) = (self.id(), self.id());
        self.put(Section::Globals, Op::Variable, &[pointer, variable, StorageClass::Input as u32]);
        self.decorate(variable, Decoration::BuiltIn, &[b as u32]);
        self.interface.push(variable);
        self.body.extend(encode(Op::Load, &[ty, value, variable]));
        if !vector {
            self.put(Section::Capabilities, Op::Capability, &[Capability::GroupNonUniform as u32]);
            return value;
        }
        let first = self.id();
        self.body.extend(encode(Op::CompositeExtract, &[word, first, value, 0]));
        first
    }

    /// A pointer to the first element of one more buffer, at the binding after the output's, which may be written.
    pub fn accumulator(&mut self, s: Scalar) -> u32 {
        let binding = self.inputs.len() as u32 + 1;
        let variable = self.buffer(s, binding, false);
        let (element, zero) = (self.scalar(s), self.constant(Scalar::Int(32), 0));
        let pointer = self.ty(Op::TypePointer, &[StorageClass::StorageBuffer as u32, element]);
        self.op(Op::AccessChain, pointer, &[variable, zero, zero])
    }

    /// A pointer to a zeroed variable that the work-group shares.
    pub fn shared(&mut self, s: Scalar) -> u32 {
        let element = self.scalar(s);
        let pointer = self.ty(Op::TypePointer, &[StorageClass::Workgroup as u32, element]);
        let (zero, variable) = (self.id(), self.id());
        self.put(Section::Globals, Op::ConstantNull, &[element, zero]);
        self.put(Section::Globals, Op::Variable, &[pointer, variable, StorageClass::Workgroup as u32, zero]);
        self.interface.push(variable);
        variable
    }

    /// The element of input `n`.
    pub fn input(&self, n: usize) -> u32 {
        self.inputs[n]
    }

    /// SubgroupLocalInvocationId.
    pub fn lane(&self) -> u32 {
        self.lane
    }

    /// An instruction with a result.
    pub fn op(&mut self, op: Op, ty: u32, args: &[u32]) -> u32 {
        let id = self.id();
        let words: Vec<u32> = [ty, id].iter().chain(args).copied().collect();
        self.body.extend(encode(op, &words));
        id
    }

    pub fn glsl(&mut self, op: GlslStd450Op, ty: u32, args: &[u32]) -> u32 {
        let words: Vec<u32> = [self.ext, op as u32].iter().chain(args).copied().collect();
        self.op(Op::ExtInst, ty, &words)
    }

    /// An instruction with all its words.
    pub fn statement(&mut self, op: Op, words: &[u32]) {
        self.body.extend(encode(op, words));
    }

    /// Begins the block `label`.
    pub fn begin(&mut self, label: u32) {
        self.statement(Op::Label, &[label]);
        self.block = label;
    }

    /// The label of the block in progress.
    pub fn block(&self) -> u32 {
        self.block
    }

    /// What follows runs only where `condition` is true.
    pub fn when(&mut self, condition: u32) {
        let (then, merge) = (self.id(), self.id());
        self.body.extend(encode(Op::SelectionMerge, &[merge, SelectionControl::NONE.bits()]));
        self.body.extend(encode(Op::BranchConditional, &[condition, then, merge]));
        self.begin(then);
        self.guarded = Some(merge);
    }

    /// The module, which stores `result`.
    pub fn finish(mut self, result: u32) -> Vec<u32> {
        self.body.extend(encode(Op::Store, &[self.output.1, result]));
        if let Some(merge) = self.guarded {
            self.body.extend(encode(Op::Branch, &[merge]));
            self.begin(merge);
        }
        self.body.extend(encode(Op::Return, &[]));
        self.body.extend(encode(Op::FunctionEnd, &[]));
        let mut words = vec![spirv::MAGIC_NUMBER, 0x0001_0600, 0, self.next, 0];
        let mut take = |s: Section| self.sections.remove(&s).unwrap_or_default();
        words.extend(take(Section::Capabilities));
        words.extend(take(Section::Extensions));
        let import: Vec<u32> = std::iter::once(self.ext).chain(string("GLSL.std.450")).collect();
        words.extend(encode(Op::ExtInstImport, &import));
        let model = [AddressingModel::Logical as u32, MemoryModel::GLSL450 as u32];
        words.extend(encode(Op::MemoryModel, &model));
        let mut entry = vec![ExecutionModel::GLCompute as u32, self.main];
        entry.extend(string("main"));
        entry.extend(&self.interface);
        words.extend(encode(Op::EntryPoint, &entry));
        words.extend(encode(Op::ExecutionMode, &[self.main, ExecutionMode::LocalSize as u32, GROUP, 1, 1]));
        for s in [Section::Modes, Section::Decorations, Section::Globals] {
            words.extend(take(s));
        }
        words.extend(self.body);
        words
    }
}

/// Elements as bytes, of `s`'s size each.
pub fn pack(s: Scalar, values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()[..s.bytes()].to_vec()).collect()
}

pub fn unpack(s: Scalar, bytes: &[u8]) -> Vec<u64> {
    let value = |c: &[u8]| c.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b));
    bytes.chunks_exact(s.bytes()).map(value).collect()
}
