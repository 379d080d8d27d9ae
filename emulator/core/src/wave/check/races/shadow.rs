//! The shadow of memory: who accessed it last.

use super::Now;
use super::clock::Clock;
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
        /// Once for all lanes.
        const UNIFORM = 1 << 3;
    }
}

/// An instruction that accesses memory.
#[derive(Clone, Copy)]
pub(super) struct Site {
    pub pc: u64,
    pub instr: Instr,
    /// Nothing: it is not looked at.
    pub acts: Acts,
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

/// An access that was.
#[derive(Clone, Copy, Default)]
pub(super) struct Mark {
    /// Number of the work-group; 0: there was none.
    pub group: u32,
    pub time: u32,
    pub site: u16,
    pub invocation: u16,
}

/// What was done to a word, or a byte, last.
#[derive(Clone, Copy, Default)]
struct Cell {
    write: Mark,
    /// Two reads in no order with each other: whatever a third one races with, races with one of them.
    reads: [Mark; 2],
    written: u32,
}

impl Cell {
    /// Notes an access; the one that it races with.
    #[inline(always)]
    fn access(&mut self, value: u32, now: &Now<'_>) -> Option<Mark> {
        let acts = |m: Mark| now.sites[usize::from(m.site)].acts;
        let (w, writes) = (self.write, now.acts.contains(Acts::WRITE));
        let atomic = now.acts.contains(Acts::ATOMIC);
        let mut race = None;
        if w.group != 0 && !now.behind(w) {
            let equal = writes && !atomic && self.written == value && !acts(w).contains(Acts::ATOMIC);
            if !(equal || atomic && acts(w).contains(Acts::ATOMIC)) {
                race = Some(w);
            }
        }
        if writes {
            for r in self.reads {
                let both = || atomic && acts(r).contains(Acts::ATOMIC);
                if race.is_none() && r.group != 0 && !now.behind(r) && !both() {
                    race = Some(r);
                }
            }
            *self = Cell { write: now.me, reads: [Mark::default(); 2], written: value };
            return race;
        }
        let [first, second] = self.reads;
        if first.group == 0 || now.behind(first) {
            self.reads[0] = now.me;
        } else if second.group == 0
            || now.behind(second)
            || first.group == second.group && first.group != now.me.group
            || !atomic && acts(second).contains(Acts::ATOMIC)
        {
            self.reads[1] = now.me;
        }
        race
    }
}

/// Cells for a stretch of memory: one for each word, or for each byte where smaller accesses were.
#[derive(Default)]
pub(super) struct Cells {
    cells: Vec<Cell>,
    by_bytes: bool,
}

impl Cells {
    /// As many as `bytes` need.
    fn reach(&mut self, bytes: u64) {
        let cells = if self.by_bytes { bytes as usize } else { (bytes as usize).div_ceil(4) };
        if self.cells.len() < cells {
            self.cells.resize(cells, Cell::default());
        }
    }

    #[cold]
    fn split(&mut self) {
        let bytes = |c: &Cell| [0, 8, 16, 24].map(|shift| Cell { written: c.written >> shift & 255, ..*c });
        self.cells = self.cells.iter().flat_map(bytes).collect();
        self.by_bytes = true;
    }

