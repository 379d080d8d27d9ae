//! What a dispatch accesses of programs' memory, by bytes, for the driver to see whether commands are ordered. It finds nothing by
//! itself.
//!
//! Memory is noted in pages of a bit for each byte read and each byte written, and for each line of 64 bytes the first
//! instruction of the code that did so: whichever thread comes first, the result is the same. Texels are noted behind the
//! instruction, everything else in front of it.

use super::super::device::{Device, Passage};
use super::super::mem::{self, Stored};
use super::super::probe::{Issue, WaveView};
use super::{Found, Group, Observer};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use wavepipe_hw::finding::{AccessKind, Location, Order};
use wavepipe_hw::touched::{Touched, TouchedSpan};
use wavepipe_isa::row::{MemKind, Sem, Space};
use wavepipe_isa::{Gen, Instr, disasm};

/// In their own order.
const KINDS: [AccessKind; 3] = [AccessKind::Read, AccessKind::Write, AccessKind::Atomic];
const PAGE: u64 = 4096;
const LINE: u64 = 64;
/// Pages that one dispatch's accesses are noted of, about: 1 GiB. What is beyond is not looked at.
const PAGES: usize = 1 << 18;
/// Instructions whose last place is remembered, by address.
const LATELY: usize = 64;

/// What all work-groups of a dispatch touch.
#[derive(Default)]
pub(crate) struct Touches(Mutex<Noted>);

#[derive(Default)]
struct Noted {
    pages: HashMap<u64, Box<Page>>,
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
            if self.pages.len() < PAGES || self.pages.contains_key(&page) {
                let new = || Box::new(Page { bits: [[0; 64]; 3], sites: [[0; 64]; 3] });
                let page = self.pages.entry(page).or_insert_with(new);
                page.touch((at % PAGE) as usize, (until - at) as usize, kind as usize, pc);
            }
            at = until;
        }
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
    /// All of it, and nothing is left.
    pub fn take(&self, number: u64) -> Touched {
        let Noted { pages, sites, code_va } = std::mem::take(&mut *self.0.lock());
        let mut order: Vec<u64> = pages.keys().copied().collect();
        order.sort_unstable();
        let mut all: Vec<u64> = sites.keys().copied().collect();
        all.sort_unstable();
        let mut spans: Vec<TouchedSpan> = Vec::new();
        for kind in KINDS {
            let way = kind as usize;
            let mut open: Option<TouchedSpan> = None;
            for number in &order {
                let page = &pages[number];
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
                disassembly: disasm::text(&place.instr, Gen::Gfx1010, place.width),
                ..Location::default()
            }
        };
        Touched { number, sites: all.iter().map(site).collect(), spans }
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
    /// Ranges that are all of one program's memory, or all of nobody's.
    seen: Vec<(Range<u64>, bool)>,
    /// Of the instruction that is shown: runs of bytes.
    runs: Vec<(u64, u64)>,
}

impl Touching {
    /// Adds bytes, if they are a program's.
    fn add(&mut self, pc: u64, address: u64, bytes: u64) {
        let Some(device) = &self.device else { return };
        let slot = (pc >> 2) as usize % LATELY;
        let (range, programs) = &mut self.seen[slot];
        if !(range.start <= address && address < range.end) {
            (*range, *programs) = device.placed.memory_around(address);
        }
        if !*programs {
            return;
        }
        let end = address.saturating_add(bytes).min(range.end);
        match self.runs.last_mut() {
            Some((_, last)) if *last == address => *last = end,
            _ => self.runs.push((address, end)),
        }
    }

    /// Notes what was added.
    fn note(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, kind: AccessKind) {
        if self.runs.is_empty() {
            return;
        }
        let [x, y, z] = self.group.id;
        let lanes = wave.exec();
        let order: Order = ([z, y, x], wave.index(), lanes.trailing_zeros() & 63);
        let place =
            RanFirst { workgroup: self.group.id, wave: wave.index(), lanes, instr: *issue.instr, width: wave.lanes() };
        let mut noted = self.passage.touches().0.lock();
        noted.code_va = self.group.code_va;
        let site = noted.sites.entry(issue.pc).or_insert((order, place));
        if order < site.0 {
            *site = (order, place);
        }
        for (start, end) in self.runs.drain(..) {
            noted.touch(start, end, kind, issue.pc);
        }
    }

