//! Which bytes of a program's memory nobody has written yet, a bit for each. Work-groups on several threads, packets and the host
//! tell of it in any order: bytes become written, and only a copy of what nobody wrote takes that back, behind whatever the
//! program has let it wait for. Threads that race with it can lose what is unwritten, and never what is written.

use parking_lot::{Mutex, RwLock};
use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

const PAGE: u64 = 4096;
const WORDS: usize = PAGE as usize / 64;

/// A page of which nobody has written anything, one of which all is written, and one that its bits tell of.
const UNWRITTEN: u8 = 0;
const WRITTEN: u8 = 1;
const MIXED: u8 = 2;

#[derive(Default)]
struct Page {
    state: AtomicU8,
    /// Of bytes that are written; made before the state says that they are to be looked at.
    bits: OnceLock<Box<[AtomicU64; WORDS]>>,
    /// Words of which all bits are set.
    full: AtomicU8,
}

/// Words of bits from `at` on that `n` bytes have, and which bits of each.
fn words(at: usize, n: usize) -> impl Iterator<Item = (usize, u64)> {
    (at / 64..(at + n).div_ceil(64)).map(move |word| {
        let low = at.saturating_sub(64 * word);
        let high = (at + n - 64 * word).min(64);
        (word, !0 >> (64 - (high - low)) << low)
    })
}

impl Page {
    fn bits(&self) -> &[AtomicU64; WORDS] {
        self.bits.get_or_init(|| Box::new([const { AtomicU64::new(0) }; WORDS]))
    }

    /// Bytes from `at` on become written. `true`: it is that which makes all of them so.
    fn write(&self, at: usize, n: usize) -> bool {
        if self.state.load(Relaxed) == WRITTEN {
            return false;
        }
        if n == PAGE as usize {
            return self.state.swap(WRITTEN, Relaxed) != WRITTEN;
        }
        let bits = self.bits();
        // Who finds the page written in the meantime has nothing to add.
        let _ = self.state.compare_exchange(UNWRITTEN, MIXED, Relaxed, Relaxed);
        for (word, mask) in words(at, n) {
            if bits[word].load(Relaxed) & mask == mask {
                continue;
            }
            let before = bits[word].fetch_or(mask, Relaxed);
            let fills = before != !0 && before | mask == !0;
            if fills && usize::from(self.full.fetch_add(1, Relaxed)) + 1 == WORDS {
                return self.state.swap(WRITTEN, Relaxed) != WRITTEN;
            }
        }
        false
    }

    /// Nobody has written these bytes any more. `true`: all of them were written before.
    fn forget(&self, at: usize, n: usize) -> bool {
        let bits = self.bits();
        let state = self.state.load(Relaxed);
        if state == UNWRITTEN {
            return false;
        }
        if state == WRITTEN {
            bits.iter().for_each(|b| b.store(!0, Relaxed));
            self.full.store(WORDS as u8, Relaxed);
            self.state.store(MIXED, Relaxed);
        }
        for (word, mask) in words(at, n) {
            if bits[word].fetch_and(!mask, Relaxed) == !0 {
                self.full.fetch_sub(1, Relaxed);
            }
        }
        state == WRITTEN
    }

    /// Bits of the bytes from `at` on that are written, as far as the word of bits goes.
    fn written(&self, at: usize) -> u64 {
        match self.state.load(Relaxed) {
            WRITTEN => !0,
            UNWRITTEN => 0,
            _ => self.bits.get().map_or(0, |b| b[at / 64].load(Relaxed)) >> (at % 64),
        }
    }

    fn is_written(&self, at: usize, n: usize) -> bool {
        match self.state.load(Relaxed) {
            WRITTEN => true,
            UNWRITTEN => false,
            _ => self.bits.get().is_some_and(|b| words(at, n).all(|(w, mask)| b[w].load(Relaxed) & mask == mask)),
        }
    }
}

/// An allocation.
pub struct Extent {
    pub range: Range<u64>,
    pages: Vec<Page>,
    /// Pages of which not all is written.
    left: AtomicUsize,
    /// Of the device: allocations of which not all is written.
    partial: Arc<AtomicUsize>,
}

impl Extent {
    fn new(range: Range<u64>, partial: Arc<AtomicUsize>) -> Extent {
        let pages: Vec<Page> = (0..(range.end - range.start).div_ceil(PAGE)).map(|_| Page::default()).collect();
        partial.fetch_add(1, Relaxed);
        let extent = Extent { left: pages.len().into(), range, pages, partial };
        // What is behind the last byte keeps nobody from having written all.
        let rest = (extent.range.end - extent.range.start) % PAGE;
        if let (Some(last), true) = (extent.pages.last(), rest != 0) {
            last.write(rest as usize, (PAGE - rest) as usize);
        }
        extent
    }

