//! From SH registers to work-groups that run: launch state, placement limits, scheduling.

mod first_fault;
mod launch;
pub(crate) mod placement;
mod schedule;
mod scratch;

pub use placement::{Limits, waves_per_simd};
pub use scratch::ScratchSpace;

pub(crate) use launch::ShRegs;
pub(crate) use schedule::{Grant, QUANTUM, Report, Resident, Scheduler, Work};

use crate::dispatch::first_fault::FirstFault;
use crate::queue::HardwareQueue;
use crate::wave::{Launch, Passage, WorkGroup};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Scratch that the work-groups of a dispatch need while they are resident.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScratchNeed {
    /// Of one work-group: waves × bytes per wave.
    pub group_bytes: u64,
    /// Of the ring: COMPUTE_TMPRING_SIZE's WAVES × WAVESIZE.
    pub ring_bytes: u64,
}

/// One DISPATCH packet, checked and ready to run.
pub struct Dispatch {
    pub(crate) queue: Arc<HardwareQueue>,
    pub launch: Arc<Launch>,
    /// DISPATCH packets that its queue came to before it.
    pub number: u64,
    /// First work-group id and number of work-groups, by dimension.
    pub start: [u32; 3],
    pub groups: [u32; 3],
    /// Product of `groups`.
    pub total: u64,
    /// Work-items, by dimension, of work-groups that are last in it; less than the launch's if the last is partial.
    pub last: [u32; 3],
    /// Share of the machine that a resident work-group takes, of [`placement::WHOLE_MACHINE`].
    pub share: u64,
    vgpr_rows: u32,
    /// SGPRs of a wave, rounded up likewise.
    sgprs: u32,
    /// Bytes of LDS of a work-group, rounded up likewise.
    lds_bytes: u32,
    /// A work-group may use both compute units of a work-group processor.
    pub wgp_mode: bool,
    pub scratch: Option<ScratchNeed>,
    /// Order of its waves at DS_ORDERED_COUNT.
    pub(crate) passage: Passage,
    /// Set when the dispatch is not to be continued.
    pub(crate) cancelled: AtomicBool,
    pub(crate) first_fault: FirstFault,
    /// When its first work-group started.
    pub(crate) began: OnceLock<Instant>,
    /// Nanoseconds since then for which other work was before it.
    pub(crate) paused: AtomicU64,
}

/// Quotient and remainder: hosts take long for a division, and longer for one of 64 bits.
#[inline(always)]
fn divided(n: u64, by: u32) -> (u64, u64) {
    match u32::try_from(n) {
        Ok(n) if n < by => (0, n.into()),
        Ok(n) => ((n / by).into(), (n % by).into()),
        Err(_) => (n / u64::from(by), n % u64::from(by)),
    }
}

impl Dispatch {
    /// Id of the `n`th work-group: x fastest.
    #[inline(always)]
    pub fn id(&self, n: u64) -> [u32; 3] {
        let (rows, x) = divided(n, self.groups[0]);
        let (z, y) = divided(rows, self.groups[1]);
        let local = [x, y, z];
        std::array::from_fn(|i| self.start[i].wrapping_add(local[i] as u32))
    }

    /// Waves of a whole work-group.
    pub fn waves(&self) -> u32 {
        placement::waves(&self.launch)
    }

    /// VGPR rows of 32 lanes that a wave takes.
    pub fn vgpr_rows(&self) -> u32 {
        self.vgpr_rows
    }

    /// SGPRs that each of its waves takes of its SIMD's.
    pub fn sgprs(&self) -> u32 {
        self.sgprs
    }

    /// Bytes of LDS that each of its work-groups takes.
    pub fn lds_bytes(&self) -> u32 {
        self.lds_bytes
    }

    /// Makes `group` the `n`th work-group at its launch state. `scratch`: bytes, of wave 0, from the ring's begin.
    pub fn start(&self, group: &mut WorkGroup, n: u64, scratch: u32) {
        self.start_unseen(group, n, scratch);
        group.show();
    }

    /// As [`Dispatch::start`], if nobody but its program looks at its registers.
    #[inline(always)]
    pub(crate) fn start_unseen(&self, group: &mut WorkGroup, n: u64, scratch: u32) {
        let id = self.id(n);
        group.start_unseen(&self.launch, id, self.size(id), scratch);
        group.in_dispatch(&self.passage, n);
    }

    /// Work-items of all work-groups.
    pub fn invocations(&self) -> u64 {
        let along = |i: usize| {
            let whole = u64::from(self.groups[i]).saturating_sub(1);
            whole.wrapping_mul(self.launch.workgroup[i].into()).wrapping_add(self.last[i].into())
        };
        along(0).wrapping_mul(along(1)).wrapping_mul(along(2))
    }

    /// Work-items of the work-group with this id.
    #[inline(always)]
    pub fn size(&self, id: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|i| match id[i].wrapping_sub(self.start[i]) == self.groups[i] - 1 {
            true => self.last[i],
            false => self.launch.workgroup[i],
        })
    }
}
