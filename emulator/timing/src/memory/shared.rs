//! What compute units share: the L1 of a shader array, L2's slices, memory behind them.
//!
//! A read asks its array's L1 (a bank by the line's number), then L2 (a slice by a spread of the address), then memory.
//! Each bank or slice is a calendar; hits add the level's `hit` cycles, a miss its way to the next level. L1 only reads: a
//! write forgets the line there and goes on. L2 writes back: it keeps which bursts of a line are dirty and fetches no line
//! that is written only.

use super::access::{Level, Met};
use super::cache::Tags;
use super::dram::{Dram, spread};
use super::slots::{Slots, Window};
use wavepipe_hw::machine::{Cache, Machine};

/// How an access treats L1 and L2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policy {
    /// L1 forgets the line and does not keep it (DLC).
    pub bypass_l1: bool,
    /// L2 keeps the line as the next to go (SLC).
    pub stream: bool,
}

struct L1 {
    tags: Tags,
    banks: Vec<Slots>,
    misses: Window,
}

struct L2 {
    tags: Tags,
    sets: u64,
    slices: Vec<Slots>,
    misses: Vec<Window>,
    /// Of each way: bursts that are not yet in memory.
    dirty: Vec<u8>,
    /// Of each way: bytes that it holds. A line that was written before it was read may lack some.
    holds: Vec<u128>,
}

pub(super) struct Shared {
    l1: Vec<L1>,
    l2: L2,
    dram: Dram,
    l1_figures: Cache,
    l2_figures: Cache,
    /// Consecutive bytes of one slice.
    interleave: u64,
    atomics_per_cycle: u64,
    pub write_backs: u64,
    pub memory_read: u64,
    pub memory_written: u64,
}

impl Shared {
    pub(super) fn new(machine: &Machine) -> Shared {
        let (l1, l2) = (&machine.l1, &machine.l2);
        let sets = |c: &Cache| (c.bytes.value / c.line.value / c.ways.value.max(1)).max(1);
        let slices = l2.instances.value.max(1);
        let ways = slices * sets(l2) * l2.ways.value.max(1);
        Shared {
            l1: (0..machine.arrays())
                .map(|_| L1 {
                    tags: Tags::new(sets(l1), l1.ways.value),
                    banks: vec![
                        Slots::new(l1.line.value as f64 / l1.bytes_per_cycle.value.max(1) as f64);
                        l1.banks.value as usize
                    ],
                    misses: Window::new(l1.outstanding.value),
                })
                .collect(),
            l2: L2 {
                tags: Tags::new(slices * sets(l2), l2.ways.value),
                sets: sets(l2),
                slices: vec![Slots::new(1.0); slices as usize],
                misses: vec![Window::new(l2.outstanding.value); slices as usize],
                dirty: vec![0; ways as usize],
                holds: vec![0; ways as usize],
            },
            dram: Dram::new(machine),
            l1_figures: l1.clone(),
            l2_figures: l2.clone(),
            interleave: machine.memory.interleave.value,
            atomics_per_cycle: machine.memory.atomics_per_cycle.value.max(1),
            write_backs: 0,
            memory_read: 0,
            memory_written: 0,
        }
    }

    fn l1_bank(&self, line: u64) -> usize {
        spread(line, self.l1_figures.banks.value).0
    }

    fn l1_set(&self, array: usize, line: u64) -> usize {
        (line % self.l1[array].tags.sets() as u64) as usize
    }

    /// Slice of a line, and its set among all slices' sets.
    fn l2_place(&self, line: u64) -> (usize, usize) {
        let lines = self.interleave / self.l2_figures.line.value;
        let (slice, row) = spread(line / lines, self.l2.slices.len() as u64);
        let set = (row * lines + line % lines) % self.l2.sets;
        (slice, slice * self.l2.sets as usize + set as usize)
    }

