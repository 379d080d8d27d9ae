//! Writes the kernel anew through the folding builder.
//!
//! Algorithm: walk the region tree in order and emit every node again, with old values mapped to new ones.
//! - Arithmetic is folded, simplified and shared by the builder; equal descriptors and loads are shared here, those of memory
//!   that may change only until something that may change it.
//! - An `If` on a known condition is replaced by the arm that runs. Two cheap, pure arms become selects.
//! - A `Loop` of few rounds becomes its rounds (`unroll.rs`).
//! - A `Block` that nothing jumps out of is replaced by its body; a `Switch` on a known selector by the cases that run.
//! - Loop parameters that never change, and results that are the same on every way out, are replaced by their value.
//!
//! Nothing that runs is removed or reordered.

use super::unroll::{Shapes, Trials};
use crate::analysis::divergence::Divergence;
use crate::ir::build::Builder;
use crate::ir::*;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

mod points;
mod switch;

/// Most loads remembered for the case that they are done again.
const FRESH_LOADS: usize = 32;
/// Most instructions in the two arms of an `If` that become selects.
const SELECT_INSTRUCTIONS: usize = 6;

/// What a jump to an old label has become.
#[derive(Clone)]
pub(super) struct RenewedLabel {
    pub label: Label,
    /// Which parameters and results are still there.
    pub params: Vec<bool>,
    pub results: Vec<bool>,
}

pub(super) struct Rebuild {
    pub b: Builder,
    widths: Vec<ValueInfo>,
    pub map: Vec<Option<Value>>,
    pub targets: HashMap<Label, RenewedLabel>,
    /// Read-only loads seen in the open regions, and which of them to forget when each region closes.
    loads: HashMap<(Op, Vec<Value>), Vec<Value>>,
    load_scopes: Vec<Vec<(Op, Vec<Value>)>>,
    /// Loads of memory that nothing has written since, with their results.
    fresh: Vec<(Inst, Vec<Value>)>,
    /// Conditions of the arms around here, and what they are there.
    assumed: Vec<(Value, bool)>,
    pub trials: Trials,
    pub shapes: Shapes,
    /// Expand what `super::lower` expands; what it asks of the values.
    lowering: Option<Divergence>,
    points: points::Renewed,
}

pub fn rebuild(kernel: &mut Kernel) {
    again(kernel, None);
}

/// As [`rebuild`], with operations expanded that the machine does not have.
pub fn lower(kernel: &mut Kernel) {
    let divergence = Divergence::new(kernel);
    again(kernel, Some(divergence));
}

fn again(kernel: &mut Kernel, lowering: Option<Divergence>) {
    let mut old = std::mem::replace(kernel, Kernel::new("", [1; 3]));
    let widths = std::mem::take(&mut old.values);
    let body = std::mem::replace(&mut old.body, Region { nodes: Vec::new(), exit: Exit::Unreachable });
    let params = std::mem::take(&mut old.params);
    let map = vec![None; widths.len()];
    let shapes = Shapes::new(&body, widths.len());
    let points = points::Renewed::of(&mut old);
    let b = Builder::new(Kernel { labels: 0, ..old });
    let mut r = Rebuild {
        b,
        widths,
        map,
        targets: HashMap::new(),
        loads: HashMap::new(),
        load_scopes: vec![Vec::new()],
        fresh: Vec::new(),
        assumed: Vec::new(),
        trials: Trials::default(),
        shapes,
        lowering,
        points,
    };
    r.b.kernel.params = params.iter().map(|&p| r.fresh(p)).collect();
    let exit = r.region(&body);
    r.settle(points::Come::default());
    *kernel = r.b.finish(exit);
}

/// Keeps the elements that are still wanted.
pub(super) fn keep<T: Copy>(items: &[T], wanted: &[bool]) -> Vec<T> {
    items.iter().zip(wanted).filter(|(_, w)| **w).map(|(i, _)| *i).collect()
}

/// True if any exit in the nodes goes to `label`.
pub(super) fn jumps_to(nodes: &[Node], label: Label) -> bool {
    nodes.iter().flat_map(Node::regions).any(|r| {
        matches!(&r.exit, Exit::Break(l, _) | Exit::Continue(l, _) if *l == label) || jumps_to(&r.nodes, label)
    })
}

