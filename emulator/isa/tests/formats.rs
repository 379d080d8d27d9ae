//! Conversion of texels, against a second one written from the Vulkan specification's formulas in exact arithmetic: every
//! value of every component of up to 16 bits, edges and random floats the other way.

use crate::common::{self, Rng};
use wavepipe_isa::format::{FORMATS, Format, Lanes, Num, TEXEL};

/// The bits `from..from + bits` of a texel.
fn field(texel: &[u8; TEXEL], from: u32, bits: u32) -> u64 {
    (0..bits).filter(|i| texel[((from + i) / 8) as usize] >> ((from + i) % 8) & 1 != 0).map(|i| 1 << i).sum()
}

fn set_field(texel: &mut [u8; TEXEL], from: u32, bits: u32, value: u64) {
    for i in (0..bits).filter(|i| value >> i & 1 != 0) {
        texel[((from + i) / 8) as usize] |= 1 << ((from + i) % 8);
    }
}

/// Value of a float of `bits`, with a sign if 16 or 32, and 5 exponent bits if less than 32; `None` for NaN.
fn float_value(bits: u32, raw: u64) -> Option<f64> {
    if bits == 32 {
        let x = f32::from_bits(raw as u32);
        return (!x.is_nan()).then_some(x.into());
    }
    let (sign, fraction_bits) = match bits {
        16 => (raw >> 15, 10),
        _ => (0, bits - 5),
    };
    let (exponent, fraction) = (raw >> fraction_bits & 31, raw & ((1 << fraction_bits) - 1));
    let magnitude = match exponent {
        31 if fraction != 0 => return None,
        31 => f64::INFINITY,
        0 => fraction as f64 * 2f64.powi(-14 - fraction_bits as i32),
        e => ((1 << fraction_bits) + fraction) as f64 * 2f64.powi(e as i32 - 15 - fraction_bits as i32),
    };
    Some(if sign != 0 { -magnitude } else { magnitude })
}

/// What a register must hold, as a number; `None` for NaN.
fn value(num: Num, bits: u32, raw: u64) -> Option<f64> {
    let signed = if raw >> (bits - 1) & 1 != 0 { raw as f64 - 2f64.powi(bits as i32) } else { raw as f64 };
    let all = 2f64.powi(bits as i32) - 1.0;
    let top = 2f64.powi(bits as i32 - 1) - 1.0;
    Some(match num {
        Num::Unorm => raw as f64 / all,
        Num::Snorm => (signed / top).max(-1.0),
        Num::Uscaled | Num::Uint => raw as f64,
        Num::Sscaled | Num::Sint => signed,
        Num::Float => return float_value(bits, raw),
        Num::Srgb => {
            let x = raw as f64 / all;
            if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
        }
        Num::SharedExponent | Num::Block(_) => unreachable!(),
    })
}

fn num_of(f: &Format, component: usize) -> Num {
    if f.num == Num::Srgb && component == 3 { Num::Unorm } else { f.num }
}

/// (component, first bit, bits) of what a format stores.
fn fields(f: &Format) -> Vec<(usize, u32, u32)> {
    let mut at = 0;
    let mut out = Vec::new();
    for (i, &b) in f.bits.iter().enumerate() {
        if b != 0 {
            out.push((i, at, b.into()));
        }
        at += u32::from(b);
    }
    out
}

fn plain() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().filter(|f| !matches!(f.num, Num::SharedExponent | Num::Block(_)))
}

/// A register's number.
fn register(num: Num, word: u32) -> Option<f64> {
    match num {
        Num::Uint => Some(word.into()),
        Num::Sint => Some((word as i32).into()),
        _ => float_value(32, word.into()),
    }
}

