//! Where an engine's host code lies: one range of addresses, given out by the page.
//!
//! ```text
//! place:  the lowest free pages that are enough become writable, are written, and become executable: never both at once, and
//!         nobody executes them meanwhile. Pages beside them stay as they are, so that the host's map of memory has a handful
//!         of entries, however many pieces there are
//! free:   a piece that is dropped says so without a lock; the next `place` collects it. Its pages stay as they are until then
//! full:   an error; whoever keeps pieces drops some and tries again
//! ```
//!
//! The range is private: a forked child has a copy of its own, which neither side's writes reach. Dropping takes no lock that
//! a thread may have held which the child has not.

use crate::code::fetched_anew;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};
use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use wavepipe_core::wave::NoCode;

pub struct Arena {
    bytes: usize,
    /// Made when the first piece is placed.
    pages: Mutex<Option<Pages>>,
}

/// Which pages are free, and which are whose.
struct Pages {
    range: Arc<Mapped>,
    size: usize,
    /// First pages and how many; no two of them meet.
    free: BTreeMap<usize, usize>,
    taken: Vec<(Arc<AtomicBool>, Range<usize>)>,
}

/// The range.
struct Mapped {
    start: NonNull<u8>,
    bytes: usize,
    /// A piece was dropped since somebody looked.
    dropped: AtomicBool,
}

// SAFETY: addresses of memory that lives as long as this does; what is done there is said at each place.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

/// Executable bytes that do not change.
pub struct Piece {
    range: Arc<Mapped>,
    start: NonNull<u8>,
    gone: Arc<AtomicBool>,
}

// SAFETY: nobody writes to a piece.
unsafe impl Send for Piece {}
// SAFETY: as above.
unsafe impl Sync for Piece {}

impl Piece {
    pub fn start(&self) -> *const u8 {
        self.start.as_ptr()
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        // Whatever was executed there comes before whatever is written there.
        self.gone.store(true, Ordering::Release);
        self.range.dropped.store(true, Ordering::Release);
    }
}

impl Arena {
    pub fn new(bytes: usize) -> Arena {
        Arena { bytes, pages: Mutex::default() }
    }

    /// # Errors
    /// There is no room now; or never, or the host gives no executable memory.
    pub fn place(&self, code: &[u8]) -> Result<Piece, NoCode> {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.is_none() {
            *pages = Pages::new(self.bytes);
        }
        pages.as_mut().ok_or(NoCode::Never)?.place(code)
    }
}

impl Pages {
    fn new(bytes: usize) -> Option<Pages> {
        let size = rustix::param::page_size();
        let count = bytes / size;
        let range = Arc::new(Mapped::new(count * size)?);
        Some(Pages { range, size, free: BTreeMap::from([(0, count)]), taken: Vec::new() })
    }

    fn place(&mut self, code: &[u8]) -> Result<Piece, NoCode> {
        let count = code.len().div_ceil(self.size);
        if count == 0 || count * self.size > self.range.bytes {
            return Err(NoCode::Never);
        }
        if self.range.dropped.swap(false, Ordering::Acquire) {
            self.collect();
        }
        let (&first, &there) = self.free.iter().find(|&(_, &there)| there >= count).ok_or(NoCode::Full)?;
        self.free.remove(&first);
        if there > count {
            self.free.insert(first + count, there - count);
        }
        let pages = first..first + count;
        // SAFETY: the pages were free, so that nobody executes them, and the lock is held.
        let Some(start) = (unsafe { self.range.write(first * self.size, count * self.size, code) }) else {
            self.give(pages);
            return Err(NoCode::Never);
        };
        let gone = Arc::new(AtomicBool::new(false));
        self.taken.push((gone.clone(), pages));
        Ok(Piece { range: self.range.clone(), start, gone })
    }

    /// Pages of pieces that were dropped are free.
    fn collect(&mut self) {
        let (gone, stay) =
            std::mem::take(&mut self.taken).into_iter().partition(|(gone, _)| gone.load(Ordering::Acquire));
        self.taken = stay;
        let gone: Vec<_> = gone;
        gone.into_iter().for_each(|(_, pages)| self.give(pages));
    }

    fn give(&mut self, mut pages: Range<usize>) {
        if let Some(count) = self.free.remove(&pages.end) {
            pages.end += count;
        }
        if let Some((&first, &count)) = self.free.range(..pages.start).next_back()
            && first + count == pages.start
        {
            pages.start = first;
        }
        self.free.insert(pages.start, pages.len());
    }
}

impl Mapped {
    fn new(bytes: usize) -> Option<Mapped> {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a new mapping at an address of the system's choice touches nothing that exists.
        let start = unsafe { mmap_anonymous(std::ptr::null_mut(), bytes, ProtFlags::empty(), flags) }.ok()?;
        Some(Mapped { start: NonNull::new(start.cast())?, bytes, dropped: AtomicBool::new(false) })
    }

    /// Makes whole pages of the range these bytes, to be executed; where they begin. `None`: the host does not let them be.
    ///
    /// # Safety
    /// `at` and `bytes` are whole pages of the range, the code is no longer, and nobody reads, writes or executes them.
    unsafe fn write(&self, at: usize, bytes: usize, code: &[u8]) -> Option<NonNull<u8>> {
        // SAFETY: within the range, by the caller's promise.
        let start = unsafe { self.start.add(at) };
        // SAFETY: pages of this range, which nobody uses.
        unsafe { mprotect(start.as_ptr().cast(), bytes, MprotectFlags::READ | MprotectFlags::WRITE) }.ok()?;
        // SAFETY: the pages are writable, enough, and nobody else's.
        unsafe { start.as_ptr().copy_from_nonoverlapping(code.as_ptr(), code.len()) };
        // SAFETY: as before.
        unsafe { mprotect(start.as_ptr().cast(), bytes, MprotectFlags::READ | MprotectFlags::EXEC) }.ok()?;
        fetched_anew(start.as_ptr(), code.len())?;
        Some(start)
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: this mapping, in which nothing is any more: each piece keeps it.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}
