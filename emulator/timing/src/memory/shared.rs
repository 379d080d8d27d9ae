//! What compute units share: the L1 of a shader array, if it has one, L2's slices, and what lies behind them ([`super::mall`]).
//!
//! A read asks its array's L1 (a bank by the line's number), then L2 (a slice by a spread of the address), then memory.
//! Each bank or slice is a calendar; hits add the level's `hit` cycles, a miss its way to the next level. L1 only reads: a
//! write forgets the line there and goes on. L2 writes back: it keeps which bursts of a line are dirty and fetches no line
//! that is written only.

use super::access::{Level, Met};
use super::cache::{Tags, line_mask};
use super::dram::spread;
use super::mall::{Beyond, Read};
use super::slots::{Slots, Window};
use wavepipe_hw::machine::{Cache, Machine};

/// Whose access it is, and how it treats L1 and L2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policy {
    /// Shader array of the one who asks.
    pub array: usize,
    /// L1 forgets the line and does not keep it.
    pub bypass_l1: bool,
    /// L2 keeps the line as the next to go.
    pub stream: bool,
}

struct L1 {
    tags: Tags,
    banks: Vec<Slots>,
    misses: Window,
}

struct L2 {
    tags: Vec<Tags>,
    slices: Vec<Slots>,
    misses: Vec<Window>,
    /// Of each slice: lines on their way to memory.
    victims: Vec<Window>,
    /// Of each way: bursts that are not yet in memory.
    dirty: Vec<u8>,
    /// Of each way: bytes that it holds. A line that was written before it was read may lack some.
    holds: Vec<u128>,
    /// Ways of one slice, in all its sets.
    ways: usize,
}

pub(super) struct Shared {
    /// By array; none where the machine has none.
    l1: Vec<L1>,
    l2: L2,
    beyond: Beyond,
    l1_hit: u64,
    l1_miss: u64,
    l2_hit: u64,
    l2_miss: u64,
    /// Of a line, in L1 and L2 alike.
    line_bytes: u64,
    /// What a slice moves in a cycle.
    slice_bytes: u64,
    /// Consecutive lines of one slice.
    slice_lines: u64,
    atomics_per_cycle: u64,
    pub write_backs: u64,
}

impl Shared {
    pub(super) fn new(machine: &Machine) -> Shared {
        let l2 = &machine.l2;
        let slices = l2.instances.value;
        let line = l2.line.value;
        let ways = (slices * l2.sets() * l2.ways.value) as usize;
        let array = |l1: &Cache| L1 {
            tags: Tags::new(l1.sets(), l1.ways.value),
            banks: vec![Slots::new(line as f64 / l1.bytes_per_cycle.value as f64); l1.banks.value as usize],
            misses: Window::new(l1.outstanding.value),
        };
        let l1 = |figure: fn(&Cache) -> u64| machine.l1.as_ref().map_or(0, figure);
        Shared {
            l1: machine.l1.iter().flat_map(|l1| (0..machine.arrays()).map(move |_| array(l1))).collect(),
            l2: L2 {
                tags: vec![Tags::new(l2.sets(), l2.ways.value); slices as usize],
                slices: vec![Slots::new(1.0 / l2.banks.value as f64); slices as usize],
                misses: vec![Window::new(l2.outstanding.value); slices as usize],
                victims: vec![Window::new(l2.outstanding.value); slices as usize],
                dirty: vec![0; ways],
                holds: vec![0; ways],
                ways: ways / slices as usize,
            },
            beyond: Beyond::new(machine),
            l1_hit: l1(|l1| l1.hit.value),
            l1_miss: l1(|l1| l1.miss.value),
            l2_hit: l2.hit.value,
            l2_miss: l2.miss.value,
            line_bytes: line,
            slice_bytes: l2.bytes_per_cycle.value,
            slice_lines: machine.memory.interleave.value / line,
            atomics_per_cycle: machine.memory.atomics_per_cycle.value,
            write_backs: 0,
        }
    }

    /// Slice of a line, and the number under which the slice knows it for its sets.
    fn slice(&self, line: u64) -> (usize, u64) {
        let (slice, row) = spread(line / self.slice_lines, self.l2.slices.len() as u64);
        (slice, row * self.slice_lines + line % self.slice_lines)
    }

    /// Books the array's bank for a line. When it is served.
    fn bank(&mut self, at: u64, array: usize, line: u64, met: &mut Met) -> u64 {
        let banks = &mut self.l1[array].banks;
        let bank = spread(line, banks.len() as u64).0;
        let (granted, _) = banks[bank].take(at, 1);
        met.waited(granted - at);
        granted
    }

    /// Books `cycles` of a slice. When the first begins and the last ends.
    fn book(&mut self, at: u64, slice: usize, cycles: u64, met: &mut Met) -> (u64, u64) {
        let (first, end) = self.l2.slices[slice].take(at, cycles as u32);
        met.waited(first - at);
        (first, end)
    }

