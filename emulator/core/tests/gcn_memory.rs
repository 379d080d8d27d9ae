//! Buffers and images of GCN's generations against plain models: range checks by use, swizzles by element size, 64-bit addresses,
//! images whose number of coordinates is their descriptor's.

use crate::wave::Bed;
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::{BufferDescriptor, Clamp, ImageDescriptor, ImageType, SamplerDescriptor};
use wavepipe_isa::{Gen, asm};

const GCN: [Gen; 3] = [Gen::Gfx600, Gen::Gfx701, Gen::Gfx900];
const LANES: u64 = 64;

struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as u32 % n
    }
    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }
}

/// A wave with these dwords in s[4:15], and memory of its own.
struct Lab {
    bed: Bed,
    memory: u64,
    bytes: u64,
}

impl Lab {
    fn new(isa: Gen, bytes: u64) -> Lab {
        let mut bed = Bed::new(WaveSize::W64, [LANES as u32, 1, 1]);
        let memory = bed.memory.allocate(bytes, "memory").unwrap().va;
        (bed.launch.isa, bed.launch.user_sgprs) = (isa, 16);
        Lab { bed, memory, bytes }
    }

    fn set(&mut self, first: usize, words: &[u32]) {
        self.bed.launch.user_data[first..first + words.len()].copy_from_slice(words);
    }

    fn run(&mut self, text: &str) {
        let isa = self.bed.launch.isa;
        let words = asm::assemble(&format!("{text}\ns_waitcnt 0\ns_endpgm"), isa, LANES as u32)
            .unwrap_or_else(|e| panic!("{isa:?} {text}: {e}"));
        self.bed.start(&words);
        self.bed.run().unwrap_or_else(|f| panic!("{isa:?} {text}: {f:?}"));
    }

    fn fill(&self, word: impl Fn(u64) -> u32) -> Vec<u8> {
        let map = self.bed.map();
        let words: Vec<u32> = (0..self.bytes / 4).map(word).collect();
        map.write(self.memory, bytemuck::cast_slice(&words)).unwrap();
        bytemuck::cast_slice(&words).to_vec()
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes as usize];
        self.bed.map().read(self.memory, &mut bytes).unwrap();
        bytes
    }
}

fn word(bytes: &[u8], at: u64, n: u64) -> u32 {
    (0..n).fold(0, |v, k| v | u32::from(bytes[(at + k) as usize]) << (8 * k))
}

/// The Vega document's "Buffer Addressing", and its older forms', for one lane.
struct Lane {
    d: BufferDescriptor,
    element: u64,
    idxen: bool,
    soffset: u64,
    index: u64,
    offset: u64,
}

impl Lane {
    fn at(&self, n: u64) -> u64 {
        let (offset, stride) = (self.offset + n, u64::from(self.d.stride));
        let inside = if self.d.swizzle_enable {
            let span = [8, 16, 32, 64][usize::from(self.d.index_stride)];
            let record = self.index / span * stride + offset / self.element * self.element;
            record * span + self.index % span * self.element + offset % self.element
        } else {
            self.index * stride + offset
        };
        self.d.base + self.soffset + inside
    }

    fn in_range(&self, from: u64, bytes: u64) -> bool {
        let records = u64::from(self.d.num_records);
        match () {
            _ if self.d.add_tid_enable && !self.idxen => true,
            _ if self.d.stride != 0 && (self.idxen || self.d.swizzle_enable) => self.index < records,
            _ => self.offset + from + bytes <= records.saturating_sub(self.soffset),
        }
    }
}

