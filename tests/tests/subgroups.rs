//! Operations across a subgroup under random active masks, on each generation in the sizes of its waves, beside a plain model: each
//! work-item's result computed from the values of those that are active with it.

use spirv::{Capability, GroupOperation, Op};
use std::sync::Arc;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::Gen;
use wavepipe_runtime::simple::{Job, Session};
use wavepipe_runtime::{Config, WaveSize};
use wavepipe_tests::cases::format;
use wavepipe_tests::random::Random;
use wavepipe_tests::shader::{GROUP, Scalar, Shader, pack, unpack};

const GROUPS: usize = 12;
const ITEMS: usize = GROUPS * GROUP as usize;
const SUBGROUP: u64 = 3;

/// What the lanes of one subgroup hold, and which of them run.
struct Lanes<'a> {
    value: &'a [u64],
    /// A second operand: a lane, a mask, a distance.
    other: &'a [u64],
    active: &'a [bool],
}

impl Lanes<'_> {
    fn running(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.active.len()).filter(|&n| self.active[n])
    }

    fn first(&self) -> usize {
        self.running().next().expect("the lane that asks runs")
    }
}

fn masks(seed: u64) -> Vec<bool> {
    let mut r = Random(seed);
    (0..ITEMS)
        .map(|n| match n / 64 % 4 {
            0 => true,
            1 => r.one_in(2),
            2 => r.one_in(8),
            _ => n % 64 == 37 || !r.one_in(5) && n % 64 > 20,
        })
        .collect()
}

