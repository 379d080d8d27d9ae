//! Copies of images and clears: bytes that DMA_DATA moves row by row, or in one piece where rows are neighbours.

use super::CommandBuffer;
use crate::error::{Error, Result};
use crate::format::{Aspects, Format};
use crate::image::{Elements, Image, ImageKind, ImageLayers, ImageRange, ImageView};
use crate::memory::Buffer;
use std::sync::Arc;
use wavepipe_hw::pm4::DmaSource;

/// Bytes of a pattern that does not fit a fill's dword, repeated before it is copied.
const PATTERN_BYTES: usize = 4096;

/// A part of a copy between a buffer and an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferImageCopy {
    pub buffer_offset: u64,
    /// Texels from row to row and rows from slice to slice in the buffer; 0 = as the extent.
    pub row_length: u32,
    pub image_height: u32,
    pub layers: ImageLayers,
    pub origin: [u32; 3],
    pub extent: [u32; 3],
}

/// A part of a copy or resolve between images. The extent is in texels of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageCopy {
    pub source: ImageLayers,
    pub source_origin: [u32; 3],
    pub dest: ImageLayers,
    pub dest_origin: [u32; 3],
    pub extent: [u32; 3],
}

/// Texels and layers of a view, counted from the view's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    pub origin: [u32; 2],
    pub extent: [u32; 2],
    pub first_layer: u32,
    pub layers: u32,
}

/// How much is moved: bytes of a row, rows, slices.
#[derive(Clone, Copy)]
struct Amount {
    row: u64,
    rows: u64,
    slices: u64,
}

/// First slice and number of slices of a box: depth of a 3D image, layers of any other.
fn slices(image: &Image, layers: &ImageLayers, z: u32, depth: u32) -> (u32, u32) {
    if image.info().kind == ImageKind::D3 { (z, depth) } else { (layers.first, layers.count) }
}

/// The texel of a plane that shows this colour.
pub fn color_texel(format: Format, aspect: Aspects, color: [u32; 4]) -> Option<Vec<u8>> {
    let plane = format.plane(aspect).filter(|plane| plane.block_side() == 1)?;
    let select = format.select();
    // A component of 64 bits takes two of the colour's words, as the CTS has it; the specification of 1.3 is silent.
    let color = if format.is_wide() { [color[0], color[1], 0, 0] } else { color };
    let placed = [4, 5, 6, 7].map(|c| select.iter().position(|&s| s == c).map_or(0, |i| color[i]));
    Some(plane.encode(placed)[..plane.bytes() as usize].to_vec())
}

/// A texel as a dword that repeats, if it does.
pub fn repeated(texel: &[u8]) -> Option<u32> {
    let at = |i: usize| texel[i % texel.len()];
    let word = u32::from_le_bytes([at(0), at(1), at(2), at(3)]);
    let whole = texel.len().is_power_of_two() && (0..texel.len()).all(|i| texel[i] == word.to_le_bytes()[i % 4]);
    whole.then_some(word)
}

impl CommandBuffer {
    /// Elements of a bound image by GPU address.
    fn image_place(&self, image: &Image, layers: &ImageLayers, origin: [u32; 3]) -> Result<Elements> {
        let base = image.address();
        match image.elements(layers.aspect, layers.level, origin) {
            Some(e) if base != 0 => Ok(Elements { address: base + e.address, ..e }),
            _ => Err(Error::Invalid(format!("the image has no memory, or no {:?}", layers.aspect))),
        }
    }

    fn copy_rows(&mut self, from: Elements, to: Elements, amount: Amount) {
        let Amount { row, rows, slices } = amount;
        let same = from.pitch == to.pitch && from.pitch == row;
        let deep = same && from.slice_pitch == to.slice_pitch && from.slice_pitch == row * rows;
        let (bytes, rows, slices) = match (same, deep) {
            (_, true) => (row * rows * slices, 1, 1),
            (true, _) => (row * rows, 1, slices),
            _ => (row, rows, slices),
        };
        for z in 0..slices {
            for y in 0..rows {
                let at = |e: &Elements| e.address + z * e.slice_pitch + y * e.pitch;
                self.dma(DmaSource::Memory(at(&from)), at(&to), bytes);
            }
        }
    }

    /// Where a region's texels are in the buffer and in the image, and how many.
    fn buffer_region(
        &self,
        buffer: &Buffer,
        image: &Image,
        r: &BufferImageCopy,
    ) -> Result<Option<(Elements, Elements, Amount)>> {
        image.check_box(&r.layers, r.origin, r.extent)?;
        let (side, bytes) = (image.info().format.block_side(), u64::from(image.element_bytes(r.layers.aspect)));
        let (first, count) = slices(image, &r.layers, r.origin[2], r.extent[2]);
        let elements = |texels: u32| u64::from(texels.div_ceil(side));
        let or = |n: u32, extent: u32| elements(if n == 0 { extent } else { n });
        let (width, height) = (elements(r.extent[0]), elements(r.extent[1]));
        if width == 0 || height == 0 || count == 0 {
            return Ok(None);
        }
        let pitch = or(r.row_length, r.extent[0]) * bytes;
        let slice_pitch = or(r.image_height, r.extent[1]) * pitch;
        let size = (u64::from(count) - 1) * slice_pitch + (height - 1) * pitch + width * bytes;
        let address = self.place(buffer, r.buffer_offset, size)?;
        let place = self.image_place(image, &r.layers, [r.origin[0], r.origin[1], first])?;
        let amount = Amount { row: width * bytes, rows: height, slices: count.into() };
        Ok(Some((Elements { address, pitch, slice_pitch }, place, amount)))
    }

