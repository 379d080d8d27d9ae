//! Typed data: what `--buffer`, `--push` and `--spec` hold, how it is made, and how it is printed.

use crate::element::{Element, Number, Scalar};
use crate::failure::{Failure, Result, read_file};
use crate::picture;
use std::path::Path;
use std::str::FromStr;

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
                Some("png") => picture::read(&path)?,
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
    fn random_is_repeatable_and_in_range() {
        let shape = "f32[1000]".parse().unwrap();
        let a = fill(shape, &Init::Rand, Path::new(".")).unwrap();
        assert_eq!(a, fill(shape, &Init::Rand, Path::new(".")).unwrap());
        let floats: Vec<f32> = a.chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect();
        assert!(floats.iter().all(|f| (0.0..1.0).contains(f)));
        assert!((floats.iter().sum::<f32>() / 1000.0 - 0.5).abs() < 0.05);
    }
}
