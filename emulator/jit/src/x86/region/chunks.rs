//! Groups: scalar steps once, then for each chunk of the wave's lanes all vector steps.
//!
//! ```text
//! all live:  without masked instructions, where it costs to keep dead lanes, the steps stand once more for when there are none
//! no lane:   a chunk of which none lives is passed over
//! late:      in loops that write EXEC, with masked instructions, results wait for EXEC at the chunk's end only: a comparison that it is
//!            made of would else hold up what the next one compares
//! ```

use super::super::emit::scalar_at;
use super::{Builder, Code, Done, Instruction, SCALARS};
use crate::group::Group;
use crate::live::Wanted;
use crate::step::{EXEC, Plan, ResultPlace};
use crate::x86::X86Isa;
use crate::x86::ahead::Ahead;
use std::rc::Rc;
use wavepipe_core::wave::{Act, Movement, Node, Step};

/// Vector steps of a group from which on it is worth to ask whether all lanes live.
const SHORT: usize = 3;
/// Vector steps of a group from which on it is worth to ask whether any lane of a chunk lives.
const LONG: usize = 24;
impl Builder<'_> {
    /// Behind it these registers are asked for.
    pub(super) fn group(&mut self, group: Group<'_>, node: &Node, live: Wanted) -> Done<()> {
        for &(act, step, plan) in &group.scalar {
            self.or_call(act, node, |b| b.e.scalar_step(step, plan))?;
        }
        if group.vector.is_empty() {
            return Ok(());
        }
        let mark = self.mark();
        if self.vector(&group.vector, live).is_ok() {
            return Ok(());
        }
        self.back_to(mark);
        for one in group.vector {
            self.or_call(one.0, node, |b| b.vector(&[one], Wanted::ALL))?;
        }
        Ok(())
    }

    /// Vector steps; where it costs to write only the live lanes, once more for when all of them live.
    fn vector(&mut self, steps: &[(&Act, &Step, &Plan)], live: Wanted) -> Done<()> {
        let exec =
            |(_, _, plan): &(&Act, &Step, &Plan)| plan.results.iter().any(|(p, _)| *p == ResultPlace::Mask(EXEC));
        let short = steps.len() < SHORT;
        if self.e.host.target != X86Isa::Avx2 || short && !self.runs || steps.iter().any(exec) {
            return self.chunks(steps, live);
        }
        // What is dirty now has the values of all lanes.
        self.e.settle()?;
        self.e.load_fixed()?;
        if short {
            return self.raw_chunks(steps, live);
        }
        let (some, done) = (self.label(), self.label());
        for half in 0..self.region.halves as u8 {
            match self.e.known_scalar(EXEC + half)? {
                Some(r) => self.e.push(Instruction::with2(Code::Cmp_rm32_imm8, r, -1))?,
                None => self.e.push(Instruction::with2(Code::Cmp_rm32_imm8, scalar_at(SCALARS, EXEC + half), -1))?,
            };
            self.jump(Code::Jne_rel32_64, some)?;
        }
        let before = self.e.mark();
        self.e.all_live = true;
        let all = self.chunks(steps, live).and_then(|()| self.e.settle());
        self.e.all_live = false;
        all?;
        let newer = self.e.dirty(true);
        self.aside(done, |b| {
            b.here(some);
            b.e.know(before);
            b.raw_chunks(steps, live)
        })?;
        self.here(done);
        self.e.soil(&newer);
        self.e.forget_masks(false);
        Ok(())
    }

    /// The movement of a step that is done in front of all its chunks.
    pub(super) fn moves_before<'s>(&self, step: &'s Step) -> Option<&'s Movement> {
        step.movement.as_ref().filter(|_| self.e.host.target == X86Isa::Avx2)
    }

    fn raw_chunks(&mut self, steps: &[(&Act, &Step, &Plan)], live: Wanted) -> Done<()> {
        self.e.raw = true;
        let done = self.chunks(steps, live);
        self.e.raw = false;
        done.and_then(|()| self.e.settle())
    }

    /// Vector steps, chunk by chunk.
    fn chunks(&mut self, steps: &[(&Act, &Step, &Plan)], live: Wanted) -> Done<()> {
        let has =
            |of: &dyn Fn(&ResultPlace) -> bool| steps.iter().any(|(.., plan)| plan.results.iter().any(|(p, _)| of(p)));
        let worth = if self.e.host.target == X86Isa::Avx2 { SHORT } else { LONG };
        let writes_exec = has(&|p| *p == ResultPlace::Mask(EXEC));
        let asks = steps.len() >= worth && !self.e.all_live && !writes_exec;
        if let &[(_, step, _)] = steps
            && let Some(movement) = self.moves_before(step)
        {
            self.e.move_lanes(step, movement)?;
        }
        let moves = steps.iter().any(|(_, step, _)| step.movement.is_some());
        self.e.late = self.diverges && steps.len() > 1 && !moves && !writes_exec;
        if self.e.late {
            // What is kept of them is in their registers.
            self.e.load_fixed()?;
        }
        let keeps = self.e.host.target == X86Isa::Avx2 && !self.e.all_live;
        self.e.bits_late = keeps && !writes_exec;
        if self.e.bits_late || keeps && steps.len() > 1 {
            self.e.spread_exec()?;
        }
        if steps.len() > 1 && !writes_exec {
            self.e.registers.look_ahead(Some(Rc::new(Ahead::of(steps, self.e.chunks(), live.vectors))));
        }
        for chunk in 0..self.e.chunks() {
            let mut over = None;
            if asks {
                self.e.settle()?;
                self.e.load_fixed()?;
            }
            self.e.live_lanes(chunk)?;
            if asks {
                let label = self.label();
                self.e.no_lanes()?;
                self.jump(Code::Je_rel32_64, label)?;
                over = Some(label);
            }
            for (i, (_, step, plan)) in steps.iter().enumerate() {
                self.e.registers.step(chunk, i as u32);
                self.e.for_steps_only = self.passes_by(steps, i, &live);
                self.e.bits_only = !self.is_condition(steps, i);
                self.e.step(step, plan)?;
            }
            self.e.registers.drop_over(chunk);
            self.e.end_raw()?;
            let Some(over) = over else { continue };
            self.e.end_mask()?;
            self.e.settle()?;
            if !self.e.has_masks() {
                self.here(over);
                continue;
            }
            let done = self.label();
            self.jump(Code::Jmp_rel32_64, done)?;
            self.here(over);
            self.e.no_masks()?;
            self.here(done);
        }
        self.e.registers.look_ahead(None);
        (self.e.late, self.e.for_steps_only, self.e.bits_only) = (false, false, false);
        self.e.gather_exec();
        self.e.end_chunks()?;
        self.e.bits_late = false;
        Ok(())
    }

    /// Whether a step makes EXEC, or a lane mask that steps behind it in the group have as a condition.
    fn is_condition(&self, steps: &[(&Act, &Step, &Plan)], i: usize) -> bool {
        let halves = self.region.halves as u8;
        let asks = |m: u8| steps[i + 1..].iter().any(|(.., plan)| (m..m + halves).any(|w| plan.effect.masks.has(w)));
        steps[i].2.masks_written().any(|m| m == EXEC || asks(m))
    }

    /// Whether a step's lane mask is asked for by no one but steps of the group in front of its next mask, which have it as a condition.
    fn passes_by(&self, steps: &[(&Act, &Step, &Plan)], i: usize, live: &Wanted) -> bool {
        let mask = |plan: &Plan| {
            let mut masks = plan.masks_written();
            masks.next().map(|first| (first, masks.next().is_some()))
        };
        let Some((made, false)) = mask(steps[i].2).filter(|(made, _)| *made != EXEC) else { return false };
        let words = made..made + self.region.halves as u8;
        let mut gone = false;
        for (_, step, plan) in &steps[i + 1..] {
            let reads = words.clone().any(|word| plan.effect.masks.has(word));
            if reads && (gone || step.condition != Some(made)) {
                return false;
            }
            match mask(plan) {
                Some((again, _)) if again == made => return true,
                Some(_) => gone = true,
                None => {}
            }
        }
        !words.into_iter().any(|word| live.scalars.has(word))
    }
}
