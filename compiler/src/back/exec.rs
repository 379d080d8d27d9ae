//! EXEC that nobody sees: where arms of control flow end or meet, EXEC is written for lanes that do nothing before it is
//! written again.
//!
//! Backward dataflow over EXEC and SCC, each as a whole:
//!   wanted(EXEC)  what is executed by lanes, what names EXEC, branches on it, barriers and messages, calls and returns
//!   written(EXEC) a scalar instruction that writes all of a wave's mask
//!   wanted(SCC), written(SCC)  the same, by who names it and branches on it
//! Of an instruction that is not wanted nothing is wanted in front of it either:
//!   - one of which all results are EXEC or SCC, none of them wanted, goes;
//!   - one that saves EXEC and narrows it for nobody becomes a move of EXEC.
//! What flows out of a block is what any of its successors wants, to a fixpoint from below, where nobody wants anything; so what
//! only wants itself, around a loop or along many joins, goes at once. Then one more walk takes it away.

use super::machine::{Machine, scalar};
use super::waits::successors;
use crate::mir::{Cond, Term};
use wavepipe_isa::insts as i;
use wavepipe_isa::row::{Format, Sem, Ty};
use wavepipe_isa::{Gen, Instr, Src};

/// Who is wanted behind a place.
#[derive(Clone, Copy, Default, PartialEq)]
struct Wanted {
    exec: bool,
    scc: bool,
}

impl Wanted {
    fn or(self, other: Wanted) -> Wanted {
        Wanted { exec: self.exec || other.exec, scc: self.scc || other.scc }
    }

    /// What a block's end wants, besides what its successors do.
    fn of_end(term: Term) -> Wanted {
        match term {
            Term::Branch { cond: Cond::Execz | Cond::Execnz, .. } => Wanted { exec: true, scc: false },
            Term::Branch { cond: Cond::Scc0 | Cond::Scc1, .. } => Wanted { exec: false, scc: true },
            // The caller goes on with the lanes that the function was left with.
            Term::Return => Wanted { exec: true, scc: false },
            Term::Branch { cond: Cond::Vccz | Cond::Vccnz, .. } | Term::Fall | Term::Jump(_) | Term::End => {
                Wanted::default()
            }
        }
    }

    /// What is wanted in front of an instruction that stays.
    fn before(self, instr: &Instr, (isa, lanes): (Gen, u32)) -> Wanted {
        let exec = (self.exec && !writes_exec(instr, lanes)) || reads_exec(instr, isa, lanes);
        let writes_scc = instr.defs(lanes).any(|d| d.reg == Src::SCC);
        let scc = (self.scc && !writes_scc) || instr.uses(lanes).any(|u| u.reg == Src::SCC);
        Wanted { exec, scc }
    }

    /// What becomes of an instruction behind which this is wanted, and what is wanted in front of that.
    fn decide(self, instr: &Instr, waves: (Gen, u32)) -> (Fate, Wanted) {
        let lanes = waves.1;
        let scc = self.scc && instr.defs(lanes).any(|d| d.reg == Src::SCC);
        if self.exec || scc || !writes_exec(instr, lanes) {
            return (Fate::Stays, self.before(instr, waves));
        }
        if instr.op.row().sem == Sem::SaveExec {
            let wide = instr.op.row().dst[0].dwords(lanes) == 2;
            let op = if wide { i::S_MOV_B64 } else { i::S_MOV_B32 };
            let saves = scalar(op, instr.dst[0], &[Src::EXEC_LO]);
            return (Fate::Becomes(saves), self.before(&saves, waves));
        }
        match writes_only_masks(instr, lanes) {
            true => (Fate::Goes, self),
            false => (Fate::Stays, self.before(instr, waves)),
        }
    }
}

enum Fate {
    Stays,
    Becomes(Instr),
    Goes,
}

/// Whether it writes all of a wave's mask.
fn writes_exec(instr: &Instr, lanes: u32) -> bool {
    instr.defs(lanes).any(|d| d.reg == Src::EXEC_LO && d.dwords >= Ty::Exec.dwords(lanes))
}

fn reads_exec(instr: &Instr, isa: Gen, lanes: u32) -> bool {
    let row = instr.op.row();
    let exec = |reg: Src, dwords: u32| {
        (reg.0..reg.0 + dwords.max(1) as u16).any(|r| r == Src::EXEC_LO.0 || r == Src::EXEC_HI.0)
    };
    let named = instr.uses(lanes).any(|u| exec(u.reg, u.dwords)) || instr.src.contains(&Src::EXECZ);
    let alone = match row.format {
        Format::Sop1 | Format::Sop2 | Format::Sopc | Format::Sopk => !matches!(row.sem, Sem::Control(_)),
        Format::Smem => true,
        _ => instr.waits(isa).is_some(),
    };
    named || !alone
}

/// Whether it writes no more than EXEC and SCC.
fn writes_only_masks(instr: &Instr, lanes: u32) -> bool {
    let mut defs = instr.defs(lanes).peekable();
    defs.peek().is_some() && defs.all(|d| d.reg == Src::SCC || d.reg == Src::EXEC_LO)
}

/// Takes away the writes of EXEC that nobody sees.
pub fn unseen(m: &mut Machine) {
    let waves = (m.isa, m.lanes);
    let mut entry = vec![Wanted::default(); m.blocks.len()];
    let behind = |m: &Machine, entry: &[Wanted], k: usize| {
        let end = Wanted::of_end(m.blocks[m.order[k] as usize].term);
        successors(m, k).fold(end, |sum, s| sum.or(entry[s as usize]))
    };
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for k in (0..m.order.len()).rev() {
            let b = m.order[k] as usize;
            let out = behind(m, &entry, k);
            let wanted = m.blocks[b].insts.iter().rev().fold(out, |w, p| w.decide(&p.instr, waves).1);
            changed |= entry[b] != wanted;
            entry[b] = wanted;
        }
    }
    for k in 0..m.order.len() {
        let mut wanted = behind(m, &entry, k);
        let insts = &mut m.blocks[m.order[k] as usize].insts;
        let mut stay = vec![true; insts.len()];
        for (p, stay) in insts.iter_mut().zip(&mut stay).rev() {
            let (fate, before) = wanted.decide(&p.instr, waves);
            match fate {
                Fate::Stays => {}
                Fate::Becomes(instr) => p.instr = instr,
                Fate::Goes => *stay = false,
            }
            wanted = before;
        }
        let mut stay = stay.into_iter();
        insts.retain(|_| stay.next().is_some_and(|s| s));
    }
}
