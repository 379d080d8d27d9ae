//! The session on a card's clock: its order, its cycles, its queues.

use super::Session;
use crate::schedule::{QueueState, Schedule};

impl Session {
    /// Goes in the order of a clock: one schedule for each dispatch that is still to come, the next one first. A dispatch without one,
    /// or that does something else than its schedule says, goes in its own order from there on.
    pub fn follow(&mut self, schedules: Vec<Schedule>) {
        self.schedules = vec![Schedule::new(Vec::new()); self.dispatches as usize + usize::from(self.run.is_some())];
        self.schedules.extend(schedules);
    }

    /// The schedule that the dispatch follows where it is. `None`: it goes in its own order, a cycle an instruction.
    pub fn schedule(&self) -> Option<&Schedule> {
        self.run.as_ref()?.execution.schedule()
    }

    /// Cycles since the dispatch's begin.
    pub fn cycle(&self) -> u64 {
        self.run.as_ref().map_or(0, |run| run.execution.cycle_at(run.execution.executed))
    }

    /// The machine's queues.
    pub fn queues(&self) -> Vec<QueueState> {
        let Some(timed) = self.gpu.timed() else { return Vec::new() };
        let own = self.dispatch().map(|d| d.queue());
        let state = |q: wavepipe_core::timed::QueueRef| QueueState {
            number: q.index(),
            pipe: q.place().0,
            place: q.place().1,
            rank: q.rank(),
            written: q.written(),
            read: q.read(),
            stopped: q.stopped(),
            runs: own.as_ref().is_some_and(|own| own.same(&q)),
        };
        timed.queues().into_iter().map(state).collect()
    }
}
