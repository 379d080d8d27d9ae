//! Which work-group has which part of the scratch ring.

use wavepipe_core::dispatch::{ScratchNeed, ScratchSpace};

#[test]
fn scratch_ranges_never_overlap() {
    let need = |group_bytes, ring_bytes| ScratchNeed { group_bytes, ring_bytes };
    let mut space = ScratchSpace::default();
    let a = space.claim(need(100, 300)).unwrap();
    let b = space.claim(need(100, 300)).unwrap();
    let c = space.claim(need(50, 1000)).unwrap();
    assert_eq!((a.clone(), b.clone(), c.clone()), (0..100, 100..200, 200..250));
    assert_eq!(space.claim(need(100, 300)), None);
    space.release(&b);
    assert_eq!(space.claim(need(60, 300)), Some(100..160));
    assert_eq!(space.claim(need(50, 300)), Some(250..300));
    assert_eq!(space.claim(need(40, 300)), Some(160..200));
    // No byte of the ring is left, nor is one behind it in use.
    assert_eq!(space.claim(need(1, 300)), None);
    assert_eq!(space.clone().claim(need(1, 1000)), Some(300..301));
    space.release(&a);
    assert_eq!(space.claim(need(100, 300)), Some(0..100));
    // The others have kept theirs.
    assert_eq!(space.claim(need(1, 300)), None);
}
