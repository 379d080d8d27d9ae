//! The checker: hazards in machine code, found by walking it from each entry.
//!
//! Code is decoded along its branches, so data behind it does not matter. From each instruction that begins a sequence the
//! walk follows every path until something clears it, the same sequence begins anew, or the dangerous instruction is there;
//! that is one [`Finding`], with both instructions. A visited instruction is not visited twice in the same state, so loops
//! end. Where S_SETPC and S_SWAPPC go is known if S_GETPC and constants in front of them say so; behind any other S_SETPC
//! the path ends, behind any other S_SWAPPC it goes on, and in [`Reading::Strict`] what is still pending there is a finding.
//!
//! It shares the table and the facts of instructions with the compiler's pass, and none of the search.

use super::{Facts, Hazard, Kinds, Meet, Reading, Sequence, Trigger, facts, hazards};
use crate::decode::{DecodeError, decode};
use crate::flow::{Ways, ways};
use crate::generation::Gen;
use crate::instr::Instr;
use crate::insts as i;
use crate::row::{Format, Sem};
use std::collections::{BTreeMap, HashSet};

/// A hazard in code. Offsets are in dwords.
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    pub hazard: &'static Hazard,
    /// The instruction that begins it.
    pub first: usize,
    /// The one that must not come so: equal to `first` where that is wrong by itself.
    pub second: usize,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Finding { hazard, first, second } = self;
        match first == second {
            true => write!(f, "{} at +{:#x}: {}", hazard.name, 4 * first, hazard.what),
            false => write!(f, "{} at +{:#x} behind +{:#x}: {}", hazard.name, 4 * second, 4 * first, hazard.what),
        }
    }
}

/// Why code cannot be walked.
#[derive(Debug, thiserror::Error)]
#[error("at +{:#x}: {why}", 4 * at)]
pub struct WalkError {
    /// Offset in dwords.
    pub at: usize,
    pub why: DecodeError,
}

/// An instruction of the walked code.
struct Step {
    instr: Instr,
    facts: Facts,
    size: usize,
    next: Vec<usize>,
    /// It jumps where no constant says.
    unknown: bool,
}

/// The instructions that can be reached, by their offset in dwords.
struct Graph(BTreeMap<usize, Step>);

/// Hazards of `generation` in `words`, which are entered at the dwords `entries`, in the order of their places.
///
/// # Errors
/// A path that leaves the words, or reaches one that is no instruction.
pub fn check(
    words: &[u32],
    entries: &[usize],
    lanes: u32,
    generation: Gen,
    reading: Reading,
) -> Result<Vec<Finding>, WalkError> {
    let graph = Graph::new(words, entries, lanes, generation)?;
    let mut found = Vec::new();
    for hazard in hazards() {
        for trigger in hazard.rules(generation, reading) {
            let pairs = match trigger {
                Trigger::Alone(kinds) => graph.alone(|s| s.facts.kinds.intersects(*kinds)),
                Trigger::Distance(bad) => graph.alone(|s| s.jumps_by(*bad)),
                Trigger::InClause(kinds) => graph.clauses(*kinds),
                Trigger::Behind(sequence) => graph.behind(sequence, reading),
                Trigger::Unseen => Vec::new(),
            };
            found.extend(pairs.into_iter().map(|(first, second)| Finding { hazard, first, second }));
        }
    }
    found.sort_by_key(|f| (f.second, f.first));
    Ok(found)
}

impl Step {
    fn jumps_by(&self, distance: u16) -> bool {
        let row = self.instr.op.row();
        row.format == Format::Sopp
            && matches!(row.sem, Sem::Control(c) if c.has_target())
            && self.instr.imm as u16 == distance
    }
}

impl Graph {
    fn new(words: &[u32], entries: &[usize], lanes: u32, generation: Gen) -> Result<Graph, WalkError> {
        let mut steps = BTreeMap::new();
        let mut todo = entries.to_vec();
        while let Some(at) = todo.pop() {
            if steps.contains_key(&at) {
                continue;
            }
            let rest = words.get(at..).unwrap_or_default();
            let (instr, size) = decode(rest, generation).map_err(|why| WalkError { at, why })?;
            let Ways { next, unknown } = ways(words, at, size, &instr, generation);
            todo.extend(&next);
            steps.insert(at, Step { instr, facts: facts(&instr, generation, lanes), size, next, unknown });
        }
        Ok(Graph(steps))
    }

    fn alone(&self, wrong: impl Fn(&Step) -> bool) -> Vec<(usize, usize)> {
        self.0.iter().filter(|(_, s)| wrong(s)).map(|(&at, _)| (at, at)).collect()
    }

    /// S_CLAUSE covers the next SIMM16[5:0] + 1 instructions.
    fn clauses(&self, kinds: Kinds) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        for (&first, clause) in self.0.iter().filter(|(_, s)| s.instr.op == i::S_CLAUSE) {
            let mut at = first + clause.size;
            for _ in 0..=clause.instr.imm & 63 {
                let Some(step) = self.0.get(&at) else { break };
                if step.facts.kinds.intersects(kinds) {
                    out.push((first, at));
                }
                at += step.size;
            }
        }
        out
    }

    /// The first dangerous pair of each path from each beginning of `sequence`.
    fn behind(&self, sequence: &Sequence, reading: Reading) -> Vec<(usize, usize)> {
        let mut out = HashSet::new();
        let begins = |s: &Step| s.facts.kinds.intersects(sequence.first);
        for (&first, begin) in self.0.iter().filter(|(_, s)| begins(s)) {
            // Instruction, whether `between` has been met, wait states since the beginning.
            let mut todo: Vec<(usize, bool, u8)> = Vec::new();
            let mut seen = HashSet::new();
            let (met, given) = (sequence.between.is_none(), sequence.meet.given(&begin.facts));
            // A comparison gives SCC, which no rule shares.
            if sequence.meet != Meet::Nothing && given == [0; 2] {
                continue;
            }
            todo.extend(begin.next.iter().map(|&n| (n, met, 0)));
            while let Some((at, met, states)) = todo.pop() {
                let Some(step) = self.0.get(&at) else { continue };
                if sequence.within.is_some_and(|limit| states >= limit) || !seen.insert((at, met, states)) {
                    continue;
                }
                let kinds = step.facts.kinds;
                if met && kinds.intersects(sequence.then) && sequence.meet.meets(given, &step.facts) {
                    out.insert((first, at));
                    continue;
                }
                // Of registers each beginning has its own; of nothing, a later one stands for this.
                if kinds.intersects(sequence.clear) || sequence.meet == Meet::Nothing && begins(step) {
                    continue;
                }
                if step.unknown && reading == Reading::Strict {
                    out.insert((first, at));
                    continue;
                }
                let met = met || sequence.between.is_some_and(|b| kinds.intersects(b));
                let states = if sequence.within.is_some() { states.saturating_add(step.facts.states) } else { 0 };
                todo.extend(step.next.iter().map(|&n| (n, met, states)));
            }
        }
        out.into_iter().collect()
    }
}
