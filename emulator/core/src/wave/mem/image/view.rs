//! A T# as the texture unit sees it: which texels there are, and at which address each is.

use std::cell::{Cell, Ref, RefCell};
use wavepipe_hw::descriptor::{ImageDescriptor, ImageType, SW_LINEAR, sw_mode_name};
use wavepipe_hw::surface::{Arrangement, Surface};
use wavepipe_isa::Gen;
use wavepipe_isa::format::Format;

/// Most levels that MAX_MIP can say.
const LEVELS: usize = 16;

/// An image view.
pub(super) struct View {
    /// `None`: no image; everything reads as zero and nothing is written.
    pub format: Option<&'static Format>,
    pub kind: ImageType,
    base: u64,
    /// Texels of level 0 of the surface: width, height, depth (1 unless 3D).
    size: [u32; 3],
    /// Levels of the view, in the surface's numbers.
    pub base_level: u32,
    pub last_level: u32,
    /// Layers of the view; of a 3D image the slices of a view that has its own.
    pub first_slice: u32,
    pub last_slice: u32,
    /// 3D with BASE_ARRAY and DEPTH counted in the accessed level.
    sliced: bool,
    pub samples: u32,
    pub dst_sel: [u8; 4],
    pub bc_swizzle: u8,
    /// u4.8, from the base level, as the S#'s.
    pub min_lod: u16,
    pub min_lod_warn: u16,
    bytes: u32,
    /// log2 of the texels of a block's side.
    side: u32,
    /// Bytes from the surface's start to the end of the last texel that the view has.
    extent: u64,
    levels: [Mip; LEVELS],
}

/// Views that are kept.
const KEPT: usize = 8;

/// What a work-group knows of its images.
#[derive(Default)]
pub(crate) struct Images {
    /// Views of the T#s that were met last, each where its words say.
    views: [RefCell<Kept>; KEPT],
    /// Rows of 32 lanes that an instruction served at once.
    pub at_once: Cell<u64>,
}

/// A T#, and the view that it is.
#[derive(Default)]
struct Kept {
    words: [u32; 8],
    isa: Gen,
    view: Option<View>,
}

impl Images {
    /// The view that a T# is.
    ///
    /// # Errors
    /// As [`View::new`].
    #[inline(always)]
    pub(super) fn view(&self, words: [u32; 8], isa: Gen) -> Result<Ref<'_, View>, String> {
        let all = words.iter().fold(0u32, |all, w| all.rotate_left(5) ^ w);
        let kept = &self.views[all.wrapping_mul(0x9e37_79b1) as usize >> (32 - KEPT.ilog2()) & (KEPT - 1)];
        let of_these = |k: &Kept| k.words == words && k.isa == isa;
        let met = kept.borrow();
        if let Ok(view) = Ref::filter_map(met, |k| k.view.as_ref().filter(|_| of_these(k))) {
            return Ok(view);
        }
        Images::meet(kept, words, isa)?;
        Ref::filter_map(kept.borrow(), |k| k.view.as_ref()).map_err(|_| "an image without a view".into())
    }

    #[cold]
    #[inline(never)]
    fn meet(kept: &RefCell<Kept>, words: [u32; 8], isa: Gen) -> Result<(), String> {
        let view = View::new(&ImageDescriptor::from_words(words, isa), isa)?;
        *kept.borrow_mut() = Kept { words, isa, view: Some(view) };
        Ok(())
    }
}

/// Where a level is: bytes from the surface's start, from one slice to the next and from one row of elements to the next.
#[derive(Clone, Copy, Default)]
struct Mip {
    offset: u64,
    slice: u64,
    pitch: u32,
}

/// One texel: level in the surface's numbers, slice with layer or depth and sample in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Texel {
    pub level: u32,
    pub x: u32,
    pub y: u32,
    pub slice: u32,
}

