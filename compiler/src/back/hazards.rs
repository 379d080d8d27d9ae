//! Hazards: what the hardware gets wrong between two instructions is kept apart ([`wavepipe_isa::hazard`] has the table).
//!
//! Forward dataflow over the blocks, one lattice element a rule. Of a rule that asks for a shared register it is the set of
//! registers that some path has given so and not made safe, for each number of wait states ago where time makes safe; of one with something
//! in between, the set of stages that paths have reached; of one with a distance alone, the set of distances. An instruction that the rule
//! calls dangerous now gets the remedy in front of it, which then acts on the element as any instruction does: it clears what the table says
//! it clears. Then the instruction itself clears, moves on stages and distances, and begins anew. Wait states that several rules miss are one
//! S_NOP.
//! In front of a call or a return, whatever is pending gets its remedy: the other side begins with what S_SWAPPC or S_SETPC
//! itself gives, and so does a function's first block, which S_SWAPPC has left the address to return to.
//! Join is union, so elements only grow and the fixpoint is reached from below. The walks towards it assume the remedies that
//! their elements ask for; an element that grows later may ask for one more, which clears what the smaller one let pass.
//! That stays in the elements behind, so around loops there may be a remedy too many, and never one too few: the last walk,
//! which inserts, starts from elements that cover every path through the code as it is then.

use super::machine::print::branch;
use super::machine::{Body, Link, Machine, Placed};
use super::waits::successors;
use crate::mir::Term;
use std::ops::Range;
use wavepipe_isa::hazard::{Facts, Hazard, Kinds, Meet, Reading, Remedy, Sequence, facts, sequences, walk};
use wavepipe_isa::instr::Instr;
use wavepipe_isa::{Gen, Src, insts as i};

/// Which hazards to keep apart.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub generation: Gen,
    pub reading: Reading,
    /// The hazard of this name is overlooked: for tests of the checker.
    pub without: Option<&'static str>,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { generation: Gen::default(), reading: Reading::Strict, without: None }
    }
}

/// What is pending of all rules: of each some words, which hold registers, stages or distances, a bit each.
type Pending = Vec<u128>;

/// Bits of a rule with something in between: the beginning was met, and what is to come between as well.
const BEGUN: u128 = 1;
const CROSSED: u128 = 2;

struct Rule {
    hazard: &'static Hazard,
    sequence: &'static Sequence,
    /// Its words.
    at: Range<usize>,
    /// Words of a set of registers.
    set: usize,
}

impl Rule {
    fn new(hazard: &'static Hazard, sequence: &'static Sequence, from: usize) -> Rule {
        let set = if sequence.meet.of_vgprs() { 2 } else { 1 };
        let sets = match sequence.meet {
            Meet::Nothing => 1,
            _ => usize::from(sequence.within.unwrap_or(1)),
        };
        Rule { hazard, sequence, at: from..from + set * sets, set }
    }

    /// Wait states that are missing before an instruction, if it is dangerous now.
    fn missing(&self, pending: &[u128], x: &Facts) -> Option<u8> {
        let Sequence { then, clear, meet, between, within, .. } = *self.sequence;
        let pending = &pending[self.at.clone()];
        let leaves = x.kinds.intersects(Kinds::LEAVES) && !x.kinds.intersects(clear);
        if !(leaves || x.kinds.intersects(then)) || pending.iter().all(|p| *p == 0) {
            return None;
        }
        if meet == Meet::Nothing {
            let danger = leaves || between.is_none() || pending[0] & CROSSED != 0;
            return danger.then(|| within.map_or(0, |limit| limit - pending[0].trailing_zeros() as u8));
        }
        let taken = meet.taken(x);
        let met = |set: &[u128]| set.iter().zip(taken).any(|(p, t)| if leaves { *p != 0 } else { p & t != 0 });
        let states = pending.chunks(self.set).position(met)? as u8;
        Some(within.map_or(0, |limit| limit - states))
    }

    /// What is pending behind an instruction.
    fn step(&self, pending: &mut [u128], x: &Facts) {
        let Sequence { first, between, clear, meet, within, .. } = *self.sequence;
        let pending = &mut pending[self.at.clone()];
        let begins = x.kinds.intersects(first);
        if pending.iter().any(|p| *p != 0) {
            if x.kinds.intersects(clear) {
                pending.fill(0);
            }
            if let Some(between) = between
                && x.kinds.intersects(between)
                && pending[0] & BEGUN != 0
            {
                pending[0] = CROSSED;
            }
            match (within, meet) {
                (None, _) => {}
                (Some(limit), Meet::Nothing) => pending[0] = pending[0] << x.states & ((1 << limit) - 1),
                (Some(_), _) => {
                    let passed = (self.set * usize::from(x.states)).min(pending.len());
                    pending.rotate_right(passed);
                    pending[..passed].fill(0);
                }
            }
        }
        if begins && meet == Meet::Nothing {
            pending[0] = BEGUN;
        } else if begins {
            pending.iter_mut().zip(meet.given(x)).take(self.set).for_each(|(p, given)| *p |= given);
        }
    }
}

/// Puts a remedy in front of each instruction that needs one.
pub fn insert(m: &mut Machine) {
    insert_by(m, &Rules { generation: m.isa, ..Rules::default() });
}

