//! Image instructions of all lanes at once, beside the same lane by lane: what is looked at lane by lane runs so.
//!
//! Random instructions, descriptors, samplers, coordinates and EXEC; registers, memory and faults are the same, to the bit (but which NaN a
//! filter makes of NaNs), and most rows of lanes do go at once.

use crate::image::kind::{Kind, PLAIN, every_gather, every_sample};
use crate::image::{DATA, DATA_REGISTERS, ImageBed, Op, Programs, Rng};
use wavepipe_core::wave::{Issue, Probe, WaveView, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::{
    BorderColor, Clamp, ImageDescriptor, ImageType, MipFilter, SamplerDescriptor, XyFilter, ZFilter,
};
use wavepipe_hw::port::Protection;
use wavepipe_isa::format::{FORMATS, Format, Num};

const IMAGE_BYTES: u64 = 1 << 17;
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

/// Looks at every texel.
struct Look;

impl Probe for Look {
    const ACTIVE: bool = true;
    fn issue(&mut self, _: &WaveView<'_>, _: &Issue<'_>) {}
    fn wants_accesses(&self, _: bool) -> bool {
        false
    }
    fn wants_texels(&self) -> bool {
        true
    }
}

/// An f32's bits as those of an f16 near it, if that is what a register holds.
fn packed(v: f32, half: bool) -> u32 {
    if !half {
        return v.to_bits();
    }
    let (sign, bits) = (v.to_bits() >> 16 & 0x8000, v.to_bits() & 0x7fff_ffff);
    let magnitude = match () {
        _ if v.is_nan() => 0x7e01,
        _ if v.abs() >= 65504.0 => 0x7c00,
        _ if v.abs() < 6.2e-5 => (v.abs() * 2f32.powi(24)) as u32,
        _ => (bits >> 13) - (112 << 10),
    };
    sign | magnitude
}

/// A number that coordinates, levels and such may have: `usual`, or what is hard.
fn hard(rng: &mut Rng, usual: f32) -> f32 {
    if !rng.chance(6) {
        return usual;
    }
    let all = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        -0.0,
        1e-40,
        0.5,
        1.0,
        -1.0,
        3e9,
        -3e9,
        1e30,
        -3e38,
        4_194_303.7,
        -4_194_304.0,
        16_777_216.0,
        65536.5,
    ];
    rng.pick(&all)
}

fn random_image(rng: &mut Rng, bed: &ImageBed, dim: usize, base: u64, format: &Format) -> ImageDescriptor {
    // Now and then the image is not of the instruction's DIM.
    let kind = TYPES[if rng.chance(4) { rng.below(8) as usize } else { dim }];
    let flat = matches!(kind, ImageType::D1 | ImageType::D1Array);
    let most = rng.pick(&[1, 5, 32, 48]);
    let width = if rng.chance(30) { rng.pick(&[1, 2, 16, 32, 64]) } else { 1 + rng.below(most) };
    let height = match kind {
        _ if flat => 1,
        ImageType::Cube => width,
        _ if rng.chance(60) => 1 + rng.below(20),
        _ => rng.pick(&[1, 16]),
    };
    let depth = match kind {
        ImageType::D3 => 1 + rng.below(7),
        ImageType::Cube => 6,
        _ if kind.layered() => 1 + rng.below(4),
        _ => 1,
    };
    let most = if kind == ImageType::D3 { width.max(height).max(depth) } else { width.max(height) };
    let levels = 1 + rng.below(32 - most.leading_zeros());
    let mut t = ImageDescriptor::linear(base, format.number, kind, [width, height, 1], levels as u8);
    t.last_slice = depth - 1;
    if kind.layered() && kind != ImageType::Cube || kind == ImageType::D3 && rng.chance(20) {
        t.base_array = rng.below(depth);
        t.array_pitch = u8::from(kind == ImageType::D3);
    }
    t.base_level = rng.below(levels) as u8;
    t.last_level = t.base_level + rng.below(levels - u32::from(t.base_level)) as u8;
    if kind.multisampled() {
        (t.base_level, t.last_level) = (0, rng.below(3) as u8);
        t.max_mip = t.last_level;
    }
    if rng.chance(30) {
        t.dst_sel = std::array::from_fn(|_| rng.pick(&[0, 1, 4, 5, 6, 7]));
    }
    t.bc_swizzle = rng.below(6) as u8;
    if rng.chance(10) {
        t.min_lod = rng.below(700) as u16;
    }
    if rng.chance(3) {
        // Its last texels may be behind the end.
        t.base = bed.image + IMAGE_BYTES - 256 * u64::from(1 + rng.below(40));
    }
    if rng.chance(1) {
        t.kind = rng.below(8) as u8;
    }
    t
}

