//! MIMG: images and samplers.
//!
//! - [`view`]: a T# resolved, texel to address. [`texels`]: texels in guest memory. [`bc`]: compressed blocks.
//! - [`operands`]: the registers of an address. [`sampler`]: coordinates to colours. [`cube`]: how faces join.
//! - [`ray`]: nodes of hierarchies, which are no images.
//!
//! An image instruction runs lane by lane. What a descriptor asks for and is not here is a fault that says what.

mod bc;
mod cube;
mod operands;
mod ray;
mod sampler;
mod texels;
mod view;

use super::{Cut, CutOff};
use crate::wave::env::Env;
use crate::wave::op::{MicroOp, OpFn};
use crate::wave::regs::{LaneRow, set_bits};
use crate::wave::state::Wave;
use operands::{OperandPart, Operands};
use sampler::{Derivatives, Fetch, Point, Sampler};
use texels::Texels;
use view::{Texel, View};
use wavepipe_hw::descriptor::{ImageDescriptor, ImageType, SamplerDescriptor};
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::finding::OutsideImage;
use wavepipe_isa::format::TEXEL;
use wavepipe_isa::instr::{Flags, Image, Instr};
use wavepipe_isa::row::{AtomicOp, ImageOp, Lod};

/// The DIMs whose third coordinate is not a slice.
const DIM_3D: u8 = 2;
const DIM_CUBE: u8 = 3;
/// Bytes of a border colour.
const BORDER_BYTES: u64 = 16;

/// What executes an operation; nothing of those that no image of this GPU can have.
pub(super) fn function(op: ImageOp) -> Option<OpFn> {
    Some(match op {
        ImageOp::Load { .. } => load,
        ImageOp::Store { .. } => store,
        ImageOp::Atomic(_) => atomic,
        ImageOp::Resinfo => resinfo,
        ImageOp::GetLod | ImageOp::Sample(_) | ImageOp::Gather4(_) | ImageOp::Gather4h => sample,
        ImageOp::MsaaLoad { quad: false } => samples,
        ImageOp::IntersectRay { .. } => ray::intersect,
        ImageOp::MsaaLoad { quad: true } => return None,
    })
}

/// An image instruction, with what all of them need.
struct Access<'o> {
    instr: &'o Instr,
    op: ImageOp,
    image: &'o Image,
    view: View,
    /// DIM, or what stands for it.
    dim: u8,
    operands: Operands,
    /// First row of the data.
    data: usize,
    d16: bool,
}

