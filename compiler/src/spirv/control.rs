//! Structured control flow: declared merge and continue blocks become regions.
//!
//! A list of targets says what a jump to a block means at a place: leaving a selection, a switch or a function (Break of a
//! Block, or simply the region's end), leaving or repeating a loop. Every other block is translated where it is jumped to;
//! structured control flow guarantees that this happens once.

use super::frame::{Frame, JumpTarget, Way};
use super::joins::{SHORT, joins};
use super::module::{Block, Instr, Merge};
use super::operand::{JoinSlot, Operand};
use super::refused::refusal;
use super::translate::{MAX_DEPTH, Translator};
use super::types::Ty;
use crate::error::{ErrorKind, Result};
use crate::ir::{self, Exit, Node, Region, Value, Width};
use spirv::Op;

/// Stands for the function's end among the block ids.
const RETURN: u32 = 0;

impl Translator<'_> {
    /// Calls `function`, or inlines it.
    pub fn function(&mut self, call: &Instr<'_>, function: u32, args: Vec<Operand>) -> Result<Option<Operand>> {
        match self.outlined(call, function, &args)? {
            Some(result) => Ok(result),
            None => self.inline(call, function, args),
        }
    }

    /// Inlines `function`, which begins in the open region.
    pub fn inline(&mut self, call: &Instr<'_>, function: u32, args: Vec<Operand>) -> Result<Option<Operand>> {
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
        let result = if matches!(self.types.get(f.ty), Ty::Void) { None } else { Some(self.slot(call, f.ty)?) };
        let joins = joins(f, &m.instrs);
        let mut frame = Frame { function, result: result.clone(), joins, ..Default::default() };
        let scope = self.open_scopes.last().copied().unwrap_or(0);
        let outer = self.enter_scope(call, function);
        for (&(ty, id), mut a) in f.params.iter().zip(args) {
            self.name_parameter(ty, id, &a);
            if let Operand::Pointer(p) = &mut a {
                p.name = self.name_of(id).filter(|n| !n.is_empty()).or(p.name.take());
            }
            frame.values.insert(id, (a, scope));
        }
        let label = self.b.kernel.label();
        frame.targets.push(JumpTarget { block: RETURN, label, way: Way::End, reached: false, named: false });
        self.frames.push(frame);
        self.begin();
        let exit = self.chain(entry.label)?;
        let region = self.end(exit);
        self.frames.pop();
        self.depth -= 1;
        self.close(label, region);
        self.leave_scope(outer);
        let loc = call.loc;
        self.b.loc = loc;
        Ok(match result {
            Some(JoinSlot::Cells(cells)) => Some(Operand::Flat(self.load_cells(&cells))),
            // The next call writes a slot of its own.
            Some(JoinSlot::Memory(p)) => Some(Operand::Stored(p)),
            None => None,
        })
    }

    pub fn enter(&mut self, i: &Instr<'_>) -> Result<()> {
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

    fn block(&self, i: &Instr<'_>, label: u32) -> Result<(Block, u32)> {
        let function = self.frames.last().map_or(0, |f| f.function);
        let f = self.m.functions.get(&function);
        match f.and_then(|f| f.index.get(&label).map(|&n| f.blocks[n].clone())) {
            Some(b) => Ok((b, function)),
            None => Err(self.malformed(i, format!("%{label} is no block of the function"))),
        }
    }

    /// Gives the phis of `to` their values, and jumps there: an exit, or None if `to` is to be translated here.
    pub fn jump(&mut self, i: &Instr<'_>, from: u32, to: u32) -> Result<Option<Exit>> {
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

    pub(super) fn phi_stores(&mut self, i: &Instr<'_>, from: u32, to: u32) -> Result<()> {
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
            let mut value = self.operand(&phi, pair[0])?;
            let slot = self.phi_slot(&phi)?;
            if matches!(slot, JoinSlot::Cells(_)) {
                value = Operand::Flat(self.flat_of(&phi, &value, pair[0])?);
            }
            moves.push((phi, slot, value, pair[0]));
        }
        // All phis of a block read before any is written: the values are in hand already.
        for (phi, slot, value, id) in moves {
            self.write_slot(&phi, &slot, &value, id)?;
        }
        Ok(())
    }

    /// Where the values of a phi wait: made by whoever comes first, an edge or the phi itself.
    pub fn phi_slot(&mut self, phi: &Instr<'_>) -> Result<JoinSlot> {
        if let Some(slot) = self.frame().phis.get(&phi.id) {
            return Ok(slot.clone());
        }
        let slot = self.slot(phi, phi.ty)?;
        self.frame().phis.insert(phi.id, slot.clone());
        Ok(slot)
    }

    /// A region that starts with the jump `from` → `to`.
    pub fn side(&mut self, i: &Instr<'_>, from: u32, to: u32) -> Result<Region> {
        self.begin();
        let exit = match self.jump(i, from, to)? {
            Some(exit) => exit,
            None => self.chain(to)?,
        };
        Ok(self.end(exit))
    }

    /// Translates `block` and what follows it, into the open region, up to the region's exit.
    pub fn chain(&mut self, mut label: u32) -> Result<Exit> {
        let m = self.m;
        loop {
            let (block, _) = self.block(&m.instrs[0], label)?;
            let end = m.instrs[block.end];
            // A block of a few instructions that leaves the function may be shared by several jumps.
            let leaves = matches!(end.op, Op::Return | Op::ReturnValue | Op::Unreachable);
            let shared = leaves && block.body.len() <= SHORT;
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
            match self.leave(&block, merge)? {
                Next::Exit(exit) => return Ok(exit),
                Next::Block(next) => label = next,
            }
        }
    }

    /// The terminator and, of a block without merge, the joins that it dominates.
    fn leave(&mut self, block: &Block, merge: Option<u32>) -> Result<Next> {
        if merge.is_some() || !self.has_joins(block.label) {
            return self.terminator(block, merge);
        }
        let i = self.m.instrs[block.end];
        let exit = self.joined(&i, block.label, |t| match t.terminator(block, None)? {
            Next::Exit(exit) => Ok(exit),
            Next::Block(next) => t.chain(next),
        })?;
        Ok(Next::Exit(exit))
    }

    fn joins_of(&self, label: u32) -> Vec<u32> {
        self.frames.last().and_then(|f| f.joins.get(&label)).cloned().unwrap_or_default()
    }

    pub(super) fn has_joins(&self, label: u32) -> bool {
        !self.joins_of(label).is_empty()
    }

    /// Block(n) { … Block(0) { inner } join 0 } … join n: leaving Block k, or falling out of it, starts join k.
    fn joined(&mut self, i: &Instr<'_>, of: u32, inner: impl FnOnce(&mut Self) -> Result<Exit>) -> Result<Exit> {
        let joins = self.joins_of(of);
        self.enter(i)?;
        for &block in joins.iter().rev() {
            let label = self.b.kernel.label();
            self.frame().targets.push(JumpTarget { block, label, way: Way::End, reached: false, named: false });
            self.begin();
        }
        let mut exit = inner(self)?;
        for &block in &joins {
            let region = self.end(std::mem::replace(&mut exit, Exit::Unreachable));
            let Some(t) = self.frame().targets.pop() else { break };
            self.b.push(Node::Block { label: t.label, body: region, results: Vec::new(), loc: i.loc });
            exit = if t.reached { self.chain(block)? } else { Exit::Unreachable };
        }
        self.depth -= 1;
        Ok(exit)
    }

    /// Puts an exit into the open region, which goes on: into a region of its own.
    pub fn settle(&mut self, i: &Instr<'_>, exit: Exit) {
        if matches!(exit, Exit::Yield(_)) {
            return;
        }
        let cond = self.b.bool(true);
        self.only_where(i, cond, exit, |_| {});
    }

    /// Does `work` where `cond` holds, and leaves by `exit` there.
    pub fn only_where<R>(&mut self, i: &Instr<'_>, cond: Value, exit: Exit, work: impl FnOnce(&mut Self) -> R) -> R {
        self.begin();
        let done = work(self);
        let then = self.end(exit);
        self.begin();
        let els = self.end(Exit::Yield(Vec::new()));
        self.b.push(Node::If { cond, then, els, results: Vec::new(), loc: i.loc });
        done
    }

    /// The loop with header `block`. False: its merge block is never reached.
    fn loop_construct(&mut self, block: &Block, merge: u32, cont: u32) -> Result<bool> {
        let end = self.m.instrs[block.end];
        self.enter(&end)?;
        let header = block.label;
        let label = self.b.kernel.label();
        let depth = self.frame().targets.len();
        let target = |block, way, label| JumpTarget { block, label, way, reached: false, named: false };
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

    fn header(&mut self, block: &Block) -> Result<Exit> {
        self.body(block)?;
        match self.leave(block, None)? {
            Next::Exit(exit) => Ok(exit),
            Next::Block(next) => self.chain(next),
        }
    }

    fn body(&mut self, block: &Block) -> Result<()> {
        let m = self.m;
        self.count_block(block)?;
        for n in block.body.clone() {
            let i = m.instrs[n];
            self.b.loc = i.loc;
            self.bounded(&i)?;
            self.instruction(&i)?;
        }
        Ok(())
    }

    fn terminator(&mut self, block: &Block, merge: Option<u32>) -> Result<Next> {
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
                if yes != no {
                    self.count_branch(&i, from, cond)?;
                }
                match merge {
                    Some(merge) if yes == no => self.selection(&i, from, merge, |t| {
                        let then = t.side(&i, from, yes)?;
                        t.begin();
                        let els = t.end(Exit::Yield(Vec::new()));
                        let cond = t.b.bool(true);
                        t.b.push(Node::If { cond, then, els, results: Vec::new(), loc: i.loc });
                        Ok(())
                    }),
                    None if yes == no => self.go(&i, from, Some(yes)),
                    Some(merge) => self.selection(&i, from, merge, |t| {
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
                self.selection(&i, from, merge, |t| t.switch(&i, from))
            }
            Op::Return => self.go(&i, from, Some(RETURN)),
            Op::ReturnValue => {
                let id = self.arg(&i, 0)?;
                let value = self.operand(&i, id)?;
                if let Some(slot) = self.frame().result.clone() {
                    self.write_slot(&i, &slot, &value, id)?;
                }
                self.go(&i, from, Some(RETURN))
            }
            Op::Unreachable => Ok(Next::Exit(Exit::Unreachable)),
            op => Err(self.unsupported(&i, refusal(op).unwrap_or("this terminator"))),
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
    fn selection(
        &mut self,
        i: &Instr<'_>,
        from: u32,
        merge: u32,
        sides: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Next> {
        self.enter(i)?;
        let label = self.b.kernel.label();
        self.frame().targets.push(JumpTarget { block: merge, label, way: Way::End, reached: false, named: false });
        self.begin();
        if self.has_joins(from) {
            let exit = self.joined(i, from, |t| sides(t).map(|()| Exit::Yield(Vec::new())))?;
            self.settle(i, exit);
        } else {
            sides(self)?;
        }
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
    pub fn leaving(&mut self, i: &Instr<'_>, from: u32, to: u32) -> Result<Region> {
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
