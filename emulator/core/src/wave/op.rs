//! A resolved operation: what one instruction became when its block was decoded.

use super::env::Env;
use super::regs::{LaneRow, Loc, Rows, source};
use super::state::Wave;
use wavepipe_isa::Instr;
use wavepipe_isa::instr::Flags;
use wavepipe_isa::insts::Op;
use wavepipe_isa::row;

/// Executes one operation on a wave. `true` ends the block: the wave's status, pc or trouble says why.
///
/// Unsafe to call because variants use host instructions (`target_feature`) and trust row indices: the wave must be at
/// least as large as the operation's block says, and the table must be the one chosen for this host.
pub(crate) type OpFn = unsafe fn(&mut Wave, &MicroOp, &mut Env) -> bool;

/// Field use by kind:
///
/// | kind | src | s | dst | dst2 |
/// |---|---|---|---|---|
/// | vector | rows or constants | SGPR pair of source i at 2i (broadcast if bit i of `splat`), carry-in at 6 | row, or SGPR of a compare | SGPR of the carry-out |
/// | scalar | – | pair of source i at 2i | SGPR | second SGPR |
/// | memory | address, data, data2 rows | 0: descriptor or base, 2: offset | first data row or SGPR | – |
pub(crate) struct MicroOp {
    pub f: OpFn,
    pub src: [Loc; 3],
    pub dst: u32,
    pub dst2: u32,
    pub s: [u8; 8],
    /// Bit i: source i is a constant of the block.
    pub constant: u8,
    /// Bit i: source i is an SGPR (pair) to broadcast.
    pub splat: u8,
    /// Bit i: source i is 64 bits wide; bit 3: so is the destination.
    pub wide: u8,
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

impl MicroOp {
    /// The operation under modifiers: `f` on sources that are ready (nothing to broadcast), into row or SGPR `dst`.
    pub fn plain(&self, f: OpFn, src: [Loc; 3], constant: u8, dst: u32) -> MicroOp {
        MicroOp {
            f,
            src,
            dst,
            dst2: self.dst2,
            s: self.s,
            constant,
            splat: 0,
            wide: self.wide,
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

    /// Word `word` of source `k` in half `half`; rows of a pair are `halves` apart.
    #[inline(always)]
    pub fn source<'a>(&self, v: &'a Rows, k: usize, word: usize, half: usize, halves: usize) -> &'a LaneRow {
        source(v, self.src[k], self.constant >> k & 1 != 0, word * halves + half)
    }

    /// Broadcasts the SGPR sources into their temporary rows. Part of the caller's code, so that a row is written as
    /// wide as it is read back at once.
    #[inline(always)]
    pub fn broadcast(&self, w: &mut Wave) {
        if self.splat == 0 {
            return;
        }
        for k in 0..3 {
            if self.splat >> k & 1 == 0 {
                continue;
            }
            let first = self.src[k].index();
            for word in 0..1 + usize::from(self.wide >> k & 1) {
                let row = LaneRow::splat(w.scalar(self.s[2 * k + word]));
                for half in 0..w.halves {
                    *w.v.get_mut(first + word * w.halves + half) = row;
                }
            }
        }
    }
}
