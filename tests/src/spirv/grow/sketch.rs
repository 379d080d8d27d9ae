//! A writer of modules in which what a growing module needs takes a line: types and constants are declared once, blocks are
//! opened and closed in order, the buffer that all read and write is there.

use crate::spirv::{Block, Function, Inst, Module, head, string};
use rspirv::spirv::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, LoopControl, Op, SelectionControl,
    StorageClass,
};
use std::collections::HashMap;

/// Words of the buffer before those that are written only.
const SHOWN: u32 = 4096;

pub struct Sketch {
    next: u32,
    capabilities: Vec<Capability>,
    strings: Vec<Inst>,
    annotations: Vec<Inst>,
    declarations: Vec<Inst>,
    known: HashMap<(Op, u32, Vec<u32>), u32>,
    interface: Vec<u32>,
    functions: Vec<Function>,
    blocks: Vec<Block>,
    entries: Vec<(u32, String)>,
    bindings: u32,
    pub glsl: u32,
    pub void: u32,
    pub bool: u32,
    pub uint: u32,
    pub float: u32,
    /// `uint[]` in a storage buffer.
    data: u32,
    index: u32,
    /// gl_LocalInvocationIndex, in `main`.
    pub lane: u32,
}

/// A loop that is open.
pub struct Round {
    header: u32,
    pub cont: u32,
    pub merge: u32,
    next: u32,
    /// 0, 1, 2 …
    pub counter: u32,
}

impl Default for Sketch {
    fn default() -> Sketch {
        Sketch::new()
    }
}

impl Sketch {
    /// With the buffer, and `main` begun.
    pub fn new() -> Sketch {
        let mut s = Sketch {
            next: 1,
            capabilities: vec![Capability::Shader],
            strings: Vec::new(),
            annotations: Vec::new(),
            declarations: Vec::new(),
            known: HashMap::new(),
            interface: Vec::new(),
            functions: Vec::new(),
            blocks: Vec::new(),
            entries: Vec::new(),
            bindings: 0,
            glsl: 0,
            void: 0,
            bool: 0,
            uint: 0,
            float: 0,
            data: 0,
            index: 0,
            lane: 0,
        };
        s.glsl = s.id();
        s.void = s.ty(Op::TypeVoid, &[]);
        s.bool = s.ty(Op::TypeBool, &[]);
        s.uint = s.ty(Op::TypeInt, &[32, 0]);
        s.float = s.ty(Op::TypeFloat, &[32]);
        let words = s.fresh_type(Op::TypeRuntimeArray, &[s.uint]);
        s.decorate(words, Decoration::ArrayStride, &[4]);
        s.data = s.buffer(&[words], &[0]);
        let input = s.pointer(StorageClass::Input, s.uint);
        s.index = s.declare(Op::Variable, input, &[StorageClass::Input as u32]);
        s.decorate(s.index, Decoration::BuiltIn, &[BuiltIn::LocalInvocationIndex as u32]);
        s.open_function();
        s.lane = s.emit(Op::Load, s.uint, &[s.index]);
        s
    }

    pub fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    pub fn need(&mut self, c: Capability) {
        if !self.capabilities.contains(&c) {
            self.capabilities.push(c);
        }
    }

    pub fn decorate(&mut self, id: u32, d: Decoration, args: &[u32]) {
        let words = [&[id, d as u32], args].concat();
        self.annotations.push(Inst::new(Op::Decorate, 0, 0, words));
    }

    /// An OpString.
    pub fn debug_string(&mut self, text: &str) -> u32 {
        let id = self.id();
        self.strings.push(Inst::new(Op::String, 0, id, string(text)));
        id
    }

    pub fn annotate(&mut self, i: Inst) {
        self.annotations.push(i);
    }

    pub fn member(&mut self, id: u32, n: u32, d: Decoration, args: &[u32]) {
        let words = [&[id, n, d as u32], args].concat();
        self.annotations.push(Inst::new(Op::MemberDecorate, 0, 0, words));
    }

    /// A declaration that may be shared with an equal one.
    fn once(&mut self, op: Op, ty: u32, args: &[u32]) -> u32 {
        let key = (op, ty, args.to_vec());
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let id = self.declare(op, ty, args);
        self.known.insert(key, id);
        id
    }

    /// A declaration of its own.
    pub fn declare(&mut self, op: Op, ty: u32, args: &[u32]) -> u32 {
        let id = self.id();
        self.declarations.push(Inst::new(op, ty, id, args));
        id
    }

    pub fn ty(&mut self, op: Op, args: &[u32]) -> u32 {
        self.once(op, 0, args)
    }

    pub fn fresh_type(&mut self, op: Op, args: &[u32]) -> u32 {
        self.declare(op, 0, args)
    }

