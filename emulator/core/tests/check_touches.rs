//! Which bytes a dispatch accesses.

use AccessKind::{Read, Write};
use wavepipe_core::tested::Touches;
use wavepipe_hw::finding::AccessKind;

fn spans(touches: &[(u64, u64, AccessKind, u64)]) -> Vec<(u64, u64, AccessKind, u32)> {
    let all = Touches::of(touches);
    let touched = all.take(0);
    assert!(all.is_empty());
    touched.spans.iter().map(|s| (s.start, s.end, s.kind, s.site)).collect()
}

#[test]
fn bytes_are_exact_and_neighbours_are_one() {
    assert_eq!(spans(&[(4, 8, Read, 16), (8, 12, Read, 16), (4, 6, Write, 20)]), [(4, 12, Read, 0), (4, 6, Write, 1)]);
    // Over the ends of lines and pages.
    assert_eq!(spans(&[(60, 70, Write, 16), (70, 5000, Write, 16)]), [(60, 5000, Write, 0)]);
    // A line has the first instruction of the code that touched it, whichever came first.
    let [a, b] = [[(0, 4, Write, 16), (8, 12, Write, 20)], [(8, 12, Write, 20), (0, 4, Write, 16)]].map(|t| spans(&t));
    assert_eq!(a, [(0, 4, Write, 0), (8, 12, Write, 0)]);
    assert_eq!(a, b);
}
