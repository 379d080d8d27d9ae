//! Floating point where the result is one: comparisons, NaN and signed zeros, conversions between widths, composition and
//! decomposition, packing; and the modes of rounding and of denormals that a module can ask for.

// Tables of operations and their plain meanings; comparisons as NaN wants them.
#![allow(clippy::type_complexity, clippy::neg_cmp_op_on_partial_ord, clippy::double_comparisons)]

use spirv::{Capability, Decoration, ExecutionMode, FPFastMathMode, FPRoundingMode, GlslStd450Op as G, Op};
use wavepipe_runtime::Config;
use wavepipe_runtime::simple::Session;
use wavepipe_tests::cases::{COUNT, Case, check_on, format, kinds, mask, samples};
use wavepipe_tests::interval::{Format, exponent, power};
use wavepipe_tests::shader::{Scalar, Shader};

fn session() -> Session {
    Session::new(&Config::checked()).unwrap()
}

const WIDTHS: [u32; 3] = [16, 32, 64];

#[test]
fn comparisons_and_classes() {
    let session = session();
    type Model = fn(f64, f64) -> bool;
    let ops: &[(Op, Model)] = &[
        (Op::FOrdEqual, |x, y| x == y),
        (Op::FOrdNotEqual, |x, y| x < y || x > y),
        (Op::FOrdLessThan, |x, y| x < y),
        (Op::FOrdLessThanEqual, |x, y| x <= y),
        (Op::FOrdGreaterThan, |x, y| x > y),
        (Op::FOrdGreaterThanEqual, |x, y| x >= y),
        (Op::FUnordEqual, |x, y| !(x < y || x > y)),
        (Op::FUnordNotEqual, |x, y| x != y),
        (Op::FUnordLessThan, |x, y| !(x >= y)),
        (Op::FUnordLessThanEqual, |x, y| !(x > y)),
        (Op::FUnordGreaterThan, |x, y| !(x <= y)),
        (Op::FUnordGreaterThanEqual, |x, y| !(x < y)),
        (Op::IsNan, |x, _| x.is_nan()),
        (Op::IsInf, |x, _| x.is_infinite()),
    ];
    for bits in WIDTHS {
        let (s, f) = (Scalar::Float(bits), format(bits));
        let mut data = vec![kinds(bits, 1), kinds(bits, 2)];
        for n in (0..data[0].len()).step_by(7) {
            data[1][n] = data[0][n];
        }
        for &(op, model) in ops {
            let emit = |m: &mut Shader| {
                let (word, boolean) = (m.scalar(Scalar::Int(32)), m.boolean());
                let (yes, no) = (m.constant(Scalar::Int(32), 1), m.constant(Scalar::Int(32), 0));
                let both = [m.input(0), m.input(1)];
                let args = if matches!(op, Op::IsNan | Op::IsInf) { &both[..1] } else { &both[..] };
                let c = m.op(op, boolean, args);
                m.op(Op::Select, word, &[c, yes, no])
            };
            let value = |a: &[u64]| Some(u64::from(model(f.number(a[0]), f.number(a[1]))));
            let case = Case {
                name: format!("{op:?} {bits}"),
                inputs: vec![s, s],
                output: Scalar::Int(32),
                emit: &emit,
                value: &value,
            };
            check_on(&session, &case, &data);
        }
    }
}

