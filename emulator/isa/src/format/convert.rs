//! Texels in memory to registers and back: the one conversion that typed buffers and images share.
//!
//! Components travel as the 32-bit words of a VGPR: the bits of an f32 for UNORM, SNORM, USCALED, SSCALED, FLOAT and SRGB,
//! an integer for UINT and SINT. What the manual leaves open is in ERRATA.md, "Conversions".

use super::{Format, Num};
use crate::alu::soft;
use std::sync::LazyLock;

/// Bytes of the largest texel.
pub const TEXEL: usize = 16;

/// Unsigned floats of 11 and 10 bits: f16 without a sign and with a shorter fraction.
const F11: soft::Format = soft::Format { fraction: 6, exponent: 5 };
const F10: soft::Format = soft::Format { fraction: 5, exponent: 5 };

/// SHARED_EXPONENT: bias, and bits of a mantissa.
const SHARED_BIAS: i32 = 15;
const SHARED_MANTISSA: i32 = 9;

impl Format {
    /// Whether registers hold integers instead of f32.
    #[inline(always)]
    pub fn is_integer(&self) -> bool {
        matches!(self.num, Num::Uint | Num::Sint)
    }

    /// What a register holds for the number one.
    #[inline(always)]
    pub fn one(&self) -> u32 {
        if self.is_integer() { 1 } else { 1f32.to_bits() }
    }

    /// How many components are stored: the others read as 0, 0, 0, 1 and are dropped when written.
    pub fn components(&self) -> usize {
        match self.num {
            Num::SharedExponent => 3,
            Num::Block(_) => 0,
            _ => self.bits.iter().filter(|&&b| b != 0).count(),
        }
    }

    /// Components X, Y, Z, W of a texel, which stands in the first [`Format::bytes`] bytes. Compressed blocks are not
    /// texels: (0, 0, 0, 1).
    #[inline]
    pub fn decode(&self, texel: &[u8; TEXEL]) -> [u32; 4] {
        let word = |i: usize| u32::from_le_bytes([texel[4 * i], texel[4 * i + 1], texel[4 * i + 2], texel[4 * i + 3]]);
        let mut out = [0, 0, 0, self.one()];
        match (self.num, self.bits[0]) {
            (Num::Block(_), _) => {}
            (Num::SharedExponent, _) => {
                let scale = 2f32.powi((word(0) >> 27) as i32 - SHARED_BIAS - SHARED_MANTISSA);
                for (i, out) in out.iter_mut().take(3).enumerate() {
                    *out = ((word(0) >> (9 * i) & 0x1ff) as f32 * scale).to_bits();
                }
            }
            (num, 32) => {
                debug_assert!(matches!(num, Num::Uint | Num::Sint | Num::Float));
                for (i, out) in out.iter_mut().enumerate().filter(|(i, _)| self.bits[*i] != 0) {
                    *out = word(i);
                }
            }
            (num, _) => {
                let all = u64::from(word(0)) | u64::from(word(1)) << 32;
                let mut at = 0;
                for (i, out) in out.iter_mut().enumerate() {
                    let bits = u32::from(self.bits[i]);
                    if bits != 0 {
                        let raw = (all >> at) as u32 & (!0 >> (32 - bits));
                        *out = expand(if num == Num::Srgb && i == 3 { Num::Unorm } else { num }, bits, raw);
                        at += bits;
                    }
                }
            }
        }
        out
    }

    /// The texel that holds these components; bytes past [`Format::bytes`] are zero. Numbers out of range take the nearest
    /// that the format has; NaN becomes zero where the format has no NaN.
    #[inline]
    pub fn encode(&self, components: [u32; 4]) -> [u8; TEXEL] {
        let mut all = 0u128;
        match self.num {
            Num::Block(_) => {}
            Num::SharedExponent => all = share(components).into(),
            num => {
                let mut at = 0;
                for (i, &component) in components.iter().enumerate() {
                    let bits = u32::from(self.bits[i]);
                    if bits != 0 {
                        let num = if num == Num::Srgb && i == 3 { Num::Unorm } else { num };
                        all |= u128::from(reduce(num, bits, component)) << at;
                        at += bits;
                    }
                }
            }
        }
        all.to_le_bytes()
    }

    /// A component for a D16 register: f16, or the integer saturated to 16 bits.
    #[inline]
    pub fn narrow(&self, component: u32) -> u16 {
        Format::narrowed(self.num, component)
    }

    /// A component of a D16 register, 32 bits wide.
    #[inline]
    pub fn widen(&self, component: u16) -> u32 {
        Format::widened(self.num, component)
    }
}

/// `n` / (2^`bits` − 1) of an integer with no more than that magnitude, without a division, which many lanes at once wait for: the whole
/// bits, exactly, and what is missing; `tests` has every number beside its quotient.
#[inline(always)]
fn share_of(n: f32, bits: u32) -> f32 {
    let (whole, rest) = SHARES[bits as usize % SHARES.len()];
    n * whole + n * rest
}

