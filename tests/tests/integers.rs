//! Integer arithmetic at 8, 16, 32 and 64 bits, on lanes that differ and on values that are the same in a work-group,
//! beside the same in 128-bit arithmetic. The modules are SPIR-V; every element is a boundary or a random value.

// Tables of operations and their plain meanings.
#![allow(clippy::type_complexity)]

use spirv::{Capability, GlslStd450Op as G, Op};
use wavepipe_runtime::Config;
use wavepipe_runtime::simple::Session;
use wavepipe_tests::cases::{Case, check, check_on, format, mask, samples, signed};
use wavepipe_tests::shader::{Scalar, Shader};

fn session() -> Session {
    Session::new(&Config::checked()).unwrap()
}

type Model = fn(u64, u64, u32) -> Option<u64>;

const DIVISIONS: [(Op, Model); 5] = [
    (Op::UDiv, |x, y, _| x.checked_div(y)),
    (Op::UMod, |x, y, _| x.checked_rem(y)),
    (Op::SDiv, |x, y, b| signed(x, b).checked_div(signed(y, b)).map(|q| q as u64)),
    (Op::SRem, |x, y, b| signed(x, b).checked_rem(signed(y, b)).map(|q| q as u64)),
    (Op::SMod, |x, y, b| {
        let (x, y) = (signed(x, b), signed(y, b));
        let r = x.checked_rem(y)?;
        Some((if r != 0 && (r < 0) != (y < 0) { r + y } else { r }) as u64)
    }),
];

#[test]
fn binary_operations() {
    let session = session();
    let plain: &[(Op, Model)] = &[
        (Op::IAdd, |x, y, _| Some(x.wrapping_add(y))),
        (Op::ISub, |x, y, _| Some(x.wrapping_sub(y))),
        (Op::IMul, |x, y, _| Some(x.wrapping_mul(y))),
        (Op::BitwiseAnd, |x, y, _| Some(x & y)),
        (Op::BitwiseOr, |x, y, _| Some(x | y)),
        (Op::BitwiseXor, |x, y, _| Some(x ^ y)),
        (Op::ShiftLeftLogical, |x, y, b| (y < u64::from(b)).then(|| x << y)),
        (Op::ShiftRightLogical, |x, y, b| (y < u64::from(b)).then(|| x >> y)),
        (Op::ShiftRightArithmetic, |x, y, b| (y < u64::from(b)).then(|| (signed(x, b) >> y) as u64)),
    ];
    for bits in [8, 16, 32, 64] {
        let s = Scalar::Int(bits);
        for &(op, model) in plain.iter().chain(&DIVISIONS) {
            let emit = |m: &mut Shader| {
                let ty = m.scalar(s);
                m.op(op, ty, &[m.input(0), m.input(1)])
            };
            let value = |a: &[u64]| model(a[0], a[1], bits);
            let name = format!("{op:?} {bits}");
            check(&session, &Case { name, inputs: vec![s, s], output: s, emit: &emit, value: &value });
        }
    }
}

/// Where an estimate of the quotient is one too large or too small: beside multiples of the divisor.
#[test]
fn divisions_beside_multiples() {
    let session = session();
    for bits in [8, 16, 32, 64] {
        let s = Scalar::Int(bits);
        let (divisors, limits) = (samples(s, 1), samples(s, 2));
        for (op, model) in DIVISIONS {
            for beside in [-2, -1, 0, 1] {
                let near = divisors.iter().zip(&limits).map(|(&d, &k)| {
                    let (d, k) = match op {
                        Op::UDiv | Op::UMod => (d.into(), k.into()),
                        _ => (signed(d, bits), signed(k, bits)),
                    };
                    // The largest multiple up to any number.
                    (k - k.checked_rem(d).unwrap_or(0) + beside) as u64 & mask(bits)
                });
                let data = [near.collect(), divisors.clone()];
                let emit = |m: &mut Shader| {
                    let ty = m.scalar(s);
                    m.op(op, ty, &[m.input(0), m.input(1)])
                };
                let value = |a: &[u64]| model(a[0], a[1], bits);
                let name = format!("{op:?} {bits} {beside} beside a multiple");
                check_on(&session, &Case { name, inputs: vec![s, s], output: s, emit: &emit, value: &value }, &data);
            }
        }
    }
}

