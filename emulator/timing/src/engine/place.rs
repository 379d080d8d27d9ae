//! Room on the machine: wave slots, VGPR rows and LDS of each compute unit, and which queue a compute unit is reserved for.

use wavepipe_core::dispatch::Dispatch;
use wavepipe_hw::machine::Machine;

/// What a SIMD has left.
#[derive(Clone, Copy, Debug)]
struct SimdRoom {
    slots: u32,
    rows: u32,
    sgprs: u32,
}

/// What a wave takes.
#[derive(Clone, Copy, Debug)]
struct Need {
    rows: u32,
    sgprs: u32,
}

/// What a work-group processor has left.
#[derive(Clone, Debug)]
struct WgpRoom {
    simds: Vec<SimdRoom>,
    /// By array: one of each compute unit.
    lds: Vec<u32>,
    groups: u32,
    barriers: u32,
    /// By compute unit: the queue that has it for itself.
    owner: Vec<Option<usize>>,
}

/// Where a work-group is.
#[derive(Clone, Debug)]
pub struct GroupPlace {
    pub wgp: usize,
    /// The compute unit of the work-group processor, in compute-unit mode; 0 in work-group-processor mode.
    pub cu: usize,
    /// Of each wave: the SIMD of the work-group processor.
    pub simds: Vec<u8>,
    /// Bytes taken of each array.
    lds: [u32; 2],
    lds_base: u32,
    rows: u32,
    sgprs: u32,
    /// It has a barrier.
    barrier: bool,
}

impl GroupPlace {
    /// First byte of its LDS, as the compute unit or the work-group processor sees it.
    pub fn lds_base(&self) -> u32 {
        self.lds_base
    }
}

pub struct Rooms {
    wgps: Vec<WgpRoom>,
    /// Work-group processors in the order in which they get work-groups: from array to array.
    order: Vec<usize>,
    /// Where the search for the next work-group begins.
    next: usize,
    simds_per_cu: usize,
    /// Bytes of an array of LDS.
    lds_array: u32,
}

impl Rooms {
    pub fn new(machine: &Machine) -> Rooms {
        let simd = &machine.simd;
        let [slots, rows, sgprs] = [&simd.wave_slots, &simd.vgpr_rows, &simd.sgpr_file].map(|f| f.value as u32);
        let room = SimdRoom { slots, rows, sgprs };
        let cus = machine.shape.cus_per_wgp.value as usize;
        let wgp = WgpRoom {
            simds: vec![room; machine.simds_per_wgp() as usize],
            lds: vec![(machine.lds.bytes.value / machine.lds.arrays.value) as u32; cus],
            groups: simd.workgroups_per_wgp.value as u32,
            barriers: simd.barriers_per_wgp.value as u32,
            owner: vec![None; cus],
        };
        let mut order: Vec<usize> = (0..machine.wgps() as usize).collect();
        let place = |wgp: usize| {
            let array = machine.array_of_wgp(wgp);
            (0..wgp).filter(|w| machine.array_of_wgp(*w) == array).count()
        };
        order.sort_by_key(|&wgp| (place(wgp), machine.array_of_wgp(wgp)));
        Rooms {
            order,
            wgps: vec![wgp; machine.wgps() as usize],
            next: 0,
            simds_per_cu: machine.shape.simds_per_cu.value as usize,
            lds_array: (machine.lds.bytes.value / machine.lds.arrays.value) as u32,
        }
    }

    /// Gives each queue the compute units that it has for itself: pairs of queue and number, from the last unit backwards.
    pub fn reserve(&mut self, queues: &[(usize, u32)]) {
        let mut wanted = queues.iter().flat_map(|&(queue, n)| std::iter::repeat_n(queue, n as usize));
        for wgp in self.wgps.iter_mut().rev() {
            for owner in wgp.owner.iter_mut().rev() {
                *owner = wanted.next();
            }
        }
    }

    /// Whether a queue has all compute units of a place for itself.
    pub fn owns(&self, queue: usize, place: &GroupPlace, wgp_mode: bool) -> bool {
        let owner = &self.wgps[place.wgp].owner;
        let cus = if wgp_mode { 0..owner.len() } else { place.cu..place.cu + 1 };
        owner[cus].iter().all(|o| *o == Some(queue))
    }