fn random_sampler(rng: &mut Rng) -> SamplerDescriptor {
    use Clamp::*;
    let clamps =
        [Wrap, Mirror, LastTexel, MirrorOnceLastTexel, HalfBorder, MirrorOnceHalfBorder, Border, MirrorOnceBorder];
    let borders =
        [BorderColor::TransparentBlack, BorderColor::OpaqueBlack, BorderColor::OpaqueWhite, BorderColor::Register];
    let mut filters = vec![XyFilter::Point, XyFilter::Bilinear];
    let rare = rng.chance(8);
    if rare {
        filters.extend([XyFilter::AnisoPoint, XyFilter::AnisoLinear]);
    }
    let one = rng.pick(&clamps);
    let same = rng.chance(40);
    let mag = rng.pick(&filters);
    let min_lod = if rng.chance(20) { rng.below(600) as u16 } else { 0 };
    SamplerDescriptor {
        clamp: std::array::from_fn(|_| if same { one } else { rng.pick(&clamps) }),
        max_aniso_ratio: rng.below(5) as u8,
        depth_compare_func: rng.below(8) as u8,
        force_unnormalized: rng.chance(10),
        trunc_coord: rng.chance(50),
        mc_coord_trunc: rng.chance(8),
        filter_mode: if rare { rng.below(3) as u8 } else { 0 },
        skip_degamma: rng.chance(30),
        disable_cube_wrap: rng.chance(30),
        min_lod,
        max_lod: if rng.chance(30) { min_lod + rng.below(600) as u16 } else { 0xfff },
        lod_bias: if rng.chance(40) { rng.below(1024) as i16 - 512 } else { 0 },
        xy_mag_filter: mag,
        xy_min_filter: if rng.chance(70) { mag } else { rng.pick(&filters) },
        z_filter: rng.pick(&[ZFilter::None, ZFilter::Point, ZFilter::Linear, ZFilter::Reserved]),
        mip_filter: rng.pick(&[MipFilter::None, MipFilter::Point, MipFilter::Linear, MipFilter::Linear]),
        mip_point_preclamp: rng.chance(30),
        aniso_override: rng.chance(30),
        border_color_ptr: rng.below(64) as u16,
        border_color_type: rng.pick(&borders),
        ..Default::default()
    }
}

/// EXEC of a wave.
fn random_exec(rng: &mut Rng) -> u64 {
    let any = u64::from(rng.next()) << 32 | u64::from(rng.next());
    match rng.below(8) {
        0 => any,
        1 => any & any.rotate_left(7) & any.rotate_left(19),
        2 => 1 << rng.below(64) | 1 << rng.below(32),
        3 => u64::from(rng.next()) << rng.pick(&[0, 32]),
        _ => !0,
    }
}

/// One coordinate of a sample in a row of `n` texels.
fn coordinate(rng: &mut Rng, n: u32, unnormalized: bool) -> f32 {
    let v = match rng.below(10) {
        0 => rng.range(-3.0, 4.0),
        1 => rng.below(4 * n + 1) as f32 / (2 * n) as f32 - 0.5,
        2 => rng.range(-300.0, 300.0),
        _ => rng.range(-0.2, 1.2),
    };
    let v = hard(rng, v);
    if unnormalized { v * n as f32 } else { v }
}

