//! Memory that two processes, or two devices of one, share: a nameless file in memory, mapped here and there. The only
//! module besides [`crate::host`] with `unsafe`.
//!
//! Invariant: a mapped file cannot shrink (F_SEAL_SHRINK), so that no access through the mapping can fault.

use crate::error::{Error, Result};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, fstat, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::Arc;
use wavepipe_hw::port::HostMemory;

/// A file of zeroed bytes that another process may map.
pub(crate) fn new_file(size: u64) -> Result<OwnedFd> {
    let make = || {
        let file = memfd_create("wavepipe memory", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&file, size)?;
        fcntl_add_seals(&file, SealFlags::SHRINK)?;
        Ok(file)
    };
    make().map_err(|e: rustix::io::Errno| Error::OutOfHostMemory { what: format!("a file of {size} bytes: {e}") })
}

/// Maps the first `size` bytes of a file that [`new_file`] made, maybe in another process.
pub(crate) fn map(file: BorrowedFd<'_>, size: u64) -> Result<HostMemory> {
    let refuse = |why: String| Error::ExternalHandle { why };
    let sealed = fcntl_get_seals(file).is_ok_and(|seals| seals.contains(SealFlags::SHRINK));
    if !sealed {
        return Err(refuse("the file descriptor is of no exported memory".into()));
    }
    let bytes = fstat(file).map_or(0, |s| u64::try_from(s.st_size).unwrap_or(0));
    let length = usize::try_from(size).ok().filter(|_| size > 0 && size <= bytes);
    let length = length.ok_or_else(|| refuse(format!("{size} bytes of exported memory of {bytes}")))?;
    let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
    // SAFETY: a new mapping at an address of the system's choice touches nothing that exists.
    let mapped = unsafe { mmap(std::ptr::null_mut(), length, protection, flags, file, 0) };
    let start = mapped.map_err(|e| Error::OutOfHostMemory { what: format!("mapping {size} bytes: {e}") })?;
    let start = NonNull::new(start.cast()).ok_or_else(|| refuse("mapped at address 0".into()))?;
    let mapping = Mapping { start, length };
    // SAFETY: mappings start at pages; this one is readable and writable until its drop, since the file cannot shrink, and
    // nothing else knows the address.
    Ok(unsafe { HostMemory::new(start.as_ptr(), size, Arc::new(mapping)) })
}

/// Another descriptor of the same file, for somebody else to own.
pub(crate) fn duplicate(file: &OwnedFd) -> Result<OwnedFd> {
    file.as_fd().try_clone_to_owned().map_err(|e| Error::OutOfHostMemory { what: format!("a file descriptor: {e}") })
}

/// Waits for a sync file of the kernel's, which signals in a time of its own and without our help.
pub fn wait_sync_file(file: BorrowedFd<'_>) -> Result<()> {
    let refuse = |why: String| Error::ExternalHandle { why };
    let name = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let name = name.map_or_else(|e| e.to_string(), |n| n.display().to_string());
    if name != "anon_inode:sync_file" {
        return Err(refuse(format!("{name} is no sync file")));
    }
    loop {
        match poll(&mut [PollFd::new(&file, PollFlags::IN)], None) {
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(e) => return Err(refuse(format!("a sync file: {e}"))),
        }
    }
}

/// Unmaps on drop.
struct Mapping {
    start: NonNull<u8>,
    length: usize,
}
// SAFETY: plain memory, which any thread may unmap.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: made by `map`, whose users hold this as owner, and unmapped once.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}