    pub fn pointer(&mut self, class: StorageClass, pointee: u32) -> u32 {
        self.ty(Op::TypePointer, &[class as u32, pointee])
    }

    pub fn array(&mut self, elem: u32, n: u32) -> u32 {
        let n = self.word(n);
        self.ty(Op::TypeArray, &[elem, n])
    }

    /// Words side by side, as buffers have them: a type of its own.
    pub fn words(&mut self, n: u32) -> u32 {
        let n = self.word(n);
        let words = self.fresh_type(Op::TypeArray, &[self.uint, n]);
        self.decorate(words, Decoration::ArrayStride, &[4]);
        words
    }

    pub fn vector(&mut self, elem: u32, n: u32) -> u32 {
        self.ty(Op::TypeVector, &[elem, n])
    }

    pub fn word(&mut self, n: u32) -> u32 {
        self.once(Op::Constant, self.uint, &[n])
    }

    pub fn real(&mut self, x: f32) -> u32 {
        self.once(Op::Constant, self.float, &[x.to_bits()])
    }

    /// A module's variable, or a function's if the class says so.
    pub fn variable(&mut self, class: StorageClass, pointee: u32) -> u32 {
        let ty = self.pointer(class, pointee);
        match class {
            StorageClass::Function => {
                let id = self.id();
                let i = Inst::new(Op::Variable, ty, id, [class as u32]);
                self.blocks[0].insts.insert(0, i);
                id
            }
            _ => self.declare(Op::Variable, ty, &[class as u32]),
        }
    }

    /// A storage buffer of a structure with members at these offsets.
    pub fn buffer(&mut self, members: &[u32], offsets: &[u32]) -> u32 {
        let block = self.fresh_type(Op::TypeStruct, members);
        self.decorate(block, Decoration::Block, &[]);
        for (n, &at) in offsets.iter().enumerate() {
            self.member(block, n as u32, Decoration::Offset, &[at]);
        }
        let id = self.variable(StorageClass::StorageBuffer, block);
        self.decorate(id, Decoration::DescriptorSet, &[0]);
        self.decorate(id, Decoration::Binding, &[self.bindings]);
        self.bindings += 1;
        self.interface.push(id);
        id
    }

    pub fn put(&mut self, op: Op, args: &[u32]) {
        self.blocks.last_mut().expect("an open block").insts.push(Inst::new(op, 0, 0, args));
    }

    /// An instruction with a result.
    pub fn emit(&mut self, op: Op, ty: u32, args: &[u32]) -> u32 {
        let id = self.id();
        self.blocks.last_mut().expect("an open block").insts.push(Inst::new(op, ty, id, args));
        id
    }

    pub fn add(&mut self, a: u32, b: u32) -> u32 {
        self.emit(Op::IAdd, self.uint, &[a, b])
    }

    pub fn less(&mut self, a: u32, b: u32) -> u32 {
        self.emit(Op::ULessThan, self.bool, &[a, b])
    }

    pub fn chain(&mut self, class: StorageClass, pointee: u32, base: u32, indexes: &[u32]) -> u32 {
        let ty = self.pointer(class, pointee);
        self.emit(Op::AccessChain, ty, &[&[base], indexes].concat())
    }

    /// The place of a word of the buffer.
    pub fn at(&mut self, index: u32) -> u32 {
        let zero = self.word(0);
        self.chain(StorageClass::StorageBuffer, self.uint, self.data, &[zero, index])
    }

    pub fn load(&mut self, index: u32) -> u32 {
        let p = self.at(index);
        self.emit(Op::Load, self.uint, &[p])
    }

    /// A word that only the run knows, another one for each lane.
    pub fn input(&mut self, n: u32) -> u32 {
        let n = self.word(n);
        let at = self.add(self.lane, n);
        self.load(at)
    }

    pub fn store(&mut self, index: u32, value: u32) {
        let p = self.at(index);
        self.put(Op::Store, &[p, value]);
    }

    /// `x` times all of the values.
    pub fn product(&mut self, x: u32, values: &[u32]) -> u32 {
        values.iter().fold(x, |x, &v| self.emit(Op::IMul, self.uint, &[x, v]))
    }

    /// Keeps a value from being dropped: each lane has a place that nobody reads.
    pub fn show(&mut self, value: u32) {
        let beyond = self.word(SHOWN);
        let at = self.add(self.lane, beyond);
        self.store(at, value);
    }

    /// The same for a float.
    pub fn show_real(&mut self, value: u32) {
        let value = self.emit(Op::ConvertFToU, self.uint, &[value]);
        self.show(value);
    }

    /// What follows is done by one lane; [`Sketch::close_if`] takes what this returns.
    pub fn only_first_lane(&mut self) -> u32 {
        let one = self.word(1);
        let first = self.less(self.lane, one);
        self.open_if(first)
    }

