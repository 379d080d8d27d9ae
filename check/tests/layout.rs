//! Where the numbers of scripts' types lie.

use wavepipe::element::Scalar;
use wavepipe_check::layout::{Kind, Rules};

fn offsets(rows: usize, columns: usize, rules: Rules) -> (Vec<usize>, usize) {
    let lay = Kind { scalar: Scalar::F32, rows, columns }.lay(rules);
    (lay.leaves.iter().map(|l| l.offset / 4).collect(), lay.stride / 4)
}

#[test]
fn numbers_lie_where_shaders_have_them() {
    let std430 = Rules::default();
    let std140 = Rules { std140: true, ..std430 };
    assert_eq!(offsets(1, 1, std430), (vec![0], 1));
    assert_eq!(offsets(3, 1, std430), (vec![0, 1, 2], 4));
    assert_eq!(offsets(2, 1, std140), (vec![0, 1], 2));
    assert_eq!(offsets(1, 1, Rules { array: true, ..std140 }), (vec![0], 4));
    assert_eq!(offsets(2, 2, std430), (vec![0, 1, 2, 3], 4));
    assert_eq!(offsets(2, 2, std140), (vec![0, 1, 4, 5], 8));
    assert_eq!(offsets(3, 3, std430), (vec![0, 1, 2, 4, 5, 6, 8, 9, 10], 12));
    // Given by columns; each row of three lies as four.
    let turned = Rules { row_major: true, ..std430 };
    assert_eq!(offsets(3, 3, turned), (vec![0, 4, 8, 1, 5, 9, 2, 6, 10], 12));
    assert_eq!(offsets(4, 3, turned), (vec![0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14], 16));
}
