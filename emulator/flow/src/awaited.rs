//! What waits wait for.
//!
//! Forward dataflow: which accesses may be outstanding on a counter, and how many of the same queue were issued since at least
//! (the access's age); [`wavepipe_isa::wait`] has counters, queues and orders. A wait for n is for those of age n and more.
//! Paths join by the younger age. An access as old as the counter can count is done: the hardware waits by itself.

use crate::graph::Graph;
use std::collections::BTreeMap;
use wavepipe_isa::Instr;
use wavepipe_isa::wait::{Counted, Counter, Event};

/// A wait for a counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Awaited {
    pub counter: Counter,
    /// How many may be outstanding behind it.
    pub at_most: u8,
    /// Numbers of the nodes whose accesses are done behind it and may not be before, ascending.
    pub accesses: Vec<u32>,
}

/// Of accesses by node and event: the age, and the event.
type Outstanding = BTreeMap<(u32, u8), (u8, Counted)>;

/// For each node that waits, what for.
pub fn awaited(graph: &Graph) -> BTreeMap<u32, Vec<Awaited>> {
    let blocks = graph.blocks();
    let mut of_node = vec![0; graph.nodes.len()];
    blocks.iter().enumerate().for_each(|(b, nodes)| nodes.clone().for_each(|n| of_node[n] = b));
    let mut entry: Vec<Option<Outstanding>> = vec![None; blocks.len()];
    let mut out = BTreeMap::new();
    let Some(first) = graph.entry else { return out };
    entry[of_node[first as usize]] = Some(Outstanding::new());
    let mut todo = std::collections::BTreeSet::from([of_node[first as usize]]);
    while let Some(b) = todo.pop_first() {
        let mut state = entry[b].clone().unwrap_or_default();
        for n in blocks[b].clone() {
            let found = step(graph, n as u32, &mut state);
            if !found.is_empty() {
                out.insert(n as u32, found);
            }
        }
        for &next in &graph.nodes[blocks[b].end - 1].next {
            let next = of_node[next as usize];
            let changed = match &mut entry[next] {
                Some(known) => join(known, &state),
                none => {
                    *none = Some(state.clone());
                    true
                }
            };
            if changed {
                todo.insert(next);
            }
        }
    }
    out
}

fn join(known: &mut Outstanding, other: &Outstanding) -> bool {
    let mut changed = false;
    for (key, (age, event)) in other {
        let (mine, _) = known.entry(*key).or_insert_with(|| {
            changed = true;
            (*age, *event)
        });
        if *age < *mine {
            (*mine, changed) = (*age, true);
        }
    }
    changed
}

/// Passes an instruction, and says what it waits for.
fn step(graph: &Graph, n: u32, state: &mut Outstanding) -> Vec<Awaited> {
    let instr: &Instr = &graph.nodes[n as usize].instr;
    let mut out = Vec::new();
    if let Some(wait) = instr.waits(graph.isa) {
        // What a register adds is not known: nothing then is sure to be done.
        let mut known = true;
        let counts = wait.counts(|_| {
            known = false;
            0
        });
        for counter in Counter::ALL.into_iter().filter(|_| known) {
            let Some(at_most) = counts.asked(counter) else { continue };
            let done = |(age, event): &(u8, Counted)| event.counter == counter && *age >= at_most;
            let mut accesses: Vec<u32> = state.iter().filter(|(_, s)| done(s)).map(|((n, _), _)| *n).collect();
            accesses.dedup();
            state.retain(|_, s| !done(s));
            out.push(Awaited { counter, at_most, accesses });
        }
        return out;
    }
    for event in instr.events(graph.isa) {
        for (age, other) in state.values_mut() {
            if event.queue.is_some() && other.queue == event.queue && other.counter == event.counter {
                *age = age.saturating_add(1);
            }
        }
        state.retain(|_, (age, other)| *age <= other.most);
        state.insert((n, number(event.event)), (0, event));
    }
    out
}

fn number(event: Event) -> u8 {
    event as u8
}
