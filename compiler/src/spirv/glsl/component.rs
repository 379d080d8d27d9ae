//! Functions that work on each component alone, in several steps.

use super::super::module::Instr;
use super::super::translate::Translator;
use super::GLOp;
use crate::error::Result;
use crate::ir::{Alu, Value, Width};

impl Translator<'_> {
    /// One component of an instruction that works on each component alone.
    pub(super) fn glsl_component(&mut self, i: &Instr<'_>, op: GLOp, w: Width, v: &[Value]) -> Result<Value> {
        let x = v[0];
        if w == Width::B16 && by_f32(op) {
            let wide: Vec<Value> = v.iter().map(|&x| self.b.alu(Alu::FConvert, Width::B32, &[x])).collect();
            let r = self.glsl_component(i, op, Width::B32, &wide)?;
            return Ok(self.b.alu(Alu::FConvert, w, &[r]));
        }
        Ok(match op {
            GLOp::Radians => self.times(x, std::f64::consts::PI / 180.0),
            GLOp::Degrees => self.times(x, 180.0 / std::f64::consts::PI),
            GLOp::Tan => {
                let (s, c) = (self.f1(Alu::FSin, x), self.f1(Alu::FCos, x));
                self.f2(Alu::FDiv, s, c)
            }
            GLOp::Asin => self.asin(x),
            GLOp::Acos => self.acos(x),
            GLOp::Atan => self.atan(x),
            GLOp::Atan2 => self.atan2(x, v[1]),
            GLOp::Sinh | GLOp::Cosh | GLOp::Tanh | GLOp::Asinh | GLOp::Acosh | GLOp::Atanh => self.hyperbolic(op, x),
            GLOp::Pow => self.power(x, v[1]),
            GLOp::Exp => self.exp(x),
            GLOp::Log => self.ln(x),
            GLOp::FClamp | GLOp::NClamp => {
                let (zero, one) = (self.fc(w, 0.0), self.fc(w, 1.0));
                if v[1] == zero && v[2] == one {
                    return Ok(self.f1(Alu::FSat, x));
                }
                let m = self.f2(Alu::FMax, x, v[1]);
                self.f2(Alu::FMin, m, v[2])
            }
            GLOp::UClamp => {
                let m = self.apply(i, Alu::UMax, w, &[x, v[1]])?;
                self.apply(i, Alu::UMin, w, &[m, v[2]])?
            }
            GLOp::SClamp => {
                let m = self.apply(i, Alu::SMax, w, &[x, v[1]])?;
                self.apply(i, Alu::SMin, w, &[m, v[2]])?
            }
            // x (1 − a) + y a, as x + (y − x) a loses y at a = 1.
            GLOp::FMix => {
                let n = self.f1(Alu::FNeg, v[2]);
                let p = self.fma(n, x, x);
                self.fma(v[1], v[2], p)
            }
            GLOp::Step => {
                let (zero, one) = (self.fc(w, 0.0), self.fc(w, 1.0));
                let below = self.f2b(Alu::FOrdLt, v[1], x);
                self.b.select(below, zero, one)
            }
            GLOp::SmoothStep => {
                let (d, range) = (self.f2(Alu::FSub, v[2], x), self.f2(Alu::FSub, v[1], x));
                let q = self.f2(Alu::FDiv, d, range);
                let t = self.f1(Alu::FSat, q);
                let (m2, three) = (self.fc(w, -2.0), self.fc(w, 3.0));
                let k = self.fma(t, m2, three);
                let s = self.f2(Alu::FMul, t, t);
                self.f2(Alu::FMul, s, k)
            }
            GLOp::Ldexp => {
                let n = match self.b.width(v[1]) {
                    Width::B32 => v[1],
                    Width::B64 => self.saturate_to_i32(v[1]),
                    _ => self.b.alu(Alu::SConvert, Width::B32, &[v[1]]),
                };
                self.apply(i, Alu::FLdexp, w, &[x, n])?
            }
            GLOp::FindILsb | GLOp::FindSMsb | GLOp::FindUMsb => {
                let alu = match op {
                    GLOp::FindILsb => Alu::FindLsb,
                    GLOp::FindSMsb => Alu::FindSMsb,
                    _ => Alu::FindUMsb,
                };
                let n = self.apply(i, alu, Width::B32, &[x])?;
                // Defined for 32 bits, compilers use it at every width; no bit at all is −1.
                match self.types.scalar_width(i.ty) {
                    Some(to) if to != Width::B32 => self.apply(i, Alu::SConvert, to, &[n])?,
                    _ => n,
                }
            }
            _ => return Err(self.unsupported(i, format!("GLSL.std.450 {op:?}"))),
        })
    }

    /// Undefined for negative `x`; but programs square by it, and drivers multiply.
    fn power(&mut self, x: Value, y: Value) -> Value {
        let w = self.b.width(x);
        let is = |l: &mut Self, n: f64| l.fc(w, n) == y;
        if is(self, 1.0) {
            return x;
        }
        if is(self, 2.0) || is(self, 4.0) {
            let square = self.f2(Alu::FMul, x, x);
            return if is(self, 2.0) { square } else { self.f2(Alu::FMul, square, square) };
        }
        let l = self.f1(Alu::FLog2, x);
        let p = self.f2(Alu::FMul, l, y);
        self.f1(Alu::FExp2, p)
    }

    /// Signed `x` of 64 bits, or the nearest number that 32 bits hold.
    fn saturate_to_i32(&mut self, x: Value) -> Value {
        let limits = [i32::MIN, i32::MAX].map(|limit| self.b.constant(Width::B64, i64::from(limit) as u64));
        let x = self.b.alu(Alu::SMax, Width::B64, &[x, limits[0]]);
        let x = self.b.alu(Alu::SMin, Width::B64, &[x, limits[1]]);
        self.b.to_u32(x)
    }
}

/// Functions of several steps, in whose middle f16 would lose too much.
fn by_f32(op: GLOp) -> bool {
    use GLOp::*;
    matches!(
        op,
        Tan | Asin
            | Acos
            | Atan
            | Atan2
            | Sinh
            | Cosh
            | Tanh
            | Asinh
            | Acosh
            | Atanh
            | Pow
            | Exp
            | Log
            | Radians
            | SmoothStep
    )
}
