//! The parts that the memory hierarchy is made of.

mod cache;
mod coalesce;
mod slots;
mod tlb;