/// NMin, NMax and NClamp do not give a NaN if they need not; the others at least agree on numbers.
#[test]
fn extremes() {
    let session = session();
    for bits in WIDTHS {
        let (s, f) = (Scalar::Float(bits), format(bits));
        let data = [kinds(bits, 3), kinds(bits, 4), kinds(bits, 5)];
        for op in [G::NMin, G::NMax, G::NClamp, G::FMin, G::FMax, G::FClamp] {
            let n = if matches!(op, G::NClamp | G::FClamp) { 3 } else { 2 };
            let emit = |m: &mut Shader| {
                let ty = m.scalar(s);
                let args: Vec<u32> = (0..n).map(|n| m.input(n)).collect();
                m.glsl(op, ty, &args)
            };
            let value = |a: &[u64]| {
                let [x, y, z] = [0, 1, n - 1].map(|n| f.number(a[n]));
                let nan = a[..n].iter().any(|&a| f.number(a).is_nan());
                let zeros = a[..n].iter().filter(|&&a| f.number(a) == 0.0).count() > 1;
                if zeros || nan && matches!(op, G::FMin | G::FMax | G::FClamp) {
                    return None;
                }
                Some(f.bits_of(match op {
                    G::NMin | G::FMin => x.min(y),
                    G::NMax | G::FMax => x.max(y),
                    _ if !(y <= z) => return None,
                    _ => x.max(y).min(z),
                }))
            };
            let name = format!("{op:?} {bits}");
            check_on(&session, &Case { name, inputs: vec![s; n], output: s, emit: &emit, value: &value }, &data[..n]);
        }
        // The usual bounds have a modifier of their own.
        for op in [G::NClamp, G::FClamp] {
            let emit = |m: &mut Shader| {
                let ty = m.scalar(s);
                let (zero, one) = (m.constant(s, 0), m.constant(s, f.bits_of(1.0)));
                m.glsl(op, ty, &[m.input(0), zero, one])
            };
            let value = |a: &[u64]| {
                let x = f.number(a[0]);
                if x.is_nan() {
                    return (op == G::NClamp).then_some(0);
                }
                (x != 0.0).then(|| f.bits_of(x.clamp(0.0, 1.0)))
            };
            let name = format!("saturate {bits}");
            check_on(&session, &Case { name, inputs: vec![s], output: s, emit: &emit, value: &value }, &data[..1]);
        }
    }
}

/// Powers that are products, of negative numbers too.
#[test]
fn whole_powers() {
    let session = session();
    for (bits, n) in [16, 32].into_iter().flat_map(|bits| [1, 2, 4].map(|n| (bits, n))) {
        let (s, f) = (Scalar::Float(bits), format(bits));
        let emit = |m: &mut Shader| {
            let (ty, n) = (m.scalar(s), m.constant(s, f.bits_of(n.into())));
            m.glsl(G::Pow, ty, &[m.input(0), n])
        };
        // Fourth powers of these are whole, and below 2¹¹ as f16 has them.
        let data: Vec<u64> = (-6..=6).cycle().take(COUNT).map(|x| f.bits_of(x.into())).collect();
        let value = |a: &[u64]| Some(f.bits_of(f.number(a[0]).powi(n)));
        let name = format!("x to the {n} {bits}");
        check_on(&session, &Case { name, inputs: vec![s], output: s, emit: &emit, value: &value }, &[data]);
    }
}

/// `x` in the format, towards zero.
fn truncated(f: &Format, x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    if x.abs() > f.max {
        return f.max.copysign(x);
    }
    let unit = power(exponent(x).max(f.least) - f.digits + 1);
    (x / unit).trunc() * unit
}

#[test]
fn conversions_between_widths() {
    let session = session();
    for from in WIDTHS {
        for to in WIDTHS.into_iter().filter(|&to| to != from) {
            for rounding in [None, Some(FPRoundingMode::RTE), Some(FPRoundingMode::RTZ)] {
                if rounding.is_some() && to > from {
                    continue;
                }
                for mode in [None, Some(ExecutionMode::RoundingModeRTZ)] {
                    let (s, t) = (Scalar::Float(from), Scalar::Float(to));
                    let (f, g) = (format(from), format(to));
                    let emit = |m: &mut Shader| {
                        let ty = m.scalar(t);
                        if let Some(mode) = mode {
                            m.capability(Capability::RoundingModeRTZ);
                            m.mode(mode, &[to]);
                        }
                        let r = m.op(Op::FConvert, ty, &[m.input(0)]);
                        if let Some(rounding) = rounding {
                            m.decorate(r, Decoration::FPRoundingMode, &[rounding as u32]);
                        }
                        r
                    };
                    let zero = rounding.map_or(mode.is_some(), |r| r == FPRoundingMode::RTZ);
                    let value = |a: &[u64]| {
                        let x = f.number(a[0]);
                        Some(g.bits_of(if zero { truncated(&g, x) } else { x }))
                    };
                    let name = format!("{from} to {to} {rounding:?} {mode:?}");
                    let case = Case { name, inputs: vec![s], output: t, emit: &emit, value: &value };
                    let mut data = kinds(from, 6);
                    // Numbers that end just at, below and above the middle between two of the narrower format.
                    let lost = f.digits.saturating_sub(g.digits).max(1) as u32;
                    for (n, x) in samples(Scalar::Int(from), 7).into_iter().enumerate().filter(|(n, _)| n % 3 == 0) {
                        let middle = 1 << (lost - 1);
                        let tail = [middle, middle - 1, middle + 1][n / 3 % 3] & mask(lost);
                        data[n] = f.bits_of(1.0 + (x % 512) as f64 / 256.0) & !mask(lost) | tail;
                    }
                    check_on(&session, &case, &[data]);
                }
            }
        }
    }
}

