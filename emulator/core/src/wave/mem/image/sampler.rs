//! Sampling: coordinates to texels to one colour. Pure: memory is behind [`Fetch`].
//!
//! ```text
//! coordinate × size + offset -> sub-texel grid -> texels and weights -> border, wrap, cube edge -> compare -> blend
//! derivatives -> level of detail + bias, clamped -> magnify or minify, one level or two, samples along the longer axis
//! ```
//! Equations: the Vulkan specification, "Texel Input and Filter Operations". Precision, as Vulkan lets a device choose and
//! this hardware's descriptors count: coordinates on a grid of 1/256 texel, weights of 8 bits, levels of detail of 8
//! fractional bits. Products and sums before and after that are f64 and f32.

use super::cube;
use super::grid::{BORDER, GRID, Grid, ONE, far, nearest, nearest_texel, wrap};
use super::view::{Texel, View};
use wavepipe_hw::descriptor::{BorderColor, Clamp, MipFilter, SamplerDescriptor, XyFilter, ZFilter};
use wavepipe_isa::Gen;

/// Where texels come from: components X, Y, Z, W before DST_SEL.
pub(super) trait Fetch {
    fn texel(&mut self, t: Texel) -> [u32; 4];
}

/// A sampler, resolved against the view that it reads.
pub(super) struct Sampler {
    clamp: [Clamp; 3],
    mag: XyFilter,
    min: XyFilter,
    z: ZFilter,
    mip: MipFilter,
    preclamp: bool,
    /// Coordinates are texels.
    pub unnormalized: bool,
    trunc: bool,
    one_bit_weights: bool,
    seamless: bool,
    reduction: u8,
    compare: Option<u8>,
    /// References are clamped to 0..=1, as texels are.
    clamp_reference: bool,
    /// Largest ratio of an anisotropic filter; 1 = off.
    max_ratio: f64,
    /// In 1/256 levels.
    bias: i32,
    min_lod: i32,
    max_lod: i32,
    border: [u32; 4],
    /// Texels that cannot be blended.
    integer: bool,
    /// Where gathered texels begin, before the coordinate.
    gather_from: i64,
    /// Directions that a filter works in: 1, 2 or 3.
    axes: usize,
    cube: bool,
}

/// Derivatives of the coordinates in both screen directions, in the coordinates' own unit.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Derivatives {
    pub h: [f32; 3],
    pub v: [f32; 3],
}

/// What one lane asks for.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Point {
    pub at: [f32; 3],
    /// Slice of the surface; of a cube its first face's.
    pub slice: u32,
    pub face: usize,
    /// Texels.
    pub offset: [i32; 3],
    pub reference: f32,
}

/// Level of detail, in 1/256 levels from the view's base level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lod {
    pub raw: i32,
    pub clamped: i32,
    /// Samples along the longer derivative, and that derivative.
    samples: u32,
    along: [f32; 3],
}

/// Texels of one direction and the weight of the second, in 1/256.
#[derive(Clone, Copy)]
struct Taps {
    i: [i64; 2],
    weight: i64,
}

/// A level of detail in 1/256, ∞ and NaN made finite.
pub(super) fn fixed_lod(lod: f64) -> i32 {
    let lod = if lod.is_nan() { 0.0 } else { lod.clamp(-4096.0, 4096.0) };
    nearest(lod * f64::from(1 << GRID)) as i32
}

