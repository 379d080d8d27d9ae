//! How far numbers are from each other, in steps of their type.

use crate::element::{Number, Scalar};
use half::f16;

/// Steps between two numbers of a type: values of it that lie between them, and one. Of two NaNs 0; `None` between a NaN and
/// anything else.
///
/// ```
/// use wavepipe::element::{Number, Scalar};
/// use wavepipe::expect::ulps;
/// let next = f64::from(f32::from_bits(1f32.to_bits() + 1));
/// assert_eq!(ulps(Scalar::F32, Number::Float(1.0), Number::Float(next)), Some(1));
/// assert_eq!(ulps(Scalar::F32, Number::Float(-0.0), Number::Float(0.0)), Some(0));
/// assert_eq!(ulps(Scalar::I32, Number::Int(-3), Number::Int(4)), Some(7));
/// ```
pub fn ulps(scalar: Scalar, a: Number, b: Number) -> Option<u64> {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => Some(u64::try_from(a.abs_diff(b)).unwrap_or(u64::MAX)),
        _ => {
            let (a, b) = (a.float(), b.float());
            match (a.is_nan(), b.is_nan()) {
                (true, true) => Some(0),
                (false, false) => Some(u64::try_from(rank(scalar, a).abs_diff(rank(scalar, b))).unwrap_or(u64::MAX)),
                _ => None,
            }
        }
    }
}

/// Which of the type's values it is, from 0 on, both ways.
fn rank(scalar: Scalar, value: f64) -> i128 {
    let (bits, width) = match scalar {
        Scalar::F16 => (u64::from(f16::from_f64(value).to_bits()), 16),
        Scalar::F32 => (u64::from((value as f32).to_bits()), 32),
        _ => (value.to_bits(), 64),
    };
    let sign = 1u64 << (width - 1);
    let size = i128::from(bits & (sign - 1));
    if bits & sign == 0 { size } else { -size }
}
