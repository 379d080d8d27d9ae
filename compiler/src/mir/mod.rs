//! `mir`: machine code with virtual registers.
//!
//! Shape:
//! - An instruction is a row of the instruction table (or a [`Pseudo`]) with its operands in the slots that
//!   [`wavepipe_isa::Instr`] documents, so that emission only renames registers.
//! - A virtual register is 1 to 16 dwords of one bank. Operands name a part of one: results of a wide load are used in
//!   place. Registers may be assigned more than once; liveness is by dword.
//! - Blocks lie in layout order. The *linear* edges (what the program counter does) follow from the terminator; the
//!   *logical* edges (what one work-item does) are listed. Scalar registers live along linear edges, vector registers
//!   along logical edges: a write under EXEC never touches the lanes that are waiting elsewhere.
//!
//! Invariant: a vector register that is written in lanes beyond EXEC (whole-wave code) is `resident`: it shares its
//! place with nothing.
//! Invariant: SCC lives only between neighbouring scalar instructions of a block and its terminator.

pub mod parse;
pub mod print;
pub mod validate;

use crate::ir::Loc;
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::Gen;
use wavepipe_isa::cache::Cache;
use wavepipe_isa::instr::{Extra, Flags, Mods};
use wavepipe_isa::{Op, Src, disasm};

/// Register files that an allocator fills.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Bank {
    S,
    V,
}

/// What is known of a virtual register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegInfo {
    pub bank: Bank,
    pub dwords: u8,
    /// Alignment of the first dword's register number: 1, 2 or 4.
    pub align: u8,
    /// Launch state: the register where the hardware puts it.
    pub fixed: Option<Src>,
    /// Written in inactive lanes too: live in the whole kernel.
    pub resident: bool,
    /// Came from spilling; must not be spilled again.
    pub spill_temp: bool,
}

impl RegInfo {
    /// An ordinary register. Scalar tuples get the alignment that scalar memory and descriptors need.
    pub fn new(bank: Bank, dwords: u8) -> RegInfo {
        let align = match (bank, dwords) {
            (Bank::V, _) | (Bank::S, 1) => 1,
            (Bank::S, 2) => 2,
            (Bank::S, _) => 4,
        };
        RegInfo { bank, dwords, align, fixed: None, resident: false, spill_temp: false }
    }
}

/// `len` dwords from dword `sub` of a virtual register.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Part {
    pub reg: u32,
    pub sub: u8,
    pub len: u8,
}

impl Part {
    /// Dword `i` of the part.
    pub fn at(self, i: u32) -> Part {
        Part { reg: self.reg, sub: self.sub + i as u8, len: 1 }
    }

    /// `len` dwords from dword `i` of the part.
    pub fn slice(self, i: u32, len: u32) -> Part {
        Part { reg: self.reg, sub: self.sub + i as u8, len: len as u8 }
    }
}

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum Arg {
    #[default]
    None,
    Reg(Part),
    /// A special register: EXEC, VCC, M0, SCC, NULL.
    Phys(Src),
    /// A constant: inline where the number has an inline form, a literal otherwise. Operands of 16 bits read its lower half,
    /// integers of 64 bits its value with the sign extended, an f64 the same number (±½, 1, 2 and 4 too).
    Imm(u32),
}

impl Arg {
    pub fn part(self) -> Option<Part> {
        match self {
            Arg::Reg(p) => Some(p),
            _ => None,
        }
    }

    pub fn imm(self) -> Option<u32> {
        match self {
            Arg::Imm(n) => Some(n),
            _ => None,
        }
    }

    /// Needs the instruction's literal.
    pub fn is_literal(self) -> bool {
        matches!(self, Arg::Imm(n) if Src::inline(n).is_none())
    }
}

impl From<Part> for Arg {
    fn from(p: Part) -> Arg {
        Arg::Reg(p)
    }
}

/// Operations that no single instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Pseudo {
    /// The registers that the launch fills: `dst` are all `fixed`. First instruction of the kernel.
    Start,
    /// `dst[i] = src[i]` dword by dword, all at once. Parts of equal length.
    Copy,
    /// `dst` gets an unspecified value; no code.
    Undef,
    /// `dst` = address of the constant data behind the code (2 dwords) + `imm`. Clobbers SCC.
    ConstAddress,
    /// Keeps `src` alive and in place; no code.
    Keep,
    /// Runs function number `imm`. `dst` = return address, target, results; `src` = frame pointer, the scratch ring's V#,
    /// parameters: all `fixed`. What the function writes besides is known once its registers are. Clobbers SCC.
    Call,
    /// `src[0]`, a scalar, goes to the thread trace. Clobbers M0.
    Trace,
    /// Goes back to the caller: `src` = return address, results. Only before [`Term::Return`].
    Return,
}

impl Pseudo {
    pub const ALL: [Pseudo; 8] = [
        Pseudo::Start,
        Pseudo::Copy,
        Pseudo::Undef,
        Pseudo::ConstAddress,
        Pseudo::Keep,
        Pseudo::Call,
        Pseudo::Trace,
        Pseudo::Return,
    ];

