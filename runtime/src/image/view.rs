//! Views of images and buffers, as the descriptors that kernels find in sets.

use super::{Image, ImageKind};
use crate::error::{Error, Result};
use crate::format::{Aspects, Format, FormatFeatures};
use crate::memory::Buffer;
use std::sync::Arc;
use wavepipe_hw::descriptor::{BufferDescriptor, ImageDescriptor, ImageType};

/// DST_SEL's constants.
const SEL_0: u8 = 0;
const SEL_1: u8 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageViewKind {
    D1,
    D2,
    D3,
    Cube,
    D1Array,
    D2Array,
    CubeArray,
}

/// What a component of a view reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Swizzle {
    #[default]
    Identity,
    Zero,
    One,
    R,
    G,
    B,
    A,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImageViewInfo {
    pub kind: ImageViewKind,
    pub format: Format,
    pub swizzle: [Swizzle; 4],
    /// Depth and stencil together are for attachments; kernels read depth there.
    pub aspects: Aspects,
    pub first_level: u32,
    pub levels: u32,
    /// Of a 3D image that is seen as 2D: depth slices of `first_level`.
    pub first_layer: u32,
    pub layers: u32,
    /// Least level of detail, counted from the image's level 0.
    pub min_lod: f32,
}

/// A view of an image.
pub struct ImageView {
    image: Arc<Image>,
    info: ImageViewInfo,
    descriptor: [u32; 8],
}

impl ImageView {
    /// Format and image must be compatible: texels of the same size, or blocks seen as texels of that size.
    pub fn new(image: &Arc<Image>, info: ImageViewInfo) -> Result<Arc<ImageView>> {
        let descriptor = describe(image, &info)?.to_words(image.isa());
        Ok(Arc::new(ImageView { image: image.clone(), info, descriptor }))
    }

    /// A view of the whole image in its own format and dimensions.
    pub fn whole(image: &Arc<Image>) -> Result<Arc<ImageView>> {
        let i = image.info();
        let kind = match (i.kind, i.layers) {
            (ImageKind::D1, 1) => ImageViewKind::D1,
            (ImageKind::D1, _) => ImageViewKind::D1Array,
            (ImageKind::D2, 1) => ImageViewKind::D2,
            (ImageKind::D2, _) => ImageViewKind::D2Array,
            (ImageKind::D3, _) => ImageViewKind::D3,
        };
        let info = ImageViewInfo {
            kind,
            format: i.format,
            swizzle: Default::default(),
            aspects: i.format.aspects(),
            first_level: 0,
            levels: i.levels,
            first_layer: 0,
            layers: i.layers,
            min_lod: 0.0,
        };
        ImageView::new(image, info)
    }

    pub fn image(&self) -> &Arc<Image> {
        &self.image
    }

    pub fn info(&self) -> &ImageViewInfo {
        &self.info
    }

    /// The T#, for sampled and storage images alike.
    pub fn descriptor(&self) -> [u32; 8] {
        self.descriptor
    }
}

/// DST_SEL of a format seen through a swizzle.
fn select(format: Format, swizzle: [Swizzle; 4]) -> [u8; 4] {
    let own = format.select();
    std::array::from_fn(|i| match swizzle[i] {
        Swizzle::Identity => own[i],
        Swizzle::Zero => SEL_0,
        Swizzle::One => SEL_1,
        Swizzle::R => own[0],
        Swizzle::G => own[1],
        Swizzle::B => own[2],
        Swizzle::A => own[3],
    })
}

