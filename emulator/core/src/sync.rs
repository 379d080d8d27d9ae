//! What idle threads look at and wait by. In its place `tests/idle.rs` puts what tries the threads' steps in every order.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
pub(crate) use std::thread;
pub(crate) use std::time::Instant;
