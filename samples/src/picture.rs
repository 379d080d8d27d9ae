//! PNG files, RGBA8.

use crate::host::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter};

/// Writes `bytes`, RGBA8 rows from the top.
pub fn write(path: &str, bytes: &[u8], [width, height]: [u32; 2]) -> Result<(), Error> {
    let fail = |why: String| Error::File { path: path.to_owned(), why };
    let file = BufWriter::new(File::create(path).map_err(|e| fail(e.to_string()))?);
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|e| fail(e.to_string()))?;
    writer.write_image_data(bytes).map_err(|e| fail(e.to_string()))?;
    writer.finish().map_err(|e| fail(e.to_string()))
}

/// Decodes an RGBA8 PNG held in memory: its pixels, red in the low byte, with width and height.
pub fn decode(png: &[u8]) -> Result<(Vec<u32>, [u32; 2]), Error> {
    let fail = |why: String| Error::File { path: "picture".to_owned(), why };
    let decoder = png::Decoder::new(BufReader::new(std::io::Cursor::new(png)));
    let mut reader = decoder.read_info().map_err(|e| fail(e.to_string()))?;
    let size = reader.output_buffer_size().ok_or_else(|| fail("too large".to_owned()))?;
    let mut bytes = vec![0; size];
    let info = reader.next_frame(&mut bytes).map_err(|e| fail(e.to_string()))?;
    if (info.color_type, info.bit_depth) != (png::ColorType::Rgba, png::BitDepth::Eight) {
        return Err(fail(format!("{:?} {:?}, expected RGBA8", info.color_type, info.bit_depth)));
    }
    let pixels = bytes.chunks_exact(4).map(|p| u32::from_le_bytes([p[0], p[1], p[2], p[3]])).collect();
    Ok((pixels, [info.width, info.height]))
}
