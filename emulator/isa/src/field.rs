//! One lens for each field that holds a modifier: the encoder reads through it, the decoder writes through it, and what no
//! field of an encoding looks at, that encoding does not hold.
//!
//! Fields of operands, opcodes and offsets are [`crate::layout`]'s, [`crate::encode`]'s and [`crate::decode`]'s.

use crate::instr::{Extra, Flags, Instr, Mods};
use crate::layout::{self, Field, Layout, OperandField};
use crate::row::{Control, Format, Row, Sem, Ty};

/// A place in an instruction, of as many bits as its type or its field says.
enum Lens<'i> {
    Switch(&'i mut bool),
    Flag(&'i mut Flags, Flags),
    /// Bits from `low` up, `bits` of them.
    Byte {
        of: &'i mut u8,
        low: u8,
        bits: u8,
    },
    Half(&'i mut u16),
    Word(&'i mut u32),
}

impl Lens<'_> {
    fn read(&self) -> u32 {
        match self {
            Lens::Switch(on) => u32::from(**on),
            Lens::Flag(flags, flag) => u32::from(flags.contains(*flag)),
            Lens::Byte { of, low, bits } => u32::from(**of >> low & mask(*bits)),
            Lens::Half(v) => u32::from(**v),
            Lens::Word(v) => **v,
        }
    }

    fn write(&mut self, v: u32) {
        match self {
            Lens::Switch(on) => **on = v != 0,
            Lens::Flag(flags, flag) => flags.set(*flag, v != 0),
            Lens::Byte { of, low, bits } => **of = **of & !(mask(*bits) << *low) | (v as u8 & mask(*bits)) << *low,
            Lens::Half(to) => **to = v as u16,
            Lens::Word(to) => **to = v,
        }
    }
}

const fn mask(bits: u8) -> u8 {
    (u8::MAX as u16 >> (8 - bits)) as u8
}

fn byte(of: &mut u8) -> Lens<'_> {
    Lens::Byte { of, low: 0, bits: 8 }
}

/// The lens of a field, if the instruction has what it looks at.
fn lens(i: &mut Instr, field: Field) -> Option<Lens<'_>> {
    let bit = |of, low| Lens::Byte { of, low, bits: 1 };
    Some(match (field, &mut i.extra) {
        (Field::Flag(flag), _) => Lens::Flag(&mut i.flags, flag),
        (Field::Neg, _) => byte(&mut i.mods.neg),
        (Field::Abs, _) => byte(&mut i.mods.abs),
        (Field::NegBit(n), _) => bit(&mut i.mods.neg, n),
        (Field::AbsBit(n), _) => bit(&mut i.mods.abs, n),
        (Field::Omod, _) => byte(&mut i.mods.omod),
        (Field::Clamp, _) => Lens::Switch(&mut i.mods.clamp),
        (Field::OpSel, _) => byte(&mut i.mods.op_sel),
        // Two bits here, the third elsewhere.
        (Field::OpSelHi(low), _) => Lens::Byte { of: &mut i.mods.op_sel_hi, low, bits: if low == 0 { 2 } else { 1 } },
        (Field::NegHi, _) => byte(&mut i.mods.neg_hi),
        (Field::SextBit(n), Extra::Sdwa(s)) => bit(&mut s.sext, n),
        (Field::DstSel, Extra::Sdwa(s)) => byte(&mut s.dst_sel),
        (Field::DstUnused, Extra::Sdwa(s)) => byte(&mut s.dst_unused),
        (Field::SrcSel(0), Extra::Sdwa(s)) => byte(&mut s.src0_sel),
        (Field::SrcSel(_), Extra::Sdwa(s)) => byte(&mut s.src1_sel),
        (Field::DppCtrl, Extra::Dpp16(d)) => Lens::Half(&mut d.ctrl),
        (Field::RowMask, Extra::Dpp16(d)) => byte(&mut d.row_mask),
        (Field::BankMask, Extra::Dpp16(d)) => byte(&mut d.bank_mask),
        (Field::BoundCtrl, Extra::Dpp16(d)) => Lens::Switch(&mut d.bound_ctrl),
        (Field::FetchInactive, Extra::Dpp16(d)) => Lens::Switch(&mut d.fetch_inactive),
        (Field::Dpp8Selects, Extra::Dpp8 { selects, .. }) => Lens::Word(selects),
        (Field::Format, Extra::Format(v)) | (Field::Probe, Extra::Probe(v)) => byte(v),
        (Field::Dmask, Extra::Image(m)) => byte(&mut m.dmask),
        (Field::Dim, Extra::Image(m)) => byte(&mut m.dim),
        (Field::Nsa, Extra::Image(m)) => byte(&mut m.nsa),
        (Field::Enable, Extra::Export(e)) => byte(&mut e.enable),
        (Field::Target, Extra::Export(e)) => byte(&mut e.target),
        (Field::Compressed, Extra::Export(e)) => Lens::Switch(&mut e.compressed),
        (Field::Done, Extra::Export(e)) => Lens::Switch(&mut e.done),
        (Field::ValidMask, Extra::Export(e)) => Lens::Switch(&mut e.valid_mask),
        (Field::Attribute, Extra::Interp { attribute, .. }) => byte(attribute),
        (Field::Channel, Extra::Interp { channel, .. }) => byte(channel),
        (Field::WaitExp, Extra::WaitExp(v)) => byte(v),
        (Field::Attribute, Extra::LdsDir { attribute, .. }) => byte(attribute),
        (Field::Channel, Extra::LdsDir { channel, .. }) => byte(channel),
        (Field::WaitVdst, Extra::LdsDir { wait_vdst, .. }) => byte(wait_vdst),
        (Field::WaitVsrc, Extra::LdsDir { wait_vsrc, .. }) => Lens::Switch(wait_vsrc),
        (Field::Row, Extra::Export(e)) => Lens::Switch(&mut e.row),
        (Field::High, Extra::Interp { high, .. }) => Lens::Switch(high),
        _ => return None,
    })
}

