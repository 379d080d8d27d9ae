//! What the suite tests beyond the public interface. It is no interface: it changes without notice.

use crate::cache::PipelineCache;
use crate::engines::{Engines, Names};
use crate::error::Result;
use crate::performance::PerformanceCounter;
use crate::pipeline::ComputePipeline;
use crate::trace::Trace;
use std::path::PathBuf;
use std::sync::Arc;
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::perf::Event;

pub use crate::cache::{Disk, Key, MEMORY_BYTES, Memory as CodeMemory};
pub use crate::command::{Axis, color_texel, repeated};
pub use crate::config::DEBUG_FLAGS;
pub use crate::lock::{Mutex, rank};
pub use crate::mappings::{check as check_mappings, problem as problem_of_mappings};
pub use crate::meta::MetaKernel;
pub use crate::ordering::{LayoutStep, Layouts, Standing};
pub use crate::printf::{MAX_FIELD, text as printf};
pub use crate::swapchain::ring::{Frame, Ring};

/// Looks for code in a program's cache.
pub fn find(cache: &PipelineCache, key: &Key) -> Option<Arc<CodeObject>> {
    cache.find(key)
}

/// Puts code into a program's cache.
pub fn insert(cache: &PipelineCache, key: Key, code: &Arc<CodeObject>) {
    cache.insert(key, code);
}

/// Compares code from a cache with what the compiler makes.
pub fn compare(cached: &CodeObject, compiled: &CodeObject) -> Result<()> {
    ComputePipeline::compare(cached, compiled)
}

/// Tells whether an entry of the table may mean these names.
pub fn mentions(engines: &Engines, names: &Names<'_>) -> bool {
    engines.mentions(names)
}

/// Lists what a counter is computed from.
pub fn events(counter: &PerformanceCounter) -> Vec<Event> {
    counter.events()
}

/// Takes the path of the next trace of this name.
pub fn next_path(trace: &Trace) -> PathBuf {
    trace.next_path()
}
