//! A queue's SH registers, and the launch state that a dispatch takes from them.

use super::{Dispatch, ScratchNeed, placement};
use crate::queue::HardwareQueue;
use crate::wave::Launch;
use std::sync::Arc;
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::launch::HIDDEN_PRIVATE_BASE;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::perf::{Block, Counter, Event};
use wavepipe_hw::pm4::{initiator, reg, uconfig};
use wavepipe_hw::rsrc::{PgmRsrc, tmpring_fields};

/// The compute part of the SH register space, and what compute needs of the UCONFIG space; one per queue.
pub(crate) struct ShRegs {
    sh: Box<[u32; reg::END as usize]>,
    border_colors: u64,
    /// Where private memory begins, to the FLAT_SCRATCH of GCN 2.
    private_base: u64,
    /// What each performance counter counts, by block.
    selects: [[u32; Block::MOST]; Block::ALL.len()],
}

impl Default for ShRegs {
    fn default() -> Self {
        ShRegs { sh: Box::new([0; reg::END as usize]), border_colors: 0, private_base: 0, selects: Default::default() }
    }
}

impl ShRegs {
    /// Writes consecutive registers; those past the block's end are dropped (the packet decoder refuses them).
    pub fn set(&mut self, first: u16, values: &[u32]) {
        for (r, &v) in self.sh.iter_mut().skip(usize::from(first)).zip(values) {
            *r = v;
        }
    }

    /// What a performance counter counts.
    pub fn selected(&self, counter: Counter) -> Option<Event> {
        Event::of(counter.block, self.selects[counter.block as usize][usize::from(counter.index)])
    }

    /// Writes consecutive UCONFIG registers: the border colour table's address, and selects of performance counters.
    pub fn set_uconfig(&mut self, first: u16, values: &[u32]) {
        for (r, &v) in (first..).zip(values) {
            if let Some(c) = Counter::of_select(r) {
                self.selects[c.block as usize][usize::from(c.index)] = v;
            }
            if r == HIDDEN_PRIVATE_BASE {
                self.private_base = u64::from(v) << 16;
            }
            let (shift, field) = match r {
                uconfig::TA_CS_BC_BASE_ADDR => (8, 0xffff_ffff << 8),
                uconfig::TA_CS_BC_BASE_ADDR_HI => (40, 0xff << 40),
                _ => continue,
            };
            self.border_colors = self.border_colors & !field | u64::from(v) << shift & field;
        }
    }

    fn get(&self, r: u16) -> u32 {
        self.sh[usize::from(r)]
    }

    fn get3(&self, r: u16) -> [u32; 3] {
        [self.get(r), self.get(r + 1), self.get(r + 2)]
    }

