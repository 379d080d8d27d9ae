//! What lies behind L2: the Infinity Cache, where a machine has one, and memory's channels behind that.
//!
//! It stands in front of memory, so all that goes there goes by it: it keeps what was read and what L2 wrote back, and writes
//! its own dirty lines back when they have to go. It is asked for L2's lines. Each slice is a calendar of its bytes, in the
//! fabric's clock.

use super::cache::{Tags, line_mask};
use super::dram::{Dram, spread};
use super::slots::Slots;
use wavepipe_hw::machine::{Machine, Mall};

pub(super) struct Beyond {
    cache: Option<Cache>,
    pub dram: Dram,
    line_bytes: u64,
    /// Bytes that channels read and wrote.
    pub read: u64,
    pub written: u64,
    /// Lines that were in the cache, and that were not.
    pub found: [u64; 2],
}

struct Cache {
    tags: Tags,
    slices: Vec<Slots>,
    /// What a slice moves in a slot, a cycle of the fabric.
    slot_bytes: u64,
    interleave: u64,
    latency: u64,
    /// Of each line: bursts that memory does not have yet, and bytes that are here.
    dirty: Vec<u8>,
    holds: Vec<u128>,
}

/// What a read of a line met.
pub(super) struct Read {
    pub arrives: u64,
    /// For how long it waited for a slice or a channel.
    pub waited: u64,
}

impl Beyond {
    pub(super) fn new(machine: &Machine) -> Beyond {
        let line_bytes = machine.l2.line.value;
        Beyond {
            cache: machine.mall.as_ref().map(|mall| Cache::new(mall, machine, line_bytes)),
            dram: Dram::new(machine),
            line_bytes,
            read: 0,
            written: 0,
            found: [0; 2],
        }
    }

    /// Reads a line.
    pub(super) fn read(&mut self, at: u64, line: u64) -> Read {
        let address = line * self.line_bytes;
        let Some(cache) = &mut self.cache else {
            self.read += self.line_bytes;
            let (arrives, waited) = self.dram.read(at, address, self.line_bytes);
            return Read { arrives, waited };
        };
        let first = cache.book(at, address, self.line_bytes);
        let here = cache.tags.look(cache.tags.set(line), line, true);
        let whole = here.is_some_and(|place| cache.holds[place.index] == u128::MAX);
        self.found[usize::from(!whole)] += 1;
        let hit = first + cache.latency;
        if let Some(place) = here.filter(|_| whole) {
            return Read { arrives: hit.max(place.ready), waited: first - at };
        }
        self.read += self.line_bytes;
        let (arrives, waited) = self.dram.read(hit, address, self.line_bytes);
        let index = match here {
            Some(place) => place.index,
            None => self.fill(at, line, arrives),
        };
        if let Some(cache) = &mut self.cache {
            cache.tags.set_ready(index, arrives);
            cache.holds[index] = u128::MAX;
        }
        Read { arrives, waited: first - at + waited }
    }

    /// Writes bursts of a line, a bit each. When they are taken.
    pub(super) fn write(&mut self, at: u64, line: u64, bursts: u8) -> u64 {
        let (address, bytes) = (line * self.line_bytes, u64::from(bursts.count_ones()) * self.dram.burst());
        let Some(cache) = &mut self.cache else {
            self.written += bytes;
            return self.dram.write(at, address, bursts.count_ones());
        };
        let first = cache.book(at, address, bytes);
        let here = cache.tags.look(cache.tags.set(line), line, true).map(|place| place.index);
        let index = here.unwrap_or_else(|| self.fill(at, line, first));
        let (burst, mask) = (self.dram.burst(), line_mask(self.line_bytes));
        if let Some(cache) = &mut self.cache {
            cache.dirty[index] |= bursts;
            let held = (0..8).filter(|i| bursts >> i & 1 != 0).fold(0, |all, i| all | line_mask(burst) << (i * burst));
            cache.holds[index] |= held | !mask;
        }
        first + 1
    }

    /// Puts a line in place of another, which goes to memory if that lacks something of it.
    fn fill(&mut self, at: u64, line: u64, ready: u64) -> usize {
        let Some(cache) = &mut self.cache else { return 0 };
        let (index, old) = cache.tags.fill(cache.tags.set(line), line, ready, true);
        let bursts = std::mem::take(&mut cache.dirty[index]).count_ones();
        cache.holds[index] = 0;
        if let Some(old) = old.filter(|_| bursts != 0) {
            self.written += u64::from(bursts) * self.dram.burst();
            self.dram.write(at, old * self.line_bytes, bursts);
        }
        index
    }
}

impl Cache {
    fn new(mall: &Mall, machine: &Machine, line: u64) -> Cache {
        let lines = mall.bytes.value / line;
        let slot = Slots::new(machine.clock.shader_mhz.value / mall.mhz.value);
        Cache {
            tags: Tags::new(lines / mall.ways.value, mall.ways.value),
            slices: vec![slot; mall.slices.value as usize],
            slot_bytes: mall.bytes_per_cycle.value,
            interleave: machine.memory.interleave.value,
            latency: machine.cycles(mall.latency_ns.value),
            dirty: vec![0; lines as usize],
            holds: vec![0; lines as usize],
        }
    }

    /// Books a slice for bytes. When it begins.
    fn book(&mut self, at: u64, address: u64, bytes: u64) -> u64 {
        let slice = spread(address / self.interleave, self.slices.len() as u64).0;
        self.slices[slice].take(at, bytes.div_ceil(self.slot_bytes) as u32).0
    }
}
