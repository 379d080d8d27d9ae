//! Control flow that grows.

use super::{Axis, Sketch, axis, up_to};
use rspirv::spirv::{Capability, Op, SelectionControl, StorageClass};

pub const AXES: &[Axis] = &[
    axis("nested loops of constant bounds", |n| nested_loops(n, Bound::Constant)),
    axis("nested loops of invariant bounds", |n| nested_loops(n, Bound::Invariant)),
    axis("nested loops of the lane's bounds", |n| nested_loops(n, Bound::Lane)),
    axis("nested loops of one round", |n| nested_loops(n, Bound::One)),
    axis("loops in sequence, unrolled", loops_in_sequence),
    axis("nested ifs", nested_ifs),
    axis("else if", else_if),
    axis("ifs in sequence", ifs_in_sequence),
    axis("ifs of one value", small_ifs),
    axis("early returns", early_returns),
    axis("early breaks", early_breaks),
    up_to(30_000, "cases of a switch", |n| cases(n, false, false)),
    up_to(30_000, "cases that fall through", |n| cases(n, true, false)),
    up_to(30_000, "literals of one case", |n| cases(n, false, true)),
    axis("switch in switch", nested_switches),
    axis("loops with break and continue in switches", loops_in_switches),
    axis("a tree of calls", call_tree),
    axis("a chain of calls", call_chain),
    axis("a tree of calls that no function may be", inlined_tree),
    axis("calls in sequence", calls_in_sequence),
    axis("phis in a chain", phi_chain),
    axis("phis of one block", phis),
    axis("values that escape loops", escapes),
    axis("entry points", entries),
    axis("barriers", barriers),
];

#[derive(Clone, Copy)]
enum Bound {
    Constant,
    Invariant,
    Lane,
    One,
}

fn nested_loops(n: u32, bound: Bound) -> Vec<u32> {
    let mut s = Sketch::new();
    let zero = s.word(0);
    let invariant = s.load(zero);
    let mine = s.input(1);
    let sum = s.variable(StorageClass::Function, s.uint);
    s.put(Op::Store, &[sum, zero]);
    let mut rounds = Vec::new();
    for k in 0..n {
        let bound = match bound {
            Bound::Constant => s.word(33 + k % 7),
            Bound::Invariant => invariant,
            Bound::Lane => mine,
            Bound::One => s.word(1),
        };
        rounds.push(s.open_loop(bound));
    }
    let mut now = s.emit(Op::Load, s.uint, &[sum]);
    for r in rounds.iter().rev().take(8) {
        now = s.add(now, r.counter);
    }
    s.put(Op::Store, &[sum, now]);
    rounds.iter().rev().for_each(|r| s.close_loop(r));
    let end = s.emit(Op::Load, s.uint, &[sum]);
    s.show(end);
    s.finish()
}

fn loops_in_sequence(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let bound = s.word(31);
    let sum = s.variable(StorageClass::Function, s.uint);
    let x = s.input(0);
    s.put(Op::Store, &[sum, x]);
    for _ in 0..n {
        let round = s.open_loop(bound);
        let now = s.emit(Op::Load, s.uint, &[sum]);
        let next = s.emit(Op::IMul, s.uint, &[now, x]);
        let next = s.add(next, round.counter);
        let next = s.emit(Op::BitwiseXor, s.uint, &[next, x]);
        s.put(Op::Store, &[sum, next]);
        s.close_loop(&round);
    }
    let end = s.emit(Op::Load, s.uint, &[sum]);
    s.show(end);
    s.finish()
}

fn nested_ifs(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    let mut merges = Vec::new();
    for k in 0..n {
        let k = s.word(k);
        let cond = s.less(k, x);
        merges.push(s.open_if(cond));
        let y = s.add(x, k);
        s.show(y);
    }
    merges.into_iter().rev().for_each(|m| s.close_if(m));
    s.finish()
}

fn else_if(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    let mut merges = Vec::new();
    for k in 0..n {
        let k = s.word(k);
        let cond = s.emit(Op::IEqual, s.bool, &[k, x]);
        let [then, els, merge] = [(); 3].map(|()| s.id());
        s.choose(cond, then, els, merge);
        s.open(then);
        let y = s.add(x, k);
        s.show(y);
        s.branch(merge);
        s.open(els);
        merges.push(merge);
    }
    merges.into_iter().rev().for_each(|m| s.close_if(m));
    s.finish()
}

