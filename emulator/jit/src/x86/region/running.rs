//! Registers that *run* in loops whose lanes leave one by one: a round goes on with what the one before it made, and waits for no EXEC.
//!
//! ```text
//! loops:   inmost ones that only take lanes out of EXEC, of steps of which none sees another lane
//! run:     registers that a node of it reads as one before it left them, and that the loop writes
//! entered: they are loaded
//! written: the value goes there whole, and at the end of a chunk, under EXEC, to memory, where the guest's is. A lane that has left has
//!          anything there, and nobody who reads it: what lives until the loop is left has lived in each round
//! ```

use super::super::registers::Kept;
use crate::items::{Item, Loop, back, depths, loops};
use crate::record::{F, Id};
use crate::step::{EXEC, Plan, ResultPlace, operand};
use std::collections::{BTreeMap, BTreeSet};
use wavepipe_core::wave::{Operand, Region, Step};

/// Of a region's loops, what runs in each, by its first node.
#[derive(Default)]
pub struct Running(BTreeMap<usize, (Loop, Vec<Kept>)>);

impl Running {
    pub fn add(&mut self, l: Loop, kept: Vec<Kept>) {
        self.0.insert(l.first, (l, kept));
    }

    pub fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// What runs in a node.
    pub fn at(&self, n: usize) -> &[Kept] {
        self.0.values().find(|(l, _)| l.has(n)).map_or(&[], |(_, kept)| kept)
    }

    /// What begins to run where the loop is entered that begins with a node.
    pub fn entered(&self, n: usize) -> &[Kept] {
        self.0.get(&n).map_or(&[], |(_, kept)| kept)
    }

    /// Whether a way from a node enters such a loop.
    pub fn enters(&self, from: usize, to: usize) -> bool {
        self.0.get(&to).is_some_and(|(l, _)| !l.has(from))
    }
}

/// The loops in which registers can run, of those that are the deepest and name so many vector registers at most; and which gain by it,
/// those that are read most often first.
pub fn carried(region: &Region, items: &[Vec<Item<'_>>], most: usize) -> Vec<(Loop, Vec<u32>)> {
    let depths = depths(region);
    let deepest = depths.iter().copied().max().unwrap_or(0);
    let can = |l: &Loop| {
        let all = || items[l.first..=l.last].iter().flatten();
        let inmost = back(region).all(|(n, head)| head == l.first || !l.has(n) || !l.has(head));
        let entered = region.entry == l.first || !l.has(region.entry);
        let leaves = all().any(|item| item.scalars().has(EXEC));
        inmost && entered && leaves && depths[l.first] == deepest && all().all(only_takes_out)
    };
    let of = |l: Loop| {
        let [all, carried] = named(&items[l.first..=l.last]);
        (all.len() <= most && !carried.is_empty()).then_some((l, carried))
    };
    loops(region).into_iter().filter(can).filter_map(of).collect()
}

/// The vector registers of a loop's nodes, and those that one reads as others left them, and that are written.
fn named(items: &[Vec<Item<'_>>]) -> [Vec<u32>; 2] {
    let (mut reads, mut written, mut all) = (BTreeMap::<u32, u32>::new(), BTreeSet::new(), BTreeSet::new());
    for items in items {
        let mut here = BTreeSet::new();
        for item in items {
            let Item::Step(_, step, plan) = item else { continue };
            all.extend(plan.vectors_read(step));
            let outside = plan.vectors_read(step).filter(|v| !here.contains(v));
            outside.for_each(|v| *reads.entry(v).or_default() += 1);
            here.extend(plan.vectors_written());
        }
        written.extend(here);
    }
    all.extend(&written);
    let mut carried: Vec<(u32, u32)> = reads.into_iter().filter(|(v, _)| written.contains(v)).collect();
    carried.sort_by_key(|&(v, times)| (std::cmp::Reverse(times), v));
    [all.into_iter().collect(), carried.into_iter().map(|(v, _)| v).collect()]
}

/// Whether it is a step of each lane by itself behind which no lane lives that did not before; or nothing.
fn only_takes_out(item: &Item<'_>) -> bool {
    match item {
        Item::Step(_, step, plan) => step.movement.is_none() && plan.results.iter().all(|r| keeps_out(step, plan, r)),
        Item::Pc(..) | Item::Wait => true,
        Item::Access(..) | Item::Fetch(..) | Item::Across(..) | Item::Halt(..) | Item::Call(_) => false,
    }
}

/// Whether a result is none of EXEC's words, or what the word was AND something.
fn keeps_out(step: &Step, plan: &Plan, &(place, id): &(ResultPlace, Id)) -> bool {
    let exec = match place {
        ResultPlace::Scalar(i) if i == EXEC || i == EXEC + 1 => i,
        ResultPlace::Mask(i) => return i != EXEC && i != EXEC + 1,
        _ => return true,
    };
    let node = plan.nodes[usize::from(id)];
    let is_exec = |id: Id| {
        let of = plan.nodes[usize::from(id)];
        let word = (of.literal & 1) as usize;
        of.f == F::source && matches!(operand(step, of.literal), Some(Operand::Scalar(words)) if words[word] == exec)
    };
    node.f == F::and && node.args[..2].iter().any(|&id| is_exec(id))
}
