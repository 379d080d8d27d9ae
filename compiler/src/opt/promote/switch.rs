//! Cells in the cases of a switch.

use super::points::Around;
use super::*;
use std::collections::BTreeSet;

impl Promote<'_> {
    /// Rewrites the cases: what cases before have stored and somebody still reads becomes a parameter of those that they
    /// fall into. `before`: what each stored cell held at the head; `out`: the cells that leave the switch.
    pub(super) fn cases(
        &mut self,
        cases: &mut [Case],
        facts: &Structure,
        before: &[Option<Value>],
        out: &[usize],
        around: &Around,
    ) {
        let mut entries: Vec<Vec<usize>> = Vec::with_capacity(cases.len() + 1);
        let mut stored: BTreeSet<usize> = BTreeSet::new();
        for (case, (begin, inside)) in cases.iter().zip(&facts.cases) {
            stored.retain(|&c| self.carried[c] > 0 || self.facts.spans[c].1 > *begin);
            entries.push(stored.iter().copied().collect());
            match case.body.exit {
                Exit::Yield(_) => stored.extend(inside),
                // Nobody falls into the next one.
                _ => stored.clear(),
            }
        }
        entries.push(out.to_vec());
        for (n, case) in cases.iter_mut().enumerate() {
            let entry = &entries[n];
            case.init.extend(self.currents(entry));
            let new = self.fresh(entry);
            for (&c, &v) in entry.iter().zip(&new) {
                self.env[c] = Some(v);
            }
            case.params.extend(new);
            self.region_begins(around, &facts.stored);
            self.region(&mut case.body, &entries[n + 1]);
            // The next one may be entered from the head.
            for c in entry.iter().chain(&facts.cases[n].1) {
                if let Ok(at) = facts.stored.binary_search(c) {
                    self.env[*c] = before[at];
                }
            }
        }
    }
}
