//! Stretches: instructions behind each other that do nothing but compute in registers, taken together. Most of what runs is in one, and has
//! nothing to tell an observer that their sum does not tell.

use super::block::BlockEntry;
use super::check::hazards::Roles;
use super::check::registers::{Footprint, RegisterSet};
use wavepipe_isa::hazard::{Facts, Kinds};
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
    /// What its instructions are to the rules about hazards, together; scalar registers that they write, and wait states that they last.
    pub(super) roles: Roles,
    pub(super) hazard: Facts,
}

/// All that there are in a block of waves of so many lanes.
pub(super) fn of(places: &[BlockEntry], lanes: u32, isa: Gen) -> Box<[Stretch]> {
    let mut out: Vec<Stretch> = Vec::new();
    for (i, place) in places.iter().enumerate() {
        let Some(instr) = &place.instr else { continue };
        let footprint = place.footprint.of(instr, lanes, isa);
        if !is_quiet(instr, footprint) {
            continue;
        }
        if out.last().is_none_or(|s| s.from + s.len != i) {
            let hazard = Facts { kinds: Kinds::empty(), reads: 0, writes: 0, implied: 0, states: 0 };
            let (touched, roles) = Default::default();
            out.push(Stretch { from: i, len: 0, touched, scc: false, roles, hazard });
        }
        if let Some(stretch) = out.last_mut() {
            stretch.add(instr, footprint);
        }
    }
    out.into()
}

impl Stretch {
    fn add(&mut self, instr: &Instr, x: &Footprint) {
        let row = instr.op.row();
        self.scc |= row.scc != Scc::Keep || row.src.contains(&Ty::Scc) || row.dst.contains(&Ty::Scc);
        self.len += 1;
        self.touched.add(&x.reads);
        self.touched.add(&x.writes);
        self.roles.add(x.roles);
        self.hazard.kinds |= x.hazard.kinds;
        self.hazard.writes |= x.hazard.writes;
        self.hazard.states = self.hazard.states.saturating_add(x.hazard.states);
    }
}

/// Whether all that an instruction does is told by its registers, those by its encoding, and no sequence begins with it that others end.
fn is_quiet(instr: &Instr, x: &Footprint) -> bool {
    let computes = match instr.op.row().sem {
        Sem::Lane | Sem::Compare | Sem::CompareExec | Sem::Carry | Sem::Wide | Sem::WideCarry => true,
        Sem::Wave(what) => {
            !matches!(what, WaveOp::MovrelD | WaveOp::MovrelS | WaveOp::MovrelSD | WaveOp::MovrelSD2 | WaveOp::SwapRel)
        }
        _ => false,
    };
    computes && !x.is_relative() && x.events.iter().all(Option::is_none) && x.wait.is_none() && !x.roles.may_begin()
}
