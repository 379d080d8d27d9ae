//! Sampling, against a second implementation: the Vulkan specification's equations ("Texel Input and Filter Operations")
//! in f64, one point at a time, with the precision that `wave::mem::image::sampler` states (1/256 texel, 1/256 level).

mod image;
mod wave;

use image::{FORMATS, ImageBed, Op, Programs, Rng, TestFormat, half, linear_offset, to_half};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::{
    BorderColor, Clamp, ImageDescriptor, ImageType, MipFilter, SamplerDescriptor, XyFilter, ZFilter,
};

const IMAGE_BYTES: u64 = 1 << 20;

/// Texels as numbers, and what the T# says.
struct Image {
    kind: ImageType,
    format: TestFormat,
    size: [u32; 3],
    base: u32,
    last: u32,
    first_slice: u32,
    slices: u32,
    dst_sel: [u8; 4],
    bc_swizzle: u8,
    min_lod: f64,
    /// [level][slice][y * width + x]
    texels: Vec<Vec<Vec<[f64; 4]>>>,
}

impl Image {
    fn level_size(&self, level: u32) -> [i64; 3] {
        self.size.map(|n| i64::from((n >> level).max(1)))
    }
}

/// What a lane asks for.
#[derive(Clone, Debug, Default)]
struct Query {
    at: [f32; 3],
    layer: f32,
    offset: [i32; 3],
    reference: f32,
    bias: f32,
    least: Option<f32>,
    lod: Option<f32>,
    /// Derivatives to x and y.
    derivatives: [[f32; 3]; 2],
    unnormalized: bool,
    compare: bool,
}

/// Sub-texel position of a coordinate: `u` in texels.
fn snap(s: &SamplerDescriptor, u: f64) -> f64 {
    let v = u * 256.0;
    (if s.trunc_coord { v.floor() } else { v.round_ties_even() }) / 256.0
}

/// The texel index that a wrapping mode makes of `i`; `None`: the border.
fn wrapped(clamp: Clamp, i: i64, n: i64) -> Option<i64> {
    let mirror = |v: i64| if v >= 0 { v } else { -(1 + v) };
    match clamp {
        Clamp::Wrap => Some(((i % n) + n) % n),
        Clamp::Mirror => {
            let m = ((i % (2 * n)) + 2 * n) % (2 * n);
            Some(if m < n { m } else { 2 * n - 1 - m })
        }
        Clamp::LastTexel => Some(i.max(0).min(n - 1)),
        Clamp::MirrorOnceLastTexel => Some(mirror(i).max(0).min(n - 1)),
        Clamp::Border | Clamp::HalfBorder => (i >= 0 && i < n).then_some(i),
        Clamp::MirrorOnceBorder | Clamp::MirrorOnceHalfBorder => {
            let m = mirror(i);
            (m < n).then_some(m)
        }
    }
}

/// Vulkan's table of cube faces: major axis, s and t as functions of the direction.
fn select_face(d: [f64; 3]) -> (usize, f64, f64) {
    let [x, y, z] = d;
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, sc, tc, ma) = if az >= ax && az >= ay {
        if z >= 0.0 { (4, x, -y, az) } else { (5, -x, -y, az) }
    } else if ay >= ax {
        if y >= 0.0 { (2, x, z, ay) } else { (3, x, -z, ay) }
    } else if x >= 0.0 {
        (0, -z, -y, ax)
    } else {
        (1, z, -y, ax)
    };
    (face, (sc / ma + 1.0) / 2.0, (tc / ma + 1.0) / 2.0)
}

/// The direction of a point of a face's plane, s and t in −1..1 on the face.
fn direction(face: usize, s: f64, t: f64) -> [f64; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

struct Reference<'a> {
    image: &'a Image,
    s: &'a SamplerDescriptor,
    border: [f64; 4],
}

