//! The logical device: the bus to one GPU, the driver's heap, and the queues.

use crate::bus::{Bus, CodeMap, Interrupts};
use crate::cache::Disk;
use crate::config::{Config, Jit};
use crate::covered::KernelCoverage;
use crate::error::{Error, Result};
use crate::findings::Found;
use crate::heap::Heap;
use crate::lock::{Mutex, rank};
use crate::machine::{Info, queue_families};
use crate::meta::MetaKernels;
use crate::queue::{HardwareSlot, Queue};
use crate::trace::Late;
use crate::writers;
use std::collections::BTreeMap;
use std::ops::DerefMut;
use std::sync::Arc;
use wavepipe_hw::fault::GpuFault;
use wavepipe_hw::observe::{Observe, Writer};
use wavepipe_hw::pipe;
use wavepipe_hw::port::{GlobalPriority, GpuPort};
use wavepipe_jit::HostIsa;
use wavepipe_timing::lab::Handle;
use wavepipe_timing::observe::Recorder;
use wavepipe_timing::{Engine, Options};

/// What the GPU has counted since the device was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Instructions that waves executed, each counted once per wave.
    pub wave_instructions: u64,
    pub dispatches: u64,
    pub workgroups: u64,
    pub waves: u64,
}

impl From<wavepipe_core::Statistics> for Statistics {
    fn from(s: wavepipe_core::Statistics) -> Statistics {
        let wavepipe_core::Statistics { wave_instructions, dispatches, workgroups, waves, .. } = s;
        Statistics { wave_instructions, dispatches, workgroups, waves }
    }
}

/// How a queue is served.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueOptions {
    /// Weight among queues of the same global priority, 0.0..=1.0.
    pub priority: f32,
    pub global: GlobalPriority,
    /// Compute units that only this queue uses; a REALTIME queue has [`Config::reserve_cus`] at least.
    pub reserved_cus: u32,
}

impl Default for QueueOptions {
    /// Middle priority, no compute units of its own.
    fn default() -> Self {
        QueueOptions { priority: 0.5, global: GlobalPriority::Medium, reserved_cus: 0 }
    }
}

type ReadStatistics = Box<dyn Fn() -> Statistics + Send + Sync>;

pub struct Device {
    bus: Arc<Bus>,
    heap: Arc<Heap>,
    queues: Mutex<BTreeMap<(u32, u32), Arc<Queue>>, { rank::QUEUES }>,
    statistics: ReadStatistics,
    /// Of a machine on a clock.
    engine: Option<Handle>,
    meta: MetaKernels,
    disk: Option<Disk>,
    host_code: Option<HostIsa>,
}

impl Device {
    /// A device on an emulated GPU of its own.
    pub fn new(config: &Config) -> Result<Arc<Device>> {
        Self::observed_by(config, None)
    }

    /// The same on a machine with a clock, which tells `recorder` when what happens, in place of a trace.
    pub fn recorded(config: &Config, recorder: Box<dyn Recorder>) -> Result<Arc<Device>> {
        Self::observed_by(&Config { timing: true, trace: None, ..config.clone() }, Some(recorder))
    }

    fn observed_by(config: &Config, recorder: Option<Box<dyn Recorder>>) -> Result<Arc<Device>> {
        let machine = config.emulated();
        let codes = Arc::new(CodeMap::new(config.observe.contains(Observe::WRITERS)));
        let engine = config.timed().then(|| {
            let late = |trace| Late::new(trace, config.machine.clone(), codes.clone());
            let traced = config.trace.clone().map(|trace| Box::new(late(trace)) as Box<dyn Recorder>);
            let recorder = recorder.or(traced);
            Handle::new(Engine::with(
                config.machine.clone(),
                Options { seed: config.seed, ..Options::default() },
                recorder,
            ))
        });
        let target = config.host_code();
        let host = target.and_then(|target| {
            let patience = if config.jit == Jit::Always { 1 } else { target.patience() };
            wavepipe_jit::engine_for(target, patience, &[])
        });
        let host_code = target.filter(|_| host.is_some());
        let gpu = Arc::new(match (&engine, host) {
            (Some(engine), _) => wavepipe_core::Gpu::with_timekeeper(machine, Box::new(engine.clone())),
            (None, Some(host)) => wavepipe_core::Gpu::with_host_code(machine, host),
            (None, None) => wavepipe_core::Gpu::new(machine),
        });
        let counters = gpu.clone();
        let statistics = move || counters.statistics().into();
        Ok(Self::made(gpu, config, codes, statistics, engine, host_code))
    }

    /// A device on any implementation of the hardware line: a recorder, a GPU that a test watches.
    pub fn with_port(
        port: Arc<dyn GpuPort>,
        config: &Config,
        statistics: impl Fn() -> Statistics + Send + Sync + 'static,
    ) -> Arc<Device> {
        Self::made(port, config, Arc::default(), statistics, None, None)
    }

    fn made(
        port: Arc<dyn GpuPort>,
        config: &Config,
        codes: Arc<CodeMap>,
        statistics: impl Fn() -> Statistics + Send + Sync + 'static,
        engine: Option<Handle>,
        host_code: Option<HostIsa>,
    ) -> Arc<Device> {
        let bus = Bus::new(port, config.clone(), codes);
        let heap = Heap::new(&bus);
        Arc::new(Device {
            bus,
            heap,
            queues: Mutex::default(),
            statistics: Box::new(statistics),
            engine,
            meta: MetaKernels::default(),
            disk: config.cache.as_deref().map(Disk::new),
            host_code,
        })
    }

