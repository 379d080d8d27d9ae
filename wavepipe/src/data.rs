//! What a buffer holds before the run: numbers that are made, listed, or read from a file of any accepted format.

use crate::element::{Element, Number, Scalar};
use crate::failure::{Failure, Result, read_file};
use crate::files;
use crate::view::{Leaf, Shape, View};
use crate::{npy, picture};
use std::path::Path;
use std::str::FromStr;

/// What a buffer or an image holds before the run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Init {
    #[default]
    Zero,
    /// Nobody writes it; it is zero for who reads it, and for the check `init` it is not written.
    None,
    /// 0, 1, 2, … in every scalar.
    Iota,
    /// Uniform random: floats in [0, 1), integers over their whole range. The same on every run and host.
    Rand,
    /// Numbers as they were written.
    Values(Vec<String>),
    /// Raw bytes, a PNG, a JSON array, CSV or NumPy's format.
    File(String),
    /// What the program has at hand.
    Given(Input),
}

fn is_number(text: &str) -> bool {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let hex = digits.strip_prefix("0x").is_some_and(|h| u64::from_str_radix(h, 16).is_ok());
    hex || text.parse::<f64>().is_ok()
}

impl FromStr for Init {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Init> {
        let parts: Vec<&str> = text.split(',').collect();
        Ok(match text {
            "zero" | "" => Init::Zero,
            "none" => Init::None,
            "iota" => Init::Iota,
            "rand" => Init::Rand,
            _ if parts.iter().all(|p| is_number(p)) => Init::Values(parts.iter().map(|p| p.trim().into()).collect()),
            _ if parts.len() > 1 && is_number(parts[0]) && !files::is_there(Path::new(text)) => {
                let odd = parts.iter().find(|p| !is_number(p)).copied().unwrap_or("");
                return Err(Failure::usage(format!("`{text}`: `{odd}` is no number, and there is no such file")));
            }
            file => Init::File(file.to_owned()),
        })
    }
}

/// What an [`Init`] has to give, read but not yet laid out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    Zero,
    None,
    Iota,
    Rand,
    /// Numbers as text, and where they come from.
    Numbers(Vec<String>, String),
    /// Numbers of one type.
    Array(npy::Array, String),
    Picture(picture::Picture, String),
    /// As they lie in memory.
    Bytes(Vec<u8>, String),
}

impl Input {
    /// Reads what is named; `folder` is what a relative file is relative to.
    pub fn read(init: &Init, folder: &Path) -> Result<Input> {
        Ok(match init {
            Init::Zero => Input::Zero,
            Init::None => Input::None,
            Init::Iota => Input::Iota,
            Init::Rand => Input::Rand,
            Init::Given(input) => input.clone(),
            Init::Values(texts) => Input::Numbers(texts.clone(), "the list".to_owned()),
            Init::File(name) => {
                let path = folder.join(name);
                let from = path.display().to_string();
                match path.extension().and_then(|e| e.to_str()) {
                    Some("png") => Input::Picture(picture::read(&path)?, from),
                    Some("npy") => Input::Array(npy::read(&path)?, from),
                    Some("json") => Input::Numbers(json_numbers(&path)?, from),
                    Some("csv") => Input::Numbers(csv_numbers(&path)?, from),
                    // What has no ending is a pipe, or a file of the system.
                    Some("bin" | "raw") | None => Input::Bytes(read_file(&path)?, from),
                    Some(other) => {
                        let message = format!(
                            "{from}: a .{other} file is no input: give .bin or .raw (bytes), .json, .csv, .npy or .png"
                        );
                        return Err(if files::is_there(&path) {
                            Failure::usage(message)
                        } else {
                            no_file(&path, &message)
                        });
                    }
                }
            }
        })
    }

    /// How many numbers it has, if it has a number of them.
    pub fn count(&self) -> Option<usize> {
        match self {
            Input::Numbers(texts, _) => Some(texts.len()),
            Input::Array(array, _) => Some(array.count()),
            _ => None,
        }
    }