impl Sampler {
    /// `compare`: an instruction with a reference. `unnormalized`: the instruction says so. `custom` reads the border
    /// colour table. `dim`: DIM.
    pub fn new(
        s: &SamplerDescriptor,
        view: &View,
        dim: u8,
        compare: bool,
        unnormalized: bool,
        isa: Gen,
        custom: impl FnOnce(u16) -> [u32; 4],
    ) -> Sampler {
        let integer = view.format.is_some_and(|f| f.is_integer());
        let one = view.one();
        let stored = match s.border_color_type {
            BorderColor::TransparentBlack => [0; 4],
            BorderColor::OpaqueBlack => [0, 0, 0, one],
            BorderColor::OpaqueWhite => [one; 4],
            BorderColor::Register => custom(s.border_color_ptr),
        };
        let three = dim == 2 && view.kind == wavepipe_hw::descriptor::ImageType::D3;
        let anisotropic = s.xy_mag_filter.anisotropic() || s.xy_min_filter.anisotropic();
        let single = s.aniso_override && view.last() == 0;
        let max_ratio = if anisotropic && !single { f64::from(1u32 << s.max_aniso_ratio.min(4)) } else { 1.0 };
        Sampler {
            clamp: s.clamp,
            mag: s.xy_mag_filter,
            min: s.xy_min_filter,
            z: s.z_filter,
            mip: s.mip_filter,
            preclamp: s.mip_point_preclamp,
            unnormalized: unnormalized || s.force_unnormalized,
            trunc: s.trunc_coord,
            one_bit_weights: s.mc_coord_trunc,
            seamless: !s.disable_cube_wrap,
            reduction: s.filter_mode,
            compare: compare.then_some(s.depth_compare_func),
            clamp_reference: view.format.is_some_and(|f| f.num != wavepipe_isa::format::Num::Float),
            max_ratio,
            bias: s.lod_bias.into(),
            min_lod: s.min_lod.into(),
            max_lod: s.max_lod.into(),
            border: swizzled(stored, view.bc_swizzle),
            integer,
            gather_from: if integer && isa.caps().integer_gather_bug { 0 } else { ONE / 2 },
            axes: match dim {
                0 | 4 => 1,
                2 if three => 3,
                _ => 2,
            },
            cube: dim == 3,
        }
    }

    /// Directions that a filter works in: 1, 2 or 3.
    #[inline(always)]
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// Whether texels are weighed, not the least or the greatest of them taken.
    pub fn blends(&self) -> bool {
        self.reduction == 0
    }

    /// Whether derivatives may ask for more than one sample.
    pub fn is_anisotropic(&self) -> bool {
        self.max_ratio != 1.0
    }

    /// The filter of levels, and whether colours of two may be blended.
    #[inline(always)]
    pub fn levels_filter(&self) -> (MipFilter, bool) {
        (self.mip, self.mip == MipFilter::Linear && !self.integer)
    }

    /// Whether texels may be the border.
    #[inline(always)]
    pub fn has_border(&self) -> bool {
        let mirrors =
            |clamp| matches!(clamp, Clamp::Wrap | Clamp::Mirror | Clamp::LastTexel | Clamp::MirrorOnceLastTexel);
        let borders = self.clamp.map(|clamp| !mirrors(clamp));
        borders[0] || self.axes > 1 && borders[1] || self.axes > 2 && borders[2]
    }

    #[inline(always)]
    pub fn border(&self) -> [u32; 4] {
        self.border
    }

    /// What texels are compared by, and whether references are clamped.
    #[inline(always)]
    pub fn comparison(&self) -> Option<(u8, bool)> {
        self.compare.map(|func| (func, self.clamp_reference))
    }

    /// Where gathered texels begin, before the coordinate.
    #[inline(always)]
    pub fn gather_from(&self) -> i64 {
        self.gather_from
    }

    /// Level of detail from derivatives.
    pub fn lod_of(&self, view: &View, d: &Derivatives, bias: f32, least: f32) -> Lod {
        let (detail, samples, along) = self.detail(view, d);
        Lod { samples, along, ..self.lod(detail, bias, least, view) }
    }

    /// What derivatives say: the level of detail, before it is biased; samples along the longer one, and that.
    pub fn detail(&self, view: &View, d: &Derivatives) -> (f64, u32, [f32; 3]) {
        let length = |v: &[f32; 3]| {
            let squares = (0..self.axes).map(|a| {
                let size = if self.unnormalized { 1 } else { view.size(view.base_level, a) };
                let texels = f64::from(v[a]) * f64::from(size);
                texels * texels
            });
            squares.sum::<f64>().sqrt()
        };
        let (h, v) = (length(&d.h), length(&d.v));
        let (most, fewest, along) = if h >= v { (h, v, d.h) } else { (v, h, d.v) };
        let ratio = if most > 0.0 { (most / fewest).min(self.max_ratio).max(1.0) } else { 1.0 };
        ((most / ratio).log2(), ratio.ceil() as u32, along)
    }

