//! The figures of `wavepipe bench` are of kernels that run.

use wavepipe_core::bench::rates;

#[test]
fn every_kind_runs() {
    let all = rates(0.0);
    assert!(all.len() >= 30, "{} kinds", all.len());
    for (n, rate) in all.iter().enumerate() {
        let rate = rate.as_ref().unwrap_or_else(|| panic!("kind {n} faults"));
        assert!(rate.instructions > 16 * 2000, "{}", rate.name);
    }
}
