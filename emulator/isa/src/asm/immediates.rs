//! Immediates that have names in them.

use super::constants::{integer, within};
use super::{Parsed, is_name, split};
use crate::disasm;
use crate::generation::{Gen, number_of};
use crate::instr::Instr;
use crate::legal;
use crate::row::{Control, Format, Sem, Ty};
use crate::wait::Counter;

/// Arguments of `name(a, b, …)`.
fn call<'t>(text: &'t str, name: &str) -> Option<Vec<&'t str>> {
    let inner = text.strip_prefix(name)?.trim_start().strip_prefix('(')?.strip_suffix(')')?;
    Some(inner.split(',').map(str::trim).collect())
}

pub(super) fn swizzle(text: &str) -> Parsed<u32> {
    let bad = || format!("no swizzle {text}");
    let args = call(text, "swizzle").ok_or_else(bad)?;
    let n = |i: usize, low, high| args.get(i).ok_or_else(bad).and_then(|a| within(a, low, high));
    let power = |v: u32| if v.is_power_of_two() { Ok(v) } else { Err(format!("{v} is no power of two")) };
    let arguments = match args[0] {
        "QUAD_PERM" => 4,
        "BROADCAST" => 2,
        _ => 1,
    };
    if args.len() != 1 + arguments {
        return Err(bad());
    }
    Ok(match args[0] {
        "QUAD_PERM" => 0x8000 | n(1, 0, 3)? | n(2, 0, 3)? << 2 | n(3, 0, 3)? << 4 | n(4, 0, 3)? << 6,
        "SWAP" => power(n(1, 1, 16)?)? << 10 | 31,
        "REVERSE" => (power(n(1, 2, 32)?)? - 1) << 10 | 31,
        "BROADCAST" => {
            let group = power(n(1, 2, 32)?)?;
            n(2, 0, group - 1)? << 5 | (32 - group)
        }
        "BITMASK_PERM" => {
            let pattern = args.get(1).ok_or_else(bad)?.trim_matches('"');
            if pattern.chars().count() != 5 {
                return Err(bad());
            }
            let mut value = 0;
            for (i, c) in pattern.chars().rev().enumerate() {
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

fn at_most(args: &[&str], most: usize, text: &str) -> Parsed<()> {
    if args.len() > most { Err(format!("{text}: {} arguments, of {most} at most", args.len())) } else { Ok(()) }
}

pub(super) fn immediate<'t>(
    instr: &Instr,
    text: &'t str,
    generation: Gen,
    label: &mut dyn FnMut(&'t str) -> i32,
) -> Parsed<i32> {
    let row = instr.op.row();
    if let Some(args) = call(text, "hwreg") {
        at_most(&args, 3, text)?;
        let id = number_of(disasm::HWREGS, args[0], generation).map_or_else(|| within(args[0], 0, 63), Ok)?;
        let n = |i: usize, default, low, high| args.get(i).map_or(Ok(default), |a| within(a, low, high));
        return Ok((id | n(1, 0, 0, 31)? << 6 | (n(2, 32, 1, 32)? - 1) << 11) as i16 as i32);
    }
    if let Some(args) = call(text, "sendmsg") {
        at_most(&args, 3, text)?;
        return message(&args, generation).map(|v| v as i16 as i32);
    }
    if let Some(args) = call(text, "gpr_idx").filter(|_| legal::indexes(instr.op)) {
        let bit = |name: &&str| disasm::INDEXED.iter().position(|n| n == name).map(|n| 1 << n);
        let mut bits = 0;
        for name in args.iter().filter(|name| !name.is_empty()) {
            bits |= bit(name).ok_or_else(|| format!("{text}: no operand {name}"))?;
        }
        return Ok(bits);
    }
    match row.sem {
        Sem::Control(Control::Waitcnt) if !text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
            return counters(text, Counter::all_bits(generation), |name| {
                let counter = Counter::ALL.into_iter().find(|c| c.name() == name)?;
                Some(counter.fields(generation).to_vec()).filter(|f| !f.is_empty())
            });
        }
        Sem::Control(Control::Nop) if row.format == Format::Sopp && text.starts_with("depctr_") => {
            let (fields, nothing) = disasm::depctr_fields(generation);
            return counters(text, nothing, |name| {
                fields.iter().find(|(n, ..)| *n == name).map(|&(_, low, width)| vec![(low, width)])
            });
        }
        Sem::Control(Control::Nop) if row.format == Format::Sopp && text.starts_with("inst") => return delays(text),
        Sem::Control(Control::Nop) if row.format == Format::Sopk && text.contains("UC_VERSION") => {
            return version(text);
        }
        _ => {}
    }
    let unsigned = row.src.first() == Some(&Ty::U32)
        || matches!(
            row.sem,
            Sem::Control(
                Control::EndPgm
                    | Control::GetReg
                    | Control::SetReg
                    | Control::SetRegImm32
                    | Control::SendMsg
                    | Control::SendMsgHalt
            )
        );
    match integer(text) {
        Ok(v @ -0x8000..0) if unsigned => Err(format!("{v} is below zero, and the constant has no sign")),
        Ok(v @ -0x8000..=0xffff) => Ok(v as i16 as i32),
        Ok(_) => Err(format!("{text} needs more than 16 bits")),
        Err(_) if is_name(text) && matches!(row.format, Format::Sopp | Format::Sopk) => Ok(label(text)),
        Err(e) => Err(e),
    }
}

/// Names and numbers between `|`, whatever brackets are around them.
fn version(text: &str) -> Parsed<i32> {
    let mut bits = 0;
    for part in text.split('|').map(|part| part.trim_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ')'))) {
        bits |= match disasm::VERSIONS.iter().chain(&disasm::VERSION_BITS).find(|(_, name)| *name == part) {
            Some((value, _)) => *value,
            None => within(part, 0, 0xffff)?,
        };
    }
    Ok(bits as u16 as i16 as i32)
}

/// `name(value)` …, each into its (low bit, width) pieces of a word that is `start` before.
fn counters(text: &str, start: u32, pieces: impl Fn(&str) -> Option<Vec<(u32, u32)>>) -> Parsed<i32> {
    let mut word = start;
    for part in split(text, |c| c.is_whitespace() || matches!(c, '&' | ',')) {
        let bad = || format!("no counter {part}");
        let (name, value) = part.strip_suffix(')').and_then(|p| p.split_once('(')).ok_or_else(bad)?;
        let mut rest = within(value, 0, u32::MAX)?;
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

/// `instid0(…) | instskip(…) | instid1(…)`, or some of them.
fn delays(text: &str) -> Parsed<i32> {
    let mut word = 0;
    for part in text.split('|').map(str::trim) {
        let bad = || format!("no delay {part}");
        let (name, value) = part.strip_suffix(')').and_then(|p| p.split_once('(')).ok_or_else(bad)?;
        let &(_, low, _, names) = disasm::DELAYS.iter().find(|(n, ..)| *n == name).ok_or_else(bad)?;
        word |= (names.iter().position(|n| *n == value).ok_or_else(bad)? as i32 + 1) << low;
    }
    Ok(word)
}

fn message(args: &[&str], generation: Gen) -> Parsed<u32> {
    let wide = generation.caps().wide_messages;
    let numbered = number_of(disasm::MESSAGES, args[0], generation);
    let operated = number_of(disasm::OPERATED, args[0], generation);
    let id = match numbered.or(operated) {
        Some(n) => n,
        None => within(args[0], 0, if wide { 255 } else { 15 })?,
    };
    let op = match args.get(1) {
        None => 0,
        Some(name) => {
            let gs = disasm::GS_OPS.iter().position(|n| n == name).map(|n| n as u32);
            match gs.or_else(|| number_of(disasm::SYSMSG_OPS, name, generation)) {
                Some(n) => n,
                None => within(name, 0, 7)?,
            }
        }
    };
    if args[0].starts_with("MSG_") && op == 0 && args.len() > 1 && args[0] != "MSG_GS_DONE" {
        return Err(format!("{} has no operation 0", args[0]));
    }
    let stream = args.get(2).map_or(Ok(0), |s| within(s, 0, 3))?;
    if wide && op | stream != 0 {
        return Err(format!("messages of {} have no operations", generation.name()));
    }
    Ok(id | op << 4 | stream << 8)
}