type Value<'a> = &'a dyn Fn(&Lanes<'_>, usize) -> Option<u64>;

/// Runs `emit` where the mask allows, and compares every work-item; `None` = SPIR-V leaves it open.
fn check(
    sessions: &[(Gen, Session)],
    name: &str,
    (input, output): (Scalar, Scalar),
    data: (&[u64], &[u64]),
    emit: &dyn Fn(&mut Shader, u32) -> u32,
    value: Value<'_>,
) {
    let word = Scalar::Int(32);
    for (wave, lanes) in [(WaveSize::W32, 32), (WaveSize::W64, 64)] {
        let active = masks(lanes as u64);
        let mut m = Shader::new(&[input, word, word], output);
        for c in [
            Capability::GroupNonUniformVote,
            Capability::GroupNonUniformArithmetic,
            Capability::GroupNonUniformBallot,
            Capability::GroupNonUniformShuffle,
            Capability::GroupNonUniformShuffleRelative,
            Capability::GroupNonUniformClustered,
            Capability::GroupNonUniformQuad,
            Capability::GroupNonUniformRotateKHR,
        ] {
            m.capability(c);
        }
        m.extension("SPV_KHR_subgroup_rotate");
        let (boolean, zero) = (m.boolean(), m.constant(word, 0));
        let runs = m.op(Op::INotEqual, boolean, &[m.input(2), zero]);
        m.when(runs);
        let result = emit(&mut m, lanes as u32);
        let words = m.finish(result);
        let flags: Vec<u64> = active.iter().map(|&a| u64::from(a)).collect();
        for (isa, session) in sessions.iter().filter(|(isa, _)| wave.is_of(*isa)) {
            let job = Job {
                words: words.clone(),
                wave: Some(wave),
                groups: [GROUPS as u32, 1, 1],
                buffers: vec![
                    (0, 0, pack(input, data.0)),
                    (0, 1, pack(word, data.1)),
                    (0, 2, pack(word, &flags)),
                    (0, 3, vec![0; ITEMS * output.bytes()]),
                ],
                ..Job::default()
            };
            let out = session.run(&job).unwrap_or_else(|e| panic!("{name} {isa:?} {wave:?}: {e}"));
            let got = unpack(output, out.last().expect("an output"));
            for n in 0..ITEMS {
                let from = n / lanes * lanes;
                let group = from..from + lanes;
                let l = Lanes { value: &data.0[group.clone()], other: &data.1[group.clone()], active: &active[group] };
                let wanted = if active[n] { value(&l, n - from) } else { Some(0) };
                if let Some(wanted) = wanted {
                    assert_eq!(got[n], wanted, "{name} {isa:?} {wave:?}: lane {} of {:?}", n - from, l.active);
                }
            }
        }
    }
}

fn random(s: Scalar, seed: u64) -> Vec<u64> {
    let mut r = Random(seed);
    (0..ITEMS).map(|_| r.bits() & (u64::MAX >> (64 - s.bits()))).collect()
}

fn small(limit: u64, seed: u64) -> Vec<u64> {
    let mut r = Random(seed);
    (0..ITEMS).map(|_| r.bits() % limit).collect()
}

fn session() -> Vec<(Gen, Session)> {
    let on =
        |machine: Arc<Machine>| (machine.generation(), Session::new(&Config { machine, ..Config::watched() }).unwrap());
    wavepipe_tests::matrix::generations().into_iter().map(on).collect()
}

/// x op y on the bits of two elements. Floats are chosen so that every order of summing gives the same.
fn combine(op: Op, s: Scalar, x: u64, y: u64) -> u64 {
    let bits = s.bits();
    let signed = |x: u64| (x << (64 - bits)) as i64 >> (64 - bits);
    let float = |f: fn(f64, f64) -> f64| {
        let f64s = format(bits);
        f64s.bits_of(f(f64s.number(x), f64s.number(y)))
    };
    let r = match op {
        Op::GroupNonUniformIAdd => x.wrapping_add(y),
        Op::GroupNonUniformIMul => x.wrapping_mul(y),
        Op::GroupNonUniformSMin => signed(x).min(signed(y)) as u64,
        Op::GroupNonUniformSMax => signed(x).max(signed(y)) as u64,
        Op::GroupNonUniformUMin => x.min(y),
        Op::GroupNonUniformUMax => x.max(y),
        Op::GroupNonUniformBitwiseAnd => x & y,
        Op::GroupNonUniformBitwiseOr => x | y,
        Op::GroupNonUniformBitwiseXor => x ^ y,
        Op::GroupNonUniformFAdd => float(|x, y| x + y),
        Op::GroupNonUniformFMul => float(|x, y| x * y),
        Op::GroupNonUniformFMin => float(f64::min),
        _ => float(f64::max),
    };
    r & (u64::MAX >> (64 - bits))
}

fn identity(op: Op, s: Scalar) -> u64 {
    let (bits, all) = (s.bits(), u64::MAX >> (64 - s.bits()));
    let f = || format(bits);
    match op {
        Op::GroupNonUniformIMul => 1,
        Op::GroupNonUniformSMin => all >> 1,
        Op::GroupNonUniformSMax => 1 << (bits - 1),
        Op::GroupNonUniformUMin | Op::GroupNonUniformBitwiseAnd => all,
        Op::GroupNonUniformFAdd => f().bits_of(-0.0),
        Op::GroupNonUniformFMul => f().bits_of(1.0),
        Op::GroupNonUniformFMin => f().bits_of(f64::INFINITY),
        Op::GroupNonUniformFMax => f().bits_of(f64::NEG_INFINITY),
        _ => 0,
    }
}

/// Every kind of reduction: whole, both scans, clusters of every size.
fn reductions(session: &[(Gen, Session)], op: Op, s: Scalar, data: &[u64]) {
    let other = vec![0; ITEMS];
    let kinds = [GroupOperation::Reduce, GroupOperation::InclusiveScan, GroupOperation::ExclusiveScan];
    let clusters = [1u32, 2, 4, 8, 16, 32, 64];
    let all = kinds.map(|k| (k, 0)).into_iter().chain(clusters.map(|c| (GroupOperation::ClusteredReduce, c)));
    for (kind, cluster) in all {
        let emit = |m: &mut Shader, lanes: u32| {
            let (ty, scope) = (m.scalar(s), m.constant(Scalar::Int(32), SUBGROUP));
            let mut args = vec![scope, kind as u32, m.input(0)];
            if cluster != 0 {
                args.push(m.constant(Scalar::Int(32), cluster.min(lanes).into()));
            }
            m.op(op, ty, &args)
        };
        let value = |l: &Lanes<'_>, lane: usize| {
            let size = if cluster == 0 { 64 } else { cluster as usize };
            let taken = |n: &usize| match kind {
                GroupOperation::InclusiveScan => *n <= lane,
                GroupOperation::ExclusiveScan => *n < lane,
                _ => n / size == lane / size,
            };
            let items: Vec<u64> = l.running().filter(taken).map(|n| l.value[n]).collect();
            let sum = items.iter().fold(identity(op, s), |a, &b| combine(op, s, a, b));
            Some(sum)
        };
        let name = format!("{op:?} {s:?} {kind:?} {cluster}");
        check(session, &name, (s, s), (data, &other), &emit, &value);
    }
}