    /// Level of detail from a number.
    #[inline(always)]
    pub fn lod(&self, lod: f64, bias: f32, least: f32, view: &View) -> Lod {
        let raw = fixed_lod(lod) + self.bias + fixed_lod(bias.into());
        let min = self.min_lod.max(view.min_lod.into()).max(fixed_lod(least.into()));
        let half = if self.preclamp && self.mip == MipFilter::Point { 128 } else { 0 };
        let clamped = (raw + half).max(min).min(self.max_lod) - half;
        Lod { raw, clamped, samples: 1, along: [0.0; 3] }
    }

    /// Levels that a level of detail selects, and the weight of the second in 1/256.
    #[inline(always)]
    fn levels(&self, view: &View, lod: i32) -> (u32, u32, i64) {
        let last = view.last() as i32;
        let (first, weight) = level_of(self.mip, last, lod);
        let level = |l: i32| view.base_level + l.min(last) as u32;
        (level(first), level(first + 1), weight.into())
    }

    /// The level that is accessed most, from the view's base level, in 1/256: what GET_LOD tells.
    pub fn accessed(&self, view: &View, lod: i32) -> i32 {
        let last = (view.last() as i32) << GRID;
        match self.mip {
            MipFilter::Linear => lod.clamp(0, last),
            _ => (self.levels(view, lod).0 - view.base_level) as i32 * 256,
        }
    }

    /// Whether texels of a level are blended at a level of detail.
    #[inline(always)]
    pub fn is_linear(&self, lod: i32) -> bool {
        self.filter(lod).linear() && !self.integer
    }

    /// The same of slices, if the texels of one are blended or not.
    #[inline(always)]
    pub fn is_linear_in_z(&self, linear: bool) -> bool {
        match self.z {
            ZFilter::None | ZFilter::Reserved => linear,
            ZFilter::Point => false,
            ZFilter::Linear => !self.integer,
        }
    }

    /// The filter of a level of detail.
    #[inline(always)]
    fn filter(&self, lod: i32) -> XyFilter {
        if lod <= 0 { self.mag } else { self.min }
    }

    /// The filtered colour, before DST_SEL.
    pub fn sample(&self, view: &View, fetch: &mut impl Fetch, p: &Point, lod: &Lod) -> [u32; 4] {
        let (filter, linear) = (self.filter(lod.clamped), self.is_linear(lod.clamped));
        let (first, second, weight) = self.levels(view, lod.clamped);
        if lod.samples <= 1 || !filter.anisotropic() {
            let a = self.level(view, fetch, p, first, linear);
            if weight == 0 || self.integer {
                return a;
            }
            let b = self.level(view, fetch, p, second, linear);
            return self.blend(&[(a, ONE - weight), (b, weight)], ONE);
        }
        let mut sum = [0f32; 4];
        let n = lod.samples;
        for i in 1..=n {
            let step = i as f32 / (n + 1) as f32 - 0.5;
            let mut p = *p;
            p.at = std::array::from_fn(|a| p.at[a] + step * lod.along[a]);
            if self.cube && self.seamless {
                // A step may leave the face.
                let (face, [s, t]) = cube::select(p.face, [p.at[0], p.at[1]]);
                (p.face, p.at) = (face, [s, t, 0.0]);
            }
            let mut c = self.level(view, fetch, &p, first, linear);
            if weight != 0 && !self.integer {
                let b = self.level(view, fetch, &p, second, linear);
                c = self.blend(&[(c, ONE - weight), (b, weight)], ONE);
            }
            if self.integer {
                return c;
            }
            match (self.reduction, i) {
                (1, 2..) => sum = std::array::from_fn(|k| sum[k].min(f32::from_bits(c[k]))),
                (2, 2..) => sum = std::array::from_fn(|k| sum[k].max(f32::from_bits(c[k]))),
                (1 | 2, _) => sum = c.map(f32::from_bits),
                _ => sum = std::array::from_fn(|k| sum[k] + f32::from_bits(c[k]) / n as f32),
            }
        }
        sum.map(f32::to_bits)
    }

