//! Private memory becomes SSA.
//!
//! Algorithm: a cell is a scalar of scratch that is only accessed at a constant address, always whole and with one width.
//! 1. Number the cells, and find for each structured node the cells that are stored inside of it.
//! 2. Walk the region tree in order with the current value of each cell. A load is replaced by that value, a store sets it.
//! 3. Cells stored inside of an `If`, `Block` or `Switch` become results of it, those stored in a `Loop` its parameters and
//!    results, those stored in a case parameters of the cases that it falls into; each exit passes the values that it has. Cells that nothing outside of the node accesses need no result, and cells
//!    that a loop's body first stores need no parameter.
//! 4. A local of a few cells with dynamic accesses is accessed by selects among all its cells.
//! What remains keeps its memory, packed anew; booleans become words there.

use crate::ir::*;
use std::collections::HashMap;

mod points;
mod switch;

/// Most cells of a local whose dynamic accesses become selects.
const SELECT_CELLS: u32 = 8;

/// Replaces scratch accesses by values wherever possible.
pub fn promote(kernel: &mut Kernel) {
    // Without any there may still be marks of source variables.
    let none = kernel.locals.is_empty() && kernel.shared_scratch == 0;
    if none && kernel.named.is_none() {
        return;
    }
    let mut constants: HashMap<Value, u64> = HashMap::new();
    kernel.body.for_each_inst(&mut |i| {
        if let (Op::Const(c), Some(&r)) = (&i.op, i.results.first()) {
            constants.insert(r, *c);
        }
    });
    let plan = Plan::make(kernel, &constants);
    let mut body = std::mem::replace(&mut kernel.body, Region { nodes: Vec::new(), exit: Exit::Unreachable });
    let mut facts = Facts { spans: vec![(u32::MAX, 0); plan.widths.len()], ..Facts::default() };
    facts.region(&body, &plan, &constants, &kernel.values);
    let points = points::Points::new(kernel, &plan);
    let mut p = Promote {
        points,
        env: vec![None; plan.widths.len()],
        replaced: HashMap::new(),
        targets: HashMap::new(),
        carried: vec![0; plan.widths.len()],
        structures: 0,
        prologue: Vec::new(),
        made: HashMap::new(),
        k: kernel,
        plan,
        constants,
        facts,
    };
    p.region(&mut body, &[]);
    let mut nodes = std::mem::take(&mut p.prologue);
    nodes.append(&mut body.nodes);
    body.nodes = nodes;
    p.points.give_back(p.k);
    let plan = p.plan;
    kernel.body = body;
    if none {
        return;
    }
    kernel.locals = plan.kept.iter().map(|&(_, l)| l).collect();
    kernel.scratch_bytes = kernel.locals.last().map_or(kernel.shared_scratch, |l| l.offset + l.size);
}

fn bytes(w: Width) -> u32 {
    (w.bits() / 8).max(if w == Width::B1 { 4 } else { 1 })
}

/// How the accesses of one local are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Cells,
    Selects,
    Memory,
}

struct Plan {
    /// Old locals, sorted, with their modes.
    locals: Vec<(Local, Mode)>,
    /// Cell number by byte offset.
    cells: HashMap<u32, usize>,
    widths: Vec<Width>,
    /// Locals that stay in memory: old offset and new place.
    kept: Vec<(u32, Local)>,
}

impl Plan {
    fn local(&self, offset: u32) -> Option<usize> {
        let n = self.locals.partition_point(|l| l.0.offset <= offset).checked_sub(1)?;
        (offset - self.locals[n].0.offset < self.locals[n].0.size).then_some(n)
    }

