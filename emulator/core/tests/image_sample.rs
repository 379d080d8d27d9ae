//! Sampling, against a second implementation: the Vulkan specification's equations ("Texel Input and Filter Operations")
//! in f64, one point at a time, with the precision that `wave::mem::image::sampler` states (1/256 texel, 1/256 level).

use crate::image::kind::{Kind, PLAIN, every_gather, every_sample};
use crate::image::reference::{Image, Query, Reference, axes};
use crate::image::{self, FORMATS, ImageBed, Op, Programs, Rng, TestFormat, half, linear_offset, to_half};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::{
    BorderColor, Clamp, ImageDescriptor, ImageType, MipFilter, SamplerDescriptor, XyFilter, ZFilter,
};

const IMAGE_BYTES: u64 = 1 << 20;

const KINDS: [ImageType; 6] =
    [ImageType::D1, ImageType::D2, ImageType::D3, ImageType::Cube, ImageType::D1Array, ImageType::D2Array];

/// A random image in guest memory, and the same as numbers.
fn random_image(rng: &mut Rng, bed: &ImageBed, dim: usize, format: TestFormat, srgb: bool) -> (ImageDescriptor, Image) {
    let kind = KINDS[dim];
    let flat = matches!(kind, ImageType::D1 | ImageType::D1Array);
    let cube = kind == ImageType::Cube;
    let most = rng.pick(&[5, 33, 33]);
    let width = 1 + rng.below(most);
    let depth = if kind == ImageType::D3 { 1 + rng.below(9) } else { 1 };
    let size = [
        width,
        if flat {
            1
        } else if cube {
            width
        } else {
            1 + rng.below(17)
        },
        depth,
    ];
    let levels = 1 + rng.below(32 - size.iter().max().unwrap().leading_zeros());
    let all = match kind {
        ImageType::Cube => 6 * (1 + rng.below(2)),
        ImageType::D1Array | ImageType::D2Array => 1 + rng.below(4),
        _ => 1,
    };
    let first_slice = if cube { 6 * rng.below(all / 6) } else { rng.below(all) };
    let base = rng.below(levels);
    let last = base + rng.below(levels - base);
    let mut t = ImageDescriptor::linear(bed.image, format.number, kind, [size[0], size[1], 1], levels as u8);
    t.last_slice = if kind == ImageType::D3 { depth - 1 } else { all - 1 };
    (t.base_array, t.base_level, t.last_level) = (first_slice, base as u8, last as u8);
    if rng.chance(20) {
        t.dst_sel = std::array::from_fn(|_| rng.pick(&[0, 1, 4, 5, 6, 7]));
    }
    t.bc_swizzle = rng.below(6) as u8;
    if rng.chance(10) {
        t.min_lod = rng.below(700) as u16;
    }
    let mut texels = Vec::new();
    for level in 0..levels {
        let [w, h, d] = size.map(|n| (n >> level).max(1));
        let slices = if kind == ImageType::D3 { d } else { all };
        let mut of_level = Vec::new();
        for slice in 0..slices {
            let mut of_slice = Vec::new();
            for y in 0..h {
                for x in 0..w {
                    let bytes = format.random(rng);
                    let at = linear_offset([size[0], size[1]], levels, format.bytes() as u32, [x, y, slice, level]);
                    bed.put(bed.image + at, &bytes);
                    of_slice.push(format.values(&bytes, srgb));
                }
            }
            of_level.push(of_slice);
        }
        texels.push(of_level);
    }
    let image = Image {
        kind,
        format,
        size,
        base,
        last,
        first_slice,
        slices: all - first_slice,
        dst_sel: t.dst_sel,
        bc_swizzle: t.bc_swizzle,
        min_lod: f64::from(t.min_lod) / 256.0,
        texels,
    };
    (t, image)
}

const CLAMPS: [Clamp; 8] = [
    Clamp::Wrap,
    Clamp::Mirror,
    Clamp::LastTexel,
    Clamp::MirrorOnceLastTexel,
    Clamp::HalfBorder,
    Clamp::MirrorOnceHalfBorder,
    Clamp::Border,
    Clamp::MirrorOnceBorder,
];
const BORDERS: [BorderColor; 4] =
    [BorderColor::TransparentBlack, BorderColor::OpaqueBlack, BorderColor::OpaqueWhite, BorderColor::Register];

