//! Sums over the whole machine.

use super::access::Met;

/// What one kind of user met in all.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sum {
    pub requests: u64,
    pub lanes: u64,
    pub lines: u64,
    /// By [`super::Level`].
    pub hits: [u64; 3],
    pub misses: [u64; 3],
    pub bytes: [u64; 4],
    pub tlb_misses: u64,
    pub conflicts: u64,
    pub service: u64,
    pub queued: u64,
}

impl Sum {
    /// Adds one access.
    pub fn add(&mut self, met: &Met) {
        self.requests += 1;
        self.lanes += u64::from(met.lanes);
        self.lines += u64::from(met.lines);
        for level in 0..3 {
            self.hits[level] += u64::from(met.hits[level]);
            self.misses[level] += u64::from(met.misses[level]);
        }
        for level in 0..4 {
            self.bytes[level] += u64::from(met.bytes[level]);
        }
        self.tlb_misses += u64::from(met.tlb_misses);
        self.conflicts += u64::from(met.conflicts);
        self.service += u64::from(met.service);
        self.queued += u64::from(met.queued);
    }

    /// Adds what others met.
    pub fn merge(&mut self, other: &Sum) {
        self.requests += other.requests;
        self.lanes += other.lanes;
        self.lines += other.lines;
        add_each(&mut self.hits, &other.hits);
        add_each(&mut self.misses, &other.misses);
        add_each(&mut self.bytes, &other.bytes);
        self.tlb_misses += other.tlb_misses;
        self.conflicts += other.conflicts;
        self.service += other.service;
        self.queued += other.queued;
    }
}

/// Adds a list of counters to another.
pub fn add_each(to: &mut [u64], from: &[u64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}

/// What the hierarchy did since it was made.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    pub loads: Sum,
    pub stores: Sum,
    pub atomics: Sum,
    pub scalar: Sum,
    pub fetch: Sum,
    pub lds: Sum,
    pub dma: Sum,
    /// Dirty lines that L2 wrote to memory, for want of room or because a packet asked.
    pub write_backs: u64,
    /// Bytes that memory's channels moved.
    pub memory_read: u64,
    pub memory_written: u64,
    /// Lines that L2 read of the cache in front of memory: those that were there, and those that were not.
    pub mall: [u64; 2],
}
