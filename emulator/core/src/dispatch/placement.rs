//! What fits on the machine: wave slots, registers, LDS and resident work-groups, by its description.

use crate::wave::Launch;
use wavepipe_hw::code::{CodeObject, WaveSize};
use wavepipe_hw::machine::Machine;
use wavepipe_hw::rsrc::PgmRsrc;

/// Sum of the shares of all work-groups that the machine holds at once.
pub const WHOLE_MACHINE: u64 = 1 << 32;

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
pub fn share(machine: &Machine, launch: &Launch, wgp_mode: bool) -> Result<u64, String> {
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
