//! Source variables while a kernel is written anew: points as they are needed, with new values.
//!
//! A point is made anew when somebody who stands there is written; what its values are is known when the stretch that it
//! is of has been written: the whole kernel, or a round of a loop that is unrolled, which has points of its own.

use super::*;
use crate::ir::named::Point;

#[derive(Default)]
pub(in crate::opt) struct Renewed {
    old: Vec<Point>,
    new: HashMap<u32, u32>,
    /// Old points in `new`, in the order in which they came.
    came: Vec<u32>,
    /// New points with old values, and new nodes' points with what was behind the old.
    sets: Vec<(u32, Value)>,
    behind: Vec<(u32, u32)>,
}

/// How far it had come.
#[derive(Clone, Copy, Default)]
pub(in crate::opt) struct Come {
    came: usize,
    sets: usize,
    behind: usize,
}

impl Renewed {
    pub fn of(kernel: &mut Kernel) -> Renewed {
        let old = kernel.named.as_mut().map(|n| std::mem::take(&mut n.points)).unwrap_or_default();
        Renewed { old, ..Renewed::default() }
    }
}

impl Rebuild {
    /// A position in the new kernel.
    pub(in crate::opt) fn at(&mut self, loc: Loc) -> Loc {
        if loc.point == 0 || self.points.old.is_empty() {
            return Loc { point: 0, ..loc };
        }
        Loc { point: self.renewed(loc.point), ..loc }
    }

    fn renewed(&mut self, old: u32) -> u32 {
        let mut path = Vec::new();
        let mut at = old;
        let p = &mut self.points;
        while at != 0 && !p.new.contains_key(&at) {
            path.push(at);
            at = p.old.get(at as usize - 1).map_or(0, |p| p.parent);
        }
        let mut now = p.new.get(&at).copied().unwrap_or(0);
        let Some(named) = &mut self.b.kernel.named else { return 0 };
        for at in path.into_iter().rev() {
            let point = p.old[at as usize - 1];
            now = named.push(Point { parent: now, after: 0, ..point });
            if let Some((_, Some(v))) = point.set {
                p.sets.push((now, v));
            }
            if point.after != 0 {
                p.behind.push((now, point.after));
            }
            p.new.insert(at, now);
            p.came.push(at);
        }
        now
    }

    pub(in crate::opt) fn come(&self) -> Come {
        let p = &self.points;
        Come { came: p.came.len(), sets: p.sets.len(), behind: p.behind.len() }
    }

    /// All from `since` on has been written: gives points their values, and forgets them.
    pub(in crate::opt) fn settle(&mut self, since: Come) {
        while let Some((node, after)) =
            (self.points.behind.len() > since.behind).then(|| self.points.behind.pop()).flatten()
        {
            let after = self.renewed(after);
            let named = &mut self.b.kernel.named;
            named.as_mut().and_then(|n| n.at(node)).into_iter().for_each(|p| p.after = after);
        }
        for (new, v) in self.points.sets.split_off(since.sets) {
            let value = self.map.get(v.0 as usize).copied().flatten();
            let point = self.b.kernel.named.as_mut().and_then(|n| n.at(new));
            point.and_then(|p| p.set.as_mut()).into_iter().for_each(|set| set.1 = value);
        }
        for old in self.points.came.split_off(since.came) {
            self.points.new.remove(&old);
        }
    }
}