    /// The level that is gathered from.
    #[inline(always)]
    fn gathered(&self, view: &View, lod: i32) -> u32 {
        let filter =
            if matches!(self.mip, MipFilter::None | MipFilter::Reserved) { self.mip } else { MipFilter::Point };
        view.base_level + level_of(filter, view.last() as i32, lod).0 as u32
    }

    /// The four texels of a bilinear footprint: (x0, y1), (x1, y1), (x1, y0), (x0, y0); or of four in a row. What some silicon makes of
    /// integers begins at the nearest texel instead.
    pub fn gather(&self, view: &View, fetch: &mut impl Fetch, p: &Point, lod: &Lod, in_a_row: bool) -> [[u32; 4]; 4] {
        let level = self.gathered(view, lod.clamped);
        if self.cube && self.seamless && !in_a_row {
            let [c00, c10, c01, c11] = self.face_quad(view, fetch, p, level, self.gather_from);
            return [c01, c11, c10, c00];
        }
        let steps = if in_a_row { [[0, 0], [1, 0], [2, 0], [3, 0]] } else { [[0, 1], [1, 1], [1, 0], [0, 0]] };
        steps.map(|step: [i64; 2]| {
            let mut i = [0; 3];
            for (axis, i) in i.iter_mut().enumerate().take(self.axes.min(2)) {
                let first = (self.grid(view, p, level, axis) - self.gather_from) >> GRID;
                *i = wrap(self.clamp[axis], first + step[axis], view.size(level, axis).into());
            }
            self.texel(view, fetch, p, level, i)
        })
    }

    /// One level's colour.
    #[inline(always)]
    fn level(&self, view: &View, fetch: &mut impl Fetch, p: &Point, level: u32, linear: bool) -> [u32; 4] {
        if self.cube && self.seamless {
            return self.face(view, fetch, p, level, linear);
        }
        let none = Taps { i: [0; 2], weight: 0 };
        let x = self.taps(view, p, level, 0, linear);
        let y = if self.axes > 1 { self.taps(view, p, level, 1, linear) } else { none };
        let z = if self.axes > 2 { self.taps(view, p, level, 2, self.is_linear_in_z(linear)) } else { none };
        if x.weight | y.weight | z.weight == 0 {
            return self.texel(view, fetch, p, level, [x.i[0], y.i[0], z.i[0]]);
        }
        if z.weight == 0 {
            // The plain bilinear filter.
            let weights = [
                (ONE - x.weight) * (ONE - y.weight),
                x.weight * (ONE - y.weight),
                (ONE - x.weight) * y.weight,
                x.weight * y.weight,
            ];
            if self.reduction == 0 {
                let mut out = [0f32; 4];
                for (k, weight) in weights.into_iter().enumerate() {
                    if weight != 0 {
                        let c = self.texel(view, fetch, p, level, [x.i[k & 1], y.i[k >> 1], z.i[0]]);
                        let weight = weight as f32 * (1.0 / (ONE * ONE) as f32);
                        out = std::array::from_fn(|i| out[i] + f32::from_bits(c[i]) * weight);
                    }
                }
                return out.map(f32::to_bits);
            }
        }
        let side = |t: &Taps, k: usize| if k == 0 { ONE - t.weight } else { t.weight };
        let mut parts = [([0; 4], 0); 8];
        let mut n = 0;
        for k in 0..8 {
            let (kx, ky, kz) = (k & 1, k >> 1 & 1, k >> 2);
            let weight = side(&x, kx) * side(&y, ky) * side(&z, kz);
            if weight != 0 {
                parts[n] = (self.texel(view, fetch, p, level, [x.i[kx], y.i[ky], z.i[kz]]), weight);
                n += 1;
            }
        }
        self.blend(&parts[..n], ONE * ONE * ONE)
    }