/// Operations whose exact result f64 holds, in each mode. Operands are near one another, or denormal.
#[test]
fn rounding_and_denormal_modes() {
    let session = session();
    for bits in [16, 32] {
        let (s, f) = (Scalar::Float(bits), format(bits));
        let fraction = f.digits as u32 - 1;
        let near = |seed: u64| -> Vec<u64> {
            let bias = mask(bits - fraction - 2);
            let values = kinds(bits, seed).into_iter().enumerate();
            values
                .map(|(n, x)| match n % 4 {
                    // Small ones, whose sums and differences are denormal.
                    0 => x & (1 << (bits - 1) | mask(fraction)),
                    1 => x & (1 << (bits - 1) | mask(fraction)) | 1 << fraction,
                    _ => x & (1 << (bits - 1) | mask(fraction)) | (bias + n as u64 % 8) << fraction,
                })
                .collect()
        };
        let data = [near(8), near(9)];
        for rtz in [false, true] {
            for flush in [false, true] {
                type Model = fn(f64, f64) -> f64;
                let ops: &[(Op, Model)] = &[
                    (Op::FAdd, |x, y| x + y),
                    (Op::FSub, |x, y| x - y),
                    (Op::FMul, |x, y| x * y),
                    (Op::FNegate, |x, _| -x),
                ];
                for &(op, model) in ops {
                    let emit = |m: &mut Shader| {
                        let (round, denormals) = (
                            [ExecutionMode::RoundingModeRTE, ExecutionMode::RoundingModeRTZ][usize::from(rtz)],
                            [ExecutionMode::DenormPreserve, ExecutionMode::DenormFlushToZero][usize::from(flush)],
                        );
                        m.capability(if rtz { Capability::RoundingModeRTZ } else { Capability::RoundingModeRTE });
                        m.capability(if flush { Capability::DenormFlushToZero } else { Capability::DenormPreserve });
                        m.mode(round, &[bits]);
                        m.mode(denormals, &[bits]);
                        let ty = m.scalar(s);
                        let both = [m.input(0), m.input(1)];
                        m.op(op, ty, if op == Op::FNegate { &both[..1] } else { &both })
                    };
                    let value = |a: &[u64]| {
                        let flushed = |x: f64| {
                            if flush && x.abs() < power(f.least) { 0f64.copysign(x) } else { x }
                        };
                        let exact = model(flushed(f.number(a[0])), flushed(f.number(a[1])));
                        let rounded = if rtz { truncated(&f, exact) } else { f.number(f.bits_of(exact)) };
                        // What is rounded up to the least normal number: before or after flushing?
                        if flush && exact.abs() < power(f.least) && rounded.abs() >= power(f.least) {
                            return None;
                        }
                        Some(f.bits_of(flushed(rounded)))
                    };
                    let name = format!("{op:?} {bits} towards zero {rtz} flushed {flush}");
                    let case = Case { name, inputs: vec![s, s], output: s, emit: &emit, value: &value };
                    check_on(&session, &case, &data);
                }
            }
        }
    }
}

