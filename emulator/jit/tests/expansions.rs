//! Each expansion on the plain algebra, node by node, beside the operation.

use wavepipe_isa::alu::{Alu, Nearest};
use wavepipe_jit::tested::{CORE, D, F, Id, Node, Recorder, expansion, legalise, operations};

const NONE: Id = Id::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    B,
    C,
    D,
}

/// A value of each trial.
type Column = Vec<u32>;

macro_rules! evaluator {
    ($($name:ident($($arg:ident: $ty:tt),*) -> $out:tt;)*) => {
        /// With the types of operands and result.
        const OPERATIONS: &[(F, &[Ty], Ty)] = &[$((F::$name, &[$(Ty::$ty),*], Ty::$out)),*];

        fn operate(f: F, s: &[&Column], trials: usize) -> [Column; 2] {
            let mut out = [vec![0; trials], vec![0; trials]];
            match f {
                $(F::$name => for i in 0..trials {
                    let mut words = s.iter().map(|column| column[i]);
                    $(let $arg = evaluator!(@take words $ty);)*
                    let v = Nearest.$name($($arg),*);
                    evaluator!(@put out i v $out);
                })*
                _ => panic!("{f:?} is no operation"),
            }
            out
        }
    };
    (@take $words:ident B) => { $words.next().unwrap() };
    (@take $words:ident C) => { $words.next().unwrap() != 0 };
    (@take $words:ident D) => { [$words.next().unwrap(), $words.next().unwrap()] };
    (@put $out:ident $i:ident $v:ident D) => { ($out[0][$i], $out[1][$i]) = ($v[0], $v[1]) };
    (@put $out:ident $i:ident $v:ident $word:tt) => { $out[0][$i] = u32::from($v) };
}

operations!(evaluator);

/// Every node's words.
fn evaluate(nodes: &[Node], sources: &[Column]) -> Vec<[Column; 2]> {
    let trials = sources[0].len();
    let mut of: Vec<[Column; 2]> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let column = |column| [column, Vec::new()];
        of.push(match node.f {
            F::literal => column(vec![node.literal; trials]),
            F::source => column(sources[node.literal as usize].clone()),
            F::high => column(of[usize::from(node.args[0])][1].clone()),
            f => {
                let s: Vec<&Column> =
                    node.args.iter().filter(|&&a| a != NONE).map(|&a| &of[usize::from(a)][0]).collect();
                operate(f, &s, trials)
            }
        });
    }
    of
}

/// The operation of sources, and its result's words.
fn recorded(f: F, args: &[Ty], out: Ty) -> (Vec<Node>, Vec<((), Id)>) {
    let mut r = Recorder::default();
    let words: usize = args.iter().map(|&ty| if ty == Ty::D { 2 } else { 1 }).sum();
    let mut node = Node { f, args: [NONE; 6], literal: 0 };
    (0..words).for_each(|i| node.args[i] = r.source(i / 2, i % 2));
    let low = r.put(node);
    let mut results = vec![((), low)];
    if out == Ty::D {
        let mut high = Node { f: F::high, args: [NONE; 6], literal: 0 };
        high.args[0] = low;
        results.push(((), r.put(high)));
    }
    (r.nodes, results)
}

fn is_core(f: &F) -> bool {
    CORE.contains(f)
}

fn expanded() -> impl Iterator<Item = &'static (F, &'static [Ty], Ty)> {
    OPERATIONS.iter().filter(|(f, ..)| !is_core(f))
}

#[test]
fn expansions_end_in_core_operations() {
    for &(f, args, out) in OPERATIONS {
        let (mut nodes, mut results) = recorded(f, args, out);
        legalise(&mut nodes, &mut results, &|_| false);
        let others: Vec<F> = nodes.iter().map(|n| n.f).filter(|f| !is_core(f)).collect();
        assert!(others.is_empty(), "{f:?} still has {others:?}");
        let mut r = Recorder::default();
        let s: [Id; 6] = std::array::from_fn(|i| r.source(i / 2, i % 2));
        assert!(!is_core(&f) || expansion(&mut r, f, s, &|_| false).is_none(), "{f:?} is core, and expands");
    }
}

#[test]
fn what_the_target_has_stays() {
    for &(f, args, out) in OPERATIONS {
        let (mut nodes, mut results) = recorded(f, args, out);
        let before = (nodes.clone(), results.clone());
        legalise(&mut nodes, &mut results, &|_| true);
        assert_eq!((nodes, results), before, "{f:?}");
    }
}

