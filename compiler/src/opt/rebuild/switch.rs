//! Switches: only the cases that run if the selector is known; no parameter where both ways in bring the same.

use super::*;

impl Rebuild {
    pub(super) fn switch(
        &mut self,
        label: Label,
        selector: Value,
        cases: &[Case],
        results: &[Value],
        loc: Loc,
    ) -> Option<Exit> {
        let selector = self.get(selector);
        let new = self.b.kernel.label();
        self.targets.insert(label, RenewedLabel { label: new, params: Vec::new(), results: vec![true; results.len()] });
        // Nothing tells the cases apart, or it is known which one it is.
        let known = if cases.len() == 1 { Some(0) } else { self.b.known(selector) };
        if let Some(known) = known {
            let named = cases.iter().position(|c| c.values.contains(&(known as u32)));
            let entered = named.or_else(|| cases.iter().position(|c| c.default))?;
            let region = self.straight(&cases[entered..]);
            return self.blocked(new, region, results, loc);
        }
        let inits: Vec<Vec<Value>> = cases.iter().map(|c| self.all(&c.init)).collect();
        let mut out: Vec<Case> = Vec::with_capacity(cases.len());
        for (case, init) in cases.iter().zip(inits) {
            let fallen = match out.last_mut().map(|c| &mut c.body.exit) {
                Some(Exit::Yield(v)) => Some(v),
                _ => None,
            };
            // What only the head brings, or both bring alike, is no parameter.
            let wanted: Vec<bool> = match &fallen {
                Some(v) => v.iter().zip(&init).map(|(v, i)| v != i).collect(),
                None => vec![false; init.len()],
            };
            if let Some(v) = fallen {
                *v = keep(v, &wanted);
            }
            for ((&p, &i), _) in case.params.iter().zip(&init).zip(&wanted).filter(|(_, w)| !**w) {
                self.set(p, i);
            }
            let params = keep(&case.params, &wanted).into_iter().map(|p| self.fresh(p)).collect();
            let body = self.nested(&case.body);
            let (values, default) = (case.values.clone(), case.default);
            out.push(Case { values, default, params, init: keep(&init, &wanted), body });
        }
        let falls = out.last().is_some_and(|c| matches!(c.body.exit, Exit::Yield(_)));
        let to_label = |r: &Region| matches!(&r.exit, Exit::Break(l, _) if *l == new) || jumps_to(&r.nodes, new);
        let ends = !falls && !out.iter().any(|c| to_label(&c.body));
        let results = results.iter().map(|&r| self.fresh(r)).collect();
        self.b.push(Node::Switch { label: new, selector, cases: out, results, loc });
        ends.then_some(Exit::Unreachable)
    }

    /// One case after the other, from the first on; what the last yields is the region's.
    fn straight(&mut self, cases: &[Case]) -> Region {
        let before = self.fresh.clone();
        self.begin();
        let mut values = cases.first().map(|c| self.all(&c.init)).unwrap_or_default();
        let mut exit = Exit::Unreachable;
        for case in cases {
            case.params.iter().zip(values).for_each(|(&p, v)| self.set(p, v));
            exit = self.region(&case.body);
            match &exit {
                Exit::Yield(v) => values = v.clone(),
                _ => break,
            }
        }
        let new = self.end(exit);
        self.fresh = before;
        cases.iter().for_each(|c| self.forget_all(&c.body));
        new
    }
}
