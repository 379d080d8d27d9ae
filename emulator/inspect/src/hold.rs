//! What a machine does while no session holds it, and what both share.

use crate::order::Execution;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU64};
use wavepipe_core::cp::Stepped;
use wavepipe_core::timed::{Memory, Timed, Timekeeper};

/// What a machine's timekeeper and its session share.
#[derive(Default)]
pub(crate) struct Hold {
    pub held: AtomicBool,
    /// Of the machine's clock, where nothing runs.
    pub cycle: AtomicU64,
}

/// Packets and dispatches one after the other.
pub(crate) struct Plain(pub Arc<Hold>);

/// Instructions between two looks at the host's clock.
pub(crate) const LOOK: u64 = 4096;

impl Timekeeper for Plain {
    fn advance(&mut self, timed: &Timed<'_>) -> bool {
        let before = timed.interrupts();
        while !self.0.held.load(SeqCst) {
            let mut memory = timed.memory();
            let mut launched = timed.dispatches();
            if launched.is_empty() {
                match packet(timed, &mut memory, &self.0) {
                    true => launched = timed.dispatches(),
                    false => return timed.interrupts() != before,
                }
            }
            for dispatch in launched {
                let mut execution = Execution::new(dispatch, self.0.cycle.load(SeqCst), None, timed, &memory);
                finish(&mut execution, timed, &memory, &self.0);
            }
            if timed.interrupts() != before {
                return true;
            }
        }
        false
    }
}

/// Executes one packet of the first queue that has one to execute. `false`: none has.
pub(crate) fn packet(timed: &Timed<'_>, memory: &mut Memory, hold: &Hold) -> bool {
    for queue in timed.queues() {
        timed.refresh(memory);
        loop {
            match timed.packet(queue.index(), memory) {
                Stepped::Done(_) => return true,
                Stepped::Piece => {}
                Stepped::WaitsClock(tick) => {
                    // Time passes by waiting, too.
                    hold.cycle.fetch_max(timed.machine().cycle_of_tick(tick), SeqCst);
                    timed.set_cycle(hold.cycle.load(SeqCst));
                }
                Stepped::Empty | Stepped::Stopped | Stepped::WaitsIdle | Stepped::WaitsMemory => break,
            }
        }
    }
    false
}

/// Executes a dispatch to its end, or its fault.
pub(crate) fn finish(execution: &mut Execution, timed: &Timed<'_>, memory: &Memory, hold: &Hold) {
    let dispatch = execution.dispatch.clone();
    while let Some(done) = execution.step(timed, memory, &[]) {
        if let Some(fault) = done.fault {
            timed.fault(&dispatch, *fault, memory);
            break;
        }
        if execution.executed.is_multiple_of(LOOK) && timed.overdue(&dispatch) {
            let site = execution.current().and_then(|group| group.site(memory.map()));
            timed.time_out(&dispatch, site);
            break;
        }
    }
    hold.cycle.store(execution.cycle(), SeqCst);
    timed.dispatch_ended(&dispatch);
}