/// a·b + c is rounded twice where contraction is not allowed.
#[test]
fn contraction() {
    let session = session();
    let (s, f) = (Scalar::Float(32), format(32));
    let data: Vec<Vec<u64>> = (10..13)
        .map(|seed| {
            samples(Scalar::Int(32), seed).iter().map(|x| f.bits_of(1.0 + (x % 4093) as f64 / 4096.3)).collect()
        })
        .collect();
    let twice = |a: &[u64]| {
        let [x, y, z] = [0, 1, 2].map(|n| f32::from_bits(a[n] as u32));
        Some(u64::from((x * y + z).to_bits()))
    };
    let differs = (0..data[0].len()).any(|n| {
        let [x, y, z] = [0, 1, 2].map(|k| f32::from_bits(data[k][n] as u32));
        x.mul_add(y, z) != x * y + z
    });
    assert!(differs, "the operands show no contraction");
    let sum = |m: &mut Shader| {
        let ty = m.scalar(s);
        let p = m.op(Op::FMul, ty, &[m.input(0), m.input(1)]);
        (p, m.op(Op::FAdd, ty, &[p, m.input(2)]))
    };
    let no_contraction = |m: &mut Shader| {
        let (p, r) = sum(m);
        m.decorate(p, Decoration::NoContraction, &[]);
        m.decorate(r, Decoration::NoContraction, &[]);
        r
    };
    let fast_math = |m: &mut Shader| {
        m.capability(Capability::FloatControls2);
        m.extension("SPV_KHR_float_controls2");
        let (p, r) = sum(m);
        for id in [p, r] {
            m.decorate(id, Decoration::FPFastMathMode, &[(FPFastMathMode::NSZ | FPFastMathMode::NOT_INF).bits()]);
        }
        r
    };
    let default = |m: &mut Shader| {
        m.capability(Capability::FloatControls2);
        m.extension("SPV_KHR_float_controls2");
        let (ty, none) = (m.scalar(s), m.constant(Scalar::Int(32), 0));
        m.mode_id(ExecutionMode::FPFastMathDefault, &[ty, none]);
        sum(m).1
    };
    let emits: [(&str, &dyn Fn(&mut Shader) -> u32); 3] =
        [("NoContraction", &no_contraction), ("FPFastMathMode", &fast_math), ("FPFastMathDefault", &default)];
    for (name, emit) in emits {
        let case = Case { name: name.into(), inputs: vec![s; 3], output: s, emit, value: &twice };
        check_on(&session, &case, &data);
    }
}

fn split(x: f64) -> (f64, i64) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let e = exponent(x) + 1;
    (x / power(e / 2) / power(e - e / 2), e.into())
}

#[test]
fn parts_of_floats() {
    let session = session();
    let word = Scalar::Int(32);
    for bits in WIDTHS {
        let (s, f) = (Scalar::Float(bits), format(bits));
        let data = [kinds(bits, 20), samples(Scalar::Int(16), 21).iter().map(|x| x % 4400).collect::<Vec<u64>>()];
        let finite = |x: f64| x.is_finite();
        for part in 0..2 {
            let frexp = |m: &mut Shader| {
                let (ty, w) = (m.scalar(s), m.scalar(word));
                let both = m.ty(Op::TypeStruct, &[ty, w]);
                let r = m.glsl(G::FrexpStruct, both, &[m.input(0)]);
                let t = if part == 0 { ty } else { w };
                m.op(Op::CompositeExtract, t, &[r, part])
            };
            let value = |a: &[u64]| {
                let x = f.number(a[0]);
                let (m, e) = split(x);
                finite(x).then(|| if part == 0 { f.bits_of(m) } else { e as u64 })
            };
            let output = if part == 0 { s } else { word };
            let name = format!("frexp {bits} part {part}");
            check_on(&session, &Case { name, inputs: vec![s], output, emit: &frexp, value: &value }, &data[..1]);
            let modf = |m: &mut Shader| {
                let ty = m.scalar(s);
                // A structure of two alike is another type than frexp's.
                let both = m.ty(Op::TypeStruct, &[ty, ty]);
                let r = m.glsl(G::ModfStruct, both, &[m.input(0)]);
                m.op(Op::CompositeExtract, ty, &[r, part])
            };
            let value = |a: &[u64]| {
                let x = f.number(a[0]);
                let fraction = if x.is_infinite() { 0f64.copysign(x) } else { (x - x.trunc()).copysign(x) };
                Some(f.bits_of(if part == 0 { fraction } else { x.trunc() }))
            };
            let name = format!("modf {bits} part {part}");
            check_on(&session, &Case { name, inputs: vec![s], output: s, emit: &modf, value: &value }, &data[..1]);
        }
        // Exponents around zero, and ones that only 64 bits hold.
        for (exponent_bits, shift) in [(8, 0), (16, 0), (32, 0), (64, 0), (64, 40)] {
            let (e, middle) = (Scalar::Int(exponent_bits), if exponent_bits == 8 { 0 } else { 2200 });
            let data = [data[0].clone(), data[1].iter().map(|x| x & mask(exponent_bits)).collect()];
            let ldexp = |m: &mut Shader| {
                let (ty, w) = (m.scalar(s), m.scalar(e));
                let (middle, shift) = (m.constant(e, middle), m.constant(e, shift));
                let n = m.op(Op::ISub, w, &[m.input(1), middle]);
                let n = m.op(Op::ShiftLeftLogical, w, &[n, shift]);
                m.glsl(G::Ldexp, ty, &[m.input(0), n])
            };
            let value = |a: &[u64]| {
                let n = if exponent_bits == 8 { i64::from(a[1] as i8) } else { (a[1] as i64 - middle as i64) << shift };
                let (x, mut n) = (f.number(a[0]), n.clamp(-5000, 5000) as i32);
                let mut y = x;
                // In steps that stay exact until the last: down by the rest at once, so that it rounds once.
                while n > 1000 {
                    (y, n) = (y * power(1000), n - 1000);
                }
                while n < -900 && y.abs() > power(-60) {
                    (y, n) = (y * power(-900), n + 900);
                }
                let unit = power(n.max(-1074).min(1023));
                let exact = y * unit;
                // Two roundings here at 64 bits, or out of what is held exactly: leave it.
                let twice = n < -1022 || bits == 64 && exact.abs() < power(-1021);
                (!twice).then(|| f.bits_of(exact))
            };
            let name = format!("ldexp {bits} by {exponent_bits} bits << {shift}");
            check_on(&session, &Case { name, inputs: vec![s, e], output: s, emit: &ldexp, value: &value }, &data);
        }
    }
}

