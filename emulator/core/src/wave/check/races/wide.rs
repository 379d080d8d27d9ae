//! A wave's plain accesses all at once. Lanes that follow each other in memory, read the same, or are in rising order, are told by
//! comparisons of all addresses, which the host does many at a time.

use super::cells::{ALL, By, Cells, Lanes, Span};
use super::now::Now;

/// How addresses become offsets into cells.
#[derive(Clone, Copy)]
pub(super) struct Where {
    pub add: u64,
    pub keep: u64,
    /// Behind the last byte that may be accessed.
    pub end: u64,
}

/// What a wave's lanes write, word by word.
pub(super) struct Values(pub [[u32; 64]; 4]);

impl Default for Values {
    fn default() -> Self {
        Values([[0; 64]; 4])
    }
}

/// How the live lanes of a wave are spread over memory.
#[derive(Clone, Copy)]
enum Shape {
    /// So many side by side access the same, and the next as many, too. Writes are of no such shape.
    Alike(usize),
    /// So many side by side follow each other.
    Row(usize),
}

/// Those that are looked for.
const SHAPES: [Shape; 8] = {
    use Shape::{Alike, Row};
    [Alike(64), Row(64), Alike(32), Row(32), Alike(16), Row(16), Alike(8), Row(8)]
};

/// What the live lanes of a wave of at most `LANES` access, and who they are.
struct Asks<const LANES: usize> {
    count: usize,
    /// Offsets.
    at: [u64; LANES],
    by: [By; LANES],
    lane: [u8; LANES],
}

impl<const LANES: usize> Asks<LANES> {
    /// Of the lanes of `mask`, at `addresses` plus `delta`; `by` is of lane 0.
    #[inline(always)]
    fn new(mask: u64, addresses: &[u64; 64], by: By, place: Where) -> Self {
        let count = mask.count_ones() as usize;
        let each = u32::from(by.lane() != ALL);
        let mut out = Asks {
            count,
            at: std::array::from_fn(|i| addresses[i].wrapping_add(place.add) & place.keep),
            by: std::array::from_fn(|i| by.plus(i as u32 * each)),
            lane: std::array::from_fn(|i| i as u8),
        };
        if mask & mask.wrapping_add(1) != 0 {
            let mut left = mask;
            for n in 0..out.count.min(LANES) {
                let lane = left.trailing_zeros() as usize % LANES;
                left &= left - 1;
                (out.at[n], out.by[n], out.lane[n]) = (out.at[lane], out.by[lane], lane as u8);
            }
        }
        out
    }

    /// Whether each address, but for every `period`th, is `step` behind the one in front of it.
    #[inline(always)]
    fn step(&self, step: u64, period: usize) -> bool {
        let mut all = true;
        for i in 1..LANES {
            all &= (self.at[i] == self.at[i - 1].wrapping_add(step)) | (i & (period - 1) == 0) | (i >= self.count);
        }
        all
    }

    #[inline(always)]
    fn rise(&self, step: u64) -> bool {
        let mut all = true;
        for i in 1..LANES {
            all &= (self.at[i] >= self.at[i - 1].wrapping_add(step)) | (i >= self.count);
        }
        all
    }

    /// The greatest offset, if all are words.
    #[inline(always)]
    fn last(&self) -> Option<u64> {
        let (mut bits, mut most) = (0, 0);
        for i in 0..LANES {
            let at = if i < self.count { self.at[i] } else { 0 };
            bits |= at;
            most = most.max(at);
        }
        (bits % 4 == 0).then_some(most)
    }

    /// Returns the first shape that accesses of `step` bytes have.
    #[inline(always)]
    fn shape(&self, step: u64, writes: bool) -> Option<Shape> {
        // No closure, which would not have the target features of the function that it is in.
        #[allow(clippy::manual_find)]
        for shape in SHAPES {
            if self.has(shape, step, writes) {
                return Some(shape);
            }
        }
        None
    }

    /// Returns true if accesses of `step` bytes are of a shape.
    #[inline(always)]
    fn has(&self, shape: Shape, step: u64, writes: bool) -> bool {
        let (period, step) = match shape {
            Shape::Alike(_) if writes => return false,
            Shape::Alike(period) => (period, 0),
            Shape::Row(period) => (period, step),
        };
        self.step(step, period)
    }
}