fn random_sampler(rng: &mut Rng) -> SamplerDescriptor {
    let filters =
        [XyFilter::Point, XyFilter::Bilinear, XyFilter::Bilinear, XyFilter::AnisoPoint, XyFilter::AnisoLinear];
    let min_lod = if rng.chance(30) { rng.below(600) as u16 } else { 0 };
    SamplerDescriptor {
        clamp: std::array::from_fn(|_| rng.pick(&CLAMPS)),
        max_aniso_ratio: rng.below(5) as u8,
        depth_compare_func: rng.below(8) as u8,
        trunc_coord: rng.chance(50),
        mc_coord_trunc: rng.chance(5),
        filter_mode: if rng.chance(20) { 1 + rng.below(2) as u8 } else { 0 },
        skip_degamma: rng.chance(30),
        min_lod,
        max_lod: if rng.chance(30) { min_lod + rng.below(600) as u16 } else { 0xfff },
        lod_bias: if rng.chance(40) { rng.below(1024) as i16 - 512 } else { 0 },
        xy_mag_filter: rng.pick(&filters),
        xy_min_filter: rng.pick(&filters),
        z_filter: rng.pick(&[ZFilter::None, ZFilter::Point, ZFilter::Linear]),
        mip_filter: rng.pick(&[MipFilter::None, MipFilter::Point, MipFilter::Linear]),
        mip_point_preclamp: rng.chance(30),
        aniso_override: rng.chance(30),
        border_color_ptr: rng.below(64) as u16,
        border_color_type: rng.pick(&BORDERS),
        ..Default::default()
    }
}

/// The border colour of a sampler and image, the table in the bed's memory filled with numbers or integers.
fn border(rng: &mut Rng, bed: &ImageBed, s: &SamplerDescriptor, image: &Image) -> [f64; 4] {
    let integer = image.format.integer();
    let custom: [f32; 4] = std::array::from_fn(|_| if integer { rng.below(200) as f32 } else { rng.range(-1.0, 2.0) });
    for (c, v) in custom.into_iter().enumerate() {
        let bits = if integer { v as u32 } else { v.to_bits() };
        let at = bed.bed.launch.border_colors + 16 * u64::from(s.border_color_ptr) + 4 * c as u64;
        bed.put(at, &bits.to_le_bytes());
    }
    let stored = match s.border_color_type {
        BorderColor::TransparentBlack => [0.0; 4],
        BorderColor::OpaqueBlack => [0.0, 0.0, 0.0, 1.0],
        BorderColor::OpaqueWhite => [1.0; 4],
        BorderColor::Register => custom.map(f64::from),
    };
    let names = ["xyzw", "xwyz", "wzyx", "wxyz", "zyxw", "yxwz"];
    let order: Vec<usize> = names[image.bc_swizzle as usize].chars().map(|c| "xyzw".find(c).unwrap()).collect();
    std::array::from_fn(|k| stored[order[k]])
}

/// A number that its register can hold: any f32, or an f16.
fn number(v: f32, half: bool) -> f32 {
    if half { to_half(v) } else { v }
}

fn bits(v: f32, is_half: bool) -> u32 {
    if is_half { half(v) } else { v.to_bits() }
}

/// A coordinate: most often near the image, sometimes far, on a texel's edge or centre.
fn coordinate(rng: &mut Rng, n: u32, unnormalized: bool) -> f32 {
    let v = match rng.below(10) {
        0 => rng.range(-3.0, 4.0),
        1 => rng.below(2 * n + 1) as f32 / (2 * n) as f32,
        2 => rng.pick(&[0.0, 1.0, -1.0, 2.0]),
        _ => rng.range(-0.3, 1.3),
    };
    if unnormalized { v * n as f32 } else { v }
}

