//! Barriers of a work-group of one wave that a part of its lanes come to. They are no instructions, for the lanes go in step; code for
//! this check marks them ([`order`]). Those of several waves are looked at where they open (`super::super::meeting`).

use super::super::probe::{Issue, WaveView};
use super::{Found, Group, Observer, Wants};
use wavepipe_hw::finding::{Absent, FindingKind};
use wavepipe_hw::order::{self, Among, BarrierMark};

#[derive(Default)]
pub(super) struct Alone {
    one: bool,
    /// Its code marks its barriers.
    marked: bool,
}

impl Observer for Alone {
    fn wants(&self) -> Wants {
        Wants::ISSUES
    }

    fn start(&mut self, group: &Group) {
        (self.one, self.marked) = (group.waves == 1, false);
    }

    fn issue(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, found: &mut Vec<Found>) {
        let Some(bits) = order::bits(issue.instr).filter(|_| self.one) else { return };
        self.marked |= bits == order::BEGIN;
        let mark = BarrierMark::from_bits(bits).filter(|m| self.marked && m.execution >= Among::WorkGroup);
        let (exec, launched) = (wave.exec(), wave.launched());
        if mark.is_some() && exec != launched && exec != 0 {
            let kind = FindingKind::DivergentBarrier(Absent::Lanes { exec, launched });
            found.push(Found { kind, lanes: exec, access: None, other: None });
        }
    }
}
