//! Operations on numbers without a meaningful result.

use crate::site::{Argument, Numeric, ScalarKind};
use std::fmt;

/// An operation with the values of the first lane for which it is so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    pub what: Numeric,
    /// An operator, or a function.
    pub name: String,
    /// Of the first operand.
    pub bits: u32,
    /// As text; vectors in brackets.
    pub operands: Vec<String>,
    pub result: String,
    /// A component of the second operand is zero; one of the result is NaN.
    zero: bool,
    nan: bool,
}

/// The scalars of a message, and the rest of it.
fn scalars<'a>(argument: &Argument, payload: &'a [u32]) -> Option<(Vec<Scalar>, &'a [u32])> {
    let dwords = if argument.bits == 64 { 2 } else { 1 };
    let (own, rest) = payload.split_at_checked(dwords * argument.components as usize)?;
    let scalar = |d: &[u32]| {
        let bits = u64::from(d[0]) | d.get(1).map_or(0, |&high| u64::from(high) << 32);
        match (argument.scalar, argument.bits) {
            (ScalarKind::Float, 64) => Scalar::Double(f64::from_bits(bits)),
            (ScalarKind::Float, _) => Scalar::Float(f32::from_bits(bits as u32)),
            (ScalarKind::Int, 64) => Scalar::Int(bits as i64),
            (ScalarKind::Int, _) => Scalar::Int((bits as u32 as i32).into()),
            _ => Scalar::Uint(bits),
        }
    };
    Some((own.chunks_exact(dwords).map(scalar).collect(), rest))
}

enum Scalar {
    Float(f32),
    Double(f64),
    Int(i64),
    Uint(u64),
}

impl Scalar {
    fn is_zero(&self) -> bool {
        matches!(self, Scalar::Float(0.0) | Scalar::Double(0.0) | Scalar::Int(0) | Scalar::Uint(0))
    }

    fn is_nan(&self) -> bool {
        matches!(self, Scalar::Float(x) if x.is_nan()) || matches!(self, Scalar::Double(x) if x.is_nan())
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Float(x) => write!(f, "{x:?}"),
            Scalar::Double(x) => write!(f, "{x:?}"),
            Scalar::Int(x) => write!(f, "{x}"),
            Scalar::Uint(x) => write!(f, "{x}"),
        }
    }
}

fn text(scalars: &[Scalar]) -> String {
    let all: Vec<String> = scalars.iter().map(Scalar::to_string).collect();
    match &all[..] {
        // Too many to be sent.
        [] => "…".into(),
        [one] => one.clone(),
        _ => format!("({})", all.join(", ")),
    }
}

impl Number {
    /// What a message of a site means.
    pub(crate) fn of(what: Numeric, name: &str, bits: u32, values: &[Argument], mut payload: &[u32]) -> Option<Number> {
        let mut all = Vec::new();
        for argument in values {
            let (own, rest) = scalars(argument, payload)?;
            all.push(own);
            payload = rest;
        }
        let result = all.pop()?;
        Some(Number {
            what,
            name: name.into(),
            bits,
            zero: all.get(1).is_some_and(|v| v.iter().any(Scalar::is_zero)),
            nan: result.iter().any(Scalar::is_nan),
            operands: all.iter().map(|v| text(v)).collect(),
            result: text(&result),
        })
    }

    /// In a word or two.
    pub fn slug(&self) -> &'static str {
        match self.what {
            Numeric::Division if self.zero => "division-by-zero",
            Numeric::Division => "overflow",
            Numeric::NotFinite if self.zero && matches!(self.name.as_str(), "/" | "%") => "division-by-zero",
            Numeric::NotFinite if self.nan => "nan",
            Numeric::NotFinite => "infinity",
            Numeric::Shift => "shift",
            Numeric::BitField => "bit-field",
            Numeric::Conversion => "conversion",
            Numeric::Clamp => "clamp",
            Numeric::Domain => "domain",
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.slug() {
            "division-by-zero" => write!(f, "division by zero: ")?,
            "overflow" => write!(f, "a quotient that the type does not have: ")?,
            "nan" => write!(f, "NaN of finite numbers: ")?,
            "infinity" => write!(f, "infinity of finite numbers: ")?,
            "shift" => write!(f, "a shift by no less than the {} bits that there are: ", self.bits)?,
            "bit-field" => write!(f, "a bit field that is not inside of its {} bits: ", self.bits)?,
            "conversion" => write!(f, "a number that the type does not have: ")?,
            "clamp" => write!(f, "a least value above the greatest: ")?,
            _ => write!(f, "outside of what it is defined for: ")?,
        }
        let Number { name, operands, .. } = self;
        match &operands[..] {
            [a, b] if !name.starts_with(char::is_alphabetic) => write!(f, "{a} {name} {b}"),
            all => write!(f, "{name}({})", all.join(", ")),
        }?;
        match self.what {
            Numeric::NotFinite => write!(f, " is {}", self.result),
            _ => Ok(()),
        }
    }
}
