//! What a row says of an instruction.

mod clamp;
mod image;
mod ty;

use crate::generation::{Gen, inherited};
use crate::op::Op;
pub use clamp::{Clamp, Shape, Sum};
pub use image::{ImageOp, Lod, Sampling};
pub use ty::Ty;

/// Where a generation has an instruction: a family, and the opcode in that family's own encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encoding {
    pub format: Format,
    pub opcode: u16,
}

/// Encoding families, by gfx10's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Format {
    Sop2,
    Sopk,
    Sop1,
    Sopc,
    Sopp,
    Smem,
    Vop2,
    Vop1,
    Vopc,
    /// VOP3-only rows (VOP3A and VOP3B).
    Vop3,
    Vop3p,
    Ds,
    Flat,
    Global,
    Scratch,
    Mubuf,
    Mtbuf,
    Mimg,
    /// Parameter interpolation; known to the text, no compute wave runs it.
    Vintrp,
    /// Export; as Vintrp.
    Exp,
    /// Interpolation between registers (RDNA 3 on); as Vintrp.
    Vinterp,
    /// One of the operations that two of are issued at once (RDNA 3 on).
    Vopd,
    /// Loads of parameters and of a dword of LDS for all lanes.
    LdsDir,
}

impl Format {
    /// Scalar arithmetic and control: operations on the scalar file only.
    pub const fn is_salu(self) -> bool {
        matches!(self, Format::Sop2 | Format::Sopk | Format::Sop1 | Format::Sopc | Format::Sopp)
    }
}

/// How SCC comes about in a scalar instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Scc {
    Keep,
    /// Result ≠ 0.
    NonZero,
    /// The body's condition (carry, overflow, comparison).
    Body,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Space {
    Scalar,
    Buffer,
    Flat,
    Global,
    Scratch,
    Lds,
    Image,
}

/// What a memory instruction does, as data: one routine executes them all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum MemKind {
    /// `bits` of each element in memory, sign- or zero-extended to 32; `dwords` registers.
    Load {
        bits: u8,
        signed: bool,
        dwords: u8,
    },
    Store {
        bits: u8,
        dwords: u8,
    },
    /// Into one half of the register, the other kept.
    LoadD16 {
        bits: u8,
        signed: bool,
        hi: bool,
    },
    /// Of bits 16 and up.
    StoreHi {
        bits: u8,
    },
    Atomic {
        op: AtomicOp,
        dwords: u8,
    },
    /// DS read2/write2: two elements at offset0, offset1 (× element size, × 64 if `st64`).
    Load2 {
        dwords: u8,
        st64: bool,
    },
    Store2 {
        dwords: u8,
        st64: bool,
    },
    /// DS wrxchg2: as Load2 and Store2 at once.
    Exchange2 {
        dwords: u8,
        st64: bool,
    },
    /// DS op_src2: m[A] = op(m[A], m[B]), Swap taking m[B]; B = A + 4 · offset[14:0], signed, or A + 4 · A[31:17], signed,
    /// if offset bit 15 is set (Vega's ISA document).
    Src2 {
        op: AtomicOp,
        dwords: u8,
    },
    /// DS append and consume: one counter at M0 + offset, moved by the number of live lanes.
    Count {
        add: bool,
    },
    /// DS read_addtid, write_addtid: address = M0[15:0] + offset + 4 · lane.
    LoadLane,
    StoreLane,
    /// Components of a typed access, converted by the format of the V# (MUBUF) or of the instruction (MTBUF);
    /// `d16`: two components a register; `hi`: the one component stands in bits 31:16.
    LoadFormat {
        components: u8,
        d16: bool,
        hi: bool,
    },
    StoreFormat {
        components: u8,
        d16: bool,
        hi: bool,
    },
    Image(ImageOp),
    /// Global wave synchronisation.
    Gws(GwsOp),
    /// DS_ORDERED_COUNT: a GDS counter that work-groups pass in dispatch order.
    OrderedCount,
    /// S_DCACHE_DISCARD, S_ATC_PROBE: hints about addresses.
    Hint,
    /// S_GET_WAVEID_IN_WORKGROUP.
    WaveId,
    /// Cache maintenance.
    Invalidate,
    /// S_MEMTIME, S_MEMREALTIME.
    Clock {
        realtime: bool,
    },
}

