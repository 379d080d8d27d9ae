//! What is asked of a wave that stands: its call stack, whether something holds, and its source variables.

use super::Session;
use crate::condition::Condition;
use crate::program::Line;
use crate::schedule::Turn;
use crate::value::WhatError;
use crate::variable::Seen;

/// A function that a wave is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Where it was entered.
    pub entry: u64,
    /// Where the wave stands in it: the instruction that is next, or the one that called.
    pub pc: u64,
    pub line: Option<Line>,
}

impl Session {
    /// The functions that a wave is in, the innermost first; the last is the kernel. Empty if it does not run.
    pub fn frames(&self, turn: Turn) -> Vec<Frame> {
        let Some(execution) = self.run.as_ref().map(|run| &run.execution) else { return Vec::new() };
        let wave = execution.group(turn.group).and_then(|group| group.wave(turn.wave as usize));
        let (Some(wave), Some(calls)) = (wave, execution.calls(turn)) else { return Vec::new() };
        let frame = |entry, pc| Frame { entry, pc, line: self.line_at(pc) };
        let (mut pc, mut out) = (wave.pc(), Vec::new());
        for (entry, from) in calls.places() {
            out.push(frame(entry, pc));
            pc = from;
        }
        out.push(frame(execution.dispatch.launch.code_va, pc));
        out
    }

    /// Whether a condition holds for a wave, or for any of its live lanes. `None`: it does not run.
    pub fn holds(&self, turn: Turn, condition: &Condition) -> Option<bool> {
        self.eye(turn).ok().map(|eye| condition.holds(&eye))
    }

    /// The source variables that have a value where a wave is, those of the innermost call first.
    pub fn variables(&self, turn: Turn) -> Vec<Seen> {
        self.eye(turn).map_or_else(|_| Vec::new(), |eye| eye.variables())
    }

    /// A source variable of a wave, or a part of one: `p`, `p.x`, `a[2].y`.
    pub fn variable(&self, turn: Turn, name: &str) -> Result<Seen, WhatError> {
        let eye = self.eye(turn)?;
        eye.variable(name).unwrap_or_else(|| Err(crate::value::unknown(name, &self.names)))
    }
}
