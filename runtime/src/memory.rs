//! Device memory and buffers.

use crate::bus::Bus;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::external;
use crate::host::GpuMemory;
use crate::machine;
use crate::mappings;
use crate::placed::Placing;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use wavepipe_hw::placed::PlacedKind;
use wavepipe_hw::port::HostMemory;
use wavepipe_isa::Gen;

/// Bytes of device memory that the process has allocated, on all devices: a heap belongs to the machine.
static IN_USE: AtomicU64 = AtomicU64::new(0);

/// Bytes of device memory that the process has allocated, on all devices.
pub fn memory_in_use() -> u64 {
    IN_USE.load(Ordering::Relaxed)
}

/// An allocation that CPU and GPU share, coherent and always mapped. Given back on drop, once submitted work is over.
pub struct Memory {
    gpu: GpuMemory,
    /// The file behind memory that others may import.
    file: Option<OwnedFd>,
    place: Placing,
}

impl Memory {
    fn new(gpu: GpuMemory, file: Option<OwnedFd>) -> Arc<Memory> {
        IN_USE.fetch_add(gpu.size(), Ordering::Relaxed);
        let place = Placing::default();
        place.set(gpu.bus(), PlacedKind::Memory, gpu.va(), gpu.size());
        Arc::new(Memory { gpu, file, place })
    }

    /// `size` zeroed bytes, at least one.
    pub fn allocate(device: &Arc<Device>, size: u64) -> Result<Arc<Memory>> {
        Self::check(device, size)?;
        let gpu = GpuMemory::allocate(device.bus(), size, "device memory")?;
        device.bus().port.unwritten(gpu.va(), size);
        Ok(Self::new(gpu, None))
    }

    /// The same, for others to import by the descriptor that [`Self::export`] gives.
    pub fn allocate_exportable(device: &Arc<Device>, size: u64) -> Result<Arc<Memory>> {
        Self::check(device, size)?;
        let file = external::new_file(size)?;
        let gpu = GpuMemory::map_host(device.bus(), external::map(file.as_fd(), size)?, "exportable memory")?;
        Ok(Self::new(gpu, Some(file)))
    }

    /// The first `size` bytes of memory that was exported, here or in another process.
    pub fn import(device: &Arc<Device>, file: BorrowedFd<'_>, size: u64) -> Result<Arc<Memory>> {
        Self::check(device, size)?;
        let file =
            file.try_clone_to_owned().map_err(|e| Error::ExternalHandle { why: format!("no file descriptor: {e}") })?;
        let gpu = GpuMemory::map_host(device.bus(), external::map(file.as_fd(), size)?, "imported memory")?;
        Ok(Self::new(gpu, Some(file)))
    }

    /// Memory that the program owns, and keeps readable and writable: a later change of its protection, its unmapping or the
    /// truncation of the file behind it ends the process at the next access, as it would at one of the program's own.
    ///
    /// # Errors
    /// [`Error::ExternalHandle`] if a page of it cannot be read and written.
    pub fn import_host(device: &Arc<Device>, memory: HostMemory) -> Result<Arc<Memory>> {
        Self::check(device, memory.size())?;
        Self::check_host(&memory)?;
        Ok(Self::new(GpuMemory::map_host(device.bus(), memory, "host memory")?, None))
    }

    /// Whether memory of the program can be imported.
    pub fn check_host(memory: &HostMemory) -> Result<()> {
        mappings::check(memory.host() as usize, memory.size())
    }

    /// A descriptor by which others import this memory.
    pub fn export(&self) -> Result<OwnedFd> {
        let file =
            self.file.as_ref().ok_or_else(|| Error::Invalid("the memory was not allocated for export".into()))?;
        external::duplicate(file)
    }

    fn check(device: &Device, size: u64) -> Result<()> {
        if size == 0 {
            return Err(Error::Invalid("an allocation of 0 bytes".into()));
        }
        if size > machine::memory_bytes() {
            let (total, used) = device.bus().port.memory_size();
            return Err(Error::OutOfDeviceMemory { requested: size, available: total.saturating_sub(used) });
        }
        Ok(())
    }

