//! Copies that the host makes by itself. The layout is the GPU's own, so that nothing is converted.

use super::{Image, ImageKind, ImageLayers};
use crate::error::{Error, Result};

/// Texels in host memory: rows and slices as in a copy with a buffer; 0 = as the extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostRegion {
    pub row_length: u32,
    pub image_height: u32,
    pub layers: ImageLayers,
    pub origin: [u32; 3],
    pub extent: [u32; 3],
}

/// A row in host memory and in the image's, and its bytes.
struct TexelRow {
    host: usize,
    memory: u64,
    bytes: usize,
}

impl Image {
    fn host_rows(&self, r: &HostRegion) -> Result<Vec<TexelRow>> {
        self.check_box(&r.layers, r.origin, r.extent)?;
        let (side, bytes) = (self.info().format.block_side(), u64::from(self.element_bytes(r.layers.aspect)));
        let three = self.info().kind == ImageKind::D3;
        let (first, slices) = if three { (r.origin[2], r.extent[2]) } else { (r.layers.first, r.layers.count) };
        let elements = |texels: u32| u64::from(texels.div_ceil(side));
        let or = |n: u32, extent: u32| elements(if n == 0 { extent } else { n });
        let pitch = or(r.row_length, r.extent[0]) * bytes;
        let slice_pitch = or(r.image_height, r.extent[1]) * pitch;
        let Some(at) = self.elements(r.layers.aspect, r.layers.level, [r.origin[0], r.origin[1], first]) else {
            return Err(Error::Invalid(format!("the image has no {:?}", r.layers.aspect)));
        };
        let row = |z: u64, y: u64| TexelRow {
            host: (z * slice_pitch + y * pitch) as usize,
            memory: at.address + z * at.slice_pitch + y * at.pitch,
            bytes: (elements(r.extent[0]) * bytes) as usize,
        };
        let rows = elements(r.extent[1]);
        Ok((0..u64::from(slices)).flat_map(|z| (0..rows).map(move |y| (z, y))).map(|(z, y)| row(z, y)).collect())
    }

    /// Bytes of host memory that a region's texels span.
    pub fn host_bytes(&self, region: &HostRegion) -> Result<usize> {
        Ok(self.host_rows(region)?.last().map_or(0, |row| row.host + row.bytes))
    }

    /// Host memory to texels.
    pub fn write(&self, region: &HostRegion, data: &[u8]) -> Result<()> {
        let (memory, offset) = self.memory()?;
        for row in self.host_rows(region)? {
            let bytes = data.get(row.host..row.host + row.bytes).ok_or_else(|| too_short(data.len()))?;
            memory.write(offset + row.memory, bytes)?;
        }
        Ok(())
    }

    /// Texels to host memory.
    pub fn read(&self, region: &HostRegion, out: &mut [u8]) -> Result<()> {
        let (memory, offset) = self.memory()?;
        let all = out.len();
        for row in self.host_rows(region)? {
            let bytes = out.get_mut(row.host..row.host + row.bytes).ok_or_else(|| too_short(all))?;
            memory.read(offset + row.memory, bytes)?;
        }
        Ok(())
    }
}

fn too_short(bytes: usize) -> Error {
    Error::Invalid(format!("{bytes} bytes are too few for the texels of a copy"))
}
