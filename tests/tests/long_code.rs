//! Code that is long: bodies that no branch reaches over, and switches of thousands of cases that fall through. The modules
//! are made word by word, what they compute is computed here too, and each compiles within twelve seconds of one processor
//! and 1 GiB of address space.

use spirv::Op;
use std::process::Command;
use wavepipe_runtime::simple::{Job, Session};
use wavepipe_runtime::{Config, WaveSize};
use wavepipe_tests::random::Random;
use wavepipe_tests::shader::{GROUP, Scalar, Shader};
use wavepipe_tests::share::is_due;
use wavepipe_tests::{clean, installed, program, run, scratch, show, skip};

const WORD: Scalar = Scalar::Int(32);
const GROUPS: u32 = 2;

/// x·a + c, over and over: five dwords of vector code each.
fn steps(seed: u64, n: usize) -> Vec<(u32, u32)> {
    let mut r = Random(seed);
    (0..n).map(|_| (r.bits() as u32 | 1, r.bits() as u32)).collect()
}

fn step(x: u32, (a, c): (u32, u32)) -> u32 {
    x.wrapping_mul(a).wrapping_add(c)
}

fn emit(s: &mut Shader, x: u32, steps: &[(u32, u32)]) -> u32 {
    let word = s.scalar(WORD);
    steps.iter().fold(x, |x, &(a, c)| {
        let (a, c) = (s.constant(WORD, a.into()), s.constant(WORD, c.into()));
        let product = s.op(Op::IMul, word, &[x, a]);
        s.op(Op::IAdd, word, &[product, c])
    })
}

fn compare(s: &mut Shader, op: Op, x: u32, with: u32) -> u32 {
    let (boolean, with) = (s.boolean(), s.constant(WORD, with.into()));
    s.op(op, boolean, &[x, with])
}

/// spirv-val takes the module, and so does the compiler, within its limits.
fn compiles(name: &str, words: &[u32]) {
    let (module, bytes) =
        (scratch(&format!("{name}.spv")), words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>());
    std::fs::write(&module, bytes).unwrap();
    if installed("spirv-val") {
        let output = run(Command::new("spirv-val").args(["--target-env", "vulkan1.3"]).arg(&module)).unwrap();
        assert!(output.status.success(), "{name}: {}", show(&output));
    } else {
        skip("spirv-val").unwrap();
    }
    // Most of the time is the checks between passes: a tenth to a third of that, by host and by what else it does. What
    // grows with the square of the code takes minutes.
    let limited = "ulimit -v 1048576; ulimit -t 40; exec \"$0\" \"$@\"";
    for wave in ["32", "64"] {
        let mut command = clean("bash".as_ref());
        command.args(["-c", limited]).arg(program("wavepipe").unwrap()).arg("compile").arg(&module);
        let output = run(command.args(["--stats", "--wave", wave])).unwrap();
        assert!(output.status.success(), "{name}, wave {wave}: {}", show(&output));
    }
}

/// Runs the module on both wave sizes; each work-item's word is what `wanted` makes of the inputs that it reads, by its own
/// number or, if `uniform`, by its work-group's.
fn check(name: &str, words: Vec<u32>, inputs: &[(u32, u32)], uniform: bool, wanted: impl Fn(u32, u32) -> u32) {
    compiles(name, &words);
    let session = Session::new(&Config::default()).unwrap();
    let items = (GROUP * GROUPS) as usize;
    let of = |item: usize| inputs[if uniform { item / GROUP as usize } else { item }];
    for wave in [WaveSize::W32, WaveSize::W64] {
        let bytes = |f: &dyn Fn((u32, u32)) -> u32| -> Vec<u8> {
            inputs[..items].iter().flat_map(|&i| f(i).to_le_bytes()).collect()
        };
        let buffers = vec![(0, 0, bytes(&|i| i.0)), (0, 1, bytes(&|i| i.1)), (0, 2, vec![0; 4 * items])];
        let job = Job { words: words.clone(), wave: Some(wave), groups: [GROUPS, 1, 1], buffers, ..Job::default() };
        let out = session.run(&job).unwrap_or_else(|e| panic!("{name}, {wave:?}: {e}")).remove(2);
        for (item, got) in out.as_chunks::<4>().0.iter().enumerate() {
            let (x, s) = of(item);
            assert_eq!(u32::from_le_bytes(*got), wanted(x, s), "{name}, {wave:?}, work-item {item}: {x:#x}, {s}");
        }
    }
}

fn inputs(n: usize, select: impl Fn(&mut Random) -> u32) -> Vec<(u32, u32)> {
    let mut r = Random(99);
    (0..n).map(|_| (r.bits() as u32, select(&mut r))).collect()
}

/// Returns true if the test with this number is due, one day of two; prints that it is not, which the gate counts.
fn is_today(number: usize) -> bool {
    let due = is_due(number, 2);
    if !due {
        println!("OTHER DAYS long code: 1 of 1");
    }
    due
}

/// `if (x < limit) { 8,000 or 20,000 steps }`: 40,000 and 100,000 dwords.
#[test]
fn a_long_arm() {
    if !is_today(0) {
        return;
    }
    for (n, uniform) in [(8_000, false), (20_000, false), (8_000, true)] {
        let all = steps(1, n);
        let mut s = Shader::indexed(&[WORD, WORD], WORD, uniform);
        let (head, x) = (s.block(), s.input(0));
        let condition = compare(&mut s, Op::ULessThan, x, 0xc000_0000);
        let (then, merge) = (s.id(), s.id());
        s.statement(Op::SelectionMerge, &[merge, 0]);
        s.statement(Op::BranchConditional, &[condition, then, merge]);
        s.begin(then);
        let y = emit(&mut s, x, &all);
        s.statement(Op::Branch, &[merge]);
        s.begin(merge);
        let word = s.scalar(WORD);
        let result = s.op(Op::Phi, word, &[x, head, y, then]);
        let mut data = inputs(128, |_| 0);
        data[0].0 = 0xffff_ffff;
        data[1].0 = 5;
        check(&format!("arm{n}{uniform}"), s.finish(result), &data, uniform, |x, _| match x {
            x if x < 0xc000_0000 => all.iter().fold(x, |x, &k| step(x, k)),
            x => x,
        });
    }
}

