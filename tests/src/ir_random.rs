//! Random kernels with structured control flow that diverges, ends, and computes only what every implementation must agree
//! on: integers, booleans, and floats through correctly rounded operations.
//!
//! Every loop has a counter as its first parameter, which each `Continue` raises, and leaves when it is used up; so every
//! kernel ends. Each work-item stores what it computed, in the middle and at the end, to places of its own.
//!
//! Accesses come in groups at neighbouring offsets, some of them by additions, and sums of products are not exact, so that
//! the passes find addresses to split, accesses to merge and operations to contract.

mod calls;

pub use crate::random::Random;
pub use calls::kernel_with_functions;
use wavepipe_runtime::compiler::ir::*;
use wavepipe_runtime::hw::launch::BindingKind;

/// Dwords that each work-item owns in the output buffer (set 0, binding 0).
pub const SLOTS: u32 = 16;
/// Dwords of the input buffer (set 0, binding 1), a power of two.
pub const INPUTS: u32 = 256;
/// Dwords of LDS that each work-item has for itself, a power of two.
const OWN: u32 = 8;

/// A loop or block that a jump may name.
#[derive(Clone)]
struct OpenLabel {
    label: Label,
    /// A loop's counter parameter and the widths of its other parameters.
    continues: Option<(Value, Vec<Width>)>,
    results: Vec<Width>,
}

struct Gen {
    k: Kernel,
    r: Random,
    /// Values that may be used here.
    scope: Vec<Value>,
    targets: Vec<OpenLabel>,
    budget: usize,
    out: Value,
    input: Value,
    base: Value,
    /// Byte address of the work-item's own part of LDS.
    own: Value,
    slot: u32,
    subgroups: bool,
    /// Functions that may be called, and whether there is private memory.
    callees: Vec<calls::Callee>,
    memory: bool,
}

const INT: [Alu; 17] = [
    Alu::IAdd,
    Alu::ISub,
    Alu::IMul,
    Alu::And,
    Alu::Or,
    Alu::Xor,
    Alu::Shl,
    Alu::UShr,
    Alu::SShr,
    Alu::SMin,
    Alu::SMax,
    Alu::UMin,
    Alu::UMax,
    Alu::UMulHi,
    Alu::SMulHi,
    Alu::UAddCarry,
    Alu::USubBorrow,
];
const INT_ONE: [Alu; 8] =
    [Alu::INeg, Alu::Not, Alu::BitCount, Alu::BitReverse, Alu::FindLsb, Alu::FindUMsb, Alu::FindSMsb, Alu::IAbs];
const COMPARE: [Alu; 10] =
    [Alu::IEq, Alu::INe, Alu::ULt, Alu::ULe, Alu::SLt, Alu::SLe, Alu::FOrdLt, Alu::FUnordGe, Alu::FOrdEq, Alu::FOrdNe];
/// On floats made of small integers, so that no NaN's bits are compared.
const FLOAT: [Alu; 5] = [Alu::FAdd, Alu::FSub, Alu::FMul, Alu::FMin, Alu::FMax];
const REDUCE: [ReduceOp; 8] = [
    ReduceOp::IAdd,
    ReduceOp::SMin,
    ReduceOp::UMin,
    ReduceOp::SMax,
    ReduceOp::UMax,
    ReduceOp::And,
    ReduceOp::Or,
    ReduceOp::Xor,
];
const KINDS: [ReduceKind; 3] = [ReduceKind::Reduce, ReduceKind::InclusiveScan, ReduceKind::ExclusiveScan];

/// A kernel of `workgroup` work-items from a seed.
pub fn kernel(seed: u64, workgroup: u32, subgroups: bool) -> Kernel {
    let k = Kernel::new("random", [workgroup, 1, 1]);
    let mut g = Gen::new(k, Random(seed), 40, subgroups);
    let mut nodes = Vec::new();
    let n = &mut nodes;
    g.begin(n, workgroup);
    let mut exit = Exit::Yield(Vec::new());
    g.body(n, 0, &mut exit);
    // What is left over decides nothing but is seen.
    for _ in 0..3 {
        let v = g.value(n, Width::B32);
        g.store(n, v);
    }
    g.k.body = Region { nodes, exit: Exit::Yield(Vec::new()) };
    g.k
}

