//! Turns of waves that go on at the same place by the same host code, one after the other: behind a launch, and behind a barrier, most do,
//! and what is asked in front of a turn is asked once for all of them.
//!
//! ```text
//! stream:    waves that end with their first turn need not be there at once: each one is launched where the one before it was, whose
//!            registers are in the host's nearest cache
//! together:  waves that wait for one another
//! ```
//!
//! Both say what a turn is: with one body for that, which hands the frame and a fault on, short turns took a tenth longer.

use super::beginning::Launching;
use super::block::Front;
use super::env::Env;
use super::report::Stop;
use super::state::{Status, Wave};
use super::turn::{Bound, QUANTUM};

/// Waves as a round of turns left them.
#[derive(Default)]
pub(super) struct Round {
    pub ended: usize,
    pub at_barrier: usize,
}

impl Round {
    #[inline(always)]
    pub fn saw(&mut self, status: Status) {
        self.ended += usize::from(status == Status::Ended);
        self.at_barrier += usize::from(status == Status::AtBarrier);
    }

    #[inline(always)]
    pub fn add(&mut self, other: &Round) {
        self.ended += other.ended;
        self.at_barrier += other.at_barrier;
    }
}

/// What became of waves' turns.
#[derive(Default)]
pub(super) struct Turns {
    /// So many waves, from the first on, had theirs, and were left so.
    pub count: usize,
    pub round: Round,
    /// Whether some of them ran, and did more than to look in vain.
    pub ran: bool,
    pub moved: bool,
    /// The fault of the last of them.
    pub stop: Option<Stop>,
}

/// As far as each one's turn ends with host code that the wave before has left last: at a barrier, with the wave, or with something that
/// an operation says. Whose turn is not over then goes on with it by himself.
#[inline(always)]
pub(super) fn together(
    waves: &mut [Wave],
    env: &mut Env<'_>,
    front: &mut Front,
    spent: &mut u64,
    bound: Bound<'_>,
) -> Turns {
    let mut turns = Turns::default();
    let Some((first, (host, slots))) = waves.first().and_then(|w| Some(((w.pc, w.mode), front.hosted(w)?))) else {
        return turns;
    };
    let (of_group, traced) = (env.waves, env.trace.is_some());
    let mut frame = host.frame(env, slots, bound.preempt);
    for w in waves {
        let goes = w.status == Status::Ready && (w.pc, w.mode) == first;
        if !goes || bound.is_over(*spent) {
            break;
        }
        if w.stale {
            w.make_zero(host.unwritten());
        }
        // SAFETY: the waves are of one work-group, so that the key of the region's blocks is that of each whose pc and MODE it has; the
        // slots are of this run's memory map.
        let ran = unsafe { host.run(&mut frame, w, of_group, QUANTUM.min(bound.budget - *spent)) };
        *spent += ran.instructions;
        if w.status == Status::Ready && w.trouble.is_none() {
            break;
        }
        (turns.count, turns.ran) = (turns.count + 1, true);
        turns.moved |= w.status != Status::Waiting || ran.instructions > 1;
        turns.round.saw(w.status);
        turns.stop = ran.stopped.filter(|_| w.trouble.is_some()).map(|(block, i)| Stop::of(block, i));
        // By a call it may have filled its trace.
        if turns.stop.is_some() || traced && w.beginning == 0 {
            break;
        }
    }
    turns
}

/// How far a work-group came whose waves were launched one after the other.
pub(super) struct Streamed {
    /// So many waves were launched. All but the last of them have ended.
    pub begun: usize,
    /// The last one has ended, too.
    pub ended: bool,
    /// It has run, and did not end.
    pub stays: bool,
    /// The last one's fault.
    pub stop: Option<Stop>,
}

/// Runs a work-group's waves in the first one's place, as far as they end, by the host code that was looked up last; the one that does not
/// goes to its own.
#[inline(always)]
pub(super) fn stream(
    waves: &mut [Wave],
    launching: Launching<'_>,
    env: &mut Env<'_>,
    front: &mut Front,
    spent: &mut u64,
    bound: Bound<'_>,
) -> Streamed {
    let mut streamed = Streamed { begun: 0, ended: false, stays: false, stop: None };
    let Some((w, others)) = waves.split_first_mut() else { return streamed };
    launching.put(w, 0);
    streamed.begun = 1;
    let Some((host, slots)) = front.hosted(w) else { return streamed };
    others.iter_mut().for_each(|w| w.status = Status::Ended);
    let (of_group, traced) = (env.waves, env.trace.is_some());
    let mut frame = host.frame(env, slots, bound.preempt);
    while !bound.is_over(*spent) {
        w.make_zero(host.unwritten());
        // SAFETY: as in `together`; all begin at the same place.
        let ran = unsafe { host.run(&mut frame, w, of_group, QUANTUM.min(bound.budget - *spent)) };
        *spent += ran.instructions;
        if w.status != Status::Ended {
            streamed.stays = true;
            streamed.stop = ran.stopped.filter(|_| w.trouble.is_some()).map(|(block, i)| Stop::of(block, i));
            break;
        }
        if streamed.begun > others.len() || traced && w.beginning == 0 {
            streamed.ended = true;
            return streamed;
        }
        launching.put(w, streamed.begun);
        streamed.begun += 1;
    }
    if let Some(own) = streamed.begun.checked_sub(2).and_then(|n| others.get_mut(n)) {
        std::mem::swap(w, own);
    }
    streamed
}