/// `for (i = 0; i < s; i++) { if (x % 7 == 0) break; many steps; x ^= i }`: the way back is as long as the way out.
#[test]
fn a_long_loop() {
    if !is_today(0) {
        return;
    }
    for (n, uniform) in [(8_000, false), (20_000, false), (8_000, true)] {
        let all = steps(2, n);
        let mut s = Shader::indexed(&[WORD, WORD], WORD, uniform);
        let (word, boolean, head) = (s.scalar(WORD), s.boolean(), s.block());
        let (x, rounds) = (s.input(0), s.input(1));
        let (zero, one) = (s.constant(WORD, 0), s.constant(WORD, 1));
        let seven = s.constant(WORD, 7);
        let [header, test, body, next, merge] = [(); 5].map(|()| s.id());
        let (next_i, next_x) = (s.id(), s.id());
        s.statement(Op::Branch, &[header]);
        s.begin(header);
        let i = s.op(Op::Phi, word, &[zero, head, next_i, next]);
        let here = s.op(Op::Phi, word, &[x, head, next_x, next]);
        let more = s.op(Op::ULessThan, boolean, &[i, rounds]);
        s.statement(Op::LoopMerge, &[merge, next, 0]);
        s.statement(Op::BranchConditional, &[more, test, merge]);
        s.begin(test);
        let rest = s.op(Op::UMod, word, &[here, seven]);
        let done = s.op(Op::IEqual, boolean, &[rest, zero]);
        s.statement(Op::BranchConditional, &[done, merge, body]);
        s.begin(body);
        let y = emit(&mut s, here, &all);
        s.statement(Op::BitwiseXor, &[word, next_x, y, i]);
        s.statement(Op::Branch, &[next]);
        s.begin(next);
        s.statement(Op::IAdd, &[word, next_i, i, one]);
        s.statement(Op::Branch, &[header]);
        s.begin(merge);
        let data = inputs(128, |r| r.below(4) as u32);
        check(&format!("loop{n}{uniform}"), s.finish(here), &data, uniform, |mut x, rounds| {
            for i in 0..rounds {
                if x % 7 == 0 {
                    break;
                }
                x = all.iter().fold(x, |x, &k| step(x, k)) ^ i;
            }
            x
        });
    }
}

/// A switch whose cases all fall into the next one, but for those who leave: after every third where x % 64 == 0.
fn falling(n: usize, uniform: bool) {
    let all = steps(3, n + 1);
    let literal = |k: usize| (k as u32).wrapping_mul(7919) & 0xffff;
    let mut s = Shader::indexed(&[WORD, WORD], WORD, uniform);
    let (word, boolean, head) = (s.scalar(WORD), s.boolean(), s.block());
    let (x, selector) = (s.input(0), s.input(1));
    let (zero, mask) = (s.constant(WORD, 0), s.constant(WORD, 63));
    let (labels, merge): (Vec<u32>, u32) = ((0..=n).map(|_| s.id()).collect(), s.id());
    s.statement(Op::SelectionMerge, &[merge, 0]);
    let cases = labels[..n].iter().enumerate().flat_map(|(k, &l)| [literal(k), l]);
    let switch: Vec<u32> = [selector, labels[n]].into_iter().chain(cases).collect();
    s.statement(Op::Switch, &switch);
    let (mut before, mut ends) = (None, Vec::new());
    for (k, &label) in labels.iter().enumerate() {
        s.begin(label);
        let own = [x, head].into_iter().chain(before.into_iter().flatten()).collect::<Vec<u32>>();
        let here = s.op(Op::Phi, word, &own);
        let y = emit(&mut s, here, &all[k..k + 1]);
        before = Some([y, label]);
        match labels.get(k + 1) {
            Some(&next) if k % 3 == 2 => {
                let low = s.op(Op::BitwiseAnd, word, &[y, mask]);
                let leaves = s.op(Op::IEqual, boolean, &[low, zero]);
                s.statement(Op::BranchConditional, &[leaves, merge, next]);
                ends.extend([y, label]);
            }
            Some(&next) => s.statement(Op::Branch, &[next]),
            None => {
                s.statement(Op::Branch, &[merge]);
                ends.extend([y, label]);
            }
        }
    }
    s.begin(merge);
    let result = s.op(Op::Phi, word, &ends);
    let data = inputs(128, |r| match r.below(4) {
        0 => 0xffff_0000 | r.bits() as u32,
        1 => literal(n - 1 - r.below(8)),
        _ => literal(r.below(n)),
    });
    check(&format!("switch{n}{uniform}"), s.finish(result), &data, uniform, |mut x, selector| {
        let first = (0..n).find(|&k| literal(k) == selector).unwrap_or(n);
        for k in first..=n {
            x = step(x, all[k]);
            if k % 3 == 2 && k < n && x & 63 == 0 {
                break;
            }
        }
        x
    });
}

#[test]
fn switches_that_fall_through() {
    if !is_today(1) {
        return;
    }
    for n in [5, 2_000, 5_000] {
        falling(n, false);
        falling(n, true);
    }
}
