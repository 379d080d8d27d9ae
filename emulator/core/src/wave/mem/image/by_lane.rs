//! Image instructions lane by lane: all that they can mean.

use super::operands::OperandPart;
use super::sampler::{Derivatives, Fetch, Point, Sampler};
use super::texels::Texels;
use super::view::Texel;
use super::{Access, DIM_3D, DIM_CUBE, cube, view};
use crate::wave::env::Env;
use crate::wave::op::MicroOp;
use crate::wave::regs::{LaneRow, set_bits};
use crate::wave::state::Wave;
use wavepipe_hw::descriptor::{ImageType, SamplerDescriptor};
use wavepipe_hw::fault::FaultKind;
use wavepipe_isa::format::TEXEL;
use wavepipe_isa::instr::Flags;
use wavepipe_isa::row::{AtomicOp, ImageOp, Lod, Sampling};

/// Bytes of a border colour.
const BORDER_BYTES: u64 = 16;

/// IMAGE_LOAD, of the halves from `first` on.
#[inline(never)]
pub(super) fn load(w: &mut Wave, a: &Access, env: &mut Env, first: usize) -> bool {
    let ImageOp::Load { packed, signed, .. } = a.op else { return false };
    let mut texels = Texels::new(a.view, env);
    for half in first..w.halves {
        let live = w.exec(half);
        let mut out = [[0; 4]; 32];
        for lane in set_bits(live) {
            texels.lane = 32 * half + lane;
            let t = a.texel(w, half, lane);
            out[lane] = match (t, packed) {
                (Some(t), false) => a.view.select(texels.get(t)),
                // Outside: zeros, but a component that the descriptor makes one stays one.
                (None, false) => a.view.select([0; 4]),
                (Some(t), true) => raw(&texels.read(t), a.view.element_bytes(), signed),
                (None, true) => [0; 4],
            };
        }
        if texels.failed.lanes == 0 {
            a.put(w, half, live, &out, a.image.dmask, 0);
        }
    }
    let failed = std::mem::take(&mut texels.failed);
    failed.report(w, a.view.element_bytes(), false)
}

/// IMAGE_MSAA_LOAD: the first component of up to four samples from the named one on, those that DMASK names.
pub(super) unsafe fn samples(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    if w.exec64() == 0 {
        return false;
    }
    let Some(view) = view(w, op, env) else { return true };
    let Some(a) = Access::new(w, op, &view) else { return true };
    let mut texels = Texels::new(a.view, env);
    for half in 0..w.halves {
        let live = w.exec(half);
        let mut out = [[0; 4]; 32];
        for lane in set_bits(live) {
            texels.lane = 32 * half + lane;
            let [level, x, y, slice, first] = a.coordinates(w, half, lane);
            for n in (0..4).filter(|n| a.image.dmask >> n & 1 != 0) {
                let sample = first.saturating_add(n);
                let texel = a.view.texel(level, x, y, slice, sample).map_or([0; 4], |t| texels.get(t));
                out[lane][n as usize] = a.view.select(texel)[0];
            }
        }
        if texels.failed.lanes == 0 {
            a.put(w, half, live, &out, a.image.dmask, 0);
        }
    }
    let failed = std::mem::take(&mut texels.failed);
    failed.report(w, a.view.element_bytes(), false)
}

/// An element's dwords; one of 8 or 16 bits is extended.
fn raw(bytes: &[u8; TEXEL], size: u32, signed: bool) -> [u32; 4] {
    let word = |i: usize| u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]);
    let first = match (size, signed) {
        (1, true) => word(0) as i8 as u32,
        (2, true) => word(0) as i16 as u32,
        _ => word(0),
    };
    [first, word(1), word(2), word(3)]
}