/// May run where it was not meant to, at little cost.
fn speculates(nodes: &[Node]) -> bool {
    let cheap = |n: &Node| match n {
        Node::Inst(i) => match i.op {
            Op::Alu(a) => !matches!(
                a,
                Alu::UDiv
                    | Alu::SDiv
                    | Alu::UMod
                    | Alu::SRem
                    | Alu::SMod
                    | Alu::URcp
                    | Alu::FDiv
                    | Alu::FRem
                    | Alu::FMod
            ),
            Op::Const(_) | Op::Undef => true,
            // Always there, and a scalar load at worst.
            Op::Load { space: Space::Push, .. } => true,
            _ => false,
        },
        _ => false,
    };
    nodes.iter().all(cheap)
}

/// True if the value defined by `v` is true exactly when `c`, defined by `of`, is false.
fn inverse(v: build::Def, c: Value, of: build::Def) -> bool {
    use Alu::*;
    let build::Def::Alu(a, [p, q, ..], _) = v else { return false };
    if a == Not && p == c {
        return true;
    }
    let build::Def::Alu(b, [r, s, ..], _) = of else { return false };
    match (a, b) {
        (ULt, ULe) | (ULe, ULt) | (SLt, SLe) | (SLe, SLt) => (p, q) == (s, r),
        (IEq, INe)
        | (INe, IEq)
        | (FOrdEq, FUnordNe)
        | (FUnordNe, FOrdEq)
        | (FOrdNe, FUnordEq)
        | (FUnordEq, FOrdNe)
        | (FOrdLt, FUnordGe)
        | (FUnordGe, FOrdLt)
        | (FOrdLe, FUnordGt)
        | (FUnordGt, FOrdLe)
        | (FOrdGt, FUnordLe)
        | (FUnordLe, FOrdGt)
        | (FOrdGe, FUnordLt)
        | (FUnordLt, FOrdGe) => (p, q) == (r, s),
        _ => false,
    }
}

impl Rebuild {
    pub fn get(&mut self, v: Value) -> Value {
        match self.map[v.0 as usize] {
            Some(new) => self.given(new),
            // Only in code that cannot run, which an earlier pass left: any value will do.
            None => self.b.undef(self.widths[v.0 as usize].width),
        }
    }

    /// A condition that the arm around here decides, else the value itself.
    fn given(&mut self, v: Value) -> Value {
        if self.b.width(v) != Width::B1 {
            return v;
        }
        let found = self.assumed.iter().find_map(|&(c, truth)| {
            if c == v { Some(truth) } else { inverse(self.b.def(v), c, self.b.def(c)).then_some(!truth) }
        });
        found.map_or(v, |truth| self.b.bool(truth))
    }

    /// A region that only runs when `cond` is `truth`.
    fn arm(&mut self, cond: Value, truth: bool, region: &Region) -> Region {
        self.assumed.push((cond, truth));
        let r = self.nested(region);
        self.assumed.pop();
        r
    }

