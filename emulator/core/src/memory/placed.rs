//! What programs have placed in their memory, as the driver tells of it: for names in reports, and for the checks that ask
//! whether an address is in a buffer. No work-group needs it to run.

use parking_lot::RwLock;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use wavepipe_hw::finding::{Near, NearPlace};
use wavepipe_hw::placed::{Placed, PlacedKind};

/// How many things are remembered that are gone.
const GONE: usize = 4096;

#[derive(Default)]
pub struct Placements {
    live: RwLock<Live>,
    /// Changes whenever anything does.
    generation: AtomicU64,
}

#[derive(Default)]
struct Live {
    /// Buffers and images by begin; some share their memory.
    things: BTreeMap<(u64, u64), Placed>,
    /// Memory by begin, and whether something was ever placed in it.
    memory: BTreeMap<u64, (Placed, bool)>,
    /// Kind and begin by id.
    ids: HashMap<u64, (PlacedKind, u64)>,
    /// Size of the largest thing that there ever was.
    largest: u64,
    /// What is gone, the last one first.
    gone: VecDeque<Placed>,
}

impl Live {
    /// Things that hold all of these bytes.
    fn holding(&self, address: u64, bytes: u64) -> impl Iterator<Item = &Placed> {
        let first = address.saturating_sub(self.largest);
        self.things.range((first, 0)..=(address, u64::MAX)).map(|(_, p)| p).filter(move |p| p.holds(address, bytes))
    }

    fn memory_at(&self, address: u64) -> Option<&(Placed, bool)> {
        self.memory.range(..=address).next_back().map(|(_, m)| m).filter(|(p, _)| p.holds(address, 1))
    }
}

impl Placements {
    pub fn place(&self, placed: &Placed) {
        let mut live = self.live.write();
        live.ids.insert(placed.id, (placed.kind, placed.va));
        match placed.kind {
            PlacedKind::Memory => {
                let used = live.memory.get(&placed.va).is_some_and(|(before, used)| *used && before.id == placed.id);
                live.memory.insert(placed.va, (placed.clone(), used));
            }
            PlacedKind::Buffer | PlacedKind::Image => {
                live.largest = live.largest.max(placed.size);
                let memory = live.memory.range_mut(..=placed.va).next_back();
                if let Some((_, (_, used))) = memory.filter(|(_, (m, _))| m.holds(placed.va, 1)) {
                    *used = true;
                }
                live.things.insert((placed.va, placed.id), placed.clone());
            }
        }
        drop(live);
        self.generation.fetch_add(1, Ordering::Release);
    }

    pub fn displace(&self, id: u64) {
        let mut live = self.live.write();
        let Some((kind, va)) = live.ids.remove(&id) else { return };
        let gone = match kind {
            PlacedKind::Memory => live.memory.remove(&va).map(|(placed, _)| placed),
            PlacedKind::Buffer | PlacedKind::Image => live.things.remove(&(va, id)),
        };
        if let Some(gone) = gone {
            live.gone.push_front(gone);
            live.gone.truncate(GONE);
        }
        drop(live);
        self.generation.fetch_add(1, Ordering::Release);
    }

    #[inline]
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// A range around these bytes in which an access is in one buffer, or in memory that is nobody's business: the driver's, and
    /// a program's that has never had a buffer or an image. `None`: they are in a program's memory, and in no buffer; or in the driver's,
    /// and in nothing of it that is `given`.
    pub fn allowed(&self, address: u64, bytes: u64, given: Option<&[Range<u64>]>) -> Option<Range<u64>> {
        let live = self.live.read();
        let buffer = live.holding(address, bytes).filter(|p| p.kind == PlacedKind::Buffer).max_by_key(|p| p.size);
        if let Some(buffer) = buffer {
            return Some(buffer.va..buffer.va + buffer.size);
        }
        match live.memory_at(address) {
            Some((_, true)) => None,
            Some((memory, false)) => Some(memory.va..memory.va + memory.size),
            None => {
                if let Some(given) = given {
                    let holds = |r: &&Range<u64>| r.start <= address && address.saturating_add(bytes) <= r.end;
                    return given.iter().find(holds).cloned();
                }
                let before = live.memory.range(..=address).next_back().map_or(0, |(_, (m, _))| m.va + m.size);
                let next = live.memory.range(address..).next().map_or(u64::MAX, |(va, _)| *va);
                Some(before..next)
            }
        }
    }

    /// A range around an address that is all of one program's memory (and whether it is), or of none.
    pub fn memory_around(&self, address: u64) -> (Range<u64>, bool) {
        let live = self.live.read();
        if let Some((memory, _)) = live.memory_at(address) {
            return (memory.va..memory.va + memory.size, true);
        }
        let before = live.memory.range(..=address).next_back().map_or(0, |(_, (m, _))| m.va + m.size);
        (before..live.memory.range(address..).next().map_or(u64::MAX, |(va, _)| *va), false)
    }

    /// Of what is at an address: the smallest thing there, or the memory.
    pub fn name_at(&self, address: u64) -> Option<String> {
        let live = self.live.read();
        let thing = live.holding(address, 1).min_by_key(|p| p.size);
        thing.or_else(|| live.memory_at(address).map(|(memory, _)| memory)).map(|p| p.name.clone())
    }

    /// The buffer that an address, which is in none, may have been meant for.
    pub fn near(&self, address: u64) -> Option<Near> {
        let live = self.live.read();
        let near = |p: &Placed, place| Near { name: p.name.clone(), size: p.size, place };
        let gone = live.gone.iter().find(|p| p.kind == PlacedKind::Buffer && p.holds(address, 1));
        if let Some(gone) = gone {
            return Some(near(gone, NearPlace::Inside));
        }
        if let Some(around) = live.holding(address, 1).find(|p| p.kind == PlacedKind::Buffer) {
            return Some(near(around, NearPlace::Across(address - around.va)));
        }
        let memory = live.memory_at(address).map(|(memory, _)| memory)?;
        let buffers = live.things.range((memory.va, 0)..(memory.va + memory.size, 0)).map(|(_, p)| p);
        let all = buffers.filter(|p| p.kind == PlacedKind::Buffer).map(|p| match p.va > address {
            true => (p.va - address, near(p, NearPlace::Before(p.va - address))),
            false => (address - (p.va + p.size), near(p, NearPlace::Behind(address - (p.va + p.size)))),
        });
        all.min_by_key(|(distance, _)| *distance).map(|(_, near)| near)
    }

    /// Name and size of memory that was freed, and what was in it, at an address.
    pub fn freed_at(&self, address: u64) -> Option<(String, u64)> {
        let live = self.live.read();
        if live.memory_at(address).is_some() {
            return None;
        }
        live.gone.iter().find(|p| p.kind == PlacedKind::Memory && p.holds(address, 1))?;
        let gone =
            live.gone.iter().filter(|p| p.holds(address, 1)).min_by_key(|p| (p.kind == PlacedKind::Memory, p.size))?;
        Some((gone.name.clone(), gone.size))
    }

    /// The name of a buffer that was there once.
    pub fn destroyed_at(&self, address: u64) -> Option<String> {
        let live = self.live.read();
        live.gone.iter().find(|p| p.kind == PlacedKind::Buffer && p.holds(address, 1)).map(|p| p.name.clone())
    }
}