/// Runs every kind on images of every DIM it has, and compares. Returns lanes compared and lanes left out.
fn check(seed: u64, kinds: &[Kind], dims: &[usize], rounds: usize, wave: WaveSize) {
    let mut rng = Rng(seed);
    let mut ops = Vec::new();
    let mut what = Vec::new();
    for &kind in kinds {
        for &dim in dims {
            if kind.base.starts_with("gather") && !matches!(dim, 1 | 3 | 5) {
                continue;
            }
            ops.push(kind.op(&mut rng, dim));
            what.push(kind);
        }
    }
    let Some(programs) = Programs::new(&ops, wave) else { return };
    let mut bed = ImageBed::new(wave, &programs, IMAGE_BYTES);
    bed.exec(!0);
    let (mut compared, mut open) = (0, 0);
    for (program, o) in ops.iter().enumerate() {
        let kind = what[program];
        for _ in 0..rounds {
            let depth = [7, 22, 1, 71].map(|n| *FORMATS.iter().find(|f| f.number == n).unwrap());
            let mut format = if kind.compare { rng.pick(&depth) } else { rng.pick(FORMATS) };
            if o.dim == 3 && format.integer() && kind.base.starts_with("gather") {
                // A cube's corner lacks a texel, and integers have no mean.
                format = depth[0];
            }
            let mut s = random_sampler(&mut rng);
            let (t, image) = random_image(&mut rng, &bed, o.dim, format, !s.skip_degamma);
            if kind.unnormalized {
                s.force_unnormalized = rng.chance(50);
            }
            if o.dim == 3 {
                s.disable_cube_wrap = false;
            }
            if format.integer() {
                // Integers have no filter.
                (s.filter_mode, s.z_filter) = (0, ZFilter::None);
                (s.xy_mag_filter, s.xy_min_filter) = (XyFilter::Point, XyFilter::Point);
                s.mip_filter = rng.pick(&[MipFilter::None, MipFilter::Point]);
            }
            bed.descriptors(&t, &s);
            let reference = Reference { image: &image, s: &s, border: border(&mut rng, &bed, &s, &image) };
            let queries = lanes(&mut rng, &bed, o, kind, &image);
            bed.run(program).unwrap_or_else(|f| panic!("{o:?} {t:?}: {f:?}"));
            for (lane, q) in queries.iter().enumerate() {
                let answers = answers(&reference, q, kind, o.dmask);
                let Some((answers, slack)) = answers else {
                    open += 1;
                    continue;
                };
                compared += 1;
                for (n, &want) in answers.iter().enumerate() {
                    let raw = bed.out(if kind.d16 { n as u32 / 2 } else { n as u32 }, lane);
                    let got = match (kind.d16, format.integer() && kind.base != "get_lod") {
                        (false, false) => f64::from(f32::from_bits(raw)),
                        (false, true) if format.stored == image::Stored::Sint16 => f64::from(raw as i32),
                        (false, true) => f64::from(raw),
                        (true, integer) => {
                            let h = raw >> (16 * (n & 1)) & 0xffff;
                            match integer {
                                true if format.stored == image::Stored::Sint16 => f64::from(h as i16),
                                true if want > 65535.0 => want * f64::from(u32::from(h == 65535)),
                                true => f64::from(h),
                                false => f64::from(image::from_half(h)),
                            }
                        }
                    };
                    let scale = want.abs().max(1.0);
                    let tolerance =
                        if kind.d16 { 6e-4 * scale } else { 2e-6 * scale } * largest(&image) + slack * largest(&image);
                    assert!(
                        (got - want).abs() <= tolerance,
                        "{o:?} lane {lane} component {n}: {got}, not {want}\n{q:?}\n{s:?}\n{t:?}"
                    );
                }
            }
        }
    }
    println!("{compared} compared, {open} too close to a rounding");
    assert!(open * 20 < compared, "too many cases are left out");
}

/// Largest number of the format, which scales rounding errors.
fn largest(image: &Image) -> f64 {
    match image.format.stored {
        image::Stored::Float32 => 4.0,
        image::Stored::Float16 => 256.0,
        _ => 1.0,
    }
}

