//! Floating point: f32, and f16 and f64 where an instruction exists.
//!
//! Negation and absolute value of operands become source modifiers; a saturated result the clamp modifier.
//! Bounds are those of Vulkan's precision table: division is a · rcp(b) within 2.5 ulp, the transcendental functions
//! are the hardware's.

use super::*;
use crate::ir::Alu::{self, *};

/// An operand with its modifiers.
#[derive(Clone, Copy)]
struct Float {
    arg: Arg,
    neg: bool,
    abs: bool,
}

/// By width: f16, f32, f64.
fn by_width(w: Width, f16: Op, f32: Op, f64: Op) -> Op {
    match w {
        Width::B16 => f16,
        Width::B64 => f64,
        _ => f32,
    }
}

fn sign_bit(w: Width) -> u32 {
    if w == Width::B16 { 0x8000 } else { 0x8000_0000 }
}

impl Selector<'_> {
    pub(super) fn float(&mut self, a: Alu, inst: &IrInst) -> Result<()> {
        let d = self.float_op(a, inst, false)?;
        self.set_reg(inst.results[0], d);
        Ok(())
    }

    /// The operand behind any FNeg and FAbs.
    fn operand(&mut self, v: Value) -> Float {
        let (mut v, mut neg, mut abs) = (v, false, false);
        while let Some(def) = self.defs.inst(v) {
            match def.op {
                ir::Op::Alu(FNeg) => neg ^= !abs,
                ir::Op::Alu(FAbs) => abs = true,
                _ => break,
            }
            v = def.args[0];
        }
        let arg = self.float_src(v);
        match (arg, self.width(v)) {
            (Arg::Imm(n), Width::B32) => {
                let n = if abs { n & 0x7fff_ffff } else { n };
                let n = if neg { n ^ 0x8000_0000 } else { n };
                Float { arg: Arg::Imm(n), neg: false, abs: false }
            }
            // Inline constants mean other numbers to 16-bit operands.
            (Arg::Imm(n), Width::B16) => Float { arg: self.in_v(Arg::Imm(n)).into(), neg, abs },
            _ => Float { arg, neg, abs },
        }
    }

    fn in_v(&mut self, a: Arg) -> Part {
        self.to_v(a)
    }

    fn modded(&mut self, op: Op, x: &[Float], w: Width, clamp: bool) -> Part {
        let args: Vec<Arg> = x.iter().map(|f| f.arg).collect();
        let bits = |get: fn(&Float) -> bool| x.iter().enumerate().fold(0, |m, (n, f)| m | u8::from(get(f)) << n);
        let mods = Mods { neg: bits(|f| f.neg), abs: bits(|f| f.abs), clamp, ..Mods::default() };
        let d = self.new_v(if w == Width::B64 { 2 } else { 1 });
        self.vop(op, &[d.into()], &args, mods);
        d
    }

    fn float_op(&mut self, a: Alu, inst: &IrInst, clamp: bool) -> Result<Part> {
        let w = self.width(inst.args[0]);
        let todo = |s: &Self| s.unsupported(&format!("{a:?} on {}-bit floats", w.bits()));
        if let Some(d) = self.fused_float(a, inst, clamp) {
            return Ok(d);
        }
        let op = match a {
            FAdd => by_width(w, i::V_ADD_F16, i::V_ADD_F32, i::V_ADD_F64),
            FSub => by_width(w, i::V_SUB_F16, i::V_SUB_F32, i::V_ADD_F64),
            FMul => by_width(w, i::V_MUL_F16, i::V_MUL_F32, i::V_MUL_F64),
            FFma => by_width(w, i::V_FMA_F16, i::V_FMA_F32, i::V_FMA_F64),
            FMin => by_width(w, i::V_MIN_F16, i::V_MIN_F32, i::V_MIN_F64),
            FMax => by_width(w, i::V_MAX_F16, i::V_MAX_F32, i::V_MAX_F64),
            FFloor => by_width(w, i::V_FLOOR_F16, i::V_FLOOR_F32, i::V_FLOOR_F64),
            FCeil => by_width(w, i::V_CEIL_F16, i::V_CEIL_F32, i::V_CEIL_F64),
            FTrunc => by_width(w, i::V_TRUNC_F16, i::V_TRUNC_F32, i::V_TRUNC_F64),
            FRoundEven => by_width(w, i::V_RNDNE_F16, i::V_RNDNE_F32, i::V_RNDNE_F64),
            FFract => by_width(w, i::V_FRACT_F16, i::V_FRACT_F32, i::V_FRACT_F64),
            FFrexpMant => by_width(w, i::V_FREXP_MANT_F16, i::V_FREXP_MANT_F32, i::V_FREXP_MANT_F64),
            FSqrt if w != Width::B64 => by_width(w, i::V_SQRT_F16, i::V_SQRT_F32, i::V_SQRT_F32),
            FRsq if w != Width::B64 => by_width(w, i::V_RSQ_F16, i::V_RSQ_F32, i::V_RSQ_F32),
            FRcp if w != Width::B64 => by_width(w, i::V_RCP_F16, i::V_RCP_F32, i::V_RCP_F32),
            FExp2 if w != Width::B64 => by_width(w, i::V_EXP_F16, i::V_EXP_F32, i::V_EXP_F32),
            FLog2 if w != Width::B64 => by_width(w, i::V_LOG_F16, i::V_LOG_F32, i::V_LOG_F32),
            FNeg | FAbs => return Ok(self.sign_op(a, inst.args[0])),
            FSat => return self.saturate(inst),
            FDiv => return self.float_divide(inst),
            FRem | FMod => return self.float_modulo(a, inst),
            FSign if w == Width::B32 => return Ok(self.float_sign(inst)),
            FSin | FCos if w != Width::B64 => return Ok(self.sine(a, inst, w)),
            FLdexp => {
                let x = self.operand(inst.args[0]);
                let e = Float { arg: self.src(inst.args[1]), neg: false, abs: false };
                return match w {
                    Width::B32 => Ok(self.modded(i::V_LDEXP_F32, &[x, e], w, clamp)),
                    Width::B64 => Ok(self.modded(i::V_LDEXP_F64, &[x, e], w, clamp)),
                    _ => Err(todo(self)),
                };
            }
            FFrexpExp => {
                let x = self.operand(inst.args[0]);
                return match w {
                    Width::B32 => Ok(self.modded(i::V_FREXP_EXP_I32_F32, &[x], Width::B32, false)),
                    Width::B64 => Ok(self.modded(i::V_FREXP_EXP_I32_F64, &[x], Width::B32, false)),
                    _ => {
                        let e = self.modded(i::V_FREXP_EXP_I16_F16, &[x], Width::B32, false);
                        Ok(self.v1(i::V_BFE_I32, &[e.into(), Arg::Imm(0), Arg::Imm(16)]))
                    }
                };
            }
            FSqrt | FRsq | FRcp => return self.root64(a, inst),
            _ => return Err(todo(self)),
        };
        let mut x: Vec<Float> = inst.args.iter().map(|&v| self.operand(v)).collect();
        if a == FSub && w == Width::B64 {
            x[1].neg = !x[1].neg;
        }
        Ok(self.modded(op, &x, w, clamp))
    }

    fn sign_op(&mut self, a: Alu, v: Value) -> Part {
        let w = self.width(v);
        let bit = sign_bit(w);
        let (op, n) = if a == FNeg { (i::V_XOR_B32, bit) } else { (i::V_AND_B32, bit - 1) };
        if w != Width::B64 {
            let x = self.src(v);
            return self.v1(op, &[Arg::Imm(n), x]);
        }
        let (lo, hi) = self.src64(v);
        let hi = self.v1(op, &[Arg::Imm(n), hi]);
        self.gather(Bank::V, &[lo, hi.into()])
    }

    fn saturate(&mut self, inst: &IrInst) -> Result<Part> {
        let v = inst.args[0];
        if self.defs.uses(v) == 1
            && let Some(def) = self.defs.inst(v)
            && let ir::Op::Alu(a @ (FAdd | FSub | FMul | FFma | FMin | FMax)) = def.op
        {
            return self.float_op(a, def, true);
        }
        let w = self.width(v);
        let x = self.operand(v);
        let op = by_width(w, i::V_MAX_F16, i::V_MAX_F32, i::V_MAX_F64);
        Ok(self.modded(op, &[x, x], w, true))
    }

    /// min3, max3, med3.
    fn fused_float(&mut self, a: Alu, inst: &IrInst, clamp: bool) -> Option<Part> {
        if self.width(inst.args[0]) != Width::B32 || !matches!(a, FMin | FMax) {
            return None;
        }
        let inner_other = if a == FMin { FMax } else { FMin };
        for (n, other) in [(0, 1), (1, 0)] {
            if let Some(def) = self.single(inst, n, a) {
                let op = if a == FMin { i::V_MIN3_F32 } else { i::V_MAX3_F32 };
                let x = [self.operand(def.args[0]), self.operand(def.args[1]), self.operand(inst.args[other])];
                return Some(self.modded(op, &x, Width::B32, clamp));
            }
            // min(max(x, low), high) with low ≤ high
            let Some(def) = self.single(inst, n, inner_other) else { continue };
            let constant = |s: &Self, v: Value| s.defs.constant(v).map(|c| f32::from_bits(c as u32));
            let Some(outer) = constant(self, inst.args[other]) else { continue };
            for (k, m) in [(0, 1), (1, 0)] {
                let Some(inner) = constant(self, def.args[m]) else { continue };
                let (low, high) = if a == FMin { (inner, outer) } else { (outer, inner) };
                if low <= high {
                    let x = self.operand(def.args[k]);
                    // med3 gives min of the bounds for a NaN; max(NaN, low) clamped gives low: the same.
                    let bounds = [low, high].map(|f| Float { arg: Arg::Imm(f.to_bits()), neg: false, abs: false });
                    if a == FMin {
                        return Some(self.modded(i::V_MED3_F32, &[x, bounds[0], bounds[1]], Width::B32, clamp));
                    }
                }
            }
        }
        None
    }

    fn float_divide(&mut self, inst: &IrInst) -> Result<Part> {
        let w = self.width(inst.args[0]);
        if w == Width::B64 {
            return Ok(self.divide64(inst));
        }
        let (x, y) = (self.operand(inst.args[0]), self.operand(inst.args[1]));
        let (rcp, mul) = if w == Width::B16 { (i::V_RCP_F16, i::V_MUL_F16) } else { (i::V_RCP_F32, i::V_MUL_F32) };
        if x.arg == Arg::Imm(0x3f80_0000) && w == Width::B32 {
            return Ok(self.modded(rcp, &[y], w, false));
        }
        let r = self.modded(rcp, &[y], w, false);
        Ok(self.modded(mul, &[x, Float { arg: r.into(), neg: false, abs: false }], w, false))
    }

    /// x − y·trunc(x/y), or floor.
    fn float_modulo(&mut self, a: Alu, inst: &IrInst) -> Result<Part> {
        let w = self.width(inst.args[0]);
        let q = self.float_divide(inst)?;
        let plain = |p: Part| Float { arg: p.into(), neg: false, abs: false };
        let op = if a == FRem {
            by_width(w, i::V_TRUNC_F16, i::V_TRUNC_F32, i::V_TRUNC_F64)
        } else {
            by_width(w, i::V_FLOOR_F16, i::V_FLOOR_F32, i::V_FLOOR_F64)
        };
        let q = self.modded(op, &[plain(q)], w, false);
        let (x, mut y) = (self.operand(inst.args[0]), self.operand(inst.args[1]));
        y.neg = !y.neg;
        if let Arg::Imm(n) = y.arg {
            y = Float { arg: Arg::Imm(n ^ sign_bit(w)), neg: false, abs: false };
        }
        let fma = by_width(w, i::V_FMA_F16, i::V_FMA_F32, i::V_FMA_F64);
        Ok(self.modded(fma, &[plain(q), y, x], w, false))
    }

    fn float_sign(&mut self, inst: &IrInst) -> Part {
        let x = self.src(inst.args[0]);
        let (zero, one, minus) = (Arg::Imm(0), Arg::Imm(0x3f80_0000), Arg::Imm(0xbf80_0000));
        let above = self.vcmp(i::V_CMP_GT_F32, &[x, zero], Mods::default());
        let t = self.v1(i::V_CNDMASK_B32, &[x, one, above.into()]);
        let below = self.vcmp(i::V_CMP_LT_F32, &[x, zero], Mods::default());
        self.v1(i::V_CNDMASK_B32, &[t.into(), minus, below.into()])
    }

    /// The hardware takes revolutions.
    fn sine(&mut self, a: Alu, inst: &IrInst, w: Width) -> Part {
        let x = self.operand(inst.args[0]);
        let (mul, fract, sin, cos) = match w {
            Width::B16 => (i::V_MUL_F16, i::V_FRACT_F16, i::V_SIN_F16, i::V_COS_F16),
            _ => (i::V_MUL_F32, i::V_FRACT_F32, i::V_SIN_F32, i::V_COS_F32),
        };
        let scale = if w == Width::B16 { self.to_v(Arg::Imm(0x3118)).into() } else { Arg::Imm(0x3e22_f983) };
        let turns = self.modded(mul, &[Float { arg: scale, neg: false, abs: false }, x], w, false);
        let turns = self.v1(fract, &[turns.into()]);
        self.v1(if a == FSin { sin } else { cos }, &[turns.into()])
    }

    pub(super) fn float_compare(&mut self, a: Alu, inst: &IrInst, w: Width) -> Result<Bool> {
        if a == FIsInf {
            let x = self.float_src(inst.args[0]);
            // Class bits 2 and 9: −∞ and +∞.
            let op = by_width(w, i::V_CMP_CLASS_F16, i::V_CMP_CLASS_F32, i::V_CMP_CLASS_F64);
            return Ok(Bool::Mask(self.vcmp(op, &[x, Arg::Imm(0x204)], Mods::default())));
        }
        let op = match a {
            FOrdEq => by_width(w, i::V_CMP_EQ_F16, i::V_CMP_EQ_F32, i::V_CMP_EQ_F64),
            FOrdNe => by_width(w, i::V_CMP_LG_F16, i::V_CMP_LG_F32, i::V_CMP_LG_F64),
            FOrdLt => by_width(w, i::V_CMP_LT_F16, i::V_CMP_LT_F32, i::V_CMP_LT_F64),
            FOrdLe => by_width(w, i::V_CMP_LE_F16, i::V_CMP_LE_F32, i::V_CMP_LE_F64),
            FOrdGt => by_width(w, i::V_CMP_GT_F16, i::V_CMP_GT_F32, i::V_CMP_GT_F64),
            FOrdGe => by_width(w, i::V_CMP_GE_F16, i::V_CMP_GE_F32, i::V_CMP_GE_F64),
            FUnordEq => by_width(w, i::V_CMP_NLG_F16, i::V_CMP_NLG_F32, i::V_CMP_NLG_F64),
            FUnordNe => by_width(w, i::V_CMP_NEQ_F16, i::V_CMP_NEQ_F32, i::V_CMP_NEQ_F64),
            FUnordLt => by_width(w, i::V_CMP_NGE_F16, i::V_CMP_NGE_F32, i::V_CMP_NGE_F64),
            FUnordLe => by_width(w, i::V_CMP_NGT_F16, i::V_CMP_NGT_F32, i::V_CMP_NGT_F64),
            FUnordGt => by_width(w, i::V_CMP_NLE_F16, i::V_CMP_NLE_F32, i::V_CMP_NLE_F64),
            FUnordGe => by_width(w, i::V_CMP_NLT_F16, i::V_CMP_NLT_F32, i::V_CMP_NLT_F64),
            FIsNan => by_width(w, i::V_CMP_U_F16, i::V_CMP_U_F32, i::V_CMP_U_F64),
            other => return Err(self.unsupported(&format!("{other:?}"))),
        };
        let x = self.operand(inst.args[0]);
        let y = if a == FIsNan { x } else { self.operand(inst.args[1]) };
        let bits = |get: fn(&Float) -> bool| u8::from(get(&x)) | u8::from(get(&y)) << 1;
        let mods = Mods { neg: bits(|f| f.neg), abs: bits(|f| f.abs), ..Mods::default() };
        Ok(Bool::Mask(self.vcmp(op, &[x.arg, y.arg], mods)))
    }

    // ---- f64 ----

    /// Division correctly rounded: scale, reciprocal, two Newton steps, a residual, fix-up.
    fn divide64(&mut self, inst: &IrInst) -> Part {
        let n: Arg = self.pair(inst.args[0], Bank::V).into();
        let d: Arg = self.pair(inst.args[1], Bank::V).into();
        // The inline constant 1.0 reads as the same number at every width.
        let one = Arg::Imm(0x3f80_0000);
        let scale = |s: &mut Self, x: Arg| {
            let (r, m) = (s.new_v(2), s.new_mask());
            s.vop(i::V_DIV_SCALE_F64, &[r.into(), m.into()], &[x, d, n], Mods::default());
            (r, m)
        };
        let (ds, _) = scale(self, d);
        let fma = |s: &mut Self, x: Part, y: Arg, z: Arg, neg: u8| {
            let r = s.new_v(2);
            s.vop(i::V_FMA_F64, &[r.into()], &[x.into(), y, z], Mods { neg, ..Mods::default() });
            r
        };
        let mut r = self.v2(i::V_RCP_F64, &[ds.into()]);
        for _ in 0..2 {
            let e = fma(self, ds, r.into(), one, 1);
            r = fma(self, r, e.into(), r.into(), 0);
        }
        let (ns, scaled) = scale(self, n);
        let q = self.v2(i::V_MUL_F64, &[ns.into(), r.into()]);
        let e = fma(self, ds, q.into(), ns.into(), 1);
        // v_div_fmas reads the scaling decision from VCC.
        self.mask_into(i::S_MOV_B32, i::S_MOV_B64, Arg::Phys(Src::VCC_LO), &[scaled.into()]);
        let f = self.new_v(2);
        self.vop(i::V_DIV_FMAS_F64, &[f.into()], &[e.into(), r.into(), q.into()], Mods::default());
        self.v2(i::V_DIV_FIXUP_F64, &[f.into(), d, n])
    }

    /// rcp by division's Newton steps; rsq and sqrt by Goldschmidt's iteration from v_rsq_f64.
    fn root64(&mut self, a: Alu, inst: &IrInst) -> Result<Part> {
        Err(self.unsupported(&format!("{a:?} on {}-bit floats", self.width(inst.args[0]).bits())))
    }
}
