//! 8- and 16-bit integers in 32-bit registers.

use super::*;
use crate::ir::Alu::{self, *};

impl Selector<'_> {
    /// A value of up to 32 bits with its high bits made right.
    pub(super) fn extended(&mut self, v: Value, signed: bool) -> Arg {
        let bits = match self.width(v) {
            Width::B8 => 8,
            Width::B16 => 16,
            _ => return self.src(v),
        };
        let x = self.src(v);
        self.extend(x, bits, signed, self.home(v) == Home::Scalar)
    }

    pub(super) fn extend(&mut self, x: Arg, bits: u32, signed: bool, scalar: bool) -> Arg {
        if let Arg::Imm(n) = x {
            let up = 32 - bits;
            return Arg::Imm(if signed { ((n << up) as i32 >> up) as u32 } else { n << up >> up });
        }
        match (scalar, signed) {
            (true, true) => self.s1(if bits == 8 { i::S_SEXT_I32_I8 } else { i::S_SEXT_I32_I16 }, &[x]).into(),
            (true, false) => self.s1(i::S_AND_B32, &[x, Arg::Imm((1 << bits) - 1)]).into(),
            (false, true) => self.v1(i::V_BFE_I32, &[x, Arg::Imm(0), Arg::Imm(bits)]).into(),
            (false, false) => self.v1(i::V_AND_B32, &[Arg::Imm((1 << bits) - 1), x]).into(),
        }
    }

    /// Arithmetic on narrow integers: by the 32-bit operation on operands extended as it needs.
    pub(super) fn narrow(&mut self, a: Alu, inst: &IrInst) -> Result<()> {
        let r = inst.results[0];
        let bits = self.width(inst.args[0]).bits();
        let scalar = self.home(r) == Home::Scalar;
        let signed = match a {
            IAdd | ISub | IMul | INeg | And | Or | Xor | Not | Shl => None,
            UShr | UMin | UMax | UBfe | BitCount | FindLsb | FindUMsb | BitReverse | UAddCarry | USubBorrow => {
                Some(false)
            }
            SShr | SMin | SMax | SBfe | IAbs | ISign | FindSMsb => Some(true),
            Bfi => None,
            other => return Err(self.unsupported(&format!("{other:?} on {bits}-bit integers"))),
        };
        let mut args: Vec<Arg> = Vec::new();
        for &v in &inst.args {
            let x = match signed {
                Some(s) if self.width(v).bits() == bits => self.extended(v, s),
                _ => self.src(v),
            };
            args.push(x);
        }
        if matches!(a, Shl | UShr | SShr) {
            args[1] = match args[1] {
                Arg::Imm(n) => Arg::Imm(n & (bits - 1)),
                n if scalar => self.s1(i::S_AND_B32, &[n, Arg::Imm(bits - 1)]).into(),
                n => self.v1(i::V_AND_B32, &[Arg::Imm(bits - 1), n]).into(),
            };
        }
        let d = match a {
            BitReverse => {
                let all = if scalar { self.scalar_op(a, &args)? } else { self.vector_alu(a, &args)? };
                let shift = [all.into(), Arg::Imm(32 - bits)];
                if scalar { self.scalar_op(UShr, &shift)? } else { self.vector_alu(UShr, &shift)? }
            }
            UAddCarry => {
                let sum = self.vector_alu(IAdd, &args)?;
                self.vector_alu(UShr, &[sum.into(), Arg::Imm(bits)])?
            }
            _ if scalar => self.scalar_op(a, &args)?,
            _ => self.vector_alu(a, &args)?,
        };
        self.set_reg(r, d);
        Ok(())
    }
}
