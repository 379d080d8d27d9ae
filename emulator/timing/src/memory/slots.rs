//! Calendars of shared units.
//!
//! A unit that serves one request a period keeps a bit for each of the next [`WINDOW`] periods. A request takes the first free
//! bits from its arrival on, so requests may be booked out of order: one that a TLB miss delays does not hold up those
//! that arrive earlier. Times before the window count as taken; a request beyond it moves the window.

/// Periods that a calendar looks ahead.
const WINDOW: u64 = 4096;
const WORDS: usize = (WINDOW / 64) as usize;

/// Fraction bits of a period in cycles: it is exact to 0.1 %, and months of cycles fit.
const FRACTION: u32 = 10;

/// One unit's calendar.
#[derive(Clone)]
pub struct Slots {
    /// Cycles of a slot, times 2^FRACTION.
    period: u64,
    taken: Box<[u64; WORDS]>,
    /// First slot of the window; a multiple of 64.
    base: u64,
    /// Every slot before this one is taken.
    full: u64,
    /// Every `every` slots, the unit is busy for the first `busy` (refresh).
    every: u64,
    busy: u64,
}

impl Slots {
    /// A unit that serves one request in `period` cycles.
    pub fn new(period: f64) -> Slots {
        // Rounded up: a unit is never faster than said.
        let period = ((period * f64::from(1 << FRACTION)).ceil() as u64).max(1);
        Slots { period, taken: Box::new([0; WORDS]), base: 0, full: 0, every: 0, busy: 0 }
    }

    /// Makes the unit unavailable for the first `busy` of every `every` slots.
    pub fn with_breaks(mut self, every: u64, busy: u64) -> Slots {
        (self.every, self.busy) = (every, busy.min(every.saturating_sub(1)));
        for word in 0..WORDS as u64 {
            self.taken[word as usize] = self.breaks(word * 64);
        }
        self
    }

    /// Bits of the breaks among the 64 slots from `first`.
    fn breaks(&self, first: u64) -> u64 {
        if self.busy == 0 {
            return 0;
        }
        (0..64).filter(|i| (first + i) % self.every < self.busy).fold(0, |bits, i| bits | 1 << i)
    }

    fn slot(&self, cycle: u64) -> u64 {
        if self.period == 1 << FRACTION { cycle } else { (cycle << FRACTION).div_ceil(self.period) }
    }

    /// First cycle not before the slot's begin.
    fn cycle(&self, slot: u64) -> u64 {
        if self.period == 1 << FRACTION { slot } else { (slot * self.period).div_ceil(1 << FRACTION) }
    }

    /// Takes the first `count` free slots from cycle `at` on. Gives the cycles in which the first begins and the last ends.
    pub fn take(&mut self, at: u64, count: u32) -> (u64, u64) {
        let mut slot = self.slot(at).max(self.full);
        let mut first = None;
        for _ in 0..count.max(1) {
            slot = self.free_from(slot);
            first.get_or_insert(slot);
            self.taken[(slot / 64) as usize % WORDS] |= 1 << (slot % 64);
            if slot == self.full {
                self.full += 1;
            }
            slot += 1;
        }
        (self.cycle(first.unwrap_or(slot)), self.cycle(slot))
    }

    /// First free slot from `slot` on, inside of the window, which moves if it has to.
    fn free_from(&mut self, mut slot: u64) -> u64 {
        let from = slot;
        loop {
            if slot >= self.base + WINDOW {
                self.advance(slot);
            }
            let bits = !self.taken[(slot / 64) as usize % WORDS] >> (slot % 64);
            if bits != 0 {
                slot += u64::from(bits.trailing_zeros());
                break;
            }
            slot = (slot / 64 + 1) * 64;
        }
        // Nothing was free between the front of full slots and this one.
        if from == self.full {
            self.full = slot;
        }
        slot
    }

    /// Moves the window so that `slot` lies in its last quarter.
    fn advance(&mut self, slot: u64) {
        let base = (slot + WINDOW / 4).saturating_sub(WINDOW) / 64 * 64 + 64;
        let words = ((base - self.base) / 64).min(WORDS as u64);
        for word in 0..words {
            // The words that leave the window come back as its end.
            let first = base + WINDOW - (word + 1) * 64;
            self.taken[(first / 64) as usize % WORDS] = self.breaks(first);
        }
        self.base = base;
        self.full = self.full.max(base);
    }
}

/// A unit that holds at most so many requests at once, and lets them in in order.
#[derive(Clone)]
pub struct Window {
    done: Box<[u64]>,
    next: usize,
}

impl Window {
    pub fn new(entries: u64) -> Window {
        Window { done: vec![0; entries.max(1) as usize].into(), next: 0 }
    }

    /// When a request that arrives at `at` finds an entry.
    pub fn enter(&self, at: u64) -> u64 {
        at.max(self.done[self.next])
    }

    /// The request that entered keeps its entry until `done`.
    pub fn leave(&mut self, done: u64) {
        self.done[self.next] = done;
        self.next = if self.next + 1 == self.done.len() { 0 } else { self.next + 1 };
    }
}
