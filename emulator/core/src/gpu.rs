//! The GPU behind the port: memory, command processor, work-groups and the threads that run them.

use crate::config::Config;
use crate::cp::{CommandProcessor, QUEUES, QueueShared};
use crate::dispatch::{Dispatch, Pool, Scheduler};
use crate::memory::Memory;
use crate::observe::Observer;
use crate::timed::{self, Emulated, Timekeeper};
use crate::wave::{CodeCache, Device, HostCode, ReferenceClock};
use parking_lot::{Mutex, RwLock};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use wavepipe_hw::fault::{FaultKind, GpuFault, WaveSite};
use wavepipe_hw::port::{
    Advance, Allocation, GpuPort, HostMemory, Interrupt, InterruptHandler, PortError, QueueDesc, QueueId,
};

/// Everything that the host threads share.
pub(crate) struct Machine {
    pub config: Config,
    /// `config.threads`, resolved.
    pub threads: usize,
    pub memory: Memory,
    pub code: CodeCache,
    pub device: Arc<Device>,
    pub cp: CommandProcessor,
    pub scheduler: Scheduler,
    pub pool: Pool,
    pub counters: Counters,
    /// Of a machine with a clock of its own.
    pub emulated: Option<Emulated>,
    /// Dispatches that its timekeeper has not taken yet.
    pub launched: Mutex<Vec<Arc<Dispatch>>>,
    /// Interrupts raised so far.
    pub interrupts: AtomicU64,
    handler: RwLock<Option<Arc<InterruptHandler>>>,
    observer: RwLock<Option<Arc<dyn Observer>>>,
}

#[derive(Default)]
pub(crate) struct Counters {
    pub instructions: AtomicU64,
    pub dispatches: AtomicU64,
    pub workgroups: AtomicU64,
    pub waves: AtomicU64,
    pub preemptions: AtomicU64,
}

/// What the GPU has done since it was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Instructions, each counted once per wave that executed it.
    pub wave_instructions: u64,
    /// Dispatches taken from queues, those without work-groups left out.
    pub dispatches: u64,
    /// Work-groups and waves started.
    pub workgroups: u64,
    pub waves: u64,
    /// Work-groups suspended for work of higher priority.
    pub preemptions: u64,
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

    pub fn observer(&self) -> Option<Arc<dyn Observer>> {
        self.observer.read().clone()
    }

    /// Whether the dispatch has run for longer than allowed.
    pub fn overdue(&self, dispatch: &Dispatch) -> bool {
        let limit = self.config.timeout;
        let paused = Duration::from_nanos(dispatch.paused.load(Relaxed));
        !limit.is_zero() && dispatch.began.get().is_some_and(|t| t.elapsed().saturating_sub(paused) > limit)
    }

    /// Stops a queue for good: its dispatches are given up, and the driver is told, once.
    pub fn stop_queue(&self, queue: &QueueShared, kind: FaultKind, site: Option<WaveSite>) {
        let first = !queue.stopped.swap(true, SeqCst);
        let ended = self.scheduler.cancel(queue.index);
        if ended > 0 {
            self.cp.dispatch_ended(queue, ended);
        }
        if first {
            let fault = GpuFault { kind, kernel: String::new(), site, queue: (queue.pipe, queue.queue) };
            self.interrupt(Interrupt::Fault { queue: queue.id(), fault: Arc::new(fault) });
        }
    }
}

/// An emulated Radeon. Its host threads start with the first queue and end with it.
pub struct Gpu {
    machine: Arc<Machine>,
    workers: Mutex<Vec<JoinHandle<()>>>,
}

impl Gpu {
    pub fn new(config: Config) -> Gpu {
        Self::with(config, CodeCache::new(), None)
    }

    /// Blocks that run often run as host code of this engine.
    pub fn with_host_code(config: Config, host: Arc<dyn HostCode>) -> Gpu {
        Self::with(config, CodeCache::with_host_code(host), None)
    }

    /// Runs by the clock of a timekeeper, on the threads that wait for it.
    pub fn with_timekeeper(config: Config, timekeeper: Box<dyn Timekeeper>) -> Gpu {
        Self::with(config, CodeCache::new(), Some(timekeeper))
    }

    fn with(config: Config, code: CodeCache, timekeeper: Option<Box<dyn Timekeeper>>) -> Gpu {
        let threads = config.host_threads();
        let machine = Machine {
            threads,
            memory: Memory::new(config.memory_bytes),
            code,
            device: Arc::new(Device {
                gds: Default::default(),
                out_of_lds: config.out_of_lds,
                clock: ReferenceClock::new(&config.machine),
            }),
            cp: CommandProcessor::default(),
            scheduler: Scheduler::new(QUEUES, threads, config.policy),
            pool: Pool::default(),
            counters: Counters::default(),
            emulated: timekeeper.map(Emulated::new),
            launched: Mutex::default(),
            interrupts: AtomicU64::default(),
            handler: RwLock::default(),
            observer: RwLock::default(),
            config,
        };
        Gpu { machine: Arc::new(machine), workers: Mutex::default() }
    }

