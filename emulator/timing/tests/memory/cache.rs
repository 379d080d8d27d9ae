//! Tags of caches, beside plain lists.

use wavepipe_timing::tested::{LAST_EPOCH, Tags};

/// The same cache as lists: each set holds its lines, the most recently used last.
struct Lists {
    sets: Vec<Vec<u64>>,
    ways: usize,
}

impl Lists {
    /// Whether it was there; and what had to go.
    fn use_line(&mut self, line: u64) -> (bool, Option<u64>) {
        let count = self.sets.len();
        let set = &mut self.sets[line as usize % count];
        if let Some(at) = set.iter().position(|l| *l == line) {
            let line = set.remove(at);
            set.push(line);
            return (true, None);
        }
        let old = (set.len() == self.ways).then(|| set.remove(0));
        set.push(line);
        (false, old)
    }

    fn drop_line(&mut self, line: u64) {
        let count = self.sets.len();
        self.sets[line as usize % count].retain(|l| *l != line);
    }
}

/// A generator of numbers that are random enough (Knuth's multiplier).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *state >> 33
}

#[test]
fn behaves_as_lists_in_order_of_use_do() {
    for (sets, ways, lines) in [(1, 1, 3), (1, 16, 24), (32, 4, 200), (64, 16, 1500), (8, 3, 40)] {
        let mut state = sets * 31 + ways;
        let mut tags = Tags::new(sets, ways);
        let mut lists = Lists { sets: vec![Vec::new(); sets as usize], ways: ways as usize };
        for step in 0..20_000u64 {
            let line = random(&mut state) % lines;
            let set = tags.set(line);
            match random(&mut state) % 100 {
                0..5 => {
                    tags.drop_line(set, line);
                    lists.drop_line(line);
                }
                5 if step % 50 == 0 => {
                    tags.clear();
                    lists.sets.iter_mut().for_each(Vec::clear);
                }
                _ => {
                    let (hit, old) = lists.use_line(line);
                    let found = tags.look(set, line, true);
                    assert_eq!(found.is_some(), hit, "step {step}, line {line}");
                    match found {
                        Some(place) => assert!(place.ready < step),
                        None => assert_eq!(tags.fill(set, line, step, true).1, old, "step {step}, line {line}"),
                    }
                }
            }
            let mut here: Vec<u64> = lists.sets.concat();
            if step % 1000 == 0 {
                let mut ours: Vec<u64> = tags.iter().map(|(_, l)| l).collect();
                here.sort_unstable();
                ours.sort_unstable();
                assert_eq!(ours, here, "step {step}");
            }
        }
    }
}

#[test]
fn an_epoch_may_run_out() {
    let mut tags = Tags::new(1, 2);
    for round in 0..=LAST_EPOCH + 2 {
        assert!(tags.look(0, 7, true).is_none(), "round {round}");
        tags.fill(0, 7, round, true);
        assert!(tags.look(0, 7, true).is_some());
        tags.clear();
    }
}

#[test]
fn what_is_not_kept_goes_first() {
    let mut tags = Tags::new(1, 2);
    tags.fill(0, 1, 0, true);
    tags.fill(0, 2, 0, false);
    assert_eq!(tags.fill(0, 3, 0, true).1, Some(2));
    assert_eq!(tags.fill(0, 4, 0, true).1, Some(1));
    let mut tags = Tags::new(1, 3);
    tags.fill(0, 1, 0, false);
    tags.fill(0, 2, 0, true);
    tags.fill(0, 3, 0, false);
    assert_eq!(tags.fill(0, 4, 0, false).1, Some(1));
    assert_eq!(tags.fill(0, 5, 0, false).1, Some(3));
}
