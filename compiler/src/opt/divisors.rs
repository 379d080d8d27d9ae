//! Computes what division needs of its divisor alone once for all divisions by it, outside of loops.
//!
//! Algorithm: number the regions, with the region and node that each stands in. Divisions by one value, of one signedness,
//! share the innermost region that holds them all, at the first node that has one of them; from there, what follows from the
//! divisor goes before each loop around it that does not define the divisor. Expanding a division (`lower`) makes the same
//! operations, and so finds those that stand there.

use super::lower;
use crate::ir::build::Builder;
use crate::ir::*;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Before a node of a region, by the region's number.
type Spot = (usize, usize);

/// A divisor, and whether division by it is signed.
type Key = (Value, bool);

/// Where a region stands; the kernel's body has none.
struct Around {
    at: Option<Spot>,
    depth: usize,
    /// It is a loop's body.
    round: bool,
}

#[derive(Default)]
struct Scan {
    /// In program order, a region before what it holds.
    regions: Vec<Around>,
    /// The regions that values are defined in. Constants have none.
    home: HashMap<Value, usize>,
    spots: HashMap<Key, (Spot, Loc)>,
    /// The keys of `spots`, as they came.
    order: Vec<Key>,
}

pub fn place(kernel: &mut Kernel) {
    let mut scan = Scan::default();
    scan.home.extend(kernel.params.iter().map(|&p| (p, 0)));
    scan.region(&kernel.body, None, false, 0);
    let Some(found) = scan.found() else { return };
    let body = std::mem::replace(&mut kernel.body, Region { nodes: Vec::new(), exit: Exit::Unreachable });
    let mut b = Builder::new(std::mem::replace(kernel, Kernel::new("", [1; 3])));
    let mut ready: HashMap<Spot, Vec<Node>> = HashMap::new();
    for ((d, signed), spot, loc) in found {
        b.loc = loc;
        b.begin();
        lower::divisor(&mut b, d, signed);
        ready.entry(spot).or_default().extend(b.end(Exit::Unreachable).nodes);
    }
    // Of the new body there are the constants only.
    *kernel = b.finish(Exit::Unreachable);
    let constants = std::mem::replace(&mut kernel.body, body);
    insert(&mut kernel.body, &mut 0, &mut ready);
    kernel.body.nodes.splice(0..0, constants.nodes);
}

/// Puts the nodes that are `ready` where they belong. `next` is the region's number, then that of the region behind it.
fn insert(r: &mut Region, next: &mut usize, ready: &mut HashMap<Spot, Vec<Node>>) {
    let own = *next;
    *next += 1;
    for (n, mut node) in std::mem::take(&mut r.nodes).into_iter().enumerate() {
        let mut placed = ready.remove(&(own, n)).unwrap_or_default();
        placed.iter_mut().for_each(|n| n.loc_mut().point = node.loc().point);
        r.nodes.extend(placed);
        node.regions_mut().for_each(|r| insert(r, next, ready));
        r.nodes.push(node);
    }
}

impl Scan {
    fn region(&mut self, r: &Region, at: Option<Spot>, round: bool, depth: usize) {
        let own = self.regions.len();
        self.regions.push(Around { at, depth, round });
        for (n, node) in r.nodes.iter().enumerate() {
            if let Node::Inst(i) = node {
                match i.op {
                    Op::Const(_) => continue,
                    Op::Alu(a) => self.division(a, i, (own, n)),
                    _ => {}
                }
            }
            let round = matches!(node, Node::Loop { .. });
            for (k, inner) in node.regions().enumerate() {
                let params: &[Value] = match node {
                    Node::Loop { params, .. } => params,
                    Node::Switch { cases, .. } => &cases[k].params,
                    _ => &[],
                };
                let number = self.regions.len();
                self.home.extend(params.iter().map(|&p| (p, number)));
                self.region(inner, Some((own, n)), round, depth + 1);
            }
            self.home.extend(node.results().iter().map(|&v| (v, own)));
        }
    }

    fn division(&mut self, a: Alu, i: &Inst, spot: Spot) {
        let (true, &[_, d]) = (lower::divides(a), &i.args[..]) else { return };
        if !self.home.contains_key(&d) {
            return;
        }
        let key = (d, !matches!(a, Alu::UDiv | Alu::UMod));
        match self.spots.entry(key) {
            Entry::Vacant(e) => {
                e.insert((spot, i.loc));
                self.order.push(key);
            }
            Entry::Occupied(mut e) => e.get_mut().0 = common(&self.regions, e.get().0, spot),
        }
    }

    /// What is wanted where, unless it is nothing.
    fn found(self) -> Option<Vec<(Key, Spot, Loc)>> {
        let all = self.order.iter().map(|&key| {
            let (spot, loc) = self.spots[&key];
            (key, self.out_of_loops(spot, self.home[&key.0]), loc)
        });
        let all: Vec<_> = all.collect();
        (!all.is_empty()).then_some(all)
    }

    /// Before the outermost loop around `spot` in the region `home`.
    fn out_of_loops(&self, spot: Spot, home: usize) -> Spot {
        let (mut best, mut region) = (spot, spot.0);
        while region != home
            && let Around { at: Some(at), round, .. } = self.regions[region]
        {
            best = if round { at } else { best };
            region = at.0;
        }
        best
    }
}

/// Before both spots, in the innermost region that holds both.
fn common(regions: &[Around], mut a: Spot, mut b: Spot) -> Spot {
    while a.0 != b.0 {
        let deeper = if regions[a.0].depth < regions[b.0].depth { &mut b } else { &mut a };
        match regions[deeper.0].at {
            Some(at) => *deeper = at,
            None => break,
        }
    }
    (a.0, a.1.min(b.1))
}
