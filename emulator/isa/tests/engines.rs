//! The fast engine and the any-mode engine give the same bits in the mode that both have, for every body; and the any-mode
//! engine's directed roundings bracket the exact result.

mod common;

use common::Rng;
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
}
