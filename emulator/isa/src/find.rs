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
