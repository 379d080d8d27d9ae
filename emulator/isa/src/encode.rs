//! Instruction → dwords.

use crate::export;
use crate::field;
use crate::generation::{Gen, ImageAddresses};
use crate::image::parts;
use crate::instr::{Extra, Flags, Form, Image, Instr};
use crate::insts::Op;
use crate::layout::{self, Bits, Field, Layout, OperandCode, OperandField};
use crate::legal;
use crate::reg::Src;
use crate::row::{Encoding, Format, MemKind, Sem, Ty, WaveOp};

/// What cannot be encoded, and why.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{op:?}: {what}")]
pub struct EncodeError {
    pub op: Op,
    pub what: String,
}

/// Appends the instruction's one to five dwords. Nothing is appended on error.
pub fn encode(instr: &Instr, generation: Gen, out: &mut Vec<u32>) -> Result<(), EncodeError> {
    let row = instr.op.row();
    let fail = |what: String| Err(EncodeError { op: instr.op, what });
    let Some(Encoding { format, opcode }) = row.encoding(generation) else {
        return fail(format!("is not on {}", generation.name()));
    };
    let serves =
        |l: &&Layout| layout::serves(l, row, format, instr.form) && dpp8_matches(l, instr) && l.has_offsets_of(instr);
    let Some(layout) = layout::encodings(generation).find(serves) else {
        return fail(format!("has no {:?} form", instr.form));
    };
    if let Err(what) = consistent(instr, generation).and_then(|()| holds(layout, instr, generation)) {
        return fail(what);
    }
    let cache = instr.cache_word(generation).or_else(|what| fail(what).map(|()| 0))?;
    let mut word = 0u128;
    for &(bits, value) in layout.fixed {
        bits.put(&mut word, value);
    }
    for &(bits, field) in layout.fields {
        match value(instr, layout, opcode, bits, field, cache, generation) {
            Ok(v) if bits.fits(v) => bits.put(&mut word, v),
            Ok(v) => return fail(format!("{field:?} = {v:#x} does not fit {} bits", bits.width())),
            Err(what) => return fail(what),
        }
    }
    let literal = has_literal(instr);
    if literal && !takes_literal(instr, generation) {
        return fail(format!("the {:?} form takes no literal", instr.form));
    }
    out.extend((0..layout.dwords).map(|n| (word >> (32 * n)) as u32));
    if literal {
        out.push(instr.literal);
    }
    if let Some((_, image)) = instr.image()
        && generation.caps().image_addresses != ImageAddresses::Fields
    {
        let named = parts(instr, generation).named(image);
        for dword in named[1..].chunks(4).take(image.nsa.into()) {
            out.push(dword.iter().enumerate().fold(0, |w, (i, &v)| w | u32::from(v) << (8 * i)));
        }
    }
    Ok(())
}

/// Whether the encoding has a field for every flag and modifier that is set.
fn holds(layout: &Layout, instr: &Instr, generation: Gen) -> Result<(), String> {
    let flags = legal::flags(instr.op, generation);
    if !flags.contains(instr.flags) {
        return Err(format!("has no {:?}", instr.flags - flags));
    }
    match field::outside(instr, layout) {
        Some(name) => Err(format!("the {:?} form has no {name}", instr.form)),
        None => Ok(()),
    }
}