    /// What reports call it.
    pub fn rename(&self, name: &str) {
        self.place.rename(name);
    }

    pub(crate) fn bus(&self) -> &Arc<Bus> {
        self.gpu.bus()
    }

    pub fn size(&self) -> u64 {
        self.gpu.size()
    }

    /// GPU address of the first byte.
    pub fn address(&self) -> u64 {
        self.gpu.va()
    }

    /// Host address of the first byte, valid as long as this object. Page-aligned.
    pub fn host_ptr(&self) -> *mut u8 {
        // What the host writes through it nobody sees.
        self.bus().port.written(self.address(), self.size());
        self.gpu.host_ptr()
    }

    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.gpu.read(offset, out)
    }

    pub fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        self.bus().port.written(self.address() + offset, data.len() as u64);
        self.gpu.write(offset, data)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // Before it can be another's.
        self.place.clear();
        let range = self.gpu.va()..self.gpu.va() + self.gpu.size();
        self.bus().order_without(|ordering| ordering.forget_memory(range));
        IN_USE.fetch_sub(self.gpu.size(), Ordering::Relaxed);
    }
}

/// A range of memory that kernels and copies use. Holds its memory once bound.
pub struct Buffer {
    isa: Gen,
    size: u64,
    bound: OnceLock<(Arc<Memory>, u64)>,
    place: Placing,
}

impl Buffer {
    pub fn new(device: &Arc<Device>, size: u64) -> Arc<Buffer> {
        Arc::new(Buffer { isa: device.bus().isa, size, bound: OnceLock::new(), place: Placing::default() })
    }

    /// A buffer with memory of its own.
    pub fn with_memory(device: &Arc<Device>, size: u64) -> Result<Arc<Buffer>> {
        let buffer = Buffer::new(device, size);
        buffer.bind(Memory::allocate(device, size)?, 0)?;
        Ok(buffer)
    }

    /// Places the buffer at `offset` of `memory`, once for all.
    pub fn bind(&self, memory: Arc<Memory>, offset: u64) -> Result<()> {
        if offset.checked_add(self.size).is_none_or(|end| end > memory.size()) {
            return Err(Error::Invalid(format!(
                "a buffer of {} bytes at offset {offset} does not fit into memory of {} bytes",
                self.size,
                memory.size()
            )));
        }
        if !offset.is_multiple_of(machine::LIMITS.buffer_alignment) {
            return Err(Error::Invalid(format!("buffer offset {offset} is not 16-byte aligned")));
        }
        let (bus, at) = (memory.bus().clone(), memory.address() + offset);
        self.bound.set((memory, offset)).map_err(|_| Error::Invalid("the buffer is bound already".into()))?;
        self.place.set(&bus, PlacedKind::Buffer, at, self.size);
        Ok(())
    }

    /// What reports call it.
    pub fn rename(&self, name: &str) {
        self.place.rename(name);
    }

    /// The program has destroyed it, though its commands may still hold it.
    pub fn give_up(&self) {
        self.place.clear();
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    /// The generation of descriptors.
    pub(crate) fn isa(&self) -> Gen {
        self.isa
    }

    /// GPU address; 0 while unbound, where every access faults.
    pub fn address(&self) -> u64 {
        self.bound.get().map_or(0, |(m, offset)| m.address() + offset)
    }

    fn place(&self, offset: u64, bytes: usize) -> Result<(&Memory, u64)> {
        let (memory, base) = self.bound.get().ok_or_else(|| Error::Invalid("the buffer has no memory".into()))?;
        match offset.checked_add(bytes as u64) {
            Some(end) if end <= self.size => Ok((memory, base + offset)),
            _ => Err(Error::Invalid(format!("bytes {offset}..+{bytes} are outside of a buffer of {}", self.size))),
        }
    }

    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let (memory, at) = self.place(offset, out.len())?;
        memory.read(at, out)
    }

    pub fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        let (memory, at) = self.place(offset, data.len())?;
        memory.write(at, data)
    }
}
