//! Sets of registers.

use wavepipe_core::tested::RegisterSet;
use wavepipe_isa::Src;

#[test]
fn ranges_are_put_as_a_whole() {
    for (first, end) in [(0, 64), (3, 130), (64, 65), (100, 100), (383, 384), (0, 384)] {
        let mut set = RegisterSet::default();
        set.put_all(first, end);
        assert!(set.iter().eq(first..end), "{first}..{end}");
    }
}

#[test]
fn names_are_those_of_assembly() {
    for (reg, dwords, name) in [
        (Src::v(3), 1, "v3"),
        (Src::v(3), 2, "v[3:4]"),
        (Src::s(4), 4, "s[4:7]"),
        (Src::s(4), 1, "s4"),
        (Src::VCC_LO, 2, "vcc_lo"),
        (Src::M0, 1, "m0"),
        (Src::v(255), 2, "v255"),
    ] {
        let mut set = RegisterSet::default();
        set.insert(reg, dwords);
        assert_eq!(set.name(), name);
    }
}