/// Four f32 elements to a word, and words to floats.
#[test]
fn packing() {
    let session = session();
    let (single, word) = (Scalar::Float(32), Scalar::Int(32));
    let f = format(32);
    let floats: Vec<Vec<u64>> = (30..34)
        .map(|seed| samples(word, seed).iter().map(|x| f.bits_of((*x as f64 / 3e9 - 0.7) * 1.9)).collect())
        .collect();
    let norm = |x: u64, bits: u32, signed: bool| {
        let x = f32::from_bits(x as u32);
        let top = ((1u64 << (bits - u32::from(signed))) - 1) as f32;
        ((x.clamp(if signed { -1.0 } else { 0.0 }, 1.0) * top).round_ties_even() as i64 as u64) & mask(bits)
    };
    let packs = [
        (G::PackSnorm4x8, 4, 8, true),
        (G::PackUnorm4x8, 4, 8, false),
        (G::PackSnorm2x16, 2, 16, true),
        (G::PackUnorm2x16, 2, 16, false),
    ];
    for (op, n, bits, signed) in packs {
        let emit = |m: &mut Shader| {
            let (ty, w) = (m.scalar(single), m.scalar(word));
            let v = m.vector(ty, n);
            let args: Vec<u32> = (0..n as usize).map(|n| m.input(n)).collect();
            let v = m.op(Op::CompositeConstruct, v, &args);
            m.glsl(op, w, &[v])
        };
        let value = |a: &[u64]| Some((0..n as usize).fold(0, |w, k| w | norm(a[k], bits, signed) << (bits * k as u32)));
        let (name, inputs) = (format!("{op:?}"), vec![single; n as usize]);
        check_on(&session, &Case { name, inputs, output: word, emit: &emit, value: &value }, &floats[..n as usize]);
    }
    let unpacks = [
        (G::UnpackSnorm4x8, 4, 8, true),
        (G::UnpackUnorm4x8, 4, 8, false),
        (G::UnpackSnorm2x16, 2, 16, true),
        (G::UnpackUnorm2x16, 2, 16, false),
    ];
    let words = vec![samples(word, 40)];
    for (op, n, bits, signed) in unpacks {
        for part in 0..n {
            let emit = |m: &mut Shader| {
                let ty = m.scalar(single);
                let v = m.vector(ty, n);
                let v = m.glsl(op, v, &[m.input(0)]);
                // Scaled back and rounded: the quotient itself may be off in its last place.
                let x = m.op(Op::CompositeExtract, ty, &[v, part]);
                let top = m.constant(single, f.bits_of(((1u64 << (bits - u32::from(signed))) - 1) as f64));
                let x = m.op(Op::FMul, ty, &[x, top]);
                m.glsl(G::RoundEven, ty, &[x])
            };
            let value = |a: &[u64]| {
                let x = a[0] >> (bits * part) & mask(bits);
                let top = ((1u64 << (bits - u32::from(signed))) - 1) as f64;
                let x = if signed { (x << (64 - bits)) as i64 as f64 / power(64 - bits as i32) } else { x as f64 };
                let x = x.max(-top);
                // The sign of zero is free.
                (x != 0.0).then(|| f.bits_of(x))
            };
            let name = format!("{op:?} {part}");
            check_on(&session, &Case { name, inputs: vec![word], output: single, emit: &emit, value: &value }, &words);
        }
    }
    let half = format(16);
    let emit = |m: &mut Shader| {
        let (ty, w) = (m.scalar(single), m.scalar(word));
        let v = m.vector(ty, 2);
        let v = m.op(Op::CompositeConstruct, v, &[m.input(0), m.input(1)]);
        m.glsl(G::PackHalf2x16, w, &[v])
    };
    let value = |a: &[u64]| Some(half.bits_of(f.number(a[0])) | half.bits_of(f.number(a[1])) << 16);
    let case = Case { name: "PackHalf2x16".into(), inputs: vec![single; 2], output: word, emit: &emit, value: &value };
    check_on(&session, &case, &floats[..2]);
    for part in 0..2 {
        let emit = |m: &mut Shader| {
            let ty = m.scalar(single);
            let v = m.vector(ty, 2);
            let v = m.glsl(G::UnpackHalf2x16, v, &[m.input(0)]);
            m.op(Op::CompositeExtract, ty, &[v, part])
        };
        let value = |a: &[u64]| Some(f.bits_of(half.number(a[0] >> (16 * part) & 0xffff)));
        let case =
            Case { name: "UnpackHalf2x16".into(), inputs: vec![word], output: single, emit: &emit, value: &value };
        check_on(&session, &case, &words);
    }
    // Through a double and back, and only its sign changed on the way.
    let emit = |m: &mut Shader| {
        let (w, d) = (m.scalar(word), m.scalar(Scalar::Float(64)));
        let v2 = m.vector(w, 2);
        let v = m.op(Op::CompositeConstruct, v2, &[m.input(0), m.input(1)]);
        let x = m.glsl(G::PackDouble2x32, d, &[v]);
        let x = m.op(Op::FNegate, d, &[x]);
        let v = m.glsl(G::UnpackDouble2x32, v2, &[x]);
        let (a, b) = (m.op(Op::CompositeExtract, w, &[v, 0]), m.op(Op::CompositeExtract, w, &[v, 1]));
        m.op(Op::ISub, w, &[a, b])
    };
    let value = |a: &[u64]| Some((a[0] as u32).wrapping_sub(a[1] as u32 ^ 0x8000_0000).into());
    let case = Case { name: "doubles".into(), inputs: vec![word; 2], output: word, emit: &emit, value: &value };
    check_on(&session, &case, &[samples(word, 41), samples(word, 42)]);
}

