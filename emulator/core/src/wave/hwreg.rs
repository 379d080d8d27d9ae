//! Hardware registers of a wave, by the numbers that S_GETREG and S_SETREG give them: RDNA 1 ISA document, table
//! "Hardware Register Values".

use super::state::{PRIVATE_APERTURE, SCC, SHARED_APERTURE, VCC, Wave};

pub(crate) const MODE: u32 = 1;
const STATUS: u32 = 2;
const GPR_ALLOC: u32 = 5;
const SH_MEM_BASES: u32 = 15;
const FLAT_SCR_LO: u32 = 20;
const FLAT_SCR_HI: u32 = 21;
const HW_ID1: u32 = 23;

/// All 32 bits of a register; those that this machine does not have read zero.
pub(crate) fn get(w: &Wave, register: u32) -> u32 {
    match register {
        MODE => w.mode,
        // SCC in bit 0, EXECZ in bit 9, VCCZ in bit 10.
        STATUS => w.s.0[SCC] & 1 | u32::from(w.exec64() == 0) << 9 | u32::from(w.mask(VCC) == 0) << 10,
        GPR_ALLOC => w.vgprs.saturating_sub(1) / 4 << 8,
        // Bits 63:48 of the private aperture's base, then of the shared one's.
        SH_MEM_BASES => PRIVATE_APERTURE >> 16 | SHARED_APERTURE & 0xffff_0000,
        FLAT_SCR_LO => w.flat_scratch as u32,
        FLAT_SCR_HI => (w.flat_scratch >> 32) as u32,
        // WAVE_ID in bits 4:0.
        HW_ID1 => w.index & 31,
        _ => 0,
    }
}

/// Writes the bits of `mask`; what no wave may write keeps its value.
pub(crate) fn set(w: &mut Wave, register: u32, mask: u32, value: u32) {
    let merged = get(w, register) & !mask | value & mask;
    match register {
        MODE => w.mode = merged,
        FLAT_SCR_LO => w.flat_scratch = w.flat_scratch & !0xffff_ffff | u64::from(merged),
        FLAT_SCR_HI => w.flat_scratch = w.flat_scratch & 0xffff_ffff | u64::from(merged) << 32,
        _ => {}
    }
}