fn answers(r: &Reference, q: &Query, kind: Kind, dmask: u32) -> Option<(Vec<f64>, f64)> {
    match kind.base {
        "get_lod" => {
            let (raw, lod, ..) = r.lod(q)?;
            let levels = r.levels(lod);
            Some((vec![levels.iter().map(|(l, w)| f64::from(*l) * w).sum(), raw], 0.0))
        }
        "gather4" | "gather4h" => {
            let four = r.gather(q, kind.base == "gather4h")?;
            let c = dmask.trailing_zeros() as usize;
            Some((four.iter().map(|t| r.select(*t)[c]).collect(), 0.0))
        }
        _ => {
            let (c, slack) = r.sample(q)?;
            let c = r.select(c);
            Some(((0..4).filter(|k| dmask >> k & 1 != 0).map(|k| c[k]).collect(), slack))
        }
    }
}

/// Fills the registers of all lanes and tells what they ask.
fn lanes(rng: &mut Rng, bed: &ImageBed, o: &Op, kind: Kind, image: &Image) -> Vec<Query> {
    let count = bed.lanes;
    let axes = axes(image.kind);
    let base = image.level_size(image.base);
    let mut queries: Vec<Query> = Vec::new();
    for lane in 0..count {
        let mut q = Query { compare: kind.compare, unnormalized: kind.unnormalized, ..Query::default() };
        // Lanes of a quad are near each other, by steps of up to a few texels.
        let implicit = !matches!(kind.lod, "l" | "lz" | "d" | "cd");
        let scale = 2f32.powf(rng.range(-3.0, 4.0));
        for a in 0..axes {
            let n = base[a] as u32;
            let step = scale / if kind.unnormalized { 1.0 } else { n as f32 };
            let v = if implicit && lane % 4 != 0 {
                queries[lane & !3].at[a] + rng.range(-1.0, 1.0) * step
            } else {
                coordinate(rng, n, kind.unnormalized)
            };
            q.at[a] = number(v, kind.a16);
            q.derivatives = q.derivatives.map(|mut d| {
                d[a] = number(rng.range(-1.0, 1.0) * step, kind.g16);
                d
            });
            if kind.offset {
                q.offset[a] = rng.below(16) as i32 - 8;
            }
        }
        q.layer = match image.kind {
            ImageType::Cube => {
                // Faces stay the quad's, and coordinates are on the face.
                for a in 0..2 {
                    q.at[a] = number(q.at[a].clamp(0.0, 1.0), kind.a16);
                }
                if implicit && lane % 4 != 0 {
                    queries[lane & !3].layer
                } else {
                    (8 * rng.below(2) + rng.below(6)) as f32
                }
            }
            _ => number(rng.range(-1.0, 6.0), kind.a16),
        };
        if image.kind == ImageType::Cube {
            q.offset = [0; 3];
        }
        q.reference = rng.range(-0.2, 1.2);
        if kind.lod == "b" {
            q.bias = number(rng.range(-3.0, 3.0), kind.a16);
        }
        let level = number(rng.range(-1.0, 6.0), kind.a16);
        match kind.lod {
            "l" => q.lod = Some(level),
            "lz" => q.lod = Some(0.0),
            _ => {}
        }
        if kind.clamp {
            q.least = Some(level);
        }
        queries.push(q);
    }
    for lane in 0..count {
        if !matches!(kind.lod, "l" | "lz" | "d" | "cd") {
            let quad = lane & !3;
            let d = [1, 2].map(|k| {
                // Cube coordinates are 1..2 in registers, where f32 and f16 have less room.
                let one = if image.kind == ImageType::Cube { 1.0 } else { 0.0 };
                let at = |l: usize, a: usize| number(queries[l].at[a] + one, kind.a16);
                std::array::from_fn(|a| if a < axes { at(quad + k, a) - at(quad, a) } else { 0.0 })
            });
            queries[lane].derivatives = d;
        }
    }
    for (lane, q) in queries.iter_mut().enumerate() {
        let mut list = Vec::new();
        if kind.offset {
            let [x, y, z] = q.offset.map(|v| v as u32 & 63);
            list.push(x | y << 8 | z << 16 | 0xc0c0_c0c0);
        }
        if kind.lod == "b" {
            list.push(bits(q.bias, kind.a16) | if kind.a16 { 0x7777_0000 } else { 0 });
        }
        if kind.compare {
            list.push(q.reference.to_bits());
        }
        if matches!(kind.lod, "d" | "cd") {
            for d in q.derivatives {
                let d = &d[..axes];
                match kind.g16 {
                    true => list.extend(d.chunks(2).map(|c| half(c[0]) | c.get(1).map_or(0, |v| half(*v) << 16))),
                    false => list.extend(d.iter().map(|v| v.to_bits())),
                }
            }
        }
        let mut body: Vec<f32> = q.at[..axes].to_vec();
        if image.kind == ImageType::Cube {
            for v in &mut body {
                *v = number(*v + 1.0, kind.a16);
            }
            // What is left of the coordinate after the addition.
            q.at = [body[0] - 1.0, body[1] - 1.0, 0.0];
        }
        if !matches!(image.kind, ImageType::D1 | ImageType::D2 | ImageType::D3) {
            body.push(q.layer);
        }
        if kind.lod == "l" {
            body.push(q.lod.unwrap());
        } else if let Some(least) = q.least {
            body.push(least);
        }
        match kind.a16 {
            true => list.extend(body.chunks(2).map(|c| half(c[0]) | c.get(1).map_or(0, |v| half(*v) << 16))),
            false => list.extend(body.iter().map(|v| v.to_bits())),
        }
        assert_eq!(list.len(), o.addresses as usize, "{o:?}");
        for (k, v) in list.into_iter().enumerate() {
            bed.set(o.register(k as u32), lane, v);
        }
    }
    queries
}

