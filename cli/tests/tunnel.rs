//! `wavepipe tunnel`: the areas and the axis of its picture.

use wavepipe_cli::tested::tunnel::{BINS, Change, LONG, URGENT, averages, spacing};

#[test]
fn areas_are_averages_of_the_changes() {
    let change = |cycle, party, resident, suspended| Change { cycle, party, resident, suspended };
    let until = BINS as u64 * 10;
    let bins = averages(&[change(5, LONG, 4, 0), change(20, LONG, -4, 4), change(20, URGENT, 2, 0)], until);
    assert_eq!(bins.len(), BINS);
    let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3);
    assert!(near(bins[0], [0.0, 2.0, 0.0]) && near(bins[1], [0.0, 4.0, 0.0]), "{:?}", &bins[..3]);
    assert!(near(bins[2], [2.0, 0.0, 4.0]) && near(bins[BINS - 1], [2.0, 0.0, 4.0]), "{:?}", &bins[..3]);
}

#[test]
fn marks_are_round_and_few() {
    assert_eq!([7.9, 8.1, 33.0, 0.5].map(spacing), [1.0, 2.0, 5.0, 0.1]);
}
