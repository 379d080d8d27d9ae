//! Missing waits: registers that are used before what is on its way there has arrived.
//!
//! The emulator's memory answers at once, so a wait that a program forgot changes no result here; on a card the old value is
//! read, or a late one overwrites a new one. Algorithm, for each wave and in the order of its instructions:
//!
//! 1. An instruction that counts ([`wavepipe_isa::wait`]) is noted as outstanding, with the registers that it will write, or,
//!    for GDS and the stores of GCN 1, that it is still to read.
//! 2. Its age is the number of those that were issued after it in its queue; of what has no order, as scalar memory, 0.
//! 3. A wait for n on a counter ends what has age n or more there. No more can be relied upon: at most n are outstanding
//!    then, and if an operation were, those behind it in its queue would be, too.
//! 4. Reading a register that is outstanding is a finding, and writing it is, unless by one more operation of the same
//!    kind, which arrives later. (Vector loads and samples count in one order but write in two.) From there on the operation
//!    counts as waited for, so one wait that is missing is one finding.
//!
//! FLAT counts on two counters; its result comes by the one of the memory that its lanes reach. Where it is in no order with what else
//! counts there, it is in that memory's, as LLVM relies upon, if all lanes reach the one; else its age is 0, and no other's grows by it. Registers that stores read are no
//! finding from GCN 2 on: those are read at issue. Waves end with anything outstanding.

use super::super::probe::{Accesses, Issue, WaveView};
use super::registers::{Footprint, RegisterSet};
use super::{Found, Group, Observer, Side, Wants};
use crate::wave::stretch::Stretch;
use wavepipe_hw::finding::{Awaited, FindingKind, MissingWait};
use wavepipe_isa::Instr;
use wavepipe_isa::row::Space;
use wavepipe_isa::wait::{Counted, Counts, Event, Queue};

/// What an operation is in order with: FLAT, as long as nothing else is known, with what is done by the memory of its event.
fn queue(event: &Counted) -> Option<Queue> {
    event.queue.or(match event.event {
        Event::FlatLoad | Event::FlatStore => Some(Queue::VectorLoads),
        Event::FlatLds => Some(Queue::Lds),
        _ => None,
    })
}

/// An operation that nobody waited for yet.
struct Outstanding {
    event: Counted,
    /// What it is in order with.
    queue: Option<Queue>,
    /// How many of its queue had been issued with it.
    number: u32,
    /// Which of the wave's instructions it is of.
    serial: u32,
    /// What it will write.
    fills: RegisterSet,
    /// What it will read.
    locks: RegisterSet,
    /// It counts nowhere else.
    alone: bool,
    pc: u64,
    instr: Instr,
    lanes: u64,
}

#[derive(Default)]
struct WaveWaits {
    outstanding: Vec<Outstanding>,
    /// Of all that is outstanding.
    fills: RegisterSet,
    locks: RegisterSet,
    /// Issued so far, by queue.
    issued: [u32; Queue::COUNT],
    /// Instructions that count, so far.
    serial: u32,
}

impl WaveWaits {
    fn reset(&mut self) {
        self.outstanding.clear();
        (self.fills, self.locks) = Default::default();
        self.issued = [0; Queue::COUNT];
    }

    fn age(issued: &[u32; Queue::COUNT], o: &Outstanding) -> u8 {
        let Some(queue) = o.queue else { return 0 };
        let behind = issued[queue as usize].wrapping_sub(o.number);
        // A counter that is full stalls: a wait for one less than its greatest value is the weakest that there is.
        behind.min(o.event.most.into()) as u8
    }

    fn wait(&mut self, counts: Counts) {
        let (before, issued) = (self.outstanding.len(), self.issued);
        self.outstanding.retain(|o| Self::age(&issued, o) < counts.get(o.event.counter));
        if self.outstanding.len() != before {
            self.sum();
        }
    }

    /// A counter that is full stalls, so what has a full counter behind it is done. LLVM counts on that of EXPCNT
    /// (WaitcntBrackets::setScoreUB), and of no other.
    fn make_room(&mut self, issued: Counted) {
        let (before, numbers) = (self.outstanding.len(), self.issued);
        let behind = |o: &Outstanding| o.queue.map_or(0, |q| numbers[q as usize].wrapping_sub(o.number));
        self.outstanding.retain(|o| o.queue != issued.queue || behind(o) <= issued.most.into());
        if self.outstanding.len() != before {
            self.sum();
        }
    }

    fn sum(&mut self) {
        (self.fills, self.locks) = Default::default();
        for o in &self.outstanding {
            self.fills.add(&o.fills);
            self.locks.add(&o.locks);
        }
    }

