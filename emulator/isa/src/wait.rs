//! Wait counters: what counts on which, in which order that ends, and what a wait instruction waits for.
//!
//! A program waits by itself for what memory returns: an instruction that goes to memory adds one to a counter of its wave,
//! and takes it off again when it is done. Compiler, clock, observers, assembler and disassembler read the tables here.

use crate::generation::{Gen, inherited};
use crate::instr::{Flags, Instr};
use crate::insts;
use crate::reg::Src;
use crate::row::{Control, Format, ImageOp, MemKind, Sem, Space};

/// A counter of a wave.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Counter {
    /// Vector memory that returns data.
    Vm,
    /// Registers that GDS and exports have not read yet.
    Exp,
    /// LDS, GDS, scalar memory and messages.
    Lgkm,
    /// Vector memory that returns nothing.
    Vs,
}

/// What a counter is: its name in text, the most that it can hold, and where S_WAITCNT has it from a generation on, as (low bit,
/// width) from the least significant piece on.
struct CounterRow {
    name: &'static str,
    max: u8,
    fields: &'static [(Gen, &'static [(u32, u32)])],
}

/// In the order of [`Counter`]. Layout: S_WAITCNT in the ISA documents, widths: RDNA 1's; VSCNT has an instruction of its own.
const COUNTERS: [CounterRow; Counter::COUNT] = [
    CounterRow {
        name: "vmcnt",
        max: 63,
        fields: &[(Gen::Gfx600, &[(0, 4)]), (Gen::Gfx900, &[(0, 4), (14, 2)]), (Gen::Gfx1100, &[(10, 6)])],
    },
    CounterRow { name: "expcnt", max: 7, fields: &[(Gen::Gfx600, &[(4, 3)]), (Gen::Gfx1100, &[(0, 3)])] },
    CounterRow {
        name: "lgkmcnt",
        max: 63,
        fields: &[(Gen::Gfx600, &[(8, 4)]), (Gen::Gfx1010, &[(8, 6)]), (Gen::Gfx1100, &[(4, 6)])],
    },
    CounterRow { name: "vscnt", max: 63, fields: &[] },
];

impl Counter {
    pub const COUNT: usize = 4;
    /// In the order of S_WAITCNT's text.
    pub const ALL: [Counter; Counter::COUNT] = [Counter::Vm, Counter::Exp, Counter::Lgkm, Counter::Vs];

    /// As assembly calls it.
    pub const fn name(self) -> &'static str {
        COUNTERS[self as usize].name
    }

    /// The greatest value: another operation stalls, and a wait for so many is none.
    pub const fn max(self) -> u8 {
        COUNTERS[self as usize].max
    }

    /// Its bits in S_WAITCNT's constant, (low bit, width) from the least significant piece on; none for VSCNT.
    pub const fn fields(self, generation: Gen) -> &'static [(u32, u32)] {
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

/// The most operations of each counter that may be outstanding; a counter's greatest value asks for nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Counts([u8; Counter::COUNT]);

impl Default for Counts {
    fn default() -> Self {
        Counts::NONE
    }
}

impl Counts {
    /// Waits for nothing.
    pub const NONE: Counts = Counts([Counter::Vm.max(), Counter::Exp.max(), Counter::Lgkm.max(), Counter::Vs.max()]);
    /// Waits for everything.
    pub const ZERO: Counts = Counts([0; Counter::COUNT]);

    pub const fn with(mut self, counter: Counter, at_most: u8) -> Counts {
        self.0[counter as usize] = if at_most < counter.max() { at_most } else { counter.max() };
        self
    }

    #[inline]
    pub const fn get(self, counter: Counter) -> u8 {
        self.0[counter as usize]
    }

    /// What is waited for: `None` if nothing is.
    pub fn asked(self, counter: Counter) -> Option<u8> {
        Some(self.get(counter)).filter(|n| *n < counter.max())
    }

    /// The stronger wait of both, counter by counter.
    pub fn and(self, other: Counts) -> Counts {
        Counter::ALL.into_iter().fold(self, |sum, c| sum.with(c, self.get(c).min(other.get(c))))
    }

    /// S_WAITCNT's constant on gfx10, as [`Instr::imm`] holds it.
    pub const fn imm(self) -> i32 {
        let (mut bits, mut c) = (0u32, 0);
        while c < Counter::COUNT {
            let (mut rest, mut f) = (self.0[c] as u32, 0);
            let fields = Counter::ALL[c].fields(Gen::Gfx1010);
            while f < fields.len() {
                let (low, width) = fields[f];
                bits |= (rest & ((1 << width) - 1)) << low;
                rest >>= width;
                f += 1;
            }
            c += 1;
        }
        bits as i16 as i32
    }

