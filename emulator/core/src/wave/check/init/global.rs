//! Loads and stores of programs' memory, where [`super::contents`] knows what nobody has written.

use super::Init;
use super::contents::{self, Extent};
use super::memory::is_run;
use super::origin::{Origin, OriginId};
use crate::wave::check::registers::RegisterSet;
use crate::wave::env::TexelTouch;
use crate::wave::mem;
use crate::wave::op::MicroOp;
use crate::wave::probe::{Accesses, Issue, WaveView};
use crate::wave::regs::set_bits;
use crate::wave::state::Wave;
use wavepipe_hw::finding::NeverWritten;
use wavepipe_isa::instr::Flags;
use wavepipe_isa::row::{AtomicOp, ImageOp, MemKind, Sem, Ty};

/// Lanes that are looked at as one range, if that has no more bytes.
const NEAR: u64 = 1 << 14;

/// Where the buffer of an instruction's descriptor ends, if it has one: nothing is read behind that.
pub(super) fn end(w: &Wave, op: &MicroOp) -> u64 {
    if !op.row.src.contains(&Ty::Rsrc) || op.flags.contains(Flags::ADDR64) {
        return u64::MAX;
    }
    let d = mem::descriptor(w, op.s[0]);
    let size = u64::from(d.num_records) * u64::from(d.stride.max(1));
    d.base.saturating_add(size)
}

impl Init {
    /// Whether everything is written, in all allocations.
    fn is_all_written(&self) -> bool {
        self.device.as_ref().is_none_or(|device| device.contents.is_whole())
    }

    /// The allocation that holds a byte.
    pub(super) fn extent(&self, at: u64) -> Option<&Extent> {
        contents::find(&self.extents, at)
    }

    fn is_written_at(&self, at: u64, bytes: u64) -> bool {
        match self.extent(at) {
            Some(extent) => extent.is_written(at, bytes),
            None => self.extent(at.saturating_add(bytes).saturating_sub(1)).is_none(),
        }
    }

    pub(super) fn global_written_at(&self, at: u64, bytes: u64) {
        if let Some(extent) = self.extent(at) {
            extent.write(at, bytes);
        }
    }

    /// Whether so many bytes of each of these lanes are written.
    pub(super) fn is_global_written(&self, to: &Accesses<'_>, bytes: u64) -> bool {
        if self.is_all_written() || to.reach.mask == 0 {
            return true;
        }
        let (first, span) = (to.reach.first, to.reach.last - to.reach.first);
        let near = span <= NEAR && self.extent(first).is_some_and(|e| e.is_written(first, span + bytes));
        near || to.lanes().all(|lane| self.is_written_at(to.at[lane], bytes))
    }

    /// So many bytes of each of these lanes become written.
    pub(super) fn global_written(&self, to: &Accesses<'_>, bytes: u64) -> bool {
        if self.is_all_written() || to.reach.mask == 0 {
            return true;
        }
        // Nearly always one behind the other.
        match is_run(to, bytes) {
            Some(all) => self.global_written_at(to.reach.first, all),
            None => to.lanes().for_each(|lane| self.global_written_at(to.at[lane], bytes)),
        }
        true
    }

    /// Scalar loads and stores of so many dwords.
    pub(super) fn scalar(&mut self, view: &WaveView<'_>, issue: &Issue<'_>, kind: MemKind, at: u64, dwords: usize) {
        if self.is_all_written() {
            return;
        }
        let dst = issue.op.dst as usize;
        let end = end(view.0, issue.op);
        for n in 0..dwords {
            let at = at.wrapping_add(4 * n as u64);
            if at.saturating_add(4) > end {
                return;
            }
            if kind.writes() {
                self.global_written_at(at, 4);
                continue;
            }
            let undefined = self.extent(at).map_or(0, |extent| extent.read(at, 4));
            if undefined != 0 {
                let lane = view.exec().trailing_zeros() & 63;
                let origin =
                    self.never(view, issue, at + u64::from(undefined.trailing_zeros() / 8), lane as usize, true);
                self.waves[view.index() as usize].bits.put_scalar(dst + n, undefined, origin);
            }
        }
    }

    /// The origin of a byte that nobody wrote.
    fn never(&mut self, view: &WaveView<'_>, issue: &Issue<'_>, at: u64, lane: usize, copied: bool) -> OriginId {
        let what = NeverWritten::Memory(at);
        let origin = Origin { what, pc: issue.pc, wave: view.index(), lane: lane as u32, copied };
        self.origins.id(origin, Some(issue.instr))
    }