    /// What its GPU makes host code for of what runs often; `None`: the interpreter runs all.
    pub fn host_code(&self) -> Option<HostIsa> {
        self.host_code
    }

    pub(crate) fn bus(&self) -> &Arc<Bus> {
        &self.bus
    }

    pub(crate) fn heap(&self) -> &Arc<Heap> {
        &self.heap
    }

    /// The driver's own kernels.
    pub(crate) fn meta(&self) -> &MetaKernels {
        &self.meta
    }

    pub(crate) fn interrupts(&self) -> &Arc<Interrupts> {
        &self.bus.interrupts
    }

    /// The cache that outlives the process.
    pub(crate) fn disk(&self) -> Option<&Disk> {
        self.disk.as_ref()
    }

    pub fn config(&self) -> &Config {
        &self.bus.config
    }

    /// What the device's machine shows of itself.
    pub fn info(&self) -> Info {
        Info::of(&self.config().machine)
    }

    /// Whether the device is in this process: in a forked child nothing runs it, and all that it can do is be left alone.
    pub fn is_here(&self) -> bool {
        self.bus.port.is_here()
    }

    /// What was found in the programs that it ran, since last asked; each finding once for each kernel.
    pub fn take_findings(&self) -> Found {
        self.bus.settle(|_| ());
        self.interrupts().take_findings()
    }

    /// All that was found, taken or not, with how often it came.
    pub fn findings(&self) -> Found {
        self.bus.settle(|_| ());
        self.interrupts().all_findings()
    }

    /// From now on it is noted who writes these bytes of GPU memory, with [`Observe::WRITERS`]; nobody has yet.
    pub fn watch_writes(&self, address: u64, bytes: u64) {
        self.bus.port.watch_writes(address, bytes);
    }

    /// Who on the GPU has written a byte last, since it is watched: to be asked once the work is done. `None`: nobody; what the host
    /// writes is not seen.
    pub fn last_writer(&self, address: u64) -> Option<Writer> {
        let mut writer = self.bus.port.last_writer(address)?;
        if let Writer::Invocation(by) = &mut writer {
            writers::name(by, &self.interrupts().codes);
        }
        Some(writer)
    }

    /// How often the code of each kernel ran, with [`Observe::COVERAGE`]: of all kernels that were compiled, in their order.
    pub fn coverage(&self) -> Vec<KernelCoverage> {
        self.interrupts().covered.kernels()
    }

    /// Lines that programs print (debugPrintfEXT) wait for [`Device::take_printed`] from now on. Otherwise they go to stderr.
    pub fn collect_printed(&self) {
        self.interrupts().printer.collect();
    }

    /// The lines that programs have printed since last asked.
    pub fn take_printed(&self) -> Vec<String> {
        self.interrupts().printer.take()
    }

    /// The first fault; the device is lost once there is one.
    pub fn fault(&self) -> Option<Arc<GpuFault>> {
        self.interrupts().fault()
    }

    pub fn statistics(&self) -> Statistics {
        (self.statistics)()
    }

    /// The machine's clock and its counters, while no time passes; `None` if it has no clock of its own.
    pub fn timing(&self) -> Option<impl DerefMut<Target = Engine>> {
        self.engine.as_ref().map(Handle::lock)
    }

    /// Why the trace that was asked for is not whole.
    pub fn trace_failure(&self) -> Option<String> {
        self.engine.as_ref()?.lock().recording_failure().map(str::to_owned)
    }

    /// The GPU clock now, in ticks of `machine::Info::timestamp_hz`.
    pub fn clock(&self) -> u64 {
        self.bus.port.clock()
    }

    /// Bytes of video memory in all, and in use.
    pub fn memory_size(&self) -> (u64, u64) {
        self.bus.reap();
        self.bus.port.memory_size()
    }

    /// The queue, as [`QueueOptions::default`] has it if it is asked for the first time.
    pub fn queue(&self, family: u32, index: u32) -> Result<Arc<Queue>> {
        self.queue_with(family, index, QueueOptions::default())
    }

    /// The queue; the options count the first time that it is asked for.
    ///
    /// # Errors
    /// There is no such queue, or fewer compute units are left than it is to have for its own.
    pub fn queue_with(&self, family: u32, index: u32, options: QueueOptions) -> Result<Arc<Queue>> {
        let families = queue_families(&self.config().machine);
        let Some(f) = families.get(family as usize).filter(|f| index < f.queues) else {
            return Err(Error::Invalid(format!("there is no queue {index} in family {family}")));
        };
        debug_assert!(f.queues <= pipe::QUEUES * f.pipes, "more queues than the pipes have");
        let mut queues = self.queues.lock();
        if let Some(queue) = queues.get(&(family, index)) {
            return Ok(queue.clone());
        }
        let reserved_cus = match options.global {
            GlobalPriority::Realtime => options.reserved_cus.max(self.config().reserve_cus),
            _ => options.reserved_cus,
        };
        let slot = HardwareSlot {
            pipe: f.first_pipe + index % f.pipes,
            queue: index / f.pipes,
            priority: (options.priority.clamp(0.0, 1.0) * 15.0).round() as u32,
            global: options.global,
            reserved_cus,
        };
        let queue = Queue::map(&self.bus, &self.heap, slot)?;
        queues.insert((family, index), queue.clone());
        Ok(queue)
    }

    /// Waits until every queue has finished all submitted work.
    pub fn wait_idle(&self) -> Result<()> {
        let queues: Vec<_> = self.queues.lock().values().cloned().collect();
        queues.iter().try_for_each(|q| q.wait_idle())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if !self.is_here() {
            return;
        }
        for queue in self.queues.get_mut().values() {
            queue.close();
        }
        self.bus.reap();
    }
}