/// Fills the registers of an instruction with a sampler: offsets, bias, reference, derivatives, coordinates, then a level.
fn sample_addresses(rng: &mut Rng, bed: &ImageBed, o: &Op, k: Kind, t: &ImageDescriptor, unnormalized: bool) {
    let size = [t.last_x + 1, t.last_y + 1, t.last_slice + 1];
    let scale = 2f32.powf(rng.range(-3.0, 4.0));
    // Most often lanes agree in what they want of levels.
    let level = rng.range(-1.0, 5.0);
    let (level_alike, near) = (rng.chance(60), rng.chance(50));
    let start = [0, 1, 2].map(|a: usize| coordinate(rng, size[a], unnormalized));
    let derivatives = [1usize, 2, 3, 2, 1, 2][o.dim];
    for lane in 0..bed.lanes {
        let mut r = 0;
        let mut put = |v: u32| {
            bed.set(o.register(r), lane, v);
            r += 1;
        };
        if k.offset {
            put(rng.next());
        }
        if k.lod == "b" {
            let v = rng.range(-3.0, 3.0);
            put(packed(hard(rng, v), k.a16));
        }
        if k.compare {
            let v = rng.range(-0.2, 1.2);
            put(hard(rng, v).to_bits());
        }
        let step = |a: usize| scale / if unnormalized { 1.0 } else { size[a] as f32 };
        if matches!(k.lod, "d" | "cd") {
            for _ in 0..2 {
                let d: Vec<u32> = (0..derivatives)
                    .map(|a| {
                        let v = if level_alike { step(a) } else { rng.range(-1.0, 1.0) * step(a) };
                        packed(hard(rng, v), k.g16)
                    })
                    .collect();
                match k.g16 {
                    true => d.chunks(2).for_each(|pair| put(pair[0] | pair.get(1).unwrap_or(&0) << 16)),
                    false => d.iter().for_each(|v| put(*v)),
                }
            }
        }
        let mut body: Vec<u32> = (0..Kind::coordinates(o.dim))
            .map(|a| {
                let layer = o.dim >= 3 && a + 1 == Kind::coordinates(o.dim);
                let v = match layer {
                    true => rng.range(-1.0, 6.0),
                    false if near => start[a] + rng.range(-1.0, 1.0) * step(a) * 3.0,
                    false => coordinate(rng, size[a], unnormalized),
                };
                packed(if layer { hard(rng, v) } else { v }, k.a16)
            })
            .collect();
        if k.has_level() {
            let v = if level_alike { level + rng.range(0.0, 0.3) } else { rng.range(-1.0, 6.0) };
            body.push(packed(hard(rng, v), k.a16));
        }
        match k.a16 {
            true => body.chunks(2).for_each(|pair| put(pair[0] | pair.get(1).unwrap_or(&0) << 16)),
            false => body.iter().for_each(|v| put(*v)),
        }
    }
}

/// Fills the registers of a load's or store's addresses: coordinates by DIM, then a level.
fn texel_addresses(rng: &mut Rng, bed: &ImageBed, o: &Op, mip: bool, t: &ImageDescriptor, scan: bool) {
    let a16 = o.flags.contains("a16");
    let count = [1, 2, 3, 3, 2, 3, 3, 4][o.dim];
    let size = [t.last_x + 1, if o.dim == 4 { t.last_slice + 1 } else { t.last_y + 1 }, t.last_slice + 1, 4];
    let level = if rng.chance(90) {
        rng.below(u32::from(t.last_level - t.base_level.min(t.last_level)) + 1)
    } else {
        rng.next()
    };
    let (alike, in_a_row, inside) = (rng.chance(80), scan || rng.chance(30), rng.chance(40));
    for lane in 0..bed.lanes {
        let mut body: Vec<u32> = (0..count)
            .map(|a: usize| match rng.below(20) {
                _ if in_a_row => {
                    if a == 0 {
                        lane as u32
                    } else {
                        size[a] / 2
                    }
                }
                _ if inside => rng.below(size[a]),
                0 => rng.pick(&[u32::MAX, 1 << 31, 1 << 16, size[a], size[a] - 1, 1 << 24]),
                _ => rng.below(size[a] + 2),
            })
            .collect();
        if mip {
            body.push(if alike { level } else { rng.below(4) });
        }
        let mut registers: Vec<u32> = body.clone();
        if a16 {
            registers = body.chunks(2).map(|p| p[0] & 0xffff | p.get(1).unwrap_or(&0) << 16).collect();
        }
        (0..).zip(registers).for_each(|(n, v)| bed.set(o.register(n), lane, v));
    }
}

/// Of rows, those that went at once.
#[derive(Default, Debug)]
struct Went {
    at_once: u64,
    all: u64,
}