    fn make(kernel: &Kernel, constants: &HashMap<Value, u64>) -> Plan {
        let mut locals = kernel.locals.clone();
        locals.sort_by_key(|l| l.offset);
        let mut plan = Plan {
            locals: locals.into_iter().map(|l| (l, Mode::Cells)).collect(),
            cells: HashMap::new(),
            widths: Vec::new(),
            kept: Vec::new(),
        };
        let mut shapes: Vec<HashMap<u32, Width>> = vec![HashMap::new(); plan.locals.len()];
        let mut dynamic: Vec<Option<Width>> = vec![None; plan.locals.len()];
        kernel.body.for_each_inst(&mut |i| {
            let Some(a) = Access::of(i) else { return };
            let Some(n) = plan.local(a.offset) else { return };
            if a.atomic || a.volatile {
                plan.locals[n].1 = Mode::Memory;
                return;
            }
            let width = kernel.width(a.data[0]);
            let Some(&base) = constants.get(&i.args[0]) else {
                let mixed = dynamic[n].is_some_and(|w| w != width) || a.data.len() != 1;
                dynamic[n] = Some(width);
                if mixed {
                    plan.locals[n].1 = Mode::Memory;
                }
                return;
            };
            for k in 0..a.data.len() as u32 {
                let at = a.offset.wrapping_add(base as u32).wrapping_add(k * bytes(width));
                if *shapes[n].entry(at).or_insert(width) != width {
                    plan.locals[n].1 = Mode::Memory;
                }
            }
        });
        // What functions share has its place already.
        let mut end = kernel.shared_scratch;
        for n in 0..plan.locals.len() {
            let (local, mode) = &mut plan.locals[n];
            let shape = &mut shapes[n];
            if let Some(w) = dynamic[n] {
                let small = local.size <= SELECT_CELLS * bytes(w) && local.size % bytes(w) == 0;
                if *mode != Mode::Memory && small && !w.is_descriptor() {
                    *mode = Mode::Selects;
                    for k in 0..local.size / bytes(w) {
                        shape.entry(local.offset + k * bytes(w)).or_insert(w);
                    }
                    if shape.values().any(|x| *x != w) {
                        *mode = Mode::Memory;
                    }
                } else {
                    *mode = Mode::Memory;
                }
            }
            let mut at: Vec<(u32, Width)> = shape.iter().map(|(&o, &w)| (o, w)).collect();
            at.sort_by_key(|x| x.0);
            if at.windows(2).any(|x| x[0].0 + bytes(x[0].1) > x[1].0) {
                *mode = Mode::Memory;
            }
            if *mode == Mode::Memory {
                let offset = u32::next_multiple_of(end, 16);
                end = offset + local.size;
                plan.kept.push((local.offset, Local { offset, size: local.size }));
                continue;
            }
            for (o, w) in at.into_iter().filter(|x| x.0 >= local.offset && x.0 < local.offset + local.size) {
                plan.cells.insert(o, plan.widths.len());
                plan.widths.push(w);
            }
        }
        plan
    }

    fn in_memory(&self, at: u32) -> bool {
        self.local(at).is_none_or(|n| self.locals[n].1 == Mode::Memory)
    }

    /// The new place of a byte that stays in memory.
    fn moved(&self, at: u32) -> u32 {
        let old = self.local(at).map(|n| self.locals[n].0.offset);
        let kept = self.kept.iter().find(|k| Some(k.0) == old);
        kept.map_or(at, |&(old, new)| at - old + new.offset)
    }

    /// The cells that an access touches; empty if it stays in memory. With a dynamic address: all of the local.
    fn touched(&self, a: &Access<'_>, base: Option<u64>, width: Width) -> Touch {
        let Some(n) = self.local(a.offset) else { return Touch::Memory };
        let (local, mode) = self.locals[n];
        match (mode, base) {
            (Mode::Memory, _) => Touch::Memory,
            (_, Some(base)) => Touch::Cells(
                (0..a.data.len() as u32)
                    .map(|k| {
                        self.cells.get(&a.offset.wrapping_add(base as u32).wrapping_add(k * bytes(width))).copied()
                    })
                    .collect(),
            ),
            (_, None) => Touch::Any(
                (0..local.size / bytes(width))
                    .filter_map(|k| {
                        let at = local.offset + k * bytes(width);
                        Some((self.cells.get(&at).copied()?, at.wrapping_sub(a.offset)))
                    })
                    .collect(),
            ),
        }
    }
}

enum Touch {
    Memory,
    /// None: outside of the local, where a load gives anything and a store nothing.
    Cells(Vec<Option<usize>>),
    /// One of these, each with the value of the address operand that means it.
    Any(Vec<(usize, u32)>),
}

/// A scratch load, store or atomic.
struct Access<'a> {
    offset: u32,
    data: &'a [Value],
    store: bool,
    atomic: bool,
    volatile: bool,
}

