//! OpSwitch: a chain or a tree of Ifs or, if cases fall through, Blocks one inside of the other.

use super::control::{Target, Way};
use super::module::{Instr, Merge, switch_cases};
use super::translate::Translator;
use crate::error::Result;
use crate::ir::{Alu, Exit, Node, Region, Value, Width};
use std::collections::HashSet;

/// Cases of a switch up to which they are tried one inside of the other.
const CHAIN: usize = 24;

impl Translator<'_> {
    pub fn switch(&mut self, i: &Instr<'_>, from: u32) -> Result<()> {
        let (selector, default) = (self.arg(i, 0)?, self.arg(i, 1)?);
        let selector = self.scalar(i, selector)?;
        let width = self.b.width(selector);
        // Targets in order of first mention, each with its literals.
        let mut cases: Vec<(u32, Vec<u64>)> = Vec::new();
        for (literal, target) in switch_cases(i.args, if width == Width::B64 { 2 } else { 1 }) {
            match cases.iter_mut().find(|c| c.0 == target) {
                Some(c) => c.1.push(literal),
                None => cases.push((target, vec![literal])),
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
        // Literals of the default's block need no test of their own.
        cases.retain(|c| c.0 != default);
        let order = self.case_order(i, &cases, default)?;
        let Some(order) = order else {
            if cases.len() > CHAIN {
                let number = self.case_number(&cases, &hit);
                let mut blocks: Vec<u32> = cases.iter().map(|c| c.0).collect();
                blocks.push(default);
                return self.case_tree(i, from, number, 0, &blocks);
            }
            // No fallthrough: a chain of Ifs, from the last to the first.
            return self.case_chain(i, from, &cases, default, &hit);
        };
        // Fallthrough: Block(n) { … Block(0) { dispatch } case 0 } … case n: leaving Block k starts case k.
        let base = self.frame().targets.len();
        for &block in order.iter().rev() {
            let label = self.b.kernel.label();
            self.frame().targets.push(Target { block, label, way: Way::End, reached: false, named: false });
            self.begin();
        }
        for (block, literals) in &cases {
            let cond = hit(self, literals);
            let then = self.leaving_to(i, from, *block)?;
            self.begin();
            let els = self.end(Exit::Yield(Vec::new()));
            self.b.push(Node::If { cond, then, els, results: Vec::new(), loc: i.loc });
        }
        let mut exit = match self.jump(i, from, default)? {
            Some(exit) => exit,
            None => self.chain(default)?,
        };
        for &block in &order {
            let region = self.end(std::mem::replace(&mut exit, Exit::Unreachable));
            let Some(t) = self.frame().targets.pop() else { break };
            let loc = i.loc;
            self.b.push(Node::Block { label: t.label, body: region, results: Vec::new(), loc });
            exit = if t.reached { self.chain(block)? } else { Exit::Unreachable };
        }
        debug_assert_eq!(self.frame().targets.len(), base);
        self.settle(i, exit);
        Ok(())
    }

    fn leaving_to(&mut self, i: &Instr<'_>, from: u32, to: u32) -> Result<Region> {
        if self.frame().targets.iter().any(|t| t.block == to) {
            self.leaving(i, from, to)
        } else {
            self.side(i, from, to)
        }
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

    /// The order of the case blocks in which fallthrough only goes forward; None if no case falls into another.
    fn case_order(&mut self, i: &Instr<'_>, cases: &[(u32, Vec<u64>)], default: u32) -> Result<Option<Vec<u32>>> {
        let m = self.m;
        let stops: HashSet<u32> = self.frame().targets.iter().map(|t| t.block).collect();
        let mut blocks: Vec<u32> = cases.iter().map(|c| c.0).filter(|b| !stops.contains(b)).collect();
        if !stops.contains(&default) {
            blocks.push(default);
        }
        let function = self.frames.last().and_then(|f| m.functions.get(&f.function));
        let Some(f) = function else { return Ok(None) };
        // falls[a] = the cases that a reaches without leaving the switch.
        let mut falls: Vec<Vec<u32>> = Vec::new();
        for &start in &blocks {
            let (mut seen, mut work, mut reached) = (HashSet::new(), vec![start], Vec::new());
            while let Some(b) = work.pop() {
                if !seen.insert(b) || stops.contains(&b) {
                    continue;
                }
                if b != start && blocks.contains(&b) {
                    reached.push(b);
                    continue;
                }
                if let Some(&n) = f.index.get(&b) {
                    work.extend(f.blocks[n].successors.iter().map(|&s| f.blocks[s].label));
                    if let Merge::Selection(merge) | Merge::Loop { merge, .. } = f.blocks[n].merge {
                        work.push(merge);
                    }
                }
            }
            falls.push(reached);
        }
        if falls.iter().all(Vec::is_empty) {
            return Ok(None);
        }
        let mut order: Vec<u32> = Vec::new();
        while order.len() < blocks.len() {
            let ready = (0..blocks.len()).find(|&n| {
                !order.contains(&blocks[n])
                    && !(0..blocks.len())
                        .any(|p| p != n && !order.contains(&blocks[p]) && falls[p].contains(&blocks[n]))
            });
            match ready {
                Some(n) => order.push(blocks[n]),
                None => return Err(self.malformed(i, "the cases fall through in a circle")),
            }
        }
        Ok(Some(order))
    }
}