#[test]
fn every_stored_value_becomes_the_nearest_register() {
    let mut r = Rng(1);
    for f in plain() {
        for (c, at, bits) in fields(f) {
            let values: Vec<u64> = match bits {
                0..=16 => (0..1 << bits).collect(),
                _ => (0..4000).map(|i| if i < 64 { 1 << (i % 32) } else { r.next() & 0xffff_ffff }).collect(),
            };
            for raw in values {
                // The neighbours' bits are set at random: none may leak.
                let mut texel: [u8; TEXEL] = std::array::from_fn(|_| r.next() as u8);
                let kept: Vec<u64> = fields(f).iter().map(|&(_, at, bits)| field(&texel, at, bits)).collect();
                texel = [0xa5; TEXEL];
                (0..f.bytes() as usize).for_each(|i| texel[i] = 0);
                for (k, &(i, at, bits)) in fields(f).iter().enumerate() {
                    set_field(&mut texel, at, bits, if i == c { raw } else { kept[k] });
                }
                let out = f.decode(&texel);
                let num = num_of(f, c);
                let want = value(num, bits, raw);
                let got = register(num, out[c]);
                let same = match (want, got) {
                    // Correctly rounded; only the power of sRGB may differ in its last bit of f64.
                    (Some(w), Some(g)) => g as f32 == w as f32 || g == w,
                    (None, None) => true,
                    _ => false,
                };
                assert!(same, "{} component {c} of {raw:#x}: {got:?}, want {want:?}", f.name);
                if num == Num::Float && bits == 32 {
                    assert_eq!(out[c], raw as u32, "the bits of a float are kept");
                }
                for i in (0..4).filter(|i| f.bits[*i] == 0) {
                    assert_eq!(out[i], if i == 3 { f.one() } else { 0 }, "{} component {i} is absent", f.name);
                }
                // What was read is written back as it was, but for NaN and the second code of −1.
                let back = field(&f.encode(out), at, bits);
                let twice = num == Num::Snorm && raw == 1 << (bits - 1);
                let nan = want.is_none() && bits != 32;
                assert!(nan || twice || back == raw, "{} component {c}: {raw:#x} became {back:#x}", f.name);
            }
        }
    }
}

/// Stored numbers in ascending order, and their codes.
fn codes(num: Num, bits: u32) -> Vec<(f64, u64)> {
    let mut all: Vec<(f64, u64)> = (0..1u64 << bits).filter_map(|raw| Some((value(num, bits, raw)?, raw))).collect();
    // −0 and the second code of −1 are no numbers of their own.
    all.retain(|&(_, raw)| {
        !(num == Num::Snorm && raw == 1 << (bits - 1) || num == Num::Float && bits == 16 && raw == 0x8000)
    });
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all
}

/// What is nearest to `x` among `codes`; of two as near, the one whose code is even.
fn nearest(num: Num, codes: &[(f64, u64)], x: f64) -> u64 {
    let finite = &codes[codes.partition_point(|c| c.0 == f64::NEG_INFINITY)..];
    let finite = &finite[..finite.partition_point(|c| c.0 < f64::INFINITY)];
    let at = finite.partition_point(|c| c.0 < x);
    if at == 0 {
        return finite[0].1;
    }
    if at == finite.len() {
        let last = finite[at - 1];
        // Beyond the last finite float by half of its step or more: infinity.
        let step = last.0 - finite[at - 2].0;
        return if num == Num::Float && x >= last.0 + step / 2.0 { codes[codes.len() - 1].1 } else { last.1 };
    }
    let (low, high) = (finite[at - 1], finite[at]);
    // Where components are fractions, their codes are compared: x · (2^n − 1) is exact, quotients are not.
    let (down, up) = match num {
        Num::Unorm | Num::Snorm => {
            let top = codes[codes.len() - 1].1 as f64;
            let y = x * top;
            (y - (low.0 * top).round(), (high.0 * top).round() - y)
        }
        _ => (x - low.0, high.0 - x),
    };
    match down.total_cmp(&up) {
        std::cmp::Ordering::Less => low.1,
        std::cmp::Ordering::Greater => high.1,
        std::cmp::Ordering::Equal => {
            if low.1 & 1 == 0 {
                low.1
            } else {
                high.1
            }
        }
    }
}