impl<'a> Access<'a> {
    fn of(i: &'a Inst) -> Option<Access<'a>> {
        match &i.op {
            Op::Load { space: Space::Scratch, offset, access } => Some(Access {
                offset: *offset,
                data: &i.results,
                store: false,
                atomic: false,
                volatile: access.volatile,
            }),
            Op::Store { space: Space::Scratch, offset, access } => Some(Access {
                offset: *offset,
                data: &i.args[1..],
                store: true,
                atomic: false,
                volatile: access.volatile,
            }),
            Op::Atomic { space: Space::Scratch, offset, .. } => {
                Some(Access { offset: *offset, data: &i.args[1..], store: true, atomic: true, volatile: false })
            }
            _ => None,
        }
    }
}

/// What is stored where: one record a structured node, in program order.
#[derive(Default)]
struct Facts {
    /// First and last position of an access to each cell.
    spans: Vec<(u32, u32)>,
    structures: Vec<Structure>,
    position: u32,
}

#[derive(Default, Clone)]
struct Structure {
    start: u32,
    end: u32,
    /// Cells stored inside, sorted.
    stored: Vec<usize>,
    /// Of a loop: cells whose first access in the body is a store that every round does.
    fresh: Vec<usize>,
    /// Of a switch: where each case begins, and the cells stored in it.
    cases: Vec<(u32, Vec<usize>)>,
}

impl Facts {
    fn touch(&mut self, cell: usize) {
        let s = &mut self.spans[cell];
        *s = (s.0.min(self.position), s.1.max(self.position));
    }

    /// Cells stored in the region, and those that it stores before it reads them.
    fn region(
        &mut self,
        r: &Region,
        plan: &Plan,
        constants: &HashMap<Value, u64>,
        widths: &[ValueInfo],
    ) -> (Vec<usize>, Vec<usize>) {
        let (mut stored, mut fresh, mut seen) = (Vec::new(), Vec::new(), std::collections::HashSet::new());
        for n in &r.nodes {
            self.position += 1;
            let Node::Inst(i) = n else {
                let id = self.structures.len();
                self.structures.push(Structure { start: self.position, ..Default::default() });
                let before = self.position;
                let mut inner = Vec::new();
                let mut first = Vec::new();
                let mut cases = Vec::new();
                for r in n.regions() {
                    let begin = self.position;
                    let (s, f) = self.region(r, plan, constants, widths);
                    inner.extend(&s);
                    first = f;
                    if matches!(n, Node::Switch { .. }) {
                        cases.push((begin, s));
                    }
                }
                inner.sort_unstable();
                inner.dedup();
                let s = &mut self.structures[id];
                s.end = self.position;
                s.stored = inner.clone();
                s.cases = cases;
                if matches!(n, Node::Loop { .. }) {
                    first.sort_unstable();
                    s.fresh = first;
                }
                // Anything accessed inside counts as seen from here on.
                for (cell, span) in self.spans.iter().enumerate() {
                    if span.1 > before && span.0 <= self.position {
                        seen.insert(cell);
                    }
                }
                stored.extend(inner);
                continue;
            };
            let Some(a) = Access::of(i) else { continue };
            let Some(&v) = a.data.first() else { continue };
            let width = widths[v.0 as usize].width;
            let touch = plan.touched(&a, constants.get(&i.args[0]).copied(), width);
            let (cells, exact): (Vec<usize>, bool) = match touch {
                Touch::Memory => continue,
                Touch::Cells(c) => (c.into_iter().flatten().collect(), true),
                Touch::Any(c) => (c.into_iter().map(|c| c.0).collect(), false),
            };
            for c in cells {
                self.touch(c);
                if seen.insert(c) && a.store && exact {
                    fresh.push(c);
                }
                if a.store {
                    stored.push(c);
                }
            }
        }
        self.position += 1;
        stored.sort_unstable();
        stored.dedup();
        (stored, fresh)
    }
}

struct Promote<'a> {
    k: &'a mut Kernel,
    plan: Plan,
    constants: HashMap<Value, u64>,
    facts: Facts,
    env: Vec<Option<Value>>,
    replaced: HashMap<Value, Value>,
    /// Cells that a jump passes: to a loop's start, and out.
    targets: HashMap<Label, (Vec<usize>, Vec<usize>)>,
    /// How many of the loops around here carry the cell from round to round.
    carried: Vec<u32>,
    structures: usize,
    points: points::Points,
    prologue: Vec<Node>,
    made: HashMap<(Width, Option<u64>), Value>,
}