/// A double's words that are used twice, on both sides of an operation that goes: the numbers of all move.
#[test]
fn results_and_high_words_are_found_again() {
    let mut r = Recorder::default();
    let x: D = [r.source(0, 0), r.source(0, 1)];
    let bits = r.popcnt(x[0]);
    let sum = r.dadd(x, x);
    let least = r.dmin(sum, x);
    let again = r.dadd(x, x);
    let all = r.add(bits, again[1]);
    let mut results = [all, sum[1], least[0], least[1]].map(|id| ((), id));
    let (sources, before) = ([vec![7, 0, 3], vec![0x4000_0000, 0xc000_0000, 0x7ff0_0000]], r.nodes.clone());
    let want: Vec<Column> = {
        let of = evaluate(&before, &sources);
        results.iter().map(|&(_, id)| of[usize::from(id)][0].clone()).collect()
    };
    legalise(&mut r.nodes, &mut results, &|f| !matches!(f, F::popcnt | F::dmin));
    assert!(r.nodes.iter().all(|n| is_core(&n.f)) && r.nodes.len() > before.len() + 10);
    let of = evaluate(&r.nodes, &sources);
    let got: Vec<Column> = results.iter().map(|&(_, id)| of[usize::from(id)][0].clone()).collect();
    assert_eq!(got, want);
    // A double's high word has one node.
    let highs = |low: Id| r.nodes.iter().filter(|n| n.f == F::high && n.args[0] == low).count();
    assert!((0..r.nodes.len()).all(|i| highs(i as Id) <= 1));
}

/// Words at which a float of 32 bits, or an integer, changes its ways.
fn edges() -> Vec<u32> {
    let mut v = vec![0, 1, 2, 3, 31, 32, 33, 0xff, 0x7fff, 0x8000, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, !0];
    // Scales of ldexp.
    v.extend(
        [-1100i32, -1023, -300, -280, -278, -277, -276, -253, -252, -150, -149, -127, -126, -25, -24, -23, -2]
            .map(|n| n as u32),
    );
    v.extend([23, 24, 127, 128, 250, 277, 278, 300, 1023, 1024, 1074, 2046, 2097, 2098, 2200, 2400]);
    // Powers of two beside their neighbours: 0.5, 1, 2, the halves' ends, 2^23, 2^24, the integers' ends, this format's ends.
    for e in [0u32, 1, 2, 25, 102, 103, 104, 112, 113, 126, 127, 128, 141, 142, 143, 149, 150, 151, 157, 158, 159, 254]
    {
        let power = e << 23;
        v.extend([
            power.wrapping_sub(1) & 0x7fff_ffff,
            power,
            power + 1,
            power | 0x40_0000,
            power | 0xfff,
            power | 0x1000,
        ]);
    }
    // 0.1, 2.5, 65504 to 65536, infinity, quiet and signalling NaNs.
    v.extend([0x3dcc_cccd, 0x4020_0000, 0x477f_e000, 0x477f_efff, 0x477f_f000, 0x477f_f001, 0x477f_ffff, 0x4780_0000]);
    v.extend([0x7f80_0000, 0x7f80_0001, 0x7fa0_0000, 0x7fc0_0000, 0x7fc1_2345, 0x7fff_ffff]);
    v.extend(v.clone().iter().map(|x| x ^ 0x8000_0000));
    v.sort_unstable();
    v.dedup();
    v
}

/// Low words of halves, with something above some.
fn half_edges() -> Vec<u32> {
    let mut v = Vec::new();
    for e in 0..32 {
        v.extend([e << 10, e << 10 | 1, e << 10 | 0x200, e << 10 | 0x3ff]);
    }
    v.extend(v.clone().iter().map(|x| x | 0x8000));
    v.iter().enumerate().map(|(i, x)| x | if i % 3 == 0 { 0xabcd_0000 } else { 0 }).collect()
}

/// Doubles as (low, high): the same ends, at the scale of 64 bits.
fn double_edges() -> Vec<[u32; 2]> {
    let mut v = vec![[0, 0], [1, 0], [!0, 0], [0, 1], [!0, 0xf_ffff]];
    for e in [1, 2, 53, 54, 897, 1021, 1022, 1023, 1024, 1052, 1053, 1054, 1055, 1074, 1075, 1076, 1077, 2045, 2046] {
        let power = e << 20;
        v.extend([[0, power], [!0, power - 1], [1, power], [0, power | 0x8_0000], [!0, power | 0xf_ffff]]);
    }
    // Around 2^31 and 2^32 by halves and quarters, 2.5, 0.1.
    for n in [2_147_483_647.0f64, 2_147_483_648.0, 4_294_967_295.0, 4_294_967_296.0, 2.5, 3.5, 0.1] {
        v.extend([-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0].map(|d| {
            let bits = (n + d).to_bits();
            [bits as u32, (bits >> 32) as u32]
        }));
    }
    v.extend([[0, 0x7ff0_0000], [1, 0x7ff0_0000], [0, 0x7ff4_0000], [0, 0x7ff8_0000], [!0, 0x7fff_ffff]]);
    v.extend(v.clone().iter().map(|x| [x[0], x[1] ^ 0x8000_0000]));
    v
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// Any bits, or such as make ties, small integers and halves.
    fn pattern(&mut self) -> u32 {
        let (v, how) = (self.word(), self.word());
        match how & 7 {
            0 => v & 0xffff_f000,
            1 => v & 0xffff_8000 | 0x1000,
            2 => v & 0xfff8_0000,
            3 => (v as i32 >> (how >> 8 & 31)) as u32,
            _ => v,
        }
    }
}

