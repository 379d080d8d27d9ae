//! The engine for hosts of x86-64.
//!
//! [`emit`] makes instructions of a step's nodes, [`registers`] keeps guest registers in host registers, [`ahead`] says for how long,
//! [`region`] makes one function of nodes and ways between them.

mod ahead;
pub(crate) mod emit;
pub(crate) mod region;
mod registers;

use crate::arena::Arena;
use crate::record::F;
use crate::{Feature, Processor};
use X86Isa as HostIsa;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use wavepipe_core::wave::{Finish, HostCode, HostRun, NoCode, Operand, Region, Shape, Step};
use wavepipe_isa::insts::Op;

/// Of the targets those that are made here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum X86Isa {
    Avx512,
    Avx2,
}

pub fn is_present(target: HostIsa) -> bool {
    let common = is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    common
        && match target {
            HostIsa::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512cd")
            }
            HostIsa::Avx2 => {
                is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c")
            }
        }
}

/// What is emitted for.
#[derive(Clone, Copy)]
pub struct Host {
    pub target: HostIsa,
    pub vpopcntdq: bool,
    /// Rows of buffers that are larger are stored past the caches.
    pub streams_from: u32,
}

/// Bytes of the host's largest cache; without an answer, more than any buffer has.
fn cache_bytes() -> u32 {
    let caches = raw_cpuid::CpuId::new().get_cache_parameters().into_iter().flatten();
    let bytes = caches.map(|c| c.sets() * c.associativity() * c.physical_line_partitions() * c.coherency_line_size());
    bytes.max().and_then(|most| u32::try_from(most).ok()).unwrap_or(u32::MAX)
}

impl Host {
    /// Lanes of a vector register.
    pub fn lanes(self) -> usize {
        match self.target {
            HostIsa::Avx512 => 16,
            HostIsa::Avx2 => 8,
        }
    }

    /// Vector registers.
    pub fn registers(self) -> usize {
        match self.target {
            HostIsa::Avx512 => 32,
            // The last holds EXEC.
            HostIsa::Avx2 => 15,
        }
    }

    /// Whether an operation of vectors is emitted as it is.
    pub fn has(self, f: F) -> bool {
        use F::*;
        match self.target {
            HostIsa::Avx512 => match f {
                popcnt | ctz => self.vpopcntdq,
                dmin | dmax | dldexp | drsq | f64_from_i32 | f64_from_u32 | i32_from_f64 | u32_from_f64 => false,
                brev => false,
                _ => true,
            },
            HostIsa::Avx2 => matches!(
                f,
                fmin | fmax
                    | smin
                    | smax
                    | umin
                    | umax
                    | fless
                    | fmore
                    | umulhi
                    | smulhi
                    | ftrunc
                    | ffloor
                    | fceil
                    | frndne
                    | frsq
                    | f32_from_i32
                    | i32_from_f32
                    | f16_from_f32
                    | f16_from_f32_rtz
                    | f32_from_f16
                    | dtrunc
                    | dfloor
                    | dceil
                    | drndne
            ),
        }
    }
}

/// What of a step decides whether it can be emitted: its row and how it names its operands, not which they are.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Form {
    op: Op,
    halves: usize,
    kinds: [std::mem::Discriminant<Operand>; 3],
    shapes: [Shape; 3],
    moves: bool,
    finish: Finish,
    wide: u8,
    condition: bool,
}

impl Form {
    fn of(step: &Step, halves: usize) -> Form {
        Form {
            op: step.op,
            halves,
            kinds: step.source.map(|s| std::mem::discriminant(&s)),
            shapes: step.shape,
            moves: step.movement.is_some(),
            finish: step.finish,
            wide: step.wide,
            condition: step.condition.is_some(),
        }
    }
}

pub struct Engine {
    patience: u32,
    host: Host,
    /// Whether steps of a form can be emitted.
    forms: Mutex<HashMap<Form, bool>>,
    arena: Arena,
    /// Who executes the code, if not this host.
    processor: Option<Arc<dyn Processor>>,
}

impl Engine {
    pub fn new(
        target: HostIsa,
        patience: u32,
        without: &[Feature],
        arena: Arena,
        processor: Option<Arc<dyn Processor>>,
    ) -> Engine {
        let there = processor.is_some() || is_x86_feature_detected!("avx512vpopcntdq");
        let vpopcntdq = there && !without.contains(&Feature::Vpopcntdq);
        let streams_from = if without.contains(&Feature::Caches) { 0 } else { cache_bytes() };
        Engine { patience, host: Host { target, vpopcntdq, streams_from }, forms: Mutex::default(), arena, processor }
    }
}

impl HostCode for Engine {
    fn patience(&self) -> u32 {
        self.patience
    }

    fn compile(&self, region: &Region) -> Result<Box<dyn HostRun>, NoCode> {
        let takes = |step: &Step| {
            let form = Form::of(step, region.halves);
            let mut forms = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
            *forms.entry(form).or_insert_with(|| region::takes(step, region.halves, self.host))
        };
        let assembly = region::assemble(region, self.host, &takes).ok_or(NoCode::Never)?;
        Ok(Box::new(assembly.place(&self.arena, self.processor.as_deref())?))
    }

    fn publish(&self) {
        crate::code::drain_stores();
    }
}
