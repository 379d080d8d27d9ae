//! The random numbers of all tests here.

use crate::share::day;
use crate::split_mix::split_mix;

/// The state; any seed will do.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        split_mix(&mut self.0)
    }

    /// Below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 33) as usize % n
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for n in (1..items.len()).rev() {
            items.swap(n, self.below(n + 1));
        }
    }
}

/// Returns a test's seeds; `WAVEPIPE_SEEDS=FROM..TO` runs others.
pub fn seeds(first: u64, count: u64) -> std::ops::Range<u64> {
    let given = std::env::var("WAVEPIPE_SEEDS").ok();
    let range = given.and_then(|s| s.split_once("..").map(|(a, b)| (a.parse().unwrap(), b.parse().unwrap())));
    let (from, to) = range.unwrap_or((first, first + count));
    from..to
}

/// As [`seeds`], of which a day's gate takes one half.
pub fn seeds_due(first: u64, count: u64) -> std::ops::Range<u64> {
    match day() {
        None => seeds(first, count),
        Some(day) => seeds(first + count / 2 * (day % 2) as u64, count / 2),
    }
}
