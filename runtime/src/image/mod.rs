//! Images: surfaces in memory as `hw::surface` lays them out, one for each plane.
//!
//! ```text
//! image: colour | depth | stencil | depth, then stencil      each plane: slices (layers or depth, times samples) of levels
//! ```
//! Both tilings are SW_LINEAR. All numbers of boxes are texels; a compressed format's are multiples of its block.

mod host;
mod view;

pub use host::HostRegion;
pub use view::{BufferView, ImageView, ImageViewInfo, ImageViewKind, Swizzle};
pub(crate) use view::{describe, lod_u4_8};

use crate::bus::Bus;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::format::{Aspects, Format};
use crate::machine;
use crate::memory::Memory;
use crate::placed::Placing;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use wavepipe_hw::placed::PlacedKind;
use wavepipe_hw::surface::{Arrangement, ROW_ALIGN, Surface};
use wavepipe_isa::Gen;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageKind {
    D1,
    D2,
    D3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageInfo {
    pub kind: ImageKind,
    pub format: Format,
    /// Texels of level 0.
    pub extent: [u32; 3],
    pub levels: u32,
    pub layers: u32,
    /// 1, 2, 4 or 8.
    pub samples: u32,
}

/// Subresources of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageLayers {
    pub aspect: Aspects,
    pub level: u32,
    pub first: u32,
    pub count: u32,
}

impl ImageLayers {
    pub fn range(&self) -> ImageRange {
        let ImageLayers { aspect, level, first, count } = *self;
        ImageRange { aspects: aspect, first_level: level, levels: 1, first_layer: first, layers: count }
    }
}

/// Subresources of several levels; counts are of what is there, no "rest".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageRange {
    pub aspects: Aspects,
    pub first_level: u32,
    pub levels: u32,
    pub first_layer: u32,
    pub layers: u32,
}

/// Where texels lie, as vkGetImageSubresourceLayout tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubresourceLayout {
    pub offset: u64,
    pub size: u64,
    pub row_pitch: u64,
    pub array_pitch: u64,
    pub depth_pitch: u64,
}

/// Elements (texels or blocks) of memory in rows and slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Elements {
    /// Address of the first.
    pub address: u64,
    pub pitch: u64,
    pub slice_pitch: u64,
}

#[derive(Clone, Copy, Debug)]
struct Plane {
    aspect: Aspects,
    surface: Surface,
    /// Bytes from the image's start.
    offset: u64,
}

/// An image; holds its memory once bound.
pub struct Image {
    isa: Gen,
    info: ImageInfo,
    planes: Vec<Plane>,
    size: u64,
    bound: OnceLock<(Arc<Memory>, u64)>,
    place: Placing,
    /// No two images have the same.
    id: u64,
    /// Where its layout is followed.
    followed: OnceLock<Arc<Bus>>,
}

impl Image {
    /// The generation of descriptors.
    pub(crate) fn isa(&self) -> Gen {
        self.isa
    }

    pub fn new(device: &Arc<Device>, info: ImageInfo) -> Result<Arc<Image>> {
        Self::check(&info, device.bus().isa)?;
        let slices = if info.kind == ImageKind::D3 { info.extent[2] } else { info.layers };
        let mut planes = Vec::new();
        let mut size = 0u64;
        for aspect in info.format.aspects().iter() {
            let surface = Surface {
                width: info.extent[0],
                height: info.extent[1],
                slices: slices * info.samples,
                levels: info.levels,
                element_bytes: info.format.bytes(aspect),
                block_side: info.format.block_side(),
                arrangement: Arrangement::of(device.bus().isa),
            };
            planes.push(Plane { aspect, surface, offset: size });
            size += surface.bytes();
        }
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let (bound, followed) = (OnceLock::new(), OnceLock::new());
        Ok(Arc::new(Image {
            isa: device.bus().isa,
            info,
            planes,
            size,
            bound,
            place: Placing::default(),
            id,
            followed,
        }))
    }

