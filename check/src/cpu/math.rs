//! Operators and built-in functions on numbers of the host: each result is the exact one rounded once where IEEE 754 asks for
//! that, and the C library's in 64 bits, rounded to the type, of what it leaves open (sin, exp, pow and the like).

use super::value::{Num, Result, Value};
use half::f16;
use naga::{BinaryOperator as Op, MathFunction as F};

/// Numbers side by side; a scalar stands for as many as the other has.
fn zip(a: &Value, b: &Value, f: &mut dyn FnMut(Num, Num) -> Result<Num>) -> Result<Value> {
    match (a, b) {
        (Value::Matrix(x), Value::Matrix(y)) if x.len() == y.len() => {
            Ok(Value::Matrix(x.iter().zip(y).map(|(x, y)| zip(x, y, f)).collect::<Result<_>>()?))
        }
        (Value::Matrix(x), Value::Scalar(_)) => {
            Ok(Value::Matrix(x.iter().map(|x| zip(x, b, f)).collect::<Result<_>>()?))
        }
        (Value::Scalar(_), Value::Matrix(y)) => {
            Ok(Value::Matrix(y.iter().map(|y| zip(a, y, f)).collect::<Result<_>>()?))
        }
        (Value::Vector(..), Value::Scalar(y)) => a.map(&mut |x| f(x, *y)),
        (Value::Scalar(x), Value::Vector(..)) => b.map(&mut |y| f(*x, y)),
        _ => {
            let (x, y) = (a.nums()?, b.nums()?);
            if x.len() != y.len() {
                return Err(format!("{} numbers beside {}", x.len(), y.len()));
            }
            let all: Vec<Num> = x.iter().zip(y).map(|(x, y)| f(*x, *y)).collect::<Result<_>>()?;
            if let Value::Scalar(_) = a { Ok(Value::Scalar(all[0])) } else { Value::vector(&all) }
        }
    }
}

pub fn binary(op: Op, a: &Value, b: &Value) -> Result<Value> {
    match (op, a, b) {
        (Op::Multiply, Value::Matrix(m), Value::Vector(..)) => product(m, b),
        (Op::Multiply, Value::Matrix(m), Value::Matrix(n)) => {
            Ok(Value::Matrix(n.iter().map(|column| product(m, column)).collect::<Result<_>>()?))
        }
        (Op::Multiply, Value::Vector(..), Value::Matrix(m)) => {
            let all: Vec<Num> = m.iter().map(|column| dot(a, column)).collect::<Result<_>>()?;
            Value::vector(&all)
        }
        _ => zip(a, b, &mut |x, y| arithmetic(op, x, y)),
    }
}

/// Columns weighted by a vector.
fn product(columns: &[Value], v: &Value) -> Result<Value> {
    let mut sum: Option<Value> = None;
    for (column, weight) in columns.iter().zip(v.nums()?) {
        let part = column.map(&mut |x| arithmetic(Op::Multiply, x, *weight))?;
        sum = Some(match sum {
            Some(sum) => zip(&sum, &part, &mut |x, y| arithmetic(Op::Add, x, y))?,
            None => part,
        });
    }
    sum.ok_or_else(|| "a matrix of nothing".into())
}

fn dot(a: &Value, b: &Value) -> Result<Num> {
    let mut terms = a.nums()?.iter().zip(b.nums()?).map(|(x, y)| arithmetic(Op::Multiply, *x, *y));
    let first = terms.next().ok_or("a vector of nothing")??;
    terms.try_fold(first, |sum, term| arithmetic(Op::Add, sum, term?))
}

fn arithmetic(op: Op, x: Num, y: Num) -> Result<Num> {
    let compare = || {
        let order = if x.is_float() { x.float().partial_cmp(&y.float()) } else { Some(x.int().cmp(&y.int())) };
        Num::Bool(match op {
            Op::Equal => order.is_some_and(|o| o.is_eq()),
            Op::NotEqual => !order.is_some_and(|o| o.is_eq()),
            Op::Less => order.is_some_and(|o| o.is_lt()),
            Op::LessEqual => order.is_some_and(|o| o.is_le()),
            Op::Greater => order.is_some_and(|o| o.is_gt()),
            _ => order.is_some_and(|o| o.is_ge()),
        })
    };
    if matches!(op, Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual) {
        return Ok(compare());
    }
    if let (Num::Bool(a), Num::Bool(b)) = (x, y) {
        return Ok(Num::Bool(match op {
            Op::LogicalAnd | Op::And => a && b,
            Op::LogicalOr | Op::InclusiveOr => a || b,
            Op::ExclusiveOr => a != b,
            other => return Err(format!("{other:?} of true and false")),
        }));
    }
    if x.is_float() {
        // Two roundings, to 64 bits and from there, are as one for these of the narrower types.
        let (a, b) = (x.float(), y.float());
        return Ok(x.with_float(match op {
            Op::Add => a + b,
            Op::Subtract => a - b,
            Op::Multiply => a * b,
            Op::Divide => a / b,
            Op::Modulo => a % b,
            other => return Err(format!("{other:?} of floats")),
        }));
    }
    let (a, b) = (x.int(), y.int());
    let shift = (b as u32) & (x.width() - 1);
    Ok(x.with_int(match op {
        Op::Add => a + b,
        Op::Subtract => a - b,
        Op::Multiply => a.wrapping_mul(b),
        // As WGSL has it: what is divided by zero stays, and there is no remainder.
        Op::Divide if b == 0 => a,
        Op::Modulo if b == 0 => 0,
        Op::Divide => a / b,
        Op::Modulo => a % b,
        Op::And => a & b,
        Op::ExclusiveOr => a ^ b,
        Op::InclusiveOr => a | b,
        Op::ShiftLeft => a << shift,
        Op::ShiftRight => a >> shift,
        other => return Err(format!("{other:?} of integers")),
    }))
}

