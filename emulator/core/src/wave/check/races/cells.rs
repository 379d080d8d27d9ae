//! Who accessed each word of a stretch of memory last, in columns: what a wave's lanes do to consecutive words is one pass over each
//! of them, without a branch in it.

use super::now::Now;

/// Lanes of an invocation's number; the upper half is for accesses that are of no certain lane.
pub(super) const LANE: u32 = 128;
/// The lane of what all lanes access at once.
pub(super) const ALL: u32 = 64;
/// Waves of a work-group that have numbers; work-groups with more are not looked at.
pub(super) const WAVES: usize = 1 << 9;
/// Instructions that have numbers.
pub(super) const SITES: usize = 1 << 15;

/// An access that was.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Number of the work-group, which is at least 1; 0: there was none.
    pub group: u32,
    pub time: u32,
    pub by: By,
}

/// Who an access was by: an instruction (above), of an invocation (the lower half), and whether it is an atomic.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(super) struct By(u32);

impl By {
    const ATOMIC: u32 = 1 << 31;

    pub fn new(site: usize, wave: u32, lane: u32, atomic: bool) -> By {
        By((site as u32) << 16 | (wave * LANE + lane) & 0xffff | if atomic { By::ATOMIC } else { 0 })
    }

    #[inline(always)]
    pub fn site(self) -> usize {
        (self.0 >> 16) as usize % SITES
    }

    #[inline(always)]
    pub fn wave(self) -> u32 {
        (self.0 & 0xffff) / LANE
    }

    /// [`ALL`]: of no certain one.
    #[inline(always)]
    pub fn lane(self) -> u32 {
        self.0 % LANE
    }

    #[inline(always)]
    pub fn is_atomic(self) -> bool {
        self.0 & By::ATOMIC != 0
    }

    /// The same by a lane so much higher.
    #[inline(always)]
    pub fn plus(self, lanes: u32) -> By {
        By(self.0 + lanes)
    }

    /// Whether it is the same invocation.
    #[inline(always)]
    pub fn is(self, other: By) -> bool {
        (self.0 ^ other.0) & 0xffff == 0
    }
}

/// Accesses of a wave's lanes to as many words each, none of which two of them access.
pub(super) struct Lanes<'a, const WORDS: usize> {
    /// Who each is by.
    pub by: &'a [By],
    /// The cell of each one's first word.
    pub place: Span<'a>,
}

#[derive(Clone, Copy)]
pub(super) enum Span<'a> {
    /// They are behind each other without a gap; the first of all.
    Row(usize),
    Spread(&'a [u32]),
}

impl<const WORDS: usize> Lanes<'_, WORDS> {
    /// Cells in all.
    #[inline(always)]
    fn count(&self) -> usize {
        self.by.len() * WORDS
    }

    /// The first cell of a lane.
    #[inline(always)]
    fn first(&self, lane: usize) -> usize {
        match self.place {
            Span::Row(from) => from + lane * WORDS,
            Span::Spread(cells) => cells[lane] as usize,
        }
    }
}

/// `body` for each `i` of 0..count, eight at a time as far as that goes, so that short rows are vectors too. No function of a closure, which
/// would not have its caller's target features.
macro_rules! in_eights {
    ($count:expr, $i:ident, $body:block) => {{
        let (count, whole) = ($count, $count / 8 * 8);
        for from in (0..whole).step_by(8) {
            for $i in from..from + 8 {
                $body
            }
        }
        for $i in whole..count {
            $body
        }
    }};
}

/// As Vec::resize with zeros; what is new has no memory until it is written to, where nothing was before.
fn extend(values: &mut Vec<u32>, len: usize) {
    if values.is_empty() {
        *values = vec![0; len];
    } else {
        values.resize(len, 0);
    }
}

/// A mark of each cell; none if no cell ever had one.
#[derive(Default)]
struct Column {
    group: Vec<u32>,
    time: Vec<u32>,
    by: Vec<u32>,
}

impl Column {
    #[inline(always)]
    fn get(&self, at: usize) -> Mark {
        match self.group.get(at) {
            Some(group) => Mark { group: *group, time: self.time[at], by: By(self.by[at]) },
            None => Mark::default(),
        }
    }