    fn check(info: &ImageInfo, isa: Gen) -> Result<()> {
        let refuse = |what: String| Err(Error::Invalid(format!("an image of {what}")));
        if info.format.image_features(isa).is_empty() {
            return refuse(format!("format {}, which images cannot have", info.format.0));
        }
        let limits = machine::Limits::of(isa);
        let [width, height, depth] = info.extent;
        let most = match info.kind {
            ImageKind::D1 => [limits.max_image_dimension_1d, 1, 1],
            ImageKind::D2 => [limits.max_image_dimension_2d, limits.max_image_dimension_2d, 1],
            ImageKind::D3 => [limits.max_image_dimension_3d; 3],
        };
        if info.extent.iter().zip(most).any(|(&n, most)| n == 0 || n > most) {
            return refuse(format!("{width} × {height} × {depth} texels; {most:?} are the most of {:?}", info.kind));
        }
        let levels = width.max(height).max(depth).ilog2() + 1;
        if info.levels == 0 || info.levels > levels {
            return refuse(format!("{} levels; {levels} are possible", info.levels));
        }
        let layers = if info.kind == ImageKind::D3 { 1 } else { limits.max_image_array_layers };
        if info.layers == 0 || info.layers > layers {
            return refuse(format!("{} layers; {layers} are possible", info.layers));
        }
        let counted = info.samples.is_power_of_two() && info.samples & limits.sample_counts != 0;
        if !counted || info.samples > 1 && (info.kind != ImageKind::D2 || info.levels > 1) {
            return refuse(format!("{} samples, {} levels, {:?}", info.samples, info.levels, info.kind));
        }
        Ok(())
    }

    pub fn info(&self) -> &ImageInfo {
        &self.info
    }

    /// Bytes of memory that it needs, and their alignment.
    pub fn requirements(&self) -> (u64, u64) {
        (self.size.next_multiple_of(ROW_ALIGN), ROW_ALIGN)
    }

    /// Places the image at `offset` of `memory`, once for all.
    pub fn bind(&self, memory: Arc<Memory>, offset: u64) -> Result<()> {
        if !offset.is_multiple_of(ROW_ALIGN) {
            return Err(Error::Invalid(format!("image offset {offset} is not {ROW_ALIGN}-byte aligned")));
        }
        if offset.checked_add(self.size).is_none_or(|end| end > memory.size()) {
            let (bytes, size) = (self.size, memory.size());
            let message =
                format!("an image of {bytes} bytes at offset {offset} does not fit into memory of {size} bytes");
            return Err(Error::Invalid(message));
        }
        let (bus, at) = (memory.bus().clone(), memory.address() + offset);
        self.bound.set((memory, offset)).map_err(|_| Error::Invalid("the image is bound already".into()))?;
        self.place.set(&bus, PlacedKind::Image, at, self.size);
        Ok(())
    }

    /// What reports call it.
    pub fn rename(&self, name: &str) {
        self.place.rename(name);
    }

    /// The program has destroyed it, though its commands may still hold it.
    pub fn give_up(&self) {
        self.place.clear();
        self.forget_layout();
    }

