//! In which part of LDS an access is.

use wavepipe_core::tested::parts::{is_in_one, near};
use wavepipe_hw::finding::NearPlace;
use wavepipe_hw::given::GivenPart;

fn parts() -> Vec<GivenPart> {
    let part = |begin, bytes, name: &str| GivenPart { begin, bytes, name: name.into() };
    vec![part(0, 240, "variables"), part(4352, 128, "words"), part(8448, 0, "none")]
}

#[test]
fn an_access_is_whole_in_one_part() {
    for (at, bytes, is) in [
        (0, 4, true),
        (236, 4, true),
        (237, 4, false),
        (240, 1, false),
        (4351, 1, false),
        (4352, 128, true),
        (4352, 129, false),
        (8448, 1, false),
        (u32::MAX, 4, false),
    ] {
        assert_eq!(is_in_one(&parts(), at, bytes), is, "{bytes} bytes at {at}");
    }
    assert!(!is_in_one(&[], 0, 1));
}

#[test]
fn the_nearest_part_is_named() {
    for (at, name, place) in [
        (240, "variables", NearPlace::Behind(0)),
        (238, "variables", NearPlace::Across(238)),
        (4348, "words", NearPlace::Before(4)),
        (4484, "words", NearPlace::Behind(4)),
        (8500, "none", NearPlace::Behind(52)),
        (u32::MAX - 3, "variables", NearPlace::Before(4)),
    ] {
        let near = near(&parts(), at).unwrap();
        assert_eq!((&*near.name, near.place), (name, place), "{at}");
    }
}
