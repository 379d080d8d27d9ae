//! Image atomics against the manual's definitions, lane after lane.

use crate::image::{self, ImageBed, Op, Programs, Rng, linear_offset};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::{ImageDescriptor, ImageType, SamplerDescriptor};

const IMAGE_BYTES: u64 = 1 << 16;

/// What an atomic leaves, written out by the manual.
fn after(name: &str, m: u64, data: u64, compare: u64, wide: bool) -> u64 {
    let mask = if wide { u64::MAX } else { 0xffff_ffff };
    let signed = |v: u64| if wide { v as i64 } else { i64::from(v as i32) };
    let float = |v: u64| if wide { f64::from_bits(v) } else { f64::from(f32::from_bits(v as u32)) };
    let r = match name {
        "swap" => data,
        "cmpswap" if m == compare => data,
        "cmpswap" => m,
        "add" => m.wrapping_add(data),
        "sub" => m.wrapping_sub(data),
        "smin" if signed(data) < signed(m) => data,
        "smax" if signed(data) > signed(m) => data,
        "umin" if data < m => data,
        "umax" if data > m => data,
        "and" => m & data,
        "or" => m | data,
        "xor" => m ^ data,
        "inc" if m >= data => 0,
        "inc" => m + 1,
        "dec" if m == 0 || m > data => data,
        "dec" => m - 1,
        "fcmpswap" if float(m) == float(compare) => data,
        "fmin" if float(data) < float(m) => data,
        "fmax" if float(data) > float(m) => data,
        _ => m,
    };
    r & mask
}

#[test]
fn atomics() {
    let names = [
        "swap", "cmpswap", "add", "sub", "smin", "smax", "umin", "umax", "and", "or", "xor", "inc", "dec", "fcmpswap",
        "fmin", "fmax",
    ];
    let mut rng = Rng(99);
    let mut ops = Vec::new();
    for name in names {
        for wide in [false, true] {
            for glc in ["unorm glc", "unorm"] {
                let dwords = (1 + u32::from(wide)) * (1 + u32::from(name.ends_with("cmpswap")));
                ops.push(Op::plain(&format!("image_atomic_{name}"), 5, 3, (1 << dwords) - 1, glc));
            }
        }
    }
    image::witness::holds("core/tests/image_atomic", ops.iter().map(|o| o.name.clone()));
    let Some(programs) = Programs::new(&ops, WaveSize::W32) else { return };
    let mut bed = ImageBed::new(WaveSize::W32, &programs, IMAGE_BYTES);
    for (i, o) in ops.iter().enumerate() {
        let name = o.name.trim_start_matches("image_atomic_");
        let both = name.ends_with("cmpswap");
        let wide = o.data == if both { 4 } else { 2 };
        let float = name.starts_with('f');
        let t = ImageDescriptor::linear(bed.image, if wide { 62 } else { 20 }, ImageType::D2Array, [8, 2, 3], 1);
        bed.descriptors(&t, &SamplerDescriptor::default());
        let exec = rng.next();
        bed.exec(exec.into());
        let value = |rng: &mut Rng| match (float, wide) {
            (false, _) => u64::from(rng.pick(&[0, 1, 2, 5, u32::MAX, 1 << 31])) | u64::from(rng.below(2)) << 32,
            (true, false) => f32::to_bits(rng.pick(&[0.0, -0.0, 1.5, -3.0, 1e-40])).into(),
            (true, true) => f64::to_bits(rng.pick(&[0.0, -0.0, 1.5, -3.0, 5e-324])),
        };
        let bytes = if wide { 8 } else { 4 };
        let mut memory = std::collections::HashMap::new();
        let mut lanes = Vec::new();
        for lane in 0..32 {
            let at = [rng.below(9), rng.below(2), rng.below(3)];
            let inside = at[0] < 8;
            let offset = linear_offset([8, 2], 1, bytes, [at[0].min(7), at[1], at[2], 0]);
            let (data, compare) = (value(&mut rng), value(&mut rng));
            let start = value(&mut rng) & if wide { u64::MAX } else { 0xffff_ffff };
            memory.entry(offset).or_insert(start);
            for (k, v) in at.into_iter().enumerate() {
                bed.set(1 + k as u32, lane, v);
            }
            let words = match (wide, both) {
                (false, _) => [data as u32, compare as u32, 7, 7],
                (true, _) => [data as u32, (data >> 32) as u32, compare as u32, (compare >> 32) as u32],
            };
            for (k, v) in words.into_iter().enumerate() {
                bed.set(image::DATA + k as u32, lane, v);
            }
            let cut = |v: u64| if wide { v } else { v & 0xffff_ffff };
            lanes.push((inside.then_some(offset), cut(data), cut(compare), words));
        }
        for (&at, &v) in &memory {
            bed.put(bed.image + at, &v.to_le_bytes()[..bytes as usize]);
        }
        bed.run(i).unwrap_or_else(|f| panic!("{o:?}: {f:?}"));
        for (lane, (at, data, compare, words)) in lanes.into_iter().enumerate() {
            let mut old = 0;
            if exec >> lane & 1 != 0
                && let Some(at) = at
            {
                let m = memory.get_mut(&at).unwrap();
                old = *m;
                *m = after(name, old, data, compare, wide);
            }
            let back = exec >> lane & 1 != 0 && o.flags.contains("glc");
            let want = if back { old as u32 } else { words[0] };
            assert_eq!(bed.out(0, lane), want, "{o:?} lane {lane}");
            if wide {
                assert_eq!(bed.out(1, lane), if back { (old >> 32) as u32 } else { words[1] }, "{o:?}");
            }
        }
        for (&at, &v) in &memory {
            assert_eq!(bed.bytes(bed.image + at, bytes as usize), v.to_le_bytes()[..bytes as usize], "{o:?}");
        }
    }
}
