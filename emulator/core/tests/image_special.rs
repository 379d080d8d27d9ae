//! What random images do not reach: compressed formats, cubes whose faces do not join, statuses, multisampled and absent
//! images, faults of samples, and where the border colours come from.

use crate::image::{self, ImageBed, Op, Programs, Rng, linear_offset};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::{Clamp, ImageDescriptor, ImageType, MipFilter, SamplerDescriptor, XyFilter};
use wavepipe_hw::fault::FaultKind;

const IMAGE_BYTES: u64 = 1 << 16;

fn sampled(name: &str, dim: usize, addresses: u32, dmask: u32, flags: &str) -> Op {
    Op { sampler: true, ..Op::plain(name, dim, addresses, dmask, flags) }
}

fn bed(ops: &[Op]) -> Option<ImageBed> {
    let programs = Programs::new(ops, WaveSize::W32)?;
    let bed = ImageBed::new(WaveSize::W32, &programs, IMAGE_BYTES);
    bed.exec(!0);
    Some(bed)
}

fn float(bed: &ImageBed, k: u32, lane: usize) -> f64 {
    f32::from_bits(bed.out(k, lane)).into()
}

/// Bits of a little-endian number.
fn field(block: &[u8; 16], lo: usize, n: usize) -> u32 {
    (u128::from_le_bytes(*block) >> lo) as u32 & ((1 << n) - 1)
}

/// A 5-6-5 colour block's texel, as the Direct3D documentation of BC1 writes it.
fn bc1_color(block: &[u8; 16], at: usize, texel: usize, four: bool) -> [f64; 4] {
    let colour = |lo: usize| {
        let v = field(block, at + lo, 16);
        [f64::from(v >> 11) / 31.0, f64::from(v >> 5 & 63) / 63.0, f64::from(v & 31) / 31.0]
    };
    let (a, b) = (colour(0), colour(16));
    let four = four || field(block, at, 16) > field(block, at + 16, 16);
    let mix = |wa: f64, wb: f64| std::array::from_fn::<f64, 3, _>(|i| (wa * a[i] + wb * b[i]) / (wa + wb));
    let (c, alpha) = match (field(block, at + 32 + 2 * texel, 2), four) {
        (0, _) => (a, 1.0),
        (1, _) => (b, 1.0),
        (2, true) => (mix(2.0, 1.0), 1.0),
        (3, true) => (mix(1.0, 2.0), 1.0),
        (2, false) => (mix(1.0, 1.0), 1.0),
        _ => ([0.0; 3], 0.0),
    };
    [c[0], c[1], c[2], alpha]
}

/// An 8-byte block of one channel: BC4, half of BC5, BC3's alpha.
fn bc4(block: &[u8; 16], at: usize, texel: usize, signed: bool) -> f64 {
    let end = |lo: usize| {
        let v = field(block, at + lo, 8);
        if signed { (f64::from(v as u8 as i8) / 127.0).max(-1.0) } else { f64::from(v) / 255.0 }
    };
    let raw = |lo: usize| {
        let v = field(block, at + lo, 8);
        if signed { i32::from(v as u8 as i8) } else { v as i32 }
    };
    let (a, b) = (end(0), end(8));
    let k = f64::from(field(block, at + 16 + 3 * texel, 3));
    match (k as u32, raw(0) > raw(8)) {
        (0, _) => a,
        (1, _) => b,
        (_, true) => ((8.0 - k) * a + (k - 1.0) * b) / 7.0,
        (6, false) => {
            if signed {
                -1.0
            } else {
                0.0
            }
        }
        (7, false) => 1.0,
        _ => ((6.0 - k) * a + (k - 1.0) * b) / 5.0,
    }
}

/// BC7 in mode 6: one subset, 7-bit endpoints with a shared low bit each, 4-bit indices.
fn bc7_mode6(block: &[u8; 16], texel: usize) -> [f64; 4] {
    const WEIGHTS: [u32; 16] = [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64];
    let index = if texel == 0 { field(block, 65, 3) } else { field(block, 64 + 4 * texel, 4) };
    let w = WEIGHTS[index as usize];
    std::array::from_fn(|c| {
        let end = |e: usize| field(block, 7 + 14 * c + 7 * e, 7) << 1 | field(block, 63 + e, 1);
        f64::from(((64 - w) * end(0) + w * end(1) + 32) >> 6) / 255.0
    })
}

