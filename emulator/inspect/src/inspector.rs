//! A machine that can be inspected: it runs by itself while its driver waits, unless a session holds it.

use crate::order::Execution;
use crate::session::Session;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU64};
use wavepipe_core::cp::Stepped;
use wavepipe_core::timed::{Memory, Timed, Timekeeper};
use wavepipe_core::{Config, Gpu};

/// The machine. It has a clock: of one cycle an instruction.
#[derive(Clone)]
pub struct Inspector {
    gpu: Arc<Gpu>,
    hold: Arc<Hold>,
}

/// What a machine's timekeeper and its session share.
#[derive(Default)]
pub(crate) struct Hold {
    pub held: AtomicBool,
    /// Of the machine's clock, where nothing runs.
    pub cycle: AtomicU64,
}

impl Inspector {
    /// Observers of `config`, as checks of guest code, would see an instruction once more whenever it is executed again: leave them off.
    pub fn new(config: Config) -> Inspector {
        let hold = Arc::<Hold>::default();
        let gpu = Arc::new(Gpu::with_timekeeper(config, Box::new(Plain(hold.clone()))));
        Inspector { gpu, hold }
    }

    /// Where a driver, or packets, reach it.
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// Holds the machine: from now on it does what the session says, until that is dropped. `None`: another session holds it.
    pub fn session(&self) -> Option<Session> {
        let free = !self.hold.held.swap(true, SeqCst);
        free.then(|| Session::new(self.gpu.clone(), self.hold.clone()))
    }
}

/// Packets and dispatches one after the other.
struct Plain(Arc<Hold>);

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
                let mut execution = Execution::new(dispatch, self.0.cycle.load(SeqCst), timed, &memory);
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
        if execution.executed % LOOK == 0 && timed.overdue(&dispatch) {
            let site = execution.current().and_then(|group| group.site(memory.map()));
            timed.time_out(&dispatch, site);
            break;
        }
    }
    hold.cycle.store(execution.cycle(), SeqCst);
    timed.dispatch_ended(&dispatch);
}
