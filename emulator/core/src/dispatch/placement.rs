//! What fits on the machine: wave slots, registers, LDS and resident work-groups, by its description.

use crate::wave::Launch;
use wavepipe_hw::code::{CodeObject, WaveSize};
use wavepipe_hw::machine::Machine;
use wavepipe_hw::rsrc::PgmRsrc;

/// Sum of the shares of all work-groups that the machine holds at once.
pub(crate) const WHOLE_MACHINE: u64 = 1 << 32;

/// Waves of a work-group.
pub(crate) fn waves(launch: &Launch) -> u32 {
    let items: u64 = launch.workgroup.iter().map(|&n| u64::from(n)).product();
    items.div_ceil(u64::from(launch.wave.lanes())) as u32
}

/// Rows of the register file that a wave's registers take, rounded up to the granule.
pub(crate) fn rows(machine: &Machine, wave: WaveSize, vgprs: u32) -> u32 {
    let simd = &machine.simd;
    let w32 = simd.vgpr_granule_w32.as_ref().filter(|_| wave == WaveSize::W32);
    let granule = w32.unwrap_or(&simd.vgpr_granule_w64);
    (u64::from(vgprs).next_multiple_of(granule.value) * machine.passes(wave.lanes())) as u32
}

/// SGPRs that a wave takes of its SIMD's, rounded up to the granule.
pub(crate) fn sgprs(machine: &Machine, sgprs: u32) -> u32 {
    let simd = &machine.simd;
    u64::from(sgprs).next_multiple_of(simd.sgpr_granule.value).min(simd.sgpr_file.value) as u32
}

/// Bytes of LDS that a work-group takes of its unit's, rounded up to the granule.
pub(crate) fn lds(machine: &Machine, bytes: u32) -> u32 {
    u64::from(bytes).next_multiple_of(machine.lds.granule.value).min(u32::MAX.into()) as u32
}

/// Waves of this size and with so many registers that a SIMD can hold, by slots and registers of both kinds.
fn waves_by_registers(machine: &Machine, wave: WaveSize, vgprs: u32, scalars: u32) -> u64 {
    let (by_vgprs, by_sgprs) = by_registers(machine, wave, vgprs, scalars);
    machine.simd.wave_slots.value.min(by_vgprs).min(by_sgprs)
}

/// The same by registers alone: vector ones, scalar ones.
fn by_registers(machine: &Machine, wave: WaveSize, vgprs: u32, scalars: u32) -> (u64, u64) {
    let simd = &machine.simd;
    let rows = u64::from(rows(machine, wave, vgprs).max(1));
    let scalars = u64::from(sgprs(machine, scalars).max(1));
    (simd.vgpr_rows.value / rows, simd.sgpr_file.value / scalars)
}

/// Work-groups of so many waves that a work-group processor holds, whatever else they take.
fn groups_of_wgp(machine: &Machine, waves: u64) -> u64 {
    let simd = &machine.simd;
    // A wave alone needs no barrier.
    let barriers = if waves > 1 { simd.barriers_per_wgp.value } else { u64::MAX };
    simd.workgroups_per_wgp.value.min(barriers)
}

/// Waves of a kernel that a SIMD can hold at once, by each thing that it needs: the least of them is what it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    pub slots: u64,
    pub vgprs: u64,
    pub sgprs: u64,
    /// `None`: it has no LDS.
    pub lds: Option<u64>,
    /// By the work-groups that a work-group processor holds.
    pub groups: u64,
    /// By the barriers that it has; `None`: a work-group of one wave needs none.
    pub barriers: Option<u64>,
}

impl Limits {
    /// With what its launch asks for: registers that are named apart among the others, and whole granules.
    pub fn of(machine: &Machine, code: &CodeObject) -> Limits {
        let pgm = PgmRsrc::of(code);
        // More than the field counts is more than there is.
        let lds_bytes = pgm.with_lds_bytes(code.lds_bytes).map_or(u32::MAX, PgmRsrc::lds_bytes);
        let items = code.workgroup.iter().fold(1u64, |n, &m| n.saturating_mul(m.into()));
        let waves = items.div_ceil(code.wave.lanes().into()).max(1);
        let of_groups = |groups: u64| groups.saturating_mul(waves).div_ceil(machine.simds_per_wgp());
        let (vgprs, sgprs) = by_registers(machine, code.wave, pgm.vgprs(code.wave), pgm.sgprs());
        Limits {
            slots: machine.simd.wave_slots.value,
            vgprs,
            sgprs,
            lds: machine.lds.bytes.value.checked_div(lds(machine, lds_bytes).into()).map(of_groups),
            groups: of_groups(machine.simd.workgroups_per_wgp.value),
            barriers: (waves > 1).then(|| of_groups(machine.simd.barriers_per_wgp.value)),
        }
    }

    /// The waves that it holds.
    pub fn waves(&self) -> u32 {
        let some = [self.lds, self.barriers].into_iter().flatten();
        some.chain([self.slots, self.vgprs, self.sgprs, self.groups]).fold(u64::MAX, u64::min) as u32
    }
}

