//! Variables, buffers, and what comes out of a module.

use super::types::{Kind, Laid};
use super::{COUNTERS, Gen, INPUTS, Inst, SLOTS, UNIFORMS, Val, Var};
use rspirv::spirv::{Capability, GlslStd450Op as GLOp, MemorySemantics, Op, Scope, StorageClass};

impl Gen {
    /// An access chain from a variable to some part of it: (pointer, type there).
    fn some_part(&mut self, base: u32, class: StorageClass, mut ty: u32) -> (u32, u32) {
        let mut indexes = Vec::new();
        while !self.part_types(ty).is_empty() && !self.r.one_in(4) {
            let parts = self.part_types(ty);
            let n = parts.len() as u32;
            let (index, part) = match self.kind(ty) {
                // A structure's index is a constant.
                Kind::Struct(_) => {
                    let at = self.r.below(parts.len());
                    (self.word(at as u32), parts[at])
                }
                _ => (self.index_below(n), parts[0]),
            };
            indexes.push(index);
            ty = part;
        }
        if indexes.is_empty() {
            return (base, ty);
        }
        let pointer = self.pointer(class, ty);
        let op = if self.r.one_in(2) { Op::AccessChain } else { Op::InBoundsAccessChain };
        indexes.insert(0, base);
        (self.emit(op, pointer, &indexes), ty)
    }

    /// A word below `n`.
    pub fn index_below(&mut self, n: u32) -> u32 {
        if self.r.one_in(3) {
            let at = self.r.below(n as usize) as u32;
            return self.word(at);
        }
        let uint = self.uint();
        let (v, n) = (self.value(uint), self.word(n));
        self.emit(Op::UMod, uint, &[v, n])
    }

    pub fn load_variable(&mut self) {
        if self.variables.is_empty() {
            return;
        }
        let at = self.r.below(self.variables.len());
        let v = self.variables[at];
        let (pointer, ty) = self.some_part(v.id, v.class, v.pointee);
        let id = self.emit(Op::Load, ty, &[pointer]);
        self.offer(id, ty, false);
    }

    pub fn store_variable(&mut self) {
        if self.variables.is_empty() {
            return;
        }
        let at = self.r.below(self.variables.len());
        let v = self.variables[at];
        let same: Vec<u32> =
            self.variables.iter().filter(|o| o.pointee == v.pointee && o.id != v.id).map(|o| o.id).collect();
        if !same.is_empty() && self.r.one_in(3) {
            let from = self.r.pick(&same);
            return self.put(Inst::new(Op::CopyMemory, 0, 0, [v.id, from]));
        }
        let (pointer, ty) = self.some_part(v.id, v.class, v.pointee);
        let value = self.value(ty);
        self.put(Inst::new(Op::Store, 0, 0, [pointer, value]));
    }

    /// A word of the buffer `variable` at `index`.
    fn word_at(&mut self, variable: u32, index: u32) -> u32 {
        let uint = self.uint();
        let (pointer, zero) = (self.pointer(StorageClass::StorageBuffer, uint), self.word(0));
        self.emit(Op::AccessChain, pointer, &[variable, zero, index])
    }

    pub fn load_input(&mut self) {
        let uint = self.uint();
        let v = self.pick_value(uint);
        let mask = self.word(INPUTS - 1);
        let index = self.emit(Op::BitwiseAnd, uint, &[v.id, mask]);
        let pointer = self.word_at(self.input, index);
        let id = self.emit(Op::Load, uint, &[pointer]);
        self.offer(id, uint, v.uniform);
    }

    /// Adds to a word that others add to, too: the order makes no difference, and the result is not looked at.
    pub fn count(&mut self) {
        let uint = self.uint();
        let index = self.index_below(COUNTERS);
        // A word is only ever changed by one kind of instruction.
        let (op, lane) = self.r.pick(&[
            (Op::AtomicIAdd, 0),
            (Op::AtomicUMax, 1),
            (Op::AtomicXor, 2),
            (Op::AtomicOr, 3),
            (Op::AtomicSMin, 4),
            (Op::AtomicAnd, 5),
            (Op::AtomicUMin, 6),
            (Op::AtomicSMax, 7),
        ]);
        let (eight, lane) = (self.word(COUNTERS - 8), self.word(lane));
        let index = self.emit(Op::BitwiseAnd, uint, &[index, eight]);
        let index = self.emit(Op::BitwiseOr, uint, &[index, lane]);
        let pointer = self.word_at(self.counters, index);
        let (scope, semantics) = (self.word(Scope::Device as u32), self.word(0));
        let value = self.value(uint);
        self.emit(op, uint, &[pointer, scope, semantics, value]);
    }

