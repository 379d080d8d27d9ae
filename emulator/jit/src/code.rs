//! Host code that can be called.

use crate::arena::{Arena, Piece};
use wavepipe_core::wave::{Entry, HostFrame, NoCode};

pub struct ExecutableCode {
    piece: Piece,
}

impl ExecutableCode {
    /// # Errors
    /// As of [`Arena::place`].
    pub fn new(arena: &Arena, bytes: &[u8]) -> Result<ExecutableCode, NoCode> {
        Ok(ExecutableCode { piece: arena.place(bytes)? })
    }

    /// # Safety
    /// The bytes are such a function for this host.
    pub unsafe fn entry(&self) -> Entry {
        // SAFETY: the memory is executable and holds such a function from its first byte on, by the caller's promise.
        unsafe { std::mem::transmute::<*const u8, Entry>(self.piece.start()) }
    }

    /// # Safety
    /// As of [`ExecutableCode::entry`], and the frame is what it was made for.
    pub unsafe fn call(&self, frame: *mut HostFrame) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { self.entry()(frame) }
    }
}

/// Whether all threads fetch what was written.
#[cfg(not(target_arch = "aarch64"))]
pub fn fetched_anew(_: *const u8, _: usize) -> Option<()> {
    Some(())
}

/// Caches of instructions know nothing of writes here, and other cores may have fetched what was there before.
#[cfg(target_arch = "aarch64")]
pub fn fetched_anew(start: *const u8, bytes: usize) -> Option<()> {
    use wasmtime_internal_jit_icache_coherence::{clear_cache, pipeline_flush_mt};
    // SAFETY: cleaning caches changes nothing that is in memory.
    unsafe { clear_cache(start.cast(), bytes) }.ok()?;
    pipeline_flush_mt().ok()
}

/// Stores past the caches are seen by all threads before what comes next.
#[cfg(target_arch = "x86_64")]
pub fn drain_stores() {
    // SAFETY: every x86-64 has SFENCE.
    unsafe { std::arch::x86_64::_mm_sfence() }
}
