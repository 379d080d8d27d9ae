//! The constant part of an address moves into the access.
//!
//! Algorithm: an upper bound for each 32-bit value, from its definition, in program order (ids of the launch, masks, shifts,
//! sums and products that stay below 2³²), and from conditions where control went on by them: in a branch, and behind it if the
//! other one leaves. What a loop counts up from no less than zero is no less than zero, if it is asked for first of all whether
//! it is below a constant. An access whose address is `x + c` becomes an access to `x` at `offset + c` if the
//! bound shows that the sum does not wrap: the machine adds the offset without wrapping. Private memory is left alone: its
//! offset says which variable is meant.

use crate::ir::*;
use std::collections::HashMap;

/// Largest number of work-groups that a dispatch may have in each direction.
const MAX_GROUPS: [u64; 3] = [u32::MAX as u64, 65535, 65535];
/// Larger offsets would have to be added by an instruction again.
const MAX_OFFSET: u64 = 4095;
/// LDS has more, but not in instructions that access two elements, of which wide data is made whose alignment is not known.
const MAX_LDS_OFFSET: u64 = 65535;

#[derive(Default)]
struct Bounds {
    /// Largest value, where it is less than 2³² − 1.
    most: HashMap<Value, u64>,
    constants: HashMap<Value, u64>,
    sums: HashMap<Value, (Value, u64)>,
    compares: HashMap<Value, (Alu, [Value; 2])>,
    /// The parameters that each loop goes on with.
    continues: HashMap<Label, Vec<Vec<Value>>>,
    /// What the loop whose body this is counts up, and how far at a time.
    counted: HashMap<Value, u64>,
    /// Bounds as they were before conditions, the last of them last.
    before: Vec<(Value, Option<u64>)>,
}

/// A bound.
type Limit = Option<(Value, u64)>;

pub fn offsets(kernel: &mut Kernel) {
    let mut b = Bounds::default();
    let group = kernel.workgroup.map(u64::from);
    b.note(&kernel.body, &kernel.values);
    b.region(&mut kernel.body, group, &kernel.values);
}

impl Bounds {
    /// What definitions and exits say wherever they stand.
    fn note(&mut self, body: &Region, widths: &[ValueInfo]) {
        let is_b32 = |v: Value| widths[v.0 as usize].width == Width::B32;
        body.for_each_inst(&mut |i| match (&i.op, &i.args[..], i.results.first()) {
            (Op::Const(c), _, Some(&r)) if is_b32(r) => {
                self.constants.insert(r, *c);
            }
            (Op::Alu(Alu::IAdd), &[x, y], Some(&r)) if is_b32(r) => {
                if let Some(&c) = self.constants.get(&y) {
                    self.sums.insert(r, (x, c));
                }
            }
            (Op::Alu(compare @ (Alu::ULt | Alu::ULe | Alu::SLt | Alu::SLe)), &[x, y], Some(&r)) if is_b32(x) => {
                self.compares.insert(r, (*compare, [x, y]));
            }
            _ => {}
        });
        body.for_each_region(&mut |r| {
            if let Exit::Continue(label, values) = &r.exit {
                self.continues.entry(*label).or_default().push(values.clone());
            }
        });
    }

