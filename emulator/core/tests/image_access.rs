//! Image instructions without a sampler, against a second implementation: texels as bytes in a vector, addresses by the
//! linear layout's definition.

use crate::image::{self, FORMATS, ImageBed, Op, Programs, Rng, Stored, TestFormat, from_half, half, linear_offset};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::{ImageDescriptor, ImageType, SamplerDescriptor};
use wavepipe_hw::fault::FaultKind;

const IMAGE_BYTES: u64 = 1 << 20;

/// Coordinates that integer accesses have, by DIM: x, and which of y, slice, sample follow.
const COORDINATES: [&str; 8] = ["x", "xy", "xyz", "xyz", "xz", "xyz", "xys", "xyzs"];
const TYPES: [ImageType; 8] = [
    ImageType::D1,
    ImageType::D2,
    ImageType::D3,
    ImageType::Cube,
    ImageType::D1Array,
    ImageType::D2Array,
    ImageType::D2Msaa,
    ImageType::D2MsaaArray,
];

/// A random image of a type, and what its descriptor means.
struct Case {
    t: ImageDescriptor,
    format: TestFormat,
    size: [u32; 2],
    /// Depth of level 0 of a 3D image.
    depth: u32,
    levels: u32,
    base: u32,
    last: u32,
    first_slice: u32,
    /// Slices of the view (of a level, for 3D).
    slices: u32,
    samples: u32,
}

impl Case {
    fn new(rng: &mut Rng, dim: usize, format: TestFormat, image: u64) -> Case {
        let ms = dim >= 6;
        let flat = dim == 0 || dim == 4;
        let layered = matches!(dim, 3 | 4 | 5 | 7);
        let width = 1 + rng.below(40);
        let size = [
            width,
            if flat {
                1
            } else if dim == 3 {
                width
            } else {
                1 + rng.below(20)
            },
        ];
        let depth = if dim == 2 { 1 + rng.below(6) } else { 1 };
        let levels = if ms { 1 } else { 1 + rng.below(32 - size[0].max(size[1]).leading_zeros()) };
        let samples = if ms { 1u32 << (1 + rng.below(3)) } else { 1 };
        let all = if dim == 3 {
            6
        } else if layered {
            1 + rng.below(4)
        } else {
            1
        };
        let first_slice = if layered && dim != 3 { rng.below(all) } else { 0 };
        let base = rng.below(levels);
        let last = base + rng.below(levels - base);
        let mut t = ImageDescriptor::linear(image, format.number, TYPES[dim], [size[0], size[1], 1], levels as u8);
        t.last_slice = if dim == 2 { depth - 1 } else { all - 1 };
        t.base_array = first_slice;
        (t.base_level, t.last_level) = (base as u8, last as u8);
        if ms {
            (t.base_level, t.last_level) = (0, samples.trailing_zeros() as u8);
            t.max_mip = t.last_level;
        }
        if rng.chance(30) {
            for sel in &mut t.dst_sel {
                *sel = rng.pick(&[0, 1, 4, 5, 6, 7]);
            }
        }
        Case { t, format, size, depth, levels, base, last, first_slice, slices: all - first_slice, samples }
    }

    fn bytes(&self) -> u32 {
        self.format.bytes() as u32
    }

    /// Offset of a texel, or `None` outside; level from the view's base.
    fn offset(&self, x: u32, y: u32, z: u32, s: u32, level: u32) -> Option<u64> {
        let level = u64::from(level) + u64::from(self.base);
        if level > u64::from(self.last) || s >= self.samples {
            return None;
        }
        let level = level as u32;
        let (w, h) = ((self.size[0] >> level).max(1), (self.size[1] >> level).max(1));
        let deep = self.t.image_type() == Some(ImageType::D3);
        let slices = if deep { (self.depth >> level).max(1) } else { self.slices };
        if x >= w || y >= h || z >= slices {
            return None;
        }
        let slice = (if deep { z } else { self.first_slice + z }) * self.samples + s;
        Some(linear_offset(self.size, self.levels, self.bytes(), [x, y, slice, level]))
    }

