//! What is counted of dispatches.

use wavepipe_timing::engine::{Counters, DispatchReport, Occupancy, SPANS};
use wavepipe_timing::tested::{KERNELS, Ledger, REPORTS};

/// Each cycle of each wave on its own.
#[test]
fn occupancy_is_that_of_each_cycle() {
    let mut state = 7u64;
    let mut random = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    let mut occupancy = Occupancy::default();
    let mut plain = vec![0u64; 40_000];
    for i in 0..400 {
        let from = random(20 + 90 * i);
        let to = from + random(3000);
        occupancy.add(from, to);
        plain[from as usize..to as usize].iter_mut().for_each(|n| *n += 1);
    }
    let expected: Vec<u64> = plain.chunks(occupancy.span as usize).map(|c| c.iter().sum()).collect();
    assert!(expected.len() <= SPANS && expected.len() > SPANS / 2);
    assert_eq!(occupancy.resident[..expected.len()], expected);
    assert!(occupancy.resident[expected.len()..].iter().all(|n| *n == 0));
}

#[test]
fn what_is_kept_is_bounded_and_sums_are_not_lost() {
    let mut ledger = Ledger::default();
    let n = 3000;
    for i in 0..n {
        let counters = Counters { waves: i, ..Counters::default() };
        let (launched, ended) = (10 * i, 10 * i + 3);
        let (occupancy, memory) = (Occupancy::default(), [0; 2]);
        let code_va = i % 2000;
        ledger.note(DispatchReport { number: i, queue: 0, code_va, launched, ended, counters, occupancy, memory });
    }
    let reports = ledger.take_reports();
    assert_eq!(reports.len(), REPORTS);
    assert_eq!(reports.last().map(|r| r.number), Some(n - 1));
    assert_eq!(ledger.kernels().count(), KERNELS + 1);
    assert_eq!(ledger.kernels().map(|k| k.1.dispatches).sum::<u64>(), n);
    assert_eq!(ledger.kernels().map(|k| k.1.cycles).sum::<u64>(), 3 * n);
    assert_eq!(ledger.kernels().map(|k| k.1.counters.waves).sum::<u64>(), n * (n - 1) / 2);
    assert_eq!(ledger.total().waves, n * (n - 1) / 2);
    assert!(ledger.take_reports().is_empty());
}
