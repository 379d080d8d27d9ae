//! How precise floating-point arithmetic is, beside Vulkan's "Precision and Operation of SPIR-V Instructions": every
//! 16-bit operand, pairs of operands on a grid, and a dense sample of 32- and 64-bit operands with every exponent, denormals
//! and boundaries among them. Prints a table: operation, what is allowed, the worst that was found in units in the last
//! place of the exact result.

use spirv::{GlslStd450Op as G, Op};
use wavepipe_runtime::Config;
use wavepipe_runtime::simple::{Job, Session};
use wavepipe_tests::interval::{ANYTHING, F16, F32, F64, Format, Interval, Real, power};
use wavepipe_tests::random::Random;
use wavepipe_tests::shader::{GROUP, Scalar, Shader, pack, unpack};

const SINGLES: usize = 1 << 18;
const PAIRS: usize = 1 << 16;

/// Operands of one position.
fn operands(f: &Format, arity: usize, n: usize) -> Vec<u64> {
    if arity == 1 && f.bits == 16 {
        return (0..0x1_0000).collect();
    }
    let fraction = f.digits as u32 - 1;
    let exponents = 1u64 << (f.bits - fraction - 1);
    let mut r = Random(n as u64 + u64::from(f.bits));
    if arity == 1 {
        // Every sign and exponent, with the fraction's ends and random ones.
        let each = SINGLES as u64 / (2 * exponents);
        return (0..SINGLES as u64)
            .map(|k| {
                let tail = match k % each {
                    0 => 0,
                    1 => 1,
                    2 => (1 << fraction) - 1,
                    3 => 1 << (fraction - 1),
                    _ => r.bits() & ((1 << fraction) - 1),
                };
                k / each << fraction | tail
            })
            .collect();
    }
    // Pairs: a grid of values near one another, and random bits.
    let side = 1u64 << 8;
    (0..PAIRS as u64)
        .map(|k| {
            let at = match n {
                0 => k % side,
                1 => k / side,
                _ => (k * 7 + 3) % side,
            };
            match k % 3 {
                0 => r.bits() & (u64::MAX >> (64 - f.bits)),
                _ => {
                    let sign = at & 1;
                    let exponent = (exponents / 2 + (at >> 1) % 24).wrapping_sub(12);
                    let exponent =
                        if at > 240 { [0, 1, exponents - 2, exponents - 1][at as usize % 4] } else { exponent };
                    sign << (f.bits - 1) | exponent << fraction | (r.bits() & ((1 << fraction) - 1)) * (k % 5).min(1)
                }
            }
        })
        .collect()
}

type Emit = fn(&mut Shader, u32, &[u32]) -> u32;

type Bounds = fn(&Real, &[f64]) -> Option<(f64, Interval)>;

enum Wanted {
    /// The one right result, as a number of the format; NaN for any NaN.
    Rounded(fn(&[f64], &Format) -> f64),
    /// An exact value, and the interval that is allowed. `None` = outside of where anything is promised.
    Within(Bounds),
}

struct PrecisionRow {
    name: &'static str,
    allowed: &'static str,
    arity: usize,
    emit: Emit,
    wanted: Wanted,
}

/// Checks every operand of the row; its line of the table.
fn measure(session: &Session, f: &Format, row: &PrecisionRow) -> String {
    let s = Scalar::Float(f.bits);
    let data: Vec<Vec<u64>> = (0..row.arity).map(|n| operands(f, row.arity, n)).collect();
    let mut shader = Shader::new(&vec![s; row.arity], s);
    let ty = shader.scalar(s);
    let args: Vec<u32> = (0..row.arity).map(|n| shader.input(n)).collect();
    let result = (row.emit)(&mut shader, ty, &args);
    let words = shader.finish(result);
    let count = data[0].len();
    let mut buffers: Vec<(u32, u32, Vec<u8>)> = data.iter().zip(0..).map(|(d, n)| (0, n, pack(s, d))).collect();
    buffers.push((0, row.arity as u32, vec![0; count * s.bytes()]));
    let job = Job { words, groups: [count as u32 / GROUP, 1, 1], buffers, ..Job::default() };
    let out = session.run(&job).unwrap_or_else(|e| panic!("{} at {} bits: {e}", row.name, f.bits));
    let got = unpack(s, out.last().expect("an output"));
    let real = Real(*f);
    let (mut worst, mut tried) = (0f64, 0u32);
    for n in 0..count {
        let x: Vec<f64> = data.iter().map(|d| f.number(d[n])).collect();
        let result = f.number(got[n]);
        let exact = match &row.wanted {
            Wanted::Rounded(value) => {
                let exact = value(&x, f);
                let same = exact.is_nan() && result.is_nan() || f.bits_of(exact) == got[n];
                assert!(same, "{} at {} bits of {x:?}: {result:e}, not {exact:e}", row.name, f.bits);
                exact
            }
            Wanted::Within(value) => {
                if x.iter().any(|x| !x.is_finite()) {
                    continue;
                }
                let Some((exact, allowed)) = value(&real, &x) else { continue };
                let at = || format!("{} at {} bits of {x:?}", row.name, f.bits);
                assert!(real.allows(allowed, result), "{}: {result:e}, exactly {exact:e}, allowed {allowed:?}", at());
                exact
            }
        };
        tried += 1;
        if exact.is_finite() && result.is_finite() {
            worst = worst.max((result - exact).abs() / f.ulp(exact));
        }
    }
    assert!(tried > 1000, "{} at {} bits: only {tried} operands are in its domain", row.name, f.bits);
    format!("f{:<3} {:<14} {:<44} {worst:>12.2} {tried:>8}", f.bits, row.name, row.allowed)
}

