//! A row of lanes.

use std::ops::{Deref, DerefMut};

/// A number of each of 32 lanes, aligned as the host's widest registers are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Lanes<T = u32>(pub [T; 32]);

impl Lanes {
    pub const ZERO: Lanes = Lanes([0; 32]);
}

impl<T: Copy> Lanes<T> {
    /// Returns `v` in all lanes.
    #[inline(always)]
    pub const fn splat(v: T) -> Self {
        Lanes([v; 32])
    }
}

impl<T> Deref for Lanes<T> {
    type Target = [T; 32];
    #[inline(always)]
    fn deref(&self) -> &[T; 32] {
        &self.0
    }
}

impl<T> DerefMut for Lanes<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T; 32] {
        &mut self.0
    }
}
