//! What a wave knows of other work-groups.

use wavepipe_core::tested::{Clock, KNOWN};

#[test]
fn a_clock_knows_what_came_to_it_and_is_short() {
    let mut clock = Clock::default();
    assert!(!clock.covers(1, 0));
    clock.add(7, 3);
    assert!(clock.covers(7, 3) && !clock.covers(7, 4) && !clock.covers(6, 0));
    let mut other = Clock::default();
    other.add(7, 5);
    other.add(2, 1);
    clock.merge(&other);
    assert!(clock.covers(7, 5) && clock.covers(2, 1) && !clock.covers(2, 2));
    for group in 100..5000 {
        clock.add(group, 1);
        assert!(clock.times() <= KNOWN);
    }
    assert!(clock.covers(4999, 1) && !clock.covers(4999, 2) && !clock.covers(5000, 1) && clock.covers(100, 9));
}
