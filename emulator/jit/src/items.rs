//! What is emitted of a region: a step that cannot be is a call, as what the region says is one; SCC that is written again
//! before anybody can see it is left out.

use crate::step::{Plan, SCC};
use wavepipe_core::wave::{Access, Across, Act, Asked, End, Fetch, Halt, Region, Step, Way, What};

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

/// A region's nodes as they are emitted.
pub fn items<'r>(region: &'r Region, plan: &dyn Fn(&Step) -> Option<Plan>) -> Vec<Vec<Item<'r>>> {
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
    leave_scc(region, &mut items);
    items
}

/// Leaves SCC out of steps behind which it is written again before anybody can see it: backwards, in nodes and between them.
/// Who goes back may leave the region.
fn leave_scc(region: &Region, items: &mut [Vec<Item<'_>>]) {
    let mut seen = vec![false; items.len()];
    let behind = |n: usize, seen: &[bool]| {
        let end = region.nodes[n].end;
        let asked = matches!(end, End::Branch { when, .. } if when.of == Asked::Scc);
        asked || ways(end).any(|way| target(way).is_none_or(|t| t <= n || seen[t]))
    };
    // A way that does not lead back has its target done before.
    for n in (0..items.len()).rev() {
        seen[n] = seen_before(&items[n], behind(n, &seen), |_| {});
    }
    for (n, items) in items.iter_mut().enumerate() {
        let mut left = Vec::new();
        seen_before(items, behind(n, &seen), |i| left.push(i));
        for i in left {
            if let Item::Step(_, _, plan) = &mut items[i] {
                plan.leave_scc();
            }
        }
    }
}

/// Whether SCC is seen in front of the items, if `seen` says so behind them; tells which of them write it for nobody.
fn seen_before(items: &[Item<'_>], mut seen: bool, mut left: impl FnMut(usize)) -> bool {
    for (i, item) in items.iter().enumerate().rev() {
        let plan = match item {
            Item::Step(_, _, plan) => plan,
            // Nothing leaves the region there.
            Item::Across(_, across) => {
                seen |= across.reads().any(|i| i == SCC);
                continue;
            }
            Item::Pc(..) | Item::Wait => continue,
            Item::Access(..) | Item::Fetch(..) | Item::Halt(..) | Item::Call(_) => {
                seen = true;
                continue;
            }
        };
        let (reads, writes) = (plan.reads_scc(), plan.writes_scc());
        if writes && !seen {
            left(i);
        }
        seen = reads || seen && !writes;
    }
    seen
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

/// Loops in one another that count.
const DEEPEST: u32 = 4;

/// Loops around each node.
pub fn depths(region: &Region) -> Vec<u32> {
    let mut depth = vec![0u32; region.nodes.len()];
    for (n, node) in region.nodes.iter().enumerate() {
        for head in ways(node.end).filter_map(target).filter(|&t| t <= n) {
            depth[head..=n].iter_mut().for_each(|d| *d = (*d + 1).min(DEEPEST));
        }
    }
    depth
}
