//! A wave's plain accesses all at once. Lanes that follow each other in memory, read the same, or are in rising order, are told by
//! comparisons of all addresses, which the host does many at a time.

use super::cells::{ALL, By, Cells, Lanes, Span};
use super::now::Now;
use crate::wave::table::{Level, tables};

/// How addresses become offsets into cells.
#[derive(Clone, Copy)]
pub(super) struct Where {
    pub add: u64,
    pub keep: u64,
    /// Behind the last byte that may be accessed.
    pub end: u64,
}

/// What a wave's lanes write, word by word.
pub(super) type Values = [[u32; 64]; 4];

const LANES: [u8; 64] = {
    let mut lanes = [0; 64];
    let mut i = 0;
    while i < 64 {
        lanes[i] = i as u8;
        i += 1;
    }
    lanes
};

/// What the live lanes of a wave access, and who they are.
struct Asks {
    count: usize,
    /// Offsets.
    at: [u64; 64],
    by: [By; 64],
    lane: [u8; 64],
}

impl Asks {
    /// Of the lanes of `mask`, at `addresses` plus `delta`; `by` is of lane 0.
    #[inline(always)]
    fn new(mask: u64, addresses: &[u64; 64], by: By, place: Where) -> Asks {
        let count = mask.count_ones() as usize;
        let mut out = Asks { count, at: [0; 64], by: [by; 64], lane: LANES };
        let each = u32::from(by.lane() != ALL);
        for i in 0..64 {
            out.at[i] = addresses[i].wrapping_add(place.add) & place.keep;
            out.by[i] = by.plus(i as u32 * each);
        }
        if mask & mask.wrapping_add(1) != 0 {
            let mut left = mask;
            for n in 0..out.count {
                let lane = left.trailing_zeros() as usize;
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
        for i in 1..64 {
            all &= (self.at[i] == self.at[i - 1].wrapping_add(step)) | (i & (period - 1) == 0) | (i >= self.count);
        }
        all
    }

    #[inline(always)]
    fn rise(&self, step: u64) -> bool {
        let mut all = true;
        for i in 1..64 {
            all &= (self.at[i] >= self.at[i - 1].wrapping_add(step)) | (i >= self.count);
        }
        all
    }

    /// Whether all are words, the last of them at `last` or before it.
    #[inline(always)]
    fn fit(&self, last: u64) -> bool {
        let (mut bits, mut most) = (0, 0);
        for i in 0..64 {
            let at = if i < self.count { self.at[i] } else { 0 };
            bits |= at;
            most = most.max(at);
        }
        bits % 4 == 0 && most <= last
    }
}

/// As [`note`], of so many words a lane.
#[inline(always)]
fn note_words<const WORDS: usize>(cells: &mut Cells, asks: &Asks, values: &Values, now: &Now<'_>, end: u64) -> bool {
    let (step, count) = (4 * WORDS as u64, asks.count);
    if end < step || !asks.fit(end - step) {
        return false;
    }
    for period in [64, 32, 16, 8] {
        // Two reads stand for all that are like them, as in a cell.
        let alike = !now.writes && asks.step(0, period);
        if !alike && !asks.step(step, period) {
            continue;
        }
        let mut from = 0;
        while from < count {
            let next = count.min(from + period);
            let good = if alike {
                note_row::<WORDS>(cells, asks, from, from + 1, values, now)
                    && (next == from + 1 || note_row::<WORDS>(cells, asks, from + 1, from + 2, values, now))
            } else {
                note_row::<WORDS>(cells, asks, from, next, values, now)
            };
            if !good {
                return false;
            }
            from = next;
        }
        return true;
    }
    if !asks.rise(step) {
        return false;
    }
    let mut spread = [0; 64];
    for i in 0..64 {
        spread[i] = (asks.at[i] / 4) as u32;
    }
    let lanes: Lanes<'_, WORDS> = Lanes { by: &asks.by[..count], place: Span::Spread(&spread[..count]) };
    let value = |n: usize, word: usize| values[word % 4][usize::from(asks.lane[n]) % 64];
    cells.all(&lanes, asks.at[count - 1] + step, value, now)
}

/// Lanes that follow each other.
#[inline(always)]
fn note_row<const WORDS: usize>(
    cells: &mut Cells,
    asks: &Asks,
    from: usize,
    to: usize,
    values: &Values,
    now: &Now<'_>,
) -> bool {
    let lanes: Lanes<'_, WORDS> = Lanes { by: &asks.by[from..to], place: Span::Row(asks.at[from] as usize / 4) };
    let value = |n: usize, word: usize| values[word % 4][usize::from(asks.lane[from + n]) % 64];
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
    let asks = Asks::new(access.mask, access.addresses, now.me.by, place);
    match access.words {
        1 => note_words::<1>(cells, &asks, values, now, place.end),
        2 => note_words::<2>(cells, &asks, values, now, place.end),
        3 => note_words::<3>(cells, &asks, values, now, place.end),
        4 => note_words::<4>(cells, &asks, values, now, place.end),
        8 if !now.writes => note_words::<8>(cells, &asks, values, now, place.end),
        16 if !now.writes => note_words::<16>(cells, &asks, values, now, place.end),
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
crate::wave::table::variants!(variant);

/// Notes plain accesses, if they are of a shape that is known, to whole words that may be accessed, and race with nothing; nothing
/// has come to the wave through atomics. `false`: they are to be looked at one by one, for some of them the second time.
pub(super) fn note(cells: &mut Cells, access: &Access<'_>, place: Where, values: &Values, now: &Now<'_>) -> bool {
    // SAFETY: the level is what was found of this host.
    unsafe {
        match tables().level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => avx2::note(cells, access, place, values, now),
            #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
            Level::Avx512 => avx512::note(cells, access, place, values, now),
            Level::Baseline => baseline::note(cells, access, place, values, now),
        }
    }
}
