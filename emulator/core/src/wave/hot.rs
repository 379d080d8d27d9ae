//! Blocks that run often: the runs of their operations that an engine of host code takes over.
//!
//! ```text
//! decode:   every operation that reads and writes registers only -> a Step
//! count:    the execution that the engine's patience names asks it, once
//! split:    steps that the engine knows and no-ops, side by side -> a run; all others stay the interpreter's
//! execute:  runs and the interpreter's operations in the block's order
//! ```
//!
//! Invariant: a run does to the wave's registers what its operations would have done one by one, in the MODE that the
//! block's key names and with DX10_CLAMP set; it never stops the block.

use super::block::Block;
use super::env::Env;
use super::op::MicroOp;
use super::prepare::{Finish, Shape};
use super::state::{LITERAL, Wave};
use super::table;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use wavepipe_isa::Src;
use wavepipe_isa::insts::Op;
use wavepipe_isa::row::Sem;

/// The scalar that reads as zero.
const NULL: u8 = Src::NULL.0 as u8;
/// Shortest run that is faster than its operations one by one.
const SHORTEST: usize = 2;

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

/// An engine that makes host code.
pub trait HostCode: Send + Sync {
    /// The execution of a block, counted from 1, in front of which it is compiled.
    fn patience(&self) -> u32;
    /// Whether [`HostCode::compile`] takes the step.
    fn knows(&self, step: &Step) -> bool;
    /// Code for all of `steps`, of a wave of `halves` · 32 lanes; `None`: the interpreter keeps them.
    fn compile(&self, steps: &[Step], halves: usize) -> Option<Box<dyn HostRun>>;
}

/// Compiled steps.
pub trait HostRun: Send + Sync {
    /// Executes the steps on registers: rows of 32 words, register r of half h at row r · halves + h; and on the scalar
    /// file of 256 words.
    ///
    /// # Safety
    /// `rows` is aligned to 64 bytes and holds every register that the steps name.
    unsafe fn run(&self, rows: *mut u32, scalars: *mut u32);
}

enum Piece {
    Interpreted(Range<usize>),
    /// This many operations by one call.
    Host(usize, Box<dyn HostRun>),
}

/// A block with host code.
pub(crate) struct HotBlock {
    pieces: Box<[Piece]>,
}

/// How often a block ran, and what became of that.
#[derive(Default)]
pub(crate) struct Heat {
    runs: AtomicU32,
    hot: OnceLock<Option<HotBlock>>,
}

/// What an operation is to an engine.
enum Role {
    Step(Step),
    /// It does nothing.
    Nothing,
    Interpreted,
}

fn role(op: &MicroOp, halves: usize) -> Role {
    if std::ptr::fn_addr_eq(op.f, table::nop as super::op::OpFn) {
        return Role::Nothing;
    }
    if !op.nearest {
        return Role::Interpreted;
    }
    let scalar = op.row.format.is_salu();
    // A lane mask in two registers that are no pair.
    let mask = op.row.src.iter().any(|ty| super::lower::is_mask(*ty));
    if !scalar && mask && halves == 2 && op.s[6] != NULL && op.s[7] != op.s[6].wrapping_add(1) {
        return Role::Interpreted;
    }
    let source = [0, 1, 2].map(|k| {
        if scalar {
            // The literal lies in the scalar file only while its instruction runs.
            let [low, high] = [op.s[2 * k], op.s[2 * k + 1]];
            if usize::from(low) == LITERAL {
                let high = Src(high.into()).inline_value().unwrap_or(0);
                Operand::Constant([op.literal, high])
            } else {
                Operand::Scalar([low, high])
            }
        } else if op.constant >> k & 1 != 0 {
            Operand::Constant(op.src[k].words(halves))
        } else if op.splat >> k & 1 != 0 {
            Operand::Scalar([op.s[2 * k], op.s[2 * k + 1]])
        } else {
            Operand::Vgpr((op.src[k].index() / halves) as u32)
        }
    });
    let (shape, finish) = match &op.ext {
        None => ([Shape::AS_IS; 3], Finish::Direct),
        Some(ext) => match ext.plan.as_ref().and_then(|plan| plan.shapes()) {
            Some(shapes) => shapes,
            None => return Role::Interpreted,
        },
    };
    let to_scalar = scalar || matches!(op.row.sem, Sem::Compare | Sem::CompareExec);
    Role::Step(Step {
        op: op.op,
        source,
        shape,
        wide: op.wide,
        condition: (op.s[6] != NULL).then_some(op.s[6]),
        dst: if to_scalar { op.dst } else { op.dst / halves as u32 },
        dst2: op.dst2 as u8,
        finish,
    })
}