    /// Reads a line that a first-level cache lacks; `at` is when the request arrives at L1, or at L2 where there is no L1. When
    /// the data is there, on its way to the reader.
    pub(super) fn read(&mut self, at: u64, line: u64, policy: Policy, met: &mut Met) -> u64 {
        if self.l1.is_empty() {
            let (slice, number) = self.slice(line);
            return self.read_l2(at, slice, number, line, policy, met);
        }
        met.moved(Level::L1, self.line_bytes);
        let granted = self.bank(at, policy.array, line, met);
        let hit = granted + self.l1_hit;
        let l1 = &mut self.l1[policy.array];
        let set = l1.tags.set(line);
        if policy.bypass_l1 {
            l1.tags.drop_line(set, line);
        } else if let Some(place) = l1.tags.look(set, line, true) {
            met.found(Level::L1, place.ready <= granted);
            return hit.max(place.ready);
        }
        met.found(Level::L1, false);
        let sent = l1.misses.enter(hit);
        let (slice, number) = self.slice(line);
        let ready = self.read_l2(sent + self.l1_miss, slice, number, line, policy, met);
        let l1 = &mut self.l1[policy.array];
        l1.misses.leave(ready);
        if !policy.bypass_l1 {
            l1.tags.fill(set, line, ready, true);
        }
        ready
    }

    /// Reads a line at L2. When its data leaves it.
    fn read_l2(&mut self, at: u64, slice: usize, number: u64, line: u64, policy: Policy, met: &mut Met) -> u64 {
        met.moved(Level::L2, self.line_bytes);
        let (granted, _) = self.book(at, slice, self.line_bytes.div_ceil(self.slice_bytes), met);
        let (_, ready) = self.whole_line(granted, slice, number, line, policy, met);
        ready.max(granted) + self.l2_hit
    }

    /// Makes sure that a whole line is in L2. Its index and when its data is there.
    fn whole_line(
        &mut self,
        at: u64,
        slice: usize,
        number: u64,
        line: u64,
        policy: Policy,
        met: &mut Met,
    ) -> (usize, u64) {
        let found = self.look_l2(slice, number, line, policy);
        if let Some((index, ready)) = found.filter(|(index, _)| self.l2.holds[*index] == u128::MAX) {
            met.found(Level::L2, ready <= at);
            return (index, ready);
        }
        met.found(Level::L2, false);
        met.moved(Level::Memory, self.line_bytes);
        let sent = self.l2.misses[slice].enter(at) + self.l2_miss;
        let Read { arrives, waited } = self.beyond.read(sent, line);
        met.waited(waited);
        let (index, late) = match found {
            Some((index, _)) => (index, 0),
            None => self.fill_l2(sent, slice, number, line, arrives, policy),
        };
        let ready = arrives + late;
        self.l2.tags[slice].set_ready(index - slice * self.l2.ways, ready);
        self.l2.misses[slice].leave(ready);
        self.l2.holds[index] = u128::MAX;
        (index, ready)
    }

    /// Index of a line that is in L2, over all slices, and when its data is there.
    fn look_l2(&mut self, slice: usize, number: u64, line: u64, policy: Policy) -> Option<(usize, u64)> {
        let tags = &mut self.l2.tags[slice];
        let place = tags.look(tags.set(number), line, !policy.stream)?;
        Some((slice * self.l2.ways + place.index, place.ready))
    }

    /// Makes room for a line and puts it there. Its index, and the cycles by which it is late because too many lines are on
    /// their way to memory.
    fn fill_l2(&mut self, at: u64, slice: usize, number: u64, line: u64, ready: u64, policy: Policy) -> (usize, u64) {
        let tags = &mut self.l2.tags[slice];
        let (index, old) = tags.fill(tags.set(number), line, ready, !policy.stream);
        let index = slice * self.l2.ways + index;
        let mut late = 0;
        if let Some(old) = old.filter(|_| self.l2.dirty[index] != 0) {
            let room = self.l2.victims[slice].enter(at);
            late = room - at;
            let written = self.write_back(room, index, old);
            self.l2.victims[slice].leave(written);
        }
        self.l2.holds[index] = 0;
        (index, late)
    }

    /// Writes a way's dirty bursts to memory. When they are there.
    fn write_back(&mut self, at: u64, index: usize, line: u64) -> u64 {
        let bursts = std::mem::take(&mut self.l2.dirty[index]);
        self.write_backs += 1;
        self.beyond.write(at, line, bursts)
    }

    /// Passes L1, where a write or an atomic forgets the line. When it arrives at L2.
    fn pass_l1(&mut self, at: u64, line: u64, bytes: u128, policy: Policy, met: &mut Met) -> u64 {
        let count = u64::from(bytes.count_ones());
        met.moved(Level::L2, count);
        if self.l1.is_empty() {
            return at;
        }
        met.moved(Level::L1, count);
        let granted = self.bank(at, policy.array, line, met);
        let tags = &mut self.l1[policy.array].tags;
        tags.drop_line(tags.set(line), line);
        granted + self.l1_hit + self.l1_miss
    }

