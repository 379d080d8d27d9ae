//! Stretches: instructions behind each other that do nothing but compute in registers, taken together. Most of what runs is in one, and has
//! nothing to tell an observer that their sum does not tell.

use super::block::BlockEntry;
use super::check::hazards::{Roles, Rules};
use super::check::registers::{Footprint, RegisterSet};
use wavepipe_isa::hazard::Facts;
use wavepipe_isa::row::{Scc, Sem, Ty, WaveOp};
use wavepipe_isa::{Gen, Instr};

/// A stretch of a block.
#[derive(Debug)]
pub struct Stretch {
    /// The index of its first instruction.
    pub from: usize,
    pub len: usize,
    /// Registers that it reads or writes.
    pub(super) touched: RegisterSet,
    /// Whether it reads or writes SCC.
    pub(super) scc: bool,
    /// What its instructions are to the rules about hazards, together: registers, and wait states that they last.
    pub(super) roles: Roles,
    pub(super) hazard: Facts,
    /// Those near its end that begin something.
    pub(super) begins: Vec<Begins>,
}

/// An instruction that begins sequences which time ends, and has not at the end of its stretch.
#[derive(Debug)]
pub(super) struct Begins {
    /// Bytes from the block's start.
    pub offset: u32,
    pub instr: Instr,
    pub facts: Facts,
    /// Which, as [`Roles`] has it.
    pub first: u32,
    /// Wait states behind it.
    pub states: u8,
}

/// All that there are in a block of waves of so many lanes.
pub(super) fn of(places: &[BlockEntry], lanes: u32, isa: Gen) -> Box<[Stretch]> {
    let rules = Rules::of(isa);
    let mut out: Vec<Stretch> = Vec::new();
    for (i, place) in places.iter().enumerate() {
        let Some(instr) = &place.instr else { continue };
        let footprint = place.footprint.of(instr, lanes, isa);
        if !is_quiet(instr, footprint, rules) {
            continue;
        }
        let goes_on = out.last().is_some_and(|s| s.from + s.len == i && s.takes(footprint, rules));
        if !goes_on {
            let (touched, roles, begins) = Default::default();
            out.push(Stretch { from: i, len: 0, touched, scc: false, roles, hazard: Facts::NONE, begins });
        }
        if let Some(stretch) = out.last_mut() {
            stretch.add(place.offset, instr, footprint, rules);
        }
    }
    out.into()
}

impl Stretch {
    /// Whether an instruction ends no sequence that one of the others begins: such a one is another stretch's.
    fn takes(&self, x: &Footprint, rules: &Rules) -> bool {
        self.begins.iter().all(|b| rules.left(&b.facts, b.first, b.states, &x.hazard, x.roles).is_some())
    }

    fn add(&mut self, offset: u32, instr: &Instr, x: &Footprint, rules: &Rules) {
        let row = instr.op.row();
        self.scc |= row.scc != Scc::Keep || row.src.contains(&Ty::Scc) || row.dst.contains(&Ty::Scc);
        self.len += 1;
        self.touched.add(&x.reads);
        self.touched.add(&x.writes);
        self.roles.add(x.roles);
        let (all, one) = (&mut self.hazard, &x.hazard);
        all.kinds |= one.kinds;
        all.reads |= one.reads;
        all.writes |= one.writes;
        all.selects |= one.selects;
        all.hardware |= one.hardware;
        for n in 0..2 {
            all.vector_reads[n] |= one.vector_reads[n];
            all.vector_writes[n] |= one.vector_writes[n];
        }
        all.states = all.states.saturating_add(one.states);
        for b in &mut self.begins {
            b.first = rules.left(&b.facts, b.first, b.states, one, x.roles).unwrap_or(0);
            b.states = b.states.saturating_add(one.states);
            b.first = rules.open(b.first, b.states);
        }
        self.begins.retain(|b| b.first != 0);
        let first = x.roles.begins(rules);
        if first != 0 {
            self.begins.push(Begins { offset, instr: *instr, facts: *one, first, states: 0 });
        }
    }
}

/// Whether all that an instruction does is told by its registers, those by its encoding, and no sequence begins with it that time does not end.
fn is_quiet(instr: &Instr, x: &Footprint, rules: &Rules) -> bool {
    let computes = match instr.op.row().sem {
        Sem::Lane | Sem::Compare | Sem::CompareExec | Sem::Carry | Sem::Wide | Sem::WideCarry => true,
        Sem::Wave(what) => {
            !matches!(what, WaveOp::MovrelD | WaveOp::MovrelS | WaveOp::MovrelSD | WaveOp::MovrelSD2 | WaveOp::SwapRel)
        }
        _ => false,
    };
    computes
        && !x.is_relative()
        && x.events.iter().all(Option::is_none)
        && x.wait.is_none()
        && !x.roles.may_begin(rules)
}
