//! Floats of 16, 32 and 64 bits by way of the host's f64.
//!
//! A sum, difference or product of two numbers of p bits that is rounded to 2p + 2 bits or more and then to p bits is the
//! correctly rounded one (Figueroa, "When is double rounding innocuous?"): 24 bits in f64's 53, and 11 bits all the more.

/// The value of a float's bits.
pub fn value(bits: u32, x: u64) -> f64 {
    match bits {
        16 => half(x as u16),
        32 => f64::from(f32::from_bits(x as u32)),
        _ => f64::from_bits(x),
    }
}

/// The bits of the float nearest to a value, ties to even.
pub fn nearest(bits: u32, x: f64) -> u64 {
    match bits {
        16 => u64::from(to_half(x)),
        32 => u64::from((x as f32).to_bits()),
        _ => x.to_bits(),
    }
}

fn half(x: u16) -> f64 {
    let (exponent, fraction) = (i32::from(x >> 10 & 31), f64::from(x & 1023));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1024.0 + fraction) * 2f64.powi(e - 25),
    };
    if x >> 15 == 1 { -size } else { size }
}

fn to_half(x: f64) -> u16 {
    let sign = u16::from(x.is_sign_negative()) << 15;
    let size = x.abs();
    if x.is_nan() {
        return sign | 0x7e00;
    }
    // Halfway between the largest number and what would follow it.
    if size >= 65520.0 {
        return sign | 0x7c00;
    }
    if size < 2f64.powi(-14) {
        return sign | (size * 2f64.powi(24)).round_ties_even() as u16;
    }
    let exponent = (size.to_bits() >> 52) as i32 - 1023;
    let fraction = (size * 2f64.powi(10 - exponent)).round_ties_even() as u16;
    // A fraction of 2048 carries into the exponent.
    sign | (((exponent + 15) as u16) << 10) + (fraction - 1024)
}
