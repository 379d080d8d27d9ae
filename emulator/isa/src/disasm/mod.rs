//! Instruction → text, in LLVM's spelling.

mod immediates;
mod labels;
mod modifiers;

pub use immediates::has_hwreg;
pub(crate) use immediates::{
    DELAYS, GS_OPS, HWREGS, INDEXED, MESSAGES, OPERATED, SYSMSG_OPS, VERSION_BITS, VERSIONS, depctr_fields,
};
pub use labels::{Labels, ListedInstr, labelled, listed};
pub(crate) use modifiers::{FLAGS, OMODS, SCOPES, SDWA_SELECTS, SDWA_UNUSED, byte_select, cache_bit, hint};

use std::fmt::Write;

use crate::export;
use crate::generation::Gen;
use crate::image::parts;
use crate::instr::{Extra, Flags, Form, Instr};
use crate::layout::{self, OperandSlot};
use crate::legal;
use crate::reg::Src;
use crate::row::{Control, Format, Sem, Ty};

/// Names that stand for registers and constants of one dword.
pub const SPECIAL: &[(Src, &str)] = &[
    (Src::VCC_LO, "vcc_lo"),
    (Src::VCC_HI, "vcc_hi"),
    (Src::M0, "m0"),
    (Src::NULL, "null"),
    (Src::EXEC_LO, "exec_lo"),
    (Src::EXEC_HI, "exec_hi"),
    (Src::SHARED_BASE, "src_shared_base"),
    (Src::SHARED_LIMIT, "src_shared_limit"),
    (Src::PRIVATE_BASE, "src_private_base"),
    (Src::PRIVATE_LIMIT, "src_private_limit"),
    (Src::POPS_EXITING_WAVE_ID, "src_pops_exiting_wave_id"),
    (Src::VCCZ, "src_vccz"),
    (Src::EXECZ, "src_execz"),
    (Src::SCC, "src_scc"),
    (Src::LDS_DIRECT, "src_lds_direct"),
    (Src::FLAT_SCRATCH_LO, "flat_scratch_lo"),
    (Src::FLAT_SCRATCH_HI, "flat_scratch_hi"),
    (Src::XNACK_MASK_LO, "xnack_mask_lo"),
    (Src::XNACK_MASK_HI, "xnack_mask_hi"),
    (Src::TBA_LO, "tba_lo"),
    (Src::TBA_HI, "tba_hi"),
    (Src::TMA_LO, "tma_lo"),
    (Src::TMA_HI, "tma_hi"),
];
/// Names of register pairs.
pub(crate) const PAIRS: [(Src, &str); 6] = [
    (Src::VCC_LO, "vcc"),
    (Src::EXEC_LO, "exec"),
    (Src::FLAT_SCRATCH_LO, "flat_scratch"),
    (Src::XNACK_MASK_LO, "xnack_mask"),
    (Src::TBA_LO, "tba"),
    (Src::TMA_LO, "tma"),
];
/// Inline floats from source 240.
pub(crate) const FLOATS: [&str; 9] = ["0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"];
pub(crate) const INV_2PI_64: &str = "0.15915494309189532";
/// Interpolation parameters from inline 0.
pub(crate) const PARAMS: [&str; 3] = ["p10", "p20", "p0"];
pub(crate) const CHANNELS: [&str; 4] = ["x", "y", "z", "w"];
/// The instruction as LLVM 19 prints it. `lanes` is 32 or 64.
pub fn text(instr: &Instr, generation: Gen, lanes: u32) -> String {
    let mut out = mnemonic(instr, generation);
    if let Some(second) = instr.second() {
        let join = |half: &Instr| operands(half, generation, lanes).join(", ");
        let (first, name) = (join(instr), second.op.row().spelling(generation));
        return format!("{out} {first} :: {name} {}", join(&second));
    }
    let operands = operands(instr, generation, lanes);
    for (i, operand) in operands.iter().enumerate() {
        // No comma stands between an export's target and its data.
        let space = i == 0 || i == 1 && instr.op.row().format == Format::Exp;
        out.push_str(if space { " " } else { ", " });
        out.push_str(operand);
    }
    modifiers::modifiers(instr, generation, &mut out);
    out
}