#[test]
fn comparisons() {
    let session = session();
    let ops: &[(Op, fn(u64, u64, i128, i128) -> bool)] = &[
        (Op::IEqual, |x, y, _, _| x == y),
        (Op::INotEqual, |x, y, _, _| x != y),
        (Op::ULessThan, |x, y, _, _| x < y),
        (Op::UGreaterThanEqual, |x, y, _, _| x >= y),
        (Op::SLessThanEqual, |_, _, x, y| x <= y),
        (Op::SGreaterThan, |_, _, x, y| x > y),
    ];
    for bits in [8, 16, 32, 64] {
        let s = Scalar::Int(bits);
        for &(op, model) in ops {
            let emit = |m: &mut Shader| {
                let (ty, b) = (m.scalar(s), m.boolean());
                let c = m.op(op, b, &[m.input(0), m.input(1)]);
                m.op(Op::Select, ty, &[c, m.input(0), m.input(1)])
            };
            let value =
                |a: &[u64]| Some(if model(a[0], a[1], signed(a[0], bits), signed(a[1], bits)) { a[0] } else { a[1] });
            let name = format!("{op:?} {bits}");
            check(&session, &Case { name, inputs: vec![s, s], output: s, emit: &emit, value: &value });
        }
    }
}

#[test]
fn unary_operations() {
    let session = session();
    let plain: &[(Op, fn(u64, u32) -> u64)] = &[
        (Op::SNegate, |x, _| x.wrapping_neg()),
        (Op::Not, |x, _| !x),
        (Op::BitReverse, |x, b| x.reverse_bits() >> (64 - b)),
        (Op::BitCount, |x, _| u64::from(x.count_ones())),
    ];
    let extended: &[(G, fn(u64, u32) -> u64)] =
        &[(G::SAbs, |x, b| signed(x, b).unsigned_abs() as u64), (G::SSign, |x, b| signed(x, b).signum() as u64)];
    for bits in [8, 16, 32, 64] {
        let s = Scalar::Int(bits);
        for &(op, model) in plain {
            let emit = |m: &mut Shader| {
                let ty = m.scalar(s);
                m.op(op, ty, &[m.input(0)])
            };
            let value = |a: &[u64]| Some(model(a[0], bits));
            let name = format!("{op:?} {bits}");
            check(&session, &Case { name, inputs: vec![s], output: s, emit: &emit, value: &value });
        }
        for &(op, model) in extended {
            let emit = |m: &mut Shader| {
                let ty = m.scalar(s);
                m.glsl(op, ty, &[m.input(0)])
            };
            let value = |a: &[u64]| Some(model(a[0], bits));
            let name = format!("{op:?} {bits}");
            check(&session, &Case { name, inputs: vec![s], output: s, emit: &emit, value: &value });
        }
    }
    let find: &[(G, fn(u64, u32) -> Option<u32>)] = &[
        (G::FindILsb, |x, _| (x != 0).then(|| x.trailing_zeros())),
        (G::FindUMsb, |x, _| (x != 0).then(|| 63 - x.leading_zeros())),
        (G::FindSMsb, |x, bits| {
            let x = if x >> (bits - 1) & 1 != 0 { !x & mask(bits) } else { x };
            (x != 0).then(|| 63 - x.leading_zeros())
        }),
    ];
    for (&(op, model), bits) in find.iter().flat_map(|f| [8, 16, 32, 64].map(|bits| (f, bits))) {
        let s = Scalar::Int(bits);
        let emit = |m: &mut Shader| {
            let ty = m.scalar(s);
            m.glsl(op, ty, &[m.input(0)])
        };
        let value = |a: &[u64]| Some(model(a[0], bits).map_or(mask(bits), u64::from));
        let name = format!("{op:?} {bits}");
        check(&session, &Case { name, inputs: vec![s], output: s, emit: &emit, value: &value });
    }
}

#[test]
fn minimum_maximum_clamp() {
    let session = session();
    let pick = |op: G, a: &[u64], b: u32| -> u64 {
        let key = |x: u64| if matches!(op, G::SMin | G::SMax | G::SClamp) { signed(x, b) } else { i128::from(x) };
        match op {
            G::SMin | G::UMin => *a[..2].iter().min_by_key(|x| key(**x)).unwrap(),
            G::SMax | G::UMax => *a[..2].iter().max_by_key(|x| key(**x)).unwrap(),
            _ => {
                let low = if key(a[0]) < key(a[1]) { a[1] } else { a[0] };
                if key(low) > key(a[2]) { a[2] } else { low }
            }
        }
    };
    for bits in [8, 16, 32, 64] {
        let s = Scalar::Int(bits);
        for op in [G::SMin, G::UMin, G::SMax, G::UMax, G::SClamp, G::UClamp] {
            let n = if matches!(op, G::SClamp | G::UClamp) { 3 } else { 2 };
            let emit = |m: &mut Shader| {
                let ty = m.scalar(s);
                let args: Vec<u32> = (0..n).map(|n| m.input(n)).collect();
                m.glsl(op, ty, &args)
            };
            let value = |a: &[u64]| Some(pick(op, a, bits));
            let name = format!("{op:?} {bits}");
            check(&session, &Case { name, inputs: vec![s; n], output: s, emit: &emit, value: &value });
        }
    }
}

