//! The runtime's locks have ranks. A thread that holds several took them upwards, so that no two threads ever wait for each
//! other. Each acquisition checks it: a wrong one is a panic at the place, and in every test, instead of a hang now and then.
//!
//! Invariant: what may give memory back (a submission, a recording, the last hold on an object) is dropped under no lock of
//! rank [`rank::FENCES`] or above: giving memory back looks at the queues.
//!
//! The standard library's, which wait at their own words alone: of parking_lot's the process has one table of sleeping threads,
//! and in a forked child those are in it still, on stacks that new threads are given.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::Instant;

pub mod rank {
    /// A window's swapchains: one shows a picture.
    pub const SURFACE: u8 = 0;
    /// The device's queues; mapping one allocates.
    pub const QUEUES: u8 = 1;
    /// The driver's own kernels; making one allocates.
    pub const KERNELS: u8 = 2;
    /// The scratch ring, which grows under it.
    pub const SCRATCH: u8 = 3;
    /// A queue's ring: one submission at a time.
    pub const RING: u8 = 4;
    /// The border colours' table, which is allocated under it.
    pub const COLORS: u8 = 5;
    /// The queues as those who free memory see them.
    pub const FENCES: u8 = 6;
    /// What a queue's submissions need.
    pub const KEPT: u8 = 7;
    /// Memory that waits for queues.
    pub const RETIRED: u8 = 8;
    /// What interrupts said, and all who wait for one.
    pub const INTERRUPTS: u8 = 9;
    /// A swapchain's images and frames, which its waiters look at.
    pub const SWAPCHAIN: u8 = 10;
    /// A fence's state, which its waiters look at.
    pub const FENCE: u8 = 11;
    /// What commands accessed, for the check of their order.
    pub const ORDERING: u8 = 12;
    /// Held for a few lines that lock nothing else.
    pub const LEAF: u8 = 13;
}

#[derive(Default, Debug)]
pub struct Mutex<T, const RANK: u8>(std::sync::Mutex<T>);

impl<T, const RANK: u8> Mutex<T, RANK> {
    pub const fn new(value: T) -> Self {
        Mutex(std::sync::Mutex::new(value))
    }

    pub fn lock(&self) -> Guard<'_, T, RANK> {
        let held = Held::enter();
        Guard { guard: self.0.lock().unwrap_or_else(PoisonError::into_inner), _held: held }
    }

    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

pub struct Guard<'a, T, const RANK: u8> {
    guard: MutexGuard<'a, T>,
    _held: Held<RANK>,
}

impl<T, const RANK: u8> Guard<'_, T, RANK> {
    /// Lets go until there is news, and of the lock for good.
    pub fn wait(self, news: &Condvar) {
        drop(news.wait(self.guard));
    }

    /// The same until `deadline` at most; whether that came first.
    pub fn wait_until(self, news: &Condvar, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        news.wait_timeout(self.guard, left).unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

impl<T, const RANK: u8> Deref for Guard<'_, T, RANK> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T, const RANK: u8> DerefMut for Guard<'_, T, RANK> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

thread_local! {
    /// A bit for each rank that this thread holds.
    static RANKS: Cell<u16> = const { Cell::new(0) };
}

/// A rank that this thread holds.
struct Held<const RANK: u8>;

impl<const RANK: u8> Held<RANK> {
    fn enter() -> Self {
        let ranks = RANKS.get();
        // A second panic would end the process.
        let right = ranks >> RANK == 0 || std::thread::panicking();
        assert!(right, "a lock of rank {RANK} under those of the ranks {ranks:#b}");
        RANKS.set(ranks | 1 << RANK);
        Held
    }
}

impl<const RANK: u8> Drop for Held<RANK> {
    fn drop(&mut self) {
        RANKS.set(RANKS.get() & !(1 << RANK));
    }
}
