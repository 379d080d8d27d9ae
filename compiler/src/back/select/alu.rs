//! Integer arithmetic of up to 32 bits, and the dispatch to the other kinds.

use super::*;
use crate::ir::Alu::{self, *};

impl Selector<'_> {
    pub(super) fn alu(&mut self, a: Alu, inst: &IrInst) -> Result<()> {
        let r = inst.results[0];
        let (from, to) = (self.width(inst.args[0]), self.width(r));
        match a {
            IEq | INe if from == Width::B1 => self.bool_alu(a, inst),
            IEq | INe | ULt | ULe | SLt | SLe | FOrdEq | FOrdNe | FOrdLt | FOrdLe | FOrdGt | FOrdGe | FUnordEq
            | FUnordNe | FUnordLt | FUnordLe | FUnordGt | FUnordGe | FIsNan | FIsInf => {
                let b = self.compare(a, inst)?;
                self.set_bool(r, b);
                Ok(())
            }
            _ if to == Width::B1 => self.bool_alu(a, inst),
            CubeId | CubeSc | CubeTc | CubeMa => {
                let op = match a {
                    CubeId => i::V_CUBEID_F32,
                    CubeSc => i::V_CUBESC_F32,
                    CubeTc => i::V_CUBETC_F32,
                    _ => i::V_CUBEMA_F32,
                };
                let args: Vec<Arg> = inst.args.iter().map(|&v| self.src(v)).collect();
                let d = self.v1(op, &args);
                self.set_reg(r, d);
                Ok(())
            }
            UConvert | SConvert | FConvert | FConvertRte | FConvertRtz | FToU | FToS | UToF | SToF | Pack64 | Lo32
            | Hi32 | PackHalf2x16 | UnpackHalfLo | UnpackHalfHi | BoolToInt => self.convert(a, inst),
            Copy => {
                let val = self.vals[inst.args[0].0 as usize];
                self.set(r, val);
                Ok(())
            }
            Select => self.select_value(inst),
            FAdd | FSub | FMul | FDiv | FRem | FMod | FNeg | FAbs | FSign | FFloor | FCeil | FTrunc | FRoundEven
            | FFract | FSqrt | FRsq | FRcp | FExp2 | FLog2 | FSin | FCos | FFma | FMin | FMax | FSat | FLdexp
            | FFrexpMant | FFrexpExp => self.float(a, inst),
            URcp => {
                let d = self.src(inst.args[0]);
                let z = self.reciprocal(d);
                self.set_reg(r, z);
                Ok(())
            }
            _ if from == Width::B64 || to == Width::B64 => self.wide(a, inst),
            _ if matches!(from, Width::B8 | Width::B16) => self.narrow(a, inst),
            _ if self.home(r) == Home::Scalar => self.scalar_alu(a, inst),
            _ => {
                let args: Vec<Arg> = inst.args.iter().map(|&v| self.src(v)).collect();
                let d = match self.fused(a, inst) {
                    Some(d) => d,
                    None => self.vector_alu(a, &args)?,
                };
                self.set_reg(r, d);
                Ok(())
            }
        }
    }

    /// (condition, if true, if false) of any width.
    fn select_value(&mut self, inst: &IrInst) -> Result<()> {
        let r = inst.results[0];
        let (yes, no) = (self.dwords(inst.args[1]), self.dwords(inst.args[2]));
        if let Bool::Const(c) = self.boolean(inst.args[0]) {
            let val = self.vals[inst.args[if c { 1 } else { 2 }].0 as usize];
            self.set(r, val);
            return Ok(());
        }
        let mut out = Vec::new();
        if self.home(r) == Home::Scalar {
            for (&y, &n) in yes.iter().zip(&no) {
                // Both operands must stand before the comparison: moving a literal is no comparison's business.
                let y = if y.is_literal() && n.is_literal() { self.literal(y.imm().unwrap_or(0)).into() } else { y };
                let (y, n) = (self.to_s(y), self.to_s(n));
                self.to_scc(inst.args[0]);
                out.push(self.s1(i::S_CSELECT_B32, &[y, n]).into());
            }
        } else {
            let mask = self.mask(inst.args[0]);
            let mask = if let Arg::Imm(_) = mask { self.copy_mask(mask) } else { mask };
            for (&y, &n) in yes.iter().zip(&no) {
                out.push(Arg::from(self.v1(i::V_CNDMASK_B32, &[n, y, mask])));
            }
        }
        self.set_dwords(r, &out);
        Ok(())
    }

    fn copy_mask(&mut self, m: Arg) -> Arg {
        self.mask_op(i::S_MOV_B32, i::S_MOV_B64, &[m]).into()
    }

    pub(super) fn set_dwords(&mut self, r: Value, d: &[Arg]) {
        match *d {
            [Arg::Imm(n)] => self.set(r, Val::Const(n.into())),
            [Arg::Reg(p)] => self.set_reg(r, p),
            [lo, hi] => self.set(r, Val::Pair(lo, hi)),
            _ => {}
        }
    }

    // ---- scalar unit ----

    fn scalar_alu(&mut self, a: Alu, inst: &IrInst) -> Result<()> {
        let x: Vec<Arg> = inst.args.iter().map(|&v| self.src(v)).collect();
        let d = self.scalar_op(a, &x)?;
        self.set_reg(inst.results[0], d);
        Ok(())
    }

    pub(super) fn scalar_op(&mut self, a: Alu, x: &[Arg]) -> Result<Part> {
        let zero = Arg::Imm(0);
        let op = match a {
            IAdd => i::S_ADD_I32,
            ISub => i::S_SUB_I32,
            IMul => i::S_MUL_I32,
            UMulHi => i::S_MUL_HI_U32,
            SMulHi => i::S_MUL_HI_I32,
            And => i::S_AND_B32,
            Or => i::S_OR_B32,
            Xor => i::S_XOR_B32,
            Not => i::S_NOT_B32,
            Shl => i::S_LSHL_B32,
            UShr => i::S_LSHR_B32,
            SShr => i::S_ASHR_I32,
            SMin => i::S_MIN_I32,
            SMax => i::S_MAX_I32,
            UMin => i::S_MIN_U32,
            UMax => i::S_MAX_U32,
            IAbs => i::S_ABS_I32,
            BitReverse => i::S_BREV_B32,
            BitCount => i::S_BCNT1_I32_B32,
            FindLsb => i::S_FF1_I32_B32,
            INeg => return Ok(self.s1(i::S_SUB_I32, &[zero, x[0]])),
            ISign => {
                let t = self.s1(i::S_MAX_I32, &[x[0], Arg::Imm(u32::MAX)]);
                return Ok(self.s1(i::S_MIN_I32, &[t.into(), Arg::Imm(1)]));
            }
            FindUMsb | FindSMsb => {
                // The count from the top, −1 if none: 31 − it, and −1 stays.
                let op = if a == FindUMsb { i::S_FLBIT_I32_B32 } else { i::S_FLBIT_I32 };
                let top = self.s1(op, x);
                let msb = self.s1(i::S_SUB_I32, &[Arg::Imm(31), top.into()]);
                self.sop(i::S_CMP_LT_I32, Arg::None, &[top.into(), zero]);
                return Ok(self.s1(i::S_CSELECT_B32, &[top.into(), msb.into()]));
            }
            UBfe | SBfe => return Ok(self.scalar_extract(a, x)),
            Bfi => {
                // mask = ((1 << count) − 1) << offset
                let mask = self.field_mask(x[2], x[3]);
                let moved = self.s1(i::S_LSHL_B32, &[x[1], x[2]]);
                let new = self.s1(i::S_AND_B32, &[moved.into(), mask.into()]);
                let old = self.s1(i::S_ANDN2_B32, &[x[0], mask.into()]);
                return Ok(self.s1(i::S_OR_B32, &[new.into(), old.into()]));
            }
            other => return Err(self.unsupported(&format!("{other:?} on the scalar unit"))),
        };
        Ok(self.s1(op, x))
    }

    /// `count` ones from bit `offset`; 32 ones if the count is 32.
    fn field_mask(&mut self, offset: Arg, count: Arg) -> Part {
        if let (Arg::Imm(o), Arg::Imm(c)) = (offset, count) {
            let ones = if c >= 32 { u32::MAX } else { (1 << c) - 1 };
            return self.in_s(Arg::Imm(ones << (o & 31)));
        }
        let bits = self.s1(i::S_BFM_B32, &[count, offset]);
        self.sop(i::S_CMP_EQ_U32, Arg::None, &[count, Arg::Imm(32)]);
        self.s1(i::S_CSELECT_B32, &[Arg::Imm(u32::MAX), bits.into()])
    }

    fn scalar_extract(&mut self, a: Alu, x: &[Arg]) -> Part {
        let op = if a == UBfe { i::S_BFE_U32 } else { i::S_BFE_I32 };
        // The second operand packs the offset in bits 4:0 and the width, up to 32, from bit 16.
        let field: Arg = match (x[1], x[2]) {
            (Arg::Imm(o), Arg::Imm(c)) => Arg::Imm(o & 31 | c.min(32) << 16),
            _ => {
                let c = self.s1(i::S_LSHL_B32, &[x[2], Arg::Imm(16)]);
                self.s1(i::S_OR_B32, &[c.into(), x[1]]).into()
            }
        };
        self.s1(op, &[x[0], field])
    }

    // ---- vector unit ----

    pub(super) fn vector_alu(&mut self, a: Alu, x: &[Arg]) -> Result<Part> {
        let zero = Arg::Imm(0);
        let minus_one = Arg::Imm(u32::MAX);
        Ok(match a {
            IAdd => self.v1(i::V_ADD_NC_U32, x),
            ISub => self.v1(i::V_SUB_NC_U32, x),
            INeg => self.v1(i::V_SUB_NC_U32, &[zero, x[0]]),
            IMul => self.v1(i::V_MUL_LO_U32, x),
            UMulHi => self.v1(i::V_MUL_HI_U32, x),
            SMulHi => self.v1(i::V_MUL_HI_I32, x),
            And => self.v1(i::V_AND_B32, x),
            Or => self.v1(i::V_OR_B32, x),
            Xor => self.v1(i::V_XOR_B32, x),
            Not => self.v1(i::V_NOT_B32, x),
            Shl => self.v1(i::V_LSHLREV_B32, &[x[1], x[0]]),
            UShr => self.v1(i::V_LSHRREV_B32, &[x[1], x[0]]),
            SShr => self.v1(i::V_ASHRREV_I32, &[x[1], x[0]]),
            SMin => self.v1(i::V_MIN_I32, x),
            SMax => self.v1(i::V_MAX_I32, x),
            UMin => self.v1(i::V_MIN_U32, x),
            UMax => self.v1(i::V_MAX_U32, x),
            IAbs => {
                let n = self.v1(i::V_SUB_NC_U32, &[zero, x[0]]);
                self.v1(i::V_MAX_I32, &[n.into(), x[0]])
            }
            ISign => self.v1(i::V_MED3_I32, &[minus_one, x[0], Arg::Imm(1)]),
            BitReverse => self.v1(i::V_BFREV_B32, x),
            BitCount => self.v1(i::V_BCNT_U32_B32, &[x[0], zero]),
            FindLsb => self.v1(i::V_FFBL_B32, x),
            FindUMsb | FindSMsb => {
                let op = if a == FindUMsb { i::V_FFBH_U32 } else { i::V_FFBH_I32 };
                let top = self.v1(op, x);
                let msb = self.v1(i::V_SUB_NC_U32, &[Arg::Imm(31), top.into()]);
                let none = self.vcmp(i::V_CMP_EQ_U32, &[minus_one, top.into()], Mods::default());
                self.v1(i::V_CNDMASK_B32, &[msb.into(), minus_one, none.into()])
            }
            UBfe | SBfe => self.vector_extract(a, x),
            Bfi => self.vector_insert(x),
            UAddCarry => {
                let (sum, carry) = (self.new_v(1), self.new_mask());
                self.vop(i::V_ADD_CO_U32, &[sum.into(), carry.into()], x, Mods::default());
                self.v1(i::V_CNDMASK_B32, &[zero, Arg::Imm(1), carry.into()])
            }
            USubBorrow => {
                let (diff, borrow) = (self.new_v(1), self.new_mask());
                self.vop(i::V_SUB_CO_U32, &[diff.into(), borrow.into()], x, Mods::default());
                self.v1(i::V_CNDMASK_B32, &[zero, Arg::Imm(1), borrow.into()])
            }
            other => return Err(self.unsupported(&format!("{other:?} on 32 bits"))),
        })
    }

    fn vector_extract(&mut self, a: Alu, x: &[Arg]) -> Part {
        let op = if a == UBfe { i::V_BFE_U32 } else { i::V_BFE_I32 };
        if let Arg::Imm(count) = x[2] {
            return match count {
                32.. => self.to_v(x[0]),
                _ => self.v1(op, x),
            };
        }
        // The instruction reads five bits of the count: a count of 32 means the whole value.
        let field = self.v1(op, x);
        let whole = self.vcmp(i::V_CMP_LE_U32, &[Arg::Imm(32), x[2]], Mods::default());
        self.v1(i::V_CNDMASK_B32, &[field.into(), x[0], whole.into()])
    }

    fn vector_insert(&mut self, x: &[Arg]) -> Part {
        let mask: Arg = match (x[2], x[3]) {
            (Arg::Imm(o), Arg::Imm(c)) => {
                let ones = if c >= 32 { u32::MAX } else { (1 << c) - 1 };
                Arg::Imm(ones << (o & 31))
            }
            _ => {
                let bits = self.v1(i::V_BFM_B32, &[x[3], x[2]]);
                let whole = self.vcmp(i::V_CMP_LE_U32, &[Arg::Imm(32), x[3]], Mods::default());
                self.v1(i::V_CNDMASK_B32, &[bits.into(), Arg::Imm(u32::MAX), whole.into()]).into()
            }
        };
        let moved = self.v1(i::V_LSHLREV_B32, &[x[2], x[1]]);
        self.v1(i::V_BFI_B32, &[mask, moved.into(), x[0]])
    }
}