fn run(format: &Format, rows: &[PrecisionRow]) {
    let session = Session::new(&Config::checked()).unwrap();
    let lines: Vec<String> = rows.iter().map(|row| measure(&session, format, row)).collect();
    println!(
        "     operation      allowed                                         worst ulp operands\n{}",
        lines.join("\n")
    );
}

macro_rules! glsl {
    ($op:ident) => {
        |m, ty, a| m.glsl(G::$op, ty, a)
    };
}

macro_rules! core {
    ($op:ident) => {
        |m, ty, a| m.op(Op::$op, ty, a)
    };
}

const RIGHT: &str = "correctly rounded";

fn row(name: &'static str, allowed: &'static str, arity: usize, emit: Emit, wanted: Wanted) -> PrecisionRow {
    PrecisionRow { name, allowed, arity, emit, wanted }
}

/// The result in the format of an operation whose f64 result is right, or rounds to the right one.
fn in_format(f: &Format, x: f64) -> f64 {
    f.number(f.bits_of(x))
}

macro_rules! native {
    ($name:ident, |$a:ident, $b:ident| $e:expr) => {
        fn $name(x: &[f64], f: &Format) -> f64 {
            match f.bits {
                32 => {
                    let ($a, $b) = (x[0] as f32, x[x.len() - 1] as f32);
                    f64::from($e)
                }
                _ => {
                    let ($a, $b) = (x[0], x[x.len() - 1]);
                    in_format(f, $e)
                }
            }
        }
    };
}

native!(add, |a, b| a + b);
native!(sub, |a, b| a - b);
native!(mul, |a, b| a * b);

fn sign(x: f64) -> f64 {
    if x == 0.0 {
        x
    } else if x.is_nan() {
        1.0
    } else {
        x.signum()
    }
}

