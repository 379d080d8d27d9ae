//! GLSL.std.450. What the machine has no instruction for is expanded here, within the precision that Vulkan's appendix
//! "Precision and Operation of SPIR-V Instructions" asks for.

mod component;
mod geometry;
mod hyperbolic;
mod matrix;
mod pack;
mod trigonometry;

use super::module::Instr;
use super::translate::Translator;
use crate::error::Result;
use crate::ir::fold::half;
use crate::ir::{Alu, Value, Width};
use spirv::GlslStd450Op as GLOp;
use std::f32::consts::{LN_2, LOG2_E};
use std::rc::Rc;

/// The operation that works on each component alone, with operands in order.
fn componentwise(op: GLOp) -> Option<Alu> {
    Some(match op {
        GLOp::RoundEven | GLOp::Round => Alu::FRoundEven,
        GLOp::Trunc => Alu::FTrunc,
        GLOp::FAbs => Alu::FAbs,
        GLOp::SAbs => Alu::IAbs,
        GLOp::FSign => Alu::FSign,
        GLOp::SSign => Alu::ISign,
        GLOp::Floor => Alu::FFloor,
        GLOp::Ceil => Alu::FCeil,
        GLOp::Fract => Alu::FFract,
        GLOp::Sin => Alu::FSin,
        GLOp::Cos => Alu::FCos,
        GLOp::Exp2 => Alu::FExp2,
        GLOp::Log2 => Alu::FLog2,
        GLOp::Sqrt => Alu::FSqrt,
        GLOp::InverseSqrt => Alu::FRsq,
        GLOp::FMin | GLOp::NMin => Alu::FMin,
        GLOp::FMax | GLOp::NMax => Alu::FMax,
        GLOp::UMin => Alu::UMin,
        GLOp::SMin => Alu::SMin,
        GLOp::UMax => Alu::UMax,
        GLOp::SMax => Alu::SMax,
        GLOp::Fma => Alu::FFma,
        _ => return None,
    })
}

/// How many operands `op` has.
fn operand_count(op: GLOp) -> usize {
    match op {
        GLOp::Fma
        | GLOp::FMix
        | GLOp::FClamp
        | GLOp::UClamp
        | GLOp::SClamp
        | GLOp::NClamp
        | GLOp::SmoothStep
        | GLOp::FaceForward
        | GLOp::Refract
        | GLOp::IMix => 3,
        GLOp::Atan2
        | GLOp::Pow
        | GLOp::FMin
        | GLOp::FMax
        | GLOp::UMin
        | GLOp::UMax
        | GLOp::SMin
        | GLOp::SMax
        | GLOp::NMin
        | GLOp::NMax
        | GLOp::Step
        | GLOp::Ldexp
        | GLOp::Distance
        | GLOp::Cross
        | GLOp::Reflect
        | GLOp::Modf
        | GLOp::Frexp => 2,
        _ => 1,
    }
}

/// The operands of `op` are integers of any width.
fn integral(op: GLOp) -> bool {
    matches!(
        op,
        GLOp::SAbs
            | GLOp::SSign
            | GLOp::UMin
            | GLOp::SMin
            | GLOp::UMax
            | GLOp::SMax
            | GLOp::UClamp
            | GLOp::SClamp
            | GLOp::FindILsb
            | GLOp::FindSMsb
            | GLOp::FindUMsb
    )
}

