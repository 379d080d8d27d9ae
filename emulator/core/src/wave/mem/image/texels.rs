//! Texels in guest memory: reading, converting and writing them, with the faults of addresses outside of every allocation.

use super::super::failed::Failed;
use super::view::{Texel, View};
use crate::memory::Region;
use crate::wave::env::{Env, TexelTouch};
use wavepipe_isa::format::{Block, Format, Num, TEXEL};

/// Access to one image on behalf of one instruction.
pub(super) struct Texels<'v, 'm, 'e> {
    pub view: &'v View,
    env: &'e mut Env<'m>,
    /// The region of the last access; the next is most often in it too.
    region: Option<&'m Region>,
    /// Lanes that touched unmapped memory.
    pub failed: Failed,
    /// The lane that is being served.
    pub lane: usize,
    /// 8_8_8_8_UNORM, the format that has a shorter way.
    plain: bool,
    /// sRGB texels stay as they are.
    pub skip_degamma: bool,
    /// The last compressed block: its address and its texels.
    block: Option<(u64, [[u32; 4]; 16])>,
}

impl<'v, 'm, 'e> Texels<'v, 'm, 'e> {
    pub fn new(view: &'v View, env: &'e mut Env<'m>) -> Self {
        let plain = view.format.is_some_and(|f| f.num == Num::Unorm && f.bits == [8; 4]);
        Texels { view, env, region: None, failed: Failed::default(), lane: 0, plain, skip_degamma: false, block: None }
    }

    /// Where `bytes` at `at` are; remembers the lane if they are nowhere.
    #[inline(always)]
    pub fn region(&mut self, at: u64, bytes: u32) -> Option<(&'m Region, u64)> {
        if let Some(texels) = &mut self.env.texels {
            texels.push(TexelTouch { at, value: [0; 4], lane: self.lane as u8, bytes: bytes as u8 });
        }
        if let Some(r) = self.region
            && let Some(off) = r.offset(at, bytes.into())
        {
            return Some((r, off));
        }
        match self.env.region(at, bytes.into()) {
            Some((r, off)) => {
                self.region = Some(r);
                Some((r, off))
            }
            None => {
                self.failed.wild(self.lane, at);
                None
            }
        }
    }

    /// As [`Texels::region`], to be written.
    #[inline(always)]
    fn writable(&mut self, at: u64, bytes: u32) -> Option<(&'m Region, u64)> {
        let (r, off) = self.region(at, bytes)?;
        if !r.is_writable() {
            self.failed.wild(self.lane, at);
            return None;
        }
        Some((r, off))
    }

    /// Reads an element's bytes; zeros where memory is not mapped.
    #[inline(always)]
    pub fn read(&mut self, t: Texel) -> [u8; TEXEL] {
        let mut out = [0; TEXEL];
        let bytes = self.view.element_bytes();
        if let Some((r, off)) = self.region(self.view.address(t), bytes) {
            let done = match bytes {
                1 => r.backing.load8(off).map(|v| out[0] = v),
                2 => r.backing.load16(off).map(|v| out[..2].copy_from_slice(&v.to_le_bytes())),
                4 => r.backing.load32(off).map(|v| out[..4].copy_from_slice(&v.to_le_bytes())),
                8 => r.backing.load64(off).map(|v| out[..8].copy_from_slice(&v.to_le_bytes())),
                n => r.backing.read(off, &mut out[..n as usize % (TEXEL + 1)]),
            };
            debug_assert!(done.is_some());
        }
        out
    }

    /// Notes what is written to the texel that was noted last.
    #[inline(always)]
    fn note(&mut self, value: impl FnOnce() -> [u32; 4]) {
        if let Some(touch) = self.env.texels.as_mut().and_then(|texels| texels.last_mut()) {
            touch.value = value();
        }
    }

