//! Last writers: for each byte of the ranges that are watched, who wrote it last. A mark is work-group, wave, lane and
//! instruction, one for each word, or for each byte of a page where smaller stores were.
//!
//! Texels are noted behind the instruction, everything else in front of it; an exchange that does not take place is none, but for
//! images, of which it is not known. All work-groups run on one host thread, one after the other
//! ([`crate::config::Config::host_threads`]), so that the last is the last.

use super::super::Launch;
use super::super::mem::Stored;
use super::super::probe::{Issue, WaveView};
use super::{Group, Observer, Wants};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wavepipe_hw::finding::Location;
use wavepipe_hw::observe::{Writer, WritingInvocation};
use wavepipe_isa::row::Format;
use wavepipe_isa::{Gen, Instr, disasm, insts};

const PAGE: u64 = 4096;
/// Waves that have numbers in a mark.
const WAVES: u32 = 1 << 10;
/// Work-groups that are kept before those are dropped of which nothing is left.
const GROUPS: usize = 1 << 20;

/// Who wrote a word, or a byte.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Mark {
    /// Number of the work-group, or one of the two below.
    group: u32,
    site: u32,
    /// Wave, then lane.
    invocation: u16,
}

const NOBODY: u32 = 0;
const COMMAND: u32 = 1;
const FIRST_GROUP: usize = 2;

#[derive(Default)]
struct Page {
    marks: Vec<Mark>,
    by_bytes: bool,
}

impl Page {
    fn write(&mut self, at: u64, bytes: u64, mark: Mark) {
        let words = (at | bytes).is_multiple_of(4);
        if self.marks.is_empty() {
            (self.by_bytes, self.marks) = (!words, vec![Mark::default(); PAGE as usize / if words { 4 } else { 1 }]);
        } else if !words && !self.by_bytes {
            self.marks = self.marks.iter().flat_map(|m| [*m; 4]).collect();
            self.by_bytes = true;
        }
        let unit = if self.by_bytes { 1 } else { 4 };
        self.marks[(at / unit) as usize..((at + bytes) / unit) as usize].fill(mark);
    }

    fn at(&self, at: u64) -> Mark {
        self.marks.get(at as usize / if self.by_bytes { 1 } else { 4 }).copied().unwrap_or_default()
    }
}

/// A range that is watched.
struct Range {
    bytes: u64,
    /// From the page on that holds the first byte.
    pages: Vec<Page>,
}

/// A work-group that wrote.
#[derive(Clone, Copy)]
struct Wrote {
    isa: Gen,
    id: [u32; 3],
    size: [u32; 3],
    /// Of whole work-groups.
    full: [u32; 3],
    lanes: u32,
    code_va: u64,
}

#[derive(Clone, Copy)]
struct Site {
    pc: u64,
    instr: Instr,
}

/// What a device has seen written.
#[derive(Default)]
pub struct Written {
    /// Whether anything is watched.
    any: AtomicBool,
    log: Mutex<Log>,
}

#[derive(Default)]
struct Log {
    /// By first byte; no two have a byte in common.
    ranges: BTreeMap<u64, Range>,
    groups: Vec<Wrote>,
    /// Counts how often groups got new numbers.
    generation: u64,
    /// How many of them are too many.
    room: usize,
    sites: Vec<Site>,
    by_pc: HashMap<u64, u32>,
}

impl Written {
    /// From now on these bytes are watched; nobody has written them.
    pub fn watch(&self, va: u64, bytes: u64) {
        let Some(end) = va.checked_add(bytes).filter(|_| bytes > 0) else { return };
        let mut log = self.log.lock();
        // Whoever watches a part again watches what was there before no more.
        let old = log.ranges.range(..end).rev().take_while(|(at, r)| **at + r.bytes > va);
        let old: Vec<u64> = old.map(|(at, _)| *at).collect();
        old.iter().for_each(|at| drop(log.ranges.remove(at)));
        let pages = (end - 1) / PAGE - va / PAGE + 1;
        log.ranges.insert(va, Range { bytes, pages: (0..pages).map(|_| Page::default()).collect() });
        self.any.store(true, Ordering::Release);
    }

