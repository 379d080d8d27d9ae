//! Text → instruction, in LLVM's spelling.

use std::collections::HashMap;

use crate::Gen;
use crate::disasm::{self, Operand};
use crate::encode;
use crate::instr::{Dpp16, Extra, Flags, Form, Instr, Sdwa};
use crate::insts::Op;
use crate::layout;
use crate::legal;
use crate::reg::Src;
use crate::row::{Control, Format, Sem, Ty, WaveOp};

/// What is wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct AsmError {
    /// From 1; [`parse_line`] gives 1.
    pub line: usize,
    pub what: String,
}

type Parsed<T> = Result<T, String>;

/// A program: an instruction or `label:` a line; comments (`;`, `//`), directives (`.`) and blank lines are passed over.
/// Branches take a label or a distance in dwords.
pub fn assemble(text: &str, generation: Gen, lanes: u32) -> Result<Vec<u32>, AsmError> {
    let mut words = Vec::new();
    let mut labels: HashMap<&str, usize> = HashMap::new();
    let mut branches: Vec<(usize, &str, usize)> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let fail = |what: String| AsmError { line: n + 1, what };
        let mut code = strip_comment(line);
        while let Some((label, rest)) = code.split_once(':').filter(|(l, _)| is_name(l.trim())) {
            if labels.insert(label.trim(), words.len()).is_some() {
                return Err(fail(format!("label {} stands twice", label.trim())));
            }
            code = rest.trim();
        }
        if let Some(long) = code.strip_prefix(".long") {
            for value in long.split(',') {
                words.push(integer(value.trim()).map_err(fail)? as u32);
            }
            continue;
        }
        if code.is_empty() || code.starts_with('.') {
            continue;
        }
        let instr = parse(code, lanes, &mut |label| {
            branches.push((words.len(), label, n + 1));
            0
        })
        .map_err(fail)?;
        encode::encode(&instr, generation, &mut words).map_err(|e| fail(e.to_string()))?;
    }
    for (at, label, line) in branches {
        let target = *labels.get(label).ok_or_else(|| AsmError { line, what: format!("no label {label}") })?;
        let distance = target as i64 - (at as i64 + 1);
        let short = i16::try_from(distance)
            .map_err(|_| AsmError { line, what: format!("label {label} is {distance} dwords away, beyond 16 bits") })?;
        words[at] = words[at] & 0xffff_0000 | u32::from(short as u16);
    }
    Ok(words)
}

/// One instruction. Branch targets are distances in dwords.
pub fn parse_line(line: &str, generation: Gen, lanes: u32) -> Result<Instr, AsmError> {
    let Gen::Gfx1010 = generation;
    let mut unknown = None;
    let instr = parse(strip_comment(line), lanes, &mut |label| {
        unknown = Some(label.to_string());
        0
    });
    let fail = |what| AsmError { line: 1, what };
    match unknown {
        Some(label) => Err(fail(format!("label {label} in a line by itself"))),
        None => instr.map_err(fail),
    }
}

fn strip_comment(line: &str) -> &str {
    let end = [line.find(';'), line.find("//")].into_iter().flatten().min().unwrap_or(line.len());
    line[..end].trim()
}

fn is_name(s: &str) -> bool {
    !s.is_empty()
        && s.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'))
        && !s.starts_with(|c: char| c.is_ascii_digit())
}

/// Splits at `at` outside of brackets, bars and quotes.
fn split(text: &str, at: impl Fn(char) -> bool) -> Vec<&str> {
    let (mut depth, mut quoted, mut start, mut out) = (0i32, false, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 && !quoted && at(c) {
            out.push(text[start..i].trim());
            start = i + c.len_utf8();
        }
    }
    out.push(text[start..].trim());
    out.retain(|s| !s.is_empty());
    out
}

