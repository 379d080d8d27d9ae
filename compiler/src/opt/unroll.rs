//! Loops that are written anew: as their rounds, one after the other, or as loops.
//!
//! Algorithm: a loop is tried out. Its body is emitted with the initial values; if it then ends in a plain `Continue`, it is
//! emitted again with those values, and so on to the plain `Break`. If that works within the budget, the copies are the
//! loop, unrolled; if a jump stays under a condition, the trial is thrown away and the loop emitted as one.
//!
//! A body may hold loops, which are tried in each round of each trial around them, so trials are counted: a loop that failed
//! [`STRIKES`] times stays a loop, and all trials of a kernel together visit at most [`TRIAL_NODES`] nodes. Work is thus
//! linear in the kernel's size, whatever the depth of its loops: each failure costs a budget's worth of nodes, not counting
//! the failures inside, of which there are at most so many.

use super::rebuild::{Rebuild, RenewedLabel, jumps_to, keep};
use crate::ir::*;
use std::collections::HashMap;

/// Most rounds of a loop that is unrolled, and most instructions that its copies may have together.
const ROUNDS: usize = 32;
const INSTRUCTIONS: usize = 256;
/// The same where the loop indexes private arrays: unrolled, they can live in registers.
const PRIVATE_INSTRUCTIONS: usize = 1024;
/// Trials of a loop that may fail: what a round around it makes known may let a later one work.
const STRIKES: u32 = 3;
/// Nodes that all trials of a kernel may visit, those inside of each other counted once.
const TRIAL_NODES: u64 = 1 << 19;

/// What trials have cost so far.
#[derive(Default)]
pub struct Trials {
    /// Nodes visited by the rebuild.
    pub steps: u64,
    /// Those of them that trials visited before the one in progress, and what `steps` was when that began.
    spent: u64,
    outermost: Option<u64>,
    failed: HashMap<Label, u32>,
}

impl Trials {
    fn allows(&self, label: Label) -> bool {
        let spent = self.spent + self.outermost.map_or(0, |begun| self.steps - begun);
        spent < TRIAL_NODES && self.failed.get(&label).is_none_or(|&n| n < STRIKES)
    }

    /// A trial begins. True if it is not inside of another, which [`Trials::end`] wants to know.
    fn begin(&mut self) -> bool {
        let first = self.outermost.is_none();
        self.outermost.get_or_insert(self.steps);
        first
    }

    fn end(&mut self, label: Label, outermost: bool, worked: bool) {
        if let Some(begun) = self.outermost.take_if(|_| outermost) {
            self.spent += self.steps - begun;
        }
        if !worked {
            *self.failed.entry(label).or_default() += 1;
        }
    }
}

/// A loop of the kernel that is rebuilt.
#[derive(Clone, Copy, Default)]
struct Shape {
    /// Instructions in the body and all that it holds.
    size: usize,
    /// It accesses private memory.
    private: bool,
    /// Its parameters and what its body defines, in the order of [`Shapes::defined`].
    from: u32,
    to: u32,
}

/// What is asked of loops again and again, found by one walk.
#[derive(Default)]
pub struct Shapes {
    /// Position of each value's definition.
    defined: Vec<u32>,
    loops: HashMap<Label, Shape>,
    position: u32,
    size: usize,
    private: usize,
}

impl Shapes {
    pub fn new(body: &Region, values: usize) -> Shapes {
        let mut shapes = Shapes { defined: vec![0; values], ..Shapes::default() };
        shapes.region(body);
        shapes
    }

    fn define<'a>(&mut self, values: impl IntoIterator<Item = &'a Value>) {
        for v in values {
            self.defined[v.0 as usize] = self.position;
        }
        self.position += 1;
    }

    fn region(&mut self, r: &Region) {
        for n in &r.nodes {
            if let Node::Inst(i) = n {
                self.size += 1;
                self.private += usize::from(matches!(
                    i.op,
                    Op::Load { space: Space::Scratch, .. } | Op::Store { space: Space::Scratch, .. }
                ));
            }
            let (from, size, private) = (self.position, self.size, self.private);
            self.define(n.params());
            n.regions().for_each(|r| self.region(r));
            if let Node::Loop { label, .. } = n {
                let shape = Shape { size: self.size - size, private: self.private > private, from, to: self.position };
                self.loops.insert(*label, shape);
            }
            self.define(n.results());
        }
    }

    fn of(&self, label: Label) -> Shape {
        self.loops.get(&label).copied().unwrap_or_default()
    }

    fn defined_in(&self, v: Value, shape: Shape) -> bool {
        (shape.from..shape.to).contains(&self.defined[v.0 as usize])
    }
}

/// How the last round of an unrolled loop ends.
enum Round {
    /// With the loop's results.
    Left(Vec<Value>),
    Jumped(Exit),
}

