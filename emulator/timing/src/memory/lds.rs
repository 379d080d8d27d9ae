//! The local data share: arrays of 32 banks of dwords.
//!
//! Lanes are served in groups whose data fills the banks once: 32 lanes of one dword, 16 of two, 10 of three, 8 of four. A
//! group takes as many cycles as its busiest bank has different dwords, since equal addresses broadcast; atomics and writes
//! of equal dwords serialise only for atomics. In work-group-processor mode the two arrays serve one instruction at once.

use super::access::{Kind, LdsAccess, Level, Met, Reply};
use wavepipe_hw::machine::Machine;

pub(super) struct Lds {
    /// Of each array of each work-group processor: the cycle from which it is free.
    free: Vec<u64>,
    arrays: usize,
    banks: usize,
    array_bytes: u64,
    latency: u64,
    atomic: u64,
}

impl Lds {
    pub(super) fn new(machine: &Machine) -> Lds {
        let lds = &machine.lds;
        Lds {
            free: vec![0; (machine.wgps() * lds.arrays.value) as usize],
            arrays: lds.arrays.value as usize,
            banks: lds.banks.value as usize,
            array_bytes: lds.bytes.value / lds.arrays.value.max(1),
            latency: lds.latency.value,
            atomic: lds.atomic.value,
        }
    }

    pub(super) fn access(&mut self, now: u64, wgp: usize, half: usize, access: &LdsAccess) -> Reply {
        let mut service = [0u64; 2];
        let mut least = [0u64; 2];
        self.count(access, access.at, half, &mut service, &mut least);
        if let Some(second) = access.second {
            self.count(access, second, half, &mut service, &mut least);
        }
        let first = wgp * self.arrays;
        let used = |array: usize| service[array] > 0;
        let start = (0..self.arrays).filter(|a| used(*a)).fold(now, |t, a| t.max(self.free[first + a]));
        // An instruction with no lanes passes through its own array.
        let total = service[..self.arrays].iter().copied().max().unwrap_or(0).max(1);
        for array in 0..self.arrays {
            if used(array) {
                self.free[first + array] = start + service[array];
            }
        }
        let ideal = least[..self.arrays].iter().copied().max().unwrap_or(0).max(1);
        let lanes = access.mask.count_ones();
        let addresses = 1 + u32::from(access.second.is_some());
        let mut met = Met { lanes: lanes as u16, ..Met::default() };
        met.conflicts = (total - ideal) as u32;
        met.queued = (start - now) as u32;
        met.moved(Level::L0, u64::from(lanes * access.dwords.max(1) * 4 * addresses));
        Reply { taken: start + total, done: start + total - 1 + self.latency, met }
    }

    /// Adds to each array's cycles what the lanes' accesses at `at` take, and what they would take without conflicts.
    fn count(&self, access: &LdsAccess, at: &[u32; 32], half: usize, service: &mut [u64; 2], least: &mut [u64; 2]) {
        let dwords = access.dwords.max(1) as usize;
        let group = (self.banks / dwords).clamp(1, 32);
        let atomic = matches!(access.kind, Kind::Atomic { .. });
        for start in (0..32).step_by(group) {
            let lanes = start..(start + group).min(32);
            let lanes = lanes.filter(|l| access.mask >> l & 1 != 0);
            // Different dwords of each bank of each array; an atomic counts every one.
            let mut on_bank = [[0u8; 64]; 2];
            let mut met: [([u32; 64], usize); 2] = [([0; 64], 0); 2];
            let mut busiest = [0u64; 2];
            for lane in lanes {
                for dword in 0..dwords as u32 {
                    let address = u64::from(at[lane]) + u64::from(dword * 4);
                    let array = match access.wgp_mode {
                        true => (address / self.array_bytes) as usize % self.arrays.max(1),
                        false => half % self.arrays.max(1),
                    };
                    let cell = (address / 4) as u32;
                    let (cells, count) = &mut met[array & 1];
                    let known = !atomic && cells[..*count].contains(&cell);
                    if known {
                        continue;
                    }
                    if *count < cells.len() {
                        cells[*count] = cell;
                        *count += 1;
                    }
                    let bank = &mut on_bank[array & 1][cell as usize % self.banks.clamp(1, 64)];
                    *bank += 1;
                    busiest[array & 1] = busiest[array & 1].max(u64::from(*bank));
                }
            }
            for array in 0..2 {
                if busiest[array] > 0 {
                    let extra = if atomic { self.atomic } else { 0 };
                    service[array] += busiest[array] + extra;
                    least[array] += 1 + extra;
                }
            }
        }
    }
}