    /// Reads a line that L0 or another first-level cache of `array` lacks; `at` is when the request arrives at L1. When the
    /// data leaves L1 towards the reader. `line` counts lines of L1 and L2.
    pub(super) fn read(&mut self, at: u64, array: usize, line: u64, policy: Policy, met: &mut Met) -> u64 {
        let (bank, set) = (self.l1_bank(line), self.l1_set(array, line));
        let bytes = self.l1_figures.line.value;
        met.moved(Level::L1, bytes);
        let l1 = &mut self.l1[array];
        let (granted, _) = l1.banks[bank].take(at, 1);
        met.queued = met.queued.max(granted.saturating_sub(at) as u32);
        let hit = granted.max(at) + self.l1_figures.hit.value;
        if policy.bypass_l1 {
            l1.tags.drop_line(set, line);
        } else if let Some(place) = l1.tags.look(set, line, true) {
            match place.ready <= granted {
                true => met.hit(Level::L1),
                false => met.miss(Level::L1),
            }
            return hit.max(place.ready);
        }
        met.miss(Level::L1);
        let sent = l1.misses.enter(hit);
        let ready = self.read_l2(sent + self.l1_figures.miss.value, line, policy, met);
        let l1 = &mut self.l1[array];
        l1.misses.leave(ready);
        if !policy.bypass_l1 {
            l1.tags.fill(set, line, ready, true);
        }
        ready
    }

    fn read_l2(&mut self, at: u64, line: u64, policy: Policy, met: &mut Met) -> u64 {
        let (slice, set) = self.l2_place(line);
        let bytes = self.l2_figures.line.value;
        met.moved(Level::L2, bytes);
        let cycles = bytes.div_ceil(self.l2_figures.bytes_per_cycle.value) as u32;
        let (granted, _) = self.l2.slices[slice].take(at, cycles);
        met.queued = met.queued.max(granted.saturating_sub(at) as u32);
        let granted = granted.max(at);
        let (_, ready) = self.l2_line(granted, slice, set, line, policy, met);
        ready.max(granted) + self.l2_figures.hit.value
    }

    /// Makes sure that a whole line is in L2. Its index and when its data is there.
    fn l2_line(&mut self, at: u64, slice: usize, set: usize, line: u64, policy: Policy, met: &mut Met) -> (usize, u64) {
        let found = self.l2.tags.look(set, line, !policy.stream);
        if let Some(place) = found.filter(|place| self.l2.holds[place.index] == u128::MAX) {
            match place.ready <= at {
                true => met.hit(Level::L2),
                false => met.miss(Level::L2),
            }
            return (place.index, place.ready);
        }
        met.miss(Level::L2);
        let bytes = self.l2_figures.line.value;
        met.moved(Level::Memory, bytes);
        self.memory_read += bytes;
        let sent = self.l2.misses[slice].enter(at) + self.l2_figures.miss.value;
        let (ready, queued) = self.dram.read(sent, line * bytes, bytes);
        met.queued = met.queued.max(queued as u32);
        self.l2.misses[slice].leave(ready);
        let index = match found {
            Some(place) => {
                self.l2.tags.set_ready(place.index, ready);
                place.index
            }
            None => self.l2_fill(sent, set, line, ready, policy),
        };
        self.l2.holds[index] = u128::MAX;
        (index, ready)
    }

    fn l2_fill(&mut self, at: u64, set: usize, line: u64, ready: u64, policy: Policy) -> usize {
        let (index, old) = self.l2.tags.fill(set, line, ready, !policy.stream);
        if let Some(old) = old {
            self.write_back(at, index, old);
        }
        self.l2.dirty[index] = 0;
        index
    }

    /// Writes a way's dirty bursts to memory. Gives when they are there, if there were any.
    fn write_back(&mut self, at: u64, index: usize, line: u64) -> Option<u64> {
        let bursts = std::mem::take(&mut self.l2.dirty[index]).count_ones();
        if bursts == 0 {
            return None;
        }
        self.write_backs += 1;
        self.memory_written += u64::from(bursts) * self.dram.burst();
        Some(self.dram.write(at, line * self.l2_figures.line.value, bursts))
    }

    /// Passes L1, where a write or an atomic forgets the line. When it arrives at L2.
    fn pass_l1(&mut self, at: u64, array: usize, line: u64, bytes: u64, met: &mut Met) -> u64 {
        let (bank, set) = (self.l1_bank(line), self.l1_set(array, line));
        met.moved(Level::L1, bytes);
        let l1 = &mut self.l1[array];
        let (granted, _) = l1.banks[bank].take(at, 1);
        met.queued = met.queued.max(granted.saturating_sub(at) as u32);
        l1.tags.drop_line(set, line);
        granted.max(at) + self.l1_figures.hit.value + self.l1_figures.miss.value
    }