    fn forget_layout(&self) {
        if let Some(bus) = self.followed.get() {
            bus.order_without(|ordering| ordering.layouts.forget(self.id));
        }
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// The program sees to its layouts from here on, as Vulkan asks for: it is bound, and in none.
    pub fn follow_layout(&self) {
        let Some((memory, offset)) = self.bound.get() else { return };
        let bus = memory.bus();
        if bus.checks_order() && self.followed.set(bus.clone()).is_ok() {
            let start = memory.address() + offset;
            bus.order_without(|ordering| ordering.layouts.place(self.id, start..start + self.size));
        }
    }

    /// Its layout changes by what no command says.
    pub fn free_layout(&self) {
        if let Some(bus) = self.followed.get() {
            bus.order_without(|ordering| ordering.layouts.free(self.id));
        }
    }

    /// All of its subresources.
    pub fn whole(&self) -> ImageRange {
        let ImageInfo { format, levels, layers, .. } = self.info;
        ImageRange { aspects: format.aspects(), first_level: 0, levels, first_layer: 0, layers }
    }

    /// Bytes that parts of it have, from its first byte on.
    pub(crate) fn bytes_of(&self, range: &ImageRange) -> Vec<Range<u64>> {
        let mut out = Vec::new();
        let layers = if self.info.kind == ImageKind::D3 { 1 } else { self.info.layers };
        for plane in self.planes.iter().filter(|p| range.aspects.contains(p.aspect)) {
            let levels = range.first_level..range.first_level.saturating_add(range.levels);
            if levels == (0..self.info.levels) && range.first_layer == 0 && range.layers >= layers {
                out.push(plane.offset..plane.offset + plane.surface.bytes());
                continue;
            }
            for level in levels.clone().take_while(|level| *level < self.info.levels) {
                let at = plane.surface.level(level);
                let slices = match self.info.kind {
                    ImageKind::D3 => 0..self.extent(level)[2],
                    _ => {
                        let end = range.first_layer.saturating_add(range.layers).min(self.info.layers);
                        range.first_layer * self.info.samples..end * self.info.samples
                    }
                };
                let start = |n: u32| plane.offset + u64::from(n) * at.slice + at.offset;
                out.extend(slices.map(|n| start(n)..start(n) + at.pitch * at.rows));
            }
        }
        out
    }

    /// Places the image where another one is.
    pub fn bind_as(&self, other: &Image) -> Result<()> {
        let (memory, offset) = other.memory()?;
        self.bind(memory.clone(), offset)
    }

    /// GPU address; 0 while unbound.
    pub fn address(&self) -> u64 {
        self.bound.get().map_or(0, |(m, offset)| m.address() + offset)
    }

    /// The memory and where in it the image starts.
    pub(crate) fn memory(&self) -> Result<(&Arc<Memory>, u64)> {
        let bound = self.bound.get().ok_or_else(|| Error::Invalid("the image has no memory".into()))?;
        Ok((&bound.0, bound.1))
    }

    fn plane(&self, aspect: Aspects) -> Option<&Plane> {
        self.planes.iter().find(|p| p.aspect == aspect)
    }

    /// Texels of a level: width, height, depth.
    pub fn extent(&self, level: u32) -> [u32; 3] {
        self.info.extent.map(|n| (n >> level.min(31)).max(1))
    }

    /// Layers, or depth of a level: what counts slices there.
    pub fn slices(&self, level: u32) -> u32 {
        if self.info.kind == ImageKind::D3 { self.extent(level)[2] } else { self.info.layers }
    }

    /// Where a subresource lies in the image. Of a 3D image `layer` is 0; its depth slices follow at `depth_pitch`.
    pub fn subresource_layout(&self, aspect: Aspects, level: u32, layer: u32) -> Option<SubresourceLayout> {
        let plane = self.plane(aspect)?;
        let at = plane.surface.level(level);
        let slice = at.slice * u64::from(self.info.samples);
        let deep = u64::from(self.extent(level)[2] - 1) * slice;
        let (row_pitch, rows) = (at.pitch, at.rows);
        let offset = plane.offset + u64::from(layer) * slice + at.offset;
        Some(SubresourceLayout {
            offset,
            size: deep + row_pitch * rows,
            row_pitch,
            array_pitch: slice,
            depth_pitch: slice,
        })
    }

    /// Bytes of an element of a plane.
    pub(crate) fn element_bytes(&self, aspect: Aspects) -> u32 {
        self.plane(aspect).map_or(0, |p| p.surface.element_bytes)
    }

    /// The elements of a level from texel `origin` on, counted from the image's start: x, y, and the slice (layer or depth;
    /// each sample is one, so consecutive layers of a multisampled image are `samples` slices apart).
    pub(crate) fn elements(&self, aspect: Aspects, level: u32, origin: [u32; 3]) -> Option<Elements> {
        let plane = self.plane(aspect)?;
        let surface = &plane.surface;
        let at = surface.level(level);
        let [x, y] = [origin[0], origin[1]].map(|n| u64::from(n / surface.block_side));
        let slice_pitch = at.slice;
        let inside = at.offset + y * at.pitch + x * u64::from(surface.element_bytes);
        let slice = u64::from(origin[2]) * u64::from(self.info.samples);
        Some(Elements { address: plane.offset + slice * slice_pitch + inside, pitch: at.pitch, slice_pitch })
    }

    /// Checks that layers are there, and a box inside of them: `origin` and `extent` in texels, z only of 3D images.
    pub(crate) fn check_box(&self, layers: &ImageLayers, origin: [u32; 3], extent: [u32; 3]) -> Result<()> {
        let three = self.info.kind == ImageKind::D3;
        let all = if three { 1 } else { self.info.layers };
        let size = self.extent(layers.level);
        let inside = |n: usize| origin[n].checked_add(extent[n]).is_some_and(|end| end <= size[n]);
        let there = layers.level < self.info.levels
            && layers.first.checked_add(layers.count).is_some_and(|end| end <= all)
            && self.plane(layers.aspect).is_some();
        if !there || !inside(0) || !inside(1) || three && !inside(2) {
            return Err(Error::Invalid(format!(
                "texels {origin:?}..+{extent:?} of {layers:?} are not in an image of {:?}",
                self.info
            )));
        }
        Ok(())
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        self.forget_layout();
    }
}