    /// A coordinate, most often inside.
    fn coordinate(rng: &mut Rng, n: u32) -> u32 {
        if rng.chance(90) { rng.below(n) } else { rng.pick(&[n, n + 1, u32::MAX, 1 << 31, 70000]) }
    }

    /// Addresses of a lane in the instruction's order.
    fn addresses(&self, rng: &mut Rng, dim: usize, mip: bool) -> ([u32; 5], Vec<u32>) {
        let level = if mip { Self::coordinate(rng, self.last - self.base + 1) } else { 0 };
        let at = (level.min(15) + self.base).min(15);
        let x = Self::coordinate(rng, (self.size[0] >> at).max(1));
        let y = Self::coordinate(rng, (self.size[1] >> at).max(1));
        let z = Self::coordinate(rng, if dim == 2 { (self.depth >> at).max(1) } else { self.slices });
        let s = Self::coordinate(rng, self.samples);
        let mut list = Vec::new();
        let mut parts = [0, 0, 0, 0, level];
        for c in COORDINATES[dim].chars() {
            let (k, v) = match c {
                'x' => (0, x),
                'y' => (1, y),
                'z' => (2, z),
                _ => (3, s),
            };
            parts[k] = v;
            list.push(v);
        }
        if mip {
            list.push(level);
        }
        (parts, list)
    }
}

/// Addresses as registers: two to a register with A16, which cuts them.
fn registers(list: &[u32], a16: bool) -> Vec<u32> {
    match a16 {
        false => list.to_vec(),
        true => list.chunks(2).map(|c| c[0] & 0xffff | c.get(1).map_or(0, |v| v << 16)).collect(),
    }
}

/// Components as a register holds them.
fn expected(format: TestFormat, bytes: Option<&[u8]>, sel: [u8; 4]) -> [f64; 4] {
    let values = bytes.map_or([0.0; 4], |b| format.values(b, true));
    sel.map(|sel| match sel {
        1 => 1.0,
        4..=7 => values[sel as usize - 4],
        _ => 0.0,
    })
}

fn same(format: TestFormat, got: u32, want: f64) -> bool {
    match format.stored {
        Stored::Uint32 | Stored::Uint8 => f64::from(got) == want,
        Stored::Sint16 => f64::from(got as i32) == want,
        // The nearest f32, or for sRGB's power one next to it.
        _ => (f64::from(f32::from_bits(got)) - want).abs() <= want.abs() * 1e-7 + 1e-30,
    }
}

