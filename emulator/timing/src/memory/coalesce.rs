//! The address unit: lines that 32 lanes ask for.
//!
//! Lanes that touch consecutive bytes, or all the same, are seen at a glance. Otherwise lanes are taken in order, each
//! compared with the line of the lane before it, then with all lines so far unless a filter of 64 bits says it is new.

use super::access::VectorAccess;

/// Lines of one pass, in the order in which lanes first ask for them, and which bytes of each.
pub(super) struct Lines {
    count: usize,
    lines: [u64; MOST],
    bytes: [u128; MOST],
    /// A bit for each line number modulo 64 that is among them.
    seen: u64,
    shift: u32,
}

/// 32 lanes of at most [`LANE_BYTES`] bytes, each on two lines, and so for each of [`CORNERS`] texels.
const MOST: usize = 32 * 2 * CORNERS;
/// Texels of a lane that are looked at: two levels of four.
pub(super) const CORNERS: usize = 8;
const LANE_BYTES: u32 = 32;

impl Lines {
    /// For lines of 2^`shift` bytes, from 32 to 128.
    pub(super) const fn new(shift: u32) -> Lines {
        Lines { count: 0, lines: [0; MOST], bytes: [0; MOST], seen: 0, shift }
    }

    pub(super) fn clear(&mut self) {
        (self.count, self.seen) = (0, 0);
    }

    /// Adds the lines that the lanes of `mask` touch with `bytes` bytes from their addresses; at most [`CORNERS`] times.
    pub(super) fn add(&mut self, at: &[u64; 32], mask: u32, bytes: u32) {
        if mask == 0 {
            return;
        }
        let bytes = bytes.clamp(1, LANE_BYTES);
        let first = mask.trailing_zeros();
        let base = at[first as usize];
        // The first texels of active lanes without a gap.
        if self.count == 0 && mask >> first & (mask >> first).wrapping_add(1) == 0 {
            let active = |lane: usize| u64::from(mask >> lane & 1);
            let step = |lane: usize| (lane as u64).wrapping_sub(u64::from(first)).wrapping_mul(u64::from(bytes));
            let differs = |from: u64, lane: usize| (at[lane] ^ from) & active(lane).wrapping_neg();
            if (0..32).fold(0, |d, lane| d | differs(base.wrapping_add(step(lane)), lane)) == 0 {
                return self.run(base, u64::from(bytes * mask.count_ones()));
            }
            if (0..32).fold(0, |d, lane| d | differs(base, lane)) == 0 {
                return self.run(base, u64::from(bytes));
            }
        }
        self.scatter(at, mask, bytes);
    }

    /// `left` consecutive bytes, at most 1024.
    fn run(&mut self, mut from: u64, mut left: u64) {
        let size = 1u64 << self.shift;
        while left > 0 {
            let offset = from & (size - 1);
            let here = left.min(size - offset);
            self.lines[self.count] = from >> self.shift;
            self.bytes[self.count] = u128::MAX >> (128 - here) << offset;
            self.seen |= 1 << (self.lines[self.count] & 63);
            self.count += 1;
            left -= here;
            from = from.wrapping_add(here);
        }
    }

    fn scatter(&mut self, at: &[u64; 32], mask: u32, bytes: u32) {
        let size = 1u64 << self.shift;
        let (mut last, mut last_index) = (u64::MAX, 0);
        let mut lanes = mask;
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let (mut from, mut left) = (at[lane], u64::from(bytes));
            while left > 0 {
                let (line, offset) = (from >> self.shift, from & (size - 1));
                let here = left.min(size - offset);
                if line != last {
                    let bit = 1u64 << (line & 63);
                    let known = match self.seen & bit != 0 {
                        true => self.lines[..self.count].iter().position(|l| *l == line),
                        false => None,
                    };
                    last_index = known.unwrap_or_else(|| {
                        self.lines[self.count] = line;
                        self.bytes[self.count] = 0;
                        self.count += 1;
                        self.count - 1
                    });
                    last = line;
                    self.seen |= bit;
                }
                self.bytes[last_index] |= u128::MAX >> (128 - here) << offset;
                left -= here;
                from = from.wrapping_add(here);
            }
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u128)> {
        self.lines[..self.count].iter().copied().zip(self.bytes[..self.count].iter().copied())
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }
}

/// Lanes of `access` whose first byte lies in `line` of 2^`shift` bytes, and the most of them on one dword.
pub(super) fn operations(access: &VectorAccess, line: u64, shift: u32) -> (u64, u64) {
    let mut on_dword = [0u8; 32];
    let (mut count, mut same) = (0, 0);
    for lane in (0..32).filter(|l| access.mask >> l & 1 != 0 && access.at[*l] >> shift == line) {
        let dword = &mut on_dword[(access.at[lane] >> 2 & 31) as usize];
        *dword += 1;
        count += 1;
        same = same.max(u64::from(*dword));
    }
    (count, same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Each byte on its own.
    fn plain(at: &[u64; 32], mask: u32, bytes: u32, shift: u32) -> BTreeMap<u64, u128> {
        let mut lines = BTreeMap::new();
        for lane in (0..32).filter(|l| mask >> l & 1 != 0) {
            for byte in 0..u64::from(bytes) {
                let address = at[lane].wrapping_add(byte);
                *lines.entry(address >> shift).or_default() |= 1 << (address & ((1 << shift) - 1));
            }
        }
        lines
    }

    #[test]
    fn lines_are_those_of_each_byte() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        };
        for case in 0..4000 {
            let bytes = [1, 2, 4, 8, 12, 16][case % 6];
            let (base, stride) = (random() % 1000, [0, u64::from(bytes), 4, 60, 128, 500][random() as usize % 6]);
            let spread = [1, 1, 1, 300, 1 << 20][random() as usize % 5];
            let at: [u64; 32] = std::array::from_fn(|lane| base + lane as u64 * stride + random() % spread);
            let mask = [u32::MAX, u32::MAX, random() as u32, 0xffff_0000, 0x3f8, 1 << (random() % 32), 0][case % 7];
            for shift in [5, 6, 7] {
                let mut lines = Lines::new(shift);
                lines.add(&at, mask, bytes);
                let mut all = plain(&at, mask, bytes, shift);
                assert_eq!(lines.iter().collect::<BTreeMap<_, _>>(), all, "{at:?} {mask:#x}");
                assert_eq!(lines.len(), all.len());
                // Another texel of each lane.
                let more = at.map(|a| a + 200);
                lines.add(&more, mask, bytes);
                plain(&more, mask, bytes, shift).into_iter().for_each(|(l, b)| *all.entry(l).or_default() |= b);
                assert_eq!(lines.iter().collect::<BTreeMap<_, _>>(), all, "{at:?} {mask:#x}");
                assert_eq!(lines.len(), all.len());
            }
        }
    }
}
