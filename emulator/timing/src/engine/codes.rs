//! Runs of code that were executed: what they are to the clock, and what each instruction counted.
//!
//! The machine decodes code anew when its bytes may have changed. A run that neither the machine nor a wave keeps any more is
//! forgotten then, with its counters; so there are never more than the machine knows.

use super::spec::TimedCode;
use super::tally::InstrCounters;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use wavepipe_core::wave::BlockCode;
use wavepipe_hw::machine::Machine;

struct Run {
    code: Arc<TimedCode>,
    counters: Box<[InstrCounters]>,
    /// Counts up with each run that came.
    order: u64,
}

#[derive(Default)]
pub struct Codes {
    /// By [`BlockCode::key`]: its place below, which is [`TimedCode::id`].
    places: HashMap<usize, usize>,
    runs: Vec<Option<Run>>,
    generation: u64,
    order: u64,
}

impl Codes {
    /// The run for the clock; `generation` counts how often the machine forgot code.
    pub fn find(&mut self, code: &BlockCode, generation: u64, machine: &Machine) -> Arc<TimedCode> {
        if generation != self.generation {
            self.generation = generation;
            self.forget();
        }
        if let Some(Some(run)) = self.places.get(&code.key()).map(|place| &self.runs[*place]) {
            return run.code.clone();
        }
        let place = self.runs.iter().position(Option::is_none).unwrap_or(self.runs.len());
        let new = Arc::new(TimedCode::new(place, code, machine));
        self.order += 1;
        let run = Run { code: new.clone(), counters: vec![Default::default(); code.len()].into(), order: self.order };
        match self.runs.get_mut(place) {
            Some(free) => *free = Some(run),
            None => self.runs.push(Some(run)),
        }
        self.places.insert(code.key(), place);
        new
    }

    fn forget(&mut self) {
        for run in &mut self.runs {
            if let Some(r) = run
                && Arc::strong_count(&r.code) == 1
                && !r.code.code.is_kept()
            {
                self.places.remove(&r.code.code.key());
                *run = None;
            }
        }
    }

    /// The counters of an instruction of a run that somebody keeps.
    #[inline]
    pub fn counters(&mut self, code: &TimedCode, at: usize) -> Option<&mut InstrCounters> {
        self.runs.get_mut(code.id)?.as_mut()?.counters.get_mut(at)
    }

    /// Counters of every instruction that was executed, by its address. Runs may overlap; where other code was before, the last
    /// code counts.
    pub fn by_address(&self) -> BTreeMap<u64, InstrCounters> {
        let mut runs: Vec<&Run> = self.runs.iter().flatten().collect();
        runs.sort_by_key(|r| r.order);
        let mut all: BTreeMap<u64, (&BlockCode, usize, InstrCounters)> = BTreeMap::new();
        for run in runs {
            let code = &run.code.code;
            for (at, counters) in run.counters.iter().enumerate().filter(|(_, c)| c.issued > 0) {
                let known = all.entry(code.pc(at)).or_insert((code, at, InstrCounters::default()));
                if known.0.instr(known.1) != code.instr(at) {
                    known.2 = InstrCounters::default();
                }
                (known.0, known.1) = (code, at);
                known.2.add(counters);
            }
        }
        all.into_iter().map(|(pc, (_, _, counters))| (pc, counters)).collect()
    }
}
