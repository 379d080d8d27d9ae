//! Who acts next: a timing wheel of actors by cycle.
//!
//! Actors are numbers below [`ACTORS`]; within a cycle the lower one goes first. The near future is a ring of bit sets, one a
//! cycle; what lies beyond waits in a heap. An actor may be on the agenda more than once: it looks for itself whether there is
//! anything to do.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Actors at most.
pub const ACTORS: usize = 512;
/// Cycles that the ring covers; a power of two.
const NEAR: u64 = 1024;

type Set = [u64; ACTORS / 64];

pub struct Agenda {
    ring: Box<[Set]>,
    /// Bit i: ring slot i has somebody.
    busy: [u64; NEAR as usize / 64],
    /// The cycle that the ring begins with: nobody is due earlier.
    base: u64,
    far: BinaryHeap<Reverse<(u64, usize)>>,
}

impl Default for Agenda {
    fn default() -> Agenda {
        Agenda {
            ring: vec![[0; ACTORS / 64]; NEAR as usize].into(),
            busy: [0; NEAR as usize / 64],
            base: 0,
            far: BinaryHeap::new(),
        }
    }
}

impl Agenda {
    /// Puts `actor` down for `cycle`, or for the earliest that is left if that is over.
    #[inline]
    pub fn add(&mut self, cycle: u64, actor: usize) {
        let cycle = cycle.max(self.base);
        if cycle - self.base < NEAR {
            let slot = (cycle % NEAR) as usize;
            self.ring[slot][actor / 64] |= 1 << (actor % 64);
            self.busy[slot / 64] |= 1 << (slot % 64);
        } else {
            self.far.push(Reverse((cycle, actor)));
        }
    }

    /// The next cycle and actor, taken off the agenda.
    #[inline]
    pub fn pop(&mut self) -> Option<(u64, usize)> {
        loop {
            let ahead = self.ahead();
            let near = ahead.map(|d| self.base + d);
            let far = self.far.peek().map(|Reverse((cycle, _))| *cycle);
            let cycle = match (near, far) {
                (None, None) => return None,
                (near, far) => near.unwrap_or(u64::MAX).min(far.unwrap_or(u64::MAX)),
            };
            self.base = cycle;
            while let Some(&Reverse((due, actor))) = self.far.peek()
                && due - self.base < NEAR
            {
                self.far.pop();
                self.add(due, actor);
            }
            let slot = (cycle % NEAR) as usize;
            let set = &mut self.ring[slot];
            if let Some(word) = set.iter().position(|w| *w != 0) {
                let bit = set[word].trailing_zeros() as usize;
                set[word] &= set[word] - 1;
                if set.iter().all(|w| *w == 0) {
                    self.busy[slot / 64] &= !(1 << (slot % 64));
                }
                return Some((cycle, word * 64 + bit));
            }
        }
    }

    /// Cycles from `base` to the first slot with somebody.
    #[inline]
    fn ahead(&self) -> Option<u64> {
        let words = self.busy.len();
        let first = (self.base % NEAR) as usize;
        for i in 0..=words {
            let word = (first / 64 + i) % words;
            let mut bits = self.busy[word];
            if i == 0 {
                bits &= !0 << (first % 64);
            } else if i == words {
                bits &= (1 << (first % 64)) - 1;
            }
            if bits != 0 {
                let slot = word as u64 * 64 + u64::from(bits.trailing_zeros());
                return Some((slot + NEAR - first as u64) % NEAR);
            }
        }
        None
    }
}
