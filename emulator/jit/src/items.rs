//! What is emitted of a region: a step that cannot be is a call, as what the region says is one; SCC that is written again
//! before anybody can see it is left out.

use crate::step::Plan;
use wavepipe_core::wave::{Access, Act, End, Region, Step, Way, What};

/// An instruction as it is emitted.
pub enum Item<'r> {
    Step(&'r Act, &'r Step, Plan),
    Access(&'r Act, &'r Access),
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
        What::Call => Item::Call(act),
    };
    let mut items: Vec<Vec<Item>> = region.nodes.iter().map(|n| n.acts.iter().map(item).collect()).collect();
    items.iter_mut().for_each(|items| leave_scc(items));
    items
}

/// Leaves SCC out of steps of a node behind which another one writes it before anybody can see it: backwards.
fn leave_scc(items: &mut [Item<'_>]) {
    let mut seen = true;
    for item in items.iter_mut().rev() {
        let Item::Step(_, _, plan) = item else {
            seen = true;
            continue;
        };
        let (reads, writes) = (plan.reads_scc(), plan.writes_scc());
        if writes && !seen {
            plan.leave_scc();
        }
        seen = reads || seen && !writes;
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
