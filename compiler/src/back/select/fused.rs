//! Instructions that do the work of two or more.

use super::*;
use crate::ir::Alu::{self, *};

impl Selector<'_> {
    /// The definition of operand `n` if it is `op` on the vector unit and nobody else wants it.
    pub(super) fn single(&self, inst: &IrInst, n: usize, op: Alu) -> Option<IrInst> {
        let v = inst.args[n];
        let def = self.defs.alu(v, op)?;
        (self.defs.uses(v) == 1 && self.home(v) != Home::Scalar && self.width(def.args[0]) == Width::B32)
            .then(|| def.clone())
    }

    /// By one instruction of the vector unit, if there is one for this and what its operands are made of.
    pub(super) fn fused(&mut self, a: Alu, inst: &IrInst) -> Option<Part> {
        if inst.args.len() == 2
            && self.width(inst.results[0]) == Width::B32
            && matches!(a, IAdd | Or | Xor | SMin | SMax | UMin | UMax)
        {
            if matches!(a, IAdd | Or | Xor)
                && let Some(part) =
                    self.rotated(inst).or_else(|| self.chosen(a, inst)).or_else(|| self.majority(a, inst))
            {
                return Some(part);
            }
            for (n, other) in [(0, 1), (1, 0)] {
                let c = self.src(inst.args[other]);
                let rules: &[(Alu, Op)] = match a {
                    IAdd => &[(Shl, i::V_LSHL_ADD_U32), (IAdd, i::V_ADD3_U32)],
                    Or => &[(Shl, i::V_LSHL_OR_B32), (And, i::V_AND_OR_B32), (Or, i::V_OR3_B32)],
                    Xor => &[(Xor, i::V_XOR3_B32)],
                    SMin => &[(SMin, i::V_MIN3_I32)],
                    SMax => &[(SMax, i::V_MAX3_I32)],
                    UMin => &[(UMin, i::V_MIN3_U32)],
                    _ => &[(UMax, i::V_MAX3_U32)],
                };
                for &(inner, op) in rules.iter().filter(|r| self.has(r.1)) {
                    if let Some(def) = self.single(inst, n, inner) {
                        let (x, y) = (self.src(def.args[0]), self.src(def.args[1]));
                        if self.bus_free(&[x, y, c]) {
                            return Some(self.v1(op, &[x, y, c]));
                        }
                    }
                }
                if a == IAdd
                    && let Some(def) = self.single(inst, n, IMul)
                    && self.defs.bits(def.args[0]) <= 24
                    && self.defs.bits(def.args[1]) <= 24
                {
                    let (x, y) = (self.src(def.args[0]), self.src(def.args[1]));
                    if self.bus_free(&[x, y, c]) {
                        return Some(self.v1(i::V_MAD_U32_U24, &[x, y, c]));
                    }
                }
            }
        }
        match a {
            IMul if self.defs.bits(inst.args[0]) <= 24 && self.defs.bits(inst.args[1]) <= 24 => {
                let (x, y) = (self.src(inst.args[0]), self.src(inst.args[1]));
                Some(self.v1(i::V_MUL_U32_U24, &[x, y]))
            }
            Shl if self.has(i::V_ADD_LSHL_U32) => {
                // (x + y) << n
                let def = self.single(inst, 0, IAdd)?;
                let args = [self.src(def.args[0]), self.src(def.args[1]), self.src(inst.args[1])];
                self.bus_free(&args).then(|| self.v1(i::V_ADD_LSHL_U32, &args))
            }
            _ => None,
        }
    }

    /// (x << 32 − n) with (y >> n), which have no bits in common: one operand is the other's rotation, or both are a part of a pair.
    fn rotated(&mut self, inst: &IrInst) -> Option<Part> {
        [(0, 1), (1, 0)].into_iter().find_map(|(n, other)| {
            let (high, low) = (self.single(inst, n, Shl)?, self.single(inst, other, UShr)?);
            let (Arg::Imm(left), Arg::Imm(right)) = (self.src(high.args[1]), self.src(low.args[1])) else {
                return None;
            };
            let args = [self.src(high.args[0]), self.src(low.args[0]), Arg::Imm(right)];
            let whole = matches!(left, 1..32) && left + right == 32;
            (whole && self.bus_free(&args)).then(|| self.v1(i::V_ALIGNBIT_B32, &args))
        })
    }

    /// Each bit of `one` where `mask` has one, else of `other`: (mask & one) with (!mask & other); other ^ (mask & (one ^ other)).
    fn chosen(&mut self, a: Alu, inst: &IrInst) -> Option<Part> {
        let [mask, one, other] = [(0, 1), (1, 0)].into_iter().find_map(|(n, o)| {
            let and = self.single(inst, n, And)?;
            let other = inst.args[o];
            let parted = |x: Value, y: Value| {
                // What the mask is not, in the other operand.
                let rest = self.single(inst, o, And)?;
                let is_not = |v: Value| self.defs.alu(v, Not).is_some_and(|def| def.args[0] == x);
                let k = (0..2).find(|&k| is_not(rest.args[k]))?;
                Some([x, y, rest.args[1 - k]])
            };
            let differs = |x: Value, y: Value| {
                let xor = self.defs.alu(y, Xor).filter(|_| a == Xor && self.defs.uses(y) == 1)?;
                let k = (0..2).find(|&k| xor.args[k] == other)?;
                Some([x, xor.args[1 - k], other])
            };
            let [x, y] = [and.args[0], and.args[1]];
            [parted(x, y), parted(y, x), differs(x, y), differs(y, x)].into_iter().flatten().next()
        })?;
        let args = [self.src(mask), self.src(one), self.src(other)];
        self.bus_free(&args).then(|| self.v1(i::V_BFI_B32, &args))
    }

    /// The bit that two of three have, (x & y) with (x & z) with (y & z): where x and y differ, that of z.
    fn majority(&mut self, a: Alu, inst: &IrInst) -> Option<Part> {
        let with = |a| matches!(a, Or | Xor);
        let [x, y, z] = [(0, 1), (1, 0)].into_iter().filter(|_| with(a)).find_map(|(n, o)| {
            let two = [Or, Xor].into_iter().find_map(|a| self.single(inst, n, a))?;
            let [p, q] = [self.single(&two, 0, And)?, self.single(&two, 1, And)?];
            let third = self.single(inst, o, And)?;
            let k = (0..2).find(|&k| q.args.contains(&p.args[k]))?;
            let (x, y) = (p.args[k], p.args[1 - k]);
            let z = if q.args[0] == x { q.args[1] } else { q.args[0] };
            (third.args[..] == [y, z] || third.args[..] == [z, y]).then_some([x, y, z])
        })?;
        let args = [self.src(x), self.src(y), self.src(z)];
        if !self.bus_free(&args) {
            return None;
        }
        let differ = self.v1(i::V_XOR_B32, &args[..2]);
        Some(self.v1(i::V_BFI_B32, &[differ.into(), args[2], args[1]]))
    }

    /// The operands fit one VOP3 instruction without moves.
    fn bus_free(&self, args: &[Arg]) -> bool {
        let mut bus: Vec<Arg> = Vec::new();
        for &a in args {
            if (self.is_s(a) || self.is_literal(a)) && !bus.contains(&a) {
                bus.push(a);
            }
        }
        let caps = self.f.isa.caps();
        bus.len() <= caps.constant_bus
            && bus.iter().filter(|&&a| self.is_literal(a)).count() <= usize::from(caps.vop3_literal)
    }
}
