//! What a wave reaches outside of itself while it runs: guest memory and its work-group's LDS.

use crate::memory::{Backing, MemoryMap, Region};
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

/// A work-group's local data share. What is out of range reads as zero and is not written.
#[derive(Default)]
pub(crate) struct Lds {
    backing: Option<Backing>,
}

impl Lds {
    /// `bytes` of zeroes; keeps its allocation if the size is the same.
    pub fn reset(&mut self, bytes: u32) {
        match &self.backing {
            Some(b) if b.size() == u64::from(bytes) => {
                let _ = b.fill(0, 0, b.size());
            }
            _ => self.backing = if bytes == 0 { None } else { Backing::new(u64::from(bytes)) },
        }
    }

    /// The storage, if there is any.
    #[inline(always)]
    pub fn backing(&self) -> Option<&Backing> {
        self.backing.as_ref()
    }

    #[inline(always)]
    pub fn load8(&self, at: u64) -> u32 {
        self.backing().and_then(|b| b.load8(at)).map_or(0, u32::from)
    }

    #[inline(always)]
    pub fn load16(&self, at: u64) -> u32 {
        self.backing().and_then(|b| b.load16(at)).map_or(0, u32::from)
    }

    #[inline(always)]
    pub fn load32(&self, at: u64) -> u32 {
        self.backing().and_then(|b| b.load32(at)).unwrap_or(0)
    }

    #[inline(always)]
    pub fn load64(&self, at: u64) -> u64 {
        self.backing().and_then(|b| b.load64(at)).unwrap_or(0)
    }

    #[inline(always)]
    pub fn store8(&self, at: u64, v: u32) {
        let _ = self.backing().and_then(|b| b.store8(at, v as u8));
    }

    #[inline(always)]
    pub fn store16(&self, at: u64, v: u32) {
        let _ = self.backing().and_then(|b| b.store16(at, v as u16));
    }

    #[inline(always)]
    pub fn store32(&self, at: u64, v: u32) {
        let _ = self.backing().and_then(|b| b.store32(at, v));
    }

    #[inline(always)]
    pub fn store64(&self, at: u64, v: u64) {
        let _ = self.backing().and_then(|b| b.store64(at, v));
    }
}