impl AtomicOp {
    /// Whether it is known to the assembler alone, and not executed yet.
    pub const fn todo(self) -> bool {
        matches!(self, AtomicOp::PkAddF16 | AtomicOp::PkAddBf16 | AtomicOp::OrderedAdd)
    }
}

impl MemKind {
    /// Whether it changes memory.
    pub const fn writes(self) -> bool {
        !matches!(
            self,
            MemKind::Load { .. }
                | MemKind::LoadD16 { .. }
                | MemKind::Load2 { .. }
                | MemKind::LoadLane
                | MemKind::LoadFormat { .. }
                | MemKind::Hint
                | MemKind::WaveId
                | MemKind::Invalidate
                | MemKind::Clock { .. }
        )
    }

    /// Whether it is one operation on memory that others see whole; of images, their own kinds tell.
    pub const fn is_atomic(self) -> bool {
        matches!(self, MemKind::Atomic { .. } | MemKind::Exchange2 { .. } | MemKind::Src2 { .. })
    }

    /// Of a DS operation with two offsets in the instruction's `field`: bytes from a lane's address to each of its accesses.
    #[inline(always)]
    pub const fn pair_offsets(self, field: u32) -> Option<[u32; 2]> {
        match self {
            MemKind::Load2 { dwords, st64 }
            | MemKind::Store2 { dwords, st64 }
            | MemKind::Exchange2 { dwords, st64 } => {
                let unit = 4 * dwords as u32 * if st64 { 64 } else { 1 };
                Some([(field & 0xff) * unit, (field >> 8 & 0xff) * unit])
            }
            _ => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum AtomicOp {
    Swap,
    CmpSwap,
    Add,
    Sub,
    Rsub,
    SMin,
    UMin,
    SMax,
    UMax,
    And,
    Or,
    Xor,
    Inc,
    Dec,
    FAdd,
    FMin,
    FMax,
    FCmpSwap,
    /// m = m & ~data0 | data1.
    MaskOr,
    /// m = m ≥ data0 ? m − data0 : m + data1.
    Wrap,
    /// m = m ≥ data0 ? m − data0 : 0.
    SubClamp,
    /// m = m ≥ data0 ? m − data0 : m.
    CondSub,
    /// Two halves added each by itself.
    PkAddF16,
    PkAddBf16,
    /// Added when all work-groups before have.
    OrderedAdd,
    /// Each dword of m = data[30:0] if data's bit 31 is set.
    CondSwap,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum GwsOp {
    Init,
    Barrier,
    SemaphoreV,
    SemaphoreP,
    SemaphoreBroadcast,
    SemaphoreReleaseAll,
}

/// Cross-lane and lane-mask operations that are not one body per lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum WaveOp {
    ReadFirstLane,
    ReadLane,
    WriteLane,
    Permlane16,
    Permlanex16,
    DsPermute,
    DsBpermute,
    DsSwizzle,
    MbcntLo,
    MbcntHi,
    SwapB32,
    SwapRel,
    MovrelD,
    MovrelS,
    MovrelSD,
    MovrelSD2,
    /// V_MQSAD_U32_U8: the one row with a result of four registers.
    QuadSad,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Control {
    Nop,
    EndPgm,
    Branch,
    BranchScc0,
    BranchScc1,
    BranchVccz,
    BranchVccnz,
    BranchExecz,
    BranchExecnz,
    Barrier,
    Waitcnt,
    WaitcntVscnt,
    WaitcntVmcnt,
    WaitcntExpcnt,
    WaitcntLgkmcnt,
    Sleep,
    SetPrio,
    SendMsg,
    /// M0 goes to the thread trace.
    TraceData,
    Trap,
    InstPrefetch,
    Clause,
    CodeEnd,
    DenormMode,
    RoundMode,
    GetPc,
    SetPc,
    SwapPc,
    Call,
    /// S_CBRANCH_I_FORK and S_CBRANCH_G_FORK: the smaller part of the wave goes on, the other waits on a stack in SGPRs; where to, the
    /// instruction says, or a pair of SGPRs.
    ForkTo,
    Fork,
    /// The part that waits goes on, or all are together.
    Join,
    /// MODE.VSKIP: vector instructions are passed over.
    SetVskip,
    /// MODE.GPR_IDX_EN and M0: vector instructions find their registers relative to M0.
    IndexOn,
    IndexOff,
    IndexMode,
    IndexValue,
    GetReg,
    SetReg,
    SetRegImm32,
    SetKill,
    SetHalt,
    SendMsgHalt,
    Wakeup,
    /// S_CBRANCH_CDBG*: taken by the debug bits of STATUS.
    BranchDebug(DebugCond),
    SubvectorBegin,
    SubvectorEnd,
    /// Return from the trap handler.
    Rfe,
    EndPgmOrdered,
    /// Interpolation and export: no compute wave can run them.
    GraphicsOnly,
    /// The encoding that will never be an instruction.
    Illegal,
}

impl Control {
    /// Whether SIMM16 is a distance to jump by, in dwords from the next instruction.
    pub const fn has_target(self) -> bool {
        use Control::*;
        matches!(
            self,
            Branch
                | BranchScc0
                | BranchScc1
                | BranchVccz
                | BranchVccnz
                | BranchExecz
                | BranchExecnz
                | BranchDebug(_)
                | Call
                | ForkTo
                | SubvectorBegin
                | SubvectorEnd
        )
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum DebugCond {
    System,
    User,
    Either,
    Both,
}

/// The kinds of meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Sem {
    /// 32-bit sources → 32-bit result, per lane (VALU) or once (SALU).
    Lane,
    /// 32- or 64-bit sources → condition: VOPC and SOPC.
    Compare,
    /// v_cmpx: as Compare, and the result goes to EXEC.
    CompareExec,
    /// 32-bit sources and a condition → 32-bit result and condition. The condition in is the row's Scc, Vcc or Mask source
    /// (false if it has none); the condition out is its Scc, Vcc or Mask destination.
    Carry,
    /// Any source or the result is 64 bits wide.
    Wide,
    /// As Wide, with a condition in.
    WideCarry,
    Mem(Space, MemKind),
    Wave(WaveOp),
    Control(Control),
    /// S_*_SAVEEXEC and the like: sdst = EXEC, EXEC = body(src, EXEC), SCC = EXEC ≠ 0. Body is Lane over each mask dword.
    SaveExec,
    /// S_*_WREXEC: EXEC = sdst = body(src, EXEC), SCC = EXEC ≠ 0.
    WriteExec,
    /// Known to the assembler, not executed yet: a fault with the disassembly.
    Todo,
}

/// What the timing model and the scheduler know of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Class {
    Valu,
    /// Transcendental unit, quarter rate.
    Trans,
    /// Quarter-rate 32-bit multiply.
    MulWide,
    Double,
    Salu,
    Smem,
    Vmem,
    Flat,
    Lds,
    Branch,
    Wait,
    Message,
    Image,
    Export,
}

impl Class {
    pub const ALL: [Class; 14] = [
        Class::Valu,
        Class::Trans,
        Class::MulWide,
        Class::Double,
        Class::Salu,
        Class::Smem,
        Class::Vmem,
        Class::Flat,
        Class::Lds,
        Class::Branch,
        Class::Wait,
        Class::Message,
        Class::Image,
        Class::Export,
    ];

    /// For people, and as a key for tools.
    pub fn name(self) -> &'static str {
        match self {
            Class::Valu => "vector",
            Class::Trans => "transcendental",
            Class::MulWide => "wide multiply",
            Class::Double => "double",
            Class::Salu => "scalar",
            Class::Smem => "scalar memory",
            Class::Vmem => "vector memory",
            Class::Flat => "flat memory",
            Class::Lds => "LDS",
            Class::Branch => "branch",
            Class::Wait => "wait",
            Class::Message => "message",
            Class::Image => "image",
            Class::Export => "export",
        }
    }
}

/// One instruction. Rows are data: every consumer reads them, no consumer has a second list.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub name: &'static str,
    pub doc: &'static str,
    /// The family that it is at home in; single generations may encode it in another ([`Row::encoding`]).
    pub format: Format,
    /// Encodings, each from its generation on until the next; `None` from where it is gone.
    pub numbers: &'static [(Gen, Option<Encoding>)],
    /// Mnemonics other than `name`, by the same rule.
    pub spellings: &'static [(Gen, &'static str)],
    /// Destinations and sources in the order of the assembly text, implicit ones last.
    pub dst: &'static [Ty],
    pub src: &'static [Ty],
    pub sem: Sem,
    pub scc: Scc,
    pub class: Class,
    pub traits: Traits,
    /// The row that does the same with the first two sources exchanged; itself where they commute.
    pub exchanged: Option<Op>,
    /// Of a scalar comparison: the one that holds where it does not.
    pub opposite: Option<Op>,
    /// What the clamp bit does to an integer result; nothing where it could leave its type in no case.
    pub clamp: Option<Clamp>,
    /// Of an instruction without data: what it is for.
    pub invalidates: Option<Invalidate>,
}