    pub fn statistics(&self) -> Statistics {
        let c = &self.machine.counters;
        Statistics {
            wave_instructions: c.instructions.load(Relaxed),
            dispatches: c.dispatches.load(Relaxed),
            workgroups: c.workgroups.load(Relaxed),
            waves: c.waves.load(Relaxed),
            preemptions: c.preemptions.load(Relaxed),
        }
    }

    /// Shows the dispatches that are taken from now on to an observer.
    pub fn set_observer(&self, observer: Option<Arc<dyn Observer>>) {
        *self.machine.observer.write() = observer;
    }

    pub fn config(&self) -> &Config {
        &self.machine.config
    }

    fn start_threads(&self) -> Result<(), PortError> {
        let mut workers = self.workers.lock();
        if workers.is_empty() {
            let started = match self.machine.emulated {
                Some(_) => timed::start_watch(&self.machine).map(|t| vec![t]),
                None => Pool::start(&self.machine),
            };
            *workers = started.map_err(|_| PortError::NoThreads)?;
        }
        Ok(())
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        self.machine.pool.stop();
        for t in self.workers.get_mut().drain(..) {
            // The last handle may be dropped by an interrupt handler, on one of these threads.
            if t.thread().id() != thread::current().id() {
                let _ = t.join();
            }
        }
    }
}

impl GpuPort for Gpu {
    fn allocate(&self, size: u64, name: &str) -> Result<Allocation, PortError> {
        self.machine.memory.allocate(size, name)
    }

    fn map_host(&self, memory: HostMemory, name: &str) -> Result<Allocation, PortError> {
        self.machine.memory.map_host(memory, name)
    }

    fn free(&self, va: u64) {
        if let Some(range) = self.machine.memory.free(va) {
            self.machine.code.invalidate(range);
        }
    }

    fn memory_size(&self) -> (u64, u64) {
        self.machine.memory.size()
    }

    fn write(&self, va: u64, bytes: &[u8]) -> Result<(), PortError> {
        let map = self.machine.memory.snapshot();
        map.write(va, bytes).ok_or(PortError::BadAddress(va, bytes.len() as u64))
    }

    fn read(&self, va: u64, bytes: &mut [u8]) -> Result<(), PortError> {
        let map = self.machine.memory.snapshot();
        map.read(va, bytes).ok_or(PortError::BadAddress(va, bytes.len() as u64))
    }

    fn map_queue(&self, desc: &QueueDesc) -> Result<QueueId, PortError> {
        let queue = self.machine.cp.map(&self.machine, desc)?;
        if let Err(e) = self.start_threads() {
            self.machine.cp.unmap(&self.machine, &queue);
            return Err(e);
        }
        Ok(queue.id())
    }

    fn unmap_queue(&self, queue: QueueId) {
        let Some(shared) = self.machine.cp.find(queue) else { return };
        let limit = self.machine.config.timeout;
        let mut standing = (Instant::now(), 0);
        while !shared.drained() {
            if self.advance() != Advance::Passed {
                thread::sleep(Duration::from_micros(50));
            }
            // A queue that waits for memory which nobody writes is given up after the time of a dispatch.
            let at = shared.rptr.load(SeqCst);
            if at != standing.1 || shared.in_flight.load(SeqCst) > 0 {
                standing = (Instant::now(), at);
            } else if !limit.is_zero() && standing.0.elapsed() > limit {
                shared.stopped.store(true, SeqCst);
            }
        }
        self.machine.cp.unmap(&self.machine, &shared);
    }

    fn doorbell(&self, queue: QueueId, wptr: u64) {
        let Some(shared) = self.machine.cp.find(queue) else { return };
        shared.wptr.store(wptr, SeqCst);
        if let Some(e) = &self.machine.emulated {
            e.doorbells.fetch_add(1, SeqCst);
        }
        self.machine.cp.attend(&shared);
        self.machine.pool.ring();
        self.machine.scheduler.make_way(shared.rank());
    }

    fn host_wrote(&self) {
        if let Some(rank) = self.machine.cp.recheck_watched() {
            self.machine.pool.ring();
            self.machine.scheduler.make_way(rank);
        }
    }

    fn set_interrupt_handler(&self, handler: InterruptHandler) {
        *self.machine.handler.write() = Some(Arc::new(handler));
    }

    fn advance(&self) -> Advance {
        self.machine.advance()
    }

    fn clock(&self) -> u64 {
        self.machine.clock()
    }
}
