//! T# of a bounding volume hierarchy, which instructions that intersect rays take.

use super::{Column, Field, by_generation, fields, get, on, pieces, put};
use wavepipe_isa::Gen;

/// [`BvhDescriptor::kind`] of a hierarchy.
pub const BVH: u8 = 8;
/// log2 of the bytes by which nodes are numbered.
pub const BVH_NODE_BITS: u32 = 6;

/// T#, the 128-bit resource of a bounding volume hierarchy. Until RDNA 1 there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct BvhDescriptor {
    /// Byte address, 48 bits, 256-byte aligned.
    pub base: u64,
    /// BOX_GROW_VALUE: units in the last place by which the far end of a box's interval is moved away.
    pub box_grow: u8,
    /// BOX_SORT_EN: children that are hit come in the order in which the ray enters them.
    pub box_sort: bool,
    /// SIZE: nodes of 64 bytes, minus one, 42 bits.
    pub last_node: u64,
    /// TRIANGLE_RETURN_MODE: a triangle's result ends in barycentrics, not in its id and whether it was hit.
    pub barycentrics: bool,
    pub llc_noalloc: u8,
    pub big_page: bool,
    /// TYPE, 4 bits ([`BVH`]).
    pub kind: u8,
}

impl BvhDescriptor {
    /// A sorted hierarchy of `bytes` at `base`.
    pub fn new(base: u64, bytes: u64) -> BvhDescriptor {
        let last_node = (bytes >> BVH_NODE_BITS).max(1) - 1;
        BvhDescriptor { base, box_sort: true, last_node, kind: BVH, ..Default::default() }
    }

    /// The address of a node, in units of 64 bytes; `None` behind the last.
    pub fn node(&self, number: u64) -> Option<u64> {
        (self.kind == BVH && number <= self.last_node).then(|| self.base.wrapping_add(number << BVH_NODE_BITS))
    }

    fn write<const G: usize>(self) -> [u32; 4] {
        self.words::<G>()
    }

    fn read<const G: usize>(w: [u32; 4]) -> Self {
        BvhDescriptor::fields::<G>(w)
    }

    pub fn to_words(self, isa: Gen) -> [u32; 4] {
        WRITE[isa as usize](self)
    }

    pub fn from_words(w: [u32; 4], isa: Gen) -> Self {
        READ[isa as usize](w)
    }
}

static READ: [fn([u32; 4]) -> BvhDescriptor; Gen::COUNT] = by_generation!(BvhDescriptor::read);
static WRITE: [fn(BvhDescriptor) -> [u32; 4]; Gen::COUNT] = by_generation!(BvhDescriptor::write);

const ONES: Column = on![Gfx600];

fields! { BvhDescriptor, 4, ones ONES;
    base >> 8 => on![Gfx600, Gfx1030 (0, 0, 32) (1, 0, 8)];
    box_grow => on![Gfx600, Gfx1030 (1, 23, 8)];
    box_sort => on![Gfx600, Gfx1030 (1, 31, 1)];
    last_node => on![Gfx600, Gfx1030 (2, 0, 32) (3, 0, 10)];
    barycentrics => on![Gfx600, Gfx1030 (3, 24, 1)];
    llc_noalloc => on![Gfx600, Gfx1030 (3, 25, 2), Gfx1201];
    big_page => on![Gfx600, Gfx1030 (3, 27, 1), Gfx1201];
    kind => on![Gfx600, Gfx1030 (3, 28, 4)];
}
