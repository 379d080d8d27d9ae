//! What the checks found in one dispatch: each finding once, counted, with the facts of the first time in the order of
//! work-groups, waves and lanes. Which thread ran what, and when, changes nothing of it.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use wavepipe_hw::finding::{Finding, Order};

/// What makes two findings of a dispatch one: the kind's slug, the instruction, and that of the other party or 0.
pub type Key = (&'static str, u64, u64);

/// Findings that a dispatch tells of; of others it tells how many there are.
pub const TOLD: usize = 100;
/// Findings that are kept to choose those from. Beyond that the last in the order are dropped, and no longer counted.
pub const KEPT: usize = 4096;

#[derive(Default)]
pub struct Findings(Mutex<Kept>);

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

    /// Counts those that are kept.
    pub fn kept(&self) -> usize {
        self.0.lock().by_key.len()
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
