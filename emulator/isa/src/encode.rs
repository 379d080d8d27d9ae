//! Instruction → dwords.

use crate::Gen;
use crate::instr::{Extra, Form, Instr};
use crate::insts::Op;
use crate::layout::{self, Bits, Code, Field, Layout, Place, Slot};
use crate::reg::Src;
use crate::row::{Format, Sem, Ty, WaveOp};

/// What cannot be encoded, and why.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{op:?}: {what}")]
pub struct EncodeError {
    pub op: Op,
    pub what: String,
}

/// Appends the instruction's one to three dwords. Nothing is appended on error.
pub fn encode(instr: &Instr, generation: Gen, out: &mut Vec<u32>) -> Result<(), EncodeError> {
    let Gen::Gfx1010 = generation;
    let row = instr.op.row();
    let fail = |what: String| Err(EncodeError { op: instr.op, what });
    let Some(layout) = layout::GFX10.iter().find(|l| layout::serves(l, row, instr.form) && dpp8_matches(l, instr))
    else {
        return fail(format!("has no {:?} form", instr.form));
    };
    let mut word = 0u64;
    for &(bits, value) in layout.fixed {
        bits.put(&mut word, value);
    }
    for &(bits, field) in layout.fields {
        match value(instr, layout, bits, field) {
            Ok(v) if bits.fits(v) => bits.put(&mut word, v),
            Ok(v) => return fail(format!("{field:?} = {v:#x} does not fit {} bits", bits.width())),
            Err(what) => return fail(what),
        }
    }
    let literal = has_literal(instr);
    if literal && !takes_literal(instr) {
        return fail(format!("the {:?} form takes no literal", instr.form));
    }
    out.push(word as u32);
    if layout.dwords == 2 {
        out.push((word >> 32) as u32);
    }
    if literal {
        out.push(instr.literal);
    }
    Ok(())
}

/// Whether a literal dword follows.
pub(crate) fn has_literal(instr: &Instr) -> bool {
    let row = instr.op.row();
    row.src.iter().enumerate().any(|(i, &ty)| {
        ty == Ty::Lit32 || (layout::encoded(row, instr.form, ty) && instr.src.get(i) == Some(&Src::LITERAL))
    })
}

fn takes_literal(instr: &Instr) -> bool {
    use Format::*;
    let scalar_or_vector =
        matches!(instr.op.row().format, Sop1 | Sop2 | Sopc | Sopk | Vop1 | Vop2 | Vopc | Vop3 | Vop3p);
    scalar_or_vector && matches!(instr.form, Form::Base | Form::E64)
}

fn dpp8_matches(layout: &Layout, instr: &Instr) -> bool {
    match (layout.form, instr.extra) {
        (Form::Dpp8, Extra::Dpp8 { fetch_inactive, .. }) => layout.fixed.contains_fetch_inactive() == fetch_inactive,
        _ => true,
    }
}

trait FetchInactive {
    fn contains_fetch_inactive(&self) -> bool;
}
impl FetchInactive for &'static [(Bits, u32)] {
    fn contains_fetch_inactive(&self) -> bool {
        self.iter().any(|&(_, v)| v == 234)
    }
}

/// The operand in a slot; a slot that the encoder may fill by itself is filled.
pub(crate) fn operand(instr: &Instr, slot: Slot) -> Src {
    match slot {
        Slot::Dst(i) => instr.dst[i],
        Slot::Src(i) => instr.src[i],
    }
}