fn inst(op: Op, args: Vec<Value>, results: Vec<Value>) -> Inst {
    Inst { op, args, results, exact: true, loc: Loc::default() }
}

impl Gen {
    fn new(mut k: Kernel, r: Random, budget: usize, subgroups: bool) -> Gen {
        let zero = k.value(Width::B32);
        Gen {
            r,
            scope: Vec::new(),
            targets: Vec::new(),
            budget,
            out: zero,
            input: zero,
            base: zero,
            own: zero,
            slot: 0,
            subgroups,
            callees: Vec::new(),
            memory: false,
            k,
        }
    }

    /// The buffers, and where this work-item's part of the output begins.
    fn begin(&mut self, n: &mut Vec<Node>, workgroup: u32) {
        let zero = self.out;
        n.push(Node::Inst(inst(Op::Const(0), vec![], vec![zero])));
        let buffer = |binding| Op::Descriptor { set: 0, binding, kind: BindingKind::StorageBuffer };
        self.out = self.emit(n, buffer(0), &[zero], Width::Desc);
        self.input = self.emit(n, buffer(1), &[zero], Width::Desc);
        let local = self.emit(n, Op::Builtin(Builtin::LocalInvocationIndex), &[], Width::B32);
        let group = self.emit(n, Op::Builtin(Builtin::WorkGroupId(0)), &[], Width::B32);
        let size = self.constant(n, u64::from(workgroup));
        let first = self.emit(n, Op::Alu(Alu::IMul), &[group, size], Width::B32);
        let global = self.emit(n, Op::Alu(Alu::IAdd), &[first, local], Width::B32);
        let stride = self.constant(n, u64::from(4 * SLOTS));
        self.base = self.emit(n, Op::Alu(Alu::IMul), &[global, stride], Width::B32);
        let part = self.constant(n, u64::from(4 * OWN));
        self.own = self.emit(n, Op::Alu(Alu::IMul), &[local, part], Width::B32);
        self.k.lds_bytes = 4 * OWN * workgroup;
        // LDS begins with what the last work-group left there; functions find what their callers did.
        for k in (0..OWN).filter(|_| self.k.locals.is_empty()) {
            let op = Op::Store { space: Space::Lds, offset: 4 * k, access: Access::default() };
            n.push(Node::Inst(inst(op, vec![self.own, zero], vec![])));
        }
        self.scope.extend([local, group, global]);
    }

    fn emit(&mut self, nodes: &mut Vec<Node>, op: Op, args: &[Value], width: Width) -> Value {
        let v = self.k.value(width);
        nodes.push(Node::Inst(inst(op, args.to_vec(), vec![v])));
        v
    }

    fn constant(&mut self, nodes: &mut Vec<Node>, bits: u64) -> Value {
        self.emit(nodes, Op::Const(bits & 0xffff_ffff), &[], Width::B32)
    }

    /// Some visible value of a width, made up where there is none.
    fn value(&mut self, nodes: &mut Vec<Node>, width: Width) -> Value {
        let fitting: Vec<Value> = self.scope.iter().copied().filter(|&v| self.k.width(v) == width).collect();
        if !fitting.is_empty() && self.r.below(8) != 0 {
            // Late values are likelier: they lie inside of the regions.
            let from = fitting.len() - 1 - self.r.below(fitting.len()).min(self.r.below(fitting.len()));
            return fitting[from];
        }
        match width {
            Width::B1 => {
                let (a, b) = (self.value(nodes, Width::B32), self.value(nodes, Width::B32));
                let alu = self.r.pick(&COMPARE[..6]);
                self.emit(nodes, Op::Alu(alu), &[a, b], Width::B1)
            }
            _ => {
                let small = [0, 1, 2, 3, 31, 64, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x3f80_0000, 65, 0xffff_fff0];
                let bits = if self.r.below(4) == 0 { self.r.bits() } else { self.r.pick(&small) };
                self.constant(nodes, bits)
            }
        }
    }