#[test]
fn floats_are_stored_as_the_nearest_value() {
    let mut r = Rng(2);
    let mut seen = Vec::new();
    for f in plain().filter(|f| !f.is_integer()) {
        for (c, at, bits) in fields(f).into_iter().filter(|f| f.2 <= 16) {
            let num = num_of(f, c);
            if seen.contains(&(num, bits)) {
                continue;
            }
            seen.push((num, bits));
            let codes = codes(num, bits);
            let mut inputs: Vec<f32> =
                vec![0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e30, -1e30, f32::INFINITY, f32::NEG_INFINITY];
            inputs.extend([65504.0, 65519.9, 65520.0, 65024.0, 65279.9, 65280.0, 64512.0, 65000.0, 1e-8, 3e-8, -3e-8]);
            for i in 0..6000 {
                let (a, b) = (codes[r.next() as usize % codes.len()].0, r.next());
                let near = codes[(codes.partition_point(|c| c.0 <= a)).min(codes.len() - 1)].0;
                // On a value, between two of them, anywhere near, and any bits at all.
                inputs.push(match i % 4 {
                    0 => a as f32,
                    1 => ((a + near) / 2.0) as f32,
                    2 => (a + (near - a) * (b as f64 / u64::MAX as f64)) as f32,
                    _ => f32::from_bits(b as u32),
                });
            }
            for x in inputs {
                let mut components = [r.next() as u32; 4];
                components[c] = x.to_bits();
                let got = field(&f.encode(components), at, bits);
                if x.is_nan() {
                    assert!(
                        if num == Num::Float { float_value(bits, got).is_none() } else { got == 0 },
                        "{}: NaN",
                        f.name
                    );
                    continue;
                }
                let want = match num {
                    // sRGB's codes are evenly spaced before the transfer function, not after it.
                    Num::Srgb => {
                        let y = f64::from(x).clamp(0.0, 1.0);
                        let y = if y <= 0.0031308 { 12.92 * y } else { 1.055 * y.powf(1.0 / 2.4) - 0.055 };
                        (y * 255.0).round_ties_even() as u64
                    }
                    Num::Float if bits == 16 && x.is_sign_negative() && x.abs() <= 2f32.powi(-25) => 0x8000,
                    Num::Float if x == f32::NEG_INFINITY && bits == 16 => 0xfc00,
                    Num::Float if bits == 16 && x <= -65520.0 => 0xfc00,
                    Num::Float if bits == 16 && x < 0.0 => nearest(num, &codes, -f64::from(x)) | 0x8000,
                    _ => nearest(num, &codes, x.into()),
                };
                assert_eq!(got, want, "{} component {c} of {x:?} ({:#x})", f.name, x.to_bits());
            }
        }
    }
    assert!(seen.len() > 25, "{seen:?}");
}

#[test]
fn integers_are_saturated() {
    let mut r = Rng(3);
    for f in plain().filter(|f| f.is_integer()) {
        for (c, at, bits) in fields(f) {
            let edges =
                [0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, !0u32];
            for n in 0..200 {
                let word = edges.get(n).copied().unwrap_or_else(|| r.next() as u32);
                let mut components = [r.next() as u32; 4];
                components[c] = word;
                let got = field(&f.encode(components), at, bits) as i64;
                let want = match f.num {
                    Num::Uint => i64::from(word).min((1 << bits) - 1),
                    _ => i64::from(word as i32).clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1) & ((1 << bits) - 1),
                };
                assert_eq!(got, want, "{} component {c} of {word:#x}", f.name);
            }
        }
    }
}

