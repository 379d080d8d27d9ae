//! What an instruction is to the rules.

use crate::generation::Gen;
use crate::instr::Instr;
use crate::insts as i;
use crate::insts::Op;
use crate::reg::Src;
use crate::row::{AtomicOp, Control, Format, ImageOp, MemKind, Sem, Ty, WaveOp};
use crate::wait::{Counter, Counts, Wait};

bitflags::bitflags! {
    /// Sets that rules name; an instruction may be in several.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
    pub struct Kinds: u64 {
        /// Any instruction of the vector unit.
        const VALU = 1 << 0;
        /// One of the vector unit that is executed: not V_NOP, which the sequencer drops.
        const VALU_DONE = 1 << 1;
        /// Of the vector unit with a lane mask as a result: comparisons, carries, V_DIV_SCALE.
        const VALU_MASK = 1 << 2;
        /// Of the vector unit with any scalar register as a result.
        const VALU_TO_SGPR = 1 << 3;
        /// A comparison that writes EXEC.
        const COMPARE_EXEC = 1 << 4;
        /// Any of the vector unit that writes EXEC.
        const VALU_TO_EXEC = 1 << 5;
        const PERMLANE = 1 << 6;
        const WRITELANE = 1 << 7;
        /// Of the scalar unit, with a register (or SCC) as a result.
        const SALU_RESULT = 1 << 8;
        /// Of the scalar unit, without: S_SETPC, S_SETREG and the like. No wait, none of SOPP, not S_VERSION.
        const SALU_PLAIN = 1 << 9;
        /// Scalar memory, and the clocks and cache operations that are encoded so.
        const SMEM = 1 << 10;
        const SMEM_LOAD = 1 << 11;
        /// Stores and atomics of scalar memory.
        const SMEM_STORE = 1 << 12;
        /// MUBUF and MTBUF.
        const BUFFER = 1 << 13;
        const IMAGE = 1 << 14;
        /// GLOBAL and SCRATCH.
        const SEGMENT = 1 << 15;
        const FLAT = 1 << 16;
        const LDS = 1 << 17;
        /// Of those five, with nothing to give back.
        const STORE = 1 << 18;
        /// Of those five, with something to give back; every LDS operation.
        const LOAD = 1 << 19;
        /// Reads EXEC outside of the vector unit.
        const EXEC_READ = 1 << 20;
        /// Jumps that LLVM takes for branches.
        const BRANCH = 1 << 21;
        /// What else moves or reads the program counter.
        const PC = 1 << 22;
        /// An image instruction in the non-sequential form.
        const NSA = 1 << 23;
        /// The same with two dwords of addresses or more.
        const NSA_LONG = 1 << 24;
        /// A buffer instruction with bit 1 or 2 of its offset set.
        const OFFSET_6 = 1 << 25;
        /// A float atomic of vector memory.
        const FLOAT_ATOMIC = 1 << 26;
        const DENORM_MODE = 1 << 27;
        /// S_WAITCNT 0.
        const WAIT_ALL = 1 << 28;
        /// A wait for LGKMCNT = 0.
        const WAIT_LGKM = 1 << 29;
        /// S_WAITCNT_VSCNT null, 0.
        const WAIT_VS = 1 << 30;
        /// Any wait for a counter, S_WAIT_IDLE too; not S_WAITCNT_DEPCTR.
        const WAIT = 1 << 31;
        /// S_WAITCNT_DEPCTR vm_vsrc(0): vector memory has read its operands.
        const WAIT_VM_VSRC = 1 << 32;
        /// S_WAITCNT_DEPCTR sa_sdst(0): scalar results are written.
        const WAIT_SA_SDST = 1 << 33;
        const PREFETCH = 1 << 34;
        /// A FLAT instruction with an offset.
        const FLAT_OFFSET = 1 << 35;
        /// A SCRATCH instruction with a vector address and an offset below zero that is no multiple of four.
        const SCRATCH_UNALIGNED = 1 << 36;
        /// Goes where a register says: S_SETPC, S_SWAPPC, S_RFE.
        const LEAVES = 1 << 37;
        const VMEM = Self::BUFFER.bits() | Self::IMAGE.bits();
        /// What reads its addresses of lanes late.
        const VECTOR_MEMORY = Self::VMEM.bits() | Self::SEGMENT.bits() | Self::FLAT.bits() | Self::LDS.bits();
    }
}

