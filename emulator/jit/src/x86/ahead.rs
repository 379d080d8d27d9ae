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
use crate::step::Plan;
use wavepipe_core::wave::{Act, Step};

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

impl Default for Next {
    fn default() -> Self {
        Next::NEVER
    }
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
    /// Homes, of the first chunk, and steps, in order, and whether these only write them.
    touches: Vec<(Home, u32, bool)>,
    /// What is asked for behind it.
    behind: Vgprs,
}

impl Ahead {
    pub fn of(steps: &[(&Act, &Step, &Plan)], chunks: u8, behind: Vgprs) -> Ahead {
        let mut touches = Vec::with_capacity(4 * steps.len());
        for (i, (_, step, plan)) in (0..).zip(steps) {
            let mut touch = |home: Home, writes: bool| touches.push((home, i, writes));
            for node in &plan.nodes {
                Home::named(step, node, 0).into_iter().for_each(|home| touch(home, false));
            }
            // A movement may leave lanes as they are.
            plan.vectors_written().for_each(|v| touch(Home::Vgpr(v, 0), step.movement.is_none()));
        }
        // Who reads it, too, comes first.
        touches.sort_unstable();
        Ahead { steps: steps.len() as u32, chunks, touches, behind }
    }

    /// Steps from the first chunk on.
    pub fn at(&self, place: Progress) -> u32 {
        u32::from(place.chunk) * self.steps + place.steps
    }

    /// What is asked of the home first from that place on.
    pub fn next(&self, home: Home, from: Progress) -> Next {
        let (key, chunk) = match home {
            Home::Vgpr(v, chunk) => (Home::Vgpr(v, 0), Some(chunk)),
            Home::Scalar(_) | Home::Constant(_) => (home, None),
        };
        let at = |from: u32| self.touches.partition_point(|&(home, i, _)| (home, i) < (key, from));
        let first = |at: usize| self.touches.get(at).filter(|(home, ..)| *home == key);
        let in_chunk = |chunk: u8, from: u32| {
            let &(_, i, written) = first(at(from))?;
            Some(Next { at: self.at(Progress { chunk, steps: i }), written })
        };
        let next = match chunk {
            Some(chunk) if chunk < from.chunk => None,
            Some(chunk) => in_chunk(chunk, if chunk == from.chunk { from.steps } else { 0 }),
            None => in_chunk(from.chunk, from.steps).or_else(|| {
                let then = from.chunk + 1;
                (then < self.chunks).then(|| in_chunk(then, 0)).flatten()
            }),
        };
        next.unwrap_or_else(|| match home {
            Home::Vgpr(v, _) if !self.behind.has(v) && first(at(0)).is_some() => Next::OVER,
            _ => Next::NEVER,
        })
    }
}
