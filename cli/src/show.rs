//! Buffers after a run: a line of the table, JSON, files.

use crate::data::Shape;
use crate::element::{Element, Number, Scalar};
use crate::failure::{Failure, Result, write_file};
use crate::picture;
use std::path::Path;

/// How many elements of a buffer the table shows from its start.
const SHOWN: usize = 8;

/// A line of the table.
pub fn line(label: &str, shape: Shape, bytes: &[u8]) -> String {
    let element = shape.element;
    let suffix = if element.lanes > 1 { format!("x{}", element.lanes) } else { String::new() };
    let mut cells: Vec<String> = bytes
        .chunks_exact(element.bytes())
        .take(SHOWN)
        .map(|e| {
            let parts: Vec<String> = e.chunks_exact(element.scalar.bytes()).map(|s| element.scalar.text(s)).collect();
            if parts.len() == 1 { parts[0].clone() } else { format!("({})", parts.join(", ")) }
        })
        .collect();
    if shape.count > SHOWN {
        cells.push("…".to_owned());
    }
    format!("{label:>4}  {}{suffix}[{}]  {}", element.scalar.name(), shape.count, cells.join("  "))
}

/// A flat array. JSON has no NaN and no infinity: they become strings.
pub fn json_values(scalar: Scalar, bytes: &[u8]) -> serde_json::Value {
    let one = |b: &[u8]| match scalar.get(b) {
        Number::Int(i) => i64::try_from(i).map_or_else(|_| (i as u64).into(), Into::into),
        Number::Float(_) => {
            let text = scalar.text(b);
            text.parse::<serde_json::Number>().map_or(serde_json::Value::String(text), serde_json::Value::Number)
        }
    };
    bytes.chunks_exact(scalar.bytes()).map(one).collect()
}

/// Writes a buffer in the format of the file's ending; pictures have `size`.
pub fn write_output(file: &Path, element: Element, bytes: &[u8], size: Option<(u32, u32)>) -> Result<()> {
    match file.extension().and_then(|e| e.to_str()) {
        Some("bin") => write_file(file, bytes),
        Some("json") => write_file(file, json_values(element.scalar, bytes).to_string().as_bytes()),
        Some("csv") => {
            let mut text = String::new();
            for e in bytes.chunks_exact(element.bytes()) {
                let row: Vec<String> = e.chunks_exact(element.scalar.bytes()).map(|s| element.scalar.text(s)).collect();
                text.push_str(&row.join(","));
                text.push('\n');
            }
            write_file(file, text.as_bytes())
        }
        Some("png") => {
            let (width, height) = size.ok_or_else(|| {
                Failure::usage(
                    "a picture needs its size: add --shape WIDTHxHEIGHT, or shape in the job file's [output]",
                )
            })?;
            picture::write(file, element, bytes, width, height)
        }
        _ => Err(Failure::usage(format!("{}: an output is a .bin, .json, .csv or .png file", file.display()))),
    }
}
