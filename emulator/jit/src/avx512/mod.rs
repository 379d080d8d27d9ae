//! The engine for hosts with AVX-512.
//!
//! The bodies of the rows are recorded, not written again: [`record`] is one more algebra, [`step`] puts modifiers around a
//! recorded body, [`emit`] makes instructions of it, [`registers`] keeps guest registers in host registers, [`run`] makes
//! one function of many steps, [`code`] holds it.

mod code;
mod emit;
mod record;
mod registers;
mod run;
mod step;

use std::sync::OnceLock;
use wavepipe_core::wave::{HostCode, HostRun, Step};
use wavepipe_isa::insts;

/// Whether this host has every instruction that is emitted.
fn is_present() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512vpopcntdq")
}

pub struct Avx512 {
    patience: u32,
    /// By row: whether its plain form can be emitted.
    rows: Vec<OnceLock<bool>>,
}

impl Avx512 {
    pub fn new(patience: u32) -> Option<Avx512> {
        is_present().then(|| Avx512 { patience, rows: (0..insts::COUNT).map(|_| OnceLock::new()).collect() })
    }
}

impl HostCode for Avx512 {
    fn patience(&self) -> u32 {
        self.patience
    }

    fn knows(&self, step: &Step) -> bool {
        let Some(row) = self.rows.get(usize::from(step.op.0)) else { return false };
        // Of wave64, which names the more scalars.
        *row.get_or_init(|| run::assemble(std::slice::from_ref(step), 2).is_some())
            && step::Plan::new(step, 2).is_some()
    }

    fn compile(&self, steps: &[Step], halves: usize) -> Option<Box<dyn HostRun>> {
        let run = run::assemble(steps, halves)?.place()?;
        Some(Box::new(run))
    }
}