fn value(instr: &Instr, layout: &Layout, bits: Bits, field: Field) -> Result<u32, String> {
    let row = instr.op.row();
    let mods = instr.mods;
    let sdwa = match instr.extra {
        Extra::Sdwa(s) => Some(s),
        _ => None,
    };
    let dpp = match instr.extra {
        Extra::Dpp16(d) => Some(d),
        _ => None,
    };
    let want_sdwa = || sdwa.ok_or_else(|| "an SDWA form without SDWA selects".to_string());
    let want_dpp = || dpp.ok_or_else(|| "a DPP16 form without DPP control".to_string());
    Ok(match field {
        Field::Op => u32::from(row.opcode + layout.op_base),
        Field::At(place, code) => return operand_bits(instr, place, code),
        Field::ScalarBit(place) => match layout::slot(row, instr.form, place) {
            Some(slot) => u32::from(!operand(instr, slot).is_vgpr()),
            None => 0,
        },
        Field::MaskBit => u32::from(row.dst[0] == Ty::Vcc && instr.dst[0] != Src::VCC_LO && instr.dst[0] != Src::NONE),
        Field::Imm { signed } => {
            let (width, v) = (bits.width(), i64::from(instr.imm));
            // A 16-bit constant may be given by its value or by its bits.
            let low = if signed { -(1i64 << (width - 1)) } else { 0 };
            let high = if signed && width != 16 { 1i64 << (width - 1) } else { 1i64 << width };
            if v < low || v >= high {
                return Err(format!("offset or constant {v} is outside of {low} … {}", high - 1));
            }
            instr.imm as u32 & ((1u64 << width) - 1) as u32
        }
        Field::Flag(flag) => u32::from(instr.flags.contains(flag)),
        Field::Neg => u32::from(mods.neg),
        Field::Abs => u32::from(mods.abs),
        Field::NegBit(i) => u32::from(mods.neg >> i & 1),
        Field::AbsBit(i) => u32::from(mods.abs >> i & 1),
        Field::SextBit(i) => u32::from(want_sdwa()?.sext >> i & 1),
        Field::Omod => u32::from(mods.omod),
        Field::Clamp => u32::from(mods.clamp),
        Field::OpSel => u32::from(mods.op_sel),
        // A packed row of two sources has the third's bit set.
        Field::OpSelHi(2) if row.src.len() < 3 => 1,
        Field::OpSelHi(from) => u32::from(mods.op_sel_hi >> from) & ((1 << bits.width()) - 1),
        Field::NegHi => u32::from(mods.neg_hi),
        // A row without destination has nothing to select.
        Field::DstSel => u32::from(want_sdwa()?.dst_sel),
        Field::DstUnused => u32::from(want_sdwa()?.dst_unused),
        Field::SrcSel(0) => u32::from(want_sdwa()?.src0_sel),
        Field::SrcSel(_) if layout::slot(row, instr.form, Place::Src1).is_none() => 0,
        Field::SrcSel(_) => u32::from(want_sdwa()?.src1_sel),
        Field::DppCtrl => u32::from(want_dpp()?.ctrl),
        Field::RowMask => u32::from(want_dpp()?.row_mask),
        Field::BankMask => u32::from(want_dpp()?.bank_mask),
        Field::BoundCtrl => u32::from(want_dpp()?.bound_ctrl),
        Field::FetchInactive => u32::from(want_dpp()?.fetch_inactive),
        Field::Dpp8Selects => match instr.extra {
            Extra::Dpp8 { selects, .. } => selects,
            _ => return Err("a DPP8 form without selects".into()),
        },
    })
}

fn operand_bits(instr: &Instr, place: Place, code: Code) -> Result<u32, String> {
    let row = instr.op.row();
    let Some(slot) = layout::slot(row, instr.form, place) else {
        return Ok(match (row.format, place) {
            // V_CMPX names EXEC in VOP3; memory families name null where a row has no scalar address.
            (Format::Vopc, Place::Dst) if row.dst[0] == Ty::Exec => u32::from(Src::EXEC_LO.0),
            (Format::Flat | Format::Global | Format::Scratch, Place::Saddr) => u32::from(Src::NULL.0),
            _ => 0,
        });
    };
    let src = operand(instr, slot);
    match (row.format, place) {
        // A destination that is VCC by the encoding leaves the field zero.
        (Format::Vopc, Place::Mask) if row.dst[0] == Ty::Exec || src == Src::VCC_LO || src == Src::NONE => {
            return Ok(0);
        }
        (Format::Mubuf | Format::Scratch, Place::Addr) if src == Src::NONE => return Ok(0),
        // Atomics without GLC return nothing; loads into LDS neither.
        (Format::Flat | Format::Global | Format::Scratch, Place::Dst) if src == Src::NONE && may_lack_dst(instr) => {
            return Ok(0);
        }
        (Format::Mubuf, Place::Data0) if src == Src::NONE && instr.flags.contains(crate::instr::Flags::LDS) => {
            return Ok(0);
        }
        (Format::Vop1 | Format::Vop3, Place::Dst) if layout::scalar_dst(row) => {
            return Code::Sgpr.bits(src).ok_or_else(|| format!("destination {src:?} must be a scalar register"));
        }
        (Format::Vop1 | Format::Vop2 | Format::Vop3, Place::Dst) => {
            return Code::Vgpr.bits(src).ok_or_else(|| format!("destination {src:?} must be a VGPR"));
        }
        (Format::Vopc, Place::Dst) => {
            return Code::Sgpr.bits(src).ok_or_else(|| format!("destination {src:?} must be a scalar register"));
        }
        _ => {}
    }
    if row.sem == Sem::Wave(WaveOp::SwapB32) && !src.is_vgpr() {
        return Err(format!("{src:?} must be a VGPR"));
    }
    code.bits(src).ok_or_else(|| format!("{place:?} cannot be {src:?}"))
}

/// Whether a memory instruction's destination may be absent.
pub(crate) fn may_lack_dst(instr: &Instr) -> bool {
    use crate::instr::Flags;
    use crate::row::MemKind;
    match instr.op.row().sem {
        Sem::Mem(_, MemKind::Atomic { .. }) => !instr.flags.contains(Flags::GLC),
        _ => instr.flags.contains(Flags::LDS),
    }
}