/// Each half of what these give.
#[test]
fn extended_results() {
    let session = session();
    let ops: &[(Op, fn(u64, u64, u32) -> (u64, u64))] = &[
        (Op::IAddCarry, |x, y, b| {
            let sum = u128::from(x) + u128::from(y);
            (sum as u64, (sum >> b) as u64)
        }),
        (Op::ISubBorrow, |x, y, _| (x.wrapping_sub(y), u64::from(x < y))),
        (Op::UMulExtended, |x, y, b| {
            let p = u128::from(x) * u128::from(y);
            (p as u64, (p >> b) as u64)
        }),
        (Op::SMulExtended, |x, y, b| {
            let p = signed(x, b) * signed(y, b);
            (p as u64, (p >> b) as u64)
        }),
    ];
    for bits in [8, 16, 32, 64] {
        let s = Scalar::Int(bits);
        for &(op, model) in ops {
            for half in 0..2 {
                let emit = |m: &mut Shader| {
                    let ty = m.scalar(s);
                    let both = m.ty(Op::TypeStruct, &[ty, ty]);
                    let r = m.op(op, both, &[m.input(0), m.input(1)]);
                    m.op(Op::CompositeExtract, ty, &[r, half])
                };
                let value = |a: &[u64]| {
                    let (low, high) = model(a[0], a[1], bits);
                    Some(if half == 0 { low } else { high })
                };
                let name = format!("{op:?} {bits} half {half}");
                check(&session, &Case { name, inputs: vec![s, s], output: s, emit: &emit, value: &value });
            }
        }
    }
}

#[test]
fn bit_fields() {
    let session = session();
    for bits in [8, 16, 32, 64] {
        let s = Scalar::Int(bits);
        let place = |a: &[u64]| {
            let (offset, count) = (a[2] % u64::from(bits + 1), a[3] % u64::from(bits + 1));
            (offset, count.min(u64::from(bits) - offset))
        };
        for op in [Op::BitFieldUExtract, Op::BitFieldSExtract, Op::BitFieldInsert] {
            let emit = |m: &mut Shader| {
                let (ty, w) = (m.scalar(s), Scalar::Int(32));
                let word = m.scalar(w);
                let (all, more) = (m.constant(w, bits.into()), m.constant(w, u64::from(bits) + 1));
                let offset = m.op(Op::UMod, word, &[m.input(2), more]);
                let count = m.op(Op::UMod, word, &[m.input(3), more]);
                let rest = m.op(Op::ISub, word, &[all, offset]);
                let count = m.glsl(G::UMin, word, &[count, rest]);
                let mut args = vec![m.input(0), m.input(1), offset, count];
                if op != Op::BitFieldInsert {
                    args.remove(1);
                }
                m.op(op, ty, &args)
            };
            let value = |a: &[u64]| {
                let (offset, count) = place(a);
                let field = ((1u128 << count) - 1) as u64;
                let moved = (u128::from(a[0]) >> offset) as u64 & field;
                Some(match op {
                    Op::BitFieldUExtract => moved,
                    Op::BitFieldSExtract if count == 0 => 0,
                    Op::BitFieldSExtract => signed(moved, count as u32) as u64,
                    _ => {
                        let (at, new) = (u128::from(field) << offset, u128::from(a[1] & field) << offset);
                        (u128::from(a[0]) & !at | new) as u64
                    }
                })
            };
            let (name, w) = (format!("{op:?} {bits}"), Scalar::Int(32));
            check(&session, &Case { name, inputs: vec![s, s, w, w], output: s, emit: &emit, value: &value });
        }
    }
}

#[test]
fn widths_of_integers() {
    let session = session();
    for from in [8, 16, 32, 64] {
        for to in [8, 16, 32, 64] {
            for op in [Op::UConvert, Op::SConvert] {
                if from == to {
                    continue;
                }
                let (f, t) = (Scalar::Int(from), Scalar::Int(to));
                let emit = |m: &mut Shader| {
                    let ty = m.scalar(t);
                    m.op(op, ty, &[m.input(0)])
                };
                let value = |a: &[u64]| Some(if op == Op::UConvert { a[0] } else { signed(a[0], from) as u64 });
                let name = format!("{op:?} {from} to {to}");
                check(&session, &Case { name, inputs: vec![f], output: t, emit: &emit, value: &value });
            }
        }
    }
}

