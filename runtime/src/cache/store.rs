//! A program's own cache, which it saves and loads.

use super::{Key, encoding};
use crate::lock::{Mutex, rank};
use std::collections::BTreeMap;
use std::sync::Arc;
use wavepipe_hw::code::CodeObject;

/// Code objects that a program keeps: what it created pipelines with, and what it loaded.
#[derive(Default)]
pub struct PipelineCache {
    /// In the order of keys, so that the same contents are the same bytes.
    entries: Mutex<BTreeMap<Key, Arc<CodeObject>>, { rank::LEAF }>,
}

impl PipelineCache {
    /// A cache with all entries of `data` that are whole, whatever happened to the rest.
    pub fn new(data: &[u8]) -> PipelineCache {
        let entries = encoding::decode_all(data).into_iter().map(|(key, code)| (key, Arc::new(code))).collect();
        PipelineCache { entries: Mutex::new(entries) }
    }

    pub(super) fn find(&self, key: &Key) -> Option<Arc<CodeObject>> {
        self.entries.lock().get(key).cloned()
    }

    pub(super) fn insert(&self, key: Key, code: &Arc<CodeObject>) {
        self.entries.lock().insert(key, code.clone());
    }

    /// Takes over the entries of another cache.
    pub fn merge(&self, other: &PipelineCache) {
        if !std::ptr::eq(self, other) {
            let theirs = other.entries.lock().clone();
            self.entries.lock().extend(theirs);
        }
    }

    pub fn len(&self) -> usize {
        self.entries.lock().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Entries as bytes for [`PipelineCache::new`], as many whole ones as fit into `room` bytes; and whether those are all.
    pub fn data(&self, room: usize) -> (Vec<u8>, bool) {
        let mut out = Vec::new();
        for (key, code) in self.entries.lock().iter() {
            let before = out.len();
            encoding::encode(key, code, &mut out);
            if out.len() > room {
                out.truncate(before);
                return (out, false);
            }
        }
        (out, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::ModuleId;
    use wavepipe_hw::launch::UserData;

    fn code(n: u32) -> Arc<CodeObject> {
        Arc::new(CodeObject {
            name: format!("kernel {n}"),
            text: vec![n as u8; 40],
            user_data: vec![UserData::DescriptorSet(n), UserData::NumWorkGroups],
            vgprs: n,
            ..Default::default()
        })
    }

    fn key(n: u32) -> Key {
        Key(ModuleId::of(&[n]).0)
    }

    fn three() -> PipelineCache {
        let cache = PipelineCache::default();
        (0..3).for_each(|n| cache.insert(key(n), &code(n)));
        cache
    }

    #[test]
    fn entries_come_back() {
        let (data, all) = three().data(usize::MAX);
        assert!(all);
        let back = PipelineCache::new(&data);
        assert_eq!(back.len(), 3);
        assert!((0..3).all(|n| back.find(&key(n)).as_deref() == Some(&*code(n))));
        assert_eq!(back.data(usize::MAX), (data.clone(), true));
        let (fewer, all) = back.data(data.len() - 1);
        assert_eq!((PipelineCache::new(&fewer).len(), all), (2, false));
        let other = PipelineCache::default();
        other.insert(key(7), &code(7));
        back.merge(&other);
        assert_eq!((back.len(), other.len()), (4, 1));
    }

    #[test]
    fn a_search_for_whole_entries_has_an_end() {
        // Each eight bytes claim to be an entry of a megabyte.
        let mut data: Vec<u8> = [&b"wpc1"[..], &(1u32 << 20).to_le_bytes()].concat().repeat(1 << 20);
        let seconds = || rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).tv_sec;
        let begin = seconds();
        assert!(PipelineCache::new(&data).is_empty());
        // Without the bound a million hashes of a megabyte, which take a processor an hour.
        let took = seconds() - begin;
        assert!(took < 60, "{took} s");
        data.splice(..0, three().data(usize::MAX).0);
        assert_eq!(PipelineCache::new(&data).len(), 3);
    }

    #[test]
    fn any_damaged_byte_costs_its_entry_alone() {
        let (data, _) = three().data(usize::MAX);
        for at in 0..data.len() {
            for flip in [1, 0x80, 0xff] {
                let mut damaged = data.clone();
                damaged[at] ^= flip;
                let back = PipelineCache::new(&damaged);
                let good = (0..3).filter(|n| back.find(&key(*n)).is_some_and(|c| c == code(*n))).count();
                assert_eq!((good, back.len()), (2, 2), "byte {at} ^ {flip:#x}");
            }
        }
        for length in 0..data.len() {
            assert!(PipelineCache::new(&data[..length]).len() < 3);
        }
    }
}
