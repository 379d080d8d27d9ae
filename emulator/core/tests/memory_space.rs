//! The address space: allocations, gaps, limits, memory of the host.

use std::sync::Arc;
use wavepipe_core::memory::{ALLOCATION_ALIGN, Backing, GUARD, Memory};
use wavepipe_core::tested::use_up_addresses;
use wavepipe_hw::port::{HostMemory, PortError};

#[test]
fn allocations_are_apart_and_exact() {
    let m = Memory::new(1 << 20);
    let a = m.allocate(100, "a").unwrap();
    let b = m.allocate(ALLOCATION_ALIGN, "b").unwrap();
    assert_eq!(a.va % ALLOCATION_ALIGN, 0);
    assert!(b.va >= a.va + 100 + GUARD);
    let map = m.snapshot();
    assert_eq!(map.find(a.va + 99).map(|r| &*r.name), Some("a"));
    assert!(map.find(a.va + 100).is_none());
    assert!(map.find(a.va - 1).is_none());
    assert!(map.find(u64::MAX).is_none() && map.find(0).is_none());
    assert!(map.span(b.va + b.size - 4, 4).is_some());
    assert!(map.span(b.va + b.size - 3, 4).is_none());
    assert_eq!(map.nearest(a.va + 120).unwrap().2, "a");
    assert_eq!(map.nearest(b.va - 5).unwrap().2, "b");
    assert_eq!(map.store32(a.va + 4, 7), Some(()));
    assert_eq!(map.load32(a.va + 4), Some(7));
}

#[test]
fn limit_is_an_error_and_freeing_gives_back() {
    let m = Memory::new(1000);
    let a = m.allocate(600, "a").unwrap();
    assert_eq!(m.allocate(401, "b").unwrap_err(), PortError::OutOfMemory { requested: 401, available: 400 });
    let old = m.snapshot();
    let generation = m.generation();
    assert_eq!(m.free(a.va), Some(a.va..a.va + 600));
    assert_eq!(m.free(a.va), None);
    assert_ne!(m.generation(), generation);
    assert_eq!(m.size(), (1000, 0));
    // A map from before still reads; the new one does not know the address, and it is not given out again.
    assert_eq!(old.load32(a.va), Some(0));
    assert_eq!(m.snapshot().load32(a.va), None);
    assert_ne!(m.allocate(600, "c").unwrap().va, a.va);
    let huge = Memory::new(u64::MAX >> 1);
    assert!(matches!(huge.allocate(1 << 62, "x"), Err(PortError::OutOfMemory { .. })));
}

#[test]
fn a_large_allocation_costs_no_memory_until_touched() {
    let m = Memory::new(8 << 30);
    let a = m.allocate(6 << 30, "big").unwrap();
    let map = m.snapshot();
    assert_eq!(map.load64(a.va + a.size - 8), Some(0));
    assert_eq!(map.store64(a.va + (5 << 30), 5), Some(()));
    assert_eq!(map.load64(a.va + (5 << 30)), Some(5));
}

#[test]
fn memory_of_the_host_is_shared_and_let_go() {
    let own = Backing::new(8192).unwrap();
    let m = Memory::new(10000);
    let owner: Arc<dyn std::any::Any + Send + Sync> = Arc::new(());
    // SAFETY: `own` outlives the map, and is only touched through backings.
    let share = |host, size| unsafe { HostMemory::new(host, size, owner.clone()) };
    let a = m.map_host(share(own.host(), 8192), "shared").unwrap();
    assert_eq!((a.host, m.size()), (own.host(), (10000, 8192)));
    own.store32(8, 7);
    assert_eq!(m.snapshot().load32(a.va + 8), Some(7));
    m.snapshot().store32(a.va + 8188, 9);
    assert_eq!(own.load32(8188), Some(9));
    assert_eq!(m.snapshot().load32(a.va + 8192), None);
    let odd = m.map_host(share(own.host().wrapping_add(16), 16), "odd");
    assert!(matches!(odd, Err(PortError::BadAddress(..))));
    assert!(matches!(m.map_host(share(own.host(), 4096), "more"), Err(PortError::OutOfMemory { .. })));
    m.free(a.va);
    assert_eq!((m.size().1, Arc::strong_count(&owner)), (0, 1));
}

#[test]
fn addresses_wrap_into_gaps() {
    let m = Memory::new(8 << 30);
    let a = m.allocate(10, "a").unwrap();
    let _b = m.allocate(10, "b").unwrap();
    use_up_addresses(&m);
    let c = m.allocate(10, "c").unwrap();
    assert!(c.va > a.va);
    m.free(a.va);
    assert_eq!(m.allocate(10, "d").unwrap().va, a.va);
}
