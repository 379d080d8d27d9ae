//! The table of formats.

use wavepipe_isa::Gen;
use wavepipe_runtime::{Aspects, Format};

#[test]
fn rows_are_sorted_and_their_planes_exist() {
    assert!(Format::all().is_sorted_by(|a, b| a < b));
    for format in Format::all() {
        for aspect in format.aspects().iter() {
            assert!(format.plane(aspect).is_some_and(|p| p.bytes() > 0), "{format:?} {aspect:?}");
        }
        assert!(format.main_plane().is_some(), "{format:?}");
    }
    assert!(Format(0).main_plane().is_none() && Format(125).image_features(Gen::default()).is_empty());
}

/// A component that DST_SEL takes from somewhere has bits there, and each component of the plane is taken.
#[test]
fn orders_name_components_that_exist() {
    for format in Format::all().filter(|f| f.aspects() == Aspects::COLOR) {
        let plane = format.plane(Aspects::COLOR).unwrap();
        if plane.components() == 0 {
            continue;
        }
        let taken: Vec<usize> = format.select().iter().filter(|&&s| s >= 4).map(|&s| s as usize - 4).collect();
        assert_eq!(taken.len(), plane.components(), "{format:?}");
        assert!(taken.iter().all(|&c| plane.bits[c] != 0), "{format:?}");
    }
}

/// BC_SWIZZLE puts a colour where DST_SEL takes it from again.
#[test]
fn border_orders_undo_the_select() {
    let swizzles: [[usize; 4]; 6] =
        [[0, 1, 2, 3], [0, 3, 1, 2], [3, 2, 1, 0], [3, 0, 1, 2], [2, 1, 0, 3], [1, 0, 3, 2]];
    for format in Format::all() {
        let placed = swizzles[usize::from(format.border_swizzle())];
        for (component, &select) in format.select().iter().enumerate().filter(|(_, s)| **s >= 4) {
            assert_eq!(placed[usize::from(select) - 4], component, "{format:?}");
        }
    }
}