    fn region(&mut self, r: &mut Region, group: [u64; 3], widths: &[ValueInfo]) {
        let known = self.before.len();
        let mut first = true;
        for n in &mut r.nodes {
            match n {
                Node::Inst(i) => {
                    self.define(i, group, widths);
                    self.access(i, widths);
                    continue;
                }
                Node::If { cond, then, els, .. } => {
                    let leaves = els.nodes.is_empty() && matches!(els.exit, Exit::Break(..));
                    let ways = self.limits(*cond, first && leaves);
                    let counted = std::mem::take(&mut self.counted);
                    for (r, limit) in [&mut *then, &mut *els].into_iter().zip(ways) {
                        let known = self.before.len();
                        self.limit(limit);
                        self.region(r, group, widths);
                        self.forget(known);
                    }
                    self.counted = counted;
                    let goes_on = [then, els].map(|r| matches!(r.exit, Exit::Yield(_)));
                    match goes_on {
                        [true, false] => self.limit(ways[0]),
                        [false, true] => self.limit(ways[1]),
                        _ => {}
                    }
                }
                Node::Loop { label, params, init, body, .. } => {
                    let counts = |(n, (&p, from)): (usize, (&Value, &Value))| {
                        self.constants.get(from).filter(|&&c| c <= i32::MAX as u64)?;
                        Some((p, self.step(p, n, *label)?))
                    };
                    let counted = params.iter().zip(&*init).enumerate().filter_map(counts).collect();
                    let around = std::mem::replace(&mut self.counted, counted);
                    self.region(body, group, widths);
                    self.counted = around;
                }
                n => {
                    let counted = std::mem::take(&mut self.counted);
                    n.regions_mut().for_each(|r| self.region(r, group, widths));
                    self.counted = counted;
                }
            }
            // Loops count on from where nodes lead, and what is asked for behind those is not asked for first.
            first = false;
        }
        self.forget(known);
    }

    fn limit(&mut self, limit: Limit) {
        if let Some((v, most)) = limit.filter(|&(v, most)| most < self.most(v)) {
            self.before.push((v, self.most.insert(v, most)));
        }
    }

    fn forget(&mut self, known: usize) {
        for (v, most) in self.before.drain(known..).rev() {
            match most {
                Some(most) => self.most.insert(v, most),
                None => self.most.remove(&v),
            };
        }
    }

    /// What a condition says where it holds, and where it does not. `guards`: the loop whose body this is goes on only where it holds.
    fn limits(&self, cond: Value, guards: bool) -> [Limit; 2] {
        let Some(&(compare, [x, y])) = self.compares.get(&cond) else { return [None; 2] };
        let constant = |v: Value| self.constants.get(&v).copied();
        let below = |v: Value, c: u64| c.checked_sub(1).map(|most| (v, most));
        // With signs as without them, of what has none.
        let signed = matches!(compare, Alu::SLt | Alu::SLe);
        let end = |v: Value| constant(v).filter(|&c| !signed || c <= i32::MAX as u64);
        let plain = |v: Value| !signed || self.most(v) <= i32::MAX as u64;
        let counts = |v: Value, c: u64| guards && self.counted.get(&v).is_some_and(|step| c + step <= i32::MAX as u64);
        match (matches!(compare, Alu::ULt | Alu::SLt), end(x), end(y)) {
            (true, None, Some(c)) if plain(x) || counts(x, c) => [below(x, c), None],
            (false, None, Some(c)) if plain(x) || counts(x, c) => [Some((x, c)), None],
            (true, Some(c), None) if plain(y) => [None, Some((y, c))],
            (false, Some(c), None) if plain(y) => [None, below(y, c)],
            _ => [None; 2],
        }
    }

    /// How far a loop counts its `n`th parameter up, wherever it goes on.
    fn step(&self, param: Value, n: usize, label: Label) -> Option<u64> {
        let continues = self.continues.get(&label).into_iter().flatten();
        let mut steps = continues.map(|values| match self.sums.get(values.get(n)?) {
            Some(&(of, c)) if of == param && c <= i32::MAX as u64 => Some(c),
            _ => None,
        });
        steps.try_fold(0, |most, step| Some(step?.max(most)))
    }

    fn most(&self, v: Value) -> u64 {
        self.most.get(&v).copied().unwrap_or(u64::from(u32::MAX))
    }

