//! Executable memory: written once, then never writable again.

use memmap2::{Mmap, MmapMut};
use wavepipe_core::wave::HostFrame;

/// A function of a frame, in the System V convention on every operating system; the instructions that were executed.
type Function = unsafe extern "sysv64" fn(*mut HostFrame) -> u64;

pub struct ExecutableCode {
    memory: Mmap,
}

impl ExecutableCode {
    /// `None`: the host gives no executable memory.
    pub fn new(bytes: &[u8]) -> Option<ExecutableCode> {
        let mut memory = MmapMut::map_anon(bytes.len()).ok()?;
        memory.copy_from_slice(bytes);
        Some(ExecutableCode { memory: memory.make_exec().ok()? })
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
