//! What the tests of memory instructions share: one instruction on one wave, with everything around it set up and read back
//! by instructions that other tests have proved.
#![allow(dead_code)]

pub(crate) use crate::witness;

use crate::split_mix;

use crate::wave::Bed;
use std::sync::Arc;
use wavepipe_core::OutOfLds;
use wavepipe_core::wave::{Device, WaveFault, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::{Gen, asm};

/// The state.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        split_mix::split_mix(&mut self.0)
    }

    pub fn below(&mut self, n: u32) -> u32 {
        (self.next() >> 32) as u32 % n
    }

    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }

    /// A word that is often interesting as an integer or a float.
    pub fn word(&mut self) -> u32 {
        const SPECIAL: [u32; 12] = [
            0,
            1,
            2,
            !0,
            1 << 31,
            0x7fff_ffff,
            0x3f80_0000,
            0xbf80_0000,
            0x7fc0_0000,
            0x7f80_0000,
            0x0000_ffff,
            0x0040_0000,
        ];
        match self.below(4) {
            0 => self.pick(&SPECIAL),
            1 => self.below(300),
            2 => (self.below(2000) as f32 / 64.0 - 8.0).to_bits(),
            _ => self.next() as u32,
        }
    }

    /// A mask of lanes: all, none, or any.
    pub fn lanes(&mut self) -> u64 {
        match self.below(8) {
            0..=2 => !0,
            3 => 0,
            4 => 1 << self.below(64),
            _ => self.next(),
        }
    }
}

/// First register that a case may name, and how many it may.
pub const FIRST: usize = 4;
pub const REGISTERS: usize = 24;

/// A wave before and after one instruction. v4..v23 and s4..s23 are the case's; v0..v3 and s0..s3 are not.
#[derive(Clone, Debug)]
pub struct Case {
    pub size: WaveSize,
    pub exec: u64,
    pub m0: u32,
    /// v4 and up, lane by lane.
    pub v: Vec<[u32; 64]>,
    /// s4 and up.
    pub s: Vec<u32>,
    /// Dwords of LDS.
    pub lds: Vec<u32>,
    /// Dwords of GDS, from its first.
    pub gds: Vec<u32>,
    pub policy: OutOfLds,
}

impl Case {
    pub fn new(size: WaveSize, r: &mut Random) -> Case {
        let lanes = size.lanes();
        Case {
            size,
            exec: if lanes == 64 { r.lanes() } else { r.lanes() & 0xffff_ffff },
            m0: r.next() as u32,
            v: (0..REGISTERS).map(|_| std::array::from_fn(|_| r.word())).collect(),
            s: (0..REGISTERS).map(|_| r.word()).collect(),
            lds: Vec::new(),
            gds: Vec::new(),
            policy: OutOfLds::Fault,
        }
    }

    pub fn lanes(&self) -> usize {
        self.size.lanes() as usize
    }

    pub fn live(&self) -> impl Iterator<Item = usize> + use<> {
        let exec = self.exec;
        (0..self.lanes()).filter(move |l| exec >> l & 1 != 0)
    }

    /// v`n` of a lane.
    pub fn vgpr(&mut self, n: usize, lane: usize) -> &mut u32 {
        &mut self.v[n - FIRST][lane]
    }

    pub fn sgpr(&mut self, n: usize) -> &mut u32 {
        &mut self.s[n - FIRST]
    }

