//! Steps to one function.
//!
//! ```text
//! group:  steps in order; a vector step joins the open group unless lanes would see one another's masks
//!         a scalar step moves in front of the open group if neither sees what the other writes, else it opens a new one
//! emit:   each group's scalar steps once; then a loop over the wave's lanes by 16 with all its vector steps, so that
//!         a register stays in a host register from one step to the next; 16 lanes of which none is live are passed over
//! ```

use super::code::ExecutableCode;
use super::emit::{Emitter, MASKS, ROWS, Refused, SCALARS};
use crate::record::F;
use crate::step::{Effect, Plan, ResultPlace};
use iced_x86::{BlockEncoder, BlockEncoderOptions, Code, Instruction, InstructionBlock, Register};
use wavepipe_core::wave::{HostRun, Step};

/// Steps that run as scalars, then lane by lane.
#[derive(Default)]
struct Group<'s> {
    scalar: Vec<(&'s Step, Plan)>,
    vector: Vec<(&'s Step, Plan)>,
    /// What the vector steps touch.
    effect: Effect,
}

impl Group<'_> {
    /// Whether a scalar step can go in front of the vector steps.
    fn passes(&self, e: &Effect) -> bool {
        let mut seen = self.effect.reads;
        seen.join(&self.effect.masks);
        seen.join(&self.effect.writes);
        !e.reads.meets(&self.effect.writes) && !e.writes.meets(&seen)
    }

    /// Whether a vector step can join the loop.
    fn joins(&self, e: &Effect) -> bool {
        !e.reads.meets(&self.effect.writes) && !e.writes.meets(&self.effect.reads)
    }
}

fn groups<'s>(steps: &'s [Step], halves: usize, has: &dyn Fn(F) -> bool) -> Option<Vec<Group<'s>>> {
    let mut groups = vec![Group::default()];
    for step in steps {
        let plan = Plan::new(step, halves, has)?;
        let open = groups.last()?;
        let fits = if step.is_scalar() { open.passes(&plan.effect) } else { open.joins(&plan.effect) };
        if !fits {
            groups.push(Group::default());
        }
        let open = groups.last_mut()?;
        if step.is_scalar() {
            open.scalar.push((step, plan));
        } else {
            open.effect.reads.join(&plan.effect.reads);
            open.effect.masks.join(&plan.effect.masks);
            open.effect.writes.join(&plan.effect.writes);
            open.vector.push((step, plan));
        }
    }
    Some(groups)
}

/// Instructions and constants of the whole function.
pub struct Assembly {
    pub code: Vec<Instruction>,
    constants: Vec<u32>,
}

pub fn assemble(steps: &[Step], halves: usize, has: &dyn Fn(F) -> bool) -> Option<Assembly> {
    emit(&groups(steps, halves, has)?, halves).ok()
}

fn emit(groups: &[Group<'_>], halves: usize) -> Result<Assembly, Refused> {
    let mut e = Emitter::new(halves);
    // Labels are instruction addresses; the encoder makes real ones of them.
    let mut label = 0;
    let mut here = || {
        label += 1;
        label
    };
    for group in groups {
        for (step, plan) in &group.scalar {
            e.step(step, plan)?;
        }
        e.flush()?;
        if group.vector.is_empty() {
            continue;
        }
        let (again, on) = (here(), here());
        e.push(Instruction::with2(Code::Mov_r64_rm64, ROWS, Register::RDI))?;
        e.push(Instruction::with2(Code::Mov_r64_rm64, MASKS, SCALARS))?;
        e.push(Instruction::with2(Code::Mov_r32_imm32, Register::ECX, 2 * halves as i32))?;
        let first = e.code.len();
        e.live_lanes()?;
        e.code[first].set_ip(again);
        if !group.vector.iter().any(|(_, plan)| plan.results.iter().any(|(p, _)| matches!(p, ResultPlace::Mask(_)))) {
            e.push(Instruction::with2(Code::VEX_Kortestw_kr_kr, Register::K1, Register::K1))?;
            e.push(Instruction::with_branch(Code::Je_rel32_64, on))?;
        }
        for (step, plan) in &group.vector {
            e.step(step, plan)?;
        }
        e.flush()?;
        e.push(Instruction::with2(Code::Add_rm64_imm32, ROWS, 64))?.set_ip(on);
        e.push(Instruction::with2(Code::Add_rm64_imm32, MASKS, 2))?;
        e.push(Instruction::with1(Code::Dec_rm32, Register::ECX))?;
        e.push(Instruction::with_branch(Code::Jne_rel32_64, again))?;
    }
    e.push(Ok(Instruction::with(Code::VEX_Vzeroupper)))?;
    e.push(Ok(Instruction::with(Code::Retnq)))?;
    Ok(Assembly { code: e.code, constants: e.constants })
}

/// A compiled run.
pub struct Run {
    code: ExecutableCode,
    /// What the code's constants register points at.
    _constants: Box<[u32]>,
}

impl Assembly {
    pub fn place(mut self) -> Option<Run> {
        let constants: Box<[u32]> = self.constants.into();
        let at = constants.as_ptr().expose_provenance() as u64;
        self.code.insert(0, Instruction::with2(Code::Mov_r64_imm64, Register::R10, at).ok()?);
        let block = InstructionBlock::new(&self.code, 0);
        let bytes = BlockEncoder::encode(64, block, BlockEncoderOptions::NONE).ok()?.code_buffer;
        Some(Run { code: ExecutableCode::new(&bytes)?, _constants: constants })
    }
}

impl HostRun for Run {
    unsafe fn run(&self, rows: *mut u32, scalars: *mut u32) {
        // SAFETY: the code was emitted for these arguments; it touches the rows of the registers that the steps name and
        // the 256 scalars, and its constants live as long as it does.
        unsafe { self.code.call(rows, scalars) }
    }
}
