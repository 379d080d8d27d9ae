//! One operation on elements of buffers: how a shader writes it, and what it gives. Run where lanes differ, and where all
//! lanes of a work-group have the same, which the compiler may give to the scalar unit.

use crate::interval::{F16, F32, F64, Format};
use crate::random::Random;
use crate::shader::{GROUP, Scalar, Shader, pack, unpack};
use wavepipe_runtime::simple::{Job, Session};

/// Elements that a case is tried with.
pub const COUNT: usize = 1024;

pub struct Case<'a> {
    pub name: String,
    pub inputs: Vec<Scalar>,
    pub output: Scalar,
    pub emit: &'a dyn Fn(&mut Shader) -> u32,
    /// Bits to bits; `None` is a value that SPIR-V leaves open.
    pub value: &'a dyn Fn(&[u64]) -> Option<u64>,
}

pub fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

pub fn signed(x: u64, bits: u32) -> i128 {
    i128::from((x << (64 - bits)) as i64 >> (64 - bits))
}

pub fn format(bits: u32) -> Format {
    match bits {
        16 => F16,
        32 => F32,
        _ => F64,
    }
}

/// Boundaries among random bits with a random number of leading zeros; floats around the integers' range.
pub fn samples(s: Scalar, seed: u64) -> Vec<u64> {
    let bits = s.bits();
    if let Scalar::Float(_) = s {
        let mut r = Random(seed);
        let fraction = format(bits).digits as u32 - 1;
        let bias = mask(bits - fraction - 2);
        return (0..COUNT)
            .map(|n| {
                let exponent = (bias + r.bits() % 70 - 4).min(2 * bias);
                let tail = if n % 5 == 0 { 0 } else { r.bits() & mask(fraction) };
                (r.bits() & 1) << (bits - 1) | exponent << fraction | tail
            })
            .collect();
    }
    let top = 1u64 << (bits - 1);
    let edges = [0, 1, 2, 3, 7, top - 1, top, top + 1, mask(bits) - 1, mask(bits), mask(bits) / 3, top / 2];
    let mut r = Random(seed);
    (0..COUNT)
        .map(|n| {
            let x = if seed.is_multiple_of(2) { n % 37 } else { n / 5 % 31 };
            if x < edges.len() { edges[x] } else { (r.bits() >> (r.bits() % u64::from(bits))) & mask(bits) }
        })
        .collect()
}

/// Floats of every kind: zeros, denormals, numbers near one and near both ends, infinities, NaN.
pub fn kinds(bits: u32, seed: u64) -> Vec<u64> {
    let f = format(bits);
    let (fraction, mut r) = (f.digits as u32 - 1, Random(seed));
    let bias = mask(bits - fraction - 2);
    (0..COUNT)
        .map(|n| {
            let exponent = match r.bits() % 8 {
                0 => 0,
                1 => 1,
                2 => 2 * bias + r.bits() % 2,
                3 => r.bits() % (2 * bias),
                _ => bias + r.bits() % 8 - 4,
            };
            let tail = match r.bits() % 4 {
                0 => 0,
                1 => mask(fraction),
                _ => r.bits() & mask(fraction),
            };
            // A quiet NaN: what happens to signalling ones is nobody's promise.
            let quiet = if exponent == 2 * bias + 1 && n % 2 == 0 { 1 << (fraction - 1) } else { 0 };
            let tail = if exponent == 2 * bias + 1 && n % 2 == 1 { 0 } else { tail };
            (r.bits() & 1) << (bits - 1) | exponent << fraction | tail | quiet
        })
        .collect()
}

fn run(session: &Session, words: &[u32], inputs: &[(Scalar, &[u64])], output: Scalar, groups: u32) -> Vec<u64> {
    let mut buffers: Vec<(u32, u32, Vec<u8>)> = inputs.iter().zip(0..).map(|((s, v), n)| (0, n, pack(*s, v))).collect();
    buffers.push((0, inputs.len() as u32, vec![0; (groups * GROUP) as usize * output.bytes()]));
    let job = Job { words: words.to_vec(), groups: [groups, 1, 1], buffers, ..Job::default() };
    let out = session.run(&job).unwrap_or_else(|e| panic!("{e}"));
    unpack(output, out.last().expect("an output"))
}

/// Runs the case on its inputs' usual samples.
pub fn check(session: &Session, case: &Case<'_>) {
    let data: Vec<Vec<u64>> = case.inputs.iter().zip(1..).map(|(s, seed)| samples(*s, seed)).collect();
    check_on(session, case, &data);
}

/// Runs the case on `data`, [`COUNT`] elements for each input. One NaN is as good as another.
pub fn check_on(session: &Session, case: &Case<'_>, data: &[Vec<u64>]) {
    for uniform in [false, true] {
        let mut shader = Shader::indexed(&case.inputs, case.output, uniform);
        let result = (case.emit)(&mut shader);
        let words = shader.finish(result);
        let inputs: Vec<(Scalar, &[u64])> = case.inputs.iter().copied().zip(data.iter().map(Vec::as_slice)).collect();
        let groups = if uniform { 64 } else { COUNT as u32 / GROUP };
        let got = run(session, &words, &inputs, case.output, groups);
        for (n, &got) in got.iter().enumerate() {
            let at = if uniform { n / GROUP as usize } else { n };
            let args: Vec<u64> = data.iter().map(|d| d[at]).collect();
            let Some(wanted) = (case.value)(&args).map(|w| w & mask(case.output.bits())) else { continue };
            let nan = |x: u64| match case.output {
                Scalar::Float(bits) => format(bits).number(x).is_nan(),
                Scalar::Int(_) => false,
            };
            let same = got == wanted || nan(got) && nan(wanted);
            assert!(same, "{} uniform {uniform}: {args:x?} gives {got:#x}, not {wanted:#x}", case.name);
        }
    }
}