#[test]
fn loads() {
    let mut rng = Rng(0x1234_5678_9abc);
    let mut ops = Vec::new();
    let mut what = Vec::new();
    for dim in 0..8 {
        for (name, mip) in [("image_load", false), ("image_load_mip", true)] {
            if mip && dim >= 6 {
                continue;
            }
            for flags in ["unorm", "unorm a16", "unorm d16", "unorm tfe", "unorm glc"] {
                let n = COORDINATES[dim].len() as u32 + u32::from(mip);
                let a16 = flags.contains("a16");
                let mut o = Op::plain(name, dim, if a16 { n.div_ceil(2) } else { n }, 1 + rng.below(15), flags);
                o.nsa = rng.chance(50);
                ops.push(o);
                what.push((mip, a16));
            }
        }
    }
    for wave in [WaveSize::W32, WaveSize::W64] {
        let Some(programs) = Programs::new(&ops, wave) else { return };
        let mut bed = ImageBed::new(wave, &programs, IMAGE_BYTES);
        for (i, o) in ops.iter().enumerate() {
            for _ in 0..6 {
                let format = rng.pick(FORMATS);
                let (mip, a16) = what[i];
                let (d16, tfe) = (o.flags.contains("d16"), o.flags.contains("tfe"));
                let case = Case::new(&mut rng, o.dim, format, bed.image);
                bed.descriptors(&case.t, &SamplerDescriptor::default());
                let exec = u64::from(rng.next()) | u64::from(rng.next()) << 32;
                bed.exec(exec);
                let mut want = Vec::new();
                for lane in 0..bed.lanes {
                    let (mut p, list) = case.addresses(&mut rng, o.dim, mip);
                    if a16 {
                        p = p.map(|v| v & 0xffff);
                    }
                    for (k, v) in registers(&list, a16).into_iter().enumerate() {
                        bed.set(o.register(k as u32), lane, v);
                    }
                    for k in 0..image::DATA_REGISTERS {
                        bed.set(image::DATA + k, lane, 0xdead_0000 + k);
                    }
                    let at = case.offset(p[0], p[1], p[2], p[3], p[4]);
                    let texel = at.map(|at| {
                        let texel = format.random(&mut rng);
                        bed.put(bed.image + at, &texel);
                        (at, texel)
                    });
                    want.push(texel);
                }
                // Texels of lanes that chose the same place are the last one's.
                let texels: Vec<Option<Vec<u8>>> =
                    want.iter().map(|w| w.as_ref().map(|(at, t)| bed.bytes(bed.image + at, t.len()))).collect();
                bed.run(i).unwrap_or_else(|f| panic!("{o:?}: {f:?}"));
                for lane in 0..bed.lanes {
                    if exec >> lane & 1 == 0 {
                        assert_eq!(bed.out(0, lane), 0xdead_0000);
                        continue;
                    }
                    let all = expected(format, texels[lane].as_deref(), case.t.dst_sel);
                    let masked: Vec<f64> = (0..4).filter(|c| o.dmask >> c & 1 != 0).map(|c| all[c]).collect();
                    for (n, &want) in masked.iter().enumerate() {
                        let got = if d16 {
                            bed.out(n as u32 / 2, lane) >> (16 * (n & 1)) & 0xffff
                        } else {
                            bed.out(n as u32, lane)
                        };
                        let ok = match (d16, format.stored) {
                            (false, _) => same(format, got, want),
                            (true, Stored::Uint32 | Stored::Uint8) => f64::from(got) == want.min(65535.0),
                            (true, Stored::Sint16) => f64::from(got as i16) == want,
                            (true, _) => (f64::from(from_half(got)) - want).abs() <= want.abs() / 2048.0 + 1e-7,
                        };
                        assert!(ok, "{o:?} {format:?} lane {lane} component {n}: {got:#x}, not {want}");
                    }
                    if tfe {
                        assert_eq!(bed.out(o.data - 1, lane), 0, "{o:?}: status");
                    }
                    assert_eq!(bed.out(o.data, lane), if o.data < 5 { 0xdead_0000 + o.data } else { 0 });
                }
            }
        }
    }
}

