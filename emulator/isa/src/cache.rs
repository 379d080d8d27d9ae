//! What an instruction tells the caches: how far its data is shared, for how long it is of use, and whether an atomic gives
//! the value before back.
//!
//! An instruction holds what is meant ([`Cache`]). The bits that say it are a generation's, and stand in the encoding and in
//! the text alone: GLC and SLC, with DLC on RDNA 1 to 3, scope and temporal hint from RDNA 4 on. Every combination of bits
//! means something of its own ([`Cache::of`]), so each comes back as it was ([`Cache::word`]).
//!
//! What the bits of GCN to RDNA 3 mean is said in Mesa's ac_get_hw_cache_flags, of RDNA 1 in its ISA manual too (8.1.10), those
//! of RDNA 4 in its manual (4.8, "Scope and temporal hints").

use crate::generation::{CacheBits, Gen};
use crate::row::{ImageOp, MemKind, Row, Sem};

/// Who sees an access: caches of fewer than these are passed by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default, PartialOrd, Ord)]
pub enum Scope {
    /// Waves of the compute unit.
    #[default]
    Unit,
    /// Of the shader array; of the shader engine, where L1 is its.
    Array,
    Device,
    System,
}

impl Scope {
    pub const ALL: [Scope; 4] = [Scope::Unit, Scope::Array, Scope::Device, Scope::System];

    pub fn name(self) -> &'static str {
        ["unit", "array", "device", "system"][self as usize]
    }
}

/// For how long data is of use. Near caches are L0, L1 and L2, the far one is behind them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum Temporal {
    #[default]
    Regular,
    /// Once: no cache keeps it for long.
    Stream,
    /// Often.
    High,
    /// The last use.
    Last,
    /// Written back at once.
    WriteBack,
    /// Nowhere kept.
    Uncached,
    StreamNear,
    StreamFar,
    /// Once for the near caches, often for the far one.
    StreamHigh,
    StreamWriteBack,
    /// Atomics of one address are put together.
    Cascade,
    CascadeStream,
    Reserved,
}

/// What caches are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub struct Cache {
    /// An atomic gives the value before back.
    pub returns: bool,
    pub scope: Scope,
    pub temporal: Temporal,
    /// A load passes L1 by, and a store L2, though the scope does not ask for it (RDNA 1 and 2).
    pub bypass: bool,
}

/// Who reads the bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Access {
    Load,
    Store,
    Atomic,
}

impl Access {
    pub const ALL: [Access; 3] = [Access::Load, Access::Store, Access::Atomic];

    pub fn of(row: &Row) -> Access {
        match row.sem {
            Sem::Mem(_, MemKind::Atomic { .. } | MemKind::Image(ImageOp::Atomic(_))) => Access::Atomic,
            Sem::Mem(_, kind) if kind.writes() && row.dst.is_empty() && !row.src.is_empty() => Access::Store,
            Sem::Todo if row.dst.is_empty() => Access::Store,
            _ => Access::Load,
        }
    }
}

/// Bits of a cache word, of GCN to RDNA 3, and of RDNA 4.
pub(crate) const GLC: u8 = 1;
pub(crate) const SLC: u8 = 2;
pub(crate) const DLC: u8 = 4;
pub(crate) const HINT: u8 = 0x07;
pub(crate) const SCOPE: u8 = 0x18;

/// Temporal hints of RDNA 4 by number; the fourth is [`Temporal::Uncached`] for the whole system.
const LOADS: [Temporal; 8] = {
    use Temporal::*;
    [Regular, Stream, High, Last, StreamNear, StreamFar, StreamHigh, Reserved]
};
const STORES: [Temporal; 8] = {
    use Temporal::*;
    [Regular, Stream, High, WriteBack, StreamNear, StreamFar, StreamHigh, StreamWriteBack]
};
/// Without the lowest bit, which asks for the value before.
const ATOMICS: [Temporal; 4] = [Temporal::Regular, Temporal::Stream, Temporal::Cascade, Temporal::CascadeStream];

impl Cache {
    pub const DEFAULT: Cache = Cache { returns: false, scope: Scope::Unit, temporal: Temporal::Regular, bypass: false };

    /// Seen by all of a scope.
    pub const fn of_scope(scope: Scope) -> Cache {
        Cache { scope, ..Cache::DEFAULT }
    }

    /// What the bits of a word mean.
    pub fn of(access: Access, word: u8, generation: Gen) -> Cache {
        use Access::*;
        let [glc, slc, dlc] = [GLC, SLC, DLC].map(|bit| word & bit != 0);
        let returns = access == Atomic && glc;
        let stream = if slc { Temporal::Stream } else { Temporal::Regular };
        let shared = if glc && !returns { Scope::Device } else { Scope::Unit };
        let plain = Cache { returns, scope: shared, temporal: stream, bypass: false };
        match (generation.caps().cache_bits, access) {
            (CacheBits::GlcSlc, _) => plain,
            // L0 is the unit's, L1 the array's: GLC passes the one, DLC the other.
            (CacheBits::GlcSlcDlc, Load) => match (glc, dlc) {
                (true, false) => Cache { scope: Scope::Array, ..plain },
                _ => Cache { bypass: dlc && !glc, ..plain },
            },
            (CacheBits::GlcSlcDlc, Store | Atomic) => Cache { bypass: dlc, ..plain },
            (CacheBits::NearFar, _) => {
                let temporal = match (slc, dlc) {
                    (false, false) => Temporal::Regular,
                    (true, false) => Temporal::StreamNear,
                    (false, true) => Temporal::StreamFar,
                    (true, true) => Temporal::Stream,
                };
                Cache { temporal, ..plain }
            }
            (CacheBits::ScopeHint, _) => {
                let scope = Scope::ALL[usize::from((word & SCOPE) >> SCOPE.trailing_zeros())];
                let hint = usize::from(word & HINT);
                let temporal = match access {
                    Load | Store if hint == 3 && scope == Scope::System => Temporal::Uncached,
                    Load => LOADS[hint],
                    Store => STORES[hint],
                    Atomic => ATOMICS[hint >> 1],
                };
                Cache { returns, scope, temporal, bypass: false }
            }
        }
    }

    /// The word that means this, if the generation has one.
    pub fn word(self, access: Access, generation: Gen) -> Option<u8> {
        if self == Cache::DEFAULT {
            return Some(0);
        }
        (0..=generation.caps().cache_bits.most()).find(|&word| Cache::of(access, word, generation) == self)
    }

    /// Whether an access goes past the cache of its compute unit.
    pub fn passes_l0(self) -> bool {
        self.scope > Scope::Unit
    }

    /// Whether a load goes past the L1 of its array: one that passes L0 by and streams does too (RDNA 1's manual, 8.1.10).
    pub fn passes_l1(self) -> bool {
        self.bypass || self.scope >= Scope::Device || self.passes_l0() && self.streams()
    }

    /// Whether L2 lets the line go first.
    pub fn streams(self) -> bool {
        use Temporal::*;
        matches!(self.temporal, Stream | StreamNear | StreamHigh | StreamWriteBack | CascadeStream | Uncached)
    }
}