    /// An access of `bytes` at the offset `at`; where it races, and with what.
    #[inline(always)]
    pub fn access(&mut self, at: u64, bytes: u64, value: impl Fn(u64) -> u32, now: &Now<'_>) -> Option<(u64, Mark)> {
        let words = (at | bytes).is_multiple_of(4);
        if !words && !self.by_bytes {
            self.split();
        }
        self.reach(at + bytes);
        let mut race = None;
        if !self.by_bytes {
            let cells = self.cells.get_mut(at as usize / 4..)?;
            for (n, cell) in cells.iter_mut().enumerate().take(bytes as usize / 4) {
                let other = cell.access(value(n as u64), now);
                race = race.or(other.map(|o| (at + 4 * n as u64, o)));
            }
            return race;
        }
        let cells = self.cells.get_mut(at as usize..)?;
        for (n, cell) in cells.iter_mut().enumerate().take(bytes as usize) {
            let other = cell.access(value(n as u64 / 4) >> (n as u32 % 4 * 8) & 255, now);
            race = race.or(other.map(|o| (at + n as u64, o)));
        }
        race
    }
}

const PAGE: u64 = 4096;
/// Pages that a dispatch has shadows of: 256 MiB, with 2.6 GB. Further ones are not looked at.
const PAGES: usize = 1 << 16;
/// Pages that are found without a search.
const RECENT: usize = 64;

/// Memory of the device.
pub(super) struct Pages {
    index: HashMap<u64, u32>,
    pages: Vec<Cells>,
    recent: [(u64, u32); RECENT],
}

impl Pages {
    #[inline(always)]
    fn page(&mut self, page: u64) -> Option<&mut Cells> {
        let slot = &mut self.recent[page as usize % RECENT];
        if slot.0 != page {
            let next = self.pages.len();
            let at = match self.index.get(&page) {
                Some(at) => *at,
                None if next >= PAGES => return None,
                None => {
                    self.index.insert(page, next as u32);
                    self.pages.push(Cells { cells: vec![Cell::default(); PAGE as usize / 4], by_bytes: false });
                    next as u32
                }
            };
            *slot = (page, at);
        }
        self.pages.get_mut(slot.1 as usize)
    }

    #[inline(always)]
    pub fn access(&mut self, at: u64, bytes: u64, value: impl Fn(u64) -> u32, now: &Now<'_>) -> Option<(u64, Mark)> {
        let offset = at % PAGE;
        if offset + bytes <= PAGE {
            let race = self.page(at / PAGE)?.access(offset, bytes, value, now);
            return race.map(|(found, m)| (at - offset + found, m));
        }
        self.across(at, bytes, &value, now)
    }

    /// As [`Pages::access`], of two pages. Their cells may differ in size.
    #[cold]
    #[inline(never)]
    fn across(&mut self, at: u64, bytes: u64, value: &dyn Fn(u64) -> u32, now: &Now<'_>) -> Option<(u64, Mark)> {
        let mut race = None;
        let step = if (at | bytes).is_multiple_of(4) { 4 } else { 1 };
        for n in (0..bytes).step_by(step) {
            let part: &dyn Fn(u64) -> u32 = &|_| value(n / 4) >> (n % 4 * 8);
            race = race.or(self.access(at + n, step as u64, part, now));
        }
        race
    }
}

/// All that a dispatch has accessed.
pub(crate) struct Shadow {
    /// No two shadows have the same.
    pub(super) serial: u64,
    pub(super) pages: Pages,
    /// Work-groups, in the order of their first access; the first has number 1.
    pub(super) groups: Vec<[u32; 3]>,
    pub(super) sites: Vec<Site>,
    sites_by_pc: HashMap<u64, u16>,
    /// What atomics published, by address.
    pub(super) published: HashMap<u64, Clock>,
}

impl Shadow {
    pub(super) fn boxed() -> Box<Shadow> {
        static SERIAL: AtomicU64 = AtomicU64::new(1);
        Box::new(Shadow {
            serial: SERIAL.fetch_add(1, Ordering::Relaxed),
            pages: Pages { index: HashMap::new(), pages: Vec::new(), recent: [(u64::MAX, 0); RECENT] },
            groups: Vec::new(),
            sites: Vec::new(),
            sites_by_pc: HashMap::new(),
            published: HashMap::new(),
        })
    }

    /// The number of a work-group that makes its first access.
    pub(super) fn group(&mut self, id: [u32; 3]) -> u32 {
        self.groups.push(id);
        self.groups.len() as u32
    }

    /// The number of an instruction; `None` if there are too many.
    pub(super) fn site(&mut self, pc: u64, make: impl FnOnce() -> Site) -> Option<u16> {
        if let Some(number) = self.sites_by_pc.get(&pc) {
            return Some(*number);
        }
        let number = u16::try_from(self.sites.len()).ok()?;
        self.sites.push(make());
        self.sites_by_pc.insert(pc, number);
        Some(number)
    }
}
