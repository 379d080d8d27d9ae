//! One step as nodes: its modifiers, its row's body, what becomes of the result, and which scalars it touches.

use crate::legal::legalise;
use crate::record::{Body, F, Id, Node, Recorder, body};
use wavepipe_core::wave::{Finish, Operand, Shape, Step};
use wavepipe_isa::Src;
use wavepipe_isa::alu::Alu;
use wavepipe_isa::row::{Scc, Sem, Ty, WaveOp};

/// Scalars by number (`wavepipe_core`'s scalar file: the hardware's source numbers).
pub const EXEC: u8 = Src::EXEC_LO.0 as u8;
pub const SCC: u8 = Src::SCC.0 as u8;
pub const VCC: u8 = Src::VCC_LO.0 as u8;

/// Where a result goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultPlace {
    /// A register, under EXEC.
    Vgpr(u32),
    /// A condition of every lane, under EXEC, as a lane mask from this scalar on.
    Mask(u8),
    Scalar(u8),
    /// SCC = the condition.
    Scc,
    /// SCC = the word is not zero.
    SccNonZero,
}

/// What a step computes and where it puts that, all sources being read before.
pub struct Plan {
    pub nodes: Vec<Node>,
    pub results: Vec<(ResultPlace, Id)>,
    pub effect: Effect,
}

/// What a node's literal says where [`Plan::contract`] took an operation into another: a comparison holds where its operation
/// says no.
pub const INVERTED: u32 = 1;
/// The last operand of a sum, or of a fused multiply-add, is negated.
pub const LESS: u32 = 1;
/// The product of a fused multiply-add is negated.
pub const NEGATED: u32 = 2;
/// A comparison that is whether its only operand, a sum, went past what has a sign.
pub const OVERFLOWS: u32 = 2;

/// Sets of scalars.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Scalars([u64; 4]);

impl Scalars {
    pub const ALL: Scalars = Scalars([!0; 4]);

    pub fn less(&mut self, other: &Scalars) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= !b);
    }

    pub fn add(&mut self, i: u8) {
        self.0[usize::from(i / 64)] |= 1 << (i % 64);
    }

    pub fn has(&self, i: u8) -> bool {
        self.0[usize::from(i / 64)] >> (i % 64) & 1 != 0
    }

    pub fn join(&mut self, other: &Scalars) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }

    pub fn meets(&self, other: &Scalars) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }
}

impl FromIterator<u8> for Scalars {
    fn from_iter<I: IntoIterator<Item = u8>>(all: I) -> Scalars {
        let mut scalars = Scalars::default();
        all.into_iter().for_each(|i| scalars.add(i));
        scalars
    }
}

/// The scalars that a step touches.
#[derive(Clone, Copy, Default, Debug)]
pub struct Effect {
    /// Whole words, for all lanes.
    pub reads: Scalars,
    /// Lane masks: each lane its own bit.
    pub masks: Scalars,
    pub writes: Scalars,
}

fn shaped(r: &mut Recorder, x: Id, s: &Shape) -> Id {
    let masked = |r: &mut Recorder, x: Id, mask: u32| {
        if mask == !0 {
            return x;
        }
        let mask = r.lit(mask);
        r.and(x, mask)
    };
    let mut out = (s.stay != 0).then(|| masked(r, x, s.stay));
    for (mask, left) in [(s.down, false), (s.up, true)] {
        if mask == 0 {
            continue;
        }
        let by = r.lit(16);
        let moved = if left { r.shl(x, by) } else { r.shr(x, by) };
        // What was shifted in is zero already.
        let needed = if left { mask | 0xffff } else { mask | 0xffff_0000 };
        let moved = masked(r, moved, needed);
        out = Some(out.map_or(moved, |o| r.or(o, moved)));
    }
    let out = out.unwrap_or_else(|| r.lit(0));
    let out = masked(r, out, s.keep);
    match s.flip {
        0 => out,
        flip => {
            let flip = r.lit(flip);
            r.xor(out, flip)
        }
    }
}