/// As [`note`], of so many words a lane.
#[inline(always)]
fn note_words<const WORDS: usize, const LANES: usize>(
    cells: &mut Cells,
    asks: &Asks<LANES>,
    values: &Values,
    now: &Now<'_>,
    end: u64,
) -> bool {
    let (step, count) = (4 * WORDS as u64, asks.count);
    let Some(most) = asks.last().filter(|most| *most + step <= end) else { return false };
    // One body for all shapes: for each of them it would be the most of this crate's checks.
    if let Some(shape) = asks.shape(step, now.writes) {
        let (period, alike) = match shape {
            Shape::Alike(period) => (period, true),
            Shape::Row(period) => (period, false),
        };
        let mut from = 0;
        while from < count {
            let to = count.min(from + period);
            let good = match alike {
                true => note_alike::<WORDS, LANES>(cells, asks, from, to, now),
                false => note_row::<WORDS, LANES>(cells, asks, from, to, values, now),
            };
            if !good {
                return false;
            }
            from = to;
        }
        return true;
    }
    if !asks.rise(step) {
        return false;
    }
    let spread: [u32; LANES] = std::array::from_fn(|i| (asks.at[i] / 4) as u32);
    let lanes: Lanes<'_, WORDS> = Lanes { by: &asks.by[..count], place: Span::Spread(&spread[..count]) };
    let value = |n: usize, word: usize| values.0[word % 4][usize::from(asks.lane[n]) % 64];
    cells.all(&lanes, most + step, value, now)
}

/// Lanes that read the same: two of them stand for all that are like them, as in a cell.
#[inline(always)]
fn note_alike<const WORDS: usize, const LANES: usize>(
    cells: &mut Cells,
    asks: &Asks<LANES>,
    from: usize,
    to: usize,
    now: &Now<'_>,
) -> bool {
    for n in from..to.min(from + 2) {
        if !cells.read_words(asks.at[from] as usize / 4, WORDS, &now.of(asks.by[n])) {
            return false;
        }
    }
    true
}

/// Lanes that follow each other.
#[inline(always)]
fn note_row<const WORDS: usize, const LANES: usize>(
    cells: &mut Cells,
    asks: &Asks<LANES>,
    from: usize,
    to: usize,
    values: &Values,
    now: &Now<'_>,
) -> bool {
    let lanes: Lanes<'_, WORDS> = Lanes { by: &asks.by[from..to], place: Span::Row(asks.at[from] as usize / 4) };
    let value = |n: usize, word: usize| values.0[word % 4][usize::from(asks.lane[from + n]) % 64];
    cells.all(&lanes, asks.at[to - 1] + 4 * WORDS as u64, value, now)
}

/// A wave's access: words of each lane, live lanes, addresses.
pub(super) struct Access<'a> {
    pub words: usize,
    pub mask: u64,
    pub addresses: &'a [u64; 64],
}

#[inline(always)]
fn note_any(cells: &mut Cells, access: &Access<'_>, place: Where, values: &Values, now: &Now<'_>) -> bool {
    match access.mask >> 32 {
        0 => note_wave::<32>(cells, access, place, values, now),
        _ => note_wave::<64>(cells, access, place, values, now),
    }
}

#[inline(always)]
fn note_wave<const LANES: usize>(
    cells: &mut Cells,
    access: &Access<'_>,
    place: Where,
    values: &Values,
    now: &Now<'_>,
) -> bool {
    let asks = Asks::<LANES>::new(access.mask, access.addresses, now.me.by, place);
    match access.words {
        1 => note_words::<1, LANES>(cells, &asks, values, now, place.end),
        2 => note_words::<2, LANES>(cells, &asks, values, now, place.end),
        3 => note_words::<3, LANES>(cells, &asks, values, now, place.end),
        4 => note_words::<4, LANES>(cells, &asks, values, now, place.end),
        8 if !now.writes => note_words::<8, LANES>(cells, &asks, values, now, place.end),
        16 if !now.writes => note_words::<16, LANES>(cells, &asks, values, now, place.end),
        _ => false,
    }
}

macro_rules! variant {
    ($name:ident $(, $features:literal)?) => {
        mod $name {
            use super::{Access, Cells, Now, Values, Where};
            $(#[target_feature(enable = $features)])?
            pub unsafe fn note(
                cells: &mut Cells,
                access: &Access<'_>,
                place: Where,
                values: &Values,
                now: &Now<'_>,
            ) -> bool {
                super::note_any(cells, access, place, values, now)
            }
        }
    };
}
wavepipe_lanes::variants!(variant);

/// Notes plain accesses, if they are of a shape that is known, to whole words that may be accessed, and race with nothing; nothing
/// has come to the wave through atomics. `false`: they are to be looked at one by one, for some of them the second time.
pub(super) fn note(cells: &mut Cells, access: &Access<'_>, place: Where, values: &Values, now: &Now<'_>) -> bool {
    crate::wave::table::call_by_host!(note(cells, access, place, values, now))
}