/// Geometry on small whole numbers, whose every intermediate result each width holds.
#[test]
fn vectors_and_matrices() {
    let session = session();
    for bits in WIDTHS {
        let (s, f) = (Scalar::Float(bits), format(bits));
        let whole: Vec<Vec<u64>> = (50..59)
            .map(|seed| samples(Scalar::Int(32), seed).iter().map(|x| f.bits_of((x >> 3) as f64 % 5.0 - 2.0)).collect())
            .collect();
        let numbers = |a: &[u64]| -> Vec<f64> { a.iter().map(|&a| f.number(a)).collect() };
        // Bits of a whole number; the sign of zero is free.
        let bits_of = |x: f64| (x != 0.0).then(|| f.bits_of(x));
        let check = |name: &str, n: usize, emit: &dyn Fn(&mut Shader) -> u32, value: &dyn Fn(&[f64]) -> Option<f64>| {
            let value = |a: &[u64]| value(&numbers(a)).and_then(bits_of);
            let case = Case { name: format!("{name} {bits}"), inputs: vec![s; n], output: s, emit, value: &value };
            check_on(&session, &case, &whole[..n]);
        };
        let vector = |m: &mut Shader, from: usize, n: usize| {
            let ty = m.scalar(s);
            let v = m.vector(ty, n as u32);
            let parts: Vec<u32> = (from..from + n).map(|k| m.input(k)).collect();
            (v, m.op(Op::CompositeConstruct, v, &parts))
        };
        for part in 0..3usize {
            let cross = |m: &mut Shader| {
                let ((v, a), (_, b)) = (vector(m, 0, 3), vector(m, 3, 3));
                let (c, ty) = (m.glsl(G::Cross, v, &[a, b]), m.scalar(s));
                m.op(Op::CompositeExtract, ty, &[c, part as u32])
            };
            let (p, q) = ((part + 1) % 3, (part + 2) % 3);
            check("cross", 6, &cross, &|x| Some(x[p] * x[3 + q] - x[q] * x[3 + p]));
            let forward = |m: &mut Shader| {
                let ((v, a), (_, b), (_, c)) = (vector(m, 0, 3), vector(m, 3, 3), vector(m, 6, 3));
                let (r, ty) = (m.glsl(G::FaceForward, v, &[a, b, c]), m.scalar(s));
                m.op(Op::CompositeExtract, ty, &[r, part as u32])
            };
            check("face forward", 9, &forward, &|x| {
                let dot: f64 = (0..3).map(|k| x[3 + k] * x[6 + k]).sum();
                Some(if dot < 0.0 { x[part] } else { -x[part] })
            });
        }
        let dot = |m: &mut Shader| {
            let ((_, a), (_, b), ty) = (vector(m, 0, 4), vector(m, 4, 4), m.scalar(s));
            m.op(Op::Dot, ty, &[a, b])
        };
        check("dot", 8, &dot, &|x| Some((0..4).map(|k| x[k] * x[4 + k]).sum()));
        let distance = |m: &mut Shader| {
            let ((_, a), (_, b), ty) = (vector(m, 0, 2), vector(m, 2, 2), m.scalar(s));
            let d = m.glsl(G::Distance, ty, &[a, b]);
            m.glsl(G::RoundEven, ty, &[d])
        };
        check("distance", 4, &distance, &|x| Some((x[0] - x[2]).hypot(x[1] - x[3]).round_ties_even()));
        let matrix = |m: &mut Shader| {
            let columns = [vector(m, 0, 3), vector(m, 3, 3), vector(m, 6, 3)];
            let ty = m.ty(Op::TypeMatrix, &[columns[0].0, 3]);
            (ty, m.op(Op::CompositeConstruct, ty, &columns.map(|c| c.1)))
        };
        let minor = |x: &[f64], p: [usize; 2], q: [usize; 2]| {
            x[3 * p[0] + q[0]] * x[3 * p[1] + q[1]] - x[3 * p[1] + q[0]] * x[3 * p[0] + q[1]]
        };
        let determinant_of = |x: &[f64]| -> f64 {
            x[0] * minor(x, [1, 2], [1, 2]) - x[3] * minor(x, [0, 2], [1, 2]) + x[6] * minor(x, [0, 1], [1, 2])
        };
        let determinant = |m: &mut Shader| {
            let ((_, a), ty) = (matrix(m), m.scalar(s));
            m.glsl(G::Determinant, ty, &[a])
        };
        check("determinant", 9, &determinant, &|x| Some(determinant_of(x)));
        if bits == 16 {
            // Products that f16 does not hold are no loss if the result is one.
            let large = whole.iter().map(|v| v.iter().map(|&a| f.bits_of(f.number(a) * 27.0 + 1.0)).collect());
            let large: Vec<Vec<u64>> = large.collect();
            let value = |a: &[u64]| bits_of(determinant_of(&numbers(a)));
            let name = "determinant of large numbers".into();
            let case = Case { name, inputs: vec![s; 9], output: s, emit: &determinant, value: &value };
            check_on(&session, &case, &large);
        }
        let inverse = |m: &mut Shader| {
            let ((t, a), ty) = (matrix(m), m.scalar(s));
            let r = m.glsl(G::MatrixInverse, t, &[a]);
            // Row 1 of column 0.
            m.op(Op::CompositeExtract, ty, &[r, 0, 1])
        };
        check("inverse", 9, &inverse, &|x| {
            let d = determinant_of(x);
            [1.0, 2.0, 4.0].contains(&d.abs()).then(|| -minor(x, [0, 2], [1, 2]) / d)
        });
    }
}
