//! Instructions by what they do to memory, and how far their constant offsets reach.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

use crate::generation::Gen;
use crate::insts::Op;
use crate::layout;
use crate::row::{Format, MemKind, Row, Sem, Space, Ty};

/// A way to memory: what an instruction's address is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Way {
    /// Scalar memory at an address.
    Scalar,
    /// Scalar memory of a buffer.
    ScalarBuffer,
    /// Vector memory by a V#; with [`Flags::ADDR64`](crate::instr::Flags::ADDR64) at any address, where there is that.
    Buffer,
    Global,
    Flat,
    Lds,
    Image,
}

impl Way {
    fn of(row: &Row) -> Option<Way> {
        Some(match (row.sem, row.format) {
            (Sem::Mem(Space::Scalar, _), Format::Smem) => match row.src.first() {
                Some(Ty::Addr64) => Way::Scalar,
                _ => Way::ScalarBuffer,
            },
            (Sem::Mem(Space::Buffer, _), Format::Mubuf) => Way::Buffer,
            (Sem::Mem(Space::Global, _), Format::Global) => Way::Global,
            (Sem::Mem(Space::Flat, _), Format::Flat) => Way::Flat,
            (Sem::Mem(Space::Lds, _), Format::Ds) => Way::Lds,
            (Sem::Mem(Space::Image, _), Format::Mimg) => Way::Image,
            _ => return None,
        })
    }

    /// The family of its instructions.
    pub fn format(self) -> Format {
        match self {
            Way::Scalar | Way::ScalarBuffer => Format::Smem,
            Way::Buffer => Format::Mubuf,
            Way::Global => Format::Global,
            Way::Flat => Format::Flat,
            Way::Lds => Format::Ds,
            Way::Image => Format::Mimg,
        }
    }
}

type Key = (Way, MemKind, bool);

/// Whether it is one of a pair, of which one gives back what was in memory and the other does not.
fn paired(way: Way, kind: MemKind) -> bool {
    way == Way::Lds && matches!(kind, MemKind::Atomic { .. })
}

fn triple(way: Way, kind: MemKind) -> bool {
    way == Way::Buffer && matches!(kind, MemKind::Load { dwords: 3, .. } | MemKind::Store { dwords: 3, .. })
}

fn key(op: Op) -> Option<Key> {
    let row = op.row();
    let Sem::Mem(_, kind) = row.sem else { return None };
    let way = Way::of(row)?;
    let silent = matches!(kind, MemKind::Invalidate | MemKind::Hint | MemKind::Clock { .. } | MemKind::WaveId);
    (!silent).then(|| (way, kind, paired(way, kind) && !row.dst.is_empty()))
}

/// The row by which a generation does this to memory. `returns`: of an atomic, the value before is wanted; where a flag asks for it,
/// the row is the same.
pub fn find(way: Way, kind: MemKind, returns: bool, generation: Gen) -> Option<Op> {
    type Rows = HashMap<Key, Op>;
    static ROWS: [OnceLock<Rows>; Gen::COUNT] = [const { OnceLock::new() }; Gen::COUNT];
    let rows = ROWS[generation as usize].get_or_init(|| {
        let mut rows = Rows::new();
        for op in Op::of(generation) {
            if let Some(key) = key(op).filter(|(way, kind, _)| !triple(*way, *kind) || generation.caps().buffer_triples)
            {
                rows.entry(key).or_insert(op);
            }
        }
        rows
    });
    rows.get(&(way, kind, returns && paired(way, kind))).copied()
}

/// The constant offsets that a family's encoding holds, in its units; none where the generation lacks them.
pub fn offsets(format: Format, generation: Gen) -> Option<RangeInclusive<i32>> {
    type Ranges = HashMap<Format, RangeInclusive<i32>>;
    static RANGES: [OnceLock<Ranges>; Gen::COUNT] = [const { OnceLock::new() }; Gen::COUNT];
    let ranges = RANGES[generation as usize].get_or_init(|| {
        let families = [Format::Smem, Format::Ds, Format::Flat, Format::Global, Format::Scratch, Format::Mubuf];
        families.into_iter().filter_map(|f| Some((f, layout::offsets(f, generation)?))).collect()
    });
    ranges.get(&format).cloned()
}

/// Whether scalar memory adds a register and a constant.
pub fn adds_scalar_offsets(generation: Gen) -> bool {
    layout::adds_offsets(generation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::insts as i;
    use crate::row::AtomicOp;

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
}
