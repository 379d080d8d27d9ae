//! What fits on the machine: Navi 10, 20 work-group processors. Figures: the RDNA whitepaper (wave slots, registers,
//! LDS, resident work-groups) and the LLVM AMDGPU user guide (allocation granules).

use crate::wave::Launch;
use wavepipe_hw::code::{CodeObject, WaveSize};

const WGPS: u64 = 20;
pub(crate) const COMPUTE_UNITS: u32 = 2 * WGPS as u32;
const SIMDS_PER_WGP: u32 = 4;
const WAVE_SLOTS_PER_SIMD: u32 = 20;
/// VGPR rows of 32 lanes.
const VGPR_ROWS_PER_SIMD: u32 = 1024;
const GROUPS_PER_WGP: u32 = 32;
const LDS_PER_CU: u32 = 64 << 10;
const MAX_WORK_ITEMS: u64 = 1024;

/// Sum of the shares of all work-groups that the machine holds at once.
pub(crate) const WHOLE_MACHINE: u64 = 1 << 32;

/// Waves of a work-group.
pub(crate) fn waves(launch: &Launch) -> u32 {
    let items: u64 = launch.workgroup.iter().map(|&n| u64::from(n)).product();
    items.div_ceil(u64::from(launch.wave.lanes())) as u32
}

/// VGPR rows of 32 lanes that a wave takes, rounded up to the granule.
pub(crate) fn rows(wave: WaveSize, vgprs: u32) -> u32 {
    vgprs.next_multiple_of(if wave == WaveSize::W32 { 8 } else { 4 }) * wave.lanes() / 32
}

/// Waves of a kernel that a SIMD can hold at once, by registers, wave slots and LDS.
pub fn waves_per_simd(code: &CodeObject) -> u32 {
    let by_registers = WAVE_SLOTS_PER_SIMD.min(VGPR_ROWS_PER_SIMD / rows(code.wave, code.vgprs).max(1));
    let items = code.workgroup.iter().fold(1u32, |n, &m| n.saturating_mul(m));
    let waves = items.div_ceil(code.wave.lanes()).max(1);
    let groups = (2 * LDS_PER_CU).checked_div(code.lds_bytes).unwrap_or(u32::MAX).min(GROUPS_PER_WGP);
    by_registers.min(groups.saturating_mul(waves).div_ceil(SIMDS_PER_WGP))
}

/// Share of the machine that one work-group takes, or why no compute unit can ever hold it. In WGP mode a work-group
/// may use all four SIMDs of a work-group processor, in CU mode the two of a compute unit.
pub(crate) fn share(launch: &Launch, wgp_mode: bool) -> Result<u64, String> {
    let [x, y, z] = launch.workgroup;
    let items = u64::from(x).saturating_mul(y.into()).saturating_mul(z.into());
    if items == 0 || items > MAX_WORK_ITEMS {
        return Err(format!("a work-group of {x} × {y} × {z} work-items; 1 to {MAX_WORK_ITEMS} fit"));
    }
    if launch.lds_bytes > LDS_PER_CU {
        return Err(format!("{} bytes of LDS; a work-group can have {LDS_PER_CU}", launch.lds_bytes));
    }
    let cus = if wgp_mode { 2 } else { 1 };
    let per_simd = WAVE_SLOTS_PER_SIMD.min(VGPR_ROWS_PER_SIMD / rows(launch.wave, launch.vgprs).max(1));
    let slots = per_simd * SIMDS_PER_WGP / 2 * cus;
    let waves = waves(launch);
    if waves > slots {
        let unit = if wgp_mode { "work-group processor" } else { "compute unit" };
        return Err(format!("{waves} waves of {} VGPRs; a {unit} holds {slots} of these", launch.vgprs));
    }
    let by_lds = (LDS_PER_CU * cus).checked_div(launch.lds_bytes).unwrap_or(u32::MAX);
    let per_unit = (slots / waves).min(by_lds).min(GROUPS_PER_WGP / 2 * cus);
    let units = WGPS * 2 / u64::from(cus);
    Ok(WHOLE_MACHINE / (u64::from(per_unit) * units))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(wave: WaveSize, vgprs: u32, lds_bytes: u32, workgroup: [u32; 3]) -> Launch {
        Launch {
            code_va: 0,
            wave,
            vgprs,
            sgprs: 106,
            lds_bytes,
            mode: 0,
            user_data: [0; 16],
            user_sgprs: 0,
            system: Default::default(),
            tidig_comp_cnt: 0,
            workgroup,
            scratch_bytes_per_wave: 0,
            border_colors: 0,
        }
    }

    #[test]
    fn occupancy_by_hand() {
        let groups = |l: &Launch, wgp| WHOLE_MACHINE / share(l, wgp).unwrap();
        // Wave slots alone: 32 work-groups a work-group processor.
        assert_eq!(groups(&launch(WaveSize::W32, 24, 0, [32, 1, 1]), true), 20 * 32);
        // 64 VGPRs: 16 waves a SIMD, 64 a WGP: two work-groups of 32 waves.
        assert_eq!(groups(&launch(WaveSize::W32, 64, 0, [1024, 1, 1]), true), 20 * 2);
        // 128 KiB of LDS hold three of 40 KiB; a compute unit's 64 KiB hold one.
        assert_eq!(groups(&launch(WaveSize::W32, 24, 40 << 10, [64, 1, 1]), true), 20 * 3);
        assert_eq!(groups(&launch(WaveSize::W32, 24, 40 << 10, [64, 1, 1]), false), 40);
        // Wave64 takes two rows a register: 1024 / (2 × 128) = 4 waves a SIMD.
        assert_eq!(groups(&launch(WaveSize::W64, 128, 0, [256, 1, 1]), true), 20 * 4);
    }

    #[test]
    fn waves_of_a_simd_by_hand() {
        let waves = |vgprs, lds_bytes, workgroup| {
            waves_per_simd(&CodeObject { vgprs, lds_bytes, workgroup, ..Default::default() })
        };
        assert_eq!(waves(24, 0, [64, 1, 1]), 16, "32 work-groups of two waves on four SIMDs");
        assert_eq!(waves(24, 0, [256, 1, 1]), 20);
        assert_eq!(waves(128, 0, [256, 1, 1]), 8);
        assert_eq!(waves(24, 40 << 10, [64, 1, 1]), 2, "three work-groups of two waves");
    }

    #[test]
    fn what_never_fits_is_named() {
        let why = |l: &Launch, wgp| share(l, wgp).unwrap_err();
        assert!(why(&launch(WaveSize::W32, 8, 65537, [1; 3]), true).contains("LDS"));
        assert!(why(&launch(WaveSize::W32, 8, 0, [1025, 1, 1]), true).contains("work-items"));
        assert!(why(&launch(WaveSize::W32, 8, 0, [0, 1, 1]), true).contains("work-items"));
        assert!(why(&launch(WaveSize::W32, 8, 0, [u32::MAX; 3]), true).contains("work-items"));
        assert!(why(&launch(WaveSize::W32, 136, 0, [1024, 1, 1]), true).contains("VGPRs"));
        assert!(why(&launch(WaveSize::W32, 128, 0, [1024, 1, 1]), false).contains("VGPRs"));
        assert!(share(&launch(WaveSize::W32, 128, 0, [1024, 1, 1]), true).is_ok());
    }
}