impl View {
    /// # Errors
    /// What the descriptor asks for that this emulator does not have.
    pub fn new(d: &ImageDescriptor, isa: Gen) -> Result<View, String> {
        let format = match d.format {
            0 => None,
            n => Some(Format::find(n).ok_or_else(|| format!("an image of format number {n}"))?),
        };
        // A T# of another type is no image: the null descriptor is all zeros.
        let (kind, format) = match d.image_type() {
            Some(kind) => (kind, format),
            None => (ImageType::D1, None),
        };
        if format.is_some() && d.sw_mode != SW_LINEAR {
            let name = sw_mode_name(d.sw_mode, isa).unwrap_or("?");
            return Err(format!("an image in swizzle mode {name} ({}); images are SW_LINEAR (0) here", d.sw_mode));
        }
        if format.is_some() && d.compression_en {
            return Err("an image with delta colour compression (COMPRESSION_EN)".into());
        }
        let three = kind == ImageType::D3;
        let flat = matches!(kind, ImageType::D1 | ImageType::D1Array);
        let ms = kind.multisampled();
        let size = [d.last_x + 1, if flat { 1 } else { d.last_y + 1 }, if three { d.last_slice + 1 } else { 1 }];
        let samples = if ms { 1 << d.last_level.min(4) } else { 1 };
        let arrangement = Arrangement::of(isa);
        let max_mip = match arrangement.by_level {
            _ if ms => 0,
            // The surface may have more.
            true => u32::from(d.last_level),
            false => u32::from(d.max_mip),
        };
        let (bytes, block_side) = format.map_or((1, 1), |f| (f.bytes(), f.block_side()));
        let surface = Surface {
            width: size[0],
            height: size[1],
            slices: d.last_depth + 1,
            levels: max_mip + 1,
            element_bytes: bytes,
            block_side,
            arrangement,
        };
        let mut levels = [Mip::default(); LEVELS];
        for (n, mip) in levels.iter_mut().enumerate().take(max_mip as usize + 1) {
            let mut level = surface.level(n as u32);
            if d.pitch != 0 && max_mip == 0 {
                level.pitch = u64::from((d.pitch + 1) / block_side) * u64::from(bytes);
                level.slice = level.pitch * level.rows;
            }
            // A row has at most 16,384 elements of 16 bytes.
            *mip = Mip { offset: level.offset, slice: level.slice, pitch: level.pitch as u32 };
        }
        let base_level = if ms { 0 } else { u32::from(d.base_level).min(max_mip) };
        let mut view = View {
            format,
            kind,
            base: d.base,
            size,
            base_level,
            last_level: if ms { 0 } else { u32::from(d.last_level).clamp(base_level, max_mip) },
            first_slice: d.base_array,
            last_slice: if kind.layered() || three { d.last_slice } else { d.base_array },
            sliced: three && d.array_pitch & 1 != 0,
            samples,
            dst_sel: d.dst_sel,
            bc_swizzle: d.bc_swizzle,
            min_lod: d.min_lod,
            min_lod_warn: d.min_lod_warn,
            bytes,
            side: block_side.trailing_zeros(),
            extent: 0,
            levels,
        };
        let end = |level| {
            let (first, count) = view.slices(level);
            let slice = (first + count.max(1)) * view.samples - 1;
            view.offset(Texel { level, x: view.size(level, 0) - 1, y: view.size(level, 1) - 1, slice })
        };
        view.extent = (view.base_level..=view.last_level).map(end).max().unwrap_or(0) + u64::from(bytes);
        Ok(view)
    }

    /// Texels of a level in direction 0 (x), 1 (y), 2 (z).
    #[inline(always)]
    pub fn size(&self, level: u32, axis: usize) -> u32 {
        (self.size[axis] >> level.min(31)).max(1)
    }

    /// First slice of a level and how many there are.
    #[inline(always)]
    pub fn slices(&self, level: u32) -> (u32, u32) {
        if self.kind == ImageType::D3 && !self.sliced {
            (0, self.size(level, 2))
        } else {
            (self.first_slice, (self.last_slice + 1).saturating_sub(self.first_slice))
        }
    }

    /// Levels of the view, minus one.
    pub fn last(&self) -> u32 {
        self.last_level - self.base_level
    }

    /// The texel of an integer access: `slice` is a layer, face or depth counted from the view's first, `level` from its base
    /// level. `None`: outside.
    #[inline(always)]
    pub fn texel(&self, level: u32, x: u32, y: u32, slice: u32, sample: u32) -> Option<Texel> {
        self.format?;
        if level > self.last() || sample >= self.samples {
            return None;
        }
        let level = level + self.base_level;
        let (first, count) = self.slices(level);
        if x >= self.size(level, 0) || y >= self.size(level, 1) || slice >= count {
            return None;
        }
        Some(Texel { level, x, y, slice: (first + slice) * self.samples + sample })
    }

    /// Bytes of an element.
    #[inline(always)]
    pub fn element_bytes(&self) -> u32 {
        self.bytes
    }

    /// Byte address of the element that holds a texel.
    #[inline(always)]
    pub fn address(&self, t: Texel) -> u64 {
        self.base.wrapping_add(self.offset(t))
    }

    /// The same from the surface's start.
    #[inline(always)]
    fn offset(&self, t: Texel) -> u64 {
        let l = &self.levels[t.level as usize % LEVELS];
        let (x, y) = (u64::from(t.x >> self.side), u64::from(t.y >> self.side));
        u64::from(t.slice) * l.slice + l.offset + y * u64::from(l.pitch) + x * u64::from(self.bytes)
    }

    /// Where the surface starts, and the bytes from there to the end of the last texel that the view has.
    #[inline(always)]
    pub fn span(&self) -> (u64, u64) {
        (self.base, self.extent)
    }

    /// Of a view that ends below 4 GiB: bytes from the surface's start to a level, from one of its slices to the next and from one row to
    /// the next.
    #[inline(always)]
    pub fn strides(&self, level: u32) -> [u32; 3] {
        let l = &self.levels[level as usize % LEVELS];
        [l.offset as u32, l.slice as u32, l.pitch]
    }

    /// What registers hold for one.
    #[inline(always)]
    pub fn one(&self) -> u32 {
        self.format.map_or(1f32.to_bits(), |f| f.one())
    }

    /// DST_SEL: the components that an instruction returns.
    #[inline(always)]
    pub fn select(&self, rgba: [u32; 4]) -> [u32; 4] {
        if self.dst_sel == [4, 5, 6, 7] {
            return rgba;
        }
        self.dst_sel.map(|sel| match sel {
            1 => self.one(),
            4..=7 => rgba[sel as usize - 4],
            _ => 0,
        })
    }

    /// The other way, for stores: what DST_SEL reads where goes there; a component that nothing reads is zero.
    #[inline(always)]
    pub fn unselect(&self, data: [u32; 4]) -> [u32; 4] {
        if self.dst_sel == [4, 5, 6, 7] {
            return data;
        }
        [4, 5, 6, 7].map(|c| self.dst_sel.iter().position(|&sel| sel == c).map_or(0, |i| data[i]))
    }
}