impl Plan {
    /// For a target that has these operations. `None`: host code does not take the step.
    pub fn new(step: &Step, halves: usize, has: &dyn Fn(F) -> bool) -> Option<Plan> {
        let row = step.op.row();
        let mut r = Recorder::default();
        let mut results = Vec::new();
        match row.sem {
            Sem::SaveExec | Sem::WriteExec => {
                let Body::Lane(f) = body(step.op) else { return None };
                let words = 1 + usize::from(step.wide & 1);
                let mut any = None;
                let mut exec = Vec::new();
                for word in 0..words {
                    let source = r.source(0, word);
                    // Sources 1 of these rows are EXEC.
                    let old = r.source(1, word);
                    let zero = r.lit(0);
                    let new = f(&mut r, [source, old, zero]);
                    any = Some(any.map_or(new, |any| r.or(any, new)));
                    let result = if row.sem == Sem::SaveExec { old } else { new };
                    results.push((ResultPlace::Scalar((step.dst as u8).checked_add(word as u8)?), result));
                    exec.push((ResultPlace::Scalar(EXEC + word as u8), new));
                }
                results.append(&mut exec);
                results.push((ResultPlace::SccNonZero, any?));
            }
            _ => Self::body(step, &mut r, &mut results)?,
        }
        let mut plan = Plan { nodes: r.nodes, results, effect: Effect::default() };
        plan.fold();
        if !step.is_scalar() {
            plan.extremes(has);
        }
        legalise(&mut plan.nodes, &mut plan.results, has);
        plan.fold();
        plan.literal_counts();
        plan.drop_dead();
        plan.effect = plan.effect(step, halves)?;
        Some(plan)
    }

    fn body(step: &Step, r: &mut Recorder, results: &mut Vec<(ResultPlace, Id)>) -> Option<()> {
        let (row, scalar) = (step.op.row(), step.is_scalar());
        let word = |r: &mut Recorder, k: usize, word: usize| {
            let id = read(step, r, k, word);
            let last = usize::from(step.wide >> k & 1);
            if word == last { shaped(r, id, &step.shape[k]) } else { id }
        };
        let low = |r: &mut Recorder| [word(r, 0, 0), word(r, 1, 0), word(r, 2, 0)];
        let mut wide = Vec::new();
        let mut condition = None;
        if let Sem::Wave(what @ (WaveOp::MbcntLo | WaveOp::MbcntHi)) = row.sem {
            let [mask, sum, _] = low(r);
            let below = r.below(what == WaveOp::MbcntHi);
            let bits = r.and(mask, below);
            let count = r.popcnt(bits);
            results.push((ResultPlace::Vgpr(step.dst), r.add(sum, count)));
            return Some(());
        }
        let has_out = row.dst.iter().any(|ty| matches!(ty, Ty::Vcc | Ty::Mask));
        match body(step.op) {
            Body::Lane(f) => {
                let s = low(r);
                wide.push(f(r, s));
            }
            Body::Carry(f) => {
                let s = low(r);
                let c = if step.condition.is_some() { r.condition() } else { r.truth(false) };
                let (v, out) = f(r, s, c);
                wide.push(v);
                condition = (scalar || has_out).then_some(out);
            }
            Body::Compare(f) => {
                let s = [0, 1].map(|k| [word(r, k, 0), word_of(step, r, k)]);
                condition = Some(f(r, s));
            }
            Body::Wide(f) => {
                let s = [0, 1, 2].map(|k| [word(r, k, 0), word_of(step, r, k)]);
                let (v, out) = f(r, s);
                wide.push(v[0]);
                if step.wide & 8 != 0 {
                    wide.push(v[1]);
                }
                condition = (scalar || has_out).then_some(out);
            }
            Body::None => return None,
        }
        if scalar {
            for (i, &v) in wide.iter().enumerate() {
                results.push((ResultPlace::Scalar((step.dst as u8).checked_add(i as u8)?), v));
            }
            match (row.sem, row.scc) {
                (Sem::Compare, _) | (_, Scc::Body) => results.push((ResultPlace::Scc, condition?)),
                (_, Scc::Keep) => {}
                (_, Scc::NonZero) => {
                    let any = wide.iter().copied().reduce(|a, b| r.or(a, b))?;
                    results.push((ResultPlace::SccNonZero, any));
                }
            }
            return Some(());
        }
        if matches!(row.sem, Sem::Compare | Sem::CompareExec) {
            results.push((ResultPlace::Mask(step.dst as u8), condition?));
            // EXEC beside VCC, in GCN's rows.
            if row.dst.len() > 1 {
                results.push((ResultPlace::Mask(step.dst2), condition?));
            }
            return Some(());
        }
        if step.finish != Finish::Direct {
            let old = r.source(OLD, 0);
            wide[0] = finished(r, wide[0], old, step.finish);
        }
        for (i, &v) in wide.iter().enumerate() {
            results.push((ResultPlace::Vgpr(step.dst + i as u32), v));
        }
        if let Some(c) = condition {
            results.push((ResultPlace::Mask(step.dst2), c));
        }
        Some(())
    }

