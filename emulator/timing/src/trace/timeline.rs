//! Which waves were where, and when: kept in memory for who draws it.

use super::shared::Shared;
use crate::observe::{Event, Recorder, WaveSlot};
use std::collections::BTreeMap;

/// Spans that are kept; of more, how many there were.
const SPANS: usize = 1 << 16;

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

#[cfg(test)]
mod tests {
    use super::*;

    fn started(line: &mut dyn Recorder, cycle: u64, (wave, at): (u32, WaveSlot), resumed: bool) {
        line.event(cycle, &Event::WaveStarted { dispatch: 7, group: 1, wave, at, resumed });
    }

    fn ended(line: &mut dyn Recorder, cycle: u64, (wave, at): (u32, WaveSlot), suspended: bool) {
        line.event(cycle, &Event::WaveEnded { dispatch: 7, group: 1, wave, at, suspended });
    }

    #[test]
    fn a_wave_has_a_span_for_each_stay_in_a_slot() {
        let all = Timeline::default();
        let mut line = all.recorder();
        let [a, b] = [0, 1].map(|slot| WaveSlot { simd: 3, slot });
        started(&mut *line, 10, (0, a), false);
        started(&mut *line, 12, (1, b), false);
        ended(&mut *line, 20, (0, a), true);
        started(&mut *line, 30, (2, a), false);
        started(&mut *line, 40, (0, a), true);
        // It starts later than its event, and ends with it.
        ended(&mut *line, 39, (0, a), false);
        let (spans, more) = all.spans();
        let seen: Vec<_> = spans.iter().map(|s| (s.wave, s.at.slot, s.begin, s.end)).collect();
        assert_eq!(seen, [(0, 0, 10, 20), (1, 1, 12, 12), (2, 0, 30, 30), (0, 0, 40, 40)]);
        assert!(spans.iter().all(|s| (s.dispatch, s.group, s.at.simd) == (7, 1, 3)) && more == 0);
    }

    #[test]
    fn what_is_more_than_is_kept_is_counted() {
        let all = Timeline::default();
        let mut line = all.recorder();
        let at = WaveSlot { simd: 0, slot: 0 };
        for n in 0..SPANS as u64 + 3 {
            started(&mut *line, 2 * n, (0, at), false);
            ended(&mut *line, 2 * n + 1, (0, at), false);
        }
        let (spans, more) = all.spans();
        assert_eq!((spans.len(), more), (SPANS, 3));
        assert!(spans.iter().all(|s| s.end == s.begin + 1));
        assert!(all != Timeline::default() && all == all.clone());
    }
}