fn parse<'t>(code: &'t str, lanes: u32, label: &mut dyn FnMut(&'t str) -> i32) -> Parsed<Instr> {
    let (mnemonic, rest) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
    let (op, form) = mnemonic_of(mnemonic)?;
    let row = op.row();
    let whole = matches!(row.sem, Sem::Control(Control::Waitcnt)) || row.format == Format::Sopp && row.opcode == 0x23;
    let (mut operands, mut modifiers) = (Vec::new(), Vec::new());
    if whole {
        operands.push(rest.trim());
    } else {
        let mut items = split(rest, |c| c == ',');
        if let Some(last) = items.pop() {
            operands.extend(items);
            let mut words = split(last, char::is_whitespace).into_iter();
            if !row.dst.is_empty() || !row.src.is_empty() {
                operands.extend(words.next());
            }
            modifiers.extend(words);
        }
    }
    let form = match form {
        Some(Form::Dpp16) if modifiers.iter().any(|m| m.starts_with("dpp8:")) => Some(Form::Dpp8),
        f => f,
    };
    // Without a suffix, the shortest form that holds the operands.
    let mut forms: Vec<Form> = form.map_or_else(|| vec![Form::Base, Form::E64], |f| vec![f]);
    forms.retain(|&f| op.supports(f));
    let mut error = format!("{} has no such form", row.name);
    for f in forms {
        match build(op, f, &operands, &modifiers, lanes, label) {
            Ok(instr) => return Ok(instr),
            Err(e) => error = e,
        }
    }
    Err(error)
}

fn mnemonic_of(name: &str) -> Parsed<(Op, Option<Form>)> {
    if let Some(op) = Op::find(name) {
        return Ok((op, if op.supports(Form::E64) { None } else { Some(Form::Base) }));
    }
    let forms = [("_e32", Form::Base), ("_e64", Form::E64), ("_sdwa", Form::Sdwa), ("_dpp", Form::Dpp16)];
    for (suffix, form) in forms {
        if let Some(op) = name.strip_suffix(suffix).and_then(Op::find) {
            return Ok((op, Some(form)));
        }
    }
    Err(format!("no instruction {name}"))
}