#[test]
fn stores() {
    let mut rng = Rng(0xfeed_beef);
    let mut ops = Vec::new();
    for dim in 0..8 {
        for (name, mip) in [("image_store", false), ("image_store_mip", true)] {
            if mip && dim >= 6 {
                continue;
            }
            for flags in ["unorm", "unorm d16", "unorm a16"] {
                let n = COORDINATES[dim].len() as u32 + u32::from(mip);
                let n = if flags.contains("a16") { n.div_ceil(2) } else { n };
                ops.push(Op::plain(name, dim, n, rng.pick(&[15, 15, 7, 9, 3]), flags));
            }
        }
    }
    let Some(programs) = Programs::new(&ops, WaveSize::W32) else { return };
    let mut bed = ImageBed::new(WaveSize::W32, &programs, IMAGE_BYTES);
    for (i, o) in ops.iter().enumerate() {
        let (mip, a16, d16) = (o.name.ends_with("mip"), o.flags.contains("a16"), o.flags.contains("d16"));
        for _ in 0..6 {
            // sRGB's rounding is held by the conversion's own tests.
            let format = rng.pick(&FORMATS.iter().filter(|f| f.stored != Stored::Srgb8).copied().collect::<Vec<_>>());
            let mut case = Case::new(&mut rng, o.dim, format, bed.image);
            case.t.dst_sel = if rng.chance(70) { [4, 5, 6, 7] } else { [6, 5, 4, 7] };
            bed.descriptors(&case.t, &SamplerDescriptor::default());
            let exec = rng.next();
            bed.exec(exec.into());
            bed.put(bed.image, &vec![0xa5; IMAGE_BYTES as usize]);
            let mut want = vec![0xa5; IMAGE_BYTES as usize];
            for lane in 0..32 {
                let (mut p, list) = case.addresses(&mut rng, o.dim, mip);
                if a16 {
                    p = p.map(|v| v & 0xffff);
                }
                for (k, v) in registers(&list, a16).into_iter().enumerate() {
                    bed.set(o.register(k as u32), lane, v);
                }
                // What is stored is chosen as bytes, so that its value converts exactly.
                let texel = format.random(&mut rng);
                let values = format.values(&texel, false);
                let sources: Vec<usize> = (0..4).filter(|c| o.dmask >> c & 1 != 0).collect();
                let mut given = [false; 4];
                let mut words = [0; 4];
                for (n, &c) in sources.iter().enumerate() {
                    let to = if d16 { n } else { c };
                    // Data component `to` is memory component dst_sel[to].
                    let memory = case.t.dst_sel[to] as usize - 4;
                    given[memory] = true;
                    let v = values[memory];
                    let bits = match format.stored {
                        Stored::Uint32 | Stored::Uint8 => v as u32,
                        Stored::Sint16 => v as i32 as u32,
                        _ => (v as f32).to_bits(),
                    };
                    if d16 {
                        let half = match format.stored {
                            Stored::Uint32 | Stored::Uint8 | Stored::Sint16 => bits & 0xffff,
                            Stored::Float16 => half(v as f32),
                            // Nothing but 0 and 1 is the same in f16 and in every other format.
                            _ => half(v.signum().max(0.0) as f32),
                        };
                        words[n / 2] |= half << (16 * (n & 1));
                    } else {
                        words[n] = bits;
                    }
                }
                for (k, v) in words.into_iter().enumerate() {
                    bed.set(image::DATA + k as u32, lane, v);
                }
                if exec >> lane & 1 == 0 {
                    continue;
                }
                if let Some(at) = case.offset(p[0], p[1], p[2], p[3], p[4]) {
                    let n = format.component_bytes();
                    for c in 0..format.components {
                        let to = at as usize + c * n;
                        let mut b = if given[c] { texel[c * n..(c + 1) * n].to_vec() } else { vec![0; n] };
                        if d16 && given[c] {
                            let one = values[c].signum().max(0.0);
                            b = match format.stored {
                                Stored::Uint32 => vec![b[0], b[1], 0, 0],
                                Stored::Float16 | Stored::Uint8 | Stored::Sint16 => b,
                                Stored::Float32 => (one as f32).to_le_bytes().to_vec(),
                                Stored::Unorm16 => vec![255 * one as u8; 2],
                                Stored::Snorm8 => vec![127 * one as u8],
                                _ => vec![255 * one as u8],
                            };
                        }
                        // −128 and −127 are the same SNORM number.
                        if format.stored == Stored::Snorm8 && b[0] == 0x80 {
                            b[0] = 0x81;
                        }
                        want[to..to + n].copy_from_slice(&b);
                    }
                }
            }
            bed.run(i).unwrap_or_else(|f| panic!("{o:?}: {f:?}"));
            let got = bed.bytes(bed.image, IMAGE_BYTES as usize);
            if let Some(at) = got.iter().zip(&want).position(|(g, w)| g != w) {
                let (g, w) = (&got[at..at + 4], &want[at..at + 4]);
                panic!("{o:?} {:?} {format:?}: byte {at:#x}: {g:x?}, not {w:x?}", case.t);
            }
        }
    }
}

