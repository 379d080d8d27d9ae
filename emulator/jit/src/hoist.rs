//! Scalars of slots that are compared where a loop is entered, and not at each access, for nothing in the loop writes them.
//!
//! ```text
//! loops:   as [`crate::items::loops`] has them; the region's entry may be anywhere
//! entered: the outermost loop around an access that leaves its scalars alone compares them. A slot that has other ones is emptied
//! access:  a slot that has a place has the scalars: only a call fills one, from the scalars as they are
//! ```

use crate::items::{Item, Loop, loops};
use crate::step::Scalars;
use std::collections::BTreeMap;
use wavepipe_core::wave::{Access, Fetch, Origin, Region};
use wavepipe_isa::Src;

/// What is compared with a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compared {
    pub slot: u32,
    pub first: u8,
    /// So many scalars from `first` on.
    pub words: u8,
    pub soffset: Option<u8>,
}

/// What an access has to compare itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Left {
    pub words: bool,
    pub soffset: bool,
}

#[derive(Default)]
pub struct Hoisted {
    /// By the loop's first node.
    loops: BTreeMap<usize, (Loop, Vec<Compared>)>,
    /// By slot.
    left: BTreeMap<u32, Left>,
}

impl Hoisted {
    pub fn of(region: &Region, items: &[Vec<Item<'_>>]) -> Hoisted {
        let mut hoisted = Hoisted::default();
        let written: Vec<Scalars> = items.iter().map(|items| written(items)).collect();
        let mut loops = loops(region);
        // The outermost first.
        loops.sort_by_key(|l| l.first as isize - l.last as isize);
        for (n, items) in items.iter().enumerate() {
            for compared in items.iter().filter_map(compared) {
                // Scalars behind NULL may change by themselves.
                let changes =
                    |l: &Loop, i: u16| i >= Src::NULL.0 || written[l.first..=l.last].iter().any(|w| w.has(i as u8));
                let first = u16::from(compared.first);
                let words = first..first + u16::from(compared.words);
                let leaves = |l: &&Loop| l.has(n) && !words.clone().any(|i| changes(l, i));
                let Some(&around) = loops.iter().find(leaves) else {
                    let left = Left { words: true, soffset: compared.soffset.is_some() };
                    hoisted.left.insert(compared.slot, left);
                    continue;
                };
                let soffset = compared.soffset.filter(|&i| !changes(&around, i.into()));
                let left = Left { words: false, soffset: soffset != compared.soffset };
                hoisted.left.insert(compared.slot, left);
                let (_, all) = hoisted.loops.entry(around.first).or_insert((around, Vec::new()));
                all.push(Compared { soffset, ..compared });
            }
        }
        hoisted
    }

    /// What is compared where the loop is entered that begins with a node.
    pub fn at(&self, node: usize) -> &[Compared] {
        self.loops.get(&node).map_or(&[], |(_, all)| all)
    }

    /// The same of loops around the region's entry that do not begin there.
    pub fn around(&self, entry: usize) -> Vec<Compared> {
        let around = self.loops.values().filter(|(l, _)| l.has(entry) && l.first != entry);
        around.flat_map(|(_, all)| all.iter().copied()).collect()
    }

    /// Whether a way from a node enters a loop by `to` that something is compared for.
    pub fn enters(&self, from: usize, to: usize) -> bool {
        self.loops.get(&to).is_some_and(|(l, _)| !l.has(from))
    }

    /// Of a slot that is compared with scalars.
    pub fn left(&self, slot: u32) -> Left {
        self.left[&slot]
    }
}

/// Of a call that is no access nothing is known.
fn written(items: &[Item<'_>]) -> Scalars {
    let mut all = Scalars::default();
    for item in items {
        all.join(&if matches!(item, Item::Call(_)) { Scalars::ALL } else { item.scalars() });
    }
    all
}

/// What an item compares with its slot.
fn compared(item: &Item<'_>) -> Option<Compared> {
    Some(match *item {
        Item::Access(_, &Access { place: Origin::Slot { slot, first, words, soffset }, .. }) => {
            // A constant is the slot's, if it is anybody's.
            let soffset = soffset.filter(|&i| Src(i.into()).inline_value().is_none());
            Compared { slot, first, words, soffset }
        }
        Item::Fetch(_, &Fetch { slot, first, buffer: true, .. }) => Compared { slot, first, words: 4, soffset: None },
        _ => return None,
    })
}