/// IMAGE_STORE, of the halves from `first` on.
#[inline(never)]
pub(super) fn store(w: &mut Wave, a: &Access, env: &mut Env, first: usize) -> bool {
    let ImageOp::Store { packed, .. } = a.op else { return false };
    // With D16 the mask only counts.
    let mask = if a.d16 { (1u8 << a.image.dmask.count_ones()) - 1 } else { a.image.dmask };
    let mut texels = Texels::new(a.view, env);
    for half in first..w.halves {
        let mut rows = [&LaneRow::ZERO; 4];
        for (n, c) in (0..4).filter(|c| mask >> c & 1 != 0).enumerate() {
            rows[c] = w.v.get(a.data + if a.d16 { n / 2 } else { n } * w.halves + half);
        }
        for lane in set_bits(w.exec(half)) {
            texels.lane = 32 * half + lane;
            let Some(t) = a.texel(w, half, lane) else { continue };
            let [x, y, z, last] = rows;
            let mut data = [x.0[lane % 32], y.0[lane % 32], z.0[lane % 32], last.0[lane % 32]];
            if a.d16 {
                a.unpack(&mut data);
            }
            if packed {
                let mut bytes = [0; TEXEL];
                for (to, v) in bytes.chunks_exact_mut(4).zip(data) {
                    to.copy_from_slice(&v.to_le_bytes());
                }
                texels.write(t, &bytes);
            } else {
                texels.put(t, a.view.unselect(data));
            }
        }
    }
    let failed = std::mem::take(&mut texels.failed);
    failed.report(w, a.view.element_bytes(), true)
}

pub(super) unsafe fn atomic(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    if w.exec64() == 0 {
        return false;
    }
    let Some(view) = view(w, op, env) else { return true };
    let Some(a) = Access::new(w, op, &view) else { return true };
    let ImageOp::Atomic(kind) = a.op else { return false };
    let bytes = a.view.element_bytes();
    let both = u32::from(matches!(kind, AtomicOp::CmpSwap | AtomicOp::FCmpSwap)) + 1;
    let wide = bytes == 8;
    if a.view.format.is_some() && (!matches!(bytes, 4 | 8) || a.image.dmask.count_ones() != bytes / 4 * both) {
        let what = format!("an image atomic on texels of {bytes} bytes with dmask {:#x}", a.image.dmask);
        let lanes = w.exec64();
        return w.fail(FaultKind::Unsupported { what }, lanes);
    }
    let mut texels = Texels::new(a.view, env);
    for half in 0..w.halves {
        let live = w.exec(half);
        let mut out = [[0; 4]; 32];
        for lane in set_bits(live) {
            texels.lane = 32 * half + lane;
            let Some(t) = a.texel(w, half, lane) else { continue };
            let word = |k| a.get(w, k, half, lane);
            let pair = |k| u64::from(word(k)) | u64::from(word(k + 1)) << 32;
            let old = match (wide, both) {
                (false, 1) => texels.atomic(t, |r, off| r.backing.atomic32(off, kind, word(0), 0).map(u64::from)),
                (false, _) => texels.atomic(t, |r, off| r.backing.atomic32(off, kind, word(0), word(1)).map(u64::from)),
                (true, 1) => texels.atomic(t, |r, off| r.backing.atomic64(off, kind, pair(0), 0)),
                (true, _) => texels.atomic(t, |r, off| r.backing.atomic64(off, kind, pair(0), pair(2))),
            };
            out[lane] = [old as u32, (old >> 32) as u32, 0, 0];
        }
        if texels.failed.lanes == 0 && a.instr.cache.returns {
            a.put(w, half, live, &out, if wide { 3 } else { 1 }, 0);
        }
    }
    let failed = std::mem::take(&mut texels.failed);
    failed.report(w, bytes, true)
}

pub(super) unsafe fn resinfo(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    if w.exec64() == 0 {
        return false;
    }
    let Some(view) = view(w, op, env) else { return true };
    let Some(a) = Access::new(w, op, &view) else { return true };
    let v = a.view;
    for half in 0..w.halves {
        let live = w.exec(half);
        let mut out = [[0; 4]; 32];
        for lane in set_bits(live) {
            let level = a.operands.level.map_or(0, |l| l.int(w, half, lane));
            let levels = v.last() + 1;
            out[lane] = match v.format {
                None => [0; 4],
                Some(_) if level >= levels => [0, 0, 0, levels],
                Some(_) => {
                    let level = v.base_level + level;
                    let deep = v.kind.layered() || v.kind == ImageType::D3;
                    let depth = if deep { v.slices(level).1 } else { 1 };
                    [v.size(level, 0), v.size(level, 1), depth, levels]
                }
            };
        }
        a.put(w, half, live, &out, a.image.dmask, 0);
    }
    false
}

