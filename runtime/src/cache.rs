//! The process-wide compile cache. Keyed by content (all of it, not a hash of it): SPIR-V words, entry point,
//! specialization, layout, wave size. Made again from nothing when it is full, which a long-running program meets rarely.

use crate::error::Result;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use wavepipe_compiler::spirv::SpecValue;
use wavepipe_hw::code::{CodeObject, WaveSize};
use wavepipe_hw::launch::PipelineLayout;

const CAPACITY: usize = 1024;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    words: Arc<[u32]>,
    entry: String,
    spec: Vec<SpecValue>,
    layout: PipelineLayout,
    wave: WaveSize,
}

pub(crate) struct Compiled {
    pub code: Arc<CodeObject>,
    /// Zero when found.
    pub time: Duration,
}

static CACHE: LazyLock<Mutex<HashMap<Key, Arc<CodeObject>>>> = LazyLock::new(Mutex::default);

pub(crate) fn compile(
    words: &Arc<[u32]>,
    entry: &str,
    spec: &[SpecValue],
    layout: &PipelineLayout,
    wave: WaveSize,
) -> Result<Compiled> {
    let key = Key { words: words.clone(), entry: entry.into(), spec: spec.to_vec(), layout: layout.clone(), wave };
    if let Some(code) = CACHE.lock().get(&key) {
        return Ok(Compiled { code: code.clone(), time: Duration::ZERO });
    }
    let start = Instant::now();
    let options = wavepipe_compiler::Options { wave, spec, ..wavepipe_compiler::Options::new(entry, layout) };
    let code = Arc::new(wavepipe_compiler::compile(words, &options)?);
    let time = start.elapsed();
    let mut cache = CACHE.lock();
    if cache.len() >= CAPACITY {
        cache.clear();
    }
    cache.insert(key, code.clone());
    Ok(Compiled { code, time })
}