    /// Where all come together: each gives a word and takes another's.
    pub fn exchange(&mut self) {
        let uint = self.uint();
        let items: u32 = self.workgroup.iter().product();
        let (pointer, n) = (self.pointer(StorageClass::Workgroup, uint), self.word(items));
        let first = self.scope[0].id;
        let to = self.emit(Op::AccessChain, pointer, &[self.shared, first]);
        let value = self.value(uint);
        self.put(Inst::new(Op::Store, 0, 0, [to, value]));
        self.barrier();
        let other = self.value(uint);
        let other = self.emit(Op::UMod, uint, &[other, n]);
        let from = self.emit(Op::AccessChain, pointer, &[self.shared, other]);
        let id = self.emit(Op::Load, uint, &[from]);
        self.barrier();
        self.offer(id, uint, false);
    }

    fn barrier(&mut self) {
        let workgroup = self.word(Scope::Workgroup as u32);
        let semantics = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::WORKGROUP_MEMORY;
        let semantics = self.word(semantics.bits());
        self.put(Inst::new(Op::ControlBarrier, 0, 0, [workgroup, workgroup, semantics]));
    }

    /// An instruction of the subgroup, where all of it is.
    pub fn subgroup(&mut self) {
        self.subgroups = true;
        self.need(Capability::GroupNonUniform);
        let (uint, bool) = (self.uint(), self.bool());
        let scope = self.word(Scope::Subgroup as u32);
        let integers = [
            Op::GroupNonUniformIAdd,
            Op::GroupNonUniformUMin,
            Op::GroupNonUniformUMax,
            Op::GroupNonUniformSMin,
            Op::GroupNonUniformSMax,
            Op::GroupNonUniformBitwiseAnd,
            Op::GroupNonUniformBitwiseOr,
            Op::GroupNonUniformBitwiseXor,
        ];
        let (id, ty) = match self.r.below(6) {
            0 => (self.emit(Op::GroupNonUniformElect, bool, &[scope]), bool),
            1 => {
                self.need(Capability::GroupNonUniformVote);
                let op = self.r.pick(&[Op::GroupNonUniformAll, Op::GroupNonUniformAny]);
                let v = self.value(bool);
                (self.emit(op, bool, &[scope, v]), bool)
            }
            2 => {
                self.need(Capability::GroupNonUniformBallot);
                let (v, v4) = (self.value(bool), self.vector(uint, 4));
                (self.emit(Op::GroupNonUniformBallot, v4, &[scope, v]), v4)
            }
            3 => {
                self.need(Capability::GroupNonUniformBallot);
                let ty = self.scalar_type();
                let v = self.value(ty);
                (self.emit(Op::GroupNonUniformBroadcastFirst, ty, &[scope, v]), ty)
            }
            _ => {
                self.need(Capability::GroupNonUniformArithmetic);
                let op = self.r.pick(&integers);
                let kind = self.r.below(3) as u32;
                let v = self.value(uint);
                (self.emit(op, uint, &[scope, kind, v]), uint)
            }
        };
        self.offer(id, ty, false);
    }

    /// A float with one NaN and one zero: what may be seen as bits.
    pub fn plain_float(&mut self, v: u32, ty: u32) -> u32 {
        let bool = self.bool();
        let condition = self.like(ty, bool);
        let zero = self.null(ty);
        let nan = self.emit(Op::IsNan, condition, &[v]);
        let is_zero = self.emit(Op::FOrdEqual, condition, &[v, zero]);
        let none = self.emit(Op::LogicalOr, condition, &[nan, is_zero]);
        self.emit(Op::Select, ty, &[none, zero, v])
    }

    pub fn null(&mut self, ty: u32) -> u32 {
        let id = self.id();
        self.declarations.push(Inst::new(Op::ConstantNull, ty, id, []));
        id
    }

    /// Stores words that hold all of a value to the item's slots.
    pub fn show(&mut self, v: u32, ty: u32) {
        let parts = self.part_types(ty);
        if !parts.is_empty() {
            for (n, part) in parts.into_iter().enumerate().take(3) {
                let id = self.emit(Op::CompositeExtract, part, &[v, n as u32]);
                self.show(id, part);
            }
            return;
        }
        let uint = self.uint();
        match self.kind(ty) {
            Kind::Bool => {
                let (one, zero) = (self.word(1), self.word(0));
                let id = self.emit(Op::Select, uint, &[v, one, zero]);
                self.store_slot(id);
            }
            Kind::Float { bits } => {
                let plain = self.plain_float(v, ty);
                let int = self.int(bits, false);
                let id = self.emit(Op::Bitcast, int, &[plain]);
                self.show(id, int);
            }
            Kind::Int { bits: 64, .. } => {
                let v2 = self.vector(uint, 2);
                let id = self.emit(Op::Bitcast, v2, &[v]);
                self.show(id, v2);
            }
            Kind::Int { bits: 32, signed: false } => self.store_slot(v),
            Kind::Int { bits: 32, .. } => {
                let id = self.emit(Op::Bitcast, uint, &[v]);
                self.store_slot(id);
            }
            Kind::Int { signed, .. } => {
                let id = self.emit(if signed { Op::SConvert } else { Op::UConvert }, uint, &[v]);
                self.store_slot(id);
            }
            _ => {}
        }
    }

