//! Wait counters: what counts on which, in which order that ends, and what a wait instruction waits for.
//!
//! A program waits by itself for what memory returns: an instruction that goes to memory adds one to a counter of its wave,
//! and takes it off again when it is done. Compiler, clock, observers, assembler and disassembler read the tables here.

use crate::generation::{Gen, inherited};
use crate::instr::{Flags, Instr};
use crate::insts;
use crate::legal::Access;
use crate::reg::Src;
use crate::row::{Control, Format, ImageOp, MemKind, Sem, Space};

/// A counter of a wave.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Counter {
    /// Vector memory that returns data; where there is no counter for what returns nothing, all of it.
    Vm,
    /// Registers that GDS, exports, and on GCN 1 stores have not read yet.
    Exp,
    /// LDS, GDS, scalar memory and messages.
    Lgkm,
    /// Vector memory that returns nothing.
    Vs,
}

/// Pieces of a field as (low bit, width), from the least significant one on.
type Pieces = &'static [(u32, u32)];

/// What a counter is: its name in text, and by generation where S_WAITCNT has it and how many bits it holds.
struct CounterRow {
    name: &'static str,
    fields: &'static [(Gen, Pieces)],
    bits: &'static [(Gen, u32)],
}

/// In the order of [`Counter`]. Layout and widths: S_WAITCNT in the ISA documents; VSCNT has an instruction of its own.
const COUNTERS: [CounterRow; Counter::COUNT] = [
    CounterRow {
        name: "vmcnt",
        fields: &[(Gen::Gfx600, &[(0, 4)]), (Gen::Gfx900, &[(0, 4), (14, 2)]), (Gen::Gfx1100, &[(10, 6)])],
        bits: &[(Gen::Gfx600, 4), (Gen::Gfx900, 6)],
    },
    CounterRow {
        name: "expcnt",
        fields: &[(Gen::Gfx600, &[(4, 3)]), (Gen::Gfx1100, &[(0, 3)])],
        bits: &[(Gen::Gfx600, 3)],
    },
    CounterRow {
        name: "lgkmcnt",
        fields: &[(Gen::Gfx600, &[(8, 4)]), (Gen::Gfx1010, &[(8, 6)]), (Gen::Gfx1100, &[(4, 6)])],
        bits: &[(Gen::Gfx600, 4), (Gen::Gfx1010, 6)],
    },
    CounterRow { name: "vscnt", fields: &[], bits: &[(Gen::Gfx1010, 6)] },
];

impl Counter {
    pub const COUNT: usize = 4;
    /// In the order of S_WAITCNT's text.
    pub const ALL: [Counter; Counter::COUNT] = [Counter::Vm, Counter::Exp, Counter::Lgkm, Counter::Vs];

    /// As assembly calls it.
    pub const fn name(self) -> &'static str {
        COUNTERS[self as usize].name
    }

    /// The greatest value: another operation stalls, and a wait for so many is none. 0 where there is no such counter.
    pub const fn max(self, generation: Gen) -> u8 {
        match inherited(COUNTERS[self as usize].bits, generation) {
            Some(bits) => (1 << bits) - 1,
            None => 0,
        }
    }

    /// Its bits in S_WAITCNT's constant, (low bit, width) from the least significant piece on; none for VSCNT.
    pub const fn fields(self, generation: Gen) -> Pieces {
        match inherited(COUNTERS[self as usize].fields, generation) {
            Some(fields) => fields,
            None => &[],
        }
    }

    /// What S_WAITCNT's constant says of it on a generation; 0 of a counter that has no bits there.
    pub fn of_imm(self, imm: u32, generation: Gen) -> u32 {
        let mut at = 0;
        self.fields(generation).iter().fold(0, |value, &(low, width)| {
            let piece = (imm >> low & ((1 << width) - 1)) << at;
            at += width;
            value | piece
        })
    }

    /// The bits of all counters in S_WAITCNT's constant: with all of them set, it waits for nothing.
    pub fn all_bits(generation: Gen) -> u32 {
        let fields = Counter::ALL.into_iter().flat_map(|c| c.fields(generation));
        fields.map(|(low, width)| ((1 << width) - 1) << low).sum()
    }
}

