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

    pub(crate) fn find(&self, key: &Key) -> Option<Arc<CodeObject>> {
        self.entries.lock().get(key).cloned()
    }

    pub(crate) fn insert(&self, key: Key, code: &Arc<CodeObject>) {
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
