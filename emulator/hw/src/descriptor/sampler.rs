//! S#, the sampler.

use super::{get, put};

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

impl Clamp {
    fn from_bits(bits: u32) -> Clamp {
        use Clamp::*;
        [Wrap, Mirror, LastTexel, MirrorOnceLastTexel, HalfBorder, MirrorOnceHalfBorder, Border, MirrorOnceBorder]
            [bits as usize & 7]
    }
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
    fn from_bits(bits: u32) -> XyFilter {
        [XyFilter::Point, XyFilter::Bilinear, XyFilter::AnisoPoint, XyFilter::AnisoLinear][bits as usize & 3]
    }

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

impl SamplerDescriptor {
    pub fn to_words(self) -> [u32; 4] {
        let mut w = [0; 4];
        let mut f = |lo, n, v: u32| put(&mut w, lo, n, v);
        for (i, clamp) in self.clamp.into_iter().enumerate() {
            f(3 * i, 3, clamp as u32);
        }
        f(9, 3, self.max_aniso_ratio.into());
        f(12, 3, self.depth_compare_func.into());
        f(15, 1, self.force_unnormalized.into());
        f(16, 3, self.aniso_threshold.into());
        f(19, 1, self.mc_coord_trunc.into());
        f(20, 1, self.force_degamma.into());
        f(21, 6, self.aniso_bias.into());
        f(27, 1, self.trunc_coord.into());
        f(28, 1, self.disable_cube_wrap.into());
        f(29, 2, self.filter_mode.into());
        f(31, 1, self.skip_degamma.into());
        f(32, 12, self.min_lod.into());
        f(44, 12, self.max_lod.into());
        f(56, 4, self.perf_mip.into());
        f(60, 4, self.perf_z.into());
        f(64, 14, self.lod_bias as u32);
        f(78, 6, self.lod_bias_sec as u32);
        f(84, 2, self.xy_mag_filter as u32);
        f(86, 2, self.xy_min_filter as u32);
        f(88, 2, self.z_filter as u32);
        f(90, 2, self.mip_filter as u32);
        f(92, 1, self.mip_point_preclamp.into());
        f(93, 1, self.aniso_override.into());
        f(94, 1, self.blend_zero_prt.into());
        f(96, 12, self.border_color_ptr.into());
        f(126, 2, self.border_color_type as u32);
        w
    }

    pub fn from_words(w: [u32; 4]) -> Self {
        let f = |lo, n| get(&w, lo, n);
        let byte = |lo, n| f(lo, n) as u8;
        let on = |lo| f(lo, 1) != 0;
        let signed = |lo, n: usize| (f(lo, n) << (32 - n)) as i32 >> (32 - n);
        let z = [ZFilter::None, ZFilter::Point, ZFilter::Linear, ZFilter::Reserved];
        let mip = [MipFilter::None, MipFilter::Point, MipFilter::Linear, MipFilter::Reserved];
        let border =
            [BorderColor::TransparentBlack, BorderColor::OpaqueBlack, BorderColor::OpaqueWhite, BorderColor::Register];
        SamplerDescriptor {
            clamp: [0, 3, 6].map(|lo| Clamp::from_bits(f(lo, 3))),
            max_aniso_ratio: byte(9, 3),
            depth_compare_func: byte(12, 3),
            force_unnormalized: on(15),
            aniso_threshold: byte(16, 3),
            mc_coord_trunc: on(19),
            force_degamma: on(20),
            aniso_bias: byte(21, 6),
            trunc_coord: on(27),
            disable_cube_wrap: on(28),
            filter_mode: byte(29, 2),
            skip_degamma: on(31),
            min_lod: f(32, 12) as u16,
            max_lod: f(44, 12) as u16,
            perf_mip: byte(56, 4),
            perf_z: byte(60, 4),
            lod_bias: signed(64, 14) as i16,
            lod_bias_sec: signed(78, 6) as i8,
            xy_mag_filter: XyFilter::from_bits(f(84, 2)),
            xy_min_filter: XyFilter::from_bits(f(86, 2)),
            z_filter: z[f(88, 2) as usize & 3],
            mip_filter: mip[f(90, 2) as usize & 3],
            mip_point_preclamp: on(92),
            aniso_override: on(93),
            blend_zero_prt: on(94),
            border_color_ptr: f(96, 12) as u16,
            border_color_type: border[f(126, 2) as usize & 3],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One field at a time, at the bits where SQ_IMG_SAMP_WORD0..3 of the gfx10 register database have it.
    #[test]
    fn every_field_is_at_its_bits() {
        let none = SamplerDescriptor::default();
        assert_eq!(none.to_words(), [0; 4]);
        type S = SamplerDescriptor;
        let clamp = |i: usize| {
            let mut clamp = [Clamp::Wrap; 3];
            clamp[i] = Clamp::MirrorOnceBorder;
            S { clamp, ..none }
        };
        let cases: Vec<(S, usize, u32, u32)> = vec![
            (clamp(0), 0, 0, 7),
            (clamp(1), 0, 3, 7),
            (clamp(2), 0, 6, 7),
            (S { max_aniso_ratio: 7, ..none }, 0, 9, 7),
            (S { depth_compare_func: 7, ..none }, 0, 12, 7),
            (S { force_unnormalized: true, ..none }, 0, 15, 1),
            (S { aniso_threshold: 7, ..none }, 0, 16, 7),
            (S { mc_coord_trunc: true, ..none }, 0, 19, 1),
            (S { force_degamma: true, ..none }, 0, 20, 1),
            (S { aniso_bias: 63, ..none }, 0, 21, 63),
            (S { trunc_coord: true, ..none }, 0, 27, 1),
            (S { disable_cube_wrap: true, ..none }, 0, 28, 1),
            (S { filter_mode: 3, ..none }, 0, 29, 3),
            (S { skip_degamma: true, ..none }, 0, 31, 1),
            (S { min_lod: 0xfff, ..none }, 1, 0, 0xfff),
            (S { max_lod: 0xfff, ..none }, 1, 12, 0xfff),
            (S { perf_mip: 15, ..none }, 1, 24, 15),
            (S { perf_z: 15, ..none }, 1, 28, 15),
            (S { lod_bias: -1, ..none }, 2, 0, 0x3fff),
            (S { lod_bias: -0x2000, ..none }, 2, 0, 0x2000),
            (S { lod_bias_sec: -1, ..none }, 2, 14, 0x3f),
            (S { xy_mag_filter: XyFilter::AnisoLinear, ..none }, 2, 20, 3),
            (S { xy_min_filter: XyFilter::AnisoLinear, ..none }, 2, 22, 3),
            (S { z_filter: ZFilter::Reserved, ..none }, 2, 24, 3),
            (S { mip_filter: MipFilter::Reserved, ..none }, 2, 26, 3),
            (S { mip_point_preclamp: true, ..none }, 2, 28, 1),
            (S { aniso_override: true, ..none }, 2, 29, 1),
            (S { blend_zero_prt: true, ..none }, 2, 30, 1),
            (S { border_color_ptr: 0xfff, ..none }, 3, 0, 0xfff),
            (S { border_color_type: BorderColor::Register, ..none }, 3, 30, 3),
        ];
        for (d, word, shift, value) in cases {
            let mut want = [0; 4];
            want[word] |= value << shift;
            assert_eq!(d.to_words(), want, "{d:?}");
            assert_eq!(SamplerDescriptor::from_words(want), d);
        }
    }
}
