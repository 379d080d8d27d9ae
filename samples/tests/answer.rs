//! Answers compared within a tolerance.

use wavepipe_samples::{Answer, Tolerance};

#[test]
fn words_must_be_equal() {
    let (a, b) = (Answer::words(&[1, 2, 3]), Answer::words(&[1, 9, 3]));
    assert!(Tolerance::Words.compare(&a.bytes, &a.bytes).good);
    let found = Tolerance::Words.compare(&b.bytes, &a.bytes);
    assert_eq!((found.good, found.off, found.worst), (false, 1, 7.0));
    assert_eq!(found.first.unwrap(), "[1] = 0x00000009, expected 0x00000002");
}

#[test]
fn floats_have_bounds_and_nan_is_never_near() {
    let t = Tolerance::Floats { absolute: 0.0, relative: 0.1 };
    let near = |got: f32, want: f32| t.compare(&got.to_le_bytes(), &want.to_le_bytes()).good;
    assert!(near(10.9, 10.0) && !near(11.1, 10.0));
    assert!(!near(f32::NAN, 1.0) && !near(1.0, f32::NAN) && !near(f32::INFINITY, 1.0));
    assert!(near(f32::INFINITY, f32::INFINITY));
}

#[test]
fn a_share_of_pixels_may_be_off() {
    let t = Tolerance::Pixels { channel: 1, outliers: 0.5 };
    assert!(t.compare(&[9, 0, 0, 0, 1, 1, 1, 1], &[0, 0, 0, 0, 2, 2, 2, 2]).good);
    assert!(!t.compare(&[9, 0, 0, 0, 4, 1, 1, 1], &[0, 0, 0, 0, 2, 2, 2, 2]).good);
}

#[test]
fn digests_tell_answers_apart() {
    let digest = |words: &[u32]| Answer::words(words).digest();
    assert_eq!(digest(&[1, 2]), digest(&[1, 2]));
    assert!(
        digest(&[1, 2]) != digest(&[2, 1]) && digest(&[1]) != digest(&[1, 0]) && digest(&[1 << 31]) != digest(&[0])
    );
}

#[test]
fn a_short_answer_is_wrong() {
    assert!(!Tolerance::Words.compare(&[], &[0, 0, 0, 0]).good);
}
