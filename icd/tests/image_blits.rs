//! Blits: scaling beside a plain computation, on our driver and on lavapipe; conversions between formats beside lavapipe.

use crate::common;
use crate::lab::{self, Image, Lab, Rng, compressed, deep, flat};
use ash::vk;

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
const FLOATS: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

type Corners = [[i32; 3]; 2];

fn offsets(c: Corners) -> [vk::Offset3D; 2] {
    c.map(|[x, y, z]| vk::Offset3D { x, y, z })
}

fn layers(first: u32, count: u32) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers { aspect_mask: COLOR, mip_level: 0, base_array_layer: first, layer_count: count }
}

fn blit(lab: &Lab, from: &Image, to: &Image, region: vk::ImageBlit, filter: vk::Filter) {
    lab.run(&[from, to], |d, c| {
        // SAFETY: valid usage.
        unsafe { d.cmd_blit_image(c, from.image, GENERAL, to.image, GENERAL, &[region], filter) };
    });
}

/// Texels as red floats.
struct Plain {
    size: [i32; 3],
    texels: Vec<f32>,
}

impl Plain {
    fn at(&self, p: [i32; 3]) -> f64 {
        let p: [i32; 3] = std::array::from_fn(|i| p[i].clamp(0, self.size[i] - 1));
        self.texels[((p[2] * self.size[1] + p[1]) * self.size[0] + p[0]) as usize].into()
    }

    /// All values that the specification's equations and a coordinate's precision allow.
    fn expected(&self, u: [f64; 3], linear: bool) -> (f64, f64) {
        let mut range = (f64::MAX, f64::MIN);
        for nudge in 0..27 {
            let e = [nudge % 3, nudge / 3 % 3, nudge / 9].map(|n| f64::from(n - 1) / 256.0);
            let u: [f64; 3] = std::array::from_fn(|i| u[i] + e[i]);
            let v = if linear { self.linear(u) } else { self.at(u.map(|u| u.floor() as i32)) };
            range = (range.0.min(v), range.1.max(v));
        }
        range
    }

    fn linear(&self, u: [f64; 3]) -> f64 {
        let first = u.map(|u| (u - 0.5).floor());
        let mut sum = 0.0;
        for k in 0..8 {
            let step = [k & 1, k >> 1 & 1, k >> 2];
            let weight: f64 = (0..3)
                .map(|i| {
                    let w = u[i] - 0.5 - first[i];
                    if step[i] == 1 { w } else { 1.0 - w }
                })
                .product();
            sum += weight * self.at(std::array::from_fn(|i| first[i] as i32 + step[i]));
        }
        sum
    }
}

