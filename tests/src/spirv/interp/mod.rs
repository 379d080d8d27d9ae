//! A plain interpreter of SPIR-V compute modules, written from the specification: the second implementation that compiled
//! modules are compared with.
//!
//! One work-item at a time, an instruction at a time, until it ends or comes to where others are awaited: a barrier of the
//! work-group, or an instruction of a subgroup. When all of these have come, it is done for all, and they go on. Memory is
//! sequentially consistent. What the specification leaves undefined is a [`Fault`], and so is what is not here: images,
//! physical pointers, and instructions of a subgroup that not all of it reaches together.

mod alu;
mod exec;
pub(crate) mod float;
mod group;
mod memory;
mod value;

use crate::spirv::{Inst, Module};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, Op, StorageClass};
use std::collections::HashMap;
use value::{Root, Type, Types, Value};

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub String);

impl Fault {
    pub fn new(why: impl Into<String>) -> Fault {
        Fault(why.into())
    }
}

/// Inputs and outputs.
#[derive(Clone, Debug)]
pub struct Machine {
    /// By set and binding.
    pub buffers: HashMap<(u32, u32), Vec<u8>>,
    pub push: Vec<u8>,
    pub groups: [u32; 3],
    /// Work-items of a subgroup.
    pub subgroup: u32,
    /// Instructions that all work-items together may execute.
    pub steps: u64,
    /// By variable and byte: the work-item that stored there, to find those that race.
    writers: HashMap<(u32, u32), u32>,
}

impl Machine {
    pub fn new(buffers: HashMap<(u32, u32), Vec<u8>>, groups: [u32; 3], subgroup: u32, steps: u64) -> Machine {
        Machine { buffers, push: Vec::new(), groups, subgroup, steps, writers: HashMap::new() }
    }
}

/// A module, ready to run.
pub struct Program<'a> {
    m: &'a Module,
    types: Types,
    /// Constants by id.
    constants: Vec<Option<Value>>,
    /// Types by id, of everything that has one.
    type_of: Vec<u32>,
    functions: HashMap<u32, usize>,
    /// Blocks of each function by label.
    labels: Vec<HashMap<u32, usize>>,
    /// The id of the import of GLSL.std.450.
    glsl: u32,
    entry: u32,
    pub workgroup: [u32; 3],
    /// Variables outside of functions: id, storage class, pointee, initialiser.
    variables: Vec<(u32, StorageClass, u32, Option<u32>)>,
}

/// What a work-item waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WorkItemState {
    Ready,
    Barrier,
    Subgroup,
    Done,
}

struct Frame {
    function: usize,
    block: usize,
    at: usize,
    /// The label of the block that control came from.
    previous: u32,
    values: Vec<Option<Value>>,
    /// The call's result in the frame before.
    result: u32,
}

struct Item {
    /// In its work-group, and among all.
    index: u32,
    number: u32,
    state: WorkItemState,
    frames: Vec<Frame>,
    /// Private and Input variables.
    own: HashMap<u32, Value>,
    /// Function variables by number.
    locals: Vec<Value>,
}