#[test]
fn shared_exponents() {
    let f = Format::find(132).unwrap();
    assert_eq!((f.num, f.bytes(), f.components()), (Num::SharedExponent, 4, 3));
    let mut r = Rng(4);
    let decode = |word: u32| {
        let mut texel = [0; TEXEL];
        texel[..4].copy_from_slice(&word.to_le_bytes());
        f.decode(&texel).map(|c| f64::from(f32::from_bits(c)))
    };
    for _ in 0..20_000 {
        let word = r.next() as u32;
        let got = decode(word);
        for i in 0..3 {
            let want = f64::from(word >> (9 * i) & 511) * 2f64.powi((word >> 27) as i32 - 24);
            assert_eq!(got[i], want);
        }
        assert_eq!(got[3], 1.0);
    }
    for n in 0..20_000 {
        let x: [f32; 3] = std::array::from_fn(|_| match n % 3 {
            0 => f32::from_bits(r.next() as u32),
            1 => (r.next() % 70_000) as f32 / 8.0,
            _ => (r.next() % 1000) as f32 * 2f32.powi((r.next() % 50) as i32 - 30),
        });
        let stored = f.encode([x[0].to_bits(), x[1].to_bits(), x[2].to_bits(), r.next() as u32]);
        assert!(stored[4..].iter().all(|&b| b == 0));
        let word = u32::from_le_bytes([stored[0], stored[1], stored[2], stored[3]]);
        let got = decode(word);
        let clamped = x.map(|x| if x.is_nan() { 0.0 } else { f64::from(x).clamp(0.0, 65408.0) });
        // Within half a step of the exponent, and no smaller exponent holds the largest.
        let step = 2f64.powi((word >> 27) as i32 - 24);
        for i in 0..3 {
            assert!((got[i] - clamped[i]).abs() <= step / 2.0, "{x:?}: {got:?}");
        }
        let most = clamped.iter().fold(0.0f64, |m, &c| m.max(c));
        assert!(word >> 27 == 0 || (most / (step / 2.0) + 0.5).floor() > 511.0, "{x:?}: {word:#x}");
    }
    for (x, word) in [(1.0f32, 0x8000_0100u32), (0.0, 0), (65408.0, 0xf800_01ff), (f32::INFINITY, 0xf800_01ff)] {
        let bytes = f.encode([x.to_bits(), 0, (-1f32).to_bits(), 0]);
        assert_eq!(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]), word, "{x}");
    }
}

#[test]
fn d16_registers() {
    let find = |name: &str| FORMATS.iter().find(|f| f.name == name).unwrap();
    let (unsigned, signed, float) = (find("32_UINT"), find("32_SINT"), find("32_FLOAT"));
    assert_eq!([0, 5, 0xffff, 0x1_0000, !0].map(|x| unsigned.narrow(x)), [0, 5, 0xffff, 0xffff, 0xffff]);
    let narrowed = [0, -5, -40_000, 40_000].map(|x: i32| signed.narrow(x as u32) as i16);
    assert_eq!(narrowed, [0, -5, -0x8000, 0x7fff]);
    assert_eq!(
        [1.0f32, -2.0, 65520.0, 1.000_488_3].map(|x| float.narrow(x.to_bits())),
        [0x3c00, 0xc000, 0x7c00, 0x3c00]
    );
    assert_eq!((unsigned.widen(0xfffe), signed.widen(0xfffe) as i32), (0xfffe, -2));
    for h in 0..=0xffffu16 {
        let wide = float.widen(h);
        if let Some(x) = float_value(16, h.into()) {
            assert_eq!(f64::from(f32::from_bits(wide)), x);
            assert_eq!(float.narrow(wide), h);
        }
    }
}

/// The numbers stand in order, are found, and fill whole bytes.
#[test]
fn the_table() {
    assert!(FORMATS.windows(2).all(|w| w[0].number < w[1].number));
    for f in FORMATS {
        assert_eq!(Format::find(f.number).map(|g| g.name), Some(f.name));
        let bits: u32 = f.bits.iter().map(|&b| u32::from(b)).sum();
        assert!(bits.is_multiple_of(8) && f.bytes() <= TEXEL as u32, "{}", f.name);
        assert_eq!(f.bytes() * 8, bits);
        // A name lists the bits from the most significant down.
        let spelled: Vec<u32> = f.name.split('_').map_while(|part| part.parse().ok()).collect();
        if !matches!(f.num, Num::Block(_)) && f.number != 0 {
            let stored: Vec<u32> = f.bits.iter().rev().filter(|&&b| b != 0).map(|&b| b.into()).collect();
            assert_eq!(spelled, stored, "{}", f.name);
        }
    }
    for number in (0..=u16::MAX).filter(|n| FORMATS.iter().all(|f| f.number != *n)) {
        assert!(Format::find(number).is_none());
    }
    assert_eq!(FORMATS.iter().filter(|f| f.block_side() == 4).count(), 14);
}

/// Numbers and names are those of Mesa's register database.
#[test]
fn the_register_database() {
    let Some(text) = common::fact("../hw/gfx10-rsrc.json") else { return };
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    let entries = all["enums"]["GFX10_FORMAT"]["entries"].as_array().unwrap();
    let name =
        |e: &serde_json::Value| e["name"].as_str().unwrap().trim().trim_start_matches("GFX10_FORMAT_").to_string();
    let theirs: Vec<(u64, String)> = entries.iter().map(|e| (e["value"].as_u64().unwrap(), name(e))).collect();
    for f in FORMATS {
        assert!(theirs.contains(&(f.number.into(), f.name.to_string())), "{} {}", f.number, f.name);
    }
    let buffers = theirs.iter().filter(|(number, _)| *number < 128).count();
    assert_eq!(FORMATS.iter().filter(|f| f.number < 128).count(), buffers);
}