    #[inline(always)]
    fn set(&mut self, at: usize, mark: Mark, cells: usize) {
        self.reach(cells);
        (self.group[at], self.time[at], self.by[at]) = (mark.group, mark.time, mark.by.0);
    }

    #[inline(always)]
    fn reach(&mut self, cells: usize) {
        if self.group.len() < cells {
            self.grow(cells);
        }
    }

    #[cold]
    fn grow(&mut self, cells: usize) {
        for values in [&mut self.group, &mut self.time, &mut self.by] {
            extend(values, cells);
        }
    }

    #[inline(always)]
    fn forget(&mut self, at: usize) {
        if let Some(group) = self.group.get_mut(at) {
            *group = 0;
        }
    }

    #[inline(always)]
    fn clear<const WORDS: usize>(&mut self, lanes: &Lanes<'_, WORDS>) {
        match lanes.place {
            _ if self.group.is_empty() => {}
            Span::Row(from) => self.group[from..from + lanes.count()].fill(0),
            Span::Spread(_) => {
                for lane in 0..lanes.by.len() {
                    let first = lanes.first(lane);
                    self.group[first..first + WORDS].fill(0);
                }
            }
        }
    }

    /// Whether all that was in these cells comes before what the lanes do there now.
    #[inline(always)]
    fn is_behind<const WORDS: usize>(&self, lanes: &Lanes<'_, WORDS>, now: &Now<'_>) -> bool {
        if self.group.is_empty() {
            return true;
        }
        let mut all = true;
        match lanes.place {
            Span::Row(from) => {
                let cells = from..from + lanes.count();
                let (group, time, others) =
                    (&self.group[cells.clone()], &self.time[cells.clone()], &self.by[cells.clone()]);
                in_eights!(cells.len(), i, {
                    all &= now.surely_behind(group[i], time[i], By(others[i]), lanes.by[i / WORDS]);
                });
            }
            Span::Spread(_) => {
                for lane in 0..lanes.by.len() {
                    let first = lanes.first(lane);
                    for at in first..first + WORDS {
                        let (group, time, other) = (self.group[at], self.time[at], By(self.by[at]));
                        all &= now.surely_behind(group, time, other, lanes.by[lane]);
                    }
                }
            }
        }
        all
    }

    #[inline(always)]
    fn fill<const WORDS: usize>(&mut self, lanes: &Lanes<'_, WORDS>, me: Mark) {
        match lanes.place {
            Span::Row(from) => {
                let cells = from..from + lanes.count();
                self.group[cells.clone()].fill(me.group);
                self.time[cells.clone()].fill(me.time);
                let by = &mut self.by[cells];
                for i in 0..lanes.count() {
                    by[i] = lanes.by[i / WORDS].0;
                }
            }
            Span::Spread(_) => {
                for lane in 0..lanes.by.len() {
                    let first = lanes.first(lane);
                    for at in first..first + WORDS {
                        (self.group[at], self.time[at], self.by[at]) = (me.group, me.time, lanes.by[lane].0);
                    }
                }
            }
        }
    }

    /// Each byte of a cell becomes one.
    fn split(&mut self) {
        for values in [&mut self.group, &mut self.time, &mut self.by] {
            *values = values.iter().flat_map(|value| [*value; 4]).collect();
        }
    }
}

/// Cells for a stretch of memory: one for each word, or for each byte where smaller accesses were.
#[derive(Default)]
pub(super) struct Cells {
    /// The last plain write, and what it wrote.
    write: Column,
    written: Vec<u32>,
    /// Two reads, and two atomic writes, in no order with each other: whatever a third one races with, races with one of them.
    reads: [Column; 2],
    atomics: [Column; 2],
    len: usize,
    by_bytes: bool,
}

