//! Scalar data and instructions: the two caches of a work-group processor besides the vector ones.
//!
//! Both are banked by line, return so many bytes a cycle to each SIMD, and ask the array's L1. The scalar cache writes back;
//! S_DCACHE_WB and ACQUIRE_MEM make it. Scalar loads may return out of order.

use super::access::{Kind, Level, Met, Reply, ScalarAccess};
use super::cache::Tags;
use super::shared::{Policy, Shared};
use super::slots::{Slots, Window};
use wavepipe_hw::machine::Machine;

/// One cache of a work-group processor.
struct Cache {
    tags: Tags,
    dirty: Vec<u64>,
    banks: Vec<Slots>,
    /// Return port of each SIMD.
    ports: Vec<Slots>,
    misses: Window,
}

/// A kind of cache: one in each work-group processor.
pub(super) struct Caches {
    caches: Vec<Cache>,
    line: u64,
    line_shift: u32,
    bytes_per_cycle: u64,
    hit: u64,
    miss: u64,
    /// Lines of this cache in a line of L1.
    ratio: u64,
}

impl Caches {
    pub(super) fn scalar(machine: &Machine) -> Caches {
        let c = &machine.scalar_cache;
        let figures = [
            c.bytes.value,
            c.ways.value,
            c.line.value,
            c.banks.value,
            c.bytes_per_cycle.value,
            c.hit.value,
            c.miss.value,
        ];
        Caches::new(machine, figures, c.outstanding.value)
    }

    pub(super) fn fetch(machine: &Machine) -> Caches {
        let f = &machine.fetch;
        let figures = [
            f.bytes.value,
            f.ways.value,
            f.line.value,
            f.banks.value,
            f.bytes_per_cycle.value,
            f.hit.value,
            f.miss.value,
        ];
        Caches::new(machine, figures, f.outstanding.value)
    }

    fn new(machine: &Machine, figures: [u64; 7], outstanding: u64) -> Caches {
        let [bytes, ways, line, banks, bytes_per_cycle, hit, miss] = figures;
        let sets = bytes / line / ways.max(1);
        let one = || Cache {
            tags: Tags::new(sets, ways),
            dirty: vec![0; (bytes / line) as usize],
            banks: vec![Slots::new(1.0); banks.max(1) as usize],
            ports: vec![Slots::new(1.0); machine.simds_per_wgp() as usize],
            misses: Window::new(outstanding),
        };
        Caches {
            caches: (0..machine.wgps()).map(|_| one()).collect(),
            line,
            line_shift: line.trailing_zeros(),
            bytes_per_cycle: bytes_per_cycle.max(1),
            hit,
            miss,
            ratio: (machine.l1.line.value / line).max(1),
        }
    }

    pub(super) fn line_bytes(&self) -> u64 {
        self.line
    }

    /// Reads or writes up to a few lines from `access.at`. `at` is when the address is translated.
    pub(super) fn access(
        &mut self,
        at: u64,
        wgp: usize,
        array: usize,
        access: &ScalarAccess,
        shared: &mut Shared,
    ) -> Reply {
        let bytes = u64::from(access.dwords.max(1)) * 4;
        let mut met = Met { lanes: 1, ..Met::default() };
        met.moved(Level::L0, bytes);
        let (first, last) = (access.at >> self.line_shift, access.at.wrapping_add(bytes - 1) >> self.line_shift);
        let mut ready = at;
        let mut taken = at;
        // At most two lines: an access is 64 bytes at most.
        for line in first..=last.min(first + 1) {
            met.lines += 1;
            let (granted, done) = self.line(at, wgp, array, line, access, shared, &mut met);
            taken = taken.max(granted + 1);
            ready = ready.max(done);
        }
        let cache = &mut self.caches[wgp];
        let port = access.simd % cache.ports.len();
        let (_, done) = cache.ports[port].take(ready, bytes.div_ceil(self.bytes_per_cycle) as u32);
        Reply { taken, done, met }
    }

    #[expect(clippy::too_many_arguments, reason = "one request's words")]
    fn line(
        &mut self,
        at: u64,
        wgp: usize,
        array: usize,
        line: u64,
        access: &ScalarAccess,
        shared: &mut Shared,
        met: &mut Met,
    ) -> (u64, u64) {
        let policy = Policy { bypass_l1: access.dlc, stream: false };
        let cache = &mut self.caches[wgp];
        let bank = (line % cache.banks.len() as u64) as usize;
        let (granted, _) = cache.banks[bank].take(at, 1);
        met.queued = met.queued.max(granted.saturating_sub(at) as u32);
        let set = (line % cache.tags.sets() as u64) as usize;
        let (hit, lower) = (granted + self.hit, line / self.ratio);
        if let Kind::Atomic { .. } = access.kind {
            cache.tags.drop_line(set, line);
            met.miss(Level::L0);
            let bytes = (1u128 << (access.dwords.clamp(1, 16) * 4)) - 1;
            return (granted, shared.atomic(hit + self.miss, array, lower, bytes, 1, 1, policy, met));
        }
        let bypass = access.glc && access.kind == Kind::Load;
        if bypass {
            cache.tags.drop_line(set, line);
        } else if let Some(place) = cache.tags.look(set, line, true) {
            match place.ready <= granted {
                true => met.hit(Level::L0),
                false => met.miss(Level::L0),
            }
            if access.kind == Kind::Store {
                cache.dirty[place.index] = 1;
                return (granted, hit);
            }
            return (granted, hit.max(place.ready));
        }
        met.miss(Level::L0);
        let sent = cache.misses.enter(hit) + self.miss;
        let ready = shared.read(sent, array, lower, policy, met);
        let cache = &mut self.caches[wgp];
        cache.misses.leave(ready);
        if !bypass {
            let (index, old) = cache.tags.fill(set, line, ready, true);
            let dirty = std::mem::replace(&mut cache.dirty[index], u64::from(access.kind == Kind::Store));
            if let (Some(old), 1) = (old, dirty) {
                self.write_back(ready, array, old, shared);
            }
        }
        (granted, ready)
    }

    fn write_back(&self, at: u64, array: usize, line: u64, shared: &mut Shared) -> u64 {
        let part = if self.line >= 128 { u128::MAX } else { (1 << self.line) - 1 };
        let bytes = part << (line % self.ratio * self.line);
        let policy = Policy { bypass_l1: false, stream: false };
        shared.write(at, array, line / self.ratio, bytes, policy, &mut Met::default())
    }

    /// Writes dirty lines back, if asked, and forgets all, if asked. When that is done.
    pub(super) fn flush(
        &mut self,
        at: u64,
        wgp: usize,
        array: usize,
        write_back: bool,
        invalidate: bool,
        shared: &mut Shared,
    ) -> u64 {
        let mut done = at;
        if write_back {
            let cache = &self.caches[wgp];
            let dirty: Vec<(usize, u64)> = cache.tags.iter().filter(|(i, _)| cache.dirty[*i] != 0).collect();
            for (index, line) in dirty {
                self.caches[wgp].dirty[index] = 0;
                done = done.max(self.write_back(at, array, line, shared));
            }
        }
        if invalidate {
            let cache = &mut self.caches[wgp];
            cache.tags.clear(0..cache.tags.sets());
            cache.dirty.fill(0);
        }
        done
    }
}
