//! Where samples are: levels of detail, places on a level's grid, and the texels around them.

use super::super::grid::{Index, nearest_texel, wrap};
use super::super::sampler::{Derivatives, Sampler};
use super::super::view::View;
use super::{Access, Lanes, OperandPart, bits, floats, rows, spread};
use crate::wave::state::Wave;
use wavepipe_hw::descriptor::Clamp;
use wavepipe_isa::row::{Lod, Sampling};

/// Sub-texels from the image's start that coordinates at once may reach.
const FAR: f64 = (1u64 << 30) as f64;

impl Index for i32 {
    /// Of numbers up to 2^23.
    #[inline(always)]
    fn modulo(self, n: i32) -> i32 {
        if n & (n - 1) == 0 {
            return self & (n - 1);
        }
        // The nearest whole quotient, in the low bits of a sum.
        let quotient = f64::from(self) * (1.0 / f64::from(n)) + 1.5 * (1u64 << 52) as f64;
        let rest = self.wrapping_sub((quotient.to_bits() as i32).wrapping_mul(n));
        if rest < 0 { rest + n } else { rest }
    }
}

/// Where 32 lanes sample.
pub(super) struct Points<'w, 'o> {
    w: &'w Wave,
    a: &'w Access<'o>,
    half: usize,
    mask: u32,
    /// All bits of live lanes.
    live: Lanes,
    /// Slices of the surface, unless they are a direction that is filtered.
    pub slice: Lanes,
}

impl<'w, 'o> Points<'w, 'o> {
    /// `three`: the third coordinate is no layer.
    #[inline(always)]
    pub fn new(w: &'w Wave, a: &'w Access<'o>, half: usize, three: bool) -> Self {
        let mask = w.exec(half);
        let mut p = Points { w, a, half, mask, live: spread(mask), slice: Lanes::ZERO };
        let (first, count) = a.view.slices(a.view.base_level);
        let layer = match a.dim {
            0 | 1 => None,
            4 => Some(1),
            _ => Some(2),
        };
        p.slice = match layer {
            _ if three => Lanes::ZERO,
            None => Lanes::splat(first),
            Some(k) => {
                let (row, last) = (p.row(k), count.saturating_sub(1));
                rows(|l| first + (row[l].round_ties_even().max(0.0) as u32).min(last))
            }
        };
        p
    }

    /// Lanes that sample.
    #[inline(always)]
    pub fn mask(&self) -> u32 {
        self.mask
    }

    /// Coordinate `k`, as registers have it.
    #[inline(always)]
    fn row(&self, k: usize) -> Lanes<f32> {
        if k < self.a.operands.count {
            floats(self.a.operands.coordinates[k], self.w, self.half)
        } else {
            Lanes::splat(0.0)
        }
    }

    /// References to compare with; zeros if there are none.
    #[inline(always)]
    pub fn reference(&self) -> Lanes<f32> {
        self.optional(self.a.operands.reference)
    }

    #[inline(always)]
    fn optional(&self, part: Option<OperandPart>) -> Lanes<f32> {
        match part {
            Some(part) => floats(part, self.w, self.half),
            None => Lanes::splat(0.0),
        }
    }

    /// Levels of detail, in 1/256.
    #[inline(always)]
    pub fn lods(&self, s: &Sampler, what: Sampling) -> Lanes<i32> {
        let (o, view) = (self.a.operands, self.a.view);
        let least = if what.clamp { self.optional(o.level) } else { Lanes::splat(f32::NEG_INFINITY) };
        let mut detail = Lanes::splat(0.0);
        match what.lod {
            Lod::Zero => return Lanes::splat(s.lod(0.0, 0.0, f32::NEG_INFINITY, view).clamped),
            Lod::Explicit => {
                let level = self.optional(o.level);
                return rows(|l| s.lod(level[l].into(), 0.0, least[l], view).clamped);
            }
            Lod::Implicit | Lod::Bias => {
                // One for the four lanes of a quad, most often that of the quad before.
                let at = [self.row(0), self.row(1), self.row(2)];
                let mut known = Known::default();
                for (n, detail) in detail.chunks_exact_mut(4).enumerate() {
                    if self.mask >> (4 * n) & 15 != 0 {
                        let less = |from: usize| [0, 1, 2].map(|k: usize| at[k][4 * n + from] - at[k][4 * n]);
                        detail.fill(known.detail(s, view, Derivatives { h: less(1), v: less(2) }));
                    }
                }
            }
            Lod::Derivative | Lod::CoarseDerivative => {
                let d = o.derivatives.unwrap_or_default().map(|d| d.map(|part| floats(part, self.w, self.half)));
                let mut known = Known::default();
                for (lane, detail) in detail.iter_mut().enumerate() {
                    if self.mask >> lane & 1 != 0 {
                        let [h, v] = [0, 1].map(|n: usize| [0, 1, 2].map(|k: usize| d[n][k][lane]));
                        *detail = known.detail(s, view, Derivatives { h, v });
                    }
                }
            }
        }
        let bias = if matches!(what.lod, Lod::Bias) { self.optional(o.bias) } else { Lanes::splat(0.0) };
        rows(|l| s.lod(detail[l], bias[l], least[l], view).clamped)
    }

