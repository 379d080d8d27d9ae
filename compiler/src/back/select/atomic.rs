//! Atomics, barriers, and the caches that lie between waves.

use super::memory::{MemoryOperands, atomic, store_kind};
use super::*;
use crate::back::waits;
use crate::ir::{Access, Atomic, Scope, Space};
use wavepipe_hw::order::{Among, BarrierMark};
use wavepipe_isa::find::{self, Way};
use wavepipe_isa::row::{AtomicOp, MemKind};

impl Selector<'_> {
    pub(super) fn atomic(&mut self, op: Atomic, space: Space, offset: u32, inst: &IrInst) -> Result<()> {
        if let Val::DivergentDesc { base, offset: at } = self.vals[inst.args[0].0 as usize] {
            let inst = inst.clone();
            return self.waterfall(base, at, inst.args[0], |s| s.atomic(op, space, offset, &inst));
        }
        let coherent = Access { coherent: true, ..Access::default() };
        // Among plain accesses to LDS these would not be told from others.
        let told = self.order_marks && space == Space::Lds;
        let data = &inst.args[space.address_operands()..];
        let (op, value) = match op {
            Atomic::Load if told => (Atomic::Or, inst.results[0]),
            Atomic::Load => return self.load(space, offset, coherent, inst),
            Atomic::Store if !told => return self.store(space, offset, coherent, inst),
            Atomic::Store => (Atomic::Exchange, data[0]),
            _ => (op, data[0]),
        };
        let wide = match self.width(value) {
            Width::B32 => false,
            Width::B64 => true,
            w => return Err(self.unsupported(&format!("{}-bit atomic {op:?}", w.bits()))),
        };
        let result = inst.results.first().copied().filter(|&r| self.defs.uses(r) > 0);
        let (place, imm) = self.place(space, offset, if wide { 8 } else { 4 }, &inst.args)?;
        let returns = result.is_some() || told && op == Atomic::Exchange;
        let Some(row) = self.atomic_row(op, place.way(), wide, returns) else {
            let bits = if wide { 64 } else { 32 };
            return Err(self.unsupported(&format!("{bits}-bit atomic {op:?} on {space:?}")));
        };
        let mut words: Vec<Vec<Arg>> = data.iter().map(|&v| self.dwords(v)).collect();
        if words.is_empty() {
            words.push(vec![Arg::Imm(0); if wide { 2 } else { 1 }]);
        }
        if let MemoryOperands::Lds { addr } = place {
            // ds_cmpst takes the comparator first.
            let order: &[usize] = if op == Atomic::CompareExchange { &[1, 0] } else { &[0] };
            let mut src = vec![Arg::from(addr)];
            for &n in order {
                let words = words[n].clone();
                src.push(self.vgprs(&words).into());
            }
            let dst = returns.then(|| self.new_v(if wide { 2 } else { 1 }));
            let dst_args: Vec<Arg> = dst.into_iter().map(Arg::from).collect();
            self.raw(row, &dst_args, &src).imm = imm as i32;
            if let (Some(r), Some(d)) = (result, dst) {
                self.set_reg(r, d);
            }
            return Ok(());
        }
        // The data register is the result register too; compare-and-swap holds new value, comparator.
        let flat: Vec<Arg> = words.concat();
        let n = flat.len() as u32;
        let x = self.new_v(n);
        let mut copy = Inst::pseudo(Pseudo::Copy, vec![], vec![]);
        for (k, &a) in flat.iter().enumerate() {
            copy.dst.push(x.at(k as u32).into());
            copy.src.push(a);
        }
        self.push(copy);
        let back = result.map(|_| x.slice(0, if wide { 2 } else { 1 }));
        self.access(row, place, imm, back, Some(x), atomic(result.is_some()));
        if let (Some(r), Some(d)) = (result, back) {
            self.set_reg(r, d);
        }
        Ok(())
    }

    pub(super) fn vgprs(&mut self, words: &[Arg]) -> Part {
        match words {
            [one] => self.to_v(*one),
            _ => self.gather(Bank::V, words),
        }
    }

    /// Memory order: earlier accesses are complete (their counters are waited for) before later ones start; caches that
    /// other work-groups do not share are emptied for device scope. Then the execution barrier.
    pub(super) fn barrier(&mut self, execution: Scope, memory: Scope, [lds, buffers, images]: [bool; 3]) {
        let several_waves = self.k.workgroup.iter().product::<u32>() > self.f.wave.lanes();
        if self.order_marks {
            let mark = BarrierMark { execution: among(execution), memory: among(memory), lds, buffers, images };
            self.mark(mark.to_bits());
        }
        let buffer = buffers || images;
        if memory >= Scope::WorkGroup && (lds || buffer) && (several_waves || memory == Scope::Device) {
            if buffer {
                self.raw(i::S_WAITCNT, &[], &[]).imm = waits::ALL_ZERO_MEMORY.imm(self.f.isa);
                if self.has(i::S_WAITCNT_VSCNT) {
                    self.raw(i::S_WAITCNT_VSCNT, &[], &[Arg::Phys(Src::NULL)]);
                }
            } else {
                self.raw(i::S_WAITCNT, &[], &[]).imm = waits::LGKM_ZERO.imm(self.f.isa);
            }
        }
        if execution >= Scope::WorkGroup && several_waves {
            self.raw(i::S_BARRIER, &[], &[]);
        }
        if buffer && memory >= Scope::WorkGroup && (several_waves || memory == Scope::Device) {
            self.invalidate(memory);
        }
    }

    /// Empties the vector caches that others of this scope do not go through. Until RDNA 1 a work-group's waves share theirs.
    fn invalidate(&mut self, scope: Scope) {
        let device = scope == Scope::Device;
        for (op, wanted) in [(i::BUFFER_GL1_INV, device), (i::BUFFER_GL0_INV, true), (i::BUFFER_WBINVL1, device)] {
            if wanted && self.has(op) {
                self.raw(op, &[], &[]);
            }
        }
    }

    /// The row of an atomic, if the target has it.
    pub(super) fn atomic_row(&self, op: Atomic, way: Way, wide: bool, returns: bool) -> Option<Op> {
        let dwords = if wide { 2 } else { 1 };
        // An exchange nobody reads is a store.
        let kind = match machine_atomic(op)? {
            AtomicOp::Swap if way == Way::Lds && !returns => store_kind(4, dwords),
            op => MemKind::Atomic { op, dwords: dwords as u8 },
        };
        find::find(way, kind, returns, self.f.isa)
    }
}

fn among(scope: Scope) -> Among {
    match scope {
        Scope::Invocation => Among::Nobody,
        Scope::Subgroup => Among::Subgroup,
        Scope::WorkGroup => Among::WorkGroup,
        Scope::Device => Among::Device,
    }
}

/// The operation on memory.
pub(super) fn machine_atomic(op: Atomic) -> Option<AtomicOp> {
    Some(match op {
        Atomic::Add => AtomicOp::Add,
        Atomic::Sub => AtomicOp::Sub,
        Atomic::SMin => AtomicOp::SMin,
        Atomic::SMax => AtomicOp::SMax,
        Atomic::UMin => AtomicOp::UMin,
        Atomic::UMax => AtomicOp::UMax,
        Atomic::And => AtomicOp::And,
        Atomic::Or => AtomicOp::Or,
        Atomic::Xor => AtomicOp::Xor,
        Atomic::Exchange => AtomicOp::Swap,
        Atomic::CompareExchange => AtomicOp::CmpSwap,
        Atomic::FAdd => AtomicOp::FAdd,
        Atomic::FMin => AtomicOp::FMin,
        Atomic::FMax => AtomicOp::FMax,
        Atomic::Load | Atomic::Store => return None,
    })
}
