//! Which registers are asked for before they are written again.
//!
//! ```text
//! behind:  of a way out, a halt, and in front of what may fault or do anything: all of them. Of a node: what its branch asks, and what is
//!          asked for in front of the nodes that it goes on to, those behind it too
//! before:  an item takes what it writes, and adds what it reads. A vector register is written in the lanes of EXEC, so that in front
//!          of what writes EXEC all of them are asked for
//! ```
//!
//! Backward over items and nodes until nothing changes, from nothing on. What nobody asks for need not be made: a region that is left
//! where its turn is over has such registers as they were, or as somebody left them, for whoever goes on has the same nodes in front of
//! him.

use crate::items::{Item, target, ways};
use crate::step::{EXEC, SCC, Scalars, VCC};
use wavepipe_core::wave::{Asked, End, Region};
use wavepipe_isa::Src;

/// Sets of vector registers, as `Operand::Vgpr` numbers them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Vgprs([u64; 5]);

impl Vgprs {
    pub const ALL: Vgprs = Vgprs([!0; 5]);

    /// Whether it is in it; one beyond all numbers is.
    pub fn has(&self, v: u32) -> bool {
        self.0.get(v as usize / 64).is_none_or(|word| word >> (v % 64) & 1 != 0)
    }

    fn put(&mut self, v: u32, on: bool) {
        if let Some(word) = self.0.get_mut(v as usize / 64) {
            *word = *word & !(1 << (v % 64)) | u64::from(on) << (v % 64);
        }
    }

    fn join(&mut self, other: &Vgprs) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }
}

/// Registers that are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Wanted {
    pub scalars: Scalars,
    /// In the lanes that live.
    pub vectors: Vgprs,
}

impl Wanted {
    pub const ALL: Wanted = Wanted { scalars: Scalars::ALL, vectors: Vgprs::ALL };

    fn join(&mut self, other: &Wanted) {
        self.scalars.join(&other.scalars);
        self.vectors.join(&other.vectors);
    }
}

/// By node what is asked for in front of each of its items, and behind the last.
pub struct Live(Vec<Vec<Wanted>>);

impl Live {
    pub fn of(region: &Region, items: &[Vec<Item<'_>>]) -> Live {
        let mut before = vec![Wanted::default(); items.len()];
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
    pub fn at(&self, node: usize, item: usize) -> &Wanted {
        &self.0[node][item]
    }
}

fn behind(region: &Region, n: usize, before: &[Wanted]) -> Wanted {
    let end = region.nodes[n].end;
    let mut live = Wanted::default();
    for way in ways(end) {
        live.join(&target(way).map_or(Wanted::ALL, |t| before[t]));
    }
    if let End::Branch { when, .. } = end {
        match when.of {
            Asked::Scc => live.scalars.add(SCC),
            Asked::Vcc => (0..region.halves as u8).for_each(|half| live.scalars.add(VCC + half)),
            Asked::Exec => {}
        }
    }
    // It says which lanes live.
    [EXEC, EXEC + 1].into_iter().for_each(|i| live.scalars.add(i));
    live
}

fn in_front(item: &Item<'_>, mut live: Wanted, halves: usize) -> Wanted {
    let (scalars, written) = (&mut live.scalars, item.scalars());
    scalars.less(&written);
    match item {
        Item::Step(_, step, plan) => {
            scalars.join(&plan.effect.reads);
            scalars.join(&plan.effect.masks);
            if plan.effect.reads.has(VCCZ) {
                (0..halves as u8).for_each(|half| scalars.add(VCC + half));
            }
            // A movement may leave lanes as they are.
            plan.vectors_written().filter(|_| step.movement.is_none()).for_each(|v| live.vectors.put(v, false));
            plan.vectors_read(step).for_each(|v| live.vectors.put(v, true));
        }
        Item::Across(_, across) => {
            across.reads().for_each(|i| scalars.add(i));
            live.vectors = Vgprs::ALL;
        }
        Item::Pc(..) | Item::Wait => {}
        Item::Access(..) | Item::Fetch(..) | Item::Halt(..) | Item::Call(_) => return Wanted::ALL,
    }
    for i in [EXEC, EXEC + 1] {
        if written.has(i) {
            live.vectors = Vgprs::ALL;
        }
        live.scalars.add(i);
    }
    live
}

const VCCZ: u8 = Src::VCCZ.0 as u8;
