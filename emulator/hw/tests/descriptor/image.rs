//! T#, field by field.

use wavepipe_hw::descriptor::*;
use wavepipe_isa::Gen;

/// One field at a time, at the words and bits where SQ_IMG_RSRC_WORD0..7 of the gfx10 register database have it.
#[test]
fn every_field_is_at_its_bits() {
    let none = ImageDescriptor::default();
    let fixed = [0, 0, 1 << 31, 0, 0, 0, 0, 0];
    assert_eq!(none.to_words(Gen::Gfx1010), fixed);
    // (descriptor, word, bit, value there); a field that crosses words has two entries.
    type Case = (ImageDescriptor, Vec<(usize, u32, u32)>);
    let sel = |i: usize| {
        let mut dst_sel = [0; 4];
        dst_sel[i] = 7;
        ImageDescriptor { dst_sel, ..none }
    };
    let cases: Vec<Case> = vec![
        (ImageDescriptor { base: 0xff_ffff_ff00, ..none }, vec![(0, 0, u32::MAX)]),
        (ImageDescriptor { base: 0xff << 40, ..none }, vec![(1, 0, 0xff)]),
        (ImageDescriptor { min_lod: 0xfff, ..none }, vec![(1, 8, 0xfff)]),
        (ImageDescriptor { format: 0x1ff, ..none }, vec![(1, 20, 0x1ff)]),
        (ImageDescriptor { last_x: 3, ..none }, vec![(1, 30, 3)]),
        (ImageDescriptor { last_x: 0x3ffc, ..none }, vec![(2, 0, 0xfff)]),
        (ImageDescriptor { last_y: 0x3fff, ..none }, vec![(2, 14, 0x3fff)]),
        (sel(0), vec![(3, 0, 7)]),
        (sel(1), vec![(3, 3, 7)]),
        (sel(2), vec![(3, 6, 7)]),
        (sel(3), vec![(3, 9, 7)]),
        (ImageDescriptor { base_level: 15, ..none }, vec![(3, 12, 15)]),
        (ImageDescriptor { last_level: 15, ..none }, vec![(3, 16, 15)]),
        (ImageDescriptor { sw_mode: 31, ..none }, vec![(3, 20, 31)]),
        (ImageDescriptor { bc_swizzle: 7, ..none }, vec![(3, 25, 7)]),
        (ImageDescriptor { kind: 15, ..none }, vec![(3, 28, 15)]),
        (ImageDescriptor { last_slice: 0x1fff, ..none }, vec![(4, 0, 0x1fff)]),
        (ImageDescriptor { base_array: 0x1fff, ..none }, vec![(4, 16, 0x1fff)]),
        (ImageDescriptor { array_pitch: 15, ..none }, vec![(5, 0, 15)]),
        (ImageDescriptor { max_mip: 15, ..none }, vec![(5, 4, 15)]),
        (ImageDescriptor { min_lod_warn: 0xfff, ..none }, vec![(5, 8, 0xfff)]),
        (ImageDescriptor { perf_mod: 7, ..none }, vec![(5, 20, 7)]),
        (ImageDescriptor { corner_samples: true, ..none }, vec![(5, 23, 1)]),
        (ImageDescriptor { lod_hdw_cnt_en: true, ..none }, vec![(5, 25, 1)]),
        (ImageDescriptor { prt_default: true, ..none }, vec![(5, 26, 1)]),
        (ImageDescriptor { counter_bank_id: 0xff, ..none }, vec![(6, 0, 0xff)]),
        (ImageDescriptor { iterate_256: true, ..none }, vec![(6, 10, 1)]),
        (ImageDescriptor { max_uncompressed_block_size: 3, ..none }, vec![(6, 15, 3)]),
        (ImageDescriptor { max_compressed_block_size: 3, ..none }, vec![(6, 17, 3)]),
        (ImageDescriptor { meta_pipe_aligned: true, ..none }, vec![(6, 19, 1)]),
        (ImageDescriptor { write_compress_enable: true, ..none }, vec![(6, 20, 1)]),
        (ImageDescriptor { compression_en: true, ..none }, vec![(6, 21, 1)]),
        (ImageDescriptor { alpha_is_on_msb: true, ..none }, vec![(6, 22, 1)]),
        (ImageDescriptor { color_transform: true, ..none }, vec![(6, 23, 1)]),
        (ImageDescriptor { meta_data_address: 0xff00, ..none }, vec![(6, 24, 0xff)]),
        (ImageDescriptor { meta_data_address: 0xffff_ffff << 16, ..none }, vec![(7, 0, u32::MAX)]),
    ];
    for (d, at) in cases {
        let mut want = fixed;
        for (word, shift, value) in at {
            want[word] |= value << shift;
        }
        assert_eq!(d.to_words(Gen::Gfx1010), want, "{d:?}");
        assert_eq!(ImageDescriptor::from_words(want, Gen::Gfx1010), d);
    }
}

#[test]
fn a_linear_image_by_hand() {
    let d = ImageDescriptor::linear(0x1_2345_6700, 56, ImageType::D2Array, [640, 480, 6], 3);
    // 639 = 0x27f: two bits in word 1, ten in word 2; 479 = 0x1df.
    let words = [0x0123_4567, 0xc380_0000, 0x8077_c09f, 0xd002_0fac, 5, 0x20, 0, 0];
    assert_eq!(d.to_words(Gen::Gfx1010), words);
    assert_eq!(ImageDescriptor::from_words(words, Gen::Gfx1010), d);
    let short = ImageDescriptor::from_r128([words[0], words[1], words[2], words[3]], Gen::Gfx1010);
    assert_eq!((short.last_slice, short.max_mip, short.last_level), (0, 0, 2));
}

#[test]
fn types_are_the_dims_of_instructions() {
    for bits in 0..16 {
        match ImageType::from_bits(bits) {
            Some(t) => assert_eq!(t as u8, bits),
            None => assert!(bits < 8),
        }
    }
}