    fn values(&mut self, nodes: &mut Vec<Node>, widths: &[Width]) -> Vec<Value> {
        widths.iter().map(|&w| self.value(nodes, w)).collect()
    }

    fn widths(&mut self, most: usize) -> Vec<Width> {
        (0..self.r.below(most + 1)).map(|_| if self.r.below(4) == 0 { Width::B1 } else { Width::B32 }).collect()
    }

    fn fresh(&mut self, widths: &[Width]) -> Vec<Value> {
        widths.iter().map(|&w| self.k.value(w)).collect()
    }

    fn store(&mut self, nodes: &mut Vec<Node>, v: Value) {
        let op = Op::Store { space: Space::Buffer, offset: 4 * (self.slot % SLOTS), access: Access::default() };
        self.slot += 1;
        nodes.push(Node::Inst(inst(op, vec![self.out, self.base, v], vec![])));
    }

    /// A float made of a value's low bits: exact, and no NaN.
    fn small_float(&mut self, nodes: &mut Vec<Node>) -> Value {
        let v = self.value(nodes, Width::B32);
        let low = self.constant(nodes, 0x3ff);
        let v = self.emit(nodes, Op::Alu(Alu::And), &[v, low], Width::B32);
        self.emit(nodes, Op::Alu(Alu::UToF), &[v], Width::B32)
    }

    /// A product and a sum that need not be rounded in between, of integers below 2^10: exact, however it is done.
    fn sum_of_products(&mut self, nodes: &mut Vec<Node>) -> Value {
        let args: Vec<Value> = (0..3).map(|_| self.small_float(nodes)).collect();
        let product = self.emit(nodes, Op::Alu(Alu::FMul), &args[..2], Width::B32);
        let sum = self.r.pick(&[[product, args[2]], [args[2], product]]);
        let alu = self.r.pick(&[Alu::FAdd, Alu::FSub]);
        let v = self.emit(nodes, Op::Alu(alu), &sum, Width::B32);
        let from = nodes.len() - 2;
        for node in &mut nodes[from..] {
            if let Node::Inst(i) = node {
                i.exact = false;
            }
        }
        self.emit(nodes, Op::Alu(Alu::FToS), &[v], Width::B32)
    }

    /// Loads or stores at neighbouring places, in any order: from the input, or in the work-item's own part of LDS.
    fn neighbours(&mut self, nodes: &mut Vec<Node>) -> Value {
        let lds = self.r.below(2) == 0;
        let (space, most) = if lds { (Space::Lds, OWN) } else { (Space::Buffer, 16) };
        let base = if lds {
            self.own
        } else {
            let at = self.value(nodes, Width::B32);
            let m = self.constant(nodes, u64::from(4 * (INPUTS / 2 - 1)));
            self.emit(nodes, Op::Alu(Alu::And), &[at, m], Width::B32)
        };
        let count = 2 + self.r.below(4) as u32;
        let first = self.r.below((most - count + 1) as usize) as u32;
        let access = Access { readonly: !lds && self.r.below(2) == 0, ..Access::default() };
        let stores = lds && self.r.below(2) == 0;
        let order = self.r.below(count as usize) as u32;
        let mut last = base;
        for k in 0..count {
            let mut offset = 4 * (first + (k + order) % count);
            // A part of the offset is added to the address.
            let mut at = base;
            if self.r.below(2) == 0 {
                let added = offset & self.r.pick(&[0xffff_fffc, 4, 24]);
                let constant = self.constant(nodes, added.into());
                at = self.emit(nodes, Op::Alu(Alu::IAdd), &[base, constant], Width::B32);
                offset -= added;
            }
            let mut args = if lds { vec![at] } else { vec![self.input, at] };
            if stores {
                args.push(self.value(nodes, Width::B32));
                nodes.push(Node::Inst(inst(Op::Store { space, offset, access }, args, vec![])));
            } else {
                last = self.emit(nodes, Op::Load { space, offset, access }, &args, Width::B32);
                self.scope.push(last);
            }
        }
        last
    }

