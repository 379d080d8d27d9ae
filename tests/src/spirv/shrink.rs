//! Makes a failing module smaller: parts go, or are replaced by simpler ones, while it still is valid and still fails.

use super::{Inst, Module};
use rspirv::spirv::Op;
use std::collections::{HashMap, HashSet};

/// A smaller module of which `fails` is true, as it is of `m`. `fails` also says whether a candidate is valid; it is asked
/// at most `tries` times.
pub fn shrink(m: &Module, tries: usize, mut fails: impl FnMut(&Module) -> bool) -> Module {
    let mut best = m.clone();
    let mut left = tries;
    let mut test = |candidate: &Module, best: &mut Module| {
        if left == 0 || candidate == best {
            return false;
        }
        left -= 1;
        let good = fails(candidate);
        if good {
            best.clone_from(candidate);
        }
        good
    };
    loop {
        let before = size(&best);
        drop_unused(&mut best, &mut test);
        straighten(&mut best, &mut test);
        drop_instructions(&mut best, &mut test);
        if size(&best) >= before {
            return best;
        }
    }
}

fn size(m: &Module) -> usize {
    m.words().len()
}

/// Conditional branches take one side for good, and what nothing reaches goes.
fn straighten(best: &mut Module, test: &mut dyn FnMut(&Module, &mut Module) -> bool) {
    let mut at = (0, 0);
    while at.0 < best.functions.len() {
        if at.1 >= best.functions[at.0].blocks.len() {
            at = (at.0 + 1, 0);
            continue;
        }
        let insts = &best.functions[at.0].blocks[at.1].insts;
        let end = insts.last().cloned().unwrap_or(Inst::new(Op::Nop, 0, 0, []));
        let merge = insts.iter().rev().nth(1).filter(|i| matches!(i.op, Op::SelectionMerge | Op::LoopMerge)).cloned();
        let mut targets = end.targets(&best.wide());
        // The whole construct at once, by its merge block; or one of the sides.
        targets.extend(merge.iter().map(|i| i.args[0]));
        let mut done = false;
        for to in targets {
            for keep_merge in [false, true] {
                let mut candidate = best.clone();
                let insts = &mut candidate.functions[at.0].blocks[at.1].insts;
                insts.pop();
                if !keep_merge && merge.is_some() {
                    insts.pop();
                }
                insts.push(Inst::new(Op::Branch, 0, 0, [to]));
                prune(&mut candidate);
                done = done || test(&candidate, best);
            }
            if done {
                break;
            }
        }
        at.1 += 1;
    }
}

/// Removes blocks that are neither reached nor named by a merge, and phis' values for edges that are gone.
fn prune(m: &mut Module) {
    let wide = m.wide();
    for f in &mut m.functions {
        let Some(first) = f.blocks.first().map(|b| b.label) else { continue };
        let (mut seen, mut work) = (HashSet::new(), vec![first]);
        while let Some(label) = work.pop() {
            let Some(b) = f.blocks.iter().find(|b| b.label == label).filter(|_| seen.insert(label)) else { continue };
            for i in b.insts.iter().rev().take(2) {
                work.extend(i.targets(&wide));
                match i.op {
                    Op::SelectionMerge => work.push(i.args[0]),
                    Op::LoopMerge => work.extend(&i.args[..2]),
                    _ => {}
                }
            }
        }
        f.blocks.retain(|b| seen.contains(&b.label));
        let mut edges: HashSet<(u32, u32)> = HashSet::new();
        for b in &f.blocks {
            let targets = b.insts.last().map(|i| i.targets(&wide)).unwrap_or_default();
            edges.extend(targets.into_iter().map(|t| (b.label, t)));
        }
        for b in &mut f.blocks {
            for i in b.insts.iter_mut().filter(|i| i.op == Op::Phi) {
                i.args = i.args.chunks(2).filter(|c| edges.contains(&(c[1], b.label))).flatten().copied().collect();
            }
        }
    }
}

