//! The conversion of [`super::convert`] for 32 texels at once: its bodies, in loops over lanes that know the format.
//!
//! Texels and components stand here as rows of lanes: dword or component first, then the lane. Formats whose components are no fields of a
//! dword are converted lane by lane.

use super::convert::{TEXEL, expand, reduce};
use super::{Format, Num};
use crate::alu::soft;

pub use crate::alu::Lanes;

/// A lane's dword from its dword in another row; a loop, since `map` of an array is a call.
#[inline(always)]
fn each(from: &Lanes, f: impl Fn(u32) -> u32) -> Lanes {
    let mut out = Lanes::ZERO;
    for (out, &v) in out.iter_mut().zip(from.iter()) {
        *out = f(v);
    }
    out
}

impl Format {
    /// Whether each component is a field of one of the texel's dwords.
    #[inline(always)]
    fn has_fields(&self) -> bool {
        !matches!(self.num, Num::SharedExponent | Num::Block(_))
    }

    /// What component `c`, which is stored, means.
    #[inline(always)]
    fn meaning(&self, c: usize) -> Num {
        if self.num == Num::Srgb && c == 3 { Num::Unorm } else { self.num }
    }

    /// The dword that component `c` stands in, and from which bit on.
    #[inline(always)]
    fn field(&self, c: usize) -> (usize, u32) {
        let [x, y, z, _] = self.bits.map(u32::from);
        let at = [0, x, x + y, x + y + z][c & 3];
        (at as usize / 32 % 4, at % 32)
    }

    /// As [`Format::decode`], of 32 texels in `dwords`: components X, Y, Z, W of them, of which those that `wanted` has no bit for may
    /// stay as they are.
    #[inline(always)]
    pub fn decode_lanes(&self, dwords: &[Lanes; 4], wanted: u8, out: &mut [Lanes; 4]) {
        if !self.has_fields() {
            for lane in 0..32 {
                let mut texel = [0; TEXEL];
                for (to, from) in texel.chunks_exact_mut(4).zip(dwords) {
                    to.copy_from_slice(&from[lane].to_le_bytes());
                }
                let components = self.decode(&texel);
                out.iter_mut().zip(components).for_each(|(row, v)| row[lane] = v);
            }
            return;
        }
        for (c, out) in out.iter_mut().enumerate() {
            if wanted >> c & 1 == 0 {
                continue;
            }
            let bits = u32::from(self.bits[c]);
            let (n, low) = self.field(c);
            let all = !0u32 >> (32 - bits.max(1));
            let from = &dwords[n];
            *out = match (self.meaning(c), bits) {
                (_, 0) => Lanes::splat(if c == 3 { self.one() } else { 0 }),
                (_, 32) => *from,
                (Num::Uint, _) => each(from, |v| expand(Num::Uint, bits, v >> low & all)),
                (Num::Sint, _) => each(from, |v| expand(Num::Sint, bits, v >> low & all)),
                (Num::Uscaled, _) => each(from, |v| expand(Num::Uscaled, bits, v >> low & all)),
                (Num::Sscaled, _) => each(from, |v| expand(Num::Sscaled, bits, v >> low & all)),
                (Num::Unorm, _) => each(from, |v| expand(Num::Unorm, bits, v >> low & all)),
                (Num::Snorm, _) => each(from, |v| expand(Num::Snorm, bits, v >> low & all)),
                (Num::Srgb, _) => each(from, |v| expand(Num::Srgb, bits, v >> low & all)),
                (Num::Float, 16) => each(from, |v| expand(Num::Float, 16, v >> low & 0xffff)),
                (Num::Float, 11) => each(from, |v| expand(Num::Float, 11, v >> low & 0x7ff)),
                (Num::Float, _) => each(from, |v| expand(Num::Float, 10, v >> low & 0x3ff)),
                (Num::SharedExponent | Num::Block(_), _) => Lanes::ZERO,
            };
        }
    }

    /// As [`Format::encode`], of 32 texels: their dwords.
    #[inline(always)]
    pub fn encode_lanes(&self, components: &[Lanes; 4]) -> [Lanes; 4] {
        let mut out = [Lanes::ZERO; 4];
        if !self.has_fields() {
            for lane in 0..32 {
                let texel = self.encode([0, 1, 2, 3].map(|c| components[c][lane]));
                for (row, dword) in out.iter_mut().zip(texel.chunks_exact(4)) {
                    row[lane] = u32::from_le_bytes([dword[0], dword[1], dword[2], dword[3]]);
                }
            }
            return out;
        }
        for (c, from) in components.iter().enumerate() {
            if self.bits[c] == 0 {
                continue;
            }
            let bits = u32::from(self.bits[c]);
            let (n, low) = self.field(c);
            let field = match (self.meaning(c), bits) {
                (_, 32) => *from,
                (Num::Uint, _) => each(from, |v| reduce(Num::Uint, bits, v)),
                (Num::Sint, _) => each(from, |v| reduce(Num::Sint, bits, v)),
                (Num::Uscaled, _) => each(from, |v| reduce(Num::Uscaled, bits, v)),
                (Num::Sscaled, _) => each(from, |v| reduce(Num::Sscaled, bits, v)),
                (Num::Unorm, _) => each(from, |v| reduce(Num::Unorm, bits, v)),
                (Num::Snorm, _) => each(from, |v| reduce(Num::Snorm, bits, v)),
                (Num::Srgb, _) => each(from, |v| reduce(Num::Srgb, bits, v)),
                (Num::Float, 16) => each(from, |v| reduce(Num::Float, 16, v)),
                (Num::Float, 11) => each(from, |v| reduce(Num::Float, 11, v)),
                (Num::Float, _) => each(from, |v| reduce(Num::Float, 10, v)),
                (Num::SharedExponent | Num::Block(_), _) => Lanes::ZERO,
            };
            let row = &mut out[n];
            for (row, field) in row.iter_mut().zip(field.iter()) {
                *row |= field << low;
            }
        }
        out
    }

    /// As [`Format::narrow`], of 32 lanes.
    #[inline(always)]
    pub fn narrow_lanes(&self, component: &Lanes) -> Lanes {
        match self.num {
            Num::Uint => each(component, |v| Format::narrowed(Num::Uint, v).into()),
            Num::Sint => each(component, |v| Format::narrowed(Num::Sint, v).into()),
            _ => each(component, |v| Format::narrowed(Num::Float, v).into()),
        }
    }

    /// As [`Format::widen`], of the low 16 bits of 32 lanes.
    #[inline(always)]
    pub fn widen_lanes(&self, component: &Lanes) -> Lanes {
        match self.num {
            Num::Uint => each(component, |v| Format::widened(Num::Uint, v as u16)),
            Num::Sint => each(component, |v| Format::widened(Num::Sint, v as u16)),
            _ => each(component, |v| Format::widened(Num::Float, v as u16)),
        }
    }

    #[inline(always)]
    pub(super) fn narrowed(num: Num, component: u32) -> u16 {
        match num {
            Num::Uint => component.min(0xffff) as u16,
            Num::Sint => (component as i32).clamp(-0x8000, 0x7fff) as u16,
            _ => soft::f16_from_f32(component) as u16,
        }
    }

    #[inline(always)]
    pub(super) fn widened(num: Num, component: u16) -> u32 {
        match num {
            Num::Uint => component.into(),
            Num::Sint => i32::from(component as i16) as u32,
            _ => soft::f32_from_f16(component.into()),
        }
    }
}
