//! What MODE does to all vector instructions that follow: VSKIP passes over them, GPR_IDX_EN adds M0's index to the registers
//! of VALU instructions (GCN; Vega ISA document, 6.6).
//!
//! M0[7:0] is the index, M0[12], [13], [14] and [15] say that it is added to source 0, 1, 2 and to the destination. A block is
//! decoded for one such state ([`super::block::Key`]); what M0 says is read when the operation runs.

use super::block::{BlockEntry, Key};
use super::env::Env;
use super::op::{Ext, Known, MicroOp};
use super::regs::{Loc, TEMPS};
use super::state::{M0, Wave};
use wavepipe_hw::register::mode;
use wavepipe_isa::insts::{S_NOP, S_SET_GPR_IDX_ON, S_SETVSKIP};
use wavepipe_isa::row::{Format, Row, Sem, Ty, WaveOp};
use wavepipe_isa::{Gen, Instr, Op, Src};

/// MODE's bits.
pub(crate) const GPR_IDX_EN: u32 = mode::GPR_IDX_EN.mask(Gen::Gfx900);
pub(crate) const VSKIP: u32 = mode::VSKIP.mask(Gen::FIRST);

/// What MODE says of vector instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Vectors {
    #[default]
    Usual,
    Indexed,
    Skipped,
}

impl Vectors {
    #[inline(always)]
    pub fn of(w: &Wave) -> Vectors {
        if w.mode & (GPR_IDX_EN | VSKIP) == 0 { Vectors::Usual } else { Vectors::unusual(w) }
    }

    /// The bits mean this where there are instructions that set them.
    #[cold]
    fn unusual(w: &Wave) -> Vectors {
        let has = |op: Op| op.row().encoding(w.isa).is_some();
        match w.mode {
            mode if mode & VSKIP != 0 && has(S_SETVSKIP) => Vectors::Skipped,
            mode if mode & GPR_IDX_EN != 0 && has(S_SET_GPR_IDX_ON) => Vectors::Indexed,
            _ => Vectors::Usual,
        }
    }
}

/// Whether VSKIP passes over the instructions of a family.
pub(crate) fn is_vector(format: Format) -> bool {
    !format.is_salu() && format != Format::Smem
}

/// Whether M0 moves the registers of a row: VALU instructions, those without registers excepted.
pub(crate) fn applies(row: &Row) -> bool {
    use Format::{Vop1, Vop2, Vop3, Vop3p, Vopc};
    matches!(row.format, Vop1 | Vop2 | Vop3 | Vop3p | Vopc) && !matches!(row.sem, Sem::Control(_))
}

/// Makes the operation one that adds the index first.
pub(crate) fn wrap(op: &mut MicroOp, i: &Instr) {
    let inner = op.f;
    op.known = Known::No;
    match &mut op.ext {
        Some(ext) => {
            op.f = run::<true>;
            ext.then = op.f;
        }
        None => {
            op.f = run::<false>;
            op.ext = Some(Ext::new(inner, op.f, *i));
        }
    }
}

/// How far M0 moves source `k`, or the destination, for which `k` is 3.
fn by(m0: u32, k: usize) -> u32 {
    if m0 >> (12 + k) & 1 != 0 { m0 & 0xff } else { 0 }
}

/// The source that bit `k` of M0[14:12] speaks of, in the row's order: a factor that is a literal has no register, V_MADMK's
/// addend is source 2, and so is what a row accumulates on.
fn moves(row: &Row, k: usize, m0: u32) -> u32 {
    match row.src.get(k) {
        Some(Ty::Old) => by(m0, 3),
        Some(_) => by(m0, k),
        None => 0,
    }
}

/// First row of the register `by` after the one at `row`; `None` past the wave's last.
fn register(w: &Wave, row: usize, by: u32) -> Option<usize> {
    let n = (row / w.halves).checked_sub(TEMPS as usize)? + by as usize;
    (n < w.vgprs as usize).then_some((TEMPS as usize + n) * w.halves)
}

/// The registers of an operation as M0 moves them. A source past the wave's last register is v0; `None`: the destination is, and
/// nothing happens.
pub(crate) fn registers(w: &Wave, op: &MicroOp) -> Option<([Loc; 3], u32, u32)> {
    let m0 = w.s.0[M0];
    let mut src = op.src;
    let mut k = 0;
    for (slot, &ty) in op.row.src.iter().enumerate() {
        if !super::lower::is_vector_source(ty) || k == 3 {
            continue;
        }
        if (op.constant | op.splat) >> k & 1 == 0 {
            let to = register(w, src[k].index(), moves(op.row, slot, m0));
            src[k] = Loc::row(to.unwrap_or(TEMPS as usize * w.halves));
        }
        k += 1;
    }
    let (mut dst, mut dst2) = (op.dst, op.dst2);
    let to_vgpr = op.row.dst.first().is_some_and(|ty| !ty.implicit() && *ty != Ty::Mask);
    if to_vgpr && !matches!(op.row.sem, Sem::Wave(WaveOp::ReadLane | WaveOp::ReadFirstLane)) {
        dst = register(w, dst as usize, by(m0, 3))? as u32;
    }
    if op.row.sem == Sem::Wave(WaveOp::SwapB32) {
        dst2 = register(w, dst2 as usize, by(m0, 0))? as u32;
    }
    Some((src, dst, dst2))
}

/// `MODIFIED`: sources and result are prepared and finished.
unsafe fn run<const MODIFIED: bool>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Some(ext) = op.ext.as_deref() else { return false };
    let Some((src, dst, dst2)) = registers(w, op) else { return false };
    if MODIFIED && !matches!(op.row.sem, Sem::Wave(_)) {
        // SAFETY: the registers are the wave's.
        return unsafe { super::modify::modified_at(w, op, ext, src, dst, env) };
    }
    op.broadcast(w);
    let mut plain = op.plain(ext.inner, src, op.constant, dst);
    plain.dst2 = dst2;
    // SAFETY: the operation's own function, on registers that are the wave's.
    unsafe { (ext.inner)(w, &plain, env) }
}

/// What observers are shown of an instruction under the block's state: nothing of one that is passed over, and where M0 moves
/// registers, those.
pub(crate) fn entry(mut entry: BlockEntry, key: Key) -> BlockEntry {
    let row = entry.instr.as_ref().map(|i| i.op.row());
    match (key.vectors, row) {
        (Vectors::Skipped, Some(row)) if is_vector(row.format) => entry.instr = Some(Instr::new(S_NOP)),
        (Vectors::Indexed, Some(row)) if applies(row) => entry.footprint.is_indexed(),
        _ => {}
    }
    entry
}

/// An instruction with the registers that M0 moves it to.
pub(crate) fn moved(instr: &Instr, m0: u32) -> Instr {
    let row = instr.op.row();
    let add = |s: Src, by: u32| if s.is_vgpr() { Src(s.0.saturating_add(by as u16).min(511)) } else { s };
    let mut out = *instr;
    for k in 0..row.src.len().min(out.src.len()) {
        out.src[k] = add(out.src[k], moves(row, k, m0));
    }
    out.dst[0] = add(out.dst[0], by(m0, 3));
    out
}
