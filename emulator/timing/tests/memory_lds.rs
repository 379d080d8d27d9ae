//! LDS service by the documents' arithmetic.

use wavepipe_hw::machine::Machine;
use wavepipe_timing::memory::{Hierarchy, Kind, LdsAccess};

/// Cycles for which one pass keeps the array.
fn service(at: impl Fn(u32) -> u32, access: LdsAccess) -> u64 {
    let mut hierarchy = Hierarchy::new(&Machine::default());
    let at = std::array::from_fn(|lane| at(lane as u32));
    hierarchy.lds(0, 0, 0, &LdsAccess { at: &at, ..access }).taken
}

const DWORD: LdsAccess<'static> =
    LdsAccess { at: &[0; 32], second: None, mask: u32::MAX, dwords: 1, kind: Kind::Load, wgp_mode: false };

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Lanes at multiples of `stride` dwords meet on 32 / gcd(stride, 32) banks, so gcd lanes share each.
#[test]
fn stride_sweep_is_the_gcd_formula() {
    for stride in 1..=64 {
        assert_eq!(service(|lane| lane * stride * 4, DWORD), gcd(stride.into(), 32), "stride {stride}");
    }
}

#[test]
fn equal_addresses_broadcast() {
    assert_eq!(service(|_| 4, DWORD), 1);
    assert_eq!(service(|lane| lane / 2 * 4, DWORD), 1);
}
