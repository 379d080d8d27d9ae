//! Control flow made of constructs: selections, switches with fallthrough, loops of several shapes, and the jumps out of
//! them. A block that several others go to has phis, and may use what dominates it: what all of these had.

use super::{Gen, Inst, Val};
use crate::spirv::Block;
use rspirv::spirv::{LoopControl, Op, SelectionControl};
use std::collections::HashSet;

/// A jump to a target: the block it comes from, the phis' values, and what was in scope there.
#[derive(Clone, Debug)]
struct Edge {
    from: u32,
    values: Vec<Val>,
    scope: Vec<Val>,
}

/// A block that is yet to come.
#[derive(Clone, Debug)]
pub struct PendingBlock {
    label: u32,
    phis: Vec<u32>,
    edges: Vec<Edge>,
    /// All of the work-group comes through it together, if it comes at all.
    uniform: bool,
}

/// What encloses the place that is generated.
#[derive(Clone, Debug)]
pub enum Construct {
    /// A selection's merge block; only a switch's can be jumped to from within other constructs.
    Selection {
        merge: PendingBlock,
        switch: bool,
    },
    Loop {
        merge: PendingBlock,
        cont: PendingBlock,
    },
    /// Jumps do not go beyond.
    Wall,
}

/// Which target of which construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Merge(usize),
    Continue(usize),
}

const DEEPEST: u32 = 5;

