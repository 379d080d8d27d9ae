//! Switches: where control, or each lane, enters the cases, which lie one behind the other in the order in which they fall.
//!
//! A uniform selector is searched for by scalar comparisons, the cases halved until few are left, and control goes to the case.
//! By a divergent one, lanes join those that fall in at each label, in order, so that the work is linear in the cases:
//!   label k:  fell = EXEC;  EXEC = fell | rest, and out if that is empty;  m = selector is one of k's values
//!             rest = rest & ~m;  EXEC = fell | m, and on to label k + 1 if that is empty
//! `rest`, the lanes that have not entered yet, is the only mask that lives over the cases, whatever their number; the last
//! case takes all of it. What lanes of `fell` compare is of no account, since m is only used less them or with them. A vector register must not be written between the labels, where they are active and not accounted for.
//!
//! A case's parameters are collected in registers. Those that begin with the same value share one, which is filled before the
//! switch: lanes that have not entered keep it. Others are filled at their case's label, in the lanes that enter there.

use super::control::{Flow, Frame, ResultSlot};
use super::*;
use crate::ir::{Case, Label};

/// Runs of a selector's values that are tried one after the other.
const TRIED: usize = 4;

/// A case's parameters: all, and those that are filled at the label, with what they begin with.
struct Entry {
    slots: Vec<ResultSlot>,
    late: Vec<(ResultSlot, Value)>,
}

/// Values from `low` to `high` lead to the block.
#[derive(Clone, Copy)]
struct Run {
    low: u32,
    high: u32,
    to: BlockId,
}