/// Runs `rounds` of each instruction both ways.
fn check(seed: u64, ops: &[(Op, Option<Kind>)], rounds: usize, wave: WaveSize) -> Vec<Went> {
    let mut rng = Rng(seed);
    let list: Vec<Op> = ops.iter().map(|(op, _)| op.clone()).collect();
    let mut bed = ImageBed::new(wave, &Programs::by_house(&list, wave), IMAGE_BYTES);
    let closed = bed.bed.memory.allocate_protected(IMAGE_BYTES, "closed", Protection::ReadOnly).unwrap().va;
    let mut went = Vec::new();
    for (program, (o, kind)) in ops.iter().enumerate() {
        let mut rows = Went::default();
        let store = o.name.contains("store");
        for _ in 0..rounds {
            let format = loop {
                // Floats more often: they have infinities and zeros with signs.
                let floats = [13, 22, 29, 64, 71, 77].map(|n| Format::find(n).unwrap());
                let any = &FORMATS[rng.below(FORMATS.len() as u32) as usize];
                let f = if rng.chance(25) { rng.pick(&floats) } else { any };
                let whole = f.number != 0 && (!matches!(f.num, Num::Block(_)) || rng.chance(10));
                if whole && (kind.is_none_or(|k| !k.compare) || f.num == Num::Float || rng.chance(30)) {
                    break f;
                }
            };
            let image = if rng.chance(2) { closed } else { bed.image };
            let mut t = random_image(&mut rng, &bed, o.dim, image, format);
            let scan = kind.is_none() && rng.chance(4);
            if scan {
                // A row of texels from the surface's start on, of which the first is not accessed.
                t = ImageDescriptor::linear(image, rng.pick(&[20, 22, 56]), TYPES[o.dim.min(5)], [64, 1, 1], 1);
            }
            if t.kind < 8 {
                t.format = rng.pick(&[0, format.number]);
            }
            let s = random_sampler(&mut rng);
            bed.descriptors(&t, &s);
            // Bytes of moderate floats, or any.
            let moderate = rng.chance(70);
            let before: Vec<u8> = (0..IMAGE_BYTES / 4)
                .flat_map(|_| match (moderate, format.bits[0]) {
                    (true, 32) if format.num == Num::Float && rng.chance(15) => {
                        rng.pick(&[-0.0f32, f32::INFINITY, f32::NEG_INFINITY, 0.0]).to_le_bytes()
                    }
                    (true, 16) if format.num == Num::Float && rng.chance(15) => {
                        rng.pick(&[0x8000_8000u32, 0x7c00_8000, 0xfc00, 0]).to_le_bytes()
                    }
                    (true, 32) if format.num == Num::Float => rng.range(-4.0, 4.0).to_le_bytes(),
                    (true, 16) if format.num == Num::Float => (rng.next() & 0xbbff_bbff).to_le_bytes(),
                    _ => rng.next().to_le_bytes(),
                })
                .collect();
            bed.put(image, &before);
            for c in 0..4 {
                let v = if rng.chance(50) { rng.range(-1.0, 2.0).to_bits() } else { rng.next() };
                let at = bed.bed.launch.border_colors + 16 * u64::from(s.border_color_ptr) + 4 * c;
                bed.put(at, &v.to_le_bytes());
            }
            match kind {
                Some(k) => {
                    let unnormalized = k.unnormalized || s.force_unnormalized;
                    sample_addresses(&mut rng, &bed, o, *k, &t, unnormalized);
                }
                None => texel_addresses(&mut rng, &bed, o, o.name.contains("mip"), &t, scan),
            }
            for lane in 0..bed.lanes {
                for k in 0..DATA_REGISTERS {
                    let v = rng.range(-0.2, 1.2);
                    let v = if rng.chance(50) { hard(&mut rng, v).to_bits() } else { rng.next() };
                    bed.set(DATA + k, lane, if store { v } else { 0x5a5a_5a5a });
                }
            }
            let exec = if scan { !1 } else { random_exec(&mut rng) };
            bed.exec(exec);
            let table = bed.bed.launch.border_colors;
            if rng.chance(5) {
                // No memory.
                bed.bed.launch.border_colors = 256;
            }
            let mut results = Vec::new();
            for looked in [true, false] {
                bed.put(image, &before);
                let had = bed.bed.group.image_rows_at_once();
                let end = if looked { bed.run_with(program, &mut Look) } else { bed.run(program) };
                let now = bed.bed.group.image_rows_at_once() - had;
                assert!(!looked || now == 0, "lanes that are looked at go one by one");
                rows.at_once += now;
                let registers: Vec<Vec<u32>> =
                    (0..bed.lanes).map(|lane| (0..DATA_REGISTERS).map(|k| bed.out(k, lane)).collect()).collect();
                let memory = if store { bed.bytes(image, IMAGE_BYTES as usize) } else { Vec::new() };
                results.push((end.map_err(|f| format!("{f:?}")), registers, memory));
            }
            bed.bed.launch.border_colors = table;
            let halves = [exec as u32, (exec >> 32) as u32];
            if halves[..bed.lanes / 32].iter().any(|&half| half != 0) {
                rows.all += bed.lanes as u64 / 32;
            }
            let case = || format!("{o:?} exec {exec:#x}\n{t:?}\n{s:?}\n{format:?}");
            assert_eq!(results[0].0, results[1].0, "{}", case());
            assert!(results[0].2 == results[1].2, "memory: {}", case());
            for lane in 0..bed.lanes {
                for k in 0..DATA_REGISTERS as usize {
                    let (want, got) = (results[0].1[lane][k], results[1].1[lane][k]);
                    let nan = |v: u32| match o.flags.contains("d16") {
                        true => v & 0x7fff > 0x7c00 || v >> 16 & 0x7fff > 0x7c00,
                        false => f32::from_bits(v).is_nan(),
                    };
                    let same = want == got || kind.is_some() && nan(want) && nan(got);
                    assert!(same, "lane {lane} register {k}: {got:#x}, not {want:#x}: {}", case());
                }
            }
        }
        went.push(rows);
    }
    went
}

