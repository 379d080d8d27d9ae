//! Scalars of slots that are compared where a loop is entered.

use wavepipe_core::wave::{Access, Act, Asked, End, Fetch, Motion, Node, Origin, Part, Region, Way, What, When};
use wavepipe_isa::Src;
use wavepipe_jit::tested::{Hoisted, Left, hoisted as of};

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