#[test]
fn packed_accesses_move_the_bits() {
    let mut rng = Rng(7);
    let ops = [
        Op::plain("image_load_pck", 1, 2, 15, "unorm"),
        Op::plain("image_load_pck_sgn", 1, 2, 15, "unorm"),
        Op::plain("image_load_mip_pck", 1, 3, 15, "unorm"),
        Op::plain("image_load_mip_pck_sgn", 1, 3, 15, "unorm"),
        Op::plain("image_store_pck", 1, 2, 15, "unorm"),
        Op::plain("image_store_mip_pck", 1, 3, 15, "unorm"),
    ];
    let Some(programs) = Programs::new(&ops, WaveSize::W32) else { return };
    let mut bed = ImageBed::new(WaveSize::W32, &programs, IMAGE_BYTES);
    bed.exec(!0);
    for format in FORMATS {
        let mut t = ImageDescriptor::linear(bed.image, format.number, ImageType::D2, [32, 4, 1], 2);
        t.dst_sel = [0, 1, 1, 0];
        bed.descriptors(&t, &SamplerDescriptor::default());
        for (i, o) in ops.iter().enumerate() {
            let level = u32::from(o.name.contains("mip"));
            let mut want = Vec::new();
            for lane in 0..32u32 {
                let (x, y) = (lane & 15, lane >> 4);
                let at = bed.image + linear_offset([32, 4], 2, format.bytes() as u32, [x, y, 0, level]);
                let mut texel = format.random(&mut rng);
                for (k, v) in [x, y, level].into_iter().enumerate() {
                    bed.set(1 + k as u32, lane as usize, v);
                }
                if o.name.contains("load") {
                    bed.put(at, &texel);
                    let negative = texel.len() < 4 && o.name.ends_with("sgn") && texel[texel.len() - 1] > 127;
                    let fill = if negative { 255 } else { 0 };
                    texel.resize(texel.len().next_multiple_of(4), fill);
                } else {
                    let mut data = texel.clone();
                    data.resize(16, 0x55);
                    for (k, word) in data.chunks_exact(4).enumerate() {
                        let word = u32::from_le_bytes(word.try_into().unwrap());
                        bed.set(image::DATA + k as u32, lane as usize, word);
                    }
                }
                want.push((at, texel));
            }
            bed.run(i).unwrap();
            for (lane, (at, texel)) in want.iter().enumerate() {
                if o.name.contains("load") {
                    for k in 0..4 {
                        let want = texel.get(4 * k..4 * k + 4).map_or(0, |b| u32::from_le_bytes(b.try_into().unwrap()));
                        assert_eq!(bed.out(k as u32, lane), want, "{o:?} {format:?}");
                    }
                } else {
                    assert_eq!(bed.bytes(*at, texel.len()), *texel, "{o:?} {format:?}");
                }
            }
        }
    }
}

#[test]
fn coverage_lists_what_is_compared_here() {
    let loads = ["", "_mip", "_pck", "_pck_sgn", "_mip_pck", "_mip_pck_sgn"].map(|s| format!("image_load{s}"));
    let stores = ["", "_mip", "_pck", "_mip_pck"].map(|s| format!("image_store{s}"));
    let all = loads.into_iter().chain(stores).chain(["image_get_resinfo".to_string()]);
    image::witness::holds("core/tests/image_access", all);
}

#[test]
fn resource_info() {
    let mut rng = Rng(5);
    let ops: Vec<Op> = (0..8).map(|dim| Op::plain("image_get_resinfo", dim, 1, 15, "")).collect();
    let Some(programs) = Programs::new(&ops, WaveSize::W32) else { return };
    let mut bed = ImageBed::new(WaveSize::W32, &programs, IMAGE_BYTES);
    bed.exec(!0);
    for dim in 0..8 {
        for _ in 0..20 {
            let case = Case::new(&mut rng, dim, FORMATS[0], bed.image);
            bed.descriptors(&case.t, &SamplerDescriptor::default());
            (0..32).for_each(|lane| bed.set(1, lane, lane as u32 % 4));
            bed.run(dim).unwrap();
            let levels = if dim >= 6 { 1 } else { case.last - case.base + 1 };
            for lane in 0..32 {
                let level = lane as u32 % 4;
                let at = |n: u32| (n >> (level + if dim >= 6 { 0 } else { case.base })).max(1);
                let depth = if dim == 2 { at(case.depth) } else { case.slices };
                let want = if level < levels {
                    [at(case.size[0]), at(case.size[1]), depth, levels]
                } else {
                    [0, 0, 0, levels]
                };
                assert_eq!([0, 1, 2, 3].map(|k| bed.out(k, lane)), want, "{:?} level {level}", case.t);
            }
        }
    }
}