/// Whether the fields beside the operands agree with them and with the row.
fn consistent(instr: &Instr, generation: Gen) -> Result<(), String> {
    let row = instr.op.row();
    if std::mem::discriminant(&instr.extra) != std::mem::discriminant(&layout::default_extra(row, instr.form)) {
        return Err(format!("{:?} does not belong to the {:?} form", instr.extra, instr.form));
    }
    match (row.sem, &instr.extra) {
        (Sem::Mem(_, MemKind::Image(op)), Extra::Image(image)) => {
            if image.dim > 7 {
                return Err(format!("DIM {} is outside of 0 … 7", image.dim));
            }
            let count = match generation.caps().image_dim {
                true => op.address(image.dim, instr.flags.contains(Flags::A16)).registers(),
                false if image.dim == 0 => image.addresses.clamp(op.least_addresses(), Image::MAX_ADDRESSES as u8),
                false => return Err(format!("{} has no DIM", generation.name())),
            };
            if image.addresses != count {
                return Err(format!("takes {count} address registers, not {}", image.addresses));
            }
            let parts = parts(instr, generation);
            let dwords = Image::nsa_dwords(parts.count() as u8);
            match generation.caps().image_addresses {
                ImageAddresses::Tuple if image.nsa != 0 => return Err("has no form with listed addresses".into()),
                ImageAddresses::Fields if image.nsa != dwords.min(1) => {
                    return Err(format!("{count} addresses are always listed, or one stands by itself"));
                }
                ImageAddresses::Listed | ImageAddresses::Grouped if !matches!(image.nsa, 0) && image.nsa != dwords => {
                    return Err(format!("{count} addresses do not fill {} dwords", image.nsa));
                }
                _ => {}
            }
            let listed = &image.vaddr[..usize::from(count)];
            if instr.src[0] != Src::v(listed[0].into()) {
                return Err(format!("the first address is v{}, the operand {:?}", listed[0], instr.src[0]));
            }
            let follows = |w: &[u8]| w[0].checked_add(1) == Some(w[1]);
            if image.nsa == 0 && !listed.windows(2).all(follows) {
                return Err("addresses that do not follow each other need the NSA form".into());
            }
            if image.nsa != 0 && !parts.of(listed).all(|part| part.windows(2).all(follows)) {
                return Err("a part of the address is not registers in a row".into());
            }
            if image.vaddr[usize::from(count)..].iter().any(|&v| v != 0) {
                return Err("more addresses than the instruction takes".into());
            }
        }
        (_, Extra::Export(e)) => {
            if export::target(e.target, generation).is_none() {
                return Err(format!("no export target {}", e.target));
            }
            for (i, &src) in instr.src.iter().enumerate() {
                if e.takes(i) != (src != Src::NONE) {
                    return Err(format!("component {i} is {src:?}, the mask {:#x}", e.enable));
                }
            }
        }
        _ if legal::of_gds(instr.op) && !instr.flags.contains(Flags::GDS) => {
            return Err("is an operation of the GDS".into());
        }
        _ => {}
    }
    Ok(())
}

/// Whether a literal dword follows.
pub(crate) fn has_literal(instr: &Instr) -> bool {
    let row = instr.op.row();
    let second = instr.second().is_some_and(|second| has_literal(&second));
    second
        || row
            .src
            .iter()
            .enumerate()
            .any(|(i, &ty)| ty == Ty::Lit32 || (instr.form.encodes(row, ty) && instr.src.get(i) == Some(&Src::LITERAL)))
}

fn takes_literal(instr: &Instr, generation: Gen) -> bool {
    use Format::*;
    let row = instr.op.row();
    match (row.family(generation), instr.form) {
        (Smem, Form::Base) => generation.caps().smem_literal,
        (Sop1 | Sop2 | Sopc | Sopk | Vop1 | Vop2 | Vopc | Vopd, Form::Base) => true,
        (Vop1 | Vop2 | Vopc, Form::E64) | (Vop3 | Vop3p, Form::Base) => generation.caps().vop3_literal,
        _ => false,
    }
}

fn dpp8_matches(layout: &Layout, instr: &Instr) -> bool {
    match instr.extra {
        Extra::Dpp8 { fetch_inactive, .. } => layout.fetches_inactive() == fetch_inactive,
        _ => true,
    }
}