impl Reference<'_> {
    fn compared(&self, q: &Query, texel: [f64; 4]) -> [f64; 4] {
        if !q.compare {
            return texel;
        }
        let fixed =
            self.image.format.stored != image::Stored::Float32 && self.image.format.stored != image::Stored::Float16;
        let r = f64::from(q.reference);
        let r = if fixed { r.max(0.0).min(1.0) } else { r };
        let t = texel[0];
        let pass = [false, r < t, r == t, r <= t, r > t, r != t, r >= t, true][self.s.depth_compare_func as usize];
        [if pass { 1.0 } else { 0.0 }, 0.0, 0.0, 1.0]
    }

    /// A texel by indices that may be outside.
    fn texel(&self, q: &Query, level: u32, i: [i64; 3]) -> [f64; 4] {
        let n = self.image.level_size(level);
        let axes = axes(self.image.kind);
        let mut at = [0; 3];
        for a in 0..axes {
            match wrapped(self.s.clamp[a], i[a], n[a]) {
                Some(v) => at[a] = v,
                None => return self.compared(q, self.border),
            }
        }
        let slice = match self.image.kind {
            ImageType::D3 => at[2] as usize,
            _ => self.slice(q, 0),
        };
        self.compared(q, self.image.texels[level as usize][slice][(at[1] * n[0] + at[0]) as usize])
    }

    fn slice(&self, q: &Query, face: usize) -> usize {
        let layer = f64::from(q.layer).round_ties_even().max(0.0) as u32;
        let i = self.image;
        match i.kind {
            ImageType::Cube => {
                (i.first_slice + 6 * (layer / 8).min(i.slices / 6 - 1)) as usize
                    + if face == usize::MAX { (layer % 8) as usize } else { face }
            }
            ImageType::D1Array | ImageType::D2Array => (i.first_slice + layer.min(i.slices - 1)) as usize,
            _ => i.first_slice as usize,
        }
    }

    /// A texel of a cube next to (or on) a face.
    fn cube_texel(&self, q: &Query, level: u32, x: i64, y: i64) -> Option<[f64; 4]> {
        let n = self.image.level_size(level)[0];
        let out = |v: i64| v < 0 || v >= n;
        if out(x) && out(y) {
            return None;
        }
        let face = f64::from(q.layer).round_ties_even() as usize % 8;
        let centre = |v: i64| (2 * v + 1 - n) as f64 / n as f64;
        let (to, s, t) = if out(x) || out(y) {
            select_face(direction(face, centre(x), centre(y)))
        } else {
            (face, (x as f64 + 0.5) / n as f64, (y as f64 + 0.5) / n as f64)
        };
        let (x, y) = ((s * n as f64).floor() as i64, (t * n as f64).floor() as i64);
        let slice = self.slice(q, to);
        Some(self.compared(q, self.image.texels[level as usize][slice][(y * n + x) as usize]))
    }

    /// Texel-space position on each axis.
    fn position(&self, q: &Query, at: [f64; 3], level: u32) -> [f64; 3] {
        let n = self.image.level_size(level);
        let cube = self.image.kind == ImageType::Cube;
        std::array::from_fn(|a| {
            let size = n[a] as f64;
            let mut u = if q.unnormalized { at[a] } else { at[a] * size } + f64::from(q.offset[a]);
            match self.s.clamp[a] {
                _ if cube => {}
                Clamp::HalfBorder => u = u.max(0.0).min(size),
                Clamp::MirrorOnceHalfBorder => u = u.max(-size).min(size),
                _ => {}
            }
            snap(self.s, u)
        })
    }

    fn level(&self, q: &Query, at: [f64; 3], level: u32, linear: bool) -> [f64; 4] {
        let n = self.image.level_size(level);
        let p = self.position(q, at, level);
        let cube = self.image.kind == ImageType::Cube;
        let z_linear = match self.s.z_filter {
            ZFilter::Point => false,
            ZFilter::Linear => true,
            _ => linear,
        };
        let mut parts: Vec<(f64, [f64; 4])> = Vec::new();
        if cube && !linear {
            let [x, y] = [0, 1].map(|a| (p[a].floor() as i64).max(0).min(n[0] - 1));
            return self.cube_texel(q, level, x, y).unwrap();
        }
        let mut taps = [[(0i64, 1.0), (0, 0.0)]; 3];
        for a in 0..axes(self.image.kind) {
            let blend = if a == 2 { z_linear } else { linear };
            let half = matches!(self.s.clamp[a], Clamp::HalfBorder | Clamp::MirrorOnceHalfBorder);
            taps[a] = if blend {
                let i = (p[a] - 0.5).floor();
                let f = p[a] - 0.5 - i;
                let f = if self.s.mc_coord_trunc { (f * 2.0).floor() / 2.0 } else { f };
                [(i as i64, 1.0 - f), (i as i64 + 1, f)]
            } else {
                let i = p[a].floor() as i64;
                [(if half { i.min(n[a] - 1) } else { i }, 1.0), (0, 0.0)]
            };
        }
        let mut missing = None;
        for (k, (z, wz)) in taps[2].into_iter().enumerate() {
            for (j, (y, wy)) in taps[1].into_iter().enumerate() {
                for (i, (x, wx)) in taps[0].into_iter().enumerate() {
                    let w = wx * wy * wz;
                    if cube {
                        if k == 0 {
                            match self.cube_texel(q, level, x, y) {
                                Some(c) => parts.push((w, c)),
                                None => missing = Some((w, i, j)),
                            }
                        }
                    } else if w > 0.0 {
                        parts.push((w, self.texel(q, level, [x, y, z])));
                    }
                }
            }
        }
        if let Some((w, ..)) = missing {
            let mean = [0, 1, 2, 3].map(|c| parts.iter().map(|p| p.1[c]).sum::<f64>() / 3.0);
            parts.push((w, mean));
        }
        self.blend(&parts)
    }

    fn blend(&self, parts: &[(f64, [f64; 4])]) -> [f64; 4] {
        let some = parts.iter().filter(|p| p.0 > 0.0);
        [0, 1, 2, 3].map(|c| match self.s.filter_mode {
            1 => some.clone().map(|p| p.1[c]).fold(f64::INFINITY, f64::min),
            2 => some.clone().map(|p| p.1[c]).fold(f64::NEG_INFINITY, f64::max),
            _ => some.clone().map(|p| p.0 * p.1[c]).sum(),
        })
    }

    /// Level of detail: raw, clamped, anisotropic samples and the direction they follow; `None` where rounding is close.
    fn lod(&self, q: &Query) -> Option<(f64, f64, u32, [f64; 3])> {
        let i = self.image;
        let n = i.level_size(i.base);
        let axes = axes(i.kind);
        let mut samples = (1, [0.0; 3]);
        let lambda = match q.lod {
            Some(l) => f64::from(l),
            None => {
                let rho = q.derivatives.map(|d| {
                    (0..axes)
                        .map(|a| (f64::from(d[a]) * if q.unnormalized { 1.0 } else { n[a] as f64 }).powi(2))
                        .sum::<f64>()
                        .sqrt()
                });
                let (max, min) = (rho[0].max(rho[1]), rho[0].min(rho[1]));
                let aniso = self.s.xy_mag_filter.anisotropic() || self.s.xy_min_filter.anisotropic();
                let off = self.s.aniso_override && i.base == i.last;
                let limit = if aniso && !off { f64::from(1 << self.s.max_aniso_ratio) } else { 1.0 };
                let eta = if max == 0.0 { 1.0 } else { (max / min).min(limit).max(1.0) };
                // Ratios at a whole number may round up.
                if eta > 1.0 && eta < limit && (eta - eta.round()).abs() < 1e-6 {
                    return None;
                }
                let along = q.derivatives[usize::from(rho[1] > rho[0])];
                samples = (eta.ceil() as u32, along.map(f64::from));
                (max / eta).log2()
            }
        };
        let grid = |v: f64| -> Option<f64> {
            let v = v.max(-4096.0).min(4096.0) * 256.0;
            let close = (v - v.floor() - 0.5).abs() < 1e-5 && q.lod.is_none();
            (!close).then(|| v.round_ties_even() / 256.0)
        };
        let raw =
            grid(lambda)? + f64::from(self.s.lod_bias) / 256.0 + (f64::from(q.bias) * 256.0).round_ties_even() / 256.0;
        let least = q.least.map_or(f64::NEG_INFINITY, |l| (f64::from(l) * 256.0).round_ties_even() / 256.0);
        let min = (f64::from(self.s.min_lod) / 256.0).max(least).max(i.min_lod);
        let max = f64::from(self.s.max_lod) / 256.0;
        let clamped = match self.s.mip_point_preclamp && self.s.mip_filter == MipFilter::Point {
            true => (raw + 0.5).max(min).min(max) - 0.5,
            false => raw.max(min).min(max),
        };
        Some((raw, clamped, samples.0, samples.1))
    }

    /// (level, weight) of the levels that take part.
    fn levels(&self, lod: f64) -> Vec<(u32, f64)> {
        let q = f64::from(self.image.last - self.image.base);
        match self.s.mip_filter {
            MipFilter::Point => vec![((lod + 0.5).floor().max(0.0).min(q) as u32, 1.0)],
            MipFilter::Linear => {
                let l = lod.max(0.0).min(q);
                let (d, f) = (l.floor(), l - l.floor());
                vec![(d as u32, 1.0 - f), ((d + 1.0).min(q) as u32, f)]
            }
            _ => vec![(0, 1.0)],
        }
    }

    /// The colour, and how far off an implementation may be for a reason that is not rounding of the result.
    fn sample(&self, q: &Query) -> Option<([f64; 4], f64)> {
        let (_, lod, samples, along) = self.lod(q)?;
        let filter = if lod <= 0.0 { self.s.xy_mag_filter } else { self.s.xy_min_filter };
        let integer = self.image.format.integer();
        let linear = filter.linear() && !integer;
        let samples = if filter.anisotropic() { samples } else { 1 };
        let mut parts = Vec::new();
        let mut slack: f64 = 0.0;
        for k in 1..=samples {
            // Positions of an anisotropic filter are f32.
            let mut q = q.clone();
            let mut at: [f64; 3] = std::array::from_fn(|a| {
                if samples == 1 {
                    f64::from(q.at[a])
                } else {
                    f64::from(q.at[a] + step_f32(k, samples) * along[a] as f32)
                }
            });
            if self.image.kind == ImageType::Cube && at.iter().any(|&v| v < 0.0 || v > 1.0) {
                // The face that lies there; its coordinates are quotients, so the grid may round either way.
                if !linear {
                    return None;
                }
                let layer = (q.layer as u32 / 8 * 8) as f32;
                let (face, s, t) = select_face(direction(q.layer as usize % 8, 2.0 * at[0] - 1.0, 2.0 * at[1] - 1.0));
                (at, q.layer) = ([s, t, 0.0], layer + face as f32);
                slack = 2.0 / 256.0 / f64::from(samples) + slack;
            }
            for (level, w) in self.levels(lod) {
                if w > 0.0 {
                    parts.push((w / f64::from(samples), self.level(&q, at, level + self.image.base, linear)));
                }
            }
        }
        Some((self.blend(&parts), slack * 2.0))
    }

    fn select(&self, c: [f64; 4]) -> [f64; 4] {
        self.image.dst_sel.map(|sel| match sel {
            1 => 1.0,
            4..=7 => c[sel as usize - 4],
            _ => 0.0,
        })
    }

    /// (x0, y1), (x1, y1), (x1, y0), (x0, y0) of the nearest level.
    fn gather(&self, q: &Query, row: bool) -> Option<[[f64; 4]; 4]> {
        let (_, lod, ..) = self.lod(q)?;
        let last = f64::from(self.image.last - self.image.base);
        let level = match self.s.mip_filter {
            MipFilter::None | MipFilter::Reserved => 0,
            _ => (lod + 0.5).floor().max(0.0).min(last) as u32,
        } + self.image.base;
        let p = self.position(q, q.at.map(f64::from), level);
        let i = [0, 1].map(|a| (p[a] - 0.5).floor() as i64);
        let taps = if row { [[0, 0], [1, 0], [2, 0], [3, 0]] } else { [[0, 1], [1, 1], [1, 0], [0, 0]] };
        let cube = self.image.kind == ImageType::Cube;
        let got: Vec<Option<[f64; 4]>> = taps
            .iter()
            .map(|t| match cube {
                true => self.cube_texel(q, level, i[0] + t[0], i[1] + t[1]),
                false => Some(self.texel(q, level, [i[0] + t[0], i[1] + t[1], 0])),
            })
            .collect();
        let have: Vec<[f64; 4]> = got.iter().flatten().copied().collect();
        let mean = [0, 1, 2, 3].map(|c| have.iter().map(|h| h[c]).sum::<f64>() / 3.0);
        Some(std::array::from_fn(|k| got[k].unwrap_or(mean)))
    }
}