impl Gen {
    /// Statements, into the open block. False: the last of them left, no block is open.
    pub fn body(&mut self, depth: u32) -> bool {
        let most = if depth == 0 { 20 } else { 7 };
        for _ in 0..1 + self.r.below(most) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            if !self.statement(depth) {
                return false;
            }
        }
        true
    }

    fn statement(&mut self, depth: u32) -> bool {
        let together = self.main && self.uniform && self.together;
        match self.r.below(if depth < DEEPEST { 28 } else { 18 }) {
            0..=5 => self.operation(),
            8 => self.load_variable(),
            9 => self.store_variable(),
            10 if self.main => self.keep_record(),
            11 if self.main => self.count(),
            12 if self.pointer_values && self.r.one_in(2) => self.through_pointer(),
            12 => self.load_input(),
            7 if self.main && self.r.one_in(3) => self.own_atomic(),
            7 if self.r.one_in(4) => self.length(),
            6 if self.r.one_in(2) => self.load_block(),
            13 if together => self.exchange(),
            14 if together => self.subgroup(),
            15 | 16 => {
                let v = self.some_value();
                self.show(v.id, v.ty);
            }
            17 => return !self.r.one_in(2) || self.jump(),
            18..=21 => return self.selection(depth),
            22 | 23 => return self.switch(depth),
            24 | 25 => return self.repeat(depth),
            26 | 27 => self.call(),
            _ => self.operation(),
        }
        true
    }

    fn target(&mut self, uniform: bool) -> PendingBlock {
        let label = self.id();
        let phis = (0..self.r.below(3)).map(|_| self.flowing_type()).collect();
        PendingBlock { label, phis, edges: Vec::new(), uniform }
    }

    fn current(&self) -> u32 {
        self.blocks.last().map_or(0, |b| b.label)
    }

    fn open(&mut self, label: u32) {
        self.blocks.push(Block { label, insts: Vec::new() });
    }

    /// Notes a jump from the open block; the terminator is yet to come.
    fn edge(&mut self, target: &mut PendingBlock) -> u32 {
        let from = self.current();
        if !target.edges.iter().any(|e| e.from == from) {
            let values = target.phis.clone().into_iter().map(|ty| self.pick_value(ty)).collect();
            // Values that were made for the phis are in the scope by now.
            target.edges.push(Edge { from, values, scope: self.scope.clone() });
            target.uniform &= self.uniform;
        }
        target.label
    }

    fn way(&mut self, way: Way) -> u32 {
        let at = match way {
            Way::Merge(n) | Way::Continue(n) => n,
        };
        let mut construct = std::mem::replace(&mut self.constructs[at], Construct::Wall);
        let label = match (&mut construct, way) {
            (Construct::Selection { merge, .. } | Construct::Loop { merge, .. }, Way::Merge(_)) => self.edge(merge),
            (Construct::Loop { cont, .. }, Way::Continue(_)) => self.edge(cont),
            _ => 0,
        };
        self.constructs[at] = construct;
        label
    }

    /// Jumps that leave a construct from here.
    fn ways(&self) -> Vec<Way> {
        let mut out = Vec::new();
        for (n, c) in self.constructs.iter().enumerate().rev() {
            match c {
                Construct::Wall => break,
                Construct::Selection { switch: true, .. } if out.is_empty() => out.push(Way::Merge(n)),
                Construct::Selection { .. } => {}
                Construct::Loop { .. } => {
                    out.extend([Way::Merge(n), Way::Continue(n)]);
                    break;
                }
            }
        }
        out
    }

    /// Whether the function may be left from here.
    fn may_return(&self) -> bool {
        !(self.main && self.together || self.constructs.iter().any(|c| matches!(c, Construct::Wall)))
    }

    /// Ends the open block by leaving a construct or the function; or, on a condition, goes on in another.
    fn jump(&mut self) -> bool {
        let ways = self.ways();
        if ways.is_empty() || self.may_return() && self.r.one_in(6) {
            if self.may_return() {
                self.leave();
                return false;
            }
            return true;
        }
        let condition = if self.r.one_in(3) { None } else { Some(self.condition()) };
        // What leaves a loop that all are in must be alike for all.
        if self.uniform && self.together && condition.is_some_and(|c| !c.uniform) {
            return true;
        }
        let way = self.r.pick(&ways);
        let Some(c) = condition else {
            let to = self.way(way);
            self.put(Inst::new(Op::Branch, 0, 0, [to]));
            return false;
        };
        let other = if self.r.one_in(5) { Some(self.r.pick(&ways)) } else { None };
        let to = self.way(way);
        let (next, open) = match other {
            Some(other) => (self.way(other), false),
            None => (self.id(), true),
        };
        let sides = if self.r.one_in(2) { [c.id, to, next] } else { [c.id, next, to] };
        self.put(Inst::new(Op::BranchConditional, 0, 0, sides));
        if open {
            self.open(next);
        }
        open
    }

    /// Returns from the function.
    pub fn leave(&mut self) {
        if self.result == self.void() {
            self.put(Inst::new(Op::Return, 0, 0, []));
        } else {
            let v = self.value(self.result);
            self.put(Inst::new(Op::ReturnValue, 0, 0, [v]));
        }
    }

    /// Begins a target's block. False: nothing goes there, and it is closed.
    fn arrive(&mut self, target: PendingBlock, before: &[Val]) -> bool {
        self.open(target.label);
        let Some(first) = target.edges.first() else {
            // Nothing gets here. What dominates the construct may be used all the same.
            self.scope = before.to_vec();
            if self.r.one_in(4) {
                return true;
            }
            if self.r.one_in(3) {
                self.operation();
            }
            self.put(Inst::new(Op::Unreachable, 0, 0, []));
            return false;
        };
        let others: Vec<HashSet<u32>> =
            target.edges[1..].iter().map(|e| e.scope.iter().map(|v| v.id).collect()).collect();
        self.scope = first.scope.iter().filter(|v| others.iter().all(|s| s.contains(&v.id))).copied().collect();
        for (n, &ty) in target.phis.iter().enumerate() {
            let args: Vec<u32> = target.edges.iter().flat_map(|e| [e.values[n].id, e.from]).collect();
            let uniform = target.uniform && target.edges.iter().all(|e| e.values[n].uniform);
            let id = self.emit(Op::Phi, ty, &args);
            self.offer(id, ty, uniform);
        }
        true
    }

    /// A nested part: where control diverges from a work-group that must stay together, jumps stay inside.
    fn enter(&mut self, uniform: bool) -> bool {
        let wall = self.uniform && self.together && !uniform;
        if wall {
            self.constructs.push(Construct::Wall);
        }
        self.uniform &= uniform;
        wall
    }

    fn exit(&mut self, wall: bool, uniform: bool) {
        if wall {
            self.constructs.pop();
        }
        self.uniform = uniform;
    }

    /// Puts a header's merge instruction and terminator, from lists of words.
    fn head(&mut self, merge: u32, op: Op, args: Vec<u32>) {
        let control = self.r.pick(&[SelectionControl::NONE, SelectionControl::FLATTEN, SelectionControl::DONT_FLATTEN]);
        self.put(Inst::new(Op::SelectionMerge, 0, 0, [merge, control.bits()]));
        self.put(Inst::new(op, 0, 0, args));
    }

    fn selection(&mut self, depth: u32) -> bool {
        let c = self.condition();
        let was = self.uniform;
        let merge = self.target(was && c.uniform);
        let label = merge.label;
        // A wall goes outside of the construct, so that its own merge can be reached.
        let wall = self.enter(c.uniform);
        self.constructs.push(Construct::Selection { merge, switch: false });
        let own = self.constructs.len() - 1;
        // Each side is a block, or goes to the merge at once.
        let empty = self.r.below(6);
        let mut sides = Vec::new();
        for side in 0..2 {
            sides.push(match empty {
                e if e == side || e == 2 && self.r.one_in(4) => (self.way(Way::Merge(own)), false),
                _ => (self.id(), true),
            });
        }
        self.head(label, Op::BranchConditional, vec![c.id, sides[0].0, sides[1].0]);
        let before = self.scope.clone();
        for (side, block) in sides {
            if block {
                self.scope.clone_from(&before);
                self.open(side);
                if self.body(depth + 1) {
                    let to = self.way(Way::Merge(own));
                    self.put(Inst::new(Op::Branch, 0, 0, [to]));
                }
            }
        }
        let Some(Construct::Selection { merge, .. }) = self.constructs.pop() else { return false };
        self.exit(wall, was);
        self.arrive(merge, &before)
    }

    fn switch(&mut self, depth: u32) -> bool {
        let selector = self.selector();
        let was = self.uniform;
        let merge = self.target(was && selector.uniform);
        let label = merge.label;
        let wall = self.enter(selector.uniform);
        self.constructs.push(Construct::Selection { merge, switch: true });
        let own = self.constructs.len() - 1;
        let mut cases: Vec<PendingBlock> =
            (0..1 + self.r.below(4)).map(|_| self.target(was && selector.uniform)).collect();
        // Edges of the header to all cases, and to where the default goes: the merge, a case, or a block of its own.
        let default = self.r.below(3);
        let default_label = match default {
            0 => self.way(Way::Merge(own)),
            1 => {
                let at = self.r.below(cases.len());
                cases[at].label
            }
            _ => {
                let target = self.target(was && selector.uniform);
                cases.insert(0, target);
                cases[0].label
            }
        };
        for case in &mut cases {
            self.edge(case);
        }
        let bits = self.bits_of(selector.ty);
        if bits == 64 {
            self.wide.insert(selector.id);
        }
        let mut words = vec![selector.id, default_label];
        let mut used = HashSet::new();
        for case in cases.iter().skip(usize::from(default == 2)) {
            for _ in 0..1 + self.r.below(2) {
                let literal = if self.r.one_in(8) { self.r.bits() } else { self.r.below(8) as u64 };
                let literal = if bits < 64 { literal & ((1 << bits) - 1) } else { literal };
                if !used.insert(literal) {
                    continue;
                }
                words.push(self.literal(selector.ty, literal));
                if bits == 64 {
                    words.push((literal >> 32) as u32);
                }
                words.push(case.label);
            }
        }
        self.head(label, Op::Switch, words.clone());
        let before = self.scope.clone();
        // A case whose literals were all used before is no case at all.
        let step = if bits == 64 { 3 } else { 2 };
        let named: Vec<u32> = words[2..].chunks(step).map(|c| c[step - 1]).collect();
        cases.retain(|c| named.contains(&c.label) || c.label == default_label);
        for n in 0..cases.len() {
            let case = cases[n].clone();
            self.arrive(case, &before);
            if !self.body(depth + 1) {
                continue;
            }
            // Falls into the next case, but neither from the default nor into it.
            let of_default = |t: &PendingBlock| t.label == default_label;
            let falls = n + 1 < cases.len() && !of_default(&cases[n]) && !of_default(&cases[n + 1]);
            let to = if falls && self.r.one_in(2) {
                let mut next = cases[n + 1].clone();
                let to = self.edge(&mut next);
                cases[n + 1] = next;
                to
            } else {
                self.way(Way::Merge(own))
            };
            self.put(Inst::new(Op::Branch, 0, 0, [to]));
        }
        let Some(Construct::Selection { merge, .. }) = self.constructs.pop() else { return false };
        self.exit(wall, was);
        self.arrive(merge, &before)
    }

    /// The lowest word of a literal of the selector's type.
    fn literal(&mut self, ty: u32, bits: u64) -> u32 {
        let width = self.bits_of(ty);
        match self.kind(ty) {
            super::types::Kind::Int { signed: true, .. } if width < 32 && bits >> (width - 1) & 1 == 1 => {
                bits as u32 | u32::MAX << width
            }
            _ => bits as u32,
        }
    }

    /// A loop that runs a few times at most.
    fn repeat(&mut self, depth: u32) -> bool {
        let (uint, was) = (self.uint(), self.uniform);
        let (zero, one) = (self.word(0), self.word(1));
        let limit = 1 + self.r.below(4) as u32;
        let limit = self.word(limit);
        // The values of the header's phis before the loop.
        let mut phis: Vec<(u32, u32, u32, u32)> = Vec::new();
        let counter = self.id();
        for _ in 0..self.r.below(3) {
            let ty = self.flowing_type();
            let init = self.value(ty);
            phis.push((self.id(), ty, init, 0));
        }
        // Whether all leave together is decided now; conditions are chosen to fit.
        let uniform = !(self.together && was) || self.r.one_in(2);
        let wall = self.enter(uniform);
        let (header, before) = (self.id(), self.current());
        self.put(Inst::new(Op::Branch, 0, 0, [header]));
        self.open(header);
        let merge = self.target(self.uniform);
        let cont = self.target(self.uniform);
        let merge_label = merge.label;
        self.offer(counter, uint, true);
        for &(id, ty, ..) in &phis {
            self.offer(id, ty, false);
        }
        let header_scope = self.scope.clone();
        let control = self.r.pick(&[LoopControl::NONE, LoopControl::UNROLL, LoopControl::DONT_UNROLL]);
        let shape = self.r.below(5);
        let cont_label = if shape == 3 { header } else { cont.label };
        let mut back = header;
        self.constructs.push(Construct::Loop { merge, cont });
        let own = self.constructs.len() - 1;
        if shape != 3 {
            for _ in 0..self.r.below(3) {
                self.operation();
            }
        }
        let counted = |g: &mut Gen, from: u32| {
            let bool = g.bool();
            let less = g.emit(Op::ULessThan, bool, &[from, limit]);
            let c = g.condition();
            if g.r.one_in(2) || g.uniform && g.together && !c.uniform {
                return less;
            }
            g.emit(Op::LogicalAnd, bool, &[less, c.id])
        };
        let merge_instruction = Inst::new(Op::LoopMerge, 0, 0, [merge_label, cont_label, control.bits()]);
        let mut next = 0;
        match shape {
            // The header tests.
            0 => {
                let c = counted(self, counter);
                let body = self.id();
                let to = self.way(Way::Merge(own));
                self.put(merge_instruction);
                self.put(Inst::new(Op::BranchConditional, 0, 0, [c, body, to]));
                self.open(body);
            }
            // The header goes to one of two bodies, which meet no more.
            4 => {
                let c = counted(self, counter);
                let (one, other) = (self.id(), self.id());
                self.put(merge_instruction);
                self.put(Inst::new(Op::BranchConditional, 0, 0, [c, one, other]));
                let scope = self.scope.clone();
                self.open(one);
                if self.body(depth + 1) {
                    let way = if self.r.one_in(3) { Way::Merge(own) } else { Way::Continue(own) };
                    let to = self.way(way);
                    self.put(Inst::new(Op::Branch, 0, 0, [to]));
                }
                self.scope = scope;
                self.open(other);
                let c = counted(self, counter);
                let (to, inner) = (self.way(Way::Merge(own)), self.id());
                self.put(Inst::new(Op::BranchConditional, 0, 0, [c, inner, to]));
                self.open(inner);
            }
            // A block of the body tests, or the continue construct does.
            1 | 2 => {
                let body = self.id();
                self.put(merge_instruction);
                self.put(Inst::new(Op::Branch, 0, 0, [body]));
                self.open(body);
                if shape == 1 {
                    let c = counted(self, counter);
                    let (to, inner) = (self.way(Way::Merge(own)), self.id());
                    self.put(Inst::new(Op::BranchConditional, 0, 0, [c, inner, to]));
                    self.open(inner);
                }
            }
            // All of the loop is one block.
            _ => {
                for _ in 0..1 + self.r.below(3) {
                    self.operation();
                }
                next = self.emit(Op::IAdd, uint, &[counter, one]);
                let c = counted(self, next);
                for p in &mut phis {
                    p.3 = self.value(p.1);
                }
                let to = self.way(Way::Merge(own));
                self.put(merge_instruction);
                self.put(Inst::new(Op::BranchConditional, 0, 0, [c, header, to]));
            }
        }
        if shape != 3 {
            if self.body(depth + 1) {
                let to = self.way(Way::Continue(own));
                self.put(Inst::new(Op::Branch, 0, 0, [to]));
            }
            let Construct::Loop { cont, .. } = self.constructs[own].clone() else { return false };
            // Into the continue construct; nothing in it leaves the loop but its end.
            self.constructs.push(Construct::Wall);
            let reached = !cont.edges.is_empty();
            self.open_continue(cont, &header_scope);
            if reached && self.r.one_in(3) && depth + 1 < DEEPEST && self.budget > 0 {
                self.budget -= 1;
                // Nothing in it can leave, so its merge is reached.
                let open = if self.r.one_in(3) { self.repeat(depth + 1) } else { self.selection(depth + 1) };
                assert!(open, "a construct that does not come back");
            }
            self.operation();
            next = self.emit(Op::IAdd, uint, &[counter, one]);
            for p in &mut phis {
                p.3 = self.value(p.1);
            }
            let test = (shape == 2).then(|| counted(self, next));
            self.constructs.pop();
            back = self.current();
            match test {
                Some(c) => {
                    let to = self.way(Way::Merge(own));
                    let bool = self.bool();
                    let sides = if self.r.one_in(2) {
                        [c, header, to]
                    } else {
                        [self.emit(Op::LogicalNot, bool, &[c]), to, header]
                    };
                    self.put(Inst::new(Op::BranchConditional, 0, 0, sides));
                }
                None => self.put(Inst::new(Op::Branch, 0, 0, [header])),
            }
        }
        let mut first = vec![Inst::new(Op::Phi, uint, counter, [zero, before, next, back])];
        first.extend(phis.iter().map(|&(id, ty, init, again)| Inst::new(Op::Phi, ty, id, [init, before, again, back])));
        if let Some(b) = self.blocks.iter_mut().find(|b| b.label == header) {
            b.insts.splice(0..0, first);
        }
        let Some(Construct::Loop { merge, .. }) = self.constructs.pop() else { return false };
        self.exit(wall, was);
        self.arrive(merge, &header_scope)
    }

    fn open_continue(&mut self, cont: PendingBlock, before: &[Val]) {
        if cont.edges.is_empty() {
            self.open(cont.label);
            self.scope = before.to_vec();
        } else {
            self.arrive(cont, before);
        }
    }

    /// A condition; where all must stay together, more often than not one that is alike for all.
    fn condition(&mut self) -> Val {
        let ty = self.bool();
        if self.uniform && self.together && self.r.below(3) != 0 {
            let uint = self.uint();
            let all: Vec<Val> = self.scope.iter().filter(|v| v.uniform && v.ty == uint).copied().collect();
            let a = if all.is_empty() { self.word(1) } else { self.r.pick(&all).id };
            let small = self.r.below(6) as u32;
            let b = self.word(small);
            let op = self.r.pick(&[Op::ULessThan, Op::IEqual, Op::UGreaterThanEqual, Op::INotEqual]);
            let three = self.word(3);
            let a = self.emit(Op::BitwiseAnd, uint, &[a, three]);
            let id = self.emit(op, ty, &[a, b]);
            self.offer(id, ty, true);
            return Val { id, ty, uniform: true };
        }
        self.pick_value(ty)
    }

    /// An integer for a switch, mostly a small one.
    fn selector(&mut self) -> Val {
        let uint = self.uint();
        if self.uniform && self.together && self.r.one_in(2) {
            let c = self.condition();
            let (one, zero) = (self.word(1), self.word(0));
            let id = self.emit(Op::Select, uint, &[c.id, one, zero]);
            return Val { id, ty: uint, uniform: c.uniform };
        }
        let all: Vec<u32> = self.scalars.iter().copied().filter(|&t| self.is_int(t)).collect();
        let ty = self.r.pick(&all);
        let v = self.pick_value(ty);
        let seven = self.scalar_constant(ty, 7);
        let id = if self.r.one_in(4) { v.id } else { self.emit(Op::BitwiseAnd, ty, &[v.id, seven]) };
        Val { id, ty, uniform: v.uniform }
    }
}