/// A 3D image whose descriptor counts slices of the level that it shows: a storage view.
#[test]
fn slices_of_a_3d_view() {
    let ops = [Op::plain("image_load", 2, 3, 1, "unorm")];
    let Some(programs) = Programs::new(&ops, WaveSize::W32) else { return };
    let mut bed = ImageBed::new(WaveSize::W32, &programs, IMAGE_BYTES);
    bed.exec(!0);
    let mut t = ImageDescriptor::linear(bed.image, 20, ImageType::D3, [4, 4, 8], 1);
    (t.base_array, t.last_slice, t.array_pitch) = (2, 5, 1);
    bed.descriptors(&t, &SamplerDescriptor::default());
    for z in 0..8 {
        bed.put(bed.image + linear_offset([4, 4], 1, 4, [1, 2, z, 0]), &(100 + z).to_le_bytes());
    }
    for lane in 0..32 {
        for (k, v) in [1, 2, lane as u32].into_iter().enumerate() {
            bed.set(1 + k as u32, lane, v);
        }
    }
    bed.run(0).unwrap();
    for lane in 0..32 {
        assert_eq!(bed.out(0, lane), if lane < 4 { 102 + lane as u32 } else { 0 });
    }
}

#[test]
fn what_cannot_be_is_a_fault_that_says_so() {
    let ops = [
        Op::plain("image_load", 1, 2, 1, "unorm"),
        Op::plain("image_store", 1, 2, 1, "unorm"),
        Op::plain("image_load", 1, 2, 1, "unorm r128"),
    ];
    let Some(programs) = Programs::new(&ops, WaveSize::W32) else { return };
    let mut bed = ImageBed::new(WaveSize::W32, &programs, 4096);
    bed.exec(0xff);
    (0..32).for_each(|lane| {
        bed.set(1, lane, lane as u32);
        bed.set(2, lane, 3 * u32::from(lane > 3));
    });
    // 64 × 4 texels of 16 bytes are 4096 bytes; one row further is nothing's.
    let good = ImageDescriptor::linear(bed.image, 77, ImageType::D2, [64, 4, 1], 1);
    bed.descriptors(&good, &SamplerDescriptor::default());
    bed.run(0).unwrap();
    // The 128-bit form is the same image.
    bed.run(2).unwrap();
    let low = ImageDescriptor { base: bed.image + 1024, ..good };
    bed.descriptors(&low, &SamplerDescriptor::default());
    for (program, write) in [(0, false), (1, true)] {
        let fault = bed.run(program).unwrap_err();
        let address = bed.image + 1024 + 3 * 1024 + 4 * 16;
        let want = FaultKind::WildAddress { address, bytes: 16, write, nearest: None };
        assert_eq!(fault.kind, want);
        let site = fault.site.unwrap();
        assert_eq!((site.lanes, site.lane), (0xf0, 4), "{site:?}");
        assert!(site.disassembly.starts_with("image_"), "{site:?}");
    }
    let swizzled = ImageDescriptor { sw_mode: 27, ..good };
    bed.descriptors(&swizzled, &SamplerDescriptor::default());
    let fault = bed.run(0).unwrap_err();
    assert!(matches!(&fault.kind, FaultKind::Unsupported { what } if what.contains("SW_64KB_R_X")), "{fault:?}");
    // Without a live lane nothing looks at the descriptor.
    bed.exec(0);
    bed.run(0).unwrap();
    bed.exec(0xff);
    let packed = ImageDescriptor { compression_en: true, ..good };
    bed.descriptors(&packed, &SamplerDescriptor::default());
    assert!(matches!(bed.run(0).unwrap_err().kind, FaultKind::Unsupported { .. }));
    // The null descriptor reads zeros and takes no stores, wherever it points.
    bed.descriptors(&ImageDescriptor::default(), &SamplerDescriptor::default());
    bed.run(0).unwrap();
    bed.run(1).unwrap();
}
