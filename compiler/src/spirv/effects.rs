//! Instructions with an effect or a place in control flow: variables, memory, calls, atomics, barriers.

use super::module::{ExtSet, Instr};
use super::operand::{Operand, Pointer, Root};
use super::refused::refusal;
use super::translate::Translator;
use super::types::{Layout, Ty};
use crate::error::Result;
use crate::ir::{self, Alu, Atomic, Scope, Space, Value, Width};
use spirv::{Decoration, MemoryAccess, MemorySemantics, Op};
use std::collections::{HashMap, HashSet};

/// Words of shared memory that a work-item clears at once: as wide as an instruction that writes it can be, on most generations.
const BLOCK: u32 = 4;

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
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR
                if i.arg(0).and_then(|s| self.m.ext_sets.get(&s)) == Some(&ExtSet::NonSemantic) =>
            {
                self.debug_value(i);
                return Ok(());
            }
            Op::ExtInst if i.arg(0).and_then(|s| self.m.ext_sets.get(&s)) == Some(&ExtSet::Print) => {
                return self.print(i);
            }
            // What has no value yet cannot be printed.
            Op::ExtInstWithForwardRefsKHR if i.arg(0).and_then(|s| self.m.ext_sets.get(&s)) == Some(&ExtSet::Print) => {
                return Ok(());
            }
            Op::Variable => return self.variable(i),
            Op::Load => {
                let p = self.arg(i, 0)?;
                let mut p = self.pointer(i, p)?;
                self.check_indexes(i, &mut p)?;
                self.check_alignment(i, &p, i.args.get(1..).unwrap_or(&[]))?;
                if let Some(handle) = self.load_opaque(i, &p)? {
                    return self.define(i, Operand::Opaque(handle));
                }
                if self.types.count(p.pointee) != self.types.count(i.ty) {
                    return Err(self.malformed(i, "the result is not of the pointee's type"));
                }
                if self.large(p.pointee) && self.goes_to_memory(i, &p) {
                    return self.define(i, Operand::Stored(p));
                }
                let value = self.load_operand(i, &p, i.args.get(1..).unwrap_or(&[]))?;
                self.input_read(&p, &value);
                return self.define(i, value);
            }
            Op::Store => {
                let (p, v) = (self.arg(i, 0)?, self.arg(i, 1)?);
                let mut p = self.pointer(i, p)?;
                self.check_indexes(i, &mut p)?;
                self.check_alignment(i, &p, i.args.get(2..).unwrap_or(&[]))?;
                if p.root == Root::Plain(Space::Constant) {
                    // The store that gives a constant array its value: done already.
                    return Ok(());
                }
                let v = self.operand(i, v)?;
                return self.store_operand(i, &p, &v, i.args.get(2..).unwrap_or(&[]));
            }
            Op::CopyMemory => {
                let (to, from) = (self.arg(i, 0)?, self.arg(i, 1)?);
                let (mut to, mut from) = (self.pointer(i, to)?, self.pointer(i, from)?);
                self.check_indexes(i, &mut to)?;
                self.check_indexes(i, &mut from)?;
                let (store, load) = copy_operands(i.args.get(2..).unwrap_or(&[]));
                self.check_alignment(i, &to, store)?;
                self.check_alignment(i, &from, load)?;
                if self.large(from.pointee) && self.types.count(from.pointee) == self.types.count(to.pointee) {
                    return self.copy(i, &to, &from, store, load);
                }
                let v = self.load_operand(i, &from, load)?;
                return self.store_operand(i, &to, &v, store);
            }
            Op::ArrayLength => {
                let v = self.array_length(i)?;
                return self.define(i, Operand::Flat(v));
            }
            Op::Phi => {
                // An edge that is translated later (a back edge) may come first to store here: the cells are made by whoever comes first.
                let slot = self.phi_slot(i)?;
                let value = self.read_slot(i, &slot)?;
                return self.define(i, value);
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
        if self.atomic(i)? || self.image(i)? || self.group(i)? || self.derivative(i)? {
            return Ok(());
        }
        if let Some(v) = self.value(i)? {
            self.check_numbers(i, &v)?;
            return self.define(i, v);
        }
        Err(self.unsupported(i, refusal(i.op).unwrap_or("no translation for this instruction")))
    }

    fn variable(&mut self, i: &Instr<'_>) -> Result<()> {
        let Ty::Pointer { pointee, .. } = *self.types.get(i.ty) else {
            return Err(self.malformed(i, "the type is no pointer"));
        };
        let mut p = Pointer::new(Root::Plain(Space::Scratch), pointee);
        p.volatile = self.m.decoration(i.id, Decoration::Volatile).is_some();
        p.name = self.name_of(i.id);
        if let Some(&value) = self.tables().get(&i.id) {
            p.root = Root::Plain(Space::Constant);
            p.offset = self.table(i, pointee, value)?;
            return self.define(i, Operand::Pointer(p));
        }
        p.offset = self.variable_place(i, pointee)?;
        self.name_variable(i.id, pointee, p.offset);
        if let Some(init) = i.arg(1) {
            let v = self.operand(i, init)?;
            self.store_operand(i, &p, &v, &[])?;
        }
        self.define(i, Operand::Pointer(p))
    }

    /// The initial value of a global variable. True: of shared memory, which all work-items write together, and must wait
    /// for.
    pub fn initialise(&mut self, i: &Instr<'_>, p: &Pointer, init: u32) -> Result<bool> {
        let value = self.operand(i, init)?;
        match p.root {
            Root::Plain(Space::Scratch) => self.store_operand(i, p, &value, &[]).map(|()| false),
            Root::Plain(Space::Lds) => {
                let zero = match &value {
                    Operand::Flat(v) => v.iter().all(|&v| self.b.known(v) == Some(0)),
                    other => matches!(other, Operand::Null),
                };
                if zero {
                    self.clear_shared(i, p)?
                } else {
                    self.first_writes(i, p, &value)?
                }
                Ok(true)
            }
            _ => Err(self.unsupported(i, "an initial value for this variable")),
        }
    }

    /// Every work-item clears each block of words whose number is its index modulo the group's size, and of the words behind the
    /// last whole round of blocks each whose number is.
    fn clear_shared(&mut self, i: &Instr<'_>, p: &Pointer) -> Result<()> {
        let items: u32 = self.workgroup.iter().product();
        let size = if p.layout.explicit {
            self.types.extent(p.pointee, p.layout).unwrap_or(0)
        } else {
            self.types.natural(p.pointee).0
        };
        let words = size.div_ceil(4);
        let index = self.b.builtin(ir::Builtin::LocalInvocationIndex);
        let blocks = if p.offset.is_multiple_of(4 * BLOCK) { words / BLOCK / items } else { 0 };
        self.clear_rounds(i, index, (p.offset, BLOCK), blocks)?;
        let cleared = blocks * BLOCK * items;
        let rest = words - cleared;
        self.clear_rounds(i, index, (p.offset + 4 * cleared, 1), rest / items)?;
        let last = rest % items;
        if last > 0 {
            let (count, offset) = (self.b.u32(last), p.offset + 4 * (words - last));
            let (zero, two) = (self.b.u32(0), self.b.u32(2));
            let address = self.b.alu(Alu::Shl, Width::B32, &[index, two]);
            let cond = self.b.alu(Alu::ULt, Width::B1, &[index, count]);
            self.only_where(i, cond, ir::Exit::Yield(Vec::new()), |t| {
                let store = ir::Op::Store { space: Space::Lds, offset, access: Default::default() };
                t.b.inst(store, vec![address, zero], &[]);
            });
        }
        Ok(())
    }

    /// From a place on, rounds in which each work-item clears so many words.
    fn clear_rounds(&mut self, i: &Instr<'_>, index: Value, (offset, words): (u32, u32), rounds: u32) -> Result<()> {
        let items: u32 = self.workgroup.iter().product();
        let (zero, shift) = (self.b.u32(0), self.b.u32((4 * words).trailing_zeros()));
        let address = self.b.alu(Alu::Shl, Width::B32, &[index, shift]);
        let access = ir::Access { align: 4 * words, ..Default::default() };
        self.repeat(i, rounds, |t, round| {
            let bytes = t.b.u32(items * 4 * words);
            let from = t.b.imul(round, bytes);
            let at = t.b.iadd(address, from);
            let args = std::iter::once(at).chain(std::iter::repeat_n(zero, words as usize)).collect();
            t.b.inst(ir::Op::Store { space: Space::Lds, offset, access }, args, &[]);
            Ok(())
        })
    }

    /// One work-item writes all of a shared variable.
    fn first_writes(&mut self, i: &Instr<'_>, p: &Pointer, value: &Operand) -> Result<()> {
        let (zero, index) = (self.b.u32(0), self.b.builtin(ir::Builtin::LocalInvocationIndex));
        let cond = self.b.alu(Alu::IEq, Width::B1, &[index, zero]);
        self.only_where(i, cond, ir::Exit::Yield(Vec::new()), |t| t.store_operand(i, p, value, &[]))
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
                || !match self.constants.get(&constant) {
                    Some(Operand::Flat(f)) => f.iter().all(|&v| self.b.known(v).is_some()),
                    other => matches!(other, Some(Operand::Stored(_))),
                }
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
        if let Some(Operand::Stored(p)) = self.constants.get(&constant) {
            return Ok(p.offset);
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
        let [lds, buffer, image] = memories(semantics);
        let memory = if lds || buffer || image { self.scope(i, memory)? } else { Scope::Invocation };
        self.b.inst(ir::Op::Barrier { execution, memory, lds, buffer, image }, vec![], &[]);
        Ok(())
    }

    /// The half of an atomic's semantics that comes before (release) or after it (acquire).
    fn fence(&mut self, i: &Instr<'_>, scope: u32, semantics: u32, half: MemorySemantics) -> Result<()> {
        let semantics = MemorySemantics::from_bits_truncate(self.literal(i, semantics)? as u32);
        let both = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::SEQUENTIALLY_CONSISTENT;
        let [lds, buffer, image] = memories(semantics);
        if semantics.intersects(half | both) && (lds || buffer || image) {
            let memory = self.scope(i, scope)?;
            self.b.inst(ir::Op::Barrier { execution: Scope::Invocation, memory, lds, buffer, image }, vec![], &[]);
        }
        Ok(())
    }

    /// True if `i` is an atomic.
    fn atomic(&mut self, i: &Instr<'_>) -> Result<bool> {
        let op = match i.op {
            Op::AtomicLoad => Atomic::Load,
            Op::AtomicStore => Atomic::Store,
            Op::AtomicExchange => Atomic::Exchange,
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
        let p = self.arg(i, 0)?;
        if let Operand::Opaque(texel) = self.operand(i, p)? {
            let (scope, semantics) = (self.arg(i, 1)?, self.arg(i, 2)?);
            self.fence(i, scope, semantics, MemorySemantics::RELEASE)?;
            self.texel_atomic(i, op, &texel)?;
            self.fence(i, scope, semantics, MemorySemantics::ACQUIRE)?;
            return Ok(true);
        }
        let mut p = self.pointer(i, p)?;
        self.check_indexes(i, &mut p)?;
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
        let widths: &[Width] = if op == Atomic::Store { &[] } else { &[width] };
        let (scope, semantics) = (self.arg(i, 1)?, self.arg(i, 2)?);
        self.fence(i, scope, semantics, MemorySemantics::RELEASE)?;
        let result = self.each_root(i, &p, widths, &mut |t, p| {
            let (space, mut args) = t.place(i, p)?;
            match space {
                Space::Buffer | Space::Global | Space::Lds => {
                    args.extend(&values);
                    Ok(t.b.inst(ir::Op::Atomic { op, space, offset: p.offset }, args, widths).into())
                }
                // Nobody else sees private memory.
                Space::Scratch => Ok(t.private_atomic(i, op, p, &values)?.into()),
                _ => Err(t.malformed(i, "an atomic on read-only memory")),
            }
        })?;
        self.fence(i, scope, semantics, MemorySemantics::ACQUIRE)?;
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

/// Whether semantics name LDS, buffers, images.
fn memories(semantics: MemorySemantics) -> [bool; 3] {
    [MemorySemantics::WORKGROUP_MEMORY, MemorySemantics::UNIFORM_MEMORY, MemorySemantics::IMAGE_MEMORY]
        .map(|memory| semantics.contains(memory))
}

/// The memory operands of an OpCopyMemory: of the target, and of the source, which without its own has the same.
fn copy_operands(operands: &[u32]) -> (&[u32], &[u32]) {
    let mask = MemoryAccess::from_bits_truncate(operands.first().copied().unwrap_or(0));
    let with_operand =
        [MemoryAccess::ALIGNED, MemoryAccess::MAKE_POINTER_AVAILABLE, MemoryAccess::MAKE_POINTER_VISIBLE];
    let first = 1 + with_operand.into_iter().filter(|&bit| mask.contains(bit)).count();
    match operands.split_at_checked(first) {
        Some((store, load)) if !load.is_empty() => (store, load),
        _ => (operands, operands),
    }
}
