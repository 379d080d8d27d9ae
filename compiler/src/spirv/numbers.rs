//! The check of numbers: operations whose operands leave them without a meaningful result, as SPIR-V's "undefined" says it, and NaN
//! or infinity that comes of finite numbers. Instrumented code tells of it (`wavepipe_hw::site`), because what the lowering makes of
//! one operation has NaNs of its own inside of it, which are nobody's fault.
//!
//! One comparison stands behind each operation, for all of its components, and a message with the values of the first lane for which
//! it holds. What is infinite or NaN already is no finding where it is only handed on.

use super::instrumentation::Instrument;
use super::module::{ExtSet, Instr};
use super::operand::Operand;
use super::translate::Translator;
use super::types::Ty;
use crate::error::Result;
use crate::ir::fold::half;
use crate::ir::{self, Alu, Exit, Value, Width};
use spirv::{GlslStd450Op as GLOp, Op};
use std::rc::Rc;
use wavepipe_hw::site::{Argument, Numeric, SiteKind};

/// Scalars of an operand that a message shows at most; of larger ones it shows none.
const SHOWN: usize = 4;

/// Operands' ids and scalars, and the result's.
type Shown<'a> = (Vec<u32>, &'a [Rc<[Value]>], &'a Rc<[Value]>);

/// What is to be looked at of an operation, and how to write it: an operator, or a function's name.
struct Looked {
    what: Numeric,
    name: &'static str,
    operands: usize,
}

fn looked(what: Numeric, name: &'static str, operands: usize) -> Option<Looked> {
    Some(Looked { what, name, operands })
}

fn core(op: Op) -> Option<Looked> {
    use Numeric::{BitField, Conversion, Division, NotFinite, Shift};
    match op {
        Op::UDiv | Op::SDiv => looked(Division, "/", 2),
        Op::UMod | Op::SRem | Op::SMod => looked(Division, "%", 2),
        Op::ShiftLeftLogical => looked(Shift, "<<", 2),
        Op::ShiftRightLogical | Op::ShiftRightArithmetic => looked(Shift, ">>", 2),
        Op::BitFieldInsert => looked(BitField, "bitfieldInsert", 4),
        Op::BitFieldSExtract | Op::BitFieldUExtract => looked(BitField, "bitfieldExtract", 3),
        Op::ConvertFToS => looked(Conversion, "int", 1),
        Op::ConvertFToU => looked(Conversion, "uint", 1),
        Op::FAdd => looked(NotFinite, "+", 2),
        Op::FSub => looked(NotFinite, "-", 2),
        Op::FDiv => looked(NotFinite, "/", 2),
        Op::FRem | Op::FMod => looked(NotFinite, "%", 2),
        Op::FMul
        | Op::VectorTimesScalar
        | Op::MatrixTimesScalar
        | Op::MatrixTimesVector
        | Op::VectorTimesMatrix
        | Op::MatrixTimesMatrix => looked(NotFinite, "*", 2),
        Op::OuterProduct => looked(NotFinite, "outerProduct", 2),
        Op::Dot => looked(NotFinite, "dot", 2),
        Op::FConvert | Op::ConvertSToF | Op::ConvertUToF => looked(NotFinite, "float", 1),
        Op::QuantizeToF16 => looked(NotFinite, "quantizeToF16", 1),
        _ => None,
    }
}

fn extended(op: GLOp) -> Option<Looked> {
    use Numeric::{Clamp, Domain, NotFinite};
    match op {
        GLOp::FClamp | GLOp::NClamp | GLOp::UClamp | GLOp::SClamp => looked(Clamp, "clamp", 3),
        GLOp::SmoothStep => looked(Domain, "smoothstep", 3),
        GLOp::Asin => looked(Domain, "asin", 1),
        GLOp::Acos => looked(Domain, "acos", 1),
        GLOp::Acosh => looked(Domain, "acosh", 1),
        GLOp::Atanh => looked(Domain, "atanh", 1),
        GLOp::Atan2 => looked(Domain, "atan", 2),
        GLOp::Pow => looked(Domain, "pow", 2),
        GLOp::Sqrt => looked(NotFinite, "sqrt", 1),
        GLOp::InverseSqrt => looked(NotFinite, "inversesqrt", 1),
        GLOp::Log => looked(NotFinite, "log", 1),
        GLOp::Log2 => looked(NotFinite, "log2", 1),
        GLOp::Exp => looked(NotFinite, "exp", 1),
        GLOp::Exp2 => looked(NotFinite, "exp2", 1),
        GLOp::Sinh => looked(NotFinite, "sinh", 1),
        GLOp::Cosh => looked(NotFinite, "cosh", 1),
        GLOp::Tan => looked(NotFinite, "tan", 1),
        GLOp::Radians => looked(NotFinite, "radians", 1),
        GLOp::Degrees => looked(NotFinite, "degrees", 1),
        GLOp::Fma => looked(NotFinite, "fma", 3),
        GLOp::FMix => looked(NotFinite, "mix", 3),
        GLOp::Ldexp => looked(NotFinite, "ldexp", 2),
        GLOp::Length => looked(NotFinite, "length", 1),
        GLOp::Distance => looked(NotFinite, "distance", 2),
        GLOp::Cross => looked(NotFinite, "cross", 2),
        GLOp::Normalize => looked(NotFinite, "normalize", 1),
        GLOp::Reflect => looked(NotFinite, "reflect", 2),
        GLOp::Refract => looked(NotFinite, "refract", 3),
        GLOp::PackHalf2x16 => looked(NotFinite, "packHalf2x16", 1),
        GLOp::Determinant => looked(NotFinite, "determinant", 1),
        GLOp::MatrixInverse => looked(NotFinite, "inverse", 1),
        _ => None,
    }
}

