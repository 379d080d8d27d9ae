//! What a dispatch accesses of programs' memory, by bytes, for the driver to see whether commands are ordered. It finds nothing by
//! itself.
//!
//! Memory is noted in pages of a bit for each byte read and each byte written, and for each line of 64 bytes the first
//! instruction of the code that did so: whichever thread comes first, the result is the same. Texels are noted behind the
//! instruction, everything else in front of it.

use super::super::device::{Device, Passage};
use super::super::env::TexelTouch;
use super::super::mem::Reach;
use super::super::mem::{self, Stored};
use super::super::probe::{self, Accesses, Issue, WaveView};
use super::{Found, Group, Observer, Wants};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use wavepipe_hw::finding::{AccessKind, Location, Order};
use wavepipe_hw::touched::{Touched, TouchedSpan};
use wavepipe_isa::row::{MemKind, Sem, Space};
use wavepipe_isa::{Gen, Instr, disasm, insts};

/// In their own order.
const KINDS: [AccessKind; 3] = [AccessKind::Read, AccessKind::Write, AccessKind::Atomic];
const PAGE: u64 = 4096;
const LINE: u64 = 64;
/// Pages that one dispatch's accesses are noted of, about: 1 GiB. What is beyond is not looked at.
const PAGES: usize = 1 << 18;
/// Instructions and pages that are remembered, by address.
const LATELY: usize = 64;

/// A place for each of what was met lately.
struct Lately<T>([T; LATELY]);

impl<T: Copy + Default> Default for Lately<T> {
    fn default() -> Self {
        Lately([T::default(); LATELY])
    }
}

/// What all work-groups of a dispatch touch.
#[derive(Default)]
pub struct Touches(Mutex<Noted>);

#[derive(Default)]
struct Noted {
    /// By number, and where the last ones were found.
    index: HashMap<u64, u32>,
    pages: Vec<Page>,
    lately: Lately<(u64, u32)>,
    sites: HashMap<u64, (Order, RanFirst)>,
    code_va: u64,
}

/// Where an instruction ran first.
#[derive(Clone, Copy)]
struct RanFirst {
    workgroup: [u32; 3],
    wave: u32,
    lanes: u64,
    instr: Instr,
    isa: Gen,
    width: u32,
}

#[derive(Clone)]
struct Page {
    /// By [`KINDS`]: a bit for each byte, and the address of an instruction for each line (0: none).
    bits: [[u64; (PAGE / 64) as usize]; 3],
    sites: [[u64; (PAGE / LINE) as usize]; 3],
}

impl Noted {
    fn touch(&mut self, start: u64, end: u64, kind: AccessKind, pc: u64) {
        let mut at = start;
        while at < end {
            let (page, stop) = (at / PAGE, (at / PAGE + 1) * PAGE);
            let until = end.min(stop);
            if let Some(n) = self.page(page) {
                self.pages[n as usize].touch((at % PAGE) as usize, (until - at) as usize, kind as usize, pc);
            }
            at = until;
        }
    }

    /// Where a page is, made now if there is room.
    #[inline]
    fn page(&mut self, page: u64) -> Option<u32> {
        let slot = &mut self.lately.0[page as usize % LATELY];
        if slot.0 == page + 1 {
            return Some(slot.1);
        }
        let next = self.pages.len();
        let n = match self.index.get(&page) {
            Some(n) => *n,
            None if next >= PAGES => return None,
            None => {
                self.pages.push(Page { bits: [[0; 64]; 3], sites: [[0; 64]; 3] });
                self.index.insert(page, next as u32);
                next as u32
            }
        };
        *slot = (page + 1, n);
        Some(n)
    }
}

impl Page {
    fn touch(&mut self, first: usize, bytes: usize, way: usize, pc: u64) {
        let (mut at, end) = (first, first + bytes);
        while at < end {
            let (word, bit) = (at / 64, at % 64);
            let n = (64 - bit).min(end - at);
            let mask = if n == 64 { !0 } else { ((1 << n) - 1) << bit };
            self.bits[way][word] |= mask;
            let site = &mut self.sites[way][word];
            *site = if *site == 0 { pc } else { pc.min(*site) };
            at += n;
        }
    }
}