/// The hazards in a kernel's bytes, which begin with its first instruction; `functions`: where those that it calls do.
///
/// # Errors
/// The first of them, or why the bytes cannot be walked.
pub fn check(text: &[u8], functions: &[u32], generation: Gen, lanes: u32) -> Result<(), String> {
    let words: Vec<u32> = text.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
    let entries: Vec<usize> = std::iter::once(0).chain(functions.iter().map(|at| *at as usize / 4)).collect();
    let Rules { reading, .. } = Rules::default();
    match walk::check(&words, &entries, lanes, generation, reading).map_err(|e| e.to_string())?.first() {
        Some(found) => Err(found.to_string()),
        None => Ok(()),
    }
}

/// As [`insert`], by other rules. Returns how many remedies there are.
pub fn insert_by(m: &mut Machine, rules: &Rules) -> usize {
    let wanted = sequences(rules.generation, rules.reading).filter(|(h, _)| rules.without != Some(h.name));
    let mut words = 0;
    let place = |(hazard, sequence)| {
        let rule = Rule::new(hazard, sequence, words);
        words = rule.at.end;
        rule
    };
    let table: Vec<Rule> = wanted.map(place).collect();
    let Some(&first) = m.order.first() else { return 0 };
    let mut entry: Vec<Option<Pending>> = vec![None; m.blocks.len()];
    let mut called = vec![0; words];
    if let Some(back) = returns_to(m) {
        let mut call = Instr::new(i::S_SWAPPC_B64);
        call.dst[0] = back;
        advance(&mut called, &table, &facts(&call, m.isa, m.lanes));
    }
    entry[first as usize] = Some(called);
    let mut changed = true;
    while changed {
        changed = false;
        for k in 0..m.order.len() {
            let b = m.order[k] as usize;
            let Some(mut pending) = entry[b].clone() else { continue };
            walk(&m.blocks[b], &mut pending, &table, (m.isa, m.lanes), &mut |_, _| {});
            for s in successors(m, k) {
                changed |= join(&mut entry[s as usize], &pending);
            }
        }
    }
    let mut remedies = 0;
    for (b, pending) in entry.iter_mut().enumerate() {
        let Some(pending) = pending else { continue };
        let mut out = Vec::with_capacity(m.blocks[b].insts.len());
        walk(&m.blocks[b], pending, &table, (m.isa, m.lanes), &mut |p, remedy| {
            remedies += usize::from(remedy);
            out.push(*p);
        });
        m.blocks[b].insts = out;
    }
    remedies
}

/// Where a function is told the address to return to; `None`: a kernel, which nobody calls.
fn returns_to(m: &Machine) -> Option<Src> {
    let ends = m.blocks.iter().find(|b| b.term == Term::Return)?;
    ends.insts.last().map(|p| p.instr.src[0])
}

fn join(into: &mut Option<Pending>, from: &[u128]) -> bool {
    let Some(into) = into else {
        *into = Some(from.to_vec());
        return true;
    };
    let mut grown = false;
    for (a, b) in into.iter_mut().zip(from) {
        grown |= *a | b != *a;
        *a |= b;
    }
    grown
}

/// Gives `put` every instruction of the block but its branch, and each remedy in front of what needs it.
fn walk(block: &Body, pending: &mut [u128], table: &[Rule], waves: (Gen, u32), put: &mut impl FnMut(&Placed, bool)) {
    let (isa, lanes) = waves;
    for p in &block.insts {
        let x = facts(&p.instr, isa, lanes);
        mend(p, &x, pending, table, waves, put);
        put(p, false);
        advance(pending, table, &x);
    }
    if let Some(instr) = jump(block.term) {
        let x = facts(&instr, isa, lanes);
        mend(&Placed { instr, loc: block.loc, link: Link::None }, &x, pending, table, waves, put);
        advance(pending, table, &x);
    }
}

/// Gives `put` the remedies that an instruction needs in front of it.
fn mend(
    p: &Placed,
    x: &Facts,
    pending: &mut [u128],
    table: &[Rule],
    (isa, lanes): (Gen, u32),
    put: &mut impl FnMut(&Placed, bool),
) {
    let by_states = |rule: &&Rule| rule.hazard.remedy == Remedy::Nops;
    // Wait states last, because a remedy may be what something has to wait for.
    for rule in table.iter().filter(|r| !by_states(r)).chain(table.iter().filter(by_states)) {
        let Some(mut missing) = rule.missing(pending, x) else { continue };
        if by_states(&rule) {
            missing = table.iter().filter(by_states).filter_map(|o| o.missing(pending, x)).fold(missing, u8::max);
        }
        // What has no remedy, no pass selects; the checker over the bytes says so.
        let Some(instr) = rule.hazard.remedy.instr(&p.instr, missing, isa) else { continue };
        put(&Placed { instr, loc: p.loc, link: Link::None }, true);
        advance(pending, table, &facts(&instr, isa, lanes));
    }
}

fn advance(pending: &mut [u128], table: &[Rule], x: &Facts) {
    for rule in table {
        rule.step(pending, x);
    }
}

/// The jump at the end of a block.
fn jump(term: Term) -> Option<Instr> {
    let op = match term {
        Term::Fall | Term::End | Term::Return => return None,
        Term::Jump(_) => i::S_BRANCH,
        Term::Branch { cond, .. } => branch(cond),
    };
    Some(Instr::new(op))
}
