//! Machine code read, beside models that walk it.

mod awaited;
mod graph;
mod listing;
mod live;
mod random;
