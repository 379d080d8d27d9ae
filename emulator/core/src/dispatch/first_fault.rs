//! Which of a dispatch's faults is told: the first in the order of its work-groups, however many threads run them.
//!
//! The first to come stops the work-groups behind it. Those in front of it go on, until they end or have a fault, which is
//! then the first; for as long as the dispatch has run until then, and a second, as one may wait for the work-group that is
//! gone.

use super::Dispatch;
use crate::wave::WaveFault;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// How long work-groups in front of a fault go on, besides the time that the dispatch had until then.
const PATIENCE: Duration = Duration::from_secs(1);

pub(crate) struct FirstFault {
    /// Its work-group; `u64::MAX` if there is none.
    group: AtomicU64,
    fault: Mutex<Option<(WaveFault, Instant)>>,
}

impl Default for FirstFault {
    fn default() -> Self {
        FirstFault { group: AtomicU64::new(u64::MAX), fault: Mutex::default() }
    }
}

impl Dispatch {
    /// Whether work-group `n` is to run: it is in front of every fault so far.
    pub(crate) fn may_run(&self, n: u64) -> bool {
        n < self.first_fault.group.load(SeqCst)
    }

    /// Work-group `n` has a fault.
    pub(crate) fn note_fault(&self, n: u64, fault: WaveFault) {
        let first = &self.first_fault;
        let mut told = first.fault.lock();
        if !self.may_run(n) {
            return;
        }
        first.group.store(n, SeqCst);
        let until = told.as_ref().map(|(_, until)| *until);
        let now = Instant::now();
        let until = until.unwrap_or_else(|| now + self.began.get().map_or(Duration::ZERO, |b| now - *b) + PATIENCE);
        *told = Some((fault, until));
    }

    /// The first fault, once: when all work-groups have ended that could have an earlier one, or have had their time.
    pub(crate) fn take_fault(&self, ended: bool) -> Option<WaveFault> {
        if self.may_run(u64::MAX - 1) {
            return None;
        }
        let mut told = self.first_fault.fault.lock();
        told.take_if(|(_, until)| ended || Instant::now() >= *until).map(|(fault, _)| fault)
    }
}
