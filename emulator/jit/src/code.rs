//! Executable memory: written once, then never writable again.

use memmap2::{Mmap, MmapMut};
use wavepipe_core::wave::HostFrame;

/// A function of a frame; the instructions that were executed. On x86-64 in the System V convention on every operating system.
#[cfg(target_arch = "x86_64")]
type Function = unsafe extern "sysv64" fn(*mut HostFrame) -> u64;
#[cfg(not(target_arch = "x86_64"))]
type Function = unsafe extern "C" fn(*mut HostFrame) -> u64;

pub struct ExecutableCode {
    memory: Mmap,
}

impl ExecutableCode {
    /// `None`: the host gives no executable memory.
    pub fn new(bytes: &[u8]) -> Option<ExecutableCode> {
        let mut memory = MmapMut::map_anon(bytes.len()).ok()?;
        memory.copy_from_slice(bytes);
        let memory = memory.make_exec().ok()?;
        fetched_anew(&memory)?;
        Some(ExecutableCode { memory })
    }

    /// # Safety
    /// The bytes are a function of this type for this host, and the frame is what it was made for.
    pub unsafe fn call(&self, frame: *mut HostFrame) -> u64 {
        // SAFETY: the memory is executable and holds such a function from its first byte on, by the caller's promise.
        let function = unsafe { std::mem::transmute::<*const u8, Function>(self.memory.as_ptr()) };
        // SAFETY: the caller's promise.
        unsafe { function(frame) }
    }
}

/// Whether all threads fetch what was written.
#[cfg(not(target_arch = "aarch64"))]
fn fetched_anew(_: &Mmap) -> Option<()> {
    Some(())
}

/// Caches of instructions know nothing of writes here, and other cores may have fetched what was there before.
#[cfg(target_arch = "aarch64")]
fn fetched_anew(memory: &Mmap) -> Option<()> {
    use wasmtime_internal_jit_icache_coherence::{clear_cache, pipeline_flush_mt};
    // SAFETY: the range is this mapping's.
    unsafe { clear_cache(memory.as_ptr().cast(), memory.len()) }.ok()?;
    pipeline_flush_mt().ok()
}