fn is_half(f: F) -> bool {
    matches!(f, F::f32_from_f16 | F::hadd | F::hmul | F::hfma | F::hmin | F::hmax)
}

/// Trials, a column per word of operands: edges crossed pairwise, a third operand passing through its own, then random bits.
fn trials(f: F, args: &[Ty], random: usize, seed: u64) -> Vec<Column> {
    let singles = if is_half(f) { half_edges() } else { edges() };
    let doubles = double_edges();
    let length = |ty: &Ty| if *ty == Ty::D { doubles.len() } else { singles.len() };
    let mut columns: Vec<Column> = Vec::new();
    let (first, second) = (length(&args[0]), args.get(1).map_or(1, length));
    for (k, ty) in args.iter().enumerate() {
        let at = |i: usize| match k {
            0 => i % first,
            1 => i / first,
            _ => (i / first + 7 * (i % first)) % length(ty),
        };
        let crossed = (0..first * second).map(at);
        if *ty == Ty::D {
            columns.push(crossed.clone().map(|i| doubles[i][0]).collect());
            columns.push(crossed.map(|i| doubles[i][1]).collect());
        } else {
            columns.push(crossed.map(|i| singles[i]).collect());
        }
    }
    let mut r = Random(seed);
    for _ in 0..random {
        columns.iter_mut().for_each(|column| column.push(r.pattern()));
    }
    columns
}

/// Whether both are a NaN of the result's format: its bits are free.
fn both_nan(f: F, out: Ty, want: [u32; 2], got: [u32; 2]) -> bool {
    let nan = |v: [u32; 2]| match (f, out) {
        (_, Ty::D) => f64::from_bits(u64::from(v[1]) << 32 | u64::from(v[0])).is_nan(),
        (F::f16_from_f32 | F::f16_from_f32_rtz | F::hadd | F::hmul | F::hfma | F::hmin | F::hmax, _) => {
            (0x7c01..0x8000).contains(&(v[0] & !0x8000))
        }
        (F::fmin | F::fmax | F::ftrunc | F::ffloor | F::fceil | F::frndne | F::frsq | F::fldexp, _)
        | (F::f32_from_f16, _) => f32::from_bits(v[0]).is_nan(),
        _ => false,
    };
    nan(want) && nan(got)
}

/// The first trials for which an expansion differs.
fn differences(has: &dyn Fn(F, F) -> bool) -> Vec<String> {
    const RANDOM: usize = 1_000_000;
    let mut bad = Vec::new();
    for (k, &(f, args, out)) in expanded().enumerate() {
        let columns = trials(f, args, RANDOM, 0x9e37_79b9 + k as u64);
        let (mut nodes, mut results) = recorded(f, args, out);
        legalise(&mut nodes, &mut results, &|g| has(f, g));
        assert!(nodes.iter().all(|n| n.f != f), "{f:?} is not expanded");
        // So many that all columns stay in the cache.
        for from in (0..columns[0].len()).step_by(512) {
            let part: Vec<Column> = columns.iter().map(|c| c[from..c.len().min(from + 512)].to_vec()).collect();
            let want = operate(f, &part.iter().collect::<Vec<_>>(), part[0].len());
            let of = evaluate(&nodes, &part);
            let found = (0..part[0].len()).find_map(|i| {
                let got = |k: usize| results.get(k).map_or(0, |&(_, id)| of[usize::from(id)][0][i]);
                let (want, got) = ([want[0][i], want[1][i]], [got(0), got(1)]);
                let of: Vec<String> = part.iter().map(|c| format!("{:#x}", c[i])).collect();
                (want != got && !both_nan(f, out, want, got))
                    .then(|| format!("{f:?} {of:?} {got:x?}, wanted {want:x?}"))
            });
            if let Some(text) = found {
                bad.push(text);
                break;
            }
        }
    }
    bad
}

#[test]
fn an_expansion_is_its_operation() {
    let bad = differences(&|f, g| f != g);
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn an_expansion_to_core_operations_is_its_operation() {
    let bad = differences(&|_, _| false);
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
