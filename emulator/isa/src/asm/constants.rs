//! Numbers as operands: an inline constant, a literal, or a refusal.
//!
//! A number in text is a value, and which bits stand for it is the operand's matter: the same `0xffffffff` is −1 where 32 bits
//! are read, and 2³²−1 where 64 are. Rules are llvm-mc's, but where it would assemble another value than is written: those are
//! refused here (tests/constants.rs lists them).

use std::ops::RangeInclusive;

use super::Parsed;
use crate::alu::f16_bits;
use crate::reg::Src;
use crate::row::Ty;

/// A number as it is written.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Number {
    /// 64 bits, of which the text may mean the unsigned value.
    Int(i64),
    Float(f64),
}

/// A constant operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Constant {
    Inline(Src),
    Literal(u32),
}

/// How an operand reads 32 bits of a literal, and which inline constants it knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Width {
    /// 16 bits, with inline floats of 32.
    Half,
    HalfFloat,
    /// An f16 in text, as llvm-mc has it; but a literal has 32 bits, and is printed so.
    Mix,
    /// Two halves; the inline floats are of 32 bits.
    Pair,
    /// Two halves; the inline floats stand in the lower one.
    PairFloat,
    Word,
    /// 64 bits: the literal is the lower half.
    Wide,
    /// 64 bits: the literal is the upper half.
    Double,
}

fn width(ty: Ty) -> Width {
    match ty {
        Ty::U16 | Ty::I16 | Ty::B16 | Ty::Bf16 | Ty::Half => Width::Half,
        Ty::F16 | Ty::F16Hi => Width::HalfFloat,
        Ty::Mix => Width::Mix,
        Ty::PkU16 | Ty::PkBf16 => Width::Pair,
        Ty::PkF16 => Width::PairFloat,
        Ty::F64 => Width::Double,
        Ty::B64 | Ty::U64 | Ty::I64 | Ty::Addr64 => Width::Wide,
        _ => Width::Word,
    }
}

/// The constant that an operand of `ty` reads as the number.
pub(super) fn constant(text: &str, ty: Ty) -> Parsed<Constant> {
    let width = width(ty);
    match number(text)? {
        Number::Int(v) => of_integer(text, v, width),
        Number::Float(v) => of_float(text, v, width),
    }
}

/// The 32 bits of a literal that its row always has: of an f16, an f32, or, where neither is computed with, any bits. All 32
/// may be given of an f16 too, as they are printed.
pub(super) fn literal(text: &str, ty: Option<Ty>) -> Parsed<u32> {
    match (number(text)?, ty) {
        (Number::Int(v), Some(Ty::F16)) if fits(v, 16) => Ok(v as u32 & 0xffff),
        (Number::Int(v), _) if fits(v, 32) => Ok(v as u32),
        (Number::Int(_), _) => Err(format!("{text} needs more than 32 bits")),
        (Number::Float(_), None) => Err(format!("{text}: no float stands here")),
        (Number::Float(v), Some(Ty::F16)) => half_of(text, v),
        (Number::Float(v), Some(_)) => single_of(text, v),
    }
}

fn of_integer(text: &str, v: i64, width: Width) -> Parsed<Constant> {
    let bits = if matches!(width, Width::Half | Width::HalfFloat) { 16 } else { 32 };
    let inline = match width {
        Width::Wide | Width::Double => wide_inline(v as u64),
        _ if !fits(v, bits) => None,
        Width::Half | Width::Pair | Width::Word => Src::inline(v as u32),
        Width::HalfFloat => half_inline(v as i16 as u16),
        Width::Mix if fits(v, 16) => half_inline(v as i16 as u16),
        Width::Mix => None,
        Width::PairFloat => pair_inline(v as u32),
    };
    match inline {
        Some(src) => Ok(Constant::Inline(src)),
        None if !fits(v, bits) => Err(format!("{text} needs more than {bits} bits")),
        // The upper half of a double is what its literal gives, so that is looked at again.
        None if width == Width::Double => {
            let inline = wide_inline((v as u64) << 32);
            Ok(inline.map_or(Constant::Literal(v as u32), Constant::Inline))
        }
        None if bits == 16 || width == Width::Mix && fits(v, 16) => Ok(Constant::Literal(v as u32 & 0xffff)),
        None => Ok(Constant::Literal(v as u32)),
    }
}

