//! The local data share: arrays of 32 banks of dwords.
//!
//! Lanes are served in groups whose data fills the banks once: 32 lanes of one dword, 16 of two, 8 of three or four. A
//! group takes as many cycles as its busiest bank has different dwords: equal addresses broadcast, but to atomics. In
//! work-group-processor mode both arrays serve one instruction at once. No instruction is served faster than its addresses and
//! data come from the registers.

use super::access::{Kind, LdsAccess, Level, Met, Reply};
use wavepipe_hw::machine::Machine;

pub(super) struct Lds {
    /// Of each array of each work-group processor: the cycle from which it is free.
    free: Vec<[u64; ARRAYS]>,
    arrays: usize,
    bank_mask: u32,
    array_bytes: u32,
    latency: u64,
    atomic: u64,
    operands: u64,
    uneven_store: u64,
}

const ARRAYS: usize = 2;
const BANKS: usize = 64;

impl Lds {
    pub(super) fn new(machine: &Machine) -> Lds {
        let lds = &machine.lds;
        Lds {
            free: vec![[0; ARRAYS]; machine.wgps() as usize],
            arrays: lds.arrays.value as usize,
            bank_mask: lds.banks.value as u32 - 1,
            array_bytes: (lds.bytes.value / lds.arrays.value) as u32,
            latency: lds.latency.value,
            atomic: lds.atomic.value,
            operands: lds.operands.value,
            uneven_store: lds.uneven_store.value,
        }
    }

    pub(super) fn access(&mut self, now: u64, wgp: usize, half: usize, access: &LdsAccess) -> Reply {
        let half = half % self.arrays;
        let mut cycles = Cycles::default();
        self.count(access, access.at, half, &mut cycles);
        if let Some(second) = access.second {
            self.count(access, second, half, &mut cycles);
        }
        // An instruction without lanes passes through its own array.
        if access.mask == 0 {
            cycles.service[half] = 1;
            cycles.least[half] = 1;
        }
        // However many lanes there are, their buses are those of all.
        let sent = (32 * u64::from(access.operands)).div_ceil(self.operands);
        let uneven = access.kind == Kind::Store && access.second.is_none() && matches!(access.dwords, 2 | 3);
        let more = if uneven && access.mask != 0 { self.uneven_store } else { 0 };
        for (service, least) in
            cycles.service.iter_mut().zip(&mut cycles.least).filter(|c| *c.0 > 0 && access.mask != 0)
        {
            *service = (*service).max(sent) + more;
            *least = (*least).max(sent) + more;
        }
        let free = &mut self.free[wgp];
        let used = |array: &usize| cycles.service[*array] > 0;
        let start = (0..self.arrays).filter(used).fold(now, |t, array| t.max(free[array]));
        let total = cycles.service.into_iter().max().unwrap_or(1);
        let least = cycles.least.into_iter().max().unwrap_or(1);
        (0..self.arrays).filter(used).for_each(|array| free[array] = start + cycles.service[array]);
        let lanes = access.mask.count_ones();
        let addresses = 1 + u32::from(access.second.is_some());
        let mut met = Met { lanes: lanes as u16, conflicts: (total - least) as u32, ..Met::default() };
        met.waited(start - now);
        met.service = total as u32;
        met.moved(Level::L0, u64::from(lanes * access.dwords.max(1) * 4 * addresses));
        Reply { taken: start + total, done: start + total - 1 + self.latency, met }
    }

    /// Adds what the lanes' accesses at `at` take.
    fn count(&self, access: &LdsAccess, at: &[u32; 32], half: usize, cycles: &mut Cycles) {
        let dwords = access.dwords.clamp(1, self.bank_mask + 1);
        let atomic = matches!(access.kind, Kind::Atomic { .. });
        let group = ((self.bank_mask + 1) / dwords.next_power_of_two()).min(32);
        let extra = if atomic { self.atomic } else { 0 };
        let calm = self.calm(access, at, dwords, atomic, half);
        let mut from = 0;
        while from < 32 {
            let lanes = access.mask >> from & (u32::MAX >> (32 - group));
            if lanes != 0 {
                let busiest = match calm {
                    Some(array) => std::array::from_fn(|a| u32::from(a == array)),
                    None => self.group(access, at, lanes << from, dwords, atomic, half),
                };
                for array in (0..ARRAYS).filter(|array| busiest[*array] > 0) {
                    cycles.service[array] += u64::from(busiest[array]) + extra;
                    cycles.least[array] += 1 + extra;
                }
            }
            from += group;
        }
    }

    /// The array of lanes that certainly have no conflict: they touch consecutive dwords, or, but for atomics, the same.
    fn calm(&self, access: &LdsAccess, at: &[u32; 32], dwords: u32, atomic: bool, half: usize) -> Option<usize> {
        let first = access.mask.trailing_zeros() as usize % 32;
        let base = at[first];
        let active = |lane: usize| (access.mask >> lane & 1).wrapping_neg();
        let step = |lane: usize| (lane as u32).wrapping_sub(first as u32).wrapping_mul(4 * dwords);
        let run = (0..32).fold(0, |d, lane| d | (at[lane] ^ base.wrapping_add(step(lane))) & active(lane)) == 0;
        let same = || (0..32).fold(0, |d, lane| d | (at[lane] ^ base) & active(lane)) == 0;
        if !run && (atomic || !same()) {
            return None;
        }
        let last = base.wrapping_add(if run { 32 * 4 * dwords } else { 4 * dwords } - 1);
        match access.wgp_mode {
            false => Some(half),
            true if base / self.array_bytes != last / self.array_bytes => None,
            true => Some((base / self.array_bytes) as usize % self.arrays),
        }
    }

    /// The most different dwords on any bank of each array, for the lanes of one group; for atomics, the most dwords.
    fn group(
        &self,
        access: &LdsAccess,
        at: &[u32; 32],
        mut lanes: u32,
        dwords: u32,
        atomic: bool,
        half: usize,
    ) -> [u32; ARRAYS] {
        // Dwords on each bank so far: how many, and a chain of which.
        let mut count = [[0u8; BANKS]; ARRAYS];
        let mut head = [[0u8; BANKS]; ARRAYS];
        let mut cells = [(0u32, 0u8); BANKS];
        let (mut used, mut busiest) = (0, [0; ARRAYS]);
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            for dword in 0..dwords {
                let address = at[lane].wrapping_add(dword * 4);
                let array = if access.wgp_mode { (address / self.array_bytes) as usize % self.arrays } else { half };
                let (cell, bank) = (address / 4, (address / 4 & self.bank_mask) as usize);
                let (count, head) = (&mut count[array][bank], &mut head[array][bank]);
                let mut link = *head;
                if !atomic
                    && (0..*count).any(|_| {
                        let (known, next) = cells[link as usize];
                        link = next;
                        known == cell
                    })
                {
                    continue;
                }
                cells[used] = (cell, *head);
                *head = used as u8;
                used += 1;
                *count += 1;
                busiest[array] = busiest[array].max(u32::from(*count));
            }
        }
        busiest
    }
}

/// Cycles of an instruction on each array: all, and those without conflicts.
#[derive(Default)]
struct Cycles {
    service: [u64; ARRAYS],
    least: [u64; ARRAYS],
}