/// One line per instruction of a program, with byte offsets and code words behind; what branches go to has a label in a line of
/// its own, and what does not decode stands as `.long`. Assembled, it gives the same words.
pub fn listing(words: &[u32], generation: Gen, lanes: u32) -> String {
    let mut out = String::new();
    for line in listed(words, generation, lanes) {
        if let Some(label) = &line.label {
            let _ = writeln!(out, "{label}:");
        }
        let hex: Vec<String> = words[line.at..line.at + line.size].iter().map(|w| format!("{w:08x}")).collect();
        let _ = writeln!(out, "  {:<58} // {:06x}: {}", line.labelled(), 4 * line.at, hex.join(" "));
    }
    out
}

fn mnemonic(instr: &Instr, generation: Gen) -> String {
    let row = instr.op.row();
    let mut name = row.spelling(generation).to_string();
    let forms = legal::supports(instr.op, Form::E64, generation);
    if matches!(instr.form, Form::E64Dpp16 | Form::E64Dpp8) {
        name.push_str("_e64_dpp");
    } else if forms || instr.form != Form::Base && !row.src.is_empty() {
        name.push_str(match instr.form {
            Form::Base => "_e32",
            Form::E64 => "_e64",
            Form::Sdwa => "_sdwa",
            // Comparisons under DPP have no suffix in LLVM's text.
            Form::Dpp16 | Form::Dpp8 if row.format == Format::Vopc => "",
            Form::Dpp16 | Form::Dpp8 => "_dpp",
            Form::E64Dpp16 | Form::E64Dpp8 => "_e64_dpp",
        });
    }
    name
}

/// A register tuple by its name in texts, SCC as `scc`.
pub fn register_name(src: Src, dwords: u32) -> String {
    if src == Src::SCC { "scc".into() } else { register(src, dwords, Ty::B32, 0) }
}

/// A register tuple or constant, read as `ty`.
pub(crate) fn register(src: Src, dwords: u32, ty: Ty, literal: u32) -> String {
    let range = |prefix: &str, n: u32| match dwords {
        0 | 1 => format!("{prefix}{n}"),
        d => format!("{prefix}[{n}:{}]", n + d - 1),
    };
    match src {
        Src::NONE => "off".into(),
        s if s.is_vgpr() => range("v", s.vgpr()),
        Src(n) if n < 106 => range("s", n.into()),
        Src(n @ 108..=123) => range("ttmp", u32::from(n) - 108),
        Src::LITERAL => literal_text(literal, ty, dwords),
        Src(n @ 128..=192) => (n - 128).to_string(),
        Src(n @ 193..=208) => format!("-{}", n - 192),
        Src::INV_2PI if ty == Ty::Matrix8Wide && dwords == 8 => INV_2PI_64.into(),
        Src::INV_2PI if matches!(ty, Ty::F64 | Ty::B64 | Ty::U64 | Ty::I64 | Ty::Mask | Ty::Addr64) && dwords == 2 => {
            INV_2PI_64.into()
        }
        Src(n @ 240..=248) => FLOATS[usize::from(n) - 240].into(),
        s if dwords == 2 && PAIRS.iter().any(|(r, _)| *r == s) => {
            PAIRS.iter().find(|(r, _)| *r == s).map_or("?", |(_, n)| *n).into()
        }
        s => SPECIAL.iter().find(|(r, _)| *r == s).map_or_else(|| format!("src{}", s.0), |(_, n)| (*n).into()),
    }
}

/// A literal; where an inline constant has its value, that constant's spelling. Of a 64-bit integer the literal is the
/// lower half, the upper is zero, so no negative constant and no float has its value; of an f64 it is the upper half.
fn literal_text(literal: u32, ty: Ty, dwords: u32) -> String {
    let sixteen = matches!(ty, Ty::F16 | Ty::U16 | Ty::I16 | Ty::B16 | Ty::Bf16 | Ty::Half);
    let value = if sixteen { literal & 0xffff } else { literal };
    let number = if sixteen { value as i16 as i32 } else { value as i32 };
    let whole = match ty {
        Ty::F64 => 0..=0,
        _ if dwords == 2 => 0..=64,
        _ => -16..=64,
    };
    let float = (240..=248).map(Src).find(|s| match ty {
        Ty::F16 => s.half_value() == Some(value),
        Ty::F64 => s.inline_value().map(|v| f64::from(f32::from_bits(v)).to_bits()) == Some(u64::from(value) << 32),
        Ty::U16 | Ty::I16 | Ty::B16 | Ty::PkF16 | Ty::PkU16 | Ty::Bf16 | Ty::PkBf16 | Ty::Half => false,
        _ => dwords != 2 && s.inline_value() == Some(value),
    });
    match float {
        _ if whole.contains(&number) => number.to_string(),
        Some(s) => FLOATS[usize::from(s.0) - 240].into(),
        None => format!("{value:#x}"),
    }
}

