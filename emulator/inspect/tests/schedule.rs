//! The order of a clock, by hand.

use wavepipe_inspect::schedule::*;

fn issue(wave: u32, cycle: u64, access: Option<(u64, u64)>) -> Issue {
    let turn = Turn { group: 0, wave };
    let cached = |hits| vec![Cached { cache: "L1", hits, misses: 1 }];
    let access = access.map(|(done, hits)| Access { done, caches: cached(hits) });
    Issue { turn, simd: 0, slot: wave, cycle, offset: 4 * cycle, waited: 0, reason: "", access }
}

#[test]
fn positions_and_cycles() {
    let all = [issue(0, 3, Some((40, 2))), issue(1, 3, None), issue(0, 7, Some((20, 5))), issue(1, 21, None)];
    let schedule = Schedule::new(all.to_vec());
    assert_eq!([0, 1, 2, 3, 4, 6].map(|n| schedule.cycle(n)), [3, 3, 7, 21, 22, 24]);
    assert_eq!(schedule.next(Turn { group: 0, wave: 1 }, 2).map(|i| i.cycle), Some(21));
    assert_eq!(schedule.next(Turn { group: 0, wave: 0 }, 3), None);
    let under_way = |n| schedule.under_way(n).iter().map(|i| i.cycle).collect::<Vec<_>>();
    assert_eq!([0, 1, 3, 4].map(under_way), [vec![], vec![3], vec![3], vec![3]]);
    assert_eq!(Schedule::new(all[..3].to_vec()).under_way(3).iter().map(|i| i.cycle).collect::<Vec<_>>(), [7, 3]);
    assert!(schedule.caches(0).is_empty());
    assert_eq!(schedule.caches(4), [Cached { cache: "L1", hits: 7, misses: 2 }]);
    assert_eq!(Schedule::new(Vec::new()).cycle(5), 5);
}