impl Touches {
    /// Notes accesses of a dispatch's first lane: their first byte and end, their kind, and the address of the instruction.
    pub fn of(accesses: &[(u64, u64, AccessKind, u64)]) -> Touches {
        let instr = Instr::new(insts::S_NOP);
        let place = RanFirst { workgroup: [0; 3], wave: 0, lanes: 1, instr, isa: Gen::default(), width: 32 };
        let mut noted = Noted::default();
        for &(start, end, kind, pc) in accesses {
            noted.sites.entry(pc).or_insert((([0; 3], 0, 0), place));
            noted.touch(start, end, kind, pc);
        }
        Touches(Mutex::new(noted))
    }

    /// All of it, and nothing is left.
    pub fn take(&self, number: u64) -> Touched {
        let Noted { index, pages, sites, code_va, .. } = std::mem::take(&mut *self.0.lock());
        let mut order: Vec<(u64, u32)> = index.into_iter().collect();
        order.sort_unstable();
        let mut all: Vec<u64> = sites.keys().copied().collect();
        all.sort_unstable();
        let mut spans: Vec<TouchedSpan> = Vec::new();
        for kind in KINDS {
            let way = kind as usize;
            let mut open: Option<TouchedSpan> = None;
            for (number, n) in &order {
                let page = &pages[*n as usize];
                for (line, (bits, pc)) in page.bits[way].iter().zip(&page.sites[way]).enumerate() {
                    let mut rest = *bits;
                    while rest != 0 {
                        let first = rest.trailing_zeros();
                        let n = (rest >> first).trailing_ones();
                        let start = number * PAGE + line as u64 * LINE + u64::from(first);
                        let end = start + u64::from(n);
                        let site = all.binary_search(pc).unwrap_or(0) as u32;
                        match &mut open {
                            Some(span) if span.end == start && span.site == site => span.end = end,
                            _ => {
                                let span = TouchedSpan { start, end, kind, site };
                                spans.extend(open.replace(span));
                            }
                        }
                        rest &= if first + n == 64 { 0 } else { !0 << (first + n) };
                    }
                }
            }
            spans.extend(open);
        }
        spans.sort_by_key(|s| (s.start, s.kind));
        let site = |pc: &u64| {
            let (_, place) = &sites[pc];
            Location {
                workgroup: place.workgroup,
                wave: place.wave,
                lane: place.lanes.trailing_zeros() & 63,
                lanes: place.lanes,
                pc: *pc,
                pc_offset: pc.wrapping_sub(code_va),
                disassembly: disasm::text(&place.instr, place.isa, place.width),
                ..Location::default()
            }
        };
        let is_image = |pc: &u64| matches!(sites[pc].1.instr.op.row().sem, Sem::Mem(Space::Image, _));
        Touched { number, sites: all.iter().map(site).collect(), images: all.iter().map(is_image).collect(), spans }
    }

    pub fn is_empty(&self) -> bool {
        self.0.lock().pages.is_empty()
    }
}

/// The observer of one work-group.
#[derive(Default)]
pub(super) struct Touching {
    device: Option<Arc<Device>>,
    passage: Passage,
    group: Group,
    generation: u64,
    /// By instruction: a range that is all of one program's memory, or all of nobody's.
    seen: Vec<(Range<u64>, bool)>,
    /// By instruction: the first place that it was noted to have run at in this dispatch.
    noted: Lately<Option<(u64, Order)>>,
    /// Of the instruction that is shown: runs of bytes.
    runs: Vec<(u64, u64)>,
}

impl Touching {
    /// Follows what programs place in memory.
    fn follow(&mut self) {
        let Some(device) = &self.device else { return };
        let generation = device.placed.generation();
        if generation != self.generation {
            self.generation = generation;
            self.seen.fill((0..0, false));
        }
    }

    /// What of these bytes is in the program's memory that the first of them is in.
    #[inline]
    fn part(&mut self, pc: u64, address: u64, bytes: u64) -> Option<(u64, u64)> {
        let (range, programs) = &mut self.seen[(pc >> 2) as usize % LATELY];
        if !(range.start <= address && address < range.end) {
            (*range, *programs) = self.device.as_ref()?.placed.memory_around(address);
        }
        programs.then(|| (address, address.saturating_add(bytes).min(range.end)))
    }

    /// Adds bytes, if they are a program's.
    #[inline]
    fn add(&mut self, pc: u64, address: u64, bytes: u64) {
        if let Some((start, end)) = self.part(pc, address, bytes) {
            match self.runs.last_mut() {
                Some((_, last)) if *last == start => *last = end,
                _ => self.runs.push((start, end)),
            }
        }
    }