/// Whether an operand of the row stands in the text, though it may not be in the bits.
pub(crate) fn printed(instr: &Instr, ty: Ty) -> bool {
    let row = instr.op.row();
    match ty {
        Ty::Vcc => matches!(row.format, Format::Vop2 | Format::Vopc),
        Ty::Unused => false,
        Ty::Imm16 => !matches!((row.sem, instr.imm), (Sem::Control(Control::EndPgm), 0)),
        _ => !ty.implicit(),
    }
}

/// What stands at one place of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operand {
    Dst(usize),
    Src(usize),
    /// The attribute and channel of an interpolation.
    Attribute,
    /// The constant offset of a prefetch.
    Offset,
    /// EXP's target, and one of its four components.
    Target,
    Component(usize),
}

/// The operands in the order of the text. Flags must be set; registers need not be.
pub(crate) fn text_order(instr: &Instr) -> Vec<Operand> {
    let row = instr.op.row();
    if row.format == Format::Exp {
        return [Operand::Target].into_iter().chain((0..4).map(Operand::Component)).collect();
    }
    let memory = matches!(row.format, Format::Flat | Format::Global | Format::Scratch | Format::Mubuf);
    let no_dst = memory && legal::may_lack_dst(instr) || layout::atomic_data(row).is_some();
    let mut out: Vec<Operand> =
        (0..row.dst.len().min(2)).filter(|&i| printed(instr, row.dst[i]) && !no_dst).map(Operand::Dst).collect();
    let sources = (0..row.src.len().min(4)).filter(|&i| printed(instr, row.src[i])).map(Operand::Src);
    let at = out.len();
    out.extend(sources);
    match row.format {
        // Data to store comes first; for global and scratch memory, before the scalar address.
        Format::Mubuf | Format::Mtbuf | Format::Mimg if out.contains(&Operand::Src(3)) => out.rotate_right(1),
        Format::Smem if row.src.contains(&Ty::Length) => out.insert(at + out[at..].len() - 2, Operand::Offset),
        Format::Smem if out.contains(&Operand::Src(2)) => out.rotate_right(1),
        Format::LdsDir if row.sem == Sem::Control(Control::GraphicsOnly) => out.push(Operand::Attribute),
        Format::Global | Format::Scratch if out[at..].len() == 3 => out.swap(at + 1, at + 2),
        Format::Global if row.src.first() == Some(&Ty::Unused) && out.len() - at == 2 => out.swap(at, at + 1),
        _ if layout::interpolates(row) => out.insert(at + 1, Operand::Attribute),
        _ => {}
    }
    out
}

fn operands(instr: &Instr, generation: Gen, lanes: u32) -> Vec<String> {
    let row = instr.op.row();
    let one = |operand| match operand {
        Operand::Dst(i) if row.dst[i] == Ty::Half => half(instr, OperandSlot::Dst(i)),
        Operand::Src(i) if row.src[i] == Ty::Half => modified(instr, i, generation, half(instr, OperandSlot::Src(i))),
        Operand::Dst(i) => register(instr.dst[i], legal::dst_dwords(instr, i, lanes), row.dst[i], 0),
        Operand::Attribute => match instr.extra {
            Extra::Interp { attribute, channel, .. } | Extra::LdsDir { attribute, channel, .. } => {
                format!("attr{attribute}.{}", CHANNELS[usize::from(channel & 3)])
            }
            _ => "attr?".into(),
        },
        Operand::Target => match instr.extra {
            Extra::Export(e) => match export::target(e.target, generation) {
                Some((name, n)) => name.to_string() + &n.map_or(String::new(), |n| n.to_string()),
                None => format!("invalid_target_{}", e.target),
            },
            _ => "?".into(),
        },
        Operand::Component(i) => component(instr, i),
        Operand::Offset => hexadecimal(instr.imm),
        Operand::Src(1) if row.src.contains(&Ty::Length) => match instr.src[1] {
            Src::NONE => "null".into(),
            src => register(src, 1, Ty::B32, 0),
        },
        Operand::Src(1) if row.format == Format::Smem => scalar_offset(instr, generation),
        Operand::Src(i) => match row.src[i] {
            Ty::Imm16 => immediates::immediate(instr, generation),
            Ty::Probe | Ty::Length => match instr.extra {
                Extra::Probe(v) => immediates::short(v.into()),
                _ => "?".into(),
            },
            Ty::Param => PARAMS.get(usize::from(instr.src[i].0.wrapping_sub(128))).map_or("p?", |p| *p).into(),
            Ty::ImageAddr => image_address(instr, generation),
            // Bits for a hardware register: no float has a name here.
            Ty::Lit32 if row.format == Format::Sopk => literal_text(instr.literal, Ty::PkU16, 1),
            Ty::Lit32 => format!("{:#x}", instr.literal),
            ty => modified(
                instr,
                i,
                generation,
                register(instr.src[i], legal::dwords(instr, ty, lanes), ty, instr.literal),
            ),
        },
    };
    text_order(instr).into_iter().map(one).collect()
}