/// Dot products of four bytes packed into a word, with a saturating sum in the end.
#[test]
fn dot_products() {
    let session = session();
    let byte = |x: u64, n: u32, s: bool| {
        let b = x >> (8 * n) & 0xff;
        if s { signed(b, 8) } else { i128::from(b) }
    };
    for (op, first, second) in [
        (Op::SDot, true, true),
        (Op::UDot, false, false),
        (Op::SUDot, true, false),
        (Op::SDotAccSat, true, true),
        (Op::UDotAccSat, false, false),
        (Op::SUDotAccSat, true, false),
    ] {
        let accumulates = matches!(op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
        for to in [16, 32, 64] {
            let (w, t) = (Scalar::Int(32), Scalar::Int(to));
            let emit = |m: &mut Shader| {
                m.capability(Capability::DotProduct);
                m.capability(Capability::DotProductInput4x8BitPacked);
                m.extension("SPV_KHR_integer_dot_product");
                let ty = m.scalar(t);
                let mut args = vec![m.input(0), m.input(1)];
                args.extend(accumulates.then(|| m.input(2)));
                // PackedVectorFormat4x8Bit.
                args.push(0);
                m.op(op, ty, &args)
            };
            let value = |a: &[u64]| {
                let dot: i128 = (0..4).map(|n| byte(a[0], n, first) * byte(a[1], n, second)).sum();
                let (low, high) =
                    if first { (-(1i128 << (to - 1)), (1i128 << (to - 1)) - 1) } else { (0, i128::from(mask(to))) };
                if dot < low || dot > high {
                    return None;
                }
                if !accumulates {
                    return Some(dot as u64);
                }
                let acc = if first { signed(a[2], to) } else { i128::from(a[2]) };
                Some((dot + acc).clamp(low, high) as u64)
            };
            let name = format!("{op:?} to {to}");
            check(&session, &Case { name, inputs: vec![w, w, t], output: t, emit: &emit, value: &value });
        }
    }
}

#[test]
fn integers_and_floats() {
    let session = session();
    for bits in [8, 16, 32, 64] {
        for float in [16, 32, 64] {
            let (s, f) = (Scalar::Int(bits), Scalar::Float(float));
            for op in [Op::ConvertUToF, Op::ConvertSToF] {
                let emit = |m: &mut Shader| {
                    let ty = m.scalar(f);
                    m.op(op, ty, &[m.input(0)])
                };
                let value = |a: &[u64]| {
                    let x = if op == Op::ConvertUToF { i128::from(a[0]) } else { signed(a[0], bits) };
                    Some(match float {
                        64 => (x as f64).to_bits(),
                        32 => u64::from((x as f32).to_bits()),
                        _ => half(x),
                    })
                };
                let name = format!("{op:?} {bits} to {float}");
                check(&session, &Case { name, inputs: vec![s], output: f, emit: &emit, value: &value });
            }
            for op in [Op::ConvertFToU, Op::ConvertFToS] {
                let emit = |m: &mut Shader| {
                    let ty = m.scalar(s);
                    m.op(op, ty, &[m.input(0)])
                };
                let value = |a: &[u64]| {
                    let x = format(float).number(a[0]).trunc();
                    let (low, high) = if op == Op::ConvertFToU {
                        (0.0, 2f64.powi(bits as i32))
                    } else {
                        (-(2f64.powi(bits as i32 - 1)), 2f64.powi(bits as i32 - 1))
                    };
                    (x >= low && x < high).then_some(x as i128 as u64)
                };
                let name = format!("{op:?} {float} to {bits}");
                check(&session, &Case { name, inputs: vec![f], output: s, emit: &emit, value: &value });
            }
        }
    }
}

/// An integer as an f16, to nearest even.
fn half(x: i128) -> u64 {
    let a = x.unsigned_abs();
    let sign = if x < 0 { 0x8000 } else { 0 };
    let digits = 128 - a.leading_zeros();
    // Eleven digits are kept; a rounding up to the next power of two carries into the exponent.
    let drop = digits.saturating_sub(11);
    let unit = 1u128 << drop;
    let (kept, rest) = (a / unit, a % unit);
    let up = rest * 2 > unit || rest * 2 == unit && kept % 2 == 1;
    let kept = (kept + u128::from(up)) << (11 - digits.min(11));
    if a == 0 {
        return 0;
    }
    let bits = u128::from(digits + 13) * 1024 + kept;
    sign | if bits >= 0x7c00 { 0x7c00 } else { bits as u64 }
}
