//! Removes what nobody reads.
//!
//! Algorithm: a value is live if an instruction with an effect, a branch that decides about effects or jumps, or a live
//! value's definition reads it. Start from the effects; a work list follows each live value to what it is made of: an
//! instruction's operands, the values that the arms yield, a parameter's initial and continued values, a result's values at
//! every break. Then drop instructions, parameters and results that stayed dead. Loops stay even when empty: whether they
//! end is part of what the kernel does.

use crate::ir::*;
use std::collections::HashMap;

struct Liveness {
    live: Vec<bool>,
    work: Vec<Value>,
    /// What a value is made of.
    made_of: HashMap<Value, Vec<Value>>,
}

impl Liveness {
    fn need(&mut self, v: Value) {
        if !std::mem::replace(&mut self.live[v.0 as usize], true) {
            self.work.push(v);
        }
    }

    fn source(&mut self, v: Value, from: impl IntoIterator<Item = Value>) {
        self.made_of.entry(v).or_default().extend(from);
    }
}

/// Parameters and results that a jump to the label feeds.
struct LabelFlow<'a> {
    params: &'a [Value],
    results: &'a [Value],
}

pub fn remove(kernel: &mut Kernel) {
    let mut l = Liveness { live: vec![false; kernel.values.len()], work: Vec::new(), made_of: HashMap::new() };
    scan(&kernel.body, &mut HashMap::new(), None, &mut l);
    // What a function yields, its callers have.
    kernel.body.exit.values().iter().for_each(|&v| l.need(v));
    while let Some(v) = l.work.pop() {
        for from in l.made_of.remove(&v).unwrap_or_default() {
            l.need(from);
        }
    }
    let mut targets = HashMap::new();
    sweep(&mut kernel.body, &l.live, &mut targets, &[]);
}

/// Records what every value is made of, and what effects need. `yields` = where the region's `Yield` goes.
fn scan<'a>(
    region: &'a Region,
    targets: &mut HashMap<Label, LabelFlow<'a>>,
    yields: Option<&'a [Value]>,
    l: &mut Liveness,
) {
    for node in &region.nodes {
        match node {
            Node::Inst(i) if i.op.has_effect() => i.args.iter().for_each(|&a| l.need(a)),
            Node::Inst(i) => i.results.iter().for_each(|&r| l.source(r, i.args.iter().copied())),
            Node::If { cond, then, els, results, .. } => {
                if matters(then) || matters(els) {
                    l.need(*cond);
                }
                for &r in results {
                    l.source(r, [*cond]);
                }
                scan(then, targets, Some(results), l);
                scan(els, targets, Some(results), l);
            }
            Node::Loop { label, params, init, body, results, .. } => {
                params.iter().zip(init).for_each(|(&p, &i)| l.source(p, [i]));
                targets.insert(*label, LabelFlow { params, results });
                scan(body, targets, None, l);
            }
            Node::Block { label, body, results, .. } => {
                targets.insert(*label, LabelFlow { params: &[], results });
                scan(body, targets, Some(results), l);
            }
            Node::Switch { label, selector, cases, results, .. } => {
                if cases.iter().any(|c| matters(&c.body)) {
                    l.need(*selector);
                }
                for &r in results {
                    l.source(r, [*selector]);
                }
                targets.insert(*label, LabelFlow { params: &[], results });
                for (n, case) in cases.iter().enumerate() {
                    case.params.iter().zip(&case.init).for_each(|(&p, &i)| l.source(p, [i]));
                    scan(&case.body, targets, Some(cases.get(n + 1).map_or(results, |c| &c.params)), l);
                }
            }
        }
    }
    let feeds = match &region.exit {
        Exit::Yield(_) => yields,
        Exit::Break(label, _) => targets.get(label).map(|t| t.results),
        Exit::Continue(label, _) => targets.get(label).map(|t| t.params),
        Exit::Unreachable => None,
    };
    for (&to, &v) in feeds.unwrap_or_default().iter().zip(region.exit.values()) {
        l.source(to, [v]);
    }
}

/// Whether it runs is visible: an effect, a jump out, or a loop that might not end.
fn matters(region: &Region) -> bool {
    let mut seen = !matches!(region.exit, Exit::Yield(_) | Exit::Unreachable);
    region.for_each_region(&mut |r| seen |= !matches!(r.exit, Exit::Yield(_) | Exit::Unreachable));
    region.for_each_node(&mut |n| {
        seen |= matches!(n, Node::Loop { .. }) || matches!(n, Node::Inst(i) if i.op.has_effect())
    });
    seen
}

fn keep(values: &mut Vec<Value>, wanted: &[bool]) {
    let mut wanted = wanted.iter();
    values.retain(|_| *wanted.next().unwrap_or(&true));
}

/// Drops the dead. `targets`: which parameters and results of each label stay; `yields`: which of the values that the
/// region yields.
fn sweep(region: &mut Region, live: &[bool], targets: &mut HashMap<Label, (Vec<bool>, Vec<bool>)>, yields: &[bool]) {
    let alive = |v: &Value| live[v.0 as usize];
    let flags = |v: &[Value]| v.iter().map(alive).collect::<Vec<bool>>();
    region.nodes.retain_mut(|node| match node {
        Node::Inst(i) => i.op.has_effect() || i.results.iter().any(alive),
        Node::If { then, els, results, .. } => {
            let wanted = flags(results);
            if !wanted.contains(&true) && !matters(then) && !matters(els) {
                return false;
            }
            sweep(then, live, targets, &wanted);
            sweep(els, live, targets, &wanted);
            keep(results, &wanted);
            true
        }
        Node::Loop { label, params, init, body, results, .. } => {
            let wanted = (flags(params), flags(results));
            keep(params, &wanted.0);
            keep(init, &wanted.0);
            keep(results, &wanted.1);
            targets.insert(*label, wanted);
            sweep(body, live, targets, &[]);
            true
        }
        Node::Block { label, body, results, .. } => {
            let wanted = flags(results);
            keep(results, &wanted);
            targets.insert(*label, (Vec::new(), wanted.clone()));
            sweep(body, live, targets, &wanted);
            true
        }
        Node::Switch { label, cases, results, .. } => {
            let wanted = flags(results);
            if !wanted.contains(&true) && !cases.iter().any(|c| matters(&c.body)) {
                return false;
            }
            keep(results, &wanted);
            targets.insert(*label, (Vec::new(), wanted.clone()));
            let falls: Vec<Vec<bool>> = cases.iter().skip(1).map(|c| flags(&c.params)).chain([wanted]).collect();
            for (case, yields) in cases.iter_mut().zip(falls) {
                let stay = flags(&case.params);
                keep(&mut case.params, &stay);
                keep(&mut case.init, &stay);
                sweep(&mut case.body, live, targets, &yields);
            }
            true
        }
    });
    match &mut region.exit {
        Exit::Yield(v) => keep(v, yields),
        Exit::Break(label, v) => keep(v, targets.get(label).map_or(&[][..], |t| &t.1)),
        Exit::Continue(label, v) => keep(v, targets.get(label).map_or(&[][..], |t| &t.0)),
        Exit::Unreachable => {}
    }
}