    pub fn copy_buffer_to_image(&mut self, source: &Arc<Buffer>, dest: &Arc<Image>, regions: &[BufferImageCopy]) {
        self.moves("vkCmdCopyBufferToImage");
        self.keep(source);
        self.keep(dest);
        for region in regions {
            let found = self.buffer_region(source, dest, region);
            if let Some(Some((buffer, image, amount))) = self.latch(found) {
                self.copy_rows(buffer, image, amount);
            }
        }
    }

    pub fn copy_image_to_buffer(&mut self, source: &Arc<Image>, dest: &Arc<Buffer>, regions: &[BufferImageCopy]) {
        self.moves("vkCmdCopyImageToBuffer");
        self.keep(source);
        self.keep(dest);
        for region in regions {
            let found = self.buffer_region(dest, source, region);
            if let Some(Some((buffer, image, amount))) = self.latch(found) {
                self.copy_rows(image, buffer, amount);
            }
        }
    }

    /// Texels as they are: formats may differ where sizes of texels or blocks do not. A 3D image's slices go to an array's
    /// layers and back.
    pub fn copy_image(&mut self, source: &Arc<Image>, dest: &Arc<Image>, regions: &[ImageCopy]) {
        self.moves("vkCmdCopyImage");
        self.keep(source);
        self.keep(dest);
        for region in regions {
            let found = self.image_region(source, dest, region);
            if let Some((from, to, amount)) = self.latch(found) {
                self.copy_rows(from, to, amount);
            }
        }
    }

    fn image_region(&self, source: &Image, dest: &Image, r: &ImageCopy) -> Result<(Elements, Elements, Amount)> {
        let bytes = source.element_bytes(r.source.aspect);
        let (from, to) = (source.info(), dest.info());
        if bytes != dest.element_bytes(r.dest.aspect) || from.samples != to.samples {
            return Err(Error::Invalid(format!("a copy from {from:?} to {to:?}")));
        }
        let (from_side, to_side) = (from.format.block_side(), to.format.block_side());
        let [width, height] = [r.extent[0], r.extent[1]].map(|n| n.div_ceil(from_side));
        let (from_first, from_count) = slices(source, &r.source, r.source_origin[2], r.extent[2]);
        let (to_first, to_count) = slices(dest, &r.dest, r.dest_origin[2], r.extent[2]);
        let mixed = from.kind != to.kind && (from.kind == ImageKind::D3 || to.kind == ImageKind::D3);
        if from_count != to_count && !mixed {
            return Err(Error::Invalid(format!("a copy of {from_count} slices to {to_count}")));
        }
        source.check_box(&r.source, r.source_origin, r.extent)?;
        // The last block of a level may reach over its edge.
        let size = dest.extent(r.dest.level);
        let reach = |axis: usize, n: u32| (n * to_side).min(size[axis].saturating_sub(r.dest_origin[axis]));
        let inside = |axis: usize, n: u32| r.dest_origin[axis] + n * to_side < size[axis] + to_side;
        if !inside(0, width) || !inside(1, height) {
            return Err(Error::Invalid(format!("a copy to {r:?}, outside of {to:?}")));
        }
        dest.check_box(&r.dest, r.dest_origin, [reach(0, width), reach(1, height), to_count.min(r.extent[2].max(1))])?;
        let first = self.image_place(source, &r.source, [r.source_origin[0], r.source_origin[1], from_first])?;
        let second = self.image_place(dest, &r.dest, [r.dest_origin[0], r.dest_origin[1], to_first])?;
        let amount = Amount {
            row: u64::from(width) * u64::from(bytes),
            rows: height.into(),
            slices: u64::from(from_count.min(to_count)) * u64::from(from.samples),
        };
        Ok((first, second, amount))
    }