pub fn unary(op: naga::UnaryOperator, v: &Value) -> Result<Value> {
    use naga::UnaryOperator as U;
    v.map(&mut |x| {
        Ok(match op {
            U::Negate if x.is_float() => x.with_float(-x.float()),
            U::Negate => x.with_int(-x.int()),
            U::LogicalNot => Num::Bool(!x.truth()?),
            U::BitwiseNot => x.with_int(!x.int()),
        })
    })
}

fn length(v: &Value) -> Result<Num> {
    let square = dot(v, v)?;
    Ok(square.with_float(square.float().sqrt()))
}

/// A built-in function.
pub fn call(f: F, args: &[Value]) -> Result<Value> {
    let (a, b, c) = (&args[0], args.get(1), args.get(2));
    let need = |v: Option<&Value>| v.cloned().ok_or_else(|| format!("{f:?} lacks an argument"));
    let each = |g: &dyn Fn(f64) -> f64| a.map(&mut |x| Ok(x.with_float(g(x.float()))));
    let ints = |g: &dyn Fn(Num) -> i128| a.map(&mut |x| Ok(x.with_int(g(x))));
    let pairs = |g: &dyn Fn(f64, f64) -> f64| zip(a, &need(b)?, &mut |x, y| Ok(x.with_float(g(x.float(), y.float()))));
    let least = |x: Num, y: Num| {
        if x.is_float() { x.with_float(x.float().min(y.float())) } else { x.with_int(x.int().min(y.int())) }
    };
    let most = |x: Num, y: Num| {
        if x.is_float() { x.with_float(x.float().max(y.float())) } else { x.with_int(x.int().max(y.int())) }
    };
    match f {
        F::Abs => {
            a.map(&mut |x| Ok(if x.is_float() { x.with_float(x.float().abs()) } else { x.with_int(x.int().abs()) }))
        }
        F::Min => zip(a, &need(b)?, &mut |x, y| Ok(least(x, y))),
        F::Max => zip(a, &need(b)?, &mut |x, y| Ok(most(x, y))),
        F::Clamp => {
            let low = zip(a, &need(b)?, &mut |x, y| Ok(most(x, y)))?;
            zip(&low, &need(c)?, &mut |x, y| Ok(least(x, y)))
        }
        F::Saturate => each(&|x| x.clamp(0.0, 1.0)),
        F::Cos => each(&f64::cos),
        F::Cosh => each(&f64::cosh),
        F::Sin => each(&f64::sin),
        F::Sinh => each(&f64::sinh),
        F::Tan => each(&f64::tan),
        F::Tanh => each(&f64::tanh),
        F::Acos => each(&f64::acos),
        F::Asin => each(&f64::asin),
        F::Atan => each(&f64::atan),
        F::Atan2 => pairs(&f64::atan2),
        F::Asinh => each(&f64::asinh),
        F::Acosh => each(&f64::acosh),
        F::Atanh => each(&f64::atanh),
        F::Radians => each(&f64::to_radians),
        F::Degrees => each(&f64::to_degrees),
        F::Ceil => each(&f64::ceil),
        F::Floor => each(&f64::floor),
        F::Round => each(&f64::round_ties_even),
        F::Fract => each(&|x| x - x.floor()),
        F::Trunc => each(&f64::trunc),
        F::Ldexp => zip(a, &need(b)?, &mut |x, y| Ok(x.with_float(x.float() * (y.int() as f64).exp2()))),
        F::Exp => each(&f64::exp),
        F::Exp2 => each(&f64::exp2),
        F::Log => each(&f64::ln),
        F::Log2 => each(&f64::log2),
        F::Pow => pairs(&f64::powf),
        F::Sqrt => each(&f64::sqrt),
        F::InverseSqrt => each(&|x| 1.0 / x.sqrt()),
        F::QuantizeToF16 => each(&|x| f16::from_f64(x).to_f64()),
        F::Sign => a.map(&mut |x| {
            Ok(match x.is_float() {
                true if x.float() == 0.0 || x.float().is_nan() => x,
                true => x.with_float(x.float().signum()),
                false => x.with_int(x.int().signum()),
            })
        }),
        F::Fma => {
            let (b, c) = (need(b)?, need(c)?);
            let product: Vec<(Num, Num)> = a.nums()?.iter().copied().zip(b.nums()?.iter().copied()).collect();
            let all = product.iter().zip(c.nums()?).map(|((x, y), z)| fused(*x, *y, *z)).collect::<Vec<Num>>();
            if let Value::Scalar(_) = a { Ok(Value::Scalar(all[0])) } else { Value::vector(&all) }
        }
        F::Mix => {
            let (b, t) = (need(b)?, need(c)?);
            let rest = t.map(&mut |t| Ok(t.with_float(1.0 - t.float())))?;
            binary(Op::Add, &binary(Op::Multiply, a, &rest)?, &binary(Op::Multiply, &b, &t)?)
        }
        F::Step => pairs(&|edge, x| if x < edge { 0.0 } else { 1.0 }),
        F::SmoothStep => {
            let (high, x) = (need(b)?, need(c)?);
            let span = zip(&high, a, &mut |h, l| Ok(h.with_float(h.float() - l.float())))?;
            let up = zip(&x, a, &mut |x, l| Ok(x.with_float(x.float() - l.float())))?;
            let t = zip(&up, &span, &mut |u, s| Ok(u.with_float((u.float() / s.float()).clamp(0.0, 1.0))))?;
            t.map(&mut |t| Ok(t.with_float(t.float() * t.float() * (3.0 - 2.0 * t.float()))))
        }
        F::Dot => dot(a, &need(b)?).map(Value::Scalar),
        F::Cross => {
            let b = need(b)?;
            let ([ax, ay, az], [bx, by, bz]) = (a.nums()?, b.nums()?) else {
                return Err("cross of other than vec3".into());
            };
            let minor = |p: Num, q: Num, r: Num, s: Num| p.with_float(p.float() * q.float() - r.float() * s.float());
            Value::vector(&[minor(*ay, *bz, *az, *by), minor(*az, *bx, *ax, *bz), minor(*ax, *by, *ay, *bx)])
        }
        F::Length => length(a).map(Value::Scalar),
        F::Distance => length(&binary(Op::Subtract, a, &need(b)?)?).map(Value::Scalar),
        F::Normalize => binary(Op::Divide, a, &Value::Scalar(length(a)?)),
        F::FaceForward => {
            let facing = dot(&need(b)?, &need(c)?)?.float() < 0.0;
            if facing { Ok(a.clone()) } else { unary(naga::UnaryOperator::Negate, a) }
        }
        F::Reflect => {
            let n = need(b)?;
            let twice = dot(&n, a)?;
            let twice = Value::Scalar(twice.with_float(2.0 * twice.float()));
            binary(Op::Subtract, a, &binary(Op::Multiply, &n, &twice)?)
        }
        F::Transpose => {
            let Value::Matrix(columns) = a else { return Err("transpose of no matrix".into()) };
            let rows = columns.first().map_or(Ok(0), |c| c.nums().map(<[Num]>::len))?;
            let row = |r: usize| {
                let nums: Vec<Num> = columns.iter().map(|c| Ok(c.nums()?[r])).collect::<Result<_>>()?;
                Value::vector(&nums)
            };
            Ok(Value::Matrix((0..rows).map(row).collect::<Result<_>>()?))
        }
        F::CountOneBits => ints(&|x| unsigned(x).count_ones().into()),
        F::CountTrailingZeros => ints(&|x| unsigned(x).trailing_zeros().min(x.width()).into()),
        F::CountLeadingZeros => ints(&|x| (unsigned(x).leading_zeros() - (64 - x.width())).into()),
        F::ReverseBits => ints(&|x| (unsigned(x).reverse_bits() >> (64 - x.width())).into()),
        F::FirstTrailingBit => ints(&|x| if x.int() == 0 { -1 } else { unsigned(x).trailing_zeros().into() }),
        F::FirstLeadingBit => ints(&|x| {
            let told = if x.is_signed() && x.int() < 0 { unsigned(x.with_int(!x.int())) } else { unsigned(x) };
            63 - i128::from(told.leading_zeros())
        }),
        F::ExtractBits => {
            let (from, count) = (need(b)?.scalar()?.int() as u32, need(c)?.scalar()?.int() as u32);
            a.map(&mut |x| {
                let from = from.min(x.width());
                let count = count.min(x.width() - from);
                if count == 0 {
                    return Ok(x.with_int(0));
                }
                let bits = i128::from(unsigned(x) >> from) & ((1 << count) - 1);
                let negative = x.is_signed() && bits >> (count - 1) & 1 == 1;
                Ok(x.with_int(if negative { bits - (1 << count) } else { bits }))
            })
        }
        other => Err(format!("a reference on the CPU has no {other:?}")),
    }
}

/// The bits of an integer, without those of a wider sign.
fn unsigned(x: Num) -> u64 {
    let mask = if x.width() == 64 { u64::MAX } else { (1 << x.width()) - 1 };
    x.int() as u64 & mask
}

fn fused(x: Num, y: Num, z: Num) -> Num {
    match (x, y, z) {
        (Num::F32(x), Num::F32(y), Num::F32(z)) => Num::F32(x.mul_add(y, z)),
        _ => x.with_float(x.float().mul_add(y.float(), z.float())),
    }
}
