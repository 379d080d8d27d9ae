//! The fast engine and the any-mode engine give the same bits in the mode that both have, for every body; and the any-mode
//! engine's directed roundings bracket the exact result.

use crate::common::Rng;
use wavepipe_isa::alu::{Alu, Carry, Compare, Engine, FpMode, Host, Lane, Nearest, Wide, WideCarry};
use wavepipe_isa::insts;
use wavepipe_isa::row::Row;

type Words = [u32; 2];
type Answer = (Words, bool);

/// Runs a body on both engines: (fast, any mode).
type Both = Option<fn([Words; 3], bool) -> (Answer, Answer)>;

struct Pair;

fn host() -> Host {
    Host { mode: FpMode::default() }
}

impl Engine for Pair {
    type Out = (&'static Row, Both);
    fn lane<K: Lane>(row: &'static Row) -> Self::Out {
        (
            row,
            Some(|s, _| {
                let s = s.map(|w| w[0]);
                (([K::eval(&mut Nearest, s), 0], false), ([K::eval(&mut host(), s), 0], false))
            }),
        )
    }
    fn compare<K: Compare>(row: &'static Row) -> Self::Out {
        (
            row,
            Some(|s, _| {
                let s = [s[0], s[1]];
                (([0; 2], K::eval(&mut Nearest, s)), ([0; 2], K::eval(&mut host(), s)))
            }),
        )
    }
    fn carry<K: Carry>(row: &'static Row) -> Self::Out {
        (
            row,
            Some(|s, c| {
                let s = s.map(|w| w[0]);
                let ((a, p), (b, q)) = (K::eval(&mut Nearest, s, c), K::eval(&mut host(), s, c));
                (([a, 0], p), ([b, 0], q))
            }),
        )
    }
    fn wide<K: Wide>(row: &'static Row) -> Self::Out {
        (row, Some(|s, _| (K::eval(&mut Nearest, s), K::eval(&mut host(), s))))
    }
    fn wide_carry<K: WideCarry>(row: &'static Row) -> Self::Out {
        (row, Some(|s, c| (K::eval(&mut Nearest, s, c), K::eval(&mut host(), s, c))))
    }
    fn data(row: &'static Row) -> Self::Out {
        (row, None)
    }
}

/// Bits that exercise floats: special values, near-halves, small integers, anything.
fn word(rng: &mut Rng) -> u32 {
    const SPECIAL: [u32; 20] = [
        0,
        0x8000_0000,
        0x3f80_0000,
        0xbf80_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        1,
        0x007f_ffff,
        0x0080_0000,
        0x7f7f_ffff,
        0x3f00_0000,
        0x4b00_0000,
        0x4f00_0000,
        0xcf00_0000,
        0x3c00,
        0x7c00,
        0x03ff,
        0x0001_8001,
        0x477f_f000,
    ];
    match rng.below(5) {
        0 => SPECIAL[rng.below(20) as usize],
        1 => rng.below(70),
        2 => (f32::from_bits(0x3f80_0000 | rng.next() as u32 & 0x7f_ffff) * 16.0 - 24.0).to_bits(),
        // Exponents close together, so that sums cancel and products stay finite.
        3 => rng.next() as u32 & 0x87ff_ffff | 0x3800_0000,
        _ => rng.next() as u32,
    }
}

fn nan_as_one(words: Words, row: &Row) -> u64 {
    use wavepipe_isa::row::Ty;
    let one16 = |v: u32| if v & 0x7fff > 0x7c00 { 0x7e00 } else { v & 0xffff };
    let wide = u64::from(words[0]) | u64::from(words[1]) << 32;
    match row.dst.first() {
        Some(Ty::F32) if f32::from_bits(words[0]).is_nan() => 0x7fc0_0000,
        Some(Ty::F64) if f64::from_bits(wide).is_nan() => 0x7ff8 << 48,
        Some(Ty::F16 | Ty::F16Hi) => u64::from(one16(words[0])),
        Some(Ty::PkF16) => u64::from(one16(words[0] & 0xffff) | one16(words[0] >> 16) << 16),
        _ => wide,
    }
}

#[test]
fn nearest_is_host_in_the_launch_mode() {
    let mut rng = Rng(3);
    for (row, both) in insts::instantiate::<Pair>() {
        let Some(both) = both else { continue };
        for _ in 0..3000 {
            let s = [(); 3].map(|()| [word(&mut rng), word(&mut rng)]);
            let ((fast, p), (any, q)) = both(s, rng.chance(2));
            assert_eq!(nan_as_one(fast, row), nan_as_one(any, row), "{}({s:x?})", row.name);
            assert_eq!(p, q, "{}({s:x?})", row.name);
        }
    }
}

#[test]
fn f16_conversions_round_trip() {
    for h in 0..=0xffffu32 {
        let wide = Nearest.f32_from_f16(h);
        let nan = h & 0x7fff > 0x7c00;
        let back = Nearest.f16_from_f32(wide);
        assert!(back == h || nan && back & 0x7fff > 0x7c00, "{h:x} → {wide:x} → {back:x}");
    }
}

#[test]
fn directed_roundings_bracket_the_nearest() {
    let mut rng = Rng(5);
    let mode = |round: u32| FpMode::from_bits(0x1f0 | round | round << 2);
    let engines = [0, 1, 2, 3].map(|r| Host { mode: mode(r) });
    let line = |v: u32| if v >> 31 != 0 { -i64::from(v & 0x7fff_ffff) } else { i64::from(v) };
    for _ in 0..100_000 {
        let (a, b, c) = (word(&mut rng), word(&mut rng), word(&mut rng));
        let fma = engines.map(|mut e| e.ffma(a, b, c));
        if fma.iter().any(|&v| f32::from_bits(v).is_nan()) {
            continue;
        }
        let [near, up, down, zero] = fma.map(line);
        assert!(down <= near && near <= up && up - down <= 1, "{a:x} · {b:x} + {c:x}: {fma:x?}");
        let toward = if f32::from_bits(fma[0]) >= 0.0 { down } else { up };
        assert!(
            zero == toward || near == 0 && zero == 0 || zero.abs() <= near.abs(),
            "{a:x} · {b:x} + {c:x}: {fma:x?}"
        );
    }
}

#[test]
fn denormal_modes() {
    let tiny = 0x0040_0000;
    let one = 0x3f80_0000;
    let half = 0x3f00_0000;
    let least = 0x0080_0000;
    let run = |denorm: u32, a, b| Host { mode: FpMode::from_bits(0x1c0 | denorm << 4) }.fmul(a, b);
    // Kept; flushed in; flushed out.
    assert_eq!(run(3, tiny, one), tiny);
    assert_eq!(run(2, tiny, one), 0);
    assert_eq!(run(1, least, half), 0);
    assert_eq!(run(3, least, half), tiny);
    assert_eq!(run(0, tiny | 1 << 31, one), 1 << 31);
    // The two bits of f16 and f64.
    let engine = |denorm: u32| Host { mode: FpMode::from_bits(0x130 | denorm << 6) };
    let run = |denorm: u32, a, b| engine(denorm).hmul(a, b);
    let runs = [(3, 0x200, 0x3c00), (2, 0x200, 0x3c00), (1, 0x400, 0x3800), (3, 0x400, 0x3800), (0, 0x8200, 0x3c00)];
    assert_eq!(runs.map(|(denorm, a, b)| run(denorm, a, b)), [0x200, 0, 0, 0x200, 0x8000]);
    let run = |denorm: u32, a, b| engine(denorm).dmul([0, a], [0, b])[1];
    let (tiny, one, half, least) = (0x8_0000, 0x3ff0_0000, 0x3fe0_0000, 0x10_0000);
    let runs = [(3, tiny, one), (2, tiny, one), (1, least, half), (3, least, half), (0, tiny | 1 << 31, one)];
    assert_eq!(runs.map(|(denorm, a, b)| run(denorm, a, b)), [tiny, 0, 0, tiny, 1 << 31]);
}

/// f64 bits that meet: close exponents, few and many fraction bits, the ends of the range.
fn double(rng: &mut Rng) -> f64 {
    const SPECIAL: [u64; 10] = [
        0,
        1,
        0xf_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x3ff0_0000_0000_0000,
        0x3ff0_0000_0000_0001,
        0x7fef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
        0x4340_0000_0000_0000,
        0x3ca0_0000_0000_0000,
    ];
    let bits = match rng.below(4) {
        0 => SPECIAL[rng.below(10) as usize],
        1 => u64::from(900 + rng.below(200)) << 52 | rng.next() >> 12,
        2 => u64::from(1000 + rng.below(60)) << 52 | (rng.next() & 0xf) << 48 | rng.next() & 3,
        _ => rng.next(),
    };
    f64::from_bits(bits & !(1 << 63) | u64::from(rng.below(2)) << 63)
}

/// f64 under every rounding mode: to nearest as the host rounds; else by the sign of what the host's rounding lost, which
/// a fused multiply-add tells exactly unless the values are near the ends of the range.
#[test]
fn f64_rounds_by_mode() {
    let mut rng = Rng(7);
    let mode = |round: u32| FpMode::from_bits(0x1f0 | round << 2);
    let mut engines = [0, 1, 2, 3].map(|r| Host { mode: mode(r) });
    let split = |v: f64| [v.to_bits() as u32, (v.to_bits() >> 32) as u32];
    let whole = |v: [u32; 2]| f64::from_bits(u64::from(v[0]) | u64::from(v[1]) << 32);
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    let mut lost_some = 0;
    for _ in 0..300_000 {
        let (a, b, c) = (double(&mut rng), double(&mut rng), double(&mut rng));
        let n = rng.below(300) as i32 - 150;
        let scaled = engines.map(|mut e| whole(e.dldexp(split(a), n as u32)));
        assert!(same(scaled[0], a * 2f64.powi(n)) || a.abs() < 1e-200, "{a:e} · 2^{n}: {scaled:?}");
        let fused = engines.each_mut().map(|e| whole(e.dfma(split(a), split(b), split(c))));
        assert!(same(fused[0], a.mul_add(b, c)), "{a:e} · {b:e} + {c:e}: {:e}", fused[0]);
        if fused[0].is_finite() {
            let [near, up, down, zero] = fused;
            assert!(down <= near && near <= up, "{a:e} · {b:e} + {c:e}: {fused:?}");
            assert!(down == up || down.next_up() == up, "{a:e} · {b:e} + {c:e}: {fused:?}");
            assert!(same(zero, if near > 0.0 || up > 0.0 { down } else { up }) || near == 0.0, "{fused:?}");
        }
        let sum = engines.each_mut().map(|e| whole(e.dadd(split(a), split(b))));
        let product = engines.each_mut().map(|e| whole(e.dmul(split(a), split(b))));
        assert!(same(sum[0], a + b) && same(product[0], a * b), "{a:e}, {b:e}");
        // Knuth's two-sum and Dekker's product give the error of the nearest value.
        let (s, p) = (a + b, a * b);
        let t = s - a;
        let sum_error = (a - (s - t)) + (b - t);
        let product_error = if p.abs() > 1e-280 && p.abs() < 1e300 { a.mul_add(b, -p) } else { f64::NAN };
        for (near, error, all) in [(s, sum_error, sum), (p, product_error, product)] {
            if !near.is_finite() || error.is_nan() || near == 0.0 {
                continue;
            }
            lost_some += u32::from(error != 0.0);
            let above = if error > 0.0 { near.next_up() } else { near };
            let below = if error < 0.0 { near.next_down() } else { near };
            let zero = if near > 0.0 { below } else { above };
            assert!(same(all[1], above) && same(all[2], below) && same(all[3], zero), "{a:e}, {b:e}: {all:?}");
        }
    }
    assert!(lost_some > 50_000, "{lost_some} results were inexact");
    // Overflow and exact zero sums go where the mode points.
    let max = split(f64::MAX);
    let overflow = engines.each_mut().map(|e| whole(e.dadd(max, max)));
    assert_eq!(overflow, [f64::INFINITY, f64::INFINITY, f64::MAX, f64::MAX]);
    let nothing = engines.each_mut().map(|e| whole(e.dadd(split(1.0), split(-1.0))).to_bits());
    assert_eq!(nothing, [0, 0, 1 << 63, 0]);
    let least = engines.each_mut().map(|e| whole(e.dmul(split(f64::from_bits(1)), split(0.25))));
    assert_eq!(least, [0.0, f64::from_bits(1), 0.0, 0.0]);
}

/// MODE.FP16_OVFL: overflow stops at the largest number, infinity stays infinite.
#[test]
fn f16_overflow_mode() {
    let mut e = Host { mode: FpMode::from_bits(0x1f0 | 1 << 23) };
    assert_eq!(e.hadd(0x7bff, 0x7bff), 0x7bff);
    assert_eq!(e.hmul(0xfbff, 0x4000), 0xfbff);
    assert_eq!(e.hadd(0x7c00, 0x7bff), 0x7c00);
    assert_eq!(e.f16_from_f32(70000.0f32.to_bits()), 0x7bff);
    assert_eq!(Host::default().hadd(0x7bff, 0x7bff), 0x7c00);
}
