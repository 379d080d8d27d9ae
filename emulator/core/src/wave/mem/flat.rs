//! FLAT, GLOBAL and SCRATCH addresses.

use super::{Access, Addressing, Limit, Linear, Near};
use crate::wave::op::MicroOp;
use crate::wave::state::{SHARED_APERTURE, Wave};

/// 64-bit address in a VGPR pair plus the instruction's offset.
fn wide(w: &Wave, op: &MicroOp, half: usize) -> [u64; 32] {
    let (lo, hi) = (op.source(&w.v, 0, 0, half, w.halves), op.source(&w.v, 0, 1, half, w.halves));
    let offset = i64::from(op.imm);
    std::array::from_fn(|i| (u64::from(lo.0[i]) | u64::from(hi.0[i]) << 32).wrapping_add_signed(offset))
}

pub(crate) struct Flat;
impl Addressing for Flat {
    #[inline(always)]
    fn access(w: &Wave, op: &MicroOp, half: usize, _: u32) -> Access {
        Access { at: wide(w, op, half), limit: Limit::All, live: w.exec(half), step: 4 }
    }

    #[inline(always)]
    fn linear(w: &Wave, op: &MicroOp, half: usize, _: u32) -> Option<Linear> {
        let l = Linear::from_wide(wide(w, op, half), w.exec(half))?;
        // The shared aperture is one 4 GiB window, so one look tells for all lanes.
        ((l.base >> 32) as u32 != SHARED_APERTURE && (l.base >> 32) as u32 + 1 != SHARED_APERTURE).then_some(l)
    }

    fn lds_lanes(a: &Access) -> u32 {
        (0..32).fold(0, |m, i| m | u32::from((a.at[i] >> 32) as u32 == SHARED_APERTURE) << i) & a.live
    }
}

/// With an SGPR base the VGPR holds a 32-bit unsigned offset, else the whole address.
pub(crate) struct Global;
impl Addressing for Global {
    #[inline(always)]
    fn access(w: &Wave, op: &MicroOp, half: usize, _: u32) -> Access {
        let at = if op.splat & 1 != 0 {
            let base = w.scalar64(op.s[0]).wrapping_add_signed(i64::from(op.imm));
            let lo = op.source(&w.v, 0, 0, half, w.halves);
            std::array::from_fn(|i| base.wrapping_add(u64::from(lo.0[i])))
        } else {
            wide(w, op, half)
        };
        Access { at, limit: Limit::All, live: w.exec(half), step: 4 }
    }

    #[inline(always)]
    fn linear(w: &Wave, op: &MicroOp, half: usize, _: u32) -> Option<Linear> {
        if op.splat & 1 == 0 {
            return Linear::from_wide(wide(w, op, half), w.exec(half));
        }
        let base = w.scalar64(op.s[0]).wrapping_add_signed(i64::from(op.imm));
        Some(Linear::new(base, op.source(&w.v, 0, 0, half, w.halves).0, w.exec(half)))
    }

    #[inline(always)]
    fn near<'w>(w: &'w Wave, op: &MicroOp, half: usize) -> Option<Near<'w>> {
        if op.splat & 1 == 0 {
            return None;
        }
        let base = w.scalar64(op.s[0]).wrapping_add_signed(i64::from(op.imm));
        Some(Near { base, off: op.source(&w.v, 0, 0, half, w.halves), room: u64::MAX })
    }
}

/// Per-lane scratch: the flat scratch base of the wave is not programmed by this GPU's drivers, so these addresses are
/// plain offsets and fault unless the guest maps them.
pub(crate) struct Scratch;
impl Addressing for Scratch {
    #[inline(always)]
    fn access(w: &Wave, op: &MicroOp, half: usize, _: u32) -> Access {
        let base = if op.splat & 1 != 0 { u64::from(w.scalar(op.s[0])) } else { 0 };
        let base = base.wrapping_add_signed(i64::from(op.imm));
        let at = if op.splat & 2 != 0 {
            let lo = op.source(&w.v, 0, 0, half, w.halves);
            std::array::from_fn(|i| base.wrapping_add(u64::from(lo.0[i])))
        } else {
            [base; 32]
        };
        Access { at, limit: Limit::All, live: w.exec(half), step: 4 }
    }

    fn linear(_: &Wave, _: &MicroOp, _: usize, _: u32) -> Option<Linear> {
        None
    }
}