    /// A packet writes these bytes.
    pub fn command(&self, va: u64, bytes: u64) {
        if self.any.load(Ordering::Acquire) {
            self.log.lock().mark(va, bytes, Mark { group: COMMAND, ..Mark::default() });
        }
    }

    /// Who wrote a byte.
    pub fn last(&self, va: u64) -> Option<Writer> {
        let log = self.log.lock();
        let (at, range) = log.ranges.range(..=va).next_back()?;
        if va - at >= range.bytes {
            return None;
        }
        let mark = range.pages.get((va / PAGE - at / PAGE) as usize)?.at(va % PAGE);
        match mark.group {
            NOBODY => None,
            COMMAND => Some(Writer::Command),
            _ => log.invocation(mark).map(|i| Writer::Invocation(Box::new(i))),
        }
    }
}

impl Log {
    fn mark(&mut self, va: u64, bytes: u64, mark: Mark) {
        let end = va.saturating_add(bytes);
        // Disjoint ranges end in the order in which they begin.
        let touched = self.ranges.range_mut(..end).rev().take_while(|(at, r)| **at + r.bytes > va);
        for (at, range) in touched {
            let (mut from, to) = (va.max(*at), end.min(at + range.bytes));
            while from < to {
                let until = to.min((from / PAGE + 1) * PAGE);
                range.pages[(from / PAGE - at / PAGE) as usize].write(from % PAGE, until - from, mark);
                from = until;
            }
        }
    }

    fn is_watched(&self, stored: &[Stored]) -> bool {
        let (first, end) = stored
            .iter()
            .fold((u64::MAX, 0), |(first, end), s| (s.at.min(first), s.at.saturating_add(s.bytes.into()).max(end)));
        self.ranges.range(..end).next_back().is_some_and(|(at, r)| at + r.bytes > first)
    }

    /// The number of an instruction.
    fn site(&mut self, issue: &Issue<'_>) -> u32 {
        if let Some(&known) = self.by_pc.get(&issue.pc)
            && self.sites[known as usize].instr == *issue.instr
        {
            return known;
        }
        let number = self.sites.len() as u32;
        self.sites.push(Site { pc: issue.pc, instr: *issue.instr });
        self.by_pc.insert(issue.pc, number);
        number
    }

    /// Drops the groups of which no mark is left.
    #[cold]
    fn tidy(&mut self) {
        let mut numbers = vec![0u32; self.groups.len() + FIRST_GROUP];
        let marks = |ranges: &mut BTreeMap<u64, Range>, f: &mut dyn FnMut(&mut Mark)| {
            ranges.values_mut().flat_map(|r| &mut r.pages).flat_map(|p| &mut p.marks).for_each(f);
        };
        marks(&mut self.ranges, &mut |m| numbers[m.group as usize] = 1);
        let mut kept = Vec::new();
        for (n, group) in self.groups.iter().enumerate() {
            if std::mem::take(&mut numbers[n + FIRST_GROUP]) != 0 {
                numbers[n + FIRST_GROUP] = (kept.len() + FIRST_GROUP) as u32;
                kept.push(*group);
            }
        }
        (numbers[NOBODY as usize], numbers[COMMAND as usize]) = (NOBODY, COMMAND);
        marks(&mut self.ranges, &mut |m| m.group = numbers[m.group as usize]);
        self.room = (2 * kept.len()).max(GROUPS);
        self.groups = kept;
        self.generation += 1;
    }

