//! Booleans: lane masks, comparison recipes, and how they turn into each other.

use super::*;
use crate::ir::Alu;

#[derive(Clone, Copy, Debug)]
pub(super) enum Bool {
    Const(bool),
    /// One bit a lane, right in the lanes that were active at its definition, anything elsewhere.
    Mask(Part),
    /// A uniform comparison, redone at each use: SCC = `op`(a, b).
    Compare {
        op: Op,
        a: Arg,
        b: Arg,
    },
}

impl Selector<'_> {
    pub(super) fn boolean(&self, v: Value) -> Bool {
        match self.vals[v.0 as usize] {
            Val::Bool(b) => b,
            _ => Bool::Const(false),
        }
    }

    /// A boolean as a lane mask operand.
    pub(super) fn mask(&mut self, v: Value) -> Arg {
        let b = self.boolean(v);
        self.mask_of(b)
    }

    pub(super) fn mask_of(&mut self, b: Bool) -> Arg {
        match b {
            Bool::Const(c) => Arg::Imm(if c { u32::MAX } else { 0 }),
            Bool::Mask(p) => p.into(),
            Bool::Compare { op, a, b } => {
                self.sop(op, Arg::None, &[a, b]);
                let d = self.new_mask();
                let select = self.by_mask(i::S_CSELECT_B32, i::S_CSELECT_B64);
                self.raw(select, &[d.into()], &[Arg::Imm(u32::MAX), Arg::Imm(0)]);
                d.into()
            }
        }
    }

    /// A mask in registers, whose bits outside of EXEC are zero.
    pub(super) fn clean_mask(&mut self, v: Value) -> Arg {
        match self.boolean(v) {
            Bool::Const(false) => Arg::Imm(0),
            Bool::Const(true) => EXEC,
            b => {
                let m = self.mask_of(b);
                self.mask_op(i::S_AND_B32, i::S_AND_B64, &[m, EXEC]).into()
            }
        }
    }

    /// SCC = a uniform boolean. The next instruction must use it.
    pub(super) fn to_scc(&mut self, v: Value) {
        match self.boolean(v) {
            Bool::Const(c) => self.sop(i::S_CMP_EQ_U32, Arg::None, &[Arg::Imm(u32::from(!c)), Arg::Imm(0)]),
            Bool::Compare { op, a, b } => self.sop(op, Arg::None, &[a, b]),
            Bool::Mask(p) => {
                self.mask_op(i::S_AND_B32, i::S_AND_B64, &[p.into(), EXEC]);
            }
        }
    }

    pub(super) fn by_mask(&self, w32: Op, w64: Op) -> Op {
        if self.wave64() { w64 } else { w32 }
    }

    /// A scalar instruction on masks with a fresh mask as result.
    pub(super) fn mask_op(&mut self, w32: Op, w64: Op, src: &[Arg]) -> Part {
        let d = self.new_mask();
        let op = self.by_mask(w32, w64);
        self.raw(op, &[d.into()], src);
        d
    }

    /// No lane.
    pub(super) fn zero_mask(&mut self) -> Part {
        self.mask_op(i::S_MOV_B32, i::S_MOV_B64, &[Arg::Imm(0)])
    }

    /// A scalar instruction on masks that writes `dst`.
    pub(super) fn mask_into(&mut self, w32: Op, w64: Op, dst: Arg, src: &[Arg]) {
        let op = self.by_mask(w32, w64);
        self.raw(op, &[dst], src);
    }

    /// A vector comparison: fresh mask.
    pub(super) fn vcmp(&mut self, op: Op, src: &[Arg], mods: Mods) -> Part {
        let d = self.new_mask();
        self.vop(op, &[d.into()], src, mods);
        d
    }

    pub(super) fn set_bool(&mut self, v: Value, b: Bool) {
        self.set(v, Val::Bool(b));
    }

    /// Logic on booleans.
    pub(super) fn bool_alu(&mut self, a: Alu, inst: &IrInst) -> Result<()> {
        let r = inst.results[0];
        if a == Alu::Not
            && let Some(p) = self.inverted(inst.args[0])?
        {
            self.set_bool(r, p);
            return Ok(());
        }
        let m: Vec<Arg> = inst.args.iter().map(|&v| self.mask(v)).collect();
        let d = match a {
            Alu::Copy => {
                let b = self.boolean(inst.args[0]);
                self.set_bool(r, b);
                return Ok(());
            }
            Alu::Not => self.mask_op(i::S_NOT_B32, i::S_NOT_B64, &m),
            Alu::And => self.mask_op(i::S_AND_B32, i::S_AND_B64, &m),
            Alu::Or => self.mask_op(i::S_OR_B32, i::S_OR_B64, &m),
            Alu::Xor | Alu::INe => self.mask_op(i::S_XOR_B32, i::S_XOR_B64, &m),
            Alu::IEq => self.mask_op(i::S_XNOR_B32, i::S_XNOR_B64, &m),
            Alu::Select => {
                let yes = self.mask_op(i::S_AND_B32, i::S_AND_B64, &[m[1], m[0]]);
                let no = self.mask_op(i::S_ANDN2_B32, i::S_ANDN2_B64, &[m[2], m[0]]);
                self.mask_op(i::S_OR_B32, i::S_OR_B64, &[yes.into(), no.into()])
            }
            other => return Err(self.unsupported(&format!("{other:?} on booleans"))),
        };
        self.set_bool(r, Bool::Mask(d));
        Ok(())
    }

    /// The negation of a boolean for free: the opposite comparison.
    fn inverted(&mut self, v: Value) -> Result<Option<Bool>> {
        match self.boolean(v) {
            Bool::Const(c) => return Ok(Some(Bool::Const(!c))),
            Bool::Compare { op, a, b } => {
                return Ok(op.row().opposite.map(|op| Bool::Compare { op, a, b }));
            }
            Bool::Mask(_) => {}
        }
        let Some(def) = self.defs.inst(v) else { return Ok(None) };
        let ir::Op::Alu(a) = def.op else { return Ok(None) };
        let Some(not) = a.opposite() else { return Ok(None) };
        if self.defs.uses(v) != 1 || self.width(def.args[0]) == Width::B1 {
            return Ok(None);
        }
        Ok(Some(self.compare(not, def)?))
    }

    /// A comparison of numbers.
    pub(super) fn compare(&mut self, a: Alu, inst: &IrInst) -> Result<Bool> {
        use Alu::*;
        let width = self.width(inst.args[0]);
        let float = !matches!(a, IEq | INe | ULt | ULe | SLt | SLe);
        if float {
            return self.float_compare(a, inst, width);
        }
        let scalar = inst.args.iter().all(|&v| self.home(v) == Home::Scalar);
        if width == Width::B64 {
            return self.wide_compare(a, inst, scalar);
        }
        let signed = matches!(a, SLt | SLe);
        let x = self.extended(inst.args[0], signed);
        let y = self.extended(inst.args[1], signed);
        if scalar {
            let op = match a {
                IEq => i::S_CMP_EQ_U32,
                INe => i::S_CMP_LG_U32,
                ULt => i::S_CMP_LT_U32,
                ULe => i::S_CMP_LE_U32,
                SLt => i::S_CMP_LT_I32,
                _ => i::S_CMP_LE_I32,
            };
            return Ok(Bool::Compare { op, a: x, b: y });
        }
        let op = match a {
            IEq => i::V_CMP_EQ_U32,
            INe => i::V_CMP_NE_U32,
            ULt => i::V_CMP_LT_U32,
            ULe => i::V_CMP_LE_U32,
            SLt => i::V_CMP_LT_I32,
            _ => i::V_CMP_LE_I32,
        };
        Ok(Bool::Mask(self.vcmp(op, &[x, y], Mods::default())))
    }
}
