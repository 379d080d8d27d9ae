//! Blits and resolves: kernels of the driver ([`crate::meta`]) that read one image through a sampler or sample by sample,
//! and write another. What the program has bound stays bound.

use super::CommandBuffer;
use super::transfer::{Area, ImageCopy};
use crate::descriptor::DescriptorSet;
use crate::error::{Error, Result};
use crate::format::{Aspects, Format};
use crate::image::{Image, ImageKind, ImageLayers, ImageView, ImageViewInfo, ImageViewKind, describe};
use crate::meta::{MetaKernel, ResolveMode};
use crate::sampler::{self, AddressMode, Filter, SamplerInfo};
use std::sync::Arc;
use wavepipe_hw::descriptor::ImageDescriptor;
use wavepipe_isa::format::Num;

/// A part of a blit: two opposite corners in each image; of arrays the third number counts nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageBlit {
    pub source: ImageLayers,
    pub source_corners: [[i32; 3]; 2],
    pub dest: ImageLayers,
    pub dest_corners: [[i32; 3]; 2],
}

/// One direction of a blit: the texels that are written, and the line from them to source coordinates.
pub struct Axis {
    pub first: u32,
    pub count: u32,
    pub scale: f32,
    pub offset: f32,
}

impl Axis {
    /// Texel k of the destination, counted from `first`, shows the source at (k + ½) · scale + offset.
    pub fn new(source: [i32; 2], dest: [i32; 2]) -> Axis {
        let (first, end) = (dest[0].min(dest[1]), dest[0].max(dest[1]));
        let [s0, s1, d0, d1] = [source[0], source[1], dest[0], dest[1]].map(f64::from);
        let scale = if d0 == d1 { 0.0 } else { (s1 - s0) / (d1 - d0) };
        let offset = s0 + (f64::from(first) - d0) * scale;
        let (first, count) = (first.max(0) as u32, (end - first).max(0) as u32);
        Axis { first, count, scale: scale as f32, offset: offset as f32 }
    }
}

/// One level of one aspect, as layers or, to be sampled in three directions, as 3D.
fn level(image: &Image, layers: &ImageLayers, kind: ImageViewKind) -> Result<ImageDescriptor> {
    let three = kind == ImageViewKind::D3;
    let view = ImageViewInfo {
        kind,
        format: image.info().format,
        swizzle: Default::default(),
        aspects: layers.aspect,
        first_level: layers.level,
        levels: 1,
        first_layer: 0,
        layers: if three { 1 } else { image.slices(layers.level) },
        min_lod: 0.0,
    };
    describe(image, &view)
}

/// A destination that image stores can write, and whether the kernel must encode sRGB for it.
fn storable(mut dest: ImageDescriptor, format: Format, aspect: Aspects) -> (ImageDescriptor, bool) {
    let srgb = format.plane(aspect).is_some_and(|plane| plane.num == Num::Srgb);
    if srgb {
        // 8_SRGB, 8_8_SRGB, 8_8_8_8_SRGB as UNORM.
        dest.format = match dest.format {
            128 => 1,
            129 => 14,
            _ => 56,
        };
    }
    (dest, srgb)
}

impl CommandBuffer {
    /// Scales and converts. Integers and stencil take the nearest texel only.
    pub fn blit_image(&mut self, source: &Arc<Image>, dest: &Arc<Image>, regions: &[ImageBlit], filter: Filter) {
        self.moves("vkCmdBlitImage");
        self.keep(source);
        self.keep(dest);
        for region in regions {
            let blitted = self.blit(source, dest, region, filter);
            self.latch(blitted);
        }
    }

    fn blit(&mut self, source: &Image, dest: &Image, r: &ImageBlit, filter: Filter) -> Result<()> {
        let three = |image: &Image| image.info().kind == ImageKind::D3;
        let (source_3d, dest_3d) = (three(source), three(dest));
        let axis = |n: usize| {
            let line = |corners: [[i32; 3]; 2]| [corners[0][n], corners[1][n]];
            Axis::new(line(r.source_corners), line(r.dest_corners))
        };
        let (x, y, mut z) = (axis(0), axis(1), axis(2));
        if !dest_3d {
            (z.first, z.count) = (r.dest.first, r.dest.count);
        }
        if !source_3d {
            // Coordinates of layers are rounded to the nearest.
            let first = r.source.first as f32;
            (z.scale, z.offset) = if dest_3d { (0.0, first) } else { (1.0, first - 0.5) };
        }
        let kind = if source_3d { ImageViewKind::D3 } else { ImageViewKind::D2Array };
        let from = level(source, &r.source, kind)?;
        let to = level(dest, &r.dest, ImageViewKind::D2Array)?;
        let (to, to_srgb) = storable(to, dest.info().format, r.dest.aspect);
        let sampler = SamplerInfo {
            mag: filter,
            min: filter,
            address: [AddressMode::ClampToEdge; 3],
            unnormalized: true,
            ..Default::default()
        };
        let mut constants = vec![x.first, y.first, z.first, x.count, y.count];
        constants.extend([x.scale, y.scale, z.scale, x.offset, y.offset, z.offset].map(f32::to_bits));
        let extent = [x.count, y.count, z.count];
        self.texels(MetaKernel::Blit { source_3d, to_srgb }, (from, sampler), to, &constants, extent)
    }

