//! Which bytes of memory are written, and which copies take along what is not.

use wavepipe_core::tested::contents::{Contents, find};

const PAGE: u64 = 4096;

fn read(c: &Contents, at: u64, n: usize) -> Option<u32> {
    find(&c.extents(), at).map(|e| e.read(at, n))
}

#[test]
fn bytes_become_written() {
    let c = Contents::default();
    assert!(c.is_whole());
    c.unwritten(0x10000, 3 * PAGE + 10);
    let end = 0x10000 + 3 * PAGE + 10;
    assert_eq!((read(&c, 0x10000, 4), read(&c, 0xffff, 1), read(&c, end, 1)), (Some(!0), None, None));
    c.write(0x10ffe, 4);
    let words = [0x10ffc, 0x11000, 0x11040].map(|at| read(&c, at, 4).unwrap());
    assert_eq!(words, [0xffff, 0xffff_0000, !0]);
    c.write(0x11000, 2 * PAGE + 10);
    let all = c.extents();
    assert!(all[0].is_written(0x11000, 2 * PAGE + 10) && !all[0].is_written(0x10ffc, 4) && !c.is_whole());
    assert!(all[0].is_written(0x10ffe, 4), "inside of a page that is not written as a whole");
    // Bit by bit, in any order.
    for at in (0..0x1000).rev().step_by(7).chain(0..0x1000) {
        c.write(0x10000 + at, 1);
    }
    assert!(all[0].is_whole() && c.is_whole());
    c.unwritten(0x20000, 100);
    assert!(!c.is_whole());
    c.write(0x20000, 60);
    c.write(0x2003c, 40);
    assert!(c.is_whole(), "and its last page is no larger than it is");
    c.unwritten(0x30000, PAGE);
    c.forget(0x30000);
    assert_eq!((read(&c, 0x30000, 1), c.extents().len(), c.is_whole()), (None, 2, true));
}

#[test]
fn copies_take_along_what_nobody_wrote() {
    let c = Contents::default();
    c.unwritten(0x10000, 2 * PAGE);
    c.unwritten(0x20000, 2 * PAGE);
    c.write(0x10ffe, 4);
    c.write(0x20000, 2 * PAGE);
    let target = c.extents()[1].clone();
    assert!(target.is_whole());
    c.copy(0x10ffc, 0x20ffe, 8);
    assert_eq!((read(&c, 0x20ffc, 4), read(&c, 0x21000, 4)), (Some(0xffff_0000), Some(0)));
    assert_eq!((read(&c, 0x21004, 4), target.is_whole()), (Some(0xffff), false));
    // From memory that nothing is known of, and over what was unwritten.
    c.copy(0x5, 0x20ffe, 8);
    assert!(target.is_whole());
    c.copy(0x10000, 0x20000, 16);
    c.write(0x20000, 16);
    assert!(target.is_whole());
}