/// A random scaled, perhaps mirrored blit; every texel inside and outside is looked at.
fn scaled(lab: &Lab, three: bool, linear: bool, seed: u64) {
    let mut rng = Rng(seed);
    let size = [20, 14, if three { 6 } else { 1 }];
    let shape = |format| if three { deep(format, 20, 14, 6, 1) } else { flat(format, 20, 14, 1, 1) };
    let (from, to) = (lab.image(shape(vk::Format::R32_SFLOAT)), lab.image(shape(vk::Format::R32_SFLOAT)));
    let texels: Vec<f32> = (0..20 * 14 * size[2]).map(|_| rng.below(1 << 16) as f32 / 65536.0).collect();
    let bytes: Vec<u8> = texels.iter().flat_map(|t| t.to_le_bytes()).collect();
    lab.prepare(&from);
    lab.prepare(&to);
    lab.write(&from, COLOR, 4, &bytes);
    let plain = Plain { size, texels };
    let mut pair = |n: i32| {
        let a = rng.below(n as u32) as i32;
        let b = a + 1 + rng.below((n - a) as u32) as i32;
        if rng.below(3) == 0 { [b, a] } else { [a, b] }
    };
    let axes: [[[i32; 2]; 2]; 3] =
        std::array::from_fn(|i| if size[i] == 1 { [[0, 1]; 2] } else { [pair(size[i]), pair(size[i])] });
    let corner = |image: usize| [0, 1].map(|end| axes.map(|axis| axis[image][end]));
    let (source, dest): (Corners, Corners) = (corner(0), corner(1));
    let region = vk::ImageBlit {
        src_subresource: layers(0, 1),
        src_offsets: offsets(source),
        dst_subresource: layers(0, 1),
        dst_offsets: offsets(dest),
    };
    blit(lab, &from, &to, region, if linear { vk::Filter::LINEAR } else { vk::Filter::NEAREST });
    let got = lab.read(&to, COLOR, 4);
    for z in 0..size[2] {
        for y in 0..size[1] {
            for x in 0..size[0] {
                let p = [x, y, z];
                let at = 4 * ((z * size[1] + y) * size[0] + x) as usize;
                let value = f64::from(f32::from_le_bytes(got[at..at + 4].try_into().unwrap()));
                let inside = (0..3).all(|i| p[i] >= dest[0][i].min(dest[1][i]) && p[i] < dest[0][i].max(dest[1][i]));
                let u: [f64; 3] = std::array::from_fn(|i| {
                    let [s0, s1, d0, d1] = [source[0][i], source[1][i], dest[0][i], dest[1][i]].map(f64::from);
                    (f64::from(p[i]) + 0.5 - d0) * (s1 - s0) / (d1 - d0) + s0
                });
                let (least, most) = if inside { plain.expected(u, linear) } else { (0.0, 0.0) };
                let ok = value >= least - 0.002 && value <= most + 0.002;
                assert!(ok, "ours {}: {source:?} to {dest:?}: {p:?} is {value}, not {least}..={most}", lab.ours);
            }
        }
    }
    lab.free_image(from);
    lab.free_image(to);
}

#[test]
fn scaling_and_mirroring_by_the_specification() {
    for lab in Lab::all() {
        for seed in 1..12 {
            for (three, linear) in [(false, false), (false, true), (true, false), (true, true)] {
                scaled(&lab, three, linear, seed);
            }
        }
    }
}

#[test]
fn every_generation_blits() {
    common::child::on_every_generation(&[
        "image_blits::scaling_and_mirroring_by_the_specification",
        "image_blits::layers_go_to_layers_and_slices_to_layers",
        "image_blits::every_destination_format_is_written_as_on_lavapipe",
        "image_blits::depth_and_stencil_are_scaled_together",
    ]);
}

#[test]
fn layers_go_to_layers_and_slices_to_layers() {
    let lab = Lab::ours();
    let (array, cube) =
        (lab.image(flat(vk::Format::R8_UINT, 4, 4, 1, 6)), lab.image(deep(vk::Format::R8_UINT, 2, 2, 5, 1)));
    let other = lab.image(flat(vk::Format::R16_UINT, 2, 2, 1, 6));
    let bytes: Vec<u8> = (0..6 * 16).map(|i| i as u8 / 16 + 10).collect();
    for image in [&array, &cube, &other] {
        lab.prepare(image);
    }
    lab.write(&array, COLOR, 1, &bytes);
    let region = |from, to, source: Corners, dest: Corners| vk::ImageBlit {
        src_subresource: from,
        src_offsets: offsets(source),
        dst_subresource: to,
        dst_offsets: offsets(dest),
    };
    let flat4 = [[0, 0, 0], [4, 4, 1]];
    let half = region(layers(1, 3), layers(2, 3), flat4, [[0, 0, 0], [2, 2, 1]]);
    blit(&lab, &array, &other, half, vk::Filter::NEAREST);
    let got = lab.read(&other, COLOR, 2);
    let firsts: Vec<u8> = (0..6).map(|layer| got[8 * layer]).collect();
    assert_eq!(firsts, [0, 0, 11, 12, 13, 0]);
    // One layer to several slices, and one slice to a layer.
    let spread = region(layers(4, 1), layers(0, 1), flat4, [[0, 0, 1], [2, 2, 4]]);
    blit(&lab, &array, &cube, spread, vk::Filter::NEAREST);
    let got = lab.read(&cube, COLOR, 1);
    assert_eq!((0..5).map(|z| got[4 * z]).collect::<Vec<_>>(), [0, 14, 14, 14, 0]);
    let back = region(layers(0, 1), layers(5, 1), [[0, 0, 3], [2, 2, 4]], [[0, 0, 0], [2, 2, 1]]);
    blit(&lab, &cube, &other, back, vk::Filter::NEAREST);
    assert_eq!(lab.read(&other, COLOR, 2)[8 * 5], 14);
    for image in [array, cube, other] {
        lab.free_image(image);
    }
}