#[test]
fn integer_reductions() {
    let session = session();
    for bits in [8, 16, 32, 64] {
        let s = Scalar::Int(bits);
        let data = random(s, u64::from(bits));
        for op in [
            Op::GroupNonUniformIAdd,
            Op::GroupNonUniformIMul,
            Op::GroupNonUniformSMin,
            Op::GroupNonUniformSMax,
            Op::GroupNonUniformUMin,
            Op::GroupNonUniformUMax,
            Op::GroupNonUniformBitwiseAnd,
            Op::GroupNonUniformBitwiseOr,
            Op::GroupNonUniformBitwiseXor,
        ] {
            reductions(&session, op, s, &data);
        }
    }
}

#[test]
fn float_reductions() {
    let session = session();
    for bits in [16, 32, 64] {
        let (s, f) = (Scalar::Float(bits), format(bits));
        let integers: Vec<u64> = small(17, 5).iter().map(|&x| f.bits_of(x as f64 - 8.0)).collect();
        let signs: Vec<u64> = small(2, 6).iter().map(|&x| f.bits_of(1.0 - 2.0 * x as f64)).collect();
        for op in [Op::GroupNonUniformFAdd, Op::GroupNonUniformFMin, Op::GroupNonUniformFMax] {
            // −0 is what summing nothing gives, and −0 + 0 is 0: no zeros among the values keeps the sums apart from it.
            reductions(&session, op, s, &integers);
        }
        reductions(&session, Op::GroupNonUniformFMul, s, &signs);
    }
}

#[test]
fn booleans() {
    let session = session();
    let word = Scalar::Int(32);
    let (data, other) = (small(2, 9), vec![0; ITEMS]);
    let kinds = [GroupOperation::Reduce, GroupOperation::InclusiveScan, GroupOperation::ExclusiveScan];
    let all = kinds.map(|k| (k, 0)).into_iter().chain([2, 4, 16, 32].map(|c| (GroupOperation::ClusteredReduce, c)));
    for (kind, cluster) in all {
        for op in [Op::GroupNonUniformLogicalAnd, Op::GroupNonUniformLogicalOr, Op::GroupNonUniformLogicalXor] {
            let emit = |m: &mut Shader, _: u32| {
                let (ty, boolean, scope) = (m.scalar(word), m.boolean(), m.constant(word, SUBGROUP));
                let (zero, one) = (m.constant(word, 0), m.constant(word, 1));
                let x = m.op(Op::INotEqual, boolean, &[m.input(0), zero]);
                let mut args = vec![scope, kind as u32, x];
                if cluster != 0 {
                    args.push(m.constant(word, cluster as u64));
                }
                let r = m.op(op, boolean, &args);
                m.op(Op::Select, ty, &[r, one, zero])
            };
            let value = |l: &Lanes<'_>, lane: usize| {
                let size = if cluster == 0 { 64 } else { cluster };
                let taken = |n: &usize| match kind {
                    GroupOperation::InclusiveScan => *n <= lane,
                    GroupOperation::ExclusiveScan => *n < lane,
                    _ => n / size == lane / size,
                };
                let items = l.running().filter(taken).map(|n| l.value[n]);
                Some(match op {
                    Op::GroupNonUniformLogicalAnd => items.fold(1, |a, b| a & b),
                    Op::GroupNonUniformLogicalOr => items.fold(0, |a, b| a | b),
                    _ => items.fold(0, |a, b| a ^ b),
                })
            };
            check(&session, &format!("{op:?} {kind:?} {cluster}"), (word, word), (&data, &other), &emit, &value);
        }
    }
}