impl Selector<'_> {
    pub(super) fn switch(&mut self, label: Label, selector: Value, cases: &[Case], results: &[Value]) -> Result<()> {
        let info = self.div.label(label);
        let entries = self.entries(cases)?;
        let result_slots = self.slots(results)?;
        let waiting = self.waiting(info);
        let exit = self.new_block();
        let bodies: Vec<BlockId> = cases.iter().map(|_| self.new_block()).collect();
        self.open(label, exit, &waiting, result_slots.clone());
        if self.div.divergent(selector) {
            self.divergent_cases(selector, cases, &entries, &bodies, exit, &result_slots)?;
        } else {
            let dead = if info.divergent { exit } else { self.control.dead() };
            self.control.dead.push(dead);
            self.uniform_cases(selector, cases, &entries, &bodies, exit, &result_slots)?;
            self.control.dead.pop();
        }
        self.close();
        self.leave(exit, waiting);
        self.bind(results, &result_slots);
        Ok(())
    }

    /// Registers for the parameters of all cases; those that are shared are filled.
    fn entries(&mut self, cases: &[Case]) -> Result<Vec<Entry>> {
        // Which value, for the how manyth time in this case, in which bank.
        type Key = (Value, usize, Home);
        let mut users: HashMap<Key, usize> = HashMap::new();
        let mut keys: Vec<Vec<Key>> = Vec::with_capacity(cases.len());
        for case in cases {
            let mut times: HashMap<(Value, Home), usize> = HashMap::new();
            let key = |(&p, &i): (&Value, &Value)| {
                let time = times.entry((i, self.home(p))).or_default();
                *time += 1;
                (i, *time, self.home(p))
            };
            let of_case: Vec<Key> = case.params.iter().zip(&case.init).map(key).collect();
            of_case.iter().for_each(|&k| *users.entry(k).or_default() += 1);
            keys.push(of_case);
        }
        let mut shared: HashMap<Key, ResultSlot> = HashMap::new();
        let (mut filled, mut with) = (Vec::new(), Vec::new());
        let mut entries = Vec::with_capacity(cases.len());
        for (case, keys) in cases.iter().zip(keys) {
            let mut entry = Entry { slots: Vec::new(), late: Vec::new() };
            for ((&param, &init), key) in case.params.iter().zip(&case.init).zip(keys) {
                let slot = match shared.get(&key) {
                    Some(&slot) => slot,
                    None => {
                        let slot = self.slots(&[param])?[0];
                        if users.get(&key).is_some_and(|&n| n > 1) {
                            shared.insert(key, slot);
                            filled.push(slot);
                            with.push(init);
                        } else {
                            entry.late.push((slot, init));
                        }
                        slot
                    }
                };
                entry.slots.push(slot);
            }
            entries.push(entry);
        }
        self.write_initial(&filled, &with);
        Ok(entries)
    }

    /// Fills what a case's parameters begin with, in the active lanes.
    fn fill(&mut self, entry: &Entry) {
        let (slots, values): (Vec<ResultSlot>, Vec<Value>) = entry.late.iter().copied().unzip();
        self.write(&slots, &values);
    }

    // ---- by the scalar unit ----

    fn uniform_cases(
        &mut self,
        selector: Value,
        cases: &[Case],
        entries: &[Entry],
        bodies: &[BlockId],
        exit: BlockId,
        results: &[ResultSlot],
    ) -> Result<()> {
        // Where the head enters: at the body, or where its parameters are filled.
        let doors: Vec<BlockId> =
            entries.iter().zip(bodies).map(|(e, &b)| if e.late.is_empty() { b } else { self.new_block() }).collect();
        let selector = self.src(selector);
        let selector = self.in_s(selector);
        let default = cases.iter().position(|c| c.default).map_or(exit, |n| doors[n]);
        let runs = runs(
            cases
                .iter()
                .zip(&doors)
                .filter(|(c, _)| !c.default)
                .flat_map(|(c, &to)| c.values.iter().map(move |&v| (v, to))),
        );
        self.search(selector, &runs, default);
        for (n, case) in cases.iter().enumerate() {
            if doors[n] != bodies[n] {
                self.begin(doors[n]);
                self.fill(&entries[n]);
                self.set_logical(self.cur, &[bodies[n]]);
            }
            self.begin(bodies[n]);
            self.bind(&case.params, &entries[n].slots);
            let (next, slots) = match entries.get(n + 1) {
                Some(e) => (bodies[n + 1], &e.slots[..]),
                None => (exit, results),
            };
            if self.region(&case.body, slots)? == Flow::Falls {
                self.set_logical(self.cur, &[next]);
                self.jump_to(next);
            }
        }
        Ok(())
    }

    /// Branches to the run that the selector is in, or to `default`.
    fn search(&mut self, selector: Part, runs: &[Run], default: BlockId) {
        if runs.len() > TRIED {
            let (low, high) = runs.split_at(runs.len() / 2);
            let (left, right) = (self.new_block(), self.new_block());
            self.sop(i::S_CMP_GE_U32, Arg::None, &[selector.into(), Arg::Imm(high[0].low)]);
            self.branch(Cond::Scc1, right);
            self.set_logical(self.cur, &[left, right]);
            self.begin(left);
            self.search(selector, low, default);
            self.begin(right);
            self.search(selector, high, default);
            return;
        }
        for run in runs {
            if run.low == run.high {
                self.sop(i::S_CMP_EQ_U32, Arg::None, &[selector.into(), Arg::Imm(run.low)]);
            } else {
                let above = match run.low {
                    0 => selector,
                    low => self.s1(i::S_SUB_U32, &[selector.into(), Arg::Imm(low)]),
                };
                self.sop(i::S_CMP_LE_U32, Arg::None, &[above.into(), Arg::Imm(run.high - run.low)]);
            }
            let next = self.new_block();
            self.branch(Cond::Scc1, run.to);
            self.set_logical(self.cur, &[next, run.to]);
            self.begin(next);
        }
        self.set_logical(self.cur, &[default]);
        self.jump_to(default);
    }

    // ---- by lanes ----

    fn divergent_cases(
        &mut self,
        selector: Value,
        cases: &[Case],
        entries: &[Entry],
        bodies: &[BlockId],
        exit: BlockId,
        results: &[ResultSlot],
    ) -> Result<()> {
        let selector = self.src(selector);
        let selector = self.to_v(selector);
        let rest = self.mask_op(i::S_MOV_B32, i::S_MOV_B64, &[EXEC]);
        let mut label = self.new_block();
        self.set_logical(self.cur, &[label]);
        let mut falls = false;
        for (n, case) in cases.iter().enumerate() {
            let last = n + 1 == cases.len();
            let next = if last { exit } else { self.new_block() };
            self.begin(label);
            let fell = falls.then(|| self.mask_op(i::S_MOV_B32, i::S_MOV_B64, &[EXEC]));
            match fell {
                // At the first label it is EXEC.
                None if n == 0 => {}
                None => self.mask_into(i::S_MOV_B32, i::S_MOV_B64, EXEC, &[rest.into()]),
                Some(_) => self.mask_into(i::S_OR_B32, i::S_OR_B64, EXEC, &[EXEC, rest.into()]),
            }
            if n > 0 {
                let search = self.new_block();
                self.branch(Cond::Execz, exit);
                self.set_logical(self.cur, &[search]);
                self.begin(search);
            }
            let enter = match last {
                true => rest,
                false => {
                    let m = self.entering(selector, case, &cases[n + 1..], rest);
                    self.mask_into(i::S_ANDN2_B32, i::S_ANDN2_B64, rest.into(), &[rest.into(), m.into()]);
                    m
                }
            };
            let late = !entries[n].late.is_empty();
            match fell {
                // Here EXEC is just that.
                _ if last && !late => {}
                Some(f) if !late => self.mask_into(i::S_OR_B32, i::S_OR_B64, EXEC, &[f.into(), enter.into()]),
                Some(f) => self.mask_into(i::S_ANDN2_B32, i::S_ANDN2_B64, EXEC, &[enter.into(), f.into()]),
                None => self.mask_into(i::S_MOV_B32, i::S_MOV_B64, EXEC, &[enter.into()]),
            }
            if late {
                self.fill(&entries[n]);
                if let Some(f) = fell {
                    self.mask_into(i::S_OR_B32, i::S_OR_B64, EXEC, &[EXEC, f.into()]);
                }
            }
            if last {
                self.set_logical(self.cur, &[bodies[n]]);
            } else {
                self.branch(Cond::Execz, next);
                self.set_logical(self.cur, &[bodies[n], next]);
            }
            self.control.frames.push(Frame::DivergentCase);
            self.control.dead.push(next);
            self.begin(bodies[n]);
            self.bind(&case.params, &entries[n].slots);
            let slots = entries.get(n + 1).map_or(results, |e| &e.slots);
            falls = self.region(&case.body, slots)? == Flow::Falls;
            if falls {
                self.set_logical(self.cur, &[bodies.get(n + 1).copied().unwrap_or(exit)]);
            }
            self.control.dead.pop();
            self.control.frames.pop();
            label = next;
        }
        Ok(())
    }

    /// The lanes of `rest` that enter at `case`; anything in lanes that are not in `rest`, zero in those that are not active.
    fn entering(&mut self, selector: Part, case: &Case, later: &[Case], rest: Part) -> Part {
        if !case.default {
            return self.among(selector, &case.values);
        }
        let values: Vec<u32> = later.iter().flat_map(|c| &c.values).copied().collect();
        let others = self.among(selector, &values);
        self.mask_op(i::S_ANDN2_B32, i::S_ANDN2_B64, &[rest.into(), others.into()])
    }

    /// Active lanes whose selector is one of the values.
    fn among(&mut self, selector: Part, values: &[u32]) -> Part {
        let mut all = None;
        for run in runs(values.iter().map(|&v| (v, 0))) {
            let bound = |s: &mut Self, op, limit| s.vcmp(op, &[Arg::Imm(limit), selector.into()], Mods::default());
            let hit = match (run.low, run.high) {
                (low, high) if low == high => bound(self, i::V_CMP_EQ_U32, low),
                (0, high) => bound(self, i::V_CMP_GE_U32, high),
                (low, u32::MAX) => bound(self, i::V_CMP_LE_U32, low),
                (low, high) => {
                    let (above, below) = (bound(self, i::V_CMP_LE_U32, low), bound(self, i::V_CMP_GE_U32, high));
                    self.mask_op(i::S_AND_B32, i::S_AND_B64, &[above.into(), below.into()])
                }
            };
            all = Some(match all {
                None => hit,
                Some(m) => self.mask_op(i::S_OR_B32, i::S_OR_B64, &[Arg::from(m), hit.into()]),
            });
        }
        all.unwrap_or_else(|| self.zero_mask())
    }
}

/// Values in ascending order, neighbours that lead to the same block together.
fn runs(values: impl Iterator<Item = (u32, BlockId)>) -> Vec<Run> {
    let mut all: Vec<(u32, BlockId)> = values.collect();
    all.sort_unstable();
    let mut out: Vec<Run> = Vec::new();
    for (v, to) in all {
        match out.last_mut() {
            Some(r) if r.to == to && r.high.checked_add(1) == Some(v) => r.high = v,
            _ => out.push(Run { low: v, high: v, to }),
        }
    }
    out
}