/// The cache, of a compute unit or of its work-group processor or array, that an instruction invalidates or writes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Invalidate {
    /// The vector L0 of the compute unit; GCN calls it L1.
    L0,
    /// The L1 of its shader array.
    L1,
    Scalar,
    ScalarWriteBack,
    Instructions,
}

/// An entry of a column that few rows have.
pub(crate) enum Column {
    Exchanged(Op),
    Opposite(Op),
    Clamp(Clamp),
    Invalidates(Invalidate),
}

bitflags::bitflags! {
    /// What sets a row apart from others of its family.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Traits: u16 {
        /// Has its family's own encoding and no other form.
        const SHORT_ONLY = 1 << 0;
        /// Has no VOP3 form.
        const NO_E64 = 1 << 1;
        const NO_SDWA = 1 << 2;
        const NO_DPP = 1 << 3;
        /// Takes no scalar and no constant.
        const VGPRS = 1 << 4;
        /// Permutes rows of lanes: op_sel's two bits are fetch-inactive and bound control.
        const ROW_SELECTS = 1 << 5;
        /// Products of matrices: A and B in VGPRs, C in VGPRs or an inline constant.
        const MATRIX = 1 << 6;
        /// Has lane permutation only where comparisons and VOP3 have it too.
        const LATE_DPP = 1 << 7;
        /// A VOP3 row of halves that are always the lower ones.
        const NO_OP_SEL = 1 << 8;
        /// Of a product of matrices: integers, of whose signs neg_lo tells.
        const INTEGERS = 1 << 9;
        /// A and B hold floats of 8 bits, whose signs nothing changes.
        const BYTES = 1 << 10;
        /// Of a product of matrices: C and D are halves of registers, and op_sel says which.
        const HALVES = 1 << 11;
        /// Another row with the first two sources exchanged; LDS direct is none of them.
        const REVERSED = 1 << 12;
    }
}

