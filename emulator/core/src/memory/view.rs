//! Memory as of some time, for who looks at it again and again.

use super::{Memory, MemoryMap};
use std::sync::Arc;

/// The map of a generation, renewed when something was allocated or freed.
pub(crate) struct View {
    generation: u64,
    pub map: Arc<MemoryMap>,
}

impl View {
    pub fn of(memory: &Memory) -> View {
        View { generation: memory.generation(), map: memory.snapshot() }
    }

    pub fn refresh(&mut self, memory: &Memory) {
        if memory.generation() != self.generation {
            *self = Self::of(memory);
        }
    }
}
