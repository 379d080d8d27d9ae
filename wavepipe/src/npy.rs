//! NumPy's file format, versions 1 to 3: numbers of one type in the order of C.

use crate::element::{Number, Scalar};
use crate::failure::{Failure, Result, read_file};
use std::path::Path;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Type codes without the byte order.
const CODES: [(&str, Scalar); 11] = [
    ("u1", Scalar::U8),
    ("i1", Scalar::I8),
    ("u2", Scalar::U16),
    ("i2", Scalar::I16),
    ("f2", Scalar::F16),
    ("u4", Scalar::U32),
    ("i4", Scalar::I32),
    ("f4", Scalar::F32),
    ("u8", Scalar::U64),
    ("i8", Scalar::I64),
    ("f8", Scalar::F64),
];

/// Numbers of one type in the order of C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Its sides; the last one's numbers follow each other.
    pub shape: Vec<usize>,
    pub scalar: Scalar,
    bytes: Vec<u8>,
}

impl Array {
    /// `None`: the bytes are not as many as the numbers of that shape have.
    pub fn new(shape: Vec<usize>, scalar: Scalar, bytes: Vec<u8>) -> Option<Array> {
        let whole = shape.iter().try_fold(scalar.bytes(), |n, side| n.checked_mul(*side))?;
        (whole == bytes.len()).then_some(Array { shape, scalar, bytes })
    }

    /// Its numbers, one behind the other.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn count(&self) -> usize {
        self.bytes.len() / self.scalar.bytes()
    }

    pub fn numbers(&self) -> impl Iterator<Item = Number> + '_ {
        self.bytes.chunks_exact(self.scalar.bytes()).map(|b| self.scalar.get(b))
    }
}

/// The value of a key of the header's dictionary, up to the comma behind it.
fn value<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let rest = header.split_once(&format!("'{key}':"))?.1.trim_start();
    let end = match rest.strip_prefix('(') {
        Some(inner) => inner.find(')')? + 2,
        None => rest.find([',', '}'])?,
    };
    Some(rest[..end].trim())
}

fn parse(bytes: &[u8]) -> Option<std::result::Result<Array, String>> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (length, start): (usize, usize) = match rest.first()? {
        1 => (usize::from(u16::from_le_bytes(rest.get(2..4)?.try_into().ok()?)), 4),
        2 | 3 => (u32::from_le_bytes(rest.get(2..6)?.try_into().ok()?) as usize, 6),
        _ => return None,
    };
    let header = std::str::from_utf8(rest.get(start..start.checked_add(length)?)?).ok()?;
    let data = &rest[start + length..];
    let descr = value(header, "descr")?.trim_matches('\'');
    let (order, code) = descr.split_at_checked(1)?;
    let Some(scalar) = scalar(code) else {
        return Some(Err(format!("numbers of type {descr}, which no shader has: convert them with astype")));
    };
    if order == ">" {
        return Some(Err("big-endian numbers: convert them with astype".to_owned()));
    }
    if value(header, "fortran_order")? == "True" {
        return Some(Err("columns first: save numpy.ascontiguousarray of it".to_owned()));
    }
    let shape = value(header, "shape")?.trim_start_matches('(').trim_end_matches(')');
    let sides = shape.split(',').map(str::trim).filter(|s| !s.is_empty());
    let shape = sides.map(|s| s.parse().ok()).collect::<Option<Vec<usize>>>()?;
    let count = shape.iter().try_fold(1usize, |n, side| n.checked_mul(*side))?;
    if count.checked_mul(scalar.bytes()) != Some(data.len()) {
        return Some(Err(format!("{} bytes of numbers, where shape {shape:?} has {count} numbers", data.len())));
    }
    Some(Ok(Array { shape, scalar, bytes: data.to_vec() }))
}

/// The scalar of a type code without the byte order, such as `f4`.
pub fn scalar(code: &str) -> Option<Scalar> {
    CODES.iter().find(|(c, _)| *c == code).map(|(_, scalar)| *scalar)
}

/// The type code of a scalar, without the byte order.
pub fn code(scalar: Scalar) -> &'static str {
    CODES.iter().find(|(_, s)| *s == scalar).map_or("u1", |(c, _)| c)
}

pub fn read(path: &Path) -> Result<Array> {
    let bytes = read_file(path)?;
    let parsed = parse(&bytes).unwrap_or_else(|| Err("no file of NumPy's format (.npy)".to_owned()));
    parsed.map_err(|e| Failure::usage(format!("{}: {e}", path.display())))
}

/// The bytes of a file.
pub fn write(scalar: Scalar, shape: &[usize], data: &[u8]) -> Vec<u8> {
    let code = code(scalar);
    let order = if scalar.bytes() == 1 { '|' } else { '<' };
    let sides: String = shape.iter().map(|n| format!("{n}, ")).collect();
    // A tuple of one has a comma.
    let sides = if shape.len() == 1 { sides.trim_end() } else { sides.trim_end_matches(", ") };
    let mut header = format!("{{'descr': '{order}{code}', 'fortran_order': False, 'shape': ({sides}), }}");
    // The numbers begin at a multiple of 64.
    let whole = (MAGIC.len() + 4 + header.len() + 1).next_multiple_of(64);
    header.push_str(&" ".repeat(whole - MAGIC.len() - 4 - header.len() - 1));
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    [MAGIC, &[1, 0], &length, header.as_bytes(), data].concat()
}
