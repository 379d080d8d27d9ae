//! What image tests share: programs around one image instruction, images in memory, texel formats written out plainly.
#![allow(dead_code)]

pub mod kind;
pub mod lone;
pub mod rays;
pub mod reference;
pub(crate) use crate::witness;

use crate::split_mix;

use crate::wave::{Bed, assemble};
use std::sync::Arc;
use wavepipe_core::wave::{Outcome, Probe, Silent, WaveFault};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::{ImageDescriptor, SamplerDescriptor};
use wavepipe_isa::{Gen, asm};

/// The state.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u32 {
        (split_mix::split_mix(&mut self.0) >> 32) as u32
    }
    pub fn below(&mut self, n: u32) -> u32 {
        (u64::from(self.next()) * u64::from(n) >> 32) as u32
    }
    pub fn range(&mut self, lo: f32, hi: f32) -> f32 {
        lo + (hi - lo) * (self.next() >> 8) as f32 / (1 << 24) as f32
    }
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }
}

/// Registers of the instruction under test: addresses from v1 on, data from v40 on.
pub const DATA: u32 = 40;
pub const DATA_REGISTERS: u32 = 5;
const ADDRESSES: u32 = 14;
const ENDPGM: u32 = 0xbf81_0000;
/// Where inputs are in the bed's data: T#, S#, then a row of 64 dwords per register.
const ROWS: u64 = 0x400;

pub const DIMS: [&str; 8] = ["1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"];

/// One image instruction as text: mnemonic, number of addresses, data registers.
#[derive(Clone, Debug)]
pub struct Op {
    pub name: String,
    pub dim: usize,
    pub addresses: u32,
    pub data: u32,
    pub dmask: u32,
    pub sampler: bool,
    /// Further modifiers.
    pub flags: String,
    /// Addresses in registers out of order.
    pub nsa: bool,
}

impl Op {
    /// An operation without a sampler, its data as many registers as DMASK, D16 and TFE make.
    pub fn plain(name: &str, dim: usize, addresses: u32, dmask: u32, flags: &str) -> Op {
        let data = dmask.count_ones().max(1);
        let d16 = flags.contains("d16");
        let data = if d16 { data.div_ceil(2) } else { data } + u32::from(flags.contains("tfe"));
        Op { name: name.into(), dim, addresses, data, dmask, sampler: false, flags: flags.into(), nsa: false }
    }

    /// The register of address `k`: 1, 2, 3 … or a stride through them.
    pub fn register(&self, k: u32) -> u32 {
        if self.nsa { 1 + k * 5 % 13 } else { 1 + k }
    }

    fn text(&self) -> String {
        let list: Vec<String> = (0..self.addresses).map(|k| format!("v{}", self.register(k))).collect();
        let address = match (self.addresses, self.nsa) {
            (1, _) => list[0].clone(),
            (n, false) => format!("v[1:{n}]"),
            _ => format!("[{}]", list.join(", ")),
        };
        let data = match self.data {
            1 => format!("v{DATA}"),
            n => format!("v[{DATA}:{}]", DATA + n - 1),
        };
        let sampler = if self.sampler { ", s[16:19]" } else { "" };
        let (name, dim, dmask) = (&self.name, DIMS[self.dim], self.dmask);
        format!("{name} {data}, {address}, s[8:15]{sampler} dmask:{dmask:#x} dim:SQ_RSRC_IMG_{dim} {}", self.flags)
    }
}

/// Programs that load descriptors and registers, run one image instruction and end.
pub struct Programs {
    pub words: Vec<Vec<u32>>,
}

impl Programs {
    /// By LLVM's assembler; `None` without it.
    pub fn new(ops: &[Op], wave: WaveSize) -> Option<Programs> {
        let all = assemble(&Programs::text(ops, wave), wave)?;
        let words: Vec<Vec<u32>> = all.split_inclusive(|&w| w == ENDPGM).map(<[u32]>::to_vec).collect();
        assert_eq!(words.len(), ops.len());
        Some(Programs { words })
    }

    /// By the house's.
    pub fn by_house(ops: &[Op], wave: WaveSize) -> Programs {
        let one = |op: &Op| {
            let text = Programs::text(std::slice::from_ref(op), wave);
            asm::assemble(&text, Gen::Gfx1010, wave.lanes()).unwrap_or_else(|e| panic!("{e}\n{text}"))
        };
        Programs { words: ops.iter().map(one).collect() }
    }

    fn text(ops: &[Op], wave: WaveSize) -> String {
        let mut text = String::new();
        for op in ops {
            text += "s_load_dwordx8 s[8:15], s[0:1], 0x0\ns_load_dwordx4 s[16:19], s[0:1], 0x20\n";
            text += "v_lshlrev_b32_e32 v60, 2, v0\n";
            for r in (1..=ADDRESSES).chain(DATA..DATA + DATA_REGISTERS) {
                text += &format!("v_add_nc_u32_e32 v61, {:#x}, v60\n", ROWS + 256 * u64::from(r));
                text += &format!("global_load_dword v{r}, v61, s[0:1]\n");
            }
            text += "s_load_dwordx2 s[20:21], s[0:1], 0x30\n";
            text += "s_waitcnt vmcnt(0) lgkmcnt(0)\n";
            text += match wave {
                WaveSize::W32 => "s_mov_b32 exec_lo, s20\n",
                WaveSize::W64 => "s_mov_b64 exec, s[20:21]\n",
            };
            text += &op.text();
            text += "\ns_endpgm\n";
        }
        text
    }
}

