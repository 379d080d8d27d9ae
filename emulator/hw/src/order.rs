//! What code tells a check about the order of memory accesses, where no instruction does it: lanes of a wave need no
//! instruction to wait for each other, nor does a work-group of one wave.
//!
//! A mark is an S_TTRACEDATA_IMM, whose eight bits go to a thread trace and change nothing; where there is none, an S_NOP, whose upper
//! bits nobody reads. Code that has marks begins with [`BEGIN`]; from other code nobody takes them for such.

use wavepipe_isa::{Gen, Instr, Op, insts};

/// The first instruction of a kernel all of whose barriers are marked.
pub const BEGIN: u8 = 0x40;
/// The first instruction of a kernel that copies for a program: what it reads decides nothing, and what nobody wrote may be among it.
pub const COPIES: u8 = 0x20;
const BARRIER: u8 = 0x80;
const LDS: u8 = 0x10;
const BUFFERS: u8 = 0x20;
const IMAGES: u8 = 0x40;

/// Of S_NOP's constant, the wait states.
const NOP_BITS: u32 = 4;

/// The instruction and its constant that are a mark on a generation.
pub fn mark(bits: u8, isa: Gen) -> (Op, i32) {
    match insts::S_TTRACEDATA_IMM.row().encoding(isa) {
        Some(_) => (insts::S_TTRACEDATA_IMM, bits.into()),
        None => (insts::S_NOP, i32::from(bits) << NOP_BITS),
    }
}

/// The bits of an instruction that may be a mark.
pub fn bits(instr: &Instr) -> Option<u8> {
    match instr.op {
        insts::S_TTRACEDATA_IMM => Some(instr.imm as u8),
        insts::S_NOP => Some((instr.imm as u32 >> NOP_BITS) as u8).filter(|bits| *bits != 0),
        _ => None,
    }
}

/// Who takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Among {
    Nobody,
    Subgroup,
    WorkGroup,
    Device,
}

impl Among {
    pub const ALL: [Among; 4] = [Among::Nobody, Among::Subgroup, Among::WorkGroup, Among::Device];
}

/// A barrier of the source: who waits for whom, and whose accesses to what it orders. What its semantics do not name it does
/// not order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierMark {
    pub execution: Among,
    pub memory: Among,
    pub lds: bool,
    pub buffers: bool,
    pub images: bool,
}

impl BarrierMark {
    pub fn to_bits(self) -> u8 {
        let flag = |on: bool, bit: u8| if on { bit } else { 0 };
        let memory = flag(self.lds, LDS) | flag(self.buffers, BUFFERS) | flag(self.images, IMAGES);
        BARRIER | self.execution as u8 | (self.memory as u8) << 2 | memory
    }

    pub fn from_bits(bits: u8) -> Option<BarrierMark> {
        let among = |shift: u32| Among::ALL[usize::from(bits >> shift & 3)];
        (bits & BARRIER == BARRIER).then(|| BarrierMark {
            execution: among(0),
            memory: among(2),
            lds: bits & LDS != 0,
            buffers: bits & BUFFERS != 0,
            images: bits & IMAGES != 0,
        })
    }
}
