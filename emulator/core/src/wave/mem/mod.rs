//! Memory operations. Each space turns operands into an address per lane ([`Access`]); moving the data is common.

mod buffer;
mod flat;
mod lds;
mod scalar;
mod transfer;

pub(crate) use transfer::RETURNS;

use super::env::Env;
use super::op::{MicroOp, OpFn};
use super::state::Wave;
use wavepipe_isa::row::{MemKind, Space};

/// Where 32 lanes go.
pub(crate) struct Access {
    /// Byte address in the space's own numbering, of the lanes in `live`.
    pub at: [u64; 32],
    /// What of it is in range of its descriptor; the rest reads zero and is not written.
    pub limit: Limit,
    /// Lanes of EXEC.
    pub live: u32,
    /// Bytes from one dword of a lane's access to the next: 4, or more if the buffer is swizzled.
    pub step: u64,
}

/// How much of each lane's access its descriptor allows.
pub(crate) enum Limit {
    All,
    /// Bytes from the lane's address that are in range.
    Bytes([u32; 32]),
}

impl Access {
    /// Whether `bytes` at `offset` from lane `lane`'s address are in range.
    #[inline(always)]
    pub fn allows(&self, lane: usize, offset: u32, bytes: u32) -> bool {
        match &self.limit {
            Limit::All => true,
            Limit::Bytes(b) => b[lane] >= offset + bytes,
        }
    }
}

pub(crate) fn function(space: Space, kind: MemKind) -> Option<OpFn> {
    match (space, kind) {
        (_, MemKind::Invalidate) => Some(super::table::nop),
        (Space::Scalar, _) => scalar::function(kind),
        (Space::Lds, _) => lds::function(kind),
        (Space::Buffer, _) => transfer::function::<buffer::Buffer>(kind),
        (Space::Flat, _) => transfer::function::<flat::Flat>(kind),
        (Space::Global, _) => transfer::function::<flat::Global>(kind),
        (Space::Scratch, _) => transfer::function::<flat::Scratch>(kind),
    }
}

/// An address calculation of vector memory.
pub(crate) trait Addressing {
    fn access(w: &Wave, op: &MicroOp, half: usize, bytes: u32) -> Access;

    /// Lanes that go to LDS instead of memory (FLAT's shared aperture).
    fn lds_lanes(_access: &Access) -> u32 {
        0
    }
}

/// Addresses of a memory operation that is about to run, for observers: bit `lane` of the mask, and its address.
pub(crate) fn addresses(w: &Wave, op: &MicroOp, _: &Env) -> Option<(Space, u64, Box<[u64; 64]>)> {
    let wavepipe_isa::row::Sem::Mem(space, kind) = op.row.sem else { return None };
    let bytes = transfer::bytes(kind);
    let mut all = Box::new([0; 64]);
    let mut mask = 0;
    for half in 0..w.halves {
        let a = match space {
            Space::Buffer => buffer::Buffer::access(w, op, half, bytes),
            Space::Flat => flat::Flat::access(w, op, half, bytes),
            Space::Global => flat::Global::access(w, op, half, bytes),
            Space::Scratch => flat::Scratch::access(w, op, half, bytes),
            Space::Lds => lds::access(w, op, half),
            Space::Scalar => return None,
        };
        all[32 * half..][..32].copy_from_slice(&a.at);
        mask |= u64::from(a.live) << (32 * half);
    }
    Some((space, mask, all))
}