    /// Numbers of a view, in order.
    pub fn fill(&self, view: &View) -> Result<Vec<u8>> {
        let mut out = vec![0; view.bytes];
        let mut put = |leaf: Leaf, number: Number| {
            let mut bytes = Vec::with_capacity(8);
            leaf.scalar.put(number, &mut bytes);
            out[leaf.offset..leaf.offset + bytes.len()].copy_from_slice(&bytes);
        };
        let counted = |has: usize, from: &str| match has == view.scalars() {
            true => Ok(()),
            false => Err(Failure::usage(format!("{from} has {has} numbers, {} takes {}", view.label, view.scalars()))),
        };
        match self {
            Input::Zero | Input::None => {}
            Input::Iota => view.leaves().enumerate().for_each(|(i, leaf)| put(leaf, Number::Int(i as i128))),
            Input::Rand => {
                // SplitMix64 (Steele, Lea, Flood 2014): tiny, and the same everywhere.
                let mut state = 0x9e37_79b9_7f4a_7c15u64;
                for leaf in view.leaves() {
                    state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                    let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                    put(leaf, leaf.scalar.random(z ^ z >> 31));
                }
            }
            Input::Numbers(texts, from) => {
                counted(texts.len(), from)?;
                for (leaf, text) in view.leaves().zip(texts) {
                    put(leaf, leaf.scalar.parse(text).map_err(|e| Failure::usage(format!("{from}: {e}")))?);
                }
            }
            Input::Array(array, from) => {
                counted(array.count(), from)?;
                for (leaf, number) in view.leaves().zip(array.numbers()) {
                    let number = leaf.scalar.take(number).map_err(|e| Failure::usage(format!("{from}: {e}")))?;
                    put(leaf, number);
                }
            }
            Input::Bytes(bytes, from) => {
                if bytes.len() != view.bytes {
                    return Err(Failure::usage(format!(
                        "{from} has {} bytes, {} takes {}",
                        bytes.len(),
                        view.label,
                        view.bytes
                    )));
                }
                out.copy_from_slice(bytes);
            }
            Input::Picture(picture, from) => {
                let pixels = picture.rgba.chunks_exact(4);
                let whole = view.head.is_empty() && view.count == pixels.len();
                let lanes = view.element.len();
                let scalar = view.uniform();
                let raw = scalar.is_some_and(|s| s.bytes() == 1) && view.scalars() == picture.rgba.len();
                if !whole && !raw {
                    let message = format!(
                        "{from} is a picture of {}x{} = {} pixels, and {} has not as many elements",
                        picture.width,
                        picture.height,
                        pixels.len(),
                        view.label
                    );
                    return Err(Failure::usage(message));
                }
                match scalar {
                    Some(Scalar::U32 | Scalar::I32) if lanes == 1 => out.copy_from_slice(&picture.rgba),
                    Some(s) if s.bytes() == 1 && raw => out.copy_from_slice(&picture.rgba),
                    Some(s) if s.is_float() && (3..=4).contains(&lanes) => {
                        for (row, pixel) in view.rows().zip(pixels) {
                            row.zip(pixel).for_each(|(l, c)| put(l, Number::Float(f64::from(*c) / 255.0)));
                        }
                    }
                    _ => {
                        let message = format!(
                            "{from}: a pixel of a picture is a u32 (RGBA8), four bytes, or a vec3 or vec4 from 0 to 1; \
                             {} is none of these. Or let the shader have it as an image (--image)",
                            view.label
                        );
                        return Err(Failure::usage(message));
                    }
                }
            }
        }
        Ok(out)
    }
}

/// That a file is missing is said before what it should be called.
fn no_file(path: &Path, otherwise: &str) -> Failure {
    match std::fs::metadata(path) {
        Err(source) => Failure::File { verb: "read", path: path.to_owned(), source },
        Ok(_) => Failure::usage(otherwise),
    }
}

/// Bytes of a buffer of `TYPE[N]`. `folder` is what a relative FILE is relative to.
pub fn fill(shape: Shape, init: &Init, folder: &Path) -> Result<Vec<u8>> {
    Input::read(init, folder)?.fill(&shape.into())
}

fn json_numbers(path: &Path) -> Result<Vec<String>> {
    let value: serde_json::Value =
        serde_json::from_slice(&read_file(path)?).map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?;
    fn walk(v: &serde_json::Value, out: &mut Vec<String>) -> Option<()> {
        match v {
            serde_json::Value::Array(items) => items.iter().try_for_each(|v| walk(v, out)),
            serde_json::Value::Number(n) => {
                out.push(n.to_string());
                Some(())
            }
            // As --json writes what JSON has no number for.
            serde_json::Value::String(s) if is_number(s) => {
                out.push(s.clone());
                Some(())
            }
            _ => None,
        }
    }
    let mut out = Vec::new();
    walk(&value, &mut out)
        .ok_or_else(|| Failure::usage(format!("{}: expected (nested) arrays of numbers", path.display())))?;
    Ok(out)
}

/// Numbers in lines, parted by commas.
fn csv_numbers(path: &Path) -> Result<Vec<String>> {
    let text = String::from_utf8_lossy(&read_file(path)?).into_owned();
    let mut out = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        for cell in line.split(',').map(str::trim) {
            if !is_number(cell) {
                let message = format!("{}:{}: `{cell}` is no number", path.display(), n + 1);
                return Err(Failure::usage(message));
            }
            out.push(cell.to_owned());
        }
    }
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