    fn issue(&mut self, footprint: &Footprint, pc: u64, instr: &Instr, lanes: u64) {
        self.serial = self.serial.wrapping_add(1);
        let serial = self.serial;
        for event in footprint.events.iter().flatten().copied() {
            let queue = queue(&event);
            let number = queue.map_or(0, |queue| {
                self.issued[queue as usize] = self.issued[queue as usize].wrapping_add(1);
                self.issued[queue as usize]
            });
            if event.event.reads_late() {
                self.make_room(event);
            }
            let none = RegisterSet::default();
            let (fills, locks) = match event.event {
                late if late.reads_late() => (none, footprint.late_reads),
                Event::VectorStore | Event::FlatStore => (none, none),
                _ => (footprint.writes, none),
            };
            if !fills.is_empty() || !locks.is_empty() {
                let alone = footprint.events.iter().flatten().filter(|e| !e.event.reads_late()).count() == 1;
                let instr = *instr;
                self.outstanding.push(Outstanding {
                    event,
                    queue,
                    number,
                    serial,
                    fills,
                    locks,
                    alone,
                    pc,
                    instr,
                    lanes,
                });
                self.fills.add(&fills);
                self.locks.add(&locks);
            }
        }
    }

    /// The first outstanding operation that an instruction with these registers does not wait for.
    fn missing(&self, reads: &RegisterSet, writes: &RegisterSet, again: Option<Counted>) -> Option<(usize, Awaited)> {
        self.outstanding.iter().enumerate().find_map(|(i, o)| {
            let read = o.fills.and(reads);
            let overwritten = o.fills.and(writes);
            let unread = o.locks.and(writes);
            let in_order = o.alone && again == Some(o.event) && o.event.writes_in_order();
            let what = match () {
                _ if !read.is_empty() => Awaited::Read(read.name()),
                _ if !overwritten.is_empty() && !in_order => Awaited::Overwritten(overwritten.name()),
                _ if !unread.is_empty() => Awaited::OverwrittenUnread(unread.name()),
                _ => return None,
            };
            Some((i, what))
        })
    }
}

/// The check of one work-group.
#[derive(Default)]
pub(super) struct Waits {
    waves: Vec<WaveWaits>,
    group: Group,
}

impl Observer for Waits {
    fn wants(&self) -> Wants {
        Wants::ISSUES | Wants::STRETCHES | Wants::ACCESSES
    }

    fn start(&mut self, group: &Group) {
        self.waves.resize_with(group.waves, WaveWaits::default);
        self.waves.iter_mut().for_each(WaveWaits::reset);
        self.group = *group;
    }

    fn is_quiet(&self, wave: &WaveView<'_>, stretch: &Stretch) -> bool {
        let wave = self.waves.get(wave.index() as usize);
        wave.is_none_or(|w| !w.fills.meets(&stretch.touched) && !w.locks.meets(&stretch.touched))
    }

    fn issue(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, found: &mut Vec<Found>) {
        let footprint = issue.footprint(wave.lanes());
        let Some(w) = self.waves.get_mut(wave.index() as usize) else { return };
        if !w.outstanding.is_empty() {
            let moved = footprint.moved(wave.m0());
            let (reads, writes) = moved.as_ref().map_or((&footprint.reads, &footprint.writes), |(r, w)| (r, w));
            let again = match footprint.events {
                [Some(event), second] if second.is_none_or(|e| e.event.reads_late()) => Some(event),
                _ => None,
            };
            let suspect = |w: &WaveWaits| w.fills.meets(reads) || w.fills.meets(writes) || w.locks.meets(writes);
            while suspect(w)
                && let Some((at, what)) = w.missing(reads, writes, again)
            {
                let o = w.outstanding.remove(at);
                w.sum();
                let (counter, at_most) = (o.event.counter.name(), WaveWaits::age(&w.issued, &o));
                let (workgroup, index) = (self.group.id, wave.index());
                found.push(Found {
                    kind: FindingKind::MissingWait(MissingWait { what, counter, at_most }),
                    lanes: wave.exec(),
                    access: None,
                    other: Some(Side {
                        workgroup,
                        wave: index,
                        lanes: o.lanes,
                        pc: o.pc,
                        instr: o.instr,
                        access: None,
                    }),
                });
            }
        }
        if let Some(wait) = footprint.wait {
            w.wait(wait.counts(|reg| wave.sgpr(reg.0.into())));
        }
        w.issue(footprint, issue.pc, issue.instr, wave.exec());
    }

    /// What FLAT returns comes from where its lanes go.
    fn access(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, to: &Accesses<'_>, _: &mut Vec<Found>) {
        let flat = to.reach.space == Space::Flat;
        let Some(w) = self.waves.get_mut(wave.index() as usize).filter(|_| flat) else { return };
        let aperture = wave.apertures().shared;
        let shared = |lane: usize| (to.at[lane] >> 32) as u32 == aperture;
        let (lds, memory) = (to.lanes().any(shared), to.lanes().any(|lane| !shared(lane)));
        let serial = w.serial;
        let latest = |o: &Outstanding| o.pc == issue.pc && o.serial == serial;
        w.outstanding.retain(|o| !latest(o) || if o.event.event.is_of_lds() { lds } else { memory });
        for event in issue.footprint(wave.lanes()).events.iter().flatten().filter(|e| e.queue.is_none()) {
            let alone = if event.event.is_of_lds() { lds && !memory } else { memory && !lds };
            if let (false, Some(queue)) = (alone, queue(event)) {
                w.issued[queue as usize] = w.issued[queue as usize].wrapping_sub(1);
                w.outstanding.iter_mut().filter(|o| latest(o) && o.event == *event).for_each(|o| o.queue = None);
            }
        }
        w.sum();
    }
}
