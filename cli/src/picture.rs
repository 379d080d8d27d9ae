//! PNG in and out, as rows of RGBA8.

use crate::element::{Element, Number, Scalar};
use crate::failure::{Failure, Result, read_file, write_file};
use std::path::Path;

/// Reads any 8- or 16-bit PNG as RGBA8, row by row from the top.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let bad = |e: png::DecodingError| Failure::usage(format!("{}: {e}", path.display()));
    let bytes = read_file(path)?;
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(bad)?;
    let size = reader
        .output_buffer_size()
        .ok_or_else(|| Failure::usage(format!("{}: too large a picture", path.display())))?;
    let mut raw = vec![0; size];
    let info = reader.next_frame(&mut raw).map_err(bad)?;
    raw.truncate(info.buffer_size());
    Ok(match info.color_type {
        png::ColorType::GrayscaleAlpha => raw.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
        _ => raw,
    })
}

/// Writes a buffer as a picture of `width` × `height`. A 32-bit integer is one RGBA8 pixel (red in the low byte), a
/// float is grey from 0 to 1, three or four floats are a colour, four bytes are RGBA8, one byte is grey.
pub fn write(path: &Path, element: Element, bytes: &[u8], width: u32, height: u32) -> Result<()> {
    let pixels = width as usize * height as usize;
    if bytes.len() < pixels * element.bytes() {
        let has = bytes.len() / element.bytes();
        return Err(Failure::usage(format!(
            "a {width}x{height} picture takes {pixels} elements, the buffer has {has}"
        )));
    }
    let mut rgba = Vec::with_capacity(4 * pixels);
    for pixel in bytes.chunks_exact(element.bytes()).take(pixels) {
        let channel = |i: usize| {
            let size = element.scalar.bytes();
            match element.scalar.get(&pixel[i * size..]) {
                Number::Float(f) => (f.clamp(0.0, 1.0) * 255.0 + 0.5) as u8,
                Number::Int(n) => n.clamp(0, 255) as u8,
            }
        };
        match (element.scalar, element.lanes) {
            (Scalar::U32 | Scalar::I32, 1) => rgba.extend_from_slice(pixel),
            (_, 1) => rgba.extend([channel(0), channel(0), channel(0), 255]),
            (_, 2) => rgba.extend([channel(0), channel(1), 0, 255]),
            (_, 3) => rgba.extend([channel(0), channel(1), channel(2), 255]),
            _ => rgba.extend([channel(0), channel(1), channel(2), channel(3)]),
        }
    }
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let wrote = encoder.write_header().and_then(|mut w| w.write_image_data(&rgba));
    wrote.map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?;
    write_file(path, &out)
}
