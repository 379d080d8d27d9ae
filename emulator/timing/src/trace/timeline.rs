//! Which waves were where, and when: kept in memory for who draws it.

use super::shared::Shared;
use crate::observe::{Event, Recorder, WaveSlot};
use std::collections::BTreeMap;

/// Spans that are kept; of more, how many there were.
pub const SPANS: usize = 1 << 16;

/// A wave in a slot of a SIMD, until it ended or was suspended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaveSpan {
    pub dispatch: u64,
    pub group: u64,
    pub wave: u32,
    pub at: WaveSlot,
    /// Cycles: its first instruction, and behind its last; the same while it runs.
    pub begin: u64,
    pub end: u64,
}

#[derive(Debug, Default)]
struct Noted {
    spans: Vec<WaveSpan>,
    /// The last span of each slot.
    open: BTreeMap<WaveSlot, usize>,
    more: u64,
}

/// The waves of a machine since power-on. Clones share what they hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline(Shared<Noted>);

impl Timeline {
    /// What notes into it.
    pub fn recorder(&self) -> Box<dyn Recorder> {
        Box::new(self.clone())
    }

    /// Spans in the order of their starts, and how many more there were.
    pub fn spans(&self) -> (Vec<WaveSpan>, u64) {
        let noted = self.0.lock();
        (noted.spans.clone(), noted.more)
    }
}

impl Recorder for Timeline {
    fn instructions(&self) -> bool {
        false
    }

    fn event(&mut self, cycle: u64, event: &Event<'_>) {
        let mut noted = self.0.lock();
        match *event {
            Event::WaveStarted { dispatch, group, wave, at, .. } if noted.spans.len() < SPANS => {
                let number = noted.spans.len();
                noted.open.insert(at, number);
                noted.spans.push(WaveSpan { dispatch, group, wave, at, begin: cycle, end: cycle });
            }
            Event::WaveStarted { .. } => noted.more += 1,
            Event::WaveEnded { at, .. } => {
                if let Some(n) = noted.open.remove(&at) {
                    noted.spans[n].end = cycle.max(noted.spans[n].begin);
                }
            }
            _ => {}
        }
    }
}
