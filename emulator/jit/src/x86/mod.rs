//! The engine for hosts with AVX-512.
//!
//! The bodies of the rows are recorded, not written again: [`crate::record`] is one more algebra, [`crate::step`] puts
//! modifiers around a recorded body, [`emit`] makes instructions of it, [`registers`] keeps guest registers in host
//! registers, [`region`] makes one function of nodes and ways between them, [`code`] holds it.

mod code;
mod emit;
mod region;
mod registers;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use wavepipe_core::wave::{Finish, HostCode, HostRun, Operand, Region, Shape, Step};
use wavepipe_isa::insts::Op;

/// Whether this host has every instruction that is emitted.
fn is_present() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512vpopcntdq")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// What of a step decides whether it can be emitted: its row and how it names its operands, not which they are.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Form {
    op: Op,
    halves: usize,
    kinds: [std::mem::Discriminant<Operand>; 3],
    shapes: [Shape; 3],
    finish: Finish,
    wide: u8,
    condition: bool,
    /// A destination that is a source, too, or VCC, EXEC: whether lanes would see one another's masks.
    meets: bool,
}

impl Form {
    fn of(step: &Step, halves: usize) -> Form {
        Form {
            op: step.op,
            halves,
            kinds: step.source.map(|s| std::mem::discriminant(&s)),
            shapes: step.shape,
            finish: step.finish,
            wide: step.wide,
            condition: step.condition.is_some(),
            meets: crate::step::Plan::new(step, halves).is_none(),
        }
    }
}

pub struct Avx512 {
    patience: u32,
    /// Whether steps of a form can be emitted.
    forms: Mutex<HashMap<Form, bool>>,
}

impl Avx512 {
    pub fn new(patience: u32) -> Option<Avx512> {
        is_present().then(|| Avx512 { patience, forms: Mutex::default() })
    }
}

impl HostCode for Avx512 {
    fn patience(&self) -> u32 {
        self.patience
    }

    fn compile(&self, region: &Region) -> Option<Box<dyn HostRun>> {
        let takes = |step: &Step| {
            let mut forms = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
            *forms.entry(Form::of(step, region.halves)).or_insert_with(|| region::takes(step, region.halves))
        };
        Some(Box::new(region::assemble(region, &takes)?.place()?))
    }
}