#[test]
fn buffers() {
    let mut r = Random(0x1234_5678_9abc_def1);
    let mut seen = [[0u32; 2]; 3];
    for isa in GCN {
        for _ in 0..400 {
            let mut lab = Lab::new(isa, 1 << 19);
            let before = lab.fill(|i| (i as u32).wrapping_mul(0x9e37_79b9));
            let swizzle_enable = r.below(2) == 0;
            // A generation without sizes of elements has dwords.
            let element_size = if isa == Gen::Gfx900 { 1 } else { r.pick(&[1, 1, 2, 3]) };
            let element = 2u64 << element_size;
            let d = BufferDescriptor {
                base: lab.memory + (1 << 18),
                stride: if r.below(3) == 0 { 0 } else { 16 * r.below(5) },
                swizzle_enable,
                num_records: r.pick(&[0, 8, 20, 33, 64, 200, 1000]),
                dst_sel: [4, 5, 6, 7],
                format: r.pick(&[20, 22, 56, 5]),
                element_size,
                index_stride: r.below(4) as u8,
                add_tid_enable: r.below(4) == 0,
                ..Default::default()
            };
            let (offen, idxen) = (r.below(2) == 0, r.below(2) == 0);
            let unit = element.max(4) as u32;
            let (imm, soffset) = (unit * r.below(4), unit * r.below(6));
            lab.set(4, &d.to_words(isa));
            // s8 SOFFSET; index = lane * s9 & s10, offset = lane * s11 & s12.
            let (a, am) = (r.below(4), r.pick(&[0, 7, 63]));
            let (b, bm) = (unit * r.below(3), r.pick(&[0, 0x3f, 0xff]) & !(unit - 1));
            lab.set(8, &[soffset, a, am, b, bm]);
            let (mnemonic, kind): (&str, char) = r.pick(&[
                ("buffer_load_dword v20", 'd'),
                ("buffer_load_dwordx2 v[20:21]", '2'),
                ("buffer_load_dwordx4 v[20:23]", '4'),
                ("buffer_load_ubyte v20", 'b'),
                ("buffer_load_sshort v20", 's'),
                ("buffer_load_format_x v20", 'x'),
                ("buffer_store_dword v20", 'w'),
                ("tbuffer_load_format_xy v[20:21]", 't'),
            ]);
            let dwords = match kind {
                '2' | 't' => 2,
                '4' => 4,
                _ => 1,
            };
            // Nothing larger than an element.
            if swizzle_enable && (4 * dwords) as u64 > element.max(4) && element > 4 || kind == 't' && swizzle_enable {
                continue;
            }
            // The wide stride of private memory is no typed access's; the format's bits are the stride's there.
            let long = isa == Gen::Gfx900 && d.add_tid_enable;
            if long && matches!(kind, 'x' | 't') {
                continue;
            }
            let address = match (idxen, offen) {
                (false, false) => "off",
                (true, true) => "v[4:5]",
                (true, false) => "v4",
                (false, true) => "v5",
            };
            let format = if kind == 't' { "format:[BUF_DATA_FORMAT_32_32,BUF_NUM_FORMAT_UINT]" } else { "" };
            let (idx, off) = (if idxen { "idxen" } else { "" }, if offen { "offen" } else { "" });
            let text = format!("{mnemonic}, {address}, s[4:7], s8 {format} {idx} {off} offset:{imm}");
            lab.run(&format!(
                "v_mul_u32_u24 v4, s9, v0\nv_and_b32 v4, s10, v4\nv_mul_u32_u24 v5, s11, v0\nv_and_b32 v5, s12, v5
                 v_mov_b32 v20, v0\nv_mov_b32 v21, -1\nv_mov_b32 v22, -1\nv_mov_b32 v23, -1\n{text}"
            ));
            let mut want_memory = before.clone();
            let got: Vec<Vec<u32>> = (0..dwords).map(|j| lab.bed.vgpr(20 + j)).collect();
            for lane in 0..LANES {
                let index = if idxen { lane * u64::from(a) & u64::from(am) } else { 0 };
                let offset = if offen { lane * u64::from(b) & u64::from(bm) } else { 0 };
                let l = Lane {
                    d,
                    element,
                    idxen,
                    soffset: soffset.into(),
                    index: index + if d.add_tid_enable { lane } else { 0 },
                    offset: offset + u64::from(imm),
                };
                let place = |n: u64| l.at(n) - lab.memory;
                let what = format!("{isa:?} {text} {d:?} a {a} {am:x} b {b} {bm:x} s {soffset} lane {lane}");
                let read = |n: u64, bytes: u64, all: u64| match l.in_range(if all == 0 { n } else { 0 }, all.max(bytes))
                {
                    true => word(&before, place(n), bytes),
                    false => 0,
                };
                seen[GCN.iter().position(|g| *g == isa).unwrap()][usize::from(l.in_range(0, 4))] += 1;
                let want: Vec<u32> = match kind {
                    'd' | '2' | '4' => (0..u64::from(dwords)).map(|j| read(4 * j, 4, 0)).collect(),
                    'b' => vec![read(0, 1, 0)],
                    's' => vec![read(0, 2, 0) as u16 as i16 as u32],
                    't' => (0..2).map(|j| read(4 * j, 4, 8)).collect(),
                    'x' => vec![
                        match d.format {
                            56 => (read(0, 4, 4) & 0xff) as f32 / 255.0,
                            5 => f32::from_bits(read(0, 1, 1)),
                            _ => f32::from_bits(read(0, 4, 4)),
                        }
                        .to_bits(),
                    ],
                    _ => {
                        if l.in_range(0, 4) {
                            let at = place(0) as usize;
                            want_memory[at..at + 4].copy_from_slice(&(lane as u32).to_le_bytes());
                        }
                        continue;
                    }
                };
                let got: Vec<u32> = got.iter().map(|row| row[lane as usize]).collect();
                assert_eq!(got, want, "{what}");
            }
            assert!(lab.bytes() == want_memory, "{isa:?} {text} {d:?}: memory");
        }
    }
    assert!(seen.iter().flatten().all(|&n| n > 1000), "{seen:?}");
}