fn ifs_in_sequence(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    for k in 0..n {
        let k = s.word(k);
        let cond = s.less(x, k);
        let merge = s.open_if(cond);
        let y = s.add(x, k);
        s.store(y, x);
        s.close_if(merge);
    }
    s.finish()
}

fn small_ifs(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let mut x = s.input(0);
    for k in 0..n {
        let k = s.word(k);
        let cond = s.less(x, k);
        let from = s.label();
        let merge = s.open_if(cond);
        let y = s.add(x, k);
        let arm = s.label();
        s.close_if(merge);
        x = s.emit(Op::Phi, s.uint, &[x, from, y, arm]);
    }
    s.show(x);
    s.finish()
}

fn early_returns(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    for k in 0..n {
        let k = s.word(k);
        let cond = s.emit(Op::IEqual, s.bool, &[x, k]);
        let merge = s.open_if(cond);
        s.put(Op::Return, &[]);
        s.open(merge);
        let y = s.add(x, k);
        s.show(y);
    }
    s.finish()
}

fn early_breaks(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    let round = s.open_loop(x);
    for k in 0..n {
        let at = s.word(k);
        let cond = s.emit(Op::IEqual, s.bool, &[round.counter, at]);
        let merge = s.open_if(cond);
        s.branch(if k % 2 == 0 { round.merge } else { round.cont });
        s.open(merge);
        let y = s.add(x, at);
        s.show(y);
    }
    s.close_loop(&round);
    s.finish()
}

fn cases(n: u32, through: bool, one: bool) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    let labels: Vec<u32> = (0..n).map(|_| s.id()).collect();
    let (default, merge) = (s.id(), s.id());
    let mut args = vec![x, default];
    for (k, &l) in labels.iter().enumerate() {
        args.extend([k as u32 * 3, if one { labels[0] } else { l }]);
    }
    s.put(Op::SelectionMerge, &[merge, SelectionControl::NONE.bits()]);
    s.put(Op::Switch, &args);
    for (k, &l) in labels.iter().enumerate().take(if one { 1 } else { labels.len() }) {
        s.open(l);
        let k32 = s.word(k as u32);
        let y = s.add(x, k32);
        s.show(y);
        s.branch(if through && k + 1 < labels.len() { labels[k + 1] } else { merge });
    }
    s.open(default);
    s.branch(merge);
    s.open(merge);
    s.finish()
}

fn nested_switches(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    let mut merges = Vec::new();
    for k in 0..n {
        let [one, two, merge] = [(); 3].map(|()| s.id());
        s.put(Op::SelectionMerge, &[merge, SelectionControl::NONE.bits()]);
        s.put(Op::Switch, &[x, merge, k, one, k + 7, two]);
        s.open(one);
        s.show(x);
        // Falls through.
        s.branch(two);
        s.open(two);
        merges.push(merge);
    }
    merges.into_iter().rev().for_each(|m| s.close_if(m));
    s.finish()
}

fn loops_in_switches(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let (x, y) = (s.input(0), s.input(64));
    let mut ends = Vec::new();
    for k in 0..n {
        let round = s.open_loop(x);
        let [go, leave, merge] = [(); 3].map(|()| s.id());
        s.put(Op::SelectionMerge, &[merge, SelectionControl::NONE.bits()]);
        s.put(Op::Switch, &[y, go, k, leave]);
        s.open(leave);
        s.show(round.counter);
        s.branch(if k % 2 == 0 { round.merge } else { round.cont });
        s.open(go);
        ends.push((round, merge));
    }
    for (round, merge) in ends.iter().rev() {
        s.close_if(*merge);
        s.close_loop(round);
    }
    s.finish()
}

/// `n` functions of which each calls the one before twice.
fn call_tree(n: u32) -> Vec<u32> {
    calls(n, 2)
}

fn call_chain(n: u32) -> Vec<u32> {
    calls(n, 1)
}

/// A pointer that all functions share may point to a variable of any of them, so all are inlined.
fn inlined_tree(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    s.need(Capability::VariablePointersStorageBuffer);
    let ty = s.pointer(StorageClass::StorageBuffer, s.uint);
    let shared = s.variable(StorageClass::Private, ty);
    let x = s.input(0);
    let p = s.at(x);
    s.put(Op::Store, &[shared, p]);
    calls_of(s, n, 2)
}

fn calls(n: u32, each: u32) -> Vec<u32> {
    calls_of(Sketch::new(), n, each)
}