/// BC6H in mode 11 (00011), unsigned: 10-bit endpoints as they are, 4-bit indices.
fn bc6_mode11(block: &[u8; 16], texel: usize) -> [f64; 4] {
    const WEIGHTS: [u32; 16] = [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64];
    let index = if texel == 0 { field(block, 65, 3) } else { field(block, 64 + 4 * texel, 4) };
    let w = WEIGHTS[index as usize];
    let mut out = [1.0; 4];
    for (c, out) in out.iter_mut().enumerate().take(3) {
        let end = |e: usize| match field(block, 5 + 30 * e + 10 * c, 10) {
            0 => 0,
            1023 => 0xffff,
            v => ((v << 16) + 0x8000) >> 10,
        };
        let bits = (((64 - w) * end(0) + w * end(1) + 32) >> 6) * 31 >> 6;
        *out = match (bits >> 10, bits & 0x3ff) {
            (0, f) => f64::from(f) * 2f64.powi(-24),
            (e, f) => f64::from(0x400 + f) * 2f64.powi(e as i32 - 25),
        };
    }
    out
}

fn degamma(v: f64) -> f64 {
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

#[test]
fn compressed_images() {
    let ops = [Op::plain("image_load", 1, 2, 15, "unorm")];
    let Some(mut bed) = bed(&ops) else { return };
    let mut rng = Rng(0xbc);
    // 8 × 8 texels are 2 × 2 blocks.
    for format in 169..=182u16 {
        let small = matches!(format, 169 | 170 | 175 | 176);
        let bytes = if small { 8 } else { 16 };
        for _ in 0..16 {
            let t = ImageDescriptor::linear(bed.image, format, ImageType::D2, [8, 8, 1], 1);
            bed.descriptors(&t, &SamplerDescriptor::default());
            let blocks: Vec<[u8; 16]> = (0..4u64)
                .map(|i| {
                    let mut b: [u8; 16] = std::array::from_fn(|k| if k < bytes { rng.next() as u8 } else { 0 });
                    match format {
                        181 | 182 => b[0] = b[0] & 0x80 | 0x40,
                        179 => b[0] = b[0] & 0xe0 | 3,
                        // Signed: endpoints without a sign decode alike in both kinds.
                        180 => b = [0; 16],
                        _ => {}
                    }
                    bed.put(bed.image + i / 2 * 256 + i % 2 * bytes as u64, &b[..bytes]);
                    b
                })
                .collect();
            let half = 4 * rng.below(2);
            for lane in 0..32u32 {
                bed.set(1, lane as usize, lane % 8);
                bed.set(2, lane as usize, half + lane / 8);
            }
            bed.run(0).unwrap();
            for lane in 0..32usize {
                let (x, y) = (lane % 8, half as usize + lane / 8);
                let block = &blocks[y / 4 * 2 + x / 4];
                let texel = y % 4 * 4 + x % 4;
                let mut want = match format {
                    169 | 170 => bc1_color(block, 0, texel, false),
                    171 | 172 => {
                        let mut c = bc1_color(block, 64, texel, true);
                        c[3] = f64::from(field(block, 4 * texel, 4)) / 15.0;
                        c
                    }
                    173 | 174 => {
                        let mut c = bc1_color(block, 64, texel, true);
                        c[3] = bc4(block, 0, texel, false);
                        c
                    }
                    175 | 176 => [bc4(block, 0, texel, format == 176), 0.0, 0.0, 1.0],
                    177 | 178 => {
                        let signed = format == 178;
                        [bc4(block, 0, texel, signed), bc4(block, 64, texel, signed), 0.0, 1.0]
                    }
                    179 | 180 => bc6_mode11(block, texel),
                    _ => bc7_mode6(block, texel),
                };
                let srgb = matches!(format, 170 | 172 | 174 | 182);
                if srgb {
                    want = [degamma(want[0]), degamma(want[1]), degamma(want[2]), want[3]];
                }
                // BC1 to BC3 decode to 8 bits; sRGB is steepest at white, 2.3 for 1.
                let tolerance = match format {
                    169..=174 => 1.0 / 255.0 * if srgb { 2.4 } else { 1.0 },
                    _ => 1e-6,
                };
                for c in 0..4 {
                    let got = float(&bed, c as u32, lane);
                    let off = (got - want[c]).abs();
                    assert!(
                        off <= tolerance * want[c].abs().max(1.0),
                        "{format} ({x}, {y}) {c}: {got}, not {}",
                        want[c]
                    );
                }
            }
        }
    }
}

/// Two cubes: joined faces blend over an edge, separate ones clamp.
#[test]
fn cube_faces_join_or_do_not() {
    let ops = [sampled("image_sample_lz", 3, 3, 1, "")];
    let Some(mut bed) = bed(&ops) else { return };
    let t = ImageDescriptor::linear(bed.image, 22, ImageType::Cube, [4, 4, 6], 1);
    for face in 0..6 {
        for i in 0..16 {
            bed.put(bed.image + linear_offset([4, 4], 1, 4, [i % 4, i / 4, face, 0]), &(face as f32).to_le_bytes());
        }
    }
    // The left edge of +X, where +Z is next.
    for lane in 0..32 {
        for (k, v) in [1.0f32, 1.5, 0.0].into_iter().enumerate() {
            bed.set(1 + k as u32, lane, v.to_bits());
        }
    }
    let joined = SamplerDescriptor {
        clamp: [Clamp::LastTexel; 3],
        xy_mag_filter: XyFilter::Bilinear,
        max_lod: 0xfff,
        ..Default::default()
    };
    for (disable_cube_wrap, want) in [(false, 2.0), (true, 0.0)] {
        bed.descriptors(&t, &SamplerDescriptor { disable_cube_wrap, ..joined });
        bed.run(0).unwrap();
        assert_eq!(float(&bed, 0, 5), want);
    }
}

/// Lanes of a quad on both sides of a cube's edge: their distance is that on the cube.
#[test]
fn a_quad_over_an_edge_of_a_cube() {
    let ops = [sampled("image_get_lod", 3, 3, 2, "")];
    let Some(mut bed) = bed(&ops) else { return };
    let t = ImageDescriptor::linear(bed.image, 22, ImageType::Cube, [64, 64, 6], 1);
    bed.descriptors(&t, &SamplerDescriptor { max_lod: 0xfff, ..Default::default() });
    for lane in 0..32 {
        // Lane 0 of each quad a texel inside of +X at its left edge, lane 1 a texel inside of +Z at its right edge.
        let (x, face) = if lane % 4 == 1 { (1.0 + 63.0 / 64.0, 4.0) } else { (1.0 + 1.0 / 64.0, 0.0) };
        for (k, v) in [x, 1.5f32, face].into_iter().enumerate() {
            bed.set(1 + k as u32, lane, v.to_bits());
        }
    }
    bed.run(0).unwrap();
    // Seen on the plane of +X the neighbour is 64 / 62 − 62 / 64 of half a face away.
    let texels = 32.0 * (64.0 / 62.0 - 62.0 / 64.0f64);
    assert!((float(&bed, 0, 0) - texels.log2()).abs() <= 1.0 / 256.0, "{}", float(&bed, 0, 0));
}

#[test]
fn statuses() {
    let ops = [
        sampled("image_sample_lz", 1, 2, 1, "tfe"),
        sampled("image_sample_lz", 1, 2, 1, "tfe lwe"),
        sampled("image_sample_lz", 1, 2, 0, "tfe"),
    ];
    let Some(mut bed) = bed(&ops) else { return };
    let mut t = ImageDescriptor::linear(bed.image, 22, ImageType::D2, [4, 4, 1], 1);
    let s = SamplerDescriptor { max_lod: 0xfff, ..Default::default() };
    (0..32).for_each(|lane| {
        bed.set(1, lane, 0.5f32.to_bits());
        bed.set(2, lane, 0.5f32.to_bits());
        bed.set(image::DATA + 1, lane, 77);
    });
    bed.descriptors(&t, &s);
    for program in 0..3 {
        bed.run(program).unwrap();
        assert_eq!(bed.out(1, 3), 0);
    }
    // Level 0 is below the level that the descriptor warns of; only LWE asks.
    t.min_lod_warn = 0x100;
    bed.descriptors(&t, &s);
    bed.run(0).unwrap();
    assert_eq!(bed.out(1, 3), 0);
    bed.run(1).unwrap();
    assert_eq!(bed.out(1, 3), 1);
}

#[test]
fn absent_multisampled_and_unmapped_images() {
    let ops = [sampled("image_sample_lz", 1, 2, 15, ""), sampled("image_sample_lz", 6, 3, 1, "")];
    let Some(mut bed) = bed(&ops) else { return };
    let s = SamplerDescriptor { max_lod: 0xfff, ..Default::default() };
    (0..32).for_each(|lane| (1..4).for_each(|r| bed.set(r, lane, 0.6f32.to_bits())));
    // The null descriptor of a driver: no format, W reads one.
    let null = ImageDescriptor { kind: ImageType::D1 as u8, dst_sel: [0, 0, 0, 1], ..Default::default() };
    bed.descriptors(&null, &s);
    bed.run(0).unwrap();
    assert_eq!([0, 1, 2, 3].map(|k| bed.out(k, 9)), [0, 0, 0, 1f32.to_bits()]);
    // Four samples: the first one of each texel is sampled, here of (1, 1).
    let mut ms = ImageDescriptor::linear(bed.image, 22, ImageType::D2Msaa, [2, 2, 1], 1);
    (ms.last_level, ms.max_mip) = (2, 2);
    bed.put(bed.image + linear_offset([2, 2], 1, 4, [1, 1, 0, 0]), &2.5f32.to_le_bytes());
    bed.descriptors(&ms, &s);
    bed.run(1).unwrap();
    assert_eq!(float(&bed, 0, 9), 2.5);
    // Half of the image is past the end of its memory; two lanes look there.
    let far = ImageDescriptor::linear(bed.image + IMAGE_BYTES - 512, 77, ImageType::D2, [16, 4, 1], 1);
    bed.descriptors(&far, &s);
    (0..32).for_each(|lane| bed.set(2, lane, if lane < 2 { 0.9f32 } else { 0.1 }.to_bits()));
    let fault = bed.run(0).unwrap_err();
    let address = bed.image + IMAGE_BYTES - 512 + 3 * 256 + 9 * 16;
    assert_eq!(fault.kind, FaultKind::WildAddress { address, bytes: 16, write: false, nearest: None });
    assert_eq!(fault.site.unwrap().lanes, 3);
}

/// Weights and levels within what the Vulkan specification asks: 8 bits of precision below a texel, 8 below a level.
#[test]
fn filters_are_as_fine_as_stated() {
    let ops = [sampled("image_sample_l", 1, 3, 1, "")];
    let Some(mut bed) = bed(&ops) else { return };
    let t = ImageDescriptor::linear(bed.image, 22, ImageType::D2, [2, 2, 1], 2);
    let s = SamplerDescriptor {
        clamp: [Clamp::LastTexel; 3],
        xy_mag_filter: XyFilter::Bilinear,
        xy_min_filter: XyFilter::Bilinear,
        mip_filter: MipFilter::Linear,
        max_lod: 0xfff,
        ..Default::default()
    };
    bed.descriptors(&t, &s);
    // Level 0: 0 and 1 in each row; level 1: 3.
    for i in 0..4 {
        bed.put(bed.image + linear_offset([2, 2], 2, 4, [i % 2, i / 2, 0, 0]), &((i % 2) as f32).to_le_bytes());
    }
    bed.put(bed.image + linear_offset([2, 2], 2, 4, [0, 0, 0, 1]), &3f32.to_le_bytes());
    let mut rng = Rng(3);
    let at: Vec<[f32; 2]> = (0..32).map(|_| [rng.range(0.25, 0.75), rng.range(0.0, 1.0)]).collect();
    for (lane, [x, lod]) in at.iter().enumerate() {
        for (k, v) in [*x, 0.5, *lod].into_iter().enumerate() {
            bed.set(1 + k as u32, lane, v.to_bits());
        }
    }
    bed.run(0).unwrap();
    for (lane, [x, lod]) in at.iter().enumerate() {
        let (x, lod) = (f64::from(*x), f64::from(*lod));
        let exact = (1.0 - lod) * (2.0 * x - 0.5) + lod * 3.0;
        let off = (float(&bed, 0, lane) - exact).abs();
        assert!(off <= 1.0 / 512.0 + 3.0 / 512.0 + 1e-6, "({x}, {lod}): {off}");
    }
}

/// Beyond all images a coordinate is at the end on its side; NaN is at the start.
#[test]
fn coordinates_far_outside() {
    let ops = [sampled("image_sample_lz", 1, 2, 1, "")];
    let Some(mut bed) = bed(&ops) else { return };
    let t = ImageDescriptor::linear(bed.image, 22, ImageType::D2, [4, 1, 1], 1);
    bed.descriptors(&t, &SamplerDescriptor { clamp: [Clamp::LastTexel; 3], ..Default::default() });
    for x in 0..4 {
        bed.put(bed.image + linear_offset([4, 1], 1, 4, [x, 0, 0, 0]), &(x as f32 + 1.0).to_le_bytes());
    }
    let far =
        [(1e30, 4.0), (f32::MAX, 4.0), (f32::INFINITY, 4.0), (-1e30, 1.0), (f32::NEG_INFINITY, 1.0), (f32::NAN, 1.0)];
    for (lane, (x, _)) in far.iter().cycle().take(32).enumerate() {
        bed.set(1, lane, x.to_bits());
        bed.set(2, lane, 0.5f32.to_bits());
    }
    bed.run(0).unwrap();
    for (lane, (x, texel)) in far.into_iter().enumerate() {
        assert_eq!(float(&bed, 0, lane), texel, "at {x}");
    }
}

/// Any bits as descriptors and addresses: values or faults, never a panic.
#[test]
fn any_bits_are_survived() {
    let mut ops = vec![
        Op::plain("image_load_mip", 5, 4, 15, "unorm tfe"),
        Op::plain("image_store_mip", 2, 4, 15, "unorm"),
        Op::plain("image_get_resinfo", 1, 1, 15, ""),
        Op::plain("image_atomic_add", 7, 4, 1, "unorm glc"),
        sampled("image_get_lod", 3, 3, 3, ""),
        Op { data: 4, ..sampled("image_gather4_o", 5, 4, 1, "") },
    ];
    for (dim, n) in [(0, 1), (1, 2), (2, 3), (3, 3), (4, 2), (5, 3), (6, 3), (7, 4)] {
        ops.push(sampled("image_sample", dim, n, 15, ""));
        if dim < 7 {
            ops.push(Op { nsa: true, ..sampled("image_sample_c_b_o", dim, n + 3, 5, "lwe") });
        }
    }
    let Some(mut bed) = bed(&ops) else { return };
    let mut rng = Rng(0xb175);
    let (mut ran, mut faults) = (0, 0);
    for round in 0..400 {
        let mut t = ImageDescriptor::from_words(std::array::from_fn(|_| rng.next()), wavepipe_isa::Gen::Gfx1010);
        let s = SamplerDescriptor::from_words(std::array::from_fn(|_| rng.next()), wavepipe_isa::Gen::Gfx1010);
        if rng.chance(80) {
            (t.base, t.sw_mode, t.compression_en) = (bed.image, 0, false);
            t.format = rng.pick(&[0, 1, 20, 56, 60, 77, 130, 132, 169, 181]);
        }
        if rng.chance(70) {
            // Small enough to be in memory, if its levels and slices are.
            (t.last_x, t.last_y, t.last_slice) = (rng.below(16), rng.below(8), rng.below(7));
            (t.base_array, t.max_mip) = (rng.below(8), rng.below(5) as u8);
        }
        bed.descriptors(&t, &s);
        for lane in 0..32 {
            for register in 1..=13 {
                let bits = match rng.below(4) {
                    0 => rng.next(),
                    1 => rng.below(8),
                    2 => rng.pick(&[0x7fc0_0000, 0x7f80_0000, 0xff80_0000, 0x8000_0000, 0x7f7f_ffff]),
                    _ => rng.range(-2.0, 2.0).to_bits(),
                };
                bed.set(register, lane, bits);
            }
        }
        match bed.run(round % ops.len()) {
            Ok(()) => ran += 1,
            Err(f) => {
                let known = matches!(f.kind, FaultKind::WildAddress { .. } | FaultKind::Unsupported { .. });
                assert!(known, "{f:?}");
                faults += 1;
            }
        }
    }
    assert!(ran > 100 && faults > 20, "{ran} ran, {faults} faulted");
}
