//! Buffers and images after a run: a line of a table, JSON, a picture, files.

use crate::bind::{ImagePlan, Prepared};
use crate::data::Input;
use crate::element::{Number, Scalar};
use crate::failure::{Failure, Result, write_file};
use crate::npy::{self, Array};
use crate::picture::{self, Picture};
use crate::view::{Leaf, View};
use std::io::Write as _;
use std::path::Path;

/// How many elements of a buffer the table shows from its start.
const SHOWN: usize = 8;

/// What a buffer holds, or an image as a shader sees it.
#[derive(Clone, Debug)]
pub struct Contents {
    pub view: View,
    pub bytes: Vec<u8>,
    pub texels: Option<Texels>,
}

/// An image's own bits.
#[derive(Clone, Debug)]
pub struct Texels {
    pub plan: ImagePlan,
    pub bytes: Vec<u8>,
}

impl Contents {
    pub fn buffer(view: View, bytes: Vec<u8>) -> Contents {
        Contents { view, bytes, texels: None }
    }

    pub fn image(plan: &ImagePlan, bytes: Vec<u8>) -> Contents {
        let (view, seen) = plan.seen(&bytes);
        Contents { view, bytes: seen, texels: Some(Texels { plan: plan.clone(), bytes }) }
    }

    /// What a resource holds before anything runs; a sampler holds nothing.
    pub fn before(prepared: &Prepared) -> Option<Contents> {
        match prepared {
            Prepared::Buffer { view, bytes, .. } => Some(Contents::buffer(view.clone(), bytes.clone())),
            Prepared::Image { plan, bytes, .. } => Some(Contents::image(plan, bytes.clone())),
            Prepared::Sampler => None,
        }
    }

    /// The same resource with other numbers.
    pub fn of(&self, input: &Input) -> Result<Contents> {
        match &self.texels {
            Some(t) => Ok(Contents::image(&t.plan, t.plan.fill(input)?)),
            None => Ok(Contents::buffer(self.view.clone(), input.fill(&self.view)?)),
        }
    }

    fn text(&self, leaf: Leaf) -> String {
        leaf.scalar.text(&self.bytes[leaf.offset..])
    }