/// Runs of instructions go, ever shorter ones; what used their results uses zero instead, or an operand of theirs.
fn drop_instructions(best: &mut Module, test: &mut dyn FnMut(&Module, &mut Module) -> bool) {
    let count = |m: &Module| m.functions.iter().flat_map(|f| &f.blocks).map(|b| b.insts.len()).sum::<usize>();
    let mut run = (count(best) / 2).max(1);
    loop {
        let mut at = 0;
        while at < count(best) {
            let candidate = without(best, at..at + run);
            if !test(&candidate, best) {
                at += run;
            }
        }
        if run == 1 {
            break;
        }
        run /= 2;
    }
}

/// Functions that nothing calls go, and instructions and globals that nothing uses.
fn drop_unused(best: &mut Module, test: &mut dyn FnMut(&Module, &mut Module) -> bool) {
    for n in (0..best.functions.len()).rev() {
        let mut candidate = best.clone();
        candidate.functions.remove(n);
        test(&candidate, best);
    }
    loop {
        let mut candidate = best.clone();
        let used: HashSet<u32> = words_used(best);
        candidate.globals.retain(|i| match i.op {
            Op::Decorate | Op::MemberDecorate => used.contains(&i.args[0]),
            _ => i.id == 0 || used.contains(&i.id),
        });
        let kept = |i: &Inst| i.id == 0 || used.contains(&i.id) || i.op == Op::FunctionCall;
        candidate.functions.iter_mut().flat_map(|f| &mut f.blocks).for_each(|b| b.insts.retain(kept));
        let ids: HashSet<u32> = candidate.globals.iter().map(|i| i.id).collect();
        for i in candidate.globals.iter_mut().filter(|i| i.op == Op::EntryPoint) {
            // Model, function, `main` and its end; then the interface.
            let mut kept = i.args[..4].to_vec();
            kept.extend(i.args[4..].iter().filter(|a| ids.contains(a)));
            i.args = kept;
        }
        if !test(&candidate, best) {
            break;
        }
    }
}

/// Every word that may be an id of something that is needed.
fn words_used(m: &Module) -> HashSet<u32> {
    let mut out = HashSet::new();
    for i in m.globals.iter().chain(m.functions.iter().flat_map(|f| f.params.iter().chain([&f.def]))).chain(m.body()) {
        out.insert(i.ty);
        match i.op {
            Op::EntryPoint => {
                out.insert(i.args[1]);
            }
            Op::Decorate | Op::MemberDecorate => {}
            _ => out.extend(&i.args),
        }
    }
    out
}

/// The module without the instructions of a range, counted through all functions. Terminators and merges stay.
fn without(m: &Module, range: std::ops::Range<usize>) -> Module {
    let mut out = m.clone();
    let (mut n, mut replace) = (0, HashMap::new());
    let pointers: HashSet<u32> = m.globals.iter().filter(|i| i.op == Op::TypePointer).map(|i| i.id).collect();
    let mut nulls: HashMap<u32, u32> = HashMap::new();
    for f in &mut out.functions {
        for b in &mut f.blocks {
            let last = b.insts.len() - 1;
            let mut at = 0;
            b.insts.retain(|i| {
                let (here, ends) = (n, at == last);
                (n, at) = (n + 1, at + 1);
                if ends || !range.contains(&here) || matches!(i.op, Op::SelectionMerge | Op::LoopMerge) {
                    return true;
                }
                if i.id != 0 {
                    if pointers.contains(&i.ty) {
                        return true;
                    }
                    let bound = &mut out.bound;
                    let null = *nulls.entry(i.ty).or_insert_with(|| {
                        *bound += 1;
                        *bound - 1
                    });
                    replace.insert(i.id, null);
                }
                false
            });
        }
    }
    let mut nulls: Vec<(u32, u32)> = nulls.into_iter().collect();
    nulls.sort_unstable();
    out.globals.extend(nulls.into_iter().map(|(ty, id)| Inst::new(Op::ConstantNull, ty, id, [])));
    let renamed = |i: &mut Inst| {
        // Words of literals may be taken for ids: then the module is invalid, or another, and the test will say.
        i.args.iter_mut().for_each(|a| *a = replace.get(a).copied().unwrap_or(*a));
    };
    out.functions.iter_mut().flat_map(|f| &mut f.blocks).flat_map(|b| &mut b.insts).for_each(renamed);
    let gone = |i: &Inst| i.op == Op::Decorate && replace.contains_key(&i.args[0]);
    out.globals.retain(|i| !gone(i));
    out
}