fn simple(op: Op, args: Vec<Value>, results: Vec<Value>, loc: Loc) -> Node {
    Node::Inst(Inst { op, args, results, exact: false, loc })
}

impl Promote<'_> {
    fn resolve(&self, v: Value) -> Value {
        self.replaced.get(&v).copied().unwrap_or(v)
    }

    /// A constant, or (None) an undefined value, at the start of the kernel.
    fn made(&mut self, width: Width, bits: Option<u64>) -> Value {
        if let Some(&v) = self.made.get(&(width, bits)) {
            return v;
        }
        let v = self.k.value(width);
        self.prologue.push(simple(bits.map_or(Op::Undef, Op::Const), vec![], vec![v], Loc::default()));
        self.made.insert((width, bits), v);
        v
    }

    fn current(&mut self, cell: usize) -> Value {
        match self.env[cell] {
            Some(v) => v,
            None => self.made(self.plan.widths[cell], None),
        }
    }

    fn currents(&mut self, cells: &[usize]) -> Vec<Value> {
        cells.iter().map(|&c| self.current(c)).collect()
    }

    fn fresh(&mut self, cells: &[usize]) -> Vec<Value> {
        cells.iter().map(|&c| self.k.value(self.plan.widths[c])).collect()
    }

    /// Rewrites the region; falling out of its end passes the values of `yields`.
    fn region(&mut self, r: &mut Region, yields: &[usize]) {
        for mut n in std::mem::take(&mut r.nodes) {
            for v in n.args_mut() {
                *v = self.replaced.get(v).copied().unwrap_or(*v);
            }
            if let Node::Inst(mut i) = n {
                if !self.marked(&i) {
                    self.stand(&mut i.loc);
                    self.inst(i, &mut r.nodes);
                }
                continue;
            }
            let around = self.enter(n.loc_mut());
            let facts = self.facts.structures[self.structures].clone();
            self.structures += 1;
            let switch = matches!(n, Node::Switch { .. });
            // Only what something outside of the node accesses leaves it; of a switch, what comes after it (or a later round):
            // phis that a case has from the head would be results of all cases else.
            let out: Vec<usize> = facts
                .stored
                .iter()
                .copied()
                .filter(|&c| {
                    let (first, last) = self.facts.spans[c];
                    self.carried[c] > 0 || !switch && first < facts.start || last > facts.end
                })
                .collect();
            let given = self.fresh(&out);
            let before: Vec<Option<Value>> = facts.stored.iter().map(|&c| self.env[c]).collect();
            match &mut n {
                Node::If { then, els, results, .. } => {
                    self.region_begins(&around, &[]);
                    self.region(then, &out);
                    for (&c, v) in facts.stored.iter().zip(&before) {
                        self.env[c] = *v;
                    }
                    self.region_begins(&around, &[]);
                    self.region(els, &out);
                    results.extend(&given);
                }
                Node::Loop { label, params, init, body, results, .. } => {
                    // A round that leaves before its store passes on what an earlier round stored.
                    let carried: Vec<usize> = facts
                        .stored
                        .iter()
                        .copied()
                        .filter(|c| out.contains(c) || facts.fresh.binary_search(c).is_err())
                        .collect();
                    init.extend(self.currents(&carried));
                    let new = self.fresh(&carried);
                    for &c in &facts.stored {
                        self.env[c] = None;
                    }
                    for (&c, &v) in carried.iter().zip(&new) {
                        self.env[c] = Some(v);
                    }
                    params.extend(new);
                    carried.iter().for_each(|&c| self.carried[c] += 1);
                    self.targets.insert(*label, (carried.clone(), out.clone()));
                    self.region_begins(&around, &facts.stored);
                    self.region(body, &[]);
                    carried.iter().for_each(|&c| self.carried[c] -= 1);
                    results.extend(&given);
                }
                Node::Block { label, body, results, .. } => {
                    self.targets.insert(*label, (Vec::new(), out.clone()));
                    self.region_begins(&around, &[]);
                    self.region(body, &out);
                    results.extend(&given);
                }
                Node::Switch { label, cases, results, .. } => {
                    self.targets.insert(*label, (Vec::new(), out.clone()));
                    self.cases(cases, &facts, &before, &out, &around);
                    results.extend(&given);
                }
                Node::Inst(_) => {}
            }
            for &c in &facts.stored {
                self.env[c] = None;
            }
            for (&c, &v) in out.iter().zip(&given) {
                self.env[c] = Some(v);
            }
            self.leave(&around, &facts.stored);
            r.nodes.push(n);
        }
        for v in r.exit.values_mut() {
            *v = self.replaced.get(v).copied().unwrap_or(*v);
        }
        let cells = match &r.exit {
            Exit::Yield(_) => yields.to_vec(),
            Exit::Break(l, _) => self.targets.get(l).map(|t| t.1.clone()).unwrap_or_default(),
            Exit::Continue(l, _) => self.targets.get(l).map(|t| t.0.clone()).unwrap_or_default(),
            Exit::Unreachable => Vec::new(),
        };
        let values = self.currents(&cells);
        if let Exit::Yield(v) | Exit::Break(_, v) | Exit::Continue(_, v) = &mut r.exit {
            v.extend(values);
        }
    }

    fn inst(&mut self, i: Inst, out: &mut Vec<Node>) {
        let Some(a) = Access::of(&i) else {
            out.push(Node::Inst(i));
            return;
        };
        let width = match a.data.first() {
            Some(&v) => self.k.width(v),
            None => Width::B32,
        };
        match self.plan.touched(&a, self.constants.get(&i.args[0]).copied(), width) {
            Touch::Cells(cells) => {
                for (&v, cell) in a.data.iter().zip(cells) {
                    match (a.store, cell) {
                        (true, Some(c)) => {
                            self.env[c] = Some(self.resolve(v));
                            self.changed(c);
                        }
                        (true, None) => {}
                        (false, Some(c)) => {
                            let now = self.current(c);
                            self.replaced.insert(v, now);
                        }
                        (false, None) => {
                            let any = self.made(width, None);
                            self.replaced.insert(v, any);
                        }
                    }
                }
            }
            Touch::Any(cells) => {
                let data = a.data[0];
                let mut value: Option<Value> = None;
                for (cell, address) in cells {
                    let now = self.current(cell);
                    let k = self.made(Width::B32, Some(u64::from(address)));
                    let hit = self.k.value(Width::B1);
                    let chosen = self.k.value(width);
                    let select = |out: &mut Vec<Node>, yes: Value, no: Value| {
                        out.push(simple(Op::Alu(Alu::IEq), vec![i.args[0], k], vec![hit], i.loc));
                        out.push(simple(Op::Alu(Alu::Select), vec![hit, yes, no], vec![chosen], i.loc));
                    };
                    if a.store {
                        select(out, data, now);
                        self.env[cell] = Some(chosen);
                        self.changed(cell);
                    } else {
                        match value {
                            None => value = Some(now),
                            Some(v) => {
                                select(out, now, v);
                                value = Some(chosen);
                            }
                        }
                    }
                }
                if !a.store {
                    let v = match value {
                        Some(v) => v,
                        None => self.made(width, None),
                    };
                    self.replaced.insert(data, v);
                }
            }
            Touch::Memory => self.memory(i, width, out),
        }
    }

    /// Moves the access to the local's new place, and makes words of booleans.
    fn memory(&mut self, mut i: Inst, width: Width, out: &mut Vec<Node>) {
        let (Op::Load { offset, .. } | Op::Store { offset, .. } | Op::Atomic { offset, .. }) = &mut i.op else {
            return;
        };
        let place = self.plan.local(*offset).map(|n| self.plan.locals[n].0.offset);
        if let Some(&(old, new)) = self.plan.kept.iter().find(|k| Some(k.0) == place) {
            *offset = *offset - old + new.offset;
        }
        let loc = i.loc;
        if width != Width::B1 {
            out.push(Node::Inst(i));
            return;
        }
        if matches!(i.op, Op::Store { .. }) {
            for v in &mut i.args[1..] {
                let word = self.k.value(Width::B32);
                out.push(simple(Op::Alu(Alu::BoolToInt), vec![*v], vec![word], loc));
                *v = word;
            }
            out.push(Node::Inst(i));
            return;
        }
        let words: Vec<Value> = i.results.iter().map(|_| self.k.value(Width::B32)).collect();
        let bools = std::mem::replace(&mut i.results, words.clone());
        out.push(Node::Inst(i));
        let zero = self.made(Width::B32, Some(0));
        for (word, b) in words.into_iter().zip(bools) {
            out.push(simple(Op::Alu(Alu::INe), vec![word, zero], vec![b], loc));
        }
    }
}