/// Every format as a source: what lavapipe reads of the same bytes.
#[test]
fn every_source_format_reads_as_on_lavapipe() {
    let labs = Lab::all();
    let mut compared = 0;
    for raw in (1..=146).chain([1_000_340_000, 1_000_340_001]) {
        let format = vk::Format::from_raw(raw);
        let wanted = vk::FormatFeatureFlags::BLIT_SRC;
        let integer = is_integer(raw);
        if lab::aspect(format) != COLOR || integer || !labs.iter().all(|lab| lab.features(format).contains(wanted)) {
            continue;
        }
        let results: Vec<_> = labs.iter().map(|lab| read_as_floats(lab, format)).collect();
        for w in results.windows(2) {
            for (i, (a, b)) in w[0].iter().zip(&w[1]).enumerate() {
                // Compressed blocks are interpolated, in sRGB at codes whose light differs more near white.
                let slack = if compressed(format) { 0.02 } else { 0.002 };
                let same = a.is_nan() || b.is_nan() || a == b || (a - b).abs() <= slack * a.abs().max(1.0);
                assert!(same, "{format:?}, component {i}: {a} and {b}");
            }
        }
        compared += 1;
    }
    assert!(compared > 40 || labs.len() < 2, "{compared} formats");
}

fn is_integer(raw: i32) -> bool {
    [
        13, 14, 20, 21, 41, 42, 48, 49, 55, 56, 62, 63, 68, 69, 74, 75, 81, 82, 95, 96, 98, 99, 101, 102, 104, 105,
        107, 108,
    ]
    .contains(&raw)
}

fn bytes_of(raw: i32) -> u32 {
    match raw {
        1 | 9..=15 => 1,
        2..=8 | 16..=22 | 70..=76 | 1_000_340_000.. => 2,
        91..=97 | 101..=103 | 131..=134 | 139 | 140 => 8,
        104..=106 => 12,
        107..=109 | 135..=138 | 141..=146 => 16,
        _ => 4,
    }
}

