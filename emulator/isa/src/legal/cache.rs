//! What rows can tell caches, by the bits of their encodings ([`crate::cache`]).

use crate::cache::{Access, Cache, DLC, Scope};
use crate::generation::{CacheBits, Gen};
use crate::instr::Instr;
use crate::insts::Op;
use crate::layout;
use crate::row::{Format, ImageOp, MemKind, Sem};

/// Bits of the cache word that the row takes, of those that its encoding has.
pub fn cache_bits(op: Op, generation: Gen) -> u8 {
    let row = op.row();
    let bits = layout::cache_word(row, generation);
    match (row.format, row.sem) {
        (Format::Smem, Sem::Mem(_, MemKind::Load { .. } | MemKind::Store { .. } | MemKind::Atomic { .. })) => bits,
        (Format::Smem, _) | (Format::Mubuf, Sem::Mem(_, MemKind::Invalidate)) => 0,
        (_, Sem::Mem(_, MemKind::Image(ImageOp::IntersectRay { .. }))) => 0,
        (Format::Mubuf, Sem::Mem(_, MemKind::Atomic { .. }))
            if generation.caps().cache_bits == CacheBits::GlcSlcDlc =>
        {
            bits & !DLC
        }
        _ => bits,
    }
}

/// A store that may write less than a dword: bytes, halves, and what a format says.
fn may_be_narrow(op: Op) -> bool {
    let Sem::Mem(_, kind) = op.row().sem else { return false };
    match kind {
        MemKind::Store { bits, .. } => bits < 32,
        MemKind::StoreFormat { .. } => true,
        MemKind::Image(ImageOp::Store { .. }) => true,
        _ => false,
    }
}

/// What the row has to say for all of a scope to see its access: the least that does, or all that it can say. Where L1 gets narrow
/// stores wrong, they pass it by.
pub fn shared(op: Op, scope: Scope, generation: Gen) -> Cache {
    let passes = generation.caps().narrow_store_bug && may_be_narrow(op);
    let scope = if passes { scope.max(Scope::Device) } else { scope };
    let (access, bits) = (Access::of(op.row()), cache_bits(op, generation));
    let said = (0..=bits).filter(|word| word & !bits == 0).map(|word| Cache::of(access, word, generation));
    let scopes: Vec<Cache> = said.filter(|c| *c == Cache { scope: c.scope, ..Cache::DEFAULT }).collect();
    let enough = scopes.iter().filter(|c| c.scope >= scope).min_by_key(|c| c.scope);
    *enough.or(scopes.iter().max_by_key(|c| c.scope)).unwrap_or(&Cache::DEFAULT)
}

impl Instr {
    /// The bits by which the generation says what caches are told, if the row has them.
    pub(crate) fn cache_word(&self, generation: Gen) -> Result<u8, String> {
        match self.cache.word(Access::of(self.op.row()), generation) {
            Some(0) => Ok(0),
            Some(word) if word & !cache_bits(self.op, generation) == 0 => Ok(word),
            _ => Err(format!("cannot tell caches {:?}", self.cache)),
        }
    }

    pub(crate) fn set_cache_word(&mut self, word: u8, generation: Gen) {
        self.cache = Cache::of(Access::of(self.op.row()), word, generation);
    }
}