fn calls_of(mut s: Sketch, n: u32, each: u32) -> Vec<u32> {
    let x = s.input(0);
    let main = s.suspend();
    let mut callee = None;
    for k in 0..n {
        s.open_function();
        let param = s.id();
        let k = s.word(k);
        let mut v = s.add(param, k);
        for _ in 0..if callee.is_some() { each } else { 0 } {
            v = s.emit(Op::FunctionCall, s.uint, &[callee.unwrap_or(0), v]);
            v = s.emit(Op::BitwiseXor, s.uint, &[v, k]);
        }
        s.put(Op::ReturnValue, &[v]);
        callee = Some(s.close_function(s.uint, &[(s.uint, param)]));
    }
    s.resume(main);
    let v = match callee {
        Some(f) => s.emit(Op::FunctionCall, s.uint, &[f, x]),
        None => x,
    };
    s.show(v);
    s.finish()
}

/// One function of a hundred instructions, called `n` times.
fn calls_in_sequence(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let mut x = s.input(0);
    let main = s.suspend();
    s.open_function();
    let param = s.id();
    let mut v = param;
    for k in 0..50 {
        let k = s.word(k * 77);
        v = s.emit(Op::IMul, s.uint, &[v, param]);
        v = s.add(v, k);
    }
    s.put(Op::ReturnValue, &[v]);
    let f = s.close_function(s.uint, &[(s.uint, param)]);
    s.resume(main);
    for _ in 0..n {
        x = s.emit(Op::FunctionCall, s.uint, &[f, x]);
    }
    s.show(x);
    s.finish()
}

/// Each `if` chooses between the value before and a new one, and its arms store.
fn phi_chain(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let first = s.input(0);
    let mut x = first;
    for k in 0..n {
        let at = s.word(k);
        let cond = s.less(first, at);
        let from = s.label();
        let merge = s.open_if(cond);
        s.store(at, x);
        let y = s.add(x, at);
        let arm = s.label();
        s.close_if(merge);
        x = s.emit(Op::Phi, s.uint, &[x, from, y, arm]);
    }
    s.show(x);
    s.finish()
}

fn phis(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    let zero = s.word(0);
    let cond = s.less(zero, x);
    let values: Vec<u32> = (0..n)
        .map(|k| {
            let k = s.word(k);
            s.add(x, k)
        })
        .collect();
    let from = s.label();
    let merge = s.open_if(cond);
    s.show(x);
    let arm = s.label();
    s.close_if(merge);
    let phis: Vec<u32> = values
        .iter()
        .enumerate()
        .map(|(k, &v)| {
            let other = values[(k * 7 + 1) % values.len()];
            s.emit(Op::Phi, s.uint, &[v, from, other, arm])
        })
        .collect();
    for (k, p) in phis.into_iter().enumerate() {
        let k = s.word(k as u32);
        s.store(k, p);
    }
    s.finish()
}

/// Values of a loop's body that are used behind it.
fn escapes(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    let [header, cont, merge] = [(); 3].map(|()| s.id());
    s.branch(header);
    s.open(header);
    let values: Vec<u32> = (0..n)
        .map(|k| {
            let k = s.word(k);
            let at = s.add(x, k);
            s.load(at)
        })
        .collect();
    s.put(Op::LoopMerge, &[merge, cont, 0]);
    s.branch(cont);
    s.open(cont);
    let zero = s.word(0);
    let again = s.emit(Op::IEqual, s.bool, &[values[0], zero]);
    s.put(Op::BranchConditional, &[again, header, merge]);
    s.open(merge);
    let sum = s.product(x, &values);
    s.show(sum);
    s.finish()
}

fn entries(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    s.show(x);
    let main = s.suspend();
    for k in 0..n {
        s.open_function();
        s.put(Op::Return, &[]);
        let f = s.close_function(s.void, &[]);
        s.entry(f, &format!("entry {k}"));
    }
    s.resume(main);
    s.finish()
}

fn barriers(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let words = s.array(s.uint, 64);
    let shared = s.variable(StorageClass::Workgroup, words);
    let mut x = s.input(0);
    let (scope, semantics) = (s.word(2), s.word(0x108));
    for _ in 0..n {
        let p = s.chain(StorageClass::Workgroup, s.uint, shared, &[s.lane]);
        s.put(Op::Store, &[p, x]);
        s.put(Op::ControlBarrier, &[scope, scope, semantics]);
        let q = s.chain(StorageClass::Workgroup, s.uint, shared, &[x]);
        x = s.emit(Op::Load, s.uint, &[q]);
        s.put(Op::ControlBarrier, &[scope, scope, semantics]);
    }
    s.show(x);
    s.finish()
}
