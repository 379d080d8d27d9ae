//! Operations on bits that some targets do by one instruction: rotations, and any function of three operands' bits.
//!
//! ```text
//! rotate:  two shifts of the same word whose counts are 32 together, with nothing else in between
//! bits:    from a node upwards through operations on bits that are for it alone, as long as no more than three words are left; what
//!          it makes of them is one of 256 functions, whose number is its table: bit 4a + 2b + c of it is the result for bits
//!          a, b and c
//! ```

use crate::record::{F, Id, Node};
use crate::step::Plan;

/// The numbers of the functions that are their first, second and third operand.
pub const OPERANDS: [u8; 3] = [0xf0, 0xcc, 0xaa];

impl Plan {
    /// For targets that have `rotate` and `bits`.
    pub fn contract_bits(&mut self) {
        for i in 0..self.nodes.len() {
            let uses = self.uses();
            if let Some(node) = self.rotation(i, &uses).or_else(|| self.function(i, &uses)) {
                self.nodes[i] = node;
            }
        }
        self.drop_dead();
    }

    fn node(&self, id: Id) -> Node {
        self.nodes[usize::from(id)]
    }

    /// What is shifted by a literal, for one user alone.
    fn shifted(&self, id: Id, f: F, uses: &[u32]) -> Option<(Id, u32)> {
        let node = self.node(id);
        let is = node.f == f && node.args[1] == Id::MAX && uses[usize::from(id)] == 1;
        if !is {
            return None;
        }
        // A shift of a shift, which bodies have for counts of 32.
        match (f, self.shifted(node.args[0], f, uses)) {
            (F::shl, Some((x, n))) if n + node.literal < 32 => Some((x, n + node.literal)),
            _ => Some((node.args[0], node.literal)),
        }
    }

    fn rotation(&self, i: usize, uses: &[u32]) -> Option<Node> {
        let Node { f: F::or, args: [a, b, ..], .. } = self.nodes[i] else { return None };
        let of = |low: Id, high: Id| {
            let ((x, right), (y, left)) = (self.shifted(low, F::shr, uses)?, self.shifted(high, F::shl, uses)?);
            let none = Id::MAX;
            (x == y && left + right == 32).then_some(Node {
                f: F::rotate,
                args: [x, none, none, none, none, none],
                literal: right,
            })
        };
        of(a, b).or_else(|| of(b, a))
    }

    fn is_bitwise(f: F) -> bool {
        matches!(f, F::and | F::or | F::xor | F::not | F::bits)
    }

    fn function(&self, i: usize, uses: &[u32]) -> Option<Node> {
        if !matches!(self.nodes[i].f, F::and | F::or | F::xor) {
            return None;
        }
        let operands = |node: Node| node.args.into_iter().filter(|&a| a != Id::MAX);
        let mut leaves: Vec<Id> = Vec::new();
        let join = |leaves: &mut Vec<Id>, id| {
            if !leaves.contains(&id) {
                leaves.push(id);
            }
        };
        operands(self.nodes[i]).for_each(|a| join(&mut leaves, a));
        let mut taken = 0;
        // Each turn takes one more in; a node has fewer than 256 above it.
        while let Some(more) = leaves.iter().enumerate().find_map(|(n, &leaf)| {
            let node = self.node(leaf);
            // A complement costs nothing more, whoever else asks for it.
            let alone = uses[usize::from(leaf)] == 1 || node.f == F::not;
            let mut more = leaves.clone();
            more.remove(n);
            operands(node).for_each(|a| join(&mut more, a));
            (Self::is_bitwise(node.f) && alone && more.len() <= 3).then_some(more)
        }) {
            leaves = more;
            taken += 1;
        }
        if taken == 0 {
            return None;
        }
        let table = self.table(i as Id, &leaves);
        leaves.resize(3, leaves[0]);
        let [a, b, c] = leaves[..] else { return None };
        Some(Node { f: F::bits, args: [a, b, c, Id::MAX, Id::MAX, Id::MAX], literal: table.into() })
    }

    /// The number of the function that a node is of the leaves.
    fn table(&self, id: Id, leaves: &[Id]) -> u8 {
        if let Some(n) = leaves.iter().position(|&l| l == id) {
            return OPERANDS[n];
        }
        let node = self.node(id);
        let of = |k: usize| self.table(node.args[k], leaves);
        match node.f {
            F::and => of(0) & of(1),
            F::or => of(0) | of(1),
            F::xor => of(0) ^ of(1),
            F::not => !of(0),
            _ => composed(node.literal as u8, [of(0), of(1), of(2)]),
        }
    }
}

/// The function of three functions.
pub fn composed(table: u8, of: [u8; 3]) -> u8 {
    (0..8).filter(|n| table >> of.iter().fold(0, |at, f| 2 * at + (f >> n & 1)) & 1 != 0).fold(0, |all, n| all | 1 << n)
}

/// The number of the function that does the same with its first operand and another one exchanged.
pub fn exchanged(table: u8, with: usize) -> u8 {
    let mut of = OPERANDS;
    of.swap(0, with);
    composed(table, of)
}
