//! Machine code read, beside models that walk it.

mod awaited;
mod graph;
mod live;
mod random;