/// The T# of a view.
pub(crate) fn describe(image: &Image, info: &ImageViewInfo) -> Result<ImageDescriptor> {
    let refuse = |what: String| Err(Error::Invalid(format!("a view {what}")));
    let i = image.info();
    let (memory, offset) = image.memory()?;
    let aspect = info.aspects & i.format.aspects();
    let Some(aspect) = aspect.iter().next() else {
        return refuse(format!("of {:?} on an image of {:?}", info.aspects, i.format.aspects()));
    };
    let Some(plane) = info.format.plane(aspect) else {
        return refuse(format!("in format {}, which has no {aspect:?}", info.format.0));
    };
    if plane.bytes() != image.element_bytes(aspect) {
        return refuse(format!("in format {} of an image of format {}", info.format.0, i.format.0));
    }
    // A 3D image that is seen as 2D: its depth slices are the layers.
    let flattened = i.kind == ImageKind::D3 && info.kind != ImageViewKind::D3;
    let layers = if flattened { image.extent(info.first_level)[2] } else { i.layers };
    let inside = |first: u32, count: u32, all: u32| count > 0 && first.checked_add(count).is_some_and(|end| end <= all);
    if !inside(info.first_level, info.levels, i.levels) || !inside(info.first_layer, info.layers, layers) {
        return refuse(format!("of {info:?} on an image of {i:?}"));
    }
    let kind = match (info.kind, i.samples > 1) {
        (ImageViewKind::D2, true) => ImageType::D2Msaa,
        (ImageViewKind::D2Array, true) => ImageType::D2MsaaArray,
        (_, true) => return refuse(format!("as {:?} of a multisampled image", info.kind)),
        (ImageViewKind::D1, _) => ImageType::D1,
        (ImageViewKind::D2, _) => ImageType::D2,
        (ImageViewKind::D3, _) => ImageType::D3,
        (ImageViewKind::Cube | ImageViewKind::CubeArray, _) => ImageType::Cube,
        (ImageViewKind::D1Array, _) => ImageType::D1Array,
        (ImageViewKind::D2Array, _) => ImageType::D2Array,
    };
    let Some(start) = image.elements(aspect, 0, [0; 3]) else {
        return Err(Error::Internal(format!("an image without its plane {aspect:?}")));
    };
    let plane_start = start.address - first_level_offset(image, aspect);
    let slices = if i.kind == ImageKind::D3 { i.extent[2] } else { i.layers };
    let elements = |pitch: u64, plane: &wavepipe_isa::format::Format| {
        (pitch / u64::from(plane.bytes())) as u32 * plane.block_side() - 1
    };
    let whole = ImageDescriptor {
        base: memory.address() + offset + plane_start,
        format: plane.number,
        dst_sel: select(info.format, info.swizzle),
        bc_swizzle: info.format.border_swizzle(),
        base_level: info.first_level as u8,
        last_level: (info.first_level + info.levels - 1) as u8,
        max_mip: (i.levels - 1) as u8,
        last_x: i.extent[0] - 1,
        last_y: i.extent[1] - 1,
        kind: kind as u8,
        base_array: if kind == ImageType::D3 { 0 } else { info.first_layer },
        last_slice: if kind == ImageType::D3 { i.extent[2] - 1 } else { info.first_layer + info.layers - 1 },
        last_depth: slices - 1,
        pitch: elements(start.pitch, plane),
        min_lod: lod_u4_8(info.min_lod - info.first_level as f32),
        ..Default::default()
    };
    if kind.multisampled() {
        let samples = i.samples.ilog2() as u8;
        return Ok(ImageDescriptor { base_level: 0, last_level: samples, max_mip: samples, ..whole });
    }
    let own_side = i.format.block_side();
    if plane.block_side() == own_side {
        return Ok(whole);
    }
    // Blocks seen as texels. Sizes of small levels round otherwise than the hardware's shift, so the level, one by the
    // specification, becomes a surface of its own; layers of a chain are apart, so that there is one of them.
    if info.levels != 1 || (i.levels > 1 && info.layers != 1) {
        return refuse(format!("of {} levels and {} layers of blocks as texels", info.levels, info.layers));
    }
    let [width, height, depth] = image.extent(info.first_level);
    let first = if kind == ImageType::D3 { 0 } else { info.first_layer };
    let Some(level) = image.elements(aspect, info.first_level, [0, 0, first]) else {
        return Err(Error::Internal(format!("an image without its plane {aspect:?}")));
    };
    if kind == ImageType::D3 && i.levels > 1 && depth > 1 {
        return refuse("of a level with depth of blocks as texels".into());
    }
    let last_slice = if kind == ImageType::D3 { depth - 1 } else { info.layers - 1 };
    Ok(ImageDescriptor {
        base: memory.address() + offset + level.address,
        last_depth: last_slice,
        pitch: elements(level.pitch, plane),
        last_x: (level.pitch / u64::from(plane.bytes())).min(width.div_ceil(own_side).into()) as u32 - 1,
        last_y: height.div_ceil(own_side) - 1,
        base_level: 0,
        last_level: 0,
        max_mip: 0,
        base_array: 0,
        last_slice,
        ..whole
    })
}

/// Bytes from a slice's start to level 0.
fn first_level_offset(image: &Image, aspect: Aspects) -> u64 {
    image.plane(aspect).map_or(0, |p| p.surface.level(0).offset)
}

/// u4.8, clamped to what it can say.
pub(crate) fn lod_u4_8(lod: f32) -> u16 {
    (lod.clamp(0.0, 4095.0 / 256.0) * 256.0).round() as u16
}

/// A view of a buffer as texels.
pub struct BufferView {
    buffer: Arc<Buffer>,
    descriptor: [u32; 4],
}

impl BufferView {
    /// `range` bytes from `offset` on; `None` = to the buffer's end. A rest smaller than a texel is left out.
    pub fn new(buffer: &Arc<Buffer>, format: Format, offset: u64, range: Option<u64>) -> Result<Arc<BufferView>> {
        let texels = FormatFeatures::UNIFORM_TEXEL_BUFFER | FormatFeatures::STORAGE_TEXEL_BUFFER;
        let features = format.buffer_features(buffer.isa());
        let plane = format.plane(Aspects::COLOR).filter(|_| features.intersects(texels));
        let Some(plane) = plane else {
            return Err(Error::Invalid(format!("a buffer view in format {}, which has no texel buffers", format.0)));
        };
        let rest = buffer.size().saturating_sub(offset);
        let range = range.unwrap_or(rest);
        if range > rest || offset > buffer.size() {
            let message = format!("bytes {offset}..+{range} are outside of a buffer of {}", buffer.size());
            return Err(Error::Invalid(message));
        }
        let descriptor = BufferDescriptor {
            base: buffer.address() + offset,
            stride: plane.bytes(),
            num_records: (range / u64::from(plane.bytes())).min(u64::from(u32::MAX)) as u32,
            dst_sel: format.select(),
            format: plane.number as u8,
            // Structured: the index is checked against the number of records.
            oob_select: 0,
            ..Default::default()
        };
        Ok(Arc::new(BufferView { buffer: buffer.clone(), descriptor: descriptor.to_words(buffer.isa()) }))
    }

    pub fn buffer(&self) -> &Arc<Buffer> {
        &self.buffer
    }

    /// The V#, for uniform and storage texel buffers alike.
    pub fn descriptor(&self) -> [u32; 4] {
        self.descriptor
    }
}