    fn cells(&self, leaves: impl Iterator<Item = Leaf>) -> String {
        let parts: Vec<String> = leaves.map(|l| self.text(l)).collect();
        if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(", ")) }
    }

    /// A line of the table.
    pub fn line(&self, label: &str) -> String {
        let mut cells = Vec::new();
        if !self.view.head.is_empty() {
            cells.push(self.cells(self.view.head.iter().copied()));
        }
        cells.extend(self.view.rows().take(SHOWN).map(|row| self.cells(row)));
        if self.view.count > SHOWN {
            cells.push("…".to_owned());
        }
        format!("{label:>4}  {}  {}", self.view.label, cells.join("  "))
    }

    /// A flat array. JSON has no NaN and no infinity: they become strings.
    pub fn json_values(&self) -> serde_json::Value {
        let one = |leaf: Leaf| match leaf.scalar.get(&self.bytes[leaf.offset..]) {
            Number::Int(i) => i64::try_from(i).map_or_else(|_| (i as u64).into(), Into::into),
            Number::Float(_) => {
                let text = self.text(leaf);
                text.parse::<serde_json::Number>().map_or(serde_json::Value::String(text), serde_json::Value::Number)
            }
        };
        self.view.leaves().map(one).collect()
    }

    /// The name of the type of all numbers.
    pub fn type_name(&self) -> &'static str {
        self.view.uniform().map_or("several", Scalar::name)
    }

    /// A line for each element, the head's numbers before them.
    fn csv(&self) -> String {
        let mut text = String::new();
        let mut line = |leaves: &mut dyn Iterator<Item = Leaf>| {
            let cells: Vec<String> = leaves.map(|l| self.text(l)).collect();
            text.push_str(&cells.join(","));
            text.push('\n');
        };
        if !self.view.head.is_empty() {
            line(&mut self.view.head.iter().copied());
        }
        self.view.rows().for_each(|mut row| line(&mut row));
        text
    }

    /// As an array: of an image its own bits. `None`: numbers of several types.
    pub fn array(&self) -> Option<Array> {
        if let Some(t) = &self.texels {
            let lanes = (t.plan.texel.lanes > 1).then_some(t.plan.texel.lanes);
            let shape = t.plan.sides().into_iter().chain(lanes).collect();
            return Array::new(shape, t.plan.texel.component(), t.bytes.clone());
        }
        let scalar = self.view.uniform()?;
        let data = self.view.leaves().flat_map(|l| &self.bytes[l.offset..l.offset + scalar.bytes()]).copied().collect();
        let shape = match (self.view.head.len(), self.view.element.len()) {
            (0, 1) => vec![self.view.count],
            (0, lanes) => vec![self.view.count, lanes],
            _ => vec![self.view.scalars()],
        };
        Array::new(shape, scalar, data)
    }

    fn npy(&self, file: &Path) -> Result<Vec<u8>> {
        let several = || {
            Failure::usage(format!(
                "{}: numbers of several types are no NumPy array: use .json or .csv",
                file.display()
            ))
        };
        let array = self.array().ok_or_else(several)?;
        Ok(npy::write(array.scalar, &array.shape, array.bytes()))
    }

    /// As a picture: an image of two sides, or a buffer as one of that size.
    pub fn picture(&self, size: Option<(u32, u32)>) -> Result<Picture> {
        let Some(t) = &self.texels else {
            let (width, height) = size.ok_or_else(|| {
                Failure::usage(
                    "a picture of a buffer needs its size: give its shape, WIDTHxHEIGHT (--shape on a command line)",
                )
            })?;
            let pixels = width as usize * height as usize;
            let rgba = picture::pixels(&self.view, &self.bytes);
            let rgba = rgba.get(..4 * pixels).filter(|_| self.view.head.is_empty()).ok_or_else(|| {
                let has = self.view.count;
                Failure::usage(format!(
                    "a {width}x{height} picture takes {pixels} elements, {} has {has}",
                    self.view.label
                ))
            })?;
            return Ok(Picture { width, height, rgba: rgba.to_vec() });
        };
        let (width, height) = match t.plan.sides()[..] {
            [w] => (w, 1),
            [h, w] | [1, h, w] => (w, h),
            _ => return Err(Failure::usage(format!("{} is more than one picture: use .npy", self.view.label))),
        };
        let mut rgba = Vec::with_capacity(4 * width * height);
        for row in self.view.rows() {
            let channels: Vec<u8> = row.map(|l| picture::channel(l.scalar.get(&self.bytes[l.offset..]))).collect();
            rgba.extend(match channels[..] {
                [grey] => [grey, grey, grey, 255],
                [r, g] => [r, g, 0, 255],
                [r, g, b, a] => [r, g, b, a],
                _ => [0; 4],
            });
        }
        Ok(Picture { width: width as u32, height: height as u32, rgba })
    }

    /// Writes what a run made in the format of the file's ending; pictures of buffers have `size`. Without a file: standard
    /// output, as CSV.
    pub fn write(&self, file: Option<&Path>, size: Option<(u32, u32)>) -> Result<()> {
        let Some(file) = file else {
            let written = std::io::stdout().lock().write_all(self.csv().as_bytes());
            return written.map_err(|e| Failure::usage(format!("standard output: {e}")));
        };
        let bytes = match file.extension().and_then(|e| e.to_str()) {
            Some("bin" | "raw") => self.texels.as_ref().map_or_else(|| self.bytes.clone(), |t| t.bytes.clone()),
            Some("json") => self.json_values().to_string().into_bytes(),
            Some("csv") => self.csv().into_bytes(),
            Some("npy") => self.npy(file)?,
            Some("png") => {
                self.picture(size).map_err(|e| if self.texels.is_some() { e.context(file) } else { e })?.encode(file)?
            }
            _ => return Err(wrong_ending(file)),
        };
        write_file(file, &bytes)
    }
}

fn wrong_ending(file: &Path) -> Failure {
    let message = format!("{}: an output is a .bin, .raw, .json, .csv, .npy or .png file, or -", file.display());
    Failure::usage(message)
}

/// Whether something of that name can be written, before anything runs.
pub fn check_ending(file: &Path) -> Result<()> {
    match file.extension().and_then(|e| e.to_str()) {
        Some("bin" | "raw" | "json" | "csv" | "npy" | "png") => Ok(()),
        _ => Err(wrong_ending(file)),
    }
}
