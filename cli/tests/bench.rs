//! What `wavepipe bench` computes of its times: medians, and means of ratios.

use wavepipe_cli::tested::bench::{CostRow, Report, Rival, SampleRow, checks, means, median};

#[test]
fn the_median_is_in_the_middle() {
    assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    assert!(median(vec![]).is_nan());
}

#[test]
fn means_are_geometric_and_leave_wrong_samples_out() {
    let row = |name, ratio| SampleRow {
        name,
        whole_ms: 1.0,
        rivals: vec![Rival { driver: "other", whole_ms: ratio, times_as_fast: ratio }],
        ..SampleRow::default()
    };
    let wrong = SampleRow { name: "c", failed: Some("no".to_owned()), ..SampleRow::default() };
    let report = Report { samples: vec![row("a", 2.0), row("b", 8.0), wrong], ..Report::default() };
    let (driver, mean, least) = report.means()[0];
    assert!(driver == "other" && (mean - 4.0).abs() < 1e-12 && least == ("a", 2.0));
    assert!(report.to_string().contains("beside other: 4.00×"));
}

#[test]
fn means_are_geometric_and_have_their_limits() {
    let row = |ratio| CostRow { name: "a", plain_ms: 1.0, ratios: vec![1.0, ratio] };
    let means = means(&["sync", "race"], &[row(2.0), row(8.0)]);
    assert_eq!((means[0].geometric_mean, means[0].limit), (1.0, None));
    assert!((means[1].geometric_mean - 4.0).abs() < 1e-12);
    assert_eq!((means[1].most, means[1].limit), (8.0, Some(8.0)));
}

#[test]
fn checks_are_those_of_the_table() {
    assert_eq!(checks(&["race".into()]).unwrap(), ["race"]);
    assert!(checks(&[]).unwrap().contains(&"all"));
    assert!(checks(&["stop".into()]).is_err());
}
