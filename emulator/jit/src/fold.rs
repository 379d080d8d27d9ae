//! Nodes that are less than they look: what follows from literals, and the lesser and the greater of two words.

use crate::record::{F, Id, Node};
use crate::step::Plan;

/// What an operation makes of words that are known.
fn known(f: F, a: u32, b: u32) -> Option<u32> {
    Some(match f {
        F::and => a & b,
        F::or => a | b,
        F::xor => a ^ b,
        F::add => a.wrapping_add(b),
        F::sub => a.wrapping_sub(b),
        F::mul => a.wrapping_mul(b),
        F::shl => a << (b & 31),
        F::shr => a >> (b & 31),
        F::sar => (a as i32 >> (b & 31)) as u32,
        _ => return None,
    })
}

/// Whether it is what its first operand is, if the second is this word.
fn keeps(f: F, b: u32) -> bool {
    match f {
        F::or | F::xor | F::add | F::sub => b == 0,
        F::shl | F::shr | F::sar => b & 31 == 0,
        F::and => b == !0,
        F::mul => b == 1,
        _ => false,
    }
}

impl Plan {
    /// Operations on literals are literals, and those that change nothing are their operand.
    pub fn fold(&mut self) {
        let mut to: Vec<Id> = Vec::with_capacity(self.nodes.len());
        for i in 0..self.nodes.len() {
            let mut node = self.nodes[i];
            node.args.iter_mut().filter(|a| **a != Id::MAX).for_each(|a| *a = to[usize::from(*a)]);
            let literal = |id: Id| match self.nodes.get(usize::from(id)) {
                Some(Node { f: F::literal, literal, .. }) => Some(*literal),
                _ => None,
            };
            let [a, b, ..] = node.args;
            let value = match (node.f, literal(a), literal(b)) {
                (F::not, Some(x), _) => Some(!x),
                (f, Some(x), Some(y)) => known(f, x, y),
                _ => None,
            };
            if let Some(literal) = value {
                node = Node { f: F::literal, args: [Id::MAX; 6], literal };
            }
            to.push(match literal(b) {
                Some(y) if keeps(node.f, y) => a,
                _ => i as Id,
            });
            self.nodes[i] = node;
        }
        self.results.iter_mut().for_each(|(_, id)| *id = to[usize::from(*id)]);
    }

    /// A choice by a comparison of what is chosen from is the lesser or the greater of the two, where a target `has` those: of floats
    /// the second one if one is no number or both are zero, as the comparison has it.
    pub fn extremes(&mut self, has: &dyn Fn(F) -> bool) {
        for i in 0..self.nodes.len() {
            let Node { f: F::sel, args: [c, t, f, ..], .. } = self.nodes[i] else { continue };
            let Node { f: by, args: [x, y, ..], .. } = self.nodes[usize::from(c)];
            let (lesser, greater) = match by {
                F::slt => (F::smin, F::smax),
                F::ult => (F::umin, F::umax),
                F::flt => (F::fless, F::fmore),
                _ => continue,
            };
            let f = match (t, f) {
                _ if (t, f) == (x, y) => lesser,
                _ if (t, f) == (y, x) => greater,
                _ => continue,
            };
            if has(f) {
                self.nodes[i] = Node {
                    f,
                    args: [t, if f == lesser { y } else { x }, Id::MAX, Id::MAX, Id::MAX, Id::MAX],
                    literal: 0,
                };
            }
        }
    }
}
