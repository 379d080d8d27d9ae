//! Loads and stores of dwords in host code.
//!
//! ```text
//! place:   the host's address of offset 0 into RAX, the last offset in range into a vector register; scalars that are not the
//!          slot's: slow
//! check:   all live lanes of all chunks in range, before anything is written; else slow
//! load:    chunk by chunk: lanes one behind the other by one move, lanes at one place by a broadcast, others by a gather
//! store:   lanes one behind the other by one move, other dwords by a scatter, the highest lane last; what a host cannot, or
//!          lanes could overlap in parts, slow: the whole is then done again
//! slow:    the interpreter's operation, by a call, with everything in memory
//! ```
//!
//! In front of an access and behind it nothing but fixed registers is known, and those are loaded.

use super::super::emit::{Done, SCALARS, avx2, scalar_at};
use super::super::registers::{Home, Reg};
use super::{Builder, Code, Instruction, Label, Register, Stub, Then, in_frame};
use crate::x86::X86Isa as HostIsa;
use iced_x86::MemoryOperand;
use std::mem::{offset_of, size_of};
use wavepipe_core::wave::{Access, Act, HostFrame, Node, Origin, Part, Slot};
use wavepipe_isa::Src;

impl Builder<'_> {
    pub(super) fn access(&mut self, act: &Act, access: &Access, node: &Node) -> Done<()> {
        self.settle()?;
        self.load_fixed()?;
        self.e.forget_scalars();
        let (slow, on) = (self.label(), self.label());
        let stores = self.e.registers.dirty(true);
        let loads = self.e.registers.fixed();
        let before = node.count - act.done;
        let then = Then::Access { operation: act.operation, before, loads, on };
        self.stubs.push(Stub { label: slow, stores, then });
        let last = self.place(access, slow)?;
        if let Some(address) = access.address {
            self.check(address, last, slow)?;
        }
        self.e.registers.unpin(last);
        if access.store {
            for part in access.parts.iter().flatten() {
                self.store(access, part, slow)?;
            }
        } else {
            self.load(access)?;
        }
        self.settle()?;
        self.here(on);
        Ok(())
    }

    fn mov(&mut self, r: Register, from: MemoryOperand) -> Done<()> {
        self.e.push(Instruction::with2(Code::Mov_r64_rm64, r, from)).map(|_| ())
    }

    /// Slow, if a word of memory and one of the slot differ.
    fn same(&mut self, wide: bool, a: MemoryOperand, b: MemoryOperand, slow: Label) -> Done<()> {
        let (load, compare, r) = match wide {
            true => (Code::Mov_r64_rm64, Code::Cmp_r64_rm64, Register::RCX),
            false => (Code::Mov_r32_rm32, Code::Cmp_r32_rm32, Register::ECX),
        };
        self.e.push(Instruction::with2(load, r, a))?;
        self.e.push(Instruction::with2(compare, r, b))?;
        self.jump(Code::Jne_rel32_64, slow)
    }

    /// RAX, and the last offset in every lane of a register, pinned.
    fn place(&mut self, access: &Access, slow: Label) -> Done<Reg> {
        let last = self.e.temporary()?;
        match access.place {
            Origin::Lds => {
                let most = access.parts.iter().flatten().map(|p| p.offset).max().unwrap_or(0);
                self.mov(Register::RAX, in_frame(offset_of!(HostFrame, lds)))?;
                self.mov(Register::RCX, in_frame(offset_of!(HostFrame, lds_bytes)))?;
                let bytes = (most + 4 * access.dwords) as i32;
                self.e.push(Instruction::with2(Code::Sub_rm64_imm32, Register::RCX, bytes))?;
                self.jump(Code::Jb_rel32_64, slow)?;
                self.e.splat(last, Register::ECX)?;
            }
            Origin::Slot { slot, first, words, soffset } => {
                let of = |at: usize| {
                    let at = slot as usize * size_of::<Slot>() + at;
                    MemoryOperand::with_base_displ(Register::RDX, at as i64)
                };
                self.mov(Register::RDX, in_frame(offset_of!(HostFrame, slots)))?;
                for pair in (0..words).step_by(2) {
                    let at = offset_of!(Slot, words) + 4 * usize::from(pair);
                    self.same(true, scalar_at(SCALARS, first + pair), of(at), slow)?;
                }
                if let Some(soffset) = soffset {
                    let at = of(offset_of!(Slot, soffset));
                    match Src(soffset.into()).inline_value() {
                        Some(v) => {
                            self.e.push(Instruction::with2(Code::Cmp_rm32_imm32, at, v as i32))?;
                            self.jump(Code::Jne_rel32_64, slow)?;
                        }
                        None => self.same(false, scalar_at(SCALARS, soffset), at, slow)?,
                    }
                }
                self.mov(Register::RAX, of(offset_of!(Slot, host)))?;
                self.e.push(Instruction::with2(Code::Test_rm64_r64, Register::RAX, Register::RAX))?;
                self.jump(Code::Je_rel32_64, slow)?;
                self.e.broadcast(last, of(offset_of!(Slot, last)))?;
            }
        }
        Ok(last)
    }

    fn check(&mut self, address: u32, last: Reg, slow: Label) -> Done<()> {
        let bad = self.e.no_bad_lanes()?;
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            let off = self.e.home(Home::Vgpr(address, chunk))?;
            self.e.bad_lanes(bad, off, last)?;
            self.e.registers.unpin(off);
        }
        self.e.any_bad_lane(bad)?;
        self.jump(Code::Jne_rel32_64, slow)
    }

    fn load(&mut self, access: &Access) -> Done<()> {
        let dwords = || {
            let parts = access.parts.iter().flatten();
            parts.flat_map(|p| (0..access.dwords).map(|j| (p.offset + 4 * j, p.data + j)))
        };
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            let mut values = Vec::new();
            for (offset, v) in dwords() {
                values.push((offset, v, self.e.temporary()?));
            }
            match access.address {
                None => {
                    for &(offset, _, r) in &values {
                        self.e.broadcast(r, MemoryOperand::with_base_displ(Register::RAX, offset.into()))?;
                    }
                }
                Some(address) => {
                    let off = self.e.home(Home::Vgpr(address, chunk))?;
                    self.load_lanes(off, &values)?;
                    self.e.registers.unpin(off);
                }
            }
            // Only now: one of them may be the address.
            for (_, v, r) in values {
                let home = self.e.home(Home::Vgpr(v, chunk))?;
                self.e.merge(home, r)?;
                self.e.registers.soil(home);
                self.e.registers.unpin(home);
                self.e.registers.unpin(r);
            }
        }
        Ok(())
    }

    /// Into registers, of the live lanes.
    fn load_lanes(&mut self, off: Reg, values: &[(u32, u32, Reg)]) -> Done<()> {
        let (apart, done) = (self.label(), self.label());
        // All before the first branch: what a register is taken from has to be stored on every way.
        let (far, spare) = (self.e.temporary()?, self.e.temporary()?);
        // Without a live lane the first one's offset is anything.
        self.e.no_lanes()?;
        self.jump(Code::Je_rel32_64, done)?;
        self.e.apart(far, off)?;
        let row = |offset: u32| {
            MemoryOperand::with_base_index_scale_displ_size(Register::RAX, Register::RCX, 1, offset.into(), 8)
        };
        if let &[(offset, _, r)] = values {
            self.e.is_apart_by(far, avx2::NEIGHBOURS, spare)?;
            self.jump(Code::Jne_rel32_64, apart)?;
            self.e.load_row(r, row(offset))?;
            self.jump(Code::Jmp_rel32_64, done)?;
            self.here(apart);
        }
        let spread = self.label();
        self.e.is_apart_by(far, avx2::NOWHERE, spare)?;
        self.jump(Code::Jne_rel32_64, spread)?;
        for &(offset, _, r) in values {
            self.e.broadcast(r, row(offset))?;
        }
        self.jump(Code::Jmp_rel32_64, done)?;
        self.here(spread);
        for &(offset, _, r) in values {
            self.e.gather(r, off, offset, spare)?;
        }
        self.here(done);
        [far, spare].into_iter().for_each(|r| self.e.registers.unpin(r));
        Ok(())
    }

    fn store(&mut self, access: &Access, part: &Part, slow: Label) -> Done<()> {
        // Dwords of several lanes may overlap in parts, in an order of their own.
        let single = access.dwords == 1;
        let Some(address) = access.address else { return self.jump(Code::Jmp_rel32_64, slow) };
        if !single && self.e.host.target == HostIsa::Avx2 {
            return self.jump(Code::Jmp_rel32_64, slow);
        }
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            let (off, far) = (self.e.home(Home::Vgpr(address, chunk))?, self.e.temporary()?);
            let spare = self.e.temporary()?;
            let mut data = Vec::new();
            for j in 0..access.dwords {
                data.push(self.e.home(Home::Vgpr(part.data + j, chunk))?);
            }
            self.e.apart(far, off)?;
            let step = if single { avx2::NEIGHBOURS } else { avx2::neighbours(access.dwords) };
            self.e.is_apart_by(far, step, spare)?;
            let done = self.label();
            if single {
                let spread = if self.e.host.target == HostIsa::Avx2 { slow } else { self.label() };
                self.jump(Code::Jne_rel32_64, spread)?;
                let at = part.offset.into();
                let row = MemoryOperand::with_base_index_scale_displ_size(Register::RAX, Register::RCX, 1, at, 8);
                self.e.store_row(row, data[0])?;
                if self.e.host.target == HostIsa::Avx512 {
                    self.jump(Code::Jmp_rel32_64, done)?;
                    self.here(spread);
                    self.e.scatter(off, part.offset, data[0])?;
                }
            } else {
                self.jump(Code::Jne_rel32_64, slow)?;
                for (j, &r) in data.iter().enumerate() {
                    self.e.scatter(off, part.offset + 4 * j as u32, r)?;
                }
            }
            self.here(done);
            data.into_iter().chain([off, far, spare]).for_each(|r| self.e.registers.unpin(r));
        }
        Ok(())
    }

    /// Behind the nodes: the operation by a call, then on where the access ends.
    pub(super) fn slow_access(&mut self, operation: u32, before: u32, loads: Vec<super::Store>, on: Label) -> Done<()> {
        self.call_of(operation, before, offset_of!(HostFrame, access))?;
        for load in loads {
            self.e.fill(load)?;
        }
        self.jump(Code::Jmp_rel32_64, on)
    }
}
