//! FLAT, GLOBAL and SCRATCH addresses.
//!
//! Private memory is interleaved by dwords, so that lanes with equal private addresses touch neighbours:
//!
//! ```text
//! at = FLAT_SCRATCH + offset / 4 * 4 * lanes of the wave + lane * 4 + offset % 4
//! ```
//!
//! That is how a swizzled V# with ADD_TID addresses the same memory (LLVM AMDGPU user guide, "Private Address Space").

use super::{Access, Addressing, Limit, Linear, Near, Spacing, transfer, typed};
use crate::wave::env::Env;
use crate::wave::op::MicroOp;
use crate::wave::state::{EXEC, Wave};
use crate::wave::table::Level;
use std::marker::PhantomData;
use wavepipe_hw::fault::FaultKind;
use wavepipe_isa::instr::Flags;
use wavepipe_isa::row::{MemKind, Sem};

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
        Access { at: wide(w, op, half), limit: Limit::All, live: w.exec(half), spacing: Spacing::NEXT }
    }

    #[inline(always)]
    fn linear(w: &Wave, op: &MicroOp, half: usize, _: u32) -> Option<Linear> {
        let l = Linear::from_wide(wide(w, op, half), w.exec(half))?;
        // The shared aperture is one 4 GiB window, so one look tells for all lanes.
        let (high, shared) = ((l.base >> 32) as u32, w.apertures.shared);
        (high != shared && high.wrapping_add(1) != shared).then_some(l)
    }

    fn lds_lanes(w: &Wave, a: &Access) -> u32 {
        let shared = w.apertures.shared;
        (0..32).fold(0, |m, i| m | u32::from((a.at[i] >> 32) as u32 == shared) << i) & a.live
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
        Access { at, limit: Limit::All, live: w.exec(half), spacing: Spacing::NEXT }
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

/// Where an instruction finds its lanes' offsets into private memory.
pub(crate) trait Offsets {
    fn offsets(w: &Wave, op: &MicroOp, half: usize) -> [u32; 32];
}

/// FLAT: the low dword of an address in the private aperture, whose base is a multiple of 4 GiB.
pub(crate) struct Aperture;
impl Offsets for Aperture {
    fn offsets(w: &Wave, op: &MicroOp, half: usize) -> [u32; 32] {
        wide(w, op, half).map(|at| at as u32)
    }
}

/// SCRATCH: an SGPR or a VGPR, plus the instruction's offset.
pub(crate) struct Operand;
impl Offsets for Operand {
    fn offsets(w: &Wave, op: &MicroOp, half: usize) -> [u32; 32] {
        let base = if op.splat & 1 != 0 { w.scalar(op.s[0]) } else { 0 };
        let base = base.wrapping_add_signed(op.imm);
        match op.splat & 2 != 0 {
            true => op.source(&w.v, 0, 0, half, w.halves).0.map(|o| base.wrapping_add(o)),
            false => [base; 32],
        }
    }
}

/// Private memory.
pub(crate) struct Private<O>(PhantomData<O>);
impl<O: Offsets> Addressing for Private<O> {
    fn access(w: &Wave, op: &MicroOp, half: usize, _: u32) -> Access {
        let offsets = O::offsets(w, op, half);
        let (lanes, base) = (32 * w.halves as u64, w.flat_scratch());
        let at = std::array::from_fn(|i| {
            let o = u64::from(offsets[i]);
            base.wrapping_add((o & !3) * lanes + 4 * (32 * half + i) as u64 + (o & 3))
        });
        Access { at, limit: Limit::All, live: w.exec(half), spacing: Spacing::interleaved(4 * lanes, base) }
    }

    fn linear(w: &Wave, op: &MicroOp, half: usize, bytes: u32) -> Option<Linear> {
        let a = Self::access(w, op, half, bytes);
        // One aligned dword of each lane is one dword in memory.
        let odd = (0..32).fold(0, |m, i| if a.live >> i & 1 != 0 { m | a.at[i] } else { m });
        if bytes == 4 && odd & 3 == 0 { Linear::from_wide(a.at, a.live) } else { None }
    }
}

/// Why the live lanes' private accesses cannot be made.
#[cold]
fn refuse<O: Offsets>(w: &Wave, op: &MicroOp, kind: MemKind) -> Option<(FaultKind, u64)> {
    let (bytes, write) = (transfer::bytes(kind), kind.writes());
    let mut first = None;
    let mut lanes = 0;
    for half in 0..w.halves {
        for (i, offset) in O::offsets(w, op, half).into_iter().enumerate() {
            if w.exec(half) >> i & 1 != 0 && u64::from(offset) + u64::from(bytes) > u64::from(w.private_bytes) {
                first.get_or_insert(offset);
                lanes |= 1 << (32 * half + i);
            }
        }
    }
    let kind = FaultKind::ScratchOutOfRange { offset: first?, bytes, size: w.private_bytes, write };
    Some((kind, lanes))
}

/// Whether all live lanes stay inside of the wave's private memory, if its size is known.
fn fits<O: Offsets>(w: &Wave, op: &MicroOp, bytes: u32) -> bool {
    let last = match w.private_bytes.checked_sub(bytes) {
        _ if w.private_bytes == 0 => u32::MAX,
        Some(last) => last,
        None => return false,
    };
    let beyond = |half: usize, live: u32| {
        let o = O::offsets(w, op, half);
        (0..32).fold(0, |m, i| m | u32::from(o[i] > last) << i) & live
    };
    (0..w.halves).all(|half| beyond(half, w.exec(half)) == 0)
}

unsafe fn private<O: Offsets>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, kind) = op.row.sem else { return false };
    if !fits::<O>(w, op, transfer::bytes(kind))
        && let Some((kind, lanes)) = refuse::<O>(w, op, kind)
    {
        return w.fail(kind, lanes);
    }
    // A 64-bit atomic is not one place in interleaved memory; hardware has none either.
    let f = match kind {
        MemKind::Atomic { dwords: 2, .. } => None,
        _ if op.flags.contains(Flags::LDS) => typed::to_lds::<Private<O>>(kind),
        _ => transfer::function::<Private<O>>(kind, Level::Baseline),
    };
    match f {
        // SAFETY: the baseline variant runs on every host; rows are those of this operation.
        Some(f) => unsafe { f(w, op, env) },
        None => {
            let lanes = w.exec64();
            w.fail(FaultKind::Unimplemented, lanes)
        }
    }
}

/// SCRATCH.
pub(super) unsafe fn scratch(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    // SAFETY: as the caller's.
    unsafe { private::<Operand>(w, op, env) }
}

/// FLAT: lanes in the private aperture go to private memory, then the others to memory or LDS.
pub(crate) unsafe fn flat(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Some(ext) = &op.ext else { return false };
    let exec = w.exec64();
    let mut mask = 0;
    for half in 0..w.halves {
        let (at, private) = (wide(w, op, half), w.apertures.private);
        let hits = (0..32).fold(0, |m, i| m | u32::from((at[i] >> 32) as u32 == private) << i);
        mask |= u64::from(hits & w.exec(half)) << (32 * half);
    }
    if mask == 0 {
        // SAFETY: the inner function was resolved for this operation.
        return unsafe { (ext.inner)(w, op, env) };
    }
    w.set_mask(EXEC, mask);
    // SAFETY: as the caller's.
    let mut stopped = unsafe { private::<Aperture>(w, op, env) };
    if !stopped && mask != exec {
        w.set_mask(EXEC, exec & !mask);
        // SAFETY: as above.
        stopped = unsafe { (ext.inner)(w, op, env) };
    }
    w.set_mask(EXEC, exec);
    stopped
}
