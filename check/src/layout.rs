//! Where the numbers of AmberScript's and vkrunner's types lie: scalars, vectors, matrices, and arrays of them.

use wavepipe::element::Scalar;
use wavepipe::view::Leaf;

/// A scalar, a vector (one column), or a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    pub scalar: Scalar,
    pub rows: usize,
    pub columns: usize,
}

/// An element of a buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lay {
    pub leaves: Vec<Leaf>,
    /// To the next element.
    pub stride: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rules {
    pub std140: bool,
    /// Rows lie together, as values are given by columns.
    pub row_major: bool,
    /// It is an element of an array.
    pub array: bool,
}

impl Kind {
    pub fn scalar(scalar: Scalar) -> Kind {
        Kind { scalar, rows: 1, columns: 1 }
    }

    pub fn numbers(self) -> usize {
        self.rows * self.columns
    }

    pub fn lay(self, rules: Rules) -> Lay {
        let size = self.scalar.bytes();
        let turned = rules.row_major && self.columns > 1;
        let (vectors, numbers) = if turned { (self.rows, self.columns) } else { (self.columns, self.rows) };
        let matrix = self.columns > 1;
        // Three lie as four; by std140, what is repeated lies as far apart as four 32-bit numbers, at least.
        let mut step = size * if numbers == 3 { 4 } else { numbers };
        if rules.std140 && (matrix || rules.array) {
            step = step.next_multiple_of(16);
        }
        let at =
            |column: usize, row: usize| if turned { row * step + column * size } else { column * step + row * size };
        let places = (0..self.columns).flat_map(|column| (0..self.rows).map(move |row| (column, row)));
        let leaves = places.map(|(column, row)| Leaf { offset: at(column, row), scalar: self.scalar }).collect();
        Lay { leaves, stride: vectors * step }
    }
}
