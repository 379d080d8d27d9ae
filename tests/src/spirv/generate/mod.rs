//! Random valid modules whose results every implementation must agree on.
//!
//! Valid by construction: values come from a scope that holds what dominates a place, control flow is made of constructs,
//! what an instruction leaves undefined is kept out by masks. Every loop has a counter, so every module ends. Floats go only
//! through operations that round correctly, may not be contracted, and pass from floats to bits with one NaN and one zero.
//!
//! Buffers, all of set 0: binding 0, [`SLOTS`] words for each work-item; 1, [`INPUTS`] words to read; 2, a structure for
//! each work-item, of a random type with a random layout; 3, [`COUNTERS`] words for atomics; 4, a uniform buffer of
//! [`UNIFORMS`] structures. There are push constants, too.

mod calls;
mod flow;
mod memory;
mod operations;
mod order;
mod types;

use crate::random::Random;
use crate::spirv::{Block, Function, Inst, Module, head, string};
use flow::Construct;
use rspirv::spirv::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, Op, StorageClass,
};
use std::collections::{HashMap, HashSet};
use types::{Kind, Laid, Record};

pub const SLOTS: u32 = 12;
/// A power of two.
pub const INPUTS: u32 = 64;
/// A power of two.
pub const COUNTERS: u32 = 16;

/// Elements of the uniform buffer, a power of two.
pub const UNIFORMS: u32 = 4;

/// A module, and how to run it.
#[derive(Clone, Debug)]
pub struct Case {
    pub seed: u64,
    pub module: Module,
    pub groups: [u32; 3],
    /// Contents of bindings 0 to 4 before.
    pub buffers: [Vec<u8>; 5],
    pub push: Vec<u8>,
    /// Results may depend on the size of subgroups.
    pub subgroups: bool,
}

/// A value that may be used at the place that is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Val {
    id: u32,
    ty: u32,
    /// The same in the whole work-group.
    uniform: bool,
}

/// A variable, or a parameter that points to one.
#[derive(Clone, Copy, Debug)]
struct Var {
    id: u32,
    pointee: u32,
    class: StorageClass,
}

#[derive(Clone, Debug)]
struct Callee {
    id: u32,
    result: u32,
    /// Types of parameters; a pointer's pointee in the second place.
    params: Vec<(u32, Option<u32>)>,
}

struct Gen {
    r: Random,
    next: u32,
    kinds: HashMap<u32, Kind>,
    types: HashMap<Kind, u32>,
    pointers: HashMap<(u32, u32), u32>,
    constants: HashMap<(u32, Vec<u32>), u32>,
    /// Specialization constants, and what is made of them.
    specialised: HashSet<u32>,
    capabilities: Vec<Capability>,
    annotations: Vec<Inst>,
    declarations: Vec<Inst>,
    functions: Vec<Function>,
    callees: Vec<Callee>,
    glsl: u32,
    /// Scalar types that this module uses.
    scalars: Vec<u32>,
    globals: Vec<Var>,
    out: u32,
    input: u32,
    record: (u32, Record),
    counters: u32,
    /// Push constants and uniform buffers: variable, class, and the structure in them.
    blocks_to_read: Vec<(u32, StorageClass, Laid)>,
    push_bytes: u32,
    uniform_bytes: u32,
    shared: u32,
    workgroup: [u32; 3],
    // Of the function that is generated:
    blocks: Vec<Block>,
    scope: Vec<Val>,
    variables: Vec<Var>,
    constructs: Vec<Construct>,
    /// Selectors of 64 bits.
    wide: HashSet<u32>,
    result: u32,
    budget: usize,
    /// All of the work-group is here together.
    uniform: bool,
    /// Barriers and subgroup instructions may come: divergence stays inside of its construct.
    together: bool,
    main: bool,
    slot: u32,
    base: u32,
    global: u32,
    subgroups: bool,
    /// Pointers are values, too.
    pointer_values: bool,
    /// A Private variable with the index of the item's first slot.
    own_base: u32,
}

/// The module of a seed. `size` is about the number of statements.
pub fn case(seed: u64, size: usize) -> Case {
    let mut g = Gen::new(seed);
    for _ in 0..g.r.below(4) {
        g.budget = size / 3;
        g.callee();
    }
    g.budget = size;
    g.main();
    g.finish(seed)
}

