//! LDS service by the documents' arithmetic, and beside a plain count of banks.

use std::collections::BTreeSet;
use wavepipe_hw::machine::Machine;
use wavepipe_timing::memory::{Hierarchy, Kind, LdsAccess};

const DWORD: LdsAccess<'static> =
    LdsAccess { at: &[0; 32], second: None, mask: u32::MAX, dwords: 1, operands: 1, kind: Kind::Load, wgp_mode: false };
const ATOMIC: LdsAccess<'static> = LdsAccess { kind: Kind::Atomic { returns: true }, ..DWORD };

/// Cycles for which one pass keeps its array.
fn service(access: LdsAccess, at: impl Fn(u32) -> u32) -> u64 {
    let mut hierarchy = Hierarchy::new(&Machine::default());
    let at = std::array::from_fn(|lane| at(lane as u32));
    hierarchy.lds(0, 0, 0, &LdsAccess { at: &at, ..access }).taken
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Lanes at multiples of `stride` dwords meet on 32 / gcd(stride, 32) banks, so gcd lanes share each.
#[test]
fn stride_sweep_is_the_gcd_formula() {
    for stride in 1..=64 {
        let by_hand = gcd(stride.into(), 32);
        let access = LdsAccess { mask: u32::MAX, ..DWORD };
        assert_eq!(service(access, |lane| lane * stride * 4), by_hand, "stride {stride}");
        // A wave64 is two passes, one behind the other.
        let mut hierarchy = Hierarchy::new(&Machine::default());
        let half = |half: u32| std::array::from_fn(|lane| (half * 32 + lane as u32) * stride * 4);
        let taken = hierarchy.lds(0, 0, 0, &LdsAccess { at: &half(0), ..DWORD }).taken;
        let second = hierarchy.lds(1, 0, 0, &LdsAccess { at: &half(1), ..DWORD });
        assert_eq!((taken, second.taken), (by_hand, 2 * by_hand), "stride {stride}");
        assert_eq!(u64::from(second.met.conflicts), by_hand - 1);
    }
}

#[test]
fn equal_addresses_broadcast() {
    assert_eq!(service(DWORD, |_| 4), 1);
    assert_eq!(service(DWORD, |lane| lane / 2 * 4), 1);
    assert_eq!(service(DWORD, |lane| lane % 4 * 4), 1);
    // Bytes of one dword.
    assert_eq!(service(DWORD, |lane| lane), 1);
    assert_eq!(service(LdsAccess { dwords: 2, ..DWORD }, |_| 8), 2, "each group of lanes by itself");
}

#[test]
fn wide_data_takes_the_banks_as_often_as_it_fills_them() {
    for (dwords, cycles) in [(1, 1), (2, 2), (3, 4), (4, 4)] {
        let access = LdsAccess { dwords, ..DWORD };
        assert_eq!(service(access, |lane| lane * 4 * dwords), cycles, "{dwords} dwords");
        // The lower half of the lanes: half of the groups.
        let half = LdsAccess { mask: 0xffff, ..access };
        assert_eq!(service(half, |lane| lane * 4 * dwords), cycles.div_ceil(2), "{dwords} dwords, 16 lanes");
    }
    // Two dwords of each lane in the same bank pair as all others.
    assert_eq!(service(LdsAccess { dwords: 2, ..DWORD }, |lane| lane * 128), 32);
    let second = std::array::from_fn(|lane| 4096 + 4 * lane as u32);
    let two = LdsAccess { second: Some(&second), ..DWORD };
    assert_eq!(service(two, |lane| 4 * lane), 2, "two addresses of each lane");
    assert_eq!(service(two, |lane| 8 * lane), 3, "of which the first meet");
}

/// Each bank has one unit, and no two lanes' operations are one; a cycle more for the write.
#[test]
fn atomics_take_turns() {
    let more = Machine::default().lds.atomic.value;
    assert_eq!(service(ATOMIC, |lane| 4 * lane), 1 + more);
    assert_eq!(service(ATOMIC, |_| 4), 32 + more);
    assert_eq!(service(ATOMIC, |lane| lane % 4 * 4), 8 + more);
}

#[test]
fn arrays_are_served_side_by_side() {
    let far = |lane: u32| lane % 2 * 65536 + lane / 2 * 128;
    let wgp = LdsAccess { wgp_mode: true, ..DWORD };
    assert_eq!(service(wgp, far), 16, "sixteen lanes on a bank of either array");
    assert_eq!(service(DWORD, |lane| far(lane) % 65536), 16, "pairs of lanes broadcast");
    let mut hierarchy = Hierarchy::new(&Machine::default());
    let at = std::array::from_fn(|lane| lane as u32 * 128);
    let access = LdsAccess { at: &at, ..DWORD };
    for wgp in 0..2 {
        for half in 0..2 {
            assert_eq!(hierarchy.lds(0, wgp, half, &access).taken, 32, "each of its own");
        }
    }
    let low = [0; 32];
    let near = LdsAccess { at: &low, wgp_mode: true, ..DWORD };
    let high = [65536; 32];
    let across = LdsAccess { at: &high, wgp_mode: true, ..DWORD };
    // Both arrays are busy until 32, whoever asks.
    assert_eq!(hierarchy.lds(10, 0, 1, &near).taken, 33);
    assert_eq!(hierarchy.lds(10, 0, 0, &across).taken, 33);
}

/// Cycles by the definition: for each group of lanes, the most different dwords (for atomics: dwords) of a bank.
fn plain(access: &LdsAccess, at: &[u32; 32]) -> u64 {
    let group = 32 / access.dwords.next_power_of_two() as usize;
    let atomic = matches!(access.kind, Kind::Atomic { .. });
    let mut cycles = [0; 2];
    for start in (0..32).step_by(group) {
        let mut banks = vec![BTreeSet::new(); 64];
        for lane in (start..start + group).filter(|l| access.mask >> l & 1 != 0) {
            for dword in 0..access.dwords {
                let cell = at[lane] / 4 + dword;
                let array = if access.wgp_mode { cell / 16384 % 2 } else { 0 };
                let who = if atomic { (lane, dword) } else { (0, 0) };
                banks[(array * 32 + cell % 32) as usize].insert((cell, who));
            }
        }
        for (array, banks) in banks.chunks(32).enumerate() {
            let busiest = banks.iter().map(BTreeSet::len).max().unwrap() as u64;
            cycles[array] += busiest + if atomic && busiest > 0 { 1 } else { 0 };
        }
    }
    cycles.into_iter().max().unwrap().max(1)
}

#[test]
fn random_addresses_are_as_a_plain_count_says() {
    let mut state = 3u64;
    let mut random = |n: u32| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as u32 % n
    };
    let mut hierarchy = Hierarchy::new(&Machine::default());
    let mut now = 0;
    for case in 0..20_000 {
        let dwords = 1 + random(4);
        let access = LdsAccess {
            mask: [u32::MAX, random(u32::MAX), 0xff00, 1 << random(32)][random(4) as usize],
            dwords,
            kind: [Kind::Load, Kind::Store, Kind::Atomic { returns: true }][random(3) as usize],
            wgp_mode: random(2) == 0,
            ..DWORD
        };
        let (base, stride) = (random(30_000) * 4, [0, dwords, 1, 32, 33, random(40)][random(6) as usize] * 4);
        let spread = [1, 1, 4, 1000][random(4) as usize];
        let at: [u32; 32] = std::array::from_fn(|lane| (base + lane as u32 * stride + random(spread) * 4) % 0x1fff0);
        let taken = hierarchy.lds(now, 0, 0, &LdsAccess { at: &at, ..access }).taken;
        assert_eq!(taken - now, plain(&access, &at), "case {case}: {access:?} {at:?}");
        now = taken;
    }
}
