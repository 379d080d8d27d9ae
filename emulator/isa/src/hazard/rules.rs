//! What tables of rules are written with.

use super::Reading::{Llvm, Strict};
use super::{Kinds, Meet, Reading, Rule, Sequence, Trigger};
use crate::generation::Gen;

pub(super) const BOTH: &[Reading] = &[Strict, Llvm];
pub(super) const STRICT: &[Reading] = &[Strict];
pub(super) const LLVM: &[Reading] = &[Llvm];

/// Kinds joined in a constant.
pub(super) const fn any<const N: usize>(kinds: [Kinds; N]) -> Kinds {
    let (mut all, mut n) = (Kinds::empty(), 0);
    while n < N {
        all = all.union(kinds[n]);
        n += 1;
    }
    all
}

pub(super) const fn behind(on: &'static [Gen], readings: &'static [Reading], sequence: Sequence) -> Rule {
    Rule { on, readings, trigger: Trigger::Behind(sequence) }
}

/// One instruction right behind another.
pub(super) const fn next(first: Kinds, then: Kinds, within: u8, clear: Kinds) -> Sequence {
    Sequence { first, between: None, then, clear, meet: Meet::Nothing, within: Some(within) }
}

/// The same of two that share a register; nothing in between helps but time.
pub(super) const fn sharing(meet: Meet, first: Kinds, then: Kinds, within: u8) -> Sequence {
    Sequence { first, between: None, then, clear: Kinds::empty(), meet, within: Some(within) }
}
