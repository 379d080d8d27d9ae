//! Moves what does not change out of loops.
//!
//! Algorithm: for each loop, innermost first, collect the values that its body defines. A pure instruction at the body's top
//! level whose operands are all from outside moves before the loop, and its results count as outside from then on. From
//! regions nested in the body only descriptors move: they are cheap, and the scalar unit loads them once.

use crate::ir::*;
use std::collections::HashSet;

pub fn hoist(kernel: &mut Kernel) {
    let watched = kernel.watched;
    region(&mut kernel.body, watched);
}

fn region(r: &mut Region, watched: bool) {
    let mut nodes = Vec::with_capacity(r.nodes.len());
    for mut node in std::mem::take(&mut r.nodes) {
        node.regions_mut().for_each(|r| region(r, watched));
        if let Node::Loop { params, body, .. } = &mut node {
            let mut inside: HashSet<Value> = params.iter().copied().collect();
            body.for_each_node(&mut |n| {
                inside.extend(n.results());
                inside.extend(n.params());
            });
            let first = nodes.len();
            take(body, &mut inside, (true, watched), &mut nodes);
            let point = node.loc().point;
            nodes[first..].iter_mut().for_each(|n| n.loc_mut().point = point);
        }
        nodes.push(node);
    }
    r.nodes = nodes;
}

fn take(r: &mut Region, inside: &mut HashSet<Value>, (top, watched): (bool, bool), out: &mut Vec<Node>) {
    let mut kept = Vec::with_capacity(r.nodes.len());
    for mut node in std::mem::take(&mut r.nodes) {
        let moves = match &node {
            Node::Inst(i) => {
                let allowed = match i.op {
                    Op::Descriptor { .. } | Op::DescriptorSize => true,
                    // A constant is where it is used: an immediate.
                    Op::Const(_) | Op::Undef => false,
                    // Reading an address that the loop might not have read could lose the device.
                    Op::Load { space: Space::Global, .. } => false,
                    // Nor is one to be told of that the program never asked for.
                    Op::Load { space: Space::Buffer, .. } | Op::Image(_) if watched => false,
                    _ => top && i.op.is_pure(),
                };
                allowed && i.args.iter().all(|a| !inside.contains(a))
            }
            _ => false,
        };
        if moves {
            node.results().iter().for_each(|r| {
                inside.remove(r);
            });
            out.push(node);
            continue;
        }
        node.regions_mut().for_each(|r| take(r, inside, (false, watched), out));
        kept.push(node);
    }
    r.nodes = kept;
}
