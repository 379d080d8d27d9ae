//! What all of the machine's parts share: memory, decoded code, doorbells, scheduler, counters, and the way back to the driver.

use crate::config::Config;
use crate::dispatch::{Dispatch, Scheduler};
use crate::doorbells::Doorbells;
use crate::idle::Idle;
use crate::memory::Memory;
use crate::queue::HardwareQueue;
use crate::wave::{CodeCache, Device, WorkGroup, executed};
use parking_lot::{Mutex, RwLock};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::time::Duration;
use wavepipe_hw::fault::{FaultKind, GpuFault, WaveSite};
use wavepipe_hw::perf::{EVENTS, Event};
use wavepipe_hw::port::{Interrupt, InterruptHandler};

/// Everything that the host threads share.
pub(crate) struct Machine {
    pub config: Config,
    /// `config.threads`, resolved.
    pub threads: usize,
    pub memory: Memory,
    pub code: CodeCache,
    pub device: Arc<Device>,
    pub doorbells: Doorbells,
    pub scheduler: Scheduler,
    pub idle: Idle,
    pub counters: Counters,
    /// Of a machine with a clock of its own.
    pub emulated: Option<Emulated>,
    /// Dispatches that its timekeeper has not taken yet.
    pub launched: Mutex<Vec<Arc<Dispatch>>>,
    /// Interrupts raised so far.
    pub interrupts: AtomicU64,
    pub handler: RwLock<Option<Arc<InterruptHandler>>>,
}

/// What a machine with a clock of its own has besides.
#[derive(Default)]
pub(crate) struct Emulated {
    /// Shader cycles since power-on.
    pub cycle: AtomicU64,
    /// Rung so far.
    pub doorbells: AtomicU64,
    /// What performance counters read, by event.
    pub counts: [AtomicU64; EVENTS],
}

#[derive(Default)]
pub(crate) struct Counters {
    pub instructions: AtomicU64,
    pub dispatches: AtomicU64,
    pub workgroups: AtomicU64,
    pub waves: AtomicU64,
    pub preemptions: AtomicU64,
}

impl Machine {
    /// Ticks of the reference clock since power-on.
    pub fn clock(&self) -> u64 {
        match &self.emulated {
            Some(e) => self.config.machine.ticks(e.cycle.load(Relaxed)),
            None => self.device.clock.now(),
        }
    }

    /// A dispatch is ready to run.
    pub fn launch(&self, dispatch: Arc<Dispatch>) {
        match self.emulated {
            Some(_) => self.launched.lock().push(dispatch),
            None => self.scheduler.add(dispatch),
        }
    }

    pub fn interrupt(&self, what: Interrupt) {
        self.interrupts.fetch_add(1, SeqCst);
        let handler = self.handler.read().clone();
        if let Some(h) = handler {
            // The driver's panic is not to end a GPU thread.
            let _ = catch_unwind(AssertUnwindSafe(|| h(what)));
        }
    }

    /// What a performance counter of an event reads; without a clock of its own, the machine counts nothing.
    pub fn count_of(&self, event: Event) -> u64 {
        self.emulated.as_ref().map_or(0, |e| e.counts[event as usize].load(Relaxed))
    }

    /// Whether the dispatch has run for longer than allowed.
    pub fn overdue(&self, dispatch: &Dispatch) -> bool {
        let limit = self.config.timeout;
        let paused = Duration::from_nanos(dispatch.paused.load(Relaxed));
        !limit.is_zero() && dispatch.began.get().is_some_and(|t| t.elapsed().saturating_sub(paused) > limit)
    }

    /// Tells the driver what was found in a dispatch since it was last told.
    pub fn tell(&self, dispatch: &Dispatch) {
        let counts = std::mem::take(&mut *dispatch.passage.executed().lock());
        if !counts.is_empty() {
            let (queue, counts) = (dispatch.queue.id(), executed(counts).into());
            self.interrupt(Interrupt::Executed { queue, counts });
        }
        let (mut findings, more) = dispatch.passage.findings().take();
        if findings.is_empty() {
            return;
        }
        let (queue, map) = (&dispatch.queue, self.memory.snapshot());
        for finding in &mut findings {
            finding.queue = (queue.pipe, queue.queue);
            if let Some(base) = finding.kind.base()
                && let Some(access) = &mut finding.access
            {
                access.name = map.name_at(base);
            }
            let other = finding.other.as_mut().and_then(|o| o.access.as_mut());
            finding.access.as_mut().into_iter().chain(other).for_each(|access| map.name_access(access));
        }
        self.interrupt(Interrupt::Findings { queue: queue.id(), findings: findings.into(), more });
    }

    /// A dispatch has ended: what was found in it is told, and its queue goes on.
    pub fn dispatch_ended(&self, dispatch: &Dispatch) {
        self.tell(dispatch);
        let touches = dispatch.passage.touches();
        if !touches.is_empty() {
            let (queue, touched) = (dispatch.queue.id(), Arc::new(touches.take(dispatch.number)));
            self.interrupt(Interrupt::Touched { queue, touched });
        }
        if let Some(shadow) = dispatch.passage.shadow().lock().take() {
            self.device.shadows.give(shadow);
        }
        self.doorbells.dispatch_ended(&dispatch.queue, 1);
    }

    /// Hands on what a work-group has sent to the thread trace.
    pub fn deliver(&self, group: &mut WorkGroup) {
        let Some(messages) = group.take_messages() else { return };
        let handler = self.handler.read().clone();
        if let Some(handler) = handler {
            let what = Interrupt::Trace(Arc::new(messages));
            let _ = catch_unwind(AssertUnwindSafe(|| handler(what)));
        }
    }

    /// Stops a queue for good: its dispatches are given up, and the driver is told, once, behind what was found in them so far.
    pub fn stop_queue(&self, queue: &HardwareQueue, kind: FaultKind, site: Option<WaveSite>) {
        let first = !queue.stopped.swap(true, SeqCst);
        let ended = self.scheduler.cancel(queue.index);
        ended.iter().for_each(|dispatch| self.dispatch_ended(dispatch));
        if first {
            let fault = GpuFault { kind, kernel: String::new(), site, queue: (queue.pipe, queue.queue) };
            self.interrupt(Interrupt::Fault { queue: queue.id(), fault: Arc::new(fault) });
        }
    }
}

/// A caught panic as a fault.
pub(crate) fn internal(panic: Box<dyn std::any::Any + Send>) -> FaultKind {
    let text = panic.downcast_ref::<&str>().map(|s| s.to_string());
    let why = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".into());
    FaultKind::Internal { why }
}
