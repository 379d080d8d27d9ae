//! Source variables while private memory becomes values: the points of the program, made anew in its order.
//!
//! Points that an earlier promotion made are gone through in the order in which instructions stand at them: what each adds to the one
//! before it is added here, too. What cells get is added where they get it.

use super::*;
use crate::ir::named::{Mark, Named, PieceOf, Point};

/// Where the walk is.
#[derive(Default)]
pub(super) struct Points {
    named: Option<Box<Named>>,
    old: Named,
    /// New points by old ones.
    new: HashMap<u32, u32>,
    now: u32,
    scope: u32,
    /// The scalars that a cell is.
    of_cell: Vec<Vec<PieceOf>>,
}

impl Points {
    pub fn new(kernel: &mut Kernel, plan: &Plan) -> Points {
        let Some(mut named) = kernel.named.take() else { return Points::default() };
        let mut of_cell = vec![Vec::new(); plan.widths.len()];
        let mut stays = std::collections::BTreeMap::new();
        for (at, pieces) in std::mem::take(&mut named.cells) {
            match plan.cells.get(&at) {
                Some(&cell) => of_cell[cell] = pieces,
                None if plan.in_memory(at) => {
                    stays.insert(plan.moved(at), pieces);
                }
                None => {}
            }
        }
        named.cells = stays;
        named.private.retain(|_, at| plan.in_memory(*at));
        named.private.values_mut().for_each(|at| *at = plan.moved(*at));
        let points = std::mem::take(&mut named.points);
        let old = Named { points, ..Named::default() };
        Points { named: Some(named), old, new: HashMap::new(), now: 0, scope: 0, of_cell }
    }

    pub fn give_back(&mut self, kernel: &mut Kernel) {
        kernel.named = self.named.take();
    }
}

/// A structured node on the way.
pub(super) struct Around {
    old: u32,
    node: u32,
    scope: u32,
}

impl Promote<'_> {
    fn add(&mut self, set: Option<(PieceOf, Option<Value>)>) {
        let p = &mut self.points;
        if let Some(named) = &mut p.named {
            p.now = named.push(Point { parent: p.now, scope: p.scope, set, after: 0 });
        }
    }

    /// The point of an instruction that stood at an old one.
    pub(super) fn stand(&mut self, loc: &mut Loc) {
        if self.points.named.is_none() {
            return;
        }
        self.follow(loc.point);
        loc.point = self.points.now;
    }

    /// Adds what is known at an old point and is not yet here.
    fn follow(&mut self, old: u32) {
        let mut path = Vec::new();
        let mut at = old;
        while at != 0 && !self.points.new.contains_key(&at) {
            path.push(at);
            at = self.points.old.point(at).parent;
        }
        for at in path.into_iter().rev() {
            let point = self.points.old.point(at);
            self.points.scope = point.scope;
            let set = point.set.map(|(piece, v)| (piece, v.map(|v| self.resolve(v))));
            self.add(set);
            self.points.new.insert(at, self.points.now);
        }
    }

    /// The variables that a cell is of have its value.
    pub(super) fn changed(&mut self, cell: usize) {
        for n in 0..self.points.of_cell.get(cell).map_or(0, Vec::len) {
            let piece = self.points.of_cell[cell][n];
            self.add(Some((piece, self.env[cell])));
        }
    }

    /// What a mark says. True: the instruction was one.
    pub(super) fn marked(&mut self, i: &Inst) -> bool {
        let Op::Mark(mark) = i.op else { return false };
        match mark {
            Mark::Enter { scope } => {
                self.points.scope = scope;
                self.add(None);
            }
            Mark::Set { variable, first } => {
                for (&v, piece) in i.args.iter().zip(first..) {
                    let v = self.resolve(v);
                    self.add(Some((PieceOf { variable, piece }, Some(v))));
                }
            }
            Mark::Begin { variable } => {
                let cells: Vec<usize> = (0..self.points.of_cell.len()).collect();
                for cell in cells {
                    let of: Vec<PieceOf> = self.points.of_cell[cell].clone();
                    for piece in of.into_iter().filter(|p| p.variable == variable) {
                        self.add(Some((piece, self.env[cell])));
                    }
                }
            }
        }
        true
    }

    /// A structured node begins.
    pub(super) fn enter(&mut self, loc: &mut Loc) -> Around {
        let old = loc.point;
        self.stand(loc);
        self.add(None);
        loc.point = self.points.now;
        Around { old, node: self.points.now, scope: self.points.scope }
    }

    /// A region of it begins, in which cells have new values.
    pub(super) fn region_begins(&mut self, around: &Around, cells: &[usize]) {
        (self.points.now, self.points.scope) = (around.node, around.scope);
        self.add(None);
        cells.iter().for_each(|&c| self.changed(c));
    }

    /// It ends; these cells have been stored inside.
    pub(super) fn leave(&mut self, around: &Around, stored: &[usize]) {
        if self.points.named.is_none() {
            return;
        }
        (self.points.now, self.points.scope) = (around.node, around.scope);
        self.add(None);
        let after = self.points.old.point(around.old).after;
        if after != 0 {
            self.points.new.insert(around.old, self.points.now);
            self.follow(after);
        }
        stored.iter().for_each(|&c| self.changed(c));
        let now = self.points.now;
        self.points.named.as_mut().and_then(|n| n.at(around.node)).into_iter().for_each(|p| p.after = now);
    }
}
