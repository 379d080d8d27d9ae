//! GPU memory through its host address: with [`crate::external`] the only module with `unsafe`.
//!
//! Invariant: a [`GpuMemory`] owns its allocation; the address is valid until its drop.
//! The GPU's threads may touch the same bytes at any time, so every access here is a relaxed atomic of a word or a byte,
//! which compiles to plain moves. A word of the fence protocol is loaded with acquire and stored with release ordering.

use crate::bus::Bus;
use crate::error::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use wavepipe_hw::port::{Allocation, HostMemory, Protection};

/// An allocation of GPU memory; given back on drop, once no queue uses it.
pub(crate) struct GpuMemory {
    bus: Arc<Bus>,
    allocation: Allocation,
}

impl GpuMemory {
    /// `size` zeroed bytes; `name` appears in fault reports.
    pub fn allocate(bus: &Arc<Bus>, size: u64, name: &str) -> Result<GpuMemory> {
        Self::allocate_protected(bus, size, name, Protection::None)
    }

    /// The same, kept from the waves of programs.
    pub fn allocate_protected(bus: &Arc<Bus>, size: u64, name: &str, protection: Protection) -> Result<GpuMemory> {
        Ok(GpuMemory { bus: bus.clone(), allocation: bus.allocate(size, name, protection)? })
    }

    /// Memory of the host, mapped for the GPU.
    pub fn map_host(bus: &Arc<Bus>, memory: HostMemory, name: &str) -> Result<GpuMemory> {
        Ok(GpuMemory { bus: bus.clone(), allocation: bus.map_host(memory, name)? })
    }

    pub fn bus(&self) -> &Arc<Bus> {
        &self.bus
    }

    pub fn va(&self) -> u64 {
        self.allocation.va
    }

    pub fn size(&self) -> u64 {
        self.allocation.size
    }

    pub fn host_ptr(&self) -> *mut u8 {
        self.allocation.host
    }

    fn check(&self, offset: u64, bytes: usize) -> Result<usize> {
        match offset.checked_add(bytes as u64) {
            Some(end) if end <= self.allocation.size => Ok(offset as usize),
            _ => Err(Error::Invalid(format!(
                "bytes {offset:#x}..+{bytes:#x} are outside of an allocation of {:#x} bytes",
                self.allocation.size
            ))),
        }
    }

    fn byte(&self, offset: usize) -> &AtomicU8 {
        debug_assert!((offset as u64) < self.allocation.size);
        // SAFETY: in bounds (callers check), alive while `self` is, and only ever accessed atomically here.
        unsafe { AtomicU8::from_ptr(self.allocation.host.add(offset)) }
    }

    /// `offset` in bounds; a multiple of 8 from an 8-byte aligned base, as callers ensure.
    fn word(&self, offset: usize) -> &AtomicU64 {
        debug_assert!(offset as u64 + 8 <= self.allocation.size);
        // SAFETY: in bounds and aligned (callers check), alive while `self` is, only accessed atomically here.
        unsafe { AtomicU64::from_ptr(self.allocation.host.add(offset).cast()) }
    }

    fn half(&self, offset: usize) -> &AtomicU32 {
        debug_assert!(offset as u64 + 4 <= self.allocation.size);
        // SAFETY: as for `word`.
        unsafe { AtomicU32::from_ptr(self.allocation.host.add(offset).cast()) }
    }

    /// Bytes before the first 8-byte boundary of the host address, at most `len`.
    fn head(&self, offset: usize, len: usize) -> usize {
        ((self.allocation.host as usize).wrapping_add(offset).wrapping_neg() & 7).min(len)
    }

    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let start = self.check(offset, out.len())?;
        let (head, rest) = out.split_at_mut(self.head(start, out.len()));
        let mut at = start;
        let bytes = |part: &mut [u8], at: &mut usize| {
            for b in part {
                *b = self.byte(*at).load(Ordering::Relaxed);
                *at += 1;
            }
        };
        bytes(head, &mut at);
        let mut words = rest.chunks_exact_mut(8);
        for w in &mut words {
            w.copy_from_slice(&self.word(at).load(Ordering::Relaxed).to_ne_bytes());
            at += 8;
        }
        bytes(words.into_remainder(), &mut at);
        Ok(())
    }

    pub fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        let start = self.check(offset, data.len())?;
        let (head, rest) = data.split_at(self.head(start, data.len()));
        let mut at = start;
        let bytes = |part: &[u8], at: &mut usize| {
            for &b in part {
                self.byte(*at).store(b, Ordering::Relaxed);
                *at += 1;
            }
        };
        bytes(head, &mut at);
        let (words, tail) = rest.as_chunks::<8>();
        for &w in words {
            self.word(at).store(u64::from_ne_bytes(w), Ordering::Relaxed);
            at += 8;
        }
        bytes(tail, &mut at);
        Ok(())
    }

    /// A word of the fence protocol. Panics out of bounds or misaligned: both are the runtime's own constants.
    pub fn load_u64(&self, offset: u64) -> u64 {
        assert!(offset.is_multiple_of(8) && offset + 8 <= self.allocation.size);
        self.word(offset as usize).load(Ordering::Acquire)
    }

    /// As [`Self::load_u64`].
    pub fn store_u64(&self, offset: u64, value: u64) {
        assert!(offset.is_multiple_of(8) && offset + 8 <= self.allocation.size);
        self.word(offset as usize).store(value, Ordering::Release);
    }

    /// As [`Self::load_u64`]: adds, and gives what was there.
    pub fn add_u64(&self, offset: u64, value: u64) -> u64 {
        assert!(offset.is_multiple_of(8) && offset + 8 <= self.allocation.size);
        self.word(offset as usize).fetch_add(value, Ordering::AcqRel)
    }

    /// As [`Self::load_u64`], 32 bits.
    pub fn load_u32(&self, offset: u64) -> u32 {
        assert!(offset.is_multiple_of(4) && offset + 4 <= self.allocation.size);
        self.half(offset as usize).load(Ordering::Acquire)
    }

    /// As [`Self::load_u64`], 32 bits.
    pub fn store_u32(&self, offset: u64, value: u32) {
        assert!(offset.is_multiple_of(4) && offset + 4 <= self.allocation.size);
        self.half(offset as usize).store(value, Ordering::Release);
    }
}

impl Drop for GpuMemory {
    fn drop(&mut self) {
        self.bus.retire(self.allocation.va);
    }
}