/// 2^-bits, and how much less that is than 1 / (2^bits − 1), by bits.
static SHARES: [(f32, f32); 17] = {
    let mut shares = [(0.0, 0.0); 17];
    let mut bits = 1;
    while bits < shares.len() {
        let steps = (1u32 << bits) as f64;
        shares[bits] = ((1.0 / steps) as f32, (1.0 / (steps * (steps - 1.0))) as f32);
        bits += 1;
    }
    shares
};

/// One component of up to 32 bits, from memory to a register.
#[inline(always)]
pub(super) fn expand(num: Num, bits: u32, raw: u32) -> u32 {
    let signed = ((raw << (32 - bits)) as i32) >> (32 - bits);
    match num {
        Num::Uint => raw,
        Num::Sint => signed as u32,
        Num::Uscaled => (raw as f32).to_bits(),
        Num::Sscaled => (signed as f32).to_bits(),
        Num::Unorm => share_of(raw as f32, bits).to_bits(),
        // The most negative number is −1 too. A sign alone has no magnitude.
        Num::Snorm => share_of(signed as f32, (bits - 1).max(1)).max(-1.0).to_bits(),
        Num::Srgb => LINEAR[raw as usize & 0xff].to_bits(),
        Num::Float => match bits {
            32 => raw,
            16 => soft::f32_from_f16(raw),
            11 => soft::f32_from_f16(raw << 4),
            _ => soft::f32_from_f16(raw << 5),
        },
        Num::SharedExponent | Num::Block(_) => 0,
    }
}

/// One component, from a register to memory.
#[inline(always)]
pub(super) fn reduce(num: Num, bits: u32, component: u32) -> u32 {
    let all = !0u32 >> (32 - bits);
    let top = (all >> 1) as i32;
    let x = f64::from(f32::from_bits(component));
    // Exact but for the one rounding: products have at most 24 + 16 bits. The sum with this number leaves the integer in the low bits;
    // NaN is zero.
    const ROUND: f64 = 1.5 * (1u64 << 52) as f64;
    let rounded = |x: f64| (x + ROUND).to_bits() as u32;
    let unsigned = |x: f64| rounded(x.max(0.0).min(f64::from(all)));
    let signed = |x: f64, least: i32| {
        let x = if x.is_nan() { 0.0 } else { x };
        rounded(x.max(f64::from(least)).min(f64::from(top))) & all
    };
    match num {
        Num::Uint => component.min(all),
        Num::Sint => (component as i32).clamp(-top - 1, top) as u32 & all,
        Num::Uscaled => unsigned(x),
        Num::Sscaled => signed(x, -top - 1),
        Num::Unorm => unsigned(x * f64::from(all)),
        Num::Snorm => signed(x * f64::from(top.max(1)), -top),
        Num::Srgb => unsigned(encoded(x) * f64::from(all)),
        Num::Float => match bits {
            32 => component,
            16 => soft::f16_from_f32(component),
            _ if x <= 0.0 => 0,
            11 => soft::narrow(x, F11, 0) & all,
            _ => soft::narrow(x, F10, 0) & all,
        },
        Num::SharedExponent | Num::Block(_) => 0,
    }
}

/// sRGB's transfer function, IEC 61966-2-1: a number in 0..=1, from light to its code.
fn encoded(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    if x <= 0.003_130_8 { x * 12.92 } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
}

/// The light of each 8-bit sRGB code.
static LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let x = code as f64 / 255.0;
        let light = if x <= 0.040_45 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) };
        light as f32
    })
});

/// Three floats to mantissas under the largest one's exponent, as the Vulkan specification defines it in "RGB to Shared
/// Exponent Conversion".
fn share(components: [u32; 4]) -> u32 {
    let top = f64::from((1 << SHARED_MANTISSA) - 1);
    // 2^16 · 511 / 512.
    let largest = top * 2f64.powi(31 - SHARED_BIAS - SHARED_MANTISSA);
    let [r, g, b] = [0, 1, 2].map(|i| {
        let x = f64::from(f32::from_bits(components[i]));
        if x > 0.0 { x.min(largest) } else { 0.0 }
    });
    let most = r.max(g).max(b);
    // Floor of the binary logarithm, from the exponent field; zero and what is smaller than 2^-16 take the least exponent.
    let log = ((most.to_bits() >> 52) as i32 - 1023).max(-SHARED_BIAS - 1);
    let mut exponent = log + 1 + SHARED_BIAS;
    let step = |exponent: i32| 2f64.powi(exponent - SHARED_BIAS - SHARED_MANTISSA);
    if (most / step(exponent) + 0.5).floor() > top {
        exponent += 1;
    }
    let mantissa = |x: f64| (x / step(exponent) + 0.5).floor() as u32;
    mantissa(r) | mantissa(g) << 9 | mantissa(b) << 18 | (exponent as u32) << 27
}
