//! What a work-group's waves begin with (see `wavepipe_hw::launch`): made once for a dispatch and a size, and put into each wave.

use super::Launch;
use super::regs::{LaneRow, TEMPS};
use super::state::{EXEC, FIRST_SCALARS, FirstScalars, SCC, Status, Wave};
use super::touched::Touched;
use std::sync::Arc;
use wavepipe_hw::launch::{Apertures, apertures};

/// Launch state of a work-group of some size.
pub(super) struct Beginning {
    of: Option<(Arc<Launch>, [u32; 3])>,
    /// How many there were up to this one.
    number: u64,
    /// Work-items, and waves of them.
    items: u32,
    waves: usize,
    /// SGPRs with the user data, zero behind it.
    scalars: FirstScalars,
    apertures: Apertures,
    ids: Ids,
}

impl Default for Beginning {
    fn default() -> Self {
        Beginning {
            of: None,
            number: 0,
            items: 0,
            waves: 0,
            scalars: [0; FIRST_SCALARS],
            apertures: Apertures::default(),
            ids: Ids::default(),
        }
    }
}

impl Beginning {
    /// Of the launch's work-groups that have `size` work-items. Whether it was another one before.
    #[inline(always)]
    pub fn make(&mut self, launch: &Arc<Launch>, size: [u32; 3]) -> bool {
        let is = |s: &[u32; 3]| s[0] == size[0] && s[1] == size[1] && s[2] == size[2];
        let same = self.of.as_ref().is_some_and(|(l, s)| Arc::ptr_eq(l, launch) && is(s));
        if !same {
            self.make_anew(launch, size);
        }
        !same
    }

    #[cold]
    fn make_anew(&mut self, launch: &Arc<Launch>, size: [u32; 3]) {
        let lanes = launch.wave.lanes();
        self.items = size.iter().map(|&n| u64::from(n)).product::<u64>().min(1 << 16) as u32;
        self.waves = self.items.div_ceil(lanes) as usize;
        let user = launch.user_sgprs.min(16) as usize;
        self.scalars = [0; FIRST_SCALARS];
        self.scalars[..user].copy_from_slice(&launch.user_data[..user]);
        self.apertures = apertures(launch.isa);
        self.ids.make(launch, size, self.items);
        self.of = Some((launch.clone(), size));
        self.number += 1;
    }

    /// What the last one was made for.
    pub fn launch(&self) -> Option<&Arc<Launch>> {
        self.of.as_ref().map(|(launch, _)| launch)
    }

    pub fn waves(&self) -> usize {
        self.waves
    }

    /// Launch state of wave `index` of work-group `id`; `scratch`: its offset into private memory, in bytes. Vector registers are stale,
    /// but for the first ones, which are given.
    #[inline(always)]
    fn put(&self, w: &mut Wave, launch: &Launch, id: [u32; 3], index: usize, scratch: u32) {
        if w.beginning == self.number && !w.touched.others() {
            w.touched.put_back(&mut w.s.0, &self.scalars);
        } else {
            self.put_anew(w, launch);
        }
        let another = w.index != index as u32;
        if another {
            let lanes = launch.wave.lanes();
            w.launched = !0 >> (64 - (self.items - index as u32 * lanes).min(lanes));
            w.index = index as u32;
        }
        if another || w.touched.given() {
            self.ids.put(w, index);
        }
        w.touched = Touched::default();
        let tg_size = || wavepipe_hw::launch::tg_size(launch.isa, index as u32, self.waves as u32);
        let own = [if launch.system.tg_size { tg_size() } else { 0 }, scratch];
        let mut at = launch.user_sgprs.min(16) as usize;
        let has = system_sgprs(launch);
        for (n, v) in [id[0], id[1], id[2], own[0], own[1]].into_iter().enumerate() {
            if has[n] {
                w.s.0[at & 31] = v;
                at += 1;
            }
        }
        (w.s.0[EXEC], w.s.0[EXEC + 1], w.s.0[SCC]) = (w.launched as u32, (w.launched >> 32) as u32, 0);
        (w.pc, w.clock, w.status, w.stale) = (launch.code_va & !3, 0, Status::Ready, true);
    }