impl Fetch for Texels<'_, '_, '_> {
    #[inline(always)]
    fn texel(&mut self, t: Texel) -> [u32; 4] {
        if self.view.format.is_none() {
            return [0; 4];
        }
        self.get(t)
    }
}

/// Lane `lane`'s coordinates minus lane `from`'s, both of one quad. Coordinates of different cube faces are compared on the
/// face of `from`.
fn difference(at: &[[f32; 4]; 32], lane: usize, from: usize, cube: bool) -> [f32; 3] {
    let (a, b) = (&at[lane], &at[from]);
    let plain = std::array::from_fn(|k| a[k] - b[k]);
    if !cube {
        return plain;
    }
    let (fa, fb) = (face(a[2]).1, face(b[2]).1);
    let st = |c: &[f32; 4]| [2.0 * c[0] - 3.0, 2.0 * c[1] - 3.0];
    let (sa, sb) = (st(a), st(b));
    match cube::project(fa, sa, fb) {
        Some(p) if fa != fb => [(p[0] - sb[0]) / 2.0, (p[1] - sb[1]) / 2.0, 0.0],
        _ => [plain[0], plain[1], 0.0],
    }
}

/// Layer and face that a sampled cube's third coordinate says: layer · 8 + face.
fn face(id: f32) -> (u32, usize) {
    let id = id.round_ties_even().max(0.0) as u32;
    (id >> 3, (id & 7).min(5) as usize)
}

/// What an instruction with a sampler does.
pub(super) struct Sampled {
    pub sampler: Sampler,
    pub what: Option<Sampling>,
    pub gather: bool,
}

/// The S# of an operation.
pub(super) fn sampler(w: &Wave, op: &MicroOp) -> SamplerDescriptor {
    let s = |i: usize| w.s.0[(usize::from(op.s[2]) + i) & 127];
    SamplerDescriptor::from_words(std::array::from_fn(s), w.isa)
}

impl Sampled {
    /// `custom` reads the border colour table.
    #[inline(always)]
    pub fn new(w: &Wave, a: &Access, s: &SamplerDescriptor, custom: impl FnOnce(u16) -> [u32; 4]) -> Sampled {
        let (what, gather) = match a.op {
            ImageOp::Sample(s) => (Some(s), false),
            ImageOp::Gather4(s) => (Some(s), true),
            ImageOp::Gather4h => (None, true),
            _ => (None, false),
        };
        let unnormalized = a.instr.flags.contains(Flags::UNORM);
        let compare = what.is_some_and(|s| s.compare);
        Sampled { sampler: Sampler::new(s, a.view, a.dim, compare, unnormalized, w.isa, custom), what, gather }
    }
}

/// Address of an entry of the border colour table.
pub(super) fn border_at(env: &Env, entry: u16) -> u64 {
    env.border_colors.wrapping_add(BORDER_BYTES * u64::from(entry))
}