    /// Writes an element's bytes.
    #[inline(always)]
    pub fn write(&mut self, t: Texel, data: &[u8; TEXEL]) {
        let bytes = self.view.element_bytes();
        if let Some((r, off)) = self.writable(self.view.address(t), bytes) {
            let word = u64::from_le_bytes([data[0], data[1], data[2], data[3], data[4], data[5], data[6], data[7]]);
            let done = match bytes {
                1 => r.backing.store8(off, word as u8),
                2 => r.backing.store16(off, word as u16),
                4 => r.backing.store32(off, word as u32),
                8 => r.backing.store64(off, word),
                n => r.backing.write(off, &data[..n as usize % (TEXEL + 1)]),
            };
            debug_assert!(done.is_some());
            self.note(|| std::array::from_fn(|n| u32::from_le_bytes(std::array::from_fn(|byte| data[4 * n + byte]))));
        }
    }

    /// Writes a texel's components, X first.
    #[inline(always)]
    pub fn put(&mut self, t: Texel, rgba: [u32; 4]) {
        let Some(format) = self.view.format else { return };
        if self.plain {
            let v = (0..4).fold(0, |v, i| v | unorm8(f32::from_bits(rgba[i])) << (8 * i));
            let at = self.view.address(t);
            let done = self.writable(at, 4).and_then(|(r, off)| r.backing.store32(off, v));
            debug_assert!(done.is_some() || self.failed.lanes != 0);
            self.note(|| [v, 0, 0, 0]);
            return;
        }
        self.write(t, &format.encode(rgba));
    }

    /// Components X, Y, Z, W of a texel, before DST_SEL.
    #[inline(always)]
    pub fn get(&mut self, t: Texel) -> [u32; 4] {
        if self.plain {
            let at = self.view.address(t);
            let v = self.region(at, 4).and_then(|(r, off)| r.backing.load32(off)).unwrap_or(0);
            return v.to_le_bytes().map(|b| UNORM8[usize::from(b)]);
        }
        self.convert(t)
    }

    #[inline(never)]
    fn convert(&mut self, t: Texel) -> [u32; 4] {
        let Some(format) = self.view.format else { return [0; 4] };
        if let Num::Block(kind) = format.num {
            return self.compressed(t, kind);
        }
        let bytes = self.read(t);
        if format.num == Num::Srgb && self.skip_degamma {
            return Format { num: Num::Unorm, ..*format }.decode(&bytes);
        }
        format.decode(&bytes)
    }

    fn compressed(&mut self, t: Texel, kind: Block) -> [u32; 4] {
        let at = self.view.address(t);
        let within = (t.y % 4 * 4 + t.x % 4) as usize;
        if let Some((have, texels)) = &self.block
            && *have == at
        {
            return texels[within];
        }
        let bytes = self.read(t);
        let texels = super::bc::decode(kind, &bytes, self.skip_degamma);
        let out = texels[within];
        self.block = Some((at, texels));
        out
    }

    /// Atomic on a texel of 4 or 8 bytes: the value before.
    pub fn atomic(&mut self, t: Texel, f: impl FnOnce(&Region, u64) -> Option<u64>) -> u64 {
        let bytes = self.view.element_bytes();
        self.writable(self.view.address(t), bytes).and_then(|(r, off)| f(r, off)).unwrap_or(0)
    }

    /// The border colour table's entry at `at`; zeros where it is not mapped.
    pub fn border(&mut self, at: u64) -> [u32; 4] {
        self.region(at, 16).and_then(|(r, off)| r.backing.load_dwords::<4>(off)).unwrap_or([0; 4])
    }
}

/// n / 255 as f32 bits.
pub static UNORM8: [u32; 256] = {
    let mut table = [0; 256];
    let mut n = 0;
    while n < 256 {
        table[n] = (n as f32 / 255.0).to_bits();
        n += 1;
    }
    table
};

/// The nearest of 0..=255 to 255 · v, ties to even; NaN is 0.
#[inline(always)]
pub fn unorm8(v: f32) -> u32 {
    // The product is exact in f64, and the sum with 2^52 rounds it to an integer in the low bits.
    let v = f64::from(v.max(0.0).min(1.0)) * 255.0 + 2f64.powi(52);
    v.to_bits() as u32
}
