//! PNG in and out, as rows of RGBA8.

use crate::element::{Number, Scalar};
use crate::failure::{Failure, Result, read_file};
use crate::view::{Leaf, View};
use std::path::Path;

/// A picture in rows from the top, as RGBA8.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pub rgba: Vec<u8>,
}

/// Reads any 8- or 16-bit PNG as RGBA8.
pub fn read(path: &Path) -> Result<Picture> {
    decode(&read_file(path)?, path)
}

/// The picture of a PNG's bytes; `path` is what messages call it.
pub fn decode(bytes: &[u8], path: &Path) -> Result<Picture> {
    let bad = |e: png::DecodingError| Failure::usage(format!("{}: {e}", path.display()));
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(bad)?;
    let size = reader
        .output_buffer_size()
        .ok_or_else(|| Failure::usage(format!("{}: too large a picture", path.display())))?;
    let mut raw = vec![0; size];
    let info = reader.next_frame(&mut raw).map_err(bad)?;
    raw.truncate(info.buffer_size());
    let rgba = match info.color_type {
        png::ColorType::GrayscaleAlpha => raw.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
        _ => raw,
    };
    Ok(Picture { width: info.width, height: info.height, rgba })
}

/// The pixels of a buffer: a 32-bit integer is one RGBA8 pixel (red in the low byte), a float is grey from 0 to 1, three or
/// four floats are a colour, four bytes are RGBA8, one byte is grey.
pub fn pixels(view: &View, bytes: &[u8]) -> Vec<u8> {
    let mut rgba = Vec::with_capacity(4 * view.count);
    for row in view.rows() {
        let leaves: Vec<Leaf> = row.collect();
        let channel = |i: usize| channel(leaves[i].scalar.get(&bytes[leaves[i].offset..]));
        match (leaves[0].scalar, leaves.len()) {
            (Scalar::U32 | Scalar::I32, 1) => rgba.extend_from_slice(&bytes[leaves[0].offset..leaves[0].offset + 4]),
            (_, 1) => rgba.extend([channel(0), channel(0), channel(0), 255]),
            (_, 2) => rgba.extend([channel(0), channel(1), 0, 255]),
            (_, 3) => rgba.extend([channel(0), channel(1), channel(2), 255]),
            _ => rgba.extend([channel(0), channel(1), channel(2), channel(3)]),
        }
    }
    rgba
}

/// A number as a channel: floats from 0 to 1, integers from 0 to 255.
pub fn channel(number: Number) -> u8 {
    match number {
        Number::Float(f) => (f.clamp(0.0, 1.0) * 255.0 + 0.5) as u8,
        Number::Int(n) => n.clamp(0, 255) as u8,
    }
}

impl Picture {
    /// The bytes of a PNG; `path` is what messages call it.
    pub fn encode(&self, path: &Path) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let wrote = encoder.write_header().and_then(|mut w| w.write_image_data(&self.rgba));
        wrote.map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?;
        Ok(out)
    }
}