fn build<'t>(
    op: Op,
    form: Form,
    operands: &[&'t str],
    modifiers: &[&'t str],
    lanes: u32,
    label: &mut dyn FnMut(&'t str) -> i32,
) -> Parsed<Instr> {
    let row = op.row();
    let mut instr = Instr::new(op);
    instr.form = form;
    let packed = row.format == Format::Vop3p && row.src.first() != Some(&Ty::Mix);
    if packed {
        instr.mods.op_sel_hi = (1 << row.src.len()) - 1;
    }
    instr.extra = match form {
        Form::Sdwa => Extra::Sdwa(Sdwa { dst_sel: 6, dst_unused: 0, src0_sel: 6, src1_sel: 6, sext: 0 }),
        Form::Dpp16 => {
            Extra::Dpp16(Dpp16 { ctrl: 0xe4, row_mask: 15, bank_mask: 15, bound_ctrl: false, fetch_inactive: false })
        }
        Form::Dpp8 => Extra::Dpp8 { selects: 0, fetch_inactive: false },
        _ => Extra::None,
    };
    for m in modifiers {
        modifier(&mut instr, m)?;
    }
    let mut order = disasm::text_order(&instr);
    // S_ENDPGM may name a code.
    if matches!(row.sem, Sem::Control(Control::EndPgm)) && row.src.first() == Some(&Ty::Imm16) {
        order = if operands.is_empty() { Vec::new() } else { vec![Operand::Src(0)] };
    }
    if order.len() != operands.len() {
        return Err(format!("{} takes {} operands, not {}", row.name, order.len(), operands.len()));
    }
    for (place, text) in order.iter().zip(operands) {
        match *place {
            Operand::Dst(i) => instr.dst[i] = source(&mut instr, text, row.dst[i], None)?,
            Operand::Src(1) if row.format == Format::Smem => scalar_offset(&mut instr, text)?,
            Operand::Src(i) => match row.src[i] {
                Ty::Imm16 => instr.imm = immediate(&instr, text, label)?,
                ty => {
                    let src = source(&mut instr, text, ty, Some(i))?;
                    instr.src[i] = if ty == Ty::Lit32 { literal_of(&mut instr, src) } else { src };
                }
            },
        }
    }
    finish(&mut instr, lanes)?;
    Ok(instr)
}

/// Fills what the text implies and refuses what the form cannot hold.
fn finish(instr: &mut Instr, lanes: u32) -> Parsed<()> {
    let row = instr.op.row();
    let named = (instr.dst, instr.src);
    if row.format == Format::Mubuf && !row.dst.is_empty() && row.src.len() == 4 && row.src[3] != Ty::Old {
        instr.dst[0] = if instr.flags.contains(Flags::GLC) { instr.src[3] } else { Src::NONE };
    }
    instr.imply();
    let changed = |a: Src, b: Src| a != Src::NONE && a != b;
    let vcc_moved =
        row.dst.iter().zip(named.0.iter().zip(&instr.dst)).any(|(t, (a, b))| *t == Ty::Vcc && changed(*a, *b))
            || row.src.iter().zip(named.1.iter().zip(&instr.src)).any(|(t, (a, b))| *t == Ty::Vcc && changed(*a, *b));
    if vcc_moved {
        return Err(format!("{} reads and writes VCC in this form", row.name));
    }
    let m = instr.mods;
    let vector = matches!(row.format, Format::Vop1 | Format::Vop2 | Format::Vopc);
    if vector && instr.form == Form::Base && (m.neg | m.abs | m.omod | m.op_sel != 0 || m.clamp) {
        return Err(format!("{} takes no modifiers in its 32-bit form", row.name));
    }
    let scalar = |s: Src| s.is_sgpr() || s == Src::NULL;
    let masks = row.dst.iter().zip(&instr.dst).chain(row.src.iter().zip(&instr.src));
    for (_, mask) in masks.filter(|(t, _)| matches!(t, Ty::Mask | Ty::Vcc)) {
        if lanes == 64 && mask.0 < 106 && mask.0 % 2 != 0 {
            return Err(format!("{}: a lane mask of wave64 begins at an even SGPR, not {mask:?}", row.name));
        }
    }
    for (i, &ty) in row.dst.iter().enumerate().take(2) {
        let d = instr.dst[i];
        if !layout::encoded(row, instr.form, ty) || d == Src::NONE {
            continue;
        }
        let wants_scalar = matches!(ty, Ty::Mask | Ty::Vcc)
            || layout::scalar_dst(row)
            || matches!(row.format, Format::Sop1 | Format::Sop2 | Format::Sopk | Format::Smem);
        if wants_scalar && !scalar(d) || !wants_scalar && !d.is_vgpr() {
            return Err(format!("{}: destination cannot be {d:?}", row.name));
        }
    }
    legal::check(instr)
}

fn literal_of(instr: &mut Instr, src: Src) -> Src {
    if src != Src::LITERAL {
        instr.literal = if instr.op.row().dst.first() == Some(&Ty::F16) {
            half_inline(src).unwrap_or(0)
        } else {
            src.inline_value().unwrap_or(0)
        };
    }
    Src::LITERAL
}

/// f16 bits of an inline constant.
fn half_inline(src: Src) -> Option<u32> {
    const HALVES: [u32; 9] = [0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118];
    match src.0 {
        n @ 240..=248 => Some(HALVES[usize::from(n) - 240]),
        _ => src.inline_value().map(|v| v & 0xffff),
    }
}

fn scalar_offset(instr: &mut Instr, text: &str) -> Parsed<()> {
    match integer(text) {
        Ok(v) => {
            instr.imm = i32::try_from(v).map_err(|_| format!("offset {text} is too large"))?;
            instr.src[1] = Src::NONE;
        }
        Err(_) if text == "null" || text == "off" => instr.src[1] = Src::NONE,
        Err(_) => instr.src[1] = register(text).ok_or_else(|| format!("no offset {text}"))?,
    }
    Ok(())
}

/// An operand with its modifiers, which go to source `at`.
fn source(instr: &mut Instr, text: &str, ty: Ty, at: Option<usize>) -> Parsed<Src> {
    let inner = |open: &str, close: &str| text.strip_prefix(open).and_then(|t| t.strip_suffix(close));
    let mix = instr.op.row().src.first() == Some(&Ty::Mix);
    if let Some(i) = at {
        if let Some(t) = inner("neg(", ")") {
            instr.mods.neg |= 1 << i;
            return source(instr, t, ty, at);
        }
        if let Some(t) = inner("abs(", ")").or_else(|| inner("|", "|")) {
            if mix {
                instr.mods.neg_hi |= 1 << i;
            } else {
                instr.mods.abs |= 1 << i;
            }
            return source(instr, t, ty, at);
        }
        if let Some(t) = inner("sext(", ")") {
            match &mut instr.extra {
                Extra::Sdwa(s) => s.sext |= 1 << i,
                _ => instr.mods.neg |= 1 << i,
            }
            return source(instr, t, ty, at);
        }
        if let Some(t) = text.strip_prefix('-').filter(|t| !t.starts_with(|c: char| c.is_ascii_digit() || c == '.')) {
            instr.mods.neg |= 1 << i;
            return source(instr, t, ty, at);
        }
    }
    if let Some(src) = register(text) {
        return Ok(src);
    }
    let value = if let Ok(v) = integer(text) {
        let v = if (-0x8000_0000..=0xffff_ffff).contains(&v) {
            v as u32
        } else {
            return Err(format!("{text} needs more than 32 bits"));
        };
        if let n @ (0..=64 | 0xffff_fff0..=0xffff_ffff) = v {
            return Ok(Src::inline(n).unwrap_or(Src::LITERAL));
        }
        v
    } else {
        if let Some(n) = disasm::FLOATS.iter().position(|f| *f == text) {
            return Ok(Src(240 + n as u16));
        }
        if text == disasm::INV_2PI_64 {
            return Ok(Src::INV_2PI);
        }
        let v: f64 = text.parse().map_err(|_| format!("{text} is neither a register nor a number"))?;
        match ty {
            Ty::F64 => (v.to_bits() >> 32) as u32,
            Ty::F16 | Ty::PkF16 => crate::alu::f16_bits(v),
            _ => (v as f32).to_bits(),
        }
    };
    let sixteen = matches!(ty, Ty::F16 | Ty::U16 | Ty::I16 | Ty::B16 | Ty::PkF16 | Ty::PkU16);
    let inline = match ty {
        Ty::F64 | Ty::B64 | Ty::U64 | Ty::I64 => None,
        _ if sixteen => (240..=248).map(Src).find(|s| half_inline(*s) == Some(value)),
        _ => Src::inline(value),
    };
    if let Some(src) = inline {
        return Ok(src);
    }
    instr.literal = value;
    Ok(Src::LITERAL)
}

/// A register, a tuple's first register, or a named constant.
fn register(text: &str) -> Option<Src> {
    match text {
        "vcc" => return Some(Src::VCC_LO),
        "exec" => return Some(Src::EXEC_LO),
        "off" => return Some(Src::NONE),
        _ => {}
    }
    if let Some((src, _)) = disasm::SPECIAL.iter().find(|(_, n)| *n == text) {
        return Some(*src);
    }
    let (base, count, number) = if let Some(t) = text.strip_prefix("ttmp") {
        (108, 16, t)
    } else if let Some(t) = text.strip_prefix('v') {
        (256, 256, t)
    } else {
        (0, 106, text.strip_prefix('s')?)
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
    (first <= last && last < count).then_some(Src(base + first))
}

fn integer(text: &str) -> Parsed<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(t) => (true, t),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16),
        None => digits.parse::<i64>(),
    };
    let value = value.map_err(|_| format!("{text} is no integer"))?;
    Ok(if negative { -value } else { value })
}

