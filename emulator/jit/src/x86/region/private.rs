//! Private memory in host code: a dword of an offset is a row of all lanes of the wave.
//!
//! ```text
//! place:  by a V#: the slot's, SOFFSET further; a SOFFSET out of range: slow. By SCRATCH: FLAT_SCRATCH's in the slot's region, further
//!         by the rows that come to all lanes' offsets; outside of the region, or no whole rows: slow
//! check:  offsets of live lanes in range and multiples of four; else slow
//! row:    at one offset for all live lanes of a chunk, a row by one move; else a gather, a scatter, or lane by lane
//! less:   of bytes and halves of dwords, which SCRATCH has, offsets are whole ones, and lanes go one by one
//! ```

use super::super::emit::{Done, Refused, SCALARS, avx2, lanes_at, scalar_at};
use super::super::registers::{Home, Reg};
use super::by_lane::Each;
use super::element::extending;
use super::{Builder, Code, Instruction, Label, Register, in_frame, in_slot};
use crate::record::F;
use crate::x86::X86Isa;
use iced_x86::MemoryOperand;
use std::mem::offset_of;
use wavepipe_core::wave::{Access, Act, Element, HostFrame, Motion, Node, Origin, Part, Piece, Private, Slot};
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
        self.dwords_of_rows(access)
    }

    /// SCRATCH.
    pub(super) fn scratch(&mut self, act: &Act, access: &Access, node: &Node) -> Done<()> {
        let Origin::Scratch { slot, first, saddr, offset } = access.place else { return Err(Refused) };
        let scalars = [first..first + 2, saddr.map_or(0..0, |i| i..i + 1)];
        let (slow, on) = self.with_slow_way(act, node, &scalars)?;
        let of = |at| in_slot(slot, at);
        self.mov(Register::RDX, in_frame(offset_of!(HostFrame, slots)))?;
        self.mov(Register::RAX, scalar_at(SCALARS, first))?;
        self.in_region(slot, Register::RAX, slow)?;
        self.e.push(Instruction::with2(Code::Add_r64_rm64, Register::RAX, of(offset_of!(Slot, host))))?;
        match saddr {
            None => self.e.push(Instruction::with2(Code::Mov_r32_imm32, Register::ECX, offset)).map(|_| ())?,
            Some(i) => {
                self.e.with_scalar(Code::Mov_r32_rm32, Register::ECX, i)?;
                self.e.push(Instruction::with2(Code::Add_rm32_imm32, Register::ECX, offset))?;
            }
        }
        match access.element {
            Some(element) => self.elements_of_rows(access, element, slow)?,
            None => {
                if saddr.is_some() {
                    self.e.push(Instruction::with2(Code::Test_rm8_imm8, Register::CL, 3))?;
                    self.jump(Code::Jne_rel32_64, slow)?;
                }
                self.e.push(Instruction::with2(Code::Mov_r32_rm32, Register::ESI, of(offset_of!(Slot, last))))?;
                self.e.push(Instruction::with2(Code::Sub_r32_rm32, Register::ESI, Register::ECX))?;
                self.jump(Code::Jb_rel32_64, slow)?;
                self.e.push(Instruction::with2(Code::Shl_rm64_imm8, Register::RCX, self.row_bits()))?;
                self.e.push(Instruction::with2(Code::Add_r64_rm64, Register::RAX, Register::RCX))?;
                if let Some(address) = access.address {
                    let limit = self.e.temporary()?;
                    self.e.splat(limit, Register::ESI)?;
                    self.check(true, address, limit, slow)?;
                    self.e.registers.unpin(limit);
                }
                self.dwords_of_rows(access)?;
            }
        }
        self.e.settle()?;
        self.here(on);
        Ok(())
    }

    /// A byte of an offset is so many of a row, by their logarithm.
    fn row_bits(&self) -> i32 {
        4 + self.region.halves as i32
    }

    /// Whole dwords; RAX is the place of offset 0.
    fn dwords_of_rows(&mut self, access: &Access) -> Done<()> {
        let Some(Part { data, .. }) = access.parts[0] else { return Err(Refused) };
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            let mut rows = Vec::new();
            for v in data..data + access.dwords {
                rows.push(match access.motion {
                    Motion::Load => self.e.temporary()?,
                    _ => self.e.home(Home::Vgpr(v, chunk))?,
                });
            }
            self.chunk_of_rows(access, &rows, chunk)?;
            if access.motion == Motion::Load {
                for (v, &r) in (data..).zip(&rows) {
                    let home = self.e.home(Home::Vgpr(v, chunk))?;
                    self.e.merge(home, r)?;
                    self.e.registers.soil(home);
                    self.e.registers.unpin(home);
                }
            }
            rows.into_iter().for_each(|r| self.e.registers.unpin(r));
        }
        Ok(())
    }

    /// A chunk's lanes, to or from registers, one for each dword.
    fn chunk_of_rows(&mut self, access: &Access, rows: &[Reg], chunk: u8) -> Done<()> {
        let store = access.motion == Motion::Store;
        let column = 4 * self.e.host.lanes() as u32 * u32::from(chunk);
        let bits = self.row_bits();
        let rows = || rows.iter().enumerate().map(|(j, &r)| (column + ((4 * j as u32) << bits), r));
        let Some(address) = access.address else {
            return rows().try_for_each(|(at, r)| {
                let row = MemoryOperand::with_base_displ_size(Register::RAX, at.into(), 8);
                if store { self.store_row(row, r) } else { self.e.load_row(r, row) }
            });
        };
        let off = self.e.home(Home::Vgpr(address, chunk))?;
        let (far, spare) = (self.e.temporary()?, self.e.temporary()?);
        let (spread, done) = (self.label(), self.label());
        self.e.apart(far, off)?;
        self.e.is_apart_by(far, avx2::NOWHERE, spare)?;
        self.jump(Code::Jne_rel32_64, spread)?;
        self.e.push(Instruction::with2(Code::Shl_rm32_imm8, Register::ECX, bits))?;
        rows().try_for_each(|(at, r)| {
            let row = lanes_at(Register::RCX, at.into());
            if store { self.store_row(row, r) } else { self.e.load_row(r, row) }
        })?;
        self.jump(Code::Jmp_rel32_64, done)?;
        self.here(spread);
        self.e.rows_of(far, off, bits)?;
        rows().try_for_each(|(at, r)| match (store, self.e.host.target) {
            (false, _) => self.e.gather(r, far, at, spare),
            (true, X86Isa::Avx512) => self.e.scatter(far, at, r),
            (true, X86Isa::Avx2) => self.by_lane(far, r, at, Each::DWORD),
        })?;
        self.here(done);
        [off, far, spare].into_iter().for_each(|r| self.e.registers.unpin(r));
        Ok(())
    }

    /// Bytes or halves of dwords; RAX is the place of offset 0, RDX is at the slots, ECX comes to all lanes' offsets.
    fn elements_of_rows(&mut self, access: &Access, element: Element, slow: Label) -> Done<()> {
        let (Some(part), Some(slot)) = (access.parts[0], access.place.slot()) else { return Err(Refused) };
        let (base, last) = (self.e.temporary()?, self.e.temporary()?);
        self.e.splat(base, Register::ECX)?;
        self.e.broadcast(last, in_slot(slot, offset_of!(Slot, last)))?;
        let bad = self.e.no_bad_lanes()?;
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            let off = self.whole_offsets(access, base, chunk)?;
            self.e.bad_lanes(bad, off, last)?;
            if element.bytes > 1 {
                self.e.uneven_lanes(bad, off, element.bytes)?;
            }
            self.e.registers.unpin(off);
        }
        self.e.any_bad_lane(bad)?;
        self.jump(Code::Jne_rel32_64, slow)?;
        self.e.registers.unpin(last);
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            let off = self.whole_offsets(access, base, chunk)?;
            self.e.rows_of_bytes(off, self.row_bits())?;
            let column = 4 * self.e.host.lanes() as u32 * u32::from(chunk);
            let home = self.e.home(Home::Vgpr(part.data, chunk))?;
            match access.motion {
                Motion::Load => {
                    let r = self.e.temporary()?;
                    self.by_lane(off, off, column, Each::Load { code: extending(element) })?;
                    self.e.unstack(r)?;
                    self.loaded_element(element, home, r)?;
                    self.e.registers.unpin(r);
                }
                _ if element.of == Piece::High => {
                    let high = self.e.temporary()?;
                    self.e.high_half(high, home)?;
                    self.by_lane(off, high, column, Each::Store { bytes: element.bytes })?;
                    self.e.registers.unpin(high);
                }
                _ => self.by_lane(off, home, column, Each::Store { bytes: element.bytes })?,
            }
            [off, home].into_iter().for_each(|r| self.e.registers.unpin(r));
        }
        self.e.registers.unpin(base);
        Ok(())
    }

    /// The chunk's offsets with what comes to all of them, in a register that may change, pinned.
    fn whole_offsets(&mut self, access: &Access, base: Reg, chunk: u8) -> Done<Reg> {
        let off = self.e.temporary()?;
        match access.address {
            None => self.e.copy(off, base)?,
            Some(address) => {
                let own = self.e.home(Home::Vgpr(address, chunk))?;
                self.e.binary(F::add, off, own, base)?;
                self.e.registers.unpin(own);
            }
        }
        Ok(off)
    }
}
