//! Checks of what guest code does, besides executing it. Each is an [`Observer`] of one work-group, in a file of its own, with
//! a row in [`OBSERVERS`].
//!
//! - [`registers`]: what an instruction touches.
//! - [`ranges`]: what descriptors cut off. [`pointers`]: addresses in no buffer. [`parts`]: places in LDS that are in no variable.
//! - [`waits`]: results that nobody waited for. [`barriers`]: memory that nobody waited for in front of a barrier.
//! - [`hazards`]: what the silicon gets wrong.
//! - [`races`]: accesses that nothing orders. [`init`]: uses of what was never written. [`alone`]: barriers of one wave.
//! - [`touches`]: which memory is accessed. [`writers`]: who wrote memory last. [`executed`]: how often instructions ran. They
//!   find nothing, and are for who asks.
//!
//! With a check on, the interpreter runs every instruction, and shows those first that do more than compute in registers (as to any other
//! [`Probe`]). Of computing, observers are asked a stretch at a time ([`super::stretch`]) whether they want to see it. What they
//! find is noted for the dispatch ([`super::findings`]), and the wave goes on, or stops there if it is to
//! ([`GuestChecks::STOP`]). With none on, the loop that runs has no trace of them.

mod alone;
mod barriers;
pub(crate) mod executed;
pub(crate) mod hazards;
pub(crate) mod init;
pub(crate) mod parts;
mod pointers;
pub(crate) mod races;
mod ranges;
pub(crate) mod registers;
pub(crate) mod touches;
mod waits;
pub(crate) mod writers;

use super::Launch;
use super::device::{Device, Passage};
use super::env::TexelTouch;
use super::mem::{CutOff, Stored};
use super::probe::{Accesses, Issue, Probe, WaveView};
use super::stretch::Stretch;
use crate::config::GuestChecks;
use std::sync::Arc;
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::finding::{Access, AccessKind, Finding, FindingKind, Location, Order, Party};
use wavepipe_hw::observe::Observe;
use wavepipe_isa::row::{ImageOp, MemKind, Space};
use wavepipe_isa::{Gen, Instr, disasm};

/// The check that an observer belongs to, and how it is made.
type Maker = (GuestChecks, fn() -> Box<dyn Observer>);

/// Every observer, in the order in which they are shown an instruction.
const OBSERVERS: &[Maker] = &[
    (GuestChecks::MEM, || Box::<ranges::Ranges>::default()),
    (GuestChecks::MEM, || Box::<pointers::Pointers>::default()),
    (GuestChecks::MEM, || Box::<parts::Parts>::default()),
    (GuestChecks::WAIT, || Box::<waits::Waits>::default()),
    (GuestChecks::WAIT, || Box::<barriers::Barriers>::default()),
    (GuestChecks::WAIT, || Box::<hazards::Hazards>::default()),
    (GuestChecks::RACE, || Box::<races::Races>::default()),
    (GuestChecks::INIT, || Box::<init::Init>::default()),
    (GuestChecks::SYNC, || Box::<alone::Alone>::default()),
    (GuestChecks::SYNC, || Box::<touches::Touching>::default()),
];

bitflags::bitflags! {
    /// What an observer is to be shown.
    #[derive(Clone, Copy)]
    pub(super) struct Wants: u8 {
        /// Instructions that do more than compute in registers.
        const ISSUES = 1 << 0;
        /// What only computes, too, unless it says of a stretch of it that it need not be.
        const STRETCHES = 1 << 1;
        /// Accesses of all memory but LDS.
        const ACCESSES = 1 << 2;
        /// What descriptors cut off.
        const CUTS = 1 << 3;
        /// Stores that it is not told all of by their accesses.
        const STORES = 1 << 4;
        /// All others, too.
        const PLAIN_STORES = 1 << 5;
        /// Texels that instructions have accessed.
        const TEXELS = 1 << 6;
        /// Accesses of LDS.
        const LDS = 1 << 7;
    }
}

/// Watches one work-group from start to end, and then the next one.
pub(super) trait Observer: Send {
    /// Asked again where what a dispatch is given may change it.
    fn wants(&self) -> Wants;

    /// A work-group starts. Nothing is left of the last one.
    fn start(&mut self, group: &Group);

    /// First of all: it watches work-groups of this device.
    fn on_device(&mut self, _device: &Arc<Device>) {}

    /// Behind [`Observer::start`]: the work-group is one of this dispatch. It may be told again, of another one.
    fn in_dispatch(&mut self, _passage: &Passage) {}

    /// An instruction is about to run.
    fn issue(&mut self, _wave: &WaveView<'_>, _issue: &Issue<'_>, _found: &mut Vec<Found>) {}

    /// Whether nothing in a stretch is of interest.
    fn is_quiet(&self, _wave: &WaveView<'_>, _stretch: &Stretch) -> bool {
        false
    }

