//! Typed data: what `--buffer`, `--push` and `--spec` hold, how it is made, and how it is printed.

use crate::failure::{Failure, Result, read_file};
use half::f16;
use std::path::Path;
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

    /// Appends a number's bytes.
    pub fn put(self, number: Number, out: &mut Vec<u8>) {
        let int = match number {
            Number::Int(i) => i,
            Number::Float(f) => f as i128,
        };
        let float = match number {
            Number::Int(i) => i as f64,
            Number::Float(f) => f,
        };
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

impl FromStr for Element {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Element> {
        if let Some(found) = SCALARS.iter().find(|s| s.0 == text) {
            return Ok(Element { scalar: found.1, lanes: 1 });
        }
        let vector = [("vec", Scalar::F32), ("uvec", Scalar::U32), ("ivec", Scalar::I32), ("dvec", Scalar::F64)];
        for (prefix, scalar) in vector {
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

/// `TYPE[N]`, where N may be a product such as 512*512.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    pub element: Element,
    pub count: usize,
}

impl Shape {
    pub fn bytes(self) -> usize {
        self.element.bytes() * self.count
    }
}

impl FromStr for Shape {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Shape> {
        let (name, count) = match text.strip_suffix(']').and_then(|t| t.split_once('[')) {
            Some((name, count)) => (name, count),
            None => (text, "1"),
        };
        let mut factors = count.split('*').map(|f| f.trim().parse::<usize>().ok());
        let count = factors
            .try_fold(1usize, |product, f| product.checked_mul(f?))
            .filter(|&n| n > 0)
            .ok_or_else(|| Failure::usage(format!("`{text}`: the count is a number or a product such as 512*512")))?;
        let element: Element = name.trim().parse()?;
        if element.bytes().checked_mul(count).is_none_or(|bytes| bytes > u32::MAX as usize) {
            return Err(Failure::usage(format!("`{text}` is over 4 GiB, more than a buffer descriptor's range")));
        }
        Ok(Shape { element, count })
    }
}

/// What a buffer holds before the run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Init {
    #[default]
    Zero,
    /// 0, 1, 2, … in every scalar.
    Iota,
    /// Uniform random: floats in [0, 1), integers over their whole range. The same on every run and host.
    Rand,
    /// Raw bytes, a PNG (as RGBA8) or a JSON array.
    File(String),
}

impl From<&str> for Init {
    fn from(text: &str) -> Init {
        match text {
            "zero" | "" => Init::Zero,
            "iota" => Init::Iota,
            "rand" => Init::Rand,
            file => Init::File(file.to_owned()),
        }
    }
}

/// Bytes of a buffer. `folder` is what a relative FILE is relative to.
pub fn fill(shape: Shape, init: &Init, folder: &Path) -> Result<Vec<u8>> {
    let scalar = shape.element.scalar;
    let scalars = shape.count * shape.element.lanes;
    let mut out = Vec::with_capacity(shape.bytes());
    match init {
        Init::Zero => out.resize(shape.bytes(), 0),
        Init::Iota => (0..scalars).for_each(|i| scalar.put(Number::Int(i as i128), &mut out)),
        Init::Rand => {
            // SplitMix64 (Steele, Lea, Flood 2014): tiny, and the same everywhere.
            let mut state = 0x9e37_79b9_7f4a_7c15u64;
            for _ in 0..scalars {
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                let z = z ^ z >> 31;
                match scalar.is_float() {
                    // 11 bits are exact in every float type, so rounding never reaches 1.
                    true if scalar == Scalar::F16 => scalar.put(Number::Float((z >> 53) as f64 / 2048.0), &mut out),
                    true => scalar.put(Number::Float((z >> 40) as f64 / 16_777_216.0), &mut out),
                    false => out.extend(&z.to_le_bytes()[..scalar.bytes()]),
                }
            }
        }
        Init::File(name) => {
            let path = folder.join(name);
            out = match path.extension().and_then(|e| e.to_str()) {
                Some("png") => crate::picture::read(&path)?,
                Some("json") => json_numbers(&path, scalar)?,
                _ => read_file(&path)?,
            };
            if out.len() > shape.bytes() {
                return Err(Failure::usage(format!(
                    "{} holds {} bytes, the buffer only {}: raise its count",
                    path.display(),
                    out.len(),
                    shape.bytes()
                )));
            }
            out.resize(shape.bytes(), 0);
        }
    }
    Ok(out)
}

fn json_numbers(path: &Path, scalar: Scalar) -> Result<Vec<u8>> {
    let value: serde_json::Value =
        serde_json::from_slice(&read_file(path)?).map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?;
    fn walk(v: &serde_json::Value, scalar: Scalar, out: &mut Vec<u8>) -> Option<()> {
        match v {
            serde_json::Value::Array(items) => items.iter().try_for_each(|v| walk(v, scalar, out)),
            serde_json::Value::Number(n) => {
                scalar.put(scalar.parse(&n.to_string()).ok()?, out);
                Some(())
            }
            _ => None,
        }
    }
    let mut out = Vec::new();
    walk(&value, scalar, &mut out).ok_or_else(|| {
        Failure::usage(format!("{}: expected (nested) arrays of numbers of type {}", path.display(), scalar.name()))
    })?;
    Ok(out)
}

/// `u32=5`, `f32=1.5`, `vec4=1,2,3,4` → bytes.
pub fn typed_value(text: &str) -> Result<(Element, Vec<u8>)> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| Failure::usage(format!("`{text}`: a value is written TYPE=NUMBER, for example u32=5")))?;
    let element: Element = name.trim().parse()?;
    let mut out = Vec::new();
    let parts: Vec<&str> = value.split(',').collect();
    if parts.len() != element.lanes {
        return Err(Failure::usage(format!("`{text}`: {name} has {} numbers, not {}", element.lanes, parts.len())));
    }
    for part in parts {
        element.scalar.put(element.scalar.parse(part)?, &mut out);
    }
    Ok((element, out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_and_products() {
        let s: Shape = "vec4[16*4]".parse().unwrap();
        assert_eq!((s.count, s.bytes()), (64, 1024));
        assert_eq!("f16x2[3]".parse::<Shape>().unwrap().bytes(), 12);
        assert!("f33[4]".parse::<Shape>().is_err());
        assert!("f32[0]".parse::<Shape>().is_err());
        assert!("f64[1000000*1000000]".parse::<Shape>().is_err());
    }

    #[test]
    fn numbers_survive_memory() {
        for (scalar, text) in
            [(Scalar::I8, "-3"), (Scalar::U64, "18446744073709551615"), (Scalar::F32, "0.1"), (Scalar::F16, "0.5")]
        {
            let mut bytes = Vec::new();
            scalar.put(scalar.parse(text).unwrap(), &mut bytes);
            assert_eq!(scalar.text(&bytes), text);
        }
        assert!(Scalar::U8.parse("256").is_err());
        assert_eq!(Scalar::U32.parse("0xff").unwrap(), Number::Int(255));
    }

    #[test]
    fn random_is_repeatable_and_in_range() {
        let shape = "f32[1000]".parse().unwrap();
        let a = fill(shape, &Init::Rand, Path::new(".")).unwrap();
        assert_eq!(a, fill(shape, &Init::Rand, Path::new(".")).unwrap());
        let floats: Vec<f32> = a.chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect();
        assert!(floats.iter().all(|f| (0.0..1.0).contains(f)));
        assert!((floats.iter().sum::<f32>() / 1000.0 - 0.5).abs() < 0.05);
    }
}