/// Private memory as the driver describes it: each dword of a lane's beside its neighbours', and no range check.
#[test]
fn private_memory() {
    for isa in GCN {
        let mut lab = Lab::new(isa, 1 << 16);
        lab.fill(|_| 0);
        lab.set(4, &BufferDescriptor::private(lab.memory, 1 << 16, 64).to_words(isa));
        lab.set(8, &[1024]);
        lab.run("v_mov_b32 v5, 8\nbuffer_store_dword v0, v5, s[4:7], s8 offen offset:4");
        let bytes = lab.bytes();
        for lane in 0..LANES {
            // Dword 3 of a lane: a row of 64 dwords each.
            assert_eq!(word(&bytes, 1024 + 3 * 256 + 4 * lane, 4), lane as u32, "{isa:?}");
        }
        assert_eq!(bytes.iter().filter(|b| **b != 0).count(), 63);
    }
}

/// LLVM's V# for 64-bit addresses: no base, no records.
#[test]
fn addresses_of_64_bits() {
    for isa in [Gen::Gfx600, Gen::Gfx701] {
        let mut lab = Lab::new(isa, 4096);
        let before = lab.fill(|i| 0x100 + i as u32);
        lab.set(4, &[0, 0, 0, 0xf000]);
        lab.set(8, &[16, lab.memory as u32, (lab.memory >> 32) as u32]);
        lab.run(
            "v_mul_u32_u24 v4, 12, v0\nv_mov_b32 v5, s10\nv_add_i32 v4, vcc, s9, v4\nv_addc_u32 v5, vcc, 0, v5, vcc
             buffer_load_dwordx2 v[20:21], v[4:5], s[4:7], s8 addr64 offset:8
             s_waitcnt vmcnt(0)
             buffer_store_byte v0, v[4:5], s[4:7], 0 addr64 offset:3",
        );
        for lane in 0..LANES {
            let at = 12 * lane + 16 + 8;
            assert_eq!(lab.bed.vgpr(20)[lane as usize], word(&before, at, 4), "{isa:?}");
            assert_eq!(lab.bed.vgpr(21)[lane as usize], word(&before, at + 4, 4), "{isa:?}");
            assert_eq!(lab.bytes()[(12 * lane + 3) as usize], lane as u8);
        }
    }
}

/// Where a texel of 4 bytes is: rows of 256 bytes or more; by level with all slices (GCN 1 and 2), or by slice with all levels,
/// the smallest first.
fn texel(isa: Gen, size: [u64; 2], slices: u64, levels: u64, [x, y, slice, level]: [u64; 4]) -> u64 {
    let pitch = |n: u64| (4 * size[0].div_ceil(1 << n)).div_ceil(256) * 256;
    let bytes = |n: u64| pitch(n) * size[1].div_ceil(1 << n);
    let start: u64 = match isa {
        Gen::Gfx900 => (0..levels).map(bytes).sum::<u64>() * slice + (level + 1..levels).map(bytes).sum::<u64>(),
        _ => (0..level).map(|n| slices * bytes(n)).sum::<u64>() + slice * bytes(level),
    };
    start + y * pitch(level) + 4 * x
}

