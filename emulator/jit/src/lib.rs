//! Host code from hot blocks: the same meanings as the interpreter, faster.
//!
//! [`wavepipe_core`] decides what is hot and hands over runs of steps; whatever an engine does not know runs in the
//! interpreter. The bodies of the rows are recorded, not written again: [`record`] is one more algebra, [`step`] puts
//! modifiers around a recorded body, [`emit`] makes AVX-512 of it, [`registers`] keeps guest registers in host registers,
//! [`run`] makes one function of many steps, [`code`] holds it. [`engine`] gives `None` on hosts without AVX-512.

#![allow(clippy::precedence)]

#[cfg(target_arch = "x86_64")]
mod code;
#[cfg(target_arch = "x86_64")]
mod emit;
#[cfg(target_arch = "x86_64")]
mod record;
#[cfg(target_arch = "x86_64")]
mod registers;
#[cfg(target_arch = "x86_64")]
mod run;
#[cfg(target_arch = "x86_64")]
mod step;

use std::sync::{Arc, OnceLock};
use wavepipe_core::wave::HostCode;

/// The engine for this host, if it has one.
pub fn engine() -> Option<Arc<dyn HostCode>> {
    #[cfg(target_arch = "x86_64")]
    if has_avx512() {
        return Some(Arc::new(Avx512::default()));
    }
    None
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512vpopcntdq")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c")
}

#[cfg(target_arch = "x86_64")]
struct Avx512 {
    /// By row: whether its plain form can be emitted.
    rows: Vec<OnceLock<bool>>,
}

#[cfg(target_arch = "x86_64")]
impl Default for Avx512 {
    fn default() -> Self {
        Avx512 { rows: (0..wavepipe_isa::insts::COUNT).map(|_| OnceLock::new()).collect() }
    }
}

#[cfg(target_arch = "x86_64")]
impl HostCode for Avx512 {
    fn knows(&self, step: &wavepipe_core::wave::Step) -> bool {
        let Some(row) = self.rows.get(usize::from(step.op.0)) else { return false };
        // Of wave64, which names the more scalars.
        *row.get_or_init(|| run::assemble(std::slice::from_ref(step), 2).is_some())
            && step::Plan::new(step, 2).is_some()
    }

    fn compile(
        &self,
        steps: &[wavepipe_core::wave::Step],
        halves: usize,
    ) -> Option<Box<dyn wavepipe_core::wave::HostRun>> {
        let run = run::assemble(steps, halves)?.place()?;
        Some(Box::new(run))
    }
}
