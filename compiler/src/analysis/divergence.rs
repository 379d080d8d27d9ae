//! Which values are the same in every active lane, where they are computed, and where control flow really diverges.
//!
//! Algorithm: a forward fixpoint over the region tree. A value starts as `Scalar` and only rises:
//!   Scalar    same in all active lanes, computed by the scalar unit, lives in SGPRs
//!   Uniform   same in all active lanes, but computed by the vector unit (floats): lives in a VGPR
//!   Divergent lanes may differ
//! A jump is divergent if, between it and the loop or block that it names, lies an `If` on a divergent condition or a
//! construct that itself has divergent jumps: lanes may then wait elsewhere while the jump is taken. The results of a
//! loop with divergent jumps diverge (lanes leave in different iterations); its parameters stay uniform only if a single
//! `Continue` feeds them, which all remaining lanes take together. A switch on a divergent selector is like an `If` around
//! each case, at whose label lanes that enter meet lanes that fall in: its parameters diverge. Rising facts re-run the walk until nothing changes.

use crate::ir::*;
use wavepipe_isa::insts;

/// Dwords of SGPRs that the parameters of a function have at most.
pub const SCALAR_DWORDS: u32 = 16;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Home {
    Scalar,
    Uniform,
    Divergent,
}

/// What a loop or block is to the mask lowering.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LabelInfo {
    /// Lanes can leave it, or go to its next iteration, while others stay.
    pub divergent: bool,
    /// Number of `Continue`s and of `Break`s (falling out of a block counts).
    pub continues: u32,
    pub breaks: u32,
    /// A divergent jump from within names a label further out.
    pub crossed: bool,
    /// A `Continue` that is divergent towards this loop.
    pub divergent_continue: bool,
}

pub struct Divergence {
    home: Vec<Home>,
    labels: Vec<LabelInfo>,
}

impl Divergence {
    pub fn home(&self, v: Value) -> Home {
        self.home[v.0 as usize]
    }

    pub fn divergent(&self, v: Value) -> bool {
        self.home(v) == Home::Divergent
    }

    pub fn label(&self, l: Label) -> LabelInfo {
        self.labels[l.0 as usize]
    }

    /// Of a kernel or function alone; lanes differ in the parameters.
    pub fn new(kernel: &Kernel) -> Divergence {
        Divergence::with(kernel, &vec![Home::Divergent; kernel.params.len()])
    }

    /// Of a kernel and, one each, its functions. A parameter is scalar if it is so in all calls, while there is room among
    /// the [`SCALAR_DWORDS`]; lanes differ in what a call gives.
    pub fn of_all(kernel: &Kernel) -> (Divergence, Vec<Divergence>) {
        let mut homes: Vec<Vec<Home>> = kernel.functions.iter().map(|f| vec![Home::Scalar; f.params.len()]).collect();
        let note = |body: &Region, facts: &Divergence, homes: &mut Vec<Vec<Home>>| {
            body.for_each_inst(&mut |i| {
                if let Op::Call { function, .. } = i.op
                    && let Some(of) = homes.get_mut(function as usize)
                {
                    of.iter_mut().zip(&i.args).for_each(|(h, &v)| *h = (*h).max(facts.home(v)));
                }
            });
        };
        let main = Divergence::new(kernel);
        note(&kernel.body, &main, &mut homes);
        // All callers of a function stand before it.
        let mut functions = Vec::with_capacity(kernel.functions.len());
        for (n, f) in kernel.functions.iter().enumerate() {
            let mut left = SCALAR_DWORDS;
            for (h, &p) in homes[n].iter_mut().zip(&f.params) {
                let dwords = f.width(p).bits().div_ceil(32);
                match *h {
                    Home::Scalar if dwords <= left => left -= dwords,
                    _ => *h = Home::Divergent,
                }
            }
            let facts = Divergence::with(f, &homes[n]);
            note(&f.body, &facts, &mut homes);
            functions.push(facts);
        }
        (main, functions)
    }

    fn with(kernel: &Kernel, params: &[Home]) -> Divergence {
        let mut walk = Walk {
            kernel,
            facts: Divergence {
                home: vec![Home::Scalar; kernel.values.len()],
                labels: vec![LabelInfo::default(); kernel.labels as usize],
            },
            frames: Vec::new(),
            changed: true,
            loop_params: vec![Vec::new(); kernel.labels as usize],
            results: vec![Vec::new(); kernel.labels as usize],
        };
        for (&p, &home) in kernel.params.iter().zip(params) {
            walk.raise(p, home);
        }
        walk.changed = true;
        while walk.changed {
            walk.changed = false;
            for l in &mut walk.facts.labels {
                (l.continues, l.breaks) = (0, 0);
            }
            walk.region(&kernel.body);
            // Edge counts are complete only now.
            walk.settle(&kernel.body);
        }
        walk.facts
    }
}