/// An instruction as the rules see it. A bit of `reads` and `writes` is a scalar register by its number: SGPRs, VCC, M0, EXEC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    pub kinds: Kinds,
    pub reads: u128,
    pub writes: u128,
    /// The part of `writes` that the opcode implies and no operand names.
    pub implied: u128,
    /// Wait states that it lasts.
    pub states: u8,
}

const EXEC: u128 = 3 << 126;

/// What `instr` is to the rules. EXEC counts as both of its halves, whatever the wave.
pub fn facts(instr: &Instr, generation: Gen, lanes: u32) -> Facts {
    let row = instr.op.row();
    let scalar = |reg: Src, dwords: u32| match reg {
        reg if reg.is_sgpr() => (0..dwords).map(|n| 1u128 << (u32::from(reg.0) + n).min(127)).sum(),
        _ => 0,
    };
    let mut reads = instr.uses(lanes).map(|a| scalar(a.reg, a.dwords)).fold(0, |a, b| a | b);
    let writes = instr.defs(lanes).map(|a| scalar(a.reg, a.dwords)).fold(0, |a, b| a | b);
    let named = instr.defs(lanes).filter(|a| a.ty != Ty::Exec).map(|a| scalar(a.reg, a.dwords)).fold(0, |a, b| a | b);
    let mut kinds = of_format(row.format) | of_control(instr, generation);
    if kinds.intersects(Kinds::VECTOR_MEMORY) {
        reads |= EXEC;
        let gives = kinds.contains(Kinds::LDS) || instr.defs(lanes).next().is_some();
        kinds |= if gives { Kinds::LOAD } else { Kinds::STORE };
        kinds |= of_memory(instr);
    }
    if kinds.contains(Kinds::VALU) {
        kinds |= of_vector(instr.op, writes);
    } else {
        let zero = row.src.len().min(4) > 0 && instr.src[..row.src.len().min(4)].contains(&Src::EXECZ);
        let exec = reads & EXEC != 0 || zero || row.format == Format::Exp;
        kinds.set(Kinds::EXEC_READ, exec || kinds.contains(Kinds::EXEC_READ));
    }
    if row.format.is_salu() && row.format != Format::Sopp && !kinds.contains(Kinds::WAIT) && instr.op != i::S_VERSION {
        let result = instr.defs(lanes).next().is_some() || instr.dst[0] == Src::NULL;
        kinds |= if result { Kinds::SALU_RESULT } else { Kinds::SALU_PLAIN };
    }
    if row.format == Format::Smem
        && let Sem::Mem(_, kind) = row.sem
    {
        kinds.set(Kinds::SMEM_STORE, matches!(kind, MemKind::Store { .. } | MemKind::Atomic { .. }));
        kinds.set(Kinds::SMEM_LOAD, matches!(kind, MemKind::Load { .. }));
    }
    let states = if instr.op == i::S_NOP { (instr.imm & 15) as u8 + 1 } else { 1 };
    Facts { kinds, reads, writes, implied: writes & !named, states }
}

fn of_format(format: Format) -> Kinds {
    match format {
        Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vop3p => Kinds::VALU,
        Format::Smem => Kinds::SMEM,
        Format::Mubuf | Format::Mtbuf => Kinds::BUFFER,
        Format::Mimg => Kinds::IMAGE,
        Format::Global | Format::Scratch => Kinds::SEGMENT,
        Format::Flat => Kinds::FLAT,
        Format::Ds => Kinds::LDS,
        _ => Kinds::empty(),
    }
}

