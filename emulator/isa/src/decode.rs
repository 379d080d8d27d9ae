//! Dwords → instruction.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::encode;
use crate::field;
use crate::generation::{Gen, ImageAddresses};
use crate::image::parts;
use crate::instr::{Extra, Flags, Instr};
use crate::insts::{self, Op};
use crate::layout::{self, Bits, Field, Layout, OperandCode, OperandField, OperandSlot};
use crate::legal;
use crate::reg::Src;
use crate::row::{Format, ImageOp, MemKind, Sem, Ty};

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    #[error("{0:#010x} is no instruction")]
    Unknown(u32),
    #[error("{0:#010x} begins an instruction of more dwords than there are")]
    Truncated(u32),
    #[error("{0:?} with reserved bits or operands: {1:#010x}")]
    Reserved(Op, u32),
}

/// Rows by family and opcode, for each generation that was asked for.
type Numbers = HashMap<(u8, u16), Op>;
static BY_OPCODE: [OnceLock<Numbers>; Gen::COUNT] = [const { OnceLock::new() }; Gen::COUNT];

/// The first instruction of `words` and how many dwords it takes. What the encoder cannot give back, bit for bit, is an
/// error; no input panics.
pub fn decode(words: &[u32], generation: Gen) -> Result<(Instr, usize), DecodeError> {
    let first = *words.first().ok_or(DecodeError::Truncated(0))?;
    let word = words.iter().take(3).rev().fold(0u128, |word, &w| word << 32 | u128::from(w));
    for layout in layout::encodings(generation) {
        if !layout.fixed.iter().all(|&(bits, value)| bits.get(word) == value) {
            continue;
        }
        let Some(op) = opcode(layout, word, generation) else { continue };
        let row = op.row();
        if !layout::serves(layout, row, layout.format, layout.form) {
            continue;
        }
        if words.len() < layout.dwords {
            return Err(DecodeError::Truncated(first));
        }
        if !op.supports(layout.form, generation) {
            return Err(DecodeError::Reserved(op, first));
        }
        let mut instr = Instr::new(op);
        instr.form = layout.form;
        instr.extra = match layout::default_extra(row, layout.form) {
            Extra::Dpp8 { selects, .. } => Extra::Dpp8 { selects, fetch_inactive: layout.fetches_inactive() },
            extra => extra,
        };
        instr.set_cache_word(layout.cache_word(word), generation);
        for &(bits, field) in layout.fields {
            put(&mut instr, word, layout, bits, field, generation);
        }
        fill_implied(&mut instr, generation);
        let mut size = layout.dwords;
        if encode::has_literal(&instr) {
            instr.literal = *words.get(size).ok_or(DecodeError::Truncated(first))?;
            size += 1;
        }
        if let Sem::Mem(_, MemKind::Image(image)) = row.sem {
            size += addresses(&mut instr, image, generation, words.get(size..).unwrap_or_default())
                .ok_or(DecodeError::Truncated(first))?;
        }
        let mut again = Vec::with_capacity(5);
        return match encode::encode(&instr, generation, &mut again) {
            Ok(()) if again == words[..size] && legal::check(&instr, generation).is_ok() => Ok((instr, size)),
            _ => Err(DecodeError::Reserved(op, first)),
        };
    }
    Err(DecodeError::Unknown(first))
}

/// Lists an image instruction's address registers; `more` is what follows its own dwords. The number of dwords that hold
/// addresses, or nothing if they are not there.
fn addresses(instr: &mut Instr, op: ImageOp, generation: Gen, more: &[u32]) -> Option<usize> {
    let a16 = instr.flags.contains(Flags::A16);
    let first = instr.src[0].vgpr() as u8;
    let Extra::Image(mut image) = instr.extra else { return Some(0) };
    let dwords = more.get(..image.nsa.into())?;
    image.addresses =
        if generation.caps().image_dim { op.address(image.dim, a16).registers() } else { op.least_addresses() };
    image.vaddr[0] = first;
    instr.extra = Extra::Image(image);
    let parts = parts(instr, generation);
    match (dwords, generation.caps().image_addresses) {
        // The fields were read into the places of the first registers.
        (_, ImageAddresses::Fields) => {
            image.nsa = u8::from(parts.count() > 1);
            let named = image.vaddr;
            parts.list(&mut image, named);
        }
        ([], _) => {
            for i in 1..image.addresses {
                image.vaddr[usize::from(i)] = first.wrapping_add(i);
            }
        }
        _ => {
            let mut named = image.vaddr;
            let bytes = dwords.iter().flat_map(|w| w.to_le_bytes());
            named[1..].iter_mut().zip(bytes).for_each(|(v, b)| *v = b);
            parts.list(&mut image, named);
        }
    }
    instr.extra = Extra::Image(image);
    Some(dwords.len())
}

fn opcode(layout: &Layout, word: u128, generation: Gen) -> Option<Op> {
    let code = layout.fields.iter().fold(0, |code, (bits, field)| match *field {
        Field::Op | Field::OpLow => code | bits.get(word),
        Field::OpHigh(from) => code | bits.get(word) << from,
        _ => code,
    });
    let code = (code as u16).checked_sub(layout.op_base)?;
    numbered(layout.format, code, generation)
}

