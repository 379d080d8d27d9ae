//! Which functions are called and which are inlined.
//!
//! Algorithm: one walk of the call graph from the entry point, callees first, sums up what each function would be with all
//! its calls inlined (saturating: a tree of n levels is 2^n). If the entry point stays within the budget, everything is
//! inlined. Otherwise a second walk in the same order decides: a function that is called in several places and is not small,
//! or that nests deep, becomes a call, and counts as one in its callers. Should even the small ones together be too much,
//! they become calls too.

use super::super::module::{Instr, Module};
use crate::error::Result;
use spirv::Op;
use std::collections::{HashMap, HashSet};

/// A function of so many instructions, its inlined calls included, costs no more inlined than called.
const SMALL: u64 = 48;
/// What a call counts among instructions.
const CALL: u64 = 16;
/// Calls nested deeper are not inlined into each other: each level is a level of the translation.
const DEEP: u32 = 32;

/// Functions reachable from `entry` that become calls; `budget` is in instructions of the module, after inlining.
///
/// # Errors
/// A function that calls itself.
pub fn called(m: &Module<'_>, entry: u32, budget: u32) -> Result<HashSet<u32>> {
    let graph = Graph::new(m, entry)?;
    let all = graph.sizes(&|_, _, _| false);
    let whole = all.get(&entry).copied().unwrap_or_default();
    if whole.0 <= u64::from(budget) && whole.1 <= 2 * DEEP {
        return Ok(HashSet::new());
    }
    for small in [SMALL, 0] {
        let small = if budget == 0 { 0 } else { small };
        let becomes = |f: u32, size: u64, depth: u32| {
            f != entry && (budget == 0 || graph.sites[&f] > 1 && size > small || depth > DEEP)
        };
        let sizes = graph.sizes(&becomes);
        let called: HashSet<u32> =
            sizes.iter().filter(|&(&f, &(size, depth))| becomes(f, size, depth)).map(|(&f, _)| f).collect();
        let total: u64 = sizes.iter().filter(|(f, _)| **f == entry || called.contains(f)).map(|(_, s)| s.0).sum();
        if small == 0 || total <= u64::from(budget).max(2 * m.instrs.len() as u64) {
            return Ok(called);
        }
    }
    Ok(HashSet::new())
}

struct Graph {
    /// Callees before callers: a function, its instructions, and whom it calls, once for each call.
    order: Vec<(u32, u64, Vec<u32>)>,
    /// Calls of each function.
    sites: HashMap<u32, u32>,
}

impl Graph {
    fn new(m: &Module<'_>, entry: u32) -> Result<Graph> {
        let mut graph = Graph { order: Vec::new(), sites: HashMap::from([(entry, 0)]) };
        let calls = |f: u32| -> Vec<Instr<'_>> {
            let blocks = m.functions.get(&f).map_or(&[][..], |f| &f.blocks);
            let body = blocks.iter().flat_map(|b| &m.instrs[b.body.clone()]);
            body.filter(|i| i.op == Op::FunctionCall).copied().collect()
        };
        // Functions on the way to here are open; the work list keeps what is left of their calls.
        let mut open = HashSet::from([entry]);
        let mut done = HashSet::new();
        let mut work = vec![(entry, calls(entry), 0)];
        while let Some((f, its, next)) = work.last_mut() {
            match its.get(*next) {
                Some(call) => {
                    *next += 1;
                    let callee = call.arg(0).unwrap_or(0);
                    *graph.sites.entry(callee).or_default() += 1;
                    if open.contains(&callee) {
                        return Err(m.malformed(call, "recursion"));
                    }
                    if !done.contains(&callee) {
                        open.insert(callee);
                        work.push((callee, calls(callee), 0));
                    }
                }
                None => {
                    let blocks = m.functions.get(f).map_or(&[][..], |f| &f.blocks);
                    let own = blocks.iter().map(|b| b.body.len() as u64 + 2).sum();
                    graph.order.push((*f, own, its.iter().filter_map(|i| i.arg(0)).collect()));
                    open.remove(f);
                    done.insert(*f);
                    work.pop();
                }
            }
        }
        Ok(graph)
    }

    /// Instructions of each function and depth of the calls in it, with all but those inlined that `called` picks by
    /// function, size and depth.
    fn sizes(&self, called: &dyn Fn(u32, u64, u32) -> bool) -> HashMap<u32, (u64, u32)> {
        let mut sizes: HashMap<u32, (u64, u32)> = HashMap::new();
        for (f, own, callees) in &self.order {
            let (mut size, mut depth) = (*own, 1);
            for c in callees {
                match sizes.get(c) {
                    Some(&(s, d)) if called(*c, s, d) => size = size.saturating_add(CALL),
                    Some(&(s, d)) => (size, depth) = (size.saturating_add(s), depth.max(d + 1)),
                    None => {}
                }
            }
            sizes.insert(*f, (size, depth));
        }
        sizes
    }
}
