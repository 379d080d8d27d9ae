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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::items::items;
    use wavepipe_core::wave::{Act, Asked, End, Motion, Node, Part, Way, What, When};

    const FIRST: u8 = 8;
    const SOFFSET: u8 = 20;
    const KEPT: Left = Left { words: true, soffset: true };
    const NONE: Left = Left { words: false, soffset: false };

    fn load(slot: u32) -> What {
        What::Access(Access {
            motion: Motion::Load,
            dwords: 1,
            element: None,
            place: Origin::Slot { slot, first: FIRST, words: 4, soffset: Some(SOFFSET) },
            address: Some(0),
            parts: [Some(Part { offset: 0, data: 1 }), None],
        })
    }

    fn fetch(slot: u32, dst: u8) -> What {
        What::Fetch(Fetch { slot, first: FIRST, buffer: true, soffset: None, offset: 0, dst, dwords: 4 })
    }

    /// A scalar and the next.
    fn write(to: u8) -> What {
        What::Pc { to, pc: 0 }
    }

    fn back(to: usize, on: usize) -> End {
        let when = When { of: Asked::Scc, zero: false };
        End::Branch { when, taken: Way::Node(to), not: Way::Node(on) }
    }

    fn go(to: usize) -> End {
        End::Go(Way::Node(to))
    }

    fn region(entry: usize, nodes: Vec<(Vec<What>, End)>) -> Region {
        let node = |(all, end): (Vec<What>, End)| {
            let acts = all.into_iter().map(|what| Act { operation: 0, done: 1, what }).collect();
            Node { pc: 0, acts, count: 1, end }
        };
        Region { halves: 1, nodes: nodes.into_iter().map(node).collect(), entry, slots: 8 }
    }

    fn of(region: &Region) -> Hoisted {
        Hoisted::of(region, &items(region, &|_| None).0)
    }

    const OUT: End = End::Go(Way::Out(0));

    #[test]
    fn the_outermost_loop_that_leaves_the_scalars_alone_compares_them() {
        // 0, then 1 to 3 over and over, in it 2 by itself.
        let nest = |written: [Vec<What>; 4]| {
            let [a, b, c, d] = written;
            let inner = [vec![load(0)], c].into_iter().flatten().collect();
            of(&region(0, vec![(a, go(1)), (b, go(2)), (inner, back(2, 3)), (d, back(1, 4)), (vec![load(1)], OUT)]))
        };
        let nothing = || [const { Vec::new() }; 4];
        let asked = |hoisted: &Hoisted| [1, 2].map(|n| hoisted.at(n).iter().map(|c| c.slot).collect::<Vec<_>>());
        let outer = nest(nothing());
        assert_eq!((asked(&outer), outer.left(0), outer.left(1)), ([vec![0], vec![]], NONE, KEPT));
        for to in [FIRST - 1, FIRST, FIRST + 3] {
            let inner = nest([vec![write(to)], vec![], vec![], vec![write(to)]]);
            assert_eq!((asked(&inner), inner.left(0)), ([vec![], vec![0]], NONE), "{to}");
            let none = nest([vec![], vec![], vec![write(to)], vec![]]);
            assert_eq!((asked(&none), none.left(0)), ([vec![], vec![]], KEPT), "{to}");
        }
        let beside = nest([vec![], vec![write(FIRST - 2)], vec![write(FIRST + 4)], vec![]]);
        assert_eq!(asked(&beside), [vec![0], vec![]]);
        let soffset = nest([vec![], vec![write(SOFFSET)], vec![], vec![]]);
        assert_eq!((asked(&soffset), soffset.left(0).soffset), ([vec![0], vec![]], true));
        assert_eq!((outer.at(1)[0].soffset, soffset.at(1)[0].soffset), (Some(SOFFSET), None));
        // Nobody knows what a call writes, but that of an access.
        assert_eq!(nest([vec![], vec![What::Call], vec![], vec![]]).left(0), NONE);
        assert_eq!(nest([vec![], vec![], vec![What::Call], vec![]]).left(0), KEPT);
    }

    #[test]
    fn a_load_of_its_own_descriptor_compares_it() {
        let of = |dst| of(&region(0, vec![(vec![fetch(0, dst)], back(0, 1)), (vec![], OUT)])).left(0).words;
        assert_eq!([FIRST - 4, FIRST - 3, FIRST + 3, FIRST + 4].map(of), [false, true, true, false]);
    }

    #[test]
    fn ways_into_a_loop() {
        let nodes =
            |aside: usize| vec![(vec![], back(aside, 1)), (vec![], go(2)), (vec![load(0)], back(1, 3)), (vec![], OUT)];
        let hoisted = of(&region(0, nodes(3)));
        assert_eq!((hoisted.left(0), hoisted.enters(0, 1), hoisted.enters(2, 1)), (NONE, true, false));
        assert!(hoisted.around(0).is_empty() && hoisted.around(1).is_empty() && !hoisted.enters(1, 2));
        assert_eq!(hoisted.around(2).len(), 1);
        // By its middle, too: by the entry it is one.
        assert_eq!(of(&region(0, nodes(2))).left(0), KEPT);
        assert_eq!(of(&region(2, nodes(3))).left(0), NONE);
    }

    #[test]
    fn scalars_that_change_by_themselves_are_compared() {
        let of = |first: u8, soffset: u8| {
            let What::Access(access) = load(0) else { unreachable!() };
            let place = Origin::Slot { slot: 0, first, words: 4, soffset: Some(soffset) };
            let what = What::Access(Access { place, ..access });
            of(&region(0, vec![(vec![what], back(0, 1)), (vec![], OUT)])).left(0)
        };
        assert_eq!(of(124, SOFFSET), KEPT);
        let vccz = Src::VCCZ.0 as u8;
        assert_eq!(of(FIRST, vccz), Left { words: false, soffset: true });
        // A constant is compared by nobody.
        assert_eq!(of(FIRST, 128), NONE);
    }
}
