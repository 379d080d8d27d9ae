//! Neighbouring memory accesses become one wide access.
//!
//! Algorithm, for each region's own list of nodes: loads with the same space, address operands and properties whose constant
//! offsets are neighbours form one load of up to four dwords, at the place of the first; the others only add their
//! results. A load may join a group only while no store, atomic or barrier stands between (read-only loads are exempt).
//! Stores likewise join at the place of the last, while nothing between them touches memory at all. Nodes with regions end
//! every group.

use crate::ir::*;

/// Most dwords of one access.
const WIDEST: usize = 4;

pub fn merge(kernel: &mut Kernel) {
    let mut body = std::mem::replace(&mut kernel.body, Region { nodes: Vec::new(), exit: Exit::Unreachable });
    region(kernel, &mut body);
    kernel.body = body;
}

fn region(kernel: &Kernel, r: &mut Region) {
    for node in &mut r.nodes {
        node.regions_mut().for_each(|r| region(kernel, r));
    }
    loads(kernel, &mut r.nodes);
    stores(kernel, &mut r.nodes);
}

/// Scratch is interleaved by dword between the lanes, so its neighbours are not neighbours in memory.
fn widens(space: Space) -> bool {
    !matches!(space, Space::Scratch)
}

/// A load being widened: its node, what must match, and its pieces by offset.
struct Group {
    at: usize,
    key: (Space, Access, Vec<Value>),
    /// (constant offset, result) of each dword.
    pieces: Vec<(u32, Value)>,
    loc: Loc,
}

fn loads(kernel: &Kernel, nodes: &mut Vec<Node>) {
    let mut groups: Vec<Group> = Vec::new();
    // Groups that may still grow.
    let mut open: Vec<usize> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let Node::Inst(i) = node else {
            open.retain(|&g| groups[g].key.1.readonly);
            continue;
        };
        match &i.op {
            Op::Load { space, offset, access }
                if widens(*space) && !access.volatile && i.results.iter().all(|&r| kernel.width(r) == Width::B32) =>
            {
                let key = (*space, *access, i.args.clone());
                let pieces: Vec<(u32, Value)> =
                    i.results.iter().enumerate().map(|(n, &r)| (offset.wrapping_add(4 * n as u32), r)).collect();
                let joins = open.iter().copied().find(|&g| groups[g].key == key && fits(&groups[g].pieces, &pieces));
                match joins {
                    Some(g) => groups[g].pieces.extend(pieces),
                    None => {
                        open.push(groups.len());
                        groups.push(Group { at, key, pieces, loc: i.loc });
                    }
                }
            }
            op if op.has_effect() => open.retain(|&g| groups[g].key.1.readonly),
            _ => {}
        }
    }
    let mut gone = vec![false; nodes.len()];
    for group in groups.iter_mut().filter(|g| g.pieces.len() > 1) {
        group.pieces.sort();
        for (n, node) in nodes.iter().enumerate() {
            if let Node::Inst(i) = node
                && matches!(i.op, Op::Load { .. })
                && group.pieces.iter().any(|(_, r)| i.results.first() == Some(r))
            {
                gone[n] = n != group.at;
            }
        }
        let (space, access, args) = group.key.clone();
        let results = group.pieces.iter().map(|p| p.1).collect();
        let op = Op::Load { space, offset: group.pieces[0].0, access };
        nodes[group.at] = Node::Inst(Inst { op, args, results, exact: false, loc: group.loc });
    }
    let mut gone = gone.into_iter();
    nodes.retain(|_| !gone.next().unwrap_or(false));
}

/// Together they are one gapless run of at most [`WIDEST`] dwords.
fn fits(a: &[(u32, Value)], b: &[(u32, Value)]) -> bool {
    let mut offsets: Vec<u32> = a.iter().chain(b).map(|p| p.0).collect();
    offsets.sort_unstable();
    offsets.len() <= WIDEST && offsets.windows(2).all(|w| w[0].checked_add(4) == Some(w[1]))
}

fn stores(kernel: &Kernel, nodes: &mut Vec<Node>) {
    let mut at = 0;
    let mut last: Option<usize> = None;
    while at < nodes.len() {
        let Node::Inst(i) = &nodes[at] else {
            last = None;
            at += 1;
            continue;
        };
        match &i.op {
            Op::Store { .. } => {
                if let Some(first) = last
                    && let Some(joined) = join(kernel, &nodes[first], &nodes[at])
                {
                    nodes[at] = joined;
                    nodes.remove(first);
                    at -= 1;
                }
                last = Some(at);
            }
            Op::Load { access, .. } if access.readonly => {}
            Op::Load { .. } => last = None,
            op if op.has_effect() || op.is_cross_lane() => last = None,
            _ => {}
        }
        at += 1;
    }
}

/// One store for two that touch neighbouring dwords.
fn join(kernel: &Kernel, a: &Node, b: &Node) -> Option<Node> {
    let (Node::Inst(a), Node::Inst(b)) = (a, b) else { return None };
    let (Op::Store { space, offset: oa, access }, Op::Store { space: sb, offset: ob, access: ab }) = (&a.op, &b.op)
    else {
        return None;
    };
    let n = space.address_operands();
    let same = space == sb && access == ab && !access.volatile && widens(*space) && a.args[..n] == b.args[..n];
    let words = |i: &Inst| i.args[n..].iter().all(|&v| kernel.width(v) == Width::B32);
    if !same || !words(a) || !words(b) || a.args.len() + b.args.len() - 2 * n > WIDEST {
        return None;
    }
    let (bytes_a, bytes_b) = (4 * (a.args.len() - n) as u32, 4 * (b.args.len() - n) as u32);
    let (low, high, offset) = if oa.checked_add(bytes_a) == Some(*ob) {
        (a, b, *oa)
    } else if ob.checked_add(bytes_b) == Some(*oa) {
        (b, a, *ob)
    } else {
        return None;
    };
    let mut args = low.args.clone();
    args.extend(&high.args[n..]);
    Some(Node::Inst(Inst {
        op: Op::Store { space: *space, offset, access: *access },
        args,
        results: Vec::new(),
        exact: false,
        loc: b.loc,
    }))
}
