//! Where the host threads are when there is nothing to do, and what wakes them.
//!
//! One condition for all, since any thread will do. Measured beside it (`examples/dispatches.rs`, docs/measurements.md):
//! crossbeam's `Parker` for each thread needs a list of who sleeps, and costs a third more where one thread sleeps after every
//! dispatch; its `Backoff` gives the core away sooner than the next doorbell rings. Its padded cells are here.
//!
//! The standard library's condition, which threads wait at by its own word alone: of parking_lot's the process has one table of
//! sleeping threads, and in a forked child those are in it still, on stacks that new threads are given.

use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Condvar, Instant, Mutex, MutexGuard, thread};
use crossbeam_utils::CachePadded;
use std::sync::{PoisonError, atomic::Ordering::SeqCst};
use std::time::Duration;

/// How long an idle thread looks for work before it sleeps. One thread at a time does so.
const SPIN: Duration = Duration::from_micros(50);

#[derive(Default)]
pub(crate) struct Idle {
    // Each in cache lines of its own: doorbells write the first while a thread spins on it, and read the others.
    epoch: CachePadded<AtomicU64>,
    sleepers: CachePadded<AtomicUsize>,
    spinning: CachePadded<AtomicBool>,
    lock: Mutex<()>,
    cond: Condvar,
    stop: AtomicBool,
}

impl Idle {
    /// Something new to do for `threads` of them.
    pub fn wake(&self, threads: u64) {
        self.epoch.fetch_add(1, SeqCst);
        self.rouse(threads);
    }

    /// After the epoch changed.
    fn rouse(&self, threads: u64) {
        if threads > 0 && self.sleepers.load(SeqCst) > 0 {
            drop(self.hold());
            for _ in 0..threads.min(self.sleepers.load(SeqCst) as u64) {
                self.cond.notify_one();
            }
        }
    }

    fn hold(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A doorbell: the spinning thread sees it, if there is one; else a sleeper is woken.
    pub fn ring(&self) {
        self.epoch.fetch_add(1, SeqCst);
        // Asked after the epoch changed: a thread that stops to spin just now looks at it once more.
        if !self.spinning.load(SeqCst) {
            self.rouse(1);
        }
    }

    /// Makes every thread leave its loop.
    pub fn stop(&self) {
        self.stop.store(true, SeqCst);
        self.wake(u64::MAX);
    }

    /// Sleeps; `true` if the threads are to leave.
    pub fn sleep(&self, limit: Duration) -> bool {
        let guard = self.hold();
        self.sleepers.fetch_add(1, SeqCst);
        if !self.stopping() {
            drop(self.cond.wait_timeout(guard, limit));
        }
        self.sleepers.fetch_sub(1, SeqCst);
        self.stopping()
    }

    pub fn stopping(&self) -> bool {
        self.stop.load(SeqCst)
    }

    /// Counts what was new so far.
    pub fn epoch(&self) -> u64 {
        self.epoch.load(SeqCst)
    }

    /// Returns when the epoch is no longer `seen`, when the threads are to leave, or after `limit`.
    pub fn wait(&self, seen: u64, spin: bool, limit: Option<Duration>) {
        if spin && !self.spinning.swap(true, SeqCst) {
            let begin = Instant::now();
            while self.epoch.load(SeqCst) == seen && begin.elapsed() < SPIN {
                for _ in 0..32 {
                    std::hint::spin_loop();
                }
                // On a busy host the thread that is to submit the next work may wait for this core.
                thread::yield_now();
            }
            self.spinning.store(false, SeqCst);
            // Checked after the flag fell: a doorbell that still saw it changed the epoch before.
            if self.epoch.load(SeqCst) != seen {
                return;
            }
        }
        let guard = self.hold();
        self.sleepers.fetch_add(1, SeqCst);
        // Whoever took the epoch of the stop itself for seen is not woken by it.
        if self.epoch.load(SeqCst) == seen && !self.stopping() {
            match limit {
                Some(d) => drop(self.cond.wait_timeout(guard, d)),
                None => drop(self.cond.wait(guard)),
            }
        }
        self.sleepers.fetch_sub(1, SeqCst);
    }
}
