//! Floating point: f32, and f16 and f64 where an instruction exists.
//!
//! Negation and absolute value of operands become source modifiers; a saturated result the clamp modifier.
//! Bounds are those of Vulkan's precision table: division is a · rcp(b) within 2.5 ulp (f64: correctly rounded), the
//! transcendental functions are the hardware's.

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

/// Classes of V_CMP_CLASS: NaNs, and numbers that are no infinities.
const NAN: u32 = 0x3;
const FINITE: u32 = 0x1f8;

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
            FSqrt | FRsq if w == Width::B64 => return Ok(self.root64(a, inst)),
            FRcp if w == Width::B64 => {
                let one = self.gather(Bank::V, &[Arg::Imm(0), Arg::Imm(0x3ff0_0000)]);
                let d = self.pair(inst.args[0], Bank::V);
                return Ok(self.divide64(one.into(), d.into()));
            }
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
                    _ => {
                        // The instruction reads 16 bits; no exponent beyond ±64 changes the result.
                        let n = self.v1(i::V_MED3_I32, &[e.arg, Arg::Imm(-64i32 as u32), Arg::Imm(64)]);
                        let n = Float { arg: n.into(), neg: false, abs: false };
                        Ok(self.modded(i::V_LDEXP_F16, &[x, n], w, clamp))
                    }
                };
            }
            FFrexpExp => {
                let x = self.operand(inst.args[0]);
                if self.f.isa.caps().fract_bug {
                    let op = by_width(w, i::V_FREXP_EXP_I16_F16, i::V_FREXP_EXP_I32_F32, i::V_FREXP_EXP_I32_F64);
                    let e = self.modded(op, &[x], Width::B32, false);
                    let finite = self.class(inst.args[0], w, FINITE);
                    return Ok(self.v1(i::V_CNDMASK_B32, &[Arg::Imm(0), e.into(), finite.into()]));
                }
                return match w {
                    Width::B32 => Ok(self.modded(i::V_FREXP_EXP_I32_F32, &[x], Width::B32, false)),
                    Width::B64 => Ok(self.modded(i::V_FREXP_EXP_I32_F64, &[x], Width::B32, false)),
                    _ => {
                        let e = self.modded(i::V_FREXP_EXP_I16_F16, &[x], Width::B32, false);
                        Ok(self.v1(i::V_BFE_I32, &[e.into(), Arg::Imm(0), Arg::Imm(16)]))
                    }
                };
            }
            _ => return Err(todo(self)),
        };
        if matches!(a, FFract | FFrexpMant) && self.f.isa.caps().fract_bug {
            return Ok(self.mended(a, op, inst.args[0], w));
        }
        let mut x: Vec<Float> = inst.args.iter().map(|&v| self.operand(v)).collect();
        if a == FSub && w == Width::B64 {
            x[1].neg = !x[1].neg;
        }
        Ok(self.modded(op, &x, w, clamp))
    }

    /// The lanes in which a value is of some of the classes of V_CMP_CLASS.
    fn class(&mut self, v: Value, w: Width, classes: u32) -> Part {
        let x = self.float_src(v);
        let op = by_width(w, i::V_CMP_CLASS_F16, i::V_CMP_CLASS_F32, i::V_CMP_CLASS_F64);
        self.vcmp(op, &[x, Arg::Imm(classes)], Mods::default())
    }

    /// V_FRACT below one, V_FREXP_MANT of what is finite; else the value itself, whose sign does not matter then.
    fn mended(&mut self, a: Alu, op: Op, v: Value, w: Width) -> Part {
        let x = self.operand(v);
        let plain = |arg: Arg| Float { arg, neg: false, abs: false };
        let mut r = self.modded(op, &[x], w, false);
        if a == FFract {
            let most = if w == Width::B64 {
                self.gather(Bank::V, &[Arg::Imm(u32::MAX), Arg::Imm(0x3fef_ffff)]).into()
            } else {
                Arg::Imm(0x3f7f_ffff)
            };
            let min = by_width(w, i::V_MIN_F16, i::V_MIN_F32, i::V_MIN_F64);
            r = self.modded(min, &[plain(r.into()), plain(most)], w, false);
        }
        let good = self.class(v, w, if a == FFract { !NAN & 0x3ff } else { FINITE });
        let own = self.dwords(v);
        let d = self.new_v(own.len() as u32);
        for (n, &own) in (0..).zip(&own) {
            self.vop(i::V_CNDMASK_B32, &[d.at(n).into()], &[own, r.at(n).into(), good.into()], Mods::default());
        }
        d
    }

    fn sign_op(&mut self, a: Alu, v: Value) -> Part {
        let w = self.width(v);
        if self.k.flushes(w) {
            // Arithmetic, so that a denormal becomes zero.
            let mut x = self.operand(v);
            x.arg = if matches!(x.arg, Arg::Imm(_)) && w != Width::B64 { self.to_v(x.arg).into() } else { x.arg };
            (x.neg, x.abs) = if a == FNeg { (!x.neg, x.abs) } else { (false, true) };
            let one = if w == Width::B16 { self.to_v(Arg::Imm(0x3c00)).into() } else { Arg::Imm(0x3f80_0000) };
            let mul = by_width(w, i::V_MUL_F16, i::V_MUL_F32, i::V_MUL_F64);
            return self.modded(mul, &[x, Float { arg: one, neg: false, abs: false }], w, false);
        }
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
            let (n, d) = (self.pair(inst.args[0], Bank::V), self.pair(inst.args[1], Bank::V));
            return Ok(self.divide64(n.into(), d.into()));
        }
        let (x, y) = (self.operand(inst.args[0]), self.operand(inst.args[1]));
        let (rcp, mul) = if w == Width::B16 { (i::V_RCP_F16, i::V_MUL_F16) } else { (i::V_RCP_F32, i::V_MUL_F32) };
        if x.arg == Arg::Imm(0x3f80_0000) && w == Width::B32 {
            return Ok(self.modded(rcp, &[y], w, false));
        }
        let r = self.modded(rcp, &[y], w, false);
        Ok(self.modded(mul, &[x, Float { arg: r.into(), neg: false, abs: false }], w, false))
    }

    /// x − y·trunc(x/y), or floor. The quotient is refined, so that it is whole where it should be: q += (x − q·y) / y.
    fn float_modulo(&mut self, a: Alu, inst: &IrInst) -> Result<Part> {
        let w = self.width(inst.args[0]);
        let plain = |p: Part| Float { arg: p.into(), neg: false, abs: false };
        let fma = by_width(w, i::V_FMA_F16, i::V_FMA_F32, i::V_FMA_F64);
        let (x, y) = (self.operand(inst.args[0]), self.operand(inst.args[1]));
        let minus = match y.arg {
            Arg::Imm(n) if w != Width::B64 => Float { arg: Arg::Imm(n ^ sign_bit(w)), ..y },
            _ => Float { neg: !y.neg, ..y },
        };
        let q = if w == Width::B64 {
            self.float_divide(inst)?
        } else {
            let (rcp, mul) = if w == Width::B16 { (i::V_RCP_F16, i::V_MUL_F16) } else { (i::V_RCP_F32, i::V_MUL_F32) };
            let r = self.modded(rcp, &[y], w, false);
            let q = self.modded(mul, &[x, plain(r)], w, false);
            // Infinite, it could not be refined.
            let (med3, largest) =
                if w == Width::B16 { (i::V_MED3_F16, 0x7bff) } else { (i::V_MED3_F32, f32::MAX.to_bits()) };
            let bound = Float { arg: Arg::Imm(largest), neg: false, abs: false };
            let q = self.modded(med3, &[plain(q), bound, Float { neg: true, ..bound }], w, false);
            let e = self.modded(fma, &[plain(q), minus, x], w, false);
            self.modded(fma, &[plain(e), plain(r), plain(q)], w, false)
        };
        let op = if a == FRem {
            by_width(w, i::V_TRUNC_F16, i::V_TRUNC_F32, i::V_TRUNC_F64)
        } else {
            by_width(w, i::V_FLOOR_F16, i::V_FLOOR_F32, i::V_FLOOR_F64)
        };
        let q = self.modded(op, &[plain(q)], w, false);
        Ok(self.modded(fma, &[plain(q), minus, x], w, false))
    }

    fn float_sign(&mut self, inst: &IrInst) -> Part {
        let x = self.src(inst.args[0]);
        let (zero, one, minus) = (Arg::Imm(0), Arg::Imm(0x3f80_0000), Arg::Imm(0xbf80_0000));
        // Or unordered: a NaN's sign is 1.
        let above = self.vcmp(i::V_CMP_NLE_F32, &[x, zero], Mods::default());
        let t = self.v1(i::V_CNDMASK_B32, &[x, one, above.into()]);
        let below = self.vcmp(i::V_CMP_LT_F32, &[x, zero], Mods::default());
        self.v1(i::V_CNDMASK_B32, &[t.into(), minus, below.into()])
    }

    /// The hardware takes revolutions.
    fn sine(&mut self, a: Alu, inst: &IrInst, w: Width) -> Part {
        let x = self.operand(inst.args[0]);
        let (mul, sin, cos) = match w {
            Width::B16 => (i::V_MUL_F16, i::V_SIN_F16, i::V_COS_F16),
            _ => (i::V_MUL_F32, i::V_SIN_F32, i::V_COS_F32),
        };
        let scale = if w == Width::B16 { self.to_v(Arg::Imm(0x3118)).into() } else { Arg::Imm(0x3e22_f983) };
        let mut turns = self.modded(mul, &[Float { arg: scale, neg: false, abs: false }, x], w, false);
        if !self.f.isa.caps().any_revolutions {
            turns = self.v1(i::V_FRACT_F32, &[turns.into()]);
        }
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
    fn divide64(&mut self, n: Arg, d: Arg) -> Part {
        // The inline constant 1.0 reads as the same number at every width.
        let one = Arg::Imm(0x3f80_0000);
        let scale = |s: &mut Self, x: Arg| {
            let (r, m) = (s.new_v(2), s.new_mask());
            s.vop(i::V_DIV_SCALE_F64, &[r.into(), m.into()], &[x, d, n], Mods::default());
            (r, m)
        };
        let (ds, _) = scale(self, d);
        let mut r = self.v2(i::V_RCP_F64, &[ds.into()]);
        for _ in 0..2 {
            let e = self.fma64(ds.into(), r.into(), one, true);
            r = self.fma64(r.into(), e.into(), r.into(), false);
        }
        let (ns, scaled) = scale(self, n);
        let q = self.v2(i::V_MUL_F64, &[ns.into(), r.into()]);
        let e = self.fma64(ds.into(), q.into(), ns.into(), true);
        // v_div_fmas reads the scaling decision from VCC.
        if self.f.isa.caps().div_scale_mask {
            self.mask_into(i::S_MOV_B32, i::S_MOV_B64, Arg::Phys(Src::VCC_LO), &[scaled.into()]);
        } else {
            // Exactly one of the two has been scaled.
            let same = |s: &mut Self, x: Arg, scaled: Part| {
                let high = x.part().map_or(Arg::Imm(0), |p| p.at(1).into());
                s.vcmp(i::V_CMP_EQ_U32, &[high, scaled.at(1).into()], Mods::default())
            };
            let (sn, sd) = (same(self, n, ns), same(self, d, ds));
            self.mask_into(i::S_XOR_B32, i::S_XOR_B64, Arg::Phys(Src::VCC_LO), &[sn.into(), sd.into()]);
        }
        let f = self.new_v(2);
        self.vop(i::V_DIV_FMAS_F64, &[f.into()], &[e.into(), r.into(), q.into()], Mods::default());
        self.v2(i::V_DIV_FIXUP_F64, &[f.into(), d, n])
    }

    /// ±x·y + z.
    fn fma64(&mut self, x: Arg, y: Arg, z: Arg, minus: bool) -> Part {
        let r = self.new_v(2);
        self.vop(i::V_FMA_F64, &[r.into()], &[x, y, z], Mods { neg: minus.into(), ..Mods::default() });
        r
    }

    /// Roots from the estimate y ≈ 1/√x. Small arguments are scaled by 2²⁵⁶, so that no step loses bits to denormals.
    /// √x: Goldschmidt's iteration with g → √x and h → 1/(2√x), then two corrections by the residual x − g².
    /// 1/√x: two Newton steps y += y·(1 − x·y²)/2. Markstein, "Software Division and Square Root Using Goldschmidt's
    /// Algorithms" (2004).
    fn root64(&mut self, a: Alu, inst: &IrInst) -> Part {
        let none = Mods::default();
        let x = self.pair(inst.args[0], Bank::V);
        // ½ and 1 read as the same numbers at every width.
        let (half, one) = (Arg::Imm(0x3f00_0000), Arg::Imm(0x3f80_0000));
        // The high word of 2^-767.
        let tiny = self.vcmp(i::V_CMP_GT_U32, &[Arg::Imm(0x1000_0000), x.at(1).into()], none);
        let (up, down) = if a == FSqrt { (256, -128i32) } else { (256, 128) };
        let up = self.v1(i::V_CNDMASK_B32, &[Arg::Imm(0), Arg::Imm(up), tiny.into()]);
        let down = self.v1(i::V_CNDMASK_B32, &[Arg::Imm(0), Arg::Imm(down as u32), tiny.into()]);
        let xs = self.v2(i::V_LDEXP_F64, &[x.into(), up.into()]);
        let y = self.v2(i::V_RSQ_F64, &[xs.into()]);
        // Zeros and +∞ stay what they are, or what the estimate says.
        let special = self.vcmp(i::V_CMP_CLASS_F64, &[xs.into(), Arg::Imm(0x260)], none);
        let (found, exact) = if a == FSqrt {
            let mut g = self.v2(i::V_MUL_F64, &[xs.into(), y.into()]);
            let mut h = self.v2(i::V_MUL_F64, &[y.into(), half]);
            let r = self.fma64(h.into(), g.into(), half, true);
            g = self.fma64(g.into(), r.into(), g.into(), false);
            h = self.fma64(h.into(), r.into(), h.into(), false);
            for _ in 0..2 {
                let d = self.fma64(g.into(), g.into(), xs.into(), true);
                g = self.fma64(d.into(), h.into(), g.into(), false);
            }
            (g, xs)
        } else {
            let mut z = y;
            for _ in 0..2 {
                let t = self.v2(i::V_MUL_F64, &[xs.into(), z.into()]);
                let e = self.fma64(t.into(), z.into(), one, true);
                let p = self.v2(i::V_MUL_F64, &[z.into(), e.into()]);
                z = self.fma64(p.into(), half, z.into(), false);
            }
            (z, y)
        };
        let found = self.v2(i::V_LDEXP_F64, &[found.into(), down.into()]);
        let d = self.new_v(2);
        for n in 0..2 {
            let args = [found.at(n).into(), exact.at(n).into(), special.into()];
            self.vop(i::V_CNDMASK_B32, &[d.at(n).into()], &args, none);
        }
        d
    }
}
