//! MIMG: images and samplers.
//!
//! - [`view`]: a T# resolved, texel to address. [`texels`]: texels in guest memory. [`bc`]: compressed blocks.
//! - [`operands`]: the registers of an address. [`sampler`]: coordinates to colours. [`grid`]: where they are in a row of
//!   texels. [`cube`]: how faces join.
//! - [`ray`]: nodes of hierarchies, which are no images.
//!
//! - [`lanes`]: common instructions, all lanes at once. [`by_lane`]: every instruction, lane by lane.
//!
//! What a descriptor asks for and is not here is a fault that says what.

mod bc;
mod by_lane;
pub(crate) mod cube;
mod grid;
mod lanes;
mod operands;
mod ray;
mod sampler;
pub(crate) mod texels;
mod view;

pub(crate) use operands::ImageOperands;
pub(crate) use view::Images;

use super::{Cut, CutOff};
use crate::wave::env::Env;
use crate::wave::op::{MicroOp, OpFn};
use crate::wave::regs::{LaneRow, set_bits};
use crate::wave::state::Wave;
use crate::wave::table::Level;
use operands::Operands;
use std::cell::Ref;
use view::{Texel, View};
use wavepipe_hw::descriptor::{ImageDescriptor, ImageType};
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::finding::OutsideImage;
use wavepipe_isa::instr::{Extra, Flags, Image, Instr};
use wavepipe_isa::row::{ImageOp, MemKind, Sem};

/// The DIMs whose third coordinate is not a slice.
const DIM_3D: u8 = 2;
const DIM_CUBE: u8 = 3;

/// What executes an operation; nothing of those that no image of this GPU can have.
pub(super) fn function(op: ImageOp, host: Level) -> Option<OpFn> {
    Some(match op {
        ImageOp::Load { .. } | ImageOp::Store { .. } => lanes::function(op, host),
        ImageOp::GetLod | ImageOp::Sample(_) | ImageOp::Gather4(_) | ImageOp::Gather4h => lanes::function(op, host),
        ImageOp::Atomic(_) => by_lane::atomic,
        ImageOp::Resinfo => by_lane::resinfo,
        ImageOp::MsaaLoad { quad: false } => by_lane::samples,
        ImageOp::IntersectRay { .. } => ray::intersect,
        ImageOp::MsaaLoad { quad: true } => return None,
    })
}

/// An image instruction, with what all of them need.
struct Access<'o> {
    instr: &'o Instr,
    op: ImageOp,
    image: &'o Image,
    view: &'o View,
    /// DIM, or what stands for it.
    dim: u8,
    operands: &'o Operands,
    /// First row of the data.
    data: usize,
    d16: bool,
}

impl<'o> Access<'o> {
    /// `None`: the wave has a fault.
    #[inline(always)]
    fn new(w: &mut Wave, op: &'o MicroOp, view: &'o View) -> Option<Access<'o>> {
        let Some((instr, what, image, operands)) = parts(op) else {
            let lanes = w.exec64();
            w.fail(FaultKind::Internal { why: "an image operation without its instruction".into() }, lanes);
            return None;
        };
        let dim = dimension(w, instr, image, view);
        let Some(operands) = operands.of(dim).filter(|o| o.registers <= w.vgprs) else {
            let what = format!("addresses beyond the wave's {} vector registers", w.vgprs);
            let lanes = w.exec64();
            w.fail(FaultKind::Unsupported { what }, lanes);
            return None;
        };
        let (data, d16) = (op.dst as usize, instr.flags.contains(Flags::D16));
        Some(Access { instr, op: what, image, view, dim, operands, data, d16 })
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
        let o = self.operands;
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
        let v = self.view;
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
            w.registers.v.put(self.data + k * w.halves + half, row, live);
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

/// The words of the T# at an SGPR; a short one's others count as zero.
#[inline(always)]
fn words(w: &Wave, op: &MicroOp) -> [u32; 8] {
    let first = usize::from(op.s[0]) & 127;
    let mut words = [0; 8];
    match w.s.0[..128].get(first..first + 8) {
        Some(all) => words.copy_from_slice(all),
        None => words.iter_mut().enumerate().for_each(|(i, word)| *word = w.s.0[(first + i) & 127]),
    }
    if op.flags.contains(Flags::R128) {
        words[4..].fill(0);
    }
    words
}

/// The view that an operation's T# is. `None`: the wave has a fault.
#[inline(always)]
fn view<'m>(w: &mut Wave, op: &MicroOp, env: &Env<'m>) -> Option<Ref<'m, View>> {
    let images: &'m Images = env.images;
    images
        .view(words(w, op), w.isa)
        .map_err(|what| {
            let lanes = w.exec64();
            w.fail(FaultKind::Unsupported { what }, lanes);
        })
        .ok()
}

/// What an image operation has kept of its instruction.
#[inline(always)]
fn parts(op: &MicroOp) -> Option<(&Instr, ImageOp, &Image, &ImageOperands)> {
    let ext = op.ext.as_deref()?;
    match (op.row.sem, &ext.instr.extra, &ext.image) {
        (Sem::Mem(_, MemKind::Image(what)), Extra::Image(image), Some(operands)) => {
            Some((&ext.instr, what, image, operands))
        }
        _ => None,
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
    let d = ImageDescriptor::from_words(words(w, op), w.isa);
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
    let operands = parts(op)?.3.of(dim).filter(|o| o.registers <= w.vgprs)?;
    let a = Access { instr, op: what, image, view: &view, dim, operands, data: 0, d16: false };
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