/// What is looked at of an instruction, and which of its arguments come first.
fn of(i: &Instr<'_>, glsl: bool) -> Option<(Looked, Option<GLOp>, usize)> {
    match i.op {
        Op::ExtInst if glsl => {
            let op = GLOp::from_u32(i.arg(1)?)?;
            extended(op).map(|l| (l, Some(op), 2))
        }
        op => core(op).map(|l| (l, None, 0)),
    }
}

impl Translator<'_> {
    /// Looks at an instruction that has just got its value.
    pub fn check_numbers(&mut self, i: &Instr<'_>, value: &Operand) -> Result<()> {
        if !self.instrumentation.flags.contains(Instrument::NUM) {
            return Ok(());
        }
        let glsl = i.op == Op::ExtInst && i.arg(0).and_then(|s| self.m.ext_sets.get(&s)) == Some(&ExtSet::Glsl);
        let (Some((looked, op, first)), Operand::Flat(result)) = (of(i, glsl), value) else { return Ok(()) };
        let (mut ids, mut operands) = (Vec::new(), Vec::new());
        for n in first..first + looked.operands {
            let id = self.arg(i, n)?;
            operands.push(self.flat(i, id)?);
            ids.push(id);
        }
        let shown = (ids, operands.as_slice(), result);
        let Looked { what, name, .. } = looked;
        let wrong = match what {
            Numeric::Division => self.no_quotient(i, &operands),
            Numeric::Shift => self.shifted_out(&operands),
            Numeric::BitField => self.no_field(&operands),
            Numeric::Conversion => self.no_integer(i, result, &operands[0]),
            Numeric::Clamp => self.no_range(op, &operands),
            Numeric::NotFinite => self.made_not_finite(i, op, &shown)?,
            Numeric::Domain => {
                // Defined there it may be too large all the same.
                let (outside, made) = (self.outside_domain(op, &operands), self.made_not_finite(i, op, &shown)?);
                let inside = self.b.alu(Alu::Not, Width::B1, &[outside]);
                let made = self.b.alu(Alu::And, Width::B1, &[made, inside]);
                self.tell_of_number(i, Numeric::NotFinite, name, made, &shown)?;
                outside
            }
        };
        self.tell_of_number(i, what, name, wrong, &shown)
    }

    /// NaN or infinite, and no operand is.
    fn made_not_finite(
        &mut self,
        i: &Instr<'_>,
        op: Option<GLOp>,
        (ids, operands, result): &Shown<'_>,
    ) -> Result<Value> {
        let made = match op {
            Some(GLOp::PackHalf2x16) => self.half_not_finite(result[0]),
            _ => self.any_not_finite(result),
        };
        let mut had = self.b.bool(false);
        for (&id, scalars) in ids.iter().zip(*operands) {
            if self.holds_floats(i, id)? {
                let one = self.any_not_finite(scalars);
                had = self.or(had, one);
            }
        }
        let none = self.b.alu(Alu::Not, Width::B1, &[had]);
        Ok(self.b.alu(Alu::And, Width::B1, &[made, none]))
    }

    /// A message where `wrong` holds.
    fn tell_of_number(
        &mut self,
        i: &Instr<'_>,
        what: Numeric,
        name: &str,
        wrong: Value,
        (ids, operands, result): &Shown<'_>,
    ) -> Result<()> {
        if self.b.known(wrong) == Some(0) {
            return Ok(());
        }
        let mut types = Vec::new();
        for &id in ids {
            types.push(self.argument_type(i, id)?);
        }
        types.push(self.printed_type(i.ty));
        let (mut values, mut payload) = (Vec::new(), Vec::new());
        for (shown, scalars) in types.into_iter().zip(operands.iter().chain([*result])) {
            let few = scalars.len() <= SHOWN && scalars.len() == shown.components as usize;
            values.push(Argument { components: if few { shown.components } else { 0 }, ..shown });
            for &v in scalars.iter().filter(|_| few) {
                self.printed(v, shown.scalar, &mut payload);
            }
        }
        let bits = operands.first().and_then(|o| o.first()).map_or(0, |&v| self.b.width(v).bits());
        let name = match what {
            Numeric::Conversion => format!("{name}{}", self.b.width(result[0]).bits()),
            _ => name.into(),
        };
        let site = self.site(i, SiteKind::Number { what, name, bits, values })?;
        self.only_where(i, wrong, Exit::Yield(Vec::new()), |t| {
            t.b.inst(ir::Op::Trace { site, finding: true }, payload, &[]);
        });
        Ok(())
    }

    fn or(&mut self, a: Value, b: Value) -> Value {
        self.b.alu(Alu::Or, Width::B1, &[a, b])
    }

    /// Whether `f` holds of one of the components.
    fn any(&mut self, n: usize, mut f: impl FnMut(&mut Self, usize) -> Value) -> Value {
        (0..n).fold(self.b.bool(false), |any, c| {
            let one = f(self, c);
            self.or(any, one)
        })
    }

    fn holds_floats(&self, i: &Instr<'_>, id: u32) -> Result<bool> {
        let mut ty = self.type_of(i, id)?;
        while let Some(elem) = self.types.element(ty, 0).filter(|&e| e != ty) {
            ty = elem;
        }
        Ok(matches!(self.types.get(ty), Ty::Float(_)))
    }

    /// All ones in the exponent.
    fn any_not_finite(&mut self, scalars: &[Value]) -> Value {
        self.any(scalars.len(), |t, c| {
            let x = scalars[c];
            let (x, width, rest, top) = match t.b.width(x) {
                Width::B64 => (t.b.alu(Alu::Hi32, Width::B32, &[x]), Width::B32, 0x7fff_ffff, 0x7ff0_0000),
                Width::B32 => (x, Width::B32, 0x7fff_ffff, 0x7f80_0000),
                Width::B16 => (x, Width::B16, 0x7fff, 0x7c00),
                _ => return t.b.bool(false),
            };
            let (rest, top) = (t.b.constant(width, rest), t.b.constant(width, top));
            let magnitude = t.b.alu(Alu::And, width, &[x, rest]);
            t.b.alu(Alu::ULe, Width::B1, &[top, magnitude])
        })
    }

    /// One of two halves is infinite.
    fn half_not_finite(&mut self, packed: Value) -> Value {
        let top = self.b.u32(0x7c00);
        self.any(2, |t, n| {
            let by = t.b.u32(16 * n as u32);
            let half = t.b.alu(Alu::UShr, Width::B32, &[packed, by]);
            let exponent = t.b.alu(Alu::And, Width::B32, &[half, top]);
            t.b.alu(Alu::IEq, Width::B1, &[exponent, top])
        })
    }

    /// By zero; or the least number by minus one.
    fn no_quotient(&mut self, i: &Instr<'_>, v: &[Rc<[Value]>]) -> Value {
        let signed = !matches!(i.op, Op::UDiv | Op::UMod);
        self.any(v[0].len().min(v[1].len()), |t, c| {
            let (a, b) = (v[0][c], v[1][c]);
            let w = t.b.width(b);
            let zero = t.b.constant(w, 0);
            let wrong = t.b.alu(Alu::IEq, Width::B1, &[b, zero]);
            if !signed {
                return wrong;
            }
            let (least, ones) = (t.b.constant(w, 1 << (w.bits() - 1)), t.b.constant(w, u64::MAX >> (64 - w.bits())));
            let least = t.b.alu(Alu::IEq, Width::B1, &[a, least]);
            let minus = t.b.alu(Alu::IEq, Width::B1, &[b, ones]);
            let over = t.b.alu(Alu::And, Width::B1, &[least, minus]);
            t.or(wrong, over)
        })
    }

    /// By as many bits as there are, or more.
    fn shifted_out(&mut self, v: &[Rc<[Value]>]) -> Value {
        self.any(v[0].len().min(v[1].len()), |t, c| {
            let by = t.b.width(v[1][c]);
            let bits = t.b.width(v[0][c]).bits();
            let bits = t.b.constant(by, bits.into());
            t.b.alu(Alu::ULe, Width::B1, &[bits, v[1][c]])
        })
    }

    /// Offset and size together past the last bit.
    fn no_field(&mut self, v: &[Rc<[Value]>]) -> Value {
        let [.., offset, size] = v else { return self.b.bool(false) };
        let bits = self.b.width(v[0][0]).bits();
        let [offset, size] = [offset, size].map(|o| self.b.to_u32(o[0]));
        let bits = self.b.u32(bits);
        let end = self.b.alu(Alu::IAdd, Width::B32, &[offset, size]);
        [offset, size, end].into_iter().fold(self.b.bool(false), |wrong, x| {
            let over = self.b.alu(Alu::ULt, Width::B1, &[bits, x]);
            self.or(wrong, over)
        })
    }

    fn float(&mut self, w: Width, x: f64) -> Value {
        match w {
            Width::B64 => self.b.constant(w, x.to_bits()),
            Width::B16 => self.b.constant(w, half(x)),
            _ => self.b.f32(x as f32),
        }
    }

    /// Rounded towards zero it is no integer of the result's type.
    fn no_integer(&mut self, i: &Instr<'_>, result: &[Value], v: &[Value]) -> Value {
        let signed = i.op == Op::ConvertFToS;
        self.any(v.len().min(result.len()), |t, c| {
            let (x, w) = (v[c], t.b.width(v[c]));
            let bits = t.b.width(result[c]).bits() as i32;
            let top = 2f64.powi(if signed { bits - 1 } else { bits });
            let bottom = if signed { -top } else { 0.0 };
            // All that rounds to the least number, if floats are that near each other there.
            let digits = match w {
                Width::B64 => 53,
                Width::B32 => 24,
                _ => 11,
            };
            let below = !signed || bits <= digits;
            let (limit, above) =
                (if below { bottom - 1.0 } else { bottom }, if below { Alu::FOrdLt } else { Alu::FOrdLe });
            let (least, most) = (t.float(w, limit), t.float(w, top));
            let above = t.b.alu(above, Width::B1, &[least, x]);
            let inside = t.b.alu(Alu::FOrdLt, Width::B1, &[x, most]);
            let inside = t.b.alu(Alu::And, Width::B1, &[above, inside]);
            t.b.alu(Alu::Not, Width::B1, &[inside])
        })
    }

    /// The least value is above the greatest.
    fn no_range(&mut self, op: Option<GLOp>, v: &[Rc<[Value]>]) -> Value {
        let less = match op {
            Some(GLOp::UClamp) => Alu::ULt,
            Some(GLOp::SClamp) => Alu::SLt,
            _ => Alu::FOrdLt,
        };
        self.any(v[1].len().min(v[2].len()), |t, c| t.b.alu(less, Width::B1, &[v[2][c], v[1][c]]))
    }

    /// Where GLSL.std.450 says "undefined".
    fn outside_domain(&mut self, op: Option<GLOp>, v: &[Rc<[Value]>]) -> Value {
        self.any(v[0].len(), |t, c| {
            let (x, w) = (v[0][c], t.b.width(v[0][c]));
            let compare = |t: &mut Self, alu, a, b| t.b.alu(alu, Width::B1, &[a, b]);
            let y = v.get(1).and_then(|v| v.get(c)).copied();
            let (zero, one) = (t.float(w, 0.0), t.float(w, 1.0));
            match (op, y) {
                (Some(GLOp::Acosh), _) => compare(t, Alu::FOrdLt, x, one),
                (Some(GLOp::Asin | GLOp::Acos), _) => {
                    let x = t.b.alu(Alu::FAbs, w, &[x]);
                    compare(t, Alu::FOrdLt, one, x)
                }
                (Some(GLOp::Atanh), _) => {
                    let x = t.b.alu(Alu::FAbs, w, &[x]);
                    compare(t, Alu::FOrdLe, one, x)
                }
                (Some(GLOp::SmoothStep), Some(y)) => compare(t, Alu::FOrdLe, y, x),
                (Some(GLOp::Atan2), Some(y)) => {
                    let (x, y) = (compare(t, Alu::FOrdEq, x, zero), compare(t, Alu::FOrdEq, y, zero));
                    t.b.alu(Alu::And, Width::B1, &[x, y])
                }
                (Some(GLOp::Pow), Some(y)) => {
                    let (null, exponent) = (compare(t, Alu::FOrdEq, x, zero), compare(t, Alu::FOrdLe, y, zero));
                    let both = t.b.alu(Alu::And, Width::B1, &[null, exponent]);
                    let negative = compare(t, Alu::FOrdLt, x, zero);
                    t.or(both, negative)
                }
                _ => t.b.bool(false),
            }
        })
    }
}