/// Conversions of 32 texels are those of each: of every value of every component of up to 16 bits, and of random dwords; the other way of
/// floats around every edge.
#[test]
fn lanes_are_converted_as_one() {
    let mut rng = Rng(0x5eed_1a9e);
    let bytes = |dwords: [u32; 4]| -> [u8; TEXEL] {
        let mut texel = [0; TEXEL];
        texel.chunks_exact_mut(4).zip(dwords).for_each(|(to, v)| to.copy_from_slice(&v.to_le_bytes()));
        texel
    };
    let mut rows = 0;
    for f in FORMATS.iter().filter(|f| !matches!(f.num, Num::Block(_))) {
        let most = fields(f).iter().map(|&(_, _, bits)| bits).max().unwrap_or(1).min(16);
        for first in (0..1u32 << most).step_by(32) {
            // The value in every component, or anything.
            let random = first == 0 || rng.next().is_multiple_of(8);
            let texel = |lane: u32| {
                let mut texel = [0; TEXEL];
                fields(f).iter().for_each(|&(_, at, bits)| {
                    set_field(&mut texel, at, bits, u64::from(first + lane) & ((1 << bits) - 1));
                });
                texel
            };
            let mut dwords = [Lanes::ZERO; 4];
            for lane in 0..32 {
                let t = texel(lane);
                for (n, row) in dwords.iter_mut().enumerate() {
                    let v = u32::from_le_bytes([t[4 * n], t[4 * n + 1], t[4 * n + 2], t[4 * n + 3]]);
                    row[lane as usize] = if random { rng.next() as u32 } else { v };
                }
            }
            let wanted = if random { rng.next() as u8 & 15 } else { 15 };
            let mut got = [Lanes::ZERO; 4];
            f.decode_lanes(&dwords, wanted, &mut got);
            for lane in 0..32 {
                let want = f.decode(&bytes(dwords.map(|row| row[lane])));
                for c in (0..4).filter(|c| wanted >> c & 1 != 0) {
                    assert_eq!(got[c][lane], want[c], "{} component {c} of {:x?}", f.name, dwords.map(|row| row[lane]));
                }
            }
            rows += 1;
        }
        for round in 0..200 {
            let mut number = || match rng.next() % 8 {
                0 => [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1e-40, -1e-7, 65519.9, 3e38]
                    [rng.next() as usize % 8],
                // Around the middle between two steps.
                1..4 => {
                    let steps = (1u32 << [8, 10, 16, 5][rng.next() as usize % 4]) as f32 - 1.0;
                    let middle = ((rng.next() as u32 % 0x1_0000) as f32 % steps + 0.5) / steps;
                    f32::from_bits(middle.to_bits().wrapping_add(rng.next() as u32 % 3).wrapping_sub(1))
                }
                4 => (rng.next() as u32 % 4_000_000) as f32 / 1_000_000.0 - 2.0,
                _ => f32::from_bits(rng.next() as u32),
            };
            let components: [Lanes; 4] = std::array::from_fn(|_| {
                Lanes(std::array::from_fn(|_| if round % 4 == 0 { number() as i32 as u32 } else { number().to_bits() }))
            });
            let got = f.encode_lanes(&components);
            let narrow = f.narrow_lanes(&components[0]);
            let wide = f.widen_lanes(&Lanes(components[1].map(|v| v & 0xffff)));
            for lane in 0..32 {
                let one = components.map(|row| row[lane]);
                assert_eq!(bytes(got.map(|row| row[lane])), f.encode(one), "{} of {one:x?}", f.name);
                assert_eq!(narrow[lane], u32::from(f.narrow(one[0])), "{} {:#x}", f.name, one[0]);
                assert_eq!(wide[lane], f.widen(one[1] as u16), "{} {:#x}", f.name, one[1]);
            }
        }
    }
    assert!(rows > 10_000, "{rows}");
}
