//! AmberScript's data types: numbers, vectors and matrices of them, formats of images, and structures.

use super::Stop;
use crate::layout::Kind;
use wavepipe::element::Scalar;
use wavepipe::texel::{Coding, Texel};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataType {
    Numbers(Kind),
    Texel(Texel),
    /// The script's structure of that number.
    Structure(usize),
}

const SCALARS: [(&str, Scalar); 11] = [
    ("int8", Scalar::I8),
    ("int16", Scalar::I16),
    ("int32", Scalar::I32),
    ("int64", Scalar::I64),
    ("uint8", Scalar::U8),
    ("uint16", Scalar::U16),
    ("uint32", Scalar::U32),
    ("uint64", Scalar::U64),
    ("float16", Scalar::F16),
    ("float", Scalar::F32),
    ("double", Scalar::F64),
];

fn numbers(text: &str) -> Option<Kind> {
    if let Some((_, scalar)) = SCALARS.iter().find(|(name, _)| *name == text) {
        return Some(Kind::scalar(*scalar));
    }
    let (shape, scalar) = text.strip_suffix('>')?.split_once('<')?;
    let scalar = SCALARS.iter().find(|(name, _)| *name == scalar)?.1;
    let side = |s: &str| s.parse::<usize>().ok().filter(|n| (2..=4).contains(n));
    match (shape.strip_prefix("vec"), shape.strip_prefix("mat").and_then(|s| s.split_once('x'))) {
        (Some(rows), _) => Some(Kind { scalar, rows: side(rows)?, columns: 1 }),
        (_, Some((columns, rows))) => Some(Kind { scalar, rows: side(rows)?, columns: side(columns)? }),
        _ => None,
    }
}

/// `R8G8B8A8_UNORM` and the like: one, two or four components of one width, in that order.
fn texel(text: &str) -> Option<Texel> {
    let (components, coding) = text.split_once('_')?;
    let coding = match coding {
        "UNORM" => Coding::Unorm,
        "SNORM" => Coding::Snorm,
        "UINT" => Coding::Uint,
        "SINT" => Coding::Sint,
        "SFLOAT" => Coding::Float,
        _ => return None,
    };
    let names = ["r", "rg", "rgba"];
    let bits = components.rsplit(|c: char| !c.is_ascii_digit()).next()?;
    let spelled = |name: &str| name.to_uppercase().chars().map(|c| format!("{c}{bits}")).collect::<String>();
    let name = names.into_iter().find(|name| spelled(name) == components)?;
    let ending = match coding {
        Coding::Unorm => "unorm",
        Coding::Snorm => "snorm",
        Coding::Uint => "uint",
        Coding::Sint => "sint",
        Coding::Float => "float",
    };
    format!("{name}{bits}{ending}").parse().ok()
}

/// A name that is no type here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    Nothing(String),
    /// A format of images that there is elsewhere.
    Format(String),
}

impl Unknown {
    pub fn stop(self, line: u32) -> Stop {
        match self {
            Unknown::Nothing(name) => Stop::Wrong(line, format!("`{name}` is no type of AmberScript")),
            Unknown::Format(name) => Stop::Refused(line, format!("images of format {name} cannot be given here")),
        }
    }
}

impl DataType {
    pub const BYTE: DataType = DataType::Numbers(Kind { scalar: Scalar::U8, rows: 1, columns: 1 });

    /// The type, and whether it is an array's element.
    pub fn parse(text: &str) -> Result<(DataType, bool), Unknown> {
        let (name, array) = text.strip_suffix("[]").map_or((text, false), |name| (name, true));
        let found = numbers(name).map(DataType::Numbers).or_else(|| texel(name).map(DataType::Texel));
        let known = name.contains('_') && name.starts_with(|c: char| "RGBADSX".contains(c));
        let none = || match known {
            true => Unknown::Format(name.to_owned()),
            false => Unknown::Nothing(name.to_owned()),
        };
        found.map(|ty| (ty, array)).ok_or_else(none)
    }

    /// A type's numbers, as memory has them; none of a structure.
    pub fn kind(self) -> Option<Kind> {
        match self {
            DataType::Numbers(kind) => Some(kind),
            DataType::Texel(t) => Some(Kind { scalar: t.component(), rows: t.lanes, columns: 1 }),
            DataType::Structure(_) => None,
        }
    }

    /// A format for an image of this type.
    pub fn texel(self) -> Option<Texel> {
        match self {
            DataType::Texel(texel) => Some(texel),
            DataType::Numbers(Kind { scalar, rows, columns: 1 }) => {
                let coding = match scalar {
                    Scalar::U8 | Scalar::U16 | Scalar::U32 => Coding::Uint,
                    Scalar::I8 | Scalar::I16 | Scalar::I32 => Coding::Sint,
                    Scalar::F16 | Scalar::F32 => Coding::Float,
                    _ => return None,
                };
                matches!(rows, 1 | 2 | 4).then_some(Texel { lanes: rows, bits: 8 * scalar.bytes() as u32, coding })
            }
            DataType::Numbers(_) | DataType::Structure(_) => None,
        }
    }
}