    /// Samples to texels: the average of a colour, the first sample of integers.
    pub fn resolve_image(&mut self, source: &Arc<Image>, dest: &Arc<Image>, regions: &[ImageCopy]) {
        self.moves("vkCmdResolveImage");
        self.keep(source);
        self.keep(dest);
        for r in regions {
            let resolved = level(source, &r.source, ImageViewKind::D2Array).and_then(|from| {
                let to = level(dest, &r.dest, ImageViewKind::D2Array)?;
                let (to_first, count) = match dest.info().kind {
                    ImageKind::D3 => (r.dest_origin[2], 1),
                    _ => (r.dest.first, r.dest.count),
                };
                let at = |o: [u32; 3], slice| [o[0], o[1], slice];
                let places = [at(r.source_origin, r.source.first), at(r.dest_origin, to_first)];
                let (samples, format) = (source.info().samples, dest.info().format);
                let extent = [r.extent[0], r.extent[1], count];
                self.resolve((from, samples), (to, format, r.dest.aspect), ResolveMode::Average, places, extent)
            });
            self.latch(resolved);
        }
    }

    /// An area of one attachment to another, at the same place.
    pub fn resolve_attachment(
        &mut self,
        source: &Arc<ImageView>,
        dest: &Arc<ImageView>,
        aspect: Aspects,
        mode: ResolveMode,
        area: &Area,
    ) {
        self.command = None;
        self.keep(source);
        self.keep(dest);
        let of = |view: &ImageView| {
            let info = ImageViewInfo { kind: ImageViewKind::D2Array, aspects: aspect, levels: 1, ..*view.info() };
            describe(view.image(), &info)
        };
        let resolved = of(source).and_then(|from| {
            let to = of(dest)?;
            let origin = [area.origin[0], area.origin[1], area.first_layer];
            let extent = [area.extent[0], area.extent[1], area.layers];
            let from = (from, source.image().info().samples);
            self.resolve(from, (to, dest.info().format, aspect), mode, [origin; 2], extent)
        });
        self.latch(resolved);
    }

    /// `places`: first texel and layer of source and destination.
    fn resolve(
        &mut self,
        (from, samples): (ImageDescriptor, u32),
        (to, format, aspect): (ImageDescriptor, Format, Aspects),
        mode: ResolveMode,
        places: [[u32; 3]; 2],
        extent: [u32; 3],
    ) -> Result<()> {
        if samples < 2 {
            return Err(Error::Invalid("a resolve of an image with one sample".into()));
        }
        let integer = format.plane(aspect).is_some_and(|plane| plane.is_integer());
        let mode = if integer && mode == ResolveMode::Average { ResolveMode::SampleZero } else { mode };
        let (to, to_srgb) = storable(to, format, aspect);
        let [s, d] = places;
        let constants = [s[0], s[1], s[2], d[0], d[1], d[2], extent[0], extent[1]];
        let kernel = MetaKernel::Resolve { samples, mode, integer, to_srgb };
        self.texels(kernel, (from, SamplerInfo::default()), to, &constants, extent)
    }

    /// Launches a kernel of the driver over `extent` texels.
    fn texels(
        &mut self,
        kernel: MetaKernel,
        (from, sampler): (ImageDescriptor, SamplerInfo),
        to: ImageDescriptor,
        constants: &[u32],
        extent: [u32; 3],
    ) -> Result<()> {
        if extent.contains(&0) {
            return Ok(());
        }
        let isa = self.heap.isa();
        let sampler = sampler::describe(&sampler, 0).to_words(isa);
        let source: Vec<u32> = from.to_words(isa).into_iter().chain(sampler).collect();
        let write = |set: &DescriptorSet| {
            set.write_words(0, 0, &source)?;
            set.write_words(1, 0, &to.to_words(isa))
        };
        self.launch_meta(kernel, write, constants, extent)
    }
}