    fn instruction(&mut self, nodes: &mut Vec<Node>) {
        if self.memory && self.r.below(5) == 0 {
            let v = self.call(nodes);
            self.scope.extend(v);
            return;
        }
        let kinds = if self.subgroups { 15 } else { 12 };
        let v = match self.r.below(kinds) {
            0..=3 => {
                let alu = self.r.pick(&INT);
                let (a, mut b) = (self.value(nodes, Width::B32), self.value(nodes, Width::B32));
                if matches!(alu, Alu::Shl | Alu::UShr | Alu::SShr) {
                    let m = self.constant(nodes, 31);
                    b = self.emit(nodes, Op::Alu(Alu::And), &[b, m], Width::B32);
                }
                self.emit(nodes, Op::Alu(alu), &[a, b], Width::B32)
            }
            4 => {
                let alu = self.r.pick(&INT_ONE);
                let a = self.value(nodes, Width::B32);
                self.emit(nodes, Op::Alu(alu), &[a], Width::B32)
            }
            5 => {
                let alu = self.r.pick(&COMPARE);
                let (a, b) = (self.value(nodes, Width::B32), self.value(nodes, Width::B32));
                self.emit(nodes, Op::Alu(alu), &[a, b], Width::B1)
            }
            6 => {
                let width = if self.r.below(3) == 0 { Width::B1 } else { Width::B32 };
                let (c, a, b) = (self.value(nodes, Width::B1), self.value(nodes, width), self.value(nodes, width));
                self.emit(nodes, Op::Alu(Alu::Select), &[c, a, b], width)
            }
            7 => {
                let (a, b) = (self.small_float(nodes), self.small_float(nodes));
                let alu = self.r.pick(&FLOAT);
                let v = self.emit(nodes, Op::Alu(alu), &[a, b], Width::B32);
                if self.r.below(2) == 0 { v } else { self.emit(nodes, Op::Alu(Alu::FToS), &[v], Width::B32) }
            }
            8 => {
                let at = self.value(nodes, Width::B32);
                let m = self.constant(nodes, u64::from(4 * (INPUTS - 1)));
                let at = self.emit(nodes, Op::Alu(Alu::And), &[at, m], Width::B32);
                let access = Access { readonly: self.r.below(2) == 0, ..Access::default() };
                self.emit(nodes, Op::Load { space: Space::Buffer, offset: 0, access }, &[self.input, at], Width::B32)
            }
            9 => {
                let (a, b) = (self.value(nodes, Width::B1), self.value(nodes, Width::B1));
                let alu = self.r.pick(&[Alu::And, Alu::Or, Alu::Xor, Alu::IEq, Alu::INe]);
                let v = self.emit(nodes, Op::Alu(alu), &[a, b], Width::B1);
                if self.r.below(2) == 0 { v } else { self.emit(nodes, Op::Alu(Alu::BoolToInt), &[v], Width::B32) }
            }
            10 => self.sum_of_products(nodes),
            11 => self.neighbours(nodes),
            12 => {
                let s = self.r.pick(&[Subgroup::Elect, Subgroup::Any, Subgroup::All, Subgroup::AllEqual]);
                let width = if s == Subgroup::AllEqual { Width::B32 } else { Width::B1 };
                let args = if s == Subgroup::Elect { vec![] } else { vec![self.value(nodes, width)] };
                self.emit(nodes, Op::Subgroup(s), &args, Width::B1)
            }
            13 => {
                let (op, kind) = (self.r.pick(&REDUCE), self.r.pick(&KINDS));
                let a = self.value(nodes, Width::B32);
                self.emit(nodes, Op::Subgroup(Subgroup::Reduce { op, kind, cluster: 0 }), &[a], Width::B32)
            }
            _ => {
                let a = self.value(nodes, Width::B1);
                let words = self.fresh(&[Width::B32; 4]);
                nodes.push(Node::Inst(inst(Op::Subgroup(Subgroup::Ballot), vec![a], words.clone())));
                let first = self.value(nodes, Width::B32);
                let first = self.emit(nodes, Op::Subgroup(Subgroup::BroadcastFirst), &[first], Width::B32);
                self.scope.push(first);
                self.r.pick(&words[..2])
            }
        };
        self.scope.push(v);
    }