    /// Writes bytes of a line through to L2: `bytes` has a bit for each. When L2 has acknowledged them.
    pub(super) fn write(&mut self, at: u64, line: u64, bytes: u128, policy: Policy, met: &mut Met) -> u64 {
        let at = self.pass_l1(at, line, bytes, policy, met);
        self.write_l2(at, line, bytes, policy, met)
    }

    fn write_l2(&mut self, at: u64, line: u64, bytes: u128, policy: Policy, met: &mut Met) -> u64 {
        let (slice, number) = self.slice(line);
        // Each part of the line that the slice's port takes at once.
        let cycles = u64::from(parts(bytes, self.slice_bytes).count_ones());
        let (_, end) = self.book(at, slice, cycles, met);
        let found = self.look_l2(slice, number, line, policy);
        met.found(Level::L2, found.is_some());
        let (index, late) = match found {
            Some((index, _)) => (index, 0),
            None => self.fill_l2(end, slice, number, line, end, policy),
        };
        self.l2.dirty[index] |= parts(bytes, self.burst());
        self.l2.holds[index] |= bytes | !line_mask(self.line_bytes);
        end + late + self.l2_hit
    }

    /// Atomics on a line at L2: `operations` of them, at most `same` on one dword. When the results are at L1, on their way
    /// to the reader.
    pub(super) fn atomic(
        &mut self,
        at: u64,
        line: u64,
        bytes: u128,
        (operations, same): (u64, u64),
        policy: Policy,
        met: &mut Met,
    ) -> u64 {
        let at = self.pass_l1(at, line, bytes, policy, met);
        let (slice, number) = self.slice(line);
        let least = operations.div_ceil(self.atomics_per_cycle).max(1);
        let cycles = least.max(same);
        met.conflicts += (cycles - least) as u32;
        let (first, end) = self.book(at, slice, cycles, met);
        let (index, ready) = self.whole_line(first, slice, number, line, policy, met);
        self.l2.dirty[index] |= parts(bytes, self.burst());
        ready.max(first) + (end - first - 1) + self.l2_hit
    }

    /// Forgets an array's L1.
    pub(super) fn invalidate_l1(&mut self, array: usize) {
        if let Some(l1) = self.l1.get_mut(array) {
            l1.tags.clear();
        }
    }

    /// Writes every dirty line of L2 back, if asked, then forgets all, if asked. When memory has everything.
    pub(super) fn flush_l2(&mut self, at: u64, write_back: bool, invalidate: bool) -> u64 {
        let mut done = at;
        for slice in 0..self.l2.slices.len() {
            let first = slice * self.l2.ways;
            if write_back {
                let dirty = self.l2.tags[slice].iter().map(|(index, line)| (first + index, line));
                let dirty: Vec<(usize, u64)> = dirty.filter(|(index, _)| self.l2.dirty[*index] != 0).collect();
                for (index, line) in dirty {
                    done = done.max(self.write_back(at, index, line));
                }
            }
            if invalidate {
                self.l2.tags[slice].clear();
            }
        }
        done
    }

    /// A copy engine reads a line through L2, which keeps it no longer than needed. When the data leaves L2.
    pub(super) fn engine_reads(&mut self, at: u64, line: u64, met: &mut Met) -> u64 {
        let (slice, number) = self.slice(line);
        self.read_l2(at, slice, number, line, ENGINE, met)
    }

    /// A copy engine writes bytes of a line through L2. When L2 has acknowledged them.
    pub(super) fn engine_writes(&mut self, at: u64, line: u64, bytes: u128, met: &mut Met) -> u64 {
        met.moved(Level::L2, u64::from(bytes.count_ones()));
        self.write_l2(at, line, bytes, ENGINE, met)
    }

    /// Cycles of a byte that memory reads and writes, or only writes, by the stream.
    pub(super) fn copy_cycles_per_byte(&self, fill: bool) -> f64 {
        self.beyond.dram.stream_cycles_per_byte(fill)
    }

    fn burst(&self) -> u64 {
        self.beyond.dram.burst()
    }

    pub(super) fn beyond(&self) -> &Beyond {
        &self.beyond
    }

    pub(super) fn line_bytes(&self) -> u64 {
        self.line_bytes
    }
}

/// Copy engines stand at L2 and stream.
const ENGINE: Policy = Policy { array: 0, bypass_l1: true, stream: true };

/// Which parts of `size` bytes each a set of bytes touches, a bit a part; at most eight parts.
pub(super) fn parts(bytes: u128, size: u64) -> u8 {
    let size = size.max(16);
    let part = if size >= 128 { u128::MAX } else { (1 << size) - 1 };
    (0..128 / size.min(128)).fold(0, |bits, i| bits | u8::from(bytes >> (i * size) & part != 0) << i)
}