#[test]
fn images_have_the_coordinates_of_their_type() {
    // Type, DA, registers of coordinates: x, y, slice.
    let types = [
        (ImageType::D1, "", "x"),
        (ImageType::D1Array, "da", "xs"),
        (ImageType::D2, "", "xy"),
        (ImageType::D2Array, "da", "xys"),
        (ImageType::D2Array, "", "xy"),
        (ImageType::D3, "", "xys"),
        (ImageType::Cube, "da", "xys"),
    ];
    for isa in GCN {
        for (kind, da, coordinates) in types {
            let flat = matches!(kind, ImageType::D1 | ImageType::D1Array);
            let sliced = !matches!(kind, ImageType::D1 | ImageType::D2);
            let (size, slices, levels) = ([70, if flat { 1 } else { 6 }], if sliced { 6 } else { 1 }, 3);
            for (name, level) in [("load", 0), ("load_mip", 1), ("store", 0), ("sample_lz", 0)] {
                if name == "sample_lz" && kind == ImageType::Cube {
                    continue;
                }
                let mut lab = Lab::new(isa, 1 << 16);
                let before = lab.fill(|i| (i as f32).to_bits());
                let mut t =
                    ImageDescriptor::linear(lab.memory, 22, kind, [70, size[1] as u32, slices as u32], levels as u8);
                // A view that does not begin with the first layer.
                let first = if sliced && kind != ImageType::D3 && kind != ImageType::Cube { 1 } else { 0 };
                (t.base_array, t.last_depth) = (first, slices as u32 - 1);
                lab.set(8, &t.to_words(isa));
                let s =
                    SamplerDescriptor { clamp: [Clamp::LastTexel; 3], force_unnormalized: true, ..Default::default() };
                lab.set(4, &s.to_words(isa));
                // x = lane & 15, y = lane >> 4 & 1, slice = lane >> 5: all of them at level 1 too.
                let mut text = "v_and_b32 v10, 15, v0\nv_bfe_u32 v11, v0, 4, 1\nv_lshrrev_b32 v12, 5, v0\n".to_string();
                let mut at = 1;
                for c in coordinates.chars() {
                    let from = 10 + "xys".find(c).unwrap();
                    text += &match (name, c) {
                        ("sample_lz", 's') if kind != ImageType::D3 => format!("v_cvt_f32_u32 v{at}, v{from}\n"),
                        ("sample_lz", _) => {
                            format!("v_cvt_f32_u32 v{at}, v{from}\nv_add_f32 v{at}, 0.5, v{at}\n")
                        }
                        _ => format!("v_mov_b32 v{at}, v{from}\n"),
                    };
                    at += 1;
                }
                if name == "load_mip" {
                    text += &format!("v_mov_b32 v{at}, 1\n");
                }
                let sampler = if name == "sample_lz" { ", s[4:7]" } else { "" };
                text += &format!("v_mov_b32 v20, v0\nimage_{name} v20, v[1:4], s[8:15]{sampler} dmask:0x1 unorm {da}");
                lab.run(&text);
                let (got, mut memory) = (lab.bed.vgpr(20), before.clone());
                for lane in 0..LANES {
                    let has = |c: char| coordinates.contains(c);
                    let (x, y) = (lane & 15, if has('y') { lane >> 4 & 1 } else { 0 });
                    let slice = if has('s') { lane >> 5 } else { 0 } + u64::from(first);
                    let at = texel(isa, size, slices, levels, [x, y, slice, level]);
                    let what = format!("{isa:?} {kind:?} {text} lane {lane}");
                    match name {
                        // Of lanes with one texel, the last's value stays.
                        "store" => memory[at as usize..][..4].copy_from_slice(&(lane as u32).to_le_bytes()),
                        _ => assert_eq!(got[lane as usize], word(&before, at, 4), "{what}"),
                    }
                }
                if name == "store" {
                    assert!(lab.bytes() == memory, "{isa:?} {kind:?} {text}");
                }
            }
        }
    }
}

