//! Who has which part of the scratch ring.

use super::ScratchNeed;
use std::ops::Range;

/// Ranges in use, sorted. One space for all queues: their rings may be one ring.
#[derive(Clone, Default)]
pub struct ScratchSpace {
    used: Vec<Range<u64>>,
}

impl ScratchSpace {
    /// First gap that holds a work-group: index to insert at and the range.
    fn place(&self, need: ScratchNeed) -> Option<(usize, Range<u64>)> {
        let mut at = 0;
        let mut i = 0;
        for r in &self.used {
            if r.start >= at + need.group_bytes {
                break;
            }
            at = at.max(r.end);
            i += 1;
        }
        (at + need.group_bytes <= need.ring_bytes).then(|| (i, at..at + need.group_bytes))
    }

    /// Whether there is room for a work-group.
    pub fn holds(&self, need: ScratchNeed) -> bool {
        self.place(need).is_some()
    }

    /// Takes room for a work-group.
    pub fn claim(&mut self, need: ScratchNeed) -> Option<Range<u64>> {
        let (i, r) = self.place(need)?;
        self.used.insert(i, r.clone());
        Some(r)
    }

    /// Gives it back.
    pub fn release(&mut self, r: &Range<u64>) {
        self.used.retain(|u| u != r);
    }
}
