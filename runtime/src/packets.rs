//! Packets that several rooms build alike, and their trace.

use crate::config::report;
use wavepipe_hw::pm4::Packet;

/// GCR_CNTL of ACQUIRE_MEM, gfx10: which caches are invalidated.
mod gcr {
    /// GLI_INV = RANGE: the instruction cache, for the packet's range.
    pub const GLI_INV_RANGE: u32 = 2;
    /// GLK_INV, GLV_INV, GL1_INV: scalar, vector L0 and L1.
    pub const DATA_INV: u32 = 1 << 7 | 1 << 8 | 1 << 9;
}

const WHOLE: u64 = !0;

/// Makes all earlier writes of anybody visible to what follows.
pub(crate) fn acquire_all() -> Packet {
    Packet::AcquireMem { gcr_cntl: gcr::DATA_INV, base: 0, size: WHOLE }
}

/// Makes newly uploaded code visible to instruction fetch.
pub(crate) fn invalidate_code(base: u64, size: u64) -> Packet {
    Packet::AcquireMem { gcr_cntl: gcr::GLI_INV_RANGE, base, size }
}

/// Prints packets to stderr (`WAVEPIPE_DEBUG=packets`).
pub(crate) fn trace(mut words: &[u32]) {
    while !words.is_empty() {
        match Packet::decode(words) {
            Ok((packet, dwords)) => {
                report(&format!("packet {packet:x?}"));
                words = &words[dwords.max(1)..];
            }
            Err(e) => {
                report(&format!("packet that does not decode: {e}"));
                return;
            }
        }
    }
}