    /// A nested region. What it defines is forgotten at its end. `exit` is what it ends with unless it jumps.
    fn region(&mut self, depth: u32, exit: impl FnOnce(&mut Self, &mut Vec<Node>) -> Exit) -> Region {
        let (scope, mut nodes) = (self.scope.len(), Vec::new());
        let mut end = Exit::Unreachable;
        self.body(&mut nodes, depth, &mut end);
        if end == Exit::Unreachable {
            end = exit(self, &mut nodes);
        }
        self.scope.truncate(scope);
        Region { nodes, exit: end }
    }

    /// A jump to an enclosing loop or block.
    fn jump(&mut self, nodes: &mut Vec<Node>) -> Option<Exit> {
        if self.targets.is_empty() {
            return None;
        }
        let at = self.r.below(self.targets.len());
        let t = self.targets[at].clone();
        if let Some((counter, widths)) = t.continues.filter(|_| self.r.below(2) == 0) {
            let one = self.constant(nodes, 1);
            let mut values = vec![self.emit(nodes, Op::Alu(Alu::IAdd), &[counter, one], Width::B32)];
            values.extend(self.values(nodes, &widths));
            return Some(Exit::Continue(t.label, values));
        }
        Some(Exit::Break(t.label, self.values(nodes, &t.results)))
    }

    /// Some nodes; `exit` is replaced if they end in a jump.
    fn body(&mut self, nodes: &mut Vec<Node>, depth: u32, exit: &mut Exit) {
        let length = 2 + self.r.below(6);
        for _ in 0..length {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            let choice = if depth >= 4 { self.r.below(10) } else { self.r.below(18) };
            match choice {
                0..=8 => self.instruction(nodes),
                9 => {
                    let v = self.value(nodes, Width::B32);
                    self.store(nodes, v);
                }
                10..=12 => self.branch(nodes, depth),
                13 | 14 => self.looped(nodes, depth),
                15 | 16 => self.switch(nodes, depth),
                _ => self.block(nodes, depth),
            }
        }
        if depth > 1
            && self.r.below(4) == 0
            && let Some(jump) = self.jump(nodes)
        {
            *exit = jump;
        }
    }

    fn branch(&mut self, nodes: &mut Vec<Node>, depth: u32) {
        let cond = self.value(nodes, Width::B1);
        let widths = self.widths(3);
        let then = self.region(depth + 1, |g, n| Exit::Yield(g.values(n, &widths)));
        // One arm always falls through, so that what follows can run.
        let arm = |g: &mut Self| {
            let scope = g.scope.len();
            let mut nodes = Vec::new();
            (0..g.r.below(3)).for_each(|_| g.instruction(&mut nodes));
            let exit = Exit::Yield(g.values(&mut nodes, &widths));
            g.scope.truncate(scope);
            Region { nodes, exit }
        };
        let els = if matches!(then.exit, Exit::Yield(_)) {
            self.region(depth + 1, |g, n| Exit::Yield(g.values(n, &widths)))
        } else {
            arm(self)
        };
        let results = self.fresh(&widths);
        self.scope.extend(&results);
        nodes.push(Node::If { cond, then, els, results, loc: Loc::default() });
    }

    fn block(&mut self, nodes: &mut Vec<Node>, depth: u32) {
        let (label, widths) = (self.k.label(), self.widths(2));
        self.targets.push(OpenLabel { label, continues: None, results: widths.clone() });
        let body = self.region(depth + 1, |g, n| Exit::Break(label, g.values(n, &widths)));
        self.targets.pop();
        let results = self.fresh(&widths);
        self.scope.extend(&results);
        nodes.push(Node::Block { label, body, results, loc: Loc::default() });
    }

