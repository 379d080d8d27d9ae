//! The address unit: lines that 32 lanes ask for.
//!
//! Lanes that touch consecutive bytes, or all the same, are seen at a glance. Otherwise lanes are taken in order, each
//! compared with the line of the lane before it, then with all lines so far unless a filter of 64 bits says it is new.

use super::access::VectorAccess;

/// Lines of one pass, in the order in which lanes first ask for them, and which bytes of each.
pub struct Lines {
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
    pub const fn new(shift: u32) -> Lines {
        Lines { count: 0, lines: [0; MOST], bytes: [0; MOST], seen: 0, shift }
    }

    pub(super) fn clear(&mut self) {
        (self.count, self.seen) = (0, 0);
    }

    /// Adds the lines that the lanes of `mask` touch with `bytes` bytes from their addresses; at most [`CORNERS`] times.
    pub fn add(&mut self, at: &[u64; 32], mask: u32, bytes: u32) {
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

    pub fn iter(&self) -> impl Iterator<Item = (u64, u128)> {
        self.lines[..self.count].iter().copied().zip(self.bytes[..self.count].iter().copied())
    }

    pub fn count(&self) -> usize {
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
