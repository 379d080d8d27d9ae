//! Atomics of all live lanes at one place in host code, as of counters: one for the wave.
//!
//! ```text
//! look:     the first lane lives, and in its chunk another one has another offset: lane by lane. Data seldom have a whole chunk at one
//!           place by chance, so that this is foreseen
//! ask:      several lanes of the first chunk live, and all live lanes' offsets are the first one's; else lane by lane
//! combine:  the live lanes' data, then one lane's atomic with that
//! pass on:  where what was there before is asked for, each lane gets what the lanes in front of it made of that
//! ```
//!
//! So it is what lanes do one after the other, and nobody else came in between.

use super::super::emit::{DATA_LANES, Done, Files, Refused, avx2};
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
        let (may, not, several) = (self.label(), self.label(), self.label());
        self.e.live_lanes(0)?;
        let (off, far, spare) = (self.offsets(access, 0)?.ok_or(Refused)?, self.e.temporary()?, self.e.temporary()?);
        self.e.apart(far, off)?;
        self.e.is_apart_by(far, avx2::NOWHERE, spare)?;
        self.jump(Code::Je_rel32_64, may)?;
        self.e.live_bits(Register::EDI)?;
        self.e.push(Instruction::with2(Code::Test_rm8_imm8, Register::DIL, 1))?;
        self.jump(Code::Je_rel32_64, may)?;
        [off, far, spare].into_iter().for_each(|r| self.e.registers.unpin(r));
        self.here(several);
        let before = self.e.mark();
        let held = Files { vectors: self.e.registers.held(), words: self.e.words.held() };
        self.aside(on, |b| {
            b.here(may);
            let (first, far, spare) = (b.e.temporary()?, b.e.temporary()?, b.e.temporary()?);
            for chunk in 0..b.e.chunks() {
                b.e.live_lanes(chunk)?;
                let off = b.offsets(access, chunk)?.ok_or(Refused)?;
                if chunk == 0 {
                    b.e.first_of_some(first, off)?;
                    b.jump(Code::Je_rel32_64, not)?;
                }
                b.e.binary(F::sub, far, off, first)?;
                b.e.is_apart_by(far, avx2::NOWHERE, spare)?;
                b.jump(Code::Jne_rel32_64, not)?;
                b.e.registers.unpin(off);
            }
            b.e.stack_at(first, 0)?;
            [first, far, spare].into_iter().for_each(|r| b.e.registers.unpin(r));
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
        self.aside(several, |b| {
            b.here(not);
            b.e.load_all(held)
        })?;
        self.e.know(before);
        Ok(())
    }
}
