//! What is noted of each instruction of a dispatch.

use wavepipe_isa::row::Class;
use wavepipe_timing::memory::Met;
use wavepipe_timing::observe::{Event, Recorder, WaveSlot};
use wavepipe_timing::reason::Reason;
use wavepipe_timing::tested::{self, ISSUES};
use wavepipe_timing::trace::Issues;

fn issued(line: &mut dyn Recorder, cycle: u64, at: WaveSlot, first: bool) {
    let (class, reason) = (Class::Salu, Reason::Scalar);
    line.event(cycle, &Event::Issued { at, pc: 8, instr: None, class, half: 0, first, busy: 1, stalled: 2, reason });
}

/// A recorder that has seen the launch of dispatch 7 and a wave of it in a slot.
fn launched(all: &Issues, at: WaveSlot) -> Box<dyn Recorder> {
    tested::launched(all, 7, 0, 5);
    let mut line = all.recorder();
    line.event(9, &Event::WaveStarted { dispatch: 7, group: 3, wave: 1, at, resumed: false });
    line
}

#[test]
fn first_passes_and_what_they_met() {
    let (all, at) = (Issues::default(), WaveSlot { simd: 1, slot: 2 });
    let mut line = launched(&all, at);
    assert!(line.instructions());
    issued(&mut *line, 10, at, true);
    issued(&mut *line, 11, at, false);
    line.event(10, &Event::Accessed { at, met: &Met { lines: 3, ..Met::default() }, done: 99 });
    issued(&mut *line, 12, WaveSlot { simd: 0, slot: 0 }, true);
    let [dispatch] = &all.take()[..] else { panic!() };
    let [issue] = &dispatch.all[..] else { panic!("{dispatch:?}") };
    assert_eq!((issue.group, issue.wave, issue.cycle, issue.stalled, issue.reason), (3, 1, 10, 2, Reason::Scalar));
    assert_eq!(issue.access.map(|(met, done)| (met.lines, done)), Some((3, 99)));
    assert!(!dispatch.cut && all.take().is_empty());
}

#[test]
fn what_is_more_than_is_kept_is_cut() {
    let (all, at) = (Issues::default(), WaveSlot { simd: 1, slot: 2 });
    let mut line = launched(&all, at);
    (0..ISSUES as u64 + 2).for_each(|n| issued(&mut *line, 10 + n, at, true));
    let [dispatch] = &all.take()[..] else { panic!() };
    assert!(dispatch.cut && dispatch.all.len() == ISSUES);
    assert_eq!(dispatch.all.last().map(|i| i.cycle), Some(9 + ISSUES as u64));
}