impl Translator<'_> {
    /// The result of OpExtInst `i`.
    pub fn glsl(&mut self, i: &Instr<'_>) -> Result<Rc<[Value]>> {
        let number = self.arg(i, 1)?;
        let Some(op) = GLOp::from_u32(number) else {
            return Err(self.malformed(i, format!("GLSL.std.450 has no instruction {number}")));
        };
        let instr = Instr { args: &i.args[2..], ..*i };
        let i = &instr;
        let v = self.glsl_operands(i, op)?;
        let w = self.b.width(v[0][0]);
        let mut out = Vec::new();
        if let Some(alu) = componentwise(op) {
            for c in 0..v[0].len() {
                let args: Vec<Value> = v[..alu.arity()].iter().map(|x| x[c]).collect();
                out.push(self.apply(i, alu, w, &args)?);
            }
            return Ok(out.into());
        }
        if let Some(out) = self.geometry(i, op, &v)? {
            return Ok(out.into());
        }
        if let Some(out) = self.packing(i, op, &v[0])? {
            return Ok(out.into());
        }
        match op {
            GLOp::Determinant | GLOp::MatrixInverse => return self.square_matrix(i, op, &v[0]),
            GLOp::Modf | GLOp::ModfStruct => {
                let whole: Vec<Value> = v[0].iter().map(|&x| self.f1(Alu::FTrunc, x)).collect();
                for (&x, &t) in v[0].iter().zip(&whole) {
                    let d = self.f2(Alu::FSub, x, t);
                    // Infinity has no fraction; the sign is that of x.
                    let (a, inf) = (self.f1(Alu::FAbs, x), self.fc(w, f64::INFINITY));
                    let is_inf = self.f2b(Alu::FOrdEq, a, inf);
                    let zero = self.fc(w, 0.0);
                    let d = self.b.select(is_inf, zero, d);
                    out.push(self.copy_sign(d, x));
                }
                self.second_result(i, op == GLOp::ModfStruct, &mut out, whole)?;
            }
            GLOp::Frexp | GLOp::FrexpStruct => {
                out.extend(v[0].iter().map(|&x| self.f1(Alu::FFrexpMant, x)));
                let exponents: Vec<Value> =
                    v[0].iter().map(|&x| self.b.alu(Alu::FFrexpExp, Width::B32, &[x])).collect();
                self.second_result(i, op == GLOp::FrexpStruct, &mut out, exponents)?;
            }
            GLOp::InterpolateAtCentroid | GLOp::InterpolateAtSample | GLOp::InterpolateAtOffset => {
                return Err(self.unsupported(i, format!("{op:?} belongs to fragment shaders")));
            }
            _ => {
                for c in 0..v[0].len() {
                    let args: Vec<Value> =
                        v.iter().map(|x| x[if x.len() == 1 { 0 } else { c.min(x.len() - 1) }]).collect();
                    out.push(self.glsl_component(i, op, w, &args)?);
                }
            }
        }
        Ok(out.into())
    }

    /// The operands, of types that fit.
    fn glsl_operands(&mut self, i: &Instr<'_>, op: GLOp) -> Result<Vec<Rc<[Value]>>> {
        let mut v = Vec::new();
        for n in 0..operand_count(op) {
            // Modf and Frexp: the second operand is a pointer.
            if n == 1 && matches!(op, GLOp::Modf | GLOp::Frexp) {
                break;
            }
            v.push(self.operand_flat(i, n)?);
        }
        let float = |w: Width| matches!(w, Width::B16 | Width::B32 | Width::B64);
        // Ldexp's exponent is an integer of any width.
        let floats = if op == GLOp::Ldexp { 1 } else { v.len() };
        if v[0].is_empty()
            || !integral(op) && v[..floats].iter().flat_map(|v| v.iter()).any(|&x| !float(self.b.width(x)))
        {
            return Err(self.malformed(i, format!("{op:?}: operands of the wrong type")));
        }
        // Some operands are scalars by definition (Refract's eta); all else has the same shape.
        let shape_free = matches!(op, GLOp::Refract | GLOp::Ldexp);
        if v[1..].iter().any(|x| x.len() != v[0].len() || !shape_free && self.b.width(x[0]) != self.b.width(v[0][0]))
            && !shape_free
        {
            return Err(self.malformed(i, format!("{op:?}: operands of different types")));
        }
        Ok(v)
    }

    /// Modf and Frexp give two things: as a structure, or one through a pointer.
    fn second_result(
        &mut self,
        i: &Instr<'_>,
        structure: bool,
        out: &mut Vec<Value>,
        second: Vec<Value>,
    ) -> Result<()> {
        if structure {
            out.extend(second);
            return Ok(());
        }
        let p = self.arg(i, 1)?;
        let mut p = self.pointer(i, p)?;
        self.check_indexes(i, &mut p)?;
        self.store(i, &p, &second, &[])
    }

    /// A float constant of width `w`.
    fn fc(&mut self, w: Width, x: f64) -> Value {
        match w {
            Width::B64 => self.b.constant(w, x.to_bits()),
            Width::B16 => self.b.constant(w, half(x)),
            _ => self.b.f32(x as f32),
        }
    }

    fn f1(&mut self, a: Alu, x: Value) -> Value {
        self.b.alu(a, self.b.width(x), &[x])
    }

    fn f2(&mut self, a: Alu, x: Value, y: Value) -> Value {
        self.b.alu(a, self.b.width(x), &[x, y])
    }

    fn fma(&mut self, x: Value, y: Value, z: Value) -> Value {
        self.b.alu(Alu::FFma, self.b.width(x), &[x, y, z])
    }

    fn times(&mut self, x: Value, k: f64) -> Value {
        let k = self.fc(self.b.width(x), k);
        self.f2(Alu::FMul, x, k)
    }

    fn plus(&mut self, x: Value, k: f64) -> Value {
        let k = self.fc(self.b.width(x), k);
        self.f2(Alu::FAdd, x, k)
    }

    fn f2b(&mut self, a: Alu, x: Value, y: Value) -> Value {
        self.b.alu(a, Width::B1, &[x, y])
    }

    fn exp(&mut self, x: Value) -> Value {
        let y = self.times(x, f64::from(LOG2_E));
        self.f1(Alu::FExp2, y)
    }

    fn ln(&mut self, x: Value) -> Value {
        let l = self.f1(Alu::FLog2, x);
        self.times(l, f64::from(LN_2))
    }

    /// Σ cₙ xⁿ, highest coefficient first.
    fn polynomial(&mut self, x: Value, coefficients: &[f64]) -> Value {
        let w = self.b.width(x);
        let mut sum = self.fc(w, coefficients[0]);
        for &c in &coefficients[1..] {
            let c = self.fc(w, c);
            sum = self.fma(sum, x, c);
        }
        sum
    }

    fn copy_sign(&mut self, magnitude: Value, sign: Value) -> Value {
        let w = self.b.width(magnitude);
        let top = 1u64 << (w.bits() - 1);
        let (top_c, rest) = (self.b.constant(w, top), self.b.constant(w, !top));
        let m = self.b.alu(Alu::And, w, &[magnitude, rest]);
        let s = self.b.alu(Alu::And, w, &[sign, top_c]);
        self.b.alu(Alu::Or, w, &[m, s])
    }

    /// Float `x` at width `w`.
    fn float_to(&mut self, w: Width, x: Value) -> Value {
        if self.b.width(x) == w { x } else { self.b.alu(Alu::FConvert, w, &[x]) }
    }
}