/// The most operations of each counter that may be outstanding, of any generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Counts([u8; Counter::COUNT]);

impl Default for Counts {
    fn default() -> Self {
        Counts::NONE
    }
}

impl Counts {
    /// More than any counter holds.
    const ANY: u8 = u8::MAX;
    /// Waits for nothing.
    pub const NONE: Counts = Counts([Counts::ANY; Counter::COUNT]);
    /// Waits for everything.
    pub const ZERO: Counts = Counts([0; Counter::COUNT]);

    pub const fn with(mut self, counter: Counter, at_most: u8) -> Counts {
        self.0[counter as usize] = at_most;
        self
    }

    /// As it is, with nothing asked of a counter.
    pub const fn without(self, counter: Counter) -> Counts {
        self.with(counter, Counts::ANY)
    }

    /// How many may be outstanding; more than there can be if nothing is waited for.
    #[inline]
    pub const fn get(self, counter: Counter) -> u8 {
        self.0[counter as usize]
    }

    /// What is waited for: `None` if nothing is.
    pub fn asked(self, counter: Counter) -> Option<u8> {
        Some(self.get(counter)).filter(|n| *n != Counts::ANY)
    }

    /// The stronger wait of both, counter by counter.
    pub fn and(self, other: Counts) -> Counts {
        Counter::ALL.into_iter().fold(self, |sum, c| sum.with(c, self.get(c).min(other.get(c))))
    }

    /// A wait for as many as a counter holds, or more, is none.
    fn held_by(self, counter: Counter, generation: Gen) -> Counts {
        if self.get(counter) >= counter.max(generation) { self.without(counter) } else { self }
    }

    /// S_WAITCNT's constant on a generation, as [`Instr::imm`] holds it.
    pub fn imm(self, generation: Gen) -> i32 {
        let mut bits = 0;
        for c in Counter::ALL {
            let mut rest = u32::from(self.get(c).min(c.max(generation)));
            for (low, width) in c.fields(generation) {
                bits |= (rest & ((1 << width) - 1)) << low;
                rest >>= width;
            }
        }
        bits as i16 as i32
    }

    /// What S_WAITCNT with this constant waits for on a generation.
    pub fn of_imm(imm: i32, generation: Gen) -> Counts {
        let there = Counter::ALL.into_iter().filter(|c| !c.fields(generation).is_empty());
        there.fold(Counts::NONE, |counts, c| {
            counts.with(c, c.of_imm(imm as u32, generation) as u8).held_by(c, generation)
        })
    }
}

/// What adds one to a counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Event {
    /// Vector memory that returns data, but for what a sampler or an intersection does.
    VectorLoad,
    /// An image instruction that goes through the pipe of the samplers.
    Sample,
    /// A ray against a node.
    Ray,
    VectorStore,
    /// FLAT as vector memory, and as LDS: which of them its lanes reach is known when it runs.
    FlatLoad,
    FlatStore,
    FlatLds,
    /// A store or an atomic of GCN 1 reads its data after it was issued.
    StoreData,
    /// LDS, also as the crossbar between lanes.
    Lds,
    Gds,
    /// GDS reads the registers of its operands after it was issued, EXEC too.
    GdsOperands,
    ScalarMemory,
    Message,
    Export,
}

/// The events of one queue are done in the order of their issue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Queue {
    /// Loads, and stores where they count on one counter.
    VectorLoads,
    VectorStores,
    StoreData,
    Lds,
    Gds,
    GdsOperands,
    Messages,
    Exports,
}

impl Queue {
    pub const COUNT: usize = 8;
}

type Counting = Option<(Counter, Option<Queue>)>;

