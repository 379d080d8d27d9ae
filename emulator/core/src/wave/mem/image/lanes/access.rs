//! Loads and stores: texels that integers name.

use super::surface::Surface;
use super::{Access, bits, gathered, integers, rows, spread};
use crate::memory::rows::Host;
use crate::wave::env::Env;
use crate::wave::state::Wave;
use wavepipe_isa::format::Lanes;
use wavepipe_isa::row::ImageOp;

/// Texels of 32 lanes.
struct Named {
    /// Bytes from the surface's start; of lanes that name no texel those of one that is there.
    off: Lanes,
    /// All bits of lanes that are live and name a texel.
    inside: Lanes,
}

/// The texels that integer coordinates name. `None`: lanes differ in their levels.
#[inline(always)]
fn named(w: &Wave, a: &Access, half: usize, live: u32) -> Option<Named> {
    let (o, v) = (a.operands, a.view);
    let live = spread(live);
    let level = match o.level {
        None => 0,
        Some(part) => {
            let levels = integers(part, w, half);
            let first = levels[gathered(&live).trailing_zeros() as usize & 31];
            let others = (0..32).fold(0, |others, lane| others | (levels[lane] ^ first) & live[lane]);
            if others != 0 {
                return None;
            }
            first
        }
    };
    if level > v.last() {
        return Some(Named { off: Lanes::ZERO, inside: Lanes::ZERO });
    }
    let level = level + v.base_level;
    let (first, count) = v.slices(level);
    let [offset, slice, pitch] = v.strides(level);
    let [width, height] = [0, 1].map(|axis| v.size(level, axis));
    let c = |k: usize| integers(o.coordinates[k], w, half);
    // As `Access::coordinates`, of images without samples.
    let (x, y, z) = match a.dim {
        0 => (c(0), Lanes::ZERO, Lanes::ZERO),
        1 => (c(0), c(1), Lanes::ZERO),
        4 => (c(0), Lanes::ZERO, c(1)),
        _ => (c(0), c(1), c(2)),
    };
    let inside = rows(|l| bits(x[l] < width) & bits(y[l] < height) & bits(z[l] < count) & live[l]);
    let start = offset.wrapping_add(first.wrapping_mul(slice));
    let bytes = v.element_bytes();
    let off = rows(|l| {
        let inside =
            z[l].wrapping_mul(slice).wrapping_add(y[l].wrapping_mul(pitch)).wrapping_add(x[l].wrapping_mul(bytes));
        start.wrapping_add(inside)
    });
    Some(Named { off: rows(|l| off[l] & inside[l]), inside })
}

/// Loads rows, and returns how many halves of the wave are done.
#[inline(always)]
pub(super) fn load<H: Host>(w: &mut Wave, a: &Access, env: &mut Env, host: H) -> usize {
    let plain = matches!(a.op, ImageOp::Load { packed: false, .. }) && !a.is_rare() && a.dim < 6;
    let Some(surface) = plain.then(|| Surface::new(a.view, env, false, host)).flatten() else { return 0 };
    let wanted = a.wanted(a.image.dmask);
    for half in 0..w.halves {
        let live = w.exec(half);
        let Some(named) = named(w, a, half, live) else { return half };
        let mut rgba = [Lanes::ZERO; 4];
        if surface.read(&named.off, wanted, &mut rgba).is_none() {
            return half;
        }
        // Outside: zeros, but a component that the descriptor makes one stays one.
        for row in &mut rgba {
            *row = rows(|l| row[l] & named.inside[l]);
        }
        a.put_lanes(w, half, live, a.image.dmask, |c| a.selected(&rgba, c));
        env.images.at_once.set(env.images.at_once.get() + 1);
    }
    w.halves
}

/// Stores rows, and returns how many halves of the wave are done.
#[inline(always)]
pub(super) fn store<H: Host>(w: &mut Wave, a: &Access, env: &mut Env, host: H) -> usize {
    let plain = matches!(a.op, ImageOp::Store { packed: false, .. }) && !a.is_rare() && a.dim < 6;
    let Some(surface) = plain.then(|| Surface::new(a.view, env, false, host)).flatten() else { return 0 };
    if !surface.is_writable() {
        return 0;
    }
    // With D16 the mask only counts.
    let mask = if a.d16 { (1u8 << a.image.dmask.count_ones()) - 1 } else { a.image.dmask };
    for half in 0..w.halves {
        let Some(named) = named(w, a, half, w.exec(half)) else { return half };
        let mut data = [Lanes::ZERO; 4];
        for (n, c) in (0..4).filter(|c| mask >> c & 1 != 0).enumerate() {
            data[c] = *w.v.get(a.data + if a.d16 { n / 2 } else { n } * w.halves + half);
        }
        if a.d16 {
            for (c, row) in data.iter_mut().enumerate() {
                let part = rows(|l| row[l] >> (16 * (c & 1)) & 0xffff);
                *row = a.view.format.map_or(part, |f| f.widen_lanes(&part));
            }
        }
        // As `View::unselect`.
        let sel = a.view.dst_sel;
        let from = [4, 5, 6, 7].map(|c| sel.iter().position(|&sel| sel == c));
        let components = match from {
            [Some(0), Some(1), Some(2), Some(3)] => data,
            _ => from.map(|i| i.map_or(Lanes::ZERO, |i| data[i])),
        };
        if surface.write(&named.off, &components, gathered(&named.inside)).is_none() {
            return half;
        }
        env.images.at_once.set(env.images.at_once.get() + 1);
    }
    w.halves
}
