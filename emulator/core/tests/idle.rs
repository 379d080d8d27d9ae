//! No doorbell is lost: the GPU's idle threads, with the locks and the atomics replaced by shuttle's, which runs them in one
//! order of their steps after the other. Where a thread sleeps for ever, shuttle says that all are blocked.

#[allow(dead_code)]
#[path = "../src/idle.rs"]
mod idle;

/// What `idle` is made of, here. Waits with a limit have none: nobody is to depend on it.
mod sync {
    pub use shuttle::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
    pub use shuttle::sync::{Condvar, Mutex, MutexGuard};
    pub use shuttle::thread;
    use std::cell::Cell;
    use std::time::Duration;

    /// A clock by which a thread that spins gives up after its second look.
    pub struct Instant(Cell<u32>);

    impl Instant {
        pub fn now() -> Instant {
            Instant(Cell::new(0))
        }

        pub fn elapsed(&self) -> Duration {
            self.0.set(self.0.get() + 1);
            if self.0.get() > 1 { Duration::MAX } else { Duration::ZERO }
        }
    }
}

use idle::Idle;
use shuttle::sync::Arc;
use shuttle::sync::atomic::{AtomicU64, Ordering::SeqCst};
use shuttle::thread;

/// A thread of the GPU, as `workers` has them: it takes what there is, and idles where there is nothing. The one that did the
/// last of `all` stops the others.
fn work(idle: &Idle, queue: &AtomicU64, done: &AtomicU64, all: u64, spin: bool) {
    while !idle.stopping() {
        let seen = idle.epoch();
        if queue.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_err() {
            idle.wait(seen, spin, None);
        } else if done.fetch_add(1, SeqCst) + 1 == all {
            idle.stop();
        }
    }
}

/// `threads` do what `rings` doorbells announce one after the other.
fn served(threads: usize, rings: u64, spin: bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        let (idle, queue, done) = (Arc::new(Idle::default()), Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let start = || {
            let (idle, queue, done) = (idle.clone(), queue.clone(), done.clone());
            thread::spawn(move || work(&idle, &queue, &done, rings, spin))
        };
        let workers: Vec<_> = (0..threads).map(|_| start()).collect();
        for _ in 0..rings {
            queue.fetch_add(1, SeqCst);
            idle.ring();
        }
        workers.into_iter().for_each(|w| w.join().expect("a worker"));
        assert_eq!(done.load(SeqCst), rings);
    }
}

#[test]
fn one_thread_hears_every_doorbell() {
    // Every order there is.
    shuttle::check_dfs(served(1, 1, true), None);
    shuttle::check_dfs(served(1, 1, false), None);
    shuttle::check_random(served(1, 3, true), 20_000);
}

#[test]
fn of_several_threads_one_hears() {
    shuttle::check_random(served(2, 2, true), 20_000);
    shuttle::check_pct(served(3, 3, true), 20_000, 4);
}

#[test]
fn nobody_sleeps_past_the_stop() {
    shuttle::check_dfs(
        || {
            let idle = Arc::new(Idle::default());
            let late = idle.clone();
            let late = thread::spawn(move || {
                while !late.stopping() {
                    let seen = late.epoch();
                    late.wait(seen, true, None);
                }
            });
            idle.stop();
            late.join().expect("a worker");
        },
        None,
    );
}
