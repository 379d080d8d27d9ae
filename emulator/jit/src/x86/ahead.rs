//! What a group of vector steps is going to ask of homes, so that of the host's registers the one is given away whose value is asked for
//! last (Belady's rule), and is not stored if it is written before anybody reads it.
//!
//! ```text
//! touches: of each home the steps that name it, in order, and whether a step only writes it, in all lanes of EXEC, which is the same
//!          for a group's steps
//! next:    a guest register's in its own chunk; what all lanes have alike in this chunk, or in the next
//! ```

use super::registers::Home;
use crate::live::Vgprs;
use crate::record::F;
use crate::step::{Plan, ResultPlace, operand};
use std::collections::BTreeMap;
use wavepipe_core::wave::{Act, Operand, Step};

/// When a home is named next, counted in steps from the group's first chunk on, and whether it is written then and not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Next {
    pub at: u32,
    pub written: bool,
}

impl Next {
    /// Not by the group; behind it nothing is known.
    pub const NEVER: Next = Next { at: u32::MAX, written: false };
    /// Not by the group; behind it, it is written before anybody reads it.
    pub const OVER: Next = Next { at: u32::MAX - 1, written: true };
}

/// A place in a group: a chunk, and the steps of it that are over.
#[derive(Clone, Copy, Default)]
pub struct Progress {
    pub chunk: u8,
    pub steps: u32,
}

pub struct Ahead {
    steps: u32,
    chunks: u8,
    /// By home, of the first chunk: steps, and whether they only write it.
    touches: BTreeMap<Home, Vec<(u32, bool)>>,
    /// What is asked for behind it.
    behind: Vgprs,
}

impl Ahead {
    pub fn of(steps: &[(&Act, &Step, &Plan)], chunks: u8, behind: Vgprs) -> Ahead {
        let mut touches = BTreeMap::<Home, Vec<(u32, bool)>>::new();
        for (i, (_, step, plan)) in (0..).zip(steps) {
            let mut touch = |home: Home, writes: bool| {
                let of = touches.entry(home).or_default();
                if of.last().is_none_or(|(last, _)| *last != i) {
                    of.push((i, writes));
                }
            };
            for node in &plan.nodes {
                match node.f {
                    F::literal => touch(Home::Constant(node.literal), false),
                    F::source => match operand(step, node.literal) {
                        Some(Operand::Vgpr(v)) => touch(Home::Vgpr(v + (node.literal & 1), 0), false),
                        Some(Operand::Scalar(words)) => touch(Home::Scalar(words[node.literal as usize & 1]), false),
                        Some(Operand::Constant(words)) => {
                            touch(Home::Constant(words[node.literal as usize & 1]), false)
                        }
                        None => {}
                    },
                    _ => {}
                }
            }
            for (place, _) in &plan.results {
                if let ResultPlace::Vgpr(v) = place {
                    // A movement may leave lanes as they are.
                    touch(Home::Vgpr(*v, 0), step.movement.is_none());
                }
            }
        }
        Ahead { steps: steps.len() as u32, chunks, touches, behind }
    }

    /// What is asked of the home first from that place on.
    pub fn next(&self, home: Home, from: Progress) -> Next {
        let (key, chunk) = match home {
            Home::Vgpr(v, chunk) => (Home::Vgpr(v, 0), Some(chunk)),
            Home::Scalar(_) | Home::Constant(_) => (home, None),
        };
        let Some(touches) = self.touches.get(&key) else { return Next::NEVER };
        let in_chunk = |chunk: u8, from: u32| {
            let &(i, written) = touches.get(touches.partition_point(|(i, _)| *i < from))?;
            Some(Next { at: u32::from(chunk) * self.steps + i, written })
        };
        let next = match chunk {
            Some(chunk) if chunk < from.chunk => None,
            Some(chunk) => in_chunk(chunk, if chunk == from.chunk { from.steps } else { 0 }),
            None => in_chunk(from.chunk, from.steps).or_else(|| {
                let then = from.chunk + 1;
                (then < self.chunks).then(|| in_chunk(then, 0)).flatten()
            }),
        };
        next.unwrap_or(match home {
            Home::Vgpr(v, _) if !self.behind.has(v) => Next::OVER,
            _ => Next::NEVER,
        })
    }
}
