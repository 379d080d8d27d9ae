//! The agenda of actors by cycle.

use std::collections::BTreeSet;
use wavepipe_timing::tested::{ACTORS, Agenda};

/// Beside a sorted set, with times near, far and over.
#[test]
fn as_a_sorted_set() {
    let (mut agenda, mut plain) = (Agenda::default(), BTreeSet::new());
    let (mut seed, mut now) = (1u64, 0);
    let mut random = |n: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % n
    };
    for _ in 0..200_000 {
        if random(5) < 3 || plain.is_empty() {
            let reach = [3, 60, 1023, 1024, 5000, 1 << 20][random(6) as usize];
            let (cycle, actor) = (now + random(reach), random(ACTORS as u64) as usize);
            agenda.add(cycle, actor);
            plain.insert((cycle, actor));
        } else {
            let next = agenda.pop();
            assert_eq!(next, plain.pop_first());
            now = next.map_or(now, |n| n.0);
        }
    }
}
