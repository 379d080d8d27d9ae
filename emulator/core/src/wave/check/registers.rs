//! Which registers an instruction touches, as sets; made once for each decoded instruction that a check sees.

use super::hazards::{Roles, Rules};
use crate::wave::indexed;
use std::sync::OnceLock;
use wavepipe_isa::Gen;
use wavepipe_isa::hazard::{Facts, facts};
use wavepipe_isa::row::{Class, Format, Sem, Ty, WaveOp};
use wavepipe_isa::wait::{Counted, Counter, Event, Wait};
use wavepipe_isa::{Instr, Src};

/// Scalar registers by their operand numbers, then VGPRs.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct RegisterSet([u64; 6]);

const FIRST_VGPR: usize = 128;

impl RegisterSet {
    pub fn insert(&mut self, reg: Src, dwords: u32) {
        let first = match reg {
            r if r.is_vgpr() => FIRST_VGPR + r.vgpr() as usize,
            r if r.is_sgpr() => usize::from(r.0),
            _ => return,
        };
        let end = if reg.is_vgpr() { 64 * self.0.len() } else { FIRST_VGPR };
        (first..(first + dwords as usize).min(end)).for_each(|n| self.0[n / 64] |= 1 << (n % 64));
    }

    pub fn add(&mut self, other: &RegisterSet) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }

    #[inline(always)]
    pub fn and(&self, other: &RegisterSet) -> RegisterSet {
        RegisterSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    pub fn without(&self, other: &RegisterSet) -> RegisterSet {
        RegisterSet(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|w| *w == 0)
    }

    /// Whether the register of this number is in it: scalar ones by their operand numbers, VGPRs by [`RegisterSet::vgpr_number`].
    #[inline(always)]
    pub fn has(&self, n: usize) -> bool {
        self.0.get(n / 64).is_some_and(|w| w >> (n % 64) & 1 != 0)
    }

    #[inline(always)]
    pub fn put(&mut self, n: usize, on: bool) {
        if let Some(w) = self.0.get_mut(n / 64) {
            *w = *w & !(1 << (n % 64)) | u64::from(on) << (n % 64);
        }
    }

    /// Those with numbers from `first` on, and below `end`.
    pub fn put_all(&mut self, first: usize, end: usize) {
        for (n, word) in self.0.iter_mut().enumerate() {
            let [low, high] = [first, end].map(|at| at.saturating_sub(64 * n).min(64));
            if low < high {
                *word |= !0 >> (64 - (high - low)) << low;
            }
        }
    }

    pub const fn vgpr_number(n: u32) -> usize {
        FIRST_VGPR + n as usize
    }

    /// The VGPR that has this number.
    pub fn vgpr_of(n: usize) -> Option<u32> {
        n.checked_sub(FIRST_VGPR).map(|v| v as u32)
    }

    /// Numbers of the registers in it, ascending.
    #[inline(always)]
    pub fn iter(mut self) -> impl Iterator<Item = usize> {
        let mut word = 0;
        std::iter::from_fn(move || {
            while self.0.get(word)? == &0 {
                word += 1;
            }
            let bit = self.0[word].trailing_zeros() as usize;
            self.0[word] &= self.0[word] - 1;
            Some(64 * word + bit)
        })
    }

    #[inline(always)]
    pub fn meets(&self, other: &RegisterSet) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    /// The first run of registers, as assembly writes it.
    pub fn name(&self) -> String {
        let has = |n: usize| self.has(n);
        let Some(first) = self.iter().next() else { return String::new() };
        let mut last = first;
        while has(last + 1) && last + 1 != FIRST_VGPR {
            last += 1;
        }
        let scalar = |n: usize| match n {
            106 => "vcc_lo".into(),
            107 => "vcc_hi".into(),
            108..=123 => format!("ttmp{}", n - 108),
            124 => "m0".into(),
            126 => "exec_lo".into(),
            127 => "exec_hi".into(),
            n => format!("s{n}"),
        };
        match (first, last) {
            (f, l) if f >= FIRST_VGPR && f == l => format!("v{}", f - FIRST_VGPR),
            (f, l) if f >= FIRST_VGPR => format!("v[{}:{}]", f - FIRST_VGPR, l - FIRST_VGPR),
            (f, l) if f < l && l < 106 => format!("s[{f}:{l}]"),
            (f, _) => scalar(f),
        }
    }
}

/// What an instruction is to the checks.
#[derive(Clone, Debug)]
pub(crate) struct Footprint {
    pub reads: RegisterSet,
    pub writes: RegisterSet,
    /// What an event of it that tells of registers takes its time to read.
    pub late_reads: RegisterSet,
    /// What of it counts, each on a counter of its own.
    pub events: [Option<Counted>; 2],
    pub wait: Option<Wait>,
    /// What it is to the rules about hazards.
    pub hazard: Facts,
    pub roles: Roles,
    relative: Option<Relative>,
    /// In a mode that moves its registers: the instruction, the wave's lanes, and its generation.
    indexed: Option<(Instr, u32, Gen)>,
}

