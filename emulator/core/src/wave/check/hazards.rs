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
use super::registers::Footprint;
use super::{Found, Group, Observer, Side, Wants};
use crate::wave::regs::set_bits;
use crate::wave::stretch::{Begins, Stretch};
use std::sync::LazyLock;
use wavepipe_hw::finding::FindingKind;
use wavepipe_isa::hazard::{Facts, Hazard, Kinds, Meet, Reading, Sequence, Shared, Trigger, hazards};
use wavepipe_isa::row::{Format, Sem};
use wavepipe_isa::{Gen, Instr, insts};

/// Beginnings of one rule that are kept; beyond that the oldest are forgotten.
const KEPT: usize = 32;

/// What code of a generation is held to.
#[derive(Default)]
pub(crate) struct Rules {
    sequences: Vec<(&'static Hazard, &'static Sequence)>,
    others: Vec<(&'static Hazard, &'static Trigger)>,
    /// Of these sequences a further first instruction stands for the one before. These end by themselves.
    restart: u32,
    timed: u32,
}

/// Sequences at most, of all rules of a generation.
const RULES_MOST: usize = 32;

static RULES: LazyLock<[Rules; Gen::COUNT]> = LazyLock::new(|| Gen::ALL.map(Rules::new));

impl Rules {
    fn new(isa: Gen) -> Rules {
        let mut rules = Rules::default();
        for hazard in hazards() {
            let reading = if hazard.known_to_llvm() { Reading::Llvm } else { Reading::Strict };
            for trigger in hazard.rules(isa, reading) {
                match trigger {
                    Trigger::Behind(sequence) => {
                        let rule = rules.sequences.len();
                        rules.restart |= u32::from(sequence.meet == Meet::Nothing) << rule;
                        rules.timed |= u32::from(sequence.within.is_some()) << rule;
                        rules.sequences.push((hazard, sequence));
                    }
                    other => rules.others.push((hazard, other)),
                }
            }
        }
        assert!(rules.sequences.len() <= RULES_MOST, "a bit for each sequence");
        rules
    }

    pub fn of(isa: Gen) -> &'static Rules {
        &RULES[isa as usize]
    }

    /// Wait states after which a sequence has ended by itself.
    fn limit(&self, rule: usize) -> u8 {
        self.sequences[rule].1.within.unwrap_or(u8::MAX)
    }

    /// What an instruction behind one that begins timed sequences leaves of them, `states` later; `None`: it ends one.
    pub fn left(&self, first: &Facts, begun: u32, states: u8, x: &Facts, roles: Roles) -> Option<u32> {
        let ends = |rule: usize| {
            let (_, s) = self.sequences[rule];
            states < self.limit(rule) && s.between.is_none() && s.meet.meets(s.meet.given(first), x)
        };
        if set_bits(begun & roles.then).any(ends) {
            return None;
        }
        Some(begun & !(roles.clear | roles.first & self.restart))
    }

    /// Those of a mask that are still open so many wait states later.
    pub fn open(&self, begun: u32, states: u8) -> u32 {
        set_bits(begun).filter(|&rule| states < self.limit(rule)).map(|rule| 1 << rule).sum()
    }
}

/// The parts that an instruction, or some together, can play in [`Rules`]: a bit for each sequence, by its number.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Roles {
    first: u32,
    between: u32,
    then: u32,
    clear: u32,
    /// It may be wrong by itself.
    alone: bool,
}

impl Roles {
    pub fn of(x: &Facts, rules: &Rules) -> Roles {
        let mut out = Roles::default();
        for (rule, (_, s)) in rules.sequences.iter().enumerate() {
            let part = |kinds: Kinds| u32::from(x.kinds.intersects(kinds)) << rule;
            out.add(Roles {
                first: part(s.first),
                between: s.between.map_or(0, part),
                then: part(s.then),
                clear: part(s.clear),
                alone: false,
            });
        }
        let wrong = |t: &Trigger| matches!(t, Trigger::Alone(kinds) if x.kinds.intersects(*kinds));
        out.alone = rules.others.iter().any(|(_, trigger)| wrong(trigger));
        out
    }

    pub fn add(&mut self, other: Roles) {
        self.first |= other.first;
        self.between |= other.between;
        self.then |= other.then;
        self.clear |= other.clear;
        self.alone |= other.alone;
    }

    /// Whether it may be wrong by itself, or begin a sequence that no time ends.
    pub fn may_begin(self, rules: &Rules) -> bool {
        self.first & !rules.timed != 0 || self.alone
    }

    /// Sequences that time ends and that it begins.
    pub fn begins(self, rules: &Rules) -> u32 {
        self.first & rules.timed
    }
}

/// An instruction that began a sequence.
struct Begun {
    given: Shared,
    /// What has to come in between has come.
    crossed: bool,
    states: u8,
    pc: u64,
    instr: Instr,
    lanes: u64,
}

#[derive(Default)]
struct WaveHazards {
    /// Of each rule, and of which there are any.
    begun: [Vec<Begun>; RULES_MOST],
    open: u32,
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
    fn reset(&mut self) {
        self.end(!0);
        (self.clause, self.clause_at) = (0, None);
    }

    /// Forgets what began some rules' sequences.
    fn end(&mut self, which: u32) {
        set_bits(self.open & which).for_each(|rule| self.begun[rule].clear());
        self.open &= !which;
    }

