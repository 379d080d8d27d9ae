//! Instructions by what they do to memory, and the reach of their offsets.

use wavepipe_isa::find::*;
use wavepipe_isa::insts as i;
use wavepipe_isa::row::{AtomicOp, Format, MemKind};
use wavepipe_isa::{Gen, Op};

#[test]
fn rows_are_the_generations() {
    let load = |dwords| MemKind::Load { bits: 32, signed: false, dwords };
    for generation in Gen::ALL {
        let find = |way, kind, returns| find(way, kind, returns, generation);
        assert_eq!(find(Way::Scalar, load(1), false), Some(i::S_LOAD_DWORD));
        assert_eq!(find(Way::ScalarBuffer, load(8), false), Some(i::S_BUFFER_LOAD_DWORDX8));
        assert_eq!(find(Way::Buffer, load(4), true), Some(i::BUFFER_LOAD_DWORDX4));
        assert_eq!(find(Way::Lds, load(2), false), Some(i::DS_READ_B64));
        let add = MemKind::Atomic { op: AtomicOp::Add, dwords: 2 };
        assert_eq!(find(Way::Lds, add, false), Some(i::DS_ADD_U64));
        assert_eq!(find(Way::Lds, add, true), Some(i::DS_ADD_RTN_U64));
        assert_eq!(find(Way::Buffer, add, true), find(Way::Buffer, add, false));
        let has = |op: Op| op.row().encoding(generation).is_some();
        assert_eq!(find(Way::Global, load(1), false), has(i::GLOBAL_LOAD_DWORD).then_some(i::GLOBAL_LOAD_DWORD));
        assert_eq!(find(Way::Flat, load(1), false), has(i::FLAT_LOAD_DWORD).then_some(i::FLAT_LOAD_DWORD));
    }
    assert_eq!(find(Way::Buffer, load(3), false, Gen::Gfx600), None);
    assert_eq!(find(Way::Lds, load(4), false, Gen::Gfx600), None);
}

/// The widths are those of the ISA documents.
#[test]
fn offsets_reach_as_far_as_their_fields() {
    let all = |format| Gen::ALL.map(|g| offsets(format, g));
    let same = |low: i32, high: i32| Some(low..=high);
    let (smem, global) = (all(Format::Smem), all(Format::Global));
    assert_eq!(smem[..4], [same(0, 255), same(0, 255), same(-0x10_0000, 0xf_ffff), same(-0x10_0000, 0xf_ffff)]);
    assert_eq!(global[..4], [None, None, same(-4096, 4095), same(-2048, 2047)]);
    assert!(all(Format::Ds).iter().all(|r| *r == same(0, 65535)));
    assert!(all(Format::Mubuf)[..7].iter().all(|r| *r == same(0, 4095)));
    let sums = Gen::ALL.map(adds_scalar_offsets);
    assert_eq!(sums[..4], [false, false, true, true]);
}