enum Frame {
    If { divergent: bool },
    Label(Label),
}

struct Walk<'k> {
    kernel: &'k Kernel,
    facts: Divergence,
    frames: Vec<Frame>,
    changed: bool,
    loop_params: Vec<Vec<Value>>,
    results: Vec<Vec<Value>>,
}

impl Walk<'_> {
    fn raise(&mut self, v: Value, home: Home) {
        let h = &mut self.facts.home[v.0 as usize];
        if *h < home {
            *h = home;
            self.changed = true;
        }
    }

    fn feed(&mut self, to: &[Value], from: &[Value]) {
        for (&t, &f) in to.iter().zip(from) {
            self.raise(t, self.facts.home(f));
        }
    }

    fn raise_all(&mut self, to: &[Value]) {
        for &t in to {
            self.raise(t, Home::Divergent);
        }
    }

    fn region(&mut self, r: &Region) {
        for n in &r.nodes {
            match n {
                Node::Inst(i) => self.inst(i),
                Node::If { cond, then, els, results, .. } => {
                    let divergent = self.facts.divergent(*cond);
                    self.frames.push(Frame::If { divergent });
                    for arm in [then, els] {
                        self.region(arm);
                        if let Exit::Yield(v) = &arm.exit {
                            self.feed(results, v);
                        }
                    }
                    self.frames.pop();
                    let both = [then, els].iter().all(|a| matches!(a.exit, Exit::Yield(_)));
                    if divergent && both {
                        self.raise_all(results);
                    }
                }
                Node::Loop { label, params, init, body, results, .. } => {
                    self.feed(params, init);
                    self.enter(*label, params, results, body);
                }
                Node::Block { label, body, results, .. } => {
                    self.enter(*label, &[], results, body);
                    if let Exit::Yield(v) = &body.exit {
                        self.facts.labels[label.0 as usize].breaks += 1;
                        self.feed(results, v);
                    }
                }
                Node::Switch { label, selector, cases, results, .. } => {
                    let divergent = self.facts.divergent(*selector);
                    self.results[label.0 as usize] = results.to_vec();
                    let info = &mut self.facts.labels[label.0 as usize];
                    self.changed |= divergent && !info.divergent;
                    info.divergent |= divergent;
                    self.frames.push(Frame::Label(*label));
                    self.frames.push(Frame::If { divergent });
                    for (n, case) in cases.iter().enumerate() {
                        self.feed(&case.params, &case.init);
                        // Lanes that enter meet those that fall in.
                        if divergent {
                            self.raise_all(&case.params);
                        }
                        self.region(&case.body);
                        let Exit::Yield(v) = &case.body.exit else { continue };
                        match cases.get(n + 1) {
                            Some(next) => self.feed(&next.params, v),
                            None => {
                                self.facts.labels[label.0 as usize].breaks += 1;
                                self.feed(results, v);
                            }
                        }
                    }
                    self.frames.truncate(self.frames.len() - 2);
                }
            }
        }
        match &r.exit {
            Exit::Break(l, v) => {
                self.facts.labels[l.0 as usize].breaks += 1;
                let results = self.results[l.0 as usize].clone();
                self.feed(&results, v);
                self.jump(*l, false);
            }
            Exit::Continue(l, v) => {
                self.facts.labels[l.0 as usize].continues += 1;
                let params = self.loop_params[l.0 as usize].clone();
                self.feed(&params, v);
                self.jump(*l, true);
            }
            Exit::Yield(_) | Exit::Unreachable => {}
        }
    }

    fn enter(&mut self, label: Label, params: &[Value], results: &[Value], body: &Region) {
        let l = label.0 as usize;
        self.loop_params[l] = params.to_vec();
        self.results[l] = results.to_vec();
        self.frames.push(Frame::Label(label));
        self.region(body);
        self.frames.pop();
    }

    fn jump(&mut self, target: Label, is_continue: bool) {
        let mut divergent = false;
        for i in (0..self.frames.len()).rev() {
            match self.frames[i] {
                Frame::If { divergent: d } => divergent |= d,
                Frame::Label(l) => {
                    let info = &mut self.facts.labels[l.0 as usize];
                    let before = *info;
                    if l == target {
                        info.divergent |= divergent;
                        info.divergent_continue |= divergent && is_continue;
                    } else {
                        // Lanes that wait at this construct's exit stay behind.
                        divergent |= info.divergent;
                        info.divergent |= divergent;
                        info.crossed |= divergent;
                    }
                    self.changed |= *info != before
                        && (info.divergent, info.crossed, info.divergent_continue)
                            != (before.divergent, before.crossed, before.divergent_continue);
                    if l == target {
                        return;
                    }
                }
            }
        }
    }

    fn settle(&mut self, r: &Region) {
        for n in &r.nodes {
            match n {
                Node::Inst(_) => {}
                Node::If { then, els, .. } => {
                    self.settle(then);
                    self.settle(els);
                }
                Node::Loop { label, params, body, results, .. } => {
                    let info = self.facts.label(*label);
                    if info.divergent {
                        self.raise_all(results);
                        if info.continues > 1 {
                            self.raise_all(params);
                        }
                    }
                    self.settle(body);
                }
                Node::Block { label, body, results, .. } => {
                    let info = self.facts.label(*label);
                    if info.divergent && info.breaks > 1 {
                        self.raise_all(results);
                    }
                    self.settle(body);
                }
                Node::Switch { label, cases, results, .. } => {
                    let info = self.facts.label(*label);
                    if info.divergent && info.breaks > 1 {
                        self.raise_all(results);
                    }
                    cases.iter().for_each(|c| self.settle(&c.body));
                }
            }
        }
    }

    fn inst(&mut self, i: &Inst) {
        let operands = i.args.iter().map(|&a| self.facts.home(a)).max().unwrap_or(Home::Scalar);
        let floor = match &i.op {
            Op::Const(_) | Op::Undef => Home::Scalar,
            Op::Alu(a) => match self.scalar_unit_has(*a, i) {
                true => operands,
                false => operands.max(Home::Uniform),
            },
            Op::Builtin(b) => match b {
                Builtin::LocalInvocationId(_) | Builtin::LocalInvocationIndex | Builtin::SubgroupInvocationId => {
                    Home::Divergent
                }
                _ => Home::Scalar,
            },
            // The descriptor of a divergent index is read in a loop over the different indices.
            Op::Descriptor { .. } | Op::DescriptorSize => {
                if operands == Home::Divergent {
                    Home::Divergent
                } else {
                    Home::Scalar
                }
            }
            Op::Load { space, access, .. } => match (space, operands) {
                (_, Home::Divergent) | (Space::Scratch, _) => Home::Divergent,
                (Space::Push | Space::Constant, _) if self.scalar_load(i) => Home::Scalar,
                (Space::Buffer | Space::Global, Home::Scalar) if access.readonly && self.scalar_load(i) => Home::Scalar,
                _ => Home::Uniform,
            },
            // Image data comes to VGPRs.
            Op::Image(image) => match image.op {
                ImageOp::Store => return,
                ImageOp::Atomic(_) => Home::Divergent,
                _ => operands.max(Home::Uniform),
            },
            Op::Atomic { .. } => Home::Divergent,
            Op::Subgroup(s) => match s {
                Subgroup::All | Subgroup::Any | Subgroup::AllEqual | Subgroup::Ballot => Home::Scalar,
                Subgroup::BroadcastFirst | Subgroup::Broadcast | Subgroup::Nobody => Home::Scalar,
                Subgroup::Reduce { kind: ReduceKind::Reduce, cluster: 0, .. } => Home::Scalar,
                _ => Home::Divergent,
            },
            Op::Clock { .. } => Home::Scalar,
            Op::Call { .. } => Home::Divergent,
            Op::Store { .. } | Op::Barrier { .. } | Op::Trace { .. } | Op::Count { .. } | Op::Mark(_) => return,
        };
        for &r in &i.results {
            self.raise(r, floor);
        }
    }

    /// Scalar memory reads whole, aligned dwords.
    fn scalar_load(&self, i: &Inst) -> bool {
        i.results.iter().all(|&r| matches!(self.kernel.width(r), Width::B32 | Width::B64))
    }

    /// Operations that selection does on the scalar unit when all operands are scalar.
    fn scalar_unit_has(&self, a: Alu, i: &Inst) -> bool {
        use Alu::*;
        let width = i.args.first().map_or(Width::B32, |&v| self.kernel.width(v));
        let result = i.results.first().map_or(Width::B32, |&v| self.kernel.width(v));
        match a {
            IAdd | ISub | And | Or | Xor | Not | Shl | UShr | SShr | IEq | INe | Select | Copy => true,
            INeg | UConvert | SConvert | Pack64 | Lo32 | Hi32 | BoolToInt => true,
            ULt | ULe | SLt | SLe | SMin | SMax | UMin | UMax | IAbs | ISign => width != Width::B64,
            UMulHi | SMulHi => width == Width::B32 && insts::S_MUL_HI_U32.exists(self.kernel.isa),
            // Its high half comes of such products.
            IMul => width != Width::B64 || insts::S_MUL_HI_U32.exists(self.kernel.isa),
            UBfe | SBfe | Bfi | BitReverse | BitCount | FindLsb | FindUMsb | FindSMsb => width == Width::B32,
            // A mask, the same in every active lane.
            _ => result == Width::B1,
        }
    }
}
