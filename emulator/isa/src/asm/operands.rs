//! Operands: registers, constants, and what single families put in their place.

use super::Parsed;
use super::constants::{Constant, constant, integer};
use crate::disasm;
use crate::export;
use crate::generation::Gen;
use crate::image::parts;
use crate::instr::{Extra, Flags, Image, Instr};
use crate::reg::Src;
use crate::row::Ty;

/// Sets the instruction's literal, of which an operand of `ty` reads `value`. There is one, so a second of another value is
/// refused; but operands of 16 bits read the lower half of what the others read.
pub(super) fn set_literal(instr: &mut Instr, value: u32, ty: Ty, text: &str) -> Parsed<Src> {
    let half = |ty: Ty| matches!(ty, Ty::F16 | Ty::U16 | Ty::I16 | Ty::B16 | Ty::Bf16 | Ty::Half);
    let mut before =
        instr.src.iter().zip(instr.op.row().src).filter(|(src, _)| **src == Src::LITERAL).map(|(_, ty)| *ty);
    let shared = match (before.next(), instr.literal) {
        (None, _) => value,
        (Some(_), literal) if literal == value || half(ty) && literal & 0xffff == value => literal,
        (Some(first), literal) if literal == value & 0xffff && half(first) && before.all(half) => value,
        (Some(_), literal) => {
            return Err(format!("{text}: a second literal beside {literal:#x}, and an instruction holds one"));
        }
    };
    instr.literal = shared;
    Ok(Src::LITERAL)
}

pub(super) fn scalar_offset(instr: &mut Instr, text: &str, generation: Gen) -> Parsed<()> {
    match integer(text) {
        Ok(v) if generation.caps().smem_literal && v > 255 => {
            let literal = u32::try_from(v).map_err(|_| format!("offset {text} is too large"))?;
            instr.src[1] = set_literal(instr, literal, Ty::SOffset, text)?;
        }
        Ok(v) => {
            instr.imm = i32::try_from(v).map_err(|_| format!("offset {text} is too large"))?;
            instr.src[1] = Src::NONE;
        }
        Err(_) if text == "null" && generation.caps().null || text == "off" => instr.src[1] = Src::NONE,
        Err(_) => {
            let one = register(text, generation).filter(|(_, count)| count.is_none_or(|n| n == 1));
            instr.src[1] = one.ok_or_else(|| format!("no offset {text}"))?.0;
        }
    }
    Ok(())
}

/// An operand with its modifiers, which go to source `at`; and how many registers the text names, if it says so.
pub(super) fn source(
    instr: &mut Instr,
    text: &str,
    ty: Ty,
    at: Option<usize>,
    generation: Gen,
) -> Parsed<(Src, Option<u32>)> {
    let inner = |open: &str, close: &str| text.strip_prefix(open).and_then(|t| t.strip_suffix(close));
    let mix = instr.op.row().src.first() == Some(&Ty::Mix);
    if let Some(i) = at {
        if let Some(t) = inner("neg(", ")") {
            instr.mods.neg |= 1 << i;
            return source(instr, t, ty, at, generation);
        }
        if let Some(t) = inner("abs(", ")").or_else(|| inner("|", "|")) {
            if mix {
                instr.mods.neg_hi |= 1 << i;
            } else {
                instr.mods.abs |= 1 << i;
            }
            return source(instr, t, ty, at, generation);
        }
        if let Some(t) = inner("sext(", ")") {
            match &mut instr.extra {
                Extra::Sdwa(s) => s.sext |= 1 << i,
                _ => instr.mods.neg |= 1 << i,
            }
            return source(instr, t, ty, at, generation);
        }
        if let Some(t) = text.strip_prefix('-').filter(|t| !t.starts_with(|c: char| c.is_ascii_digit() || c == '.')) {
            instr.mods.neg |= 1 << i;
            return source(instr, t, ty, at, generation);
        }
    }
    if ty == Ty::Half
        && let Some((name, half)) =
            text.rsplit_once('.').filter(|(name, half)| name.starts_with('v') && matches!(*half, "l" | "h"))
    {
        if half == "h" {
            instr.mods.op_sel |= at.map_or(8, |i| 1 << i);
        }
        return register(name, generation).ok_or_else(|| format!("{text} is no half of a register"));
    }
    if let Some(found) = register(text, generation) {
        return Ok(found);
    }
    let src = match constant(text, ty)? {
        // Without that constant, its bits are a literal: of a double the upper half.
        Constant::Inline(Src::INV_2PI) if !generation.caps().inv_2pi => {
            let bits = match ty {
                Ty::F64 => 0x3fc4_5f30,
                _ if ty.dwords(64) == 1 => 0x3e22_f983,
                _ => return Err(format!("{text} is no constant of {}", generation.name())),
            };
            set_literal(instr, bits, ty, text)?
        }
        Constant::Inline(src) => src,
        Constant::Literal(value) => set_literal(instr, value, ty, text)?,
    };
    Ok((src, None))
}

