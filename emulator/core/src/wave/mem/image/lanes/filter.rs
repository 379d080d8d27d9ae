//! Samples and gathers: as `Sampler::sample` and `Sampler::gather`, of 32 lanes.
//!
//! Lanes that read the same level by the same filter go together; most often those are all of them.

use super::super::by_lane::{self, Sampled};
use super::super::sampler::{self, Sampler, level_of};
use super::super::view::View;
use super::coordinates::{LaneTaps, ONE_SIDE, Points, wrapped};
use super::surface::Surface;
use super::{Access, Lanes, bits, gathered, rows};
use crate::memory::rows::Host;
use crate::wave::env::Env;
use crate::wave::op::MicroOp;
use crate::wave::state::Wave;
use wavepipe_hw::descriptor::{ImageType, MipFilter};
use wavepipe_isa::row::{ImageOp, Lod};

/// An instruction's image and sampler.
struct Filter<'v, 'm, H> {
    sampler: &'v Sampler,
    view: &'v View,
    surface: Surface<'m, H>,
    /// Components that are of interest.
    wanted: u8,
    /// A coordinate may name the border.
    bordered: bool,
}

/// Samples rows, and returns how many halves of the wave are done.
#[inline(always)]
pub(super) fn sample<H: Host>(w: &mut Wave, op: &MicroOp, a: &Access, env: &mut Env, host: H) -> usize {
    let (ImageOp::Sample(what) | ImageOp::Gather4(what)) = a.op else { return 0 };
    if a.is_rare() || !matches!(a.dim, 0 | 1 | 2 | 4 | 5) {
        return 0;
    }
    let view = a.view;
    let s = by_lane::sampler(w, op);
    let Some(surface) = Surface::new(view, env, s.skip_degamma, host) else { return 0 };
    let mut mapped = true;
    let Sampled { sampler, gather, .. } = Sampled::new(w, a, &s, |entry| {
        let at = by_lane::border_at(env, entry);
        let color = env.region(at, 16).and_then(|(r, off)| r.backing.load_dwords::<4>(off));
        mapped = color.is_some();
        color.unwrap_or_default()
    });
    let one_sample = matches!(what.lod, Lod::Zero | Lod::Explicit) || !sampler.is_anisotropic();
    if !mapped || !one_sample || !sampler.blends() {
        return 0;
    }
    let three = a.dim == 2 && view.kind == ImageType::D3;
    let component = (a.image.dmask.trailing_zeros() & 3) as usize;
    let wanted = a.wanted(if gather { 1 << component } else { a.image.dmask });
    let filter = Filter { sampler: &sampler, view, surface, wanted, bordered: sampler.has_border() };
    for half in 0..w.halves {
        let points = Points::new(w, a, half, three);
        let (live, lods) = (points.mask(), points.lods(&sampler, what));
        let mut out = [Lanes::ZERO; 4];
        if gather {
            if filter.gather(&points, &lods, &mut out, a, component).is_none() {
                return half;
            }
            a.put_lanes(w, half, live, 15, |c| out[c]);
        } else {
            if filter.sample(&points, &lods, &mut out).is_none() {
                return half;
            }
            a.put_lanes(w, half, live, a.image.dmask, |c| a.selected(&out, c));
        }
        env.images.at_once.set(env.images.at_once.get() + 1);
    }
    w.halves
}

/// The first key that a lane of `left` has, and all bits of the lanes that have it, which are taken from `left`.
#[inline(always)]
fn next_key(keys: &Lanes, left: &mut u32) -> Option<(u32, Lanes)> {
    if *left == 0 {
        return None;
    }
    let key = keys[left.trailing_zeros() as usize & 31];
    let these = rows(|l| bits(keys[l] == key));
    *left &= !gathered(&these);
    Some((key, these))
}

/// Levels that levels of detail select, and the weights of the next in 1/256.
#[inline(always)]
fn found(mip: MipFilter, view: &View, lods: &Lanes<i32>) -> (Lanes, Lanes<i32>) {
    let (base, last) = (view.base_level, view.last() as i32);
    let by = |mip| (rows(|l| base + level_of(mip, last, lods[l]).0 as u32), rows(|l| level_of(mip, last, lods[l]).1));
    match mip {
        MipFilter::Point => by(MipFilter::Point),
        MipFilter::Linear => by(MipFilter::Linear),
        MipFilter::None | MipFilter::Reserved => (Lanes::splat(base), Lanes::splat(0)),
    }
}

