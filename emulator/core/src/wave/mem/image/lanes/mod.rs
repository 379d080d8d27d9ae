//! Image instructions of which all 32 lanes of a row go the same way: each step is a loop over lanes that the compiler vectorises.
//!
//! ```text
//! coordinates -> texels of a level -> bytes from the surface's start -> dwords -> components -> filter -> registers
//! ```
//! - [`surface`]: the image's memory. [`access`]: loads and stores. [`coordinates`]: samples' way to texels. [`filter`]: their colours.
//!
//! What is rare is left to [`super::by_lane`], a row as a whole and before anything of it is written: compressed blocks, cubes, samples,
//! minima and maxima, anisotropy, coordinates far from the image, levels that lanes name one by one, surfaces that are not all in one
//! allocation, and everything that somebody looks at lane by lane ([`Env::texels`]).

mod access;
mod coordinates;
mod filter;
mod surface;

use super::operands::OperandPart;
use super::{Access, by_lane, view};
use crate::memory::rows::Host;
use crate::wave::env::Env;
use crate::wave::op::{MicroOp, OpFn};
use crate::wave::state::Wave;
use crate::wave::table::{Level, by_host};
use wavepipe_isa::alu::{Alu, Nearest};
use wavepipe_isa::format::Lanes;
use wavepipe_isa::instr::Flags;
use wavepipe_isa::row::ImageOp;

/// What executes an operation of these.
pub(super) fn function(op: ImageOp, host: Level) -> OpFn {
    match op {
        ImageOp::Load { .. } => by_host!(host, load),
        ImageOp::Store { .. } => by_host!(host, store),
        _ => by_host!(host, sample),
    }
}

/// Whether the host's vectors are worth it: the oldest of x86 take longer to compile for than they gain.
macro_rules! wide {
    (baseline) => {
        cfg!(not(target_arch = "x86_64"))
    };
    ($other:ident) => {
        true
    };
}
use wide;

macro_rules! variant {
    ($name:ident $(, $features:literal)?) => {
        mod $name {
            use super::{Env, MicroOp, Wave};
            const WIDE: bool = super::wide!($name);
            $(#[target_feature(enable = $features)])?
            pub unsafe fn load(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
                super::load(w, op, env, WIDE.then(|| crate::wave::table::host_of!($name)))
            }
            $(#[target_feature(enable = $features)])?
            pub unsafe fn store(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
                super::store(w, op, env, WIDE.then(|| crate::wave::table::host_of!($name)))
            }
            $(#[target_feature(enable = $features)])?
            pub unsafe fn sample(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
                super::sample(w, op, env, WIDE.then(|| crate::wave::table::host_of!($name)))
            }
        }
    };
}
wavepipe_lanes::variants!(variant);

#[inline(always)]
fn load<H: Host>(w: &mut Wave, op: &MicroOp, env: &mut Env, host: Option<H>) -> bool {
    if w.exec64() == 0 {
        return false;
    }
    let Some(view) = view(w, op, env) else { return true };
    let Some(a) = Access::new(w, op, &view) else { return true };
    let done = match host {
        Some(host) => access::load(w, &a, env, host),
        None => 0,
    };
    done < w.halves && by_lane::load(w, &a, env, done)
}

#[inline(always)]
fn store<H: Host>(w: &mut Wave, op: &MicroOp, env: &mut Env, host: Option<H>) -> bool {
    if w.exec64() == 0 {
        return false;
    }
    let Some(view) = view(w, op, env) else { return true };
    let Some(a) = Access::new(w, op, &view) else { return true };
    let done = match host {
        Some(host) => access::store(w, &a, env, host),
        None => 0,
    };
    done < w.halves && by_lane::store(w, &a, env, done)
}

#[inline(always)]
fn sample<H: Host>(w: &mut Wave, op: &MicroOp, env: &mut Env, host: Option<H>) -> bool {
    if w.exec64() == 0 {
        return false;
    }
    let Some(view) = view(w, op, env) else { return true };
    let Some(a) = Access::new(w, op, &view) else { return true };
    let done = match host {
        Some(host) => filter::sample(w, op, &a, env, host),
        None => 0,
    };
    done < w.halves && by_lane::sample(w, op, &a, env, done)
}

/// What a function of the lane gives for each.
#[inline(always)]
fn rows<T: Copy + Default>(f: impl Fn(usize) -> T) -> Lanes<T> {
    let mut out = Lanes::splat(T::default());
    for (lane, out) in out.iter_mut().enumerate() {
        *out = f(lane);
    }
    out
}

/// All bits of the lanes in a mask.
#[inline(always)]
fn spread(mask: u32) -> Lanes {
    rows(|lane| 0u32.wrapping_sub(mask >> lane & 1))
}

/// The mask of lanes that have all bits.
#[inline(always)]
fn gathered(all: &Lanes) -> u32 {
    let mut mask = 0;
    for (lane, v) in all.iter().enumerate() {
        mask |= (v & 1) << lane;
    }
    mask
}

/// All bits of a condition.
#[inline(always)]
fn bits(condition: bool) -> u32 {
    if condition { !0 } else { 0 }
}

#[inline(always)]
fn integers(part: OperandPart, w: &Wave, half: usize) -> Lanes {
    part.lanes(w, half)
}

#[inline(always)]
fn floats(part: OperandPart, w: &Wave, half: usize) -> Lanes<f32> {
    let v = part.lanes(w, half);
    match part.is_half() {
        true => rows(|lane| f32::from_bits(Nearest.f32_from_f16(v[lane]))),
        false => rows(|lane| f32::from_bits(v[lane])),
    }
}

impl Access<'_> {
    /// The components that the instruction returns of what DST_SEL selects, X in bit 0.
    #[inline(always)]
    fn wanted(&self, returned: u8) -> u8 {
        let mut wanted = 0;
        for (c, sel) in self.view.dst_sel.into_iter().enumerate() {
            if returned >> c & 1 != 0 && sel >= 4 {
                wanted |= 1 << (sel & 3);
            }
        }
        wanted
    }

    /// As [`Access::put`], of rows that are what DST_SEL selects.
    #[inline(always)]
    fn put_lanes(&self, w: &mut Wave, half: usize, live: u32, mask: u8, row: impl Fn(usize) -> Lanes) {
        let mut packed = Lanes::ZERO;
        let mut n = 0;
        for c in 0..4 {
            if mask >> c & 1 == 0 {
                continue;
            }
            let row = row(c);
            if !self.d16 {
                w.registers.v.put(self.data + n * w.halves + half, &row, live);
                n += 1;
                continue;
            }
            let narrow = self.view.format.map_or(row, |f| f.narrow_lanes(&row));
            packed = match n % 2 {
                0 => narrow,
                _ => rows(|lane| packed[lane] | narrow[lane] << 16),
            };
            w.registers.v.put(self.data + n / 2 * w.halves + half, &packed, live);
            n += 1;
        }
    }

    /// Component `c` after DST_SEL.
    #[inline(always)]
    fn selected(&self, rgba: &[Lanes; 4], c: usize) -> Lanes {
        match self.view.dst_sel[c] {
            1 => Lanes::splat(self.view.one()),
            sel @ 4..=7 => rgba[sel as usize - 4],
            _ => Lanes::ZERO,
        }
    }

    /// Whether the instruction has what only [`by_lane`] knows.
    #[inline(always)]
    fn is_rare(&self) -> bool {
        self.instr.flags.intersects(Flags::TFE.union(Flags::LWE)) || self.view.samples != 1
    }
}
