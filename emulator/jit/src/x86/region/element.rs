//! Loads and stores of bytes and of halves of dwords in host code.
//!
//! ```text
//! load:   lanes one behind the other by one instruction that extends, lanes at one place by one load for all, others lane by
//!         lane; into a half of a register with the other half kept
//! store:  lanes one behind the other by one instruction that cuts off, others lane by lane, the highest lane last
//! ```
//!
//! What is checked before, and what is slow, are those of dwords.

use super::super::emit::{Done, avx2, lanes_at};
use super::super::registers::{Home, Reg};
use super::by_lane::Each;
use super::{Builder, Code, Instruction, Register};
use crate::x86::X86Isa;
use iced_x86::MemoryOperand;
use wavepipe_core::wave::{Access, Element, Part, Piece};

/// The element at a place to a general register, extended to 32 bits.
pub(super) fn extending(e: Element) -> Code {
    match (e.bytes, e.signed) {
        (1, false) => Code::Movzx_r32_rm8,
        (1, true) => Code::Movsx_r32_rm8,
        (_, false) => Code::Movzx_r32_rm16,
        (_, true) => Code::Movsx_r32_rm16,
    }
}

impl Builder<'_> {
    pub(super) fn load_elements(&mut self, access: &Access, element: Element, part: &Part) -> Done<()> {
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            let r = self.e.temporary()?;
            match self.offsets(access, chunk)? {
                Some(off) => {
                    self.load_chunk(element, r, off, part.offset)?;
                    self.e.registers.unpin(off);
                }
                None => self.load_one(element, r, MemoryOperand::with_base_displ(Register::RAX, part.offset.into()))?,
            }
            let home = self.e.home(Home::Vgpr(part.data, chunk))?;
            self.loaded_element(element, home, r)?;
            [home, r].into_iter().for_each(|r| self.e.registers.unpin(r));
        }
        Ok(())
    }

    /// What was loaded, to where it goes.
    pub(super) fn loaded_element(&mut self, element: Element, home: Reg, r: Reg) -> Done<()> {
        match element.of {
            Piece::Whole => {}
            Piece::Low => self.e.into_half(r, home, false)?,
            Piece::High => self.e.into_half(r, home, true)?,
        }
        self.e.merge(home, r)?;
        self.e.registers.soil(home);
        Ok(())
    }

    /// One place's in every lane.
    fn load_one(&mut self, element: Element, r: Reg, at: MemoryOperand) -> Done<()> {
        self.e.push(Instruction::with2(extending(element), Register::ESI, at))?;
        self.e.splat(r, Register::ESI)
    }

    fn load_chunk(&mut self, element: Element, r: Reg, off: Reg, offset: u32) -> Done<()> {
        let (apart, spread, done) = (self.label(), self.label(), self.label());
        let (far, spare) = (self.e.temporary()?, self.e.temporary()?);
        self.e.no_lanes()?;
        self.jump(Code::Je_rel32_64, done)?;
        self.e.apart(far, off)?;
        let row = self.e.neighbours_of(element.bytes);
        self.e.is_apart_as(far, row, spare)?;
        self.jump(Code::Jne_rel32_64, apart)?;
        if self.e.host.target == X86Isa::Avx2 {
            // There is no such load under a mask.
            self.e.all_lanes(Register::EDX)?;
            self.jump(Code::Jne_rel32_64, apart)?;
        }
        let at = lanes_at(Register::RCX, offset.into());
        self.e.load_row_of(r, at, element.bytes, element.signed)?;
        self.aside(done, |b| {
            b.here(apart);
            b.e.is_apart_by(far, avx2::NOWHERE, spare)?;
            b.jump(Code::Jne_rel32_64, spread)?;
            b.load_one(element, r, at)?;
            b.jump(Code::Jmp_rel32_64, done)?;
            b.here(spread);
            b.by_lane(off, off, offset, Each::Load { code: extending(element) })?;
            b.e.unstack(r)
        })?;
        self.here(done);
        [far, spare].into_iter().for_each(|r| self.e.registers.unpin(r));
        Ok(())
    }

    pub(super) fn store_elements(&mut self, access: &Access, element: Element, part: &Part) -> Done<()> {
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            let mut data = self.e.home(Home::Vgpr(part.data, chunk))?;
            if element.of == Piece::High {
                let high = self.e.temporary()?;
                self.e.high_half(high, data)?;
                self.e.registers.unpin(std::mem::replace(&mut data, high));
            }
            let off = match self.offsets(access, chunk)? {
                Some(off) => off,
                None => self.e.home(Home::Constant(0))?,
            };
            self.store_chunk(element, data, off, part.offset)?;
            [off, data].into_iter().for_each(|r| self.e.registers.unpin(r));
        }
        Ok(())
    }

    fn store_chunk(&mut self, element: Element, data: Reg, off: Reg, offset: u32) -> Done<()> {
        let (spread, done) = (self.label(), self.label());
        let (far, spare) = (self.e.temporary()?, self.e.temporary()?);
        self.e.apart(far, off)?;
        let row = self.e.neighbours_of(element.bytes);
        self.e.is_apart_as(far, row, spare)?;
        self.jump(Code::Jne_rel32_64, spread)?;
        self.e.all_lanes(Register::EDX)?;
        self.jump(Code::Jne_rel32_64, spread)?;
        self.e.store_row_of(lanes_at(Register::RCX, offset.into()), data, far, element.bytes)?;
        self.aside(done, |b| {
            b.here(spread);
            b.by_lane(off, data, offset, Each::Store { bytes: element.bytes })
        })?;
        self.here(done);
        [far, spare].into_iter().for_each(|r| self.e.registers.unpin(r));
        Ok(())
    }
}