    pub fn all(&mut self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|&v| self.get(v)).collect()
    }

    pub fn set(&mut self, old: Value, new: Value) {
        self.map[old.0 as usize] = Some(new);
    }

    pub fn fresh(&mut self, old: Value) -> Value {
        let new = self.b.value(self.widths[old.0 as usize].width);
        self.set(old, new);
        new
    }

    fn begin(&mut self) {
        self.b.begin();
        self.load_scopes.push(Vec::new());
    }

    fn end(&mut self, exit: Exit) -> Region {
        for key in self.load_scopes.pop().unwrap_or_default() {
            self.loads.remove(&key);
        }
        self.b.end(exit)
    }

    /// Emits the nodes; what they end with, or the exit of the first node after which nothing runs.
    fn region(&mut self, region: &Region) -> Exit {
        for node in &region.nodes {
            if let Some(exit) = self.node(node) {
                return exit;
            }
        }
        self.exit(&region.exit)
    }

    pub fn nested(&mut self, region: &Region) -> Region {
        let before = self.fresh.clone();
        self.begin();
        let exit = self.region(region);
        let new = self.end(exit);
        self.fresh = before;
        self.forget_all(region);
        new
    }

    /// Drops the loads whose memory something in the region may write.
    pub fn forget_all(&mut self, region: &Region) {
        if !self.fresh.is_empty() {
            region.for_each_inst(&mut |i| self.forget(&i.op));
        }
    }

    /// Drops the loads whose memory `op` may write or show anew.
    fn forget(&mut self, op: &Op) {
        let local = |s: Space| matches!(s, Space::Scratch);
        let global = |s: Space| matches!(s, Space::Buffer | Space::Global);
        match *op {
            Op::Store { space, .. } | Op::Atomic { space, .. } => self.fresh.retain(|(i, _)| match i.op {
                Op::Load { space: s, .. } => s != space && !(global(s) && global(space)),
                _ => false,
            }),
            Op::Image(image) if image.writes() => {
                self.fresh.retain(|(i, _)| matches!(i.op, Op::Load { space, .. } if !global(space)));
            }
            // The caller's own private memory is out of a function's reach, but what is shared is not.
            Op::Call { effects: true, .. } => self.fresh.clear(),
            Op::Barrier { .. } => self.fresh.retain(|(i, _)| matches!(i.op, Op::Load { space, .. } if local(space))),
            _ => {}
        }
    }

    fn exit(&mut self, exit: &Exit) -> Exit {
        match exit {
            Exit::Yield(v) => Exit::Yield(self.all(v)),
            Exit::Break(l, v) => {
                let (label, wanted) = match self.targets.get(l) {
                    Some(t) => (t.label, t.results.clone()),
                    None => return Exit::Unreachable,
                };
                Exit::Break(label, self.all(&keep(v, &wanted)))
            }
            Exit::Continue(l, v) => {
                let (label, wanted) = match self.targets.get(l) {
                    Some(t) => (t.label, t.params.clone()),
                    None => return Exit::Unreachable,
                };
                Exit::Continue(label, self.all(&keep(v, &wanted)))
            }
            Exit::Unreachable => Exit::Unreachable,
        }
    }

    /// Emits one node. `Some` = control leaves here for good.
    fn node(&mut self, node: &Node) -> Option<Exit> {
        self.trials.steps += 1;
        let loc = self.at(node.loc());
        match node {
            Node::Inst(i) => {
                self.b.loc = loc;
                self.inst(i);
                None
            }
            Node::If { cond, then, els, results, .. } => self.branch(*cond, then, els, results, loc),
            Node::Loop { label, params, init, body, results, .. } => {
                self.looped(*label, params, init, body, results, loc)
            }
            Node::Block { label, body, results, .. } => self.block(*label, body, results, loc),
            Node::Switch { label, selector, cases, results, .. } => self.switch(*label, *selector, cases, results, loc),
        }
    }

    fn inst(&mut self, i: &Inst) {
        self.b.exact = i.exact;
        let args = self.all(&i.args);
        let widths: Vec<Width> = i.results.iter().map(|r| self.widths[r.0 as usize].width).collect();
        let one = |r: &mut Self, v: Value| r.set(i.results[0], v);
        match &i.op {
            Op::Const(bits) => {
                let v = self.b.constant(widths[0], *bits);
                one(self, v);
            }
            Op::Alu(alu) => {
                let expanded =
                    if self.lowering.is_some() { super::lower::alu(&mut self.b, *alu, widths[0], &args) } else { None };
                let v = expanded.unwrap_or_else(|| self.b.alu(*alu, widths[0], &args));
                one(self, v);
            }
            // A dimension of one has one index.
            Op::Builtin(Builtin::LocalInvocationId(c)) if self.b.kernel.workgroup[*c as usize] == 1 => {
                let v = self.b.u32(0);
                one(self, v);
            }
            Op::Builtin(_) | Op::Undef | Op::Descriptor { .. } | Op::DescriptorSize => {
                let v = self.b.shared(i.op.clone(), args, widths[0]);
                one(self, v);
            }
            op => {
                let width = widths.first().copied();
                let lowered = self.lowering.as_ref().and_then(|divergence| {
                    let uniform = |n: usize| i.args[..n].iter().all(|&a| !divergence.divergent(a));
                    super::lower::atomic(&mut self.b, op, &args, width, uniform)
                        .or_else(|| super::lower::subgroup(&mut self.b, op, &args))
                });
                if let Some(v) = lowered {
                    self.forget(op);
                    one(self, v);
                    return;
                }
                let key =
                    Inst { op: op.clone(), args: args.clone(), results: Vec::new(), exact: false, loc: Loc::default() };
                let known = op.is_pure().then(|| (op.clone(), args.clone()));
                if let Some(found) = known.as_ref().and_then(|k| self.loads.get(k)).filter(|r| r.len() == widths.len())
                {
                    let found = found.clone();
                    i.results.iter().zip(found).for_each(|(&old, new)| self.set(old, new));
                    return;
                }
                let again =
                    matches!(op, Op::Load { access, .. } if !access.volatile && !access.coherent && !op.is_pure());
                if again
                    && let Some((_, found)) = self.fresh.iter().find(|(k, r)| *k == key && r.len() == widths.len())
                    && found.iter().zip(&widths).all(|(&f, &w)| self.b.width(f) == w)
                {
                    let found = found.clone();
                    i.results.iter().zip(found).for_each(|(&old, new)| self.set(old, new));
                    return;
                }
                self.forget(op);
                let new = self.b.inst(op.clone(), args, &widths);
                i.results.iter().zip(&new).for_each(|(&old, &new)| self.set(old, new));
                if again {
                    // Few are enough: what is loaded twice is loaded twice soon.
                    if self.fresh.len() >= FRESH_LOADS {
                        self.fresh.remove(0);
                    }
                    self.fresh.push((key, new));
                    return;
                }
                if let (Some(key), Some(scope)) = (known, self.load_scopes.last_mut())
                    && let Entry::Vacant(entry) = self.loads.entry(key)
                {
                    scope.push(entry.key().clone());
                    entry.insert(new);
                }
            }
        }
    }

    fn branch(&mut self, cond: Value, then: &Region, els: &Region, results: &[Value], loc: Loc) -> Option<Exit> {
        let mut cond = self.get(cond);
        if let Some(known) = self.b.known(cond) {
            let arm = if known & 1 != 0 { then } else { els };
            return match self.region(arm) {
                Exit::Yield(values) => {
                    results.iter().zip(values).for_each(|(&r, v)| self.set(r, v));
                    None
                }
                jump => Some(jump),
            };
        }
        let mut then = self.arm(cond, true, then);
        let mut els = self.arm(cond, false, els);
        if let build::Def::Alu(Alu::Not, [inner, ..], _) = self.b.def(cond) {
            cond = inner;
            std::mem::swap(&mut then, &mut els);
        }
        self.b.loc = loc;
        self.b.exact = false;
        let size = then.nodes.len() + els.nodes.len();
        let values = match (&then.exit, &els.exit) {
            (Exit::Yield(a), Exit::Yield(b)) => Some((a.clone(), b.clone())),
            _ => None,
        };
        if let Some((a, b)) = &values
            && size <= SELECT_INSTRUCTIONS
            && results.iter().all(|r| !self.widths[r.0 as usize].width.is_descriptor())
            && speculates(&then.nodes)
            && speculates(&els.nodes)
        {
            for mut n in then.nodes.into_iter().chain(els.nodes) {
                // Lanes of both arms run it.
                n.loc_mut().point = loc.point;
                self.b.push(n);
            }
            for (i, &r) in results.iter().enumerate() {
                let v = if a[i] == b[i] { a[i] } else { self.b.select(cond, a[i], b[i]) };
                self.set(r, v);
            }
            return None;
        }
        // A value that both arms give is no result of the branch.
        let wanted: Vec<bool> = match &values {
            Some((a, b)) => a.iter().zip(b).map(|(a, b)| a != b).collect(),
            None => vec![true; results.len()],
        };
        if let Some((a, _)) = &values {
            for ((&r, &v), _) in results.iter().zip(a).zip(&wanted).filter(|(_, w)| !**w) {
                self.set(r, v);
            }
        }
        for exit in [&mut then.exit, &mut els.exit] {
            if let Exit::Yield(v) = exit {
                *v = keep(v, &wanted);
            }
        }
        let falls = |r: &Region| matches!(r.exit, Exit::Yield(_));
        let ends = !falls(&then) && !falls(&els);
        let results: Vec<Value> = keep(results, &wanted).into_iter().map(|r| self.fresh(r)).collect();
        self.b.push(Node::If { cond, then, els, results, loc });
        ends.then_some(Exit::Unreachable)
    }

    fn block(&mut self, label: Label, body: &Region, results: &[Value], loc: Loc) -> Option<Exit> {
        let new = self.b.kernel.label();
        self.targets.insert(label, RenewedLabel { label: new, params: Vec::new(), results: vec![true; results.len()] });
        let region = self.nested(body);
        self.blocked(new, region, results, loc)
    }

    /// Puts the region of the new block `new` in place, as a block only if that is needed.
    fn blocked(&mut self, new: Label, region: Region, results: &[Value], loc: Loc) -> Option<Exit> {
        if jumps_to(&region.nodes, new) {
            let results = results.iter().map(|&r| self.fresh(r)).collect();
            self.b.push(Node::Block { label: new, body: region, results, loc });
            return None;
        }
        region.nodes.into_iter().for_each(|n| self.b.push(n));
        match region.exit {
            Exit::Yield(v) => results.iter().zip(v).for_each(|(&r, v)| self.set(r, v)),
            Exit::Break(l, v) if l == new => results.iter().zip(v).for_each(|(&r, v)| self.set(r, v)),
            jump => return Some(jump),
        }
        None
    }
}
