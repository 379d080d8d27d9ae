//! OpSwitch: a chain or a tree of Ifs or, if cases fall through, a Switch.

use super::frame::{JumpTarget, Way};
use super::module::{Instr, Merge, switch_cases};
use super::translate::Translator;
use crate::error::Result;
use crate::ir::fold::mask;
use crate::ir::{Alu, Case, Exit, Node, Region, Value, Width};
use std::collections::{HashMap, HashSet};

/// Cases of a switch up to which they are tried one inside of the other.
const CHAIN: usize = 24;

/// Case blocks, each falling into the next.
type Chain = Vec<u32>;

impl Translator<'_> {
    pub fn switch(&mut self, i: &Instr<'_>, from: u32) -> Result<()> {
        let (selector, default) = (self.arg(i, 0)?, self.arg(i, 1)?);
        let selector = self.scalar(i, selector)?;
        let width = self.b.width(selector);
        // Targets in order of first mention, each with its literals.
        let mut cases: Vec<(u32, Vec<u64>)> = Vec::new();
        let (mut place, mut literals) = (HashMap::new(), HashSet::new());
        for (literal, target) in switch_cases(i.args, if width == Width::B64 { 2 } else { 1 }) {
            // Literals of the default's block need no test of their own.
            if target == default || !literals.insert(literal & mask(width)) {
                continue;
            }
            let n = *place.entry(target).or_insert(cases.len());
            match cases.get_mut(n) {
                Some(c) => c.1.push(literal & mask(width)),
                None => cases.push((target, vec![literal & mask(width)])),
            }
        }
        let hit = |t: &mut Self, literals: &[u64]| {
            let mut any = t.b.bool(false);
            for &l in literals {
                let l = t.b.constant(width, l);
                let eq = t.b.alu(Alu::IEq, Width::B1, &[selector, l]);
                any = t.b.alu(Alu::Or, Width::B1, &[any, eq]);
            }
            any
        };
        self.count_switch(i, from, &cases, &hit)?;
        if let Some(chains) = self.case_chains(i, &cases, default)? {
            let selector = match width {
                Width::B64 => {
                    let number = self.case_number(&cases, &hit);
                    cases.iter_mut().zip(0..).for_each(|(c, n)| c.1 = vec![n]);
                    number
                }
                _ => self.b.to_u32(selector),
            };
            return self.falling(i, from, selector, &cases, default, chains);
        }
        // No case falls through.
        if cases.len() > CHAIN {
            let number = self.case_number(&cases, &hit);
            let mut blocks: Vec<u32> = cases.iter().map(|c| c.0).collect();
            blocks.push(default);
            return self.case_tree(i, from, number, 0, &blocks);
        }
        // A chain of Ifs, from the last to the first.
        self.case_chain(i, from, &cases, default, &hit)
    }

    /// A Switch: the cases that leave at once, the chains, of which one that has the default comes last, and a default that
    /// leaves.
    fn falling(
        &mut self,
        i: &Instr<'_>,
        from: u32,
        selector: Value,
        cases: &[(u32, Vec<u64>)],
        default: u32,
        mut chains: Vec<Chain>,
    ) -> Result<()> {
        self.enter(i)?;
        // Falling out of the switch leads to the innermost target. If that is the merge, the switch has its label.
        let Some(&around) = self.frame().targets.last() else { return Err(self.malformed(i, "no construct to leave")) };
        let of_merge = !self.has_joins(from);
        let label = if of_merge { around.label } else { self.b.kernel.label() };
        chains.sort_by_key(|c| c.contains(&default));
        let inside: HashSet<u32> = chains.iter().flatten().copied().collect();
        // A phi of a case has a cell of its own: what the head gives can be written before it is known who gets it.
        for &block in chains.iter().flatten() {
            self.phi_stores(i, from, block)?;
        }
        let mut values: HashMap<u32, Vec<u32>> =
            cases.iter().map(|(b, l)| (*b, l.iter().map(|&l| l as u32).collect())).collect();
        // Each case's block and region, and whether it falls into the next one.
        let mut out: Vec<(u32, Region, bool)> = Vec::new();
        for &(block, _) in cases.iter().filter(|c| !inside.contains(&c.0)) {
            out.push((block, self.side(i, from, block)?, false));
        }
        for chain in &chains {
            for (n, &block) in chain.iter().enumerate() {
                let next = chain.get(n + 1).copied();
                out.push((block, self.case_region(i, block, next)?, next.is_some()));
            }
        }
        if !inside.contains(&default) {
            out.push((default, self.side(i, from, default)?, false));
        }
        let last = out.len() - 1;
        let case = |(n, (block, mut body, falls)): (usize, (u32, Region, bool))| {
            if n < last && !falls && matches!(body.exit, Exit::Yield(_)) {
                body.exit = Exit::Break(around.label, Vec::new());
            }
            let values = values.remove(&block).unwrap_or_default();
            Case { values, default: block == default, params: Vec::new(), init: Vec::new(), body }
        };
        let cases = out.into_iter().enumerate().map(case).collect();
        self.b.push(Node::Switch { label, selector, cases, results: Vec::new(), loc: i.loc });
        if of_merge && let Some(t) = self.frame().targets.last_mut() {
            // The switch is what those that name it leave.
            t.named = false;
        }
        self.depth -= 1;
        Ok(())
    }

    /// The region of a case; its end is the block `next`, if it falls into that.
    fn case_region(&mut self, i: &Instr<'_>, block: u32, next: Option<u32>) -> Result<Region> {
        let Some(next) = next else {
            self.begin();
            let exit = self.chain(block)?;
            return Ok(self.end(exit));
        };
        let label = self.b.kernel.label();
        self.frame().targets.push(JumpTarget { block: next, label, way: Way::End, reached: false, named: false });
        self.begin();
        let exit = self.chain(block)?;
        let region = self.end(exit);
        if !self.frame().targets.pop().is_some_and(|t| t.named) {
            return Ok(region);
        }
        let block = Node::Block { label, body: region, results: Vec::new(), loc: i.loc };
        Ok(Region { nodes: vec![block], exit: Exit::Yield(Vec::new()) })
    }

    /// The number of the case that the selector hits; the default's is the last.
    fn case_number(&mut self, cases: &[(u32, Vec<u64>)], hit: &dyn Fn(&mut Self, &[u64]) -> Value) -> Value {
        let mut number = self.b.u32(cases.len() as u32);
        for (n, (_, literals)) in cases.iter().enumerate() {
            let (cond, n) = (hit(self, literals), self.b.u32(n as u32));
            number = self.b.select(cond, n, number);
        }
        number
    }

    /// Halves the cases `first`… until one is left.
    fn case_tree(&mut self, i: &Instr<'_>, from: u32, number: Value, first: u32, blocks: &[u32]) -> Result<()> {
        self.enter(i)?;
        let (low, high) = blocks.split_at(blocks.len() / 2);
        let middle = first + low.len() as u32;
        let limit = self.b.u32(middle);
        let cond = self.b.alu(Alu::ULt, Width::B1, &[number, limit]);
        let half = |t: &mut Self, first: u32, blocks: &[u32]| match blocks {
            &[one] => t.side(i, from, one),
            _ => {
                t.begin();
                t.case_tree(i, from, number, first, blocks)?;
                Ok(t.end(Exit::Yield(Vec::new())))
            }
        };
        let (then, els) = (half(self, first, low)?, half(self, middle, high)?);
        self.b.push(Node::If { cond, then, els, results: Vec::new(), loc: i.loc });
        self.depth -= 1;
        Ok(())
    }

    fn case_chain(
        &mut self,
        i: &Instr<'_>,
        from: u32,
        cases: &[(u32, Vec<u64>)],
        default: u32,
        hit: &dyn Fn(&mut Self, &[u64]) -> Value,
    ) -> Result<()> {
        let Some(((block, literals), rest)) = cases.split_first() else {
            let region = self.side(i, from, default)?;
            let cond = self.b.bool(true);
            self.begin();
            let els = self.end(Exit::Yield(Vec::new()));
            self.b.push(Node::If { cond, then: region, els, results: Vec::new(), loc: i.loc });
            return Ok(());
        };
        self.enter(i)?;
        let cond = hit(self, literals);
        let then = self.side(i, from, *block)?;
        let els = if rest.is_empty() {
            self.side(i, from, default)?
        } else {
            self.begin();
            self.case_chain(i, from, rest, default, hit)?;
            self.end(Exit::Yield(Vec::new()))
        };
        self.b.push(Node::If { cond, then, els, results: Vec::new(), loc: i.loc });
        self.depth -= 1;
        Ok(())
    }

    /// The case blocks that are not the targets of constructs around, in chains by fallthrough; None if no case falls.
    fn case_chains(&mut self, i: &Instr<'_>, cases: &[(u32, Vec<u64>)], default: u32) -> Result<Option<Vec<Chain>>> {
        let m = self.m;
        let stops: HashSet<u32> = self.frame().targets.iter().map(|t| t.block).collect();
        let blocks: Vec<u32> = cases.iter().map(|c| c.0).chain([default]).filter(|b| !stops.contains(b)).collect();
        let starts: HashSet<u32> = blocks.iter().copied().collect();
        let function = self.frames.last().and_then(|f| m.functions.get(&f.function));
        let Some(f) = function else { return Ok(None) };
        // Who falls into whom.
        let mut next: HashMap<u32, u32> = HashMap::new();
        let mut fallen: HashSet<u32> = HashSet::new();
        for &start in &blocks {
            let (mut seen, mut work) = (HashSet::new(), vec![start]);
            while let Some(b) = work.pop() {
                if !seen.insert(b) || stops.contains(&b) {
                    continue;
                }
                if b != start && starts.contains(&b) {
                    if next.insert(start, b).is_some() || !fallen.insert(b) {
                        return Err(self.malformed(i, "several cases fall into one, or one into several"));
                    }
                    continue;
                }
                if let Some(&n) = f.index.get(&b) {
                    work.extend(f.blocks[n].successors.iter().map(|&s| f.blocks[s].label));
                    if let Merge::Selection(merge) | Merge::Loop { merge, .. } = f.blocks[n].merge {
                        work.push(merge);
                    }
                }
            }
        }
        if next.is_empty() {
            return Ok(None);
        }
        let chain = |&first: &u32| std::iter::successors(Some(first), |b| next.get(b).copied()).collect();
        let chains: Vec<Chain> = blocks.iter().filter(|b| !fallen.contains(b)).map(chain).collect();
        if chains.iter().map(Vec::len).sum::<usize>() < blocks.len() {
            return Err(self.malformed(i, "the cases fall through in a circle"));
        }
        Ok(Some(chains))
    }
}