/// Instructions with a sampler, of the halves from `first` on.
#[inline(never)]
pub(super) fn sample(w: &mut Wave, op: &MicroOp, a: &Access, env: &mut Env, first: usize) -> bool {
    let (view, o, dim) = (a.view, a.operands, a.dim);
    let s = sampler(w, op);
    let border = border_at(env, s.border_color_ptr);
    let mut texels = Texels::new(view, env);
    texels.skip_degamma = s.skip_degamma;
    texels.lane = (w.exec64().trailing_zeros() & 63) as usize;
    let Sampled { sampler, what: sampling, gather } = Sampled::new(w, a, &s, |_| texels.border(border));
    let source = sampling.map_or(Lod::Implicit, |s| s.lod);
    let axes = if matches!(dim, 0 | 4) { 1 } else { 2 };
    // Z of a 3D image; the slice of anything else.
    let (three, cube) = (dim == DIM_3D && view.kind == ImageType::D3, dim == DIM_CUBE);
    // The same for all lanes with _LZ and no least level.
    let zero = sampler.lod(0.0, 0.0, f32::NEG_INFINITY, view);
    for half in first..w.halves {
        let live = w.exec(half);
        let mut out = [[0; 4]; 32];
        let mut status = 0;
        let mut at = [[0f32; 4]; 32];
        for (lane, at) in at.iter_mut().enumerate() {
            for (k, c) in at.iter_mut().enumerate().take(o.count) {
                *c = o.coordinates[k].float(w, half, lane);
            }
        }
        for lane in set_bits(live) {
            texels.lane = 32 * half + lane;
            let float = |slot: Option<OperandPart>| slot.map_or(0.0, |slot| slot.float(w, half, lane));
            let c = &at[lane];
            let mut p = Point { reference: float(o.reference), ..Point::default() };
            p.at[0] = c[0];
            p.at[1] = if axes > 1 { c[1] } else { 0.0 };
            let layer = |x: f32| {
                let (first, count) = view.slices(view.base_level);
                first + (x.round_ties_even().max(0.0) as u32).min(count.saturating_sub(1))
            };
            match dim {
                0 | 1 | 6 => p.slice = view.slices(view.base_level).0,
                4 => p.slice = layer(c[1]),
                _ if three => p.at[2] = c[2],
                DIM_CUBE => {
                    // Hardware's cube coordinates are 1..2 across a face.
                    let (cube_layer, face) = face(c[2]);
                    let (first, count) = view.slices(view.base_level);
                    p.slice = first + 6 * cube_layer.min((count / 6).saturating_sub(1));
                    (p.face, p.at[0], p.at[1]) = (face, c[0] - 1.0, c[1] - 1.0);
                }
                _ => p.slice = layer(c[2]),
            }
            // A multisampled image is sampled at its first sample.
            p.slice *= view.samples;
            if let Some(offset) = o.offset {
                let bits = offset.int(w, half, lane);
                p.offset = [0, 8, 16].map(|shift| (bits << (26 - shift)) as i32 >> 26);
            }
            let least = if sampling.is_some_and(|s| s.clamp) { float(o.level) } else { f32::NEG_INFINITY };
            let lod = match source {
                Lod::Zero => zero,
                Lod::Explicit => sampler.lod(float(o.level).into(), 0.0, least, view),
                Lod::Implicit | Lod::Bias => {
                    let quad = lane & !3;
                    let h = difference(&at, quad + 1, quad, cube);
                    let v = difference(&at, quad + 2, quad, cube);
                    sampler.lod_of(view, &Derivatives { h, v }, float(o.bias), least)
                }
                Lod::Derivative | Lod::CoarseDerivative => {
                    let d = o.derivatives.unwrap_or_default();
                    let [h, v] = d.map(|d| d.map(|slot| slot.float(w, half, lane)));
                    sampler.lod_of(view, &Derivatives { h, v }, 0.0, least)
                }
            };
            if a.instr.flags.contains(Flags::LWE) && lod.clamped < view.min_lod_warn.into() {
                status |= 1 << lane;
            }
            out[lane] = if matches!(a.op, ImageOp::GetLod) {
                let level = |l: i32| (l as f32 / 256.0).to_bits();
                [level(sampler.accessed(view, lod.clamped)), level(lod.raw), 0, 0]
            } else if gather {
                let four = sampler.gather(view, &mut texels, &p, &lod, matches!(a.op, ImageOp::Gather4h));
                let component = (a.image.dmask.trailing_zeros() & 3) as usize;
                four.map(|c| view.select(c)[component])
            } else {
                view.select(sampler.sample(view, &mut texels, &p, &lod))
            };
        }
        if texels.failed.lanes == 0 {
            a.put(w, half, live, &out, if gather { 15 } else { a.image.dmask }, status);
        }
    }
    let failed = std::mem::take(&mut texels.failed);
    failed.report(w, view.element_bytes(), false)
}
