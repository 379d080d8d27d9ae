//! What atomics leave in memory.

use wavepipe_core::memory::{AtomicOp, atomic_result32, atomic_result64};

#[test]
fn by_hand() {
    assert_eq!(atomic_result32(AtomicOp::SMin, 5, u32::MAX, 0), u32::MAX);
    assert_eq!(atomic_result32(AtomicOp::Inc, 7, 7, 0), 0);
    assert_eq!(atomic_result32(AtomicOp::Dec, 0, 9, 0), 9);
    assert_eq!(atomic_result32(AtomicOp::Dec, 10, 9, 0), 9);
    assert_eq!(atomic_result32(AtomicOp::MaskOr, 0xff, 0x0f, 0x100), 0x1f0);
    assert_eq!(atomic_result32(AtomicOp::Wrap, 7, 5, 9), 2);
    assert_eq!(atomic_result32(AtomicOp::Wrap, 3, 5, 9), 12);
    assert_eq!(atomic_result32(AtomicOp::SubClamp, 7, 5, 0), 2);
    assert_eq!(atomic_result32(AtomicOp::SubClamp, 3, 5, 0), 0);
    assert_eq!(atomic_result32(AtomicOp::CondSub, 7, 5, 0), 2);
    assert_eq!(atomic_result32(AtomicOp::CondSub, 3, 5, 0), 3);
    assert_eq!(atomic_result64(AtomicOp::CondSwap, 0x1111_1111_2222_2222, 0x8000_0003_7000_0004, 0), 0x3_2222_2222);
    assert_eq!(
        atomic_result64(AtomicOp::CondSwap, 0x1111_1111_2222_2222, 0x0000_0003_f000_0004, 0),
        0x1111_1111_7000_0004
    );
}