    /// Repeats a texel. `padded`: rows are whole, so that what pads them may be written too.
    fn fill_texels(&mut self, to: Elements, texel: &[u8], mut amount: Amount, padded: bool) -> Result<()> {
        if amount.row == 0 || amount.rows == 0 {
            return Ok(());
        }
        if padded {
            amount = Amount { row: to.pitch * amount.rows, rows: 1, ..amount };
        }
        let at = |y: u64, z: u64| to.address + z * to.slice_pitch + y * to.pitch;
        if let Some(word) = repeated(texel) {
            for z in 0..amount.slices {
                for y in 0..amount.rows {
                    self.dma(DmaSource::Fill(word), at(y, z), amount.row);
                }
            }
            return Ok(());
        }
        // The first row by doubling what is there already, the others from it.
        let count = (PATTERN_BYTES / texel.len()).max(1);
        let start = (count * texel.len()).min(amount.row as usize);
        let pattern = self.upload(&texel.repeat(count)[..start])?;
        self.dma(DmaSource::Memory(pattern), to.address, start as u64);
        let mut done = start as u64;
        while done < amount.row {
            // Whole texels: a row of padded bytes may end inside of one.
            let part = done.min(amount.row - done);
            self.dma(DmaSource::Memory(to.address), to.address + done, part);
            done += part;
        }
        for z in 0..amount.slices {
            for y in 0..amount.rows {
                if (y, z) != (0, 0) {
                    self.dma(DmaSource::Memory(to.address), at(y, z), amount.row);
                }
            }
        }
        Ok(())
    }

    fn clear_range(&mut self, image: &Arc<Image>, aspect: Aspects, texel: &[u8], r: &ImageRange) -> Result<()> {
        for level in r.first_level..r.first_level.saturating_add(r.levels) {
            let [width, height, depth] = image.extent(level);
            let layers = ImageLayers { aspect, level, first: r.first_layer, count: r.layers };
            image.check_box(&layers, [0; 3], [width, height, depth])?;
            let (first, count) = slices(image, &layers, 0, depth);
            let to = self.image_place(image, &layers, [0, 0, first])?;
            let amount = Amount {
                row: u64::from(width) * texel.len() as u64,
                rows: height.into(),
                slices: u64::from(count) * u64::from(image.info().samples),
            };
            // A texel of three dwords does not divide a padded row: rows of their own.
            self.fill_texels(to, texel, amount, to.pitch.is_multiple_of(texel.len() as u64))?;
        }
        Ok(())
    }

    /// Red, green, blue, alpha as a register has them: f32 bits or integers.
    pub fn clear_color_image(&mut self, image: &Arc<Image>, color: [u32; 4], ranges: &[ImageRange]) {
        self.moves("vkCmdClearColorImage");
        self.keep(image);
        let format = image.info().format;
        let texel = color_texel(format, Aspects::COLOR, color)
            .ok_or_else(|| Error::Invalid(format!("a clear of an image of format {}", format.0)));
        let Some(texel) = self.latch(texel) else { return };
        for range in ranges {
            let cleared = self.clear_range(image, Aspects::COLOR, &texel, range);
            self.latch(cleared);
        }
    }

    /// Both aspects or one, as the ranges say.
    pub fn clear_depth_stencil_image(&mut self, image: &Arc<Image>, depth: f32, stencil: u32, ranges: &[ImageRange]) {
        self.moves("vkCmdClearDepthStencilImage");
        self.keep(image);
        for range in ranges {
            for aspect in (range.aspects & image.info().format.aspects()).iter() {
                let value = if aspect == Aspects::DEPTH { depth.to_bits() } else { stencil & 0xff };
                let Some(texel) = color_texel(image.info().format, aspect, [value, 0, 0, 0]) else { continue };
                let cleared = self.clear_range(image, aspect, &texel, range);
                self.latch(cleared);
            }
        }
    }

    /// A rectangle of an attachment, in the view's format. `value`: a colour, or depth or stencil in the first word.
    pub fn clear_attachment(&mut self, view: &Arc<ImageView>, aspect: Aspects, value: [u32; 4], area: &Area) {
        self.command = None;
        self.keep(view);
        let cleared = self.clear_view(view, aspect, value, area);
        self.latch(cleared);
    }

    fn clear_view(&mut self, view: &ImageView, aspect: Aspects, value: [u32; 4], area: &Area) -> Result<()> {
        let (image, v) = (view.image(), view.info());
        let texel = color_texel(v.format, aspect, value)
            .ok_or_else(|| Error::Invalid(format!("a clear of {aspect:?} of a view of format {}", v.format.0)))?;
        let size = image.extent(v.first_level);
        let inside = |n: usize| area.origin[n].checked_add(area.extent[n]).is_some_and(|end| end <= size[n]);
        let layers = if v.kind == crate::image::ImageViewKind::D3 { size[2] } else { v.layers };
        let there = area.first_layer.checked_add(area.layers).is_some_and(|end| end <= layers);
        if !inside(0) || !inside(1) || !there {
            return Err(Error::Invalid(format!("a clear of {area:?}, outside of a view of {size:?}, {layers} layers")));
        }
        let place = ImageLayers { aspect, level: v.first_level, first: 0, count: 1 };
        let slice = v.first_layer + area.first_layer;
        let to = self.image_place(image, &place, [area.origin[0], area.origin[1], slice])?;
        let amount = Amount {
            row: u64::from(area.extent[0]) * texel.len() as u64,
            rows: area.extent[1].into(),
            slices: u64::from(area.layers) * u64::from(image.info().samples),
        };
        let padded = area.origin[0] == 0 && area.extent[0] == size[0] && to.pitch.is_multiple_of(texel.len() as u64);
        self.fill_texels(to, &texel, amount, padded)
    }
}
