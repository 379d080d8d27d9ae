//! Hazards: sequences of instructions that the silicon gets wrong, in whatever code runs. The emulator has none of these bugs, so they change
//! nothing here; [`wavepipe_isa::hazard`] has the table, and says whose word each rule is. Held against it is the path that each wave
//! takes: what no path that runs walks into is not found.
//!
//! Code is held to what LLVM works around, and to the whole table in what LLVM knows nothing of: two compilers that keep clear of
//! the same bug by unlike sequences are both right.
//!
//! Algorithm: each wave has a list of the instructions that began a rule's sequence and were not made harmless yet. An instruction
//! that the rule calls dangerous behind one of them is a finding, which ends that one; otherwise it clears, moves on stages and distances, and
//! begins anew. Rules of one instruction alone, of a branch's distance and of what a clause covers look at the instruction only.
//! What addresses decide is not looked at, nor what goes across a call or a return: compilers look at functions one by one.

use super::super::probe::{Issue, WaveView};
use super::{Found, Group, Observer, Side, Wants};
use crate::wave::stretch::Stretch;
use std::sync::LazyLock;
use wavepipe_hw::finding::FindingKind;
use wavepipe_isa::hazard::{Facts, HAZARDS, Hazard, Kinds, Meet, Reading, Sequence, Trigger};
use wavepipe_isa::row::{Format, Gen, Sem};
use wavepipe_isa::{Instr, insts};

/// Beginnings of one rule that are kept; beyond that the oldest are forgotten.
const KEPT: usize = 32;

/// What code is held to.
struct Rules {
    sequences: Vec<(&'static Hazard, &'static Sequence)>,
    others: Vec<(&'static Hazard, &'static Trigger)>,
    /// Every kind that begins a sequence, or is wrong by itself.
    begins: Kinds,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let mut rules = Rules { sequences: Vec::new(), others: Vec::new(), begins: Kinds::empty() };
    for hazard in HAZARDS.iter().filter(|h| h.on.contains(&Gen::Gfx1010)) {
        let known = hazard.rules(Reading::Llvm).next().is_some();
        for trigger in hazard.rules(if known { Reading::Llvm } else { Reading::Strict }) {
            match trigger {
                Trigger::Behind(sequence) => {
                    rules.begins |= sequence.first;
                    rules.sequences.push((hazard, sequence));
                }
                Trigger::Alone(kinds) => {
                    rules.begins |= *kinds;
                    rules.others.push((hazard, trigger));
                }
                other => rules.others.push((hazard, other)),
            }
        }
    }
    rules
});

/// Whether a sequence may begin with an instruction, or it may be wrong by itself.
pub(crate) fn may_begin(x: &Facts) -> bool {
    x.kinds.intersects(RULES.begins)
}

/// An instruction that began a sequence.
struct Begun {
    rule: usize,
    reads: u128,
    /// What has to come in between has come.
    crossed: bool,
    states: u8,
    pc: u64,
    instr: Instr,
    lanes: u64,
}

#[derive(Default)]
struct WaveHazards {
    begun: Vec<Begun>,
    /// Instructions that an S_CLAUSE still covers, and where that is.
    clause: u32,
    clause_at: Option<(u64, Instr, u64)>,
}

/// The check of one work-group.
#[derive(Default)]
pub(super) struct Hazards {
    waves: Vec<WaveHazards>,
    group: Group,
}

impl WaveHazards {
    /// What is wrong with an instruction in sequence; then what it does to what was begun.
    fn sequences(&mut self, issue: &Issue<'_>, x: &Facts, lanes: u64, mut found: impl FnMut(&'static Hazard, Begun)) {
        let mut n = 0;
        while n < self.begun.len() {
            let begun = &mut self.begun[n];
            let (hazard, s) = RULES.sequences[begun.rule];
            let near = s.within.is_none_or(|limit| begun.states < limit);
            if near && begun.crossed && x.kinds.intersects(s.then) && shared(s.meet, begun.reads, x) {
                found(hazard, self.begun.remove(n));
                continue;
            }
            let again = s.meet == Meet::Nothing && x.kinds.intersects(s.first);
            if !near || again || x.kinds.intersects(s.clear) {
                self.begun.remove(n);
                continue;
            }
            begun.crossed |= s.between.is_some_and(|b| x.kinds.intersects(b));
            begun.states = begun.states.saturating_add(x.states);
            n += 1;
        }
        if !x.kinds.intersects(RULES.begins) {
            return;
        }
        for (rule, (_, s)) in RULES.sequences.iter().enumerate().filter(|(_, (_, s))| x.kinds.intersects(s.first)) {
            // Of one instruction in a loop, the last time stands for those before.
            self.begun.retain(|b| b.rule != rule || b.pc != issue.pc);
            if self.begun.iter().filter(|b| b.rule == rule).count() >= KEPT
                && let Some(oldest) = self.begun.iter().position(|b| b.rule == rule)
            {
                self.begun.remove(oldest);
            }
            let crossed = s.between.is_none();
            let (pc, instr) = (issue.pc, *issue.instr);
            self.begun.push(Begun { rule, reads: x.reads, crossed, states: 0, pc, instr, lanes });
        }
    }
}