    /// What all waves have; of its own it has nothing yet.
    fn put_anew(&self, w: &mut Wave, launch: &Launch) {
        let (lanes, ids) = (launch.wave.lanes(), launch.tidig_comp_cnt.min(2) + 1);
        w.reset((launch.isa, self.apertures), launch.vgprs.clamp(ids, 256), (lanes / 32) as usize, &self.scalars);
        w.mode = launch.mode;
        (w.private_base, w.sgprs) = (launch.private_base, launch.sgprs);
        w.private_bytes = launch.scratch_bytes_per_wave / lanes;
        (w.lds_bytes, w.in_group) = (launch.lds_bytes, self.waves > 1);
        (w.index, w.given, w.beginning) = (u32::MAX, ids, self.number);
    }
}

/// A work-group whose waves are launched.
#[derive(Clone, Copy)]
pub(super) struct Launching<'l> {
    pub beginning: &'l Beginning,
    pub launch: &'l Launch,
    pub id: [u32; 3],
    /// Wave 0's offset into scratch, in bytes.
    pub scratch: u32,
}

impl Launching<'_> {
    /// The wave of this index at its launch state.
    #[inline(always)]
    pub fn put(&self, w: &mut Wave, index: usize) {
        let scratch = self.scratch.wrapping_add(self.launch.scratch_bytes_per_wave.wrapping_mul(index as u32));
        self.beginning.put(w, self.launch, self.id, index, scratch);
    }

    /// All waves but so many, which have been launched.
    pub fn put_others(&self, waves: &mut [Wave], begun: usize) {
        waves.iter_mut().enumerate().skip(begun).for_each(|(index, w)| self.put(w, index));
    }
}

/// Values that SGPRs behind the user data may have.
const SYSTEM: usize = 5;

/// Which of them they have, in this order: the work-group's id, the wave's size of its group, and its offset into scratch.
pub(super) fn system_sgprs(launch: &Launch) -> [bool; SYSTEM] {
    let sys = &launch.system;
    [sys.tgid_x, sys.tgid_y, sys.tgid_z, sys.tg_size, sys.scratch_wave_offset]
}

/// Work-item ids of a work-group's waves as v0..v2 have them, x fastest: the same for all of its size.
#[derive(Default)]
struct Ids {
    /// Size of the work-group, lanes of a wave, registers.
    of: Option<([u32; 3], u32, usize)>,
    /// By wave, register and half.
    rows: Vec<LaneRow>,
}

impl Ids {
    fn make(&mut self, launch: &Launch, size: [u32; 3], items: u32) {
        let (lanes, ids) = (launch.wave.lanes(), launch.tidig_comp_cnt.min(2) as usize + 1);
        if self.of.replace((size, lanes, ids)) == Some((size, lanes, ids)) {
            return;
        }
        self.rows.clear();
        let halves = lanes as usize / 32;
        let mut item = [0; 3];
        for i in 0..items {
            let (wave, lane) = ((i / lanes) as usize, (i % lanes) as usize);
            let first = wave * ids * halves;
            if lane == 0 {
                self.rows.resize(first + ids * halves, LaneRow::ZERO);
            }
            for (n, &v) in item[..ids].iter().enumerate() {
                self.rows[first + n * halves + lane / 32].0[lane % 32] = v;
            }
            item[0] += 1;
            if item[0] >= size[0] {
                (item[0], item[1]) = (0, item[1] + 1);
                if item[1] >= size[1] {
                    (item[1], item[2]) = (0, item[2] + 1);
                }
            }
        }
    }

    /// Those of wave `index` into its registers.
    fn put(&self, w: &mut Wave, index: usize) {
        let rows = self.of.map_or(0, |(_, _, ids)| ids) * w.halves;
        w.registers.v.copy(TEMPS as usize * w.halves, &self.rows[index * rows..][..rows]);
    }
}
