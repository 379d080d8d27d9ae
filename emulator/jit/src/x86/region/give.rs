//! Words that lanes give to others (DS_PERMUTE), which takes a loop; what [`Emitter::across`] does stands there.
//!
//! ```text
//! half:   rows of ours on the stack, zero; the live lanes' words to where they go, the lowest lane first
//! chunks: from there to the register, under EXEC; of all halves behind the last, for it may be the register that the words come from
//! ```
//!
//! [`Emitter::across`]: super::super::emit::Emitter::across

use super::super::emit::{Done, MOVED_LANES, ROWS, Refused};
use super::super::registers::Home;
use super::{Builder, Code, Instruction, Register};
use crate::step::EXEC;
use iced_x86::MemoryOperand;
use wavepipe_core::wave::Across;

/// Lanes of a half.
const HALF: i64 = 32;

impl Builder<'_> {
    pub(super) fn across(&mut self, across: &Across) -> Done<()> {
        let &Across::Give { from, address, offset, to } = across else { return self.e.across(across) };
        // Scalars that are not fixed leave their registers.
        self.e.settle()?;
        for register in [from, address] {
            self.e.rows_in_memory(register, 0..self.e.chunks())?;
        }
        let zero = self.e.home(Home::Constant(0))?;
        let rows = MOVED_LANES..MOVED_LANES + 4 * HALF * self.region.halves as i64;
        for at in rows.step_by(4 * self.e.host.lanes()) {
            self.e.stack_at(zero, at)?;
        }
        self.e.registers.unpin(zero);
        for half in 0..self.region.halves as i64 {
            self.give(half, (from, address, offset))?;
        }
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            let (r, home) = (self.e.temporary()?, self.e.home(Home::Vgpr(to, chunk))?);
            self.e.unstack_at(r, MOVED_LANES + 4 * self.e.host.lanes() as i64 * i64::from(chunk))?;
            self.e.merge(home, r)?;
            self.e.registers.soil(home);
            [home, r].into_iter().for_each(|r| self.e.registers.unpin(r));
        }
        self.e.settle()
    }

    fn give(&mut self, half: i64, (from, address, offset): (u32, u32, u32)) -> Done<()> {
        use Register::{ECX, EDI, EDX, ESI, RCX, RDX, RSP};
        let (next, done) = (self.label(), self.label());
        let i = u8::try_from(i64::from(EXEC) + half).map_err(|_| Refused)?;
        self.e.with_scalar(Code::Mov_r32_rm32, EDI, i)?;
        self.e.push(Instruction::with2(Code::Test_rm32_r32, EDI, EDI))?;
        self.jump(Code::Je_rel32_64, done)?;
        self.here(next);
        self.e.push(Instruction::with2(Code::Tzcnt_r32_rm32, ECX, EDI))?;
        let lane = |b: &Self, register: u32| {
            let at = b.e.lanes_of(register) + 4 * HALF * half;
            MemoryOperand::with_base_index_scale_displ_size(ROWS, RCX, 4, at, 8)
        };
        let (at, data) = (lane(self, address), lane(self, from));
        self.e.push(Instruction::with2(Code::Mov_r32_rm32, EDX, at))?;
        self.e.push(Instruction::with2(Code::Mov_r32_rm32, ESI, data))?;
        self.e.push(Instruction::with2(Code::Add_rm32_imm32, EDX, offset as i32))?;
        self.e.push(Instruction::with2(Code::Shr_rm32_imm8, EDX, 2))?;
        self.e.push(Instruction::with2(Code::And_rm32_imm8, EDX, HALF as i32 - 1))?;
        let there = MemoryOperand::with_base_index_scale_displ_size(RSP, RDX, 4, MOVED_LANES + 4 * HALF * half, 8);
        self.e.push(Instruction::with2(Code::Mov_rm32_r32, there, ESI))?;
        self.e.push(Instruction::with2(Code::VEX_Blsr_r32_rm32, EDI, EDI))?;
        self.jump(Code::Jne_rel32_64, next)?;
        self.here(done);
        Ok(())
    }
}
