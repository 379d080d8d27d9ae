//! Loads, stores, rows and atomics on a block of guest memory.

use wavepipe_core::memory::{AtomicOp, Backing, atomic_result32, atomic_result64};
use wavepipe_core::tested::{Any, Host, atomic_row, gather, scatter};

/// Alignment of the first byte.
const ALIGN: usize = 4096;

#[test]
fn bounds_are_exact() {
    let b = Backing::new(100).unwrap();
    assert_eq!(b.load32(96), Some(0));
    for off in [97, 100, 101, u64::MAX, u64::MAX - 3] {
        assert_eq!(b.load32(off), None, "{off}");
        assert_eq!(b.store32(off, 1), None, "{off}");
        assert_eq!(b.atomic32(off, AtomicOp::Add, 1, 0), None, "{off}");
    }
    assert_eq!(b.load_dwords::<25>(0), Some([0; 25]));
    assert_eq!(b.load_dwords::<32>(0), None);
    assert_eq!(b.read(99, &mut [0; 2]), None);
    assert_eq!(b.fill(1, 0, 100), None);
    assert_eq!(b.copy(0, &b, 50, 51), None);
    assert!(Backing::new(u64::MAX).is_none());
    // Kept from the optimiser, which may take an unused allocation for granted.
    assert!(std::hint::black_box(Backing::new(1 << 62)).is_none());
}

#[test]
fn widths_and_alignments() {
    let b = Backing::new(64).unwrap();
    assert_eq!(b.host().addr() % ALIGN, 0);
    for off in 0..8 {
        b.fill(0, 0, 64);
        b.store64(off, 0x0102_0304_0506_0708);
        assert_eq!(b.load64(off), Some(0x0102_0304_0506_0708));
        assert_eq!(b.load8(off), Some(8));
        assert_eq!(b.load16(off + 2), Some(0x0506));
        assert_eq!(b.load32(off + 4), Some(0x0102_0304));
    }
    b.fill(3, 0x4433_2211, 7);
    let mut out = [0; 7];
    b.read(3, &mut out);
    assert_eq!(out, [0x11, 0x22, 0x33, 0x44, 0x11, 0x22, 0x33]);
}

/// Each move of `N` dwords to and from 32 places, beside the same dword by dword.
fn moves<const N: usize>(host: impl Host, name: &str) {
    let b = Backing::new(4096).unwrap();
    let old: Vec<u8> = (0..4096u32).map(|i| (i * 37 >> 3) as u8).collect();
    let word = |m: &[u8], at: usize| u32::from_le_bytes([m[at], m[at + 1], m[at + 2], m[at + 3]]);
    let hash = |i: usize| (i as u32).wrapping_mul(2_654_435_761) >> 7;
    // Every alignment and places that overlap; rows one behind the other; one place for all.
    let places: [[u32; 32]; 3] = [
        std::array::from_fn(|i| hash(i) % if i % 3 == 0 { 40 } else { 4072 }),
        std::array::from_fn(|i| 4 * N as u32 * i as u32),
        [77; 32],
    ];
    for (off, base) in places.iter().zip([8, 0, 1]) {
        b.write(0, &old).unwrap();
        let rows = gather::<N>(&b, host, base, off).unwrap();
        for (j, row) in rows.iter().enumerate() {
            let one = |lane: usize| word(&old, (base + u64::from(off[lane])) as usize + 4 * j);
            assert_eq!(*row, std::array::from_fn(one), "{name}, {N} dwords");
        }
        let data: [[u32; 32]; N] = std::array::from_fn(|j| std::array::from_fn(|lane| hash(99 * j + lane + 5)));
        for mask in [!0, 0, 0x8000_0001, 0x0f0f_3355] {
            let mut want = old.clone();
            for (lane, j) in (0..32).filter(|l| mask >> l & 1 != 0).flat_map(|l| (0..N).map(move |j| (l, j))) {
                let at = (base + u64::from(off[lane])) as usize + 4 * j;
                want[at..at + 4].copy_from_slice(&data[j][lane].to_le_bytes());
            }
            b.write(0, &old).unwrap();
            scatter::<N>(&b, host, base, off, data.each_ref(), mask).unwrap();
            let mut got = vec![0; 4096];
            b.read(0, &mut got).unwrap();
            assert!(got == want, "{name}, {N} dwords, lanes {mask:#x}");
        }
    }
    let past = [4096 - 4 * N as u32 + 1; 32];
    assert!(gather::<N>(&b, host, 0, &past).is_none() && gather::<N>(&b, host, 1, &[1 << 31; 32]).is_none());
}

#[test]
fn rows_to_and_from_32_places() {
    moves::<1>(Any, "any host");
    moves::<2>(Any, "any host");
    moves::<4>(Any, "any host");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: just detected.
        let host = unsafe { wavepipe_core::tested::Avx512::assume() };
        moves::<1>(host, "AVX-512");
        moves::<2>(host, "AVX-512");
        moves::<4>(host, "AVX-512");
        return;
    }
    println!("SKIP avx512");
}

#[test]
fn rows_of_atomics_are_atomics_one_by_one() {
    use AtomicOp::*;
    let data: [u32; 32] = std::array::from_fn(|i| (i as u32).wrapping_mul(0x9e37_79b9));
    let second: [u32; 32] = std::array::from_fn(|i| i as u32 * 3);
    for op in [Swap, CmpSwap, Add, SMin, UMax, Xor, Inc, Dec, FMax] {
        let (a, b) = (Backing::new(256).unwrap(), Backing::new(256).unwrap());
        for i in 0..64 {
            a.store32(4 * i, 0x8000_0000 | i as u32 * 3);
            b.store32(4 * i, 0x8000_0000 | i as u32 * 3);
        }
        let row = atomic_row(&a, 8, op, &data, &second).unwrap();
        for i in 0..32 {
            assert_eq!(Some(row[i]), b.atomic32(8 + 4 * i as u64, op, data[i], second[i]), "{op:?}");
        }
        assert!((0..64).all(|i| a.load32(4 * i) == b.load32(4 * i)), "{op:?}");
        assert!(atomic_row(&a, 4, op, &data, &second).is_none() && atomic_row(&a, 136, op, &data, &second).is_none());
    }
}

/// The host's fetch-and-op instructions and the written-out meaning agree.
#[test]
fn atomics_follow_their_meaning() {
    use AtomicOp::*;
    let integer =
        [Swap, CmpSwap, Add, Sub, Rsub, SMin, UMin, SMax, UMax, And, Or, Xor, Inc, Dec, MaskOr, Wrap, SubClamp];
    let ops = integer.into_iter().chain([FCmpSwap, FMin, FMax, CondSwap]);
    let values = [0u64, 1, 5, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x3f80_0000, 0x7fc0_0000, 1 << 63, !0];
    let b = Backing::new(16).unwrap();
    for op in ops {
        for old in values {
            for data in values {
                b.store64(8, old);
                let (o, d) = (old as u32, data as u32);
                b.store32(0, o);
                assert_eq!(b.atomic32(0, op, d, o), Some(o));
                assert_eq!(b.load32(0), Some(atomic_result32(op, o, d, o)), "{op:?} {o:#x} {d:#x}");
                assert_eq!(b.atomic64(8, op, data, old), Some(old));
                assert_eq!(b.load64(8), Some(atomic_result64(op, old, data, old)), "{op:?} {old:#x}");
            }
        }
    }
    assert_eq!(b.atomic32(2, Add, 1, 0), None);
}