impl Gen {
    fn new(seed: u64) -> Gen {
        let mut r = Random(seed ^ 0x5350_4952);
        let workgroup = r.pick(&[[64, 1, 1], [8, 4, 1], [40, 1, 1], [4, 2, 8], [33, 1, 1]]);
        let together = r.one_in(3);
        Gen {
            r,
            next: 1,
            kinds: HashMap::new(),
            types: HashMap::new(),
            pointers: HashMap::new(),
            constants: HashMap::new(),
            specialised: HashSet::new(),
            capabilities: vec![Capability::Shader],
            annotations: Vec::new(),
            declarations: Vec::new(),
            functions: Vec::new(),
            callees: Vec::new(),
            glsl: 0,
            scalars: Vec::new(),
            globals: Vec::new(),
            out: 0,
            input: 0,
            record: (0, Record::default()),
            counters: 0,
            blocks_to_read: Vec::new(),
            push_bytes: 0,
            uniform_bytes: 0,
            shared: 0,
            workgroup,
            blocks: Vec::new(),
            scope: Vec::new(),
            variables: Vec::new(),
            constructs: Vec::new(),
            wide: HashSet::new(),
            result: 0,
            budget: 0,
            uniform: false,
            together,
            main: false,
            slot: 0,
            base: 0,
            global: 0,
            subgroups: false,
            pointer_values: false,
            own_base: 0,
        }
        .with_resources()
    }

    fn with_resources(mut self) -> Gen {
        self.glsl = self.id();
        self.choose_scalars();
        self.out = self.word_buffer(0, None);
        self.input = self.word_buffer(1, Some(INPUTS));
        self.counters = self.word_buffer(3, Some(COUNTERS));
        self.record_buffer(2);
        self.uniform_buffer(4);
        self.push_constants();
        let items = self.workgroup.iter().product();
        let u32_type = self.uint();
        let shared = self.array(u32_type, items);
        self.shared = self.global_variable(shared, StorageClass::Workgroup, None);
        self.pointer_values = self.r.one_in(4);
        if self.pointer_values {
            self.need(Capability::VariablePointers);
            self.own_base = self.global_variable(u32_type, StorageClass::Private, None);
        }
        for _ in 0..self.r.below(3) {
            let ty = self.any_type();
            let init = self.constant_of(ty);
            let id = self.global_variable(ty, StorageClass::Private, Some(init));
            self.globals.push(Var { id, pointee: ty, class: StorageClass::Private });
        }
        self
    }

    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn need(&mut self, c: Capability) {
        if !self.capabilities.contains(&c) {
            self.capabilities.push(c);
        }
    }

    fn decorate(&mut self, id: u32, d: Decoration, args: &[u32]) {
        let mut words = vec![id, d as u32];
        words.extend(args);
        self.annotations.push(Inst::new(Op::Decorate, 0, 0, words));
    }

    fn put(&mut self, i: Inst) {
        self.blocks.last_mut().expect("an open block").insts.push(i);
    }

    /// An instruction with a result.
    fn emit(&mut self, op: Op, ty: u32, args: &[u32]) -> u32 {
        let id = self.id();
        self.put(Inst::new(op, ty, id, args));
        id
    }

    /// Makes a value usable from here on.
    fn offer(&mut self, id: u32, ty: u32, uniform: bool) {
        let uniform = uniform && self.uniform;
        self.scope.push(Val { id, ty, uniform });
    }

    fn builtin(&mut self, b: BuiltIn, ty: u32) -> u32 {
        let id = self.global_variable(ty, StorageClass::Input, None);
        self.decorate(id, Decoration::BuiltIn, &[b as u32]);
        self.emit(Op::Load, ty, &[id])
    }

