//! Tags of a set-associative cache with least-recently-used replacement.
//!
//! A line is there from the moment its miss starts; `ready` says when its data arrives. So a second miss of the same line
//! finds it and waits for the same data, which is what miss-status registers do. A tag is the line's number under the
//! cache's epoch, so that to forget everything is to begin another epoch.

/// Bits of a line's number; the epoch is above. Addresses have 48 bits, lines at least 64 bytes.
const LINE_BITS: u32 = 48;
pub const LAST_EPOCH: u64 = (1 << (64 - LINE_BITS)) - 1;
/// No line's tag: epochs begin at 1.
const NONE: u64 = 0;
/// Set in the last use of lines that are kept: the others go first, the oldest of them before all.
const KEPT: u64 = 1 << 63;

#[derive(Clone)]
pub struct Tags {
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
pub struct CachedLine {
    /// Index among all ways of all sets.
    pub index: usize,
    /// When its data is there.
    pub ready: u64,
}

impl Tags {
    /// `sets`, a power of two, of `ways` each.
    pub fn new(sets: u64, ways: u64) -> Tags {
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
    pub fn set(&self, line: u64) -> usize {
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
    pub fn look(&mut self, set: usize, line: u64, keep: bool) -> Option<CachedLine> {
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
    pub fn fill(&mut self, set: usize, line: u64, ready: u64, keep: bool) -> (usize, Option<u64>) {
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
    pub fn drop_line(&mut self, set: usize, line: u64) -> Option<usize> {
        let index = self.find(set, line)?;
        self.tags[index] = NONE;
        Some(index)
    }

    /// Forgets every line.
    pub fn clear(&mut self) {
        if self.epoch == LAST_EPOCH {
            self.tags.fill(NONE);
            self.epoch = 0;
        }
        self.epoch += 1;
    }

    /// Lines that are there, with their indices.
    pub fn iter(&self) -> impl Iterator<Item = (usize, u64)> {
        let here = |tag: u64| tag >> LINE_BITS == self.epoch;
        self.tags.iter().enumerate().filter(move |(_, t)| here(**t)).map(|(i, t)| (i, *t & ((1 << LINE_BITS) - 1)))
    }
}

/// All bytes of a line.
pub(super) fn line_mask(line: u64) -> u128 {
    if line >= 128 { u128::MAX } else { (1 << line) - 1 }
}