/// A register or a tuple's first register and their number, or a named constant.
fn register(text: &str, generation: Gen) -> Option<(Src, Option<u32>)> {
    if text == "off" {
        return Some((Src::NONE, None));
    }
    if let Some((src, _)) = disasm::PAIRS.iter().find(|(_, n)| *n == text) {
        return generation.number(*src).map(|_| (*src, Some(2)));
    }
    if let Some((src, _)) = disasm::SPECIAL.iter().find(|(_, n)| *n == text) {
        generation.number(*src)?;
        return Some((*src, (src.is_sgpr() && *src != Src::M0).then_some(1)));
    }
    let (base, count, number) = if let Some(t) = text.strip_prefix("ttmp") {
        (108, generation.caps().ttmp.1, t)
    } else if let Some(t) = text.strip_prefix('v') {
        (256, 256, t)
    } else {
        (0, generation.caps().sgprs, text.strip_prefix('s')?)
    };
    let (first, last) = match number.strip_prefix('[').and_then(|n| n.strip_suffix(']')) {
        Some(range) => {
            let (a, b) = range.split_once(':').unwrap_or((range, range));
            (a.trim().parse::<u16>().ok()?, b.trim().parse::<u16>().ok()?)
        }
        None => {
            let n = number.parse::<u16>().ok()?;
            (n, n)
        }
    };
    (first <= last && last < count).then(|| (Src(base + first), Some(u32::from(last - first) + 1)))
}

/// An image address: a register, a range, or a list of single VGPRs in brackets. Fills the image's fields.
pub(super) fn image_address(instr: &mut Instr, text: &str, generation: Gen) -> Parsed<Src> {
    let a16 = instr.flags.contains(Flags::A16);
    let Some((op, image)) = instr.image().map(|(op, image)| (op, *image)) else {
        return Err(format!("{text} is no operand of this instruction"));
    };
    let vgpr = |text: &str| match register(text, generation) {
        Some((src, count)) if src.is_vgpr() => Ok((src.vgpr() as u8, count.unwrap_or(1))),
        _ => Err(format!("{text} is no VGPR")),
    };
    let (listed, sizes) = match text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        Some(list) => {
            let named = list.split(',').map(|t| vgpr(t.trim())).collect::<Parsed<Vec<_>>>()?;
            let registers = named.iter().flat_map(|&(first, n)| (first..=255).take(n as usize)).collect();
            (registers, Some(named.iter().map(|&(_, n)| n as u8).collect::<Vec<u8>>()))
        }
        None => {
            let (first, count) = vgpr(text)?;
            ((first..=255).take(count as usize).collect::<Vec<u8>>(), None)
        }
    };
    let wanted = match generation.caps().image_dim {
        true => op.address(image.dim, a16).registers(),
        false => listed.len().clamp(op.least_addresses().into(), Image::MAX_ADDRESSES) as u8,
    };
    if listed.len() != usize::from(wanted) {
        return Err(format!("{text} names {} address registers, of {wanted} that it takes", listed.len()));
    }
    if let Extra::Image(image) = &mut instr.extra {
        image.addresses = wanted;
        image.vaddr[..listed.len()].copy_from_slice(&listed);
    }
    let parts = parts(instr, generation);
    if let Some(sizes) = &sizes
        && !parts.sizes().eq(sizes.iter().copied())
    {
        return Err(format!("{text} has other parts than the address"));
    }
    if let Extra::Image(image) = &mut instr.extra {
        image.nsa = if sizes.is_some() { Image::nsa_dwords(parts.count() as u8) } else { 0 };
    }
    Ok(Src::v(listed[0].into()))
}

/// `attr3.y`
pub(super) fn attribute(instr: &mut Instr, text: &str) -> Parsed<()> {
    let bad = || format!("{text} is no attribute");
    let (number, name) = text.strip_prefix("attr").and_then(|t| t.split_once('.')).ok_or_else(bad)?;
    let number = number.parse::<u8>().ok().filter(|n| *n < 64).ok_or_else(bad)?;
    let letter = disasm::CHANNELS.iter().position(|c| *c == name).ok_or_else(bad)?;
    if let Extra::Interp { attribute, channel, .. } | Extra::LdsDir { attribute, channel, .. } = &mut instr.extra {
        (*attribute, *channel) = (number, letter as u8);
    }
    Ok(())
}

/// `mrt0`, `null`, `param31` …
pub(super) fn target(instr: &mut Instr, text: &str, generation: Gen) -> Parsed<()> {
    let mut known = export::TARGETS.iter().filter(|(.., on)| on.contains(&generation));
    let found = known.find_map(|&(first, count, name, _)| match text.strip_prefix(name)? {
        "" if count == 1 => Some(first),
        number if count > 1 => number.parse::<u8>().ok().filter(|n| *n < count).map(|n| first + n),
        _ => None,
    });
    if let Extra::Export(e) = &mut instr.extra {
        e.target = found.ok_or_else(|| format!("no export target {text}"))?;
    }
    Ok(())
}

/// Component `i` of an export; the modifiers must be there already.
pub(super) fn component(instr: &mut Instr, text: &str, generation: Gen, i: usize) -> Parsed<()> {
    let (src, count) = register(text, generation).ok_or_else(|| format!("{text} is no VGPR"))?;
    let Extra::Export(e) = &mut instr.extra else { return Ok(()) };
    let slot = if e.compressed { i / 2 } else { i };
    if src == Src::NONE {
        return Ok(());
    }
    if !src.is_vgpr() || count != Some(1) {
        return Err(format!("{text} is no VGPR"));
    }
    e.enable |= 1 << i;
    if instr.src[slot] != Src::NONE && instr.src[slot] != src {
        return Err(format!("{text}: a compressed export takes one register for two components"));
    }
    instr.src[slot] = src;
    Ok(())
}

/// P10, P20 or P0.
pub(super) fn parameter(text: &str) -> Parsed<Src> {
    let n = disasm::PARAMS.iter().position(|p| *p == text).ok_or_else(|| format!("{text} is none of p10, p20, p0"))?;
    Ok(Src(128 + n as u16))
}