    /// What DISPATCH with these registers runs; `None` if it has no work-groups.
    ///
    /// # Errors
    /// Why the machine can never run it.
    pub fn dispatch(
        &self,
        machine: &Machine,
        queue: &Arc<HardwareQueue>,
        groups: [u32; 3],
        initiator_bits: u32,
    ) -> Result<Option<Dispatch>, String> {
        if initiator_bits & initiator::COMPUTE_SHADER_EN == 0 {
            return Err("COMPUTE_SHADER_EN is clear in the dispatch initiator".into());
        }
        let workgroup = self.get3(reg::COMPUTE_NUM_THREAD_X).map(|n| n & 0xffff);
        let (groups, last) = self.grid(groups, workgroup, initiator_bits)?;
        let Some(total) = groups.iter().try_fold(1u64, |n, &g| n.checked_mul(g.into())) else {
            return Err(format!("{groups:?} work-groups are more than 2^64"));
        };
        if total == 0 {
            return Ok(None);
        }
        let wave = if initiator_bits & initiator::CS_W32_EN != 0 { WaveSize::W32 } else { WaveSize::W64 };
        if !wave.is_of(machine.generation()) {
            return Err(format!(
                "waves of {} lanes; {} has waves of 64 only",
                wave.lanes(),
                machine.generation().name()
            ));
        }
        let isa = machine.generation();
        let pgm = PgmRsrc { isa, rsrc1: self.get(reg::COMPUTE_PGM_RSRC1), rsrc2: self.get(reg::COMPUTE_PGM_RSRC2) };
        let user_sgprs = pgm.user_sgprs();
        if user_sgprs > 16 {
            return Err(format!("{user_sgprs} user SGPRs; a compute dispatch has 16"));
        }
        let (ring_waves, wave_bytes) = tmpring_fields(isa, self.get(reg::COMPUTE_TMPRING_SIZE));
        let scratch_on = pgm.scratch_en();
        let launch = Launch {
            isa,
            code_va: u64::from(self.get(reg::COMPUTE_PGM_LO)) << 8
                | u64::from(self.get(reg::COMPUTE_PGM_LO + 1) & 0xff) << 40,
            wave,
            vgprs: pgm.vgprs(wave),
            sgprs: pgm.sgprs(),
            lds_bytes: pgm.lds_bytes(),
            mode: pgm.mode().0,
            user_data: std::array::from_fn(|i| self.get(reg::COMPUTE_USER_DATA_0 + i as u16)),
            user_sgprs,
            system: pgm.system(),
            tidig_comp_cnt: pgm.tidig_comp_cnt(),
            workgroup,
            scratch_bytes_per_wave: if scratch_on { wave_bytes } else { 0 },
            border_colors: self.border_colors,
            private_base: self.private_base,
        };
        let share = placement::share(machine, &launch, pgm.wgp_mode())?;
        let vgpr_rows = placement::rows(machine, wave, launch.vgprs);
        let sgprs = placement::sgprs(machine, launch.sgprs);
        let lds_bytes = placement::lds(machine, launch.lds_bytes);
        let waves = placement::waves(&launch);
        let scratch = if scratch_on && wave_bytes > 0 {
            if ring_waves < waves {
                return Err(format!("a scratch ring for {ring_waves} waves, but a work-group has {waves}"));
            }
            let need = ScratchNeed {
                group_bytes: u64::from(waves) * u64::from(wave_bytes),
                // SCRATCH_WAVE_OFFSET is one SGPR.
                ring_bytes: (u64::from(ring_waves) * u64::from(wave_bytes)).min(1 << 32),
            };
            if need.group_bytes > need.ring_bytes {
                return Err(format!(
                    "{} bytes of scratch for one work-group; 4 GiB can be addressed",
                    need.group_bytes
                ));
            }
            Some(need)
        } else {
            None
        };
        let at_zero = initiator_bits & initiator::FORCE_START_AT_000 != 0;
        Ok(Some(Dispatch {
            queue: queue.clone(),
            number: 0,
            launch: Arc::new(launch),
            start: if at_zero { [0; 3] } else { self.get3(reg::COMPUTE_START_X) },
            groups,
            total,
            last,
            share,
            vgpr_rows,
            sgprs,
            lds_bytes,
            wgp_mode: pgm.wgp_mode(),
            scratch,
            passage: Default::default(),
            cancelled: false.into(),
            first_fault: Default::default(),
            began: Default::default(),
            paused: Default::default(),
        }))
    }

    /// Number of work-groups, and sizes of the last ones, by dimension.
    ///
    /// USE_THREAD_DIMENSIONS: the packet counts work-items; what does not fill a work-group makes a partial one.
    /// PARTIAL_TG_EN: it counts work-groups, the last of which have NUM_THREAD_PARTIAL (bits 31:16) work-items.
    fn grid(&self, counts: [u32; 3], full: [u32; 3], initiator_bits: u32) -> Result<([u32; 3], [u32; 3]), String> {
        if initiator_bits & initiator::USE_THREAD_DIMENSIONS != 0 {
            if full.contains(&0) {
                return Err(format!("a work-group of {full:?} work-items"));
            }
            let groups = std::array::from_fn(|i| counts[i].div_ceil(full[i]));
            let last = std::array::from_fn(|i| match counts[i] % full[i] {
                0 => full[i],
                rest => rest,
            });
            return Ok((groups, last));
        }
        if initiator_bits & initiator::PARTIAL_TG_EN == 0 {
            return Ok((counts, full));
        }
        let last = self.get3(reg::COMPUTE_NUM_THREAD_X).map(|n| n >> 16);
        if (0..3).any(|i| last[i] == 0 || last[i] > full[i]) {
            return Err(format!("last work-groups of {last:?} work-items, full ones of {full:?}"));
        }
        Ok((counts, last))
    }
}
