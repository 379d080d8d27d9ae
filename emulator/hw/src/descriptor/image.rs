//! T#, the image resource.

use super::{Column, Field, by_generation, fields, get, on, pieces, put};
use wavepipe_isa::Gen;
use wavepipe_isa::format::Format;
use wavepipe_isa::generation::inherited;

/// [`ImageDescriptor::sw_mode`] of a surface in rows.
pub const SW_LINEAR: u8 = 0;

/// What stands for [`SW_LINEAR`]: until gfx8 TILING_INDEX, of the table of tile modes that drivers give the hardware.
const LINEAR: &[(Gen, u8)] = &[(Gen::Gfx600, 8), (Gen::Gfx900, 0)];

fn linear(isa: Gen) -> u8 {
    inherited(LINEAR, isa).expect("a column from the first generation on")
}

/// Names of how texels are arranged, of [`ImageDescriptor::sw_mode`]; None = reserved.
pub fn sw_mode_name(mode: u8, isa: Gen) -> Option<&'static str> {
    if linear(isa) != SW_LINEAR {
        return Some(if mode == SW_LINEAR { "LINEAR_ALIGNED" } else { "a TILING_INDEX of tiles" });
    }
    Some(match mode {
        0 => "SW_LINEAR",
        1 => "SW_256B_S",
        2 => "SW_256B_D",
        3 => "SW_256B_R",
        4 => "SW_4KB_Z",
        5 => "SW_4KB_S",
        6 => "SW_4KB_D",
        7 => "SW_4KB_R",
        8 => "SW_64KB_Z",
        9 => "SW_64KB_S",
        10 => "SW_64KB_D",
        11 => "SW_64KB_R",
        12 => "SW_VAR_Z",
        13 => "SW_VAR_S",
        14 => "SW_VAR_D",
        15 => "SW_VAR_R",
        16 => "SW_64KB_Z_T",
        17 => "SW_64KB_S_T",
        18 => "SW_64KB_D_T",
        19 => "SW_64KB_R_T",
        20 => "SW_4KB_Z_X",
        21 => "SW_4KB_S_X",
        22 => "SW_4KB_D_X",
        23 => "SW_4KB_R_X",
        24 => "SW_64KB_Z_X",
        25 => "SW_64KB_S_X",
        26 => "SW_64KB_D_X",
        27 => "SW_64KB_R_X",
        28 => "SW_VAR_Z_X",
        29 => "SW_VAR_S_X",
        30 => "SW_VAR_D_X",
        31 => "SW_VAR_R_X",
        _ => return None,
    })
}

/// TYPE of a T#. The low three bits are the DIM of the instructions that fit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ImageType {
    D1 = 8,
    D2 = 9,
    D3 = 10,
    Cube = 11,
    D1Array = 12,
    D2Array = 13,
    D2Msaa = 14,
    D2MsaaArray = 15,
}

impl ImageType {
    /// `None` for a buffer and for the reserved numbers.
    pub fn from_bits(bits: u8) -> Option<ImageType> {
        use ImageType::*;
        [D1, D2, D3, Cube, D1Array, D2Array, D2Msaa, D2MsaaArray].get(usize::from(bits).wrapping_sub(8)).copied()
    }

    /// Whether BASE_ARRAY and DEPTH are a range of layers (faces, for a cube).
    pub fn layered(self) -> bool {
        matches!(self, ImageType::Cube | ImageType::D1Array | ImageType::D2Array | ImageType::D2MsaaArray)
    }

    pub fn multisampled(self) -> bool {
        matches!(self, ImageType::D2Msaa | ImageType::D2MsaaArray)
    }
}

