//! The number of an instruction's row, which rows name each other by.

/// Index of a row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Op(pub u16);
