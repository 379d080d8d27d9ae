//! An access that is made, and what comes before it.

use super::cells::{ALL, By, Mark};
use super::clock::Clock;

/// What an access is compared by.
#[derive(Clone, Copy)]
pub(super) struct Now<'a> {
    pub me: Mark,
    /// The dispatch's first work-group: marks of others are of dispatches that are over, or none.
    pub first: u32,
    pub writes: bool,
    /// It is in LDS, where marks of other work-groups are of those that had the place before.
    pub lds: bool,
    /// Accesses of other waves from before this time come before it, and those of the wave's other lanes from before that one.
    pub since_barrier: u32,
    pub since_lanes: u32,
    pub seen: &'a Clock,
}

impl Now<'_> {
    /// The same, made by another lane of the wave.
    #[inline(always)]
    pub fn of(&self, by: By) -> Self {
        Now { me: Mark { by, ..self.me }, ..*self }
    }

    /// Whether `other` comes before this access, or is not to be compared with it.
    #[inline(always)]
    pub fn behind(&self, other: Mark) -> bool {
        self.surely_behind(other.group, other.time, other.by, self.me.by)
            || !self.seen.is_empty()
                && match other.group == self.me.group {
                    true => self.seen.covers_own(other.group, other.time),
                    false => self.seen.covers(other.group, other.time),
                }
    }

    /// As [`Now::behind`], if nothing has come through atomics; `by` is who makes the access, in the same wave. Without a branch.
    #[inline(always)]
    pub fn surely_behind(&self, group: u32, time: u32, other: By, by: By) -> bool {
        let (me, same_wave) = (self.me.by, other.wave() == self.me.by.wave());
        let since = if same_wave { self.since_lanes } else { self.since_barrier };
        // One access for all lanes of the wave is none of a certain lane.
        let own = other.is(by) | (same_wave & ((other.lane() == ALL) | (me.lane() == ALL))) | (time < since);
        if group == self.me.group { own } else { self.lds | (group < self.first) }
    }

    /// What it is in no order with.
    #[inline(always)]
    pub fn race(&self, other: Mark) -> Option<Mark> {
        (!self.behind(other)).then_some(other)
    }
}
