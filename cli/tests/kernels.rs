//! `wavepipe bench kernels`: its ratios and means, and what the host does at best.

use wavepipe_cli::tested::kernels::{Column, KernelRow, Report, Timing};
use wavepipe_limits::{CHAINS, Limit, Limits, Peak, all, at_once, keep, plain};

fn column(label: &str, ours: bool) -> Column {
    Column { label: label.to_owned(), host: None, ours, device: None }
}

/// A kernel that takes these times on this driver and on the other one.
fn kernel(name: &str, ours: f64, theirs: f64, digests: [&str; 2]) -> KernelRow {
    let mut kernel = KernelRow { fmas: Some(1_000_000), ..KernelRow::new(name) };
    kernel.timings = [ours, theirs].map(|ms| Timing::new(vec![ms, 0.5 * ms, 2.0 * ms], None)).into();
    kernel.compare(Some(1), &digests.map(|digest| Some(digest.to_owned())));
    kernel
}

fn report(kernels: Vec<KernelRow>) -> Report {
    report_of(None, kernels)
}

fn report_of(own: Option<&str>, kernels: Vec<KernelRow>) -> Report {
    let mut host = Limits::new(2);
    let peak = |host, fmas: f64| {
        let fmas_per_second = Some(Limit { one_thread: fmas / 2.0, all_threads: fmas });
        Peak { host, fmas_per_second }
    };
    host.vectors = vec![peak("avx512", 2e9), peak("avx2", 1e9)];
    let restricted = Column { host: own.map(str::to_owned), ..column("wavepipe", true) };
    Report::new(1.0, 3, vec![restricted, column("other", false)], host, kernels)
}

#[test]
fn ratios_are_of_medians_and_means_are_geometric() {
    let report = report(vec![kernel("a", 1.0, 2.0, ["x", "x"]), kernel("b", 1.0, 8.0, ["x", "y"])]);
    let timing = &report.kernels[0].timings[0];
    assert_eq!((timing.median_ms, timing.least_ms, timing.dispatches), (Some(1.0), Some(0.5), 3));
    assert_eq!((timing.times_as_fast, timing.bits_equal), (Some(2.0), Some(true)));
    assert_eq!((timing.per_second, timing.share_of_host), (Some(2e9), Some(1.0)));
    assert_eq!(
        (report.kernels[1].timings[0].bits_equal, report.kernels[1].timings[1].times_as_fast),
        (Some(false), None)
    );
    let [mean] = &report.means[..] else { panic!("one column of ours") };
    assert!((mean.geometric_mean - 4.0).abs() < 1e-12 && (mean.least, &*mean.least_kernel) == (2.0, "a"));
    let text = report.to_string();
    assert!(
        text.contains("wavepipe: 4.00 × in the geometric mean (4.00 × by the shortest dispatches), least 2.00 × (a)"),
        "{text}"
    );
    assert!(text.contains("a, of the host's on all threads: wavepipe 2.0 G multiply-adds/s, 100 %"), "{text}");
}

#[test]
fn host_code_is_held_against_its_own_vectors_too() {
    let report = report_of(Some("avx2"), vec![kernel("a", 1.0, 2.0, ["x", "x"])]);
    let timing = &report.kernels[0].timings[0];
    assert_eq!((timing.share_of_host, timing.share_of_vectors), (Some(1.0), Some(2.0)));
    assert!(report.to_string().contains("100 % (200 % of such vectors')"), "{report}");
    let report = report_of(Some("avx512"), vec![kernel("a", 1.0, 2.0, ["x", "x"])]);
    assert_eq!(report.kernels[0].timings[0].share_of_vectors, None);
}

#[test]
fn what_is_wrong_has_no_ratio_and_is_said() {
    let mut wrong = KernelRow::new("c");
    wrong.timings = vec![Timing::new(vec![1.0], Some("no".to_owned())), Timing::new(vec![1.0], None)];
    wrong.compare(Some(1), &[None, None]);
    let report = report(vec![kernel("a", 1.0, 2.0, ["x", "x"]), wrong]);
    assert_eq!(report.failures(), ["c, wavepipe: no"]);
    assert!(report.kernels[1].timings[0].times_as_fast.is_none() && report.means[0].geometric_mean == 2.0);
}

#[test]
fn a_wrong_rival_is_no_measure() {
    let mut kernel = KernelRow::new("c");
    kernel.timings = vec![Timing::new(vec![1.0], None), Timing::new(vec![1.0], Some("no".to_owned()))];
    kernel.compare(Some(1), &[None, None]);
    assert!(kernel.timings[0].times_as_fast.is_none() && kernel.timings[0].bits_equal.is_none());
    assert_eq!(report(vec![kernel]).failures(), ["c, other: no"]);
}

/// Half of a number and one comes to two, whatever it was.
#[test]
fn every_chain_is_computed() {
    for vectors in all() {
        let sum = (vectors.run)(200);
        assert!((sum - 2.0 * vectors.chains as f32).abs() < 1e-3, "{sum}");
    }
    assert_eq!(plain(1), (0..CHAINS).map(|chain| chain as f32 / 2.0 + 1.0).sum::<f32>());
}

#[test]
fn limits_keep_the_best() {
    let mut kept = None;
    keep(&mut kept, Limit { one_thread: 1.0, all_threads: 5.0 });
    keep(&mut kept, Limit { one_thread: 3.0, all_threads: 4.0 });
    assert_eq!(kept, Some(Limit { one_thread: 3.0, all_threads: 5.0 }));
}

#[test]
fn a_copy_is_of_every_byte() {
    let (from, mut to) = ([7u8; 10], [0u8; 10]);
    at_once(from.chunks(3).zip(to.chunks_mut(3)).collect(), |(from, to)| to.copy_from_slice(from));
    assert_eq!(from, to);
    let mut limits = Limits::new(2);
    limits.copies(1 << 16);
    assert!(limits.copied_bytes_per_second.unwrap().one_thread > 0.0 && limits.stream_bytes == 1 << 16);
}
