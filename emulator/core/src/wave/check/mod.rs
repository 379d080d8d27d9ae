//! Checks of what guest code does, besides executing it: each is an observer of one work-group, and its finding a fault.
//!
//! - [`registers`]: what an instruction touches.
//! - [`waits`]: results that nobody waited for. [`barriers`]: memory that nobody waited for in front of a barrier.
//!
//! With a check on, the interpreter runs every instruction, shows it to the checks first (as any other [`Probe`]), and stops the
//! wave at the first finding; so tests, clients and tools notice it as they notice a fault. With none on, the loop that
//! runs has no trace of them.

mod barriers;
pub(crate) mod registers;
mod waits;

use super::probe::{Issue, Probe, WaveView};
use crate::config::GuestChecks;
use wavepipe_hw::fault::FaultKind;
use wavepipe_isa::row::Space;

/// The checks of one work-group.
#[derive(Default)]
pub(super) struct Checker {
    waits: Option<(waits::Waits, barriers::Barriers)>,
    found: Option<FaultKind>,
}

impl Checker {
    /// `None`: nothing is to be checked.
    pub fn new(checks: GuestChecks) -> Option<Box<Checker>> {
        let waits = checks.contains(GuestChecks::WAIT).then(Default::default);
        (!checks.is_empty()).then(|| Box::new(Checker { waits, found: None }))
    }

    /// A work-group starts: of so many waves, with code from `code_va` on.
    pub fn start(&mut self, waves: usize, code_va: u64) {
        self.found = None;
        if let Some((waits, barriers)) = &mut self.waits {
            waits.start(waves, code_va);
            barriers.start(waves, code_va);
        }
    }
}

impl Probe for Checker {
    const ACTIVE: bool = true;

    fn issue(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>) {
        if let Some((waits, barriers)) = &mut self.waits {
            self.found = waits.issue(wave, issue).map(|missing| FaultKind::MissingWait(Box::new(missing)));
            barriers.issue(wave, issue);
        }
    }

    fn access(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, space: Space, mask: u64, addresses: &[u64; 64]) {
        if let Some((waits, barriers)) = &mut self.waits {
            waits.access(wave, issue, space, mask, addresses);
            if let Some(missing) = barriers.access(wave, issue, space, mask, addresses) {
                self.found.get_or_insert(FaultKind::MissingWait(Box::new(missing)));
            }
        }
    }

    fn finding(&mut self) -> Option<FaultKind> {
        self.found.take()
    }
}