    fn main(&mut self) {
        let (void, uint) = (self.void(), self.uint());
        self.begin_function(true, void);
        let v3 = self.vector(uint, 3);
        let index = self.builtin(BuiltIn::LocalInvocationIndex, uint);
        let local = self.builtin(BuiltIn::LocalInvocationId, v3);
        let group = self.builtin(BuiltIn::WorkgroupId, v3);
        let first = self.emit(Op::CompositeExtract, uint, &[group, 0]);
        let items = self.word(self.workgroup.iter().product());
        let start = self.emit(Op::IMul, uint, &[first, items]);
        self.global = self.emit(Op::IAdd, uint, &[start, index]);
        let slots = self.word(SLOTS);
        self.base = self.emit(Op::IMul, uint, &[self.global, slots]);
        if self.pointer_values {
            self.put(Inst::new(Op::Store, 0, 0, [self.own_base, self.base]));
        }
        for (id, ty, uniform) in [
            (index, uint, false),
            (local, v3, false),
            (group, v3, true),
            (first, uint, true),
            (self.global, uint, false),
        ] {
            self.offer(id, ty, uniform);
        }
        for _ in 0..self.r.below(3) {
            self.own_shared();
        }
        if self.body(0) {
            for _ in 0..3 {
                let v = self.some_value();
                self.show(v.id, v.ty);
            }
            if self.r.one_in(2) {
                self.keep_record();
            }
            self.put(Inst::new(Op::Return, 0, 0, []));
        }
        let def =
            Inst::new(Op::Function, void, self.id(), [FunctionControl::NONE.bits(), self.function_type(void, &[])]);
        self.end_function(def, Vec::new());
    }

    fn begin_function(&mut self, main: bool, result: u32) {
        let label = self.id();
        self.blocks = vec![Block { label, insts: Vec::new() }];
        self.scope.clear();
        self.variables = self.globals.clone();
        self.constructs.clear();
        (self.main, self.uniform, self.result) = (main, main && self.together, result);
        let variables: Vec<u32> = (0..1 + self.r.below(3)).map(|_| self.any_type()).collect();
        for pointee in variables {
            let init = self.constant_of(pointee);
            let ty = self.pointer(StorageClass::Function, pointee);
            let id = self.emit(Op::Variable, ty, &[StorageClass::Function as u32, init]);
            self.variables.push(Var { id, pointee, class: StorageClass::Function });
        }
    }

    fn end_function(&mut self, def: Inst, params: Vec<Inst>) {
        let blocks = std::mem::take(&mut self.blocks);
        let blocks = order::order(blocks, &self.wide, &mut self.r);
        self.functions.push(Function { def, params, blocks });
    }

    fn finish(mut self, seed: u64) -> Case {
        let main = self.functions.last().map_or(0, |f| f.def.id);
        let mut globals = head(&self.capabilities, self.glsl);
        let mut entry = vec![ExecutionModel::GLCompute as u32, main];
        entry.extend(string("main"));
        entry.extend(self.declarations.iter().filter(|i| i.op == Op::Variable).map(|i| i.id));
        globals.push(Inst::new(Op::EntryPoint, 0, 0, entry));
        let [x, y, z] = self.workgroup;
        globals.push(Inst::new(Op::ExecutionMode, 0, 0, [main, ExecutionMode::LocalSize as u32, x, y, z]));
        globals.append(&mut self.annotations);
        globals.append(&mut self.declarations);
        // Calls may go forwards and backwards.
        let mut functions = self.functions;
        self.r.shuffle(&mut functions);
        let groups = [1 + self.r.below(2) as u32, 1, 1];
        let items = (groups[0] * self.workgroup.iter().product::<u32>()) as usize;
        let mut data = |bytes: usize| (0..bytes).map(|_| self.r.bits() as u8).collect::<Vec<u8>>();
        let input: Vec<u8> = data(4 * INPUTS as usize / 2);
        let small = (0..INPUTS / 2).flat_map(u32::to_le_bytes);
        let buffers = [
            vec![0xcd; items * 4 * SLOTS as usize],
            small.chain(input).collect(),
            data(items * self.record.1.stride as usize),
            data(4 * COUNTERS as usize),
            data(self.uniform_bytes as usize),
        ];
        let push = data(self.push_bytes as usize);
        Case {
            seed,
            module: Module { version: 0x1_0500, bound: self.next, globals, functions },
            groups,
            buffers,
            push,
            subgroups: self.subgroups,
        }
    }
}