    fn store_slot(&mut self, word: u32) {
        // Functions that are called know no work-item.
        if !self.main {
            return;
        }
        let uint = self.uint();
        let slot = self.word(self.slot % SLOTS);
        self.slot += 1;
        let index = self.emit(Op::IAdd, uint, &[self.base, slot]);
        let pointer = self.word_at(self.out, index);
        self.put(Inst::new(Op::Store, 0, 0, [pointer, word]));
    }

    /// Stores to, or loads from, the item's record.
    pub fn keep_record(&mut self) {
        let (variable, record) = self.record.clone();
        let indexes = vec![variable, self.word(0), self.global];
        let (at, laid) = self.laid_part(record.laid, indexes, StorageClass::StorageBuffer);
        if self.r.one_in(3) {
            let id = self.emit(Op::Load, laid.id, &[at]);
            let id = self.copy_logical(id, laid.id, laid.plain);
            self.offer(id, laid.plain, false);
        } else {
            let v = self.value(laid.plain);
            let v = self.plain_all(v, laid.plain);
            if self.r.one_in(2) {
                let v = self.copy_logical(v, laid.plain, laid.id);
                self.put(Inst::new(Op::Store, 0, 0, [at, v]));
            } else {
                self.store_parts(at, &laid, v);
            }
        }
    }

    /// A pointer to some part of what is laid out where an access chain begins.
    fn laid_part(&mut self, mut laid: Laid, mut indexes: Vec<u32>, class: StorageClass) -> (u32, Laid) {
        while !laid.parts.is_empty() && !self.r.one_in(3) {
            let at = match self.kind(laid.plain) {
                Kind::Struct(_) => {
                    let at = self.r.below(laid.parts.len());
                    indexes.push(self.word(at as u32));
                    at
                }
                _ => {
                    let index = self.index_below(laid.parts.len() as u32);
                    indexes.push(index);
                    0
                }
            };
            laid = laid.parts.swap_remove(at);
        }
        let mut ty = laid.id;
        while laid.parts.is_empty() && !self.part_types(ty).is_empty() && self.r.one_in(2) {
            let parts = self.part_types(ty);
            let index = self.index_below(parts.len() as u32);
            indexes.push(index);
            ty = parts[0];
            laid = Laid { id: ty, plain: ty, parts: Vec::new() };
        }
        let pointer = self.pointer(class, laid.id);
        (self.emit(Op::AccessChain, pointer, &indexes), laid)
    }

    /// Part of the push constants, or of the uniform buffer.
    pub fn load_block(&mut self) {
        let at = self.r.below(self.blocks_to_read.len());
        let (variable, class, laid) = self.blocks_to_read[at].clone();
        let indexes = match class {
            // The uniform buffer has an array of them.
            StorageClass::Uniform => vec![variable, self.word(0), self.index_below(UNIFORMS)],
            _ => vec![variable],
        };
        let (at, laid) = self.laid_part(laid, indexes, class);
        let id = self.emit(Op::Load, laid.id, &[at]);
        let id = self.copy_logical(id, laid.id, laid.plain);
        self.offer(id, laid.plain, false);
    }

    /// An atomic instruction on a word that no other work-item touches: its result is known.
    pub fn own_atomic(&mut self) {
        let uint = self.uint();
        let slot = self.index_below(SLOTS);
        let index = self.emit(Op::IAdd, uint, &[self.base, slot]);
        let pointer = self.word_at(self.out, index);
        let (scope, semantics) = (self.word(Scope::Device as u32), self.word(0));
        let value = self.value(uint);
        let id = match self.r.below(9) {
            0 => {
                let old = self.value(uint);
                self.emit(Op::AtomicCompareExchange, uint, &[pointer, scope, semantics, semantics, value, old])
            }
            1 => self.emit(Op::AtomicLoad, uint, &[pointer, scope, semantics]),
            2 => return self.put(Inst::new(Op::AtomicStore, 0, 0, [pointer, scope, semantics, value])),
            3 => self.emit(Op::AtomicIIncrement, uint, &[pointer, scope, semantics]),
            4 => self.emit(Op::AtomicIDecrement, uint, &[pointer, scope, semantics]),
            _ => {
                let all = [
                    Op::AtomicExchange,
                    Op::AtomicIAdd,
                    Op::AtomicISub,
                    Op::AtomicAnd,
                    Op::AtomicXor,
                    Op::AtomicSMin,
                    Op::AtomicUMax,
                ];
                let op = self.r.pick(&all);
                self.emit(op, uint, &[pointer, scope, semantics, value])
            }
        };
        self.offer(id, uint, false);
    }

