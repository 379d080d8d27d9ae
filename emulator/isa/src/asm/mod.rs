//! Text → instruction, in LLVM's spelling.

mod constants;
mod immediates;
mod modifiers;
mod operands;

use std::borrow::Cow;
use std::collections::HashMap;

use crate::disasm::{self, Operand};
use crate::encode;
use crate::generation::Gen;
use crate::instr::{Extra, Form, Instr};
use crate::insts::{self, Op};
use crate::layout;
use crate::legal;
use crate::reg::Src;
use crate::row::{Control, Format, Sem, Ty};
use constants::integer;
use immediates::immediate;
use modifiers::modifier;
use operands::{scalar_offset, set_literal, source};

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
    assemble_named(text, generation, lanes).map(|(words, _)| words)
}

/// Names of labels, each with the dword that it stands in front of, by address.
pub type Names = Vec<(usize, String)>;

/// The same with the labels that the text has.
pub fn assemble_named(text: &str, generation: Gen, lanes: u32) -> Result<(Vec<u32>, Names), AsmError> {
    let mut words = Vec::new();
    let mut labels: HashMap<&str, usize> = HashMap::new();
    let mut branches: Vec<(usize, &str, usize)> = Vec::new();
    let lines: Vec<Cow<'_, str>> = text.lines().map(without_block_comments).collect();
    for (n, line) in lines.iter().enumerate() {
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
        let instr = parse(code, generation, lanes, &mut |label| {
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
    let mut names: Names = labels.into_iter().map(|(name, at)| (at, name.to_owned())).collect();
    names.sort_unstable();
    Ok((words, names))
}

/// One instruction. Branch targets are distances in dwords.
pub fn parse_line(line: &str, generation: Gen, lanes: u32) -> Result<Instr, AsmError> {
    let mut unknown = None;
    let line = without_block_comments(line);
    let instr = parse(strip_comment(&line), generation, lanes, &mut |label| {
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

/// `/* … */` inside of a line.
fn without_block_comments(line: &str) -> Cow<'_, str> {
    let mut line = Cow::Borrowed(line);
    while let Some(start) = line.find("/*") {
        let end = line[start..].find("*/").map_or(line.len(), |n| start + n + 2);
        line = Cow::Owned(format!("{} {}", &line[..start], &line[end..]));
    }
    line
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

fn parse<'t>(code: &'t str, generation: Gen, lanes: u32, label: &mut dyn FnMut(&'t str) -> i32) -> Parsed<Instr> {
    if let Some((first, second)) = code.split_once("::") {
        return pair(first.trim(), second.trim(), generation, lanes);
    }
    let (mnemonic, rest) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
    let (op, form) = mnemonic_of(mnemonic, generation)?;
    let row = op.row();
    let whole =
        matches!(row.sem, Sem::Control(Control::Waitcnt)) || matches!(op, insts::S_WAITCNT_DEPCTR | insts::S_DELAY_ALU);
    let (mut operands, mut modifiers) = (Vec::new(), Vec::new());
    if whole {
        operands.push(rest.trim());
    } else {
        let mut rest = rest.trim();
        if row.format == Format::Exp
            && let Some((target, data)) = rest.split_once(char::is_whitespace)
        {
            operands.push(target);
            rest = data;
        }
        let mut items = split(rest, |c| c == ',');
        if let Some(last) = items.pop() {
            operands.extend(items);
            let mut words = split(last, char::is_whitespace).into_iter();
            if !disasm::text_order(&Instr::new(op)).is_empty() || op_may_name_a_code(op) {
                operands.extend(words.next());
            }
            modifiers.extend(words);
        }
    }
    let form = match form {
        None => form_by_modifiers(&modifiers),
        Some(Form::Dpp16) => form_by_modifiers(&modifiers).filter(|f| *f == Form::Dpp8).or(form),
        Some(Form::E64Dpp16) if form_by_modifiers(&modifiers) == Some(Form::Dpp8) => Some(Form::E64Dpp8),
        Some(Form::Base) if !op.supports(Form::E64, generation) && op.supports(Form::Dpp16, generation) => {
            form_by_modifiers(&modifiers).or(form)
        }
        f => f,
    };
    // Without a suffix, the shortest form that holds the operands.
    let mut forms = match form {
        None => vec![Form::Base, Form::E64],
        Some(Form::Dpp16) if !mnemonic.ends_with("_dpp") => vec![Form::Dpp16, Form::E64Dpp16],
        Some(Form::Dpp8) if !mnemonic.ends_with("_dpp") => vec![Form::Dpp8, Form::E64Dpp8],
        Some(form) => vec![form],
    };
    forms.retain(|&f| op.supports(f, generation));
    let mut error = format!("{} has no such form", row.spelling(generation));
    for f in forms {
        let built = build(op, f, &operands, &modifiers, generation, lanes, label).and_then(|instr| {
            // Which modifiers a form has beside lane permutation, its encoding knows.
            let held = !f.permutes() || encode::encode(&instr, generation, &mut Vec::new()).is_ok();
            if held {
                Ok(instr)
            } else {
                Err(format!("{} has not all of it in the {f:?} form", row.spelling(generation)))
            }
        });
        match built {
            Ok(instr) => return Ok(instr),
            Err(e) => error = e,
        }
    }
    Err(error)
}

/// Two operations that are issued at once.
fn pair(first: &str, second: &str, generation: Gen, lanes: u32) -> Parsed<Instr> {
    if lanes != 32 {
        return Err("only wave32 issues pairs".into());
    }
    let (mut whole, second) = (half(first, generation)?, half(second, generation)?);
    match (encode::has_literal(&whole), encode::has_literal(&second)) {
        (true, true) if whole.literal != second.literal => {
            return Err(format!("a literal {:#x} beside {:#x}, and a pair holds one", second.literal, whole.literal));
        }
        (false, true) => whole.literal = second.literal,
        _ => {}
    }
    whole.set_second(&second);
    whole.imply();
    legal::check(&whole, generation)?;
    Ok(whole)
}

/// One operation of a pair.
fn half(code: &str, generation: Gen) -> Parsed<Instr> {
    let (mnemonic, rest) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
    let op = Op::find(mnemonic, generation).ok_or_else(|| stranger(mnemonic, generation))?;
    if op.row().format != Format::Vopd {
        return Err(format!("{mnemonic} is no half of a pair"));
    }
    let mut instr = Instr::new(op);
    let operands = split(rest, |c| c == ',');
    for (place, count, text) in operands_of(&mut instr, &operands, generation, &mut |_| 0)? {
        if count != 1 {
            return Err(format!("{mnemonic}: {text} is {count} registers, not 1 ({place:?})"));
        }
    }
    instr.imply();
    Ok(instr)
}

/// S_ENDPGM takes a number or nothing.
fn op_may_name_a_code(op: Op) -> bool {
    let row = op.row();
    matches!(row.sem, Sem::Control(Control::EndPgm)) && row.src.first() == Some(&Ty::Imm16)
}

/// The form that only some modifiers belong to.
fn form_by_modifiers(modifiers: &[&str]) -> Option<Form> {
    modifiers.iter().find_map(|m| match m.split(':').next().unwrap_or(m) {
        "dpp8" => Some(Form::Dpp8),
        "quad_perm" | "row_shl" | "row_shr" | "row_ror" | "row_mirror" | "row_half_mirror" | "row_share"
        | "row_xmask" | "row_bcast" | "wave_shl" | "wave_rol" | "wave_shr" | "wave_ror" => Some(Form::Dpp16),
        "dst_sel" | "dst_unused" | "src0_sel" | "src1_sel" => Some(Form::Sdwa),
        _ => None,
    })
}

fn mnemonic_of(name: &str, generation: Gen) -> Parsed<(Op, Option<Form>)> {
    if let Some(op) = Op::find(name, generation) {
        return Ok((op, if op.supports(Form::E64, generation) { None } else { Some(Form::Base) }));
    }
    let forms = [
        ("_e64_dpp", Form::E64Dpp16),
        ("_e32", Form::Base),
        ("_e64", Form::E64),
        ("_sdwa", Form::Sdwa),
        ("_dpp", Form::Dpp16),
    ];
    for (suffix, form) in forms {
        let Some(op) = name.strip_suffix(suffix).and_then(|name| Op::find(name, generation)) else { continue };
        let row = op.row();
        return match (row.family(generation), form) {
            (Format::Vop3 | Format::Vop3p, Form::Base) => Err(format!("{} has no 32-bit form", row.name)),
            // Elsewhere it has both forms.
            (Format::Vop3, Form::E64) if Gen::ALL.into_iter().any(|g| op.supports(form, g)) => {
                Ok((op, Some(Form::Base)))
            }
            _ => Ok((op, Some(form))),
        };
    }
    Err(stranger(name, generation))
}

/// What is wrong with a mnemonic that the generation does not have.
fn stranger(name: &str, generation: Gen) -> String {
    match Gen::ALL.into_iter().find(|g| Op::find(name, *g).is_some()) {
        Some(other) => format!("no instruction {name} on {}; {} has one", generation.name(), other.name()),
        None => format!("no instruction {name}"),
    }
}

fn build<'t>(
    op: Op,
    form: Form,
    operands: &[&'t str],
    modifiers: &[&'t str],
    generation: Gen,
    lanes: u32,
    label: &mut dyn FnMut(&'t str) -> i32,
) -> Parsed<Instr> {
    let row = op.row();
    let mut instr = Instr::new(op);
    instr.form = form;
    let packed = row.format == Format::Vop3p && row.src.first() != Some(&Ty::Mix);
    if packed {
        instr.mods.op_sel_hi = form.sources(row);
    }
    instr.extra = layout::default_extra(row, form);
    instr.flags = legal::implied(op, generation);
    // Names of temporal hints depend on the scope.
    let hints = |m: &&&str| m.starts_with("th:");
    for m in modifiers.iter().filter(|m| !hints(m)).chain(modifiers.iter().filter(hints)) {
        modifier(&mut instr, m, generation)?;
    }
    let named = operands_of(&mut instr, operands, generation, label)?;
    finish(&mut instr, generation, lanes)?;
    for (place, count, text) in named {
        let wanted = match place {
            Operand::Dst(i) => legal::dst_dwords(&instr, i, lanes),
            Operand::Src(i) => legal::dwords(&instr, row.src[i], lanes),
            _ => continue,
        };
        if wanted != 0 && count != wanted {
            return Err(format!("{}: {text} is {count} registers, not {wanted}", row.name));
        }
    }
    Ok(instr)
}

/// Fills the operands; gives those whose text names a number of registers, with that number.
fn operands_of<'t>(
    instr: &mut Instr,
    operands: &[&'t str],
    generation: Gen,
    label: &mut dyn FnMut(&'t str) -> i32,
) -> Parsed<Vec<(Operand, u32, &'t str)>> {
    let (op, row) = (instr.op, instr.op.row());
    let mut order = disasm::text_order(instr);
    if op_may_name_a_code(op) {
        order = if operands.is_empty() { Vec::new() } else { vec![Operand::Src(0)] };
    }
    if order.len() != operands.len() {
        return Err(format!("{} takes {} operands, not {}", row.name, order.len(), operands.len()));
    }
    let mut named = Vec::new();
    for (&place, text) in order.iter().zip(operands) {
        let mut sized = |(src, count): (Src, Option<u32>)| {
            named.extend(count.map(|n| (place, n, *text)));
            src
        };
        match place {
            Operand::Dst(i) => instr.dst[i] = sized(source(instr, text, row.dst[i], None, generation)?),
            Operand::Attribute => operands::attribute(instr, text)?,
            Operand::Target => operands::target(instr, text, generation)?,
            Operand::Offset => instr.imm = offset(text)?,
            Operand::Component(i) => operands::component(instr, text, generation, i)?,
            Operand::Src(1) if row.format == Format::Smem && !row.src.contains(&Ty::Length) => {
                scalar_offset(instr, text, generation)?
            }
            Operand::Src(i) => match row.src[i] {
                Ty::Imm16 => instr.imm = immediate(instr, text, generation, label)?,
                Ty::SOffset if row.src.contains(&Ty::Length) && *text == "null" => {}
                Ty::Probe | Ty::Length => {
                    let value = integer(text).ok().and_then(|v| u8::try_from(v).ok());
                    instr.extra = Extra::Probe(value.ok_or_else(|| format!("{text} is outside of 0 … 127"))?);
                }
                Ty::Param => instr.src[i] = operands::parameter(text)?,
                Ty::ImageAddr => instr.src[i] = operands::image_address(instr, text, generation)?,
                Ty::Lit32 => {
                    let of = row.dst.first().filter(|_| row.format != Format::Sopk);
                    instr.src[i] = set_literal(instr, constants::literal(text, of.copied())?, Ty::Lit32, text)?;
                }
                ty => instr.src[i] = sized(source(instr, text, ty, Some(i), generation)?),
            },
        }
    }
    Ok(named)
}

/// A constant offset.
fn offset(text: &str) -> Parsed<i32> {
    i32::try_from(integer(text)?).map_err(|_| format!("offset {text} is too large"))
}

/// Fills what the text implies and refuses what the form cannot hold.
fn finish(instr: &mut Instr, generation: Gen, lanes: u32) -> Parsed<()> {
    let row = instr.op.row();
    let named = (instr.dst, instr.src);
    if let Some(data) = layout::atomic_data(row) {
        instr.dst[0] = if instr.cache.returns { instr.src[data] } else { Src::NONE };
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
    let vector = matches!(row.family(generation), Format::Vop1 | Format::Vop2 | Format::Vopc);
    let halves = if row.dst.contains(&Ty::Half) { 0 } else { m.op_sel };
    if vector && instr.form == Form::Base && (m.neg | m.abs | m.omod | halves != 0 || m.clamp) {
        return Err(format!("{} takes no modifiers in its 32-bit form", row.name));
    }
    let scalar = |s: Src| s.is_sgpr() || s == Src::NULL || layout::read_only(s);
    let masks = row.dst.iter().zip(&instr.dst).chain(row.src.iter().zip(&instr.src));
    for (_, mask) in masks.filter(|(t, _)| matches!(t, Ty::Mask | Ty::Vcc)) {
        if lanes == 64 && mask.0 < 106 && mask.0 % 2 != 0 {
            return Err(format!("{}: a lane mask of wave64 begins at an even SGPR, not {mask:?}", row.name));
        }
    }
    for (i, &ty) in row.dst.iter().enumerate().take(2) {
        let d = instr.dst[i];
        if !instr.form.encodes(row, ty) || d == Src::NONE {
            continue;
        }
        let wants_scalar = matches!(ty, Ty::Mask | Ty::Vcc)
            || layout::scalar_dst(row)
            || matches!(row.format, Format::Sop1 | Format::Sop2 | Format::Sopk | Format::Smem);
        if wants_scalar && !scalar(d) || !wants_scalar && !d.is_vgpr() {
            return Err(format!("{}: destination cannot be {d:?}", row.name));
        }
    }
    // Wave64 needs half as many bits of index, so that a register holds twice as many.
    let keys = match (row.src.get(2), lanes) {
        (Some(Ty::Sparse8), 32) | (Some(Ty::Sparse16), _) | (Some(Ty::Sparse32), 64) => 1,
        (Some(Ty::Sparse32), _) => 0,
        _ => u8::MAX,
    };
    if m.op_sel > keys {
        return Err(format!("{}: no index {} in wave{lanes}", row.name, m.op_sel));
    }
    legal::check(instr, generation)
}