impl<'a> Program<'a> {
    /// The module's only entry point.
    pub fn new(m: &'a Module) -> Result<Program<'a>, Fault> {
        let bound = m.bound as usize;
        let mut p = Program {
            m,
            types: Types::default(),
            constants: vec![None; bound],
            type_of: vec![0; bound],
            functions: m.functions.iter().enumerate().map(|(n, f)| (f.def.id, n)).collect(),
            labels: Vec::new(),
            glsl: 0,
            entry: 0,
            workgroup: [1; 3],
            variables: Vec::new(),
        };
        for f in &m.functions {
            p.labels.push(f.blocks.iter().enumerate().map(|(n, b)| (b.label, n)).collect());
        }
        p.types.decorate(m);
        for i in m.globals.iter().chain(m.functions.iter().flat_map(|f| &f.params)).chain(m.body()) {
            if i.id as usize >= bound || i.ty as usize >= bound {
                return Err(Fault::new("an id above the bound"));
            }
            p.type_of[i.id as usize] = i.ty;
        }
        for i in &m.globals {
            p.global(i)?;
        }
        Ok(p)
    }

    fn global(&mut self, i: &Inst) -> Result<(), Fault> {
        match i.op {
            Op::ExtInstImport => self.glsl = i.id,
            Op::EntryPoint => self.entry = i.args[1],
            Op::ExecutionMode if i.args[1] == ExecutionMode::LocalSize as u32 => {
                self.workgroup.copy_from_slice(&i.args[2..5]);
            }
            Op::ConstantTrue | Op::SpecConstantTrue => self.constant(i.id, Value::Bits(1)),
            Op::ConstantFalse | Op::SpecConstantFalse => self.constant(i.id, Value::Bits(0)),
            Op::Constant | Op::SpecConstant => {
                let high = i.args.get(1).copied().unwrap_or(0);
                let bits = self.scalar_type(i.ty)?.bits;
                self.constant(i.id, Value::Bits(alu::cut(bits, u64::from(high) << 32 | u64::from(i.args[0]))));
            }
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let parts = i.args.iter().map(|&a| self.constants[a as usize].clone());
                let parts = parts.collect::<Option<_>>().ok_or_else(|| Fault::new("a constant of what is none"))?;
                self.constant(i.id, Value::Many(parts));
            }
            Op::ConstantNull | Op::Undef => self.constant(i.id, self.types.zero(i.ty)),
            Op::SpecConstantOp => {
                let op = Op::from_u32(i.args[0]).ok_or_else(|| Fault::new("OpSpecConstantOp"))?;
                let inner = Inst::new(op, i.ty, i.id, &i.args[1..]);
                let get = |id: u32| self.constants[id as usize].clone().ok_or_else(|| Fault::new("no constant"));
                let value = exec::compute(self, &inner, &get)?;
                self.constant(i.id, value);
            }
            Op::Variable => {
                let Type::Pointer { class, to } = *self.types.get(i.ty) else { return Err(Fault::new("OpVariable")) };
                self.variables.push((i.id, class, to, i.args.get(1).copied()));
            }
            op if (Op::TypeVoid as u32..=Op::TypeFunction as u32).contains(&(op as u32)) => {
                let constants = &self.constants;
                self.types.declare(i, |id| constants.get(id as usize)?.as_ref().map(Value::bits));
            }
            _ => {}
        }
        Ok(())
    }

    fn constant(&mut self, id: u32, value: Value) {
        self.constants[id as usize] = Some(value);
    }

    fn root(&self, variable: u32, class: StorageClass) -> Root {
        match class {
            StorageClass::Private | StorageClass::Input => Root::Item(variable),
            StorageClass::Workgroup => Root::Workgroup(variable),
            _ => Root::External(variable),
        }
    }

    /// Runs all work-groups, one after the other.
    pub fn run(&self, machine: &mut Machine) -> Result<(), Fault> {
        let [nx, ny, nz] = machine.groups;
        for group in 0..nx * ny * nz {
            self.group([group % nx, group / nx % ny, group / nx / ny], machine)?;
        }
        Ok(())
    }

    fn group(&self, group: [u32; 3], machine: &mut Machine) -> Result<(), Fault> {
        let shared = self.variables.iter().filter(|v| v.1 == StorageClass::Workgroup);
        let mut shared: HashMap<u32, Value> = shared.map(|&(id, _, to, _)| (id, self.types.zero(to))).collect();
        let size = self.workgroup.iter().product();
        let mut items = (0..size).map(|n| self.item(n, group, machine)).collect::<Result<Vec<_>, Fault>>()?;
        loop {
            for item in &mut items {
                while item.state == WorkItemState::Ready {
                    machine.steps = machine.steps.checked_sub(1).ok_or_else(|| Fault::new("too many steps"))?;
                    self.step(item, &mut shared, machine)?;
                }
            }
            if items.iter().all(|i| i.state == WorkItemState::Done) {
                return Ok(());
            }
            let mut moved = false;
            for part in items.chunks_mut(machine.subgroup as usize) {
                if part.iter().any(|i| i.state == WorkItemState::Subgroup) {
                    self.subgroup(part, machine.subgroup)?;
                    moved = true;
                }
            }
            if !moved {
                // A barrier that some never reach is undefined.
                if items.iter().any(|i| i.state != WorkItemState::Barrier) {
                    return Err(Fault::new("a barrier that not all reach"));
                }
                items.iter_mut().for_each(|i| i.state = WorkItemState::Ready);
            }
        }
    }