    fn define(&mut self, i: &Inst, group: [u64; 3], widths: &[ValueInfo]) {
        let Some(&r) = i.results.first() else { return };
        if widths[r.0 as usize].width != Width::B32 {
            return;
        }
        let top = u64::from(u32::MAX);
        let arg = |n: usize| i.args.get(n).map_or(top, |&v| self.most(v));
        let known = |n: usize| i.args.get(n).and_then(|v| self.constants.get(v)).copied();
        let most = match &i.op {
            Op::Const(c) => *c,
            Op::Builtin(b) => match b {
                Builtin::LocalInvocationId(n) => group[usize::from(*n).min(2)] - 1,
                Builtin::LocalInvocationIndex | Builtin::SubgroupId => group.iter().product::<u64>() - 1,
                Builtin::WorkGroupId(n) => MAX_GROUPS[usize::from(*n).min(2)] - 1,
                Builtin::NumWorkGroups(n) => MAX_GROUPS[usize::from(*n).min(2)],
                Builtin::NumSubgroups => group.iter().product(),
                Builtin::SubgroupInvocationId => 63,
                Builtin::SubgroupSize => 64,
            },
            Op::Alu(a) => match a {
                Alu::IAdd => arg(0) + arg(1),
                Alu::IMul => arg(0).saturating_mul(arg(1)),
                Alu::Shl => known(1).map_or(top, |n| arg(0) << (n & 31)),
                Alu::UShr => known(1).map_or(arg(0), |n| arg(0) >> (n & 31)),
                Alu::And => arg(0).min(arg(1)),
                // No bit above the highest of either.
                Alu::Or | Alu::Xor => (arg(0) | arg(1)).checked_add(1).map_or(top, |x| x.next_power_of_two() - 1),
                Alu::UMin => arg(0).min(arg(1)),
                Alu::UMax => arg(0).max(arg(1)),
                Alu::UMod => known(1).filter(|&n| n > 0).map_or(arg(0), |n| arg(0).min(n - 1)),
                Alu::UDiv => known(1).filter(|&n| n > 0).map_or(arg(0), |n| arg(0) / n),
                Alu::UMulHi => (arg(0) * arg(1)) >> 32,
                Alu::UBfe => known(2).filter(|&n| n < 32).map_or(top, |n| (1 << n) - 1),
                Alu::Select => arg(1).max(arg(2)),
                Alu::BoolToInt => 1,
                Alu::BitCount => 64,
                Alu::UConvert => {
                    i.args.first().map_or(top, |&v| fold::mask(widths[v.0 as usize].width).min(self.most(v)))
                }
                Alu::Copy => arg(0),
                _ => top,
            },
            _ => top,
        };
        if most < top {
            self.most.insert(r, most);
        }
    }

    /// `x + c`, split, if the sum cannot wrap.
    fn split(&self, v: Value) -> Option<(Value, u64)> {
        let &(x, c) = self.sums.get(&v)?;
        (self.most(x) + c <= u64::from(u32::MAX) && self.most(x) < u64::from(u32::MAX)).then_some((x, c))
    }

    fn access(&self, i: &mut Inst, widths: &[ValueInfo]) {
        let bits = |v: &Value| widths[v.0 as usize].width.bits();
        let wide = |i: &Inst| i.results.iter().chain(i.args.iter().skip(1)).map(bits).sum::<u32>() > 32;
        let far = matches!(i.op, Op::Load { space: Space::Lds, .. } | Op::Store { space: Space::Lds, .. }) && !wide(i);
        let most = if far { MAX_LDS_OFFSET } else { MAX_OFFSET };
        let (Op::Load { space, offset, .. } | Op::Store { space, offset, .. } | Op::Atomic { space, offset, .. }) =
            &mut i.op
        else {
            return;
        };
        let operand = match space {
            Space::Buffer => 1,
            Space::Lds | Space::Push | Space::Constant => 0,
            Space::Global | Space::Scratch => return,
        };
        while let Some((x, c)) = i.args.get(operand).and_then(|&v| self.split(v))
            && u64::from(*offset) + c <= most
        {
            i.args[operand] = x;
            *offset += c as u32;
        }
    }
}