/// At least so many rows of each instruction, in percent, have to go at once; the rest are what only lanes by themselves can do.
fn at_once(ops: &[(Op, Option<Kind>)], went: &[Went], percent: u64) {
    let (mut some, mut all) = (0, 0);
    for ((o, _), rows) in ops.iter().zip(went) {
        let never = o.dim >= 6 || o.dim == 3 && o.sampler || o.flags.contains("tfe") || o.flags.contains("lwe");
        assert_eq!(never, rows.at_once == 0, "{o:?}: {rows:?}");
        if !never {
            (some, all) = (some + rows.at_once, all + rows.all);
        }
    }
    println!("{some} of {all} rows at once");
    assert!(some * 100 >= all * percent, "{some} of {all} rows at once");
}

fn accesses(rng: &mut Rng, name: &str) -> Vec<(Op, Option<Kind>)> {
    let mut ops = Vec::new();
    for dim in 0..8 {
        for mip in [false, true] {
            if mip && dim >= 6 {
                continue;
            }
            for flags in ["", "d16", "a16", "d16 a16", "tfe"] {
                if flags == "tfe" && (name == "image_store" || mip) {
                    continue;
                }
                let all = [1, 2, 3, 3, 2, 3, 3, 4][dim] + u32::from(mip);
                let addresses = if flags.contains("a16") { all.div_ceil(2) } else { all };
                let name = if mip { format!("{name}_mip") } else { name.to_string() };
                let mut op = Op::plain(&name, dim, addresses, 1 + rng.below(15), flags);
                op.nsa = rng.chance(40) && addresses > 1;
                ops.push((op, None));
            }
        }
    }
    ops
}

#[test]
fn loads() {
    let ops = accesses(&mut Rng(1), "image_load");
    at_once(&ops, &check(0x10ad, &ops, 60, WaveSize::W32), 75);
    at_once(&ops, &check(0x10ae, &ops, 20, WaveSize::W64), 75);
}

#[test]
fn stores() {
    let ops = accesses(&mut Rng(2), "image_store");
    at_once(&ops, &check(0x5708e, &ops, 60, WaveSize::W32), 75);
    at_once(&ops, &check(0x5708f, &ops, 20, WaveSize::W64), 75);
}

fn samples(rng: &mut Rng, kinds: Vec<Kind>) -> Vec<(Op, Option<Kind>)> {
    let mut ops = Vec::new();
    for kind in kinds {
        for dim in 0..6 {
            if kind.base == "sample" || matches!(dim, 1 | 3 | 5) {
                ops.push((kind.op(rng, dim), Some(kind)));
            }
        }
    }
    ops
}

