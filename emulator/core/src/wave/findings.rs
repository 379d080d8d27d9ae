//! What the checks found in one dispatch: each finding once, counted, with the facts of the first time in the order of
//! work-groups, waves and lanes. Which thread ran what, and when, changes nothing of it.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use wavepipe_hw::finding::{Finding, Order};

/// What makes two findings of a dispatch one: the kind's slug, the instruction, and that of the other party or 0.
pub(crate) type Key = (&'static str, u64, u64);

/// Findings that a dispatch tells of; of others it tells how many there are.
const TOLD: usize = 100;
/// Findings that are kept to choose those from. Beyond that the last in the order are dropped, and no longer counted.
const KEPT: usize = 4096;

#[derive(Default)]
pub(crate) struct Findings(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    by_key: BTreeMap<Key, (Order, Finding)>,
    /// Distinct ones that were dropped.
    dropped: u64,
}

impl Findings {
    /// Counts a finding; `make` it if it is the first of its key in the order. What one wave does twice is told as the first time.
    #[cold]
    pub fn note(&self, key: Key, order: Order, make: impl FnOnce() -> Finding) {
        let mut kept = self.0.lock();
        if let Some((first, finding)) = kept.by_key.get_mut(&key) {
            let count = finding.count + 1;
            if order < *first {
                (*first, *finding) = (order, make());
            }
            finding.count = count;
            return;
        }
        kept.by_key.insert(key, (order, make()));
        if kept.by_key.len() > KEPT {
            let last = kept.by_key.iter().max_by_key(|(key, (order, _))| (*order, **key)).map(|(key, _)| *key);
            last.and_then(|key| kept.by_key.remove(&key));
            kept.dropped += 1;
        }
    }

    /// What was found since last asked, first things first, and how many others there were.
    pub fn take(&self) -> (Vec<Finding>, u64) {
        let Kept { by_key, dropped } = std::mem::take(&mut *self.0.lock());
        let mut all: Vec<(Order, Key, Finding)> = by_key.into_iter().map(|(k, (order, f))| (order, k, f)).collect();
        all.sort_by_key(|(order, (slug, pc, other), _)| (*order, *pc, *other, *slug));
        let more = dropped + all.len().saturating_sub(TOLD) as u64;
        all.truncate(TOLD);
        (all.into_iter().map(|(_, _, finding)| finding).collect(), more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavepipe_hw::finding::{Absent, FindingKind, Location};

    fn note(all: &Findings, pc: u64, group: u32) {
        let site = Location { pc, workgroup: [group, 0, 0], ..Location::default() };
        all.note(("kind", pc, 0), site.order(), || Finding {
            kind: FindingKind::DivergentBarrier(Absent::Elsewhere),
            kernel: String::new(),
            queue: (0, 0),
            site: site.clone(),
            access: None,
            other: None,
            count: 1,
        });
    }

    /// In whatever order they come, the first are kept, and all are counted.
    #[test]
    fn the_first_are_kept_and_all_are_counted() {
        let mut wanted: Option<Vec<Finding>> = None;
        for step in [1, 7, 149] {
            let all = Findings::default();
            // 300 places, each in three work-groups: place n first in work-group n.
            for i in 0..900u64 {
                let n = i * step % 900;
                note(&all, n % 300, (n % 300 + n / 300 * 300) as u32);
            }
            let (told, more) = all.take();
            assert_eq!((told.len(), more), (TOLD, 200));
            for (n, f) in told.iter().enumerate() {
                assert_eq!((f.site.pc, f.site.workgroup[0], f.count), (n as u64, n as u32, 3));
            }
            assert_eq!(*wanted.get_or_insert_with(|| told.clone()), told);
            assert_eq!(all.take(), (Vec::new(), 0));
        }
    }

    #[test]
    fn memory_is_bounded_and_the_first_are_right_all_the_same() {
        let all = Findings::default();
        for n in (0..3 * KEPT as u64).rev() {
            note(&all, n, n as u32);
        }
        assert_eq!(all.0.lock().by_key.len(), KEPT);
        let (told, more) = all.take();
        assert!(told.iter().enumerate().all(|(n, f)| f.site.pc == n as u64));
        assert_eq!(more, 3 * KEPT as u64 - TOLD as u64);
    }
}
