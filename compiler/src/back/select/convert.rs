//! Conversions between widths and between integers and floats.

use super::*;
use crate::ir::Alu::{self, *};

impl Selector<'_> {
    pub(super) fn convert(&mut self, a: Alu, inst: &IrInst) -> Result<()> {
        let r = inst.results[0];
        let v = inst.args[0];
        let (from, to) = (self.width(v), self.width(r));
        let scalar = self.home(r) == Home::Scalar;
        match a {
            UConvert | SConvert => self.convert_integer(a == SConvert, v, r),
            BoolToInt => {
                let low = match self.boolean(v) {
                    Bool::Const(c) => Arg::Imm(u32::from(c)),
                    _ if scalar => {
                        self.to_scc(v);
                        self.s1(i::S_CSELECT_B32, &[Arg::Imm(1), Arg::Imm(0)]).into()
                    }
                    _ => {
                        let m = self.mask(v);
                        self.v1(i::V_CNDMASK_B32, &[Arg::Imm(0), Arg::Imm(1), m]).into()
                    }
                };
                match to {
                    Width::B64 => self.set(r, Val::Pair(low, Arg::Imm(0))),
                    _ => self.set_dwords(r, &[low]),
                }
                Ok(())
            }
            Pack64 => {
                let (lo, hi) = (self.src(v), self.src(inst.args[1]));
                self.set(r, Val::Pair(lo, hi));
                Ok(())
            }
            Lo32 | Hi32 => {
                let (lo, hi) = self.src64(v);
                self.set_dwords(r, &[if a == Lo32 { lo } else { hi }]);
                Ok(())
            }
            PackHalf2x16 => {
                let (x, y) = (self.src(v), self.src(inst.args[1]));
                let lo = self.v1(i::V_CVT_F16_F32, &[x]);
                let hi = self.v1(i::V_CVT_F16_F32, &[y]);
                let lo = self.v1(i::V_AND_B32, &[Arg::Imm(0xffff), lo.into()]);
                let d = self.v1(i::V_LSHL_OR_B32, &[hi.into(), Arg::Imm(16), lo.into()]);
                self.set_reg(r, d);
                Ok(())
            }
            UnpackHalfLo | UnpackHalfHi => {
                let mut x = self.src(v);
                if a == UnpackHalfHi {
                    x = self.v1(i::V_LSHRREV_B32, &[Arg::Imm(16), x]).into();
                }
                let d = self.v1(i::V_CVT_F32_F16, &[x]);
                self.set_reg(r, d);
                Ok(())
            }
            FConvertRte | FConvertRtz => {
                self.convert_rounded(a, v, r);
                Ok(())
            }
            FConvert => {
                let d = match (from, to) {
                    (Width::B32, Width::B16) => self.conv(i::V_CVT_F16_F32, v),
                    (Width::B16, Width::B32) => self.conv(i::V_CVT_F32_F16, v),
                    (Width::B32, Width::B64) => self.conv_wide(i::V_CVT_F64_F32, v),
                    (Width::B64, Width::B32) => self.conv(i::V_CVT_F32_F64, v),
                    (Width::B16, Width::B64) => {
                        let f = self.conv(i::V_CVT_F32_F16, v);
                        self.v2(i::V_CVT_F64_F32, &[f.into()])
                    }
                    _ => {
                        let val = self.vals[v.0 as usize];
                        self.set(r, val);
                        return Ok(());
                    }
                };
                self.set_reg(r, d);
                Ok(())
            }
            FToU | FToS => self.float_to_int(a == FToS, v, r),
            UToF | SToF => self.int_to_float(a == SToF, v, r),
            other => Err(self.unsupported(&format!("{other:?}"))),
        }
    }

    /// A narrowing conversion with a rounding of its own. (f64 to f16 has been lowered.)
    fn convert_rounded(&mut self, a: Alu, v: Value, r: Value) {
        let single = self.width(r) == Width::B32;
        let op = if single { i::V_CVT_F32_F64 } else { i::V_CVT_F16_F32 };
        let (wanted, mode) = (if a == FConvertRtz { 3 } else { 0 }, self.k.mode);
        let d = if mode.round(true) == wanted && mode.round(false) == wanted {
            self.conv(op, v)
        } else if a == FConvertRtz && !single {
            let x = self.float_src(v);
            self.v1(i::V_CVT_PKRTZ_F16_F32, &[x, Arg::Imm(0)])
        } else {
            // The operand stands before the mode changes; nothing else comes in between.
            let x = if self.width(v) == Width::B64 { self.pair(v, Bank::V) } else { self.in_vector(v) };
            self.round(wanted << 2 | wanted);
            let d = self.v1(op, &[x.into()]);
            self.round(mode.0 & 15);
            d
        };
        self.set_reg(r, d);
    }

    /// Rounding of f32 (bits 1:0), and of f16 and f64 from here on: FP_ROUND of MODE.
    fn round(&mut self, modes: u32) {
        if self.has(i::S_ROUND_MODE) {
            self.raw(i::S_ROUND_MODE, &[], &[]).imm = modes as i32;
        } else {
            // Four bits from bit 0 of register 1.
            self.raw(i::S_SETREG_IMM32_B32, &[], &[Arg::None, Arg::Imm(modes)]).imm = 1 | 3 << 11;
        }
    }

    fn in_vector(&mut self, v: Value) -> Part {
        let x = self.src(v);
        self.to_v(x)
    }

    fn conv(&mut self, op: Op, v: Value) -> Part {
        let x = self.float_src(v);
        self.v1(op, &[x])
    }

    fn conv_wide(&mut self, op: Op, v: Value) -> Part {
        let x = self.float_src(v);
        self.v2(op, &[x])
    }

    /// A value as one operand of a float instruction of its width.
    pub(super) fn float_src(&mut self, v: Value) -> Arg {
        match self.width(v) {
            Width::B64 => match self.vals[v.0 as usize] {
                Val::Const(n) => self.double(n),
                _ => self.pair(v, Bank::V).into(),
            },
            _ => self.src(v),
        }
    }

    fn convert_integer(&mut self, signed: bool, v: Value, r: Value) -> Result<()> {
        let (from, to) = (self.width(v), self.width(r));
        let scalar = self.home(r) == Home::Scalar;
        if from == Width::B64 {
            // Truncation.
            let (lo, hi) = self.src64(v);
            let d = if to == Width::B64 { vec![lo, hi] } else { vec![lo] };
            self.set_dwords(r, &d);
            return Ok(());
        }
        let low = if to.bits() > from.bits() { self.extended(v, signed) } else { self.src(v) };
        if to != Width::B64 {
            self.set_dwords(r, &[low]);
            return Ok(());
        }
        let high = match (signed, low) {
            (false, _) => Arg::Imm(0),
            (true, Arg::Imm(n)) => Arg::Imm((n as i32 >> 31) as u32),
            (true, _) if scalar => self.s1(i::S_ASHR_I32, &[low, Arg::Imm(31)]).into(),
            (true, _) => self.v1(i::V_ASHRREV_I32, &[Arg::Imm(31), low]).into(),
        };
        self.set(r, Val::Pair(low, high));
        Ok(())
    }

    /// (To 64 bits, `opt::lower` has made both halves.)
    fn float_to_int(&mut self, signed: bool, v: Value, r: Value) -> Result<()> {
        let from = self.width(v);
        let x = self.float_src(v);
        let d = match (from, signed) {
            (Width::B64, true) => self.v1(i::V_CVT_I32_F64, &[x]),
            (Width::B64, false) => self.v1(i::V_CVT_U32_F64, &[x]),
            (_, signed) => {
                let x = if from == Width::B16 { self.v1(i::V_CVT_F32_F16, &[x]).into() } else { x };
                self.v1(if signed { i::V_CVT_I32_F32 } else { i::V_CVT_U32_F32 }, &[x])
            }
        };
        self.set_reg(r, d);
        Ok(())
    }

    /// (From 64 bits, `opt::lower` has put it together.)
    fn int_to_float(&mut self, signed: bool, v: Value, r: Value) -> Result<()> {
        let to = self.width(r);
        let x = self.extended(v, signed);
        let d = match to {
            Width::B64 => self.v2(if signed { i::V_CVT_F64_I32 } else { i::V_CVT_F64_U32 }, &[x]),
            _ => {
                let f = self.v1(if signed { i::V_CVT_F32_I32 } else { i::V_CVT_F32_U32 }, &[x]);
                if to == Width::B16 { self.v1(i::V_CVT_F16_F32, &[f.into()]) } else { f }
            }
        };
        self.set_reg(r, d);
        Ok(())
    }
}
