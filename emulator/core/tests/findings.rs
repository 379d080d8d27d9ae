//! What the checks found in one dispatch: which are told, and how often they were found.

use wavepipe_core::tested::{Findings, KEPT, TOLD};
use wavepipe_hw::finding::{Absent, Finding, FindingKind, Location};

fn note(all: &Findings, pc: u64, group: u32) {
    let site = Location { pc, workgroup: [group, 0, 0], ..Location::default() };
    all.note(("kind", pc, 0), site.order(), || Finding {
        kind: FindingKind::DivergentBarrier(Absent::Elsewhere),
        kernel: String::new(),
        queue: (0, 0),
        site: site.clone(),
        access: None,
        other: None,
        count: 1,
    });
}

/// In whatever order they come, the first are kept, and all are counted.
#[test]
fn the_first_are_kept_and_all_are_counted() {
    let mut wanted: Option<Vec<Finding>> = None;
    for step in [1, 7, 149] {
        let all = Findings::default();
        // 300 places, each in three work-groups: place n first in work-group n.
        for i in 0..900u64 {
            let n = i * step % 900;
            note(&all, n % 300, (n % 300 + n / 300 * 300) as u32);
        }
        let (told, more) = all.take();
        assert_eq!((told.len(), more), (TOLD, 200));
        for (n, f) in told.iter().enumerate() {
            assert_eq!((f.site.pc, f.site.workgroup[0], f.count), (n as u64, n as u32, 3));
        }
        assert_eq!(*wanted.get_or_insert_with(|| told.clone()), told);
        assert_eq!(all.take(), (Vec::new(), 0));
    }
}

#[test]
fn memory_is_bounded_and_the_first_are_right_all_the_same() {
    let all = Findings::default();
    for n in (0..3 * KEPT as u64).rev() {
        note(&all, n, n as u32);
    }
    assert_eq!(all.kept(), KEPT);
    let (told, more) = all.take();
    assert!(told.iter().enumerate().all(|(n, f)| f.site.pc == n as u64));
    assert_eq!(more, 3 * KEPT as u64 - TOLD as u64);
}