    /// What S_WAITCNT with this constant waits for on gfx10.
    pub fn of_imm(imm: i32) -> Counts {
        let there = Counter::ALL.into_iter().filter(|c| !c.fields(Gen::Gfx1010).is_empty());
        there.fold(Counts::NONE, |counts, c| counts.with(c, c.of_imm(imm as u32, Gen::Gfx1010) as u8))
    }
}

/// What adds one to a counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Event {
    /// Vector memory that returns data, but for what a sampler does.
    VectorLoad,
    /// An image instruction with a sampler.
    Sample,
    VectorStore,
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
    VectorLoads,
    VectorStores,
    Lds,
    Gds,
    GdsOperands,
    Messages,
    Exports,
}

impl Queue {
    pub const COUNT: usize = 7;
}

/// Counter and queue of each [`Event`], in its order. Scalar memory is done in any order. Loads and samples take themselves off
/// their counter in the order of their issue, but may write registers in another.
const EVENTS: [(Counter, Option<Queue>); Event::COUNT] = [
    (Counter::Vm, Some(Queue::VectorLoads)),
    (Counter::Vm, Some(Queue::VectorLoads)),
    (Counter::Vs, Some(Queue::VectorStores)),
    (Counter::Lgkm, Some(Queue::Lds)),
    (Counter::Lgkm, Some(Queue::Gds)),
    (Counter::Exp, Some(Queue::GdsOperands)),
    (Counter::Lgkm, None),
    (Counter::Lgkm, Some(Queue::Messages)),
    (Counter::Exp, Some(Queue::Exports)),
];

impl Event {
    pub const COUNT: usize = 9;

    #[inline]
    pub const fn counter(self) -> Counter {
        EVENTS[self as usize].0
    }

    /// `None`: done in any order.
    #[inline]
    pub const fn queue(self) -> Option<Queue> {
        EVENTS[self as usize].1
    }

    /// Whether a later event of the same kind that writes the same register writes it later, without a wait between.
    pub fn writes_in_order(self) -> bool {
        self.queue().is_some()
    }
}

/// What a wait instruction waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    Counts(Counts),
    /// For a register's value and a constant, six bits of the sum.
    Sum(Counter, Src, u8),
}

impl Wait {
    /// The counts; `scalar` reads a scalar register ([`Src::NULL`] is zero).
    #[inline]
    pub fn counts(self, scalar: impl FnOnce(Src) -> u32) -> Counts {
        match self {
            Wait::Counts(counts) => counts,
            Wait::Sum(counter, reg, n) => {
                let value = if reg == Src::NULL { 0 } else { scalar(reg) };
                Counts::NONE.with(counter, (value.wrapping_add(n.into()) & 63) as u8)
            }
        }
    }
}

