//! What an engine of host code is given of an instruction, and how often blocks run.
//!
//! ```text
//! decode:   every operation that reads and writes registers only -> a Step
//! count:    the execution that the engine's patience names has a region made from the block on ([`super::region`])
//! ```

use super::op::{Known, MicroOp};
use super::prepare::{Finish, Movement, Shape};
use super::state::LITERAL;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use wavepipe_isa::Src;
use wavepipe_isa::insts::Op;
use wavepipe_isa::row::Sem;

/// The scalar that reads as zero.
pub(super) const NULL: u8 = Src::NULL.0 as u8;

/// Where a source comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// Word 0 is this register, counted from the wave's first row; word 1 the next.
    Vgpr(u32),
    /// The same words for every lane.
    Constant([u32; 2]),
    /// Words of the scalar file.
    Scalar([u8; 2]),
}

/// One operation on registers, as an engine of host code takes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub op: Op,
    pub source: [Operand; 3],
    /// What modifiers do to the sources.
    pub shape: [Shape; 3],
    /// How lanes move in source 0 before that.
    pub movement: Option<Movement>,
    /// Bit i: source i has two words; bit 3: so has the result.
    pub wide: u8,
    /// Scalar of the condition in; for a lane mask of wave64, the low one. `None`: it is false.
    pub condition: Option<u8>,
    /// A register as in [`Operand::Vgpr`], or a scalar.
    pub dst: u32,
    /// Scalar of the condition out.
    pub dst2: u8,
    pub finish: Finish,
}

impl Step {
    /// Scalar operations work on the scalar file only.
    pub fn is_scalar(&self) -> bool {
        self.op.row().format.is_salu()
    }
}

/// What an operation is to an engine.
pub(super) enum Role {
    Step(Step),
    /// It does nothing.
    Nothing,
    Interpreted,
}

pub(super) fn role(op: &MicroOp, halves: usize) -> Role {
    match op.known {
        Known::Body => {}
        Known::Nothing => return Role::Nothing,
        Known::No | Known::Access | Known::Lanes => return Role::Interpreted,
    }
    let scalar = op.row.format.is_salu();
    // A lane mask in two registers that are no pair.
    let mask = op.row.src.iter().any(|ty| super::lower::is_mask(*ty));
    if !scalar && mask && halves == 2 && op.s[6] != NULL && op.s[7] != op.s[6].wrapping_add(1) {
        return Role::Interpreted;
    }
    let source = [0, 1, 2].map(|k| {
        if scalar {
            let [low, high] = [op.s[2 * k], op.s[2 * k + 1]];
            // The literal lies in the scalar file only while its instruction runs.
            let literal = (usize::from(low) == LITERAL).then_some(op.literal);
            let inline = |s: u8| Src(s.into()).inline_value();
            match (literal, inline(low), inline(high)) {
                (Some(word), _, high) => Operand::Constant([word, high.unwrap_or(0)]),
                (None, Some(low), Some(high)) => Operand::Constant([low, high]),
                // Doubles have words of their own in the scalar file.
                _ => Operand::Scalar([low, high]),
            }
        } else if op.constant >> k & 1 != 0 {
            Operand::Constant(op.src[k].words(halves))
        } else if op.splat >> k & 1 != 0 {
            Operand::Scalar([op.s[2 * k], op.s[2 * k + 1]])
        } else {
            Operand::Vgpr((op.src[k].index() / halves) as u32)
        }
    });
    let (shape, movement, finish) = match &op.ext {
        None => ([Shape::AS_IS; 3], None, Finish::Direct),
        Some(ext) => match &ext.plan {
            Some(plan) => plan.parts(),
            None => return Role::Interpreted,
        },
    };
    let to_scalar = scalar || matches!(op.row.sem, Sem::Compare | Sem::CompareExec);
    Role::Step(Step {
        op: op.op,
        source,
        shape,
        movement,
        wide: op.wide,
        condition: (op.s[6] != NULL).then_some(op.s[6]),
        dst: if to_scalar { op.dst } else { op.dst / halves as u32 },
        dst2: op.dst2 as u8,
        finish,
    })
}

/// How often a block ran, and what became of that.
#[derive(Default)]
pub(crate) struct Heat {
    runs: AtomicU32,
    compiled: AtomicBool,
}

impl Heat {
    /// Counts an execution, from 1.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.runs.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    pub fn has_run(&self) -> bool {
        self.runs.load(Ordering::Relaxed) != 0
    }

    /// There is host code from the block on.
    pub fn set_compiled(&self) {
        self.compiled.store(true, Ordering::Release);
    }

    /// There is none any more, and it has to become hot again.
    pub fn cool(&self) {
        self.compiled.store(false, Ordering::Release);
        self.runs.store(0, Ordering::Relaxed);
    }

    #[inline(always)]
    pub fn is_compiled(&self) -> bool {
        self.compiled.load(Ordering::Acquire)
    }
}