/// A half of a VGPR, or a scalar.
fn half(instr: &Instr, slot: OperandSlot) -> String {
    let src = layout::operand(instr, slot);
    let text = register(src, 1, Ty::B16, instr.literal);
    let upper = layout::half(instr.op.row(), slot).is_some_and(|selects| instr.mods.op_sel & selects != 0);
    match src.is_vgpr() {
        true => format!("{text}.{}", if upper { "h" } else { "l" }),
        false => text,
    }
}

/// Registers in a row, or the list of the non-sequential form.
fn image_address(instr: &Instr, generation: Gen) -> String {
    match &instr.extra {
        Extra::Image(image) if image.nsa != 0 => {
            let part = |part: &[u8]| register(Src::v(part[0].into()), part.len() as u32, Ty::ImageAddr, 0);
            let listed: Vec<String> = parts(instr, generation).of(&image.vaddr).map(part).collect();
            format!("[{}]", listed.join(", "))
        }
        Extra::Image(image) => register(instr.src[0], image.addresses.into(), Ty::ImageAddr, 0),
        _ => "?".into(),
    }
}

/// Compressed, each of the first two registers stands for two components.
fn component(instr: &Instr, i: usize) -> String {
    let Extra::Export(e) = instr.extra else { return "?".into() };
    if e.enable >> i & 1 == 0 {
        return "off".into();
    }
    register(instr.src[if e.compressed { i / 2 } else { i }], 1, Ty::B32, 0)
}

fn hexadecimal(v: i32) -> String {
    if v < 0 { format!("-{:#x}", -i64::from(v)) } else { format!("{v:#x}") }
}

fn scalar_offset(instr: &Instr, generation: Gen) -> String {
    let caps = generation.caps();
    let always = caps.smem_offset24 || instr.flags.contains(Flags::IMM);
    match (instr.src[1], instr.imm) {
        (Src::LITERAL, _) => format!("{:#x}", instr.literal),
        (Src::NONE, 0) if caps.null && !caps.smem_offset24 => "null".into(),
        (Src::NONE, imm) => hexadecimal(imm),
        (src, 0) if !always => register(src, 1, Ty::B32, 0),
        (src, imm) => format!("{} offset:{}", register(src, 1, Ty::B32, 0), hexadecimal(imm)),
    }
}

/// Puts the source's modifiers around its text.
fn modified(instr: &Instr, i: usize, generation: Gen, text: String) -> String {
    let row = instr.op.row();
    let m = instr.mods;
    // The i-th modifier bit belongs to the i-th encoded source, which are the first ones of each row.
    let bit = |mask: u8| mask >> i & 1 != 0;
    let mixes = row.src.first() == Some(&Ty::Mix);
    let (neg, abs) = match row.format {
        Format::Vop3p if mixes => (bit(m.neg), bit(m.neg_hi)),
        Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vintrp | Format::Vinterp => {
            (bit(m.neg), bit(m.abs))
        }
        _ => (false, false),
    };
    if let Extra::Sdwa(s) = instr.extra
        && s.sext >> i & 1 != 0
    {
        return format!("sext({text})");
    }
    let constant = matches!(instr.src[i].0, 128..=208 | 240..=248) || instr.src[i] == Src::LITERAL;
    let float = matches!(row.src[i], Ty::F16 | Ty::F32 | Ty::F64 | Ty::Mix | Ty::PkF16 | Ty::Bf16 | Ty::PkBf16)
        || generation.caps().true16 && row.format == Format::Vop2 && instr.form.is_wide();
    match (neg, abs) {
        (false, false) => text,
        (true, false) if !float => format!("sext({text})"),
        (true, false) if constant => format!("neg({text})"),
        (true, false) => format!("-{text}"),
        (false, true) => format!("|{text}|"),
        (true, true) => format!("-|{text}|"),
    }
}
