//! Lanes that an operation could not serve, and the fault that tells of them.

use crate::wave::state::Wave;
use wavepipe_hw::fault::FaultKind;

/// Why a lane was not served.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Cause {
    /// Outside of every allocation.
    #[default]
    Wild,
    /// An atomic whose address is not a multiple of its size.
    Misaligned,
    OutOfLds,
    OutOfGds,
}

#[derive(Default)]
pub(crate) struct Failed {
    /// Lanes that failed as the first of them did.
    pub lanes: u64,
    cause: Cause,
    first: u64,
    /// Bytes of the share that the first was outside of.
    size: u32,
}

impl Failed {
    #[cold]
    pub fn add(&mut self, cause: Cause, lane: usize, at: u64, size: u64) {
        if self.lanes == 0 {
            (self.cause, self.first, self.size) = (cause, at, size as u32);
        }
        if cause == self.cause {
            self.lanes |= 1 << lane;
        }
    }

    #[cold]
    pub fn wild(&mut self, lane: usize, at: u64) {
        self.add(Cause::Wild, lane, at, 0);
    }

    /// Ends an operation of `bytes` a lane: a fault if any lane failed.
    #[inline(always)]
    pub fn report(&self, w: &mut Wave, bytes: u32, write: bool) -> bool {
        self.lanes != 0 && self.fail(w, bytes, write)
    }

    // Apart from the caller's code, whose common way out it is not.
    #[cold]
    #[inline(never)]
    fn fail(&self, w: &mut Wave, bytes: u32, write: bool) -> bool {
        let (address, size) = (self.first, self.size);
        let kind = match self.cause {
            Cause::Wild => FaultKind::WildAddress { address, bytes, write, nearest: None },
            Cause::Misaligned => FaultKind::Misaligned { address, align: bytes },
            Cause::OutOfLds => FaultKind::LdsOutOfRange { address, bytes, size },
            Cause::OutOfGds => FaultKind::GdsOutOfRange { address, bytes, size },
        };
        w.fail(kind, self.lanes)
    }
}
