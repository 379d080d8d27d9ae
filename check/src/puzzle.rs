//! A puzzle of the course that was tried.

use crate::outcome::{Outcome, Status};
use serde_json::{Value, json};
use wavepipe::course::Puzzle;

/// What became of its cases.
pub struct Tried(pub Vec<Outcome>);

impl Tried {
    pub fn solved(&self) -> bool {
        self.0.iter().all(|o| o.status == Status::Passed)
    }

    /// Whether there was nothing to try: the shader does not compile, or the test is damaged.
    pub fn wrong(&self) -> bool {
        self.0.iter().any(|o| o.status == Status::Wrong)
    }

    /// The first case that failed: of several that is enough.
    pub fn failed(&self) -> Option<&Outcome> {
        self.0.iter().find(|o| o.status != Status::Passed)
    }

    /// What each case took, for who solved it.
    pub fn figures(&self) -> Vec<String> {
        self.0.iter().filter_map(figures).collect()
    }

    pub fn json(&self, puzzle: &Puzzle) -> Value {
        json!({ "puzzle": puzzle.name(), "title": puzzle.title, "solved": self.solved(), "cases": self.0 })
    }
}

fn figures(outcome: &Outcome) -> Option<String> {
    let costs = outcome.costs?;
    let mut parts = vec![format!("{} VGPRs, {} waves per SIMD", costs.vgprs, costs.occupancy)];
    if let Some(clock) = costs.clock {
        parts.insert(0, format!("{} cycles, {:.1} lanes on, {} cache lines", clock.cycles, clock.lanes, clock.lines));
    }
    Some(parts.join(", "))
}
