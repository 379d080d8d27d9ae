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

#[cfg(test)]
mod tests {
    use super::*;
    use wavepipe_core::wave::{Finish, Operand, Shape};
    use wavepipe_isa::insts::Op;

    /// How many rows become code, and how many of them with an instruction of VPOPCNTDQ.
    fn counted(engine: &Avx512) -> (usize, usize) {
        let shape = [Shape::AS_IS; 3];
        let codes = Op::all().filter_map(|op| {
            let scalar = op.row().format.is_salu();
            let source = [0, 2, 4].map(|r| if scalar { Operand::Scalar([r, r + 1]) } else { Operand::Vgpr(r.into()) });
            let (condition, finish) = (Some(106), Finish::Direct);
            let step = Step { op, source, shape, wide: 0, condition, dst: 6, dst2: 8, finish };
            Some(run::assemble(&[step], 2, &|f| engine.has(f))?.code)
        });
        let counts: Vec<bool> =
            codes.map(|code| code.iter().any(|i| format!("{:?}", i.code()).contains("Vpopcnt"))).collect();
        (counts.len(), counts.iter().filter(|&&c| c).count())
    }

    #[test]
    fn a_host_without_vpopcntdq_never_meets_its_instructions() {
        let rows = || (0..insts::COUNT).map(|_| OnceLock::new()).collect();
        let [with, without] = [true, false].map(|vpopcntdq| counted(&Avx512 { patience: 1, vpopcntdq, rows: rows() }));
        assert!(with.0 > 500 && with.1 > 5, "too little was tried: {with:?}");
        assert_eq!(without, (with.0, 0));
    }
}