/// Values from other lanes, at every width. `to` gives the lane, from the own one and the second operand.
#[test]
fn shuffles() {
    let session = session();
    let word = Scalar::Int(32);
    let open = |l: &Lanes<'_>, from: i64| {
        let n = usize::try_from(from).ok().filter(|&n| n < l.active.len() && l.active[n])?;
        Some(l.value[n])
    };
    for s in [Scalar::Int(8), Scalar::Int(16), word, Scalar::Int(64), Scalar::Float(16), Scalar::Float(64)] {
        let (data, other) = (random(s, 11), small(64, 12));
        type Lane = fn(i64, i64, i64) -> i64;
        let ops: &[(Op, Lane)] = &[
            (Op::GroupNonUniformShuffle, |_, n, _| n),
            (Op::GroupNonUniformShuffleXor, |lane, n, _| lane ^ n),
            (Op::GroupNonUniformShuffleUp, |lane, n, _| lane - n),
            (Op::GroupNonUniformShuffleDown, |lane, n, _| lane + n),
        ];
        for &(op, lane_of) in ops {
            let emit = |m: &mut Shader, _: u32| {
                let (ty, scope) = (m.scalar(s), m.constant(word, SUBGROUP));
                m.op(op, ty, &[scope, m.input(0), m.input(1)])
            };
            let value =
                |l: &Lanes<'_>, lane: usize| open(l, lane_of(lane as i64, l.other[lane] as i64, l.active.len() as i64));
            check(&session, &format!("{op:?} {s:?}"), (s, s), (&data, &other), &emit, &value);
        }
        for delta in [0u64, 1, 5, 31, 40] {
            for cluster in [0u64, 4, 16, 32] {
                let emit = |m: &mut Shader, _: u32| {
                    let (ty, scope) = (m.scalar(s), m.constant(word, SUBGROUP));
                    let mut args = vec![scope, m.input(0), m.constant(word, delta)];
                    if cluster != 0 {
                        args.push(m.constant(word, cluster));
                    }
                    m.op(Op::GroupNonUniformRotateKHR, ty, &args)
                };
                let value = |l: &Lanes<'_>, lane: usize| {
                    let size = if cluster == 0 { l.active.len() as u64 } else { cluster };
                    let at = lane as u64 / size * size + (lane as u64 + delta) % size;
                    open(l, at as i64)
                };
                let name = format!("rotate {s:?} by {delta} in {cluster}");
                check(&session, &name, (s, s), (&data, &other), &emit, &value);
            }
        }
        for n in 0..4u64 {
            let broadcast = |m: &mut Shader, _: u32| {
                let (ty, scope, n) = (m.scalar(s), m.constant(word, SUBGROUP), m.constant(word, n));
                m.op(Op::GroupNonUniformQuadBroadcast, ty, &[scope, m.input(0), n])
            };
            let value = |l: &Lanes<'_>, lane: usize| open(l, (lane / 4 * 4) as i64 + n as i64);
            check(&session, &format!("quad {n} {s:?}"), (s, s), (&data, &other), &broadcast, &value);
            if n < 3 {
                let swap = |m: &mut Shader, _: u32| {
                    let (ty, scope, n) = (m.scalar(s), m.constant(word, SUBGROUP), m.constant(word, n));
                    m.op(Op::GroupNonUniformQuadSwap, ty, &[scope, m.input(0), n])
                };
                let value = |l: &Lanes<'_>, lane: usize| open(l, lane as i64 ^ (n as i64 + 1));
                check(&session, &format!("swap {n} {s:?}"), (s, s), (&data, &other), &swap, &value);
            }
        }
        let first = |m: &mut Shader, _: u32| {
            let (ty, scope) = (m.scalar(s), m.constant(word, SUBGROUP));
            m.op(Op::GroupNonUniformBroadcastFirst, ty, &[scope, m.input(0)])
        };
        check(&session, &format!("first {s:?}"), (s, s), (&data, &other), &first, &|l, _| Some(l.value[l.first()]));
        // A lane that is only the same for all at run time: that of the first active one, plus a little.
        let dynamic = |m: &mut Shader, lanes: u32| {
            let (ty, w, scope) = (m.scalar(s), m.scalar(word), m.constant(word, SUBGROUP));
            let first = m.op(Op::GroupNonUniformBroadcastFirst, w, &[scope, m.lane()]);
            let (three, last) = (m.constant(word, 3), m.constant(word, u64::from(lanes) - 1));
            let at = m.op(Op::IAdd, w, &[first, three]);
            let at = m.op(Op::BitwiseAnd, w, &[at, last]);
            m.op(Op::GroupNonUniformBroadcast, ty, &[scope, m.input(0), at])
        };
        let value = |l: &Lanes<'_>, _: usize| open(l, ((l.first() + 3) % l.active.len()) as i64);
        check(&session, &format!("broadcast {s:?}"), (s, s), (&data, &other), &dynamic, &value);
    }
}

