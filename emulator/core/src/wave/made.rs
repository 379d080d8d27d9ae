//! What an engine has made, and the thread that it works on.

use super::block::{Block, CodeCache, Key};
use super::region::{Compiled, Discovered, HostCode, NoCode, discover};
use super::unwritten::{Unwritten, unwritten};
use crate::memory::MemoryMap;
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

/// What an engine has made.
#[derive(Default)]
struct Made {
    /// By the key of the block that they begin with.
    regions: HashMap<u64, Arc<Compiled>>,
    number: u64,
}

impl Made {
    /// Drops the older half. Their blocks run by the interpreter, until they are hot again.
    fn evict(&mut self) {
        let mut numbers: Vec<u64> = self.regions.values().map(|r| r.number).collect();
        numbers.sort_unstable();
        let Some(&last) = numbers.get(numbers.len().saturating_sub(1) / 2) else { return };
        self.regions.retain(|_, region| {
            let stays = region.number > last;
            if !stays {
                region.first.heat.cool();
            }
            stays
        });
    }
}

#[derive(Default)]
struct Shared {
    made: RwLock<Made>,
    /// How often regions were dropped for want of room.
    evictions: AtomicU64,
}

/// The engine, the thread that it works on, and what it has made.
pub(crate) struct Host {
    engine: Arc<dyn HostCode>,
    worker: Mutex<Option<Worker>>,
    shared: Arc<Shared>,
}

struct Worker {
    process: u64,
    jobs: mpsc::Sender<Job>,
    thread: JoinHandle<()>,
}

/// A region to be compiled.
struct Job {
    block: Arc<Block>,
    word: u64,
    found: Discovered,
    unwritten: Option<Unwritten>,
}

impl Job {
    fn done(self, engine: &dyn HostCode, shared: &Shared) {
        let run = match engine.compile(&self.found.region) {
            Ok(run) => run,
            Err(NoCode::Never) => return,
            Err(NoCode::Full) => {
                // What is dropped may still run: this block's turn comes when it has become hot once more.
                shared.made.write().evict();
                shared.evictions.fetch_add(1, Ordering::Release);
                return self.block.heat.cool();
            }
        };
        let mut made = shared.made.write();
        let compiled = Compiled::new(run, self.block.clone(), made.number, self.found, self.unwritten);
        // What is forgotten is marked as gone before regions are looked through.
        if !compiled.is_gone() {
            made.number += 1;
            made.regions.insert(self.word, Arc::new(compiled));
            self.block.heat.set_compiled();
        }
    }
}

impl Host {
    pub fn new(engine: Arc<dyn HostCode>) -> Host {
        Host { engine, worker: Mutex::new(None), shared: Arc::default() }
    }

    pub fn patience(&self) -> u32 {
        self.engine.patience()
    }

    pub fn publish(&self) {
        self.engine.publish();
    }

    /// Counts how often regions were dropped for want of room.
    pub fn evictions(&self) -> u64 {
        self.shared.evictions.load(Ordering::Acquire)
    }

    /// Counts an execution of the block, with which a wave may begin; host code from there on, if there is any.
    #[inline(always)]
    pub fn of(
        &self,
        block: &Arc<Block>,
        (key, begins): (Key, bool),
        map: &MemoryMap,
        code: &CodeCache,
    ) -> Option<Arc<Compiled>> {
        if !block.heat.is_compiled() {
            if block.heat.count() != self.engine.patience() {
                return None;
            }
            self.warm(block, (key, begins), map, code);
        }
        self.shared.made.read().regions.get(&key.word()).cloned()
    }

    /// Has the region compiled that begins with the block; at once if the engine has no patience.
    #[cold]
    fn warm(&self, block: &Arc<Block>, (key, begins): (Key, bool), map: &MemoryMap, code: &CodeCache) {
        let found = discover(block, key, map, code);
        let unwritten = begins.then(|| unwritten(block, key, map, code)).flatten();
        let job = Job { block: block.clone(), word: key.word(), found, unwritten };
        if self.engine.patience() == 1 {
            return job.done(&*self.engine, &self.shared);
        }
        let mut worker = self.worker.lock();
        if worker.is_none() {
            *worker = Worker::new(self.engine.clone(), self.shared.clone());
        }
        // Where no thread can be had, the interpreter keeps everything.
        if let Some(worker) = &*worker {
            let _ = worker.jobs.send(job);
        }
    }

    /// Forgets regions of which a block is gone.
    pub fn forget(&self) {
        self.shared.made.write().regions.retain(|_, region| !region.is_gone());
    }
}

impl Worker {
    fn new(engine: Arc<dyn HostCode>, shared: Arc<Shared>) -> Option<Worker> {
        let (jobs, next) = mpsc::channel::<Job>();
        let work = move || next.iter().for_each(|job| job.done(&*engine, &shared));
        let thread = thread::Builder::new().name("wavepipe-compile".into()).spawn(work).ok()?;
        Some(Worker { process: crate::process::current(), jobs, thread })
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Some(Worker { process, jobs, thread }) = self.worker.get_mut().take() {
            drop(jobs);
            // A forked child has none of its parent's threads; the last handle may be dropped on this very thread.
            if process == crate::process::current() && thread.thread().id() != thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}
