//! Encodings of vector instructions: which one its operands allow, and where a literal may stand.

use wavepipe_isa::instr::{Form, Instr, Mods};
use wavepipe_isa::insts as i;
use wavepipe_isa::row::{Format, Ty};
use wavepipe_isa::{Gen, Op, Src};

/// The shortest form of an instruction that has its places, perhaps with the sources exchanged.
pub fn choose(x: &mut Instr, isa: Gen) {
    if matches!(x.op.row().family(isa), Format::Vop1 | Format::Vop2 | Format::Vopc) {
        shorten(x, isa);
    } else if x.op == i::V_FMA_F32 && x.mods == Mods::default() {
        accumulate(x, isa);
    }
}

/// The 32-bit form if the operands allow it, perhaps with the sources exchanged; VOP3 otherwise.
fn shorten(x: &mut Instr, isa: Gen) {
    if base_fits(x, isa) {
        return;
    }
    if let Some(op) = exchanged(x.op, isa)
        && x.mods == Mods::default()
    {
        let mut y = *x;
        y.op = op;
        y.src.swap(0, 1);
        if base_fits(&y, isa) {
            *x = y;
            return;
        }
    }
    if x.op.supports(Form::E64, isa) {
        x.form = Form::E64;
    }
}

fn base_fits(x: &Instr, isa: Gen) -> bool {
    if x.mods != Mods::default() {
        return false;
    }
    let row = x.op.row();
    let vcc = |s: Src| s == Src::VCC_LO || s == Src::NONE;
    let defs = row.dst.iter().enumerate().all(|(n, &t)| t != Ty::Vcc || vcc(x.dst[n]));
    let uses = row.src.iter().take(4).enumerate().all(|(n, &t)| match t {
        Ty::Vcc => vcc(x.src[n]),
        _ => n != 1 || row.family(isa) == Format::Vop1 || x.src[1].is_vgpr(),
    });
    defs && uses
}

/// The instruction of a generation that does the same with its first two sources exchanged.
fn exchanged(op: Op, isa: Gen) -> Option<Op> {
    op.row().exchanged.filter(|op| op.exists(isa))
}

/// v_fma with the destination as addend is v_fmac, half as long.
fn accumulate(x: &mut Instr, isa: Gen) {
    let mut y = *x;
    if !y.src[1].is_vgpr() {
        y.src.swap(0, 1);
    }
    if y.dst[0] == y.src[2] && y.src[1].is_vgpr() && i::V_FMAC_F32.exists(isa) {
        y.op = i::V_FMAC_F32;
        *x = y;
    }
}

/// Whether operand `n` of a vector instruction without modifiers can be a literal where the other is a VGPR. `vcc`: the mask
/// that it writes is VCC.
pub fn takes_literal(op: Op, n: usize, vcc: bool, isa: Gen) -> bool {
    let row = op.row();
    if isa.caps().vop3_literal {
        return true;
    }
    // Any other mask wants the VOP3 form.
    let short = !row.src.contains(&Ty::Vcc) && (vcc || !row.dst.contains(&Ty::Vcc));
    match row.family(isa) {
        Format::Vop1 => true,
        Format::Vop2 | Format::Vopc => short && (n == 0 || n == 1 && exchanged(op, isa).is_some()),
        _ => false,
    }
}
