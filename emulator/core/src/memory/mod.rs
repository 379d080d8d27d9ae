//! One GPU virtual address space. Allocations are 64 KiB aligned and each is followed by an unmapped guard gap, so that
//! an access that leaves one never lands in another.
//!
//! Invariant: readers never lock. A running work-group holds a [`MemoryMap`], an immutable table; allocating and freeing
//! publish a new one. A freed allocation's host memory goes back when the last map that knows it is dropped, so a stale
//! address can read old guest bytes but never the host's.

pub mod atomic;
pub mod placed;
pub mod raw;
pub(crate) mod rows;
mod view;

pub use atomic::{AtomicOp, atomic_result32, atomic_result64};
pub use placed::Placements;
pub use raw::Backing;
pub(crate) use view::View;

use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::finding::{Access, AddressSpace};
use wavepipe_hw::port::{Allocation, HostMemory, PortError, Protection};

/// Alignment of allocations, in bytes.
pub const ALLOCATION_ALIGN: u64 = 64 << 10;
/// Unmapped bytes after each allocation, at least.
pub const GUARD: u64 = 64 << 10;
/// Addresses handed out: above 4 GiB, so that a truncated pointer faults; below 2^47, the lower canonical half that
/// 48-bit flat addresses share with the host.
const FIRST_VA: u64 = 1 << 32;
const END_VA: u64 = 1 << 47;

/// One allocation, as the GPU sees it.
pub struct Region {
    pub va: u64,
    pub name: Arc<str>,
    pub backing: Backing,
    /// Memory of the host, mapped: behind PCI Express, on a card.
    pub of_host: bool,
    /// From the waves of programs.
    pub protection: Protection,
}

impl Region {
    /// Whether a wave may store here.
    #[inline(always)]
    pub fn is_writable(&self) -> bool {
        self.protection == Protection::None
    }

    #[inline(always)]
    pub fn size(&self) -> u64 {
        self.backing.size()
    }

    /// Offset of `va` in this region if `bytes` from there on are inside.
    #[inline(always)]
    pub fn offset(&self, va: u64, bytes: u64) -> Option<u64> {
        let off = va.wrapping_sub(self.va);
        self.backing.contains(off, bytes).then_some(off)
    }
}

/// What is mapped at one moment. Sorted by address.
#[derive(Default)]
pub struct MemoryMap {
    starts: Vec<u64>,
    regions: Vec<Arc<Region>>,
    /// What is in them, at any moment.
    placed: Arc<Placements>,
    /// No other map of this process has it; 0 if nothing is mapped.
    id: u64,
}

impl MemoryMap {
    /// Tells maps apart, also those that are gone.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The region that contains the byte at `va`.
    #[inline]
    pub fn find(&self, va: u64) -> Option<&Region> {
        let i = self.starts.partition_point(|&s| s <= va);
        let r = self.regions.get(i.wrapping_sub(1))?;
        (va - r.va < r.size()).then_some(r)
    }

    /// The region that contains all of `va..va + bytes`, and the offset of `va` in it.
    #[inline]
    pub fn span(&self, va: u64, bytes: u64) -> Option<(&Region, u64)> {
        let i = self.starts.partition_point(|&s| s <= va);
        let r = self.regions.get(i.wrapping_sub(1))?;
        Some((r, r.offset(va, bytes)?))
    }

    /// The region whose start or end is closest to `va`, as (base, size, name), for fault reports.
    pub fn nearest(&self, va: u64) -> Option<(u64, u64, String)> {
        let distance = |r: &Region| match va {
            _ if va < r.va => r.va - va,
            _ => (va - r.va).saturating_sub(r.size()),
        };
        let r = self.regions.iter().min_by_key(|r| distance(r))?;
        Some((r.va, r.size(), r.name.to_string()))
    }

    /// What a wave's access to no memory of its program's met, as far as the wave did not know.
    pub fn name_fault(&self, kind: &mut FaultKind) {
        let FaultKind::WildAddress { address, bytes, write, nearest } = kind else { return };
        match self.span(*address, (*bytes).into()) {
            Some((r, _)) => {
                let name = r.name.to_string();
                *kind = FaultKind::Protected { address: *address, bytes: *bytes, write: *write, name };
            }
            None => match self.placed.freed_at(*address) {
                Some((name, size)) => {
                    *kind = FaultKind::Freed { address: *address, bytes: *bytes, write: *write, name, size };
                }
                None => *nearest = self.nearest(*address),
            },
        }
    }

    /// Names the allocation that is accessed.
    pub fn name_access(&self, access: &mut Access) {
        if access.space == AddressSpace::Global && access.name.is_none() {
            access.name = self.name_at(access.address);
        }
    }

    /// Of what is at an address, or of the allocation.
    pub fn name_at(&self, address: u64) -> Option<String> {
        self.placed.name_at(address).or_else(|| self.span(address, 1).map(|(region, _)| region.name.to_string()))
    }

    pub fn regions(&self) -> impl Iterator<Item = &Region> {
        self.regions.iter().map(|r| &**r)
    }

    pub fn load32(&self, va: u64) -> Option<u32> {
        let (r, off) = self.span(va, 4)?;
        r.backing.load32(off)
    }

    pub fn load64(&self, va: u64) -> Option<u64> {
        let (r, off) = self.span(va, 8)?;
        r.backing.load64(off)
    }

    pub fn store32(&self, va: u64, v: u32) -> Option<()> {
        let (r, off) = self.span(va, 4)?;
        r.backing.store32(off, v)
    }