    /// Runs `text` and gives the state after it. `prepare` may allocate and fill memory; what it returns is given back to the
    /// reader of memory afterwards.
    pub fn run(&self, b: &mut Bed, text: &str) -> Result<Case, Box<WaveFault>> {
        let lanes = self.lanes();
        b.group = WorkGroup::on(Arc::new(Device { out_of_lds: self.policy, ..Device::default() }));
        b.launch.wave = self.size;
        b.launch.workgroup = [lanes as u32, 1, 1];
        b.launch.vgprs = 32;
        b.launch.lds_bytes = 4 * self.lds.len() as u32;
        let map = b.map();
        // The image in memory: registers, then LDS, then GDS; written back to the same places.
        let put = |at: usize, word: u32| map.store32(b.data + 4 * at as u64, word).unwrap();
        for (n, row) in self.v.iter().enumerate() {
            (0..lanes).for_each(|l| put(n * lanes + l, row[l]));
        }
        let scalars = REGISTERS * lanes;
        (0..REGISTERS).for_each(|n| put(scalars + n, self.s[n]));
        let shares = scalars + 64;
        for (i, &word) in self.lds.iter().chain(&self.gds).enumerate() {
            put(shares + i, word);
        }
        let rows = |words: usize| words.div_ceil(lanes);
        let mut program = String::from("v_lshlrev_b32 v1, 2, v0\n s_mov_b64 s[2:3], s[0:1]\n");
        let at = |word: usize| format!("s_add_u32 s0, s2, 0x{:x}\n s_addc_u32 s1, s3, 0\n", 4 * word);
        let share = |load: bool| {
            let mut text = String::new();
            for (words, first, gds) in [(self.lds.len(), 0, ""), (self.gds.len(), self.lds.len(), " gds")] {
                if words > 0 {
                    text += "s_mov_b32 m0, 0xffff\n";
                }
                for row in 0..rows(words) {
                    text += &at(shares + first + row * lanes);
                    let offset = 4 * row * lanes;
                    text += &match load {
                        true => {
                            format!("global_load_dword v2, v1, s[0:1]\n ds_write_b32 v1, v2 offset:{offset}{gds}\n")
                        }
                        false => {
                            format!("ds_read_b32 v2, v1 offset:{offset}{gds}\n global_store_dword v1, v2, s[0:1]\n")
                        }
                    };
                }
            }
            text
        };
        program += &share(true);
        for n in 0..REGISTERS {
            program += &at(n * lanes);
            program += &format!("global_load_dword v{}, v1, s[0:1]\n", FIRST + n);
        }
        program += &at(scalars);
        for n in 0..REGISTERS {
            program += &format!("s_load_dword s{}, s[0:1], 0x{:x}\n", FIRST + n, 4 * n);
        }
        program += &format!("s_mov_b32 m0, 0x{:x}\n", self.m0);
        program +=
            &format!("s_mov_b32 exec_lo, 0x{:x}\n s_mov_b32 exec_hi, 0x{:x}\n", self.exec as u32, self.exec >> 32);
        program += text;
        program += "\n s_mov_b32 exec_lo, -1\n s_mov_b32 exec_hi, -1\n";
        program += &share(false);
        program += "s_endpgm";
        let words = asm::assemble(&program, Gen::Gfx1010, lanes as u32);
        b.start(&words.unwrap_or_else(|e| panic!("{e:?}\n{text}")));
        b.run()?;
        let mut after = self.clone();
        let w = b.group.wave(0).unwrap();
        for (n, row) in after.v.iter_mut().enumerate() {
            (0..lanes).for_each(|l| row[l] = w.vgpr((FIRST + n) as u32, l as u32));
        }
        for (n, s) in after.s.iter_mut().enumerate() {
            *s = w.sgpr((FIRST + n) as u32);
        }
        let get = |i: usize| map.load32(b.data + 4 * (shares + i) as u64).unwrap();
        let lds = after.lds.len();
        after.lds.iter_mut().enumerate().for_each(|(i, word)| *word = get(i));
        after.gds.iter_mut().enumerate().for_each(|(i, word)| *word = get(lds + i));
        Ok(after)
    }