    /// A shift by a literal has one operand, and the count as its own literal.
    fn literal_counts(&mut self) {
        for i in 0..self.nodes.len() {
            let node = self.nodes[i];
            let count = node.args[1];
            if matches!(node.f, F::shl | F::shr | F::sar) && self.nodes[usize::from(count)].f == F::literal {
                let literal = self.nodes[usize::from(count)].literal & 31;
                self.nodes[i] =
                    Node { args: [node.args[0], Id::MAX, Id::MAX, Id::MAX, Id::MAX, Id::MAX], literal, ..node };
            }
        }
    }

    /// How many ask for each node: others, and results.
    pub fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0; self.nodes.len()];
        let read = self.nodes.iter().flat_map(|n| n.args).filter(|&a| a != Id::MAX);
        read.chain(self.results.iter().map(|r| r.1)).for_each(|id| uses[usize::from(id)] += 1);
        uses
    }

    /// Vector registers that it reads, being the step's.
    pub fn vectors_read(&self, step: &Step) -> impl Iterator<Item = u32> {
        let sources = self.nodes.iter().filter(|node| node.f == F::source);
        sources.filter_map(|node| match operand(step, node.literal) {
            Some(Operand::Vgpr(v)) => Some(v + (node.literal & 1)),
            _ => None,
        })
    }

    /// Vector registers that it writes.
    pub fn vectors_written(&self) -> impl Iterator<Item = u32> {
        self.results.iter().filter_map(|(place, _)| match place {
            ResultPlace::Vgpr(v) => Some(*v),
            _ => None,
        })
    }

    /// Lane masks that it writes, by their first scalars.
    pub fn masks_written(&self) -> impl Iterator<Item = u8> {
        self.results.iter().filter_map(|(place, _)| match place {
            ResultPlace::Mask(i) => Some(*i),
            _ => None,
        })
    }

    /// Takes a `cnot` that alone asks for a comparison, and signs that are turned for a sum or a fused multiply-add alone, into
    /// that, whose literal tells: for targets that have these, too.
    pub fn contract(&mut self) {
        use F::*;
        let uses = self.uses();
        for i in 0..self.nodes.len() {
            let mut node = self.nodes[i];
            match node.f {
                cnot => {
                    let of = self.nodes[usize::from(node.args[0])];
                    let compares = matches!(of.f, eq | ult | slt | feq | flt | fle | deq | dlt | dle);
                    if compares && uses[usize::from(node.args[0])] == 1 {
                        node = Node { literal: of.literal ^ INVERTED, ..of };
                    }
                }
                fadd => {
                    if let Some(b) = self.turned(node.args[1], &uses) {
                        (node.args[1], node.literal) = (b, LESS);
                    } else if let Some(a) = self.turned(node.args[0], &uses) {
                        (node.args[0], node.args[1], node.literal) = (node.args[1], a, LESS);
                    }
                }
                ffma => {
                    for (k, bit) in [(0, NEGATED), (1, NEGATED), (2, LESS)] {
                        if let Some(of) = self.turned(node.args[k], &uses) {
                            node.args[k] = of;
                            node.literal ^= bit;
                        }
                    }
                }
                _ => {}
            }
            self.nodes[i] = node;
        }
        self.drop_dead();
    }

    /// Takes the comparison that says whether a sum overflows into that: for targets whose sums tell by themselves.
    pub fn contract_overflow(&mut self) {
        for i in 0..self.nodes.len() {
            if let Some(sum) = self.overflow(i) {
                self.nodes[i].args = [sum, Id::MAX, Id::MAX, Id::MAX, Id::MAX, Id::MAX];
                self.nodes[i].literal = OVERFLOWS;
            }
        }
        self.drop_dead();
    }

    /// The sum whose sign the node says is another than that of both operands: ((a ^ s) & (b ^ s)) < 0.
    fn overflow(&self, i: usize) -> Option<Id> {
        let of = |id: Id| self.nodes.get(usize::from(id));
        let operands = |id: Id, f: F| of(id).filter(|n| n.f == f).map(|n| [n.args[0], n.args[1]]);
        let negative = self.nodes.get(i).filter(|n| n.f == F::slt && n.literal == 0)?;
        of(negative.args[1]).filter(|n| n.f == F::literal && n.literal == 0)?;
        let [x, y] = operands(negative.args[0], F::and)?;
        let (x, y) = (operands(x, F::xor)?, operands(y, F::xor)?);
        x.into_iter().find(|&sum| {
            let other = |[p, q]: [Id; 2]| if p == sum { Some(q) } else { (q == sum).then_some(p) };
            let (Some(a), Some(b), Some([c, d])) = (other(x), other(y), operands(sum, F::add)) else { return false };
            [a, b] == [c, d] || [b, a] == [c, d]
        })
    }

    /// What a node is with its sign turned, if it is that for one user alone.
    fn turned(&self, id: Id, uses: &[u32]) -> Option<Id> {
        const SIGN: u32 = 1 << 31;
        let Node { f, args: [x, sign, ..], .. } = self.nodes[usize::from(id)];
        let turns = f == F::xor && uses[usize::from(id)] == 1;
        (turns && matches!(self.nodes[usize::from(sign)], Node { f: F::literal, literal: SIGN, .. })).then_some(x)
    }

    /// Leaves out what no result needs.
    pub fn drop_dead(&mut self) {
        let mut live = vec![false; self.nodes.len()];
        self.results.iter().for_each(|&(_, id)| live[usize::from(id)] = true);
        for i in (0..self.nodes.len()).rev() {
            if live[i] {
                self.nodes[i].args.iter().filter(|&&a| a != Id::MAX).for_each(|&a| live[usize::from(a)] = true);
            }
        }
        let mut to = vec![Id::MAX; live.len()];
        let mut kept = Vec::with_capacity(live.len());
        for (i, mut node) in self.nodes.drain(..).enumerate() {
            if live[i] {
                node.args.iter_mut().filter(|a| **a != Id::MAX).for_each(|a| *a = to[usize::from(*a)]);
                to[i] = kept.len() as Id;
                kept.push(node);
            }
        }
        self.nodes = kept;
        self.results.iter_mut().for_each(|(_, id)| *id = to[usize::from(*id)]);
    }

    pub fn writes_scc(&self) -> bool {
        self.results.iter().any(|(place, _)| matches!(place, ResultPlace::Scc | ResultPlace::SccNonZero))
    }

    /// Nobody asks for SCC before it is written again. What the step touches stays as it was.
    pub fn leave_scc(&mut self) {
        self.results.retain(|(place, _)| !matches!(place, ResultPlace::Scc | ResultPlace::SccNonZero));
        self.drop_dead();
    }

    /// `None`: lanes would see one another's masks.
    fn effect(&self, step: &Step, halves: usize) -> Option<Effect> {
        let scalar = step.is_scalar();
        let mut e = Effect::default();
        for node in &self.nodes {
            match node.f {
                F::source => {
                    if let Some(Operand::Scalar(words)) = operand(step, node.literal) {
                        e.reads.add(words[node.literal as usize & 1]);
                    }
                }
                F::condition if scalar => e.reads.add(step.condition?),
                F::condition => {
                    let first = step.condition?;
                    (0..halves as u8).for_each(|h| e.masks.add(first.wrapping_add(h)));
                }
                _ => {}
            }
        }
        for &(place, _) in &self.results {
            match place {
                ResultPlace::Vgpr(_) => {}
                ResultPlace::Mask(i) => (0..halves as u8).for_each(|h| e.writes.add(i.wrapping_add(h))),
                ResultPlace::Scalar(i) => e.writes.add(i),
                ResultPlace::Scc | ResultPlace::SccNonZero => e.writes.add(SCC),
            }
        }
        if !scalar {
            (0..halves as u8).for_each(|h| e.masks.add(EXEC + h));
            if e.reads.meets(&e.writes) {
                return None;
            }
        }
        Some(e)
    }
}

