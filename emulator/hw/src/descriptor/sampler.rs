//! S#, the sampler.

use super::{Field, by_generation, fields, get, on, pieces, put};
use wavepipe_isa::Gen;
use wavepipe_isa::generation::inherited;

/// CLAMP_X, CLAMP_Y, CLAMP_Z: what a coordinate outside of the image means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Clamp {
    #[default]
    Wrap = 0,
    Mirror = 1,
    LastTexel = 2,
    MirrorOnceLastTexel = 3,
    /// The coordinate is clamped to the image's edge, where a linear filter is half border.
    HalfBorder = 4,
    MirrorOnceHalfBorder = 5,
    Border = 6,
    MirrorOnceBorder = 7,
}

/// XY_MAG_FILTER, XY_MIN_FILTER.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum XyFilter {
    #[default]
    Point = 0,
    Bilinear = 1,
    AnisoPoint = 2,
    AnisoLinear = 3,
}

impl XyFilter {
    pub fn linear(self) -> bool {
        matches!(self, XyFilter::Bilinear | XyFilter::AnisoLinear)
    }

    pub fn anisotropic(self) -> bool {
        matches!(self, XyFilter::AnisoPoint | XyFilter::AnisoLinear)
    }
}

/// Z_FILTER of 3D images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum ZFilter {
    /// As X and Y.
    #[default]
    None = 0,
    Point = 1,
    Linear = 2,
    Reserved = 3,
}

/// MIP_FILTER.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum MipFilter {
    /// The base level only.
    #[default]
    None = 0,
    Point = 1,
    Linear = 2,
    Reserved = 3,
}

/// BORDER_COLOR_TYPE. The register database's order; the ISA document names the first two the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum BorderColor {
    #[default]
    TransparentBlack = 0,
    OpaqueBlack = 1,
    OpaqueWhite = 2,
    /// Entry BORDER_COLOR_PTR of the table at TA_CS_BC_BASE_ADDR: four dwords, X first.
    Register = 3,
}

/// S#, the 128-bit sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SamplerDescriptor {
    /// CLAMP_X, CLAMP_Y, CLAMP_Z.
    pub clamp: [Clamp; 3],
    /// log2 of the largest ratio, 0..=4.
    pub max_aniso_ratio: u8,
    /// 0 never, 1 <, 2 =, 3 ≤, 4 >, 5 ≠, 6 ≥, 7 always: reference against texel.
    pub depth_compare_func: u8,
    /// Coordinates are texels.
    pub force_unnormalized: bool,
    pub aniso_threshold: u8,
    /// Weights of a bilinear filter have one bit.
    pub mc_coord_trunc: bool,
    pub force_degamma: bool,
    /// u1.5.
    pub aniso_bias: u8,
    /// Coordinates lose bits below the sub-texel grid; clear, they are rounded to it.
    pub trunc_coord: bool,
    /// Cube faces are images of their own, clamped by CLAMP_X and CLAMP_Y.
    pub disable_cube_wrap: bool,
    /// 0 blend, 1 minimum, 2 maximum of the texels.
    pub filter_mode: u8,
    /// sRGB texels stay as they are.
    pub skip_degamma: bool,
    /// u4.8, counted from the view's base level.
    pub min_lod: u16,
    /// u4.8.
    pub max_lod: u16,
    pub perf_mip: u8,
    pub perf_z: u8,
    /// s6.8 (14 bits, sign-extended).
    pub lod_bias: i16,
    /// s2.4 (6 bits, sign-extended).
    pub lod_bias_sec: i8,
    pub xy_mag_filter: XyFilter,
    pub xy_min_filter: XyFilter,
    pub z_filter: ZFilter,
    pub mip_filter: MipFilter,
    /// With MIP_FILTER point, the half is added before the level is clamped.
    pub mip_point_preclamp: bool,
    /// No anisotropic filter where the view has one level.
    pub aniso_override: bool,
    pub blend_zero_prt: bool,
    /// Entry of the border colour table.
    pub border_color_ptr: u16,
    pub border_color_type: BorderColor,
}