/// Counter and queue of each [`Event`], in its order, by generation; `None` where it counts nowhere. Scalar memory is done in
/// any order, and so is FLAT of GCN, which comes back as early as what it reached (LLVM's hasFlatLgkmVMemCountInOrder, ACO's
/// unordered_events). Loads, samples and rays take themselves off their counter in the order of their issue, but may write registers in
/// another. Until RDNA 1 stores do so among loads ("including mixing reads and writes", Vega's ISA document, 4.4); that GCN 1
/// reads a store's data late: LLVM's vmemWriteNeedsExpWaitcnt.
const EVENTS: [&[(Gen, Counting)]; Event::COUNT] = [
    &[(Gen::FIRST, Some((Counter::Vm, Some(Queue::VectorLoads))))],
    &[(Gen::FIRST, Some((Counter::Vm, Some(Queue::VectorLoads))))],
    &[(Gen::FIRST, Some((Counter::Vm, Some(Queue::VectorLoads))))],
    &[
        (Gen::FIRST, Some((Counter::Vm, Some(Queue::VectorLoads)))),
        (Gen::Gfx1010, Some((Counter::Vs, Some(Queue::VectorStores)))),
    ],
    &[(Gen::FIRST, Some((Counter::Vm, None))), (Gen::Gfx1010, Some((Counter::Vm, Some(Queue::VectorLoads))))],
    &[(Gen::FIRST, Some((Counter::Vm, None))), (Gen::Gfx1010, Some((Counter::Vs, Some(Queue::VectorStores))))],
    &[(Gen::FIRST, Some((Counter::Lgkm, None))), (Gen::Gfx1010, Some((Counter::Lgkm, Some(Queue::Lds))))],
    &[(Gen::FIRST, Some((Counter::Exp, Some(Queue::StoreData)))), (Gen::Gfx701, None)],
    &[(Gen::FIRST, Some((Counter::Lgkm, Some(Queue::Lds))))],
    &[(Gen::FIRST, Some((Counter::Lgkm, Some(Queue::Gds))))],
    &[(Gen::FIRST, Some((Counter::Exp, Some(Queue::GdsOperands))))],
    &[(Gen::FIRST, Some((Counter::Lgkm, None)))],
    &[(Gen::FIRST, Some((Counter::Lgkm, Some(Queue::Messages))))],
    &[(Gen::FIRST, Some((Counter::Exp, Some(Queue::Exports))))],
];

impl Event {
    pub const COUNT: usize = 14;
    pub const ALL: [Event; Event::COUNT] = [
        Event::VectorLoad,
        Event::Sample,
        Event::Ray,
        Event::VectorStore,
        Event::FlatLoad,
        Event::FlatStore,
        Event::FlatLds,
        Event::StoreData,
        Event::Lds,
        Event::Gds,
        Event::GdsOperands,
        Event::ScalarMemory,
        Event::Message,
        Event::Export,
    ];

    /// Where it counts on a generation.
    pub const fn counted(self, generation: Gen) -> Option<Counted> {
        match inherited(EVENTS[self as usize], generation) {
            Some(Some((counter, queue))) => {
                Some(Counted { event: self, counter, queue, most: counter.max(generation) - 1 })
            }
            _ => None,
        }
    }

    /// Whether it is LDS that is done, and no memory.
    pub const fn is_of_lds(self) -> bool {
        matches!(self, Event::Lds | Event::FlatLds)
    }

    /// Whether it tells of registers that are still to be read, and not of results.
    pub const fn reads_late(self) -> bool {
        matches!(self, Event::StoreData | Event::GdsOperands | Event::Export)
    }
}

/// An event on the counter that it has on a generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Counted {
    pub event: Event,
    pub counter: Counter,
    /// `None`: done in any order.
    pub queue: Option<Queue>,
    /// The weakest wait that there is for it: one less than the counter holds.
    pub most: u8,
}

impl Counted {
    /// Whether a later event of the same kind that writes the same register writes it later, without a wait between.
    pub fn writes_in_order(&self) -> bool {
        self.queue.is_some()
    }
}

/// What a wait instruction waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    Counts(Counts),
    /// For a register's value and a constant, six bits of the sum; as many as the counter holds are none.
    Sum {
        counter: Counter,
        reg: Src,
        plus: u8,
        holds: u8,
    },
}

impl Wait {
    /// The counts; `scalar` reads a scalar register ([`Src::NULL`] is zero).
    #[inline]
    pub fn counts(self, scalar: impl FnOnce(Src) -> u32) -> Counts {
        match self {
            Wait::Counts(counts) => counts,
            Wait::Sum { counter, reg, plus, holds } => {
                let value = if reg == Src::NULL { 0 } else { scalar(reg) };
                let at_most = (value.wrapping_add(plus.into()) & 63) as u8;
                if at_most < holds { Counts::NONE.with(counter, at_most) } else { Counts::NONE }
            }
        }
    }
}

