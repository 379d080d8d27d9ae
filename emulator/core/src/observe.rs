//! Observers of execution: trace, race detector, coverage, profile. One trait with empty defaults.

use crate::wave::Launch;

/// What an observer may want to see. Called from any worker thread, between instructions; must not block.
pub trait Observer: Send + Sync {
    /// A dispatch was taken from a queue: work-group counts and launch state.
    fn dispatch(&self, _queue: (u32, u32), _groups: [u32; 3], _launch: &Launch) {}
    /// A work-group got its registers and LDS.
    fn workgroup_started(&self, _id: [u32; 3]) {}
    /// All waves of a work-group ended, after so many wave-instructions.
    fn workgroup_ended(&self, _id: [u32; 3], _instructions: u64) {}
}