/// `b` in these lanes, else `a`.
#[inline(always)]
fn either(these: &Lanes, a: &Lanes, b: &Lanes) -> Lanes {
    rows(|l| a[l] & !these[l] | b[l] & these[l])
}

impl<H: Host> Filter<'_, '_, H> {
    /// Filtered colours before DST_SEL. `None`: lanes have to be served one by one.
    #[inline(always)]
    fn sample(&self, p: &Points, lods: &Lanes<i32>, out: &mut [Lanes; 4]) -> Option<()> {
        let (s, view) = (self.sampler, self.view);
        let (mip, blended) = s.levels_filter();
        let (first, weights) = found(mip, view, lods);
        let weights = if blended { rows(|l| weights[l] as f32 * (1.0 / 256.0)) } else { Lanes::splat(0.0) };
        let [magnified, minified] = [0, 1].map(|lod| u32::from(s.is_linear(lod)));
        let keys = rows(|l| first[l] * 2 + if lods[l] <= 0 { magnified } else { minified });
        let mut left = p.mask();
        while let Some((key, these)) = next_key(&keys, &mut left) {
            let (level, linear) = (key / 2, key & 1 != 0);
            let both = (0..32).fold(0, |some, l| some | weights[l].to_bits() & these[l]) != 0;
            let mut colors = [[Lanes::ZERO; 4]; 2];
            for (n, colors) in (0..1 + u32::from(both)).zip(&mut colors) {
                self.level(p, (level + n).min(view.last_level), linear, colors)?;
            }
            let [near, far] = &colors;
            for ((out, near), far) in out.iter_mut().zip(near).zip(far) {
                let color = match both {
                    false => *near,
                    true => rows(|l| {
                        let (a, b) = (f32::from_bits(near[l]), f32::from_bits(far[l]));
                        let sum = 0.0 + a * (1.0 - weights[l]) + b * weights[l];
                        if weights[l] == 0.0 { near[l] } else { sum.to_bits() }
                    }),
                };
                *out = either(&these, out, &color);
            }
        }
        Some(())
    }

    /// One component of four texels each.
    #[inline(always)]
    fn gather(&self, p: &Points, lods: &Lanes<i32>, out: &mut [Lanes; 4], a: &Access, component: usize) -> Option<()> {
        let (s, view) = (self.sampler, self.view);
        // The nearest level, if there are several.
        let keys = match s.levels_filter().0 {
            MipFilter::Point | MipFilter::Linear => found(MipFilter::Point, view, lods).0,
            none => found(none, view, lods).0,
        };
        let mut left = p.mask();
        while let Some((level, these)) = next_key(&keys, &mut left) {
            let mut reach = Reach::new(self, p, level);
            for axis in 0..s.axes().min(2) {
                let u = p.places(s, level, axis)?;
                let first = rows(|l| (u[l] - s.gather_from() as i32) >> 8);
                let (clamp, n) = (s.clamp(axis), view.size(level, axis) as i32);
                let i = [wrapped(clamp, &first, n), wrapped(clamp, &rows(|l| first[l] + 1), n)];
                reach.set(self, axis, &LaneTaps { i, side: ONE_SIDE });
            }
            for (out, k) in out.iter_mut().zip([2, 3, 1, 0]) {
                let mut rgba = [Lanes::ZERO; 4];
                self.texel(p, &reach, k, &mut rgba)?;
                *out = either(&these, out, &a.selected(&rgba, component));
            }
        }
        Some(())
    }

    /// One level's colours.
    #[inline(always)]
    fn level(&self, p: &Points, level: u32, linear: bool, out: &mut [Lanes; 4]) -> Option<()> {
        let s = self.sampler;
        let mut reach = Reach::new(self, p, level);
        let in_z = s.axes() > 2 && s.is_linear_in_z(linear);
        for axis in 0..s.axes() {
            reach.set(self, axis, &p.taps(s, level, axis, if axis < 2 { linear } else { in_z })?);
        }
        let taps = if linear || in_z { 1 << s.axes() } else { 1 };
        for k in 0..taps {
            let [wx, wy, wz] = reach.sides(k);
            let weight = rows(|l| wx[l] * wy[l] * wz[l]);
            if (0..32).fold(0, |some, l| some | weight[l].to_bits()) == 0 {
                continue;
            }
            let mut rgba = [Lanes::ZERO; 4];
            self.texel(p, &reach, k, &mut rgba)?;
            for (c, (sum, color)) in out.iter_mut().zip(&rgba).enumerate() {
                if self.wanted >> c & 1 == 0 {
                    continue;
                }
                // What has no weight has no part in the sum, be it infinite, and what has all of it stays as it is; the first texel has
                // some.
                *sum = rows(|l| {
                    let part = f32::from_bits(color[l]) * weight[l];
                    let before = if k == 0 { 0.0 } else { f32::from_bits(sum[l]) };
                    match weight[l] {
                        0.0 => sum[l],
                        1.0 => color[l],
                        _ => (before + part).to_bits(),
                    }
                });
            }
        }
        Some(())
    }