/// T#, the 256-bit image resource, or the 128-bit one whose other words count as zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ImageDescriptor {
    /// Byte address, 48 bits, 256-byte aligned.
    pub base: u64,
    /// u4.8.
    pub min_lod: u16,
    /// [`Format::number`], 9 bits; 0 = no image.
    pub format: u16,
    /// WIDTH: texels of level 0 of the surface, minus one.
    pub last_x: u32,
    /// HEIGHT: the same.
    pub last_y: u32,
    /// DST_SEL_X..W, 3 bits each: 0 = zero, 1 = one, 4..7 = X..W.
    pub dst_sel: [u8; 4],
    /// First level of the view.
    pub base_level: u8,
    /// Last level of the view; log2 of the samples of a multisampled image.
    pub last_level: u8,
    /// SW_MODE, 5 bits ([`SW_LINEAR`]); of TILING_INDEX what tells it from linear's.
    pub sw_mode: u8,
    /// BC_SWIZZLE, 3 bits: which channels of a border colour X, Y, Z, W get: 0 = xyzw, 1 = xwyz, 2 = wzyx, 3 = wxyz,
    /// 4 = zyxw, 5 = yxwz.
    pub bc_swizzle: u8,
    /// TYPE, 4 bits ([`ImageType`]).
    pub kind: u8,
    /// DEPTH: slices of level 0 minus one (3D); last layer of the view (arrays and cubes).
    pub last_slice: u32,
    /// First layer of the view.
    pub base_array: u32,
    /// Slices of level 0 of the surface, layers or faces too, minus one; 0 where a generation need not know.
    pub last_depth: u32,
    /// Texels from a row of level 0 to the next, minus one; 0 = as [`crate::surface`] computes it, as where a generation has no PITCH.
    pub pitch: u32,
    /// ARRAY_PITCH. Bit 0, 3D only: BASE_ARRAY and DEPTH are the first and last slice of the level that is accessed.
    pub array_pitch: u8,
    /// Levels of the surface minus one; log2 of the samples of a multisampled image.
    pub max_mip: u8,
    /// u4.8.
    pub min_lod_warn: u16,
    pub perf_mod: u8,
    pub corner_samples: bool,
    pub lod_hdw_cnt_en: bool,
    pub prt_default: bool,
    pub counter_bank_id: u8,
    pub iterate_256: bool,
    pub max_uncompressed_block_size: u8,
    pub max_compressed_block_size: u8,
    pub meta_pipe_aligned: bool,
    pub write_compress_enable: bool,
    /// Delta colour compression.
    pub compression_en: bool,
    pub alpha_is_on_msb: bool,
    pub color_transform: bool,
    /// Byte address, 48 bits, 256-byte aligned.
    pub meta_data_address: u64,
}

impl ImageDescriptor {
    /// A linear surface seen whole: `size` in texels, the third number slices (3D), layers or faces, 1 otherwise.
    pub fn linear(base: u64, format: u16, kind: ImageType, size: [u32; 3], levels: u8) -> Self {
        ImageDescriptor {
            base,
            format,
            last_x: size[0].max(1) - 1,
            last_y: size[1].max(1) - 1,
            last_slice: size[2].max(1) - 1,
            dst_sel: [4, 5, 6, 7],
            last_level: levels.max(1) - 1,
            max_mip: levels.max(1) - 1,
            kind: kind as u8,
            ..Default::default()
        }
    }

    /// TYPE; `None` if it is no image's.
    pub fn image_type(&self) -> Option<ImageType> {
        ImageType::from_bits(self.kind)
    }

    fn write<const G: usize>(self) -> [u32; 8] {
        let isa = Gen::ALL[G];
        let format = Format::image_code(self.format, isa).unwrap_or(0);
        ImageDescriptor { format, sw_mode: self.sw_mode ^ linear(isa), ..self }.words::<G>()
    }

    fn read<const G: usize>(w: [u32; 8]) -> Self {
        let isa = Gen::ALL[G];
        let mut d = ImageDescriptor::fields::<G>(w);
        d.format = Format::of_image_code(d.format, isa);
        d.sw_mode ^= linear(isa);
        // Where layers have a field of their own, DEPTH is the surface's.
        if !const { pieces::<G>(LAST_DEPTH) }.is_empty() && d.image_type() == Some(ImageType::D3) {
            d.last_slice = d.last_depth;
        }
        d
    }

    pub fn to_words(self, isa: Gen) -> [u32; 8] {
        WRITE[isa as usize](self)
    }

    pub fn from_words(w: [u32; 8], isa: Gen) -> Self {
        READ[isa as usize](w)
    }

    /// The 128-bit form (R128): one level, one layer.
    pub fn from_r128(w: [u32; 4], isa: Gen) -> Self {
        ImageDescriptor::from_words([w[0], w[1], w[2], w[3], 0, 0, 0, 0], isa)
    }
}

static READ: [fn([u32; 8]) -> ImageDescriptor; Gen::COUNT] = by_generation!(ImageDescriptor::read);
static WRITE: [fn(ImageDescriptor) -> [u32; 8]; Gen::COUNT] = by_generation!(ImageDescriptor::write);