/// Notes an access beside others that it is in no order with.
#[inline(always)]
fn keep([one, two]: &mut [Column; 2], at: usize, now: &Now<'_>, cells: usize) {
    let (first, second, plain) = (one.get(at), two.get(at), !now.me.by.is_atomic());
    if now.behind(first) {
        one.set(at, now.me, cells);
    } else if now.behind(second)
        || first.group == second.group && first.group != now.me.group
        || plain && second.by.is_atomic()
    {
        two.set(at, now.me, cells);
    }
}

impl Cells {
    /// Whether there is a cell for each word.
    pub fn is_by_words(&self) -> bool {
        !self.by_bytes
    }

    /// Of `bytes`.
    pub fn of(bytes: u64) -> Cells {
        Cells { len: bytes as usize / 4, ..Cells::default() }
    }

    fn read(&mut self, at: usize, now: &Now<'_>) -> Option<Mark> {
        let plain = !now.me.by.is_atomic();
        let mut race = now.race(self.write.get(at));
        for column in &self.atomics {
            race = race.or_else(|| now.race(column.get(at)).filter(|_| plain));
        }
        keep(&mut self.reads, at, now, self.len);
        race
    }

    fn write(&mut self, at: usize, value: u32, now: &Now<'_>) -> Option<Mark> {
        // Of two equal values it does not matter which comes last.
        self.reach_written();
        let mut race = now.race(self.write.get(at)).filter(|_| self.written[at] != value);
        for column in self.reads.iter().chain(&self.atomics) {
            race = race.or_else(|| now.race(column.get(at)));
        }
        self.write.set(at, now.me, self.len);
        self.written[at] = value;
        self.reads.iter_mut().chain(&mut self.atomics).for_each(|column| column.forget(at));
        race
    }

    /// What is ordered with it need not be with the next atomic, so it takes nobody's place but other atomics'.
    fn atomic_write(&mut self, at: usize, now: &Now<'_>) -> Option<Mark> {
        let mut race = now.race(self.write.get(at));
        for column in &self.reads {
            race = race.or_else(|| now.race(column.get(at)).filter(|m| !m.by.is_atomic()));
        }
        keep(&mut self.atomics, at, now, self.len);
        race
    }

    #[inline(always)]
    fn access(&mut self, at: usize, value: impl FnOnce() -> u32, now: &Now<'_>) -> Option<Mark> {
        match (now.writes, now.me.by.is_atomic()) {
            (false, _) => self.read(at, now),
            (true, false) => self.write(at, value(), now),
            (true, true) => self.atomic_write(at, now),
        }
    }

    /// As many as `bytes` need.
    #[inline(always)]
    fn reach(&mut self, bytes: u64) {
        let cells = if self.by_bytes { bytes as usize } else { (bytes as usize).div_ceil(4) };
        if cells > self.len {
            self.grow(cells);
        }
    }

    #[cold]
    fn grow(&mut self, cells: usize) {
        self.len = cells;
        let columns = self.reads.iter_mut().chain(&mut self.atomics).chain([&mut self.write]);
        columns.filter(|column| !column.group.is_empty()).for_each(|column| column.grow(cells));
    }

    #[inline(always)]
    fn reach_written(&mut self) {
        if self.written.len() < self.len {
            extend(&mut self.written, self.len);
        }
    }

    #[cold]
    fn split(&mut self) {
        self.write.split();
        self.reads.iter_mut().chain(&mut self.atomics).for_each(Column::split);
        self.written = self.written.iter().flat_map(|word| word.to_le_bytes().map(u32::from)).collect();
        self.len *= 4;
        self.by_bytes = true;
    }

    /// An access of `bytes` at the offset `at`; where it races, and with what.
    pub fn one(&mut self, at: u64, bytes: u64, value: impl Fn(u64) -> u32, now: &Now<'_>) -> Option<(u64, Mark)> {
        let words = (at | bytes).is_multiple_of(4);
        if !words && !self.by_bytes {
            self.split();
        }
        self.reach(at + bytes);
        let mut race = None;
        if !self.by_bytes {
            for n in 0..bytes / 4 {
                let other = self.access((at / 4 + n) as usize, || value(n), now);
                race = race.or(other.map(|o| (at + 4 * n, o)));
            }
            return race;
        }
        for n in 0..bytes {
            let other = self.access((at + n) as usize, || value(n / 4) >> (n as u32 % 4 * 8) & 255, now);
            race = race.or(other.map(|o| (at + n, o)));
        }
        race
    }