/// A bed with memory for one image, and the code of many programs.
pub struct ImageBed {
    pub bed: Bed,
    pub image: u64,
    pub image_bytes: u64,
    pub lanes: usize,
    code: Vec<u64>,
}

impl ImageBed {
    pub fn new(wave: WaveSize, programs: &Programs, image_bytes: u64) -> ImageBed {
        let lanes = wave.lanes() as usize;
        let mut bed = Bed::new(wave, [lanes as u32, 1, 1]);
        let image = bed.memory.allocate(image_bytes, "image").unwrap().va;
        let map = |bed: &Bed| bed.map();
        let mut code = Vec::new();
        for words in &programs.words {
            let va = bed.memory.allocate(4 * words.len() as u64 + 64, "code").unwrap().va;
            for (i, &w) in words.iter().enumerate() {
                map(&bed).store32(va + 4 * i as u64, w).unwrap();
            }
            code.push(va);
        }
        bed.launch.border_colors = bed.data + 0x8000;
        ImageBed { bed, image, image_bytes, lanes, code }
    }

    pub fn descriptors(&self, t: &ImageDescriptor, s: &SamplerDescriptor) {
        let map = self.bed.map();
        let words = t.to_words(Gen::Gfx1010).into_iter().chain(s.to_words(Gen::Gfx1010));
        for (i, w) in words.enumerate() {
            map.store32(self.bed.data + 4 * i as u64, w).unwrap();
        }
    }

    pub fn exec(&self, mask: u64) {
        self.bed.map().store64(self.bed.data + 0x30, mask).unwrap();
    }

    pub fn set(&self, register: u32, lane: usize, v: u32) {
        let at = self.bed.data + ROWS + 256 * u64::from(register) + 4 * lane as u64;
        self.bed.map().store32(at, v).unwrap();
    }

    pub fn run(&mut self, program: usize) -> Result<(), Box<WaveFault>> {
        self.run_with(program, &mut Silent)
    }

    /// As [`ImageBed::run`], shown to a probe.
    pub fn run_with(&mut self, program: usize, probe: &mut impl Probe) -> Result<(), Box<WaveFault>> {
        self.bed.launch.code_va = self.code[program];
        let launch = Arc::new(self.bed.launch.clone());
        self.bed.group.start(&launch, [0; 3], 0);
        match self.bed.group.run_with(&self.bed.memory.snapshot(), &self.bed.cache, 1_000_000, probe) {
            Outcome::Done => Ok(()),
            Outcome::Budget => panic!("never ends"),
            Outcome::Fault(f) => Err(f),
        }
    }

    /// Data register `k` of a lane.
    pub fn out(&self, k: u32, lane: usize) -> u32 {
        self.bed.group.wave(0).unwrap().vgpr(DATA + k, lane as u32)
    }

    pub fn bytes(&self, at: u64, n: usize) -> Vec<u8> {
        let mut v = vec![0; n];
        self.bed.map().read(at, &mut v).unwrap();
        v
    }

    pub fn put(&self, at: u64, bytes: &[u8]) {
        self.bed.map().write(at, bytes).unwrap();
    }
}

/// How a test format stores a component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stored {
    Unorm8,
    Snorm8,
    Srgb8,
    Unorm16,
    Float16,
    Float32,
    Uint32,
    Uint8,
    Sint16,
}

/// A format of the tests: T# number, components, how they are stored. Numbers by the RDNA 1 ISA document's table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TestFormat {
    pub number: u16,
    pub components: usize,
    pub stored: Stored,
}

pub const FORMATS: &[TestFormat] = &[
    TestFormat { number: 56, components: 4, stored: Stored::Unorm8 },
    TestFormat { number: 14, components: 2, stored: Stored::Unorm8 },
    TestFormat { number: 1, components: 1, stored: Stored::Unorm8 },
    TestFormat { number: 57, components: 4, stored: Stored::Snorm8 },
    TestFormat { number: 130, components: 4, stored: Stored::Srgb8 },
    TestFormat { number: 7, components: 1, stored: Stored::Unorm16 },
    TestFormat { number: 65, components: 4, stored: Stored::Unorm16 },
    TestFormat { number: 71, components: 4, stored: Stored::Float16 },
    TestFormat { number: 22, components: 1, stored: Stored::Float32 },
    TestFormat { number: 74, components: 3, stored: Stored::Float32 },
    TestFormat { number: 77, components: 4, stored: Stored::Float32 },
    TestFormat { number: 20, components: 1, stored: Stored::Uint32 },
    TestFormat { number: 62, components: 2, stored: Stored::Uint32 },
    TestFormat { number: 60, components: 4, stored: Stored::Uint8 },
    TestFormat { number: 28, components: 2, stored: Stored::Sint16 },
];

