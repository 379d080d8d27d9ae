//! What the issue of instructions asks of the memory hierarchy, and what it hears.

use wavepipe_isa::cache::Cache;

/// What a vector memory instruction or an LDS instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Load,
    Store,
    Atomic {
        /// The value before it comes back.
        returns: bool,
    },
}

impl Kind {
    /// Data comes back to registers.
    pub fn returns(self) -> bool {
        matches!(self, Kind::Load | Kind::Atomic { returns: true })
    }
}

/// One 32-lane pass of a vector memory instruction.
#[derive(Clone, Copy, Debug)]
pub struct VectorAccess<'a> {
    /// Byte address of each lane; those of lanes outside of `mask` are ignored.
    pub at: &'a [u64; 32],
    pub mask: u32,
    /// Bytes that each lane moves, consecutive from its address.
    pub bytes: u32,
    pub kind: Kind,
    /// What the instruction tells the caches.
    pub cache: Cache,
    pub texture: Option<Texture<'a>>,
}

/// What an image instruction adds.
#[derive(Clone, Copy, Debug)]
pub struct Texture<'a> {
    /// The texture unit interpolates; without it an image load is like a buffer load.
    pub filtered: bool,
    /// Addresses of further texels of each lane, besides [`VectorAccess::at`]: 3 of a bilinear footprint, 7 of a trilinear.
    pub neighbours: &'a [[u64; 32]],
}

/// A scalar memory instruction.
#[derive(Clone, Copy, Debug)]
pub struct ScalarAccess {
    /// SIMD of the work-group processor, whose return port the data takes.
    pub simd: usize,
    pub at: u64,
    pub dwords: u32,
    pub kind: Kind,
    pub cache: Cache,
}

/// One 32-lane pass of an LDS instruction.
#[derive(Clone, Copy, Debug)]
pub struct LdsAccess<'a> {
    /// Byte address of each lane in the LDS that its work-group sees, its allocation's base added: 64 KB in compute-unit
    /// mode, both arrays in work-group-processor mode.
    pub at: &'a [u32; 32],
    /// Second addresses of the two-address instructions (DS_READ2, DS_WRITE2).
    pub second: Option<&'a [u32; 32]>,
    pub mask: u32,
    /// Dwords that each lane moves at each address, at least 1.
    pub dwords: u32,
    /// Dwords of addresses and data that each lane sends.
    pub operands: u32,
    pub kind: Kind,
    /// The work-group runs in work-group-processor mode.
    pub wgp_mode: bool,
}

/// Levels of the hierarchy by which [`Met`] counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(usize)]
pub enum Level {
    /// L0 of vector or scalar data, or of instructions; the LDS.
    L0,
    L1,
    L2,
    Memory,
}

/// What one access met on its way. Lines and bytes are sums over the access.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Met {
    /// Lanes that took part.
    pub lanes: u16,
    /// Cache lines after coalescing.
    pub lines: u16,
    /// By [`Level`]; a miss in flight that another access started counts as a miss. Memory has none.
    pub hits: [u16; 3],
    pub misses: [u16; 3],
    /// Bytes that crossed to the registers from L0 or the LDS, then between each level and the next below, both ways.
    pub bytes: [u32; 4],
    /// Translations that missed in the compute unit's TLB.
    pub tlb_misses: u16,
    /// Cycles of LDS service beyond those that the data takes without conflicts; of an atomic at L2, those in which lanes
    /// waited for another lane's operation on the same dword.
    pub conflicts: u32,
    /// Cycles that it kept the first unit on its way: the vector path of its compute unit, banks of the scalar cache, arrays
    /// of the LDS.
    pub service: u32,
    /// Cycles that the access waited for units that others kept busy, on its slowest line.
    pub queued: u32,
}

impl Met {
    pub(super) fn found(&mut self, level: Level, here: bool) {
        match here {
            true => self.hits[level as usize] += 1,
            false => self.misses[level as usize] += 1,
        }
    }

    pub(super) fn waited(&mut self, cycles: u64) {
        self.queued = self.queued.max(cycles as u32);
    }

    pub(super) fn moved(&mut self, level: Level, bytes: u64) {
        self.bytes[level as usize] += bytes as u32;
    }
}

/// When an access is served. Cycles of the shader clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The unit takes its next instruction from this cycle on.
    pub taken: u64,
    /// Data is in registers, or the write is acknowledged: the wait counter goes down.
    pub done: u64,
    pub met: Met,
}
