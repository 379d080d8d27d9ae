//! Which values are source variables, and from where on: side information, which no pass decides by.
//!
//! A *point* is a place of the program in its order: what the point before it knows, and perhaps one scalar of a variable that
//! has a new value. Instructions carry the point that they stand at ([`super::Loc::point`]); 0 = nothing is known. A
//! structured node carries a point of its own, which says what is known behind the node. So a pass that moves an instruction gives it the
//! point of its new place, one that renames values renames them here, and a value that a pass has removed is known by nobody.

use super::types::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use wavepipe_hw::variable::{Scope, Variable};

/// What `opt::promote` makes points of, in the order of the program: the front end's, and gone with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Mark {
    /// Scalars of a variable from one on are the operands.
    Set { variable: u32, first: u32 },
    /// A variable begins, and has what its memory has.
    Begin { variable: u32 },
    /// The code that follows is a scope's.
    Enter { scope: u32 },
}

/// A scalar of a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct PieceOf {
    pub variable: u32,
    pub piece: u32,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Point {
    /// 0: none.
    pub parent: u32,
    pub scope: u32,
    pub set: Option<(PieceOf, Option<Value>)>,
    /// Of a structured node: the point behind it; 0 = this one.
    pub after: u32,
}

/// The variables of a kernel or a function.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Named {
    pub variables: Arc<Vec<Variable>>,
    pub scopes: Arc<Vec<Scope>>,
    /// By number, from 1; none comes before its parent.
    pub points: Vec<Point>,
    /// Bytes of private memory that are scalars of variables.
    pub cells: BTreeMap<u32, Vec<PieceOf>>,
    /// Variables that have memory: private, from a byte on.
    pub private: BTreeMap<u32, u32>,
    /// The same in LDS.
    pub lds: Vec<(u32, u32)>,
}

impl Named {
    pub fn point(&self, n: u32) -> Point {
        (n as usize).checked_sub(1).and_then(|n| self.points.get(n)).copied().unwrap_or_default()
    }

    pub fn push(&mut self, point: Point) -> u32 {
        self.points.push(point);
        self.points.len() as u32
    }

    pub fn at(&mut self, n: u32) -> Option<&mut Point> {
        (n as usize).checked_sub(1).and_then(|n| self.points.get_mut(n))
    }

    /// Behind the structured node of this point nothing is known any more.
    pub fn forget_behind(&mut self, node: u32) {
        if node != 0 {
            let scope = self.point(node).scope;
            let unknown = self.push(Point { scope, ..Point::default() });
            self.at(node).into_iter().for_each(|p| p.after = unknown);
        }
    }

    /// Values that are others now, which may be others again.
    pub fn rename(&mut self, new: &HashMap<Value, Value>) {
        for value in self.points.iter_mut().filter_map(|p| p.set.as_mut()?.1.as_mut()) {
            while let Some(v) = new.get(value) {
                *value = *v;
            }
        }
    }

    /// The points from `node` (left out) to `to`, first to last.
    pub fn between(&self, node: u32, to: u32) -> Vec<u32> {
        let mut path: Vec<u32> = Vec::new();
        let mut at = to;
        while at > node {
            path.push(at);
            at = self.point(at).parent;
        }
        path.reverse();
        path
    }
}