impl Instr {
    /// What counts of this instruction, a counter at most once. FLAT counts as LDS too, for its addresses may be there.
    /// Invalidations of vector caches count nowhere that a program could rely on.
    pub fn events(&self) -> impl Iterator<Item = Event> + use<> {
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
                let filtered = matches!(
                    kind,
                    MemKind::Image(ImageOp::Sample(_) | ImageOp::Gather4(_) | ImageOp::Gather4h | ImageOp::GetLod)
                );
                let event = match (returns, filtered) {
                    (_, true) => Event::Sample,
                    (true, false) => Event::VectorLoad,
                    (false, false) => Event::VectorStore,
                };
                (Some(event), (space == Space::Flat).then_some(Event::Lds))
            }
            Sem::Wave(_) if row.format == Format::Ds => (Some(Event::Lds), None),
            Sem::Control(Control::SendMsg | Control::SendMsgHalt) => (Some(Event::Message), None),
            _ if row.format == Format::Exp => (Some(Event::Export), None),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// What it waits for; `None` for what is no wait for counters. S_WAITCNT_DEPCTR waits for what the hardware's
    /// interlocks know of by themselves.
    pub fn waits(&self) -> Option<Wait> {
        let sum = |counter| Some(Wait::Sum(counter, self.src[0], self.imm as u8 & 63));
        match self.op.row().sem {
            Sem::Control(Control::Waitcnt) => Some(Wait::Counts(Counts::of_imm(self.imm))),
            Sem::Control(Control::WaitcntVmcnt) => sum(Counter::Vm),
            Sem::Control(Control::WaitcntExpcnt) => sum(Counter::Exp),
            Sem::Control(Control::WaitcntLgkmcnt) => sum(Counter::Lgkm),
            Sem::Control(Control::WaitcntVscnt) => sum(Counter::Vs),
            _ if self.op == insts::S_WAIT_IDLE => Some(Wait::Counts(Counts::ZERO)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generation::Gen;
    use crate::{asm, decode};

    fn instr(text: &str) -> Instr {
        let words = asm::assemble(text, Gen::Gfx1010, 32).unwrap();
        decode::decode(&words, Gen::Gfx1010).unwrap().0
    }

    fn events(text: &str) -> Vec<Event> {
        instr(text).events().collect()
    }

    /// The bytes are llvm-mc's.
    #[test]
    fn waitcnt_packs_as_the_manual_says() {
        let counts = Counts::NONE.with(Counter::Vm, 0x2a).with(Counter::Exp, 3).with(Counter::Lgkm, 9);
        assert_eq!(counts.imm() as u16, 0x893a);
        assert_eq!(Counts::of_imm(counts.imm()), counts);
        assert_eq!(Counts::NONE.imm() as u16, 0xff7f);
        assert_eq!(Counts::ZERO.imm(), 0);
        for imm in 0..0x1_0000 {
            assert_eq!(Counts::of_imm(imm).imm() as u16, imm as u16 & 0xff7f);
        }
    }

    #[test]
    fn what_counts_where() {
        use Event::*;
        for (text, expected) in [
            ("v_add_f32 v0, v1, v2", &[][..]),
            ("s_load_dword s0, s[2:3], 0x0", &[ScalarMemory]),
            ("s_dcache_inv", &[ScalarMemory]),
            ("s_memtime s[0:1]", &[ScalarMemory]),
            ("s_buffer_store_dword s0, s[4:7], 0x0", &[ScalarMemory]),
            ("global_load_dword v0, v1, s[0:1]", &[VectorLoad]),
            ("global_store_dword v0, v1, s[0:1]", &[VectorStore]),
            ("global_atomic_add v0, v1, s[0:1]", &[VectorStore]),
            ("global_atomic_add v2, v0, v1, s[0:1] glc", &[VectorLoad]),
            ("buffer_load_dword v0, off, s[0:3], 0", &[VectorLoad]),
            ("buffer_load_dword off, s[0:3], 0 lds", &[VectorLoad]),
            ("buffer_store_dword v0, off, s[0:3], 0", &[VectorStore]),
            ("buffer_atomic_add v0, off, s[0:3], 0", &[VectorStore]),
            ("buffer_atomic_add v0, off, s[0:3], 0 glc", &[VectorLoad]),
            ("buffer_gl0_inv", &[]),
            ("flat_load_dword v0, v[2:3]", &[VectorLoad, Lds]),
            ("flat_store_dword v[2:3], v0", &[VectorStore, Lds]),
            ("flat_atomic_add v[2:3], v0", &[VectorStore, Lds]),
            ("scratch_load_dword v0, v1, off", &[VectorLoad]),
            ("ds_read_b32 v0, v1", &[Lds]),
            ("ds_write_b32 v0, v1", &[Lds]),
            ("ds_bpermute_b32 v0, v1, v2", &[Lds]),
            ("ds_add_u32 v0, v1 gds", &[Gds, GdsOperands]),
            ("ds_gws_barrier v0 gds", &[Gds, GdsOperands]),
            ("s_sendmsg sendmsg(MSG_INTERRUPT)", &[Message]),
            ("image_load v0, v1, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D", &[VectorLoad]),
            ("image_get_resinfo v0, v1, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D", &[VectorLoad]),
            ("image_store v0, v1, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D", &[VectorStore]),
            ("image_atomic_add v0, v1, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D", &[VectorStore]),
            ("image_atomic_add v0, v1, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D glc", &[VectorLoad]),
            ("image_sample v0, v1, s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_1D", &[Sample]),
        ] {
            assert_eq!(events(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_waited_for() {
        let counts = |text: &str| instr(text).waits().unwrap().counts(|_| 0x7e);
        assert_eq!(counts("s_waitcnt vmcnt(1) lgkmcnt(2)"), Counts::NONE.with(Counter::Vm, 1).with(Counter::Lgkm, 2));
        assert_eq!(counts("s_waitcnt_vscnt null, 0x3"), Counts::NONE.with(Counter::Vs, 3));
        // Six bits of the sum.
        assert_eq!(counts("s_waitcnt_vmcnt s4, 0x3"), Counts::NONE.with(Counter::Vm, 1));
        assert_eq!(counts("s_waitcnt_lgkmcnt null, 0x0"), Counts::NONE.with(Counter::Lgkm, 0));
        assert_eq!(counts("s_waitcnt_expcnt null, 0x2"), Counts::NONE.with(Counter::Exp, 2));
        assert_eq!(counts("s_wait_idle"), Counts::ZERO);
        assert_eq!(instr("s_waitcnt_depctr 0xffe3").waits(), None);
    }
}
