//! Read-modify-write operations on one place by every work-item: what the place holds in the end, and that the values
//! found there before form one sequence. Integers of 32 and 64 bits, floats where the machine has them or a loop does it;
//! in a buffer that all work-groups share, and in each group's shared memory.

use spirv::{Capability, Op};
use wavepipe_runtime::simple::{Job, Session};
use wavepipe_runtime::{Config, WaveSize};
use wavepipe_tests::cases::{format, mask, signed};
use wavepipe_tests::random::Random;
use wavepipe_tests::shader::{GROUP, Scalar, Shader, pack, unpack};

const GROUPS: usize = 4;
const ITEMS: usize = GROUPS * GROUP as usize;

/// Integers in full; floats whose sums are exact in every order, and never zero.
fn values(s: Scalar) -> Vec<u64> {
    let mut r = Random(u64::from(s.bits()));
    (0..ITEMS)
        .map(|_| match s {
            Scalar::Int(bits) => r.bits() & mask(bits),
            Scalar::Float(bits) => {
                format(bits).bits_of((r.bits() % 100 + 1) as f64 * if r.one_in(2) { 1.0 } else { -1.0 })
            }
        })
        .collect()
}

fn step(op: Op, s: Scalar, old: u64, x: u64) -> u64 {
    let bits = s.bits();
    let float = |f: fn(f64, f64) -> f64| {
        let format = format(bits);
        format.bits_of(f(format.number(old), format.number(x)))
    };
    let pick = |first: bool| if first { old } else { x };
    mask(bits)
        & match op {
            Op::AtomicIAdd => old.wrapping_add(x),
            Op::AtomicISub => old.wrapping_sub(x),
            Op::AtomicAnd => old & x,
            Op::AtomicOr => old | x,
            Op::AtomicXor => old ^ x,
            Op::AtomicSMin => pick(signed(old, bits) <= signed(x, bits)),
            Op::AtomicSMax => pick(signed(old, bits) >= signed(x, bits)),
            Op::AtomicUMin => old.min(x),
            Op::AtomicUMax => old.max(x),
            Op::AtomicExchange => x,
            Op::AtomicFAddEXT => float(|a, b| a + b),
            Op::AtomicFMinEXT => float(f64::min),
            _ => float(f64::max),
        }
}

fn check(session: &Session, op: Op, s: Scalar, in_buffer: bool) {
    let data = values(s);
    for wave in [WaveSize::W32, WaveSize::W64] {
        let mut m = Shader::new(&[s], s);
        for c in [
            Capability::Int64Atomics,
            Capability::AtomicFloat32AddEXT,
            Capability::AtomicFloat64AddEXT,
            Capability::AtomicFloat32MinMaxEXT,
            Capability::AtomicFloat64MinMaxEXT,
        ] {
            m.capability(c);
        }
        m.extension("SPV_EXT_shader_atomic_float_add");
        m.extension("SPV_EXT_shader_atomic_float_min_max");
        let place = if in_buffer { m.accumulator(s) } else { m.shared(s) };
        let word = Scalar::Int(32);
        let (ty, scope, relaxed) = (m.scalar(s), m.constant(word, 1), m.constant(word, 0));
        let x = m.input(0);
        let old = m.op(op, ty, &[place, scope, relaxed, x]);
        let words = m.finish(old);
        let mut buffers = vec![(0, 0, pack(s, &data)), (0, 1, vec![0; ITEMS * s.bytes()])];
        buffers.extend(in_buffer.then(|| (0, 2, vec![0; s.bytes()])));
        let job = Job { words, wave: Some(wave), groups: [GROUPS as u32, 1, 1], buffers, ..Job::default() };
        let name = format!("{op:?} {s:?} {} {wave:?}", if in_buffer { "in a buffer" } else { "shared" });
        let out = session.run(&job).unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = unpack(s, &out[1]);
        let size = if in_buffer { ITEMS } else { GROUP as usize };
        for from in (0..ITEMS).step_by(size) {
            let items = from..from + size;
            // The order is free; that of the groups and lanes as they come gives the same end, but for exchanges.
            let end = data[items.clone()].iter().fold(0, |old, &x| step(op, s, old, x));
            let mut before: Vec<u64> = found[items.clone()].to_vec();
            let mut after: Vec<u64> = items.map(|n| step(op, s, found[n], data[n])).collect();
            let last = if in_buffer { unpack(s, &out[2])[0] } else { end };
            if op != Op::AtomicExchange {
                assert_eq!(last, end, "{name}: the end");
            }
            // Each item found what another left, or the zero at the start; one left what is there in the end.
            after.push(0);
            before.sort_unstable();
            after.sort_unstable();
            let mut rest = after.into_iter();
            let mut left = Vec::new();
            for b in before {
                left.extend(rest.by_ref().take_while(|&a| a != b));
            }
            left.extend(rest);
            assert_eq!(left.len(), 1, "{name}: the values before are no sequence");
            if in_buffer || op != Op::AtomicExchange {
                assert_eq!(left[0], last, "{name}: the last of the sequence");
            }
        }
    }
}

#[test]
fn integers() {
    let session = Session::new(&Config::watched()).unwrap();
    for bits in [32, 64] {
        for op in [
            Op::AtomicIAdd,
            Op::AtomicISub,
            Op::AtomicAnd,
            Op::AtomicOr,
            Op::AtomicXor,
            Op::AtomicSMin,
            Op::AtomicSMax,
            Op::AtomicUMin,
            Op::AtomicUMax,
            Op::AtomicExchange,
        ] {
            check(&session, op, Scalar::Int(bits), true);
            check(&session, op, Scalar::Int(bits), false);
        }
    }
}

/// Nobody asks what was there before: one lane may add for all.
#[test]
fn sums_without_a_look() {
    let session = Session::new(&Config::watched()).unwrap();
    for (bits, wave) in [(32, WaveSize::W32), (32, WaveSize::W64), (64, WaveSize::W32), (64, WaveSize::W64)] {
        let s = Scalar::Float(bits);
        let data = values(s);
        let mut m = Shader::new(&[s], s);
        m.capability(if bits == 32 { Capability::AtomicFloat32AddEXT } else { Capability::AtomicFloat64AddEXT });
        m.extension("SPV_EXT_shader_atomic_float_add");
        let (place, ty, word) = (m.accumulator(s), m.scalar(s), Scalar::Int(32));
        let (scope, relaxed, x) = (m.constant(word, 1), m.constant(word, 0), m.input(0));
        m.op(Op::AtomicFAddEXT, ty, &[place, scope, relaxed, x]);
        let words = m.finish(x);
        let buffers = vec![(0, 0, pack(s, &data)), (0, 1, vec![0; ITEMS * s.bytes()]), (0, 2, vec![0; s.bytes()])];
        let job = Job { words, wave: Some(wave), groups: [GROUPS as u32, 1, 1], buffers, ..Job::default() };
        let out = session.run(&job).unwrap_or_else(|e| panic!("{s:?} {wave:?}: {e}"));
        let end = data.iter().fold(0, |old, &x| step(Op::AtomicFAddEXT, s, old, x));
        assert_eq!((unpack(s, &out[2])[0], unpack(s, &out[1])), (end, data), "{s:?} {wave:?}");
    }
}

#[test]
fn floats() {
    let session = Session::new(&Config::watched()).unwrap();
    for bits in [32, 64] {
        for op in [Op::AtomicFAddEXT, Op::AtomicFMinEXT, Op::AtomicFMaxEXT, Op::AtomicExchange] {
            check(&session, op, Scalar::Float(bits), true);
            check(&session, op, Scalar::Float(bits), false);
        }
    }
}
