//! Spans of waves in slots.

use wavepipe_timing::observe::{Event, Recorder, WaveSlot};
use wavepipe_timing::tested::WAVE_SPANS;
use wavepipe_timing::trace::Timeline;

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
    for n in 0..WAVE_SPANS as u64 + 3 {
        started(&mut *line, 2 * n, (0, at), false);
        ended(&mut *line, 2 * n + 1, (0, at), false);
    }
    let (spans, more) = all.spans();
    assert_eq!((spans.len(), more), (WAVE_SPANS, 3));
    assert!(spans.iter().all(|s| s.end == s.begin + 1));
    assert!(all != Timeline::default() && all == all.clone());
}