/// Which texels a gather takes, of floats and of integers, where the silicon of GCN 1 and 2 begins at the nearest texel. Faces of cubes
/// join: beyond an edge of +Z in x lie the faces −X and +X, whose rows go the same way.
#[test]
fn gathers_of_integers_are_half_a_texel_off() {
    const SIZE: i64 = 8;
    // Small numbers as floats, words and bytes; whether they are integers.
    let formats = [(22, false), (20, true), (21, true), (60, true), (61, true), (58, false), (59, false)];
    let shapes = [(ImageType::D2, "", 1), (ImageType::D2Array, "da", 3), (ImageType::Cube, "da", 6)];
    for isa in GCN {
        for (format, integer) in formats {
            for (kind, da, slices) in shapes {
                let mut lab = Lab::new(isa, 1 << 15);
                let value = |i: u64| (i % 113) as u32;
                let float = matches!(format, 22);
                let bytes = lab.fill(|i| if float { (value(i) as f32).to_bits() } else { value(i) });
                let scaled = matches!(format, 58 | 59);
                let t = ImageDescriptor::linear(lab.memory, format, kind, [SIZE as u32, SIZE as u32, slices], 1);
                lab.set(8, &t.to_words(isa));
                let s = SamplerDescriptor { clamp: [Clamp::LastTexel; 3], ..Default::default() };
                lab.set(4, &s.to_words(isa));
                // (3 · lane + 1) / 4 texels in x, lane / 4 in y; faces have their places at 1 to 2, and +Z is face 4.
                let (first, slice) = if kind == ImageType::Cube { (1.0, 4.0) } else { (0.0, 2.0) };
                let text = format!(
                    "v_mul_u32_u24 v1, 3, v0\nv_and_b32 v1, 31, v1\nv_cvt_f32_u32 v1, v1\nv_add_f32 v1, 1.0, v1\n\
                     v_mul_f32 v1, 0x3d000000, v1\nv_add_f32 v1, {first:.1}, v1\n\
                     v_and_b32 v2, 31, v0\nv_cvt_f32_u32 v2, v2\nv_mul_f32 v2, 0x3d000000, v2\n\
                     v_add_f32 v2, {first:.1}, v2\nv_mov_b32 v3, {slice:.1}\n\
                     image_gather4_lz v[20:23], v[1:4], s[8:15], s[4:7] dmask:0x1 {da}"
                );
                lab.run(&text);
                let got = [20, 21, 22, 23].map(|r| lab.bed.vgpr(r));
                for lane in 0..LANES as i64 {
                    // In quarters of a texel.
                    let off = if integer && isa < Gen::Gfx900 { 0 } else { 2 };
                    let (x0, y0) = (((3 * lane & 31) + 1 - off).div_euclid(4), ((lane & 31) - off).div_euclid(4));
                    for (k, (x, y)) in [(0, 1), (1, 1), (1, 0), (0, 0)].into_iter().enumerate() {
                        let (mut x, mut y) = (x0 + x, y0 + y);
                        let mut face = if kind == ImageType::D2 { 0 } else { slice as u64 };
                        if kind == ImageType::Cube {
                            if !(0..SIZE).contains(&y) {
                                continue;
                            }
                            (face, x) = if x < 0 {
                                (1, x + SIZE)
                            } else if x >= SIZE {
                                (0, x - SIZE)
                            } else {
                                (face, x)
                            };
                        }
                        (x, y) = (x.clamp(0, SIZE - 1), y.clamp(0, SIZE - 1));
                        let at = texel(isa, [SIZE as u64; 2], slices.into(), 1, [x as u64, y as u64, face, 0]);
                        let word = word(&bytes, at, 4);
                        let want = if scaled { (word as f32).to_bits() } else { word };
                        assert_eq!(
                            got[k][lane as usize], want,
                            "{isa:?} {kind:?} format {format} lane {lane} texel {k}"
                        );
                    }
                }
            }
        }
    }
}

/// PITCH is where the next row is; an address beyond the wave's registers is a fault and no read of another wave's.
#[test]
fn pitches_and_registers() {
    for isa in GCN {
        let mut lab = Lab::new(isa, 1 << 16);
        let before = lab.fill(|i| i as u32);
        let mut t = ImageDescriptor::linear(lab.memory, 20, ImageType::D2, [8, 8, 1], 1);
        t.pitch = 191;
        lab.set(8, &t.to_words(isa));
        lab.run("v_and_b32 v1, 7, v0\nv_lshrrev_b32 v2, 3, v0\nimage_load v20, v[1:4], s[8:15] dmask:0x1 unorm");
        for lane in 0..LANES {
            assert_eq!(lab.bed.vgpr(20)[lane as usize], word(&before, (lane >> 3) * 192 * 4 + 4 * (lane & 7), 4));
        }
        let last = lab.bed.launch.vgprs - 1;
        let text = format!("image_load v20, v{last}, s[8:15] dmask:0x1 unorm\ns_endpgm");
        let words = asm::assemble(&text, isa, LANES as u32).unwrap();
        lab.bed.start(&words);
        let fault = lab.bed.run().unwrap_err();
        assert!(format!("{:?}", fault.kind).contains("registers"), "{fault:?}");
    }
}
