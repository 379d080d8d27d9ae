//! Coverage: how often each instruction of a dispatch ran, by how many waves and in how many lanes. Counts of work-groups add up, so it
//! does not matter which thread ran what.

use super::super::device::Passage;
use super::super::probe::{Issue, WaveView};
use super::{Found, Group, Observer, Wants};
use std::collections::BTreeMap;
use wavepipe_hw::observe::Executed;

/// Of a dispatch, by address: waves and lanes.
pub(crate) type Totals = BTreeMap<u64, (u64, u64)>;

/// Bytes of code from the kernel's begin on that are counted in an array.
const NEAR: u64 = 1 << 18;

/// Of the work-group that runs, since it was told last.
#[derive(Default)]
pub(super) struct Counts {
    code_va: u64,
    passage: Passage,
    near: Vec<(u64, u64)>,
    far: Totals,
}

impl Observer for Counts {
    fn wants(&self) -> Wants {
        Wants::ISSUES | Wants::STRETCHES
    }

    fn start(&mut self, group: &Group) {
        self.near.clear();
        self.far.clear();
        self.code_va = group.code_va;
    }

    fn in_dispatch(&mut self, passage: &Passage) {
        self.passage = passage.clone();
    }

    fn issue(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, _: &mut Vec<Found>) {
        let offset = issue.pc.wrapping_sub(self.code_va);
        let count = if offset < NEAR {
            let at = offset as usize / 4;
            if self.near.len() <= at {
                self.near.resize(at + 1, (0, 0));
            }
            &mut self.near[at]
        } else {
            self.far.entry(issue.pc).or_default()
        };
        count.0 += 1;
        count.1 += u64::from(wave.exec().count_ones());
    }

    fn pause(&mut self) {
        let near = (self.code_va..).step_by(4).zip(self.near.drain(..)).filter(|(_, (waves, _))| *waves > 0);
        let mut totals = self.passage.executed().lock();
        for (pc, (waves, lanes)) in near.chain(std::mem::take(&mut self.far)) {
            let total = totals.entry(pc).or_default();
            *total = (total.0 + waves, total.1 + lanes);
        }
    }
}

/// What was counted, by address.
pub(crate) fn list(totals: Totals) -> Vec<Executed> {
    totals.into_iter().map(|(pc, (waves, lanes))| Executed { pc, waves, lanes }).collect()
}