    /// Texels, or the border, compared if the instruction compares. `k`: which tap in X, Y and Z.
    #[inline(always)]
    fn texel(&self, p: &Points, reach: &Reach, k: usize, rgba: &mut [Lanes; 4]) -> Option<()> {
        let s = self.sampler;
        let [x, y, z] = reach.offsets(k);
        let off = rows(|l| x[l].wrapping_add(y[l]).wrapping_add(z[l]));
        self.surface.read(&off, if s.comparison().is_some() { 1 } else { self.wanted }, rgba)?;
        if self.bordered {
            let [x, y, z] = reach.borders(k);
            let outside = rows(|l| x[l] | y[l] | z[l]);
            for (row, color) in rgba.iter_mut().zip(s.border()) {
                *row = either(&outside, row, &Lanes::splat(color));
            }
        }
        if let Some((func, clamp)) = s.comparison() {
            let reference = p.reference();
            let pass = rows(|l| sampler::compared(func, clamp, reference[l], f32::from_bits(rgba[0][l])));
            *rgba = [pass, Lanes::ZERO, Lanes::ZERO, Lanes::splat(1f32.to_bits())];
        }
        Some(())
    }
}

/// Bytes from the surface's start, by direction, of both taps; all bits where a tap is the border; and weights.
struct Reach {
    level: u32,
    off: [[Lanes; 2]; 3],
    border: [[Lanes; 2]; 3],
    side: [[Lanes<f32>; 2]; 3],
}

/// Which of two taps `k` is in each direction.
fn ways(k: usize) -> [usize; 3] {
    [k & 1, k >> 1 & 1, k >> 2 & 1]
}

impl Reach {
    /// The level's first texel of each lane's slice.
    #[inline(always)]
    fn new<H: Host>(f: &Filter<H>, p: &Points, level: u32) -> Reach {
        let [offset, slice, _] = f.view.strides(level);
        let first = if f.sampler.axes() == 3 { Lanes::splat(f.view.slices(level).0) } else { p.slice };
        let start = rows(|l| first[l].wrapping_mul(slice).wrapping_add(offset));
        Reach {
            level,
            off: [[Lanes::ZERO; 2], [Lanes::ZERO; 2], [start; 2]],
            border: [[Lanes::ZERO; 2]; 3],
            side: [ONE_SIDE; 3],
        }
    }

    /// What taps in one direction add to that.
    #[inline(always)]
    fn set<H: Host>(&mut self, f: &Filter<H>, axis: usize, taps: &LaneTaps) {
        let [_, slice, pitch] = f.view.strides(self.level);
        let stride = [f.view.element_bytes(), pitch, slice][axis];
        let last = f.view.slices(self.level).1.saturating_sub(1) as i32;
        for (n, i) in taps.i.iter().enumerate() {
            let off = &mut self.off[axis][n];
            // The border's is any texel; a view may have less slices than its image.
            *off = match axis {
                2 => rows(|l| off[l].wrapping_add((i[l].max(0).min(last) as u32).wrapping_mul(stride))),
                _ => rows(|l| (i[l].max(0) as u32).wrapping_mul(stride)),
            };
            self.border[axis][n] = rows(|l| (i[l] >> 31) as u32);
        }
        self.side[axis] = taps.side;
    }

    #[inline(always)]
    fn offsets(&self, k: usize) -> [&Lanes; 3] {
        let [x, y, z] = ways(k);
        [&self.off[0][x], &self.off[1][y], &self.off[2][z]]
    }

    #[inline(always)]
    fn borders(&self, k: usize) -> [&Lanes; 3] {
        let [x, y, z] = ways(k);
        [&self.border[0][x], &self.border[1][y], &self.border[2][z]]
    }

    #[inline(always)]
    fn sides(&self, k: usize) -> [&Lanes<f32>; 3] {
        let [x, y, z] = ways(k);
        [&self.side[0][x], &self.side[1][y], &self.side[2][z]]
    }
}
