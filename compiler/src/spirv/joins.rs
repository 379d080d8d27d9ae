//! Blocks of a function that several others jump to and that no merge or continue target declares. SPIR-V allows them
//! inside of a construct; the translation puts the block that dominates one into a region of its own, which the jumps leave.
//!
//! Algorithm: immediate dominators by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", over the reverse
//! postorder of the reachable blocks. A join is a block with two forward edges or more; it belongs to its immediate
//! dominator. Joins of one dominator are listed in reverse postorder: jumps between them only go forward.

use super::module::{Function, Instr, Merge};
use spirv::Op;
use std::collections::{HashMap, HashSet};

/// Instructions of a block that ends the function up to which each jump gets a copy of it.
pub const SHORT: usize = 8;

/// Block → the joins that it immediately dominates.
pub fn joins(f: &Function, instrs: &[Instr<'_>]) -> HashMap<u32, Vec<u32>> {
    let order = reverse_postorder(f);
    let mut number = vec![usize::MAX; f.blocks.len()];
    order.iter().enumerate().for_each(|(n, &b)| number[b] = n);
    let mut declared: HashSet<u32> = HashSet::new();
    let mut preds: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
    for (n, &b) in order.iter().enumerate() {
        match f.blocks[b].merge {
            Merge::Selection(merge) => declared.extend([merge]),
            Merge::Loop { merge, cont } => declared.extend([merge, cont]),
            Merge::None => {}
        }
        // Back edges do not change who dominates whom here: their targets dominate their sources.
        f.blocks[b].successors.iter().map(|&s| number[s]).filter(|&s| s > n).for_each(|s| preds[s].push(n));
    }
    let mut dominator: Vec<usize> = vec![0; order.len()];
    let mut out: HashMap<u32, Vec<u32>> = HashMap::new();
    for n in 1..order.len() {
        // All forward predecessors come before, so one round suffices.
        let mut d = preds[n].first().copied().unwrap_or(0);
        for &p in &preds[n] {
            let mut p = p;
            while p != d {
                if p > d {
                    p = dominator[p];
                } else {
                    d = dominator[d];
                }
            }
        }
        dominator[n] = d;
        let block = &f.blocks[order[n]];
        let leaves = matches!(instrs[block.end].op, Op::Return | Op::ReturnValue | Op::Unreachable);
        let short = leaves && block.body.len() <= SHORT;
        let head = &f.blocks[order[d]];
        // Cases that fall through are the switch's own business.
        let case = instrs[head.end].op == Op::Switch && head.successors.contains(&order[n]);
        if preds[n].len() > 1 && !declared.contains(&block.label) && !short && !case {
            out.entry(head.label).or_default().push(block.label);
        }
    }
    out
}

fn reverse_postorder(f: &Function) -> Vec<usize> {
    let mut order = Vec::with_capacity(f.blocks.len());
    let mut seen = vec![false; f.blocks.len()];
    let mut work = Vec::new();
    if !f.blocks.is_empty() {
        seen[0] = true;
        work.push((0, 0));
    }
    while let Some((b, next)) = work.last_mut() {
        match f.blocks[*b].successors.get(*next) {
            Some(&s) => {
                *next += 1;
                if !std::mem::replace(&mut seen[s], true) {
                    work.push((s, 0));
                }
            }
            None => {
                order.push(*b);
                work.pop();
            }
        }
    }
    order.reverse();
    order
}