/// Every kind, and those with narrow addresses and data or coordinates in texels.
fn variants(all: Vec<Kind>, rng: &mut Rng) -> Vec<Kind> {
    let one =
        |k: &Kind, rng: &mut Rng| Kind { a16: rng.chance(15), d16: rng.chance(25), unnormalized: rng.chance(15), ..*k };
    all.iter().map(|k| one(k, rng)).collect()
}

#[test]
fn every_sample_at_once() {
    let mut rng = Rng(3);
    let kinds = variants(every_sample(), &mut rng);
    let ops = samples(&mut rng, kinds);
    at_once(&ops, &check(0x5a3b1e, &ops, 40, WaveSize::W32), 40);
}

#[test]
fn common_samples_at_once() {
    let mut rng = Rng(4);
    let kinds = ["", "lz", "l", "d", "b"].map(|lod| Kind { lod, ..PLAIN });
    let ops = samples(&mut rng, kinds.to_vec());
    at_once(&ops, &check(0xc033, &ops, 250, WaveSize::W32), 40);
    at_once(&ops, &check(0xc034, &ops, 60, WaveSize::W64), 30);
}

#[test]
fn every_gather_at_once() {
    let mut rng = Rng(5);
    let kinds = variants(every_gather(), &mut rng);
    let ops = samples(&mut rng, kinds);
    at_once(&ops, &check(0x9a7, &ops, 60, WaveSize::W32), 40);
}

/// What has a sampler and is never done at once.
#[test]
fn other_samples_go_lane_by_lane() {
    let mut rng = Rng(6);
    let ops = ["gather4h", "get_lod"].map(|base| {
        let kind = Kind { base, ..PLAIN };
        (kind.op(&mut rng, 1), Some(kind))
    });
    assert!(check(0x07e3, &ops, 50, WaveSize::W32).iter().all(|rows| rows.at_once == 0));
}

/// What is kept of a T# is found by all of its words: a work-group that has met others reads what a new one does.
#[test]
fn descriptors_that_differ_a_little() {
    let mut rng = Rng(7);
    let op = Op::plain("image_load", 5, 3, 15, "");
    let programs = Programs::by_house(std::slice::from_ref(&op), WaveSize::W32);
    let mut bed = ImageBed::new(WaveSize::W32, &programs, IMAGE_BYTES);
    bed.exec(!0);
    let bytes: Vec<u8> = (0..IMAGE_BYTES / 4).flat_map(|_| rng.next().to_le_bytes()).collect();
    bed.put(bed.image, &bytes);
    (0..32).for_each(|lane| (0..3).for_each(|k| bed.set(op.register(k), lane, lane as u32 >> k & 3)));
    let first = ImageDescriptor::linear(bed.image, 56, ImageType::D2Array, [9, 9, 4], 3);
    let s = SamplerDescriptor::default();
    let read = |bed: &mut ImageBed, t: &ImageDescriptor, fresh: bool| {
        bed.descriptors(t, &s);
        if fresh {
            bed.bed.group = WorkGroup::new();
        }
        bed.run(0).unwrap();
        (0..32).map(|lane| [0, 1, 2, 3].map(|k| bed.out(k, lane))).collect::<Vec<_>>()
    };
    let mut cases = vec![first; 300];
    for t in &mut cases {
        match rng.below(8) {
            0 => t.base += 256 * u64::from(rng.below(9)),
            1 => t.format = rng.pick(&[57, 60, 22]),
            2 => t.last_x = 1 + rng.below(3),
            3 => t.last_y = 1 + rng.below(3),
            4 => t.dst_sel = [0, 1, 2, 3].map(|_| 4 + rng.below(4) as u8),
            5 => t.base_array = rng.below(4),
            6 => t.last_slice = rng.below(4),
            _ => t.max_mip = 2 + rng.below(4) as u8,
        }
    }
    let known: Vec<_> = cases.iter().map(|t| read(&mut bed, t, false)).collect();
    for (t, known) in cases.iter().zip(known) {
        assert_eq!(known, read(&mut bed, t, true), "{t:?}");
    }
}