impl Rebuild {
    pub fn looped(
        &mut self,
        label: Label,
        params: &[Value],
        init: &[Value],
        body: &Region,
        results: &[Value],
        loc: Loc,
    ) -> Option<Exit> {
        let init = self.all(init);
        if let Some(exit) = self.unroll(label, params, &init, body, results) {
            return exit;
        }
        // A round may see what the round before wrote.
        self.forget_all(body);
        let (fixed_params, fixed_results) = unchanging(label, params, results.len(), body);
        let mut values = Vec::new();
        for ((&p, &i), fixed) in params.iter().zip(&init).zip(&fixed_params) {
            match fixed {
                true => self.set(p, i),
                false => {
                    values.push(i);
                    self.fresh(p);
                }
            }
        }
        let wanted_params: Vec<bool> = fixed_params.iter().map(|f| !f).collect();
        // A result may be replaced only by a value from outside of the loop, or one that never changes: it is mapped already.
        let shape = self.shapes.of(label);
        let outside = |v: &Value| {
            !self.shapes.defined_in(*v, shape) || params.iter().zip(&fixed_params).any(|(p, f)| p == v && *f)
        };
        let replaced: Vec<Option<Value>> =
            fixed_results.iter().map(|v| v.filter(outside).and_then(|v| self.map[v.0 as usize])).collect();
        let wanted_results: Vec<bool> = replaced.iter().map(Option::is_none).collect();
        let new = self.b.kernel.label();
        let target = RenewedLabel { label: new, params: wanted_params.clone(), results: wanted_results.clone() };
        self.targets.insert(label, target);
        let region = self.nested(body);
        let params = keep(params, &wanted_params).into_iter().map(|p| self.get(p)).collect();
        for (&r, v) in results.iter().zip(&replaced) {
            if let Some(v) = v {
                self.set(r, *v);
            }
        }
        let results = keep(results, &wanted_results).into_iter().map(|r| self.fresh(r)).collect();
        self.b.push(Node::Loop { label: new, params, init: values, body: region, results, loc });
        None
    }

    /// Tries to replace the loop by its rounds. Outer `None` = it stays a loop.
    fn unroll(
        &mut self,
        label: Label,
        params: &[Value],
        init: &[Value],
        body: &Region,
        results: &[Value],
    ) -> Option<Option<Exit>> {
        if !self.trials.allows(label) {
            return None;
        }
        let shape = self.shapes.of(label);
        let budget = if shape.private { PRIVATE_INSTRUCTIONS } else { INSTRUCTIONS };
        if shape.size > budget {
            return None;
        }
        let outermost = self.trials.begin();
        let done = self.rounds(label, params, init, body, results.len(), budget);
        self.trials.end(label, outermost, done.is_some());
        let (nodes, exit) = done?;
        nodes.into_iter().for_each(|n| self.b.push(n));
        Some(match exit {
            Round::Left(values) => {
                results.iter().zip(values).for_each(|(&r, v)| self.set(r, v));
                None
            }
            Round::Jumped(exit) => Some(exit),
        })
    }

    /// The nodes of all rounds and how the last one ends; None if they are too many or too large, or a jump of the loop
    /// stays under a condition.
    fn rounds(
        &mut self,
        label: Label,
        params: &[Value],
        init: &[Value],
        body: &Region,
        results: usize,
        budget: usize,
    ) -> Option<(Vec<Node>, Round)> {
        let new = self.b.kernel.label();
        let target = RenewedLabel { label: new, params: vec![true; params.len()], results: vec![true; results] };
        self.targets.insert(label, target);
        let mut nodes = Vec::new();
        let mut values = init.to_vec();
        let mut size = 0;
        for _ in 0..ROUNDS {
            params.iter().zip(&values).for_each(|(&p, &v)| self.set(p, v));
            let come = self.come();
            let round = self.nested(body);
            self.settle(come);
            size += round.size();
            if jumps_to(&round.nodes, new) || size > budget {
                return None;
            }
            nodes.extend(round.nodes);
            match round.exit {
                Exit::Continue(l, v) if l == new => values = v,
                Exit::Break(l, v) if l == new => return Some((nodes, Round::Left(v))),
                jump => return Some((nodes, Round::Jumped(jump))),
            }
        }
        None
    }
}

/// Which parameters keep their initial value through every `Continue`, and the one value that every `Break` gives for a
/// result, if there is one.
fn unchanging(label: Label, params: &[Value], results: usize, body: &Region) -> (Vec<bool>, Vec<Option<Value>>) {
    let mut fixed = vec![true; params.len()];
    let mut same: Vec<Option<Value>> = vec![None; results];
    let mut differs = vec![false; results];
    body.for_each_region(&mut |r| match &r.exit {
        Exit::Continue(l, v) if *l == label => {
            fixed.iter_mut().zip(params.iter().zip(v)).for_each(|(f, (p, v))| *f &= p == v);
        }
        Exit::Break(l, v) if *l == label => {
            for (i, &v) in v.iter().enumerate() {
                differs[i] |= same[i].is_some_and(|s| s != v);
                same[i] = Some(v);
            }
        }
        _ => {}
    });
    let same = same.into_iter().zip(differs).map(|(s, d)| s.filter(|_| !d)).collect();
    (fixed, same)
}
