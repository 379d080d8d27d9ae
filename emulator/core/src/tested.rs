//! What the suite tests beyond the public interface. It is no interface: it changes without notice.

use crate::gds::{Gds, Ticket};
use crate::memory::{AtomicOp, Backing, Memory};
use wavepipe_isa::row::GwsOp;

pub use crate::dispatch::placement::{WHOLE_MACHINE, share};
pub use crate::doorbells::{Doorbells, PIPES};
#[cfg(target_arch = "x86_64")]
pub use crate::memory::rows::Avx512;
pub use crate::memory::rows::{Any, Host};
pub use crate::process::current as current_process;
pub use crate::wave::check::races::clock::{Clock, KNOWN};
pub use crate::wave::check::registers::RegisterSet;
pub use crate::wave::check::touches::Touches;
pub use crate::wave::findings::{Findings, KEPT, TOLD};
pub use crate::wave::touched::Touched;

/// Allocations, and what of them is written.
pub mod contents {
    pub use crate::wave::check::init::contents::{Contents, find};
}

/// Faces of a cube.
pub mod cube {
    pub use crate::wave::mem::image::cube::{FACES, across, project};
}

/// Parts of LDS.
pub mod parts {
    pub use crate::wave::check::parts::{is_in_one, near};
}

/// The plain format's shorter way.
pub mod texels {
    pub use crate::wave::mem::image::texels::{UNORM8, unorm8};
}

/// Last writers, without waves.
pub mod writers {
    pub use crate::wave::check::writers::{enter, tidied, written_by};
}

/// What a wave holds while a resource of GWS keeps it waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held(Ticket);

/// Executes a GWS instruction; `held` is what an earlier try returned if the wave had to wait.
pub fn gws(gds: &Gds, op: GwsOp, resource: u32, value: u32, held: Option<Held>) -> Option<Held> {
    gds.step(op, resource, value, held.map(|h| h.0)).map(Held)
}

/// Counts all addresses as given out, as they are after a long time.
pub fn use_up_addresses(memory: &Memory) {
    memory.use_up_addresses();
}

/// Reads `N` dwords from each of 32 places.
pub fn gather<const N: usize>(from: &Backing, host: impl Host, base: u64, off: &[u32; 32]) -> Option<[[u32; 32]; N]> {
    from.gather(host, base, off)
}

/// Writes `N` dwords to each of 32 places, for the lanes of `mask`.
pub fn scatter<const N: usize>(
    to: &Backing,
    host: impl Host,
    base: u64,
    off: &[u32; 32],
    data: [&[u32; 32]; N],
    mask: u32,
) -> Option<()> {
    to.scatter(host, base, off, data, mask)
}

/// Executes an atomic on 32 consecutive dwords and returns the values before.
pub fn atomic_row(of: &Backing, off: u64, op: AtomicOp, data: &[u32; 32], second: &[u32; 32]) -> Option<[u32; 32]> {
    of.atomic_row(off, op, data, second)
}
