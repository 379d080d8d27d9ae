//! Calendars of shared units, beside sets of taken slots.

use std::collections::BTreeSet;
use wavepipe_timing::tested::{Slots, Window};

/// A set of taken slots, without a window.
#[test]
fn as_a_set_of_taken_slots() {
    let mut state = 5u64;
    let mut random = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    for (every, busy) in [(0, 0), (100, 3), (1000, 130)] {
        let mut slots = Slots::new(1.0).with_breaks(every, busy);
        let mut taken = BTreeSet::new();
        let mut now = 0;
        for step in 0..6_000 {
            // Sometimes faster than it can serve, sometimes a long way ahead, as after a page walk.
            now += random(if step / 500 % 2 == 0 { 3 } else { 8 });
            let (at, count) = (now + [0, 0, 0, 700][random(4) as usize], 1 + random(4) as u32);
            let free = |slot: &u64| !taken.contains(slot) && (every == 0 || slot % every >= busy);
            let mine: Vec<u64> = (at..).filter(free).take(count as usize).collect();
            let (first, last) = (mine[0], mine[mine.len() - 1]);
            assert_eq!(slots.take(at, count), (first, last + 1), "step {step}, from {at}");
            taken.extend(mine);
            // What is long past is asked for no more.
            taken = taken.split_off(&now.saturating_sub(10));
        }
    }
}

#[test]
fn long_periods_keep_their_rate() {
    let mut slots = Slots::new(4.354);
    let ends: Vec<u64> = (0..1000).map(|_| slots.take(0, 1).1).collect();
    for (i, end) in ends.iter().enumerate() {
        let by_hand = (i + 1) as f64 * 4.354;
        assert!((0.0..=1.0 + by_hand * 0.001).contains(&(*end as f64 - by_hand)), "{i}: {end}, by hand {by_hand}");
    }
}

#[test]
fn a_full_window_waits_for_its_oldest() {
    let mut window = Window::new(2);
    for (at, done) in [(0, 10), (1, 30)] {
        assert_eq!(window.enter(at), at);
        window.leave(done);
    }
    assert_eq!(window.enter(5), 10);
    window.leave(40);
    assert_eq!(window.enter(50), 50);
}
