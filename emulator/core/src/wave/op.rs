//! A resolved operation: what one instruction became when its block was decoded.

use super::env::Env;
use super::regs::Loc;
use super::state::Wave;
use std::ops::{Deref, DerefMut};
use wavepipe_isa::Instr;
use wavepipe_isa::instr::Flags;
use wavepipe_isa::insts::Op;
use wavepipe_isa::row;
use wavepipe_lanes::Operands;

/// Executes one operation on a wave. `true` ends the block: the wave's status, pc or trouble says why.
///
/// Unsafe to call because variants use host instructions (`target_feature`) and trust row indices: the wave must be at
/// least as large as the operation's block says, and the table must be the one chosen for this host.
pub(crate) type OpFn = unsafe fn(&mut Wave, &MicroOp, &mut Env) -> bool;

/// An operation. `repr(C)`: a pointer to one is one to its operands ([`super::table::op_of`]).
#[repr(C)]
pub(crate) struct MicroOp {
    pub operands: Operands,
    pub f: OpFn,
    /// Memory: all that its encoding has, the image's too.
    pub flags: Flags,
    /// Between lanes: what a permlane's op_sel says, and whether a sum of differences is clamped.
    pub cross: CrossLane,
    /// Address of the instruction after this one.
    pub next: u64,
    /// Literal of a scalar operation.
    pub literal: u32,
    /// SIMM16 or memory offset.
    pub imm: i32,
    pub op: Op,
    pub row: &'static row::Row,
    pub known: Known,
    pub ext: Option<Box<Ext>>,
}

/// What others than `f` may do in its place: an operation's function says nothing, its address least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    No,
    /// Nothing.
    Nothing,
    /// The row's body, evaluated as [`wavepipe_isa::alu::Nearest`] does, or a count of a mask's bits.
    Body,
    /// The row's access to memory, as it is without any modifier.
    Access,
    /// Words between lanes.
    Lanes,
}

/// Modifiers of operations between lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct CrossLane {
    /// A lane that is not live is read all the same.
    pub fetch_inactive: bool,
    /// A lane that is not live reads as zero, where it would keep the destination.
    pub bound_control: bool,
    pub clamp: bool,
}

/// Modifiers, and the plain operation under them.
pub(crate) struct Ext {
    pub inner: OpFn,
    /// What follows once VCCZ, EXECZ and LDS direct values are there, if the operation reads them.
    pub then: OpFn,
    pub instr: Instr,
    /// How to do it by vector code, if that is possible.
    pub plan: Option<super::prepare::Plan>,
    /// Where the addresses of an image instruction are.
    pub image: Option<super::mem::ImageOperands>,
}

impl Ext {
    pub fn new(inner: OpFn, then: OpFn, instr: Instr) -> Box<Ext> {
        Box::new(Ext { inner, then, instr, plan: None, image: None })
    }
}

impl Deref for MicroOp {
    type Target = Operands;
    #[inline(always)]
    fn deref(&self) -> &Operands {
        &self.operands
    }
}

impl DerefMut for MicroOp {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Operands {
        &mut self.operands
    }
}

impl MicroOp {
    /// The operation under modifiers: `f` on sources that are ready (nothing to broadcast), into row or SGPR `dst`.
    pub fn plain(&self, f: OpFn, src: [Loc; 3], constant: u8, dst: u32) -> MicroOp {
        MicroOp {
            operands: Operands { src, dst, constant, splat: 0, ..self.operands },
            f,
            flags: self.flags,
            cross: self.cross,
            next: self.next,
            literal: self.literal,
            imm: self.imm,
            op: self.op,
            row: self.row,
            known: Known::No,
            ext: None,
        }
    }
}