impl TestFormat {
    pub fn component_bytes(&self) -> usize {
        match self.stored {
            Stored::Unorm8 | Stored::Snorm8 | Stored::Srgb8 | Stored::Uint8 => 1,
            Stored::Unorm16 | Stored::Float16 | Stored::Sint16 => 2,
            Stored::Float32 | Stored::Uint32 => 4,
        }
    }

    pub fn bytes(&self) -> usize {
        self.components * self.component_bytes()
    }

    pub fn integer(&self) -> bool {
        matches!(self.stored, Stored::Uint32 | Stored::Uint8 | Stored::Sint16)
    }

    /// Random bytes of a texel; floats are moderate numbers.
    pub fn random(&self, rng: &mut Rng) -> Vec<u8> {
        let mut out = Vec::new();
        for _ in 0..self.components {
            let bits = rng.next();
            match self.stored {
                Stored::Float32 => out.extend(rng.range(-4.0, 4.0).to_le_bytes()),
                // Exponents 8..24 of 31: 2^-7 to 2^8.
                Stored::Float16 => out.extend(((bits & 0x83ff | (8 + (bits >> 16) % 16) << 10) as u16).to_le_bytes()),
                _ => out.extend(&bits.to_le_bytes()[..self.component_bytes()]),
            }
        }
        out
    }

    /// Components as numbers: 0, 0, 0, 1 for those absent. `srgb` decodes sRGB.
    pub fn values(&self, bytes: &[u8], srgb: bool) -> [f64; 4] {
        let mut out = [0.0, 0.0, 0.0, 1.0];
        let n = self.component_bytes();
        for (c, out) in out.iter_mut().enumerate().take(self.components) {
            let b = &bytes[c * n..(c + 1) * n];
            let raw = b.iter().rev().fold(0u32, |v, &b| v << 8 | u32::from(b));
            *out = match self.stored {
                Stored::Unorm8 => f64::from(raw) / 255.0,
                Stored::Unorm16 => f64::from(raw) / 65535.0,
                Stored::Snorm8 => (f64::from(raw as u8 as i8) / 127.0).max(-1.0),
                Stored::Srgb8 => {
                    let v = f64::from(raw) / 255.0;
                    match () {
                        _ if c == 3 || !srgb => v,
                        _ if v <= 0.04045 => v / 12.92,
                        _ => ((v + 0.055) / 1.055).powf(2.4),
                    }
                }
                Stored::Float16 => {
                    let (s, e, f) = (raw >> 15, raw >> 10 & 31, raw & 0x3ff);
                    let v = f64::from(0x400 + f) * 2f64.powi(e as i32 - 25);
                    if s != 0 { -v } else { v }
                }
                Stored::Float32 => f32::from_bits(raw).into(),
                Stored::Uint32 | Stored::Uint8 => raw.into(),
                Stored::Sint16 => f64::from(raw as u16 as i16),
            };
        }
        out
    }
}

/// f16 bits of a number that f16 holds exactly.
pub fn half(v: f32) -> u32 {
    if v == 0.0 {
        return if v.is_sign_negative() { 0x8000 } else { 0 };
    }
    let bits = v.to_bits();
    let exponent = (bits >> 23 & 0xff) as i32 - 127;
    assert!((-14..16).contains(&exponent) && bits & 0x1fff == 0, "{v} is no f16");
    bits >> 16 & 0x8000 | ((exponent + 15) as u32) << 10 | bits >> 13 & 0x3ff
}

/// A number near `v` that f16 holds.
pub fn to_half(v: f32) -> f32 {
    if v.abs() < 1.0 / 4096.0 { 0.0 } else { f32::from_bits(v.to_bits() & !0x1fff) }
}

/// The value of f16 bits, normal numbers and zero.
pub fn from_half(v: u32) -> f32 {
    let f = TestFormat { number: 0, components: 1, stored: Stored::Float16 };
    if v & 0x7fff == 0 { 0.0 } else { f.values(&(v as u16).to_le_bytes(), false)[0] as f32 }
}

/// Where texel (x, y) of a level and slice is from a linear surface's start: levels from the smallest to the largest in
/// each slice, rows padded to 256 bytes. Widths and heights of levels round up here, unlike those that coordinates see.
pub fn linear_offset(size: [u32; 2], levels: u32, bytes: u32, at: [u32; 4]) -> u64 {
    let [x, y, slice, level] = at.map(u64::from);
    let mut here = 0;
    let mut slice_bytes = 0;
    let mut row = 0;
    for n in (0..levels).rev() {
        let up = |v: u32| u64::from(v.div_ceil(1 << n));
        let pitch = (up(size[0]) * u64::from(bytes)).div_ceil(256) * 256;
        if u64::from(n) == level {
            (here, row) = (slice_bytes, pitch);
        }
        slice_bytes += pitch * up(size[1]);
    }
    slice * slice_bytes + here + y * row + x * u64::from(bytes)
}
