//! Hazards: what the hardware gets wrong between two instructions is kept apart ([`wavepipe_isa::hazard`] has the table).
//!
//! Forward dataflow over the blocks, one lattice element a rule. Of a rule that asks for a shared register it is the set of
//! scalar registers that some path has read so and not made safe; of one with something in between, the set of stages that
//! paths have reached; of one with a distance, the set of distances. An instruction that the rule calls dangerous now gets
//! the remedy in front of it, which then acts on the element as any instruction does: it clears what the table says it
//! clears. Then the instruction itself clears, moves on stages and distances, and begins anew.
//! In front of a call or a return, whatever is pending gets its remedy: the other side begins with nothing.
//! Join is union, so elements only grow and the fixpoint is reached from below. The walks towards it assume the remedies that
//! their elements ask for; an element that grows later may ask for one more, which clears what the smaller one let pass.
//! That stays in the elements behind, so around loops there may be a remedy too many, and never one too few: the last walk,
//! which inserts, starts from elements that cover every path through the code as it is then.

use super::machine::print::branch;
use super::machine::{Body, Link, Machine, Placed};
use super::waits::successors;
use crate::mir::Term;
use wavepipe_isa::hazard::{Facts, Hazard, Kinds, Meet, Reading, Sequence, facts, sequences, walk};
use wavepipe_isa::instr::Instr;
use wavepipe_isa::{Gen, insts as i};

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

/// Registers, stages or distances that are pending: a bit each.
type Pending = u128;

/// Bits of a rule with something in between: the beginning was met, and what is to come between as well.
const BEGUN: Pending = 1;
const CROSSED: Pending = 2;

struct Rule {
    hazard: &'static Hazard,
    sequence: &'static Sequence,
}

impl Rule {
    /// Wait states that are missing before an instruction, if it is dangerous now.
    fn missing(&self, pending: Pending, x: &Facts) -> Option<u8> {
        let Sequence { then, clear, meet, between, within, .. } = *self.sequence;
        let leaves = x.kinds.intersects(Kinds::LEAVES) && !x.kinds.intersects(clear);
        if pending == 0 || !(leaves || x.kinds.intersects(then)) {
            return None;
        }
        let danger = match (meet, between) {
            _ if leaves => true,
            (Meet::Sgpr, _) => pending & x.writes != 0,
            (Meet::NamedSgpr, _) => pending & x.writes & !x.implied != 0,
            (Meet::Nothing, Some(_)) => pending & CROSSED != 0,
            (Meet::Nothing, None) => true,
        };
        danger.then(|| within.map_or(0, |limit| limit - pending.trailing_zeros() as u8))
    }

    /// What is pending behind an instruction.
    fn step(&self, mut pending: Pending, x: &Facts) -> Pending {
        let Sequence { first, between, clear, meet, within, .. } = *self.sequence;
        if x.kinds.intersects(clear) {
            pending = 0;
        }
        if let Some(between) = between
            && x.kinds.intersects(between)
            && pending & BEGUN != 0
        {
            pending = CROSSED;
        }
        if let Some(limit) = within {
            pending = pending << x.states & ((1 << limit) - 1);
        }
        if x.kinds.intersects(first) {
            pending = if meet == Meet::Nothing { BEGUN } else { pending | x.reads };
        }
        pending
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
    let table: Vec<Rule> = wanted.map(|(hazard, sequence)| Rule { hazard, sequence }).collect();
    let Some(&first) = m.order.first() else { return 0 };
    let mut entry: Vec<Option<Vec<Pending>>> = vec![None; m.blocks.len()];
    entry[first as usize] = Some(vec![0; table.len()]);
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

fn join(into: &mut Option<Vec<Pending>>, from: &[Pending]) -> bool {
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
fn walk(
    block: &Body,
    pending: &mut [Pending],
    table: &[Rule],
    (isa, lanes): (Gen, u32),
    put: &mut impl FnMut(&Placed, bool),
) {
    for p in &block.insts {
        let x = facts(&p.instr, isa, lanes);
        for r in 0..table.len() {
            let Some(missing) = table[r].missing(pending[r], &x) else { continue };
            // What has no remedy, no pass selects; the checker over the bytes says so.
            let Some(instr) = table[r].hazard.remedy.instr(&p.instr, missing, isa) else { continue };
            put(&Placed { instr, loc: p.loc, link: Link::None }, true);
            advance(pending, table, &facts(&instr, isa, lanes));
        }
        put(p, false);
        advance(pending, table, &x);
    }
    if let Some(jump) = jump(block.term) {
        advance(pending, table, &facts(&jump, isa, lanes));
    }
}

fn advance(pending: &mut [Pending], table: &[Rule], x: &Facts) {
    for (pending, rule) in pending.iter_mut().zip(table) {
        *pending = rule.step(*pending, x);
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