    /// How many words a buffer has.
    pub fn length(&mut self) {
        let uint = self.uint();
        let id = self.emit(Op::ArrayLength, uint, &[self.out, 0]);
        self.offer(id, uint, true);
    }

    /// The item's element of an array in Workgroup memory becomes a variable of its own.
    pub fn own_shared(&mut self) {
        let pointee = self.any_type();
        let items: u32 = self.workgroup.iter().product();
        let array = self.array(pointee, items);
        let all = self.global_variable(array, StorageClass::Workgroup, None);
        let (ty, index) = (self.pointer(StorageClass::Workgroup, pointee), self.scope[0].id);
        let id = self.emit(Op::AccessChain, ty, &[all, index]);
        let value = self.value(pointee);
        self.put(Inst::new(Op::Store, 0, 0, [id, value]));
        self.variables.push(Var { id, pointee, class: StorageClass::Workgroup });
    }

    fn copy_logical(&mut self, v: u32, from: u32, to: u32) -> u32 {
        if from == to { v } else { self.emit(Op::CopyLogical, to, &[v]) }
    }

    /// A store part by part.
    fn store_parts(&mut self, at: u32, laid: &Laid, v: u32) {
        if laid.parts.is_empty() {
            return self.put(Inst::new(Op::Store, 0, 0, [at, v]));
        }
        for (n, part) in laid.parts.iter().enumerate() {
            let (pointer, index) = (self.pointer(StorageClass::StorageBuffer, part.id), self.word(n as u32));
            let to = self.emit(Op::AccessChain, pointer, &[at, index]);
            let value = self.emit(Op::CompositeExtract, part.plain, &[v, n as u32]);
            self.store_parts(to, part, value);
        }
    }

    /// A value all of whose floats have one NaN and one zero.
    fn plain_all(&mut self, v: u32, ty: u32) -> u32 {
        match self.kind(ty) {
            Kind::Float { .. } => self.plain_float(v, ty),
            Kind::Vector { .. } if self.is_float(ty) => self.plain_float(v, ty),
            Kind::Matrix { .. } | Kind::Array { .. } | Kind::Struct(_) => {
                let parts = self.part_types(ty).into_iter().enumerate();
                let parts: Vec<u32> = parts
                    .map(|(n, part)| {
                        let id = self.emit(Op::CompositeExtract, part, &[v, n as u32]);
                        self.plain_all(id, part)
                    })
                    .collect();
                self.emit(Op::CompositeConstruct, ty, &parts)
            }
            _ => v,
        }
    }

    /// An extended instruction.
    pub fn extended(&mut self, op: GLOp, ty: u32, args: &[u32]) -> u32 {
        let mut words = vec![self.glsl, op as u32];
        words.extend(args);
        self.emit(Op::ExtInst, ty, &words)
    }

    /// A pointer to one of the item's slots.
    pub fn new_pointer(&mut self) -> u32 {
        let uint = self.uint();
        let base = self.emit(Op::Load, uint, &[self.own_base]);
        let slot = self.index_below(SLOTS);
        let index = self.emit(Op::IAdd, uint, &[base, slot]);
        self.word_at(self.out, index)
    }

    /// Loads, stores, chooses or compares by a pointer that may be any of several.
    pub fn through_pointer(&mut self) {
        let (uint, bool, ty) = (self.uint(), self.bool(), self.slot_pointer());
        let p = self.value(ty);
        match self.r.below(4) {
            0 => {
                let id = self.emit(Op::Load, uint, &[p]);
                self.offer(id, uint, false);
            }
            1 => {
                let v = self.value(uint);
                self.put(Inst::new(Op::Store, 0, 0, [p, v]));
            }
            2 => {
                let (c, other) = (self.value(bool), self.value(ty));
                let id = self.emit(Op::Select, ty, &[c, p, other]);
                self.offer(id, ty, false);
            }
            _ => {
                let other = self.value(ty);
                let op = self.r.pick(&[Op::PtrEqual, Op::PtrNotEqual]);
                let id = self.emit(op, bool, &[p, other]);
                self.offer(id, bool, false);
            }
        }
    }

    /// Some value that there is, but no pointer.
    pub fn some_value(&mut self) -> Val {
        let n = self.scope.len();
        for _ in 0..if n == 0 { 0 } else { 4 } {
            let at = n - 1 - self.r.below(n).min(self.r.below(n));
            if self.kind(self.scope[at].ty) != Kind::Pointer {
                return self.scope[at];
            }
        }
        let ty = self.scalar_type();
        self.pick_value(ty)
    }
}
