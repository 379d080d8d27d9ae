//! What an instruction is to the rules.

use crate::generation::Gen;
use crate::instr::{Flags, Instr};
use crate::insts as i;
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
        const RFE = 1 << 38;
        /// Of the vector unit with a register of this one as a result.
        const VALU_TO_VCC = 1 << 39;
        const VALU_TO_FLAT_SCRATCH = 1 << 40;
        /// FLAT and SCRATCH.
        const FLAT_SCRATCH_READ = 1 << 41;
        /// With a VGPR as a result.
        const VGPR_RESULT = 1 << 42;
        /// Of the vector unit with lanes permuted (DPP).
        const PERMUTED = 1 << 43;
        /// V_READLANE and V_WRITELANE of the lane that a register says.
        const LANE_SELECT = 1 << 44;
        /// V_READLANE and V_READFIRSTLANE.
        const LANE_READ = 1 << 45;
        const DIV_FMAS = 1 << 46;
        /// Of the vector unit with VCCZ or EXECZ as a source.
        const ZERO_FLAG = 1 << 47;
        /// Interpolation in its own encoding.
        const INTERP = 1 << 48;
        /// What is neither scalar nor scalar memory.
        const VECTOR = 1 << 49;
        const SETREG = 1 << 50;
        const GETREG = 1 << 51;
        /// S_SETREG that writes MODE.vskip.
        const VSKIP = 1 << 52;
        const SETVSKIP = 1 << 53;
        const SALU_TO_M0 = 1 << 54;
        /// What sends M0, or GDS, which looks there: S_SENDMSG, S_TTRACEDATA.
        const MESSAGE = 1 << 55;
        /// What else reads M0 early: S_MOVREL, interpolation, LDS by lane, from memory, and as a source.
        const INDEX = 1 << 56;
        /// A store or atomic with more than 64 bits of data, and nothing else to be sent along.
        const WIDE_STORE = 1 << 57;
        const SMEM_BUFFER = 1 << 58;
        const VCCZ_BRANCH = 1 << 59;
        /// Both halves of VCC as a result, and one.
        const VCC_RESULT = 1 << 60;
        const VCC_HALF_RESULT = 1 << 61;
        const VMEM = Self::BUFFER.bits() | Self::IMAGE.bits();
        /// What reads its addresses of lanes late.
        const VECTOR_MEMORY = Self::VMEM.bits() | Self::SEGMENT.bits() | Self::FLAT.bits() | Self::LDS.bits();
    }
}

/// VGPRs, a bit each.
pub type Vgprs = [u128; 2];

/// An instruction as the rules see it. A bit of `reads` and `writes` is a scalar register by its number: SGPRs, VCC, M0, EXEC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    pub kinds: Kinds,
    pub reads: u128,
    pub writes: u128,
    /// The part of `writes` that the opcode implies and no operand names.
    pub implied: u128,
    /// The part of `reads` that selects a lane.
    pub selects: u128,
    /// One that permutes lanes reads its destination too, which lanes without a source keep.
    pub vector_reads: Vgprs,
    pub vector_writes: Vgprs,
    /// Data of a [`Kinds::WIDE_STORE`].
    pub stored: Vgprs,
    /// Hardware registers that it reads or writes, by their numbers.
    pub hardware: u64,
    /// Wait states that it lasts.
    pub states: u8,
}

impl Facts {
    /// Those of no instruction at all.
    pub const NONE: Facts = Facts {
        kinds: Kinds::empty(),
        reads: 0,
        writes: 0,
        implied: 0,
        selects: 0,
        vector_reads: [0; 2],
        vector_writes: [0; 2],
        stored: [0; 2],
        hardware: 0,
        states: 0,
    };
}

const EXEC: u128 = 3 << 126;
const VCC: u128 = 3 << 106;
const M0: u128 = 1 << 124;

/// Hardware registers: MODE with VSKIP in its bit 28, TRAPSTS.
const MODE: u32 = 1;
const VSKIP_BIT: u32 = 28;
const TRAPSTS: u32 = 3;