fn read_as_floats(lab: &Lab, format: vk::Format) -> Vec<f32> {
    let mut rng = Rng(99);
    let (from, to) = (lab.image(flat(format, 16, 16, 1, 1)), lab.image(flat(FLOATS, 16, 16, 1, 1)));
    lab.prepare(&from);
    lab.prepare(&to);
    lab.write(&from, COLOR, bytes_of(format.as_raw()), &rng.bytes(16 * 16 * 16));
    let whole = offsets([[0, 0, 0], [16, 16, 1]]);
    let region = vk::ImageBlit {
        src_subresource: layers(0, 1),
        src_offsets: whole,
        dst_subresource: layers(0, 1),
        dst_offsets: whole,
    };
    blit(lab, &from, &to, region, vk::Filter::NEAREST);
    let got = lab.read(&to, COLOR, 16);
    lab.free_image(from);
    lab.free_image(to);
    got.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

/// Every format as a destination: written here and there, and read again as floats.
#[test]
fn every_destination_format_is_written_as_on_lavapipe() {
    let labs = Lab::all();
    let mut compared = 0;
    for raw in (1..=146).chain([1_000_340_000, 1_000_340_001]) {
        let format = vk::Format::from_raw(raw);
        let wanted = vk::FormatFeatureFlags::BLIT_SRC | vk::FormatFeatureFlags::BLIT_DST;
        if lab::aspect(format) != COLOR
            || is_integer(raw)
            || !labs.iter().all(|lab| lab.features(format).contains(wanted))
        {
            continue;
        }
        let results: Vec<_> = labs.iter().map(|lab| written(lab, format)).collect();
        // One step of the coarsest component.
        let slack = match raw {
            1..=3 | 1_000_340_000.. => 1.0 / 15.0,
            4..=8 => 1.0 / 31.0,
            // One code of sRGB near white.
            15 | 22 | 43 | 50 | 57 => 0.0095,
            9..=57 => 1.01 / 127.0,
            58..=69 => 0.34,
            122 => 1.0 / 32.0,
            _ => 0.001,
        };
        for w in results.windows(2) {
            for (i, (a, b)) in w[0].iter().zip(&w[1]).enumerate() {
                let slack = if (58..=69).contains(&raw) && i % 4 != 3 { 1.0 / 511.0 } else { slack };
                assert!((a - b).abs() <= slack * 1.001, "{format:?}, component {i}: {a} and {b}");
            }
        }
        compared += 1;
    }
    assert!(compared > 30 || labs.len() < 2, "{compared} formats");
}

fn written(lab: &Lab, format: vk::Format) -> Vec<f32> {
    let mut rng = Rng(5);
    let shape = |format| lab.image(flat(format, 16, 16, 1, 1));
    let (from, between, to) = (shape(FLOATS), shape(format), shape(FLOATS));
    for image in [&from, &between, &to] {
        lab.prepare(image);
    }
    // No value is a half, which one bit may round either way.
    let values: Vec<u8> = (0..16 * 16 * 4).flat_map(|_| (rng.below(1000) as f32 / 999.0).to_le_bytes()).collect();
    lab.write(&from, COLOR, 16, &values);
    let whole = offsets([[0, 0, 0], [16, 16, 1]]);
    let region = vk::ImageBlit {
        src_subresource: layers(0, 1),
        src_offsets: whole,
        dst_subresource: layers(0, 1),
        dst_offsets: whole,
    };
    blit(lab, &from, &between, region, vk::Filter::NEAREST);
    blit(lab, &between, &to, region, vk::Filter::NEAREST);
    let got = lab.read(&to, COLOR, 16);
    for image in [from, between, to] {
        lab.free_image(image);
    }
    got.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

/// Depth and stencil in one region: planes of their own, and the nearest texel of each.
#[test]
fn depth_and_stencil_are_scaled_together() {
    use vk::ImageAspectFlags as A;
    let lab = Lab::ours();
    for (format, bytes) in [(vk::Format::D32_SFLOAT_S8_UINT, 4), (vk::Format::D16_UNORM_S8_UINT, 2)] {
        let (from, to) = (lab.image(flat(format, 3, 3, 1, 1)), lab.image(flat(format, 6, 6, 1, 1)));
        lab.prepare(&from);
        lab.prepare(&to);
        let depths: Vec<u8> = match bytes {
            4 => (0..9).flat_map(|i| (i as f32 / 16.0).to_le_bytes()).collect(),
            _ => (0..9u16).flat_map(|i| (i * 4099).to_le_bytes()).collect(),
        };
        let stencils: Vec<u8> = (0..9).map(|i| 200 + i).collect();
        lab.write(&from, A::DEPTH, bytes, &[depths.clone(), vec![0; 16]].concat());
        lab.write(&from, A::STENCIL, 1, &[stencils.clone(), vec![0; 16]].concat());
        let both = vk::ImageSubresourceLayers { aspect_mask: A::DEPTH | A::STENCIL, ..layers(0, 1) };
        let region = vk::ImageBlit {
            src_subresource: both,
            src_offsets: offsets([[0, 0, 0], [3, 3, 1]]),
            dst_subresource: both,
            dst_offsets: offsets([[0, 0, 0], [6, 6, 1]]),
        };
        blit(&lab, &from, &to, region, vk::Filter::NEAREST);
        let (depth, stencil) = (lab.read(&to, A::DEPTH, bytes), lab.read(&to, A::STENCIL, 1));
        let n = bytes as usize;
        for (y, x) in (0..6).flat_map(|y| (0..6).map(move |x| (y, x))) {
            let (i, j) = (6 * y + x, 3 * (y / 2) + x / 2);
            assert_eq!((&depth[n * i..n * i + n], stencil[i]), (&depths[n * j..n * j + n], stencils[j]), "{x}, {y}");
        }
        lab.free_image(from);
        lab.free_image(to);
    }
}
