//! The GPU behind the port: memory, command processor, work-groups and the threads that run them.

use crate::config::{Config, GuestChecks};
use crate::cp::CommandProcessor;
use crate::dispatch::Scheduler;
use crate::doorbells::{Doorbells, QUEUES};
use crate::idle::Idle;
use crate::machine::{Counters, Emulated, Machine};
use crate::memory::Memory;
use crate::process;
use crate::timed::{self, Timed, Timekeeper, Timekeeping};
use crate::wave::{CodeCache, Device, HostCode, ReferenceClock};
use crate::workers;
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use wavepipe_hw::observe::{Observe, Writer};
use wavepipe_hw::placed::Placed;
use wavepipe_hw::port::{
    Advance, Allocation, GpuPort, HostMemory, InterruptHandler, PortError, Protection, QueueDesc, QueueId,
};

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

/// An emulated Radeon. Its host threads start with the first queue and end with it.
pub struct Gpu {
    machine: Arc<Machine>,
    cp: Arc<CommandProcessor>,
    /// Of a machine with a clock of its own.
    timekeeping: Option<Arc<Timekeeping>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// The process that they are in.
    home: u64,
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
        let memory = Memory::new(config.memory_bytes);
        let placed = memory.placed().clone();
        let machine = Machine {
            threads,
            memory,
            code,
            device: Arc::new(Device {
                gds: Default::default(),
                out_of_lds: config.out_of_lds,
                checks: config.guest_checks,
                observe: config.observe,
                written: Default::default(),
                contents: Default::default(),
                thread_trace: true,
                clock: ReferenceClock::new(&config.machine),
                placed,
                shadows: Default::default(),
            }),
            doorbells: Doorbells::default(),
            scheduler: Scheduler::new(QUEUES, threads, config.policy),
            idle: Idle::default(),
            counters: Counters::default(),
            emulated: timekeeper.is_some().then(Emulated::default),
            launched: Mutex::default(),
            interrupts: AtomicU64::default(),
            handler: RwLock::default(),
            config,
        };
        let (machine, cp) = (Arc::new(machine), Arc::<CommandProcessor>::default());
        let timekeeping = timekeeper.map(|t| Arc::new(Timekeeping::new(machine.clone(), cp.clone(), t)));
        Gpu { machine, cp, timekeeping, threads: Mutex::default(), home: process::current() }
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

    pub fn config(&self) -> &Config {
        &self.machine.config
    }

    /// A machine with a timekeeper, for who drives it in that one's place, which does nothing meanwhile: one thread at a time.
    /// `None`: host threads run it.
    pub fn timed(&self) -> Option<Timed<'_>> {
        self.timekeeping.as_deref().map(Timekeeping::timed)
    }

    fn start_threads(&self) -> Result<(), PortError> {
        let mut threads = self.threads.lock();
        if threads.is_empty() {
            let started = match &self.timekeeping {
                // Where there is one thread, all that waits calls.
                Some(_) if cfg!(target_family = "wasm") => return Ok(()),
                Some(t) => timed::start_watch(t).map(|t| vec![t]),
                None => workers::start(&self.machine, &self.cp),
            };
            *threads = started.map_err(|_| PortError::NoThreads)?;
        }
        Ok(())
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if !self.is_here() {
            // There are no threads to wait for, and what they hold, as locks, is held for good.
            self.threads.get_mut().drain(..).for_each(std::mem::forget);
            return std::mem::forget((self.machine.clone(), self.cp.clone(), self.timekeeping.clone()));
        }
        self.machine.idle.stop();
        for t in self.threads.get_mut().drain(..) {
            // The last handle may be dropped by an interrupt handler, on one of these threads.
            if t.thread().id() != thread::current().id() {
                let _ = t.join();
            }
        }
    }
}

impl GpuPort for Gpu {
    fn allocate_protected(&self, size: u64, name: &str, protection: Protection) -> Result<Allocation, PortError> {
        self.machine.memory.allocate_protected(size, name, protection)
    }

    fn map_host(&self, memory: HostMemory, name: &str) -> Result<Allocation, PortError> {
        self.machine.memory.map_host(memory, name)
    }

    fn free(&self, va: u64) {
        self.machine.device.contents.forget(va);
        if let Some(range) = self.machine.memory.free(va) {
            self.machine.code.invalidate(range);
        }
    }

    fn memory_size(&self) -> (u64, u64) {
        self.machine.memory.size()
    }

    fn write(&self, va: u64, bytes: &[u8]) -> Result<(), PortError> {
        let map = self.machine.memory.snapshot();
        self.machine.device.contents.write(va, bytes.len() as u64);
        map.write(va, bytes).ok_or(PortError::BadAddress(va, bytes.len() as u64))
    }

    fn read(&self, va: u64, bytes: &mut [u8]) -> Result<(), PortError> {
        let map = self.machine.memory.snapshot();
        map.read(va, bytes).ok_or(PortError::BadAddress(va, bytes.len() as u64))
    }

    fn unwritten(&self, va: u64, bytes: u64) {
        if self.machine.device.checks.contains(GuestChecks::INIT) {
            self.machine.device.contents.unwritten(va, bytes);
        }
    }

    fn written(&self, va: u64, bytes: u64) {
        self.machine.device.contents.write(va, bytes);
    }

    fn place(&self, placed: &Placed) {
        self.machine.memory.placed().place(placed);
    }

    fn displace(&self, id: u64) {
        self.machine.memory.placed().displace(id);
    }

    fn name_at(&self, va: u64) -> Option<String> {
        self.machine.memory.snapshot().name_at(va)
    }

    fn map_queue(&self, desc: &QueueDesc) -> Result<QueueId, PortError> {
        let queue = self.cp.map(&self.machine, desc)?;
        if let Err(e) = self.start_threads() {
            self.cp.unmap(&self.machine, &queue);
            return Err(e);
        }
        Ok(queue.id())
    }

    fn unmap_queue(&self, queue: QueueId) {
        if !self.is_here() {
            return;
        }
        let Some(shared) = self.machine.doorbells.find(queue) else { return };
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
        self.cp.unmap(&self.machine, &shared);
    }

    fn doorbell(&self, queue: QueueId, wptr: u64) {
        let Some(shared) = self.machine.doorbells.find(queue) else { return };
        shared.wptr.store(wptr, SeqCst);
        if let Some(e) = &self.machine.emulated {
            e.doorbells.fetch_add(1, SeqCst);
        }
        self.machine.doorbells.attend(&shared);
        self.machine.idle.ring();
        self.machine.scheduler.make_way(shared.rank());
    }

    fn host_wrote(&self) {
        if let Some(rank) = self.machine.doorbells.recheck_watched() {
            self.machine.idle.ring();
            self.machine.scheduler.make_way(rank);
        }
    }

    fn set_interrupt_handler(&self, handler: InterruptHandler) {
        *self.machine.handler.write() = Some(Arc::new(handler));
    }

    fn advance(&self) -> Advance {
        self.timekeeping.as_ref().map_or(Advance::ByItself, |t| t.advance())
    }

    fn is_here(&self) -> bool {
        self.home == process::current()
    }

    fn watch_writes(&self, va: u64, bytes: u64) {
        if self.machine.config.observe.contains(Observe::WRITERS) {
            self.machine.device.written.watch(va, bytes);
        }
    }

    fn last_writer(&self, va: u64) -> Option<Writer> {
        self.machine.device.written.last(va)
    }

    fn clock(&self) -> u64 {
        self.machine.clock()
    }
}
