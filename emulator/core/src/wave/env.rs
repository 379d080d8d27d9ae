//! What a wave reaches outside of itself while it runs: guest memory and its work-group's LDS.

use crate::memory::{MemoryMap, Region};
use std::time::Instant;

/// Slots of the region cache; accesses of a kernel alternate between a few buffers.
const SLOTS: usize = 16;

pub(crate) struct Env<'a> {
    pub map: &'a MemoryMap,
    pub lds: &'a mut Lds,
    /// Waves of the work-group.
    pub waves: u32,
    /// S_MEMREALTIME's zero.
    pub epoch: Instant,
    regions: [Option<&'a Region>; SLOTS],
}

impl<'a> Env<'a> {
    pub fn new(map: &'a MemoryMap, lds: &'a mut Lds, waves: u32, epoch: Instant) -> Self {
        Env { map, lds, waves, epoch, regions: [None; SLOTS] }
    }

    /// The region holding `bytes` at `va`, and the offset there.
    #[inline(always)]
    pub fn region(&mut self, va: u64, bytes: u64) -> Option<(&'a Region, u64)> {
        let slot = (va >> 16) as usize % SLOTS;
        if let Some(r) = self.regions[slot]
            && let Some(off) = r.offset(va, bytes)
        {
            return Some((r, off));
        }
        let (r, off) = self.map.span(va, bytes)?;
        self.regions[slot] = Some(r);
        Some((r, off))
    }

    /// 100 MHz reference clock.
    pub fn realtime(&self) -> u64 {
        (self.epoch.elapsed().as_nanos() / 10) as u64
    }
}

/// A work-group's local data share. Byte-addressed; what is out of range reads as zero and is not written.
#[derive(Default)]
pub(crate) struct Lds {
    bytes: Vec<u8>,
}

impl Lds {
    /// `bytes` of zeroes; keeps its allocation.
    pub fn reset(&mut self, bytes: u32) {
        self.bytes.clear();
        self.bytes.resize(bytes as usize, 0);
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    #[inline(always)]
    pub fn load<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let at = at as usize;
        self.bytes.get(at..)?.first_chunk::<N>().copied()
    }

    #[inline(always)]
    pub fn store<const N: usize>(&mut self, at: u64, v: [u8; N]) {
        if let Some(d) = self.bytes.get_mut(at as usize..).and_then(|s| s.first_chunk_mut::<N>()) {
            *d = v;
        }
    }

    #[inline(always)]
    pub fn load32(&self, at: u64) -> u32 {
        self.load(at).map_or(0, u32::from_le_bytes)
    }

    #[inline(always)]
    pub fn store32(&mut self, at: u64, v: u32) {
        self.store(at, v.to_le_bytes());
    }
}