    fn item(&self, index: u32, group: [u32; 3], machine: &Machine) -> Result<Item, Fault> {
        let [sx, sy, _] = self.workgroup;
        let local = [index % sx, index / sx % sy, index / sx / sy];
        let three = |v: [u32; 3]| Value::Many(v.iter().map(|&x| Value::Bits(u64::from(x))).collect());
        let one = |x: u32| Value::Bits(u64::from(x));
        let mut own = HashMap::new();
        for &(id, class, to, init) in &self.variables {
            let value = match (class, self.types.number(id, Decoration::BuiltIn).and_then(BuiltIn::from_u32)) {
                (StorageClass::Private, _) => match init.and_then(|i| self.constants[i as usize].clone()) {
                    Some(v) => v,
                    None => self.types.zero(to),
                },
                (StorageClass::Input, Some(builtin)) => match builtin {
                    BuiltIn::LocalInvocationId => three(local),
                    BuiltIn::WorkgroupId => three(group),
                    BuiltIn::NumWorkgroups => three(machine.groups),
                    BuiltIn::WorkgroupSize => three(self.workgroup),
                    BuiltIn::GlobalInvocationId => {
                        three(std::array::from_fn(|d| group[d] * self.workgroup[d] + local[d]))
                    }
                    BuiltIn::LocalInvocationIndex => one(index),
                    BuiltIn::SubgroupSize => one(machine.subgroup),
                    BuiltIn::SubgroupId => one(index / machine.subgroup),
                    BuiltIn::SubgroupLocalInvocationId => one(index % machine.subgroup),
                    BuiltIn::NumSubgroups => one(self.workgroup.iter().product::<u32>().div_ceil(machine.subgroup)),
                    other => return Err(Fault::new(format!("built-in {other:?}"))),
                },
                _ => continue,
            };
            own.insert(id, value);
        }
        let [gx, gy, _] = machine.groups;
        let group_number = (group[2] * gy + group[1]) * gx + group[0];
        let number = group_number * self.workgroup.iter().product::<u32>() + index;
        let mut item = Item { index, number, state: WorkItemState::Ready, frames: Vec::new(), own, locals: Vec::new() };
        self.call(&mut item, self.entry, Vec::new(), 0)?;
        Ok(item)
    }

    fn call(&self, item: &mut Item, function: u32, args: Vec<Value>, result: u32) -> Result<(), Fault> {
        let &function = self.functions.get(&function).ok_or_else(|| Fault::new("no such function"))?;
        let f = &self.m.functions[function];
        if item.frames.len() > 100 || f.blocks.is_empty() || f.params.len() != args.len() {
            return Err(Fault::new("a call that cannot be"));
        }
        let mut values = vec![None; self.m.bound as usize];
        for (p, a) in f.params.iter().zip(args) {
            values[p.id as usize] = Some(a);
        }
        item.frames.push(Frame { function, block: 0, at: 0, previous: 0, values, result });
        Ok(())
    }

    fn scalar_type(&self, ty: u32) -> Result<alu::Scalar, Fault> {
        use alu::{Kind, Scalar};
        Ok(match *self.types.get(ty) {
            Type::Bool => Scalar { bits: 1, kind: Kind::Bool },
            Type::Int { bits, signed: true } => Scalar { bits, kind: Kind::Signed },
            Type::Int { bits, .. } => Scalar { bits, kind: Kind::Unsigned },
            Type::Float { bits } => Scalar { bits, kind: Kind::Float },
            Type::Vector { of, .. } | Type::Matrix { of, .. } => return self.scalar_type(of),
            _ => return Err(Fault::new("no scalar")),
        })
    }
}
