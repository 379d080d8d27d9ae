//! Executable memory: written once, then never writable again.

use memmap2::{Mmap, MmapMut};

/// A function of rows and scalars, in the System V convention on every operating system.
type Function = unsafe extern "sysv64" fn(*mut u32, *mut u32);

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
    /// The bytes are a function of this type for this host, and the arguments are what it was made for.
    pub unsafe fn call(&self, rows: *mut u32, scalars: *mut u32) {
        // SAFETY: the memory is executable and holds such a function from its first byte on, by the caller's promise.
        let function = unsafe { std::mem::transmute::<*const u8, Function>(self.memory.as_ptr()) };
        // SAFETY: the caller's promise.
        unsafe { function(rows, scalars) }
    }
}
