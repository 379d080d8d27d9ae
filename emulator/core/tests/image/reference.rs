//! Sampling by the Vulkan specification's equations ("Texel Input and Filter Operations") in f64, one point at a time.

use super::{Stored, TestFormat};
use wavepipe_hw::descriptor::{Clamp, ImageType, MipFilter, SamplerDescriptor, ZFilter};

/// Texels as numbers, and what the T# says.
pub struct Image {
    pub kind: ImageType,
    pub format: TestFormat,
    pub size: [u32; 3],
    pub base: u32,
    pub last: u32,
    pub first_slice: u32,
    pub slices: u32,
    pub dst_sel: [u8; 4],
    pub bc_swizzle: u8,
    pub min_lod: f64,
    /// [level][slice][y * width + x]
    pub texels: Vec<Vec<Vec<[f64; 4]>>>,
}

impl Image {
    pub fn level_size(&self, level: u32) -> [i64; 3] {
        self.size.map(|n| i64::from((n >> level).max(1)))
    }
}

/// What a lane asks for.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub at: [f32; 3],
    pub layer: f32,
    pub offset: [i32; 3],
    pub reference: f32,
    pub bias: f32,
    pub least: Option<f32>,
    pub lod: Option<f32>,
    /// Derivatives to x and y.
    pub derivatives: [[f32; 3]; 2],
    pub unnormalized: bool,
    pub compare: bool,
}

/// Sub-texel position of a coordinate: `u` in texels.
pub fn snap(s: &SamplerDescriptor, u: f64) -> f64 {
    let v = u * 256.0;
    (if s.trunc_coord { v.floor() } else { v.round_ties_even() }) / 256.0
}

/// The texel index that a wrapping mode makes of `i`; `None`: the border.
pub fn wrapped(clamp: Clamp, i: i64, n: i64) -> Option<i64> {
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
pub fn select_face(d: [f64; 3]) -> (usize, f64, f64) {
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
pub fn direction(face: usize, s: f64, t: f64) -> [f64; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

pub struct Reference<'a> {
    pub image: &'a Image,
    pub s: &'a SamplerDescriptor,
    pub border: [f64; 4],
}

impl Reference<'_> {
    pub fn compared(&self, q: &Query, texel: [f64; 4]) -> [f64; 4] {
        if !q.compare {
            return texel;
        }
        let fixed = self.image.format.stored != Stored::Float32 && self.image.format.stored != Stored::Float16;
        let r = f64::from(q.reference);
        let r = if fixed { r.max(0.0).min(1.0) } else { r };
        let t = texel[0];
        let pass = [false, r < t, r == t, r <= t, r > t, r != t, r >= t, true][self.s.depth_compare_func as usize];
        [if pass { 1.0 } else { 0.0 }, 0.0, 0.0, 1.0]
    }

    /// A texel by indices that may be outside.
    pub fn texel(&self, q: &Query, level: u32, i: [i64; 3]) -> [f64; 4] {
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

    pub fn slice(&self, q: &Query, face: usize) -> usize {
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
    pub fn cube_texel(&self, q: &Query, level: u32, x: i64, y: i64) -> Option<[f64; 4]> {
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
    pub fn position(&self, q: &Query, at: [f64; 3], level: u32) -> [f64; 3] {
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

    pub fn level(&self, q: &Query, at: [f64; 3], level: u32, linear: bool) -> [f64; 4] {
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

    pub fn blend(&self, parts: &[(f64, [f64; 4])]) -> [f64; 4] {
        let some = parts.iter().filter(|p| p.0 > 0.0);
        [0, 1, 2, 3].map(|c| match self.s.filter_mode {
            1 => some.clone().map(|p| p.1[c]).fold(f64::INFINITY, f64::min),
            2 => some.clone().map(|p| p.1[c]).fold(f64::NEG_INFINITY, f64::max),
            _ => some.clone().map(|p| p.0 * p.1[c]).sum(),
        })
    }

    /// Level of detail: raw, clamped, anisotropic samples and the direction they follow; `None` where rounding is close.
    pub fn lod(&self, q: &Query) -> Option<(f64, f64, u32, [f64; 3])> {
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
    pub fn levels(&self, lod: f64) -> Vec<(u32, f64)> {
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
    pub fn sample(&self, q: &Query) -> Option<([f64; 4], f64)> {
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
            if self.image.kind == ImageType::Cube && at.iter().any(|v| !(0.0..=1.0).contains(v)) {
                // The face that lies there; its coordinates are quotients, so the grid may round either way.
                if !linear {
                    return None;
                }
                let layer = (q.layer as u32 / 8 * 8) as f32;
                let (face, s, t) = select_face(direction(q.layer as usize % 8, 2.0 * at[0] - 1.0, 2.0 * at[1] - 1.0));
                (at, q.layer) = ([s, t, 0.0], layer + face as f32);
                slack += 2.0 / 256.0 / f64::from(samples);
            }
            for (level, w) in self.levels(lod) {
                if w > 0.0 {
                    parts.push((w / f64::from(samples), self.level(&q, at, level + self.image.base, linear)));
                }
            }
        }
        Some((self.blend(&parts), slack * 2.0))
    }

    pub fn select(&self, c: [f64; 4]) -> [f64; 4] {
        self.image.dst_sel.map(|sel| match sel {
            1 => 1.0,
            4..=7 => c[sel as usize - 4],
            _ => 0.0,
        })
    }

    /// (x0, y1), (x1, y1), (x1, y0), (x0, y0) of the nearest level.
    pub fn gather(&self, q: &Query, row: bool) -> Option<[[f64; 4]; 4]> {
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

pub fn step_f32(k: u32, n: u32) -> f32 {
    k as f32 / (n + 1) as f32 - 0.5
}

pub fn axes(kind: ImageType) -> usize {
    match kind {
        ImageType::D1 | ImageType::D1Array => 1,
        ImageType::D3 => 3,
        _ => 2,
    }
}
