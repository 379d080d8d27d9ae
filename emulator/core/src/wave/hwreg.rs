//! Hardware registers of a wave, by the numbers that S_GETREG and S_SETREG give them: RDNA 1 ISA document, table
//! "Hardware Register Values"; SHADER_CYCLES is RDNA 2's. Where their fields stand is [`wavepipe_hw::register`]'s.

use super::state::{SCC, VCC, Wave};
use wavepipe_hw::register::{
    BitField, gpr_alloc, hw_id, hw_id1, lds_alloc, mask as fields, mode, sh_mem_bases, shader_cycles, state_priv,
    status, trapsts,
};
use wavepipe_isa::disasm::has_hwreg;

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

/// All 32 bits of a register; one that the generation lacks reads zero. What this machine does not have reads zero: outstanding operations (IB_STS; they complete in
/// order here), a trap handler (TBA, TMA), address translation failures (XNACK_MASK), pixel ordering (POPS_PACKER).
pub(crate) fn get(w: &Wave, register: u32) -> u32 {
    let image = |fields: &[(BitField, u32)]| fields.iter().fold(0, |image, (f, value)| image | f.put(w.isa, *value));
    match register {
        _ if !has_hwreg(register, w.isa) => 0,
        MODE => w.mode,
        STATUS => image(&[
            (status::SCC, w.s.0[SCC]),
            (status::USER_PRIO, w.user_prio),
            (status::EXECZ, (w.exec64() == 0).into()),
            (status::VCCZ, (w.mask(VCC) == 0).into()),
            (status::IN_TG, w.in_group.into()),
            (status::VALID, 1),
        ]),
        TRAPSTS => w.trapsts,
        // In units of 64 dwords.
        LDS_ALLOC => image(&[(lds_alloc::LDS_SIZE, w.lds_bytes.div_ceil(256))]),
        // In fours and eights, less one (GCN 5 ISA document, "Hardware Register Values"); of SGPRs RDNA's waves have all.
        GPR_ALLOC => image(&[
            (gpr_alloc::VGPR_SIZE, w.vgprs.saturating_sub(1) / 4),
            (gpr_alloc::SGPR_SIZE, if w.isa.caps().wave32 { 0 } else { w.sgprs.saturating_sub(1) / 8 }),
        ]),
        // Bits 63:48 of the apertures' bases.
        SH_MEM_BASES => image(&[
            (sh_mem_bases::PRIVATE_BASE, w.apertures.private >> 16),
            (sh_mem_bases::SHARED_BASE, w.apertures.shared >> 16),
        ]),
        FLAT_SCR_LO | FLAT_SCR_HI => w.flat_scratch_word((register - FLAT_SCR_LO) as usize),
        // One number, of which a generation has one register.
        HW_ID => {
            image(&[(hw_id::WAVE_ID, w.index), (state_priv::SCC, w.s.0[SCC]), (state_priv::USER_PRIO, w.user_prio)])
        }
        HW_ID1 => image(&[(hw_id1::WAVE_ID, w.index)]),
        SHADER_CYCLES => image(&[(shader_cycles::CYCLES, w.clock as u32)]),
        _ => 0,
    }
}

/// Writes the bits of `mask`; what no wave may write keeps its value.
pub(crate) fn set(w: &mut Wave, register: u32, mask: u32, value: u32) {
    let merged = get(w, register) & !mask | value & mask;
    match register {
        MODE => w.mode = merged & fields(mode::ALL, w.isa),
        TRAPSTS => w.trapsts = merged & fields(trapsts::ALL, w.isa),
        FLAT_SCR_LO | FLAT_SCR_HI if has_hwreg(register, w.isa) => {
            w.set_flat_scratch_word((register - FLAT_SCR_LO) as usize, merged);
        }
        _ => {}
    }
}
