//! Structured control flow: declared merge and continue blocks become regions.
//!
//! A list of targets says what a jump to a block means at a place: leaving a selection, a switch or a function (Break of a
//! Block, or simply the region's end), leaving or repeating a loop. Every other block is translated where it is jumped to;
//! structured control flow guarantees that this happens once.

use super::module::{Instr, Merge, switch_cases};
use super::translate::{Frame, MAX_DEPTH, Operand, Translator};
use super::types::Ty;
use crate::error::{ErrorKind, Result};
use crate::ir::{self, Alu, Exit, Node, Region, Value, Width};
use spirv::Op;
use std::collections::HashSet;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// Falling out of the innermost construct's regions reaches the target; from elsewhere, Break.
    End,
    Break,
    Continue,
}

/// What a jump to `block` means inside of a construct.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    block: u32,
    label: ir::Label,
    way: Way,
    reached: bool,
    /// A Break names the label.
    named: bool,
}

/// Stands for the function's end among the block ids.
const RETURN: u32 = 0;

impl Translator<'_> {
    /// Inlines `function`, which begins in the open region.
    pub fn function(&mut self, call: &Instr<'_>, function: u32, args: Vec<Operand>) -> Result<Option<Operand>> {
        let m = self.m;
        let Some(f) = m.functions.get(&function) else {
            return Err(self.malformed(call, format!("%{function} is no function")));
        };
        if self.frames.iter().any(|x| x.function == function) {
            return Err(self.malformed(call, "recursion"));
        }
        if args.len() != f.params.len() {
            return Err(self.malformed(call, format!("{} arguments for {} parameters", args.len(), f.params.len())));
        }
        let Some(entry) = f.blocks.first() else {
            return Err(self.unsupported(call, "a function without a body (import)"));
        };
        self.enter(call)?;
        let widths = self.types.widths(f.ty);
        let result = if matches!(self.types.get(f.ty), Ty::Void) { None } else { Some(self.cells(call, &widths)?) };
        let mut frame = Frame { function, result: result.clone(), ..Default::default() };
        let scope = self.open_scopes.last().copied().unwrap_or(0);
        for (&(_, id), a) in f.params.iter().zip(args) {
            frame.values.insert(id, (a, scope));
        }
        let label = self.b.kernel.label();
        frame.targets.push(Target { block: RETURN, label, way: Way::End, reached: false, named: false });
        self.frames.push(frame);
        self.begin();
        let exit = self.chain(entry.label)?;
        let region = self.end(exit);
        self.frames.pop();
        self.depth -= 1;
        self.close(label, region);
        let loc = call.loc;
        self.b.loc = loc;
        Ok(result.map(|cells| Operand::Flat(self.load_cells(&cells))))
    }

    fn enter(&mut self, i: &Instr<'_>) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.m.error(
                ErrorKind::Unsupported,
                i,
                format!("constructs and calls nested deeper than {MAX_DEPTH}"),
            ));
        }
        Ok(())
    }

    /// Puts a construct's region into the open one: as a Block, if something breaks out of it.
    fn close(&mut self, label: ir::Label, region: Region) {
        let needs_block = breaks(&region, label) || !matches!(region.exit, Exit::Yield(_));
        if needs_block {
            let loc = self.b.loc;
            self.b.push(Node::Block { label, body: region, results: Vec::new(), loc });
        } else {
            region.nodes.into_iter().for_each(|n| self.b.push(n));
        }
    }

    fn block(&self, i: &Instr<'_>, label: u32) -> Result<(super::module::Block, u32)> {
        let function = self.frames.last().map_or(0, |f| f.function);
        let f = self.m.functions.get(&function);
        match f.and_then(|f| f.index.get(&label).map(|&n| f.blocks[n].clone())) {
            Some(b) => Ok((b, function)),
            None => Err(self.malformed(i, format!("%{label} is no block of the function"))),
        }
    }

    /// Gives the phis of `to` their values, and jumps there: an exit, or None if `to` is to be translated here.
    fn jump(&mut self, i: &Instr<'_>, from: u32, to: u32) -> Result<Option<Exit>> {
        if to != RETURN {
            self.phi_stores(i, from, to)?;
        }
        let targets = &mut self.frame().targets;
        let innermost = targets.len().saturating_sub(1);
        for (n, t) in targets.iter_mut().enumerate().rev() {
            if t.block == to {
                t.reached = true;
                if t.way == Way::End && n == innermost {
                    return Ok(Some(Exit::Yield(Vec::new())));
                }
                t.named = true;
                return Ok(Some(match t.way {
                    Way::Continue => Exit::Continue(t.label, Vec::new()),
                    _ => Exit::Break(t.label, Vec::new()),
                }));
            }
        }
        Ok(None)
    }

    fn phi_stores(&mut self, i: &Instr<'_>, from: u32, to: u32) -> Result<()> {
        let (block, _) = self.block(i, to)?;
        let mut moves = Vec::new();
        for n in block.body.clone() {
            let phi = self.m.instrs[n];
            match phi.op {
                Op::Phi => {}
                Op::Line | Op::NoLine | Op::ExtInst => continue,
                _ => break,
            }
            let Some(pair) = phi.args.chunks_exact(2).find(|c| c[1] == from) else {
                return Err(self.malformed(&phi, format!("no value for the edge from %{from}")));
            };
            let values = match self.operand(&phi, pair[0]) {
                Ok(Operand::Pointer(p)) if self.address(&p).is_none() => {
                    return Err(self.unsupported(&phi, "a phi of logical pointers"));
                }
                _ => self.flat(&phi, pair[0])?,
            };
            let cells = match self.frame().phis.get(&phi.id) {
                Some(c) => c.clone(),
                None => {
                    let widths = self.types.widths(phi.ty);
                    let c = self.cells(&phi, &widths)?;
                    self.frame().phis.insert(phi.id, c.clone());
                    c
                }
            };
            if cells.len() != values.len() || cells.iter().zip(&*values).any(|(c, &v)| c.1 != self.b.width(v)) {
                return Err(self.malformed(&phi, "the values are not of the phi's type"));
            }
            moves.push((cells, values));
        }
        // All phis of a block read before any is written: the values are in hand already.
        for (cells, values) in moves {
            self.store_cells(&cells, &values);
        }
        Ok(())
    }

    /// A region that starts with the jump `from` → `to`.
    fn side(&mut self, i: &Instr<'_>, from: u32, to: u32) -> Result<Region> {
        self.begin();
        let exit = match self.jump(i, from, to)? {
            Some(exit) => exit,
            None => self.chain(to)?,
        };
        Ok(self.end(exit))
    }

    /// Translates `block` and what follows it, into the open region, up to the region's exit.
    fn chain(&mut self, mut label: u32) -> Result<Exit> {
        let m = self.m;
        loop {
            let (block, _) = self.block(&m.instrs[0], label)?;
            let end = m.instrs[block.end];
            // A block of a few instructions that leaves the function may be shared by several jumps.
            let leaves = matches!(end.op, Op::Return | Op::ReturnValue | Op::Unreachable);
            let shared = leaves && block.body.len() <= 8;
            if !(self.frame().emitted.insert(label) || shared) {
                return Err(self.unsupported(
                    &end,
                    format!("control flow without structure: several jumps to %{label}, which no merge declares"),
                ));
            }
            let merge = match block.merge {
                Merge::Loop { merge, cont } => {
                    if !self.loop_construct(&block, merge, cont)? {
                        return Ok(Exit::Unreachable);
                    }
                    label = merge;
                    continue;
                }
                Merge::Selection(merge) => Some(merge),
                Merge::None => None,
            };
            self.body(&block)?;
            match self.terminator(&block, merge)? {
                Next::Exit(exit) => return Ok(exit),
                Next::Block(next) => label = next,
            }
        }
    }

    /// The loop with header `block`. False: its merge block is never reached.
    fn loop_construct(&mut self, block: &super::module::Block, merge: u32, cont: u32) -> Result<bool> {
        let end = self.m.instrs[block.end];
        self.enter(&end)?;
        let header = block.label;
        let label = self.b.kernel.label();
        let depth = self.frame().targets.len();
        let target = |block, way, label| Target { block, label, way, reached: false, named: false };
        self.frame().targets.push(target(merge, Way::Break, label));
        self.frame().targets.push(target(header, Way::Continue, label));
        let loc = end.loc;
        self.begin();
        // Several ways into the continue construct: it follows a Block that they leave.
        let (cont_block, _) = self.block(&end, cont)?;
        let exit = if cont != header && cont_block.preds > 1 {
            let inner = self.b.kernel.label();
            self.frame().targets.push(target(cont, Way::End, inner));
            self.begin();
            let exit = self.header(block)?;
            let region = self.end(exit);
            let reached = self.frame().targets.pop().is_some_and(|t| t.reached);
            self.close(inner, region);
            if reached { self.chain(cont)? } else { Exit::Unreachable }
        } else {
            self.header(block)?
        };
        let body = self.end(exit);
        let reached = self.frame().targets[depth].reached;
        self.frame().targets.truncate(depth);
        self.b.push(Node::Loop { label, params: Vec::new(), init: Vec::new(), body, results: Vec::new(), loc });
        self.depth -= 1;
        Ok(reached)
    }

    fn header(&mut self, block: &super::module::Block) -> Result<Exit> {
        self.body(block)?;
        match self.terminator(block, None)? {
            Next::Exit(exit) => Ok(exit),
            Next::Block(next) => self.chain(next),
        }
    }

    fn body(&mut self, block: &super::module::Block) -> Result<()> {
        let m = self.m;
        for n in block.body.clone() {
            let i = m.instrs[n];
            self.b.loc = i.loc;
            self.instruction(&i)?;
        }
        Ok(())
    }

    fn terminator(&mut self, block: &super::module::Block, merge: Option<u32>) -> Result<Next> {
        let i = self.m.instrs[block.end];
        self.b.loc = i.loc;
        let from = block.label;
        match i.op {
            Op::Branch => self.go(&i, from, i.arg(0)),
            Op::BranchConditional => {
                let (cond, yes, no) = (self.arg(&i, 0)?, self.arg(&i, 1)?, self.arg(&i, 2)?);
                let cond = self.scalar(&i, cond)?;
                if self.b.width(cond) != Width::B1 {
                    return Err(self.malformed(&i, "the condition is no boolean"));
                }
                match merge {
                    Some(merge) => self.selection(&i, merge, |t| {
                        let then = t.side(&i, from, yes)?;
                        let els = t.side(&i, from, no)?;
                        t.b.push(Node::If { cond, then, els, results: Vec::new(), loc: i.loc });
                        Ok(())
                    }),
                    None => self.unmerged(&i, from, cond, yes, no),
                }
            }
            Op::Switch => {
                let Some(merge) = merge else { return Err(self.malformed(&i, "a switch without OpSelectionMerge")) };
                self.selection(&i, merge, |t| t.switch(&i, from))
            }
            Op::Return => self.go(&i, from, Some(RETURN)),
            Op::ReturnValue => {
                let id = self.arg(&i, 0)?;
                let values = self.flat(&i, id)?;
                if let Some(cells) = self.frame().result.clone() {
                    if cells.len() != values.len() || cells.iter().zip(&*values).any(|(c, &v)| c.1 != self.b.width(v)) {
                        return Err(self.malformed(&i, "the value is not of the function's type"));
                    }
                    self.store_cells(&cells, &values);
                }
                self.go(&i, from, Some(RETURN))
            }
            Op::Unreachable => Ok(Next::Exit(Exit::Unreachable)),
            _ => Err(self.unsupported(&i, "this terminator")),
        }
    }

    fn go(&mut self, i: &Instr<'_>, from: u32, to: Option<u32>) -> Result<Next> {
        let Some(to) = to else { return Err(self.malformed(i, "operands missing")) };
        Ok(match self.jump(i, from, to)? {
            Some(exit) => Next::Exit(exit),
            None => Next::Block(to),
        })
    }

    /// A selection construct: `sides` puts its nodes into a region of its own.
    fn selection(&mut self, i: &Instr<'_>, merge: u32, sides: impl FnOnce(&mut Self) -> Result<()>) -> Result<Next> {
        self.enter(i)?;
        let label = self.b.kernel.label();
        self.frame().targets.push(Target { block: merge, label, way: Way::End, reached: false, named: false });
        self.begin();
        sides(self)?;
        let region = self.end(Exit::Yield(Vec::new()));
        let target = self.frame().targets.pop();
        self.depth -= 1;
        if target.is_some_and(|t| t.named) {
            let loc = i.loc;
            self.b.push(Node::Block { label, body: region, results: Vec::new(), loc });
        } else {
            region.nodes.into_iter().for_each(|n| self.b.push(n));
        }
        Ok(if target.is_some_and(|t| t.reached) { Next::Block(merge) } else { Next::Exit(Exit::Unreachable) })
    }

    /// A conditional branch without a merge: at least one side leaves a construct.
    fn unmerged(&mut self, i: &Instr<'_>, from: u32, cond: Value, yes: u32, no: u32) -> Result<Next> {
        let is_target = |t: &mut Self, block| t.frame().targets.iter().any(|x| x.block == block);
        let (yes_leaves, no_leaves) = (is_target(self, yes), is_target(self, no));
        self.enter(i)?;
        let empty = |t: &mut Self| {
            t.begin();
            t.end(Exit::Yield(Vec::new()))
        };
        let next = if yes_leaves == no_leaves {
            let then = self.side(i, from, yes)?;
            let els = self.side(i, from, no)?;
            let falls = [&then, &els].iter().any(|r| matches!(r.exit, Exit::Yield(_)));
            self.b.push(Node::If { cond, then, els, results: Vec::new(), loc: i.loc });
            Next::Exit(if falls { Exit::Yield(Vec::new()) } else { Exit::Unreachable })
        } else {
            let leaving = self.leaving(i, from, if yes_leaves { yes } else { no })?;
            let other = empty(self);
            let (then, els) = if yes_leaves { (leaving, other) } else { (other, leaving) };
            self.b.push(Node::If { cond, then, els, results: Vec::new(), loc: i.loc });
            self.go(i, from, Some(if yes_leaves { no } else { yes }))?
        };
        self.depth -= 1;
        Ok(next)
    }

    /// A region that jumps to a target by name, never by falling out.
    fn leaving(&mut self, i: &Instr<'_>, from: u32, to: u32) -> Result<Region> {
        self.begin();
        let exit = self.jump(i, from, to)?;
        let targets = &mut self.frame().targets;
        let exit = match (exit, targets.last_mut()) {
            (Some(Exit::Yield(_)), Some(t)) => {
                t.named = true;
                Exit::Break(t.label, Vec::new())
            }
            (Some(exit), _) => exit,
            (None, _) => return Err(self.malformed(i, "no construct to leave")),
        };
        Ok(self.end(exit))
    }

    fn switch(&mut self, i: &Instr<'_>, from: u32) -> Result<()> {
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
        if !matches!(exit, Exit::Yield(_)) {
            // The open region belongs to the caller; the exit gets one of its own.
            let cond = self.b.bool(true);
            self.begin();
            let then = self.end(exit);
            self.begin();
            let els = self.end(Exit::Yield(Vec::new()));
            self.b.push(Node::If { cond, then, els, results: Vec::new(), loc: i.loc });
        }
        Ok(())
    }

    fn leaving_to(&mut self, i: &Instr<'_>, from: u32, to: u32) -> Result<Region> {
        if self.frame().targets.iter().any(|t| t.block == to) {
            self.leaving(i, from, to)
        } else {
            self.side(i, from, to)
        }
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
                    let end = &m.instrs[f.blocks[n].end];
                    match end.op {
                        Op::Branch => work.extend(end.arg(0)),
                        Op::BranchConditional => work.extend(end.args.iter().skip(1).take(2)),
                        Op::Switch => work.extend(end.args.iter().skip(1)),
                        _ => {}
                    }
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

enum Next {
    Exit(Exit),
    Block(u32),
}

/// Something in `region` breaks out to `label`.
fn breaks(region: &Region, label: ir::Label) -> bool {
    let mut found = false;
    region.for_each_region(&mut |r| found |= matches!(&r.exit, Exit::Break(l, _) if *l == label));
    found
}