impl<'o> Access<'o> {
    /// `None`: the wave has a fault.
    #[inline(always)]
    fn new(w: &mut Wave, op: &'o MicroOp) -> Option<Access<'o>> {
        let instr = op.ext.as_ref().map(|ext| &ext.instr);
        let Some((instr, (what, image))) = instr.and_then(|i| Some((i, i.image()?))) else {
            let lanes = w.exec64();
            w.fail(FaultKind::Internal { why: "an image operation without its instruction".into() }, lanes);
            return None;
        };
        match View::new(&descriptor(w, op.s[0], instr.flags.contains(Flags::R128)), w.isa) {
            Ok(view) => {
                let dim = dimension(w, instr, image, &view);
                let Some(operands) = Operands::new(instr, what, image, dim, w) else {
                    let what = format!("addresses beyond the wave's {} vector registers", w.vgprs);
                    let lanes = w.exec64();
                    w.fail(FaultKind::Unsupported { what }, lanes);
                    return None;
                };
                let (data, d16) = (op.dst as usize, instr.flags.contains(Flags::D16));
                Some(Access { instr, op: what, image, view, dim, operands, data, d16 })
            }
            Err(what) => {
                let lanes = w.exec64();
                w.fail(FaultKind::Unsupported { what }, lanes);
                None
            }
        }
    }

    /// The texel that integer coordinates name.
    #[inline(always)]
    fn texel(&self, w: &Wave, half: usize, lane: usize) -> Option<Texel> {
        let [level, x, y, slice, sample] = self.coordinates(w, half, lane);
        self.view.texel(level, x, y, slice, sample)
    }

    /// Level, x, y, slice and sample that a lane names.
    #[inline(always)]
    fn coordinates(&self, w: &Wave, half: usize, lane: usize) -> [u32; 5] {
        let o = &self.operands;
        let c = |k: usize| o.coordinates[k].int(w, half, lane);
        let (x, mut y, mut slice, mut sample) = (c(0), 0, 0, 0);
        match self.dim {
            0 => {}
            1 => y = c(1),
            4 => slice = c(1),
            6 => (y, sample) = (c(1), c(2)),
            7 => (y, slice, sample) = (c(1), c(2), c(3)),
            _ => (y, slice) = (c(1), c(2)),
        }
        let level = o.level.map_or(0, |l| l.int(w, half, lane));
        [level, x, y, slice, sample]
    }

    /// What a lane names that is not there.
    #[cold]
    fn outside(&self, w: &Wave, half: usize, lane: usize, base: u64) -> OutsideImage {
        let [level, x, y, slice, sample] = self.coordinates(w, half, lane);
        let v = &self.view;
        let at_level = v.base_level + level.min(v.last());
        let layers = v.slices(at_level).1;
        let (at, size, axes) = match self.dim {
            0 => ([x, 0, 0], [v.size(at_level, 0), 1, 1], 1),
            4 => ([x, slice, 0], [v.size(at_level, 0), layers, 1], 2),
            1 | 6 => ([x, y, 0], [v.size(at_level, 0), v.size(at_level, 1), 1], 2),
            _ => ([x, y, slice], [v.size(at_level, 0), v.size(at_level, 1), layers], 3),
        };
        OutsideImage { at, axes, size, level, levels: v.last() + 1, sample, samples: v.samples, base }
    }

    /// Writes results: DMASK's components of each lane, packed with D16, then TFE's status.
    fn put(&self, w: &mut Wave, half: usize, live: u32, out: &[[u32; 4]; 32], mask: u8, status: u32) {
        let mut rows = [LaneRow::ZERO; 5];
        let mut n = 0;
        for c in (0..4).filter(|c| mask >> c & 1 != 0) {
            for (lane, v) in out.iter().enumerate() {
                if self.d16 {
                    let v = self.view.format.map_or(v[c] as u16, |f| f.narrow(v[c]));
                    rows[n / 2].0[lane] |= u32::from(v) << (16 * (n & 1));
                } else {
                    rows[n].0[lane] = v[c];
                }
            }
            n += 1;
        }
        let mut n = if self.d16 { n.div_ceil(2) } else { n };
        if self.instr.flags.contains(Flags::TFE) {
            // An instruction without components still has a register for one.
            n = n.max(1);
            rows[n] = LaneRow(std::array::from_fn(|lane| status >> lane & 1));
            n += 1;
        }
        for (k, row) in rows.iter().enumerate().take(n) {
            w.v.put(self.data + k * w.halves + half, row, live);
        }
    }

    /// Register `k` of the data, in one lane.
    #[inline(always)]
    fn get(&self, w: &Wave, k: usize, half: usize, lane: usize) -> u32 {
        w.v.get(self.data + k * w.halves + half).0[lane % 32]
    }

    /// Makes components of the dwords that hold them, each of which holds two.
    #[inline(never)]
    fn unpack(&self, data: &mut [u32; 4]) {
        for (c, v) in data.iter_mut().enumerate() {
            let half = (*v >> (16 * (c & 1))) as u16;
            *v = self.view.format.map_or(half.into(), |f| f.widen(half));
        }
    }
}

/// The T# at an SGPR.
fn descriptor(w: &Wave, first: u8, r128: bool) -> ImageDescriptor {
    let s = |i: usize| w.s.0[(usize::from(first) + i) & 127];
    match r128 {
        true => ImageDescriptor::from_r128([s(0), s(1), s(2), s(3)], w.isa),
        false => ImageDescriptor::from_words(std::array::from_fn(s), w.isa),
    }
}

/// DIM; of an instruction that has none what its image's type and DA, which says that there is a layer, make of it.
fn dimension(w: &Wave, instr: &Instr, image: &Image, view: &View) -> u8 {
    if w.isa.caps().image_dim {
        return image.dim;
    }
    let layer = instr.flags.contains(Flags::DA);
    match view.kind {
        ImageType::D1 | ImageType::D1Array => 4 * u8::from(layer),
        ImageType::D2 | ImageType::D2Array => 1 + 4 * u8::from(layer),
        ImageType::D3 => DIM_3D,
        ImageType::Cube => DIM_CUBE,
        ImageType::D2Msaa | ImageType::D2MsaaArray => 6 + u8::from(layer),
    }
}

/// What the T# of an operation that some lane runs cuts off.
pub(super) fn cut_off(w: &Wave, op: &MicroOp) -> Option<CutOff> {
    let instr = &op.ext.as_ref()?.instr;
    let (what, image) = instr.image()?;
    if matches!(what, ImageOp::IntersectRay { .. }) {
        return ray::cut_off(w, op);
    }
    let d = descriptor(w, op.s[0], instr.flags.contains(Flags::R128));
    let base = d.base;
    let live = (0..w.halves).fold(0, |m, half| m | u64::from(w.exec(half)) << (32 * half));
    if d.image_type().is_none() {
        let bytes = 4 * image.dmask.count_ones();
        let queries = matches!(what, ImageOp::Resinfo | ImageOp::GetLod);
        return (!queries).then_some(CutOff { lanes: live, address: 0, bytes, why: Cut::Unwritten });
    }
    let whole =
        matches!(what, ImageOp::Load { .. } | ImageOp::Store { .. } | ImageOp::Atomic(_) | ImageOp::MsaaLoad { .. });
    let view = View::new(&d, w.isa).ok().filter(|v| whole && v.format.is_some())?;
    let dim = dimension(w, instr, image, &view);
    let operands = Operands::new(instr, what, image, dim, w)?;
    let a = Access { instr, op: what, image, view, dim, operands, data: 0, d16: false };
    let mut cut: Option<CutOff> = None;
    for half in 0..w.halves {
        for lane in set_bits(w.exec(half)).filter(|lane| a.texel(w, half, *lane).is_none()) {
            let (address, bytes) = (base, a.view.element_bytes());
            let cut = cut.get_or_insert_with(|| CutOff {
                lanes: 0,
                address,
                bytes,
                why: Cut::Texel(a.outside(w, half, lane, base)),
            });
            cut.lanes |= 1 << (32 * half + lane);
        }
    }
    cut
}

unsafe fn load(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    if w.exec64() == 0 {
        return false;
    }
    let Some(a) = Access::new(w, op) else { return true };
    let ImageOp::Load { packed, signed, .. } = a.op else { return false };
    let mut texels = Texels::new(&a.view, env);
    for half in 0..w.halves {
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
unsafe fn samples(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    if w.exec64() == 0 {
        return false;
    }
    let Some(a) = Access::new(w, op) else { return true };
    let mut texels = Texels::new(&a.view, env);
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

unsafe fn store(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    if w.exec64() == 0 {
        return false;
    }
    let Some(a) = Access::new(w, op) else { return true };
    let ImageOp::Store { packed, .. } = a.op else { return false };
    // With D16 the mask only counts.
    let mask = if a.d16 { (1u8 << a.image.dmask.count_ones()) - 1 } else { a.image.dmask };
    let mut texels = Texels::new(&a.view, env);
    for half in 0..w.halves {
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

unsafe fn atomic(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    if w.exec64() == 0 {
        return false;
    }
    let Some(a) = Access::new(w, op) else { return true };
    let ImageOp::Atomic(kind) = a.op else { return false };
    let bytes = a.view.element_bytes();
    let both = u32::from(matches!(kind, AtomicOp::CmpSwap | AtomicOp::FCmpSwap)) + 1;
    let wide = bytes == 8;
    if a.view.format.is_some() && (!matches!(bytes, 4 | 8) || a.image.dmask.count_ones() != bytes / 4 * both) {
        let what = format!("an image atomic on texels of {bytes} bytes with dmask {:#x}", a.image.dmask);
        let lanes = w.exec64();
        return w.fail(FaultKind::Unsupported { what }, lanes);
    }
    let mut texels = Texels::new(&a.view, env);
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

unsafe fn resinfo(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    if w.exec64() == 0 {
        return false;
    }
    let Some(a) = Access::new(w, op) else { return true };
    let v = &a.view;
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

unsafe fn sample(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    if w.exec64() == 0 {
        return false;
    }
    let Some(a) = Access::new(w, op) else { return true };
    let (view, o, dim) = (&a.view, &a.operands, a.dim);
    let s = |i: usize| w.s.0[(usize::from(op.s[2]) + i) & 127];
    let s = SamplerDescriptor::from_words(std::array::from_fn(s), w.isa);
    let table = env.border_colors;
    let mut texels = Texels::new(view, env);
    texels.skip_degamma = s.skip_degamma;
    texels.lane = (w.exec64().trailing_zeros() & 63) as usize;
    let custom = |i| texels.border(table.wrapping_add(BORDER_BYTES * u64::from(i)));
    let unnormalized = a.instr.flags.contains(Flags::UNORM);
    let (sampling, gather) = match a.op {
        ImageOp::Sample(s) => (Some(s), false),
        ImageOp::Gather4(s) => (Some(s), true),
        ImageOp::Gather4h => (None, true),
        _ => (None, false),
    };
    let compare = sampling.is_some_and(|s| s.compare);
    let sampler = Sampler::new(&s, view, dim, compare, unnormalized, w.isa, custom);
    let source = sampling.map_or(Lod::Implicit, |s| s.lod);
    let axes = if matches!(dim, 0 | 4) { 1 } else { 2 };
    // Z of a 3D image; the slice of anything else.
    let (three, cube) = (dim == DIM_3D && view.kind == ImageType::D3, dim == DIM_CUBE);
    // The same for all lanes with _LZ and no least level.
    let zero = sampler.lod(0.0, 0.0, f32::NEG_INFINITY, view);
    for half in 0..w.halves {
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
