//! Steps that are emitted together.

use crate::step::{Effect, Plan};
use wavepipe_core::wave::{Act, Step};

/// Steps that run as scalars, then chunk by chunk.
#[derive(Default)]
pub struct Group<'i> {
    pub scalar: Vec<(&'i Act, &'i Step, &'i Plan)>,
    pub vector: Vec<(&'i Act, &'i Step, &'i Plan)>,
    /// What the vector steps touch.
    effect: Effect,
}

impl<'i> Group<'i> {
    pub fn add(&mut self, act: &'i Act, step: &'i Step, plan: &'i Plan) {
        if step.is_scalar() {
            return self.scalar.push((act, step, plan));
        }
        self.effect.reads.join(&plan.effect.reads);
        self.effect.masks.join(&plan.effect.masks);
        self.effect.writes.join(&plan.effect.writes);
        self.vector.push((act, step, plan));
    }

    /// Whether a scalar step can go in front of the vector steps.
    pub fn passes(&self, e: &Effect) -> bool {
        let mut seen = self.effect.reads;
        seen.join(&self.effect.masks);
        seen.join(&self.effect.writes);
        !e.reads.meets(&self.effect.writes) && !e.writes.meets(&seen)
    }

    /// Whether a vector step can join the others.
    pub fn joins(&self, e: &Effect) -> bool {
        !e.reads.meets(&self.effect.writes) && !e.writes.meets(&self.effect.reads)
    }
}
