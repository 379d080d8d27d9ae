//! Hardware registers of a wave, by the numbers that S_GETREG and S_SETREG give them: RDNA 1 ISA document, table
//! "Hardware Register Values"; SHADER_CYCLES is RDNA 2's.

use super::state::{SCC, VCC, Wave};
use wavepipe_isa::Gen;
use wavepipe_isa::disasm::has_hwreg;
use wavepipe_isa::generation::inherited;

pub(crate) const MODE: u32 = 1;
const STATUS: u32 = 2;
const TRAPSTS: u32 = 3;
const HW_ID: u32 = 4;
const GPR_ALLOC: u32 = 5;
const LDS_ALLOC: u32 = 6;
const SH_MEM_BASES: u32 = 15;
const FLAT_SCR_LO: u32 = 20;
const FLAT_SCR_HI: u32 = 21;
const HW_ID1: u32 = 23;
const SHADER_CYCLES: u32 = 29;

/// Bits of STATUS.
mod status {
    pub const USER_PRIO: u32 = 3;
    pub const EXECZ: u32 = 9;
    pub const VCCZ: u32 = 10;
    pub const IN_WG: u32 = 11;
    pub const VALID: u32 = 16;
}

/// Bits of MODE that there are: SQ_WAVE_MODE of the register databases of gfx6 to gfx10.3. Of all: FP_ROUND, FP_DENORM, DX10_CLAMP,
/// IEEE, LOD_CLAMPED.
const MODE_BITS: &[(Gen, u32)] = {
    const ALL: u32 = 0x7ff;
    const DEBUG_EN: u32 = 1 << 11;
    const VSKIP_CSP: u32 = 0xf << 28;
    const EXCP_EN: u32 = 0x1ff << 12;
    const FP16_OVFL: u32 = 1 << 23;
    &[
        (Gen::Gfx600, ALL | DEBUG_EN | 0x7f << 12 | VSKIP_CSP),
        (Gen::Gfx701, ALL | DEBUG_EN | EXCP_EN | VSKIP_CSP),
        // POPS_PACKER0, POPS_PACKER1, DISABLE_PERF, GPR_IDX_EN.
        (Gen::Gfx900, ALL | DEBUG_EN | EXCP_EN | FP16_OVFL | 0xf << 24 | VSKIP_CSP),
        // DISABLE_PERF moved.
        (Gen::Gfx1010, ALL | EXCP_EN | FP16_OVFL | 1 << 27 | VSKIP_CSP),
        (Gen::Gfx1030, ALL | EXCP_EN | FP16_OVFL | 1 << 27),
    ]
};

/// All 32 bits of a register; one that the generation lacks reads zero. What this machine does not have reads zero: outstanding operations (IB_STS; they complete in
/// order here), a trap handler (TBA, TMA), address translation failures (XNACK_MASK), pixel ordering (POPS_PACKER).
pub(crate) fn get(w: &Wave, register: u32) -> u32 {
    let caps = w.isa.caps();
    match register {
        _ if !has_hwreg(register, w.isa) => 0,
        MODE => w.mode,
        STATUS => {
            w.s.0[SCC] & 1
                | w.user_prio << status::USER_PRIO
                | u32::from(w.exec64() == 0) << status::EXECZ
                | u32::from(w.mask(VCC) == 0) << status::VCCZ
                | u32::from(w.in_group) << status::IN_WG
                | 1 << status::VALID
        }
        TRAPSTS => w.trapsts,
        // LDS_SIZE in bits 20:12, in units of 64 dwords.
        LDS_ALLOC => w.lds_bytes.div_ceil(256) << 12,
        // VGPR_SIZE in fours from bit 8 on, of GCN SGPR_SIZE in eights in bits 27:24 (GCN 5 ISA document, "Hardware Register Values").
        GPR_ALLOC if caps.wave32 => w.vgprs.saturating_sub(1) / 4 << 8,
        GPR_ALLOC => w.vgprs.saturating_sub(1) / 4 << 8 | (w.sgprs.saturating_sub(1) / 8 & 15) << 24,
        // Bits 63:48 of the private aperture's base, then of the shared one's.
        SH_MEM_BASES => w.apertures.private >> 16 | w.apertures.shared & 0xffff_0000,
        FLAT_SCR_LO | FLAT_SCR_HI => w.flat_scratch_word((register - FLAT_SCR_LO) as usize),
        // WAVE_ID in bits 3:0.
        HW_ID => w.index & 15,
        // WAVE_ID in bits 4:0.
        HW_ID1 => w.index & 31,
        SHADER_CYCLES if caps.shader_cycles => w.clock as u32 & 0xf_ffff,
        _ => 0,
    }
}

/// Writes the bits of `mask`; what no wave may write keeps its value.
pub(crate) fn set(w: &mut Wave, register: u32, mask: u32, value: u32) {
    let merged = get(w, register) & !mask | value & mask;
    match register {
        MODE => w.mode = merged & inherited(MODE_BITS, w.isa).unwrap_or(!0),
        TRAPSTS => w.trapsts = merged,
        FLAT_SCR_LO | FLAT_SCR_HI if has_hwreg(register, w.isa) => {
            w.set_flat_scratch_word((register - FLAT_SCR_LO) as usize, merged);
        }
        _ => {}
    }
}
