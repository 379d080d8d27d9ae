//! Random values that are often on an edge of their type.

use crate::split_mix;

/// The state.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        split_mix::split_mix(&mut self.0)
    }
    pub fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }
    pub fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(n)) >> 32) as u32
    }
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// f32: zeros, denormals, the normal range's ends, ones, halves, integers, ∞, NaNs with payloads, anything.
    pub fn f32(&mut self) -> u32 {
        const EDGES: [u32; 24] = [
            0,
            1,
            0x7f_ffff,
            0x40_0000,
            0x80_0000,
            0x80_0001,
            0x3f80_0000,
            0x3f7f_ffff,
            0x3f80_0001,
            0x3f00_0000,
            0x3eff_ffff,
            0x4000_0000,
            0x4b00_0000,
            0x4b00_0001,
            0x4aff_ffff,
            0x4f00_0000,
            0x4f7f_ffff,
            0x477f_e000,
            0x477f_f000,
            0x3380_0000,
            0x7f7f_ffff,
            0x7f80_0000,
            0x7fc0_0000,
            0x7f80_0001,
        ];
        let sign = self.word() & 0x8000_0000;
        sign | match self.below(6) {
            0 | 1 => self.pick(&EDGES),
            2 => (self.below(2048) as f32 / 16.0).to_bits(),
            3 => 0x3f80_0000_u32.wrapping_add_signed((self.below(64) as i32 - 32) << 23) ^ self.word() & 0x7f_ffff,
            4 => self.word() & 0x7f_ffff,
            _ => self.word() & 0x7fff_ffff,
        }
    }

    pub fn f16(&mut self) -> u16 {
        const EDGES: [u16; 20] = [
            0, 1, 0x3ff, 0x200, 0x400, 0x401, 0x3c00, 0x3bff, 0x3c01, 0x3800, 0x37ff, 0x4000, 0x6400, 0x6401, 0x63ff,
            0x7bff, 0x7c00, 0x7e00, 0x7c01, 0x5bf8,
        ];
        let sign = self.word() as u16 & 0x8000;
        sign | match self.below(4) {
            0 | 1 => self.pick(&EDGES),
            2 => 0x3000 + self.word() as u16 % 0x1800,
            _ => self.word() as u16 & 0x7fff,
        }
    }

    pub fn f64(&mut self) -> u64 {
        const EDGES: [u64; 22] = [
            0,
            1,
            0xf_ffff_ffff_ffff,
            0x10_0000_0000_0000,
            0x3ff0_0000_0000_0000,
            0x3fef_ffff_ffff_ffff,
            0x3fe0_0000_0000_0000,
            0x4330_0000_0000_0001,
            0x41df_ffff_ffc0_0000,
            0x41ef_ffff_ffe0_0000,
            0x41f0_0000_0000_0000,
            0x7fef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0x7ff8_0000_0000_0000,
            0x7ff0_0000_0000_0001,
            0x36a0_0000_0000_0000,
            0x3810_0000_0000_0000,
            0x380f_ffff_ffff_ffff,
            0x47ef_ffff_f000_0000,
            0x3cb0_0000_0000_0000,
            0x8_0000_0000_0000,
            0x7fd0_0000_0000_0001,
        ];
        let sign = self.next() & 1 << 63;
        sign | match self.below(5) {
            0 | 1 => self.pick(&EDGES),
            2 => (f64::from(self.below(4096)) / 32.0).to_bits(),
            3 => (0x3ff - 40 + u64::from(self.below(80))) << 52 | self.next() & 0xf_ffff_ffff_ffff,
            _ => self.next() >> 1,
        }
    }

    pub fn integer(&mut self) -> u32 {
        const EDGES: [u32; 14] = [
            0,
            1,
            !0,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0xffff,
            0x7fff,
            0x8000,
            0xffff_8000,
            0xff_ffff,
            0x80_0000,
            0x7f_ffff,
            0x7fff_8000,
        ];
        match self.below(4) {
            0 => self.pick(&EDGES),
            1 => self.below(80),
            2 => 1 << self.below(32),
            _ => self.word(),
        }
    }

    pub fn any(&mut self) -> u32 {
        match self.below(4) {
            0 => self.f32(),
            1 => u32::from(self.f16()) | u32::from(self.f16()) << 16,
            2 => self.integer(),
            _ => self.word(),
        }
    }

    /// Live lanes: all, none, one, few, some, most.
    pub fn exec(&mut self) -> u64 {
        match self.below(10) {
            0..=2 => !0,
            3 => 0,
            4 => 1 << self.below(64),
            5 => self.next() & self.next() & self.next(),
            6 => self.next() | self.next(),
            7 => 0xffff_ffff << (32 * self.below(2)),
            _ => self.next(),
        }
    }
}