    /// Plain accesses to words, the last of which ends at the offset `end`, that race with nothing; `value` has what a lane writes
    /// to one of its words. `false`: they may race, and nothing was noted.
    #[inline(always)]
    pub fn all<const WORDS: usize>(
        &mut self,
        lanes: &Lanes<'_, WORDS>,
        end: u64,
        value: impl Fn(usize, usize) -> u32,
        now: &Now<'_>,
    ) -> bool {
        if self.by_bytes {
            return false;
        }
        self.reach(end);
        let [a, b] = &self.atomics;
        if !self.write.is_behind(lanes, now) || !a.is_behind(lanes, now) || !b.is_behind(lanes, now) {
            return false;
        }
        if !now.writes {
            self.keep_all(lanes, now);
            return true;
        }
        let [a, b] = &self.reads;
        if !a.is_behind(lanes, now) || !b.is_behind(lanes, now) {
            return false;
        }
        self.reach_written();
        self.write.reach(self.len);
        self.write.fill(lanes, now.me);
        for n in 0..lanes.by.len() {
            for word in 0..WORDS {
                self.written[lanes.first(n) + word] = value(n, word);
            }
        }
        for column in self.reads.iter_mut().chain(&mut self.atomics) {
            column.clear(lanes);
        }
        true
    }

    /// As [`Cells::all`], of the same words read by one lane.
    #[inline(always)]
    pub fn read_words(&mut self, first: usize, words: usize, now: &Now<'_>) -> bool {
        if self.by_bytes {
            return false;
        }
        self.reach(4 * (first + words) as u64);
        let [a, b] = &self.atomics;
        let behind = |at: usize| now.behind(self.write.get(at)) && now.behind(a.get(at)) && now.behind(b.get(at));
        if !(first..first + words).all(behind) {
            return false;
        }
        (first..first + words).for_each(|at| keep(&mut self.reads, at, now, self.len));
        true
    }

    /// As [`keep`], of plain reads that nothing has come to from other work-groups.
    #[inline(always)]
    fn keep_all<const WORDS: usize>(&mut self, lanes: &Lanes<'_, WORDS>, now: &Now<'_>) {
        let Span::Row(from) = lanes.place else {
            for lane in 0..lanes.by.len() {
                let first = lanes.first(lane);
                for at in first..first + WORDS {
                    keep(&mut self.reads, at, &now.of(lanes.by[lane]), self.len);
                }
            }
            return;
        };
        let (me, [one, two]) = (now.me, &mut self.reads);
        let (count, cells) = (lanes.count(), from..from + lanes.count());
        one.reach(self.len);
        let (group, time, others) =
            (&mut one.group[cells.clone()], &mut one.time[cells.clone()], &mut one.by[cells.clone()]);
        let mut left = false;
        in_eights!(count, i, {
            let by = lanes.by[i / WORDS];
            let free = now.surely_behind(group[i], time[i], By(others[i]), by);
            left |= !free;
            group[i] = if free { me.group } else { group[i] };
            time[i] = if free { me.time } else { time[i] };
            others[i] = if free { by.0 } else { others[i] };
        });
        if !left {
            return;
        }
        two.reach(self.len);
        let first = (&*group, &*time, &*others);
        let (group, time, others) =
            (&mut two.group[cells.clone()], &mut two.time[cells.clone()], &mut two.by[cells.clone()]);
        in_eights!(count, i, {
            let by = lanes.by[i / WORDS];
            let taken = (first.0[i] == me.group) & (first.1[i] == me.time) & (first.2[i] == by.0);
            let free = now.surely_behind(group[i], time[i], By(others[i]), by)
                | (first.0[i] == group[i]) & (group[i] != me.group)
                | By(others[i]).is_atomic();
            let free = free & !taken;
            group[i] = if free { me.group } else { group[i] };
            time[i] = if free { me.time } else { time[i] };
            others[i] = if free { by.0 } else { others[i] };
        });
    }
}