/// What every width has.
fn basic() -> Vec<PrecisionRow> {
    use Wanted::{Rounded, Within};
    vec![
        row("add", RIGHT, 2, core!(FAdd), Rounded(add)),
        row("sub", RIGHT, 2, core!(FSub), Rounded(sub)),
        row("mul", RIGHT, 2, core!(FMul), Rounded(mul)),
        row("negate", RIGHT, 1, core!(FNegate), Rounded(|x, _| -x[0])),
        row("abs", RIGHT, 1, glsl!(FAbs), Rounded(|x, _| x[0].abs())),
        row("sign", RIGHT, 1, glsl!(FSign), Rounded(|x, _| sign(x[0]))),
        row("floor", RIGHT, 1, glsl!(Floor), Rounded(|x, _| x[0].floor())),
        row("ceil", RIGHT, 1, glsl!(Ceil), Rounded(|x, _| x[0].ceil())),
        row("trunc", RIGHT, 1, glsl!(Trunc), Rounded(|x, _| x[0].trunc())),
        row("round", RIGHT, 1, glsl!(RoundEven), Rounded(|x, _| x[0].round_ties_even())),
        row("min", RIGHT, 2, glsl!(NMin), Rounded(|x, _| if x[0] == x[1] { least(x, true) } else { x[0].min(x[1]) })),
        row("max", RIGHT, 2, glsl!(NMax), Rounded(|x, _| if x[0] == x[1] { least(x, false) } else { x[0].max(x[1]) })),
        row(
            "fract",
            RIGHT,
            1,
            glsl!(Fract),
            // Just below zero the difference rounds to one; the machine stays below.
            Within(|r, x| {
                let exact = x[0] - x[0].floor();
                let i = r.rounded(Real::exactly(exact));
                Some((exact, Interval(i.0.min(1.0 - r.0.ulp(0.5)), i.1)))
            }),
        ),
        row(
            "divide",
            "2.5 ulp",
            2,
            core!(FDiv),
            Within(|r, x| {
                let i = r.div(Real::exactly(x[0]), Real::exactly(x[1]));
                (i != ANYTHING).then(|| (x[0] / x[1], i))
            }),
        ),
        row(
            "inversesqrt",
            "2 ulp",
            1,
            glsl!(InverseSqrt),
            Within(|r, x| (x[0] > 0.0).then(|| (1.0 / x[0].sqrt(), r.inverse_sqrt(Real::exactly(x[0]))))),
        ),
        row(
            "sqrt",
            "1.0 / inversesqrt(x)",
            1,
            glsl!(Sqrt),
            Within(|r, x| (x[0] >= 0.0).then(|| (x[0].sqrt(), r.sqrt(Real::exactly(x[0]))))),
        ),
        row(
            "fma",
            "mul, add",
            3,
            glsl!(Fma),
            Within(|r, x| {
                let [a, b, c] = [x[0], x[1], x[2]].map(Real::exactly);
                Some((x[0].mul_add(x[1], x[2]), r.add(r.mul(a, b), c)))
            }),
        ),
        row(
            "mix",
            "x (1 - a) + y a",
            3,
            glsl!(FMix),
            Within(|r, x| {
                let [a, b, c] = [x[0], x[1], x[2]].map(Real::exactly);
                let rest = r.sub(Real::exactly(1.0), c);
                Some((x[0] * (1.0 - x[2]) + x[1] * x[2], r.add(r.mul(a, rest), r.mul(b, c))))
            }),
        ),
        row("mod", "x - y floor(x / y)", 2, core!(FMod), Within(|r, x| modulo(r, x, f64::floor))),
        row("rem", "x - y trunc(x / y)", 2, core!(FRem), Within(|r, x| modulo(r, x, f64::trunc))),
        row(
            "step",
            RIGHT,
            2,
            glsl!(Step),
            Within(|_, x| {
                let y = if x[1] < x[0] { 0.0 } else { 1.0 };
                Some((y, Interval(y, y)))
            }),
        ),
        row(
            "smoothstep",
            "t t (3 - 2 t)",
            3,
            glsl!(SmoothStep),
            Within(|r, x| {
                let [a, b, c] = [x[0], x[1], x[2]].map(Real::exactly);
                if x[0] >= x[1] {
                    return None;
                }
                let t = r.div(r.sub(c, a), r.sub(b, a));
                let t = Interval(t.0.clamp(0.0, 1.0), t.1.clamp(0.0, 1.0));
                let k = r.sub(Real::exactly(3.0), r.mul(Real::exactly(2.0), t));
                let e = ((x[2] - x[0]) / (x[1] - x[0])).clamp(0.0, 1.0);
                Some((e * e * (3.0 - 2.0 * e), r.mul(r.mul(t, t), k)))
            }),
        ),
        row(
            "length",
            "sqrt(dot(x, x))",
            2,
            |m, ty, a| {
                let v = m.vector(ty, 2);
                let v = m.op(Op::CompositeConstruct, v, a);
                m.glsl(G::Length, ty, &[v])
            },
            Within(|r, x| {
                let [a, b] = [x[0], x[1]].map(Real::exactly);
                Some((x[0].hypot(x[1]), r.sqrt(r.add(r.mul(a, a), r.mul(b, b)))))
            }),
        ),
        row(
            "normalize",
            "x / length(x)",
            2,
            |m, ty, a| {
                let v2 = m.vector(ty, 2);
                let v = m.op(Op::CompositeConstruct, v2, a);
                let n = m.glsl(G::Normalize, v2, &[v]);
                m.op(Op::CompositeExtract, ty, &[n, 0])
            },
            Within(|r, x| {
                let [a, b] = [x[0], x[1]].map(Real::exactly);
                let length = r.sqrt(r.add(r.mul(a, a), r.mul(b, b)));
                (length.0 > 0.0 && length.1 < f64::INFINITY).then(|| (x[0] / x[0].hypot(x[1]), r.div(a, length)))
            }),
        ),
        row(
            "reflect",
            "x - 2 dot(n, x) n",
            2,
            glsl!(Reflect),
            Within(|r, x| {
                let [a, n] = [x[0], x[1]].map(Real::exactly);
                let k = r.mul(Real::exactly(2.0), r.mul(n, a));
                Some((x[0] - 2.0 * x[1] * x[0] * x[1], r.sub(a, r.mul(k, n))))
            }),
        ),
    ]
}

