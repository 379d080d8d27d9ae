//! SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators"): the random numbers of all tests here.

/// The state; any seed will do.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
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

/// A test's seeds; `WAVEPIPE_SEEDS=FROM..TO` runs others.
pub fn seeds(first: u64, count: u64) -> std::ops::Range<u64> {
    let given = std::env::var("WAVEPIPE_SEEDS").ok();
    let range = given.and_then(|s| s.split_once("..").map(|(a, b)| (a.parse().unwrap(), b.parse().unwrap())));
    let (from, to) = range.unwrap_or((first, first + count));
    from..to
}