    fn switch(&mut self, nodes: &mut Vec<Node>, depth: u32) {
        let (label, left) = (self.k.label(), self.widths(2));
        let mut selector = self.value(nodes, Width::B32);
        if self.r.below(8) != 0 {
            // Few values, so that work-items meet in the cases.
            let seven = self.constant(nodes, 7);
            selector = self.emit(nodes, Op::Alu(Alu::And), &[selector, seven], Width::B32);
        }
        let mut values: Vec<u32> = (0..8).chain([64, 0x7fff_ffff, 0xffff_fffe, 0xffff_ffff]).collect();
        let count = 1 + self.r.below(6);
        let default = self.r.below(count);
        let shapes: Vec<Vec<Width>> = (0..count).map(|_| self.widths(3)).collect();
        let inits: Vec<Vec<Value>> = shapes.iter().map(|w| self.values(nodes, w)).collect();
        self.targets.push(OpenLabel { label, continues: None, results: left.clone() });
        let mut cases = Vec::new();
        for (n, init) in inits.into_iter().enumerate() {
            let own = (0..self.r.below(4)).map(|_| values.swap_remove(self.r.below(values.len()))).collect();
            let params = self.fresh(&shapes[n]);
            let scope = self.scope.len();
            self.scope.extend(&params);
            let next = shapes.get(n + 1).unwrap_or(&left).clone();
            let leaves = self.r.below(3) == 0;
            let body = self.region(depth + 1, |g, nodes| match leaves {
                true => Exit::Break(label, g.values(nodes, &left)),
                false => Exit::Yield(g.values(nodes, &next)),
            });
            self.scope.truncate(scope);
            cases.push(Case { values: own, default: n == default, params, init, body });
            if values.len() < 4 {
                values.extend(100 + 4 * n as u32..104 + 4 * n as u32);
            }
        }
        self.targets.pop();
        let results = self.fresh(&left);
        self.scope.extend(&results);
        nodes.push(Node::Switch { label, selector, cases, results, loc: Loc::default() });
    }

    fn looped(&mut self, nodes: &mut Vec<Node>, depth: u32) {
        let (label, carried, left) = (self.k.label(), self.widths(2), self.widths(2));
        let zero = self.constant(nodes, 0);
        let mut init = vec![zero];
        init.extend(self.values(nodes, &carried));
        let counter = self.k.value(Width::B32);
        let mut params = vec![counter];
        params.extend(self.fresh(&carried));
        // Rounds: the same for all, or by lane.
        let mut limit = self.constant(nodes, 1 + self.r.0 % 5);
        if self.r.below(2) == 0 {
            let v = self.value(nodes, Width::B32);
            let three = self.constant(nodes, 3);
            limit = self.emit(nodes, Op::Alu(Alu::And), &[v, three], Width::B32);
        }
        let scope = self.scope.len();
        self.scope.extend(&params);
        let mut body = Vec::new();
        let more = self.emit(&mut body, Op::Alu(Alu::ULt), &[counter, limit], Width::B1);
        let mut out = Vec::new();
        let done = Exit::Break(label, self.values(&mut out, &left));
        body.push(Node::If {
            cond: more,
            then: Region { nodes: Vec::new(), exit: Exit::Yield(Vec::new()) },
            els: Region { nodes: out, exit: done },
            results: Vec::new(),
            loc: Loc::default(),
        });
        self.targets.push(OpenLabel { label, continues: Some((counter, carried.clone())), results: left.clone() });
        let rest = self.region(depth + 1, |g, n| {
            let one = g.constant(n, 1);
            let mut values = vec![g.emit(n, Op::Alu(Alu::IAdd), &[counter, one], Width::B32)];
            values.extend(g.values(n, &carried));
            Exit::Continue(label, values)
        });
        self.targets.pop();
        self.scope.truncate(scope);
        body.extend(rest.nodes);
        let results = self.fresh(&left);
        self.scope.extend(&results);
        let body = Region { nodes: body, exit: rest.exit };
        nodes.push(Node::Loop { label, params, init, body, results, loc: Loc::default() });
    }
}
