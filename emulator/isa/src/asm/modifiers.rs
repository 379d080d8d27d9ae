//! Modifiers: what stands behind the operands.

use super::Parsed;
use super::constants::{integer, list, within};
use super::immediates::swizzle;
use crate::cache;
use crate::disasm;
use crate::format;
use crate::generation::{CacheBits, Gen};
use crate::image;
use crate::instr::{Extra, Flags, Instr};
use crate::layout;
use crate::legal;
use crate::row::{Format, Sem, Traits, Ty, WaveOp};

/// A list of bits, the first for source 0: the mask, and how many there are.
fn bits(text: &str) -> Parsed<(u8, usize)> {
    let listed = list(text, 1..=4, 1)?;
    Ok((listed.iter().enumerate().fold(0, |mask, (i, v)| mask | (*v as u8) << i), listed.len()))
}

/// A number from 0 up to `most`.
fn small(text: &str, most: u8) -> Parsed<u8> {
    within(text, 0, most.into()).map(|v| v as u8)
}

pub(super) fn modifier(instr: &mut Instr, text: &str, generation: Gen) -> Parsed<()> {
    let row = instr.op.row();
    if let Some((flag, _)) = disasm::FLAGS.iter().find(|(_, name)| *name == text) {
        if !legal::flags(instr.op, generation).contains(*flag) {
            return Err(format!("{}: no modifier {text}", row.name));
        }
        instr.flags |= *flag;
        return Ok(());
    }
    if let Some(bit) = disasm::cache_bit(text, generation) {
        if legal::cache_bits(instr.op, generation) & bit == 0 {
            return Err(format!("{}: no modifier {text}", row.name));
        }
        let word = instr.cache_word(generation)?;
        instr.set_cache_word(word | bit, generation);
        return Ok(());
    }
    if text == "clamp" {
        instr.mods.clamp = true;
        return Ok(());
    }
    if let Some(n) = disasm::OMODS.iter().position(|m| *m == text) {
        instr.mods.omod = n as u8;
        return Ok(());
    }
    let unknown = || format!("{}: no modifier {text}", row.name);
    let (name, value) = text.split_once(':').unwrap_or((text, ""));
    match name {
        "offset" if row.sem == Sem::Wave(WaveOp::DsSwizzle) && value.starts_with("swizzle(") => {
            instr.imm = swizzle(value)? as i32
        }
        "offset" if row.format == Format::Smem && !layout::adds_offsets(generation) => return Err(unknown()),
        "offset" if legal::flags(instr.op, generation).contains(Flags::IMM) => {
            instr.flags |= Flags::IMM;
            instr.imm = i32::try_from(integer(value)?).map_err(|_| unknown())?
        }
        "offset" => instr.imm = i32::try_from(integer(value)?).map_err(|_| unknown())?,
        "offset0" => instr.imm |= i32::from(small(value, 255)?),
        "offset1" => instr.imm |= i32::from(small(value, 255)?) << 8,
        "scope" if generation.caps().cache_bits == CacheBits::ScopeHint => {
            let scope = disasm::SCOPES.iter().position(|n| *n == value).ok_or_else(unknown)? as u8;
            let word = instr.cache_word(generation)?;
            instr.set_cache_word(word & !cache::SCOPE | scope << cache::SCOPE.trailing_zeros(), generation);
        }
        "th" if generation.caps().cache_bits == CacheBits::ScopeHint => {
            let word = instr.cache_word(generation)?;
            let hint = disasm::hint(instr, word, value).ok_or_else(unknown)?;
            instr.set_cache_word(word & !cache::HINT | hint, generation);
        }
        "op_sel" => {
            let (mask, given) = bits(value)?;
            let sources = row.src.iter().filter(|&&t| instr.form.encodes(row, t)).count();
            let permlane = row.traits.contains(Traits::ROW_SELECTS);
            // The last of a full list is the destination's, bit 3.
            instr.mods.op_sel = if row.format != Format::Vop3p && !permlane && given == sources + 1 {
                mask & ((1 << sources) - 1) | (mask >> sources & 1) << 3
            } else {
                mask
            };
        }
        "index_key" if matches!(row.src.get(2), Some(Ty::Sparse8 | Ty::Sparse16 | Ty::Sparse32)) => {
            instr.mods.op_sel = small(value, 3)?;
        }
        "byte_sel" => {
            let byte = disasm::byte_select(row).ok_or_else(unknown)?;
            instr.mods.op_sel |= byte.bits(small(value, 3)?);
        }
        "op_sel_hi" => instr.mods.op_sel_hi = bits(value)?.0,
        "neg_lo" => instr.mods.neg = bits(value)?.0,
        "neg_hi" => instr.mods.neg_hi = bits(value)?.0,
        _ => match &mut instr.extra {
            Extra::Image(image) => match name {
                "dmask" => image.dmask = small(value, 15)?,
                "dim" if generation.caps().image_dim => {
                    let short = value.strip_prefix("SQ_RSRC_IMG_").unwrap_or(value);
                    let dim = image::DIMS.iter().position(|d| d.name == short);
                    image.dim = dim.ok_or_else(|| format!("no image dimension {value}"))? as u8;
                }
                _ => return Err(unknown()),
            },
            Extra::Format(number) if name == "format" && generation.caps().number_formats.is_some() => {
                *number = match format::split::parse(value, generation) {
                    Some(both) => both,
                    None => small(value, 127)?,
                };
            }
            Extra::Format(number) if name == "format" => {
                let known = value.strip_prefix("[BUF_FMT_").and_then(|v| v.strip_suffix(']'));
                *number = match known {
                    Some(known) => {
                        let number = format::Format::buffer_number(known, generation);
                        number.ok_or_else(|| format!("no buffer format {known}"))?
                    }
                    None => small(value, 127)?,
                };
            }
            Extra::Export(e) => match text {
                "done" => e.done = true,
                "compr" => e.compressed = true,
                "vm" => e.valid_mask = true,
                "row_en" => e.row = true,
                _ => return Err(unknown()),
            },
            Extra::LdsDir { wait_vdst, wait_vsrc, .. } => match (name, generation.caps().wait_vsrc) {
                ("wait_vdst", false) | ("wait_va_vdst", true) => *wait_vdst = small(value, 15)?,
                ("wait_vm_vsrc", true) => *wait_vsrc = small(value, 1)? != 0,
                _ => return Err(unknown()),
            },
            Extra::Interp { high, .. } if text == "high" => *high = true,
            Extra::Format(_) | Extra::Interp { .. } | Extra::Probe(_) => return Err(unknown()),
            Extra::Sdwa(s) => {
                let select = disasm::SDWA_SELECTS.iter().position(|n| *n == value).map(|n| n as u8);
                match name {
                    "dst_sel" => s.dst_sel = select.ok_or_else(unknown)?,
                    "src0_sel" => s.src0_sel = select.ok_or_else(unknown)?,
                    "src1_sel" => s.src1_sel = select.ok_or_else(unknown)?,
                    "dst_unused" => {
                        let n = disasm::SDWA_UNUSED.iter().position(|n| *n == value);
                        s.dst_unused = n.ok_or_else(unknown)? as u8;
                    }
                    _ => return Err(unknown()),
                }
            }
            Extra::Dpp8 { selects, fetch_inactive } => match name {
                "dpp8" => *selects = list(value, 8..=8, 7)?.iter().enumerate().fold(0, |s, (i, v)| s | v << (3 * i)),
                "fi" => *fetch_inactive = small(value, 1)? != 0,
                _ => return Err(unknown()),
            },
            Extra::Dpp16(d) => match name {
                "quad_perm" => {
                    d.ctrl = list(value, 4..=4, 3)?.iter().enumerate().fold(0, |c, (i, v)| c | (*v as u16) << (2 * i))
                }
                "row_shl" => d.ctrl = 0x100 | u16::from(small(value, 15)?),
                "row_shr" => d.ctrl = 0x110 | u16::from(small(value, 15)?),
                "row_ror" => d.ctrl = 0x120 | u16::from(small(value, 15)?),
                "row_mirror" => d.ctrl = 0x140,
                "row_half_mirror" => d.ctrl = 0x141,
                "row_share" => d.ctrl = 0x150 | u16::from(small(value, 15)?),
                "wave_shl" | "wave_rol" | "wave_shr" | "wave_ror" if small(value, 1)? == 1 => {
                    let place = ["wave_shl", "wave_rol", "wave_shr", "wave_ror"].iter().position(|n| *n == name);
                    d.ctrl = 0x130 | 4 * place.unwrap_or(0) as u16;
                }
                "row_bcast" if value == "15" => d.ctrl = 0x142,
                "row_bcast" if value == "31" => d.ctrl = 0x143,
                "row_xmask" => d.ctrl = 0x160 | u16::from(small(value, 15)?),
                "row_mask" => d.row_mask = small(value, 15)?,
                "bank_mask" => d.bank_mask = small(value, 15)?,
                // 0 is what older assemblers wrote for it.
                "bound_ctrl" => d.bound_ctrl = small(value, 1).map(|_| true)?,
                "fi" => d.fetch_inactive = small(value, 1)? != 0,
                _ => return Err(unknown()),
            },
            Extra::WaitExp(v) if name == "wait_exp" => *v = small(value, 7)?,
            Extra::None | Extra::Dual(_) | Extra::WaitExp(_) => return Err(unknown()),
        },
    }
    Ok(())
}