#[test]
fn votes_and_ballots() {
    let session = session();
    let word = Scalar::Int(32);
    let (data, other) = (small(2, 21), small(64, 22));
    let truth = |m: &mut Shader| {
        let (boolean, zero) = (m.boolean(), m.constant(word, 0));
        m.op(Op::INotEqual, boolean, &[m.input(0), zero])
    };
    let as_word = |m: &mut Shader, r: u32| {
        let (ty, zero, one) = (m.scalar(word), m.constant(word, 0), m.constant(word, 1));
        m.op(Op::Select, ty, &[r, one, zero])
    };
    let run = |name: &str, data: &[u64], emit: &dyn Fn(&mut Shader, u32) -> u32, value: Value<'_>| {
        check(&session, name, (word, word), (data, &other), emit, value);
    };
    let quad = |l: &Lanes<'_>, lane: usize| -> Vec<u64> {
        l.running().filter(|n| n / 4 == lane / 4).map(|n| l.value[n]).collect()
    };
    for op in [Op::GroupNonUniformAll, Op::GroupNonUniformAny] {
        let emit = |m: &mut Shader, _: u32| {
            let (b, scope, x) = (m.boolean(), m.constant(word, SUBGROUP), truth(m));
            let r = m.op(op, b, &[scope, x]);
            as_word(m, r)
        };
        let value = |l: &Lanes<'_>, _: usize| {
            let mut x = l.running().map(|n| l.value[n] != 0);
            Some(u64::from(if op == Op::GroupNonUniformAll { x.all(|x| x) } else { x.any(|x| x) }))
        };
        run(&format!("{op:?}"), &data, &emit, &value);
    }
    for op in [Op::GroupNonUniformQuadAllKHR, Op::GroupNonUniformQuadAnyKHR] {
        let emit = |m: &mut Shader, _: u32| {
            m.capability(Capability::QuadControlKHR);
            m.extension("SPV_KHR_quad_control");
            let (b, x) = (m.boolean(), truth(m));
            let r = m.op(op, b, &[x]);
            as_word(m, r)
        };
        let value = |l: &Lanes<'_>, lane: usize| {
            let q = quad(l, lane);
            let all = op == Op::GroupNonUniformQuadAllKHR;
            Some(u64::from(if all { q.iter().all(|&x| x != 0) } else { q.iter().any(|&x| x != 0) }))
        };
        run(&format!("{op:?}"), &data, &emit, &value);
    }
    let same: Vec<u64> = (0..ITEMS).map(|n| if n / 64 % 2 == 0 { 77 } else { data[n] }).collect();
    for s in [Scalar::Int(8), word, Scalar::Int(64)] {
        let emit = |m: &mut Shader, _: u32| {
            let (b, scope) = (m.boolean(), m.constant(word, SUBGROUP));
            let r = m.op(Op::GroupNonUniformAllEqual, b, &[scope, m.input(0)]);
            as_word(m, r)
        };
        let value = |l: &Lanes<'_>, _: usize| Some(u64::from(l.running().all(|n| l.value[n] == l.value[l.first()])));
        check(&session, &format!("all equal {s:?}"), (s, word), (&same, &other), &emit, &value);
    }
    let elect = |m: &mut Shader, _: u32| {
        let (b, scope) = (m.boolean(), m.constant(word, SUBGROUP));
        let r = m.op(Op::GroupNonUniformElect, b, &[scope]);
        as_word(m, r)
    };
    run("elect", &data, &elect, &|l, lane| Some(u64::from(lane == l.first())));

    // What a ballot of the values is, and what is asked of it.
    let mask = |l: &Lanes<'_>| l.running().fold(0u64, |b, n| b | l.value[n] << n);
    let ballot = |m: &mut Shader| {
        let (w, scope, x) = (m.scalar(word), m.constant(word, SUBGROUP), truth(m));
        let v4 = m.vector(w, 4);
        m.op(Op::GroupNonUniformBallot, v4, &[scope, x])
    };
    for part in 0..4 {
        let emit = |m: &mut Shader, _: u32| {
            let (b, w) = (ballot(m), m.scalar(word));
            m.op(Op::CompositeExtract, w, &[b, part])
        };
        let value = |l: &Lanes<'_>, _: usize| Some(if part < 2 { mask(l) >> (32 * part) & 0xffff_ffff } else { 0 });
        run(&format!("ballot {part}"), &data, &emit, &value);
    }
    let inverse = |m: &mut Shader, _: u32| {
        let (b, boolean, scope) = (ballot(m), m.boolean(), m.constant(word, SUBGROUP));
        let r = m.op(Op::GroupNonUniformInverseBallot, boolean, &[scope, b]);
        as_word(m, r)
    };
    run("inverse ballot", &data, &inverse, &|l, lane| Some(l.value[lane]));
    let extract = |m: &mut Shader, _: u32| {
        let (b, boolean, scope) = (ballot(m), m.boolean(), m.constant(word, SUBGROUP));
        let r = m.op(Op::GroupNonUniformBallotBitExtract, boolean, &[scope, b, m.input(1)]);
        as_word(m, r)
    };
    run("bit extract", &data, &extract, &|l, lane| {
        let n = l.other[lane];
        (n < l.active.len() as u64).then(|| mask(l) >> n & 1)
    });
    for kind in [GroupOperation::Reduce, GroupOperation::InclusiveScan, GroupOperation::ExclusiveScan] {
        let emit = |m: &mut Shader, _: u32| {
            let (b, w, scope) = (ballot(m), m.scalar(word), m.constant(word, SUBGROUP));
            m.op(Op::GroupNonUniformBallotBitCount, w, &[scope, kind as u32, b])
        };
        let value = |l: &Lanes<'_>, lane: usize| {
            let below = (1u64 << lane) - 1;
            let of = match kind {
                GroupOperation::InclusiveScan => below << 1 | 1,
                GroupOperation::ExclusiveScan => below,
                _ => u64::MAX,
            };
            Some(u64::from((mask(l) & of).count_ones()))
        };
        run(&format!("bit count {kind:?}"), &data, &emit, &value);
    }
    for op in [Op::GroupNonUniformBallotFindLSB, Op::GroupNonUniformBallotFindMSB] {
        let emit = |m: &mut Shader, _: u32| {
            let (b, w, scope) = (ballot(m), m.scalar(word), m.constant(word, SUBGROUP));
            m.op(op, w, &[scope, b])
        };
        let value = |l: &Lanes<'_>, _: usize| {
            let b = mask(l);
            let n = if op == Op::GroupNonUniformBallotFindLSB { b.trailing_zeros() } else { 63 - b.leading_zeros() };
            (b != 0).then_some(n.into())
        };
        run(&format!("{op:?}"), &data, &emit, &value);
    }
}