fn value(
    instr: &Instr,
    layout: &Layout,
    opcode: u16,
    bits: Bits,
    field: Field,
    cache: u8,
    generation: Gen,
) -> Result<u32, String> {
    let row = instr.op.row();
    Ok(match field {
        Field::Cache(mask) => u32::from((cache & mask) >> mask.trailing_zeros()),
        Field::Op => u32::from(opcode + layout.op_base),
        Field::OpLow => u32::from(opcode) & ((1 << bits.width()) - 1),
        Field::OpHigh(from) => u32::from(opcode) >> from,
        Field::Address(n) => match &instr.extra {
            Extra::Image(image) => {
                parts(instr, generation).named(image).get(usize::from(n)).copied().unwrap_or(0).into()
            }
            _ => 0,
        },
        Field::HasAddr => u32::from(instr.src[0] != Src::NONE),
        Field::At(place, code) => return operand_bits(instr, place, code, generation),
        Field::DualOp | Field::DualDst | Field::Dual(..) => return second_bits(instr, field, generation),
        Field::ScalarBit(place) => match layout::slot(row, instr.form, place) {
            Some(slot) => u32::from(!layout::operand(instr, slot).is_vgpr()),
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
        _ => {
            let missing = || format!("{:?} holds no {field:?}", instr.extra);
            field::read(instr, layout, field).ok_or_else(missing)?
        }
    })
}

/// Bits of a VOPD pair's second half.
fn second_bits(instr: &Instr, field: Field, generation: Gen) -> Result<u32, String> {
    let second = instr.second().ok_or("has no second half")?;
    let row = second.op.row();
    match (field, row.encoding(generation)) {
        (Field::Dual(place, code), _) => operand_bits(&second, place, code, generation),
        // The lowest bit is the opposite of the first destination's.
        (Field::DualDst, _) => operand_bits(&second, OperandField::Dst, OperandCode::Vgpr, generation).map(|v| v >> 1),
        (_, Some(Encoding { format: Format::Vopd, opcode })) => Ok(opcode.into()),
        _ => Err(format!("{} is no second half of a pair on {}", row.name, generation.name())),
    }
}

fn operand_bits(instr: &Instr, place: OperandField, code: OperandCode, generation: Gen) -> Result<u32, String> {
    let row = instr.op.row();
    let Some(slot) = layout::slot(row, instr.form, place) else {
        return Ok(match (row.format, place) {
            // V_CMPX names EXEC in VOP3; memory families name null where a row has no scalar address.
            (Format::Vopc, OperandField::Dst) if row.dst[0] == Ty::Exec => u32::from(Src::EXEC_LO.0),
            (Format::Flat | Format::Global | Format::Scratch, OperandField::Saddr) => {
                code.bits(Src::NONE, generation).unwrap_or(0)
            }
            _ => 0,
        });
    };
    let src = layout::operand(instr, slot);
    // The highest bit of the register's number names the half; in VOP3, op_sel does.
    if let Some(selects) = layout::half(row, slot).filter(|_| !instr.form.is_wide()).filter(|_| src.is_vgpr()) {
        if src.vgpr() >= 128 {
            return Err(format!("{src:?} has no halves in the {:?} form", instr.form));
        }
        let upper = if instr.mods.op_sel & selects != 0 { 128 } else { 0 };
        return code.bits(Src::v(src.vgpr() + upper), generation).ok_or_else(|| format!("{place:?} cannot be {src:?}"));
    }
    match (row.format, place) {
        // A destination that is VCC by the encoding leaves the field zero.
        (Format::Vopc, OperandField::Mask) if row.dst[0] == Ty::Exec || src == Src::VCC_LO || src == Src::NONE => {
            return Ok(0);
        }
        (Format::Mubuf | Format::Mtbuf | Format::Scratch, OperandField::Addr) if src == Src::NONE => return Ok(0),
        (Format::Exp, _) if src == Src::NONE => return Ok(0),
        // A scratch access without any address.
        (Format::Scratch, OperandField::Saddr)
            if src == Src::NONE && instr.src[0] == Src::NONE && !generation.caps().scratch_sum =>
        {
            return match code.bits(src, generation) {
                Some(layout::NO_ADDRESS) => Err("needs a vector or a scalar address".into()),
                _ => Ok(layout::NO_ADDRESS),
            };
        }
        (Format::Scratch, OperandField::Saddr)
            if src != Src::NONE && code.bits(src, generation) == Some(layout::NO_ADDRESS) =>
        {
            return Err(format!("the number of {src:?} stands for no address here"));
        }
        // Atomics that do not say so return nothing; loads into LDS neither.
        (Format::Flat | Format::Global | Format::Scratch, OperandField::Dst)
            if src == Src::NONE && legal::may_lack_dst(instr) =>
        {
            return Ok(0);
        }
        (Format::Mubuf, OperandField::Data0) if src == Src::NONE && instr.flags.contains(Flags::LDS) => {
            return Ok(0);
        }
        (Format::Vop1 | Format::Vop3 | Format::Vopc, OperandField::Dst) if layout::scalar_dst(row) => {
            return OperandCode::ScalarResult
                .bits(src, generation)
                .ok_or_else(|| format!("destination {src:?} must be a scalar register"));
        }
        (Format::Vop1 | Format::Vop2 | Format::Vop3, OperandField::Dst) => {
            return OperandCode::Vgpr
                .bits(src, generation)
                .ok_or_else(|| format!("destination {src:?} must be a VGPR"));
        }
        _ => {}
    }
    if row.sem == Sem::Wave(WaveOp::SwapB32) && !src.is_vgpr() {
        return Err(format!("{src:?} must be a VGPR"));
    }
    code.bits(src, generation).ok_or_else(|| format!("{place:?} cannot be {src:?}"))
}