    /// A stretch is about to run of which every observer said so.
    fn passes(&mut self, _wave: &WaveView<'_>, _stretch: &Stretch) {}

    /// Behind [`Observer::issue`]: lanes are about to access memory, as [`Probe::access`] has it.
    fn access(&mut self, _: &WaveView<'_>, _: &Issue<'_>, _: &Accesses<'_>, _: &mut Vec<Found>) {}

    /// Behind [`Observer::issue`]: a descriptor cuts off a part of what the instruction is about to access.
    fn cut_off(&mut self, _: &WaveView<'_>, _: &Issue<'_>, _: &CutOff, _: &mut Vec<Found>) {}

    /// Behind [`Observer::start`]: how the work-group was launched, and its size, which is less than the launch's if it is partial.
    fn launched(&mut self, _: &Launch, _size: [u32; 3]) {}

    /// As [`Probe::stored`] has it.
    fn stored(&mut self, _: &WaveView<'_>, _: &Issue<'_>, _: &[Stored]) {}

    /// As [`Probe::texels`] has it.
    fn texels(&mut self, _: &WaveView<'_>, _: &Issue<'_>, _: &[TexelTouch], _: &mut Vec<Found>) {}

    /// The work-group is left, for a time or for good: what it has to tell is to be told.
    fn pause(&mut self) {}
}

/// How an operation of memory accesses it.
fn access_kind(kind: MemKind) -> AccessKind {
    match kind {
        MemKind::Image(ImageOp::Store { .. }) => AccessKind::Write,
        MemKind::Image(ImageOp::Atomic(_)) => AccessKind::Atomic,
        MemKind::Image(_) => AccessKind::Read,
        _ => AccessKind::of(kind.writes(), kind.is_atomic()),
    }
}

/// A work-group, as observers know it.
#[derive(Clone, Copy, Default)]
pub(super) struct Group {
    pub id: [u32; 3],
    pub waves: usize,
    pub isa: Gen,
    /// Address of the kernel's first instruction.
    pub code_va: u64,
    pub lds_bytes: u32,
    /// Registers that the launch fills, from the first one.
    pub sgprs: u32,
    pub vgprs: u32,
}

/// What is wrong with the instruction that an observer was shown.
pub(super) struct Found {
    pub kind: FindingKind,
    /// Lanes that it is about.
    pub lanes: u64,
    pub access: Option<Access>,
    pub other: Option<Side>,
}

/// A party of a finding; its text is made when it is told.
pub(super) struct Side {
    pub workgroup: [u32; 3],
    pub wave: u32,
    pub lanes: u64,
    pub pc: u64,
    pub instr: Instr,
    pub access: Option<Access>,
}

impl Side {
    fn bare(&self) -> Location {
        let Side { workgroup, wave, lanes, pc, .. } = *self;
        Location { workgroup, wave, lane: lanes.trailing_zeros() & 63, lanes, pc, ..Location::default() }
    }

    fn order(&self) -> Order {
        self.bare().order()
    }

    /// Its place in words, in the kernel of a work-group, in waves of `width` lanes.
    fn location(&self, group: &Group, width: u32) -> Location {
        let disassembly = disasm::text(&self.instr, group.isa, width);
        Location { pc_offset: self.pc.wrapping_sub(group.code_va), disassembly, ..self.bare() }
    }
}

/// The checks of one work-group.
pub(super) struct Checker {
    observers: Vec<Box<dyn Observer>>,
    group: Group,
    passage: Passage,
    stop: bool,
    /// Whether it is known what the dispatch is given.
    told: bool,
    wants: Wants,
    /// The observers that want instructions, stretches, accesses of memory and of LDS.
    issues: Box<[usize]>,
    stretches: Box<[usize]>,
    accesses: Box<[usize]>,
    lds: Box<[usize]>,
    /// Of the instruction that was shown last.
    found: Vec<Found>,
    stopping: Option<Box<Finding>>,
}

impl Checker {
    /// `None`: nothing is to be checked.
    pub fn new(device: &Arc<Device>) -> Option<Box<Checker>> {
        let checks = device.checks;
        let mut observers: Vec<_> =
            OBSERVERS.iter().filter(|maker| checks.contains(maker.0)).map(|maker| maker.1()).collect();
        if device.observe.contains(Observe::WRITERS) {
            observers.push(Box::new(writers::Writers::of(&device.written)));
        }
        if device.observe.contains(Observe::COVERAGE) {
            observers.push(Box::<executed::Counts>::default());
        }
        observers.iter_mut().for_each(|o| o.on_device(device));
        (!observers.is_empty()).then(|| {
            let mut checker = Box::new(Checker {
                wants: Wants::empty(),
                issues: Box::default(),
                stretches: Box::default(),
                accesses: Box::default(),
                lds: Box::default(),
                observers,
                group: Group::default(),
                passage: Passage::default(),
                stop: checks.contains(GuestChecks::STOP),
                told: false,
                found: Vec::new(),
                stopping: None,
            });
            checker.ask();
            checker
        })
    }

    /// Asks the observers what they want to see.
    fn ask(&mut self) {
        let wants: Vec<Wants> = self.observers.iter().map(|o| o.wants()).collect();
        let who = |what| (0..wants.len()).filter(|n| wants[*n].contains(what)).collect();
        self.wants = wants.iter().fold(Wants::empty(), |all, w| all | *w);
        (self.issues, self.stretches) = (who(Wants::ISSUES), who(Wants::STRETCHES));
        (self.accesses, self.lds) = (who(Wants::ACCESSES), who(Wants::LDS));
    }

    /// A work-group starts. What is found goes to `passage`.
    pub fn start(&mut self, group: Group, passage: &Passage) {
        self.found.clear();
        self.stopping = None;
        self.group = group;
        self.observers.iter_mut().for_each(|o| o.start(&group));
        self.note_at(passage);
    }

    /// How the work-group was launched, and its size.
    pub fn launched(&mut self, launch: &Launch, size: [u32; 3]) {
        self.observers.iter_mut().for_each(|o| o.launched(launch, size));
    }

    /// The work-group is left, for a time or for good.
    pub fn pause(&mut self) {
        self.observers.iter_mut().for_each(|o| o.pause());
    }

    /// The work-group is one of a dispatch.
    pub fn note_at(&mut self, passage: &Passage) {
        self.passage = passage.clone();
        self.observers.iter_mut().for_each(|o| o.in_dispatch(passage));
        let told = passage.what_is_given().is_some();
        if told != self.told {
            self.told = told;
            self.ask();
        }
    }

    /// Notes what the observers found at an instruction.
    #[cold]
    fn note(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>) {
        for Found { kind, lanes, access, mut other } in std::mem::take(&mut self.found) {
            let width = wave.lanes();
            let (workgroup, index) = (self.group.id, wave.index());
            let mut own = Side { workgroup, wave: index, lanes, pc: issue.pc, instr: *issue.instr, access };
            // A wave that stops does so at its own place.
            if let (Some(o), FindingKind::Race(_), false) = (&mut other, &kind, self.stop)
                && (o.pc, o.order()) > (own.pc, own.order())
            {
                std::mem::swap(o, &mut own);
            }
            let key = (kind.slug(), own.pc, other.as_ref().map_or(0, |o| o.pc));
            let order = own.order();
            let make = || Finding {
                kind,
                kernel: String::new(),
                queue: (0, 0),
                site: own.location(&self.group, width),
                access: own.access,
                other: other.map(|o| {
                    let site = o.location(&self.group, width);
                    Box::new(Party { site, access: o.access })
                }),
                count: 1,
            };
            if self.stop {
                let finding = make();
                self.passage.findings().note(key, order, || finding.clone());
                self.stopping.get_or_insert_with(|| Box::new(finding));
            } else {
                self.passage.findings().note(key, order, make);
            }
        }
    }
}

impl Probe for Checker {
    const ACTIVE: bool = true;

    #[inline]
    fn issue(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>) {
        for &n in &self.issues {
            self.observers[n].issue(wave, issue, &mut self.found);
        }
        if !self.found.is_empty() {
            self.note(wave, issue);
        }
    }

    #[inline]
    fn passes(&mut self, wave: &WaveView<'_>, stretch: &Stretch) -> bool {
        let quiet = self.stretches.iter().all(|n| self.observers[*n].is_quiet(wave, stretch));
        if quiet {
            self.stretches.iter().for_each(|n| self.observers[*n].passes(wave, stretch));
        }
        quiet
    }

    fn wants_accesses(&self, lds: bool) -> bool {
        let who = if lds { &self.lds } else { &self.accesses };
        !who.is_empty()
    }

    fn access(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, to: &Accesses<'_>) {
        let who = if to.reach.space == Space::Lds { &self.lds } else { &self.accesses };
        for &n in who {
            self.observers[n].access(wave, issue, to, &mut self.found);
        }
        if !self.found.is_empty() {
            self.note(wave, issue);
        }
    }

    fn wants_cuts(&self) -> bool {
        self.wants.contains(Wants::CUTS)
    }

    fn cut_off(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, cut: &CutOff) {
        self.observers.iter_mut().for_each(|o| o.cut_off(wave, issue, cut, &mut self.found));
        if !self.found.is_empty() {
            self.note(wave, issue);
        }
    }

    fn wants_stores(&self, plain: bool) -> bool {
        self.wants.intersects(if plain { Wants::PLAIN_STORES } else { Wants::STORES })
    }

    fn stored(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, stored: &[Stored]) {
        self.observers.iter_mut().for_each(|o| o.stored(wave, issue, stored));
    }

    fn wants_texels(&self) -> bool {
        self.wants.contains(Wants::TEXELS)
    }

    fn texels(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, texels: &[TexelTouch]) {
        self.observers.iter_mut().for_each(|o| o.texels(wave, issue, texels, &mut self.found));
        if !self.found.is_empty() {
            self.note(wave, issue);
        }
    }

    #[inline]
    fn is_stopping(&self) -> bool {
        self.stopping.is_some()
    }

    fn stops(&mut self) -> Option<FaultKind> {
        self.stopping.take().map(FaultKind::Finding)
    }
}
