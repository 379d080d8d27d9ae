//! The shadow of memory: who accessed it last.

use super::cells::{Cells, Mark, SITES};
use super::clock::Clock;
use super::now::Now;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use wavepipe_isa::Instr;

bitflags::bitflags! {
    /// What an instruction does to memory.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) struct Acts: u8 {
        const READ = 1 << 0;
        const WRITE = 1 << 1;
        const ATOMIC = 1 << 2;
    }
}

/// An instruction that accesses memory.
#[derive(Clone, Copy)]
pub(super) struct Site {
    pub pc: u64,
    pub instr: Instr,
    /// Nothing: it is not looked at.
    pub acts: Acts,
    /// Once for all lanes.
    pub uniform: bool,
    /// Of an image.
    pub texels: bool,
    /// Of each piece.
    pub bytes: u32,
    /// How many of `pieces` there are, and what to add to a lane's address for each.
    pub count: usize,
    pub pieces: [i64; 2],
    /// VGPRs that are stored, of each piece.
    pub data: [Option<u32>; 2],
    /// Their upper half.
    pub high: bool,
}

/// Bytes of memory that have their cells together.
pub(super) const PAGE: u64 = 1 << 18;
/// Pages that a dispatch has shadows of: 256 MiB; a shadow is seven times as large, where there are atomics up to sixteen. Further ones are not looked at.
const PAGES: usize = 1 << 10;
/// Pages that are found without a search.
const RECENT: usize = 64;

/// Memory of the device.
pub(super) struct Pages {
    index: HashMap<u64, u32>,
    /// In use; behind them what dispatches before had, with marks that nobody minds.
    used: usize,
    pages: Vec<Cells>,
    recent: [(u64, u32); RECENT],
}

impl Pages {
    #[inline(always)]
    fn page(&mut self, page: u64) -> Option<&mut Cells> {
        let slot = &mut self.recent[page as usize % RECENT];
        if slot.0 != page {
            let next = self.used;
            let at = match self.index.get(&page) {
                Some(at) => *at,
                None if next >= PAGES => return None,
                None => {
                    self.index.insert(page, next as u32);
                    if next == self.pages.len() {
                        self.pages.push(Cells::of(PAGE));
                    }
                    self.used += 1;
                    next as u32
                }
            };
            *slot = (page, at);
        }
        self.pages.get_mut(slot.1 as usize)
    }

    /// As [`Cells::one`], at an address.
    pub fn one(&mut self, at: u64, bytes: u64, value: impl Fn(u64) -> u32, now: &Now<'_>) -> Option<(u64, Mark)> {
        let offset = at % PAGE;
        if offset + bytes <= PAGE {
            let race = self.page(at / PAGE)?.one(offset, bytes, value, now);
            return race.map(|(found, m)| (at - offset + found, m));
        }
        self.across(at, bytes, &value, now)
    }

    /// The cells of `at`'s page; `None`: what is there is not looked at.
    #[inline(always)]
    pub fn cells(&mut self, at: u64) -> Option<&mut Cells> {
        self.page(at / PAGE)
    }

    /// As [`Pages::one`], of two pages. Their cells may differ in size.
    #[cold]
    #[inline(never)]
    fn across(&mut self, at: u64, bytes: u64, value: &dyn Fn(u64) -> u32, now: &Now<'_>) -> Option<(u64, Mark)> {
        let mut race = None;
        let step = if (at | bytes).is_multiple_of(4) { 4 } else { 1 };
        for n in (0..bytes).step_by(step) {
            let part: &dyn Fn(u64) -> u32 = &|_| value(n / 4) >> (n % 4 * 8);
            race = race.or(self.one(at + n, step as u64, part, now));
        }
        race
    }
}

/// Shadows of dispatches that are over, for those to come: memory that is new costs more than marks in it.
// Taken and given as they are.
#[allow(clippy::vec_box)]
#[derive(Default)]
pub struct Shadows(Mutex<Vec<Box<Shadow>>>);

/// Shadows that are kept, and pages of each.
const KEPT: usize = 2;
const KEPT_PAGES: usize = 64;

impl Shadows {
    /// One in which nothing was accessed.
    pub(crate) fn take(&self) -> Box<Shadow> {
        let spare = self.0.lock().pop();
        spare.unwrap_or_else(Shadow::boxed)
    }

    pub(crate) fn give(&self, mut over: Box<Shadow>) {
        over.restart();
        let mut kept = self.0.lock();
        if kept.len() < KEPT && over.first < u32::MAX / 2 {
            kept.push(over);
        }
    }
}

/// All that a dispatch has accessed.
pub(crate) struct Shadow {
    /// No two shadows have the same.
    pub(super) serial: u64,
    pub(super) pages: Pages,
    /// Work-groups, in the order of their first access, and the number of the first.
    pub(super) first: u32,
    pub(super) groups: Vec<[u32; 3]>,
    pub(super) sites: Vec<Site>,
    sites_by_pc: HashMap<u64, u16>,
    /// What atomics published of each memory, by address.
    pub(super) published: HashMap<u64, [Clock; 3]>,
}

/// A number that was never given before.
fn serial() -> u64 {
    static SERIAL: AtomicU64 = AtomicU64::new(1);
    SERIAL.fetch_add(1, Ordering::Relaxed)
}

impl Shadow {
    fn boxed() -> Box<Shadow> {
        Box::new(Shadow {
            serial: serial(),
            pages: Pages { index: HashMap::new(), used: 0, pages: Vec::new(), recent: [(u64::MAX, 0); RECENT] },
            first: 1,
            groups: Vec::new(),
            sites: Vec::new(),
            sites_by_pc: HashMap::new(),
            published: HashMap::new(),
        })
    }

    /// Nothing was accessed, and work-groups go on to be numbered.
    fn restart(&mut self) {
        self.serial = serial();
        self.first += self.groups.len() as u32;
        let pages = &mut self.pages;
        pages.index.clear();
        (pages.used, pages.recent) = (0, [(u64::MAX, 0); RECENT]);
        pages.pages.retain(Cells::is_by_words);
        pages.pages.truncate(KEPT_PAGES);
        self.groups.clear();
        self.sites.clear();
        self.sites_by_pc.clear();
        self.published.clear();
    }

    /// A work-group, by its number.
    pub(super) fn group_of(&self, number: u32) -> [u32; 3] {
        let n = number.wrapping_sub(self.first) as usize;
        self.groups.get(n).copied().unwrap_or_default()
    }

    /// The number of a work-group that makes its first access.
    pub(super) fn group(&mut self, id: [u32; 3]) -> u32 {
        self.groups.push(id);
        self.first + self.groups.len() as u32 - 1
    }

    /// The number of an instruction; `None` if there are too many.
    pub(super) fn site(&mut self, pc: u64, make: impl FnOnce() -> Site) -> Option<u16> {
        if let Some(number) = self.sites_by_pc.get(&pc) {
            return Some(*number);
        }
        let number = u16::try_from(self.sites.len()).ok().filter(|n| usize::from(*n) < SITES)?;
        self.sites.push(make());
        self.sites_by_pc.insert(pc, number);
        Some(number)
    }
}