/// The source number of a result's register before.
const OLD: usize = 3;

/// The operand that a `source` node's literal names, with the right words; EXEC for source 1 of S_*_SAVEEXEC.
pub fn operand(step: &Step, literal: u32) -> Option<Operand> {
    let k = literal as usize >> 1;
    let saves = matches!(step.op.row().sem, Sem::SaveExec | Sem::WriteExec);
    match k {
        1 if saves => Some(Operand::Scalar([EXEC, EXEC + 1])),
        OLD => Some(Operand::Vgpr(step.dst)),
        _ => step.source.get(k).copied(),
    }
}

/// Word `word` of source `k`, or of the first that is the same one and whose lanes do not move.
fn read(step: &Step, r: &mut Recorder, k: usize, word: usize) -> Id {
    let first = usize::from(step.movement.is_some());
    let k = (first..k).find(|&j| step.source[j] == step.source[k]).unwrap_or(k);
    match step.source[k] {
        Operand::Constant(words) => r.lit(words[word]),
        Operand::Vgpr(_) | Operand::Scalar(_) => r.source(k, word),
    }
}

/// Word 1 of source `k`. A scalar body that takes the destination's pair does not say that it is one.
fn word_of(step: &Step, r: &mut Recorder, k: usize) -> Id {
    if step.is_scalar() {
        return read(step, r, k, 1);
    }
    if step.wide >> k & 1 == 0 {
        return r.lit(0);
    }
    let id = read(step, r, k, 1);
    shaped(r, id, &step.shape[k])
}

fn finished(r: &mut Recorder, v: Id, old: Id, finish: Finish) -> Id {
    let (low, high) = (0xffff, 0xffff_0000u32);
    match finish {
        Finish::Direct => v,
        Finish::ClampF32 => {
            // Neither −0 nor NaN is above zero.
            let (zero, one) = (r.lit(0), r.lit(1.0f32.to_bits()));
            let (positive, below) = (r.flt(zero, v), r.flt(v, one));
            let held = r.sel(below, v, one);
            r.sel(positive, held, zero)
        }
        Finish::Low16 => {
            let (low, high) = (r.lit(low), r.lit(high));
            let (v, old) = (r.and(v, low), r.and(old, high));
            r.or(v, old)
        }
        Finish::Only16 => {
            let low = r.lit(low);
            r.and(v, low)
        }
        Finish::High16 => {
            let (low, by) = (r.lit(low), r.lit(16));
            let (v, old) = (r.shl(v, by), r.and(old, low));
            r.or(v, old)
        }
    }
}
