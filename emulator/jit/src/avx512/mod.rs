//! The engine for hosts with AVX-512.
//!
//! [`emit`] makes instructions of a step's nodes, [`registers`] keeps guest registers in host registers, [`run`] makes one
//! function of many steps, [`code`] holds it.

mod code;
mod emit;
mod registers;
mod run;

use crate::record::F;
use crate::{Feature, step};
use std::sync::OnceLock;
use wavepipe_core::wave::{HostCode, HostRun, Step};
use wavepipe_isa::insts;

/// Whether this host has every instruction that is emitted, but for what a [`Feature`] stands for.
fn is_present() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512cd")
}

pub struct Avx512 {
    patience: u32,
    vpopcntdq: bool,
    /// By row: whether its plain form can be emitted.
    rows: Vec<OnceLock<bool>>,
}

impl Avx512 {
    pub fn new(patience: u32, without: &[Feature]) -> Option<Avx512> {
        let vpopcntdq = is_x86_feature_detected!("avx512vpopcntdq") && !without.contains(&Feature::Vpopcntdq);
        let rows = (0..insts::COUNT).map(|_| OnceLock::new()).collect();
        is_present().then_some(Avx512 { patience, vpopcntdq, rows })
    }

    /// Whether the operation is emitted as it is, if it is at all.
    fn has(&self, f: F) -> bool {
        match f {
            F::popcnt | F::ctz => self.vpopcntdq,
            _ => true,
        }
    }
}

impl HostCode for Avx512 {
    fn patience(&self) -> u32 {
        self.patience
    }

    fn knows(&self, step: &Step) -> bool {
        let Some(row) = self.rows.get(usize::from(step.op.0)) else { return false };
        // Of wave64, which names the more scalars.
        *row.get_or_init(|| run::assemble(std::slice::from_ref(step), 2, &|f| self.has(f)).is_some())
            && step::Plan::new(step, 2, &|f| self.has(f)).is_some()
    }

    fn compile(&self, steps: &[Step], halves: usize) -> Option<Box<dyn HostRun>> {
        let run = run::assemble(steps, halves, &|f| self.has(f))?.place()?;
        Some(Box::new(run))
    }
}