fn step_f32(k: u32, n: u32) -> f32 {
    k as f32 / (n + 1) as f32 - 0.5
}

fn axes(kind: ImageType) -> usize {
    match kind {
        ImageType::D1 | ImageType::D1Array => 1,
        ImageType::D3 => 3,
        _ => 2,
    }
}

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

/// A sampling instruction: its suffixes spelled out.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kind {
    /// sample, gather4, gather4h, get_lod
    base: &'static str,
    compare: bool,
    /// "", b, l, lz, d, cd
    lod: &'static str,
    clamp: bool,
    offset: bool,
    g16: bool,
    a16: bool,
    unnormalized: bool,
    d16: bool,
}

impl Kind {
    fn name(&self) -> String {
        let mut name = format!("image_{}", self.base);
        for (on, suffix) in [
            (self.compare, "c"),
            (!self.lod.is_empty(), self.lod),
            (self.clamp, "cl"),
            (self.offset, "o"),
            (self.g16, "g16"),
        ] {
            if on {
                name += "_";
                name += suffix;
            }
        }
        name
    }

    fn coordinates(dim: usize) -> usize {
        [1, 2, 3, 3, 2, 3][dim]
    }

    fn has_level(&self) -> bool {
        self.clamp || self.lod == "l"
    }

    fn op(&self, rng: &mut Rng, dim: usize) -> Op {
        let n = [1, 2, 3, 2, 1, 2][dim];
        let derivatives = match (self.lod, self.g16) {
            ("d" | "cd", true) => 2 * (n as u32).div_ceil(2),
            ("d" | "cd", false) => 2 * n,
            _ => 0,
        };
        let body = (Kind::coordinates(dim) + usize::from(self.has_level())) as u32;
        let body = if self.a16 { body.div_ceil(2) } else { body };
        let extra = u32::from(self.offset) + u32::from(self.compare) + u32::from(self.lod == "b");
        let gather = self.base.starts_with("gather");
        let dmask = match self.base {
            _ if gather => 1 << if self.compare { 0 } else { rng.below(4) },
            "get_lod" => 3,
            _ => 1 + rng.below(15),
        };
        let components = if gather { 4 } else { dmask.count_ones() };
        let mut flags = String::new();
        for (on, flag) in [(self.unnormalized, "unorm "), (self.a16, "a16 "), (self.d16, "d16 ")] {
            if on {
                flags += flag;
            }
        }
        Op {
            name: self.name(),
            dim,
            addresses: extra + derivatives + body,
            data: if self.d16 { components.div_ceil(2) } else { components },
            dmask,
            sampler: true,
            flags,
            nsa: rng.chance(50),
        }
    }
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

const PLAIN: Kind = Kind {
    base: "sample",
    compare: false,
    lod: "",
    clamp: false,
    offset: false,
    g16: false,
    a16: false,
    unnormalized: false,
    d16: false,
};
const ALL_DIMS: [usize; 6] = [0, 1, 2, 3, 4, 5];

/// Every sampling mnemonic there is.
fn every_sample() -> Vec<Kind> {
    let mut kinds = Vec::new();
    for compare in [false, true] {
        for lod in ["", "b", "l", "lz", "d", "cd"] {
            for clamp in [false, true] {
                for offset in [false, true] {
                    for g16 in [false, true] {
                        let level = clamp && matches!(lod, "l" | "lz");
                        let packed = g16 && !matches!(lod, "d" | "cd");
                        if !level && !packed {
                            kinds.push(Kind { compare, lod, clamp, offset, g16, ..PLAIN });
                        }
                    }
                }
            }
        }
    }
    kinds
}

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
fn every_gather_instruction() {
    let mut kinds = Vec::new();
    for compare in [false, true] {
        for lod in ["", "b", "l", "lz"] {
            for clamp in [false, true] {
                for offset in [false, true] {
                    if !(clamp && matches!(lod, "l" | "lz")) {
                        kinds.push(Kind { base: "gather4", compare, lod, clamp, offset, ..PLAIN });
                    }
                }
            }
        }
    }
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