fn list(text: &str) -> Parsed<Vec<u32>> {
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).ok_or_else(|| format!("{text} is no list"))?;
    inner.split(',').map(|n| integer(n.trim()).map(|v| v as u32)).collect()
}

fn bits(text: &str) -> Parsed<u8> {
    Ok(list(text)?.iter().take(8).enumerate().fold(0, |mask, (i, v)| mask | ((*v & 1) as u8) << i))
}

fn modifier(instr: &mut Instr, text: &str) -> Parsed<()> {
    let row = instr.op.row();
    let flag = match text {
        "glc" => Some(Flags::GLC),
        "slc" => Some(Flags::SLC),
        "dlc" => Some(Flags::DLC),
        "lds" => Some(Flags::LDS),
        "tfe" => Some(Flags::TFE),
        "gds" => Some(Flags::GDS),
        "offen" => Some(Flags::OFFEN),
        "idxen" => Some(Flags::IDXEN),
        _ => None,
    };
    if let Some(f) = flag {
        instr.flags |= f;
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
    let number = || integer(value).map(|v| v as u32);
    match name {
        "offset" if row.sem == Sem::Wave(WaveOp::DsSwizzle) && value.starts_with("swizzle(") => {
            instr.imm = swizzle(value)?
        }
        "offset" => instr.imm = i32::try_from(integer(value)?).map_err(|_| unknown())?,
        "offset0" => instr.imm |= (number()? & 0xff) as i32,
        "offset1" => instr.imm |= ((number()? & 0xff) << 8) as i32,
        "op_sel" => {
            let mask = bits(value)?;
            let given = list(value)?.len();
            let sources = row.src.iter().filter(|&&t| layout::encoded(row, instr.form, t)).count();
            let permlane = matches!(row.sem, Sem::Wave(WaveOp::Permlane16 | WaveOp::Permlanex16));
            // The last of a full list is the destination's, bit 3.
            instr.mods.op_sel = if row.format != Format::Vop3p && !permlane && given == sources + 1 {
                mask & ((1 << sources) - 1) | (mask >> sources & 1) << 3
            } else {
                mask
            };
        }
        "op_sel_hi" => instr.mods.op_sel_hi = bits(value)?,
        "neg_lo" => instr.mods.neg = bits(value)?,
        "neg_hi" => instr.mods.neg_hi = bits(value)?,
        _ => match &mut instr.extra {
            Extra::Image(_) | Extra::Format(_) | Extra::Export(_) | Extra::Interp { .. } => return Err(unknown()),
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
                "dpp8" => {
                    *selects = list(value)?.iter().take(8).enumerate().fold(0, |s, (i, v)| s | (v & 7) << (3 * i))
                }
                "fi" => *fetch_inactive = number()? != 0,
                _ => return Err(unknown()),
            },
            Extra::Dpp16(d) => match name {
                "quad_perm" => {
                    d.ctrl =
                        list(value)?.iter().take(4).enumerate().fold(0, |c, (i, v)| c | ((*v & 3) as u16) << (2 * i))
                }
                "row_shl" => d.ctrl = 0x100 | (number()? & 15) as u16,
                "row_shr" => d.ctrl = 0x110 | (number()? & 15) as u16,
                "row_ror" => d.ctrl = 0x120 | (number()? & 15) as u16,
                "row_mirror" => d.ctrl = 0x140,
                "row_half_mirror" => d.ctrl = 0x141,
                "row_share" => d.ctrl = 0x150 | (number()? & 15) as u16,
                "row_xmask" => d.ctrl = 0x160 | (number()? & 15) as u16,
                "row_mask" => d.row_mask = (number()? & 15) as u8,
                "bank_mask" => d.bank_mask = (number()? & 15) as u8,
                "bound_ctrl" => d.bound_ctrl = true,
                "fi" => d.fetch_inactive = number()? != 0,
                _ => return Err(unknown()),
            },
            Extra::None => return Err(unknown()),
        },
    }
    Ok(())
}

