//! Packets that several rooms build alike, and their trace.

use crate::config::report;
use wavepipe_hw::pm4::{Packet, gcr, uconfig};
use wavepipe_isa::Gen;

const WHOLE: u64 = !0;

/// Makes all earlier writes of anybody visible to what follows.
pub(crate) fn acquire_all() -> Packet {
    Packet::AcquireMem { gcr_cntl: gcr::BARRIER, base: 0, size: WHOLE }
}

/// Makes newly uploaded code visible to instruction fetch.
pub(crate) fn invalidate_code(base: u64, size: u64) -> Packet {
    Packet::AcquireMem { gcr_cntl: gcr::GLI_INV_RANGE, base, size }
}

/// Points samplers with border colours of their own at the table of them; 256-byte aligned.
pub(crate) fn border_colors(table: u64) -> Packet {
    Packet::SetUconfigReg { reg: uconfig::TA_CS_BC_BASE_ADDR, values: vec![(table >> 8) as u32, (table >> 40) as u32] }
}

/// Prints packets to stderr (`WAVEPIPE_DEBUG=packets`).
pub(crate) fn trace(mut words: &[u32], isa: Gen) {
    while !words.is_empty() {
        match Packet::decode(words, isa) {
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