/// −0 is below 0.
fn least(x: &[f64], minimum: bool) -> f64 {
    if x[0].is_sign_negative() == minimum { x[0] } else { x[1] }
}

fn modulo(r: &Real, x: &[f64], whole: fn(f64) -> f64) -> Option<(f64, Interval)> {
    let (a, b) = (Real::exactly(x[0]), Real::exactly(x[1]));
    let q = r.div(a, b);
    // Beyond that, the quotient has no fraction to speak of: less than the dividend is left, or it overflows.
    if q.0.abs().max(q.1.abs()) > power(r.0.digits - 2) {
        let x0 = x[0].abs();
        let left = if x[0] > 0.0 { Interval(f64::NEG_INFINITY, x0) } else { Interval(-x0, f64::INFINITY) };
        return (x[1].abs() >= power(r.0.least)).then_some((f64::NAN, left));
    }
    let q = Interval(whole(q.0), whole(q.1));
    Some((x[0] - x[1] * whole(x[0] / x[1]), r.sub(a, r.mul(b, q))))
}

/// Functions that only 16 and 32 bits have.
fn transcendental() -> Vec<PrecisionRow> {
    use Wanted::Within;
    vec![
        row(
            "exp",
            "3 + 2 |x| ulp (16 bits: 1 + 2 |x|)",
            1,
            glsl!(Exp),
            Within(|r, x| Some((x[0].exp(), r.exp(Real::exactly(x[0]))))),
        ),
        row(
            "exp2",
            "3 + 2 |x| ulp (16 bits: 1 + 2 |x|)",
            1,
            glsl!(Exp2),
            Within(|r, x| Some((x[0].exp2(), r.exp2(Real::exactly(x[0]))))),
        ),
        row(
            "log",
            "3 ulp; 2^-21 (2^-7) in [0.5, 2]",
            1,
            glsl!(Log),
            Within(|r, x| (x[0] > 0.0).then(|| (x[0].ln(), r.log(Real::exactly(x[0]))))),
        ),
        row(
            "log2",
            "3 ulp; 2^-21 (2^-7) in [0.5, 2]",
            1,
            glsl!(Log2),
            Within(|r, x| (x[0] > 0.0).then(|| (x[0].log2(), r.log2(Real::exactly(x[0]))))),
        ),
        row(
            "pow",
            "exp2(y log2(x))",
            2,
            glsl!(Pow),
            Within(|r, x| {
                let [a, b] = [x[0], x[1]].map(Real::exactly);
                (x[0] > 0.0).then(|| (x[0].powf(x[1]), r.exp2(r.mul(b, r.log2(a)))))
            }),
        ),
        row("sin", "2^-11 (2^-7) in [-pi, pi]", 1, glsl!(Sin), Within(|r, x| wave(r, x[0], f64::sin))),
        row("cos", "2^-11 (2^-7) in [-pi, pi]", 1, glsl!(Cos), Within(|r, x| wave(r, x[0], f64::cos))),
        row(
            "tan",
            "sin(x) / cos(x)",
            1,
            glsl!(Tan),
            Within(|r, x| {
                let ((_, s), (_, c)) = (wave(r, x[0], f64::sin)?, wave(r, x[0], f64::cos)?);
                Some((x[0].tan(), r.div(s, c)))
            }),
        ),
        row(
            "asin",
            "atan2(x, sqrt(1 - x x))",
            1,
            glsl!(Asin),
            Within(|r, x| (x[0].abs() <= 1.0).then(|| (x[0].asin(), r.angle(Real::exactly(x[0].asin()))))),
        ),
        row(
            "acos",
            "atan2(sqrt(1 - x x), x)",
            1,
            glsl!(Acos),
            Within(|r, x| {
                if x[0].abs() > 1.0 {
                    return None;
                }
                let a = Real::exactly(x[0]);
                let rest = r.sub(Real::exactly(1.0), r.mul(a, a));
                let root = r.sqrt(Interval(rest.0.max(0.0), rest.1.max(0.0)));
                Some((x[0].acos(), r.angle(Interval(root.0.atan2(x[0]), root.1.atan2(x[0])).ordered())))
            }),
        ),
        row(
            "atan",
            "4096 ulp (5)",
            1,
            glsl!(Atan),
            Within(|r, x| Some((x[0].atan(), r.angle(Real::exactly(x[0].atan()))))),
        ),
        row(
            "atan2",
            "4096 ulp (5)",
            2,
            glsl!(Atan2),
            Within(|r, x| {
                let tiny = power(r.0.least);
                let y = x[0].atan2(x[1]);
                // Denormal operands may be zeros, with no angle between them.
                (x.iter().all(|x| x.abs() >= tiny) && x[1].abs() < power(-r.0.least))
                    .then(|| (y, r.angle(Real::exactly(y))))
            }),
        ),
        row(
            "sinh",
            "(exp(x) - exp(-x)) 0.5",
            1,
            glsl!(Sinh),
            Within(|r, x| {
                let (p, q) = (r.exp(Real::exactly(x[0])), r.exp(Real::exactly(-x[0])));
                Some((x[0].sinh(), r.mul(Real::exactly(0.5), r.sub(p, q))))
            }),
        ),
        row(
            "cosh",
            "(exp(x) + exp(-x)) 0.5",
            1,
            glsl!(Cosh),
            Within(|r, x| {
                let (p, q) = (r.exp(Real::exactly(x[0])), r.exp(Real::exactly(-x[0])));
                Some((x[0].cosh(), r.mul(Real::exactly(0.5), r.add(p, q))))
            }),
        ),
        row(
            "tanh",
            "sinh(x) / cosh(x)",
            1,
            glsl!(Tanh),
            Within(|r, x| {
                let (p, q) = (r.exp(Real::exactly(x[0])), r.exp(Real::exactly(-x[0])));
                let half = Real::exactly(0.5);
                Some((x[0].tanh(), r.div(r.mul(half, r.sub(p, q)), r.mul(half, r.add(p, q)))))
            }),
        ),
        row(
            "asinh",
            "log(x + sqrt(x x + 1))",
            1,
            glsl!(Asinh),
            Within(|r, x| {
                let a = Real::exactly(x[0]);
                let root = r.sqrt(r.add(r.mul(a, a), Real::exactly(1.0)));
                Some((x[0].asinh(), r.log(r.add(a, root))))
            }),
        ),
        row(
            "acosh",
            "log(x + sqrt(x x - 1))",
            1,
            glsl!(Acosh),
            Within(|r, x| {
                let a = Real::exactly(x[0]);
                let square = r.sub(r.mul(a, a), Real::exactly(1.0));
                (x[0] >= 1.0).then(|| (x[0].acosh(), r.log(r.add(a, r.sqrt(square)))))
            }),
        ),
        row(
            "atanh",
            "log((1 + x) / (1 - x)) 0.5",
            1,
            glsl!(Atanh),
            Within(|r, x| {
                let (a, one) = (Real::exactly(x[0]), Real::exactly(1.0));
                let l = r.log(r.div(r.add(one, a), r.sub(one, a)));
                (x[0].abs() < 1.0).then(|| (x[0].atanh(), r.mul(Real::exactly(0.5), l)))
            }),
        ),
        row("radians", "x pi / 180", 1, glsl!(Radians), Within(|r, x| scaled(r, x[0], std::f64::consts::PI / 180.0))),
        row("degrees", "x 180 / pi", 1, glsl!(Degrees), Within(|r, x| scaled(r, x[0], 180.0 / std::f64::consts::PI))),
    ]
}

fn wave(r: &Real, x: f64, f: fn(f64) -> f64) -> Option<(f64, Interval)> {
    (x.abs() <= std::f64::consts::PI).then(|| (f(x), r.wave(x, f)))
}

fn scaled(r: &Real, x: f64, k: f64) -> Option<(f64, Interval)> {
    Some((x * k, r.mul(Real::exactly(x), r.rounded(Real::exactly(k)))))
}

#[test]
fn sixteen_bits() {
    run(&F16, &basic().into_iter().chain(transcendental()).collect::<Vec<_>>());
}

#[test]
fn thirty_two_bits() {
    run(&F32, &basic());
}

#[test]
fn thirty_two_bits_transcendental() {
    run(&F32, &transcendental());
}

#[test]
fn sixty_four_bits() {
    run(&F64, &basic());
}
