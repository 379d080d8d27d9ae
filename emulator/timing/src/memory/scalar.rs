//! Scalar data and instructions: the two caches of a cluster of compute units, besides the vector ones.
//!
//! Both are banked by line, return so many bytes a cycle to each front end (a SIMD's, or a compute unit's whose SIMDs have it in
//! turn), and ask the array's L1. The scalar cache writes back:
//! S_DCACHE_WB and ACQUIRE_MEM make it. Loads may return out of order.

use super::access::{Kind, Level, Met, Reply, ScalarAccess};
use super::cache::Tags;
use super::shared::{Policy, Shared};
use super::slots::{Slots, Window};
use wavepipe_hw::machine::Machine;

/// A kind of cache: one in each cluster.
pub(super) struct Caches {
    caches: Vec<Cache>,
    /// Of each work-group processor: its cluster, and its first return port there.
    places: Vec<(usize, usize)>,
    /// Return ports of a work-group processor.
    ports: usize,
    figures: Figures,
}

#[derive(Clone, Copy)]
struct Figures {
    bytes: u64,
    ways: u64,
    line: u64,
    banks: u64,
    bytes_per_cycle: u64,
    hit: u64,
    miss: u64,
    outstanding: u64,
    /// Of a line of what is asked.
    lower_line: u64,
}

/// The cache of one cluster.
struct Cache {
    array: usize,
    tags: Tags,
    dirty: Box<[bool]>,
    banks: Box<[Slots]>,
    /// Return port of each front end.
    ports: Box<[Slots]>,
    misses: Window,
}

impl Caches {
    /// Of scalar data.
    pub(super) fn scalar(machine: &Machine) -> Caches {
        let c = &machine.scalar_cache;
        let figures = Figures {
            bytes: c.bytes.value,
            ways: c.ways.value,
            line: c.line.value,
            banks: c.banks.value,
            bytes_per_cycle: c.bytes_per_cycle.value,
            hit: c.hit.value,
            miss: c.miss.value,
            outstanding: c.outstanding.value,
            lower_line: machine.l2.line.value,
        };
        Caches::new(machine, figures)
    }

    /// Of instructions.
    pub(super) fn fetch(machine: &Machine) -> Caches {
        let f = &machine.fetch;
        let figures = Figures {
            bytes: f.bytes.value,
            ways: f.ways.value,
            line: f.line.value,
            banks: f.banks.value,
            bytes_per_cycle: f.bytes_per_cycle.value,
            hit: f.hit.value,
            miss: f.miss.value,
            outstanding: f.outstanding.value,
            lower_line: machine.l2.line.value,
        };
        Caches::new(machine, figures)
    }

    fn new(machine: &Machine, figures: Figures) -> Caches {
        let Figures { bytes, ways, line, banks, outstanding, .. } = figures;
        let per_wgp = (machine.simds_per_wgp() / machine.issue.turns.value) as usize;
        let mut places: Vec<(usize, usize)> = Vec::new();
        let mut arrays = Vec::new();
        for wgp in 0..machine.wgps() as usize {
            let cluster = machine.cluster_of_wgp(wgp);
            let before = places.iter().filter(|(c, _)| *c == cluster).count();
            places.push((cluster, before * per_wgp));
            if cluster == arrays.len() {
                arrays.push(machine.array_of_wgp(wgp));
            }
        }
        let most = places.iter().map(|(_, first)| first + per_wgp).max().unwrap_or(per_wgp);
        let one = |array| Cache {
            array,
            tags: Tags::new(bytes / line / ways, ways),
            dirty: vec![false; (bytes / line) as usize].into(),
            banks: vec![Slots::new(1.0); banks as usize].into(),
            ports: vec![Slots::new(1.0); most].into(),
            misses: Window::new(outstanding),
        };
        Caches { caches: arrays.into_iter().map(one).collect(), places, ports: per_wgp, figures }
    }

    pub(super) fn line_bytes(&self) -> u64 {
        self.figures.line
    }

