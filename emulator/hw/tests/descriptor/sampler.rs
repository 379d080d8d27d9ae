//! S#, field by field.

use wavepipe_hw::descriptor::*;
use wavepipe_isa::Gen;

/// One field at a time, at the bits where SQ_IMG_SAMP_WORD0..3 of the gfx10 register database have it.
#[test]
fn every_field_is_at_its_bits() {
    let none = SamplerDescriptor::default();
    assert_eq!(none.to_words(Gen::Gfx1010), [0; 4]);
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
        assert_eq!(d.to_words(Gen::Gfx1010), want, "{d:?}");
        assert_eq!(SamplerDescriptor::from_words(want, Gen::Gfx1010), d);
    }
}
