//! Instructions with an effect or a place in control flow: variables, memory, calls, atomics, barriers.

use super::module::Instr;
use super::translate::{Operand, Pointer, Root, Translator};
use super::types::{Layout, Ty};
use crate::error::Result;
use crate::ir::{self, Alu, Atomic, Scope, Space, Value, Width};
use spirv::{MemorySemantics, Op};
use std::collections::{HashMap, HashSet};

impl Translator<'_> {
    pub fn instruction(&mut self, i: &Instr<'_>) -> Result<()> {
        self.b.exact = self.exact(i);
        if i.ty != 0 && !self.types.known(i.ty) {
            return Err(self.malformed(i, format!("%{} is no type", i.ty)));
        }
        match i.op {
            Op::Nop | Op::Line | Op::NoLine | Op::Name | Op::Label | Op::SelectionMerge | Op::LoopMerge => {
                return Ok(());
            }
            Op::LifetimeStart | Op::LifetimeStop | Op::AssumeTrueKHR => return Ok(()),
            Op::Variable => return self.variable(i),
            Op::Load => {
                let p = self.arg(i, 0)?;
                let p = self.pointer(i, p)?;
                if self.types.count(p.pointee) != self.types.count(i.ty) {
                    return Err(self.malformed(i, "the result is not of the pointee's type"));
                }
                let values = self.load(i, &p, i.args.get(1..).unwrap_or(&[]))?;
                return self.define(i, Operand::Flat(values));
            }
            Op::Store => {
                let (p, v) = (self.arg(i, 0)?, self.arg(i, 1)?);
                let p = self.pointer(i, p)?;
                if p.root == Root::Plain(Space::Constant) {
                    // The store that gives a constant array its value: done already.
                    return Ok(());
                }
                let v = self.flat(i, v)?;
                return self.store(i, &p, &v, i.args.get(2..).unwrap_or(&[]));
            }
            Op::CopyMemory => {
                let (to, from) = (self.arg(i, 0)?, self.arg(i, 1)?);
                let (to, from) = (self.pointer(i, to)?, self.pointer(i, from)?);
                let v = self.load(i, &from, i.args.get(2..).unwrap_or(&[]))?;
                return self.store(i, &to, &v, i.args.get(2..).unwrap_or(&[]));
            }
            Op::ArrayLength => {
                let v = self.array_length(i)?;
                return self.define(i, Operand::Flat(v));
            }
            Op::Phi => {
                // An edge that is translated later (a back edge) may come first to store here: the cells are made by whoever comes first.
                let cells = match self.frame().phis.get(&i.id) {
                    Some(c) => c.clone(),
                    None => {
                        let widths = self.types.widths(i.ty);
                        let c = self.cells(i, &widths)?;
                        self.frame().phis.insert(i.id, c.clone());
                        c
                    }
                };
                let values = self.load_cells(&cells);
                return self.define(i, Operand::Flat(values));
            }
            Op::FunctionCall => {
                let callee = self.arg(i, 0)?;
                let mut args = Vec::new();
                for &a in &i.args[1..] {
                    args.push(self.operand(i, a)?);
                }
                return match self.function(i, callee, args)? {
                    Some(value) => self.define(i, value),
                    None => Ok(()),
                };
            }
            Op::ControlBarrier => {
                let (execution, memory, semantics) = (self.arg(i, 0)?, self.arg(i, 1)?, self.arg(i, 2)?);
                let execution = self.scope(i, execution)?;
                return self.barrier(i, execution, memory, semantics);
            }
            Op::MemoryBarrier => {
                let (memory, semantics) = (self.arg(i, 0)?, self.arg(i, 1)?);
                return self.barrier(i, Scope::Invocation, memory, semantics);
            }
            Op::ReadClockKHR => {
                let scope = self.arg(i, 0)?;
                let realtime = self.scope(i, scope)? == Scope::Device;
                let v = self.b.inst(ir::Op::Clock { realtime }, vec![], &[Width::B64])[0];
                let flat = match self.types.get(i.ty) {
                    Ty::Vector { .. } => {
                        [self.b.alu(Alu::Lo32, Width::B32, &[v]), self.b.alu(Alu::Hi32, Width::B32, &[v])].into()
                    }
                    _ => [v].into(),
                };
                return self.define(i, Operand::Flat(flat));
            }
            _ => {}
        }
        if self.atomic(i)? || self.group(i)? {
            return Ok(());
        }
        if let Some(v) = self.value(i)? {
            return self.define(i, v);
        }
        if i.op == Op::ExtInst {
            return Ok(());
        }
        Err(self.unsupported(i, "no translation for this instruction"))
    }

    fn variable(&mut self, i: &Instr<'_>) -> Result<()> {
        let Ty::Pointer { pointee, .. } = *self.types.get(i.ty) else {
            return Err(self.malformed(i, "the type is no pointer"));
        };
        let mut p = Pointer {
            root: Root::Plain(Space::Scratch),
            dynamic: None,
            offset: 0,
            pointee,
            layout: Layout::default(),
            resource_array: false,
            readonly: false,
            coherent: false,
            volatile: false,
        };
        if let Some(&value) = self.tables().get(&i.id) {
            p.root = Root::Plain(Space::Constant);
            p.offset = self.table(i, pointee, value)?;
            return self.define(i, Operand::Pointer(p));
        }
        p.offset = self.local(i, pointee)?;
        if let Some(init) = i.arg(1) {
            let v = self.flat(i, init)?;
            self.store(i, &p, &v, &[])?;
        }
        self.define(i, Operand::Pointer(p))
    }

    /// The initial value of a global variable. Shared memory is zeroed by all work-items together.
    pub fn initialise(&mut self, i: &Instr<'_>, p: &Pointer, values: &[Value]) -> Result<()> {
        match p.root {
            Root::Plain(Space::Scratch) => self.store(i, p, values, &[]),
            Root::Plain(Space::Lds) => {
                let zero = self.b.u32(0);
                if values.iter().any(|&v| self.b.known(v) != Some(0)) {
                    return Err(self.unsupported(i, "shared memory with an initial value that is not zero"));
                }
                // Every work-item clears each word whose number is its index modulo the group's size.
                let items: u32 = self.workgroup.iter().product();
                let words = self.types.natural(p.pointee).0.div_ceil(4);
                let index = self.b.builtin(ir::Builtin::LocalInvocationIndex);
                let two = self.b.u32(2);
                let address = self.b.alu(Alu::Shl, Width::B32, &[index, two]);
                for round in 0..words.div_ceil(items) {
                    let left = words - round * items;
                    let offset = p.offset + round * items * 4;
                    let store = ir::Op::Store { space: Space::Lds, offset, access: Default::default() };
                    if left >= items {
                        self.b.inst(store, vec![address, zero], &[]);
                        continue;
                    }
                    let limit = self.b.u32(left);
                    let cond = self.b.alu(Alu::ULt, Width::B1, &[index, limit]);
                    self.begin();
                    self.b.inst(store, vec![address, zero], &[]);
                    let then = self.end(ir::Exit::Yield(Vec::new()));
                    self.begin();
                    let els = self.end(ir::Exit::Yield(Vec::new()));
                    self.b.push(ir::Node::If { cond, then, els, results: Vec::new(), loc: i.loc });
                }
                let barrier =
                    ir::Op::Barrier { execution: Scope::WorkGroup, memory: Scope::WorkGroup, lds: true, buffer: false };
                self.b.inst(barrier, vec![], &[]);
                Ok(())
            }
            _ => Err(self.unsupported(i, "an initial value for this variable")),
        }
    }

    /// Function variables that are arrays with one constant value: variable → constant.
    fn tables(&mut self) -> &HashMap<u32, u32> {
        if self.constant_tables.is_none() {
            self.constant_tables = Some(self.find_tables());
        }
        self.constant_tables.get_or_insert_default()
    }

    fn find_tables(&self) -> HashMap<u32, u32> {
        let mut root: HashMap<u32, u32> = HashMap::new();
        let mut value: HashMap<u32, u32> = HashMap::new();
        let mut refused: HashSet<u32> = HashSet::new();
        let mut give = |var: u32, constant: u32, refused: &mut HashSet<u32>| {
            if *value.entry(var).or_insert(constant) != constant
                || !matches!(self.constants.get(&constant), Some(Operand::Flat(f)) if f.iter().all(|&v| self.b.known(v).is_some()))
            {
                refused.insert(var);
            }
        };
        for i in &self.m.instrs[self.m.globals.end..] {
            let base = i.arg(0).and_then(|a| root.get(&a)).copied();
            match (i.op, base) {
                (Op::Variable, _) => {
                    if let Ty::Pointer { pointee, .. } = self.types.get(i.ty)
                        && matches!(self.types.get(*pointee), Ty::Array { .. })
                    {
                        root.insert(i.id, i.id);
                        if let Some(init) = i.arg(1) {
                            give(i.id, init, &mut refused);
                        }
                    }
                }
                (Op::AccessChain | Op::InBoundsAccessChain, Some(var)) => {
                    root.insert(i.id, var);
                }
                (Op::Load, Some(_)) => {}
                (Op::Store, Some(var)) if i.arg(0) == Some(var) => give(var, i.arg(1).unwrap_or(0), &mut refused),
                _ => refused.extend(i.args.iter().filter_map(|a| root.get(a))),
            }
        }
        value.retain(|var, _| !refused.contains(var));
        value
    }

    /// The constant's bytes in the kernel's read-only data; their offset.
    fn table(&mut self, i: &Instr<'_>, pointee: u32, constant: u32) -> Result<u32> {
        if let Some(&at) = self.placed_tables.get(&constant) {
            return Ok(at);
        }
        let values = self.flat(i, constant)?;
        let Some(leaves) = self.types.leaves(pointee, 0, Layout::default()).filter(|l| l.len() == values.len()) else {
            return Err(self.malformed(i, "the initial value is not of the variable's type"));
        };
        let data = &mut self.b.kernel.constants;
        data.resize(data.len().next_multiple_of(16), 0);
        let start = data.len();
        data.resize(start + self.types.natural(pointee).0 as usize, 0);
        for (leaf, &v) in leaves.iter().zip(&*values) {
            let bits = self.b.known(v).unwrap_or(0).to_le_bytes();
            let size = if leaf.width == Width::B1 { 4 } else { leaf.width.bits() as usize / 8 };
            let at = start + leaf.offset as usize;
            self.b.kernel.constants[at..at + size].copy_from_slice(&bits[..size]);
        }
        self.placed_tables.insert(constant, start as u32);
        Ok(start as u32)
    }

    pub fn scope(&mut self, i: &Instr<'_>, id: u32) -> Result<Scope> {
        Ok(match self.literal(i, id)? {
            2 => Scope::WorkGroup,
            3 => Scope::Subgroup,
            4 => Scope::Invocation,
            _ => Scope::Device,
        })
    }

    fn barrier(&mut self, i: &Instr<'_>, execution: Scope, memory: u32, semantics: u32) -> Result<()> {
        let semantics = MemorySemantics::from_bits_truncate(self.literal(i, semantics)? as u32);
        let lds = semantics.contains(MemorySemantics::WORKGROUP_MEMORY);
        let buffer = semantics.intersects(MemorySemantics::UNIFORM_MEMORY | MemorySemantics::IMAGE_MEMORY);
        let memory = if lds || buffer { self.scope(i, memory)? } else { Scope::Invocation };
        self.b.inst(ir::Op::Barrier { execution, memory, lds, buffer }, vec![], &[]);
        Ok(())
    }

    /// True if `i` is an atomic.
    fn atomic(&mut self, i: &Instr<'_>) -> Result<bool> {
        let op = match i.op {
            Op::AtomicLoad => Atomic::Load,
            Op::AtomicStore => Atomic::Store,
            Op::AtomicExchange | Op::AtomicFlagTestAndSet => Atomic::Exchange,
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => Atomic::CompareExchange,
            Op::AtomicIIncrement | Op::AtomicIAdd => Atomic::Add,
            Op::AtomicIDecrement | Op::AtomicISub => Atomic::Sub,
            Op::AtomicSMin => Atomic::SMin,
            Op::AtomicUMin => Atomic::UMin,
            Op::AtomicSMax => Atomic::SMax,
            Op::AtomicUMax => Atomic::UMax,
            Op::AtomicAnd => Atomic::And,
            Op::AtomicOr => Atomic::Or,
            Op::AtomicXor => Atomic::Xor,
            Op::AtomicFAddEXT => Atomic::FAdd,
            Op::AtomicFMinEXT => Atomic::FMin,
            Op::AtomicFMaxEXT => Atomic::FMax,
            _ => return Ok(false),
        };
        if i.op == Op::AtomicFlagTestAndSet {
            return Err(self.unsupported(i, "OpenCL atomic flags"));
        }
        let p = self.arg(i, 0)?;
        let p = self.pointer(i, p)?;
        let Some(width) = self.types.scalar_width(p.pointee).filter(|w| matches!(w, Width::B32 | Width::B64)) else {
            return Err(self.unsupported(i, "an atomic on something other than a 32- or 64-bit scalar"));
        };
        // Operands: pointer, scope, semantics, (unequal semantics,) value (, comparator).
        let data: Vec<u32> = match op {
            Atomic::Load => vec![],
            Atomic::CompareExchange => vec![self.arg(i, 4)?, self.arg(i, 5)?],
            _ if matches!(i.op, Op::AtomicIIncrement | Op::AtomicIDecrement) => vec![],
            _ => vec![self.arg(i, 3)?],
        };
        let mut values = Vec::new();
        for id in data {
            let v = self.scalar(i, id)?;
            if self.b.width(v) != width {
                return Err(self.malformed(i, "the value is not of the pointee's type"));
            }
            values.push(v);
        }
        if matches!(i.op, Op::AtomicIIncrement | Op::AtomicIDecrement) {
            values.push(self.b.constant(width, 1));
        }
        let (space, mut args) = self.place(i, &p)?;
        let result = match space {
            Space::Buffer | Space::Global | Space::Lds => {
                args.extend(values);
                let widths: &[Width] = if op == Atomic::Store { &[] } else { &[width] };
                self.b.inst(ir::Op::Atomic { op, space, offset: p.offset }, args, widths)
            }
            // Nobody else sees private memory.
            Space::Scratch => self.private_atomic(i, op, &p, &values)?,
            _ => return Err(self.malformed(i, "an atomic on read-only memory")),
        };
        if let Some(&v) = result.first().filter(|_| i.id != 0) {
            self.define(i, Operand::Flat([v].into()))?;
        }
        Ok(true)
    }

    fn private_atomic(&mut self, i: &Instr<'_>, op: Atomic, p: &Pointer, values: &[Value]) -> Result<Vec<Value>> {
        let old = if op == Atomic::Store { values[0] } else { self.load(i, p, &[])?[0] };
        let width = self.b.width(old);
        let alu = |a: Alu, t: &mut Self| t.b.alu(a, width, &[old, values[0]]);
        let new = match op {
            Atomic::Load => return Ok(vec![old]),
            Atomic::Store | Atomic::Exchange => values[0],
            Atomic::CompareExchange => {
                let same = self.b.alu(Alu::IEq, Width::B1, &[old, values[1]]);
                self.b.select(same, values[0], old)
            }
            Atomic::Add => alu(Alu::IAdd, self),
            Atomic::Sub => alu(Alu::ISub, self),
            Atomic::SMin => alu(Alu::SMin, self),
            Atomic::SMax => alu(Alu::SMax, self),
            Atomic::UMin => alu(Alu::UMin, self),
            Atomic::UMax => alu(Alu::UMax, self),
            Atomic::And => alu(Alu::And, self),
            Atomic::Or => alu(Alu::Or, self),
            Atomic::Xor => alu(Alu::Xor, self),
            Atomic::FAdd => alu(Alu::FAdd, self),
            Atomic::FMin => alu(Alu::FMin, self),
            Atomic::FMax => alu(Alu::FMax, self),
        };
        self.store(i, p, &[new], &[])?;
        Ok(vec![old])
    }
}
