//! Lines that lanes touch, beside each byte on its own.

use std::collections::BTreeMap;
use wavepipe_timing::tested::Lines;

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
            assert_eq!(lines.count(), all.len());
            // Another texel of each lane.
            let more = at.map(|a| a + 200);
            lines.add(&more, mask, bytes);
            plain(&more, mask, bytes, shift).into_iter().for_each(|(l, b)| *all.entry(l).or_default() |= b);
            assert_eq!(lines.iter().collect::<BTreeMap<_, _>>(), all, "{at:?} {mask:#x}");
            assert_eq!(lines.count(), all.len());
        }
    }
}
