//! What a wave knows of other work-groups: up to which of their times everything comes before it.

/// Work-groups that are known one by one.
pub const KNOWN: usize = 64;

#[derive(Clone, Default, Debug)]
pub struct Clock {
    /// All of the work-groups with lower numbers is known.
    below: u32,
    /// Work-groups and times, by number.
    rest: Vec<(u32, u32)>,
}

impl Clock {
    /// Nothing is known.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.below == 0 && self.rest.is_empty()
    }

    #[inline(always)]
    pub fn covers(&self, group: u32, time: u32) -> bool {
        group < self.below || self.covers_own(group, time)
    }

    /// As [`Clock::covers`], of one's own work-group: that is never known as a whole.
    #[inline(always)]
    pub fn covers_own(&self, group: u32, time: u32) -> bool {
        !self.rest.is_empty() && self.of(group).is_some_and(|known| time <= known)
    }

    #[inline(never)]
    fn of(&self, group: u32) -> Option<u32> {
        self.rest.binary_search_by_key(&group, |r| r.0).ok().map(|i| self.rest[i].1)
    }

    pub fn add(&mut self, group: u32, time: u32) {
        match self.rest.binary_search_by_key(&group, |r| r.0) {
            Ok(i) => self.rest[i].1 = self.rest[i].1.max(time),
            Err(i) => {
                self.rest.insert(i, (group, time));
                if self.rest.len() > KNOWN {
                    self.shorten();
                }
            }
        }
    }

    pub fn merge(&mut self, other: &Clock) {
        self.below = self.below.max(other.below);
        for &(group, time) in &other.rest {
            self.add(group, time);
        }
    }

    /// Counts the times that are known one by one.
    pub fn times(&self) -> usize {
        self.rest.len()
    }

    /// Forgets times: of the lower half of the work-groups, and of those between, everything counts as known. That may hide a
    /// race, and makes none.
    #[cold]
    fn shorten(&mut self) {
        let from = self.rest[KNOWN / 2].0;
        self.below = self.below.max(from);
        self.rest.retain(|r| r.0 >= from);
    }
}
