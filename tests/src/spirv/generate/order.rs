//! The order of a function's blocks, which SPIR-V leaves free but for one rule.

use crate::random::Random;
use crate::spirv::Block;
use std::collections::{HashMap, HashSet};

/// The blocks in some other order in which each still comes after the one that immediately dominates it.
pub fn order(blocks: Vec<Block>, wide: &HashSet<u32>, r: &mut Random) -> Vec<Block> {
    if r.one_in(3) {
        return blocks;
    }
    let index: HashMap<u32, usize> = blocks.iter().enumerate().map(|(n, b)| (b.label, n)).collect();
    // Dominators by the definition: a block's are itself and what all of its predecessors have in common.
    let mut sets: Vec<Option<HashSet<usize>>> = vec![None; blocks.len()];
    sets[0] = Some(HashSet::from([0]));
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for (n, b) in blocks.iter().enumerate() {
        for t in b.insts.last().map(|i| i.targets(wide)).unwrap_or_default() {
            if let Some(&to) = index.get(&t) {
                predecessors[to].push(n);
            }
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for n in 1..blocks.len() {
            let mut known = predecessors[n].iter().filter_map(|&p| sets[p].clone());
            let Some(first) = known.next() else { continue };
            let mut now = known.fold(first, |a, b| a.intersection(&b).copied().collect());
            now.insert(n);
            if sets[n].as_ref() != Some(&now) {
                (sets[n], changed) = (Some(now), true);
            }
        }
    }
    let mut left: Vec<usize> = (1..blocks.len()).collect();
    let mut out = vec![0];
    while !left.is_empty() {
        let ready: Vec<usize> = (0..left.len())
            .filter(|&k| {
                let n = left[k];
                // What nothing reaches stays behind the block before it, whose construct it belongs to.
                match &sets[n] {
                    Some(set) => set.iter().all(|d| *d == n || out.contains(d)),
                    None => out.contains(&(n - 1)),
                }
            })
            .collect();
        let Some(&k) = ready.get(if ready.is_empty() { 0 } else { r.below(ready.len()) }) else { return blocks };
        out.push(left.remove(k));
    }
    out.into_iter().map(|n| blocks[n].clone()).collect()
}