    /// Takes room for a work-group of `waves`, if there is any: anywhere that is nobody else's, or only on what its queue
    /// has for itself.
    pub fn take(&mut self, dispatch: &Dispatch, queue: usize, waves: u32, own_only: bool) -> Option<GroupPlace> {
        let lds = dispatch.lds_bytes();
        let need = Need { rows: dispatch.vgpr_rows(), sgprs: dispatch.sgprs() };
        let barrier = waves > 1;
        for i in 0..self.wgps.len() {
            let turn = (self.next + i) % self.wgps.len();
            let at = self.order[turn];
            let wgp = &mut self.wgps[at];
            let cus = wgp.owner.len();
            let mine = |owner: &Option<usize>| match owner {
                Some(o) => *o == queue,
                None => !own_only,
            };
            if wgp.groups == 0 || barrier && wgp.barriers == 0 {
                continue;
            }
            let first = match dispatch.wgp_mode {
                true => wgp.owner.iter().all(mine).then_some(0),
                false => (0..cus).filter(|cu| mine(&wgp.owner[*cu]) && wgp.lds[*cu] >= lds).find(|cu| {
                    let simds = &wgp.simds[cu * self.simds_per_cu..][..self.simds_per_cu];
                    capacity(simds, need) >= waves
                }),
            };
            let Some(cu) = first else { continue };
            let range = match dispatch.wgp_mode {
                true => 0..wgp.simds.len(),
                false => cu * self.simds_per_cu..(cu + 1) * self.simds_per_cu,
            };
            if capacity(&wgp.simds[range.clone()], need) < waves {
                continue;
            }
            // In work-group-processor mode LDS is one: from the emptier array first.
            let mut taken = [0; 2];
            match dispatch.wgp_mode {
                true => {
                    if wgp.lds.iter().sum::<u32>() < lds {
                        continue;
                    }
                    let first = usize::from(cus > 1 && wgp.lds[1 % cus] > wgp.lds[0]);
                    let mut left = lds;
                    for k in 0..cus.min(2) {
                        let array = (first + k) % cus;
                        let n = left.min(wgp.lds[array]);
                        taken[array] = n;
                        left -= n;
                    }
                }
                false => taken[cu % 2] = lds,
            }
            for (room, n) in wgp.lds.iter_mut().zip(taken) {
                *room -= n;
            }
            wgp.groups -= 1;
            wgp.barriers -= u32::from(barrier);
            let simds = (0..waves).map(|_| {
                // The emptiest SIMD, the first of equals.
                let best = range.clone().rev().max_by_key(|s| room_for(&wgp.simds[*s], need)).unwrap_or(range.start);
                wgp.simds[best].slots -= 1;
                wgp.simds[best].rows -= need.rows;
                wgp.simds[best].sgprs -= need.sgprs;
                best as u8
            });
            let simds = simds.collect();
            // Which bytes of an array is all one to its banks; which array is not.
            let lds_base = if dispatch.wgp_mode && lds > 0 && taken[0] == 0 { self.lds_array } else { 0 };
            self.next = (turn + 1) % self.wgps.len();
            let Need { rows, sgprs } = need;
            return Some(GroupPlace { wgp: at, cu, simds, lds: taken, lds_base, rows, sgprs, barrier });
        }
        None
    }

    /// A wave ended: its slot and registers are free.
    pub fn free_wave(&mut self, place: &GroupPlace, simd: usize) {
        let room = &mut self.wgps[place.wgp].simds[simd];
        room.slots += 1;
        room.rows += place.rows;
        room.sgprs += place.sgprs;
    }

    /// The work-group ended: its LDS is free.
    pub fn free_group(&mut self, place: &GroupPlace) {
        let wgp = &mut self.wgps[place.wgp];
        wgp.groups += 1;
        wgp.barriers += u32::from(place.barrier);
        for (room, n) in wgp.lds.iter_mut().zip(place.lds) {
            *room += n;
        }
    }
}

fn room_for(simd: &SimdRoom, need: Need) -> u32 {
    simd.slots.min(simd.rows / need.rows.max(1)).min(simd.sgprs / need.sgprs.max(1))
}

fn capacity(simds: &[SimdRoom], need: Need) -> u32 {
    simds.iter().map(|s| room_for(s, need)).sum()
}
