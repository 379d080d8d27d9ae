//! 64-bit integers as register pairs.

use super::*;
use crate::ir::Alu::{self, *};

impl Selector<'_> {
    pub(super) fn wide(&mut self, a: Alu, inst: &IrInst) -> Result<()> {
        let r = inst.results[0];
        let scalar = self.home(r) == Home::Scalar;
        let v = inst.args[0];
        match a {
            And | Or | Xor | Not => {
                let (x0, x1) = self.src64(v);
                let mut halves = [vec![x0], vec![x1]];
                if a != Not {
                    let (y0, y1) = self.src64(inst.args[1]);
                    halves[0].push(y0);
                    halves[1].push(y1);
                }
                let [lo, hi] = halves;
                let lo = if scalar { self.scalar_op(a, &lo)? } else { self.vector_alu(a, &lo)? };
                let hi = if scalar { self.scalar_op(a, &hi)? } else { self.vector_alu(a, &hi)? };
                self.set(r, Val::Pair(lo.into(), hi.into()));
            }
            IAdd | ISub => {
                let (x, y) = (self.src64(v), self.src64(inst.args[1]));
                let d = self.add_wide(x, y, a == ISub, scalar);
                self.set_reg(r, d);
            }
            INeg => {
                let x = self.src64(v);
                let d = self.add_wide((Arg::Imm(0), Arg::Imm(0)), x, true, scalar);
                self.set_reg(r, d);
            }
            IMul => {
                let (x, y) = (self.src64(v), self.src64(inst.args[1]));
                let d = self.mul_wide(x, y, scalar)?;
                self.set_reg(r, d);
            }
            Shl | UShr | SShr => {
                let x = self.pair(v, if scalar { Bank::S } else { Bank::V });
                let n = self.src(inst.args[1]);
                let d = if scalar {
                    let op = match a {
                        Shl => i::S_LSHL_B64,
                        UShr => i::S_LSHR_B64,
                        _ => i::S_ASHR_I64,
                    };
                    self.s2(op, &[x.into(), n])
                } else {
                    let op = match a {
                        Shl => i::V_LSHLREV_B64,
                        UShr => i::V_LSHRREV_B64,
                        _ => i::V_ASHRREV_I64,
                    };
                    self.v2(op, &[n, x.into()])
                };
                self.set_reg(r, d);
            }
            SMin | SMax | UMin | UMax => {
                let op = match a {
                    SMin => i::V_CMP_LT_I64,
                    SMax => i::V_CMP_GT_I64,
                    UMin => i::V_CMP_LT_U64,
                    _ => i::V_CMP_GT_U64,
                };
                let (x, y) = (self.pair(v, Bank::V), self.pair(inst.args[1], Bank::V));
                let first = self.vcmp(op, &[x.into(), y.into()], Mods::default());
                self.choose_wide(r, first, x, y);
            }
            IAbs => {
                let x = self.src64(v);
                let n = self.add_wide((Arg::Imm(0), Arg::Imm(0)), x, true, false);
                let x = self.gather(Bank::V, &[x.0, x.1]);
                let negative = self.vcmp(i::V_CMP_GT_I32, &[Arg::Imm(0), x.at(1).into()], Mods::default());
                self.choose_wide(r, negative, n, x);
            }
            ISign => {
                let (lo, hi) = self.src64(v);
                let s = self.v1(i::V_ASHRREV_I32, &[Arg::Imm(31), hi]);
                let any = self.v1(i::V_OR_B32, &[lo, hi]);
                let one = self.v1(i::V_MIN_U32, &[Arg::Imm(1), any.into()]);
                let low = self.v1(i::V_OR_B32, &[s.into(), one.into()]);
                self.set(r, Val::Pair(low.into(), s.into()));
            }
            BitCount => {
                let (lo, hi) = self.src64(v);
                let n = self.v1(i::V_BCNT_U32_B32, &[lo, Arg::Imm(0)]);
                let n = self.v1(i::V_BCNT_U32_B32, &[hi, n.into()]);
                self.set_reg(r, n);
            }
            BitReverse => {
                let (lo, hi) = self.src64(v);
                let (a, b) = (self.v1(i::V_BFREV_B32, &[hi]), self.v1(i::V_BFREV_B32, &[lo]));
                self.set(r, Val::Pair(a.into(), b.into()));
            }
            FindLsb | FindUMsb => {
                // The half that counts, and 32 more if it is the high one; −1 | 32 stays −1.
                let (lo, hi) = self.src64(v);
                let (near, far, far_is_high) = if a == FindLsb { (lo, hi, true) } else { (hi, lo, false) };
                let x = self.vector_alu(a, &[near])?;
                let y = self.vector_alu(a, &[far])?;
                let (x, y) = if far_is_high {
                    (x, self.v1(i::V_OR_B32, &[Arg::Imm(32), y.into()]))
                } else {
                    (self.v1(i::V_OR_B32, &[Arg::Imm(32), x.into()]), y)
                };
                let none = self.vcmp(i::V_CMP_EQ_U32, &[Arg::Imm(0), near], Mods::default());
                let d = self.v1(i::V_CNDMASK_B32, &[x.into(), y.into(), none.into()]);
                self.set_reg(r, d);
            }
            other => return Err(self.unsupported(&format!("{other:?} on 64-bit integers"))),
        }
        Ok(())
    }

    fn choose_wide(&mut self, r: Value, first: Part, x: Part, y: Part) {
        let half = |s: &mut Self, n| s.v1(i::V_CNDMASK_B32, &[y.at(n).into(), x.at(n).into(), first.into()]);
        let (lo, hi) = (half(self, 0), half(self, 1));
        self.set(r, Val::Pair(lo.into(), hi.into()));
    }

    /// x + y or x − y.
    pub(super) fn add_wide(&mut self, x: (Arg, Arg), y: (Arg, Arg), subtract: bool, scalar: bool) -> Part {
        if scalar {
            let d = self.new_s(2);
            let (lo, hi) = if subtract { (i::S_SUB_U32, i::S_SUBB_U32) } else { (i::S_ADD_U32, i::S_ADDC_U32) };
            // Nothing may come between the two: literals of the second are made first.
            let y1 = if x.1.is_literal() && y.1.is_literal() { self.in_s(y.1).into() } else { y.1 };
            let (x1, y1) = (self.to_s(x.1), self.to_s(y1));
            self.sop(lo, d.at(0).into(), &[x.0, y.0]);
            self.sop(hi, d.at(1).into(), &[x1, y1]);
            return d;
        }
        let (d, carry) = (self.new_v(2), self.carry());
        let (lo, hi) =
            if subtract { (i::V_SUB_CO_U32, i::V_SUB_CO_CI_U32) } else { (i::V_ADD_CO_U32, i::V_ADD_CO_CI_U32) };
        self.vop(lo, &[d.at(0).into(), carry.into()], &[x.0, y.0], Mods::default());
        let out = self.carry();
        let x1 = self.to_v(x.1).into();
        self.vop(hi, &[d.at(1).into(), out.into()], &[x1, y.1, carry.into()], Mods::default());
        d
    }

    /// lo·lo + ((hi·lo + lo·hi) << 32)
    fn mul_wide(&mut self, x: (Arg, Arg), y: (Arg, Arg), scalar: bool) -> Result<Part> {
        let zero = Arg::Imm(0);
        let bank = if scalar { Bank::S } else { Bank::V };
        let op = |s: &mut Self, a: Alu, args: &[Arg]| if scalar { s.scalar_op(a, args) } else { s.vector_alu(a, args) };
        let lo = op(self, IMul, &[x.0, y.0])?;
        let mut hi = op(self, UMulHi, &[x.0, y.0])?;
        for (p, q) in [(x.1, y.0), (x.0, y.1)] {
            if p != zero && q != zero {
                let cross = op(self, IMul, &[p, q])?;
                hi = op(self, IAdd, &[hi.into(), cross.into()])?;
            }
        }
        Ok(self.gather(bank, &[lo.into(), hi.into()]))
    }

    pub(super) fn wide_compare(&mut self, a: Alu, inst: &IrInst, scalar: bool) -> Result<Bool> {
        if scalar && matches!(a, IEq | INe) {
            let (x, y) = (self.pair(inst.args[0], Bank::S), self.pair(inst.args[1], Bank::S));
            let op = if a == IEq { i::S_CMP_EQ_U64 } else { i::S_CMP_LG_U64 };
            if self.has(op) {
                return Ok(Bool::Compare { op, a: x.into(), b: y.into() });
            }
            let differ = self.s2(i::S_XOR_B64, &[x.into(), y.into()]);
            let any = self.s1(i::S_OR_B32, &[differ.at(0).into(), differ.at(1).into()]);
            let op = if a == IEq { i::S_CMP_EQ_U32 } else { i::S_CMP_LG_U32 };
            return Ok(Bool::Compare { op, a: any.into(), b: Arg::Imm(0) });
        }
        let (x, y) = (self.pair(inst.args[0], Bank::V), self.pair(inst.args[1], Bank::V));
        let op = match a {
            IEq => i::V_CMP_EQ_U64,
            INe => i::V_CMP_NE_U64,
            ULt => i::V_CMP_LT_U64,
            ULe => i::V_CMP_LE_U64,
            SLt => i::V_CMP_LT_I64,
            _ => i::V_CMP_LE_I64,
        };
        Ok(Bool::Mask(self.vcmp(op, &[x.into(), y.into()], Mods::default())))
    }
}