    /// Adds so many bytes of each lane.
    fn add_lanes(&mut self, pc: u64, to: &Accesses<'_>, bytes: u64) {
        let Reach { mask, first, last, .. } = to.reach;
        // Nearly always all of it is in one memory, and lanes follow each other.
        let inside = self.part(pc, first, bytes);
        let range = &self.seen[(pc >> 2) as usize % LATELY].0;
        if mask == 0 || first < range.start || last.saturating_add(bytes) > range.end {
            return to.lanes().for_each(|lane| self.add(pc, to.at[lane], bytes));
        }
        if inside.is_none() {
            return;
        }
        let (mut from, mut until) = (to.at[mask.trailing_zeros() as usize % 64], 0);
        for lane in to.lanes() {
            let at = to.at[lane];
            if at != until && until != 0 {
                self.runs.push((from, until));
                from = at;
            }
            until = at + bytes;
        }
        self.runs.push((from, until));
    }

    /// Notes what was added.
    fn note(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, kind: AccessKind) {
        if self.runs.is_empty() {
            return;
        }
        let [x, y, z] = self.group.id;
        let lanes = wave.exec();
        let order: Order = ([z, y, x], wave.index(), lanes.trailing_zeros() & 63);
        let mut noted = self.passage.touches().0.lock();
        let known = &mut self.noted.0[(issue.pc >> 2) as usize % LATELY];
        if known.is_none_or(|(pc, first)| pc != issue.pc || order < first) {
            noted.code_va = self.group.code_va;
            let (workgroup, wave, width) = (self.group.id, wave.index(), wave.lanes());
            let place = RanFirst { workgroup, wave, lanes, instr: *issue.instr, isa: self.group.isa, width };
            let site = noted.sites.entry(issue.pc).or_insert((order, place));
            if order < site.0 {
                *site = (order, place);
            }
            *known = Some((issue.pc, site.0));
        }
        for (start, end) in self.runs.drain(..) {
            noted.touch(start, end, kind, issue.pc);
        }
    }

    fn kind(issue: &Issue<'_>) -> Option<AccessKind> {
        let Sem::Mem(_, kind) = issue.op.row.sem else { return None };
        Some(super::access_kind(kind))
    }
}

impl Observer for Touching {
    fn wants(&self) -> Wants {
        Wants::ACCESSES | Wants::STORES | Wants::TEXELS
    }

    fn start(&mut self, group: &Group) {
        self.group = *group;
    }

    fn on_device(&mut self, device: &Arc<Device>) {
        self.device = Some(device.clone());
        self.seen = vec![(0..0, false); LATELY];
    }

    fn in_dispatch(&mut self, passage: &Passage) {
        self.passage = passage.clone();
        self.noted = Lately::default();
    }

    fn access(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, to: &Accesses<'_>, _: &mut Vec<Found>) {
        let Sem::Mem(_, kind) = issue.op.row.sem else { return };
        let how = super::access_kind(kind);
        let told = how == AccessKind::Read || to.reach.whole && probe::is_plain_store(issue.op);
        // Scalar instructions run for no lane at all, too. What else writes is told of its stores.
        let shared = matches!(to.reach.space, Space::Buffer | Space::Global | Space::Flat | Space::Scalar);
        if !told || !shared || wave.exec() == 0 {
            return;
        }
        self.follow();
        // Of a typed access one dword: what is beyond is of the same texel.
        let typed = matches!(kind, MemKind::LoadFormat { .. });
        let bytes = if typed { 4 } else { u64::from(mem::bytes(kind)) };
        self.add_lanes(issue.pc, to, bytes);
        self.note(wave, issue, how);
    }

    fn stored(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, stored: &[Stored]) {
        let Some(how) = Self::kind(issue).filter(|_| !matches!(issue.op.row.sem, Sem::Mem(Space::Image, _))) else {
            return;
        };
        self.follow();
        stored.iter().for_each(|s| self.add(issue.pc, s.at, s.bytes.into()));
        self.note(wave, issue, how);
    }

    fn texels(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, texels: &[TexelTouch], _: &mut Vec<Found>) {
        let Some(how) = Self::kind(issue) else { return };
        self.follow();
        texels.iter().for_each(|t| self.add(issue.pc, t.at, t.bytes.into()));
        self.note(wave, issue, how);
    }
}
