//! What the checks found in all that a device ran: each finding of a kernel once, however many dispatches it came in.

mod sarif;

use crate::lock::{Mutex, rank};
pub use sarif::sarif;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wavepipe_hw::finding::Finding;
pub use wavepipe_hw::finding::report::{AccessReport, PartyReport, Report};

/// Findings that a device keeps in its life; of others it says how many there are.
const KEPT: usize = 1000;

/// Findings, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub findings: Vec<Arc<Finding>>,
    /// Others, which were not kept.
    pub more: u64,
}

impl Found {
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.more == 0
    }

    /// What is to be said of those that were not kept.
    pub fn rest(&self) -> Option<String> {
        (self.more > 0).then(|| format!("{} more findings are not shown", self.more))
    }
}

/// A JSON document of findings; `more` were found and are not among them.
pub fn document(findings: &[Report], more: u64) -> Value {
    json!({ "findings": findings, "more": more })
}

/// A finding as a line of JSON.
pub fn line(finding: &Finding) -> String {
    serde_json::to_string(&Report::from(finding)).unwrap_or_default()
}

#[derive(Default)]
pub(crate) struct Findings {
    kept: Mutex<Kept, { rank::LEAF }>,
    /// Whether there is something that nobody took.
    news: AtomicBool,
}

#[derive(Default)]
struct Kept {
    all: Vec<Arc<Finding>>,
    /// Place in `all` by id and upload of code: two kernels of one name are two.
    places: HashMap<(String, u64), usize>,
    more: u64,
    /// How much of `all`, and of `more`, was taken.
    taken: (usize, u64),
}

impl Findings {
    /// Counts a finding, and whether it is new.
    pub fn add(&self, finding: Finding, upload: u64) -> (Arc<Finding>, bool) {
        let mut kept = self.kept.lock();
        let key = (finding.id(), upload);
        if let Some(at) = kept.places.get(&key).copied() {
            let known = Arc::make_mut(&mut kept.all[at]);
            known.count = known.count.saturating_add(finding.count);
            return (kept.all[at].clone(), false);
        }
        let finding = Arc::new(finding);
        let room = kept.all.len() < KEPT;
        if room {
            let at = kept.all.len();
            kept.places.insert(key, at);
            kept.all.push(finding.clone());
        } else {
            kept.more += 1;
        }
        drop(kept);
        self.news.store(true, Ordering::Release);
        (finding, room)
    }

    /// Counts findings that the GPU did not tell of.
    pub fn add_more(&self, more: u64) {
        if more > 0 {
            self.kept.lock().more += more;
            self.news.store(true, Ordering::Release);
        }
    }

    /// What came since last asked.
    pub fn take(&self) -> Found {
        if !self.news.load(Ordering::Acquire) || !self.news.swap(false, Ordering::AcqRel) {
            return Found::default();
        }
        let mut kept = self.kept.lock();
        let (seen, more) = kept.taken;
        kept.taken = (kept.all.len(), kept.more);
        Found { findings: kept.all[seen..].to_vec(), more: kept.more - more }
    }

    pub fn all(&self) -> Found {
        let kept = self.kept.lock();
        Found { findings: kept.all.clone(), more: kept.more }
    }
}