/// An instruction whose registers M0 moves.
#[derive(Clone, Copy, Debug)]
struct Relative {
    what: WaveOp,
    from: Src,
    to: Src,
    dwords: u32,
}

/// An instruction's footprint once somebody has asked for it.
#[derive(Default)]
pub(crate) struct LazyFootprint {
    made: OnceLock<Box<Footprint>>,
    indexed: bool,
}

impl LazyFootprint {
    /// M0 moves its registers, as the mode says that its block is decoded for.
    pub fn is_indexed(&mut self) {
        self.indexed = true;
    }

    /// Of the instruction that it belongs to, in a wave of so many lanes.
    pub fn of(&self, instr: &Instr, lanes: u32, isa: Gen) -> &Footprint {
        let indexed = self.indexed.then_some((*instr, lanes, isa));
        self.made.get_or_init(|| Box::new(Footprint { indexed, ..Footprint::new(instr, lanes, isa) }))
    }
}

impl Footprint {
    fn new(instr: &Instr, lanes: u32, isa: Gen) -> Footprint {
        let row = instr.op.row();
        let mut events = instr.events(isa);
        let hazard = facts(instr, isa, lanes);
        let mut out = Footprint {
            reads: RegisterSet::default(),
            writes: RegisterSet::default(),
            late_reads: RegisterSet::default(),
            events: [events.next(), events.next()],
            wait: instr.waits(isa),
            hazard,
            roles: Roles::of(&hazard, Rules::of(isa)),
            relative: None,
            indexed: None,
        };
        let memory = out.counts_results();
        for a in instr.uses(lanes) {
            // A load that keeps half of its register reads nothing.
            if !(memory && a.ty == Ty::Old) {
                out.reads.insert(a.reg, a.dwords);
            }
        }
        instr.defs(lanes).for_each(|a| out.writes.insert(a.reg, a.dwords));
        let by_lanes = !row.format.is_salu() && row.class != Class::Smem;
        if by_lanes {
            out.reads.insert(Src::EXEC_LO, lanes / 32);
        }
        for event in out.events.iter().flatten().map(|e| e.event).filter(|e| e.reads_late()) {
            instr.late_reads(event, lanes).for_each(|a| out.late_reads.insert(a.reg, a.dwords));
            if event == Event::GdsOperands {
                out.late_reads.insert(Src::EXEC_LO, lanes / 32);
            }
        }
        if let Sem::Wave(what @ (WaveOp::MovrelS | WaveOp::MovrelD | WaveOp::MovrelSD | WaveOp::MovrelSD2)) = row.sem {
            let dwords = if row.format == Format::Sop1 { row.dst[0].dwords(lanes) } else { 1 };
            out.relative = Some(Relative { what, from: instr.src[0], to: instr.dst[0], dwords });
        }
        out
    }

    /// Whether its results come back on a counter.
    pub fn counts_results(&self) -> bool {
        self.events.iter().flatten().any(|e| !e.event.reads_late() && e.counter != Counter::Vs)
    }

    /// Whether M0 moves registers that its encoding names.
    pub fn is_relative(&self) -> bool {
        self.relative.is_some() || self.indexed.is_some()
    }

    /// What it reads and writes where M0 moves its registers.
    pub fn moved(&self, m0: u32) -> Option<(RegisterSet, RegisterSet)> {
        if let Some((instr, lanes, isa)) = &self.indexed {
            let there = Footprint::new(&indexed::moved(instr, m0), *lanes, *isa);
            let mut reads = there.reads;
            reads.insert(Src::M0, 1);
            return Some((reads, there.writes));
        }
        let r = self.relative?;
        let m0 = if r.dwords == 2 { m0 & !1 } else { m0 };
        let (from, to) = match r.what {
            WaveOp::MovrelS => (m0, 0),
            WaveOp::MovrelD => (0, m0),
            WaveOp::MovrelSD => (m0, m0),
            _ => (m0 & 0x3ff, m0 >> 16 & 0x3ff),
        };
        let at = |reg: Src, by: u32| {
            let mut set = RegisterSet::default();
            // Registers that there are not: the instruction reads the first one, or writes nothing.
            let last = if reg.is_vgpr() { 511 } else { 107 };
            if u32::from(reg.0).saturating_add(by) <= last {
                set.insert(Src(reg.0 + by as u16), r.dwords);
            }
            set
        };
        let mut reads = at(r.from, from);
        reads.insert(Src::M0, 1);
        Some((reads, at(r.to, to)))
    }
}
