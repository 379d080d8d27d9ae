//! Tags of a set-associative cache with least-recently-used replacement.
//!
//! A line is there from the moment its miss starts; `ready` says when its data arrives. So a second miss of the same line
//! finds it and waits for the same data, which is what miss-status registers do. A tag is the line's number under the
//! cache's epoch, so that to forget everything is to begin another epoch.

/// Bits of a line's number; the epoch is above. Addresses have 48 bits, lines at least 64 bytes.
const LINE_BITS: u32 = 48;
const LAST_EPOCH: u64 = (1 << (64 - LINE_BITS)) - 1;
/// No line's tag: epochs begin at 1.
const NONE: u64 = 0;
/// Set in the last use of lines that are kept: the others go first, the oldest of them before all.
const KEPT: u64 = 1 << 63;

#[derive(Clone)]
pub(super) struct Tags {
    ways: usize,
    /// Sets less one; sets are a power of two.
    set_mask: u64,
    epoch: u64,
    tags: Box<[u64]>,
    times: Box<[Times]>,
    /// Uses of the cache so far.
    uses: u64,
}

#[derive(Clone, Copy, Default)]
struct Times {
    /// Which use of the cache was this way's last, and [`KEPT`].
    used: u64,
    ready: u64,
}

/// A line found in a cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct CachedLine {
    /// Index among all ways of all sets.
    pub index: usize,
    /// When its data is there.
    pub ready: u64,
}

impl Tags {
    /// `sets`, a power of two, of `ways` each.
    pub(super) fn new(sets: u64, ways: u64) -> Tags {
        debug_assert!(sets.is_power_of_two());
        let all = (sets * ways) as usize;
        Tags {
            ways: ways as usize,
            set_mask: sets - 1,
            epoch: 1,
            tags: vec![NONE; all].into(),
            times: vec![Times::default(); all].into(),
            uses: 0,
        }
    }

    /// The set in which a line lies if sets take turns.
    pub(super) fn set(&self, line: u64) -> usize {
        (line & self.set_mask) as usize
    }

    fn tag(&self, line: u64) -> u64 {
        self.epoch << LINE_BITS | line & ((1 << LINE_BITS) - 1)
    }

    fn find(&self, set: usize, line: u64) -> Option<usize> {
        let (tag, first) = (self.tag(line), set * self.ways);
        let ways = &self.tags[first..first + self.ways];
        // No early end: the comparisons are done side by side.
        let way = ways.iter().enumerate().fold(usize::MAX, |found, (way, t)| if *t == tag { way } else { found });
        (way != usize::MAX).then(|| first + way)
    }

    /// Finds `line` in `set`; with `keep` it becomes the most recently used.
    pub(super) fn look(&mut self, set: usize, line: u64, keep: bool) -> Option<CachedLine> {
        let index = self.find(set, line)?;
        let times = &mut self.times[index];
        if keep {
            self.uses += 1;
            times.used = KEPT | self.uses;
        }
        Some(CachedLine { index, ready: times.ready })
    }

    /// Puts `line`, which is not there, in place of an empty way or the least recently used one. Gives its index, and
    /// the line that had to go. Without `keep` the line goes before those that are kept.
    pub(super) fn fill(&mut self, set: usize, line: u64, ready: u64, keep: bool) -> (usize, Option<u64>) {
        let (first, epoch) = (set * self.ways, self.epoch);
        let mut index = first;
        for way in first..first + self.ways {
            if self.tags[way] >> LINE_BITS != epoch {
                index = way;
                break;
            }
            if self.times[way].used < self.times[index].used {
                index = way;
            }
        }
        let tag = self.tag(line);
        let old = std::mem::replace(&mut self.tags[index], tag);
        self.uses += 1;
        self.times[index] = Times { used: if keep { KEPT } else { 0 } | self.uses, ready };
        (index, (old >> LINE_BITS == epoch).then_some(old & ((1 << LINE_BITS) - 1)))
    }

    pub(super) fn set_ready(&mut self, index: usize, ready: u64) {
        self.times[index].ready = ready;
    }

    /// Forgets `line`, if it is in `set`. Gives its index.
    pub(super) fn drop_line(&mut self, set: usize, line: u64) -> Option<usize> {
        let index = self.find(set, line)?;
        self.tags[index] = NONE;
        Some(index)
    }

    /// Forgets every line.
    pub(super) fn clear(&mut self) {
        if self.epoch == LAST_EPOCH {
            self.tags.fill(NONE);
            self.epoch = 0;
        }
        self.epoch += 1;
    }

    /// Lines that are there, with their indices.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, u64)> {
        let here = |tag: u64| tag >> LINE_BITS == self.epoch;
        self.tags.iter().enumerate().filter(move |(_, t)| here(**t)).map(|(i, t)| (i, *t & ((1 << LINE_BITS) - 1)))
    }
}

/// All bytes of a line.
pub(super) fn line_mask(line: u64) -> u128 {
    if line >= 128 { u128::MAX } else { (1 << line) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
