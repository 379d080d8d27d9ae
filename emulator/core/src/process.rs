//! Which process this is. A forked child has its parent's memory, and none of its threads: a GPU of the parent's does
//! nothing in it, and waiting for one would not end.
//!
//! A page that the kernel wipes in every child (MADV_WIPEONFORK) tells them apart for the price of a load, however the child
//! was made. Where there is no such page, the process's number does, for that of a system call.

#[cfg(not(target_family = "wasm"))]
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous};
#[cfg(not(target_family = "wasm"))]
use std::sync::OnceLock;
#[cfg(not(target_family = "wasm"))]
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A number that no other process has among its ancestors: in a browser there is one.
#[cfg(target_family = "wasm")]
pub fn current() -> u64 {
    1
}

/// Bytes that are wiped: the kernel rounds up to a page.
#[cfg(not(target_family = "wasm"))]
const BYTES: usize = size_of::<AtomicU64>();

/// A number that no other process has among its ancestors.
#[cfg(not(target_family = "wasm"))]
pub fn current() -> u64 {
    static PAGE: OnceLock<Option<&'static AtomicU64>> = OnceLock::new();
    /// The last number that was given; a child goes on from its parent's.
    static LAST: AtomicU64 = AtomicU64::new(0);
    let Some(page) = PAGE.get_or_init(wiped_page) else { return std::process::id().into() };
    match page.load(Relaxed) {
        0 => {
            let fresh = LAST.fetch_add(1, Relaxed) + 1;
            // Another thread may be quicker.
            page.compare_exchange(0, fresh, Relaxed, Relaxed).err().unwrap_or(fresh)
        }
        number => number,
    }
}

/// Zero, and zero again in every child. Never given back.
#[cfg(not(target_family = "wasm"))]
fn wiped_page() -> Option<&'static AtomicU64> {
    let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
    // SAFETY: a new mapping at an address of the system's choice touches nothing that exists.
    let start = unsafe { mmap_anonymous(std::ptr::null_mut(), BYTES, protection, flags) }.ok()?;
    // SAFETY: advice about the page that was just mapped.
    unsafe { madvise(start, BYTES, Advice::LinuxWipeOnFork) }.ok()?;
    // SAFETY: zeroed, aligned to a page, mapped for good, and touched as this atomic only.
    Some(unsafe { AtomicU64::from_ptr(start.cast()) })
}
