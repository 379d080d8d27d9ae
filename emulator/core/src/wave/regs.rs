//! Register rows, of `wavepipe-lanes`, and the bits of lane masks.
//!
//! A block is decoded for waves of one size and register count ([`super::block::Key`]); an instruction that names a
//! register beyond them becomes a fault there. That is the promise that [`Rows`] asks for.

pub(crate) use wavepipe_lanes::registers::{LaneRow, Loc, PAD, TEMPS, source};

/// Set bits of a mask, of lanes mostly; lowest first.
#[inline(always)]
pub(crate) fn set_bits(mask: impl Into<u64>) -> impl Iterator<Item = usize> {
    let mut left: u64 = mask.into();
    std::iter::from_fn(move || {
        let bit = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (bit < 64).then_some(bit as usize)
    })
}
