//! Instructions that can be reached, and where control goes from each.
//!
//! Code is decoded along its branches from each entry. A call leads into the called code, whose returns (jumps to where no
//! constant says) lead behind each call of it; what returns is found by walking the called code over its own calls.

use std::collections::{BTreeMap, BTreeSet};
use wavepipe_isa::decode::decode;
use wavepipe_isa::flow::{Ways, ways};
use wavepipe_isa::row::{Control, Sem};
use wavepipe_isa::{Gen, Instr};

/// One instruction.
#[derive(Clone, Debug)]
pub struct Node {
    /// Dword where it begins, and how many it has.
    pub at: usize,
    pub size: usize,
    pub instr: Instr,
    /// Numbers of the nodes that may be next, a call's in the called code.
    pub next: Vec<u32>,
    /// It may go where nothing says.
    pub unknown: bool,
}

/// The reachable instructions of a code, in the order of their places.
#[derive(Clone, Debug)]
pub struct Graph {
    pub isa: Gen,
    pub lanes: u32,
    pub nodes: Vec<Node>,
    /// Nodes from which each may be reached.
    pub from: Vec<Vec<u32>>,
    /// Where it is entered from outside.
    pub entry: Option<u32>,
}

/// A call, the called code, and what is behind the call; dwords.
#[derive(Clone, Copy)]
struct Call {
    to: Option<usize>,
    behind: usize,
}

impl Graph {
    /// Of `words`, entered at the dword `entry`.
    pub fn new(words: &[u32], entry: usize, lanes: u32, isa: Gen) -> Graph {
        let mut found: BTreeMap<usize, (Instr, usize, Ways)> = BTreeMap::new();
        let mut calls: BTreeMap<usize, Call> = BTreeMap::new();
        let mut todo = vec![entry];
        while let Some(at) = todo.pop() {
            if found.contains_key(&at) {
                continue;
            }
            let Some(Ok((instr, size))) = words.get(at..).map(|rest| decode(rest, isa)) else { continue };
            let ways = ways(words, at, size, &instr, isa);
            if let Sem::Control(Control::SwapPc | Control::Call) = instr.op.row().sem {
                let to = ways.next.iter().copied().find(|to| *to != at + size);
                calls.insert(at, Call { to, behind: at + size });
            }
            todo.extend(&ways.next);
            found.insert(at, (instr, size, ways));
        }
        let numbers: BTreeMap<usize, u32> = found.keys().copied().zip(0..).collect();
        let mut nodes: Vec<Node> = Vec::with_capacity(found.len());
        for (at, (instr, size, ways)) in &found {
            let number = |at: &usize| numbers.get(at).copied();
            let called = calls.get(at).map(|call| call.to.as_ref().and_then(number));
            // Of called code that is not here nothing is known but that it comes back.
            let (next, outside) = match called {
                Some(Some(to)) => (vec![to], false),
                Some(None) => (ways.next.iter().filter_map(number).collect(), true),
                None => (ways.next.iter().filter_map(number).collect(), false),
            };
            nodes.push(Node { at: *at, size: *size, instr: *instr, next, unknown: ways.unknown || outside });
        }
        returns(&mut nodes, &numbers, &calls);
        let mut from = vec![Vec::new(); nodes.len()];
        for (n, node) in nodes.iter().enumerate() {
            node.next.iter().for_each(|&to| from[to as usize].push(n as u32));
        }
        Graph { isa, lanes, nodes, from, entry: numbers.get(&entry).copied() }
    }

    /// The node that begins at a dword.
    pub fn at(&self, dword: usize) -> Option<usize> {
        self.nodes.binary_search_by_key(&dword, |n| n.at).ok()
    }

    /// Runs of nodes that are entered at the first and left at the last only: numbers from one to before the other.
    pub fn blocks(&self) -> Vec<std::ops::Range<usize>> {
        let mut out = Vec::new();
        let mut first = 0;
        for n in 0..self.nodes.len() {
            let follows = |next: usize| self.from[next] == [n as u32] && self.nodes[n].next == [next as u32];
            if n + 1 == self.nodes.len() || !follows(n + 1) || self.entry == Some(n as u32 + 1) {
                out.push(first..n + 1);
                first = n + 1;
            }
        }
        out
    }
}

/// Leads returns behind the calls of the code that they are in.
fn returns(nodes: &mut [Node], numbers: &BTreeMap<usize, u32>, calls: &BTreeMap<usize, Call>) {
    let mut behind: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for call in calls.values() {
        let Call { to: Some(to), behind: at } = *call else { continue };
        behind.entry(to).or_default().extend(numbers.get(&at));
    }
    for (to, points) in behind {
        let Some(&first) = numbers.get(&to) else { continue };
        let (mut seen, mut todo) = (BTreeSet::new(), vec![first]);
        while let Some(n) = todo.pop() {
            if !seen.insert(n) {
                continue;
            }
            let node = &mut nodes[n as usize];
            match calls.get(&node.at) {
                Some(call) => todo.extend(numbers.get(&call.behind)),
                None => todo.extend(&node.next),
            }
            let returning = matches!(node.instr.op.row().sem, Sem::Control(Control::SetPc));
            if node.unknown && returning {
                // What it has from an earlier callee is walked as well; its own code is no worse for it.
                node.next.extend(&points);
            }
        }
    }
    for node in nodes.iter_mut().filter(|n| matches!(n.instr.op.row().sem, Sem::Control(Control::SetPc))) {
        node.next.sort_unstable();
        node.next.dedup();
        // A return that is understood goes nowhere else.
        node.unknown &= node.next.is_empty();
    }
}
