//! Which scalars are asked for before they are written again.
//!
//! ```text
//! behind:  of a way out, a halt, and in front of what a call may do: all of them. Of a node: what its branch asks, and what is asked
//!          for in front of the nodes that it goes on to, those behind it too
//! before:  an item takes what it writes, and adds what it reads
//! ```
//!
//! Backward over items and nodes until nothing changes, from nothing on. What nobody asks for need not be made: a region that is left
//! where its turn is over has such scalars as they were, for whoever goes on has the same nodes in front of him.

use crate::items::{Item, target, ways};
use crate::step::{EXEC, SCC, Scalars, VCC};
use wavepipe_core::wave::{Asked, End, Region};
use wavepipe_isa::Src;

/// By node the scalars that are asked for in front of each of its items, and behind the last.
pub struct Live(Vec<Vec<Scalars>>);

impl Live {
    pub fn of(region: &Region, items: &[Vec<Item<'_>>]) -> Live {
        let mut before = vec![Scalars::default(); items.len()];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for n in (0..items.len()).rev() {
                let behind = behind(region, n, &before);
                let first = items[n].iter().rev().fold(behind, |live, item| in_front(item, live, region.halves));
                changed |= first != before[n];
                before[n] = first;
            }
        }
        let of = |n: usize| {
            let mut live = vec![behind(region, n, &before)];
            for item in items[n].iter().rev() {
                live.push(in_front(item, live[live.len() - 1], region.halves));
            }
            live.reverse();
            live
        };
        Live((0..items.len()).map(of).collect())
    }

    /// In front of an item of a node, or behind its last.
    pub fn at(&self, node: usize, item: usize) -> Scalars {
        self.0[node][item]
    }
}

fn behind(region: &Region, n: usize, before: &[Scalars]) -> Scalars {
    let end = region.nodes[n].end;
    let mut live = Scalars::default();
    for way in ways(end) {
        live.join(&target(way).map_or(Scalars::ALL, |t| before[t]));
    }
    if let End::Branch { when, .. } = end {
        match when.of {
            Asked::Scc => live.add(SCC),
            Asked::Vcc => (0..region.halves as u8).for_each(|half| live.add(VCC + half)),
            Asked::Exec => {}
        }
    }
    // It says which lanes live.
    [EXEC, EXEC + 1].into_iter().for_each(|i| live.add(i));
    live
}

fn in_front(item: &Item<'_>, mut live: Scalars, halves: usize) -> Scalars {
    live.less(&item.scalars());
    match item {
        Item::Step(_, _, plan) => {
            live.join(&plan.effect.reads);
            live.join(&plan.effect.masks);
            if plan.effect.reads.has(VCCZ) {
                (0..halves as u8).for_each(|half| live.add(VCC + half));
            }
        }
        Item::Across(_, across) => across.reads().for_each(|i| live.add(i)),
        Item::Pc(..) | Item::Wait => {}
        Item::Access(..) | Item::Fetch(..) | Item::Halt(..) | Item::Call(_) => return Scalars::ALL,
    }
    [EXEC, EXEC + 1].into_iter().for_each(|i| live.add(i));
    live
}

const VCCZ: u8 = Src::VCCZ.0 as u8;
