//! What is asked of a wave that stands: its call stack, and whether something holds.

use super::Session;
use crate::condition::Condition;
use crate::order::Turn;
use crate::program::Line;

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
}