/// What `instr` is to the rules. EXEC counts as both of its halves, whatever the wave.
pub fn facts(instr: &Instr, generation: Gen, lanes: u32) -> Facts {
    let row = instr.op.row();
    let mut x = Facts::NONE;
    for a in instr.uses(lanes) {
        x.reads |= scalar(a.reg, a.dwords);
        add(&mut x.vector_reads, a.reg, a.dwords);
    }
    let mut named = 0;
    for a in instr.defs(lanes) {
        let registers = scalar(a.reg, a.dwords);
        x.writes |= registers;
        named |= if a.ty == Ty::Exec { 0 } else { registers };
        add(&mut x.vector_writes, a.reg, a.dwords);
    }
    x.implied = x.writes & !named;
    let result = instr.defs(lanes).next().is_some();
    let mut kinds = of_format(row.format) | of_control(instr, generation);
    kinds.set(Kinds::VECTOR, !row.format.is_salu() && row.format != Format::Smem);
    kinds.set(Kinds::VGPR_RESULT, x.vector_writes != [0; 2]);
    kinds.set(Kinds::VCC_RESULT, x.writes & VCC == VCC);
    kinds.set(Kinds::VCC_HALF_RESULT, x.writes & VCC != 0 && x.writes & VCC != VCC);
    if kinds.intersects(Kinds::VECTOR_MEMORY) {
        x.reads |= EXEC;
        let gives = kinds.contains(Kinds::LDS) || result;
        kinds |= if gives { Kinds::LOAD } else { Kinds::STORE };
        kinds |= of_memory(instr);
        if let Some((data, dwords)) = wide_data(instr, lanes) {
            kinds |= Kinds::WIDE_STORE;
            add(&mut x.stored, data, dwords);
        }
    }
    if kinds.contains(Kinds::VALU) {
        kinds |= of_vector(instr, x.writes);
        if kinds.contains(Kinds::LANE_SELECT) {
            x.selects = scalar(instr.src[1], 1);
        }
        if kinds.contains(Kinds::PERMUTED) {
            x.vector_reads = [0, 1].map(|n| x.vector_reads[n] | x.vector_writes[n]);
        }
    } else {
        let zero = row.src.len().min(4) > 0 && instr.src[..row.src.len().min(4)].contains(&Src::EXECZ);
        let exec = x.reads & EXEC != 0 || zero || row.format == Format::Exp;
        kinds.set(Kinds::EXEC_READ, exec || kinds.contains(Kinds::EXEC_READ));
    }
    if row.format.is_salu() {
        kinds.set(Kinds::SALU_TO_M0, x.writes & M0 != 0);
        if row.format != Format::Sopp && !kinds.contains(Kinds::WAIT) && instr.op != i::S_VERSION {
            let result = result || instr.dst[0] == Src::NULL;
            kinds |= if result { Kinds::SALU_RESULT } else { Kinds::SALU_PLAIN };
        }
    }
    if row.format == Format::Smem
        && let Sem::Mem(_, kind) = row.sem
    {
        kinds.set(Kinds::SMEM_STORE, matches!(kind, MemKind::Store { .. } | MemKind::Atomic { .. }));
        kinds.set(Kinds::SMEM_LOAD, matches!(kind, MemKind::Load { .. }));
        kinds.set(Kinds::SMEM_BUFFER, row.src.contains(&Ty::Rsrc));
    }
    x.hardware = hardware(instr, kinds);
    x.states = if instr.op == i::S_NOP { (instr.imm & 15) as u8 + 1 } else { 1 };
    Facts { kinds, ..x }
}

/// FLAT_SCRATCH and the like have no number here that an SGPR could not have.
fn scalar(reg: Src, dwords: u32) -> u128 {
    match reg {
        reg if reg.is_sgpr() && reg.0 < 128 => (0..dwords).map(|n| 1u128 << (u32::from(reg.0) + n).min(127)).sum(),
        _ => 0,
    }
}

fn add(set: &mut Vgprs, reg: Src, dwords: u32) {
    if reg.is_vgpr() {
        let first = reg.vgpr() as usize;
        (first..first + dwords as usize).take_while(|&v| v < 256).for_each(|v| set[v / 128] |= 1 << (v % 128));
    }
}

/// The data that a store or atomic of more than 64 bits takes along by itself: with an SGPR as a buffer's offset it is sent in time, and
/// so it is with a T# of 256 bits.
fn wide_data(instr: &Instr, lanes: u32) -> Option<(Src, u32)> {
    let row = instr.op.row();
    let slot = match row.format {
        Format::Mubuf | Format::Mtbuf if !instr.src[2].is_sgpr() => 3,
        Format::Mimg if instr.flags.contains(Flags::R128) => 3,
        Format::Flat | Format::Global | Format::Scratch => 2,
        _ => return None,
    };
    let data = instr.src[slot];
    let taken = instr.uses(lanes).find(|a| data.is_vgpr() && a.reg == data && a.ty == row.src[slot])?;
    (taken.dwords > 2).then_some((data, taken.dwords))
}

/// Hardware registers that an instruction reads or writes.
fn hardware(instr: &Instr, kinds: Kinds) -> u64 {
    match kinds {
        k if k.intersects(Kinds::SETREG | Kinds::GETREG) => 1 << (instr.imm & 63),
        k if k.intersects(Kinds::SETVSKIP) => 1 << MODE,
        k if k.intersects(Kinds::RFE) => 1 << TRAPSTS,
        _ => 0,
    }
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
        Format::Vintrp => Kinds::INTERP,
        _ => Kinds::empty(),
    }
}