/// Arguments of `name(a, b, …)`.
fn call<'t>(text: &'t str, name: &str) -> Option<Vec<&'t str>> {
    let inner = text.strip_prefix(name)?.trim_start().strip_prefix('(')?.strip_suffix(')')?;
    Some(inner.split(',').map(str::trim).collect())
}

fn swizzle(text: &str) -> Parsed<i32> {
    let bad = || format!("no swizzle {text}");
    let args = call(text, "swizzle").ok_or_else(bad)?;
    let n = |i: usize| args.get(i).ok_or_else(bad).and_then(|a| integer(a)).map(|v| v as i32);
    Ok(match args[0] {
        "QUAD_PERM" => 0x8000 | n(1)? | n(2)? << 2 | n(3)? << 4 | n(4)? << 6,
        "SWAP" => n(1)? << 10 | 31,
        "REVERSE" => (n(1)? - 1) << 10 | 31,
        "BROADCAST" => n(2)? << 5 | (32 - n(1)?) & 31,
        "BITMASK_PERM" => {
            let pattern = args.get(1).ok_or_else(bad)?.trim_matches('"');
            let mut value = 0;
            for (i, c) in pattern.chars().rev().enumerate().take(5) {
                let (and, or, xor) = match c {
                    '0' => (0, 0, 0),
                    '1' => (0, 1, 0),
                    'p' => (1, 0, 0),
                    'i' => (1, 0, 1),
                    _ => return Err(bad()),
                };
                value |= (and | or << 5 | xor << 10) << i;
            }
            value
        }
        _ => return Err(bad()),
    })
}