/// DEPTH, where it is the surface's.
const LAST_DEPTH: Column = on![Gfx600(4, 0, 13), Gfx900];
/// RESOURCE_LEVEL.
const ONES: Column = on![Gfx600, Gfx1010(2, 31, 1), Gfx1100];

fields! { ImageDescriptor, 8, ones ONES;
    base >> 8 => on![Gfx600 (0, 0, 32) (1, 0, 8)];
    min_lod => on![Gfx600 (1, 8, 12), Gfx1100 (5, 27, 5) (6, 0, 7), Gfx1201 (5, 26, 6) (6, 0, 7)];
    // GCN: the data format, and above it the number format.
    format => on![Gfx600 (1, 20, 6) (1, 26, 4), Gfx1010 (1, 20, 9), Gfx1100 (1, 20, 8), Gfx1201 (1, 17, 8)];
    last_x => on![Gfx600 (2, 0, 14), Gfx1010 (1, 30, 2) (2, 0, 14)];
    last_y => on![Gfx600 (2, 14, 14), Gfx1010 (2, 14, 16)];
    dst_sel.0 => on![Gfx600 (3, 0, 3)];
    dst_sel.1 => on![Gfx600 (3, 3, 3)];
    dst_sel.2 => on![Gfx600 (3, 6, 3)];
    dst_sel.3 => on![Gfx600 (3, 9, 3)];
    base_level => on![Gfx600 (3, 12, 4), Gfx1201 (1, 25, 5)];
    last_level => on![Gfx600 (3, 16, 4), Gfx1201 (3, 15, 5)];
    sw_mode => on![Gfx600 (3, 20, 5)];
    bc_swizzle => on![Gfx600, Gfx900 (4, 29, 3), Gfx1010 (3, 25, 3)];
    kind => on![Gfx600 (3, 28, 4)];
    // LAST_ARRAY, then DEPTH.
    last_slice => on![Gfx600 (5, 13, 13), Gfx900 (4, 0, 13), Gfx1010 (4, 0, 16), Gfx1100 (4, 0, 13), Gfx1201 (4, 0, 14)];
    base_array => on![Gfx600 (5, 0, 13), Gfx1010 (4, 16, 16), Gfx1100 (4, 16, 13), Gfx1201 (4, 16, 14)];
    last_depth => LAST_DEPTH;
    pitch => on![Gfx600 (4, 13, 14), Gfx900 (4, 13, 16), Gfx1010];
    array_pitch => on![Gfx600, Gfx900 (5, 13, 4), Gfx1010 (5, 0, 4), Gfx1201 (5, 4, 1)];
    max_mip => on![Gfx600, Gfx900 (5, 28, 4), Gfx1010 (5, 4, 4), Gfx1100 (1, 16, 4), Gfx1201 (1, 12, 5)];
    min_lod_warn => on![Gfx600 (6, 0, 12), Gfx1010 (5, 8, 12), Gfx1201 (5, 5, 13)];
    perf_mod => on![Gfx600 (2, 28, 3), Gfx1010 (5, 20, 3), Gfx1100];
    corner_samples => on![Gfx600, Gfx1010 (5, 23, 1), Gfx1100];
    lod_hdw_cnt_en => on![Gfx600 (6, 20, 1), Gfx1010 (5, 25, 1), Gfx1100];
    prt_default => on![Gfx600, Gfx1010 (5, 26, 1), Gfx1100];
    counter_bank_id => on![Gfx600 (6, 12, 8), Gfx1010 (6, 0, 8), Gfx1100];
    iterate_256 => on![Gfx600, Gfx1010 (6, 10, 1), Gfx1100];
    max_uncompressed_block_size => on![Gfx600, Gfx1010 (6, 15, 2), Gfx1201 (6, 15, 1)];
    max_compressed_block_size => on![Gfx600, Gfx1010 (6, 17, 2)];
    meta_pipe_aligned => on![Gfx600, Gfx900 (5, 26, 1), Gfx1010 (6, 19, 1), Gfx1201];
    write_compress_enable => on![Gfx600, Gfx1010 (6, 20, 1)];
    compression_en => on![Gfx600, Gfx900 (6, 21, 1)];
    alpha_is_on_msb => on![Gfx600, Gfx900 (6, 22, 1), Gfx1201];
    color_transform => on![Gfx600, Gfx900 (6, 23, 1), Gfx1201];
    meta_data_address >> 8 => on![Gfx600, Gfx900 (7, 0, 32) (5, 17, 8), Gfx1010 (6, 24, 8) (7, 0, 32), Gfx1201];
}
