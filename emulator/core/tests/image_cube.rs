//! How the faces of a cube join.

use wavepipe_core::tested::cube::{FACES, across, project};

/// Direction of a texel's centre, times n.
fn centre(face: usize, x: u32, y: u32, n: i64) -> [i64; 3] {
    let mut p = [0; 3];
    let st = [2 * i64::from(x) + 1 - n, 2 * i64::from(y) + 1 - n, n];
    for (value, (axis, sign)) in st.into_iter().zip(FACES[face]) {
        p[axis] = sign * value;
    }
    p
}

/// A step over an edge and a step back are where one started; neighbours are one texel apart around the edge.
#[test]
fn edges_join() {
    for n in [1i64, 2, 5, 8] {
        for face in 0..6 {
            for k in 0..n {
                for (x, y, ix, iy) in [(-1, k, 0, k), (n, k, n - 1, k), (k, -1, k, 0), (k, n, k, n - 1)] {
                    let (to, tx, ty) = across(face, x, y, n).unwrap();
                    assert_ne!(to / 2, face / 2, "opposite faces do not touch");
                    let (a, b) = (centre(face, ix as u32, iy as u32, n), centre(to, tx, ty, n));
                    let far: i64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
                    assert_eq!(far, 2, "{face} ({x}, {y}) -> {to} ({tx}, {ty})");
                }
            }
            assert_eq!(across(face, -1, n, n), None);
        }
    }
}

/// The standard's table: direction to face and coordinates.
#[test]
fn faces_face_their_axes() {
    // On +X, s runs along −Z and t along −Y.
    assert_eq!(across(0, -1, 3, 8), Some((4, 7, 3)));
    assert_eq!(across(0, 8, 3, 8), Some((5, 0, 3)));
    assert_eq!(across(2, 3, 8, 8), Some((4, 3, 0)));
    assert_eq!(project(0, [-1.0, 0.25], 4), Some([1.0, 0.25]));
    assert_eq!(project(0, [0.0, 0.0], 1), None);
}
