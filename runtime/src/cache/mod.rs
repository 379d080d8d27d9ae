//! Caches of compiled code, from near to far: a program's [`PipelineCache`], the process's memory, and a folder on disk.
//!
//! A [`Key`] is a hash of everything that decides the machine code: the compiler itself (see `build.rs`), the SPIR-V module,
//! and the options of the compilation. So an entry is right or absent, whoever wrote it and whenever.

mod disk;
mod encoding;
mod store;

use crate::error::{Error, Result};
use crate::lock::{Mutex, rank};
pub use disk::Disk;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::panic::resume_unwind;
use std::sync::{Arc, LazyLock};
pub use store::PipelineCache;
use wavepipe_compiler::{Dump, Options};
use wavepipe_hw::code::CodeObject;

/// Names the compiler in this build, in hexadecimal digits: whoever has another must not read what this one wrote.
pub const COMPILER: &str = env!("WAVEPIPE_COMPILER");

/// Bytes of code that the process keeps, at most.
pub const MEMORY_BYTES: usize = 64 << 20;
/// Stack of a compilation. The front end's recursion follows the module's nesting, and a program's own threads may have
/// any stack.
const STACK_BYTES: usize = 64 << 20;

/// What identifies a SPIR-V module: its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleId(pub [u8; 32]);

impl ModuleId {
    pub fn of(words: &[u32]) -> ModuleId {
        let mut hash = Sha256::new();
        let mut bytes = [0; 4096];
        for part in words.chunks(bytes.len() / 4) {
            for (place, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(part) {
                *place = word.to_le_bytes();
            }
            hash.update(&bytes[..4 * part.len()]);
        }
        ModuleId(hash.finalize().into())
    }
}

/// Names a code object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u8; 32]);

impl Key {
    pub fn new(module: ModuleId, options: &Options<'_>) -> Key {
        let mut hasher = Sha(Sha256::new());
        (COMPILER, module, options).hash(&mut hasher);
        Key(hasher.0.finalize().into())
    }
}

/// SHA-256 as the hasher of anything that is `Hash`.
struct Sha(Sha256);

impl Hasher for Sha {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let digest: [u8; 32] = self.0.clone().finalize().into();
        u64::from_le_bytes(*digest.first_chunk().unwrap_or(&[0; 8]))
    }
}

/// What the process has compiled or read lately.
#[derive(Default)]
pub struct Memory {
    entries: HashMap<Key, Entry>,
    bytes: usize,
    /// Counts uses.
    clock: u64,
}

struct Entry {
    code: Arc<CodeObject>,
    used: u64,
}

/// Bytes that a code object takes in memory, about.
fn weight(code: &CodeObject) -> usize {
    size_of::<CodeObject>() + code.text.len() + size_of_val(&code.lines[..])
}

impl Memory {
    pub fn find(&mut self, key: &Key) -> Option<Arc<CodeObject>> {
        self.clock += 1;
        let entry = self.entries.get_mut(key)?;
        entry.used = self.clock;
        Some(entry.code.clone())
    }

    /// Counts the code objects, and their bytes.
    pub fn held(&self) -> (usize, usize) {
        (self.entries.len(), self.bytes)
    }

    /// Keeps `code`; when there is too much, the half that was not used for longest goes.
    pub fn insert(&mut self, key: Key, code: &Arc<CodeObject>) {
        self.clock += 1;
        let entry = Entry { code: code.clone(), used: self.clock };
        if self.entries.insert(key, entry).is_none() {
            self.bytes += weight(code);
        }
        if self.bytes > MEMORY_BYTES {
            let mut uses: Vec<u64> = self.entries.values().map(|e| e.used).collect();
            let middle = uses.len() / 2;
            let median = *uses.select_nth_unstable(middle).1;
            self.entries.retain(|_, e| e.used > median);
            self.bytes = self.entries.values().map(|e| weight(&e.code)).sum();
        }
    }
}

static MEMORY: LazyLock<Mutex<Memory, { rank::LEAF }>> = LazyLock::new(Mutex::default);

/// Where code came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The program's own pipeline cache.
    PipelineCache,
    /// The process's memory, or the disk.
    Cache,
    Compiler,
}

/// The caches that a compilation may look into.
pub(crate) struct Caches<'a> {
    pub program: Option<&'a PipelineCache>,
    pub disk: Option<&'a Disk>,
}

impl Caches<'_> {
    pub fn find(&self, key: &Key) -> Option<(Arc<CodeObject>, Origin)> {
        if let Some(code) = self.program.and_then(|p| p.find(key)) {
            return Some((code, Origin::PipelineCache));
        }
        let known = MEMORY.lock().find(key);
        let code = match known {
            Some(code) => code,
            None => {
                let code = Arc::new(self.disk?.find(key)?);
                MEMORY.lock().insert(*key, &code);
                code
            }
        };
        if let Some(program) = self.program {
            program.insert(*key, &code);
        }
        Some((code, Origin::Cache))
    }

    pub fn insert(&self, key: &Key, code: &Arc<CodeObject>) {
        MEMORY.lock().insert(*key, code);
        if let Some(program) = self.program {
            program.insert(*key, code);
        }
        if let Some(disk) = self.disk {
            disk.insert(key, code);
        }
    }
}

/// Compiles on a thread with a stack of known size; with `dumps`, the intermediate forms after every pass too.
pub(crate) fn compile(words: &[u32], options: &Options<'_>, dumps: Option<&mut Vec<Dump>>) -> Result<CodeObject> {
    let work = || match dumps {
        Some(dumps) => {
            let (code, made) = wavepipe_compiler::compile_with_dumps(words, options);
            *dumps = made;
            code
        }
        None => wavepipe_compiler::compile(words, options),
    };
    // WebAssembly has one thread, on a stack that whoever links the module has sized.
    if cfg!(target_family = "wasm") {
        return Ok(work()?);
    }
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("wavepipe compiler".into()).stack_size(STACK_BYTES);
        let thread = builder.spawn_scoped(scope, work);
        let thread = thread.map_err(|e| Error::OutOfHostMemory { what: format!("no thread to compile on: {e}") })?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic))?)
    })
}
