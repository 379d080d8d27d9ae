//! Formats of texels: their names in GLSL and WGSL, VkFormat's numbers, and what their components mean.

use crate::element::{Element, Number, Scalar};
use crate::failure::{Failure, Result};
use std::str::FromStr;
use wavepipe_runtime::Format;

/// What the bits of a component are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    /// 0 to 1.
    Unorm,
    /// -1 to 1.
    Snorm,
    Uint,
    Sint,
    Float,
}

/// 1, 2 or 4 components of 8, 16 or 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Texel {
    pub lanes: usize,
    pub bits: u32,
    pub coding: Coding,
}

use Coding::{Float, Sint, Snorm, Uint, Unorm};

/// GLSL's ending, WGSL's, and what they mean.
const ENDINGS: [(&str, &str, Coding); 5] = [
    ("", "unorm", Unorm),
    ("_snorm", "snorm", Snorm),
    ("ui", "uint", Uint),
    ("i", "sint", Sint),
    ("f", "float", Float),
];

/// VkFormat's numbers for one, two and four components.
const NUMBERS: [(u32, Coding, [u32; 3]); 12] = [
    (8, Unorm, [9, 16, 37]),
    (8, Snorm, [10, 17, 38]),
    (8, Uint, [13, 20, 41]),
    (8, Sint, [14, 21, 42]),
    (16, Unorm, [70, 77, 91]),
    (16, Snorm, [71, 78, 92]),
    (16, Uint, [74, 81, 95]),
    (16, Sint, [75, 82, 96]),
    (16, Float, [76, 83, 97]),
    (32, Uint, [98, 101, 107]),
    (32, Sint, [99, 102, 108]),
    (32, Float, [100, 103, 109]),
];

impl Texel {
    pub fn format(self) -> Format {
        let row = NUMBERS.iter().find(|(bits, coding, _)| (*bits, *coding) == (self.bits, self.coding));
        Format(row.map_or(0, |(_, _, numbers)| numbers[self.lanes / 2]))
    }

    pub fn bytes(self) -> usize {
        self.lanes * self.bits as usize / 8
    }

    /// A component's bits as a number of memory.
    pub fn component(self) -> Scalar {
        match (self.bits, self.coding) {
            (8, Unorm | Uint) => Scalar::U8,
            (8, _) => Scalar::I8,
            (16, Unorm | Uint) => Scalar::U16,
            (16, Float) => Scalar::F16,
            (16, _) => Scalar::I16,
            (_, Uint) => Scalar::U32,
            (_, Sint) => Scalar::I32,
            _ => Scalar::F32,
        }
    }

    /// What a shader sees of a texel.
    pub fn seen(self) -> Element {
        let scalar = match self.coding {
            Uint => Scalar::U32,
            Sint => Scalar::I32,
            Unorm | Snorm | Float => Scalar::F32,
        };
        Element { scalar, lanes: self.lanes }
    }

    fn most(self) -> f64 {
        let bits = if self.coding == Snorm { self.bits - 1 } else { self.bits };
        ((1u64 << bits) - 1) as f64
    }

    /// What a shader sees, as bits. Integers must fit.
    pub fn encode(self, seen: Number, out: &mut Vec<u8>) -> Result<()> {
        let component = self.component();
        let number = match (self.coding, seen) {
            (Unorm, n) => Number::Int((n.float().clamp(0.0, 1.0) * self.most()).round() as i128),
            (Snorm, n) => Number::Int((n.float().clamp(-1.0, 1.0) * self.most()).round() as i128),
            (_, n) => component.take(n)?,
        };
        component.put(number, out);
        Ok(())
    }

    /// The bits of a component as a shader sees them.
    pub fn decode(self, bytes: &[u8]) -> Number {
        match (self.coding, self.component().get(bytes)) {
            (Unorm, n) => Number::Float(n.float() / self.most()),
            (Snorm, n) => Number::Float((n.float() / self.most()).max(-1.0)),
            (_, n) => n,
        }
    }

    /// A channel of a picture, 0 to 255, as a shader is to see it.
    pub fn channel(self, c: u8) -> Number {
        match self.coding {
            Uint | Sint => Number::Int(c.into()),
            _ => Number::Float(f64::from(c) / 255.0),
        }
    }
}

impl FromStr for Texel {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Texel> {
        let parse = || {
            let digits = text.find(|c: char| c.is_ascii_digit())?;
            let end = text[digits..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |n| digits + n);
            let lanes = match &text[..digits] {
                "r" => 1,
                "rg" => 2,
                "rgba" => 4,
                _ => return None,
            };
            let bits: u32 = text[digits..end].parse().ok()?;
            let ending = &text[end..];
            let coding = ENDINGS.iter().find(|(glsl, wgsl, _)| ending == *glsl || ending == *wgsl)?.2;
            let there = NUMBERS.iter().any(|(b, c, _)| (*b, *c) == (bits, coding));
            there.then_some(Texel { lanes, bits, coding })
        };
        parse().ok_or_else(|| {
            Failure::usage(format!(
                "`{text}` is no format here: write r, rg or rgba, 8, 16 or 32, and nothing or unorm, _snorm or snorm, \
                 ui or uint, i or sint, f or float, as in rgba8 or r32float"
            ))
        })
    }
}

impl std::fmt::Display for Texel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let components = ["r", "rg", "rgba"][self.lanes / 2];
        let ending = ENDINGS.iter().find(|e| e.2 == self.coding).map_or("", |e| e.0);
        write!(f, "{components}{}{ending}", self.bits)
    }
}