fn of_vector(op: Op, writes: u128) -> Kinds {
    let sem = op.row().sem;
    let mut kinds = Kinds::empty();
    kinds.set(Kinds::VALU_DONE, op != i::V_NOP);
    kinds.set(Kinds::VALU_TO_SGPR, writes != 0);
    let lane = matches!(sem, Sem::Wave(WaveOp::ReadLane | WaveOp::ReadFirstLane));
    kinds.set(Kinds::VALU_MASK, writes != 0 && !lane);
    kinds.set(Kinds::VALU_TO_EXEC, writes & EXEC != 0);
    kinds.set(Kinds::COMPARE_EXEC, writes & EXEC != 0 && matches!(sem, Sem::Compare | Sem::CompareExec));
    kinds.set(Kinds::PERMLANE, matches!(sem, Sem::Wave(WaveOp::Permlane16 | WaveOp::Permlanex16)));
    kinds.set(Kinds::WRITELANE, matches!(sem, Sem::Wave(WaveOp::WriteLane)));
    kinds
}

fn of_memory(instr: &Instr) -> Kinds {
    let row = instr.op.row();
    let mut kinds = Kinds::empty();
    if let Some((_, image)) = instr.image() {
        kinds.set(Kinds::NSA, image.nsa > 0);
        kinds.set(Kinds::NSA_LONG, image.nsa > 1);
    }
    let float = |op| matches!(op, AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax | AtomicOp::FCmpSwap);
    let lds = row.format == Format::Ds;
    kinds.set(
        Kinds::FLOAT_ATOMIC,
        match row.sem {
            Sem::Mem(_, MemKind::Atomic { op, .. } | MemKind::Image(ImageOp::Atomic(op))) => float(op) && !lds,
            _ => false,
        },
    );
    let buffer = matches!(row.format, Format::Mubuf | Format::Mtbuf);
    kinds.set(Kinds::OFFSET_6, buffer && instr.imm & 6 != 0);
    kinds.set(Kinds::FLAT_OFFSET, row.format == Format::Flat && instr.imm != 0);
    let vector = row.format == Format::Scratch && instr.src[0] != Src::NONE;
    kinds.set(Kinds::SCRATCH_UNALIGNED, vector && instr.imm < 0 && instr.imm & 3 != 0);
    kinds
}

fn of_control(instr: &Instr, generation: Gen) -> Kinds {
    let Sem::Control(control) = instr.op.row().sem else { return Kinds::empty() };
    let mut kinds = Kinds::empty();
    if let Some(wait) = instr.waits(generation) {
        // A register that is added leaves it open what is waited for.
        let counts = match wait {
            Wait::Sum { reg, .. } if reg != Src::NULL => Counts::NONE,
            known => known.counts(|_| 0),
        };
        let all = [Counter::Vm, Counter::Exp, Counter::Lgkm].iter().all(|&c| counts.get(c) == 0);
        kinds = Kinds::WAIT;
        kinds.set(Kinds::WAIT_ALL, control == Control::Waitcnt && all);
        kinds.set(Kinds::WAIT_LGKM, counts.get(Counter::Lgkm) == 0 && instr.op != i::S_WAIT_IDLE);
        kinds.set(Kinds::WAIT_VS, counts.get(Counter::Vs) == 0 && instr.op != i::S_WAIT_IDLE);
        return kinds;
    }
    let imm = instr.imm as u32 & 0xffff;
    match control {
        Control::BranchExecz | Control::BranchExecnz => kinds = Kinds::BRANCH | Kinds::EXEC_READ,
        Control::SetPc => kinds = Kinds::BRANCH | Kinds::LEAVES,
        Control::SwapPc | Control::Rfe => kinds = Kinds::PC | Kinds::LEAVES,
        Control::Call | Control::GetPc => kinds = Kinds::PC,
        Control::SubvectorBegin | Control::SubvectorEnd => kinds = Kinds::PC,
        c if c.has_target() => kinds = Kinds::BRANCH,
        Control::InstPrefetch => kinds = Kinds::PREFETCH,
        Control::DenormMode => kinds = Kinds::DENORM_MODE,
        _ => {}
    }
    if instr.op == i::S_WAITCNT_DEPCTR {
        kinds.set(Kinds::WAIT_VM_VSRC, imm >> 2 & 7 == 0);
        kinds.set(Kinds::WAIT_SA_SDST, imm & 1 == 0);
    }
    kinds
}
