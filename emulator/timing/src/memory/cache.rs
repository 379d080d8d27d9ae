//! Tags of a set-associative cache with least-recently-used replacement.
//!
//! A line is there from the moment its miss starts; `ready` says when its data arrives. So a second miss of the same line
//! finds it and waits for the same data, which is what miss-status registers do.

/// No line has this number.
const NONE: u64 = u64::MAX;

#[derive(Clone)]
pub(super) struct Tags {
    ways: usize,
    lines: Vec<u64>,
    /// When each way was last used, in uses of the cache.
    used: Vec<u64>,
    ready: Vec<u64>,
    uses: u64,
}

/// A line found or made in a cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Index among all ways of all sets.
    pub index: usize,
    /// When its data is there.
    pub ready: u64,
}

impl Tags {
    pub(super) fn new(sets: u64, ways: u64) -> Tags {
        let (sets, ways) = (sets.max(1) as usize, ways.max(1) as usize);
        let all = sets * ways;
        Tags { ways, lines: vec![NONE; all], used: vec![0; all], ready: vec![0; all], uses: 0 }
    }

    /// Finds `line` in `set` without using it.
    pub(super) fn find(&self, set: usize, line: u64) -> Option<Place> {
        let first = set * self.ways;
        let way = self.lines[first..first + self.ways].iter().position(|&l| l == line)?;
        Some(Place { index: first + way, ready: self.ready[first + way] })
    }

    /// Finds `line` in `set`; with `keep` it becomes the most recently used.
    pub(super) fn look(&mut self, set: usize, line: u64, keep: bool) -> Option<Place> {
        let place = self.find(set, line)?;
        if keep {
            self.uses += 1;
            self.used[place.index] = self.uses;
        }
        Some(place)
    }

    /// Puts `line`, which is not there, in place of an empty way or the least recently used one. Gives its index, and
    /// the line that had to go. Without `keep` the line is the next to go.
    pub(super) fn fill(&mut self, set: usize, line: u64, ready: u64, keep: bool) -> (usize, Option<u64>) {
        let first = set * self.ways;
        let mut index = first;
        for way in first..first + self.ways {
            if self.lines[way] == NONE {
                index = way;
                break;
            }
            if self.used[way] < self.used[index] {
                index = way;
            }
        }
        let old = std::mem::replace(&mut self.lines[index], line);
        self.ready[index] = ready;
        self.used[index] = 0;
        if keep {
            self.uses += 1;
            self.used[index] = self.uses;
        }
        (index, (old != NONE).then_some(old))
    }

    pub(super) fn set_ready(&mut self, index: usize, ready: u64) {
        self.ready[index] = ready;
    }

    /// Forgets `line`, if it is in `set`. Gives its index.
    pub(super) fn drop_line(&mut self, set: usize, line: u64) -> Option<usize> {
        let place = self.find(set, line)?;
        self.lines[place.index] = NONE;
        Some(place.index)
    }

    /// Forgets every line of the sets in `sets`.
    pub(super) fn clear(&mut self, sets: std::ops::Range<usize>) {
        self.lines[sets.start * self.ways..sets.end * self.ways].fill(NONE);
    }

    pub(super) fn sets(&self) -> usize {
        self.lines.len() / self.ways
    }

    /// Lines that are there, with their indices.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, u64)> {
        self.lines.iter().enumerate().filter(|(_, l)| **l != NONE).map(|(i, l)| (i, *l))
    }
}
