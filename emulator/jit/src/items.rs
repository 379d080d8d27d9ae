//! What is emitted of a region: a step that cannot be is a call, as what the region says is one; SCC that is written again
//! before anybody can see it is left out.

use crate::live::Live;
use crate::step::{Plan, SCC, Scalars};
use std::collections::BTreeMap;
use wavepipe_core::wave::{Access, Across, Act, End, Fetch, Halt, Node, Region, Step, Way, What};

/// An instruction as it is emitted.
pub enum Item<'r> {
    Step(&'r Act, &'r Step, Plan),
    Access(&'r Act, &'r Access),
    Fetch(&'r Act, &'r Fetch),
    Across(&'r Act, &'r Across),
    /// An address to a pair of scalars.
    Pc(u8, u64),
    /// For stores.
    Wait,
    /// It ends the wave's turn, whose pc is this one then.
    Halt(&'r Act, Halt, u64),
    Call(&'r Act),
}

impl Item<'_> {
    /// The scalars that it writes; of a call nothing is known.
    pub fn scalars(&self) -> Scalars {
        let of = |first: u8, words: u8| (first..first.saturating_add(words)).collect();
        match self {
            Item::Step(_, _, plan) => plan.effect.writes,
            Item::Fetch(_, fetch) => of(fetch.dst, fetch.dwords),
            Item::Pc(to, _) => of(*to, 2),
            Item::Across(_, Across::Read { to, .. }) => of(*to, 1),
            Item::Access(..) | Item::Across(..) | Item::Wait | Item::Halt(..) | Item::Call(_) => Scalars::default(),
        }
    }
}

/// A region's nodes as they are emitted, and the registers that are asked for in them.
pub fn items<'r>(region: &'r Region, plan: &dyn Fn(&Step) -> Option<Plan>) -> (Vec<Vec<Item<'r>>>, Live) {
    let item = |act: &'r Act| match &act.what {
        What::Step(step) => match plan(step) {
            Some(plan) => Item::Step(act, step, plan),
            None => Item::Call(act),
        },
        What::Access(access) => Item::Access(act, access),
        What::Fetch(fetch) => Item::Fetch(act, fetch),
        What::Across(across) => Item::Across(act, across),
        What::Pc { to, pc } => Item::Pc(*to, *pc),
        What::Wait => Item::Wait,
        What::Halt(halt, pc) => Item::Halt(act, *halt, *pc),
        What::Call => Item::Call(act),
    };
    let mut items: Vec<Vec<Item>> = region.nodes.iter().map(|n| n.acts.iter().map(item).collect()).collect();
    // What steps touch stays as it is.
    let live = Live::of(region, &items);
    leave_scc(&live, &mut items);
    (items, live)
}

/// Leaves SCC out of steps behind which nobody asks for it.
fn leave_scc(live: &Live, items: &mut [Vec<Item<'_>>]) {
    for (n, items) in items.iter_mut().enumerate() {
        for (i, item) in items.iter_mut().enumerate() {
            match item {
                Item::Step(_, _, plan) if plan.writes_scc() && !live.at(n, i + 1).scalars.has(SCC) => plan.leave_scc(),
                _ => {}
            }
        }
    }
}

/// Where a node can go on.
pub fn ways(end: End) -> impl Iterator<Item = Way> {
    match end {
        End::Go(way) => [Some(way), None],
        End::Branch { taken, not, .. } => [Some(taken), Some(not)],
    }
    .into_iter()
    .flatten()
}

pub fn target(way: Way) -> Option<usize> {
    match way {
        Way::Node(n) => Some(n),
        Way::Out(_) => None,
    }
}

/// Every way between nodes: from which, and to which.
pub fn between(region: &Region) -> impl Iterator<Item = (usize, usize)> {
    let of = |(n, node): (usize, &Node)| ways(node.end).filter_map(target).map(move |t| (n, t));
    region.nodes.iter().enumerate().flat_map(of)
}

/// Those that lead back: loops go round by them.
pub fn back(region: &Region) -> impl Iterator<Item = (usize, usize)> {
    between(region).filter(|(n, head)| head <= n)
}

/// Nodes from the first to the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loop {
    pub first: usize,
    pub last: usize,
}

impl Loop {
    pub fn has(self, n: usize) -> bool {
        (self.first..=self.last).contains(&n)
    }
}

/// A node that a later one leads back to, up to the last that does, where ways from outside lead to the first node only.
pub fn loops(region: &Region) -> Vec<Loop> {
    let mut last = BTreeMap::new();
    for (n, head) in back(region) {
        last.entry(head).and_modify(|last: &mut usize| *last = n.max(*last)).or_insert(n);
    }
    let closed = |l: &Loop| between(region).all(|(n, t)| l.has(n) || !l.has(t) || t == l.first);
    last.into_iter().map(|(first, last)| Loop { first, last }).filter(closed).collect()
}

/// Loops in one another that count.
const DEEPEST: u32 = 4;

/// Loops around each node.
pub fn depths(region: &Region) -> Vec<u32> {
    let mut depth = vec![0u32; region.nodes.len()];
    for (n, head) in back(region) {
        depth[head..=n].iter_mut().for_each(|d| *d = (*d + 1).min(DEEPEST));
    }
    depth
}