fn immediate<'t>(instr: &Instr, text: &'t str, label: &mut dyn FnMut(&'t str) -> i32) -> Parsed<i32> {
    let row = instr.op.row();
    if let Some(args) = call(text, "hwreg") {
        let id = disasm::HWREGS
            .iter()
            .find(|(_, n)| *n == args[0])
            .map_or_else(|| integer(args[0]), |(n, _)| Ok(i64::from(*n)))?;
        let n = |i: usize, default: i64| args.get(i).map_or(Ok(default), |a| integer(a));
        return Ok((id | n(1, 0)? << 6 | (n(2, 32)? - 1) << 11) as i16 as i32);
    }
    if let Some(args) = call(text, "sendmsg") {
        return message(&args).map(|v| v as i16 as i32);
    }
    match row.sem {
        Sem::Control(Control::Waitcnt) if !text.starts_with(|c: char| c.is_ascii_digit()) => {
            return counters(text, 0xff7f, |name| match name {
                "vmcnt" => Some(vec![(0, 4), (14, 2)]),
                "expcnt" => Some(vec![(4, 3)]),
                "lgkmcnt" => Some(vec![(8, 6)]),
                _ => None,
            });
        }
        Sem::Control(Control::Nop) if row.format == Format::Sopp && text.starts_with("depctr_") => {
            return counters(text, 0xff1f, |name| {
                disasm::DEPCTR.iter().find(|(n, ..)| *n == name).map(|&(_, low, width)| vec![(low, width)])
            });
        }
        _ => {}
    }
    match integer(text) {
        Ok(v @ -0x8000..=0xffff) => Ok(v as i16 as i32),
        Ok(_) => Err(format!("{text} needs more than 16 bits")),
        Err(_) if is_name(text) && matches!(row.format, Format::Sopp | Format::Sopk) => Ok(label(text)),
        Err(e) => Err(e),
    }
}

/// `name(value)` …, each into its (low bit, width) pieces of a word that is `start` before.
fn counters(text: &str, start: u32, pieces: impl Fn(&str) -> Option<Vec<(u32, u32)>>) -> Parsed<i32> {
    let mut word = start;
    for part in split(text, |c| c.is_whitespace() || matches!(c, '&' | ',')) {
        let bad = || format!("no counter {part}");
        let (name, value) = part.strip_suffix(')').and_then(|p| p.split_once('(')).ok_or_else(bad)?;
        let mut rest = integer(value)? as u32;
        for (low, width) in pieces(name).ok_or_else(bad)? {
            let mask = (1 << width) - 1;
            word = word & !(mask << low) | (rest & mask) << low;
            rest >>= width;
        }
        if rest != 0 {
            return Err(format!("{part} does not fit its counter"));
        }
    }
    Ok(word as i16 as i32)
}

fn message(args: &[&str]) -> Parsed<u32> {
    let id = match args[0] {
        "MSG_GS" => 2,
        "MSG_GS_DONE" => 3,
        "MSG_SYSMSG" => 15,
        name => match disasm::MESSAGES.iter().find(|(_, n)| *n == name) {
            Some((n, _)) => *n,
            None => integer(name)? as u32,
        },
    };
    let op = match args.get(1) {
        None => 0,
        Some(name) => {
            let gs = disasm::GS_OPS.iter().position(|n| n == name);
            match gs.or_else(|| disasm::SYSMSG_OPS.iter().position(|n| n == name)) {
                Some(n) => n as u32,
                None => integer(name)? as u32,
            }
        }
    };
    let stream = args.get(2).map_or(Ok(0), |s| integer(s))? as u32;
    Ok(id & 15 | (op & 7) << 4 | (stream & 3) << 8)
}