impl Instr {
    /// What counts of this instruction on a generation, a counter at most once. FLAT counts as LDS too, for its addresses may
    /// be there. Invalidations of vector caches count nowhere that a program could rely on.
    pub fn events(&self, generation: Gen) -> impl Iterator<Item = Counted> + use<> {
        let row = self.op.row();
        let (first, second) = match row.sem {
            Sem::Mem(_, _) if row.format == Format::Smem => (Some(Event::ScalarMemory), None),
            Sem::Mem(_, MemKind::Invalidate) => (None, None),
            Sem::Mem(Space::Lds, kind) => {
                let always = matches!(kind, MemKind::Gws(_) | MemKind::OrderedCount);
                match always || self.flags.contains(Flags::GDS) {
                    true => (Some(Event::Gds), Some(Event::GdsOperands)),
                    false => (Some(Event::Lds), None),
                }
            }
            Sem::Mem(space, kind) => {
                // What loads to LDS has no register of its own.
                let returns = self.dst[0] != Src::NONE || !kind.writes() && !matches!(kind, MemKind::Image(_));
                let flat = space == Space::Flat;
                let event = match (kind, returns) {
                    (MemKind::Image(ImageOp::IntersectRay { .. }), _) => Event::Ray,
                    (MemKind::Image(op), _) if op.sampled() => Event::Sample,
                    (_, true) if flat => Event::FlatLoad,
                    (_, false) if flat => Event::FlatStore,
                    (_, true) => Event::VectorLoad,
                    (_, false) => Event::VectorStore,
                };
                let second = if flat { Some(Event::FlatLds) } else { self.data().map(|_| Event::StoreData) };
                (Some(event), second)
            }
            Sem::Wave(_) if row.format == Format::Ds => (Some(Event::Lds), None),
            Sem::Control(Control::SendMsg | Control::SendMsgHalt) => (Some(Event::Message), None),
            _ if row.format == Format::Exp => (Some(Event::Export), None),
            _ => (None, None),
        };
        first.into_iter().chain(second).filter_map(move |event| event.counted(generation))
    }

    /// The slot of what vector memory is given to write: of stores and atomics.
    fn data(&self) -> Option<usize> {
        let slot = self.op.row().src.len().checked_sub(1)?;
        let there = slot < self.src.len() && self.src[slot].is_vgpr();
        (there && matches!(self.op.row().sem, Sem::Mem(_, kind) if kind.writes())).then_some(slot)
    }

    /// Registers that it reads after it was issued, by an event that tells of those.
    pub fn late_reads(&self, event: Event, lanes: u32) -> impl Iterator<Item = Access> + use<'_> {
        let data = self.data().map(|slot| self.src[slot]);
        self.uses(lanes).filter(move |a| match event {
            Event::StoreData => Some(a.reg) == data,
            _ => event.reads_late() && a.reg.is_vgpr(),
        })
    }

    /// What it waits for; `None` for what is no wait for counters. S_WAITCNT_DEPCTR waits for what the hardware's
    /// interlocks know of by themselves.
    pub fn waits(&self, generation: Gen) -> Option<Wait> {
        let sum = |counter: Counter| {
            let (reg, plus, holds) = (self.src[0], self.imm as u8 & 63, counter.max(generation));
            Some(Wait::Sum { counter, reg, plus, holds })
        };
        match self.op.row().sem {
            Sem::Control(Control::Waitcnt) => Some(Wait::Counts(Counts::of_imm(self.imm, generation))),
            Sem::Control(Control::WaitcntVmcnt) => sum(Counter::Vm),
            Sem::Control(Control::WaitcntExpcnt) => sum(Counter::Exp),
            Sem::Control(Control::WaitcntLgkmcnt) => sum(Counter::Lgkm),
            Sem::Control(Control::WaitcntVscnt) => sum(Counter::Vs),
            _ if self.op == insts::S_WAIT_IDLE => Some(Wait::Counts(Counts::ZERO)),
            _ => None,
        }
    }
}