fn of_vector(instr: &Instr, writes: u128) -> Kinds {
    let (op, row) = (instr.op, instr.op.row());
    let sem = row.sem;
    let mut kinds = Kinds::empty();
    kinds.set(Kinds::VALU_DONE, op != i::V_NOP);
    kinds.set(Kinds::VALU_TO_SGPR, writes != 0);
    let lane = matches!(sem, Sem::Wave(WaveOp::ReadLane | WaveOp::ReadFirstLane));
    kinds.set(Kinds::VALU_MASK, writes != 0 && !lane);
    kinds.set(Kinds::VALU_TO_EXEC, writes & EXEC != 0);
    kinds.set(Kinds::COMPARE_EXEC, writes & EXEC != 0 && matches!(sem, Sem::Compare | Sem::CompareExec));
    kinds.set(Kinds::PERMLANE, matches!(sem, Sem::Wave(WaveOp::Permlane16 | WaveOp::Permlanex16)));
    kinds.set(Kinds::WRITELANE, matches!(sem, Sem::Wave(WaveOp::WriteLane)));
    kinds.set(Kinds::LANE_READ, lane);
    kinds.set(
        Kinds::LANE_SELECT,
        matches!(sem, Sem::Wave(WaveOp::ReadLane | WaveOp::WriteLane)) && instr.src[1].is_sgpr(),
    );
    kinds.set(Kinds::DIV_FMAS, matches!(op, i::V_DIV_FMAS_F32 | i::V_DIV_FMAS_F64));
    kinds.set(Kinds::PERMUTED, instr.form.permutes());
    kinds.set(Kinds::VALU_TO_VCC, writes & VCC != 0);
    kinds.set(Kinds::VALU_TO_FLAT_SCRATCH, [Src::FLAT_SCRATCH_LO, Src::FLAT_SCRATCH_HI].contains(&instr.dst[0]));
    let sources = &instr.src[..row.src.len().min(4)];
    kinds.set(Kinds::ZERO_FLAG, sources.contains(&Src::VCCZ) || sources.contains(&Src::EXECZ));
    kinds.set(Kinds::INDEX, sources.contains(&Src::LDS_DIRECT));
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
    kinds.set(Kinds::FLAT_SCRATCH_READ, matches!(row.format, Format::Flat | Format::Scratch));
    kinds.set(Kinds::MESSAGE, lds && instr.flags.contains(Flags::GDS));
    let by_lane = matches!(row.sem, Sem::Mem(_, MemKind::LoadLane | MemKind::StoreLane));
    kinds.set(Kinds::INDEX, by_lane || instr.flags.contains(Flags::LDS) || buffer && row.src.contains(&Ty::M0));
    let vector = row.format == Format::Scratch && instr.src[0] != Src::NONE;
    kinds.set(Kinds::SCRATCH_UNALIGNED, vector && instr.imm < 0 && instr.imm & 3 != 0);
    kinds
}

fn of_control(instr: &Instr, generation: Gen) -> Kinds {
    let row = instr.op.row();
    if row.format == Format::Sop1 && matches!(row.sem, Sem::Wave(_)) {
        return Kinds::INDEX;
    }
    if instr.op == i::S_SETVSKIP {
        return Kinds::SETVSKIP;
    }
    let Sem::Control(control) = row.sem else { return Kinds::empty() };
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
        Control::BranchVccz | Control::BranchVccnz => kinds = Kinds::BRANCH | Kinds::VCCZ_BRANCH,
        Control::SetPc => kinds = Kinds::BRANCH | Kinds::LEAVES,
        Control::SwapPc => kinds = Kinds::PC | Kinds::LEAVES,
        Control::Rfe => kinds = Kinds::PC | Kinds::LEAVES | Kinds::RFE,
        Control::Call | Control::GetPc => kinds = Kinds::PC,
        Control::SubvectorBegin | Control::SubvectorEnd => kinds = Kinds::PC,
        c if c.has_target() => kinds = Kinds::BRANCH,
        Control::InstPrefetch => kinds = Kinds::PREFETCH,
        Control::DenormMode => kinds = Kinds::DENORM_MODE,
        Control::SendMsg | Control::SendMsgHalt | Control::TraceData => kinds = Kinds::MESSAGE,
        Control::GetReg => kinds = Kinds::GETREG,
        Control::SetReg | Control::SetRegImm32 => {
            kinds = Kinds::SETREG;
            let (register, offset, size) = (imm & 63, imm >> 6 & 31, (imm >> 11) + 1);
            kinds.set(Kinds::VSKIP, register == MODE && (offset..offset + size).contains(&VSKIP_BIT));
        }
        Control::GraphicsOnly if row.format == Format::Vintrp => kinds = Kinds::INDEX,
        _ => {}
    }
    if instr.op == i::S_WAITCNT_DEPCTR {
        kinds.set(Kinds::WAIT_VM_VSRC, imm >> 2 & 7 == 0);
        kinds.set(Kinds::WAIT_SA_SDST, imm & 1 == 0);
    }
    kinds
}
