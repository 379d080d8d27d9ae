//! Where values are defined and how often they are used.

use crate::ir::*;

/// Definition and use counts of every value of a kernel.
pub struct Defs<'k> {
    /// The instruction that defines a value, if an instruction does.
    inst: Vec<Option<&'k Inst>>,
    uses: Vec<u32>,
}

impl<'k> Defs<'k> {
    pub fn new(kernel: &'k Kernel) -> Defs<'k> {
        let n = kernel.values.len();
        let mut defs = Defs { inst: vec![None; n], uses: vec![0; n] };
        defs.region(&kernel.body);
        defs
    }

    fn count(&mut self, values: &[Value]) {
        for v in values {
            self.uses[v.0 as usize] += 1;
        }
    }

    fn region(&mut self, r: &'k Region) {
        for n in &r.nodes {
            match n {
                Node::Inst(i) => {
                    self.count(&i.args);
                    for v in &i.results {
                        self.inst[v.0 as usize] = Some(i);
                    }
                }
                Node::If { cond, then, els, .. } => {
                    self.count(&[*cond]);
                    self.region(then);
                    self.region(els);
                }
                Node::Loop { init, body, .. } => {
                    self.count(init);
                    self.region(body);
                }
                Node::Block { body, .. } => self.region(body),
                Node::Switch { selector, cases, .. } => {
                    self.count(&[*selector]);
                    for case in cases {
                        self.count(&case.init);
                        self.region(&case.body);
                    }
                }
            }
        }
        match &r.exit {
            Exit::Yield(v) | Exit::Break(_, v) | Exit::Continue(_, v) => self.count(v),
            Exit::Unreachable => {}
        }
    }

    pub fn inst(&self, v: Value) -> Option<&'k Inst> {
        self.inst[v.0 as usize]
    }

    pub fn uses(&self, v: Value) -> u32 {
        self.uses[v.0 as usize]
    }

    /// The operands of `v` if it is computed by `op`.
    pub fn alu(&self, v: Value, op: Alu) -> Option<&'k Inst> {
        self.inst(v).filter(|i| i.op == Op::Alu(op))
    }

    pub fn constant(&self, v: Value) -> Option<u64> {
        match self.inst(v)?.op {
            Op::Const(n) => Some(n),
            _ => None,
        }
    }

    /// Bits that a 32-bit value may need, as an unsigned number: at most 32.
    pub fn bits(&self, v: Value) -> u32 {
        self.bits_within(v, 4)
    }

    fn bits_within(&self, v: Value, depth: u32) -> u32 {
        let Some(i) = self.inst(v) else { return 32 };
        if depth == 0 {
            return 32;
        }
        let of = |n: usize| self.bits_within(i.args[n], depth - 1);
        let constant = |n: usize| self.constant(i.args[n]).map(|c| c as u32);
        match i.op {
            Op::Const(n) => 64 - n.leading_zeros(),
            Op::Builtin(Builtin::LocalInvocationId(_) | Builtin::LocalInvocationIndex) => 10,
            Op::Builtin(Builtin::SubgroupInvocationId | Builtin::SubgroupId | Builtin::NumSubgroups) => 6,
            Op::Builtin(Builtin::SubgroupSize) => 7,
            Op::Alu(Alu::And | Alu::UMin) => of(0).min(of(1)),
            Op::Alu(Alu::Or | Alu::Xor | Alu::UMax) => of(0).max(of(1)),
            Op::Alu(Alu::UMod) => of(1),
            Op::Alu(Alu::UDiv) => of(0),
            Op::Alu(Alu::IAdd) => (of(0).max(of(1)) + 1).min(32),
            Op::Alu(Alu::IMul) => (of(0) + of(1)).min(32),
            Op::Alu(Alu::Select) => of(1).max(of(2)),
            Op::Alu(Alu::BoolToInt) => 1,
            Op::Alu(Alu::Copy) => of(0),
            Op::Alu(Alu::UShr) => constant(1).map_or(32, |c| of(0).saturating_sub(c & 31)),
            Op::Alu(Alu::Shl) => constant(1).map_or(32, |c| (of(0) + (c & 31)).min(32)),
            Op::Alu(Alu::UBfe) => constant(2).map_or(32, |c| c.min(32)),
            _ => 32,
        }
    }
}