    /// The pieces of these bytes that are in one page each.
    fn pieces(&self, at: u64, bytes: u64) -> impl Iterator<Item = (&Page, usize, usize)> {
        let (mut at, end) = (at - self.range.start, at.saturating_add(bytes).min(self.range.end) - self.range.start);
        std::iter::from_fn(move || {
            let page = self.pages.get((at / PAGE) as usize).filter(|_| at < end)?;
            let n = (PAGE - at % PAGE).min(end - at);
            let piece = (page, (at % PAGE) as usize, n as usize);
            at += n;
            Some(piece)
        })
    }

    /// Whether all of it is written.
    pub fn is_whole(&self) -> bool {
        self.left.load(Relaxed) == 0
    }

    /// Undefined bits of up to four bytes.
    pub fn read(&self, at: u64, n: usize) -> u32 {
        (0..n as u64).fold(0, |u, i| {
            let o = at + i - self.range.start;
            let page = self.pages.get((o / PAGE) as usize);
            let written = page.is_none_or(|p| p.written((o % PAGE) as usize) & 1 != 0);
            u | if written { 0 } else { 0xff << (8 * i) }
        })
    }

    /// Whether all of these bytes are written.
    pub fn is_written(&self, at: u64, bytes: u64) -> bool {
        self.is_whole() || self.pieces(at, bytes).all(|(page, at, n)| page.is_written(at, n))
    }

    pub fn write(&self, at: u64, bytes: u64) {
        if self.is_whole() {
            return;
        }
        for (page, at, n) in self.pieces(at, bytes) {
            if page.write(at, n) && self.left.fetch_sub(1, Relaxed) == 1 {
                self.partial.fetch_sub(1, Relaxed);
            }
        }
    }

    fn forget(&self, at: u64, bytes: u64) {
        for (page, at, n) in self.pieces(at, bytes) {
            if page.forget(at, n) && self.left.fetch_add(1, Relaxed) == 0 {
                self.partial.fetch_add(1, Relaxed);
            }
        }
    }
}

pub type Extents = Arc<Vec<Arc<Extent>>>;

/// Of a device.
#[derive(Default)]
pub struct Contents {
    extents: RwLock<Extents>,
    generation: AtomicU64,
    /// Allocations of which not all is written.
    partial: Arc<AtomicUsize>,
    /// Held by who copies what nobody wrote.
    copying: Mutex<()>,
}

impl Contents {
    /// An allocation holds nothing yet.
    pub fn unwritten(&self, va: u64, bytes: u64) {
        let extent = Arc::new(Extent::new(va..va + bytes, self.partial.clone()));
        self.change(|all| {
            let at = all.partition_point(|e| e.range.start < va);
            all.insert(at, extent);
        });
    }

    /// There is no such allocation any more.
    pub fn forget(&self, va: u64) {
        let there = self.extents.read().iter().find(|e| e.range.start == va).cloned();
        if let Some(extent) = there {
            // Who still has it has nothing to find in it.
            extent.write(va, u64::MAX);
            self.change(|all| all.retain(|e| e.range.start != va));
        }
    }

    fn change(&self, f: impl FnOnce(&mut Vec<Arc<Extent>>)) {
        let mut extents = self.extents.write();
        let mut all = extents.to_vec();
        f(&mut all);
        *extents = Arc::new(all);
        self.generation.fetch_add(1, Relaxed);
    }

    /// These bytes are written, by a packet or by the host.
    pub fn write(&self, va: u64, bytes: u64) {
        if self.is_whole() {
            return;
        }
        let all = self.extents.read();
        if let Some(extent) = find(&all, va) {
            extent.write(va, bytes);
        }
    }

    /// These bytes are copied, and what nobody wrote of them with them.
    pub fn copy(&self, from: u64, to: u64, bytes: u64) {
        if self.is_whole() {
            return;
        }
        let all = self.extents.read();
        let Some(target) = find(&all, to) else { return };
        let bytes = bytes.min(target.range.end - to);
        let Some(source) = find(&all, from).filter(|source| !source.is_written(from, bytes)) else {
            return target.write(to, bytes);
        };
        let _one = self.copying.lock();
        let mut at = 0;
        while at < bytes {
            let written = source.read(from + at, 1) == 0;
            let alike = (at..bytes).take_while(|n| (source.read(from + n, 1) == 0) == written).count() as u64;
            match written {
                true => target.write(to + at, alike),
                false => target.forget(to + at, alike),
            }
            at += alike;
        }
    }

    /// Whether everything is written, wherever it is.
    pub fn is_whole(&self) -> bool {
        self.partial.load(Relaxed) == 0
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Relaxed)
    }

    pub fn extents(&self) -> Extents {
        self.extents.read().clone()
    }
}

/// The one that holds a byte.
pub fn find(all: &[Arc<Extent>], at: u64) -> Option<&Extent> {
    let n = all.partition_point(|e| e.range.start <= at).checked_sub(1)?;
    all.get(n).map(|e| &**e).filter(|e| e.range.contains(&at))
}
