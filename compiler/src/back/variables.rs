//! The table of source variables: ranges of addresses in which each dword is in one place.
//!
//! Each instruction has a view of where variables are before it. Where an instruction of the code before became several, the registers
//! that the first of them write hold nothing of the view any more for the others.

use super::checker::held::{View, Views, WHOLE};
use crate::ir::Named;
use std::collections::{BTreeMap, HashSet};
use wavepipe_hw::variable::{Held, Variables, Whereabouts};
use wavepipe_isa::{Instr, Src, insts as i};

pub struct Table<'a> {
    views: &'a Views,
    lanes: u32,
    /// That of the instruction before, and registers written since it began.
    view: u32,
    written: HashSet<Src>,
    open: BTreeMap<(u32, u32), (u32, Option<Whereabouts>)>,
    out: Variables,
}

impl<'a> Table<'a> {
    pub fn new(views: &'a Views, named: &Named, lanes: u32) -> Table<'a> {
        let out = Variables {
            all: named.variables.to_vec(),
            scopes: named.scopes.to_vec(),
            held: Vec::new(),
            inside: Vec::new(),
        };
        Table { views, lanes, view: 0, written: HashSet::new(), open: BTreeMap::new(), out }
    }

    /// The next instruction, its offset and its view.
    pub fn step(&mut self, pc: u32, view: u32, instr: &Instr) {
        if self.view != view {
            self.written.clear();
        }
        if self.view != view || !self.written.is_empty() {
            self.look(pc, view);
        }
        self.view = view;
        for d in instr.defs(self.lanes) {
            self.written.extend((0..d.dwords as u16).map(|n| Src(d.reg.0 + n)));
        }
        // The other lanes are as they were.
        if instr.op == i::V_WRITELANE_B32 {
            self.written.remove(&instr.dst[0]);
        }
    }

    fn look(&mut self, pc: u32, view: u32) {
        let nothing = View::default();
        let known = (view as usize).checked_sub(1).and_then(|n| self.views.0.get(n));
        if let Some(scope) = known.map(|v| v.scope)
            && self.out.inside.last().is_none_or(|row| row.1 != scope)
        {
            self.out.inside.push((pc, scope));
        }
        let mut now = BTreeMap::new();
        for &(variable, dword, at) in &known.unwrap_or(&nothing).at {
            now.insert((variable, dword), at.filter(|at| !self.lost(*at)));
        }
        let gone: Vec<_> =
            self.open.iter().filter(|(key, row)| now.get(*key) != Some(&row.1)).map(|(k, _)| *k).collect();
        gone.into_iter().for_each(|key| self.close(key, pc));
        for (key, at) in now {
            self.open.entry(key).or_insert((pc, at));
        }
    }

    fn lost(&self, at: Whereabouts) -> bool {
        let has = |reg: Src| self.written.contains(&reg);
        match at {
            Whereabouts::Vgpr(n) | Whereabouts::Lane { vgpr: n, .. } => has(Src::v(n)),
            Whereabouts::Sgpr(n) => has(Src::s(n)),
            Whereabouts::Mask(n) => (n..n + self.lanes / 32).any(|n| has(Src::s(n))),
            Whereabouts::Private(_) | Whereabouts::Lds(_) | Whereabouts::Constant(_) => false,
        }
    }

    fn close(&mut self, key: (u32, u32), to: u32) {
        if let Some((from, at)) = self.open.remove(&key).filter(|row| row.0 < to) {
            let dword = (key.1 != WHOLE).then_some(key.1);
            self.out.held.push(Held { variable: key.0, dword, from, to, at });
        }
    }

    /// All is told up to `end`.
    pub fn finish(mut self, end: u32) -> Variables {
        let open: Vec<_> = self.open.keys().copied().collect();
        open.into_iter().for_each(|key| self.close(key, end));
        self.out.held.sort_by_key(|h| (h.variable, h.dword, h.from));
        self.out
    }
}
