//! The one door between driver and GPU: memory, queue mapping, doorbells, interrupts. `core::Gpu` implements it; the
//! runtime's tests implement it with a recorder of packets.

use crate::fault::GpuFault;
use crate::finding::Finding;
use crate::observe::{Executed, Writer};
use crate::placed::Placed;
use crate::site::Messages;
use crate::touched::Touched;
use std::any::Any;
use std::sync::Arc;

/// A hardware queue descriptor: what the driver programs into CP_HQD_* to map a ring onto a pipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueDesc {
    /// One of [`crate::pipe`], and queue on it, below [`crate::pipe::QUEUES`].
    pub pipe: u32,
    pub queue: u32,
    /// GPU address and size in dwords (a power of two) of the ring buffer.
    pub ring_base: u64,
    pub ring_dwords: u32,
    /// GPU address where the command processor reports its read pointer (u64, in dwords, monotonic).
    pub rptr_report: u64,
    /// Among queues of the same global priority: 0 (low) .. 15 (high).
    pub priority: u32,
    pub global: GlobalPriority,
    /// Compute units that only this queue's work-groups may use; 0 = none.
    pub reserved_cus: u32,
}

/// A queue's priority among all queues of the machine, as VK_KHR_global_priority names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum GlobalPriority {
    Low,
    #[default]
    Medium,
    High,
    Realtime,
}

/// Handle of a mapped queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QueueId(pub u32);

/// What an interrupt says.
#[derive(Clone, Debug)]
pub enum Interrupt {
    /// A RELEASE_MEM with INT_SEL executed on this queue; its fence value is in memory already.
    EndOfPipe { queue: QueueId },
    /// The queue stopped for good; the driver reports the device as lost. Other queues carry on.
    Fault { queue: QueueId, fault: Arc<GpuFault> },
    /// What the checks found in a dispatch, in front of its end or its fault: each finding once, those that come first in the
    /// order of work-groups, waves and lanes; `more` is how many others there were.
    Findings { queue: QueueId, findings: Arc<[Finding]>, more: u64 },
    /// How often the instructions of a dispatch ran, in the order of their addresses; in front of its end or its fault, if that is
    /// counted ([`crate::observe`]).
    Executed { queue: QueueId, counts: Arc<[Executed]> },
    /// What a dispatch has accessed of programs' memory, in front of its end, on a GPU that notes it.
    Touched { queue: QueueId, touched: Arc<Touched> },
    /// What waves of a work-group sent to the thread trace. Before the interrupt that ends their dispatch; those of one wave in the
    /// order in which it sent them.
    Trace(Arc<Messages>),
}

/// A host-visible allocation of GPU memory. Dropping every clone does not free it; [`GpuPort::free`] does.
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    /// GPU virtual address; aligned to 64 KiB.
    pub va: u64,
    pub size: u64,
    /// Host address of the first byte; stays valid until `free`.
    pub host: *mut u8,
}
// SAFETY: `host` is a plain address; every access through it is fenced by the holder's own unsafe code.
unsafe impl Send for Allocation {}
// SAFETY: as above.
unsafe impl Sync for Allocation {}

/// What the waves of a program may do with memory. The command processor and the host may do everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Protection {
    /// Load and store: memory of the program's.
    #[default]
    None,
    /// Load: the driver's code, descriptors, packets and fences.
    ReadOnly,
    /// Nothing: rings.
    Hidden,
}

/// Host memory for the GPU to map as it is, instead of giving out its own.
pub struct HostMemory {
    host: *mut u8,
    size: u64,
    owner: Arc<dyn Any + Send + Sync>,
}
// SAFETY: `host` is a plain address of bytes that any thread may touch, by the contract of `new`.
unsafe impl Send for HostMemory {}
// SAFETY: as above.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// # Safety
    /// `host` is page-aligned and not null, and `host..host + size` can be read and written as long as `owner` lives. Others
    /// may touch the bytes at any time as they may touch mapped device memory: nobody holds a Rust reference to them.
    pub unsafe fn new(host: *mut u8, size: u64, owner: Arc<dyn Any + Send + Sync>) -> HostMemory {
        HostMemory { host, size, owner }
    }

    /// Address of the first byte.
    pub fn host(&self) -> *mut u8 {
        self.host
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// What keeps the memory.
    pub fn into_owner(self) -> Arc<dyn Any + Send + Sync> {
        self.owner
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    #[error("out of GPU memory: {requested} bytes asked, {available} available")]
    OutOfMemory { requested: u64, available: u64 },
    #[error("this GPU maps no host memory")]
    NoHostMemory,
    #[error("no such queue slot, or it is in use already")]
    BadQueue,
    #[error("{asked} compute units reserved for one queue, but only {free} can be")]
    NoComputeUnits { asked: u32, free: u32 },
    #[error("address {0:#x}..+{1:#x} is not inside one allocation")]
    BadAddress(u64, u64),
    #[error("the host gives no thread to run the GPU on")]
    NoThreads,
}

/// What waiting for a GPU did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Advance {
    /// The GPU runs by itself: sleep until an interrupt comes.
    ByItself,
    /// Time passed; look again.
    Passed,
    /// Nothing can happen before the driver, or another thread of its program, does something.
    Nothing,
}