    pub fn label(&self) -> u32 {
        self.blocks.last().expect("an open block").label
    }

    pub fn open(&mut self, label: u32) {
        self.blocks.push(Block { label, insts: Vec::new() });
    }

    pub fn branch(&mut self, to: u32) {
        self.put(Op::Branch, &[to]);
    }

    /// Begins an `if` whose arms are `then` and `els`; neither is opened.
    pub fn choose(&mut self, cond: u32, then: u32, els: u32, merge: u32) {
        self.put(Op::SelectionMerge, &[merge, SelectionControl::NONE.bits()]);
        self.put(Op::BranchConditional, &[cond, then, els]);
    }

    /// Opens the arm of an `if`; [`Sketch::close_if`] takes what this returns.
    pub fn open_if(&mut self, cond: u32) -> u32 {
        let (then, merge) = (self.id(), self.id());
        self.choose(cond, then, merge, merge);
        self.open(then);
        merge
    }

    pub fn close_if(&mut self, merge: u32) {
        self.branch(merge);
        self.open(merge);
    }

    /// Opens the body of `for (counter = 0; counter < bound; counter++)`.
    pub fn open_loop(&mut self, bound: u32) -> Round {
        let [header, body, cont, merge, next] = [(); 5].map(|()| self.id());
        let (from, zero) = (self.label(), self.word(0));
        self.branch(header);
        self.open(header);
        let counter = self.emit(Op::Phi, self.uint, &[zero, from, next, cont]);
        let more = self.less(counter, bound);
        self.put(Op::LoopMerge, &[merge, cont, LoopControl::NONE.bits()]);
        self.put(Op::BranchConditional, &[more, body, merge]);
        self.open(body);
        Round { header, cont, merge, next, counter }
    }

    pub fn close_loop(&mut self, round: &Round) {
        let one = self.word(1);
        self.branch(round.cont);
        self.open(round.cont);
        let next = Inst::new(Op::IAdd, self.uint, round.next, [round.counter, one]);
        self.blocks.last_mut().expect("an open block").insts.push(next);
        self.branch(round.header);
        self.open(round.merge);
    }

    pub fn open_function(&mut self) {
        let label = self.id();
        self.blocks = vec![Block { label, insts: Vec::new() }];
    }

    /// A function of the blocks since [`Sketch::open_function`], which end in a terminator.
    pub fn close_function(&mut self, result: u32, params: &[(u32, u32)]) -> u32 {
        let types: Vec<u32> = [result].into_iter().chain(params.iter().map(|p| p.0)).collect();
        let ty = self.ty(Op::TypeFunction, &types);
        let def = Inst::new(Op::Function, result, self.id(), [FunctionControl::NONE.bits(), ty]);
        let id = def.id;
        let params = params.iter().map(|&(ty, id)| Inst::new(Op::FunctionParameter, ty, id, [])).collect();
        let blocks = std::mem::take(&mut self.blocks);
        self.functions.push(Function { def, params, blocks });
        id
    }

    /// Puts `main` aside, to write another function; [`Sketch::resume`] brings it back.
    pub fn suspend(&mut self) -> Vec<Block> {
        std::mem::take(&mut self.blocks)
    }

    pub fn resume(&mut self, main: Vec<Block>) {
        self.blocks = main;
    }

    pub fn entry(&mut self, function: u32, name: &str) {
        self.entries.push((function, name.to_string()));
    }

    /// Ends `main` and the module.
    pub fn finish(mut self) -> Vec<u32> {
        self.put(Op::Return, &[]);
        let main = self.close_function(self.void, &[]);
        self.entries.insert(0, (main, "main".to_string()));
        let mut globals = head(&self.capabilities, self.glsl);
        let interface: Vec<u32> = self.declarations.iter().filter(|i| i.op == Op::Variable).map(|i| i.id).collect();
        for (n, (function, name)) in self.entries.iter().enumerate() {
            let mut entry = vec![ExecutionModel::GLCompute as u32, *function];
            entry.extend(string(name));
            // Others than the first use nothing.
            entry.extend(interface.iter().filter(|_| n == 0));
            globals.push(Inst::new(Op::EntryPoint, 0, 0, entry));
        }
        for (function, _) in &self.entries {
            let mode = [*function, ExecutionMode::LocalSize as u32, 64, 1, 1];
            globals.push(Inst::new(Op::ExecutionMode, 0, 0, mode));
        }
        globals.append(&mut self.strings);
        globals.append(&mut self.annotations);
        globals.append(&mut self.declarations);
        Module { version: 0x1_0500, bound: self.next, globals, functions: self.functions }.words()
    }
}
