//! One kernel on an otherwise idle machine, by packets, without a driver: for microbenchmarks, and to look at instructions.

use crate::engine::{DispatchReport, Engine, Options};
use crate::observe::Recorder;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use wavepipe_core::timed::{Timed, Timekeeper};
use wavepipe_core::{Config, Gpu};
use wavepipe_hw::code::{CodeObject, FloatMode, SystemSgprs, WaveSize};
use wavepipe_hw::fault::GpuFault;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::pm4::{Packet, ReleaseData, initiator, reg};
use wavepipe_hw::port::{Advance, GpuPort, Interrupt, PortError, QueueDesc, QueueId};
use wavepipe_hw::rsrc::PgmRsrc;
use wavepipe_isa::Gen;

/// An engine that its user keeps in view while a GPU runs by it.
#[derive(Clone)]
pub struct Handle(Arc<Mutex<Engine>>);

impl Handle {
    pub fn new(engine: Engine) -> Handle {
        Handle(Arc::new(Mutex::new(engine)))
    }

    /// The engine, while no time passes.
    pub fn lock(&self) -> MutexGuard<'_, Engine> {
        self.0.lock()
    }
}

impl Timekeeper for Handle {
    fn advance(&mut self, machine: &Timed<'_>) -> bool {
        self.0.lock().advance(machine)
    }
}

/// What to launch.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Address of its code.
    pub code: u64,
    pub wave: WaveSize,
    pub vgprs: u32,
    pub lds_bytes: u32,
    /// Into s0 and on; at most 16. The work-group's number follows.
    pub user_data: Vec<u32>,
    /// Work-items of a work-group, and work-groups.
    pub workgroup: u32,
    pub groups: u32,
    pub wgp_mode: bool,
}

/// Why a kernel did not run to its end.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LabError {
    #[error(transparent)]
    Port(#[from] PortError),
    #[error("{0}")]
    Fault(Arc<GpuFault>),
    #[error("the machine stands still before the kernel's end")]
    Standstill,
}

/// A queue of the laboratory.
pub struct Queue {
    id: QueueId,
    ring: u64,
    dwords: u32,
    written: u64,
    /// The generation of packets.
    isa: Gen,
}

/// A machine with one queue after power-on.
pub struct Lab {
    gpu: Gpu,
    isa: Gen,
    engine: Handle,
    queue: Queue,
    fence: u64,
    fences: u64,
    faults: Receiver<Arc<GpuFault>>,
}

const RING_DWORDS: u32 = 4096;
/// Round to nearest, denormals kept, DX10_CLAMP.
const MODE: FloatMode = FloatMode(0x1f0);

impl Lab {
    pub fn new(machine: Arc<Machine>, options: Options, recorder: Option<Box<dyn Recorder>>) -> Result<Lab, LabError> {
        let engine = Handle::new(Engine::with(machine.clone(), options, recorder));
        let isa = machine.generation();
        let config = Config { machine, ..Config::default() };
        let gpu = Gpu::with_timekeeper(config, Box::new(engine.clone()));
        let (send, faults) = channel();
        gpu.set_interrupt_handler(Box::new(move |interrupt| {
            if let Interrupt::Fault { fault, .. } = interrupt {
                let _ = send.send(fault);
            }
        }));
        let fence = gpu.allocate(4096, "fence")?.va;
        let queue = map(&gpu, QueueDesc::default(), isa)?;
        Ok(Lab { gpu, isa, engine, queue, fence, fences: 0, faults })
    }

    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The engine, while no time passes.
    pub fn engine(&self) -> MutexGuard<'_, Engine> {
        self.engine.lock()
    }

    /// Address of `bytes` of zeroed memory.
    pub fn memory(&self, bytes: u64) -> Result<u64, LabError> {
        Ok(self.gpu.allocate(bytes, "data")?.va)
    }

    /// Address of machine code.
    pub fn code(&self, words: &[u32]) -> Result<u64, LabError> {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let va = self.gpu.allocate(bytes.len() as u64 + 256, "code")?.va;
        self.gpu.write(va, &bytes)?;
        Ok(va)
    }

    /// Runs a kernel to its end.
    pub fn run(&mut self, kernel: &Kernel) -> Result<DispatchReport, LabError> {
        self.submit(&packets_for(kernel, self.isa))?;
        self.engine.lock().reports().pop().ok_or(LabError::Standstill)
    }

    /// Executes packets, and waits until they are done.
    pub fn submit(&mut self, packets: &[Packet]) -> Result<(), LabError> {
        self.fences += 1;
        let mut all = packets.to_vec();
        let data = ReleaseData::Value64(self.fences);
        all.push(Packet::ReleaseMem { address: self.fence, data, interrupt: true });
        write(&self.gpu, &mut self.queue, &all)?;
        loop {
            let mut fence = [0; 8];
            self.gpu.read(self.fence, &mut fence)?;
            if let Ok(fault) = self.faults.try_recv() {
                return Err(LabError::Fault(fault));
            }
            if u64::from_le_bytes(fence) >= self.fences {
                return Ok(());
            }
            if self.gpu.advance() != Advance::Passed {
                return Err(LabError::Standstill);
            }
        }
    }
}

