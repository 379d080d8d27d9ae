//! What the clamp bit holds between the ends of the result's type: an exact sum, which [`crate::saturate`] computes.

/// What is summed, exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sum {
    /// S0 + S1 + carry.
    Add,
    /// S0 − S1 − borrow.
    Sub,
    /// S1 − S0 − borrow.
    SubRev,
    /// S0 · S1 + S2.
    MulAdd,
    /// As `MulAdd`, of the factors' low 24 bits.
    MulAddU24,
    MulAddI24,
    /// Σ S0 · S1 over fields of so many bits, + S2.
    DotU(u32),
    DotI(u32),
    /// Σ |S0 − S1| over fields of so many bits, shifted up by so many, + S2.
    Differences(u32, u32),
    /// The same without fields where S1 is zero, of eight bits each.
    MaskedDifferences,
}

/// How the operands are read and where the result ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    /// Two halves of 16 bits.
    PkU16,
    PkI16,
    /// Four sums at byte steps of S0, each on 16 bits.
    Quad,
}

/// An integer result under the clamp bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clamp {
    pub sum: Sum,
    pub shape: Shape,
}