/// Waves of a kernel that a SIMD of this machine can hold at once, by registers, wave slots and LDS.
pub fn waves_per_simd(machine: &Machine, code: &CodeObject) -> u32 {
    Limits::of(machine, code).waves()
}

/// Share of the machine that one work-group takes, or why no compute unit can ever hold it. In WGP mode a work-group
/// may use all SIMDs of a work-group processor, in CU mode those of a compute unit.
pub(crate) fn share(machine: &Machine, launch: &Launch, wgp_mode: bool) -> Result<u64, String> {
    let [x, y, z] = launch.workgroup;
    let items = u64::from(x).saturating_mul(y.into()).saturating_mul(z.into());
    let most_items = machine.simd.workgroup_items.value;
    if items == 0 || items > most_items {
        return Err(format!("a work-group of {x} × {y} × {z} work-items; 1 to {most_items} fit"));
    }
    let most_lds = machine.workgroup_lds();
    if u64::from(launch.lds_bytes) > most_lds {
        return Err(format!("{} bytes of LDS; a work-group can have {most_lds}", launch.lds_bytes));
    }
    let cus_per_wgp = machine.shape.cus_per_wgp.value;
    let cus = if wgp_mode { cus_per_wgp } else { 1 };
    let slots =
        waves_by_registers(machine, launch.wave, launch.vgprs, launch.sgprs) * machine.shape.simds_per_cu.value * cus;
    let waves = u64::from(waves(launch));
    if waves > slots {
        let unit = if wgp_mode { "work-group processor" } else { "compute unit" };
        return Err(format!("{waves} waves of {} VGPRs; a {unit} holds {slots} of these", launch.vgprs));
    }
    let of_unit = |figure: u64| figure * cus / cus_per_wgp;
    let by_lds =
        of_unit(machine.lds.bytes.value).checked_div(lds(machine, launch.lds_bytes).into()).unwrap_or(u64::MAX);
    let per_unit = (slots / waves).min(by_lds).min(of_unit(groups_of_wgp(machine, waves)));
    let units = machine.shape.cus.value / cus;
    Ok(WHOLE_MACHINE / (per_unit * units))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(wave: WaveSize, vgprs: u32, lds_bytes: u32, workgroup: [u32; 3]) -> Launch {
        Launch {
            isa: wavepipe_isa::Gen::default(),
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
            private_base: 0,
        }
    }

    #[test]
    fn occupancy_by_hand() {
        let navi10 = Machine::standard();
        let groups = |l: &Launch, wgp| WHOLE_MACHINE / share(&navi10, l, wgp).unwrap();
        // Wave slots alone: 32 work-groups a work-group processor.
        assert_eq!(groups(&launch(WaveSize::W32, 24, 0, [32, 1, 1]), true), 20 * 32);
        // 64 VGPRs: 16 waves a SIMD, 64 a WGP: two work-groups of 32 waves.
        assert_eq!(groups(&launch(WaveSize::W32, 64, 0, [1024, 1, 1]), true), 20 * 2);
        // 128 KiB of LDS hold three of 40 KiB; a compute unit's 64 KiB hold one.
        assert_eq!(groups(&launch(WaveSize::W32, 24, 40 << 10, [64, 1, 1]), true), 20 * 3);
        assert_eq!(groups(&launch(WaveSize::W32, 24, 40 << 10, [64, 1, 1]), false), 40);
        // Wave64 takes two rows a register: 1024 / (2 × 128) = 4 waves a SIMD.
        assert_eq!(groups(&launch(WaveSize::W64, 128, 0, [256, 1, 1]), true), 20 * 4);
        // The same on eleven work-group processors.
        let navi14 = Machine::builtin("rx5500xt").unwrap();
        let share = share(&navi14, &launch(WaveSize::W64, 128, 0, [256, 1, 1]), true).unwrap();
        assert_eq!(WHOLE_MACHINE / share, 11 * 4);
    }

    #[test]
    fn waves_of_a_simd_by_hand() {
        let waves = |vgprs, lds_bytes, workgroup| {
            waves_per_simd(&Machine::default(), &CodeObject { vgprs, lds_bytes, workgroup, ..Default::default() })
        };
        assert_eq!(waves(24, 0, [64, 1, 1]), 16, "32 work-groups of two waves on four SIMDs");
        assert_eq!(waves(24, 0, [256, 1, 1]), 20);
        assert_eq!(waves(128, 0, [256, 1, 1]), 8);
        assert_eq!(waves(24, 40 << 10, [64, 1, 1]), 2, "three work-groups of two waves");
    }

    /// By hand, from what LLVM and Mesa say of granules: registers that a kernel does not name are allocated with those that it does.
    #[test]
    fn occupancy_is_the_launchs() {
        let on = |machine: &str, wave, vgprs, sgprs, lds_bytes, items| {
            let machine = Machine::builtin(machine).unwrap();
            let workgroup = [items, 1, 1];
            let isa = machine.generation();
            waves_per_simd(
                &machine,
                &CodeObject { isa, wave, vgprs, sgprs, lds_bytes, workgroup, ..Default::default() },
            )
        };
        let w64 = WaveSize::W64;
        // Vega: VCC, FLAT_SCRATCH and XNACK_MASK besides, in sixteens, of 800.
        assert_eq!((on("vega64", w64, 24, 74, 0, 64), on("vega64", w64, 24, 75, 0, 64)), (10, 8));
        // Hawaii: VCC and FLAT_SCRATCH besides, in eights, of 512. Tahiti: VCC.
        assert_eq!((on("r9390", w64, 24, 44, 0, 64), on("r9390", w64, 24, 45, 0, 64)), (10, 9));
        assert_eq!((on("hd7950", w64, 24, 46, 0, 64), on("hd7950", w64, 24, 47, 0, 64)), (10, 9));
        // RDNA: as many for each, whatever it names.
        assert_eq!((on("rx5700xt", w64, 24, 1, 0, 256), on("rx5700xt", w64, 24, 106, 0, 256)), (20, 20));
        // VGPRs in eights and fours; on RDNA 2 in sixteens and eights.
        let w32 = WaveSize::W32;
        assert_eq!((on("rx5700xt", w32, 64, 8, 0, 1024), on("rx5700xt", w32, 65, 8, 0, 1024)), (16, 14));
        assert_eq!((on("rx6900xt", w32, 64, 8, 0, 1024), on("rx6900xt", w32, 65, 8, 0, 1024)), (16, 12));
        assert_eq!((on("rx5700xt", w64, 32, 8, 0, 1024), on("rx5700xt", w64, 33, 8, 0, 1024)), (16, 14));
        assert_eq!((on("rx6900xt", w64, 32, 8, 0, 1024), on("rx6900xt", w64, 33, 8, 0, 1024)), (16, 12));
        // LDS in blocks of 512 bytes, on RDNA 2 of 1024, on Tahiti of 256: work-groups of a wave for each SIMD.
        assert_eq!((on("rx5700xt", w32, 8, 8, 21_504, 128), on("rx5700xt", w32, 8, 8, 21_505, 128)), (6, 5));
        assert_eq!((on("rx6900xt", w32, 8, 8, 10_240, 128), on("rx6900xt", w32, 8, 8, 10_241, 128)), (12, 11));
        assert_eq!((on("hd7950", w64, 8, 8, 9_216, 256), on("hd7950", w64, 8, 8, 9_300, 256)), (7, 6));
    }

    /// For work-groups of one wave, which fill a SIMD to the last.
    #[test]
    fn a_launch_takes_its_share_of_what_a_simd_holds() {
        let mut seen = 0;
        for name in Machine::names() {
            let machine = Machine::builtin(name).unwrap();
            let isa = machine.generation();
            for (wave, vgprs, sgprs, lds_bytes) in (0..2000u32).map(|n| {
                let wave = if n % 2 == 0 { WaveSize::W64 } else { WaveSize::least(isa) };
                (wave, 1 + n * 31 % 256, n * 17 % 103, if n % 3 == 0 { 0 } else { 1 + n * 9973 % 32_768 })
            }) {
                let workgroup = [wave.lanes(), 1, 1];
                let code = CodeObject { isa, wave, vgprs, sgprs, lds_bytes, workgroup, ..Default::default() };
                let pgm = PgmRsrc::of(&code);
                let (vgprs, sgprs, lds_bytes) = (pgm.vgprs(wave), pgm.sgprs(), pgm.lds_bytes());
                let launch = Launch { isa, sgprs, ..launch(wave, vgprs, lds_bytes, workgroup) };
                let groups = WHOLE_MACHINE / share(&machine, &launch, true).unwrap();
                let of_simd = (groups / machine.wgps()).div_ceil(machine.simds_per_wgp());
                assert_eq!(of_simd, waves_per_simd(&machine, &code).into(), "{name}: {code:?}");
                seen += 1;
            }
        }
        assert!(seen > 10_000);
    }

    #[test]
    fn what_never_fits_is_named() {
        let navi10 = Machine::standard();
        let why = |l: &Launch, wgp| share(&navi10, l, wgp).unwrap_err();
        assert!(why(&launch(WaveSize::W32, 8, 65537, [1; 3]), true).contains("LDS"));
        assert!(why(&launch(WaveSize::W32, 8, 0, [1025, 1, 1]), true).contains("work-items"));
        assert!(why(&launch(WaveSize::W32, 8, 0, [0, 1, 1]), true).contains("work-items"));
        assert!(why(&launch(WaveSize::W32, 8, 0, [u32::MAX; 3]), true).contains("work-items"));
        assert!(why(&launch(WaveSize::W32, 136, 0, [1024, 1, 1]), true).contains("VGPRs"));
        assert!(why(&launch(WaveSize::W32, 128, 0, [1024, 1, 1]), false).contains("VGPRs"));
        assert!(share(&navi10, &launch(WaveSize::W32, 128, 0, [1024, 1, 1]), true).is_ok());
    }
}