impl Row {
    pub(crate) const fn with(mut self, column: Column) -> Row {
        match column {
            Column::Exchanged(op) => self.exchanged = Some(op),
            Column::Opposite(op) => self.opposite = Some(op),
            Column::Clamp(clamp) => self.clamp = Some(clamp),
            Column::Invalidates(what) => self.invalidates = Some(what),
        }
        self
    }

    /// How a generation encodes it, if it has it.
    pub fn encoding(&self, generation: Gen) -> Option<Encoding> {
        inherited(self.numbers, generation).flatten()
    }

    /// The family that a generation has it in; its home where the generation lacks it.
    pub fn family(&self, generation: Gen) -> Format {
        self.encoding(generation).map_or(self.format, |e| e.format)
    }

    /// Whether its result of 16 bits clears the other half of the register. Rows that accumulate, or take a literal in the place of
    /// that, keep it on each generation; so do those of VOP3, but for the old ones that have no OP_SEL (Vega ISA document, 12.9).
    pub fn clears_high16(&self, generation: Gen) -> bool {
        let sums = self.src.iter().any(|ty| matches!(ty, Ty::Old | Ty::Lit32));
        match self.family(generation) {
            Format::Vop1 | Format::Vop2 => generation.caps().clears_high16 && !sums,
            _ => self.traits.contains(Traits::NO_OP_SEL),
        }
    }

    /// Its mnemonic on a generation.
    pub fn spelling(&self, generation: Gen) -> &'static str {
        inherited(self.spellings, generation).unwrap_or(self.name)
    }
}