    fn kind(issue: &Issue<'_>) -> Option<AccessKind> {
        let Sem::Mem(_, kind) = issue.instr.op.row().sem else { return None };
        Some(super::access_kind(kind))
    }
}

impl Observer for Touching {
    fn start(&mut self, group: &Group) {
        self.group = *group;
    }

    fn on_device(&mut self, device: &Arc<Device>) {
        self.device = Some(device.clone());
        self.seen = vec![(0..0, false); LATELY];
    }

    fn in_dispatch(&mut self, passage: &Passage) {
        self.passage = passage.clone();
    }

    fn issue(&mut self, _: &WaveView<'_>, issue: &Issue<'_>, _: &mut Vec<Found>) {
        if let Some(device) = self.device.as_ref().filter(|_| matches!(issue.instr.op.row().sem, Sem::Mem(..))) {
            let generation = device.placed.generation();
            if generation != self.generation {
                self.generation = generation;
                self.seen.fill((0..0, false));
            }
        }
    }

    fn access(
        &mut self,
        wave: &WaveView<'_>,
        issue: &Issue<'_>,
        space: Space,
        mask: u64,
        at: &[u64; 64],
        _: &mut Vec<Found>,
    ) {
        // Scalar instructions run for no lane at all, too.
        let (Some(how), true) = (Self::kind(issue), wave.exec() != 0) else { return };
        let Sem::Mem(_, kind) = issue.instr.op.row().sem else { return };
        if !matches!(space, Space::Buffer | Space::Global | Space::Flat | Space::Scalar) {
            return;
        }
        // What it writes is told exactly.
        if how != AccessKind::Read {
            return;
        }
        // Of a typed access one dword: what is beyond is of the same texel.
        let typed = matches!(kind, MemKind::LoadFormat { .. });
        let bytes = if typed { 4 } else { u64::from(mem::bytes(kind)) };
        for lane in (0..64).filter(|lane| mask >> lane & 1 != 0) {
            self.add(issue.pc, at[lane], bytes);
        }
        self.note(wave, issue, how);
    }

    fn wants_stores(&self) -> bool {
        true
    }

    fn stored(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, stored: &[Stored]) {
        let Some(how) = Self::kind(issue).filter(|_| !matches!(issue.instr.op.row().sem, Sem::Mem(Space::Image, _)))
        else {
            return;
        };
        stored.iter().for_each(|s| self.add(issue.pc, s.at, s.bytes.into()));
        self.note(wave, issue, how);
    }

    fn wants_texels(&self) -> bool {
        true
    }

    fn texels(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, texels: &[(u8, u64, u8)]) {
        let Some(how) = Self::kind(issue) else { return };
        texels.iter().for_each(|(_, at, bytes)| self.add(issue.pc, *at, (*bytes).into()));
        self.note(wave, issue, how);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AccessKind::{Read, Write};

    fn spans(touches: &[(u64, u64, AccessKind, u64)]) -> Vec<(u64, u64, AccessKind, u32)> {
        let all = Touches::default();
        let place =
            RanFirst { workgroup: [0; 3], wave: 0, lanes: 1, instr: Instr::new(wavepipe_isa::insts::S_NOP), width: 32 };
        for &(start, end, kind, pc) in touches {
            let mut noted = all.0.lock();
            noted.sites.entry(pc).or_insert((([0; 3], 0, 0), place));
            noted.touch(start, end, kind, pc);
        }
        let touched = all.take(0);
        assert!(all.is_empty());
        touched.spans.iter().map(|s| (s.start, s.end, s.kind, s.site)).collect()
    }

    #[test]
    fn bytes_are_exact_and_neighbours_are_one() {
        assert_eq!(
            spans(&[(4, 8, Read, 16), (8, 12, Read, 16), (4, 6, Write, 20)]),
            [(4, 12, Read, 0), (4, 6, Write, 1)]
        );
        // Over the ends of lines and pages.
        assert_eq!(spans(&[(60, 70, Write, 16), (70, 5000, Write, 16)]), [(60, 5000, Write, 0)]);
        // A line has the first instruction of the code that touched it, whichever came first.
        let [a, b] =
            [[(0, 4, Write, 16), (8, 12, Write, 20)], [(8, 12, Write, 20), (0, 4, Write, 16)]].map(|t| spans(&t));
        assert_eq!(a, [(0, 4, Write, 0), (8, 12, Write, 0)]);
        assert_eq!(a, b);
    }
}