    fn invocation(&self, mark: Mark) -> Option<WritingInvocation> {
        let group = self.groups.get(mark.group as usize - FIRST_GROUP)?;
        let site = self.sites.get(mark.site as usize)?;
        let (wave, lane) = (u32::from(mark.invocation) / 64, u32::from(mark.invocation) % 64);
        let scalar = site.instr.op.row().format == Format::Smem;
        let item = wave * group.lanes + lane;
        let [x, y, _] = group.size.map(|n| n.max(1));
        let local = [item % x, item / x % y, item / x / y];
        let global = std::array::from_fn(|i| group.id[i].wrapping_mul(group.full[i]).wrapping_add(local[i]));
        Some(WritingInvocation {
            kernel: String::new(),
            site: Location {
                workgroup: group.id,
                wave,
                lane,
                lanes: if scalar { 0 } else { 1 << lane },
                pc: site.pc,
                pc_offset: site.pc.wrapping_sub(group.code_va),
                disassembly: disasm::text(&site.instr, group.isa, group.lanes),
                ..Location::default()
            },
            invocation: (!scalar).then_some(global),
        })
    }
}

/// The observer of one work-group.
pub(super) struct Writers {
    written: Arc<Written>,
    group: Wrote,
    /// Its number, and of which generation; 0: it has none yet.
    number: (u32, u64),
}

impl Writers {
    pub fn of(written: &Arc<Written>) -> Writers {
        let group = Wrote { id: [0; 3], size: [0; 3], full: [0; 3], lanes: 32, isa: Gen::default(), code_va: 0 };
        Writers { written: written.clone(), group, number: (NOBODY, 0) }
    }
}

impl Observer for Writers {
    fn wants(&self) -> Wants {
        Wants::STORES | Wants::PLAIN_STORES
    }

    fn start(&mut self, group: &Group) {
        (self.group.id, self.group.isa, self.group.code_va) = (group.id, group.isa, group.code_va);
        self.number = (NOBODY, 0);
    }

    fn launched(&mut self, launch: &Launch, size: [u32; 3]) {
        (self.group.size, self.group.full, self.group.lanes) = (size, launch.workgroup, launch.wave.lanes());
    }

    fn stored(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, stored: &[Stored]) {
        if !self.written.any.load(Ordering::Acquire) {
            return;
        }
        let mut log = self.written.log.lock();
        if !log.is_watched(stored) {
            return;
        }
        if self.number.0 == NOBODY || self.number.1 != log.generation {
            if log.groups.len() >= log.room.max(GROUPS) {
                log.tidy();
            }
            log.groups.push(self.group);
            self.number = ((log.groups.len() - 1 + FIRST_GROUP) as u32, log.generation);
        }
        let site = log.site(issue);
        let wave = wave.index().min(WAVES - 1) as u16 * 64;
        for s in stored {
            let mark = Mark { group: self.number.0, site, invocation: wave + u16::from(s.lane.unwrap_or(0)) };
            log.mark(s.at, s.bytes.into(), mark);
        }
    }
}

/// Enters a work-group of one lane that writes by itself, [`written_by`] its number.
pub fn enter(written: &Written, id: [u32; 3]) -> u32 {
    let mut log = written.log.lock();
    if log.sites.is_empty() {
        log.sites.push(Site { pc: 0, instr: Instr::new(insts::S_NOP) });
    }
    log.groups.push(Wrote { id, size: [1; 3], full: [1; 3], lanes: 32, isa: Gen::default(), code_va: 0 });
    (log.groups.len() - 1 + FIRST_GROUP) as u32
}

/// Marks bytes as written by an entered work-group.
pub fn written_by(written: &Written, group: u32, va: u64, bytes: u64) {
    written.log.lock().mark(va, bytes, Mark { group, ..Mark::default() });
}

/// Drops the work-groups of which no mark is left: the others' ids.
pub fn tidied(written: &Written) -> Vec<[u32; 3]> {
    let mut log = written.log.lock();
    log.tidy();
    log.groups.iter().map(|g| g.id).collect()
}