/// What stands in a field that the row has no use for.
fn unused(row: &Row, layout: &Layout, field: Field) -> Option<u32> {
    match field {
        // A packed row of two sources has the third's bit set.
        Field::OpSelHi(2) if row.src.len() < 3 => Some(1),
        Field::SrcSel(1) if layout::slot(row, layout.form, OperandField::Src1).is_none() => Some(0),
        Field::Attribute | Field::Channel
            if row.format == Format::LdsDir && row.sem != Sem::Control(Control::GraphicsOnly) =>
        {
            Some(0)
        }
        // The bits of SMEM's data are another row's operand.
        Field::Probe if !row.src.iter().any(|t| matches!(t, Ty::Probe | Ty::Length)) => Some(0),
        _ => None,
    }
}

/// The bits of a field; nothing if the instruction lacks what the field holds.
pub(crate) fn read(instr: &Instr, layout: &Layout, field: Field) -> Option<u32> {
    let mut instr = *instr;
    unused(instr.op.row(), layout, field).or_else(|| lens(&mut instr, field).map(|lens| lens.read()))
}

/// Puts bits where the field holds them.
pub(crate) fn write(instr: &mut Instr, layout: &Layout, field: Field, bits: u32) {
    if unused(instr.op.row(), layout, field).is_none()
        && let Some(mut lens) = lens(instr, field)
    {
        lens.write(bits);
    }
}

/// The modifiers of an instruction that none of the encoding's fields holds, by name.
pub(crate) fn outside(instr: &Instr, layout: &Layout) -> Option<&'static str> {
    let row = instr.op.row();
    let cleared = |instr: &Instr| {
        let mut rest = *instr;
        for &(_, field) in layout.fields {
            write(&mut rest, layout, field, 0);
        }
        rest
    };
    let rest = cleared(instr);
    let m = rest.mods;
    let has_imm = layout.fields.iter().any(|(_, f)| matches!(f, Field::Imm { .. }));
    let mods = [
        (m.neg != 0, "neg"),
        (m.abs != 0, "abs"),
        (m.omod != 0, "omod"),
        (m.clamp, "clamp"),
        // Halves of registers stand in the registers' fields.
        (m.op_sel != 0 && !row.dst.contains(&Ty::Half), "op_sel"),
        (m.op_sel_hi != 0, "op_sel_hi"),
        (m.neg_hi != 0, "neg_hi"),
        (rest.imm != 0 && !has_imm, "offset"),
    ];
    if let Some((_, name)) = mods.iter().find(|(outside, _)| *outside) {
        return Some(name);
    }
    // Image addresses, DPP8's fetch-inactive and the second halves of pairs stand in no field of a modifier.
    let plain = Instr { extra: layout::default_extra(row, layout.form), mods: Mods::default(), ..*instr };
    let by_fields = !matches!(instr.extra, Extra::Image(_) | Extra::Dpp8 { .. } | Extra::Dual(_));
    (by_fields && rest.extra != cleared(&plain).extra).then_some("such a select")
}