    /// Serves `access`, whose address is translated at `at`.
    pub(super) fn access(&mut self, at: u64, wgp: usize, access: &ScalarAccess, shared: &mut Shared) -> Reply {
        let (cluster, first_port) = self.places[wgp];
        let (f, cache) = (&self.figures, &mut self.caches[cluster]);
        let bytes = u64::from(access.dwords.max(1)) * 4;
        let mut met = Met { lanes: 1, ..Met::default() };
        met.moved(Level::L0, bytes);
        let (first, last) = (access.at / f.line, access.at.wrapping_add(bytes - 1) / f.line);
        let (mut ready, mut taken) = (at, at);
        // At most two lines: an access is 64 bytes at most.
        for line in first..=last.min(first + 1) {
            met.lines += 1;
            met.service += 1;
            let (granted, done) = cache.line(at, line, access, f, shared, &mut met);
            taken = taken.max(granted + 1);
            ready = ready.max(done);
        }
        if access.kind.returns() {
            let cycles = bytes.div_ceil(f.bytes_per_cycle);
            let port = first_port + access.simd % self.ports;
            // The first of the port's cycles is part of a hit's latency.
            ready = cache.ports[port].take(ready, cycles as u32).1 - 1;
        }
        Reply { taken, done: ready, met }
    }

    /// Forgets all; what was dirty is lost.
    pub(super) fn invalidate(&mut self, wgp: usize) {
        let cache = &mut self.caches[self.places[wgp].0];
        cache.tags.clear();
        cache.dirty.fill(false);
    }

    /// Writes dirty lines back, if asked, and forgets all, if asked. When that is done.
    pub(super) fn flush(&mut self, at: u64, wgp: usize, back: bool, forget: bool, shared: &mut Shared) -> u64 {
        let (f, cache) = (&self.figures, &mut self.caches[self.places[wgp].0]);
        let mut done = at;
        if back {
            let dirty: Vec<(usize, u64)> = cache.tags.iter().filter(|(index, _)| cache.dirty[*index]).collect();
            for (index, line) in dirty {
                cache.dirty[index] = false;
                done = done.max(cache.write_back(at, line, f, shared));
            }
        }
        if forget {
            self.invalidate(wgp);
        }
        done
    }
}

impl Cache {
    /// One line: when its bank serves it, and when its data is on its way, or its write is in the cache.
    fn line(
        &mut self,
        at: u64,
        line: u64,
        access: &ScalarAccess,
        f: &Figures,
        shared: &mut Shared,
        met: &mut Met,
    ) -> (u64, u64) {
        let policy = Policy { array: self.array, bypass_l1: access.cache.passes_l1(), stream: false };
        let bank = (line % f.banks) as usize;
        let (granted, _) = self.banks[bank].take(at, 1);
        met.waited(granted - at);
        let set = self.tags.set(line);
        let (hit, lower) = (granted + f.hit, line * f.line / f.lower_line);
        if let Kind::Atomic { .. } = access.kind {
            self.tags.drop_line(set, line);
            let bytes = (1u128 << (access.dwords.clamp(1, 4) * 4)) - 1 << (access.at % f.lower_line);
            return (granted, shared.atomic(hit + f.miss, lower, bytes, (1, 1), policy, met));
        }
        let store = access.kind == Kind::Store;
        let bypass = access.cache.passes_l0() && !store;
        if bypass {
            self.tags.drop_line(set, line);
        } else if let Some(place) = self.tags.look(set, line, true) {
            met.found(Level::L0, place.ready <= granted);
            self.dirty[place.index] |= store;
            return (granted, if store { hit } else { hit.max(place.ready) });
        }
        met.found(Level::L0, false);
        let sent = self.misses.enter(hit);
        let ready = shared.read(sent + f.miss, lower, policy, met);
        self.misses.leave(ready);
        if !bypass {
            let (index, old) = self.tags.fill(set, line, ready, true);
            let dirty = std::mem::replace(&mut self.dirty[index], store);
            if let Some(old) = old.filter(|_| dirty) {
                self.write_back(ready, old, f, shared);
            }
        }
        (granted, ready)
    }

    fn write_back(&self, at: u64, line: u64, f: &Figures, shared: &mut Shared) -> u64 {
        let address = line * f.line;
        let bytes = (u128::MAX >> (128 - f.line.min(128))) << (address % f.lower_line);
        let policy = Policy { array: self.array, bypass_l1: false, stream: false };
        shared.write(at, address / f.lower_line, bytes, policy, &mut Met::default())
    }
}
