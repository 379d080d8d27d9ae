//! Neighbouring memory accesses become one wide access.
//!
//! Algorithm, for each region's own list of nodes: loads with the same space, address operands and properties whose constant
//! offsets are neighbours form one load of up to four dwords, at the place of the first; the others only add their
//! results. A load may join a group only while no store, atomic or barrier stands between (read-only loads are exempt).
//! Stores likewise join at the place of the last, while nothing between them touches memory at all. Nodes with regions end
//! every group.

use crate::ir::*;
use std::collections::HashMap;

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

/// What the loads of a group have in common.
type Key = (Space, Access, Vec<Value>);

/// A load being widened: where its nodes are, the first of them its place, and its pieces.
struct Group {
    members: Vec<usize>,
    key: Key,
    /// (constant offset, result) of each dword: neighbours.
    pieces: Vec<(u32, Value)>,
    loc: Loc,
}

/// Groups that may still grow, by what their loads have in common and the offset of either end.
#[derive(Default)]
struct Open(HashMap<(Key, u64), Vec<usize>>);

impl Open {
    /// Both ends of a run of dwords; the same if it goes round the end of the address space, and grows no more.
    fn ends(pieces: &[(u32, Value)]) -> (u64, u64) {
        let first = pieces.iter().map(|p| u64::from(p.0)).min().unwrap_or(0);
        let last = pieces.iter().map(|p| u64::from(p.0)).max().unwrap_or(0);
        let whole = last - first == 4 * (pieces.len() as u64 - 1);
        (first, if whole { last + 4 } else { first })
    }

    /// The earliest group that the pieces continue.
    fn find(&self, groups: &[Group], key: &Key, pieces: &[(u32, Value)]) -> Option<usize> {
        let (first, end) = Open::ends(pieces);
        let at = |n: u64| self.0.get(&(key.clone(), n)).into_iter().flatten().copied();
        let fits = |&g: &usize| {
            let (from, to) = Open::ends(&groups[g].pieces);
            from < to && first < end && (to == first || from == end) && groups[g].pieces.len() + pieces.len() <= WIDEST
        };
        at(first).chain(at(end)).filter(fits).min()
    }

    fn put(&mut self, group: usize, of: &Group) {
        let (first, end) = Open::ends(&of.pieces);
        if of.pieces.len() < WIDEST {
            self.0.entry((of.key.clone(), first)).or_default().push(group);
            self.0.entry((of.key.clone(), end)).or_default().push(group);
        }
    }

    fn remove(&mut self, group: usize, of: &Group) {
        let (first, end) = Open::ends(&of.pieces);
        for at in [first, end] {
            if let Some(all) = self.0.get_mut(&(of.key.clone(), at)) {
                all.retain(|&g| g != group);
            }
        }
    }
}

fn loads(kernel: &Kernel, nodes: &mut Vec<Node>) {
    let mut groups: Vec<Group> = Vec::new();
    // Read-only loads, and those that the next effect ends.
    let (mut lasting, mut passing) = (Open::default(), Open::default());
    for (at, node) in nodes.iter().enumerate() {
        let Node::Inst(i) = node else {
            passing = Open::default();
            continue;
        };
        match &i.op {
            Op::Load { space, offset, access }
                if widens(*space) && !access.volatile && i.results.iter().all(|&r| kernel.width(r) == Width::B32) =>
            {
                let key = (*space, *access, i.args.clone());
                let pieces: Vec<(u32, Value)> =
                    i.results.iter().enumerate().map(|(n, &r)| (offset.wrapping_add(4 * n as u32), r)).collect();
                let open = if access.readonly { &mut lasting } else { &mut passing };
                let g = match open.find(&groups, &key, &pieces) {
                    Some(g) => {
                        open.remove(g, &groups[g]);
                        groups[g].pieces.extend(pieces);
                        groups[g].members.push(at);
                        g
                    }
                    None => {
                        groups.push(Group { members: vec![at], key, pieces, loc: i.loc });
                        groups.len() - 1
                    }
                };
                open.put(g, &groups[g]);
            }
            op if op.has_effect() => passing = Open::default(),
            _ => {}
        }
    }
    let mut gone = vec![false; nodes.len()];
    for group in groups.iter_mut().filter(|g| g.pieces.len() > 1) {
        group.pieces.sort();
        group.members.iter().for_each(|&n| gone[n] = n != group.members[0]);
        let (space, access, args) = group.key.clone();
        let results = group.pieces.iter().map(|p| p.1).collect();
        let op = Op::Load { space, offset: group.pieces[0].0, access };
        nodes[group.members[0]] = Node::Inst(Inst { op, args, results, exact: false, loc: group.loc });
    }
    remove(nodes, &gone);
}

fn stores(kernel: &Kernel, nodes: &mut Vec<Node>) {
    let mut gone = vec![false; nodes.len()];
    let mut last: Option<usize> = None;
    for at in 0..nodes.len() {
        let Node::Inst(i) = &nodes[at] else {
            last = None;
            continue;
        };
        match &i.op {
            Op::Store { .. } => {
                if let Some(first) = last
                    && let Some(joined) = join(kernel, &nodes[first], &nodes[at])
                {
                    nodes[at] = joined;
                    gone[first] = true;
                }
                last = Some(at);
            }
            Op::Load { access, .. } if access.readonly => {}
            Op::Load { .. } => last = None,
            op if op.has_effect() || op.is_cross_lane() => last = None,
            _ => {}
        }
    }
    remove(nodes, &gone);
}

/// Takes out the nodes whose place is marked.
fn remove(nodes: &mut Vec<Node>, gone: &[bool]) {
    let mut gone = gone.iter();
    nodes.retain(|_| gone.next() != Some(&true));
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