const ALL_DIMS: [usize; 6] = [0, 1, 2, 3, 4, 5];

#[test]
fn every_sample_instruction() {
    let kinds = every_sample();
    assert_eq!(kinds.len(), 2 * 2 * (4 + 2 + 8));
    check(0x5eed, &kinds, &ALL_DIMS, 6, WaveSize::W32);
}

#[test]
fn sixteen_bit_addresses_and_data() {
    let mut kinds: Vec<Kind> = every_sample().into_iter().map(|k| Kind { a16: true, ..k }).collect();
    kinds.extend(["", "l", "lz", "d"].map(|lod| Kind { lod, d16: true, ..PLAIN }));
    check(0xa16, &kinds, &ALL_DIMS, 2, WaveSize::W32);
}

#[test]
fn plain_samples_in_wave64() {
    let kinds = ["", "l", "lz", "d", "b"].map(|lod| Kind { lod, ..PLAIN });
    check(64, &kinds, &ALL_DIMS, 12, WaveSize::W64);
}

#[test]
fn unnormalized_coordinates() {
    let kinds = ["", "lz", "l"].map(|lod| Kind { lod, unnormalized: true, ..PLAIN });
    check(0x0e, &kinds, &[0, 1, 5], 12, WaveSize::W32);
}

#[test]
fn coverage_lists_what_is_compared_here() {
    let others = ["gather4h", "get_lod"].map(|base| Kind { base, ..PLAIN });
    let kinds = every_sample().into_iter().chain(every_gather()).chain(others);
    image::witness::holds("core/tests/image_sample", kinds.map(|k| k.name()));
}

#[test]
fn every_gather_instruction() {
    let mut kinds = every_gather();
    let a16: Vec<Kind> = kinds.iter().map(|k| Kind { a16: true, ..*k }).collect();
    kinds.extend(a16);
    kinds.push(Kind { base: "gather4", lod: "lz", d16: true, ..PLAIN });
    check(0x9a74e4, &kinds, &ALL_DIMS, 6, WaveSize::W32);
    check(0x9a74e5, &[Kind { base: "gather4h", ..PLAIN }], &[1, 5], 10, WaveSize::W32);
}

#[test]
fn levels_of_detail() {
    check(0x10d, &[Kind { base: "get_lod", ..PLAIN }], &ALL_DIMS, 40, WaveSize::W32);
}