    /// Whether what stands behind all that was begun is dangerous nowhere.
    fn is_harmless(&self, rules: &Rules, roles: Roles, x: &Facts) -> bool {
        let ends = |rule: usize| {
            let meet = rules.sequences[rule].1.meet;
            self.begun[rule].iter().any(|b| meet.meets(b.given, x))
        };
        !set_bits(self.open & roles.then).any(ends)
    }

    /// What instructions that end nothing do to what was begun.
    fn pass(&mut self, rules: &Rules, roles: Roles, x: &Facts) {
        self.end(roles.clear | roles.first & rules.restart);
        for rule in set_bits(self.open & roles.between) {
            self.begun[rule].iter_mut().for_each(|b| b.crossed = true);
        }
        for rule in set_bits(self.open & rules.timed) {
            let limit = rules.limit(rule);
            self.begun[rule].retain_mut(|b| {
                b.states = b.states.saturating_add(x.states);
                b.states < limit
            });
            self.open &= !(u32::from(self.begun[rule].is_empty()) << rule);
        }
    }

    /// What is wrong with an instruction in sequence; then what it does to what was begun.
    fn sequences(
        &mut self,
        rules: &Rules,
        issue: &Issue<'_>,
        f: &Footprint,
        lanes: u64,
        found: impl FnMut(&'static Hazard, Begun),
    ) {
        let (roles, x) = (f.roles, &f.hazard);
        if self.open & roles.then != 0 {
            self.conclude(rules, roles.then, x, found);
        }
        if self.open != 0 {
            self.pass(rules, roles, x);
        }
        self.begin(rules, roles.first, x, 0, (issue.pc, *issue.instr, lanes));
    }

    /// An instruction began some sequences so many wait states ago.
    fn begin(&mut self, rules: &Rules, first: u32, x: &Facts, states: u8, (pc, instr, lanes): (u64, Instr, u64)) {
        for rule in set_bits(first) {
            let (_, s) = rules.sequences[rule];
            let begun = &mut self.begun[rule];
            let crossed = s.between.is_none();
            self.open |= 1 << rule;
            // Of one instruction in a loop, the last time stands for those before.
            if let Some(same) = begun.iter_mut().find(|b| b.pc == pc) {
                (same.crossed, same.states, same.lanes) = (crossed, states, lanes);
                continue;
            }
            if begun.len() >= KEPT {
                begun.remove(0);
            }
            begun.push(Begun { given: s.meet.given(x), crossed, states, pc, instr, lanes });
        }
    }

    fn conclude(&mut self, rules: &Rules, then: u32, x: &Facts, mut found: impl FnMut(&'static Hazard, Begun)) {
        for rule in set_bits(self.open & then) {
            let (hazard, s) = rules.sequences[rule];
            let ended = self.begun[rule].extract_if(.., |b| b.crossed && s.meet.meets(b.given, x));
            ended.for_each(|b| found(hazard, b));
            self.open &= !(u32::from(self.begun[rule].is_empty()) << rule);
        }
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
        self.waves.resize_with(group.waves, WaveHazards::default);
        self.waves.iter_mut().for_each(WaveHazards::reset);
        self.group = *group;
    }

    fn is_quiet(&self, wave: &WaveView<'_>, stretch: &Stretch) -> bool {
        let wave = self.waves.get(wave.index() as usize);
        let rules = Rules::of(self.group.isa);
        wave.is_none_or(|w| w.clause == 0 && w.is_harmless(rules, stretch.roles, &stretch.hazard))
    }

    fn passes(&mut self, wave: &WaveView<'_>, stretch: &Stretch) {
        let Some(w) = self.waves.get_mut(wave.index() as usize) else { return };
        let rules = Rules::of(self.group.isa);
        if w.open != 0 {
            w.pass(rules, stretch.roles, &stretch.hazard);
        }
        for Begins { offset, instr, facts, first, states } in &stretch.begins {
            let pc = wave.pc() + u64::from(*offset);
            w.begin(rules, *first, facts, *states, (pc, *instr, wave.exec()));
        }
    }

    fn issue(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, found: &mut Vec<Found>) {
        let index = wave.index();
        let Some(w) = self.waves.get_mut(index as usize) else { return };
        let (footprint, lanes, workgroup) = (issue.footprint(wave.lanes()), wave.exec(), self.group.id);
        let rules = Rules::of(self.group.isa);
        let x = &footprint.hazard;
        let mut note = |hazard: &'static Hazard, first: Option<(u64, Instr, u64)>| {
            let other = |(pc, instr, lanes)| Side { workgroup, wave: index, lanes, pc, instr, access: None };
            let kind = FindingKind::Hazard { name: hazard.name, what: hazard.what };
            found.push(Found { kind, lanes, access: None, other: first.map(other) });
        };
        let clause = std::mem::take(&mut w.clause);
        let branch = issue.op.row.format == Format::Sopp;
        if clause > 0 || branch || footprint.roles.alone {
            for (hazard, trigger) in &rules.others {
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
            w.end(!0);
        }
        w.sequences(rules, issue, footprint, lanes, |hazard, b| note(hazard, Some((b.pc, b.instr, b.lanes))));
    }
}
