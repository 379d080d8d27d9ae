//! States kept on the way, to go back to.
//!
//! Algorithm: at the begin, and then every so many instructions, the execution's state is kept together with memory that waves can
//! write, in pages; a page that is as it was the last time is shared with that one, and one of zeroes is nothing. The distance
//! grows with that memory, so that comparing it costs a part of executing, and doubles when there are many states:
//! every other one is forgotten then.

use crate::order::Kept;
use std::sync::Arc;
use wavepipe_core::memory::MemoryMap;

const PAGE: usize = 4096;
/// Instructions between two states, at first and at least.
const DISTANCE: u64 = 4096;
/// Bytes that are compared in the time of an instruction, about.
const BYTES_AN_INSTRUCTION: u64 = 256;
/// States that are kept at most.
const STATES: usize = 64;

type Page = Option<Arc<[u8]>>;

/// Memory that waves can write, at some time.
struct Pages(Vec<(u64, Vec<Page>)>);

impl Pages {
    fn of(map: &MemoryMap, before: Option<&Pages>) -> Pages {
        let regions = map.regions().filter(|r| r.is_writable());
        let all = regions.map(|region| {
            let known = before.and_then(|b| b.0.iter().find(|(va, _)| *va == region.va)).map(|(_, pages)| pages);
            let mut room = [0; PAGE];
            let pages = (0..region.size()).step_by(PAGE).enumerate().map(|(n, at)| {
                let bytes = &mut room[..PAGE.min((region.size() - at) as usize)];
                region.backing.read(at, bytes);
                let same = known.and_then(|pages| pages.get(n)).and_then(Option::as_ref);
                match same {
                    Some(page) if **page == *bytes => Some(page.clone()),
                    _ if bytes.iter().all(|b| *b == 0) => None,
                    _ => Some(Arc::from(&*bytes)),
                }
            });
            (region.va, pages.collect())
        });
        Pages(all.collect())
    }

    /// Writes what has become different.
    fn put_back(&self, map: &MemoryMap) {
        for region in map.regions().filter(|r| r.is_writable()) {
            let Some((_, pages)) = self.0.iter().find(|(va, _)| *va == region.va) else { continue };
            let mut room = [0; PAGE];
            for (page, at) in pages.iter().zip((0..region.size()).step_by(PAGE)) {
                let bytes = &mut room[..PAGE.min((region.size() - at) as usize)];
                region.backing.read(at, bytes);
                let want = page.as_deref().unwrap_or(&[0; PAGE][..bytes.len()]);
                if *bytes != *want {
                    region.backing.write(at, want);
                }
            }
        }
    }
}

/// The kept states of a dispatch, by position; the first is its begin.
pub(crate) struct History {
    states: Vec<(Kept, Pages)>,
    distance: u64,
}

impl History {
    pub fn new(begin: Kept, map: &MemoryMap) -> History {
        let bytes: u64 = map.regions().filter(|r| r.is_writable()).map(|r| r.size()).sum();
        let distance = DISTANCE.max(bytes / BYTES_AN_INSTRUCTION);
        History { states: vec![(begin, Pages::of(map, None))], distance }
    }

    /// Whether a state is to be kept at this position.
    pub fn wants(&self, executed: u64) -> bool {
        self.states.last().is_none_or(|(last, _)| executed >= last.executed + self.distance)
    }

    pub fn add(&mut self, kept: Kept, map: &MemoryMap) {
        let pages = Pages::of(map, self.states.last().map(|(_, pages)| pages));
        self.states.push((kept, pages));
        if self.states.len() > STATES {
            let mut n = 0;
            self.states.retain(|_| {
                n += 1;
                n % 2 == 1
            });
            self.distance *= 2;
        }
    }

    /// The last state at a position or before it; memory is put back.
    pub fn at(&self, executed: u64, map: &MemoryMap) -> Option<&Kept> {
        let n = self.states.partition_point(|(kept, _)| kept.executed <= executed);
        let (kept, pages) = self.states.get(n.wrapping_sub(1))?;
        pages.put_back(map);
        Some(kept)
    }

    /// Position of that state.
    pub fn position(&self, executed: u64) -> u64 {
        let n = self.states.partition_point(|(kept, _)| kept.executed <= executed);
        self.states.get(n.wrapping_sub(1)).map_or(0, |(kept, _)| kept.executed)
    }
}
