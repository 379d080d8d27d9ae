//! The address unit: lines that 32 lanes ask for.

use super::access::VectorAccess;

/// Lines of one pass, in the order in which lanes first ask for them, and which bytes of each.
pub(super) struct Lines {
    count: usize,
    lines: [u64; MOST],
    bytes: [u128; MOST],
}

/// 32 lanes of up to 16 bytes, each on two lines; texture footprints are coalesced a corner at a time.
const MOST: usize = 64;

impl Lines {
    pub(super) const fn new() -> Lines {
        Lines { count: 0, lines: [0; MOST], bytes: [0; MOST] }
    }

    /// The lines of 2^`shift` bytes, at most 128, that the lanes of `mask` touch with `bytes` bytes from their addresses.
    pub(super) fn collect(&mut self, at: &[u64; 32], mask: u32, bytes: u32, shift: u32) {
        self.count = 0;
        // A bit for each line number modulo 64 that was seen: most new lines are known to be new at once.
        let mut seen = 0u64;
        let size = 1u64 << shift;
        let (mut last, mut last_index) = (u64::MAX, 0);
        let mut lanes = mask;
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let (mut from, mut left) = (at[lane], u64::from(bytes.clamp(1, 64)));
            while left > 0 {
                let (line, offset) = (from >> shift, from & (size - 1));
                let here = left.min(size - offset);
                if line != last {
                    let bit = 1u64 << (line & 63);
                    let known =
                        if seen & bit != 0 { self.lines[..self.count].iter().position(|l| *l == line) } else { None };
                    last_index = known.unwrap_or_else(|| {
                        self.lines[self.count] = line;
                        self.bytes[self.count] = 0;
                        self.count += 1;
                        self.count - 1
                    });
                    (last, seen) = (line, seen | bit);
                }
                // `here` is at most 64.
                self.bytes[last_index] |= ((1u128 << here) - 1) << offset;
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

/// Lanes of `access` whose first byte lies in `line`, and the most of them on one dword.
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
