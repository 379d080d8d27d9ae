//! Element types of typed data: scalars in memory, and vectors of them.

use crate::failure::{Failure, Result};
use half::f16;
use std::str::FromStr;

/// A scalar in memory, little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    U8,
    I8,
    U16,
    I16,
    F16,
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
}

/// Vectors by GLSL's names.
const VECTORS: [(&str, Scalar); 4] =
    [("vec", Scalar::F32), ("uvec", Scalar::U32), ("ivec", Scalar::I32), ("dvec", Scalar::F64)];

const SCALARS: [(&str, Scalar, usize); 11] = [
    ("u8", Scalar::U8, 1),
    ("i8", Scalar::I8, 1),
    ("u16", Scalar::U16, 2),
    ("i16", Scalar::I16, 2),
    ("f16", Scalar::F16, 2),
    ("u32", Scalar::U32, 4),
    ("i32", Scalar::I32, 4),
    ("f32", Scalar::F32, 4),
    ("u64", Scalar::U64, 8),
    ("i64", Scalar::I64, 8),
    ("f64", Scalar::F64, 8),
];

/// A number, wide enough for every scalar.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    Int(i128),
    Float(f64),
}

impl Scalar {
    pub fn bytes(self) -> usize {
        SCALARS.iter().find(|s| s.1 == self).map_or(4, |s| s.2)
    }

    pub fn name(self) -> &'static str {
        SCALARS.iter().find(|s| s.1 == self).map_or("?", |s| s.0)
    }

    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }

    /// Parses one number of this type: decimal, 0x…, or float.
    pub fn parse(self, text: &str) -> Result<Number> {
        let text = text.trim();
        let bad = || Failure::usage(format!("`{text}` is no {}", self.name()));
        if self.is_float() {
            return text.parse().map(Number::Float).map_err(|_| bad());
        }
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |d| (-1, d));
        let value = match digits.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => i128::from_str(digits),
        };
        let value = sign * value.map_err(|_| bad())?;
        let bits = 8 * self.bytes() as u32;
        if value < -(1i128 << (bits - 1)) || value >= 1i128 << bits {
            return Err(Failure::usage(format!("{text} does not fit into {}", self.name())));
        }
        Ok(Number::Int(value))
    }

    /// A number of another type as one of this: integers that fit, integers and floats as floats.
    pub fn take(self, number: Number) -> Result<Number> {
        match number {
            Number::Int(i) if self.is_float() => Ok(Number::Float(i as f64)),
            Number::Int(i) => self.parse(&i.to_string()),
            Number::Float(_) if self.is_float() => Ok(number),
            Number::Float(f) => Err(Failure::usage(format!("{f:?} is a float, and the shader has {}", self.name()))),
        }
    }

    /// Uniform from 64 random bits: floats in [0, 1), integers over their whole range.
    pub fn random(self, bits: u64) -> Number {
        match self {
            // 11 bits are exact in every float type, so rounding never reaches 1.
            Scalar::F16 => Number::Float((bits >> 53) as f64 / 2048.0),
            Scalar::F32 | Scalar::F64 => Number::Float((bits >> 40) as f64 / 16_777_216.0),
            _ => Number::Int(bits.into()),
        }
    }

    /// Appends a number's bytes.
    pub fn put(self, number: Number, out: &mut Vec<u8>) {
        let int = match number {
            Number::Int(i) => i,
            Number::Float(f) => f as i128,
        };
        let float = number.float();
        match self {
            Scalar::F16 => out.extend(f16::from_f64(float).to_le_bytes()),
            Scalar::F32 => out.extend((float as f32).to_le_bytes()),
            Scalar::F64 => out.extend(float.to_le_bytes()),
            _ => out.extend(&int.to_le_bytes()[..self.bytes()]),
        }
    }

    /// Reads the number at the start of `bytes`.
    pub fn get(self, bytes: &[u8]) -> Number {
        let mut raw = [0u8; 8];
        raw[..self.bytes()].copy_from_slice(&bytes[..self.bytes()]);
        let u = u64::from_le_bytes(raw);
        match self {
            Scalar::F16 => Number::Float(f16::from_bits(u as u16).to_f64()),
            Scalar::F32 => Number::Float(f64::from(f32::from_bits(u as u32))),
            Scalar::F64 => Number::Float(f64::from_bits(u)),
            Scalar::I8 => Number::Int(i128::from(u as i8)),
            Scalar::I16 => Number::Int(i128::from(u as i16)),
            Scalar::I32 => Number::Int(i128::from(u as i32)),
            Scalar::I64 => Number::Int(i128::from(u as i64)),
            _ => Number::Int(i128::from(u)),
        }
    }

    /// The shortest text that reads back as the same value.
    pub fn text(self, bytes: &[u8]) -> String {
        match self.get(bytes) {
            Number::Int(i) => i.to_string(),
            Number::Float(f) if self == Scalar::F32 => format!("{}", f as f32),
            Number::Float(f) if self == Scalar::F16 => format!("{}", f16::from_f64(f)),
            Number::Float(f) => format!("{f}"),
        }
    }
}

impl Number {
    /// A number in decimal.
    pub fn parse(text: &str) -> Option<Number> {
        let float = || text.trim().parse().ok().map(Number::Float);
        text.trim().parse().ok().map(Number::Int).or_else(float)
    }

    pub fn float(self) -> f64 {
        match self {
            Number::Int(i) => i as f64,
            Number::Float(f) => f,
        }
    }
}

/// `f32`, `u32x4`/`vec4`, … : a scalar and how many of them make an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Element {
    pub scalar: Scalar,
    pub lanes: usize,
}

impl Element {
    pub fn bytes(self) -> usize {
        self.scalar.bytes() * self.lanes
    }
}

impl std::fmt::Display for Element {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let vector = VECTORS.iter().find(|v| v.1 == self.scalar && (2..=4).contains(&self.lanes));
        match (self.lanes, vector) {
            (1, _) => write!(f, "{}", self.scalar.name()),
            (n, Some((name, _))) => write!(f, "{name}{n}"),
            (n, None) => write!(f, "{}x{n}", self.scalar.name()),
        }
    }
}

impl FromStr for Element {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Element> {
        if let Some(found) = SCALARS.iter().find(|s| s.0 == text) {
            return Ok(Element { scalar: found.1, lanes: 1 });
        }
        for (prefix, scalar) in VECTORS {
            if let Some(n) = text.strip_prefix(prefix).and_then(|n| n.parse().ok()).filter(|n| (2..=4).contains(n)) {
                return Ok(Element { scalar, lanes: n });
            }
        }
        if let Some((scalar, n)) = text.split_once('x')
            && let Some(found) = SCALARS.iter().find(|s| s.0 == scalar)
            && let Some(n) = n.parse().ok().filter(|n| (2..=16).contains(n))
        {
            return Ok(Element { scalar: found.1, lanes: n });
        }
        Err(Failure::usage(format!(
            "`{text}` is no element type; there are {}, vec2…4, uvec2…4, ivec2…4, dvec2…4, and TYPExN",
            SCALARS.map(|s| s.0).join(", ")
        )))
    }
}