fn shared(meet: Meet, reads: u128, second: &Facts) -> bool {
    match meet {
        Meet::Nothing => true,
        Meet::Sgpr => reads & second.writes != 0,
        Meet::NamedSgpr => reads & second.writes & !second.implied != 0,
    }
}

/// Whether an instruction is a branch by so many dwords.
fn jumps_by(instr: &Instr, distance: u16) -> bool {
    let row = instr.op.row();
    let branch = row.format == Format::Sopp && matches!(row.sem, Sem::Control(c) if c.has_target());
    branch && instr.imm as u16 == distance
}

impl Observer for Hazards {
    fn wants(&self) -> Wants {
        Wants::ISSUES | Wants::STRETCHES
    }

    fn start(&mut self, group: &Group) {
        self.waves.clear();
        self.waves.resize_with(group.waves, WaveHazards::default);
        self.group = *group;
    }

    fn is_quiet(&self, wave: &WaveView<'_>, stretch: &Stretch) -> bool {
        let x = &stretch.hazard;
        let ends = |b: &Begun| {
            let (_, s) = RULES.sequences[b.rule];
            x.kinds.intersects(s.then) && shared(s.meet, b.reads, x)
        };
        self.waves.get(wave.index() as usize).is_none_or(|w| w.clause == 0 && !w.begun.iter().any(ends))
    }

    fn passes(&mut self, wave: &WaveView<'_>, stretch: &Stretch) {
        let Some(w) = self.waves.get_mut(wave.index() as usize).filter(|w| !w.begun.is_empty()) else { return };
        let x = &stretch.hazard;
        w.begun.retain_mut(|b| {
            let (_, s) = RULES.sequences[b.rule];
            b.crossed |= s.between.is_some_and(|kinds| x.kinds.intersects(kinds));
            b.states = b.states.saturating_add(x.states);
            !x.kinds.intersects(s.clear) && s.within.is_none_or(|limit| b.states < limit)
        });
    }

    fn issue(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, found: &mut Vec<Found>) {
        let index = wave.index();
        let Some(w) = self.waves.get_mut(index as usize) else { return };
        let (x, lanes, workgroup) = (&issue.footprint(wave.lanes()).hazard, wave.exec(), self.group.id);
        let mut note = |hazard: &'static Hazard, first: Option<(u64, Instr, u64)>| {
            let other = |(pc, instr, lanes)| Side { workgroup, wave: index, lanes, pc, instr, access: None };
            let kind = FindingKind::Hazard { name: hazard.name, what: hazard.what };
            found.push(Found { kind, lanes, access: None, other: first.map(other) });
        };
        let clause = std::mem::take(&mut w.clause);
        let branch = issue.instr.op.row().format == Format::Sopp;
        if clause > 0 || branch || x.kinds.intersects(RULES.begins) {
            for (hazard, trigger) in &RULES.others {
                match trigger {
                    Trigger::Alone(kinds) if x.kinds.intersects(*kinds) => note(hazard, None),
                    Trigger::Distance(bad) if jumps_by(issue.instr, *bad) => note(hazard, None),
                    Trigger::InClause(kinds) if clause > 0 && x.kinds.intersects(*kinds) => note(hazard, w.clause_at),
                    _ => {}
                }
            }
        }
        w.clause = clause.saturating_sub(1);
        if issue.instr.op == insts::S_CLAUSE {
            w.clause = (issue.instr.imm as u32 & 63) + 1;
            w.clause_at = Some((issue.pc, *issue.instr, lanes));
        }
        // LLVM looks at a function by itself, and what comes behind a call is another one's.
        if matches!(issue.instr.op, insts::S_SWAPPC_B64 | insts::S_SETPC_B64) {
            w.begun.clear();
        }
        if !w.begun.is_empty() || x.kinds.intersects(RULES.begins) {
            w.sequences(issue, x, lanes, |hazard, b| note(hazard, Some((b.pc, b.instr, b.lanes))));
        }
    }
}