fn numbered(format: Format, code: u16, generation: Gen) -> Option<Op> {
    let numbers = BY_OPCODE[generation as usize].get_or_init(|| {
        let number = |op: Op| op.row().encoding(generation).map(|e| ((e.format as u8, e.opcode), op));
        Op::all().filter_map(number).collect()
    });
    numbers.get(&(format as u8, code)).copied()
}

fn put(instr: &mut Instr, word: u128, layout: &Layout, bits: Bits, field: Field, generation: Gen) {
    let v = bits.get(word);
    match field {
        Field::Op | Field::OpLow | Field::OpHigh(_) | Field::Cache(_) => {}
        Field::ScalarBit(_) | Field::MaskBit => scalar_bits(instr, v != 0, field, generation),
        Field::DualOp | Field::DualDst | Field::Dual(..) => second(instr, field, v, generation),
        Field::Address(n) => {
            if let Extra::Image(image) = &mut instr.extra {
                image.vaddr[usize::from(n)] = v as u8;
            }
        }
        Field::HasAddr if v == 0 => instr.src[0] = Src::NONE,
        Field::HasAddr => {}
        Field::At(place, code) => operand(instr, place, code, v, generation),
        Field::Imm { signed } => {
            let up = 32 - bits.width();
            instr.imm = if signed { (v << up) as i32 >> up } else { v as i32 };
        }
        _ => field::write(instr, layout, field, v),
    }
}

/// One field of a VOPD pair's second half; its opcode comes before its operands in the list.
fn second(instr: &mut Instr, field: Field, v: u32, generation: Gen) {
    let Some(mut half) = instr.second() else { return };
    match field {
        Field::DualOp => half = Instr::new(numbered(Format::Vopd, v as u16, generation).unwrap_or(insts::V_ILLEGAL)),
        Field::DualDst => half.dst[0] = Src::v(v << 1 | u32::from(instr.dst[0].0 & 1 == 0)),
        Field::Dual(place, code) => operand(&mut half, place, code, v, generation),
        _ => {}
    }
    instr.set_second(&half);
}

fn set(instr: &mut Instr, slot: OperandSlot, src: Src) {
    match slot {
        OperandSlot::Dst(i) => instr.dst[i] = src,
        OperandSlot::Src(i) => instr.src[i] = src,
    }
}

/// SDWA operands were read as VGPRs, its mask as a register; the bits that say otherwise come after them in the lists.
fn scalar_bits(instr: &mut Instr, on: bool, field: Field, generation: Gen) {
    if field == Field::MaskBit && !on && instr.op.row().dst[0] == Ty::Vcc {
        instr.dst[0] = Src::VCC_LO;
    }
    if let Field::ScalarBit(place) = field
        && on
        && let Some(slot) = layout::slot(instr.op.row(), instr.form, place)
    {
        let src = layout::operand(instr, slot);
        set(instr, slot, generation.operand(src.vgpr()).unwrap_or(Src::UNNAMED));
    }
}

fn operand(instr: &mut Instr, place: OperandField, code: OperandCode, v: u32, generation: Gen) {
    let row = instr.op.row();
    let Some(slot) = layout::slot(row, instr.form, place) else { return };
    // A scratch access that names neither address.
    if matches!(code, OperandCode::SgprOrOff(off) if u32::from(off) != layout::NO_ADDRESS)
        && row.format == Format::Scratch
        && v == layout::NO_ADDRESS
        && !generation.caps().scratch_sum
    {
        set(instr, OperandSlot::Src(0), Src::NONE);
        return set(instr, slot, Src::NONE);
    }
    let src = code.operand(v, row, generation);
    set(instr, slot, src);
    if let Some(selects) = layout::half(row, slot).filter(|_| !instr.form.is_wide())
        && src.is_vgpr()
        && src.vgpr() >= 128
    {
        instr.mods.op_sel |= selects;
        set(instr, slot, Src::v(src.vgpr() - 128));
    }
}

/// Slots that no bits hold, and slots that other bits empty.
fn fill_implied(instr: &mut Instr, generation: Gen) {
    let row = instr.op.row();
    let none_if = |instr: &mut Instr, c: bool, slot: OperandSlot| {
        if c {
            set(instr, slot, Src::NONE);
        }
    };
    let flags = instr.flags;
    if let Some(data) = layout::atomic_data(row) {
        instr.dst[0] = if instr.cache.returns { instr.src[data] } else { Src::NONE };
    }
    match row.format {
        Format::Mubuf | Format::Mtbuf if !row.src.is_empty() => {
            none_if(instr, !flags.intersects(Flags::ADDRESSED), OperandSlot::Src(0));
            if layout::atomic_data(row).is_none() {
                none_if(instr, flags.contains(Flags::LDS) && !row.dst.is_empty(), OperandSlot::Dst(0));
            }
        }
        Format::Flat | Format::Global | Format::Scratch => {
            none_if(instr, !row.dst.is_empty() && legal::may_lack_dst(instr), OperandSlot::Dst(0));
            let either = row.format == Format::Scratch && !generation.caps().scratch_sum;
            none_if(instr, either && instr.src[1] != Src::NONE, OperandSlot::Src(0));
        }
        Format::Exp => {
            if let Extra::Export(e) = instr.extra {
                for i in 0..4 {
                    none_if(instr, !e.takes(i), OperandSlot::Src(i));
                }
            }
        }
        _ => {}
    }
    instr.imply();
}