/// An enumeration as a field.
macro_rules! enumerations {
    ($($Enum:ident: $($variant:ident),+;)+) => {
        $(impl Field for $Enum {
            fn read(v: u64, _: u32) -> $Enum {
                const ALL: &[$Enum] = &[$($Enum::$variant),+];
                ALL[v as usize % ALL.len()]
            }
            fn write(self) -> u64 {
                self as u64
            }
        })+
    };
}
enumerations! {
    Clamp: Wrap, Mirror, LastTexel, MirrorOnceLastTexel, HalfBorder, MirrorOnceHalfBorder, Border, MirrorOnceBorder;
    XyFilter: Point, Bilinear, AnisoPoint, AnisoLinear;
    ZFilter: None, Point, Linear, Reserved;
    MipFilter: None, Point, Linear, Reserved;
    BorderColor: TransparentBlack, OpaqueBlack, OpaqueWhite, Register;
}

fields! { SamplerDescriptor, 4, ones on![Gfx600];
    clamp.0 => on![Gfx600 (0, 0, 3)];
    clamp.1 => on![Gfx600 (0, 3, 3)];
    clamp.2 => on![Gfx600 (0, 6, 3)];
    max_aniso_ratio => on![Gfx600 (0, 9, 3)];
    depth_compare_func => on![Gfx600 (0, 12, 3)];
    force_unnormalized => on![Gfx600 (0, 15, 1)];
    aniso_threshold => on![Gfx600 (0, 16, 3)];
    mc_coord_trunc => on![Gfx600 (0, 19, 1)];
    force_degamma => on![Gfx600 (0, 20, 1)];
    aniso_bias => on![Gfx600 (0, 21, 6)];
    trunc_coord => on![Gfx600 (0, 27, 1)];
    disable_cube_wrap => on![Gfx600 (0, 28, 1)];
    filter_mode => on![Gfx600 (0, 29, 2)];
    skip_degamma => on![Gfx600, Gfx1010 (0, 31, 1)];
    min_lod => on![Gfx600 (1, 0, 12), Gfx1201 (1, 0, 13)];
    max_lod => on![Gfx600 (1, 12, 12), Gfx1201 (1, 13, 13)];
    perf_mip => on![Gfx600 (1, 24, 4), Gfx1201 (2, 30, 2) (3, 0, 2)];
    perf_z => on![Gfx600 (1, 28, 4), Gfx1201];
    lod_bias => on![Gfx600 (2, 0, 14)];
    lod_bias_sec => on![Gfx600 (2, 14, 6)];
    xy_mag_filter => on![Gfx600 (2, 20, 2)];
    xy_min_filter => on![Gfx600 (2, 22, 2)];
    z_filter => on![Gfx600 (2, 24, 2)];
    mip_filter => on![Gfx600 (2, 26, 2)];
    mip_point_preclamp => on![Gfx600 (2, 28, 1), Gfx1100];
    aniso_override => on![Gfx600, Gfx900 (2, 31, 1), Gfx1010 (2, 29, 1)];
    blend_zero_prt => on![Gfx600, Gfx900 (2, 29, 1), Gfx1010 (2, 30, 1), Gfx1201];
    border_color_ptr => on![Gfx600 (3, 0, 12), Gfx1100 (3, 18, 12)];
    border_color_type => on![Gfx600 (3, 30, 2)];
}

/// Whether FILTER_MODE's minimum and maximum are taken of each component; else of formats with a single one alone (Mesa).
const REDUCES_COMPONENTS: &[(Gen, bool)] = &[(Gen::Gfx600, false), (Gen::Gfx900, true)];

static READ: [fn([u32; 4]) -> SamplerDescriptor; Gen::COUNT] = by_generation!(SamplerDescriptor::fields);
static WRITE: [fn(SamplerDescriptor) -> [u32; 4]; Gen::COUNT] = by_generation!(SamplerDescriptor::words);

impl SamplerDescriptor {
    /// Whether minima and maxima are there for formats of more than one component.
    pub fn reduces_components(isa: Gen) -> bool {
        inherited(REDUCES_COMPONENTS, isa).expect("a column from the first generation on")
    }

    pub fn to_words(self, isa: Gen) -> [u32; 4] {
        WRITE[isa as usize](self)
    }

    pub fn from_words(w: [u32; 4], isa: Gen) -> Self {
        READ[isa as usize](w)
    }
}