    /// Loads and stores of elements that a descriptor has the format of. An element of which a byte is not written has nothing
    /// that is defined.
    pub(super) fn typed(&mut self, view: &WaveView<'_>, issue: &Issue<'_>, kind: MemKind, to: &Accesses<'_>) {
        if self.is_all_written() {
            return;
        }
        let Some(bytes) = mem::element(view.0, issue.op).map(u64::from) else { return };
        if matches!(kind, MemKind::StoreFormat { .. }) {
            self.global_written(to, bytes);
            return;
        }
        if issue.op.flags.contains(Flags::LDS) || self.is_global_written(to, bytes) {
            return;
        }
        let end = end(view.0, issue.op);
        let mut first = [None; 64];
        for lane in to.lanes() {
            let at = to.at[lane];
            if at.saturating_add(bytes) <= end && !self.is_written_at(at, bytes) {
                first[lane] = Some(at);
            }
        }
        self.undefined_texels(view, issue, &first);
    }

    /// An image instruction has accessed these texels. What is sampled is undefined if nothing of it is
    /// written: what a filter adds to that may weigh nothing.
    pub(super) fn image(&mut self, view: &WaveView<'_>, issue: &Issue<'_>, texels: &[TexelTouch]) {
        let Sem::Mem(_, MemKind::Image(what)) = issue.op.row.sem else { return };
        if self.is_all_written() {
            return;
        }
        let index = view.index() as usize;
        if matches!(what, ImageOp::Store { .. }) {
            let undefined = match self.waves[index].copies {
                true => self.undefined_data(view, issue),
                false => 0,
            };
            for &TexelTouch { at, bytes, .. } in texels.iter().filter(|t| undefined >> t.lane & 1 == 0) {
                self.global_written_at(at, bytes.into());
            }
            return;
        }
        let swaps = matches!(what, ImageOp::Atomic(AtomicOp::Swap));
        let whole = matches!(
            what,
            ImageOp::Load { .. } | ImageOp::Atomic(_) | ImageOp::MsaaLoad { .. } | ImageOp::IntersectRay { .. }
        );
        let mut first = [None; 64];
        let mut some = 0u64;
        for &TexelTouch { lane, at, bytes, .. } in texels {
            match self.is_written_at(at, bytes.into()) {
                true => some |= 1 << lane,
                false => first[usize::from(lane)] = first[usize::from(lane)].or(Some(at)),
            }
            if swaps {
                self.global_written_at(at, bytes.into());
            }
        }
        for lane in set_bits(if whole { 0 } else { some }) {
            first[lane] = None;
        }
        let returns = !matches!(what, ImageOp::Atomic(_)) || issue.instr.cache.returns;
        if returns {
            self.undefined_texels(view, issue, &first);
        }
    }

    /// Lanes in which an image store's data has undefined bits.
    fn undefined_data(&self, view: &WaveView<'_>, issue: &Issue<'_>) -> u64 {
        let bits = &self.waves[view.index() as usize].bits;
        let data = issue.instr.uses(view.lanes()).filter(|used| used.reg.is_vgpr() && used.ty != Ty::ImageAddr);
        let registers = data.flat_map(|used| (0..used.dwords).map(move |n| used.reg.vgpr() + n));
        registers.fold(0, |all, n| all | bits.undefined_lanes(n, view.exec()))
    }

    /// What these lanes have read, from these addresses on, nobody has written.
    fn undefined_texels(&mut self, view: &WaveView<'_>, issue: &Issue<'_>, first: &[Option<u64>; 64]) {
        let mask = (0..64).fold(0, |mask, lane| mask | u64::from(first[lane].is_some()) << lane);
        if mask == 0 || issue.op.flags.contains(Flags::TFE) {
            return;
        }
        let mut from = [OriginId::default(); 64];
        for lane in set_bits(mask) {
            from[lane] = self.never(view, issue, first[lane].unwrap_or_default(), lane, false);
        }
        let bits = &mut self.waves[view.index() as usize].bits;
        for n in issue.footprint(view.lanes()).writes.iter().filter_map(RegisterSet::vgpr_of) {
            bits.put(n, mask, &[!0; 64], &from);
        }
    }
}
