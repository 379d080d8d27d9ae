//! Targets of exports, by generation.

use std::ops::RangeInclusive;

use crate::generation::Gen;

/// Export targets: first number, how many, name, and who has them; several are numbered from 0.
pub(crate) const TARGETS: [(u8, u8, &str, RangeInclusive<Gen>); 8] = [
    (0, 8, "mrt", Gen::FIRST..=Gen::LAST),
    (8, 1, "mrtz", Gen::FIRST..=Gen::LAST),
    (9, 1, "null", Gen::FIRST..=Gen::Gfx1030),
    (12, 4, "pos", Gen::FIRST..=Gen::Gfx900),
    (12, 5, "pos", Gen::Gfx1010..=Gen::LAST),
    (20, 1, "prim", Gen::Gfx1010..=Gen::LAST),
    (21, 2, "dual_src_blend", Gen::Gfx1100..=Gen::LAST),
    (32, 32, "param", Gen::FIRST..=Gen::Gfx1030),
];

/// An export target's name, and its number among several of the name.
pub(crate) fn target(number: u8, generation: Gen) -> Option<(&'static str, Option<u8>)> {
    let named =
        TARGETS.iter().find(|(first, n, _, on)| (*first..first + n).contains(&number) && on.contains(&generation));
    named.map(|(first, n, name, _)| (*name, (*n > 1).then(|| number - first)))
}
