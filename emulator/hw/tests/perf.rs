//! Performance counters and their registers.

use wavepipe_hw::perf::*;

#[test]
fn registers_and_selects_are_one_counters() {
    assert_eq!(Counter::all().count(), 2 + 16 + 4 + 4 + 4);
    for counter in Counter::all() {
        assert_eq!(Counter::of_select(counter.select()), Some(counter));
        assert_eq!(Counter::of_register(counter.register()), Some(counter));
    }
    // SQ_PERFCOUNTER3: 0x34718 and 0x3670c.
    let third = Counter { block: Block::Sq, index: 3 };
    assert_eq!((third.register(), third.select()), (0xd1c6, 0x19c3));
    for event in Event::ALL {
        assert_eq!(Event::of(event.block(), event.select()), Some(event));
    }
    assert_eq!(Event::of(Block::Sq, 0), None);
}
