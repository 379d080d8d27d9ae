//! The driver's own small objects in GPU memory: code, descriptor sets, packets, counters.
//!
//! Size classes are powers of two from 64 bytes to 16 KiB; a class is served from 64 KiB allocations, each cut into
//! blocks of that class, so that a block is aligned to its size. Larger requests get an allocation of their own. Programs
//! read of it what they are given (descriptors, constants behind code), and write nothing.

use crate::bus::Bus;
use crate::error::Result;
use crate::host::GpuMemory;
use crate::lock::{Mutex, rank};
use crate::sampler::BorderColors;
use std::sync::{Arc, Weak};
use wavepipe_hw::port::Protection;
use wavepipe_isa::Gen;

const CHUNK: u64 = 64 << 10;
const SMALLEST: u64 = 64;
const LARGEST: u64 = 16 << 10;
const CLASSES: usize = (LARGEST / SMALLEST).ilog2() as usize + 1;

pub(crate) struct Heap {
    bus: Arc<Bus>,
    free: Mutex<[Vec<Block>; CLASSES], { rank::LEAF }>,
    /// The largest scratch ring so far, while a command buffer uses it.
    scratch: Mutex<Weak<GpuMemory>, { rank::SCRATCH }>,
    pub border_colors: Arc<BorderColors>,
}

struct Block {
    chunk: Arc<GpuMemory>,
    offset: u64,
}

/// A zeroed piece of the heap; back to it on drop.
///
/// Invariant: whoever records a suballocation's address for the GPU keeps it alive until that work is over.
pub(crate) struct Suballocation {
    heap: Arc<Heap>,
    memory: Arc<GpuMemory>,
    offset: u64,
    size: u64,
    class: Option<usize>,
}

impl Heap {
    pub fn new(bus: &Arc<Bus>) -> Arc<Heap> {
        Arc::new(Heap {
            bus: bus.clone(),
            free: Mutex::default(),
            scratch: Mutex::default(),
            border_colors: Arc::default(),
        })
    }

    /// The generation of descriptors.
    pub fn isa(&self) -> Gen {
        self.bus.isa
    }

    /// `size` zeroed bytes, aligned to `align` (a power of two, at most 64 KiB).
    pub fn allocate(self: &Arc<Self>, size: u64, align: u64, name: &str) -> Result<Suballocation> {
        let block = size.max(align).max(SMALLEST).next_power_of_two();
        if block > LARGEST {
            let memory = Arc::new(GpuMemory::allocate_protected(&self.bus, size, name, Protection::ReadOnly)?);
            return Ok(Suballocation { heap: self.clone(), memory, offset: 0, size, class: None });
        }
        let class = (block / SMALLEST).ilog2() as usize;
        let recycled = self.free.lock()[class].pop();
        let b = match recycled {
            Some(b) => b,
            None => {
                // Not under the lock: allocating may give retired memory back, which may come to this heap.
                let chunk =
                    Arc::new(GpuMemory::allocate_protected(&self.bus, CHUNK, "driver heap", Protection::ReadOnly)?);
                let rest = (1..CHUNK / block).rev().map(|i| Block { chunk: chunk.clone(), offset: i * block });
                self.free.lock()[class].extend(rest);
                Block { chunk, offset: 0 }
            }
        };
        const ZEROS: [u8; LARGEST as usize] = [0; LARGEST as usize];
        b.chunk.write(b.offset, &ZEROS[..block as usize])?;
        Ok(Suballocation { heap: self.clone(), memory: b.chunk, offset: b.offset, size, class: Some(class) })
    }
}

impl Heap {
    /// The device's scratch ring, of at least `size` bytes.
    pub fn scratch_ring(&self, size: u64) -> Result<Arc<GpuMemory>> {
        let mut scratch = self.scratch.lock();
        if let Some(ring) = scratch.upgrade().filter(|r| r.size() >= size) {
            return Ok(ring);
        }
        let ring = Arc::new(GpuMemory::allocate(&self.bus, size, "scratch ring")?);
        *scratch = Arc::downgrade(&ring);
        Ok(ring)
    }
}

impl Suballocation {
    pub fn va(&self) -> u64 {
        self.memory.va() + self.offset
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    pub fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        self.memory.write(self.offset + offset, data)
    }

    pub fn write_words(&self, offset: u64, words: &[u32]) -> Result<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.write(offset, &bytes)
    }

    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.memory.read(self.offset + offset, out)
    }

    pub fn load_u64(&self, offset: u64) -> u64 {
        self.memory.load_u64(self.offset + offset)
    }

    pub fn store_u64(&self, offset: u64, value: u64) {
        self.memory.store_u64(self.offset + offset, value);
    }

    pub fn add_u64(&self, offset: u64, value: u64) -> u64 {
        self.memory.add_u64(self.offset + offset, value)
    }

    pub fn load_u32(&self, offset: u64) -> u32 {
        self.memory.load_u32(self.offset + offset)
    }

    pub fn store_u32(&self, offset: u64, value: u32) {
        self.memory.store_u32(self.offset + offset, value);
    }
}

impl Drop for Suballocation {
    fn drop(&mut self) {
        if let Some(class) = self.class {
            let block = Block { chunk: self.memory.clone(), offset: self.offset };
            self.heap.free.lock()[class].push(block);
        }
    }
}