    pub fn store64(&self, va: u64, v: u64) -> Option<()> {
        let (r, off) = self.span(va, 8)?;
        r.backing.store64(off, v)
    }

    pub fn read(&self, va: u64, to: &mut [u8]) -> Option<()> {
        let (r, off) = self.span(va, to.len() as u64)?;
        r.backing.read(off, to)
    }

    pub fn write(&self, va: u64, from: &[u8]) -> Option<()> {
        let (r, off) = self.span(va, from.len() as u64)?;
        r.backing.write(off, from)
    }
}

/// The address space and its limit.
pub struct Memory {
    map: RwLock<Arc<MemoryMap>>,
    /// Counts maps published, so that a holder sees cheaply whether its own is old.
    generation: AtomicU64,
    space: Mutex<Space>,
    limit: u64,
    placed: Arc<Placements>,
}

struct Space {
    next: u64,
    used: u64,
}

impl Memory {
    /// An empty address space that gives out `limit` bytes at most.
    pub fn new(limit: u64) -> Memory {
        Memory {
            map: RwLock::default(),
            generation: AtomicU64::new(0),
            space: Mutex::new(Space { next: FIRST_VA, used: 0 }),
            limit,
            placed: Arc::default(),
        }
    }

    /// What programs have placed in it.
    pub fn placed(&self) -> &Arc<Placements> {
        &self.placed
    }

    /// What is mapped now.
    pub fn snapshot(&self) -> Arc<MemoryMap> {
        self.map.read().clone()
    }

    /// Changes whenever the map does.
    #[inline]
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Bytes: (in all, in use).
    pub fn size(&self) -> (u64, u64) {
        (self.limit, self.space.lock().used)
    }

    /// Zeroed memory of exactly `size` bytes.
    ///
    /// # Errors
    /// [`PortError::OutOfMemory`] when the limit or the host's memory is reached.
    pub fn allocate(&self, size: u64, name: &str) -> Result<Allocation, PortError> {
        self.allocate_protected(size, name, Protection::None)
    }

    /// The same, kept from the waves of programs.
    ///
    /// # Errors
    /// As [`Self::allocate`].
    pub fn allocate_protected(&self, size: u64, name: &str, protection: Protection) -> Result<Allocation, PortError> {
        self.map(size, name, (false, protection), || Backing::new(size))
    }

    /// Maps memory of the host, which counts as allocated.
    ///
    /// # Errors
    /// As [`Self::allocate`]; [`PortError::BadAddress`] if the memory does not start at a page.
    pub fn map_host(&self, memory: HostMemory, name: &str) -> Result<Allocation, PortError> {
        let (host, size) = (memory.host().addr() as u64, memory.size());
        let backing = Backing::shared(memory).ok_or(PortError::BadAddress(host, size))?;
        self.map(size, name, (true, Protection::None), || Some(backing))
    }

    fn map(
        &self,
        size: u64,
        name: &str,
        (of_host, protection): (bool, Protection),
        backing: impl FnOnce() -> Option<Backing>,
    ) -> Result<Allocation, PortError> {
        let mut space = self.space.lock();
        let available = self.limit - space.used;
        let no_memory = PortError::OutOfMemory { requested: size, available };
        if size > available {
            return Err(no_memory);
        }
        let map = self.snapshot();
        let footprint = size.next_multiple_of(ALLOCATION_ALIGN) + GUARD;
        // Addresses are not reused until all have been given out, so that stale ones keep faulting.
        let va = match space.next + footprint <= END_VA {
            true => space.next,
            false => gap(&map, footprint).ok_or(no_memory)?,
        };
        let backing = backing().ok_or(no_memory)?;
        let region = Arc::new(Region { va, name: name.into(), backing, of_host, protection });
        let host = region.backing.host();
        let at = map.starts.partition_point(|&s| s < va);
        let mut regions = map.regions.clone();
        regions.insert(at, region);
        self.publish(regions);
        space.next = space.next.max(va + footprint);
        space.used += size;
        Ok(Allocation { va, size, host })
    }

    /// Unmaps the allocation that starts at `va`: its range, or `None` if there is none.
    pub fn free(&self, va: u64) -> Option<std::ops::Range<u64>> {
        let mut space = self.space.lock();
        let map = self.snapshot();
        let at = map.starts.binary_search(&va).ok()?;
        let mut regions = map.regions.clone();
        let region = regions.remove(at);
        self.publish(regions);
        space.used -= region.size();
        Some(va..va + region.size())
    }

    /// Counts all addresses as given out, as they are after a long time.
    pub(crate) fn use_up_addresses(&self) {
        self.space.lock().next = END_VA;
    }

    fn publish(&self, regions: Vec<Arc<Region>>) {
        let starts = regions.iter().map(|r| r.va).collect();
        /// Only names maps.
        static LAST: AtomicU64 = AtomicU64::new(0);
        let id = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        *self.map.write() = Arc::new(MemoryMap { starts, regions, placed: self.placed.clone(), id });
        self.generation.fetch_add(1, Ordering::AcqRel);
    }
}

/// First unused address range of `bytes`.
fn gap(map: &MemoryMap, bytes: u64) -> Option<u64> {
    let mut at = FIRST_VA;
    for r in map.regions() {
        if r.va - at >= bytes {
            break;
        }
        at = (r.va + r.size()).next_multiple_of(ALLOCATION_ALIGN) + GUARD;
    }
    (at + bytes <= END_VA).then_some(at)
}
