//! Numbers that are known while a shader is compiled.

use super::types::{FLOAT, Scalar};
use std::rc::Rc;

#[derive(Clone, PartialEq, Debug)]
pub enum Konst {
    Bool(bool),
    Int(i128),
    Float(f64),
    Parts(Rc<Vec<Konst>>),
}

/// The value of that type with the same low bits.
pub fn wrap(value: i128, scalar: Scalar) -> i128 {
    let bits = u32::from(scalar.bits());
    let low = value & ((1i128 << bits) - 1);
    let negative = matches!(scalar, Scalar::Int(_)) && low >> (bits - 1) != 0;
    if negative { low - (1i128 << bits) } else { low }
}

fn round(value: f64, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Float(16) => half::f16::from_f64(value).to_f64(),
        Scalar::Float(32) => f64::from(value as f32),
        _ => value,
    }
}

/// The words of a constant.
pub fn words(value: &Konst, scalar: Scalar) -> Vec<u32> {
    let bits = match (value, scalar) {
        (Konst::Float(f), Scalar::Float(16)) => u64::from(half::f16::from_f64(*f).to_bits()),
        (Konst::Float(f), FLOAT) => u64::from((*f as f32).to_bits()),
        (Konst::Float(f), _) => f.to_bits(),
        // Narrow ones are extended as their type says.
        (Konst::Int(i), Scalar::Int(_)) if scalar.bits() < 32 => u64::from(*i as i32 as u32),
        (Konst::Int(i), _) => *i as u64,
        (Konst::Bool(b), _) => u64::from(*b),
        (Konst::Parts(_), _) => 0,
    };
    if scalar.bits() == 64 { vec![bits as u32, (bits >> 32) as u32] } else { vec![bits as u32] }
}

pub fn convert(value: &Konst, to: Scalar) -> Option<Konst> {
    Some(match (value, to) {
        (Konst::Parts(parts), _) => Konst::Parts(Rc::new(parts.iter().map(|p| convert(p, to)).collect::<Option<_>>()?)),
        (Konst::Bool(b), Scalar::Bool) => Konst::Bool(*b),
        (Konst::Int(i), Scalar::Bool) => Konst::Bool(*i != 0),
        (Konst::Float(f), Scalar::Bool) => Konst::Bool(*f != 0.0),
        (Konst::Bool(b), Scalar::Float(_)) => Konst::Float(f64::from(u8::from(*b))),
        (Konst::Int(i), Scalar::Float(_)) => Konst::Float(round(*i as f64, to)),
        (Konst::Float(f), Scalar::Float(_)) => Konst::Float(round(*f, to)),
        (Konst::Bool(b), _) => Konst::Int(i128::from(*b)),
        (Konst::Int(i), _) => Konst::Int(wrap(*i, to)),
        (Konst::Float(f), _) => {
            let whole = f.trunc();
            // What does not fit is left to be done, and seen, when it runs.
            let fits = whole.is_finite() && whole.abs() < 1e19 && wrap(whole as i128, to) == whole as i128;
            fits.then_some(Konst::Int(whole as i128))?
        }
    })
}

/// `a op b` of two values of that scalar type; what is undefined is not known.
pub fn binary(op: &str, scalar: Scalar, a: &Konst, b: &Konst) -> Option<Konst> {
    use Konst::{Bool, Float, Int, Parts};
    Some(match (a, b) {
        (Parts(a), Parts(b))
            if !matches!(op, "==" | "!=" | "*") || a.len() == b.len() && !matches!(op, "==" | "!=") =>
        {
            let parts = a.iter().zip(b.iter()).map(|(a, b)| binary(op, scalar, a, b));
            Parts(Rc::new(parts.collect::<Option<_>>()?))
        }
        (Bool(a), Bool(b)) => Bool(match op {
            "&&" => *a && *b,
            "||" => *a || *b,
            "^^" | "!=" => a != b,
            "==" => a == b,
            _ => return None,
        }),
        (Float(a), Float(b)) => match op {
            "+" => Float(round(a + b, scalar)),
            "-" => Float(round(a - b, scalar)),
            "*" => Float(round(a * b, scalar)),
            "/" if *b != 0.0 => Float(round(a / b, scalar)),
            "<" => Bool(a < b),
            ">" => Bool(a > b),
            "<=" => Bool(a <= b),
            ">=" => Bool(a >= b),
            "==" => Bool(a == b),
            "!=" => Bool(a != b),
            _ => return None,
        },
        (Int(a), Int(b)) => {
            let shift = u32::try_from(*b).ok().filter(|n| *n < u32::from(scalar.bits()));
            let whole = match op {
                "+" => a + b,
                "-" => a - b,
                "*" => a.checked_mul(*b)?,
                "/" if *b != 0 => a / b,
                "%" if *b > 0 && *a >= 0 => a % b,
                "&" => a & b,
                "|" => a | b,
                "^" => a ^ b,
                "<<" => a << shift?,
                ">>" => a >> shift?,
                "<" => return Some(Bool(a < b)),
                ">" => return Some(Bool(a > b)),
                "<=" => return Some(Bool(a <= b)),
                ">=" => return Some(Bool(a >= b)),
                "==" => return Some(Bool(a == b)),
                "!=" => return Some(Bool(a != b)),
                _ => return None,
            };
            let wrapped = wrap(whole, scalar);
            // The quotient of the lowest by -1 is none.
            if op == "/" && wrapped != whole {
                return None;
            }
            Int(wrapped)
        }
        _ => return None,
    })
}

pub fn unary(op: &str, scalar: Scalar, a: &Konst) -> Option<Konst> {
    Some(match (op, a) {
        (_, Konst::Parts(parts)) => {
            Konst::Parts(Rc::new(parts.iter().map(|p| unary(op, scalar, p)).collect::<Option<_>>()?))
        }
        ("-", Konst::Int(i)) => Konst::Int(wrap(-i, scalar)),
        ("-", Konst::Float(f)) => Konst::Float(-f),
        ("~", Konst::Int(i)) => Konst::Int(wrap(!i, scalar)),
        ("!", Konst::Bool(b)) => Konst::Bool(!b),
        _ => return None,
    })
}