    /// Its mnemonic.
    pub const fn name(self) -> &'static str {
        match self {
            Pseudo::Start => "p_start",
            Pseudo::Copy => "p_copy",
            Pseudo::Undef => "p_undef",
            Pseudo::ConstAddress => "p_const_address",
            Pseudo::Keep => "p_keep",
            Pseudo::Call => "p_call",
            Pseudo::Trace => "p_trace",
            Pseudo::Return => "p_return",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum InstCode {
    Isa(Op),
    Pseudo(Pseudo),
}

/// One instruction.
#[derive(Clone, PartialEq, Debug)]
pub struct Inst {
    pub code: InstCode,
    pub dst: Vec<Arg>,
    pub src: Vec<Arg>,
    pub imm: i32,
    pub mods: Mods,
    pub flags: Flags,
    pub cache: Cache,
    pub extra: Extra,
    /// `dst[0]` is read too (v_writelane, DPP with an old value).
    pub tied: bool,
    pub loc: Loc,
}

impl Inst {
    pub fn isa(op: Op, dst: Vec<Arg>, src: Vec<Arg>) -> Inst {
        Inst::new(InstCode::Isa(op), dst, src)
    }

    pub fn pseudo(p: Pseudo, dst: Vec<Arg>, src: Vec<Arg>) -> Inst {
        Inst::new(InstCode::Pseudo(p), dst, src)
    }

    fn new(code: InstCode, dst: Vec<Arg>, src: Vec<Arg>) -> Inst {
        Inst {
            code,
            dst,
            src,
            imm: 0,
            mods: Mods::default(),
            flags: Flags::empty(),
            cache: Cache::DEFAULT,
            extra: Extra::None,
            tied: false,
            loc: Loc::default(),
        }
    }

    pub fn op(&self) -> Option<Op> {
        match self.code {
            InstCode::Isa(op) => Some(op),
            InstCode::Pseudo(_) => None,
        }
    }

    pub fn is_pseudo(&self, p: Pseudo) -> bool {
        self.code == InstCode::Pseudo(p)
    }

    /// Virtual registers read, including a tied destination.
    pub fn uses(&self) -> impl Iterator<Item = Part> + '_ {
        let tied = self.dst.iter().take(usize::from(self.tied));
        self.src.iter().chain(tied).filter_map(|a| a.part())
    }

    pub fn defs(&self) -> impl Iterator<Item = Part> + '_ {
        self.dst.iter().filter_map(|a| a.part())
    }
}

pub type BlockId = u32;

/// When a conditional branch is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Cond {
    Scc0,
    Scc1,
    Vccz,
    Vccnz,
    Execz,
    Execnz,
}

impl Cond {
    pub const ALL: [Cond; 6] = [Cond::Scc0, Cond::Scc1, Cond::Vccz, Cond::Vccnz, Cond::Execz, Cond::Execnz];

    /// As the instructions that branch on it end.
    pub const fn name(self) -> &'static str {
        match self {
            Cond::Scc0 => "scc0",
            Cond::Scc1 => "scc1",
            Cond::Vccz => "vccz",
            Cond::Vccnz => "vccnz",
            Cond::Execz => "execz",
            Cond::Execnz => "execnz",
        }
    }
}

/// How control leaves a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// To the next block of the layout.
    Fall,
    Jump(BlockId),
    /// To `target` when `cond` holds, to the next block otherwise.
    Branch {
        cond: Cond,
        target: BlockId,
    },
    End,
    /// By the block's last instruction, to the caller.
    Return,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub insts: Vec<Inst>,
    pub term: Term,
    /// Logical successors.
    pub logical: Vec<BlockId>,
    pub loop_depth: u32,
    pub loc: Loc,
}

impl Block {
    /// Nothing, which falls through to the next.
    pub fn new(loop_depth: u32) -> Block {
        Block { insts: Vec::new(), term: Term::Fall, logical: Vec::new(), loop_depth, loc: Loc::default() }
    }
}

/// A kernel, or a function of one, on its way to machine code.
#[derive(Clone, PartialEq, Debug)]
pub struct Func {
    pub isa: Gen,
    pub wave: WaveSize,
    pub regs: Vec<RegInfo>,
    /// Indexed by [`BlockId`].
    pub blocks: Vec<Block>,
    /// Layout order.
    pub order: Vec<BlockId>,
}

impl Func {
    pub fn new(isa: Gen, wave: WaveSize) -> Func {
        Func { isa, wave, regs: Vec::new(), blocks: Vec::new(), order: Vec::new() }
    }

    /// Dwords of a lane mask.
    pub fn mask_dwords(&self) -> u32 {
        self.wave.lanes() / 32
    }

    /// A fresh register, whole.
    pub fn reg(&mut self, bank: Bank, dwords: u32) -> Part {
        self.regs.push(RegInfo::new(bank, dwords as u8));
        Part { reg: self.regs.len() as u32 - 1, sub: 0, len: dwords as u8 }
    }

    /// A new block, not yet in the layout.
    pub fn block(&mut self, loop_depth: u32) -> BlockId {
        self.blocks.push(Block::new(loop_depth));
        self.blocks.len() as BlockId - 1
    }

    pub fn info(&self, p: Part) -> &RegInfo {
        &self.regs[p.reg as usize]
    }

    /// Linear successors of the block at `index` of the layout: fall-through first.
    pub fn linear(&self, index: usize) -> impl Iterator<Item = BlockId> + use<> {
        let next = self.order.get(index + 1).copied();
        let (a, b) = match self.blocks[self.order[index] as usize].term {
            Term::Fall => (next, None),
            Term::Jump(t) => (None, Some(t)),
            Term::Branch { target, .. } => (next, Some(target)),
            Term::End | Term::Return => (None, None),
        };
        a.into_iter().chain(b)
    }

    /// Every instruction, in layout order.
    pub fn insts(&self) -> impl Iterator<Item = &Inst> {
        self.order.iter().flat_map(|&b| &self.blocks[b as usize].insts)
    }
}
