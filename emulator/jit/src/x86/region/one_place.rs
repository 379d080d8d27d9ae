//! Atomics of all live lanes at one place in host code, as of counters: one for the wave.
//!
//! ```text
//! ask:      several lanes of the first chunk live, and all live lanes' offsets are the first one's; else lane by lane
//! combine:  the live lanes' data, then one lane's atomic with that
//! pass on:  where what was there before is asked for, each lane gets what the lanes in front of it made of that
//! ```
//!
//! So it is what lanes do one after the other, and nobody else came in between.

use super::super::emit::{DATA_LANES, Done, Refused, avx2};
use super::super::registers::Home;
use super::by_lane::Each;
use super::{Builder, Code, Instruction, Label, PLACE, Register, on_stack};
use crate::atomic::together;
use crate::record::F;
use iced_x86::MemoryOperand;
use wavepipe_core::wave::{Access, Motion, Part};

impl Builder<'_> {
    /// What follows is for lanes at several places, up to `on`; or for all, where registers do not suffice for more. RAX is the place.
    pub(super) fn at_one_place(&mut self, access: &Access, part: &Part, each: Each, on: Label) {
        let before = self.mark();
        if self.as_one(access, part, each, on).is_err() {
            self.back_to(before);
        }
    }

    fn as_one(&mut self, access: &Access, part: &Part, each: Each, on: Label) -> Done<()> {
        let Motion::Atomic { op, returns, .. } = access.motion else { return Err(Refused) };
        let Some(how) = together(op) else { return Ok(()) };
        let (one, several) = (self.label(), self.label());
        let (first, far, spare) = (self.e.temporary()?, self.e.temporary()?, self.e.temporary()?);
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            let off = self.offsets(access, chunk)?.ok_or(Refused)?;
            if chunk == 0 {
                self.e.first_of_some(first, off)?;
                self.jump(Code::Je_rel32_64, several)?;
            }
            self.e.binary(F::sub, far, off, first)?;
            self.e.is_apart_by(far, avx2::NOWHERE, spare)?;
            self.jump(Code::Jne_rel32_64, several)?;
            self.e.registers.unpin(off);
        }
        self.e.stack_at(first, 0)?;
        self.jump(Code::Jmp_rel32_64, one)?;
        [first, far, spare].into_iter().for_each(|r| self.e.registers.unpin(r));
        // Not all ways here have loaded the same.
        self.e.settle()?;
        self.e.forget_masks(true);
        let before = self.e.mark();
        self.aside(on, |b| {
            b.here(one);
            let all = b.e.temporary()?;
            for chunk in 0..b.e.chunks() {
                b.e.live_lanes(chunk)?;
                let data = b.e.home(Home::Vgpr(part.data, chunk))?;
                b.e.come_together(how, all, data, chunk == 0)?;
                b.e.registers.unpin(data);
            }
            b.e.all_together(how, all)?;
            b.e.stack_at(all, DATA_LANES)?;
            b.e.registers.unpin(all);
            if each.is_long() {
                b.e.push(Instruction::with2(Code::Mov_rm64_r64, on_stack(PLACE), Register::RAX))?;
            }
            b.of_lane(|at| MemoryOperand::with_base_displ(Register::RSP, at), part.offset, each)?;
            if let Some(v) = returns {
                let (before, old) = (b.e.temporary()?, b.e.temporary()?);
                b.e.broadcast(before, MemoryOperand::with_base_displ(Register::RSP, DATA_LANES))?;
                for chunk in 0..b.e.chunks() {
                    b.e.live_lanes(chunk)?;
                    let data = b.e.home(Home::Vgpr(part.data, chunk))?;
                    b.e.come_together(how, old, data, true)?;
                    b.e.registers.unpin(data);
                    b.e.pass_on((op, how), before, old)?;
                    let home = b.e.home(Home::Vgpr(v, chunk))?;
                    b.e.merge(home, old)?;
                    b.e.registers.soil(home);
                    b.e.registers.unpin(home);
                }
                [before, old].into_iter().for_each(|r| b.e.registers.unpin(r));
            }
            b.e.settle()
        })?;
        self.e.know(before);
        self.here(several);
        Ok(())
    }
}