fn of_float(text: &str, v: f64, width: Width) -> Parsed<Constant> {
    let inline_or = |inline: Option<Src>, bits| inline.map_or(Constant::Literal(bits), Constant::Inline);
    Ok(match width {
        Width::Word | Width::Pair => {
            let bits = single_of(text, v)?;
            inline_or(Src::inline(bits), bits)
        }
        Width::HalfFloat | Width::Mix => {
            let bits = half_of(text, v)?;
            inline_or(half_inline(bits as u16), bits)
        }
        Width::PairFloat => {
            let bits = half_of(text, v)?;
            inline_or(pair_inline(bits), bits)
        }
        Width::Half => match Src::inline(single_of(text, v)?) {
            Some(src) => Constant::Inline(src),
            None => return Err(format!("{text} is no inline constant, and a 16-bit integer has no other float")),
        },
        Width::Wide => match wide_inline(v.to_bits()) {
            Some(src) => Constant::Inline(src),
            None => return Err(format!("{text} is no inline constant, and a 64-bit integer has no other float")),
        },
        Width::Double => match (wide_inline(v.to_bits()), v.to_bits()) {
            (Some(src), _) => Constant::Inline(src),
            (None, bits) if bits as u32 == 0 => Constant::Literal((bits >> 32) as u32),
            _ => return Err(format!("{text} has more bits than the upper half of a double, which a literal gives")),
        },
    })
}

/// Whether `bits` bits hold the value, signed or not.
fn fits(v: i64, bits: u32) -> bool {
    (-1i64 << (bits - 1)..1i64 << bits).contains(&v)
}

/// The inline constant that 64 bits read as these.
fn wide_inline(bits: u64) -> Option<Src> {
    match bits as i64 {
        -16..=64 => Src::inline(bits as u32),
        _ if bits == 0x3fc4_5f30_6dc9_c882 => Some(Src::INV_2PI),
        _ => (240..248)
            .map(Src)
            .find(|s| s.inline_value().is_some_and(|v| f64::from(f32::from_bits(v)).to_bits() == bits)),
    }
}

/// The inline constant that an f16 reads as these bits.
fn half_inline(bits: u16) -> Option<Src> {
    match bits as i16 {
        n @ -16..=64 => Src::inline(i32::from(n) as u32),
        _ => (240..=248).map(Src).find(|s| s.half_value() == Some(bits.into())),
    }
}

/// The inline constant that a pair of f16 reads as these bits.
fn pair_inline(bits: u32) -> Option<Src> {
    match bits as i32 {
        -16..=64 => Src::inline(bits),
        _ => (240..=248).map(Src).find(|s| s.half_value() == Some(bits)),
    }
}

/// The nearest f32; what is too large or too small for one is refused, as is what would lose bits in its denormals.
fn single_of(text: &str, v: f64) -> Parsed<u32> {
    let near = v as f32;
    let denormal = near.abs() < f32::MIN_POSITIVE;
    if near.is_infinite() && v.is_finite() || denormal && f64::from(near) != v {
        return Err(format!("{text} is outside of a float's range"));
    }
    Ok(near.to_bits())
}

/// The nearest f16, as [`single_of`].
fn half_of(text: &str, v: f64) -> Parsed<u32> {
    let bits = f16_bits(v);
    const SMALLEST_NORMAL: f64 = 6.103515625e-5;
    let (infinite, denormal) = (bits & 0x7fff == 0x7c00, bits & 0x7c00 == 0);
    let exact = f64::from(bits & 0x3ff) * (SMALLEST_NORMAL / 1024.0) == v.abs();
    if infinite && v.is_finite() || denormal && !exact {
        return Err(format!("{text} is outside of a half float's range"));
    }
    Ok(bits)
}

fn number(text: &str) -> Parsed<Number> {
    if let Ok(v) = integer(text) {
        return Ok(Number::Int(v));
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let float = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.').then(|| text.parse().ok()).flatten();
    float.map(Number::Float).ok_or_else(|| format!("{text} is neither a register nor a number"))
}

/// A whole number of 64 bits, signed or not.
pub(super) fn integer(text: &str) -> Parsed<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(t) => (true, t),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) if hex.starts_with(|c: char| c.is_ascii_hexdigit()) => u64::from_str_radix(hex, 16),
        _ if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse(),
        _ => return Err(format!("{text} is no integer")),
    };
    let value = value.map_err(|_| format!("{text} is no integer of 64 bits"))?;
    match negative {
        true if value > 1 << 63 => Err(format!("{text} is no integer of 64 bits")),
        true => Ok((value as i64).wrapping_neg()),
        false => Ok(value as i64),
    }
}

/// A number from `low` up to `high`.
pub(super) fn within(text: &str, low: u32, high: u32) -> Parsed<u32> {
    match integer(text)? {
        v if (i64::from(low)..=i64::from(high)).contains(&v) => Ok(v as u32),
        _ => Err(format!("{text} is outside of {low} … {high}")),
    }
}

/// `[a, b, …]`, `count` numbers from 0 up to `most`.
pub(super) fn list(text: &str, counts: RangeInclusive<usize>, most: u32) -> Parsed<Vec<u32>> {
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).ok_or_else(|| format!("{text} is no list"))?;
    let all: Vec<u32> = inner.split(',').map(|n| within(n.trim(), 0, most)).collect::<Parsed<_>>()?;
    if !counts.contains(&all.len()) {
        return Err(format!("{text} lists {} numbers, not {} to {}", all.len(), counts.start(), counts.end()));
    }
    Ok(all)
}