fn map(gpu: &Gpu, desc: QueueDesc, isa: Gen) -> Result<Queue, LabError> {
    let ring = gpu.allocate(4 * u64::from(RING_DWORDS) + 64, "ring")?.va;
    let report = ring + 4 * u64::from(RING_DWORDS);
    let desc = QueueDesc { ring_base: ring, ring_dwords: RING_DWORDS, rptr_report: report, ..desc };
    Ok(Queue { id: gpu.map_queue(&desc)?, ring, dwords: RING_DWORDS, written: 0, isa })
}

/// Writes packets into a ring, which has to have room, and rings its doorbell.
fn write(gpu: &Gpu, queue: &mut Queue, packets: &[Packet]) -> Result<(), LabError> {
    let mut words = Vec::new();
    packets.iter().for_each(|p| p.encode(queue.isa, &mut words));
    for word in words {
        let at = queue.ring + 4 * (queue.written % u64::from(queue.dwords));
        gpu.write(at, &word.to_le_bytes())?;
        queue.written += 1;
    }
    gpu.doorbell(queue.id, queue.written);
    Ok(())
}

/// The packets that launch a kernel of gfx1010.
pub fn packets(kernel: &Kernel) -> Vec<Packet> {
    packets_for(kernel, Gen::default())
}

/// The packets that launch a kernel.
fn packets_for(kernel: &Kernel, isa: Gen) -> Vec<Packet> {
    let object = CodeObject {
        isa,
        wave: kernel.wave,
        vgprs: kernel.vgprs,
        lds_bytes: kernel.lds_bytes,
        system: SystemSgprs { tgid_x: true, ..SystemSgprs::default() },
        mode: MODE,
        ..CodeObject::default()
    };
    let pgm = PgmRsrc::of(&object).with_wgp_mode(kernel.wgp_mode).with_user_sgprs(kernel.user_data.len() as u32);
    let w32 = if kernel.wave == WaveSize::W32 { initiator::CS_W32_EN } else { 0 };
    let bits = initiator::COMPUTE_SHADER_EN | initiator::FORCE_START_AT_000 | w32;
    let set = |reg, values| Packet::SetShReg { reg, values };
    let mut packets = vec![
        set(reg::COMPUTE_NUM_THREAD_X, vec![kernel.workgroup, 1, 1]),
        set(reg::COMPUTE_PGM_LO, vec![(kernel.code >> 8) as u32, (kernel.code >> 40) as u32]),
        set(reg::COMPUTE_PGM_RSRC1, vec![pgm.rsrc1, pgm.rsrc2]),
    ];
    if !kernel.user_data.is_empty() {
        packets.push(set(reg::COMPUTE_USER_DATA_0, kernel.user_data.clone()));
    }
    packets.push(Packet::DispatchDirect { groups: [kernel.groups, 1, 1], initiator: bits });
    packets
}
