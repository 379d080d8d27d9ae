//! The grid of sub-texels that coordinates are rounded to, and what a texel outside of a row means.

use std::ops::{Add, Sub};
use wavepipe_hw::descriptor::Clamp;

/// One sub-texel, as a power of two.
pub(super) const GRID: u32 = 8;
pub(super) const ONE: i64 = 1 << GRID;
/// The index of a texel that is the border.
pub(super) const BORDER: i64 = -1;

/// Places on a level's grid of sub-texels, in one direction.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    /// Texels of one unit of a coordinate.
    pub scale: f64,
    /// Where places are clamped to, in texels.
    pub least: f64,
    pub most: f64,
    pub trunc: bool,
}

impl Grid {
    /// The place of a coordinate and an offset in texels, in sub-texels and not yet on the grid; of NaN it is NaN.
    #[inline(always)]
    pub fn place(&self, at: f32, offset: i32) -> f64 {
        let u = f64::from(at) * self.scale + f64::from(offset);
        let u = if u < self.least { self.least } else { u };
        let u = if u > self.most { self.most } else { u };
        u * ONE as f64
    }

    /// A place below 2^51 on the grid.
    #[inline(always)]
    pub fn round(&self, u: f64) -> i64 {
        let on_grid = u + ROUND;
        (on_grid.to_bits() as i64 - ROUND.to_bits() as i64) - i64::from(self.trunc && on_grid - ROUND > u)
    }
}

/// A sum with this number leaves the nearest integer, ties to even, in the low bits of numbers below 2^51.
const ROUND: f64 = 1.5 * (1u64 << 52) as f64;

#[inline(always)]
pub(super) fn nearest(v: f64) -> i64 {
    (v + ROUND).to_bits() as i64 - ROUND.to_bits() as i64
}

/// A coordinate beyond all images.
#[cold]
pub(super) fn far(u: f64) -> f64 {
    if u.is_nan() { 0.0 } else { u.clamp(-(2f64.powi(48)), 2f64.powi(48)) }
}

/// A number of texels: of all that coordinates can say, or of what lanes reach at once.
pub(super) trait Index: Copy + Ord + Add<Output = Self> + Sub<Output = Self> + From<i8> {
    /// The remainder of a division by `n`, 0..n.
    fn modulo(self, n: Self) -> Self;
}

impl Index for i64 {
    #[inline(always)]
    fn modulo(self, n: i64) -> i64 {
        if (0..n).contains(&self) { self } else { self.rem_euclid(n) }
    }
}

/// The texel that a filter of one texel takes of a row of `n`: where coordinates end at the edge, that is inside.
#[inline(always)]
pub(super) fn nearest_texel<I: Index>(clamp: Clamp, i: I, n: I) -> I {
    let half = matches!(clamp, Clamp::HalfBorder | Clamp::MirrorOnceHalfBorder);
    if half { i.min(n - I::from(1)) } else { i }
}

/// Index of texel `i` in a row of `n`, or [`BORDER`].
#[inline(always)]
pub(super) fn wrap<I: Index>(clamp: Clamp, i: I, n: I) -> I {
    let [none, one, border] = [0, 1, BORDER as i8].map(I::from);
    let mirrored = |i: I| if i < none { none - one - i } else { i };
    let inside = |i: I| if none <= i && i < n { i } else { border };
    match clamp {
        Clamp::Wrap => i.modulo(n),
        Clamp::Mirror => n - one - mirrored(i.modulo(n + n) - n),
        Clamp::LastTexel => i.max(none).min(n - one),
        Clamp::MirrorOnceLastTexel => mirrored(i).min(n - one),
        Clamp::HalfBorder | Clamp::Border => inside(i),
        Clamp::MirrorOnceHalfBorder | Clamp::MirrorOnceBorder => inside(mirrored(i)),
    }
}