    /// Says where two states differ.
    pub fn compare(&self, want: &Case, text: &str) {
        for n in 0..REGISTERS {
            for lane in 0..self.lanes() {
                let (got, want) = (self.v[n][lane], want.v[n][lane]);
                assert_eq!(got, want, "{text}: v{} lane {lane}: {got:#x}, want {want:#x}", FIRST + n);
            }
            assert_eq!(self.s[n], want.s[n], "{text}: s{}", FIRST + n);
        }
        for (name, got, want) in [("LDS", &self.lds, &want.lds), ("GDS", &self.gds, &want.gds)] {
            for (i, (got, want)) in got.iter().zip(want).enumerate() {
                assert_eq!(got, want, "{text}: {name} at {:#x}: {got:#x}, want {want:#x}", 4 * i);
            }
        }
    }
}

/// Little-endian access to dwords as bytes.
pub fn byte(words: &[u32], at: usize) -> u8 {
    (words[at / 4] >> (8 * (at % 4))) as u8
}

pub fn set_byte(words: &mut [u32], at: usize, v: u8) {
    let shift = 8 * (at % 4);
    words[at / 4] = words[at / 4] & !(0xff << shift) | u32::from(v) << shift;
}

pub fn load(words: &[u32], at: usize, bytes: usize) -> u64 {
    (0..bytes).map(|i| u64::from(byte(words, at + i)) << (8 * i)).sum()
}

pub fn store(words: &mut [u32], at: usize, bytes: usize, v: u64) {
    (0..bytes).for_each(|i| set_byte(words, at + i, (v >> (8 * i)) as u8));
}

/// What an atomic leaves, written from the manuals' texts in wide arithmetic: `bits` 32 or 64, `a` and `b` its operands in
/// their order.
pub fn atomic(name: &str, bits: u32, old: u64, a: u64, b: u64) -> u64 {
    let modulus = 1u128 << bits;
    let (m, x, y) = (u128::from(old), u128::from(a), u128::from(b));
    let signed = |v: u128| if v >> (bits - 1) != 0 { v as i128 - modulus as i128 } else { v as i128 };
    let float = |v: u128| match bits {
        32 => f64::from(f32::from_bits(v as u32)),
        _ => f64::from_bits(v as u64),
    };
    let out = match name {
        "swap" => x,
        "add" => (m + x) % modulus,
        "sub" => (m + modulus - x) % modulus,
        "rsub" => (x + modulus - m) % modulus,
        "inc" => {
            if m >= x {
                0
            } else {
                m + 1
            }
        }
        "dec" => {
            if m == 0 || m > x {
                x
            } else {
                m - 1
            }
        }
        "smin" => {
            if signed(x) < signed(m) {
                x
            } else {
                m
            }
        }
        "smax" => {
            if signed(x) > signed(m) {
                x
            } else {
                m
            }
        }
        "umin" => m.min(x),
        "umax" => m.max(x),
        "and" => m & x,
        "or" => m | x,
        "xor" => m ^ x,
        "mskor" => m & !x | y,
        "wrap" => {
            if m >= x {
                m - x
            } else {
                (m + y) % modulus
            }
        }
        // The order of comparand and data is the caller's.
        "cmpswap" => {
            if m == y {
                x
            } else {
                m
            }
        }
        "fcmpswap" => {
            if float(m) == float(y) {
                x
            } else {
                m
            }
        }
        "fmin" => {
            if float(m).is_nan() || float(x) < float(m) {
                x
            } else {
                m
            }
        }
        "fmax" => {
            if float(m).is_nan() || float(x) > float(m) {
                x
            } else {
                m
            }
        }
        "fadd" => {
            // A sum of two f32 rounded to f64 and then to f32 is rounded right.
            let sum = float(m) + float(x);
            if bits == 32 { u128::from((sum as f32).to_bits()) } else { u128::from(sum.to_bits()) }
        }
        "condxchg" => {
            let half = |i: u32| {
                let (m, x) = (m >> (32 * i) & 0xffff_ffff, x >> (32 * i) & 0xffff_ffff);
                (if x >> 31 != 0 { x & 0x7fff_ffff } else { m }) << (32 * i)
            };
            half(0) | half(1)
        }
        _ => panic!("{name}"),
    };
    (out % modulus) as u64
}