    /// Places on the grid of a level in one direction, in sub-texels; zero where no lane is. `None`: one is far away.
    #[inline(always)]
    pub fn places(&self, s: &Sampler, level: u32, axis: usize) -> Option<Lanes<i32>> {
        let (grid, at) = (s.grid_of(self.a.view, level, axis), self.row(axis));
        let at = rows(|l| f32::from_bits(at[l].to_bits() & self.live[l]));
        let places = match self.a.operands.offset {
            None => rows(|l| grid.place(at[l], 0)),
            Some(part) => {
                let (all, shift) = (part.lanes(self.w, self.half), 26 - 8 * axis as u32);
                rows(|l| grid.place(at[l], (all[l] << shift) as i32 >> 26))
            }
        };
        // NaN is at the image's start.
        let places = rows(|l| if places[l].is_nan() { 0.0 } else { places[l] });
        let far = places.iter().fold(0, |far, u| far | bits(u.abs() > FAR));
        (far == 0).then(|| rows(|l| grid.round(places[l]) as i32))
    }

    /// As `Sampler::taps`.
    #[inline(always)]
    pub fn taps(&self, s: &Sampler, level: u32, axis: usize, linear: bool) -> Option<LaneTaps> {
        let (clamp, n) = (s.clamp(axis), self.a.view.size(level, axis) as i32);
        let u = self.places(s, level, axis)?;
        if !linear {
            let i = wrapped(clamp, &rows(|l| nearest_texel(clamp, u[l] >> 8, n)), n);
            return Some(LaneTaps { i: [i, i], side: ONE_SIDE });
        }
        let u = rows(|l| u[l] - 128);
        let mask = s.weight_mask() as i32;
        let weight = rows(|l| (u[l] & mask) as f32 * (1.0 / 256.0));
        let i = [wrapped(clamp, &rows(|l| u[l] >> 8), n), wrapped(clamp, &rows(|l| (u[l] >> 8) + 1), n)];
        Some(LaneTaps { i, side: [rows(|l| 1.0 - weight[l]), weight] })
    }
}

/// The last level of detail that derivatives gave.
#[derive(Default)]
struct Known(Option<(Derivatives, f64)>);

impl Known {
    #[inline(always)]
    fn detail(&mut self, s: &Sampler, view: &View, d: Derivatives) -> f64 {
        match &self.0 {
            Some((of, detail)) if of.h == d.h && of.v == d.v => *detail,
            _ => self.0.insert((d, s.detail(view, &d).0)).1,
        }
    }
}

/// Weights of a texel alone.
pub(super) const ONE_SIDE: [Lanes<f32>; 2] = [Lanes::splat(1.0), Lanes::splat(0.0)];

/// Texels of 32 lanes in one direction, of which the border is negative, and their weights.
pub(super) struct LaneTaps {
    pub i: [Lanes<i32>; 2],
    pub side: [Lanes<f32>; 2],
}

/// As [`wrap`], of 32 lanes.
#[inline(always)]
pub(super) fn wrapped(clamp: Clamp, i: &Lanes<i32>, n: i32) -> Lanes<i32> {
    macro_rules! by_mode {
        ($($mode:ident)+) => {
            match clamp { $(Clamp::$mode => rows(|l| wrap(Clamp::$mode, i[l], n)),)+ }
        };
    }
    by_mode!(Wrap Mirror LastTexel MirrorOnceLastTexel HalfBorder MirrorOnceHalfBorder Border MirrorOnceBorder)
}
