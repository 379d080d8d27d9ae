//! Dwords of private memory in host code: a dword of an offset is a row of all lanes of the wave.
//!
//! ```text
//! place:  the slot's, SOFFSET further; a SOFFSET out of range: slow
//! check:  offsets of live lanes in range and multiples of four; else slow
//! row:    at one offset for all live lanes of a chunk, a row by one move; else a gather, a scatter, or lane by lane
//! ```

use super::super::emit::{Done, avx2, lanes_at};
use super::super::registers::{Home, Reg};
use super::by_lane::Each;
use super::{Builder, Code, Instruction, Label, Register, in_slot};
use crate::x86::X86Isa;
use iced_x86::MemoryOperand;
use std::mem::offset_of;
use wavepipe_core::wave::{Access, Motion, Part, Private, Slot};
use wavepipe_isa::Src;

/// The slot's private memory.
fn of(slot: u32, at: usize) -> MemoryOperand {
    in_slot(slot, offset_of!(Slot, private) + at)
}

impl Builder<'_> {
    /// RAX is its place; slow, if the slot has none.
    pub(super) fn is_private(&mut self, slot: u32, slow: Label) -> Done<()> {
        self.e.push(Instruction::with2(Code::Mov_r64_rm64, Register::RAX, of(slot, offset_of!(Private, host))))?;
        self.e.push(Instruction::with2(Code::Test_rm64_r64, Register::RAX, Register::RAX))?;
        self.jump(Code::Je_rel32_64, slow)
    }

    pub(super) fn private(&mut self, access: &Access, slot: u32, soffset: u8, slow: Label) -> Done<()> {
        let Some(part) = access.parts[0] else { return self.jump(Code::Jmp_rel32_64, slow) };
        match Src(soffset.into()).inline_value() {
            Some(v) => self.e.push(Instruction::with2(Code::Mov_r32_imm32, Register::ECX, v)).map(|_| ())?,
            None => self.e.with_scalar(Code::Mov_r32_rm32, Register::ECX, soffset)?,
        };
        let last = of(slot, offset_of!(Private, soffset));
        self.e.push(Instruction::with2(Code::Cmp_r32_rm32, Register::ECX, last))?;
        self.jump(Code::Ja_rel32_64, slow)?;
        self.e.push(Instruction::with2(Code::Add_r64_rm64, Register::RAX, Register::RCX))?;
        if let Some(address) = access.address {
            let limit = self.e.temporary()?;
            self.e.broadcast(limit, of(slot, offset_of!(Private, offset)))?;
            self.check(true, address, limit, slow)?;
            self.e.registers.unpin(limit);
        }
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            match access.motion {
                Motion::Load => {
                    let r = self.e.temporary()?;
                    self.private_row(access, r, chunk)?;
                    let home = self.e.home(Home::Vgpr(part.data, chunk))?;
                    self.e.merge(home, r)?;
                    self.e.registers.soil(home);
                    [home, r].into_iter().for_each(|r| self.e.registers.unpin(r));
                }
                _ => {
                    let Part { data, .. } = part;
                    let r = self.e.home(Home::Vgpr(data, chunk))?;
                    self.private_row(access, r, chunk)?;
                    self.e.registers.unpin(r);
                }
            }
        }
        Ok(())
    }

    /// A chunk's lanes, to or from the register; RAX is the place of offset 0.
    fn private_row(&mut self, access: &Access, r: Reg, chunk: u8) -> Done<()> {
        let store = access.motion == Motion::Store;
        let at = 4 * self.e.host.lanes() as u32 * u32::from(chunk);
        let Some(address) = access.address else {
            let row = MemoryOperand::with_base_displ_size(Register::RAX, at.into(), 8);
            return if store { self.store_row(row, r) } else { self.e.load_row(r, row) };
        };
        let off = self.e.home(Home::Vgpr(address, chunk))?;
        let (far, spare) = (self.e.temporary()?, self.e.temporary()?);
        let (spread, done) = (self.label(), self.label());
        let bits = 4 + self.region.halves as i32;
        self.e.apart(far, off)?;
        self.e.is_apart_by(far, avx2::NOWHERE, spare)?;
        self.jump(Code::Jne_rel32_64, spread)?;
        self.e.push(Instruction::with2(Code::Shl_rm32_imm8, Register::ECX, bits))?;
        let row = lanes_at(Register::RCX, at.into());
        match store {
            true => self.store_row(row, r)?,
            false => self.e.load_row(r, row)?,
        }
        self.jump(Code::Jmp_rel32_64, done)?;
        self.here(spread);
        self.e.rows_of(far, off, bits)?;
        match (store, self.e.host.target) {
            (false, _) => self.e.gather(r, far, at, spare)?,
            (true, X86Isa::Avx512) => self.e.scatter(far, at, r)?,
            (true, X86Isa::Avx2) => self.by_lane(far, r, at, Each::DWORD)?,
        }
        self.here(done);
        [off, far, spare].into_iter().for_each(|r| self.e.registers.unpin(r));
        Ok(())
    }
}
