//! Which wave executed its next instruction when: kept in memory, for who goes through a dispatch in the clock's order.

use super::shared::Shared;
use crate::memory::Met;
use crate::observe::{Event, Recorder, WaveSlot};
use crate::reason::Reason;
use std::collections::BTreeMap;
use wavepipe_isa::row::Class;

/// Instructions that are kept.
pub const ISSUES: usize = 1 << 20;

/// An instruction of a wave: its first pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Issue {
    pub group: u64,
    pub wave: u32,
    pub at: WaveSlot,
    pub cycle: u64,
    pub pc: u64,
    pub class: Class,
    /// It could have issued so many cycles earlier, but for the reason.
    pub stalled: u64,
    pub reason: Reason,
    /// What it met on its way to memory, and the cycle when it was back.
    pub access: Option<(Met, u64)>,
}

/// A dispatch's, in the order in which they issued.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Issued {
    pub dispatch: u64,
    /// Where its kernel begins.
    pub code_va: u64,
    /// The cycle of its launch.
    pub launched: u64,
    pub all: Vec<Issue>,
    /// There were more than are kept.
    pub cut: bool,
}

#[derive(Debug, Default)]
struct Noted {
    dispatches: Vec<Issued>,
    /// Who is in a slot: dispatch, work-group, wave.
    waves: BTreeMap<WaveSlot, (u64, u64, u32)>,
    kept: usize,
}

impl Noted {
    fn launched(&mut self, dispatch: u64, code_va: u64, launched: u64) {
        self.dispatches.push(Issued { dispatch, code_va, launched, all: Vec::new(), cut: false });
    }

    fn of(&mut self, at: WaveSlot) -> Option<(&mut Issued, u64, u32)> {
        let (dispatch, group, wave) = *self.waves.get(&at)?;
        let issued = self.dispatches.iter_mut().rev().find(|d| d.dispatch == dispatch)?;
        Some((issued, group, wave))
    }
}

/// The instructions of a machine since power-on. Clones share what they hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issues(Shared<Noted>);

impl Issues {
    /// What notes into it.
    pub fn recorder(&self) -> Box<dyn Recorder> {
        Box::new(self.clone())
    }

    /// Notes the launch of a dispatch.
    pub(crate) fn launched(&self, dispatch: u64, code_va: u64, launched: u64) {
        self.0.lock().launched(dispatch, code_va, launched);
    }

    /// What was noted, by dispatch, in the order of their launches.
    pub fn take(&self) -> Vec<Issued> {
        std::mem::take(&mut self.0.lock().dispatches)
    }
}

impl Recorder for Issues {
    fn instructions(&self) -> bool {
        true
    }

    fn event(&mut self, cycle: u64, event: &Event<'_>) {
        let mut noted = self.0.lock();
        let noted = &mut *noted;
        match *event {
            Event::DispatchStarted { dispatch, what, .. } => noted.launched(dispatch, what.launch.code_va, cycle),
            Event::WaveStarted { dispatch, group, wave, at, .. } => {
                noted.waves.insert(at, (dispatch, group, wave));
            }
            Event::Issued { at, pc, class, first: true, stalled, reason, .. } => {
                let full = noted.kept >= ISSUES;
                let Some((issued, group, wave)) = noted.of(at) else { return };
                // What is behind a gap is of no use.
                issued.cut |= full;
                if !issued.cut {
                    issued.all.push(Issue { group, wave, at, cycle, pc, class, stalled, reason, access: None });
                }
                noted.kept += 1;
            }
            Event::Accessed { at, met, done } => {
                let Some((issued, group, wave)) = noted.of(at) else { return };
                if let Some(last) = issued.all.last_mut().filter(|last| (last.group, last.wave) == (group, wave)) {
                    last.access = Some((*met, done));
                }
            }
            _ => {}
        }
    }
}