    /// Weighted sum of colours, or their minimum or maximum. `whole`: the sum of all weights.
    #[inline(always)]
    fn blend(&self, parts: &[([u32; 4], i64)], whole: i64) -> [u32; 4] {
        let mut out = [0f32; 4];
        for (i, &(c, weight)) in parts.iter().enumerate() {
            let c = c.map(f32::from_bits);
            match self.reduction {
                1 | 2 if i == 0 => out = c,
                1 => out = std::array::from_fn(|k| out[k].min(c[k])),
                2 => out = std::array::from_fn(|k| out[k].max(c[k])),
                _ => {
                    let weight = weight as f32 * (1.0 / whole as f32);
                    out = std::array::from_fn(|k| out[k] + c[k] * weight);
                }
            }
        }
        out.map(f32::to_bits)
    }

    /// How coordinates in one direction become places on the grid of a level's sub-texels.
    #[inline(always)]
    pub fn grid_of(&self, view: &View, level: u32, axis: usize) -> Grid {
        let n = f64::from(view.size(level, axis));
        let (least, most) = match self.clamp[axis] {
            _ if self.cube && self.seamless => (f64::NEG_INFINITY, f64::INFINITY),
            Clamp::HalfBorder => (0.0, n),
            Clamp::MirrorOnceHalfBorder => (-n, n),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        Grid { scale: if self.unnormalized { 1.0 } else { n }, least, most, trunc: self.trunc }
    }

    /// A coordinate on the sub-texel grid, in texels of the level.
    #[inline(always)]
    fn grid(&self, view: &View, p: &Point, level: u32, axis: usize) -> i64 {
        let grid = self.grid_of(view, level, axis);
        let u = grid.place(p.at[axis], p.offset[axis]);
        // 2^40 texels are far enough for any image; NaN is at the image's start.
        grid.round(if u.abs() <= 2f64.powi(48) { u } else { far(u) })
    }

    /// Texels and weight in one direction.
    #[inline(always)]
    fn taps(&self, view: &View, p: &Point, level: u32, axis: usize, linear: bool) -> Taps {
        let n = i64::from(view.size(level, axis));
        let clamp = self.clamp[axis];
        let u = self.grid(view, p, level, axis);
        if !linear {
            return Taps { i: [wrap(clamp, nearest_texel(clamp, u >> GRID, n), n); 2], weight: 0 };
        }
        let u = u - ONE / 2;
        let (i, weight) = (u >> GRID, self.weight(u));
        Taps { i: [wrap(clamp, i, n), wrap(clamp, i + 1, n)], weight }
    }

    #[inline(always)]
    fn weight(&self, u: i64) -> i64 {
        u & self.weight_mask()
    }

    /// The bits of a place on the grid that are a weight.
    #[inline(always)]
    pub fn weight_mask(&self) -> i64 {
        if self.one_bit_weights { ONE / 2 } else { ONE - 1 }
    }

    /// What a coordinate outside of the image means.
    #[inline(always)]
    pub fn clamp(&self, axis: usize) -> Clamp {
        self.clamp[axis]
    }

    /// A texel or the border, compared if the instruction compares.
    #[inline(always)]
    fn texel(&self, view: &View, fetch: &mut impl Fetch, p: &Point, level: u32, i: [i64; 3]) -> [u32; 4] {
        let outside = i[0] == BORDER || i[1] == BORDER || i[2] == BORDER;
        let slice = if self.axes == 3 {
            let (first, count) = view.slices(level);
            first + (i[2] as u32).min(count.saturating_sub(1))
        } else if self.cube {
            p.slice + p.face as u32
        } else {
            p.slice
        };
        let c = if outside { self.border } else { fetch.texel(Texel { level, x: i[0] as u32, y: i[1] as u32, slice }) };
        self.compared(p, c)
    }

    #[inline(always)]
    fn compared(&self, p: &Point, c: [u32; 4]) -> [u32; 4] {
        let Some(func) = self.compare else { return c };
        [compared(func, self.clamp_reference, p.reference, f32::from_bits(c[0])), 0, 0, 1f32.to_bits()]
    }

    /// One level of a cube whose faces join.
    fn face(&self, view: &View, fetch: &mut impl Fetch, p: &Point, level: u32, linear: bool) -> [u32; 4] {
        if !linear {
            let n = i64::from(view.size(level, 0));
            let edge = |a| (self.grid(view, p, level, a) >> GRID).clamp(0, n - 1);
            return self.texel(view, fetch, p, level, [edge(0), edge(1), 0]);
        }
        let quad = self.face_quad(view, fetch, p, level, ONE / 2);
        let [x, y] = [0, 1].map(|a| self.weight(self.grid(view, p, level, a) - ONE / 2));
        let weights = [(ONE - x) * (ONE - y), x * (ONE - y), (ONE - x) * y, x * y];
        let mut parts = [([0; 4], 0); 4];
        let mut n = 0;
        for (c, weight) in quad.into_iter().zip(weights).filter(|(_, weight)| *weight != 0) {
            parts[n] = (c, weight);
            n += 1;
        }
        self.blend(&parts[..n], ONE * ONE)
    }

    /// (x0, y0), (x1, y0), (x0, y1), (x1, y1) around a point of a cube, the first one `from` before it; a texel that a corner of the cube lacks is the mean
    /// of the other three.
    fn face_quad(&self, view: &View, fetch: &mut impl Fetch, p: &Point, level: u32, from: i64) -> [[u32; 4]; 4] {
        let n = i64::from(view.size(level, 0));
        let [x, y] = [0, 1].map(|a| (self.grid(view, p, level, a) - from) >> GRID);
        let mut missing = None;
        let mut out = [[0; 4]; 4];
        for (k, out) in out.iter_mut().enumerate() {
            match cube::across(p.face, x + (k as i64 & 1), y + (k as i64 >> 1), n) {
                Some((face, x, y)) => {
                    let c = fetch.texel(Texel { level, x, y, slice: p.slice + face as u32 });
                    *out = self.compared(p, c);
                }
                None => missing = Some(k),
            }
        }
        if let Some(k) = missing {
            let sum = |c: usize| (0..4).filter(|&i| i != k).map(|i| f32::from_bits(out[i][c])).sum::<f32>();
            out[k] = if self.integer { out[k ^ 1] } else { [0, 1, 2, 3].map(|c| (sum(c) / 3.0).to_bits()) };
        }
        out
    }
}

/// The level that a level of detail selects, of 0 to `last`, and the weight of the next in 1/256.
#[inline(always)]
pub(super) fn level_of(mip: MipFilter, last: i32, lod: i32) -> (i32, i32) {
    match mip {
        MipFilter::None | MipFilter::Reserved => (0, 0),
        MipFilter::Point => (((lod + 128) >> GRID).max(0).min(last), 0),
        MipFilter::Linear => {
            let l = lod.max(0).min(last << GRID);
            (l >> GRID, l & 0xff)
        }
    }
}

/// Whether a reference passes against a texel, by DEPTH_COMPARE_FUNC: 1.0 or 0.0.
#[inline(always)]
pub(super) fn compared(func: u8, clamp_reference: bool, reference: f32, texel: f32) -> u32 {
    let r = if clamp_reference { reference.clamp(0.0, 1.0) } else { reference };
    let pass = match func {
        0 => false,
        1 => r < texel,
        2 => r == texel,
        3 => r <= texel,
        4 => r > texel,
        5 => r != texel,
        6 => r >= texel,
        _ => true,
    };
    if pass { 1f32.to_bits() } else { 0 }
}

/// BC_SWIZZLE: which channels of the stored colour X, Y, Z, W get.
fn swizzled(stored: [u32; 4], bc_swizzle: u8) -> [u32; 4] {
    let order: [usize; 4] = match bc_swizzle {
        1 => [0, 3, 1, 2],
        2 => [3, 2, 1, 0],
        3 => [3, 0, 1, 2],
        4 => [2, 1, 0, 3],
        5 => [1, 0, 3, 2],
        _ => [0, 1, 2, 3],
    };
    order.map(|i| stored[i])
}