    /// Writes bytes of a line through to L2: `bytes` has a bit for each of its bytes. When L2 has them.
    pub(super) fn write(
        &mut self,
        at: u64,
        array: usize,
        line: u64,
        bytes: u128,
        policy: Policy,
        met: &mut Met,
    ) -> u64 {
        let count = u64::from(bytes.count_ones());
        let at = self.pass_l1(at, array, line, count, met);
        let (slice, set) = self.l2_place(line);
        met.moved(Level::L2, count);
        let width = self.l2_figures.bytes_per_cycle.value;
        // Each part of the line that the slice's port takes at once.
        let cycles = parts(bytes, width).count_ones();
        let (granted, taken) = self.l2.slices[slice].take(at, cycles);
        met.queued = met.queued.max(granted.saturating_sub(at) as u32);
        let index = match self.l2.tags.look(set, line, !policy.stream) {
            Some(place) => {
                met.hit(Level::L2);
                place.index
            }
            None => {
                met.miss(Level::L2);
                let index = self.l2_fill(taken, set, line, taken, policy);
                self.l2.holds[index] = !line_mask(self.l2_figures.line.value);
                index
            }
        };
        self.l2.dirty[index] |= parts(bytes, self.dram.burst());
        self.l2.holds[index] |= bytes;
        taken + self.l2_figures.hit.value
    }

    /// Atomics on a line at L2. `operations` is how many the line gets, `same` the most on one dword. When the results
    /// leave L1 towards the reader.
    #[expect(clippy::too_many_arguments, reason = "one request's words")]
    pub(super) fn atomic(
        &mut self,
        at: u64,
        array: usize,
        line: u64,
        bytes: u128,
        operations: u64,
        same: u64,
        policy: Policy,
        met: &mut Met,
    ) -> u64 {
        let count = u64::from(bytes.count_ones());
        let at = self.pass_l1(at, array, line, count, met);
        let (slice, set) = self.l2_place(line);
        met.moved(Level::L2, count);
        let cycles = operations.div_ceil(self.atomics_per_cycle).max(same);
        met.conflicts += (cycles - operations.div_ceil(self.atomics_per_cycle)) as u32;
        let (granted, taken) = self.l2.slices[slice].take(at, cycles as u32);
        met.queued = met.queued.max(granted.saturating_sub(at) as u32);
        let (index, ready) = self.l2_line(granted.max(at), slice, set, line, policy, met);
        self.l2.dirty[index] |= parts(bytes, self.dram.burst());
        ready.max(taken) + self.l2_figures.hit.value
    }

    /// Forgets an array's L1.
    pub(super) fn invalidate_l1(&mut self, array: usize) {
        let sets = self.l1[array].tags.sets();
        self.l1[array].tags.clear(0..sets);
    }

    /// Writes every dirty line of L2 back, then forgets all if `invalidate`. When memory has everything.
    pub(super) fn flush_l2(&mut self, at: u64, write_back: bool, invalidate: bool) -> u64 {
        let mut done = at;
        if write_back {
            let lines: Vec<(usize, u64)> = self.l2.tags.iter().filter(|(i, _)| self.l2.dirty[*i] != 0).collect();
            for (index, line) in lines {
                done = done.max(self.write_back(at, index, line).unwrap_or(at));
            }
        }
        if invalidate {
            let sets = self.l2.tags.sets();
            self.l2.tags.clear(0..sets);
            self.l2.dirty.fill(0);
        }
        done
    }

    /// Moves `bytes` between memory and a copy engine: reads, or writes, every channel. When the last has moved.
    pub(super) fn transfer(&mut self, at: u64, address: u64, bytes: u64, write: bool) -> u64 {
        let line = self.l2_figures.line.value;
        let bursts = line.div_ceil(self.dram.burst()) as u32;
        let (mut done, mut address, end) = (at, address / line * line, address.saturating_add(bytes));
        while address < end {
            done = done.max(match write {
                true => self.dram.write(at, address, bursts),
                false => self.dram.read(at, address, line).0,
            });
            address += line;
        }
        done
    }
}

/// All bytes of a line.
fn line_mask(line: u64) -> u128 {
    if line >= 128 { u128::MAX } else { (1 << line) - 1 }
}

/// Which parts of `size` bytes each a set of bytes touches, a bit a part; at most eight parts.
pub(super) fn parts(bytes: u128, size: u64) -> u8 {
    let size = size.max(16);
    let part = if size >= 128 { u128::MAX } else { (1 << size) - 1 };
    (0..128 / size.min(128)).fold(0, |bits, i| bits | u8::from(bytes >> (i * size) & part != 0) << i)
}