impl HotBlock {
    fn new(block: &Block, engine: &dyn HostCode) -> Option<HotBlock> {
        let halves = block.lanes as usize / 32;
        let mut pieces = Vec::new();
        let (mut steps, mut begin, mut interpreted) = (Vec::new(), 0, 0);
        let mut close = |steps: &mut Vec<Step>, begin: usize, end: usize, interpreted: &mut usize| {
            let run = if steps.len() < SHORTEST { None } else { engine.compile(steps, halves) };
            steps.clear();
            let Some(run) = run else { return };
            if *interpreted < begin {
                pieces.push(Piece::Interpreted(*interpreted..begin));
            }
            pieces.push(Piece::Host(end - begin, run));
            *interpreted = end;
        };
        for (i, op) in block.ops.iter().enumerate() {
            match role(op, halves) {
                Role::Step(step) if engine.knows(&step) => {
                    if steps.is_empty() {
                        begin = i;
                    }
                    steps.push(step);
                }
                Role::Nothing => {}
                _ => close(&mut steps, begin, i, &mut interpreted),
            }
        }
        close(&mut steps, begin, block.ops.len(), &mut interpreted);
        if pieces.is_empty() {
            return None;
        }
        if interpreted < block.ops.len() {
            pieces.push(Piece::Interpreted(interpreted..block.ops.len()));
        }
        Some(HotBlock { pieces: pieces.into() })
    }

    /// Runs the block; how many operations were done, and whether the last one ended it.
    ///
    /// # Safety
    /// As for [`super::op::OpFn`]: `self` was made from `block`, which was decoded for waves such as `w`.
    #[inline(always)]
    pub unsafe fn run(&self, block: &Block, w: &mut Wave, env: &mut Env<'_>) -> (usize, bool) {
        let mut done = 0;
        for piece in &self.pieces {
            match piece {
                Piece::Host(n, run) => {
                    // SAFETY: rows are aligned to 64 bytes, and the block's operations, of which the steps were made,
                    // name registers of the wave only.
                    unsafe { run.run(w.v.first_row(), w.s.0.as_mut_ptr()) };
                    done += n;
                }
                Piece::Interpreted(range) => {
                    for op in &block.ops[range.clone()] {
                        done += 1;
                        // SAFETY: the caller's promise.
                        if unsafe { (op.f)(w, op, env) } {
                            return (done, true);
                        }
                    }
                }
            }
        }
        (done, false)
    }
}

impl Heat {
    /// Counts an execution; the block's host code once it is hot and there is any.
    #[inline(always)]
    pub fn hot<'b>(&'b self, block: &'b Block, engine: Option<&dyn HostCode>) -> Option<&'b HotBlock> {
        let engine = engine?;
        if let Some(hot) = self.hot.get() {
            return hot.as_ref();
        }
        self.warm(block, engine)
    }

    #[cold]
    fn warm<'b>(&'b self, block: &'b Block, engine: &dyn HostCode) -> Option<&'b HotBlock> {
        if self.runs.fetch_add(1, Ordering::Relaxed) + 1 != engine.patience() {
            return None;
        }
        self.hot.get_or_init(|| HotBlock::new(block, engine)).as_ref()
    }
}