pub type InterruptHandler = Box<dyn Fn(Interrupt) + Send + Sync>;

/// The GPU as a driver sees it.
pub trait GpuPort: Send + Sync {
    /// Allocates `size` bytes of zeroed memory, mapped for CPU and GPU. `name` appears in fault reports.
    fn allocate_protected(&self, size: u64, name: &str, protection: Protection) -> Result<Allocation, PortError>;
    /// The same for a program.
    fn allocate(&self, size: u64, name: &str) -> Result<Allocation, PortError> {
        self.allocate_protected(size, name, Protection::None)
    }
    /// Maps host memory; `free` unmaps it, after which the GPU lets go of its owner.
    fn map_host(&self, _memory: HostMemory, _name: &str) -> Result<Allocation, PortError> {
        Err(PortError::NoHostMemory)
    }
    /// Gives memory back. No queue may still use it.
    fn free(&self, va: u64);
    /// Bytes of video memory in all, and in use now.
    fn memory_size(&self) -> (u64, u64);
    /// Copies host bytes to `va`; checked.
    fn write(&self, va: u64, bytes: &[u8]) -> Result<(), PortError>;
    /// Copies from `va` to host bytes; checked.
    fn read(&self, va: u64, bytes: &mut [u8]) -> Result<(), PortError>;
    /// An allocation holds nothing that a program could know. For checks.
    fn unwritten(&self, _va: u64, _bytes: u64) {}
    /// The host has written these bytes, or may do so at any time.
    fn written(&self, _va: u64, _bytes: u64) {}
    /// A program has placed something in its memory, or has given it another name: the same `id` again. For reports and checks.
    fn place(&self, _placed: &Placed) {}
    /// What has this `id` is no more.
    fn displace(&self, _id: u64) {}
    /// The name of what is at an address.
    fn name_at(&self, _va: u64) -> Option<String> {
        None
    }
    /// Maps a ring onto a pipe's queue slot.
    fn map_queue(&self, desc: &QueueDesc) -> Result<QueueId, PortError>;
    /// Waits for the queue to drain (or stop at a fault) and unmaps it.
    fn unmap_queue(&self, queue: QueueId);
    /// Rings the doorbell: the ring holds commands up to `wptr` (dwords, monotonic).
    fn doorbell(&self, queue: QueueId, wptr: u64);
    /// Tells the GPU that memory watched by WAIT_REG_MEM may have been written by the host. The HDP flush of hardware.
    fn host_wrote(&self);
    /// Called from GPU threads; must not block.
    fn set_interrupt_handler(&self, handler: InterruptHandler);
    /// Called by whoever waits for the GPU. A GPU with a clock of its own lets time pass until it has raised an interrupt, or
    /// until nothing can happen before the driver does something. Must not be called from an interrupt handler.
    fn advance(&self) -> Advance {
        Advance::ByItself
    }
    /// Whether the GPU is in this process. In a forked child it is not: its memory is there, and nothing that runs it.
    fn is_here(&self) -> bool {
        true
    }
    /// From now on it is noted who writes these bytes, if writers are observed; nobody has yet.
    fn watch_writes(&self, _va: u64, _bytes: u64) {}
    /// Who has written the byte at `va` since it is watched.
    fn last_writer(&self, _va: u64) -> Option<Writer> {
        None
    }
    /// The GPU's free-running clock (what RELEASE_MEM and COPY_DATA write as timestamp), in ticks of
    /// the machine's reference clock.
    fn clock(&self) -> u64;
}
