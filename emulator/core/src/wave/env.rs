//! What a wave reaches outside of itself while it runs: guest memory and its work-group's LDS.

use super::device::{Device, Passage};
use super::mem::Images;
use super::thread_trace::ThreadTrace;
use crate::memory::{Backing, MemoryMap, Region};
use wavepipe_hw::port::Protection;

/// Slots of the region cache; accesses of a kernel alternate between a few buffers.
pub(crate) const SLOTS: usize = 16;

/// What S_MEMREALTIME reads.
pub(crate) enum Clock {
    /// The device's, which goes by the host's.
    Host,
    /// Ticks of a machine with a clock of its own.
    Emulated(u64),
}

/// A lane's access to a texel.
#[derive(Clone, Copy, Debug)]
pub struct TexelTouch {
    pub at: u64,
    /// What it writes, if it does so whatever was there.
    pub value: [u32; 4],
    pub lane: u8,
    pub bytes: u8,
}

pub(crate) struct Env<'a> {
    pub map: &'a MemoryMap,
    pub lds: &'a Lds,
    pub device: &'a Device,
    /// The work-group's dispatch, and its number in it.
    pub passage: &'a Passage,
    pub number: u64,
    /// Waves of the work-group.
    pub waves: u32,
    /// Address of the border colour table.
    pub border_colors: u64,
    pub clock: Clock,
    /// Where texels are noted that an image instruction accesses.
    pub texels: Option<&'a mut Vec<TexelTouch>>,
    /// Where S_TTRACEDATA sends to.
    pub trace: Option<&'a mut ThreadTrace>,
    pub regions: [Option<&'a Region>; SLOTS],
    pub images: &'a Images,
}

impl<'a> Env<'a> {
    /// The region holding `bytes` at `va`, and the offset there, if the wave may load from it.
    #[inline(always)]
    pub fn region(&mut self, va: u64, bytes: u64) -> Option<(&'a Region, u64)> {
        let slot = (va >> 16) as usize % SLOTS;
        if let Some(r) = self.regions[slot]
            && let Some(off) = r.offset(va, bytes)
        {
            return Some((r, off));
        }
        let (r, off) = self.map.span(va, bytes).filter(|(r, _)| r.protection != Protection::Hidden)?;
        self.regions[slot] = Some(r);
        Some((r, off))
    }

    /// As [`Env::region`], if the wave may store there.
    #[inline(always)]
    pub fn writable(&mut self, va: u64, bytes: u64) -> Option<(&'a Region, u64)> {
        self.region(va, bytes).filter(|(r, _)| r.is_writable())
    }

    /// The reference clock, in its ticks.
    pub fn realtime(&self) -> u64 {
        match self.clock {
            Clock::Host => self.device.clock.now(),
            Clock::Emulated(ticks) => ticks,
        }
    }
}

/// A work-group's local data share.
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
            None if bytes == 0 => {}
            _ => self.backing = if bytes == 0 { None } else { Backing::new(u64::from(bytes)) },
        }
    }

    /// The storage, if there is any.
    #[inline(always)]
    pub fn backing(&self) -> Option<&Backing> {
        self.backing.as_ref()
    }
}
